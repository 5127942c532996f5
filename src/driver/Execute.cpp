#include "driver/Execute.h"
#include "driver/Build.h"
#include "driver/Launch.h"
#include "support/FloatFormats.h"
#include "tessera/tessera.h"
#include <chrono>
#include <dlfcn.h>
#include <unistd.h>

namespace tessera::driver {
namespace {

int32_t deviceTypeOf(Target target) {
  return target == Target::Cuda ? TESS_CUDA : target == Target::Hip ? TESS_ROCM : TESS_CPU;
}

TessDType dlpackDType(DType dtype) {
  uint8_t bits = static_cast<uint8_t>(info(dtype).bits);
  switch (dtype) {
  case DType::BF16: return {TESS_BFLOAT, bits, 1};
  case DType::TF32: return {TESS_TF32, bits, 1};
  case DType::F8E4M3: return {TESS_FLOAT8_E4M3FN, bits, 1};
  case DType::F8E5M2: return {TESS_FLOAT8_E5M2, bits, 1};
  case DType::F6E2M3: return {TESS_FLOAT6_E2M3FN, bits, 1};
  case DType::F6E3M2: return {TESS_FLOAT6_E3M2FN, bits, 1};
  case DType::F4E2M1: return {TESS_FLOAT4_E2M1FN, bits, 1};
  default: break;
  }
  switch (info(dtype).cls) {
  case DTypeClass::Float: return {TESS_FLOAT, bits, 1};
  case DTypeClass::SignedInt: return {TESS_INT, bits, 1};
  case DTypeClass::UnsignedInt: return {TESS_UINT, bits, 1};
  case DTypeClass::Bool: return {TESS_BOOL, bits, 1};
  case DTypeClass::Complex: return {TESS_COMPLEX, bits, 1};
  }
  return {TESS_FLOAT, bits, 1};
}

/// Where a compiled program finds its arguments.
struct Place {
  TessContext context;
  TessDevice device;  // what the program is told
  bool copies;        // the memory of the device is not that of this process
};

/// The arguments of one call on a device: copied there, passed, copied back.
class DeviceCall {
public:
  explicit DeviceCall(const Place &place) : context_(place.context), device_(place.device), copies_(place.copies) {}
  ~DeviceCall() {
    for (void *memory : owned_) tessFree(context_, memory);
  }
  std::string prepare(BoundArguments &arguments) {
    size_t count = arguments.arrays.size();
    tensors_.resize(count);
    values_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      NpyArray &array = arguments.arrays[i];
      if (!arguments.isTensor[i]) {
        values_[i] = scalarValue(array);
        continue;
      }
      void *memory = array.data.data();
      if (copies_) {
        if (tessMalloc(context_, array.data.size(), &memory) != TESS_OK) return tessLastErrorText();
        owned_.push_back(memory);
        if (tessMemcpyAsync(context_, memory, array.data.data(), array.data.size(), TESS_MEMCPY_HOST_TO_DEVICE, nullptr) != TESS_OK)
          return tessLastErrorText();
      }
      tensors_[i] = {memory, device_, static_cast<int32_t>(array.shape.size()), dlpackDType(array.dtype), array.shape.data(), nullptr, 0};
      values_[i].kind = TESS_VALUE_TENSOR;
      values_[i].as.tensor = &tensors_[i];
    }
    return tessContextSynchronize(context_) == TESS_OK ? "" : tessLastErrorText();
  }
  std::string fetch(BoundArguments &arguments) {
    if (!copies_) return {};
    for (size_t i = 0; i < arguments.arrays.size(); ++i) {
      NpyArray &array = arguments.arrays[i];
      if (arguments.isTensor[i] &&
          tessMemcpyAsync(context_, array.data.data(), tensors_[i].data, array.data.size(), TESS_MEMCPY_DEVICE_TO_HOST, nullptr) != TESS_OK)
        return tessLastErrorText();
    }
    return tessContextSynchronize(context_) == TESS_OK ? "" : tessLastErrorText();
  }
  const std::vector<TessValue> &values() const { return values_; }

private:
  static TessValue scalarValue(const NpyArray &array) {
    TessValue value{};
    if (isFloat(array.dtype)) {
      value.kind = TESS_VALUE_REAL;
      value.as.real = loadFloat(array.dtype, array.data.data());
    } else {
      value.kind = TESS_VALUE_INTEGER;
      value.as.integer = loadInt(array.dtype, array.data.data());
    }
    return value;
  }
  TessContext context_;
  TessDevice device_;
  bool copies_;
  std::vector<TessTensor> tensors_;
  std::vector<TessValue> values_;
  std::vector<void *> owned_;
};

class SharedProgram : public LoadedProgram {
public:
  using Call = TessStatus (*)(const TessValue *, int32_t, TessStream);
  SharedProgram(void *library, Place place) : library_(library), place_(place) {}
  ~SharedProgram() override {
    tessContextDestroy(place_.context);
    tessShutdown();
  }
  std::string call(const std::string &function, BoundArguments &arguments) override {
    std::vector<double> seconds;
    return time(function, arguments, 0, seconds);
  }
  std::string time(const std::string &function, BoundArguments &arguments, int repeats, std::vector<double> &seconds) override {
    auto call = reinterpret_cast<Call>(dlsym(library_, (function + "_call").c_str()));
    if (!call) return "the compiled program has no function `" + function + "`";
    DeviceCall once(place_);
    if (std::string problem = once.prepare(arguments); !problem.empty()) return problem;
    auto run = [&]() -> std::string {
      if (call(once.values().data(), static_cast<int32_t>(once.values().size()), nullptr) != TESS_OK) return errorText();
      return tessContextSynchronize(place_.context) == TESS_OK ? "" : tessLastErrorText();
    };
    if (std::string problem = run(); !problem.empty()) return problem;
    if (std::string problem = once.fetch(arguments); !problem.empty()) return problem;
    for (int i = 0; i < repeats; ++i) {
      auto start = std::chrono::steady_clock::now();
      if (std::string problem = run(); !problem.empty()) return problem;
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return {};
  }

private:
  std::string errorText() {
    auto last = reinterpret_cast<const char *(*)()>(dlsym(library_, "tessLastErrorText"));
    return last ? last() : "the function failed";
  }
  void *library_;  // never closed: OpenMP's workers may still be in it
  Place place_;
};

}  // namespace

std::unique_ptr<LoadedProgram> loadCompiled(Session &session, const TargetSpec &target, const std::vector<std::string> &functions) {
  int32_t deviceType = deviceTypeOf(target.target);
  TessContext context = nullptr;
  tessInit(0);
  const TessDevice device = {deviceType, deviceType == TESS_CPU ? 0 : localDevice()};
  if (tessContextCreate(device.type, device.id, &context) != TESS_OK) {
    session.diagnostics.report(diag::Id::runFailed, {}, target.name(), tessLastErrorText())
        .help("use --target cpu, or --target reference for the interpreter");
    tessShutdown();
    return nullptr;
  }
  std::string set, path = buildProduct(session, target, functions, true, &set);
  void *library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library && !path.empty() && access(path.c_str(), F_OK) != 0) {  // another process has just made room in the cache
    path = buildProduct(session, target, functions, true);
    library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library && !dlsym(library, ("tessSet_" + set).c_str())) {
    session.diagnostics.report(diag::Id::runFailed, {}, path, "it is of another compile than the program (set " + set + " is not in it)")
        .help("remove it; it is made anew");
    path.clear(), library = nullptr;
  }
  if (!library) {
    if (!path.empty()) session.diagnostics.report(diag::Id::runFailed, {}, path, std::string(dlerror()));
    tessContextDestroy(context);
    tessShutdown();
    return nullptr;
  }
  return std::make_unique<SharedProgram>(library, Place{context, device, deviceType != TESS_CPU});
}

std::unique_ptr<LoadedProgram> loadWithHostMemory(const std::string &path, int32_t deviceType, std::string &problem) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return problem = dlerror(), nullptr;
  TessContext context = nullptr;
  tessInit(0);
  if (tessContextCreate(TESS_CPU, 0, &context) != TESS_OK) {
    problem = tessLastErrorText();
    tessShutdown();
    return nullptr;
  }
  return std::make_unique<SharedProgram>(library, Place{context, {deviceType, 0}, false});
}

}  // namespace tessera::driver
