// Fields of a schedule that change nothing in a kernel on this machine, and why: the comment over the kernel says it.
#include "support/Machine.h"
#include "transforms/target/KernelEmitter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tessera::transforms::totarget {

/// What a schedule gives and this lowering makes no use of.
std::vector<std::string> KernelEmitter::withoutEffect() {
  std::vector<std::string> names;
  auto context = kernel_.getContext().getAsValueRange<StringAttr>();
  for (NamedAttribute size : kernel_.getSizes()) {
    StringRef name = size.getName().strref();
    auto value = dyn_cast<IntegerAttr>(size.getValue());
    bool isGroup = name == "warps" && !isCpu() && value &&
                   value.getInt() * kWarpLanes == static_cast<int64_t>(kernel_.getGroup());
    if (!isGroup && !llvm::is_contained(context, name)) names.push_back(name.str());
  }
  for (NamedAttribute option : kernel_.getOptions())
    if (!llvm::is_contained({"metric", "budget_ms", "cache"}, option.getName().strref()) &&  // the tuner's
        !(option.getName() == "swizzle" && usesSwizzle()))
      names.push_back(option.getName().str());
  return names;
}

/// One sentence for the comment over the kernel.
StringRef KernelEmitter::whyIdle(StringRef field) {
  if (isCpu())
    return llvm::StringSwitch<StringRef>(field)
        .Cases("m", "n", "k", "nothing in the kernel asks for it")
        .Case("warps", "a thread of a CPU computes a whole tile")
        .Cases("stages", "prefetch", "a CPU reads memory ahead by itself")
        .Case("swizzle", "a CPU's cache has no banks")
        .Case("vector", "the compiler of the text makes vectors as wide as the CPU's")
        .Cases("order", "group_m", "the threads of a CPU take tiles one after the other")
        .Cases("cluster_m", "cluster_n", "a CPU has no clusters of groups")
        .Default("nothing in the kernel depends on it");
  return llvm::StringSwitch<StringRef>(field)
      .Cases("m", "n", "k", "nothing in the kernel asks for it")
      .Case("warps", "the kernel has another number of threads")
      .Case("stages", machine_.family == Target::Cuda ? "no loop of the kernel copies tiles for matrix instructions" : "the machine has no copies that run ahead")
      .Case("prefetch", machine_.family == Target::Cuda ? "copies run ahead as far as `stages` says" : "the machine has no copies that run ahead")
      .Case("swizzle", "no tile in shared memory is read by matrix instructions")
      .Case("vector", "how many elements are read at once follows from how rows are aligned")
      .Cases("order", "group_m", "groups go over tiles in bands, which share what they read")
      .Cases("cluster_m", "cluster_n", "groups do not share copies")
      .Default("nothing in the kernel depends on it");
}

}  // namespace tessera::transforms::totarget
