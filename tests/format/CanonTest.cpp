// The canon is the style's reference: most of it is laid out as the formatter would; the rest has goldens.
#include "FormatTesting.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera::frontend {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(FormatCanon, IsItsOwnFormOrHasAGolden) {
  fs::path root = TSR_SOURCE_DIR;
  size_t files = 0, unchanged = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(root / "tests/canon")) {
    if (entry.path().extension() != ".tsr") continue;
    ++files;
    std::string text = read(entry.path());
    SCOPED_TRACE(entry.path().filename().string());
    std::string out = formatChecked(text);
    fs::path golden = root / "tests/format/golden" / entry.path().filename();
    if (out == text) {
      ++unchanged;
      EXPECT_FALSE(fs::exists(golden)) << "the golden is not needed any more";
      continue;
    }
    if (std::getenv("TESSERA_UPDATE_GOLDENS")) std::ofstream(golden, std::ios::binary) << out;
    EXPECT_EQ(out, read(golden));
  }
  EXPECT_GE(files, 13u);
  EXPECT_GE(unchanged, 10u);
}

}  // namespace
}  // namespace tessera::frontend
