// A reshape takes the elements in the order in which they lie: where a dimension that lay in front of another one lies behind
// it in the new shape, their elements are mixed, and a transpose was hardly meant to be left out.
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/trace/Trace.h"
#include <map>

namespace tessera::sema {
namespace {

/// A dimension, and which one of those of this name, counted from the front.
using Factor = std::pair<std::string, size_t>;

/// At which axis each dimension is, alone or as a factor of its extent.
std::map<Factor, size_t> placesOf(const std::vector<Dim> &shape) {
  std::map<Factor, size_t> places;
  std::map<std::string, size_t> count;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const std::vector<Dim::Term> terms = shape[axis].terms();
    if (terms.size() != 1) continue;
    for (const auto &[atom, power] : terms[0].atoms)
      for (int i = 0; i < power; ++i) places.emplace(Factor(atom.str(), count[atom.str()]++), axis);
  }
  return places;
}

}  // namespace

void warnOfReorderedAxes(Context &cx, const std::vector<Dim> &from, const std::vector<Dim> &to, Span span) {
  if (inHost(cx) || cx.libraryFiles.count(span.file)) return;
  const std::map<Factor, size_t> before = placesOf(from), behind = placesOf(to);
  for (const auto &[one, place] : before)
    for (const auto &[other, further] : before) {
      auto a = behind.find(one), b = behind.find(other);
      if (place >= further || a == behind.end() || b == behind.end() || a->second <= b->second) continue;
      if (cx.reportedSpans.count({static_cast<int>(Id::reordersAxes), span.file, span.begin})) return;
      const auto first = Dim::parse(one.first), second = Dim::parse(other.first);
      if (!first || !second) return;
      warn(cx, Id::reordersAxes, span, shapeText(cx, from), shapeText(cx, to))
          .label("`" + show(cx, *first) + "` lies in front of `" + show(cx, *second) + "`, and behind it afterwards")
          .help("a reshape takes the elements in the order in which they lie; `transpose` and `permute` put axes into another order, and `flatten()` first says that it is meant");
      return;
    }
}

}  // namespace tessera::sema
