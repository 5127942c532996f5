// A tensor function as a list of launches.
//
// A value that is returned, passed to a kernel, or consumed in another row structure than the one it is made
// in is a *root*: it gets memory and a kernel of its own. Everything else is computed where it is used. A
// kernel fixes the leading axes of its root for a group and keeps the trailing ones whole, just far enough
// that every reduction inside sees the same row in all lanes (`rowKernel`); without reductions every lane
// computes one element (`laneKernel`). A product and what it becomes element by element is computed tile by
// tile (`contractKernel`).
#include "support/LinearDim.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/MovedProducts.h"
#include "transforms/schedule/RadixSort.h"
#include "transforms/schedule/TensorFunction.h"
#include "transforms/schedule/Updates.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kRowGroup = 256;

bool isDot(Operation *op) { return isa<graph::DotOp>(op); }
bool isDotOrReduce(Operation *op) { return isa<graph::DotOp, graph::ReduceOp>(op); }
bool costsMore(Operation *op) { return isa<graph::DotOp, graph::ReduceOp, graph::ConcatOp>(op); }

}  // namespace

bool isDear(Operation *op) { return isDotOrReduce(op) || (isa<graph::ElementwiseOp>(op) && !isCheap(op)); }

/// A product reads each element of its operands many times: what makes an element hard to find is done once.
void FunctionScheduler::markMixed(Value value, const AxisKinds &kinds, Met &met) {
  if (isStored(value) || !met.isNew(value, kinds)) return;
  Operation *op = value.getDefiningOp();
  if (mixesRows(op, kinds)) return markIf(true, value);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (isa<TensorType>(operand.getType()))
      if (std::optional<AxisKinds> inner = operandAxes(op, i, kinds)) markMixed(operand, *inner, met);
}

/// The ops between a value and memory include one of this kind.
bool FunctionScheduler::holds(Value value, bool (*isIt)(Operation *)) {
  bool found = false;
  walkBack(value, [&](Value each) {
    if (found || isStored(each)) return false;
    found = isIt(each.getDefiningOp());
    return !found;
  });
  return found;
}

/// Something that lies in memory is part of the value; numbers alone are made anew where they are used.
bool FunctionScheduler::readsMemory(Value value) {
  bool found = false;
  walkBack(value, [&](Value each) {
    found = found || isStored(each);
    return !found;
  });
  return found;
}

/// Computed element by element from what lies in memory, where it is read.
bool FunctionScheduler::isMadeByElements(Value value) {
  bool isMade = true;
  walkBack(value, [&](Value each) {
    if (isStored(each) || !each.getDefiningOp()) return false;
    isMade &= isa<graph::ElementwiseOp, graph::CastOp, graph::ConstantOp, graph::FullOp, graph::BroadcastOp>(each.getDefiningOp());
    return isMade;
  });
  return isMade;
}

/// Of what lies in memory. A product of windows sees its weights before they have the shape of a matrix.
bool FunctionScheduler::isOtherShape(graph::ReshapeOp reshape) {
  auto readsPlaces = [&](Operation *user) {
    auto dot = dyn_cast<graph::DotOp>(user);
    return dot && dot.getRhs() == reshape && summedWindows(dot);
  };
  return sameMemory(reshape.getResult()) && isStored(reshape.getOperand()) && llvm::none_of(reshape->getUsers(), readsPlaces);
}

/// A number that the function computes, from data or from what its loops count: memory holds it.
static bool isComputedNumber(Value value) {
  return !isa<TensorType, IndexType>(value.getType()) && value.getDefiningOp() && !value.getDefiningOp<graph::ConstantOp>();
}

static graph::KernelOp kernelOf(graph::CallOp call) {
  for (auto candidate : call->getParentOfType<ModuleOp>().getOps<graph::KernelOp>())
    if (candidate.getSymName() == call.getCallee()) return candidate;
  return {};
}

/// Whether the operand is `zeros(...)` or another number everywhere, for what the kernel stores into and returns: it is written to the memory of the
/// result.
static bool isFilledInPlace(OpOperand &operand) {
  auto full = operand.get().getDefiningOp<graph::FullOp>();
  graph::KernelOp kernel = kernelOf(cast<graph::CallOp>(operand.getOwner()));
  if (!full || !full->hasOneUse() || !kernel || !full.getOperand().getDefiningOp<graph::ConstantOp>()) return false;
  unsigned given = 0;
  for (size_t i = 0; i < kernel.getNumArguments(); ++i) {
    if (kernel.param(i).getIsResult() || given++ != operand.getOperandNumber()) continue;
    return llvm::any_of(llvm::seq<size_t>(0, operand.getOwner()->getNumResults()),
                        [&](size_t result) { return kernel.output(result).getParam() == static_cast<int64_t>(i); });
  }
  return false;
}

