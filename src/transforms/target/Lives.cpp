#include "transforms/target/Lives.h"
#include "ir/common/Common.h"
#include "transforms/schedule/Conditions.h"
#include "transforms/tile/Extents.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {
constexpr int64_t kTypicalExtent = 64;
}  // namespace

bool isOfLoop(Attribute condition) {
  auto words = dyn_cast<ArrayAttr>(condition);
  auto word = words && !words.empty() ? dyn_cast<StringAttr>(words[0]) : StringAttr();
  return word && llvm::is_contained({"for", "while", "leave", "read"}, word.getValue());
}

bool isInLoop(Operation *launch) {
  auto conditions = launch->getAttrOfType<ArrayAttr>(kWhen);
  return conditions && llvm::any_of(conditions, isOfLoop);
}

Dim bytesOf(tile::TempOp temp) {
  Dim bytes(storedBytes(elementTypeOf(temp.getType())));
  for (DimAttr extent : shapeOf(temp.getType())) bytes = bytes * extent.getDim();
  return bytes;
}

double typicalSize(const Dim &size) {
  auto value = size.evaluate([](const std::string &) { return std::optional<int64_t>(kTypicalExtent); });
  return value ? static_cast<double>(*value) : 0;
}

/// The difference has no part that could be below 0. Dimensions are at least 0; of quotients and the like nothing is known here.
bool isAtMost(const Dim &a, const Dim &b) {
  Dim rest = b - a;
  if (!rest.isDefined()) return false;
  if (rest.isConstant()) return rest.constant() >= 0;
  return llvm::all_of(rest.terms(), [](const Dim::Term &term) {
    bool isOfSizes = llvm::all_of(term.atoms, [](const auto &factor) { return factor.first.kind == AtomKind::Var; });
    return term.coefficient >= 0 && isOfSizes;
  });
}

}  // namespace tessera::transforms
