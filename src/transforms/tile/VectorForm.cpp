// Building the form over vectors, from what is stored back to what it needs.
#include "transforms/tile/VectorForm.h"
#include "transforms/tile/EraseUnused.h"
#include "ir/common/Names.h"
#include "ir/schedule/OneElement.h"
#include "ir/tile/HeldRows.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "support/Check.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

bool VectorForm::run() {
  if (!understands(kernel_.getBody().front())) return false;
  if (findLanes()) {
    if (turned_.empty()) vectoriseLanes();
    else vectoriseTurned();
    return true;
  }
  guard_ = {};
  counters_.clear();
  classes_.clear();
  depends_.clear();
  moves_.clear();
  if (!findRows()) return false;
  vectoriseRows();
  return true;
}

// ---------------------------------------------------------------- small builders

Value VectorForm::query(StringRef what, Location loc) {
  return builder_.create<tile::QueryOp>(loc, builder_.getIndexType(), what, 0);
}
Value VectorForm::number(int64_t value, Location loc) {
  TypedAttr attribute = builder_.getIndexAttr(value);
  return builder_.create<tile::ConstantOp>(loc, attribute.getType(), attribute);
}
Value VectorForm::dim(const Dim &dim, Location loc) {
  if (dim.isConstant()) return number(dim.constant(), loc);
  return builder_.create<tile::DimOp>(loc, builder_.getIndexType(), dim.str());
}
Value VectorForm::arithmetic(StringRef mnemonic, Value a, Value b, Location loc) {
  bool isTruth = mnemonic == "lt" || mnemonic == "gt" || mnemonic == "le" || mnemonic == "and";
  Type type = isTruth ? builder_.getI1Type() : Type(builder_.getIndexType());
  return builder_.create<tile::ElementwiseOp>(loc, type, mnemonic, ValueRange{a, b});
}
std::string VectorForm::nameOf(Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  return argument ? kernel_.param(argument.getArgNumber()).getName().str() : nameHint(base).str();
}
Value VectorForm::newVector(Type element, StringRef name, Location loc) {
  auto type = tile::LaneVectorType::get(builder_.getContext(), element);
  return builder_.create<tile::NewVectorOp>(named((name + "_vector").str(), unnamed(loc)), type);
}

// ---------------------------------------------------------------- values

bool VectorForm::dependsOnCounter(Value value) {
  if (counters_.contains(value)) return true;
  if (auto found = depends_.find(value); found != depends_.end()) return found->second;
  Operation *op = value.getDefiningOp();
  bool depends = op && llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnCounter(operand); });
  return depends_[value] = depends;
}

/// Runs `build` in front of the loop over elements, if one is being built.
template <class Build> auto VectorForm::before(Build build) {
  OpBuilder::InsertionGuard guard(builder_);
  Operation *loop = loop_;
  Value index = index_;
  if (loop) builder_.setInsertionPoint(loop);
  loop_ = nullptr;
  auto result = build();
  loop_ = loop;
  index_ = index;
  return result;
}

Operation *VectorForm::cloneWith(Operation *op, function_ref<Value(Value)> map) {
  IRMapping mapping;
  auto take = [&](Value operand) {
    if (!mapping.contains(operand)) mapping.map(operand, map(operand));
  };
  for (Value operand : op->getOperands()) take(operand);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp())) take(operand);
    });
  return builder_.clone(*op, mapping);
}

/// A value that is the same for all elements, or that of the first.
Value VectorForm::base(Value value) {
  for (const Dim &extent : Class(classOf(value)).divide)
    if (!llvm::is_contained(needs_, extent)) needs_.push_back(extent);
  if (counters_.contains(value)) return counterBase_;
  for (auto &scope : llvm::reverse(bases_))
    if (auto found = scope.find(value); found != scope.end()) return found->second;
  Operation *op = value.getDefiningOp();
  if (!op || (op->getBlock() == &kernel_.getBody().front() && !dependsOnCounter(value))) return value;
  return before([&] {
    Operation *made = cloneWith(op, [&](Value operand) { return base(operand); });
    for (auto [from, to] : llvm::zip(op->getResults(), made->getResults())) bases_.back()[from] = to;
    return bases_.back()[value];
  });
}

