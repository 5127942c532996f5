// What SumBesideRows.cpp looks for: kernels over rows, and kernels that add up columns.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"
#include <optional>

namespace tessera::transforms {

/// A kernel whose lanes add up columns of f32: `for r in R: sum += g(r, c)`, for some sums.
struct SumKernel {
  /// How a parameter is read: not at all, at [r, c], at [r] or [r, 0], at [c].
  enum class Read { None, Element, Number, Column };

  ir::tile::KernelOp kernel;
  mlir::scf::ForOp loop;
  mlir::Value column;
  Dim rows;
  int64_t columns = 0;
  llvm::SmallVector<mlir::Value> terms;  // what each sum adds, in the order of the loop's results
  llvm::SmallVector<Read> reads;         // for each parameter

  /// What a result of the loop is called: as the parameter that it is stored to.
  std::string nameOf(mlir::Value result);
};
std::optional<SumKernel> sumKernel(ir::tile::KernelOp kernel);

/// A kernel with a group for each row of a matrix, which stores elements of the row in its last loop.
struct RowKernel {
  ir::tile::KernelOp kernel;
  mlir::scf::ForOp loop;
  mlir::Value origin;  // the row
  Dim rows;
  int64_t columns = 0;

  /// Whether the loop has at hand what somebody reads of a parameter behind the kernel.
  bool has(unsigned param, SumKernel::Read read);
  /// What the kernel itself stores there; null where it stores nothing.
  mlir::Value stored(unsigned param, SumKernel::Read read);
  /// That, or what the loop reads there; null where it has to be read yet.
  mlir::Value atHand(unsigned param, SumKernel::Read read);
};
std::optional<RowKernel> rowKernel(ir::tile::KernelOp kernel);

/// A further parameter; under another name where the kernel has one of that name. `Out`: it holds a result.
mlir::Value addParameter(ir::tile::KernelOp kernel, mlir::Type type, llvm::StringRef wanted, ir::ParamMode mode);
/// The sums' loop goes over what groups have added up, in further parameters of these types.
void takeParts(mlir::OpBuilder &builder, SumKernel &sums, llvm::ArrayRef<ir::ViewType> parts);
/// All that another kernel of sums does, for the same columns, also in the kernel of these; its loop there.
SumKernel include(mlir::OpBuilder &builder, SumKernel &sums, SumKernel &other);

/// Erases what is stored to a parameter; false, and nothing is erased, where that is not all that the kernel does with it.
bool dropStores(mlir::BlockArgument argument);
/// Erases parameters that the kernel does not use.
void dropParameters(ir::tile::KernelOp kernel, const llvm::BitVector &gone);

}  // namespace tessera::transforms
