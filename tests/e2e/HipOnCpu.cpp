#include "HipOnCpu.h"
#include "driver/Build.h"
#include "driver/CacheFolder.h"
#include "driver/Files.h"
#include "driver/Process.h"
#include "tessera/tessera.h"
#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace tessera;
using namespace tessera::driver;

namespace {

/// GCN and CDNA (gfx9) run waves of 64 lanes, RDNA (gfx10 and later) of 32.
int waveOf(const TargetSpec &target) { return static_cast<int>(target.machine().warpLanes); }

/// All of the shim's text: a library is compiled anew when it changes.
std::string textOfFolder(const std::string &folder) {
  std::string text;
  std::error_code error;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file()) text += readFile(entry.path().string()).text;
  return text;
}

}  // namespace

std::unique_ptr<LoadedProgram> loadHipOnCpu(Session &session, const TargetSpec &target, const std::string &shim,
                                            bool optimised, std::string &problem) {
  CompileOptions options;
  options.target = target;
  options.sourceName = stemOf(session.path()) + ".hip";
  Compiler compiler(session, options);
  auto product = compiler.emit();
  if (!product) return problem = "no HIP was emitted", nullptr;
  auto headers = unpackedHeaders();
  if (!headers) return problem = headers.error(), nullptr;
  auto cache = cacheFolder();
  if (!cache) return problem = cache.error(), nullptr;
  std::string compilerPath = findProgram("g++");
  if (compilerPath.empty()) compilerPath = findProgram("clang++-19");
  if (compilerPath.empty()) return problem = "no C++ compiler is here", nullptr;

  std::string wave = std::to_string(waveOf(target)), folder = *cache + "/hip-on-cpu";
  // Most runs are short: optimising would take many times as long as it saves.
  const std::string level = optimised ? "-O1" : "-O0";
  std::string key = product->source + "\n" + *headers + "\n" + wave + compilerPath + level + textOfFolder(shim);
  std::string base = folder + "/" + contentHash(key), library = base + ".so";
  if (access(library.c_str(), R_OK) != 0) {
    if (problem = makeFolders(folder); !problem.empty()) return nullptr;
    if (problem = writeFiles({{base + ".hip", product->source}}); !problem.empty()) return nullptr;
    std::string temporary = library + ".tmp" + std::to_string(getpid());
    // GCC does not see that what a lane keeps of a row is read under the condition under which it was written.
    ProcessResult result = runProcess({compilerPath, "-x", "c++", "-std=c++17", level, "-Wall", "-Wextra", "-Werror",
                                       "-Wno-maybe-uninitialized", "-Wno-unknown-pragmas", "-shared", "-fPIC", "-D__HIP_PLATFORM_AMD__",
                                       "-DTSR_WAVE=" + wave, "-I" + shim, "-I" + *headers, base + ".hip", "-o", temporary});
    if (result.exitCode != 0 || std::rename(temporary.c_str(), library.c_str()) != 0)
      return problem = "the HIP does not compile as C++\n" + result.output, nullptr;
  }
  return loadWithHostMemory(library, TESS_ROCM, problem);
}
