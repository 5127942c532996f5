// Kernels, functions that launch them, and host code.
#ifndef TESSERA_IR_TILE_STRUCTURE_TD
#define TESSERA_IR_TILE_STRUCTURE_TD

def Tile_KernelOp : Tsr_FunctionOp<Tile_Dialect, "kernel"> {
  let summary = "the body of one kernel: runs once in each group of the launch";
  let description = [{
    Attributes are those of `schedule.kernel`. `group`: lanes of a group, decided here. `sizes`: every field
    of tile.context() has a value (the dimension "T.m" is the size "m"). `capacity`: for each dimension that
    is an extent of a fragment or of shared memory and varies at run time, the values that the kernel is
    compiled for; the entry function takes the least that is not below the dimension. `reasons`: sentences for
    the comment over the kernel. The verifier requires fragments of exactly `group` lanes, and of every extent
    of a fragment or shared buffer that its variables are sizes or in `capacity`.
    `variants`: what the kernel is compiled for, each a dictionary of numbers for the sizes `vector` (elements of a lane's
    vector), `each` (rows or planes, of each of which a lane takes an element), `held` (vectors of a row that a lane keeps; below 0:
    in shared memory), `threads` (lanes of a group) and `rows` (groups that share a block, each of one warp), with `when`, an array of requirements, and `aligned`, parameters whose memory begins on a
    multiple of 16 bytes. The entry function takes the first whose conditions hold; the last has none.
    `longest_first`: an axis of the grid along which the work of a group grows; the launch begins with its far end.

    Example:
    ```mlir
    tile.kernel @ones(%x: !tsr.view<["n"], f32>) attributes {dims = ["n"], params = [#tsr.param<"x", out>],
        outputs = [],
                      grid = #tsr.grid<lanes, ["n"]>, group = 256 : i64} {
      %i = tile.query "linear_id"
      %one = tile.constant 1.0 : f32
      tile.store_element %one, %x[%i] : f32, !tsr.view<["n"], f32>
      tile.kernel_end
    }
    ```
  }];
  let arguments = !con(Tsr_FunctionArguments, Tsr_KernelArguments,
                       (ins DefaultValuedAttr<DictionaryAttr, "{}">:$capacity, DefaultValuedAttr<StrArrayAttr,
                           "{}">:$reasons, OptionalAttr<ArrayAttr>:$variants,
                        OptionalAttr<I64Attr>:$longest_first));
  let hasRegionVerifier = 1;
}

def Tile_KernelEndOp : Tile_Op<"kernel_end", [Terminator, HasParent<"KernelOp">]> {
  let summary = "the end of a kernel's body";
  let description = "Example: `tile.kernel_end`";
  let assemblyFormat = "attr-dict";
}

def Tile_FuncOp : Tsr_FunctionOp<Tile_Dialect, "func"> {
  let summary = "an entry function: temporaries and launches, in order";
  let description = [{
    Parameters are views (results too: each result is written through one) and scalars.

    Example:
    ```mlir
    tile.func @fill(%x: !tsr.view<["n"], f32>) attributes {dims = ["n"], params = [#tsr.param<"x", out>],
        outputs = []} {
      tile.launch @ones(%x) : !tsr.view<["n"], f32>
      tile.return
    }
    ```
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Terminator, Pure, ParentOneOf<["FuncOp", "HostFuncOp"]>]> {
  let summary = "the end of an entry function or host function";
  let description = "Example: `tile.return`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Tile_TempOp : Tile_ValueOp<"temp", [HasParent<"FuncOp">]> {
  let summary = "global memory that lives until the entry function returns";
  let description = "Example: `%t = tile.temp : !tsr.view<[\"M\", \"N\"], bf16>`";
  let results = (outs Tsr_ViewType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_TempWithinOp : Tile_ValueOp<"temp_within", [HasParent<"FuncOp">]> {
  let summary = "memory inside of that of a temporary, for launches between which nothing else is needed there";
  let description = [{
    `offset` is where it begins, in bytes.

    Example: `%b = tile.temp_within %a at <"512*M"> : !tsr.view<["M"], f32> in !tsr.view<["M", "256"], f32>`
  }];
  let arguments = (ins Tsr_ViewType:$memory, Tsr_DimAttr:$offset);
  let results = (outs Tsr_ViewType:$result);
  let assemblyFormat = "$memory `at` $offset attr-dict `:` qualified(type($result)) `in` qualified(type($memory))";
  let hasVerifier = 1;
}

def Tile_TableOp : Tile_ValueOp<"table", [HasParent<"FuncOp">]> {
  let summary = "numbers that the program writes out, as memory that is only read";
  let description = [{
    `symbol` is what the emitted text calls them.

    Example: `%t = tile.table "blur_weights" [1 : i32, 2 : i32] : !tsr.view<["2"], i32>`
  }];
  let arguments = (ins StrAttr:$symbol, ArrayAttr:$values);
  let results = (outs Tsr_ViewType:$result);
  let assemblyFormat = "$symbol $values attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_LaunchOp : Tile_Op<"launch", [HasParent<"FuncOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel; kernels of one function run in order";
  let description = [{
    `dims` are the kernel's dimensions in terms of this function's, in the kernel's order, where they differ.

    Example: `tile.launch @ones(%x) {dims = #tsr.dims<["2*m"]>} : !tsr.view<["2*m"], f32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$args, OptionalAttr<Tsr_DimsAttr>:$dims);
  let assemblyFormat = "$kernel `(` $args `)` attr-dict (`:` type($args)^)?";
}

def Tile_ExchangeOp : Tile_Op<"exchange", [HasParent<"FuncOp">]> {
  let summary = "what all devices along an axis of the mesh do together, between launches";
  let description = [{
    As `graph.exchange`, from memory to memory. A sum may be written where its terms lie.

    Example: `tile.exchange "all_reduce" "dp" %x, %y : !tsr.view<["N"], f32>, !tsr.view<["N"], f32>`
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$over, Arg<Tsr_ViewType, "", [MemRead]>:$source, Arg<Tsr_ViewType, "", [MemWrite]>:$target);
  let assemblyFormat = "$kind $over $source `,` $target attr-dict `:` type($source) `,` type($target)";
  let hasVerifier = 1;
}

def Tile_HostFuncOp : Tsr_FunctionOp<Tile_Dialect, "host_func"> {
  let summary = "host code: holds the host operations of `graph` unchanged";
  let description = [{
    Example: `tile.host_func @main() attributes {dims = [], params = [], outputs = []} { tile.return }`
  }];
}

#endif
