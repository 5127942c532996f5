// The parts of an emitted source, one function each.
#pragma once
#include "codegen/Emit.h"
#include "codegen/EntryFacts.h"
#include "codegen/Language.h"
#include "support/Machine.h"
#include <functional>
#include <map>
#include <set>

namespace tessera::codegen {

/// Stands for the set number until all files are there: the first such digits behind these words.
inline constexpr const char *kNoSet = "0000000000000000", *kSetComment = "Set ", *kSetMacro = "TESS_SET(";

void printKernel(ir::target::KernelOp kernel, const Language &language, Writer &writer);
/// The kernel of a launch as the text names it: with the arguments of its template, where it has several forms.
std::string kernelText(ir::target::LaunchOp launch);
/// A function that starts kernels, for launches of one entry function or more (ShareLaunches.cpp).
struct Starter {
  const EntryFacts *entry;  // one of those that call it
  size_t first;             // of its launches there
  std::string name() const;
  std::vector<std::string> kernels() const;
};
/// In the order in which the entry function calls them, each once; those that others call, too, are among them.
std::vector<Starter> startersOf(const EntryFacts &entry);
/// Those of all entry functions, each once.
std::vector<Starter> startersOf(const std::vector<EntryFacts> &entries);
enum class StarterForm {
  Static,       // for calls from its own file
  Shared,       // for calls from other parts, too
  Declaration,  // in those
};
void printStarter(const Starter &starter, StarterForm form, const Language &language, Writer &writer);
void printEntry(const EntryFacts &facts, const Language &language, Writer &writer);
/// All host functions, with a wrapper for each entry function that they call. `checks`: of EmitOptions.
void printHost(mlir::ModuleOp module, const std::vector<EntryFacts> &entries, const Language &language, HostChecks checks,
               Writer &writer);

/// All functions and kernels in at most `options.mostParts` texts, as many as their length is worth; `host`, the host code, in the first.
std::vector<Writer> partsOf(mlir::ModuleOp module, const std::vector<EntryFacts> &entries, const Language &language, const EmitOptions &options,
                            const Writer &host);

std::string headerText(const std::vector<EntryFacts> &entries, const std::string &name,
                       const std::string &program, const std::string &includes);
/// The C++ interface: views of tensors, statuses as exceptions. `includes`: of tessera/tensor.h, or its text.
std::string cppHeaderText(const std::vector<EntryFacts> &entries, const EmitOptions &options, const std::string &includes);
/// "kernels::cuda_sm_90a": where the code for one target of a dispatch is.
std::string dispatchedNamespace(const std::string &nameSpace, const std::string &target);
/// Functions that call the code for the target on which their arguments are.
void printDispatch(const std::vector<EntryFacts> &entries, const EmitOptions &options, Writer &writer);
struct ManifestFacts {
  std::string name, program;
  const Machine *machine;
  const Language *language;
  std::map<std::string, std::string> tools;
  std::vector<std::string> features;
  std::vector<std::pair<std::string, std::string>> leftOut;  // EmitOptions
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
