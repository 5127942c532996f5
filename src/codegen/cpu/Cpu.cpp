// C++17 with OpenMP: a kernel is a function that loops over its groups.
#include "codegen/Language.h"
#include "support/Check.h"

namespace tessera::codegen {
namespace {

std::string dynamicShared(const std::string &, int64_t) { TSR_UNREACHABLE("the CPU has no dynamic shared memory"); }

Doc launch(const LaunchText &l, const std::string &) {
  return l.kernel + "(" + Doc::group(Doc::softline()) + commaSeparated(l.arguments) + ");";
}

}  // namespace

const Language &cpuLanguage() {
  static const Language language{Target::Cpu,
                                 "C++",
                                 ".cpp",
                                 false,
                                 "static",
                                 "alignas(16) static const",
                                 "",
                                 false,
                                 "",
                                 64,
                                 "__restrict__ ",
                                 "#pragma GCC unroll 64",
                                 "#pragma GCC unroll ",
                                 dynamicShared,
                                 launch};
  return language;
}

}  // namespace tessera::codegen
