// Kernels and functions written by hand as checked programs: grids, lanes, masks, shared memory, asynchronous
// copies, and how arguments meet parameters.
#include "Build.h"
#include <cmath>
#include <numeric>

using namespace tessera;
using namespace tessera::test;
using reference::run;
using reference::Value;

namespace {

/// y[i] = alpha * x[i] + y[i] for the lanes below n.
Builder saxpy() {
  Builder b(FunctionKind::Kernel, "saxpy");
  Var *x = b.param("x", view(DType::F32, {Dim::var("n")}));
  Var *y = b.param("y", view(DType::F32, {Dim::var("n")}), ParamMode::InOut);
  Var *alpha = b.param("alpha", scalar(DType::F32));
  Var *i = b.var("i", index());
  b.f.dims = {"n"};
  b.f.kernel.grid = GridKind::Lanes;
  b.f.kernel.laneExtent = Dim::var("n");
  auto product = apply(ElementwiseOp::Mul, scalar(DType::F32), ref(alpha),
                       load(scalar(DType::F32), access(x, point(ref(i)))));
  auto sum = add(std::move(product), load(scalar(DType::F32), access(y, point(ref(i)))));
  b.f.body = block(let(i, query(Query::LinearId)),
                   when(less(ref(i), size("n")), block(store(access(y, point(ref(i))), std::move(sum)))));
  return b;
}

/// The sum of an array by a tree over shared memory; `barrierInside` puts a barrier under the lanes'
/// condition.
Builder total(bool barrierInside) {
  Builder b(FunctionKind::Kernel, "total");
  Type f32 = scalar(DType::F32);
  Var *data = b.param("data", view(DType::F32, {Dim::var("N")}));
  Var *result = b.param("result", view(DType::F32, {}), ParamMode::Out, true);
  Var *sums = b.var("sums", shared(DType::F32, {Dim(32)})), *local = b.var("local", f32);
  Var *i = b.var("i", index()), *stride = b.var("stride", index());
  b.f.dims = {"N"};
  b.f.kernel.grid = GridKind::Explicit;
  b.f.kernel.gridDims = {Dim(1)};
  b.f.kernel.groupSize = 32;
  auto alloc = stmt(StmtKind::AllocShared);
  alloc->var = sums;
  auto me = [] { return query(Query::LocalId); };
  auto at = [&](ExprPtr where) { return access(sums, point(std::move(where))); };
  auto once = store(access(result), load(f32, at(whole(0))));
  once->oncePerGroup = true;
  Block halves = block(store(at(me()), add(load(f32, at(me())), load(f32, at(add(me(), ref(stride)))))));
  if (barrierInside) halves.push_back(stmt(StmtKind::Barrier));
  b.f.body =
      block(std::move(alloc), let(local, number(DType::F32, 0)),
            each(i, me(), size("N"), query(Query::GroupSize),
                 block(assign(local, add(ref(local), load(f32, access(data, point(ref(i)))))))),
            store(at(me()), ref(local)), stmt(StmtKind::Barrier), let(stride, whole(16)),
            loop(less(whole(0), ref(stride)),
                 block(when(less(me(), ref(stride)), std::move(halves)), stmt(StmtKind::Barrier),
                       assign(stride, apply(ElementwiseOp::FloorDiv, index(), ref(stride), whole(2))))),
            std::move(once));
  return b;
}

/// C = A @ B by tiles of T.m x T.n, added up in steps of T.k.
Builder matmul(DType dtype) {
  Builder b(FunctionKind::Kernel, "matmul");
  Dim M = Dim::var("M"), N = Dim::var("N"), K = Dim::var("K"), m = Dim::var("T.m"), n = Dim::var("T.n"),
      k = Dim::var("T.k");
  Var *A = b.param("A", view(dtype, {M, K})), *B = b.param("B", view(dtype, {K, N}));
  Var *C = b.param("result", view(dtype, {M, N}), ParamMode::Out, true);
  Var *acc = b.var("acc", array(DType::F32, {m, n})), *k0 = b.var("k", index());
  b.f.dims = {"M", "K", "N"};
  b.f.kernel.outputParam = 2;
  b.f.kernel.tileShape = {m, n};
  b.f.kernel.contextSizes = {"m", "n", "k"};
  auto tile = [&](Var *base, ExprPtr row, Dim rows, ExprPtr column, Dim columns) {
    return load(array(dtype, {rows, columns}),
                access(base, range(std::move(row), rows), range(std::move(column), columns)));
  };
  auto product =
      with(expr(ExprKind::Dot, array(DType::F32, {m, n})), tile(A, query(Query::Origin, 0), m, ref(k0), k),
           tile(B, ref(k0), k, query(Query::Origin, 1), n));
  b.f.body =
      block(let(acc, with(expr(ExprKind::Full, array(DType::F32, {m, n})), number(DType::F32, 0))),
            each(k0, whole(0), size("K"), size("T.k"), block(assign(acc, add(ref(acc), std::move(product))))),
            store(access(C, range(query(Query::Origin, 0), m), range(query(Query::Origin, 1), n)),
                  castTo(dtype, ref(acc))));
  return b;
}

Value ramp(DType dtype, std::vector<int64_t> shape) {
  Value v = Value::poison(dtype, shape);
  for (size_t i = 0; i < v.size(); ++i) v.floats[i] = static_cast<double>(i % 13) - 5;
  return v;
}

}  // namespace

