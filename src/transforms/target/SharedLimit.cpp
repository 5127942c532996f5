// A group that needs more shared memory than its machine has: what for, and how much there is.
#include "ir/common/MachineLimit.h"
#include "transforms/target/KernelEmitter.h"
#include <algorithm>
#include <cstdio>
#include <utility>

using namespace mlir;

namespace tessera::transforms::totarget {
namespace {

/// 96, 8.5: KiB as people write them.
std::string kib(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes % 1024 == 0 ? "%.0f" : "%.1f", static_cast<double>(bytes) / 1024);
  return text;
}

/// The machine of the family with the least shared memory that is enough; null if none has so much.
const Machine *machineWith(int64_t bytes, Target family) {
  const Machine *best = nullptr;
  for (const Machine &machine : machines())
    if (machine.family == family && machine.sharedBytes >= bytes && (!best || machine.sharedBytes < best->sharedBytes))
      best = &machine;
  return best;
}

}  // namespace

/// `parts`: the bytes of each buffer with these capacities, which together are too many. Always fails.
LogicalResult KernelEmitter::refuseShared(int64_t total, const std::vector<int64_t> &parts,
                                          const std::map<std::string, int64_t> &capacities) {
  std::vector<size_t> order(parts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return std::pair(-parts[a], a) < std::pair(-parts[b], b); });
  std::string list, when;
  for (size_t i : order) list += (list.empty() ? "" : ", ") + shared_[i].name + " " + kib(parts[i]);
  for (const auto &[dim, value] : capacities) when += (when.empty() ? " for " : " and ") + dim + " up to " + std::to_string(value);
  InFlightDiagnostic message = ir::emitMachineLimit(kernel_);
  message << "a group of this kernel needs " << kib(total) << " KiB of shared memory" << when << ": " << list << "; "
          << std::string(machine_.name) << " has " << kib(machine_.sharedBytes);
  for (size_t i : order)
    if (shared_[i].place != kernel_.getLoc())
      message.attachNote(shared_[i].place) << "`" << shared_[i].name << "` takes " << kib(parts[i]) << " KiB";
  if (const Machine *enough = machineWith(total, machine_.family))
    message.attachNote(kernel_.getLoc()) << enough->target() << " has " << kib(enough->sharedBytes) << " KiB";
  return failure();
}

}  // namespace tessera::transforms::totarget
