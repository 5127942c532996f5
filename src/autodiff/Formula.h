// The partial derivatives of elementwise operations, which support/Partials.def writes as text.
#pragma once
#include "autodiff/Builder.h"
#include <string_view>

namespace tessera::autodiff {

/// What a partial is written over: the operands `a`, `b`, `c` and the result `y`.
struct Operands {
  std::vector<Term> args;
  Term result;
};

/// The value of a formula: numbers, operands, + - * / < > ==, and elementwise operations by their mnemonics.
Term evaluate(std::string_view formula, const Operands &operands, Builder &builder);
/// Where a formula is `1/x` of an operand: that operand; else null.
Term divisorOf(std::string_view formula, const Operands &operands);

}  // namespace tessera::autodiff
