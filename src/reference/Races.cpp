#include "reference/Races.h"

namespace tessera::reference {
namespace {

constexpr int32_t kAll =
    -1;  // every lane did it, each for itself: the same read, or a write of the same value
constexpr int32_t kSome = -2;  // several lanes, or a tile whose elements the lanes share out among them

constexpr int32_t kTile = -3;  // the group's, in a tensor
constexpr int64_t kNoGroup = -1, kSeveralGroups = -2;

std::string laneText(int32_t lane) {
  if (lane == kTile) return "a tile";
  return lane == kAll ? "every lane" : lane == kSome ? "another lane" : "lane " + std::to_string(lane);
}

/// Who runs something that is the same for all lanes.
int32_t actor(const Region &region, const LaneMask &mask) {
  int64_t active = 0;
  int32_t first = 0;
  for (size_t lane = mask.size(); lane-- > 0;)
    if (mask[lane]) ++active, first = static_cast<int32_t>(lane);
  if (active == 1) return first;
  bool isTile = !region.shape().empty();
  return isTile || active != static_cast<int64_t>(mask.size()) ? kSome : kAll;
}

/// Whether a use may meet a write that came before it: reading what each lane wrote for itself is fine.
bool meetsWrite(int32_t who, int32_t writer, bool writes) {
  if (writer == kAll) return writes && who != kAll;
  return who != writer || who == kSome;
}
/// Whether a write may meet a read that came before it.
bool meetsRead(int32_t who, int32_t reader) { return who != reader || who < 0; }

}  // namespace

void Races::clear() {
  buffers_.clear();
  tensors_.clear();
  epoch_ = 1;
}

void Races::enterGroup(int64_t group) {
  buffers_.clear();
  group_ = group;
  ++epoch_;
}

void Races::addBuffer(const Datum *buffer) { buffers_[buffer].assign(buffer->size(), {}); }

void Races::addTensor(const Datum *tensor) { tensors_[tensor].assign(tensor->size(), {}); }

std::optional<std::string> Races::read(const std::string &name, const Region &region, const LaneMask &mask) {
  return use(name, region, mask, false, region.lanes != 0);
}
std::optional<std::string> Races::write(const std::string &name, const Region &region, const LaneMask &mask,
                                        bool valueVaries) {
  return use(name, region, mask, true, region.lanes != 0 || valueVaries);
}

void Races::arrive(const Region &region) {
  auto found = buffers_.find(region.base.get());
  if (found == buffers_.end()) return;
  visitRegion(region, 0, [&](int64_t index) {
    if (index >= 0) found->second[static_cast<size_t>(index)].writer = {kSome, epoch_, 0};
  });
}

std::optional<std::string> Races::use(const std::string &name, const Region &region, const LaneMask &mask,
                                      bool writes, bool byLanes) {
  auto found = buffers_.find(region.base.get());
  if (found == buffers_.end()) return std::nullopt;
  std::vector<Element> &elements = found->second;
  std::optional<std::string> message;
  auto touch = [&](int32_t who, int64_t index) {
    if (index < 0) return;
    Element &e = elements[static_cast<size_t>(index)];
    auto now = [&](const Use &u) { return u.epoch == epoch_; };
    if (!message && now(e.writer) && meetsWrite(who, e.writer.lane, writes))
      message = laneText(who) + (writes ? " writes" : " reads") + " an element of '" + name + "' that " +
                laneText(e.writer.lane) + " writes";
    if (!message && writes && now(e.reader) && meetsRead(who, e.reader.lane))
      message =
          laneText(who) + " writes an element of '" + name + "' that " + laneText(e.reader.lane) + " reads";
    Use &mark = writes ? e.writer : e.reader;
    mark = {now(mark) && mark.lane != who ? kSome : who, epoch_, 0};
  };
  if (!byLanes) {
    int32_t who = actor(region, mask);
    visitRegion(region, 0, [&](int64_t index) { touch(who, index); });
    return message;
  }
  for (size_t lane = 0; lane < mask.size(); ++lane)
    if (mask[lane])
      visitRegion(region, lane, [&](int64_t index) { touch(static_cast<int32_t>(lane), index); });
  return message;
}

std::optional<std::string> Races::update(const std::string &name, const Datum *memory, size_t index, size_t lane, bool isTile,
                                         ElementwiseOp way) {
  const int kind = 1 + static_cast<int>(way);
  const auto by = static_cast<int32_t>(lane);
  if (auto found = buffers_.find(memory); found != buffers_.end()) {
    Element &e = found->second[index];
    const int32_t who = isTile ? kSome : by;
    auto meets = [&](const Use &use) { return use.epoch == epoch_ && (use.lane != who || who == kSome) && use.way != kind; };
    std::optional<std::string> message;
    for (const Use *use : {&e.writer, &e.reader})
      if (!message && meets(*use))
        message = laneText(who) + " updates an element of '" + name + "' that " + laneText(use->lane) + (use == &e.writer ? " writes" : " reads");
    const bool plain = e.writer.epoch == epoch_ && e.writer.way == 0;  // others still collide with the store
    const bool several = e.writer.epoch == epoch_ && e.writer.lane != who;
    if (!plain) e.writer = {several ? kSome : who, epoch_, kind};
    return message;
  }
  auto found = tensors_.find(memory);
  if (found == tensors_.end()) return std::nullopt;
  TensorElement &e = found->second[index];
  const int32_t who = isTile ? kTile : by;
  const TensorUse *other = e.writer.way != kind && collides(e.writer, who) ? &e.writer : collides(e.reader, who) ? &e.reader : nullptr;
  std::optional<std::string> message;
  if (other)
    message = "'" + name + "': " + (isTile ? "a tile" : laneText(who)) + " of group " + std::to_string(group_) + " updates an element that " +
              whoText(*other) + (other == &e.writer ? " writes" : " reads");
  const bool plain = e.writer.group == group_ && e.writer.epoch == epoch_ && e.writer.way == 0;
  if (plain) return message;
  note(e.writer, who);
  e.writer.way = kind;
  return message;
}

// ---------------------------------------------------------------- tensors

bool Races::collides(const TensorUse &before, int32_t lane) const {
  if (before.group == kNoGroup) return false;
  if (before.group != group_) return true;
  bool tile = lane == kTile || before.lane == kTile;
  return !tile && before.epoch == epoch_ && (before.lane != lane || lane == kSome);
}

std::string Races::whoText(const TensorUse &use) const {
  if (use.group == group_) return laneText(use.lane);
  return use.group < 0 ? "another group" : "group " + std::to_string(use.group);
}

void Races::note(TensorUse &use, int32_t lane) const {
  bool same = use.group == group_ && use.epoch == epoch_;
  if (use.group != kNoGroup && use.group != group_) use.group = kSeveralGroups;
  else use.group = group_;
  use.lane = same && use.lane != lane ? (lane == kTile || use.lane == kTile ? kTile : kSome) : lane;
  use.epoch = epoch_;
}

std::optional<std::string> Races::readTensor(const std::string &name, const Region &region, const LaneMask &mask) {
  auto found = tensors_.find(region.base.get());
  if (found == tensors_.end()) return std::nullopt;
  std::optional<std::string> message;
  const bool tile = !region.shape().empty();
  for (size_t lane = 0; lane < (region.lanes != 0 ? mask.size() : 1); ++lane) {
    if (region.lanes != 0 && !mask[lane]) continue;
    int32_t who = tile ? kTile : region.lanes != 0 ? static_cast<int32_t>(lane) : actor(region, mask);
    if (who == kAll) who = kSome;
    visitRegion(region, lane, [&](int64_t index) {
      if (index < 0) return;
      TensorElement &e = found->second[static_cast<size_t>(index)];
      if (!message && collides(e.writer, who))
        message = "'" + name + "': " + (who == kTile ? "a tile" : laneText(who)) + " of group " +
                  std::to_string(group_) + " reads an element that " + whoText(e.writer) + " writes";
      note(e.reader, who);
    });
  }
  return message;
}

/// `who` writes a value to an element; who collides with that.
std::optional<std::string> Races::written(const std::string &name, TensorElement &e, int32_t who, double value) {
  bool sameValue = e.writer.way == 0 && (value == e.writer.value || (value != value && e.writer.value != e.writer.value));
  const TensorUse *other = !sameValue && collides(e.writer, who) ? &e.writer : collides(e.reader, who) ? &e.reader : nullptr;
  std::optional<std::string> message;
  if (other)
    message = "'" + name + "': " + (who == kTile ? "a tile" : laneText(who)) + " of group " + std::to_string(group_) +
              " writes an element that " + whoText(*other) + (other == &e.writer ? " writes" : " reads");
  note(e.writer, who);
  e.writer.value = value;
  e.writer.way = 0;
  return message;
}

std::optional<std::string> Races::writeElement(const std::string &name, const Datum *tensor, size_t index, double value) {
  auto found = tensors_.find(tensor);
  return found == tensors_.end() ? std::nullopt : written(name, found->second[index], kTile, value);
}

std::optional<std::string> Races::writeTensor(const std::string &name, const Region &region, const LaneMask &mask,
                                              const Datum &value) {
  auto found = tensors_.find(region.base.get());
  if (found == tensors_.end()) return std::nullopt;
  std::optional<std::string> message;
  const bool tile = !region.shape().empty();
  const bool byLanes = region.lanes != 0 || value.lanes != 0;
  for (size_t lane = 0; lane < (byLanes ? mask.size() : 1); ++lane) {
    if (byLanes && !mask[lane]) continue;
    int32_t who = tile ? kTile : byLanes ? static_cast<int32_t>(lane) : actor(region, mask);
    if (who == kAll) who = kSome;
    const size_t from = value.lanes != 0 ? lane * value.perLane() : 0, step = value.shape.empty() ? 0 : 1;
    size_t position = 0;
    visitRegion(region, lane, [&](int64_t index) {
      double written = value.number(from + step * position++);
      if (index < 0) return;
      auto raced = this->written(name, found->second[static_cast<size_t>(index)], who, written);
      if (!message) message = std::move(raced);
    });
  }
  return message;
}

}  // namespace tessera::reference
