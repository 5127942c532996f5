// The engine and the table of diagnostics.
#include "diag/Diagnostic.h"
#include "support/Check.h"
#include <gtest/gtest.h>
#include <regex>
#include <set>

namespace tessera::diag {
namespace {

TEST(Engine, CountsErrorsAndForgets) {
  Engine engine;
  EXPECT_FALSE(engine.hasErrors());
  engine.report(Id::syntaxError, {}, "a");
  size_t mark = engine.all().size();
  engine.report(Id::syntaxError, {}, "b");
  EXPECT_EQ(engine.errorCount(), 2u);
  engine.truncate(mark);
  EXPECT_EQ(engine.errorCount(), 1u);
  EXPECT_EQ(engine.all().back().message, "I did not expect a here");
}

TEST(Engine, CausesStandBeforeConsequences) {
  Engine engine;
  engine.report(Id::undefinedName, Span{0, 40, 41}, "late");
  engine.report(Id::undefinedName, Span{0, 4, 5}, "early");
  engine.report(Id::undefinedName, Span{1, 90, 91}, "in an imported file");
  engine.report(Id::syntaxError, Span{0, 60, 61}, "text");
  engine.report(Id::cannotReadFile, {}, "f", "gone");
  std::string order;
  for (const Diagnostic *d : engine.byCause()) order += d->message + "\n";
  EXPECT_EQ(order, "I cannot read `f`: gone\nI did not expect text here\nI know no name `in an imported file`\n"
                   "I know no name `early`\nI know no name `late`\n");
}

TEST(Engine, AMissingHoleIsAnInternalError) {
  Engine engine;
  EXPECT_THROW(engine.report(Id::syntaxError, {}), InternalError);
}

TEST(Table, CodesAndNamesAreUniqueAndWellFormed) {
  std::set<std::string_view> codes, names;
  for (const Row &r : rows()) {
    EXPECT_TRUE(std::regex_match(std::string(r.code), std::regex("E0[1-9][0-9]{2}"))) << r.code;
    EXPECT_TRUE(codes.insert(r.code).second) << r.code;
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_EQ(rowByCode(r.code), &r);
    EXPECT_EQ(&row(r.id), &r);
  }
  EXPECT_EQ(rowByCode("E9999"), nullptr);
}

TEST(DidYouMean, FindsNearNamesOnly) {
  std::vector<std::string_view> names = {"softmax", "sum", "maximum"};
  EXPECT_EQ(didYouMean("sofmax", names), "softmax");
  EXPECT_EQ(didYouMean("smu", names), "sum");  // two letters in the wrong order are one slip
  EXPECT_EQ(didYouMean("smx", names), "");
  EXPECT_EQ(didYouMean("max", names), "");
  EXPECT_EQ(didYouMean("y", {"x", "z"}), "");
  EXPECT_EQ(didYouMean("d", {"b", "D"}), "D");  // one letter is near itself in the other case
}

}  // namespace
}  // namespace tessera::diag
