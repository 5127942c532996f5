// Products by the matrix instructions of a warpgroup (wgmma, NVIDIA GPUs from sm_90a).
//
//   dot(acc, a, b)      acc += a * b; `acc` a Fragment in the layout MmaGrid<4 * warpgroups, 1>, `b` a SharedTile in
//                       Panels or a transposed() one, `a` too, or a Fragment in the layout of `acc`
//   product(acc, a, b)  acc = a * b, whatever was in `acc`
//   begin_dot, begin_product ... finish_products()   the same, with something to do between them
//   finish_earlier_products()   all but the latest of those that have begun
//   scale_rows(acc, scale)   acc(i, j) *= scale(i), where some scale is not 1
//   read_shared(to, tile)    a tile in the layout of a left operand in registers, two neighbours at a time
//   convert(to, from)        to = from, element by element, in the layout of a left operand
//   read_pairs_of_rows(to, tile)   bytes that lie the other way, in bf16; order_rows(acc) puts the rows of their sums in order
//
// Operands of 16 bits (bf16, f16) may lie either way, and `a` may be in registers. Those of 8 bits (e4m3 and e5m2, added up
// in f32; int8 and uint8, in i32) and tf32 are read along k alone: `a` as M x K, `b` as transposed() N x K.
//
// An instruction multiplies 64 rows of `a` by up to 256 columns of `b`, both read from shared memory (64 rows of `a` also
// from registers) by the tensor cores themselves. Where an element of the sums is: PTX ISA, "Register Fragments for
// wgmma.mma_async.m64nNk16"; it is the layout of mma.sync, with 16 rows to each warp, so that all that works on MmaGrid
// works here. How an operand lies in shared memory is in a descriptor: PTX ISA, "Matrix Descriptor Format".
#pragma once
#include "tessera/device/cuda/panels.h"
#include "tessera/device/mma.h"

