// The CPU as a device: host memory, shared libraries of emitted code, calls that have ended when they return.
#include "runtime/Internal.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <fstream>
#include <functional>
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

/// Calls in their order.
class CpuRecording : public Recording {
public:
  void add(std::function<TessStatus()> call) { calls_.push_back(std::move(call)); }
  TessStatus launch(TessStream) override {
    for (const auto &call : calls_)
      if (TessStatus status = call()) return status;
    return TESS_OK;
  }

private:
  std::vector<std::function<TessStatus()>> calls_;
};

/// What a thread records, by the numbers of the devices: none is given twice.
class Recordings {
public:
  void begin(uint64_t device) { now_[device] = std::make_unique<CpuRecording>(); }
  std::unique_ptr<CpuRecording> end(uint64_t device) {
    std::unique_ptr<CpuRecording> ended = std::move(now_[device]);
    now_.erase(device);
    return ended;
  }
  CpuRecording *of(uint64_t device) const {
    auto found = now_.find(device);
    return found == now_.end() ? nullptr : found->second.get();
  }

private:
  std::map<uint64_t, std::unique_ptr<CpuRecording>> now_;
};
Recordings &recordings() {
  thread_local Recordings mine;
  return mine;
}

/// Arguments of a call that outlives those of the caller.
class KeptValues {
public:
  explicit KeptValues(const std::vector<TessValue> &values) : values_(values) {
    for (TessValue &value : values_) {
      if (value.kind != TESS_VALUE_TENSOR || !value.as.tensor) continue;
      tensors_.push_back(*value.as.tensor);
      TessTensor &tensor = tensors_.back();
      if (tensor.ndim > 0) tensor.shape = kept(tensor.shape, tensor.ndim), tensor.strides = kept(tensor.strides, tensor.ndim);
      value.as.tensor = &tensor;
    }
  }
  KeptValues(const KeptValues &) = delete;
  const TessValue *data() const { return values_.data(); }

private:
  const int64_t *kept(const int64_t *numbers, int32_t count) {
    if (!numbers) return nullptr;
    numbers_.emplace_back(numbers, numbers + count);
    return numbers_.back().data();
  }
  std::vector<TessValue> values_;
  std::deque<TessTensor> tensors_;
  std::deque<std::vector<int64_t>> numbers_;
};

class CpuEntry : public Entry {
public:
  using Call = TessStatus (*)(const TessValue *, int32_t, TessStream);
  using LastError = const char *(*)();
  CpuEntry(Call call, LastError lastError, uint64_t device) : call_(call), lastError_(lastError), device_(device) {}
  TessStatus launch(const TessLaunchConfig &, void *const *arguments, int32_t count, TessStream,
                    const TessNumericsPolicy &policy) override {
    std::vector<TessValue> values;
    for (int32_t i = 0; i < count; ++i) {
      if (!arguments[i]) return fail(TESS_ERROR_ARGUMENT, "tessLaunch: argument %d is NULL", i);
      values.push_back(*static_cast<const TessValue *>(arguments[i]));
    }
    const bool flush = policy.flush_denormals != 0;
    CpuRecording *recording = recordings().of(device_);
    if (!recording) return run(call_, lastError_, values.data(), count, flush);
    recording->add([call = call_, lastError = lastError_, kept = std::make_shared<KeptValues>(values), count, flush] {
      return run(call, lastError, kept->data(), count, flush);
    });
    return TESS_OK;
  }

private:
  static TessStatus run(Call call, LastError lastError, const TessValue *values, int32_t count, bool flushes) {
    FlushDenormals flush(flushes);
    TessStatus status = call(values, count, nullptr);
    // The library has its own place for the text.
    if (status != TESS_OK) return fail(status, "%s", lastError ? lastError() : "the library does not say why it failed");
    return TESS_OK;
  }

  Call call_;
  LastError lastError_;
  uint64_t device_;
};

class SharedLibrary : public Code {
public:
  SharedLibrary(void *handle, uint64_t device) : handle_(handle), device_(device) {}
  ~SharedLibrary() override {
    // Not closed: OpenMP's worker threads may still be inside code of the library.
  }
  TessStatus find(const char *name, std::unique_ptr<Entry> &entry) override {
    void *symbol = ownSymbol(handle_, (std::string(name) + "_call").c_str());
    if (!symbol) return fail(TESS_ERROR_NOT_FOUND, "the library has no entry function `%s`", name);
    void *lastError = ownSymbol(handle_, "tessLastErrorText");
    entry = std::make_unique<CpuEntry>(reinterpret_cast<CpuEntry::Call>(symbol), reinterpret_cast<CpuEntry::LastError>(lastError), device_);
    return TESS_OK;
  }

private:
  void *handle_;
  uint64_t device_;
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
    return now([=] {
      std::memmove(to, from, bytes);
      return TessStatus(TESS_OK);
    });
  }
  TessStatus set(void *pointer, int32_t value, size_t bytes, TessStream) override {
    return now([=] {
      std::memset(pointer, value, bytes);
      return TessStatus(TESS_OK);
    });
  }
  TessStatus createStream(TessStream *stream) override {
    *stream = nullptr;
    return TESS_OK;
  }
  TessStatus destroyStream(TessStream) override { return TESS_OK; }
  TessStatus synchronize(TessStream) override { return TESS_OK; }
  TessStatus synchronizeAll() override { return TESS_OK; }
  TessStatus beginRecording(TessStream) override {
    recordings().begin(number_);
    return TESS_OK;
  }
  TessStatus endRecording(TessStream, std::unique_ptr<Recording> &recording) override {
    recording = recordings().end(number_);
    return TESS_OK;
  }
  TessStatus load(TessModuleFormat format, const void *data, size_t, const TessModuleOptions *, std::unique_ptr<Code> &code) override {
    if (format != TESS_MODULE_FILE)
      return fail(TESS_ERROR_UNSUPPORTED, "a CPU module is a shared library: compile the emitted C++ and use TESS_MODULE_FILE");
    const char *path = static_cast<const char *>(data);
    if (access(path, R_OK) != 0) return fail(TESS_ERROR_NOT_FOUND, "there is no readable file `%s`", path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return fail(TESS_ERROR_DRIVER, "%s", dlerror());
    code = std::make_unique<SharedLibrary>(handle, number_);
    return TESS_OK;
  }
  TessStatus accepts(const TessNumericsPolicy &policy) override {
#if !defined(__x86_64__)
    if (policy.flush_denormals) return fail(TESS_ERROR_UNSUPPORTED, "flushing denormals is known here for x86-64 only");
#endif
    (void)policy;
    return TESS_OK;
  }

private:
  /// Done now, or recorded.
  template <class Call> TessStatus now(Call call) {
    CpuRecording *recording = recordings().of(number_);
    if (!recording) return call();
    recording->add(call);
    return TESS_OK;
  }
  static uint64_t nextNumber() {
    static std::atomic<uint64_t> last{0};
    return ++last;
  }
  const uint64_t number_ = nextNumber();
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
