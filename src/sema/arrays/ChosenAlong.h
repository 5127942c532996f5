// Tensors of integers in a subscript, which choose elements along an axis.
#pragma once
#include "sema/arrays/Arrays.h"

namespace tessera::sema {

/// `x[:, indices]`: which axis of the result a tensor of integers chooses from, and the places. That axis is read as a whole first, and
/// so are those behind it which `places` counts along with it.
struct Chosen {
  int axis = -1;
  Value places = Value::poison();
  size_t merged = 1;
  bool rows = false;  // `x[arange(N), places]`: of each row along the axis the element that is named along the next one
};
/// What was found in the places of an access (accessOf), which becomes one of the whole axis. Nothing after a message: several tensors
/// name elements together, as in NumPy, along neighbouring axes.
std::optional<Chosen> chosenAlong(Context &cx, const Value &base, Access &access, std::vector<Dim> &shape, std::vector<std::optional<Limit>> &limits,
                                  const std::vector<int> &newAxes, std::vector<SliceStart> *starts, std::vector<Value> &places,
                                  const ast::SubscriptExpr &expr);

}  // namespace tessera::sema
