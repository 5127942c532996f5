// The parts of an emitted source, one function each.
#pragma once
#include "codegen/EntryFacts.h"
#include "codegen/Language.h"
#include <functional>
#include <map>
#include <set>

namespace tessera::codegen {

void printKernel(ir::target::KernelOp kernel, const Language &language, Writer &writer);
void printEntry(const EntryFacts &facts, const Language &language, Writer &writer);
/// All host functions, with a wrapper for each entry function that they call.
void printHost(mlir::ModuleOp module, const std::vector<EntryFacts> &entries, const Language &language,
               Writer &writer);
/// `TessStatus f(const TessTensor *x, TessTensor *result, float alpha, TessStream stream)`
std::string entryDeclaration(const EntryFacts &facts);

std::string headerText(const std::vector<EntryFacts> &entries, const std::string &name,
                       const std::string &program, const std::string &includes);
struct ManifestFacts {
  std::string name, program, arch;
  const Language *language;
  std::map<std::string, std::string> tools;
  std::vector<std::string> features;
};
std::string manifestText(mlir::ModuleOp module, const std::vector<EntryFacts> &entries,
                         const ManifestFacts &facts);

/// Features.def: what `text` makes use of.
std::vector<std::string> featuresOf(const std::string &text, Target target);
/// The headers that `text` needs, in the order in which they are included.
std::vector<std::string> headersFor(const std::string &text);
/// `roots` and what they include, pasted in the order of their dependencies; each once.
std::string pastedHeaders(const std::vector<std::string> &roots,
                          const std::function<std::string(const std::string &)> &headerText);

}  // namespace tessera::codegen
