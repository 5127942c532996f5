// tessera memory: what a call of a function takes from the pool for given sizes, and between which launches each part of it
// is needed: as text, JSON, or a picture.
#include "driver/Compiler.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "driver/Targets.h"
#include "support/Dim.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/Sizes.h"
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera::tools {
namespace {

using Json = nlohmann::json;

struct Options {
  std::string path, function, sizes, target = "cpu", svg;
  bool json = false;
};

/// A temporary with its size as a number.
struct Part {
  std::string name, type, formula;
  std::string within;  // the temporary in whose memory it lies; empty if it has its own
  int64_t bytes = 0;
  size_t first = 0, last = 0;
};
struct Plan {
  std::string function, formula;
  driver::Sizes sizes;
  std::vector<std::string> launches;  // names of kernels
  std::vector<Part> parts;
  int64_t bytes = 0, needed = 0;  // taken for the call; the most that is needed at once
  size_t peak = 0;                // the launch at which that is
};

int usage(const std::string &text) {
  std::fprintf(stderr, "tessera memory: %s\n", text.c_str());
  return driver::kBadUsage;
}

/// The number that a formula is; an error text where there is none.
Result<int64_t> numberOf(const std::string &formula, const driver::Sizes &sizes) {
  auto dim = Dim::parse(formula);
  auto value = dim ? dim->evaluate([&](const std::string &name) {
    auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  }) : std::nullopt;
  if (!value || *value < 0) return Failure{"`" + formula + "` has no value for these sizes"};
  return *value;
}

Result<Plan> planOf(const Json &entry, driver::Sizes sizes) {
  Plan plan;
  plan.function = entry.at("name");
  plan.formula = entry.at("workspace_bytes");
  plan.sizes = std::move(sizes);
  for (const Json &launch : entry.at("launches")) plan.launches.push_back(launch.at("kernel"));
  for (const Json &temporary : entry.value("temporaries", Json::array())) {
    Part part{temporary.at("name"), temporary.at("dtype"), temporary.at("bytes")};
    std::string extents;
    for (const Json &extent : temporary.at("shape")) extents += (extents.empty() ? "" : ", ") + extent.get<std::string>();
    part.type += "[" + extents + "]";
    auto bytes = numberOf(part.formula, plan.sizes);
    if (!bytes) return Failure{bytes.error()};
    part.bytes = *bytes;
    part.first = temporary.at("launches").at(0);
    part.last = temporary.at("launches").at(1);
    if (temporary.contains("within")) part.within = temporary.at("within").at("name");
    plan.parts.push_back(std::move(part));
  }
  auto taken = numberOf(plan.formula, plan.sizes);  // of two branches, what one of them takes
  if (!taken) return Failure{taken.error()};
  plan.bytes = *taken;
  for (size_t at = 0; at < plan.launches.size(); ++at) {
    // What lies in other memory may hold something several times, and for that time nothing: it is no more than that memory.
    std::map<std::string, int64_t> held;
    for (const Part &part : plan.parts)
      if (part.first <= at && at <= part.last) held[part.within.empty() ? part.name : part.within] += part.bytes;
    int64_t now = 0;
    for (const Part &part : plan.parts)
      if (part.within.empty()) now += std::min(part.bytes, held[part.name]);
    now = std::min(now, plan.bytes);
    if (now > plan.needed) plan.needed = now, plan.peak = at;
  }
  return plan;
}

// ---------------------------------------------------------------- text, JSON, picture

/// 1536000 -> "1 536 000"
std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, " ");
  return text;
}

void printText(const Plan &plan) {
  std::printf("%s%s%s: %s bytes for temporaries (%s)\n", plan.function.c_str(), plan.sizes.empty() ? "" : " at ", sizesText(plan.sizes).c_str(),
              grouped(plan.bytes).c_str(), plan.formula.c_str());
  if (plan.parts.empty()) return;
  std::printf("%s bytes are needed at once, at launch %zu of %zu, %s\n\n", grouped(plan.needed).c_str(), plan.peak + 1, plan.launches.size(),
              plan.launches[plan.peak].c_str());
  std::vector<const Part *> order;
  for (const Part &part : plan.parts) order.push_back(&part);
  std::sort(order.begin(), order.end(), [](const Part *a, const Part *b) { return std::pair(-a->bytes, a) < std::pair(-b->bytes, b); });
  size_t wide = 5, names = 4;
  for (const Part *part : order) wide = std::max(wide, grouped(part->bytes).size()), names = std::max(names, part->name.size());
  std::printf("%*s  %-9s  %-*s  type\n", static_cast<int>(wide), "bytes", "launches", static_cast<int>(names), "name");
  for (const Part *part : order)
    std::printf("%*s  %-9s  %-*s  %s%s\n", static_cast<int>(wide), grouped(part->bytes).c_str(),
                (std::to_string(part->first + 1) + "-" + std::to_string(part->last + 1)).c_str(), static_cast<int>(names), part->name.c_str(),
                part->type.c_str(), part->within.empty() ? "" : (" in " + part->within).c_str());
}

