// The Target dialect: every op reads back what it prints, and every rule says what is wrong.
#include "ir/common/Common.h"
#include "ir/target/Target.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <fstream>
#include <set>
#include <sstream>

using namespace mlir;
namespace target = tessera::ir::target;

namespace {

struct Reader {
  Reader() {
    context.loadDialect<tessera::ir::TsrDialect, target::TargetDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &d) { messages += d.str() + "\n"; });
  }
  OwningOpRef<ModuleOp> read(const std::string &text) { return parseSourceString<ModuleOp>(text, &context); }
  MLIRContext context;
  std::string messages;
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::string everything() {
  std::ifstream file(std::string(TSR_SOURCE_DIR) + "/tests/ir/target/everything.mlir");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Target, PrintsWhatItReads) {
  Reader reader;
  auto module = reader.read(everything());
  ASSERT_TRUE(module) << reader.messages;
  std::string once = print(*module);
  auto again = reader.read(once);
  ASSERT_TRUE(again) << reader.messages << once;
  EXPECT_EQ(print(*again), once);
  EXPECT_NE(once.find("%acc = target.variable \"acc\""), std::string::npos) << once;
}

TEST(Target, EveryOpIsInTheRoundTrip) {
  Reader reader;
  auto module = reader.read(everything());
  ASSERT_TRUE(module) << reader.messages;
  std::set<std::string> seen;
  module->walk([&](Operation *op) { seen.insert(op->getName().getStringRef().str()); });
  for (RegisteredOperationName name : reader.context.getRegisteredOperations())
    if (name.getDialectNamespace() == "target") EXPECT_TRUE(seen.count(name.getStringRef().str())) << name.getStringRef().str();
}

struct Wrong {
  const char *body, *message;
};
const Wrong inKernel[] = {
    {R"(%a = target.literal 1 : index
        %b = target.binary "+" %a, %a : (index, index) -> index)",
     "is an expression with 2 uses; a value used more than once needs a variable"},
    {R"(%c = target.literal true
        %v = target.literal 1 : index
        target.if %c { %x = target.variable "x" "copy" (%v) : (index) -> index })",
     "is an expression used in another block than its own"},
    {R"(%x = target.variable "1x" "copy" () : index)", "name '1x' is no identifier"},
    {R"(%x = target.variable "x" "move" () : index)", "form 'move' is none of copy, direct, braces"},
    {R"(%v = target.literal 1.0 : f32
        %x = target.variable "x" "copy" (%v) : (f32) -> index)",
     "of 'index' is initialised with 'f32'"},
    {R"(%x = target.variable "x" "copy" () {is_const} : index)", "is constant but has no value"},
    {R"(%v = target.literal 1 : index
        %x = target.variable "x" "copy" (%v) {is_const} : (index) -> index
        %w = target.literal 2 : index
        target.assign %x, %w : !target.lvalue<index>, index)",
     "writes the constant 'x'"},
    {R"(%v = target.literal 1 : index
        %x = target.variable "x" "copy" (%v) {is_const} : (index) -> index
        %w = target.literal 2 : index
        target.compound_assign "+=" %x, %w : !target.lvalue<index>, index)",
     "writes the constant 'x'"},
    {R"(%source = target.variable "source" "copy" () : !target.pointer<f32, const>
        %q = target.read %source : !target.pointer<f32, const>
        %i = target.literal 0 : index
        %e = target.subscript %q[%i] : (!target.pointer<f32, const>, index) -> !target.lvalue<f32>
        %v = target.literal 1.0 : f32
        target.assign %e, %v : !target.lvalue<f32>, f32)",
     "which is only read"},
    {R"(%v = target.literal 1.0 : f32
        %x = target.variable "x" "copy" () : index
        target.compound_assign "+=" %x, %v : !target.lvalue<index>, f32)",
     "stores 'f32' into a place of 'index'"},
    {R"(%v = target.literal 1 : index
        %x = target.variable "x" "copy" () : index
        target.compound_assign "=" %x, %v : !target.lvalue<index>, index)",
     "'=' is no compound assignment"},
    {R"(%from = target.literal 0 : index
        %to = target.literal 8 : index
        %by = target.literal 1 : index
        target.for "i" %from to %to step %by : index attributes {parallel, reduction = "+ : sum", simd} { ^bb0(%i: index): })",
     "combines what the lanes of a vector have: it is simd and not parallel"},
    {R"(%from = target.literal 0 : index
        %to = target.literal 8 : index
        %by = target.literal 1 : index
        target.for "i" %from to %to step %by : index attributes {collapse = 2 : i64} { ^bb0(%i: index): })",
     "is not parallel: there is nothing to collapse"},
    {R"(%a = target.literal 1.0 : f32
        %b = target.literal 1 : index
        %c = target.binary "*" %a, %b : (f32, index) -> f32)",
     "one type expected"},
    {R"(%a = target.literal 1.0 : f32
        %b = target.literal 2.0 : f32
        %c = target.binary "%" %a, %b : (f32, f32) -> f32)",
     "'%' needs integers"},
    {R"(%a = target.literal 1.0 : f32
        %b = target.unary "!" %a : f32)",
     "'!' on 'f32'"},
    {R"(%a = target.literal 1.0 : f32
        %b = target.cast %a : (f32) -> bf16)",
     "is no conversion of the language; use tsr::to"},
    {R"(%i = target.literal 1.0 : f32
        %e = target.subscript %p[%i] : (!target.pointer<f32>, f32) -> !target.lvalue<f32>)",
     "index of type 'f32' is no integer"},
    {R"(%i = target.literal 1 : index
        %e = target.subscript %p[%i] : (!target.pointer<f32>, index) -> !target.lvalue<bf16>)",
     "gives 'bf16'"},
    {R"(target.while { } do { })", "needs target.condition at the end of its first region"},
    {R"(target.require "n" "==" "1" text "n == 1")", "expects parent op 'target.entry'"},
};

