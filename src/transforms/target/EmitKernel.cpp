// The function around a kernel's body: parameters, constants, the loop over groups, the comment over it.
#include "ir/common/ReasonText.h"
#include "transforms/target/KernelEmitter.h"
#include "ir/common/Common.h"
#include "ir/common/KernelNotes.h"
#include "ir/common/Names.h"
#include "ir/common/WhyNot.h"
#include "ir/tile/Products.h"
#include "support/Check.h"
#include "transforms/target/KernelScope.h"
#include "transforms/target/LocalElements.h"
#include "transforms/tile/Extents.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

KernelEmitter::KernelEmitter(tile::KernelOp kernel, std::string name, const Machine &machine, OpBuilder &module)
    : kernel_(kernel), machine_(machine), context_(kernel->getContext()), builder_(module),
      info_(std::move(name)), plan_(kernel.getBody()), singleLane_(machine.family == Target::Cpu), facts_(kernel) {}

static ArrayAttr stringsOf(MLIRContext *context, ArrayRef<std::string> texts) {
  SmallVector<Attribute> list;
  for (const std::string &text : texts) list.push_back(StringAttr::get(context, text));
  return ArrayAttr::get(context, list);
}

static std::string optionText(NamedAttribute option) {
  auto text = dyn_cast<StringAttr>(option.getValue());
  return text ? text.str() : std::string();
}

/// m, n, k, then the others by name.
SmallVector<NamedAttribute> KernelEmitter::sortedSizes() {
  SmallVector<NamedAttribute> sizes(kernel_.getSizes().begin(), kernel_.getSizes().end());
  auto rank = [](NamedAttribute size) {
    return std::pair(StringRef("mnk").find(size.getName().strref()), size.getName().strref());
  };
  llvm::sort(sizes, [&](NamedAttribute a, NamedAttribute b) { return rank(a) < rank(b); });
  return sizes;
}

FailureOr<KernelInfo> KernelEmitter::run() {
  Location place = kernel_.getLoc();
  out_ = builder_.create<out::KernelOp>(place, info_.name, builder_.getStrArrayAttr({}),
                                        builder_.getStrArrayAttr({}), isCpu() ? 0 : kernel_.getGroup(),
                                        stringsOf(context_, headComment()), false, false, wantsRegisters(), /*shared_alignment=*/128);
  top_ = builder_.createBlock(&out_.getBody());
  kernel_.getBody().walk([&](Operation *op) {
    for (Value result : op->getResults()) names_.reserve(ir::nameHint(result));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments()) names_.reserve(ir::nameHint(argument));
  });
  for (StringAttr dim : kernel_.getDims().getAsRange<StringAttr>()) names_.reserve(dim);
  planRoles();
  declareParameters();
  declareConstants();
  planGrid();
  LogicalResult emitted = isCpu() && isPlainLoop() ? emitPlainLoop()
                          : isCpu()                ? emitGroupLoop()
                                    : emitGroups([&] { return emitBlock(kernel_.getBody().front()); });
  if (failed(emitted)) return failure();
  if (failed(finish())) return failure();
  return info_;
}

/// The sums of matrix instructions fill the registers of a lane. Without this promise ptxas keeps to a number that lets
/// several groups share a processor, and spills.
bool KernelEmitter::wantsRegisters() {
  bool found = false;
  kernel_.getBody().walk([&](tile::DotOp dot) { found |= isa<tile::MmaAttr>(dot.getAcc().getType().getLayout()); });
  return found && !isCpu();
}
bool KernelEmitter::usesSwizzle() {
  bool found = false;
  kernel_.getBody().walk([&](tile::AllocSharedOp alloc) { found |= !alloc.getType().getSwizzle().empty(); });
  return found;
}

