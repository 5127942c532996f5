// Every bad argument that docs/c_interface.md has a row for, from one thread and from several at once. The rows are read from the
// page: a row without a case here, a case without a row, and a function of the headers without a row fail. Built with the address and
// undefined-behaviour sanitizers, and with the thread sanitizer.
//
//   misuse_test PAGE MODULE FOLDER_OF_HEADERS
#include "tessera/tessera.h"
#include "misuse.h"
#include "tessera/entry.h"
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using Statuses = std::vector<TessStatus>;
using Key = std::pair<std::string, std::string>;  // of a row: the function, and what is wrong
std::string modulePath;

const std::map<std::string, TessStatus> kNames = {
    {"TESS_OK", TESS_OK},
    {"TESS_ERROR_ARGUMENT", TESS_ERROR_ARGUMENT},
    {"TESS_ERROR_DTYPE", TESS_ERROR_DTYPE},
    {"TESS_ERROR_SHAPE", TESS_ERROR_SHAPE},
    {"TESS_ERROR_LAYOUT", TESS_ERROR_LAYOUT},
    {"TESS_ERROR_DEVICE", TESS_ERROR_DEVICE},
    {"TESS_ERROR_REQUIREMENT", TESS_ERROR_REQUIREMENT},
    {"TESS_ERROR_ALIAS", TESS_ERROR_ALIAS},
    {"TESS_ERROR_MEMORY", TESS_ERROR_MEMORY},
    {"TESS_ERROR_CAPACITY", TESS_ERROR_CAPACITY},
    {"TESS_ERROR_DRIVER", TESS_ERROR_DRIVER},
    {"TESS_ERROR_NO_DEVICE", TESS_ERROR_NO_DEVICE},
    {"TESS_ERROR_NOT_INITIALIZED", TESS_ERROR_NOT_INITIALIZED},
    {"TESS_ERROR_NOT_FOUND", TESS_ERROR_NOT_FOUND},
    {"TESS_ERROR_UNSUPPORTED", TESS_ERROR_UNSUPPORTED},
    {"TESS_ERROR_NOT_DETERMINISTIC", TESS_ERROR_NOT_DETERMINISTIC},
};

/// Objects that live, and handles of objects that do not live any more.
struct World {
  TessContext context = nullptr, deadContext = nullptr;
  TessMemPool pool = nullptr, deadPool = nullptr;
  TessModule module = nullptr, deadModule = nullptr;
  TessKernel kernel = nullptr, deadKernel = nullptr;
  TessGraph graph = nullptr, deadGraph = nullptr;
  void *memory = nullptr, *pooled = nullptr, *freed = nullptr, *pooledFreed = nullptr;
  char host[64] = {};
  double foreign[8] = {};

  World() {
    tessContextCreate(TESS_CPU, 0, &context);
    tessContextCreate(TESS_CPU, 0, &deadContext);
    tessContextDestroy(deadContext);
    TessMemPoolOptions options{0, 1 << 20};
    tessMemPoolCreate(context, &options, &pool);
    tessMemPoolCreate(context, nullptr, &deadPool);
    tessMemPoolDestroy(deadPool);
    load(module, kernel);
    load(deadModule, deadKernel);
    tessModuleUnload(deadModule);
    record(graph);
    record(deadGraph);
    tessGraphDestroy(deadGraph);
    tessMalloc(context, 32, &memory);
    tessMalloc(context, 32, &freed);
    tessFree(context, freed);
    tessMemPoolAlloc(pool, 512, nullptr, &pooled);
    tessMemPoolAlloc(pool, 512, nullptr, &pooledFreed);
    tessMemPoolFree(pool, pooledFreed, nullptr);
  }
  ~World() { tessContextDestroy(context); }
  World(const World &) = delete;
  bool whole() const { return context && deadContext && pool && deadPool && kernel && deadKernel && graph && deadGraph && memory && pooled; }

private:
  void load(TessModule &module, TessKernel &kernel) const {
    tessModuleLoad(context, TESS_MODULE_FILE, modulePath.c_str(), 0, nullptr, &module);
    tessKernelGet(module, "scale", &kernel);
  }
  void record(TessGraph &graph) {
    tessGraphBegin(context, nullptr);
    tessMemsetAsync(context, host, 7, sizeof host, nullptr);
    tessGraphEnd(context, nullptr, &graph);
  }
};

using Case = std::function<Statuses(World &)>;
std::map<Key, Case> cases;

template <class Call> Case each(std::vector<int64_t> values, Call call) {
  return [=](World &world) {
    Statuses found;
    for (int64_t value : values) found.push_back(call(world, value));
    return found;
  };
}
template <class Call> Case one(Call call) {
  return [=](World &world) { return Statuses{call(world)}; };
}
/// Handles that are none: destroyed, of another kind, numbers, memory of the caller.
template <class Object, class Call> Case wrongHandles(Object World::*dead, Call call) {
  return [=](World &world) {
    Statuses found;
    std::vector<void *> wrong = {world.*dead, world.foreign, reinterpret_cast<void *>(1), reinterpret_cast<void *>(-1)};
    if (!std::is_same_v<Object, TessContext>) wrong.push_back(world.context);
    if (!std::is_same_v<Object, TessMemPool>) wrong.push_back(world.pool);
    if (!std::is_same_v<Object, TessModule>) wrong.push_back(world.module);
    if (!std::is_same_v<Object, TessKernel>) wrong.push_back(world.kernel);
    if (!std::is_same_v<Object, TessGraph>) wrong.push_back(world.graph);
    for (void *handle : wrong) found.push_back(call(world, static_cast<Object>(handle)));
    return found;
  };
}
const char *const kWrongHandle = "a handle that was destroyed, is of another kind, or is none";

