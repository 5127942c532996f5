#include "reference/ArrayOps.h"
#include "reference/Elementwise.h"
#include "support/FloatFormats.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tessera::reference {
namespace {

/// The shape with the lanes as its first axis, where there are lanes.
Shape withLanes(const Datum &d) {
  Shape shape = d.shape;
  if (d.lanes != 0) shape.insert(shape.begin(), d.lanes);
  return shape;
}
Shape rowMajor(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// Calls f(position, offset) for every index of `shape` in row-major order; offset = start + sum of index *
/// stride.
template <class F> void walk(const Shape &shape, const Shape &strides, int64_t start, F f) {
  size_t count = elementCount(shape), rank = shape.size();
  if (count == 0) return;
  if (rank == 0) return f(size_t(0), start);
  Shape index(rank, 0);
  int64_t inner = shape[rank - 1], innerStride = strides[rank - 1], offset = start;
  for (size_t position = 0; position < count;) {
    for (int64_t i = 0; i < inner; ++i) f(position++, offset + i * innerStride);
    for (size_t d = rank - 1; d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d]) break;
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

/// A new array of `shape` whose elements stand `strides` apart in the old one. `shape` and `strides` hold the
/// lanes.
Ref gather(const Ref &from, const Shape &fullShape, const Shape &strides, int64_t start) {
  Shape shape = fullShape;
  if (from->lanes != 0) shape.erase(shape.begin());
  Ref out = makeDatum(from->dtype, shape, from->lanes);
  if (out->isFloat())
    walk(fullShape, strides, start,
         [&](size_t to, int64_t at) { out->floats[to] = from->floats[static_cast<size_t>(at)]; });
  else
    walk(fullShape, strides, start,
         [&](size_t to, int64_t at) { out->ints[to] = from->ints[static_cast<size_t>(at)]; });
  return out;
}

}  // namespace

Ref broadcast(const Ref &value, const Shape &shape, const std::vector<int> &axes) {
  TSR_CHECK(axes.size() == value->shape.size(), "axes of a broadcast");
  size_t lead = value->lanes != 0 ? 1 : 0;
  Shape from = withLanes(*value), fromStrides = rowMajor(from), strides(shape.size() + lead, 0),
        target = shape;
  if (lead) target.insert(target.begin(), value->lanes), strides[0] = fromStrides[0];
  for (size_t i = 0; i < axes.size(); ++i) {
    auto axis = static_cast<size_t>(axes[i]) + lead;
    TSR_CHECK(axis < target.size() && (from[i + lead] == 1 || from[i + lead] == target[axis]),
              "broadcast of " + shapeText(value->shape) + " to " + shapeText(shape));
    strides[axis] = from[i + lead] == 1 ? 0 : fromStrides[i + lead];
  }
  return gather(value, target, strides, 0);
}

Ref reshape(const Ref &value, const Shape &shape) {
  TSR_CHECK(elementCount(shape) == value->perLane(),
            "reshape of " + shapeText(value->shape) + " to " + shapeText(shape));
  auto out = std::make_shared<Datum>(*value);
  out->shape = shape;
  return out;
}

Ref transpose(const Ref &value, const std::vector<int> &axes) {
  TSR_CHECK(axes.size() == value->shape.size(), "axes of a transpose");
  size_t lead = value->lanes != 0 ? 1 : 0;
  Shape from = withLanes(*value), fromStrides = rowMajor(from), target = from, strides = fromStrides;
  for (size_t i = 0; i < axes.size(); ++i) {
    target[i + lead] = from[static_cast<size_t>(axes[i]) + lead];
    strides[i + lead] = fromStrides[static_cast<size_t>(axes[i]) + lead];
  }
  return gather(value, target, strides, 0);
}

Ref slice(const Ref &value, const std::vector<SlicePart> &parts) {
  TSR_CHECK(parts.size() == value->shape.size(), "parts of a slice");
  size_t lead = value->lanes != 0 ? 1 : 0;
  Shape from = withLanes(*value), fromStrides = rowMajor(from), target, strides;
  if (lead) target.push_back(value->lanes), strides.push_back(fromStrides[0]);
  int64_t start = 0;
  for (size_t d = 0; d < parts.size(); ++d) {
    start += parts[d].offset * fromStrides[d + lead];
    if (parts[d].isPoint) continue;
    target.push_back(parts[d].size);
    strides.push_back(parts[d].step * fromStrides[d + lead]);
  }
  return gather(value, target, strides, start);
}

// ---------------------------------------------------------------- reductions and contractions

namespace {

double startOf(ReduceOp op) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Any: return 0;
  case ReduceOp::Prod:
  case ReduceOp::All: return 1;
  case ReduceOp::Min: return infinity;
  case ReduceOp::Max: return -infinity;
  }
  TSR_UNREACHABLE("reduction");
}

void reduceFloats(ReduceOp op, const Shape &shape, const Shape &strides, const double *in,
                  std::vector<double> &out) {
  std::fill(out.begin(), out.end(), startOf(op));
  auto fold = [&](auto f) {
    walk(shape, strides, 0, [&](size_t at, int64_t to) {
      double &o = out[static_cast<size_t>(to)];
      o = f(o, in[at]);
    });
  };
  switch (op) {
  case ReduceOp::Sum: return fold([](double a, double b) { return a + b; });
  case ReduceOp::Prod: return fold([](double a, double b) { return a * b; });
  case ReduceOp::Min:
    return fold([](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); });
  case ReduceOp::Max:
    return fold([](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); });
  case ReduceOp::Any: return fold([](double a, double b) { return a != 0 || b != 0; });
  case ReduceOp::All: return fold([](double a, double b) { return a != 0 && b != 0; });
  }
}

