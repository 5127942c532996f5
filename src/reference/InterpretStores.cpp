// Elements of arrays of host code by their places, as the emitted program reads and writes them (include/tessera/host/store.h).
#include "reference/ArrayOps.h"
#include "reference/Elementwise.h"
#include "reference/Format.h"
#include "reference/Interpreter.h"
#include "support/HostParts.h"

namespace tessera::reference {

using checked::Expr;
namespace node = checked::node;

namespace {
/// The elements that indices name: where the first is, and what is left of the axes.
struct Places {
  int64_t first = 0;
  Shape shape, strides;
};
}  // namespace

/// False, with what is wrong, if an index lies outside.
static bool addAxis(Places &places, int64_t begin, int64_t end, int64_t step, int64_t extent, size_t axis, int64_t stride, std::string &error) {
  const bool isPoint = step == kPointStep;
  const int64_t given = begin;
  if (begin < 0) begin += extent;
  end = end == kPartToEnd ? extent : end < 0 ? end + extent : end;
  const std::string where = " of axis " + std::to_string(axis) + ", which has " + std::to_string(extent) + " elements";
  if (isPoint && (begin < 0 || begin >= extent)) return error = "there is no index " + std::to_string(given) + where, false;
  if (!isPoint && (begin < 0 || end > extent || end < begin || step < 1))
    return error = "there is no part " + std::to_string(given) + ":" + std::to_string(end) + where, false;
  places.first += begin * stride;
  if (isPoint) return true;
  places.shape.push_back((end - begin + step - 1) / step);
  places.strides.push_back(step * stride);
  return true;
}

/// Three numbers for each axis that is named; the others are whole.
static bool placesOf(const Shape &extents, std::vector<int64_t> along, Places &places, std::string &error) {
  if (along.size() > 3 * extents.size())
    return error = std::to_string(along.size() / 3) + " indices of an array with " + std::to_string(extents.size()) + " dimensions", false;
  while (along.size() < 3 * extents.size()) along.insert(along.end(), {0, kPartToEnd, 1});
  int64_t stride = 1;
  for (int64_t extent : extents) stride *= extent;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    stride = extents[axis] == 0 ? 0 : stride / extents[axis];
    if (!addAxis(places, along[3 * axis], along[3 * axis + 1], along[3 * axis + 2], extents[axis], axis, stride, error)) return false;
  }
  return true;
}

Ref Interpreter::hostElement(const Expr &expr) {
  Ref array = eval(*expr.args[0]);
  if (!array) return nullptr;
  std::vector<int64_t> along;
  for (size_t i = 1; i < expr.args.size(); ++i) {
    auto index = evalInt(*expr.args[i]);
    if (!index) return nullptr;
    along.insert(along.end(), {*index, *index, kPointStep});
  }
  Places places;
  std::string error;
  if (!placesOf(array->shape, along, places, error)) return fail(expr.span, error, tsr::host::kIndexError);
  const auto at = static_cast<size_t>(places.first);
  if (expr.type.kind != checked::TypeKind::Scalar) {
    Ref element = makeDatum(array->dtype, {});
    if (array->isFloat()) element->floats[0] = array->floats[at];
    else element->ints[0] = array->ints[at];
    return element;
  }
  if (expr.as<node::HostCall>().function == "element_whole") return makeInt(DType::I64, array->isFloat() ? static_cast<int64_t>(array->floats[at]) : array->ints[at]);
  if (!array->isFloat() && !isExact(array->ints[at])) return fail(expr.span, inexactText(array->ints[at]));
  return makeFloat(DType::F64, array->number(at));
}

/// Writes a value to some places of an array, repeated as NumPy does. False, with what is wrong, if it does not fit there.
static bool storeAt(Datum &out, const Ref &value, const Places &places, std::string &error) {
  const size_t rank = places.shape.size(), mine = value->shape.size();
  bool fits = mine <= rank;
  for (size_t i = 0; fits && i < mine; ++i) fits = value->shape[mine - 1 - i] == 1 || value->shape[mine - 1 - i] == places.shape[rank - 1 - i];
  if (!fits) return error = "an array of the shape " + shapeText(value->shape) + " is stored to a part of the shape " + shapeText(places.shape), false;
  int64_t count = 1;
  for (int64_t extent : places.shape) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t to = places.first, from = 0, stride = 1, rest = i;
    for (size_t back = 0; back < rank; ++back) {
      const size_t axis = rank - 1 - back;
      const int64_t index = rest % places.shape[axis];
      rest /= places.shape[axis];
      to += index * places.strides[axis];
      if (back >= mine) continue;
      const int64_t extent = value->shape[mine - 1 - back];
      if (extent != 1) from += index * stride;
      stride *= extent;
    }
    if (out.isFloat()) out.floats[static_cast<size_t>(to)] = value->floats[static_cast<size_t>(from)];
    else out.ints[static_cast<size_t>(to)] = value->ints[static_cast<size_t>(from)];
  }
  return true;
}

