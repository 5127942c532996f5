// The Target dialect: the words of a C-family language, one op for one piece of text.
#ifndef TESSERA_IR_TARGET_TYPES_TD
#define TESSERA_IR_TARGET_TYPES_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Target_Dialect : Dialect {
  let name = "target";
  let cppNamespace = "::tessera::ir::target";
  let summary = "Structured, imperative text of a C-family language";
  let description = [{
    A module of this dialect is emitted code, word for word: the printer chooses line breaks and parentheses
    and the spelling of dtypes, nothing else. Rules of reading:

    - **Expressions** (`literal`, `name`, `read`, `binary`, `unary`, `conditional`, `cast`, `call`, `method`,
      `member`, `subscript`, `element`) are SSA values. An expression prints where it is used, has at most one
      use, and stands in the block of its use. One without a use prints nothing.
    - **Statements** print in order, one statement each.
    - **Names** are final: identifiers of the language, distinct where they are visible, keywords already
      avoided.
    - Every `index` is an `int64_t`; other scalars are spelled by the dtype table.
    - An op's location is the place in the `.tsr` text that it comes from; the printer writes it as a trailing
      comment once per group of statements.
    - The family of the module's machine (`tsr.machine`) says which language it is.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Target_Type<string name, string mnem> : TypeDef<Target_Dialect, name> { let mnemonic = mnem; }
class Target_Attr<string name, string mnem> : AttrDef<Target_Dialect, name> { let mnemonic = mnem; }

def Target_PointerType : Target_Type<"Pointer", "pointer"> {
  let summary = "`T *`, or `const T *`; as a kernel parameter also `__restrict__` (unless it aliases)";
  let description = [{ Example: `!target.pointer<bf16, const>` prints as `const tsr::bf16 *`. }];
  let parameters = (ins "::mlir::Type":$pointee, "bool":$readOnly);
  let hasCustomAssemblyFormat = 1;
}
def Target_ViewType : Target_Type<"View", "view"> {
  let summary = "`tsr::View<T, rank>`: a kernel parameter that knows its extents";
  let description = [{
    Row-major and contiguous; the extents that a launch gives are the shape of the tensor it passes. `base[i]`
    fixes the first index. A strided one is a part of a tensor, with the distance between neighbours along each axis.
    Examples: `!target.view<2, bf16, const>` prints as `tsr::View<const tsr::bf16, 2>`,
    `!target.view<2, bf16, strided, const>` as `tsr::StridedView<const tsr::bf16, 2>`. A tensor that is read through a window over
    so many axes: `!target.view<3, bf16, windows 2, const>` prints as `tsr::WindowView<const tsr::bf16, 2>`.
  }];
  let parameters = (ins "int64_t":$rank, "::mlir::Type":$element, "bool":$readOnly, DefaultValuedParameter<"bool", "false">:$strided,
                        DefaultValuedParameter<"int64_t", "0">:$windows);
  let hasCustomAssemblyFormat = 1;
}
def Target_TiledViewType : Target_Type<"TiledView", "tiled_view"> {
  let summary = "`tsr::TiledView<T, rank>`: a view with its map for the copy engine of Hopper";
  let description = [{
    As a kernel parameter `const __grid_constant__`; a launch makes the map for tiles of `rows` rows along `rowAxis`, the
    last axis but one unless it is said (`128 of 1`), and of columns along the last.
    Example: `!target.tiled_view<2, bf16, 128, const>` prints as `tsr::TiledView<const tsr::bf16, 2>`.
  }];
  let parameters = (ins "int64_t":$rank, "::mlir::Type":$element, "int64_t":$rows, "int64_t":$rowAxis, "bool":$readOnly,
                        DefaultValuedParameter<"bool", "false">:$strided, DefaultValuedParameter<"int64_t", "0">:$windows);
  let hasCustomAssemblyFormat = 1;
}
def Target_NamedType : Target_Type<"Named", "named"> {
  let summary = "A type by its text";
  let description = [{ Example: `!target.named<"tsr::Fragment<float, BM, BN, Grid>">` prints as that text. }];
  let parameters = (ins StringRefParameter<"the text of the type">:$text);
  let assemblyFormat = "`<` $text `>`";
}
def Target_DivisorType : Target_Type<"Divisor", "divisor"> {
  let summary = "`tsr::Divisor`: a number by which integers are divided; a launch gives a dimension for it";
  let description = [{ Example: with a parameter `by_W` of this type, `target.binary "%" %i, %by : (index, !target.divisor) -> index` prints as `i % by_W`. }];
}
def Target_ArrayType : Target_Type<"Array", "array"> {
  let summary = "An array with extents that are texts (constants by name, or numbers)";
  let description = [{
    Example: a variable "stage" of `!target.array<["2"], !target.named<"Tile">>` prints as `Tile stage[2]`.
  }];
  let parameters = (ins "::mlir::ArrayAttr":$extents, "::mlir::Type":$element);
  let assemblyFormat = "`<` $extents `,` $element `>`";
}
def Target_LValueType : Target_Type<"LValue", "lvalue"> {
  let summary = "A place that holds a T: a variable, an element, a member";
  let description = [{ Example: `!target.lvalue<f32>`. Prints nothing by itself. }];
  let parameters = (ins "::mlir::Type":$value);
  let assemblyFormat = "`<` $value `>`";
}

def Target_ParameterAttr : Target_Attr<"Parameter", "parameter"> {
  let summary = "A parameter of an entry function";
  let description = [{
    Name, dtype, shape (dimensions as text in the normal form of `Dim`) and mode: "in", "out", "inout",
    "result" (memory that the caller gives for a result), or "scalar" (passed by value, empty shape; an
    integer that gives a dimension has that one). A dimension variable is bound by the first shape that holds
    it alone; every other mention is checked at entry.

    Example: `#target.parameter<"A", bf16, ["M", "K"], "in">`, `#target.parameter<"alpha", f32, [],
    "scalar">`.
  }];
  let parameters = (ins StringRefParameter<"its name">:$name,
                        "::mlir::Type":$dtype, "::mlir::ArrayAttr":$shape,
                        StringRefParameter<"in, out, inout, result, scalar">:$mode);
  let assemblyFormat = "`<` $name `,` $dtype `,` $shape `,` $mode `>`";
  let genVerifyDecl = 1;
}
def Target_ArgumentAttr : Target_Attr<"Argument", "argument"> {
  let summary = "What a launch passes for a kernel parameter";
  let description = [{
    Kind "tensor": the memory of the parameter or temporary of that name. Kind "dim": a dimension expression,
    as int64_t. Kind "scalar": the scalar parameter of that name.
    Example: `#target.argument<"tensor", "A">`, `#target.argument<"dim", "D // H">`.
  }];
  let parameters = (ins StringRefParameter<"tensor, dim, scalar">:$kind,
      StringRefParameter<"name or expression">:$text);
  let assemblyFormat = "`<` $kind `,` $text `>`";
  let genVerifyDecl = 1;
}
def Target_CapacityAttr : Target_Attr<"Capacity", "capacity"> {
  let summary = "A dimension with a template parameter: the kernel is compiled once for each value";
  let description = [{
    The launch takes the least value that is at least the dimension; when there is none, the entry function
    fails with a message. Example: `#target.capacity<"D", [64, 128, 256]>`.
  }];
  let parameters = (ins StringRefParameter<"dimension expression">:$dim, "::mlir::DenseI64ArrayAttr":$values);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
#endif