void reduceInts(ReduceOp op, DType dtype, const Shape &shape, const Shape &strides, const int64_t *in,
                std::vector<int64_t> &out) {
  int64_t start = op == ReduceOp::Min   ? maxInt(dtype)
                  : op == ReduceOp::Max ? minInt(dtype)
                                        : static_cast<int64_t>(startOf(op));
  std::fill(out.begin(), out.end(), start);
  using U = uint64_t;
  auto fold = [&](auto f) {
    walk(shape, strides, 0, [&](size_t at, int64_t to) {
      int64_t &o = out[static_cast<size_t>(to)];
      o = static_cast<int64_t>(f(o, in[at]));
    });
  };
  switch (op) {
  case ReduceOp::Sum: fold([](int64_t a, int64_t b) { return U(a) + U(b); }); break;
  case ReduceOp::Prod: fold([](int64_t a, int64_t b) { return U(a) * U(b); }); break;
  case ReduceOp::Min: fold([](int64_t a, int64_t b) { return std::min(a, b); }); break;
  case ReduceOp::Max: fold([](int64_t a, int64_t b) { return std::max(a, b); }); break;
  case ReduceOp::Any: fold([](int64_t a, int64_t b) { return a != 0 || b != 0; }); break;
  case ReduceOp::All: fold([](int64_t a, int64_t b) { return a != 0 && b != 0; }); break;
  }
  for (int64_t &v : out) v = wrapInt(dtype, v);
}

}  // namespace

Ref reduce(const Ref &value, ReduceOp op, const std::vector<int> &axes, DType result) {
  size_t lead = value->lanes != 0 ? 1 : 0;
  Shape from = withLanes(*value), kept;
  std::vector<bool> gone(from.size(), false);
  for (int axis : axes) gone[static_cast<size_t>(axis) + lead] = true;
  for (size_t d = lead; d < from.size(); ++d)
    if (!gone[d]) kept.push_back(from[d]);
  Ref out = makeDatum(result, kept, value->lanes);
  Shape outStrides = rowMajor(withLanes(*out)), strides(from.size(), 0);
  for (size_t d = 0, next = 0; d < from.size(); ++d)
    if (!gone[d]) strides[d] = outStrides[next++];
  TSR_CHECK(value->isFloat() == out->isFloat(), "a reduction changes the kind of number");
  if (out->isFloat()) {
    reduceFloats(op, from, strides, value->floats.data(), out->floats);
    roundTo(result, out->floats);
  } else reduceInts(op, result, from, strides, value->ints.data(), out->ints);
  return out;
}

