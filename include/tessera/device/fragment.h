// Tiles in registers. A tile of M x N elements is dealt out to the lanes of a group by a layout, here called Grid:
//
//   ThreadGrid<Rows, Cols>   lane number = row * Cols + col. On the CPU ThreadGrid<1, 1>: one lane has everything.
//                            Lane (r, c) holds the rows r, r + Rows, ... and the columns c, c + Cols, ...
//   MmaGrid<Rows, Cols>      the accumulators of matrix instructions, in warps (mma.h)
//   Fragment<T, M, N, Grid>  M x N
//   RowVector<T, M, Grid>    M elements, one a row of the tile: a lane holds those of its rows (lanes of one row agree)
//   ColVector<T, N, Grid>    N elements, one a column of the tile: a lane holds those of its columns
//
//   for (int i = 0; i < acc.rows; ++i)
//     for (int j = 0; j < acc.cols; ++j) acc(i, j) = scale * acc(i, j) + bias(j);   // bias: a ColVector
//
// acc(i, j) is the lane's own element; acc.row(i), acc.col(j) say where in the tile it is. M and N need not be
// multiples of what the layout covers in one step (row_step, col_step): the elements that are too many lie outside the
// tile (acc.row(i) >= M). They may hold anything; every function here leaves them out.
//
// A layout has: size (lanes), row_step, col_step (rows and columns that the lanes cover together in one step),
// rows_held(M), cols_held(N) (elements a lane), row_at(i), col_at(j) (where they are), owns_rows(), owns_cols() (true in
// the one lane of those that share a row's, or a column's, element), together (so many elements of a row, from a
// multiple of it on, are neighbours), row_scratch(M), col_scratch(N) (elements of shared memory that a reduction along rows, or columns, needs).
#pragma once
#include "tessera/device/view.h"

