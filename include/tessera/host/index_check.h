// Programs look at the indices among the arguments of each entry function, before anything is computed or changed: at those that are in
// host memory, and with --check-bounds at those that are on a device alone, for which they wait. An index that lies outside ends them.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/tensor.h"
#include <vector>

namespace tsr {
namespace host {

/// Every `step`th of `size` elements of an axis, from `begin` on.
struct UsedAxis {
  int64_t begin, size, step;
};

namespace detail {
/// Whether all of many indices lie within, in one quick walk.
template <class T> bool all_within(const unsigned char *elements, int64_t count, int64_t least, int64_t extent) {
  T low = 0, high = 0;
  for (int64_t i = 0; i < count; ++i) {
    T index;
    memcpy(&index, elements + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    low = index < low ? index : low;
    high = index > high ? index : high;
  }
  return count == 0 || (static_cast<int64_t>(low) >= least && static_cast<int64_t>(high) < extent);
}
TSR_APART bool all_within(const Tensor &indices, int64_t least, int64_t extent) {
  if (extent <= 0 || indices.dtype().code != TESS_INT) return false;
  if (indices.dtype().bits == 32) return all_within<int32_t>(indices.bytes(), indices.count(), least, extent);
  return indices.dtype().bits == 64 && all_within<int64_t>(indices.bytes(), indices.count(), least, extent);
}
}  // namespace detail

/// `from_end`: an index below 0 counts from the end. `of`: the array that has `extent` elements to choose from.
TSR_APART void check_indices(const char *function, const char *name, const Tensor &indices, const std::vector<UsedAxis> &used, int64_t extent, bool from_end,
                          const char *of) {
  if (detail::all_within(indices, from_end ? -extent : 0, extent)) return;
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

/// Likewise if they are in host memory.
TSR_APART void check_indices_here(const char *function, const char *name, const Tensor &indices, const std::vector<UsedAxis> &used, int64_t extent, bool from_end,
                               const char *of) {
#if !defined(TSR_CPU)
  if (indices.is_on_device()) return;
#endif
  check_indices(function, name, indices, used, extent, from_end, of);
}

}  // namespace host
}  // namespace tsr
