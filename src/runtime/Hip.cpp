// The HIP runtime as a GpuApi table. Signatures from hip_runtime_api.h.
#include "runtime/Gpu.h"
#include "runtime/GpuApi.h"
#include <cstring>

namespace tessera::runtime {
namespace {

using Handle = void *;  // hipStream_t, hipModule_t, hipFunction_t
struct Hip {
  int (*init)(unsigned) = nullptr;
  int (*getDeviceCount)(int *) = nullptr;
  int (*deviceGetName)(char *, int, int) = nullptr;
  int (*deviceTotalMem)(size_t *, int) = nullptr;
  int (*deviceGetAttribute)(int *, int, int) = nullptr;
  int (*setDevice)(int) = nullptr;
  int (*deviceSynchronize)() = nullptr;
  int (*malloc)(void **, size_t) = nullptr;
  int (*free)(void *) = nullptr;
  int (*memcpyAsync)(void *, const void *, size_t, int, Handle) = nullptr;
  int (*memsetAsync)(void *, int, size_t, Handle) = nullptr;
  int (*streamCreateWithFlags)(Handle *, unsigned) = nullptr;
  int (*streamDestroy)(Handle) = nullptr;
  int (*streamSynchronize)(Handle) = nullptr;
  int (*moduleLoadData)(Handle *, const void *) = nullptr;
  int (*moduleUnload)(Handle) = nullptr;
  int (*moduleGetFunction)(Handle *, Handle, const char *) = nullptr;
  int (*moduleLaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **) = nullptr;
  int (*streamBeginCapture)(Handle, int) = nullptr;
  int (*streamEndCapture)(Handle, Handle *) = nullptr;
  int (*graphInstantiate)(Handle *, Handle, Handle *, char *, size_t) = nullptr;
  int (*graphLaunch)(Handle, Handle) = nullptr;
  int (*graphExecDestroy)(Handle) = nullptr;
  int (*graphDestroy)(Handle) = nullptr;
  const char *(*getErrorString)(int) = nullptr;
};

Hip hip;

DynamicLibrary &hipLibrary() {
  static DynamicLibrary library({"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so"});
  return library;
}

bool bindHip() {
  DynamicLibrary &library = hipLibrary();
  if (!library) return false;
  library.need(hip.init, "hipInit");
  library.need(hip.getDeviceCount, "hipGetDeviceCount");
  library.need(hip.deviceGetName, "hipDeviceGetName");
  library.need(hip.deviceTotalMem, "hipDeviceTotalMem");
  library.need(hip.deviceGetAttribute, "hipDeviceGetAttribute");
  library.need(hip.setDevice, "hipSetDevice");
  library.need(hip.deviceSynchronize, "hipDeviceSynchronize");
  library.need(hip.malloc, "hipMalloc");
  library.need(hip.free, "hipFree");
  library.need(hip.memcpyAsync, "hipMemcpyAsync");
  library.need(hip.memsetAsync, "hipMemsetAsync");
  library.need(hip.streamCreateWithFlags, "hipStreamCreateWithFlags");
  library.need(hip.streamDestroy, "hipStreamDestroy");
  library.need(hip.streamSynchronize, "hipStreamSynchronize");
  library.need(hip.moduleLoadData, "hipModuleLoadData");
  library.need(hip.moduleUnload, "hipModuleUnload");
  library.need(hip.moduleGetFunction, "hipModuleGetFunction");
  library.need(hip.moduleLaunchKernel, "hipModuleLaunchKernel");
  library.need(hip.streamBeginCapture, "hipStreamBeginCapture");
  library.need(hip.streamEndCapture, "hipStreamEndCapture");
  library.need(hip.graphInstantiate, "hipGraphInstantiate");
  library.need(hip.graphLaunch, "hipGraphLaunch");
  library.need(hip.graphExecDestroy, "hipGraphExecDestroy");
  library.need(hip.graphDestroy, "hipGraphDestroy");
  library.need(hip.getErrorString, "hipGetErrorString");
  return library.complete && hip.init(0) == 0;
}

bool compileHip(const std::string &source, const std::string &arch, const std::vector<std::string> &options,
                const std::vector<std::string> &names, std::string &image, std::vector<std::string> &lowered, std::string &log) {
  static const RtcDialect hiprtc{"hiprtc", {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libamdhip64.so", "libamdhip64.so.5"}, "Code", "--offload-arch="};
  return compileWithRtc(hiprtc, source, arch, options, names, image, lowered, log);
}

/// The architecture's name stands in hipDeviceProp_t, whose layout changes between releases; asking the code
/// object loader is not possible either. The name field `gcnArchName` begins with "gfx": look for it.
std::string archName(const GpuApi &, int device) {
  DynamicLibrary &library = hipLibrary();
  int (*getProperties)(void *, int) = nullptr;
  for (const char *symbol : {"hipGetDevicePropertiesR0600", "hipGetDeviceProperties"})
    if (!getProperties) library.need(getProperties, symbol);
  std::vector<char> properties(16384, 0);
  if (!getProperties || getProperties(properties.data(), device) != 0) return "";
  for (size_t i = 0; i + 16 < properties.size(); ++i)
    if (std::memcmp(&properties[i], "gfx", 3) == 0) {
      std::string name(&properties[i]);
      return name.substr(0, name.find(':'));
    }
  return "";
}

GpuApi makeTable() {
  constexpr unsigned kNonBlocking = 1;
  constexpr int kOfThisThread = 1;  // what other threads do meanwhile is their own
  constexpr int kMemcpyDefault = 4;
  GpuApi api{};
  api.title = "HIP";
  // Numbers of hipDeviceAttribute_t differ between HIP 4 and later ones; unknown ones leave 0 in the answer.
  api.attributes = {63, 74, 87, 23, 61};
  api.outOfMemory = 2;
  api.fatalImage[0] = 200, api.fatalImage[1] = 209, api.fatalImage[2] = 218, api.fatalImage[3] = 98;
  api.notFound = 500;
  api.deviceCount = hip.getDeviceCount;
  api.deviceName = hip.deviceGetName;
  api.deviceMemory = hip.deviceTotalMem;
  api.attribute = hip.deviceGetAttribute;
  api.arch = archName;
  api.open = [](void **handle, int device) { return *handle = nullptr, hip.setDevice(device); };
  api.makeCurrent = [](void *, int device) { return hip.setDevice(device); };
  api.close = [](void *, int) {};
  api.allocate = hip.malloc;
  api.release = hip.free;
  api.copy = [](void *to, const void *from, size_t bytes, void *stream) { return hip.memcpyAsync(to, from, bytes, kMemcpyDefault, stream); };
  api.set = hip.memsetAsync;
  api.createStream = [](void **stream) { return hip.streamCreateWithFlags(stream, kNonBlocking); };
  api.destroyStream = hip.streamDestroy;
  api.synchronize = hip.streamSynchronize;
  api.synchronizeAll = hip.deviceSynchronize;
  api.loadModule = hip.moduleLoadData;
  api.unloadModule = hip.moduleUnload;
  api.findKernel = hip.moduleGetFunction;
  api.allowShared = [](void *, int) { return 0; };  // HIP has no opt-in: 64 KB is what a group may have
  api.launch = [](void *kernel, const uint32_t grid[3], const uint32_t group[3], uint32_t shared, void *stream, void **arguments) {
    return hip.moduleLaunchKernel(kernel, grid[0], grid[1], grid[2], group[0], group[1], group[2], shared, stream, arguments, nullptr);
  };
  api.beginCapture = [](void *stream) { return hip.streamBeginCapture(stream, kOfThisThread); };
  api.endCapture = [](void *stream, void **graph, void **executable) {
    int error = hip.streamEndCapture(stream, graph);
    if (error == 0) error = hip.graphInstantiate(executable, *graph, nullptr, nullptr, 0);
    if (error != 0 && *graph) hip.graphDestroy(*graph);
    if (error != 0) *graph = *executable = nullptr;
    return error;
  };
  api.launchGraph = hip.graphLaunch;
  api.destroyGraph = [](void *graph, void *executable) {
    hip.graphExecDestroy(executable);
    hip.graphDestroy(graph);
  };
  api.errorText = [](int error) { return hip.getErrorString(error); };
  api.compile = compileHip;
  return api;
}

}  // namespace

const GpuApi *hipApi() {
  static bool bound = bindHip();
  static GpuApi api = bound ? makeTable() : GpuApi{};
  return bound ? &api : nullptr;
}

std::unique_ptr<Backend> makeHipBackend() { return makeGpuBackend(hipApi, "HIP", "libamdhip64.so"); }

}  // namespace tessera::runtime