namespace tsr {
inline namespace TSR_TARGET {

template <int Rows, int Cols> struct ThreadGrid {
  static_assert(Rows >= 1 && Cols >= 1, "a grid has lanes");
  static constexpr int rows = Rows, cols = Cols, size = Rows * Cols, row_step = Rows, col_step = Cols;
  static TSR_DEVICE int row() { return size == 1 ? 0 : lane() / Cols; }
  static TSR_DEVICE int col() { return size == 1 ? 0 : lane() % Cols; }
  static constexpr TSR_INLINE int rows_held(int height) { return (height + Rows - 1) / Rows; }
  static constexpr TSR_INLINE int cols_held(int width) { return (width + Cols - 1) / Cols; }
  static TSR_DEVICE int row_at(int i) { return row() + i * Rows; }
  static TSR_DEVICE int col_at(int j) { return col() + j * Cols; }
  static constexpr int together = 1;
  static constexpr TSR_INLINE int row_scratch(int) { return 1; }
  static constexpr TSR_INLINE int col_scratch(int width) { return Rows * cols_held(width) * Cols; }
  static TSR_DEVICE bool owns_rows() { return col() == 0; }
  static TSR_DEVICE bool owns_cols() { return row() == 0; }
};

template <class T, int M, int N, class Grid> struct Fragment {
  using Element = T;
  using ThreadGrid = Grid;
  static constexpr int height = M, width = N;                       // of the tile
  static constexpr int rows = Grid::rows_held(M), cols = Grid::cols_held(N);  // of one lane
  static constexpr bool whole = M % Grid::row_step == 0 && N % Grid::col_step == 0;  // no element lies outside the tile

  T element[rows][cols];

  Fragment() = default;
  explicit TSR_DEVICE Fragment(T value) {
    TSR_UNROLL
    for (int i = 0; i < rows; ++i) {
      TSR_SIMD
      for (int j = 0; j < cols; ++j) element[i][j] = value;
    }
  }
  TSR_DEVICE T &operator()(int i, int j) { return element[i][j]; }
  TSR_DEVICE const T &operator()(int i, int j) const { return element[i][j]; }
  static TSR_DEVICE int row(int i) { return Grid::row_at(i); }
  static TSR_DEVICE int col(int j) { return Grid::col_at(j); }
  /// True if element (i, j) of this lane lies in the tile.
  static TSR_DEVICE bool holds(int i, int j) { return whole || (row(i) < M && col(j) < N); }
};

template <class T, int M, class Grid> struct RowVector {
  using Element = T;
  using ThreadGrid = Grid;
  static constexpr int height = M, rows = Grid::rows_held(M), count = rows, together = 1;
  T element[rows];

  RowVector() = default;
  explicit TSR_DEVICE RowVector(T value) {
    TSR_UNROLL
    for (int i = 0; i < rows; ++i) element[i] = value;
  }
  TSR_DEVICE T &operator()(int i) { return element[i]; }
  TSR_DEVICE const T &operator()(int i) const { return element[i]; }
  static TSR_DEVICE int row(int i) { return Grid::row_at(i); }
  static TSR_DEVICE int position(int i) { return row(i); }
  static TSR_DEVICE bool holds(int i) { return M % Grid::row_step == 0 || row(i) < M; }
  /// True in the one lane that stores the vector's elements.
  static TSR_DEVICE bool owner() { return Grid::owns_rows(); }
};

template <class T, int N, class Grid> struct ColVector {
  using Element = T;
  using ThreadGrid = Grid;
  static constexpr int width = N, cols = Grid::cols_held(N), count = cols;
  static constexpr int together = N % Grid::together == 0 ? Grid::together : 1;  // neighbours of a lane
  T element[cols];

  ColVector() = default;
  explicit TSR_DEVICE ColVector(T value) {
    TSR_UNROLL
    for (int j = 0; j < cols; ++j) element[j] = value;
  }
  TSR_DEVICE T &operator()(int j) { return element[j]; }
  TSR_DEVICE const T &operator()(int j) const { return element[j]; }
  static TSR_DEVICE int col(int j) { return Grid::col_at(j); }
  static TSR_DEVICE int position(int j) { return col(j); }
  static TSR_DEVICE bool holds(int j) { return N % Grid::col_step == 0 || col(j) < N; }
  static TSR_DEVICE bool owner() { return Grid::owns_cols(); }
};

/// Elements of a tile, or of a vector, where all of them lie in memory.
template <class Tile> struct TileElements;
template <class T, int M, int N, class Grid> struct TileElements<Fragment<T, M, N, Grid>> {
  static constexpr int count = M * N;
};
template <class T, int M, class Grid> struct TileElements<RowVector<T, M, Grid>> {
  static constexpr int count = M;
};
template <class T, int N, class Grid> struct TileElements<ColVector<T, N, Grid>> {
  static constexpr int count = N;
};
template <class Tile> constexpr int tile_elements = TileElements<Tile>::count;

// ---------------------------------------------------------------- to and from global memory

namespace detail {

/// What one lane moves at a time.
template <class T, int Bytes> struct alignas(Bytes) Chunk {
  T element[Bytes / sizeof(T)];
};

struct Within;
struct Everywhere;

/// Elements of a tensor, each compared with its extents.
struct Masked {
  using Part = Within;
  template <class V, class... At> static TSR_DEVICE bool inside(const V &view, At... at) { return view.holds(at...); }
  template <class V, class T, class... At> static TSR_DEVICE void write(const V &view, T value, At... at) {
    view.put(value, at...);
  }
};
/// Elements that are known to lie inside of the tensor.
struct Inside {
  using Part = Everywhere;
  template <class V, class... At> static TSR_DEVICE bool inside(const V &, At...) { return true; }
  template <class V, class T, class... At> static TSR_DEVICE void write(const V &view, T value, At... at) {
    view(at...) = value;
  }
};

/// The part of a tile's rows or columns, from `first` of a tensor's on, that lies inside of it.
struct Within {
  int begin, end;
  TSR_DEVICE Within(int64_t first, int64_t extent, int count) : begin(clamp(-first, count)), end(clamp(extent - first, count)) {}
  TSR_DEVICE bool operator()(int at) const { return static_cast<unsigned>(at - begin) < static_cast<unsigned>(end - begin); }
  static TSR_DEVICE int clamp(int64_t at, int count) { return static_cast<int>(at < 0 ? 0 : at < count ? at : count); }
};
struct Everywhere {
  template <class... Given> explicit TSR_DEVICE Everywhere(Given...) {}
  TSR_DEVICE bool operator()(int) const { return true; }
};

/// Grid::together neighbours of a row at a time, which are aligned and lie inside of the tensor together.
template <class Access, class T, int M, int N, class Grid, class V, class Layout>
TSR_DEVICE void load_neighbours(Fragment<T, M, N, Grid> &to, const View<V, 2, Layout> &from, T other, int64_t row0, int64_t col0) {
  constexpr int together = Grid::together;
  using Several = Chunk<T, together * static_cast<int>(sizeof(T))>;
  const int64_t apart = from.stride(0);
  TSR_UNROLL
  for (int i = 0; i < to.rows; ++i) {
    const int64_t row = row0 + to.row(i);
    TSR_UNROLL
    for (int j = 0; j < to.cols; j += together) {
      const int64_t col = col0 + to.col(j);
      const bool inside = to.holds(i, j) && Access::inside(from, row, col);
      Several several;
      TSR_UNROLL
      for (int n = 0; n < together; ++n) several.element[n] = other;
      if (inside) several = *reinterpret_cast<const Several *>(from.data + row * apart + col);
      TSR_UNROLL
      for (int n = 0; n < together; ++n) to(i, j + n) = several.element[n];
    }
  }
}

template <class Access, class T, int M, int N, class Grid, class V, class Layout>
TSR_DEVICE void load_elements(Fragment<T, M, N, Grid> &to, const View<V, 2, Layout> &from, T other, int64_t row0,
                              int64_t col0) {
#if defined(TSR_CPU)
  if constexpr (Grid::size == 1) {  // one lane has whole rows
    const Within rows(row0, from.extent[0], M), cols(col0, from.extent[1], N);
    for (int i = 0; i < M; ++i) {
      T *const line = to.element[i];
      if (i < rows.begin || i >= rows.end || cols.begin >= cols.end) {
        for (int j = 0; j < N; ++j) line[j] = other;
        continue;
      }
      for (int j = 0; j < cols.begin; ++j) line[j] = other;
      V *const source = from.data + (row0 + i) * from.stride(0) + (col0 + cols.begin);
      TSR_SIMD
      for (int j = 0; j < cols.end - cols.begin; ++j) line[cols.begin + j] = source[j];
      for (int j = cols.end; j < N; ++j) line[j] = other;
    }
    return;
  }
#endif
  constexpr int together = Grid::together;
  if constexpr (together > 1 && N % together == 0 && together * sizeof(T) <= 16 && std::is_same<std::remove_const_t<V>, T>::value) {
    const bool even = reinterpret_cast<uintptr_t>(from.data) % (together * sizeof(T)) == 0 && (from.extent[1] | from.stride(0) | col0) % together == 0;
    if (even) return load_neighbours<Access>(to, from, other, row0, col0);
  }
  // Places within the tile are compared in 32 bits.
  const typename Access::Part rows(row0, from.extent[0], M), cols(col0, from.extent[1], N);
  TSR_UNROLL
  for (int i = 0; i < to.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < to.cols; ++j)
      to(i, j) = to.holds(i, j) && rows(to.row(i)) && cols(to.col(j)) ? from(row0 + to.row(i), col0 + to.col(j)) : other;
  }
}
template <class Access, class Vector, class V, class Layout>
TSR_DEVICE void load_elements(Vector &to, const View<V, 1, Layout> &from, typename Vector::Element other, int64_t first) {
#if !defined(TSR_CPU)
  // Where each lane has elements of its own, those of what lies inside as a whole are loaded without questions: behind one for each,
  // compilers may let loads wait for each other.
  constexpr int elements = tile_elements<Vector>;
  if constexpr (!std::is_same<Access, Inside>::value && Vector::count > 1 && elements == Vector::count * Vector::ThreadGrid::size)
    if (first >= 0 && first + elements <= from.extent[0]) return load_elements<Inside>(to, from, other, first);
#endif
  const typename Access::Part part(first, from.extent[0], tile_elements<Vector>);
  TSR_UNROLL
  for (int i = 0; i < to.count; ++i) to(i) = to.holds(i) && part(to.position(i)) ? from(first + to.position(i)) : other;
}

/// Grid::together neighbours of a row at a time, which are aligned and lie inside of the tensor together.
template <class Access, class V, class Layout, class T, int M, int N, class Grid>
TSR_DEVICE void store_neighbours(const View<V, 2, Layout> &to, const Fragment<T, M, N, Grid> &from, int64_t row0, int64_t col0) {
  constexpr int together = Grid::together;
  using Several = Chunk<T, together * static_cast<int>(sizeof(T))>;
  const int64_t apart = to.stride(0);
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    const int64_t row = row0 + from.row(i);
    TSR_UNROLL
    for (int j = 0; j < from.cols; j += together) {
      const int64_t col = col0 + from.col(j);
      if (!from.holds(i, j) || !Access::inside(to, row, col)) continue;
      Several several;
      TSR_UNROLL
      for (int n = 0; n < together; ++n) several.element[n] = from(i, j + n);
      *reinterpret_cast<Several *>(to.data + row * apart + col) = several;
    }
  }
}

template <class Access, class V, class Layout, class T, int M, int N, class Grid>
TSR_DEVICE void store_elements(const View<V, 2, Layout> &to, const Fragment<T, M, N, Grid> &from, int64_t row0, int64_t col0) {
#if defined(TSR_CPU)
  if constexpr (Grid::size == 1) {
    const Within rows(row0, to.extent[0], M), cols(col0, to.extent[1], N);
    if (cols.begin >= cols.end) return;
    for (int i = rows.begin; i < rows.end; ++i) {
      const T *const line = from.element[i] + cols.begin;
      V *const target = to.data + (row0 + i) * to.stride(0) + (col0 + cols.begin);
      TSR_SIMD
      for (int j = 0; j < cols.end - cols.begin; ++j) target[j] = line[j];
    }
    return;
  }
#endif
  constexpr int together = Grid::together;
  if constexpr (together > 1 && N % together == 0 && together * sizeof(T) <= 16) {
    const bool even = reinterpret_cast<uintptr_t>(to.data) % (together * sizeof(T)) == 0 && (to.extent[1] | to.stride(0) | col0) % together == 0;
    if (even) return store_neighbours<Access>(to, from, row0, col0);
  }
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < from.cols; ++j)
      if (from.holds(i, j)) Access::write(to, from(i, j), row0 + from.row(i), col0 + from.col(j));
  }
}
template <class Access, class V, class Vector>
TSR_DEVICE void store_elements(const View<V, 1> &to, const Vector &from, int64_t first) {
  TSR_UNROLL
  for (int i = 0; i < from.count; ++i)
    if (from.owner() && from.holds(i)) Access::write(to, from(i), first + from.position(i));
}

}  // namespace detail