/// The rows that all functions with a handle have. `call(world, handle)`.
template <class Object, class Call> void handleRows(const char *function, const char *argument, Object World::*dead, Call call) {
  std::string name = std::string("`") + argument + "`: ";
  cases[{function, name + kWrongHandle}] = wrongHandles(dead, call);
  cases[{function, name + "NULL"}] = one([=](World &world) { return call(world, Object(nullptr)); });
}

const TessLaunchConfig kOne{{1, 1, 1}, {1, 1, 1}, 0, 0};

void deviceRows() {
  auto info = [](int64_t type, int64_t id) {
    TessDeviceInfo info;
    return tessDeviceGetInfo(static_cast<int32_t>(type), static_cast<int32_t>(id), &info);
  };
  auto create = [](int64_t type, int64_t id) {
    TessContext made = nullptr;
    return tessContextCreate(static_cast<int32_t>(type), static_cast<int32_t>(id), &made);
  };
  const std::vector<int64_t> noTypes = {0, -1, 3, 77, INT32_MAX, INT32_MIN}, noIds = {-1, 1, 1000, INT32_MAX, INT32_MIN};
  cases[{"tessInit", "`flags`: not 0"}] = each({1, 2, 0xffffffff}, [](World &, int64_t flags) { return tessInit(static_cast<uint32_t>(flags)); });
  cases[{"tessDeviceCount", "`device_type`: none that there is"}] = each(noTypes, [](World &, int64_t type) {
    int32_t count = 0;
    return tessDeviceCount(static_cast<int32_t>(type), &count);
  });
  cases[{"tessDeviceCount", "`count`: NULL"}] = one([](World &) { return tessDeviceCount(TESS_CPU, nullptr); });
  cases[{"tessDeviceGetInfo", "`device_type`: none that there is"}] = each(noTypes, [=](World &, int64_t type) { return info(type, 0); });
  cases[{"tessDeviceGetInfo", "`device_id`: none that there is"}] = each(noIds, [=](World &, int64_t id) { return info(TESS_CPU, id); });
  cases[{"tessDeviceGetInfo", "`info`: NULL"}] = one([](World &) { return tessDeviceGetInfo(TESS_CPU, 0, nullptr); });
  cases[{"tessContextCreate", "`device_type`: none that there is"}] = each(noTypes, [=](World &, int64_t type) { return create(type, 0); });
  cases[{"tessContextCreate", "`device_id`: none that there is"}] = each(noIds, [=](World &, int64_t id) { return create(TESS_CPU, id); });
  cases[{"tessContextCreate", "`context`: NULL"}] = one([](World &) { return tessContextCreate(TESS_CPU, 0, nullptr); });
  handleRows("tessContextDestroy", "context", &World::deadContext, [](World &, TessContext c) { return tessContextDestroy(c); });
  handleRows("tessContextSynchronize", "context", &World::deadContext, [](World &, TessContext c) { return tessContextSynchronize(c); });
  handleRows("tessStreamCreate", "context", &World::deadContext, [](World &, TessContext c) {
    TessStream stream = nullptr;
    return tessStreamCreate(c, &stream);
  });
  cases[{"tessStreamCreate", "`stream`: NULL"}] = one([](World &w) { return tessStreamCreate(w.context, nullptr); });
  handleRows("tessStreamDestroy", "context", &World::deadContext, [](World &, TessContext c) { return tessStreamDestroy(c, nullptr); });
  cases[{"tessStreamDestroy", "`stream`: not of `tessStreamCreate` of this context, or destroyed"}] =
      one([](World &w) { return tessStreamDestroy(w.context, w.foreign); });
  cases[{"tessStreamDestroy", "`stream`: NULL"}] = one([](World &w) { return tessStreamDestroy(w.context, nullptr); });
  handleRows("tessStreamSynchronize", "context", &World::deadContext, [](World &, TessContext c) { return tessStreamSynchronize(c, nullptr); });
}

