// A kernel over single elements as one over vectors: a lane takes neighbouring elements, loads and stores them at once,
// and computes them in a short loop.
#pragma once
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "transforms/tile/KernelFacts.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::transforms {

/// On a loop over parts, or over a part, of what was one reduction (SplitReductions.cpp).
constexpr llvm::StringLiteral kSplit = "tsr.split";

/// Choices within choices that are made for vectors. Each is a dozen lines of text: those between more parts stay as short as they are.
constexpr size_t kMostChoices = 16;

/// Works from what is stored back to what it needs. A value is *the same* for all elements of a vector, *steps* by one from
/// element to element, or *varies*. What is the same, or where a step begins, is computed once, before the loop over the
/// vector's elements; so are loads of neighbouring elements, which become one. The rest is computed in that loop.
class VectorForm {
public:
  explicit VectorForm(ir::tile::KernelOp kernel);
  /// False, and nothing is changed, where the kernel is not of such a form or has nothing to load or store at once.
  bool run();
  /// False where nothing moves more than one element at once after all: some extent that matters is a number that no vector divides.
  bool gains() const { return elements_ > 1 || !rows_.empty(); }

private:
  using Value = mlir::Value;
  using Operation = mlir::Operation;
  using Location = mlir::Location;

  // ---- how values differ between the elements of a vector (VectorClasses.cpp)
  enum class Kind { Same, Step, Varies };
  struct Class {
    Kind kind = Kind::Same;
    bool whole = false;                // a step that begins on a multiple of the vector
    llvm::SmallVector<Dim, 2> divide;  // extents that the vector must divide for that, each once
    void needs(llvm::ArrayRef<Dim> extents) {
      for (const Dim &extent : extents)
        if (!llvm::is_contained(divide, extent)) divide.push_back(extent);
    }
  };
  const Class &classOf(Value value);
  Class classify(Value value);
  Class classify(ir::tile::ElementwiseOp op);
  std::optional<Dim> dimOf(Value value);
  std::optional<Dim> factorOf(Value value);
  bool isFlat(mlir::ValueRange indices, llvm::ArrayRef<ir::DimAttr> shape);
  bool isPosition(Value index, Value counter, const Dim &behind, const Dim &extent, bool first, bool last);
  /// How a load or store moves a vector.
  struct Move {
    Value base;
    bool flat;  // at the position that the counter is, in row-major order
    llvm::SmallVector<Dim, 2> divide;
  };
  std::optional<Move> moveOf(Value base, mlir::ValueRange indices, mlir::DenseBoolArrayAttr inBounds);
  bool understands(mlir::Block &block);
  void findMoves(mlir::Region &region);
  bool choose();
  void settle();
  bool ordered(mlir::Region &region);

  // ---- elements that lie inside for a whole vector, or not (VectorMasks.cpp)
  bool masksAlike(ir::tile::LoadElementOp load);
  void branchOverMasks(mlir::Region &region);

  // ---- lanes of one element each
  bool findLanes();
  void vectoriseLanes();

  // ---- tiles that are turned in shared memory (VectorTurned.cpp)
  bool findTurned();
  std::optional<int64_t> axisAcross(ir::tile::LoadElementOp load);
  void forgetTurned();
  void overTile(const Dim &rows, const Dim &cols, Location loc, llvm::function_ref<void(Value, Value)> body);
  void vectoriseTurned();

  // ---- rows that the lanes of a group take in turn
  bool findRows();
  void findHeld();
  void findKept();
  bool isWorthKeeping(Operation *op, mlir::scf::ForOp loop);
  int64_t workOf(Operation *op, mlir::scf::ForOp loop);
  void keep(llvm::ArrayRef<std::pair<mlir::scf::ForOp, Operation *>> places);
  std::string keyOf(Value value, mlir::scf::ForOp loop);
  Value kept(Operation *op);
  llvm::SmallVector<Value> overTurns(mlir::scf::ForOp loop, mlir::ValueRange inits,
                                     llvm::function_ref<llvm::SmallVector<Value>(mlir::ValueRange)> body);
  ir::tile::LoadElementOp extremeOf(mlir::scf::ForOp loop, unsigned number);
  void vectoriseRow(mlir::scf::ForOp loop);
  void vectoriseRows();
  void forget(mlir::scf::ForOp loop);
  std::optional<Dim> extentOf(mlir::scf::ForOp loop);
  bool takesTurns();

  // ---- rows that begin and end within vectors (VectorEdges.cpp)
  void findEdges();
  bool edgesFit(mlir::scf::ForOp loop);
  bool isEdgeRow(Value base, mlir::ValueRange indices);
  llvm::SmallVector<Value> whereInside(mlir::ValueRange otherwise, Location loc, llvm::function_ref<llvm::SmallVector<Value>()> body);

  // ---- their lanes (RowVariants.cpp)
  static constexpr int64_t kKeptElements = 32;  // of a row, by a lane: each takes a register
  void chooseRowVariants(bool parts);
  bool holdsInTurn(int64_t elements);
  void chooseTurnVariants();
  int64_t turnsInShared(int64_t lanes, int64_t groups, int64_t cluster = 1);
  int64_t heldRows();
  bool takesNext();
  bool meetsInClusters();
  Dim sharedFor(int64_t lanes, int64_t most, bool edges, int64_t cluster = 1);
  using LanesAndGroups = std::pair<int64_t, int64_t>;  // lanes of a group, groups of a block
  void addRowVariant(llvm::SmallVectorImpl<mlir::Attribute> &variants, int64_t elements, int64_t held, LanesAndGroups block,
                     std::optional<int64_t> limit, bool edges, const std::optional<Dim> &shared = std::nullopt, llvm::ArrayRef<mlir::Attribute> when = {},
                     int64_t cluster = 1);
  bool addClusterVariants(llvm::SmallVectorImpl<mlir::Attribute> &variants, bool edges, int64_t longest);
  std::vector<std::pair<LanesAndGroups, int64_t>> shapesOfRows(bool edges);
  void addHeldVariants(llvm::SmallVectorImpl<mlir::Attribute> &variants, bool edges);
  llvm::SmallVector<mlir::Attribute> areFewAndLong();
  void addReadOnceVariants(llvm::SmallVectorImpl<mlir::Attribute> &variants, bool edges, bool parts);

