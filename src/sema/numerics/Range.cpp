#include "sema/numerics/Range.h"
#include "support/FloatFormats.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::sema::numerics {
namespace {
// Exact zeros and whole numbers that doubles hold stay as they are: results of exact operations on them are
// exact.
bool isExact(double v) { return v == 0 || (std::abs(v) < 4503599627370496.0 && v == std::floor(v)); }
double below(double v) { return isExact(v) || std::isinf(v) ? v : std::nextafter(v, -kInfinity); }
double above(double v) { return isExact(v) || std::isinf(v) ? v : std::nextafter(v, kInfinity); }

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", v);
  return text;
}
/// A product in which 0 times an unknown bound is 0: members are finite.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
}  // namespace

Range Range::of(double low, double high) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  if (std::isnan(low)) low = -kInfinity;
  if (std::isnan(high)) high = kInfinity;
  return {std::min(low, kLargest), std::max(high, -kLargest), false, false};
}

Range Range::point(double value) {
  if (std::isinf(value)) {
    Range r;
    (value < 0 ? r.minusInf : r.plusInf) = true;
    return r;
  }
  return of(value, value);
}

bool Range::contains(double value) const {
  if (std::isinf(value)) return value < 0 ? minusInf : plusInf;
  return value >= low && value <= high;
}

double Range::magnitude() const { return hasFinite() ? std::max(std::abs(low), std::abs(high)) : 0; }

bool Range::within(const Range &other) const {
  bool finite = !hasFinite() || (low >= other.low && high <= other.high);
  return finite && (!minusInf || other.minusInf) && (!plusInf || other.plusInf);
}
bool Range::operator==(const Range &other) const { return within(other) && other.within(*this); }

std::string Range::str() const {
  std::string text = hasFinite() ? "[" + number(low) + ", " + number(high) + "]" : "";
  if (minusInf) text += (text.empty() ? "" : " or ") + std::string("-inf");
  if (plusInf) text += (text.empty() ? "" : " or ") + std::string("inf");
  return text;
}

Range join(const Range &a, const Range &b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.minusInf || b.minusInf, a.plusInf || b.plusInf};
}
Range intersect(Range a, double low, double high) {
  if (!a.hasFinite()) return a;
  a.low = std::min(std::max(a.low, low), high);
  a.high = std::max(std::min(a.high, high), low);
  return a;
}
Range loosened(Range r, double relative) {
  if (!r.hasFinite()) return r;
  Range room = Range::of(below(r.low - std::abs(r.low) * relative), above(r.high + std::abs(r.high) * relative));
  r.low = room.low;
  r.high = room.high;
  return r;
}

Range operator-(const Range &a) { return {-a.high, -a.low, a.plusInf, a.minusInf}; }
Range operator+(const Range &a, const Range &b) {
  Range r;
  if (a.hasFinite() && b.hasFinite()) r = Range::of(below(a.low + b.low), above(a.high + b.high));
  r.minusInf = a.minusInf || b.minusInf;
  r.plusInf = a.plusInf || b.plusInf;
  return r;
}
Range operator-(const Range &a, const Range &b) { return a + -b; }

