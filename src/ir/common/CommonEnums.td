#ifndef TESSERA_IR_COMMON_ENUMS_TD
#define TESSERA_IR_COMMON_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Tsr_Relation : I32EnumAttr<"Relation", "how the two sides of a requirement compare", [
    I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">,
    I32EnumAttrCase<"Lt", 2, "lt">, I32EnumAttrCase<"Le", 3, "le">,
    I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]> {
  let cppNamespace = "::tessera::ir";
  let genSpecializedAttr = 0;
}

def Tsr_ParamMode : I32EnumAttr<"ParamMode", "whether a parameter is read, written or both", [
    I32EnumAttrCase<"In", 0, "in">, I32EnumAttrCase<"Out", 1, "out">, I32EnumAttrCase<"InOut", 2, "inout">]> {
  let cppNamespace = "::tessera::ir";
  let genSpecializedAttr = 0;
}

def Tsr_GridKind : I32EnumAttr<"GridKind", "what the groups of a launch are counted over", [
    I32EnumAttrCase<"Output", 0, "output">, I32EnumAttrCase<"Explicit", 1, "explicit">,
    I32EnumAttrCase<"Lanes", 2, "lanes">]> {
  let cppNamespace = "::tessera::ir";
  let genSpecializedAttr = 0;
}

def Tsr_Rounding : I32EnumAttr<"Rounding", "how a cast rounds", [
    I32EnumAttrCase<"NearestEven", 0, "nearest_even">, I32EnumAttrCase<"TowardZero", 1, "toward_zero">,
    I32EnumAttrCase<"Up", 2, "up">, I32EnumAttrCase<"Down", 3, "down">,
    I32EnumAttrCase<"Stochastic", 4, "stochastic">]> {
  let cppNamespace = "::tessera::ir";
  let genSpecializedAttr = 0;
}

#endif
