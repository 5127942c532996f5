// Sums of a recurrence over its points. The derivative by what all channels of a state space read is a sum over the channels in each turn,
// that by what all turns read a sum over the turns, too. A lane that runs all turns for its point has one term of each: terms of a turn
// are stored, those that turns add up are added up in registers and stored once, and a kernel behind the loop adds up the rest, in an order
// that depends on sizes alone.
#include "transforms/schedule/Known.h"
#include "transforms/schedule/Recurrence.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

SumWriter::SumWriter(scf::ForOp loop) : loop_(loop), builder_(loop.getBody()->getTerminator()) {}

template <class Op, class... Args> Op SumWriter::make(Args &&...args) {
  Op op = builder_.create<Op>(std::forward<Args>(args)...);
  made.push_back(op);
  return op;
}

graph::ReduceOp SumWriter::sum(Value terms, ArrayRef<int64_t> axes, Location line) {
  SmallVector<DimAttr> kept;
  for (auto [axis, extent] : llvm::enumerate(shapeOf(terms.getType())))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis))) kept.push_back(extent);
  Type type = elementTypeOf(terms.getType());
  if (!kept.empty()) type = TensorType::get(builder_.getContext(), kept, type);
  return make<graph::ReduceOp>(line, type, "sum", terms, axes);
}

/// A factor of a sum as one of its terms.
Value SumWriter::repeated(Value factor, graph::ReduceOp over) {
  Value terms = over.getOperand();
  if (!isa<TensorType>(factor.getType())) return make<graph::FullOp>(unnamed(factor.getLoc()), terms.getType(), factor);
  SmallVector<int64_t> kept;
  for (size_t axis = 0; axis < shapeOf(terms.getType()).size(); ++axis)
    if (!llvm::is_contained(over.getAxes(), static_cast<int64_t>(axis))) kept.push_back(static_cast<int64_t>(axis));
  return make<graph::BroadcastOp>(unnamed(factor.getLoc()), terms.getType(), factor, kept);
}

/// Sums of the same shape over the same axes are one.
SumWriter::Sums SumWriter::joined(Sums sums, const Sums &more) {
  for (graph::ReduceOp reduce : more) {
    auto same = llvm::find_if(sums, [&](graph::ReduceOp other) {
      return other.getOperand().getType() == graph::ReduceOp(reduce).getOperand().getType() && other.getAxes() == graph::ReduceOp(reduce).getAxes();
    });
    if (same == sums.end()) {
      sums.push_back(reduce);
      continue;
    }
    Value terms = make<graph::ElementwiseOp>(unnamed(reduce.getLoc()), reduce.getOperand().getType(), "add", ValueRange{same->getOperand(), reduce.getOperand()});
    *same = sum(terms, reduce.getAxes(), reduce.getLoc());
  }
  return sums;
}

std::optional<SumWriter::Sums> SumWriter::sumsOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || op->getBlock() != loop_.getBody() || elementTypeOf(value.getType()).getIntOrFloatBitWidth() < 32) return std::nullopt;
  auto before = parts;
  std::optional<Sums> sums = written(op);
  if (!sums) parts = std::move(before);
  return sums;
}

std::optional<SumWriter::Sums> SumWriter::written(Operation *op) {
  Value value = op->getResult(0);
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    if (reduce.getMnemonic() != "sum" || elementTypeOf(reduce.getType()) != elementTypeOf(reduce.getOperand().getType())) return std::nullopt;
    parts.insert(op);
    return Sums{reduce};
  }
  if (isa<graph::ReshapeOp, graph::BroadcastOp, graph::FullOp>(op)) {  // axes of one element come and go
    if (longShape(value.getType()) != longShape(op->getOperand(0).getType())) return std::nullopt;
    std::optional<Sums> sums = sumsOf(op->getOperand(0));
    return sums ? withShape(std::move(*sums), shapeOf(value.getType())) : std::nullopt;
  }
  auto made = dyn_cast<graph::ElementwiseOp>(op);
  if (!made) return std::nullopt;
  StringRef how = made.getMnemonic();
  auto each = [&](const Sums &sums, llvm::function_ref<Value(graph::ReduceOp)> terms) {
    return Sums(llvm::map_range(sums, [&](graph::ReduceOp reduce) { return sum(terms(reduce), reduce.getAxes(), op->getLoc()); }));
  };
  auto negated = [&](graph::ReduceOp reduce) -> Value {
    return make<graph::ElementwiseOp>(unnamed(op->getLoc()), reduce.getOperand().getType(), "neg", reduce.getOperand());
  };
  if (how == "neg") {
    std::optional<Sums> sums = sumsOf(op->getOperand(0));
    return sums ? std::optional(each(*sums, negated)) : std::nullopt;
  }
  if (how == "add" || how == "sub") {
    std::optional<Sums> a = sumsOf(op->getOperand(0)), b = a ? sumsOf(op->getOperand(1)) : std::nullopt;
    if (!b) return std::nullopt;
    return joined(std::move(*a), how == "sub" ? each(*b, negated) : *b);
  }
  if (how != "mul") return std::nullopt;
  for (unsigned i : {0, 1}) {
    std::optional<Sums> sums = sumsOf(op->getOperand(i));
    Value factor = op->getOperand(1 - i);
    if (sums)
      return each(*sums, [&](graph::ReduceOp reduce) -> Value {
        return make<graph::ElementwiseOp>(unnamed(op->getLoc()), reduce.getOperand().getType(), "mul", ValueRange{repeated(factor, reduce), reduce.getOperand()});
      });
  }
  return std::nullopt;
}

