#include "transforms/target/Plan.h"
#include "ir/common/ContractAttr.h"
#include "ir/common/Names.h"
#include "ir/common/VectorAttr.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {
namespace {

bool isFragment(Value value) { return isa<tile::FragmentType>(value.getType()); }
/// Values of the compiler's own that cost nothing to write again.
bool isFree(Operation &op) {
  if (isa<tile::ConstantOp, tile::DimOp>(op)) return true;
  auto query = dyn_cast<tile::QueryOp>(op);
  return query && (query.getQuery() == "group_size" || query.getQuery() == "local_id") &&
         ir::nameHint(op.getResult(0)).empty();
}
bool onlyFeedsLoops(Value value) {
  return llvm::all_of(value.getUsers(),
                      [](Operation *user) { return isa<scf::ForOp, scf::WhileOp, scf::YieldOp>(user); });
}

}  // namespace

bool isElementwiseFragment(Operation *op) {
  return isa<tile::ElementwiseOp, tile::CastOp, tile::BroadcastOp, tile::FillOp, tile::IotaOp>(op) &&
         isFragment(op->getResult(0));
}

std::optional<Picked> pickedOf(tile::ReduceOp op) {
  auto type = cast<tile::FragmentType>(op.getValue().getType());
  auto made = [](Value value, StringRef what) {
    auto elementwise = value.getDefiningOp<tile::ElementwiseOp>();
    return elementwise && elementwise.getMnemonic() == what ? elementwise : tile::ElementwiseOp();
  };
  auto filled = [](Value value) -> Attribute {
    auto fill = value.getDefiningOp<tile::FillOp>();
    auto constant = fill ? fill.getValue().getDefiningOp<tile::ConstantOp>() : tile::ConstantOp();
    return constant ? constant.getValue() : Attribute();
  };
  tile::ElementwiseOp choice = made(op.getValue(), "select"), test = choice ? made(choice.getArgs()[0], "eq") : tile::ElementwiseOp();
  if (type.getRank() != 1 || op.getReduction() != "sum" || !test || !choice.getResult().hasOneUse() || !test.getArgs()[0].getDefiningOp<tile::IotaOp>()) return std::nullopt;
  auto place = dyn_cast_or_null<IntegerAttr>(filled(test.getArgs()[1]));
  Attribute other = filled(choice.getArgs()[2]);
  auto number = dyn_cast_or_null<FloatAttr>(other);
  auto integer = dyn_cast_or_null<IntegerAttr>(other);
  if (!place || !((number && number.getValue().isZero()) || (integer && integer.getValue().isZero()))) return std::nullopt;
  const Dim extent = type.getShape()[0].getDim();
  if (place.getInt() < 0 || !extent.isConstant() || place.getInt() >= extent.constant()) return std::nullopt;
  return Picked{choice.getArgs()[1], place.getInt()};
}

bool writesMemory(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) { return isa<MemoryEffects::Write>(effect.getEffect()); });
}

bool isWritten(Value memory) {
  return llvm::any_of(memory.getUsers(), [&](Operation *user) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return !effects || hasEffect<MemoryEffects::Write>(user, memory);
  });
}

Plan::Plan(Region &body) {
  decideInline(body.front());
  share(body.front());
}

Storage *Plan::storage(Value value) const { return storages_.lookup(value); }

Operation *Plan::statementOf(Operation *op) const {
  while (op->getNumResults() == 1 && isInline(op->getResult(0)) && op->hasOneUse()) op = *op->user_begin();
  return op;
}

// From the end to the beginning: whether a value is folded depends on what becomes of its users.
void Plan::decideInline(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    for (Region &region : op.getRegions())
      for (Block &nested : region) decideInline(nested);
    if (op.getNumResults() != 1 || op.getNumRegions() != 0) continue;
    Value result = op.getResult(0);
    if (isFragment(result) ? foldsFragment(op) : foldsScalar(op)) inline_.insert(result);
  }
}

