// Sums of the columns of what a kernel over rows has at hand: the derivatives by the scale and the shift of a norm, and by a bias
// before it.
//
//   kernel K, a group a row:                          kernel K:  groups take rows in turn
//     for c: y[r, c] = f(r, c)                          for c: y[r, c] = f(r, c);  add_column g(r, c), P[c]
//   kernel S:  for r in R: sum += g(r, c)      ->     kernel S:  for p in groups: sum += P[p, c]
//
// S read all of it from memory again. How many groups there are follows from the extents alone, so results have the same bits on
// every machine. The kernels are made anew, and take the place of the old ones where all launches of those changed.
#include "ir/common/WorkNotes.h"
#include "transforms/tile/SumBesideRows.h"
#include "ir/common/Names.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/CSE.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Reasons.h"
#include "transforms/tile/VectorForm.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kGroups = 512;   // at least, that take rows in turn: some for each processor of the largest GPUs
constexpr int64_t kShortGroups = 1280, kShortColumns = 768;  // of rows of few lanes more groups share a processor
constexpr int64_t kFewRows = 4;    // of a group, at least
constexpr size_t kMostSums = 4;    // in the registers of a lane

/// A launch of sums that stands behind a launch of rows or may stand there, and where the rows' kernel gets what the sums' kernel reads.
struct Behind {
  tile::LaunchOp launch;
  SumKernel sums;
  SmallVector<unsigned> places;  // for each parameter of the sums' kernel, one of the rows' kernel
};

/// What a launch of a kernel over rows does beside.
struct Beside {
  tile::LaunchOp launch;
  std::vector<Behind> behind;
  SmallVector<Value> more;  // memory that only the sums read
  SmallVector<std::string> names;

  /// Equal where launches of one kernel can be launches of one kernel again.
  std::string key() {
    std::string text;
    for (Behind &each : behind) {
      text += each.launch.getKernel().str() + "(";
      for (unsigned place : each.places) text += std::to_string(place) + ",";
      text += ")";
    }
    return text;
  }
};

class SumBesideRows {
public:
  explicit SumBesideRows(ModuleOp module) : module_(module), symbols_(module), builder_(module.getContext()) {
    module.walk([&](tile::LaunchOp launch) { launches_[kernelOf(launch)].push_back(launch); });
  }

  void run() {
    llvm::MapVector<tile::KernelOp, SmallVector<Beside>> found;
    for (auto &[kernel, launches] : launches_)
      if (std::optional<RowKernel> rows = rowKernel(kernel))
        for (tile::LaunchOp launch : launches) found[kernel].push_back(besideOf(launch, *rows));
    for (auto &[kernel, list] : found) {
      const RowKernel rows = *rowKernel(kernel);
      for (Beside &beside : list) takeEarlier(beside, rows);
    }
    for (auto &[kernel, list] : found) {
      llvm::erase_if(list, [](Beside &beside) { return beside.behind.empty(); });
      llvm::MapVector<StringRef, SmallVector<Beside *>> alike;
      SmallVector<std::string> keys;
      for (Beside &beside : list) keys.push_back(beside.key());
      for (auto [key, beside] : llvm::zip(keys, list)) alike[key].push_back(&beside);
      for (auto &[key, each] : alike) change(kernel, each);
    }
    for (auto &[old, made] : replaced_)
      if (launches_[old].empty()) takePlace(old, made);
    for (tile::KernelOp kernel : absorbed_)
      if (launches_[kernel].empty() && gone_.insert(kernel).second) symbols_.erase(kernel);
    for (auto &entry : ofParts_) dropUnread(entry.second);  // they do not read numbers of rows any more
    for (tile::KernelOp kernel : made_) dropUnread(kernel);
  }

private:
  tile::KernelOp kernelOf(tile::LaunchOp launch) { return symbols_.lookup<tile::KernelOp>(launch.getKernel()); }

  // ---------------------------------------------------------------- what goes together

