// One test program for every machine: C++ on the CPU, HIP (also on the CPU, by hip_on_cpu) and CUDA. Prints
// "N passed, N failed"; exit status 1 if one failed, 77 if there is no device to run on.
#pragma once
#include "tessera/device/copy.h"
#include "tessera/device/dot.h"
#include "tessera/device/raster.h"
#include "tessera/device/reduce.h"
#include "tessera/device/vector.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#if defined(TSR_CPU)
#define KERNEL static void
#define LAUNCH(lanes, kernel, ...) kernel(__VA_ARGS__)
#define LAUNCH_SHARED(lanes, bytes, kernel, ...) kernel(__VA_ARGS__)
#define SHARED static
constexpr bool kGpu = false;
#else
#define KERNEL static __global__ void
#define SHARED __shared__
constexpr bool kGpu = true;
#if defined(TSR_CUDA)
#define LAUNCH_SHARED(lanes, bytes, kernel, ...) kernel<<<1, lanes, bytes>>>(__VA_ARGS__)
#else
#define LAUNCH_SHARED(lanes, bytes, kernel, ...) hipLaunchKernelGGL((kernel), dim3(1), dim3(lanes), bytes, nullptr, __VA_ARGS__)
#endif
#define LAUNCH(lanes, kernel, ...) LAUNCH_SHARED(lanes, 0, kernel, __VA_ARGS__)
#endif

/// The lanes of a tile's grid: all in one lane on the CPU.
template <int Rows, int Cols> using Lanes = tsr::ThreadGrid<kGpu ? Rows : 1, kGpu ? Cols : 1>;

namespace harness {

inline int passed = 0, failed = 0;
inline void expect(bool good, const char *what, long long at = 0) {
  if (good) {
    ++passed;
    return;
  }
  if (++failed <= 20) std::printf("FAILED: %s (%lld)\n", what, at);
}

#if defined(TSR_CUDA)
inline void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}
inline bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
#else
inline bool has_device() { return true; }
#endif

/// Elements that both the host and a kernel see: copied to the device and, after the launch, back.
template <class T> class Buffer {
public:
  explicit Buffer(size_t count, size_t shift = 0) : host_(count), shift_(shift) {
#if defined(TSR_CUDA)
    must(cudaMalloc(&device_, (count + shift) * sizeof(T)));
#elif defined(TSR_HIP)
    if (hipMalloc(&device_, (count + shift) * sizeof(T)) != hipSuccess) std::exit(1);
#else
    device_ = std::aligned_alloc(64, (((count + shift) * sizeof(T)) / 64 + 1) * 64);
#endif
  }
  Buffer(const Buffer &) = delete;
  T &operator[](size_t i) { return host_[i]; }
  size_t size() const { return host_.size(); }
  /// The elements on the device; `shift` elements behind an aligned address.
  T *device() {
    copy(pointer(), host_.data());
    return pointer();
  }
  void back() { copy(host_.data(), pointer()); }
  ~Buffer() {
#if defined(TSR_CUDA)
    cudaFree(device_);
#elif defined(TSR_HIP)
    (void)hipFree(device_);
#else
    std::free(device_);
#endif
  }

private:
  T *pointer() { return static_cast<T *>(device_) + shift_; }
  void copy(void *to, const void *from) {
    const size_t bytes = host_.size() * sizeof(T);
    if (!bytes) return;
#if defined(TSR_CUDA)
    must(cudaDeviceSynchronize());
    must(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
#elif defined(TSR_HIP)
    (void)hipDeviceSynchronize();
    (void)hipMemcpy(to, from, bytes, hipMemcpyDefault);
#else
    std::memcpy(to, from, bytes);
#endif
  }
  std::vector<T> host_;
  size_t shift_;
  void *device_ = nullptr;
};

}  // namespace harness
