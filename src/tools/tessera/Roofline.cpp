// tessera roofline: what a call of a function does for given sizes, how long the machine needs for it at the least, and by what
// that is limited: by memory, by products, or by other arithmetic.
#include "driver/Compiler.h"
#include "driver/Console.h"
#include "driver/Targets.h"
#include "support/Prediction.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/Sizes.h"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tessera::tools {
namespace {

using Json = nlohmann::json;
using driver::KernelWork;

struct Options {
  std::string path, function, sizes, target = "cuda";
  double bytesPerSecond = 0;
  bool json = false;
};

/// The least seconds that each part of a machine needs for a kernel; they may work at the same time.
struct Limits {
  double memory = 0, products = 0, arithmetic = 0;
  double seconds() const { return std::max({memory, products, arithmetic}); }
  std::string limitedBy() const { return seconds() == 0 ? "nothing" : seconds() == memory ? "memory" : seconds() == products ? "products" : "arithmetic"; }
};

double sumOf(const std::map<DType, double> &counts) {
  double sum = 0;
  for (auto [dtype, count] : counts) sum += count;
  return sum;
}
double operationsOf(const KernelWork &work) { return sumOf(work.products) + sumOf(work.arithmetic); }
double bytesOf(const KernelWork &work) { return work.readBytes + work.writtenBytes; }

/// What the units for single numbers do in a second: doubles, and all else as f32.
double plainRate(const Machine &machine, DType dtype) {
  return static_cast<double>(dtype == DType::F64 ? machine.doublesPerSecond : machine.flopsPerSecond);
}
double productRate(const Machine &machine, const KernelWork &work, DType dtype) {
  const auto rate = static_cast<double>(machine.productsPerSecond(dtype));
  return work.matrixInstructions && rate > 0 ? rate : plainRate(machine, dtype);
}

Limits limitsOf(const KernelWork &work, const Machine &machine) {
  Limits limits;
  limits.memory = bytesOf(work) / static_cast<double>(machine.bytesPerSecond);
  for (auto [dtype, count] : work.arithmetic) limits.arithmetic += count / plainRate(machine, dtype);
  // Products without matrix instructions are done by the units of all other arithmetic.
  for (auto [dtype, count] : work.products) limits.products += count / productRate(machine, work, dtype);
  if (!work.matrixInstructions && limits.products > 0) limits.products += limits.arithmetic, limits.arithmetic = 0;
  return limits;
}

/// What all launches of a kernel should take, in seconds, and what limits the longest of them.
struct Expected {
  double seconds = 0;
  std::string limit = "nothing";
};
Expected expectedOf(const KernelWork &work, const Machine &machine) {
  Expected expected;
  double longest = 0;
  for (const auto &[times, one] : work.each) {
    const Prediction prediction = predict(one, machine, work.matrixInstructions);
    const double seconds = times * prediction.nanoseconds().number() * 1e-9;
    expected.seconds += seconds;
    if (seconds > longest) longest = seconds, expected.limit = prediction.limitedBy(one, machine);
  }
  return expected;
}

/// 1.375e11 -> "137 G"
std::string scaled(double number) {
  const char *const units[] = {"", " k", " M", " G", " T", " P", " E"};
  size_t unit = 0;
  while (number >= 999.5 && unit + 1 < std::size(units)) number /= 1000, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g%s", number, units[unit]);
  return text;
}
std::string timeText(double seconds) {
  char text[32];
  if (seconds < 1e-3) std::snprintf(text, sizeof text, "%.3g us", seconds * 1e6);
  else if (seconds < 1) std::snprintf(text, sizeof text, "%.3g ms", seconds * 1e3);
  else std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

/// "products of bf16 by matrix instructions", "memory"
std::string limitText(const KernelWork &work, const Limits &limits) {
  if (limits.limitedBy() != "products") return limits.limitedBy();
  std::string dtypes;
  for (auto [dtype, count] : work.products) dtypes += (dtypes.empty() ? "" : ", ") + std::string(name(dtype));
  return "products of " + dtypes + (work.matrixInstructions ? " by matrix instructions" : "");
}

std::string machineText(const Machine &machine, const std::vector<KernelWork> &works) {
  std::string text = machine.target() + " (" + std::string(machine.product) + "): " + scaled(static_cast<double>(machine.bytesPerSecond)) + "B/s, " +
                     scaled(static_cast<double>(machine.flopsPerSecond)) + "FLOP/s of f32";
  std::map<DType, double> rates;
  for (const KernelWork &work : works)
    for (auto [dtype, count] : work.products)
      if (work.matrixInstructions) rates[dtype] = productRate(machine, work, dtype);
  for (auto [dtype, rate] : rates) text += ", " + scaled(rate) + "FLOP/s of products of " + std::string(name(dtype));
  return text;
}

std::string tableText(const std::vector<KernelWork> &works, const Machine &machine) {
  std::vector<std::vector<std::string>> rows{{"kernel", "launches", "FLOPs", "bytes", "FLOPs/byte", "at least", "expected", "limited by"}};
  double operations = 0, bytes = 0, seconds = 0, expected = 0;
  auto add = [&](const std::string &name, const std::string &launches, double done, double moved, double least, double taken, const std::string &limit) {
    rows.push_back({name, launches, scaled(done), scaled(moved), moved > 0 ? scaled(done / moved) : "-", timeText(least), timeText(taken), limit});
  };
  for (const KernelWork &work : works) {
    Limits limits = limitsOf(work, machine);
    const double taken = expectedOf(work, machine).seconds;
    operations += operationsOf(work), bytes += bytesOf(work), seconds += limits.seconds(), expected += taken;
    add(work.kernel, scaled(work.launches), operationsOf(work), bytesOf(work), limits.seconds(), taken, limitText(work, limits));
  }
  if (works.size() > 1) add("all", "", operations, bytes, seconds, expected, "");
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      const bool left = i == 0 || i + 1 == row.size();
      line += (i ? "  " : "") + (left ? row[i] + blanks : blanks + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

void printText(const std::string &head, const std::vector<KernelWork> &works, const Machine &machine) {
  std::printf("%s on %s\n", head.c_str(), machineText(machine, works).c_str());
  if (works.empty()) return void(std::printf("it launches nothing\n"));
  std::printf("\n");
  std::fputs(tableText(works, machine).c_str(), stdout);
  std::vector<std::pair<std::string, std::string>> notes;  // what is said, and the kernels of which it is said
  auto note = [&](const std::string &text, const std::string &kernel) {
    auto same = std::find_if(notes.begin(), notes.end(), [&](const auto &one) { return one.first == text; });
    if (same == notes.end()) notes.emplace_back(text, kernel);
    else same->second += ", " + kernel;
  };
  for (const KernelWork &work : works) {
    for (const auto &[instruction, why] : work.whyNot) note("no " + instruction + ": " + why, work.kernel);
    for (const std::string &what : work.uncounted) note("counted as done once: " + what, work.kernel);
  }
  for (const auto &[text, kernels] : notes) std::printf("%s: %s\n", kernels.c_str(), text.c_str());
}

void printJson(const std::string &function, const driver::Sizes &sizes, const std::vector<KernelWork> &works, const Machine &machine) {
  Json json{{"function", function}, {"sizes", sizes}, {"target", machine.target()}, {"product", machine.product}, {"bytes_per_second", machine.bytesPerSecond},
            {"flops_per_second", machine.flopsPerSecond}, {"kernels", Json::array()}};
  double seconds = 0, expected = 0;
  for (const KernelWork &work : works) {
    Limits limits = limitsOf(work, machine);
    const Expected taken = expectedOf(work, machine);
    Json one{{"kernel", work.kernel}, {"launches", work.launches}, {"flops", operationsOf(work)}, {"read_bytes", work.readBytes}, {"written_bytes", work.writtenBytes},
             {"seconds", {{"memory", limits.memory}, {"products", limits.products}, {"arithmetic", limits.arithmetic}}}, {"limited_by", limits.limitedBy()},
             {"matrix_instructions", work.matrixInstructions}, {"why_not", work.whyNot}, {"counted_once", work.uncounted}, {"products", Json::object()},
             {"expected_seconds", taken.seconds}, {"expected_limit", taken.limit}};
    for (auto [dtype, count] : work.products) one["products"][std::string(name(dtype))] = count;
    seconds += limits.seconds(), expected += taken.seconds;
    json["kernels"].push_back(std::move(one));
  }
  json["seconds"] = seconds;
  json["expected_seconds"] = expected;
  std::printf("%s\n", json.dump(2).c_str());
}

int roofline(const Options &options) {
  driver::Session session;
  auto usage = [](const std::string &text) {
    std::fprintf(stderr, "tessera roofline: %s\n", text.c_str());
    return driver::kBadUsage;
  };
  auto fail = [&] {
    driver::printMessages(session, driver::MessageFormat::Text);
    return driver::kProgramHasErrors;
  };
  auto sizes = parseSizes(options.sizes);
  if (!sizes) return usage(sizes.error());
  auto target = driver::parseTarget(options.target);
  if (!target || target->reference) {
    driver::reportUnknownTarget(session.diagnostics, options.target, false);
    return fail();
  }
  if (!session.load(options.path)) return fail();
  driver::CompileOptions compileOptions;
  compileOptions.target = *target;
  driver::Compiler compiler(session, compileOptions);
  auto product = compiler.emit(options.function.empty() ? std::vector<std::string>() : std::vector{options.function});
  if (!product) return fail();
  auto entry = entryOf(Json::parse(product->manifest), options.path, options.function, *sizes);
  if (!entry) return usage(entry.error());
  const std::string function = entry->at("name");
  auto works = compiler.workOf(function, *sizes);
  if (!works) return fail();
  Machine machine = target->machine();
  if (options.bytesPerSecond > 0) machine.bytesPerSecond = static_cast<int64_t>(options.bytesPerSecond);
  if (options.json) printJson(function, *sizes, *works, machine);
  else printText(function + (sizes->empty() ? "" : " at " + sizesText(*sizes)), *works, machine);
  return driver::kSuccess;
}

}  // namespace

std::string workText(const std::vector<KernelWork> &works, const Machine &machine) { return tableText(works, machine); }

void addRoofline(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("roofline", "operations and bytes of a call, the time that the machine needs at the least, and what limits it");
  command->add_option("program", options->path, "the program, model.tsr")->required();
  command->add_option("function", options->function, "the function; not needed where there is one");
  command->add_option("--sizes", options->sizes, "of its dimensions: B=8,S=1024");
  command->add_option("--target", options->target, "whose limits: cuda[:sm_90a], hip[:gfx942] or cpu[:x86-64-v3]")->capture_default_str();
  command->add_option("--bytes-per-second", options->bytesPerSecond, "bandwidth of its memory, where the product at hand has another: 4.8e12 (H200)");
  command->add_flag("--json", options->json, "as JSON");
  command->footer("Examples:\n  tessera roofline model.tsr mlp --sizes B=8,D=1024 --target cuda:sm_90a\nExit codes: 0 printed, 1 the program has errors, "
                  "2 wrong arguments.");
  command->callback([options, &chosen] {
    chosen = [options] { return roofline(*options); };
  });
}

}  // namespace tessera::tools
