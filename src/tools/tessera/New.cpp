// tessera new: a small project that runs.
#include "driver/Console.h"
#include "driver/Files.h"
#include "tools/tessera/Commands.h"
#include <cctype>
#include <cstdio>
#include <filesystem>

namespace tessera::tools {
namespace {

constexpr const char *kKernels = R"(# A kernel over rows: its body runs once for each. `tessera test` runs what stands below `@test`.


@kernel
def scale_rows[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    """Each row divided by its largest magnitude."""
    r, _ = tile.origin()
    v = x[r, :]
    return v / tile.max(tile.abs(v), axis=-1, keepdim=True)


@test(R=1, C=1)
@test(R=17, C=1009)
def largest_magnitude_is_one[R, C](x: Tensor[R, C, f32]):
    y = scale_rows(x)
    assert allclose(max(abs(y), axis=1), 1.0)
    assert allclose(y * max(abs(x), axis=1, keepdim=True), x)
)";

constexpr const char *kProgram = R"(# A program that runs by itself: `tessera run main.tsr`.
from .kernels import scale_rows


def table() -> Tensor[2, 3, f32]:
    return iota((2, 3), axis=1, dtype=f32) + 1.0


def main():
    scaled = scale_rows(table())
    for r, row in enumerate(scaled):
        print(f"row {r}: {row}")
)";

constexpr const char *kReadme = R"(# NAME

`kernels.tsr` holds the kernels; `main.tsr` calls them from a program, `main.cpp` from C++; `kernels_test.cpp` compares them
with plain loops.

```sh
tessera run main.tsr
tessera test                                    # the functions with @test of kernels.tsr
tessera run kernels.tsr scale_rows --random R=4,C=1000 --out y.npy
tesserac kernels.tsr -o kernels.cu              # readable CUDA C++; .hip and .cpp alike
```

With CMake, where Tessera is installed in a folder of its own, say so with `-D CMAKE_PREFIX_PATH=...`:

```sh
cmake -B build
cmake --build build
build/app
ctest --test-dir build --output-on-failure
```

`.github/workflows/test.yml` does the same on a code host. It takes Tessera from the archive whose address is the variable
`TESSERA_ARCHIVE` of the repository.
)";

constexpr const char *kCMake = R"(cmake_minimum_required(VERSION 3.24)
project(NAME LANGUAGES C CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(Tessera REQUIRED)

tessera_add_library(kernels SOURCES kernels.tsr TARGETS cpu)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE kernels)

enable_testing()
add_executable(kernels_test kernels_test.cpp)
target_link_libraries(kernels_test PRIVATE kernels)
add_test(kernels kernels_test)
)";

constexpr const char *kMain = R"(#include "kernels.hpp"
#include <cstdio>
#include <vector>

int main() {
  std::vector<float> x = {1, 2, 4, -8, 4, 2}, y(6);
  tessera::kernels::scale_rows({x, {2, 3}}, {y, {2, 3}});  // throws tessera::Error where something does not fit
  for (float value : y) std::printf("%g ", value);
  std::printf("\n");
}
)";

constexpr const char *kTest = R"(// The kernels against plain loops, over sizes that are no multiple of anything.
#include "kernels.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  for (auto [rows, columns] : {std::pair<int, int>{1, 1}, {3, 7}, {17, 1009}}) {
    std::vector<float> x(static_cast<size_t>(rows) * columns), y(x.size(), NAN);
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.7f * static_cast<float>(i + 1));
    tessera::kernels::scale_rows({x, {rows, columns}}, {y, {rows, columns}});
    for (int r = 0; r < rows; ++r) {
      float largest = 0;
      for (int c = 0; c < columns; ++c) largest = std::max(largest, std::fabs(x[r * columns + c]));
      for (int c = 0; c < columns; ++c)
        if (!(std::fabs(y[r * columns + c] - x[r * columns + c] / largest) <= 1e-6f)) {
          std::printf("[%d, %d]: element %d, %d is %g\n", rows, columns, r, c, y[r * columns + c]);
          return 1;
        }
    }
  }
  std::printf("all rows are right\n");
}
)";

