// Races in shared memory: two lanes use an element between two barriers, and one of them writes it. Lanes run
// in lockstep here, so that such a program may look right; on a machine it is not.
#pragma once
#include "reference/Region.h"
#include <optional>
#include <unordered_map>

namespace tessera::reference {

class Races {
public:
  /// Forgets everything: a new group starts.
  void clear();
  void addBuffer(const Datum *buffer);
  /// Every lane has come here: what was before can no longer collide with what follows.
  void barrier() { ++epoch_; }
  /// Who collides with a read or write of the region by the lanes of the mask; nothing if nobody does.
  /// `name`: the buffer's.
  std::optional<std::string> read(const std::string &name, const Region &region, const LaneMask &mask);
  std::optional<std::string> write(const std::string &name, const Region &region, const LaneMask &mask,
                                   bool valueVaries);
  /// The parts of an asynchronous copy are there, each for the lane that has waited for it.
  void arrive(const Region &region);

private:
  struct Use {
    int32_t lane;        // or one of the names below
    uint32_t epoch = 0;  // 0: never
  };
  struct Element {
    Use reader, writer;
  };
  std::unordered_map<const Datum *, std::vector<Element>> buffers_;
  uint32_t epoch_ = 1;

  std::optional<std::string> use(const std::string &name, const Region &region, const LaneMask &mask,
                                 bool writes, bool byLanes);
};

}  // namespace tessera::reference
