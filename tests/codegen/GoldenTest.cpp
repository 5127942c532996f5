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

/// The number of a compile's files changes with each character of them; in the goldens it is 0.
std::string withoutNumber(std::string text, const std::string &number) {
  for (size_t at; (at = text.find(number)) != std::string::npos;) text.replace(at, number.size(), std::string(number.size(), '0'));
  return text;
}

class Golden : public testing::TestWithParam<std::pair<const char *, const char *>> {};

TEST_P(Golden, IsWhatIsEmitted) {
  auto [name, device] = GetParam();
  Case input(name, device);
  ASSERT_TRUE(input.module);
  Emitted first = emit(*input.module, optionsFor(name));
  Emitted second = emit(*input.module, optionsFor(name));
  EXPECT_EQ(first.source, second.source) << "printing changed the module";
  compare(name + first.suffix, withoutNumber(first.source, first.set));
  compare(std::string(name) + first.suffix + ".h", withoutNumber(first.header, first.set));
  compare(std::string(name) + first.suffix + ".json", withoutNumber(first.manifest, first.set));
  compare(std::string(name) + first.suffix + ".map.json", withoutNumber(first.lineMap, first.set));
  for (const std::string *file : {&first.source, &first.header, &first.cppHeader, &first.manifest, &first.lineMap})
    EXPECT_NE(file->find(first.set), std::string::npos) << *file;
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

TEST(SetNumber, IsOfAllThatIsEmitted) {
  Case one("saxpy", "cuda"), other("matmul", "cuda");
  EmitOptions options = optionsFor("saxpy");
  Emitted first = emit(*one.module, options);
  EXPECT_EQ(first.set.size(), 16u);
  EXPECT_EQ(first.set, emit(*one.module, options).set);
  EXPECT_NE(first.set, emit(*other.module, options).set);
  options.program = "0000000000000000 Set 0000000000000000.tsr";
  Emitted odd = emit(*one.module, options);
  EXPECT_NE(first.set, odd.set) << "the header speaks of another program";
  EXPECT_NE(odd.source.find("TESS_SET(" + odd.set + ")"), std::string::npos) << odd.source;
}

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
