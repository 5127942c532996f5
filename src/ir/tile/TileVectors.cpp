// Rules of the vectors of one lane, and of the variants that a kernel is compiled for.
#include "ir/tile/HeldRows.h"
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"
#include "support/Lanes.h"

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

LogicalResult LaneVectorType::verify(function_ref<InFlightDiagnostic()> emitError, Type element) {
  return isDType(element) ? success() : emitError() << "a vector holds values of a dtype, not " << element;
}
LogicalResult HeldRowType::verify(function_ref<InFlightDiagnostic()> emitError, Type element) {
  return isDType(element) ? success() : emitError() << "a row holds values of a dtype, not " << element;
}
LogicalResult KeptRowType::verify(function_ref<InFlightDiagnostic()> emitError, Type element) {
  return isDType(element) ? success() : emitError() << "a row holds values of a dtype, not " << element;
}
Type KeptRowType::withElementType(Type element) const { return KeptRowType::get(getContext(), element); }
Type LaneVectorType::withElementType(Type element) const { return LaneVectorType::get(getContext(), element); }
Type HeldRowType::withElementType(Type element) const { return HeldRowType::get(getContext(), element); }

static LogicalResult checkVector(Operation *op, ViewType base, size_t indices, bool flat, Type element) {
  size_t expected = flat ? 1 : base.getRank();
  if (indices != expected) return op->emitOpError() << "has " << indices << " indices, not " << expected;
  if (element != base.getElementType())
    return op->emitOpError() << "the vector holds " << element << ", the base " << base.getElementType();
  return success();
}

LogicalResult LoadVectorOp::verify() {
  return checkVector(*this, getBase().getType(), getIndices().size(), getFlat(), getResult().getType().getElementType());
}
LogicalResult StoreVectorOp::verify() {
  Type element = getValue().getType().getElementType(), stored = getBase().getType().getElementType();
  bool rounds = element.isF32() && (stored.isBF16() || stored.isF16());
  return checkVector(*this, getBase().getType(), getIndices().size(), getFlat(), rounds ? stored : element);
}
LogicalResult HoldRowOp::verify() {
  return checkVector(*this, getBase().getType(), getIndices().size() + 1, false, getResult().getType().getElementType());
}

LogicalResult AddColumnOp::verify() {
  ViewType base = getBase().getType();
  if (base.getRank() != 2 || base.getElementType() != getValue().getType())
    return emitOpError() << "adds up " << getValue().getType() << " in a matrix of them, not in " << base;
  return getIndices().size() == 1 || getIndices().size() == 2 ? success() : emitOpError() << "has " << getIndices().size() << " indices, not a column, or a turn and an element";
}

LogicalResult tile::verifyVariants(KernelOp kernel) {
  ArrayAttr variants = kernel.getVariantsAttr();
  if (!variants) return success();
  auto wrong = [&](const Twine &why) { return kernel.emitOpError() << "'variants': " << why; };
  if (variants.empty()) return wrong("there is none");
  StringRef known[] = {"vector", "each", "held", "threads", "rows", "edges", "cluster", "height", "when", "aligned", "shared"};
  auto first = dyn_cast<DictionaryAttr>(variants[0]);
  for (Attribute attribute : variants) {
    auto variant = dyn_cast<DictionaryAttr>(attribute);
    if (!variant || !(variant.getAs<IntegerAttr>("vector") || variant.getAs<IntegerAttr>("each"))) return wrong("each is a dictionary with a 'vector' or an 'each'");
    for (NamedAttribute entry : variant) {
      StringRef name = entry.getName();
      if (!llvm::is_contained(known, name)) return wrong("there is no '" + name + "'");
      if (name == "when") {
        auto conditions = dyn_cast<ArrayAttr>(entry.getValue());
        if (!conditions || !llvm::all_of(conditions, llvm::IsaPred<RequirementAttr>))
          return wrong("'when' is an array of requirements");
      } else if (name == "aligned") {
        auto params = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
        if (!params || llvm::any_of(params.asArrayRef(), [&](int64_t i) {
              return i < 0 || i >= static_cast<int64_t>(kernel.getNumArguments());
            }))
          return wrong("'aligned' lists parameters");
      } else if (name == "shared") {
        auto held = variant.getAs<IntegerAttr>("held");
        if (!isa<DimAttr>(entry.getValue()) || !held || held.getInt() >= 0)
          return wrong("'shared' is the bytes of rows that are held there, which 'held' says");
      } else if (auto number = dyn_cast<IntegerAttr>(entry.getValue()); name == "held" && number && number.getInt() < 0) {
        if (!variant.contains("shared")) return wrong("rows that are held in shared memory take bytes there, 'shared'");
      } else if (!number || number.getInt() < (name == "held" || name == "edges" ? 0 : 1)) {
        return wrong("'" + name + "' is a number above 0");
      } else if (!first.contains(name)) {
        return wrong("each has the sizes of the first");
      }
    }
    auto number = [&](StringRef name) {
      auto size = variant.getAs<IntegerAttr>(name);
      return size ? size.getInt() : 0;
    };
    if (const int64_t groups = number("cluster"); groups > 1 && (number("held") != kRowInShared || number("threads") % (groups * kWarpLanes) != 0))
      return wrong("groups of a cluster hold their row in shared memory, 'held' is -1, and have whole warps of its 'threads'");
  }
  auto last = cast<DictionaryAttr>(variants[variants.size() - 1]);
  if (last.contains("when") || last.contains("aligned")) return wrong("the last has no conditions");
  return success();
}
