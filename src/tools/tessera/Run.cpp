// tessera run: compiles a program for a machine (or interprets it), calls a function, writes its results.
#include "driver/Build.h"
#include "driver/CommandLine.h"
#include "driver/Console.h"
#include "driver/Launch.h"
#include "driver/Process.h"
#include "driver/Reference.h"
#include "tools/tessera/Call.h"
#include "tools/tessera/CheckNaN.h"
#include "tools/tessera/Commands.h"
#include <algorithm>
#include <cctype>
#include <cstdio>

namespace tessera::tools {
namespace {

using driver::Session;

struct Options {
  std::string path, runs, mesh, target = "cpu";
  CallOptions call;
  bool json = false;
  driver::MessageFormat format() const { return json ? driver::MessageFormat::Json : driver::MessageFormat::Text; }
};

/// Runs `def main()`: the emitted program as a process of its own, or the interpreter.
int runMain(Session &session, const checked::Program &checkedProgram, const checked::Function &function, const driver::TargetSpec &target, const Options &options) {
  std::map<std::string, std::string> named;
  for (const std::string &text : options.call.arguments) {
    size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      session.diagnostics.report(diag::Id::badArgument, {}, text, "I expected name=value").help("the signature is " + function.signature);
      return driver::kBadUsage;
    }
    if (!named.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      session.diagnostics.report(diag::Id::badArgument, {}, text.substr(0, equals), "it is given twice").help("give each parameter one --arg");
      return driver::kBadUsage;
    }
  }
  if (function.signature.rfind("def main()", 0) == 0 && !named.empty()) {
    refuseOption(session, "`main` has no parameters, and --arg gives it `" + named.begin()->first + "`",
         "declare it: `def main(" + named.begin()->first + ": int = 1)`");
    return driver::kBadUsage;
  }
  if (target.reference) {
    int status = 0;
    std::string problem = driver::interpretMain(session, function, std::move(named), options.call.checks, status);
    if (!problem.empty()) session.diagnostics.report(diag::Id::runFailed, {}, function.name, problem);
    return problem.empty() ? status : driver::kProgramHasErrors;
  }
  std::string program = driver::buildProgram(session, target, options.call.checks);
  if (program.empty()) return driver::kProgramHasErrors;
  driver::printMessages(session, options.format());
  std::fflush(nullptr);
  std::vector<std::string> words;
  for (const auto &[name, value] : named) words.push_back("--" + name + "=" + value);
  if (options.call.checks.nan) return runToFirstNaN(session, checkedProgram, program, words);
  driver::becomeProgram(program, words);
  session.diagnostics.report(diag::Id::runFailed, {}, program, "it could not be started");
  return driver::kProgramHasErrors;
}

int runOne(Session &session, const checked::Program &program, const driver::TargetSpec &target, const Options &options) {
  const checked::Function *function = chooseFunction(session, program, options.call.function);
  if (!function) return driver::exitCodeOf(session.diagnostics);
  if (function->kind != checked::FunctionKind::Host) {
    Compiled compiled(session, target);
    nlohmann::ordered_json json;
    const int code = callFunction(session, *function, compiled, target, options.call, options.json ? &json : nullptr);
    if (!json.is_null()) std::printf("%s\n", json.dump().c_str());
    return code;
  }
  if (!options.call.forResults()) return runMain(session, program, *function, target, options);
  refuseOption(session, "`main` gives no results: --random, --out, --time and --check mean nothing for it",
               "leave them out, or name a kernel or a tensor function");
  return driver::kBadUsage;
}

/// Whether the mesh names every axis that the function goes along. What it asks for without an exchange is asked when it runs.
bool namesItsAxes(Session &session, const checked::Program &program, const driver::MeshAxes &axes, const Options &options) {
  const checked::Function *function = options.runs.empty() ? chooseFunction(session, program, options.call.function) : nullptr;
  if (!function) return options.runs.empty() ? false : true;
  for (const checked::Effect &effect : function->effects.all()) {
    const std::string lack = effect.kind == checked::EffectKind::Collective ? tsr::Mesh::lack_of(axes, effect.of) : "";
    if (lack.empty()) continue;
    auto message = session.diagnostics.report(diag::Id::badMesh, {}, options.mesh, lack);
    if (!effect.path.empty()) message.note(effect.path.back().span, effect.path.back().text);
    return false;
  }
  return true;
}

/// Compiles what each device is going to run. False after an error.
bool compileForAll(Session &session, const checked::Program &program, const driver::TargetSpec &target, const Options &options) {
  if (!options.runs.empty()) return compileEachLine(session, program, options.runs, target, options.call);
  const checked::Function *function = chooseFunction(session, program, options.call.function);
  if (!function || target.reference) return function;
  if (function->kind == checked::FunctionKind::Host) return !driver::buildProgram(session, target, options.call.checks).empty();
  return !driver::buildProduct(session, target, {function->name}, true).empty();
}

/// The same command once for each device of a mesh.
int runOnMesh(Session &session, const checked::Program &program, const driver::TargetSpec &target, const Options &options) {
  const auto axes = driver::readMesh(session, options.mesh);
  if (!axes || !driver::hasDevices(session, options.mesh, *axes, target)) return driver::exitCodeOf(session.diagnostics);
  if (options.call.check && driver::devicesOf(*axes) > 1) {
    refuseOption(session, "`--check` compares with the reference interpreter, which is one device", "leave it out: what devices do together is not what each does alone");
    return driver::kBadUsage;
  }
  if (const std::string &out = options.call.out; driver::devicesOf(*axes) > 1 && !out.empty() && out.find("{rank}") == std::string::npos) {
    refuseOption(session, "each device would write its result to `" + out + "`", "let the name have the number of the device: `--out y{rank}.npy`");
    return driver::kBadUsage;
  }
  if (!namesItsAxes(session, program, *axes, options)) return driver::exitCodeOf(session.diagnostics);
  if (!compileForAll(session, program, target, options)) return driver::exitCodeOf(session.diagnostics);
  if (!session.diagnostics.all().empty()) driver::printMessages(session, options.format());
  session.diagnostics.truncate(0);
  return driver::launchDevices(session, *axes, driver::ownCommand(), false);
}

int run(const Options &options) {
  Session session;
  auto finish = [&](int code) {
    if (!session.diagnostics.all().empty()) driver::printMessages(session, options.format());
    return code;
  };
  auto failed = [&] { return finish(driver::exitCodeOf(session.diagnostics)); };
  auto target = driver::parseTarget(options.target);
  if (!target) {
    driver::reportUnknownTarget(session.diagnostics, options.target, true);
    return failed();
  }
  if (!session.load(options.path)) return failed();
  const checked::Program *program = session.check();
  if (!program || session.diagnostics.hasErrors()) return failed();
  if (!options.mesh.empty() && !driver::isLaunched()) return finish(runOnMesh(session, *program, *target, options));
  if (driver::isLaunched()) session.diagnostics.truncate(0);  // the launcher has shown the warnings
  if (options.runs.empty()) return finish(runOne(session, *program, *target, options));
  return finish(runEachLine(session, *program, options.runs, *target, options.call, options.json));
}

}  // namespace

