// Attention whose heads may have any size, planned for short heads and for others.
//
// Scores are gone over again where a product of one costs less than to store and read it (SweepPlan.cpp). A head of 64 numbers is short
// enough, and a program that says `[B, H, S, E]` does not say that E is 64. So such a function has two forms, each of which is planned
// by itself:
//
//   def f[B, H, S, E](...)                entry f:  if (E <= 128) { the kernels of f }
//                                ->                 else { the kernels of f_deep }
//
// Only where the bound changes the plan, and nothing else of the function depends on what lies in memory before.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/schedule/Forms.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Sweep.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kShortDepth = 128;  // what kernels hold whole

/// Values alone: no loops, calls or states, which would be launched under conditions of their own.
bool isPlain(graph::FuncOp function) {
  for (size_t i = 0; i < function.entry().getTerminator()->getNumOperands(); ++i)
    if (function.output(i).getParam() >= 0) return false;
  return llvm::all_of(function.entry(), [](Operation &op) {
    bool isOther = isa<graph::CallOp, graph::AfterOp, graph::ExchangeOp, graph::TableOp>(op);
    return !isOther && (op.getNumRegions() == 0 || isa<graph::DotOp>(op));
  });
}

void plan(graph::FuncOp function, SymbolTable &symbols) {
  SmallVector<DimAttr> depths = isPlain(function) ? depthsOfSweeps(function) : SmallVector<DimAttr>();
  if (depths.empty()) return;
  MLIRContext *context = function.getContext();
  Builder builder(context);
  SmallVector<Attribute> facts;
  for (DimAttr depth : depths) facts.push_back(RequirementAttr::get(context, depth, Relation::Le, DimAttr::get(context, Dim(kShortDepth)), ""));
  Attribute all = facts.size() == 1 ? facts[0] : builder.getArrayAttr(llvm::to_vector(llvm::concat<const Attribute>(ArrayRef<Attribute>{builder.getStringAttr("and")}, ArrayRef(facts))));
  auto other = cast<graph::FuncOp>(function->clone());
  other.setSymName((function.getSymName() + "_deep").str());
  symbols.insert(other, std::next(function->getIterator()));
  other->setAttr(kWhen, builder.getArrayAttr(negated(all)));
  function->setAttr(kWhen, builder.getArrayAttr(all));
  function->setAttr(kOtherwise, FlatSymbolRefAttr::get(context, other.getSymName()));
  SmallVector<Attribute> known(function.getRequirements().begin(), function.getRequirements().end());
  known.append(facts);
  function.setRequirementsAttr(builder.getArrayAttr(known));
}

struct AskForDepths : PassWrapper<AskForDepths, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AskForDepths)
  StringRef getArgument() const override { return "graph-ask-for-depths"; }
  StringRef getDescription() const override { return "attention with heads of any size, planned for short heads and for others"; }
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<graph::FuncOp>()))
      if (!function->hasAttr(kWhen)) plan(function, symbols);
  }
};

}  // namespace

graph::FuncOp otherFormOf(graph::FuncOp function) {
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(kOtherwise);
  return symbol ? SymbolTable::lookupNearestSymbolFrom<graph::FuncOp>(function, symbol) : graph::FuncOp();
}

bool isOtherForm(graph::FuncOp function) { return function->hasAttr(kWhen) && !function->hasAttr(kOtherwise); }

std::unique_ptr<Pass> createAskForDepthsPass() { return std::make_unique<AskForDepths>(); }

}  // namespace tessera::transforms
