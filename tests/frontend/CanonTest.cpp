// The programs that define the surface of the language: all of them parse in silence.
#include "Parsed.h"
#include <filesystem>

using namespace tessera;
using test::Parsed;

namespace {
std::vector<std::string> canon() {
  std::vector<std::string> out;
  for (auto &entry : std::filesystem::directory_iterator(TSR_SOURCE_DIR "/tests/canon"))
    if (entry.path().extension() == ".tsr") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}
}  // namespace

TEST(Canon, ParsesWithoutMessages) {
  ASSERT_GE(canon().size(), 13u);
  for (const std::string &path : canon()) {
    Parsed parsed(test::readFile(path), path);
    EXPECT_EQ(parsed.messages(), "") << path;
    EXPECT_FALSE(parsed.module->body.empty()) << path;
    EXPECT_EQ(parsed.dump().find("(error"), std::string::npos) << path;
  }
}

TEST(Canon, SyntaxTreeOfTheOddForms) {
  Parsed parsed(test::readFile(TSR_SOURCE_DIR "/tests/canon/90_syntax.tsr"));
  test::expectGolden(TSR_SOURCE_DIR "/tests/frontend/90_syntax.ast", parsed.dump());
}

TEST(Canon, LineEndsDoNotMatter) {
  for (const std::string &path : canon()) {
    std::string text = test::readFile(path), windows;
    for (char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    Parsed one(text), two("\xEF\xBB\xBF" + windows);
    EXPECT_EQ(two.messages(), "") << path;
    EXPECT_TRUE(ast::equal(*one.module, *two.module)) << path;
  }
}

TEST(Canon, SpansNestAndCoverTheirText) {
  Parsed parsed(test::readFile(TSR_SOURCE_DIR "/tests/canon/08_flash_attention.tsr"));
  const SourceFile &source = parsed.sources.file(parsed.file);
  auto *function = ast::as<ast::FuncDef>(parsed.module->body.back());
  ASSERT_TRUE(function);
  EXPECT_EQ(parsed.sources.text(function->name.span), "flash_attention");
  EXPECT_EQ(parsed.sources.text(function->where[0]->span), "D % 16 == 0");
  EXPECT_EQ(parsed.sources.text(function->parameters[3].span), "causal: bool = True");
  EXPECT_EQ(parsed.sources.text(function->decorators[0].span).substr(0, 17), "@kernel.autotune(");
  uint32_t last = function->span.begin;
  for (const ast::StmtPtr &statement : function->body) {
    EXPECT_GE(statement->span.begin, last);
    EXPECT_LE(statement->span.end, function->span.end);
    last = statement->span.end;
  }
  EXPECT_EQ(function->span.end, source.text.find_last_of(')') + 1);
}

TEST(Canon, CommentsAreKeptInOrder) {
  Parsed parsed(test::readFile(TSR_SOURCE_DIR "/tests/canon/03_matmul.tsr"));
  ASSERT_EQ(parsed.module->comments.size(), 7u);
  EXPECT_TRUE(parsed.module->comments[0].ownLine);
  EXPECT_FALSE(parsed.module->comments[4].ownLine);
  EXPECT_EQ(parsed.sources.text(parsed.module->comments[4].span), "# the schedule's sizes: T.m, T.n, T.k");
  EXPECT_EQ(parsed.sources.text(parsed.module->comments[6].span),
            "# The same algorithm under another schedule, inherited and overridden.");
}
