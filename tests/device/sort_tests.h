// The order of rows: against a stable sort, over extents around powers of two and around the chunks of a group.
#pragma once
#include "harness.h"
#include "tessera/device/first_of_row.h"
#include "tessera/device/gather.h"
#include "tessera/device/sort.h"
#include <algorithm>
#include <limits>
#include <type_traits>

namespace sort_tests {
using harness::Buffer;
using harness::expect;

template <class Direction, int Group, class T> KERNEL order_of(int64_t *order, const T *keys, int64_t extent) {
#if defined(TSR_CPU)
  tsr::argsort_row<Direction>(order, keys, extent);
#else
  SHARED int64_t words[tsr::sort_chunk];
  tsr::argsort_row<Direction, Group>(order, keys, extent, words);
#endif
}

template <class Direction, int Group, int Count, class T> KERNEL first_of(int64_t *order, const T *keys, int64_t extent) {
#if defined(TSR_CPU)
  tsr::argfirst_row<Direction, Count>(order, keys, extent);
#else
  SHARED int64_t words[tsr::sort_chunk];
  tsr::argfirst_row<Direction, Group, Count>(order, keys, extent, words);
#endif
}

/// In parts of 500 elements, as groups find them, and then of those.
template <class Direction, int Group, int Count, class T> KERNEL first_in_parts(int64_t *order, int64_t *firsts, const T *keys, int64_t extent) {
#if !defined(TSR_CPU)
  SHARED int64_t words[tsr::sort_chunk];
  const int64_t parts = (extent + 499) / 500;
  for (int64_t part = 0; part < parts; ++part) {
    tsr::argfirst_part<Direction, Group, Count, 500>(firsts, keys, extent, part, words);
    tsr::group_barrier();
  }
  tsr::argfirst_of_parts<Direction, Group, Count>(order, keys, firsts, parts * Count, words);
#endif
}

/// Many ties; of floats, NaN, both zeros and both infinities, too.
template <class T> T key(uint32_t random) {
  const int value = static_cast<int>(random >> 8) % 97 - 48;
  if constexpr (std::is_integral<T>::value) {
    return static_cast<T>(value + (std::is_signed<T>::value ? 0 : 50));
  } else {
    const float special[] = {NAN, 0.0f, -0.0f, INFINITY, -INFINITY};
    return tsr::to<T>(random % 8 == 0 ? special[(random >> 4) % 5] : static_cast<float>(value) / 4);
  }
}

template <class T> double number(T value) {
  if constexpr (std::is_arithmetic<T>::value) return static_cast<double>(value);
  else return static_cast<double>(tsr::to<float>(value));
}

/// If element i of a row comes before element j: NaN last, ties by their places. On the host: `Direction::before` is compiled for the
/// device alone, and what nvcc makes of it for the host ends the program.
template <class Direction> bool comes_before(double a, int64_t i, double b, int64_t j) {
  if ((a != a) != (b != b)) return a == a;
  if (a == b || a != a) return i < j;
  return std::is_same<Direction, tsr::Descending>::value ? a > b : a < b;
}

template <class Direction, int Group, class T> void order(const char *name, int64_t extent) {
  Buffer<T> keys(static_cast<size_t>(extent));
  Buffer<int64_t> found(static_cast<size_t>(extent) + 1);
  uint32_t random = static_cast<uint32_t>(extent) * 2654435761u + 1;
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = key<T>(random = random * 1664525u + 1013904223u);
  for (size_t i = 0; i < found.size(); ++i) found[i] = -7;
  std::vector<int64_t> right(keys.size());
  for (size_t i = 0; i < right.size(); ++i) right[i] = static_cast<int64_t>(i);
  std::sort(right.begin(), right.end(), [&](int64_t i, int64_t j) {
    return comes_before<Direction>(number(keys[static_cast<size_t>(i)]), i, number(keys[static_cast<size_t>(j)]), j);
  });
  LAUNCH(Group, (order_of<Direction, Group, T>), found.device(), keys.device(), extent);
  found.back();
  for (size_t i = 0; i < right.size(); ++i) expect(found[i] == right[i], name, static_cast<long long>(i));
  expect(found[right.size()] == -7, name, -1);
}

/// How the keys of a row lie: ties at random; all one; each lane of 256 with greater ones than the lane before it; falling.
enum class Keys { Random, Same, ByLane, Falling };

template <class Direction, int Group, int Count, class T> void first(const char *name, int64_t extent, Keys how = Keys::Random) {
  Buffer<T> keys(static_cast<size_t>(extent));
  Buffer<int64_t> found(Count + 1);
  uint32_t random = static_cast<uint32_t>(extent) * 2654435761u + 1;
  for (size_t i = 0; i < keys.size(); ++i) {
    random = random * 1664525u + 1013904223u;
    const size_t lane = i % 256;
    if (how == Keys::Random) keys[i] = key<T>(random);
    else keys[i] = tsr::to<T>(how == Keys::Same ? 3.0f : how == Keys::Falling ? -static_cast<float>(i) : static_cast<float>(lane * 100000 + i));
  }
  for (size_t i = 0; i < found.size(); ++i) found[i] = -7;
  std::vector<int64_t> right(keys.size());
  for (size_t i = 0; i < right.size(); ++i) right[i] = static_cast<int64_t>(i);
  std::sort(right.begin(), right.end(), [&](int64_t i, int64_t j) {
    return comes_before<Direction>(number(keys[static_cast<size_t>(i)]), i, number(keys[static_cast<size_t>(j)]), j);
  });
  LAUNCH(Group, (first_of<Direction, Group, Count, T>), found.device(), keys.device(), extent);
  found.back();
  for (size_t i = 0; i < Count; ++i) expect(found[i] == (i < right.size() ? right[i] : -7), name, static_cast<long long>(i));
  expect(found[Count] == -7, name, -1);
#if !defined(TSR_CPU)
  Buffer<int64_t> firsts(static_cast<size_t>((extent + 499) / 500 * Count)), again(Count + 1);
  for (size_t i = 0; i < again.size(); ++i) again[i] = -7;
  LAUNCH(Group, (first_in_parts<Direction, Group, Count, T>), again.device(), firsts.device(), keys.device(), extent);
  again.back();
  for (size_t i = 0; i < Count; ++i) expect(again[i] == (i < right.size() ? right[i] : -7), name, static_cast<long long>(i));
  expect(again[Count] == -7, name, -1);
#endif
}

inline void all_first() {
  using tsr::Ascending, tsr::Descending;
  for (int64_t extent : {8, 9, 255, 256, 257, 2049, 8191, 100003}) {
    first<Descending, 256, 8, float>("argfirst_row of f32, descending", extent);
    first<Ascending, 256, 8, float>("argfirst_row of f32", extent);
  }
  for (int64_t extent : {128, 1009, 9001}) {
    first<Ascending, 256, 128, float>("argfirst_row of 128", extent);
    first<Descending, 32, 1, tsr::bf16>("argfirst_row of bf16, descending", extent);
    first<Ascending, 64, 64, double>("argfirst_row of f64", extent);
    first<Descending, 128, 5, int64_t>("argfirst_row of i64, descending", extent);
    first<Descending, 256, 3, uint8_t>("argfirst_row of u8, descending", extent);
  }
  for (Keys how : {Keys::Same, Keys::ByLane, Keys::Falling}) {  // by lane: all of the first ones are in one
    first<Descending, 256, 8, float>("argfirst_row of f32", 70000, how);
    first<Descending, 256, 8, double>("argfirst_row of f64", 400000, how);
    first<Ascending, 256, 17, int32_t>("argfirst_row of i32", 400003, how);
  }
}

// ---- tiles

#if defined(TSR_CPU)
#define TILE_SPACE(Tile) \
  typename Tile::Element *space = nullptr; \
  int *at = nullptr
#else
#define TILE_SPACE(Tile) \
  SHARED typename Tile::Element space[tsr::tile_elements<Tile>]; \
  SHARED int at[tsr::tile_elements<Tile>]
#endif

/// The order of each row, its elements in that order, and its first three: from memory of height x width to height x (2 * width + 3).
template <class Direction, class Tile, class Order, class Few, class Places> KERNEL sort_tile(double *x, int64_t height, int64_t width) {
  TILE_SPACE(Tile);
  using T = typename Tile::Element;
  const tsr::View<double, 2> from{x, {height, width}};
  double *const to = x + height * width;
  Tile tile;
  for (int i = 0; i < tile.rows; ++i)
    for (int j = 0; j < tile.cols; ++j) tile(i, j) = tsr::to<T>(from.at_or(-77.0, tile.row(i), tile.col(j)));
  Order order;
  tsr::argsort<Direction>(order, tile, width, space, at);
  Tile sorted;
  tsr::gather<1>(sorted, tile, order, width, space);
  Places first;
  for (int i = 0; i < first.rows; ++i)
    for (int j = 0; j < first.cols; ++j) first(i, j) = first.col(j);
  Few few;
  tsr::gather<1>(few, sorted, first, width, space);
  for (int i = 0; i < tile.rows; ++i)
    for (int j = 0; j < tile.cols; ++j) {
      if (tile.row(i) >= height || tile.col(j) >= width) continue;
      double *const line = to + tile.row(i) * (2 * width + 3);
      line[tile.col(j)] = static_cast<double>(order(i, j));
      line[width + tile.col(j)] = static_cast<double>(sorted(i, j));
    }
  for (int i = 0; i < few.rows; ++i)
    for (int j = 0; j < few.cols; ++j)
      if (few.row(i) < height && few.col(j) < 3) to[few.row(i) * (2 * width + 3) + 2 * width + few.col(j)] = static_cast<double>(few(i, j));
}

/// Likewise a vector, one element of which every lane asks for.
template <class Direction, class Vector, class Order> KERNEL sort_vector(double *x, int64_t width) {
  TILE_SPACE(Vector);
  using T = typename Vector::Element;
  const tsr::View<double, 1> from{x, {width}};
  double *const to = x + width;
  Vector vector;
  for (int i = 0; i < vector.count; ++i) vector(i) = tsr::to<T>(from.at_or(-77.0, vector.position(i)));
  Order order;
  tsr::argsort<Direction>(order, vector, width, space, at);
  Vector sorted;
  tsr::gather(sorted, vector, order, width, space);
  const T last = tsr::gather(sorted, width - 1, width, space), none = tsr::gather(sorted, width, width, space);
  for (int i = 0; i < vector.count; ++i) {
    if (!vector.owner() || vector.position(i) >= width) continue;
    to[vector.position(i)] = static_cast<double>(order(i));
    to[width + vector.position(i)] = static_cast<double>(sorted(i));
  }
  if (tsr::lane() == 0) {
    to[2 * width] = static_cast<double>(last);
    to[2 * width + 1] = static_cast<double>(none);
  }
}

inline bool same(double a, double b) { return a == b || (a != a && b != b); }

/// A row of a result against a stable sort: the places, and the elements at them.
template <class Direction> std::vector<double> compare_row(const double *keys, const double *found, int64_t width, const char *name) {
  std::vector<int64_t> right(static_cast<size_t>(width));
  for (size_t i = 0; i < right.size(); ++i) right[i] = static_cast<int64_t>(i);
  std::sort(right.begin(), right.end(), [&](int64_t i, int64_t j) { return comes_before<Direction>(keys[i], i, keys[j], j); });
  std::vector<double> sorted;
  for (int64_t i = 0; i < width; ++i) {
    sorted.push_back(keys[right[static_cast<size_t>(i)]]);
    expect(found[i] == static_cast<double>(right[static_cast<size_t>(i)]), name, i);
    expect(same(found[width + i], sorted.back()), name, i);
  }
  return sorted;
}

template <class Direction, class T, int M, int N, class Grid> void tiles(const char *name, int64_t height, int64_t width) {
  const int64_t wide = 2 * width + 3;
  Buffer<double> x(static_cast<size_t>(height * (width + wide)));
  uint32_t random = static_cast<uint32_t>(height * 131 + width) * 2654435761u + 1;
  for (int64_t i = 0; i < height * width; ++i) x[static_cast<size_t>(i)] = number(key<T>(random = random * 1664525u + 1013904223u));
  std::vector<double> before(static_cast<size_t>(height * width));
  for (size_t i = 0; i < before.size(); ++i) before[i] = x[i];
  LAUNCH(Grid::size, (sort_tile<Direction, tsr::Fragment<T, M, N, Grid>, tsr::Fragment<int64_t, M, N, Grid>, tsr::Fragment<T, M, 3, Grid>,
                                tsr::Fragment<int64_t, M, 3, Grid>>), x.device(), height, width);
  x.back();
  for (int64_t row = 0; row < height; ++row) {
    const double *found = &x[static_cast<size_t>(height * width + row * wide)];
    const std::vector<double> sorted = compare_row<Direction>(before.data() + row * width, found, width, name);
    for (int64_t i = 0; i < 3; ++i)
      expect(same(found[2 * width + i], i < width ? sorted[static_cast<size_t>(i)] : 0.0), name, -i);  // 0 where there is none
  }
}

template <class Direction, class T, int N, template <class, int, class> class Vector, class Grid> void vectors(const char *name, int64_t width) {
  Buffer<double> x(static_cast<size_t>(3 * width + 2));
  uint32_t random = static_cast<uint32_t>(width) * 2654435761u + 1;
  std::vector<double> before;
  for (int64_t i = 0; i < width; ++i) before.push_back(x[static_cast<size_t>(i)] = number(key<T>(random = random * 1664525u + 1013904223u)));
  LAUNCH(Grid::size, (sort_vector<Direction, Vector<T, N, Grid>, Vector<int64_t, N, Grid>>), x.device(), width);
  x.back();
  const double *found = &x[static_cast<size_t>(width)];
  const std::vector<double> sorted = compare_row<Direction>(before.data(), found, width, name);
  expect(same(found[2 * width], width > 0 ? sorted.back() : 0.0) && found[2 * width + 1] == 0.0, name, -1);
}

inline void all_tiles() {
  using tsr::Ascending, tsr::Descending, tsr::ColVector, tsr::RowVector;
  for (int64_t width : {1, 2, 3, 31, 32, 33, 47, 48}) {
    tiles<Ascending, float, 16, 48, Lanes<8, 16>>("argsort of a tile", 16, width);
    tiles<Descending, float, 13, 48, Lanes<4, 8>>("argsort of a tile, descending", 11, width);
  }
  tiles<Descending, int32_t, 5, 101, Lanes<6, 8>>("argsort of a tile of i32", 5, 101);
  tiles<Ascending, double, 3, 7, Lanes<1, 32>>("argsort of a tile of f64", 3, 5);
  for (int64_t width : {0, 1, 2, 127, 128, 129, 300}) {
    vectors<Ascending, float, 300, ColVector, Lanes<1, 64>>("argsort of a vector", width);
    vectors<Descending, int32_t, 301, RowVector, Lanes<8, 8>>("argsort of a vector of i32, descending", width);
  }
  vectors<Descending, float, 1, ColVector, Lanes<4, 12>>("argsort of one element", 1);
}

inline void all() {
  all_tiles();
  all_first();
  for (int64_t extent : {0, 1, 2, 3, 5, 31, 32, 33, 64, 127, 251, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4097, 6151}) {
    order<tsr::Ascending, 256, float>("argsort_row of f32", extent);
    order<tsr::Descending, 256, float>("argsort_row of f32, descending", extent);
  }
  for (int64_t extent : {7, 2050, 9001}) {
    order<tsr::Ascending, 64, tsr::bf16>("argsort_row of bf16", extent);
    order<tsr::Descending, 32, tsr::f16>("argsort_row of f16, descending", extent);
    order<tsr::Ascending, 32, double>("argsort_row of f64", extent);
    order<tsr::Descending, 128, int8_t>("argsort_row of i8, descending", extent);
    order<tsr::Ascending, 256, int64_t>("argsort_row of i64", extent);
    order<tsr::Descending, 256, uint8_t>("argsort_row of u8, descending", extent);
    order<tsr::Ascending, 256, tsr::f8e4m3>("argsort_row of f8e4m3", extent);
  }
}

}  // namespace sort_tests
