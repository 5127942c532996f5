// The ops of the Target dialect. Every op shows an example and the text that it prints.
#ifndef TESSERA_IR_TARGET_OPS_TD
#define TESSERA_IR_TARGET_OPS_TD
include "ir/target/TargetTypes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Target_Op<string mnem, list<Trait> traits = []> : Op<Target_Dialect, mnem, traits>;

/// At most one use, in the block in which the expression stands.
def OneUse : NativeOpTrait<"OneUse"> { let cppNamespace = "::tessera::ir::target"; }
class Target_Expression<string mnem, list<Trait> traits = []> : Target_Op<mnem, traits # [OneUse]>;

def NamesResults : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;
def NamesArguments : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>;

def Target_LValue : DialectType<Target_Dialect,
    CPred<"::llvm::isa<::tessera::ir::target::LValueType>($_self)">, "lvalue">;

// ---------------------------------------------------------------- module level

def Target_KernelOp : Target_Op<"kernel", [IsolatedFromAbove, Symbol, NoTerminator, SingleBlock,
    HasParent<"::mlir::ModuleOp">,
                                           NamesArguments]> {
  let summary = "A device function that a launch starts; on the CPU it is a loop over its groups";
  let description = [{
    `capacities` are `int` template parameters. `group` is the number of threads of a group (launch bounds; 0
    on the CPU). `comment` are the lines over the function. With `dynamic_shared`, the `target.shared`
    declarations are members of one struct in dynamic shared memory, in order, each aligned to 128 bytes or
    what its type asks for (launches then give the byte count); without it they are static. Pointer parameters are `__restrict__`
    unless `may_alias` is present. `one_group`: the launch bounds promise one group a processor only, so that a
    lane may have all the registers that there are. `shared_alignment`: bytes to which dynamic shared memory is aligned.

    ```mlir
    target.kernel @scale attributes {capacities = [], comment = ["y = 2 * y"], group = 256 : i64,
        param_names = ["y", "n"]} {
    ^bb0(%y: !target.pointer<f32>, %n: index):
      ...
    }
    ```
    prints `__global__ void __launch_bounds__(256) scale(float *__restrict__ y, int64_t n) { ... }`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$param_names, StrArrayAttr:$capacities,
      I64Attr:$group,
                       StrArrayAttr:$comment, UnitAttr:$dynamic_shared, UnitAttr:$may_alias,
                       UnitAttr:$one_group, DefaultValuedAttr<I64Attr, "128">:$shared_alignment);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Target_EntryOp : Target_Op<"entry", [IsolatedFromAbove, Symbol, NoTerminator, SingleBlock,
    HasParent<"::mlir::ModuleOp">]> {
  let summary = "A function of the C ABI: checks, temporaries, launches";
  let description = [{
    `returns` names the parameters that are the function's results, in order (mode "result", or "inout"/"out"
    for a result that is an argument). The body holds `target.constant`, `target.require`, `target.temporary`
    and `target.launch`, in order. Dimension expressions in them are over the shapes' variables and the
    entry's constants.

    ```mlir
    target.entry @saxpy attributes {
        doc = "y = alpha * x + y", signature = "saxpy(x: f32[n], y: f32[n], alpha: f32) -> f32[n]",
            returns = ["y"],
        parameters = [#target.parameter<"x", f32, ["n"], "in">, #target.parameter<"y", f32, ["n"], "inout">,
                      #target.parameter<"alpha", f32, [], "scalar">]} {
      target.launch @saxpy_kernel grid "(n + 255) // 256" group 256 arguments
          [#target.argument<"tensor", "x">, #target.argument<"tensor", "y">, #target.argument<"scalar",
              "alpha">,
           #target.argument<"dim", "n">]
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$signature, StrAttr:$doc,
                       TypedArrayAttrBase<AnyAttr, "parameters">:$parameters, StrArrayAttr:$returns);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Target_RequireOp : Target_Op<"require", [HasParent<"EntryOp">]> {
  let summary = "A fact about dimensions that the entry function checks once";
  let description = [{
    Relation: "==", "!=", "<", "<=", ">" or ">=". The text is what the user wrote.
    Example: `target.require "D % H" "==" "0" text "D % H == 0"`.
  }];
  let arguments = (ins StrAttr:$left, StrAttr:$relation, StrAttr:$right, StrAttr:$text);
  let assemblyFormat = "$left $relation $right `text` $text attr-dict";
  let hasVerifier = 1;
}
def Target_TemporaryOp : Target_Op<"temporary", [HasParent<"EntryOp">]> {
  let summary = "Device memory that lives as long as the call";
  let description = [{
    Under conditions (`when`, as in `target.launch`) nothing is allocated where they do not hold. `within` is the name of a
    temporary in whose memory it lies, from the byte `offset` on, while nothing else is needed there.

    Example: `target.temporary "mean" : f32 ["B", "S"]` (bytes: product of the dimensions times 4).
  }];
  let arguments = (ins StrAttr:$name, TypeAttr:$dtype, StrArrayAttr:$shape, OptionalAttr<ArrayAttr>:$when,
                       OptionalAttr<StrAttr>:$within, OptionalAttr<StrAttr>:$offset);
  let assemblyFormat = "$name `:` $dtype $shape attr-dict";
  let hasVerifier = 1;
}
def Target_TableOp : Target_Op<"table", [HasParent<"EntryOp">]> {
  let summary = "Numbers that the program writes out, in the device's memory";
  let description = [{
    `symbol` is an array of constants beside the entry function; launches pass it under the name.

    Example: `target.table "weights" "blur_weights" [1 : i32, 2 : i32] : i32 ["2"]`.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$symbol, ArrayAttr:$values, TypeAttr:$dtype, StrArrayAttr:$shape);
  let assemblyFormat = "$name $symbol $values `:` $dtype $shape attr-dict";
  let hasVerifier = 1;
}
def Target_LaunchOp : Target_Op<"launch", [HasParent<"EntryOp">]> {
  let summary = "Start a kernel over a one-dimensional grid";
  let description = [{
    `grid` is the number of groups, a dimension expression; zero groups launch nothing. Without `grid` (the
    CPU) the kernel is called once and loops over its groups itself. `capacities` chooses the template
    arguments, in the order of the kernel's `capacities`. `shared_bytes` is the dynamic shared memory: one
    number for each combination of capacity values, the last capacity varying fastest (so one number without
    capacities); absent when all shared memory is static. `group_name` is the entry's constant that holds
    `group`. Under `when`, conditions that all must hold, nothing is started where they do not: each is a
    requirement such as `#tsr.requirement<"M" le "4", "">`, `["and", condition, condition]`, `["or", ...]` or `["not", condition]`.
    With `aligned`, the kernel's last template argument is the number of bytes that the rows of some tensors are
    aligned to: 16 where the tensors in `aligned` begin so and each dimension in `aligned_rows` is 0, else 1.
    `persistent`: the kernel goes over its groups in a loop; no more of them are started than so many for each processor.
    `early`: the kernel is started while the one before it ends, and waits for it itself (`tsr::after_previous_kernel`).
    `clusters`: two neighbouring groups may stand in one cluster (CUDA); the launch decides, from the number of rows of tiles, which it is,
    and from how the tensors lie that the kernel reads in tiles. "" if they always do.
    `started`: a function that equal launches share starts it: its name (`by`), what this launch passes (`operands`, `dims`) and how the
    function calls the operands (`names`), the entry's `constants` that it writes, how many `launches` it starts, this and those behind
    it (whose `started` is a unit), and how many of their `conditions` stand around the call.

    ```mlir
    target.launch @attend grid "(S + BM - 1) // BM" group 128 arguments [#target.argument<"tensor", "Q">]
        {capacities = [#target.capacity<"D", [64, 128]>], shared_bytes = array<i64: 65536, 131072>}
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, OptionalAttr<StrAttr>:$grid, I64Attr:$group,
                       TypedArrayAttrBase<AnyAttr, "arguments">:$arguments,
                       OptionalAttr<TypedArrayAttrBase<AnyAttr, "capacities">>:$capacities,
                       OptionalAttr<DenseI64ArrayAttr>:$shared_bytes, OptionalAttr<StrAttr>:$group_name,
                       OptionalAttr<ArrayAttr>:$when, OptionalAttr<StrArrayAttr>:$aligned,
                       OptionalAttr<StrArrayAttr>:$aligned_rows, OptionalAttr<I64Attr>:$persistent, UnitAttr:$early,
                       OptionalAttr<StrAttr>:$clusters);
  let assemblyFormat = "$kernel (`grid` $grid^)? `group` $group `arguments` $arguments attr-dict";
  let hasVerifier = 1;
}

def Target_ExchangeOp : Target_Op<"exchange", [HasParent<"EntryOp">]> {
  let summary = "what all devices along an axis of the mesh do together, between launches";
  let description = [{
    `source` and `target` name tensors. `count`: the elements that each device gives, with "reduce_scatter" those that it keeps.
    Under `when`, as in `target.launch`.

    Example: `target.exchange "all_reduce" "dp" "slopes" "slopes" count "D*F"`
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$over, StrAttr:$source, StrAttr:$target, StrAttr:$count, OptionalAttr<ArrayAttr>:$when);
  let assemblyFormat = "$kind $over $source $target `count` $count attr-dict";
  let hasVerifier = 1;
}

def Target_HostFuncOp : Target_Op<"host_func", [IsolatedFromAbove, Symbol, NoTerminator, SingleBlock,
                                                HasParent<"::mlir::ModuleOp">, NamesArguments]> {
  let summary = "A function of host code: files, printing, calls of entry functions";
  let description = [{
    Strings are `!target.named<"std::string">`, tensors of run-time shape
    `!target.named<"tsr::host::Tensor">`. Files and printing are calls: `tsr::host::load_npy(path)`,
    `tsr::host::save_npy(path, tensor)`, `tsr::host::print(strings...)`, `tsr::host::format(value, "spec")`,
    `tsr::host::shape(tensor, axis)`, `tsr::host::item<T>(tensor)`, `tsr::host::check(condition, message)`.
    `@main` is the program's main.

    ```mlir
    target.host_func @main attributes {param_names = [], result_types = []} {
      %text = target.literal "hello" : !target.named<"std::string">
      %print = target.call "tsr::host::print"(%text) : (!target.named<"std::string">) -> none
      target.expression %print : none
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$param_names, TypeArrayAttr:$result_types);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}
def Target_EntryCallOp : Target_Op<"entry_call", [NamesResults]> {
  let summary = "Host code calls an entry function; its results become variables";
  let description = [{
    Operands follow the entry's parameters without those of mode "result". One `tsr::host::Tensor` variable
    for each of the entry's `returns`, with these names. A failure (a requirement, the device) ends the
    program with its message.
    Example: `%C = target.entry_call @matmul(%A, %B) ["C"] : (!target.named<"tsr::host::Tensor">, ...) ->
    !target.lvalue<...>`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands_, StrArrayAttr:$names);
  let results = (outs Variadic<Target_LValue>:$results_);
  let assemblyFormat =
    "$callee `(` $operands_ `)` $names attr-dict `:` functional-type($operands_, $results_)";
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- declarations

def Target_ConstantOp : Target_Op<"constant"> {
  let summary = "A constant at the top of a function";
  let description = [{
    The value is an integer or the text of a constant expression; referred to by `target.name` and in texts of
    types.
    Examples: `target.constant "BM" = 128 : i64` prints `constexpr int BM = 128;`,
    `target.constant "Pairs" = "BM / 2"` prints `constexpr int Pairs = BM / 2;`. Neighbours may share a line.
  }];
  let arguments = (ins StrAttr:$name, AnyAttrOf<[I64Attr, StrAttr]>:$value);
  let assemblyFormat = "$name `=` $value attr-dict";
  let hasVerifier = 1;
}
def Target_AliasOp : Target_Op<"alias"> {
  let summary = "A name for a type";
  let description = [{
    Example: `target.alias "Grid" = "tsr::ThreadGrid<16, 16>"` prints `using Grid = tsr::ThreadGrid<16, 16>;`.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$type);
  let assemblyFormat = "$name `=` $type attr-dict";
  let hasVerifier = 1;
}
def Target_SharedOp : Target_Op<"shared", [NamesResults]> {
  let summary = "Memory shared by a group; on the CPU a local variable of the group's task";
  let description = [{
    Example: `%A_tile = target.shared "A_tile" : !target.array<["stages"],
    !target.named<"tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor>">>` prints `__shared__
    tsr::SharedTile<tsr::bf16, BM, BK, tsr::Xor> A_tile[stages];`. Aligned to 128 bytes. Stands at the top of
    a kernel; on the CPU in the body of its loop over groups, where it prints as a local variable.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Target_LValue:$place);
  let assemblyFormat = "$name attr-dict `:` custom<ValueOfLValue>(type($place))";
  let hasVerifier = 1;
}
def Target_VariableOp : Target_Op<"variable", [NamesResults]> {
  let summary = "A local variable";
  let description = [{
    Without operands it is left uninitialised (class types: default-constructed). `form`: "copy" `T x = a;`
    (one operand), "direct" `T x(a, b);`, "braces" `T x{a, b};`. With `is_const` it is `const T`. `storage` is
    "" or "static thread_local".

    Examples: `%acc = target.variable "acc" "direct" (%zero) : (f32) -> !target.named<"tsr::Fragment<float,
    BM, BN, Grid>">` prints `tsr::Fragment<float, BM, BN, Grid> acc(0.0f);`, `%t = target.variable "t" "copy"
    () : f32` prints `float t;`, `%i = target.variable "i" "copy" (%e) {is_const} : (index) -> index` prints
    `const int64_t i = ...;`.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$form, Variadic<AnyType>:$init, UnitAttr:$is_const,
                       DefaultValuedStrAttr<StrAttr, "">:$storage);
  let results = (outs Target_LValue:$place);
  let assemblyFormat =
    "$name $form `(` $init `)` attr-dict `:` custom<Initialised>(type($init), type($place))";
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- expressions

def Target_LiteralOp : Target_Expression<"literal"> {
  let summary = "A number, truth value or string";
  let description = [{
    Typed floats (`1.0 : f32` prints `1.0f`; infinities and NaN by the language's macros), integers (`128 :
    index`), `true`, and strings: `target.literal "x.npy" : !target.named<"std::string">` (the attribute
    carries that type). dtypes without a literal form print as a cast of one.
  }];
  let arguments = (ins AnyAttrOf<[AnyAttrOf<[BoolAttr, StrAttr]>, AnyAttr]>:$value);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def Target_NameOp : Target_Expression<"name"> {
  let summary = "A name of the function or the language: constant, template parameter, built-in variable";
  let description = [{
    Examples: `target.name "BM" : index`, `target.name "threadIdx.x" : ui32`, `target.name "blockIdx.x" :
    ui32`.
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}
def Target_ReadOp : Target_Expression<"read", [
    TypesMatchWith<"the place holds the type of the result", "result", "place",
                   "::tessera::ir::target::LValueType::get($_self.getContext(), $_self)">]> {
  let summary = "The value that a place holds, at the point of the statement that uses it";
  let description = [{ Example: `%v = target.read %acc : f32` prints `acc`. }];
  let arguments = (ins Target_LValue:$place);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$place attr-dict `:` type($result)";
}
def Target_BinaryOp : Target_Expression<"binary"> {
  let summary = "An infix operator";
  let description = [{
    Arithmetic `+ - * / %` and `& | ^ << >>` on two values of one type (`+ -` also on a pointer and an
    `index`); comparisons `== != < <= > >=` give i1; `&& ||` take and give i1. Parentheses are the printer's.
    Example: `target.binary "+" %a, %b : (f32, f32) -> f32`.
  }];
  let arguments = (ins StrAttr:$op, AnyType:$left, AnyType:$right);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$op $left `,` $right attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Target_UnaryOp : Target_Expression<"unary", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "A prefix operator: `-`, `!`, `~`";
  let description = [{ Example: `target.unary "-" %a : f32`. }];
  let arguments = (ins StrAttr:$op, AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$op $operand attr-dict `:` type($operand)";
  let hasVerifier = 1;
}
def Target_ConditionalOp : Target_Expression<"conditional", [AllTypesMatch<["then_value", "else_value",
    "result"]>]> {
  let summary = "`c ? a : b`; only the chosen side is evaluated";
  let description = [{ Example: `target.conditional %c, %a, %b : f32`. }];
  let arguments = (ins I1:$condition, AnyType:$then_value, AnyType:$else_value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$condition `,` $then_value `,` $else_value attr-dict `:` type($result)";
}
def Target_CastOp : Target_Expression<"cast"> {
  let summary = "A conversion of the language between its own number types, `T(x)`";
  let description = [{
    dtypes of `tsr` are converted by `target.call "tsr::to"`.
    Example: `target.cast %x : (i32) -> index` prints `int64_t(x)`.
  }];
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Target_CallOp : Target_Expression<"call"> {
  let summary = "A call of a helper of the device headers or of the language";
  let description = [{
    Template arguments are types (spelled by the dtype table), integers, or texts. Operands that are lvalues
    are passed by reference. A call that gives nothing has type `none`.

    Examples: `target.call "tsr::to"<[bf16]>(%x) : (f32) -> bf16` prints `tsr::to<tsr::bf16>(x)`,
    `target.call "tsr::copy_tile"(%A_tile, %view) : (!target.lvalue<...>, ...) -> none`.
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyType>:$args, OptionalAttr<ArrayAttr>:$template_args);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $callee (`<` $template_args^ `>`)? `(` $args `)` attr-dict `:` functional-type($args, $result)
  }];
  let hasVerifier = 1;
}
def Target_MethodOp : Target_Expression<"method"> {
  let summary = "A call of a member function";
  let description = [{
    Example: `target.method %f "row"(%i) : (!target.lvalue<...>, i32) -> index` prints `f.row(i)`.
  }];
  let arguments = (ins AnyType:$object, StrAttr:$name, Variadic<AnyType>:$args);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$object $name `(` $args `)` attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}
def Target_MemberOp : Target_Expression<"member"> {
  let summary = "A data member";
  let description = [{
    Example: `target.member %pair "first" : (!target.lvalue<...>) -> !target.lvalue<f32>`; `.` is understood.
  }];
  let arguments = (ins AnyType:$object, StrAttr:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$object $name attr-dict `:` functional-type($object, $result)";
  let hasVerifier = 1;
}
def Target_SubscriptOp : Target_Expression<"subscript"> {
  let summary = "`base[i]` or `base[i][j]`: an element of what a pointer or an array holds";
  let description = [{
    Example: `%e = target.subscript %x[%i] : (!target.pointer<f32, const>, index) -> !target.lvalue<f32>`.
    Of a view of rank r with k < r indices: the view of rank r - k that is left.
  }];
  let arguments = (ins AnyType:$base, Variadic<AnyType>:$indices);
  let results = (outs Target_LValue:$place);
  let assemblyFormat = "$base `[` $indices `]` attr-dict `:` functional-type(operands, $place)";
  let hasVerifier = 1;
}
def Target_ElementOp : Target_Expression<"element"> {
  let summary = "`f(i, j)`: an element of a fragment, a vector of a fragment, a shared tile or a view";
  let description = [{
    Example: `%e = target.element %acc(%i, %j) : (!target.lvalue<...>, i32, i32) -> !target.lvalue<f32>`.
  }];
  let arguments = (ins AnyType:$base, Variadic<AnyType>:$indices);
  let results = (outs Target_LValue:$place);
  let assemblyFormat = "$base `(` $indices `)` attr-dict `:` functional-type(operands, $place)";
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- statements

def Target_AssignOp : Target_Op<"assign"> {
  let summary = "`place = value;`";
  let description = [{ Example: `target.assign %m_i, %m_new : !target.lvalue<f32>, f32`. }];
  let arguments = (ins Target_LValue:$place, AnyType:$value);
  let assemblyFormat = "$place `,` $value attr-dict `:` type($place) `,` type($value)";
  let hasVerifier = 1;
}
def Target_CompoundAssignOp : Target_Op<"compound_assign"> {
  let summary = "`place op= value;`";
  let description = [{ Example: `target.compound_assign "+=" %sum, %x : !target.lvalue<f32>, f32`. }];
  let arguments = (ins StrAttr:$op, Target_LValue:$place, AnyType:$value);
  let assemblyFormat = "$op $place `,` $value attr-dict `:` type($place) `,` type($value)";
  let hasVerifier = 1;
}
def Target_ExpressionOp : Target_Op<"expression"> {
  let summary = "An expression as a statement: a call for its effect";
  let description = [{ Example: `target.expression %call : none`. }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}
def Target_ForOp : Target_Op<"for", [NoTerminator, SingleBlock, NamesArguments, AllTypesMatch<["lower",
    "upper", "step"]>]> {
  let summary = "`for (T k = lower; k < upper; k += step)`";
  let description = [{
    The bounds are evaluated before every turn and must not change; the step is positive. Marks: `unroll` (0:
    wholly, n: by n), `parallel` (`#pragma omp parallel for`), `simd` (`#pragma omp simd`; with parallel:
    `parallel for simd`), `reduction` (with simd: what the lanes of a vector combine, as OpenMP writes it: `+ : sum`, or
    `tsr::Max : most`, which is written as a macro because not every compiler makes vectors of it), `collapse` (with
    parallel: of so many loops, each the only statement of the one around it). The block argument is the counter, of
    type `index` (int64_t) or `i32` (int).

    ```mlir
    target.for "k" %zero to %K step %BK : index attributes {unroll = 0 : i64} {
    ^bb0(%k: index):
      ...
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, AnyTypeOf<[Index, I32]>:$lower, AnyTypeOf<[Index, I32]>:$upper,
                       AnyTypeOf<[Index, I32]>:$step, OptionalAttr<I64Attr>:$unroll, UnitAttr:$parallel,
                           UnitAttr:$simd, OptionalAttr<StrAttr>:$reduction,
                           OptionalAttr<I64Attr>:$collapse);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "::mlir::StringRef":$name, "::mlir::Value":$lower, "::mlir::Value":$upper,
      "::mlir::Value":$step, "::mlir::IntegerAttr":$unroll, "bool":$parallel, "bool":$simd), [{
    build($_builder, $_state, name, lower, upper, step, unroll, parallel, simd, ::mlir::StringAttr(), ::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = "$name $lower `to` $upper `step` $step `:` type($lower) attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}
def Target_WhileOp : Target_Op<"while", [SingleBlock, NoTerminator]> {
  let summary = "`while (condition)`";
  let description = [{
    The first region holds the expressions of the condition and ends in `target.condition`.
    ```mlir
    target.while {
      %s = target.read %stride : ...
      ...
      target.condition %more
    } do {
      ...
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$before, SizedRegion<1>:$body);
  let assemblyFormat = "$before `do` $body attr-dict-with-keyword";
  let hasRegionVerifier = 1;
}
def Target_ConditionOp : Target_Op<"condition", [HasParent<"WhileOp">]> {
  let summary = "The condition of a while";
  let description = [{ Example: `target.condition %more`. }];
  let arguments = (ins I1:$value);
  let assemblyFormat = "$value attr-dict";
}
def Target_IfOp : Target_Op<"if", [SingleBlock, NoTerminator]> {
  let summary = "`if (c) { ... } else { ... }`; an else that holds only an if prints as `else if`";
  let description = [{ Example: `target.if %c { ... } else { ... }`. }];
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$then_body, MaxSizedRegion<1>:$else_body);
  let assemblyFormat = "$condition attr-dict-with-keyword $then_body (`else` $else_body^)?";
}
def Target_BlockOp : Target_Op<"block", [SingleBlock, NoTerminator]> {
  let summary = "`{ ... }`: a scope of its own";
  let description = [{ Example: `target.block { ... }`. }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}
def Target_CommentOp : Target_Op<"comment"> {
  let summary = "A sentence over the statement that follows";
  let description = [{
    Example: `target.comment "the two blocks share B"` prints `// the two blocks share B`.
  }];
  let arguments = (ins StrAttr:$text);
  let assemblyFormat = "$text attr-dict";
}
def Target_BreakOp : Target_Op<"break"> {
  let summary = "Leaves the innermost loop";
  let description = [{ Example: `target.break` prints `break;`. }];
  let assemblyFormat = "attr-dict";
}
def Target_ReturnOp : Target_Op<"return"> {
  let summary = "`return;`, `return v;`, or several values as a tuple";
  let description = [{ Example: `target.return %v : f32`. }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
#endif
