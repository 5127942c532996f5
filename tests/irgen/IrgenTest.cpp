// What loops and branches carry, what is named, and what cannot be said.
#include "Programs.h"
#include "checked/ExprBuild.h"
#include "ir/common/Names.h"
#include "irgen/Irgen.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::irgen::test {
namespace {
using testing::HasSubstr;
using testing::Not;

struct Result {
  std::string text;
  std::vector<std::string> messages;
};

Result generateText(Builder &builder) {
  Program program;
  program.functions.push_back(std::move(builder.function));
  Sources sources;
  mlir::MLIRContext context;
  diag::Engine engine;
  auto module = generate(program, sources, context, engine);
  Result result;
  llvm::raw_string_ostream stream(result.text);
  module->print(stream);
  for (const auto &diagnostic : engine.all()) result.messages.push_back(diagnostic.message);
  return result;
}

const Type kF32 = scalar(DType::F32);

StmtPtr loop(Var *counter, ExprPtr stop, Block body) {
  auto made = stmt(StmtKind::For);
  made->var = counter;
  made->stop = std::move(stop);
  made->body = std::move(body);
  return made;
}
StmtPtr branch(ExprPtr condition, Block body, Block otherwise = {}) {
  auto made = stmt(StmtKind::If);
  made->condition = std::move(condition);
  made->body = std::move(body);
  made->otherwise = std::move(otherwise);
  return made;
}

TEST(Irgen, ForCarriesWhatItRebindsAndNothingElse) {
  Builder f(FunctionKind::Kernel);
  f.function->dims = {"N"};
  Var *x = f.param("x", array(TypeKind::View, DType::F32, {"N"})), *y = f.param("y", x->type, ParamMode::Out);
  Var *sum = f.var("sum", kF32), *item = f.var("item", kF32), *i = f.var("i", indexType());
  auto extent = expr(ExprKind::DimValue, indexType());
  extent->as<node::DimValue>().dim = Dim::var("N");
  f.function->body = block(
      bind(StmtKind::Let, sum, number(kF32, 0.0)),
      loop(i, std::move(extent),
           block(bind(StmtKind::Let, item, load(x, kF32, point(read(i)))),
                 bind(StmtKind::Assign, sum, op(ElementwiseOp::Add, read(sum), read(item))))),
      store(y, point(index(0)), read(sum)));
  auto result = generateText(f);
  EXPECT_TRUE(result.messages.empty());
  EXPECT_THAT(result.text, HasSubstr("iter_args(%arg1 = %sum) -> (f32) {"));
  EXPECT_THAT(result.text, HasSubstr("%item = graph.load %x[%arg0] : !tsr.view<[\"N\"], f32> to f32"));
  EXPECT_THAT(result.text, HasSubstr("scf.yield %sum_0 : f32"));
  EXPECT_THAT(result.text, HasSubstr("graph.kernel_end"));
}

TEST(Irgen, ValuesAreNamedAsTheUserNamesThem) {
  Builder f(FunctionKind::Host, "main");
  Var *count = f.var("count", indexType()), *i = f.var("i", indexType());
  f.function->body =
      block(bind(StmtKind::Let, count, index(0)),
            loop(i, index(4), block(bind(StmtKind::Assign, count, op(ElementwiseOp::Add, read(count), read(i))))));
  Program program;
  program.functions.push_back(std::move(f.function));
  Sources sources;
  mlir::MLIRContext context;
  diag::Engine engine;
  auto module = generate(program, sources, context, engine);
  int loops = 0;
  module->walk([&](mlir::scf::ForOp loop) {
    ++loops;
    EXPECT_EQ(ir::nameHint(loop.getInductionVar()), "i");
    EXPECT_EQ(ir::nameHint(loop.getRegionIterArgs()[0]), "count");
    EXPECT_EQ(ir::nameHint(loop.getResult(0)), "count");
    EXPECT_EQ(ir::nameHint(loop.getInitArgs()[0]), "count");
    EXPECT_EQ(ir::nameHint(loop.getYieldedValues()[0]), "count");
  });
  EXPECT_EQ(loops, 1);
}

TEST(Irgen, WhileTestsItsConditionOnWhatItCarries) {
  Builder f(FunctionKind::Host, "main");
  Var *stride = f.var("stride", indexType());
  auto loop = stmt(StmtKind::While);
  loop->condition = op(ElementwiseOp::Gt, read(stride), index(0));
  loop->body = block(bind(StmtKind::Assign, stride, op(ElementwiseOp::FloorDiv, read(stride), index(2))));
  f.function->body = block(bind(StmtKind::Let, stride, index(64)), std::move(loop));
  auto text = generateText(f).text;
  EXPECT_THAT(text, HasSubstr("scf.while (%arg0 = %stride) : (index) -> index {"));
  EXPECT_THAT(text, HasSubstr("graph.elementwise \"gt\" %arg0,"));
  EXPECT_THAT(text, HasSubstr("scf.condition("));
  EXPECT_THAT(text, HasSubstr("graph.elementwise \"floordiv\" %arg0,"));
}

TEST(Irgen, IfYieldsWhatBothBranchesBindFirst) {
  Builder f(FunctionKind::Host, "main");
  Var *flag = f.param("flag", scalar(DType::Bool)), *a = f.var("a", kF32), *b = f.var("b", kF32);
  Var *after = f.var("after", kF32);
  f.function->body = block(branch(read(flag),
                                  block(bind(StmtKind::Let, a, number(kF32, 1.0)), bind(StmtKind::Let, b, read(a))),
                                  block(bind(StmtKind::Let, a, number(kF32, 2.0)))),
                           bind(StmtKind::Let, after, op(ElementwiseOp::Add, read(a), read(a))));
  auto text = generateText(f).text;
  EXPECT_THAT(text, HasSubstr("%0 = scf.if %flag -> (f32)"));
  EXPECT_THAT(text, HasSubstr("tsr.names = [\"a\"]"));
  EXPECT_THAT(text, HasSubstr("%after = graph.elementwise \"add\" %0, %0 : f32"));
}

TEST(Irgen, ABranchThatRebindsYieldsTheOldValueElsewhere) {
  Builder f(FunctionKind::Host, "main");
  Var *flag = f.param("flag", scalar(DType::Bool)), *a = f.var("a", kF32);
  f.function->body = block(bind(StmtKind::Let, a, number(kF32, 1.0)),
                           branch(read(flag), block(bind(StmtKind::Assign, a, number(kF32, 2.0)))));
  auto text = generateText(f).text;
  EXPECT_THAT(text, HasSubstr("} else {\n      scf.yield %a : f32"));
}

TEST(Irgen, ShapesThatAreEqualByProofAreReshaped) {
  Builder f(FunctionKind::Tensor);
  f.function->dims = {"D", "H"};
  Var *x = f.param("x", array(TypeKind::Tensor, DType::F32, {"D"}));
  Var *y = f.param("y", array(TypeKind::Tensor, DType::F32, {"(D // H)*H"}));
  f.function->results.push_back({"result", x->type, -1});
  auto sum = op(ElementwiseOp::Add, read(x), read(y));
  auto done = stmt(StmtKind::Return);
  done->values.push_back(std::move(sum));
  f.function->body = block(std::move(done));
  auto text = generateText(f).text;
  EXPECT_THAT(text, HasSubstr("graph.reshape %y : <[\"(D // H)*H\"], f32> to <[\"D\"], f32>")) << text;
}

TEST(Irgen, ScalarsAreFilledWhereAnArrayIsWanted) {
  Builder f(FunctionKind::Tensor);
  Var *x = f.param("x", kF32);
  f.function->results.push_back({"result", array(TypeKind::Tensor, DType::F32, {}), -1});
  auto done = stmt(StmtKind::Return);
  done->values.push_back(read(x));
  f.function->body = block(std::move(done));
  EXPECT_THAT(generateText(f).text, HasSubstr("graph.full %x : f32 to <[], f32>"));
}

TEST(Irgen, ContinueSkipsTheRestOfTheIteration) {
  Builder f(FunctionKind::Host, "main");
  Var *count = f.var("count", indexType()), *i = f.var("i", indexType());
  f.function->body = block(
      bind(StmtKind::Let, count, index(0)),
      loop(i, index(4),
           block(branch(op(ElementwiseOp::Eq, read(i), index(2)), block(stmt(StmtKind::Continue))),
                 bind(StmtKind::Assign, count, op(ElementwiseOp::Add, read(count), read(i))))));
  auto text = generateText(f).text;
  EXPECT_THAT(text, HasSubstr("%live = graph.constant true"));
  EXPECT_THAT(text, HasSubstr("} {tsr.names = [\"live\"]}"));
  EXPECT_THAT(text, HasSubstr("= scf.if %6 -> (index) {\n        %count_")) << text;
}

TEST(Irgen, BreakEndsTheLoop) {
  Builder f(FunctionKind::Host, "main");
  Var *count = f.var("count", indexType()), *i = f.var("i", indexType());
  f.function->body = block(
      bind(StmtKind::Let, count, index(0)),
      loop(i, index(4),
           block(branch(op(ElementwiseOp::Eq, read(i), index(2)), block(stmt(StmtKind::Break))),
                 bind(StmtKind::Assign, count, op(ElementwiseOp::Add, read(count), read(i))))));
  auto text = generateText(f).text;
  // The counter, the count and the flag are carried; the counter is compared only while the loop runs.
  EXPECT_THAT(text, HasSubstr(": (index, index, i1) -> (index, index, i1) {")) << text;
  EXPECT_THAT(text, HasSubstr("graph.elementwise \"lt\""));
  EXPECT_THAT(text, HasSubstr("%running_1 = graph.constant false"));
  EXPECT_THAT(text, HasSubstr("tsr.names = [\"running\", \"live\"]"));
}

TEST(Irgen, BreakLeavesTheInnerLoopOnly) {
  Builder f(FunctionKind::Host, "main");
  Var *i = f.var("i", indexType()), *flag = f.param("flag", scalar(DType::Bool));
  auto inner = stmt(StmtKind::While);
  inner->condition = read(flag);
  inner->body = block(branch(read(flag), block(stmt(StmtKind::Break))));
  f.function->body = block(loop(i, index(4), block(std::move(inner))));
  auto text = generateText(f).text;
  EXPECT_THAT(text, HasSubstr("scf.for")) << text;
  EXPECT_THAT(text, HasSubstr("scf.while (%arg1 = %running) : (i1) -> i1 {"));
}

// ---------------------------------------------------------------- what cannot be said

TEST(Irgen, ReturnInsideABranchIsReported) {
  Builder f(FunctionKind::Host, "main");
  Var *flag = f.param("flag", scalar(DType::Bool));
  f.function->body = block(branch(read(flag), block(stmt(StmtKind::Return))));
  auto result = generateText(f);
  EXPECT_THAT(result.messages, testing::ElementsAre("I cannot compile a `return` in a loop that runs, or under a condition in a kernel, yet"));
  EXPECT_THAT(result.text, Not(HasSubstr("@main")));
}

TEST(Irgen, DenormalsAreFlushedBehindTheirCast) {
  Builder f(FunctionKind::Host, "main");
  Var *x = f.param("x", scalar(DType::F64)), *y = f.var("y", kF32);
  Numerics flushes;
  flushes.denormals = Denormals::Flush;
  f.function->body = block(bind(StmtKind::Let, y, makeCast(read(x), DType::F32, flushes)));
  auto result = generateText(f);
  EXPECT_THAT(result.messages, testing::IsEmpty());
  EXPECT_THAT(result.text, testing::ContainsRegex("graph.cast %x : f64 to f32(.|\n)*\"lt\"(.|\n)*\"mul\"(.|\n)*\"select\"")) << result.text;
}

TEST(Irgen, AssertOutsideHostCodeIsAnInternalError) {
  Builder f(FunctionKind::Kernel);
  Var *flag = f.param("flag", scalar(DType::Bool));
  auto check = stmt(StmtKind::Assert);
  check->condition = read(flag);
  f.function->body = block(std::move(check));
  EXPECT_THROW(generateText(f), InternalError);  // the checker refuses it
}

TEST(Irgen, WhatIsWrongInTheProgramIsAnInternalError) {
  Builder f(FunctionKind::Host, "main");
  f.function->body = block(bind(StmtKind::Let, f.var("x", kF32), op(ElementwiseOp::Shl, number(kF32, 1), number(kF32, 2))));
  EXPECT_THROW(generateText(f), InternalError);
}

}  // namespace
}  // namespace tessera::irgen::test
