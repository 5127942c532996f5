// Ranges of real numbers with outward rounding: what a value can be. All bounds are doubles; an operation on
// ranges contains the results of the operation on every pair of their members.
#pragma once
#include "support/DType.h"
#include <limits>
#include <string>

namespace tessera::sema::numerics {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The finite values lie in [low, high] (there are none if low > high); an end that is infinite says that no
/// bound is known. `minusInf` and `plusInf`: an infinity that the program put there (`-INF` of a mask).
struct Range {
  double low = kInfinity, high = -kInfinity;
  bool minusInf = false, plusInf = false;

  /// An end that doubles do not reach is the largest of them there, and one that is no number is unknown: a range of
  /// nothing would prove every claim.
  static Range of(double low, double high);
  static Range point(double value);
  static Range unknown() { return {-kInfinity, kInfinity, false, false}; }
  static Range truth() { return of(0, 1); }

  bool hasFinite() const { return low <= high; }
  bool isPoint() const { return low == high && !minusInf && !plusInf; }
  bool isPoint(double value) const { return isPoint() && low == value; }
  bool contains(double value) const;
  bool containsZero() const { return low <= 0 && high >= 0; }
  bool bounded() const { return !hasFinite() || (low > -kInfinity && high < kInfinity); }
  /// An infinity and nothing else.
  bool isMinusInfinity() const { return minusInf && !plusInf && !hasFinite(); }
  bool isPlusInfinity() const { return plusInf && !minusInf && !hasFinite(); }
  bool hasInfinity() const { return minusInf || plusInf; }
  /// The largest magnitude of a finite member; 0 if there is none.
  double magnitude() const;
  bool within(const Range &other) const;
  bool operator==(const Range &other) const;
  /// "[-4, 4]", "[0, 1] or -inf".
  std::string str() const;
};

Range join(const Range &a, const Range &b);
Range intersect(Range a, double low, double high);
/// Room for `relative` times the magnitude of each end: rounding errors of narrower arithmetic.
Range loosened(Range r, double relative);

Range operator+(const Range &a, const Range &b);
Range operator-(const Range &a, const Range &b);
Range operator*(const Range &a, const Range &b);
Range operator-(const Range &a);
/// The divisor must not contain zero.
Range quotient(const Range &a, const Range &b);
Range minimum(const Range &a, const Range &b);
Range maximum(const Range &a, const Range &b);
Range magnitudeOf(const Range &a);
/// A function that does not decrease, exact to `relative`.
Range monotone(const Range &a, double (*function)(double), double relative);
/// The sum of between `least` and `most` members.
Range sumOf(const Range &a, double least, double most);

/// Half a unit in the last place, relative to the value, of a float dtype.
double halfUlp(DType dtype);
double largest(DType dtype);
double smallest(DType dtype);  // the most negative value
/// The members rounded to a float dtype in any direction; ends that overflow stay as they are.
Range roundedTo(DType dtype, const Range &r);
/// With zero, where members are so small that a target may make them zero.
Range flushed(DType dtype, Range r);
/// True if rounding `value` to `dtype` (nearest even) gives no finite value.
bool overflows(DType dtype, double value);

}  // namespace tessera::sema::numerics
