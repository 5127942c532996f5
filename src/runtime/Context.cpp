// Start and end, devices, contexts, streams, memory and copies.
#include "runtime/Internal.h"
#include <atomic>
#include <cstring>
#include <functional>
#include <iterator>

namespace tessera::runtime {
namespace {
std::atomic<int> starts{0};
std::mutex contextsMutex;
std::vector<TessContext> contexts;
}  // namespace

TessStatus requireStarted() {
  if (starts.load() > 0) return TESS_OK;
  return fail(TESS_ERROR_NOT_INITIALIZED, "call tessInit(0) first");
}

Backend *backendFor(int32_t deviceType) {
  static std::unique_ptr<Backend> cpu = makeCpuBackend(), cuda = makeCudaBackend(), hip = makeHipBackend();
  switch (deviceType) {
  case TESS_CPU: return cpu.get();
  case TESS_CUDA: return cuda.get();
  case TESS_ROCM: return hip.get();
  default: return nullptr;
  }
}

namespace {
TessStatus findBackend(int32_t deviceType, Backend *&backend) {
  if (TessStatus status = requireStarted()) return status;
  backend = backendFor(deviceType);
  if (backend) return TESS_OK;
  return fail(TESS_ERROR_ARGUMENT, "%d is no device type; use TESS_CPU, TESS_CUDA or TESS_ROCM", deviceType);
}
TessStatus findDevice(int32_t deviceType, int32_t id, Backend *&backend) {
  if (TessStatus status = findBackend(deviceType, backend)) return status;
  int32_t count = backend->count();
  if (id >= 0 && id < count) return TESS_OK;
  return backend->missing(id);
}
TessStatus requireContext(TessContext &context, const char *function) {
  if (TessStatus status = requireStarted()) return status;
  return requireLive(context, function);
}
}  // namespace
}  // namespace tessera::runtime

using namespace tessera::runtime;

TessContextObject::~TessContextObject() {
  graphs.clear();
  modules.clear();
  pools.clear();
  for (auto &[pointer, bytes] : allocations) device->release(pointer);
}

TessStatus TessContextObject::requireInside(const char *function, const void *pointer, size_t bytes) {
  const char *begin = static_cast<const char *>(pointer);
  auto check = [&](const void *start, size_t size) {
    size_t before = static_cast<size_t>(begin - static_cast<const char *>(start));
    bool inside = !std::less<const void *>()(pointer, start) && (before < size || before == 0);  // the latter: of 0 bytes
    if (!inside || bytes <= size - before) return TessStatus(TESS_OK);
    return fail(TESS_ERROR_ARGUMENT, "%s: %zu bytes at %p end outside of their allocation, which has %zu from there on", function, bytes,
                pointer, size - before);
  };
  std::lock_guard lock(mutex);
  if (auto it = allocations.upper_bound(const_cast<void *>(pointer)); it != allocations.begin())
    if (TessStatus status = check(std::prev(it)->first, std::prev(it)->second)) return status;
  for (auto &pool : pools) {
    std::lock_guard inner(pool->mutex);
    if (auto it = pool->used.upper_bound(const_cast<void *>(pointer)); it != pool->used.begin())
      if (TessStatus status = check(std::prev(it)->first, std::prev(it)->second.bytes)) return status;
  }
  return TESS_OK;
}

extern "C" {

TessStatus tessInit(uint32_t flags) {
  clearError();
  if (flags != 0) return fail(TESS_ERROR_ARGUMENT, "tessInit: flags are %u; they must be 0", flags);
  starts.fetch_add(1);
  return TESS_OK;
}

TessStatus tessShutdown(void) {
  clearError();
  if (TessStatus status = requireStarted()) return status;
  if (starts.fetch_sub(1) > 1) return TESS_OK;
  std::vector<TessContext> left;
  {
    std::lock_guard lock(contextsMutex);
    left.swap(contexts);
  }
  for (TessContext context : left) delete context;
  return TESS_OK;
}

int32_t tessVersion(void) { return 100; }

TessStatus tessDeviceCount(int32_t device_type, int32_t *count) {
  return guarded([&] {
    Backend *backend = nullptr;
    if (!count) return fail(TESS_ERROR_ARGUMENT, "tessDeviceCount: count is NULL");
    if (TessStatus status = findBackend(device_type, backend)) return status;
    *count = backend->count();
    return TessStatus(TESS_OK);
  });
}

TessStatus tessDeviceGetInfo(int32_t device_type, int32_t device_id, TessDeviceInfo *info) {
  return guarded([&] {
    Backend *backend = nullptr;
    if (!info) return fail(TESS_ERROR_ARGUMENT, "tessDeviceGetInfo: info is NULL");
    if (TessStatus status = findDevice(device_type, device_id, backend)) return status;
    *info = {};
    return backend->describe(device_id, *info);
  });
}

TessStatus tessContextCreate(int32_t device_type, int32_t device_id, TessContext *context) {
  return guarded([&] {
    Backend *backend = nullptr;
    if (!context) return fail(TESS_ERROR_ARGUMENT, "tessContextCreate: context is NULL");
    *context = nullptr;
    if (TessStatus status = findDevice(device_type, device_id, backend)) return status;
    auto made = std::make_unique<TessContextObject>();
    made->deviceType = device_type;
    if (TessStatus status = backend->open(device_id, made->device)) return status;
    std::lock_guard lock(contextsMutex);
    contexts.push_back(made.get());
    *context = handleOf(made.release());
    return TessStatus(TESS_OK);
  });
}

TessStatus tessContextDestroy(TessContext context) {
  return guarded([&] {
    if (!context) return TessStatus(TESS_OK);
    if (TessStatus status = requireLive(context, "tessContextDestroy")) return status;
    {
      std::lock_guard lock(contextsMutex);
      if (std::erase(contexts, context) == 0) return refuseHandle(handleOf(context), "tessContextDestroy", Kind::Context);
    }
    delete context;
    return TessStatus(TESS_OK);
  });
}

TessStatus tessContextSynchronize(TessContext context) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessContextSynchronize")) return status;
    return context->device->synchronizeAll();
  });
}

