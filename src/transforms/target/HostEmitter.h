// Host functions as statements of C++ against the host runtime: values in Host.cpp, control flow in HostControl.cpp.
#pragma once
#include "ir/graph/Graph.h"
#include "ir/graph/HostCalls.h"
#include "ir/target/Target.h"
#include "ir/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/Check.h"
#include "transforms/target/Expr.h"
#include "transforms/target/Names.h"

namespace tessera::transforms::totarget {

/// One function of host code.
class HostEmitter {
public:
  HostEmitter(ir::tile::HostFuncOp function, mlir::OpBuilder &builder)
      : function_(function), builder_(builder), context_(builder.getContext()) {}
  mlir::LogicalResult run();

private:
  using Block = mlir::Block;
  using ExprList = llvm::SmallVector<ExprRef>;
  using Location = mlir::Location;
  using LogicalResult = mlir::LogicalResult;
  using Operation = mlir::Operation;
  using Type = mlir::Type;
  using Value = mlir::Value;

  /// Where the results of a condition go (nothing for those that both sides hand on), and the side they start as.
  struct Choice {
    ExprList targets;
    llvm::SmallVector<Block *> start;
  };
  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation &op);
  LogicalResult emitValue(Operation &op);
  LogicalResult emitFormat(ir::graph::FormatOp op);
  LogicalResult emitCall(ir::graph::CallOp op);
  /// `x[i, 2:5] = value`: into the variable of x, where nothing asks for what that held before.
  void emitStore(ir::graph::HostCallOp op);
  LogicalResult emitFor(mlir::scf::ForOp op);
  LogicalResult emitIf(mlir::scf::IfOp op);
  LogicalResult emitWhile(mlir::scf::WhileOp op);
  Type typeOf(Type type);
  ExprRef get(Value value) {
    ExprRef bound = bound_.lookup(value);
    TSR_CHECK(bound, "a host value is used before it is emitted");
    return bound;
  }
  void define(Value value, const ExprRef &expr);
  ExprRef declare(llvm::StringRef hint, Type type, const ExprRef &init, bool isConst, Location place);
  void statement(const ExprRef &call, Location place) {
    builder_.create<ir::target::ExpressionOp>(place, write(builder_, place, call));
  }
  void copyInto(mlir::ValueRange values, llvm::ArrayRef<ExprRef> targets, Location place);
  ExprRef startOf(Operation &loop, Value init, mlir::BlockArgument argument);
  /// Where to write a value that its block hands on to a loop's variable, if nobody still needs the old one.
  ExprRef handedOnTo(Value value);
  bool isNeededBehind(Operation *op, const ExprRef &variable);
  ExprRef changedBy(mlir::scf::IfOp op, const ExprRef &start);
  bool foldsWhole(Block &block);
  bool isShortCircuit(mlir::scf::IfOp op);
  Choice declareResults(mlir::scf::IfOp op);
  bool isDone(Block *side, const Choice &choice);
  Type named(llvm::StringRef text) { return ir::target::NamedType::get(context_, text); }
  Type text() { return named("std::string"); }
  Type none() { return mlir::NoneType::get(context_); }

  ir::tile::HostFuncOp function_;
  mlir::OpBuilder &builder_;
  mlir::MLIRContext *context_;
  NameTable names_;
  llvm::DenseMap<Value, ExprRef> bound_;
  /// Of the body of a loop, and of what a condition chooses: the variables that the values at its end go to.
  llvm::DenseMap<Block *, ExprList> targets_;
  /// Values that are written where they are used, and look at a tensor there.
  llvm::DenseSet<Value> looks_;
};

}  // namespace tessera::transforms::totarget
