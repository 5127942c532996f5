// Inputs that are no programs: each ends, with messages, without a crash.
#include "Parsed.h"
#include <filesystem>
#include <random>

using namespace tessera;
using test::Parsed;

namespace {
/// Error nodes come with messages, and messages have places in the file.
void expectSound(const std::string &text) {
  Parsed parsed(text);
  if (parsed.dump().find("(error") != std::string::npos) EXPECT_TRUE(parsed.diagnostics.hasErrors()) << text;
  for (const diag::Diagnostic &diagnostic : parsed.diagnostics.all()) {
    EXPECT_LE(diagnostic.span.begin, diagnostic.span.end) << text;
    EXPECT_LE(diagnostic.span.end, text.size()) << text << diagnostic.message;
    for (const diag::Fix &fix : diagnostic.fixes) EXPECT_LE(fix.span.end, text.size()) << text << diagnostic.message;
  }
}
}  // namespace

TEST(Junk, RandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (size_t n = random() % 300; n-- > 0;) text += static_cast<char>(random());
    expectSound(text);
  }
}

TEST(Junk, RandomWords) {
  const char *words[] = {"if", "else", "def", "for", "in", "while", "try", "except", "with", "as", "return", "x", "(", ")", "[", "]",
                         "{", "}", ":", ",", "=", "==", "+", "**", "@", "~", "->", "\n", "\n    ", "\n\t", "'a'", "\"", "f\"{x}\"",
                         "1..=3", "...", ".", "lambda", "not", "where", "struct", "policy", "async", "await", "print", "!", "?",
                         "&&", "\\\n", ";", "f\"{", "\"\"\"", "#c\n", "import", "from", "del"};
  std::mt19937 random(2);
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (size_t n = random() % 120; n-- > 0;) text += std::string(words[random() % std::size(words)]) + " ";
    expectSound(text);
  }
}

TEST(Junk, BrokenCanon) {
  std::vector<std::string> texts;
  for (auto &entry : std::filesystem::directory_iterator(TSR_SOURCE_DIR "/tests/canon")) texts.push_back(test::readFile(entry.path()));
  std::sort(texts.begin(), texts.end());
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    std::string text = texts[random() % texts.size()];
    for (size_t n = 1 + random() % 5; n-- > 0;) text.erase(random() % text.size(), 1 + random() % 20);
    expectSound(text);
  }
}

TEST(Junk, NestedBrackets) {
  for (const char *pair : {"()", "[]", "{}"}) {
    std::string text = "x = " + std::string(10000, pair[0]) + "1" + std::string(10000, pair[1]) + "\ny = 2\n";
    Parsed parsed(text);
    EXPECT_EQ(parsed.messages(), "E0117 1:205 there are more than 200 brackets inside one another\n");
    ASSERT_EQ(parsed.module->body.size(), 2u);
    EXPECT_TRUE(ast::as<ast::AssignStmt>(parsed.module->body[1]));
  }
  EXPECT_EQ(Parsed("x = " + std::string(200, '(') + "1" + std::string(200, ')') + "\n").messages(), "");
  expectSound("x = " + std::string(10000, '('));
  expectSound(std::string(10000, ')'));
}

TEST(Junk, LongChains) {
  for (const char *link : {" + 1", ".a", "(1)", "[1]", " if a else 1", " ** 2", " and a", " < 1"}) {
    std::string text = "x = a";
    for (int i = 0; i < 20000; ++i) text += link;
    Parsed parsed(text + "\ny = 2\n");
    EXPECT_EQ(parsed.diagnostics.all().size(), 1u) << link;
    EXPECT_EQ(parsed.messages().substr(0, 6), "E0117 ") << link;
  }
  for (const char *prefix : {"-", "not ", "lambda: ", "~"}) {
    std::string text = "x = ";
    for (int i = 0; i < 20000; ++i) text += prefix;
    EXPECT_EQ(Parsed(text + "1\n").messages().substr(0, 6), "E0117 ") << prefix;
  }
}

TEST(Junk, WhatTheLimitsAllowIsRead) {
  for (const char *link : {" + 1", ".a", "(1)", "[1]", " ** 2", " and a", " < 1"}) {
    std::string text = "x = a";
    for (int i = 0; i < 900; ++i) text += link;
    Parsed parsed(text + "\n");
    EXPECT_EQ(parsed.messages(), "") << link;
    EXPECT_TRUE(ast::equal(*parsed.module, *parsed.module)) << link;
  }
  std::string prefixes = "x = ", choices = "x = a", blocks;
  for (int i = 0; i < 900; ++i) prefixes += "-";
  for (int i = 0; i < 450; ++i) choices += " if a else b";
  for (int i = 0; i < 100; ++i) blocks += std::string(static_cast<size_t>(i), ' ') + "if a:\n";
  blocks += std::string(100, ' ') + "pass\n";
  for (const std::string &text : {prefixes + "1\n", choices + "\n", blocks}) {
    Parsed parsed(text);
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_FALSE(parsed.dump(true).empty());
  }
}

TEST(Junk, LongListsAreFine) {
  std::string text = "x = [";
  for (int i = 0; i < 20000; ++i) text += "a + 1, ";
  EXPECT_EQ(Parsed(text + "]\n").messages(), "");
}

TEST(Junk, NestedBlocks) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::string(static_cast<size_t>(i), ' ') + "if a:\n";
  expectSound(text);
  EXPECT_NE(Parsed(text).messages().find("E0117"), std::string::npos);
}

TEST(Junk, NestedFStrings) {
  std::string text = "x = f'{" + std::string(5000, '(') + "1" + std::string(5000, ')') + "}'\n";
  EXPECT_EQ(Parsed(text).messages().substr(0, 6), "E0117 ");
}

TEST(Junk, TenMegabytes) {
  std::string text(10u << 20, 'x');
  EXPECT_EQ(Parsed(text).messages(), "E0103 1:1 this file has 10485760 bytes, and I read at most 4194304\n");
}

TEST(Junk, NulAndUtf8) {
  EXPECT_EQ(Parsed(std::string("x = 1\n\0", 7)).messages(), "E0104 2:1 this file has a NUL byte, which no text has\n");
  EXPECT_EQ(Parsed("x = '\xC0\x80'\n").messages().substr(0, 10), "E0105 1:6 ");
  EXPECT_EQ(Parsed("x = '\xED\xA0\x80'\n").messages().substr(0, 10), "E0105 1:6 ");
  EXPECT_EQ(Parsed("x = '\xF4\x90\x80\x80'\n").messages().substr(0, 10), "E0105 1:6 ");
  EXPECT_EQ(Parsed("x = '\xE2\x82").messages().substr(0, 10), "E0105 1:6 ");
  EXPECT_EQ(Parsed("x = '\xE2\x82\xAC \xF0\x9F\x98\x80'  # \xC3\xA9\n").messages(), "");
}

TEST(Junk, AFileOfMistakesEndsEarly) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "x = = 1\n";
  Parsed parsed(text);
  EXPECT_EQ(parsed.diagnostics.all().size(), 31u);
  EXPECT_EQ(parsed.diagnostics.all().back().id, diag::Id::tooManyMistakes);
}

TEST(Junk, LargeFilesOfMistakesEndEarly) {
  for (const char *line : {"if x {\n", ")\n", "x = [\n", "'\n", "a b\n", "(]", "@jit\n", "x = f'{'\n", " x\n  y\n"}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += line;
    Parsed parsed(text);
    EXPECT_TRUE(parsed.diagnostics.hasErrors()) << line;
    EXPECT_LE(parsed.diagnostics.all().size(), 150u) << line;
  }
}