  // ---- sums of powers beside the largest element (VectorOnline.cpp)
  struct OnlineSum {
    mlir::scf::ForOp maxima, sums;
    ir::tile::GroupReduceOp largest;
    ir::tile::LoadElementOp inMaxima, inSums;
    ir::tile::ElementwiseOp power, exponent, difference;  // 2^exponent, the exponent a multiple of the difference
    Value shift() { return difference.getArgs()[1]; }
  };
  void findOnline();
  Value withLargest(Value value, Value largest);
  Value powerOf(Value element, Value shift);
  void vectoriseOnline();

  // ---- building (VectorForm.cpp)
  Value base(Value value);
  Value at(Value value);
  Value vectorOf(ir::tile::LoadElementOp load);
  void fill(mlir::ValueRange from, mlir::ValueRange vectors, Location loc);
  void spread(mlir::scf::ForOp loop);
  void spread(mlir::scf::IfOp branch);
  Operation *cloneWith(Operation *op, llvm::function_ref<Value(Value)> map);
  llvm::SmallVector<Value> computeAll(mlir::Block &from, mlir::ValueRange inits, mlir::ValueRange arguments,
                                      mlir::ValueRange yields, Location loc);
  bool spreads(mlir::scf::ForOp loop);
  bool spreads(mlir::scf::IfOp branch);
  bool storesAlone(mlir::scf::IfOp branch);
  void spreadForBoth(mlir::scf::IfOp branch);
  bool dependsOnCounter(Value value);
  using Values = llvm::SmallVector<Value>;
  Values overElements(mlir::ValueRange inits, Location loc, llvm::function_ref<Values(mlir::ValueRange)> body);
  template <class Build> auto before(Build build);
  Value query(llvm::StringRef what, Location loc);
  Value number(int64_t value, Location loc);
  Value dim(const Dim &dim, Location loc);
  Value arithmetic(llvm::StringRef mnemonic, Value a, Value b, Location loc);
  Value newVector(mlir::Type element, llvm::StringRef name, Location loc);
  std::string nameOf(Value base);
  void setVariants(llvm::ArrayRef<mlir::Attribute> variants, const std::string &reason);
  using Sizes = std::vector<std::pair<llvm::StringRef, int64_t>>;
  /// `vectors`: elements are moved at once; `most`: of the extent of a held row.
  std::optional<Dim> rowsOfLaunch();
  std::optional<int64_t> lanesOfFewRows(int64_t usual);
  mlir::Attribute variant(const Sizes &sizes, bool vectors, std::optional<int64_t> most = std::nullopt, bool edges = false);

  ir::tile::KernelOp kernel_;
  mlir::OpBuilder builder_;
  KernelFacts facts_;
  llvm::DenseSet<Value> counters_;
  llvm::DenseMap<Value, Class> classes_;
  llvm::MapVector<Operation *, Move> moves_;
  llvm::SmallVector<Dim> needs_;                                // extents that the vector divides, of what was built
  bool keepsCostly_ = false;                                    // a value that is kept is a function
  bool recallsOnce_ = true;                                     // what is kept are functions, asked for in one later loop each
  int64_t elements_ = 0;                                        // of a vector
  mlir::scf::IfOp guard_;                                       // lanes
  llvm::SmallVector<mlir::scf::ForOp> rows_;                    // loops in which lanes take a row in turn
  llvm::DenseMap<Operation *, Value> held_;                     // loads: the row that they are of
  struct Kept {
    Value row;
    bool first;  // computes it
  };
  llvm::DenseMap<Operation *, Kept> kept_;                      // what several loops compute alike
  std::optional<OnlineSum> online_;
  bool mayHaveClusters_ = false;                                // groups may share a row
  bool mayHaveEdges_ = false;                                   // vectors need not divide the rows
  Value edgeBase_, before_;                                     // such a row's array; elements of its first vector before it
  llvm::SmallVector<Value> edgeLeading_;
  std::optional<Dim> heldExtent_, rowExtent_;                   // of held rows; of all
  Value counterBase_, turn_;
  ir::tile::StoreElementOp store_;                              // of a kernel that turns tiles
  int64_t last_ = 0, across_ = -1;                              // the axes of the result that are exchanged
  llvm::SmallVector<ir::tile::LoadElementOp> turned_;
  llvm::DenseMap<Operation *, llvm::SmallVector<Dim, 2>> alongAcross_;  // extents that vectors of them divide
  bool tiles_ = false;
  struct InTile {
    Value buffer, row, col;  // of the first element; the others are in the rows below
  };
  llvm::DenseMap<Operation *, InTile> inTile_;
  // Computed so far: once for a vector, innermost loop last; for the element of the loop that is built.
  llvm::SmallVector<llvm::DenseMap<Value, Value>> bases_{1}, values_{1};
  llvm::DenseMap<Value, bool> depends_;
  llvm::DenseMap<Value, Value> vectors_;                        // what a spread loop or branch carries and gives
  Operation *loop_ = nullptr;                                   // over the elements, while it is built
  Value index_;                                                 // its counter
};

}  // namespace tessera::transforms