  Beside besideOf(tile::LaunchOp launch, RowKernel &rows) {
    Beside beside{launch, {}, {}, {}};
    for (Operation *next = launch->getNextNode(); next; next = next->getNextNode()) {
      std::optional<SumKernel> sums = sumsOver(next, beside, rows);
      std::optional<Behind> behind = sums ? behindOf(beside, cast<tile::LaunchOp>(next), *sums, rows) : std::nullopt;
      if (!behind) continue;
      taken_.insert(next);
      beside.behind.push_back(*behind);
    }
    return beside;
  }

  /// Sums ahead of the rows that may as well stand behind them: they are moved there.
  void takeEarlier(Beside &beside, RowKernel rows) {
    for (Operation *earlier = beside.launch->getPrevNode(), *next = nullptr; earlier; earlier = next) {
      next = earlier->getPrevNode();
      std::optional<SumKernel> sums = sumsOver(earlier, beside, rows);
      auto launch = sums ? cast<tile::LaunchOp>(earlier) : tile::LaunchOp();
      if (!launch || !mayFollow(launch, beside.launch)) continue;
      std::optional<Behind> behind = behindOf(beside, launch, *sums, rows);
      if (!behind) continue;
      launch->moveAfter(beside.launch);
      taken_.insert(launch);
      beside.behind.insert(beside.behind.begin(), *behind);
    }
  }

  /// What a launch adds up, if it is of columns of such rows, and lanes have registers left for its sums.
  std::optional<SumKernel> sumsOver(Operation *op, Beside &beside, RowKernel &rows) {
    auto launch = dyn_cast<tile::LaunchOp>(op);
    if (!launch || beside.launch.getDimsAttr() || taken_.contains(launch) || launch.getDimsAttr()) return std::nullopt;
    if (launch->getAttr("tsr.when") != beside.launch->getAttr("tsr.when")) return std::nullopt;
    std::optional<SumKernel> sums = sumKernel(kernelOf(launch));
    if (!sums || !(sums->rows == rows.rows) || sums->columns != rows.columns) return std::nullopt;
    size_t terms = sums->terms.size();
    for (Behind &known : beside.behind) terms += known.sums.terms.size();
    return terms <= kMostSums ? sums : std::nullopt;
  }

  /// Whether a launch may stand behind a later one: until then nobody writes what it reads, and nobody uses what it writes.
  bool mayFollow(tile::LaunchOp launch, tile::LaunchOp later) {
    for (auto [i, memory] : llvm::enumerate(launch.getArgs())) {
      if (isOverwritten(memory, launch, later->getNextNode())) return false;
      if (kernelOf(launch).param(static_cast<int64_t>(i)).getMode() == ParamMode::In) continue;
      for (Operation *user : memory.getUsers())
        if (user != launch && launch->isBeforeInBlock(user) && !later->isBeforeInBlock(user)) return false;
    }
    return true;
  }

  /// Null where the sums read what the kernel over rows cannot have at hand.
  std::optional<Behind> behindOf(Beside &beside, tile::LaunchOp later, const SumKernel &sums, RowKernel &rows) {
    tile::LaunchOp launch = beside.launch;
    Behind behind{later, sums, {}};
    SmallVector<Value> more = beside.more;
    SmallVector<std::string> names = beside.names;
    bool sharesRows = false;
    for (auto [i, memory] : llvm::enumerate(later.getArgs())) {
      SumKernel::Read read = sums.reads[i];
      unsigned place = 0;
      if (read == SumKernel::Read::None) {
        behind.places.push_back(place);
        continue;
      }
      if (isOverwritten(memory, launch, later) || llvm::count(launch.getArgs(), memory) > 1) return std::nullopt;
      auto known = llvm::find(launch.getArgs(), memory);
      if (known != launch.getArgs().end()) {
        place = static_cast<unsigned>(known - launch.getArgs().begin());
        if (!rows.has(place, read)) return std::nullopt;
        sharesRows |= read == SumKernel::Read::Element;
      } else {
        auto at = llvm::find(more, memory);
        place = static_cast<unsigned>(launch.getArgs().size() + static_cast<size_t>(at - more.begin()));
        if (at == more.end()) more.push_back(memory), names.push_back(kernelOf(later).param(static_cast<int64_t>(i)).getName().str());
      }
      behind.places.push_back(place);
    }
    if (!sharesRows) return std::nullopt;
    beside.more = more, beside.names = names;
    return behind;
  }