TEST(Target, RulesOfStatementsAndExpressions) {
  for (const Wrong &wrong : inKernel) {
    Reader reader;
    auto module = reader.read(std::string("target.kernel @k attributes {capacities = [], comment = [], group = 32 : i64, "
                                          "param_names = [\"p\"]} {\n^bb0(%p: !target.pointer<f32>):\n") +
                              wrong.body + "\n}");
    EXPECT_FALSE(module) << wrong.body;
    EXPECT_NE(reader.messages.find(wrong.message), std::string::npos) << wrong.body << "\n" << reader.messages;
  }
}

const Wrong inEntry[] = {
    {R"(target.require "n" "~" "1" text "")", "relation '~' is no comparison"},
    {R"(target.require "n +" "==" "1" text "")", "is no dimension expression"},
    {R"(target.temporary "x" : f32 ["n"])", "'x' is already a parameter"},
    {R"(target.launch @nothing group 32 arguments [])", "launches @nothing, which is no target.kernel"},
    {R"(target.launch @k group 32 arguments [])", "passes 0 arguments to a kernel of 1"},
    {R"(target.launch @k group 64 arguments [#target.argument<"tensor", "x">])", "has groups of 64, the kernel of 32"},
    {R"(target.launch @k group 32 arguments [#target.argument<"tensor", "z">])", "passes 'z', which is no tensor here"},
    {R"(target.launch @k group 32 arguments [#target.argument<"dim", "n">])", "are not both tensors or both numbers"},
    {R"(target.launch @k group 32 arguments [#target.argument<"tensor", "x">] {shared_bytes = array<i64: 4>})",
     "must give shared_bytes exactly when the kernel has dynamic_shared"},
    {R"(target.launch @k group 32 arguments [#target.argument<"tensor", "x">] {capacities = [#target.capacity<"n", [8]>]})",
     "chooses 1 capacities of 0"},
    {R"(target.launch @k group 32 arguments [#target.argument<"tensor", "x">] {capacities = [#target.capacity<"n", [8, 4]>]})",
     "capacity values must be positive and rising"},
    {R"(target.comment "x")", "does not belong in target.entry"},
};

TEST(Target, RulesOfEntryFunctions) {
  for (const Wrong &wrong : inEntry) {
    Reader reader;
    auto module = reader.read(
        std::string("target.kernel @k attributes {capacities = [], comment = [], group = 32 : i64, param_names = [\"p\"]} "
                    "{\n^bb0(%p: !target.pointer<f32>):\n}\n"
                    "target.entry @e attributes {doc = \"\", signature = \"\", returns = [\"x\"], parameters = "
                    "[#target.parameter<\"x\", f32, [\"n\"], \"inout\">]} {\n") +
        wrong.body + "\n}");
    EXPECT_FALSE(module) << wrong.body;
    EXPECT_NE(reader.messages.find(wrong.message), std::string::npos) << wrong.body << "\n" << reader.messages;
  }
}

}  // namespace
