// Graph IR of the example programs, against texts that were read and found right.
// `TESSERA_UPDATE_GOLDENS=1 irgen_canon_test` writes them anew; read the difference before keeping it.
#include "autodiff/Expand.h"
#include "frontend/Parser.h"
#include "irgen/Irgen.h"
#include "sema/Check.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace tessera::irgen {
namespace {

std::string readFile(const std::filesystem::path &path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Parses, checks and generates one file with the standard library at hand.
struct Compilation {
  Sources sources;
  diag::Engine diagnostics;
  std::map<std::string, std::unique_ptr<ast::Module>> modules;
  mlir::MLIRContext context;
  std::unique_ptr<checked::Program> program;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  const ast::Module *parse(const std::string &name, const std::filesystem::path &path) {
    auto &slot = modules[name];
    if (!slot) slot = frontend::parse(sources, sources.add(name, readFile(path)), diagnostics);
    return slot.get();
  }
  const ast::Module *import(const std::string &dotted) {
    std::string relative = dotted;
    std::replace(relative.begin(), relative.end(), '.', '/');
    auto path = std::filesystem::path(TSR_SOURCE_DIR) / "stdlib" / (relative + ".tsr");
    return std::filesystem::exists(path) ? parse(relative + ".tsr", path) : nullptr;
  }
  void run(const std::string &file) {
    auto path = std::filesystem::path(TSR_SOURCE_DIR) / "tests/canon" / file;
    if (!std::filesystem::exists(path)) path = std::filesystem::path(TSR_SOURCE_DIR) / "tests/irgen/programs" / file;
    const ast::Module *main = parse(file, path);
    program = sema::check(
        *main, sources, [&](FileId, int, const std::string &dotted) { return import(dotted); }, diagnostics);
    if (!diagnostics.hasErrors()) autodiff::expand(*program, sources, diagnostics);
    if (!diagnostics.hasErrors()) module = generate(*program, sources, context, diagnostics);
  }
};

class Canon : public testing::TestWithParam<const char *> {};

TEST_P(Canon, GraphIr) {
  Compilation compilation;
  compilation.run(std::string(GetParam()) + ".tsr");
  for (const auto &diagnostic : compilation.diagnostics.all())
    ADD_FAILURE() << std::string(compilation.sources.text(diagnostic.span)) << ": " << diagnostic.message;
  ASSERT_TRUE(compilation.module);
  std::string text;
  llvm::raw_string_ostream stream(text);
  compilation.module->print(stream);
  auto golden = std::filesystem::path(TSR_SOURCE_DIR) / "tests/irgen/golden" / (std::string(GetParam()) + ".mlir");
  if (std::getenv("TESSERA_UPDATE_GOLDENS")) std::ofstream(golden) << text;
  EXPECT_EQ(text, readFile(golden)) << "TESSERA_UPDATE_GOLDENS=1 writes it anew";
}

INSTANTIATE_TEST_SUITE_P(Examples, Canon,
                         testing::Values("01_saxpy", "02_elementwise", "03_matmul", "04_softmax", "05_norms",
                                         "06_cooperative_reduction", "07_double_buffered_gemm", "08_flash_attention"),
                         [](const auto &info) { return std::string(info.param); });

INSTANTIATE_TEST_SUITE_P(Programs, Canon, testing::Values("shapes", "host"),
                         [](const auto &info) { return std::string(info.param); });

}  // namespace
}  // namespace tessera::irgen
