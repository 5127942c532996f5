// Prints the body of one function: expressions fold into the statements that use them.
#pragma once
#include "codegen/Language.h"
#include "codegen/Types.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>

namespace tessera::codegen {

/// Where an operation stands in the program.
std::optional<Place> placeOf(mlir::Operation *op);
/// Every identifier in the texts of an operation and what it holds: names, types, constants.
llvm::StringSet<> mentioned(mlir::Operation *op);
void collectIdentifiers(llvm::StringRef text, llvm::StringSet<> &names);

/// Bytes to which the program wants a buffer in shared memory aligned; 0: it does not say.
int64_t alignmentOf(mlir::Operation *shared);
/// `alignas(64) `, or nothing for 0.
std::string alignmentText(int64_t bytes);

class FunctionPrinter {
public:
  FunctionPrinter(const Language &language, Writer &writer)
      : language_(language), spell_(language.target), writer_(writer) {}

  void bind(mlir::Value value, const std::string &name) { names_[value] = name; }
  /// Names that something mentions; constants and aliases outside of it are not printed. Null: all are.
  void setMentioned(const llvm::StringSet<> *names) { mentioned_ = names; }
  /// Prints a call of an entry function in host code: set by the host printer.
  void setEntryCall(std::function<void(mlir::Operation *)> print) { entryCall_ = std::move(print); }

  Expr expr(mlir::Value value);
  void statements(mlir::Block &block) { statements(block.begin(), block.end()); }
  void statements(mlir::Block::iterator at, mlir::Block::iterator end);
  const Spelling &spell() const { return spell_; }
  static bool isExpression(mlir::Operation *op);

private:
  Expr operation(mlir::Operation *op);
  Expr call(mlir::Operation *op);
  std::vector<Expr> exprs(mlir::OperandRange operands);

  void statement(mlir::Operation *op);
  void constants(mlir::Block::iterator &at, mlir::Block::iterator end);
  void variable(mlir::Operation *op);
  void forLoop(mlir::Operation *op);
  void ifStatement(mlir::Operation *op);
  static bool isTry(mlir::Operation *op);
  void tryStatement(mlir::Operation *op);
  void returnStatement(mlir::Operation *op);
  void body(mlir::Block &block, llvm::StringRef end = "}");

  const Language &language_;
  Spelling spell_;
  Writer &writer_;
  llvm::DenseMap<mlir::Value, std::string> names_;
  const llvm::StringSet<> *mentioned_ = nullptr;
  std::function<void(mlir::Operation *)> entryCall_;
};

}  // namespace tessera::codegen
