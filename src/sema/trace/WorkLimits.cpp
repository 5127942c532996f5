// Where the compiler's own work ends: values that it computes, formulas over dimensions, and what calls and unrolled loops
// inside of one another come to. A limit is a message, never a time-out.
#include "sema/Report.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

namespace {
constexpr size_t kMostItems = 4096;        // of a list, those of its lists included
constexpr size_t kMostCharacters = 65536;  // of a text
constexpr size_t kMostTerms = 256;         // of a product of sums
constexpr size_t kMostText = 2000;         // characters of a formula over dimensions
constexpr size_t kMostNames = 60;          // characters of a formula of named numbers
constexpr int64_t kMostDegree = 64;        // N**64

/// The items of a value, those of its items included; counted up to the limit.
size_t itemsOf(const Value &value) {
  size_t count = value.items.size();
  for (const Value &item : value.items) {
    if (count > kMostItems) break;
    count += itemsOf(item);
  }
  return count;
}

bool isPlain(const Dim &dim) { return dim.isConstant() || dim.isVar(); }
std::pair<size_t, int64_t> extentOf(const Dim &dim) {
  std::pair<size_t, int64_t> out{0, 0};
  for (const Dim::Term &term : dim.terms()) {
    int64_t degree = 0;
    for (const auto &[atom, power] : term.atoms) degree += power;
    out = {out.first + 1, std::max(out.second, degree)};
  }
  return out;
}
/// Whether a product would be larger than what a person writes; the solver's work grows with its square.
bool growsTooFar(const Dim &a, const Dim &b) {
  if (isPlain(a) && isPlain(b)) return false;
  auto [termsA, degreeA] = extentOf(a);
  auto [termsB, degreeB] = extentOf(b);
  return termsA * termsB > kMostTerms || degreeA + degreeB > kMostDegree;
}
/// What of the value's sizes needs more than 64 bits.
const char *beyondNumbers(const Value &value) {
  Dim elements(1);
  bool empty = false;
  for (const Dim &extent : value.type.shape) {
    if (!extent.isDefined()) return "an extent of this tensor";
    if (extent.isConstant()) elements = elements * extent;
    empty |= extent == Dim(0);
  }
  if (!elements.isDefined() && !empty) return "the number of elements of this tensor";
  return value.sym.isDefined() ? nullptr : "this integer";
}
bool isTooLarge(const Dim &dim) { return !isPlain(dim) && dim.str().size() > kMostText; }
}  // namespace

bool countStep(Context &cx, Span span) {
  bool tooDeep = cx.depth.exceeds(cx.function.calls.size(), static_cast<const char *>(__builtin_frame_address(0)));
  if (!tooDeep && ++cx.steps <= cx.options.mostSteps) return true;
  ++cx.failures;
  Span place = cx.function.calls.empty() ? span : cx.function.calls.front().callable->nameSpan;
  if (tooDeep) {
    const std::vector<diag::Diagnostic> &said = cx.diagnostics.all();  // that of a trial was taken back
    if (std::none_of(said.begin(), said.end(), [](const diag::Diagnostic &d) { return d.id == Id::tooDeep; }))
      report(cx, Id::tooDeep, place, cx.function.calls.size())
          .note(span, "this is where I stopped")
          .help("what a function calls is checked inside of it: pass values on in one function, not from each to the "
                "next");
    return false;
  }
  if (std::exchange(cx.saidExhausted, true)) return false;
  report(cx, Id::tooManySteps, place, cx.options.mostSteps)
      .note(span, "this is where I stopped")
      .help("calls and static loops inside of one another multiply; a loop over `tile.range` is checked once");
  return false;
}

Value withinLimits(Context &cx, Value value, Span span) {
  if (const char *what = beyondNumbers(value)) {
    if (fresh(cx, Id::sizeTooLarge, span)) report(cx, Id::sizeTooLarge, span, what);
    return Value::poison();
  }
  bool text = value.kind == ValueKind::String;
  auto isPoison = [](const Value &item) { return item.isPoison(); };
  if (!value.items.empty() && std::all_of(value.items.begin(), value.items.end(), isPoison)) return Value::poison();
  if (text ? value.text.size() <= kMostCharacters : itemsOf(value) <= kMostItems) return value;
  if (fresh(cx, Id::valueTooLarge, span))
    report(cx, Id::valueTooLarge, span,
           text ? std::to_string(kMostCharacters) + " characters" : std::to_string(kMostItems) + " items");
  return Value::poison();
}

Dim withShortNames(Dim number) {
  bool named = number.isConstant() && number.hasNames() && !number.written().isVar();
  return named && number.written().str().size() > kMostNames ? Dim(number.constant()) : number;
}

bool growsTooFar(Context &cx, const Dim &a, const Dim &b, Span span) {
  bool numbers = a.isConstant() && b.isConstant();
  if (numbers || (!growsTooFar(a, b) && !growsTooFar(a.written(), b.written()))) return false;
  if (fresh(cx, Id::formulaTooLarge, span))
    report(cx, Id::formulaTooLarge, span)
        .label("more than " + std::to_string(kMostTerms) + " terms, or a power above " + std::to_string(kMostDegree))
        .help("take the number as a parameter, `n: Const[N]`: then it is one name");
  return true;
}

bool isTooLarge(Context &cx, const Dim &dim, Span span) {
  if (!dim.isDefined()) {
    if (fresh(cx, Id::integerTooLarge, span))
      report(cx, Id::integerTooLarge, span).label("a number of the formula that this comes to");
    return true;
  }
  if (!isTooLarge(dim) && !isTooLarge(dim.written())) return false;
  if (fresh(cx, Id::formulaTooLarge, span))
    report(cx, Id::formulaTooLarge, span)
        .label("written out it has more than " + std::to_string(kMostText) + " characters")
        .help("take the number as a parameter, `n: Const[N]`: then it is one name");
  return true;
}

std::optional<std::vector<Value>> knownRange(Context &cx, const Value &range, Span span, const char *what) {
  __int128 numbers[3];
  for (size_t i = 0; i < 3; ++i) {
    auto number = knownInt(cx, range.items[i], span, what);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  auto [start, stop, step] = numbers;
  if (step == 0) {
    report(cx, Id::badConstant, span, "the step of a range must not be 0");
    return std::nullopt;
  }
  __int128 count = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
  if (count > static_cast<__int128>(kMostItems)) {
    if (fresh(cx, Id::valueTooLarge, span))
      report(cx, Id::valueTooLarge, span, std::to_string(kMostItems) + " items")
          .help("a loop over `tile.range` or `range` stays a loop, however long it is");
    return std::nullopt;
  }
  std::vector<Value> items;
  for (__int128 i = 0; i < count; ++i) {
    if (!sema::countStep(cx, span)) return std::nullopt;  // a loop that is left at once makes them, too
    items.push_back(Value::integer(Dim(static_cast<int64_t>(start + i * step))));
  }
  return items;
}

}  // namespace tessera::sema
