// The manifest: what tools need to know about an emitted file, as JSON.
#include "codegen/DimText.h"
#include "codegen/Printers.h"
#include "codegen/Types.h"
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/KernelNotes.h"
#include "ir/common/Relations.h"
#include "ir/common/WhyNot.h"
#include "ir/common/WorkNotes.h"
#include "support/Check.h"
#include "support/Machine.h"
#include <nlohmann/json.hpp>
#include <set>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

using Json = nlohmann::ordered_json;

std::string textAttr(Operation *op, llvm::StringRef name, const std::string &otherwise) {
  auto attr = op->getAttrOfType<StringAttr>(name);
  return attr ? attr.getValue().str() : otherwise;
}

Json jsonOf(Attribute attribute) {
  if (auto truth = dyn_cast<BoolAttr>(attribute)) return truth.getValue();
  if (auto number = dyn_cast<IntegerAttr>(attribute)) return number.getInt();
  if (auto text = dyn_cast<StringAttr>(attribute)) return text.getValue().str();
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute)) return numbers.asArrayRef().vec();
  Json json;
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    json = Json::array();
    for (Attribute element : array) json.push_back(jsonOf(element));
    return json;
  }
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  TSR_CHECK(dictionary, "an attribute that the manifest has no form for");
  json = Json::object();
  for (NamedAttribute entry : dictionary) json[entry.getName().str()] = jsonOf(entry.getValue());
  return json;
}

Json parameterJson(const ParameterFacts &parameter, DictionaryAttr numerics) {
  Json json{{"name", parameter.name},
            {"symbol", parameter.symbol},
            {"kind", parameter.scalar() ? "scalar" : "tensor"},
            {"dtype", dtypeName(parameter.dtype)},
            {"mode", parameter.scalar() ? "in" : parameter.mode}};
  if (!parameter.scalar()) json["shape"] = parameter.shape;
  else if (!parameter.shape.empty()) json["dim"] = parameter.shape[0];
  if (Attribute mine = numerics ? numerics.get(parameter.name) : Attribute()) json["numerics"] = jsonOf(mine);
  return json;
}

/// `prefetch = "k0=2, k1=4"` of a schedule: loop -> steps.
Json prefetchJson(llvm::StringRef text) {
  Json json = Json::object();
  llvm::SmallVector<llvm::StringRef> loops;
  text.split(loops, ", ");
  for (llvm::StringRef loop : loops) {
    auto [name, steps] = loop.split('=');
    int64_t count = 0;
    TSR_CHECK(!steps.getAsInteger(10, count), "a prefetch that is no number: " + loop.str());
    json[name.str()] = count;
  }
  return json;
}

Json tuningJson(target::KernelOp kernel) {
  Json json;
  if (auto space = kernel->getAttr("space")) json["space"] = jsonOf(space);
  auto options = kernel->getAttrOfType<DictionaryAttr>("options");
  for (llvm::StringRef field : {"metric", "budget_ms", "cache"})
    if (auto text = options ? options.getAs<StringAttr>(field) : StringAttr())
      json[field.str()] = field == "budget_ms" ? Json(std::stoll(text.str())) : Json(text.str());
  return json;
}

Json scheduleJson(target::KernelOp kernel, DictionaryAttr sizes) {
  Json json;
  if (sizes) json = jsonOf(sizes);
  auto options = kernel->getAttrOfType<DictionaryAttr>("options");
  for (NamedAttribute option : options ? options.getValue() : llvm::ArrayRef<NamedAttribute>()) {
    llvm::StringRef name = option.getName().strref();
    if (name == "metric" || name == "budget_ms" || name == "cache") continue;  // the tuner's
    auto text = cast<StringAttr>(option.getValue());
    json[name.str()] = name == "prefetch" ? prefetchJson(text.getValue()) : Json(text.str());
  }
  return json;
}

/// What a launch does and should take, in formulas; nothing where that depends on data, or on sizes beyond 64 bits.
Json predictionJson(target::LaunchOp launch, target::KernelOp kernel) {
  Json json;
  auto noted = launch->getAttrOfType<DictionaryAttr>(ir::kWork);
  if (!noted) return json;
  const Work work = ir::workOf(noted);
  auto onTensorCores = kernel->getAttrOfType<BoolAttr>(ir::kTensorCores);
  const Prediction prediction = predict(work, *ir::machineOf(launch->getParentOfType<ModuleOp>()), onTensorCores && onTensorCores.getValue());
  Amount operations;
  for (const auto *list : {&work.products, &work.arithmetic})
    for (const auto &[dtype, count] : *list) operations += count;
  if (!operations.isDefined() || !prediction.memory.isDefined() || !prediction.products.isDefined() || !prediction.arithmetic.isDefined()) return json;
  json = {{"flops", operations.str()}, {"read_bytes", work.readBytes.str()}, {"written_bytes", work.writtenBytes.str()}};
  json["nanoseconds"] = {{"expected", prediction.formula()}, {"launch", prediction.launch.str()}, {"memory", prediction.memory.str()}};
  if (!work.groupProducts.empty()) json["nanoseconds"]["products"] = prediction.products.str();
  json["nanoseconds"]["arithmetic"] = prediction.arithmetic.str();
  if (!work.groupProducts.empty()) json["rounds"] = prediction.rounds.str();
  return json;
}

