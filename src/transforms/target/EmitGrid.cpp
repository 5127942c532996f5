// Where a group and a lane stand, and dimensions as expressions.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/GroupOrder.h"
#include "shape/Facts.h"
#include "support/Check.h"
#include "transforms/target/KernelEmitter.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;
using tessera::shape::plainlyNonNegative;

namespace tessera::transforms::totarget {

// ---------------------------------------------------------------- dimensions

/// A runtime dimension is a parameter of the emitted function; a size of the schedule is one of its
/// constants.
ExprRef KernelEmitter::dimVar(const std::string &variable) {
  if (auto constant = constants_.find(variable); constant != constants_.end())
    return name(constant->second, indexType());
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
  bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
  bool plain = divides && facts_.isNonNegative(left) && facts_.isNonNegative(right);  // C rounds alike
  if (atom.kind == AtomKind::FloorDiv) {
    Dim counted = left - right + Dim(1);  // (x + right - 1) // right
    if (counted.terms().size() < left.terms().size() ||
        (right.isConstant() && right.constant() > 1 && plainlyNonNegative(counted) &&
         counted.terms().size() == 1 && !counted.isConstant()))
      return call("tsr::ceil_div", {dim(counted), dim(right)}, indexType());
    if (plain) return binary("/", dim(left), dim(right));
    return call("tsr::floordiv", {dim(left), dim(right)}, indexType());
  }
  if (atom.kind == AtomKind::Mod) {
    if (plain) return binary("%", dim(left), dim(right));
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
  // Added before taken away, and numbers last: n - m + 1.
  std::vector<Dim::Term> ordered;
  for (bool positive : {true, false})
    for (bool number : {false, true})
      for (const Dim::Term &term : dimension.terms())
        if ((term.coefficient > 0) == positive && term.atoms.empty() == number) ordered.push_back(term);
  ExprRef sum;
  for (const Dim::Term &term : ordered) {
    ExprRef part = dimTerm(term);
    if (!sum) sum = term.coefficient < 0 ? binary("-", typed(0), part) : part;
    else sum = binary(term.coefficient < 0 ? "-" : "+", sum, part);
  }
  return sum ? sum : typed(0);
}

Dim KernelEmitter::shown(const Dim &dimension) {
  if (!dimension.hasNames()) return dimension;
  std::set<std::string> variables;
  dimension.written().collectVars(variables);
  std::map<std::string, Dim> numbers;
  for (const std::string &variable : variables)
    if (auto constant = namedConstant(variable); constant && !constants_.count(variable))
      numbers.emplace(variable, Dim(constant->second));
  return dimension.written().substitute(numbers);
}

std::vector<Dim> KernelEmitter::written(ArrayRef<ir::DimAttr> shape, Location location) {
  std::vector<Dim> extents;
  for (ir::DimAttr extent : shape) extents.push_back(extent.getDim());
  SmallVector<Dim> sizes = ir::sizesOf(location);
  if (sizes.size() != extents.size())  // axes of one element are gone from a tile's type
    llvm::erase_if(sizes, [](const Dim &size) { return size == Dim(1); });
  if (!llvm::equal(sizes, extents)) return extents;
  for (auto [extent, size] : llvm::zip(extents, sizes)) extent = shown(size);
  return extents;
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

/// Whether the text of the dimension is an expression of C, too.
static bool isArithmetic(const Dim &dimension) {
  for (const Dim::Term &term : dimension.terms())
    for (const auto &[atom, power] : term.atoms) {
      if (atom.kind == AtomKind::Var) continue;
      if (atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod) return false;
      if (!isArithmetic(*atom.left) || !isArithmetic(*atom.right)) return false;
    }
  return true;
}

std::string KernelEmitter::typeExtent(const Dim &dimension) {
  if (!isArithmetic(dimension)) {
    Dim numbers = inNumbers(dimension);
    TSR_CHECK(isArithmetic(numbers), "the extent of a type that C cannot say: " + dimension.str());
    return typeExtent(numbers);
  }
  std::map<std::string, Dim> values;
  for (const auto &[variable, constant] : constants_) values.emplace(variable, Dim::var(constant));
  for (const auto &[variable, constant] : capacities_) values.emplace(variable, Dim::var(constant));
  std::string text = dimension.substitute(values).str();
  for (size_t at; (at = text.find("//")) != std::string::npos;) text.replace(at, 2, "/");
  for (size_t at = 0; (at = text.find('*', at)) != std::string::npos; at += 3) text.replace(at, 1, " * ");
  return text;
}

// ---------------------------------------------------------------- the grid

void KernelEmitter::planGrid() {
  ir::GridAttr grid = kernel_.getGrid();
  grid_ = written(grid.getDims(), kernel_.getLoc());
  // The number 1, whatever it is called, makes no loop and no division.
  for (auto [extent, attribute] : llvm::zip(grid_, grid.getDims()))
    if (attribute.getConstant() == 1) extent = Dim(1);
  if (grid.getKind() == ir::GridKind::Lanes) {
    groupCounts_ = {Dim::ceilDiv(grid_[0], isCpu() ? Dim(kernel_.getGroup()) : Dim::var("T.Threads"))};
  } else if (grid.getKind() == ir::GridKind::Explicit) {
    groupCounts_ = grid_;
  } else {
    ArrayRef<ir::DimAttr> shape = ir::shapeOf(kernel_.getArgumentTypes()[grid.getParam()]);
    for (size_t i = 0; i < grid_.size(); ++i) {
      bool whole = shape[i] == grid.getDims()[i], single = grid_[i] == Dim(1);
      Dim extent = shape[i].getDim();
      groupCounts_.push_back(whole ? Dim(1) : single ? extent : Dim::ceilDiv(extent, grid_[i]));
    }
  }
}

/// Rows of tiles that a product's groups go over column by column.
constexpr int64_t kBand = 8;

/// So many matrices are gone over together where the longest groups go first.
constexpr int64_t kTogether = 16;

/// Groups of a product share what they read: they go over its tiles in bands (include/tessera/device/raster.h).
bool KernelEmitter::goesInBands() {
  size_t rank = groupCounts_.size();
  return wantsRegisters() && rank >= 2 && !(groupCounts_[rank - 1] == Dim(1)) && !(groupCounts_[rank - 2] == Dim(1)) &&
         kernel_.getGrid().getKind() == ir::GridKind::Output;
}

/// The number of the group along one axis of the grid; the last axis varies fastest.
ExprRef KernelEmitter::groupIndex(int64_t axis) {
  auto rank = static_cast<int64_t>(groupCounts_.size());
  if (axis >= rank || groupCounts_[axis] == Dim(1)) return typed(0);
  if (axis >= rank - 2 && !kernel_.getLongestFirst() && goesInBands()) {
    Dim matrices(1);
    for (int64_t a = 0; a < rank - 2; ++a) matrices = matrices * groupCounts_[a];
    ExprRef rows = dim(groupCounts_[rank - 2]), cols = dim(groupCounts_[rank - 1]);
    ExprRef group = matrices == Dim(1) ? group_ : binary("%", group_, dim(groupCounts_[rank - 2] * groupCounts_[rank - 1]));
    return call(axis == rank - 2 ? "tsr::banded_row" : "tsr::banded_col", {group, rows, cols}, indexType(),
                {builder_.getI64IntegerAttr(kBand)});
  }
  ExprRef index = group_;
  std::optional<uint64_t> longest = kernel_.getLongestFirst();
  if (longest && groupCounts_[*longest] == Dim(1)) longest.reset();
  Dim behind(1), before(1), others(1);
  for (int64_t a = 0; a < rank; ++a)
    if (longest != static_cast<uint64_t>(a)) others = others * groupCounts_[a];
  if (longest) {
    bool along = axis == static_cast<int64_t>(*longest);
    index = call(along ? "tsr::longest_first_row" : "tsr::longest_first_of", {group_, dim(groupCounts_[*longest]), dim(others)},
                 indexType(), {builder_.getI64IntegerAttr(kTogether)});
    if (along) return ir::isLongestAtStart(kernel_) ? binary("-", dim(groupCounts_[*longest] - Dim(1)), index) : index;
  }
  for (int64_t a = 0; a < rank; ++a)
    if (a != axis && longest != static_cast<uint64_t>(a)) (a > axis ? behind : before) = (a > axis ? behind : before) * groupCounts_[a];
  if (!(behind == Dim(1))) index = binary("/", index, dim(behind));
  if (!(before == Dim(1))) index = binary("%", index, dim(groupCounts_[axis]));
  return index;
}

ExprRef KernelEmitter::origin(int64_t axis) {
  ir::GridAttr grid = kernel_.getGrid();
  ExprRef index = groupIndex(axis);
  if (grid.getKind() != ir::GridKind::Output) return index;
  return binary("*", index, dim(grid_[axis]));
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
  if (what == "group_count")
    return axis < static_cast<int64_t>(groupCounts_.size()) ? dim(groupCounts_[axis]) : typed(1);
  if (what == "group_size") return singleLane_ && runs_.empty() ? typed(1) : name("Threads", indexType());
  if (what == "local_id") return lane();
  if (what == "lane_id") return binary("%", lane(), typed(kWarpLanes));
  TSR_CHECK(what == "linear_id", "a query that is not known");
  if (laneLoop_) return laneLoop_;
  return binary("+", binary("*", group_, name("Threads", indexType())), lane());
}

}  // namespace tessera::transforms::totarget
