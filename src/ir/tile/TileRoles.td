// Roles: one warpgroup loads, the others compute, and rings of stages between them.
#ifndef TESSERA_IR_TILE_ROLES_TD
#define TESSERA_IR_TILE_ROLES_TD

def Tile_RolesOp : Tile_Op<"roles", [SingleBlock, NoTerminator, RecursiveMemoryEffects, HasParent<"KernelOp">]> {
  let summary = "a producer and the consumers run side by side; each goes over the group's tiles by itself";
  let description = [{
    The lanes of the kernel's `group` are the consumers; one warpgroup more is the producer. The group stays on its
    processor and runs both bodies for one tile of the launch after the other, so that the producer already loads for the
    next tile while the consumers store this one. `*_registers`: of a lane in that role. Every lane of the consumers
    reaches the same ops of a ring, and as often as the producer reaches theirs. With `teams` the consumers are so many times
    the lanes of `group`: each team goes over every so many-th tile. With `clusters` two neighbouring groups of the launch may stand
    in one cluster, with tiles that lie one below the other, and share what `tile.copy` with `cluster` brings; the launch decides.

    Example:
    ```mlir
    tile.roles registers 40 232 producer {
      %s = tile.ring_acquire %ring : !tile.ring<"T.stages">
      ...
      tile.ring_publish %ring : !tile.ring<"T.stages">
    } consumers {
      %s = tile.ring_wait %ring : !tile.ring<"T.stages">
      ...
      tile.ring_release %ring : !tile.ring<"T.stages">
    }
    ```
  }];
  let arguments = (ins I64Attr:$producer_registers, I64Attr:$consumer_registers, DefaultValuedAttr<I64Attr, "1">:$teams,
                       UnitAttr:$clusters);
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumers);
  let assemblyFormat =
    "`registers` $producer_registers $consumer_registers (`teams` $teams^)? (`clusters` $clusters^)? `producer` $producer `consumers` $consumers attr-dict";
  let hasRegionVerifier = 1;
}

def Tile_RingOp : Tile_ValueOp<"ring", [HasParent<"KernelOp">]> {
  let summary = "the barriers of a ring";
  let description = [{
    With `cluster` a stage is free when the consumers of all groups of the cluster have left it.
    Example: `%ring = tile.ring : !tile.ring<"T.stages">`
  }];
  let arguments = (ins UnitAttr:$cluster);
  let results = (outs Tile_RingType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

class Tile_RingStageOp<string mnemonic> : Tile_ValueOp<mnemonic> {
  let arguments = (ins Tile_RingType:$ring);
  let results = (outs Index:$stage);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}
class Tile_RingEndOp<string mnemonic> : Tile_Op<mnemonic> {
  let arguments = (ins Tile_RingType:$ring);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}

def Tile_RingAcquireOp : Tile_RingStageOp<"ring_acquire"> {
  let summary = "the producer waits until the consumers have left the next stage";
  let description = "Copies to buffers at that stage belong to it. Example: `%s = tile.ring_acquire %ring : !tile.ring<\"4\">`";
}
def Tile_RingPublishOp : Tile_RingEndOp<"ring_publish"> {
  let summary = "all copies of the stage have begun";
  let description = "Example: `tile.ring_publish %ring : !tile.ring<\"4\">`";
}
def Tile_RingWaitOp : Tile_RingStageOp<"ring_wait"> {
  let summary = "the consumers wait until the copies of the next stage have come";
  let description = "Example: `%s = tile.ring_wait %ring : !tile.ring<\"4\">`";
}
def Tile_RingReleaseOp : Tile_RingEndOp<"ring_release"> {
  let summary = "the consumers read the stage no more";
  let description = [{
    `late`: the products of this stage may run on until the next release, or until the ring is drained, and the stage is
    held until then. Example: `tile.ring_release %ring : !tile.ring<"4">`
  }];
  let arguments = (ins Tile_RingType:$ring, UnitAttr:$late);
}
def Tile_RingDrainOp : Tile_RingEndOp<"ring_drain"> {
  let summary = "the products have ended, and the stage that was to be released late is";
  let description = "Example: `tile.ring_drain %ring : !tile.ring<\"4\">`";
}
def Tile_RingSeekOp : Tile_Op<"ring_seek"> {
  let summary = "a team goes to the stages of its tile";
  let description = [{
    Every tile of the launch takes `turns` stages of the ring, and teams share it.
    Example: `tile.ring_seek %ring, "(K + T.k - 1) // T.k" : !tile.ring<"4">`
  }];
  let arguments = (ins Tile_RingType:$ring, StrAttr:$turns);
  let assemblyFormat = "$ring `,` $turns attr-dict `:` type($ring)";
}

def Tile_FinishProductsOp : Tile_Op<"finish_products"> {
  let summary = "the products that run on have ended";
  let description = "Of `tile.dot` with `runs_on`. Example: `tile.finish_products`";
  let assemblyFormat = "attr-dict";
}

def Tile_TakeTurnOp : Tile_Op<"take_turn"> {
  let summary = "a warpgroup of the consumers waits until it is its turn to multiply";
  let description = [{
    Warpgroups of the consumers that multiply and compute by turns: while one computes, the tensor cores work for another.
    The first warpgroup has the first turn. Each takes and passes turns alternately, and as often as every other.
    Example: `tile.take_turn`
  }];
  let assemblyFormat = "attr-dict";
}
def Tile_PassTurnOp : Tile_Op<"pass_turn"> {
  let summary = "the next warpgroup may multiply";
  let description = "Example: `tile.pass_turn`";
  let assemblyFormat = "attr-dict";
}

#endif
