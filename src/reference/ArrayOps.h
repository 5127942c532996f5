// Operations on whole arrays: moving elements, adding them up, contracting. Each works lane by lane where a
// value differs between lanes.
#pragma once
#include "reference/Datum.h"
#include "support/Ops.h"

namespace tessera::reference {

using Shape = std::vector<int64_t>;

/// axes[i]: which axis of `shape` axis i of the argument becomes.
Ref broadcast(const Ref &value, const Shape &shape, const std::vector<int> &axes);
Ref reshape(const Ref &value, const Shape &shape);
/// Axis i of the result is axis axes[i] of the argument.
Ref transpose(const Ref &value, const std::vector<int> &axes);
/// Floats are added up in f64, and the sum is rounded to `result` once: no order of summation is nearer. No elements: 0,
/// 1, false, true, or for Min and Max the far end of the dtype.
Ref reduce(const Ref &value, ReduceOp op, const std::vector<int> &axes, DType result);
/// Two values by an operation; of truth values, and of integers, which do not wrap here beyond 64 bits.
double combine(ReduceOp op, double a, double b);
int64_t combine(ReduceOp op, int64_t a, int64_t b);
/// Each element combined with those before it along an axis. Floats are combined in f64, and what is so far is rounded once.
Ref scan(const Ref &value, ReduceOp op, int axis);
/// [..., M, K] times [..., K, N]; the leading dimensions are the same.
Ref dot(const Ref &left, const Ref &right, DType result);
/// Numbers in row-major order as an array.
Ref table(const std::vector<Ref> &numbers, const Shape &shape, DType dtype);
Ref full(const Ref &scalar, const Shape &shape, DType dtype);
Ref iota(DType dtype, const Shape &shape, int axis);
/// `shape` has the places in a window and the windows, `step` apart, for `axis`.
Ref window(const Ref &value, int axis, int64_t step, int64_t dilation, const Shape &shape);
/// `value` at `places` along `axis`, 0 outside of it; along[i]: which axis of `shape` axis i of the places is.
/// Zeros of `shape`, carried in the dtype of the value, to which it is added at the places of an axis, in their order.
Ref scatterAdd(const Ref &value, const Ref &places, int axis, const std::vector<int> &along, const Shape &shape);
Ref gatherAlong(const Ref &value, const Ref &places, int axis, const std::vector<int> &along,
                const Shape &shape);
/// Along the last axis, the places of a row's elements in rising or falling order; NaN last, what is equal as it came.
Ref argsort(const Ref &value, bool descending);
Ref concat(const std::vector<Ref> &values, int axis);
/// Elements offset, offset + step, ... along each axis; `keep` says which axes stay.
struct SlicePart {
  int64_t offset = 0, size = 1, step = 1;
  bool isPoint = false;
};
/// Nothing may lie outside the value.
Ref slice(const Ref &value, const std::vector<SlicePart> &parts);

}  // namespace tessera::reference