std::optional<SumWriter::Sums> SumWriter::withShape(Sums sums, ArrayRef<DimAttr> shape) {
  for (graph::ReduceOp &reduce : sums) {
    if (shapeOf(reduce.getType()) == shape) continue;
    ArrayRef<DimAttr> before = shapeOf(reduce.getOperand().getType());
    SmallVector<DimAttr> extents;
    SmallVector<int64_t> axes;
    size_t next = 0;
    auto isAdded = [&](size_t axis) { return llvm::is_contained(reduce.getAxes(), static_cast<int64_t>(axis)); };
    auto takeAdded = [&] {
      for (; next < before.size() && (isAdded(next) || isUnit(before[next])); ++next) {
        if (!isAdded(next)) continue;
        axes.push_back(static_cast<int64_t>(extents.size()));
        extents.push_back(before[next]);
      }
    };
    for (DimAttr extent : shape) {
      if (!isUnit(extent)) takeAdded();
      if (!isUnit(extent) && (next == before.size() || before[next++] != extent)) return std::nullopt;
      extents.push_back(extent);
    }
    takeAdded();
    if (next != before.size()) return std::nullopt;
    Type type = TensorType::get(builder_.getContext(), extents, elementTypeOf(reduce.getType()));
    Value terms = make<graph::ReshapeOp>(unnamed(reduce.getLoc()), type, reduce.getOperand());
    reduce = sum(terms, axes, reduce.getLoc());
  }
  return sums;
}

void eraseScratch(ArrayRef<Operation *> made) {
  for (Operation *op : llvm::reverse(made)) op->erase();
}

Terms termsOf(const Recurrence &plan, const Recurrence::Sum &sum) {
  Terms terms;
  Value operand = sum.operand();
  llvm::ArrayRef<int64_t> points = plan.axes.find(operand)->second;
  ArrayRef<DimAttr> shape = shapeOf(operand.getType());
  int64_t next = 0;  // of the operand's axes
  auto isAdded = [&](int64_t axis) { return llvm::is_contained(sum.axes(), axis); };
  auto takeAdded = [&] {
    for (; next < static_cast<int64_t>(shape.size()) && isAdded(next); ++next) {
      if (points[next] == Recurrence::kWhole || isUnit(shape[next])) continue;  // added up at the point
      terms.added.push_back(static_cast<int64_t>(terms.shape.size()));
      terms.from.push_back(next);
      terms.shape.push_back(shape[next]);
    }
  };
  auto take = [&] {
    takeAdded();
    terms.from.push_back(next);
    terms.shape.push_back(shape[next++]);
  };
  if (sum.update < 0) {
    for (size_t kept = shapeOf(graph::ReduceOp(sum.reduce).getType()).size(); kept > 0; --kept) take();
  } else {
    const Update &update = plan.updates[sum.update].update;
    for (auto [axis, extent] : llvm::enumerate(shapeOf(update.old.getType()))) {
      if (!update.starts[axis]) {
        take();
        continue;
      }
      terms.from.push_back(-1);
      terms.shape.push_back(extent);
    }
  }
  takeAdded();
  return terms;
}

namespace {

/// What a turn adds up, of all turns.
class Total {
public:
  /// `terms`: for each of the plan's sums what it is of all turns.
  Total(OpBuilder &builder, const Recurrence &plan, ArrayRef<Value> terms) : builder_(builder), plan_(plan), terms_(terms) {}

