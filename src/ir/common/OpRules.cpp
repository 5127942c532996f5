#include "ir/common/OpRules.h"
#include "ir/common/BitCasts.h"
#include "ir/common/Conversions.h"
#include "ir/common/OrderShape.h"
#include "support/Atomics.h"
#include "support/SetAtPlaces.h"

namespace tessera::ir {
using namespace mlir;

static std::string_view view(StringRef text) { return {text.data(), text.size()}; }
static Type boolOf(Type type) { return withElementType(type, IntegerType::get(type.getContext(), 1)); }

Type elementwiseResultType(ElementwiseOp op, Type type) {
  return info(op).resultIsBool ? boolOf(type) : type;
}

ParseResult parseElementwiseTypes(OpAsmParser &parser, SmallVectorImpl<Type> &operands, Type &result,
                                  StringAttr mnemonic) {
  auto place = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return failure();
  auto op = elementwiseByMnemonic(view(mnemonic.getValue()));
  if (!op) return parser.emitError(place) << "unknown elementwise operation '" << mnemonic.getValue() << "'";
  operands.assign(info(*op).arity, type);
  if (*op == ElementwiseOp::Select) operands[0] = boolOf(type);
  result = elementwiseResultType(*op, type);
  return success();
}
void printElementwiseTypes(OpAsmPrinter &printer, Operation *, TypeRange operands, Type, StringAttr) {
  printer << operands.back();
}

// ---------------------------------------------------------------- dtypes

namespace {
enum class Class { Float, Signed, Unsigned, Bool, Complex };
}
static Class classOf(Type element) {
  if (element.isIndex()) return Class::Signed;
  switch (info(*dtypeOf(element)).cls) {
  case DTypeClass::Float: return Class::Float;
  case DTypeClass::SignedInt: return Class::Signed;
  case DTypeClass::UnsignedInt: return Class::Unsigned;
  case DTypeClass::Bool: return Class::Bool;
  case DTypeClass::Complex: return Class::Complex;
  }
  return Class::Bool;
}
static int bitsOf(Type element) { return element.isIndex() ? 64 : info(*dtypeOf(element)).bits; }

static bool isAllowed(ElementwiseOp op, Class cls) {
  bool isInt = cls == Class::Signed || cls == Class::Unsigned;
  switch (op) {
  case ElementwiseOp::Add:
  case ElementwiseOp::Sub:
  case ElementwiseOp::Mul: return cls != Class::Bool;
  case ElementwiseOp::Neg: return cls != Class::Bool && cls != Class::Unsigned;
  case ElementwiseOp::Div: return cls == Class::Float || cls == Class::Complex;
  case ElementwiseOp::FloorDiv:
  case ElementwiseOp::Mod:
  case ElementwiseOp::Pow:
  case ElementwiseOp::Abs: return isInt || cls == Class::Float;
  case ElementwiseOp::Min:
  case ElementwiseOp::Max: return cls != Class::Complex;
  case ElementwiseOp::And:
  case ElementwiseOp::Or:
  case ElementwiseOp::Xor:
  case ElementwiseOp::Not: return isInt || cls == Class::Bool;
  case ElementwiseOp::Shl:
  case ElementwiseOp::Shr: return isInt;
  case ElementwiseOp::Eq:
  case ElementwiseOp::Ne:
  case ElementwiseOp::Select: return true;
  case ElementwiseOp::Lt:
  case ElementwiseOp::Le:
  case ElementwiseOp::Gt:
  case ElementwiseOp::Ge: return cls != Class::Complex;
  case ElementwiseOp::RandomBits:
  case ElementwiseOp::RandomKey: return cls == Class::Signed;
  case ElementwiseOp::Exp:
  case ElementwiseOp::Exp2:
  case ElementwiseOp::Log:
  case ElementwiseOp::Log2:
  case ElementwiseOp::Sqrt:
  case ElementwiseOp::Rsqrt:
  case ElementwiseOp::Tanh:
  case ElementwiseOp::Sigmoid:
  case ElementwiseOp::Erf:
  case ElementwiseOp::Sin:
  case ElementwiseOp::Cos:
  case ElementwiseOp::Floor:
  case ElementwiseOp::Ceil:
  case ElementwiseOp::Round:
  case ElementwiseOp::IsNan:
  case ElementwiseOp::Expm1:
  case ElementwiseOp::Log1p:
  case ElementwiseOp::Erfc:
  case ElementwiseOp::Tan:
  case ElementwiseOp::Asin:
  case ElementwiseOp::Acos:
  case ElementwiseOp::Atan:
  case ElementwiseOp::Atan2:
  case ElementwiseOp::Sinh:
  case ElementwiseOp::Cosh:
  case ElementwiseOp::Asinh:
  case ElementwiseOp::Acosh:
  case ElementwiseOp::Atanh:
  case ElementwiseOp::Log10:
  case ElementwiseOp::Trunc:
  case ElementwiseOp::Probit: return cls == Class::Float;
  }
  return false;
}

static bool isValue(Type type) { return isScalar(type) || isa<ArrayLike>(type); }

LogicalResult verifyElementwise(Operation *op, StringRef mnemonic, TypeRange operands, Type result) {
  auto row = elementwiseByMnemonic(view(mnemonic));
  if (!row) return op->emitOpError() << "unknown elementwise operation '" << mnemonic << "'";
  if (static_cast<size_t>(info(*row).arity) != operands.size())
    return op->emitOpError() << "'" << mnemonic << "' takes " << info(*row).arity << " operands, not "
                             << operands.size();
  Type type = operands.back();
  if (!isValue(type)) return op->emitOpError() << "'" << mnemonic << "' does not work on " << type;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Type expected = *row == ElementwiseOp::Select && i == 0 ? boolOf(type) : type;
    if (operand != expected)
      return op->emitOpError() << "operand " << i << " has type " << operand << ", expected " << expected;
  }
  if (result != elementwiseResultType(*row, type))
    return op->emitOpError() << "result has type " << result << ", expected "
                             << elementwiseResultType(*row, type);
  Type element = elementTypeOf(type);
  if (!isAllowed(*row, classOf(element)))
    return op->emitOpError() << "'" << mnemonic << "' is not defined for " << element;
  return success();
}

