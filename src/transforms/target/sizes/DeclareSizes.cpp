// The sizes that stand at the top of a kernel as constants, and those that its template takes.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/HeldRows.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/tile/Extents.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

SmallVector<NamedAttribute> sortedSizes(Emission &em) {
  SmallVector<NamedAttribute> sizes(em.kernel.getSizes().begin(), em.kernel.getSizes().end());
  auto rank = [](NamedAttribute size) {
    return std::pair(StringRef("mnk").find(size.getName().strref()), size.getName().strref());
  };
  llvm::sort(sizes, [&](NamedAttribute a, NamedAttribute b) { return rank(a) < rank(b); });
  return sizes;
}

/// The schedule's sizes: T.m is BM, as in hand-written kernels.
static std::string constantName(StringRef size) {
  if (size == "m" || size == "n" || size == "k") return "B" + size.upper();
  std::string name = size.str();
  if (!name.empty()) name[0] = llvm::toUpper(name[0]);
  return name;
}

void declareConstant(Emission &em, const std::string &variable, const std::string &name, int64_t value) {
  em.sizes->constants[variable] = name;
  em.sizes->values[name] = value;
  em.info.constants.push_back({name, value});
  em.builder.create<out::ConstantOp>(em.kernel.getLoc(), name, em.builder.getI64IntegerAttr(value));
}

void declareNamedSizes(Emission &em) {
  std::vector<std::string> order;
  std::map<std::string, std::set<std::string>> variables;  // name -> "BM.128"
  std::set<std::string> others;
  auto collect = [&](Location location) {
    for (const Dim &size : ir::sizesOf(location)) {
      std::set<std::string> found;
      size.written().collectVars(found);
      for (const std::string &variable : found)
        if (auto constant = namedConstant(variable)) {
          if (variables[constant->first].empty()) order.push_back(constant->first);
          variables[constant->first].insert(variable);
        }
    }
  };
  collect(em.kernel.getLoc());
  em.kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    collect(op->getLoc());
    if (!isa<tile::ConstantOp>(op))
      for (Value result : op->getResults()) others.insert(ir::nameHint(result).str());
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        collect(argument.getLoc());
        others.insert(ir::nameHint(argument).str());
      }
  });
  for (int64_t i = 0; i < static_cast<int64_t>(em.kernel.getParams().size()); ++i)
    others.insert(em.kernel.param(i).getName().str());
  for (StringAttr dim : em.kernel.getDims().getAsRange<StringAttr>()) others.insert(dim.str());
  for (const std::string &hint : order)
    if (variables[hint].size() == 1 && !others.count(hint)) {
      const std::string &variable = *variables[hint].begin();
      declareConstant(em, variable, em.names.declare(hint), namedConstant(variable)->second);
    }
}

void declareScheduleSizes(Emission &em) {
  std::set<std::string> used;
  auto collect = [&](ArrayRef<ir::DimAttr> dims) {
    for (ir::DimAttr dim : dims) dim.getDim().collectVars(used);
  };
  collect(em.kernel.getGrid().getDims());
  em.kernel.getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) collect(ir::shapeOf(type));
    if (auto dimOp = dyn_cast<tile::DimOp>(op))
      if (auto parsed = Dim::parse(dimOp.getDim().str())) parsed->collectVars(used);
  });
  ArrayAttr variants = em.kernel.getVariantsAttr();
  for (NamedAttribute size : sortedSizes(em)) {
    if (variants && cast<DictionaryAttr>(variants[0]).contains(size.getName())) continue;  // the launch chooses it
    auto value = dyn_cast<IntegerAttr>(size.getValue());
    std::string variable = "T." + size.getName().str();
    if (value && used.count(variable))
      declareConstant(em, variable, em.names.fresh(constantName(size.getName())), value.getInt());
  }
}

