// The kernels of a chain: the loop over tiles of the right operands, and what it keeps of each row.
#include "support/Check.h"
#include "ir/common/BitCasts.h"
#include "transforms/schedule/ChainWriter.h"
#include "transforms/schedule/Sweep.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kReductionBytes = 1024;  // where waves that share a row or a column meet
constexpr int64_t kMostHeld = 256;   // elements of a row that a group holds, where the facts bound them
constexpr int64_t kUsualHeld = 128;  // where they do not
constexpr int64_t kLeastKeys = 64;   // in a tile of a sweep, where registers are many

/// Each turn copies more than keys and values: what lies in memory at the places of scores (tile-stage-beside), or rows of other batches.
bool copiesMore(const Machine *machine, Chain &chain) {
  bool byPanels = machine && machine->warpgroupProducts && elementTypeOf(chain.inner.front().getLhs().getType()).getIntOrFloatBitWidth() == 16;
  return byPanels && (chain.addsBatches || (chain.largest && bytesBeside(chain) > 0));
}

constexpr int64_t kFewKeys = 2048;  // so few that the part of the last tile that is masked weighs more than what a tile costs besides
constexpr int64_t kFewest = 80;     // of keys that only run time knows: those have a kernel of their own, as the 77 words of a picture's text

DimAttr keysOf(Chain &chain) { return chain.inner.front().getType().getShape().back(); }

/// Known, or at most as the facts say.
std::optional<int64_t> mostKeys(Chain &chain, ArrayRef<Attribute> facts) {
  DimAttr keys = keysOf(chain);
  if (std::optional<int64_t> count = keys.getConstant()) return count;
  for (Attribute each : facts)
    if (auto fact = dyn_cast<RequirementAttr>(each); fact && fact.getLeft() == keys && fact.getRelation() == Relation::Le) return fact.getRight().getConstant();
  return std::nullopt;
}

/// Tiles of keys are multiplied by warpgroups, of any multiple of 16.
bool mayBeNarrow(const Machine &machine, Chain &chain) {
  return chain.largest && machine.warpgroupProducts && elementTypeOf(chain.inner.front().getLhs().getType()).getIntOrFloatBitWidth() == 16 && bytesBeside(chain) == 0;
}

/// Scores are hidden or changed by the places of their keys, as in sequences, which are seldom so short.
bool asksForPlaces(Chain &chain) {
  bool asks = false;
  walkBack(chain.scores(), [&](Value value) {
    asks |= value.getDefiningOp<graph::IotaOp>() != nullptr;
    return !asks && !value.getDefiningOp<graph::DotOp>();
  });
  return asks;
}

/// Few keys are in as many tiles as before, all of which are as small as can be.
void fitKeys(ChainTile &tile, std::optional<int64_t> keys) {
  constexpr int64_t kBlock = 16;
  if (!keys || *keys < 1 || *keys > kFewKeys) return;
  const int64_t tiles = (*keys + tile.n - 1) / tile.n, each = (*keys + tiles - 1) / tiles;
  tile.n = std::min(tile.n, (each + kBlock - 1) / kBlock * kBlock);
}

}  // namespace

Chain *FunctionScheduler::chainIn(ArrayRef<graph::DotOp> dots) {
  for (graph::DotOp dot : dots)
    if (auto chain = chains_.find(dot); chain != chains_.end()) return &chain->second;
  return nullptr;
}

/// Rows that are held in registers and shared memory need a bound. Where the facts have none, kernels hold those that are
/// short enough, and another one goes along the rest in steps.
SmallVector<FunctionScheduler::ChainForm> FunctionScheduler::chainForms(Chain &chain) {
  SmallVector<ChainForm> forms = chainFormsOf(chain);
  const Machine *machine = machineOf(function_);
  bool haveRoom = machine && llvm::all_of(forms, [&](const ChainForm &form) { return usualChainTile(*machine, chain, form.most).has_value(); });
  return haveRoom ? forms : SmallVector<ChainForm>();
}

