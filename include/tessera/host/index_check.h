// Programs that were built with --check-bounds look at the indices among the arguments of each entry function, before anything is
// computed or changed. An index that lies outside ends them.
#pragma once
#include "tessera/host/tensor.h"
#include <vector>

namespace tsr {
namespace host {

/// Every `step`th of `size` elements of an axis, from `begin` on.
struct UsedAxis {
  int64_t begin, size, step;
};

/// `from_end`: an index below 0 counts from the end. `of`: the array that has `extent` elements to choose from.
inline void check_indices(const char *function, const char *name, const Tensor &indices, const std::vector<UsedAxis> &used, int64_t extent, bool from_end,
                          const char *of) {
  const std::vector<int64_t> &shape = indices.shape();
  if (shape.size() != used.size()) return;  // the function says so itself
  int64_t count = 1;
  for (size_t axis = 0; axis < used.size(); ++axis) {
    if (used[axis].size > 0 && used[axis].begin + (used[axis].size - 1) * used[axis].step >= shape[axis]) return;
    count *= used[axis].size;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0, scale = 1, rest = i;
    std::string text;
    for (size_t axis = used.size(); axis-- > 0; rest /= used[axis].size) {
      const int64_t at = used[axis].begin + rest % used[axis].size * used[axis].step;
      place += at * scale;
      scale *= shape[axis];
    }
    const int64_t index = indices.integer(place);
    if (index < extent && index >= (from_end ? -extent : 0)) continue;
    for (size_t axis = used.size(); axis-- > 0; place /= shape[axis]) text = std::to_string(place % shape[axis]) + (text.empty() ? "" : ", ") + text;
    stop("`" + std::string(function) + "` was called with an index that lies outside: `" + name + "` holds " + std::to_string(index) + " at [" + text + "], and " +
         (*of ? "`" + std::string(of) + "`" : std::string("what it chooses from")) + " has " + std::to_string(extent) + " elements there");
  }
}

}  // namespace host
}  // namespace tsr
