// What the operations of several dialects share: names of results, accesses, and functions.
#ifndef TESSERA_IR_COMMON_OPS_TD
#define TESSERA_IR_COMMON_OPS_TD

include "ir/common/Common.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// An operation whose results print under the names that the user gave them.
class Tsr_Op<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : Op<dialect, mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<OpAsmOpInterface,
        ["getAsmResultNames"]>])> {
  code namesDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      ::tessera::ir::setResultNames(getOperation(), setName);
    }
  }];
  let extraClassDefinition = namesDefinition;
}

// The elements of a view or shared buffer that an operation reaches: one index group for each dimension of
// the base. Written %A[%m size "T.m" in_bounds, %k]: a group with a size is a range, one without is a point.
defvar Tsr_AccessArguments = (ins Variadic<Index>:$offsets, DenseBoolArrayAttr:$points, Tsr_DimsAttr:$sizes,
                              DenseI64ArrayAttr:$steps, DenseBoolArrayAttr:$in_bounds);
defvar Tsr_AccessFormat = "`[` custom<Access>($offsets, $points, $sizes, $steps, $in_bounds)";

def Tsr_ParamArrayAttr : TypedArrayAttrBase<Tsr_ParamAttr, "array of #tsr.param">;
def Tsr_ResultArrayAttr : TypedArrayAttrBase<Tsr_ResultAttr, "array of #tsr.result">;
def Tsr_RequirementArrayAttr : TypedArrayAttrBase<Tsr_RequirementAttr, "array of #tsr.requirement">;

defvar Tsr_FunctionArguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
    StrArrayAttr:$dims, Tsr_ParamArrayAttr:$params, Tsr_ResultArrayAttr:$outputs,
    DefaultValuedAttr<Tsr_RequirementArrayAttr, "{}">:$requirements,
    DefaultValuedAttr<StrAttr, "\"\"">:$signature, DefaultValuedAttr<StrAttr, "\"\"">:$doc,
    UnitAttr:$deterministic);

// `grid`, `group` (lanes of a group, 0: not decided), `context` (fields of tile.context() that occur: the
// dimensions "T.<field>"), `sizes` and `options` (the schedule), `space` (autotuning).
defvar Tsr_KernelArguments = (ins Tsr_GridAttr:$grid, DefaultValuedAttr<I64Attr, "0">:$group,
    DefaultValuedAttr<StrArrayAttr, "{}">:$context, DefaultValuedAttr<DictionaryAttr, "{}">:$sizes,
    DefaultValuedAttr<DictionaryAttr, "{}">:$options, DefaultValuedAttr<DictionaryAttr, "{}">:$space,
    UnitAttr:$uses_lanes);

// A function of any level: @name(%arg: type, ...) -> (types) attributes {...} { body }.
class Tsr_FunctionOp<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : Op<dialect, mnemonic, !listconcat(traits, [FunctionOpInterface, IsolatedFromAbove, Symbol,
         DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>])> {
  let arguments = Tsr_FunctionArguments;
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  code functionDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::mlir::Block &entry() { return getBody().front(); }
    ::tessera::ir::ParamAttr param(size_t i) {
      return ::mlir::cast<::tessera::ir::ParamAttr>(getParams()[i]);
    }
    ::tessera::ir::ResultAttr output(size_t i) {
      return ::mlir::cast<::tessera::ir::ResultAttr>(getOutputs()[i]);
    }
  }];
  let extraClassDeclaration = functionDeclaration;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      return ::tessera::ir::parseFunction(parser, state);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { ::tessera::ir::printFunction(*this, printer); }
    void $cppClass::getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName) {
      ::tessera::ir::setArgumentNames(region, getParams(), setName);
    }
  }];
}

#endif