// A fragment is folded where its elements can be computed in its user's loop.
bool Plan::foldsFragment(Operation &op) const {
  if (!isElementwiseFragment(&op)) return false;
  Value result = op.getResult(0);
  if (auto reduce = result.hasOneUse() ? dyn_cast<tile::ReduceOp>(*result.user_begin()) : tile::ReduceOp(); reduce && pickedOf(reduce)) return true;
  bool elementwiseUses = llvm::all_of(
      result.getUsers(), [](Operation *user) { return isElementwiseFragment(user) || isa<tile::AtomicOp, tile::LoadAtOp>(user); });
  if (!elementwiseUses) return false;
  if (isa<tile::BroadcastOp, tile::FillOp, tile::IotaOp>(op))
    return llvm::all_of(result.getUsers(),
                        [&](Operation *user) { return user->getBlock() == op.getBlock(); });
  if (!ir::nameHint(result).empty() || !result.hasOneUse()) return false;
  return (*result.user_begin())->getBlock() == op.getBlock();
}

bool Plan::foldsScalar(Operation &op) const {
  Value result = op.getResult(0);
  StringRef hint = ir::nameHint(result);
  auto element = dyn_cast<tile::LoadElementOp>(op);
  bool named = !hint.empty() && !(element && hint == ir::nameHint(element.getBase()));
  if (isa<tile::ConstantOp>(op) && isa<IndexType>(result.getType()))
    return true;  // a number or a size's name
  if (isFree(op)) return !named || onlyFeedsLoops(result);
  if (isa<tile::GroupReduceOp, tile::WarpOp, tile::AtomicOp, tile::ReduceOp, tile::GatherOp, tile::AllocSharedOp, tile::NewVectorOp, tile::LoadVectorOp,
          tile::HoldRowOp, tile::RowVectorOp, tile::NewRowOp, tile::NewExtremesOp>(op))
    return false;
  if (op.hasAttr(ir::kVector)) return false;  // it is read with its neighbours
  if (isa<tile::SelectBufferOp>(op)) return !named || result.hasOneUse();
  if (!result.hasOneUse()) return false;
  Operation *user = *result.user_begin();
  if (named && !(ir::isContracted(user) && user->getOperand(0) == result)) return false;
  if (isa<tile::WarpOp>(user)) return false;  // on the CPU it takes the values of all lanes out of an array
  bool sameBlock = user->getBlock() == op.getBlock();
  if (!isa<tile::LoadElementOp>(op)) {
    // Not into a loop that would compute it again and again.
    for (Operation *at = user; !sameBlock && at->getBlock() != op.getBlock(); at = at->getParentOp())
      if (isa<scf::ForOp, scf::WhileOp>(at->getParentOp()) || isElementwiseFragment(user)) return false;
    return true;
  }
  Operation *statement = sameBlock ? statementOf(user) : nullptr;
  if (!statement || statement->getBlock() != op.getBlock() || statement->getNumRegions() != 0) return false;
  for (Operation *at = op.getNextNode(); at != statement; at = at->getNextNode())
    if (writesMemory(at)) return false;
  return true;
}

// ---------------------------------------------------------------- sharing of variables

Storage *Plan::create(StringRef hint, Type type) {
  all_.push_back(Storage{hint.str(), type, {}, nullptr});
  return &all_.back();
}

void Plan::place(Value value, Storage *storage) {
  storages_[value] = storage;
  storage->members.push_back(value);
  inline_.erase(value);
  if (storage->hint.empty()) storage->hint = ir::nameHint(value).str();
}

// Uses after a statement, or inside of it where it is no if (an if looks at each branch by itself).
bool Plan::usedAfter(Value value, Operation *point) const {
  for (Operation *user : value.getUsers()) {
    Operation *at = point->getBlock()->findAncestorOpInBlock(*user);
    if (!at) continue;  // a branch that runs in place of this one, or text before it
    bool isOperand = at == user;  // of the statement that it is written in
    if (isOperand) at = point->getBlock()->findAncestorOpInBlock(*statementOf(user));
    if (!at) return true;
    if (at == point && (isOperand || isa<scf::IfOp>(point))) continue;
    if (!at->isBeforeInBlock(point)) return true;
  }
  return false;
}

// Used after a statement, in its block or in one around it.
bool Plan::neededBehind(Value value, Operation *statement, Block *outermost) const {
  for (Operation *at = statement;; at = at->getParentOp()) {
    if (usedAfter(value, at)) return true;
    if (at->getBlock() == outermost) return false;
  }
}

namespace {
/// What writes the value into its variable: for what a loop carries, the loop.
Operation *writerOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
}
/// The statements around two operations in the innermost block that holds both.
std::pair<Operation *, Operation *> sideBySide(Operation *one, Operation *other) {
  for (Operation *at = one; at->getBlock(); at = at->getParentOp())
    if (Operation *beside = at->getBlock()->findAncestorOpInBlock(*other)) return {at, beside};
  return {one, one};
}
}  // namespace

