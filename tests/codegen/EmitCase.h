// Reads a case of tests/codegen/cases and emits it for a target.
#pragma once
#include "codegen/Emit.h"
#include "ir/common/Common.h"
#include "ir/target/Target.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "support/Machine.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace tessera::codegen {

inline std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
inline std::string sourceDir() { return TSR_SOURCE_DIR; }
inline std::string casePath(const std::string &name) { return sourceDir() + "/tests/codegen/cases/" + name + ".mlir"; }

struct Case {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  explicit Case(const std::string &name, const std::string &device = "") {
    context.loadDialect<ir::TsrDialect, ir::target::TargetDialect>();
    module = mlir::parseSourceFile<mlir::ModuleOp>(casePath(name), &context);
    if (!module) return;
    for (Target family : {Target::Cuda, Target::Hip, Target::Cpu})
      if (device == familyName(family)) ir::setMachine(*module, defaultMachine(family));
  }
};

inline EmitOptions optionsFor(const std::string &name) {
  EmitOptions options;
  options.name = name;
  options.program = name + ".tsr";
  options.headerText = [](const std::string &path) { return readText(sourceDir() + "/include/" + path); };
  return options;
}

}  // namespace tessera::codegen