LogicalResult verifyCast(Operation *op, Type from, Type to, Rounding rounding, bool saturate) {
  if (!isValue(from) || !isValue(to)) return op->emitOpError() << "does not convert " << from << " to " << to;
  Type source = elementTypeOf(from), target = elementTypeOf(to);
  if (withElementType(from, target) != to)
    return op->emitOpError() << "changes more than the element type: " << from << " to " << to;
  if (classOf(source) == Class::Complex && classOf(target) != Class::Complex)
    return op->emitOpError("drops the imaginary part");
  bool toFloat = classOf(target) == Class::Float || classOf(target) == Class::Complex;
  if (rounding != Rounding::NearestEven && !toFloat)
    return op->emitOpError("has a rounding mode, but the result is not a float");
  if (saturate && (classOf(target) == Class::Complex || classOf(target) == Class::Bool))
    return op->emitOpError() << "saturates to " << target << ", which has no largest value";
  return success();
}

LogicalResult verifyBits(Operation *op, Type from, Type to) {
  if (!isValue(from) || !isValue(to) || withElementType(from, elementTypeOf(to)) != to)
    return op->emitOpError() << "changes more than the element type: " << from << " to " << to;
  if (isa<IndexType>(elementTypeOf(from)) || isa<IndexType>(elementTypeOf(to)) || bitsOf(elementTypeOf(from)) != bitsOf(elementTypeOf(to)))
    return op->emitOpError() << "reads the bits of " << from << " as " << to << ", which has others";
  return success();
}

bool isSameOrWider(Type from, Type to) {
  if (from == to) return true;
  if (!isScalar(from) || !isScalar(to)) return false;
  bool becomesSigned = classOf(from) == Class::Unsigned && classOf(to) == Class::Signed;
  if (classOf(from) != classOf(to) && !becomesSigned) return false;
  bool isTf32 = from.isTF32() || to.isTF32();  // 32 bits of storage, fewer of mantissa than f32
  if (isTf32 && bitsOf(from) == bitsOf(to)) return from.isTF32();
  if (to.isTF32()) return bitsOf(from) < 32;
  return bitsOf(from) < bitsOf(to);
}

