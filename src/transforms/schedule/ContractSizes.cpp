// The tile of a product that a group computes, where nobody has tuned it.
#include "ir/common/Conversions.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kShortSum = 1024;  // terms: 8192 x 3072 x 768 is faster with 128 columns, 8192 x 768 x 3072 with 192
constexpr int64_t kShortBesideWide = 4096;  // what is read and written in 32 bits for each sum takes four times as long as a step of the sums

int64_t bytesOf(Type element) {
  auto dtype = dtypeOf(element);
  return dtype ? storageBytes(*dtype) : 8;
}

/// No more than the least power of two that covers an extent that is a known number.
int64_t covering(int64_t usual, DimAttr extent) {
  std::optional<int64_t> count = extent.getConstant();
  int64_t size = 16;
  while (size < usual && (!count || size < *count)) size *= 2;
  return size;
}

/// Elements of a row of a panel in shared memory, 128 bytes.
int64_t panelOf(int64_t bytes) { return 128 / bytes; }

/// Products by warpgroups whose right operand is computed, in 16 bits: it is multiplied from registers (tile-turn-products).
bool isTurned(const Machine &machine, graph::DotOp dot, ContractWork work) {
  return hasWarpgroupProduct(machine, dot) && work.computesRight && !work.computesLeft && work.leastBytes > 0 &&
         bytesOf(elementTypeOf(dot.getRhs().getType())) == 2;
}

}  // namespace

static bool hasInstruction(const Machine &machine, graph::DotOp dot, bool ofWarpgroup) {
  if (dot.hasTerm()) return false;
  std::optional<DType> operand = dtypeOf(elementTypeOf(dot.getLhs().getType())), sum = dtypeOf(elementTypeOf(dot.getType()));
  return llvm::any_of(machine.matrixInstructions(), [&](const MatrixInstruction &each) {
    return (each.ofWarpgroup() || !ofWarpgroup) && each.a == operand && each.acc == sum;
  });
}
bool hasWarpgroupProduct(const Machine &machine, graph::DotOp dot) { return hasInstruction(machine, dot, true); }
bool hasMatrixInstruction(const Machine &machine, graph::DotOp dot) { return hasInstruction(machine, dot, false); }

/// Lanes of a group whose tile is smaller than the usual one, and its step along k: a lane has 32 sums or fewer, for which it reads two
/// numbers each four, and what lies behind the last of few terms is multiplied, too.
static void fitGroup(const Machine &machine, ContractTile &tile, int64_t products) {
  constexpr int64_t kSumsOfLane = 32, kSmall = 64, kStep = 16;
  const int64_t warp = std::max<int64_t>(machine.warpLanes, 32);
  tile.group = std::clamp(tile.m * tile.n * products / kSumsOfLane / warp * warp, warp, tile.group);
  if (tile.m <= kSmall && tile.n <= kSmall) tile.k = std::min(tile.k, kStep);
}

