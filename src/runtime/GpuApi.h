// The part of the CUDA driver API and of the HIP runtime that the runtime calls, behind one table of functions.
// The two libraries have the same shapes of functions; where they differ, a row of the table is an adaptor.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::runtime {

using GpuError = int;  // 0 is success in both libraries
/// Device attributes, numbered as CUDA's CUdevice_attribute and HIP's hipDeviceAttribute_t in the two tables.
struct GpuAttributes {
  int multiprocessors, sharedBytesOptIn, waveSize, computeMajor, computeMinor;
};

struct GpuApi {
  const char *title;           // "CUDA", for messages
  GpuAttributes attributes;
  int outOfMemory;             // the library's error number for it
  int fatalImage[4];           // error numbers that mean: this image is not for this device
  int notFound;                // no kernel of that name

  GpuError (*deviceCount)(int *count);
  GpuError (*deviceName)(char *name, int length, int device);
  GpuError (*deviceMemory)(size_t *bytes, int device);
  GpuError (*attribute)(int *value, int attribute, int device);
  std::string (*arch)(const GpuApi &api, int device);
  /// Makes the device current for the calling thread; `handle` keeps what the library needs for it.
  GpuError (*open)(void **handle, int device);
  GpuError (*makeCurrent)(void *handle, int device);
  void (*close)(void *handle, int device);

  GpuError (*allocate)(void **pointer, size_t bytes);
  GpuError (*release)(void *pointer);
  GpuError (*copy)(void *to, const void *from, size_t bytes, void *stream);
  GpuError (*set)(void *pointer, int value, size_t bytes, void *stream);
  GpuError (*createStream)(void **stream);
  GpuError (*destroyStream)(void *stream);
  GpuError (*synchronize)(void *stream);
  GpuError (*synchronizeAll)();
  GpuError (*loadModule)(void **module, const void *image);
  GpuError (*unloadModule)(void *module);
  GpuError (*findKernel)(void **kernel, void *module, const char *name);
  GpuError (*allowShared)(void *kernel, int bytes);
  GpuError (*launch)(void *kernel, const uint32_t grid[3], const uint32_t group[3], uint32_t shared, void *stream, void **arguments);
  GpuError (*beginCapture)(void *stream);
  /// Ends a capture: `graph` and, made of it, `executable`; both null after a failure.
  GpuError (*endCapture)(void *stream, void **graph, void **executable);
  GpuError (*launchGraph)(void *executable, void *stream);
  void (*destroyGraph)(void *graph, void *executable);
  const char *(*errorText)(GpuError error);
  /// Compiles source text for the device; the log goes into `log` when it fails.
  /// `names` are C++ names of kernels whose lowered names come back in `lowered`.
  bool (*compile)(const std::string &source, const std::string &arch, const std::vector<std::string> &options,
                  const std::vector<std::string> &names, std::string &image, std::vector<std::string> &lowered, std::string &log);
};

/// The tables, or null when the library is not on this machine.
const GpuApi *cudaApi();
const GpuApi *hipApi();

/// One of the shared libraries named, opened once; null if there is none. `find` is dlsym.
class DynamicLibrary {
public:
  explicit DynamicLibrary(const std::vector<const char *> &names);
  explicit operator bool() const { return handle_ != nullptr; }
  void *find(const char *symbol) const;
  /// Stores the symbol; false (and remembered in `complete`) if the library lacks it.
  template <class Function> void need(Function &function, const char *symbol) {
    function = reinterpret_cast<Function>(find(symbol));
    if (!function) complete = false;
  }
  bool complete = true;

private:
  void *handle_ = nullptr;
};

/// NVRTC and hiprtc have the same functions under two prefixes ("nvrtc", "hiprtc").
struct RtcDialect {
  const char *prefix;
  std::vector<const char *> libraries;
  const char *imageName;     // "CUBIN" or "Code": nvrtcGetCUBIN, hiprtcGetCode
  const char *archOption;    // "--gpu-architecture=" or "--offload-arch="
};
bool compileWithRtc(const RtcDialect &dialect, const std::string &source, const std::string &arch,
                    const std::vector<std::string> &options, const std::vector<std::string> &names, std::string &image,
                    std::vector<std::string> &lowered, std::string &log);

}  // namespace tessera::runtime
