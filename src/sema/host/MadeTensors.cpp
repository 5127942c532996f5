// Tensors that host code makes: zeros, one number everywhere, indices. Run time makes them (include/tessera/host/make.h).
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

/// The extents of a shape behind what `args` has already. False, after a message, if it is none.
static bool hostExtents(Context &cx, const Value &shape, Span at, std::vector<ExprPtr> &args) {
  std::vector<Value> items = shape.isSequence() ? shape.items : std::vector<Value>{shape};
  if (shape.kind == ValueKind::HostShape) {
    items.clear();
    size_t rank = knownRank(shape.items[0], cx.function.rebindable);
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
    args.push_back(indexExpr(cx, item, at));
  }
  return true;
}

static Value made(Context &cx, std::string_view function, std::vector<ExprPtr> args, size_t before, DType dtype, Span span) {
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
    Value number = value.kind == ValueKind::Bool ? Value::integer(Dim(value.truth ? 1 : 0)) : convertInt(cx, value, span);
    if (number.isPoison()) return number;
    args.push_back(indexExpr(cx, number, span));
  }
  if (!hostExtents(cx, shape, at, args)) return Value::poison();
  return made(cx, isFloat(type.dtype) ? "full_real" : "full_whole", std::move(args), 2, type.dtype, span);
}

Value hostIota(Context &cx, const Value &shape, Span at, int axis, DType dtype, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(textExpr(std::string(name(dtype)), span));
  args.push_back(indexExpr(cx, Value::integer(Dim(axis)), span));
  if (!hostExtents(cx, shape, at, args)) return Value::poison();
  return made(cx, "iota", std::move(args), 2, dtype, span);
}

}  // namespace tessera::sema
