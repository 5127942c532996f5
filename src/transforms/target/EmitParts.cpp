// Rows that are combined in parts, on the CPU (include/tessera/device/cpu/parts.h).
#include "ir/common/Names.h"
#include "transforms/target/KernelScope.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

constexpr int64_t kParts = 64;  // four of the widest vectors: as many as an addition takes cycles

/// Declares parts for what a loop over a row combines, where the row is worth it: one whose elements take long and are kept.
/// A vector alone would wait for itself in each turn.
ExprRef KernelEmitter::declareParts(scf::ForOp op, ArrayRef<Storage *> carried) {
  bool isKept = !kernel_.getBody().front().getOps<tile::NewRowOp>().empty();
  if (carried.size() != 1 || !isKept || !isWholeRow(op)) return nullptr;
  SmallVector<StringRef> with = combiners(op, carried);
  Storage &whole = *carried.front();
  if (with.empty() || !isa<FloatType>(whole.type)) return nullptr;
  StringRef combine = llvm::StringSwitch<StringRef>(with.front()).Case("+", "tsr::Sum").Case("*", "tsr::Prod").Default(with.front());
  if (!op.getBody()->getOps<tile::KeepOp>().empty())  // it asks for the next row, which depends on what is written
    for (auto later : kernel_.getBody().front().getOps<scf::ForOp>())
      if (SmallVector<tile::StoreElementOp> lines = storesOfRow(later); !lines.empty() && !streamed_) declareStreaming(lines.front());
  std::string name = whole.place->value.getDefiningOp<out::VariableOp>().getName().str() + "_parts";
  std::string type = ("tsr::Parts<" + combine + ", ").str() + dtypeText(whole.type) + ", " + std::to_string(kParts) + ">";
  return declare(names_.fresh(name), out::NamedType::get(context_, type), "direct", {}, false, ir::unnamed(op.getLoc()));
}

/// Opens a loop over as many elements of a row as there are parts, and gives the limits of the one over each. The next group's
/// row is asked for where an element takes long: memory is idle there.
std::pair<ExprRef, ExprRef> KernelEmitter::openParts(scf::ForOp op, const std::string &counter, ExprRef count) {
  ExprRef from = valueOf(openLoop(names_.fresh(counter + "0"), typed(0), count, kParts, false, false, 0));
  if (streaming_ && !op.getBody()->getOps<tile::KeepOp>().empty()) readAhead(from, kParts);
  return {from, endOf(from, kParts, count)};
}

}  // namespace tessera::transforms::totarget
