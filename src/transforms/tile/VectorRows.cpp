// Rows that the lanes of a group take in turn: in vectors, and kept in registers where several loops go over them.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/HeldRows.h"
#include "support/Machine.h"
#include "transforms/tile/VectorForm.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <map>
#include <set>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

constexpr int64_t kSharedVector = 16;  // bytes of shared memory for a vector of a lane (vector.h)

static bool isQuery(Value value, StringRef what) {
  auto query = value.getDefiningOp<tile::QueryOp>();
  return query && query.getQuery() == what;
}

/// Where a part of a row begins that the loop goes over (tile-split-reductions): on a multiple of every vector.
static Value beginOf(scf::ForOp loop) {
  auto sum = loop.getLowerBound().getDefiningOp<tile::ElementwiseOp>();
  bool isPart = loop->hasAttr(kSplit) && sum && sum.getMnemonic() == "add" && isQuery(sum.getArgs()[1], "local_id");
  return isPart ? sum.getArgs()[0] : Value();
}

/// The extent that the loop goes over, or of which it goes over a part.
std::optional<Dim> VectorForm::extentOf(scf::ForOp loop) {
  auto least = loop.getUpperBound().getDefiningOp<tile::ElementwiseOp>();
  return beginOf(loop) && least && least.getMnemonic() == "min" ? dimOf(least.getArgs()[1]) : dimOf(loop.getUpperBound());
}

/// Loops `for (c = local_id; c < C; c += group_size)` at the top of the kernel.
bool VectorForm::findRows() {
  if (kernel_.getGrid().getKind() == GridKind::Lanes || !ordered(kernel_.getBody())) return false;
  Block &top = kernel_.getBody().front();
  SmallVector<scf::ForOp> loops;
  for (auto loop : top.getOps<scf::ForOp>()) {
    bool isRow = isQuery(loop.getLowerBound(), "local_id") && !loop->hasAttr(kSplit);
    if ((isRow || beginOf(loop)) && isQuery(loop.getStep(), "group_size")) loops.push_back(loop);
  }
  bool good = !loops.empty();
  top.walk([&](tile::QueryOp op) {  // nothing else asks who does what
    if (op.getQuery() != "local_id" && op.getQuery() != "group_size" && !op.isVarying()) return;
    good &= op.getQuery() == "local_id" || op.getQuery() == "group_size";
    for (OpOperand &use : op->getUses()) {
      auto isBegin = [&](scf::ForOp loop) { return beginOf(loop) && loop.getLowerBound().getDefiningOp() == use.getOwner(); };
      good &= (llvm::is_contained(loops, use.getOwner()) && use.getOperandNumber() != 1) || llvm::any_of(loops, isBegin);
    }
  });
  if (!good) return false;
  for (scf::ForOp loop : loops) counters_.insert(loop.getInductionVar());
  for (scf::ForOp loop : loops) {
    std::optional<Dim> extent = extentOf(loop);
    size_t known = moves_.size();
    if (extent) findMoves(loop.getRegion());
    bool stores = true;
    loop.getRegion().walk([&](tile::StoreElementOp op) { stores &= op->getBlock() == loop.getBody() && moves_.count(op); });
    if (!stores)
      while (moves_.size() > known) moves_.pop_back();
    if (moves_.size() == known) continue;
    std::next(moves_.begin(), known)->second.divide.push_back(*extent);
    rows_.push_back(loop);
  }
  return !rows_.empty() && choose();
}

/// Groups take rows in turn, and add up columns (SumBesideRows.cpp).
bool VectorForm::takesTurns() {
  bool found = false;
  kernel_.getBody().walk([&](tile::AddColumnOp) { found = true; });
  return found;
}