void printJson(const Plan &plan) {
  Json json{{"function", plan.function}, {"sizes", plan.sizes},  {"bytes", plan.bytes},
            {"formula", plan.formula},   {"needed_at_once", plan.needed}, {"launches", plan.launches}};
  json["temporaries"] = Json::array();
  for (const Part &part : plan.parts) {
    Json one{{"name", part.name}, {"type", part.type}, {"bytes", part.bytes}, {"formula", part.formula}, {"launches", {part.first, part.last}}};
    if (!part.within.empty()) one["within"] = part.within;
    json["temporaries"].push_back(std::move(one));
  }
  std::printf("%s\n", json.dump(2).c_str());
}

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

/// Launches go to the right, bytes up; what a part holds is dark where it is needed, and light for the rest of the call.
std::string picture(const Plan &plan) {
  constexpr double kWidth = 960, kHeight = 480, kLeft = 12, kTop = 36;
  const double column = kWidth / static_cast<double>(std::max<size_t>(1, plan.launches.size()));
  const double unit = plan.bytes ? kHeight / static_cast<double>(plan.bytes) : 0;
  auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return std::string(text);
  };
  auto box = [&](double x, double y, double width, double height, const std::string &fill, const std::string &title) {
    return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" + number(height) + "\" fill=\"" + fill +
           "\" stroke=\"#ffffff\"><title>" + escaped(title) + "</title></rect>\n";
  };
  auto words = [&](double x, double y, const std::string &text) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\">" + escaped(text) + "</text>\n";
  };
  const std::string colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"};
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth + 2 * kLeft) + " " + number(kHeight + 2 * kTop) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n";
  svg += words(kLeft, 20, plan.function + (plan.sizes.empty() ? "" : " at " + sizesText(plan.sizes)) + ": " + grouped(plan.bytes) + " bytes, " + grouped(plan.needed) + " of them needed at once");
  double bottom = kTop + kHeight;
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const Part &part = plan.parts[i];
    const double height = static_cast<double>(part.bytes) * unit;
    bottom -= height;
    const std::string title = part.name + ": " + part.type + ", " + grouped(part.bytes) + " bytes, launches " + std::to_string(part.first + 1) + " to " + std::to_string(part.last + 1);
    svg += box(kLeft, bottom, kWidth, height, "#e8e8e8", title);
    svg += box(kLeft + static_cast<double>(part.first) * column, bottom, static_cast<double>(part.last - part.first + 1) * column, height, colours[i % 6], title);
    if (height >= 14) svg += words(kLeft + static_cast<double>(part.first) * column + 4, bottom + height / 2 + 4, part.name);
  }
  return svg + words(kLeft, kTop + kHeight + 20, "launches 1 to " + std::to_string(plan.launches.size())) + "</svg>\n";
}

int memory(const Options &options) {
  driver::Session session;
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
  auto product = driver::Compiler(session, compileOptions).emit({});
  if (!product) return fail();
  const Json manifest = Json::parse(product->manifest);
  auto entry = entryOf(manifest, options.path, options.function, *sizes);
  if (!entry) return usage(entry.error());
  auto plan = planOf(*entry, *sizes);
  if (!plan) return usage(plan.error());
  if (!options.svg.empty()) {
    if (std::string problem = driver::writeFiles({{options.svg, picture(*plan)}}); !problem.empty()) return usage(problem);
  }
  if (options.json) printJson(*plan);
  else printText(*plan);
  return driver::kSuccess;
}

}  // namespace

void addMemory(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("memory", "what a call takes for temporaries, and when it needs which of them");
  command->add_option("program", options->path, "the program, model.tsr")->required();
  command->add_option("function", options->function, "the function; not needed where there is one");
  command->add_option("--sizes", options->sizes, "of its dimensions: B=8,S=1024");
  command->add_option("--target", options->target, "what it is compiled for")->capture_default_str();
  command->add_flag("--json", options->json, "as JSON");
  command->add_option("--svg", options->svg, "writes a picture to this file, too: launches to the right, bytes up");
  command->footer("Examples:\n  tessera memory model.tsr train_step --sizes B=8,T=1024\n  tessera memory model.tsr --sizes N=64 --svg plan.svg\nExit codes: "
                  "0 printed, 1 the program has errors, 2 wrong arguments.");
  command->callback([options, &chosen] {
    chosen = [options] { return memory(*options); };
  });
}

}  // namespace tessera::tools
