#include "codegen/EntryFacts.h"
#include "codegen/Conditions.h"
#include "codegen/DimText.h"
#include "codegen/Types.h"
#include "codegen/source/Names.h"
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "ir/target/Words.h"
#include "support/Check.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <array>
#include <map>
#include <set>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {

std::string ParameterFacts::text() const {
  std::string result = dtypeName(dtype);
  if (scalar()) return result;
  result += "[";
  for (size_t i = 0; i < shape.size(); ++i) result += (i ? ", " : "") + shape[i];
  return result + "]";
}

std::vector<Dim> IndexFacts::dims() const {
  std::vector<Dim> all = {extent};
  for (const Axis &axis : axes) all.push_back(axis.begin), all.push_back(axis.size);
  return all;
}

static std::vector<IndexFacts> indicesOf(target::EntryOp op) {
  std::vector<IndexFacts> found;
  auto indices = op->getAttrOfType<ArrayAttr>("tsr.indices");
  for (Attribute one : indices ? indices.getValue() : llvm::ArrayRef<Attribute>()) {
    auto index = cast<DictionaryAttr>(one);
    auto text = [&](llvm::StringRef name) { return index.getAs<StringAttr>(name).getValue().str(); };
    IndexFacts facts{text("parameter"), {}, parseDim(text("extent")), index.getAs<BoolAttr>("from_end").getValue(), text("of")};
    auto begins = index.getAs<ArrayAttr>("begins").getAsRange<StringAttr>(), sizes = index.getAs<ArrayAttr>("sizes").getAsRange<StringAttr>();
    for (auto [begin, size, step] : llvm::zip(begins, sizes, index.getAs<DenseI64ArrayAttr>("steps").asArrayRef()))
      facts.axes.push_back({parseDim(begin.getValue().str()), parseDim(size.getValue().str()), step});
    found.push_back(std::move(facts));
  }
  return found;
}

/// Of all dimensions that it speaks of.
static std::vector<MeshDim> meshDimsIn(target::EntryOp entry) {
  std::map<std::string, MeshDim> found;
  auto add = [&](const Dim &dim) {
    for (const MeshDim &one : meshDimsOf(dim)) found.emplace(one.name(), one);
  };
  auto addText = [&](llvm::StringRef text) {
    if (!text.contains("mesh.")) return;
    if (auto dim = Dim::parse(text.str())) add(*dim);
  };
  AttrTypeWalker walker;
  walker.addWalk([&](StringAttr text) { addText(text.getValue()); });
  walker.addWalk([&](target::ArgumentAttr argument) { addText(argument.getText()); });
  walker.addWalk([&](target::CapacityAttr capacity) { addText(capacity.getDim()); });
  walker.addWalk([&](ir::DimAttr dim) { add(dim.getDim()); });
  entry->walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
  std::vector<MeshDim> all;
  for (auto &[name, one] : found) all.push_back(one);
  return all;
}

EntryFacts::EntryFacts(target::EntryOp op)
    : entry(op), name(op.getSymName().str()), symbol(target::functionName(name)), call(name + "_call"), cppName(symbol),
      signature(op.getSignature().str()), doc(op.getDoc().str()) {
  Names names;
  for (auto attr : op.getParameters().getAsRange<target::ParameterAttr>()) {
    ParameterFacts facts{
        attr.getName().str(), names.fresh(attr.getName().str()), attr.getMode().str(), attr.getDtype(), {}};
    for (auto extent : attr.getShape().getAsRange<StringAttr>())
      facts.shape.push_back(extent.getValue().str());
    parameters.push_back(std::move(facts));
  }
  for (auto attr : op.getReturns().getAsRange<StringAttr>()) returns.push_back(attr.getValue().str());
  for (Operation &inner : op.getBody().front()) {
    if (auto o = dyn_cast<target::RequireOp>(inner)) requirements.push_back(o);
    if (auto o = dyn_cast<target::ConstantOp>(inner)) constants.push_back(o);
    if (auto o = dyn_cast<target::TemporaryOp>(inner)) temporaries.push_back(o);
    if (auto o = dyn_cast<target::TableOp>(inner)) tables.push_back(o);
    if (auto o = dyn_cast<target::LaunchOp>(inner)) launches.push_back(o);
    if (isa<target::LaunchOp, target::ExchangeOp>(inner)) steps.push_back(&inner);
  }
  mesh = meshDimsIn(op);
  for (const ParameterFacts &parameter : parameters)
    for (const std::string &extent : parameter.shape)
      if (Dim dim = parseDim(extent);
          dim.isVar() && std::find(dims.begin(), dims.end(), dim.varName()) == dims.end())
        dims.push_back(dim.varName());
  std::vector<std::vector<Dim>> extents;
  for (const ParameterFacts &parameter : parameters) {
    std::vector<Dim> &shape = extents.emplace_back();
    if (parameter.scalar() || parameter.mode == "result") continue;
    for (const std::string &extent : parameter.shape) shape.push_back(parseDim(extent));
  }
  for (SolvedExtent &extent : solvedExtents(extents, {dims.begin(), dims.end()})) {
    dims.push_back(extent.extent.variable);
    solved.push_back({parameters[extent.parameter].name, extent.axis, std::move(extent.extent)});
  }
  indices = indicesOf(op);
}

