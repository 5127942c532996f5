// The choices of an entry function start exactly the kernels whose conditions hold: random lists of conditions, asked for many sizes.
#include "EmitCase.h"
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>

using namespace tessera;
using namespace tessera::codegen;
namespace fs = std::filesystem;

namespace {

constexpr int kEntries = 60, kMostLaunches = 7, kSizes = 140;

/// A condition in the words of the IR, and its value for a size.
struct Condition {
  std::string text;
  std::function<bool(int64_t)> holds;
};

int64_t tiles(int64_t n, int64_t by) { return (n + by - 1) / by; }

class Choices {
public:
  explicit Choices(unsigned seed) : random_(seed) {}

  /// As a product's kernels have them: each that is added is started in the place of some of those before it.
  std::vector<std::vector<Condition>> partition() {
    std::vector<std::vector<Condition>> launches(1);
    for (int count = below(kMostLaunches - 1); count > 0; --count) {
      const Condition taken = condition();
      const size_t from = below(static_cast<int>(launches.size()));
      std::vector<Condition> own;
      if (from > 0) own = launches[from];  // a part of one alone
      for (size_t i = from; i < (from > 0 ? from + 1 : launches.size()); ++i) launches[i].push_back(contrary(taken));
      own.push_back(taken);
      launches.insert(launches.begin() + static_cast<int64_t>(from), own);
      if (below(3) == 0) launches.insert(launches.begin() + static_cast<int64_t>(from), own);  // two kernels for it
    }
    for (std::vector<Condition> &launch : launches) std::reverse(launch.begin(), launch.begin() + below(static_cast<int>(launch.size()) + 1));
    return launches;
  }
  /// Of which several may hold, or none.
  std::vector<std::vector<Condition>> any() {
    std::vector<std::vector<Condition>> launches(1 + below(kMostLaunches));
    std::vector<Condition> few{condition(), condition(), condition()};
    for (std::vector<Condition> &launch : launches)
      for (int count = below(4); count > 0; --count) launch.push_back(below(2) ? few[below(3)] : contrary(few[below(3)]));
    return launches;
  }
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

private:
  Condition condition() {
    const int64_t number = std::vector<int64_t>{0, 3, 16, 32, 64, 66, 100}[below(7)];
    if (below(8) == 0) {
      Condition a = condition(), b = condition();
      const bool both = below(2);
      return {std::string(both ? "[\"and\", " : "[\"or\", ") + a.text + ", " + b.text + "]",
              [=](int64_t n) { return both ? a.holds(n) && b.holds(n) : a.holds(n) || b.holds(n); }};
    }
    const int64_t by = std::vector<int64_t>{1, 1, 16, 32, 64}[below(5)], times = by == 1 ? 1 : 32;
    const std::string left = by == 1 ? "B" : "32*((B + " + std::to_string(by - 1) + ") // " + std::to_string(by) + ")";
    auto asked = [&](const char *relation, auto compare) {
      return Condition{"#tsr.requirement<\"" + left + "\" " + relation + " \"" + std::to_string(number) + "\", \"\">",
                       [=](int64_t n) { return compare(times * tiles(n, by), number); }};
    };
    switch (below(6)) {
    case 0: return asked("gt", std::greater<int64_t>());
    case 1: return asked("eq", std::equal_to<int64_t>());
    case 2: return asked("lt", std::less<int64_t>());
    default: return asked("le", std::less_equal<int64_t>());
    }
  }
  static Condition contrary(const Condition &of) { return {"[\"not\", " + of.text + "]", [=](int64_t n) { return !of.holds(n); }}; }

