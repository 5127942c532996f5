#include "support/Check.h"
#include "gtest/gtest.h"

using namespace tessera;

TEST(Check, AnInternalErrorNamesItsPlaceInTheRepositoryAlone) {
  try {
    internalError("/sources/tessera/src/codegen/Includes.cpp", 76, "no header");
  } catch (const InternalError &error) {
    EXPECT_STREQ(error.what(), "src/codegen/Includes.cpp:76: no header");
  }
  EXPECT_THROW(TSR_CHECK(1 == 2, "numbers"), InternalError);
  EXPECT_NO_THROW(TSR_CHECK(true, ""));
}
