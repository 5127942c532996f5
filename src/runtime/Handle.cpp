// Which handles of the C interface are alive.
#include "runtime/Internal.h"
#include <unordered_map>

namespace tessera::runtime {
namespace {

struct Live {
  std::mutex mutex;
  struct Entry {
    Handle *object;
    Kind kind;
  };
  std::unordered_map<uintptr_t, Entry> entries;
  uintptr_t last = 0;
};
/// Never destroyed: handles may be freed by destructors that run after those of this file.
Live &live() {
  static Live *all = new Live;
  return *all;
}

const char *nameOf(Kind kind) {
  switch (kind) {
  case Kind::Context: return "context";
  case Kind::Module: return "module";
  case Kind::Kernel: return "kernel";
  case Kind::Graph: return "graph";
  case Kind::Pool: break;
  }
  return "pool";
}

}  // namespace

Handle::Handle(Kind kind) {
  std::lock_guard lock(live().mutex);
  number_ = ++live().last * 16 + 1;  // odd: no address of an object
  live().entries[number_] = {this, kind};
}
Handle::~Handle() {
  std::lock_guard lock(live().mutex);
  live().entries.erase(number_);
}

Handle *objectOf(uintptr_t number, Kind kind) {
  std::lock_guard lock(live().mutex);
  auto it = live().entries.find(number);
  return it != live().entries.end() && it->second.kind == kind ? it->second.object : nullptr;
}

TessStatus refuseHandle(const void *handle, const char *function, Kind kind) {
  if (!handle) return fail(TESS_ERROR_ARGUMENT, "%s: the %s is NULL", function, nameOf(kind));
  return fail(TESS_ERROR_ARGUMENT, "%s: %p is no live %s (destroyed before?)", function, handle, nameOf(kind));
}

}  // namespace tessera::runtime