SmallVector<FunctionScheduler::ChainForm> FunctionScheduler::chainFormsOf(Chain &chain) {
  DimAttr depth = shapeOf(chain.inner.front().getLhs().getType()).back(), cols = chain.outer ? chain.cols() : depth;
  MLIRContext *context = builder_.getContext();
  bool haveNames = true;
  int64_t most = 0;
  SmallVector<DimAttr> unbounded;
  for (DimAttr extent : {depth, cols}) {
    Dim dim = extent.getDim();
    std::optional<int64_t> bound = dim.isConstant() ? dim.constant() : dim.isVar() ? greatestOf(dim.varName(), function_.getRequirements()) : std::nullopt;
    // The scores are computed again for each tile of columns: for many, storing them is less work.
    if (extent == cols && bound && *bound > 2 * kMostHeld) return {};
    haveNames &= dim.isConstant() || dim.isVar();
    if (!bound && !llvm::is_contained(unbounded, extent)) unbounded.push_back(extent);
    most = std::max(most, bound.value_or(0));
  }
  bool haveOneDepth = llvm::all_of(chain.inner, [&](graph::DotOp dot) { return shapeOf(dot.getLhs().getType()).back() == depth; });
  if (!haveOneDepth || most > kMostHeld || (!unbounded.empty() && most > kUsualHeld)) return {ChainForm{}};
  DimAttr tile = DimAttr::get(context, Dim::var("T.k"));
  auto areAtMost = [&](ArrayRef<DimAttr> extents, int64_t count) -> SmallVector<Attribute> {
    SmallVector<Attribute> facts;
    for (DimAttr extent : extents) facts.push_back(RequirementAttr::get(context, extent, Relation::Le, DimAttr::get(context, Dim(count)), ""));
    return facts;
  };
  auto notAll = [&](SmallVector<Attribute> facts) {
    if (facts.size() == 1) return negated(facts[0]);
    facts.insert(facts.begin(), StringAttr::get(context, "and"));
    return negated(ArrayAttr::get(context, facts));
  };
  ChainForm stepped;
  if (!unbounded.empty()) stepped.when = {notAll(areAtMost(unbounded, kUsualHeld))};
  // Where turns copy more, a tile of scores is smaller for long heads: another kernel.
  SmallVector<DimAttr> varying;
  for (DimAttr extent : {depth, cols})
    if (!extent.getConstant() && !llvm::is_contained(varying, extent)) varying.push_back(extent);
  if (varying.size() == 1 && haveNames && most <= kUsualHeld && (most == 0 || most > kUsualHeld / 2) && copiesMore(machineOf(function_), chain)) {
    SmallVector<Attribute> few = areAtMost(varying, kUsualHeld / 2), usual = areAtMost(unbounded, kUsualHeld);
    ChainForm low{depth, cols, kUsualHeld / 2, few, few}, high{depth, cols, kUsualHeld, usual, usual};
    high.facts.push_back(RequirementAttr::get(context, varying[0], Relation::Ge, DimAttr::get(context, Dim(kUsualHeld / 2 + 1)), ""));
    high.when.push_back(notAll(few));
    return unbounded.empty() ? SmallVector<ChainForm>{low, high} : SmallVector<ChainForm>{low, high, stepped};
  }
  if (unbounded.empty()) {
    // The copy engine fills panels of 64 columns of 16 bits.
    const Machine *machine = machineOf(function_);
    bool fillsPanels = most % 64 == 0 && (depth == cols || (depth.getConstant() && cols.getConstant() && *depth.getConstant() % 64 == 0 && *cols.getConstant() % 64 == 0));
    bool byPanels = machine && machine->warpgroupProducts && most > 32 && elementTypeOf(chain.inner.front().getRhs().getType()).getIntOrFloatBitWidth() == 16;
    if (byPanels && !fillsPanels) return {ChainForm{tile, {}, (most + 63) / 64 * 64, {}, {}}};
    return {ChainForm{depth, cols, most, {}, {}}};
  }
  SmallVector<Attribute> usual = areAtMost(unbounded, kUsualHeld);
  if (haveNames) return {ChainForm{depth, cols, kUsualHeld, usual, usual}, stepped};
  // What is no dimension by itself, as `D // H`, has no capacities: tiles of two sizes hold it.
  ChainForm low{tile, {}, kUsualHeld / 2, {}, areAtMost(unbounded, kUsualHeld / 2)}, high{tile, {}, kUsualHeld, {}, usual};
  if (most > kUsualHeld / 2) return {high, stepped};
  high.when.push_back(notAll(low.when));
  return {low, high, stepped};
}

