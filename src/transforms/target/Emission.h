// One kernel on its way from Tile IR to Target IR: what all rooms of the emitter use. What a room knows besides is a part
// in that room's header, which a file includes if it needs the part (docs/decisions/0054-rooms-of-the-emitter.md).
#pragma once
#include "ir/target/Target.h"
#include "ir/tile/Tile.h"
#include "support/Lanes.h"
#include "support/Machine.h"
#include "transforms/target/Expr.h"
#include "transforms/target/KernelInfo.h"
#include "transforms/target/Names.h"
#include "transforms/tile/KernelFacts.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <memory>

namespace tessera::transforms::totarget {

struct Storage;
struct Sizes;           // sizes/Sizes.h
struct Grid;            // sizes/Grid.h
struct Layouts;         // types/Types.h
struct Values;          // values/Values.h
struct SharedMemory;    // tiles/SharedMemory.h
struct Roles;           // roles/Roles.h
struct Rows;            // rows/Rows.h
struct Neighbours;      // rows/Rows.h
struct LaneRuns;        // cpu/Lanes.h
struct Streams;         // cpu/Streams.h
struct PackedOperands;  // cpu/Operands.h

using Indices = std::vector<ExprRef>;

struct Emission {
  /// Statements go where `module` stands, which is before the kernel.
  Emission(ir::tile::KernelOp kernel, std::string name, const Machine &machine, mlir::OpBuilder &module);
  ~Emission();

  /// A group has one lane there.
  bool isCpu() const { return machine.family == Target::Cpu; }
  mlir::Type indexType() { return mlir::IndexType::get(context); }
  mlir::Type intType() { return mlir::IntegerType::get(context, 32); }
  mlir::Type none() { return mlir::NoneType::get(context); }
  ExprRef typed(int64_t value) { return number(indexType(), value); }

  // ---- what is emitted
  ir::tile::KernelOp kernel;
  const Machine &machine;
  KernelFacts facts;
  KernelInfo info;

  // ---- where statements go
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  ir::target::KernelOp out;
  mlir::Block *top = nullptr;               // of the emitted function
  mlir::Operation *declarations = nullptr;  // shared memory is declared before this op
  NameTable names;
  std::vector<std::string> parameters;  // names of those of the function
  mlir::Operation *lastLoop = nullptr;  // the loop over elements that ended last, for the next to join
  mlir::Type lastLoopType;

  // ---- what the rooms know
  const std::unique_ptr<Sizes> sizes;
  const std::unique_ptr<Grid> grid;
  const std::unique_ptr<Layouts> layouts;
  const std::unique_ptr<Values> values;
  const std::unique_ptr<SharedMemory> shared;
  const std::unique_ptr<Roles> roles;
  const std::unique_ptr<Rows> rows;
  const std::unique_ptr<Neighbours> neighbours;
  const std::unique_ptr<LaneRuns> lanes;
  const std::unique_ptr<Streams> streams;
  const std::unique_ptr<PackedOperands> operands;
};

}  // namespace tessera::transforms::totarget
