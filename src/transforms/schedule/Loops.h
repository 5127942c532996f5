// Loops of tensor functions that the entry function runs: the launches of their bodies are repeated by the host.
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// On a loop that stays, an array of what the entry function does:
///   "for", a counter's name, start, stop, step    dimensions, the step a number above 0
///   "for", a counter's name, 0, a name, 1         as many turns as the device computes, the loop's upper bound: they have that name
///   "while", condition                            a condition on sizes and integers (Conditions.h)
///   "while"                                       what the device computes decides
/// and at the end an array of the integers that the loop carries: name, start, and what it becomes in each turn.
inline constexpr llvm::StringLiteral kLoop = "tsr.loop";
inline constexpr unsigned kStopWord = 3;
/// On a loop whose number of turns is the upper bound, under a name: the device computes it, or a loop around that is written out
/// makes it a number.
inline constexpr llvm::StringLiteral kCountOfData = "tsr.count_of_data";
/// On memory that a loop swaps or waits for: its number, which the words of the loop speak of.
inline constexpr llvm::StringLiteral kBuffer = "tsr.buffer";

/// Marks the loops whose number of turns only run time knows, and those that are too long to be written out. Their counters,
/// and the integers that they carry, become dimensions of the entry function, which counts. Fails, with a message, where it
/// could not.
mlir::LogicalResult keepLoops(ir::graph::FuncOp function);
/// Turns of a loop with known bounds that is written out; of one that updates arrays, which it then does in place.
inline constexpr int64_t kMostTurns = 256, kMostTurnsOfUpdates = 4;
/// Operations that are written out, of more turns than a few, and of a few, such as layers. 200 turns of 20 operations took ptxas minutes; 50 turns
/// of a U-Net of 1000 were five thousand lines of one function.
inline constexpr int64_t kFewTurns = 64, kMostWrittenOut = 2048, kMostOfFewTurns = 16384;

}  // namespace tessera::transforms