/// And kernels for few keys, where only run time knows how many there are. As many queries as keys are seldom so few.
SmallVector<FunctionScheduler::ChainForm> FunctionScheduler::withFewKeys(Chain &chain, ArrayRef<ChainForm> forms) {
  SmallVector<ChainForm> all(forms);
  if (!chain.largest) return all;
  const DimAttr keys = keysOf(chain);
  const bool asksForFew = keys.getDim().isVar() && keys != shapeOf(chain.inner.front().getType()).drop_back().back() && mayBeNarrow(*machineOf(function_), chain) && !asksForPlaces(chain);
  if (!asksForFew) return all;
  auto few = RequirementAttr::get(builder_.getContext(), keys, Relation::Le, DimAttr::get(builder_.getContext(), Dim(kFewest)), "");
  for (size_t i = all.size(); i-- > 0;) {
    ChainForm narrow = all[i];
    narrow.facts.push_back(few);
    narrow.when.push_back(few);
    all[i].when.push_back(negated(few));
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), narrow);
  }
  return all;
}

/// The sentence over the kernel.
std::string FunctionScheduler::chainReason(Chain &chain, const ChainForm &form) {
  if (!chain.largest) return sweepReason(chain);
  std::string keys = shapeOf(chain.outer.getRhs().getType())[chain.outer.getType().getRank() - 2].getText().str();
  StringRef scores = nameHint(chain.scores());
  std::string text = "chain: a group goes over " + keys + " in tiles and keeps of each row the largest score" +
                     (chain.sums.empty() ? "" : ", the sum") + " and the result so far, rescaled where a larger score comes; " +
                     (chain.keepsRows ? "what it knows of rows is stored, too; " : "") +
                     (scores.empty() ? "the scores are" : scores.str() + " is") + " not stored";
  if (!form.depth) text += "; rows are too long to be held, and scores are computed anew for each tile of columns";
  return text;
}

/// What is stored of a sweep that reduces: the sum over batches rounded, if that alone is asked for.
Value FunctionScheduler::storedOf(Chain &reduced) {
  Value sum = reduced.reduce.getResult();
  auto cast = sum.hasOneUse() ? dyn_cast<graph::CastOp>(*sum.user_begin()) : graph::CastOp();
  bool isRounded = reduced.addsBatches && cast && cast->getBlock() == reduced.reduce->getBlock() && cast.getRounding() != kBits;
  return isRounded ? cast.getResult() : sum;
}
Chain *FunctionScheduler::reducedIn(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<graph::CastOp>(op)) op = cast.getOperand().getDefiningOp();
  auto found = chains_.find(op);
  return found != chains_.end() && found->second.reduce && storedOf(found->second) == value ? &found->second : nullptr;
}

/// Where what follows a chain's result is only added up along its rows, which its kernel holds, the sums are stored instead: the row's
/// part of attention's derivative, `sum(do * o)`.
void FunctionScheduler::addUpRows(Block &block) {
  for (auto &[op, chain] : chains_) {
    if (op->getBlock() != &block || !chain.largest || !chain.keepsRows) continue;
    Value terms = storedFor(chain.outer);
    auto sum = terms.hasOneUse() ? dyn_cast<graph::ReduceOp>(*terms.user_begin()) : graph::ReduceOp();
    int64_t last = chain.outer.getType().getRank() - 1;
    bool isOfRows = sum && sum->getBlock() == &block && sum.getMnemonic() == "sum" && sum.getAxes() == ArrayRef(last) && terms.getType() == chain.outer.getType() &&
                    isToStore(terms) && !results_.count(terms) && !chains_.count(sum);
    if (!isOfRows || !llvm::all_of(chainForms(chain), [](const ChainForm &form) { return form.cols != nullptr; })) continue;
    roots_.erase(terms);
    roots_.insert(sum.getResult());
    rowSums_[sum.getResult()] = op;
  }
}

