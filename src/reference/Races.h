// Races. In shared memory: two lanes use an element between two barriers, and one of them writes it. In a tensor that all
// groups see: two lanes of a group do so, or two groups, which nothing orders. Lanes run in lockstep here and groups one
// after the other, so that such a program may look right; on a machine it is not.
#pragma once
#include "reference/Region.h"
#include <optional>
#include <unordered_map>

namespace tessera::reference {

class Races {
public:
  /// Forgets everything: a kernel starts.
  void clear();
  /// Forgets the buffers of the group before: a new one starts.
  void enterGroup(int64_t group);
  void addBuffer(const Datum *buffer);
  /// A tensor that the kernel writes.
  void addTensor(const Datum *tensor);
  /// Every lane has come here: what was before can no longer collide with what follows.
  void barrier() { ++epoch_; }
  /// Who collides with a read or write of the region by the lanes of the mask; nothing if nobody does.
  /// `name`: the buffer's.
  std::optional<std::string> read(const std::string &name, const Region &region, const LaneMask &mask);
  std::optional<std::string> write(const std::string &name, const Region &region, const LaneMask &mask,
                                   bool valueVaries);
  /// The same for tensors. Writes of one value do not collide, nor do, within a group, tiles: those the compiler orders.
  std::optional<std::string> readTensor(const std::string &name, const Region &region, const LaneMask &mask);
  std::optional<std::string> writeTensor(const std::string &name, const Region &region, const LaneMask &mask,
                                         const Datum &value);
  /// A tile writes `value` to one element.
  std::optional<std::string> writeElement(const std::string &name, const Datum *tensor, size_t index, double value);
  /// An element of a tensor or a buffer is combined with a value in one step; with other updates in the same `way` that
  /// collides with nothing.
  std::optional<std::string> update(const std::string &name, const Datum *memory, size_t index, size_t lane, bool isTile, ElementwiseOp way);
  /// The parts of an asynchronous copy are there, each for the lane that has waited for it.
  void arrive(const Region &region);

private:
  struct Use {
    int32_t lane;        // or one of the names below
    uint32_t epoch = 0;  // 0: never
    int way = 0;         // of an update in one step: which; 0: a plain use
  };
  struct Element {
    Use reader, writer;
  };
  struct TensorUse {
    int64_t group = -1;  // -1: none; -2: several
    int32_t lane = 0;    // kSome: several, or a tile
    uint32_t epoch = 0;
    double value = 0;    // written
    int way = 0;         // as in Use
  };
  struct TensorElement {
    TensorUse reader, writer;
  };
  std::unordered_map<const Datum *, std::vector<Element>> buffers_;
  std::unordered_map<const Datum *, std::vector<TensorElement>> tensors_;
  uint32_t epoch_ = 1;
  int64_t group_ = 0;

  /// Whether a use of a lane of this group collides with an earlier one.
  bool collides(const TensorUse &before, int32_t lane) const;
  std::string whoText(const TensorUse &use) const;
  void note(TensorUse &use, int32_t lane) const;
  std::optional<std::string> written(const std::string &name, TensorElement &element, int32_t who, double value);

  std::optional<std::string> use(const std::string &name, const Region &region, const LaneMask &mask,
                                 bool writes, bool byLanes);
};

}  // namespace tessera::reference
