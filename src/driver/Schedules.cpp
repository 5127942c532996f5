#include "driver/Schedules.h"
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace tessera::driver {

namespace {
/// Tiles before what else there is.
size_t rankOf(const std::string &size) {
  static const char *const tiles[] = {"m", "n", "k"};
  return static_cast<size_t>(std::find(std::begin(tiles), std::end(tiles), size) - std::begin(tiles));
}
}  // namespace

std::vector<KernelSchedule> schedulesOf(const std::string &manifest) {
  std::vector<KernelSchedule> schedules;
  const nlohmann::json parsed = nlohmann::json::parse(manifest);
  for (const auto &entry : parsed.at("entries")) {
    if (!entry.contains("launches")) continue;
    for (const auto &launch : entry.at("launches")) {
      KernelSchedule kernel{entry.at("name"), launch.at("kernel"), {}, launch.value("group_size", int64_t{0})};
      if (auto schedule = launch.find("schedule"); schedule != launch.end())
        for (const auto &[name, size] : schedule->items()) kernel.sizes.push_back({name, size.is_string() ? size.get<std::string>() : size.dump()});
      std::sort(kernel.sizes.begin(), kernel.sizes.end(),
                [](const auto &a, const auto &b) { return std::pair(rankOf(a.first), a.first) < std::pair(rankOf(b.first), b.first); });
      schedules.push_back(std::move(kernel));
    }
  }
  return schedules;
}

}  // namespace tessera::driver
