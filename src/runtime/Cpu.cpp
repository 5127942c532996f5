// The CPU as a device: host memory, shared libraries of emitted code, calls that have ended when they return.
#include "runtime/Internal.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tessera::runtime {
namespace {

/// Flushes denormals while it lives, on the calling thread; OpenMP's workers start with the flags of their creator.
class FlushDenormals {
public:
  explicit FlushDenormals(bool flush) {
#if defined(__x86_64__)
    saved_ = _mm_getcsr();
    if (flush) _mm_setcsr(saved_ | 0x8040);  // flush to zero, denormals are zero
#endif
  }
  ~FlushDenormals() {
#if defined(__x86_64__)
    _mm_setcsr(saved_);
#endif
  }

private:
  unsigned saved_ = 0;
};

/// A function of the loaded library itself; null if only a library that it needs has one of that name (`dlsym` looks
/// there, too, and libc has many names).
void *ownSymbol(void *handle, const char *name) {
  void *symbol = dlsym(handle, name);
  link_map *library = nullptr, *owner = nullptr;
  Dl_info info;
  if (!symbol || dlinfo(handle, RTLD_DI_LINKMAP, &library) != 0) return nullptr;
  if (dladdr1(symbol, &info, reinterpret_cast<void **>(&owner), RTLD_DL_LINKMAP) == 0 || owner != library) return nullptr;
  return symbol;
}

class CpuEntry : public Entry {
public:
  using Call = TessStatus (*)(const TessValue *, int32_t, TessStream);
  using LastError = const char *(*)();
  CpuEntry(Call call, LastError lastError) : call_(call), lastError_(lastError) {}
  TessStatus launch(const TessLaunchConfig &, void *const *arguments, int32_t count, TessStream stream,
                    const TessNumericsPolicy &policy) override {
    std::vector<TessValue> values;
    for (int32_t i = 0; i < count; ++i) {
      if (!arguments[i]) return fail(TESS_ERROR_ARGUMENT, "tessLaunch: argument %d is NULL", i);
      values.push_back(*static_cast<const TessValue *>(arguments[i]));
    }
    FlushDenormals flush(policy.flush_denormals != 0);
    TessStatus status = call_(values.data(), count, stream);
    // The library has its own place for the text.
    if (status != TESS_OK) return fail(status, "%s", lastError_ ? lastError_() : "the library does not say why it failed");
    return TESS_OK;
  }

private:
  Call call_;
  LastError lastError_;
};

class SharedLibrary : public Code {
public:
  explicit SharedLibrary(void *handle) : handle_(handle) {}
  ~SharedLibrary() override {
    // Not closed: OpenMP's worker threads may still be inside code of the library.
  }
  TessStatus find(const char *name, std::unique_ptr<Entry> &entry) override {
    void *symbol = ownSymbol(handle_, (std::string(name) + "_call").c_str());
    if (!symbol) return fail(TESS_ERROR_NOT_FOUND, "the library has no entry function `%s`", name);
    void *lastError = ownSymbol(handle_, "tessLastErrorText");
    entry = std::make_unique<CpuEntry>(reinterpret_cast<CpuEntry::Call>(symbol), reinterpret_cast<CpuEntry::LastError>(lastError));
    return TESS_OK;
  }

private:
  void *handle_;
};

class CpuDevice : public Device {
public:
  TessStatus allocate(size_t bytes, void **pointer) override {
    size_t rounded = (bytes + 255) / 256 * 256;
    *pointer = rounded < bytes ? nullptr : std::aligned_alloc(256, rounded);
    return *pointer ? TessStatus(TESS_OK) : fail(TESS_ERROR_MEMORY, "the host has no %zu bytes left", bytes);
  }
  TessStatus release(void *pointer) override {
    std::free(pointer);
    return TESS_OK;
  }
  TessStatus copy(void *to, const void *from, size_t bytes, TessMemcpyKind, TessStream) override {
    std::memmove(to, from, bytes);
    return TESS_OK;
  }
  TessStatus set(void *pointer, int32_t value, size_t bytes, TessStream) override {
    std::memset(pointer, value, bytes);
    return TESS_OK;
  }
  TessStatus createStream(TessStream *stream) override {
    *stream = nullptr;
    return TESS_OK;
  }
  TessStatus destroyStream(TessStream) override { return TESS_OK; }
  TessStatus synchronize(TessStream) override { return TESS_OK; }
  TessStatus synchronizeAll() override { return TESS_OK; }
  TessStatus load(TessModuleFormat format, const void *data, size_t, const TessModuleOptions *, std::unique_ptr<Code> &code) override {
    if (format != TESS_MODULE_FILE)
      return fail(TESS_ERROR_UNSUPPORTED, "a CPU module is a shared library: compile the emitted C++ and use TESS_MODULE_FILE");
    const char *path = static_cast<const char *>(data);
    if (access(path, R_OK) != 0) return fail(TESS_ERROR_NOT_FOUND, "there is no readable file `%s`", path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return fail(TESS_ERROR_DRIVER, "%s", dlerror());
    code = std::make_unique<SharedLibrary>(handle);
    return TESS_OK;
  }
  TessStatus accepts(const TessNumericsPolicy &policy) override {
#if !defined(__x86_64__)
    if (policy.flush_denormals) return fail(TESS_ERROR_UNSUPPORTED, "flushing denormals is known here for x86-64 only");
#endif
    (void)policy;
    return TESS_OK;
  }
};

std::string processorName() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0)
      if (size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "CPU";
}

class CpuBackend : public Backend {
public:
  int32_t count() override { return 1; }
  TessStatus missing(int32_t id) override { return fail(TESS_ERROR_NO_DEVICE, "there is no CPU %d: all cores are device 0", id); }
  TessStatus describe(int32_t, TessDeviceInfo &info) override {
    std::strncpy(info.name, processorName().c_str(), sizeof info.name - 1);
#if defined(__x86_64__)
    std::strncpy(info.arch, "x86-64", sizeof info.arch - 1);
#elif defined(__aarch64__)
    std::strncpy(info.arch, "aarch64", sizeof info.arch - 1);
#endif
    info.memory_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
    info.multiprocessors = static_cast<int32_t>(std::thread::hardware_concurrency());
    info.wave_size = 1;
    return TESS_OK;
  }
  TessStatus open(int32_t, std::unique_ptr<Device> &device) override {
    device = std::make_unique<CpuDevice>();
    return TESS_OK;
  }
};

}  // namespace

std::unique_ptr<Backend> makeCpuBackend() { return std::make_unique<CpuBackend>(); }

}  // namespace tessera::runtime
