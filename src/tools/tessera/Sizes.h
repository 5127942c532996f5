// Sizes of dimensions as a command line gives them, for commands that work with the entries of a manifest.
#pragma once
#include "driver/Work.h"
#include "support/Result.h"
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera::tools {

/// "B=8,S=1024"
Result<driver::Sizes> parseSizes(const std::string &text);
/// "B=8, S=1024"
std::string sizesText(const driver::Sizes &sizes);
/// A line for each kernel of a call: what it does, the least that it takes, what it should take, and what limits it.
std::string workText(const std::vector<driver::KernelWork> &works, const Machine &machine);
/// Names in quotes with commas between.
std::string listed(const std::vector<std::string> &names);
/// The entry with this name; the only one where the name is empty. Its dimensions and those of the sizes are the same.
Result<nlohmann::json> entryOf(const nlohmann::json &manifest, const std::string &path, const std::string &function, const driver::Sizes &sizes);

}  // namespace tessera::tools
