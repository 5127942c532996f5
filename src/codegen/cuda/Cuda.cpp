// CUDA C++.
#include "codegen/Language.h"

namespace tessera::codegen {
namespace {

std::string dynamicShared(const std::string &name, int64_t alignment) {
  return "extern __shared__ __align__(" + std::to_string(alignment) + ") unsigned char " + name + "[];";
}

Doc launch(const LaunchText &l, const std::string &call) {
  if (l.early || l.clusters) {
    std::vector<Doc> items{l.kernel, l.groups, l.group, l.sharedBytes};
    items.insert(items.end(), l.arguments.begin(), l.arguments.end());
    return Doc(call + (l.early ? ".start_early(" : ".start(")) + commaSeparated(items) + ");";
  }
  return l.kernel + "<<<" + l.groups + ", " + l.group + ", " + l.sharedBytes + ", " + call + ".stream()>>>(" +
         Doc::group(Doc::softline()) + commaSeparated(l.arguments) + ");";
}

}  // namespace

const Language &cudaLanguage() {
  static const Language language = [] {
    Language words = gpuLanguage();
    words.target = Target::Cuda;
    words.name = "CUDA";
    words.suffix = ".cu";
    words.boundsTakeGroups = true;
    words.dynamicShared = dynamicShared;
    words.launch = launch;
    return words;
  }();
  return language;
}

}  // namespace tessera::codegen