TypedAttr identityOf(StringRef reduction, Type type) {
  const ReduceOp op = *reduceByMnemonic(view(reduction));
  if (op == ReduceOp::Any || op == ReduceOp::All) return BoolAttr::get(type.getContext(), op == ReduceOp::All);
  if (auto floating = dyn_cast<FloatType>(type)) {
    if (op == ReduceOp::Sum || op == ReduceOp::Prod) return FloatAttr::get(floating, op == ReduceOp::Prod ? 1.0 : 0.0);
    const bool negative = op == ReduceOp::Max;
    llvm::APFloat bound = llvm::APFloat::getInf(floating.getFloatSemantics(), negative);
    if (!bound.isInfinity()) bound = llvm::APFloat::getLargest(floating.getFloatSemantics(), negative);  // f8e4m3 has none
    return FloatAttr::get(floating, bound);
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer) return {};
  const unsigned bits = integer.getWidth();
  APInt value(bits, op == ReduceOp::Prod ? 1 : 0);
  if (op == ReduceOp::Max) value = integer.isUnsigned() ? APInt::getZero(bits) : APInt::getSignedMinValue(bits);
  if (op == ReduceOp::Min) value = integer.isUnsigned() ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  return IntegerAttr::get(type, value);
}

LogicalResult verifyReduction(Operation *op, StringRef mnemonic, Type from, Type to) {
  auto row = reduceByMnemonic(view(mnemonic));
  if (!row) return op->emitOpError() << "unknown reduction '" << mnemonic << "'";
  Type source = elementTypeOf(from), target = elementTypeOf(to);
  if (!isScalar(source) || !isScalar(target))
    return op->emitOpError() << "does not reduce " << from << " to " << to;
  bool logical = *row == ReduceOp::Any || *row == ReduceOp::All;
  if (logical != (classOf(source) == Class::Bool))
    return op->emitOpError() << "'" << mnemonic << "' is not defined for " << source;
  if (classOf(source) == Class::Complex && *row != ReduceOp::Sum && *row != ReduceOp::Prod)
    return op->emitOpError() << "'" << mnemonic << "' is not defined for " << source;
  if (!isSameOrWider(source, target))
    return op->emitOpError() << "carries values of " << source << " in " << target
                             << ", which does not hold them";
  return success();
}

LogicalResult verifyScan(Operation *op, StringRef mnemonic, int64_t axis, int64_t rank, Type type) {
  if (failed(verifyReduction(op, mnemonic, type, type))) return failure();
  if (mnemonic == "any" || mnemonic == "all") return op->emitOpError() << "scans with sum, prod, min or max, not with " << mnemonic;
  if (axis < 0 || axis >= rank) return op->emitOpError() << "axis " << axis << " is not an axis of " << type;
  return success();
}

LogicalResult verifyWarp(Operation *op, StringRef what, Type value, bool namesLane, Type result) {
  const bool shuffles = what == "shuffle" || what == "shuffle_xor";
  if (shuffles != namesLane) return op->emitOpError() << "'" << what << "' takes " << (shuffles ? "a lane" : "no lane");
  if (shuffles) return value == result ? success() : op->emitOpError() << "hands " << value << " on as " << result;
  if (what != "ballot") return value == result ? verifyReduction(op, what, value, result) : op->emitOpError() << "combines " << value << " to " << result;
  if (!value.isInteger(1) || !result.isUnsignedInteger(32)) return op->emitOpError() << "makes bits in ui32 of truth values, not " << result << " of " << value;
  return success();
}

// ---------------------------------------------------------------- accesses

ParseResult parseDimText(OpAsmParser &parser, DimAttr &dim) {
  std::string text;
  auto place = parser.getCurrentLocation();
  if (parser.parseString(&text)) return failure();
  dim = DimAttr::getChecked([&] { return parser.emitError(place); }, parser.getContext(), StringRef(text));
  return success(static_cast<bool>(dim));
}
void printDimText(OpAsmPrinter &printer, Operation *, DimAttr dim) { printer.printString(dim.getText()); }
ParseResult parseInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number;
  if (parser.parseInteger(number)) return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}
