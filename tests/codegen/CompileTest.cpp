// Emitted text through real compilers, without warnings; what can run here runs.
#include "EmitCase.h"
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace tessera::codegen;
namespace fs = std::filesystem;

namespace {

/// A fresh folder with one emitted case in it.
struct Emission {
  fs::path folder;
  Emitted emitted;
  std::string file;
  Emission(const std::string &name, const std::string &device, const std::string &as, bool standalone = false) {
    folder = fs::path(TSR_WORK_DIR) / "emitted" / (name + "_" + device + (standalone ? "_standalone" : ""));
    fs::remove_all(folder);
    fs::create_directories(folder);
    Case input(name, device);
    if (!input.module) throw std::runtime_error("the case " + name + " cannot be read");
    EmitOptions options = optionsFor(as);
    options.standalone = standalone;
    emitted = emit(*input.module, options);
    file = as + emitted.suffix;
    std::ofstream(folder / file) << emitted.source;
    std::ofstream(folder / (as + ".h")) << emitted.header;
    std::ofstream(folder / (as + ".hpp")) << emitted.cppHeader;
  }
};

bool have(const std::string &tool) { return std::system(("command -v " + tool + " > /dev/null 2>&1").c_str()) == 0; }

/// Runs a command in a folder; its whole output, and that it ended well.
std::string output(const fs::path &folder, const std::string &command, bool *ok) {
  std::string log = (folder / "log.txt").string();
  *ok = std::system(("cd '" + folder.string() + "' && (" + command + ") > '" + log + "' 2>&1").c_str()) == 0;
  return readText(log);
}
void expectQuiet(const fs::path &folder, const std::string &command) {
  bool ok = false;
  std::string text = output(folder, command, &ok);
  EXPECT_TRUE(ok) << command << "\n" << text;
  EXPECT_EQ(text, "") << command;
}
std::string expectRuns(const fs::path &folder, const std::string &command) {
  bool ok = false;
  std::string text = output(folder, command, &ok);
  EXPECT_TRUE(ok) << command << "\n" << text;
  EXPECT_NE(text.find("ok\n"), std::string::npos) << text;
  return text;
}

const std::string kInclude = " -I" + sourceDir() + "/include -I. ";
const std::string kRun = sourceDir() + "/tests/codegen/run/";
// clang 19 warns of a feature of newer processors that -march=native itself finds.
const std::string kWarnings = " -Wall -Wextra ";
const std::string kClangOnly = " -Wno-invalid-feature-combination ";

class OnGpus : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Cases, OnGpus, testing::Values("saxpy", "matmul", "attend", "syntax"));

TEST_P(OnGpus, NvccTakesTheText) {
  if (!have("nvcc")) GTEST_SKIP() << "nvcc is not here: the emitted CUDA is not compiled";
  Emission e(GetParam(), "cuda", GetParam());
  // The text is read, and translated up to PTX; how well it is optimised, and what ptxas says, the canon shows.
  bool ok = false;
  const std::string quick = output(e.folder, "nvcc --help", &ok).find("--Ofast-compile") != std::string::npos ? "--Ofast-compile=max " : "";
  expectQuiet(e.folder, "nvcc -std=c++17 " + quick + "-gencode arch=compute_80,code=compute_80 -Xcompiler -Wall,-Wextra" + kInclude + "-c " +
                            e.file + " -o out.o");
}
TEST_P(OnGpus, ClangTakesTheTextForAmd) {
  if (!have("clang++-19") || !fs::exists("/usr/include/hip/hip_runtime.h"))
    GTEST_SKIP() << "clang++-19 or the HIP headers are not here: the emitted HIP is not compiled for AMD";
  Emission e(GetParam(), "hip", GetParam());
  for (const char *arch : {"gfx90a", "gfx1100"})  // waves of 64 lanes and of 32
    expectQuiet(e.folder, std::string("clang++-19 -x hip --rocm-path=/usr -nogpulib --cuda-device-only -S -std=c++17 -O0 --offload-arch=") + arch +
                              kWarnings + kInclude + e.file + " -o out.s");
}

class HipOnCpu : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Cases, HipOnCpu, testing::Values("saxpy", "matmul", "attend"));

TEST_P(HipOnCpu, Computes) {
  std::string name = GetParam();
  Emission e(name, "hip", name);
  for (int wave : {32, 64}) {
    expectQuiet(e.folder, "g++ -x c++ -std=c++17 -O0" + kWarnings + "-Wno-unknown-pragmas -D__HIP_PLATFORM_AMD__ -DTSR_WAVE=" + std::to_string(wave) +
                              " -I" + sourceDir() + "/tests/device/hip_on_cpu" + kInclude + e.file + " " + kRun + name + "_main.cpp -o out");
    if (HasFailure()) return;
    for (int order : {0, 1, 2}) expectRuns(e.folder, "TSR_FIBER_ORDER=" + std::to_string(order) + " ./out");
  }
}

