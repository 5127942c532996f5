// Built-in functions that have a meaning only inside kernels.
#include "checked/ExprBuild.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/arrays/ChosenBuffer.h"
#include "sema/calls/Calls.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Trace.h"
#include "support/Machine.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::sema {

bool underDivergence(Context &cx, const char *what, Span span) {
  if (cx.function.varyingDepth == 0) return false;
  if (fresh(cx, Id::divergentBarrier, span)) {
    auto builder = report(cx, Id::divergentBarrier, span, what);
    builder.label("the others would be waited for without end");
    if (!cx.function.varyingCauses.empty()) builder.note(cx.function.varyingCauses.back(), "lanes disagree about this");
    builder.help("move it out of the condition");
  }
  return true;
}

static Value kernelOrigin(Context &cx, const BuiltinRow &, Bound &, const GivenList &, Span span) {
  return tileOrigin(cx, span);
}

static Value kernelContext(Context &cx, const BuiltinRow &, Bound &, const GivenList &, Span) {
  return Value::of(ValueKind::Context);
}

/// Of a group whose lanes stand along several axes: its extent along one, or the place of the lane there. Neighbours along the first
/// axis are neighbours of a warp.
static Value ofGroupAxis(Context &cx, Query which, size_t axis, Span span) {
  const std::vector<int64_t> &extents = cx.function.groupExtents;
  if (which == Query::GroupSize) return Value::integer(Dim(extents[axis]));
  int64_t stride = 1;
  for (size_t i = 0; i < axis; ++i) stride *= extents[i];
  Value lane = gridQuery(cx, Query::LocalId, 0, span);
  if (stride > 1) lane = intElementwise(cx, ElementwiseOp::FloorDiv, {lane, Value::integer(Dim(stride))}, span, "//");
  if (axis + 1 < extents.size()) lane = intElementwise(cx, ElementwiseOp::Mod, {lane, Value::integer(Dim(extents[axis]))}, span, "%");
  return lane;
}

static Value kernelQuery(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &, Span span) {
  static const std::map<std::string_view, Query> queries = {
      {"group_id", Query::GroupId}, {"group_count", Query::GroupCount}, {"group_size", Query::GroupSize},
      {"local_id", Query::LocalId}, {"lane_id", Query::LaneId},         {"linear_id", Query::LinearId}};
  const Query which = queries.at(row.op);
  int axis = 0;
  if (!args.values.empty() && args.values[0].given()) {
    auto at = knownInt(cx, args.values[0], args.spans[0], "an axis");
    if (!at) return Value::poison();
    const KernelInfo &kernel = cx.function.fn->kernel;
    const std::vector<int64_t> &extents = cx.function.groupExtents;
    const bool ofGroup = which == Query::LocalId || which == Query::GroupSize;
    bool isExplicit = ofGroup || (kernel.grid == GridKind::Explicit && !kernel.gridDims.empty());
    size_t count = ofGroup ? std::max<size_t>(extents.size(), 1) : isExplicit ? kernel.gridDims.size() : 3;
    if (*at < 0 || *at >= static_cast<int64_t>(count)) {
      std::string what = ofGroup ? "a group" : isExplicit ? "a grid" : "the grid";
      if (isExplicit) what += " of " + std::to_string(count) + (count == 1 ? " dimension" : " dimensions");
      auto builder = report(cx, Id::badAxis, args.spans[0], std::to_string(*at), what);
      if (ofGroup && extents.empty()) builder.help("lanes along two axes are `@kernel(grid=..., group=(32, 8))`");
      if (count == 1) builder.suggest(args.spans[0], "0", "it has only axis 0");
      return Value::poison();
    }
    axis = static_cast<int>(*at);
    if (ofGroup && !extents.empty()) return ofGroupAxis(cx, which, static_cast<size_t>(axis), span);
    if (ofGroup) axis = 0;
  }
  return gridQuery(cx, which, axis, span);
}

