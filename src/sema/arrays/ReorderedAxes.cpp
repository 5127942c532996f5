// A reshape takes the elements in the order in which they lie: where a dimension that lay in front of another one lies behind
// it in the new shape, their elements are mixed, and a transpose was hardly meant to be left out.
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/trace/Trace.h"
#include <map>
#include <optional>

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

/// For each dimension that is an extent by itself, the product of the numbers in front of it; nothing if an extent is neither a
/// name nor a number.
std::optional<std::map<std::string, int64_t>> numbersInFront(const std::vector<Dim> &shape, int64_t &all) {
  std::map<std::string, int64_t> found;
  all = 1;
  for (const Dim &extent : shape) {
    if (extent.isConstant() && (extent.constant() < 0 || __builtin_mul_overflow(all, extent.constant(), &all))) return std::nullopt;
    if (extent.isConstant()) continue;
    if (!extent.isVar() || !found.emplace(extent.varName(), all).second) return std::nullopt;
  }
  return found;
}

/// A dimension that lay in front of numbers, and lies behind them: `D` of [B, D, 8, 8] and [B, 64, D].
std::string movedBehindNumbers(const std::vector<Dim> &from, const std::vector<Dim> &to, int64_t &numbers) {
  int64_t before = 1, behind = 1;
  const auto first = numbersInFront(from, before), then = numbersInFront(to, behind);
  if (!first || !then || before != behind || before < 2 || first->size() < 2) return "";
  for (const auto &[name, number] : *first)
    if (auto it = then->find(name); it != then->end() && number == 1 && it->second == before) return numbers = before, name;
  return "";
}

void say(Context &cx, const std::vector<Dim> &from, const std::vector<Dim> &to, Span span, const std::string &first, const std::string &second) {
  if (cx.reportedSpans.count({static_cast<int>(Id::reordersAxes), span.file, span.begin})) return;
  warn(cx, Id::reordersAxes, span, shapeText(cx, from), shapeText(cx, to))
      .label("`" + first + "` lies in front of `" + second + "`, and behind it afterwards")
      .help("a reshape takes the elements in the order in which they lie; `transpose` and `permute` put axes into another order, and `flatten()` first says that it is meant");
}

}  // namespace

void warnOfReorderedAxes(Context &cx, const std::vector<Dim> &from, const std::vector<Dim> &to, Span span) {
  if (inHost(cx) || cx.libraryFiles.count(span.file)) return;
  const std::map<Factor, size_t> before = placesOf(from), behind = placesOf(to);
  for (const auto &[one, place] : before)
    for (const auto &[other, further] : before) {
      auto a = behind.find(one), b = behind.find(other);
      if (place >= further || a == behind.end() || b == behind.end() || a->second <= b->second) continue;
      const auto first = Dim::parse(one.first), second = Dim::parse(other.first);
      if (first && second) say(cx, from, to, span, show(cx, *first), show(cx, *second));
      return;
    }
  int64_t numbers = 1;
  if (const std::string name = movedBehindNumbers(from, to, numbers); !name.empty()) say(cx, from, to, span, show(cx, Dim::var(name)), std::to_string(numbers));
}

}  // namespace tessera::sema
