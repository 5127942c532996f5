// Copies of whole tiles from global to shared memory, by all lanes of a group together.
//
//   copy_tile<Lanes>(tile, view, row0, col0)         the elements of `view` from (row0, col0) on; zero outside of it
//   copy_whole_tile<Lanes>(tile, view, row0, col0)   a tile that is known to lie inside of `view`
//   copy_tile_async, copy_whole_tile_async           likewise, but the elements come later:
//   copy_rows<Lanes, Axis>(tile, view, places, i, j)   row r of the tile is the one at places[r] along the axis, from element (i, j) on,
//                                                    where i, of the axis, is 0; zeros where there is no such row, and behind its end.
//                                                    <Lanes, Axis, Merged>: places count the rows of so many axes before it, too
//   copy_rows_async                                  likewise
//   copy_line_async<Lanes, N>(line, view, first)     N elements of a vector from the one at `first` on; zero behind its end
//   async_commit()                                   ends a batch of such copies
//   async_wait<N>()                                  waits until all but the N latest batches of this lane have come
//
// A group_barrier() must stand between the copy (or the wait) and the first read by another lane. Asynchronous copies
// are the machine's own (cp.async) on NVIDIA GPUs from sm_80; elsewhere they are done when the call returns.
#pragma once
#include "tessera/device/shared.h"

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

#if defined(TSR_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TSR_ASYNC_COPY 1
/// Bytes to shared memory: the first `valid` from `from`, zeros after them.
template <int Bytes> TSR_DEVICE void copy_async(void *to, const void *from, int valid) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(valid) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(address), "l"(from), "r"(valid), "n"(Bytes)
                 : "memory");
}
#endif

/// Copies one chunk, aligned in both memories, of which the first `valid` elements lie in the tensor.
template <int Bytes, bool Async, class T> TSR_DEVICE void copy_chunk(T *to, const T *from, int valid) {
  constexpr int chunk = Bytes / static_cast<int>(sizeof(T));
#if defined(TSR_ASYNC_COPY)
  if constexpr (Async && Bytes >= 4) {
    copy_async<Bytes>(to, from, valid * static_cast<int>(sizeof(T)));
    return;
  }
#endif
  Chunk<T, Bytes> piece{};
  if (valid == chunk) {
    piece = *reinterpret_cast<const Chunk<T, Bytes> *>(from);
  } else {
    TSR_UNROLL
    for (int k = 0; k < chunk; ++k)
      if (k < valid) piece.element[k] = from[k];
  }
  *reinterpret_cast<Chunk<T, Bytes> *>(to) = piece;
}

/// Copies a tile at the edge of its tensor, or one whose rows are not aligned to 16 bytes, in chunks of Bytes, lane by
/// lane. A loop that stays a loop: it runs rarely, and unrolled its addresses would take the registers of the others.
template <int Lanes, int Bytes, bool Async, class T, int M, int N, class Swizzle>
TSR_DEVICE void copy_chunks(SharedTile<T, M, N, Swizzle> &to, const T *from, int64_t stride, int height, int width) {
  constexpr int chunk = Bytes / static_cast<int>(sizeof(T)), chunks = N / chunk, total = M * chunks;
  TSR_NO_UNROLL
  for (int at = lane(); at < total; at += Lanes) {
    const int i = at / chunks, j = at % chunks * chunk;
    // Comparisons, not a count clamped by min and max: ptxas 13.0 compiles the test of such a count wrongly.
    const bool some = i < height && j < width;
    const int valid = !some ? 0 : j + chunk <= width ? chunk : width - j;
    copy_chunk<Bytes, Async>(&to(i, j), some ? from + i * stride + j : from, valid);
  }
}

/// Copies a tile that lies inside of its tensor, in chunks of 16 bytes. Where the lanes make whole rows, each goes down
/// one column of chunks.
template <int Lanes, bool Async, class T, int M, int N, class Swizzle>
TSR_DEVICE void copy_inside(SharedTile<T, M, N, Swizzle> &to, const T *from, int64_t stride) {
  constexpr int chunk = 16 / static_cast<int>(sizeof(T)), chunks = N / chunk, total = M * chunks;
  if constexpr (Lanes % chunks == 0) {
    constexpr int together = Lanes / chunks;  // rows at a time
    const int row = lane() / chunks, j = lane() % chunks * chunk;
    const T *source = from + row * stride + j;
    TSR_UNROLL
    for (int i = 0; i < M; i += together) {
      if (M % together == 0 || i + row < M) copy_chunk<16, Async>(&to(i + row, j), source, chunk);
      source += together * stride;
    }
  } else {
    TSR_UNROLL_4
    for (int at = lane(); at < total; at += Lanes)
      copy_chunk<16, Async>(&to(at / chunks, at % chunks * chunk), from + at / chunks * stride + at % chunks * chunk, chunk);
  }
}

