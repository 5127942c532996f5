// Tensors that all groups of a kernel see: which group used each element. Nothing orders two groups, so two uses of an
// element by different groups meet if one of them writes, wherever they are in the kernel.
#pragma once
#include "sema/races/SharedMemory.h"

namespace tessera::sema::races {

class GlobalMemory {
public:
  void allocate(const Var *tensor, std::vector<int64_t> extents);
  bool knows(const Var *tensor) const { return tensors_.count(tensor) != 0; }
  /// The group whose uses follow.
  void enter(int64_t group) { group_ = group; }
  /// `sameInGroups`: what is written is the same in each group that writes there.
  std::optional<Finding> use(const Region &region, const LaneMask &mask, const Use &use, bool sameInGroups);
  int64_t work() const { return work_; }  // elements looked at

private:
  static constexpr int64_t kNone = -1, kSeveral = -2;
  struct Mark {
    int64_t group = kNone;
    uint32_t use = 0;  // index into uses_
  };
  struct Element {
    Mark reader, writer;
  };
  struct Tensor {
    std::vector<int64_t> extents;
    std::vector<Element> elements;
  };
  bool meets(const Mark &mark) const { return mark.group != kNone && mark.group != group_; }

  std::unordered_map<const Var *, Tensor> tensors_;
  std::vector<Use> uses_;
  int64_t group_ = 0, work_ = 0;
};

}  // namespace tessera::sema::races
