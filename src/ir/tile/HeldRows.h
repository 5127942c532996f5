// Where the vectors of a row are that the lanes of a group hold: in the place of how many a lane has in registers.
#pragma once
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tessera::ir::tile {

inline constexpr int64_t kRowInShared = -1;    // in shared memory, all of them; -n: up to n, the others are read again (vector.h)
inline constexpr int64_t kRowAhead = -1000;    // in shared memory, and those of the group's next row are on their way (cuda/ahead.h)

/// On a kernel whose groups take rows in turn: lanes ask for their vectors of the next row before they compute this one (RowsAhead, vector.h).
inline constexpr llvm::StringLiteral kRowsAhead = "tsr.rows_ahead";
/// On one whose lanes have as many elements of a row as their registers hold.
inline constexpr llvm::StringLiteral kManyElements = "tsr.many_elements";

/// Rows that begin and end within vectors (edges.h), where the size `T.edges` is 1: on the condition for a lane's vector, on that for an element of
/// it, on rows that are held, and on loads and stores of vectors.
inline constexpr llvm::StringLiteral kEdges = "tsr.edges";
inline constexpr llvm::StringLiteral kInside = "tsr.inside";

}  // namespace tessera::ir::tile