/// True if chunks of Bytes lie aligned in a tile row of N elements and stay whole under the swizzle.
template <class T, int N, int Bytes> TSR_INLINE constexpr bool chunks_fit() {
  return Bytes >= static_cast<int>(sizeof(T)) && (N * static_cast<int>(sizeof(T))) % Bytes == 0;
}

#if defined(TSR_CPU)
/// Copies a tile from `from`, of which height x width elements lie in the tensor, row by row.
template <int Lanes, bool Async, class T, int M, int N, class Swizzle>
inline void copy_aligned(SharedTile<T, M, N, Swizzle> &to, const T *from, int64_t stride, int height, int width) {
  static_assert(Lanes == 1, "on the CPU a group has one lane");
  for (int i = 0; i < M; ++i) {
    const int valid = i < height ? width : 0;
    if constexpr (std::is_same<Swizzle, Linear>::value) {
      if (valid > 0) memcpy(static_cast<void *>(&to(i, 0)), from + i * stride, valid * sizeof(T));
      for (int j = valid; j < N; ++j) to(i, j) = T{};
    } else {
      for (int j = 0; j < N; ++j) to(i, j) = j < valid ? from[i * stride + j] : T{};
    }
  }
}
#else
/// Copies a tile from `from`, of which height x width elements lie in the tensor, in the widest chunks that are aligned.
template <int Lanes, bool Async, class T, int M, int N, class Swizzle>
TSR_DEVICE void copy_aligned(SharedTile<T, M, N, Swizzle> &to, const T *from, int64_t stride, int height, int width) {
  const uintptr_t alignment = reinterpret_cast<uintptr_t>(from) | static_cast<uintptr_t>(stride * static_cast<int64_t>(sizeof(T)));
  if constexpr (chunks_fit<T, N, 16>()) {
    if (alignment % 16 == 0) {
      if (height == M && width == N) return copy_inside<Lanes, Async>(to, from, stride);
      return copy_chunks<Lanes, 16, Async>(to, from, stride, height, width);
    }
  }
  if constexpr (chunks_fit<T, N, 8>()) {
    if (alignment % 8 == 0) return copy_chunks<Lanes, 8, Async>(to, from, stride, height, width);
  }
  if constexpr (chunks_fit<T, N, 4>()) {
    if (alignment % 4 == 0) return copy_chunks<Lanes, 4, Async>(to, from, stride, height, width);
  }
  copy_chunks<Lanes, static_cast<int>(sizeof(T)), false>(to, from, stride, height, width);
}
#endif

/// Where chunks of 16 bytes of a tile go to the lanes in whole rows, as many to each.
template <class T, int M, int N, int Lanes> TSR_INLINE constexpr bool fills_evenly() {
#if defined(TSR_ASYNC_COPY)
  constexpr int chunk = 16 / static_cast<int>(sizeof(T)), chunks = N / chunk;
  if constexpr (chunks == 0 || N % chunk != 0 || Lanes % (chunks == 0 ? 1 : chunks) != 0) return false;
  else return M % (Lanes / chunks) == 0;
#else
  return false;
#endif
}

#if defined(TSR_ASYNC_COPY)
/// Each lane goes down one column of chunks of 16 bytes; what lies outside of the tensor (unless `Whole`) becomes zero.
template <int Lanes, bool Whole, class T, int M, int N, class Swizzle, class V, class Layout>
TSR_DEVICE void copy_columns_async(SharedTile<T, M, N, Swizzle> &to, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  constexpr int chunk = 16 / static_cast<int>(sizeof(T)), chunks = N / chunk, together = Lanes / chunks;
  const int row = lane() / chunks, j = lane() % chunks * chunk;
  const int64_t stride = view.stride(0), first = row0 + row;
  const T *source = view.data + first * stride + col0 + j;
  // Compared as unsigned numbers: what is below 0 lies outside, too.
  const uint64_t rows = Whole || static_cast<uint64_t>(col0 + j) < static_cast<uint64_t>(view.extent[1]) ? view.extent[0] : 0;
  TSR_UNROLL
  for (int i = 0; i < M; i += together) {
    const bool inside = Whole || static_cast<uint64_t>(first + i) < rows;
    copy_async<16>(&to(i + row, j), inside ? source : view.data, inside ? 16 : 0);
    source += together * stride;
  }
}
#else
template <int Lanes, bool Whole, class Tile, class V>
TSR_DEVICE void copy_columns_async(Tile &, const V &, int64_t, int64_t) {}  // fills_evenly() is false
#endif