/// The signature that the user wrote, then the reasons of the schedule.
std::vector<std::string> KernelEmitter::headComment() {
  std::vector<std::string> lines, idle = withoutEffect();
  if (!kernel_.getSignature().empty()) lines.push_back(kernel_.getSignature().str());
  std::string schedule;
  std::vector<std::string> unused;
  auto add = [&](StringRef name, const std::string &value) {
    if (llvm::is_contained(idle, name.str())) unused.push_back("  no " + name.str() + " = " + value + ": " + whyIdle(name).str());
    else schedule += (schedule.empty() ? "" : ", ") + name.str() + " = " + value;
  };
  for (NamedAttribute size : sortedSizes())
    if (auto value = dyn_cast<IntegerAttr>(size.getValue()))
      add(size.getName(), std::to_string(value.getInt()));
  for (NamedAttribute option : kernel_.getOptions())
    if (llvm::is_contained(idle, option.getName().str())) add(option.getName(), optionText(option));
  if (!isCpu())
    schedule += (schedule.empty() ? "" : ", ") + std::to_string(kernel_.getGroup()) + " threads a group";
  if (!schedule.empty()) lines.push_back("  schedule  " + schedule);
  lines.insert(lines.end(), unused.begin(), unused.end());
  for (StringAttr reason : kernel_.getReasons().getAsRange<StringAttr>())
    lines.push_back("  " + ir::withNames(reason.getValue(), [&](size_t i) { return kernel_.param(i).getName(); }));
  if (auto refused = kernel_->getAttrOfType<DictionaryAttr>(ir::kWhyNot))
    for (NamedAttribute each : refused) lines.push_back("  no " + each.getName().str() + ": " + cast<StringAttr>(each.getValue()).str());
  return lines;
}

/// Tiles are taken out of views; single elements out of plain pointers.
bool KernelEmitter::needsView(Value parameter) {
  return llvm::any_of(parameter.getUsers(), [](Operation *user) {
    return isa<tile::LoadFragmentOp, tile::StoreFragmentOp, tile::StoreColumnSumsOp, tile::CopyOp>(user);
  });
}

void KernelEmitter::declareParameters() {
  for (auto [i, argument] : llvm::enumerate(kernel_.getBody().getArguments())) {
    std::string name = kernel_.param(i).getName().str();
    Type type = argument.getType();
    if (auto view = dyn_cast<ir::ViewType>(type)) {
      bool writes = llvm::any_of(argument.getUses(), [](OpOperand &use) {
        Operation *user = use.getOwner();
        return isa<tile::StoreElementOp, tile::AtomicOp, tile::StoreVectorOp, tile::AddColumnOp, tile::StoreFragmentOp, tile::StoreColumnSumsOp, tile::ArgsortRowOp>(user) &&
               use.getOperandNumber() == 1;
      });
      int64_t rank = view.getShape().size();
      bool strided = static_cast<bool>(view.getPlaces()), asView = strided || (rank > 0 && needsView(argument));
      auto tiles = tileRows(argument);
      type = tiles ? Type(out::TiledViewType::get(context_, rank, view.getElementType(), tiles->count, tiles->axis, !writes, strided))
             : asView ? Type(out::ViewType::get(context_, rank, view.getElementType(), !writes, strided))
                    : Type(out::PointerType::get(context_, view.getElementType(), !writes));
    }
    paramNames_.push_back(names_.declare(name));
    bound_[argument] = valueOf(top_->addArgument(type, argument.getLoc()));
  }
}

/// The schedule's sizes: T.m is BM, as in hand-written kernels.
static std::string constantName(StringRef size) {
  if (size == "m" || size == "n" || size == "k") return "B" + size.upper();
  std::string name = size.str();
  if (!name.empty()) name[0] = llvm::toUpper(name[0]);
  return name;
}

/// The program's own names of sizes, in the order of the text. One that has two values here, or that
/// something else is called too, stays a number.
void KernelEmitter::declareNamedSizes() {
  std::vector<std::string> order;
  std::map<std::string, std::set<std::string>> variables;  // name -> "BM.128"
  std::set<std::string> others;
  auto collect = [&](Location location) {
    for (const Dim &size : ir::sizesOf(location)) {
      std::set<std::string> found;
      size.written().collectVars(found);
      for (const std::string &variable : found)
        if (auto constant = namedConstant(variable)) {
          if (variables[constant->first].empty()) order.push_back(constant->first);
          variables[constant->first].insert(variable);
        }
    }
  };
  collect(kernel_.getLoc());
  kernel_.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    collect(op->getLoc());
    if (!isa<tile::ConstantOp>(op))
      for (Value result : op->getResults()) others.insert(ir::nameHint(result).str());
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        collect(argument.getLoc());
        others.insert(ir::nameHint(argument).str());
      }
  });
  for (int64_t i = 0; i < static_cast<int64_t>(kernel_.getParams().size()); ++i)
    others.insert(kernel_.param(i).getName().str());
  for (StringAttr dim : kernel_.getDims().getAsRange<StringAttr>()) others.insert(dim.str());
  for (const std::string &hint : order)
    if (variables[hint].size() == 1 && !others.count(hint)) {
      const std::string &variable = *variables[hint].begin();
      declareConstant(variable, names_.declare(hint), namedConstant(variable)->second);
    }
}

