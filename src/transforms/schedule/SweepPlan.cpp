// Which results go over scores again, and the scores that they read as columns.
#include "ir/common/Names.h"
#include "ir/graph/Terms.h"
#include "llvm/ADT/SetVector.h"
#include "transforms/schedule/Contract.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/LogSums.h"
#include "transforms/schedule/Shapes.h"
#include "transforms/schedule/Sweep.h"
#include "transforms/schedule/Turn.h"
#include "transforms/schedule/Unused.h"
#include "transforms/schedule/WalkBack.h"
#include <map>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

/// Products deeper than this cost more to compute again than to store and read: 2 * 256 operations against 8 bytes.
constexpr int64_t kMostDepth = 256;
constexpr size_t kFewestAxes = 3;  // of products of heads, whose depth is taken to be short where nothing says how long it is

bool isByElement(Operation *op) { return isa_and_nonnull<graph::ElementwiseOp, graph::CastOp>(op); }

/// What weights are made of, element by element: the products, and all that lies between.
class Body {
public:
  explicit Body(Value weights) : weights_(weights) { gather(weights); }

  SmallVector<graph::DotOp> products;
  llvm::SetVector<Operation *> ops;

private:
  void gather(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isMadeOfProducts(value) || !ops.insert(op)) return;
    if (auto dot = dyn_cast<graph::DotOp>(op)) return products.push_back(dot);
    for (Value operand : op->getOperands()) gather(operand);
  }
  bool isMadeOfProducts(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != weights_.getParentBlock() || !isa<TensorType>(value.getType())) return false;
    if (isa<graph::DotOp>(op)) return true;
    if (!isByElement(op)) return false;
    if (auto known = isMade_.find(op); known != isMade_.end()) return known->second;
    bool isMade = llvm::any_of(op->getOperands(), [&](Value operand) { return isMadeOfProducts(operand); });
    return isMade_[op] = isMade;
  }

  Value weights_;
  llvm::DenseMap<Operation *, bool> isMade_;
};

/// The derivative by a bias that batches share: a sum of scores of several products.
bool addsBatches(graph::ReduceOp reduce) {
  auto rank = static_cast<int64_t>(shapeOf(reduce.getOperand().getType()).size());
  return reduce.getMnemonic() == "sum" && !reduce.getAxes().empty() && llvm::all_of(reduce.getAxes(), [&](int64_t axis) { return axis < rank - 2; });
}

/// Whether what is made of the result leaves in 16 bits alone.
bool leavesNarrow(Operation *op) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
    auto cast = dyn_cast<graph::CastOp>(user);
    return cast && isa<FloatType>(elementTypeOf(cast.getType())) && elementTypeOf(cast.getType()).getIntOrFloatBitWidth() <= 16;
  });
}

/// A product or a reduction that goes over scores.
struct Consumer {
  Operation *op;
  Value weights;                           // what the scores become, element by element
  bool isRight = false, isTurned = false;  // of a product: its right operand; read as columns
  bool keepsRows = false, isKept = false;  // a chain that stores what it knows of rows; a reduction that it stores
  SmallVector<graph::DotOp> inner;
  llvm::SetVector<Operation *> body;
  SmallVector<DimAttr> shorts = {};  // extents that must be short
};

class Planner {
public:
  explicit Planner(graph::FuncOp function) : function_(function) {}

  /// Whether anything was marked.
  bool run() {
    findAll();
    for (Consumer &consumer : consumers_) nameRows(consumer.op);
    keepRows();
    for (Consumer &consumer : consumers_) takeLogSums(consumer);
    for (Consumer &consumer : consumers_) takeRows(consumer);
    for (Consumer &consumer : consumers_) mark(consumer);
    return !consumers_.empty();
  }

