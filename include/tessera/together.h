// Collectives that stand together: a GPU gets them at once, so that many small ones wait for each other a single time.
#pragma once
#include "tessera/collectives.h"
#include <initializer_list>

namespace tsr {
inline namespace TSR_TARGET {

/// Until its end collectives are collected, and given to the device then. `axes`: those that they are along.
class Together {
public:
#if defined(TSR_CPU)
  Together(Call &, std::initializer_list<const char *>) {}
#else
  Together(Call &call, std::initializer_list<const char *> axes) : call_(call) {
    const Mesh *mesh = detail::mesh_of(call);
    bool busy = false;
    for (const char *name : axes) {  // communicators are not made among what is collected
      const Mesh::Axis *axis = mesh ? mesh->axis(name) : nullptr;
      if (!axis || axis->size == 1) continue;
      if (!detail::Communicators::of_process().along(call, *mesh, *axis)) return;
      busy = true;
    }
    if (!busy) return;
    const ncclResult_t started = ncclGroupStart();
    collects_ = started == ncclSuccess;
    detail::end_if_failed(call, started);
  }
  ~Together() {
    if (collects_) detail::end_if_failed(call_, ncclGroupEnd());  // the first failure is the one that is told
  }
#endif
  Together(const Together &) = delete;
  Together &operator=(const Together &) = delete;

#if !defined(TSR_CPU)
private:
  Call &call_;
  bool collects_ = false;
#endif
};

}  // inline namespace TSR_TARGET
}  // namespace tsr
