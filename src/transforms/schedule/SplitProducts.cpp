// `split_k` of a schedule, and `tsr.parts` of a tensor function's: products whose groups are few and whose sums are long.
//
//   for k in range(0, K, T.k): acc += dot(A[m, k], B[k, n])     one group for a tile of the result
//
// becomes a kernel whose groups add up parts of K, each for itself, and a kernel that adds up the parts, in order, and goes on
// as the kernel did behind its loop. The order follows from the sizes alone, so results have the same bits in every run. The
// schedule of a kernel that is no such product, and one that has to give the same bits under every schedule, say why not.
#include "ir/common/FunctionLike.h"
#include "ir/common/Names.h"
#include "ir/common/ReasonText.h"
#include "ir/common/WhyNot.h"
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/BitVector.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Unused.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr StringLiteral kField = "split_k";
constexpr int64_t kAddedRows = 8, kAddedCols = 128;  // of a tile that is added up from parts: small, so that there are many
constexpr int64_t kPartsAtOnce = 4;                   // are read before they are added up

/// The loop of a product, and what it adds to what it carries.
struct ProductLoop {
  scf::ForOp loop;
  graph::ElementwiseOp add;
  TensorType tile;
};

Dim dimOf(Value value) {
  if (auto dim = value.getDefiningOp<graph::DimOp>()) return dim.getDim().getDim();
  return Dim(cast<IntegerAttr>(value.getDefiningOp<graph::ConstantOp>().getValue()).getInt());
}
bool isDim(Value value) { return isa_and_nonnull<graph::DimOp, graph::ConstantOp>(value.getDefiningOp()); }

bool carriesOneSum(scf::ForOp loop) {
  if (loop.getNumResults() != 1 || !isa<TensorType>(loop.getResult(0).getType())) return false;
  auto add = loop.getYieldedValues()[0].getDefiningOp<graph::ElementwiseOp>();
  Value carried = loop.getRegionIterArg(0);
  return add && add.getMnemonic() == "add" && carried.hasOneUse() && *carried.user_begin() == add;
}

/// The extents of the tile of a group without those of one element.
SmallVector<DimAttr> longExtents(ArrayRef<DimAttr> extents) {
  SmallVector<DimAttr> found;
  llvm::copy_if(extents, std::back_inserter(found), [](DimAttr extent) { return extent.getConstant() != 1; });
  return found;
}

/// The product of a kernel, or why K is not split: words for `no split_k: ...`.
std::optional<ProductLoop> productOf(schedule::KernelOp kernel, std::string &why) {
  Block &block = kernel.getBody().front();
  auto refuse = [&](const char *because) {
    why = because;
    return std::nullopt;
  };
  if (kernel.getDeterministic()) return refuse("the same bits under every schedule were asked for, and parts of a sum round by themselves");
  auto loops = block.getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops)) return refuse("it cuts one loop over K, and this kernel has none or several");
  scf::ForOp loop = *loops.begin();
  if (!carriesOneSum(loop)) return refuse("the loop over K has to carry one tile, to which each turn adds");
  auto tile = cast<TensorType>(loop.getResult(0).getType());
  bool ofOutput = kernel.getGrid().getKind() == GridKind::Output && kernel.getCapacity().empty() &&
                  longExtents(kernel.getGrid().getDims()) == SmallVector<DimAttr>(tile.getShape());
  if (!ofOutput) return refuse("the sum has to have the shape of the tile that a group returns");
  if (dimOf(loop.getLowerBound()) != Dim(0) || !isDim(loop.getUpperBound()) || !isDim(loop.getStep()))
    return refuse("the loop over K has to go from 0 to a dimension");
  bool pure = true, product = false;
  kernel.getBody().walk([&](Operation *op) {
    if (auto query = dyn_cast<graph::QueryOp>(op)) pure &= query.getQuery() == "origin";
    product |= isa<graph::DotOp>(op) && loop->isAncestor(op);
    bool writes = isa<graph::AllocSharedOp, graph::AsyncCopyOp>(op) || (op->getNumRegions() == 0 && !isMemoryEffectFree(op) && !isa<graph::LoadOp>(op));
    bool comesLater = op->getParentRegion() == &kernel.getBody() && loop->isBeforeInBlock(op);
    pure &= !writes || comesLater;
  });
  if (!product) return refuse("there is no product in the loop");
  if (!pure) return refuse("up to its loop the kernel has to read only, and to ask only for its tile's origin");
  return ProductLoop{loop, loop.getYieldedValues()[0].getDefiningOp<graph::ElementwiseOp>(), tile};
}