// The value is in its variable when control reaches the point, and is still needed after it.
bool Plan::holds(Value member, Operation *point) const {
  if (auto argument = dyn_cast<BlockArgument>(member)) {
    if (argument.getOwner()->findAncestorOpInBlock(*point)) return neededBehind(member, point, argument.getOwner());
    if (argument.getOwner()->getParentOp() == point) return true;
  }
  auto [here, there] = sideBySide(point, writerOf(member));
  return here != there && there->isBeforeInBlock(here) && neededBehind(member, point, here->getBlock());
}

// A member is written behind the point while the value that the variable has from there on is still needed.
bool Plan::overwritten(Storage *storage, Operation *point, Value value) const {
  return llvm::any_of(storage->members, [&](Value member) {
    auto [here, there] = sideBySide(point, writerOf(member));
    return here != there && here->isBeforeInBlock(there) && neededBehind(value, writerOf(member), here->getBlock());
  });
}

// The variable can take the value at the point, which does not put another of its results there.
bool Plan::free(Storage *storage, Operation *point, Value value) const {
  return !overwritten(storage, point, value) && llvm::none_of(storage->members, [&](Value member) {
    return holds(member, point) || (member != value && member.getDefiningOp() == point);
  });
}

void Plan::share(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      shareLoop(op, loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getResults());
      placeYields(loop.getYieldedValues(), loop.getRegionIterArgs());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      shareLoop(op, loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands(),
                loop.getResults());
      // What the condition hands on is what it got; anything else is copied by the emitter.
      for (auto [passed, after, result] :
           llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments(), loop.getResults())) {
        Storage *same = storage(passed);
        bool shared = same && isa<BlockArgument>(passed) && !overwritten(same, &op, result);
        if (!shared) same = create(ir::nameHint(after), after.getType());
        storages_.erase(result);
        place(after, same);
        place(result, same);
      }
      // The body sees the variables by the names of the second block: only now it is known who reads them.
      placeYields(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      shareIf(branch);
    }
    for (Region &region : op.getRegions())
      for (Block &nested : region) share(nested);
    if (auto dot = dyn_cast<tile::DotOp>(op)) shareDot(dot);
  }
}

void Plan::shareDot(tile::DotOp dot) {
  Value result = dot.getResult();
  Storage *sum = storage(result);
  // An unnamed product that one element-by-element statement takes up lives in the variable of that
  // statement.
  if (!sum && ir::nameHint(result).empty() && result.hasOneUse()) {
    Operation *statement = statementOf(*result.user_begin());
    if (isElementwiseFragment(statement) && statement->getBlock() == dot->getBlock() &&
        statement->getResult(0).getType() == result.getType()) {
      Value taken = statement->getResult(0);
      sum = storage(taken);
      if (sum && !free(sum, dot, result)) sum = nullptr;
      if (!sum && !storage(taken)) place(taken, sum = create(ir::nameHint(taken), taken.getType()));
      if (sum) place(result, sum);
    }
  }
  if (!sum) place(result, sum = create(ir::nameHint(result), result.getType()));
  // The sum starts in the variable in which it ends, unless somebody still needs what it starts from.
  Value start = dot.getAcc();
  Operation *producer = start.getDefiningOp();
  if (producer && !storage(start) && start.hasOneUse() && producer->getBlock() == dot->getBlock() &&
      free(sum, producer, start))
    place(start, sum);
}

/// The expression that stands for the value reads the variable.
bool Plan::readsFrom(Value value, Storage *variable) const {
  if (storage(value)) return storage(value) == variable;
  Operation *producer = isInline(value) ? value.getDefiningOp() : nullptr;
  return producer && llvm::any_of(producer->getOperands(), [&](Value operand) { return readsFrom(operand, variable); });
}

/// The variable that a loop carries a value in: that of the value it starts from, where nobody else needs it.
Storage *Plan::startOf(Operation &loop, Value init, Value result) {
  Storage *start = storage(init);
  if (start && init.getType() == result.getType() &&
      (isa<BlockArgument>(init) || init.getDefiningOp()->getNumRegions() != 0) &&
      llvm::count(loop.getOperands(), init) == 1 && free(start, &loop, result))
    return start;
  // It is written before the loop begins: what else the loop starts from, and its bounds, must not be read from it.
  Storage *wanted = storage(result);
  bool read = llvm::any_of(loop.getOperands(), [&](Value other) { return other != init && readsFrom(other, wanted); });
  return wanted && !read && free(wanted, &loop, result) ? wanted : nullptr;
}