void FunctionScheduler::findRoots(Block &block) {
  findChains(block);
  SmallVector<Value> updated;  // what updates write
  for (Operation &op : block) {
    if (chainOps_.contains(&op)) continue;  // computed in the kernel of the outer product
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      roots_.insert(branch.getResults().begin(), branch.getResults().end());
      for (Region &region : branch->getRegions())
        for (Block &inside : region) findRoots(inside);
    } else if (findRecurrence(&op)) {
    } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
      roots_.insert(op.result_begin(), op.result_end());
      for (Value init : op.getOperands())
        markIf(isa<TensorType>(init.getType()) && !init.hasOneUse() && init.getDefiningOp() && readsMemory(init), init);
      op.walk([&](Operation *inner) {  // what does not change from turn to turn is done once
        for (Value used : inner->getOperands())
          markIf(isa<TensorType>(used.getType()) && !op.isAncestor(used.getParentBlock()->getParentOp()) && holds(used, isDear), used);
      });
      for (Region &region : op.getRegions())
        for (Block &inside : region) findRoots(inside);
    } else if (op.hasAttr(kInPlace)) {
      updated.push_back(sourceOf(op.getOperand(1)));
      roots_.insert(op.getResult(0));
    } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
      markIf(condition->getParentOp()->getAttrOfType<ArrayAttr>(kLoop).size() == 2, condition.getCondition());
    } else if (auto call = dyn_cast<graph::CallOp>(op)) {
      for (OpOperand &operand : call->getOpOperands())
        markIf(!isFilledInPlace(operand) && (isa<TensorType>(operand.get().getType()) || isComputedNumber(operand.get())), operand.get());
      roots_.insert(call.getResults().begin(), call.getResults().end());
    } else if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
      auto sweep = chains_.find(reduce);
      if (sweep == chains_.end()) {
        storeProductsUnder(reduce);
        storeWindowsUnder(reduce);
        continue;
      }
      prepareChain(sweep->second);
      roots_.insert(storedOf(sweep->second));
    } else if (auto dot = dyn_cast<graph::DotOp>(op)) {
      if (auto chain = chains_.find(dot); chain != chains_.end()) {
        prepareChain(chain->second);
        prepareOperands(dot);
        continue;
      }
      if (hasTiles(dot)) {
        prepareOperands(dot);
        continue;
      }
      for (Value operand : dot.getOperands()) markIf(holds(operand, isDotOrReduce), operand);
      AxisKinds element(dot.getType().getRank(), AxisKind::Private);
      Met met;
      for (unsigned i : {0, 1}) markMixed(dot->getOperand(i), *operandAxes(dot, i, element), met);
    } else if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
      bool isUpdate = broadcast->hasOneUse() && (*broadcast->user_begin())->hasAttr(kInPlace);
      markIf(!isUpdate && longShape(broadcast.getOperand().getType()) != longShape(broadcast.getType()) &&
                 holds(broadcast.getOperand(), isDot),
             broadcast.getOperand());
    } else if (auto full = dyn_cast<graph::FullOp>(op)) {
      // The mean that a deviation is taken from, which is also returned: added up once.
      Value number = full.getOperand();
      markIf(!number.hasOneUse() && !longShape(full.getType()).empty() && addsUp(number), number);
    } else if (auto window = dyn_cast<graph::WindowOp>(op)) {
      markIf(holds(window.getOperand(), costsMore), window.getOperand());  // each element is read several times
    } else if (isa<graph::ConcatOp>(op)) {
      // A product ends in its own kernel; what is read of several of them is read where they lie, and not put together first.
      for (Value operand : op.getOperands()) storePart(operand);
    } else if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
      markIf(isOtherShape(reshape), reshape.getResult());
    } else if (auto after = dyn_cast<graph::AfterOp>(op)) {
      markIf(true, after.getOperand());  // what is kept, and what its memory is from here on
      roots_.insert(after.getResult());
    } else if (auto gather = dyn_cast<graph::GatherOp>(op)) {
      markIf(!goesToBlock(gather), gather.getOperand());  // a place may be anywhere: it has to lie in memory
      markIf(holds(gather.getPlaces(), isDotOrReduce), gather.getPlaces());
    } else if (auto scatter = dyn_cast<graph::ScatterAddOp>(op)) {
      markIf(holds(scatter.getUpdates(), costsMore), scatter.getUpdates());
      markIf(!addsByAtomics(scatter) || holds(scatter.getPlaces(), costsMore), scatter.getPlaces());  // else all lanes go through all of them
      if (scatter.getSorted()) storeIndices(scatter.getUpdates());
      roots_.insert(scatter.getResult());
    } else if (isa<graph::SlideOp, graph::SlideTogetherOp>(op)) {
      for (Value operand : op.getOperands()) markIf(true, operand);  // each element is read several times
      auto slide = dyn_cast<graph::SlideOp>(op);
      Value last = slide ? lastOfSlide(slide) : op.getResult(0);
      if (slide) slides_[last] = slide;
      roots_.insert(last);
    } else if (auto scan = dyn_cast<graph::ScanOp>(op)) {
      markIf(!isMadeByElements(scan.getOperand()), scan.getOperand());
      roots_.insert(scan.getResult());
    } else if (auto sort = dyn_cast<graph::ArgsortOp>(op)) {
      markIf(true, sort.getOperand());
      roots_.insert(sort.getResult());
    } else if (auto exchange = dyn_cast<graph::ExchangeOp>(op)) {
      markIf(true, exchange.getOperand());
      roots_.insert(exchange.getResult());
    } else if (isa<graph::ReturnOp, scf::YieldOp>(op)) {
      for (Value value : op.getOperands())
        markIf(value.getParentBlock() == &block && !value.getType().isIndex() && !states_.count(value), value);
    }
  }
  planProducts(block);
  addUpRows(block);
  storeTurnedRows(block);
  for (auto [value, memory] : states_) markIf(value.getParentBlock() == &block, value);
  for (Value value : updated) markIf(holds(value, isDotOrReduce), value);
  storeSumsOverRows(block);
  storeShared(block);
  for (auto reshape : block.getOps<graph::ReshapeOp>())
    markIf(isOtherShape(reshape), reshape.getResult());
}

