// Collectives of emitted code: all devices along an axis of the mesh take part, each with the same call. GPUs by NCCL or RCCL, on
// the stream of the call; on CPUs processes of one host, which add up in the order of the places along the axis: the sums have the
// same bits on each device and in each run.
#pragma once
#include "tessera/entry.h"
#include "tessera/mesh.h"
#include "tessera/mesh/halves.h"
#include "tessera/mesh/nccl.h"
#include "tessera/mesh/shared.h"
#include <algorithm>

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

/// What all machines add up.
template <class T>
constexpr bool can_be_added = std::is_same<T, double>::value || std::is_same<T, float>::value || is_half<T> || std::is_same<T, int64_t>::value ||
                              std::is_same<T, int32_t>::value || std::is_same<T, int8_t>::value || std::is_same<T, uint32_t>::value ||
                              std::is_same<T, uint8_t>::value || std::is_same<T, complex64>::value;

/// The mesh of the process; null: the call has failed.
inline const Mesh *mesh_of(Call &call) {
  if (call.failed()) return nullptr;
  const Mesh &mesh = Mesh::get();
  if (mesh.problem().empty()) return &mesh;
  return call.fail(TESS_ERROR_MESH, "%s", mesh.problem().c_str()), nullptr;
}
/// The axis of this name; null where no mesh was named, and where the call has failed, as it does where the mesh lacks the axis.
inline const Mesh::Axis *axis_of(Call &call, const Mesh *mesh, const char *name) {
  if (!mesh) return nullptr;
  const Mesh::Axis *axis = mesh->axis(name);
  if (!axis && !mesh->axes().empty()) call.fail(TESS_ERROR_MESH, "%s", mesh->lack_of(name).c_str());
  return axis;
}

#if defined(TSR_CPU)

template <class T> struct SumOf { using type = typename std::conditional<std::is_integral<T>::value, typename std::make_unsigned<typename std::conditional<std::is_integral<T>::value, T, int>::type>::type, T>::type; };
template <> struct SumOf<bf16> { using type = float; };
template <> struct SumOf<f16> { using type = float; };

/// Adds up in the order of the devices; what is shorter than f32 is rounded once. `given(k)`: the elements of device k.
template <class T, class Given> void add_in_order(T *result, int64_t count, int64_t devices, const Given &given) {
  using Sum = typename SumOf<T>::type;
  constexpr int64_t kBlock = 256;
  Sum sums[kBlock];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = std::min(kBlock, count - begin);
    const T *first = given(0) + begin;
    for (int64_t i = 0; i < size; ++i) sums[i] = static_cast<Sum>(first[i]);
    for (int64_t device = 1; device < devices; ++device) {
      const T *next = given(device) + begin;
      for (int64_t i = 0; i < size; ++i) sums[i] = static_cast<Sum>(sums[i] + static_cast<Sum>(next[i]));
    }
    for (int64_t i = 0; i < size; ++i) result[begin + i] = to<T>(sums[i]);
  }
}

inline Step step_of(const char *what, int64_t count, size_t size) {
  Step step{};
  std::snprintf(step.what, sizeof step.what, "%s", what);
  step.count = count, step.size = static_cast<int64_t>(size);
  return step;
}
/// `put(memory, begin, size)` writes what this device gives of so many elements, and `take(begin, size)` reads what all gave.
template <class Put, class Take>
void in_steps(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const Step &step, int64_t most, const Put &put, const Take &take) {
  SharedMemory &memory = SharedMemory::of_process();
  if (!memory.ready(call, mesh)) return;
  std::lock_guard<std::mutex> lock(memory.mutex(axis));
  for (int64_t begin = 0; begin < step.count; begin += most) {
    const int64_t size = std::min(most, step.count - begin);
    put(memory.mine(axis), begin, size);
    if (!memory.step(call, axis, step)) return;
    take(begin, size);
  }
}
template <class T> const T *given_by(const Mesh::Axis &axis, int64_t index) {
  return reinterpret_cast<const T *>(SharedMemory::of_process().given(axis, index));
}
constexpr int64_t kGivenBytes = static_cast<int64_t>(SharedMemory::kBytes);

template <class T> void all_reduce_among(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const T *source, T *result, int64_t count) {
  const auto put = [&](void *memory, int64_t begin, int64_t size) { std::memcpy(memory, source + begin, static_cast<size_t>(size) * sizeof(T)); };
  const auto take = [&](int64_t begin, int64_t size) {
    add_in_order(result + begin, size, axis.size, [&](int64_t index) { return given_by<T>(axis, index); });
  };
  in_steps(call, mesh, axis, step_of("all_reduce", count, sizeof(T)), kGivenBytes / static_cast<int64_t>(sizeof(T)), put, take);
}
template <class T> void all_gather_among(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const T *source, T *result, int64_t count) {
  const auto put = [&](void *memory, int64_t begin, int64_t size) { std::memcpy(memory, source + begin, static_cast<size_t>(size) * sizeof(T)); };
  const auto take = [&](int64_t begin, int64_t size) {
    for (int64_t index = 0; index < axis.size; ++index)
      std::memcpy(static_cast<void *>(result + index * count + begin), given_by<T>(axis, index), static_cast<size_t>(size) * sizeof(T));
  };
  in_steps(call, mesh, axis, step_of("all_gather", count, sizeof(T)), kGivenBytes / static_cast<int64_t>(sizeof(T)), put, take);
}
template <class T> void reduce_scatter_among(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const T *source, T *result, int64_t count) {
  const int64_t most = kGivenBytes / static_cast<int64_t>(sizeof(T)) / axis.size;
  const auto put = [&](unsigned char *memory, int64_t begin, int64_t size) {
    for (int64_t index = 0; index < axis.size; ++index)
      std::memcpy(reinterpret_cast<T *>(memory) + index * size, source + index * count + begin, static_cast<size_t>(size) * sizeof(T));
  };
  const auto take = [&](int64_t begin, int64_t size) {
    add_in_order(result + begin, size, axis.size, [&](int64_t index) { return given_by<T>(axis, index) + axis.index * size; });
  };
  if (most < 1) return call.fail(TESS_ERROR_MESH, "the axis `%s` has more devices than a CPU can have", axis.name.c_str());
  in_steps(call, mesh, axis, step_of("reduce_scatter", count, sizeof(T)), most, put, take);
}

