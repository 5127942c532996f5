#include "transforms/tile/KernelFacts.h"
#include "llvm/ADT/StringSwitch.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;
using shape::Formula;

namespace {

using shape::Relation;

std::optional<Relation> relationOf(StringRef mnemonic) {
  return llvm::StringSwitch<std::optional<Relation>>(mnemonic)
      .Case("eq", Relation::Eq)
      .Case("ne", Relation::Ne)
      .Case("lt", Relation::Lt)
      .Case("le", Relation::Le)
      .Case("gt", Relation::Gt)
      .Case("ge", Relation::Ge)
      .Default(std::nullopt);
}

}  // namespace

KernelFacts::KernelFacts(tile::KernelOp kernel) : kernel_(kernel) {
  for (NamedAttribute size : kernel.getSizes())
    if (auto number = dyn_cast<IntegerAttr>(size.getValue()))
      sizes_["T." + size.getName().str()] = Dim(number.getInt());
  for (auto fact : kernel.getRequirements().getAsRange<RequirementAttr>())
    if (auto relation = relationOf(stringifyRelation(fact.getRelation())))
      facts_.add(Formula(withSizes(fact.getLeft().getDim()), *relation, withSizes(fact.getRight().getDim())));
  // Where a group stands holds everywhere, also behind the loop that asks first.
  kernel.getBody().walk([&](tile::QueryOp where) { of(where); });
}

Dim KernelFacts::fresh() { return Dim::var("%" + std::to_string(variables_++)); }

/// Of a value that is not understood, its sign may be known.
Dim KernelFacts::unknown(Value value) {
  Dim variable = fresh();
  if (isa<IndexType>(value.getType()) && signs_.isNonNegative(value)) facts_.addNonNegative(variable);
  return variable;
}

void KernelFacts::addRange(const Dim &value, const Dim &end) {
  facts_.addNonNegative(value);
  facts_.add(Formula(value, Relation::Lt, end));
}

/// The groups of a launch stand on the multiples of the tile that lie inside of the output.
Dim KernelFacts::origin(size_t axis) {
  GridAttr grid = kernel_.getGrid();
  if (grid.getKind() != GridKind::Output || axis >= grid.getDims().size() || grid.getParam() < 0) return fresh();
  ArrayRef<DimAttr> output = shapeOf(kernel_.getBody().getArgument(grid.getParam()).getType());
  Dim tileExtent = withSizes(grid.getDims()[axis].getDim()), extent = withSizes(output[axis].getDim());
  if (tileExtent == extent) return Dim(0);  // the tile is the whole axis
  Dim value = tileExtent * fresh();
  addRange(value, extent);
  return value;
}

Dim KernelFacts::query(tile::QueryOp op) {
  GridAttr grid = kernel_.getGrid();
  auto axis = static_cast<size_t>(op.getAxis());
  StringRef what = op.getQuery();
  bool counted = grid.getKind() == GridKind::Explicit && axis < grid.getDims().size();
  if (what == "group_size") return Dim(static_cast<int64_t>(kernel_.getGroup()));
  if (what == "group_count" && counted) return withSizes(grid.getDims()[axis].getDim());
  std::string key = (what + " " + std::to_string(axis)).str();
  if (auto seen = queries_.find(key); seen != queries_.end()) return seen->second;
  Dim value;
  if (what == "origin") {
    value = origin(axis);
  } else {
    value = fresh();
    if (what == "group_id" && counted) addRange(value, withSizes(grid.getDims()[axis].getDim()));
    else if (what == "local_id") addRange(value, Dim(static_cast<int64_t>(kernel_.getGroup())));
    else facts_.addNonNegative(value);
  }
  return queries_[key] = value;
}

Dim KernelFacts::elementwise(tile::ElementwiseOp op) {
  if (op.getArgs().size() != 2) return unknown(op.getResult());
  Dim a = of(op.getArgs()[0]), b = of(op.getArgs()[1]);
  StringRef what = op.getMnemonic();
  bool byPositive = b.isConstant() && b.constant() > 0;
  if (what == "add") return a + b;
  if (what == "sub") return a - b;
  if (what == "mul") return a * b;
  if (what == "min") return Dim::min(a, b);
  if (what == "max") return Dim::max(a, b);
  if (what == "floordiv" && byPositive) return Dim::floorDiv(a, b);
  if (what == "mod" && byPositive) return Dim::mod(a, b);
  return unknown(op.getResult());
}

Dim KernelFacts::of(Value value) {
  if (auto seen = values_.find(value); seen != values_.end()) return seen->second;
  Operation *op = value.getDefiningOp();
  Dim result;
  auto number = dyn_cast_if_present<tile::ConstantOp>(op);
  auto integer = number ? dyn_cast<IntegerAttr>(number.getValue()) : IntegerAttr();
  auto dim = dyn_cast_if_present<tile::DimOp>(op);
  auto parsed = dim ? Dim::parse(dim.getDim().str()) : std::nullopt;
  if (integer) result = Dim(integer.getInt());
  else if (parsed) result = withSizes(*parsed);
  else if (auto where = dyn_cast_if_present<tile::QueryOp>(op)) result = query(where);
  else if (auto combined = dyn_cast_if_present<tile::ElementwiseOp>(op)) result = elementwise(combined);
  else result = unknown(value);
  return values_[value] = result;
}

std::optional<Formula> KernelFacts::condition(Value value) {
  auto op = value.getDefiningOp<tile::ElementwiseOp>();
  if (!op || op.getArgs().size() != 2) return std::nullopt;
  if (op.getMnemonic() == "and" || op.getMnemonic() == "or") {
    auto a = condition(op.getArgs()[0]), b = condition(op.getArgs()[1]);
    if (!a || !b) return std::nullopt;
    return op.getMnemonic() == "and" ? Formula::all({*a, *b}) : Formula::any({*a, *b});
  }
  auto relation = relationOf(op.getMnemonic());
  if (!relation || !isa<IndexType>(op.getArgs()[0].getType())) return std::nullopt;
  return Formula(of(op.getArgs()[0]), *relation, of(op.getArgs()[1]));
}

void KernelFacts::enter(scf::ForOp loop) {
  if (!isa<IndexType>(loop.getInductionVar().getType())) return;
  Dim first = of(loop.getLowerBound()), end = of(loop.getUpperBound()), step = of(loop.getStep());
  Dim turns = fresh();
  facts_.addNonNegative(turns);
  Dim counter = step.isConstant() ? first + step * turns : fresh();
  if (!step.isConstant()) facts_.add(Formula(counter, Relation::Ge, first));
  facts_.add(Formula(counter, Relation::Lt, end));
  values_[loop.getInductionVar()] = counter;
}

}  // namespace tessera::transforms