/// Numbers that updates are made of, one for each, lie in the order of their places: lanes read them side by side, and wait for one memory less.
/// Rows that are made of many arrays and then brought into the order (SortedPlaces.cpp) are stored before.
void FunctionScheduler::storeIndices(Value updates) {
  walkBack(updates, [&](Value value) {
    if (isStored(value)) return false;
    auto gather = value.getDefiningOp<graph::GatherOp>();
    if (!gather || !gather->hasAttr(kInside)) return true;
    markIf(longAxes(gather.getType()).size() <= 1, value);
    markIf(isa_and_nonnull<graph::ElementwiseOp, graph::CastOp>(gather.getOperand().getDefiningOp()) && longAxes(gather.getType()).size() > 1, gather.getOperand());
    return true;
  });
}

/// A part of what is put together, if it is a product: as it is, or rounded by the kernel that stores it in full as well. Or if it is a
/// sum over rows, which one kernel adds up with those of the other parts. What is made of some of a product's elements, such as the
/// halves that rope turns, is computed where it is put together.
void FunctionScheduler::storePart(Value operand) {
  Value made = memoryUnder(operand);
  auto cast = made.getDefiningOp<graph::CastOp>();
  bool isRounded = cast && isMovedProduct(cast.getOperand()) && bitsOf(cast.getType()) < bitsOf(cast.getOperand().getType());
  auto sum = made.getDefiningOp<graph::ReduceOp>();
  bool isSum = sum && isForLanes(sum) && isLong(sum);
  if (!isRounded && !isSum) storeProductsInPart(operand);
  if (!isRounded && !isSum && !holds(operand, isDot)) return;
  for (Value part = operand; part; part = sameMemory(part)) markIf(true, part);
}

/// Products of which the part reads some elements: stored as their kernels leave them.
void FunctionScheduler::storeProductsInPart(Value operand) {
  walkBack(operand, [&](Value value) {
    if (isStored(value)) return false;
    auto dot = value.getDefiningOp<graph::DotOp>();
    if (!dot) return true;
    if (!hasTiles(dot) || dot->getBlock() != operand.getParentBlock() || chainOps_.contains(dot)) return false;
    Value stored = storedFor(dot);
    markIf(countOf(stored.getType()) != countOf(operand.getType()), stored);
    return false;
  });
}

/// What the program calls a value in memory, under whatever shape; empty if it has no name.
StringRef FunctionScheduler::calledBy(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == &function_.entry() && argument.getArgNumber() < function_.getParams().size())
    return function_.param(argument.getArgNumber()).getName();
  StringRef hint = nameHint(value);
  Value under = hint.empty() ? sameMemory(value) : Value();
  return under ? calledBy(under) : hint;
}

/// By what the function says of its dimensions.
bool FunctionScheduler::isSame(const Dim &a, const Dim &b) {
  ArrayAttr facts = function_.getRequirementsAttr();
  return a == b || inMultiples(a, facts) == inMultiples(b, facts);
}

