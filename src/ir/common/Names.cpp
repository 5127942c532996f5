#include "ir/common/Names.h"
#include "ir/common/Common.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tessera::ir {
using namespace mlir;

Location named(StringRef name, Location place) {
  if (name.empty()) return place;
  return NameLoc::get(StringAttr::get(place->getContext(), name), place);
}

Location withSizes(ArrayRef<Dim> sizes, Location location) {
  if (llvm::none_of(sizes, [](const Dim &size) { return size.hasNames(); })) return location;
  SmallVector<Dim> written;
  for (const Dim &size : sizes) written.push_back(size.written());
  return FusedLoc::get({location}, DimsAttr::get(location->getContext(), written), location->getContext());
}

static DimsAttr sizesAttr(Location location) {
  if (auto name = dyn_cast<NameLoc>(location)) return sizesAttr(name.getChildLoc());
  auto fused = dyn_cast<FusedLoc>(location);
  if (!fused) return {};
  if (auto sizes = dyn_cast_or_null<DimsAttr>(fused.getMetadata())) return sizes;
  for (Location part : fused.getLocations())
    if (DimsAttr sizes = sizesAttr(part)) return sizes;
  return {};
}

SmallVector<Dim> sizesOf(Location location) {
  SmallVector<Dim> sizes;
  if (DimsAttr written = sizesAttr(location))
    for (DimAttr size : written.getDims()) sizes.push_back(inNumbers(size.getDim()));
  return sizes;
}

Location withSizesOf(Location other, Location location) {
  SmallVector<Dim> sizes = sizesOf(other);
  if (!sizes.empty() || !sizesAttr(location)) return withSizes(sizes, location);
  // Its own are of something else.
  return FusedLoc::get({location}, DimsAttr::get(location->getContext(), ArrayRef<Dim>()),
                       location->getContext());
}

StringRef nameHint(Location location) {
  if (auto name = dyn_cast<NameLoc>(location)) return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef name = nameHint(part); !name.empty()) return name;
  if (auto call = dyn_cast<CallSiteLoc>(location)) return nameHint(call.getCallee());
  return {};
}
// An operation with several results has one location for all of them: loops know the names by their carried
// arguments, others by the attribute tsr.names.
StringRef nameHint(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result) return nameHint(value.getLoc());
  Operation *op = result.getOwner();
  unsigned index = result.getResultNumber();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    auto carried = loop.getRegionIterArgs();
    return index < carried.size() ? nameHint(carried[index].getLoc()) : StringRef();
  }
  if (auto names = op->getAttrOfType<ArrayAttr>("tsr.names"))
    if (names.size() == op->getNumResults())
      if (auto name = dyn_cast<StringAttr>(names[index])) return name;
  return op->getNumResults() == 1 ? nameHint(op->getLoc()) : StringRef();
}

FileLineColLoc placeOf(Location location) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) return place;
  if (auto name = dyn_cast<NameLoc>(location)) return placeOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (auto place = placeOf(part)) return place;
  if (auto call = dyn_cast<CallSiteLoc>(location)) return placeOf(call.getCallee());
  return {};
}
std::string wordOf(Operation *operation) {
  auto mnemonic = operation->getAttrOfType<StringAttr>("mnemonic");
  StringRef word = mnemonic ? mnemonic.getValue() : operation->getName().stripDialect();
  return ("`" + word + "`").str();
}

Location unnamed(Location location) {
  if (auto line = placeOf(location)) return line;
  return UnknownLoc::get(location.getContext());
}

FileLineColLoc placeOf(Operation *operation) { return placeOf(operation->getLoc()); }

}  // namespace tessera::ir