/// The neighbouring elements that a load of one stands for.
Value VectorForm::vectorOf(tile::LoadElementOp load) {
  for (auto &scope : llvm::reverse(bases_))
    if (auto found = scope.find(load.getResult()); found != scope.end()) return found->second;
  return before([&]() -> Value {
    const Move &move = moves_.find(load)->second;
    auto type = tile::LaneVectorType::get(builder_.getContext(), elementTypeOf(load.getType()));
    Location loc = named(nameOf(load.getBase()) + "_vector", unnamed(load.getLoc()));
    Value vector;
    if (Value row = held_.lookup(load)) {
      vector = builder_.create<tile::RowVectorOp>(loc, type, row, turn_);
    } else {
      Values indices;
      if (move.flat) indices.push_back(counterBase_);
      else
        for (Value index : load.getIndices()) indices.push_back(base(index));
      auto loaded = builder_.create<tile::LoadVectorOp>(loc, type, load.getBase(), indices, move.flat);
      if (mayHaveEdges_) loaded->setAttr(tile::kEdges, builder_.getUnitAttr());
      vector = loaded;
    }
    return bases_.back()[load.getResult()] = vector;
  });
}

/// The value for the element of the loop that is being built.
Value VectorForm::at(Value value) {
  auto &known = values_.back();
  if (auto found = known.find(value); found != known.end()) return found->second;
  Operation *op = value.getDefiningOp();
  Location loc = value.getLoc();
  Class part = classOf(value);
  if (part.kind == Kind::Same) return base(value);
  if (part.kind == Kind::Step) {
    Value first = base(value);
    return values_.back()[value] = arithmetic("add", first, index_, unnamed(loc));
  }
  if (auto loop = dyn_cast_if_present<scf::ForOp>(op); loop && !vectors_.count(value) && spreads(loop))
    before([&] { return spread(loop), true; });
  if (auto branch = dyn_cast_if_present<scf::IfOp>(op); branch && !vectors_.count(value) && spreads(branch))
    before([&] { return spread(branch), true; });
  if (auto found = inTile_.find(op); found != inTile_.end()) {
    const InTile &place = found->second;
    Value row = arithmetic("add", place.row, index_, unnamed(loc));
    return values_.back()[value] =
               builder_.create<tile::LoadElementOp>(unnamed(loc), elementTypeOf(value.getType()), place.buffer, ValueRange{row, place.col},
                                                    Value(), builder_.getDenseBoolArrayAttr({true, true}));
  }
  Value vector = vectors_.lookup(value);
  if (auto load = dyn_cast_if_present<tile::LoadElementOp>(op); load && moves_.count(op)) vector = vectorOf(load);
  if (vector) {
    Type element = cast<tile::LaneVectorType>(vector.getType()).getElementType();
    auto inBounds = builder_.getDenseBoolArrayAttr({true});
    return values_.back()[value] =
               builder_.create<tile::LoadElementOp>(unnamed(loc), element, vector, ValueRange{index_}, Value(), inBounds);
  }
  TSR_CHECK(op, "an element of a vector that nothing computes");
  if (kept_.count(op)) return values_.back()[value] = kept(op);
  Operation *made = cloneWith(op, [&](Value operand) { return at(operand); });
  for (auto [from, to] : llvm::zip(op->getResults(), made->getResults())) values_.back()[from] = to;
  return values_.back()[value];
}

// ---------------------------------------------------------------- loops

