#include "driver/Execute.h"
#include "driver/Embedded.h"
#include "driver/Files.h"
#include "driver/Process.h"
#include "support/FloatFormats.h"
#include "tessera/tessera.h"
#include <nlohmann/json.hpp>
#include <chrono>
#include <dlfcn.h>
#include <filesystem>
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
  int32_t deviceType;  // what the program is told
  bool copies;         // the memory of the device is not that of this process
};

/// The arguments of one call on a device: copied there, passed, copied back.
class DeviceCall {
public:
  explicit DeviceCall(const Place &place) : context_(place.context), deviceType_(place.deviceType), copies_(place.copies) {}
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
      tensors_[i] = {memory, {deviceType_, 0}, static_cast<int32_t>(array.shape.size()), dlpackDType(array.dtype), array.shape.data(), nullptr, 0};
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
  int32_t deviceType_;
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

/// Reports it; the empty path of compileInto.
std::string cacheProblem(Session &session, const std::string &path, const std::string &problem) {
  session.diagnostics.report(diag::Id::cannotWriteFile, {}, path, problem)
      .help("compiled programs are kept there; set TESSERA_CACHE to a folder that you may write to");
  return {};
}

/// What the linker reads for a library that other programs link to: its functions by name, beside their uniform forms.
std::string exportsOf(const Product &product) {
  std::string names;
  const auto manifest = nlohmann::json::parse(product.manifest);
  for (const auto &entry : manifest["entries"])
    names += entry["symbol"].get<std::string>() + "; " + entry["call"].get<std::string>() + "; ";
  return "{ global: " + names + "tessLastErrorText; local: *; };\n";
}

/// `kept`: takes what was emitted, for a library that shows all its functions. `name`: its stem, if not the program's.
std::string compileInto(Session &session, const TargetSpec &target, const std::vector<std::string> &functions, bool shared,
                        Product *kept = nullptr, const std::string &name = {}) {
  CompileOptions options;
  options.target = target;
  options.sourceName = (name.empty() ? stemOf(session.path()) : name) + target.suffix();
  Compiler compiler(session, options);
  auto product = compiler.emit(functions);
  if (!product) return {};
  if (kept) *kept = *product;
  auto headers = unpackedHeaders();
  if (!headers) return cacheProblem(session, cacheFolder(), headers.error());
  std::string key = contentHash(product->source + "\n" + *headers + "\n" + target.name() + "\n" + compilerIdentity(target) + (kept ? "library" : shared ? "so" : "exe"));
  std::string folder = cacheFolder() + "/compiled";
  std::string output = folder + "/" + key + (shared ? ".so" : "");
  if (access(output.c_str(), R_OK) == 0) return output;
  if (std::string problem = makeFolders(folder); !problem.empty())
    return cacheProblem(session, folder, problem);
  std::string source = folder + "/" + key + target.suffix();
  if (std::string problem = writeFiles({{source, product->source}}); !problem.empty())
    return cacheProblem(session, source, problem);
  std::string temporary = output + ".tmp" + std::to_string(getpid()), missing;
  std::string exports = kept ? folder + "/" + key + ".map" : "";
  if (kept)
    if (std::string problem = writeFiles({{exports, exportsOf(*product)}}); !problem.empty()) return cacheProblem(session, exports, problem);
  std::string log = compileSource(target, source, temporary, shared, missing, exports);
  if (!missing.empty()) {
    session.diagnostics.report(diag::Id::toolchainMissing, {}, target.name(), missing)
        .help(target.target == Target::Cpu ? "install g++, or set TESSERA_CXX" : "install it, or use --target cpu or --target reference");
    return {};
  }
  if (!log.empty()) {
    std::remove(temporary.c_str());
    session.diagnostics.report(diag::Id::toolchainFailed, {}, target.name()).help("the source is " + source).help(log);
    return {};
  }
  if (std::rename(temporary.c_str(), output.c_str()) != 0)
    return cacheProblem(session, output, "it could not be renamed into place");
  return output;
}

}  // namespace

Result<std::string> unpackedHeaders() {
  std::string all;
  for (const EmbeddedFile &file : embeddedHeaders()) all += std::string(file.path) + "\n" + std::string(file.text);
  std::string folder = cacheFolder() + "/include-" + contentHash(all + kExportsText);
  if (access((folder + "/complete").c_str(), R_OK) == 0) return folder;
  for (const EmbeddedFile &file : embeddedHeaders()) {
    std::string path = folder + "/" + std::string(file.path);
    if (std::string problem = makeFolders(folderOf(path)); !problem.empty()) return Failure{problem};
    if (std::string problem = writeFiles({{path, std::string(file.text)}}); !problem.empty()) return Failure{problem};
  }
  if (std::string problem = writeFiles({{folder + "/" + kExportsFile, kExportsText}}); !problem.empty()) return Failure{problem};
  if (std::string problem = writeFiles({{folder + "/complete", ""}}); !problem.empty()) return Failure{problem};
  return folder;
}

std::string compileSource(const TargetSpec &target, const std::string &source, const std::string &output, bool shared, std::string &missing,
                          const std::string &exports) {
  auto headers = unpackedHeaders();
  if (!headers) return headers.error();
  CompileCommand command = shared ? sharedLibraryCommand(target, source, output, *headers, exports) : programCommand(target, source, output, *headers);
  if (!command.missing.empty()) return missing = command.missing, "";
  ProcessResult result = runProcess(command.command);
  if (result.exitCode == 0) return {};
  return result.output.empty() ? "it ended with status " + std::to_string(result.exitCode) : result.output;
}

std::unique_ptr<LoadedProgram> loadCompiled(Session &session, const TargetSpec &target, const std::string &function) {
  int32_t deviceType = deviceTypeOf(target.target);
  TessContext context = nullptr;
  tessInit(0);
  if (tessContextCreate(deviceType, 0, &context) != TESS_OK) {
    session.diagnostics.report(diag::Id::runFailed, {}, target.name(), tessLastErrorText())
        .help("use --target cpu, or --target reference for the interpreter");
    tessShutdown();
    return nullptr;
  }
  std::string path = compileInto(session, target, function.empty() ? std::vector<std::string>() : std::vector{function}, true);
  void *library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    if (!path.empty()) session.diagnostics.report(diag::Id::runFailed, {}, path, std::string(dlerror()));
    tessContextDestroy(context);
    tessShutdown();
    return nullptr;
  }
  return std::make_unique<SharedProgram>(library, Place{context, deviceType, deviceType != TESS_CPU});
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
  return std::make_unique<SharedProgram>(library, Place{context, deviceType, false});
}

std::optional<BuiltLibrary> buildLibrary(Session &session, const TargetSpec &target, const std::string &name) {
  BuiltLibrary built;
  built.path = compileInto(session, target, {}, true, &built.product, name);
  if (built.path.empty()) return std::nullopt;
  std::string manifest = built.path.substr(0, built.path.size() - 3) + ".json";
  if (std::string problem = writeFiles({{manifest, built.product.manifest}}); !problem.empty()) {
    cacheProblem(session, manifest, problem);
    return std::nullopt;
  }
  return built;
}

std::string buildProgram(Session &session, const TargetSpec &target) { return compileInto(session, target, {"main"}, false); }

}  // namespace tessera::driver
