// The manifest: what tools need to know about an emitted file, as JSON.
#include "codegen/DimText.h"
#include "codegen/Printers.h"
#include "codegen/Types.h"
#include <nlohmann/json.hpp>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

using Json = nlohmann::ordered_json;

std::string textAttr(Operation *op, llvm::StringRef name, const std::string &otherwise) {
  auto attr = op->getAttrOfType<StringAttr>(name);
  return attr ? attr.getValue().str() : otherwise;
}

Json parameterJson(const ParameterFacts &parameter) {
  Json json{{"name", parameter.name},
            {"symbol", parameter.symbol},
            {"kind", parameter.scalar() ? "scalar" : "tensor"},
            {"dtype", dtypeName(parameter.dtype)},
            {"mode", parameter.scalar() ? "in" : parameter.mode}};
  if (!parameter.scalar()) json["shape"] = parameter.shape;
  return json;
}

Json launchJson(target::LaunchOp launch) {
  Json json{{"kernel", launch.getKernel().str()}};
  if (launch.getGrid()) json["groups"] = launch.getGrid()->str();
  if (launch.getGroup() > 0) json["group_size"] = launch.getGroup();
  auto kernel = launch->getParentOfType<ModuleOp>().lookupSymbol<target::KernelOp>(launch.getKernel());
  if (auto schedule = kernel ? kernel->getAttrOfType<DictionaryAttr>("schedule") : DictionaryAttr())
    for (NamedAttribute size : schedule)
      if (auto value = dyn_cast<IntegerAttr>(size.getValue())) json["schedule"][size.getName().str()] = value.getInt();
  if (launch.getSharedBytes()) json["dynamic_shared_bytes"] = launch.getSharedBytes()->vec();
  if (launch.getCapacitiesAttr())
    for (auto capacity : launch.getCapacitiesAttr().getAsRange<target::CapacityAttr>())
      json["capacities"][capacity.getDim().str()] = capacity.getValues().asArrayRef().vec();
  return json;
}

Json entryJson(const EntryFacts &entry) {
  Json json{{"name", entry.name}, {"symbol", entry.symbol}, {"call", entry.name + "_call"}, {"signature", entry.signature}};
  if (!entry.doc.empty()) json["doc"] = entry.doc;
  json["dims"] = entry.dims;
  json["parameters"] = Json::array();
  for (const ParameterFacts &parameter : entry.parameters) json["parameters"].push_back(parameterJson(parameter));
  json["results"] = entry.returns;
  json["requirements"] = Json::array();
  for (target::RequireOp require : entry.requirements)
    json["requirements"].push_back({{"text", require.getText().str()},
                                    {"left", require.getLeft().str()},
                                    {"relation", require.getRelation().str()},
                                    {"right", require.getRight().str()}});
  Operation *op = target::EntryOp(entry.entry);
  json["rounding"] = textAttr(op, "rounding", "store");
  json["determinism"] = textAttr(op, "determinism", "reproducible");
  json["workspace_bytes"] = entry.workspaceBytes().str();
  json["launches"] = Json::array();
  for (target::LaunchOp launch : entry.launches) json["launches"].push_back(launchJson(launch));
  return json;
}

Json stringList(Attribute attribute) {
  Json list = Json::array();
  if (auto array = dyn_cast_or_null<ArrayAttr>(attribute))
    for (Attribute element : array)
      if (auto text = dyn_cast<StringAttr>(element)) list.push_back(text.getValue().str());
  return list;
}

}  // namespace

std::string manifestText(ModuleOp module, const std::vector<EntryFacts> &entries, const ManifestFacts &facts) {
  const char *device = facts.language->target == Target::Cuda ? "cuda" : facts.language->target == Target::Hip ? "hip" : "cpu";
  Json json;
  json["version"] = 1;
  json["name"] = facts.name;
  if (!facts.program.empty()) json["program"] = baseName(facts.program);
  json["target"] = {{"device", device}};
  if (!facts.arch.empty()) json["target"]["arch"] = facts.arch;
  if (auto wave = module->getAttrOfType<IntegerAttr>(ir::target::waveAttrName)) json["target"]["wave"] = wave.getInt();
  json["target"]["features"] = stringList(module->getAttr("target.features"));
  json["emulated_dtypes"] = stringList(module->getAttr("target.emulated"));
  json["tools"] = Json::object();
  for (const auto &[tool, version] : facts.tools) json["tools"][tool] = version;
  json["entries"] = Json::array();
  for (const EntryFacts &entry : entries) json["entries"].push_back(entryJson(entry));
  json["program_main"] = static_cast<bool>(module.lookupSymbol<target::HostFuncOp>("main"));
  return json.dump(2) + "\n";
}

}  // namespace tessera::codegen
