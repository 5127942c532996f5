// What types of values are called in the emitted text.
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "support/Check.h"
#include "transforms/target/kernel/Kernel.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

void declareLayouts(Emission &em) {
  auto declare = [&](tile::Layout layout) {
    std::string &alias = em.layouts->aliases[layout];
    if (!alias.empty()) return;
    alias = em.names.fresh(em.isCpu() ? "Grid" : layout.getAliasHint());
    em.builder.create<out::AliasOp>(em.kernel.getLoc(), alias,
                                    em.isCpu() ? "tsr::ThreadGrid<1, 1>" : layout.getSpelling());
    if (em.isCpu()) em.layouts->ofCpu = alias;
  };
  em.kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto fragment = dyn_cast<tile::FragmentType>(type); fragment && (!em.isCpu() || em.layouts->aliases.empty()))
        declare(fragment.getTileLayout());
  });
}

static const std::string &layoutName(Emission &em, tile::FragmentType type) {
  return em.isCpu() ? em.layouts->ofCpu : em.layouts->aliases.find(type.getTileLayout())->second;
}

std::string dtypeText(Emission &em, Type type) {
  if (isa<IndexType>(type)) return "int64_t";
  auto dtype = ir::dtypeOf(type);
  TSR_CHECK(dtype, "a type without a row in the dtype table");
  return std::string(spelling(*dtype, em.machine.family));
}

std::string fragmentType(Emission &em, tile::FragmentType type, Location location) {
  std::string text = type.getRank() == 2        ? "tsr::Fragment<"
                     : type.getSliceAxis() == 1 ? "tsr::RowVector<"
                                                : "tsr::ColVector<";
  text += dtypeText(em, type.getElementType());
  for (const Dim &extent : written(em, type.getShape(), location)) text += ", " + typeExtent(em, extent);
  text += ", " + layoutName(em, type) + ">";
  if (em.isCpu()) {
    std::vector<Dim> extents;
    for (ir::DimAttr extent : type.getShape()) extents.push_back(extent.getDim());
    auto dtype = ir::dtypeOf(type.getElementType());
    em.layouts->bytes[text] = mostBytes(em, extents, dtype ? (info(*dtype).bits + 7) / 8 : sizeof(int64_t));
  }
  return text;
}

Type heldRowType(Emission &em, Type type, int64_t number) {
  std::string sizes = ", " + em.sizes->constants.at("T.vector") + ", " +
                      (em.sizes->constants.count("T.held") ? em.sizes->constants["T.held"] : "0") + ", " +
                      em.sizes->constants.at("T.Threads");
  auto edges = em.sizes->constants.find("T.edges");
  const bool hasEdges = edges != em.sizes->constants.end();
  std::string last = number == 0 && !hasEdges ? "" : ", " + std::to_string(number);
  if (hasEdges) last += ", " + edges->second;
  if (auto cluster = em.sizes->constants.find("T.cluster"); cluster != em.sizes->constants.end())
    last = (last.empty() ? ", 0, 0" : hasEdges ? last : last + ", 0") + ", " + cluster->second;
  return out::NamedType::get(em.context, "tsr::HeldRow<" + dtypeText(em, ir::elementTypeOf(type)) + sizes + last + ">");
}

Type vectorType(Emission &em, Type type) {
  std::string element = dtypeText(em, ir::elementTypeOf(type)), vector = em.sizes->constants.at("T.vector");
  if (isa<tile::LaneVectorType>(type))
    return out::NamedType::get(em.context, "tsr::Vector<" + element + ", " + vector + ">");
  std::string held = em.sizes->constants.count("T.held") ? em.sizes->constants["T.held"] : "0";
  if (isa<tile::KeptRowType>(type))
    return out::NamedType::get(em.context, "tsr::KeptRow<" + element + ", " + vector + ", " + held + ">");
  return heldRowType(em, type, em.rows->held);
}

Type placeType(Emission &em, Type type, Location location) {
  if (isa<tile::LaneVectorType, tile::HeldRowType, tile::KeptRowType>(type)) return vectorType(em, type);
  auto fragment = dyn_cast<tile::FragmentType>(type);
  return fragment ? Type(out::NamedType::get(em.context, fragmentType(em, fragment, location))) : type;
}

}  // namespace tessera::transforms::totarget
