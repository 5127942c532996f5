#include "reference/Races.h"

namespace tessera::reference {
namespace {

constexpr int32_t kAll =
    -1;  // every lane did it, each for itself: the same read, or a write of the same value
constexpr int32_t kSome = -2;  // several lanes, or a tile whose elements the lanes share out among them

std::string laneText(int32_t lane) {
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
  epoch_ = 1;
}

void Races::addBuffer(const Datum *buffer) { buffers_[buffer].assign(buffer->size(), {}); }

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
    if (index >= 0) found->second[static_cast<size_t>(index)].writer = {kSome, epoch_};
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
    mark = {now(mark) && mark.lane != who ? kSome : who, epoch_};
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

}  // namespace tessera::reference
