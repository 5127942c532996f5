// Which loops of a tensor function stay, and how the entry function counts them.
#include "transforms/schedule/Loops.h"
#include "ir/common/Names.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Updates.h"
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

class LoopKeeper {
public:
  explicit LoopKeeper(graph::FuncOp function) : function_(function), builder_(function.getContext()) {
    for (auto dim : function.getDims().getAsRange<StringAttr>()) sizes_.insert(dim.str());
    taken_ = sizes_;
    for (size_t i = 0; i < function.getParams().size(); ++i) taken_.insert(function.param(i).getName().str());
  }

  LogicalResult run() {
    SmallVector<Operation *> loops;
    function_.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && !isWrittenOut(loop)) loops.push_back(op);
      if (isa<scf::WhileOp>(op)) loops.push_back(op);
    });
    for (Operation *op : loops) {
      auto counted = dyn_cast<scf::ForOp>(op);
      if (failed(counted ? count(counted) : repeat(cast<scf::WhileOp>(op)))) return failure();
    }
    // What an integer becomes may be counted by a loop inside: that has its names by now.
    for (Operation *op : loops)
      if (failed(finish(op))) return failure();
    return success();
  }

private:
  struct Integer {
    std::string name;
    Value init, yielded;
    bool usedAfter;
  };

  bool isWrittenOut(scf::ForOp loop) {
    auto start = dimOf(loop.getLowerBound(), function_), stop = dimOf(loop.getUpperBound(), function_),
         step = dimOf(loop.getStep(), function_);
    bool updates = loop->walk([](graph::ElementwiseOp op) {
                         return op->hasAttr(kUpdate) ? WalkResult::interrupt() : WalkResult::advance();
                       }).wasInterrupted();
    int64_t most = updates ? kMostTurnsOfUpdates : kMostTurns;
    bool known = start && stop && step && start->isConstant() && stop->isConstant() && step->isConstant() && step->constant() > 0;
    if (!known) return false;
    const int64_t turns = std::max<int64_t>(stop->constant() - start->constant() + step->constant() - 1, 0) / step->constant();
    return turns <= most && turns * operationsOf(loop) <= (turns <= kFewTurns ? kMostOfFewTurns : kMostWrittenOut);
  }

  static int64_t operationsOf(scf::ForOp loop) {
    int64_t count = 0;
    loop->walk([&](Operation *) { ++count; });
    return count;
  }

  std::string fresh(StringRef hint, StringRef otherwise) {
    std::string base = hint.empty() ? otherwise.str() : hint.str(), name = base;
    for (int i = 1; !taken_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
    return name;
  }
  Attribute dimAttr(const Dim &dim) { return DimAttr::get(builder_.getContext(), dim); }
  Value read(OpBuilder &builder, const std::string &name, Location loc) {
    return builder.create<graph::DimOp>(named(name, unnamed(loc)), builder.getIndexType(), DimAttr::get(builder.getContext(), Dim::var(name)));
  }

  /// A sum of products of sizes and of numbers that are not negative.
  bool isNonNegative(const Dim &dim) {
    return llvm::all_of(dim.terms(), [&](const Dim::Term &term) {
      return term.coefficient >= 0 && llvm::all_of(term.atoms, [&](const auto &atom) { return isNonNegative(atom.first); });
    });
  }
  bool isNonNegative(const Atom &atom) {
    auto isPositive = [](const Dim &dim) { return dim.isConstant() && dim.constant() > 0; };
    switch (atom.kind) {
    case AtomKind::Var: return sizes_.count(atom.name) != 0;
    case AtomKind::FloorDiv: return isNonNegative(*atom.left) && isPositive(*atom.right);
    case AtomKind::Mod: return isPositive(*atom.right);
    case AtomKind::Min: return isNonNegative(*atom.left) && isNonNegative(*atom.right);
    case AtomKind::Max: return isNonNegative(*atom.left) || isNonNegative(*atom.right);
    }
    return false;
  }

  LogicalResult count(scf::ForOp loop) {
    auto start = dimOf(loop.getLowerBound(), function_), stop = dimOf(loop.getUpperBound(), function_),
         step = dimOf(loop.getStep(), function_);
    if (!step || !step->isConstant() || step->constant() <= 0)
      return loop.emitError("a loop of a tensor function with a step that only run time knows; multiply the counter instead");
    if (!start || !stop) return countByData(loop);
    Value counter = loop.getInductionVar();
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    StringRef hint = nameHint(counter);
    SmallVector<Attribute> words = {builder_.getStringAttr("for")};
    if (isNonNegative(*start)) {
      std::string name = fresh(hint, "turn");
      sizes_.insert(name);
      counter.replaceAllUsesWith(read(inside, name, loop.getLoc()));
      words.append({builder_.getStringAttr(name), dimAttr(*start), dimAttr(*stop), dimAttr(*step)});
    } else {  // turns are counted, so that kernels know that the number is not negative
      std::string name = fresh(hint.empty() ? "turn" : (hint + "_turn").str(), "turn");
      sizes_.insert(name);
      Location loc = unnamed(loop.getLoc());
      auto combine = [&](StringRef mnemonic, Value a, Value b, StringRef called) -> Value {
        return inside.create<graph::ElementwiseOp>(named(called, loc), inside.getIndexType(), mnemonic, ValueRange{a, b});
      };
      Value steps = combine("mul", read(inside, name, loop.getLoc()), loop.getStep(), "");
      counter.replaceAllUsesWith(combine("add", loop.getLowerBound(), steps, hint));
      Dim turns = Dim::floorDiv(*stop - *start + *step - Dim(1), *step);
      words.append({builder_.getStringAttr(name), dimAttr(Dim(0)), dimAttr(turns), dimAttr(Dim(1))});
    }
    words_[loop] = words;
    carryIntegers(loop);
    return success();
  }

  /// Bounds that the device computes: the entry function reads how many turns there are, and counts them. The counter is data.
  LogicalResult countByData(scf::ForOp loop) {
    OpBuilder before(loop), inside = OpBuilder::atBlockBegin(loop.getBody());
    Location loc = unnamed(loop.getLoc());
    auto combine = [&](OpBuilder &builder, StringRef mnemonic, Value a, Value b, StringRef called) -> Value {
      return builder.create<graph::ElementwiseOp>(named(called, loc), builder.getIndexType(), mnemonic, ValueRange{a, b});
    };
    Value counter = loop.getInductionVar(), first = loop.getLowerBound(), step = loop.getStep();
    Value one = before.create<graph::ConstantOp>(loc, before.getIndexType(), before.getIndexAttr(1));
    Value room = combine(before, "sub", loop.getUpperBound(), first, "");
    Value turns = combine(before, "floordiv", combine(before, "sub", combine(before, "add", room, step, ""), one, ""), step, "turns");
    const std::string hint = nameHint(counter).empty() ? "turn" : nameHint(counter).str();
    const std::string turn = fresh(hint + "_turn", "turn"), count = fresh(hint + "_turns", "turns");
    loop.setUpperBound(turns);
    sizes_.insert(turn);
    counter.replaceAllUsesWith(combine(inside, "add", first, combine(inside, "mul", read(inside, turn, loop.getLoc()), step, ""), hint));
    words_[loop] = {builder_.getStringAttr("for"), builder_.getStringAttr(turn), dimAttr(Dim(0)), dimAttr(Dim::var(count)), dimAttr(Dim(1))};
    loop->setAttr(kCountOfData, builder_.getUnitAttr());
    carryIntegers(loop);
    return success();
  }

  void carryIntegers(scf::ForOp loop) {
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (argument.getType().isIndex())
        carry(loop, {argument}, loop.getInitArgs()[i], loop.getYieldedValues()[i], loop.getResult(i));
  }

  LogicalResult repeat(scf::WhileOp loop) {
    auto passed = loop.getConditionOp().getArgs();
    for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
      if (i >= passed.size() || passed[i] != argument)
        return loop.emitError("a loop whose condition changes what the loop carries");
    SmallVector<Value> results(loop.getResults());
    for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
      if (argument.getType().isIndex())
        carry(loop, {argument, loop.getAfterArguments()[i]}, loop.getInits()[i], loop.getYieldOp().getOperand(i), results[i]);
    words_[loop] = {builder_.getStringAttr("while")};
    return success();
  }

  /// An integer that a loop carries is a variable of the entry function, in the loop and after it.
  void carry(Operation *loop, ArrayRef<Value> arguments, Value init, Value yielded, Value result) {
    std::string name = fresh(nameHint(arguments[0]), "count");
    sizes_.insert(name);  // as long as nothing says otherwise: `finish` asks each of them
    Operation *condition = nullptr;
    for (Value argument : arguments) {
      auto block = cast<BlockArgument>(argument).getOwner();
      OpBuilder inside = OpBuilder::atBlockBegin(block);
      Value now = read(inside, name, loop->getLoc());
      condition = dyn_cast<scf::ConditionOp>(block->getTerminator());
      argument.replaceUsesWithIf(now, [&](OpOperand &use) { return use.getOwner() != condition; });
    }
    bool usedAfter = !result.use_empty();
    OpBuilder after(loop->getContext());
    after.setInsertionPointAfter(loop);
    result.replaceAllUsesWith(read(after, name, loop->getLoc()));
    integers_[loop].push_back({name, init, yielded, usedAfter});
  }

  LogicalResult finish(Operation *loop) {
    SmallVector<Attribute> &words = words_[loop], list;
    // A loop is what its launches are: without them nobody would count.
    bool computes = llvm::any_of(loop->getResults(), [](Value result) { return !result.getType().isIndex() && !result.use_empty(); });
    if (!computes && llvm::any_of(integers_[loop], [](const Integer &integer) { return integer.usedAfter; }))
      return loop->emitError("a loop of a tensor function that computes integers alone; compute them in host code, or let the loop "
                             "carry a tensor or a number of floats, too");
    for (Integer &integer : integers_[loop]) {
      // The yielded value may have been replaced by what counts it.
      unsigned i = indexOf(loop, integer);
      Value yielded = isa<scf::ForOp>(loop) ? cast<scf::ForOp>(loop).getYieldedValues()[i]
                                            : cast<scf::WhileOp>(loop).getYieldOp().getOperand(i);
      Value init = isa<scf::ForOp>(loop) ? cast<scf::ForOp>(loop).getInitArgs()[i] : cast<scf::WhileOp>(loop).getInits()[i];
      auto start = dimOf(init, function_), next = dimOf(yielded, function_);
      if (!start || !next)
        return loop->emitError() << "a loop of a tensor function that carries the integer `" << integer.name
                                 << "`, which is not made of sizes and integers alone; the entry function counts it: let the loop "
                                    "carry an f32 or a tensor instead";
      if (!isNonNegative(*start) || !isNonNegative(*next))
        return loop->emitError() << "a loop of a tensor function that carries the integer `" << integer.name
                                 << "`, of which I cannot see that it is never negative; count up, and subtract where it is used";
      list.push_back(builder_.getArrayAttr({builder_.getStringAttr(integer.name), dimAttr(*start), dimAttr(*next)}));
    }
    if (auto repeated = dyn_cast<scf::WhileOp>(loop))
      if (Attribute asked = askedOf(repeated.getConditionOp().getCondition(), function_)) words.push_back(asked);
    words.push_back(builder_.getArrayAttr(list));
    loop->setAttr(kLoop, builder_.getArrayAttr(words));
    return success();
  }

  unsigned indexOf(Operation *loop, const Integer &integer) {
    auto inits = isa<scf::ForOp>(loop) ? OperandRange(cast<scf::ForOp>(loop).getInitArgs()) : OperandRange(cast<scf::WhileOp>(loop).getInits());
    unsigned place = 0;
    for (const Integer &other : integers_[loop]) {
      while (!inits[place].getType().isIndex()) ++place;
      if (&other == &integer) return place;
      ++place;
    }
    return place;
  }

  graph::FuncOp function_;
  Builder builder_;
  std::set<std::string> sizes_, taken_;  // dimensions, and what else has a name
  llvm::DenseMap<Operation *, SmallVector<Attribute>> words_;
  llvm::DenseMap<Operation *, SmallVector<Integer>> integers_;
};

}  // namespace

LogicalResult keepLoops(graph::FuncOp function) { return LoopKeeper(function).run(); }

}  // namespace tessera::transforms