/// Rows that several loops go over; all rows where groups take them in turn, as the next ones are then on their way.
void VectorForm::findHeld() {
  const bool inTurn = takesTurns();
  struct Row {
    Value base, extent;
    SmallVector<Value> leading;
    SmallVector<tile::LoadElementOp> loads;
    llvm::SmallPtrSet<Operation *, 4> loops;
  };
  SmallVector<Row> found;
  auto alike = [&](Value a, Value b) { return a == b || (dimOf(a) && dimOf(a) == dimOf(b)); };
  for (scf::ForOp loop : rows_)
    for (auto load : loop.getBody()->getOps<tile::LoadElementOp>()) {
      if (!moves_.count(load) || load.getIndices().back() != loop.getInductionVar()) continue;
      ValueRange leading = load.getIndices().drop_back();
      auto outside = [&](Value index) { return index.getParentBlock() == loop->getBlock() || dimOf(index); };
      if (!llvm::all_of(leading, outside)) continue;
      auto same = [&](Row &row) {
        return row.base == load.getBase() && alike(row.extent, loop.getUpperBound()) &&
               llvm::all_of(llvm::zip(row.leading, leading), [&](auto pair) { return alike(std::get<0>(pair), std::get<1>(pair)); });
      };
      auto row = llvm::find_if(found, same);
      if (row == found.end()) {
        found.push_back({load.getBase(), loop.getUpperBound(), SmallVector<Value>(leading), {}, {}});
        row = std::prev(found.end());
      }
      row->loads.push_back(load);
      row->loops.insert(loop);
    }
  // A vector that all groups read is in the cache: it takes no registers where there are rows.
  bool haveRows = llvm::any_of(found, [](const Row &row) { return !row.leading.empty(); });
  if (haveRows) llvm::erase_if(found, [](const Row &row) { return row.leading.empty(); });
  for (Row &row : found) {
    std::optional<Dim> extent = dimOf(row.extent);
    if (!extent || (row.loops.size() < 2 && !inTurn) || (heldExtent_ && heldExtent_ != extent)) continue;
    heldExtent_ = extent;
    Operation *first = rows_.front();
    for (scf::ForOp loop : llvm::reverse(rows_))
      if (row.loops.contains(loop) && !inTurn) first = loop;
    builder_.setInsertionPoint(first);
    Values leading;
    for (Value index : row.leading) leading.push_back(dimOf(index) ? dim(*dimOf(index), unnamed(first->getLoc())) : index);
    auto type = tile::HeldRowType::get(builder_.getContext(), elementTypeOf(row.base.getType()));
    Location loc = named(nameOf(row.base) + "_row", unnamed(row.loads.front().getLoc()));
    Value extentValue = dim(*extent, unnamed(first->getLoc()));
    Value held = builder_.create<tile::HoldRowOp>(loc, type, row.base, leading, extentValue);
    for (auto load : row.loads) held_[load] = held;
  }
}

constexpr int64_t kCostly = 8;         // instructions of a function, about
constexpr int64_t kKeptElements = 32;  // of a row, by a lane: each takes a register

/// A function, rather than an instruction.
static bool isCostly(Operation *op) {
  auto elementwise = dyn_cast<tile::ElementwiseOp>(op);
  if (!elementwise || !isa<FloatType>(elementwise.getType())) return false;
  static const std::set<StringRef> costly = {
      "exp",  "exp2", "log",   "log2", "log10", "sin",  "cos",   "tan",   "tanh",  "erf", "sigmoid", "pow",
      "sqrt", "rsqrt", "div", "asin", "acos",  "atan", "atan2", "asinh", "acosh", "atanh", "sinh",   "cosh"};
  return costly.count(elementwise.getMnemonic()) != 0;
}

/// How a value comes of held elements and of what is known before the loops; "" if of anything else.
std::string VectorForm::keyOf(Value value, scf::ForOp loop) {
  auto pointer = [](void *of) { return std::to_string(reinterpret_cast<uintptr_t>(of)); };
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody()) {
    if (std::optional<Dim> dim = dimOf(value)) return dim->str();
    return loop->isAncestor(value.getParentBlock()->getParentOp()) ? "" : pointer(value.getAsOpaquePointer());
  }
  if (Value row = held_.lookup(op)) return "row " + pointer(row.getAsOpaquePointer());
  if (!isa<tile::ElementwiseOp, tile::CastOp, tile::ConstantOp>(op)) return "";
  std::string key;
  llvm::raw_string_ostream text(key);
  text << op->getName() << op->getAttrDictionary() << value.getType() << '(';
  for (Value operand : op->getOperands()) {
    std::string part = keyOf(operand, loop);
    if (part.empty()) return "";
    text << part << ',';
  }
  text << ')';
  return text.str();
}

