// A program in several texts, which compilers take side by side. Kernels stand with the functions that start them, and those are called
// from all parts: a kernel is then launched where it is defined, as its internal linkage asks for.
#include "codegen/Printers.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

/// Lines for which another compiler is started: it reads the headers once more, which takes as long as some hundred lines do.
constexpr size_t kLinesOfPart = 800;

/// Kernels and functions that have to be in one part.
struct Piece {
  std::vector<target::KernelOp> kernels;
  std::vector<Starter> starters;
  std::vector<const EntryFacts *> entries;
  Writer text;
};

void print(Piece &piece, const Language &language, const EmitOptions &options) {
  piece.text = Writer(options.lineDirectives);
  for (target::KernelOp kernel : piece.kernels) printKernel(kernel, language, piece.text);
  for (const Starter &starter : piece.starters) printStarter(starter, StarterForm::Shared, language, piece.text);
  for (const EntryFacts *entry : piece.entries) printEntry(*entry, language, piece.text);
}

/// What starts a kernel is with it, and each function by itself where it starts none.
std::vector<Piece> piecesOf(ModuleOp module, const std::vector<EntryFacts> &entries) {
  std::vector<target::KernelOp> kernels(module.getOps<target::KernelOp>().begin(), module.getOps<target::KernelOp>().end());
  const std::vector<Starter> starters = startersOf(entries);
  const auto firstStarter = static_cast<unsigned>(kernels.size()), firstEntry = firstStarter + static_cast<unsigned>(starters.size());
  llvm::StringMap<unsigned> number;
  for (auto [i, kernel] : llvm::enumerate(kernels)) number[kernel.getSymName()] = static_cast<unsigned>(i);
  llvm::IntEqClasses together(firstEntry + static_cast<unsigned>(entries.size()));
  for (auto [i, starter] : llvm::enumerate(starters))
    for (const std::string &kernel : starter.kernels()) together.join(number.lookup(kernel), firstStarter + static_cast<unsigned>(i));
  for (auto [i, entry] : llvm::enumerate(entries))
    for (target::LaunchOp launch : entry.launches)
      if (!launch->hasAttr("started")) together.join(number.lookup(launch.getKernel()), firstEntry + static_cast<unsigned>(i));
  together.compress();
  std::vector<Piece> pieces(together.getNumClasses());
  for (auto [i, kernel] : llvm::enumerate(kernels)) pieces[together[static_cast<unsigned>(i)]].kernels.push_back(kernel);
  for (auto [i, starter] : llvm::enumerate(starters)) pieces[together[firstStarter + static_cast<unsigned>(i)]].starters.push_back(starter);
  for (auto [i, entry] : llvm::enumerate(entries)) pieces[together[firstEntry + static_cast<unsigned>(i)]].entries.push_back(&entry);
  return pieces;
}

/// The functions of other parts that entry functions of this one call.
void printDeclarations(const std::vector<const Piece *> &part, const Language &language, Writer &writer) {
  std::set<std::string> here, printed;
  for (const Piece *piece : part)
    for (const Starter &starter : piece->starters) here.insert(starter.name());
  for (const Piece *piece : part)
    for (const EntryFacts *entry : piece->entries)
      for (const Starter &starter : startersOf(*entry))
        if (!here.count(starter.name()) && printed.insert(starter.name()).second) printStarter(starter, StarterForm::Declaration, language, writer);
}

}  // namespace

std::vector<Writer> partsOf(ModuleOp module, const std::vector<EntryFacts> &entries, const Language &language, const EmitOptions &options, const Writer &host) {
  std::vector<Piece> pieces = piecesOf(module, entries);
  size_t lines = host.lines().size();
  for (Piece &piece : pieces) {
    print(piece, language, options);
    lines += piece.text.lines().size();
  }
  const size_t count = std::clamp<size_t>(lines / kLinesOfPart, 1, options.mostParts);
  std::vector<std::vector<const Piece *>> parts(count);
  std::vector<size_t> taken(count, 0);
  taken[0] = host.lines().size();
  std::vector<const Piece *> longestFirst;
  for (const Piece &piece : pieces) longestFirst.push_back(&piece);
  llvm::stable_sort(longestFirst, [](const Piece *a, const Piece *b) { return a->text.lines().size() > b->text.lines().size(); });
  for (const Piece *piece : longestFirst) {
    const auto shortest = static_cast<size_t>(std::min_element(taken.begin(), taken.end()) - taken.begin());
    parts[shortest].push_back(piece);
    taken[shortest] += piece->text.lines().size();
  }
  std::vector<Writer> texts;
  for (std::vector<const Piece *> &part : parts) {
    llvm::sort(part);  // in the order of the program
    Writer writer(options.lineDirectives);
    printDeclarations(part, language, writer);
    for (const Piece *piece : part) writer.append(piece->text);
    texts.push_back(std::move(writer));
  }
  if (!host.lines().empty()) texts[0].append(host);
  return texts;
}

}  // namespace tessera::codegen
