// One tensor function on its way to a list of launches. TensorFunction.cpp decides which values get kernels;
// each strategy for a kernel has files of its own: RowKernel.cpp, RecurrenceKernel.cpp, SlideKernel.cpp, MapKernel.cpp and Siblings.cpp, SortKernel.cpp, ScanKernel.cpp,
// ContractPlan.cpp and ContractKernel.cpp, ChainPlan.cpp and ChainKernel.cpp.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "ir/common/Names.h"
#include "ir/common/Multiples.h"
#include "transforms/schedule/Chain.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Parts.h"
#include "transforms/schedule/Privatise.h"
#include "transforms/schedule/Recurrence.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Sweep.h"
#include "transforms/schedule/WalkBack.h"

namespace tessera::transforms {

/// What a kernel takes that values of the function do not say.
struct Beside {
  llvm::ArrayRef<mlir::Value> read;  // memory, in its own shape
  bool asHeld = false;               // results have the shapes of their memory
};

struct Update;

class FunctionScheduler {
public:
  /// `tables`: what lies in the arguments of the function's body behind those that are its parameters.
  FunctionScheduler(mlir::OpBuilder &builder, ir::graph::FuncOp function, KernelNames &names, llvm::SmallVector<mlir::ArrayAttr> tables)
      : builder_(builder), function_(function), names_(names), tables_(std::move(tables)) {}
  /// Everything that the function computes, launched in this order at the end of the entry function, where `kWhen` of it holds.
  mlir::LogicalResult launchIn(ir::schedule::FuncOp entry);

private:
  friend class RadixSort;
  // ---- which values are roots
  void findRoots(mlir::Block &block);
  void storePart(mlir::Value operand);
  void storeIndices(mlir::Value updates);
  void storeProductsInPart(mlir::Value operand);
  // ---- what several kernels read (SharedValues.cpp)
  void storeProductsUnder(ir::graph::ReduceOp reduce);
  bool readsMoreThan(size_t most, mlir::Value value);
  void storeWindowsUnder(ir::graph::ReduceOp reduce);
  void storeTurnedRows(mlir::Block &block);
  void storeLongWork(mlir::Block &block);
  void storeRepeated(mlir::Block &block);
  void storeNestedSums(mlir::Block &block);
  int64_t workOf(mlir::Value value, bool ofItsElements = false);
  bool isForMore(mlir::Value value);
  void storeShared(mlir::Block &block);
  void storeSumsOverRows(mlir::Block &block);
  size_t kernelsReading(mlir::Value value);
  int64_t reductionsOf(mlir::Value value);
  int64_t bitsRead(mlir::Value value);
  void markIf(bool condition, mlir::Value value) {
    if (condition && !leaves_.count(value)) roots_.insert(value);
  }
  void markMixed(mlir::Value value, const AxisKinds &kinds, Met &met);
  bool holds(mlir::Value value, bool (*isIt)(mlir::Operation *));
  bool readsMemory(mlir::Value value);
  bool isStored(mlir::Value value) { return leaves_.count(value) || roots_.count(value) || !value.getDefiningOp(); }

  bool isSame(const Dim &a, const Dim &b);
  auto sameDims() {
    return [this](const Dim &a, const Dim &b) { return isSame(a, b); };
  }
  mlir::Value sameMemory(mlir::Value value);
  mlir::Value memoryUnder(mlir::Value value);
  llvm::StringRef calledBy(mlir::Value value);

  // ---- products (ContractPlan.cpp)
  void prepareOperands(ir::graph::DotOp dot);
  void prepareOperand(mlir::Value value, const AxisKinds &kinds);
  bool isPrologue(mlir::Value value, const AxisKinds &kinds, llvm::SetVector<mlir::Value> &read, Met &met);
  void planProducts(mlir::Block &block);
  mlir::Value narrowest(mlir::Value value);
  mlir::Value storedFor(ir::graph::DotOp dot);
  mlir::Value lastOf(ir::graph::DotOp dot);
  void prepareTile(mlir::Value value, const AxisKinds &kinds, llvm::SmallVector<ir::graph::DotOp> &dots, mlir::Value root, Met &met);
  llvm::SmallVector<ir::graph::DotOp> productsOf(mlir::Value root);

