// Elementwise operations and casts. An operation on floats is done in f64 and its result rounded to the dtype in which
// the checked program does it, to the nearest: of `+ - * /` and `sqrt` this is what arithmetic in the dtype gives, bit
// by bit. Integers wrap around at the width of theirs.
#pragma once
#include "reference/Datum.h"
#include "checked/Checked.h"
#include "support/Ops.h"

namespace tessera::reference {

/// Applies an operation to scalars and arrays of one shape. Null and a message in `error` if it has no value.
Ref elementwise(ElementwiseOp op, DType result, const std::vector<Ref> &args, std::string &error);

/// Rounds values of f64 to the nearest of the dtype.
void roundTo(DType dtype, std::vector<double> &values);

/// The same values in another dtype.
Ref cast(const Ref &value, DType to, const checked::Numerics &numerics, std::string &error);

/// The same bits as a dtype of as many.
Ref castBits(const Ref &value, DType to);

/// How a number is rounded where it is stored as `dtype`.
class Rounder {
public:
  Rounder(DType dtype, const checked::Numerics &numerics);
  double operator()(double value) const;
  double ofInt(int64_t value) const;
  int64_t toInt(double value) const;
  int64_t wrap(int64_t value) const;

private:
  DType dtype_;
  int mode_;
  bool saturate_, flush_;
};

}  // namespace tessera::reference
