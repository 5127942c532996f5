// The machine's runtime under one name: errors, devices, and the memory of calls.
#pragma once
#include "tessera/abi.h"
#include "tessera/device/platform.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

#if defined(TSR_CUDA)
using DeviceError = cudaError_t;
constexpr DeviceError kDeviceOk = cudaSuccess;
inline const char *device_error_text(DeviceError e) { return cudaGetErrorString(e); }
inline DeviceError device_last_error() { return cudaGetLastError(); }
inline DeviceError device_get(int *id) { return cudaGetDevice(id); }
inline DeviceError device_set(int id) { return cudaSetDevice(id); }
/// Of the current device; 0 where nobody says.
inline int processors() {
  int device = 0, count = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) == cudaSuccess;
  return known && count > 0 ? count : 0;
}
using DevicePool = cudaMemPool_t;
/// A pool of a device that keeps all that it has got.
inline DeviceError device_make_pool(DevicePool *pool, int device) {
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  wanted.location.id = device;
  const DeviceError error = cudaMemPoolCreate(pool, &wanted);
  if (error != cudaSuccess) return error;
  uint64_t all = UINT64_MAX;
  return cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &all);
}
inline DeviceError device_allocate(void **to, size_t bytes, DevicePool pool, TessStream stream) {
  cudaStream_t on = static_cast<cudaStream_t>(stream);
  return pool ? cudaMallocFromPoolAsync(to, bytes, pool, on) : cudaMallocAsync(to, bytes, on);
}
inline DeviceError device_free(void *memory, TessStream stream) {
  return cudaFreeAsync(memory, static_cast<cudaStream_t>(stream));
}
inline DeviceError device_fetch(void *to, const void *from, size_t bytes, TessStream stream) {
  const DeviceError error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, static_cast<cudaStream_t>(stream));
  return error == cudaSuccess ? cudaStreamSynchronize(static_cast<cudaStream_t>(stream)) : error;
}
/// From device memory to device memory.
inline DeviceError device_copy(void *to, const void *from, size_t bytes, TessStream stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream));
}
/// Whether work on the stream is recorded in a graph.
inline DeviceError device_is_captured(bool *captured, TessStream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const DeviceError error = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
  *captured = status != cudaStreamCaptureStatusNone;
  return error;
}
template <class Array> DeviceError device_table(const void **to, const Array &numbers) {
  return cudaGetSymbolAddress(const_cast<void **>(to), numbers);
}
template <class Kernel> DeviceError device_allow_shared(Kernel *kernel, int bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
constexpr int kDeviceTypes[] = {TESS_CUDA, TESS_CUDA_HOST, TESS_CUDA_MANAGED};
constexpr const char *kDeviceText = "a CUDA device";
#elif defined(TSR_HIP)
using DeviceError = hipError_t;
constexpr DeviceError kDeviceOk = hipSuccess;
inline const char *device_error_text(DeviceError e) { return hipGetErrorString(e); }
inline DeviceError device_last_error() { return hipGetLastError(); }
inline DeviceError device_get(int *id) { return hipGetDevice(id); }
inline DeviceError device_set(int id) { return hipSetDevice(id); }
using DevicePool = hipMemPool_t;
/// A pool of a device that keeps all that it has got.
inline DeviceError device_make_pool(DevicePool *pool, int device) {
  hipMemPoolProps wanted{};
  wanted.allocType = hipMemAllocationTypePinned;
  wanted.location.type = hipMemLocationTypeDevice;
  wanted.location.id = device;
  const DeviceError error = hipMemPoolCreate(pool, &wanted);
  if (error != hipSuccess) return error;
  uint64_t all = UINT64_MAX;
  return hipMemPoolSetAttribute(*pool, hipMemPoolAttrReleaseThreshold, &all);
}
inline DeviceError device_allocate(void **to, size_t bytes, DevicePool pool, TessStream stream) {
  hipStream_t on = static_cast<hipStream_t>(stream);
  return pool ? hipMallocFromPoolAsync(to, bytes, pool, on) : hipMallocAsync(to, bytes, on);
}
inline DeviceError device_free(void *memory, TessStream stream) {
  return hipFreeAsync(memory, static_cast<hipStream_t>(stream));
}
inline DeviceError device_fetch(void *to, const void *from, size_t bytes, TessStream stream) {
  const DeviceError error = hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToHost, static_cast<hipStream_t>(stream));
  return error == hipSuccess ? hipStreamSynchronize(static_cast<hipStream_t>(stream)) : error;
}
/// From device memory to device memory.
inline DeviceError device_copy(void *to, const void *from, size_t bytes, TessStream stream) {
  return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, static_cast<hipStream_t>(stream));
}
/// Whether work on the stream is recorded in a graph.
inline DeviceError device_is_captured(bool *captured, TessStream stream) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  const DeviceError error = hipStreamIsCapturing(static_cast<hipStream_t>(stream), &status);
  *captured = status != hipStreamCaptureStatusNone;
  return error;
}
template <class Array> DeviceError device_table(const void **to, const Array &numbers) {
  return hipGetSymbolAddress(const_cast<void **>(to), static_cast<const void *>(&numbers));
}
template <class Kernel> DeviceError device_allow_shared(Kernel *kernel, int bytes) {
  return hipFuncSetAttribute(reinterpret_cast<const void *>(kernel), hipFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
constexpr int kDeviceTypes[] = {TESS_ROCM, TESS_ROCM_HOST};
constexpr const char *kDeviceText = "a ROCm device";
#else
using DeviceError = int;
constexpr DeviceError kDeviceOk = 0;
inline const char *device_error_text(DeviceError) { return "out of memory"; }
inline DeviceError device_last_error() { return 0; }
inline DeviceError device_get(int *id) { return *id = 0; }
inline DeviceError device_set(int) { return 0; }
struct DevicePool {};
inline DevicePool device_pool() { return {}; }
inline DeviceError device_allocate(void **to, size_t bytes, DevicePool, TessStream) {
  *to = ::operator new(bytes, std::align_val_t(64), std::nothrow);
  return *to ? 0 : 1;
}
inline DeviceError device_free(void *memory, TessStream) {
  ::operator delete(memory, std::align_val_t(64), std::nothrow);
  return 0;
}
template <class Array> DeviceError device_table(const void **to, const Array &numbers) {
  *to = &numbers;
  return 0;
}
inline DeviceError device_fetch(void *to, const void *from, size_t bytes, TessStream) {
  memcpy(to, from, bytes);
  return 0;
}
inline DeviceError device_copy(void *to, const void *from, size_t bytes, TessStream) {
  memmove(to, from, bytes);
  return 0;
}
constexpr int kDeviceTypes[] = {TESS_CPU, TESS_CUDA_HOST, TESS_ROCM_HOST};
constexpr const char *kDeviceText = "the CPU";
#endif

#if !defined(TSR_CPU)
/// Where temporaries come from: a pool of the program's own for each device, which keeps what a call has freed for the next one.
/// The device's default pool would give it back each time that a stream is waited for, and to map gigabytes anew takes longer
/// than most calls. With TESSERA_KEEP_MEMORY=0, or where there are no pools: null, the default pool.
inline DevicePool device_pool() {
  constexpr int kDevices = 64;
  static std::atomic<DevicePool> pools[kDevices];
  static const char *const keep = getenv("TESSERA_KEEP_MEMORY");
  int device = 0;
  if ((keep && !strcmp(keep, "0")) || device_get(&device) != kDeviceOk || device >= kDevices) return nullptr;
  DevicePool pool = pools[device].load(std::memory_order_acquire), none = nullptr;
  if (pool) return pool;
  if (device_make_pool(&pool, device) != kDeviceOk) {
    (void)device_last_error();  // which is no error of the call
    return nullptr;
  }
  return pools[device].compare_exchange_strong(none, pool) ? pool : none;  // a pool that another thread made first stays empty
}
#endif

}  // namespace detail
}  // inline namespace TSR_TARGET
}  // namespace tsr
