#include "driver/Requirements.h"
#include "checked/FloatWork.h"
#include "codegen/EntryFacts.h"
#include "ir/common/Common.h"
#include "ir/common/KernelNotes.h"
#include "ir/common/WhyNot.h"
#include "shape/Facts.h"
#include "support/Check.h"
#include "support/Machine.h"
#include <algorithm>
#include <cstdio>
#include <set>

namespace tessera::driver {

using checked::Function;
using checked::Resource;
using checked::ResourceClaim;

namespace {

std::string shownBytes(int64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  if (unit == 0) return std::to_string(bytes) + " B";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f ", value);
  return text + std::string(units[unit]);
}

std::string shown(Resource of, int64_t number) {
  return of == Resource::Workspace ? shownBytes(number) : std::to_string(number);
}

Dim at(const Dim &dim, const ResourceClaim &claim) {
  std::map<std::string, Dim> sizes;
  for (const auto &[name, size] : claim.sizes) sizes.emplace(name, Dim(size));
  return dim.substitute(sizes);
}

/// What is known of the function's dimensions where those of the claim have their sizes.
shape::Facts factsOf(const Function &function, const ResourceClaim &claim) {
  shape::Facts facts;
  for (const std::string &dim : function.dims) facts.addNonNegative(Dim::var(dim));
  for (const checked::Requirement &fact : function.requirements) {
    shape::Claim given = fact.claim();
    facts.add(shape::asFormula({at(given.left, claim), given.relation, at(given.right, claim)}));
  }
  return facts;
}

/// Whether it holds for all sizes that the function admits.
bool holds(const Function &function, const ResourceClaim &claim, const Dim &takes) {
  const Dim used = at(takes, claim), most = at(claim.most, claim);
  if (used.isConstant() && most.isConstant()) return used.constant() <= most.constant();
  return factsOf(function, claim).proves(shape::Formula(used, shape::Relation::Le, most));
}

std::string sizesText(const ResourceClaim &claim) {
  std::string text;
  for (const auto &[name, size] : claim.sizes) text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  return text;
}

void report(const Function &function, const ResourceClaim &claim, const Dim &takes, const Sources &sources, diag::Engine &diagnostics) {
  const Dim used = at(takes, claim), most = at(claim.most, claim);
  const bool isNumber = used.isConstant() && most.isConstant();
  std::string what = isNumber ? "it takes " + shown(claim.of, used.constant()) + (claim.sizes.empty() ? "" : " at " + sizesText(claim))
                              : "I cannot prove it for all sizes";
  auto message = diagnostics.report(diag::Id::requirementBroken, claim.span, function.name, std::string(sources.text(claim.span)), what);
  message.label(claim.of == Resource::Workspace ? "workspace = " + takes.str() + " bytes" : "flops = " + takes.str());
  if (!isNumber) {
    if (!claim.sizes.empty()) message.help("at " + sizesText(claim) + " it is " + used.str());
    message.help("say for which sizes it is meant: `@require(..., " + function.dims.front() + "=32)`");
  } else if (claim.of == Resource::Workspace) {
    message.help("`tessera memory` shows what a call keeps, between which launches");
  }
}

/// Whether a claim holds of a function that takes so much. Nothing: that depends on data. A message if it does not.
bool keepsTo(const Function &function, const ResourceClaim &claim, const std::optional<Dim> &takes, const Sources &sources, diag::Engine &diagnostics) {
  if (!takes)
    diagnostics.report(diag::Id::requirementBroken, claim.span, function.name, std::string(sources.text(claim.span)), "how many operations it does depends on data");
  else if (!holds(function, claim, *takes)) report(function, claim, *takes, sources, diagnostics);
  else return true;
  return false;
}

shape::Relation relationOf(ir::Relation relation) {
  switch (relation) {
  case ir::Relation::Eq: return shape::Relation::Eq;
  case ir::Relation::Ne: return shape::Relation::Ne;
  case ir::Relation::Lt: return shape::Relation::Lt;
  case ir::Relation::Le: return shape::Relation::Le;
  case ir::Relation::Gt: return shape::Relation::Gt;
  case ir::Relation::Ge: return shape::Relation::Ge;
  }
  TSR_UNREACHABLE("a relation that facts do not know");
}

/// The claims about the kernels that an entry function starts. Processors without tensor cores and shared memory are asked for neither.
class KernelClaims {
public:
  KernelClaims(const Function &function, const codegen::EntryFacts &entry, const Sources &sources, diag::Engine &diagnostics)
      : function_(function), sources_(sources), diagnostics_(diagnostics) {
    auto module = entry.entry->getParentOfType<mlir::ModuleOp>();
    for (ir::target::LaunchOp launch : entry.launches) launches_.emplace_back(launch, module.lookupSymbol<ir::target::KernelOp>(launch.getKernel()));
  }