/// `tile.load(x[at], mask=at < n, other=0.0)`: the elements where `mask` holds, elsewhere `other`.
static Value maskedLoad(Context &cx, Bound &args, Span span) {
  Value v = toArray(cx, args.values[0], DType::F32, args.spans[0]);
  Value mask = toArray(cx, args.values[2], DType::Bool, args.spans[2]);
  if (v.isPoison() || mask.isPoison()) return Value::poison();
  if (args.values[2].kind == ValueKind::Float || args.values[2].kind == ValueKind::Int || mask.type.dtype != DType::Bool) {
    if (fresh(cx, Id::wrongArgument, args.spans[2]))
      report(cx, Id::wrongArgument, args.spans[2], quoted("mask"), "a condition, such as `i < n`", describe(cx, args.values[2]));
    return Value::poison();
  }
  Value other = args.values[1].given() ? args.values[1] : Value::integer(Dim(0));
  Span place = args.values[1].given() ? args.spans[1] : span;
  ExprPtr fill = castToPlace(cx, other, scalarType(v.type.dtype, v.type.numerics), place, "the tensor");
  if (!fill) return Value::poison();
  Value filled = arrayValue(cx, std::move(fill), scalarType(v.type.dtype, v.type.numerics), {}, place);
  return elementwise(cx, ElementwiseOp::Select, {std::move(mask), std::move(v), std::move(filled)}, span, "tile.load");
}

/// `tile.load(x + start)`, as pointers are added to: the tensor itself would be added to.
static bool isOffset(Context &cx, const Value &value, Span span) {
  auto *sum = value.kind == ValueKind::Array && value.expr ? value.expr->get<node::Elementwise>() : nullptr;
  const std::string_view shown = cx.sources.text(span);
  const size_t plus = shown.find(" + ");
  if (!sum || sum->op != ElementwiseOp::Add || plus == std::string_view::npos || shown.find_first_of("[(") < plus) return false;
  if (fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted("tile.load"), "a slice of a tensor", "a sum")
        .help("places are written as slices: `" + std::string(shown.substr(0, plus)) + "[start:start + 128]`");
  return true;
}

static Value kernelLoad(Context &cx, const BuiltinRow &, Bound &args, const GivenList &, Span span) {
  if (args.values[2].given()) return maskedLoad(cx, args, span);
  Value v = toArray(cx, args.values[0], DType::F32, args.spans[0]);
  if (v.kind != ValueKind::Array) {
    if (!v.isPoison())
      report(cx, Id::wrongArgument, args.spans[0], quoted("tile.load"), "a slice of a tensor", describe(cx, v));
    return Value::poison();
  }
  if (isOffset(cx, args.values[0], args.spans[0])) return Value::poison();
  if (!args.values[1].given()) return v;
  Expr *load = v.expr.get();
  std::vector<Expr *> masks;  // of slices that end where a loop does
  auto isMask = [](const Expr &e) {
    auto *chosen = e.get<node::Elementwise>();
    return chosen && chosen->ofLimit;
  };
  while (load->kind == ExprKind::Broadcast || isMask(*load)) {
    if (isMask(*load)) masks.push_back(load);
    load = load->args[isMask(*load) ? 1 : 0].get();
  }
  if (load->kind != ExprKind::Load) {
    report(cx, Id::wrongArgument, args.spans[0], quoted("tile.load"), "a slice of a tensor", describe(cx, v));
    return Value::poison();
  }
  ExprPtr other =
      castToPlace(cx, args.values[1], scalarType(v.type.dtype, v.type.numerics), args.spans[1], "the tensor");
  if (!other) return Value::poison();
  bool zero = args.values[1].kind == ValueKind::Float ? args.values[1].number == 0
                                                      : args.values[1].isKnownInt() && args.values[1].sym == Dim(0);
  for (Expr *mask : masks) mask->args[2] = broadcastTo(clone(*other), mask->type.shape);
  load->as<node::Load>().access.other = std::move(other);
  for (auto &limit : v.limits)
    if (limit) limit->zeroOutside = zero;
  return v;
}

static Value kernelStore(Context &cx, const BuiltinRow &, Bound &args, const GivenList &given, Span span) {
  auto *target = given.empty() ? nullptr : ast::as<ast::SubscriptExpr>(given[0].syntax);
  if (!target) {
    report(cx, Id::wrongArgument, args.spans[0], quoted("tile.store"), "a slice of a tensor",
           describe(cx, args.values[0]));
    return Value::poison();
  }
  Value object = checkExpr(cx, objectOf(cx, *target));
  if (object.isPoison()) return Value::of(ValueKind::None);
  if (args.values[2].given()) storeWhere(cx, object, *target, args.values[1], args.values[2], args.spans[1], args.spans[2], span);
  else storeTo(cx, object, *target, args.values[1], span);
  return Value::of(ValueKind::None);
}

