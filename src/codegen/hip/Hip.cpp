// HIP C++: CUDA's words, but launches by a macro that other implementations of HIP understand too.
#include "codegen/Language.h"

namespace tessera::codegen {
namespace {

std::string dynamicShared(const std::string &name, int64_t alignment) {
  return "HIP_DYNAMIC_SHARED(unsigned char, " + name + ")";
}

Doc launch(const LaunchText &l, const std::string &call) {
  // The macro would take the commas of a template's arguments for its own.
  std::vector<Doc> items{l.hasArguments ? Doc("(") + l.kernel + ")" : l.kernel, Doc("dim3(" + l.groups + ")"), Doc("dim3(" + l.group + ")"), l.sharedBytes,
                         call + ".stream()"};
  items.insert(items.end(), l.arguments.begin(), l.arguments.end());
  return Doc("hipLaunchKernelGGL(") + Doc::group(Doc::softline()) + commaSeparated(items) + ");";
}

}  // namespace

const Language &hipLanguage() {
  static const Language language = [] {
    Language words = gpuLanguage();
    words.target = Target::Hip;
    words.name = "HIP";
    words.suffix = ".hip";
    words.dynamicShared = dynamicShared;
    words.launch = launch;
    return words;
  }();
  return language;
}

}  // namespace tessera::codegen
