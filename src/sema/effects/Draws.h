// What a draw from a stream computes: every element is a function of the stream's key and of its place in the array, so that
// the loops around it, fusion and a second evaluation do not matter. docs/spec/effects.md (D7 to D10) has the formulas.
#pragma once
#include "sema/Checked.h"

namespace tessera::sema {

/// A stream of random numbers as a value: its key.
Type keyType();

/// One draw of an array of this shape (none: of one number).
class Draw {
public:
  Draw(const Expr &key, std::vector<Dim> shape, Span span) : key_(key), shape_(std::move(shape)), span_(span) {}
  /// The elements with these numbers (i64), of that shape.
  Draw(const Expr &key, std::vector<Dim> shape, std::shared_ptr<Expr> at, Span span)
      : key_(key), shape_(std::move(shape)), at_(std::move(at)), span_(span) {}

  /// 32 random bits of each element, 0 to 2^32 - 1, as i64. `word` of `words` for each element.
  ExprPtr bits(int word = 0, int words = 1) const;
  /// Of `high` and, for f64, `low` random bits: evenly in [0, 1), with as many digits as the dtype has.
  ExprPtr uniform(DType dtype, ExprPtr high, ExprPtr low) const;
  /// Of the same: of the normal distribution, in f32 or f64.
  ExprPtr normal(DType dtype, const Expr &high, ExprPtr low) const;
  /// Whether an event of this probability (a number of f32 or f64, from 0 to 1) happens.
  ExprPtr happens(ExprPtr probability) const;

private:
  Type arrayOf(DType dtype) const;
  ExprPtr binary(ElementwiseOp op, DType dtype, ExprPtr a, ExprPtr b) const;
  ExprPtr element() const;

  const Expr &key_;
  std::vector<Dim> shape_;
  std::shared_ptr<Expr> at_;  // null: each element's own number
  Span span_;
};

/// A value rounded in three ways, in its own dtype again.
struct Neighbours {
  ExprPtr down, up, nearest;
};
/// `exact`, of f32 or f64, as one of the values around it: the upper one with the probability of its share of the gap, where
/// `uniform` is below it. What is cheap to write down again is expected.
ExprPtr roundedByChance(const Expr &exact, const Neighbours &to, ExprPtr uniform);

}  // namespace tessera::sema
