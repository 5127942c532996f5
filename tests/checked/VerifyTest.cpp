// The verifier finds nothing in what the checker made, and finds each thing that is then broken in it.
#include "checked/Verify.h"
#include "checked/ExprBuild.h"
#include "tests/sema/Checking.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::checked;
using test::Checking;
using testing::HasSubstr;

namespace {

constexpr const char *kTensor = "def f[M, N](x: Tensor[M, N, f32], w: Tensor[N, M, f32]) -> Tensor[M, f32]:\n"
                                "    y = (x @ w).sum(axis=1)\n"
                                "    for i in range(3):\n        y = y * 2.0 + 1.0\n"
                                "    return y + transpose(w)[:, 0] + concat(x, x, axis=1)[:, 1]\n";
constexpr const char *kPlaces = "def f[M, N, K](x: Tensor[M, N, f32], i: Tensor[K, i64]) -> Tensor[K, N, f32]:\n"
                                "    order = argsort(x[0, :])\n"
                                "    y = index_add(zeros((M, N), f32), i, take(x, i))\n"
                                "    return take(y, i) + cast(order, f32)[None, :]\n";
constexpr const char *kKernel =
    "from tessera import kernel, tile\n"
    "@kernel(grid=((N + 127) // 128,), group=128)\n"
    "def k[N](x: Tensor[N, f32], y: Tensor[N, f32]):\n"
    "    buffer = tile.alloc_shared((128,), f32)\n    t = tile.local_id()\n"
    "    i = tile.group_id(0) * 128 + t\n    buffer[t] = x[i] if i < N else 0.0\n    tile.barrier()\n"
    "    if i < N:\n        y[i] = buffer[t]\n";
constexpr const char *kWarp =
    "from tessera import kernel, tile\n"
    "@kernel(grid=(R,), group=64)\n"
    "def k[R](x: Tensor[R, 64, f32], y: Tensor[R, 64, f32]):\n"
    "    r = tile.group_id(0)\n    lane = tile.local_id()\n"
    "    sums = tile.scan(x[r, :])\n"
    "    y[r, lane] = tile.shuffle(x[r, lane], lane) + tile.max(sums)\n";
constexpr const char *kHost = "def double[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * 2.0\n"
                              "def main():\n    x = load_npy(\"x.npy\")\n    y = double(x)\n"
                              "    print(f\"{x.shape[0]} rows\")\n    save_npy(\"y.npy\", y)\n";
constexpr const char *kCall = "from tessera import kernel, tile\n"
                              "@kernel\n"
                              "def halve[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    i = tile.linear_id()\n"
                              "    if i < N:\n        x[i] = 0.5 * x[i]\n    return x\n"
                              "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return halve(x)\n";

Expr &exprOf(Function &function, ExprKind kind) {
  Expr *found = nullptr;
  visitExprs(function.body, [&](Expr &e) {
    if (e.kind == kind && !found) found = &e;
  });
  if (!found) throw std::runtime_error("the program has no such expression");
  return *found;
}

template <class Node> Node &nodeOf(Function &function) {
  Node *found = nullptr;
  visitExprs(function.body, [&](Expr &e) { found = found ? found : e.get<Node>(); });
  if (!found) throw std::runtime_error("the program has no such expression");
  return *found;
}

Stmt *find(Block &block, StmtKind kind) {
  for (auto &stmt : block) {
    if (stmt->kind == kind) return stmt.get();
    for (Block *inner : {&stmt->body, &stmt->otherwise})
      if (Stmt *found = find(*inner, kind)) return found;
  }
  return nullptr;
}
Stmt &stmtOf(Function &function, StmtKind kind) {
  Stmt *found = find(function.body, kind);
  if (!found) throw std::runtime_error("the program has no such statement");
  return *found;
}

struct Break {
  const char *program;
  const char *expected;
  void (*apply)(Function &);
};

const Break kBreaks[] = {
    {kTensor, "the operands of its kind", [](Function &f) { exprOf(f, ExprKind::Elementwise).args.pop_back(); }},
    {kTensor, "an operand is there", [](Function &f) { exprOf(f, ExprKind::Dot).args[0].reset(); }},
    {kTensor, "a product is of matrices", [](Function &f) { exprOf(f, ExprKind::Dot).args[0]->type.shape.pop_back(); }},
    {kTensor, "a reduction is over axes of its operand", [](Function &f) { nodeOf<node::Reduce>(f).axes = {2}; }},
    {kTensor, "a reduction has axes", [](Function &f) { nodeOf<node::Reduce>(f).axes.clear(); }},
    {kTensor, "a transpose permutes the axes", [](Function &f) { nodeOf<node::Transpose>(f).axes = {0, 0}; }},
    {kTensor, "parts are joined along an axis", [](Function &f) { nodeOf<node::Concat>(f).axis = 9; }},
    {kTensor, "a slice has an index for each axis",
     [](Function &f) { nodeOf<node::Slice>(f).access.parts.pop_back(); }},
    {kTensor, "a scalar fills an array",
     [](Function &f) { exprOf(f, ExprKind::Full).args[0] = clone(exprOf(f, ExprKind::VarRef)); }},
    {kTensor, "a constant has a value of its dtype",
     [](Function &f) { nodeOf<node::Constant>(f).value = std::monostate(); }},
    {kTensor, "a whole number is an integer",
     [](Function &f) { exprOf(f, ExprKind::Full).args[0]->as<node::Constant>().value = int64_t(2); }},
    {kTensor, "a use names a variable", [](Function &f) { nodeOf<node::VarRef>(f).var = nullptr; }},
    {kTensor, "a variable is bound before it is used",
     [](Function &f) { f.body.insert(f.body.begin(), std::move(f.body.back())), f.body.pop_back(); }},
    {kTensor, "a variable that is assigned again is marked",
     [](Function &f) { stmtOf(f, StmtKind::Assign).var->reassigned = false; }},
    {kTensor, "a binding has a value", [](Function &f) { stmtOf(f, StmtKind::Let).value.reset(); }},
    {kTensor, "a `for` has an end", [](Function &f) { stmtOf(f, StmtKind::For).stop.reset(); }},
    {kTensor, "a `for` counts in an index",
     [](Function &f) { stmtOf(f, StmtKind::For).var->type.kind = TypeKind::Scalar; }},
    {kTensor, "a value for each result", [](Function &f) { stmtOf(f, StmtKind::Return).values.clear(); }},
    {kTensor, "only loops and branches have a body",
     [](Function &f) { stmtOf(f, StmtKind::Let).body = std::move(stmtOf(f, StmtKind::For).body); }},
    {kTensor, "the numbers of variables differ", [](Function &f) { f.vars[1]->id = f.vars[0]->id; }},
    {kTensor, "a variable belongs to its function", [](Function &f) { f.vars.erase(f.vars.begin()); }},
    {kTensor, "memory is accessed in kernels",
     [](Function &f) { stmtOf(f, StmtKind::Return).kind = StmtKind::Barrier, f.body.back()->values.clear(); }},
    {kTensor, "`break` and `continue` are in a loop",
     [](Function &f) { stmtOf(f, StmtKind::Return).kind = StmtKind::Break, f.body.back()->values.clear(); }},
    {kKernel, "a buffer is a variable in shared memory",
     [](Function &f) { stmtOf(f, StmtKind::AllocShared).var->type.kind = TypeKind::Tensor; }},
    {kKernel, "a variable is bound before it is used", [](Function &f) { f.body.erase(f.body.begin()); }},
    {kKernel, "an access has an index for each axis",
     [](Function &f) { stmtOf(f, StmtKind::Store).access.parts.clear(); }},
    {kKernel, "a point has an index", [](Function &f) { stmtOf(f, StmtKind::Store).access.parts[0].offset.reset(); }},
    {kKernel, "an access goes forwards", [](Function &f) { nodeOf<node::Load>(f).access.parts[0].step = 0; }},
    {kKernel, "a place in the grid is an index", [](Function &f) { nodeOf<node::Query>(f).axis = -1; }},
    {kKernel, "a branch has a condition", [](Function &f) { stmtOf(f, StmtKind::If).condition.reset(); }},
    {kKernel, "a grid has axes", [](Function &f) { f.kernel.gridDims.clear(); }},
    {kWarp, "a scan is along an axis", [](Function &f) { nodeOf<node::Scan>(f).axis = 1; }},
    {kWarp, "a scan keeps axes and dtype", [](Function &f) { exprOf(f, ExprKind::Scan).type.dtype = DType::F64; }},
    {kWarp, "a scan is of sums, products or extremes", [](Function &f) { nodeOf<node::Scan>(f).op = ReduceOp::All; }},
    {kWarp, "a lane has a number", [](Function &f) { exprOf(f, ExprKind::Warp).args[1]->type = scalarType(DType::F32); }},
    {kWarp, "the operands of its kind", [](Function &f) { nodeOf<node::Warp>(f).what = WarpOp::Reduce; }},
    {kWarp, "what lanes give each other keeps its dtype", [](Function &f) { exprOf(f, ExprKind::Warp).type.dtype = DType::F64; }},
    {kWarp, "an exchange between lanes stands alone",
     [](Function &f) { exprOf(f, ExprKind::Elementwise).args[0] = clone(exprOf(f, ExprKind::Warp)); }},
    {kPlaces, "a gather is along an axis", [](Function &f) { nodeOf<node::Gather>(f).axis = 2; }},
    {kPlaces, "an axis for each of its places'", [](Function &f) { nodeOf<node::Gather>(f).along.clear(); }},
    {kPlaces, "a scatter is along an axis", [](Function &f) { nodeOf<node::ScatterAdd>(f).axis = -1; }},
    {kPlaces, "an axis for each of its places'", [](Function &f) { nodeOf<node::ScatterAdd>(f).along.push_back(0); }},
    {kPlaces, "an order counts places in i64", [](Function &f) { exprOf(f, ExprKind::Argsort).type.dtype = DType::F32; }},
    {kCall, "what a kernel writes for a tensor function is a result",
     [](Function &f) { const_cast<Function *>(nodeOf<node::Call>(f).callee)->results.clear(); }},
    {kHost, "a call has a callee", [](Function &f) { nodeOf<node::Call>(f).callee = nullptr; }},
    {kHost, "an argument for each parameter", [](Function &f) { exprOf(f, ExprKind::Call).args.clear(); }},
    {kHost, "a format has a text around each value", [](Function &f) { nodeOf<node::Format>(f).texts.pop_back(); }},
    {kHost, "a tensor of host code is asked",
     [](Function &f) { exprOf(f, ExprKind::HostShape).args[0] = makeIndex(0, {}); }},
    {kHost, "a path is a string", [](Function &f) { exprOf(f, ExprKind::LoadNpy).args[0] = makeIndex(0, {}); }},
    {kHost, "what is printed is a format", [](Function &f) { stmtOf(f, StmtKind::Print).value = makeIndex(0, {}); }},
    {kHost, "a file has a tensor", [](Function &f) { stmtOf(f, StmtKind::SaveNpy).extra.reset(); }},
};

}  // namespace

