// tessera build: a program as a shared library, for programs that load it: Python, or anything with dlopen.
#include "driver/Console.h"
#include "driver/Execute.h"
#include "driver/Files.h"
#include "tools/tessera/Commands.h"
#include <cstdio>

namespace tessera::tools {
namespace {

struct Options {
  std::string path, output, target = "cpu";
};

/// Copies the library out of the cache, with its headers and its manifest. Empty on success.
std::string writeLibrary(const driver::BuiltLibrary &built, const std::string &output) {
  driver::ReadResult library = driver::readFile(built.path, uint64_t(1) << 32);
  if (library.problem != driver::ReadProblem::None) return library.text;
  std::string stem = driver::folderOf(output) + "/" + driver::stemOf(output);
  return driver::writeFiles({{output, std::move(library.text)},
                             {stem + ".h", built.product.header},
                             {stem + ".hpp", built.product.cppHeader},
                             {stem + ".json", built.product.manifest}});
}

int run(const Options &options) {
  driver::Session session;
  auto finish = [&](int code) {
    driver::printMessages(session, driver::MessageFormat::Text);
    return code;
  };
  auto target = driver::parseTarget(options.target);
  if (!target || target->reference) {
    session.diagnostics.report(diag::Id::unknownTarget, {}, options.target).help("a library is built for cpu, cuda, cuda:sm_90a, hip or hip:gfx942");
    return finish(driver::kBadUsage);
  }
  if (!options.output.empty() && driver::suffixOf(options.output) != ".so") {
    session.diagnostics.report(diag::Id::badOption, {}, "`-o " + options.output + "` names no shared library")
        .help("name it " + driver::stemOf(options.path) + ".so; for source, use `tesserac`");
    return finish(driver::kBadUsage);
  }
  if (!session.load(options.path)) return finish(driver::kProgramHasErrors);
  auto built = driver::buildLibrary(session, *target, driver::stemOf(options.output));
  if (!built) return finish(driver::kProgramHasErrors);
  if (!options.output.empty())
    if (std::string problem = writeLibrary(*built, options.output); !problem.empty()) {
      session.diagnostics.report(diag::Id::cannotWriteFile, {}, options.output, problem).help(driver::writingAdvice(options.output));
      return finish(driver::kProgramHasErrors);
    }
  std::printf("%s\n", (options.output.empty() ? built->path : options.output).c_str());
  return finish(driver::kSuccess);
}

}  // namespace

void addBuild(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("build", "compile a program to a shared library, which Python and others load");
  command->add_option("program", options->path, "a .tsr file")->required();
  command->add_option("-o,--output", options->output, "the library, with its headers and its manifest beside it; without it, in the cache");
  command->add_option("--target", options->target, "cpu, cuda[:sm_90a], hip[:gfx942]")->capture_default_str();
  command->footer(R"(Prints the path of the library. Its functions are those of the headers (model.h, model.hpp). For a GPU of the
H100's kind: --target cuda:sm_90a.
Examples:
  tessera build model.tsr -o model.so
  tessera build model.tsr
  python3 -c 'import tessera; print(tessera.load("model.so"))')");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace tessera::tools
