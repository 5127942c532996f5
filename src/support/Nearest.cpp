#include "support/Nearest.h"
#include <algorithm>
#include <cctype>
#include <utility>

namespace tessera {

std::string_view nearestName(std::string_view name, const std::vector<std::string_view> &candidates) {
  std::string_view best;
  auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (std::string_view candidate : candidates)
    if (candidate != name && std::equal(name.begin(), name.end(), candidate.begin(), candidate.end(), same))
      return candidate;
  constexpr size_t kLongest = 128;  // the work grows with the square
  if (name.size() < 2 || name.size() > kLongest) return best;  // of one letter any other would be near
  size_t bestDistance = std::max<size_t>(1, name.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    size_t longer = std::max(name.size(), candidate.size()), shorter = std::min(name.size(), candidate.size());
    bool begins = name.substr(0, shorter) == candidate.substr(0, shorter);
    if (longer - shorter >= bestDistance || (longer < 3 && !begins)) continue;  // `dw` is not meant by `db`
    // Optimal string alignment: rows i-2, i-1 and i of the table of distances between beginnings.
    std::vector<size_t> before, above(candidate.size() + 1), row(candidate.size() + 1);
    for (size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= name.size(); ++i) {
      before = std::exchange(above, row);
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (name[i - 1] != candidate[j - 1])});
        bool swapped = i > 1 && j > 1 && name[i - 1] == candidate[j - 2] && name[i - 2] == candidate[j - 1];
        if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    if (row.back() < bestDistance) bestDistance = row.back(), best = candidate;
  }
  return best;
}

}  // namespace tessera