  /// The dimensions that would have to be short for scores to be gone over again.
  SmallVector<DimAttr> depthsToBound() {
    assumesShort_ = true;
    findAll();
    llvm::SetVector<DimAttr> depths;
    for (const Consumer &consumer : consumers_)
      for (DimAttr extent : consumer.shorts)
        if (!greatestOf(extent)) depths.insert(extent);
    return depths.takeVector();
  }

private:
  void findAll() {
    function_.walk([&](Operation *op) {
      if (auto reduce = dyn_cast<graph::ReduceOp>(op)) find(reduce);
      if (auto dot = dyn_cast<graph::DotOp>(op)) find(dot);
    });
    for (bool dropped = true; dropped;) {
      size_t before = consumers_.size();
      llvm::erase_if(consumers_, [&](const Consumer &consumer) { return !isClosed(consumer); });
      llvm::erase_if(consumers_, [&](const Consumer &consumer) { return !isWorthWhile(consumer); });
      dropped = consumers_.size() < before;
    }
  }

  void find(graph::ReduceOp reduce) {
    int64_t last = static_cast<int64_t>(shapeOf(reduce.getOperand().getType()).size()) - 1;
    bool isKnown = reduce.getMnemonic() == "sum" || reduce.getMnemonic() == "max";
    bool isAlongRows = last > 0 && reduce.getAxes() == ArrayRef(last);
    if (isKnown && (isAlongRows || addsBatches(reduce)) && isa<FloatType>(elementTypeOf(reduce.getType())))
      consider({reduce, reduce.getOperand(), false, false, false, false, {}, {}});
  }

  /// Of a product, the side of the weights is gone over, and the extent of the other is held whole.
  void find(graph::DotOp dot) {
    if (!hasTiles(dot) || dot.hasTerm() || chainOf(dot)) return;
    ArrayRef<DimAttr> shape = dot.getType().getShape();
    for (bool isRight : {false, true}) {
      Operation *turn = dot->getOperand(isRight).getDefiningOp();
      bool isTurned = isTurn(turn);
      Value weights = isTurned ? turn->getOperand(0) : dot->getOperand(isRight);
      DimAttr held = isRight ? shape[shape.size() - 2] : shape.back();
      if (!isShort(held, shape.size())) continue;
      Consumer consumer{dot, weights, isRight, isTurned != isRight, false, false, {}, {}, {held}};
      if (isTurned) consumer.body.insert(turn);
      if (consider(std::move(consumer))) return;
    }
  }

  bool consider(Consumer consumer) {
    Body body(consumer.weights);
    bool isKnown = !body.products.empty() && body.products.size() <= kMostInner && llvm::all_of(body.products, [&](graph::DotOp dot) {
      return hasTiles(dot) && !summedWindows(dot) && !dot.hasTerm() && isShort(depthOf(dot), shapeOf(dot.getType()).size());
    });
    if (!isKnown || consumer.weights.getParentBlock() != consumer.op->getBlock()) return false;
    for (graph::DotOp dot : body.products) consumer.shorts.push_back(depthOf(dot));
    consumer.inner = std::move(body.products);
    consumer.body.insert(body.ops.begin(), body.ops.end());
    consumers_.push_back(std::move(consumer));
    return true;
  }

  static DimAttr depthOf(graph::DotOp dot) { return shapeOf(dot.getLhs().getType()).back(); }

  std::optional<int64_t> greatestOf(DimAttr extent) {
    Dim dim = extent.getDim();
    return dim.isConstant() ? dim.constant() : dim.isVar() ? transforms::greatestOf(dim.varName(), function_.getRequirements()) : std::nullopt;
  }

  /// `axes`: of the product.
  bool isShort(DimAttr extent, size_t axes) {
    std::optional<int64_t> most = greatestOf(extent);
    return most ? *most <= kMostDepth : assumesShort_ && axes >= kFewestAxes && extent.getDim().isVar();
  }

  /// Nothing else needs what the kernel does not store.
  bool isClosed(const Consumer &consumer) {
    return llvm::all_of(consumer.body, [&](Operation *op) {
      return llvm::all_of(op->getUsers(), [&](Operation *user) {
        return llvm::any_of(consumers_, [&](const Consumer &other) { return other.op == user || other.body.contains(user); });
      });
    });
  }

  /// Scores that nothing adds up or compares along rows are read once for each product, as others are; those that no product
  /// reads have few rows' worth of work.
  bool isWorthWhile(const Consumer &consumer) {
    bool isReduced = false, isMultiplied = false;
    for (const Consumer &other : consumers_) {
      if (llvm::none_of(other.inner, [&](graph::DotOp dot) { return llvm::is_contained(consumer.inner, dot); })) continue;
      auto reduce = dyn_cast<graph::ReduceOp>(other.op);
      if (!reduce || !addsBatches(reduce)) (reduce ? isReduced : isMultiplied) = true;
    }
    return isReduced && isMultiplied;
  }

