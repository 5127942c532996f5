#include "driver/Spills.h"
#include "support/Check.h"
#include "llvm/Demangle/Demangle.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace tessera::driver {

using checked::Function;
using checked::Resource;
using checked::ResourceClaim;

namespace {

const ResourceClaim *claimOf(const Function &function) {
  auto found = std::find_if(function.resources.begin(), function.resources.end(), [](const ResourceClaim &claim) { return claim.of == Resource::NoSpill; });
  return found == function.resources.end() ? nullptr : &*found;
}

/// "mm_kernel" of "void (anonymous namespace)::mm_kernel<64>(float*)".
std::string nameIn(const std::string &mangled) {
  std::string text = llvm::demangle(mangled);
  static const std::regex name(R"((\w+)(<.*>)?\(.*)");
  const size_t scope = text.find("(anonymous namespace)::");
  if (scope != std::string::npos) text.erase(0, scope + std::string("(anonymous namespace)::").size());
  std::smatch found;
  return std::regex_search(text, found, name) ? found[1].str() : text;
}

}  // namespace

std::vector<Spill> spillsIn(Target target, const std::string &log) {
  static const std::regex ofPtxas(R"(Registers are spilled to local memory in function '(\w+)', (.*))");
  static const std::regex ofKernel(R"(Function Name: (\w+))"), ofClang(R"(VGPRs Spill: ([1-9]\d*))");
  std::vector<Spill> spills;
  std::istringstream in(log);
  std::string kernel;
  std::smatch found;
  for (std::string line; std::getline(in, line);) {
    if (target == Target::Cuda && std::regex_search(line, found, ofPtxas)) spills.push_back({nameIn(found[1]), found[2]});
    if (target == Target::Hip && std::regex_search(line, found, ofKernel)) kernel = found[1];
    if (target == Target::Hip && std::regex_search(line, found, ofClang)) spills.push_back({nameIn(kernel), found[1].str() + " vector registers"});
  }
  return spills;
}

std::vector<std::string> flagsForSpills(Target target, const checked::Program &program, const std::vector<std::string> &functions) {
  const bool isAsked = std::any_of(program.functions.begin(), program.functions.end(), [&](const auto &function) {
    return claimOf(*function) && (functions.empty() || std::find(functions.begin(), functions.end(), function->name) != functions.end());
  });
  if (!isAsked) return {};
  switch (target) {
  case Target::Cpu: return {};
  case Target::Cuda: return {"-Xptxas", "-warn-spills"};
  case Target::Hip: return {"-Rpass-analysis=kernel-resource-usage"};
  }
  TSR_UNREACHABLE("a target");
}

bool keepToRegisters(const checked::Program &program, const std::string &manifest, const std::vector<Spill> &spills, const Sources &sources,
                     diag::Engine &diagnostics) {
  if (spills.empty()) return true;
  bool all = true;
  const auto parsed = nlohmann::json::parse(manifest);
  for (const auto &entry : parsed.at("entries")) {
    const Function *function = program.find(entry.at("name").get<std::string>());
    const ResourceClaim *claim = function ? claimOf(*function) : nullptr;
    if (!claim) continue;
    std::set<std::string> kernels;
    if (entry.contains("launches"))
      for (const auto &launch : entry.at("launches")) kernels.insert(launch.at("kernel").get<std::string>());
    for (const Spill &spill : spills) {
      if (!kernels.erase(spill.kernel)) continue;  // once for all instances of a template
      all = false;
      diagnostics.report(diag::Id::requirementBroken, claim->span, function->name, std::string(sources.text(claim->span)), "the kernel `" + spill.kernel + "` keeps values in memory, as its registers are not enough")
          .label(spill.what)
          .help("smaller tiles, or more lanes a group, leave each lane fewer values to hold");
    }
  }
  return all;
}

}  // namespace tessera::driver