TEST(Kernel, OneLaneForEachElement) {
  Builder b = saxpy();
  for (int64_t n : {0, 1, 31, 127, 128, 129, 1009}) {
    auto outcome = run(b.f, {ramp(DType::F32, {n}), ramp(DType::F32, {n}), Value::scalar(DType::F32, 3)});
    ASSERT_TRUE(outcome) << errorOf(outcome);
    ASSERT_EQ(outcome.values.size(), 1u);
    ASSERT_EQ(outcome.values[0].shape, std::vector<int64_t>{n});
    for (size_t i = 0; i < outcome.values[0].size(); ++i)
      ASSERT_EQ(outcome.values[0].floats[i], 4 * (static_cast<double>(i % 13) - 5));
  }
}

TEST(Kernel, LanesShareMemoryAndMeetAtBarriers) {
  Builder b = total(false);
  for (int64_t n : {0, 1, 31, 32, 33, 1000}) {
    Value data = ramp(DType::F32, {n});
    auto outcome = run(b.f, {data});
    ASSERT_TRUE(outcome) << errorOf(outcome);
    EXPECT_EQ(outcome.values[0].shape, std::vector<int64_t>{});
    EXPECT_EQ(outcome.values[0].floats[0], std::accumulate(data.floats.begin(), data.floats.end(), 0.0)) << n;
  }
}

TEST(Kernel, ABarrierThatSomeLanesMissIsAnError) {
  Builder b = total(true);
  auto outcome = run(b.f, {ramp(DType::F32, {64})});
  EXPECT_EQ(
      errorOf(outcome),
      "only 16 of the 32 lanes of the group reach this barrier: the others would be waited for without end");
  EXPECT_EQ(outcome.error->span, (Span{0, 3, 4}));
}

TEST(Kernel, TilesAreClippedAtTheEdges) {
  Builder b = matmul(DType::F32);
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{5, 7, 3}, {16, 16, 16}, {17, 15, 33}, {0, 4, 4}, {4, 4, 0}, {1, 1, 1}}) {
    Value A = ramp(DType::F32, {m, k}), B = ramp(DType::F32, {k, n});
    auto outcome = run(b.f, {A, B});
    ASSERT_TRUE(outcome) << errorOf(outcome);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += A.floats[static_cast<size_t>(i * k + p)] * B.floats[static_cast<size_t>(p * n + j)];
        ASSERT_EQ(outcome.values[0].floats[static_cast<size_t>(i * n + j)], sum);
      }
  }
}

TEST(Kernel, SizesOfTheContextDoNotChangeTheResult) {
  Builder b = matmul(DType::F32);
  Value A = ramp(DType::F32, {13, 21}), B = ramp(DType::F32, {21, 9});
  auto plain = run(b.f, {A, B});
  b.f.kernel.schedule.sizes = {{"m", 3}, {"n", 64}, {"k", 5}};
  auto scheduled = run(b.f, {A, B});
  reference::Options options;
  options.sizes = {{"m", 1}};
  auto chosen = run(b.f, {A, B}, options);
  ASSERT_TRUE(plain && scheduled && chosen);
  EXPECT_EQ(plain.values[0].floats, scheduled.values[0].floats);
  EXPECT_EQ(plain.values[0].floats, chosen.values[0].floats);
  options.sizes = {{"m", 0}};
  EXPECT_EQ(errorOf(run(b.f, {A, B}, options)), "the size 'm' must be positive, and it is 0");
}

