// What is known of a kernel's text that its operations do not say any more: kept on the kernel of the target dialect, for claims
// about it and for the manifest.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace tessera::ir {

/// A truth value: tensor cores do all of its products. Absent: it has none.
inline constexpr llvm::StringLiteral kTensorCores = "tsr.tensor_cores";
/// Bytes of shared memory of a group that the kernel declares, static or dynamic: one number for each combination of capacities,
/// the last capacity varying fastest. Rows that variants of a launch hold come on top. Absent: it declares none.
inline constexpr llvm::StringLiteral kSharedMemory = "tsr.shared_memory";

/// On a kernel: the `sizes` of its schedule, with which a line of its comment ends, and its `reasons`. On a launch of a kernel with several forms (ShareForms.cpp): the
/// `arguments` of its template, the `rows` at a time of what is read in tiles, a number for each argument, and what is said of the form.
inline constexpr llvm::StringLiteral kForm = "tsr.form";

}  // namespace tessera::ir
