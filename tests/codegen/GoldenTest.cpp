// Emitted text against tests/codegen/golden. TESSERA_UPDATE_GOLDENS=1 writes the goldens.
#include "EmitCase.h"
#include <cstdlib>

using namespace tessera::codegen;

namespace {

void compare(const std::string &file, const std::string &text) {
  std::string path = sourceDir() + "/tests/codegen/golden/" + file;
  if (std::getenv("TESSERA_UPDATE_GOLDENS")) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(readText(path), text) << "for " << path;
}

class Golden : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(Golden, IsWhatIsEmitted) {
  auto [name, device] = GetParam();
  Case input(name, device);
  ASSERT_TRUE(input.module);
  Emitted first = emit(*input.module, optionsFor(name));
  Emitted second = emit(*input.module, optionsFor(name));
  EXPECT_EQ(first.source, second.source) << "printing changed the module";
  compare(name + first.suffix, first.source);
  compare(std::string(name) + first.suffix + ".h", first.header);
  compare(std::string(name) + first.suffix + ".json", first.manifest);
  compare(std::string(name) + first.suffix + ".map.json", first.lineMap);
  std::istringstream lines(first.source);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden,
                         testing::Values(std::pair("saxpy", "cuda"), std::pair("saxpy", "hip"), std::pair("matmul", "cuda"),
                                         std::pair("matmul", "hip"), std::pair("attend", "cuda"), std::pair("attend", "hip"),
                                         std::pair("syntax", "cuda"), std::pair("saxpy_cpu", "cpu"),
                                         std::pair("program_cpu", "cpu")),
                         [](const auto &info) { return std::string(info.param.first) + "_" + info.param.second; });

TEST(LineDirectives, SpeakOfTheProgram) {
  Case input("saxpy", "cuda");
  ASSERT_TRUE(input.module);
  EmitOptions options = optionsFor("saxpy");
  options.lineDirectives = true;
  std::string source = emit(*input.module, options).source;
  EXPECT_NE(source.find("#line 12 \"saxpy.tsr\"\n"), std::string::npos) << source;
  EXPECT_EQ(source.find("// saxpy.tsr:12"), std::string::npos);
}

}  // namespace