void KernelEmitter::declareConstant(const std::string &variable, const std::string &name, int64_t value) {
  constants_[variable] = name;
  sizes_[name] = value;
  info_.constants.push_back({name, value});
  builder_.create<out::ConstantOp>(kernel_.getLoc(), name, builder_.getI64IntegerAttr(value));
}

void KernelEmitter::declareScheduleSizes() {
  std::set<std::string> used;
  auto collect = [&](ArrayRef<ir::DimAttr> dims) {
    for (ir::DimAttr dim : dims) dim.getDim().collectVars(used);
  };
  collect(kernel_.getGrid().getDims());
  kernel_.getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) collect(ir::shapeOf(type));
    if (auto dimOp = dyn_cast<tile::DimOp>(op))
      if (auto parsed = Dim::parse(dimOp.getDim().str())) parsed->collectVars(used);
  });
  for (NamedAttribute size : sortedSizes()) {
    auto value = dyn_cast<IntegerAttr>(size.getValue());
    std::string variable = "T." + size.getName().str();
    if (value && used.count(variable))
      declareConstant(variable, names_.fresh(constantName(size.getName())), value.getInt());
  }
}

void KernelEmitter::declareCapacities() {
  for (NamedAttribute entry : kernel_.getCapacity()) {
    std::vector<int64_t> values;
    if (auto list = dyn_cast<DenseI64ArrayAttr>(entry.getValue())) values = list.asArrayRef().vec();
    if (auto list = dyn_cast<ArrayAttr>(entry.getValue()))
      for (Attribute value : list) values.push_back(cast<IntegerAttr>(value).getInt());
    std::string name = names_.fresh("Max" + entry.getName().str());
    capacities_[entry.getName().str()] = name;
    info_.capacities.push_back({entry.getName().str(), values});
  }
}

/// One alias for each layout of tiles. On the CPU a group has one lane, which has everything.
void KernelEmitter::declareLayouts() {
  auto declare = [&](tile::Layout layout) {
    std::string &alias = layouts_[layout];
    if (!alias.empty()) return;
    alias = names_.fresh(isCpu() ? "Grid" : layout.getAliasHint());
    builder_.create<out::AliasOp>(kernel_.getLoc(), alias, isCpu() ? "tsr::ThreadGrid<1, 1>" : layout.getSpelling());
    if (isCpu()) cpuLayout_ = alias;
  };
  kernel_.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto fragment = dyn_cast<tile::FragmentType>(type); fragment && (!isCpu() || layouts_.empty()))
        declare(fragment.getTileLayout());
  });
}

/// Asynchronous copies of rows that begin at multiples of 16 bytes have no branches, and a loop without branches is
/// scheduled as a whole. The entry function asks once.
void KernelEmitter::declareAlignment() {
  if (!machine_.asyncCopy) return;
  llvm::SmallSetVector<unsigned, 4> parameters;
  if (roles_)
    for (BlockArgument argument : kernel_.getBody().getArguments())
      if (tileRows(argument)) parameters.insert(argument.getArgNumber());
  kernel_.getBody().walk([&](tile::CopyOp copy) {
    if (!roles_ && beginsAligned(copy)) parameters.insert(cast<BlockArgument>(copy.getBase()).getArgNumber());
  });
  if (parameters.empty()) return;
  alignment_ = names_.fresh("Align");
  info_.aligned.assign(parameters.begin(), parameters.end());
}

/// Each row of the tile begins at a multiple of 16 bytes if each row of the tensor does.
bool KernelEmitter::beginsAligned(tile::CopyOp copy) {
  if (!copy.getAsync() || !isa<BlockArgument>(copy.getBase()) || copy.getOffsets().empty() || copy.getPoints().back()) return false;
  int64_t elements = 16 / storedBytes(ir::elementTypeOf(copy.getBase().getType()));
  return copy.getSteps().back() == 1 && Extents(kernel_).isMultiple(copy.getOffsets().back(), elements);
}

const std::string &KernelEmitter::layoutName(tile::FragmentType type) {
  return isCpu() ? cpuLayout_ : layouts_.find(type.getTileLayout())->second;
}

