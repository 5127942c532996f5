// Elements that a mask chooses in host code, as the emitted program finds them (include/tessera/host/store.h).
#include "reference/ArrayOps.h"
#include "reference/Elementwise.h"
#include "reference/Interpreter.h"

namespace tessera::reference {

using checked::Expr;

/// The numbers of the elements that are not 0, in row-major order.
static std::vector<size_t> heldPlaces(const Datum &mask) {
  std::vector<size_t> held;
  for (size_t i = 0; i < mask.size(); ++i)
    if (mask.isFloat() ? mask.floats[i] != 0 : mask.ints[i] != 0) held.push_back(i);
  return held;
}

/// Copies part `from` of a row of parts to part `to` of another.
static void copyPart(Datum &out, size_t to, const Datum &in, size_t from, size_t width) {
  const auto source = static_cast<std::ptrdiff_t>(from * width), end = source + static_cast<std::ptrdiff_t>(width), target = static_cast<std::ptrdiff_t>(to * width);
  if (out.isFloat()) std::copy(in.floats.begin() + source, in.floats.begin() + end, out.floats.begin() + target);
  else std::copy(in.ints.begin() + source, in.ints.begin() + end, out.ints.begin() + target);
}

Ref Interpreter::hostChosen(const Expr &expr) {
  const bool stores = expr.args.size() == 3;
  Ref array = eval(*expr.args[0]), value = array && stores ? eval(*expr.args[1]) : array, mask = value ? eval(*expr.args.back()) : nullptr;
  if (!mask) return nullptr;
  const Shape &all = array->shape, &of = mask->shape;
  if (of.size() > all.size() || !std::equal(of.begin(), of.end(), all.begin()))
    return fail(expr.span, "a mask of the shape " + shapeText(of) + " chooses from an array of the shape " + shapeText(all));
  const std::vector<size_t> held = heldPlaces(*mask);
  const auto count = static_cast<int64_t>(held.size());
  Shape shape(all.begin() + static_cast<std::ptrdiff_t>(of.size()), all.end());
  size_t width = 1;
  for (int64_t extent : shape) width *= static_cast<size_t>(extent);
  shape.insert(shape.begin(), count);
  if (!stores) {
    Ref out = makeDatum(array->dtype, shape);
    for (size_t i = 0; i < held.size(); ++i) copyPart(*out, i, *array, held[i], width);
    return out;
  }
  std::string error;
  value = cast(value, array->dtype, {}, error);
  if (!value) return fail(expr.span, error);
  const bool fits = !value->shape.empty() && (value->shape[0] == count || value->shape[0] == 1) &&
                    (count == 0 || value->size() == width * static_cast<size_t>(value->shape[0]));
  if (!fits) return fail(expr.span, "an array of the shape " + shapeText(value->shape) + " is stored to the " + std::to_string(count) + " places of a mask");
  Ref out = std::make_shared<Datum>(*array);
  for (size_t i = 0; i < held.size(); ++i) copyPart(*out, held[i], *value, value->shape[0] == 1 ? 0 : i, width);
  return out;
}

Ref Interpreter::hostPlaces(const Expr &expr) {
  Ref mask = eval(*expr.args[0]);
  auto axis = mask ? evalInt(*expr.args[1]) : std::nullopt;
  if (!axis) return nullptr;
  const std::vector<size_t> held = heldPlaces(*mask);
  int64_t inner = 1, extent = INT64_MAX;
  if (*axis >= 0) {
    if (*axis >= static_cast<int64_t>(mask->shape.size())) return fail(expr.span, "an array of the shape " + shapeText(mask->shape) + " has no axis " + std::to_string(*axis));
    extent = mask->shape[static_cast<size_t>(*axis)];
    for (size_t i = static_cast<size_t>(*axis) + 1; i < mask->shape.size(); ++i) inner *= mask->shape[i];
  }
  Ref out = makeDatum(DType::I64, {static_cast<int64_t>(held.size())});
  for (size_t i = 0; i < held.size(); ++i) out->ints[i] = static_cast<int64_t>(held[i]) / inner % extent;
  return out;
}

}  // namespace tessera::reference