/// A condition of the entry function on sizes: "M <= 16", "not (M <= 16)"; nothing where it asks data.
std::optional<std::string> conditionText(Attribute condition) {
  if (auto fact = dyn_cast<ir::RequirementAttr>(condition))
    return (fact.getLeft().getText() + " " + ir::relationText(fact.getRelation()) + " " + fact.getRight().getText()).str();
  auto words = dyn_cast<ArrayAttr>(condition);
  auto word = words ? dyn_cast<StringAttr>(words[0]) : StringAttr();
  if (!word || (word.getValue() != "not" && word.getValue() != "and" && word.getValue() != "or")) return std::nullopt;
  std::optional<std::string> first = conditionText(words[1]), second = words.size() > 2 ? conditionText(words[2]) : "";
  if (!first || !second) return std::nullopt;
  if (word.getValue() == "not") return "not (" + *first + ")";
  return "(" + *first + ") " + word.getValue().str() + " (" + *second + ")";
}

/// `numbers`: the constants in which the entry function writes the grid.
Json launchJson(target::LaunchOp launch, const std::map<std::string, Dim> &numbers) {
  auto form = launch->getAttrOfType<DictionaryAttr>(ir::kForm);  // of a kernel with several
  Json json{{"kernel", kernelText(launch)}};
  for (Attribute condition : launch.getWhen() ? launch.getWhen()->getValue() : llvm::ArrayRef<Attribute>())
    if (std::optional<std::string> text = conditionText(condition)) json["when"].push_back(*text);
  if (launch.getGrid()) json["groups"] = parseDim(launch.getGrid()->str()).substitute(numbers).str();
  if (launch.getGroup() > 0) json["group_size"] = launch.getGroup();
  if (launch.getSharedBytes()) json["dynamic_shared_bytes"] = launch.getSharedBytes()->vec();
  if (launch.getCapacitiesAttr())
    for (auto capacity : launch.getCapacitiesAttr().getAsRange<target::CapacityAttr>())
      json["capacities"][capacity.getDim().str()] = capacity.getValues().asArrayRef().vec();
  auto kernel = launch->getParentOfType<ModuleOp>().lookupSymbol<target::KernelOp>(launch.getKernel());
  TSR_CHECK(kernel, "a launch of a kernel that is not there: " + launch.getKernel().str());
  auto said = [&](llvm::StringRef name) { return form && form.get(name) ? form.get(name) : kernel->getAttr(name); };
  if (Json schedule = scheduleJson(kernel, dyn_cast_or_null<DictionaryAttr>(said("schedule"))); !schedule.is_null()) json["schedule"] = schedule;
  if (auto shared = dyn_cast_or_null<DenseI64ArrayAttr>(said(ir::kSharedMemory))) json["shared_bytes"] = *llvm::max_element(shared.asArrayRef());
  if (auto onTensorCores = kernel->getAttrOfType<BoolAttr>(ir::kTensorCores)) json["tensor_cores"] = onTensorCores.getValue();
  if (auto refused = kernel->getAttr(ir::kWhyNot)) json["why_not"] = jsonOf(refused);
  if (auto idle = kernel->getAttr("without_effect")) json["without_effect"] = jsonOf(idle);
  if (Json tuning = tuningJson(kernel); !tuning.is_null()) json["tuning"] = tuning;
  if (Json prediction = predictionJson(launch, kernel); !prediction.is_null()) json["predicted"] = prediction;
  if (auto accesses = kernel->getAttr("accesses")) json["accesses"] = jsonOf(accesses);
  return json;
}

/// Dtypes of values, of what is in memory and of the tensors, that the target computes on in a wider type.
Json emulatedJson(ModuleOp module, Target target) {
  std::set<DType> used;
  auto note = [&](Type type) {
    type.walk([&](Type inner) {
      if (std::optional<DType> dtype = ir::dtypeOf(inner)) used.insert(*dtype);
    });
  };
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) note(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes()) note(type);
    if (auto temporary = dyn_cast<target::TemporaryOp>(op)) note(temporary.getDtype());
    if (auto table = dyn_cast<target::TableOp>(op)) note(table.getDtype());
    if (auto entry = dyn_cast<target::EntryOp>(op))
      for (auto parameter : entry.getParameters().getAsRange<target::ParameterAttr>())
        note(parameter.getDtype());
  });
  Json json = Json::array();
  for (DType dtype : used)
    if (isEmulated(dtype, target)) json.push_back(std::string(name(dtype)));
  return json;
}

