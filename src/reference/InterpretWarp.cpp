// What the lanes of a warp learn of each other.
#include "reference/Elementwise.h"
#include "reference/Interpreter.h"
#include "support/FloatFormats.h"
#include "support/Lanes.h"

namespace tessera::reference {

using checked::Expr;
using checked::WarpOp;
namespace node = checked::node;

namespace {

/// values[lane] = source(lane) of the same warp.
template <class T, class Source> std::vector<T> exchanged(const std::vector<T> &values, Source source) {
  std::vector<T> out(values.size());
  for (size_t lane = 0; lane < values.size(); ++lane) {
    const size_t first = lane - lane % kWarpLanes;
    out[lane] = values[first + static_cast<size_t>(source(lane) & (kWarpLanes - 1))];
  }
  return out;
}

/// Lanes 16 apart are combined first, then 8, 4, 2 and 1; each result is rounded, as the dtype's own arithmetic does.
template <class T, class Round> void combineWarps(ReduceOp op, std::vector<T> &values, Round round) {
  for (int64_t distance = kWarpLanes / 2; distance > 0; distance /= 2) {
    const std::vector<T> others = exchanged(values, [=](size_t lane) { return static_cast<int64_t>(lane) ^ distance; });
    for (size_t lane = 0; lane < values.size(); ++lane) values[lane] = combine(op, values[lane], others[lane]);
    round(values);
  }
}

}  // namespace

Ref Interpreter::warp(const Expr &expr, const std::vector<Ref> &args) {
  if (!allLanes())
    return fail(expr.span, "only " + std::to_string(active_) + " of the " + std::to_string(groupSize_) +
                               " lanes of the group reach this exchange between the lanes of a warp");
  if (groupSize_ % kWarpLanes != 0)
    return fail(expr.span, "a group of " + std::to_string(groupSize_) + " lanes is not made of whole warps of " +
                               std::to_string(kWarpLanes));
  const auto &[what, op] = expr.as<node::Warp>();
  const auto lanes = static_cast<size_t>(groupSize_);
  Ref given = makeDatum(args[0]->dtype, {}, groupSize_);
  for (size_t lane = 0; lane < lanes; ++lane) {
    const size_t from = args[0]->lanes == 0 ? 0 : lane;
    if (given->isFloat()) given->floats[lane] = args[0]->floats[from];
    else given->ints[lane] = args[0]->ints[from];
  }
  if (what == WarpOp::Ballot) {
    Ref out = makeDatum(DType::U32, {}, groupSize_);
    for (size_t lane = 0; lane < lanes; ++lane)
      for (int64_t i = 0; i < kWarpLanes; ++i)
        if (given->ints[lane - lane % kWarpLanes + static_cast<size_t>(i)] != 0) out->ints[lane] |= int64_t(1) << i;
    return out;
  }
  if (what == WarpOp::Reduce) {
    const DType dtype = given->dtype;
    if (given->isFloat())
      combineWarps(op, given->floats, [dtype](std::vector<double> &values) { roundTo(dtype, values); });
    else
      combineWarps(op, given->ints, [dtype](std::vector<int64_t> &values) {
        for (int64_t &v : values) v = wrapInt(dtype, v);
      });
    return given;
  }
  auto source = [&](size_t lane) {
    const int64_t number = args[1]->intAt(static_cast<int64_t>(lane));
    return what == WarpOp::Shuffle ? number : static_cast<int64_t>(lane) ^ number;
  };
  if (given->isFloat()) given->floats = exchanged(given->floats, source);
  else given->ints = exchanged(given->ints, source);
  return given;
}

}  // namespace tessera::reference
