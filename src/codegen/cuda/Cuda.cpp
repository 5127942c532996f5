// CUDA C++.
#include "codegen/Language.h"

namespace tessera::codegen {
namespace {

std::string dynamicShared(const std::string &name) {
  return "extern __shared__ __align__(128) unsigned char " + name + "[];";
}

Doc launch(const LaunchText &l, const std::string &call) {
  return l.kernel + "<<<" + l.groups + ", " + l.group + ", " + l.sharedBytes + ", " + call + ".stream()>>>(" +
         Doc::group(Doc::softline()) + commaSeparated(l.arguments) + ");";
}

}  // namespace

const Language &cudaLanguage() {
  static const Language language{Target::Cuda,
                                 "CUDA",
                                 ".cu",
                                 true,
                                 "static __global__",
                                 "__launch_bounds__",
                                 "__shared__ ",
                                 "__restrict__ ",
                                 "#pragma unroll",
                                 "#pragma unroll ",
                                 dynamicShared,
                                 launch};
  return language;
}

}  // namespace tessera::codegen
