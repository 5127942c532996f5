// What the lanes of a warp learn of each other: `tile.shuffle(x, lane)` and its kin.
#include "checked/ExprBuild.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "support/Lanes.h"
#include <algorithm>

namespace tessera::sema {

namespace {

/// A group that is not made of whole warps has lanes without the neighbours that they would hear of.
bool hasWholeWarps(Context &cx, const std::string &called, Span span) {
  const int64_t group = cx.function.fn->kernel.groupSize;
  if (group % kWarpLanes == 0) return true;
  if (fresh(cx, Id::badKernelOption, span))
    report(cx, Id::badKernelOption, span,
           "`tile." + called + "` is for groups of whole warps, of " + std::to_string(kWarpLanes) + " lanes each")
        .label("this kernel has `group=" + std::to_string(group) + "`")
        .help("take a multiple: `group=" + std::to_string((group / kWarpLanes + 1) * kWarpLanes) + "`");
  return false;
}

/// The argument as a number that each lane has. Poison after a message.
Value ofEachLane(Context &cx, const Bound &args, const std::string &called) {
  const bool counts = args.values[0].kind == ValueKind::Int;
  Value value = toArray(cx, args.values[0], counts ? DType::I64 : DType::F32, args.spans[0]);
  if (value.isPoison() || (value.isScalar() && info(value.type.dtype).cls != DTypeClass::Complex)) return value;
  if (!reportNone(cx, value, args.spans[0]) && fresh(cx, Id::wrongArgument, args.spans[0])) {
    auto builder = report(cx, Id::wrongArgument, args.spans[0], quoted("tile." + called), "a number that each lane has",
                          describe(cx, value));
    if (value.isArray() && !value.isScalar())
      builder.help("a tile is the whole group's, and has operations of its own: `tile.sum(x)`, `tile.scan(x)`");
  }
  return Value::poison();
}

/// The number of a lane, or bits of it. Null after a message.
ExprPtr laneNumber(Context &cx, const Bound &args, size_t i, const std::string &called) {
  Value number = convertInt(cx, args.values[i], args.spans[i]);
  if (number.isPoison()) return nullptr;
  if (number.isKnownInt() && !number.expr) {
    const int64_t known = number.sym.constant();
    if (known < 0 || known >= kWarpLanes) {
      if (fresh(cx, Id::badConstant, args.spans[i]))
{
        auto builder = report(cx, Id::badConstant, args.spans[i],
                              "a warp has the lanes 0 to " + std::to_string(kWarpLanes - 1) + ", and `tile." + called + "` names " + std::to_string(known));
        const std::string half = std::to_string(kWarpLanes / 2);
        if (called == "shuffle_xor" && known == kWarpLanes)
          builder.help("halves of a warp exchange with `" + half + "`, then its quarters with `" + std::to_string(kWarpLanes / 4) + "`")
              .suggest(args.spans[i], half, "exchange the halves of the warp");
        builder.help("what another warp has goes through shared memory: `tile.alloc_shared`");
      }
      return nullptr;
    }
  }
  return indexExpr(cx, number, args.spans[i]);
}

/// The expression alone in a statement, at this place.
Value exchanged(Context &cx, node::Warp warp, ExprPtr value, ExprPtr lane, Type type, const std::string &name,
                Span span) {
  cx.function.fn->kernel.usesLanes = true;
  Type carried = scalarType(warp.what == WarpOp::Ballot ? DType::U32 : value->type.dtype);
  carried.numerics = warp.what == WarpOp::Ballot ? Numerics{} : value->type.numerics;
  ExprPtr e = makeExpr(ExprKind::Warp, carried, span);
  e->as<node::Warp>() = warp;
  e->args.push_back(std::move(value));
  if (lane) e->args.push_back(std::move(lane));
  return reusable(cx, arrayValue(cx, std::move(e), std::move(type), {}, span), name, span);
}

Value shuffled(Context &cx, WarpOp what, Bound &args, const std::string &called, Span span) {
  Value value = ofEachLane(cx, args, called);
  if (value.isPoison()) return value;
  ExprPtr lane = laneNumber(cx, args, 1, called);
  if (!lane) return Value::poison();
  Type type = value.type;
  return exchanged(cx, {what, {}}, takeExpr(value), std::move(lane), type, "shuffled", span);
}

/// The word among those that an argument may be; the first if it is left out. Nothing after a message.
std::optional<std::string> wordOf(Context &cx, const Bound &args, size_t i, const std::vector<std::string> &words) {
  if (!args.values[i].given()) return words[0];
  const Value &given = args.values[i];
  if (given.kind == ValueKind::String && !given.expr &&
      std::find(words.begin(), words.end(), given.text) != words.end())
    return given.text;
  std::string all;
  for (const std::string &word : words)
    all += (all.empty() ? "" : word == words.back() ? " or " : ", ") + ("\"" + word + "\"");
  if (!given.isPoison() && fresh(cx, Id::wrongArgument, args.spans[i]))
    report(cx, Id::wrongArgument, args.spans[i], "this choice", all,
           given.kind == ValueKind::String ? "\"" + given.text + "\"" : describe(cx, given));
  return std::nullopt;
}

Value voted(Context &cx, Bound &args, const std::string &called, Span span) {
  Value value = ofEachLane(cx, args, called);
  auto how = called == "ballot" ? std::optional(called) : wordOf(cx, args, 1, {"any", "all", "ballot"});
  if (value.isPoison() || !how) return Value::poison();
  if (value.type.dtype != DType::Bool) {
    if (fresh(cx, Id::badOperand, args.spans[0]))
      report(cx, Id::badOperand, args.spans[0], called, std::string(name(value.type.dtype)))
          .help("compare first: `tile." + called + "(x > 0)`");
    return Value::poison();
  }
  node::Warp warp{WarpOp::Ballot, {}};
  if (*how != "ballot") warp = {WarpOp::Reduce, *how == "any" ? ReduceOp::Any : ReduceOp::All};
  const DType result = *how == "ballot" ? DType::U32 : DType::Bool;
  return exchanged(cx, warp, takeExpr(value), nullptr, scalarType(result), *how, span);
}

Value combined(Context &cx, Bound &args, const std::string &called, Span span) {
  Value value = ofEachLane(cx, args, called);
  auto word = wordOf(cx, args, 1, {"sum", "prod", "min", "max"});
  if (value.isPoison() || !word) return Value::poison();
  const ReduceOp op = *reduceByMnemonic(*word);
  const bool adds = op == ReduceOp::Sum || op == ReduceOp::Prod;
  if (value.type.dtype == DType::Bool && !adds) {
    if (fresh(cx, Id::badOperand, args.spans[0]))
      report(cx, Id::badOperand, args.spans[0], called, "bool")
          .help("whether one is true: `tile.vote(x)`; whether all are: `tile.vote(x, \"all\")`");
    return Value::poison();
  }
  if (adds) {
    auto summand = summandOf(cx, value, "a reduction (`" + called + "`)", span);
    if (!summand) return Value::poison();
    Type type = summand->type;
    return exchanged(cx, {WarpOp::Reduce, op}, takeExpr(summand->value), nullptr, type, *word, span);
  }
  const Type type = value.type;
  const DType carried = carryTypeOf(type);  // small floats are compared in a wider dtype, which changes none of them
  return exchanged(cx, {WarpOp::Reduce, op}, inCarryType(cx, std::move(value), carried, span), nullptr, type, *word,
                   span);
}

}  // namespace

Value kernelWarp(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &, Span span) {
  const std::string called(row.name);
  if (underDivergence(cx, "exchange between lanes", span) || !hasWholeWarps(cx, called, span)) return Value::poison();
  if (row.op == "vote" || row.op == "ballot") return voted(cx, args, called, span);
  if (row.op == "reduce") return combined(cx, args, called, span);
  return shuffled(cx, row.op == "shuffle" ? WarpOp::Shuffle : WarpOp::ShuffleXor, args, called, span);
}

}  // namespace tessera::sema
