// tesserac: one .tsr file in; source, C header, manifest and line map out.
#include "diag/Diagnostic.h"
#include "driver/CommandLine.h"
#include "driver/Compiler.h"
#include "driver/Console.h"
#include "driver/Files.h"
#include "ir/target/Words.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>

using namespace tessera;
using namespace tessera::driver;

namespace {

struct Options {
  std::string input, output, target, emit, depfile, sarif;
  std::string nameSpace;
  std::vector<std::string> dispatch, functions;
  bool json = false, lineDirectives = false, standalone = false, force = false, keepGoing = false;
  codegen::HostChecks checks;
  MessageFormat format() const { return json ? MessageFormat::Json : MessageFormat::Text; }
};

constexpr const char *kStdout = "/dev/stdout";

constexpr const char *kFooter = R"(Examples:
  tesserac model.tsr -o model.cu                  CUDA C++, with model.h and model.json beside it
  tesserac model.tsr -o model.hip                 HIP
  tesserac model.tsr -o build/model.cpp           C++ with OpenMP
  tesserac model.tsr --target cuda:sm_90a -o k.cu --standalone
  tesserac model.tsr --target cuda:sm_90a --namespace nn::cuda_sm_90a -o model.cu
  tesserac model.tsr --dispatch cpu,cuda:sm_90a --namespace nn -o model.cpp
  tesserac model.tsr --target cuda -o -           the source alone, to stdout
  tesserac model.tsr --emit=tile                  the program at one level of the compiler, to stdout
  tesserac model.tsr --function softmax -o s.cu   only these functions (may be repeated), also where others fail
  tesserac model.tsr --keep-going -o model.cu     all functions that can be compiled, with warnings for the others
  tesserac model.tsr --json -o model.cu           messages as JSON on stdout)";

void addOptions(CLI::App &app, Options &options) {
  app.add_option("input", options.input, "the program, a .tsr file")->required();
  app.add_option("-o,--output", options.output, "the source to write; its suffix (.cu .hip .cpp) chooses the target; `-` is stdout");
  app.add_option("--target", options.target, "cuda[:sm_90a], hip[:gfx942], cpu[:x86-64-v3]; needed only if the suffix does not say it")->check(isGiven());
  app.add_option("--emit", options.emit, "print one level instead: ast, checked, graph, schedule, tile, target or source")->check(isGiven());
  app.add_option("--function", options.functions, "only this function and what it calls; may be repeated")->allow_extra_args(false)->check(isGiven());
  app.add_flag("--keep-going", options.keepGoing, "leave out the functions that cannot be compiled, with a warning, and write the others");
  app.add_option("--depfile", options.depfile, "write the files that the output depends on, for make and ninja")->check(isGiven());
  app.add_flag("--check-nan", options.checks.nan, "`def main()` ends at the first NaN that a function makes, and keeps what it was called with");
  app.add_flag("--check-bounds", options.checks.bounds, "`def main()` ends where a function is called with an index that lies outside");
  app.add_flag("--line-directives", options.lineDirectives, "#line directives: debuggers, profilers and nvcc point at the .tsr file");
  app.add_flag("--standalone", options.standalone, "paste the headers that the source uses, so that it needs nothing of ours");
  app.add_option("--namespace", options.nameSpace, "of the C++ functions, such as `mine::nn`; the C functions are then `mine_nn_softmax`")->check(isGiven());
  app.add_option("--dispatch", options.dispatch, "write functions that call the code for the target on which their arguments are: cpu,cuda:sm_90a")
      ->delimiter(',');
  app.add_flag("--force", options.force, "replace files that tesserac has not written");
  app.add_flag("--json", options.json, "messages as JSON on stdout");
  app.add_option("--sarif", options.sarif, "also write the messages to this file, as SARIF 2.1.0; `-` is stdout")->check(isGiven());
  app.footer(kFooter);
  app.set_version_flag("--version", "tesserac " TESSERA_VERSION);
}

