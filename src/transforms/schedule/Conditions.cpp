// Conditions of tensor functions on sizes and integers, which the entry function can ask before it launches anything.
#include "transforms/schedule/Conditions.h"
#include "ir/graph/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "support/Dim.h"
#include <map>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isWhole(Type type) { return type.isIndex() || (type.isIntOrIndex() && !type.isInteger(1)); }

}  // namespace

std::optional<Dim> dimOf(Value value, graph::FuncOp function) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isParameter = argument.getOwner()->getParentOp() == function && isWhole(argument.getType());
    return isParameter ? std::optional(Dim::var(function.param(argument.getArgNumber()).getName().str())) : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<graph::DimOp>(op)) return dim.getDim().getDim();
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    return integer ? std::optional(Dim(integer.getInt())) : std::nullopt;
  }
  if (auto cast = dyn_cast<graph::CastOp>(op))
    return isWhole(cast.getOperand().getType()) ? dimOf(cast.getOperand(), function) : std::nullopt;
  auto made = dyn_cast<graph::ElementwiseOp>(op);
  if (!made || made->getNumOperands() != 2 || !isWhole(value.getType())) return std::nullopt;
  auto a = dimOf(made->getOperand(0), function), b = dimOf(made->getOperand(1), function);
  if (!a || !b) return std::nullopt;
  using Rule = Dim (*)(const Dim &, const Dim &);
  static const std::map<std::string, Rule, std::less<>> rules = {
      {"add", [](const Dim &x, const Dim &y) { return x + y; }},
      {"sub", [](const Dim &x, const Dim &y) { return x - y; }},
      {"mul", [](const Dim &x, const Dim &y) { return x * y; }},
      {"floordiv", Dim::floorDiv}, {"mod", Dim::mod}, {"min", Dim::min}, {"max", Dim::max}};
  auto rule = rules.find(std::string_view(made.getMnemonic()));
  if (rule == rules.end()) return std::nullopt;
  Dim dim = rule->second(*a, *b);
  return dim.isDefined() ? std::optional(dim) : std::nullopt;
}

Attribute askedOf(Value value, graph::FuncOp function) {
  auto op = value.getDefiningOp<graph::ElementwiseOp>();
  if (!op) return {};
  Builder builder(value.getContext());
  StringRef name = op.getMnemonic();
  if (value.getType().isInteger(1) && (name == "and" || name == "or" || name == "not")) {
    SmallVector<Attribute> parts = {builder.getStringAttr(name)};
    for (Value operand : op->getOperands()) {
      parts.push_back(askedOf(operand, function));
      if (!parts.back()) return {};
    }
    return builder.getArrayAttr(parts);
  }
  std::optional<Relation> relation = symbolizeRelation(name);
  if (!relation || op->getNumOperands() != 2 || !isWhole(op->getOperand(0).getType())) return {};
  auto a = dimOf(op->getOperand(0), function), b = dimOf(op->getOperand(1), function);
  MLIRContext *context = value.getContext();
  return a && b ? RequirementAttr::get(context, DimAttr::get(context, *a), *relation, DimAttr::get(context, *b), "") : RequirementAttr();
}

