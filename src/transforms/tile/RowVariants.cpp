// How many lanes a row has, and where its vectors are: kernels for rows of different lengths, of which the entry function starts one.
#include "ir/common/Common.h"
#include "ir/tile/HeldRows.h"
#include "support/Lanes.h"
#include "support/Machine.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

constexpr int64_t kLongRow = 16384;    // elements: no group shares a shorter one
constexpr int64_t kSharedLine = 128;   // bytes: rows begin with one
constexpr int64_t kSharedVector = 16;  // bytes of shared memory for a vector of a lane (vector.h)

/// Whether a lane's registers hold so many elements of all rows that are held, and of the sums of their columns.
bool VectorForm::holdsInTurn(int64_t elements) {
  constexpr int64_t registers = 96;  // the rest is for computing
  llvm::DenseSet<Value> rows, sums;
  int64_t bits = 0;
  for (auto [load, row] : held_)
    if (rows.insert(row).second) bits += cast<tile::HeldRowType>(row.getType()).getElementType().getIntOrFloatBitWidth();
  kernel_.getBody().walk([&](tile::AddColumnOp op) {
    if (sums.insert(op.getBase()).second) bits += elementTypeOf(op.getBase().getType()).getIntOrFloatBitWidth();
  });
  return elements * bits <= registers * 32;
}

/// Lanes where groups take rows in turn. Of short rows a lane has up to twelve elements, as it holds those of each array, and their sums: so few
/// lanes have little to wait for each other, and many groups share a processor, so that some read while others compute. Of long rows it has 32,
/// where registers hold them. Else a group of long rows is alone there: its lanes have four or eight elements, and those of the next row are on
/// their way meanwhile.
void VectorForm::chooseTurnVariants() {
  constexpr int64_t few = 4, most = 8, lanesOfFew = 192, ofShort = 12, lanesOfShort = 192, many = 32;
  const int64_t extent = rowExtent_->constant();
  SmallVector<Attribute> variants;
  auto lanesFor = [&](int64_t each) { return (extent + 32 * each - 1) / (32 * each) * 32; };
  const bool isShort = lanesFor(ofShort) <= lanesOfShort, haveMany = !isShort && holdsInTurn(many);
  if (haveMany) kernel_->setAttr(tile::kManyElements, builder_.getUnitAttr());
  else if (!isShort) kernel_->setAttr(tile::kRowsAhead, builder_.getUnitAttr());
  for (int64_t elements : {elements_, int64_t{1}}) {
    int64_t each = isShort ? ofShort / elements * elements : std::max(few, elements);
    if (!isShort && lanesFor(each) > lanesOfFew) each = std::max(most, elements);
    if (haveMany && elements > 1) each = many;  // single elements take a register each
    each = std::max(each, elements);
    variants.push_back(variant({{"vector", elements}, {"held", each / elements}, {"threads", lanesFor(each)}}, elements > 1));
  }
  setVariants(variants, isShort || haveMany ? "rows: a lane holds its vectors of the row in registers: each row is read once"
                                            : "rows: a lane holds its vectors of the row in registers, and asks for those of the next row: each row is read once");
}

