// tessera check: reads and checks programs without compiling them.
#include "driver/Console.h"
#include "driver/Files.h"
#include "tools/tessera/Commands.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace tessera::tools {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool json = false, sarif = false;
};

/// The .tsr files that the paths name; a folder means all below it, in order of their names.
std::vector<std::string> filesOf(const std::vector<std::string> &paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    size_t first = files.size();
    for (const auto &entry : std::filesystem::recursive_directory_iterator(path, error))
      if (entry.path().extension() == ".tsr") files.push_back(entry.path().string());
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

int run(const Options &options) {
  std::vector<std::string> files = filesOf(options.paths);
  if (files.empty()) {
    std::fprintf(stderr, "tessera check: there is no .tsr file in what you named\n");
    return driver::kBadUsage;
  }
  int wrong = 0;
  // The last session stays: the end of the process takes its memory back faster than destructors would.
  static driver::Session *last = nullptr;
  for (const std::string &file : files) {
    delete last;
    last = new driver::Session;
    driver::Session &session = *last;
    if (session.load(file)) session.check();
    if (session.diagnostics.hasErrors()) ++wrong;
    auto format = options.sarif ? driver::MessageFormat::Sarif : options.json ? driver::MessageFormat::Json : driver::MessageFormat::Text;
    driver::printMessages(session, format);
  }
  if (!options.json && !options.sarif) {
    if (wrong) std::fprintf(stderr, "%d of %zu files have errors\n", wrong, files.size());
    else std::printf("%zu %s right\n", files.size(), files.size() == 1 ? "file is" : "files are");
  }
  return wrong ? driver::kProgramHasErrors : driver::kSuccess;
}

}  // namespace

void addCheck(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("check", "check programs: names, types, shapes, numerics");
  command->add_option("paths", options->paths, ".tsr files, or folders of them")->required();
  command->add_flag("--json", options->json, "messages as JSON on stdout, a line for each file");
  command->add_flag("--sarif", options->sarif, "messages as SARIF 2.1.0 on stdout");
  command->footer("Exit codes: 0 right, 1 errors in the program, 2 wrong options.\nExamples:\n  tessera check model.tsr\n  tessera check src --json");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace tessera::tools