/// What the kernel of a chain stores.
Value FunctionScheduler::rootOf(Chain &chain) {
  Value stored = storedFor(chain.outer);
  for (Operation *user : stored.getUsers())
    if (auto sum = dyn_cast<graph::ReduceOp>(user); sum && rowSums_.count(sum.getResult())) return sum.getResult();
  return stored;
}

/// Some values of a vector for each row.
FunctionScheduler::RootTile FunctionScheduler::rowTile(Value root, DimAttr rows) {
  size_t rank = shapeOf(root.getType()).size();
  RootTile tile{llvm::to_vector(llvm::seq<int64_t>(0, rank)), {}, Indices(rank), Indices(rank)};
  tile.extents.assign(rank, DimAttr::get(builder_.getContext(), Dim(1)));
  tile.extents.back() = rows;
  return tile;
}

/// The kernel of a chain that stores these rows, before any other that needs them: what it reads itself comes first.
LogicalResult FunctionScheduler::makeKeeper(Value rows) {
  Operation *outer = keepers_.lookup(rows);
  Chain &chain = chains_.find(outer)->second;
  Value root = rootOf(chain);
  SmallVector<Value> needed;
  walkBack(root, [&](Value value) {
    if (leaves_.count(value)) return false;
    bool isNeeded = value != root && roots_.count(value) && !chain.body.contains(value.getDefiningOp());
    if (isNeeded) needed.push_back(value);
    return !isNeeded;
  });
  llvm::sort(needed, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
  for (Value value : needed)
    if (!leaves_.count(value) && failed(makeRoot(value))) return failure();
  return makeRoot(root);
}

/// Another product of the scores that this sweep computes, or of more: null where there is none that one kernel can add up with this
/// one's. The derivatives by the keys and the values of attention.
Chain *FunctionScheduler::sweepBeside(Value root, Chain &chain) {
  auto isOfProduct = [](const Chain &each) { return each.outer && !each.largest; };
  auto computes = [](const Chain &one, const Chain &other) {
    return llvm::all_of(other.inner, [&](graph::DotOp dot) { return llvm::is_contained(one.inner, dot); });
  };
  if (!isOfProduct(chain) || !root.getDefiningOp()) return nullptr;
  for (auto dot : chain.outer->getBlock()->getOps<graph::DotOp>()) {
    auto found = chains_.find(dot);
    if (found == chains_.end() || dot == chain.outer || !isOfProduct(found->second) || dot.getType() != chain.outer.getType()) continue;
    Chain &other = found->second;
    if (!computes(chain, other) && !computes(other, chain)) continue;
    Value stored = storedFor(dot);
    bool isAlike = isToStore(stored) && shapeOf(stored.getType()) == shapeOf(root.getType());
    DimAttr none = DimAttr::get(builder_.getContext(), Dim(1));
    if (!isAlike || rootTile(stored, none, none).axes != rootTile(root, none, none).axes || !readsStored(stored)) continue;
    Chain both = together(chain, other);
    SmallVector<ChainForm> forms = chainForms(both);
    if (forms.size() == 1 && forms[0].depth && sweepFits(*machineOf(function_), both, kLeastKeys, forms[0].most)) return &other;
  }
  return nullptr;
}

/// A sweep that adds up the products of both: the one that computes more scores, with the other's product beside its own.
Chain FunctionScheduler::together(const Chain &one, const Chain &other) {
  const Chain &larger = one.inner.size() < other.inner.size() ? other : one, &smaller = &larger == &one ? other : one;
  Chain both = larger;
  both.beside.push_back(smaller.outer);
  both.body.insert(smaller.body.begin(), smaller.body.end());
  return both;
}

/// All that a value is made of, and that is to be stored, is there.
bool FunctionScheduler::readsStored(Value value) {
  bool isThere = true;
  walkBack(value, [&](Value each) {
    isThere &= each == value || leaves_.count(each) || parts_.count(each) || !roots_.count(each);
    return isThere && !leaves_.count(each) && !parts_.count(each);
  });
  return isThere;
}

/// What another product of these scores reads, but not from this one, is stored before both, so that one kernel adds up both.
LogicalResult FunctionScheduler::storeForSweeps(Value root, Chain &chain) {
  if (!chain.outer || chain.largest || sweepBeside(root, chain)) return success();
  auto isOfScores = [&](graph::DotOp dot) {
    auto found = chains_.find(dot);
    if (found == chains_.end() || dot == chain.outer || !found->second.outer || found->second.largest || dot.getType() != chain.outer.getType()) return false;
    return llvm::all_of(chain.inner, [&](graph::DotOp inner) { return llvm::is_contained(found->second.inner, inner); });
  };
  for (auto dot : chain.outer->getBlock()->getOps<graph::DotOp>()) {
    Value stored = isOfScores(dot) ? storedFor(dot) : Value();
    if (!stored || !isToStore(stored)) continue;
    llvm::SetVector<Value> missing;
    bool isFree = true;  // of this root, and of what is stored in its own turn
    walkBack(stored, [&](Value each) {
      if (leaves_.count(each) || parts_.count(each)) return false;
      isFree &= each != root && (each == stored || !keepers_.count(each)) && !(each != stored && waitsForSum(each));
      if (each != stored && roots_.count(each)) missing.insert(each);
      return isFree;
    });
    if (!isFree || llvm::any_of(missing, [&](Value each) { return !isToStore(each) || chains_.count(each.getDefiningOp()) || isa<scf::SCFDialect>(each.getDefiningOp()->getDialect()); })) continue;
    SmallVector<Value> inOrder = missing.takeVector();
    llvm::sort(inOrder, [](Value a, Value b) { return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp()); });
    for (Value each : inOrder)
      if (!leaves_.count(each) && failed(makeRoot(each))) return failure();
  }
  return success();
}