/// What lies in memory under another shape: a reshape, if the shapes say that they have as many elements. Under its own:
/// what is to be known after others.
Value FunctionScheduler::sameMemory(Value value) {
  if (auto after = value.getDefiningOp<graph::AfterOp>()) return after.getOperand();
  auto reshape = value.getDefiningOp<graph::ReshapeOp>();
  if (!reshape || !isSame(countOf(value.getType()), countOf(reshape.getOperand().getType()))) return {};
  return reshape.getOperand();
}

/// Where that begins: what no other shape of it leads to.
Value FunctionScheduler::memoryUnder(Value value) {
  while (Value under = sameMemory(value)) value = under;
  return value;
}

// ---------------------------------------------------------------- planning one root

/// All of them are over the last axis of arrays of one shape, which has rows: a sum of all that there is is added up in parts.
static bool areAlongSameRows(ArrayRef<Value> reductions) {
  auto first = reductions.front().getDefiningOp<graph::ReduceOp>();
  return llvm::all_of(reductions, [&](Value each) {
    auto reduce = each.getDefiningOp<graph::ReduceOp>();
    ArrayRef<DimAttr> shape = shapeOf(reduce.getOperand().getType());
    return !isForLanes(reduce) && !longAxes(reduce.getType()).empty() && reduce.getAxes() == ArrayRef(static_cast<int64_t>(shape.size()) - 1) && shape == shapeOf(first.getOperand().getType());
  });
}

LogicalResult FunctionScheduler::makeRoot(Value value, Value target) {
  auto hasRowsUnder = [&](Value of) {
    SmallVector<Value> rows = rowsUnder(of);
    return !rows.empty() && !llvm::is_contained(rows, of);
  };
  if (keepers_.count(value)) return makeKeeper(value);
  // Under way: not stored yet, while its own kernel is planned.
  roots_.erase(value);
  auto finish = [&](LogicalResult made) {
    if (succeeded(made)) leaves_.try_emplace(value, target);
    return made;
  };
  if (Value under = leaves_.count(value) ? Value() : sameMemory(value)) {
    bool isCopy = target && leaves_.count(under);
    if (!leaves_.count(under) && failed(makeRoot(under, target ? target : memoryFor(value)))) return failure();
    leaves_[value] = leaves_.lookup(under);
    return isCopy ? laneKernel(value, target, false) : success();
  }
  auto dots = productsOf(value);
  if (!target && !dots.empty() && !chainIn(dots))
    if (Value last = standsFor(value)) return makeRoot(last);
  bool hasOwnMemory = !target && !results_.count(value);
  if (!target) target = memoryOfSummed(value);
  if (!target) target = memoryFor(value);
  if (leaves_.count(value)) return laneKernel(value, target, false);  // returned as it came in
  if (auto scatter = value.getDefiningOp<graph::ScatterAddOp>()) return finish(scatterKernel(scatter, target));
  if (auto sort = value.getDefiningOp<graph::ArgsortOp>()) return finish(sortKernel(sort, target));
  if (auto scan = value.getDefiningOp<graph::ScanOp>()) return finish(scanKernel(scan, target));
  if (auto slide = slides_.find(value); slide != slides_.end()) return finish(slideKernel(value, slide->second, target));
  if (auto slide = value.getDefiningOp<graph::SlideTogetherOp>()) return finish(slideTogetherKernel(slide, target));
  if (auto between = value.getDefiningOp<graph::ExchangeOp>()) return finish(exchange(between, target));
  if (Operation *outer = rowSums_.lookup(value)) return finish(chainKernels(value, chains_.find(outer)->second, target));
  if (Chain *sweep = reducedIn(value)) return finish(chainKernels(value, *sweep, target));
  if (Chain *chain = chainIn(dots)) return finish(chainKernels(value, *chain, target));
  if (!dots.empty()) return finish(contract(value, dots, target));
  while (true) {
    llvm::SetVector<Value> reductions;
    topReductions(value, reductions);
    if (reductions.empty()) {
      bool adds = holds(value, isDot);
      return finish(laneKernel(value, target, adds, adds ? SmallVector<Value>() : siblingsOf(value)));
    }
    size_t rank = shapeOf(value.getType()).size(), fixed = axesOfRows(value).value_or(rank + 1);
    bool expands = llvm::any_of(reductions, [&](Value reduction) {
      return longShape(reduction.getType()) != longShape(value.getType());
    });
    bool lonely = fixed == 0 && !longAxes(value.getType()).empty();  // one group would do it all
    bool wasteful = fixed >= rank && expands;  // a group for each element would repeat rows
    if (fixed > rank || lonely || wasteful) {
      // Several along the same rows, which one kernel goes over: a norm of groups of channels, in front of what is done to each channel.
      if (wasteful && !lonely && reductions.size() > 1 && areAlongSameRows(reductions.getArrayRef()) && hasRowsUnder(value)) {
        if (failed(makeRows(value))) return failure();
        continue;
      }
      bool progress = false;
      for (Value reduction : reductions)
        if (reduction != value) {
          if (failed(makeRoot(reduction))) return failure();
          progress = true;
        }
      // A sum over rows' sums: a lane would do whole rows by itself.
      if (fixed > rank && reductions.contains(value))
        if (Value added = value.getDefiningOp<graph::ReduceOp>().getOperand(); !rowsUnder(added).empty()) {
          if (failed(makeRows(added))) return failure();
          progress = true;
        }
      if (progress) continue;
    }
    const size_t axes = fixed <= rank ? axesAlong(value, fixed) : 0;
    SmallVector<Value> numbers = axes > 0 ? numbersOfAll(value, axes) : SmallVector<Value>();
    for (Value each : numbers)
      if (failed(makeRoot(each))) return failure();
    if (!numbers.empty()) continue;
    SmallVector<Value> repeated = repeatedUnder(value, fixed);
    for (Value each : repeated)
      if (!leaves_.count(each) && failed(makeRoot(each))) return failure();
    if (!repeated.empty()) continue;
    bool byLane = llvm::all_of(reductions, [](Value found) { return isForLanes(found.getDefiningOp<graph::ReduceOp>()); });
    if (fixed > rank || (fixed == rank && byLane && !expands))
      return finish(laneKernel(value, target, true, sumsBeside(value)));
    SmallVector<Stored> others = memoryForAll(numbersForSums(value, fixed));
    if (hasOwnMemory && target.getDefiningOp<schedule::TempOp>() && target.use_empty())
      if (Value memory = memoryOverRows(value, fixed, others)) {
        target.getDefiningOp()->erase();
        target = memory;
      }
    others.append(memoryForAll(arraysBeside(value)));
    return finish(rowKernel(value, fixed, target, others));
  }
}

