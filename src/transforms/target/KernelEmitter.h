// One kernel from Tile IR to Target IR. The parts are in the files named after what they emit.
#pragma once
#include "ir/target/Target.h"
#include "ir/tile/Tile.h"
#include "support/Lanes.h"
#include "support/Machine.h"
#include "transforms/target/Names.h"
#include "transforms/target/Plan.h"
#include "transforms/tile/KernelFacts.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <set>

namespace tessera::transforms::totarget {

/// What the launches of a kernel must know of it.
struct KernelInfo {
  explicit KernelInfo(std::string name = "") : name(std::move(name)) {}
  std::string name;                                        // of the emitted function
  int64_t group = 0;                                       // threads; 0 on the CPU
  std::string groupName;                                   // the constant with that number
  std::vector<std::pair<std::string, int64_t>> constants;  // that the grid is written in
  std::vector<std::string> variables;  // all dimension variables of its signature
  std::vector<std::string> dims;       // dimension variables passed behind the views and scalars
  std::vector<std::pair<std::string, std::vector<int64_t>>> capacities;
  std::string grid;                  // number of groups, a dimension expression; empty on the CPU
  std::vector<int64_t> sharedBytes;  // for each combination of capacities; empty: static
  std::set<unsigned> steps;          // parameters by which loops go on: the entry asks that they are at least 1
  std::vector<unsigned> aligned;     // parameters whose rows the entry asks for alignment; empty: the kernel does not ask
  struct Variant {
    std::string arguments;                // of the template
    std::map<std::string, Dim> sizes;     // the constants of the grid: "Vector" -> 8
    int64_t threads, rows;                // of a block
    std::vector<ir::RequirementAttr> when;
    std::vector<int64_t> aligned;         // parameters
    std::optional<Dim> sharedBytes;       // dynamic shared memory, where it needs some
  };
  std::vector<Variant> variants;
  bool persistent = false;           // goes over its groups in a loop
};

class KernelEmitter {
public:
  KernelEmitter(ir::tile::KernelOp kernel, std::string name, const Machine &machine, mlir::OpBuilder &module);
  mlir::FailureOr<KernelInfo> run();

private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;
  using LogicalResult = mlir::LogicalResult;
  using Indices = std::vector<ExprRef>;

  // ---- the function around the body (EmitKernel.cpp)
  void declareParameters();
  void declareConstants();
  void declareConstant(const std::string &variable, const std::string &name, int64_t value);
  void declareNamedSizes();
  void declareScheduleSizes();
  void declareCapacities();
  void declareLayouts();
  void declareAlignment();
  bool beginsAligned(ir::tile::CopyOp copy);
  /// What the emitted function calls the layout of a fragment.
  const std::string &layoutName(ir::tile::FragmentType type);
  bool wantsRegisters();
  bool usesSwizzle();
  void declareVariants();
  std::vector<std::string> headComment();
  std::vector<std::string> withoutEffect();  // IdleFields.cpp
  llvm::StringRef whyIdle(llvm::StringRef field);
  llvm::SmallVector<mlir::NamedAttribute> sortedSizes();
  mlir::ArrayAttr accesses();
  void noteForManifest();
  LogicalResult emitGroups(llvm::function_ref<LogicalResult()> body);
  LogicalResult finish();
  bool needsView(Value parameter);
  bool isCpu() const { return machine_.family == Target::Cpu; }
  LogicalResult computeSharedBytes();
  LogicalResult refuseShared(int64_t total, const std::vector<int64_t> &parts,
                                   const std::map<std::string, int64_t> &capacities);
  LogicalResult checkStack();  // StackLimit.cpp
  int64_t mostBytes(llvm::ArrayRef<Dim> extents, int64_t elementBytes);

