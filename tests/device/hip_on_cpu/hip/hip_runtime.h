// Stands in for <hip/hip_runtime.h> in tests: HIP code compiled as plain C++ runs its kernels on the CPU (fibers.h).
//
//   g++ -x c++ -std=c++17 -D__HIP_PLATFORM_AMD__ -DTSR_WAVE=64 -Itests/device/hip_on_cpu -Iinclude program.hip
//
// It has what emitted code uses. Launches go through hipLaunchKernelGGL.
#pragma once
#include "../fibers.h"
#include "../matrix.h"
#include <cmath>
#include <type_traits>

#define threadIdx (hip_on_cpu::current->index)
#define blockIdx (hip_on_cpu::block->index)
#define blockDim (hip_on_cpu::block->size)
#define gridDim (hip_on_cpu::block->grid)
#define __global__
#define __device__
#define __host__
#define __shared__ static thread_local
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __syncthreads() hip_on_cpu::barrier(__FILE__, __LINE__)
#define HIP_DYNAMIC_SHARED(type, name) type *name = reinterpret_cast<type *>(hip_on_cpu::block->shared);

template <class T> T __shfl(T value, int from, int width = TSR_WAVE) {
  const int lane = static_cast<int>(hip_on_cpu::current->number % TSR_WAVE);
  return hip_on_cpu::value_of_lane(value, static_cast<unsigned>((lane & ~(width - 1)) | (from & (width - 1))), "__shfl");
}
template <class T> T __shfl_xor(T value, int mask, int width = TSR_WAVE) {
  const int lane = static_cast<int>(hip_on_cpu::current->number % TSR_WAVE);
  int from = lane ^ mask;
  if (from >= ((lane + width) & ~(width - 1))) from = lane;
  return hip_on_cpu::value_of_lane(value, static_cast<unsigned>(from), "__shfl_xor");
}

// Updates in one step: groups may run at the same time.
template <class T> T atomicAdd(T *place, T value) {
  if constexpr (std::is_integral<T>::value) return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
  T seen = *place, after;
  do after = seen + value;
  while (!__atomic_compare_exchange(place, &seen, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return seen;
}
template <class T> T atomicCAS(T *place, T seen, T wanted) {
  __atomic_compare_exchange(place, &seen, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return seen;
}
template <class T> T atomicMax(T *place, T value) {
  T seen = *place;
  while (seen < value && !__atomic_compare_exchange(place, &seen, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return seen;
}
template <class T> T atomicMin(T *place, T value) {
  T seen = *place;
  while (value < seen && !__atomic_compare_exchange(place, &seen, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  return seen;
}
template <class T> T atomicAnd(T *place, T value) { return __atomic_fetch_and(place, value, __ATOMIC_RELAXED); }
template <class T> T atomicOr(T *place, T value) { return __atomic_fetch_or(place, value, __ATOMIC_RELAXED); }
template <class T> T atomicXor(T *place, T value) { return __atomic_fetch_xor(place, value, __ATOMIC_RELAXED); }

// ---------------------------------------------------------------- the host's side

typedef int hipError_t;
typedef void *hipStream_t;
enum { hipSuccess = 0, hipErrorOutOfMemory = 2 };
enum hipMemcpyKind { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };
enum hipFuncAttribute { hipFuncAttributeMaxDynamicSharedMemorySize };

inline const char *hipGetErrorString(hipError_t error) { return error == hipSuccess ? "no error" : "out of memory"; }
inline hipError_t hipGetLastError() { return hipSuccess; }
inline hipError_t hipGetDevice(int *id) { return *id = 0; }
inline hipError_t hipSetDevice(int) { return hipSuccess; }
inline hipError_t hipDeviceSynchronize() { return hipSuccess; }
inline hipError_t hipFuncSetAttribute(const void *, hipFuncAttribute, int bytes) { return bytes <= 64 * 1024 ? hipSuccess : 1; }
inline hipError_t hipGetSymbolAddress(void **to, const void *symbol) {
  *to = const_cast<void *>(symbol);
  return hipSuccess;
}
/// New memory holds NaN bytes: what was never written must not look right.
inline hipError_t hipMalloc(void **to, size_t bytes) {
  *to = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!*to) return hipErrorOutOfMemory;
  memset(*to, 0xff, bytes);
  return hipSuccess;
}
inline hipError_t hipMallocAsync(void **to, size_t bytes, hipStream_t) { return hipMalloc(to, bytes); }
// No pools: what is compiled for them falls back to the allocation above.
typedef struct hipMemPool *hipMemPool_t;
enum { hipMemAllocationTypePinned = 1, hipMemLocationTypeDevice = 1, hipMemPoolAttrReleaseThreshold = 4, hipErrorNotSupported = 801 };
struct hipMemPoolProps {
  int allocType;
  struct { int type, id; } location;
};
inline hipError_t hipMemPoolCreate(hipMemPool_t *, const hipMemPoolProps *) { return hipErrorNotSupported; }
inline hipError_t hipMemPoolSetAttribute(hipMemPool_t, int, void *) { return hipErrorNotSupported; }
inline hipError_t hipMallocFromPoolAsync(void **, size_t, hipMemPool_t, hipStream_t) { return hipErrorNotSupported; }
inline hipError_t hipFree(void *memory) {
  free(memory);
  return hipSuccess;
}
inline hipError_t hipFreeAsync(void *memory, hipStream_t) { return hipFree(memory); }
inline hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind) {
  memcpy(to, from, bytes);
  return hipSuccess;
}
/// Nothing runs later than it is asked to here.
inline hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t) {
  return hipMemcpy(to, from, bytes, kind);
}
inline hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
enum hipStreamCaptureStatus { hipStreamCaptureStatusNone, hipStreamCaptureStatusActive };
inline hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus *status) {
  *status = hipStreamCaptureStatusNone;
  return hipSuccess;
}

namespace hip_on_cpu {
/// The arguments are evaluated once, by the caller, as for a real launch.
template <class... P, class... A>
void launch_kernel(void (*kernel)(P...), dim3 grid, dim3 size, size_t shared, const A &...arguments) {
  launch(grid, size, shared, [&] { kernel(static_cast<P>(arguments)...); });
}
}  // namespace hip_on_cpu
#define hipLaunchKernelGGL(kernel, grid, size, shared, stream, ...) \
  ((void)(stream), hip_on_cpu::launch_kernel((kernel), (grid), (size), static_cast<size_t>(shared), __VA_ARGS__))