TEST(Kernel, StoresRound) {
  Builder b = matmul(DType::BF16);
  auto outcome = run(b.f, {floats(DType::BF16, {1, 2}, {1, 1}), floats(DType::BF16, {2, 1}, {256, 1})});
  ASSERT_TRUE(outcome) << errorOf(outcome);
  EXPECT_EQ(outcome.values[0].floats[0], 256);  // 257 lies between 256 and 258
}

TEST(Kernel, LanesThatDifferTakeBothBranches) {
  Builder b(FunctionKind::Kernel);
  Var *out = b.param("out", view(DType::I32, {Dim(8)}), ParamMode::Out, true);
  Type i32 = scalar(DType::I32);
  Var *v = b.var("v", i32), *n = b.var("n", index());
  b.f.kernel.grid = GridKind::Explicit;
  b.f.kernel.gridDims = {Dim(1)};
  b.f.kernel.groupSize = 8;
  auto me = [] { return query(Query::LocalId); };
  // v = 10 for the first three lanes, else 20; then each lane adds its own number of ones.
  b.f.body = block(when(less(me(), whole(3)), block(let(v, number(DType::I32, 10))),
                        block(let(v, number(DType::I32, 20)))),
                   let(n, whole(0)),
                   loop(less(ref(n), me()), block(assign(v, add(ref(v), number(DType::I32, 1))),
                                                  assign(n, add(ref(n), whole(1))))),
                   store(access(out, point(me())), ref(v)));
  auto outcome = run(b.f, {});
  ASSERT_TRUE(outcome) << errorOf(outcome);
  EXPECT_EQ(outcome.values[0].ints, (std::vector<int64_t>{10, 11, 12, 23, 24, 25, 26, 27}));
}

TEST(Kernel, AnAsynchronousCopyIsThereOnceItWasWaitedFor) {
  for (int64_t wait : {0, 1}) {
    Builder b(FunctionKind::Kernel);
    Var *in = b.param("in", view(DType::F32, {Dim::var("N")}));
    Var *out = b.param("out", view(DType::F32, {Dim(4)}), ParamMode::Out, true);
    Var *buffer = b.var("buffer", shared(DType::F32, {Dim(4)}));
    b.f.dims = {"N"};
    b.f.kernel.grid = GridKind::Explicit;
    b.f.kernel.gridDims = {Dim(1)};
    auto alloc = stmt(StmtKind::AllocShared);
    alloc->var = buffer;
    auto copy = stmt(StmtKind::AsyncCopy);
    copy->access = access(buffer, range(nullptr, 4));
    copy->source = access(in, range(whole(1), 4));
    auto waiting = stmt(StmtKind::WaitGroup);
    waiting->count = wait;
    b.f.body = block(std::move(alloc), std::move(copy), stmt(StmtKind::CommitGroup), std::move(waiting),
                     stmt(StmtKind::Barrier),
                     store(access(out, range(nullptr, 4)),
                           load(array(DType::F32, {Dim(4)}), access(buffer, range(nullptr, 4)))));
    auto outcome = run(b.f, {floats(DType::F32, {3}, {1, 2, 3})});
    ASSERT_TRUE(outcome) << errorOf(outcome);
    if (wait == 0) EXPECT_EQ(outcome.values[0].floats, (std::vector<double>{2, 3, 0, 0}));
    else EXPECT_TRUE(std::isnan(outcome.values[0].floats[0]));
  }
}

