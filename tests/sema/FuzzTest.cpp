// Programs with small mistakes: tokens of right and wrong programs are deleted, doubled, exchanged and replaced.
// Whatever comes of it, the checker ends; it says an error, or what it made has no holes.
// TSR_FUZZ_ROUNDS and TSR_FUZZ_SEED make a long run of it; TSR_FUZZ_LAST names a file for the program being checked.
#include "checked/ExprBuild.h"
#include "tests/sema/Checking.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

using namespace tessera;
namespace fs = std::filesystem;

namespace {
using Words = std::vector<std::string>;

bool isWord(unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c >= 128; }

/// Words, strings, line ends with their indentation, blanks, and single characters.
Words split(const std::string &text) {
  Words words;
  for (size_t i = 0, end; i < text.size(); i = end) {
    end = i + 1;
    if (isWord(text[i]))
      while (end < text.size() && isWord(text[end])) ++end;
    else if (text[i] == '"') {
      while (end < text.size() && text[end] != '"' && text[end] != '\n') ++end;
      end = std::min(end + 1, text.size());
    } else if (text[i] == '\n' || text[i] == ' ') {
      while (end < text.size() && text[end] == ' ') ++end;
    } else if (text[i] == '#') {
      while (end < text.size() && text[end] != '\n') ++end;
    }
    words.push_back(text.substr(i, end - i));
  }
  return words;
}

const char host[] =
    "def scale[N](x: Tensor[N, f32], a: f32 = 2.0, *, n: Int = 1) -> Tensor[N, f32]:\n"
    "    return x * a\n\n"
    "def both[N](x: Tensor[N, f32]):\n"
    "    return x, x + 1\n\n"
    "@kernel(grid=(4,), group=32)\n"
    "def fill[N](x: Tensor[N, f32]):\n"
    "    x[tile.linear_id()] = 1.0\n\n"
    "def show(text, count=1):\n"
    "    for i in range(count):\n"
    "        print(text, i)\n\n"
    "def main():\n"
    "    data = load_npy(\"x.npy\")\n"
    "    acc, best, name = 0.0, -1, \"best\"\n"
    "    assert len(data) > 0, \"no data\"\n"
    "    for step, row in enumerate(data):\n"
    "        y = scale(row, a=0.5)\n"
    "        a, b = both(y)\n"
    "        if row[0] > acc and not step == 3:\n"
    "            best = step\n"
    "        elif step > 2:\n"
    "            continue\n"
    "        else:\n"
    "            acc += float(row[0]) ** 2\n"
    "        print(f\"{step}: {acc:.3f} {name!r}\", str(best))\n"
    "    while acc < 10:\n"
    "        acc = acc * 2 if acc > 0 else 1\n"
    "    show(name, count=len(data))\n"
    "    save_npy(\"y\" + str(best) + \".npy\", scale(data[best]))\n";

std::vector<Words> programs() {
  std::vector<fs::path> files;
  for (const char *folder : {"tests/canon", "tests/sema/errors", "tests/irgen/programs", "tests/e2e/programs"})
    for (const auto &entry : fs::directory_iterator(fs::path(TSR_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".tsr") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Words> all;
  for (const fs::path &file : files) {
    bool right = file.parent_path().filename() != "errors";  // more is checked of these
    all.insert(all.end(), right ? 4 : 1, split(test::fileText(file.string())));
  }
  all.insert(all.end(), 12, split(host));
  return all;
}

/// Every expression of a checked program has all its arguments.
bool hasHoles(const checked::Program &program) {
  bool holes = false;
  for (const auto &function : program.functions)
    checked::visitExprs(function->body, [&](checked::Expr &e) {
      for (const auto &arg : e.args) holes |= !arg;
    });
  return holes;
}

const char *const spice[] = {"None", "True",   "-1",   "0",     "1.5",  "\"text\"", "x",   "x.shape", "(1, 2)", "[]",
                             "f32",  "bf16",   "N",    "lambda v: v", "tile.origin()", "main", "load_npy(\"x.npy\")",
                             "x[0]", "dict()", "...",  "print(1)", "assert x > 0, \"no\"", "f\"{x}\"", "not", "in",
                             "range(3)", "enumerate(x)", "sum", "tile", "ts", "Tensor[N, f32]", "for i in range(2):",
                             "if x:", "while x:", "return", "x += 1", "x = 1", "*", "**", "@", "//", "is", "and"};

std::string mutate(const std::vector<Words> &all, std::mt19937 &random) {
  Words words = all[random() % all.size()];
  auto any = [&](const Words &of) -> const std::string & { return of[random() % of.size()]; };
  for (size_t n = 1 + random() % 3; n-- > 0 && !words.empty();) {
    size_t at = random() % words.size();
    switch (random() % 6) {
    case 0: words.erase(words.begin() + at); break;
    case 1: words.insert(words.begin() + at, words[at]); break;
    case 2: std::swap(words[at], words[random() % words.size()]); break;
    case 3: words[at] = any(words); break;
    case 4: words[at] = any(all[random() % all.size()]); break;
    case 5: words[at] = spice[random() % std::size(spice)]; break;
    }
  }
  std::string text;
  for (const std::string &word : words) text += word;
  return text;
}

uint32_t numberOf(const char *variable, uint32_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}
}  // namespace

TEST(Fuzz, SmallMistakesAreMistakesOfTheProgram) {
  std::vector<Words> all = programs();
  ASSERT_GT(all.size(), 60u);
  uint32_t seed = numberOf("TSR_FUZZ_SEED", 1), rounds = numberOf("TSR_FUZZ_ROUNDS", 500);
  const char *last = std::getenv("TSR_FUZZ_LAST");
  std::mt19937 random(seed);
  for (uint32_t round = 0; round < rounds && !HasFailure(); ++round) {
    std::string text = mutate(all, random);
    if (last) std::ofstream(last) << text;
    try {
      test::Checking checked(text, {{"around", "from .around import f\n"}, {"blocks", "def mlp(x):\n    return x\n"}});
      checked.dump();
      EXPECT_FALSE(hasHoles(*checked.program)) << text;
    } catch (const std::exception &error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
}