  /// `like`: with the shape of the loop's result.
  Value of(Value value, Type like) {
    Value all;
    for (auto [sum, one] : llvm::zip(plan_.sums, terms_))
      if (sum.of == value) all = all ? builder_.create<graph::ElementwiseOp>(value.getLoc(), one.getType(), "add", ValueRange{all, one}).getResult() : one;
    if (all) return all;
    Operation *op = value.getDefiningOp();
    Type type = withElementType(like, elementTypeOf(value.getType()));
    if (isa<graph::CastOp>(op)) return castHere(builder_, of(op->getOperand(0), like), type, op->getLoc());
    auto concat = cast<graph::ConcatOp>(op);
    SmallVector<Value> parts;
    for (Value part : concat.getOperands()) parts.push_back(of(part, part.getType()));
    return builder_.create<graph::ConcatOp>(op->getLoc(), type, concat.getAxis(), parts);
  }

private:
  OpBuilder &builder_;
  const Recurrence &plan_;
  ArrayRef<Value> terms_;
};

}  // namespace

/// What the kernel writes: results of the loop, and, numbered behind those, the terms of its sums.
FunctionScheduler::ByResult FunctionScheduler::memoryWithTerms(const Recurrence &plan, const ByResult &results) {
  ByResult written;
  scf::ForOp loop = plan.loop;
  auto isSummed = [&](unsigned number) { return llvm::any_of(plan.sums, [&](const Recurrence::Sum &sum) { return sum.number == number; }); };
  for (auto [number, held] : results)
    if (!isSummed(number)) written.emplace_back(number, held);
  for (auto [i, sum] : llvm::enumerate(plan.sums)) {
    StringRef hint = nameHint(loop.getRegionIterArgs()[sum.number]);
    Type type = ViewType::get(builder_.getContext(), termsOf(plan, sum).shape, elementTypeOf(sum.operand().getType()));
    Value held = launchOp<schedule::TempOp>(named(hint.empty() ? "terms" : (hint + "_terms").str(), unnamed(loop->getLoc())), type);
    written.emplace_back(loop.getNumResults() + i, held);
  }
  return written;
}

/// Adds up the terms of all sums into the results that they make.
LogicalResult FunctionScheduler::addUpTerms(const Recurrence &plan, const ByResult &results, const ByResult &written) {
  scf::ForOp loop = plan.loop;
  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  SmallVector<Value> totals;
  for (auto [i, sum] : llvm::enumerate(plan.sums)) {
    auto isIt = [&, number = loop.getNumResults() + i](const auto &one) { return one.first == number; };
    Terms lie = termsOf(plan, sum);
    Type element = elementTypeOf(sum.operand().getType());
    Location line = unnamed(sum.line());
    Value zero = builder.create<graph::ConstantOp>(line, element, cast<TypedAttr>(builder.getZeroAttr(element))), held = llvm::find_if(written, isIt)->second;
    Value stands = builder.create<graph::FullOp>(named(nameHint(held), line), TensorType::get(builder.getContext(), lie.shape, element), zero);  // for what the kernel wrote
    leaves_[stands] = held;
    Type type = withElementType(sum.update < 0 ? sum.of.getType() : loop.getResult(sum.number).getType(), element);
    totals.push_back(lie.added.empty() ? stands : builder.create<graph::ReduceOp>(sum.line(), type, "sum", stands, lie.added).getResult());
  }
  for (const Recurrence::Carried &one : plan.carried) {
    auto isIt = [&](const auto &held) { return held.first == one.number; };
    auto found = llvm::find_if(results, isIt);
    if (!one.isSummed || found == results.end()) continue;
    Value result = loop.getResult(one.number), argument = loop.getRegionIterArgs()[one.number], yielded = loop.getYieldedValues()[one.number];
    Value all;
    Total total(builder, plan, totals);
    if (one.inPlace) {
      auto part = llvm::find_if(plan.updates, [&](const Recurrence::Part &part) { return part.number == one.number; });
      all = total.of(sourceOf(part->update.value), result.getType());
    } else {
      auto add = yielded.getDefiningOp<graph::ElementwiseOp>();  // or a difference
      all = total.of(add->getOperand(add->getOperand(0) == argument ? 1 : 0), result.getType());
      Value init = loop.getInitArgs()[one.number];
      if (add.getMnemonic() != "add" || !isZeros(init)) all = builder.create<graph::ElementwiseOp>(add->getLoc(), result.getType(), add.getMnemonic(), ValueRange{init, all});
    }
    if (failed(makeRoot(all, found->second))) return failure();
  }
  return success();
}

}  // namespace tessera::transforms