  /// Something between the two writes the memory, or makes it, or knows it by another name.
  bool isOverwritten(Value memory, Operation *first, Operation *last) {
    Operation *made = memory.getDefiningOp();
    if (made && (!isa<tile::TempOp>(made) || !made->isBeforeInBlock(first))) return true;
    for (OpOperand &use : memory.getUses()) {
      auto launch = dyn_cast<tile::LaunchOp>(use.getOwner());
      if (!launch || launch->getBlock() != first->getBlock()) return true;
      bool isBetween = first->isBeforeInBlock(launch) && launch->isBeforeInBlock(last);
      if (isBetween && kernelOf(launch).param(use.getOperandNumber()).getMode() != ParamMode::In) return true;
    }
    return false;
  }

  // ---------------------------------------------------------------- the new kernels

  /// Launches of one kernel that are to do the same beside.
  void change(tile::KernelOp old, ArrayRef<Beside *> alike) {
    Beside &first = *alike.front();
    builder_.setInsertionPoint(old);
    auto kernel = cast<tile::KernelOp>(builder_.clone(*old));
    RowKernel rows = *rowKernel(kernel);
    for (auto [memory, name] : llvm::zip(first.more, first.names)) addParameter(kernel, memory.getType(), name, ParamMode::In);
    SmallVector<SmallVector<ViewType>> parts;
    for (Behind &behind : first.behind) parts.push_back(addSums(kernel, rows, behind));
    DominanceInfo dominance(kernel);
    IRRewriter rewriter(kernel->getContext());
    eliminateCommonSubExpressions(rewriter, dominance, kernel);  // what both kernels computed
    if (!isInVectors(kernel)) return kernel.erase();
    addReason(kernel, "groups take rows in turn, and add up the columns of what they have at hand; the next kernel adds up their sums");
    enter(kernel, old);
    for (Beside *beside : alike) relaunch(*beside, kernel, parts);
  }

  /// Lanes take such a kernel's rows in vectors, which are held in registers: what is added up has its place in them.
  bool isInVectors(tile::KernelOp kernel) {
    auto trial = cast<tile::KernelOp>(builder_.clone(*kernel));
    bool are = VectorForm(trial).run();
    trial.getBody().walk([&](tile::AddColumnOp op) { are &= op.getIndices().size() == 2; });
    trial.erase();
    return are;
  }

  /// What the sums' kernel adds up, where the rows' kernel stores its results. The sums of each group are further results.
  SmallVector<ViewType> addSums(tile::KernelOp kernel, RowKernel &rows, Behind &behind) {
    Block &block = *rows.loop.getBody();
    builder_.setInsertionPoint(block.getTerminator());
    IRMapping mapping;
    for (auto [from, place] : llvm::zip(behind.sums.kernel.getBody().getArguments(), behind.places)) mapping.map(from, kernel.getBody().getArgument(place));
    mapping.map(behind.sums.column, rows.loop.getInductionVar());
    mapping.map(behind.sums.loop.getInductionVar(), rows.origin);
    SmallVector<ViewType> parts;
    auto groups = DimAttr::get(builder_.getContext(), groupsOf(rows.rows, rows.columns)), columns = DimAttr::get(builder_.getContext(), Dim(rows.columns));
    for (auto [term, result] : llvm::zip(behind.sums.terms, behind.sums.loop.getResults())) {
      Value value = computed(term, behind.sums, rows, mapping);
      parts.push_back(ViewType::get(builder_.getContext(), {groups, columns}, result.getType()));
      std::string name = behind.sums.nameOf(result) + "_parts";
      Value memory = addParameter(kernel, parts.back(), name, ParamMode::Out);
      builder_.create<tile::AddColumnOp>(term.getLoc(), value, memory, ValueRange{rows.loop.getInductionVar()});
    }
    return parts;
  }

  static Dim groupsOf(const Dim &rows, int64_t columns) {
    const int64_t most = std::clamp(kShortGroups * kShortColumns / columns, kGroups, kShortGroups);
    return Dim::min(Dim(most), Dim::ceilDiv(rows, Dim(kFewRows)));
  }

