#include "ir/common/Common.h"
#include "ir/common/CommonEnums.cpp.inc"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#define GET_ATTRDEF_CLASSES
#include "ir/common/CommonAttrs.cpp.inc"

namespace tessera::ir {
using namespace mlir;

void TsrDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/common/CommonAttrs.cpp.inc"
      >();
}

// ---------------------------------------------------------------- dimensions

LogicalResult DimAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef text) {
  auto dim = Dim::parse(std::string_view(text.data(), text.size()));
  if (!dim) return emitError() << "'" << text << "' is not a dimension";
  if (dim->str() != std::string_view(text.data(), text.size()))
    return emitError() << "dimension '" << text << "' is not in normal form, which is '" << dim->str() << "'";
  return success();
}
DimAttr DimAttr::get(MLIRContext *context, const Dim &dim) {
  return Base::get(context, StringRef(dim.str()));
}
Dim DimAttr::getDim() const { return *Dim::parse(std::string_view(getText().data(), getText().size())); }
std::optional<int64_t> DimAttr::getConstant() const {
  int64_t value;
  if (getText().getAsInteger(10, value)) return std::nullopt;
  return value;
}

DimsAttr DimsAttr::get(MLIRContext *context, ArrayRef<Dim> dims) {
  return Base::get(context, ArrayRef<DimAttr>(dimAttrs(context, dims)));
}

// ---------------------------------------------------------------- facts about functions

void ParamAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getName());
  printer << ", " << stringifyParamMode(getMode());
  if (getIsResult()) printer << ", result";
  if (getKeywordOnly()) printer << ", keyword_only";
  if (getDefaultValue()) printer << ", default = " << getDefaultValue();
  printer << '>';
}

Attribute ParamAttr::parse(AsmParser &parser, Type) {
  std::string name;
  StringRef mode;
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma()) return {};
  auto place = parser.getCurrentLocation();
  if (parser.parseKeyword(&mode)) return {};
  auto parsedMode = symbolizeParamMode(mode);
  if (!parsedMode) {
    parser.emitError(place, "expected 'in', 'out' or 'inout'");
    return {};
  }
  bool isResult = false, keywordOnly = false;
  Attribute defaultValue;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("result"))) isResult = true;
    else if (succeeded(parser.parseOptionalKeyword("keyword_only"))) keywordOnly = true;
    else if (parser.parseKeyword("default") || parser.parseEqual() || parser.parseAttribute(defaultValue))
      return {};
  }
  if (parser.parseGreater()) return {};
  return ParamAttr::get(parser.getContext(), name, *parsedMode, isResult, keywordOnly, defaultValue);
}

void RequirementAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getLeft().getText());
  printer << ' ' << stringifyRelation(getRelation()) << ' ';
  printer.printString(getRight().getText());
  printer << ", ";
  printer.printString(getText());
  printer << '>';
}

static DimAttr parseDim(AsmParser &parser) {
  std::string text;
  auto place = parser.getCurrentLocation();
  if (parser.parseString(&text)) return {};
  return DimAttr::getChecked([&] { return parser.emitError(place); }, parser.getContext(), StringRef(text));
}

static LogicalResult parseNumbers(AsmParser &parser, SmallVector<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parser.parseInteger(numbers.emplace_back()); });
}

LogicalResult WindowsAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<DimAttr> size, ArrayRef<DimAttr> count, ArrayRef<int64_t> places,
                                  ArrayRef<int64_t> stride, ArrayRef<int64_t> dilation, ArrayRef<int64_t> before) {
  size_t axes = count.size();
  if (axes < 1 || axes > 3 || size.size() != axes + 1 || places.size() != axes || stride.size() != axes || dilation.size() != axes || before.size() != axes)
    return emitError() << "windows slide over one to three axes, with numbers for each, and there is a number of images";
  auto isAtLeast = [](ArrayRef<int64_t> numbers, int64_t least) { return llvm::all_of(numbers, [&](int64_t number) { return number >= least; }); };
  if (!isAtLeast(places, 1) || !isAtLeast(stride, 1) || !isAtLeast(dilation, 1) || !isAtLeast(before, 0))
    return emitError() << "windows have places, and lie a distance apart";
  return success();
}

Attribute WindowsAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess()) return {};
  FailureOr<SmallVector<DimAttr>> size = parseDims(parser);
  if (failed(size) || parser.parseComma()) return {};
  FailureOr<SmallVector<DimAttr>> count = parseDims(parser);
  if (failed(count)) return {};
  SmallVector<int64_t> numbers[4];
  for (SmallVector<int64_t> &list : numbers)
    if (parser.parseComma() || failed(parseNumbers(parser, list))) return {};
  auto place = parser.getCurrentLocation();
  if (parser.parseGreater()) return {};
  return WindowsAttr::getChecked([&] { return parser.emitError(place); }, parser.getContext(), *size, *count, numbers[0], numbers[1], numbers[2], numbers[3]);
}
void WindowsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printDims(printer, getSize());
  printer << ", ";
  printDims(printer, getCount());
  for (ArrayRef<int64_t> numbers : {getPlaces(), getStride(), getDilation(), getBefore()}) {
    printer << ", [";
    llvm::interleaveComma(numbers, printer);
    printer << "]";
  }
  printer << ">";
}

Attribute PlacesAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess()) return {};
  DimAttr offset = parseDim(parser);
  if (!offset || parser.parseComma()) return {};
  FailureOr<SmallVector<DimAttr>> strides = parseDims(parser);
  if (failed(strides)) return {};
  WindowsAttr windows;
  if (succeeded(parser.parseOptionalComma()) && parser.parseCustomAttributeWithFallback(windows)) return {};
  if (parser.parseGreater()) return {};
  return PlacesAttr::get(parser.getContext(), offset, *strides, windows);
}
void PlacesAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printString(getOffset().getText());
  printer << ", ";
  printDims(printer, getStrides());
  if (getWindows()) {
    printer << ", ";
    printer.printStrippedAttrOrType(getWindows());
  }
  printer << ">";
}

Attribute RequirementAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess()) return {};
  DimAttr left = parseDim(parser);
  if (!left) return {};
  StringRef relation;
  auto place = parser.getCurrentLocation();
  if (parser.parseKeyword(&relation)) return {};
  auto parsedRelation = symbolizeRelation(relation);
  if (!parsedRelation) {
    parser.emitError(place, "expected one of eq, ne, lt, le, gt, ge");
    return {};
  }
  DimAttr right = parseDim(parser);
  std::string text;
  if (!right || parser.parseComma() || parser.parseString(&text) || parser.parseGreater()) return {};
  return RequirementAttr::get(parser.getContext(), left, *parsedRelation, right, text);
}

LogicalResult GridAttr::verify(function_ref<InFlightDiagnostic()> emitError, GridKind kind,
                               ArrayRef<DimAttr> dims, int64_t param) {
  if ((kind == GridKind::Output) != (param >= 0))
    return emitError() << "an 'output' grid, and no other, names the parameter whose tiles it counts";
  if (kind == GridKind::Lanes && dims.size() != 1) return emitError() << "a 'lanes' grid has one extent";
  if (kind == GridKind::Explicit && (dims.empty() || dims.size() > 3))
    return emitError() << "an 'explicit' grid has one, two or three extents";
  return success();
}

}  // namespace tessera::ir
