#include "driver/Targets.h"
#include "driver/Process.h"
#include "support/Check.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::driver {

std::string TargetSpec::name() const {
  if (reference) return "reference";
  return arch.empty() ? std::string(familyName(target)) : machine().target();
}
const Machine &TargetSpec::machine() const {
  if (arch.empty()) return defaultMachine(target);
  const Machine *machine = machineByName(target == Target::Cpu ? "cpu-" + arch : arch);
  TSR_CHECK(machine, "a target without its machine: " + arch);
  return *machine;
}
std::string TargetSpec::suffix() const {
  return target == Target::Cuda ? ".cu" : target == Target::Hip ? ".hip" : ".cpp";
}

std::optional<TargetSpec> parseTarget(const std::string &text) {
  if (text == "reference") return TargetSpec{Target::Cpu, "", true};
  for (Target family : {Target::Cuda, Target::Hip, Target::Cpu})
    if (text == familyName(family)) return TargetSpec{family, "", false};
  for (const Machine &machine : machines())
    if (machine.target() == text) return TargetSpec{machine.family, text.substr(text.find(':') + 1), false};
  return std::nullopt;
}

void reportUnknownTarget(diag::Engine &diagnostics, const std::string &text, bool reference) {
  auto message = diagnostics.report(diag::Id::unknownTarget, {}, text);
  if (text == "reference") {
    message.help("the reference interpreter writes no source: use `tessera run --target reference`");
    return;
  }
  if (std::string near = nearestTarget(text); !near.empty()) {
    message.help("did you mean `" + near + "`?");
    return;
  }
  std::string known = "cuda, hip, cpu";
  for (const Machine &machine : machines())
    if (machine.target() != familyName(machine.family)) known += ", " + machine.target();
  message.help("the targets are " + known + (reference ? ", reference" : ""));
}

std::optional<TargetSpec> targetOfSuffix(const std::string &suffix) {
  if (suffix == ".cu") return TargetSpec{Target::Cuda, "", false};
  if (suffix == ".hip") return TargetSpec{Target::Hip, "", false};
  if (suffix == ".cpp" || suffix == ".cc" || suffix == ".cxx") return TargetSpec{Target::Cpu, "", false};
  return std::nullopt;
}

namespace {

std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string hostCompiler() {
  std::string chosen = fromEnvironment("TESSERA_CXX");
  if (!chosen.empty()) return chosen;
  for (const char *name : {"g++", "clang++-19", "clang++", "c++"})
    if (std::string path = findProgram(name); !path.empty()) return path;
  return {};
}

std::string nvcc() {
  std::string chosen = fromEnvironment("TESSERA_NVCC");
  return chosen.empty() ? findProgram("nvcc", {"/usr/local/cuda/bin"}) : chosen;
}

std::string hipCompiler() {
  std::string chosen = fromEnvironment("TESSERA_HIPCC");
  if (!chosen.empty()) return chosen;
  for (const char *name : {"amdclang++", "clang++-19", "hipcc"})
    if (std::string path = findProgram(name, {"/opt/rocm/bin"}); !path.empty()) return path;
  return {};
}

std::vector<std::string> hostFlags(const TargetSpec &target) {
  // -ffast-math would fold the rounding that polynomials rely on. The language rounds after each operation (F18): where
  // a sum of products may be contracted, the text says `tsr::fma`.
  std::vector<std::string> flags = {"-std=c++17", "-O3", "-march=" + std::string(target.machine().compilerName), "-fno-math-errno", "-ffp-contract=off", "-fopenmp"};
#if defined(__x86_64__)
  flags.push_back("-mprefer-vector-width=512");  // else compilers use half of the vectors that there are
#endif
  return flags;
}

/// What nvcc translates for. Machine code alone where it is for one family of GPUs (sm_90a): PTX beside it is for other GPUs and takes as long.
std::vector<std::string> gpuFlags(const TargetSpec &target) {
  const std::string kernelsAtOnce = "--split-compile=0";  // as many as there are cores
  if (target.arch.empty()) return {"-arch=native", kernelsAtOnce};
  std::string name(target.machine().compilerName);
  if (name.back() != 'a') return {"-arch=" + name, kernelsAtOnce};
  return {"-gencode=arch=compute_" + name.substr(name.find('_') + 1) + ",code=" + name, kernelsAtOnce};
}

/// A compiler, and what it is told to translate a source and to link what comes of it.
struct Toolchain {
  std::string compiler, missing;  // as in CompileCommand
  std::vector<std::string> translate, link;
};

/// `shared`: for a library, which shows the names in `exports`, or those in the folder of the headers.
Toolchain toolchainOf(const TargetSpec &target, const std::string &includeFolder, bool shared, const std::string &exports) {
  Toolchain result;
  // What the library shows to others, and what of it others can take the place of: the functions that are looked up.
  const std::string onlyEntries = "--version-script=" + (exports.empty() ? includeFolder + "/" + kExportsFile : exports);
  const std::string ownFirst = "-Bsymbolic";  // its functions call each other, whatever else is called like them
  switch (target.target) {
  case Target::Cpu:
    result.compiler = hostCompiler();
    if (result.compiler.empty()) result.missing = "a C++ compiler (g++ or clang++)";
    result.translate = hostFlags(target);
    result.link = {"-fopenmp"};
    if (shared) result.translate.push_back("-fPIC"), result.link.insert(result.link.end(), {"-shared", "-Wl," + onlyEntries, "-Wl," + ownFirst});
    break;
  case Target::Cuda:
    result.compiler = nvcc();
    if (result.compiler.empty()) result.missing = "nvcc of the CUDA Toolkit";
    // -O is of the host's code, which checks and launches: at -O3 it takes twice as long to compile. Kernels have -O3 in any case.
    result.translate = {"-std=c++17", "-O1", "-fmad=false", "-x", "cu"};
    for (std::string &flag : gpuFlags(target)) result.translate.push_back(flag);
    if (shared) result.translate.insert(result.translate.end(), {"-Xcompiler", "-fPIC"});
    if (shared) result.link = {"-shared", "-cudart", "static", "-Xlinker", onlyEntries, "-Xlinker", ownFirst};
    break;
  case Target::Hip:
    result.compiler = hipCompiler();
    if (result.compiler.empty()) result.missing = "hipcc or clang++ with the ROCm device libraries";
    result.translate = {"-x", "hip", "-std=c++17", "-O3", "-ffp-contract=off", "--offload-arch=" + std::string(target.machine().compilerName)};
    if (shared) result.translate.push_back("-fPIC"), result.link = {"-shared", "--hip-link", "-Wl," + onlyEntries, "-Wl," + ownFirst};
    break;
  }
  bool isPath = result.compiler.find('/') != std::string::npos;
  bool found = isPath ? access(result.compiler.c_str(), X_OK) == 0 : !findProgram(result.compiler).empty();
  if (result.missing.empty() && !found) result.missing = "`" + result.compiler + "`, which the environment names";
  return result;
}

CompileCommand commandOf(const Toolchain &tools, bool translates, bool links, std::vector<std::string> words) {
  CompileCommand result{{tools.compiler}, tools.missing};
  if (translates) llvm::append_range(result.command, tools.translate);
  if (links) llvm::append_range(result.command, tools.link);
  llvm::append_range(result.command, words);
  return result;
}

}  // namespace