/// The first part of `mine::int` that is a word of C++ or of its headers; empty if there is none.
std::string reservedIn(const std::string &nameSpace) {
  for (size_t at = 0; at < nameSpace.size();) {
    const size_t end = std::min(nameSpace.find(':', at), nameSpace.size());
    const std::string part = nameSpace.substr(at, end - at);
    if (ir::target::isTakenWord(part) || ir::target::sanitized(part) != part) return part;
    at = end + 2;
  }
  return "";
}

/// `nn`, `mine::nn`
bool isNamespace(const std::string &text) {
  bool begins = true;
  for (size_t at = 0; at < text.size(); ++at) {
    unsigned char c = static_cast<unsigned char>(text[at]);
    if (c == ':' && !begins && text.compare(at, 2, "::") == 0) begins = true, ++at;
    else if (std::isalpha(c) || c == '_' || (!begins && std::isdigit(c))) begins = false;
    else return false;
  }
  return !begins;
}

/// The targets of --dispatch; the first is the one for which the program is compiled to know its functions.
std::optional<TargetSpec> dispatchTargets(const Options &options, diag::Engine &diagnostics) {
  std::optional<TargetSpec> first;
  std::vector<Target> families;
  for (const std::string &text : options.dispatch) {
    auto target = parseTarget(text);
    if (!target || target->reference) {
      diagnostics.report(diag::Id::unknownTarget, {}, text).help("name those that tesserac compiles for, such as `--dispatch cpu,cuda:sm_90a`");
      return std::nullopt;
    }
    if (std::find(families.begin(), families.end(), target->target) != families.end()) {
      diagnostics.report(diag::Id::badOption, {}, "`--dispatch` names `" + text + "` beside another target of its kind")
          .help("functions choose by where their arguments are: give one target each for CPU, CUDA and HIP");
      return std::nullopt;
    }
    families.push_back(target->target);
    if (!first) first = target;
  }
  if (!options.target.empty())
    diagnostics.report(diag::Id::badOption, {}, "`--dispatch` names its targets, and so does `--target`").help("leave out `--target`");
  if (auto suffix = targetOfSuffix(suffixOf(options.output)); !suffix || suffix->target != Target::Cpu)
    diagnostics.report(diag::Id::badOption, {}, "what `--dispatch` writes is C++").help("name it .cpp");
  return first;
}

/// The target of the options; reports what is wrong with them.
std::optional<TargetSpec> chooseTarget(const Options &options, diag::Engine &diagnostics) {
  if (!options.dispatch.empty()) return dispatchTargets(options, diagnostics);
  if (!options.target.empty()) {
    auto target = parseTarget(options.target);
    if (!target || target->reference) {
      reportUnknownTarget(diagnostics, options.target, false);
      return std::nullopt;
    }
    auto named = targetOfSuffix(suffixOf(options.output));
    if (named && named->target != target->target)
      diagnostics.report(diag::Id::badOption, {}, "`" + options.output + "` is a name for " + named->name() + ", and the target is `" + target->name() + "`")
          .help("name it " + stemOf(options.output) + target->suffix() + ", or leave out `--target`");
    return target;
  }
  if (options.output.empty()) return TargetSpec{};
  auto target = targetOfSuffix(suffixOf(options.output));
  if (!target && !options.emit.empty()) return TargetSpec{};  // a level's text may go to any file
  if (!target)
    diagnostics.report(diag::Id::unknownSuffix, {}, options.output)
        .help("name it .cu for CUDA, .hip for HIP or .cpp for C++, or give --target");
  return target;
}

std::string depfileText(const Session &session, const std::string &output) {
  auto escaped = [](const std::string &path) {
    std::string out;
    for (char c : path) {
      if (c == ' ' || c == '#') out += '\\';
      out += c;
    }
    return out;
  };
  std::string text = escaped(output) + ":";
  for (const std::string &file : session.filesRead()) text += " \\\n  " + escaped(file);
  return text + "\n";
}

