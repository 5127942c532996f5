// Edits applied to texts, described, and shown as diffs.
#include "diag/Edits.h"
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace tessera::diag {
namespace {

Fix edit(uint32_t begin, uint32_t end, std::string text) { return {Span{0, begin, end}, std::move(text), "", Applicability::Certain}; }

TEST(Edits, ThoseThatTouchWait) {
  Fix colon = edit(3, 3, ":"), comma = edit(3, 3, ","), word = edit(0, 2, "XY"), over = edit(1, 3, "!"), far = edit(5, 6, "");
  Edited edited = applyFixes("abcdef", {&far, &comma, &word, &over, &colon});
  EXPECT_EQ(edited.text, "XYc,de");
  ASSERT_EQ(edited.applied.size(), 3u);
  EXPECT_EQ(edited.applied[0], &word);
  EXPECT_EQ(applyFixes("abc", {&far}).text, "abc") << "outside of the text";
}

TEST(Edits, SayWhatTheyDo) {
  Sources sources;
  sources.add("a.tsr", "if n\n  pass\n");
  EXPECT_EQ(editText(edit(4, 4, ":"), sources), "insert `:`");
  EXPECT_EQ(editText(edit(3, 4, ""), sources), "delete `n`");
  EXPECT_EQ(editText(edit(4, 5, ":\n"), sources), "replace `\\n` by `:\\n`");
}

TEST(Edits, CertainOnesComeBeforeSuggestions) {
  Engine engine;
  engine.report(Id::undefinedName, Span{0, 0, 1}, "a").suggest(Span{0, 0, 1}, "b", "").fix(Span{0, 0, 1}, "c", "");
  engine.report(Id::undefinedName, Span{0, 0, 1}, "a").suggest(Span{0, 0, 1}, "b", "");
  EXPECT_EQ(fixOf(engine.all()[0], false)->replacement, "c");
  EXPECT_EQ(fixOf(engine.all()[0], true)->replacement, "b");
  EXPECT_EQ(fixOf(engine.all()[1], false), nullptr);
}

TEST(Diff, ShowsHunksWithContext) {
  EXPECT_EQ(unifiedDiff("f", "a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(unifiedDiff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten"),
            "--- f\n+++ f\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+ten\n\\ No newline at end of file\n");
  EXPECT_EQ(unifiedDiff("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
}

/// What `patch` does with a diff, for diffs without the mark of a missing line break.
std::string patched(const std::string &before, const std::string &diff) {
  std::vector<std::string> lines, out;
  std::istringstream in(before), hunks(diff);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  size_t done = 0;
  for (std::string line; std::getline(hunks, line);) {
    if (line.rfind("---", 0) == 0 || line.rfind("+++", 0) == 0) continue;
    if (line[0] == '@') {
      size_t start = std::stoul(line.substr(4)), comma = line.find(',');
      bool none = comma < line.find(' ', 4) && line.substr(comma + 1, 2) == "0 ";
      for (size_t first = none ? start : start - 1; done < first;) out.push_back(lines[done++]);
      continue;
    }
    if (line[0] == '+') out.push_back(line.substr(1));
    else EXPECT_EQ(line.substr(1), lines.at(done++));
    if (line[0] == ' ') out.push_back(line.substr(1));
  }
  while (done < lines.size()) out.push_back(lines[done++]);
  std::string text;
  for (const std::string &line : out) text += line + "\n";
  return text;
}

TEST(Diff, LeadsFromOneTextToTheOther) {
  std::mt19937 random(7);
  auto randomText = [&](size_t lines) {
    std::string text;
    for (size_t i = 0; i < lines; ++i) text += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    return text;
  };
  for (int i = 0; i < 300; ++i) {
    std::string before = randomText(random() % 30), after = i % 2 ? randomText(random() % 30) : before;
    if (i % 2 == 0 && !after.empty()) after.insert(random() % (after.size() / 2) * 2, "new\n");
    if (before != after) EXPECT_EQ(patched(before, unifiedDiff("f", before, after)), after) << before << "----\n" << after;
  }
}

}  // namespace
}  // namespace tessera::diag
