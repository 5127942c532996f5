// The sizes of a user's kernel. What the schedule gives is taken; what is left is the least surprising choice
// that fits.
#include "ir/common/Conversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "shape/Bounds.h"
#include "support/Lanes.h"
#include "support/Machine.h"
#include "transforms/schedule/ChosenLoad.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kMostHeld = 1 << 20;        // elements of one extent of a tile: beyond the registers of every group
constexpr int64_t kLaneRegisters = 128;      // 32-bit registers of a lane that tiles may fill

class Chooser {
public:
  Chooser(graph::KernelOp kernel, const Machine &machine)
      : kernel_(kernel), machine_(machine), fragments_(holdsFragments(kernel)) {}

  FailureOr<Decision> run() {
    if (failed(findCapacities())) return failure();
    readGiven();
    for (const auto &[name, size] : decision_.sizes) given_.insert(name);
    product_ = tileOfProducts(kernel_, machine_);
    if (!chooseFromSpace()) chooseFreely();
    shrinkToMachine();
    if (decision_.group == 0) decision_.group = groupOf(decision_.sizes);
    findRows();
    explain();
    return decision_;
  }

private:
  bool isLanes() { return kernel_.getGrid().getKind() == GridKind::Lanes; }

  // ---- what is given

  void readGiven() {
    for (NamedAttribute entry : kernel_.getSizes())
      if (auto value = dyn_cast<IntegerAttr>(entry.getValue()))
        decision_.sizes[entry.getName().str()] = value.getInt();
    decision_.group = kernel_.getGroup();
  }

  int64_t groupOf(const std::map<std::string, int64_t> &sizes) {
    if (kernel_.getGroup()) return kernel_.getGroup();
    if (auto warps = sizes.find("warps"); warps != sizes.end()) return warps->second * kWarpLanes;
    if (hasTileOfProduct()) return product_->tile.group;
    return fragments_ && !isLanes() ? 128 : 256;
  }

  // ---- run-time extents of register tiles

