// How far the checker reaches on mistakes that it was not made for: the programs of reach/ (README.md has their form).
// What is measured has floors, over all programs together: a message may be better than its floor asks, not worse.
#include "diag/Edits.h"
#include "tests/sema/Checking.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <optional>
#include <regex>
#include <set>

using namespace tessera;
namespace fs = std::filesystem;

namespace {
const fs::path known = TSR_SOURCE_DIR "/tests/corpus/reach", fresh = TSR_SOURCE_DIR "/tests/corpus/fresh";

/// A place of a program: what stands there wrongly, then what is meant, then what means the same.
using Mark = std::vector<std::string>;

struct Case {
  std::string name, family, words;
  std::vector<std::string> lines;  // whose text is a right place, too
  std::vector<std::string> plain;  // the text around the marks: one more than those
  std::vector<Mark> marks;

  /// The program with one of the spellings at each mark.
  std::string text(const std::vector<size_t> &choice) const {
    std::string out = plain[0];
    for (size_t i = 0; i < marks.size(); ++i) out += marks[i][std::min(choice[i], marks[i].size() - 1)] + plain[i + 1];
    return out;
  }
  std::string wrong() const { return text(std::vector<size_t>(marks.size(), 0)); }
  std::string right() const { return text(std::vector<size_t>(marks.size(), 1)); }
};

Mark spellings(const std::string &mark) {
  Mark found;
  for (size_t at = 0; at != std::string::npos;) {
    size_t end = mark.find("~~", at);
    found.push_back(mark.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 2;
  }
  return found;
}

void splitAtMarks(const std::string &text, Case &made) {
  size_t at = 0;
  for (size_t begin; (begin = text.find("{{", at)) != std::string::npos;) {
    size_t end = text.find("}}", begin);
    while (text.compare(end + 1, 2, "}}") == 0) ++end;  // a brace in front of the end belongs to the spelling
    made.plain.push_back(text.substr(at, begin - at));
    made.marks.push_back(spellings(text.substr(begin + 2, end - begin - 2)));
    at = end + 2;
  }
  made.plain.push_back(text.substr(at));
}

std::vector<Case> casesOf(const fs::path &file) {
  std::vector<Case> cases;
  std::istringstream lines(test::fileText(file.string()));
  std::string line, text;
  auto finish = [&] {
    if (cases.empty()) return;
    while (text.size() > 1 && text.substr(text.size() - 2) == "\n\n") text.pop_back();
    splitAtMarks(text, cases.back());
    text.clear();
  };
  while (std::getline(lines, line)) {
    if (line.rfind("=== ", 0) == 0) {
      finish();
      Case &made = cases.emplace_back();
      made.name = line.substr(4);
      made.family = made.name.substr(0, made.name.find(':'));
    } else if (line.rfind("words: ", 0) == 0) {
      cases.back().words = line.substr(7);
    } else if (line.rfind("line: ", 0) == 0) {
      cases.back().lines.push_back(line.substr(6));
    } else {
      text += line + "\n";
    }
  }
  finish();
  return cases;
}

std::vector<Case> allCases(const fs::path &folder) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (const fs::path &file : files)
    for (Case &one : casesOf(file)) cases.push_back(std::move(one));
  return cases;
}

/// Without the blanks that say nothing: of a line those behind the indentation, and empty lines.
std::string bare(const std::string &text) {
  std::istringstream lines(text);
  std::string line, out;
  while (std::getline(lines, line)) {
    size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    out += line.substr(0, begin);
    for (char c : line.substr(begin))
      if (c != ' ') out += c;
    out += '\n';
  }
  return out;
}

/// All texts in which at least one mark is spelt right and none otherwise than listed.
std::set<std::string> accepted(const Case &one) {
  constexpr size_t kMost = 256;
  std::set<std::string> texts;
  std::vector<size_t> choice(one.marks.size(), 0);
  for (size_t count = 0; count < kMost; ++count) {
    size_t i = 0;
    while (i < choice.size() && ++choice[i] == one.marks[i].size()) choice[i++] = 0;
    if (i == choice.size()) break;
    texts.insert(bare(one.text(choice)));
  }
  return texts;
}

/// The lines that hold a mark, counted from 1.
std::set<uint32_t> linesOf(const Case &one) {
  std::set<uint32_t> lines;
  uint32_t at = 1;
  auto breaks = [](const std::string &text) {
    return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
  };
  for (size_t i = 0; i < one.marks.size(); ++i) {
    at += breaks(one.plain[i]);
    const std::string &wrong = one.marks[i][0];
    for (uint32_t end = at + breaks(wrong), l = at; l <= end; ++l) lines.insert(l);
    at += breaks(wrong);
  }
  std::istringstream text(one.wrong());
  std::string shown;
  for (uint32_t l = 1; std::getline(text, shown); ++l)
    for (const std::string &symptom : one.lines)
      if (shown.find(symptom) != std::string::npos) lines.insert(l);
  return lines;
}

std::string sentencesOf(const diag::Diagnostic &d) {
  std::string all = d.message + "\n" + d.label + "\n";
  for (const diag::Note &note : d.notes) all += note.text + "\n";
  for (const diag::Fix &fix : d.fixes) all += fix.title + "\n";
  return all;
}

bool saysIt(const Case &one, const diag::Diagnostic &d) {
  std::string said = sentencesOf(d);
  if (!one.words.empty()) return std::regex_search(said, std::regex(one.words, std::regex::icase));
  const std::string &meant = one.marks[0][1];
  size_t begin = meant.find_first_not_of(" ,\n"), end = meant.find_last_not_of(" \n");
  return begin != std::string::npos && end > begin &&
         said.find(meant.substr(begin, end + 1 - begin)) != std::string::npos;
}

/// Whether a message offers an edit, or shows code to write instead: not only a rule, or what breaks it.
bool saysWhatToWrite(const diag::Diagnostic &d) {
  static const std::regex rule("^(the smallest sizes|counted from the last|the last dimension of the left|it happens with)");
  auto shows = [](const diag::Note &note) {
    return !note.span.valid() && note.text.find('`') != std::string::npos && !std::regex_search(note.text, rule);
  };
  return !d.fixes.empty() || std::any_of(d.notes.begin(), d.notes.end(), shows);
}

/// A text with all edits that its messages offer; nothing if they offer none.
std::optional<std::string> fixedOnce(const std::string &text, const test::Checking &checking) {
  std::vector<const diag::Fix *> fixes;
  for (const diag::Diagnostic &d : checking.diagnostics.all())
    if (const diag::Fix *fix = diag::fixOf(d, true); fix && fix->span.file == checking.main->file)
      fixes.push_back(fix);
  if (fixes.empty()) return std::nullopt;
  return diag::applyFixes(text, fixes).text;
}

/// What `tessera check --fix=all` makes of a text. `checking`: of that text.
std::string fixedAsAll(std::string text, const test::Checking &checking) {
  std::optional<std::string> fixed = fixedOnce(text, checking);
  for (int round = 1; fixed; ++round) {
    text = std::move(*fixed);
    if (round == 10) break;
    fixed = fixedOnce(text, test::Checking(text));
  }
  return text;
}

struct Counts {
  size_t cases = 0, said = 0, line = 0, one = 0, edit = 0, editOrWords = 0, mended = 0, wrongEdits = 0, codeless = 0;
};

struct Outcome {
  Counts counts;
  std::string shown;  // what is not as it should be
};

Outcome outcomeOf(const Case &one) {
  Outcome out;
  std::string wrong = one.wrong();
  test::Checking checking(wrong);
  const auto &all = checking.diagnostics.all();
  std::set<std::string> right = accepted(one);
  Counts &counts = out.counts;
  counts.cases = 1;
  counts.said = !all.empty();
  counts.one = all.size() == 1;
  std::set<uint32_t> lines = linesOf(one);
  const diag::Fix *fix = nullptr;
  if (!all.empty()) {
    const diag::Diagnostic &d = *checking.diagnostics.byCause().front();
    bool here = d.span.valid() && d.span.file == checking.main->file;
    counts.line = here && lines.count(checking.sources.file(d.span.file).lineColumn(d.span.begin).line) != 0;
    fix = d.fixes.empty() ? nullptr : &d.fixes.front();
    counts.edit =
        fix && fix->span.file == checking.main->file && right.count(bare(diag::applyFixes(wrong, {fix}).text)) != 0;
    auto mendsIt = [&](const diag::Fix &offered) {  // one of several that are shown beside one another
      return offered.span.file == checking.main->file &&
             right.count(bare(diag::applyFixes(wrong, {&offered}).text)) != 0;
    };
    counts.codeless = !saysWhatToWrite(d);
    counts.editOrWords = counts.edit || saysIt(one, d) || std::any_of(d.fixes.begin(), d.fixes.end(), mendsIt);
  }
  const std::string whole = fixedAsAll(wrong, checking), fixed = bare(whole);
  counts.mended = right.count(fixed);
  counts.wrongEdits = fixed != bare(wrong) && !counts.mended;
  auto lacks = [&](bool holds, const char *what) { out.shown += holds ? "" : std::string(" [") + what + "]"; };
  lacks(counts.said, "silent"), lacks(counts.line, "line"), lacks(counts.one, "one message"),
      lacks(counts.edit, "edit");
  lacks(counts.editOrWords, "words"), lacks(!counts.wrongEdits, "WRONG EDIT"), lacks(!counts.codeless, "no code");
  if (out.shown.empty()) return out;
  out.shown = "--- " + one.name + out.shown + "\n" + wrong + checking.messages();
  for (const diag::Diagnostic &d : all) {
    for (const diag::Note &note : d.notes) out.shown += "    note: " + note.text + "\n";
    for (const diag::Fix &offered : d.fixes)
      out.shown += "    offered: " + diag::editText(offered, checking.sources) + " (" + offered.title + ")\n";
  }
  if (counts.wrongEdits) out.shown += "  --fix=all made of it:\n" + whole;
  return out;
}

void add(Counts &sum, const Counts &more) {
  sum.cases += more.cases, sum.said += more.said, sum.line += more.line, sum.one += more.one;
  sum.edit += more.edit, sum.editOrWords += more.editOrWords, sum.mended += more.mended,
      sum.wrongEdits += more.wrongEdits, sum.codeless += more.codeless;
}

void show(const std::string &name, const Counts &counts) {
  std::printf("%-12s %5zu %6zu %6zu %6zu %6zu %6zu %6zu %6zu %6zu\n", name.c_str(), counts.cases, counts.said, counts.line,
              counts.one, counts.edit, counts.editOrWords, counts.mended, counts.wrongEdits, counts.codeless);
}
}  // namespace