VectorForm::Values VectorForm::overElements(ValueRange inits, Location loc, function_ref<Values(ValueRange)> body) {
  loc = unnamed(loc);
  OpBuilder::InsertionGuard guard(builder_);
  Value first = number(0, loc), end = dim(Dim::var("T.vector"), loc), step = number(1, loc);
  auto loop = builder_.create<scf::ForOp>(loc, first, end, step, inits);
  loop->setAttr(tile::kUnrolled, builder_.getUnitAttr());
  loop.getInductionVar().setLoc(named("v", loc));
  for (auto [init, argument] : llvm::zip(inits, loop.getRegionIterArgs())) argument.setLoc(init.getLoc());
  Block *block = loop.getBody();
  if (!block->empty()) block->back().erase();
  Operation *outer = loop_;
  Value outerIndex = index_;
  loop_ = loop;
  index_ = loop.getInductionVar();
  values_.emplace_back();
  builder_.setInsertionPointToEnd(block);
  Values results = body(loop.getRegionIterArgs());
  builder_.setInsertionPointToEnd(block);
  builder_.create<scf::YieldOp>(loc, results);
  values_.pop_back();
  loop_ = outer;
  index_ = outerIndex;
  return Values(loop.getResults());
}

/// A loop that every element of the vector runs alike, over loads of neighbouring elements: it is run once, and what it
/// carries are vectors.
bool VectorForm::spreads(scf::ForOp loop) {
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (classOf(bound).kind != Kind::Same) return false;
  return llvm::any_of(moves_, [&](auto &entry) { return loop->isProperAncestor(entry.first); });
}

/// Writes the values of all elements into vectors.
void VectorForm::fill(ValueRange from, ValueRange vectors, Location loc) {
  overElements({}, loc, [&](ValueRange) -> Values {
    Values values;
    for (Value value : from) values.push_back(at(value));
    for (auto [value, vector] : llvm::zip(values, vectors))
      builder_.create<tile::StoreElementOp>(loc, value, vector, ValueRange{index_}, builder_.getDenseBoolArrayAttr({true}));
    return {};
  });
}

void VectorForm::spread(scf::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  Values carried;
  for (Value argument : loop.getRegionIterArgs())
    carried.push_back(newVector(argument.getType(), nameHint(argument).empty() ? "sum" : nameHint(argument), loc));
  fill(loop.getInitArgs(), carried, loc);
  auto made = builder_.create<scf::ForOp>(loc, base(loop.getLowerBound()), base(loop.getUpperBound()),
                                          base(loop.getStep()));
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  if (Attribute count = loop->getAttr(tile::kUnrolled)) made->setAttr(tile::kUnrolled, count);
  for (auto [argument, vector] : llvm::zip(loop.getRegionIterArgs(), carried)) vectors_[argument] = vector;
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(made.getBody()->getTerminator());
    bases_.emplace_back();
    bases_.back()[loop.getInductionVar()] = made.getInductionVar();
    fill(loop.getYieldedValues(), carried, loc);
    bases_.pop_back();
  }
  for (auto [result, vector] : llvm::zip(loop.getResults(), carried)) vectors_[result] = vector;
}

/// A choice that is the same for all elements of a vector, as that between the parts of a concatenation whose extents the vector
/// divides: it is made once, for vectors.
bool VectorForm::spreads(scf::IfOp branch) {
  if (branch.getNumResults() == 0 || classOf(branch.getCondition()).kind != Kind::Same) return false;
  scf::IfOp outermost = branch;
  for (auto around = dyn_cast<scf::IfOp>(branch->getParentOp()); around && around.getNumResults() > 0; around = dyn_cast<scf::IfOp>(around->getParentOp()))
    outermost = around;
  size_t choices = 0;
  WalkResult walk = outermost->walk<WalkOrder::PreOrder>([&](scf::IfOp) { return ++choices > kMostChoices ? WalkResult::interrupt() : WalkResult::advance(); });
  return !walk.wasInterrupted();
}

