#include "ir/common/Names.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace tessera::ir {
using namespace mlir;

Location named(StringRef name, Location place) {
  if (name.empty()) return place;
  return NameLoc::get(StringAttr::get(place->getContext(), name), place);
}

StringRef nameHint(Location location) {
  if (auto name = dyn_cast<NameLoc>(location)) return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef name = nameHint(part); !name.empty()) return name;
  if (auto call = dyn_cast<CallSiteLoc>(location)) return nameHint(call.getCallee());
  return {};
}
StringRef nameHint(Value value) { return nameHint(value.getLoc()); }

FileLineColLoc placeOf(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) return place;
  if (auto name = dyn_cast<NameLoc>(location)) return placeOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (auto place = placeOf(part)) return place;
  if (auto call = dyn_cast<CallSiteLoc>(location)) return placeOf(call.getCallee());
  return {};
}
FileLineColLoc placeOf(Operation *operation) { return placeOf(operation->getLoc()); }

}  // namespace tessera::ir
