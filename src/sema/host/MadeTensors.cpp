// Tensors that host code makes: zeros, one number everywhere, indices. Run time makes them (include/tessera/host/make.h).
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

/// The extents of a shape. False, after a message, if it is none.
static bool hostExtents(Context &cx, const Value &shape, Span at, std::vector<Value> &extents) {
  std::vector<Value> items = shape.isSequence() ? shape.items : std::vector<Value>{shape};
  if (shape.kind == ValueKind::HostShape) {
    items.clear();
    size_t rank = knownRank(shape.items[0], cx.function.rebindable);
    if (rank == 0 && shape.items[0].madeOf) rank = static_cast<size_t>(shape.items[0].rank);  // a loop gives it others, of as many
    if (rank == 0) {
      report(cx, Id::wrongArgument, at, quoted("a shape"), "a known number of extents", describe(cx, shape))
          .help("give the tensor a type: `x: Tensor[\"N\", \"D\", f32] = ...`");
      return false;
    }
    for (size_t i = 0; i < rank; ++i) items.push_back(hostExtent(cx, shape.items[0], static_cast<int>(i), at));
  }
  for (const Value &item : items) {
    if (item.isPoison()) return false;
    bool scalar = item.kind == ValueKind::Array && item.isScalar() && isInt(item.type.dtype);
    if (item.kind != ValueKind::Int && !scalar) {
      if (fresh(cx, Id::wrongArgument, at))
        report(cx, Id::wrongArgument, at, quoted("a shape"), "integers", describe(cx, item));
      return false;
    }
    if (item.isKnownInt() && item.sym.constant() < 0) {
      report(cx, Id::badConstant, at, "the extent " + std::to_string(item.sym.constant()) + " is negative");
      return false;
    }
    extents.push_back(item);
  }
  return true;
}

/// The extents as far as they are known.
static std::vector<Dim> knownExtents(const std::vector<Value> &extents) {
  std::vector<Dim> known;
  for (const Value &extent : extents) known.push_back(extent.isKnownInt() ? extent.sym : Dim::var(kAnyExtent));
  return known;
}

static Value made(Context &cx, std::string_view function, std::vector<ExprPtr> args, size_t before, DType dtype,
                  Span span) {
  size_t rank = args.size() - before;
  Value v = hostCall(cx, function, std::move(args), span);
  v.rank = static_cast<int>(rank);
  v.madeOf = dtype;
  return v;
}

Value hostFull(Context &cx, const Value &shape, Span at, const Value &value, const Type &type, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(textExpr(std::string(name(type.dtype)), span));
  if (isFloat(type.dtype)) {
    ExprPtr number = inCarryType(cx, value, DType::F64, span);
    if (!number) return Value::poison();
    args.push_back(std::move(number));
  } else {
    Value number =
        value.kind == ValueKind::Bool ? Value::integer(Dim(value.truth ? 1 : 0)) : convertInt(cx, value, span);
    if (number.isPoison()) return number;
    args.push_back(indexExpr(cx, number, span));
  }
  std::vector<Value> extents;
  if (!hostExtents(cx, shape, at, extents)) return Value::poison();
  for (const Value &extent : extents) args.push_back(indexExpr(cx, extent, at));
  Value v = made(cx, isFloat(type.dtype) ? "full_real" : "full_whole", std::move(args), 2, type.dtype, span);
  v.madeAs = knownExtents(extents);
  return v;
}

std::optional<Value> listOfOneNumber(Context &cx, const Value &number, const Value &count, Span span) {
  const bool fraction = number.kind == ValueKind::Float || (number.isScalar() && isFloat(number.type.dtype));
  const bool truth = number.kind == ValueKind::Bool;
  if (!fraction && !truth && number.kind != ValueKind::Int) return std::nullopt;
  const Value extent = intElementwise(cx, ElementwiseOp::Max, {count, Value::integer(Dim(0))}, span, "*");
  Value list = hostFull(cx, extent, span, number, scalarType(truth ? DType::Bool : fraction ? DType::F64 : DType::I64), span);
  list.text = kHeldList;
  return list;
}

