// The body of one function. A construct's file in every phase has the same stem: GenExpr, GenAccess, GenStmt,
// GenHost.
#pragma once
#include "diag/Diagnostic.h"
#include "ir/graph/Graph.h"
#include "irgen/Variables.h"
#include "mlir/IR/Builders.h"
#include "sema/Checked.h"
#include "support/Sources.h"
#include <functional>
#include <map>

namespace tessera::irgen {

namespace graph = ir::graph;
using mlir::Value;

class FunctionGen {
public:
  FunctionGen(const sema::Function &function, const Sources &sources, mlir::OpBuilder &builder,
              diag::Engine &diagnostics);

  /// The operation with its body, at the builder's place.
  mlir::Operation *generate();

private:
  // GenFunction.cpp
  mlir::Operation *createFunction();
  void addKernelAttributes(mlir::OperationState &state);
  mlir::ArrayAttr params();
  mlir::DictionaryAttr consts();
  mlir::ArrayAttr outputs();
  mlir::ArrayAttr requirements();
  mlir::DictionaryAttr numerics();
  mlir::DictionaryAttr dictionary(const std::vector<std::pair<std::string, mlir::Attribute>> &entries);
  void finish();

  // GenType.cpp
  mlir::Type typeOf(const sema::Type &type, llvm::StringRef swizzle = "");
  mlir::Location place(Span span);
  mlir::Location place(Span span, llvm::StringRef name);
  /// Where an expression's or variable's value is made, with its name and the names of its sizes.
  mlir::Location place(const sema::Expr &expr, llvm::StringRef name);
  mlir::Location place(const sema::Var &var);
  mlir::Attribute constantAttr(const sema::Expr &expr);
  void checkNumerics(const sema::Type &type, Span span);
  /// The same value as `type` wants it: a scalar as a 0-d array or repeated, another spelling of a shape.
  Value fit(Value value, mlir::Type type, mlir::Location location);

  // GenExpr.cpp
  /// `name`: what the user calls the value; else the expression's own hint.
  Value genExpr(const sema::Expr &expr, llvm::StringRef name = "");
  Value genConstant(const sema::Expr &expr, mlir::Location location);
  Value genElementwise(const sema::Expr &expr, mlir::Location location);
  Value genCast(const sema::Expr &expr, mlir::Location location);
  Value genBroadcast(const sema::Expr &expr, mlir::Location location);
  Value genTranspose(const sema::Expr &expr, mlir::Location location);
  Value genReduce(const sema::Expr &expr, mlir::Location location);
  Value genDot(const sema::Expr &expr, mlir::Location location);
  Value genGather(const sema::Expr &expr, mlir::Location location);
  Value genConcat(const sema::Expr &expr, mlir::Location location);
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
  Groups genGroups(const sema::Access &access);
  Value genLoad(const sema::Expr &expr, mlir::Location location);
  Value genSlice(const sema::Expr &expr, mlir::Location location);
  void genStore(const sema::Stmt &stmt);
  void genAsyncCopy(const sema::Stmt &stmt);

  // GenStmt.cpp
  void genBlock(Stmts block);
  void genStmt(const sema::Stmt &stmt);
  bool isOwn(Span span) const { return span.valid() && span.file == function_.span.file; }
  void genLet(const sema::Stmt &stmt);
  void genReturn(const sema::Stmt &stmt);

  // GenControl.cpp
  void genFor(const sema::Stmt &stmt);
  void genForWithBreak(const sema::Stmt &stmt);
  void genWhile(const sema::Stmt &stmt);
  void genIf(const sema::Stmt &stmt);
  void genIfLive(Stmts rest);
  void genExit(const sema::Stmt &stmt);
  /// Variables with a value here that the statements rebind.
  VarSet carriedBy(Stmts block);
  VarSet boundInBoth(const sema::Stmt &stmt);
  llvm::SmallVector<Value> valuesOf(const VarSet &vars, mlir::Location location);
  void takeResults(mlir::Operation *op, const VarSet &carried);
  void branch(Value condition, Stmts then, Stmts otherwise, const VarSet &carried, mlir::Location location);
  void whileLoop(const VarSet &carried, mlir::Location location, const std::function<Value()> &condition,
                 const std::function<void()> &body);
  void loopBody(Stmts body);
  Value truth(bool value, mlir::Location location);

  // GenHost.cpp
  bool genHostStmt(const sema::Stmt &stmt);
  Value genHostExpr(const sema::Expr &expr, mlir::Location location);
  llvm::SmallVector<Value> genCall(const sema::Expr &expr, mlir::Location location);
  llvm::SmallVector<Value> genTuple(const sema::Expr &expr);

  bool isHost() const { return function_.kind == sema::FunctionKind::Host; }
  bool isKernel() const { return function_.kind == sema::FunctionKind::Kernel; }

  const sema::Function &function_;
  const Sources &sources_;
  mlir::OpBuilder &builder_;
  diag::Engine &diagnostics_;
  mlir::Region *body_ = nullptr;
  std::map<const sema::Var *, llvm::SmallVector<Value, 1>, ById> values_;  // several: a tuple's items
  std::map<int64_t, Value> indexConstants_;
  VarCounts reads_;
  Span here_;      // in the function's own file: the statement that is being generated
  int depth_ = 0;  // of loops and branches around the statement
  /// A loop that is left early: `running` is false after a break, `live` after a break or continue.
  struct Exits {
    const sema::Var *running, *live;
  };
  const Exits *exits_ = nullptr;  // of the loop around the statement
  bool liveIsRead_ = false;       // something behind the statement, in the same turn of the loop, asks for `live`
};

}  // namespace tessera::irgen
