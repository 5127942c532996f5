// Which elements of a buffer an access means, after its offsets are known, and reading and writing them.
#pragma once
#include "reference/Datum.h"
#include "reference/Elementwise.h"
#include <functional>

namespace tessera::reference {

struct RegionPart {
  bool isPoint = false;
  bool inBounds = false;  // claimed by the checker
  int64_t size = 1, step = 1;
  std::vector<int64_t> offset;  // one, or one for each lane
};
struct Region {
  Ref base;
  int64_t lanes = 0;              // 0: the same elements for the whole group
  std::vector<RegionPart> parts;  // one for each dimension of base
  std::vector<int64_t> shape() const;
};

/// The lanes of a group that take part; one lane outside of kernels.
using LaneMask = std::vector<uint8_t>;

/// The elements; where they lie outside the buffer, `other` (0 if null). Lanes that do not take part get 0.
Ref loadRegion(const Region &region, const Ref &other, const LaneMask &mask);
/// Stores what lies inside the buffer, rounded by `round`; lanes in ascending order.
void storeRegion(const Region &region, const Datum &value, const LaneMask &mask, const Rounder &round);
/// NaN in every element of the region (floats only): its contents may not be used.
void poisonRegion(const Region &region);
/// Calls f with every element of the buffer that a lane uses, -1 for those outside.
void visitRegion(const Region &region, size_t lane, const std::function<void(int64_t)> &f);
/// True if a part that the checker claims to be in bounds is not, in a lane that takes part.
bool breaksBounds(const Region &region, const LaneMask &mask);

}  // namespace tessera::reference
