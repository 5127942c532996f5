// Communicators of NVIDIA's NCCL and AMD's RCCL, which have the same functions: one for each axis of the mesh, made at the first
// collective of the process on the device that is then the current one, or given by the program.
#pragma once
#include "tessera/entry.h"
#include "tessera/mesh/meeting.h"
#if defined(TSR_CUDA)
#if __has_include(<nccl.h>)
#include <nccl.h>
#else
#error "collectives of NVIDIA's GPUs need NCCL 2.18 or later: install it (libnccl-dev), or name its folder with -I and -L, and link with -lnccl"
#endif
#elif defined(TSR_HIP)
#if __has_include(<rccl/rccl.h>)
#include <rccl/rccl.h>
#else
#error "collectives of AMD's GPUs need RCCL 2.18 or later: install it (rccl-dev), or name its folder with -I and -L, and link with -lrccl"
#endif
#endif
#if !defined(TSR_CPU)

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

#if defined(TSR_CUDA)
constexpr const char *kNcclText = "NCCL";
#else
constexpr const char *kNcclText = "RCCL";
#endif

/// Of what NCCL adds up: the type, and how many of them an element is.
template <class T> struct NcclType;
#define TSR_NCCL_TYPE(type, nccl, count)                    \
  template <> struct NcclType<type> {                       \
    static constexpr ncclDataType_t value = nccl;           \
    static constexpr size_t each = count;                   \
  };
TSR_NCCL_TYPE(double, ncclFloat64, 1)
TSR_NCCL_TYPE(float, ncclFloat32, 1)
TSR_NCCL_TYPE(f16, ncclFloat16, 1)
TSR_NCCL_TYPE(bf16, ncclBfloat16, 1)
TSR_NCCL_TYPE(int64_t, ncclInt64, 1)
TSR_NCCL_TYPE(int32_t, ncclInt32, 1)
TSR_NCCL_TYPE(int8_t, ncclInt8, 1)
TSR_NCCL_TYPE(uint32_t, ncclUint32, 1)
TSR_NCCL_TYPE(uint8_t, ncclUint8, 1)
TSR_NCCL_TYPE(complex64, ncclFloat32, 2)
#undef TSR_NCCL_TYPE

/// What NCCL says of a failure; empty where it did not fail.
inline std::string nccl_problem(ncclResult_t result, ncclComm_t communicator = nullptr) {
  if (result == ncclSuccess) return {};
  const char *why = ncclGetLastError(communicator);
  return std::string(kNcclText) + ": " + ncclGetErrorString(result) + (why && *why ? std::string(" (") + why + ")" : "");
}

/// Ends the call where NCCL failed.
inline void end_if_failed(Call &call, ncclResult_t result, ncclComm_t communicator = nullptr) {
  const std::string problem = nccl_problem(result, communicator);
  if (!problem.empty()) call.fail(TESS_ERROR_MESH, "%s", problem.c_str());
}

class Communicators {
public:
  static Communicators &of_process() {
    static Communicators all;
    return all;
  }
  /// That of the devices along an axis; null: the call has failed.
  ncclComm_t along(Call &call, const Mesh &mesh, const Mesh::Axis &axis) {
    if (axis.communicator) return checked(call, static_cast<ncclComm_t>(axis.communicator));
    std::lock_guard<std::mutex> lock(mutex_);
    if (!made_ && !may_make(call)) return nullptr;
    if (!made_) problem_ = make(mesh);
    made_ = true;
    if (!problem_.empty()) return call.fail(TESS_ERROR_MESH, "%s", problem_.c_str()), nullptr;
    return checked(call, of_axis_[static_cast<size_t>(&axis - mesh.axes().data())]);
  }

private:
  /// They are made with work on the device that no graph can hold.
  static bool may_make(Call &call) {
    bool captured = false;
    const DeviceError error = device_is_captured(&captured, call.stream());
    if (captured)
      call.fail(TESS_ERROR_MESH, "the first collective of a process makes the communicators, which cannot be captured in a graph: call a function with collectives once before the capture");
    else if (error != kDeviceOk) call.fail(TESS_ERROR_LAUNCH, "%s", device_error_text(error));
    return !call.failed();
  }
  /// A communicator that has met with an error, such as a device that is gone, takes no more work.
  static ncclComm_t checked(Call &call, ncclComm_t communicator) {
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(communicator, &state);
    const std::string problem = nccl_problem(asked != ncclSuccess ? asked : state, communicator);
    if (problem.empty()) return communicator;
    return call.fail(TESS_ERROR_MESH, "%s", problem.c_str()), nullptr;
  }

  std::string make(const Mesh &mesh) {
    Meeting meeting(mesh, kNcclText);
    ncclUniqueId id{};
    std::string offer, problem;
    if (mesh.rank() == 0) problem = nccl_problem(ncclGetUniqueId(&id));
    if (problem.empty()) {
      offer.assign(reinterpret_cast<const char *>(&id), sizeof id);
      problem = meeting.meet(offer);
    }
    problem = meeting.part(problem);
    if (!problem.empty()) return problem;
    std::memcpy(&id, offer.data(), std::min(offer.size(), sizeof id));
    ncclComm_t all = nullptr;
    problem = nccl_problem(ncclCommInitRank(&all, static_cast<int>(mesh.size()), id, static_cast<int>(mesh.rank())));
    of_axis_.assign(mesh.axes().size(), all);
    for (size_t i = 0; i < mesh.axes().size() && problem.empty(); ++i) {
      const Mesh::Axis &axis = mesh.axes()[i];
      if (axis.size == 1 || axis.size == mesh.size()) continue;  // no collective, or all devices
      const int64_t first = mesh.rank() - axis.index * axis.stride;
      problem = nccl_problem(ncclCommSplit(all, static_cast<int>(first), static_cast<int>(axis.index), &of_axis_[i], nullptr), all);
    }
    return problem;
  }

  std::mutex mutex_;
  bool made_ = false;
  std::string problem_;
  std::vector<ncclComm_t> of_axis_;
};

}  // namespace detail
}  // inline namespace TSR_TARGET
}  // namespace tsr
#endif