/// Values that several loops compute alike out of held rows: the first one keeps them, where that is worth the registers. A value is
/// looked at before what it is made of, which nobody asks for again once it is kept.
void VectorForm::findKept() {
  using Place = std::pair<scf::ForOp, Operation *>;
  std::map<std::string, SmallVector<Place>> found;
  llvm::DenseMap<Operation *, std::string> keys;
  for (scf::ForOp loop : rows_)
    for (Operation &op : *loop.getBody()) {
      if (!isa<tile::ElementwiseOp, tile::CastOp>(op) || !isa<FloatType>(op.getResult(0).getType())) continue;
      std::string key = keyOf(op.getResult(0), loop);
      if (key.find("row ") == std::string::npos) continue;
      auto &list = found[key];
      if (list.empty() || list.back().first != loop) list.push_back({loop, &op});
      keys[&op] = std::move(key);
    }
  for (scf::ForOp loop : rows_)
    for (Operation &op : llvm::reverse(*loop.getBody())) {
      auto key = keys.find(&op);
      if (key == keys.end() || kept_.count(&op)) continue;
      ArrayRef<Place> list = found[key->second];
      if (list.size() < 2 || list.front().second != &op || !isWorthKeeping(&op, loop)) continue;
      recallsOnce_ &= isCostly(&op) && list.size() == 2;
      keep(list);
    }
}

/// The registers of a lane that the rows of a group take, and what may be spent on values that take a few instructions.
bool VectorForm::isWorthKeeping(Operation *op, scf::ForOp loop) {
  constexpr int64_t elements = kKeptElements, registers = 48;  // those that a lane has for such values
  int64_t work = workOf(op, loop);
  if (work >= kCostly) return true;
  if (work < 3 || takesTurns()) return false;
  llvm::DenseSet<Value> rows;
  for (auto [load, row] : held_) rows.insert(row);
  int64_t taken = elements;  // by the value itself
  for (Value row : rows) taken += elements * cast<tile::HeldRowType>(row.getType()).getElementType().getIntOrFloatBitWidth() / 32;
  llvm::DenseSet<Value> before;
  for (auto &[each, place] : kept_) before.insert(place.row);
  return taken + elements * static_cast<int64_t>(before.size()) <= registers;
}

/// About how many instructions an element takes, from held rows and from what is kept.
int64_t VectorForm::workOf(Operation *op, scf::ForOp loop) {
  if (!op || op->getBlock() != loop.getBody() || kept_.count(op) || !isa<tile::ElementwiseOp, tile::CastOp>(op)) return 0;
  int64_t work = isCostly(op) ? kCostly : 1;
  for (Value operand : op->getOperands()) work += workOf(operand.getDefiningOp(), loop);
  return work;
}

void VectorForm::keep(ArrayRef<std::pair<scf::ForOp, Operation *>> places) {
  Operation *first = places.front().second;
  builder_.setInsertionPoint(places.front().first);
  StringRef hint = nameHint(first->getResult(0));
  auto type = tile::KeptRowType::get(builder_.getContext(), first->getResult(0).getType());
  Location loc = named(((hint.empty() ? StringRef("kept") : hint) + "_row").str(), unnamed(first->getLoc()));
  Value row = builder_.create<tile::NewRowOp>(loc, type);
  for (auto &[loop, op] : places) kept_[op] = {row, op == first};
}

