// Recorded work.
#include "runtime/Internal.h"
#include <algorithm>

using namespace tessera::runtime;

extern "C" {

TessStatus tessGraphBegin(TessContext context, TessStream stream) {
  return guarded([&] {
    if (TessStatus status = requireStarted()) return status;
    if (TessStatus status = requireLive(context, "tessGraphBegin")) return status;
    std::lock_guard lock(context->mutex);
    if (stream && !context->streams.count(stream))
      return fail(TESS_ERROR_ARGUMENT, "tessGraphBegin: %p is no stream of tessStreamCreate of this context", stream);
    const auto mine = std::make_pair(stream, std::this_thread::get_id());
    if (context->recorded.count(mine)) return fail(TESS_ERROR_ARGUMENT, "tessGraphBegin: %p is recorded already; tessGraphEnd() comes first", stream);
    if (TessStatus status = context->device->beginRecording(stream)) return status;
    context->recorded.insert(mine);
    return TessStatus(TESS_OK);
  });
}

TessStatus tessGraphEnd(TessContext context, TessStream stream, TessGraph *graph) {
  return guarded([&] {
    if (TessStatus status = requireStarted()) return status;
    if (TessStatus status = requireLive(context, "tessGraphEnd")) return status;
    if (!graph) return fail(TESS_ERROR_ARGUMENT, "tessGraphEnd: graph is NULL");
    *graph = nullptr;
    std::lock_guard lock(context->mutex);
    if (context->recorded.erase({stream, std::this_thread::get_id()}) == 0)
      return fail(TESS_ERROR_ARGUMENT, "tessGraphEnd: this thread records nothing on %p; tessGraphBegin() comes first", stream);
    auto made = std::make_unique<TessGraphObject>();
    made->context = context;
    if (TessStatus status = context->device->endRecording(stream, made->recording)) return status;
    *graph = handleOf(made.get());
    context->graphs.push_back(std::move(made));
    return TessStatus(TESS_OK);
  });
}

TessStatus tessGraphLaunch(TessGraph graph, TessStream stream) {
  return guarded([&] {
    if (TessStatus status = requireStarted()) return status;
    if (TessStatus status = requireLive(graph, "tessGraphLaunch")) return status;
    {
      std::lock_guard lock(graph->context->mutex);
      if (graph->context->recorded.count({stream, std::this_thread::get_id()}))
        return fail(TESS_ERROR_ARGUMENT, "tessGraphLaunch: %p is recorded, and a graph cannot be part of another; tessGraphEnd() comes first", stream);
    }
    return graph->recording->launch(stream);
  });
}

TessStatus tessGraphDestroy(TessGraph graph) {
  return guarded([&] {
    if (!graph) return TessStatus(TESS_OK);
    if (TessStatus status = requireLive(graph, "tessGraphDestroy")) return status;
    TessContext context = graph->context;
    if (TessStatus status = context->device->synchronizeAll()) return status;
    std::unique_ptr<TessGraphObject> dying;
    std::lock_guard lock(context->mutex);
    auto it = std::find_if(context->graphs.begin(), context->graphs.end(), [&](auto &one) { return one.get() == graph; });
    if (it == context->graphs.end()) return fail(TESS_ERROR_ARGUMENT, "tessGraphDestroy: not a live graph");
    dying = std::move(*it);
    context->graphs.erase(it);
    return TessStatus(TESS_OK);
  });
}

}  // extern "C"
