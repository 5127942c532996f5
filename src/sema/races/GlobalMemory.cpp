#include "sema/races/GlobalMemory.h"

namespace tessera::sema::races {

void GlobalMemory::allocate(const Var *tensor, std::vector<int64_t> extents) {
  if (knows(tensor)) return;
  size_t count = 1;
  for (int64_t extent : extents) count *= static_cast<size_t>(extent);
  tensors_[tensor] = Tensor{std::move(extents), std::vector<Element>(count)};
}

std::optional<Finding> GlobalMemory::use(const Region &region, const LaneMask &mask, const Use &use, bool sameInGroups) {
  Tensor &tensor = tensors_.at(region.buffer);
  std::optional<Finding> found;
  const auto id = static_cast<uint32_t>(uses_.size());
  uses_.push_back(use);
  auto meet = [&](int64_t index, const Mark &before) {
    if (found) return;
    found = Finding{};
    found->buffer = region.buffer;
    found->element = placeOf(index, tensor.extents);
    found->first = uses_[before.use];
    found->second = use;
    found->firstGroup = before.group;
    found->secondGroup = group_;
  };
  auto touch = [&](int64_t index) {
    Element &e = tensor.elements[static_cast<size_t>(index)];
    const Use &before = uses_[e.writer.use];
    bool together = use.writes && ((sameInGroups && before.stmt == use.stmt) || (use.byPlace && before.byPlace) || use.commutes(before));
    if (meets(e.writer) && !together) meet(index, e.writer);
    if (use.writes && meets(e.reader)) meet(index, e.reader);
    Mark &mark = use.writes ? e.writer : e.reader;
    const bool plainer = mark.group == group_ && uses_[mark.use].isAtomic && !use.isAtomic;
    if (mark.group == kNone || plainer) mark = {group_, id};
    else if (mark.group != group_) mark.group = kSeveral;
  };
  for (size_t lane = 0; lane < (region.byLanes ? mask.size() : 1); ++lane)
    if (!region.byLanes || mask[lane]) work_ += visitRegion(region, tensor.extents, lane, touch);
  return found;
}

}  // namespace tessera::sema::races
