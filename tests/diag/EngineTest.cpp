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
}

}  // namespace
}  // namespace tessera::diag