void memoryRows() {
  handleRows("tessMalloc", "context", &World::deadContext, [](World &, TessContext c) {
    void *memory = nullptr;
    return tessMalloc(c, 8, &memory);
  });
  cases[{"tessMalloc", "`pointer`: NULL"}] = one([](World &w) { return tessMalloc(w.context, 8, nullptr); });
  const std::vector<int64_t> sizes = {-1, -255, INT64_MIN, INT64_MAX, INT64_MAX / 2, int64_t(1) << 61};
  cases[{"tessMalloc", "`bytes`: more than a device has"}] = each(sizes, [](World &w, int64_t bytes) {
    void *memory = nullptr;
    return tessMalloc(w.context, static_cast<size_t>(bytes), &memory);
  });
  handleRows("tessFree", "context", &World::deadContext, [](World &, TessContext c) { return tessFree(c, nullptr); });
  cases[{"tessFree", "`pointer`: not of `tessMalloc` of this context, or freed"}] = [](World &w) {
    return Statuses{tessFree(w.context, w.freed), tessFree(w.context, w.foreign), tessFree(w.context, w.pooled),
                    tessFree(w.context, static_cast<char *>(w.memory) + 1)};
  };
  cases[{"tessFree", "`pointer`: NULL"}] = one([](World &w) { return tessFree(w.context, nullptr); });
  const auto toDevice = TESS_MEMCPY_HOST_TO_DEVICE;
  handleRows("tessMemcpyAsync", "context", &World::deadContext,
             [=](World &w, TessContext c) { return tessMemcpyAsync(c, w.memory, w.host, 8, toDevice, nullptr); });
  cases[{"tessMemcpyAsync", "`to` or `from`: NULL, and `bytes` is not 0"}] = [=](World &w) {
    return Statuses{tessMemcpyAsync(w.context, nullptr, w.host, 8, toDevice, nullptr), tessMemcpyAsync(w.context, w.memory, nullptr, 8, toDevice, nullptr)};
  };
  cases[{"tessMemcpyAsync", "`kind`: none that there is"}] = each({3, 77, -1, INT32_MAX}, [](World &w, int64_t kind) {
    return tessMemcpyAsync(w.context, w.memory, w.host, 8, static_cast<TessMemcpyKind>(kind), nullptr);
  });
  cases[{"tessMemcpyAsync", "`bytes`: past the end of an allocation"}] = [](World &w) {
    Statuses found;
    for (size_t bytes : {size_t(33), size_t(64), SIZE_MAX}) {
      found.push_back(tessMemcpyAsync(w.context, w.memory, w.host, bytes, TESS_MEMCPY_HOST_TO_DEVICE, nullptr));
      found.push_back(tessMemcpyAsync(w.context, w.host, w.memory, bytes, TESS_MEMCPY_DEVICE_TO_HOST, nullptr));
      found.push_back(tessMemcpyAsync(w.context, static_cast<char *>(w.memory) + 31, w.host, bytes - 31, TESS_MEMCPY_HOST_TO_DEVICE, nullptr));
    }
    found.push_back(tessMemcpyAsync(w.context, w.pooled, w.host, 513, TESS_MEMCPY_HOST_TO_DEVICE, nullptr));
    return found;
  };
  handleRows("tessMemsetAsync", "context", &World::deadContext, [](World &w, TessContext c) { return tessMemsetAsync(c, w.memory, 0, 8, nullptr); });
  cases[{"tessMemsetAsync", "`pointer`: NULL, and `bytes` is not 0"}] = one([](World &w) { return tessMemsetAsync(w.context, nullptr, 0, 8, nullptr); });
  cases[{"tessMemsetAsync", "`value`: no byte"}] =
      each({-1, 256, INT32_MAX, INT32_MIN}, [](World &w, int64_t value) { return tessMemsetAsync(w.context, w.memory, static_cast<int32_t>(value), 8, nullptr); });
  cases[{"tessMemsetAsync", "`bytes`: past the end of an allocation"}] =
      each({33, 64, -1}, [](World &w, int64_t bytes) { return tessMemsetAsync(w.context, w.memory, 1, static_cast<size_t>(bytes), nullptr); });
  handleRows("tessMemPoolCreate", "context", &World::deadContext, [](World &, TessContext c) {
    TessMemPool pool = nullptr;
    return tessMemPoolCreate(c, nullptr, &pool);
  });
  cases[{"tessMemPoolCreate", "`pool`: NULL"}] = one([](World &w) { return tessMemPoolCreate(w.context, nullptr, nullptr); });
  handleRows("tessMemPoolDestroy", "pool", &World::deadPool, [](World &, TessMemPool p) { return tessMemPoolDestroy(p); });
  auto take = [](TessMemPool pool, size_t bytes) {
    void *memory = nullptr;
    return tessMemPoolAlloc(pool, bytes, nullptr, &memory);
  };
  handleRows("tessMemPoolAlloc", "pool", &World::deadPool, [=](World &, TessMemPool p) { return take(p, 8); });
  cases[{"tessMemPoolAlloc", "`pointer`: NULL"}] = one([](World &w) { return tessMemPoolAlloc(w.pool, 8, nullptr, nullptr); });
  cases[{"tessMemPoolAlloc", "`bytes`: more than a device has, or than the limit of the pool leaves"}] = [=](World &w) {
    Statuses found;
    for (size_t block : {size_t(0), size_t(1), SIZE_MAX / 2 + 2, SIZE_MAX}) {
      TessMemPoolOptions options{block, block ? 0 : size_t(1) << 20};
      TessMemPool pool = nullptr;
      tessMemPoolCreate(w.context, &options, &pool);
      for (size_t bytes : {SIZE_MAX, SIZE_MAX - 511, SIZE_MAX / 2, size_t(1) << 61}) found.push_back(take(pool, bytes));
      tessMemPoolDestroy(pool);
    }
    found.push_back(take(w.pool, 2 << 20));
    return found;
  };
  handleRows("tessMemPoolFree", "pool", &World::deadPool, [](World &, TessMemPool p) { return tessMemPoolFree(p, nullptr, nullptr); });
  cases[{"tessMemPoolFree", "`pointer`: not of this pool, or freed"}] = [](World &w) {
    return Statuses{tessMemPoolFree(w.pool, w.pooledFreed, nullptr), tessMemPoolFree(w.pool, w.foreign, nullptr), tessMemPoolFree(w.pool, w.memory, nullptr)};
  };
  cases[{"tessMemPoolFree", "`pointer`: NULL"}] = one([](World &w) { return tessMemPoolFree(w.pool, nullptr, nullptr); });
  handleRows("tessMemPoolGetStats", "pool", &World::deadPool, [](World &, TessMemPool p) {
    TessMemPoolStats stats;
    return tessMemPoolGetStats(p, &stats);
  });
  cases[{"tessMemPoolGetStats", "`stats`: NULL"}] = one([](World &w) { return tessMemPoolGetStats(w.pool, nullptr); });
  handleRows("tessMemPoolTrim", "pool", &World::deadPool, [](World &, TessMemPool p) { return tessMemPoolTrim(p); });
}