  // ---- the grid (EmitGrid.cpp)
  void planGrid();
  bool goesInBands();
  ExprRef groupIndex(int64_t axis);
  ExprRef origin(int64_t axis);
  ExprRef query(ir::tile::QueryOp op);
  ExprRef lane();
  bool isPlainLoop();
  LogicalResult emitPlainLoop();
  struct RowsOfLanes {
    std::optional<Dim> width;
    ExprRef height;
    llvm::SmallVector<Value> rows, cols;
    bool turned = false;  // something is read along the columns
  };
  std::optional<RowsOfLanes> rowsOfLanes();
  mlir::Block &lanesBlock();
  bool isBelowLanes(Value condition);
  LogicalResult emitRowsOfLanes(const RowsOfLanes &lanes);
  LogicalResult emitOneRow(llvm::ArrayRef<ir::tile::StoreElementOp> stores, const std::string &counter);
  ExprRef endOf(ExprRef from, int64_t step, ExprRef extent);
  std::pair<ExprRef, ExprRef> openPieces(llvm::ArrayRef<ir::tile::StoreElementOp> stores, const std::string &counter, ExprRef width,
                                         bool parallel = false);
  std::pair<ExprRef, ExprRef> openBlocks(const RowsOfLanes &lanes, llvm::ArrayRef<ir::tile::StoreElementOp> stores, const std::string &row,
                                         const std::string &col, ExprRef &rowCounter);
  Value openLoop(const std::string &counter, ExprRef from, ExprRef to, int64_t step, bool parallel, bool simd,
                 int64_t collapse);
  ExprRef lanes();
  LogicalResult emitGroupLoop();
  void keepVectorLoops();
  llvm::SmallVector<llvm::StringRef> combiners(mlir::scf::ForOp op, llvm::ArrayRef<Storage *> carried);
  void combineInVectors(ir::target::ForOp loop, mlir::scf::ForOp op, llvm::ArrayRef<Storage *> carried);

  // ---- matrices that are read across the rows that are written, on the CPU (EmitMatrices.cpp)
  struct Matrices {
    llvm::SmallVector<Value> at;  // the number of a matrix, an index an axis
    Value row, col;
    llvm::SmallVector<ir::DimAttr> shape;
    llvm::SmallVector<ir::tile::StoreElementOp> stores;
    llvm::SmallVector<ir::tile::LoadElementOp> loads;
  };
  std::optional<Matrices> matricesOfLanes();
  bool isPlaceOfLane(mlir::ValueRange indices, llvm::ArrayRef<ir::DimAttr> shape);
  LogicalResult emitMatrices(const Matrices &matrices);

  // ---- rows that are combined in parts, on the CPU (EmitParts.cpp)
  ExprRef declareParts(mlir::scf::ForOp op, llvm::ArrayRef<Storage *> carried);
  std::pair<ExprRef, ExprRef> openParts(mlir::scf::ForOp op, const std::string &counter, ExprRef count);

  // ---- what is written in lines, on the CPU (EmitStreams.cpp)
  static constexpr int64_t kTurnedRows = 256, kTurnedCols = 128;  // of a block of the result that is read across its rows
  bool isPlainArray(Value base);
  llvm::SmallVector<ir::tile::StoreElementOp> storesInLines(mlir::Block &block, llvm::function_ref<bool(Value)> isCounter,
                                                            llvm::function_ref<bool(Value)> isFixed);
  llvm::SmallVector<ir::tile::StoreElementOp> storesOfRow(mlir::scf::ForOp loop);
  void declareStreaming(ir::tile::StoreElementOp first);
  std::pair<ExprRef, ExprRef> declareLines(llvm::ArrayRef<ir::tile::StoreElementOp> stores, int64_t elements, ExprRef count, ExprRef from);
  std::pair<ExprRef, ExprRef> openLines(llvm::ArrayRef<ir::tile::StoreElementOp> stores, const std::string &counter, ExprRef count);
  llvm::SmallVector<ir::tile::LoadElementOp> turnedLoads(llvm::ArrayRef<Value> rows, llvm::ArrayRef<Value> cols, llvm::ArrayRef<Value> matrices);
  void readAhead(ExprRef from, int64_t elements);
  bool isWholeRow(mlir::scf::ForOp loop);
  LogicalResult emitKeptRow(Operation &op);
  void declareTurned(llvm::ArrayRef<ir::tile::LoadElementOp> loads, ExprRef row, ExprRef col);