/// What holds a root: the view of the result that it is, or a temporary.
Value FunctionScheduler::memoryFor(Value value) {
  if (Value view = results_.lookup(value)) {
    results_.erase(value);
    return view;
  }
  for (Operation *user : value.getUsers())  // returned under another shape, or as a sum over devices
    if (user->getNumResults() == 1 && user->getBlock() == value.getParentBlock() && results_.count(user->getResult(0)) &&
        (sameMemory(user->getResult(0)) || summedInPlace(user->getResult(0)) == value))
      return memoryFor(user->getResult(0));
  Type type = ViewType::get(builder_.getContext(), shapeOf(value.getType()), elementTypeOf(value.getType()));
  return launchOp<schedule::TempOp>(named(nameHint(value), value.getLoc()), type);
}

SmallVector<FunctionScheduler::Stored> FunctionScheduler::memoryForAll(ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [&](Value value) { return Stored(value, memoryFor(value)); });
}

void FunctionScheduler::isHeld(const Stored &stored) {
  roots_.erase(stored.first);
  leaves_[stored.first] = stored.second;
}

// ---------------------------------------------------------------- building kernels

void FunctionScheduler::leavesOf(Value value, llvm::SetVector<Value> &found, bool takesParts) {
  walkBack(value, [&](Value each) {
    if (!leaves_.count(each) && !(takesParts && parts_.count(each))) return true;
    found.insert(each);
    return false;
  });
}