class SplitProduct {
public:
  SplitProduct(schedule::KernelOp kernel, Dim count, SymbolTable &symbols)
      : kernel_(kernel), builder_(kernel->getContext()), count_(std::move(count)), symbols_(symbols) {}

  void run(ProductLoop product, ArrayRef<schedule::LaunchOp> launches) {
    parameter_ = "parts";
    auto isTaken = [&](Attribute param) { return cast<ParamAttr>(param).getName() == parameter_; };
    for (int number = 2; llvm::any_of(kernel_.getParams(), isTaken); ++number) parameter_ = "parts" + std::to_string(number);
    if (!count_.isConstant()) nameCount();
    SmallVector<DimAttr> shape{attr(count_)};
    llvm::append_range(shape, shapeOf(kernel_.getArgumentTypes()[kernel_.getGrid().getParam()]));
    memory_ = ViewType::get(builder_.getContext(), shape, product.tile.getElementType());
    makeParts();
    addParts(product);
    ofParts_ = dropParameters(first_), ofSum_ = dropParameters(kernel_);
    for (schedule::LaunchOp launch : launches) relaunch(launch);
  }

private:
  /// A number of parts that the entry function computes is a dimension of the kernels.
  void nameCount() {
    std::string name = "Parts";
    SmallVector<Attribute> dims(kernel_.getDims().begin(), kernel_.getDims().end());
    auto isTaken = [&](Attribute dim) { return cast<StringAttr>(dim).getValue() == name; };
    for (int number = 2; llvm::any_of(dims, isTaken); ++number) name = "Parts" + std::to_string(number);
    dims.push_back(builder_.getStringAttr(name));
    formula_ = std::exchange(count_, Dim::var(name));
    kernel_->setAttr("dims", builder_.getArrayAttr(dims));
  }

  /// What a launch gives for the kernel's dimensions, with the number of parts.
  DimsAttr dimsOf(schedule::LaunchOp launch) {
    if (!formula_) return launch.getDimsAttr();
    SmallVector<DimAttr> dims;
    ArrayRef<Attribute> names = kernel_.getDims().getValue().drop_back();
    if (DimsAttr given = launch.getDimsAttr()) dims.assign(given.getDims().begin(), given.getDims().end());
    else for (Attribute name : names) dims.push_back(attr(Dim::var(cast<StringAttr>(name).getValue().str())));
    std::map<std::string, Dim> values;
    for (auto [name, dim] : llvm::zip(names, dims)) values.emplace(cast<StringAttr>(name).getValue().str(), dim.getDim());
    dims.push_back(attr(formula_->substitute(values)));
    return DimsAttr::get(builder_.getContext(), dims);
  }

  DimAttr attr(const Dim &dim) { return DimAttr::get(builder_.getContext(), dim); }
  Value index(const Dim &dim, Location line) {
    if (dim.isConstant()) return builder_.create<graph::ConstantOp>(line, builder_.getIndexType(), builder_.getIndexAttr(dim.constant()));
    return builder_.create<graph::DimOp>(line, builder_.getIndexType(), attr(dim));
  }
  Value arithmetic(StringRef mnemonic, Value a, Value b, Location line) {
    return builder_.create<graph::ElementwiseOp>(line, builder_.getIndexType(), mnemonic, ValueRange{a, b});
  }

  void addParameter(schedule::KernelOp kernel, ParamMode mode) {
    SmallVector<Type> types(kernel.getArgumentTypes());
    SmallVector<Attribute> params(kernel.getParams().begin(), kernel.getParams().end());
    types.push_back(memory_);
    params.push_back(ParamAttr::get(builder_.getContext(), parameter_, mode, /*isResult=*/mode == ParamMode::Out, false, Attribute()));
    kernel->setAttr("function_type", TypeAttr::get(builder_.getFunctionType(types, {})));
    kernel->setAttr("params", builder_.getArrayAttr(params));
    kernel.getBody().addArgument(memory_, named(parameter_, kernel.getLoc()));
  }

  void addReason(schedule::KernelOp kernel, const Twine &reason) {
    SmallVector<Attribute> reasons(kernel.getReasons().begin(), kernel.getReasons().end());
    reasons.push_back(builder_.getStringAttr(reason));
    kernel->setAttr("reasons", builder_.getArrayAttr(reasons));
  }