LogicalResult FunctionScheduler::chainKernels(Value root, Chain &chain, Value target) {
  auto areHeld = [&](ArrayRef<Stored> beside) {
    for (const Stored &stored : beside) isHeld(stored), isHeldInPlace(stored.first);
  };
  if (failed(storeForSweeps(root, chain))) return failure();
  if (Chain *other = sweepBeside(root, chain)) {
    Chain both = together(chain, *other);
    Value stored = storedFor(other->outer), memory = memoryFor(stored);
    Stored here{root, target}, there{stored, memory};
    if (both.outer != chain.outer) std::swap(here, there);
    SmallVector<Stored> beside{there};
    beside.append(roundedBeside(root)), beside.append(roundedBeside(stored));
    if (failed(chainKernel(here.first, both, chainForms(both).front(), here.second, {}, beside))) return failure();
    isHeld({stored, memory});
    areHeld(beside);
    return success();
  }
  SmallVector<Stored> rows;
  for (Value value : chain.keepsRows ? chain.rows() : SmallVector<Value>()) rows.push_back({value, memoryFor(value)});
  SmallVector<ChainForm> forms = chainForms(chain);
  if (std::optional<ChainTile> tile = splitTile(chain, forms)) return splitChain(root, chain, forms.front(), *tile, target);
  SmallVector<Stored> beside = rows.empty() ? roundedBeside(root) : SmallVector<Stored>();
  if (failed(kernelsOf(withFewKeys(chain, forms), root, chain, target, rows, beside))) return failure();
  for (auto [value, memory] : rows) {
    roots_.erase(value);
    keepers_.erase(value);
    leaves_[value] = memory;
  }
  areHeld(beside);
  return success();
}