double combine(ReduceOp op, double a, double b) {
  switch (op) {
  case ReduceOp::Sum: return a + b;
  case ReduceOp::Prod: return a * b;
  case ReduceOp::Min: return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  case ReduceOp::Max: return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  case ReduceOp::Any: return a != 0 || b != 0;
  case ReduceOp::All: return a != 0 && b != 0;
  }
  TSR_UNREACHABLE("reduction");
}

int64_t combine(ReduceOp op, int64_t a, int64_t b) {
  using U = uint64_t;
  switch (op) {
  case ReduceOp::Sum: return static_cast<int64_t>(U(a) + U(b));
  case ReduceOp::Prod: return static_cast<int64_t>(U(a) * U(b));
  case ReduceOp::Min: return std::min(a, b);
  case ReduceOp::Max: return std::max(a, b);
  case ReduceOp::Any: return a != 0 || b != 0;
  case ReduceOp::All: return a != 0 && b != 0;
  }
  TSR_UNREACHABLE("reduction");
}

namespace {
/// Lines of `count` elements, `step` apart; so many lines lie beside each other in a block.
template <class T> void scanLines(ReduceOp op, std::vector<T> &values, size_t count, size_t step) {
  for (size_t block = 0; block + count * step <= values.size() && count > 0; block += count * step)
    for (size_t at = block + step; at < block + count * step; ++at) values[at] = combine(op, values[at - step], values[at]);
}
}  // namespace

Ref scan(const Ref &value, ReduceOp op, int axis) {
  auto out = std::make_shared<Datum>(*value);
  const auto place = static_cast<size_t>(axis);
  const auto count = static_cast<size_t>(value->shape[place]);
  const size_t step = elementCount(Shape(value->shape.begin() + axis + 1, value->shape.end()));
  if (step == 0) return out;
  if (out->isFloat()) {
    scanLines(op, out->floats, count, step);
    roundTo(out->dtype, out->floats);
  } else {
    scanLines(op, out->ints, count, step);
    for (int64_t &v : out->ints) v = wrapInt(out->dtype, v);
  }
  return out;
}

