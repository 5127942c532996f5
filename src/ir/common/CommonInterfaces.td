#ifndef TESSERA_IR_COMMON_INTERFACES_TD
#define TESSERA_IR_COMMON_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tsr_ArrayLike : TypeInterface<"ArrayLike"> {
  let cppNamespace = "::tessera::ir";
  let description = [{
    A value of several elements of one type. Elementwise operations and casts are checked with it: the
    operands' types differ from the result's in the element type only.
  }];
  let methods = [
    InterfaceMethod<"The type of one element.", "::mlir::Type", "getElementType">,
    InterfaceMethod<"The same type with other elements.", "::mlir::Type", "withElementType",
                    (ins "::mlir::Type":$elementType)>,
  ];
}

#endif