/// The functions for some sizes, once all have their symbols.
static void findSpecials(std::vector<EntryFacts> &entries) {
  std::map<std::string, const EntryFacts *> byName;
  for (const EntryFacts &entry : entries) byName.emplace(entry.name, &entry);
  for (EntryFacts &entry : entries) {
    auto specials = target::EntryOp(entry.entry)->getAttrOfType<ArrayAttr>("tsr.specials");
    if (!specials) continue;
    for (auto special : specials.getAsRange<DictionaryAttr>()) {
      std::string name = special.getAs<FlatSymbolRefAttr>("name").getValue().str();
      TSR_CHECK(byName.count(name), "the function for some sizes is not there: " + name);
      SpecialFacts facts{name, byName.at(name)->symbol, {}};
      auto dims = special.getAs<ArrayAttr>("dims").getAsRange<StringAttr>();
      for (auto [dim, size] : llvm::zip(dims, special.getAs<DenseI64ArrayAttr>("sizes").asArrayRef()))
        facts.sizes.emplace_back(dim.getValue().str(), size);
      entry.specials.push_back(std::move(facts));
    }
  }
}

const ParameterFacts *EntryFacts::parameter(llvm::StringRef wanted) const {
  for (const ParameterFacts &p : parameters)
    if (p.name == wanted) return &p;
  return nullptr;
}
target::TableOp EntryFacts::table(llvm::StringRef wanted) const {
  for (target::TableOp t : tables)
    if (t.getName() == wanted) return t;
  return {};
}

Type EntryFacts::dtypeOf(llvm::StringRef tensor) const {
  if (const ParameterFacts *known = parameter(tensor)) return known->dtype;
  target::TemporaryOp held = temporary(tensor);
  return held ? held.getDtype() : table(tensor).getDtype();
}

target::TemporaryOp EntryFacts::temporary(llvm::StringRef wanted) const {
  for (target::TemporaryOp t : temporaries)
    if (t.getName() == wanted) return t;
  return {};
}

namespace {
/// A temporary, and the conditions under which it is there that are still to be looked at.
struct Taken {
  Dim bytes;
  llvm::ArrayRef<Attribute> conditions;
};

Dim mostOf(llvm::ArrayRef<Taken> all) {
  Dim total;
  llvm::MapVector<Attribute, std::array<std::vector<Taken>, 2>> sides;
  for (const Taken &one : all) {
    if (one.conditions.empty()) {
      total = total + one.bytes;
      continue;
    }
    const Literal asked = literalOf(one.conditions.front());
    sides[asked.part][asked.holds].push_back({one.bytes, one.conditions.drop_front()});
  }
  for (const auto &[condition, both] : sides) {
    const Dim holdsNot = mostOf(both[0]), holds = mostOf(both[1]);
    total = total + (both[0].empty() ? holds : both[1].empty() ? holdsNot : Dim::max(holds, holdsNot));
  }
  return total;
}
}  // namespace