  /// A value of the sums' loop in that of the rows.
  Value computed(Value value, SumKernel &sums, RowKernel &rows, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value)) return known;
    Operation *op = value.getDefiningOp();
    if (auto load = dyn_cast<tile::LoadElementOp>(op)) {
      auto base = cast<BlockArgument>(load.getBase());
      Value known = rows.atHand(cast<BlockArgument>(mapping.lookup(base)).getArgNumber(), sums.reads[base.getArgNumber()]);
      if (known) return mapping.map(value, known), known;
    }
    for (Value operand : op->getOperands()) computed(operand, sums, rows, mapping);
    return builder_.clone(*op, mapping)->getResult(0);
  }

  /// What is stored may be written as early as by `first`, and the kernels know the same dimensions: one kernel does both.
  bool mayJoin(Behind &first, Behind &later) {
    if (first.sums.kernel.getDims() != later.sums.kernel.getDims() || first.sums.columns != later.sums.columns) return false;
    for (auto [i, memory] : llvm::enumerate(later.launch.getArgs())) {
      if (later.sums.kernel.param(static_cast<int64_t>(i)).getMode() == ParamMode::In) continue;
      Operation *made = memory.getDefiningOp();
      if (made && !isa<tile::TempOp>(made)) return false;
      for (Operation *user : memory.getUsers()) {
        if (user->getBlock() != first.launch->getBlock()) return false;
        if (user == first.launch || (first.launch->isBeforeInBlock(user) && user->isBeforeInBlock(later.launch))) return false;
      }
    }
    return true;
  }

  /// In the kernel of sums the loops go over the sums of groups.
  tile::KernelOp kernelOfParts(ArrayRef<Behind *> together, ArrayRef<SmallVector<ViewType>> parts) {
    std::string key = parts.front().front().getShape()[0].getText().str();
    for (Behind *behind : together) key += "," + behind->sums.kernel.getSymName().str();
    if (tile::KernelOp known = ofParts_.lookup(key)) return known;
    tile::KernelOp old = together.front()->sums.kernel;
    builder_.setInsertionPoint(old);
    auto kernel = cast<tile::KernelOp>(builder_.clone(*old));
    SumKernel sums = *sumKernel(kernel);
    takeParts(builder_, sums, parts.front());
    for (auto [behind, types] : llvm::zip(together.drop_front(), parts.drop_front())) {
      SumKernel more = include(builder_, sums, behind->sums);
      takeParts(builder_, more, types);
      absorbed_.insert(behind->sums.kernel);
    }
    enter(kernel, old);
    return ofParts_[key] = kernel;
  }

  void relaunch(Beside &beside, tile::KernelOp kernel, ArrayRef<SmallVector<ViewType>> parts) {
    SmallVector<Value> args(beside.launch.getArgs());
    llvm::append_range(args, beside.more);
    for (size_t first = 0, next = 0; first < beside.behind.size(); first = next) {
      SmallVector<Behind *> together;
      for (next = first; next < beside.behind.size() && (next == first || mayJoin(beside.behind[first], beside.behind[next])); ++next) together.push_back(&beside.behind[next]);
      tile::KernelOp sums = kernelOfParts(together, parts.slice(first, next - first));
      SmallVector<Value> own;
      for (auto [behind, types] : llvm::zip(together, parts.slice(first, next - first))) {
        llvm::append_range(own, behind->launch.getArgs());
        for (auto [type, result] : llvm::zip(types, behind->sums.loop.getResults())) {
          builder_.setInsertionPoint(beside.launch);
          auto temp = builder_.create<tile::TempOp>(named(behind->sums.nameOf(result) + "_parts", beside.launch.getLoc()), type);
          if (Attribute asked = beside.launch->getAttr("tsr.when")) temp->setAttr("tsr.when", asked);
          args.push_back(temp.getResult());
          own.push_back(temp.getResult());
        }
      }
      for (Behind *behind : llvm::drop_begin(together)) {
        for (Value memory : behind->launch.getArgs())
          if (auto temp = memory.getDefiningOp<tile::TempOp>(); temp && together.front()->launch->isBeforeInBlock(temp)) temp->moveBefore(together.front()->launch);
        llvm::erase(launches_[behind->sums.kernel], behind->launch);
        behind->launch.erase();
      }
      replace(together.front()->launch, sums, own);
    }
    replace(beside.launch, kernel, args);
  }

  void replace(tile::LaunchOp launch, tile::KernelOp kernel, ValueRange args) {
    builder_.setInsertionPoint(launch);
    auto made = builder_.create<tile::LaunchOp>(launch.getLoc(), kernel.getSymName(), args, launch.getDimsAttr());
    for (StringRef kept : {StringRef("tsr.when"), StringRef(kWork)})
      if (Attribute attribute = launch->getAttr(kept)) made->setAttr(kept, attribute);
    llvm::erase(launches_[kernelOf(launch)], launch);
    launches_[kernel].push_back(made);
    launch.erase();
  }

  // ---------------------------------------------------------------- names, and what is left over

  void enter(tile::KernelOp kernel, tile::KernelOp old) {
    symbols_.insert(kernel);  // under a name of its own
    replaced_.push_back({old, kernel});
    made_.push_back(kernel);
  }

  /// Nothing launches the old kernel any more: the new one gets its name.
  void takePlace(tile::KernelOp old, tile::KernelOp made) {
    if (!gone_.insert(old).second) return;
    StringAttr name = old.getSymNameAttr();
    symbols_.erase(old);
    symbols_.remove(made);
    made.setSymNameAttr(name);
    symbols_.insert(made);
    for (tile::LaunchOp launch : launches_[made]) launch.setKernelAttr(FlatSymbolRefAttr::get(name));
  }

  /// Parameters that the kernel does not read any more, and numbers of rows that nobody else asks for.
  void dropUnread(tile::KernelOp kernel) {
    SmallVector<tile::LaunchOp> &launches = launches_[kernel];
    for (StringAttr reason : kernel.getReasons().getAsRange<StringAttr>())
      if (reason.getValue().contains('%')) return;  // it names parameters by their numbers
    llvm::BitVector gone(kernel.getBody().getNumArguments());
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      unsigned number = argument.getArgNumber();
      bool isForNobody = llvm::all_of(launches, [&](tile::LaunchOp launch) {
        Value memory = launch.getArgs()[number];
        return memory.getDefiningOp<tile::TempOp>() && memory.hasOneUse();
      });
      if (number != static_cast<unsigned>(kernel.getGrid().getParam()) && (argument.use_empty() || (isForNobody && dropStores(argument)))) gone.set(number);
    }
    dropParameters(kernel, gone);
    for (tile::LaunchOp launch : launches) {
      SmallVector<Value> args;
      for (auto [i, memory] : llvm::enumerate(launch.getArgs()))
        if (!gone[i]) args.push_back(memory);
      launch.getArgsMutable().assign(args);
    }
    module_.walk([](tile::TempOp temp) {
      if (temp.use_empty()) temp.erase();
    });
  }

  ModuleOp module_;
  SymbolTable symbols_;
  OpBuilder builder_;
  llvm::MapVector<tile::KernelOp, SmallVector<tile::LaunchOp>> launches_;
  llvm::DenseSet<Operation *> taken_, gone_;  // launches of sums that have their rows; kernels that nobody launches
  llvm::StringMap<tile::KernelOp> ofParts_;
  SmallVector<std::pair<tile::KernelOp, tile::KernelOp>> replaced_;
  SmallVector<tile::KernelOp> made_;
  llvm::SetVector<tile::KernelOp> absorbed_;  // kernels of sums that another one includes
};

struct SumBesideRowsPass : PassWrapper<SumBesideRowsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SumBesideRowsPass)
  StringRef getArgument() const override { return "tile-sum-beside-rows"; }
  StringRef getDescription() const override { return "sums of columns by the kernel over rows that has what they add up at hand"; }
  void runOnOperation() override { SumBesideRows(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createSumBesideRowsPass() { return std::make_unique<SumBesideRowsPass>(); }

}  // namespace tessera::transforms
