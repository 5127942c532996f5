// tessera fmt: one layout for every program.
#include "driver/Console.h"
#include "driver/Files.h"
#include "driver/check/Tree.h"
#include "frontend/Format.h"
#include "tools/tessera/Commands.h"
#include <cstdio>

namespace tessera::tools {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool check = false, toStdout = false;
};

/// Standard input, formatted, on standard output: for editors.
int filter(bool check) {
  driver::Session session([](const std::string &path) {
    return driver::readFile(path == "-" ? "/dev/stdin" : path, driver::kMaxSourceBytes);
  });
  const ast::Module *module = session.load("-");
  if (!module || session.diagnostics.hasErrors()) {
    driver::printMessages(session, driver::MessageFormat::Text);
    return driver::kProgramHasErrors;
  }
  std::string text = frontend::format(*module, session.sources);
  if (check) return text == session.sources.file(module->file).text ? driver::kSuccess : driver::kProgramHasErrors;
  std::fputs(text.c_str(), stdout);
  return driver::kSuccess;
}

int run(const Options &options) {
  if (options.paths == std::vector<std::string>{"-"}) return filter(options.check);
  std::vector<std::string> files = driver::programsBelow(options.paths);
  if (files.empty()) {
    std::fprintf(stderr, "tessera fmt: there is no .tsr file in what you named\n");
    return driver::kBadUsage;
  }
  int wrong = 0, changed = 0;
  for (const std::string &path : files) {
    driver::Session session;
    const ast::Module *module = session.load(path);
    if (!module || session.diagnostics.hasErrors()) {
      driver::printMessages(session, driver::MessageFormat::Text);
      ++wrong;
      continue;
    }
    std::string text = frontend::format(*module, session.sources);
    if (options.toStdout) {
      std::fputs(text.c_str(), stdout);
      continue;
    }
    if (text == session.sources.file(module->file).text) continue;
    ++changed;
    if (options.check) {
      std::printf("%s is not formatted\n", path.c_str());
      continue;
    }
    if (std::string problem = driver::writeFiles({{path, text}}); !problem.empty()) {
      std::fprintf(stderr, "error[E0703]: I cannot write `%s`: %s\n", path.c_str(), problem.c_str());
      ++wrong;
    } else {
      std::printf("formatted %s\n", path.c_str());
    }
  }
  return wrong || (options.check && changed) ? driver::kProgramHasErrors : driver::kSuccess;
}

}  // namespace

void addFmt(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("fmt", "format programs in place; keeps every comment");
  command->add_option("paths", options->paths, ".tsr files, folders with them, or - for standard input")->required();
  command->add_flag("--check", options->check, "change nothing; exit with 1 if a file is not formatted");
  command->add_flag("--stdout", options->toStdout, "print instead of writing");
  command->footer("Examples:\n  tessera fmt model.tsr\n  tessera fmt --check src\n  tessera fmt - <model.tsr");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace tessera::tools