TEST(Kernel, ARaceInSharedMemoryIsAnError) {
  // Every lane writes its own element and reads its right neighbour's, with or without a barrier between.
  for (bool barrier : {true, false}) {
    Builder b(FunctionKind::Kernel);
    Var *out = b.param("out", view(DType::F32, {Dim(8)}), ParamMode::Out, true);
    Var *s = b.var("s", shared(DType::F32, {Dim(9)}));
    b.f.kernel.grid = GridKind::Explicit;
    b.f.kernel.gridDims = {Dim(2)};
    b.f.kernel.groupSize = 8;
    auto alloc = stmt(StmtKind::AllocShared);
    alloc->var = s;
    auto me = [] { return query(Query::LocalId); };
    b.f.body.push_back(std::move(alloc));
    b.f.body.push_back(store(access(s, point(me())), castTo(DType::F32, me())));
    if (barrier) b.f.body.push_back(stmt(StmtKind::Barrier));
    auto next = load(scalar(DType::F32), access(s, point(add(me(), whole(1)))));
    b.f.body.push_back(store(access(out, point(me())), std::move(next)));
    auto outcome = run(b.f, {});
    if (barrier) {
      ASSERT_TRUE(outcome) << errorOf(outcome);
      EXPECT_EQ(outcome.values[0].floats[3], 4);
      continue;
    }
    EXPECT_EQ(errorOf(outcome),
              "a race in shared memory: lane 0 reads an element of 's' that lane 1 writes, with no "
              "barrier between");
    EXPECT_EQ(outcome.error->span, (Span{0, 1, 2}));
  }
}

TEST(Kernel, LanesMayNotWriteWhatOthersReadBefore) {
  // All read element 0, then one lane writes it.
  Builder b(FunctionKind::Kernel);
  Var *s = b.var("s", shared(DType::F32, {Dim(1)})), *v = b.var("v", scalar(DType::F32));
  b.f.kernel.grid = GridKind::Explicit;
  b.f.kernel.gridDims = {Dim(1)};
  b.f.kernel.groupSize = 8;
  auto alloc = stmt(StmtKind::AllocShared);
  alloc->var = s;
  auto once = store(access(s, point(whole(0))), number(DType::F32, 1));
  once->oncePerGroup = true;
  b.f.body =
      block(std::move(alloc), let(v, load(scalar(DType::F32), access(s, point(whole(0))))), std::move(once));
  EXPECT_EQ(errorOf(run(b.f, {})),
            "a race in shared memory: lane 0 writes an element of 's' that every lane reads, "
            "with no barrier between");
}

TEST(Kernel, AClaimOfTheCheckerIsHeldAgainstIt) {
  Builder b(FunctionKind::Kernel);
  Var *out = b.param("out", view(DType::F32, {Dim(4)}), ParamMode::Out, true);
  b.f.kernel.outputParam = 0;
  b.f.kernel.tileShape = {Dim(4)};
  auto where = access(out, point(whole(4)));
  b.f.body = block(store(std::move(where), number(DType::F32, 1)));
  auto clipped = run(b.f, {});
  ASSERT_TRUE(clipped) << errorOf(clipped);
  EXPECT_TRUE(std::isnan(clipped.values[0].floats[3]));  // nothing was stored: it is what it was at the start
  b.f.body[0]->access.parts[0].inBounds = true;
  EXPECT_NE(errorOf(run(b.f, {})).find("the checker says that it cannot"), std::string::npos);
}

TEST(Kernel, SizesThatHangOnALocalVariableFollowIt) {
  Builder b(FunctionKind::Kernel);
  Var *out = b.param("out", view(DType::F32, {Dim(6)}), ParamMode::Out, true);
  Var *i = b.var("i", index());  // "%1" in dimensions
  b.f.kernel.grid = GridKind::Explicit;
  b.f.kernel.gridDims = {Dim(1)};
  Dim changing = Dim::var("%1");
  auto ones = with(expr(ExprKind::Full, array(DType::F32, {changing})), castTo(DType::F32, ref(i)));
  // i elements of value i from offset i, for i = 1, 3.
  b.f.body = block(each(i, whole(1), whole(4), whole(2),
                        block(store(access(out, range(ref(i), changing)), std::move(ones)))));
  auto outcome = run(b.f, {});
  ASSERT_TRUE(outcome) << errorOf(outcome);
  EXPECT_TRUE(std::isnan(outcome.values[0].floats[0]) && std::isnan(outcome.values[0].floats[2]));
  EXPECT_EQ(outcome.values[0].floats[1], 1);
  for (size_t at : {3, 4, 5}) EXPECT_EQ(outcome.values[0].floats[at], 3);
}

// ---------------------------------------------------------------- arguments

