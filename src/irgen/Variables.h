// Which variables a piece of a body binds and reads: what loops and branches carry.
#pragma once
#include "sema/Checked.h"
#include <map>
#include <set>
#include <vector>

namespace tessera::irgen {

/// Ordered as the function declares them, so that the text of the IR never depends on addresses.
struct ById {
  bool operator()(const sema::Var *a, const sema::Var *b) const { return a->id < b->id; }
};
using VarSet = std::set<const sema::Var *, ById>;
using VarCounts = std::map<const sema::Var *, int, ById>;

/// Variables that some Let or Assign in the block binds, inside nested statements too.
void collectBound(const sema::Block &block, VarSet &vars);
/// Variables that have a value at the block's end whatever happened before it.
void collectAlwaysBound(const sema::Block &block, VarSet &vars);
/// How often each variable is read.
void countReads(const sema::Block &block, VarCounts &reads);
void countReads(const sema::Stmt &stmt, VarCounts &reads);

}  // namespace tessera::irgen