/// A loop of the compiler's that combines values called v with `max` carries v_max.
static std::string reductionHint(Value argument, Value yielded) {
  // Under a condition, in a loop over the elements of a vector.
  if (auto branch = yielded.getDefiningOp<scf::IfOp>())
    yielded = branch.thenYield().getOperand(cast<OpResult>(yielded).getResultNumber());
  if (auto loop = yielded.getDefiningOp<scf::ForOp>()) {
    unsigned i = cast<OpResult>(yielded).getResultNumber();
    if (loop.getInitArgs()[i] == argument) return reductionHint(loop.getRegionIterArgs()[i], loop.getYieldedValues()[i]);
  }
  auto combine = yielded.getDefiningOp<tile::ElementwiseOp>();
  if (!combine || combine.getArgs().size() != 2 || !llvm::is_contained(combine.getArgs(), argument))
    return "";
  StringRef name = combine.getMnemonic() == "add"   ? "sum"
                   : combine.getMnemonic() == "mul" ? "product"
                                                    : combine.getMnemonic();
  for (Value operand : combine.getArgs())
    if (StringRef hint = ir::nameHint(operand); operand != argument && !hint.empty())
      return (hint + "_" + name).str();
  return name.str();
}

void Plan::shareLoop(Operation &loop, ValueRange inits, ValueRange arguments, ValueRange yields,
                     ValueRange results) {
  for (size_t i = 0; i < inits.size(); ++i) {
    bool matching = i < results.size() && results[i].getType() == inits[i].getType();
    Storage *carried = matching ? startOf(loop, inits[i], results[i]) : nullptr;
    if (!carried) {
      StringRef hint = ir::nameHint(arguments[i]);
      if (hint.empty()) hint = ir::nameHint(inits[i]);
      std::string reduction = hint.empty() ? reductionHint(arguments[i], yields[i]) : "";
      carried = create(hint.empty() ? reduction : hint.str(), inits[i].getType());
      carried->reduction = !reduction.empty();
      Operation *producer = inits[i].getDefiningOp();
      if (producer && !storage(inits[i]) && inits[i].hasOneUse() && producer->getBlock() == loop.getBlock() &&
          !isInline(inits[i]) && producer->getNumRegions() == 0)
        place(inits[i], carried);
    }
    place(arguments[i], carried);
    if (matching) place(results[i], carried);
  }
}

void Plan::placeYields(ValueRange yields, ValueRange arguments) {
  for (auto [yielded, argument] : llvm::zip(yields, arguments)) placeYielded(yielded, storage(argument));
}

/// A value is written where it is computed, straight into the variable that it is yielded to, where that is
/// free.
void Plan::placeYielded(Value value, Storage *target) {
  Operation *producer = value.getDefiningOp();
  if (!producer || storage(value) || !value.hasOneUse() ||
      producer->getBlock() != (*value.user_begin())->getBlock())
    return;
  if (isa<tile::ConstantOp, tile::DimOp>(producer) || (isInline(value) && !isFragment(value))) return;
  if (value.getType() != target->type || !free(target, producer, value)) return;
  place(value, target);
}

void Plan::shareIf(scf::IfOp op) {
  if (op.getNumResults() == 0) return;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value branches[] = {op.thenYield().getOperand(i), op.elseYield().getOperand(i)};
    Storage *target = storage(result);
    for (Value passed : branches) {
      Operation *producer = passed.getDefiningOp();
      bool outside = isa<BlockArgument>(passed) || producer->getBlock() == op->getBlock();
      if (target || !outside || !isFragment(passed) || passed.getType() != result.getType()) continue;
      if (!storage(passed) && producer && !isInline(passed) && producer->getNumRegions() == 0 &&
          !usedAfter(passed, op)) {
        place(passed, target = create(ir::nameHint(passed), passed.getType()));
      } else if (Storage *held = storage(passed); held && free(held, op, result)) {
        target = held;
      }
    }
    if (!target) target = create(ir::nameHint(result), result.getType());
    if (!storage(result)) place(result, target);
    for (Value yielded : branches) placeYielded(yielded, target);
  }
}

}  // namespace tessera::transforms::totarget