void printInteger(OpAsmPrinter &printer, Operation *, IntegerAttr value) { printer << value.getInt(); }

ParseResult parseAccess(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &offsets,
                        DenseBoolArrayAttr &points, DimsAttr &sizes, DenseI64ArrayAttr &steps,
                        DenseBoolArrayAttr &inBounds) {
  SmallVector<bool> isPoint, isInBounds;
  SmallVector<Dim> extents;
  SmallVector<int64_t> strides;
  auto group = [&]() -> ParseResult {
    if (parser.parseOperand(offsets.emplace_back())) return failure();
    std::string size;
    int64_t step = 1;
    bool isRange = succeeded(parser.parseOptionalKeyword("size"));
    if (isRange) {
      auto place = parser.getCurrentLocation();
      if (parser.parseString(&size)) return failure();
      auto dim = Dim::parse(size);
      if (!dim) return parser.emitError(place) << "'" << size << "' is not a dimension";
      extents.push_back(*dim);
      if (succeeded(parser.parseOptionalKeyword("step")) && parser.parseInteger(step)) return failure();
    } else {
      extents.push_back(Dim(1));
    }
    isPoint.push_back(!isRange);
    strides.push_back(step);
    isInBounds.push_back(succeeded(parser.parseOptionalKeyword("in_bounds")));
    return success();
  };
  // A 0-d base has no groups.
  if (failed(parser.parseOptionalRSquare())) {
    do {
      if (group()) return failure();
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRSquare()) return failure();
  }
  Builder builder(parser.getContext());
  points = builder.getDenseBoolArrayAttr(isPoint);
  sizes = DimsAttr::get(parser.getContext(), ArrayRef<Dim>(extents));
  steps = builder.getDenseI64ArrayAttr(strides);
  inBounds = builder.getDenseBoolArrayAttr(isInBounds);
  return success();
}

void printAccess(OpAsmPrinter &printer, Operation *, OperandRange offsets, DenseBoolArrayAttr points,
                 DimsAttr sizes, DenseI64ArrayAttr steps, DenseBoolArrayAttr inBounds) {
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    if (i) printer << ", ";
    printer << offset;
    if (!points[i]) {
      printer << " size ";
      printer.printString(sizes.getDims()[i].getText());
      if (steps[i] != 1) printer << " step " << steps[i];
    }
    if (inBounds[i]) printer << " in_bounds";
  }
  printer << ']';
}

LogicalResult verifyAccess(Operation *op, Type base, size_t offsets, ArrayRef<bool> points,
                           ArrayRef<DimAttr> sizes, ArrayRef<int64_t> steps, ArrayRef<bool> inBounds) {
  size_t rank = shapeOf(base).size();
  if (offsets != rank || points.size() != rank || sizes.size() != rank || steps.size() != rank ||
      inBounds.size() != rank)
    return op->emitOpError() << "has " << offsets << " indices for the " << rank << " dimensions of " << base;
  for (size_t i = 0; i < rank; ++i) {
    if (steps[i] < 1) return op->emitOpError() << "index " << i << " has step " << steps[i];
    if (points[i] && (steps[i] != 1 || sizes[i].getConstant() != 1))
      return op->emitOpError() << "index " << i << " is a point with a size or a step";
  }
  return success();
}

Type accessedType(Type base, ArrayRef<bool> points, ArrayRef<DimAttr> sizes) {
  SmallVector<DimAttr> shape;
  for (auto [point, size] : llvm::zip_equal(points, sizes))
    if (!point) shape.push_back(size);
  if (shape.empty()) return elementTypeOf(base);
  return TensorType::get(base.getContext(), shape, elementTypeOf(base));
}

LogicalResult verifyTable(Operation *op, ArrayAttr values, Type type) {
  int64_t count = 1;
  for (DimAttr extent : shapeOf(type)) {
    if (!extent.getDim().isConstant() || extent.getDim().constant() < 1)
      return op->emitOpError() << "has the extent " << extent.getText() << ", which is no number";
    count *= extent.getDim().constant();
  }
  if (static_cast<size_t>(count) != values.size())
    return op->emitOpError() << "has " << values.size() << " numbers for " << count << " elements";
  Type element = elementTypeOf(type);
  if (!element.isF32() && !element.isF64() && !isa<IntegerType>(element))
    return op->emitOpError() << "is of " << element << ", which C has no literals of";
  for (Attribute value : values) {
    auto number = dyn_cast<TypedAttr>(value);
    if (!number || number.getType() != element)
      return op->emitOpError() << "has the number " << value << " among those of " << element;
  }
  return success();
}