/// The M x N elements of `from` whose first is (row0, col0); `other` for those outside of the tensor.
template <class Tile, class V, class Layout>
TSR_DEVICE void load_fragment(Tile &to, const View<V, 2, Layout> &from, int64_t row0, int64_t col0,
                              typename Tile::Element other = {}) {
  detail::load_elements<detail::Masked>(to, from, other, row0, col0);
}
/// Likewise a RowVector or ColVector, from element `first` of a tensor of one dimension.
template <class Vector, class V, class Layout>
TSR_DEVICE void load_fragment(Vector &to, const View<V, 1, Layout> &from, int64_t first, typename Vector::Element other = {}) {
  detail::load_elements<detail::Masked>(to, from, other, first);
}
/// Stores the tile whose first element is at `first`, an index for each dimension; what lies outside of the tensor is
/// not written.
template <class V, int Rank, class Layout, class Tile, class... First>
TSR_DEVICE void store_fragment(const View<V, Rank, Layout> &to, const Tile &from, First... first) {
  detail::store_elements<detail::Masked>(to, from, first...);
}

// Fragments that hold the transpose of a tile: their element (i, j) is element (j, i) of it.
template <class T, int M, int N, class Grid, class V, class Layout>
TSR_DEVICE void load_transposed_fragment(Fragment<T, M, N, Grid> &to, const View<V, 2, Layout> &from, int64_t row0, int64_t col0, T other = {}) {
  TSR_UNROLL
  for (int i = 0; i < to.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < to.cols; ++j)
      to(i, j) = to.holds(i, j) ? from.at_or(other, row0 + to.col(j), col0 + to.row(i)) : other;
  }
}
template <class V, class Layout, class T, int M, int N, class Grid>
TSR_DEVICE void store_transposed_fragment(const View<V, 2, Layout> &to, const Fragment<T, M, N, Grid> &from, int64_t row0, int64_t col0) {
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < from.cols; ++j)
      if (from.holds(i, j)) to.put(from(i, j), row0 + from.col(j), col0 + from.row(i));
  }
}

// Likewise for tiles that are known to lie inside of their tensor: no element is compared with its extents.
template <class Tile, class V, int Rank, class Layout, class... First>
TSR_DEVICE void load_whole_fragment(Tile &to, const View<V, Rank, Layout> &from, First... first) {
  detail::load_elements<detail::Inside>(to, from, typename Tile::Element{}, first...);
}
template <class V, int Rank, class Layout, class Tile, class... First>
TSR_DEVICE void store_whole_fragment(const View<V, Rank, Layout> &to, const Tile &from, First... first) {
  detail::store_elements<detail::Inside>(to, from, first...);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