/// A condition that is the same for all elements of a vector, and under which nothing happens but that they are stored.
bool VectorForm::storesAlone(scf::IfOp branch) {
  if (branch->getParentOp() != guard_ || branch.getNumResults() > 0 || !branch.getElseRegion().empty() || classOf(branch.getCondition()).kind != Kind::Same) return false;
  return llvm::all_of(branch.thenBlock()->without_terminator(), [](Operation &op) {
    return isa<tile::StoreElementOp, tile::ConstantOp, tile::DimOp>(op) || (isa<tile::ElementwiseOp>(op) && op.getResult(0).getType().isIndex());
  });
}

/// Vectors that both sides take, and that come before the choice.
void VectorForm::spreadForBoth(scf::IfOp branch) {
  llvm::SetVector<Value> taken[2];
  for (auto [side, region] : llvm::enumerate(branch->getRegions()))
    region.walk([&, side = side](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *made = operand.getDefiningOp(); made && !branch->isProperAncestor(made)) taken[side].insert(operand);
    });
  for (Value value : taken[0]) {
    if (!taken[1].contains(value) || vectors_.count(value)) continue;
    if (auto load = value.getDefiningOp<tile::LoadElementOp>(); load && moves_.count(load)) vectorOf(load);
    if (auto choice = value.getDefiningOp<scf::IfOp>(); choice && spreads(choice)) spread(choice);
    if (auto loop = value.getDefiningOp<scf::ForOp>(); loop && spreads(loop)) spread(loop);
  }
}

void VectorForm::spread(scf::IfOp branch) {
  Location loc = unnamed(branch.getLoc());
  spreadForBoth(branch);
  Values chosen;
  for (Value result : branch.getResults())
    chosen.push_back(newVector(result.getType(), nameHint(result).empty() ? "chosen" : nameHint(result), loc));
  auto made = builder_.create<scf::IfOp>(loc, base(branch.getCondition()), /*withElseRegion=*/true);
  for (auto [from, to] : {std::pair(branch.thenYield(), made.thenBlock()), std::pair(branch.elseYield(), made.elseBlock())}) {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(to->getTerminator());
    bases_.emplace_back();
    fill(from.getOperands(), chosen, loc);
    bases_.pop_back();
  }
  for (auto [result, vector] : llvm::zip(branch.getResults(), chosen)) vectors_[result] = vector;
}

/// What is stored; before a cast from f32 to 16 bits, which the store of a vector does itself, for two elements at once.
static Value beforeRounding(tile::StoreElementOp store) {
  Value value = store.getValue();
  auto cast = value.getDefiningOp<tile::CastOp>();
  bool isNarrow = value.getType().isBF16() || value.getType().isF16();
  return cast && isNarrow && !cast.getRounding() && !cast.getSaturate() && cast.getValue().getType().isF32() ? cast.getValue() : value;
}