  LogicalResult findCapacities() {
    LogicalResult result = success();
    auto need = [&](Operation *op, ArrayRef<DimAttr> extents) {
      std::set<std::string> names;
      for (DimAttr extent : extents) extent.getDim().collectVars(names);
      for (const std::string &name : names)
        if (name.rfind("T.", 0) != 0 && failed(addCapacity(op, name))) return failure();
      return success();
    };
    kernel_.walk([&](Operation *op) {
      if (isOnlyChosenFrom(op)) return WalkResult::advance();
      for (Type type : op->getResultTypes()) {
        bool held = isa<SharedType>(type) || (isa<TensorType>(type) && fragments_ && !isLanes());
        if (held && failed(need(op, shapeOf(type)))) {
          result = failure();
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    return result;
  }

  LogicalResult addCapacity(Operation *op, const std::string &name) {
    if (decision_.capacity.count(name)) return success();
    std::optional<int64_t> greatest = greatestOf(name, kernel_.getRequirements());
    if (!greatest)
      return op->emitError() << shape::needsGreatest(name);
    // Also keeps the powers of two below from running over.
    if (*greatest > kMostHeld)
      return op->emitError() << "a group holds this tile in registers and shared memory, and " << name << " may be up to "
                             << *greatest << ", where no group holds more than " << kMostHeld
                             << " elements; give a smaller bound, or loop over parts of the tile";
    std::vector<int64_t> &values = decision_.capacity[name];
    auto isMore = [&](int64_t value) {  // than any, as the kernel is not started for so few
      return llvm::any_of(kernel_.getRequirements().getAsRange<RequirementAttr>(), [&](RequirementAttr fact) {
        return fact.getRelation() == Relation::Ge && fact.getLeft().getDim() == Dim::var(name) && fact.getRight().getConstant().value_or(0) > value;
      });
    };
    for (int64_t value = 64; value < *greatest; value *= 2)
      if (!isMore(value)) values.push_back(value);
    values.push_back(std::max<int64_t>(*greatest, 1));
    return success();
  }

  // ---- what a choice costs

  std::optional<int64_t> extent(DimAttr dim, const std::map<std::string, int64_t> &sizes) {
    return dim.getDim().evaluate([&](const std::string &name) -> std::optional<int64_t> {
      if (auto known = decision_.capacity.find(name); known != decision_.capacity.end())
        return known->second.back();
      if (name.rfind("T.", 0) != 0) return std::nullopt;
      auto found = sizes.find(name.substr(2));
      return found == sizes.end() ? std::nullopt : std::optional<int64_t>(found->second);
    });
  }

  int64_t elements(Type type, const std::map<std::string, int64_t> &sizes) {
    int64_t count = 1;
    for (DimAttr dim : shapeOf(type)) count *= extent(dim, sizes).value_or(1);
    return count;
  }

  static int64_t bytes(Type type) {
    auto dtype = dtypeOf(elementTypeOf(type));
    return dtype ? storageBytes(*dtype) : 8;
  }

  /// Bytes of shared memory: buffers that the program names, the operands of dots, and where the elements of a tile meet.
  int64_t sharedBytes(const std::map<std::string, int64_t> &sizes) {
    int64_t total = 0;
    llvm::DenseSet<Value> counted;
    llvm::DenseSet<Type> met, ordered;  // in memory that tiles of one type share
    auto meet = [&](Type tile, int64_t width) {
      if (met.insert(tile).second) total += elements(tile, sizes) * width;
    };
    const bool isHeld = holdsFragments(kernel_);
    auto operand = [&](Value value) {
      while (auto *op = value.getDefiningOp()) {
        if (!isa<graph::TransposeOp, graph::ReshapeOp>(op)) break;
        value = op->getOperand(0);
      }
      if (auto load = value.getDefiningOp<graph::LoadOp>())
        if (isa<SharedType>(load.getBase().getType())) return;
      if (counted.insert(value).second) total += elements(value.getType(), sizes) * bytes(value.getType());
    };
    kernel_.walk([&](Operation *op) {
      if (auto alloc = dyn_cast<graph::AllocSharedOp>(op))
        total += elements(alloc.getType(), sizes) * bytes(alloc.getType());
      if (auto dot = dyn_cast<graph::DotOp>(op)) operand(dot.getLhs()), operand(dot.getRhs());
      if (auto scan = dyn_cast<graph::ScanOp>(op)) meet(scan.getType(), bytes(scan.getType()));
      if (auto sort = dyn_cast<graph::ArgsortOp>(op)) {
        meet(sort.getOperand().getType(), bytes(sort.getOperand().getType()));
        if (ordered.insert(sort.getType()).second) total += elements(sort.getType(), sizes) * sizeof(int32_t);  // places
      }
      auto gather = dyn_cast<graph::GatherOp>(op);
      Operation *from = gather ? gather.getOperand().getDefiningOp() : nullptr;
      if (from && isOnlyChosenFrom(from)) total += elements(gather.getPlaces().getType(), sizes) * sizeof(int64_t);  // of rows that are copied
      else if (gather && isHeld)
        meet(gather.getOperand().getType(), bytes(gather.getOperand().getType()));
    });
    return total;
  }

  /// What lanes that reduce tiles leave for each other.
  int64_t scratchBytes(const std::map<std::string, int64_t> &sizes) {
    int64_t width = 0;
    kernel_.walk([&](graph::ReduceOp reduce) { width = std::max(width, bytes(reduce.getType())); });
    return width * groupOf(sizes);
  }

  /// 32-bit registers a lane for the tiles that live long: carried by loops, and the sums of dots.
  int64_t laneRegisters(const std::map<std::string, int64_t> &sizes) {
    int64_t total = 0;
    auto add = [&](Type type) {
      if (isLong(type)) total += elements(type, sizes) * std::max<int64_t>(bytes(type), 4) / 4;
    };
    kernel_.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        for (Type type : loop.getResultTypes()) add(type);
      if (auto dot = dyn_cast<graph::DotOp>(op)) {
        bool summed = dot->hasOneUse() && isa<graph::ElementwiseOp>(*dot->user_begin()) &&
                      cast<graph::ElementwiseOp>(*dot->user_begin()).getMnemonic() == "add";
        if (!summed) add(dot.getType());
      }
    });
    return total / std::max<int64_t>(groupOf(sizes), 1);
  }

  bool fits(const std::map<std::string, int64_t> &sizes) {
    // On a CPU, operands of products stay in the second-level cache of a core.
    if (machine_.family == Target::Cpu)
      return sharedBytes(sizes) <= machine_.cacheBytes && laneRegisters(sizes) <= kLaneRegisters * 4;
    // Products of warpgroups: one group a processor, and room for a second stage of what its loop loads.
    if (multipliesByWarpgroups())
      return sharedBytes(sizes) <= machine_.sharedBytes * 2 / 3 && laneRegisters(sizes) <= kWarpgroupRegisters;
    return sharedBytes(sizes) <= machine_.staticSharedBytes && sharedBytes(sizes) + scratchBytes(sizes) <= machine_.sharedBytes && laneRegisters(sizes) <= kLaneRegisters;
  }

  /// Every product has an instruction of warpgroups: those of 16 bits read their operands either way, others along k.
  bool multipliesByWarpgroups() {
    bool found = false, all = true;
    kernel_.walk([&](graph::DotOp dot) {
      found = true;
      all &= hasWarpgroupProduct(machine_, dot) && (isAlongK(dot) || bytes(dot.getLhs().getType()) == 2);
    });
    return found && all;
  }
  static constexpr int64_t kWarpgroupRegisters = 176;  // of the 232 of a lane that computes

  // ---- choices

  /// The member of the autotuning space with the largest tile that fits, or else the smallest.
  bool chooseFromSpace() {
    std::vector<std::pair<std::string, std::vector<int64_t>>> axes;
    for (NamedAttribute entry : kernel_.getSpace())
      if (auto values = dyn_cast<DenseI64ArrayAttr>(entry.getValue()); values && !values.empty())
        axes.emplace_back(entry.getName().str(), std::vector<int64_t>(values.asArrayRef()));
    if (axes.empty()) return false;
    std::map<std::string, int64_t> best;
    std::pair<bool, int64_t> bestRank;
    std::vector<size_t> at(axes.size(), 0);
    while (true) {
      std::map<std::string, int64_t> sizes = decision_.sizes;
      for (size_t i = 0; i < axes.size(); ++i) sizes[axes[i].first] = axes[i].second[at[i]];
      fillDefaults(sizes);
      int64_t tile = 1;
      for (auto field : kernel_.getContext().getAsRange<StringAttr>()) tile *= sizes[field.str()];
      // A power of two of lanes divides the usual tiles evenly.
      int64_t group = groupOf(sizes);
      bool good = fits(sizes) && (group & (group - 1)) == 0;
      std::pair<bool, int64_t> rank{good, good ? tile : -sharedBytes(sizes)};
      if (best.empty() || rank > bestRank) best = sizes, bestRank = rank;
      size_t i = 0;
      for (; i < axes.size(); ++i) {
        if (++at[i] < axes[i].second.size()) break;
        at[i] = 0;
      }
      if (i == axes.size()) break;
    }
    decision_.sizes = best;
    fromSpace_ = true;
    fitsBest_ = bestRank.first;
    return true;
  }

  /// Tiles that a schedule fixes stay; others are halved, the largest first, until a group's shared memory is
  /// there.
  void shrinkToMachine() {
    smallest_ = sharedBytes(decision_.sizes);
    while (sharedBytes(decision_.sizes) > machine_.sharedBytes) {
      int64_t *largest = nullptr;
      for (auto field : kernel_.getContext().getAsRange<StringAttr>()) {
        int64_t &size = decision_.sizes[field.str()];
        if (!given_.count(field.str()) && size > 16 && size % 2 == 0 && (!largest || size > *largest))
          largest = &size;
      }
      if (!largest) return;  // the launch says what is missing
      *largest /= 2;
      shrunk_ = true;
    }
  }

  /// What the kernel's products have for the sizes that are extents of their axes, where nothing is said of them.
  void takeFromProduct(std::map<std::string, int64_t> &sizes) {
    if (!product_) return;
    for (auto [field, size] : {std::pair(product_->rows, product_->tile.m), {product_->cols, product_->tile.n}, {product_->terms, product_->tile.k}})
      if (!field.empty()) sizes.emplace(field, size);
  }
  /// As many lanes as a product of that tile has.
  bool hasTileOfProduct() {
    return product_ && kernel_.getSpace().empty() && !product_->rows.empty() && !product_->cols.empty() && !given_.count(product_->rows) && !given_.count(product_->cols);
  }

  int64_t usualSize(StringRef field) {
    if (field == "k") return 32;
    if (field == "warps") return 4;
    if (field == "stages") return 2;
    return 64;
  }

  void fillDefaults(std::map<std::string, int64_t> &sizes) {
    takeFromProduct(sizes);
    for (auto field : kernel_.getContext().getAsRange<StringAttr>())
      if (!sizes.count(field.str())) sizes[field.str()] = usualSize(field.getValue());
  }

  /// Usual sizes; the largest that the schedule left open is halved until everything fits.
  void chooseFreely() {
    std::set<std::string> open;
    for (auto field : kernel_.getContext().getAsRange<StringAttr>())
      if (!decision_.sizes.count(field.str())) open.insert(field.str());
    fillDefaults(decision_.sizes);
    while (!fits(decision_.sizes)) {
      std::string largest;
      for (const std::string &name : open)
        if (decision_.sizes[name] > 16 &&
            (largest.empty() || decision_.sizes[name] > decision_.sizes[largest]))
          largest = name;
      if (largest.empty()) break;
      decision_.sizes[largest] /= 2;
    }
    chosen_ = open;
  }

  // ---- what the comment over the kernel says

  void findRows() {
    if (fragments_ || isLanes()) return;
    std::set<std::string> rows;
    kernel_.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (isLong(type))
          for (DimAttr dim : longShape(type)) rows.insert(dim.getText().str());
    });
    decision_.rows.assign(rows.begin(), rows.end());
  }

