// The comment over a kernel: the signature that the user wrote, its schedule, and fields of that which change nothing on this
// machine, and why.
#include "ir/common/ReasonText.h"
#include "ir/common/WhyNot.h"
#include "support/Machine.h"
#include "transforms/target/kernel/Kernel.h"
#include "transforms/target/sizes/Sizes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

static std::string optionText(NamedAttribute option) {
  auto text = dyn_cast<StringAttr>(option.getValue());
  return text ? text.str() : std::string();
}

static bool usesSwizzle(Emission &em) {
  bool found = false;
  em.kernel.getBody().walk([&](tile::AllocSharedOp alloc) { found |= !alloc.getType().getSwizzle().empty(); });
  return found;
}

std::vector<std::string> withoutEffect(Emission &em) {
  std::vector<std::string> names;
  bool inClusters = false;
  em.kernel.getBody().walk([&](tile::RolesOp roles) { inClusters |= roles.getClusters(); });
  auto context = em.kernel.getContext().getAsValueRange<StringAttr>();
  for (NamedAttribute size : em.kernel.getSizes()) {
    StringRef name = size.getName().strref();
    auto value = dyn_cast<IntegerAttr>(size.getValue());
    bool isGroup = name == "warps" && !em.isCpu() && value &&
                   value.getInt() * kWarpLanes == static_cast<int64_t>(em.kernel.getGroup());
    bool isCluster = inClusters && (name == "cluster_m" || (name == "cluster_n" && value && value.getInt() == 1));
    if (!isGroup && !isCluster && !llvm::is_contained(context, name)) names.push_back(name.str());
  }
  for (NamedAttribute option : em.kernel.getOptions())
    if (!llvm::is_contained({"metric", "budget_ms", "cache"}, option.getName().strref()) &&  // the tuner's
        !(option.getName() == "swizzle" && optionText(option) == "xor" && usesSwizzle(em)))
      names.push_back(option.getName().str());
  return names;
}

/// One sentence for the comment over the kernel.
static StringRef whyIdle(Emission &em, StringRef field) {
  if (em.isCpu())
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
      .Case("stages", em.machine.family == Target::Cuda ? "no loop of the kernel copies tiles for matrix instructions"
                                                        : "the machine has no copies that run ahead")
      .Case("prefetch", em.machine.family == Target::Cuda ? "copies run ahead as far as `stages` says"
                                                          : "the machine has no copies that run ahead")
      .Case("swizzle", usesSwizzle(em) ? "lanes that read tiles for matrix instructions would ask one bank"
                                       : "no tile in shared memory is read by matrix instructions")
      .Case("vector", "how many elements are read at once follows from how rows are aligned")
      .Cases("order", "group_m", "groups go over tiles in bands, which share what they read")
      .Cases("cluster_m", "cluster_n", "groups share copies in clusters of two that lie one below the other, of products with two warpgroups or more on sm_90a")
      .Default("nothing in the kernel depends on it");
}

HeadComment headComment(Emission &em) {
  std::vector<std::string> lines, idle = withoutEffect(em);
  if (!em.kernel.getSignature().empty()) lines.push_back(em.kernel.getSignature().str());
  std::string schedule;
  std::vector<std::string> unused;
  auto add = [&](StringRef name, const std::string &value) {
    if (llvm::is_contained(idle, name.str()))
      unused.push_back("  no " + name.str() + " = " + value + ": " + whyIdle(em, name).str());
    else schedule += (schedule.empty() ? "" : ", ") + name.str() + " = " + value;
  };
  for (NamedAttribute size : sortedSizes(em))
    if (auto value = dyn_cast<IntegerAttr>(size.getValue())) add(size.getName(), std::to_string(value.getInt()));
  for (NamedAttribute option : em.kernel.getOptions())
    if (llvm::is_contained(idle, option.getName().str())) add(option.getName(), optionText(option));
  if (!em.isCpu())
    schedule += (schedule.empty() ? "" : ", ") + std::to_string(em.kernel.getGroup()) + " threads a group";
  if (!schedule.empty()) lines.push_back("  schedule  " + schedule);
  lines.insert(lines.end(), unused.begin(), unused.end());
  std::vector<std::string> reasons;
  for (StringAttr reason : em.kernel.getReasons().getAsRange<StringAttr>())
    reasons.push_back(ir::withNames(reason.getValue(), [&](size_t i) { return em.kernel.param(i).getName(); }));
  for (const std::string &reason : reasons) lines.push_back("  " + reason);
  if (auto refused = em.kernel->getAttrOfType<DictionaryAttr>(ir::kWhyNot))
    for (NamedAttribute each : refused)
      lines.push_back("  no " + each.getName().str() + ": " + cast<StringAttr>(each.getValue()).str());
  return {lines, schedule, reasons};
}

}  // namespace tessera::transforms::totarget
