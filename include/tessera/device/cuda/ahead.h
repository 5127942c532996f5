// Rows that a group takes in turn, each in shared memory before it is needed: while the group computes one, the next one is on its way.
//
//   for (int64_t r = group; r < R; r += gridDim.x) {
//     const HeldRow<bf16, 8, kAhead, 1024> row(x, r, R, C);   // waits for row r, and asks for row r + gridDim.x
//     ... row(k) ...
//   }
//
// For rows that are too long for two groups to share a processor: memory would wait while the one group computes.
#pragma once
#include "tessera/device/copy.h"
#include "tessera/device/vector.h"

namespace tsr {
inline namespace TSR_TARGET {

/// In the place of how many vectors a lane holds: two rows are in dynamic shared memory, 2 * row_turns() * Lanes vectors.
constexpr int kAhead = -1000;

/// Each lane copies and reads its own vectors, so nobody waits for another. One array of such rows a kernel.
template <class T, int Count, int Lanes, int Edges> struct HeldRow<T, Count, kAhead, Lanes, 0, Edges, 1, detail::kHeldInShared> {
  using Part = Vector<T, Count>;
  static_assert(sizeof(Part) == kSharedVector, "a vector is what one copy moves");

  /// Row `number` of `rows` at `base`, of `extent` elements each; the groups have the first rows by their number, and go on by gridDim.x.
  TSR_DEVICE HeldRow(const T *base, int64_t number, int64_t rows, int64_t extent) {
    const int64_t turn = (number - int64_t(blockIdx.x)) / gridDim.x, turns = row_turns<Count, kAhead, Lanes>(extent + (Edges ? Count - 1 : 0));
    extern __shared__ __align__(128) unsigned char held_rows[];
    unsigned char *const here = held_rows + lane() * kSharedVector, *const behind = here + turns * (Lanes * kSharedVector);
    own_ = turn % 2 == 0 ? here : behind;
    if (turn == 0) copy(own_, base + number * extent, turns, extent);
    const int64_t next = number + gridDim.x;
    copy(turn % 2 == 0 ? behind : here, base + next * extent, turns, next < rows ? extent : 0);
    async_wait<1>();
  }
  TSR_DEVICE Part operator()(int64_t k) const { return *reinterpret_cast<const Part *>(own_ + k * (Lanes * kSharedVector)); }

private:
  static TSR_DEVICE void copy(unsigned char *to, const T *row, int64_t turns, int64_t extent) {
    const int64_t before = detail::before_row<Edges, Count>(row);
    const T *const from = row - before;
#pragma unroll 4
    for (int64_t k = 0; k < turns; ++k) {
      const int64_t first = (k * Lanes + lane()) * Count;
      if (first < (extent > 0 ? extent + before : 0)) detail::copy_chunk<kSharedVector, true>(reinterpret_cast<T *>(to + k * (Lanes * kSharedVector)), from + first, Count);
    }
    async_commit();
  }
  unsigned char *own_;  // this lane's first vector
};

}  // inline namespace TSR_TARGET
}  // namespace tsr