Range operator*(const Range &a, const Range &b) {
  Range r;
  if (a.hasFinite() && b.hasFinite()) {
    double corners[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                        times(a.high, b.high)};
    r = Range::of(below(*std::min_element(corners, corners + 4)),
                  above(*std::max_element(corners, corners + 4)));
  }
  auto positive = [](const Range &x) { return x.plusInf || (x.hasFinite() && x.high > 0); };
  auto negative = [](const Range &x) { return x.minusInf || (x.hasFinite() && x.low < 0); };
  for (auto [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    r.plusInf |= (x->plusInf && positive(*y)) || (x->minusInf && negative(*y));
    r.minusInf |= (x->plusInf && negative(*y)) || (x->minusInf && positive(*y));
  }
  return r;
}

Range quotient(const Range &a, const Range &b) {
  Range inverse;
  if (b.hasFinite()) inverse = Range::of(below(1 / b.high), above(1 / b.low));
  if (b.hasInfinity()) inverse = join(inverse, Range::point(0));
  Range r = a * inverse;
  if (a.hasFinite() && b.hasFinite() && a.isPoint() && b.isPoint()) {
    double exact = a.low / b.low;
    return Range::of(below(exact), above(exact));
  }
  return r;
}

Range minimum(const Range &a, const Range &b) { return -maximum(-a, -b); }
Range maximum(const Range &a, const Range &b) {
  if (a.hasFinite() && b.hasFinite()) {
    // -inf gives way to what the other side holds at least.
    Range r = Range::of(std::max(a.minusInf ? -kInfinity : a.low, b.minusInf ? -kInfinity : b.low),
                        std::max(a.high, b.high));
    if (a.minusInf && b.minusInf) r.low = std::min(a.low, b.low);
    else if (a.minusInf) r.low = b.low;
    else if (b.minusInf) r.low = a.low;
    r.minusInf = a.minusInf && b.minusInf;
    r.plusInf = a.plusInf || b.plusInf;
    return r;
  }
  Range r = a.hasFinite() ? a : b;  // one of them holds infinities only
  const Range &other = a.hasFinite() ? b : a;
  if (other.plusInf && !other.minusInf && !other.hasFinite()) return other;
  r.minusInf = a.minusInf && b.minusInf;
  r.plusInf = a.plusInf || b.plusInf;
  return r;
}

Range magnitudeOf(const Range &a) {
  Range r;
  if (a.hasFinite())
    r = Range::of(a.containsZero() ? 0 : std::min(std::abs(a.low), std::abs(a.high)), a.magnitude());
  r.plusInf = a.hasInfinity();
  return r;
}

Range monotone(const Range &a, double (*function)(double), double relative) {
  Range r;
  if (!a.hasFinite()) return r;
  r = Range::of(function(a.low), function(a.high));
  return loosened(r, relative);
}

Range sumOf(const Range &a, double least, double most) {
  if (!a.hasFinite()) return a;
  Range r = Range::of(below(times(a.low, a.low < 0 ? most : least)), above(times(a.high, a.high > 0 ? most : least)));
  r.minusInf = a.minusInf;
  r.plusInf = a.plusInf;
  return r;
}

double halfUlp(DType dtype) { return std::ldexp(1.0, -floatFormat(dtype).mantissaBits - 1); }
double largest(DType dtype) {
  return isFloat(dtype)         ? floatFormat(dtype).max
         : dtype == DType::Bool ? 1
                                : static_cast<double>(maxInt(dtype));
}
double smallest(DType dtype) {
  return isFloat(dtype)         ? -floatFormat(dtype).max
         : dtype == DType::Bool ? 0
                                : static_cast<double>(minInt(dtype));
}

Range roundedTo(DType dtype, const Range &r) {
  if (!r.hasFinite() || dtype == DType::F64) return r;
  Range out = r;
  double low = roundToFloat(dtype, r.low, RoundMode::Down), high = roundToFloat(dtype, r.high, RoundMode::Up);
  if (std::isfinite(low)) out.low = low;
  if (std::isfinite(high)) out.high = high;
  return out;
}
Range flushed(DType dtype, Range r) {
  double tiny = floatFormat(dtype).minNormal;
  if (r.low > 0 && r.low < tiny) r.low = 0;
  if (r.high < 0 && r.high > -tiny) r.high = 0;
  return r;
}
bool overflows(DType dtype, double value) {
  if (std::isinf(value)) return true;
  double rounded = roundToFloat(dtype, value);
  return !std::isfinite(rounded) || (!floatFormat(dtype).hasNaN && std::abs(value) > floatFormat(dtype).max);
}

}  // namespace tessera::sema::numerics
