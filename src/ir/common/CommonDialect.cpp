#include "ir/common/Common.h"
#include "ir/common/CommonDialect.cpp.inc"
#include "ir/common/CommonTypeInterfaces.cpp.inc"

namespace tessera::ir {

void TsrDialect::initialize() {
  registerAttributes();
  registerTypes();
}

mlir::FailureOr<llvm::SmallVector<DimAttr>> parseDims(mlir::AsmParser &parser) {
  llvm::SmallVector<DimAttr> dims;
  auto one = [&]() -> mlir::ParseResult {
    std::string text;
    auto place = parser.getCurrentLocation();
    if (parser.parseString(&text)) return mlir::failure();
    auto dim = DimAttr::getChecked([&] { return parser.emitError(place); }, parser.getContext(),
                                   llvm::StringRef(text));
    if (!dim) return mlir::failure();
    dims.push_back(dim);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, one)) return mlir::failure();
  return dims;
}

void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<DimAttr> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer.getStream(), [&](DimAttr dim) { printer.printString(dim.getText()); });
  printer << ']';
}

}  // namespace tessera::ir
