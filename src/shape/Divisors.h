// What divides inside of dimensions and facts. What it must be: docs/spec/shapes.md, S11.
#pragma once
#include "shape/Claim.h"
#include <functional>
#include <vector>

namespace tessera::shape {

/// What divides inside of a dimension or formula, but for numbers.
void collectDivisors(const Dim &dim, std::vector<Dim> &list);
void collectDivisors(const Formula &formula, std::vector<Dim> &list);

/// With at least 1 in place of the divisors that may be 0: the same where they are not, and a number everywhere else.
/// Others are those which are `sure`, and what may be negative.
Dim overOneAtLeast(const Dim &dim, const std::function<bool(const Dim &)> &sure);
/// For a fact. An `or` asks for each alternative only where those before it do not hold: that what divides is not 0
/// is a part of the alternative, which has a value everywhere.
Formula withDefinedAlternatives(const Formula &formula, const std::function<bool(const Dim &)> &sure);
/// For a claim. What stands behind `and` and `or` has a value everywhere.
Formula withTotalParts(const Formula &formula, const std::function<bool(const Dim &)> &sure);

}  // namespace tessera::shape
