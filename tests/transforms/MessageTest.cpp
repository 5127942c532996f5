// A lowering that does not exist yet is one message with a code, at the program's text.
#include "diag/Diagnostic.h"
#include "driver/Pipeline.h"
#include "ir/common/Common.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "support/Machine.h"
#include "support/Sources.h"
#include <gtest/gtest.h>

namespace tessera {
namespace {

const char *kProgram = "@kernel\n"
                       "def rows[M, D](x: Tensor[M, D, f32]) -> Tensor[M, D, f32]:\n"
                       "    v = x[m:m + T.m, :]\n"
                       "    return tile.cumsum(v)\n";

const char *kModule = R"(
graph.kernel @rows(%x: !tsr.view<["M", "D"], f32>) attributes {dims = ["M", "D"], params = [#tsr.param<"x", inout>],
    outputs = [], grid = #tsr.grid<output, ["T.m", "D"], param = 0>, context = ["m"]} {
  %m = graph.query "origin" 0
  %c0 = graph.constant 0 : index
  %a = graph.load %x[%m size "T.m", %c0 size "D" in_bounds] : !tsr.view<["M", "D"], f32> to !tsr.tensor<["T.m", "D"], f32> loc("model.tsr":3:9)
  %s = graph.scan "sum" 1 %a : !tsr.tensor<["T.m", "D"], f32>
  graph.store %s, %x[%m size "T.m", %c0 size "D" in_bounds] : !tsr.tensor<["T.m", "D"], f32>, !tsr.view<["M", "D"], f32>
  graph.kernel_end
}
)";

TEST(LoweringMessages, anUnboundedTileAsksForAFact) {
  Sources sources;
  FileId file = sources.add("model.tsr", kProgram);
  diag::Engine diagnostics;
  auto context = driver::makeContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kModule, context.get());
  ASSERT_TRUE(module);
  ir::setMachine(*module, defaultMachine(Target::Cpu));
  driver::MessageForwarder forwarder(*context, sources, diagnostics);
  EXPECT_FALSE(driver::lowerOneLevel(*module, driver::Level::Schedule));
  ASSERT_EQ(diagnostics.all().size(), 1u);
  const diag::Diagnostic &message = diagnostics.all()[0];
  EXPECT_EQ(diag::row(message.id).code, "E0630");
  EXPECT_EQ(message.message, "I cannot compile this yet: a group holds this tile in registers and shared memory, so D, which varies "
                             "at run time, needs an upper bound; add a fact such as `where D <= 256`");
  EXPECT_EQ(message.span.file, file);
  EXPECT_EQ(sources.text(message.span), "x[m:m + T.m, :]");
}

}  // namespace
}  // namespace tessera
