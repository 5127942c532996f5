#include "tessera/tessera.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Runtime : testing::Test {
  TessContext cpu = nullptr;
  void SetUp() override {
    ASSERT_EQ(tessInit(0), TESS_OK);
    ASSERT_EQ(tessContextCreate(TESS_CPU, 0, &cpu), TESS_OK);
  }
  void TearDown() override {
    EXPECT_EQ(tessContextDestroy(cpu), TESS_OK);
    EXPECT_EQ(tessShutdown(), TESS_OK);
  }
};

struct ScaleArguments {
  std::vector<float> x, result;
  int64_t extent;
  TessTensor xTensor, resultTensor;
  TessValue values[3];
  void *pointers[3];
  ScaleArguments(std::vector<float> in, float factor) : x(std::move(in)), result(x.size(), NAN), extent(static_cast<int64_t>(x.size())) {
    xTensor = {x.data(), {TESS_CPU, 0}, 1, {TESS_FLOAT, 32, 1}, &extent, nullptr, 0};
    resultTensor = {result.data(), {TESS_CPU, 0}, 1, {TESS_FLOAT, 32, 1}, &extent, nullptr, 0};
    values[0].kind = values[2].kind = TESS_VALUE_TENSOR;
    values[0].as.tensor = &xTensor;
    values[1].kind = TESS_VALUE_REAL;
    values[1].as.real = factor;
    values[2].as.tensor = &resultTensor;
    for (int i = 0; i < 3; ++i) pointers[i] = &values[i];
  }
};

TessKernel loadScale(TessContext cpu) {
  TessModule module = nullptr;
  TessKernel kernel = nullptr;
  EXPECT_EQ(tessModuleLoad(cpu, TESS_MODULE_FILE, TEST_MODULE, 0, nullptr, &module), TESS_OK) << tessLastErrorText();
  EXPECT_EQ(tessKernelGet(module, "scale", &kernel), TESS_OK) << tessLastErrorText();
  return kernel;
}

const TessLaunchConfig kOne{{1, 1, 1}, {1, 1, 1}, 0, 0};

}  // namespace

