// Marks of places: which updates go to which part of an axis (MarkedPlaces.cpp).
#pragma once
#include "ir/graph/Graph.h"

namespace tessera::transforms {

/// Parts of an axis that have marks: 32 bytes for each update.
constexpr int64_t kMarkedParts = 256;
/// Elements of the axis in each of them.
Dim elementsOfPart(ir::graph::ScatterAddOp scatter);

}  // namespace tessera::transforms
