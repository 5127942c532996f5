// Which handles of the C interface are alive.
#include "runtime/Internal.h"
#include <unordered_set>

namespace tessera::runtime {
namespace {

struct Live {
  std::mutex mutex;
  std::unordered_set<const Handle *> handles;
};
/// Never destroyed: handles may be freed by destructors that run after those of this file.
Live &live() {
  static Live *all = new Live;
  return *all;
}

}  // namespace

Handle::Handle() {
  std::lock_guard lock(live().mutex);
  live().handles.insert(this);
}
Handle::~Handle() {
  std::lock_guard lock(live().mutex);
  live().handles.erase(this);
}

bool isLive(const Handle *handle) {
  std::lock_guard lock(live().mutex);
  return live().handles.count(handle) != 0;
}

TessStatus requireLive(const Handle *handle, const char *function, const char *kind) {
  if (!handle) return fail(TESS_ERROR_ARGUMENT, "%s: the %s is NULL", function, kind);
  if (!isLive(handle))
    return fail(TESS_ERROR_ARGUMENT, "%s: %p is no live %s (destroyed before?)", function, static_cast<const void *>(handle), kind);
  return TESS_OK;
}

}  // namespace tessera::runtime
