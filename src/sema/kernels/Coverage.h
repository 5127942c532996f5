// What the stores of a kernel with a grid of its own reach: indices as
// dimensions over the groups, lanes and loops that they go through.
#pragma once
#include "sema/Checked.h"
#include "shape/Claim.h"
#include <set>

namespace tessera::sema {

/// The variables of a function by their names in dimensions, "%7": what they
/// are bound to, and the loops that count them.
struct RunNames {
  std::map<std::string, const Expr *> lets;
  std::map<std::string, const Stmt *> loops;
};
void collect(const Block &block, RunNames &names);

/// An index as a dimension over "%..." names; nothing if it is read from
/// memory.
std::optional<Dim> dimOf(const Expr &expr, const RunNames &names, int depth = 0);

/// Stores of `size` elements that begin at `base`, base + stride, ...
struct Cover {
  Dim base, stride, size, count;
  int gridAxis = -1;
  Dim end() const { return base + stride * (count - Dim(1)) + size; }
  /// The claim that no two of them have elements below `extent` in common.
  shape::Formula apart(const Dim &extent) const {
    return shape::Formula::any({shape::Formula(stride, Relation::Ge, size), shape::Formula(count, Relation::Le, Dim(1)),
                                shape::Formula(base + stride, Relation::Ge, extent)});
  }
  /// The claim that they leave no gap before `extent`.
  shape::Formula whole(const Dim &extent) const {
    shape::Formula noGap =
        shape::Formula::any({shape::Formula(stride, Relation::Le, size), shape::Formula(count, Relation::Le, Dim(1)),
                             shape::Formula(base + size, Relation::Ge, extent)});
    return shape::Formula::all(
        {noGap, shape::Formula(base, Relation::Le, Dim(0)), shape::Formula(end(), Relation::Ge, extent)});
  }
};
/// What a store reaches along an axis; nothing if its index goes through
/// something else than one run.
std::optional<Cover> coverOf(const IndexPart &part, const RunNames &names, const KernelInfo &kernel);

/// Whether an index is the number of a lane in a kernel with a grid of its
/// own: `tile.local_id()`, `tile.linear_id()`, and, in groups of 128,
/// `tile.group_id(a) * 128 + tile.local_id()`. Of a group of several axes, whose extents are given, also the place along one of them:
/// `tile.group_id(1) * 16 + tile.local_id(1)`.
bool countsLanes(const Dim &index, const KernelInfo &kernel, const std::vector<int64_t> &groupExtents, const shape::Facts &facts);
/// What `tile.linear_id()` stays below.
Dim launchedLanes(const KernelInfo &kernel);

}  // namespace tessera::sema
