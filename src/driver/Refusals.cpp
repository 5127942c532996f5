#include "driver/Refusals.h"
#include <nlohmann/json.hpp>

namespace tessera::driver {

std::vector<Refusal> refusalsOf(const std::string &manifest) {
  std::vector<Refusal> refusals;
  const nlohmann::json parsed = nlohmann::json::parse(manifest);
  for (const auto &entry : parsed.at("entries")) {
    if (!entry.contains("launches")) continue;
    for (const auto &launch : entry.at("launches")) {
      if (!launch.contains("why_not")) continue;
      for (const auto &[instruction, why] : launch.at("why_not").items()) refusals.push_back({entry.at("name"), instruction, why});
    }
  }
  return refusals;
}

}  // namespace tessera::driver
