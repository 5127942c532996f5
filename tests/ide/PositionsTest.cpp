// Places of the protocol: lines and code units against bytes.
#include "lsp/Positions.h"
#include "lsp/Uri.h"
#include <gtest/gtest.h>
#include <random>

namespace tessera::lsp {
namespace {

TEST(Positions, CountsUnitsOfTheEncoding) {
  std::string text = "a\u00e9\U0001D11Eb\r\nc";
  Positions utf16(text, Encoding::Utf16), utf8(text, Encoding::Utf8), utf32(text, Encoding::Utf32);
  EXPECT_EQ(utf16.position(7).character, 4u);  // before `b`: 1 + 1 + 2
  EXPECT_EQ(utf8.position(7).character, 7u);
  EXPECT_EQ(utf32.position(7).character, 3u);
  EXPECT_EQ(utf16.offset({0, 4}), 7u);
  EXPECT_EQ(utf16.offset({0, 3}), 3u);  // inside of the pair: before it
  EXPECT_EQ(utf16.offset({1, 0}), 10u);
}

TEST(Positions, WhatLiesOutsideIsTheEnd) {
  std::string text = "ab\r\n\ncd";
  Positions positions(text, Encoding::Utf16);
  EXPECT_EQ(positions.offset({0, 99}), 2u);
  EXPECT_EQ(positions.offset({1, 5}), 4u);
  EXPECT_EQ(positions.offset({9, 0}), 7u);
  EXPECT_EQ(positions.position(99).line, 2u);
}

TEST(Positions, ThereAndBack) {
  std::mt19937 random(5);
  const char *pieces[] = {"a", "\n", "\r\n", "\u00e9", "\U0001D11E", "\xff", "\xe2\x82", " "};
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += pieces[random() % std::size(pieces)];
    for (Encoding encoding : {Encoding::Utf8, Encoding::Utf16, Encoding::Utf32}) {
      Positions positions(text, encoding);
      for (uint32_t at = 0; at <= text.size(); ++at) {
        uint32_t back = positions.offset(positions.position(at));
        EXPECT_LE(back, at);
        EXPECT_LT(at - back, 4u);
        EXPECT_EQ(positions.offset(positions.position(back)), back);
      }
    }
  }
}

TEST(Uri, ThereAndBack) {
  for (const char *path : {"/a/b.tsr", "/a b/\u00e9%20.tsr", "/x#y?z"}) EXPECT_EQ(pathOf(uriOf(path)), path);
  EXPECT_EQ(pathOf("file:///c%3A/a%20b"), "/c:/a b");
  EXPECT_EQ(pathOf("file://localhost/a"), "/a");
  EXPECT_EQ(pathOf("untitled:Untitled-1"), "untitled:Untitled-1");
  EXPECT_EQ(pathOf("file:///100%"), "/100%");
}

}  // namespace
}  // namespace tessera::lsp
