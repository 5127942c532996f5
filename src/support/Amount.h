// Amounts: numbers that are not known before the sizes are, such as half of `K*M*N`. A number, or a factor times a dimension
// expression. What is computed of numbers is a number; of expressions it is exact, but for sums of factors with no common measure.
#pragma once
#include "support/Dim.h"
#include <map>
#include <optional>
#include <string>

namespace tessera {

class Amount {
public:
  Amount(double number = 0) : factor_(number) {}
  explicit Amount(const Dim &dim);

  bool isNumber() const { return dim_.isConstant(); }
  double number() const { return factor_; }  // only where isNumber()
  /// Whether it has a value at all: expressions that leave 64 bits have none.
  bool isDefined() const { return dim_.isDefined(); }
  /// For sizes of its variables; nothing where one has none.
  std::optional<double> at(const std::map<std::string, int64_t> &sizes) const;
  /// As an integer expression, rounded down.
  Dim dim() const;
  std::string str() const { return dim().str(); }

  friend Amount operator+(const Amount &a, const Amount &b);
  friend Amount operator-(const Amount &a, const Amount &b);
  friend Amount operator*(const Amount &a, const Amount &b);
  friend Amount operator/(const Amount &a, const Amount &b);
  Amount &operator+=(const Amount &other) { return *this = *this + other; }
  Amount &operator*=(const Amount &other) { return *this = *this * other; }
  static Amount min(const Amount &a, const Amount &b);
  static Amount max(const Amount &a, const Amount &b);
  static Amount ceil(const Amount &a);
  /// No more of tiles that cover a whole than the whole, where that can be seen: all of it is touched.
  static Amount ofTiles(const Amount &touched, const Amount &whole);

private:
  Amount(double factor, Dim dim);
  double factor_ = 0;
  Dim dim_ = Dim(1);  // without a common factor of its coefficients
};

}  // namespace tessera
