#include "driver/Pipeline.h"
#include "ir/common/Conversions.h"
#include "ir/common/WhyNot.h"
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "ir/tile/Products.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tessera::driver {
namespace {
using namespace mlir;
namespace graph = ir::graph;
namespace schedule = ir::schedule;

double bytesOf(Type element) {
  std::optional<DType> dtype = ir::dtypeOf(element);
  return dtype ? storageBytes(*dtype) : 8;
}

/// The numbers of one body: its dimensions, and what its index values are (in the middle of the groups and of the loops).
class Numbers {
public:
  explicit Numbers(Sizes sizes) : sizes_(std::move(sizes)) {}
  void set(Value value, double number) { values_[value] = number; }

  std::optional<double> of(const Dim &dim) const {
    auto number = dim.evaluate([&](const std::string &name) {
      auto found = sizes_.find(name);
      return found == sizes_.end() ? std::nullopt : std::optional(found->second);
    });
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
  }
  std::optional<double> elements(Type type) const {
    double count = 1;
    for (ir::DimAttr extent : ir::shapeOf(type)) {
      std::optional<double> number = of(extent.getDim());
      if (!number) return std::nullopt;
      count *= *number;
    }
    return count;
  }
  /// A condition of `tsr.when`.
  std::optional<bool> holds(Attribute condition) const {
    if (auto fact = dyn_cast<ir::RequirementAttr>(condition)) {
      std::optional<double> a = of(fact.getLeft().getDim()), b = of(fact.getRight().getDim());
      if (!a || !b) return std::nullopt;
      switch (fact.getRelation()) {
      case ir::Relation::Eq: return *a == *b;
      case ir::Relation::Ne: return *a != *b;
      case ir::Relation::Lt: return *a < *b;
      case ir::Relation::Le: return *a <= *b;
      case ir::Relation::Gt: return *a > *b;
      case ir::Relation::Ge: return *a >= *b;
      }
    }
    auto words = cast<ArrayAttr>(condition);
    const auto word = cast<StringAttr>(words[0]).getValue();
    std::optional<bool> first = holds(words[1]);
    if (word == "not") return first ? std::optional(!*first) : std::nullopt;
    std::optional<bool> second = holds(words[2]);
    const bool decides = word == "or";  // whatever the other one is
    if (first == decides || second == decides) return decides;
    return first && second ? std::optional(!decides) : std::nullopt;
  }
  std::optional<double> of(Value value) const {
    if (auto known = values_.find(value); known != values_.end()) return known->second;
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast_or_null<graph::DimOp>(op)) return of(dim.getDim().getDim());
    if (auto constant = dyn_cast_or_null<graph::ConstantOp>(op))
      if (auto number = dyn_cast<IntegerAttr>(constant.getValue())) return static_cast<double>(number.getInt());
    auto arithmetic = dyn_cast_or_null<graph::ElementwiseOp>(op);
    if (!arithmetic || arithmetic.getOperands().size() != 2) return std::nullopt;
    std::optional<double> a = of(arithmetic.getOperands()[0]), b = of(arithmetic.getOperands()[1]);
    if (!a || !b) return std::nullopt;
    llvm::StringRef name = arithmetic.getMnemonic();
    if (name == "add") return *a + *b;
    if (name == "sub") return *a - *b;
    if (name == "mul") return *a * *b;
    if (name == "floordiv" && *b != 0) return *a / *b;
    if (name == "min") return std::min(*a, *b);
    if (name == "max") return std::max(*a, *b);
    if (name == "lt") return *a < *b;
    if (name == "le") return *a <= *b;
    if (name == "gt") return *a > *b;
    if (name == "ge") return *a >= *b;
    if (name == "eq") return *a == *b;
    if (name == "ne") return *a != *b;
    return std::nullopt;
  }
  /// The turns of a loop; its variable gets the middle one.
  std::optional<double> turns(scf::ForOp loop) {
    std::optional<double> from = of(loop.getLowerBound()), to = of(loop.getUpperBound()), step = of(loop.getStep());
    if (!from || !to || !step || *step <= 0) return std::nullopt;
    set(loop.getInductionVar(), std::max(*from, (*from + *to - *step) / 2));
    return std::max(0.0, (*to - *from) / *step);
  }

private:
  Sizes sizes_;
  llvm::DenseMap<Value, double> values_;
};