Ref Interpreter::hostStore(const Expr &expr) {
  Ref array = eval(*expr.args[0]), value = array ? eval(*expr.args[1]) : nullptr;
  if (!value) return nullptr;
  std::vector<int64_t> along;
  for (size_t i = 2; i < expr.args.size(); ++i) {
    auto number = evalInt(*expr.args[i]);
    if (!number) return nullptr;
    along.push_back(*number);
  }
  Places places;
  std::string error;
  if (!placesOf(array->shape, along, places, error)) return fail(expr.span, error, tsr::host::kIndexError);
  value = cast(value, array->dtype, {}, error);
  if (!value) return fail(expr.span, error);
  Ref out = std::make_shared<Datum>(*array);
  return storeAt(*out, value, places, error) ? out : fail(expr.span, error);
}

Ref Interpreter::hostStoreRows(const Expr &expr) {
  Ref array = eval(*expr.args[0]), value = array ? eval(*expr.args[1]) : nullptr, rows = value ? eval(*expr.args[2]) : nullptr;
  if (!rows) return nullptr;
  std::string error;
  value = cast(value, array->dtype, {}, error);
  if (!value) return fail(expr.span, error);
  const auto count = static_cast<int64_t>(rows->size());
  const bool each = value->shape.size() == array->shape.size() && value->shape[0] != 1;
  if (each && value->shape[0] != count)
    return fail(expr.span, "an array of the shape " + shapeText(value->shape) + " is stored to " + std::to_string(count) + " rows");
  const size_t width = each && count > 0 ? value->size() / static_cast<size_t>(count) : 0;
  Ref out = std::make_shared<Datum>(*array);
  for (int64_t i = 0; i < count; ++i) {
    Places places;
    const int64_t row = rows->ints[static_cast<size_t>(i)];
    if (!placesOf(array->shape, {row, row, kPointStep}, places, error)) return fail(expr.span, error);
    Ref one = value;
    if (each) {
      one = makeDatum(value->dtype, Shape(value->shape.begin() + 1, value->shape.end()));
      const auto from = static_cast<std::ptrdiff_t>(width) * i, to = from + static_cast<std::ptrdiff_t>(width);
      if (value->isFloat()) one->floats.assign(value->floats.begin() + from, value->floats.begin() + to);
      else one->ints.assign(value->ints.begin() + from, value->ints.begin() + to);
    }
    if (!storeAt(*out, one, places, error)) return fail(expr.span, error);
  }
  return out;
}

Ref Interpreter::hostAppend(const Expr &expr) {
  Ref list = eval(*expr.args[0]);
  if (!list) return nullptr;
  Ref out = std::make_shared<Datum>(*list);
  for (size_t i = 1; i < expr.args.size(); ++i) {
    Ref value = eval(*expr.args[i]);
    if (!value) return nullptr;
    if (expr.as<node::HostCall>().function == "store_next_row") {
      Shape shape = value->shape;
      shape.insert(shape.begin(), list->shape.at(0));
      if (shape[0] == 0) out->shape = shape;
      if (out->shape != shape) return fail(expr.span, "an array of the shape " + shapeText(value->shape) + " is appended to a list of arrays of the shape " + shapeText(Shape(out->shape.begin() + 1, out->shape.end())));
    }
    std::string error;
    value = cast(value, list->dtype, {}, error);
    if (!value) return fail(expr.span, error);
    out->floats.insert(out->floats.end(), value->floats.begin(), value->floats.end());
    out->ints.insert(out->ints.end(), value->ints.begin(), value->ints.end());
  }
  ++out->shape.at(0);
  return out;
}

Ref Interpreter::hostWithout(const Expr &expr) {
  Ref list = eval(*expr.args[0]);
  auto index = list ? evalInt(*expr.args[1]) : std::nullopt;
  if (!index) return nullptr;
  const int64_t rows = list->shape.at(0), row = *index < 0 ? *index + rows : *index;
  if (row < 0 || row >= rows)
    return fail(expr.span, rows == 0 ? "an item is taken from a list that is empty" : "there is no item " + std::to_string(*index) + " of a list of " + std::to_string(rows), tsr::host::kIndexError);
  Ref out = std::make_shared<Datum>(*list);
  const auto width = static_cast<std::ptrdiff_t>(list->size() / static_cast<size_t>(rows)), from = width * row;
  if (out->isFloat()) out->floats.erase(out->floats.begin() + from, out->floats.begin() + from + width);
  else out->ints.erase(out->ints.begin() + from, out->ints.begin() + from + width);
  --out->shape[0];
  return out;
}

}  // namespace tessera::reference