namespace {

/// A number, or extents with a number of at least 1 added.
bool isPositive(Value divisor, graph::FuncOp function) {
  auto dim = dimOf(divisor, function);
  if (!dim) return false;
  auto isExtent = [&](const auto &atom) {
    return atom.first.kind == AtomKind::Var &&
           llvm::any_of(function.getDims().template getAsRange<StringAttr>(), [&](StringAttr name) { return name.getValue() == atom.first.name; });
  };
  bool some = false;
  for (const Dim::Term &term : dim->terms()) {
    bool product = llvm::all_of(term.atoms, isExtent);
    if (term.coefficient < 0 || !product) return false;
    some |= term.atoms.empty() && term.coefficient > 0;
  }
  return some;
}

/// An integer division that goes wrong where sizes are 0.
bool mayDivideByZero(Operation *op, graph::FuncOp function) {
  auto made = dyn_cast<graph::ElementwiseOp>(op);
  bool divides = made && isWhole(made.getType()) && (made.getMnemonic() == "floordiv" || made.getMnemonic() == "mod");
  return divides && !isPositive(made->getOperand(1), function);
}

/// Nothing in the branches can go wrong where the condition does not hold.
bool mayComputeBoth(scf::IfOp branch, graph::FuncOp function) {
  bool both = true;
  branch->walk([&](Operation *op) {
    if (op == branch) return;
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    both &= llvm::none_of(op->getOperandTypes(), isTensor) && llvm::none_of(op->getResultTypes(), isTensor);
    both &= !mayDivideByZero(op, function) && !isa<graph::CallOp>(op);
  });
  return both;
}

/// The value of an integer made of sizes and numbers, computed before the branches. Null if it reads a tensor, or divides
/// by what may be 0 where the branch is not taken.
Value before(Value value, scf::IfOp branch, OpBuilder &builder, graph::FuncOp function) {
  if (!branch->isAncestor(value.getParentBlock()->getParentOp())) return value;
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<graph::DimOp, graph::ConstantOp, graph::CastOp, graph::ElementwiseOp>(op)) return {};
  if (isa<TensorType>(value.getType()) || mayDivideByZero(op, function)) return {};
  IRMapping operands;
  for (Value operand : op->getOperands()) {
    Value earlier = before(operand, branch, builder, function);
    if (!earlier) return {};
    operands.map(operand, earlier);
  }
  return builder.clone(*op, operands)->getResult(0);
}

/// Without the integers that it gives: each of them is chosen before. Fails if one cannot be.
FailureOr<scf::IfOp> withoutIntegers(scf::IfOp branch, graph::FuncOp function) {
  if (llvm::none_of(branch.getResultTypes(), [](Type type) { return type.isIndex(); })) return branch;
  OpBuilder builder(branch);
  Operation *ends[] = {branch.thenBlock()->getTerminator(), branch.elseBlock()->getTerminator()};
  SmallVector<Type> types;
  SmallVector<Value> given[2], left;
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    Value values[] = {ends[0]->getOperand(i), ends[1]->getOperand(i)};
    if (!result.getType().isIndex()) {
      types.push_back(result.getType());
      left.push_back(result);
      for (int side : {0, 1}) given[side].push_back(values[side]);
      continue;
    }
    for (Value &value : values)
      if (!(value = before(value, branch, builder, function)))
        return branch.emitError("an integer that a condition on sizes gives together with tensors, and that reads a tensor or divides by "
                                "what may be 0; give it an `if` of its own");
    result.replaceAllUsesWith(builder.create<graph::ElementwiseOp>(
        result.getLoc(), result.getType(), "select", ValueRange{branch.getCondition(), values[0], values[1]}));
  }
  auto made = builder.create<scf::IfOp>(branch.getLoc(), types, branch.getCondition());
  made->setAttrs(branch->getAttrs());
  for (int side : {0, 1}) {
    made->getRegion(side).takeBody(branch->getRegion(side));
    ends[side]->setOperands(given[side]);
  }
  for (auto [old, now] : llvm::zip(left, made.getResults())) old.replaceAllUsesWith(now);
  branch.erase();
  return made;
}

}  // namespace

LogicalResult askBefore(scf::IfOp &branch, graph::FuncOp function) {
  Attribute asked = mayComputeBoth(branch, function) ? Attribute() : askedOf(branch.getCondition(), function);
  if (!asked) return success();
  FailureOr<scf::IfOp> made = withoutIntegers(branch, function);
  if (failed(made)) return failure();
  branch = *made;
  branch->setAttr(kWhen, asked);
  return success();
}

Attribute negated(Attribute condition) {
  Builder builder(condition.getContext());
  return builder.getArrayAttr({builder.getStringAttr("not"), condition});
}

}  // namespace tessera::transforms