namespace {
/// TESSERA_REACH=1 shows every program that gets less than all; TESSERA_REACH=family those of one family.
Counts measured(const fs::path &folder, std::string &wrongEdits) {
  const char *asked = std::getenv("TESSERA_REACH");
  std::map<std::string, Counts> families;
  Counts all;
  for (const Case &one : allCases(folder)) {
    Outcome outcome = outcomeOf(one);
    add(families[one.family], outcome.counts);
    add(all, outcome.counts);
    if (outcome.counts.wrongEdits) wrongEdits += outcome.shown;
    bool shown = asked && (asked == std::string("1") || one.name.find(asked) != std::string::npos);
    if (shown) std::cout << outcome.shown;
  }
  std::printf("%-12s %5s %6s %6s %6s %6s %6s %6s %6s %6s\n", "family", "cases", "said", "line", "one", "edit", "words",
              "mended", "wrong", "nocode");
  for (const auto &[name, counts] : families) show(name, counts);
  show("all", all);
  return all;
}
}  // namespace

TEST(Reach, RightProgramsGetNoMessage) {
  for (const fs::path &folder : {known, fresh})
    for (const Case &one : allCases(folder)) {
      if (one.marks.empty() || one.marks[0].size() < 2) ADD_FAILURE() << one.name << " marks no mistake";
      else EXPECT_EQ(test::Checking(one.right()).messages(), "") << one.name << "\n" << one.right();
    }
}

