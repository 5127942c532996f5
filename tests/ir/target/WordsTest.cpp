#include "ir/target/Words.h"
#include <gtest/gtest.h>

using namespace tessera::ir::target;

TEST(Words, VariablesGiveWayToKeywordsAndMacros) {
  EXPECT_EQ(variableName("while"), "while_");
  EXPECT_EQ(variableName("M_PI"), "M_PI_");
  EXPECT_EQ(variableName("errno"), "errno_");
  EXPECT_EQ(variableName("INT32_MAX"), "INT32_MAX_");
  EXPECT_EQ(variableName("threadIdx"), "threadIdx_");
  EXPECT_EQ(variableName("Threads"), "Threads_");
  EXPECT_EQ(variableName("M"), "M");
  EXPECT_EQ(variableName("EMBED"), "EMBED");
  EXPECT_EQ(variableName("exp"), "exp");  // hides a function, which emitted text calls in another way
}

TEST(Words, NamesOfTheImplementationAreRewritten) {
  EXPECT_EQ(variableName("__x"), "x_");
  EXPECT_EQ(variableName("_Tile"), "Tile_");
  EXPECT_EQ(variableName("_x"), "_x");
}

TEST(Words, FunctionsGiveWayToTheCLibrary) {
  EXPECT_EQ(functionName("div"), "div_");
  EXPECT_EQ(functionName("expf"), "expf_");
  EXPECT_EQ(functionName("va_list"), "va_list_");
  EXPECT_EQ(functionName("pid_t"), "pid_t_");
  EXPECT_EQ(functionName("isless"), "isless_");  // a macro of C
  EXPECT_EQ(functionName("omp_get_thread_num"), "omp_get_thread_num_fn");
  EXPECT_EQ(functionName("namespace"), "namespace_");
  EXPECT_EQ(functionName("softmax"), "softmax");
  EXPECT_EQ(functionName("sigmoid"), "sigmoid");
}
