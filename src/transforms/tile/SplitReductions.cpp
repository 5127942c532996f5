// Long reductions that few lanes would run: split into parts, each added up by a group or lane of its own, and a second
// kernel that adds up the parts. How many parts there are follows from the extents alone, so results have the same bits
// on every machine.
//
//   for (c = local_id; c < N; c += group_size) sum += f(c)    one group: parts of N for a group each, on CPUs for a core
//   if (i < n) for (k = 0; k < K; ++k) sum += f(k, i)         a lane for each of n: parts of K for a lane each
//
// Columns that are many are enough lanes: the entry function asks, and starts a kernel that adds up whole columns instead.
//
// Many parts of few columns are again a long reduction that few lanes would run: the lanes of a group share them (ShareParts.cpp),
// or they are split in the same way, once.
#include "ir/common/FunctionLike.h"
#include "ir/common/Names.h"
#include "ir/common/WorkNotes.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/tile/LoopOverParts.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kChunk = 2048;      // elements of a group's part, and what they are a multiple of
constexpr int64_t kGroups = 1024;     // parts of one group each
constexpr int64_t kLanes = 1 << 20;   // lanes that add up at once
constexpr int64_t kEnough = 1 << 18;  // columns that keep a machine busy without parts
constexpr int64_t kLaneSteps = 16;    // elements of a lane's part at least
constexpr int64_t kLaneParts = 4096;  // of a column
constexpr int64_t kFewOps = 48;       // in a loop that is written out several times

/// The names of a module and who launches its kernels, kept up to date while kernels are split.
struct Launches {
  explicit Launches(ModuleOp module) : symbols(module) {
    module.walk([&](tile::LaunchOp launch) { of[launch.getKernelAttr().getAttr()].push_back(launch); });
  }
  SymbolTable symbols;
  llvm::DenseMap<StringAttr, SmallVector<tile::LaunchOp>> of;
};

class Split {
public:
  Split(tile::KernelOp kernel, Launches &launches, bool onCpu) : kernel_(kernel), launches_(launches), onCpu_(onCpu), builder_(kernel->getContext()) {}

  /// Takes the next long reduction out of the kernel; false if there is none.
  bool run() {
    if (!find()) return false;
    if (addsParts_ && shareParts(kernel_, guard_, loop_, counter_)) return false;
    if (guard_ && !addsParts_ && !count_.isConstant()) keepWhole();
    makeParts();
    takeParts();
    relaunch();
    return true;
  }

private:
  /// A loop made from a reduction, over an extent that may be long.
  bool isLong(scf::ForOp loop) {
    auto end = loop.getUpperBound().getDefiningOp<tile::DimOp>();
    auto number = loop.getUpperBound().getDefiningOp<tile::ConstantOp>();
    if (tile::reductionsOf(loop).empty() || loop->hasAttr(kSplit)) return false;
    addsParts_ = loop->hasAttr(kAddsParts);
    if (end) extent_ = *Dim::parse(end.getDim().str());
    else if (number) extent_ = Dim(cast<IntegerAttr>(number.getValue()).getInt());
    else return false;
    return true;
  }

  /// For each number of a launch, or for a result of one element.
  bool isOneGroup(GridAttr grid) {
    if (grid.getKind() == GridKind::Explicit) return grid.getDims().size() == 1 && grid.getDims()[0].getConstant() == 1;
    if (grid.getKind() != GridKind::Output || grid.getParam() < 0) return false;
    return llvm::all_of(shapeOf(kernel_.getArgumentTypes()[grid.getParam()]), [](DimAttr extent) { return extent.getConstant() == 1; });
  }