void KernelEmitter::declareConstants() {
  Location place = kernel_.getLoc();
  builder_.setInsertionPointToEnd(top_);
  declareNamedSizes();
  declareScheduleSizes();
  declareCapacities();
  declareVariants();
  if (!isCpu() && !constants_.count("T.Threads")) {
    info_.groupName = names_.fresh("Threads");
    declareConstant("T.Threads", info_.groupName, out_.getGroup());
    if (roles_) declareConstant("T.Consumers", names_.fresh("Consumers"), kernel_.getGroup());
    if (hasTeams()) declareConstant("T.Teams", names_.fresh("Teams"), roles_.getTeams());
  }
  declareLayouts();
  declareAlignment();
  // Shared memory is declared here, before the first statement.
  declarations_ = builder_.create<out::CommentOp>(place, "");
  builder_.setInsertionPointToEnd(top_);
}

LogicalResult KernelEmitter::emitGroups(llvm::function_ref<LogicalResult()> body) {
  Type word = IntegerType::get(context_, 32, IntegerType::Unsigned);
  group_ = castTo(indexType(), name("blockIdx.x", word));
  Dim groups(1);
  for (const Dim &count : groupCounts_) groups = groups * count;
  SmallVector<Value> sums = columnSums();
  if (!sums.empty()) return emitTurns(sums, body);
  bool packs = constants_.count("T.rows") != 0;  // several groups in a block, each of one warp then
  info_.grid = inConstants(packs ? Dim::ceilDiv(groups, Dim::var("T.rows")) : groups).str();
  info_.group = out_.getGroup();
  if (!packs) return body();
  Location place = kernel_.getLoc();
  ExprRef row = binary("+", binary("*", group_, dimVar("T.rows")), castTo(indexType(), name("threadIdx.y", word)));
  group_ = read(declare(names_.fresh("group"), indexType(), "copy", {row}, true, place));
  auto inside = builder_.create<out::IfOp>(place, write(builder_, place, compare("<", group_, dim(groups))));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.createBlock(&inside.getThenBody());
  return body();
}

/// Dynamic shared memory where the machine's static kind is too small: the bytes for each combination of
/// capacities.
LogicalResult KernelEmitter::computeSharedBytes() {
  std::vector<std::map<std::string, int64_t>> combinations = {{}};
  for (const auto &[dim, values] : info_.capacities) {
    std::vector<std::map<std::string, int64_t>> next;
    for (const auto &combination : combinations)
      for (int64_t value : values) {
        next.push_back(combination);
        next.back()[dim] = value;
      }
    combinations = std::move(next);
  }
  std::vector<int64_t> totals;
  for (const auto &combination : combinations) {
    int64_t total = 0;
    std::vector<int64_t> parts;
    for (const Shared &buffer : shared_) {
      int64_t bytes = buffer.elementBytes;
      for (const Dim &extent : buffer.extents) {
        auto value = extent.evaluate([&](const std::string &variable) -> std::optional<int64_t> {
          if (auto constant = constants_.find(variable); constant != constants_.end())
            return sizes_.at(constant->second);
          auto found = combination.find(variable);
          return found == combination.end() ? std::nullopt : std::optional(found->second);
        });
        TSR_CHECK(value, "a shared buffer without a size");
        bytes *= *value;
      }
      total = static_cast<int64_t>(llvm::alignTo(total, out_.getSharedAlignment())) + bytes;
      parts.push_back(bytes);
    }
    totals.push_back((total + 127) / 128 * 128);
    if (totals.back() > machine_.sharedBytes) return refuseShared(totals.back(), parts, combination);
  }
  if (!shared_.empty() && !isCpu()) out_->setAttr(ir::kSharedMemory, builder_.getDenseI64ArrayAttr(totals));
  bool large = roles_ || llvm::any_of(totals, [&](int64_t bytes) { return bytes > machine_.staticSharedBytes; });
  if (!large || isCpu()) return success();
  info_.sharedBytes = totals;
  out_.setDynamicShared(true);
  return success();
}

