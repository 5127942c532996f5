// The dialect `tsr`: types and attributes that every level shares.
#ifndef TESSERA_IR_COMMON_TD
#define TESSERA_IR_COMMON_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "ir/common/CommonEnums.td"
include "ir/common/CommonInterfaces.td"

def Tsr_Dialect : Dialect {
  let name = "tsr";
  let cppNamespace = "::tessera::ir";
  let summary = "types and attributes that every level shares";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;  // `tsr.machine`
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

class Tsr_Attr<string name, string text, list<Trait> traits = []> : AttrDef<Tsr_Dialect, name, traits> {
  let mnemonic = text;
}
class Tsr_Type<string name, string text, list<Trait> traits = []> : TypeDef<Tsr_Dialect, name, traits> {
  let mnemonic = text;
}

// ---------------------------------------------------------------- dimensions

def Tsr_DimAttr : Tsr_Attr<"Dim", "dim"> {
  let summary = "a dimension: an integer expression over named variables, in normal form";
  let description = [{
    The text is what `tessera::Dim::str()` writes, so equal dimensions are the same attribute.

    Example: `#tsr.dim<"D // H">`
  }];
  let parameters = (ins StringRefParameter<"the normal form">:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::tessera::Dim &":$dim)>];
  let extraClassDeclaration = [{
    /// The expression.
    ::tessera::Dim getDim() const;
    /// Its value where it is a plain number.
    std::optional<int64_t> getConstant() const;
  }];
}

// Prints as ["M", "K"].
def Tsr_DimsParameter : ArrayRefParameter<"::tessera::ir::DimAttr", "extents"> {
  let parser = "::tessera::ir::parseDims($_parser)";
  let printer = "::tessera::ir::printDims($_printer, $_self)";
}

def Tsr_DimsAttr : Tsr_Attr<"Dims", "dims"> {
  let summary = "a list of dimensions";
  let description = "Example: `#tsr.dims<[\"M\", \"T.k\"]>`";
  let parameters = (ins Tsr_DimsParameter:$dims);
  let assemblyFormat = "`<` $dims `>`";
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::tessera::Dim>":$dims)>];
}

// ---------------------------------------------------------------- facts about functions

def Tsr_ParamAttr : Tsr_Attr<"Param", "param"> {
  let summary = "a parameter of a function: the user's name, its mode and its default";
  let description = [{
    `result` marks a parameter that the compiler made to hold a returned tile or scalar.

    Example: `#tsr.param<"causal", in, default = true>`
  }];
  let parameters = (ins StringRefParameter<"the user's name">:$name, EnumParameter<Tsr_ParamMode>:$mode,
                        DefaultValuedParameter<"bool", "false">:$isResult,
                        DefaultValuedParameter<"bool", "false">:$keywordOnly,
                        OptionalParameter<"::mlir::Attribute">:$defaultValue);
  let hasCustomAssemblyFormat = 1;
}

def Tsr_ResultAttr : Tsr_Attr<"Result", "result"> {
  let summary = "a result of a function: its name, type, and the parameter that holds it (-1: none)";
  let description = "Example: `#tsr.result<\"result\", !tsr.tensor<[\"M\"], f32>, param = 2>`";
  let parameters = (ins StringRefParameter<"its name">:$name, "::mlir::Type":$type,
                        DefaultValuedParameter<"int64_t", "-1">:$param);
  let assemblyFormat = "`<` $name `,` $type (`,` `param` `=` $param^)? `>`";
}

def Tsr_RequirementAttr : Tsr_Attr<"Requirement", "requirement"> {
  let summary = "a fact that an entry function checks once";
  let description = [{
    `text` is what the user wrote, or why the fact is needed.

    Example: `#tsr.requirement<"D % 16" eq "0", "D % 16 == 0">`
  }];
  let parameters = (ins "::tessera::ir::DimAttr":$left, EnumParameter<Tsr_Relation>:$relation,
                        "::tessera::ir::DimAttr":$right, StringRefParameter<"the fact as a sentence">:$text);
  let hasCustomAssemblyFormat = 1;
}

def Tsr_GridAttr : Tsr_Attr<"Grid", "grid"> {
  let summary = "what the groups of a kernel's launch are";
  let description = [{
    `output`: one group for each tile of parameter `param`, `dims` is the tile's extent along each of its
    dimensions. `explicit`: `dims` are the numbers of groups. `lanes`: one lane for each index below
    `dims[0]`.

    Examples: `#tsr.grid<output, ["T.m", "T.n"], param = 2>`, `#tsr.grid<explicit, ["1"]>`, `#tsr.grid<lanes,
    ["n"]>`
  }];
  let parameters = (ins EnumParameter<Tsr_GridKind>:$kind, Tsr_DimsParameter:$dims,
                        DefaultValuedParameter<"int64_t", "-1">:$param);
  let assemblyFormat = "`<` $kind `,` $dims (`,` `param` `=` $param^)? `>`";
  let genVerifyDecl = 1;
}

// ---------------------------------------------------------------- the machine

def Tsr_MachineAttr : Tsr_Attr<"Machine", "machine"> {
  let summary = "the machine that a module is compiled for: a row of support/Machines.def";
  let description = [{
    The module's attribute `tsr.machine`, set before the first pass. Passes read it by `machineOf`.

    Example: `#tsr.machine<"sm_90a">`
  }];
  let parameters = (ins StringRefParameter<"its name in the table">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Its row.
    const ::tessera::Machine &getMachine() const;
  }];
}

// ---------------------------------------------------------------- types

def Tsr_TensorType : Tsr_Type<"Tensor", "tensor", [DeclareTypeInterfaceMethods<Tsr_ArrayLike>]> {
  let summary = "an immutable array value: a tensor, or a tile inside a kernel";
  let description = "Example: `!tsr.tensor<[\"M\", \"K\"], bf16>`";
  let parameters = (ins Tsr_DimsParameter:$shape, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $shape `,` $elementType `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    size_t getRank() const { return getShape().size(); }
  }];
}

def Tsr_WindowsAttr : Tsr_Attr<"Windows", "windows"> {
  let summary = "windows that slide over axes of a tensor [images, these axes, channels], one or two of them";
  let description = [{
    `size`: of the tensor, images and the axes. Along each axis there are `count` windows of `places` places; window i has place p at
    i * stride + p * dilation - before. What lies outside of the axis is 0.

    Example: `#tsr.windows<["N", "H", "W"], ["H", "W"], [3, 3], [1, 1], [1, 1], [1, 1]>`, of a convolution of 3 x 3 with a border of one
  }];
  let parameters = (ins Tsr_DimsParameter:$size, Tsr_DimsParameter:$count, ArrayRefParameter<"int64_t">:$places, ArrayRefParameter<"int64_t">:$stride,
                        ArrayRefParameter<"int64_t">:$dilation, ArrayRefParameter<"int64_t">:$before);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    size_t axes() const { return getCount().size(); }
  }];
}