/// How often a place of a kernel is reached. Operations count tiles at the edges in part, as they hold nothing else that counts;
/// what is loaded does not get less by that.
struct Times {
  double operations = 1, loads = 1;
};

/// Counts one kernel, launched once.
class KernelCount {
public:
  KernelCount(schedule::KernelOp kernel, Sizes sizes) : kernel_(kernel), numbers_(withTile(kernel, std::move(sizes))) {
    work_.kernel = kernel.getSymName().str();
  }

  KernelWork count() {
    Times times = groups();
    lanes_ = kernel_.getUsesLanes() ? static_cast<double>(kernel_.getGroup()) : 1;
    if (kernel_.getGrid().getKind() == ir::GridKind::Lanes) times = {times.operations / std::max(1.0, lanes_), times.loads / std::max(1.0, lanes_)};
    inRegion(kernel_.getBody(), times);
    for (auto [view, bytes] : read_) work_.readBytes += std::min(bytes, whole(view));
    for (auto [view, bytes] : written_) work_.writtenBytes += std::min(bytes, whole(view));
    return std::move(work_);
  }

private:
  static Sizes withTile(schedule::KernelOp kernel, Sizes sizes) {
    for (NamedAttribute size : kernel.getSizes())
      if (auto number = dyn_cast<IntegerAttr>(size.getValue())) sizes["T." + size.getName().str()] = number.getInt();
    return sizes;
  }
  double known(std::optional<double> number, const char *what) {
    if (!number && llvm::find(work_.uncounted, what) == work_.uncounted.end()) work_.uncounted.push_back(what);
    return number.value_or(1);
  }
  double elements(Type type) { return known(numbers_.elements(type), "an array whose size depends on data"); }
  double whole(Value view) { return elements(view.getType()) * bytesOf(ir::elementTypeOf(view.getType())); }

  Times groups() {
    ir::GridAttr grid = kernel_.getGrid();
    Times count;
    for (auto [axis, extent] : llvm::enumerate(grid.getDims())) {
      double number = known(numbers_.of(extent.getDim()), "a grid whose size depends on data");
      if (grid.getKind() == ir::GridKind::Output) {
        ir::DimAttr all = ir::shapeOf(kernel_.getBody().getArgument(static_cast<unsigned>(grid.getParam())).getType())[axis];
        tiles_.push_back(number);
        number = known(numbers_.of(all.getDim()), "an array whose size depends on data") / std::max(1.0, number);
      }
      along_.push_back(number);
      count.operations *= number;
      count.loads *= std::ceil(number);
    }
    return count;
  }
  /// In the middle of the launch.
  std::optional<double> placeOf(graph::QueryOp query) {
    llvm::StringRef what = query.getQuery();
    const size_t axis = static_cast<size_t>(query.getAxis());
    const double middle = axis < along_.size() ? std::max(0.0, (along_[axis] - 1) / 2) : 0;
    if (what == "origin" && axis < tiles_.size()) return middle * tiles_[axis];
    if (what == "group_id") return middle;
    if (what == "group_count" && axis < along_.size()) return along_[axis];
    if (what == "group_size") return static_cast<double>(kernel_.getGroup());
    if (what == "local_id" || what == "lane_id" || what == "linear_id") return 0;  // strides of loops are as for the first lane
    return std::nullopt;
  }

  void inRegion(Region &region, Times times) {
    for (Block &block : region)
      for (Operation &op : block) inOp(&op, times);
  }
  /// Of two branches the one that does more.
  void inBranches(scf::IfOp choice, Times times) {
    std::optional<KernelCount> best;
    for (Region *region : {&choice.getThenRegion(), &choice.getElseRegion()}) {
      KernelCount branch = *this;
      branch.inRegion(*region, times);
      if (!best || branch.total() > best->total()) best = std::move(branch);
    }
    *this = std::move(*best);
  }
  double total() const {
    double all = 0;
    for (const auto *list : {&work_.products, &work_.arithmetic})
      for (auto [dtype, count] : *list) all += count;
    for (const auto *list : {&read_, &written_})
      for (auto [view, bytes] : *list) all += bytes;
    return all;
  }