TEST(RuntimeStart, CallsBeforeInitAreRefused) {
  TessContext context = nullptr;
  EXPECT_EQ(tessContextCreate(TESS_CPU, 0, &context), TESS_ERROR_NOT_INITIALIZED);
  EXPECT_NE(std::string(tessLastErrorText()).find("tessInit"), std::string::npos);
  EXPECT_EQ(tessShutdown(), TESS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(tessInit(1), TESS_ERROR_ARGUMENT);
}

TEST(RuntimeStart, ShutdownFreesWhatIsLeft) {
  ASSERT_EQ(tessInit(0), TESS_OK);
  TessContext context = nullptr;
  void *memory = nullptr;
  ASSERT_EQ(tessContextCreate(TESS_CPU, 0, &context), TESS_OK);
  ASSERT_EQ(tessMalloc(context, 1000, &memory), TESS_OK);
  EXPECT_EQ(tessShutdown(), TESS_OK);  // the sanitizer build sees a leak here
}

TEST_F(Runtime, DevicesSayWhatTheyAre) {
  int32_t count = -1;
  ASSERT_EQ(tessDeviceCount(TESS_CPU, &count), TESS_OK);
  EXPECT_EQ(count, 1);
  TessDeviceInfo info;
  ASSERT_EQ(tessDeviceGetInfo(TESS_CPU, 0, &info), TESS_OK);
  EXPECT_GT(std::strlen(info.name), 0u);
  EXPECT_GT(info.memory_bytes, 1u << 20);
  for (int32_t type : {TESS_CUDA, TESS_ROCM}) {
    ASSERT_EQ(tessDeviceCount(type, &count), TESS_OK);
    TessContext context = nullptr;
    EXPECT_EQ(tessContextCreate(type, count, &context), TESS_ERROR_NO_DEVICE);
    EXPECT_NE(std::string(tessLastErrorText()).find(type == TESS_CUDA ? "no CUDA device" : "no HIP device"), std::string::npos) << tessLastErrorText();
    EXPECT_EQ(context, nullptr);
  }
  EXPECT_EQ(tessDeviceCount(77, &count), TESS_ERROR_ARGUMENT);
}

TEST_F(Runtime, MemoryIsCopiedAndChecked) {
  void *memory = nullptr;
  ASSERT_EQ(tessMalloc(cpu, 1000, &memory), TESS_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
  std::vector<unsigned char> in(1000), out(1000, 0);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 7);
  ASSERT_EQ(tessMemcpyAsync(cpu, memory, in.data(), 1000, TESS_MEMCPY_HOST_TO_DEVICE, nullptr), TESS_OK);
  ASSERT_EQ(tessMemsetAsync(cpu, memory, 255, 10, nullptr), TESS_OK);
  ASSERT_EQ(tessMemcpyAsync(cpu, out.data(), memory, 1000, TESS_MEMCPY_DEVICE_TO_HOST, nullptr), TESS_OK);
  ASSERT_EQ(tessStreamSynchronize(cpu, nullptr), TESS_OK);
  EXPECT_EQ(out[9], 255);
  EXPECT_EQ(out[10], in[10]);
  EXPECT_EQ(out[999], in[999]);
  EXPECT_EQ(tessMemsetAsync(cpu, memory, 256, 1, nullptr), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessFree(cpu, memory), TESS_OK);
  EXPECT_EQ(tessFree(cpu, memory), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessFree(cpu, nullptr), TESS_OK);
  EXPECT_EQ(tessMalloc(cpu, ~size_t(0) / 2, &memory), TESS_ERROR_MEMORY);
  EXPECT_EQ(memory, nullptr);
  ASSERT_EQ(tessMalloc(cpu, 0, &memory), TESS_OK);
  EXPECT_EQ(tessFree(cpu, memory), TESS_OK);
}

TEST_F(Runtime, PoolsUseMemoryAgainAndKeepTheirLimit) {
  TessMemPoolOptions options{0, 3 << 20};
  TessMemPool pool = nullptr;
  ASSERT_EQ(tessMemPoolCreate(cpu, &options, &pool), TESS_OK);
  void *a = nullptr, *b = nullptr, *c = nullptr;
  ASSERT_EQ(tessMemPoolAlloc(pool, 700 << 10, nullptr, &a), TESS_OK);
  ASSERT_EQ(tessMemPoolFree(pool, a, nullptr), TESS_OK);
  EXPECT_EQ(tessMemPoolFree(pool, a, nullptr), TESS_ERROR_ARGUMENT);
  ASSERT_EQ(tessMemPoolAlloc(pool, 600 << 10, nullptr, &b), TESS_OK);
  EXPECT_EQ(a, b);
  ASSERT_EQ(tessMemPoolAlloc(pool, 2 << 20, nullptr, &c), TESS_OK);
  void *d = nullptr;
  EXPECT_EQ(tessMemPoolAlloc(pool, 1 << 20, nullptr, &d), TESS_ERROR_MEMORY);
  EXPECT_EQ(d, nullptr);
  TessMemPoolStats stats;
  ASSERT_EQ(tessMemPoolGetStats(pool, &stats), TESS_OK);
  EXPECT_EQ(stats.allocations, 3u);
  EXPECT_EQ(stats.held_bytes, size_t(3) << 20);
  ASSERT_EQ(tessMemPoolFree(pool, c, nullptr), TESS_OK);
  ASSERT_EQ(tessMemPoolTrim(pool), TESS_OK);
  ASSERT_EQ(tessMemPoolGetStats(pool, &stats), TESS_OK);
  EXPECT_EQ(stats.held_bytes, size_t(1) << 20);
  EXPECT_EQ(tessMemPoolDestroy(pool), TESS_OK);
}

TEST_F(Runtime, KernelsRun) {
  TessKernel kernel = loadScale(cpu);
  ASSERT_NE(kernel, nullptr);
  ScaleArguments arguments({1, 2, -3.5f}, 2);
  ASSERT_EQ(tessLaunch(kernel, &kOne, arguments.pointers, 3, nullptr), TESS_OK) << tessLastErrorText();
  EXPECT_EQ(arguments.result, (std::vector<float>{2, 4, -7}));
  TessLaunchConfig empty = kOne;
  empty.grid[1] = 0;
  arguments.result[0] = 99;
  EXPECT_EQ(tessLaunch(kernel, &empty, arguments.pointers, 3, nullptr), TESS_OK);
  EXPECT_EQ(arguments.result[0], 99);
}

TEST_F(Runtime, WhatWasDestroyedIsRefused) {
  TessModule module = nullptr;
  TessKernel kernel = nullptr;
  ASSERT_EQ(tessModuleLoad(cpu, TESS_MODULE_FILE, TEST_MODULE, 0, nullptr, &module), TESS_OK);
  ASSERT_EQ(tessKernelGet(module, "scale", &kernel), TESS_OK);
  EXPECT_EQ(tessModuleUnload(module), TESS_OK);
  EXPECT_EQ(tessModuleUnload(module), TESS_ERROR_ARGUMENT);
  EXPECT_NE(std::string(tessLastErrorText()).find("tessModuleUnload: "), std::string::npos) << tessLastErrorText();
  EXPECT_EQ(tessKernelGet(module, "scale", &kernel), TESS_ERROR_ARGUMENT);
  ScaleArguments arguments({1}, 2);
  EXPECT_EQ(tessLaunch(kernel, &kOne, arguments.pointers, 3, nullptr), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessKernelSetDeterministic(kernel, 1), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessModuleUnload(nullptr), TESS_OK);

  TessMemPool pool = nullptr;
  void *memory = nullptr;
  ASSERT_EQ(tessMemPoolCreate(cpu, nullptr, &pool), TESS_OK);
  EXPECT_EQ(tessMemPoolDestroy(pool), TESS_OK);
  EXPECT_EQ(tessMemPoolDestroy(pool), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessMemPoolAlloc(pool, 1, nullptr, &memory), TESS_ERROR_ARGUMENT);
}

TEST_F(Runtime, AHandleIsLookedUpAndNeverFollowed) {
  TessModule module = nullptr;
  TessKernel kernel = nullptr;
  TessMemPool pool = nullptr;
  ASSERT_EQ(tessModuleLoad(cpu, TESS_MODULE_FILE, TEST_MODULE, 0, nullptr, &module), TESS_OK);
  ASSERT_EQ(tessKernelGet(module, "scale", &kernel), TESS_OK);
  ASSERT_EQ(tessMemPoolCreate(cpu, nullptr, &pool), TESS_OK);
  double anything[64] = {};
  // Foreign memory, numbers that are no address, and handles of another kind.
  for (void *wrong : {static_cast<void *>(anything), reinterpret_cast<void *>(1), reinterpret_cast<void *>(-1),
                      reinterpret_cast<void *>(uintptr_t(1) << 60)}) {
    void *memory = nullptr;
    TessNumericsPolicy policy{};
    TessMemPoolStats stats{};
    TessStream stream = nullptr;
    EXPECT_EQ(tessContextDestroy(static_cast<TessContext>(wrong)), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessContextSynchronize(static_cast<TessContext>(wrong)), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessStreamCreate(static_cast<TessContext>(wrong), &stream), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessMalloc(static_cast<TessContext>(wrong), 8, &memory), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessGetNumericsPolicy(static_cast<TessContext>(wrong), &policy), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessModuleUnload(static_cast<TessModule>(wrong)), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessKernelSetDeterministic(static_cast<TessKernel>(wrong), 1), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessLaunch(static_cast<TessKernel>(wrong), &kOne, nullptr, 0, nullptr), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessMemPoolGetStats(static_cast<TessMemPool>(wrong), &stats), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessMemPoolDestroy(static_cast<TessMemPool>(wrong)), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessStreamDestroy(cpu, static_cast<TessStream>(wrong)), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessFree(cpu, wrong), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessMemPoolFree(pool, wrong, nullptr), TESS_ERROR_ARGUMENT);
  }
  EXPECT_EQ(tessContextSynchronize(reinterpret_cast<TessContext>(module)), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessModuleUnload(reinterpret_cast<TessModule>(pool)), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessMemPoolDestroy(reinterpret_cast<TessMemPool>(kernel)), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessContextDestroy(reinterpret_cast<TessContext>(pool)), TESS_ERROR_ARGUMENT);
  // A new object may have the address of an old one: the old handle is not the new one.
  for (int i = 0; i < 100; ++i) {
    TessMemPool first = nullptr, second = nullptr;
    ASSERT_EQ(tessMemPoolCreate(cpu, nullptr, &first), TESS_OK);
    ASSERT_EQ(tessMemPoolDestroy(first), TESS_OK);
    ASSERT_EQ(tessMemPoolCreate(cpu, nullptr, &second), TESS_OK);
    ASSERT_EQ(tessMemPoolDestroy(first), TESS_ERROR_ARGUMENT);
    ASSERT_EQ(tessMemPoolDestroy(second), TESS_OK);
  }
}

TEST_F(Runtime, NothingIsCopiedPastAnAllocation) {
  std::vector<char> host(4096);
  void *memory = nullptr, *none = nullptr, *pooled = nullptr;
  TessMemPool pool = nullptr;
  ASSERT_EQ(tessMalloc(cpu, 1000, &memory), TESS_OK);
  ASSERT_EQ(tessMalloc(cpu, 0, &none), TESS_OK);
  ASSERT_EQ(tessMemPoolCreate(cpu, nullptr, &pool), TESS_OK);
  ASSERT_EQ(tessMemPoolAlloc(pool, 512, nullptr, &pooled), TESS_OK);
  char *bytes = static_cast<char *>(memory);
  for (TessMemcpyKind kind : {TESS_MEMCPY_HOST_TO_DEVICE, TESS_MEMCPY_DEVICE_TO_DEVICE}) {
    EXPECT_EQ(tessMemcpyAsync(cpu, bytes, host.data(), 1000, kind, nullptr), TESS_OK);
    EXPECT_EQ(tessMemcpyAsync(cpu, bytes + 999, host.data(), 1, kind, nullptr), TESS_OK);
    EXPECT_EQ(tessMemcpyAsync(cpu, bytes, host.data(), 1001, kind, nullptr), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessMemcpyAsync(cpu, bytes + 999, host.data(), 2, kind, nullptr), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessMemcpyAsync(cpu, bytes + 1, host.data(), SIZE_MAX, kind, nullptr), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessMemcpyAsync(cpu, none, host.data(), 1, kind, nullptr), TESS_ERROR_ARGUMENT);
    EXPECT_EQ(tessMemcpyAsync(cpu, pooled, host.data(), 513, kind, nullptr), TESS_ERROR_ARGUMENT);
  }
  EXPECT_EQ(tessMemcpyAsync(cpu, host.data(), bytes, 1001, TESS_MEMCPY_DEVICE_TO_HOST, nullptr), TESS_ERROR_ARGUMENT);
  EXPECT_NE(std::string(tessLastErrorText()).find("1001 bytes"), std::string::npos) << tessLastErrorText();
  EXPECT_EQ(tessMemsetAsync(cpu, bytes, 1, 1001, nullptr), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessMemsetAsync(cpu, bytes + 500, 1, 500, nullptr), TESS_OK);
  EXPECT_EQ(tessMemsetAsync(cpu, pooled, 1, size_t(1) << 40, nullptr), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessMemsetAsync(cpu, host.data(), 1, host.size(), nullptr), TESS_OK);  // not ours: nothing is known of it
}

TEST_F(Runtime, SizesThatOverflowAreStatuses) {
  for (size_t block : {size_t(0), size_t(1), SIZE_MAX, SIZE_MAX / 2 + 2})
    for (size_t limit : {size_t(0), size_t(1) << 20, SIZE_MAX}) {
      TessMemPoolOptions options{block, limit};
      TessMemPool pool = nullptr;
      ASSERT_EQ(tessMemPoolCreate(cpu, &options, &pool), TESS_OK);
      for (size_t bytes : {SIZE_MAX, SIZE_MAX - 511, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 4 + 1, size_t(1) << 62, size_t(1) << 61}) {
        void *memory = &pool;
        EXPECT_EQ(tessMemPoolAlloc(pool, bytes, nullptr, &memory), TESS_ERROR_MEMORY) << bytes << " " << block << " " << limit;
        EXPECT_EQ(memory, nullptr);
      }
      TessMemPoolStats stats{};
      EXPECT_EQ(tessMemPoolGetStats(pool, &stats), TESS_OK);
      EXPECT_EQ(stats.held_bytes, 0u);
      EXPECT_EQ(tessMemPoolDestroy(pool), TESS_OK);
    }
  for (size_t bytes : {SIZE_MAX, SIZE_MAX - 254, SIZE_MAX / 2}) {
    void *memory = &bytes;
    EXPECT_EQ(tessMalloc(cpu, bytes, &memory), TESS_ERROR_MEMORY);
    EXPECT_EQ(memory, nullptr);
  }
}

TEST_F(Runtime, WhatAContextHeldGoesWithIt) {
  TessContext other = nullptr;
  TessModule module = nullptr;
  TessMemPool pool = nullptr;
  void *memory = nullptr;
  ASSERT_EQ(tessContextCreate(TESS_CPU, 0, &other), TESS_OK);
  ASSERT_EQ(tessModuleLoad(other, TESS_MODULE_FILE, TEST_MODULE, 0, nullptr, &module), TESS_OK);
  ASSERT_EQ(tessMemPoolCreate(other, nullptr, &pool), TESS_OK);
  EXPECT_EQ(tessContextDestroy(other), TESS_OK);
  EXPECT_EQ(tessContextDestroy(other), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessContextSynchronize(other), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessMalloc(other, 1, &memory), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessModuleUnload(module), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessMemPoolDestroy(pool), TESS_ERROR_ARGUMENT);
}

TEST_F(Runtime, TheTextIsOfTheLastCallAlone) {
  TessKernel kernel = loadScale(cpu);
  ScaleArguments arguments({1, 2}, 3);
  // What went wrong inside of a library is read from the library.
  EXPECT_EQ(tessLaunch(kernel, &kOne, arguments.pointers, 2, nullptr), TESS_ERROR_ARGUMENT);
  EXPECT_STREQ(tessLastErrorText(), "scale: two tensors and a factor");
  EXPECT_EQ(tessLaunch(kernel, &kOne, arguments.pointers, 3, nullptr), TESS_OK);
  EXPECT_STREQ(tessLastErrorText(), "");
  EXPECT_EQ(tessFree(cpu, &kernel), TESS_ERROR_ARGUMENT);
  EXPECT_STRNE(tessLastErrorText(), "");
  EXPECT_EQ(tessContextSynchronize(cpu), TESS_OK);
  EXPECT_STREQ(tessLastErrorText(), "");
  EXPECT_EQ(tessInit(1), TESS_ERROR_ARGUMENT);
  EXPECT_EQ(tessInit(0), TESS_OK);
  EXPECT_STREQ(tessLastErrorText(), "");
  EXPECT_EQ(tessShutdown(), TESS_OK);
}

TEST_F(Runtime, ALibraryHasOnlyItsOwnFunctions) {
  TessModule module = nullptr;
  TessKernel kernel = nullptr;
  ASSERT_EQ(tessModuleLoad(cpu, TESS_MODULE_FILE, TEST_DEPENDENT, 0, nullptr, &module), TESS_OK) << tessLastErrorText();
  EXPECT_EQ(tessKernelGet(module, "scale", &kernel), TESS_ERROR_NOT_FOUND);  // of the library that it needs
}

TEST_F(Runtime, DeterminismIsHonouredOrRefused) {
  TessKernel kernel = loadScale(cpu);
  ScaleArguments arguments({1}, 3);
  TessLaunchConfig config = kOne;
  config.flags = TESS_LAUNCH_DETERMINISTIC;
  EXPECT_EQ(tessLaunch(kernel, &config, arguments.pointers, 3, nullptr), TESS_ERROR_NOT_DETERMINISTIC);
  EXPECT_TRUE(std::isnan(arguments.result[0])) << "a refused launch must not run";
  ASSERT_EQ(tessKernelSetDeterministic(kernel, 1), TESS_OK);
  EXPECT_EQ(tessLaunch(kernel, &config, arguments.pointers, 3, nullptr), TESS_OK);
  EXPECT_EQ(arguments.result[0], 3);
  ASSERT_EQ(tessKernelSetDeterministic(kernel, 0), TESS_OK);
  TessNumericsPolicy policy{1, 0, 0};
  ASSERT_EQ(tessSetNumericsPolicy(cpu, &policy), TESS_OK);
  EXPECT_EQ(tessLaunch(kernel, &kOne, arguments.pointers, 3, nullptr), TESS_ERROR_NOT_DETERMINISTIC);
  config.flags = 2;
  EXPECT_EQ(tessLaunch(kernel, &config, arguments.pointers, 3, nullptr), TESS_ERROR_ARGUMENT);
}

TEST_F(Runtime, DenormalsAreFlushedWhenThePolicySaysSo) {
  TessKernel kernel = loadScale(cpu);
  float tiny = std::numeric_limits<float>::min() / 4;
  ScaleArguments kept({tiny}, 1), flushed({tiny}, 1);
  ASSERT_EQ(tessLaunch(kernel, &kOne, kept.pointers, 3, nullptr), TESS_OK);
  EXPECT_EQ(kept.result[0], tiny);
  TessNumericsPolicy policy{0, 1, 0};
  ASSERT_EQ(tessSetNumericsPolicy(cpu, &policy), TESS_OK);
  ASSERT_EQ(tessLaunch(kernel, &kOne, flushed.pointers, 3, nullptr), TESS_OK);
  EXPECT_EQ(flushed.result[0], 0.0f);
  policy = {0, 0, 1};
  EXPECT_EQ(tessSetNumericsPolicy(cpu, &policy), TESS_ERROR_UNSUPPORTED);
  ASSERT_EQ(tessGetNumericsPolicy(cpu, &policy), TESS_OK);
  EXPECT_EQ(policy.flush_denormals, 1);
}

TEST_F(Runtime, WhatIsMissingIsNamed) {
  TessModule module = nullptr;
  EXPECT_EQ(tessModuleLoad(cpu, TESS_MODULE_FILE, "no/such/library.so", 0, nullptr, &module), TESS_ERROR_NOT_FOUND);
  EXPECT_NE(std::string(tessLastErrorText()).find("no/such/library.so"), std::string::npos);
  EXPECT_EQ(tessModuleLoad(cpu, TESS_MODULE_SOURCE, "x", 1, nullptr, &module), TESS_ERROR_UNSUPPORTED);
  ASSERT_EQ(tessModuleLoad(cpu, TESS_MODULE_FILE, TEST_MODULE, 0, nullptr, &module), TESS_OK);
  TessKernel kernel = nullptr;
  EXPECT_EQ(tessKernelGet(module, "scales", &kernel), TESS_ERROR_NOT_FOUND);
  EXPECT_EQ(kernel, nullptr);
  EXPECT_EQ(tessModuleUnload(module), TESS_OK);
}

TEST_F(Runtime, ErrorTextsBelongToTheirThread) {
  EXPECT_EQ(tessMalloc(cpu, 8, nullptr), TESS_ERROR_ARGUMENT);
  std::string here = tessLastErrorText(), there = "unset";
  std::thread([&] { there = tessLastErrorText(); }).join();
  EXPECT_NE(here, "");
  EXPECT_EQ(there, "");
}

TEST_F(Runtime, RecordedWorkRunsWhenItIsLaunched) {
  TessKernel kernel = loadScale(cpu);
  ASSERT_NE(kernel, nullptr);
  ScaleArguments outer({1, 2, 3}, 2);
  float copy[3] = {};
  TessGraph graph = nullptr;
  ASSERT_EQ(tessGraphBegin(cpu, nullptr), TESS_OK) << tessLastErrorText();
  {
    ScaleArguments inner = outer;  // the values and the shapes go away before the launch: the graph keeps its own
    inner.xTensor.data = outer.x.data(), inner.resultTensor.data = outer.result.data();
    inner.xTensor.shape = inner.resultTensor.shape = &inner.extent;
    inner.values[0].as.tensor = &inner.xTensor, inner.values[2].as.tensor = &inner.resultTensor;
    for (int i = 0; i < 3; ++i) inner.pointers[i] = &inner.values[i];
    ASSERT_EQ(tessLaunch(kernel, &kOne, inner.pointers, 3, nullptr), TESS_OK) << tessLastErrorText();
    inner.extent = 1000000;
  }
  ASSERT_EQ(tessMemcpyAsync(cpu, copy, outer.result.data(), sizeof copy, TESS_MEMCPY_DEVICE_TO_DEVICE, nullptr), TESS_OK);
  ASSERT_EQ(tessMemsetAsync(cpu, outer.result.data(), 0, 4, nullptr), TESS_OK);
  ASSERT_EQ(tessGraphEnd(cpu, nullptr, &graph), TESS_OK) << tessLastErrorText();
  EXPECT_TRUE(std::isnan(outer.result[0]));  // nothing ran
  EXPECT_EQ(copy[0], 0);
  for (float first : {1.0f, 10.0f, 100.0f}) {
    outer.x[0] = first;
    ASSERT_EQ(tessGraphLaunch(graph, nullptr), TESS_OK) << tessLastErrorText();
    EXPECT_EQ(copy[0], 2 * first);
    EXPECT_EQ(copy[2], 6);
    EXPECT_EQ(outer.result[0], 0);  // the last of the three
  }
  EXPECT_EQ(tessGraphDestroy(graph), TESS_OK);
  EXPECT_EQ(tessGraphLaunch(graph, nullptr), TESS_ERROR_ARGUMENT);
}

TEST_F(Runtime, WhatARecordedCallRefusesIsSaidAtItsLaunch) {
  TessKernel kernel = loadScale(cpu);
  ScaleArguments wrong({1, 2}, 2);
  wrong.xTensor.dtype.bits = 64;
  TessGraph graph = nullptr;
  float after = 1;
  ASSERT_EQ(tessGraphBegin(cpu, nullptr), TESS_OK);
  ASSERT_EQ(tessLaunch(kernel, &kOne, wrong.pointers, 3, nullptr), TESS_OK);
  ASSERT_EQ(tessMemsetAsync(cpu, &after, 0, sizeof after, nullptr), TESS_OK);
  ASSERT_EQ(tessGraphEnd(cpu, nullptr, &graph), TESS_OK);
  EXPECT_EQ(tessGraphLaunch(graph, nullptr), TESS_ERROR_SHAPE);
  EXPECT_NE(std::string(tessLastErrorText()).find("two tensors and a factor"), std::string::npos);
  EXPECT_EQ(after, 1);  // what comes behind it was not done
}

TEST_F(Runtime, OtherThreadsAndContextsAreNotRecorded) {
  TessContext other = nullptr;
  ASSERT_EQ(tessContextCreate(TESS_CPU, 0, &other), TESS_OK);
  char mine = 1, theirs = 1, elsewhere = 1;
  TessGraph graph = nullptr;
  ASSERT_EQ(tessGraphBegin(cpu, nullptr), TESS_OK);
  std::thread([&] { EXPECT_EQ(tessMemsetAsync(cpu, &theirs, 2, 1, nullptr), TESS_OK); }).join();
  ASSERT_EQ(tessMemsetAsync(other, &elsewhere, 2, 1, nullptr), TESS_OK);
  ASSERT_EQ(tessMemsetAsync(cpu, &mine, 2, 1, nullptr), TESS_OK);
  ASSERT_EQ(tessGraphEnd(cpu, nullptr, &graph), TESS_OK);
  EXPECT_EQ(theirs, 2);
  EXPECT_EQ(elsewhere, 2);
  EXPECT_EQ(mine, 1);
  ASSERT_EQ(tessGraphLaunch(graph, nullptr), TESS_OK);
  EXPECT_EQ(mine, 2);
  EXPECT_EQ(tessContextDestroy(other), TESS_OK);
}
