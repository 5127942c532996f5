// Rules of expressions and statements.
#include "ir/target/Target.h"
#include "ir/common/Common.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tessera::ir::target {
namespace {

Type valueOf(Type place) { return cast<LValueType>(place).getValue(); }
bool isInteger(Type type) { return isa<IntegerType, IndexType>(type); }
bool isNumber(Type type) { return isScalar(type); }
/// A number type that the language itself has (the others are classes of the device headers).
bool isNative(Type type) {
  if (isa<IndexType>(type) || type.isF32() || type.isF64()) return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}
bool isArithmetic(StringRef op) {
  return llvm::is_contained({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}, op);
}
bool needsIntegers(StringRef op) { return llvm::is_contained({"%", "&", "|", "^", "<<", ">>"}, op); }
bool isComparison(StringRef op) { return llvm::is_contained({"==", "!=", "<", "<=", ">", ">="}, op); }

LogicalResult verifyIndices(Operation *op, ValueRange indices) {
  for (Value index : indices)
    if (!isInteger(index.getType()))
      return op->emitOpError() << "index of type " << index.getType() << " is no integer";
  return success();
}

}  // namespace

LogicalResult VariableOp::verify() {
  if (!isIdentifier(getName())) return emitOpError() << "name '" << getName() << "' is no identifier";
  if (!llvm::is_contained({"copy", "direct", "braces"}, getForm()))
    return emitOpError() << "form '" << getForm() << "' is none of copy, direct, braces";
  if (!llvm::is_contained({"", "static thread_local"}, getStorage()))
    return emitOpError() << "storage '" << getStorage() << "' is neither empty nor static thread_local";
  if (getForm() == "copy" && getInit().size() > 1) return emitOpError("of form copy takes one operand");
  Type type = valueOf(getPlace().getType());
  if (getForm() == "copy" && getInit().size() == 1 && isNumber(type) && getInit()[0].getType() != type)
    return emitOpError() << "of " << type << " is initialised with " << getInit()[0].getType();
  if (getIsConst() && getInit().empty()) return emitOpError("is constant but has no value");
  return success();
}

ParseResult LiteralOp::parse(OpAsmParser &parser, OperationState &result) {
  Attribute value;
  if (parser.parseAttribute(value, "value", result.attributes)) return failure();
  Type type;
  if (auto typed = dyn_cast<TypedAttr>(value)) {
    type = typed.getType();
  } else {
    return parser.emitError(parser.getNameLoc(), "a literal is a number, a truth value or a string");
  }
  if (parser.parseOptionalAttrDict(result.attributes)) return failure();
  return parser.addTypeToList(type, result.types);
}
void LiteralOp::print(OpAsmPrinter &printer) {
  printer << " " << getValue();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
}
LogicalResult LiteralOp::verify() {
  Type type = getResult().getType();
  if (auto text = dyn_cast<StringAttr>(getValue()); text && !isa<NamedType>(type))
    return emitOpError() << "string literal of type " << type;
  auto typed = dyn_cast<TypedAttr>(getValue());
  if (!typed || !isa<FloatAttr, IntegerAttr, StringAttr>(getValue()))
    return emitOpError("must be a number, a truth value or a string");
  return typed.getType() == type ? success() : emitOpError() << "of " << typed.getType() << " gives " << type;
}

LogicalResult BinaryOp::verify() {
  Type left = getLeft().getType(), right = getRight().getType(), result = getResult().getType();
  StringRef op = getOp();
  if (isComparison(op)) {
    if (left != right) return emitOpError() << "compares " << left << " with " << right;
    return result.isInteger(1) ? success() : emitOpError("is a comparison and gives i1");
  }
  if (op == "&&" || op == "||") {
    bool truth = left.isInteger(1) && right.isInteger(1) && result.isInteger(1);
    return truth ? success() : emitOpError() << "'" << op << "' takes and gives i1";
  }
  if (!isArithmetic(op)) return emitOpError() << "'" << op << "' is no operator";
  if (isa<PointerType>(left) && (op == "+" || op == "-") && isInteger(right))
    return left == result ? success() : emitOpError("on a pointer gives the same pointer");
  if (!isNumber(left)) return emitOpError() << "'" << op << "' on " << left;
  if (isa<DivisorType>(right) && (op == "/" || op == "%"))
    return left.isIndex() && left == result ? success() : emitOpError("by a divisor takes an index and gives one");
  if (left != right || left != result)
    return emitOpError() << "'" << op << "' on " << left << " and " << right << " giving " << result
                         << ": one type expected";
  if (needsIntegers(op) && !isInteger(left)) return emitOpError() << "'" << op << "' needs integers";
  return success();
}

LogicalResult UnaryOp::verify() {
  Type type = getOperand().getType();
  if (getOp() == "-") return isNumber(type) ? success() : emitOpError() << "'-' on " << type;
  if (getOp() == "!") return type.isInteger(1) ? success() : emitOpError() << "'!' on " << type;
  if (getOp() == "~") return isInteger(type) ? success() : emitOpError() << "'~' on " << type;
  return emitOpError() << "'" << getOp() << "' is no operator";
}

LogicalResult CastOp::verify() {
  Type from = getOperand().getType(), to = getResult().getType();
  if (isNative(from) && isNative(to)) return success();
  return emitOpError() << "from " << from << " to " << to << " is no conversion of the language; use tsr::to";
}

