#include "irgen/Irgen.h"
#include "irgen/FunctionGen.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "support/Check.h"

namespace tessera::irgen {
using namespace mlir;

void registerDialects(DialectRegistry &registry) {
  registry.insert<scf::SCFDialect, ir::TsrDialect, graph::GraphDialect>();
}

/// What irgen makes is right or irgen is wrong: nothing of it is the user's mistake.
static void checkVerifies(ModuleOp module) {
  std::string messages;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return success();
  });
  bool verifies = succeeded(verify(module));
  TSR_CHECK(verifies, "the generated Graph IR is wrong: " + messages);
}

OwningOpRef<ModuleOp> generate(const checked::Program &program, const Sources &sources, MLIRContext &context,
                               llvm::function_ref<diag::Engine *(const checked::Function &)> engineOf, bool &complete) {
  context.loadDialect<scf::SCFDialect, ir::TsrDialect, graph::GraphDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder(&context);
  complete = true;
  for (const auto &function : program.functions) {
    diag::Engine *diagnostics = engineOf(*function);
    complete &= diagnostics != nullptr;
    if (!diagnostics) continue;
    size_t errors = diagnostics->errorCount();
    builder.setInsertionPointToEnd(module->getBody());
    Operation *op = FunctionGen(*function, sources, builder, *diagnostics).generate();
    if (diagnostics->errorCount() == errors) continue;
    op->erase();
    complete = false;
  }
  if (complete) checkVerifies(*module);
  return module;
}

OwningOpRef<ModuleOp> generate(const checked::Program &program, const Sources &sources, MLIRContext &context,
                               diag::Engine &diagnostics) {
  bool complete = true;
  return generate(program, sources, context, [&](const checked::Function &) { return &diagnostics; }, complete);
}

}  // namespace tessera::irgen