template <int Lanes, bool Async, class T, int M, int N, class Swizzle, class V, class Layout>
TSR_DEVICE void copy_any(SharedTile<T, M, N, Swizzle> &to, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  const int64_t down = view.extent[0] - row0, right = view.extent[1] - col0;
  const int height = static_cast<int>(down < 0 ? 0 : down < M ? down : M);
  const int width = static_cast<int>(right < 0 ? 0 : right < N ? right : N);
  const int64_t stride = view.stride(0);
  // Where nothing lies inside the tensor, no address outside of it is formed.
  const T *const from = height > 0 && width > 0 ? view.data + row0 * stride + col0 : view.data;
  copy_aligned<Lanes, Async>(to, from, stride, height, width);
}

/// Rows that begin at `from` + places[i] * stride and have `width` elements, in chunks of Bytes, lane by lane.
template <int Lanes, int Bytes, bool Async, class T, int M, int N, class Swizzle>
TSR_DEVICE void copy_row_chunks(SharedTile<T, M, N, Swizzle> &to, const T *from, int64_t stride, const int64_t *places, int64_t rows, int width) {
  constexpr int chunk = Bytes / static_cast<int>(sizeof(T)), chunks = N / chunk, total = M * chunks;
  TSR_UNROLL_4
  for (int at = lane(); at < total; at += Lanes) {
    const int i = at / chunks, j = at % chunks * chunk;
    const int64_t place = places[i];
    const bool some = place >= 0 && place < rows && j < width;
    const int valid = !some ? 0 : j + chunk <= width ? chunk : width - j;
    copy_chunk<Bytes, Async>(&to(i, j), some ? from + place * stride + j : from, valid);
  }
}

#if defined(TSR_CPU)
template <int Lanes, bool Async, class T, int M, int N, class Swizzle>
inline void copy_row_list(SharedTile<T, M, N, Swizzle> &to, const T *from, int64_t stride, const int64_t *places, int64_t rows, int width) {
  static_assert(Lanes == 1, "on the CPU a group has one lane");
  for (int i = 0; i < M; ++i) {
    const bool some = places[i] >= 0 && places[i] < rows;
    for (int j = 0; j < N; ++j) to(i, j) = some && j < width ? from[places[i] * stride + j] : T{};
  }
}
#else
template <int Lanes, bool Async, class T, int M, int N, class Swizzle>
TSR_DEVICE void copy_row_list(SharedTile<T, M, N, Swizzle> &to, const T *from, int64_t stride, const int64_t *places, int64_t rows, int width) {
  const uintptr_t alignment = reinterpret_cast<uintptr_t>(from) | static_cast<uintptr_t>(stride * static_cast<int64_t>(sizeof(T)));
  if constexpr (chunks_fit<T, N, 16>()) {
    if (alignment % 16 == 0) return copy_row_chunks<Lanes, 16, Async>(to, from, stride, places, rows, width);
  }
  if constexpr (chunks_fit<T, N, 4>()) {
    if (alignment % 4 == 0) return copy_row_chunks<Lanes, 4, Async>(to, from, stride, places, rows, width);
  }
  copy_row_chunks<Lanes, static_cast<int>(sizeof(T)), false>(to, from, stride, places, rows, width);
}
#endif

template <int Lanes, int Axis, int Merged, bool Async, class T, int M, int N, class Swizzle, class From, class... Index>
TSR_DEVICE void copy_rows_at(SharedTile<T, M, N, Swizzle> &to, const From &view, const int64_t *places, Index... index) {
  const int64_t at[] = {static_cast<int64_t>(index)...};
  const int64_t right = view.extent[From::rank - 1] - at[From::rank - 1];
  const int width = static_cast<int>(right < 0 ? 0 : right < N ? right : N);
  int64_t rows = view.extent[Axis];
  TSR_UNROLL
  for (int before = 1; before <= Merged; ++before) rows *= view.extent[Axis - before];
  copy_row_list<Lanes, Async>(to, width > 0 ? &view(index...) : view.data, view.stride(Axis), places, rows, width);
}

}  // namespace detail