  bool find() {
    GridAttr grid = kernel_.getGrid();
    Block &top = kernel_.getBody().front();
    if (!kernel_.getCapacity().empty()) return false;
    int positions = 0;  // of lanes and groups, beside what the loops ask for
    kernel_.getBody().walk([&](tile::QueryOp op) {
      positions += op.getQuery() != "local_id" && op.getQuery() != "group_size";
    });
    if (positions > (grid.getKind() == GridKind::Lanes ? 1 : 0)) return false;
    if (isOneGroup(grid)) {
      for (auto loop : top.getOps<scf::ForOp>()) {
        auto first = loop.getLowerBound().getDefiningOp<tile::QueryOp>();
        if (!first || first.getQuery() != "local_id" || !isLong(loop)) continue;
        if (extent_.isConstant() && extent_.constant() <= 8 * kChunk) continue;
        loop_ = loop;
        Dim chunks = Dim::max(Dim(8), Dim::ceilDiv(extent_, Dim(kChunk * kGroups)));
        length_ = Dim(kChunk) * chunks;
        parts_ = Dim::ceilDiv(extent_, length_);
        return isSelfContained(loop);
      }
    } else if (grid.getKind() == GridKind::Lanes && !onCpu_) {  // there, columns are added up side by side
      for (auto guard : top.getOps<scf::IfOp>())
        for (auto loop : guard.thenBlock()->getOps<scf::ForOp>()) {
          auto first = loop.getLowerBound().getDefiningOp<tile::ConstantOp>();
          auto linear = guard.getCondition().getDefiningOp<tile::ElementwiseOp>();
          if (!first || !linear || linear.getMnemonic() != "lt" || !isLong(loop)) continue;
          if (extent_.isConstant() && extent_.constant() <= 4 * kLaneSteps) continue;
          guard_ = guard, loop_ = loop;
          counter_ = linear.getArgs()[0];
          count_ = grid.getDims()[0].getDim();
          if (count_.isConstant() && count_.constant() >= kEnough) return false;
          Dim wanted = Dim::max(Dim(1), Dim::floorDiv(Dim(kLanes), Dim::max(count_, Dim(1))));
          parts_ = Dim::min(Dim::min(Dim::ceilDiv(extent_, Dim(kLaneSteps)), wanted), Dim(kLaneParts));
          length_ = Dim::ceilDiv(extent_, Dim::max(parts_, Dim(1)));
          auto query = counter_.getDefiningOp<tile::QueryOp>();
          return query && query.getQuery() == "linear_id" && isSelfContained(loop);
        }
    }
    return false;
  }

  /// What it needs can be computed again in another kernel: it stands before no store.
  bool isSelfContained(scf::ForOp loop) {
    bool good = true;
    for (Operation *at = loop; at != kernel_; at = at->getParentOp())
      for (Operation *before = at->getPrevNode(); before; before = before->getPrevNode())
        good &= !isa<tile::StoreElementOp, tile::AtomicOp, tile::OnceOp>(before) &&
                llvm::none_of(before->getResultTypes(), llvm::IsaPred<tile::FragmentType>);
    return good;
  }

  DimAttr attr(const Dim &dim) { return DimAttr::get(builder_.getContext(), dim); }
  Location place() { return unnamed(loop_.getLoc()); }
  Value dim(const Dim &dim) {
    if (dim.isConstant()) return builder_.create<tile::ConstantOp>(place(), builder_.getIndexType(), builder_.getIndexAttr(dim.constant()));
    return builder_.create<tile::DimOp>(place(), builder_.getIndexType(), dim.str());
  }
  Value index(StringRef mnemonic, Value a, Value b, StringRef name = "") {
    Type type = mnemonic == "lt" ? builder_.getI1Type() : Type(builder_.getIndexType());
    return builder_.create<tile::ElementwiseOp>(named(name, place()), type, mnemonic, ValueRange{a, b});
  }

  /// The kernel as it is, for where there are lanes enough.
  void keepWhole() {
    builder_.setInsertionPoint(kernel_);
    IRMapping copies;
    whole_ = cast<tile::KernelOp>(builder_.clone(*kernel_, copies));
    std::string name = kernel_.getSymName().str();
    if (StringRef(name).ends_with("_kernel")) name.resize(name.size() - 7);
    for (std::string wanted = name + "_whole_kernel"; name = wanted, launches_.symbols.lookup(wanted);) wanted = wanted.substr(0, wanted.size() - 7) + "__kernel";
    whole_.setSymName(name);
    launches_.symbols.insert(whole_);
    auto loop = cast<scf::ForOp>(copies.lookup(loop_.getOperation()));
    loop->setAttr(kSplit, builder_.getUnitAttr());
    writeOut(loop);
    addReason(whole_, "columns: a lane adds up its whole column, where there are " + Twine(kEnough) + " or more");
  }