  bool tensorCore(const ResourceClaim &claim) {
    bool any = false, all = true;
    for (auto [launch, kernel] : launches_) {
      auto onThem = kernel->getAttrOfType<mlir::BoolAttr>(ir::kTensorCores);
      any |= onThem && onThem.getValue();
      if (!onThem || onThem.getValue() || !all) continue;
      all = false;
      auto message = broken(claim, "tensor cores do not do every product of the kernel `" + kernel.getSymName().str() + "`");
      if (auto refused = kernel->getAttrOfType<mlir::DictionaryAttr>(ir::kWhyNot))
        for (mlir::NamedAttribute each : refused) message.help("no " + each.getName().str() + ": " + mlir::cast<mlir::StringAttr>(each.getValue()).str());
    }
    if (all && !any)
      broken(claim, "no kernel of it multiplies tiles, which is what tensor cores do")
          .help("a product with a single row or column is added up by lanes, as memory limits it; `tessera inspect` shows what was chosen");
    return all && any;
  }

  bool sharedMemory(const ResourceClaim &claim) {
    bool all = true;
    for (auto [launch, kernel] : launches_) {
      int64_t declared = 0;
      if (auto bytes = kernel->getAttrOfType<mlir::DenseI64ArrayAttr>(ir::kSharedMemory)) declared = *std::max_element(bytes.asArrayRef().begin(), bytes.asArrayRef().end());
      const bool isTooMuch = declared > claim.most.constant();
      const std::optional<Dim> held = isTooMuch ? std::nullopt : heldRows(launch, claim.most - Dim(declared));
      if (!isTooMuch && !held) continue;
      all = false;
      broken(claim, "a group of the kernel `" + kernel.getSymName().str() + "` takes " + (held ? (*held + Dim(declared)).str() + " bytes" : shownBytes(declared)))
          .help(held ? "rows are held in shared memory while they are read twice; a bound on their length, `where C <= 4096`, bounds it"
                     : "smaller tiles or fewer stages take less: `.block(...)`, `.k(...)`, `.stages(...)` of its schedule");
    }
    return all;
  }

private:
  struct Variant {
    shape::Formula when;             // that it is for, apart from alignment
    std::set<std::string> aligned;   // tensors that have to begin on whole vectors
    std::optional<Dim> held;         // bytes of rows in dynamic shared memory
  };
  static std::vector<Variant> variantsOf(ir::target::LaunchOp launch) {
    std::vector<Variant> variants;
    auto list = launch->getAttrOfType<mlir::ArrayAttr>("variants");
    if (!list) return variants;
    for (auto given : list.getAsRange<mlir::DictionaryAttr>()) {
      Variant variant;
      if (auto bytes = given.getAs<mlir::StringAttr>("shared")) variant.held = *Dim::parse(bytes.str());
      if (auto tensors = given.getAs<mlir::ArrayAttr>("aligned"))
        for (auto tensor : tensors.getAsRange<mlir::StringAttr>()) variant.aligned.insert(tensor.str());
      if (auto when = given.getAs<mlir::ArrayAttr>("when"))
        for (auto asked : when.getAsRange<ir::RequirementAttr>())
          variant.when.parts.emplace_back(asked.getLeft().getDim(), relationOf(asked.getRelation()), asked.getRight().getDim());
      variants.push_back(std::move(variant));
    }
    return variants;
  }

  /// Bytes of rows that a launch may hold beyond `most`: those of a variant that is not always behind one before it.
  std::optional<Dim> heldRows(ir::target::LaunchOp launch, const Dim &most) {
    const std::vector<Variant> variants = variantsOf(launch);
    for (size_t i = 0; i < variants.size(); ++i) {
      if (!variants[i].held) continue;
      shape::Facts facts = factsOf(function_, {});
      facts.add(variants[i].when);
      bool isReached = std::none_of(variants.begin(), variants.begin() + static_cast<std::ptrdiff_t>(i), [&](const Variant &before) {
        return std::includes(variants[i].aligned.begin(), variants[i].aligned.end(), before.aligned.begin(), before.aligned.end()) && facts.proves(before.when);
      });
      if (isReached && !facts.proves(shape::Formula(*variants[i].held, shape::Relation::Le, most))) return variants[i].held;
    }
    return std::nullopt;
  }
  diag::Builder broken(const ResourceClaim &claim, std::string what) {
    return diagnostics_.report(diag::Id::requirementBroken, claim.span, function_.name, std::string(sources_.text(claim.span)), std::move(what));
  }

