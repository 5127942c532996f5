// Sizes with which a kernel is tried out.
#include "sema/races/Simulation.h"
#include <algorithm>

namespace tessera::sema::races {
namespace {

bool satisfies(const Sizes &sizes, const Requirement &fact) {
  auto valueOf = [&](const std::string &name) -> std::optional<int64_t> {
    auto it = sizes.find(name);
    return it == sizes.end() ? std::nullopt : std::optional(it->second);
  };
  auto left = fact.left.evaluate(valueOf), right = fact.right.evaluate(valueOf);
  if (!left || !right) return false;
  switch (fact.relation) {
  case Relation::Eq: return *left == *right;
  case Relation::Ne: return *left != *right;
  case Relation::Lt: return *left < *right;
  case Relation::Le: return *left <= *right;
  case Relation::Gt: return *left > *right;
  case Relation::Ge: return *left >= *right;
  }
  return false;
}

bool satisfiesAll(const Sizes &sizes, const Function &kernel) {
  return std::all_of(kernel.requirements.begin(), kernel.requirements.end(),
                     [&](const Requirement &fact) { return satisfies(sizes, fact); });
}

/// What the compiler might choose where the schedule says nothing.
const Sizes &usualSizes() {
  static const Sizes sizes = {{"m", 16},     {"n", 16},     {"k", 16},      {"warps", 4},
                              {"stages", 2}, {"vector", 4}, {"split_k", 1}};
  return sizes;
}

}  // namespace

std::vector<Sizes> sizesToTry(const Function &kernel) {
  Sizes fixed;
  for (const auto &[field, size] : usualSizes()) fixed["T." + field] = size;
  for (const auto &[field, size] : kernel.kernel.schedule.sizes) fixed["T." + field] = size;
  std::vector<std::string> free = kernel.dims;
  for (const Param &param : kernel.params)
    if (param.var->type.kind == TypeKind::Index && param.var->type.shape.empty()) free.push_back(param.var->name);
  std::vector<Sizes> tries;
  uint32_t random = 12345;
  // Loops over a dimension make several turns with the large ones, also in steps of a group or a block.
  for (int64_t base : {1, 2, 3, 8, 40, 130, 300, 520}) {
    Sizes sizes = fixed;
    for (const std::string &name : free) sizes[name] = base;
    bool good = satisfiesAll(sizes, kernel);
    const int64_t near[] = {base, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 2 * base, 3 * base};
    for (int attempt = 0; attempt < 200 && !good; ++attempt) {
      for (const std::string &name : free) {
        random = random * 1664525u + 1013904223u;
        sizes[name] = near[(random >> 16) % std::size(near)];
      }
      good = satisfiesAll(sizes, kernel);
    }
    if (good && std::find(tries.begin(), tries.end(), sizes) == tries.end()) tries.push_back(std::move(sizes));
    if (free.empty()) break;
  }
  return tries;
}

}  // namespace tessera::sema::races
