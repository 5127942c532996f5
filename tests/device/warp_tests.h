// What the lanes of a warp learn of each other, and scans of tiles: against the same in order on the host.
#pragma once
#include "harness.h"
#include "tessera/device/in_order.h"
#include "tessera/device/scan.h"
#include "tessera/device/warp.h"
#include <cmath>
#include <type_traits>

namespace warp_tests {
using harness::Buffer;
using harness::expect;

/// Small floats are combined in a wider dtype: they are only handed on.
template <class T> constexpr bool kCombines = std::is_arithmetic<T>::value;

/// All exchanges of one value of each lane; on the CPU in arrays of all lanes.
template <int Group, class T>
KERNEL exchanges(const T *x, const int64_t *lanes, T *by_number, T *by_bits, T *of_one, T *sum, T *most, uint32_t *ballot, uint8_t *some) {
#if defined(TSR_CPU)
  T mine[Group], got[Group];
  int64_t lane[Group];
  bool positive[Group], any[Group];
  uint32_t bits[Group];
  for (int i = 0; i < Group; ++i) mine[i] = x[i], lane[i] = lanes[i], positive[i] = tsr::to<float>(x[i]) > 0;
  auto keep = [&](T *to) {
    for (int i = 0; i < Group; ++i) to[i] = got[i];
  };
  tsr::warp_shuffle(got, mine, lane), keep(by_number);
  tsr::warp_shuffle_xor(got, mine, lane), keep(by_bits);
  for (int i = 0; i < Group; ++i) got[i] = mine[i];
  tsr::warp_shuffle(got, got, int64_t(3)), keep(of_one);  // in place
  if constexpr (kCombines<T>) {
    tsr::warp_reduce<tsr::Sum>(got, mine), keep(sum);
    tsr::warp_reduce<tsr::Max>(got, mine), keep(most);
  }
  tsr::warp_ballot(bits, positive);
  tsr::warp_reduce<tsr::Any>(any, positive);
  for (int i = 0; i < Group; ++i) ballot[i] = bits[i], some[i] = any[i];
#else
  const int i = tsr::lane();
  const T mine = x[i];
  by_number[i] = tsr::warp_shuffle(mine, lanes[i]);
  by_bits[i] = tsr::warp_shuffle_xor(mine, lanes[i]);
  of_one[i] = tsr::warp_shuffle(mine, 3);
  if constexpr (kCombines<T>) {
    sum[i] = tsr::warp_reduce<tsr::Sum>(mine);
    most[i] = tsr::warp_reduce<tsr::Max>(mine);
  }
  ballot[i] = tsr::warp_ballot(tsr::to<float>(mine) > 0);
  some[i] = tsr::warp_reduce<tsr::Any>(tsr::to<float>(mine) > 0);
#endif
}

template <int Group, class T> void exchange(const char *name) {
  Buffer<T> x(Group), by_number(Group), by_bits(Group), of_one(Group), sum(Group), most(Group);
  Buffer<int64_t> lanes(Group);
  Buffer<uint32_t> ballot(Group);
  Buffer<uint8_t> some(Group);
  for (int i = 0; i < Group; ++i) {
    x[i] = tsr::to<T>(static_cast<float>((i * 37) % 29 - (i / 32 == 1 ? 40 : 11)));  // nothing in the second warp is positive
    lanes[i] = (i * 13 + 5) % 71 - 20;
  }
  LAUNCH(Group, (exchanges<Group, T>), x.device(), lanes.device(), by_number.device(), by_bits.device(), of_one.device(), sum.device(),
         most.device(), ballot.device(), some.device());
  by_number.back(), by_bits.back(), of_one.back(), sum.back(), most.back(), ballot.back(), some.back();
  auto number = [](T value) { return static_cast<double>(tsr::to<float>(value)); };
  for (int i = 0; i < Group; ++i) {
    const int first = i / 32 * 32;
    const int64_t at = lanes[i];
    double total = 0, largest = -INFINITY;
    uint32_t bits = 0;
    for (int l = 0; l < 32; ++l) {
      total += number(x[first + l]);
      largest = std::fmax(largest, number(x[first + l]));
      bits |= number(x[first + l]) > 0 ? 1u << l : 0u;
    }
    expect(number(by_number[i]) == number(x[first + (at % 32 + 32) % 32]), name, i);
    expect(number(by_bits[i]) == number(x[first + ((i ^ at) % 32 + 32) % 32]), name, i);
    expect(number(of_one[i]) == number(x[first + 3]), name, i);
    if constexpr (kCombines<T>) expect(number(sum[i]) == total && number(most[i]) == largest, name, i);  // whole numbers: exact
    expect(ballot[i] == bits && (some[i] != 0) == (bits != 0), name, i);
  }
}

#if !defined(TSR_CPU)
/// Every warp takes from counters of its own, several times.
template <int Group, int Bits> KERNEL takes(const int64_t *which, int32_t *taken, int turns) {
  SHARED int32_t counters[Group / 32][1 << Bits];
  const int i = tsr::lane();
  for (int at = i; at < Group / 32 * (1 << Bits); at += Group) counters[at >> Bits][at & ((1 << Bits) - 1)] = 0;
  tsr::group_barrier();
  for (int turn = 0; turn < turns; ++turn) {
    const int64_t own = which[turn * Group + i];
    taken[turn * Group + i] = tsr::take_in_order<Bits>(counters[i / 32][own], own);
  }
}

/// `Kinds` counters are in use: as if the lanes of each warp came one after the other.
template <int Group, int Bits, int Kinds> void take(const char *name) {
  constexpr int turns = 5;
  Buffer<int64_t> which(turns * Group);
  Buffer<int32_t> taken(turns * Group);
  for (int i = 0; i < turns * Group; ++i) which[i] = (i * 2654435761u >> 7) % Kinds;
  LAUNCH(Group, (takes<Group, Bits>), which.device(), taken.device(), turns);
  taken.back();
  for (int warp = 0; warp < Group / 32; ++warp) {
    std::vector<int32_t> counters(1 << Bits);
    for (int turn = 0; turn < turns; ++turn)
      for (int at = turn * Group + warp * 32; at < turn * Group + warp * 32 + 32; ++at) expect(taken[at] == counters[which[at]]++, name, at);
  }
}
#endif

template <class Op, int Axis, class Tile> KERNEL scan_tile(float *x, int64_t height, int64_t width) {
#if !defined(TSR_CPU)
  SHARED float space[tsr::tile_elements<Tile>];
#else
  float *space = nullptr;
#endif
  const tsr::View<float, 2> view{x, {height, width}};
  Tile tile, scanned;
  tsr::load_fragment(tile, view, 0, 0);
  tsr::scan<Op, Axis>(scanned, tile, space);
  tsr::scan<Op, Axis>(tile, tile, space);  // in place, with the same memory
  for (int i = 0; i < tile.rows; ++i)
    for (int j = 0; j < tile.cols; ++j)
      if (tile.holds(i, j) && tile(i, j) != scanned(i, j)) scanned(i, j) = NAN;
  tsr::store_fragment(view, scanned, 0, 0);
}

template <class Op, class Vector> KERNEL scan_vector(float *x, int64_t count) {
#if !defined(TSR_CPU)
  SHARED float space[tsr::tile_elements<Vector>];
#else
  float *space = nullptr;
#endif
  const tsr::View<float, 1> view{x, {count}};
  Vector vector, scanned;
  tsr::load_fragment(vector, view, 0);
  tsr::scan<Op, 0>(scanned, vector, space);
  tsr::store_fragment(view, scanned, 0);
}

/// A line against the same on the host, in f64: sums of a few hundred numbers below 1 lose little.
template <class Op> void compare(Buffer<float> &got, const std::vector<float> &x, int count, int step, int first, const char *name) {
  double value = 0;
  for (int i = 0; i < count; ++i) {
    const int at = first + i * step;
    value = i == 0 ? x[at] : Op::combine(value, static_cast<double>(x[at]));
    expect(std::fabs(got[at] - value) <= 1e-5 * std::fmax(1.0, std::fabs(value)), name, at);
  }
}

template <class Op, int Axis, int M, int N, class Grid> void scans(const char *name) {
  Buffer<float> x(M * N);
  std::vector<float> before(M * N);
  for (int i = 0; i < M * N; ++i) before[i] = x[i] = static_cast<float>((i * 7919) % 1009) / 1009.0f - 0.4f;
  LAUNCH(Grid::size, (scan_tile<Op, Axis, tsr::Fragment<float, M, N, Grid>>), x.device(), M, N);
  x.back();
  for (int line = 0; line < (Axis == 1 ? M : N); ++line)
    compare<Op>(x, before, Axis == 1 ? N : M, Axis == 1 ? 1 : N, Axis == 1 ? line * N : line, name);
}

template <class Op, int N, template <class, int, class> class Vector, class Grid> void vectors(const char *name) {
  Buffer<float> x(N);
  std::vector<float> before(N);
  for (int i = 0; i < N; ++i) before[i] = x[i] = static_cast<float>((i * 7919) % 1009) / 1009.0f - 0.4f;
  LAUNCH(Grid::size, (scan_vector<Op, Vector<float, N, Grid>>), x.device(), N);
  x.back();
  compare<Op>(x, before, N, 1, 0, name);
}

template <int Count, class T> KERNEL turn_around(const T *x, T *y) {
  const auto v = tsr::load_neighbours<Count>(x);
  tsr::Vector<T, Count> turned;
  for (int i = 0; i < Count; ++i) turned(i) = v(Count - 1 - i);
  if (tsr::lane() == 0) tsr::store_neighbours(y, turned);
}

/// At each distance from an aligned address.
template <int Count, class T> void neighbours(const char *name) {
  for (size_t shift = 0; shift < Count; ++shift) {
    Buffer<T> x(Count, shift), y(Count, Count - 1 - shift);
    for (int i = 0; i < Count; ++i) x[i] = static_cast<T>(i * i + 1);
    LAUNCH(32, (turn_around<Count, T>), x.device(), y.device());
    y.back();
    for (int i = 0; i < Count; ++i) expect(y[i] == x[Count - 1 - i], name, static_cast<long long>(shift));
  }
}

inline void all() {
#if !defined(TSR_CPU)
  take<256, 9, 257>("counters of digits taken in order");
  take<64, 3, 1>("one counter taken in order");
  take<32, 1, 2>("two counters taken in order");
#endif
  exchange<32, float>("exchanges of f32");
  exchange<96, double>("exchanges of f64");
  exchange<256, tsr::f16>("exchanges of f16");
  exchange<64, int32_t>("exchanges of i32");
  exchange<64, int16_t>("exchanges of i16");
  scans<tsr::Sum, 1, 32, 64, Lanes<8, 16>>("scan of rows");
  scans<tsr::Sum, 0, 32, 64, Lanes<8, 16>>("scan of columns");
  scans<tsr::Max, 1, 19, 37, Lanes<8, 32>>("scan of rows, odd sizes");
  scans<tsr::Min, 0, 19, 37, Lanes<8, 32>>("scan of columns, odd sizes");
  scans<tsr::Sum, 1, 5, 130, Lanes<6, 8>>("scan of rows by part of a warp");
  scans<tsr::Sum, 0, 5, 130, Lanes<6, 8>>("scan of columns by part of a warp");
  vectors<tsr::Sum, 1, tsr::ColVector, Lanes<1, 64>>("scan of one element");
  vectors<tsr::Sum, 300, tsr::ColVector, Lanes<1, 64>>("scan of a row of columns");
  vectors<tsr::Sum, 45, tsr::RowVector, Lanes<8, 8>>("scan of a column of rows");
  vectors<tsr::Max, 33, tsr::ColVector, Lanes<4, 12>>("scan by part of a warp");
  neighbours<4, float>("neighbours of f32");
  neighbours<2, double>("neighbours of f64");
  neighbours<8, uint16_t>("neighbours of 16 bits");
  neighbours<16, int8_t>("neighbours of 8 bits");
}

}  // namespace warp_tests