/// Bytes to which every machine can place the shared memory of a group.
constexpr int64_t kMostAlignment = 1024;

/// `alignment=` of a buffer in bytes, 0 where it is not given. Nothing after a message.
static std::optional<int64_t> alignmentArgument(Context &cx, const Value &given, Span span) {
  if (!given.given()) return 0;
  std::optional<int64_t> bytes = knownInt(cx, given, span, "`alignment`");
  if (!bytes) return std::nullopt;
  if (*bytes > 0 && *bytes <= kMostAlignment && (*bytes & (*bytes - 1)) == 0) return bytes;
  if (fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted("alignment"), "a power of two of bytes, at most " + std::to_string(kMostAlignment),
           describe(cx, given));
  return std::nullopt;
}

static Value kernelAllocShared(Context &cx, const BuiltinRow &, Bound &args, const GivenList &, Span span) {
  std::vector<Dim> shape;
  if (!shapeArgument(cx, args.values[0], args.spans[0], shape) || !sizesArePossible(cx, shape, args.spans[0]))
    return Value::poison();
  auto dtype = dtypeArgument(cx, args.values[1], args.spans[1]);
  if (!dtype) return Value::poison();
  const Machine *most = nullptr;  // of the GPUs: a CPU has no limit
  for (const Machine &machine : machines())
    if (machine.family != Target::Cpu && (!most || machine.sharedBytes > most->sharedBytes)) most = &machine;
  double bytes = info(*dtype).bits / 8.0;
  for (const Dim &d : shape) bytes *= d.isConstant() ? static_cast<double>(d.constant()) : 1;
  if (bytes > static_cast<double>(most->sharedBytes)) {
    char kib[32];
    std::snprintf(kib, sizeof kib, bytes < 1e15 ? "%.0f" : "%.3g", std::floor(bytes / 1024));
    if (fresh(cx, Id::badKernelOption, args.spans[0]))
      report(cx, Id::badKernelOption, args.spans[0],
             std::string("no machine gives a group ") + kib + " KiB of shared memory; the most is " +
                 std::to_string(most->sharedBytes / 1024) + ", of " + std::string(most->name))
          .help("fewer elements at a time fit, or narrower ones: `bf16` takes half of `f32`");
    return Value::poison();
  }
  if (cx.function.conditionDepth > 0) return unsupported(cx, "`alloc_shared` inside of loops and conditions", span);
  if (cx.copies > 0) shape.insert(shape.begin(), Dim(cx.copies));
  Type type;
  type.kind = TypeKind::Shared;
  type.dtype = *dtype;
  type.shape = std::move(shape);
  std::string swizzle;
  if (args.values[2].given()) {
    if (args.values[2].kind != ValueKind::String || (args.values[2].text != "xor" && args.values[2].text != "none")) {
      report(cx, Id::wrongArgument, args.spans[2], quoted("swizzle"), "\"xor\" or \"none\"",
             describe(cx, args.values[2]));
      return Value::poison();
    }
    if (args.values[2].text == "xor") swizzle = "xor";
  }
  std::optional<int64_t> alignment = alignmentArgument(cx, args.values[3], args.spans[3]);
  if (!alignment) return Value::poison();
  Value v = Value::of(ValueKind::Shared);
  v.var = newVar(cx, "", type, span);
  v.var->swizzle = swizzle;
  v.type = type;
  Stmt &stmt = emit(cx, StmtKind::AllocShared, span);
  stmt.var = v.var;
  stmt.count = *alignment;
  return v;
}

static Value toWhole(Context &cx, const Value &buffer, Span span);