/// One for each form, and when the entry function starts it.
LogicalResult FunctionScheduler::kernelsOf(ArrayRef<ChainForm> forms, Value root, Chain &chain, Value target, ArrayRef<Stored> rows, ArrayRef<Stored> beside) {
  const size_t outside = when_.size();
  LogicalResult made = success();
  for (const ChainForm &form : forms) {
    when_.append(form.when);
    if (succeeded(made)) made = chainKernel(root, chain, form, target, rows, beside);
    when_.truncate(outside);
  }
  return made;
}

void FunctionScheduler::setChainSizes(graph::KernelOp kernel, const ChainForm &form, const ChainTile &sizes) {
  SmallVector<NamedAttribute> given;
  SmallVector<StringRef> names{"m", "n"};
  auto give = [&](StringRef name, int64_t value) { given.push_back(builder_.getNamedAttr(name, builder_.getI64IntegerAttr(value))); };
  give("m", sizes.m), give("n", sizes.n);
  if (!form.cols) give("k", form.most ? form.most : sizes.k), give("cols", form.most ? form.most : sizes.cols), names.append({"k", "cols"});
  kernel.setContextAttr(builder_.getStrArrayAttr(names));
  kernel.setSizesAttr(builder_.getDictionaryAttr(given));
  kernel.setGroup(sizes.group);
  SmallVector<Attribute> facts(kernel.getRequirements().begin(), kernel.getRequirements().end());
  facts.append(form.facts);
  kernel.setRequirementsAttr(builder_.getArrayAttr(facts));
}

LogicalResult FunctionScheduler::chainKernel(Value root, Chain &chain, const ChainForm &form, Value target, ArrayRef<Stored> rows,
                                             ArrayRef<Stored> beside) {
  Location loc = root.getLoc(), line = unnamed(chain.last()->getLoc());
  MLIRContext *context = builder_.getContext();
  auto size = [&](const char *name) { return DimAttr::get(context, Dim::var(name)); };
  graph::ReduceOp sum = rowSums_.count(root) ? root.getDefiningOp<graph::ReduceOp>() : graph::ReduceOp();
  const bool isOfRows = sum || (chain.reduce && !chain.addsBatches);
  RootTile tile = chain.addsBatches ? rootTile(root, size("T.m"), size("T.n")) : isOfRows ? rowTile(root, size("T.m")) : rootTile(root, size("T.m"), form.cols ? form.cols : size("T.cols"));
  Kernel begun = beginKernel(root, GridAttr::get(context, GridKind::Output, tile.extents, 0), target, {}, false, {},
                             graph::KernelOp::getOperationName(), {}, rows.empty() ? beside : rows);
  auto kernel = cast<graph::KernelOp>(begun.op);
  const Machine *machine = machineOf(kernel);
  if (!machine) return failure();
  std::optional<ChainTile> usual = usualChainTile(*machine, chain, form.most);
  TSR_CHECK(usual, "a chain that was planned without room for it");
  if (mayBeNarrow(*machine, chain)) fitKeys(*usual, mostKeys(chain, form.facts));
  setChainSizes(kernel, form, *usual);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.entry());
  Privatiser privatiser(builder, begun.leaves);
  placeTile(tile, root, builder, privatiser, line, chain.addsBatches ? "n" : isOfRows ? "m" : "col");
  if (isOfRows) tile.product.push_back(sum ? Index(privatiser.constantIndex(0, line), form.cols) : Index(privatiser.constantIndex(0, line)));
  bool written = chain.largest ? ChainWriter(builder, privatiser, chain, tile.product, form.depth).run()
                               : writeSweep(builder, privatiser, chain, tile.product, form.depth);
  Value piece = !written ? Value() : sum ? privatiser.part(sum.getOperand(), tile.product) : privatiser.part(root, tile.stored);
  if (!piece) return failure();
  if (sum) piece = builder.create<graph::ReduceOp>(unnamed(loc), TensorType::get(context, size("T.m"), elementTypeOf(root.getType())), "sum", piece, ArrayRef<int64_t>{1});
  SmallVector<Value> pieces;
  for (const Stored &other : beside)
    if (!pieces.emplace_back(privatiser.part(other.first, tile.stored))) return failure();
  store(builder, piece, begun.target, tile.stored, /*byLane=*/false, loc);
  for (auto [i, other] : llvm::enumerate(beside))
    store(builder, pieces[i], begun.others[i], tile.stored, /*byLane=*/false, other.first.getLoc());
  for (auto [i, stored] : llvm::enumerate(rows)) {
    Indices at = Indices(ArrayRef(tile.product).drop_back());
    store(builder, privatiser.part(stored.first, at), begun.others[i], at, /*byLane=*/false, stored.first.getLoc());
  }
  builder.create<graph::KernelEndOp>(line);
  if (failed(decideContract(kernel, *machine, chainReason(chain, form)))) return failure();
  kernel.erase();
  return success();
}