TEST(Arguments, WhatDoesNotFitIsSaid) {
  Builder b = matmul(DType::F32);
  Value A = ramp(DType::F32, {2, 3}), B = ramp(DType::F32, {4, 2});
  EXPECT_EQ(errorOf(run(b.f, {A, B})),
            "dimension 0 of 'B' is 4, and I expected K = 3 (from dimension 1 of 'A')");
  EXPECT_EQ(errorOf(run(b.f, {A})), "the argument 'B' of 'matmul' is missing");
  EXPECT_EQ(errorOf(run(b.f, {A, A, A})), "'matmul' takes 2 arguments, and there are 3");
  EXPECT_EQ(errorOf(run(b.f, {A, ramp(DType::F64, {3, 2})})),
            "the argument 'B' of 'matmul' holds f64, and the parameter holds f32: convert the array first, "
            "nothing is converted silently");
  EXPECT_EQ(errorOf(run(b.f, {A, ramp(DType::F32, {3})})),
            "the argument 'B' of 'matmul' has the shape [3] of rank 1, and the parameter has the shape [K, "
            "N] of rank 2");
  b.f.requirements.push_back(
      {Dim::mod(Dim::var("K"), Dim(2)), Dim(0), Relation::Eq, "K % 2 == 0", {0, 7, 8}});
  auto outcome = run(b.f, {A, ramp(DType::F32, {3, 2})});
  EXPECT_EQ(errorOf(outcome), "'matmul' requires K % 2 == 0, which does not hold for K = 3");
  EXPECT_EQ(outcome.error->span, (Span{0, 7, 8}));
}

TEST(Arguments, ExpressionsOfDimensionsAreSolvedAndChecked) {
  Builder b(FunctionKind::Tensor, "halves");
  Var *x = b.param("x", array(DType::F32, {*Dim::parse("2*D + 1"), *Dim::parse("D*H")}));
  b.f.dims = {"D", "H"};
  b.result(array(DType::F32, {*Dim::parse("2*D + 1"), *Dim::parse("D*H")}));
  b.f.body = block(giveBack(ref(x)));
  EXPECT_EQ(errorOf(run(b.f, {ramp(DType::F32, {7, 6})})), "no error");
  EXPECT_EQ(errorOf(run(b.f, {ramp(DType::F32, {8, 6})})),
            "dimension 0 of 'x' is 8, and no size D makes 2*D + 1 that");
  EXPECT_EQ(errorOf(run(b.f, {ramp(DType::F32, {7, 5})})),
            "dimension 1 of 'x' is 5, and no size H makes D*H that");
  EXPECT_EQ(errorOf(run(b.f, {ramp(DType::F32, {1, 0})})),
            "the arguments of 'halves' do not say how large H is");
}

