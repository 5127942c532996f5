#include "driver/Pipeline.h"
#include "ir/common/Conversions.h"
#include "ir/common/WhyNot.h"
#include "ir/common/WorkNotes.h"
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "ir/tile/Products.h"
#include "ir/tile/Tile.h"
#include "transforms/schedule/Contract.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
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

using Known = std::map<std::string, Dim>;  // sizes, or dimensions for which the formulas are

/// The amounts of one body: its dimensions, and what its index values are (in the middle of the groups and of the loops).
class Amounts {
public:
  explicit Amounts(Known known) : known_(std::move(known)) {}
  void set(Value value, const Amount &amount) { values_[value] = amount; }

  std::optional<Amount> of(const Dim &dim) const {
    std::set<std::string> names;
    dim.collectVars(names);
    for (const std::string &name : names)
      if (!known_.count(name)) return std::nullopt;
    Amount amount(dim.substitute(known_));
    return amount.isDefined() ? std::optional(amount) : std::nullopt;
  }
  std::optional<Amount> elements(Type type) const {
    Amount count = 1;
    for (ir::DimAttr extent : ir::shapeOf(type)) {
      std::optional<Amount> number = of(extent.getDim());
      if (!number) return std::nullopt;
      count *= *number;
    }
    return count;
  }
  /// A condition of `tsr.when`, where that is known.
  std::optional<bool> holds(Attribute condition) const {
    if (auto fact = dyn_cast<ir::RequirementAttr>(condition)) {
      std::optional<Amount> left = of(fact.getLeft().getDim()), right = of(fact.getRight().getDim());
      if (!left || !right || !left->isNumber() || !right->isNumber()) return std::nullopt;
      const double a = left->number(), b = right->number();
      switch (fact.getRelation()) {
      case ir::Relation::Eq: return a == b;
      case ir::Relation::Ne: return a != b;
      case ir::Relation::Lt: return a < b;
      case ir::Relation::Le: return a <= b;
      case ir::Relation::Gt: return a > b;
      case ir::Relation::Ge: return a >= b;
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
  std::optional<Amount> of(Value value) const {
    if (auto known = values_.find(value); known != values_.end()) return known->second;
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast_or_null<graph::DimOp>(op)) return of(dim.getDim().getDim());
    if (auto constant = dyn_cast_or_null<graph::ConstantOp>(op))
      if (auto number = dyn_cast<IntegerAttr>(constant.getValue())) return static_cast<double>(number.getInt());
    auto arithmetic = dyn_cast_or_null<graph::ElementwiseOp>(op);
    if (!arithmetic || arithmetic.getOperands().size() != 2) return std::nullopt;
    std::optional<Amount> a = of(arithmetic.getOperands()[0]), b = of(arithmetic.getOperands()[1]);
    if (!a || !b) return std::nullopt;
    llvm::StringRef name = arithmetic.getMnemonic();
    if (name == "add") return *a + *b;
    if (name == "sub") return *a - *b;
    if (name == "mul") return *a * *b;
    if (name == "floordiv" && !(b->isNumber() && b->number() == 0)) return *a / *b;
    if (name == "mod") return Amount::max(0, (*b - 1) / 2);  // in the middle
    if (name == "min") return Amount::min(*a, *b);
    if (name == "max") return Amount::max(*a, *b);
    if (!a->isNumber() || !b->isNumber()) return std::nullopt;
    const double left = a->number(), right = b->number();
    if (name == "lt") return left < right;
    if (name == "le") return left <= right;
    if (name == "gt") return left > right;
    if (name == "ge") return left >= right;
    if (name == "eq") return left == right;
    if (name == "ne") return left != right;
    return std::nullopt;
  }
  /// The turns of a loop; its variable gets the middle one.
  std::optional<Amount> turns(scf::ForOp loop) {
    std::optional<Amount> from = of(loop.getLowerBound()), to = of(loop.getUpperBound()), step = of(loop.getStep());
    if (!from || !to || !step || (step->isNumber() && step->number() <= 0)) return std::nullopt;
    set(loop.getInductionVar(), Amount::max(*from, (*from + *to - *step) / 2));
    const Amount count = (*to - *from) / *step;
    return from->isNumber() && from->number() == 0 && !count.isNumber() ? count : Amount::max(0, count);  // sizes are not negative
  }

private:
  Known known_;
  llvm::DenseMap<Value, Amount> values_;
};

/// Instructions of a lane that an operation takes for an element: what emitted text for GPUs has of them, about.
double instructionsOf(graph::ElementwiseOp op) {
  constexpr double kPower = 4, kDivision = 4, kFunction = 16;
  return llvm::StringSwitch<double>(op.getMnemonic())
      .Cases("add", "sub", "mul", "min", "max", "neg", "abs", 1)
      .Cases("floor", "ceil", "round", "trunc", "isnan", "select", 1)
      .Cases("eq", "ne", "lt", "le", "gt", "ge", 1)
      .Cases("and", "or", "xor", "not", "shl", "shr", 1)
      .Cases("exp", "exp2", "rsqrt", "log2", kPower)
      .Cases("div", "sqrt", kDivision)
      .Default(kFunction);
}

/// How often a place of a kernel is reached. Operations count tiles at the edges in part, as they hold nothing else that counts;
/// what is loaded does not get less by that.
struct Times {
  Amount operations = 1, loads = 1;
  Amount inGroup = 1;  // by one group, tiles at the edges as whole ones
  Times turned(const Amount &turns) const { return {operations * turns, loads * Amount::ceil(turns), inGroup * turns}; }
};

/// Counts one kernel, launched once.
class KernelCount {
public:
  KernelCount(schedule::KernelOp kernel, Known sizes) : kernel_(kernel), amounts_(withTile(kernel, std::move(sizes))) {}

  Work count() {
    Times times = groups();
    const bool lanesAlone = kernel_.getGrid().getKind() == ir::GridKind::Lanes;  // each has tiles of its own
    if (kernel_.getUsesLanes() && !lanesAlone) lanes_ = static_cast<double>(kernel_.getGroup());
    work_.groups = lanesAlone ? Amount::ceil(times.loads / std::max<double>(1, static_cast<double>(kernel_.getGroup()))) : times.loads;
    inRegion(kernel_.getBody(), times);
    for (auto [view, bytes] : read_) work_.readBytes += Amount::ofTiles(bytes, whole(view));
    for (auto [view, bytes] : written_) work_.writtenBytes += Amount::ofTiles(bytes, whole(view));
    return std::move(work_);
  }
  /// What has no number here; it is counted as done once.
  std::vector<std::string> uncounted;

private:
  static Known withTile(schedule::KernelOp kernel, Known sizes) {
    for (NamedAttribute size : kernel.getSizes())
      if (auto number = dyn_cast<IntegerAttr>(size.getValue())) sizes["T." + size.getName().str()] = Dim(number.getInt());
    return sizes;
  }
  Amount known(const std::optional<Amount> &number, const char *what) {
    if (!number && llvm::find(uncounted, what) == uncounted.end()) uncounted.push_back(what);
    return number.value_or(1);
  }
  Amount elements(Type type) { return known(amounts_.elements(type), "an array whose size depends on data"); }
  /// Bytes of all that is seen of a tensor; through a window, of the tensor once.
  Amount whole(Value view) {
    const double bytes = bytesOf(ir::elementTypeOf(view.getType()));
    ir::PlacesAttr places = cast<ir::ViewType>(view.getType()).getPlaces();
    if (!places || !places.getWindows()) return elements(view.getType()) * bytes;
    llvm::SmallVector<ir::DimAttr> shape(places.getWindows().getSize());
    shape.push_back(ir::shapeOf(view.getType()).back());
    return elements(ir::TensorType::get(view.getContext(), shape, ir::elementTypeOf(view.getType()))) * bytes;
  }

  Times groups() {
    ir::GridAttr grid = kernel_.getGrid();
    Times count;
    for (auto [axis, extent] : llvm::enumerate(grid.getDims())) {
      Amount number = known(amounts_.of(extent.getDim()), "a grid whose size depends on data");
      if (grid.getKind() == ir::GridKind::Output) {
        ir::DimAttr all = ir::shapeOf(kernel_.getBody().getArgument(static_cast<unsigned>(grid.getParam())).getType())[axis];
        tiles_.push_back(number);
        if (number.isNumber()) number = std::max(1.0, number.number());
        number = known(amounts_.of(all.getDim()), "an array whose size depends on data") / number;
      }
      along_.push_back(number);
      count.operations *= number;
      count.loads *= Amount::ceil(number);
    }
    return count;
  }
  /// In the middle of the launch.
  std::optional<Amount> placeOf(graph::QueryOp query) {
    llvm::StringRef what = query.getQuery();
    const size_t axis = static_cast<size_t>(query.getAxis());
    const Amount middle = axis < along_.size() ? Amount::max(0, (along_[axis] - 1) / 2) : Amount(0);
    if (what == "origin" && axis < tiles_.size()) return middle * tiles_[axis];
    if (what == "group_id") return middle;
    if (what == "group_count" && axis < along_.size()) return along_[axis];
    if (what == "group_size") return Amount(static_cast<double>(kernel_.getGroup()));
    if (what == "local_id" || what == "lane_id" || what == "linear_id") return Amount(0);  // strides of loops are as for the first lane
    return std::nullopt;
  }

  void inRegion(Region &region, const Times &times) {
    for (Block &block : region)
      for (Operation &op : block) inOp(&op, times);
  }
  /// Of two branches the one that does more, as far as that is known.
  void inBranches(scf::IfOp choice, const Times &times) {
    std::optional<KernelCount> best;
    for (Region *region : {&choice.getThenRegion(), &choice.getElseRegion()}) {
      KernelCount branch = *this;
      branch.inRegion(*region, times);
      if (!best || branch.doesMore(*best)) best = std::move(branch);
    }
    *this = std::move(*best);
  }
  /// Of formulas it is the one that does more in all, for some sizes.
  bool doesMore(const KernelCount &other) const {
    const Amount mine = total(), others = other.total();
    if (mine.isNumber() && others.isNumber()) return mine.number() > others.number();
    const Amount more = mine - others;
    std::map<std::string, int64_t> sizes;
    std::set<std::string> names;
    more.dim().collectVars(names);
    for (const std::string &name : names) sizes[name] = 4096;
    return more.at(sizes).value_or(0) > 0;
  }
  Amount total() const {
    Amount all = 0;
    for (const auto *list : {&work_.products, &work_.arithmetic})
      for (const auto &[dtype, count] : *list) all += count;
    for (const auto *list : {&read_, &written_})
      for (const auto &[view, bytes] : *list) all += bytes;
    return all;
  }

  void inOp(Operation *op, const Times &times) {
    if (auto query = dyn_cast<graph::QueryOp>(op)) {
      if (auto place = placeOf(query)) amounts_.set(query.getResult(), *place);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      const bool outer = std::exchange(multiplies_, multiplies_ || !loop.getBody()->getOps<graph::DotOp>().empty());
      inRegion(loop.getRegion(), times.turned(known(amounts_.turns(loop), "a loop whose turns depend on data")));
      multiplies_ = outer;
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      inBranches(choice, times);
    } else if (auto dot = dyn_cast<graph::DotOp>(op)) {
      inProduct(dot, times);
    } else if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
      const Amount each = times.operations * elements(reduce.getOperand().getType());
      count(work_.arithmetic, reduce.getResult().getType(), each);
      instructions() += each;
    } else if (auto each = dyn_cast<graph::ElementwiseOp>(op)) {
      Type type = each.getResult().getType();
      if (addsProduct(each)) return;
      const Amount number = times.operations * elements(type) * lanesOf(type);
      const std::optional<DType> dtype = ir::dtypeOf(ir::elementTypeOf(type));
      if (dtype && isFloat(*dtype)) instructions() += instructionsOf(each) * number;  // places and masks are computed once for many elements
      if (each.getMnemonic() != "select") count(work_.arithmetic, type, number);
    } else if (isa<graph::CastOp>(op)) {
      instructions() += times.operations * elements(op->getResult(0).getType()) * lanesOf(op->getResult(0).getType());
    } else if (auto load = dyn_cast<graph::LoadOp>(op)) {
      touch(read_, load.getBase(), load.getResult().getType(), times.loads, isMultiplied(load));
    } else if (auto store = dyn_cast<graph::StoreOp>(op)) {
      touch(written_, store.getBase(), store.getValue().getType(), store.getOnce() ? times.loads / lanes_ : times.loads, false);
    } else {
      inOther(op, times);
    }
  }
  void inProduct(graph::DotOp dot, const Times &times) {
    Type type = dot.getLhs().getType();
    const Amount pairs = elements(dot.getType()) * known(amounts_.of(ir::shapeOf(type).back().getDim()), "an array whose size depends on data");
    if (dot.hasTerm()) return inTerm(dot, pairs, times);
    const Amount each = 2 * pairs;
    count(work_.products, type, times.operations * each);
    count(work_.groupProducts, type, times.inGroup * weightOf(dot) * each);
  }
  /// Of each pair, the arithmetic of the term, and its combination with the others.
  void inTerm(graph::DotOp dot, const Amount &pairs, const Times &times) {
    for (Operation &op : dot.getTerm().front())
      if (isa<graph::ElementwiseOp, graph::TermOp>(op)) {
        auto each = dyn_cast<graph::ElementwiseOp>(op);
        count(work_.arithmetic, dot.getType(), times.operations * pairs);
        instructions() += (each ? instructionsOf(each) : 1) * (times.operations * pairs);
      }
  }
  /// Whether an operand is read for the product: not where it is computed, or stays for all turns of a loop.
  static bool isRead(Value operand, Operation *product) {
    Operation *made = operand.getDefiningOp();
    if (auto turned = dyn_cast_or_null<graph::TransposeOp>(made)) return isRead(turned.getOperand(), product);
    return isa_and_nonnull<graph::LoadOp>(made) && made->getBlock() == product->getBlock();
  }
  /// How much longer the product of a tile takes than that of one of 128 x 256, for each operation.
  double weightOf(graph::DotOp dot) {
    constexpr transforms::ContractTile kUsual{128, 256, 64, 256};
    llvm::ArrayRef<ir::DimAttr> shape = dot.getType().getShape();
    auto number = [&](size_t fromEnd) {
      std::optional<Amount> extent = shape.size() < fromEnd ? std::nullopt : amounts_.of(shape[shape.size() - fromEnd].getDim());
      return extent && extent->isNumber() ? static_cast<int64_t>(extent->number()) : 0;
    };
    const transforms::ContractTile tile{number(2), number(1), 0, static_cast<int64_t>(kernel_.getGroup())};
    if (tile.m <= 0 || tile.n <= 0) return 1;
    auto each = [](const transforms::ContractTile &of, int64_t unread) {
      return static_cast<double>(transforms::costOfTile(of) - unread * transforms::costOfTile({1, 0, 0, of.group})) / static_cast<double>(of.m * of.n);
    };
    return each(tile, isRead(dot.getLhs(), dot) ? 0 : tile.m) / each(kUsual, 0);
  }
  /// What has no rule of its own: its regions once, and the views that it takes as a whole, as their parameters say.
  void inOther(Operation *op, const Times &times) {
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
  /// Those of lanes that begin products and compute while these run, or of all others.
  Amount &instructions() { return multiplies_ ? work_.besideProducts : work_.instructions; }
  /// The additions are the product's own.
  static bool addsProduct(graph::ElementwiseOp op) {
    return op.getMnemonic() == "add" && llvm::any_of(op.getOperands(), [](Value operand) { return operand.getDefiningOp<graph::DotOp>() != nullptr; });
  }
  double lanesOf(Type type) const { return ir::shapeOf(type).empty() ? lanes_ : 1; }
  void count(std::map<DType, Amount> &list, Type type, const Amount &operations) {
    std::optional<DType> dtype = ir::dtypeOf(ir::elementTypeOf(type));
    if (dtype && (isFloat(*dtype) || &list != &work_.arithmetic)) list[*dtype] += operations;
  }
  using Bytes = llvm::MapVector<Value, Amount>;
  /// Whether products read it, and nothing else: units of their own copy such tiles on many machines.
  static bool isMultiplied(Operation *load) {
    return llvm::all_of(load->getUsers(), [](Operation *user) { return isa<graph::DotOp>(user) || (isa<graph::TransposeOp>(user) && isMultiplied(user)); });
  }
  void touch(Bytes &list, Value base, Type type, const Amount &times, bool byItself) {
    if (!isa<BlockArgument>(base) || !isa<ir::ViewType>(base.getType())) return;
    const Amount each = times * elements(type) * lanesOf(type);
    list[base] += each * bytesOf(ir::elementTypeOf(base.getType()));
    if (!byItself) instructions() += each;
  }

  schedule::KernelOp kernel_;
  Amounts amounts_;
  Work work_;
  double lanes_ = 1;
  bool multiplies_ = false;  // in a loop of products
  std::vector<Amount> tiles_, along_;
  Bytes read_, written_;
};

Known knownOf(const Sizes &sizes) {
  Known known;
  for (const auto &[name, size] : sizes) known.emplace(name, Dim(size));
  return known;
}

/// Of the kernel that a launch starts, where the function's dimensions are known.
KernelCount countOf(schedule::LaunchOp launch, const Known &dims) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<schedule::KernelOp>(launch, launch.getKernelAttr());
  TSR_CHECK(kernel, "a launch of a kernel that is not there: " + launch.getKernel().str());
  auto given = launch.getDims();
  if (!given) return {kernel, dims};
  Known sizes;
  const Amounts amounts(dims);
  for (auto [name, dim] : llvm::zip_equal(kernel.getDims().getAsRange<StringAttr>(), given->getDims()))
    if (auto number = amounts.of(dim.getDim())) sizes.emplace(name.getValue().str(), number->dim());
  return {kernel, std::move(sizes)};
}

/// The launches of an entry function, in order; those of one kernel are one row.
class CallCount {
public:
  CallCount(schedule::FuncOp function, const Sizes &sizes) : function_(function), sizes_(knownOf(sizes)), amounts_(sizes_) {}
  std::vector<KernelWork> count() {
    inRegion(function_.getBody(), 1);
    return std::move(rows_);
  }

private:
  void inRegion(Region &region, double times) {
    for (Block &block : region)
      for (Operation &op : block) {
        if (auto launch = dyn_cast<schedule::LaunchOp>(op)) addIfItHolds(launch, times);
        else if (auto choice = dyn_cast<scf::IfOp>(op); choice && amounts_.of(choice.getCondition())) {
          inRegion(amounts_.of(choice.getCondition())->number() != 0 ? choice.getThenRegion() : choice.getElseRegion(), times);
        } else if (op.getNumRegions() > 0) {
          auto loop = dyn_cast<scf::ForOp>(op);
          std::optional<Amount> turns = loop ? amounts_.turns(loop) : std::nullopt;
          const bool outer = std::exchange(unknown_, unknown_ || !turns);  // a branch, or a loop that ends by data
          for (Region &inner : op.getRegions()) inRegion(inner, times * turns.value_or(1).number());
          unknown_ = outer;
        }
      }
  }
  void addIfItHolds(schedule::LaunchOp launch, double times) {
    auto conditions = launch->getAttrOfType<ArrayAttr>("tsr.when");
    const bool outer = unknown_;
    for (Attribute condition : conditions ? conditions.getValue() : llvm::ArrayRef<Attribute>()) {
      std::optional<bool> holds = amounts_.holds(condition);
      if (holds == false) return;
      unknown_ |= !holds;
    }
    add(launch, times);
    unknown_ = outer;
  }
  void add(schedule::LaunchOp launch, double times) {
    KernelCount counted = countOf(launch, sizes_);
    const Work one = counted.count();
    const std::string kernel = launch.getKernel().str();
    auto row = llvm::find_if(rows_, [&](const KernelWork &each) { return each.kernel == kernel; });
    if (row == rows_.end()) row = rows_.insert(rows_.end(), KernelWork()), row->kernel = kernel;
    row->launches += times;
    for (const auto &[dtype, count] : one.products) row->products[dtype] += times * count.number();
    for (const auto &[dtype, count] : one.arithmetic) row->arithmetic[dtype] += times * count.number();
    row->readBytes += times * one.readBytes.number();
    row->writtenBytes += times * one.writtenBytes.number();
    row->each.emplace_back(times, one);
    if (unknown_) counted.uncounted.push_back("launches that depend on data");
    for (const std::string &what : counted.uncounted)
      if (llvm::find(row->uncounted, what) == row->uncounted.end()) row->uncounted.push_back(what);
  }

  schedule::FuncOp function_;
  Known sizes_;
  Amounts amounts_;
  bool unknown_ = false;
  std::vector<KernelWork> rows_;
};

}  // namespace

std::optional<std::vector<KernelWork>> countWork(ModuleOp module, const std::string &function, const Sizes &sizes) {
  auto found = module.lookupSymbol<schedule::FuncOp>(function);
  if (!found) return std::nullopt;
  return CallCount(found, sizes).count();
}

void noteWork(ModuleOp module) {
  module.walk([](schedule::FuncOp function) {
    Known dims;
    for (auto dim : function.getDims().getAsRange<StringAttr>()) dims.emplace(dim.getValue().str(), Dim::var(dim.getValue().str()));
    function.walk([&](schedule::LaunchOp launch) {
      KernelCount counted = countOf(launch, dims);
      const Work work = counted.count();
      if (counted.uncounted.empty()) launch->setAttr(ir::kWork, ir::attributeOf(work, launch.getContext()));
    });
  });
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