FunctionScheduler::Kernel FunctionScheduler::beginKernel(Value root, GridAttr grid, Value target,
                                                         std::vector<std::string> reasons, bool usesLanes,
                                                         std::vector<std::string> rows, StringRef operation,
                                                         std::optional<ValueRange> reads, ArrayRef<Stored> others, Beside beside) {
  llvm::SetVector<Value> inputs;
  bool takesParts = operation == graph::KernelOp::getOperationName();
  if (!reads) leavesOf(root, inputs, takesParts);
  for (auto [value, held] : others)
    if (!beside.asHeld) leavesOf(value, inputs, takesParts);
  for (Value value : reads.value_or(ValueRange())) leavesOf(value, inputs, takesParts);
  MLIRContext *context = builder_.getContext();
  SmallVector<Type> types;
  SmallVector<Attribute> params;
  SmallVector<Value> args;
  std::set<std::string> taken;
  auto placesOf = [&](const Part &part) { return PlacesAttr::get(context, DimAttr::get(context, part.offset), dimAttrs(context, part.strides), part.windows); };
  // A parameter has the shape of the value that it holds; the memory may have been made for it under another one.
  auto add = [&](Value value, Value held, StringRef name, ParamMode mode, bool isResult, PlacesAttr places = {}) {
    std::string base = name.empty() ? "temporary" : name.str(), unique = base;
    for (int i = 1; !taken.insert(unique).second; ++i) unique = base + "_" + std::to_string(i);
    bool isView = isa<ViewType>(held.getType());
    types.push_back(isView ? ViewType::get(context, shapeOf(value.getType()), elementTypeOf(held.getType()), places)
                           : held.getType());
    args.push_back(held);
    params.push_back(ParamAttr::get(context, unique, mode, isResult, false, Attribute()));
  };
  // What is read where it is written, element by element, is one parameter.
  SmallVector<Value> written;  // as the results come: `others`, then the root
  for (const Stored &other : others) written.push_back(other.second);
  written.push_back(target);
  auto isWritten = [&](Value input) { return llvm::is_contained(written, leaves_.lookup(input)); };
  SmallVector<Value> changed(llvm::make_filter_range(inputs, isWritten));
  inputs.remove_if(isWritten);
  auto modeOf = [&](Value held) {
    bool isRead = llvm::any_of(changed, [&](Value input) { return leaves_.lookup(input) == held; });
    return isRead ? ParamMode::InOut : ParamMode::Out;
  };
  for (Value input : inputs) {
    auto part = leaves_.count(input) ? parts_.end() : parts_.find(input);
    if (part == parts_.end()) {
      add(input, leaves_.lookup(input), calledBy(input), ParamMode::In, false);
      continue;
    }
    StringRef own = nameHint(input);
    Value base = part->second.base;
    add(input, leaves_.lookup(base), own.empty() ? calledBy(base) : own, ParamMode::In, false, placesOf(part->second));
  }
  for (Value held : beside.read) add(held, held, nameHint(held), ParamMode::In, false);
  StringRef hint = nameHint(root);
  SmallVector<Attribute> outputs;
  auto addResult = [&](Value value, Value held) {
    StringRef hint = nameHint(value);
    std::string name = nameHint(held).empty() ? (hint.empty() ? "result" : hint.str()) : nameHint(held).str();
    if (auto argument = dyn_cast<BlockArgument>(held)) name = cast<ParamAttr>(entry_.getParams()[argument.getArgNumber()]).getName().str();
    if (beside.asHeld) value = held;
    auto part = placed_.find(value);
    add(value, held, name, modeOf(held), true, part == placed_.end() ? PlacesAttr() : placesOf(part->second));
    Type tensor = TensorType::get(context, shapeOf(value.getType()), elementTypeOf(held.getType()));
    outputs.push_back(ResultAttr::get(context, cast<ParamAttr>(params.back()).getName(), tensor, static_cast<int64_t>(params.size()) - 1));
  };
  for (auto [value, held] : others) addResult(value, held);
  addResult(root, target);

  bool isResult = isa<BlockArgument>(target);
  std::string name =
      names_.fresh((function_.getSymName() + (isResult || hint.empty() ? "" : "_" + hint) + "_kernel").str());
  OperationState state(root.getLoc(), operation);
  auto strings = [&](const std::vector<std::string> &list) {
    return builder_.getStrArrayAttr(SmallVector<StringRef>(list.begin(), list.end()));
  };
  state.addAttribute("sym_name", builder_.getStringAttr(name));
  state.addAttribute("function_type", TypeAttr::get(builder_.getFunctionType(types, {})));
  state.addAttribute("dims", dimsInScope());
  state.addAttribute("params", builder_.getArrayAttr(params));
  state.addAttribute("outputs", builder_.getArrayAttr(outputs));
  state.addAttribute("requirements", function_.getRequirementsAttr());
  state.addAttribute("signature", function_.getSignatureAttr());
  state.addAttribute("grid", grid.getKind() == GridKind::Output
                                 ? GridAttr::get(context, GridKind::Output, grid.getDims(), params.size() - 1)
                                 : grid);
  state.addAttribute("group", builder_.getI64IntegerAttr(usesLanes ? kLaneGroup : kRowGroup));
  if (usesLanes) state.addAttribute("uses_lanes", builder_.getUnitAttr());
  if (!rows.empty()) state.addAttribute("rows", strings(rows));
  if (!reasons.empty()) state.addAttribute("reasons", strings(reasons));
  if (function_.getDeterministic()) state.addAttribute("deterministic", builder_.getUnitAttr());
  Block &block = state.addRegion()->emplaceBlock();
  Kernel kernel;
  for (auto [i, arg] : llvm::enumerate(args)) {
    bool isBeside = i >= inputs.size() && i < inputs.size() + beside.read.size();
    size_t other = i - inputs.size() - beside.read.size();  // among the results
    Value held = i < inputs.size() ? inputs[i] : isBeside ? args[i] : other < others.size() ? others[other].first : root;
    BlockArgument argument = block.addArgument(types[i], named(cast<ParamAttr>(params[i]).getName(), held.getLoc()));
    if (i < inputs.size()) kernel.leaves[held] = argument;
    else if (isBeside) kernel.beside.push_back(argument);
    else if (other < others.size()) kernel.others.push_back(argument);
    else kernel.target = argument;
  }
  for (Value input : changed) {
    Value held = leaves_.lookup(input);
    kernel.leaves[input] = held == target ? kernel.target : kernel.others[llvm::find(written, held) - written.begin()];
  }
  kernel.op = builder_.create(state);
  launchOp<schedule::LaunchOp>(root.getLoc(), FlatSymbolRefAttr::get(context, name), args,
                                       DimsAttr());
  return kernel;
}

