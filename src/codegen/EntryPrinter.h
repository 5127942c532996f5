// Prints an entry function, and the functions that start its kernels.
#pragma once
#include "codegen/Conditions.h"
#include "codegen/DimText.h"
#include "codegen/EntryFacts.h"
#include "codegen/Language.h"
#include "codegen/Printers.h"
#include "codegen/Types.h"
#include "codegen/source/Names.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <set>

namespace tessera::codegen {

class EntryPrinter {
public:
  EntryPrinter(const EntryFacts &facts, const Language &language, Writer &writer)
      : facts_(facts), language_(language), spell_(language.target), writer_(writer) {}
  void print();
  /// The function that starts what is launched here and in other places (`started` of target.launch), with this printer's facts.
  void printStarter(mlir::DictionaryAttr started, StarterForm form);
  /// What a launch says of the function that starts it; null where there is none, or where it starts others before it.
  static mlir::DictionaryAttr startedOf(ir::target::LaunchOp launch) { return launch->getAttrOfType<mlir::DictionaryAttr>("started"); }

private:
  void chooseNames();
  void checks();
  void check(const ParameterFacts &parameter);
  void requirements();
  void specials();
  void sizes();  // NameSizes.cpp
  void temporaries();
  void tables();
  void constants(bool started);
  void launches();
  void start(ir::target::LaunchOp op, mlir::DictionaryAttr started);
  Expr condition(mlir::Attribute when, bool holds = true);
  Expr conditions(mlir::ArrayAttr when);
  void under(mlir::ArrayAttr when);
  void openLoop(mlir::ArrayAttr words);
  void endTurn(mlir::ArrayAttr words);
  /// The conditions before the first loop: what the entry function can ask before it launches anything.
  static mlir::ArrayAttr outside(mlir::ArrayAttr when);
  void launch(ir::target::LaunchOp launch);
  /// Where the elements of a parameter, a temporary or a table are.
  std::string pointerTo(llvm::StringRef tensor, bool readOnly);
  void exchange(ir::target::ExchangeOp op);
  bool addsInSteps(ir::target::ExchangeOp op);
  size_t exchanges(size_t first);
  void launchVariants(ir::target::LaunchOp launch, LaunchText text);
  void launchWithCapacities(ir::target::LaunchOp launch, LaunchText text, ir::target::KernelOp kernel);
  Doc argument(ir::target::ArgumentAttr argument, mlir::BlockArgument passed, mlir::ArrayAttr shape, mlir::ArrayAttr places, mlir::ArrayAttr windows,
               int64_t rows);
  std::string dim(const std::string &text) { return plain(dims_(text)); }
  std::string plain(const Expr &expr) { return expr.doc.lines(0, 1 << 20).front(); }
  ir::target::KernelOp kernelOf(ir::target::LaunchOp launch);
  bool isUsed(const std::string &scalar);
  /// Whether C passes the number in a wider type than the one that is declared.
  bool isNarrow(const ParameterFacts &parameter) const {
    return parameter.scalar() && spell_.abiScalar(parameter.dtype) != spell_.type(parameter.dtype);
  }
  static bool hasCapacities(ir::target::LaunchOp launch) {
    return launch.getCapacitiesAttr() && !launch.getCapacitiesAttr().empty();
  }
  std::string alignmentTest(ir::target::LaunchOp launch);
  static mlir::ArrayAttr whenOf(mlir::Operation *op) { return op->getAttrOfType<mlir::ArrayAttr>("when"); }
  void stopIfDone() { writer_.line("if (" + call_ + ".done()) return " + call_ + ".status();"); }
  void stopIfFailed() {
    if (starts_) return writer_.line("if (" + call_ + ".failed()) return;");
    writer_.line("if (" + call_ + ".failed()) return " + call_ + ".status();");
  }

  const EntryFacts &facts_;
  const Language &language_;
  Spelling spell_;
  Writer &writer_;
  Names names_;
  bool starts_ = false;  // prints a function for launches, which returns nothing: groups() is 0 after a failure
  std::map<size_t, std::string> numbers_;  // in such a function, by the places of the arguments
  DimText dims_;
  std::string call_, stream_, groups_, clusters_, cluster_, count_, block_, start_, kernelName_, sharedBytes_, rowsAligned_, together_;
  std::map<std::string, std::string> dimNames_, temporaryNames_;
  std::map<std::string, std::string> tileNames_;  // of views with maps, by the kernel's name of the tensor
  std::set<std::string> declared_;  // integers of loops
  /// A condition or loop around the line that is written.
  struct Around {
    mlir::Attribute part;
    bool isBlock;   // of the text: what follows from an `else` is none, and neither is a line
    size_t choice;  // the level at which the chain begins that it belongs to
    llvm::SmallVector<Literal> asked;  // of a block of a chain, the conditions up to its own; none of an `else`, behind which nothing comes
  };
  std::optional<size_t> choiceThatGives(Literal asked) const;
  size_t sharedWith(llvm::ArrayRef<mlir::Attribute> wanted) const;
  llvm::SmallVector<Literal> chainAt(size_t level) const;
  void closeTo(size_t level, bool otherwise);
  llvm::SmallVector<Around> open_;
};

}  // namespace tessera::codegen