  // ---- lanes in loops, on the CPU (EmitLanes.cpp)
  bool lanesMatter();
  bool varies(Value value);
  bool variesInside(Operation &op);
  bool isPureScalar(Operation &op);
  void numberRuns(mlir::Block &block);
  unsigned runOf(Operation *op);
  LogicalResult overLanes(mlir::Location place, llvm::function_ref<LogicalResult()> body);
  LogicalResult emitLanes(mlir::Block &block);
  LogicalResult emitGroupOp(Operation &op);
  ExprRef lanesOf(Value value);
  ExprRef lanesWith(Value value, llvm::StringRef name, mlir::Location place);
  LogicalResult emitLaneReduce(ir::tile::GroupReduceOp op);
  LogicalResult emitLaneWarp(ir::tile::WarpOp op);  // EmitWarps.cpp
  void declareCrossing(llvm::ArrayRef<Operation *> stretch);
  ExprRef laneArray(const std::string &name, mlir::Type type, mlir::Location place);
  void declareLaneArray(Storage &storage, mlir::Location place);

  // ---- operands of products, on the CPU (EmitCpuOperands.cpp)
  /// A tile that only products read, and always as the same operand: converted and packed where it is copied.
  struct PackedOperand {
    bool isLeft, transposed, inPlace;
    mlir::Type accumulator;
  };
  std::optional<PackedOperand> packedOperand(ir::tile::AllocSharedOp op);
  bool declarePackedOperand(ir::tile::AllocSharedOp op, const std::string &name);

  // ---- dimensions (EmitGrid.cpp)
  ExprRef dim(const Dim &dim);
  ExprRef dimTerm(const Dim::Term &term);
  ExprRef dimAtom(const Atom &atom);
  ExprRef dimVar(const std::string &name);
  /// The extent in the text of a type: sizes and capacities by name.
  std::string typeExtent(const Dim &dim);
  Dim inConstants(const Dim &dim);
  /// A shape in the names that the program has for its sizes, as far as the location of its value knows them.
  std::vector<Dim> written(llvm::ArrayRef<ir::DimAttr> shape, mlir::Location location);
  /// With the names that stand at the top of the function; the others as numbers.
  Dim shown(const Dim &dim);

  // ---- statements (EmitStatements.cpp)
  LogicalResult emitBlock(mlir::Block &block);
  LogicalResult emitOp(Operation &op);
  LogicalResult emitFor(mlir::scf::ForOp op);
  LogicalResult checkStep(mlir::scf::ForOp op);
  LogicalResult emitIf(mlir::scf::IfOp op);
  bool isLoopBound(Value condition);
  LogicalResult emitWhile(mlir::scf::WhileOp op);
  LogicalResult emitOnce(ir::tile::OnceOp op);
  struct Assignment {
    Storage *target;
    ExprRef value;
  };
  void assignAtOnce(llvm::SmallVector<Assignment> pending, mlir::Location place);
  LogicalResult enterLoop(mlir::ValueRange inits, mlir::ValueRange arguments, mlir::Location place);
  LogicalResult assignYields(mlir::ValueRange values, llvm::ArrayRef<Storage *> targets,
                             mlir::Location place);
  LogicalResult unsupported(Operation &op, const llvm::Twine &why);
  /// A new scope of names and the insertion point in the block, for the life of the object.
  struct Scope;

  // ---- variables (EmitValues.cpp)
  /// `location`: of a value of that type.
  mlir::Type placeType(mlir::Type type, mlir::Location location);
  mlir::Location sizedPlace(const Storage &storage, mlir::Location place);
  ExprRef declare(llvm::StringRef name, mlir::Type type, llvm::StringRef form, Indices init, bool isConst,
                  mlir::Location place);
  void declareStorage(Storage &storage, ExprRef init, mlir::Location place);
  void assign(const ExprRef &target, const ExprRef &value, mlir::Location place);
  void statement(const ExprRef &call, mlir::Location place);
  void define(Value value, ExprRef expr);
  void store(Storage &storage, ExprRef expr, mlir::Location place);
  std::string nameFor(Value value);  // EmitNames.cpp, with what it asks
  std::string describe(Value value);
  std::string joinedName(ir::tile::ElementwiseOp op);
  std::string elementwiseName(ir::tile::ElementwiseOp op);
  std::string typeWord(mlir::Type type);
  ExprRef scalar(Value value);
  /// The storage's variable; of an array, this lane's element.
  ExprRef placeIn(const Storage &storage);
  ExprRef placeOf(Value value);
  ExprRef typed(int64_t value) { return number(indexType(), value); }
  mlir::Type indexType() { return mlir::IndexType::get(context_); }
  mlir::Type intType() { return mlir::IntegerType::get(context_, 32); }
  mlir::Type none() { return mlir::NoneType::get(context_); }

