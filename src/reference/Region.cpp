#include "reference/Region.h"
#include <limits>

namespace tessera::reference {
namespace {

/// Calls f(position in the region, element of the buffer or -1) for the elements of one lane in row-major
/// order.
template <class F> class Walker {
public:
  Walker(const Region &region, size_t lane, F &f)
      : region_(region), extents_(region.base->shape), lane_(lane), f_(f) {}
  void run() { step(0, 0, true); }

private:
  const Region &region_;
  const std::vector<int64_t> &extents_;
  size_t lane_;
  F &f_;
  size_t position_ = 0;

  void step(size_t d, int64_t linear, bool inside) {
    if (d == region_.parts.size()) return f_(position_++, inside ? linear : -1);
    const RegionPart &part = region_.parts[d];
    int64_t index = part.offset[part.offset.size() == 1 ? 0 : lane_], extent = extents_[d];
    int64_t count = part.isPoint ? 1 : part.size;
    bool last = d + 1 == region_.parts.size();
    for (int64_t i = 0; i < count; ++i, index += part.step) {
      bool in = inside && index >= 0 && index < extent;
      if (last) f_(position_++, in ? linear * extent + index : -1);
      else step(d + 1, linear * extent + index, in);
    }
  }
};
template <class F> void walkLane(const Region &region, size_t lane, F f) { Walker<F>(region, lane, f).run(); }

template <class T>
void loadLanes(const Region &region, const std::vector<T> &from, std::vector<T> &to, const T *other,
               bool otherVaries, const LaneMask &mask, size_t lanes, size_t perLane) {
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (lanes > 1 && !mask[lane]) continue;
    T outside = other ? other[otherVaries ? lane : 0] : T{};
    T *out = to.data() + lane * perLane;
    walkLane(region, lane, [&](size_t at, int64_t index) {
      out[at] = index >= 0 ? from[static_cast<size_t>(index)] : outside;
    });
  }
}

}  // namespace

std::vector<int64_t> Region::shape() const {
  std::vector<int64_t> extents;
  for (const RegionPart &part : parts)
    if (!part.isPoint) extents.push_back(part.size);
  return extents;
}

Ref loadRegion(const Region &region, const Ref &other, const LaneMask &mask) {
  int64_t lanes = std::max(region.lanes, other ? other->lanes : 0);
  Ref out = makeDatum(region.base->dtype, region.shape(), lanes);
  auto count = static_cast<size_t>(std::max<int64_t>(lanes, 1));
  bool otherVaries = other && other->lanes != 0;
  if (out->isFloat())
    loadLanes<double>(region, region.base->floats, out->floats, other ? other->floats.data() : nullptr,
                      otherVaries, mask, count, out->perLane());
  else
    loadLanes<int64_t>(region, region.base->ints, out->ints, other ? other->ints.data() : nullptr,
                       otherVaries, mask, count, out->perLane());
  return out;
}

void storeRegion(const Region &region, const Datum &value, const LaneMask &mask, const Rounder &round) {
  Datum &base = *region.base;
  auto lanes = static_cast<size_t>(std::max<int64_t>({region.lanes, value.lanes, 1}));
  size_t step = value.lanes != 0 ? value.perLane() : 0;
  size_t element = value.shape.empty() ? 0 : 1;
  TSR_CHECK(base.isFloat() == value.isFloat(), "a store of another kind of number");
  TSR_CHECK(element == 0 || value.shape == region.shape(),
            "a store of " + shapeText(value.shape) + " into " + shapeText(region.shape()));
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (lanes > 1 && !mask[lane]) continue;
    size_t from = lane * step;
    walkLane(region, lane, [&](size_t at, int64_t index) {
      if (index < 0) return;
      auto to = static_cast<size_t>(index);
      if (base.isFloat()) base.floats[to] = round(value.floats[from + at * element]);
      else base.ints[to] = round.wrap(value.ints[from + at * element]);
    });
  }
}

void poisonRegion(const Region &region) {
  if (!region.base->isFloat()) return;
  auto lanes = static_cast<size_t>(std::max<int64_t>(region.lanes, 1));
  for (size_t lane = 0; lane < lanes; ++lane)
    walkLane(region, lane, [&](size_t, int64_t index) {
      if (index >= 0)
        region.base->floats[static_cast<size_t>(index)] = std::numeric_limits<double>::quiet_NaN();
    });
}

void visitRegion(const Region &region, size_t lane, const std::function<void(int64_t)> &f) {
  walkLane(region, lane, [&](size_t, int64_t index) { f(index); });
}

bool breaksBounds(const Region &region, const LaneMask &mask) {
  for (size_t d = 0; d < region.parts.size(); ++d) {
    const RegionPart &part = region.parts[d];
    if (!part.inBounds || part.size == 0) continue;
    for (size_t lane = 0; lane < part.offset.size(); ++lane) {
      if (part.offset.size() > 1 && !mask[lane]) continue;
      int64_t first = part.offset[lane], last = part.isPoint ? first : first + (part.size - 1) * part.step;
      if (std::min(first, last) < 0 || std::max(first, last) >= region.base->shape[d]) return true;
    }
  }
  return false;
}

}  // namespace tessera::reference