  /// The kernel that adds up the parts.
  void makeParts() {
    builder_.setInsertionPoint(kernel_);
    std::string name = kernel_.getSymName().str();
    if (StringRef(name).ends_with("_kernel")) name.resize(name.size() - 7);
    if (addsParts_) parameter_ = "fewer_parts";
    for (std::string base = name + "_" + parameter_, wanted = base + "_kernel"; name = wanted, launches_.symbols.lookup(wanted);)
      base += "_", wanted = base + "_kernel";
    SmallVector<DimAttr> shape = {attr(parts_)};
    if (guard_) shape.push_back(attr(count_));
    for (Type carried : loop_.getResultTypes()) memory_.push_back(ViewType::get(builder_.getContext(), shape, carried));
    SmallVector<Type> types(kernel_.getArgumentTypes());
    SmallVector<Attribute> params(kernel_.getParams().begin(), kernel_.getParams().end());
    for (Attribute &param : params) {  // nothing of the kernel's own is written
      auto old = cast<ParamAttr>(param);
      param = ParamAttr::get(builder_.getContext(), old.getName(), ParamMode::In, false, old.getKeywordOnly(), old.getDefaultValue());
    }
    for (ViewType memory : memory_) {
      parameters_.push_back(freshParameter(params));
      types.push_back(memory);
      params.push_back(ParamAttr::get(builder_.getContext(), parameters_.back(), ParamMode::Out, true, false, Attribute()));
    }
    OperationState state(kernel_->getLoc(), kernel_->getName());
    state.addAttributes(kernel_->getAttrs());
    state.addRegion();
    first_ = cast<tile::KernelOp>(builder_.create(state));
    first_->setAttr("sym_name", builder_.getStringAttr(name));
    launches_.symbols.insert(first_);
    first_->setAttr("function_type", TypeAttr::get(builder_.getFunctionType(types, {})));
    first_->setAttr("params", builder_.getArrayAttr(params));
    first_->setAttr("outputs", builder_.getArrayAttr({}));
    first_->setAttr("reasons", builder_.getArrayAttr({builder_.getStringAttr(
        addsParts_ ? "columns: a lane adds up some of its column's parts; the next kernel adds up the rest"
        : guard_   ? "columns: a lane adds up a part of its column; the next kernel adds up the parts"
                   : "a group adds up a part of the elements; the next kernel adds up the parts")}));
    Dim lanes = guard_ ? parts_ * count_ : parts_;
    first_->setAttr("grid", GridAttr::get(builder_.getContext(), guard_ ? GridKind::Lanes : GridKind::Explicit, attr(lanes), -1));
    Block &block = first_.getBody().emplaceBlock();
    for (auto [type, argument] : llvm::zip(types, kernel_.getBody().getArguments()))
      mapping_.map(argument, block.addArgument(type, argument.getLoc()));
    SmallVector<Value> memory = parametersOf(block);
    builder_.setInsertionPointToEnd(&block);
    auto end = builder_.create<tile::KernelEndOp>(kernel_.getLoc());
    builder_.setInsertionPoint(end);
    if (guard_) partOfLane(memory, lanes);
    else partOfGroup(memory);
  }

  /// "parts", or with a number behind it where a parameter has that name.
  std::string freshParameter(ArrayRef<Attribute> params) {
    std::string name = parameter_;
    for (int number = 2; llvm::any_of(params, [&](Attribute param) { return cast<ParamAttr>(param).getName() == name; }); ++number)
      name = parameter_ + std::to_string(number);
    return name;
  }
  SmallVector<Value> parametersOf(Block &block) {
    SmallVector<Value> memory;
    for (auto [type, name] : llvm::zip(memory_, parameters_)) memory.push_back(block.addArgument(type, named(name, kernel_.getLoc())));
    return memory;
  }

