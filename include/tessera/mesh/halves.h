// Sums of 16 bits among more than two GPUs: NCCL would round at each of them. Each device gets from all others what it adds up, in
// f32 and in the order of their places along the axis, rounds once, and gives the sums to all: as many bytes as a ring moves.
#pragma once
#include "tessera/mesh/nccl.h"
#if !defined(TSR_CPU)
#include <algorithm>

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

/// One lane an element. `own`: what this device gives itself; `parts`: what it has got, `apart` elements from device to device.
template <class T> __global__ void add_parts(const T *own, const T *parts, T *result, int64_t count, int64_t apart, int index, int devices) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0;
  for (int device = 0; device < devices; ++device) {
    const float next = static_cast<float>(device == index ? own[i] : parts[device * apart + i]);
    sum = device == 0 ? next : sum + next;
  }
  result[i] = to<T>(sum);
}

class HalfSums {
public:
  HalfSums(Call &call, ncclComm_t communicator, const Mesh::Axis &axis) : call_(call), communicator_(communicator), axis_(axis) {}

  template <class T> void all_reduce(const T *source, T *result, int64_t count) {
    // Parts of whole vectors; the last may be shorter, and some be empty.
    const int64_t part = (count + axis_.size * 8 - 1) / (axis_.size * 8) * 8;
    const auto size = [&](int64_t device) { return std::max<int64_t>(0, std::min(part, count - device * part)); };
    add(source, result + std::min(count, axis_.index * part), part, size);
    work([&](int64_t device) {
      T *sums = result + device * part;
      return size(device) > 0 ? ncclBroadcast(sums, sums, static_cast<size_t>(size(device)), NcclType<T>::value, static_cast<int>(device), communicator_, call_.stream())
                              : ncclSuccess;
    });
  }
  template <class T> void reduce_scatter(const T *source, T *result, int64_t count) {
    add(source, result, count, [&](int64_t) { return count; });
  }

private:
  /// `size(device)`: how many of the `part` elements from `device * part` on that device adds up.
  template <class T, class Size> void add(const T *source, T *sums, int64_t part, const Size &size) {
    T *parts = call_.temporary<T>("parts of devices", axis_.size * part);
    if (call_.failed()) return;
    const int64_t mine = size(axis_.index);
    work([&](int64_t device) {
      if (device == axis_.index) return ncclSuccess;
      ncclResult_t done = ncclSuccess;
      if (size(device) > 0)
        done = ncclSend(source + device * part, static_cast<size_t>(size(device)), NcclType<T>::value, static_cast<int>(device), communicator_, call_.stream());
      if (done == ncclSuccess && mine > 0)
        done = ncclRecv(parts + device * part, static_cast<size_t>(mine), NcclType<T>::value, static_cast<int>(device), communicator_, call_.stream());
      return done;
    });
    constexpr int kLanes = 256;
    const unsigned groups = call_.groups((mine + kLanes - 1) / kLanes);
    if (groups == 0) return;
    const T *own = source + axis_.index * part, *got = parts;
    const int index = static_cast<int>(axis_.index), devices = static_cast<int>(axis_.size);
#if defined(TSR_CUDA)
    add_parts<T><<<groups, kLanes, 0, call_.stream()>>>(own, got, sums, mine, part, index, devices);
#else
    hipLaunchKernelGGL((add_parts<T>), dim3(groups), dim3(kLanes), 0, call_.stream(), own, got, sums, mine, part, index, devices);
#endif
  }
  /// What NCCL gets for each device, all of it at once.
  template <class Give> void work(const Give &give) {
    if (call_.failed()) return;
    call_.begin_other_work();
    ncclResult_t done = ncclGroupStart();
    for (int64_t device = 0; device < axis_.size && done == ncclSuccess; ++device) done = give(device);
    const ncclResult_t ended = ncclGroupEnd();
    end_if_failed(call_, done == ncclSuccess ? ended : done, communicator_);
  }

  Call &call_;
  ncclComm_t communicator_;
  const Mesh::Axis &axis_;
};

}  // namespace detail
}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
