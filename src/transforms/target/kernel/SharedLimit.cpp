// Shared memory that a group needs: a group that needs more than its machine has is refused, with what for.
#include "ir/common/KernelNotes.h"
#include "ir/common/MachineLimit.h"
#include "support/Check.h"
#include "transforms/target/kernel/Kernel.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/SharedMemory.h"
#include <algorithm>
#include <cstdio>
#include <utility>

using namespace mlir;

namespace tessera::transforms::totarget {

/// 96, 8.5: KiB as people write them.
static std::string kib(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes % 1024 == 0 ? "%.0f" : "%.1f", static_cast<double>(bytes) / 1024);
  return text;
}

/// The machine of the family with the least shared memory that is enough; null if none has so much.
static const Machine *machineWith(int64_t bytes, Target family) {
  const Machine *best = nullptr;
  for (const Machine &machine : machines())
    if (machine.family == family && machine.sharedBytes >= bytes && (!best || machine.sharedBytes < best->sharedBytes))
      best = &machine;
  return best;
}

/// `parts`: the bytes of each buffer with these capacities, which together are too many. Always fails.
static LogicalResult refuseShared(Emission &em, int64_t total, const std::vector<int64_t> &parts,
                                  const std::map<std::string, int64_t> &capacities) {
  std::vector<size_t> order(parts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::pair(-parts[a], a) < std::pair(-parts[b], b); });
  std::string list, when;
  for (size_t i : order) list += (list.empty() ? "" : ", ") + em.shared->buffers[i].name + " " + kib(parts[i]);
  for (const auto &[dim, value] : capacities)
    when += (when.empty() ? " for " : " and ") + dim + " up to " + std::to_string(value);
  InFlightDiagnostic message = ir::emitMachineLimit(em.kernel);
  message << "a group of this kernel needs " << kib(total) << " KiB of shared memory" << when << ": " << list << "; "
          << std::string(em.machine.name) << " has " << kib(em.machine.sharedBytes);
  for (size_t i : order)
    if (em.shared->buffers[i].place != em.kernel.getLoc())
      message.attachNote(em.shared->buffers[i].place)
          << "`" << em.shared->buffers[i].name << "` takes " << kib(parts[i]) << " KiB";
  if (const Machine *enough = machineWith(total, em.machine.family))
    message.attachNote(em.kernel.getLoc()) << enough->target() << " has " << kib(enough->sharedBytes) << " KiB";
  return failure();
}

LogicalResult computeSharedBytes(Emission &em) {
  std::vector<std::map<std::string, int64_t>> combinations = {{}};
  for (const auto &[dim, values] : em.info.capacities) {
    std::vector<std::map<std::string, int64_t>> next;
    for (const auto &combination : combinations)
      for (int64_t value : values) {
        next.push_back(combination);
        next.back()[dim] = value;
      }
    combinations = std::move(next);
  }
  std::vector<int64_t> totals;
  for (const auto &combination : combinations) {
    int64_t total = 0, greatest = 128;
    std::vector<int64_t> parts;
    for (const SharedBuffer &buffer : em.shared->buffers) {
      int64_t bytes = buffer.elementBytes;
      for (const Dim &extent : buffer.extents) {
        auto value = extent.evaluate([&](const std::string &variable) -> std::optional<int64_t> {
          if (auto constant = em.sizes->constants.find(variable); constant != em.sizes->constants.end())
            return em.sizes->values.at(constant->second);
          auto found = combination.find(variable);
          return found == combination.end() ? std::nullopt : std::optional(found->second);
        });
        TSR_CHECK(value, "a shared buffer without a size");
        bytes *= *value;
      }
      const int64_t alignment = std::max<int64_t>(em.out.getSharedAlignment(), buffer.alignment);
      greatest = std::max(greatest, buffer.alignment);
      total = static_cast<int64_t>(llvm::alignTo(total, alignment)) + bytes;
      parts.push_back(bytes);
    }
    totals.push_back(static_cast<int64_t>(llvm::alignTo(total, greatest)));
    if (totals.back() > em.machine.sharedBytes) return refuseShared(em, totals.back(), parts, combination);
  }
  if (!em.shared->buffers.empty() && !em.isCpu())
    em.out->setAttr(ir::kSharedMemory, em.builder.getDenseI64ArrayAttr(totals));
  bool large =
      em.roles->op || llvm::any_of(totals, [&](int64_t bytes) { return bytes > em.machine.staticSharedBytes; });
  if (!large || em.isCpu()) return success();
  em.info.sharedBytes = totals;
  em.out.setDynamicShared(true);
  return success();
}

}  // namespace tessera::transforms::totarget
