// The CUDA driver API as a GpuApi table. Signatures from cuda.h; a CUdeviceptr has the size of a pointer.
#include "runtime/Gpu.h"
#include "runtime/GpuApi.h"

namespace tessera::runtime {
namespace {

using Handle = void *;  // CUcontext, CUstream, CUmodule, CUfunction
struct Driver {
  int (*init)(unsigned) = nullptr;
  int (*deviceGetCount)(int *) = nullptr;
  int (*deviceGetName)(char *, int, int) = nullptr;
  int (*deviceTotalMem)(size_t *, int) = nullptr;
  int (*deviceGetAttribute)(int *, int, int) = nullptr;
  int (*primaryRetain)(Handle *, int) = nullptr;
  int (*primaryRelease)(int) = nullptr;
  int (*ctxSetCurrent)(Handle) = nullptr;
  int (*ctxSynchronize)() = nullptr;
  int (*memAlloc)(void **, size_t) = nullptr;
  int (*memFree)(void *) = nullptr;
  int (*memcpyAsync)(void *, const void *, size_t, Handle) = nullptr;
  int (*memsetAsync)(void *, unsigned char, size_t, Handle) = nullptr;
  int (*streamCreate)(Handle *, unsigned) = nullptr;
  int (*streamDestroy)(Handle) = nullptr;
  int (*streamSynchronize)(Handle) = nullptr;
  int (*moduleLoadData)(Handle *, const void *) = nullptr;
  int (*moduleUnload)(Handle) = nullptr;
  int (*moduleGetFunction)(Handle *, Handle, const char *) = nullptr;
  int (*funcSetAttribute)(Handle, int, int) = nullptr;
  int (*launchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **) = nullptr;
  int (*streamBeginCapture)(Handle, int) = nullptr;
  int (*streamEndCapture)(Handle, Handle *) = nullptr;
  int (*graphInstantiate)(Handle *, Handle, unsigned long long) = nullptr;
  int (*graphLaunch)(Handle, Handle) = nullptr;
  int (*graphExecDestroy)(Handle) = nullptr;
  int (*graphDestroy)(Handle) = nullptr;
  int (*getErrorString)(int, const char **) = nullptr;
};

Driver driver;

bool bindDriver() {
  static DynamicLibrary library({"libcuda.so.1", "libcuda.so"});
  if (!library) return false;
  library.need(driver.init, "cuInit");
  library.need(driver.deviceGetCount, "cuDeviceGetCount");
  library.need(driver.deviceGetName, "cuDeviceGetName");
  library.need(driver.deviceTotalMem, "cuDeviceTotalMem_v2");
  library.need(driver.deviceGetAttribute, "cuDeviceGetAttribute");
  library.need(driver.primaryRetain, "cuDevicePrimaryCtxRetain");
  library.need(driver.primaryRelease, "cuDevicePrimaryCtxRelease_v2");
  library.need(driver.ctxSetCurrent, "cuCtxSetCurrent");
  library.need(driver.ctxSynchronize, "cuCtxSynchronize");
  library.need(driver.memAlloc, "cuMemAlloc_v2");
  library.need(driver.memFree, "cuMemFree_v2");
  library.need(driver.memcpyAsync, "cuMemcpyAsync");
  library.need(driver.memsetAsync, "cuMemsetD8Async");
  library.need(driver.streamCreate, "cuStreamCreate");
  library.need(driver.streamDestroy, "cuStreamDestroy_v2");
  library.need(driver.streamSynchronize, "cuStreamSynchronize");
  library.need(driver.moduleLoadData, "cuModuleLoadData");
  library.need(driver.moduleUnload, "cuModuleUnload");
  library.need(driver.moduleGetFunction, "cuModuleGetFunction");
  library.need(driver.funcSetAttribute, "cuFuncSetAttribute");
  library.need(driver.launchKernel, "cuLaunchKernel");
  library.need(driver.streamBeginCapture, "cuStreamBeginCapture_v2");
  library.need(driver.streamEndCapture, "cuStreamEndCapture");
  library.need(driver.graphInstantiate, "cuGraphInstantiateWithFlags");
  library.need(driver.graphLaunch, "cuGraphLaunch");
  library.need(driver.graphExecDestroy, "cuGraphExecDestroy");
  library.need(driver.graphDestroy, "cuGraphDestroy");
  library.need(driver.getErrorString, "cuGetErrorString");
  return library.complete && driver.init(0) == 0;
}

std::string archName(const GpuApi &api, int device) {
  int major = 0, minor = 0;
  api.attribute(&major, api.attributes.computeMajor, device);
  api.attribute(&minor, api.attributes.computeMinor, device);
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

bool compileCuda(const std::string &source, const std::string &arch, const std::vector<std::string> &options,
                 const std::vector<std::string> &names, std::string &image, std::vector<std::string> &lowered, std::string &log) {
  static const RtcDialect nvrtc{"nvrtc",
                                {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so",
                                 "/usr/local/cuda/lib64/libnvrtc.so.13"},
                                "CUBIN", "--gpu-architecture="};
  // Hopper's own instructions (wgmma, setmaxnreg) need the architecture's `a` variant.
  return compileWithRtc(nvrtc, source, arch == "sm_90" ? "sm_90a" : arch, options, names, image, lowered, log);
}

GpuApi makeTable() {
  constexpr unsigned kNonBlocking = 1;
  constexpr int kOfThisThread = 1;  // what other threads do meanwhile is their own
  constexpr int kMaxDynamicShared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  GpuApi api{};
  api.title = "CUDA";
  api.attributes = {16, 97, 10, 75, 76};
  api.outOfMemory = 2;
  api.fatalImage[0] = 200, api.fatalImage[1] = 209, api.fatalImage[2] = 218, api.fatalImage[3] = 222;
  api.notFound = 500;
  api.deviceCount = driver.deviceGetCount;
  api.deviceName = driver.deviceGetName;
  api.deviceMemory = driver.deviceTotalMem;
  api.attribute = driver.deviceGetAttribute;
  api.arch = archName;
  api.open = [](void **handle, int device) { return driver.primaryRetain(handle, device); };
  api.makeCurrent = [](void *handle, int) { return driver.ctxSetCurrent(handle); };
  api.close = [](void *, int device) { driver.primaryRelease(device); };
  api.allocate = driver.memAlloc;
  api.release = driver.memFree;
  api.copy = driver.memcpyAsync;
  api.set = [](void *pointer, int value, size_t bytes, void *stream) {
    return driver.memsetAsync(pointer, static_cast<unsigned char>(value), bytes, stream);
  };
  api.createStream = [](void **stream) { return driver.streamCreate(stream, kNonBlocking); };
  api.destroyStream = driver.streamDestroy;
  api.synchronize = driver.streamSynchronize;
  api.synchronizeAll = driver.ctxSynchronize;
  api.loadModule = driver.moduleLoadData;
  api.unloadModule = driver.moduleUnload;
  api.findKernel = driver.moduleGetFunction;
  api.allowShared = [](void *kernel, int bytes) { return driver.funcSetAttribute(kernel, kMaxDynamicShared, bytes); };
  api.launch = [](void *kernel, const uint32_t grid[3], const uint32_t group[3], uint32_t shared, void *stream, void **arguments) {
    return driver.launchKernel(kernel, grid[0], grid[1], grid[2], group[0], group[1], group[2], shared, stream, arguments, nullptr);
  };
  api.beginCapture = [](void *stream) { return driver.streamBeginCapture(stream, kOfThisThread); };
  api.endCapture = [](void *stream, void **graph, void **executable) {
    int error = driver.streamEndCapture(stream, graph);
    if (error == 0) error = driver.graphInstantiate(executable, *graph, 0);
    if (error != 0 && *graph) driver.graphDestroy(*graph);
    if (error != 0) *graph = *executable = nullptr;
    return error;
  };
  api.launchGraph = driver.graphLaunch;
  api.destroyGraph = [](void *graph, void *executable) {
    driver.graphExecDestroy(executable);
    driver.graphDestroy(graph);
  };
  api.errorText = [](int error) {
    const char *text = nullptr;
    return driver.getErrorString(error, &text) == 0 && text ? text : "unknown error";
  };
  api.compile = compileCuda;
  return api;
}

}  // namespace

const GpuApi *cudaApi() {
  static bool bound = bindDriver();
  static GpuApi api = bound ? makeTable() : GpuApi{};
  return bound ? &api : nullptr;
}

std::unique_ptr<Backend> makeCudaBackend() { return makeGpuBackend(cudaApi, "CUDA", "libcuda.so.1"); }

}  // namespace tessera::runtime
