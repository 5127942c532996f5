// What the parts of the pass share: names of kernels, and the two ways to make one.
#pragma once
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "mlir/IR/Builders.h"
#include "support/DType.h"
#include <map>
#include <set>
#include <string>

namespace tessera::transforms {

/// On a product's kernel: in how many parts groups add up its sums, a `#tsr.dim` of the function's sizes (SplitProducts.cpp).
inline constexpr llvm::StringLiteral kParts = "tsr.parts";

/// Symbols of the module: a device kernel is called after its entry function, with `_kernel` behind.
class KernelNames {
public:
  explicit KernelNames(mlir::Operation *module);
  std::string fresh(llvm::StringRef wanted);
  /// The device kernel of a user's kernel.
  const std::string &of(llvm::StringRef kernel);

private:
  std::set<std::string> taken_;
  std::map<std::string, std::string> kernels_;
};

/// A user's kernel as it was written, with every size, the group and the capacities decided (UserKernel.cpp).
mlir::LogicalResult scheduleKernel(mlir::OpBuilder &builder, ir::graph::KernelOp kernel, KernelNames &names);
/// What a call gives for a scalar of a kernel: a constant, whose parameter is gone, or a view of the memory that holds the number.
struct KnownNumber {
  mlir::Operation *constant = nullptr;
  mlir::Type memory = {};
};
/// The device kernel of a call some of whose arguments are such numbers.
mlir::FailureOr<std::string> specializeKernel(mlir::OpBuilder &builder, ir::graph::KernelOp kernel,
                                              llvm::ArrayRef<KnownNumber> numbers, KernelNames &names);
/// A tensor function as a list of launches of kernels made here (TensorFunction.cpp).
mlir::LogicalResult scheduleFunction(mlir::OpBuilder &builder, ir::graph::FuncOp function, KernelNames &names);

/// A tensor function without loops and branches (StraightLine.cpp).
mlir::LogicalResult straighten(ir::graph::FuncOp function);
/// Without reductions along axes of one element, and casts there and back (Neutral.cpp).
void dropWhatChangesNothing(ir::graph::FuncOp function);
/// Products that turns of a loop add up are one product behind it (SumsBehindLoops.cpp).
void sumBehindLoops(ir::graph::FuncOp function);
/// Places that each turn changes for itself hold before what the array began with (OwnPlaces.cpp).
void readOwnPlaces(ir::graph::FuncOp function);
/// What every turn of a loop rounds to 16 bits is carried so (NarrowCarries.cpp).
void narrowCarries(ir::graph::FuncOp function);
/// Products of a batch with one matrix for all of it count the batch's axes and the rows together (FoldBatches.cpp).
void foldBatches(ir::graph::FuncOp function);
/// Weights of products that read windows have an axis for the places in a window (ReadWindows.cpp).
void separatePlaces(ir::graph::FuncOp function);
/// Reshapes of several groups of axes that only facts make equal are one for each (ReshapesApart.cpp).
void splitReshapes(ir::graph::FuncOp function);
/// Products with an axis of one element become multiplications and sums (VectorDots.cpp).
void expandVectorDots(mlir::Operation *function);
/// On GPUs, sums at few places of what has no axis but the places': each sum looks at all places (ScatterKernel.cpp).
void expandVectorScatters(mlir::Operation *function);
/// On GPUs, places of sums of floats are sorted (SortedPlaces.cpp).
void sortPlaces(ir::graph::FuncOp function);
/// On GPUs, reductions over axes with others between become two, one after the other (ReduceApart.cpp).
void reduceApart(ir::graph::FuncOp function);
/// On the first of them: its columns are stored.
inline constexpr llvm::StringLiteral kColumnsFirst = "tsr.columns_first";
/// Orders of which only the first places are read have only those (FirstOfOrder.cpp).
void findFirstOnly(mlir::Operation *function);
/// The sizes of a kernel: those given, a member of the autotuning space, or the compiler's choice; smaller
/// ones where the machine has not enough shared memory (Sizes.cpp).
struct Decision {
  std::map<std::string, int64_t> sizes;  // "m" -> 64
  int64_t group = 0;
  std::map<std::string, std::vector<int64_t>> capacity;  // "D" -> 64, 128, 256
  std::vector<std::string> rows;                         // extents that a group streams over
  std::vector<std::string> reasons;
};
/// The greatest value of a dimension that facts about sizes allow, if there is one.
std::optional<int64_t> greatestOf(llvm::StringRef dimension, mlir::ArrayAttr facts);
mlir::FailureOr<Decision> decide(ir::graph::KernelOp kernel, const Machine &machine);
/// The kernel with everything decided, under a name (UserKernel.cpp).
void createKernel(mlir::OpBuilder &builder, ir::graph::KernelOp kernel, llvm::StringRef name, const Decision &decision);

}  // namespace tessera::transforms