#if defined(TSR_CUDA)
namespace tsr {
namespace detail {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define TSR_WGMMA_HERE 1
#endif

/// Text for sm_90a that nvcc compiled for another machine stops: no result is better than a wrong one.
TSR_DEVICE void needs_sm_90a() {
#if defined(__CUDA_ARCH__) && !defined(TSR_WGMMA_HERE)
  __trap();
#endif
}

/// Sums and operands in registers were written by ordinary instructions before the batch of products that follows.
TSR_DEVICE void wgmma_fence() {
#if defined(TSR_WGMMA_HERE)
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
TSR_DEVICE void wgmma_commit() {
#if defined(TSR_WGMMA_HERE)
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
/// Waits until at most `Pending` batches of products of this warpgroup are under way.
template <int Pending> TSR_DEVICE void wgmma_wait() {
#if defined(TSR_WGMMA_HERE)
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
#endif
}

/// Where a matrix lies in shared memory: rows of 128 bytes, swizzled in groups of eight; `panel_bytes` from one panel of
/// 128 bytes to the next (read where the instruction goes over several panels).
TSR_DEVICE uint64_t matrix_descriptor(const void *at, int panel_bytes) {
  constexpr uint64_t swizzle_128 = uint64_t(1) << 62, eight_rows = uint64_t(1024 / 16) << 32;
  const uint64_t address = static_cast<uint64_t>(__cvta_generic_to_shared(at));
  return swizzle_128 | eight_rows | uint64_t((panel_bytes / 16) & 0x3fff) << 16 | ((address & 0x3ffff) >> 4);
}

/// The descriptor of what lies `bytes` further on, a multiple of 16. Addresses end below 2^18: nothing is carried out of
/// the low word, and one addition of 32 bits does it.
TSR_DEVICE uint64_t further(uint64_t descriptor, int bytes) {
  return (descriptor & 0xffffffff00000000u) | (static_cast<uint32_t>(descriptor) + static_cast<uint32_t>(bytes / 16));
}

/// An operand in shared memory: its descriptor, and the bytes from there to its part that begins at row or column `across`
/// of the result and at instruction `step` along k.
template <class Tile, bool AlongK> struct PanelOperand;
// k runs along the rows of the tile.
template <class E, int R, int C> struct PanelOperand<SharedTile<E, R, C, Panels>, true> {
  static constexpr bool k_major = true;
  static TSR_DEVICE uint64_t descriptor(const SharedTile<E, R, C, Panels> &tile) { return matrix_descriptor(tile.element, 16); }
  static TSR_DEVICE int offset(int across, int step) {
    constexpr int steps = 4;  // of 32 bytes in a panel
    return step / steps * R * 128 + across * 128 + step % steps * 32;
  }
};
// k runs down the columns: an instruction reads 16 rows.
template <class E, int R, int C> struct PanelOperand<SharedTile<E, R, C, Panels>, false> {
  static_assert(sizeof(E) == 2, "only operands of 16 bits can be read along their other axis");
  static constexpr bool k_major = false;
  static TSR_DEVICE uint64_t descriptor(const SharedTile<E, R, C, Panels> &tile) { return matrix_descriptor(tile.element, R * 128); }
  static TSR_DEVICE int offset(int across, int step) { return across / 64 * R * 128 + step * 16 * 128; }
};

template <class A> struct LeftOperand;
template <class E, int M, int K> struct LeftOperand<SharedTile<E, M, K, Panels>> : PanelOperand<SharedTile<E, M, K, Panels>, true> {
  static constexpr int height = M, depth = K;
  static TSR_DEVICE const auto &tile(const SharedTile<E, M, K, Panels> &a) { return a; }
};
template <class E, int K, int M> struct LeftOperand<Transposed<SharedTile<E, K, M, Panels>>> : PanelOperand<SharedTile<E, K, M, Panels>, false> {
  static constexpr int height = M, depth = K;
  static TSR_DEVICE const auto &tile(const Transposed<SharedTile<E, K, M, Panels>> &a) { return a.tile; }
};
template <class B> struct RightOperand;
template <class E, int K, int N> struct RightOperand<SharedTile<E, K, N, Panels>> : PanelOperand<SharedTile<E, K, N, Panels>, false> {
  static constexpr int width = N, depth = K;
  static TSR_DEVICE const auto &tile(const SharedTile<E, K, N, Panels> &b) { return b; }
};
template <class E, int N, int K> struct RightOperand<Transposed<SharedTile<E, N, K, Panels>>> : PanelOperand<SharedTile<E, N, K, Panels>, true> {
  static constexpr int width = N, depth = K;
  static TSR_DEVICE const auto &tile(const Transposed<SharedTile<E, N, K, Panels>> &b) { return b.tile; }
};

// The registers of an instruction, in its order: number i is sum (2 * block + i / 2 % 2, first + i / 4 * 2 + i % 2).
// `way`: "+f" or "+r", by the type of the sums.
#define TSR_SUM(way, i) way(acc.element[2 * block + (i) / 2 % 2][first + (i) / 4 * 2 + (i) % 2])
#define TSR_SUMS_4(way, i) TSR_SUM(way, i), TSR_SUM(way, i + 1), TSR_SUM(way, i + 2), TSR_SUM(way, i + 3)
#define TSR_SUMS_8(way, i) TSR_SUMS_4(way, i), TSR_SUMS_4(way, i + 4)
#define TSR_SUMS_16(way, i) TSR_SUMS_8(way, i), TSR_SUMS_8(way, i + 8)
#define TSR_SUMS_32(way, i) TSR_SUMS_16(way, i), TSR_SUMS_16(way, i + 16)
#define TSR_SUMS_48(way, i) TSR_SUMS_32(way, i), TSR_SUMS_16(way, i + 32)
#define TSR_SUMS_64(way, i) TSR_SUMS_32(way, i), TSR_SUMS_32(way, i + 32)
#define TSR_SUMS_96(way, i) TSR_SUMS_64(way, i), TSR_SUMS_32(way, i + 64)
#define TSR_SUMS_128(way, i) TSR_SUMS_64(way, i), TSR_SUMS_64(way, i + 64)
#define TSR_NAMES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define TSR_NAMES_16 TSR_NAMES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define TSR_NAMES_32 TSR_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TSR_NAMES_48 TSR_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define TSR_NAMES_64 TSR_NAMES_48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TSR_NAMES_96 TSR_NAMES_64 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82" \
  ", %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define TSR_NAMES_128 TSR_NAMES_96 \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// sums = (Add ? sums : 0) + left * right for 64 rows and `columns` columns; `a` to `g`: the numbers of the operands after the
// sums. An operand in shared memory is its descriptor and, for 16 bits, whether it is read along its other axis; `signs`:
// ", 1, 1", the signs of the operands, where the instruction has them.
#define TSR_WGMMA(columns, types, way, count, operands, add, rest, ...)                                                \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " add ", 0;\n"                                                     \
               "wgmma.mma_async.sync.aligned.m64n" #columns types " {" TSR_NAMES_##count "}, " operands ", add" rest ";\n}" \
               : TSR_SUMS_##count(way, 0)                                                                              \
               : __VA_ARGS__, "n"(Add))
#define TSR_WGMMA_SHARED(columns, types, count, a, b, c, d, e)                                                         \
  TSR_WGMMA(columns, types, "+f", count, a ", " b, e, ", 1, 1, " c ", " d, "l"(left), "l"(right), "n"(TurnLeft), "n"(TurnRight))
#define TSR_WGMMA_ALONG_K(columns, types, way, signs, count, a, b, c)                                                  \
  TSR_WGMMA(columns, types, way, count, a ", " b, c, signs, "l"(left), "l"(right))
#define TSR_WGMMA_REGISTERS(columns, types, count, a, b, c, d, e, f, g)                                                \
  TSR_WGMMA(columns, types, "+f", count, "{" a ", " b ", " c ", " d "}, " e, g, ", 1, 1, " f, "r"(left[0]), "r"(left[1]),   \
            "r"(left[2]), "r"(left[3]), "l"(right), "n"(TurnRight))

/// One instruction on `Columns` columns of the sums, from `first` of a lane's on, and the `block`-th 64 rows.
template <int Columns> struct Wgmma;
#define TSR_DEFINE_WGMMA(columns, count, a, b, c, d, e, f, g)                                                          \
  template <> struct Wgmma<columns> {                                                                                  \
    template <class E, bool Add, bool TurnLeft, bool TurnRight, class Sums>                                            \
    static TSR_DEVICE void multiply(Sums &acc, int block, int first, uint64_t left, uint64_t right) {                  \
      if constexpr (std::is_same<E, bf16>::value)                                                                      \
        TSR_WGMMA_SHARED(columns, "k16.f32.bf16.bf16", count, a, b, c, d, e);                                          \
      else if constexpr (std::is_same<E, f16>::value)                                                                  \
        TSR_WGMMA_SHARED(columns, "k16.f32.f16.f16", count, a, b, c, d, e);                                            \
      else if constexpr (std::is_same<E, tf32>::value)                                                                 \
        TSR_WGMMA_ALONG_K(columns, "k8.f32.tf32.tf32", "+f", ", 1, 1", count, a, b, c);                                \
      else if constexpr (std::is_same<E, f8e4m3>::value)                                                               \
        TSR_WGMMA_ALONG_K(columns, "k32.f32.e4m3.e4m3", "+f", ", 1, 1", count, a, b, c);                               \
      else if constexpr (std::is_same<E, f8e5m2>::value)                                                               \
        TSR_WGMMA_ALONG_K(columns, "k32.f32.e5m2.e5m2", "+f", ", 1, 1", count, a, b, c);                               \
      else if constexpr (std::is_same<E, int8_t>::value)                                                               \
        TSR_WGMMA_ALONG_K(columns, "k32.s32.s8.s8", "+r", "", count, a, b, c);                                         \
      else                                                                                                             \
        TSR_WGMMA_ALONG_K(columns, "k32.s32.u8.u8", "+r", "", count, a, b, c);                                         \
    }                                                                                                                  \
    template <class E, bool Add, bool TurnRight, class Sums>                                                           \
    static TSR_DEVICE void multiply(Sums &acc, int block, int first, const uint32_t (&left)[4], uint64_t right) {      \
      if constexpr (std::is_same<E, bf16>::value)                                                                      \
        TSR_WGMMA_REGISTERS(columns, "k16.f32.bf16.bf16", count, a, b, c, d, e, f, g);                                 \
      else                                                                                                             \
        TSR_WGMMA_REGISTERS(columns, "k16.f32.f16.f16", count, a, b, c, d, e, f, g);                                   \
    }                                                                                                                  \
  };
#if defined(TSR_WGMMA_HERE)
TSR_DEFINE_WGMMA(16, 8, "%8", "%9", "%10", "%11", "%12", "%13", "%14")
TSR_DEFINE_WGMMA(32, 16, "%16", "%17", "%18", "%19", "%20", "%21", "%22")
TSR_DEFINE_WGMMA(64, 32, "%32", "%33", "%34", "%35", "%36", "%37", "%38")
TSR_DEFINE_WGMMA(96, 48, "%48", "%49", "%50", "%51", "%52", "%53", "%54")
TSR_DEFINE_WGMMA(128, 64, "%64", "%65", "%66", "%67", "%68", "%69", "%70")
TSR_DEFINE_WGMMA(192, 96, "%96", "%97", "%98", "%99", "%100", "%101", "%102")
TSR_DEFINE_WGMMA(256, 128, "%128", "%129", "%130", "%131", "%132", "%133", "%134")
#endif
#undef TSR_DEFINE_WGMMA
#undef TSR_WGMMA_REGISTERS
#undef TSR_WGMMA_ALONG_K
#undef TSR_WGMMA_SHARED
#undef TSR_WGMMA

/// The widest instruction for so many columns that are left.
TSR_INLINE constexpr int wgmma_columns(int left) {
  return left >= 256 ? 256 : left >= 192 ? 192 : left >= 128 ? 128 : left >= 96 ? 96 : left >= 64 ? 64 : left >= 32 ? 32 : 16;
}

/// Columns `Begin` to N of the sums, one instruction after the other. `right`: the descriptor of the right operand.
template <int Begin, int N, class E, bool Add, bool TurnLeft, class Right, class Sums, class Left>
TSR_DEVICE void multiply_columns(Sums &acc, int block, int step, const Left &left, uint64_t right) {
  if constexpr (Begin < N) {
    constexpr int columns = wgmma_columns(N - Begin);
#if defined(TSR_WGMMA_HERE)
    const uint64_t part = further(right, Right::offset(Begin, step));
    if constexpr (std::is_same<Left, uint64_t>::value)
      Wgmma<columns>::template multiply<E, Add, TurnLeft, !Right::k_major>(acc, block, Begin / 4, left, part);
    else
      Wgmma<columns>::template multiply<E, Add, !Right::k_major>(acc, block, Begin / 4, left, part);
#endif
    multiply_columns<Begin + columns, N, E, Add, TurnLeft, Right>(acc, block, step, left, right);
  }
}
/// All columns; where `writes`, the sums are the products of this step alone, whatever they were.
template <int N, class E, bool TurnLeft, class Right, class Sums, class Left>
TSR_DEVICE void multiply_step(Sums &acc, int block, int step, bool writes, const Left &left, uint64_t right) {
  if (writes) multiply_columns<0, N, E, false, TurnLeft, Right>(acc, block, step, left, right);
  else multiply_columns<0, N, E, true, TurnLeft, Right>(acc, block, step, left, right);
}

/// The number of this lane's warpgroup, among those that share a tile of so many warps: a single one has the tile for itself.
template <int WarpRows> TSR_DEVICE int warpgroup_of() {
  return WarpRows == 4 ? 0 : __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0);
}

template <class E> constexpr bool is_float8 = std::is_same<E, f8e4m3>::value || std::is_same<E, f8e5m2>::value;
template <class E> constexpr bool is_byte = std::is_same<E, int8_t>::value || std::is_same<E, uint8_t>::value;
/// Sums of products of E are of type T.
template <class E, class T>
constexpr bool adds_up_in = is_byte<E> ? std::is_same<T, int32_t>::value
                                       : std::is_same<T, float>::value && (sizeof(E) == 2 || std::is_same<E, tf32>::value || is_float8<E>);

/// Begins acc = (Add ? acc : 0) + a * b, k ascending in steps of one instruction; wgmma_wait() ends it.
template <bool Add, class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void begin_dot(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b) {
  using E = typename A::Element;
  using Right = RightOperand<B>;
  needs_sm_90a();
  static_assert(adds_up_in<E, T>, "16 bits, tf32 and 8-bit floats are added up in f32, other bytes in i32");
  static_assert(std::is_same<E, typename B::Element>::value, "operands of one type");
  static_assert(WarpRows % 4 == 0 && M % (16 * WarpRows) == 0 && N % 16 == 0, "whole instructions");
  constexpr int blocks = M / (16 * WarpRows), steps = Right::depth / kMmaDepth<E>;
  static_assert(Right::width == N && Right::depth % kMmaDepth<E> == 0, "acc is M x N, b is K x N");
  const uint64_t right = Right::descriptor(Right::tile(b));
  if constexpr (InRegisters<A>::value) {
    static_assert(A::height == M && A::width == Right::depth, "acc is M x N, a is M x K, b is K x N");
    uint32_t left[steps][blocks][4];  // all of it before the first instruction: between them no register may be written
    TSR_UNROLL
    for (int step = 0; step < steps; ++step) {
      TSR_UNROLL
      for (int block = 0; block < blocks; ++block) load_left(left[step][block], a, block, step);
    }
    wgmma_fence();
    TSR_UNROLL
    for (int step = 0; step < steps; ++step) {
      TSR_UNROLL
      for (int block = 0; block < blocks; ++block)
        multiply_step<N, E, false, Right>(acc, block, step, !Add && step == 0, left[step][block], right);
    }
  } else {
    using Left = LeftOperand<A>;
    static_assert(Left::height == M && Left::depth == Right::depth, "acc is M x N, a is M x K, b is K x N");
    // Asked once: between two instructions a shuffle would hold the second up.
    const uint64_t own = further(Left::descriptor(Left::tile(a)), warpgroup_of<WarpRows>() * Left::offset(64, 0));
    wgmma_fence();
    TSR_UNROLL
    for (int step = 0; step < steps; ++step) {
      TSR_UNROLL
      for (int block = 0; block < blocks; ++block) {
        const uint64_t left = further(own, Left::offset(block * (WarpRows / 4) * 64, step));
        multiply_step<N, E, !Left::k_major, Right>(acc, block, step, !Add && step == 0, left, right);
      }
    }
  }
  wgmma_commit();
}

/// The widest part of N columns, at most 128 and whole instructions, of which all are equal.
TSR_INLINE constexpr int part_columns(int n) {
  int width = n < 128 ? n : 128;
  while (n % width != 0) width -= 16;
  return width;
}

/// acc += a * b for floats of 8 bits. The tensor cores of sm_90 keep only about 14 bits of the sums of such products, so they
/// add up 128 elements along k and no more; those sums are added to `acc` in f32. A part of 64 rows and at most 128 columns at
/// a time takes 64 more registers; while one warpgroup adds, another has the tensor cores.
template <int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void dot_in_parts(Fragment<float, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b) {
  using E = typename A::Element;
  using Left = LeftOperand<A>;
  using Right = RightOperand<B>;
  needs_sm_90a();
  static_assert(std::is_same<E, typename B::Element>::value, "operands of one type");
  static_assert(WarpRows % 4 == 0 && M % (16 * WarpRows) == 0 && N % 16 == 0, "whole instructions");
  static_assert(Left::height == M && Left::depth == Right::depth && Right::width == N, "acc is M x N, a is M x K, b is K x N");
  static_assert(Right::depth % kMmaDepth<E> == 0, "whole instructions");
  constexpr int width = part_columns(N), steps = Right::depth / kMmaDepth<E>, together = 128 / kMmaDepth<E>;
  const uint64_t own = further(Left::descriptor(Left::tile(a)), warpgroup_of<WarpRows>() * Left::offset(64, 0));
  const uint64_t right = Right::descriptor(Right::tile(b));
  Fragment<float, 16 * WarpRows, width, MmaGrid<WarpRows, 1>> part;
  TSR_UNROLL
  for (int block = 0; block < M / (16 * WarpRows); ++block) {
    TSR_UNROLL
    for (int first = 0; first < steps; first += together) {
      TSR_UNROLL
      for (int col = 0; col < N; col += width) {
        wgmma_fence();
        TSR_UNROLL
        for (int step = first; step < first + together && step < steps; ++step)
          multiply_step<width, E, false, Right>(part, 0, step, step == first, further(own, Left::offset(block * (WarpRows / 4) * 64, step)),
                                                further(right, Right::offset(col, 0)));
        wgmma_commit();
        wgmma_wait<0>();
        TSR_UNROLL
        for (int i = 0; i < part.rows; ++i) {
          TSR_UNROLL
          for (int j = 0; j < part.cols; ++j) acc.element[2 * block + i][col / 4 + j] += part.element[i][j];
        }
      }
    }
  }
}

/// Begins acc = (Add ? acc : 0) + a * b; sums of floats of 8 bits are done when it returns, unless they are `Fast`.
template <bool Add, bool Fast = false, class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void begin_by_warpgroups(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b) {
  if constexpr (is_float8<typename A::Element> && !Fast) {
    if constexpr (!Add) acc = Fragment<T, M, N, MmaGrid<WarpRows, 1>>(T(0));
    dot_in_parts(acc, a, b);
  } else {
    begin_dot<Add>(acc, a, b);
  }
}

}  // namespace detail

/// acc (M x N) += a (M x K) * b (K x N). All lanes of the warpgroups take part.
template <class T, int M, int N, int WarpRows, class A, class E, int K>
TSR_DEVICE void dot(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const SharedTile<E, K, N, Panels> &b) {
  detail::begin_by_warpgroups<true>(acc, a, b);
  detail::wgmma_wait<0>();
}
template <class T, int M, int N, int WarpRows, class A, class E, int K>
TSR_DEVICE void dot(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const Transposed<SharedTile<E, N, K, Panels>> &b) {
  detail::begin_by_warpgroups<true>(acc, a, b);
  detail::wgmma_wait<0>();
}

/// acc (M x N) = a (M x K) * b (K x N), whatever was in acc.
template <class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void product(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b) {
  detail::begin_by_warpgroups<false>(acc, a, b);
  detail::wgmma_wait<0>();
}

/// The same, which the tensor cores have only begun: until finish_products() `acc` holds nothing, and `a` and `b` stay.
template <class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void begin_dot(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b) {
  detail::begin_by_warpgroups<true>(acc, a, b);
}
template <class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void begin_product(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b) {
  detail::begin_by_warpgroups<false>(acc, a, b);
}

/// Behind the operands of a product: its sums stay in the tensor cores, which keep about 14 bits of those of floats of 8 bits.
struct FastSums {};
template <class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void begin_dot(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b, FastSums) {
  detail::begin_by_warpgroups<true, true>(acc, a, b);
}
template <class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void begin_product(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b, FastSums) {
  detail::begin_by_warpgroups<false, true>(acc, a, b);
}
template <class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void dot(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b, FastSums fast) {
  begin_dot(acc, a, b, fast);
  detail::wgmma_wait<0>();
}
template <class T, int M, int N, int WarpRows, class A, class B>
TSR_DEVICE void product(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const A &a, const B &b, FastSums fast) {
  begin_product(acc, a, b, fast);
  detail::wgmma_wait<0>();
}

TSR_DEVICE void finish_products() { detail::wgmma_wait<0>(); }
/// All but the latest: the tensor cores go on while its operands' stage stays, and the sums hold nothing yet.
TSR_DEVICE void finish_earlier_products() { detail::wgmma_wait<1>(); }

/// to = tile, each lane its elements: what left operands in registers are computed from. A lane's address in a row of a panel
/// changes with the row's last three bits alone, which are the same for all of its rows: one operation for 16 bytes of it.
/// Of a wider tile, its columns from `begin` on: whole panels.
template <class T, int M, int N, int Width, int WarpRows>
TSR_DEVICE void read_shared(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &to, const SharedTile<T, M, Width, Panels> &tile, int64_t begin) {
  static_assert(N == Width || N % SharedTile<T, M, Width, Panels>::panel_cols == 0, "whole panels");
  using Grid = MmaGrid<WarpRows, 1>;
  constexpr unsigned size = sizeof(T);
  const unsigned at = static_cast<unsigned>(lane()) % kRowLanes, row = at / 4;
  const unsigned within = (at % 4 * 2 * size) ^ (row * 16);
  const char *const own = reinterpret_cast<const char *>(tile.element) + static_cast<unsigned>(begin * size / 128 * (M * 128)) +
                          (static_cast<unsigned>(Grid::warp_row()) * 16 + row) * 128;
  TSR_UNROLL
  for (unsigned i = 0; i < static_cast<unsigned>(to.rows); ++i) {
    TSR_UNROLL
    for (unsigned j = 0; j < static_cast<unsigned>(to.cols); j += 2) {
      const unsigned first = (j / 4 * 16 + j / 2 % 2 * 8) * size, chunk = first % 128 / 16 * 16, rest = first % 16;
      const unsigned from = first / 128 * (M * 128) + (i / 2 * Grid::row_step + i % 2 * 8) * 128 + rest;
      const char *const place = own + from + (within ^ chunk);
      if constexpr (size == 1) {  // as one number, of which conversions take both bytes
        const unsigned both = *reinterpret_cast<const uint16_t *>(place);
        to(i, j) = bit_cast<T>(static_cast<uint8_t>(both));
        to(i, j + 1) = bit_cast<T>(static_cast<uint8_t>(both >> 8));
      } else {
        const auto pair = *reinterpret_cast<const detail::Chunk<T, 2 * static_cast<int>(size)> *>(place);
        to(i, j) = pair.element[0];
        to(i, j + 1) = pair.element[1];
      }
    }
  }
}
template <class T, int M, int N, int WarpRows>
TSR_DEVICE void read_shared(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &to, const SharedTile<T, M, N, Panels> &tile) {
  read_shared(to, tile, 0);
}
/// The same of a tile that lies the other way: neighbours of a row are in neighbouring rows of the panel.
template <class T, int M, int N, int WarpRows>
TSR_DEVICE void read_shared(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &to, const Transposed<SharedTile<T, N, M, Panels>> &turned) {
  using Grid = MmaGrid<WarpRows, 1>;
  constexpr unsigned size = sizeof(T), panel = 128 / size;
  const unsigned at = static_cast<unsigned>(lane()) % kRowLanes, down = at % 4 * 2, across = static_cast<unsigned>(Grid::warp_row()) * 16;
  const char *const own = reinterpret_cast<const char *>(turned.tile.element) + down * 128;
  TSR_UNROLL
  for (unsigned i = 0; i < static_cast<unsigned>(to.rows); ++i) {
    const unsigned col = across + i / 2 * Grid::row_step + i % 2 * 8 + at / 4;
    const char *const start = own + col / panel * (N * 128);
    TSR_UNROLL
    for (unsigned odd = 0; odd < 2; ++odd) {
      const char *const line = start + (col % panel * size ^ (down + odd) * 16) + odd * 128;
      TSR_UNROLL
      for (unsigned j = odd; j < static_cast<unsigned>(to.cols); j += 2)
        to(i, j) = *reinterpret_cast<const T *>(line + (j / 4 * 16 + j / 2 % 2 * 8) * 128);
    }
  }
}

/// to = from, rounded to the nearest, even where two are as near.
template <class T, class F, int M, int N, int WarpRows>
TSR_DEVICE void convert(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &to_, const Fragment<F, M, N, MmaGrid<WarpRows, 1>> &from) {
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < from.cols; ++j) to_(i, j) = to<T>(from(i, j));
  }
}
namespace detail {

/// Two bytes in bf16, from the bits of each behind those of 0x43: the machine converts integers at a sixteenth of the speed at which it
/// adds. With the low seven bits l and the sign s of a byte, 128 + l and 128 + 128 s are numbers of bf16 whose bits these are, and their
/// difference is the byte, exactly.
TSR_DEVICE uint32_t bytes_as_bf16(uint32_t apart) {
  uint32_t pair = 0;
#if defined(TSR_WGMMA_HERE)
  asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(apart & 0x437f437f), "r"(apart & 0x43804380));
#endif
  return pair;
}
/// Likewise of numbers of 4 bits: the bits of 128 + n are those of 128 and n, and 128 less is n, exactly.
TSR_DEVICE uint32_t halves_as_bf16(uint32_t apart) {
  uint32_t pair = 0;
#if defined(TSR_WGMMA_HERE)
  asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(pair) : "r"(apart & 0x430f430f), "r"(0x43004300));