Json temporaryJson(const EntryFacts &entry, target::TemporaryOp temporary) {
  Json json{{"name", temporary.getName().str()}, {"dtype", dtypeName(temporary.getDtype())}, {"bytes", EntryFacts::bytesOf(temporary).str()}};
  json["shape"] = Json::array();
  for (auto extent : temporary.getShape().getAsRange<StringAttr>()) json["shape"].push_back(extent.getValue().str());
  if (temporary.getWithin()) json["within"] = {{"name", temporary.getWithin()->str()}, {"offset", temporary.getOffset()->str()}};
  const auto [first, last] = entry.lifeOf(temporary);
  json["launches"] = {first, last};
  return json;
}

Json entryJson(const EntryFacts &entry) {
  Json json{{"name", entry.name},
            {"symbol", entry.symbol},
            {"call", entry.call},
            {"signature", entry.signature}};
  if (!entry.doc.empty()) json["doc"] = entry.doc;
  json["dims"] = entry.dims;
  json["parameters"] = Json::array();
  auto numerics = target::EntryOp(entry.entry)->getAttrOfType<DictionaryAttr>("tsr.numerics");
  for (const ParameterFacts &parameter : entry.parameters)
    json["parameters"].push_back(parameterJson(parameter, numerics));
  json["results"] = entry.returns;
  json["requirements"] = Json::array();
  for (target::RequireOp require : entry.requirements)
    json["requirements"].push_back({{"text", require.getText().str()},
                                    {"left", require.getLeft().str()},
                                    {"relation", require.getRelation().str()},
                                    {"right", require.getRight().str()}});
  Operation *op = target::EntryOp(entry.entry);
  json["effects"] = Json::array();
  if (auto effects = op->getAttrOfType<ArrayAttr>("tsr.effects"))
    for (auto effect : effects.getAsRange<StringAttr>()) json["effects"].push_back(effect.str());
  for (const SpecialFacts &special : entry.specials) {
    Json sizes = Json::object();
    for (const auto &[dim, size] : special.sizes) sizes[dim] = size;
    json["specials"].push_back({{"name", special.name}, {"sizes", sizes}});
  }
  json["determinism"] = textAttr(op, "determinism", "reproducible");
  json["workspace_bytes"] = entry.workspaceBytes().str();
  for (target::TemporaryOp temporary : entry.temporaries) json["temporaries"].push_back(temporaryJson(entry, temporary));
  json["launches"] = Json::array();
  std::map<std::string, Dim> numbers;
  for (target::ConstantOp constant : entry.constants)
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      numbers.emplace(constant.getName().str(), Dim(number.getInt()));
  for (target::LaunchOp launch : entry.launches) json["launches"].push_back(launchJson(launch, numbers));
  for (Operation *step : entry.steps)
    if (auto exchange = dyn_cast<target::ExchangeOp>(step))
      json["exchanges"].push_back({{"kind", exchange.getKind().str()}, {"axis", exchange.getOver().str()}, {"count", exchange.getCount().str()}, {"source", exchange.getSource().str()}, {"target", exchange.getTarget().str()}});
  return json;
}

}  // namespace

std::string manifestText(ModuleOp module, const std::vector<EntryFacts> &entries,
                         const ManifestFacts &facts) {
  Json json;
  json["version"] = 1;
  json["set"] = kNoSet;
  json["name"] = facts.name;
  if (!facts.program.empty()) json["program"] = baseName(facts.program);
  json["target"] = {{"device", familyName(facts.machine->family)}, {"machine", facts.machine->name}};
  json["target"]["features"] = facts.features;
  json["emulated_dtypes"] = emulatedJson(module, facts.machine->family);
  json["tools"] = Json::object();
  for (const auto &[tool, version] : facts.tools) json["tools"][tool] = version;
  json["entries"] = Json::array();
  for (const EntryFacts &entry : entries) json["entries"].push_back(entryJson(entry));
  for (const auto &[name, reason] : facts.leftOut) json["left_out"].push_back({{"name", name}, {"reason", reason}});
  json["program_main"] = static_cast<bool>(module.lookupSymbol<target::HostFuncOp>("main"));
  return json.dump(2) + "\n";
}

}  // namespace tessera::codegen