/// Computed and kept; or, where rows are held, what was kept.
Value VectorForm::kept(Operation *op) {
  Kept kept = kept_.lookup(op);
  Location loc = op->getLoc();
  auto compute = [&] { return cloneWith(op, [&](Value operand) { return at(operand); })->getResult(0); };
  if (kept.first) {
    Value value = compute();
    builder_.create<tile::KeepOp>(unnamed(loc), value, kept.row, turn_, index_);
    return value;
  }
  Location line = unnamed(loc);
  Value held = dim(Dim::var("T.held"), line), vector = dim(Dim::var("T.vector"), line);
  Value isKept = arithmetic("le", arithmetic("mul", held, vector, line), number(kKeptElements, line), line);
  Value isHeld = arithmetic("and", arithmetic("gt", held, number(0, line), line), isKept, line);
  auto branch = builder_.create<scf::IfOp>(loc, TypeRange(op->getResult(0).getType()), isHeld, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  auto fill = [&](Region &region, function_ref<Value()> value) {
    Block &block = region.front();
    if (!block.empty()) block.back().erase();
    builder_.setInsertionPointToEnd(&block);
    values_.push_back(values_.back());  // what is known before the branch
    Value result = value();
    values_.pop_back();
    builder_.create<scf::YieldOp>(unnamed(loc), result);
  };
  fill(branch.getThenRegion(), [&]() -> Value { return builder_.create<tile::RecallOp>(loc, op->getResult(0).getType(), kept.row, turn_, index_); });
  fill(branch.getElseRegion(), compute);
  return branch.getResult(0);
}

/// The turns in which lanes take the vectors of the loop's row. `body` computes what they carry from one to the next.
VectorForm::Values VectorForm::overTurns(scf::ForOp loop, ValueRange inits, function_ref<Values(ValueRange)> body) {
  Location loc = unnamed(loop.getLoc());
  builder_.setInsertionPoint(loop);
  Value extent = loop.getUpperBound(), begin = beginOf(loop);
  Value count = begin ? arithmetic("sub", extent, begin, loc) : extent;
  Value first = number(0, loc), turns = builder_.create<tile::RowTurnsOp>(loc, builder_.getIndexType(), count), step = number(1, loc);
  auto turn = builder_.create<scf::ForOp>(loop.getLoc(), first, turns, step, inits);
  turn->setAttr(tile::kUnrolled, builder_.getStringAttr("held"));
  turn.getInductionVar().setLoc(named("k", loc));
  Block *block = turn.getBody();
  if (!block->empty()) block->back().erase();
  builder_.setInsertionPointToEnd(block);
  turn_ = turn.getInductionVar();
  Value vectors = arithmetic("add", arithmetic("mul", turn_, query("group_size", loc), loc), query("local_id", loc), loc);
  StringRef hint = nameHint(loop.getInductionVar());
  Location counter = named(hint.empty() ? "c" : hint, loc);
  counterBase_ = arithmetic("mul", vectors, dim(Dim::var("T.vector"), loc), begin ? loc : counter);
  if (begin) counterBase_ = arithmetic("add", begin, counterBase_, counter);
  bool carries = !inits.empty();
  auto inside = builder_.create<scf::IfOp>(loc, inits.getTypes(), arithmetic("lt", counterBase_, extent, loc), carries);
  auto emptied = [&](Region &region) {
    Block &into = region.front();
    if (!into.empty()) into.back().erase();
    builder_.setInsertionPointToEnd(&into);
  };
  emptied(inside.getThenRegion());
  bases_.emplace_back();
  Values results = body(turn.getRegionIterArgs());
  builder_.create<scf::YieldOp>(loc, results);
  bases_.pop_back();
  if (carries) {
    emptied(inside.getElseRegion());
    builder_.create<scf::YieldOp>(loc, turn.getRegionIterArgs());
  }
  builder_.setInsertionPointToEnd(block);
  builder_.create<scf::YieldOp>(loc, inside.getResults());
  return Values(turn.getResults());
}

void VectorForm::vectoriseRow(scf::ForOp loop) {
  Location loc = unnamed(loop.getLoc());
  Values results = overTurns(loop, loop.getInitArgs(), [&](ValueRange carried) {
    for (auto [from, to] : llvm::zip(loop.getRegionIterArgs(), carried)) to.setLoc(from.getLoc());
    return computeAll(*loop.getBody(), carried, loop.getRegionIterArgs(), loop.getYieldedValues(), loc);
  });
  for (auto [from, to] : llvm::zip(loop.getResults(), results)) from.replaceAllUsesWith(to);
  loop.erase();
}

void VectorForm::vectoriseRows() {
  findHeld();
  rowExtent_ = heldExtent_ ? heldExtent_ : extentOf(rows_.front());
  bool parts = static_cast<bool>(beginOf(rows_.front()));
  // Lanes hold turns of one extent; loops over another stay as they are.
  if (heldExtent_) llvm::erase_if(rows_, [&](scf::ForOp loop) { return extentOf(loop) != heldExtent_; });
  findOnline();
  if (heldExtent_ && !online_) findKept();
  SmallVector<scf::ForOp> loops = rows_;
  if (online_) vectoriseOnline();
  else
    for (scf::ForOp loop : loops) vectoriseRow(loop);
  clean();
  settle();
  if (takesTurns()) chooseTurnVariants();
  else chooseRowVariants(parts);
}

/// Lanes where groups take rows in turn. Of short rows a lane has up to twelve elements, as it holds those of each array, and their sums: so few
/// lanes have little to wait for each other, and many groups share a processor, so that some read while others compute. A group of long rows
/// is alone there: its lanes have four or eight elements, and those of the next row are on their way meanwhile.
void VectorForm::chooseTurnVariants() {
  constexpr int64_t few = 4, most = 8, lanesOfFew = 192, ofShort = 12, lanesOfShort = 192;
  const int64_t extent = rowExtent_->constant();
  SmallVector<Attribute> variants;
  auto lanesFor = [&](int64_t each) { return (extent + 32 * each - 1) / (32 * each) * 32; };
  const bool isShort = lanesFor(ofShort) <= lanesOfShort;
  if (!isShort) kernel_->setAttr(tile::kRowsAhead, builder_.getUnitAttr());
  for (int64_t elements : {elements_, int64_t{1}}) {
    int64_t each = isShort ? ofShort / elements * elements : std::max(few, elements);
    if (!isShort && lanesFor(each) > lanesOfFew) each = std::max(most, elements);
    each = std::max(each, elements);
    variants.push_back(variant({{"vector", elements}, {"held", each / elements}, {"threads", lanesFor(each)}}, elements > 1));
  }
  setVariants(variants, isShort ? "rows: a lane holds its vectors of the row in registers: each row is read once"
                                : "rows: a lane holds its vectors of the row in registers, and asks for those of the next row: each row is read once");
}

/// Turns of a group of so many lanes that shared memory holds of all rows that the kernel holds, where so many groups share a
/// processor: one then reads while the other computes.
int64_t VectorForm::turnsInShared(int64_t lanes, int64_t groups) {
  constexpr int64_t reserved = 2048;       // where the lanes of a group meet
  constexpr int64_t ofEveryGpu = 99 << 10;  // of NVIDIA's from sm_80 on, for text that is compiled for all of them
  const Machine *machine = machineOf(kernel_);
  if (!machine || machine->family == Target::Cpu) return 0;
  int64_t bytes = machine->family == Target::Cuda && !machine->warpgroupProducts ? std::min(machine->sharedBytes, ofEveryGpu) : machine->sharedBytes;
  return (bytes / groups - reserved) / (kSharedVector * lanes * heldRows());
}
int64_t VectorForm::heldRows() {
  llvm::DenseSet<Value> rows;
  for (auto [load, row] : held_) rows.insert(row);
  return static_cast<int64_t>(rows.size());
}
/// The row that is held is that of a matrix with the group's number, so that the group knows its next one.
bool VectorForm::takesNext() {
  const Machine *machine = machineOf(kernel_);
  GridAttr grid = kernel_.getGrid();
  if (!machine || machine->family != Target::Cuda || heldRows() != 1 || grid.getKind() != GridKind::Output) return false;
  tile::HoldRowOp row;
  bool shares = false;  // what the group shares would have to be free again for the next row
  kernel_.getBody().walk([&](Operation *op) {
    if (auto held = dyn_cast<tile::HoldRowOp>(op)) row = held;
    shares |= isa<tile::AllocSharedOp>(op);
  });
  if (shares) return false;
  auto number = row && row.getIndices().size() == 1 ? row.getIndices()[0].getDefiningOp<tile::QueryOp>() : tile::QueryOp();
  auto rows = row ? dyn_cast<ViewType>(row.getBase().getType()) : ViewType();
  if (!number || number.getQuery() != "origin" || number.getAxis() != 0 || !rows || rows.getPlaces() || rows.getShape().size() != 2) return false;
  ArrayRef<DimAttr> shape = shapeOf(kernel_.getArgumentTypes()[grid.getParam()]), tiles = grid.getDims();
  return shape[0] == rows.getShape()[0] && tiles[0].getConstant() == 1 && shape.drop_front() == tiles.drop_front() &&
         Dim(elementTypeOf(rows).getIntOrFloatBitWidth() / 8 * elements_) == Dim(kSharedVector);
}
/// Bytes of shared memory that the rows take (vector.h, HeldRow).
Dim VectorForm::sharedFor(int64_t lanes, int64_t most) {
  return Dim(heldRows() * kSharedVector * lanes) * Dim::min(Dim(most), Dim::ceilDiv(*rowExtent_, Dim(lanes * elements_)));
}

/// Lanes and registers by the length of the row: 32 elements a lane, of long rows 16 registers more. Short rows have fewer lanes than a warp, as each
/// step of a reduction between lanes, and each number of a row, is an instruction of all of them.
void VectorForm::chooseRowVariants(bool parts) {
  using Block = std::pair<int64_t, int64_t>;      // lanes of a group, groups of a block
  constexpr int64_t most = kKeptElements, few = 8;  // elements of a row that a lane has
  constexpr int64_t single = 16;                  // where each takes a register of its own
  const int64_t usual = kernel_.getGroup();
  bool fixed = kernel_.getSizes().contains("warps");  // the program says how many lanes
  SmallVector<Attribute> variants;
  auto add = [&](int64_t elements, int64_t held, Block block, std::optional<int64_t> limit, const std::optional<Dim> &shared = std::nullopt) {
    Sizes sizes = {{"vector", elements}};
    if (heldExtent_) sizes.push_back({"held", held});
    sizes.push_back({"threads", block.first});
    if (!fixed) sizes.push_back({"rows", block.second});
    NamedAttrList made(cast<DictionaryAttr>(variant(sizes, elements > 1, limit)));
    if (shared) made.set("shared", DimAttr::get(builder_.getContext(), *shared));
    variants.push_back(made.getDictionary(builder_.getContext()));
  };
  std::optional<int64_t> extent;
  if (rowExtent_->isConstant()) extent = rowExtent_->constant();
  if (!heldExtent_) {
    if (!fixed && !parts && extent.value_or(0) <= 2048) add(elements_, 0, {32, 8}, 2048);
    add(elements_, 0, {usual, 1}, std::nullopt);
    add(1, 0, {usual, 1}, std::nullopt);
    return setVariants(variants, "rows: a group goes over its row once, in vectors");
  }
  std::vector<std::pair<Block, int64_t>> shapes = {{{8, 16}, most}, {{16, 8}, most}, {{32, 4}, most}, {{128, 1}, most}, {{256, 1}, most}, {{512, 1}, most}};
  // Elements of 16 bits are two a register: with twice as many of them, fewer lanes have more loads under way each, and what is kept
  // of them is computed again. Two groups of long rows share a processor: one reads while the other computes.
  if (heldRows() == 1 && elements_ == 8 && recallsOnce_) {
    shapes.resize(1);
    for (int64_t lanes : {8, 16, 32, 64, 128, 256, 512}) shapes.push_back({{lanes, lanes <= 32 ? 128 / lanes : 1}, 2 * most});
  } else {
    shapes.push_back({{1024, 1}, most});
  }
  if (heldRows() > 1) shapes.front() = {{32, 4}, few}, shapes.erase(shapes.begin() + 1);  // registers
  // What is read once needs no place: a lane that keeps little is one of many that read.
  if (online_) llvm::erase_if(shapes, [&](const auto &shape) { return shape.first.first > usual; });
  if (fixed) shapes = {{{usual, 1}, most}};
  bool known = false;  // that the last one takes the row
  for (auto [block, each] : shapes) {
    if (known || (extent && *extent > block.first * each)) continue;
    int64_t held = std::max<int64_t>(1, each / elements_);
    if (extent) held = (*extent + block.first * elements_ - 1) / (block.first * elements_);
    add(elements_, held, block, block.first * held * elements_);
    known = extent.has_value();
  }
  const bool inShared = !known && !fixed && !online_ && turnsInShared(1024, 1) > 0;
  if (inShared) {
    const int64_t longest = shapes.back().first.first * shapes.back().second;
    int64_t half = turnsInShared(512, 2), limit = 512 * half * elements_, twice = turnsInShared(1024, 1) / 2;
    if (int64_t ahead = 1024 * twice * elements_; ahead > longest && takesNext() && extent.value_or(0) <= ahead)
      add(elements_, tile::kRowAhead, {1024, 1}, ahead, Dim(2) * sharedFor(1024, twice)), known = extent.has_value();
    else if (limit > longest && extent.value_or(0) <= limit)
      add(elements_, tile::kRowInShared, {512, 1}, limit, sharedFor(512, half)), known = extent.has_value();
    if (int64_t whole = turnsInShared(1024, 1); !known) add(elements_, -whole, {1024, 1}, std::nullopt, sharedFor(1024, whole));
  } else if (!known) {
    add(elements_, 0, fixed || online_ ? Block(usual, 1) : Block(1024, 1), std::nullopt);
  }
  if (!fixed)
    for (Block block : {Block(32, 8), Block(256, 1)})
      if (extent.value_or(0) <= block.first * single) add(1, single, block, block.first * single);
  add(1, 0, {usual, 1}, std::nullopt);
  if (online_) return setVariants(variants, "rows: a group reads its row once; each lane adds up powers beside the largest element so far (R15)");
  bool ahead = llvm::any_of(variants, [](Attribute made) { return cast<DictionaryAttr>(made).getAs<IntegerAttr>("held").getInt() == tile::kRowAhead; });
  setVariants(variants, ahead ? "rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared memory: that much of the row is read once; with kAhead in shared memory, where the group's next row comes meanwhile"
                        : inShared ? "rows: a lane holds its vectors of the row, Held of them, in registers, or -Held in shared memory: that much of the row is read once"
                                 : "rows: a lane holds its vectors of the row, Held of them, in registers: the row is read once");
}

}  // namespace tessera::transforms