#endif
  return pair;
}

}  // namespace detail

/// Bytes in bf16, two at a time.
template <int M, int N, int WarpRows>
TSR_DEVICE void convert(Fragment<bf16, M, N, MmaGrid<WarpRows, 1>> &to, const Fragment<int8_t, M, N, MmaGrid<WarpRows, 1>> &from) {
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < from.cols; j += 2) {
      const uint32_t both = static_cast<uint8_t>(from(i, j)) | static_cast<uint32_t>(static_cast<uint8_t>(from(i, j + 1))) << 8;
      const uint32_t pair = detail::bytes_as_bf16(__byte_perm(both, 0x43, 0x4140));
      memcpy(&to.element[i][j], &pair, sizeof pair);
    }
  }
}

namespace detail {

/// Numbers of 4 bits in bf16, two at a time. `Shift`: where in its byte each number begins.
template <int Shift, int M, int N, int WarpRows>
TSR_DEVICE void convert_halves(Fragment<bf16, M, N, MmaGrid<WarpRows, 1>> &to, const Fragment<uint8_t, M, N, MmaGrid<WarpRows, 1>> &from) {
  TSR_UNROLL
  for (int i = 0; i < from.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < from.cols; j += 2) {
      const uint32_t both = static_cast<uint32_t>(from(i, j)) | static_cast<uint32_t>(from(i, j + 1)) << 8;
      const uint32_t pair = halves_as_bf16(__byte_perm(both >> Shift, 0x43, 0x4140));
      memcpy(&to.element[i][j], &pair, sizeof pair);
    }
  }
}

}  // namespace detail

