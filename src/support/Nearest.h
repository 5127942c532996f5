// The nearest of some names to one that is not known, for messages.
#pragma once
#include <string_view>
#include <vector>

namespace tessera {

/// The candidate nearest to `name` by edit distance (insert, delete, replace, exchange two neighbours), or nothing: it
/// may differ in a third of the letters, at least in one. One letter is near nothing. The first of equals wins, and
/// one that differs in upper and lower case only comes before all others.
std::string_view nearestName(std::string_view name, const std::vector<std::string_view> &candidates);

}  // namespace tessera