namespace {
template <class T> void multiply(const T *a, const T *b, T *c, size_t m, size_t n, size_t k) {
  for (size_t i = 0; i < m; ++i)
    for (size_t p = 0; p < k; ++p) {
      T factor = a[i * k + p];
      for (size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[p * n + j];
    }
}
}  // namespace

Ref dot(const Ref &left, const Ref &right, DType result) {
  size_t rank = left->shape.size();
  TSR_CHECK(rank >= 2 && right->shape.size() == rank && left->shape[rank - 1] == right->shape[rank - 2],
            "dot of " + shapeText(left->shape) + " and " + shapeText(right->shape));
  Shape shape = left->shape;
  shape[rank - 1] = right->shape[rank - 1];
  for (size_t d = 0; d + 2 < rank; ++d)
    TSR_CHECK(left->shape[d] == right->shape[d], "leading dimensions of a dot");
  int64_t lanes = std::max(left->lanes, right->lanes);
  Ref out = makeDatum(result, shape, lanes);
  TSR_CHECK(left->isFloat() == out->isFloat() && right->isFloat() == out->isFloat(),
            "a dot of two kinds of number");
  auto m = static_cast<size_t>(shape[rank - 2]), n = static_cast<size_t>(shape[rank - 1]),
       k = static_cast<size_t>(left->shape[rank - 1]);
  Shape leading(shape.begin(), shape.end() - 2);
  size_t batches = elementCount(leading), laneCount = static_cast<size_t>(std::max<int64_t>(lanes, 1));
  std::vector<uint64_t> ua, ub, uc;  // integers wrap around: computed without a sign
  if (!out->isFloat()) {
    ua.assign(left->ints.begin(), left->ints.end());
    ub.assign(right->ints.begin(), right->ints.end());
    uc.assign(out->ints.size(), 0);
  }
  for (size_t lane = 0; lane < laneCount; ++lane)
    for (size_t batch = 0; batch < batches; ++batch) {
      size_t a = (left->lanes ? lane * left->perLane() : 0) + batch * m * k;
      size_t b = (right->lanes ? lane * right->perLane() : 0) + batch * k * n;
      size_t c = lane * out->perLane() + batch * m * n;
      if (out->isFloat())
        multiply(left->floats.data() + a, right->floats.data() + b, out->floats.data() + c, m, n, k);
      else multiply(ua.data() + a, ub.data() + b, uc.data() + c, m, n, k);
    }
  if (out->isFloat()) roundTo(result, out->floats);
  for (size_t i = 0; i < uc.size(); ++i) out->ints[i] = wrapInt(result, static_cast<int64_t>(uc[i]));
  return out;
}

// ---------------------------------------------------------------- making arrays

Ref full(const Ref &scalar, const Shape &shape, DType dtype) {
  Ref out = makeDatum(dtype, shape, scalar->lanes);
  TSR_CHECK(scalar->shape.empty() && scalar->isFloat() == out->isFloat(), "the value of a full array");
  size_t count = out->perLane();
  for (size_t i = 0; i < out->size(); ++i) {
    size_t from = scalar->lanes != 0 ? i / count : 0;
    if (out->isFloat()) out->floats[i] = scalar->floats[from];
    else out->ints[i] = scalar->ints[from];
  }
  return out;
}

Ref table(const std::vector<Ref> &numbers, const Shape &shape, DType dtype) {
  Ref out = makeDatum(dtype, shape);
  TSR_CHECK(numbers.size() == out->size(), "a number for each element of a table");
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (out->isFloat()) out->floats[i] = numbers[i]->floats.at(0);
    else out->ints[i] = numbers[i]->ints.at(0);
  }
  return out;
}

Ref iota(DType dtype, const Shape &shape, int axis) {
  Ref out = makeDatum(dtype, shape);
  Shape strides(shape.size(), 0);
  strides[static_cast<size_t>(axis)] = 1;
  walk(shape, strides, 0, [&](size_t at, int64_t index) {
    if (out->isFloat()) out->floats[at] = static_cast<double>(index);
    else out->ints[at] = index;
  });
  return out;
}

Ref window(const Ref &value, int axis, int64_t step, int64_t dilation, const Shape &shape) {
  size_t lead = value->lanes != 0, at = static_cast<size_t>(axis) + lead;
  Shape target = shape, strides = rowMajor(withLanes(*value));
  if (lead) target.insert(target.begin(), value->lanes);
  int64_t stride = strides[at];
  strides[at] = stride * dilation;
  strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(at) + 1, stride * step);
  return gather(value, target, strides, 0);
}

namespace {
/// For each element of an array of `shape` that has its place along `axis` replaced: its number, and that of the element of
/// the other array, whose axis is `extent` long; no number if the place lies outside of it.
template <class Visit>
void replaceAlong(const Shape &shape, const Ref &places, int axis, const std::vector<int> &along, int64_t extent,
                  const Visit &visit) {
  size_t rank = shape.size();
  Shape index(rank, 0), other(shape);
  other[static_cast<size_t>(axis)] = extent;
  auto at = [](const Shape &extents, const Shape &position) {
    int64_t offset = 0;
    for (size_t d = 0; d < extents.size(); ++d) offset = offset * extents[d] + position[d];
    return static_cast<size_t>(offset);
  };
  for (size_t number = 0, count = elementCount(shape); number < count; ++number) {
    size_t rest = number;
    for (size_t d = rank; d-- > 0; rest /= static_cast<size_t>(shape[d]))
      index[d] = static_cast<int64_t>(rest % static_cast<size_t>(shape[d]));
    Shape place(along.size()), replaced(index);
    for (size_t i = 0; i < along.size(); ++i) place[i] = index[static_cast<size_t>(along[i])];
    int64_t &chosen = replaced[static_cast<size_t>(axis)];
    chosen = places->ints[at(places->shape, place)];
    bool inside = chosen >= 0 && chosen < extent;
    visit(number, inside ? std::optional(at(other, replaced)) : std::nullopt);
  }
}
}  // namespace

