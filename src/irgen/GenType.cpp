// Types, places and literals.
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "irgen/FunctionGen.h"
#include "support/Check.h"
#include "support/FloatFormats.h"

namespace tessera::irgen {
using namespace mlir;
namespace node = checked::node;

Type FunctionGen::typeOf(const checked::Type &type, StringRef swizzle) {
  MLIRContext *context = builder_.getContext();
  auto element = [&] { return ir::typeOf(context, type.dtype); };
  switch (type.kind) {
  case checked::TypeKind::Index: return builder_.getIndexType();
  case checked::TypeKind::Scalar: return element();
  case checked::TypeKind::Tensor:
    if (isHost()) return ir::HostTensorType::get(context);
    return ir::TensorType::get(context, ir::dimAttrs(context, type.shape), element());
  case checked::TypeKind::View:
    if (isHost()) return ir::HostTensorType::get(context);
    return ir::ViewType::get(context, ir::dimAttrs(context, type.shape), element());
  case checked::TypeKind::Shared:
    return ir::SharedType::get(context, ir::dimAttrs(context, type.shape), element(), swizzle);
  case checked::TypeKind::HostTensor: return ir::HostTensorType::get(context);
  case checked::TypeKind::String: return ir::StringType::get(context);
  case checked::TypeKind::Stream: return ir::typeOf(context, DType::I64);
  case checked::TypeKind::State:
  case checked::TypeKind::None:
  case checked::TypeKind::Tuple: break;
  }
  TSR_UNREACHABLE("a value without an IR type in " + function_.name);
}

/// What was traced out of another file stands where the function's own text calls it.
Location FunctionGen::place(Span span) {
  if (span.valid() && !isOwn(span) && here_.valid()) span = here_;
  if (!span.valid()) return builder_.getUnknownLoc();
  const SourceFile &file = sources_.file(span.file);
  LineColumn at = file.lineColumn(span.begin);
  return FileLineColLoc::get(builder_.getContext(), file.path, at.line, at.column);
}
Location FunctionGen::place(Span span, StringRef name) { return ir::named(name, place(span)); }

Location FunctionGen::place(const checked::Expr &expr, StringRef name) {
  Location at = place(expr.span, name.empty() ? StringRef(expr.nameHint) : name);
  if (expr.type.kind != checked::TypeKind::Index) return ir::withSizes(expr.type.shape, at);
  const Dim *dim = checked::writtenDim(expr);
  return dim ? ir::withSizes(*dim, at) : at;
}
Location FunctionGen::place(const checked::Var &var) {
  Location at = place(var.span, var.name);
  return var.type.kind == checked::TypeKind::Index ? at : ir::withSizes(var.type.shape, at);
}

static double asDouble(const checked::Expr &expr) {
  const auto &value = expr.as<node::Constant>().value;
  if (auto *number = std::get_if<double>(&value)) return *number;
  if (auto *number = std::get_if<int64_t>(&value)) return static_cast<double>(*number);
  if (auto *truth = std::get_if<bool>(&value)) return *truth ? 1.0 : 0.0;
  TSR_UNREACHABLE("a literal without a value");
}
static int64_t asInteger(const checked::Expr &expr) {
  if (auto *number = std::get_if<int64_t>(&expr.as<node::Constant>().value)) return *number;
  return static_cast<int64_t>(asDouble(expr));
}

/// Null for dtypes that MLIR has no literals of.
Attribute FunctionGen::constantAttr(const checked::Expr &expr) {
  TSR_CHECK(expr.kind == checked::ExprKind::Constant, "a default that is no literal in " + function_.name);
  Type type = typeOf(expr.type);
  if (type.isInteger(1)) return builder_.getBoolAttr(asDouble(expr) != 0.0);
  if (isa<FloatType>(type)) return FloatAttr::get(type, asDouble(expr));
  if (type.isIndex()) return IntegerAttr::get(type, asInteger(expr));
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerAttr::get(
        type, APInt(64, static_cast<uint64_t>(asInteger(expr)), true).sextOrTrunc(integer.getWidth()));
  return {};
}

Value FunctionGen::genConstant(const checked::Expr &expr, Location location) {
  if (auto value = dyn_cast_or_null<TypedAttr>(constantAttr(expr)))
    return builder_.create<graph::ConstantOp>(location, value.getType(), value);
  // Complex numbers and the narrow floats: the literal in f32, converted.
  Value exact = builder_.create<graph::ConstantOp>(
      location, builder_.getF32Type(), builder_.getF32FloatAttr(static_cast<float>(asDouble(expr))));
  return builder_.create<graph::CastOp>(location, typeOf(expr.type), exact, StringAttr(), false);
}

/// C has literals of few dtypes: tables of the others are of f32 (or i8), which hold their values, and are converted.
Value FunctionGen::genTable(const checked::Expr &expr, Location location) {
  auto wanted = cast<ir::TensorType>(typeOf(expr.type));
  const DType dtype = expr.type.dtype;
  const bool narrow = isFloat(dtype) && dtype != DType::F64 && dtype != DType::F32;
  Type element = narrow ? builder_.getF32Type() : dtype == DType::I4 ? builder_.getI8Type() : ir::elementTypeOf(wanted);
  SmallVector<Attribute> values;
  for (const auto &number : expr.args) {
    if (isa<FloatType>(element)) values.push_back(FloatAttr::get(element, roundToFloat(dtype, asDouble(*number))));
    else if (element.isInteger(1)) values.push_back(builder_.getBoolAttr(asDouble(*number) != 0.0));
    else values.push_back(constantAttr(*number));
    if (dtype == DType::I4) values.back() = builder_.getI8IntegerAttr(static_cast<int8_t>(asInteger(*number)));
  }
  auto held = ir::TensorType::get(builder_.getContext(), wanted.getShape(), element);
  Value table = builder_.create<graph::TableOp>(location, held, builder_.getArrayAttr(values));
  return held == wanted ? table : builder_.create<graph::CastOp>(location, wanted, table, StringAttr(), false);
}

Value FunctionGen::fit(Value value, Type type, Location location) {
  Type from = value.getType();
  if (from == type) return value;
  bool isArray = isa<ir::TensorType>(from), wantsArray = isa<ir::TensorType>(type);
  if (!isArray && wantsArray && ir::isScalar(from))
    return builder_.create<graph::FullOp>(location, type, value);
  if (isArray && ir::isScalar(type)) return builder_.create<graph::ExtractOp>(location, type, value);
  // Two spellings of one shape: the checker proved them equal.
  if (isArray && wantsArray) return builder_.create<graph::ReshapeOp>(location, type, value);
  TSR_UNREACHABLE("a value of type " + ir::text(from) + " where " + ir::text(type) + " is wanted");
}

}  // namespace tessera::irgen
