// What the manifest says of a kernel.
#include "ir/common/KernelNotes.h"
#include "ir/common/Names.h"
#include "ir/common/WhyNot.h"
#include "ir/tile/Products.h"
#include "transforms/target/kernel/Kernel.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

/// One entry for each access of a tensor: its line, and whether the facts prove that it needs no mask.
static ArrayAttr accesses(Emission &em) {
  SmallVector<Attribute> list;
  auto noteAs = [&](auto op, StringRef kind, bool proved) {
    auto base = dyn_cast<BlockArgument>(op.getBase());
    if (!base || base.getOwner()->getParentOp() != em.kernel) return;  // a shared buffer, or a lane's vector
    FileLineColLoc place = ir::placeOf(op);
    NamedAttrList entry;
    entry.set("tensor", em.builder.getStringAttr(em.kernel.param(base.getArgNumber()).getName()));
    entry.set("access", em.builder.getStringAttr(kind));
    entry.set("line", em.builder.getI64IntegerAttr(place ? place.getLine() : 0));
    entry.set("mask", em.builder.getBoolAttr(!proved));
    Attribute made = entry.getDictionary(em.context);
    if (!llvm::is_contained(list, made)) list.push_back(made);
  };
  auto note = [&](auto op, StringRef kind) {
    DenseBoolArrayAttr inBounds = op.getInBoundsAttr();
    noteAs(op, kind, inBounds && !llvm::is_contained(inBounds.asArrayRef(), false));
  };
  em.kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadFragmentOp>(op)) note(load, "read");
    else if (auto load = dyn_cast<tile::LoadElementOp>(op)) note(load, "read");
    else if (auto copy = dyn_cast<tile::CopyOp>(op)) note(copy, "read");
    else if (auto load = dyn_cast<tile::LoadAtOp>(op)) note(load, "read");
    else if (auto copy = dyn_cast<tile::CopyRowsOp>(op)) noteAs(copy, "read", false);
    else if (auto load = dyn_cast<tile::LoadVectorOp>(op)) noteAs(load, "read", true);
    else if (auto row = dyn_cast<tile::HoldRowOp>(op)) noteAs(row, "read", true);
    else if (auto store = dyn_cast<tile::StoreVectorOp>(op)) noteAs(store, "write", true);
    else if (auto sum = dyn_cast<tile::AddColumnOp>(op)) noteAs(sum, "write", true);
    else if (auto store = dyn_cast<tile::StoreFragmentOp>(op)) note(store, "write");
    else if (auto store = dyn_cast<tile::StoreColumnSumsOp>(op)) noteAs(store, "write", true);
    else if (auto sort = dyn_cast<tile::ArgsortRowOp>(op)) noteAs(sort, "write", true);
    else if (auto store = dyn_cast<tile::StoreElementOp>(op)) note(store, "write");
    else if (auto atomic = dyn_cast<tile::AtomicOp>(op)) note(atomic, "write");
  });
  return em.builder.getArrayAttr(list);
}

void noteForManifest(Emission &em) {
  if (!em.kernel.getSizes().empty()) em.out->setAttr("schedule", em.kernel.getSizes());
  if (!em.kernel.getOptions().empty()) em.out->setAttr("options", em.kernel.getOptions());
  if (Attribute refused = em.kernel->getAttr(ir::kWhyNot)) em.out->setAttr(ir::kWhyNot, refused);
  if (auto onTensorCores = tile::multipliesByMatrixInstructions(em.kernel); onTensorCores && !em.isCpu())
    em.out->setAttr(ir::kTensorCores, em.builder.getBoolAttr(*onTensorCores));
  if (Attribute space = em.kernel->getAttr("tsr.space")) em.out->setAttr("space", space);
  if (auto idle = withoutEffect(em); !idle.empty()) em.out->setAttr("without_effect", stringsOf(em.context, idle));
  em.out->setAttr("accesses", accesses(em));
}

}  // namespace tessera::transforms::totarget
