// tessera build: a program as a shared library, for programs that load it (Python, or anything with dlopen), or its
// `def main()` as a program.
#include "driver/Build.h"
#include "driver/CacheFolder.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "tools/tessera/Commands.h"
#include <cstdio>
#include <filesystem>

namespace tessera::tools {
namespace {

struct Options {
  std::string path, output, target = "cpu";
  bool force = false;
  codegen::HostChecks checks;
  bool isLibrary() const { return output.empty() || driver::suffixOf(output) == ".so"; }
};

/// Copies what was built out of the cache, with the files beside it. Empty on success. `foreign`: the file that would be
/// replaced, and is not ours.
std::string copyOut(const std::string &built, std::vector<driver::OutputFile> files, const std::string &output, bool force, std::string &foreign) {
  driver::CacheEntry entry = driver::readEntry(built);
  if (entry.state != driver::EntryState::Good) return "it is no more where it was built; build it again";
  files.insert(files.begin(), {output, std::move(entry.bytes), "\x7f" "ELF"});
  if (foreign = force ? "" : driver::foreignAmong(files); !foreign.empty()) return foreign;
  return driver::writeFiles(files);
}

/// A file that may be run by whoever may read it.
std::string makeExecutable(const std::string &path) {
  using std::filesystem::perms;
  std::error_code error;
  const perms mode = std::filesystem::status(path, error).permissions();
  perms run = perms::owner_exec;
  if ((mode & perms::group_read) != perms::none) run |= perms::group_exec;
  if ((mode & perms::others_read) != perms::none) run |= perms::others_exec;
  if (!error) std::filesystem::permissions(path, run, std::filesystem::perm_options::add, error);
  return error ? error.message() : "";
}

/// The path of what was built, copied to the output if there is one; empty after an error.
std::string build(driver::Session &session, const driver::TargetSpec &target, const Options &options) {
  std::string built, foreign, problem;
  std::vector<driver::OutputFile> beside;
  if (options.isLibrary()) {
    auto library = driver::buildLibrary(session, target, driver::stemOf(options.output));
    if (!library) return {};
    built = library->path;
    if (!options.output.empty()) beside = driver::besides(options.output, library->product);
  } else {
    const checked::Program *program = session.check();
    if (!program || session.diagnostics.hasErrors()) return {};
    if (!program->find("main")) {
      session.diagnostics.report(diag::Id::badOption, {}, "`-o " + options.output + "` is a program, and `" + options.path + "` has no `def main()`")
          .help("name a library: -o " + driver::stemOf(options.path) + ".so; for source, use `tesserac`");
      return {};
    }
    built = driver::buildProgram(session, target, options.checks);
  }
  if (built.empty() || options.output.empty()) return built;
  problem = copyOut(built, std::move(beside), options.output, options.force, foreign);
  if (problem.empty() && !options.isLibrary()) problem = makeExecutable(options.output);
  if (problem.empty()) return options.output;
  if (!foreign.empty())
    session.diagnostics.report(diag::Id::cannotWriteFile, {}, foreign, "it is there, and tessera did not write it").help("give another name to -o, or let `--force` replace it");
  else session.diagnostics.report(diag::Id::cannotWriteFile, {}, options.output, problem).help(driver::writingAdvice(options.output));
  return {};
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
  if (const std::string suffix = driver::suffixOf(options.output); !options.isLibrary() && !suffix.empty()) {
    session.diagnostics.report(diag::Id::badOption, {}, "`-o " + options.output + "` names neither a shared library nor a program")
        .help("name a library " + driver::stemOf(options.path) + ".so and a program " + driver::stemOf(options.path) + "; for source, use `tesserac`");
    return fail();
  }
  if ((options.checks.nan || options.checks.bounds) && options.isLibrary()) {
    session.diagnostics.report(diag::Id::badOption, {}, std::string("a library has no host code, and `") + (options.checks.nan ? "--check-nan" : "--check-bounds") + "` changes that")
        .help("build the program: -o " + driver::stemOf(options.path));
    return fail();
  }
  if (auto cache = driver::cacheFolder(); options.output.empty() && !cache) {
    session.diagnostics.report(diag::Id::cannotWriteFile, {}, "the library", cache.error()).help("say where it is to be with `-o`");
    return fail();
  }
  if (!session.load(options.path)) return fail();
  const std::string built = build(session, *target, options);
  if (built.empty()) return fail();
  std::printf("%s\n", built.c_str());
  return finish(driver::kSuccess);
}

}  // namespace

void addBuild(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("build", "compile a program to a shared library, which Python and others load, or its `main` to a program");
  command->add_option("program", options->path, "a .tsr file")->required();
  command->add_option("-o,--output", options->output, "model.so: the library, with its headers and its manifest beside it; model: the program; without it, a library in the cache");
  command->add_option("--target", options->target, "cpu, cuda[:sm_90a], hip[:gfx942]")->capture_default_str();
  command->add_flag("--force", options->force, "replace files that tessera has not written");
  command->add_flag("--check-nan", options->checks.nan, "the program ends at the first NaN that a function makes, and keeps what it was called with");
  command->add_flag("--check-bounds", options->checks.bounds, "the program ends where a function is called with an index that lies outside");
  command->footer(R"(Prints the path of what was built. The functions of a library are those of the headers (model.h, model.hpp). For a GPU of the
H100's kind: --target cuda:sm_90a.
Examples:
  tessera build model.tsr -o model.so
  tessera build model.tsr
  tessera build train.tsr -o train && ./train --steps 100
  python3 -c 'import tessera; print(tessera.load("model.so"))')");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace tessera::tools