/// to = from & 15, and to = from >> 4: numbers of 4 bits of which each byte holds two.
template <int M, int N, int WarpRows>
TSR_DEVICE void convert_lower_halves(Fragment<bf16, M, N, MmaGrid<WarpRows, 1>> &to, const Fragment<uint8_t, M, N, MmaGrid<WarpRows, 1>> &from) {
  detail::convert_halves<0>(to, from);
}
template <int M, int N, int WarpRows>
TSR_DEVICE void convert_upper_halves(Fragment<bf16, M, N, MmaGrid<WarpRows, 1>> &to, const Fragment<uint8_t, M, N, MmaGrid<WarpRows, 1>> &from) {
  detail::convert_halves<4>(to, from);
}

/// to = the bytes of a tile that lies the other way, in bf16, four at a time: ldmatrix turns matrices of two bytes, so that of each 16
/// rows the lanes whose rows are g and g + 8 get the rows 2 g and 2 g + 1. The sums of such operands are put in order once, at the end
/// (order_rows).
template <int M, int N, int WarpRows>
TSR_DEVICE void read_pairs_of_rows(Fragment<bf16, M, N, MmaGrid<WarpRows, 1>> &to, const Transposed<SharedTile<int8_t, N, M, Panels>> &turned) {
  using Grid = MmaGrid<WarpRows, 1>;
  static_assert(M % 128 == 0 && N % 32 == 0, "whole panels, and four matrices of eight rows of them");
  const unsigned at = static_cast<unsigned>(lane()) % kRowLanes;  // the row of the panel whose 16 bytes this lane names
  TSR_UNROLL
  for (int i = 0; i < to.rows; i += 2) {
    const unsigned col = static_cast<unsigned>(i / 2 * Grid::row_step + Grid::warp_row() * 16);
    const int8_t *const own = turned.tile.element + col / 128 * (N * 128) + (col % 128 / 16 ^ at % 8) * 16 + at * 128;
    TSR_UNROLL
    for (int k = 0; k < N; k += 32) {
      uint32_t matrix[4];
      detail::load_matrices<true>(matrix, own + k * 128);
      TSR_UNROLL
      for (int r = 0; r < 4; ++r) {
        const uint32_t even = detail::bytes_as_bf16(__byte_perm(matrix[r], 0x43, 0x4240)), odd = detail::bytes_as_bf16(__byte_perm(matrix[r], 0x43, 0x4341));
        memcpy(&to.element[i][k / 4 + 2 * r], &even, sizeof even);
        memcpy(&to.element[i + 1][k / 4 + 2 * r], &odd, sizeof odd);
      }
    }
  }
}
/// Sums whose left operand was read by read_pairs_of_rows: each row goes to the lanes that have it in this layout.
template <class T, int M, int N, int WarpRows> TSR_DEVICE void order_rows(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc) {
  const int at = lane() % kRowLanes, from = at / 8 * 4 + at % 4;
  const bool odd = at / 4 % 2 != 0;
  TSR_UNROLL
  for (int i = 0; i < acc.rows; i += 2) {
    TSR_UNROLL
    for (int j = 0; j < acc.cols; ++j) {
      const T even_row = acc(i, j), odd_row = acc(i + 1, j);
      TSR_UNROLL
      for (int half = 0; half < 2; ++half) {
        const T even = __shfl_sync(0xffffffffu, even_row, from + 16 * half), other = __shfl_sync(0xffffffffu, odd_row, from + 16 * half);
        acc(i + half, j) = odd ? other : even;
      }
    }
  }
}

/// acc(i, j) *= scale(i); skipped by warps whose scales are all 1.
template <class T, int M, int N, int WarpRows>
TSR_DEVICE void scale_rows(Fragment<T, M, N, MmaGrid<WarpRows, 1>> &acc, const RowVector<T, M, MmaGrid<WarpRows, 1>> &scale) {
  bool scales = false;
  TSR_UNROLL
  for (int i = 0; i < acc.rows; ++i) scales |= scale(i) != T(1);
  if (!__any_sync(0xffffffffu, scales)) return;
  TSR_UNROLL
  for (int i = 0; i < acc.rows; ++i) {
    TSR_UNROLL
    for (int j = 0; j < acc.cols; ++j) acc(i, j) *= scale(i);
  }
}

}  // namespace tsr
#endif
