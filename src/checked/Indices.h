// Parameters that hold indices, such as the tokens of a model. Where one lies outside of what it chooses from, the language
// reads 0 (and adds nothing); a caller who means no such index can have them looked at before each call.
#pragma once
#include "checked/Checked.h"

namespace tessera::checked {

/// Every `step`th of `size` elements of an axis, from `begin` on.
struct UsedAxis {
  Dim begin, size;
  int64_t step = 1;
};
struct IndexParameter {
  size_t param = 0;            // its place in Function::params
  std::vector<UsedAxis> axes;  // the part of it that chooses
  Dim extent;                  // how many there are to choose from
  bool fromEnd = false;        // an index below 0 counts from the end
  std::string of;              // the array that is chosen from; empty if it has no name
  Span span;                   // where it is chosen
};
/// Those whose elements choose as they are, or moved in the array, in each call. Of indices that a function computes, and of
/// those that only some calls get to, nothing is said.
std::vector<IndexParameter> indexParameters(const Function &function);

}  // namespace tessera::checked
