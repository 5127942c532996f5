// `tensor([[1, 2], [3, 4]])`: numbers that a program writes out. What is known becomes an array of constants of the emitted
// text; numbers that run time decides are put together by it.
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <cmath>

namespace tessera::sema {

namespace {

/// The numbers of nested lists, in their order.
struct Numbers {
  std::vector<Value> values;
  std::vector<Span> spans;
  std::vector<Dim> shape;
};

bool refuse(Context &cx, Span span, const std::string &what, const std::string &help) {
  if (fresh(cx, Id::badConstant, span)) report(cx, Id::badConstant, span, what).help(help);
  return false;
}

/// False, after a message, where the lists are of no array's shape.
bool collect(Context &cx, const Value &list, const ast::Expr *syntax, Span span, size_t axis, Numbers &numbers) {
  const auto count = static_cast<int64_t>(list.items.size());
  if (axis == numbers.shape.size()) numbers.shape.push_back(Dim(count));
  if (count == 0) return refuse(cx, span, "this list is empty, and each list of a tensor's numbers has one at least", "`zeros((0,))` has no elements");
  if (int64_t first = numbers.shape[axis].constant(); count != first)
    return refuse(cx, span, "this list has " + diag::counted(list.items.size(), "item") + ", and the first one beside it has " + std::to_string(first),
                  "the rows of a tensor are equally long");
  for (size_t i = 0; i < list.items.size(); ++i) {
    const Value &item = list.items[i];
    const ast::Expr *written = itemOf(syntax, i, list.items.size());
    const Span at = written ? written->span : span;
    if (item.isPoison()) return false;
    const bool last = axis + 1 == numbers.shape.size(), first = numbers.values.empty();
    if (item.isSequence() ? last && !first : !last)
      return refuse(cx, at, item.isSequence() ? "this is a list, and there are numbers in its place before" : "this is no list, and there are lists in its place before",
                    "the lists of a tensor are equally deep: `[[1, 2], [3, 4]]`");
    if (item.isSequence()) {
      if (!collect(cx, item, written, at, axis + 1, numbers)) return false;
      continue;
    }
    numbers.values.push_back(item);
    numbers.spans.push_back(at);
  }
  return true;
}

/// A number as what it is, known or of run time. Poison after a message.
Value numberOf(Context &cx, const Value &item, Span span) {
  if (item.kind == ValueKind::Int || item.kind == ValueKind::Float || item.kind == ValueKind::Bool) return item;
  Value v = toArray(cx, item, DType::F32, span);
  if (v.isScalar() || v.isPoison()) return v;
  if (v.isArray() && v.type.shape.empty()) return v;
  if (fresh(cx, Id::wrongArgument, span)) {
    auto builder = report(cx, Id::wrongArgument, span, quoted("tensor"), "numbers", describe(cx, item));
    if (v.isArray()) builder.help("`stack([a, b])` puts tensors together, `concat([a, b])` joins them");
  }
  return Value::poison();
}

/// The dtype of numbers that say none: f32 if one is a fraction, i32, bool; that of what run time computes. Nothing after a
/// message.
std::optional<DType> dtypeOf(Context &cx, const Numbers &numbers) {
  std::optional<DType> computed;
  bool fraction = false;
  const bool truth = numbers.values[0].kind == ValueKind::Bool || numbers.values[0].type.dtype == DType::Bool;
  for (size_t i = 0; i < numbers.values.size(); ++i) {
    const Value &v = numbers.values[i];
    const bool isArray = v.kind == ValueKind::Array;
    if ((v.kind == ValueKind::Bool || (isArray && v.type.dtype == DType::Bool)) != truth) {
      refuse(cx, numbers.spans[i], truth ? "this is a number, and there are truth values before it" : "this is a truth value, and there are numbers before it",
             "a tensor is of one dtype: of truth values, or of 0 and 1");
      return std::nullopt;
    }
    fraction |= v.kind == ValueKind::Float;
    if (!isArray || truth) continue;
    const DType own = inHost(cx) && isFloat(v.type.dtype) ? DType::F32 : v.type.dtype;  // host code computes in f64
    auto both = computed ? checked::join(*computed, own) : own;
    if (!both) {
      if (fresh(cx, Id::dtypeMismatch, numbers.spans[i]))
        report(cx, Id::dtypeMismatch, numbers.spans[i], std::string(name(*computed)), std::string(name(own)), "tensor")
            .help("say which you mean: `tensor([...], dtype=f32)`");
      return std::nullopt;
    }
    computed = both;
  }
  if (computed && (isFloat(*computed) || !fraction)) return computed;
  return truth ? DType::Bool : fraction ? DType::F32 : DType::I32;
}

/// Fractions are no values of integers, and numbers no truth values.
bool fits(Context &cx, const Value &value, DType dtype, Span span) {
  const std::string place = "the tensor is of `" + std::string(name(dtype)) + "`";
  if (value.kind == ValueKind::Float && isInt(dtype) && value.number != std::floor(value.number))
    return refuse(cx, span, "this is no whole number, and " + place, "`dtype=f32` holds it");
  if (dtype == DType::Bool && (value.kind == ValueKind::Float || value.kind == ValueKind::Int))
    return refuse(cx, span, "this is a number, and " + place, "write `True` and `False`");
  return true;
}

/// Whole numbers of an integer dtype, written `2.0`, as integers.
Value wholeOf(const Value &value, DType dtype) {
  const bool whole = value.kind == ValueKind::Float && isInt(dtype) && std::abs(value.number) < 0x1p63;
  return whole ? Value::integer(Dim(static_cast<int64_t>(value.number))) : value;
}

Value put(Context &cx, Numbers numbers, const Type &type, Span span) {
  std::vector<ExprPtr> elements;
  bool known = true;
  for (size_t i = 0; i < numbers.values.size(); ++i) {
    if (!fits(cx, numbers.values[i], type.dtype, numbers.spans[i])) return Value::poison();
    elements.push_back(castToPlace(cx, wholeOf(numbers.values[i], type.dtype), type, numbers.spans[i], "the element"));
    if (!elements.back()) return Value::poison();
    ExprPtr &element = elements.back();
    if (element->type.kind == TypeKind::Index) element = makeCast(std::move(element), type.dtype, {});
    known &= element->kind == ExprKind::Constant && element->type.dtype == type.dtype;
  }
  if (known) {
    ExprPtr e = makeExpr(ExprKind::Table, sema::tensorType(type.dtype, numbers.shape, type.numerics), span);
    e->args = std::move(elements);
    const size_t rank = numbers.shape.size();
    return arrayValue(cx, std::move(e), type, std::vector<std::optional<Limit>>(rank), span);
  }
  std::vector<Value> parts;
  for (size_t i = 0; i < elements.size(); ++i) {
    Value one = arrayValue(cx, std::move(elements[i]), type, {}, numbers.spans[i]);
    parts.push_back(broadcastValue(cx, std::move(one), {Dim(1)}, numbers.spans[i]));
    if (parts.back().isPoison()) return Value::poison();
  }
  Value flat = parts.size() == 1 ? std::move(parts[0]) : concat(cx, std::move(parts), 0, span);
  return numbers.shape.size() == 1 ? flat : reshape(cx, std::move(flat), std::move(numbers.shape), -1, span);
}

}  // namespace

Value arrayTable(Context &cx, const BuiltinRow &row, Bound &args, const ast::Expr *syntax, Span span) {
  const Value &given = args.values[0];
  const std::string shown(row.name);
  if (given.isPoison()) return given;
  const bool made = given.isArray() || given.kind == ValueKind::HostTensor;  // `tensor(losses)` of a list that has grown into one
  if (made && !args.values[1].given()) return given;
  if (made && given.isArray()) {
    Numerics numerics;
    auto dtype = dtypeArgument(cx, args.values[1], args.spans[1], &numerics);
    return dtype ? castTo(cx, given, *dtype, numerics, span) : Value::poison();
  }
  if (made && given.madeOf && given.rank > 0) {
    auto dtype = dtypeArgument(cx, args.values[1], args.spans[1]);
    return !dtype ? Value::poison() : *dtype == given.madeOf ? given : castTensor(cx, given, *dtype, span);
  }
  if (!given.isSequence()) {
    if (fresh(cx, Id::wrongArgument, args.spans[0])) {
      auto builder = report(cx, Id::wrongArgument, args.spans[0], quoted(shown), "a list of numbers", describe(cx, given));
      if (!given.isArray()) builder.help("`tensor([1.0, 2.0])`; one number everywhere is `full(shape, value)`");
    }
    return Value::poison();
  }
  if (inKernel(cx)) return unsupported(cx, "`" + shown + "` inside a kernel", span, "make it in the function that calls the kernel, and pass it");
  Numbers numbers;
  if (!collect(cx, given, syntax, args.spans[0], 0, numbers)) return Value::poison();
  for (size_t i = 0; i < numbers.values.size(); ++i) {
    numbers.values[i] = numberOf(cx, numbers.values[i], numbers.spans[i]);
    if (numbers.values[i].isPoison()) return Value::poison();
  }
  Numerics numerics;
  auto dtype = args.values[1].given() ? dtypeArgument(cx, args.values[1], args.spans[1], &numerics) : dtypeOf(cx, numbers);
  if (!dtype) return Value::poison();
  if (info(*dtype).cls == DTypeClass::Complex) return unsupported(cx, "a tensor of complex numbers that are written out", span, "cast one of floats: `cast(tensor([1.0, 2.0]), complex64)`");
  const Type type = scalarType(*dtype, withoutStorage(numerics));
  if (!inHost(cx)) return put(cx, std::move(numbers), type, span);
  for (size_t i = 0; i < numbers.values.size(); ++i) {
    Value &value = numbers.values[i];
    if (!fits(cx, value, *dtype, numbers.spans[i])) return Value::poison();
    value = wholeOf(value, *dtype);
    const bool checks = value.kind == ValueKind::Float || value.isKnownInt();
    if (checks && !castToPlace(cx, value, type, numbers.spans[i], "the element")) return Value::poison();
  }
  return hostTable(cx, std::move(numbers.values), numbers.spans, numbers.shape, *dtype, span);
}

Value tensorLike(Context &cx, const Value &list, DType dtype, Span span) {
  Numbers numbers;
  if (!collect(cx, list, nullptr, span, 0, numbers)) return Value::poison();
  for (Value &value : numbers.values)
    if (value = numberOf(cx, value, span); value.isPoison()) return value;
  if (inHost(cx)) return hostTable(cx, std::move(numbers.values), numbers.spans, numbers.shape, dtype, span);
  return put(cx, std::move(numbers), scalarType(dtype), span);
}

bool isListOfNumbers(const Value &list, bool whole) {
  auto isNumber = [&](const Value &item) {
    if (item.isSequence()) return isListOfNumbers(item, whole);
    const bool integer = item.kind == ValueKind::Int || (item.isScalar() && isInt(item.type.dtype) && item.type.dtype != DType::Bool);
    return integer || (!whole && (item.kind == ValueKind::Float || item.isScalar()));
  };
  return list.isSequence() && !list.items.empty() && std::all_of(list.items.begin(), list.items.end(), isNumber);
}

Value tensorOfList(Context &cx, Value value, const ast::Expr *annotation, Span span) {
  auto *index = ast::as<ast::SubscriptExpr>(annotation);
  auto *name = index ? ast::as<ast::NameExpr>(index->object) : nullptr;
  if (!name || name->name != "Tensor" || inKernel(cx) || !isListOfNumbers(value, false)) return value;
  Type type;
  std::vector<const ast::Expr *> dims;
  if (!readTensorType(cx, *index, type, &dims) || (isInt(type.dtype) && !isListOfNumbers(value, true))) return value;
  return tensorLike(cx, value, type.dtype, span);
}

}  // namespace tessera::sema
