// GPU devices over a GpuApi table: one implementation for CUDA and HIP.
#include "runtime/Gpu.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tessera::runtime {
namespace {

TessStatus check(const GpuApi &api, GpuError error, const char *what) {
  if (error == 0) return TESS_OK;
  if (error == api.outOfMemory) return fail(TESS_ERROR_MEMORY, "%s: the device has no memory left", what);
  return fail(TESS_ERROR_DRIVER, "%s: %s error %d: %s", what, api.title, error, api.errorText(error));
}

/// Makes a context's device current for the calling thread, as every call of these libraries needs.
struct Opened {
  const GpuApi &api;
  void *handle = nullptr;
  int id = 0;
  TessStatus use() const { return check(api, api.makeCurrent(handle, id), "choosing the device"); }
};

class GpuEntry : public Entry {
public:
  GpuEntry(const Opened &gpu, void *kernel) : gpu_(gpu), kernel_(kernel) {}
  TessStatus launch(const TessLaunchConfig &config, void *const *arguments, int32_t, TessStream stream, const TessNumericsPolicy &) override {
    if (TessStatus status = gpu_.use()) return status;
    constexpr size_t kWithoutAsking = 48 * 1024;
    if (config.shared_bytes > kWithoutAsking)
      if (TessStatus status = check(gpu_.api, gpu_.api.allowShared(kernel_, static_cast<int>(config.shared_bytes)), "asking for shared memory")) return status;
    return check(gpu_.api, gpu_.api.launch(kernel_, config.grid, config.group, static_cast<uint32_t>(config.shared_bytes), stream, const_cast<void **>(arguments)),
                 "launching the kernel");
  }

private:
  Opened gpu_;
  void *kernel_;
};

class GpuCode : public Code {
public:
  GpuCode(const Opened &gpu, void *module, std::map<std::string, std::string> lowered) : gpu_(gpu), module_(module), lowered_(std::move(lowered)) {}
  ~GpuCode() override {
    if (gpu_.use() == TESS_OK) gpu_.api.unloadModule(module_);
  }
  TessStatus find(const char *name, std::unique_ptr<Entry> &entry) override {
    if (TessStatus status = gpu_.use()) return status;
    auto it = lowered_.find(name);
    void *kernel = nullptr;
    GpuError error = gpu_.api.findKernel(&kernel, module_, it == lowered_.end() ? name : it->second.c_str());
    if (error == gpu_.api.notFound) return fail(TESS_ERROR_NOT_FOUND, "the module has no kernel `%s`", name);
    if (TessStatus status = check(gpu_.api, error, "finding the kernel")) return status;
    entry = std::make_unique<GpuEntry>(gpu_, kernel);
    return TESS_OK;
  }

private:
  Opened gpu_;
  void *module_;
  std::map<std::string, std::string> lowered_;
};

class GpuRecording : public Recording {
public:
  GpuRecording(const Opened &gpu, void *graph, void *executable) : gpu_(gpu), graph_(graph), executable_(executable) {}
  ~GpuRecording() override {
    if (gpu_.use() == TESS_OK) gpu_.api.destroyGraph(graph_, executable_);
  }
  TessStatus launch(TessStream stream) override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.launchGraph(executable_, stream), "launching the graph");
  }

private:
  Opened gpu_;
  void *graph_, *executable_;
};

class GpuDevice : public Device {
public:
  explicit GpuDevice(const Opened &gpu) : gpu_(gpu) {}
  ~GpuDevice() override { gpu_.api.close(gpu_.handle, gpu_.id); }

  TessStatus allocate(size_t bytes, void **pointer) override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.allocate(pointer, bytes), "allocating");
  }
  TessStatus release(void *pointer) override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.release(pointer), "freeing");
  }
  TessStatus copy(void *to, const void *from, size_t bytes, TessMemcpyKind, TessStream stream) override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.copy(to, from, bytes, stream), "copying");
  }
  TessStatus set(void *pointer, int32_t value, size_t bytes, TessStream stream) override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.set(pointer, value, bytes, stream), "setting memory");
  }
  TessStatus createStream(TessStream *stream) override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.createStream(reinterpret_cast<void **>(stream)), "creating a stream");
  }
  TessStatus destroyStream(TessStream stream) override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.destroyStream(stream), "destroying a stream");
  }
  TessStatus synchronize(TessStream stream) override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.synchronize(stream), "waiting for a stream");
  }
  TessStatus synchronizeAll() override {
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.synchronizeAll(), "waiting for the device");
  }
  TessStatus beginRecording(TessStream stream) override {
    if (!stream) return fail(TESS_ERROR_ARGUMENT, "tessGraphBegin: the default stream of a GPU cannot be recorded; make one with tessStreamCreate");
    if (TessStatus status = gpu_.use()) return status;
    return check(gpu_.api, gpu_.api.beginCapture(stream), "beginning to record");
  }
  TessStatus endRecording(TessStream stream, std::unique_ptr<Recording> &recording) override {
    if (TessStatus status = gpu_.use()) return status;
    void *graph = nullptr, *executable = nullptr;
    if (TessStatus status = check(gpu_.api, gpu_.api.endCapture(stream, &graph, &executable), "making a graph of what was recorded")) return status;
    recording = std::make_unique<GpuRecording>(gpu_, graph, executable);
    return TESS_OK;
  }
  TessStatus load(TessModuleFormat format, const void *data, size_t bytes, const TessModuleOptions *options, std::unique_ptr<Code> &code) override;
  TessStatus accepts(const TessNumericsPolicy &policy) override {
    if (policy.flush_denormals) return fail(TESS_ERROR_UNSUPPORTED, "flushing denormals is fixed when a GPU kernel is compiled, not here");
    return TESS_OK;
  }

