#include "driver/Requirements.h"
#include "checked/FloatWork.h"
#include "codegen/EntryFacts.h"
#include "shape/Facts.h"
#include <algorithm>
#include <cstdio>

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

/// Whether it holds for all sizes that the function admits.
bool holds(const Function &function, const ResourceClaim &claim, const Dim &takes) {
  const Dim used = at(takes, claim), most = at(claim.most, claim);
  if (used.isConstant() && most.isConstant()) return used.constant() <= most.constant();
  shape::Facts facts;
  for (const std::string &dim : function.dims) facts.addNonNegative(Dim::var(dim));
  for (const checked::Requirement &fact : function.requirements) {
    shape::Claim given = fact.claim();
    facts.add(shape::asFormula({at(given.left, claim), given.relation, at(given.right, claim)}));
  }
  return facts.proves(shape::Formula(used, shape::Relation::Le, most));
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

}  // namespace

bool keepToRequirements(const checked::Program &program, mlir::ModuleOp target, const Sources &sources, diag::Engine &diagnostics) {
  bool all = true;
  std::vector<codegen::EntryFacts> entries;
  for (const auto &function : program.functions) {
    if (function->resources.empty()) continue;
    if (entries.empty()) entries = codegen::entriesOf(target);
    auto entry = std::find_if(entries.begin(), entries.end(), [&](const codegen::EntryFacts &facts) { return facts.name == function->name; });
    if (entry == entries.end()) continue;  // not asked for
    for (const ResourceClaim &claim : function->resources)
      all &= keepsTo(*function, claim, claim.of == Resource::Workspace ? std::optional(entry->workspaceBytes()) : checked::floatWork(*function), sources, diagnostics);
  }
  return all;
}

void keepToWork(const checked::Program &program, const Sources &sources, diag::Engine &diagnostics) {
  for (const auto &function : program.functions)
    for (const ResourceClaim &claim : function->resources)
      if (claim.of == Resource::Flops) keepsTo(*function, claim, checked::floatWork(*function), sources, diagnostics);
}

}  // namespace tessera::driver