  // ---- scalars (EmitScalars.cpp)
  LogicalResult emitScalar(Operation &op);
  ExprRef constant(mlir::TypedAttr value);
  ExprRef size(const Dim &dim, mlir::Location location);
  ExprRef loadElement(ir::tile::LoadElementOp op);
  LogicalResult emitStoreElement(ir::tile::StoreElementOp op);
  LogicalResult emitAtomic(ir::tile::AtomicOp op);
  LogicalResult emitAtomicTile(ir::tile::AtomicOp op);
  LogicalResult emitGroupReduce(ir::tile::GroupReduceOp op);
  LogicalResult emitWarp(ir::tile::WarpOp op);  // EmitWarps.cpp
  ExprRef elementPlace(Value base, const Indices &indices, Value view);
  ExprRef mask(Value base, mlir::ValueRange indices, llvm::function_ref<bool(unsigned)> inBounds);

  // ---- fragments (EmitFragments.cpp, EmitMemory.cpp)
  LogicalResult emitFragment(Operation &op);
  LogicalResult emitElementwiseLoop(Operation &op);
  LogicalResult emitReduce(ir::tile::ReduceOp op);
  LogicalResult emitCombineLanes(ir::tile::CombineLanesOp op);
  void keep(Value result, const ExprRef &value);
  LogicalResult emitColumns(ir::tile::ColumnsOp op);
  ExprRef tileScratch(ir::tile::ReduceOp op);
  LogicalResult emitScan(ir::tile::ScanOp op);        // EmitScans.cpp
  LogicalResult emitArgsort(ir::tile::ArgsortOp op);  // EmitPlaces.cpp
  LogicalResult emitGather(ir::tile::GatherOp op);
  ExprRef elementScratch(ir::tile::FragmentType type, mlir::Type element, mlir::Location location);
  ExprRef filled(Value result);
  LogicalResult emitDot(ir::tile::DotOp op);
  ExprRef elementOf(Value fragment, const ExprRef &i, const ExprRef &j, const ExprRef &shape);
  bool emitRowScale(ir::tile::ElementwiseOp op);
  ExprRef elementwiseAt(ir::tile::ElementwiseOp op, const ExprRef &i, const ExprRef &j, const ExprRef &shape);
  std::string fragmentType(ir::tile::FragmentType type, mlir::Location location);
  /// The loops over a lane's elements of a fragment; the body gets the counters.
  void overElements(ir::tile::FragmentType type, const ExprRef &place, mlir::Location location,
                    llvm::function_ref<void(const ExprRef &, const ExprRef &)> body);
  ExprRef materialised(Value fragment);
  template <class Op> LogicalResult emitLoad(Op op);
  template <class Op> LogicalResult emitStore(Op op);
  LogicalResult emitCopy(ir::tile::CopyOp op);
  LogicalResult emitAllocShared(ir::tile::AllocSharedOp op);
  /// `extent`: as it is written; it has so many bytes for each of `extents`.
  ExprRef scratch(mlir::Type element, std::string extent, int64_t bytes, std::vector<Dim> extents = {});
  ExprRef groupScratch(mlir::Type element);
  LogicalResult emitArgsortRow(ir::tile::ArgsortRowOp op);  // EmitSort.cpp
  // ---- roles and rings (EmitRoles.cpp)
  void planRoles();
  struct TileRows {
    int64_t count, axis;
  };
  std::optional<TileRows> tileRows(Value parameter);
  LogicalResult emitRoles(ir::tile::RolesOp op);
  LogicalResult emitRole(mlir::Block &body, const ExprRef &groups, bool produces);
  LogicalResult emitRing(Operation &op);
  LogicalResult emitTurn(Operation &op);
  static ir::tile::DotOp productUnderWay(Operation &op);
  LogicalResult emitCopyToRing(ir::tile::CopyOp op);
  LogicalResult emitBulkStore(ir::tile::StoreFragmentOp op);
  LogicalResult emitColumnSums(ir::tile::StoreColumnSumsOp op);
  void declarePanels(mlir::Type element);

  struct Reach;
  template <class Op> Reach reachOf(Op op);
  ExprRef reachElement(const Reach &reach, const ExprRef &row, const ExprRef &col, ExprRef *inside);
  std::string dtypeText(mlir::Type type);
  LogicalResult emitTime(Operation &op);