#else

/// `start(communicator, stream)` gives NCCL the work.
template <class Start> void by_nccl(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const Start &start) {
  ncclComm_t communicator = Communicators::of_process().along(call, mesh, axis);
  if (!communicator) return;
  call.begin_other_work();
  end_if_failed(call, start(communicator, call.stream()), communicator);
}
/// Likewise sums of 16 bits of more than two devices; `add(sums)`. Two are added up as NCCL does, which rounds once.
template <class Add> void by_halves(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const Add &add) {
  if (ncclComm_t communicator = Communicators::of_process().along(call, mesh, axis)) add(HalfSums(call, communicator, axis));
}

template <class T> void all_reduce_among(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const T *source, T *result, int64_t count) {
  if constexpr (is_half<T>)
    if (axis.size > 2) return by_halves(call, mesh, axis, [&](HalfSums sums) { sums.all_reduce(source, result, count); });
  by_nccl(call, mesh, axis, [&](ncclComm_t communicator, auto stream) {
    return ncclAllReduce(source, result, static_cast<size_t>(count) * NcclType<T>::each, NcclType<T>::value, ncclSum, communicator, stream);
  });
}
template <class T> void all_gather_among(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const T *source, T *result, int64_t count) {
  by_nccl(call, mesh, axis, [&](ncclComm_t communicator, auto stream) {
    return ncclAllGather(source, result, static_cast<size_t>(count) * sizeof(T), ncclUint8, communicator, stream);
  });
}
template <class T> void reduce_scatter_among(Call &call, const Mesh &mesh, const Mesh::Axis &axis, const T *source, T *result, int64_t count) {
  if constexpr (is_half<T>)
    if (axis.size > 2) return by_halves(call, mesh, axis, [&](HalfSums sums) { sums.reduce_scatter(source, result, count); });
  by_nccl(call, mesh, axis, [&](ncclComm_t communicator, auto stream) {
    return ncclReduceScatter(source, result, static_cast<size_t>(count) * NcclType<T>::each, NcclType<T>::value, ncclSum, communicator, stream);
  });
}

#endif

/// The axis, if several devices stand along it and there is something to do; a single one copies.
template <class T> const Mesh::Axis *busy_axis(Call &call, const Mesh *mesh, const char *name, const T *source, T *result, int64_t count) {
  const Mesh::Axis *axis = axis_of(call, mesh, name);
  if (call.failed() || count <= 0) return nullptr;
  if (axis && axis->size > 1) return axis;
  if (result == source) return nullptr;
  call.copy(result, source, static_cast<size_t>(count) * sizeof(T));
  return nullptr;
}

}  // namespace detail

/// How many devices stand along an axis; 1 where no mesh was named, and after a failure.
inline int64_t axis_size(Call &call, const char *axis) {
  const Mesh::Axis *found = detail::axis_of(call, detail::mesh_of(call), axis);
  return found ? found->size : 1;
}
/// Where this device stands along it.
inline int64_t axis_index(Call &call, const char *axis) {
  const Mesh::Axis *found = detail::axis_of(call, detail::mesh_of(call), axis);
  return found ? found->index : 0;
}
/// The number of this device.
inline int64_t rank(Call &call) {
  const Mesh *mesh = detail::mesh_of(call);
  return mesh ? mesh->rank() : 0;
}

/// Adds up over the devices along an axis. `result` may be `source`.
template <class T> void all_reduce(Call &call, const char *axis, const T *source, T *result, int64_t count) {
  static_assert(detail::can_be_added<T>, "all_reduce adds up f64, f32, f16, bf16, i64, i32, i8, u32, u8 and complex64: convert to one of them");
  const Mesh *mesh = detail::mesh_of(call);
  if (const Mesh::Axis *busy = detail::busy_axis(call, mesh, axis, source, result, count)) detail::all_reduce_among(call, *mesh, *busy, source, result, count);
}
/// Puts the `count` elements that each device has behind one another.
template <class T> void all_gather(Call &call, const char *axis, const T *source, T *result, int64_t count) {
  const Mesh *mesh = detail::mesh_of(call);
  if (const Mesh::Axis *busy = detail::busy_axis(call, mesh, axis, source, result, count)) detail::all_gather_among(call, *mesh, *busy, source, result, count);
}
/// Adds up over the devices along an axis; each keeps `count` elements, those of its place.
template <class T> void reduce_scatter(Call &call, const char *axis, const T *source, T *result, int64_t count) {
  static_assert(detail::can_be_added<T>, "reduce_scatter adds up f64, f32, f16, bf16, i64, i32, i8, u32, u8 and complex64: convert to one of them");
  const Mesh *mesh = detail::mesh_of(call);
  if (const Mesh::Axis *busy = detail::busy_axis(call, mesh, axis, source, result, count)) detail::reduce_scatter_among(call, *mesh, *busy, source, result, count);
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
