// Types, attributes and the dialect itself; the ops' rules are in TargetVerify.cpp and TargetModule.cpp.
#include "ir/target/Target.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::ir::target;

// How the place of a declaration is written: `!target.lvalue<T>` as `T`.
static ParseResult parseValueOfLValue(OpAsmParser &parser, Type &place) {
  Type value;
  if (parser.parseType(value)) return failure();
  place = LValueType::get(parser.getContext(), value);
  return success();
}
static void printValueOfLValue(OpAsmPrinter &printer, Operation *, Type place) {
  printer << cast<LValueType>(place).getValue();
}
// A declaration with and without operands: `(f32) -> T`, `T`.
static ParseResult parseInitialised(OpAsmParser &parser, SmallVectorImpl<Type> &operands, Type &place) {
  if (succeeded(parser.parseOptionalLParen()))
    if (parser.parseTypeList(operands) || parser.parseRParen() || parser.parseArrow()) return failure();
  return parseValueOfLValue(parser, place);
}
static void printInitialised(OpAsmPrinter &printer, Operation *op, TypeRange operands, Type place) {
  if (!operands.empty()) printer << "(" << operands << ") -> ";
  printValueOfLValue(printer, op, place);
}

#include "ir/target/TargetDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/target/TargetTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/target/TargetAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/target/TargetOps.cpp.inc"

namespace tessera::ir::target {

void TargetDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/target/TargetTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/target/TargetAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/target/TargetOps.cpp.inc"
      >();
}

bool isIdentifier(StringRef text) {
  if (text.empty() || llvm::isDigit(text.front())) return false;
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult verifyOneUse(Operation *op) {
  Value result = op->getResult(0);
  if (result.use_empty()) return success();
  if (!result.hasOneUse())
    return op->emitOpError("is an expression with ") << llvm::range_size(result.getUses())
                                                     << " uses; a value used more "
                                                        "than once needs a variable";
  if ((*result.user_begin())->getBlock() != op->getBlock())
    return op->emitOpError("is an expression used in another block than its own; it needs a variable");
  return success();
}

Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  bool readOnly = false;
  if (parser.parseLess() || parser.parseType(pointee)) return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("const")) return {};
    readOnly = true;
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), pointee, readOnly);
}
void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointee() << (getReadOnly() ? ", const>" : ">");
}

/// How the elements lie, where they do not in rows, and `, const`; false after a message.
static bool parseViewMarks(AsmParser &parser, bool &strided, int64_t &windows, bool &readOnly) {
  while (succeeded(parser.parseOptionalComma())) {
    if (readOnly) return false;
    bool isPlain = !strided && windows == 0;
    if (isPlain && succeeded(parser.parseOptionalKeyword("strided"))) strided = true;
    else if (isPlain && succeeded(parser.parseOptionalKeyword("windows"))) {
      if (parser.parseInteger(windows)) return false;
    }
    else if (parser.parseKeyword("const")) return false;
    else readOnly = true;
  }
  return !parser.parseGreater();
}
static void printViewMarks(AsmPrinter &printer, bool strided, int64_t windows, bool readOnly) {
  if (windows) printer << ", windows " << windows;
  printer << (strided ? ", strided" : "") << (readOnly ? ", const>" : ">");
}

Type ViewType::parse(AsmParser &parser) {
  int64_t rank = 0, windows = 0;
  Type element;
  bool readOnly = false, strided = false;
  if (parser.parseLess() || parser.parseInteger(rank) || parser.parseComma() || parser.parseType(element) ||
      !parseViewMarks(parser, strided, windows, readOnly))
    return {};
  return get(parser.getContext(), rank, element, readOnly, strided, windows);
}
void ViewType::print(AsmPrinter &printer) const {
  printer << "<" << getRank() << ", " << getElement();
  printViewMarks(printer, getStrided(), getWindows(), getReadOnly());
}

Type TiledViewType::parse(AsmParser &parser) {
  int64_t rank = 0, rows = 0, rowAxis = 0, windows = 0;
  Type element;
  bool readOnly = false, strided = false;
  if (parser.parseLess() || parser.parseInteger(rank) || parser.parseComma() || parser.parseType(element) || parser.parseComma() ||
      parser.parseInteger(rows))
    return {};
  bool isGiven = succeeded(parser.parseOptionalKeyword("of"));
  if ((isGiven && parser.parseInteger(rowAxis)) || !parseViewMarks(parser, strided, windows, readOnly)) return {};
  return get(parser.getContext(), rank, element, rows, isGiven ? rowAxis : rank - 2, readOnly, strided, windows);
}
void TiledViewType::print(AsmPrinter &printer) const {
  printer << "<" << getRank() << ", " << getElement() << ", " << getRows();
  if (getRowAxis() != getRank() - 2) printer << " of " << getRowAxis();
  printViewMarks(printer, getStrided(), getWindows(), getReadOnly());
}

Attribute CapacityAttr::parse(AsmParser &parser, Type) {
  std::string dim;
  SmallVector<int64_t> values;
  auto value = [&] { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseLess() || parser.parseString(&dim) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, value) || parser.parseGreater())
    return {};
  auto array = DenseI64ArrayAttr::get(parser.getContext(), values);
  return parser.getChecked<CapacityAttr>(parser.getContext(), dim, array);
}
void CapacityAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getDim() << "\", [";
  llvm::interleaveComma(getValues().asArrayRef(), printer.getStream());
  printer << "]>";
}
LogicalResult CapacityAttr::verify(function_ref<InFlightDiagnostic()> error, StringRef dim,
                                   DenseI64ArrayAttr values) {
  if (dim.empty() || values.empty()) return error() << "a capacity needs a dimension and at least one value";
  ArrayRef<int64_t> list = values.asArrayRef();
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i] <= 0 || (i > 0 && list[i] <= list[i - 1]))
      return error() << "capacity values must be positive and rising";
  return success();
}

LogicalResult ParameterAttr::verify(function_ref<InFlightDiagnostic()> error, StringRef name, Type dtype,
                                    ArrayAttr shape, StringRef mode) {
  if (!isIdentifier(name)) return error() << "parameter name '" << name << "' is no identifier";
  if (!llvm::is_contained({"in", "out", "inout", "result", "scalar"}, mode))
    return error() << "parameter mode '" << mode << "' is none of in, out, inout, result, scalar";
  if (mode == "scalar" && shape.size() > (dtype.isIndex() ? 1 : 0))
    return error() << "a scalar parameter has no shape; an integer may give one dimension";
  for (Attribute dim : shape)
    if (!llvm::isa<StringAttr>(dim)) return error() << "a shape is a list of dimension texts";
  return success();
}

LogicalResult ArgumentAttr::verify(function_ref<InFlightDiagnostic()> error, StringRef kind, StringRef text) {
  if (!llvm::is_contained({"tensor", "dim", "scalar"}, kind))
    return error() << "argument kind '" << kind << "' is none of tensor, dim, scalar";
  if (text.empty()) return error() << "an argument needs a name or an expression";
  return success();
}

}  // namespace tessera::ir::target