  /// Where the tile of a group lies in the memory of the parts: behind `part` at the group's origin.
  struct Place {
    SmallVector<Value> offsets;
    SmallVector<bool> points, inBounds;
    SmallVector<DimAttr> sizes;
    SmallVector<int64_t> steps;
  };
  Place placeOf(Value part, ArrayRef<DimAttr> tile, size_t firstAxis, Location line) {
    Place place{{part}, {true}, {true}, {attr(Dim(1))}, {1}};
    for (auto [axis, extent] : llvm::enumerate(tile)) {
      place.offsets.push_back(builder_.create<graph::QueryOp>(line, builder_.getIndexType(), "origin", firstAxis + axis));
      place.points.push_back(extent.getConstant() == 1);
      place.inBounds.push_back(false);
      place.sizes.push_back(extent);
      place.steps.push_back(1);
    }
    return place;
  }

  /// The kernel whose groups go over parts of K.
  void makeParts() {
    builder_.setInsertionPoint(kernel_);
    first_ = cast<schedule::KernelOp>(builder_.clone(*kernel_));
    StringRef base = kernel_.getSymName();
    base.consume_back("_kernel");
    first_.setSymName((base + "_parts_kernel").str());
    symbols_.insert(first_);
    SmallVector<DimAttr> tile(kernel_.getGrid().getDims()), extents{attr(Dim(1))};
    llvm::append_range(extents, tile);
    SmallVector<Attribute> params;
    for (auto param : first_.getParams().getAsRange<ParamAttr>())  // nothing of the kernel's own is written
      params.push_back(ParamAttr::get(builder_.getContext(), param.getName(), ParamMode::In, false, param.getKeywordOnly(), param.getDefaultValue()));
    first_->setAttr("params", builder_.getArrayAttr(params));
    int64_t at = params.size();
    addParameter(first_, ParamMode::Out);
    first_->setAttr("outputs", builder_.getArrayAttr({ResultAttr::get(builder_.getContext(), parameter_, TensorType::get(builder_.getContext(), memory_.getShape(), memory_.getElementType()), at)}));
    first_->setAttr("grid", GridAttr::get(builder_.getContext(), GridKind::Output, extents, at));
    std::string parts = count_.isConstant() ? "one of " + std::to_string(count_.constant()) + " parts" : "one part";
    addReason(first_, "split_k: a group adds up " + parts + " of K; the next kernel adds up the parts, in order");
    first_.getBody().walk([&](graph::QueryOp query) { query.setAxis(query.getAxis() + 1); });
    cutLoop(tile);
  }

  void cutLoop(ArrayRef<DimAttr> tile) {
    Block &block = first_.getBody().front();
    auto loop = *block.getOps<scf::ForOp>().begin();
    Location line = unnamed(loop.getLoc());
    builder_.setInsertionPoint(loop);
    Dim step = dimOf(loop.getStep()), end = dimOf(loop.getUpperBound());
    Value part = builder_.create<graph::QueryOp>(named("part", line), builder_.getIndexType(), "origin", 0);
    Value each = index(Dim::ceilDiv(end, step * count_) * step, named("each", line));
    Value from = arithmetic("mul", part, each, named("from", line));
    Value to = arithmetic("min", arithmetic("add", from, each, line), loop.getUpperBound(), named("to", line));
    loop.getLowerBoundMutable().assign(from);
    loop.getUpperBoundMutable().assign(to);
    Value start = loop.getInitArgs()[0];
    Value zero = builder_.create<graph::ConstantOp>(line, memory_.getElementType(), builder_.getZeroAttr(memory_.getElementType()));
    loop.getInitArgsMutable().assign(ValueRange{builder_.create<graph::FullOp>(start.getLoc(), start.getType(), zero)});
    builder_.setInsertionPointAfter(loop);
    Place place = placeOf(part, tile, 1, line);
    Operation *store = builder_.create<graph::StoreOp>(line, loop.getResult(0), block.getArguments().back(), place.offsets,
                                                       builder_.getDenseBoolArrayAttr(place.points), DimsAttr::get(builder_.getContext(), place.sizes),
                                                       builder_.getDenseI64ArrayAttr(place.steps), builder_.getDenseBoolArrayAttr(place.inBounds), /*once=*/false);
    for (Operation &behind : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (&behind == store) break;
      if (!isa<schedule::KernelEndOp>(behind)) behind.erase();
    }
    eraseUnused(first_);
  }