Ref gatherAlong(const Ref &value, const Ref &places, int axis, const std::vector<int> &along,
                const Shape &shape) {
  TSR_CHECK(value->lanes == 0 && places->lanes == 0, "a gather in lanes");
  Ref out = makeDatum(value->dtype, shape);
  replaceAlong(shape, places, axis, along, value->shape[static_cast<size_t>(axis)], [&](size_t to, std::optional<size_t> from) {
    if (out->isFloat()) out->floats[to] = from ? value->floats[*from] : 0;
    else out->ints[to] = from ? value->ints[*from] : 0;
  });
  return out;
}

Ref scatterAdd(const Ref &value, const Ref &places, int axis, const std::vector<int> &along, const Shape &shape) {
  TSR_CHECK(value->lanes == 0 && places->lanes == 0, "a scatter in lanes");
  Ref out = makeDatum(value->dtype, shape);
  replaceAlong(value->shape, places, axis, along, shape[static_cast<size_t>(axis)], [&](size_t from, std::optional<size_t> to) {
    if (!to) return;
    if (out->isFloat()) out->floats[*to] += value->floats[from];
    else out->ints[*to] = wrapInt(value->dtype, static_cast<int64_t>(static_cast<uint64_t>(out->ints[*to]) + static_cast<uint64_t>(value->ints[from])));
  });
  if (out->isFloat()) roundTo(out->dtype, out->floats);
  return out;
}

Ref argsort(const Ref &value, bool descending) {
  TSR_CHECK(value->lanes == 0 && !value->shape.empty(), "an order of a scalar, or in lanes");
  Ref out = makeDatum(DType::I64, value->shape);
  auto extent = static_cast<std::ptrdiff_t>(value->shape.back());
  auto sortRow = [&](auto row, auto order) {
    std::iota(order, order + extent, int64_t(0));
    std::sort(order, order + extent, [&](int64_t i, int64_t j) {
      auto a = row[i], b = row[j];
      if ((a != a) != (b != b)) return a == a;  // NaN is last
      if (a == b || a != a) return i < j;       // equal ones stay in their order
      return descending ? a > b : a < b;
    });
  };
  auto count = static_cast<std::ptrdiff_t>(elementCount(value->shape));
  for (std::ptrdiff_t at = 0; at < count; at += extent) {
    if (value->isFloat()) sortRow(value->floats.begin() + at, out->ints.begin() + at);
    else sortRow(value->ints.begin() + at, out->ints.begin() + at);
  }
  return out;
}

Ref concat(const std::vector<Ref> &values, int axis) {
  Shape shape = values[0]->shape;
  auto along = static_cast<size_t>(axis);
  shape[along] = 0;
  int64_t lanes = 0;
  for (const Ref &v : values) shape[along] += v->shape[along], lanes = std::max(lanes, v->lanes);
  Ref out = makeDatum(values[0]->dtype, shape, lanes);
  size_t outer = elementCount(Shape(shape.begin(), shape.begin() + axis));
  size_t inner = elementCount(Shape(shape.begin() + axis + 1, shape.end()));
  size_t to = 0;
  for (size_t lane = 0; lane < static_cast<size_t>(std::max<int64_t>(lanes, 1)); ++lane)
    for (size_t o = 0; o < outer; ++o)
      for (const Ref &v : values) {
        size_t run = static_cast<size_t>(v->shape[along]) * inner;
        size_t from = (v->lanes ? lane * v->perLane() : 0) + o * run;
        for (size_t i = 0; i < run; ++i, ++to) {
          if (out->isFloat()) out->floats[to] = v->floats[from + i];
          else out->ints[to] = v->ints[from + i];
        }
      }
  return out;
}

}  // namespace tessera::reference
