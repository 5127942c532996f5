// The table of predictions that a process begins with: of this grammar, what the programs here ask for, and no other answers
// than ANTLR gives. TESSERA_UPDATE_GOLDENS=1 writes it anew.
#include "Parsed.h"
#include "frontend/GrammarParser.h"
#include "frontend/Layout.h"
#include "frontend/Prediction.h"
#include <algorithm>
#include <filesystem>

using namespace tessera;

namespace {
const std::string table = TSR_SOURCE_DIR "/src/frontend/PredictionTable.inc";

/// All programs of the canon, the library and the examples, in one text.
std::string programs() {
  std::vector<std::string> files;
  for (const char *folder : {"/tests/canon", "/stdlib", "/examples"})
    for (auto &entry : std::filesystem::recursive_directory_iterator(std::string(TSR_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".tsr") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string text;
  for (const std::string &file : files) text += test::readFile(file) + "\n";
  return text;
}

struct Reading {
  ast::Module module;
  std::string predictions;  // that the parser knows behind it
};
Reading readWith(const std::string &text, bool begins) {
  Sources sources;
  FileId file = sources.add("all.tsr", text);
  diag::Engine diagnostics;
  Reading reading;
  frontend::LaidOut out = frontend::layout(sources.file(file), file, diagnostics);
  frontend::GrammarParser parser(sources, file, diagnostics, begins);
  for (size_t i = 0; i < out.units.size(); ++i) {
    auto at = [&](size_t index) { return out.tokens.begin() + static_cast<ptrdiff_t>(index); };
    frontend::Tokens unit(at(out.units[i]), i + 1 < out.units.size() ? at(out.units[i + 1]) : out.tokens.end());
    unit.push_back({frontend::kEndOfFile, unit.back().end, unit.back().end});
    frontend::Failure failure;
    EXPECT_TRUE(parser.statements(unit, reading.module.body, failure));
  }
  EXPECT_EQ(diagnostics.all().size(), 0u);
  reading.predictions = parser.predictions();
  return reading;
}
size_t numbersIn(const std::string &text) { return static_cast<size_t>(std::count(text.begin(), text.end(), ',')); }
}  // namespace

TEST(Prediction, TheTableIsOfThisGrammarAndKnowsItsPrograms) {
  const std::string text = programs();
  if (getenv("TESSERA_UPDATE_GOLDENS")) {
    std::ofstream(table, std::ios::binary) << readWith(text, false).predictions;
    GTEST_SKIP() << "written anew; build again";
  }
  ASSERT_TRUE(frontend::Prediction::tableFits()) << "the grammar is another: TESSERA_UPDATE_GOLDENS=1 writes the table anew";
  const size_t known = numbersIn(test::readFile(table)), asked = numbersIn(readWith(text, true).predictions);
  EXPECT_LE(asked * 100, known * 110) << "a tenth is not in it: TESSERA_UPDATE_GOLDENS=1 writes it anew";
}

TEST(Prediction, TheTableGivesTheAnswersOfTheGrammar) {
  const std::string text = programs();
  Reading with = readWith(text, true), without = readWith(text, false);
  EXPECT_GT(with.module.body.size(), 400u);
  EXPECT_TRUE(ast::equal(with.module, without.module));
}
