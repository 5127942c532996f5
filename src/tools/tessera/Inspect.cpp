// tessera inspect: one function at every level of the compiler, side by side.
#include "driver/Compiler.h"
#include "driver/Console.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/Sizes.h"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tessera::tools {
namespace {

using driver::Level;

struct Options {
  std::string path, function, sizes, target = "cuda";
  std::vector<std::string> levels;
  bool json = false;
  int columns = 0;
};

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Breaks a line into pieces of at most `width` characters; continuations are marked.
void wrapInto(std::vector<std::string> &out, const std::string &line, size_t width) {
  size_t indent = std::min(line.find_first_not_of(' '), width / 2);
  if (indent == std::string::npos) indent = 0;
  std::string rest = line;
  while (rest.size() > width) {
    size_t cut = rest.rfind(' ', width);
    if (cut == std::string::npos || cut <= indent + 4) cut = width;
    out.push_back(rest.substr(0, cut));
    size_t next = rest.find_first_not_of(' ', cut);
    rest = next == std::string::npos ? "" : std::string(indent + 4, ' ') + rest.substr(next);
  }
  out.push_back(rest);
}

/// Columns beside each other as far as the width allows, then the next ones below.
std::string sideBySide(const std::vector<std::pair<std::string, std::string>> &columns, size_t width) {
  constexpr size_t kLeast = 56;
  size_t across = std::max<size_t>(1, std::min(columns.size(), (width + 3) / (kLeast + 3)));
  size_t each = (width - 3 * (across - 1)) / across;
  std::string out;
  for (size_t first = 0; first < columns.size(); first += across) {
    size_t last = std::min(first + across, columns.size()), height = 0;
    std::vector<std::vector<std::string>> cells;
    for (size_t c = first; c < last; ++c) {
      std::vector<std::string> lines{columns[c].first, std::string(each, '-')};
      for (const std::string &line : linesOf(columns[c].second)) wrapInto(lines, line, each);
      height = std::max(height, lines.size());
      cells.push_back(std::move(lines));
    }
    for (size_t row = 0; row < height; ++row) {
      std::string line;
      for (size_t c = 0; c < cells.size(); ++c) {
        std::string cell = row < cells[c].size() ? cells[c][row] : "";
        cell.resize(std::max(cell.size(), each), ' ');
        line += (c ? " | " : "") + cell;
      }
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    out += "\n";
  }
  return out;
}

size_t terminalWidth(int asked) {
  if (asked > 0) return static_cast<size_t>(std::max(asked, 40));
  winsize size{};
  return ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 180;
}

/// What a call does for the sizes, and should take (tessera roofline); empty where the program has errors.
Result<std::string> workAt(driver::Compiler &compiler, const Options &options, const Machine &machine) {
  auto sizes = parseSizes(options.sizes);
  if (!sizes) return Failure{sizes.error()};
  auto product = compiler.emit(options.function.empty() ? std::vector<std::string>() : std::vector{options.function});
  if (!product) return std::string();
  auto entry = entryOf(nlohmann::json::parse(product->manifest), options.path, options.function, *sizes);
  if (!entry) return Failure{entry.error()};
  auto works = compiler.workOf(entry->at("name"), *sizes);
  return works ? workText(*works, machine) : std::string();
}

int run(const Options &options) {
  driver::Session session;
  auto fail = [&] {
    driver::printMessages(session, options.json ? driver::MessageFormat::Json : driver::MessageFormat::Text);
    return driver::exitCodeOf(session.diagnostics);
  };
  auto target = driver::parseTarget(options.target);
  if (!target || target->reference) {
    driver::reportUnknownTarget(session.diagnostics, options.target, false);
    return fail();
  }
  std::vector<Level> levels;
  for (const std::string &name : options.levels)
    if (auto level = driver::levelByName(name)) levels.push_back(*level);
    else session.diagnostics.report(diag::Id::badOption, {}, "`" + name + "` names no level").help("the levels are ast, checked, graph, schedule, tile, target and source");
  if (session.diagnostics.hasErrors() || !session.load(options.path)) return fail();
  if (levels.empty()) levels = {Level::Checked, Level::Graph, Level::Schedule, Level::Tile, Level::Target, Level::Source};
  driver::CompileOptions compileOptions;
  compileOptions.target = *target;
  driver::Compiler compiler(session, compileOptions);
  std::vector<std::pair<std::string, std::string>> columns;
  for (Level level : levels) {
    auto text = compiler.textAt(level, options.function.empty() ? std::vector<std::string>() : std::vector{options.function});
    if (!text) return fail();
    columns.emplace_back(driver::nameOf(level), *text);
  }
  std::string work;
  if (!options.sizes.empty()) {
    auto text = workAt(compiler, options, target->machine());
    if (!text) {
      std::fprintf(stderr, "tessera inspect: %s\n", text.error().c_str());
      return driver::kBadUsage;
    }
    if ((work = *text).empty()) return fail();
  }
  if (options.json) {
    nlohmann::ordered_json out;
    for (auto &[name, text] : columns) out[name] = text;
    if (!work.empty()) out["work"] = work;
    std::printf("%s\n", out.dump(2).c_str());
  } else {
    std::fputs((sideBySide(columns, terminalWidth(options.columns)) + work).c_str(), stdout);
  }
  return driver::kSuccess;
}

}  // namespace

void addInspect(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("inspect", "show a function at every level of the compiler, side by side");
  command->add_option("path", options->path, "the program, a .tsr file")->required();
  command->add_option("function", options->function, "only this function; else all");
  command->add_option("--target", options->target, "cpu, cuda[:sm_90a] or hip[:gfx942]")->capture_default_str();
  command->add_option("--levels", options->levels, "which levels: ast checked graph schedule tile target source")->delimiter(',');
  command->add_option("--sizes", options->sizes, "of its dimensions, B=8,S=1024: also what each kernel does for them, and what it should take");
  command->add_option("--columns", options->columns, "width of the page; else the terminal's");
  command->add_flag("--json", options->json, "an object with a text for each level");
  command->footer("Examples:\n  tessera inspect model.tsr softmax\n  tessera inspect model.tsr softmax --levels graph,tile,source --target cpu");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace tessera::tools