/// What a block stores and yields, for all elements of the vector. `arguments`: what the old loop carried.
VectorForm::Values VectorForm::computeAll(Block &from, ValueRange inits, ValueRange arguments, ValueRange yields,
                                          Location loc) {
  SmallVector<tile::StoreElementOp> stores(from.getOps<tile::StoreElementOp>());
  for (auto branch : from.getOps<scf::IfOp>())  // where a vector is there or not, as a whole
    if (storesAlone(branch)) stores.append(llvm::to_vector(branch.thenBlock()->getOps<tile::StoreElementOp>()));
  Values vectors(stores.size());
  SmallVector<tile::AddColumnOp> sums(from.getOps<tile::AddColumnOp>());
  bool computes = !yields.empty() || !sums.empty();
  for (auto [store, vector] : llvm::zip(stores, vectors)) {
    auto load = store.getValue().getDefiningOp<tile::LoadElementOp>();
    if (load && moves_.count(load) && !inTile_.count(load)) vector = vectorOf(load);  // a copy
    else vector = newVector(beforeRounding(store).getType(), nameOf(store.getBase()), store.getLoc()), computes = true;
  }
  Values results;
  if (computes)
    results = overElements(inits, loc, [&](ValueRange carried) {
      for (auto [argument, value] : llvm::zip(arguments, carried)) values_.back()[argument] = value;
      auto compute = [&]() -> Values {
        for (auto [store, vector] : llvm::zip(stores, vectors))
          if (vector.getDefiningOp<tile::NewVectorOp>()) {
            Value value = at(beforeRounding(store));
            builder_.create<tile::StoreElementOp>(store.getLoc(), value, vector, ValueRange{index_},
                                                  builder_.getDenseBoolArrayAttr({true}));
          }
        for (tile::AddColumnOp sum : sums) {
          Value value = at(sum.getValue());
          builder_.create<tile::AddColumnOp>(sum.getLoc(), value, sum.getBase(), ValueRange{turn_, index_});
        }
        Values next;
        for (Value value : yields) next.push_back(at(value));
        return next;
      };
      return mayHaveEdges_ && !yields.empty() ? whereInside(carried, loc, compute) : compute();
    });
  for (auto [store, vector] : llvm::zip(stores, vectors)) {
    const Move &move = moves_.find(store)->second;
    OpBuilder::InsertionGuard guard(builder_);
    bases_.emplace_back();
    if (auto branch = dyn_cast<scf::IfOp>(store->getParentOp()); branch && branch != guard_)
      builder_.setInsertionPoint(builder_.create<scf::IfOp>(loc, base(branch.getCondition()), /*withElse=*/false).thenYield());
    Values indices;
    if (move.flat) indices.push_back(counterBase_);
    else
      for (Value index : store.getIndices()) indices.push_back(base(index));
    auto stored = builder_.create<tile::StoreVectorOp>(store.getLoc(), vector, store.getBase(), indices, move.flat);
    if (mayHaveEdges_) stored->setAttr(tile::kEdges, builder_.getUnitAttr());
    bases_.pop_back();
  }
  return results;
}

// ---------------------------------------------------------------- lanes of one element each

/// `if (linear_id < n) { ... }`, and what it stores is a vector of neighbours.
bool VectorForm::findLanes() {
  if (kernel_.getGrid().getKind() != GridKind::Lanes || hasOneElementALane(kernel_)) return false;
  Block &top = kernel_.getBody().front();
  for (Operation &op : top) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (guard_ || branch.getNumResults() || !branch.getElseRegion().empty()) return false;
      guard_ = branch;
    } else if (isa<tile::StoreElementOp, scf::ForOp, scf::WhileOp>(op) ||
               (guard_ && !isa<tile::KernelEndOp>(op) && !isPure(&op))) {
      return false;
    }
  }
  if (!guard_) return false;
  bool good = true;
  top.walk([&](tile::QueryOp op) {
    if (op.getQuery() == "linear_id") counters_.insert(op.getResult());
    else good &= !op.isVarying() && op.getQuery() != "group_id" && op.getQuery() != "origin";
  });
  auto test = guard_.getCondition().getDefiningOp<tile::ElementwiseOp>();
  good &= test && test.getMnemonic() == "lt" && counters_.contains(test.getArgs()[0]) &&
          dimOf(test.getArgs()[1]) == std::optional(kernel_.getGrid().getDims()[0].getDim());
  if (!good || !ordered(kernel_.getBody())) return false;
  if (findTurned()) return true;
  forgetTurned();
  branchOverMasks(guard_.getThenRegion());
  findMoves(guard_.getThenRegion());
  bool stores = false;
  guard_.getThenRegion().walk([&](tile::StoreElementOp op) {
    stores = true;
    good &= moves_.count(op) > 0;
  });
  return good && stores && choose();
}