constexpr const char *kIgnore = R"(/build/
__pycache__/
compile_commands.json
)";

constexpr const char *kWorkflow = R"(# Checks the programs, builds, and runs the tests. The variable TESSERA_ARCHIVE of the repository (Settings, Variables) is the
# address of an installed Tessera as a .tar.gz, with bin/, include/ and lib/ at its top.
name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: mkdir tessera && curl -fsSL "${{ vars.TESSERA_ARCHIVE }}" | tar xz -C tessera
      - run: tessera/bin/tessera check kernels.tsr main.tsr
      - run: tessera/bin/tessera fmt --check kernels.tsr main.tsr
      - run: tessera/bin/tessera test kernels.tsr
      - run: cmake -B build -D CMAKE_PREFIX_PATH="$PWD/tessera"
      - run: cmake --build build
      - run: ctest --test-dir build --output-on-failure
)";

std::string withName(std::string text, const std::string &name) {
  for (size_t at = 0; (at = text.find("NAME", at)) != std::string::npos; at += name.size()) text.replace(at, 4, name);
  return text;
}

/// Whether every character may stand in the name of a project.
bool isName(const std::string &name) {
  bool good = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_');
  for (char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '_');
  return good;
}

int run(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  std::error_code error;
  bool inPlace = std::filesystem::is_directory(path, error);
  std::string name = driver::fileNameOf(inPlace ? std::filesystem::canonical(path, error).string() : path);
  if (inPlace) {  // the folder has its name already
    for (char &c : name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    if (!isName(name)) name = "project_" + name;
  }
  if (!isName(name)) {
    std::fprintf(stderr, "error[E0804]: `%s` is no name for a project: begin with a letter, then letters, digits and `_`\n", name.c_str());
    return driver::kBadUsage;
  }
  std::vector<driver::OutputFile> files = {{path + "/kernels.tsr", kKernels},
                                           {path + "/main.tsr", kProgram},
                                           {path + "/README.md", withName(kReadme, name)},
                                           {path + "/CMakeLists.txt", withName(kCMake, name)},
                                           {path + "/main.cpp", kMain},
                                           {path + "/kernels_test.cpp", kTest},
                                           {path + "/.gitignore", kIgnore},
                                           {path + "/.github/workflows/test.yml", kWorkflow}};
  std::string there;
  for (const driver::OutputFile &file : files)
    if (std::filesystem::exists(file.path, error)) there += (there.empty() ? "`" : ", `") + file.path.substr(path.size() + 1) + "`";
  if (!there.empty() || (!inPlace && std::filesystem::exists(path, error))) {
    std::fprintf(stderr, "error[E0703]: `%s` %s; nothing was written\n", path.c_str(),
                 there.empty() ? "exists already and is no folder" : ("has " + there + " already").c_str());
    return driver::kBadUsage;
  }
  std::string problem = driver::makeFolders(path + "/.github/workflows");
  if (problem.empty()) problem = driver::writeFiles(files);
  if (!problem.empty()) {
    std::fprintf(stderr, "error[E0703]: I cannot write `%s`: %s\n", path.c_str(), problem.c_str());
    return driver::kProgramHasErrors;
  }
  std::string program = path == "." ? "main.tsr" : path + "/main.tsr";
  std::printf("made %s; next:\n  tessera run %s\n", inPlace ? name.c_str() : path.c_str(), program.c_str());
  return driver::kSuccess;
}

}  // namespace

void addNew(CLI::App &app, Chosen &chosen) {
  auto path = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("new", "make a small project: a program, CMakeLists.txt, main.cpp, a test and a workflow");
  command->add_option("path", *path, "folder to make, or one that is there, such as `.`; its last part names the project")->required();
  command->footer("Example:\n  tessera new hello\n  mkdir -p here && cd here && tessera new .");
  command->callback([path, &chosen] { chosen = [path] { return run(*path); }; });
}

}  // namespace tessera::tools