  /// A value of the old kernel in the new one, computed again.
  Value again(Value value) {
    if (Value known = mapping_.lookupOrNull(value)) return known;
    Operation *op = value.getDefiningOp();
    for (Operation *inner : inOrder(op))
      for (Value operand : inner->getOperands())
        if (operand.getParentRegion()->isAncestor(op->getParentRegion()) && operand.getParentBlock()->getParentOp() != op) again(operand);
    builder_.clone(*op, mapping_);
    return mapping_.lookup(value);
  }
  static SmallVector<Operation *> inOrder(Operation *op) {
    SmallVector<Operation *> all;
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) { all.push_back(inner); });
    return all;
  }

  /// The loop again, from one index to another.
  ResultRange partOf(Value first, Value end) {
    for (Operation *inner : inOrder(loop_))
      for (Value operand : inner->getOperands())
        if (!loop_->isAncestor(operand.getParentBlock()->getParentOp())) again(operand);
    auto part = cast<scf::ForOp>(builder_.clone(*loop_, mapping_));
    part.getLowerBoundMutable().assign(first);
    part.getUpperBoundMutable().assign(end);
    part->setAttr(kSplit, builder_.getUnitAttr());
    writeOut(part);
    return part.getResults();
  }
  /// So that several loads are on their way at once.
  void writeOut(scf::ForOp loop) {
    if (static_cast<int64_t>(loop.getBody()->getOperations().size()) <= kFewOps) loop->setAttr(tile::kUnrolled, builder_.getI64IntegerAttr(kAtOnce / 2));
  }

  void partOfGroup(ValueRange memory) {
    Value group = builder_.create<tile::QueryOp>(named("part", place()), builder_.getIndexType(), "group_id", 0);
    Value first = index("mul", group, dim(length_), "first");
    Value end = index("min", index("add", first, dim(length_)), dim(extent_), "end");
    SmallVector<Value> totals;
    if (onCpu_) {  // a core goes over its part alone
      ResultRange sums = partOf(first, end);
      auto part = cast<scf::ForOp>(sums.front().getOwner());
      builder_.setInsertionPoint(part);
      part.getStepMutable().assign(dim(Dim(1)));
      builder_.setInsertionPointAfter(part);
      llvm::append_range(totals, sums);
    } else {
      Value lane = builder_.create<tile::QueryOp>(place(), builder_.getIndexType(), "local_id", 0);
      for (auto [sum, reduction] : llvm::zip(partOf(index("add", first, lane), end), tile::reductionsOf(loop_)))
        totals.push_back(builder_.create<tile::GroupReduceOp>(loop_.getLoc(), sum.getType(), reduction, sum));
    }
    auto once = builder_.create<tile::OnceOp>(place());
    builder_.setInsertionPointToEnd(&once.getBody().emplaceBlock());
    for (auto [total, held] : llvm::zip(totals, memory))
      builder_.create<tile::StoreElementOp>(place(), total, held, ValueRange{group}, builder_.getDenseBoolArrayAttr({true}));
  }

  void partOfLane(ValueRange memory, const Dim &lanes) {
    Value linear = builder_.create<tile::QueryOp>(named("e", place()), builder_.getIndexType(), "linear_id", 0);
    auto guard = builder_.create<scf::IfOp>(place(), index("lt", linear, dim(lanes)), false);
    builder_.setInsertionPoint(guard.thenYield());
    Value part = index("floordiv", linear, dim(count_), "part");
    mapping_.map(counter_, index("mod", linear, dim(count_), nameHint(counter_)));
    Value first = index("mul", part, dim(length_), "first");
    Value end = index("min", index("add", first, dim(length_)), dim(extent_), "end");
    for (auto [sum, held] : llvm::zip(partOf(first, end), memory))
      builder_.create<tile::StoreElementOp>(place(), sum, held, ValueRange{part, mapping_.lookup(counter_)},
                                            builder_.getDenseBoolArrayAttr({true, true}));
  }

  /// In the kernel itself the loop goes over the parts.
  void takeParts() {
    SmallVector<Type> types(kernel_.getArgumentTypes());
    SmallVector<Attribute> params(kernel_.getParams().begin(), kernel_.getParams().end());
    for (auto [type, name] : llvm::zip(memory_, parameters_)) {
      types.push_back(type);
      params.push_back(ParamAttr::get(builder_.getContext(), name, ParamMode::In, false, false, Attribute()));
    }
    kernel_->setAttr("function_type", TypeAttr::get(builder_.getFunctionType(types, {})));
    kernel_->setAttr("params", builder_.getArrayAttr(params));
    SmallVector<Value> memory = parametersOf(kernel_.getBody().front());
    builder_.setInsertionPoint(loop_);
    Value count = dim(parts_);
    scf::ForOp loop = loopOverParts(builder_, loop_, memory, guard_ ? ValueRange(counter_) : ValueRange(), count);
    if (onCpu_) {  // lanes are the turns of loops there
      builder_.setInsertionPoint(loop);
      loop.getLowerBoundMutable().assign(dim(Dim(0)));
      loop.getStepMutable().assign(dim(Dim(1)));
      loop->removeAttr(tile::kUnrolled);
      for (Value sum : loop.getResults())
        for (Operation *user : llvm::make_early_inc_range(sum.getUsers()))
          if (auto all = dyn_cast<tile::GroupReduceOp>(user)) all.replaceAllUsesWith(sum), all.erase();
    }
    bool areMany = guard_ && !addsParts_ && !(parts_.isConstant() && parts_.constant() <= kFewParts);
    loop->setAttr(areMany ? kAddsParts : kSplit, builder_.getUnitAttr());
  }

  /// Every launch of the kernel is one of the parts first, with memory for them.
  void relaunch() {
    SmallVector<tile::LaunchOp> parts;
    for (tile::LaunchOp &launch : launches_.of[kernel_.getSymNameAttr()]) {
      builder_.setInsertionPoint(launch);
      SmallVector<Value> args(launch.getArgs());
      SmallVector<Operation *> made;
      for (auto [type, name] : llvm::zip(memory_, parameters_)) {
        Type held = underDims(type, dimsOfLaunch(kernel_.getDims(), launch.getDimsAttr()));
        made.push_back(builder_.create<tile::TempOp>(named(name, launch.getLoc()), held));
        args.push_back(made.back()->getResult(0));
      }
      auto first = builder_.create<tile::LaunchOp>(launch.getLoc(), first_.getSymName(), args, launch.getDimsAttr());
      auto second = builder_.create<tile::LaunchOp>(launch.getLoc(), launch.getKernel(), args, launch.getDimsAttr());
      made.append({first, second});
      SmallVector<Attribute> when;
      if (auto asked = launch->getAttrOfType<ArrayAttr>(kWhen)) when.assign(asked.begin(), asked.end());
      if (whole_) {
        Attribute many = isEnough(launch);
        auto whole = builder_.create<tile::LaunchOp>(launch.getLoc(), whole_.getSymName(), launch.getArgs(), launch.getDimsAttr());
        whole->setAttr(kWhen, builder_.getArrayAttr(llvm::to_vector(llvm::concat<const Attribute>(when, ArrayRef(many)))));
        if (Attribute work = launch->getAttr(kWork)) whole->setAttr(kWork, work);
        when.push_back(negated(many));
      }
      if (!when.empty())
        for (Operation *op : made) op->setAttr(kWhen, builder_.getArrayAttr(when));
      if (Attribute work = launch->getAttr(kWork)) first->setAttr(kWork, work), second->setAttr(kWork, attributeOf(Work{}, builder_.getContext()));  // what is left is small
      launch.erase();
      launch = second;
      parts.push_back(first);
    }
    launches_.of[first_.getSymNameAttr()] = std::move(parts);
  }

  Attribute isEnough(tile::LaunchOp launch) {
    Dim count = count_.substitute(dimsOfLaunch(kernel_.getDims(), launch.getDimsAttr()));
    return RequirementAttr::get(builder_.getContext(), attr(Dim(kEnough)), Relation::Le, attr(count), "");
  }

  tile::KernelOp kernel_, first_, whole_;
  Launches &launches_;
  bool onCpu_;
  OpBuilder builder_;
  scf::IfOp guard_;
  scf::ForOp loop_;
  Value counter_;  // of a lane
  Dim extent_, parts_, length_, count_;
  SmallVector<ViewType> memory_;          // of the parts of each reduction
  SmallVector<std::string> parameters_;  // their names
  bool addsParts_ = false;  // of an earlier split
  std::string parameter_ = "parts";
  IRMapping mapping_;
};

struct SplitReductions : PassWrapper<SplitReductions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitReductions)
  StringRef getArgument() const override { return "tile-split-reductions"; }
  StringRef getDescription() const override { return "long reductions in parts, and a kernel that combines the parts"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<tile::TileDialect, scf::SCFDialect>(); }
  void runOnOperation() override {
    SmallVector<tile::KernelOp> kernels(getOperation().getOps<tile::KernelOp>());
    Launches launches(getOperation());
    for (tile::KernelOp kernel : kernels) {
      const Machine *machine = machineOf(kernel);
      while (Split(kernel, launches, machine && machine->family == Target::Cpu).run()) {}
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createSplitReductionsPass() { return std::make_unique<SplitReductions>(); }

}  // namespace tessera::transforms