/// Turns of a group of so many lanes that shared memory holds of all rows that the kernel holds, where so many groups share a
/// processor: one then reads while the other computes.
int64_t VectorForm::turnsInShared(int64_t lanes, int64_t groups, int64_t cluster) {
  constexpr int64_t system = 1024;         // of each group
  int64_t reserved = 2048, values = 0;     // where the lanes of a group meet, and those of a cluster
  kernel_.getBody().walk([&](tile::GroupReduceOp) { ++values; });
  if (cluster > 1) reserved = std::max(reserved, system + kSharedLine + values * (cluster * lanes / kWarpLanes * int64_t{sizeof(float)} + int64_t{sizeof(uint64_t)}));
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
/// Whether groups that share a row can meet: they exchange what they reduce, 32 bits each, in a straight line.
bool VectorForm::meetsInClusters() {
  const Machine *machine = machineOf(kernel_);
  if (!machine || !machine->warpgroupProducts || !heldExtent_ || online_ || kernel_.getSizes().contains("warps") || !rowsOfLaunch()) return false;
  bool some = false, all = true;
  kernel_.getBody().walk([&](tile::GroupReduceOp op) {
    some = true;
    all &= op->getParentOp() == kernel_ && op.getType().isIntOrFloat() && op.getType().getIntOrFloatBitWidth() == 32;
  });
  kernel_.getBody().walk([&](tile::QueryOp query) { all &= query.getQuery() != "lane_id" && query.getQuery() != "linear_id"; });
  return some && all;
}
/// Bytes of shared memory that the rows take in each of the groups that share them (vector.h, HeldRow).
Dim VectorForm::sharedFor(int64_t lanes, int64_t most, bool edges, int64_t cluster) {
  const Dim extent = edges ? *rowExtent_ + Dim(elements_ - 1) : *rowExtent_;
  return Dim(heldRows() * kSharedVector * lanes / cluster) * Dim::min(Dim(most), Dim::ceilDiv(extent, Dim(lanes * elements_)));
}

/// How many rows there are, a group for each; nothing where they are not those of a tensor.
std::optional<Dim> VectorForm::rowsOfLaunch() {
  GridAttr grid = kernel_.getGrid();
  if (grid.getKind() != GridKind::Output || grid.getParam() < 0) return std::nullopt;
  Dim rows(1);
  std::map<std::string, Dim> sizes;  // entry functions ask for numbers
  for (NamedAttribute size : kernel_.getSizes())
    if (auto number = dyn_cast<IntegerAttr>(size.getValue())) sizes["T." + size.getName().str()] = Dim(number.getInt());
  for (auto [extent, tile] : llvm::zip(shapeOf(kernel_.getArgumentTypes()[grid.getParam()]), grid.getDims()))
    if (extent != tile) rows = rows * Dim::ceilDiv(extent.getDim(), tile.getDim().substitute(sizes));
  return rows;
}

/// Lanes of a row where there are fewer rows than processors: each lane has two vectors at least, so that a row, as that of a token, is done soon.
std::optional<int64_t> VectorForm::lanesOfFewRows(int64_t usual) {
  constexpr int64_t most = 512, vectors = 2;
  const Machine *machine = machineOf(kernel_);
  std::optional<Dim> rows = rowsOfLaunch();
  if (!machine || !rows || !rowExtent_->isConstant()) return std::nullopt;
  if (rows->terms().size() == 1 && rows->terms().front().coefficient > machine->processors) return std::nullopt;  // none, or more
  const int64_t lanes = std::min(most, rowExtent_->constant() / (vectors * elements_) / 32 * 32);
  return lanes > usual ? std::optional(lanes) : std::nullopt;
}

/// One variant for the row, with what it asks for. `limit`: elements of the row and of what its first vector has before it.
void VectorForm::addRowVariant(SmallVectorImpl<Attribute> &variants, int64_t elements, int64_t held, LanesAndGroups block, std::optional<int64_t> limit,
                               bool edges, const std::optional<Dim> &shared, ArrayRef<Attribute> when, int64_t cluster) {
  Sizes sizes = {{"vector", elements}};
  if (heldExtent_) sizes.push_back({"held", held});
  sizes.push_back({"threads", block.first});
  if (!kernel_.getSizes().contains("warps")) sizes.push_back({"rows", block.second});
  if (mayHaveEdges_) sizes.push_back({"edges", edges});
  if (mayHaveClusters_) sizes.push_back({"cluster", cluster});
  if (edges && limit) limit = *limit - (elements - 1);
  NamedAttrList made(cast<DictionaryAttr>(variant(sizes, elements > 1, limit, edges)));
  if (!when.empty()) {
    SmallVector<Attribute> all(when);
    if (auto others = dyn_cast_or_null<ArrayAttr>(made.get("when"))) llvm::append_range(all, others);
    made.set("when", builder_.getArrayAttr(all));
  }
  if (shared) made.set("shared", DimAttr::get(builder_.getContext(), *shared));
  variants.push_back(made.getDictionary(builder_.getContext()));
}

/// Lanes of a row, groups of a block, and elements of the row that a lane has in registers.
std::vector<std::pair<VectorForm::LanesAndGroups, int64_t>> VectorForm::shapesOfRows(bool edges) {
  constexpr int64_t most = kKeptElements, few = 8;
  const int64_t usual = kernel_.getGroup();
  const bool fixed = kernel_.getSizes().contains("warps");
  std::vector<std::pair<LanesAndGroups, int64_t>> shapes = {{{8, 16}, most}, {{16, 8}, most}, {{32, 4}, most}, {{128, 1}, most}, {{256, 1}, most}, {{512, 1}, most}};
  // Elements of 16 bits are two a register: with twice as many of them, fewer lanes have more loads under way each, and what is kept
  // of them is computed again. Two groups of long rows share a processor: one reads while the other computes.
  const bool many = heldRows() == 1 && elements_ == 8 && recallsOnce_;
  if (many && !edges) {
    shapes.resize(1);
    for (int64_t lanes : {8, 16, 32, 64, 128, 256, 512}) shapes.push_back({{lanes, lanes <= 32 ? 128 / lanes : 1}, 2 * most});
  } else if (heldRows() == 1 && elements_ == 8 && !keepsCostly_ && !edges) {
    // Likewise where what is kept takes few instructions. A layer norm of bf16, fractions of a copy on one H200: rows of 5120 0.64 to 0.74, of
    // 8192 0.76 to 0.78, of 16384 0.74 to 0.82, of 32768 0.59 to 0.74; shorter ones are as fast with either or slower. Rows of 2048, which leave
    // half of 128 lanes idle, 0.66, and by 64 lanes 0.88.
    shapes.resize(4);
    shapes.insert(shapes.begin() + 3, {{64, 1}, most});
    for (int64_t lanes : {128, 256, 512}) shapes.push_back({{lanes, 1}, 2 * most});
  } else if (!many) {
    shapes.push_back({{1024, 1}, most});
  }
  if (heldRows() > 1) shapes.front() = {{32, 4}, few}, shapes.erase(shapes.begin() + 1);  // registers
  // What is read once needs no place: a lane that keeps little is one of many that read.
  if (online_) llvm::erase_if(shapes, [&](const auto &shape) { return shape.first.first > usual; });
  if (fixed) shapes = {{{usual, 1}, most}};
  // A vector more, of which the row has a part: rows of 4096 and a few less or more then take the same lanes. And fewer texts for compilers.
  // Elements of 32 bits or more take registers of their own, beside what says which of them the row has: with half of them nothing spills.
  if (edges) {
    llvm::erase_if(shapes, [](const auto &shape) { return shape.first.first == 16; });
    for (auto &[block, each] : shapes) each = (elements_ < 8 ? each / 2 : each) + elements_;
  }
  return shapes;
}

/// Rows that are longer than `longest`, which one group holds, by several groups of a cluster. As many of them share a processor as hold their parts
/// of rows in its shared memory: while some wait for each other, others read. More groups of a row wait for more of them. Softmax and layer norm
/// of bf16, fractions of a copy on one H200: rows of 65536 by 4 groups 0.84 and 0.72, by 8 0.72 and 0.57; of 131072 by 4 0.84 and 0.64, by 8 0.85
/// and 0.73; of 262144 by 8 groups of 256 lanes 0.84 and 0.62, of 512 0.83 and 0.68. True if all rows that are longer are held so.
bool VectorForm::addClusterVariants(SmallVectorImpl<Attribute> &variants, bool edges, int64_t longest) {
  struct Shape {
    int64_t groups, lanes, onProcessor;
  };
  const int64_t more = edges ? elements_ - 1 : 0, extent = rowExtent_->isConstant() ? rowExtent_->constant() + more : 0;
  SmallVector<Shape> shapes = {{4, 256, 4}, {8, 256, 4}, {8, 512, 1}};
  if (edges) shapes = {{4, 256, 4}, {8, 256, 1}};  // each is one more text for compilers
  for (auto [groups, lanes, onProcessor] : shapes) {
    const int64_t all = groups * lanes, turns = turnsInShared(lanes, onProcessor, groups), limit = all * turns * elements_;
    if (limit <= longest || extent > limit) continue;
    addRowVariant(variants, elements_, tile::kRowInShared, {all, 1}, limit, edges, sharedFor(all, turns, edges, groups), {}, groups);
    if (extent) return true;
    longest = limit;
  }
  return false;
}

/// Variants whose lanes take vectors of a row that is held.
void VectorForm::addHeldVariants(SmallVectorImpl<Attribute> &variants, bool edges) {
  const int64_t usual = kernel_.getGroup(), more = edges ? elements_ - 1 : 0;
  const bool fixed = kernel_.getSizes().contains("warps");
  std::optional<int64_t> extent;
  if (rowExtent_->isConstant()) extent = rowExtent_->constant() + more;
  const auto shapes = shapesOfRows(edges);
  auto add = [&](int64_t held, LanesAndGroups block, std::optional<int64_t> limit, const std::optional<Dim> &shared = std::nullopt, ArrayRef<Attribute> when = {}) {
    addRowVariant(variants, elements_, held, block, limit, edges, shared, when);
  };
  bool known = false;  // that the last one takes the row
  for (auto [block, each] : shapes) {
    if (known || (extent && *extent > block.first * each)) continue;
    int64_t held = std::max<int64_t>(1, each / elements_);
    if (extent) held = (*extent + block.first * elements_ - 1) / (block.first * elements_);
    if (std::optional<int64_t> lanes = fixed || !extent || edges ? std::nullopt : lanesOfFewRows(block.first)) {
      DimAttr processors = DimAttr::get(builder_.getContext(), Dim(machineOf(kernel_)->processors));
      Attribute few = RequirementAttr::get(builder_.getContext(), DimAttr::get(builder_.getContext(), *rowsOfLaunch()), Relation::Le, processors, "");
      add((*extent + *lanes * elements_ - 1) / (*lanes * elements_), {*lanes, 1}, std::nullopt, std::nullopt, few);
    }
    add(held, block, block.first * held * elements_);
    known = extent.has_value();
  }
  if (!known && !fixed && !online_ && turnsInShared(1024, 1) > 0) {
    int64_t longest = shapes.back().first.first * shapes.back().second;
    int64_t half = turnsInShared(512, 2), limit = 512 * half * elements_, twice = turnsInShared(1024, 1) / 2;
    // What clusters hold they read as fast or faster, in the same text: softmax of 8192 rows of 50304 0.97 of a copy, by one group 0.91, an RMS norm 0.87
    // and 0.84, a layer norm 0.73 and 0.71 (bf16, one H200).
    const bool byOne = !mayHaveClusters_;
    if (int64_t ahead = 1024 * twice * elements_; byOne && ahead > longest && takesNext() && extent.value_or(0) <= ahead)
      add(tile::kRowAhead, {1024, 1}, ahead, Dim(2) * sharedFor(1024, twice, edges)), known = extent.has_value(), longest = ahead;
    else if (byOne && limit > longest && extent.value_or(0) <= limit)
      add(tile::kRowInShared, {512, 1}, limit, sharedFor(512, half, edges)), known = extent.has_value(), longest = limit;
    if (!known && mayHaveClusters_) known = addClusterVariants(variants, edges, longest);
    if (int64_t whole = turnsInShared(1024, 1); !known) add(-whole, {1024, 1}, std::nullopt, sharedFor(1024, whole, edges));
  } else if (!known) {
    add(0, fixed || online_ ? LanesAndGroups(usual, 1) : LanesAndGroups(1024, 1), std::nullopt);
  }
}

/// Variants of a row that is read once and not held. Of short rows each lane reads up to three vectors: with a warp for each most lanes of it read
/// nothing (rows of 64 elements of 16 bits: 89 us, with eight lanes 33, where 100 MB are read). From 256 such elements on a warp is as fast.
void VectorForm::addReadOnceVariants(SmallVectorImpl<Attribute> &variants, bool edges, bool parts) {
  constexpr int64_t vectors = 3;
  const bool fixed = kernel_.getSizes().contains("warps");
  const int64_t more = edges ? elements_ - 1 : 0, extent = rowExtent_->isConstant() ? rowExtent_->constant() + more : 0;  // 0: not known
  if (!fixed && !parts)
    for (auto [block, limit] : {std::pair(LanesAndGroups(8, 16), 8 * vectors * elements_), std::pair(LanesAndGroups(32, 8), int64_t{2048})}) {
      if (extent <= limit) addRowVariant(variants, elements_, 0, block, limit, edges);
      if (extent && extent <= limit) return;
    }
  if (SmallVector<Attribute> few = fixed || parts ? SmallVector<Attribute>() : areFewAndLong(); !few.empty())
    addRowVariant(variants, elements_, 0, {1024, 1}, std::nullopt, edges, std::nullopt, few);
  addRowVariant(variants, elements_, 0, {kernel_.getGroup(), 1}, std::nullopt, edges);
}

/// Long rows that are fewer than the groups that keep a machine busy have more lanes; empty where rows are known to be short, or many.
SmallVector<Attribute> VectorForm::areFewAndLong() {
  constexpr int64_t longest = 16384;  // where each of 1024 lanes has four vectors
  const Machine *machine = machineOf(kernel_);
  std::optional<Dim> rows = rowsOfLaunch();
  if (!machine || !rows || (rowExtent_->isConstant() && rowExtent_->constant() < longest)) return {};
  if (*rows == *rowExtent_) return {};  // of a square, long rows are many
  const int64_t most = 4 * machine->processors;
  if (rows->isConstant() ? rows->constant() > most : rows->terms().size() == 1 && rows->terms().front().coefficient > most) return {};
  auto atMost = [&](const Dim &left, const Dim &right) -> Attribute {
    MLIRContext *context = builder_.getContext();
    return RequirementAttr::get(context, DimAttr::get(context, left), Relation::Le, DimAttr::get(context, right), "");
  };
  return {atMost(Dim(longest), *rowExtent_), atMost(*rows, Dim(most))};
}

/// Lanes and registers by the length of the row: 32 elements a lane, of long rows 16 registers more. Short rows have fewer lanes than a warp, as each
/// step of a reduction between lanes, and each number of a row, is an instruction of all of them.
void VectorForm::chooseRowVariants(bool parts) {
  constexpr int64_t single = 12;                  // elements of a lane where each takes a register of its own: with 16 some kernels spill
  const int64_t usual = kernel_.getGroup();
  bool fixed = kernel_.getSizes().contains("warps");  // the program says how many lanes
  SmallVector<Attribute> variants;
  std::optional<int64_t> extent;
  if (rowExtent_->isConstant()) extent = rowExtent_->constant();
  mayHaveClusters_ = meetsInClusters() && extent.value_or(kLongRow) >= kLongRow;
  for (bool edges : {false, true}) {
    if (edges ? !mayHaveEdges_ : mayHaveEdges_ && extent) continue;
    if (heldExtent_) addHeldVariants(variants, edges);
    else addReadOnceVariants(variants, edges, parts);
  }
  if (heldExtent_ && !fixed)
    for (LanesAndGroups block : {LanesAndGroups(32, 8), LanesAndGroups(256, 1)})
      if (extent.value_or(0) <= block.first * single) addRowVariant(variants, 1, single, block, block.first * single, false);
  addRowVariant(variants, 1, 0, {usual, 1}, std::nullopt, false);
  if (!heldExtent_) return setVariants(variants, "rows: a group goes over its row once, in vectors");
  if (online_) return setVariants(variants, "rows: a group reads its row once; each lane adds up powers beside the largest element so far (R15)");
  auto holds = [&](auto test) { return llvm::any_of(variants, [&](Attribute made) { return test(cast<DictionaryAttr>(made).getAs<IntegerAttr>("held").getInt()); }); };
  bool ahead = holds([](int64_t held) { return held == tile::kRowAhead; }), inShared = holds([](int64_t held) { return held < 0; });
  const bool inClusters = llvm::any_of(variants, [](Attribute made) {
    auto groups = cast<DictionaryAttr>(made).getAs<IntegerAttr>("cluster");
    return groups && groups.getInt() > 1;
  });
  std::string reason = "rows: a lane holds its vectors of the row, Held of them, in registers";
  reason += inShared ? ", or -Held in shared memory: that much of the row is read once" : ": the row is read once";
  if (ahead) reason += "; with kAhead in shared memory, where the group's next row comes meanwhile";
  if (inClusters) reason += "; with kInShared in that of Cluster groups, which share the row";
  setVariants(variants, reason);
}

}  // namespace tessera::transforms