TessStatus loadWith(World &w, TessModuleFormat format, const void *data, const TessModuleOptions *options = nullptr) {
  TessModule made = nullptr;
  return tessModuleLoad(w.context, format, data, 1, options, &made);
}

void moduleRows() {
  handleRows("tessModuleLoad", "context", &World::deadContext, [](World &, TessContext c) {
    TessModule made = nullptr;
    return tessModuleLoad(c, TESS_MODULE_FILE, modulePath.c_str(), 0, nullptr, &made);
  });
  cases[{"tessModuleLoad", "`data` or `module`: NULL"}] = [](World &w) {
    return Statuses{loadWith(w, TESS_MODULE_FILE, nullptr), tessModuleLoad(w.context, TESS_MODULE_FILE, modulePath.c_str(), 0, nullptr, nullptr)};
  };
  cases[{"tessModuleLoad", "`format`: none that there is"}] =
      each({3, 77, -1, INT32_MAX}, [](World &w, int64_t format) { return loadWith(w, static_cast<TessModuleFormat>(format), modulePath.c_str()); });
  cases[{"tessModuleLoad", "`format`: `TESS_MODULE_BINARY` or `TESS_MODULE_SOURCE`, of a CPU"}] =
      each({TESS_MODULE_BINARY, TESS_MODULE_SOURCE}, [](World &w, int64_t format) { return loadWith(w, static_cast<TessModuleFormat>(format), "x"); });
  cases[{"tessModuleLoad", "`data`: a file that there is not"}] = one([](World &w) { return loadWith(w, TESS_MODULE_FILE, "no/such/library.so"); });
  cases[{"tessModuleLoad", "`data`: a folder, or a file that is no library"}] = [](World &w) {
    return Statuses{loadWith(w, TESS_MODULE_FILE, "/"), loadWith(w, TESS_MODULE_FILE, "/proc/self/cmdline")};
  };
  cases[{"tessModuleLoad", "`options`: a negative count, a list or a text that is NULL"}] = [](World &w) {
    static const char *const holes[] = {nullptr};
    Statuses found;
    for (TessModuleOptions wrong : {TessModuleOptions{nullptr, 1, nullptr, 0}, TessModuleOptions{nullptr, -1, nullptr, 0}, TessModuleOptions{holes, 1, nullptr, 0},
                                    TessModuleOptions{nullptr, 0, nullptr, 7}, TessModuleOptions{nullptr, 0, holes, INT32_MIN}, TessModuleOptions{nullptr, 0, holes, 1}})
      found.push_back(loadWith(w, TESS_MODULE_FILE, modulePath.c_str(), &wrong));
    return found;
  };
  handleRows("tessModuleUnload", "module", &World::deadModule, [](World &, TessModule m) { return tessModuleUnload(m); });
  auto get = [](TessModule module, const char *name) {
    TessKernel made = nullptr;
    return tessKernelGet(module, name, &made);
  };
  handleRows("tessKernelGet", "module", &World::deadModule, [=](World &, TessModule m) { return get(m, "scale"); });
  cases[{"tessKernelGet", "`name` or `kernel`: NULL"}] = [=](World &w) { return Statuses{get(w.module, nullptr), tessKernelGet(w.module, "scale", nullptr)}; };
  cases[{"tessKernelGet", "`name`: none that the module has"}] =
      [=](World &w) { return Statuses{get(w.module, ""), get(w.module, "scales"), get(w.module, "malloc"), get(w.module, std::string(100'000, 'x').c_str())}; };
  handleRows("tessKernelSetDeterministic", "kernel", &World::deadKernel, [](World &, TessKernel k) { return tessKernelSetDeterministic(k, 1); });
  handleRows("tessLaunch", "kernel", &World::deadKernel, [](World &, TessKernel k) { return tessLaunch(k, &kOne, nullptr, 0, nullptr); });
  cases[{"tessLaunch", "`config`: NULL"}] = one([](World &w) { return tessLaunch(w.kernel, nullptr, nullptr, 0, nullptr); });
  cases[{"tessLaunch", "`config`: a size of a group is 0"}] = each({0, 1, 2}, [](World &w, int64_t axis) {
    TessLaunchConfig config = kOne;
    config.group[axis] = 0;
    return tessLaunch(w.kernel, &config, nullptr, 0, nullptr);
  });
  cases[{"tessLaunch", "`config`: a flag that there is not"}] = each({2, 4, 0xffffffff}, [](World &w, int64_t flags) {
    TessLaunchConfig config = kOne;
    config.flags = static_cast<uint32_t>(flags);
    return tessLaunch(w.kernel, &config, nullptr, 0, nullptr);
  });
  cases[{"tessLaunch", "`config`: `TESS_LAUNCH_DETERMINISTIC`, and the kernel is not stated to be so"}] = one([](World &w) {
    TessLaunchConfig config = kOne;
    config.flags = TESS_LAUNCH_DETERMINISTIC;
    return tessLaunch(w.kernel, &config, nullptr, 0, nullptr);
  });
  cases[{"tessLaunch", "`arguments`: NULL, or one of them is NULL, or `argument_count` is negative"}] = [](World &w) {
    void *holes[3] = {};
    return Statuses{tessLaunch(w.kernel, &kOne, nullptr, 3, nullptr), tessLaunch(w.kernel, &kOne, holes, 3, nullptr), tessLaunch(w.kernel, &kOne, holes, -1, nullptr),
                    tessLaunch(w.kernel, &kOne, holes, INT32_MIN, nullptr)};
  };
  handleRows("tessSetNumericsPolicy", "context", &World::deadContext, [](World &, TessContext c) {
    TessNumericsPolicy policy{};
    return tessSetNumericsPolicy(c, &policy);
  });
  cases[{"tessSetNumericsPolicy", "`policy`: NULL"}] = one([](World &w) { return tessSetNumericsPolicy(w.context, nullptr); });
  cases[{"tessSetNumericsPolicy", "`policy`: what cannot be honoured"}] = one([](World &w) {
    TessNumericsPolicy policy{0, 0, 1};
    return tessSetNumericsPolicy(w.context, &policy);
  });
  handleRows("tessGetNumericsPolicy", "context", &World::deadContext, [](World &, TessContext c) {
    TessNumericsPolicy policy{};
    return tessGetNumericsPolicy(c, &policy);
  });
  cases[{"tessGetNumericsPolicy", "`policy`: NULL"}] = one([](World &w) { return tessGetNumericsPolicy(w.context, nullptr); });
}

void graphRows() {
  auto end = [](TessContext context) {
    TessGraph made = nullptr;
    return tessGraphEnd(context, nullptr, &made);
  };
  handleRows("tessGraphBegin", "context", &World::deadContext, [](World &, TessContext c) { return tessGraphBegin(c, nullptr); });
  cases[{"tessGraphBegin", "`stream`: not NULL, and not of `tessStreamCreate` of this context"}] = one([](World &w) { return tessGraphBegin(w.context, w.foreign); });
  cases[{"tessGraphBegin", "`stream`: recorded by this thread already"}] = [=](World &w) {
    tessGraphBegin(w.context, nullptr);
    Statuses found = {tessGraphBegin(w.context, nullptr), tessGraphBegin(w.context, nullptr)};
    if (end(w.context) != TESS_OK) found.push_back(-1);  // what began first still records
    return found;
  };
  handleRows("tessGraphEnd", "context", &World::deadContext, [=](World &, TessContext c) { return end(c); });
  cases[{"tessGraphEnd", "`stream`: not recorded by this thread"}] = [=](World &w) {
    Statuses found = {end(w.context)};
    tessGraphBegin(w.context, nullptr);
    TessGraph made = nullptr;
    found.push_back(tessGraphEnd(w.context, w.foreign, &made));
    std::thread([&] { found.push_back(end(w.context)); }).join();
    if (end(w.context) != TESS_OK) found.push_back(-1);
    return found;
  };
  cases[{"tessGraphEnd", "`graph`: NULL"}] = [=](World &w) {
    tessGraphBegin(w.context, nullptr);
    Statuses found = {tessGraphEnd(w.context, nullptr, nullptr)};
    end(w.context);
    return found;
  };
  handleRows("tessGraphLaunch", "graph", &World::deadGraph, [](World &, TessGraph g) { return tessGraphLaunch(g, nullptr); });
  cases[{"tessGraphLaunch", "`stream`: recorded by this thread"}] = [=](World &w) {
    tessGraphBegin(w.context, nullptr);
    Statuses found = {tessGraphLaunch(w.graph, nullptr)};
    end(w.context);
    if (tessGraphLaunch(w.graph, nullptr) != TESS_OK || w.host[63] != 7) found.push_back(-1);
    return found;
  };
  handleRows("tessGraphDestroy", "graph", &World::deadGraph, [](World &, TessGraph g) { return tessGraphDestroy(g); });
}

// ---- compiled functions

/// Right arguments of `misuse`, of which a case spoils one.
struct Arguments {
  float in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {}, square[4] = {};
  int64_t extents[2] = {2, 3}, outExtents[2] = {2, 3}, strides[2] = {3, 1};
  TessTensor x = of(in, extents), result = of(out, outExtents);
  int32_t number = 1;
  static TessTensor of(void *data, int64_t *extents) { return {data, {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, extents, nullptr, 0}; }
  TessStatus call() { return misuse(&x, number, 1.5f, true, &result, nullptr); }
  std::vector<TessValue> values() {
    std::vector<TessValue> list(5);
    list[0].kind = list[4].kind = TESS_VALUE_TENSOR;
    list[0].as.tensor = &x;
    list[4].as.tensor = &result;
    list[1].kind = list[3].kind = TESS_VALUE_INTEGER;
    list[1].as.integer = list[3].as.integer = 1;
    list[2].kind = TESS_VALUE_REAL;
    list[2].as.real = 1.5;
    return list;
  }
};
template <class Spoil> Case spoiled(std::vector<Spoil> spoils) {
  return [=](World &) {
    Statuses found;
    for (const Spoil &spoil : spoils) {
      Arguments arguments;
      spoil(arguments);
      found.push_back(arguments.call());
      if (arguments.out[0] != 0) found.push_back(-1);  // a call that failed has written nothing
    }
    return found;
  };
}
using Spoils = std::vector<std::function<void(Arguments &)>>;
using ValueSpoils = std::vector<std::function<void(std::vector<TessValue> &)>>;
Case spoiledValues(const ValueSpoils &spoils) {
  return [=](World &) {
    Statuses found;
    for (const auto &spoil : spoils) {
      Arguments arguments;
      std::vector<TessValue> values = arguments.values();
      spoil(values);
      found.push_back(misuse_call(values.data(), static_cast<int32_t>(values.size()), nullptr));
    }
    return found;
  };
}

void compiledRows() {
  const char *f = "a compiled function";
  cases[{f, "a tensor: NULL"}] = [](World &) {
    Arguments a;
    return Statuses{misuse(nullptr, 1, 1.5f, true, &a.result, nullptr), misuse(&a.x, 1, 1.5f, true, nullptr, nullptr)};
  };
  cases[{f, "a tensor: `shape` is NULL, or `data` is, and it has elements"}] =
      spoiled(Spoils{[](Arguments &a) { a.x.shape = nullptr; }, [](Arguments &a) { a.x.data = nullptr; }, [](Arguments &a) { a.result.data = nullptr; }});
  cases[{f, "a tensor: another dtype than declared"}] =
      spoiled(Spoils{[](Arguments &a) { a.x.dtype.bits = 64; }, [](Arguments &a) { a.x.dtype.code = 200; }, [](Arguments &a) { a.x.dtype.lanes = 4; },
                     [](Arguments &a) { a.result.dtype.code = TESS_INT; }});
  cases[{f, "a tensor: another rank, extents that are negative or do not agree"}] =
      spoiled(Spoils{[](Arguments &a) { a.x.ndim = 1; }, [](Arguments &a) { a.x.ndim = -1; }, [](Arguments &a) { a.x.ndim = INT32_MAX; }, [](Arguments &a) { a.extents[0] = -1; },
                     [](Arguments &a) { a.outExtents[1] = 4; }, [](Arguments &a) { a.extents[0] = INT64_MIN; }});
  cases[{f, "a tensor: more than 2^63 bytes, axes of 0 left out"}] =
      spoiled(Spoils{[](Arguments &a) { a.extents[0] = a.extents[1] = int64_t(1) << 40; }, [](Arguments &a) { a.extents[0] = INT64_MAX; },
                     [](Arguments &a) { a.extents[0] = int64_t(1) << 61; }});
  cases[{f, "a tensor: strides that are not contiguous, a first element that is not aligned"}] =
      spoiled(Spoils{[](Arguments &a) { a.x.strides = a.strides, a.strides[0] = 4; }, [](Arguments &a) { a.x.strides = a.strides, a.strides[1] = -1; },
                     [](Arguments &a) { a.x.byte_offset = 1; }});
  cases[{f, "a tensor: `byte_offset` or the elements pass the end of the address space"}] =
      spoiled(Spoils{[](Arguments &a) { a.x.byte_offset = UINT64_MAX - 7; }, [](Arguments &a) { a.result.byte_offset = UINT64_MAX / 4 * 4 - 31; }});
  cases[{f, "a tensor: memory of a device that the code does not run on"}] =
      spoiled(Spoils{[](Arguments &a) { a.x.device.type = TESS_CUDA; }, [](Arguments &a) { a.result.device.type = 77; }});
  cases[{f, "a tensor that is written shares memory with another"}] =
      spoiled(Spoils{[](Arguments &a) { a.result.data = a.in; }, [](Arguments &a) { a.result.data = a.in + 5; }});
  cases[{f, "a requirement that does not hold"}] = spoiled(Spoils{[](Arguments &a) { a.extents[0] = a.outExtents[0] = 0; }});
  cases[{f, "a dimension: larger than what the function was compiled for, and no requirement says so"}] = each({257, int64_t(1) << 40, INT64_MAX}, [](World &, int64_t columns) {
    // What emitted text asks behind the requirements, from which the bound comes: they would be found first.
    tsr::Call call("held", nullptr);
    call.capacity("C", 256, 256);
    call.capacity("C", columns, 256);
    return call.status();
  });
  cases[{f, "a number: outside of a type that C has not (`i4`, `f16`, `f8e4m3`, ...)"}] = [](World &) {
    float sum = 0;
    TessTensor result = {&sum, {TESS_CPU, 0}, 0, {TESS_FLOAT, 32, 1}, nullptr, nullptr, 0};
    Statuses found;
    for (int8_t n : {8, -9, 127, -128}) found.push_back(misuse_narrow(n, 1.0f, 1.0f, &result, nullptr));
    for (float h : {65520.0f, -1e38f}) found.push_back(misuse_narrow(-8, h, 1.0f, &result, nullptr));
    for (float q : {449.0f, -500.0f}) found.push_back(misuse_narrow(7, 1.0f, q, &result, nullptr));
    if (misuse_narrow(-8, 65504.0f, -448.0f, &result, nullptr) != TESS_OK || misuse_narrow(7, INFINITY, 1.0f, &result, nullptr) != TESS_OK) found.push_back(-1);
    return found;
  };
  cases[{f, "a temporary for which there is no memory"}] = each({int64_t(1) << 32, int64_t(1) << 40, (int64_t(1) << 60) + 1}, [](World &, int64_t rows) {
    float sum[2] = {};
    int64_t extents[2] = {rows, 0};
    TessTensor x = Arguments::of(nullptr, extents), result = {sum, {TESS_CPU, 0}, 0, {TESS_FLOAT, 32, 1}, nullptr, nullptr, 0};
    return misuse_square(&x, &result, nullptr);
  });
  cases[{f, "`..._call`: NULL, or another number of arguments"}] = [](World &) {
    Arguments a;
    std::vector<TessValue> values = a.values();
    return Statuses{misuse_call(nullptr, 5, nullptr), misuse_call(values.data(), 4, nullptr), misuse_call(values.data(), -1, nullptr), misuse_call(values.data(), INT32_MAX, nullptr)};
  };
  cases[{f, "`..._call`: a value of another kind"}] =
      spoiledValues({[](auto &v) { v[0].kind = TESS_VALUE_INTEGER; }, [](auto &v) { v[1].kind = TESS_VALUE_REAL; }, [](auto &v) { v[2].kind = 77; },
                     [](auto &v) { v[2].kind = TESS_VALUE_TENSOR; }, [](auto &v) { v[3].kind = -1; }, [](auto &v) { v[0].as.tensor = nullptr; }});
  cases[{f, "`..._call`: a number that does not fit in its type"}] =
      spoiledValues({[](auto &v) { v[1].as.integer = int64_t(1) << 31; }, [](auto &v) { v[1].as.integer = INT64_MIN; }, [](auto &v) { v[2].as.real = 1e39; },
                     [](auto &v) { v[2].as.real = -1e300; }, [](auto &v) { v[3].as.integer = 2; }, [](auto &v) { v[3].as.integer = -1; }});
}

// ---- the page, and the walk

struct Row {
  Key key;
  TessStatus status;
};
int failures = 0;
void fail(const std::string &text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  ++failures;
}
std::string readAll(const std::string &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Row> rowsOf(const std::string &page) {
  std::vector<Row> rows;
  std::regex form("\\| (`(tess\\w+)`|a compiled function) \\| (.*) \\| `(TESS_\\w+)` \\|");
  std::smatch match;
  std::string text = readAll(page), line;
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    line = text.substr(at, end - at);
    if (!std::regex_match(line, match, form)) continue;
    auto status = kNames.find(match[4]);
    if (status == kNames.end()) fail("the page has the status " + match[4].str());
    else rows.push_back({{match[2].matched ? match[2].str() : match[1].str(), match[3]}, status->second});
  }
  return rows;
}

void compare(const std::vector<Row> &rows, const std::string &headers) {
  std::set<Key> known;
  std::set<std::string> functions;
  for (const Row &row : rows) {
    if (!known.insert(row.key).second) fail("twice on the page: " + row.key.first + ", " + row.key.second);
    if (!cases.count(row.key) && row.key.second != "before `tessInit()`") fail("no case for the row " + row.key.first + ", " + row.key.second);
    functions.insert(row.key.first);
  }
  for (const auto &[key, run] : cases)
    if (!known.count(key)) fail("no row for the case " + key.first + ", " + key.second);
  std::string text = readAll(headers + "/tessera.h"), name;
  std::regex declaration("\nTessStatus (tess\\w+)\\(");
  int found = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it, ++found)
    if (!functions.count((*it)[1])) fail("no row for " + (*it)[1].str());
  if (found < 25 || rows.size() < 80) fail("the page or the header was not read");
}

void walk(const std::vector<Row> &rows, std::atomic<int> &wrong) {
  World world;
  if (!world.whole()) {
    std::fprintf(stderr, "the objects were not made: %s\n", tessLastErrorText());
    ++wrong;
    return;
  }
  for (const Row &row : rows) {
    auto found = cases.find(row.key);
    if (found == cases.end()) continue;
    for (TessStatus status : found->second(world)) {
      if (status == row.status) continue;
      std::fprintf(stderr, "%s, %s: status %d in the place of %d: %s\n", row.key.first.c_str(), row.key.second.c_str(), status, row.status, tessLastErrorText());
      ++wrong;
    }
  }
  // What was spoiled in none of these ways is right, also after all that.
  Arguments arguments;
  std::vector<TessValue> values = arguments.values();
  if (arguments.call() != TESS_OK || arguments.out[5] == 0 || misuse_call(values.data(), 5, nullptr) != TESS_OK) ++wrong, std::fprintf(stderr, "%s\n", tessLastErrorText());
}

/// Rows of all functions: called before tessInit(), with handles that were valid before tessShutdown().
void beforeInit(const std::vector<Row> &rows) {
  tessInit(0);
  auto *world = new World;
  tessShutdown();
  std::map<std::string, std::function<TessStatus()>> calls = {
      {"tessShutdown", [] { return tessShutdown(); }},
      {"tessDeviceCount", [] { int32_t n; return tessDeviceCount(TESS_CPU, &n); }},
      {"tessDeviceGetInfo", [] { TessDeviceInfo i; return tessDeviceGetInfo(TESS_CPU, 0, &i); }},
      {"tessContextCreate", [] { TessContext c; return tessContextCreate(TESS_CPU, 0, &c); }},
      {"tessContextSynchronize", [=] { return tessContextSynchronize(world->context); }},
      {"tessStreamCreate", [=] { TessStream s; return tessStreamCreate(world->context, &s); }},
      {"tessStreamDestroy", [=] { return tessStreamDestroy(world->context, nullptr); }},
      {"tessStreamSynchronize", [=] { return tessStreamSynchronize(world->context, nullptr); }},
      {"tessMalloc", [=] { void *p; return tessMalloc(world->context, 8, &p); }},
      {"tessFree", [=] { return tessFree(world->context, world->memory); }},
      {"tessMemcpyAsync", [=] { return tessMemcpyAsync(world->context, world->host, world->foreign, 8, TESS_MEMCPY_HOST_TO_DEVICE, nullptr); }},
      {"tessMemsetAsync", [=] { return tessMemsetAsync(world->context, world->host, 0, 8, nullptr); }},
      {"tessMemPoolCreate", [=] { TessMemPool p; return tessMemPoolCreate(world->context, nullptr, &p); }},
      {"tessMemPoolAlloc", [=] { void *p; return tessMemPoolAlloc(world->pool, 8, nullptr, &p); }},
      {"tessMemPoolFree", [=] { return tessMemPoolFree(world->pool, world->pooled, nullptr); }},
      {"tessMemPoolGetStats", [=] { TessMemPoolStats s; return tessMemPoolGetStats(world->pool, &s); }},
      {"tessMemPoolTrim", [=] { return tessMemPoolTrim(world->pool); }},
      {"tessModuleLoad", [=] { TessModule m; return tessModuleLoad(world->context, TESS_MODULE_FILE, modulePath.c_str(), 0, nullptr, &m); }},
      {"tessKernelGet", [=] { TessKernel k; return tessKernelGet(world->module, "scale", &k); }},
      {"tessKernelSetDeterministic", [=] { return tessKernelSetDeterministic(world->kernel, 1); }},
      {"tessLaunch", [=] { return tessLaunch(world->kernel, &kOne, nullptr, 0, nullptr); }},
      {"tessGraphBegin", [=] { return tessGraphBegin(world->context, nullptr); }},
      {"tessGraphEnd", [=] { TessGraph g; return tessGraphEnd(world->context, nullptr, &g); }},
      {"tessGraphLaunch", [=] { return tessGraphLaunch(world->graph, nullptr); }},
      {"tessSetNumericsPolicy", [=] { TessNumericsPolicy p{}; return tessSetNumericsPolicy(world->context, &p); }},
      {"tessGetNumericsPolicy", [=] { TessNumericsPolicy p{}; return tessGetNumericsPolicy(world->context, &p); }},
  };
  for (const Row &row : rows) {
    if (row.key.second != "before `tessInit()`") continue;
    auto call = calls.find(row.key.first);
    if (call == calls.end()) {
      fail("no call before tessInit() of " + row.key.first);
      continue;
    }
    if (TessStatus status = call->second(); status != row.status) fail(row.key.first + " before tessInit(): status " + std::to_string(status));
    calls.erase(call);
  }
  for (const auto &[name, call] : calls) fail("no row for " + name + " before `tessInit()`");
  delete world;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  modulePath = argv[2];
  deviceRows();
  memoryRows();
  moduleRows();
  graphRows();
  compiledRows();
  std::vector<Row> rows = rowsOf(argv[1]);
  compare(rows, argv[3]);
  beforeInit(rows);
  std::atomic<int> wrong{0};
  if (tessInit(0) != TESS_OK) return 3;
  walk(rows, wrong);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { walk(rows, wrong); });
  for (std::thread &thread : threads) thread.join();
  if (tessShutdown() != TESS_OK) ++wrong;
  std::printf("%zu rows, from one thread and from four: %d wrong\n", rows.size(), failures + wrong.load());
  return failures || wrong ? 1 : 0;
}