  // ---- vectors of a lane (EmitVectors.cpp)
  LogicalResult emitVector(Operation &op);
  llvm::SmallVector<Value> columnSums();
  LogicalResult emitTurns(llvm::ArrayRef<Value> sums, llvm::function_ref<LogicalResult()> body);
  bool emitNeighbours(Operation &op);  // EmitNeighbours.cpp
  mlir::Type vectorType(mlir::Type type);
  mlir::Type heldRowType(mlir::Type type, int64_t number);
  ExprRef positionOf(Value base, mlir::ValueRange indices, bool flat);
  ExprRef pointerTo(Value base, mlir::ValueRange indices, bool flat);

  ir::tile::KernelOp kernel_;
  const Machine &machine_;
  mlir::MLIRContext *context_;
  mlir::OpBuilder builder_;
  ir::target::KernelOp out_;
  mlir::Block *top_ = nullptr;         // of the emitted function
  Operation *declarations_ = nullptr;  // shared memory is declared before this op
  KernelInfo info_;
  Plan plan_;
  NameTable names_;
  std::vector<std::string> paramNames_;
  std::map<std::string, ExprRef> dims_;
  std::map<std::string, std::string> constants_;   // "T.m" -> "BM", "BM.128" -> "BM"
  std::map<std::string, std::string> capacities_;  // "D" -> "MaxD"
  std::map<std::string, int64_t> fragmentBytes_;   // by the text of the type, with the greatest capacities
  std::map<std::string, int64_t> sizes_;
  llvm::MapVector<mlir::Attribute, std::string> layouts_;  // of tiles: the alias of each
  std::string cpuLayout_;
  std::string alignment_;  // the template parameter: bytes that the rows of copied tensors are aligned to; "": not asked
  llvm::DenseMap<Value, ExprRef> bound_;
  std::map<int64_t, ExprRef> groupIndices_;
  std::vector<Dim> grid_;  // extents of the grid attribute, as the program writes them
  std::vector<Dim> groupCounts_;
  ExprRef group_, lane_, laneLoop_;
  std::map<std::string, ExprRef> scratch_;
  llvm::DenseMap<Value, PackedOperand> packed_;
  llvm::DenseSet<Value> counters_;  // values that loops of their own count
  llvm::DenseSet<Operation *> joined_;  // accesses that are part of one that is written elsewhere
  llvm::DenseMap<Operation *, llvm::SmallVector<Operation *>> storesHere_;  // by the last of them
  struct Shared {
    std::vector<Dim> extents;
    int64_t elementBytes;
    std::string name;
    mlir::Location place;
  };
  std::vector<Shared> shared_;
  Operation *lastLoop_ = nullptr;  // the loop over elements that ended last, for the next to join
  mlir::Type lastLoopType_;
  bool singleLane_;  // the group has one lane: the CPU
  llvm::DenseMap<Value, bool> varies_;
  KernelFacts facts_;
  bool readsAhead_ = false;
  ExprRef streaming_;                                  // of the loops over lines that are emitted
  Value streamed_;                                     // the array that it is declared for
  llvm::DenseMap<Operation *, ExprRef> lines_;         // what a store writes to in the place of its array
  llvm::DenseMap<Operation *, ExprRef> turnedBlocks_;  // what a load reads
  llvm::DenseMap<Operation *, unsigned> runs_;
  unsigned lastRun_ = 0;
  ir::tile::RolesOp roles_;
  bool hasTeams() { return roles_ && roles_.getTeams() > 1; }
  int64_t heldRows_ = 0;  // declared so far
  llvm::DenseMap<Operation *, ExprRef> rowsAhead_;  // where groups take rows in turn: what holds the next one
  llvm::DenseMap<Value, ExprRef> ownSums_;          // and the group's sums of columns, by their parameter
  ExprRef nextGroup_;
  ExprRef turns_;  // null where no warpgroup waits for another
  llvm::SmallVector<ir::tile::RingOp> rings_;
  llvm::DenseMap<Value, ExprRef> cursors_;           // where the role that is emitted stands in each ring
  llvm::MapVector<mlir::Type, ExprRef> storePanels_;  // where the consumers are in those of each dtype
  llvm::DenseMap<Value, ExprRef> perLane_;  // arrays with an element for each lane
  std::vector<std::string> templates_;      // constants that are parameters of the template
};

}  // namespace tessera::transforms::totarget
