// Which kernels can be split into a producer, that loads, and consumers, that compute: decided before the layouts of
// their products, carried out after them.
#pragma once
#include "ir/tile/Tile.h"
#include <string>
#include <variant>

namespace tessera::transforms {

/// A kernel all of whose shared memory is filled by copies that the producer can do by itself, or is the way of a left
/// operand that can stay in registers.
struct RolePlan {
  /// Copies in the order of the program, those of one block together: they share a ring. But tiles that are multiplied with what is
  /// computed from products of the same turn have one of their own.
  llvm::SmallVector<llvm::SmallVector<ir::tile::CopyOp>> rings;
};

/// Why a kernel cannot have a form, at the statement that stands in the way.
struct Refusal {
  std::string why;
  mlir::Operation *at = nullptr;
};

/// Lanes of the four warps that wgmma works with; the producer is one such group.
constexpr int64_t kWarpgroupLanes = 128;
/// Rows and columns of bulk copies: a box of the copy engine has at most so many rows, a panel so many bytes a row; a
/// warpgroup stores panels of so many rows, and has so many of each dtype (store.h).
constexpr int64_t kBoxRows = 256, kPanelBytes = 128, kStoredRows = 64, kStorePanels = 2;
/// Shared memory through which so many warpgroups store tiles of one dtype.
constexpr int64_t storePanelBytes(int64_t warpgroups) { return warpgroups * kStorePanels * kStoredRows * kPanelBytes; }

/// A vector along the columns of a loop's tiles, which comes with them (tile-stage-vectors).
bool isOneRow(ir::SharedType type);

/// The ring to a stage of which the producer copies; null for another copy.
ir::tile::RingOp ringOf(ir::tile::CopyOp copy);
/// Copies windows of a tensor at one place of each.
bool readsWindows(ir::tile::CopyOp copy);

/// Reads what the producer has brought for this turn.
bool readsStage(ir::tile::ReadSharedOp read);

/// A value that the producer can compute by itself: of counters of loops, the group's place, and what nothing in the kernel changes.
bool producerKnows(ir::tile::KernelOp kernel, mlir::Value value);

/// Operands of the kernel lie in panels: its products are those of warpgroups.
bool hasPanels(ir::tile::KernelOp kernel);

/// The plan of a kernel, or the first thing in it that has no form in roles.
std::variant<RolePlan, Refusal> planRoles(ir::tile::KernelOp kernel);

/// A left operand that is written to shared memory for one product of the same block alone, in 16 bits: it can stay in
/// registers if its layout is the product's. The write, or null.
ir::tile::WriteSharedOp onlyWriteOfLeftOperand(ir::tile::DotOp dot);

}  // namespace tessera::transforms