ContractTile usualContractTile(const Machine &machine, ArrayRef<graph::DotOp> dots, ContractWork work) {
  graph::DotOp dot = dots.front();
  ArrayRef<DimAttr> shape = dot.getType().getShape();
  int64_t operand = bytesOf(elementTypeOf(dot.getLhs().getType())), sum = bytesOf(dot.getType().getElementType());
  std::optional<int64_t> depth = shapeOf(dot.getLhs().getType()).back().getConstant();
  bool isShort = depth && *depth <= kShortSum;
  bool followsMuch = work.worksAfter || work.readsAfter || work.storesNarrow;
  bool computes = work.computesLeft || work.computesRight;
  bool byWarpgroups = hasWarpgroupProduct(machine, dot) && !computes && (operand == 2 || work.alongK);
  ContractTile tile;
  // k long, as each step of it reads and writes all sums; the panels of B, k x n, are packed once for m rows.
  if (machine.family == Target::Cpu && sum <= 4) tile = {256, 128, 256, 128};
  else if (machine.family == Target::Cpu) tile = {128, 128, 128, 128};
  // Sums of a lane: 64 registers of 32 bits, and 64 of them in doubles would be twice that.
  else if (sum > 4) tile = {64, 64, 16, 256};
  // Two warpgroups with 64 rows of the computed operand each, in registers, and the sums.
  else if (isTurned(machine, dot, work)) tile = {256, 128, panelOf(work.leastBytes), 256, true};
  // What follows takes long beside short sums, be it that they are stored: one team of a warpgroup does it while another multiplies
  // (tile-specialise-roles). What is read in 32 bits fits beside the sums where it is stored so, too (tile-store-in-parts), and takes long
  // beside more of them: 8192 x 768 x 3072 with an f32 residual takes 63 us in the place of 72 on one H200.
  else if (byWarpgroups && operand == 2 && depth && *depth > 64 && (work.readsWide ? work.storesWide && *depth <= kShortBesideWide : isShort && followsMuch))
    tile = {128, 128, 64, 128, true, true};
  // Warpgroups: two of them, 128 registers of a lane for sums. What follows short sums and reads arrays takes as long as they do:
  // with tiles half as wide it waits for less at once. So do products of 8 bits, twice as fast, and of 32.
  else if (byWarpgroups) tile = {128, work.readsAfter && (isShort || operand != 2) ? 128 : 256, 128 / operand, 256, true};
  // Matrix instructions: four warps of 64 x 64 sums, two such groups a processor (bench/gpu/products.py --schedules). Lanes that multiply
  // by themselves have no room for 128 sums beside operands of few bits, which they convert.
  else if (machine.family == Target::Cuda && operand <= 2 && hasMatrixInstruction(machine, dot)) tile = {128, 128, 64, 128};
  else tile = {128, 128, operand <= 2 ? 64 : 32, 256};
  if (machine.family != Target::Cpu && dots.size() > 1) (isTurned(machine, dot, work) ? tile.m : tile.n) /= 2;  // as many sums in all
  const ContractTile usual = tile;
  int64_t rows = covering(tile.m, shape[shape.size() - 2]);
  if (byWarpgroups && rows < tile.m) {  // one warpgroup has 64 rows
    tile.group = 128;
    rows = 64;
  }
  tile.m = rows;
  tile.n = covering(tile.n, shape.back());
  int64_t panel = tile.k;
  tile.k = covering(panel, shapeOf(dot.getLhs().getType()).back());
  if (machine.family != Target::Cpu && !hasMatrixInstruction(machine, dot) && tile.m * tile.n < usual.m * usual.n)
    fitGroup(machine, tile, static_cast<int64_t>(dots.size()));
  tile.byWarpgroups &= tile.k == panel;
  return tile;
}

bool isAlongK(graph::DotOp dot) {
  return !dot.getLhs().getDefiningOp<graph::TransposeOp>() && dot.getRhs().getDefiningOp<graph::TransposeOp>();
}

/// "m" of an extent T.m; empty for a number or an expression.
static std::string sizeOf(DimAttr extent) { return extent.getText().starts_with("T.") && extent.getDim().isVar() ? extent.getText().drop_front(2).str() : ""; }

static bool isLoaded(Value operand) {
  while (operand.getDefiningOp<graph::TransposeOp>()) operand = operand.getDefiningOp()->getOperand(0);
  return operand.getDefiningOp<graph::LoadOp>() != nullptr;
}

/// Scores and a product with what is computed of them, by warpgroups: as the strategy `chain` has them (usualChainTile), but for tiles of
/// 192 keys, which leave a lane few registers for what else a kernel computes.
static std::optional<ProductTile> tileOfTwo(graph::KernelOp kernel, const Machine &machine, graph::DotOp scores, graph::DotOp outer) {
  constexpr int64_t kPanel = 64, kMostHeld = 128;  // columns: what bulk copies bring of 16 bits; what leaves room for 128 keys
  auto is16Bit = [&](graph::DotOp dot) { return hasWarpgroupProduct(machine, dot) && bytesOf(elementTypeOf(dot.getLhs().getType())) == 2; };
  if (!is16Bit(scores) || !is16Bit(outer) || !isLoaded(scores.getLhs()) || !isLoaded(scores.getRhs()) || isLoaded(outer.getLhs())) return std::nullopt;
  DimAttr cols = shapeOf(outer.getType())[1];
  std::optional<int64_t> held = cols.getConstant();
  if (!held && cols.getDim().isVar()) held = greatestOf(cols.getText(), kernel.getRequirements());
  if (!held || *held % kPanel != 0) return std::nullopt;
  ArrayRef<DimAttr> sums = shapeOf(scores.getType());
  return ProductTile{sizeOf(sums[0]), sizeOf(sums[1]), "", {128, *held <= kMostHeld ? 128 : 64, 0, 256, true}};
}