  std::mt19937 random_;
};

std::string kernelText(int number) {
  const std::string n = std::to_string(number);
  return "  target.kernel @mark" + n + " attributes {capacities = [], group = 0 : i64, param_names = [\"y\"], comment = []} {\n"
         "  ^bb0(%y: !target.pointer<f32>):\n"
         "    %at = target.literal " + n + " : index\n    %one = target.literal 1.0 : f32\n"
         "    %place = target.subscript %y[%at] : (!target.pointer<f32>, index) -> !target.lvalue<f32>\n"
         "    target.compound_assign \"+=\" %place, %one : !target.lvalue<f32>, f32\n  }\n";
}

std::string entryText(int number, const std::vector<std::vector<Condition>> &launches) {
  std::string text = "  target.entry @choose" + std::to_string(number) + R"( attributes {doc = "", signature = "", returns = ["y"],
      parameters = [#target.parameter<"x", f32, ["B"], "in">, #target.parameter<"y", f32, ["16"], "inout">]} {
)";
  for (size_t i = 0; i < launches.size(); ++i) {
    text += "    target.launch @mark" + std::to_string(i) + " group 0 arguments [#target.argument<\"tensor\", \"y\">]";
    std::string when;
    for (const Condition &each : launches[i]) when += (when.empty() ? "" : ", ") + each.text;
    text += (when.empty() ? "" : " {when = [" + when + "]}") + "\n";
  }
  return text + "  }\n";
}

std::string mainText() {
  std::string text = "#include \"choices.h\"\n#include <cstdio>\nint main() {\n  using Entry = TessStatus (*)(const TessTensor *, TessTensor *, TessStream);\n"
                     "  const Entry entries[] = {";
  for (int i = 0; i < kEntries; ++i) text += "choose" + std::to_string(i) + ", ";
  return text + R"(};
  for (const Entry entry : entries)
    for (int64_t B = 0; B < )" + std::to_string(kSizes) + R"(; ++B) {
      float x[)" + std::to_string(kSizes) + R"(] = {}, y[16] = {};
      int64_t n = 16;
      TessTensor from{}, to{};
      from.data = x, from.ndim = 1, from.shape = &B, to.data = y, to.ndim = 1, to.shape = &n;
      from.device.type = to.device.type = TESS_CPU, from.dtype = to.dtype = TessDType{TESS_FLOAT, 32, 1};
      if (entry(&from, &to, nullptr) != TESS_OK) return std::puts(tessLastErrorText()), 1;
      for (float each : y) std::putchar('0' + static_cast<int>(each));
      std::putchar('\n');
    }
}
)";
}

TEST(Choices, StartTheKernelsWhoseConditionsHold) {
  Choices random(std::getenv("TESSERA_SEED") ? static_cast<unsigned>(std::atoi(std::getenv("TESSERA_SEED"))) : 20261130u);
  std::string text = "module attributes {tsr.machine = #tsr.machine<\"cpu\">} {\n", expected;
  for (int i = 0; i < 2 * kMostLaunches; ++i) text += kernelText(i);
  for (int i = 0; i < kEntries; ++i) {
    const auto launches = i % 3 == 0 ? random.any() : random.partition();
    ASSERT_LE(launches.size(), 2u * kMostLaunches);
    text += entryText(i, launches);
    for (int64_t n = 0; n < kSizes; ++n) {
      std::string line(16, '0');
      for (size_t k = 0; k < launches.size(); ++k)
        line[k] = llvm::all_of(launches[k], [&](const Condition &each) { return each.holds(n); }) ? '1' : '0';
      expected += line + "\n";
    }
  }
  mlir::MLIRContext context;
  context.loadDialect<ir::TsrDialect, ir::target::TargetDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text + "}\n", &context);
  ASSERT_TRUE(module) << text;
  const Emitted emitted = emit(*module, optionsFor("choices"));
  EXPECT_NE(emitted.source.find("} else if ("), std::string::npos);
  const fs::path folder = fs::path(TSR_WORK_DIR) / "emitted" / "choices";
  fs::create_directories(folder);
  std::ofstream(folder / "choices.cpp") << emitted.source;
  std::ofstream(folder / "choices.h") << emitted.header;
  std::ofstream(folder / "main.cpp") << mainText();
  const std::string command = "cd '" + folder.string() + "' && g++ -std=c++17 -O0 -fopenmp -I" + sourceDir() + "/include choices.cpp main.cpp -o out > log.txt 2>&1 && ./out > marks.txt 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << readText((folder / "log.txt").string()) << readText((folder / "marks.txt").string());
  const std::string marks = readText((folder / "marks.txt").string());
  if (marks == expected) return;
  const size_t at = std::mismatch(marks.begin(), marks.end(), expected.begin(), expected.end()).first - marks.begin();
  const size_t row = at / 17;
  FAIL() << "choose" << row / kSizes << " of " << row % kSizes << ": " << marks.substr(row * 17, 16) << ", not " << expected.substr(row * 17, 16);
}

}  // namespace
