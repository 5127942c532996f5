// A text with its tree and messages, for the tests of the front end.
#pragma once
#include "frontend/Parser.h"
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>

namespace tessera::test {

struct Parsed {
  Sources sources;
  FileId file;
  diag::Engine diagnostics;
  std::unique_ptr<ast::Module> module;

  explicit Parsed(std::string text, std::string path = "test.tsr")
      : file(sources.add(std::move(path), std::move(text))), module(frontend::parse(sources, file, diagnostics)) {}

  std::string dump(bool spans = false) const { return ast::dump(*module, spans); }

  /// "E0130 1:9 I expected ..." for each message.
  std::string messages() const {
    std::string out;
    for (const diag::Diagnostic &diagnostic : diagnostics.all()) {
      LineColumn at = sources.file(file).lineColumn(diagnostic.span.begin);
      out += std::string(diag::row(diagnostic.id).code) + " " + std::to_string(at.line) + ":" + std::to_string(at.column) + " " +
             diagnostic.message + "\n";
    }
    return out;
  }
};

/// The only expression of a text, as dumped.
inline std::string expression(const std::string &text) {
  Parsed parsed(text + "\n");
  EXPECT_EQ(parsed.messages(), "") << text;
  std::string dump = parsed.dump();
  const std::string before = "(module\n  (expr ", after = "))\n";
  EXPECT_EQ(dump.substr(0, before.size()), before) << dump;
  return dump.substr(before.size(), dump.size() - before.size() - after.size());
}

/// The statements of a text that must have no mistakes, as dumped.
inline std::string statements(const std::string &text) {
  Parsed parsed(text);
  EXPECT_EQ(parsed.messages(), "") << text;
  std::string dump = parsed.dump();
  return dump.substr(8, dump.size() - 10);
}

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Compares with a golden file; TESSERA_UPDATE_GOLDENS=1 writes it instead.
inline void expectGolden(const std::string &path, const std::string &actual) {
  if (getenv("TESSERA_UPDATE_GOLDENS")) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  EXPECT_EQ(readFile(path), actual) << "golden " << path;
}

}  // namespace tessera::test
