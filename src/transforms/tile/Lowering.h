// One kernel from Schedule IR to Tile IR. The parts of it are in the files named after what they lower.
#pragma once
#include "ir/common/Names.h"
#include "ir/graph/Graph.h"
#include "ir/schedule/Schedule.h"
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/tile/Layouts.h"
#include "transforms/schedule/ChosenLoad.h"
#include "transforms/schedule/Shapes.h"
#include <map>

namespace tessera::transforms {

/// Operations take the level above apart in program order and build the level below beside it.
///
/// Values of several elements live in one of two ways, decided for the whole kernel:
/// - streamed: they never exist as a whole; a consumer loops over the elements and recomputes each
///   from its producers (`element`);
/// - fragments: registers of the group, spread by a layout (`fragments` maps them).
class KernelLowering {
public:
  KernelLowering(ir::schedule::KernelOp source, ir::tile::KernelOp target, Layouts layouts);
  mlir::LogicalResult run();

private:
  // ---- every op in order (LowerBody.cpp)
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::Operation *op);
  mlir::LogicalResult lowerIf(mlir::Operation *op);
  mlir::LogicalResult lowerWhile(mlir::Operation *op);
  mlir::LogicalResult lowerYield(mlir::Operation *op);
  mlir::LogicalResult lowerCopy(ir::graph::AsyncCopyOp op);
  void removeUnused(mlir::Region &region);
  mlir::LogicalResult unsupported(mlir::Operation *op, const llvm::Twine &why);

  // ---- scalars (LowerScalars.cpp)
  bool isScalarOp(mlir::Operation *op);
  mlir::LogicalResult lowerScalar(mlir::Operation *op);
  mlir::LogicalResult storeScalar(ir::graph::StoreOp op);
  mlir::Value constant(mlir::TypedAttr value, mlir::Location loc);
  mlir::Value query(llvm::StringRef name, int64_t axis, mlir::Location loc);
  mlir::Value constantIndex(int64_t value, mlir::Location loc);
  mlir::Value identity(llvm::StringRef reduction, mlir::Type type, mlir::Location loc);
  mlir::Value combine(llvm::StringRef reduction, mlir::Value a, mlir::Value b, mlir::Location loc);
  mlir::Value elementwise(llvm::StringRef mnemonic, mlir::ValueRange args, mlir::Location loc);
  mlir::Value cast(mlir::Value value, mlir::Type type, mlir::Location loc);
  mlir::Value dim(ir::DimAttr extent, mlir::Location loc);
  /// offset + index * step, without the parts that do nothing.
  mlir::Value offsetBy(mlir::Value offset, mlir::Value index, int64_t step, mlir::Location loc);

  // ---- updates in one step (LowerAtomics.cpp)
  mlir::LogicalResult lowerAtomic(ir::graph::AtomicOp op);
  mlir::LogicalResult updateRow(ir::graph::AtomicOp op);
  mlir::LogicalResult updateFragment(ir::graph::AtomicOp op);
  /// An element of an array of indices, or an index.
  mlir::Value asIndex(mlir::Value value, mlir::Location loc);