/// Whether the files may be written: none is a program that was read, none is another one of them, none is the user's.
bool mayWrite(Session &session, const Options &options, const std::vector<OutputFile> &files) {
  std::vector<std::string> read = session.filesRead();
  for (size_t i = 0; i < files.size(); ++i) {
    if (isDevice(files[i].path)) continue;
    for (const std::string &program : read)
      if (isSameFile(files[i].path, program)) {
        session.diagnostics.report(diag::Id::outputIsInput, {}, files[i].path).help("give another name to -o");
        return false;
      }
    for (size_t k = 0; k < i; ++k)
      if (isSameFile(files[i].path, files[k].path)) {
        session.diagnostics.report(diag::Id::badOption, {}, "two outputs would be the one file `" + files[i].path + "`")
            .help("the header, the manifest and the line map have the name of the output, with .h, .hpp, .json and .lines.json");
        return false;
      }
  }
  std::string foreign = options.force ? "" : foreignAmong(files);
  if (!foreign.empty())
    session.diagnostics.report(diag::Id::cannotWriteFile, {}, foreign, "it is there, and tesserac did not write it").help("give another name to -o, or let `--force` replace it");
  return foreign.empty();
}

bool write(Session &session, const Options &options, const std::vector<OutputFile> &files) {
  if (!mayWrite(session, options, files)) return false;
  std::string problem = writeFiles(files);
  if (!problem.empty()) session.diagnostics.report(diag::Id::cannotWriteFile, {}, options.output, problem).help(writingAdvice(options.output));
  return problem.empty();
}

bool writeProduct(Session &session, const Options &options, const Product &product) {
  std::string rule = depfileText(session, options.output);
  std::vector<OutputFile> files = {{options.output, product.source, "compiled by tesserac"}};
  if (!isDevice(options.output)) {  // a device gets the source alone: nothing can stand beside it
    for (OutputFile &file : besides(options.output, product)) files.push_back(std::move(file));
    files.push_back({folderOf(options.output) + "/" + stemOf(options.output) + ".lines.json", product.lineMap, "\"lines\": ["});
  }
  std::string_view ruleMark = std::string_view(rule).substr(0, rule.find(':') + 1);
  if (!options.depfile.empty()) files.push_back({options.depfile, rule, ruleMark});
  return write(session, options, files);
}

/// Refuses options that cannot be meant together.
void checkOptions(const Options &options, std::optional<Level> level, diag::Engine &diagnostics) {
  auto refuse = [&](const std::string &what, const std::string &help) { diagnostics.report(diag::Id::badOption, {}, what).help(help); };
  const bool isStdout = options.output == kStdout || options.output == "/dev/fd/1" || options.output == "/proc/self/fd/1";
  const bool toStdout = isStdout || (!options.emit.empty() && options.output.empty());
  if (options.sarif == "-" && (options.json || toStdout)) refuse("`--sarif -` would write to the standard output, and something else, too", "give it a file: `--sarif messages.sarif`");
  if (options.json && isStdout) refuse("`--json` writes to the standard output, and so does `-o " + options.output + "`", "give a file to `-o`");
  for (unsigned char c : isDevice(options.output) ? "" : fileNameOf(options.output))
    if (c < 0x20 || c == 0x7f || c == '"' || c == '\\')
      return refuse("no `#include` can name the headers of `" + options.output + "`", "leave out quotes, backslashes and control characters");
  if (options.keepGoing && !options.functions.empty()) refuse("`--function` names what is wanted, and `--keep-going` leaves out what fails", "leave out one of them");
  if (options.emit.empty() || !level) return;
  const std::string emit = "`--emit=" + options.emit + "`";
  auto named = targetOfSuffix(suffixOf(options.output));
  if (*level != Level::Source && named)
    refuse(emit + " writes a level of the compiler, and `" + options.output + "` is a name for " + named->name(), "name it " + stemOf(options.output) + ".txt, or leave out `--emit`");
  if (!options.depfile.empty()) refuse(emit + " prints one level, and `--depfile` is of a whole compile", "leave out one of them");
  if (*level == Level::Ast && !options.functions.empty()) refuse(emit + " prints the whole program, and `--function` is there, too", "leave out one of them");
  if (*level == Level::Source) return;
  std::string ofSource = options.standalone ? "--standalone" : options.lineDirectives ? "--line-directives" : options.checks.nan ? "--check-nan" : options.checks.bounds ? "--check-bounds" : !options.nameSpace.empty() ? "--namespace" : !options.dispatch.empty() ? "--dispatch" : "";
  if (!ofSource.empty()) refuse(emit + " prints no source, and `" + ofSource + "` says how it is written", "leave out one of them");
}