void VectorForm::vectoriseLanes() {
  Location loc = unnamed(guard_.getLoc());
  builder_.setInsertionPoint(guard_);
  Value vector = dim(Dim::var("T.vector"), loc);
  Location counter = (*counters_.begin()).getLoc();
  for (Value value : counters_)
    if (!nameHint(value).empty()) counter = value.getLoc();
  counterBase_ = arithmetic("mul", query("linear_id", loc), vector, counter);
  Dim count = kernel_.getGrid().getDims()[0].getDim();
  auto branch = builder_.create<scf::IfOp>(guard_.getLoc(), arithmetic("lt", counterBase_, dim(count, loc), loc), false);
  builder_.setInsertionPoint(branch.thenYield());
  computeAll(*guard_.thenBlock(), {}, {}, {}, loc);
  guard_.erase();
  eraseUnused(kernel_);
  auto lanes = DimAttr::get(builder_.getContext(), Dim::ceilDiv(count, Dim::var("T.vector")));
  kernel_.setGridAttr(GridAttr::get(builder_.getContext(), GridKind::Lanes, lanes, -1));
  settle();
  setVariants({variant({{"vector", elements_}}, true), variant({{"vector", 1}}, false)},
              "map: a lane loads, computes and stores Vector neighbouring elements at once");
}

// ---------------------------------------------------------------- variants

/// A product in which the other, a product too, is a factor.
static bool isMultiple(const Dim &dim, const Dim &factor) {
  if (dim.terms().size() != 1 || factor.terms().size() != 1 || factor.isConstant()) return false;
  const Dim::Term whole = dim.terms().front(), part = factor.terms().front();
  if (whole.coefficient % part.coefficient != 0) return false;
  return llvm::all_of(part.atoms, [&](const auto &wanted) {
    return llvm::any_of(whole.atoms, [&](const auto &atom) {
      return atom.second >= wanted.second && atom.first.str() == wanted.first.str();
    });
  });
}

Attribute VectorForm::variant(const Sizes &sizes, bool vectors, std::optional<int64_t> most, bool edges) {
  NamedAttrList entries;
  for (const auto &[name, value] : sizes) entries.set(name, builder_.getI64IntegerAttr(value));
  SmallVector<Attribute> when;
  auto ask = [&](const Dim &left, Relation relation, int64_t right) {
    if (facts_.proves(shape::Formula(left, relation == Relation::Eq ? shape::Relation::Eq : shape::Relation::Le, Dim(right))))
      return;
    MLIRContext *context = builder_.getContext();
    Attribute asked = RequirementAttr::get(context, DimAttr::get(context, left), relation, DimAttr::get(context, Dim(right)), "");
    if (!llvm::is_contained(when, asked)) when.push_back(asked);
  };
  if (vectors) {
    llvm::SetVector<int64_t> params;
    SmallVector<Dim> extents(needs_);
    for (auto &[op, move] : moves_) llvm::append_range(extents, move.divide);
    if (edges) {  // the array as a whole is whole vectors
      extents = {Dim(1)};
      for (DimAttr extent : shapeOf(edgeBase_.getType())) extents[0] = extents[0] * extent.getDim();
    }
    for (const Dim &extent : extents)
      if (llvm::none_of(extents, [&](const Dim &other) { return !(extent == other) && isMultiple(extent, other); }))
        ask(Dim::mod(extent, Dim(elements_)), Relation::Eq, 0);
    for (auto &[op, move] : moves_) params.insert(cast<BlockArgument>(move.base).getArgNumber());
    entries.set("aligned", builder_.getDenseI64ArrayAttr(params.getArrayRef()));
  }
  if (most && rowExtent_) ask(*rowExtent_, Relation::Le, *most);
  if (!when.empty()) entries.set("when", builder_.getArrayAttr(when));
  return entries.getDictionary(builder_.getContext());
}

void VectorForm::setVariants(ArrayRef<Attribute> variants, const std::string &reason) {
  kernel_.setVariantsAttr(builder_.getArrayAttr(variants));
  // In the place of what was so before.
  SmallVector<Attribute> reasons;
  for (StringAttr known : kernel_.getReasons().getAsRange<StringAttr>())
    if (known.getValue() != "one lane an element" && !known.getValue().starts_with("a group streams over")) reasons.push_back(known);
  reasons.push_back(builder_.getStringAttr(reason));
  kernel_.setReasonsAttr(builder_.getArrayAttr(reasons));
}

}  // namespace tessera::transforms