Value hostTable(Context &cx, std::vector<Value> numbers, const std::vector<Span> &spans, const std::vector<Dim> &shape,
                DType dtype, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(textExpr(std::string(name(dtype)), span));
  for (size_t i = 0; i < numbers.size(); ++i) {
    Value &number = numbers[i];
    if (isFloat(dtype)) {
      args.push_back(inCarryType(cx, std::move(number), DType::F64, spans[i]));
      if (!args.back()) return Value::poison();
      continue;
    }
    if (number.kind == ValueKind::Bool) number = Value::integer(Dim(number.truth ? 1 : 0));
    if (number.isScalar() && number.type.dtype == DType::Bool)
      number = castTo(cx, std::move(number), DType::I64, {}, spans[i]);
    Value whole = convertInt(cx, number, spans[i]);
    if (whole.isPoison()) return whole;
    args.push_back(indexExpr(cx, whole, spans[i]));
  }
  Value flat = made(cx, isFloat(dtype) ? "tensor_real" : "tensor_whole", std::move(args), 1, dtype, span);
  flat.rank = 1;
  flat.madeAs = shape;
  if (shape.size() == 1) return flat;
  args.clear();
  args.push_back(takeExpr(flat));
  for (const Dim &extent : shape) args.push_back(indexExpr(cx, Value::integer(extent), span));
  Value table = made(cx, "reshaped", std::move(args), 1, dtype, span);
  table.madeAs = shape;
  return table;
}

/// A function of the library draws one row of as many elements; the shape is put on it. Elements are numbered in row-major
/// order, so that these are the bits that a function draws for that shape.
Value hostDraw(Context &cx, const std::string &how, const Bound &args, size_t at, DType dtype, Span span) {
  std::vector<Value> extents;
  if (!hostExtents(cx, args.values[at], args.spans[at], extents)) return Value::poison();
  const bool events = how == "bernoulli";
  ModuleScope *library = loadModule(cx, cx.main->ast->file, 0, "tessera.draws", {});
  std::string function = "draw_" + how + (events ? "" : "_" + std::string(name(dtype)));
  auto found = library ? library->names.find(function) : std::map<std::string, Value>::iterator();
  if (!library || found == library->names.end())
    return unsupported(cx, "a draw of `" + std::string(name(dtype)) + "` in host code", span,
                       "let a function draw, and give it the stream: `f(rng)`");
  Value count = Value::integer(Dim(1));
  for (Value &extent : extents) {
    extent = convertInt(cx, extent, args.spans[at]);
    if (extent.isPoison()) return extent;
    count = intElementwise(cx, ElementwiseOp::Mul, {count, extent}, span, "*");
  }
  GivenList given;
  given.push_back({"", args.values[0], args.spans[0], {}});
  if (events) given.push_back({"", args.values[1], args.spans[1], {}});
  given.push_back({"", count, args.spans[at], {}});
  Value flat = callFunction(cx, *found->second.callable, std::move(given), span);
  if (flat.kind != ValueKind::HostTensor) return flat;
  flat.rank = 1, flat.madeOf = dtype, flat.madeAs.clear();
  if (extents.size() == 1) {
    flat.madeAs = knownExtents(extents);
    return flat;
  }
  if (extents.empty()) {
    Value first = Value::integer(Dim(0));
    return hostItem(cx, flat, &first, span);
  }
  std::vector<ExprPtr> operands;
  operands.push_back(takeExpr(flat));
  for (const Value &extent : extents) operands.push_back(indexExpr(cx, extent, span));
  Value drawn = made(cx, "reshaped", std::move(operands), 1, dtype, span);
  drawn.madeAs = knownExtents(extents);
  return drawn;
}

Value hostIota(Context &cx, const Value &shape, Span at, int axis, DType dtype, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(textExpr(std::string(name(dtype)), span));
  args.push_back(indexExpr(cx, Value::integer(Dim(axis)), span));
  std::vector<Value> extents;
  if (!hostExtents(cx, shape, at, extents)) return Value::poison();
  for (const Value &extent : extents) args.push_back(indexExpr(cx, extent, at));
  Value v = made(cx, "iota", std::move(args), 2, dtype, span);
  v.madeAs = knownExtents(extents);
  return v;
}

}  // namespace tessera::sema
