#include "support/MeshDims.h"
#include "support/Check.h"
#include <algorithm>
#include <set>
#include <string_view>

namespace tessera {

namespace {
constexpr std::string_view kSize = "mesh.size.", kIndex = "mesh.index.", kRank = "mesh.rank";
}  // namespace

std::string MeshDim::name() const {
  switch (what) {
  case MeshNumber::Size: return std::string(kSize) + axis;
  case MeshNumber::Index: return std::string(kIndex) + axis;
  case MeshNumber::Rank: return std::string(kRank);
  }
  TSR_UNREACHABLE("a number of the mesh of no kind");
}

std::string_view MeshDim::function() const {
  switch (what) {
  case MeshNumber::Size: return "axis_size";
  case MeshNumber::Index: return "axis_index";
  case MeshNumber::Rank: return "rank";
  }
  TSR_UNREACHABLE("a number of the mesh of no kind");
}

std::string MeshDim::word() const {
  return what == MeshNumber::Rank ? "rank" : axis + (what == MeshNumber::Size ? "_size" : "_index");
}

std::string MeshDim::call() const { return std::string(function()) + (axis.empty() ? "()" : "(\"" + axis + "\")"); }

std::optional<MeshDim> meshDim(const std::string &variable) {
  if (variable == kRank) return MeshDim{MeshNumber::Rank, {}};
  for (auto [prefix, what] : {std::pair(kSize, MeshNumber::Size), std::pair(kIndex, MeshNumber::Index)})
    if (variable.compare(0, prefix.size(), prefix) == 0) return MeshDim{what, variable.substr(prefix.size())};
  return std::nullopt;
}

std::vector<MeshDim> meshDimsOf(const Dim &dim) {
  std::set<std::string> vars;
  dim.collectVars(vars);
  std::vector<MeshDim> found;
  for (const std::string &var : vars)
    if (auto one = meshDim(var)) found.push_back(std::move(*one));
  return found;
}

std::optional<int64_t> meshNumberAlone(const std::string &variable) {
  auto one = meshDim(variable);
  if (!one) return std::nullopt;
  return one->what == MeshNumber::Size ? 1 : 0;
}

Dim spokenDim(const Dim &dim) {
  std::map<std::string, Dim> words;
  for (const MeshDim &one : meshDimsOf(dim)) words.emplace(one.name(), Dim::var(one.call()));
  return words.empty() ? dim : dim.substitute(words);
}

bool variesBetweenDevices(const Dim &dim) {
  const std::vector<MeshDim> found = meshDimsOf(dim);
  return std::any_of(found.begin(), found.end(), [](const MeshDim &one) { return one.what != MeshNumber::Size; });
}

}  // namespace tessera