  // ---- streamed values (LowerRows.cpp)
  using Index = llvm::SmallVector<mlir::Value>;
  mlir::LogicalResult lowerStreamed(mlir::Operation *op);
  mlir::LogicalResult storeRow(ir::graph::StoreOp op);
  mlir::LogicalResult reduceRow(ir::graph::ReduceOp op);
  /// The element of a source array at these target indices; null after a diagnostic.
  mlir::Value element(mlir::Value array, llvm::ArrayRef<mlir::Value> index);
  mlir::Value computeElement(mlir::Value array, llvm::ArrayRef<mlir::Value> index);
  /// `masked`: the array's axis whose index may lie outside; -1 if there is none.
  mlir::Value loadedElement(ir::graph::LoadOp load, llvm::ArrayRef<mlir::Value> index, int64_t masked = -1);
  mlir::Value windowElement(ir::graph::WindowOp window, llvm::ArrayRef<mlir::Value> index);
  mlir::Value gatheredElement(ir::graph::GatherOp gather, llvm::ArrayRef<mlir::Value> index);
  mlir::Value slicedElement(ir::graph::SliceOp slice, llvm::ArrayRef<mlir::Value> index);
  mlir::Value reshapedElement(ir::graph::ReshapeOp reshape, llvm::ArrayRef<mlir::Value> index);
  mlir::Value concatElement(ir::graph::ConcatOp concat, llvm::ArrayRef<mlir::Value> index, size_t first, size_t last);
  mlir::Value dotElement(ir::graph::DotOp dot, llvm::ArrayRef<mlir::Value> index);
  mlir::Value reducedElement(ir::graph::ReduceOp reduce, llvm::ArrayRef<mlir::Value> index);
  /// A loop over the elements of `extents`, by one lane or by the whole group; `body` gets the index and the
  /// carried value, and gives the next one (null `initial`: none is carried).
  mlir::Value loopOver(llvm::ArrayRef<ir::DimAttr> extents, bool byGroup, mlir::Value initial,
                       mlir::Location loc,
                       llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>, mlir::Value)> body);
  Index delinearize(mlir::Value linear, llvm::ArrayRef<ir::DimAttr> extents, mlir::Location loc);
  mlir::Value linearize(llvm::ArrayRef<mlir::Value> index, llvm::ArrayRef<ir::DimAttr> extents,
                        mlir::Location loc);
  bool isVarying(mlir::Value value);
  bool isInVaryingFlow(mlir::Operation *op);
  bool checkReadsBefore(mlir::Operation *consumer, mlir::Value array);

  // ---- fragments (LowerFragments.cpp, LowerDots.cpp)
  mlir::LogicalResult lowerFragmentOp(mlir::Operation *op);
  mlir::LogicalResult lowerBroadcast(ir::graph::BroadcastOp op);
  mlir::LogicalResult lowerReduce(ir::graph::ReduceOp op);
  mlir::LogicalResult lowerLoad(ir::graph::LoadOp op);
  mlir::LogicalResult storeFragment(ir::graph::StoreOp op);
  mlir::LogicalResult lowerTranspose(ir::graph::TransposeOp op);
  mlir::LogicalResult lowerArgsort(ir::graph::ArgsortOp op);  // LowerPlaces.cpp
  mlir::LogicalResult lowerGather(ir::graph::GatherOp op);
  mlir::LogicalResult lowerConcat(ir::graph::ConcatOp op, mlir::Value result);  // LowerConcat.cpp
  mlir::LogicalResult lowerSlice(ir::graph::SliceOp op);
  mlir::LogicalResult lowerChosen(ir::graph::GatherOp op);  // LowerChosen.cpp
  bool copyRows(ir::graph::GatherOp op, const ChosenLoad &from);
  /// The places of a gather as its result has them.
  mlir::Value placesOf(ir::graph::GatherOp op);
  mlir::Value gatheredTile(mlir::Value value, mlir::Value places, int64_t position, mlir::Location loc);
  mlir::LogicalResult lowerDot(ir::graph::DotOp op, mlir::Value acc, mlir::Value result);
  ir::tile::FragmentType fragmentType(mlir::Value array, mlir::Type element = {});
  ir::tile::FragmentType fragmentType(llvm::ArrayRef<ir::DimAttr> shape, mlir::Type element,
                                      int64_t sliceAxis);
  mlir::Value reoriented(mlir::Value vector, int64_t sliceAxis, mlir::Location loc);
  /// `fragment` with the identity wherever it is wider than its tile along `axis`.
  mlir::Value padded(mlir::Value fragment, int64_t axis, mlir::Value identity, mlir::Location loc);
  bool isPadded(ir::tile::FragmentType type, int64_t axis);
  /// A buffer that the compiler manages, declared at the top of the kernel.
  /// `like`: the location of a value of that shape, for the names of its sizes.
  mlir::Value allocShared(llvm::ArrayRef<ir::DimAttr> shape, mlir::Type element, llvm::StringRef name,
                          mlir::Location loc, mlir::Location like);
  mlir::Value writeToShared(mlir::Value fragment, llvm::StringRef name, mlir::Location loc);
  bool isInSharedAlone(mlir::Value array);

  struct Operand {  // of a dot, in shared memory
    mlir::Value buffer;
    bool transposed = false;
  };
  std::optional<Operand> dotOperand(mlir::Value array, ir::graph::DotOp dot);
  /// What the dot's term makes of two elements or tiles of one shape; `spread`: a scalar as such a value.
  mlir::Value termOf(ir::graph::DotOp dot, mlir::Value a, mlir::Value b, llvm::function_ref<mlir::Value(mlir::Value)> spread);
  mlir::LogicalResult lowerTerms(ir::graph::DotOp op, Operand a, Operand b, mlir::Value acc, mlir::Value result);
  mlir::Value alongK(Operand operand, mlir::Value at, mlir::Value like, int64_t sliceAxis, mlir::Location loc);
  mlir::Value copyToShared(ir::graph::LoadOp load);
  bool isOnlyDotOperand(mlir::Value array);
  bool feedsDot(mlir::Value array);
  bool onlyFeedsDots(mlir::Value array);
  /// The addition to which this dot is the second half, if it can accumulate into the other operand.
  ir::graph::ElementwiseOp accumulation(ir::graph::DotOp dot);

  /// An access without the ranges of extent 1: they are points of the tile.
  struct Access {
    llvm::SmallVector<mlir::Value> offsets;
    llvm::SmallVector<bool> points, inBounds;
    llvm::SmallVector<ir::DimAttr> sizes;
    llvm::SmallVector<int64_t> steps;
  };
  template <class Op> Access accessOf(Op op) {
    Access access;
    for (size_t i = 0; i < op.getOffsets().size(); ++i) {
      ir::DimAttr size = op.getSizes().getDims()[i];
      access.offsets.push_back(values_.lookup(op.getOffsets()[i]));
      access.points.push_back(op.getPoints()[i] || isUnit(size));
      access.inBounds.push_back(op.getInBounds()[i]);
      access.sizes.push_back(size);
      access.steps.push_back(isUnit(size) ? 1 : op.getSteps()[i]);
    }
    return access;
  }
  Access wholeBuffer(ir::SharedType type, mlir::Location loc);
  /// Which indices are proved to be inside; null if none is.
  mlir::DenseBoolArrayAttr proved(llvm::ArrayRef<bool> inBounds);
  ir::DimsAttr dimsAttr(llvm::ArrayRef<ir::DimAttr> dims);

  ir::schedule::KernelOp source_;
  ir::tile::KernelOp target_;
  Layouts layouts_;
  mlir::OpBuilder builder_;
  mlir::IRMapping values_;                           // scalars, memory, and fragments (of long arrays)
  llvm::DenseMap<mlir::Value, mlir::Value> shared_;  // loads that feed dots: their shared buffers
  llvm::DenseMap<mlir::Value, bool> varying_;
  // Elements computed so far, innermost loop last: a value is computed once for an index.
  using ElementKey = std::pair<void *, llvm::SmallVector<void *, 4>>;
  std::vector<std::map<ElementKey, mlir::Value>> elements_;
  bool failed_ = false;  // an element could not be computed; its diagnostic is out
};

/// What is put together and then converted is converted first, so that it goes to its place in shared memory as products read it.
void castBeforeConcat(ir::schedule::KernelOp kernel);  // LowerConcat.cpp

}  // namespace tessera::transforms