std::vector<std::string> withParameters(const CLI::App &app, int argc, const char *const *argv) {
  std::vector<std::string> words(argv, argv + argc), given;
  if (words.size() < 2 || words[1] != "run") return words;
  std::vector<std::string> options = {"--help"};
  for (const CLI::Option *option : app.get_subcommand("run")->get_options())
    for (const std::string &name : option->get_lnames()) options.push_back("--" + name);
  const std::vector<std::string_view> known(options.begin(), options.end());
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool hasValue = equals != std::string::npos || (i + 1 < words.size() && words[i + 1].rfind("--", 0) != 0);
    const bool isParameter = name.size() > 2 && name.rfind("--", 0) == 0 && std::isalpha(static_cast<unsigned char>(name[2])) && hasValue && diag::didYouMean(name, known).empty() &&
                             std::find(options.begin(), options.end(), name) == options.end();
    if (!isParameter) {
      given.push_back(word);
      continue;
    }
    given.insert(given.end(), {"--arg", name.substr(2) + "=" + (equals != std::string::npos ? word.substr(equals + 1) : words[++i])});
  }
  return given;
}

void addRun(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("run", "compile a program for this machine and call one of its functions");
  command->add_option("path", options->path, "the program, a .tsr file")->required();
  addCallOptions(*command, options->call);
  command->add_option("--runs", options->runs, "a file with a call in each line, a function and options of those above: the program is read, checked and compiled once for all of them");
  command->add_option("--target", options->target, "cpu, cuda, hip, or reference (the interpreter)")->capture_default_str();
  command->add_option("--mesh", options->mesh, "run it once for each device of a mesh, dp=2,tp=2: processes of their own, each with a GPU or on the CPU")->check(driver::isGiven());
  command->add_flag("--json", options->json, "results and messages as JSON");
  command->footer(R"(Examples:
  tessera run softmax.tsr softmax --arg x=x.npy --out y.npy
  tessera run saxpy.tsr saxpy --random n=1000000 --seed 7 --arg alpha=2.0 --time
  tessera run norms.tsr layer_norm --random B=2,S=3,D=1000 --target reference
  tessera run norms.tsr layer_norm --check --runs sizes.txt    lines such as --random B=2,S=3,D=1000
  tessera run train.tsr --check-nan               where a loss becomes NaN
  tessera run train.tsr --check-bounds            a token that is not in the vocabulary
  tessera run program.tsr                         its `def main()`
  tessera run train.tsr --steps 1000              a parameter of `main`; also --arg steps=1000
  tessera run saxpy.tsr saxpy --random n=1000 --arg alpha=2.0 --mesh dp=2 --out y{rank}.npy    on two devices
In the values of --arg and --out, `{rank}` is the number of the device in its mesh.)");
  command->callback([options, &chosen] {
    fillRank(options->call);
    chosen = [options] { return run(*options); };
  });
}

}  // namespace tessera::tools