CompileCommand sharedLibraryCommand(const TargetSpec &target, const std::string &source, const std::string &output,
                                    const std::string &includeFolder, const std::string &exports) {
  return commandOf(toolchainOf(target, includeFolder, true, exports), true, true, {"-I" + includeFolder, source, "-o", output});
}
CompileCommand programCommand(const TargetSpec &target, const std::string &source, const std::string &output,
                              const std::string &includeFolder) {
  return commandOf(toolchainOf(target, includeFolder, false, {}), true, true, {"-I" + includeFolder, source, "-o", output});
}
CompileCommand objectCommand(const TargetSpec &target, const std::string &source, const std::string &object, const std::string &includeFolder,
                             bool shared) {
  return commandOf(toolchainOf(target, includeFolder, shared, {}), true, false, {"-I" + includeFolder, "-c", source, "-o", object});
}
CompileCommand linkCommand(const TargetSpec &target, const std::vector<std::string> &objects, const std::string &output,
                           const std::string &includeFolder, bool shared, const std::string &exports) {
  std::vector<std::string> words = objects;
  words.insert(words.end(), {"-o", output});
  return commandOf(toolchainOf(target, includeFolder, shared, exports), false, true, std::move(words));
}

Libraries collectiveLibraries(Target target) {
  if (target == Target::Cpu) return {};
  const bool cuda = target == Target::Cuda;
  const std::string home = fromEnvironment(cuda ? "NCCL_HOME" : "RCCL_HOME"), file = cuda ? "libnccl.so" : "librccl.so";
  std::vector<std::string> folders = {home + "/lib", home + "/lib64"};
  if (home.empty()) {  // beside the compiler, or where the linker looks
    std::error_code error;
    const std::string compiler = cuda ? nvcc() : hipCompiler();
    const auto real = std::filesystem::canonical(compiler.find('/') == std::string::npos ? findProgram(compiler) : compiler, error);
    const std::string beside = real.parent_path().parent_path().string();
    folders = {beside + "/lib64", beside + "/lib"};
  }
  Libraries libraries;
  if (!home.empty()) libraries.translate.push_back("-I" + home + "/include");
  auto linked = [&](std::vector<std::string> words) {
    for (std::string &word : words) {
      if (cuda) libraries.link.push_back("-Xlinker");
      libraries.link.push_back((cuda ? "" : "-Wl,") + word);
    }
  };
  for (const std::string &folder : folders)
    for (const std::string &name : {file, file + (cuda ? ".2" : ".1")})  // packages of Python have the second alone
      if (libraries.link.empty() && access((folder + "/" + name).c_str(), R_OK) == 0) linked({folder + "/" + name, "-rpath=" + folder});
  if (libraries.link.empty()) libraries.link = {cuda ? "-lnccl" : "-lrccl"};
  return libraries;
}

std::string compilerIdentity(const TargetSpec &target) {
  std::vector<std::string> programs = {hostCompiler()};  // nvcc calls it, too
  if (target.target != Target::Cpu) programs.push_back(target.target == Target::Cuda ? nvcc() : hipCompiler());
  std::string text;
  for (const std::string &program : programs) {
    // The file's time and size stand for its version: asking the compiler itself would cost a process each run.
    std::string path = program.find('/') == std::string::npos ? findProgram(program) : program;
    std::error_code error;
    std::filesystem::path real = std::filesystem::canonical(path, error);
    struct stat status {};
    bool found = !error && stat(real.c_str(), &status) == 0;
    text += program + " " + real.string();
    if (found)
      text += " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
    text += "\n";
  }
  return text;
}

}  // namespace tessera::driver