LogicalResult verifyExchange(Operation *op, StringRef kind, StringRef over) {
  if (!llvm::is_contained({"all_reduce", "all_gather", "reduce_scatter"}, kind))
    return op->emitOpError() << "'" << kind << "' is nothing that devices do together: all_reduce, all_gather or reduce_scatter";
  if (over.empty()) return op->emitOpError("is along an axis of the mesh: it has no name");
  return success();
}

LogicalResult verifyArgsortRow(Operation *op, Value keys, Value order, size_t indices, const FirstPlaces &how) {
  auto from = cast<ViewType>(keys.getType()), to = cast<ViewType>(order.getType());
  if (keys == order) return op->emitOpError("writes the order of a row over the row");
  if (from.getShape().empty() || indices + 1 != from.getShape().size())
    return op->emitOpError() << "has " << indices << " indices for a row of " << from;
  const bool isOfPart = how.part != nullptr;
  if (isOfPart != (how.first > 0 && how.length > 0)) return op->emitOpError() << "has " << how.first << " first places of parts of " << how.length << (isOfPart ? "" : ", and no part");
  if (isOfPart && how.named) return op->emitOpError("orders a part of a row, and places that are named");
  if (isOfPart && to.getShape().drop_back() != from.getShape().drop_back()) return op->emitOpError() << "writes the first places of " << from << " to " << to;
  if (how.named && (cast<ViewType>(how.named.getType()).getShape().drop_back() != from.getShape().drop_back() || to.getShape().back() == from.getShape().back()))
    return op->emitOpError() << "takes all places of " << from << " from " << how.named.getType();
  if (!isOfPart && !holdsOrderOf(from.getShape(), to.getShape())) return op->emitOpError() << "writes the order of " << from << " to " << to;
  if (isa<ComplexType>(from.getElementType())) return op->emitOpError("sorts complex numbers, which have no order");
  if (!to.getElementType().isInteger(64))
    return op->emitOpError() << "counts places in i64, not in " << to.getElementType();
  return success();
}

LogicalResult verifyPlaces(Operation *op, Type value, Type base, TypeRange indices, size_t proofs) {
  const Type element = elementTypeOf(value);
  const size_t rank = shapeOf(base).size();
  if (indices.size() != rank || proofs != rank)
    return op->emitOpError() << "has " << indices.size() << " indices and " << proofs << " proofs for a memory of rank " << rank;
  for (Type index : indices)
    if (!isa<IndexType>(index) && !(elementTypeOf(index).isInteger(64) && withElementType(index, element) == value))
      return op->emitOpError() << "an index is " << index << ", not an index or as many integers as " << value;
  return success();
}

LogicalResult verifyAtomic(Operation *op, StringRef mnemonic, Type value, Type base, TypeRange indices, size_t proofs, Type old) {
  const Type element = elementTypeOf(value);
  auto combine = elementwiseByMnemonic({mnemonic.data(), mnemonic.size()});
  auto dtype = isa<IndexType>(element) ? std::nullopt : dtypeOf(element);
  const bool sets = mnemonic == kSetMnemonic && !isScalar(value);
  if (!dtype || (!sets && (!combine || !hasAtomicForm(*combine, *dtype))))
    return op->emitOpError() << "there is no '" << mnemonic << "' of " << element << " in one step";
  if (element != elementTypeOf(base))
    return op->emitOpError() << "the value is of " << element << ", the memory of " << elementTypeOf(base);
  if (failed(verifyPlaces(op, value, base, indices, proofs))) return failure();
  if (old && (old != value || !isScalar(value)))
    return op->emitOpError() << "the old value is " << old << "; only a scalar has one, of its own type";
  return success();
}

}  // namespace tessera::ir