Dim EntryFacts::workspaceBytes(llvm::function_ref<bool(Attribute)> never) const {
  std::vector<Taken> all;
  for (target::TemporaryOp temporary : temporaries) {
    if (temporary.getWithin()) continue;
    llvm::ArrayRef<Attribute> conditions = temporary.getWhenAttr() ? temporary.getWhenAttr().getValue() : llvm::ArrayRef<Attribute>();
    if (!never || llvm::none_of(conditions, never)) all.push_back({bytesOf(temporary), conditions});
  }
  return mostOf(all);
}

Dim EntryFacts::bytesOf(target::TemporaryOp temporary) {
  std::optional<DType> dtype = ir::dtypeOf(temporary.getDtype());
  Dim bytes(dtype ? storageBytes(*dtype) : 8);
  for (auto extent : temporary.getShape().getAsRange<StringAttr>()) bytes = bytes * parseDim(extent.getValue().str());
  return bytes;
}

/// The loops around a launch, by what they are made of.
static std::vector<Attribute> loopsOf(target::LaunchOp launch) {
  std::vector<Attribute> loops;
  for (Attribute condition : launch.getWhenAttr() ? launch.getWhenAttr().getValue() : llvm::ArrayRef<Attribute>()) {
    auto words = dyn_cast<ArrayAttr>(condition);
    auto word = words && !words.empty() ? dyn_cast<StringAttr>(words[0]) : StringAttr();
    if (word && (word.getValue() == "for" || word.getValue() == "while")) loops.push_back(condition);
  }
  return loops;
}

std::pair<size_t, size_t> EntryFacts::lifeOf(target::TemporaryOp temporary) const {
  std::pair<size_t, size_t> life{launches.size(), 0};
  auto covers = [&](size_t at) { life = {std::min(life.first, at), std::max(life.second, at)}; };
  for (size_t at = 0; at < launches.size(); ++at) {
    target::LaunchOp launch = launches[at];
    bool uses = llvm::any_of(launch.getArguments().getAsRange<target::ArgumentAttr>(), [&](target::ArgumentAttr argument) {
      return argument.getKind() == "tensor" && argument.getText() == temporary.getName();
    });
    if (!uses) continue;
    covers(at);
    for (Attribute loop : loopsOf(launch))
      for (size_t other = 0; other < launches.size(); ++other)
        if (llvm::is_contained(loopsOf(launches[other]), loop)) covers(other);
  }
  // What devices do together belongs to the launch behind it, and the last of all to that before it.
  size_t before = 0;
  for (Operation *step : steps) {
    auto exchange = dyn_cast<target::ExchangeOp>(step);
    if (!exchange) ++before;
    else if (exchange.getSource() == temporary.getName() || exchange.getTarget() == temporary.getName())
      covers(std::min(before, launches.empty() ? 0 : launches.size() - 1));
  }
  return life;
}

std::string prefixOf(const std::string &nameSpace) {
  std::string prefix;
  for (size_t at = 0; at < nameSpace.size(); ++at) {
    if (nameSpace[at] != ':') prefix += nameSpace[at];
    else prefix += '_', ++at;
  }
  return prefix.empty() ? "" : prefix + "_";
}

std::vector<EntryFacts> entriesOf(ModuleOp module, const std::string &nameSpace) {
  std::vector<EntryFacts> entries;
  for (auto entry : module.getOps<target::EntryOp>()) entries.emplace_back(entry);
  // A name that was changed stays clear of those that were not. `f_call` beside `f` is the name of f's trampoline.
  std::set<std::string> taken, trampolines;
  for (EntryFacts &entry : entries) {
    taken.insert({entry.name, entry.name + "_call"});
    trampolines.insert(entry.name + "_call");
  }
  for (EntryFacts &entry : entries)
    if (trampolines.count(entry.symbol)) entry.symbol += '_';
  for (EntryFacts &entry : entries)
    while (entry.symbol != entry.name && !taken.insert(entry.symbol).second) entry.symbol += '_';
  const std::string prefix = prefixOf(nameSpace);
  for (EntryFacts &entry : entries) {
    entry.cppName = entry.symbol;
    entry.symbol = prefix + (prefix.empty() ? entry.symbol : entry.name);  // with a prefix no other name is like it
    entry.call = prefix + entry.call;
  }
  findSpecials(entries);
  return entries;
}

}  // namespace tessera::codegen