void FunctionScheduler::store(OpBuilder &builder, Value piece, Value view, const Indices &indices,
                              bool byLane, Location loc) {
  PartAccess at(builder, shapeOf(view.getType()), indices, loc);
  bool once = isScalar(piece.getType()) && !byLane;
  builder.create<graph::StoreOp>(loc, piece, view, at.offsets, at.points, at.sizes, at.steps, at.inBounds,
                                 once);
}

// ---------------------------------------------------------------- calls of kernels

/// The variables that only an extent such as `2 * N` or `N + M` of an argument gives.
static void solveDims(MLIRContext *context, const std::vector<std::vector<Dim>> &declared, ArrayRef<Type> shapes, std::map<std::string, DimAttr> &dims) {
  std::map<std::string, Dim> values;
  for (const auto &[name, value] : dims) values[name] = value.getDim();
  for (const auto &[parameter, axis, extent] : solvedExtents(declared))
    dims.try_emplace(extent.variable, DimAttr::get(context, values[extent.variable] = extent.solved(shapeOf(shapes[parameter])[axis].getDim(), values)));
}

/// Whether memory holds this value alone, for the call: it may be changed there.
bool FunctionScheduler::isAlone(Value value, graph::CallOp call) {
  Value memory = leaves_.lookup(value);
  auto holdsOther = [&](const auto &leaf) { return leaf.second == memory && leaf.first != value; };
  return value.hasOneUse() && memory && memory.getDefiningOp<schedule::TempOp>() && value.getParentBlock() == call->getBlock() && llvm::none_of(leaves_, holdsOther);
}

LogicalResult FunctionScheduler::launchCall(graph::CallOp call) {
  graph::KernelOp kernel = kernelOf(call);
  if (!kernel)
    return call.emitError("a tensor function can call kernels and, inlined, other tensor functions");
  SmallVector<Value> args(kernel.getNumArguments());
  SmallVector<KnownNumber> numbers(args.size());
  SmallVector<Type> shapes(args.size());
  std::vector<std::vector<Dim>> declared(args.size());
  auto operand = call->getOpOperands().begin();
  std::map<std::string, DimAttr> dims;
  for (size_t i = 0; i < args.size(); ++i) {
    if (kernel.param(i).getIsResult()) continue;
    Value value = operand->get();
    const bool isFilled = isFilledInPlace(*operand++);
    if (!leaves_.count(value) && isComputedNumber(value) && failed(makeRoot(value))) return failure();
    args[i] = leaves_.lookup(value);
    if (!args[i] && !isFilled) {
      numbers[i].constant = value.getDefiningOp<graph::ConstantOp>();
      if (!numbers[i].constant) return call.emitError("an integer that the function counts is passed to a kernel as one of a dtype, `i32(n)`");
      continue;
    }
    if (args[i] && isa<ViewType>(args[i].getType()) && !isa<ViewType>(kernel.getArgument(i).getType())) {
      numbers[i].memory = args[i].getType();
      continue;
    }
    shapes[i] = value.getType();
    for (auto [inner, outer] : llvm::zip(shapeOf(kernel.getArgument(i).getType()), shapeOf(shapes[i])))
      if (declared[i].push_back(inner.getDim()); inner.getDim().isVar()) dims.try_emplace(inner.getDim().varName(), outer);
  }
  solveDims(call.getContext(), declared, shapes, dims);
  for (size_t i = 0; i < call.getNumResults(); ++i) {
    int64_t held = kernel.output(i).getParam();
    Value result = call.getResult(i), memory;
    if (!kernel.param(held).getIsResult()) {  // in place: where nobody else has the value, else on a copy
      Value before = call.getOperands()[llvm::count_if(
          llvm::seq<int64_t>(0, held), [&](int64_t j) { return !kernel.param(j).getIsResult(); })];
      if (isAlone(before, call) && !results_.count(result)) memory = leaves_.lookup(before);
      else if (memory = memoryFor(result); failed(laneKernel(before, memory, false))) return failure();
    }
    if (!memory) memory = memoryFor(result);
    args[held] = memory;
    leaves_[result] = memory;
  }
  SmallVector<DimAttr> inOrder;
  for (auto name : kernel.getDims().getAsRange<StringAttr>()) {
    auto found = dims.find(name.str());
    if (found == dims.end())
      return call.emitError() << "the dimension " << name.getValue() << " of " << call.getCallee()
                              << " does not follow from the arguments' shapes";
    inOrder.push_back(found->second);
  }
  FailureOr<std::string> name = specializeKernel(builder_, kernel, numbers, names_);
  if (failed(name)) return failure();
  llvm::erase(args, Value());  // the constants
  launchOp<schedule::LaunchOp>(call.getLoc(), FlatSymbolRefAttr::get(builder_.getContext(), *name),
                                       args, DimsAttr::get(builder_.getContext(), inOrder));
  return success();
}

