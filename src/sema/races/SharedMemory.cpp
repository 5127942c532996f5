#include "sema/races/SharedMemory.h"
#include <algorithm>

namespace tessera::sema::races {
namespace {

/// Who does something that is the same for all lanes.
int32_t actor(const Region &region, const LaneMask &mask) {
  size_t active = static_cast<size_t>(std::count(mask.begin(), mask.end(), 1));
  if (active == 1) return static_cast<int32_t>(std::find(mask.begin(), mask.end(), 1) - mask.begin());
  return region.isTile || active != mask.size() ? kSomeLanes : kEveryLane;
}
/// Reading what each lane wrote for itself is no race; a tile's elements are not the lanes' own.
bool meetsWrite(int32_t who, int32_t writer, bool writes) {
  if (writer == kEveryLane) return writes && who != kEveryLane;
  return who != writer || who == kSomeLanes;
}
bool meetsRead(int32_t who, int32_t reader) { return who != reader || who < 0; }

}  // namespace

std::vector<int64_t> placeOf(int64_t index, const std::vector<int64_t> &extents) {
  std::vector<int64_t> at(extents.size());
  for (size_t d = at.size(); d-- > 0; index /= extents[d]) at[d] = index % extents[d];
  return at;
}

void SharedMemory::allocate(const Var *buffer, std::vector<int64_t> extents) {
  size_t count = 1;
  for (int64_t extent : extents) count *= static_cast<size_t>(extent);
  buffers_[buffer] = Buffer{std::move(extents), std::vector<Element>(count), false};
}

/// An index of a shared buffer that lies outside of it. Slices are clipped, and so are accesses of tensors.
std::optional<Finding> SharedMemory::outside(const Region &region, const LaneMask &mask, const Use &use) const {
  if (region.buffer->type.kind != TypeKind::Shared) return std::nullopt;
  const std::vector<int64_t> &extents = buffers_.at(region.buffer).extents;
  for (size_t d = 0; d < region.axes.size(); ++d) {
    const RegionAxis &axis = region.axes[d];
    for (size_t lane = 0; axis.isPoint && lane < mask.size(); ++lane) {
      int64_t at = axis.offset.at(lane);
      if (!mask[lane] || (at >= 0 && at < extents[d])) continue;
      Finding found;
      found.problem = Problem::OutOfBounds;
      found.buffer = region.buffer;
      found.element = {at, extents[d]};
      found.second = use;
      found.secondLane = axis.offset.uniform() ? kEveryLane : static_cast<int32_t>(lane);
      return found;
    }
  }
  return std::nullopt;
}

/// Calls `visit` with the index of each element that lies inside of the buffer.
template <class Visit> void SharedMemory::visit(const Region &region, size_t lane, const Visit &visit) {
  work_ += visitRegion(region, buffers_.at(region.buffer).extents, lane, visit);
}

template <class Touch>
void SharedMemory::eachLane(const Region &region, const LaneMask &mask, bool byLanes, const Touch &touch) {
  if (!byLanes) {
    int32_t who = actor(region, mask);
    visit(region, 0, [&](int64_t index) { touch(who, index); });
    return;
  }
  for (size_t lane = 0; lane < mask.size(); ++lane)
    if (mask[lane]) visit(region, lane, [&](int64_t index) { touch(static_cast<int32_t>(lane), index); });
}

uint32_t SharedMemory::remember(const Use &use) {
  uses_.push_back(use);
  return static_cast<uint32_t>(uses_.size() - 1);
}

Finding SharedMemory::meeting(const Buffer &buffer, int64_t index, const Mark &before, int32_t who,
                              uint32_t use) const {
  Finding found;
  found.element = placeOf(index, buffer.extents);
  found.first = uses_[before.use];
  found.second = uses_[use];
  found.firstLane = before.lane;
  found.secondLane = who;
  found.problem = found.second.isCopy ? Problem::CopyOverUse : Problem::Race;
  return found;
}

/// One use of one element. `lenient`: lanes that write the same value in one statement do not meet.
void SharedMemory::touchElement(Buffer &buffer, int64_t index, int32_t who, uint32_t use, bool lenient,
                                std::optional<Finding> &found) {
  Element &e = buffer.elements[static_cast<size_t>(index)];
  auto now = [&](const Mark &mark) { return mark.epoch == epoch_; };
  bool writes = uses_[use].writes;
  if (!found && e.copy != kNoCopy) {
    const Copy &copy = copies_[e.copy];
    found = meeting(buffer, index, Mark{kSomeLanes, epoch_, copy.use}, who, use);
    found->problem = copy.committed ? Problem::CopyPending : Problem::CopyUncommitted;
    found->newerGroups = copy.committed ? groupsEver_ - copy.group - 1 : 0;
  }
  bool together = lenient && (e.writer.use == use || (uses_[use].byPlace && uses_[e.writer.use].stmt == uses_[use].stmt));
  together |= uses_[use].commutes(uses_[e.writer.use]);
  if (!found && now(e.writer) && !together && meetsWrite(who, e.writer.lane, writes))
    found = meeting(buffer, index, e.writer, who, use);
  if (!found && writes && now(e.reader) && meetsRead(who, e.reader.lane))
    found = meeting(buffer, index, e.reader, who, use);
  Mark &mark = writes ? e.writer : e.reader;
  if (writes && now(mark) && uses_[use].isAtomic && !uses_[mark.use].isAtomic) return;  // others still meet the store
  mark = {now(mark) && mark.lane != who ? kSomeLanes : who, epoch_, use};
}

std::optional<Finding> SharedMemory::read(const Region &region, const LaneMask &mask, const Use &use) {
  Buffer &buffer = buffers_.at(region.buffer);
  std::optional<Finding> found = outside(region, mask, use);
  uint32_t id = remember(use);
  eachLane(region, mask, region.byLanes,
           [&](int32_t who, int64_t index) { touchElement(buffer, index, who, id, false, found); });
  if (found) found->buffer = region.buffer;
  return found;
}

std::optional<Finding> SharedMemory::write(const Region &region, const LaneMask &mask, const Use &use,
                                           bool sameValue) {
  Buffer &buffer = buffers_.at(region.buffer);
  buffer.touched = true;
  std::optional<Finding> found = outside(region, mask, use);
  uint32_t id = remember(use);
  bool byLanes = region.byLanes || (!sameValue && !region.isTile);
  eachLane(region, mask, byLanes,
           [&](int32_t who, int64_t index) { touchElement(buffer, index, who, id, sameValue, found); });
  if (found) found->buffer = region.buffer;
  return found;
}

std::optional<Finding> SharedMemory::copy(const Region &region, const LaneMask &mask, const Use &use) {
  Buffer &buffer = buffers_.at(region.buffer);
  buffer.touched = true;
  std::optional<Finding> found = outside(region, mask, use);
  uint32_t id = remember(use), number = static_cast<uint32_t>(copies_.size());
  copies_.push_back({region, id, false, 0});
  uncommitted_.push_back(number);
  eachLane(region, mask, false, [&](int32_t, int64_t index) {
    touchElement(buffer, index, kSomeLanes, id, false, found);
    buffer.elements[static_cast<size_t>(index)].copy = number;
  });
  if (found) found->buffer = region.buffer;
  return found;
}

std::optional<Use> SharedMemory::lastUncommitted() const {
  for (size_t i = uncommitted_.size(); i-- > 0;)
    if (uncommitted_[i] != kNoCopy) return uses_[copies_[uncommitted_[i]].use];
  return std::nullopt;
}

void SharedMemory::commit() {
  for (uint32_t copy : uncommitted_)
    if (copy != kNoCopy) {
      copies_[copy].committed = true;
      copies_[copy].group = groupsEver_;
    }
  ++groupsEver_;
  groups_.push_back(std::move(uncommitted_));
  uncommitted_.clear();
}

/// Each lane sees its own part of the copy; the others' parts need a barrier, as if they were written now.
void SharedMemory::arrive(const Copy &copy) {
  Buffer &buffer = buffers_.at(copy.region.buffer);
  uint32_t number = static_cast<uint32_t>(&copy - copies_.data());
  visit(copy.region, 0, [&](int64_t index) {
    Element &e = buffer.elements[static_cast<size_t>(index)];
    if (e.copy == number) e.copy = kNoCopy;
    e.writer = {kSomeLanes, epoch_, copy.use};
  });
}

void SharedMemory::wait(int64_t pending) {
  for (; static_cast<int64_t>(groups_.size()) > pending; groups_.pop_front())
    for (uint32_t copy : groups_.front())
      if (copy != kNoCopy) arrive(copies_[copy]);
}

void SharedMemory::forget() {
  ++epoch_;
  uncommitted_.clear();
  groups_.clear();
  for (auto &[var, buffer] : buffers_) {
    buffer.touched = true;
    for (Element &e : buffer.elements) e.copy = kNoCopy;
  }
}

}  // namespace tessera::sema::races