  const Function &function_;
  const Sources &sources_;
  diag::Engine &diagnostics_;
  std::vector<std::pair<ir::target::LaunchOp, ir::target::KernelOp>> launches_;
};

/// A condition of an entry function, where dimensions of the claim have their sizes; nothing if it is no comparison of sizes.
std::optional<shape::Formula> formulaOf(mlir::Attribute condition, const ResourceClaim &claim) {
  if (auto asked = mlir::dyn_cast<ir::RequirementAttr>(condition))
    return shape::Formula(at(asked.getLeft().getDim(), claim), relationOf(asked.getRelation()), at(asked.getRight().getDim(), claim));
  auto words = mlir::dyn_cast<mlir::ArrayAttr>(condition);
  auto word = words && words.size() > 1 ? mlir::dyn_cast<mlir::StringAttr>(words[0]) : mlir::StringAttr();
  if (!word || (word != "not" && word != "and" && word != "or")) return std::nullopt;
  shape::Formula made;
  made.kind = word == "or" ? shape::Formula::Kind::Or : shape::Formula::Kind::And;
  for (mlir::Attribute part : words.getValue().drop_front()) {
    std::optional<shape::Formula> formula = formulaOf(part, claim);
    if (!formula) return std::nullopt;
    made.parts.push_back(std::move(*formula));
  }
  return word == "not" ? made.negated() : made;
}

/// What a call takes, without the temporaries of branches that the claim's sizes do not take.
Dim workspaceOf(const Function &function, const ResourceClaim &claim, const codegen::EntryFacts &entry) {
  const shape::Facts facts = factsOf(function, claim);
  return entry.workspaceBytes([&](mlir::Attribute condition) {
    std::optional<shape::Formula> formula = formulaOf(condition, claim);
    return formula && facts.proves(formula->negated());
  });
}

bool keepsTo(const Function &function, const ResourceClaim &claim, const codegen::EntryFacts &entry, bool isCpu, const Sources &sources, diag::Engine &diagnostics) {
  switch (claim.of) {
  case Resource::Workspace: return keepsTo(function, claim, workspaceOf(function, claim, entry), sources, diagnostics);
  case Resource::Flops: return keepsTo(function, claim, checked::floatWork(function), sources, diagnostics);
  case Resource::SharedMemory: return isCpu || KernelClaims(function, entry, sources, diagnostics).sharedMemory(claim);
  case Resource::TensorCore: return isCpu || KernelClaims(function, entry, sources, diagnostics).tensorCore(claim);
  case Resource::NoSpill: return true;  // nobody knows before the GPU's compiler has chosen registers (Spills.h)
  }
  TSR_UNREACHABLE("a resource");
}

}  // namespace

bool keepToRequirements(const checked::Program &program, mlir::ModuleOp target, const Sources &sources, diag::Engine &diagnostics) {
  bool all = true;
  std::vector<codegen::EntryFacts> entries;
  const Machine *machine = ir::machineOf(target);
  TSR_CHECK(machine, "a module of the target level without a machine");
  for (const auto &function : program.functions) {
    if (function->resources.empty()) continue;
    if (entries.empty()) entries = codegen::entriesOf(target);
    auto entry = std::find_if(entries.begin(), entries.end(), [&](const codegen::EntryFacts &facts) { return facts.name == function->name; });
    if (entry == entries.end()) continue;  // not asked for
    for (const ResourceClaim &claim : function->resources) all &= keepsTo(*function, claim, *entry, machine->family == Target::Cpu, sources, diagnostics);
  }
  return all;
}

void keepToWork(const checked::Program &program, const Sources &sources, diag::Engine &diagnostics) {
  for (const auto &function : program.functions)
    for (const ResourceClaim &claim : function->resources)
      if (claim.of == Resource::Flops) keepsTo(*function, claim, checked::floatWork(*function), sources, diagnostics);
}

}  // namespace tessera::driver
