#include "diag/Diagnostic.h"
#include "sema/advice/Foreign.h"
#include "sema/calls/Calls.h"
#include <algorithm>
#include <string>

namespace tessera::sema {

/// The only name that one of the two begins: `pad` for `padding`.
static std::string_view onlyBeginning(std::string_view keyword, const std::vector<std::string_view> &names) {
  std::string_view found;
  for (std::string_view name : names) {
    size_t common = std::min(name.size(), keyword.size());
    if (name.substr(0, common) != keyword.substr(0, common)) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

std::string_view nearArgument(std::string_view keyword, const std::vector<std::string_view> &names,
                              const std::vector<std::string_view> &missing) {
  for (std::string_view ours : argumentsHere(keyword))
    if (std::find(names.begin(), names.end(), ours) != names.end()) return ours;
  if (!wordsForKeyword(keyword).empty() || !keywordInstead(keyword).empty()) return {};
  std::string_view near = diag::didYouMean(std::string(keyword), names);
  if (near.empty()) near = onlyBeginning(keyword, names);
  for (std::string_view name : names)  // `label_smoothing`
    if (near.empty() && keyword.size() > name.size() + 1 && keyword.ends_with(name) &&
        keyword[keyword.size() - name.size() - 1] == '_')
      near = name;
  return near.empty() && missing.size() == 1 ? missing.front() : near;
}

}  // namespace tessera::sema