  /// In the kernel itself the loop goes over the parts.
  void addParts(ProductLoop product) {
    SmallVector<DimAttr> tile(kernel_.getGrid().getDims());
    addParameter(kernel_, ParamMode::In);
    scf::ForOp old = product.loop;
    Location line = unnamed(old.getLoc());
    builder_.setInsertionPoint(old);
    Value zero = index(Dim(0), line), one = index(Dim(1), line), end = index(count_, line);
    auto loop = builder_.create<scf::ForOp>(old.getLoc(), zero, end, one, old.getInitArgs());
    loop->setAttr(tile::kUnrolled, builder_.getI64IntegerAttr(kPartsAtOnce));
    loop.getInductionVar().setLoc(named("part", line));
    loop.getRegionIterArg(0).setLoc(old.getRegionIterArg(0).getLoc());
    if (!loop.getBody()->empty()) loop.getBody()->back().erase();
    builder_.setInsertionPointToEnd(loop.getBody());
    Place place = placeOf(loop.getInductionVar(), tile, 0, line);
    Value piece = builder_.create<graph::LoadOp>(line, product.tile, kernel_.getBody().getArguments().back(), place.offsets,
                                                 builder_.getDenseBoolArrayAttr(place.points), DimsAttr::get(builder_.getContext(), place.sizes),
                                                 builder_.getDenseI64ArrayAttr(place.steps), builder_.getDenseBoolArrayAttr(place.inBounds), Value());
    Value sum = builder_.create<graph::ElementwiseOp>(product.add.getLoc(), product.tile, "add", ValueRange{loop.getRegionIterArg(0), piece});
    builder_.create<scf::YieldOp>(line, sum);
    old.getResult(0).replaceAllUsesWith(loop.getResult(0));
    old.erase();
    eraseUnused(kernel_);
    keepSizes();
    addReason(kernel_, "split_k: adds up the parts of K that the kernel before it stored");
  }

  /// Nothing is multiplied any more: of the sizes those count that the text names, and small tiles make many groups.
  void keepSizes() {
    NamedAttrList sizes;
    for (NamedAttribute size : kernel_.getSizes()) {
      bool named = llvm::is_contained(kernel_.getContext().getAsValueRange<StringAttr>(), size.getName().strref());
      auto value = dyn_cast<IntegerAttr>(size.getValue());
      if (!named || !value) continue;
      int64_t most = size.getName() == "m" ? kAddedRows : size.getName() == "n" ? kAddedCols : value.getInt();
      sizes.set(size.getName(), builder_.getI64IntegerAttr(std::min(value.getInt(), most)));
    }
    kernel_->setAttr("sizes", sizes.getDictionary(builder_.getContext()));
    kernel_->setAttr("options", builder_.getDictionaryAttr({}));
  }

  /// The sentences over the kernel, without what they say of parameters that it no longer has.
  void keepReasons(schedule::KernelOp kernel, ArrayRef<size_t> kept) {
    SmallVector<Attribute> reasons;
    for (auto reason : kernel.getReasons().getAsRange<StringAttr>()) {
      SmallVector<StringRef> parts;
      reason.getValue().split(parts, "; ");
      std::string text;
      for (StringRef part : parts) {
        bool isKept = true;
        withNames(part, [&](size_t param) { return isKept &= llvm::is_contained(kept, param), StringRef(); });
        std::string now;
        auto inPlace = [&](size_t param) { return StringRef(now = inReason(llvm::find(kept, param) - kept.begin())); };
        if (isKept) text += (text.empty() ? "" : "; ") + withNames(part, inPlace);
      }
      if (!text.empty()) reasons.push_back(builder_.getStringAttr(text));
    }
    kernel->setAttr("reasons", builder_.getArrayAttr(reasons));
  }

