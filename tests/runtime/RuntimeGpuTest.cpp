// The runtime on a GPU: memory, streams, compiling at run time, launching. Skips where there is none.
#include "tessera/tessera.h"
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

struct Gpu : testing::TestWithParam<int32_t> {
  TessContext gpu = nullptr;
  void SetUp() override {
    ASSERT_EQ(tessInit(0), TESS_OK);
    int32_t count = 0;
    ASSERT_EQ(tessDeviceCount(GetParam(), &count), TESS_OK);
    if (count == 0) GTEST_SKIP() << "no device of this type here";
    ASSERT_EQ(tessContextCreate(GetParam(), 0, &gpu), TESS_OK) << tessLastErrorText();
  }
  void TearDown() override {
    EXPECT_EQ(tessContextDestroy(gpu), TESS_OK);
    EXPECT_EQ(tessShutdown(), TESS_OK);
  }
  std::string source() const {
    std::string head = GetParam() == TESS_ROCM ? "#include <hip/hip_runtime.h>\n" : "";
    return head + R"(
template <int Factor> __global__ void scale(float *x, int n) {
  extern __shared__ float staged[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) x[i] = Factor * staged[threadIdx.x];
}
)";
  }
};

}  // namespace

TEST_P(Gpu, SaysWhatItIs) {
  TessDeviceInfo info;
  ASSERT_EQ(tessDeviceGetInfo(GetParam(), 0, &info), TESS_OK) << tessLastErrorText();
  EXPECT_NE(std::string(info.name), "");
  EXPECT_EQ(std::string(info.arch).rfind(GetParam() == TESS_CUDA ? "sm_" : "gfx", 0), 0u) << info.arch;
  EXPECT_GT(info.memory_bytes, 1u << 30);
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_TRUE(info.wave_size == 32 || info.wave_size == 64) << info.wave_size;
  EXPECT_GE(info.shared_bytes, 48 * 1024);
}

TEST_P(Gpu, CompilesAndLaunches) {
  std::string text = source();
  const char *names[] = {"scale<3>"};
  TessModuleOptions options{nullptr, 0, names, 1};
  TessModule module = nullptr;
  ASSERT_EQ(tessModuleLoad(gpu, TESS_MODULE_SOURCE, text.data(), text.size(), &options, &module), TESS_OK) << tessLastErrorText();
  TessKernel kernel = nullptr;
  ASSERT_EQ(tessKernelGet(module, "scale<3>", &kernel), TESS_OK) << tessLastErrorText();
  EXPECT_EQ(tessKernelGet(module, "scale<4>", &kernel), TESS_ERROR_NOT_FOUND);
  ASSERT_EQ(tessKernelGet(module, "scale<3>", &kernel), TESS_OK);

  TessStream stream = nullptr;
  ASSERT_EQ(tessStreamCreate(gpu, &stream), TESS_OK) << tessLastErrorText();
  std::vector<float> x(1000003), y(x.size(), NAN);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1000);
  TessMemPool pool = nullptr;
  ASSERT_EQ(tessMemPoolCreate(gpu, nullptr, &pool), TESS_OK);
  void *device = nullptr;
  ASSERT_EQ(tessMemPoolAlloc(pool, x.size() * 4, stream, &device), TESS_OK) << tessLastErrorText();
  ASSERT_EQ(tessMemcpyAsync(gpu, device, x.data(), x.size() * 4, TESS_MEMCPY_HOST_TO_DEVICE, stream), TESS_OK);
  int n = static_cast<int>(x.size());
  void *arguments[] = {&device, &n};
  TessLaunchConfig config{{(x.size() + 255) / 256 > 0 ? static_cast<uint32_t>((x.size() + 255) / 256) : 1, 1, 1}, {256, 1, 1}, 64 * 1024, TESS_LAUNCH_DETERMINISTIC};
  EXPECT_EQ(tessLaunch(kernel, &config, arguments, 2, stream), TESS_ERROR_NOT_DETERMINISTIC);
  ASSERT_EQ(tessKernelSetDeterministic(kernel, 1), TESS_OK);
  ASSERT_EQ(tessLaunch(kernel, &config, arguments, 2, stream), TESS_OK) << tessLastErrorText();
  ASSERT_EQ(tessMemcpyAsync(gpu, y.data(), device, y.size() * 4, TESS_MEMCPY_DEVICE_TO_HOST, stream), TESS_OK);
  ASSERT_EQ(tessStreamSynchronize(gpu, stream), TESS_OK) << tessLastErrorText();
  for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 3 * x[i]) << i;
  EXPECT_EQ(tessMemPoolFree(pool, device, stream), TESS_OK);
  EXPECT_EQ(tessStreamDestroy(gpu, stream), TESS_OK);
  EXPECT_EQ(tessModuleUnload(module), TESS_OK);
}

TEST_P(Gpu, ReportsWhatIsWrong) {
  TessModule module = nullptr;
  const char text[] = "__global__ void broken() { return 1; }";
  EXPECT_EQ(tessModuleLoad(gpu, TESS_MODULE_SOURCE, text, sizeof text - 1, nullptr, &module), TESS_ERROR_COMPILATION);
  EXPECT_NE(std::string(tessLastErrorText()), "");
  const char junk[64] = "this is no cubin";
  EXPECT_EQ(tessModuleLoad(gpu, TESS_MODULE_BINARY, junk, sizeof junk, nullptr, &module), TESS_ERROR_DRIVER);
  EXPECT_EQ(module, nullptr);
  void *memory = nullptr;
  EXPECT_EQ(tessMalloc(gpu, size_t(1) << 50, &memory), TESS_ERROR_MEMORY);
  TessNumericsPolicy flush{0, 1, 0};
  EXPECT_EQ(tessSetNumericsPolicy(gpu, &flush), TESS_ERROR_UNSUPPORTED);
}

INSTANTIATE_TEST_SUITE_P(Devices, Gpu, testing::Values(static_cast<int32_t>(TESS_CUDA), static_cast<int32_t>(TESS_ROCM)),
                         [](const auto &param) { return param.param == TESS_CUDA ? "Cuda" : "Hip"; });