  // ---- products of rows of products (ChainPlan.cpp)
  void findChains(mlir::Block &block);
  void prepareChain(Chain &chain);
  void gather(mlir::Value value, const AxisKinds &kinds);

  // ---- operands that are parts of arrays (Parts.cpp)
  void takeParts(mlir::Value value, const AxisKinds &kinds, bool sideBySide, Met &met);
  void takeParts(mlir::Value value, const AxisKinds &kinds, bool sideBySide = false) {
    Met met;
    takeParts(value, kinds, sideBySide, met);
  }
  bool isOrWillBeStored(mlir::Value value);
  bool speaksOfDims(const Part &part);
  bool isOtherShape(ir::graph::ReshapeOp reshape);
  void takeWindows(ir::graph::WindowsOp windows);
  bool gains(const Part &part, mlir::Value value, const AxisKinds &kinds, bool sideBySide);
  /// As a product sees it.
  bool liesInMemory(mlir::Value value) { return isStored(value) || parts_.count(value); }
  Chain *chainIn(llvm::ArrayRef<ir::graph::DotOp> dots);

  // ---- kernels
  mlir::LogicalResult launchBlock(mlir::Block &block);
  mlir::LogicalResult launchBranches(mlir::scf::IfOp branch);
  mlir::LogicalResult launchLoop(mlir::Operation *loop);
  mlir::LogicalResult readCount(mlir::Value count, llvm::StringRef number, mlir::Attribute named);  // LaunchLoop.cpp
  struct Carried {
    llvm::SmallVector<mlir::Value, 2> arguments;  // in the body, and in the condition of a `while`
    mlir::Value init, yielded, result;
    mlir::Value memory, next;  // `next`: null where a turn leaves the value as it is, or changes it in place
    bool inPlace = false, takesOver = false;
  };
  llvm::SmallVector<Carried> carriedBy(mlir::Operation *loop);
  mlir::LogicalResult startFrom(mlir::Value init, mlir::Value memory);
  mlir::LogicalResult fill(mlir::Value value, mlir::Value memory);
  mlir::Value bufferFor(mlir::Type type, llvm::StringRef hint, mlir::Location loc);
  mlir::ArrayAttr dimsInScope();
  // ---- loops that one kernel runs (RecurrenceKernel.cpp)
  using ByResult = llvm::SmallVector<std::pair<unsigned, mlir::Value>>;  // numbers of a loop's results, and memory
  bool findRecurrence(mlir::Operation *op);
  mlir::FailureOr<ByResult> memoryOfRecurrence(const Recurrence &plan);
  ByResult memoryWithTerms(const Recurrence &plan, const ByResult &results);  // RecurrenceSums.cpp
  mlir::LogicalResult addUpTerms(const Recurrence &plan, const ByResult &results, const ByResult &written);
  mlir::LogicalResult launchRecurrence(const Recurrence &plan);
  mlir::LogicalResult recurrenceKernel(const Recurrence &plan, const ByResult &memory, llvm::ArrayRef<mlir::Attribute> facts);
  /// A value, and what holds it.
  using Stored = std::pair<mlir::Value, mlir::Value>;
  // ---- updates in place (LaunchUpdate.cpp)
  bool readsFrom(mlir::Value value, mlir::Value memory);
  bool readsOnlyItsElement(mlir::Value value, mlir::Value memory);
  // ---- rows that are written where they were read (InPlace.cpp)
  bool readsOnlyItsRow(mlir::Value value, mlir::Value memory, const Dim &rows);
  bool isLastReader(mlir::Operation *last, mlir::Value memory);
  mlir::Value memoryToOverwrite(mlir::Value root, size_t fixed);
  mlir::Value memoryOverRows(mlir::Value root, size_t fixed, llvm::ArrayRef<Stored> rows);
  mlir::LogicalResult writeState(mlir::Value value, mlir::Value memory);
  bool isNewState(mlir::Value value);
  llvm::SmallVector<Stored> statesTogether(const Stored &first, llvm::ArrayRef<Stored> states);
  llvm::SmallVector<Stored> freeStates(llvm::ArrayRef<Stored> states);
  mlir::LogicalResult writeTogether(llvm::ArrayRef<Stored> together);
  mlir::LogicalResult writeStates(llvm::SmallVector<Stored> states);
  mlir::LogicalResult launchUpdate(mlir::Operation *op);
  bool isReadBeforeWritten(const Update &update, mlir::Value source, llvm::ArrayRef<mlir::Value> read, mlir::Value memory);
  mlir::Value partOfBlock(Privatiser &privatiser, mlir::Value value, const Indices &indices, const Indices &local, llvm::ArrayRef<mlir::Value> starts);
  bool goesToBlock(ir::graph::GatherOp gather);
  mlir::LogicalResult settle(mlir::Value value, mlir::Operation *change);
  bool isPending(mlir::Value value, mlir::Operation *change, llvm::DenseSet<mlir::Value> &seen);
  template <class Op, class... Args> Op launchOp(Args &&...args);
  mlir::LogicalResult makeRoot(mlir::Value value, mlir::Value target = {});
  bool isUniform(mlir::Value value, const AxisKinds &kinds, Met &met);
  void topReductions(mlir::Value value, llvm::SetVector<mlir::Value> &found);
  bool isForRows(mlir::Value value);
  llvm::SmallVector<mlir::Value> rowsUnder(mlir::Value value);
  std::optional<size_t> axesOfRows(mlir::Value value);
  mlir::LogicalResult makeRows(mlir::Value value);
  mlir::Value arrayOverRows(llvm::ArrayRef<mlir::Value> rows, size_t fixed);
  bool isReadyButFor(mlir::Value value, llvm::ArrayRef<mlir::Value> rows);
  bool isNumberOfAll(mlir::Value value, size_t axes = 1);
  /// A root whose kernel is still to come, and that is no state, which is written when all else has read it.
  bool isToStore(mlir::Value value) { return roots_.count(value) && !leaves_.count(value) && !states_.count(value); }
  bool readsAny(mlir::Value value, llvm::ArrayRef<mlir::Value> of);
  llvm::SmallVector<mlir::Value> numbersOfAll(mlir::Value value, size_t axes = 1);
  size_t axesAlong(mlir::Value value, size_t fixed);
  // ---- windows of single channels (SlideKernel.cpp)
  mlir::Value lastOfSlide(ir::graph::SlideOp slide);
  mlir::LogicalResult slideKernel(mlir::Value root, ir::graph::SlideOp slide, mlir::Value target);
  mlir::LogicalResult slideTogetherKernel(ir::graph::SlideTogetherOp slide, mlir::Value target);
  // ---- sums that a kernel would add up again (RepeatedSums.cpp)
  bool addsUp(mlir::Value value);
  void findRepeated(mlir::Value value, const AxisKinds &kinds, mlir::Value root, size_t axes, llvm::SmallVectorImpl<mlir::Value> &found, Met &met);
  llvm::SmallVector<mlir::Value> repeatedUnder(mlir::Value root, size_t fixed);
  llvm::SmallVector<mlir::Value> arraysBeside(mlir::Value root);
  llvm::SmallVector<mlir::Value> numbersForSums(mlir::Value root, size_t fixed);
  mlir::LogicalResult rowKernel(mlir::Value root, size_t privateAxes, mlir::Value target, llvm::ArrayRef<Stored> others = {});
  mlir::LogicalResult sortKernel(ir::graph::ArgsortOp op, mlir::Value target);  // SortKernel.cpp
  mlir::LogicalResult sortByGroups(ir::graph::ArgsortOp op, mlir::Value target);
  std::optional<mlir::Attribute> findsInParts(ir::graph::ArgsortOp op);
  mlir::LogicalResult firstInParts(ir::graph::ArgsortOp op, mlir::Value target);
  /// Long rows by their digits (RadixSort.cpp), where sizes may say so only at run time; the others as before.
  mlir::LogicalResult longSort(ir::graph::ArgsortOp op, mlir::Value target, llvm::function_ref<mlir::LogicalResult()> otherwise);
  // ---- what devices do together (Exchange.cpp)
  mlir::LogicalResult exchange(ir::graph::ExchangeOp op, mlir::Value target);
  static mlir::Value summedInPlace(mlir::Value value);
  mlir::Value memoryOfSummed(mlir::Value value);
  // ---- running sums (ScanKernel.cpp)
  struct ScanStep {
    mlir::Value from, before, target;  // memory; `from`: null for the operand, `before`: null where nothing comes before
    bool totals;                       // of parts, in the place of running sums
    llvm::StringRef reason;
  };
  bool isMadeByElements(mlir::Value value);
  mlir::LogicalResult scanKernel(ir::graph::ScanOp op, mlir::Value target);
  mlir::LogicalResult partsOfScan(ir::graph::ScanOp op, const ScanStep &step);
  mlir::LogicalResult laneKernel(mlir::Value root, mlir::Value target, bool sequential, llvm::ArrayRef<mlir::Value> siblings = {});
  llvm::SmallVector<mlir::Value> siblingsOf(mlir::Value root);  // Siblings.cpp
  llvm::SmallVector<mlir::Value> tilesBeside(mlir::Value root);
  mlir::Value standsFor(mlir::Value root);
  llvm::SetVector<mlir::Value> arraysUnder(ir::graph::ReduceOp sum);
  bool addUpTogether(ir::graph::ReduceOp one, ir::graph::ReduceOp other);
  llvm::SmallVector<mlir::Value> sumsBeside(mlir::Value root);
  bool isMadeOf(mlir::Value value, llvm::ArrayRef<ir::graph::ReduceOp> sums);
  bool waitsForSum(mlir::Value root);
  bool isReady(mlir::Value value, const llvm::SetVector<mlir::Value> &known, llvm::SetVector<mlir::Value> &arrays);
  mlir::LogicalResult scatterKernel(ir::graph::ScatterAddOp scatter, mlir::Value target);        // ScatterKernel.cpp
  mlir::FailureOr<ir::graph::FullOp> storeZeros(ir::graph::ScatterAddOp scatter, mlir::Value target);
  mlir::LogicalResult atomicScatterKernel(ir::graph::ScatterAddOp scatter, mlir::Value target);  // ScatterAtomics.cpp
  mlir::LogicalResult sumsOfRuns(ir::graph::ScatterAddOp scatter, mlir::Value target);           // SumsOfRuns.cpp
  struct RunLevel {
    Dim count, length, updates;  // of items in all, and for each lane; updates in an item
    mlir::Value zeros, from, to;
  };
  mlir::LogicalResult runsKernel(ir::graph::ScatterAddOp scatter, mlir::Value target, const RunLevel &runs);
  mlir::LogicalResult contract(mlir::Value root, llvm::ArrayRef<ir::graph::DotOp> dots, mlir::Value target);
  llvm::SmallVector<mlir::Value> computedAnew(const Machine &machine, llvm::ArrayRef<ir::graph::DotOp> dots, unsigned side);
  mlir::LogicalResult contractKernel(mlir::Value root, llvm::ArrayRef<ir::graph::DotOp> dots, mlir::Value target, int64_t leastRows = 1);
  mlir::LogicalResult decideContract(ir::graph::KernelOp kernel, const Machine &machine, const std::string &reason);
  mlir::FailureOr<ir::schedule::LaunchOp> addKernelFor(ir::graph::KernelOp kernel, const Machine &machine, const std::string &wanted,
                                                       const std::string &reason, llvm::ArrayRef<ir::schedule::LaunchOp> others,
                                                       const Dim &count, const Dim &most);
  mlir::LogicalResult addSplitFor(ir::graph::KernelOp kernel, const Machine &machine, const ContractTile &tile, const Dim &parts,
                                  const std::string &reason, llvm::SmallVectorImpl<ir::schedule::LaunchOp> &launches);
  mlir::LogicalResult addSmallFor(ir::graph::KernelOp kernel, const Machine &machine, llvm::ArrayRef<ir::graph::DotOp> dots, const ContractTile &usual,
                                  const std::string &reason, llvm::SmallVectorImpl<ir::schedule::LaunchOp> &launches);
  /// A tile of a root that is a product, or one with its axes in another order.
  struct RootTile {
    llvm::SmallVector<int64_t> axes;  // of the product, in the root's order
    llvm::SmallVector<ir::DimAttr> extents;
    Indices product, stored;
  };
  RootTile rootTile(mlir::Value root, ir::DimAttr rows, ir::DimAttr cols);
  RootTile rowTile(mlir::Value root, ir::DimAttr rows);
  void placeTile(RootTile &tile, mlir::Value root, mlir::OpBuilder &builder, Privatiser &privatiser, mlir::Location line,
                 llvm::StringRef cols);
  llvm::SmallVector<Stored> memoryForAll(llvm::ArrayRef<mlir::Value> values);
  /// A kernel that was launched has written it.
  void isHeld(const Stored &stored);
  /// What a chain's kernel holds whole, and when the entry function starts it.
  struct ChainForm {
    ir::DimAttr depth, cols;  // null: in steps, in tiles
    int64_t most = 0;         // the greatest extent of what is held
    llvm::SmallVector<mlir::Attribute> facts, when;
  };
  llvm::SmallVector<ChainForm> chainForms(Chain &chain);
  llvm::SmallVector<ChainForm> chainFormsOf(Chain &chain);
  llvm::SmallVector<ChainForm> withFewKeys(Chain &chain, llvm::ArrayRef<ChainForm> forms);
  mlir::LogicalResult chainKernels(mlir::Value root, Chain &chain, mlir::Value target);
  mlir::LogicalResult kernelsOf(llvm::ArrayRef<ChainForm> forms, mlir::Value root, Chain &chain, mlir::Value target, llvm::ArrayRef<Stored> rows = {}, llvm::ArrayRef<Stored> beside = {});
  mlir::LogicalResult chainKernel(mlir::Value root, Chain &chain, const ChainForm &form, mlir::Value target, llvm::ArrayRef<Stored> rows, llvm::ArrayRef<Stored> beside = {});
  Chain *sweepBeside(mlir::Value root, Chain &chain);
  static mlir::Value storedOf(Chain &reduced);
  Chain *reducedIn(mlir::Value value);
  static Chain together(const Chain &one, const Chain &other);
  // ---- what products store rounded, beside themselves or where they are put together (RoundedResults.cpp)
  llvm::SmallVector<Stored> roundedBeside(mlir::Value root);
  mlir::Value memoryInJoined(mlir::Value rounded);
  bool isStoredInPlace(ir::graph::ConcatOp concat);
  void isHeldInPlace(mlir::Value rounded);
  bool readsStored(mlir::Value value);
  mlir::LogicalResult storeForSweeps(mlir::Value root, Chain &chain);
  void addUpRows(mlir::Block &block);
  mlir::Value rootOf(Chain &chain);
  mlir::LogicalResult makeKeeper(mlir::Value rows);
  // ---- chains of few rows (ChainSplit.cpp)
  std::optional<ChainTile> splitTile(Chain &chain, llvm::ArrayRef<ChainForm> forms);
  mlir::LogicalResult splitChain(mlir::Value root, Chain &chain, const ChainForm &form, const ChainTile &sizes, mlir::Value target);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> partsKernel(Chain &chain, const ChainForm &form, const ChainTile &sizes, int64_t most, const Dim &count);
  mlir::LogicalResult mergeKernel(mlir::Value root, Chain &chain, const ChainForm &form, llvm::ArrayRef<mlir::Value> parts, const Dim &count, mlir::Value target);
  void setChainSizes(ir::graph::KernelOp kernel, const ChainForm &form, const ChainTile &sizes);
  std::string chainReason(Chain &chain, const ChainForm &form);
  ContractWork contractWork(mlir::Value root, llvm::ArrayRef<ir::graph::DotOp> dots, llvm::ArrayRef<Stored> beside);
  bool isOnlyMoved(mlir::Value value);
  std::optional<bool> liesTurned(mlir::Value value);
  struct Kernel {
    mlir::Operation *op;
    llvm::DenseMap<mlir::Value, mlir::Value> leaves;
    mlir::Value target;
    llvm::SmallVector<mlir::Value> others;  // of its other roots
    llvm::SmallVector<mlir::Value> beside;  // of `Beside::read`
  };
  std::string contractReason(mlir::Value root, llvm::ArrayRef<ir::graph::DotOp> dots, const Kernel &kernel);
  /// What one of a kernel's lanes does, behind a guard that keeps out those beyond the last.
  struct Lane {
    mlir::OpBuilder builder;
    mlir::Value number;
  };
  static ir::GridAttr gridOfLanes(mlir::MLIRContext *context, llvm::ArrayRef<ir::DimAttr> extents);  // one an element of an array
  static Lane beginLane(const Kernel &kernel, llvm::ArrayRef<ir::DimAttr> extents, mlir::Location line, llvm::StringRef name = "i");
  static void endLane(const Kernel &kernel, mlir::Location line);
  Kernel beginKernel(mlir::Value root, ir::GridAttr grid, mlir::Value target, std::vector<std::string> reasons,
                     bool usesLanes, std::vector<std::string> rows,
                     llvm::StringRef operation = ir::schedule::KernelOp::getOperationName(),
                     std::optional<mlir::ValueRange> reads = {}, llvm::ArrayRef<Stored> others = {}, Beside beside = {});
  Kernel beginRecurrence(const Recurrence &plan, const ByResult &memory, llvm::ArrayRef<mlir::Attribute> facts);
  void leavesOf(mlir::Value value, llvm::SetVector<mlir::Value> &found, bool takesParts = false);
  void store(mlir::OpBuilder &builder, mlir::Value piece, mlir::Value view, const Indices &indices, bool byLane,
             mlir::Location loc);
  bool isAlone(mlir::Value value, ir::graph::CallOp call);
  mlir::LogicalResult launchCall(ir::graph::CallOp call);
  mlir::Value memoryFor(mlir::Value value);

