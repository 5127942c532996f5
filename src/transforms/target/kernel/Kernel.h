// The function around a kernel's body: parameters, constants, the loop over groups, the comment over it, and what its
// machine must have for it.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

// ---- EmitKernel.cpp
mlir::ArrayAttr stringsOf(mlir::MLIRContext *context, llvm::ArrayRef<std::string> texts);
/// The sums of matrix instructions fill the registers of a lane. Without this promise ptxas keeps to a number that lets
/// several groups share a processor, and spills.
bool wantsRegisters(Emission &em);
/// Tiles are taken out of views; single elements out of plain pointers.
bool needsView(mlir::Value parameter);
/// The kernel as a function of Target IR of this name, where `module` stands.
mlir::FailureOr<KernelInfo> emitKernel(ir::tile::KernelOp kernel, std::string name, const Machine &machine,
                                       mlir::OpBuilder &module);

// ---- HeadComment.cpp
/// What a schedule gives and this lowering makes no use of.
std::vector<std::string> withoutEffect(Emission &em);
struct HeadComment {
  std::vector<std::string> lines;
  std::string schedule;              // as the line with it ends; "" where there is none
  std::vector<std::string> reasons;  // as the lines have them
};
/// The signature that the user wrote, then the reasons of the schedule.
HeadComment headComment(Emission &em);

// ---- Manifest.cpp
void noteForManifest(Emission &em);

// ---- SharedLimit.cpp
/// Dynamic shared memory where the machine's static kind is too small: the bytes for each combination of
/// capacities.
mlir::LogicalResult computeSharedBytes(Emission &em);

// ---- StackLimit.cpp
/// Of an array whose extents may be sizes and capacities of the kernel: with the greatest capacities.
int64_t mostBytes(Emission &em, llvm::ArrayRef<Dim> extents, int64_t elementBytes);
/// On the CPU.
mlir::LogicalResult checkStack(Emission &em);

}  // namespace tessera::transforms::totarget
