// Rows that are combined in parts, on the CPU (include/tessera/device/cpu/parts.h).
#include "ir/common/Names.h"
#include "transforms/target/cpu/Loops.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

constexpr int64_t kParts = 64;  // four of the widest vectors: as many as an addition takes cycles

ExprRef declareParts(Emission &em, scf::ForOp op, ArrayRef<Storage *> carried) {
  bool isKept = !em.kernel.getBody().front().getOps<tile::NewRowOp>().empty();
  if (carried.size() != 1 || !isKept || !isWholeRow(em, op)) return nullptr;
  SmallVector<StringRef> with = combiners(em, op, carried);
  Storage &whole = *carried.front();
  if (with.empty() || !isa<FloatType>(whole.type)) return nullptr;
  StringRef combine =
      llvm::StringSwitch<StringRef>(with.front()).Case("+", "tsr::Sum").Case("*", "tsr::Prod").Default(with.front());
  if (!op.getBody()->getOps<tile::KeepOp>().empty())  // it asks for the next row, which depends on what is written
    for (auto later : em.kernel.getBody().front().getOps<scf::ForOp>())
      if (SmallVector<tile::StoreElementOp> lines = storesOfRow(em, later); !lines.empty() && !em.streams->array)
        declareStreaming(em, lines.front());
  std::string name = whole.place->value.getDefiningOp<out::VariableOp>().getName().str() + "_parts";
  std::string type =
      ("tsr::Parts<" + combine + ", ").str() + dtypeText(em, whole.type) + ", " + std::to_string(kParts) + ">";
  return declare(em, em.names.fresh(name), out::NamedType::get(em.context, type), "direct", {}, false,
                 ir::unnamed(op.getLoc()));
}

std::pair<ExprRef, ExprRef> openParts(Emission &em, scf::ForOp op, const std::string &counter, ExprRef count) {
  ExprRef from = valueOf(openLoop(em, em.names.fresh(counter + "0"), em.typed(0), count, kParts, false, false, 0));
  if (em.streams->streaming && !op.getBody()->getOps<tile::KeepOp>().empty()) readAhead(em, from, kParts);
  return {from, endOf(em, from, kParts, count)};
}

}  // namespace tessera::transforms::totarget