  mlir::OpBuilder &builder_;  // before the function: kernels go here
  ir::graph::FuncOp function_;
  KernelNames &names_;
  llvm::SmallVector<mlir::ArrayAttr> tables_;
  ir::schedule::FuncOp entry_;
  mlir::OpBuilder launches_{builder_.getContext()};
  llvm::DenseSet<mlir::Value> roots_;
  llvm::DenseMap<mlir::Value, mlir::Value> leaves_;   // values of the function: where the entry function holds them
  llvm::DenseMap<mlir::Value, Part> parts_;           // of arrays, as kernels of products take them
  llvm::DenseMap<mlir::Value, Part> placed_;          // results of kernels that lie in what is put together of them
  llvm::DenseMap<mlir::Operation *, mlir::Value> joined_;  // the memory of that, while some of its parts are still to come
  llvm::DenseMap<mlir::Value, mlir::Value> results_;  // returned values: their views, before they are written
  llvm::DenseMap<mlir::Value, mlir::Value> states_;   // what states become as a whole: their memory, written when all else has read it
  llvm::DenseMap<mlir::Operation *, Chain> chains_;   // and sweeps, by the outer product or the reduction
  llvm::DenseSet<mlir::Operation *> chainOps_;        // their bodies
  llvm::DenseMap<mlir::Value, mlir::Operation *> keepers_;  // of what a chain stores of rows: its outer product
  llvm::DenseMap<mlir::Value, mlir::Operation *> rowSums_;  // of what follows a chain: its outer product
  llvm::DenseMap<mlir::Value, ir::graph::SlideOp> slides_;  // by what is stored in the place of their results
  llvm::DenseMap<mlir::Operation *, Recurrence> recurrences_;  // by their loops
  llvm::SmallVector<mlir::Attribute> when_;           // the conditions and loops around what is launched now
  llvm::SmallVector<mlir::Attribute> always_;         // the conditions around all
  llvm::SmallVector<mlir::Attribute> counters_;       // names of integers that the loops around it count
  int64_t loops_ = 0, buffers_ = 0;
};

/// Something that the entry function does, under the conditions around it.
template <class Op, class... Args> Op FunctionScheduler::launchOp(Args &&...args) {
  Op op = launches_.create<Op>(std::forward<Args>(args)...);
  if (!when_.empty()) op->setAttr(kWhen, launches_.getArrayAttr(when_));
  return op;
}

/// Lanes of a group whose lanes need nothing of each other.
constexpr int64_t kLaneGroup = 256;

/// Sums at places that do not depend on the order, on a machine with atomics for them (ScatterAtomics.cpp).
bool addsByAtomics(ir::graph::ScatterAddOp scatter);
/// Sums whose places are sorted first (SortedPlaces.cpp).
bool goesInOrder(ir::graph::ScatterAddOp scatter);

/// To be computed anew in each turn of a loop.
bool isDear(mlir::Operation *op);

/// Over so many elements that a lane does not do it as it goes.
bool isLong(ir::graph::ReduceOp reduce);

/// A lane computes a whole reduction by itself: neighbouring lanes then read neighbouring elements, or the
/// rows are short.
bool isForLanes(ir::graph::ReduceOp reduce);

}  // namespace tessera::transforms
