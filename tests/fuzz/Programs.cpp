#include "Exercise.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera::fuzz {
namespace fs = std::filesystem;

std::vector<std::string> programsBelow(const std::string &folder) {
  std::vector<std::string> texts;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(fs::path(TSR_SOURCE_DIR) / folder))
    if (entry.path().extension() == ".tsr") {
      std::ifstream in(entry.path(), std::ios::binary);
      std::stringstream text;
      text << in.rdbuf();
      texts.push_back(text.str());
    }
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace tessera::fuzz
