#include "ir/common/Common.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#define GET_TYPEDEF_CLASSES
#include "ir/common/CommonTypes.cpp.inc"

namespace tessera::ir {
using namespace mlir;

void TsrDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/common/CommonTypes.cpp.inc"
      >();
}

bool isDType(Type type) {
  if (isa<F6E2M3Type, F6E3M2Type, F4E2M1Type>(type)) return true;
  if (type.isF64() || type.isF32() || type.isTF32() || type.isF16() || type.isBF16()) return true;
  if (type.isFloat8E4M3FN() || type.isFloat8E5M2()) return true;
  if (auto complexType = dyn_cast<ComplexType>(type)) return complexType.getElementType().isF32();
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer) return false;
  unsigned width = integer.getWidth();
  if (integer.isSignless())
    return width == 1 || width == 4 || width == 8 || width == 16 || width == 32 || width == 64;
  return integer.isUnsigned() && (width == 8 || width == 16 || width == 32);
}
bool isScalar(Type type) { return type.isIndex() || isDType(type); }

using ErrorFn = function_ref<InFlightDiagnostic()>;
static LogicalResult verifyElement(ErrorFn emitError, Type element) {
  if (isScalar(element)) return success();
  return emitError() << element << " is not an element type: expected a dtype or index";
}
LogicalResult TensorType::verify(ErrorFn emitError, ArrayRef<DimAttr>, Type element) {
  return verifyElement(emitError, element);
}
LogicalResult ViewType::verify(ErrorFn emitError, ArrayRef<DimAttr> shape, Type element, PlacesAttr places) {
  if (WindowsAttr windows = places ? places.getWindows() : WindowsAttr()) {
    if (shape.size() != 3 || places.getStrides().size() != windows.axes() + 1)
      return emitError() << "a view through a window has three dimensions, and a stride for images and each axis of windows";
    return verifyElement(emitError, element);
  }
  if (places && places.getStrides().size() != shape.size())
    return emitError() << "a view of " << shape.size() << " dimensions has " << places.getStrides().size() << " strides";
  if (element.isIndex()) return emitError() << "a view holds values of a dtype, not index";
  return verifyElement(emitError, element);
}
LogicalResult SharedType::verify(ErrorFn emitError, ArrayRef<DimAttr> shape, Type element,
                                 StringRef swizzle) {
  if (swizzle != "" && swizzle != "xor" && swizzle != "xor_chunks" && swizzle != "panels")
    return emitError() << "swizzle '" << swizzle << "' is none of \"\", \"xor\", \"xor_chunks\" and \"panels\"";
  if (shape.empty()) return emitError() << "a shared buffer has at least one dimension";
  if (element.isIndex()) return emitError() << "a shared buffer holds values of a dtype, not index";
  return verifyElement(emitError, element);
}

Type TensorType::withElementType(Type elementType) const {
  return TensorType::get(getContext(), getShape(), elementType);
}

ArrayRef<DimAttr> shapeOf(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type)) return tensor.getShape();
  if (auto view = dyn_cast<ViewType>(type)) return view.getShape();
  if (auto shared = dyn_cast<SharedType>(type)) return shared.getShape();
  return {};
}
Type elementTypeOf(Type type) {
  if (auto array = dyn_cast<ArrayLike>(type)) return array.getElementType();
  if (auto view = dyn_cast<ViewType>(type)) return view.getElementType();
  if (auto shared = dyn_cast<SharedType>(type)) return shared.getElementType();
  return type;
}
Type withElementType(Type type, Type elementType) {
  if (auto array = dyn_cast<ArrayLike>(type)) return array.withElementType(elementType);
  return elementType;
}

SmallVector<DimAttr> dimAttrs(MLIRContext *context, ArrayRef<Dim> dims) {
  SmallVector<DimAttr> attrs;
  for (const Dim &dim : dims) attrs.push_back(DimAttr::get(context, dim));
  return attrs;
}
std::string text(ArrayRef<DimAttr> dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) out += (i ? ", " : "") + dims[i].getText().str();
  return out + "]";
}
std::string text(Type type) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  type.print(stream);
  return stream.str();
}

}  // namespace tessera::ir