std::optional<ProductTile> tileOfProducts(graph::KernelOp kernel, const Machine &machine) {
  SmallVector<graph::DotOp> dots;
  kernel.walk([&](graph::DotOp dot) { dots.push_back(dot); });
  if (llvm::any_of(dots, [](graph::DotOp dot) { return shapeOf(dot.getType()).size() != 2 || !hasTiles(dot); })) return std::nullopt;
  if (dots.size() == 2) return tileOfTwo(kernel, machine, dots[0], dots[1]);
  if (dots.size() != 1) return std::nullopt;
  graph::DotOp dot = dots[0];
  ContractWork work;
  work.computesLeft = !isLoaded(dot.getLhs());
  work.computesRight = !isLoaded(dot.getRhs());
  work.alongK = isAlongK(dot);
  work.leastBytes = bytesOf(elementTypeOf(dot.getLhs().getType()));
  kernel.walk([&](graph::LoadOp load) { work.readsAfter |= load->getBlock() != dot->getBlock() && isa<ViewType>(load.getBase().getType()); });
  ArrayRef<DimAttr> sums = shapeOf(dot.getType());
  ProductTile product{sizeOf(sums[0]), sizeOf(sums[1]), sizeOf(shapeOf(dot.getLhs().getType())[1]), usualContractTile(machine, {dot}, work)};
  if (product.rows == product.cols) product.tile.m = product.tile.n = std::min(product.tile.m, product.tile.n);
  return product;
}

SmallVector<ContractTile> tilesForFewRows(const Machine &machine, ArrayRef<graph::DotOp> dots, ContractWork work) {
  graph::DotOp dot = dots.front();
  ArrayRef<DimAttr> shape = dot.getType().getShape();
  std::optional<int64_t> m = shape[shape.size() - 2].getConstant(), n = shape.back().getConstant(),
                         k = shapeOf(dot.getLhs().getType()).back().getConstant();
  const bool plain = hasWarpgroupProduct(machine, dot) && !work.computesLeft && !work.computesRight &&
                     bytesOf(elementTypeOf(dot.getLhs().getType())) == 2;
  if (!plain && !isTurned(machine, dot, work)) return {};
  // A warpgroup for 64 of the weights' columns, as many groups as there can be. Weights that it converts come two panels long; where
  // they do not lie along k, a row of a panel is for two warpgroups. Fewer than 64 rows are columns of the turned product. Rows that
  // are not there cost more than others: 17 of 64 take 1.15 times as long as 64 (8192 x 8192 on one H200), 17 of 32 as long as 32.
  const int64_t panel = panelOf(work.leastBytes);
  SmallVector<ContractTile> tiles;
  for (int64_t rows : {128, 64, 32, 16}) {
    if (rows == 128 && plain) continue;  // as the usual ones
    const int64_t k = plain ? 128 : rows == 128 ? panel : 2 * panel;
    tiles.push_back(plain || work.alongK ? ContractTile{rows, 64, k, 128, true} : ContractTile{rows, 128, k, 256, true});
  }
  llvm::erase_if(tiles, [&](const ContractTile &tile) { return (n && *n < tile.n) || (k && *k < tile.k) || (m && *m > tile.m); });
  if (m && !tiles.empty()) tiles.erase(tiles.begin(), std::prev(tiles.end()));
  return tiles;
}

// On one H200, with tiles of 128 x 256, 128 x 128 and 256 x 128: 3 x 3 of 512 channels takes 148, 247 and 144 us, of 128 channels (128 columns)
// -, 67 and 44; of 64 channels (64 columns) 128 x 64 takes 67, 256 x 64 in teams 39.
ContractTile windowTile(const ContractTile &usual) {
  constexpr int64_t kPanel = 64;  // channels that a bulk copy brings, and outputs: what is not there is 0
  ContractTile tile = usual;
  tile.k = kPanel;
  tile.n = std::max(usual.n, kPanel);
  tile.byWarpgroups = true;
  if (usual.group != 256 || usual.m != 128) return tile;
  tile.m = 2 * usual.m;
  tile.n = std::min<int64_t>(tile.n, 2 * kPanel);
  return tile.n > kPanel ? tile : narrowWindowTile();
}