bool compile(Session &session, const Options &options) {
  if (!options.output.empty() && options.output == options.input) {
    session.diagnostics.report(diag::Id::outputIsInput, {}, options.output).help("give another name to -o");
    return false;
  }
  auto target = chooseTarget(options, session.diagnostics);
  auto level = options.emit.empty() ? std::optional(Level::Source) : levelByName(options.emit);
  if (!options.nameSpace.empty() && !isNamespace(options.nameSpace))
    session.diagnostics.report(diag::Id::badOption, {}, "`--namespace " + options.nameSpace + "` is no namespace of C++")
        .help("write it as `nn` or `mine::nn`");
  else if (std::string word = reservedIn(options.nameSpace); !word.empty())
    session.diagnostics.report(diag::Id::badOption, {}, "`--namespace " + options.nameSpace + "` has `" + word + "` in it, which C++ or its headers have")
        .help("give another name, such as `" + word + "_`");
  if (!level)
    session.diagnostics.report(diag::Id::badOption, {}, "`--emit=" + options.emit + "` names no level")
        .help("the levels are ast, checked, graph, schedule, tile, target and source");
  checkOptions(options, level, session.diagnostics);
  if (options.emit.empty() && options.output.empty() && target)
    session.diagnostics.report(diag::Id::badOption, {}, "I do not know where to write the source")
        .help("give an output, such as `-o " + stemOf(options.input) + ".cu`, or a level to print, such as `--emit=tile`");
  if (session.diagnostics.hasErrors() || !session.load(options.input)) return false;

  CompileOptions compileOptions;
  compileOptions.target = *target;
  compileOptions.sourceName = options.output.empty() ? stemOf(options.input) + target->suffix() : fileNameOf(options.output);
  compileOptions.lineDirectives = options.lineDirectives;
  compileOptions.standalone = options.standalone;
  compileOptions.checks = options.checks;
  compileOptions.keepGoing = options.keepGoing;
  compileOptions.nameSpace = options.nameSpace;
  compileOptions.dispatch = options.dispatch;
  Compiler compiler(session, compileOptions);
  if (!options.emit.empty()) {
    auto text = compiler.textAt(*level, options.functions);
    if (!text) return false;
    if (options.output.empty()) return std::fputs(text->c_str(), stdout) >= 0;
    return write(session, options, {{options.output, *text}});
  }
  auto product = compiler.emit(options.functions);
  return product && writeProduct(session, options, *product);
}

}  // namespace

int main(int argc, char **argv) {
  return guardedMain([&]() -> int {
    CLI::App app{"tesserac compiles a Tessera program to readable CUDA C++, HIP or C++ source"};
    Options options;
    addOptions(app, options);
    if (auto code = readCommandLine(app, argc, argv)) return *code;
    if (options.output == "-") options.output = kStdout;
    Session session;
    bool good = compile(session, options);
    if (!(options.format() == MessageFormat::Json && good && !options.emit.empty())) printMessages(session, options.format());
    if (!options.sarif.empty()) {
      std::string problem = writeSarif(options.sarif, diag::findingsOf(session.diagnostics, session.sources), "tesserac");
      if (!problem.empty()) {
        std::fprintf(stderr, "error[E0703]: I cannot write `%s`: %s\n", options.sarif.c_str(), problem.c_str());
        return kProgramHasErrors;
      }
    }
    if (session.diagnostics.hasErrors()) return exitCodeOf(session.diagnostics);
    return good ? kSuccess : kProgramHasErrors;
  });
}