  /// A softmax's product knows the largest scores and the sums at its end: no other kernel has to find them.
  void keepRows() {
    for (Consumer &consumer : consumers_) {
      auto dot = dyn_cast<graph::DotOp>(consumer.op);
      std::optional<Chain> chain = dot && !consumer.isTurned && !consumer.isRight ? chainOf(dot, /*open=*/true) : std::nullopt;
      if (!chain) continue;
      SmallVector<Value> rows = chain->rows();
      auto isOurs = [&](Value value) {
        return llvm::any_of(consumers_, [&](const Consumer &other) { return other.op == value.getDefiningOp() && !other.isKept; });
      };
      if (!llvm::all_of(rows, isOurs)) continue;
      consumer.keepsRows = true;
      for (Consumer &other : consumers_) other.isKept |= llvm::is_contained(rows, other.op->getResult(0));
    }
  }

  // ---- what is known of each row: read for every tile

  /// What is stored has a name: the program's, under whatever shape, or what it is.
  static void nameRows(Operation *op) {
    auto reduce = dyn_cast<graph::ReduceOp>(op);
    if (!reduce || addsBatches(reduce) || !nameHint(reduce.getResult()).empty()) return;
    StringRef name = reduce.getMnemonic() == "max" ? "largest" : "row_sum";
    for (Operation *user : reduce->getUsers())
      if (isa<graph::BroadcastOp, graph::ReshapeOp>(user) && !nameHint(user->getResult(0)).empty()) name = nameHint(user->getResult(0));
    reduce->setLoc(named(name, reduce.getLoc()));
  }
  static StringRef nameUnder(Value rows) {
    StringRef name;
    walkBack(rows, [&](Value value) {
      if (name.empty()) name = nameHint(value);
      return name.empty() && value.getDefiningOp() && !isa<graph::DotOp>(value.getDefiningOp());
    });
    return name;
  }

  /// Weights that products take rounded to 16 bits, or sums of them that leave so, are made of one number of each row. A chain has to see
  /// its softmax.
  void takeLogSums(Consumer &consumer) {
    auto reduce = dyn_cast<graph::ReduceOp>(consumer.op);
    if (consumer.keepsRows || consumer.isKept || (reduce && !addsBatches(reduce)) || !elementTypeOf(consumer.weights.getType()).isIntOrFloat()) return;
    if (reduce ? !leavesNarrow(reduce) : elementTypeOf(consumer.weights.getType()).getIntOrFloatBitWidth() > 16) return;
    Value weights = logSums_.rewritten(consumer.weights);
    if (weights == consumer.weights) return;
    consumer.weights = weights;
    consumer.body = Body(weights).ops;
  }

  /// Vectors of rows without axes of one element, and their reciprocals where elements are divided by them.
  void takeRows(const Consumer &consumer) {
    SmallVector<Operation *> divided;
    for (Operation *op : consumer.body) {
      for (OpOperand &operand : op->getOpOperands()) {
        auto spread = operand.get().getDefiningOp<graph::BroadcastOp>();
        if (!spread || !isByElement(op) || longAxes(spread.getOperand().getType()).empty()) continue;
        auto element = dyn_cast<graph::ElementwiseOp>(op);
        bool divides = element && element.getMnemonic() == "div" && operand.getOperandNumber() == 1 && longShape(spread.getOperand().getType()) != longShape(spread.getType());
        if (divides) divided.push_back(op);
        operand.set(squeezed(spread, divides));
      }
    }
    for (Operation *op : divided) op->setAttr("mnemonic", builder_.getStringAttr("mul"));
  }

