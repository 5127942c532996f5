// Parses and checks a program of the tests, with the standard library of the source tree.
#pragma once
#include "frontend/Parser.h"
#include "sema/Check.h"
#include <fstream>
#include <map>
#include <sstream>

namespace tessera::test {

inline std::string fileText(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Checking {
  Sources sources;
  diag::Engine diagnostics;
  std::map<std::string, std::unique_ptr<ast::Module>> modules;
  std::map<std::string, std::string> siblings;  // texts of modules beside the main one
  std::unique_ptr<ast::Module> main;
  std::unique_ptr<checked::Program> program;

  explicit Checking(const std::string &text, std::map<std::string, std::string> beside = {}, const sema::CheckOptions &options = {})
      : siblings(std::move(beside)) {
    main = frontend::parse(sources, sources.add("test.tsr", text), diagnostics);
    program = sema::check(
        *main, sources, [this](FileId, int level, const std::string &path) { return load(level, path); },
        diagnostics, options);
  }

  const ast::Module *load(int level, const std::string &path) {
    auto &slot = modules[std::to_string(level) + path];
    if (slot) return slot.get();
    std::string text;
    if (level == sema::kWrittenModule) {
      text = path;
    } else if (level > 0) {
      if (!siblings.count(path)) return nullptr;
      text = siblings[path];
    } else {
      std::string file = TSR_SOURCE_DIR "/stdlib/";
      for (char c : path) file += c == '.' ? '/' : c;
      if (path.rfind("tessera.", 0) != 0 || !std::ifstream(file + ".tsr")) return nullptr;
      text = fileText(file + ".tsr");
    }
    slot = frontend::parse(sources, sources.add(path, text), diagnostics);
    return slot.get();
  }

  std::string messages() const {
    std::string all;
    for (const diag::Diagnostic &d : diagnostics.all()) {
      LineColumn at = sources.file(d.span.file).lineColumn(d.span.begin);
      all += std::string(diag::row(d.id).code) + " " + std::to_string(at.line) + ":" +
             std::to_string(at.column) + " " + d.message + "\n";
    }
    return all;
  }
  /// The codes and places of the messages, "E0540 4:18, E0200 5:3".
  std::string codes() const {
    std::string all;
    for (const diag::Diagnostic &d : diagnostics.all()) {
      LineColumn at = sources.file(d.span.file).lineColumn(d.span.begin);
      all += (all.empty() ? "" : ", ") + std::string(diag::row(d.id).code) + " " + std::to_string(at.line) + ":" +
             std::to_string(at.column);
    }
    return all;
  }
  std::string dump() const { return checked::dump(*program); }
};

}  // namespace tessera::test