class Verify : public testing::TestWithParam<size_t> {};
TEST_P(Verify, FindsWhatIsBroken) {
  const Break &broken = kBreaks[GetParam()];
  Checking c(broken.program);
  ASSERT_EQ(c.messages(), "");
  ASSERT_EQ(verify(*c.program), "");
  broken.apply(*c.program->functions.back());
  EXPECT_THAT(verify(*c.program), HasSubstr(broken.expected));
}
INSTANTIATE_TEST_SUITE_P(All, Verify, testing::Range(size_t(0), std::size(kBreaks)));

TEST(VerifyText, NamesTheFunctionAndTheStatement) {
  Checking c(kTensor);
  stmtOf(*c.program->functions[0], StmtKind::Assign).var->reassigned = false;
  EXPECT_EQ(verify(*c.program), "`f`, assign y: it does not hold that a variable that is assigned again is marked");
}

TEST(Node, OfAnotherKindIsAMistakeOfOurs) {
  Checking c(kTensor);
  Expr &dot = exprOf(*c.program->functions[0], ExprKind::Dot);
  EXPECT_THROW(dot.as<node::Reduce>(), InternalError);
  EXPECT_EQ(dot.get<node::Reduce>(), nullptr);
  EXPECT_EQ(varOf(dot), nullptr);
}