// ---------------------------------------------------------------- the whole function

LogicalResult FunctionScheduler::launchBlock(Block &block) {
  for (Operation &op : block) {
    if (auto call = dyn_cast<graph::CallOp>(op)) {
      if (failed(launchCall(call))) return failure();
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (failed(launchBranches(branch))) return failure();
      continue;
    }
    if (auto plan = recurrences_.find(&op); plan != recurrences_.end()) {
      if (failed(launchRecurrence(plan->second))) return failure();
      continue;
    }
    if (isa<scf::ForOp, scf::WhileOp>(op)) {
      if (failed(launchLoop(&op))) return failure();
      continue;
    }
    if (op.hasAttr(kInPlace)) {
      if (failed(launchUpdate(&op))) return failure();
      continue;
    }
    for (Value result : op.getResults())
      if (isToStore(result) && !waitsForSum(result) && failed(makeRoot(result))) return failure();
  }
  return success();
}

LogicalResult FunctionScheduler::launchIn(schedule::FuncOp entry) {
  if (auto asked = function_->getAttrOfType<ArrayAttr>(kWhen)) when_.assign(asked.begin(), asked.end());
  always_ = when_;
  entry_ = entry;
  Block &block = entry.getBody().front();
  launches_ = OpBuilder::atBlockEnd(&block);
  const size_t count = function_.getParams().size();
  for (size_t i = 0; i < count; ++i) leaves_[function_.entry().getArgument(i)] = block.getArgument(i);
  Operation *end = function_.entry().getTerminator();
  SmallVector<Value> targets;
  size_t next = count;
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    int64_t param = function_.output(i).getParam();
    targets.push_back(block.getArgument(param >= 0 ? param : next++));
    // The first place where a value is returned holds it; what comes in must stay as it is.
    if (param < 0 && !isa<BlockArgument>(value)) results_.try_emplace(value, targets.back());
  }
  builder_.setInsertionPoint(entry_);
  for (auto [argument, values] : llvm::zip(function_.entry().getArguments().drop_front(count), tables_)) {
    StringRef hint = nameHint(argument).empty() ? "table" : nameHint(argument);
    std::string symbol;
    do symbol = names_.fresh((function_.getSymName() + "_" + hint).str());
    while (llvm::any_of(function_.getParams().getAsRange<ParamAttr>(), [&](ParamAttr param) { return param.getName() == symbol; }));
    leaves_[argument] = launches_.create<schedule::TableOp>(argument.getLoc(), ViewType::get(builder_.getContext(), shapeOf(argument.getType()), elementTypeOf(argument.getType())), symbol, values);
  }

  // A number that is returned, such as a loss, is computed where what it is made of is there: the derivative may then lie in
  // the memory of what both are made of.
  for (Value value : end->getOperands())
    if (auto full = value.getDefiningOp<graph::FullOp>(); full && full->getBlock() == &function_.entry())
      if (Operation *made = full.getOperand().getDefiningOp(); made && !isa<graph::ConstantOp>(made)) full->moveAfter(made);
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (isa<BlockArgument>(targets[i]) && function_.output(i).getParam() >= 0 && isNewState(value)) states_.try_emplace(value, targets[i]);
  for (auto [i, value] : llvm::enumerate(end->getOperands()))  // what is returned, too, is made where it is in the program
    if (function_.output(i).getParam() < 0) states_.erase(value);
  findRoots(function_.entry());
  if (failed(launchBlock(function_.entry()))) return failure();
  SmallVector<std::pair<Value, Value>> states;
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    if (leaves_.lookup(value) == targets[i]) continue;
    if (function_.output(i).getParam() >= 0) states.emplace_back(value, targets[i]);
    else if (failed(laneKernel(value, targets[i], false))) return failure();
  }
  return writeStates(std::move(states));
}

}  // namespace tessera::transforms
