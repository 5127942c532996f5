#include "tools/tessera/Sizes.h"
#include <algorithm>

namespace tessera::tools {

Result<driver::Sizes> parseSizes(const std::string &text) {
  driver::Sizes sizes;
  const Failure wrong{"`--sizes " + text + "` is not of the form B=8,S=1024"};
  for (size_t at = 0; at < text.size();) {
    size_t comma = std::min(text.find(',', at), text.size()), equals = text.find('=', at);
    if (equals >= comma || equals == at || equals + 1 == comma || comma - equals > 18) return wrong;
    const std::string digits = text.substr(equals + 1, comma - equals - 1);
    if (digits.find_first_not_of("0123456789") != std::string::npos) return wrong;
    sizes[text.substr(at, equals - at)] = std::stoll(digits);
    at = comma + 1;
  }
  return sizes;
}

std::string sizesText(const driver::Sizes &sizes) {
  std::string text;
  for (const auto &[name, size] : sizes) text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  return text;
}

std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

Result<nlohmann::json> entryOf(const nlohmann::json &manifest, const std::string &path, const std::string &function, const driver::Sizes &sizes) {
  std::vector<std::string> names;
  const nlohmann::json *entry = nullptr;
  for (const nlohmann::json &one : manifest.at("entries")) {
    names.push_back(one.at("name"));
    if (names.back() == function) entry = &one;
  }
  if (!entry && function.empty() && names.size() == 1) entry = &manifest.at("entries").front();
  if (!entry) {
    const std::string has = names.empty() ? path + " has no function to call" : path + " has " + listed(names);
    return Failure{(function.empty() ? "say which function: " : "there is no function `" + function + "`: ") + has};
  }
  const std::string name = entry->at("name");
  const std::vector<std::string> dims = entry->at("dims");
  std::vector<std::string> missing, unknown;
  for (const std::string &dim : dims)
    if (!sizes.count(dim)) missing.push_back(dim);
  for (const auto &[dim, size] : sizes)
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) unknown.push_back(dim);
  if (!unknown.empty()) return Failure{"`" + name + "` has no dimension " + listed(unknown) + (dims.empty() ? "; it has none" : "; it has " + listed(dims))};
  if (!missing.empty()) return Failure{"--sizes says nothing about " + listed(missing) + " of `" + name + "`: " + missing[0] + "=8"};
  return *entry;
}

}  // namespace tessera::tools
