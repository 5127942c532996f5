// Where a group and a lane stand, and dimensions as expressions.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "support/Check.h"
#include "transforms/target/KernelEmitter.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

// ---------------------------------------------------------------- dimensions

/// A runtime dimension is a parameter of the emitted function; a size of the schedule is one of its constants.
ExprRef KernelEmitter::dimVar(const std::string &variable) {
  if (auto constant = constants_.find(variable); constant != constants_.end()) return name(constant->second, indexType());
  ExprRef &value = dims_[variable];
  if (!value) {
    Value argument = top_->addArgument(indexType(), kernel_.getLoc());
    paramNames_.push_back(names_.declare(variable));
    info_.dims.push_back(variable);
    value = valueOf(argument);
  }
  return value;
}

ExprRef KernelEmitter::dimAtom(const Atom &atom) {
  if (atom.kind == AtomKind::Var) return dimVar(atom.name);
  const Dim &left = *atom.left, &right = *atom.right;
  auto nonNegative = [](const Dim &d) {
    return llvm::all_of(d.terms(), [](const Dim::Term &term) { return term.coefficient >= 0; });
  };
  if (atom.kind == AtomKind::FloorDiv) {
    Dim counted = left - right + Dim(1);  // (x + right - 1) // right
    if (counted.terms().size() < left.terms().size() || (right.isConstant() && right.constant() > 1 && nonNegative(counted) &&
                                                         counted.terms().size() == 1 && !counted.isConstant()))
      return call("tsr::ceil_div", {dim(counted), dim(right)}, indexType());
    if (nonNegative(left) && nonNegative(right)) return binary("/", dim(left), dim(right));
    return call("tsr::floordiv", {dim(left), dim(right)}, indexType());
  }
  if (atom.kind == AtomKind::Mod) {
    if (nonNegative(left) && nonNegative(right)) return binary("%", dim(left), dim(right));
    return call("tsr::mod", {dim(left), dim(right)}, indexType());
  }
  return call(atom.kind == AtomKind::Min ? "tsr::min" : "tsr::max", {dim(left), dim(right)}, indexType(),
              {TypeAttr::get(indexType())});
}

ExprRef KernelEmitter::dimTerm(const Dim::Term &term) {
  int64_t coefficient = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  ExprRef product = typed(coefficient);
  for (const auto &[atom, power] : term.atoms)
    for (int i = 0; i < power; ++i) product = binary("*", product, dimAtom(atom));
  return product;
}

ExprRef KernelEmitter::dim(const Dim &dimension) {
  std::vector<Dim::Term> terms = dimension.terms();
  std::stable_partition(terms.begin(), terms.end(), [](const Dim::Term &term) { return !term.atoms.empty(); });
  std::stable_partition(terms.begin(), terms.end(), [](const Dim::Term &term) { return term.coefficient > 0; });
  ExprRef sum;
  for (const Dim::Term &term : terms) {
    ExprRef part = dimTerm(term);
    if (!sum) sum = term.coefficient < 0 ? binary("-", typed(0), part) : part;
    else sum = binary(term.coefficient < 0 ? "-" : "+", sum, part);
  }
  return sum ? sum : typed(0);
}

/// The dimension with sizes and capacities by the names that the emitted function gives them.
Dim KernelEmitter::inConstants(const Dim &dimension) {
  std::map<std::string, Dim> values;
  for (const auto &[variable, constant] : constants_) {
    auto size = sizes_.find(constant);
    bool clashes = llvm::is_contained(kernel_.getDims().getAsValueRange<StringAttr>(), constant);
    if (clashes && size != sizes_.end()) values.emplace(variable, Dim(size->second));
    else values.emplace(variable, Dim::var(constant));
  }
  return dimension.substitute(values);
}

std::string KernelEmitter::typeExtent(const Dim &dimension) {
  std::map<std::string, Dim> values;
  for (const auto &[variable, constant] : constants_) values.emplace(variable, Dim::var(constant));
  for (const auto &[variable, constant] : capacities_) values.emplace(variable, Dim::var(constant));
  std::string text = dimension.substitute(values).str();
  for (size_t at; (at = text.find("//")) != std::string::npos;) text.replace(at, 2, "/");
  return text;
}

// ---------------------------------------------------------------- the grid

Dim KernelEmitter::groupsAlong(int64_t axis) { return groupCounts_[axis]; }

void KernelEmitter::planGrid() {
  ir::GridAttr grid = kernel_.getGrid();
  if (grid.getKind() == ir::GridKind::Lanes) {
    groupCounts_ = {Dim::ceilDiv(grid.getDims()[0].getDim(), isCpu() ? Dim(kernel_.getGroup()) : Dim::var("T.Threads"))};
  } else if (grid.getKind() == ir::GridKind::Explicit) {
    for (ir::DimAttr count : grid.getDims()) groupCounts_.push_back(count.getDim());
  } else {
    ArrayRef<ir::DimAttr> shape = ir::shapeOf(kernel_.getArgumentTypes()[grid.getParam()]);
    for (auto [extent, tileExtent] : llvm::zip(shape, grid.getDims())) {
      bool whole = extent == tileExtent;
      bool single = tileExtent.getDim() == Dim(1);
      groupCounts_.push_back(whole ? Dim(1) : single ? extent.getDim() : Dim::ceilDiv(extent.getDim(), tileExtent.getDim()));
    }
  }
}

/// The number of the group along one axis of the grid; the last axis varies fastest.
ExprRef KernelEmitter::groupIndex(int64_t axis) {
  if (axis >= static_cast<int64_t>(groupCounts_.size()) || groupCounts_[axis] == Dim(1)) return typed(0);
  ExprRef index = group_;
  Dim behind(1), before(1);
  for (int64_t a = axis + 1; a < static_cast<int64_t>(groupCounts_.size()); ++a) behind = behind * groupCounts_[a];
  for (int64_t a = 0; a < axis; ++a) before = before * groupCounts_[a];
  if (!(behind == Dim(1))) index = binary("/", index, dim(behind));
  if (!(before == Dim(1))) index = binary("%", index, dim(groupCounts_[axis]));
  return index;
}

ExprRef KernelEmitter::origin(int64_t axis) {
  ir::GridAttr grid = kernel_.getGrid();
  ExprRef index = groupIndex(axis);
  if (grid.getKind() != ir::GridKind::Output) return index;
  return binary("*", index, dim(grid.getDims()[axis].getDim()));
}

ExprRef KernelEmitter::lane() {
  if (lane_) return lane_;
  if (singleLane_) return typed(0);
  return castTo(indexType(), name("threadIdx.x", IntegerType::get(context_, 32, IntegerType::Unsigned)));
}

ExprRef KernelEmitter::query(tile::QueryOp op) {
  StringRef what = op.getQuery();
  int64_t axis = op.getAxis();
  if (what == "origin") return origin(axis);
  if (what == "group_id") return groupIndex(axis);
  if (what == "group_count") return dim(groupCounts_[axis]);
  if (what == "group_size") return singleLane_ && runs_.empty() ? typed(1) : name("Threads", indexType());
  if (what == "local_id") return lane();
  if (what == "lane_id") return binary("%", lane(), typed(32));
  TSR_CHECK(what == "linear_id", "a query that is not known");
  if (laneLoop_) return laneLoop_;
  return binary("+", binary("*", group_, name("Threads", indexType())), lane());
}

}  // namespace tessera::transforms::totarget