  void inOp(Operation *op, Times times) {
    if (auto query = dyn_cast<graph::QueryOp>(op)) {
      if (auto place = placeOf(query)) numbers_.set(query.getResult(), *place);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      const double turns = known(numbers_.turns(loop), "a loop whose turns depend on data");
      inRegion(loop.getRegion(), {times.operations * turns, times.loads * std::ceil(turns)});
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      inBranches(choice, times);
    } else if (auto dot = dyn_cast<graph::DotOp>(op)) {
      count(work_.products, dot.getLhs().getType(), 2 * times.operations * elements(dot.getType()) * known(numbers_.of(dot.getLhs().getType().getShape().back().getDim()), "an array whose size depends on data"));
    } else if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
      count(work_.arithmetic, reduce.getResult().getType(), times.operations * elements(reduce.getOperand().getType()));
    } else if (auto each = dyn_cast<graph::ElementwiseOp>(op)) {
      Type type = each.getResult().getType();
      if (each.getMnemonic() != "select" && !addsProduct(each)) count(work_.arithmetic, type, times.operations * elements(type) * lanesOf(type));
    } else if (auto load = dyn_cast<graph::LoadOp>(op)) {
      touch(read_, load.getBase(), load.getResult().getType(), times.loads);
    } else if (auto store = dyn_cast<graph::StoreOp>(op)) {
      touch(written_, store.getBase(), store.getValue().getType(), store.getOnce() ? times.loads / lanes_ : times.loads);
    } else {
      inOther(op, times);
    }
  }
  /// What has no rule of its own: its regions once, and the views that it takes as a whole, as their parameters say.
  void inOther(Operation *op, Times times) {
    if (isa<scf::WhileOp>(op)) known(std::nullopt, "a loop whose turns depend on data");
    for (Region &region : op->getRegions()) inRegion(region, times);
    for (Value operand : op->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument || !isa<ir::ViewType>(argument.getType()) || argument.getOwner() != &kernel_.entry()) continue;
      const ir::ParamMode mode = kernel_.param(argument.getArgNumber()).getMode();
      if (mode != ir::ParamMode::Out) read_[argument] += whole(argument);
      if (mode != ir::ParamMode::In) written_[argument] += whole(argument);
    }
  }
  /// The additions are the product's own.
  static bool addsProduct(graph::ElementwiseOp op) {
    return op.getMnemonic() == "add" && llvm::any_of(op.getOperands(), [](Value operand) { return operand.getDefiningOp<graph::DotOp>() != nullptr; });
  }
  double lanesOf(Type type) const { return ir::shapeOf(type).empty() ? lanes_ : 1; }
  void count(std::map<DType, double> &list, Type type, double operations) {
    std::optional<DType> dtype = ir::dtypeOf(ir::elementTypeOf(type));
    if (dtype && (isFloat(*dtype) || &list == &work_.products)) list[*dtype] += operations;
  }
  using Bytes = llvm::MapVector<Value, double>;
  void touch(Bytes &list, Value base, Type type, double times) {
    if (isa<BlockArgument>(base) && isa<ir::ViewType>(base.getType()))
      list[base] += times * elements(type) * lanesOf(type) * bytesOf(ir::elementTypeOf(base.getType()));
  }

  schedule::KernelOp kernel_;
  Numbers numbers_;
  KernelWork work_;
  double lanes_ = 1;
  std::vector<double> tiles_, along_;
  Bytes read_, written_;
};