static Value kernelCpAsync(Context &cx, const BuiltinRow &, Bound &args, const GivenList &, Span span) {
  if (underDivergence(cx, "copy", span)) return Value::poison();
  Access accesses[2];
  for (int i = 0; i < 2; ++i) {
    Value v = args.values[i];
    ValueKind want = i == 0 ? ValueKind::Shared : ValueKind::View;
    TypeKind wantType = i == 0 ? TypeKind::Shared : TypeKind::View;
    if (v.kind == want) v = toWhole(cx, v, args.spans[i]);
    if (!v.expr || v.expr->kind != ExprKind::Load || v.expr->as<node::Load>().access.base->type.kind != wantType) {
      report(cx, Id::wrongArgument, args.spans[i], quoted("cp_async"),
             i == 0 ? "a shared buffer to copy to" : "a slice of a tensor to copy from", describe(cx, v));
      return Value::poison();
    }
    accesses[i] = clone(v.expr->as<node::Load>().access);
    if (i == 1) {
      const std::vector<Dim> &from = v.type.shape;
      std::vector<Dim> to;
      for (const IndexPart &part : accesses[0].parts)
        if (!part.isPoint) to.push_back(part.size);
      bool same = from.size() == to.size();
      for (size_t a = 0; same && a < to.size(); ++a) same = cx.function.facts.same(from[a], to[a]);
      if (!same) {
        report(cx, Id::shapeMismatch, args.spans[1], shapeText(cx, to), shapeText(cx, from));
        return Value::poison();
      }
      if (accesses[0].base->type.dtype != accesses[1].base->type.dtype) {
        report(cx, Id::dtypeMismatch, span, std::string(name(accesses[1].base->type.dtype)),
               std::string(name(accesses[0].base->type.dtype)), "cp_async")
            .help("an asynchronous copy does not convert");
        return Value::poison();
      }
    }
  }
  Stmt &stmt = emit(cx, StmtKind::AsyncCopy, span);
  stmt.access = std::move(accesses[0]);
  stmt.source = std::move(accesses[1]);
  return Value::of(ValueKind::None);
}

static Value kernelCommit(Context &cx, const BuiltinRow &, Bound &, const GivenList &, Span span) {
  emit(cx, StmtKind::CommitGroup, span);
  return Value::of(ValueKind::None);
}

static Value kernelWait(Context &cx, const BuiltinRow &, Bound &args, const GivenList &, Span span) {
  int64_t count = 0;
  if (args.values[0].given()) {
    auto n = knownInt(cx, args.values[0], args.spans[0], "how many groups may be pending");
    if (!n) return Value::poison();
    if (*n < 0) {
      report(cx, Id::badConstant, args.spans[0], "at least 0 groups are pending, not " + std::to_string(*n));
      return Value::poison();
    }
    count = *n;
  }
  emit(cx, StmtKind::WaitGroup, span).count = count;
  return Value::of(ValueKind::None);
}

static Value kernelBarrier(Context &cx, const BuiltinRow &, Bound &, const GivenList &, Span span) {
  if (!underDivergence(cx, "barrier", span)) emit(cx, StmtKind::Barrier, span);
  return Value::of(ValueKind::None);
}

Value callKernelBuiltin(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span) {
  using Handler = Value (*)(Context &, const BuiltinRow &, Bound &, const GivenList &, Span);
  static const std::map<BuiltinKind, Handler> handlers = {
      {BuiltinKind::Origin, &kernelOrigin},   {BuiltinKind::Context, &kernelContext},
      {BuiltinKind::Query, &kernelQuery},     {BuiltinKind::Load, &kernelLoad},
      {BuiltinKind::Store, &kernelStore},     {BuiltinKind::AllocShared, &kernelAllocShared},
      {BuiltinKind::LoadVector, &kernelLoadVector},       {BuiltinKind::StoreVector, &kernelStoreVector},
      {BuiltinKind::AllocRegister, &kernelAllocRegister}, {BuiltinKind::Warp, &kernelWarp},
      {BuiltinKind::Atomic, &kernelAtomic},   {BuiltinKind::CpAsync, &kernelCpAsync}, {BuiltinKind::Commit, &kernelCommit},
      {BuiltinKind::Wait, &kernelWait},       {BuiltinKind::Barrier, &kernelBarrier},
  };
  auto it = handlers.find(row.kind);
  return it == handlers.end() ? Value::of(ValueKind::Absent) : it->second(cx, row, args, given, span);
}

static Value toWhole(Context &cx, const Value &buffer, Span span) {
  Access access;
  access.base = buffer.var;
  for (const Dim &d : buffer.var->type.shape) {
    IndexPart part;
    part.size = d;
    part.inBounds = true;
    access.parts.push_back(std::move(part));
  }
  return loadAccess(cx, std::move(access), buffer.var->type.shape,
                    std::vector<std::optional<Limit>>(buffer.var->type.shape.size()), {}, span);
}

}  // namespace tessera::sema
