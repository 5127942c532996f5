// What differs between CUDA, HIP and plain C++: the marks on functions, lanes, barriers and shuffles.
// Everything else in this folder is written once in these words.
//
// A *group* is a CUDA thread block, a HIP work-group or a CPU task; its threads are *lanes*, numbered from 0.
// On the CPU a group has one lane. A *row of lanes* is 32 lanes with consecutive numbers: a warp on NVIDIA, half a
// wave on wave64 AMD. Shuffles stay inside such a row on every machine, so results have the same bits on all.
#pragma once

// The names of each target are different for the linker (`tsr::on_cuda::max`): one program may have code for several.
#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP__)
#define TSR_HIP 1
#define TSR_TARGET on_hip
#include <hip/hip_runtime.h>
#elif defined(__CUDACC__)
#define TSR_CUDA 1
#define TSR_TARGET on_cuda
#include <cuda_runtime.h>
#else
#define TSR_CPU 1
#define TSR_TARGET on_cpu
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(TSR_CPU)
#define TSR_INLINE inline
#define TSR_DEVICE inline
#define TSR_UNROLL
#else
#define TSR_INLINE __host__ __device__ __forceinline__  // also callable by the host
#define TSR_DEVICE __device__ __forceinline__
#if defined(__clang__) || defined(__CUDA_ARCH__)
#define TSR_UNROLL _Pragma("unroll")
#else
#define TSR_UNROLL
#endif
#endif
// Lets the compiler use vector instructions for the loop that follows, without changing results. (Clang does so by itself,
// and warns where it was told to and cannot.)
#if !defined(TSR_CPU)
#define TSR_SIMD TSR_UNROLL
#elif defined(__GNUC__) && !defined(__clang__)
#define TSR_SIMD _Pragma("GCC ivdep")
#else
#define TSR_SIMD
#endif
#if !defined(TSR_CPU) && defined(__clang__)
// A loop that adds up integers would else be turned into vectors and interleaved first: thousands of instructions, for which
// clang takes minutes.
#define TSR_UNROLL_4 _Pragma("clang loop vectorize(disable) interleave(disable) unroll_count(4)")
#define TSR_NO_UNROLL _Pragma("unroll 1")
#elif !defined(TSR_CPU) && defined(__CUDA_ARCH__)
#define TSR_UNROLL_4 _Pragma("unroll 4")
#define TSR_NO_UNROLL _Pragma("unroll 1")
#else
#define TSR_UNROLL_4
#define TSR_NO_UNROLL
#endif

// `x * y + z` is two roundings, as the language says. The other compilers have only an option for it: g++ and nvcc are to be
// called with -ffp-contract=off and -fmad=false.
#if defined(__clang__)
#pragma clang fp contract(off)
#endif

namespace tsr {
inline namespace TSR_TARGET {

/// Lanes that can shuffle with each other.
[[maybe_unused]] constexpr int kRowLanes = 32;

/// The number of this lane in its group.
TSR_DEVICE int lane() {
#if defined(TSR_CPU)
  return 0;
#else
  return static_cast<int>(threadIdx.x);
#endif
}

/// Waits until every lane of the group is here; what they wrote to shared memory before is then visible.
TSR_DEVICE void group_barrier() {
#if !defined(TSR_CPU)
  __syncthreads();
#endif
}

/// The same bytes as a value of another type of the same size.
template <class To, class From> TSR_INLINE To bit_cast(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

#if !defined(TSR_CPU)
namespace detail {
TSR_DEVICE uint32_t shuffle_word(uint32_t word, int offset, [[maybe_unused]] uint32_t lanes = 0xffffffffu) {
#if defined(TSR_CUDA)
  return __shfl_xor_sync(lanes, word, offset, kRowLanes);
#else
  return static_cast<uint32_t>(__shfl_xor(static_cast<int>(word), offset, kRowLanes));
#endif
}
TSR_DEVICE uint32_t fetch_word(uint32_t word, int from) {
#if defined(TSR_CUDA)
  return __shfl_sync(0xffffffffu, word, from, kRowLanes);
#else
  return static_cast<uint32_t>(__shfl(static_cast<int>(word), from, kRowLanes));
#endif
}
template <class T> struct Words {
  static constexpr int count = (sizeof(T) + 3) / 4;
  uint32_t word[count] = {};
};
}  // namespace detail

/// The value that the lane whose number differs by the bits of `offset` (below 32) has. All lanes take part, or those of 32 whose
/// bits are set in `lanes`.
template <class T> TSR_DEVICE T shuffle_xor(const T &value, int offset, uint32_t lanes = 0xffffffffu) {
  detail::Words<T> words;
  memcpy(words.word, &value, sizeof(T));
  TSR_UNROLL
  for (int i = 0; i < detail::Words<T>::count; ++i) words.word[i] = detail::shuffle_word(words.word[i], offset, lanes);
  T result;
  memcpy(static_cast<void *>(&result), words.word, sizeof(T));
  return result;
}

/// The value that lane `from` (0..31) of this row of lanes has. All lanes take part.
template <class T> TSR_DEVICE T shuffle(const T &value, int from) {
  detail::Words<T> words;
  memcpy(words.word, &value, sizeof(T));
  TSR_UNROLL
  for (int i = 0; i < detail::Words<T>::count; ++i) words.word[i] = detail::fetch_word(words.word[i], from);
  T result;
  memcpy(static_cast<void *>(&result), words.word, sizeof(T));
  return result;
}
#endif

}  // inline namespace TSR_TARGET
}  // namespace tsr