def Tsr_PlacesAttr : Tsr_Attr<"Places", "places"> {
  let summary = "where the elements of a part of a tensor lie: the first one, and the distance between neighbours along each axis";
  let description = [{
    In elements of the tensor, which is row-major and contiguous. Or how a tensor is read through a window: a view of all windows, of the
    places in one, and of channels, which lie side by side; the distances are those of the windows' axes.

    Examples: `#tsr.places<"D", ["3*D", "1"]>`, the second of three matrices that lie side by side in rows;
    `#tsr.places<"0", ["H*W*C", "W*C", "C"], <["N", "H", "W"], ["H", "W"], [3, 3], [1, 1], [1, 1], [1, 1]>>`
  }];
  let parameters = (ins "::tessera::ir::DimAttr":$offset, Tsr_DimsParameter:$strides, OptionalParameter<"::tessera::ir::WindowsAttr">:$windows);
  let builders = [AttrBuilder<(ins "::tessera::ir::DimAttr":$offset, "::llvm::ArrayRef<::tessera::ir::DimAttr>":$strides),
                              "return $_get($_ctxt, offset, strides, WindowsAttr());">];
  let hasCustomAssemblyFormat = 1;
}

def Tsr_ViewType : Tsr_Type<"View", "view"> {
  let summary = "a tensor in global memory, row-major and contiguous, or a part of one";
  let description = [{
    A kernel may take a part of the tensor that a launch passes: `places` says which.

    Examples: `!tsr.view<["M", "K"], bf16>`, `!tsr.view<["M", "D"], bf16, <"D", ["3*D", "1"]>>`
  }];
  let parameters = (ins Tsr_DimsParameter:$shape, "::mlir::Type":$elementType,
                        OptionalParameter<"::tessera::ir::PlacesAttr">:$places);
  let assemblyFormat = "`<` $shape `,` $elementType (`,` $places^)? `>`";
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<::tessera::ir::DimAttr>":$shape, "::mlir::Type":$elementType),
                              "return $_get($_ctxt, shape, elementType, PlacesAttr());">];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    size_t getRank() const { return getShape().size(); }
  }];
}

def Tsr_SharedType : Tsr_Type<"Shared", "shared"> {
  let summary = "a buffer in the shared memory of a group";
  let description = [{
    Example: `!tsr.shared<["2", "128", "32"], bf16, "xor">`; the swizzle is "", "xor" (chunks of 16 bytes change
    places along a row), "xor_chunks" (likewise, by chunks of rows, for tiles that are turned) or "panels" (as Hopper's copy engine and matrix instructions have it).
  }];
  let parameters = (ins Tsr_DimsParameter:$shape, "::mlir::Type":$elementType,
                        StringRefParameter<"swizzle">:$swizzle);
  let assemblyFormat = "`<` $shape `,` $elementType `,` $swizzle `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    size_t getRank() const { return getShape().size(); }
  }];
}

def Tsr_HostTensorType : Tsr_Type<"HostTensor", "host_tensor"> {
  let summary = "host code: a tensor whose dtype and shape are known when it runs";
}
def Tsr_StringType : Tsr_Type<"String", "string"> {
  let summary = "host code: text";
}
// MLIR 19 has no builtin types for these.
def Tsr_F6E2M3Type : Tsr_Type<"F6E2M3", "f6e2m3"> {
  let summary = "a 6-bit float: 2 bits of exponent, 3 of mantissa";
}
def Tsr_F6E3M2Type : Tsr_Type<"F6E3M2", "f6e3m2"> {
  let summary = "a 6-bit float: 3 bits of exponent, 2 of mantissa";
}
def Tsr_F4E2M1Type : Tsr_Type<"F4E2M1", "f4e2m1"> {
  let summary = "a 4-bit float: 2 bits of exponent, 1 of mantissa";
}

// ---------------------------------------------------------------- constraints for ops

def Tsr_Scalar : Type<CPred<"::tessera::ir::isScalar($_self)">, "an index or a value of a dtype">;
def Tsr_Numeric : Type<CPred<"::tessera::ir::isDType($_self)">, "a value of a dtype">;
def Tsr_Value : AnyTypeOf<[Tsr_Scalar, Tsr_TensorType], "a scalar or an array value">;
def Tsr_Memory : AnyTypeOf<[Tsr_ViewType, Tsr_SharedType], "a view or a shared buffer">;

#endif
