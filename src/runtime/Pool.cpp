// Memory pools. Freed pieces are kept by size; a piece goes back to the stream that used it last at once, to another
// stream only after that one has been waited for, so that work still queued never shares memory with new work.
#include "runtime/Internal.h"
#include <algorithm>

using namespace tessera::runtime;

namespace {
constexpr size_t kGranule = 512;
constexpr size_t kMostBytes = SIZE_MAX / 4;  // rounded up, and added to what a pool holds, it still is a number

TessStatus requirePool(TessMemPool &pool, const char *function) {
  if (TessStatus status = requireStarted()) return status;
  return requireLive(pool, function);
}

/// Gives idle pieces back to the device. The caller holds the pool's mutex.
void releaseIdle(TessMemPoolObject &pool) {
  if (pool.idle.empty()) return;
  pool.context->device->synchronizeAll();
  for (auto &[bytes, piece] : pool.idle) {
    pool.context->device->release(piece.first);
    pool.stats.held_bytes -= bytes;
  }
  pool.idle.clear();
}

size_t pieceSize(const TessMemPoolObject &pool, size_t bytes) {
  size_t least = bytes < kGranule ? kGranule : bytes;
  size_t block = pool.options.block_bytes;
  // Large pieces are rounded to whole blocks, small ones to powers of two: a later request of about the same size fits.
  if (block && least >= block) return (least + block - 1) / block * block;
  size_t size = kGranule;
  while (size < least) size *= 2;
  return size;
}
}  // namespace

TessMemPoolObject::~TessMemPoolObject() {
  context->device->synchronizeAll();
  for (auto &[bytes, piece] : idle) context->device->release(piece.first);
  for (auto &[pointer, piece] : used) context->device->release(pointer);
}

extern "C" {

TessStatus tessMemPoolCreate(TessContext context, const TessMemPoolOptions *options, TessMemPool *pool) {
  return guarded([&] {
    if (TessStatus status = requireStarted()) return status;
    if (TessStatus status = requireLive(context, "tessMemPoolCreate")) return status;
    if (!pool) return fail(TESS_ERROR_ARGUMENT, "tessMemPoolCreate: pool is NULL");
    *pool = nullptr;
    auto made = std::make_unique<TessMemPoolObject>();
    made->context = context;
    if (options) made->options = *options;
    if (made->options.block_bytes == 0) made->options.block_bytes = size_t(2) << 20;
    std::lock_guard lock(context->mutex);
    *pool = handleOf(made.get());
    context->pools.push_back(std::move(made));
    return TessStatus(TESS_OK);
  });
}

TessStatus tessMemPoolDestroy(TessMemPool pool) {
  return guarded([&] {
    if (!pool) return TessStatus(TESS_OK);
    if (TessStatus status = requireLive(pool, "tessMemPoolDestroy")) return status;
    std::unique_ptr<TessMemPoolObject> dying;
    TessContext context = pool->context;
    std::lock_guard lock(context->mutex);
    auto it = std::find_if(context->pools.begin(), context->pools.end(), [&](auto &p) { return p.get() == pool; });
    if (it == context->pools.end()) return fail(TESS_ERROR_ARGUMENT, "tessMemPoolDestroy: not a live pool");
    dying = std::move(*it);
    context->pools.erase(it);
    return TessStatus(TESS_OK);
  });
}

TessStatus tessMemPoolAlloc(TessMemPool pool, size_t bytes, TessStream stream, void **pointer) {
  return guarded([&] {
    if (TessStatus status = requirePool(pool, "tessMemPoolAlloc")) return status;
    if (!pointer) return fail(TESS_ERROR_ARGUMENT, "tessMemPoolAlloc: pointer is NULL");
    *pointer = nullptr;
    std::lock_guard lock(pool->mutex);
    if (bytes > kMostBytes) return fail(TESS_ERROR_MEMORY, "tessMemPoolAlloc: no device has %zu bytes", bytes);
    size_t size = pieceSize(*pool, bytes);
    auto give = [&](void *memory) {
      pool->used[memory] = {size, stream};
      pool->stats.used_bytes += size;
      pool->stats.peak_bytes = std::max(pool->stats.peak_bytes, pool->stats.used_bytes);
      ++pool->stats.allocations;
      *pointer = memory;
      return TessStatus(TESS_OK);
    };
    auto [first, last] = pool->idle.equal_range(size);
    auto same = std::find_if(first, last, [&](auto &entry) { return entry.second.second == stream; });
    if (same == last && first != last) {
      same = first;
      if (TessStatus status = pool->context->device->synchronize(same->second.second)) return status;
    }
    if (same != last) {
      void *memory = same->second.first;
      pool->idle.erase(same);
      return give(memory);
    }
    size_t limit = pool->options.limit_bytes;
    if (limit && (size > limit || pool->stats.held_bytes > limit - size)) releaseIdle(*pool);
    if (limit && (size > limit || pool->stats.held_bytes > limit - size))
      return fail(TESS_ERROR_MEMORY, "the pool holds %zu bytes; %zu more would pass its limit of %zu", pool->stats.held_bytes, size, limit);
    void *memory = nullptr;
    TessStatus status = pool->context->device->allocate(size, &memory);
    if (status == TESS_ERROR_MEMORY && !pool->idle.empty()) {
      releaseIdle(*pool);
      status = pool->context->device->allocate(size, &memory);
    }
    if (status) return status;
    pool->stats.held_bytes += size;
    return give(memory);
  });
}

TessStatus tessMemPoolFree(TessMemPool pool, void *pointer, TessStream stream) {
  return guarded([&] {
    if (TessStatus status = requirePool(pool, "tessMemPoolFree")) return status;
    if (!pointer) return TessStatus(TESS_OK);
    std::lock_guard lock(pool->mutex);
    auto it = pool->used.find(pointer);
    if (it == pool->used.end())
      return fail(TESS_ERROR_ARGUMENT, "tessMemPoolFree: %p is not in use in this pool (freed before?)", pointer);
    pool->stats.used_bytes -= it->second.bytes;
    pool->idle.emplace(it->second.bytes, std::make_pair(pointer, stream));
    pool->used.erase(it);
    return TessStatus(TESS_OK);
  });
}

TessStatus tessMemPoolGetStats(TessMemPool pool, TessMemPoolStats *stats) {
  return guarded([&] {
    if (TessStatus status = requirePool(pool, "tessMemPoolGetStats")) return status;
    if (!stats) return fail(TESS_ERROR_ARGUMENT, "tessMemPoolGetStats: stats is NULL");
    std::lock_guard lock(pool->mutex);
    *stats = pool->stats;
    return TessStatus(TESS_OK);
  });
}

TessStatus tessMemPoolTrim(TessMemPool pool) {
  return guarded([&] {
    if (TessStatus status = requirePool(pool, "tessMemPoolTrim")) return status;
    std::lock_guard lock(pool->mutex);
    releaseIdle(*pool);
    return TessStatus(TESS_OK);
  });
}

}  // extern "C"
