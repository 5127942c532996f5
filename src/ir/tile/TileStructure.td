// Kernels, functions that launch them, and host code.
#ifndef TESSERA_IR_TILE_STRUCTURE_TD
#define TESSERA_IR_TILE_STRUCTURE_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Tile_FunctionLike<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic,
    [FunctionOpInterface, IsolatedFromAbove, SingleBlock] # traits> {
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                                 CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attributes)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Tile_KernelOp : Tile_FunctionLike<"kernel"> {
  let summary = "the body of one kernel: runs once in each group of the launch";
  let description = [{
    Parameters are views and scalars. Attributes: those of `schedule.kernel` (`grid`, `group`: lanes of a
    group; `sizes`: every size of the schedule; `capacity`: for each dimension that is an extent of a
    fragment or of shared memory and varies at run time, the values that the kernel is compiled for; the
    entry function takes the least that is not below the dimension). The verifier requires `grid`,
    `group` > 0, fragments of exactly `group` lanes, and extents whose every variable is a size or in `capacity`.

    Example:
    ```mlir
    tile.kernel @fill(%x: !tsr.view<["n"], f32>) attributes {grid = #tsr.grid<lanes, ["n"]>, group = 256 : i64} {
      %i = tile.query "linear_id" {axis = 0 : i64}
      %one = tile.constant 1.0 : f32
      tile.store_element %one, %x[%i] : f32, !tsr.view<["n"], f32>
      tile.kernel_end
    }
    ```
  }];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Lanes of a group.
    int64_t getGroup();
    ::tessera::ir::GridAttr getGrid();
  }];
  let hasRegionVerifier = 1;
}

def Tile_KernelEndOp : Tile_Op<"kernel_end", [Terminator, HasParent<"KernelOp">]> {
  let summary = "the end of a kernel's body";
  let description = "Example: `tile.kernel_end`";
  let assemblyFormat = "attr-dict";
}

def Tile_FuncOp : Tile_FunctionLike<"func"> {
  let summary = "an entry function: temporaries and launches, in order";
  let description = [{
    Parameters are views (results too: each result is written through one) and scalars.

    Example:
    ```mlir
    tile.func @fill(%x: !tsr.view<["n"], f32>) {
      tile.launch @fill(%x) : !tsr.view<["n"], f32>
      tile.func_end
    }
    ```
  }];
}

def Tile_FuncEndOp : Tile_Op<"func_end", [Terminator, HasParent<"FuncOp">]> {
  let summary = "the end of an entry function";
  let description = "Example: `tile.func_end`";
  let assemblyFormat = "attr-dict";
}

def Tile_TempOp : Tile_Op<"temp", [HasParent<"FuncOp">]> {
  let summary = "global memory that lives until the entry function returns";
  let description = "Example: `%t = tile.temp : !tsr.view<[\"M\", \"N\"], bf16>`";
  let results = (outs Tsr_ViewType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_LaunchOp : Tile_Op<"launch", [HasParent<"FuncOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel; kernels of one function run in order";
  let description = [{
    `dims` gives each dimension variable of the kernel in variables of this function, where the two differ.

    Example: `tile.launch @fill(%x) : !tsr.view<["n"], f32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$args, OptionalAttr<DictionaryAttr>:$dims);
  let assemblyFormat = "$kernel `(` $args `)` attr-dict (`:` type($args)^)?";
}

def Tile_HostFuncOp : Tile_FunctionLike<"host_func"> {
  let summary = "host code: holds the host operations of `graph` unchanged";
  let description = "Example: `tile.host_func @main() { graph.return }`";
}

#endif
