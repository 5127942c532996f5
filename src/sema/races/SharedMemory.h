// Memory that the lanes of one group share: who used each element since the last barrier, and which asynchronous copies are
// on their way. Two uses of an element meet if different lanes do them with no barrier between and one writes.
#pragma once
#include "sema/races/Lanes.h"
#include <deque>

namespace tessera::sema::races {

/// Elements of a buffer: along each axis `size` of them from `offset`, `step` apart.
struct RegionAxis {
  Number offset;
  int64_t size = 1, step = 1;
  bool isPoint = false;
};
struct Region {
  const Var *buffer = nullptr;
  std::vector<RegionAxis> axes;
  bool isTile = false;   // spread over the lanes as the compiler likes
  bool byLanes = false;  // its place differs between lanes
};
/// Calls `visit` with the index (row-major) of each element of a region that lies inside of a buffer of these extents, as
/// a lane sees it. Returns how many elements it looked at.
template <class Visit>
int64_t visitRegion(const Region &region, const std::vector<int64_t> &extents, size_t lane, const Visit &visit) {
  std::vector<int64_t> at(extents.size(), 0);
  for (const RegionAxis &axis : region.axes)
    if (axis.size <= 0) return 0;
  for (int64_t work = 1;; ++work) {
    int64_t index = 0;
    bool inside = true;
    for (size_t d = 0; d < extents.size(); ++d) {
      int64_t i = region.axes[d].offset.at(lane) + at[d] * region.axes[d].step;
      inside &= i >= 0 && i < extents[d];
      index = index * extents[d] + i;
    }
    if (inside) visit(index);
    size_t d = extents.size();
    while (d > 0 && ++at[d - 1] == region.axes[d - 1].size) at[--d] = 0;
    if (d == 0) return work;
  }
}
/// The indices of an element along the axes.
std::vector<int64_t> placeOf(int64_t index, const std::vector<int64_t> &extents);

/// One execution of an access.
struct Use {
  const Stmt *stmt = nullptr;
  Span span;
  bool writes = false, isCopy = false;
  int64_t when = 0;  // the statement's number in the order of execution
  bool byPlace = false;  // what it writes is a function of the place alone
  bool isAtomic = false;
  /// Both update memory in one step and in one way, so that their order does not matter.
  bool commutes(const Use &other) const { return isAtomic && other.isAtomic && stmt->combine == other.stmt->combine; }
};
/// A condition or loop around a statement.
struct Around {
  const Stmt *stmt = nullptr;
  bool lanesDisagree = false;  // about whether, or how often, its body runs
  int64_t since = 0;           // when it was reached
};

enum class Problem : uint8_t {
  Race,            // two lanes, no barrier, one of them writes
  CopyOverUse,     // the later of two such uses is an asynchronous copy
  CopyPending,     // read or written while a committed copy into it is on its way
  CopyUncommitted, // the same, of a copy that belongs to no group yet
  OutOfBounds,     // a lane's index lies outside of the shared buffer
};
constexpr int32_t kEveryLane = -1;  // all did the same, each for itself
constexpr int32_t kSomeLanes = -2;  // several lanes, or a tile that the lanes share out
/// What went wrong, with the two uses that met. `first` came earlier.
struct Finding {
  Problem problem = Problem::Race;
  const Var *buffer = nullptr;
  std::vector<int64_t> element;
  Use first, second;
  int32_t firstLane = kEveryLane, secondLane = kEveryLane;
  int64_t firstGroup = -1, secondGroup = -1;  // where the uses are of two groups: their numbers
  int64_t newerGroups = 0;  // CopyPending: groups committed after the copy's
  const Stmt *weakWait = nullptr;  // CopyPending: the last wait, if the copy was committed before it
  int64_t newerAtWait = 0;         // groups committed after the copy's and before that wait
  std::vector<Around> around;  // of `second`, outermost first
  Sizes sizes;
};

class SharedMemory {
public:
  void allocate(const Var *buffer, std::vector<int64_t> extents);
  bool knows(const Var *buffer) const { return buffers_.count(buffer) != 0; }
  /// Nothing has been stored or copied to it yet.
  bool untouched(const Var *buffer) const { return !buffers_.at(buffer).touched; }
  void touch(const Var *buffer) { buffers_.at(buffer).touched = true; }
  std::optional<Finding> read(const Region &region, const LaneMask &mask, const Use &use);
  /// `sameValue`: all lanes write one value.
  std::optional<Finding> write(const Region &region, const LaneMask &mask, const Use &use, bool sameValue);
  std::optional<Finding> copy(const Region &region, const LaneMask &mask, const Use &use);
  void copyElsewhere() { uncommitted_.push_back(kNoCopy); }  // to a place that is not known
  void commit();
  /// Waits until at most `pending` groups are on their way.
  void wait(int64_t pending);
  size_t pendingGroups() const { return groups_.size(); }
  int64_t groupsEver() const { return groupsEver_; }
  bool anyUncommitted() const { return !uncommitted_.empty(); }
  std::optional<Use> lastUncommitted() const;
  void barrier() { ++epoch_; }
  /// Something happened that is not known: what came before meets nothing that follows.
  void forget();
  int64_t work() const { return work_; }  // elements looked at

private:
  static constexpr uint32_t kNoCopy = UINT32_MAX;
  struct Mark {
    int32_t lane = 0;
    uint32_t epoch = 0;  // 0: never
    uint32_t use = 0;    // index into uses_
  };
  struct Element {
    Mark reader, writer;
    uint32_t copy = kNoCopy;  // on its way to this element
  };
  struct Buffer {
    std::vector<int64_t> extents;
    std::vector<Element> elements;
    bool touched = false;
  };
  struct Copy {
    Region region;
    uint32_t use = 0;
    bool committed = false;
    int64_t group = 0;
  };
  std::optional<Finding> outside(const Region &region, const LaneMask &mask, const Use &use) const;
  template <class Visit> void visit(const Region &region, size_t lane, const Visit &visit);
  template <class Touch>
  void eachLane(const Region &region, const LaneMask &mask, bool byLanes, const Touch &touch);
  void touchElement(Buffer &buffer, int64_t index, int32_t who, uint32_t use, bool lenient,
                    std::optional<Finding> &found);
  Finding meeting(const Buffer &buffer, int64_t index, const Mark &before, int32_t who, uint32_t use) const;
  uint32_t remember(const Use &use);
  void arrive(const Copy &copy);

  std::unordered_map<const Var *, Buffer> buffers_;
  std::vector<Use> uses_;
  std::vector<Copy> copies_;
  std::vector<uint32_t> uncommitted_;
  std::deque<std::vector<uint32_t>> groups_;
  int64_t groupsEver_ = 0;
  uint32_t epoch_ = 1;
  int64_t work_ = 0;
};

}  // namespace tessera::sema::races
