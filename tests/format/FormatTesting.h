// Formatting in tests: what went in must be what comes out, but for its looks.
#pragma once
#include "diag/Render.h"
#include "frontend/Format.h"
#include "frontend/Parser.h"
#include <gtest/gtest.h>
#include <memory>
#include <regex>

namespace tessera::frontend {

struct Parsed {
  std::unique_ptr<ast::Module> module;
  std::string errors;
};
inline Parsed parseText(Sources &sources, const std::string &text) {
  diag::Engine engine;
  FileId file = sources.add("test.tsr", text);
  Parsed parsed{parse(sources, file, engine), {}};
  if (engine.hasErrors()) parsed.errors = diag::renderText(engine, sources);
  return parsed;
}

/// The comments of a text, in order, as the formatter writes them.
inline std::vector<std::string> commentsOf(const Sources &sources, const ast::Module &module) {
  std::vector<std::string> all;
  for (const ast::Comment &comment : module.comments) {
    std::string text(sources.text(comment.span));
    text.erase(text.find_last_not_of(" \t\r\f\v") + 1);
    all.push_back(std::regex_replace(text, std::regex("^#(?![ !:#\t]|$)"), "# "));
  }
  return all;
}

/// Formats, and checks every promise of the formatter on the way.
inline std::string formatChecked(const std::string &text, FormatOptions options = {}) {
  Sources sources;
  Parsed before = parseText(sources, text);
  EXPECT_EQ(before.errors, "") << text;
  if (!before.errors.empty()) return {};
  std::string out = format(*before.module, sources, options);

  std::string plain = format(*before.module, sources, {.shortDTypes = false});
  Parsed after = parseText(sources, plain);
  EXPECT_EQ(after.errors, "") << text << "---\n" << plain;
  EXPECT_TRUE(ast::equal(*before.module, *after.module)) << text << "---\n" << plain;
  EXPECT_EQ(commentsOf(sources, *before.module), commentsOf(sources, *after.module)) << text << "---\n" << plain;

  Parsed again = parseText(sources, out);
  EXPECT_EQ(again.errors, "") << text << "---\n" << out;
  std::string twice = format(*again.module, sources, options);
  EXPECT_TRUE(twice == out) << "formatting twice differs from formatting once\n" << text << "---\n" << out << "---\n" << twice;
  return out;
}

}  // namespace tessera::frontend
