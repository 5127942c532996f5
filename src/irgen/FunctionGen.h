// The body of one function. A construct's file in every phase has the same stem: GenExpr, GenAccess, GenStmt,
// GenHost.
#pragma once
#include "diag/Diagnostic.h"
#include "ir/graph/Graph.h"
#include "irgen/Variables.h"
#include "mlir/IR/Builders.h"
#include "checked/Checked.h"
#include "support/Sources.h"
#include <functional>
#include <map>

namespace tessera::irgen {

namespace graph = ir::graph;
using mlir::Value;

class FunctionGen {
public:
  FunctionGen(const checked::Function &function, const Sources &sources, mlir::OpBuilder &builder,
              diag::Engine &diagnostics);

  /// The operation with its body, at the builder's place.
  mlir::Operation *generate();

private:
  // GenFunction.cpp
  mlir::Operation *createFunction();
  void addKernelAttributes(mlir::OperationState &state);
  mlir::ArrayAttr params();
  mlir::DictionaryAttr consts();
  mlir::ArrayAttr specials();
  mlir::ArrayAttr indices();
  mlir::ArrayAttr outputs();
  mlir::ArrayAttr requirements();
  mlir::DictionaryAttr numerics();
  mlir::DictionaryAttr dictionary(const std::vector<std::pair<std::string, mlir::Attribute>> &entries);
  void finish();
  void addMeshDims(mlir::Operation *function);

  // GenType.cpp
  mlir::Type typeOf(const checked::Type &type, llvm::StringRef swizzle = "");
  mlir::Location place(Span span);
  mlir::Location place(Span span, llvm::StringRef name);
  /// Where an expression's or variable's value is made, with its name and the names of its sizes.
  mlir::Location place(const checked::Expr &expr, llvm::StringRef name);
  mlir::Location place(const checked::Var &var);
  mlir::Attribute constantAttr(const checked::Expr &expr);
  /// The same value as `type` wants it: a scalar as a 0-d array or repeated, another spelling of a shape.
  Value fit(Value value, mlir::Type type, mlir::Location location);

  // GenExpr.cpp
  /// `name`: what the user calls the value; else the expression's own hint.
  Value genExpr(const checked::Expr &expr, llvm::StringRef name = "");
  Value genConstant(const checked::Expr &expr, mlir::Location location);
  Value genElementwise(const checked::Expr &expr, mlir::Location location);
  Value genCast(const checked::Expr &expr, mlir::Location location);
  Value genFlushed(Value value, DType dtype, mlir::Location location);
  Value genBroadcast(const checked::Expr &expr, mlir::Location location);
  Value genTranspose(const checked::Expr &expr, mlir::Location location);
  Value genReduce(const checked::Expr &expr, mlir::Location location);
  Value genScan(const checked::Expr &expr, mlir::Location location);
  Value genWarp(const checked::Expr &expr, mlir::Location location);
  Value genDot(const checked::Expr &expr, mlir::Location location);
  Value genGather(const checked::Expr &expr, mlir::Location location);
  Value genScatterAdd(const checked::Expr &expr, mlir::Location location);
  Value genConcat(const checked::Expr &expr, mlir::Location location);
  Value genTable(const checked::Expr &expr, mlir::Location location);
  Value genIndex(int64_t value);
  Value genDim(const Dim &dim, mlir::Location location);

  // GenAccess.cpp
  struct Groups {
    llvm::SmallVector<Value> offsets;
    llvm::SmallVector<bool> points, inBounds;
    llvm::SmallVector<int64_t> steps;
    llvm::SmallVector<ir::DimAttr> sizes;
    ir::DimsAttr dims(mlir::MLIRContext *context) const { return ir::DimsAttr::get(context, sizes); }
  };
  Groups genGroups(const checked::Access &access);
  void takePart(Groups &groups, const checked::Access &part, mlir::Location location);
  Value genLoad(const checked::Expr &expr, mlir::Location location, const checked::Access *part = nullptr);
  Value genSlice(const checked::Expr &expr, mlir::Location location);
  void genStore(const checked::Stmt &stmt);
  void genAtomic(const checked::Stmt &stmt);
  void genAsyncCopy(const checked::Stmt &stmt);

  // GenStmt.cpp
  void genBlock(Stmts block);
  void genStmt(const checked::Stmt &stmt);
  bool isOwn(Span span) const { return span.valid() && span.file == function_.span.file; }
  void genLet(const checked::Stmt &stmt);
  void genReturn(const checked::Stmt &stmt);

  // GenControl.cpp
  void genFor(const checked::Stmt &stmt);
  void genForWithBreak(const checked::Stmt &stmt);
  void genWhile(const checked::Stmt &stmt);
  void genIf(const checked::Stmt &stmt);
  void genIfLive(Stmts rest);
  void genExit(const checked::Stmt &stmt);
  /// Variables with a value here that the statements rebind.
  VarSet carriedBy(Stmts block);
  VarSet boundInBoth(const checked::Stmt &stmt);
  llvm::SmallVector<Value> valuesOf(const VarSet &vars, mlir::Location location);
  void takeResults(mlir::Operation *op, const VarSet &carried);
  void branch(Value condition, Stmts then, Stmts otherwise, const VarSet &carried, mlir::Location location);
  void whileLoop(const VarSet &carried, mlir::Location location, const std::function<Value()> &condition,
                 const std::function<void()> &body);
  void loopBody(Stmts body);
  Value truth(bool value, mlir::Location location);

  // GenHost.cpp
  bool genHostStmt(const checked::Stmt &stmt);
  Value genHostExpr(const checked::Expr &expr, mlir::Location location);
  llvm::SmallVector<Value> genCall(const checked::Expr &expr, mlir::Location location);
  llvm::SmallVector<Value> genTuple(const checked::Expr &expr);

  bool isHost() const { return function_.kind == checked::FunctionKind::Host; }
  bool isKernel() const { return function_.kind == checked::FunctionKind::Kernel; }

  const checked::Function &function_;
  const Sources &sources_;
  mlir::OpBuilder &builder_;
  diag::Engine &diagnostics_;
  mlir::Region *body_ = nullptr;
  std::map<const checked::Var *, llvm::SmallVector<Value, 1>, ById> values_;  // several: a tuple's items
  std::map<int64_t, Value> indexConstants_;
  VarCounts reads_;
  Span here_;      // in the function's own file: the statement that is being generated
  int depth_ = 0;  // of loops and branches around the statement
  /// A loop that is left early: `running` is false after a break, `live` after a break or continue.
  struct Exits {
    const checked::Var *running, *live;
  };
  const Exits *exits_ = nullptr;  // of the loop around the statement
  bool liveIsRead_ = false;       // something behind the statement, in the same turn of the loop, asks for `live`
};

}  // namespace tessera::irgen