template <int Lanes, int Axis = 0, int Merged = 0, class T, int M, int N, class Swizzle, class From, class... Index>
TSR_DEVICE void copy_rows(SharedTile<T, M, N, Swizzle> &tile, const From &view, const int64_t *places, Index... index) {
  detail::copy_rows_at<Lanes, Axis, Merged, false>(tile, view, places, index...);
}

template <int Lanes, int Axis = 0, int Merged = 0, class T, int M, int N, class Swizzle, class From, class... Index>
TSR_DEVICE void copy_rows_async(SharedTile<T, M, N, Swizzle> &tile, const From &view, const int64_t *places, Index... index) {
  detail::copy_rows_at<Lanes, Axis, Merged, true>(tile, view, places, index...);
}

template <int Lanes, class T, int M, int N, class Swizzle, class V, class Layout>
TSR_DEVICE void copy_tile(SharedTile<T, M, N, Swizzle> &tile, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  detail::copy_any<Lanes, false>(tile, view, row0, col0);
}

/// `Align`: bytes to which the rows of the tensor, and the tile's first column, are aligned. With 16, and tiles that the
/// lanes fill evenly, the copy has no branches: the instructions around it are scheduled with it.
template <int Lanes, int Align = 1, class T, int M, int N, class Swizzle, class V, class Layout>
TSR_DEVICE void copy_tile_async(SharedTile<T, M, N, Swizzle> &tile, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  if constexpr (Align >= 16 && detail::fills_evenly<T, M, N, Lanes>())
    detail::copy_columns_async<Lanes, false>(tile, view, row0, col0);
  else
    detail::copy_any<Lanes, true>(tile, view, row0, col0);
}

template <int Lanes, class T, int M, int N, class Swizzle, class V, class Layout>
TSR_DEVICE void copy_whole_tile(SharedTile<T, M, N, Swizzle> &tile, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  detail::copy_aligned<Lanes, false>(tile, &view(row0, col0), view.stride(0), M, N);
}

template <int Lanes, int Align = 1, class T, int M, int N, class Swizzle, class V, class Layout>
TSR_DEVICE void copy_whole_tile_async(SharedTile<T, M, N, Swizzle> &tile, const View<V, 2, Layout> &view, int64_t row0, int64_t col0) {
  if constexpr (Align >= 16 && detail::fills_evenly<T, M, N, Lanes>())
    detail::copy_columns_async<Lanes, true>(tile, view, row0, col0);
  else
    detail::copy_aligned<Lanes, true>(tile, &view(row0, col0), view.stride(0), M, N);
}

namespace detail {

/// N elements, of which `width` lie in the tensor, in chunks of Bytes, lane by lane.
template <int Lanes, int N, int Bytes, bool Async, class T> TSR_DEVICE void copy_line_chunks(T *to, const T *from, int width) {
  constexpr int chunk = Bytes / static_cast<int>(sizeof(T));
  TSR_UNROLL_4
  for (int at = lane() * chunk; at < N; at += Lanes * chunk) {
    const int valid = at >= width ? 0 : at + chunk <= width ? chunk : width - at;
    copy_chunk<Bytes, Async>(to + at, valid > 0 ? from + at : from, valid);
  }
}

}  // namespace detail

template <int Lanes, int N, class T, class V, class Layout>
TSR_DEVICE void copy_line_async(T *line, const View<V, 1, Layout> &view, int64_t first) {
  const int64_t right = view.extent[0] - first;
  const int width = static_cast<int>(right < 0 ? 0 : right < N ? right : N);
  const T *const from = width > 0 ? view.data + first : view.data;
#if defined(TSR_CPU)
  static_assert(Lanes == 1, "on the CPU a group has one lane");
  if (width > 0) memcpy(static_cast<void *>(line), from, width * sizeof(T));
  for (int at = width; at < N; ++at) line[at] = T{};
#else
  const uintptr_t alignment = reinterpret_cast<uintptr_t>(line) | reinterpret_cast<uintptr_t>(from);
  if constexpr (detail::chunks_fit<T, N, 16>()) {
    if (alignment % 16 == 0) return detail::copy_line_chunks<Lanes, N, 16, true>(line, from, width);
  }
  if constexpr (detail::chunks_fit<T, N, 4>()) {
    if (alignment % 4 == 0) return detail::copy_line_chunks<Lanes, N, 4, true>(line, from, width);
  }
  detail::copy_line_chunks<Lanes, N, static_cast<int>(sizeof(T)), false>(line, from, width);
#endif
}

TSR_DEVICE void async_commit() {
#if defined(TSR_ASYNC_COPY)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int Pending> TSR_DEVICE void async_wait() {
#if defined(TSR_ASYNC_COPY)
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