TessStatus tessStreamCreate(TessContext context, TessStream *stream) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessStreamCreate")) return status;
    if (!stream) return fail(TESS_ERROR_ARGUMENT, "tessStreamCreate: stream is NULL");
    if (TessStatus status = context->device->createStream(stream)) return status;
    std::lock_guard lock(context->mutex);
    if (*stream) context->streams.insert(*stream);
    return TessStatus(TESS_OK);
  });
}
TessStatus tessStreamDestroy(TessContext context, TessStream stream) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessStreamDestroy")) return status;
    if (!stream) return TessStatus(TESS_OK);
    {
      std::lock_guard lock(context->mutex);
      if (context->streams.erase(stream) == 0)
        return fail(TESS_ERROR_ARGUMENT, "tessStreamDestroy: %p is no stream of tessStreamCreate of this context, or was destroyed before", stream);
    }
    return context->device->destroyStream(stream);
  });
}
TessStatus tessStreamSynchronize(TessContext context, TessStream stream) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessStreamSynchronize")) return status;
    return context->device->synchronize(stream);
  });
}

TessStatus tessMalloc(TessContext context, size_t bytes, void **pointer) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessMalloc")) return status;
    if (!pointer) return fail(TESS_ERROR_ARGUMENT, "tessMalloc: pointer is NULL");
    *pointer = nullptr;
    if (TessStatus status = context->device->allocate(bytes ? bytes : 1, pointer)) return status;
    std::lock_guard lock(context->mutex);
    context->allocations[*pointer] = bytes;
    return TessStatus(TESS_OK);
  });
}

TessStatus tessFree(TessContext context, void *pointer) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessFree")) return status;
    if (!pointer) return TessStatus(TESS_OK);
    {
      std::lock_guard lock(context->mutex);
      if (context->allocations.erase(pointer) == 0)
        return fail(TESS_ERROR_ARGUMENT, "tessFree: %p was not allocated by tessMalloc of this context, or was freed before", pointer);
    }
    return context->device->release(pointer);
  });
}

TessStatus tessMemcpyAsync(TessContext context, void *to, const void *from, size_t bytes, TessMemcpyKind kind, TessStream stream) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessMemcpyAsync")) return status;
    if (bytes == 0) return TessStatus(TESS_OK);
    if (!to || !from) return fail(TESS_ERROR_ARGUMENT, "tessMemcpyAsync: %s is NULL", to ? "from" : "to");
    if (kind < TESS_MEMCPY_HOST_TO_DEVICE || kind > TESS_MEMCPY_DEVICE_TO_DEVICE)
      return fail(TESS_ERROR_ARGUMENT, "tessMemcpyAsync: %d is no TessMemcpyKind", static_cast<int>(kind));
    for (const void *end : {static_cast<const void *>(to), from})
      if (TessStatus status = context->requireInside("tessMemcpyAsync", end, bytes)) return status;
    return context->device->copy(to, from, bytes, kind, stream);
  });
}

TessStatus tessMemsetAsync(TessContext context, void *pointer, int32_t value, size_t bytes, TessStream stream) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessMemsetAsync")) return status;
    if (bytes == 0) return TessStatus(TESS_OK);
    if (!pointer) return fail(TESS_ERROR_ARGUMENT, "tessMemsetAsync: pointer is NULL");
    if (value < 0 || value > 255) return fail(TESS_ERROR_ARGUMENT, "tessMemsetAsync: %d is no byte", value);
    if (TessStatus status = context->requireInside("tessMemsetAsync", pointer, bytes)) return status;
    return context->device->set(pointer, value, bytes, stream);
  });
}

TessStatus tessSetNumericsPolicy(TessContext context, const TessNumericsPolicy *policy) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessSetNumericsPolicy")) return status;
    if (!policy) return fail(TESS_ERROR_ARGUMENT, "tessSetNumericsPolicy: policy is NULL");
    if (policy->allow_tf32) return fail(TESS_ERROR_UNSUPPORTED, "tf32 is never a default: ask for it by dtype in the program");
    if (TessStatus status = context->device->accepts(*policy)) return status;
    std::lock_guard lock(context->mutex);
    context->policy = *policy;
    return TessStatus(TESS_OK);
  });
}

TessStatus tessGetNumericsPolicy(TessContext context, TessNumericsPolicy *policy) {
  return guarded([&] {
    if (TessStatus status = requireContext(context, "tessGetNumericsPolicy")) return status;
    if (!policy) return fail(TESS_ERROR_ARGUMENT, "tessGetNumericsPolicy: policy is NULL");
    std::lock_guard lock(context->mutex);
    *policy = context->policy;
    return TessStatus(TESS_OK);
  });
}

}  // extern "C"