/// The launches of an entry function, in order; those of one kernel are one row.
class CallCount {
public:
  CallCount(schedule::FuncOp function, const Sizes &sizes) : function_(function), sizes_(sizes), numbers_(sizes) {}
  std::vector<KernelWork> count() {
    inRegion(function_.getBody(), 1);
    return std::move(rows_);
  }

private:
  void inRegion(Region &region, double times) {
    for (Block &block : region)
      for (Operation &op : block) {
        if (auto launch = dyn_cast<schedule::LaunchOp>(op)) addIfItHolds(launch, times);
        else if (auto choice = dyn_cast<scf::IfOp>(op); choice && numbers_.of(choice.getCondition())) {
          inRegion(*numbers_.of(choice.getCondition()) != 0 ? choice.getThenRegion() : choice.getElseRegion(), times);
        } else if (op.getNumRegions() > 0) {
          auto loop = dyn_cast<scf::ForOp>(op);
          std::optional<double> turns = loop ? numbers_.turns(loop) : std::nullopt;
          const bool outer = std::exchange(unknown_, unknown_ || !turns);  // a branch, or a loop that ends by data
          for (Region &inner : op.getRegions()) inRegion(inner, times * turns.value_or(1));
          unknown_ = outer;
        }
      }
  }
  void addIfItHolds(schedule::LaunchOp launch, double times) {
    auto conditions = launch->getAttrOfType<ArrayAttr>("tsr.when");
    const bool outer = unknown_;
    for (Attribute condition : conditions ? conditions.getValue() : llvm::ArrayRef<Attribute>()) {
      std::optional<bool> holds = numbers_.holds(condition);
      if (holds == false) return;
      unknown_ |= !holds;
    }
    add(launch, times);
    unknown_ = outer;
  }
  void add(schedule::LaunchOp launch, double times) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<schedule::KernelOp>(launch, launch.getKernelAttr());
    TSR_CHECK(kernel, "a launch of a kernel that is not there: " + launch.getKernel().str());
    Sizes sizes = sizes_;
    if (auto given = launch.getDims()) {
      sizes.clear();
      for (auto [name, dim] : llvm::zip_equal(kernel.getDims().getAsRange<StringAttr>(), given->getDims()))
        if (auto number = numbers_.of(dim.getDim())) sizes[name.getValue().str()] = static_cast<int64_t>(*number);
    }
    KernelWork one = KernelCount(kernel, std::move(sizes)).count();
    auto row = llvm::find_if(rows_, [&](const KernelWork &each) { return each.kernel == one.kernel; });
    if (row == rows_.end()) row = rows_.insert(rows_.end(), KernelWork()), row->kernel = one.kernel;
    row->launches += times;
    for (auto [dtype, count] : one.products) row->products[dtype] += times * count;
    for (auto [dtype, count] : one.arithmetic) row->arithmetic[dtype] += times * count;
    row->readBytes += times * one.readBytes;
    row->writtenBytes += times * one.writtenBytes;
    if (unknown_) one.uncounted.push_back("launches that depend on data");
    for (const std::string &what : one.uncounted)
      if (llvm::find(row->uncounted, what) == row->uncounted.end()) row->uncounted.push_back(what);
  }

  schedule::FuncOp function_;
  const Sizes &sizes_;
  Numbers numbers_;
  bool unknown_ = false;
  std::vector<KernelWork> rows_;
};

}  // namespace

std::optional<std::vector<KernelWork>> countWork(ModuleOp module, const std::string &function, const Sizes &sizes) {
  auto found = module.lookupSymbol<schedule::FuncOp>(function);
  if (!found) return std::nullopt;
  return CallCount(found, sizes).count();
}

void addInstructions(ModuleOp module, std::vector<KernelWork> &rows) {
  auto shared = module->getAttrOfType<DictionaryAttr>(ir::tile::kShared);
  for (KernelWork &row : rows) {
    auto kept = shared ? shared.getAs<FlatSymbolRefAttr>(row.kernel) : FlatSymbolRefAttr();
    auto kernel = module.lookupSymbol<ir::tile::KernelOp>(kept ? kept.getValue() : llvm::StringRef(row.kernel));
    if (!kernel) continue;
    row.matrixInstructions = ir::tile::multipliesByMatrixInstructions(kernel).value_or(false);
    auto refused = kernel->getAttrOfType<DictionaryAttr>(ir::kWhyNot);
    for (NamedAttribute each : refused ? refused.getValue() : llvm::ArrayRef<NamedAttribute>())
      row.whyNot[each.getName().str()] = cast<StringAttr>(each.getValue()).getValue().str();
  }
}

}  // namespace tessera::driver