private:
  TessStatus compile(const std::string &source, const TessModuleOptions *options, std::string &image, std::map<std::string, std::string> &lowered);
  Opened gpu_;
};

TessStatus GpuDevice::compile(const std::string &source, const TessModuleOptions *options, std::string &image, std::map<std::string, std::string> &lowered) {
  std::vector<std::string> flags, names, loweredNames;
  if (options) {
    flags.assign(options->compile_options, options->compile_options + options->compile_option_count);
    names.assign(options->kernel_names, options->kernel_names + options->kernel_name_count);
  }
  std::string log;
  if (!gpu_.api.compile(source, gpu_.api.arch(gpu_.api, gpu_.id), flags, names, image, loweredNames, log))
    return fail(TESS_ERROR_COMPILATION, "%s", log.c_str());
  for (size_t i = 0; i < names.size(); ++i) lowered[names[i]] = loweredNames[i];
  return TESS_OK;
}

TessStatus GpuDevice::load(TessModuleFormat format, const void *data, size_t bytes, const TessModuleOptions *options, std::unique_ptr<Code> &code) {
  if (TessStatus status = gpu_.use()) return status;
  std::string image;
  std::map<std::string, std::string> lowered;
  if (format == TESS_MODULE_FILE) {
    std::ifstream in(static_cast<const char *>(data), std::ios::binary);
    if (!in) return fail(TESS_ERROR_NOT_FOUND, "there is no readable file `%s`", static_cast<const char *>(data));
    std::ostringstream text;
    text << in.rdbuf();
    image = std::move(text).str();
  } else {
    image.assign(static_cast<const char *>(data), bytes);
  }
  if (format == TESS_MODULE_SOURCE) {
    std::string source = std::move(image);
    if (TessStatus status = compile(source, options, image, lowered)) return status;
  }
  image.push_back('\0');  // PTX text must end so; binaries do not mind
  void *module = nullptr;
  GpuError error = gpu_.api.loadModule(&module, image.data());
  if (std::find(std::begin(gpu_.api.fatalImage), std::end(gpu_.api.fatalImage), error) != std::end(gpu_.api.fatalImage))
    return fail(TESS_ERROR_DRIVER, "the image is no code for this device (%s): %s", gpu_.api.arch(gpu_.api, gpu_.id).c_str(), gpu_.api.errorText(error));
  if (TessStatus status = check(gpu_.api, error, "loading the module")) return status;
  code = std::make_unique<GpuCode>(gpu_, module, std::move(lowered));
  return TESS_OK;
}

class GpuBackend : public Backend {
public:
  GpuBackend(const GpuApi *(*api)(), const char *title, const char *library) : find_(api), title_(title), library_(library) {}
  TessStatus missing(int32_t id) override {
    if (!find_()) return fail(TESS_ERROR_NO_DEVICE, "there is no %s device: its driver, %s, is missing or does not start", title_, library_);
    return fail(TESS_ERROR_NO_DEVICE, "there is no %s device %d: %d found", title_, id, count());
  }
  int32_t count() override {
    const GpuApi *api = find_();
    int found = 0;
    return api && api->deviceCount(&found) == 0 ? found : 0;
  }
  TessStatus describe(int32_t id, TessDeviceInfo &info) override {
    const GpuApi &api = *find_();
    if (TessStatus status = check(api, api.deviceName(info.name, sizeof info.name, id), "asking for the name")) return status;
    size_t bytes = 0;
    api.deviceMemory(&bytes, id);
    info.memory_bytes = bytes;
    api.attribute(&info.multiprocessors, api.attributes.multiprocessors, id);
    api.attribute(&info.shared_bytes, api.attributes.sharedBytesOptIn, id);
    api.attribute(&info.wave_size, api.attributes.waveSize, id);
    std::strncpy(info.arch, api.arch(api, id).c_str(), sizeof info.arch - 1);
    return TESS_OK;
  }
  TessStatus open(int32_t id, std::unique_ptr<Device> &device) override {
    const GpuApi &api = *find_();
    Opened gpu{api, nullptr, id};
    if (TessStatus status = check(api, api.open(&gpu.handle, id), "opening the device")) return status;
    device = std::make_unique<GpuDevice>(gpu);
    return TESS_OK;
  }

private:
  const GpuApi *(*find_)();
  const char *title_, *library_;
};

}  // namespace

std::unique_ptr<Backend> makeGpuBackend(const GpuApi *(*api)(), const char *title, const char *library) {
  return std::make_unique<GpuBackend>(api, title, library);
}

}  // namespace tessera::runtime