ContractTile groupedWindowTile() { return {256, 64, 64, 256, true}; }

ContractTile panelTile(int64_t panel) { return {panel, panel, 128, 128, true}; }

ContractTile narrowWindowTile() { return {256, 64, 64, 128, true, true}; }

std::optional<ContractTile> narrowTile(const ContractTile &usual, DimAttr cols) {
  constexpr int64_t kNarrow = 192, kManyCols = 4096;  // from there on, there are many tiles of any size
  std::optional<int64_t> count = cols.getConstant();
  if (!usual.byWarpgroups || usual.group != 256 || usual.m != 128 || usual.n != 256 || (count && (*count <= kNarrow || *count > kManyCols))) return std::nullopt;
  ContractTile tile = usual;
  tile.n = kNarrow;
  return tile;
}

int64_t costOfTile(const ContractTile &tile) {
  constexpr int64_t kPerRowAndColumn = 24;  // from the times of tiles of 128 x 256, 128 x 128 and 64 x 128
  int64_t cost = tile.m * tile.n + kPerRowAndColumn * (tile.m + tile.n);
  return tile.group == 128 && !tile.inTeams ? cost + cost / 4 : cost;  // one warpgroup alone waits for each of its products
}

std::optional<SplitSums> splitSums(const Machine &machine, const ContractTile &usual, int64_t rows, int64_t cols, int64_t cost) {
  constexpr int64_t kMostParts = 12, kUsualTerms = 32768, kMostTerms = 65536;
  constexpr int64_t kPerStored = 4;  // an element written or read once, in what a product of one row, column and term costs
  if (!usual.byWarpgroups || usual.group != 256) return std::nullopt;
  std::optional<SplitSums> best;
  int64_t least = cost * kUsualTerms;
  for (int64_t width : {256, 192, 128}) {
    ContractTile tile = usual;
    tile.n = std::min(width, cols);
    if (width > usual.n || cols % width != 0 || rows % tile.m != 0) continue;
    int64_t tiles = rows / tile.m * (cols / tile.n);
    for (int64_t parts = 2; parts <= kMostParts; ++parts) {
      int64_t rounds = (tiles * parts + machine.processors - 1) / machine.processors;
      int64_t each = rounds * costOfTile(tile) / parts, stored = kPerStored * (2 * parts + 1) * rows * cols;
      if (each >= cost || each * kUsualTerms + stored >= least) continue;
      int64_t from = (stored / (cost - each) * 3 / 2 + 1023) / 1024 * 1024;  // what it gains there is worth a launch more
      if (from > kMostTerms) continue;
      least = each * kUsualTerms + stored;
      best = SplitSums{tile, parts, from};
    }
  }
  return best;
}

std::optional<Dim> partsOfSums(const Machine &machine, graph::DotOp dot, const ContractTile &tile, bool computes, const Dim &tiles, const Dim &terms) {
  constexpr int64_t kMostParts = 64;          // a lane adds them up one after the other
  constexpr int64_t kPartNanoseconds = 15000;  // of a part: to start a kernel that adds up parts, and to write and read these
  constexpr int64_t kLongSum = 4096, kPartsOfLong = 4;
  if (machine.family == Target::Cpu || dot.combining() != "sum") return std::nullopt;
  auto parts = [&](int64_t groups, const Dim &most) -> std::optional<Dim> {
    Dim whole = Dim::floorDiv(Dim(groups), Dim::max(Dim(std::max<int64_t>(groups / kMostParts, 1)), tiles));
    auto isOne = [](const Dim &count) { return count.isConstant() && count.constant() < 2; };
    return isOne(whole) || isOne(most) ? std::nullopt : std::optional(Dim::min(whole, most));
  };
  // Few rows take as long as the weights are read: half of the processors read as fast as all (decision 18), and one takes 8 us for
  // kLongSum rows of them. Weights of 8 bits that are computed keep all of them at work: 8192 x 8192 takes 29 us in the place of 40.
  if (hasWarpgroupProduct(machine, dot)) {
    constexpr int64_t kFewRows = 32, kFewOfComputed = 128;
    const int64_t groups = computes && tile.m <= kFewRows ? machine.processors : machine.processors / 2;
    return tile.m <= (computes ? kFewOfComputed : kFewRows) ? parts(groups, Dim::floorDiv(terms, kLongSum) * Dim(kPartsOfLong)) : std::nullopt;
  }
  std::optional<DType> operand = dtypeOf(elementTypeOf(dot.getLhs().getType()));
  int64_t rate = hasMatrixInstruction(machine, dot) && operand ? machine.productsPerSecond(*operand)
                 : bytesOf(dot.getType().getElementType()) > 4 ? machine.doublesPerSecond
                                                                : machine.flopsPerSecond;
  int64_t least = rate / machine.processors * kPartNanoseconds / 1'000'000'000 / (2 * tile.m * tile.n);
  return parts(2 * machine.processors, Dim::floorDiv(terms, Dim((least + tile.k) / tile.k * tile.k)));  // two groups a processor
}