LogicalResult KernelEmitter::finish() {
  declarations_->erase();
  keepVectorLoops();
  std::vector<std::string> capacities;
  for (const auto &[dim, values] : info_.capacities) capacities.push_back(capacities_.at(dim));
  if (!alignment_.empty()) capacities.push_back(alignment_);
  llvm::append_range(capacities, templates_);
  std::string lanes = std::to_string(kernel_.getGroup());
  if (constants_.count("T.rows")) {
    lanes = constants_["T.Threads"] + " * " + constants_["T.rows"];
    out_->setAttr("bounds", builder_.getStringAttr(lanes));
    lanes = "(" + lanes + ")";
  }
  const bool inTurn = !columnSums().empty();
  if (inTurn) {
    lanes = constants_["T.Threads"];
    out_->setAttr("bounds", builder_.getStringAttr(lanes));
  }
  // Registers that hold rows must not be spilled for the sake of more lanes: 64 a lane for one row, 80 for two, else 128.
  if (constants_.count("T.held")) {
    int64_t rows = 0;
    kernel_.walk([&](tile::HoldRowOp) { ++rows; });
    out_->setAttr("resident", builder_.getStringAttr((inTurn || rows > 2 ? "512 / " : rows == 2 ? "768 / " : "1024 / ") + lanes));
  }
  out_.setParamNamesAttr(stringsOf(context_, paramNames_));
  out_.setCapacitiesAttr(stringsOf(context_, capacities));
  keepElementsInLoops(out_);
  if (failed(computeSharedBytes()) || failed(checkStack())) return failure();
  noteForManifest();
  return success();
}

/// One entry for each access of a tensor: its line, and whether the facts prove that it needs no mask.
ArrayAttr KernelEmitter::accesses() {
  SmallVector<Attribute> list;
  auto noteAs = [&](auto op, StringRef kind, bool proved) {
    auto base = dyn_cast<BlockArgument>(op.getBase());
    if (!base || base.getOwner()->getParentOp() != kernel_) return;  // a shared buffer, or a lane's vector
    FileLineColLoc place = ir::placeOf(op);
    NamedAttrList entry;
    entry.set("tensor", builder_.getStringAttr(kernel_.param(base.getArgNumber()).getName()));
    entry.set("access", builder_.getStringAttr(kind));
    entry.set("line", builder_.getI64IntegerAttr(place ? place.getLine() : 0));
    entry.set("mask", builder_.getBoolAttr(!proved));
    Attribute made = entry.getDictionary(context_);
    if (!llvm::is_contained(list, made)) list.push_back(made);
  };
  auto note = [&](auto op, StringRef kind) {
    DenseBoolArrayAttr inBounds = op.getInBoundsAttr();
    noteAs(op, kind, inBounds && !llvm::is_contained(inBounds.asArrayRef(), false));
  };
  kernel_.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadFragmentOp>(op)) note(load, "read");
    else if (auto load = dyn_cast<tile::LoadElementOp>(op)) note(load, "read");
    else if (auto copy = dyn_cast<tile::CopyOp>(op)) note(copy, "read");
    else if (auto load = dyn_cast<tile::LoadVectorOp>(op)) noteAs(load, "read", true);
    else if (auto row = dyn_cast<tile::HoldRowOp>(op)) noteAs(row, "read", true);
    else if (auto store = dyn_cast<tile::StoreVectorOp>(op)) noteAs(store, "write", true);
    else if (auto sum = dyn_cast<tile::AddColumnOp>(op)) noteAs(sum, "write", true);
    else if (auto store = dyn_cast<tile::StoreFragmentOp>(op)) note(store, "write");
    else if (auto store = dyn_cast<tile::StoreColumnSumsOp>(op)) noteAs(store, "write", true);
    else if (auto sort = dyn_cast<tile::ArgsortRowOp>(op)) noteAs(sort, "write", true);
    else if (auto store = dyn_cast<tile::StoreElementOp>(op)) note(store, "write");
    else if (auto atomic = dyn_cast<tile::AtomicOp>(op)) note(atomic, "write");
  });
  return builder_.getArrayAttr(list);
}

void KernelEmitter::noteForManifest() {
  if (!kernel_.getSizes().empty()) out_->setAttr("schedule", kernel_.getSizes());
  if (!kernel_.getOptions().empty()) out_->setAttr("options", kernel_.getOptions());
  if (Attribute refused = kernel_->getAttr(ir::kWhyNot)) out_->setAttr(ir::kWhyNot, refused);
  if (auto onTensorCores = tile::multipliesByMatrixInstructions(kernel_); onTensorCores && !isCpu())
    out_->setAttr(ir::kTensorCores, builder_.getBoolAttr(*onTensorCores));
  if (Attribute space = kernel_->getAttr("tsr.space")) out_->setAttr("space", space);
  if (auto idle = withoutEffect(); !idle.empty()) out_->setAttr("without_effect", stringsOf(context_, idle));
  out_->setAttr("accesses", accesses());
}

}  // namespace tessera::transforms::totarget