  /// Without the parameters that the kernel no longer reads; what is left of the operands of its launches.
  SmallVector<size_t> dropParameters(schedule::KernelOp kernel) {
    SmallVector<size_t> kept;
    SmallVector<Type> types;
    SmallVector<Attribute> params, outputs;
    llvm::BitVector unused(kernel.getNumArguments());
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      size_t i = argument.getArgNumber();
      unused[i] = argument.use_empty();
      if (unused[i]) continue;
      kept.push_back(i);
      types.push_back(argument.getType());
      params.push_back(kernel.getParams()[i]);
    }
    keepReasons(kernel, kept);
    auto moved = [&](int64_t param) { return llvm::find(kept, static_cast<size_t>(param)) - kept.begin(); };
    for (auto output : kernel.getOutputs().getAsRange<ResultAttr>())
      outputs.push_back(ResultAttr::get(builder_.getContext(), output.getName(), output.getType(), moved(output.getParam())));
    GridAttr grid = kernel.getGrid();
    kernel.getBody().front().eraseArguments(unused);
    kernel->setAttr("function_type", TypeAttr::get(builder_.getFunctionType(types, {})));
    kernel->setAttr("params", builder_.getArrayAttr(params));
    kernel->setAttr("outputs", builder_.getArrayAttr(outputs));
    kernel->setAttr("grid", GridAttr::get(builder_.getContext(), grid.getKind(), grid.getDims(), moved(grid.getParam())));
    return kept;
  }

  void relaunch(schedule::LaunchOp launch) {
    builder_.setInsertionPoint(launch);
    DimsAttr dims = dimsOf(launch);
    Value memory = builder_.create<schedule::TempOp>(named(parameter_, unnamed(launch.getLoc())),
                                                     underDims(memory_, dimsOfLaunch(kernel_.getDims(), dims)));
    SmallVector<Value> all(launch.getOperands());
    all.push_back(memory);
    auto chosen = [&](ArrayRef<size_t> kept) { return llvm::map_to_vector(kept, [&](size_t i) { return all[i]; }); };
    auto first = builder_.create<schedule::LaunchOp>(launch.getLoc(), FlatSymbolRefAttr::get(first_.getSymNameAttr()), chosen(ofParts_), dims);
    launch->setOperands(chosen(ofSum_));
    if (dims) launch.setDimsAttr(dims);
    for (NamedAttribute each : launch->getDiscardableAttrs()) {  // the conditions under which it runs
      memory.getDefiningOp()->setAttr(each.getName(), each.getValue());
      first->setAttr(each.getName(), each.getValue());
    }
  }

  schedule::KernelOp kernel_, first_;
  OpBuilder builder_;
  Dim count_;
  std::optional<Dim> formula_;  // of the launches' dimensions, for a count that is a dimension of the kernels
  SymbolTable &symbols_;
  ViewType memory_;
  std::string parameter_;
  SmallVector<size_t> ofParts_, ofSum_;  // the parameters that are left, of those of the kernel and the parts
};

/// How many parts were asked for: by a schedule, in a number, or for a product of a tensor function, in a formula of its sizes.
std::optional<Dim> takeCount(schedule::KernelOp kernel) {
  if (auto formula = dyn_cast_or_null<DimAttr>(kernel->removeAttr(kParts))) return formula.getDim();
  NamedAttrList sizes(kernel.getSizes());
  auto number = dyn_cast_or_null<IntegerAttr>(sizes.erase(kField));
  if (!number) return std::nullopt;
  kernel->setAttr("sizes", sizes.getDictionary(kernel->getContext()));
  return Dim(number.getInt());
}

struct SplitProducts : PassWrapper<SplitProducts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitProducts)
  StringRef getArgument() const override { return "schedule-split-products"; }
  StringRef getDescription() const override { return "products whose schedule asks for it in parts of K, and a kernel that adds up the parts"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<schedule::ScheduleDialect, graph::GraphDialect, scf::SCFDialect>(); }
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<StringAttr, SmallVector<schedule::LaunchOp>> launches;
    getOperation().walk([&](schedule::LaunchOp launch) { launches[launch.getKernelAttr().getAttr()].push_back(launch); });
    for (auto kernel : SmallVector<schedule::KernelOp>(getOperation().getOps<schedule::KernelOp>())) {
      std::optional<Dim> count = takeCount(kernel);
      if (!count || (count->isConstant() && count->constant() <= 1)) continue;
      std::string why;
      if (std::optional<ProductLoop> product = productOf(kernel, why))
        SplitProduct(kernel, *count, symbols).run(*product, launches[kernel.getSymNameAttr()]);
      else keepWhyNot(kernel, kField, why);
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createSplitProductsPass() { return std::make_unique<SplitProducts>(); }

}  // namespace tessera::transforms
