#include "codegen/Language.h"
#include "support/Check.h"

namespace tessera::codegen {

Language gpuLanguage() {
  Language language{};
  language.gpu = true;
  language.kernelMarks = "static __global__";
  language.tableMarks = "alignas(16) static __device__ const";
  language.launchBounds = "__launch_bounds__";
  language.sharedMark = "__shared__ ";
  language.sharedAlignment = 0;
  language.restrictMark = "__restrict__ ";
  language.unrollAll = "#pragma unroll";
  language.unrollBy = "#pragma unroll ";
  return language;
}

const Language &languageOf(Target target) {
  switch (target) {
  case Target::Cuda: return cudaLanguage();
  case Target::Hip: return hipLanguage();
  case Target::Cpu: return cpuLanguage();
  }
  TSR_UNREACHABLE("no such target");
}

}  // namespace tessera::codegen