TEST(OnCpu, IsWarningFreeAndComputes) {
  Emission e("saxpy_cpu", "cpu", "saxpy");
  for (const char *compiler : {"g++", "clang++-19"}) {
    if (!have(compiler)) continue;
    const std::string quiet = std::string(compiler) == "g++" ? "" : kClangOnly;
    expectQuiet(e.folder, std::string(compiler) + quiet + " -std=c++17 -O3 -march=native -fopenmp" + kWarnings + kInclude + e.file + " " + kRun + "saxpy_main.cpp -o out");
    std::string text = expectRuns(e.folder, "./out");
    EXPECT_NE(text.find("saxpy: argument `y`: dimension 0 is 1000, but `n` is 996 (from dimension 0 of argument `x`)"), std::string::npos) << text;
  }
}
TEST(OnCpu, TheHeaderIsC) {
  Emission e("saxpy_cpu", "cpu", "saxpy");
  expectQuiet(e.folder, "gcc -std=c99 -pedantic" + kWarnings + kInclude + "-c " + kRun + "header_main.c -o main.o && g++ -std=c++17 -fopenmp" + kInclude +
                            e.file + " main.o -o out");
  std::string text = expectRuns(e.folder, "./out");
  EXPECT_NE(text.find("saxpy: argument `x`: the stride of dimension 0 is 2"), std::string::npos) << text;
  EXPECT_NE(text.find("share memory"), std::string::npos) << text;
  EXPECT_NE(text.find("its dtype is f64, but f32 is declared"), std::string::npos) << text;
}
TEST(OnCpu, AProgramLoadsComputesPrintsAndSaves) {
  Emission e("program_cpu", "cpu", "program");
  std::ofstream npy(e.folder / "x.npy", std::ios::binary);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
  header.append(127 - 10 - header.size(), ' ');
  header += '\n';
  npy << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header;
  const float values[] = {1.0f, 2.5f, -3.0f, 0.1f};
  npy.write(reinterpret_cast<const char *>(values), sizeof values);
  npy.close();
  expectQuiet(e.folder, "g++ -std=c++17 -O2 -fopenmp" + kWarnings + kInclude + e.file + " -o out");
  bool ok = false;
  EXPECT_EQ(output(e.folder, "./out", &ok), "rows:    2\n[[2.0, 5.0],\n [-6.0, 0.2]]\n");
  EXPECT_TRUE(ok);
  std::string saved = readText((e.folder / "y.npy").string());
  ASSERT_GE(saved.size(), 16u);
  float last;
  saved.copy(reinterpret_cast<char *>(&last), 4, saved.size() - 4);
  EXPECT_EQ(last, 0.2f);
}

TEST(Standalone, NeedsNothingOfOurs) {
  Emission e("saxpy_cpu", "cpu", "saxpy", true);
  EXPECT_EQ(e.emitted.source.find("#include \"tessera"), std::string::npos);
  EXPECT_EQ(e.emitted.source.find("struct Fragment"), std::string::npos) << "only the headers that are used";
  EXPECT_EQ(e.emitted.header.find("#include \"tessera"), std::string::npos);
  expectQuiet(e.folder, "g++ -std=c++17 -O2 -fopenmp" + kWarnings + "-c " + e.file + " -o out.o");
  expectQuiet(e.folder, "echo '#include \"saxpy.h\"' | gcc -std=c99 -pedantic" + kWarnings + "-fsyntax-only -I. -x c -");
  EXPECT_EQ(e.emitted.cppHeader.find("#include \"tessera"), std::string::npos);
  for (const char *standard : {"c++17", "c++20"})
    expectQuiet(e.folder, std::string("echo '#include \"saxpy.hpp\"' | g++ -pedantic -std=") + standard + kWarnings + "-fsyntax-only -I. -x c++ -");
  Emission gpu("matmul", "cuda", "matmul", true);
  if (have("nvcc")) expectQuiet(gpu.folder, "nvcc -std=c++17 -arch=sm_90a -c " + gpu.file + " -o out.o");
}

TEST(Files, TwoOfThemLinkTogether) {
  Emission a("saxpy_cpu", "cpu", "saxpy"), b("program_cpu", "cpu", "program");
  expectQuiet(a.folder, "g++ -std=c++17 -fopenmp" + kInclude + a.file + " " + (b.folder / b.file).string() + " -o out");
}

TEST(LineMap, LeadsBackToTheProgram) {
  Case input("matmul", "cuda");
  Emitted emitted = emit(*input.module, optionsFor("matmul"));
  auto map = nlohmann::json::parse(emitted.lineMap);
  std::vector<std::string> lines;
  std::istringstream text(emitted.source);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  bool found = false;
  for (const auto &row : map["lines"]) {
    const std::string &line = lines.at(row["line"].get<size_t>() - 1);
    if (line.find("for (int64_t k = 0") == std::string::npos) continue;
    found = true;
    EXPECT_EQ(row["program"], "matmul.tsr");
    EXPECT_EQ(row["program_line"], 7);
  }
  EXPECT_TRUE(found);
}

}  // namespace
