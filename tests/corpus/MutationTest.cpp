// Right programs in which one word is deleted, doubled, exchanged or misspelt: one mistake, so one message, in the user's
// own text. The words are chosen by a generator with a fixed seed.
#include "tests/sema/Checking.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

using namespace tessera;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> rightPrograms() {
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(TSR_SOURCE_DIR "/tests/corpus/right"))
    if (entry.path().extension() == ".tsr" && entry.path().filename().string()[0] != '_')
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path &file : files) texts.push_back(test::fileText(file.string()));
  return texts;
}

/// Words, marks, line ends, and blanks in a row.
std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    size_t from = i++;
    auto same = [&](auto isOne) {
      while (isOne(text[from]) && i < text.size() && isOne(text[i])) ++i;
    };
    same([](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    same([](char c) { return c == ' '; });
    words.push_back(text.substr(from, i - from));
  }
  return words;
}

class Mutations {
public:
  explicit Mutations(uint32_t seed) : random_(seed) {}

  std::string of(const std::string &text, const std::string &other) {
    std::vector<std::string> words = wordsOf(text), others = wordsOf(other);
    size_t at = below(words.size());
    while (words[at][0] == ' ' || words[at][0] == '\n') at = below(words.size());
    switch (below(4)) {
    case 0: words[at].clear(); break;
    case 1: words[at] += words[at]; break;
    case 2: words[at] = others[below(others.size())]; break;
    default:
      if (words[at].size() > 2) std::swap(words[at][0], words[at][1]);
      else words[at].clear();
    }
    std::string out;
    for (const std::string &word : words) out += word;
    return out;
  }
  size_t below(size_t end) { return random_() % end; }

private:
  std::mt19937 random_;
};

}  // namespace

TEST(Mutations, OneMistakeGivesOneMessage) {
  std::vector<std::string> programs = rightPrograms();
  Mutations mutations(20);
  size_t wrong = 0, several = 0;
  std::string shown;
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round)
    for (const std::string &program : programs) {
      std::string text = mutations.of(program, programs[mutations.below(programs.size())]);
      test::Checking checking(text);
      size_t messages = checking.diagnostics.all().size();
      wrong += messages > 0;
      several += messages > 1;
      EXPECT_LE(messages, 8u) << text << "\n" << checking.messages();
      for (const diag::Diagnostic &d : checking.diagnostics.all())
        if (d.span.valid())
          EXPECT_EQ(d.span.file, checking.main->file) << text << "\n" << checking.messages();
      if (messages > 1) shown += "---\n" + text + checking.messages();
    }
  EXPECT_GT(wrong, programs.size() * rounds / 2);
  EXPECT_LT(several * 100, wrong * 3) << several << " of " << wrong << "\n" << shown;
}