  Value squeezed(graph::BroadcastOp spread, bool inverted) {
    Value &known = squeezed_[{spread, inverted}];
    if (known) return known;
    builder_.setInsertionPoint(spread);
    Location line = unnamed(spread.getLoc());
    Value rows = spread.getOperand();
    SmallVector<int64_t> axes;
    SmallVector<DimAttr> shape;
    for (auto [axis, extent] : llvm::zip(spread.getAxes(), shapeOf(rows.getType())))
      if (!isUnit(extent)) axes.push_back(axis), shape.push_back(extent);
    if (inverted) {
      TypedAttr one = builder_.getFloatAttr(elementTypeOf(rows.getType()), 1.0);
      Value ones = builder_.create<graph::FullOp>(line, rows.getType(), builder_.create<graph::ConstantOp>(line, one.getType(), one).getResult());
      rows = builder_.create<graph::ElementwiseOp>(named("reciprocal", line), rows.getType(), "div", ValueRange{ones, rows});
    }
    Type type = TensorType::get(builder_.getContext(), shape, elementTypeOf(rows.getType()));
    if (rows.getDefiningOp() && nameHint(rows).empty()) rows.setLoc(named(nameUnder(rows), rows.getLoc()));
    if (type != rows.getType()) rows = builder_.create<graph::ReshapeOp>(rows.getLoc(), type, rows);
    return known = builder_.create<graph::BroadcastOp>(spread.getLoc(), spread.getType(), rows, axes);
  }

  /// Who reads a product turned, maybe rounded before, reads what is computed so.
  void readTurned(Value product, Value turned) {
    for (Operation *user : llvm::make_early_inc_range(product.getUsers())) {
      auto cast = dyn_cast<graph::CastOp>(user);
      if (isTurn(user)) user->getResult(0).replaceAllUsesWith(turned);
      if (!cast || llvm::none_of(cast->getUsers(), isTurn)) continue;
      OpBuilder::InsertionGuard guard(builder_);
      builder_.setInsertionPoint(cast);
      auto rounded = llvm::cast<graph::CastOp>(builder_.clone(*cast));
      rounded->setOperand(0, turned);
      rounded.getResult().setType(llvm::cast<TensorType>(withElementType(turned.getType(), elementTypeOf(cast.getType()))));
      readTurned(cast.getResult(), rounded.getResult());
    }
  }

  void mark(Consumer &consumer) {
    if (consumer.isKept) return;
    if (consumer.keepsRows) return consumer.op->setAttr(kKeepsRows, builder_.getUnitAttr());
    builder_.setInsertionPoint(consumer.op);
    Value weights = consumer.isTurned ? turner_.turned(consumer.weights) : consumer.weights;
    Operation *marked = consumer.op;
    if (consumer.isRight) {
      auto dot = cast<graph::DotOp>(consumer.op);
      auto other = addedUpAs(dot, builder_.create<graph::DotOp>(dot.getLoc(), turnedType(dot.getType()), weights, turner_.transposed(dot.getLhs())));
      readTurned(dot.getResult(), other.getResult());
      dot.getResult().replaceAllUsesWith(turner_.transposed(other.getResult()));
      marked = other;
    } else {
      consumer.op->setOperand(0, weights);
    }
    marked->setAttr(kSweep, builder_.getUnitAttr());
  }

  graph::FuncOp function_;
  OpBuilder builder_{function_.getContext()};
  Turner turner_{builder_};
  LogSums logSums_{function_.getContext()};
  bool assumesShort_ = false;
  std::vector<Consumer> consumers_;
  std::map<std::pair<Operation *, bool>, Value> squeezed_;
};

}  // namespace

SmallVector<DimAttr> depthsOfSweeps(graph::FuncOp function) {
  const Machine *machine = machineOf(function);
  if (!machine || machine->family == Target::Cpu) return {};
  return Planner(function).depthsToBound();
}

void planSweeps(graph::FuncOp function) {
  const Machine *machine = machineOf(function);
  if (!machine || machine->family == Target::Cpu) return;  // its caches hold scores that its products are slow to make again
  if (Planner(function).run()) eraseUnused(function);  // equal values stay apart: a query turned is a key, which has another name
}

Chain sweepOf(Operation *marked) {
  Chain chain;
  chain.outer = dyn_cast<graph::DotOp>(marked);
  chain.reduce = dyn_cast<graph::ReduceOp>(marked);
  chain.addsBatches = chain.reduce && addsBatches(chain.reduce);
  Body body(chain.weights());
  chain.inner = body.products;
  chain.body = std::move(body.ops);
  return chain;
}

}  // namespace tessera::transforms