TEST(Arguments, ANumberMayBeASize) {
  Builder b(FunctionKind::Tensor, "heads");
  Var *x = b.param("x", array(DType::F32, {Dim::var("D")}));
  Type size = index();
  size.shape = {Dim::var("H")};
  b.param("h", size);
  b.f.dims = {"D", "H"};
  b.f.requirements.push_back(
      {Dim::mod(Dim::var("D"), Dim::var("H")), Dim(0), Relation::Eq, "D % H == 0", {}});
  Type result = array(DType::F32, {Dim::var("H"), *Dim::parse("D // H")});
  b.result(result);
  b.f.body = block(giveBack(with(expr(ExprKind::Reshape, result), ref(x))));
  auto outcome = run(b.f, {ramp(DType::F32, {6}), Value::index(3)});
  ASSERT_TRUE(outcome) << errorOf(outcome);
  EXPECT_EQ(outcome.values[0].shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(errorOf(run(b.f, {ramp(DType::F32, {6}), Value::index(4)})),
            "'heads' requires D % H == 0, which does not hold for D = 6, H = 4");
  EXPECT_EQ(errorOf(run(b.f, {ramp(DType::F32, {6}), Value::index(0)})),
            "'heads' requires D % H == 0, which does not hold for D = 6, H = 0");
}

TEST(Arguments, SizesThatNoMemoryHoldsAreSaid) {
  Builder b(FunctionKind::Tensor, "outer");
  Type size = index();
  size.shape = {Dim::var("n")};
  b.param("n", size);
  b.f.dims = {"n"};
  Type large = array(DType::F32, {*Dim::parse("n*n"), Dim::var("n")});
  b.result(large);
  b.f.body = block(giveBack(with(expr(ExprKind::Full, large), number(DType::F32, 1))));
  EXPECT_EQ(errorOf(run(b.f, {Value::index(3)})), "no error");
  EXPECT_EQ(errorOf(run(b.f, {Value::index(100000)})),
            "an array of shape [10000000000] is larger than I can hold");
  EXPECT_EQ(errorOf(run(b.f, {Value::index(-1)})), "'n' is -1, and no size n makes n that");
}

TEST(Arguments, ScalarsAreRoundedAndWidenedButNotCut) {
  Builder b(FunctionKind::Tensor, "scale");
  Var *a = b.param("a", scalar(DType::F32));
  b.result(array(DType::F32, {}));
  b.f.body = block(giveBack(ref(a)));
  EXPECT_EQ(run(b.f, {Value::scalar(DType::F64, 0.1)}).values[0].floats[0], static_cast<double>(0.1f));
  EXPECT_EQ(run(b.f, {Value::index(3)}).values[0].floats[0], 3);
  EXPECT_EQ(errorOf(run(b.f, {Value::scalar(DType::Bool, 1)})),
            "the argument 'a' of 'scale' is bool, and the parameter is f32");
  b.f.params[0].defaultValue = number(DType::F32, 2.5);
  EXPECT_EQ(run(b.f, {std::nullopt}).values[0].floats[0], 2.5);
  EXPECT_EQ(run(b.f, {}).values[0].floats[0], 2.5);
}

// ---------------------------------------------------------------- host code

TEST(Host, FilesAndPrintingGoThroughTheCaller) {
  Builder k = saxpy(), b(FunctionKind::Host, "main");
  Type host{TypeKind::HostTensor, DType::F32, {}, {}, {}};
  Var *x = b.var("x", host);
  auto text = [](const char *t) {
    auto e = expr(ExprKind::String, {TypeKind::String, DType::F32, {}, {}, {}});
    e->as<node::String>().text = t;
    return e;
  };
  auto call = with(expr(ExprKind::Call, host), ref(x), ref(x), number(DType::F32, 1));
  call->as<node::Call>().callee = &k.f;
  auto effect = stmt(StmtKind::Evaluate);
  effect->value = std::move(call);
  auto shape = with(expr(ExprKind::HostShape, index()), ref(x));
  auto item = with(expr(ExprKind::HostItem, scalar(DType::F32)), ref(x), whole(-1));
  auto format = with(expr(ExprKind::Format, {TypeKind::String, DType::F32, {}, {}, {}}), std::move(shape),
                     std::move(item));
  format->as<node::Format>().texts = {"n=", " last=", "!"};
  format->as<node::Format>().formats = {"", ".2f"};
  auto printing = stmt(StmtKind::Print), saving = stmt(StmtKind::SaveNpy);
  printing->value = std::move(format);
  saving->value = text("y.npy");
  saving->extra = ref(x);
  b.f.body = block(let(x, with(expr(ExprKind::LoadNpy, host), text("x.npy"))), std::move(effect),
                   std::move(printing), std::move(saving));

  EXPECT_EQ(errorOf(run(b.f, {})), "files cannot be read here");
  std::string printed, written;
  reference::Options options;
  options.readFile = [](const std::string &path) -> Result<std::string> {
    if (path != "x.npy") return Failure{"no such file"};
    return writeNpy(toNpy(floats(DType::F32, {3}, {1, 2, 3})));
  };
  options.writeFile = [&](const std::string &path, const std::string &bytes) {
    return written = bytes, std::string();
  };
  options.print = [&](const std::string &line) { printed += line + "\n"; };
  auto outcome = run(b.f, {}, options);
  ASSERT_TRUE(outcome) << errorOf(outcome);
  EXPECT_EQ(printed, "n=3 last=6.00!\n");  // the kernel doubled the array that it was given
  auto back = parseNpy(written);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(reference::fromNpy(*back)->floats, (std::vector<double>{2, 4, 6}));
  options.writeFile = [](const std::string &, const std::string &) {
    return std::string("the disk is full");
  };
  EXPECT_EQ(errorOf(run(b.f, {}, options)), "cannot write 'y.npy': the disk is full");
}