std::optional<PartsOverRows> partsOverRows(const Machine &machine, const ContractTile &usual, llvm::function_ref<Dim(const ContractTile &)> tilesOf,
                                           const Dim &terms, bool isPanel) {
  constexpr int64_t kMostParts = 64, kLeastTerms = 2048;  // of a part: 2 us of the copy engine
  if (!usual.byWarpgroups || (usual.group != 256 && !isPanel)) return std::nullopt;
  // 128 x 128: with parts there are groups enough, so the tile need not be small; and many weights have no more columns.
  ContractTile tile = usual;
  tile.n = std::min<int64_t>(tile.n, 128);
  Dim most = Dim::floorDiv(terms, Dim(kLeastTerms));
  Dim parts = Dim::min(Dim::floorDiv(Dim(machine.processors), Dim::max(Dim(machine.processors / kMostParts), tilesOf(tile))), most);
  if (parts.isConstant() || (most.isConstant() && most.constant() < 2)) return std::nullopt;
  return PartsOverRows{tile, parts};
}

SmallVector<ContractTile> smallTiles(const Machine &machine, ArrayRef<graph::DotOp> dots, const ContractTile &usual) {
  SmallVector<ContractTile> tiles;
  if (machine.family == Target::Cpu || hasMatrixInstruction(machine, dots.front())) return tiles;
  for (int64_t size : {64, 48, 32, 16}) {  // of 64 x 64 sums a product of 33 x 33 is a quarter
    ContractTile tile = usual;
    tile.m = std::min(tile.m, size), tile.n = std::min(tile.n, size);
    fitGroup(machine, tile, static_cast<int64_t>(dots.size()));
    const ContractTile &before = tiles.empty() ? usual : tiles.back();
    if (tile.m != before.m || tile.n != before.n) tiles.push_back(tile);
  }
  return tiles;
}

SmallVector<FewTiles> tilesForFew(const Machine &machine, const ContractTile &usual, DimAttr depth) {
  if (!usual.byWarpgroups || (usual.group != 256 && !usual.inTeams)) return {};
  // One warpgroup with 64 x 128 sums: as many registers a lane, and up to four times as many groups. Where even these are
  // for half of the processors, 64 x 64: each group's copies are then what takes time, so k is long.
  ContractTile small{64, std::min<int64_t>(usual.n, 128), usual.k, 128, true}, smallest{64, 64, 2 * usual.k, 128, true};
  if (depth.getConstant().value_or(smallest.k) < smallest.k) smallest.k = usual.k;
  SmallVector<FewTiles> few;
  // Between them 128 x 128, of which a group reads two thirds for each product of what it does with 64 x 128: 256 x 8192 x 8192 takes 0.77
  // of the time, and 512 x 4096 x 4096 0.75 (measured on one H200). One takes 0.54 of the time of 128 x 256 (costOfTile).
  ContractTile medium = usual;
  medium.n /= 2;
  const bool halves = usual.group == 256 && usual.m == 2 * small.m && medium.n == small.n;
  if (halves) few.push_back({medium, usual, 2 * machine.processors, true});
  if (small.m < usual.m || small.n < usual.n) few.push_back({small, halves ? medium : usual, machine.processors / 2});
  if (small.n > smallest.n) few.push_back({smallest, small, machine.processors / 2});
  return few;
}

}  // namespace tessera::transforms