LogicalResult CallOp::verify() {
  if (getCallee().empty()) return emitOpError("needs a callee");
  if (getTemplateArgs())
    for (Attribute argument : getTemplateArgsAttr())
      if (!isa<TypeAttr, IntegerAttr, StringAttr>(argument))
        return emitOpError() << "template argument " << argument << " is no type, integer or text";
  return success();
}

LogicalResult MethodOp::verify() {
  return isIdentifier(getName()) ? success() : emitOpError() << "name '" << getName() << "' is no identifier";
}
LogicalResult MemberOp::verify() {
  return isIdentifier(getName()) ? success() : emitOpError() << "name '" << getName() << "' is no identifier";
}

LogicalResult SubscriptOp::verify() {
  if (getIndices().empty()) return emitOpError("needs an index");
  if (failed(verifyIndices(*this, getIndices()))) return failure();
  Type result = valueOf(getPlace().getType());
  if (auto pointer = dyn_cast<PointerType>(getBase().getType())) {
    if (getIndices().size() != 1) return emitOpError("of a pointer takes one index");
    return pointer.getPointee() == result ? success()
                                          : emitOpError() << "of " << pointer << " gives " << result;
  }
  auto place = dyn_cast<LValueType>(getBase().getType());
  if (auto view = dyn_cast<ViewType>(place ? place.getValue() : getBase().getType())) {
    int64_t left = view.getRank() - static_cast<int64_t>(getIndices().size());
    if (left < 1) return emitOpError("leaves no dimension of the view; an element is target.element");
    auto rest = ViewType::get(getContext(), left, view.getElement(), view.getReadOnly(), view.getStrided(), /*windows=*/0);
    if (view.getWindows()) return emitOpError("of windows: they are read whole");
    return rest == result ? success()
                          : emitOpError() << "of " << view << " gives " << result << ", not " << rest;
  }
  auto array = place ? dyn_cast<ArrayType>(place.getValue()) : ArrayType();
  if (!array) return emitOpError() << "needs a pointer or an array, not " << getBase().getType();
  if (getIndices().size() != array.getExtents().size())
    return emitOpError() << "has " << getIndices().size() << " indices for " << array.getExtents().size()
                         << " extents";
  return array.getElement() == result ? success() : emitOpError() << "of " << array << " gives " << result;
}

LogicalResult ElementOp::verify() {
  auto place = dyn_cast<LValueType>(getBase().getType());
  Type base = place ? place.getValue() : getBase().getType();
  if (!isa<NamedType, ViewType>(base)) return emitOpError() << "needs a value of a class type, not " << base;
  return verifyIndices(*this, getIndices());
}

static bool isReadOnly(Type base) {
  if (auto place = dyn_cast<LValueType>(base)) base = place.getValue();
  if (auto pointer = dyn_cast<PointerType>(base)) return pointer.getReadOnly();
  auto view = dyn_cast<ViewType>(base);
  return view && view.getReadOnly();
}
static LogicalResult verifyStore(Operation *op, Value place, Type value) {
  Type held = valueOf(place.getType());
  if (isNumber(held) && held != value)
    return op->emitOpError() << "stores " << value << " into a place of " << held;
  Operation *made = place.getDefiningOp();
  if (auto variable = dyn_cast_if_present<VariableOp>(made); variable && variable.getIsConst())
    return op->emitOpError() << "writes the constant '" << variable.getName() << "'";
  if (isa_and_present<SubscriptOp, ElementOp>(made) && isReadOnly(made->getOperand(0).getType()))
    return op->emitOpError() << "writes through " << made->getOperand(0).getType() << ", which is only read";
  return success();
}
LogicalResult AssignOp::verify() { return verifyStore(*this, getPlace(), getValue().getType()); }
LogicalResult CompoundAssignOp::verify() {
  StringRef op = getOp();
  if (!op.consume_back("=") || !isArithmetic(op))
    return emitOpError() << "'" << getOp() << "' is no compound assignment";
  return verifyStore(*this, getPlace(), getValue().getType());
}

LogicalResult ForOp::verifyRegions() {
  if (!isIdentifier(getName())) return emitOpError() << "name '" << getName() << "' is no identifier";
  if (getReduction() && (!getSimd() || getParallel()))
    return emitOpError("combines what the lanes of a vector have: it is simd and not parallel");
  if (getCollapse() && !getParallel()) return emitOpError("is not parallel: there is nothing to collapse");
  if (getBody().getNumArguments() != 1 || getBody().getArgument(0).getType() != getLower().getType())
    return emitOpError("has one block argument, the counter, of the type of its bounds");
  return success();
}
void ForOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn set) {
  if (region.getNumArguments() == 1) set(region.getArgument(0), getName());
}
LogicalResult WhileOp::verifyRegions() {
  Block &before = getBefore().front();
  if (before.empty() || !isa<ConditionOp>(before.back()))
    return emitOpError("needs target.condition at the end of its first region");
  for (Operation &op : before)
    if (op.getNumResults() == 0 && !isa<ConditionOp>(op))
      return op.emitOpError("is no expression; the condition of a "
                            "while holds only expressions");
  return success();
}

}  // namespace tessera::ir::target
