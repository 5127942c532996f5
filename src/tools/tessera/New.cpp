// tessera new: a small project that runs.
#include "driver/Console.h"
#include "driver/Files.h"
#include "tools/tessera/Commands.h"
#include <cctype>
#include <cstdio>
#include <filesystem>

namespace tessera::tools {
namespace {

constexpr const char *kKernels = R"(# A kernel over rows: its body runs once for each.


@kernel
def scale_rows[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    """Each row divided by its largest magnitude."""
    r, _ = tile.origin()
    v = x[r, :]
    return v / tile.max(tile.abs(v), axis=-1, keepdim=True)
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

`kernels.tsr` holds the kernels; `main.tsr` calls them from a program, `main.cpp` from C++.

```sh
tessera run main.tsr
tessera run kernels.tsr scale_rows --random R=4,C=1000 --out y.npy
tesserac kernels.tsr -o kernels.cu              # readable CUDA C++; .hip and .cpp alike
```

With CMake, where Tessera is installed in a folder of its own, say so with `-D CMAKE_PREFIX_PATH=...`:

```sh
cmake -B build
cmake --build build
build/app
```
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
)";

constexpr const char *kMain = R"(#include "kernels.h"
#include <cstdio>
#include <vector>

int main() {
  const int64_t shape[2] = {2, 3};
  std::vector<float> x = {1, 2, 4, -8, 4, 2}, y(6);
  TessTensor in{x.data(), {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, shape, nullptr, 0};
  TessTensor out{y.data(), {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, shape, nullptr, 0};
  if (scale_rows(&in, &out, nullptr) != TESS_OK) {
    std::fprintf(stderr, "%s\n", tessLastErrorText());
    return 1;
  }
  for (float value : y) std::printf("%g ", value);
  std::printf("\n");
}
)";

std::string withName(std::string text, const std::string &name) {
  for (size_t at = 0; (at = text.find("NAME", at)) != std::string::npos; at += name.size()) text.replace(at, 4, name);
  return text;
}

int run(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  std::string name = driver::fileNameOf(path);
  bool good = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_');
  for (char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '_');
  if (!good) {
    std::fprintf(stderr, "error[E0804]: `%s` is no name for a project: begin with a letter, then letters, digits and `_`\n", name.c_str());
    return driver::kBadUsage;
  }
  if (std::filesystem::exists(path)) {
    std::fprintf(stderr, "error[E0703]: `%s` exists already; nothing was written\n", path.c_str());
    return driver::kBadUsage;
  }
  std::string problem = driver::makeFolders(path);
  if (problem.empty())
    problem = driver::writeFiles({{path + "/kernels.tsr", kKernels},
                                  {path + "/main.tsr", kProgram},
                                  {path + "/README.md", withName(kReadme, name)},
                                  {path + "/CMakeLists.txt", withName(kCMake, name)},
                                  {path + "/main.cpp", kMain}});
  if (!problem.empty()) {
    std::fprintf(stderr, "error[E0703]: I cannot write `%s`: %s\n", path.c_str(), problem.c_str());
    return driver::kProgramHasErrors;
  }
  std::printf("made %s; next:\n  tessera run %s/main.tsr\n", path.c_str(), path.c_str());
  return driver::kSuccess;
}

}  // namespace

void addNew(CLI::App &app, Chosen &chosen) {
  auto path = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("new", "make a small project: a program, CMakeLists.txt and main.cpp");
  command->add_option("path", *path, "folder to make; its last part names the project")->required();
  command->footer("Example:\n  tessera new hello");
  command->callback([path, &chosen] { chosen = [path] { return run(*path); }; });
}

}  // namespace tessera::tools