TEST(Reach, MessagesAndEditsAreAboveTheirFloors) {
  std::string wrongEdits;
  const Counts all = measured(known, wrongEdits);
  EXPECT_GE(all.cases, 251u);
  EXPECT_GE(all.line * 100, all.cases * 99);
  EXPECT_GE(all.one * 100, all.cases * 99);
  EXPECT_GE(all.edit * 100, all.cases * 80);
  EXPECT_GE(all.editOrWords * 100, all.cases * 95);
  EXPECT_LE(all.codeless, 2u);
  EXPECT_EQ(all.wrongEdits, 0u) << wrongEdits;
}

/// Programs of a folder of your own, TESSERA_REACH_FROM: the table alone, and what is wrong in their right spellings.
TEST(Reach, OfAFolderIsShown) {
  const char *folder = std::getenv("TESSERA_REACH_FROM");
  if (!folder) GTEST_SKIP() << "TESSERA_REACH_FROM names no folder";
  std::string wrongEdits;
  measured(folder, wrongEdits);
  for (const Case &one : allCases(folder))
    EXPECT_EQ(test::Checking(one.right()).messages(), "") << one.name << "\n" << one.right();
}

/// Programs that were written down before the checker saw them. Since then it was mended by what they show.
TEST(Reach, OfMistakesThatNobodyLookedAtIsAboveItsFloors) {
  std::string wrongEdits;
  const Counts all = measured(fresh, wrongEdits);
  EXPECT_GE(all.cases, 3419u);
  EXPECT_GE(all.said * 1000, all.cases * 990);
  EXPECT_GE(all.line * 1000, all.cases * 985);
  EXPECT_GE(all.one * 1000, all.cases * 987);
  EXPECT_GE(all.edit * 1000, all.cases * 920);
  EXPECT_GE(all.editOrWords * 1000, all.cases * 969);
  EXPECT_LE(all.codeless, 10u);
  EXPECT_EQ(all.wrongEdits, 0u) << wrongEdits;
}
