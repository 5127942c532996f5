// What the conditions around an access of a tensor say of its indices.
#pragma once
#include "sema/Context.h"
#include <optional>
#include <vector>

namespace tessera::sema {

/// `if r < C and c < R:` around `y[r, c]`: the conditions there keep an index of a kernel inside of another axis than its own.
bool guardedElsewhere(Context &cx, const Dim &index, const std::vector<Dim> &extents, size_t axis, Span span);
/// `if i < N:` around `x[i + 1]` of `x: Tensor[N]`: the index goes on behind the end that a condition compares with, or in
/// front of the first element, for sizes that can be named.
bool goesBeyondGuard(Context &cx, const Dim &index, const Dim &extent, Span span);
/// `x[t + 1] if t + 1 < T else 0.0` in a function of tensors, which computes both sides: the index as it is where the choice holds, and
/// the nearest of the axis on the other side. Nothing if the choices around it do not say that it lies inside.
std::optional<Value> heldWhereChosen(Context &cx, const Value &index, const Dim &extent, Span span);
/// Whether something in the function is said about this index elsewhere, or in this line about another: it is wrong for the
/// same reason.
bool saidOutside(const Context &cx, const Dim &index, Span span);

}  // namespace tessera::sema