void declareCapacities(Emission &em) {
  for (NamedAttribute entry : em.kernel.getCapacity()) {
    std::vector<int64_t> values;
    if (auto list = dyn_cast<DenseI64ArrayAttr>(entry.getValue())) values = list.asArrayRef().vec();
    if (auto list = dyn_cast<ArrayAttr>(entry.getValue()))
      for (Attribute value : list) values.push_back(cast<IntegerAttr>(value).getInt());
    std::string name = em.names.fresh("Max" + entry.getName().str());
    em.sizes->capacities[entry.getName().str()] = name;
    em.info.capacities.push_back({entry.getName().str(), values});
  }
}

static std::string heldText(int64_t held) {
  return held == tile::kRowAhead ? "tsr::kAhead" : held == tile::kRowInShared ? "tsr::kInShared" : std::to_string(held);
}

void declareVariants(Emission &em) {
  ArrayAttr variants = em.kernel.getVariantsAttr();
  if (!variants) return;
  auto first = cast<DictionaryAttr>(variants[0]);
  std::vector<StringRef> order;
  for (StringRef size : {"vector", "each", "held", "threads", "rows", "edges", "cluster", "height"}) {
    if (!first.contains(size)) continue;
    order.push_back(size);
    std::string name = em.names.fresh(size.substr(0, 1).upper() + size.drop_front().str());
    em.sizes->constants[size == "threads" ? "T.Threads" : ("T." + size).str()] = name;
    em.sizes->values[name] = first.getAs<IntegerAttr>(size).getInt();
    em.sizes->templates.push_back(name);
  }
  for (auto variant : variants.getAsRange<DictionaryAttr>()) {
    auto number = [&](StringRef size, int64_t usual) {
      auto value = variant.getAs<IntegerAttr>(size);
      return value ? value.getInt() : usual;
    };
    KernelInfo::Variant made;
    for (auto [size, name] : llvm::zip(order, em.sizes->templates)) {
      made.arguments += (made.arguments.empty() ? "" : ", ") + (size == "held" ? heldText(number(size, 0)) : std::to_string(number(size, 0)));
      made.sizes.emplace(name, Dim(number(size, 0)));
    }
    made.cluster = number("cluster", 1);
    made.threads = number("threads", em.kernel.getGroup()) / made.cluster;
    made.rows = number("rows", 1);
    made.inTurn = number("held", 0) == tile::kRowAhead;
    if (auto when = variant.getAs<ArrayAttr>("when"))
      made.when.assign(when.getAsRange<ir::RequirementAttr>().begin(), when.getAsRange<ir::RequirementAttr>().end());
    if (auto shared = variant.getAs<ir::DimAttr>("shared")) made.sharedBytes = shared.getDim();
    if (auto aligned = variant.getAs<DenseI64ArrayAttr>("aligned")) made.aligned = aligned.asArrayRef().vec();
    em.info.variants.push_back(std::move(made));
  }
}

bool beginsAligned(Emission &em, tile::CopyOp copy) {
  if (!copy.getAsync() || copy.getTarget().getType().getRank() < 2 || !isa<BlockArgument>(copy.getBase()) || copy.getOffsets().empty() || copy.getPoints().back())
    return false;
  int64_t elements = 16 / storedBytes(ir::elementTypeOf(copy.getBase().getType()));
  return copy.getSteps().back() == 1 && Extents(em.kernel).isMultiple(copy.getOffsets().back(), elements);
}

void declareAlignment(Emission &em) {
  if (!em.machine.asyncCopy || em.roles->op) return;  // the copy engine finds its tensors aligned (tessera/tensor_map.h)
  llvm::SmallSetVector<unsigned, 4> parameters;
  em.kernel.getBody().walk([&](tile::CopyOp copy) {
    if (beginsAligned(em, copy)) parameters.insert(cast<BlockArgument>(copy.getBase()).getArgNumber());
  });
  if (parameters.empty()) return;
  em.sizes->alignment = em.names.fresh("Align");
  em.info.aligned.assign(parameters.begin(), parameters.end());
}

}  // namespace tessera::transforms::totarget