// ---------------------------------------------------------------- sizes

std::optional<ChainTile> usualChainTile(const Machine &machine, Chain &chain, int64_t most) {
  auto bytes = [](Value value) {
    Type element = elementTypeOf(value.getType());
    return static_cast<int64_t>(element.getIntOrFloatBitWidth() + 7) / 8;
  };
  int64_t operand = chain.outer ? std::max(bytes(chain.outer.getLhs()), bytes(chain.outer.getRhs())) : 0, sum = bytes(chain.last()->getResult(0));
  for (graph::DotOp dot : chain.inner) operand = std::max({operand, bytes(dot.getLhs()), bytes(dot.getRhs())});
  int64_t held = most ? most : 64;
  ChainTile tile{64, 64, 64, 64, 256};
  if (machine.family == Target::Cpu)
    return ChainTile{64, 64, 64, 64, 128};  // everything that a step needs stays in the second-level cache
  std::optional<int64_t> keys = chain.inner.empty() ? std::nullopt : mostKeys(chain, {});
  const bool isShort = keys && *keys <= kFewKeys;
  const int64_t beside = bytesBeside(chain);
  if (machine.warpgroupProducts && operand == 2) tile = {128, held <= 64 && !isShort ? 192 : held <= 128 ? 128 : 64, 64, 128, 256};
  else if (machine.family == Target::Cuda && operand == 2) tile = {64, held <= 128 ? 64 : 16, 64, 64, 128};  // without spills
  else if (machine.family == Target::Hip) tile.group = 128;  // two units of 64 lanes, each with whole rows
  else if (sum > 4) tile.n = 32;
  // Two stages of what a turn reads have to be there: what lies beside the scores is as many bytes as keys and values are, or more.
  if (machine.warpgroupProducts && operand == 2 && beside > 0) tile.n = held <= 64 && beside <= 2 ? 128 : kLeastKeys;
  if (machine.warpgroupProducts && operand == 2 && chain.addsBatches && held > 64) tile.m = 64, tile.group = 128;
  while (!chain.largest && tile.n > kLeastKeys && !sweepFits(machine, chain, tile.n, held)) tile.n -= 64;
  // Left and right operands, and the weights on their way into the second product.
  int64_t products = static_cast<int64_t>(chain.inner.size()), depth = most ? most : tile.k, cols = most ? most : tile.cols;
  int64_t outers = 1 + static_cast<int64_t>(chain.beside.size());
  auto shared = [&] { return (products * (tile.m + tile.n) * depth + outers * (tile.n * cols + tile.m * tile.n)) * operand + tile.m * tile.n * beside; };
  const int64_t room = machine.sharedBytes - (machine.family == Target::Hip ? kReductionBytes : 0);
  while (shared() > room && (tile.m > 16 || tile.n > 16)) (tile.m > tile.n ? tile.m : tile.n) /= 2;
  if (shared() > room) return std::nullopt;
  return tile;
}

}  // namespace tessera::transforms