  void explain() {
    std::string list;
    for (auto field : kernel_.getContext().getAsRange<StringAttr>())
      if (fromSpace_ || chosen_.count(field.str()))
        list += (list.empty() ? "" : ", ") + ("T." + field.str()) + " = " +
                std::to_string(decision_.sizes[field.str()]);
    if (!list.empty()) decision_.reasons.push_back(list + ": " + reason());
    for (const auto &[name, values] : decision_.capacity)
      decision_.reasons.push_back(name + " varies at run time: compiled for up to " + joined(values) +
                                  ", chosen at entry");
    if (!decision_.rows.empty() && decision_.group > 1)
      decision_.reasons.push_back("a group streams over " + joined(decision_.rows) +
                                  ": one row is too long to keep");
  }

  std::string reason() {
    if (shrunk_)
      return "halved until a group's shared memory, " + std::to_string(smallest_) + " bytes, is below the " +
             std::to_string(machine_.sharedBytes) + " of " + std::string(machine_.name);
    if (!fromSpace_) return "the compiler's choice; the schedule leaves it open";
    return fitsBest_ ? "the largest tile of the tuning space that fits"
                     : "the smallest tile of the tuning space";
  }

  template <class List> static std::string joined(const List &list) {
    std::string text;
    for (const auto &item : list) {
      if (!text.empty()) text += ", ";
      if constexpr (std::is_arithmetic_v<std::decay_t<decltype(item)>>) text += std::to_string(item);
      else text += item;
    }
    return text;
  }

  graph::KernelOp kernel_;
  const Machine &machine_;
  bool fragments_, fromSpace_ = false, fitsBest_ = true, shrunk_ = false;
  int64_t smallest_ = 0;  // bytes of shared memory before anything was halved
  std::set<std::string> given_;   // sizes of the schedule
  std::set<std::string> chosen_;
  std::optional<ProductTile> product_;
  Decision decision_;
};

}  // namespace

std::optional<int64_t> greatestOf(StringRef dimension, ArrayAttr facts) {
  std::optional<int64_t> least;
  for (auto fact : facts.getAsRange<RequirementAttr>())
    if (auto most = shape::greatestBy({fact.getLeft().getDim(), static_cast<shape::Relation>(fact.getRelation()), fact.getRight().getDim()}, dimension.str()))
      least = least ? std::min(*least, *most) : most;
  return least;
}

FailureOr<Decision> decide(graph::KernelOp kernel, const Machine &machine) { return Chooser(kernel, machine).run(); }

}  // namespace tessera::transforms
