// Which variables a piece of a body binds and reads: what loops and branches carry.
#pragma once
#include "checked/Checked.h"
#include <map>
#include <memory>
#include <set>
#include <span>

namespace tessera::irgen {

/// Ordered as the function declares them, so that the text of the IR never depends on addresses.
struct ById {
  bool operator()(const checked::Var *a, const checked::Var *b) const { return a->id < b->id; }
};
using VarSet = std::set<const checked::Var *, ById>;
using VarCounts = std::map<const checked::Var *, int, ById>;

/// Some statements in a row.
using Stmts = std::span<const std::unique_ptr<checked::Stmt>>;

/// Variables that some Let or Assign in the block binds, inside nested statements too.
void collectBound(Stmts block, VarSet &vars);
/// Variables that have a value at the block's end whatever happened before it.
void collectAlwaysBound(Stmts block, VarSet &vars);
/// How often each variable is read.
void countReads(Stmts block, VarCounts &reads);
void countReads(const checked::Stmt &stmt, VarCounts &reads);
/// A break or continue of the loop around the statement may run in it.
bool mayExit(const checked::Stmt &stmt);
bool mayExit(Stmts block);
bool mayBreak(Stmts block);
/// Something stands behind a statement of a loop's body that may end the turn.
bool asksIfLive(Stmts block);

}  // namespace tessera::irgen
