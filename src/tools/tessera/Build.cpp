// tessera build: a program as a shared library, for programs that load it: Python, or anything with dlopen.
#include "driver/Build.h"
#include "driver/CacheFolder.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "tools/tessera/Commands.h"
#include <cstdio>

namespace tessera::tools {
namespace {

struct Options {
  std::string path, output, target = "cpu";
  bool force = false;
};

/// Copies the library out of the cache, with its headers and its manifest. Empty on success. `foreign`: the file that would
/// be replaced, and is not ours.
std::string writeLibrary(const driver::BuiltLibrary &built, const std::string &output, bool force, std::string &foreign) {
  driver::CacheEntry library = driver::readEntry(built.path);
  if (library.state != driver::EntryState::Good) return "the library is no more where it was built; build it again";
  std::vector<driver::OutputFile> files = driver::besides(output, built.product);
  files.insert(files.begin(), {output, std::move(library.bytes), "\x7f" "ELF"});
  if (foreign = force ? "" : driver::foreignAmong(files); !foreign.empty()) return foreign;
  return driver::writeFiles(files);
}

int run(const Options &options) {
  driver::Session session;
  auto finish = [&](int code) {
    driver::printMessages(session, driver::MessageFormat::Text);
    return code;
  };
  auto fail = [&] { return finish(driver::exitCodeOf(session.diagnostics)); };
  auto target = driver::parseTarget(options.target);
  if (!target || target->reference) {
    session.diagnostics.report(diag::Id::unknownTarget, {}, options.target).help("a library is built for cpu, cuda, cuda:sm_90a, hip or hip:gfx942");
    return fail();
  }
  if (!options.output.empty() && driver::suffixOf(options.output) != ".so") {
    session.diagnostics.report(diag::Id::badOption, {}, "`-o " + options.output + "` names no shared library")
        .help("name it " + driver::stemOf(options.path) + ".so; for source, use `tesserac`");
    return fail();
  }
  if (auto cache = driver::cacheFolder(); options.output.empty() && !cache) {
    session.diagnostics.report(diag::Id::cannotWriteFile, {}, "the library", cache.error()).help("say where it is to be with `-o`");
    return fail();
  }
  if (!session.load(options.path)) return fail();
  auto built = driver::buildLibrary(session, *target, driver::stemOf(options.output));
  if (!built) return fail();
  std::string foreign;
  if (!options.output.empty())
    if (std::string problem = writeLibrary(*built, options.output, options.force, foreign); !problem.empty()) {
      if (!foreign.empty())
        session.diagnostics.report(diag::Id::cannotWriteFile, {}, foreign, "it is there, and tessera did not write it").help("give another name to -o, or let `--force` replace it");
      else session.diagnostics.report(diag::Id::cannotWriteFile, {}, options.output, problem).help(driver::writingAdvice(options.output));
      return fail();
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
  command->add_flag("--force", options->force, "replace files that tessera has not written");
  command->footer(R"(Prints the path of the library. Its functions are those of the headers (model.h, model.hpp). For a GPU of the
H100's kind: --target cuda:sm_90a.
Examples:
  tessera build model.tsr -o model.so
  tessera build model.tsr
  python3 -c 'import tessera; print(tessera.load("model.so"))')");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace tessera::tools
