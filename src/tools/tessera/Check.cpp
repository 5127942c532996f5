// tessera check: reads and checks programs without compiling them, mends them, watches them.
#include "diag/Edits.h"
#include "driver/Compiler.h"
#include "driver/Console.h"
#include "driver/check/Fix.h"
#include "driver/check/Tree.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/Watch.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <tuple>

namespace tessera::tools {
namespace {

using driver::Reports;
using driver::Texts;
using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::string> paths;
  std::string sarif, fix, target;
  size_t maxErrors = 0;  // 0: all
  size_t slowest = 0;    // of the functions: so many are shown with their times
  bool json = false, dryRun = false, watch = false, noCache = false;
};

/// One check of everything that was named, and what it found.
struct Round {
  Reports reports;
  diag::Findings findings;
  diag::RunSummary summary;
};

Round checkOnce(const std::vector<std::string> &files, Texts &texts, const Options &options, driver::ResultCache *cache,
                Clock::time_point start) {
  Round round;
  driver::CheckMore compiles;
  if (auto target = driver::parseTarget(options.target); !options.target.empty() && target)
    compiles = [target](driver::Session &session) {
      driver::CompileOptions compile;
      compile.target = *target;
      driver::Compiler(session, compile).emit();
    };
  round.reports = driver::checkPrograms(files, texts, cache, compiles);
  round.findings = driver::findingsOf(round.reports);
  round.summary = driver::summaryOf(round.reports, round.findings);
  round.summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return round;
}

int exitCodeOf(const Round &round) {
  for (const auto &report : round.reports)
    if (report->internalError) return driver::kInternalError;
  if (round.summary.unreadable) return driver::kBadUsage;
  return round.summary.errors ? driver::kProgramHasErrors : driver::kSuccess;
}

/// The first `most` errors, and what stands between them.
diag::Findings firstErrors(const diag::Findings &findings, size_t most) {
  diag::Findings kept;
  size_t errors = 0;
  for (const diag::Finding &finding : findings) {
    errors += finding.diagnostic->severity == diag::Severity::Error;
    if (most && errors > most) break;
    kept.push_back(finding);
  }
  return kept;
}

bool printRound(const Round &round, const Options &options) {
  diag::Shortened most = diag::shortened(round.findings);
  diag::Findings shown = most.shown = firstErrors(most.shown, options.maxErrors);
  if (options.json) {
    std::fputs(diag::renderJson(most, &round.summary).c_str(), stdout);
  } else {
    diag::TextStyle style = driver::terminalStyle();
    for (const diag::Finding &finding : shown)
      std::fprintf(stderr, "%s\n", diag::renderText(*finding.diagnostic, *finding.sources, style).c_str());
    if (options.maxErrors == 0) std::fputs(most.text().c_str(), stderr);
    else if (shown.size() < round.findings.size())
      std::fprintf(stderr, "%s not shown\n", diag::counted(round.findings.size() - shown.size(), "message").c_str());
    bool wrong = round.summary.errors + round.summary.warnings > 0;
    std::fprintf(wrong || options.sarif == "-" ? stderr : stdout, "%s\n", driver::summaryText(round.summary).c_str());
    std::fflush(nullptr);
  }
  if (options.sarif.empty()) return true;
  std::string problem = driver::writeSarif(options.sarif, shown, "tessera");
  if (!problem.empty()) std::fprintf(stderr, "error[E0703]: I cannot write `%s`: %s\n", options.sarif.c_str(), problem.c_str());
  return problem.empty();
}

/// The functions whose checks took longest, with what they took, the longest first, and what took the rest.
std::string slowestFunctions(const Reports &reports, size_t most) {
  if (most == 0) return {};
  std::vector<const driver::FunctionTime *> times;
  for (const auto &report : reports)
    for (const driver::FunctionTime &time : report->times) times.push_back(&time);
  std::sort(times.begin(), times.end(), [](auto *a, auto *b) { return std::tie(b->milliseconds, a->name) < std::tie(a->milliseconds, b->name); });
  std::string text;
  auto add = [&](double milliseconds, const std::string &what) {
    char number[32];
    std::snprintf(number, sizeof number, "%9.2f ms  ", milliseconds);
    text += number + what + "\n";
  };
  for (size_t i = 0; i < std::min(most, times.size()); ++i)
    add(times[i]->milliseconds, times[i]->name + " (" + times[i]->path + ":" + std::to_string(times[i]->line) + ")");
  double reading = 0, checking = 0, functions = 0, readingClock = 0, checkingClock = 0;
  size_t threads = 1;
  for (const auto &report : reports) {
    reading += report->reading, checking += report->checking;
    readingClock += report->readingClock, checkingClock += report->checkingClock;
    threads = std::max(threads, report->threads);
  }
  for (const driver::FunctionTime *time : times) functions += time->milliseconds;
  add(reading, "reading the text, in the first thread");
  add(functions, "checking " + diag::counted(times.size(), "function"));
  add(std::max(0.0, checking - functions), "what is imported, and what is said of the whole");
  if (reports.size() == 1) {
    add(readingClock, "reading, by the clock");
    add(checkingClock, "checking, by the clock, in " + diag::counted(threads, "thread"));
  }
  return text;
}

/// Applies fixes and writes the files, or shows what would change. False if a file could not be written.
bool mend(const std::vector<std::string> &files, Texts &texts, const Options &options) {
  driver::FixOutcome outcome = driver::applyAllFixes(files, texts, options.fix == "all");
  std::FILE *out = options.json ? stderr : stdout;
  if (options.dryRun) {
    for (const driver::FixedFile &file : outcome.files)
      std::fputs(diag::unifiedDiff(file.path, file.before, file.after).c_str(), out);
    std::fprintf(out, "%s in %s would be made; nothing was written\n", diag::counted(outcome.edits.size(), "edit").c_str(),
                 diag::counted(outcome.files.size(), "file").c_str());
    return true;
  }
  std::vector<driver::OutputFile> written;
  for (const driver::FixedFile &file : outcome.files) written.push_back({file.path, file.after});
  if (std::string problem = driver::writeFiles(written); !problem.empty()) {
    std::fprintf(stderr, "error[E0703]: I cannot write the mended files: %s\n", problem.c_str());
    return false;
  }
  for (const driver::MadeEdit &edit : outcome.edits)
    std::fprintf(out, "%s:%u:%u: %s: %s\n", edit.path.c_str(), edit.line, edit.column, edit.code.c_str(), edit.edit.c_str());
  std::fprintf(out, "%s in %s made\n", diag::counted(outcome.edits.size(), "edit").c_str(),
               diag::counted(outcome.files.size(), "file").c_str());
  return true;
}

/// Checks again after each change of a program, of what it imports, or of which programs there are.
int watch(const Options &options, driver::ResultCache &cache) {
  catchInterrupts();
  int code = driver::kSuccess;
  Stamps seen;
  for (bool first = true; !interrupted(); first = false) {
    Clock::time_point start = Clock::now();
    std::vector<std::string> files = driver::programsBelow(options.paths);
    std::vector<std::string> watched = files;
    for (const auto &[file, stamp] : seen) watched.push_back(file);
    if (Stamps now = stampsOf(watched); first || now != seen) {
      Texts texts;
      Round round = checkOnce(files, texts, options, &cache, start);
      printRound(round, options);
      code = exitCodeOf(round);
      // Stamps of before the check: what changed while it ran is seen in the next look.
      seen.clear();
      for (const std::string &file : files) seen[file] = now[file];
      for (const auto &report : round.reports)
        for (const driver::Dependency &d : report->dependencies)
          seen[d.path] = now.count(d.path) ? now[d.path] : stampsOf({d.path})[d.path];
    }
    waitAMoment();
  }
  return code;
}

int run(const Options &options) {
  Clock::time_point start = Clock::now();
  driver::ResultCache cache(!options.noCache);
  if (auto target = driver::parseTarget(options.target); !options.target.empty() && (!target || target->reference)) {
    driver::Session session;
    driver::reportUnknownTarget(session.diagnostics, options.target, false);
    driver::printMessages(session, options.json ? driver::MessageFormat::Json : driver::MessageFormat::Text);
    return driver::kBadUsage;
  }
  if (options.json && options.sarif == "-") {
    std::fprintf(stderr, "error[E0804]: `--json` and `--sarif -` would both write to the standard output\n  = help: give one of them a file: `--sarif messages.sarif`\n");
    return driver::kBadUsage;
  }
  if (options.watch) return watch(options, cache);
  std::vector<std::string> files = driver::programsBelow(options.paths);
  if (files.empty()) {
    std::fprintf(stderr, "tessera check: there is no .tsr file in what you named\n");
    return driver::kBadUsage;
  }
  if (!options.fix.empty()) {
    Texts texts;
    if (!mend(files, texts, options)) return driver::kBadUsage;
  }
  Texts texts;  // as the files are now
  Round round = checkOnce(files, texts, options, &cache, start);
  if (!printRound(round, options)) return driver::kBadUsage;
  std::fputs(slowestFunctions(round.reports, options.slowest).c_str(), stderr);
  return exitCodeOf(round);
}

}  // namespace

void addCheck(CLI::App &app, Chosen &chosen) {
  auto options = std::make_shared<Options>();
  CLI::App *command = app.add_subcommand("check", "check programs: names, types, shapes, numerics, effects");
  command->add_option("paths", options->paths, ".tsr files, or folders of them")->required();
  auto *json = command->add_flag("--json", options->json, "what was found as one JSON document on stdout");
  auto *sarif = command->add_option("--sarif", options->sarif, "also write it to this file, as SARIF 2.1.0; `-` is stdout");
  command->add_option("--max-errors", options->maxErrors, "show at most so many errors; the exit code counts all");
  auto *fix = command->add_flag("--fix{certain}", options->fix, "apply the fixes that are certain; --fix=all applies suggestions too")
      ->check(CLI::IsMember({"certain", "all"}));
  command->add_flag("--dry-run,--diff", options->dryRun, "with --fix: write nothing, show a unified diff")->needs(fix);
  command->add_flag("--watch", options->watch, "check again after each change, until interrupted")
      ->excludes(json)
      ->excludes(sarif)
      ->excludes(fix);
  command->add_flag("--time{10}", options->slowest, "also the 10 (--time=N: N) functions whose checks took longest, in processor time")
      ->excludes(json);
  command->add_option("--target", options->target, "also what this target cannot compile: cuda[:sm_90a], hip[:gfx942], cpu");
  command->add_flag("--no-cache", options->noCache, "check everything, also what is known and has not changed");
  command->footer(R"(Exit codes: 0 nothing was found, 1 mistakes were found, 2 wrong options or a file that cannot be read or written.
Examples:
  tessera check model.tsr
  tessera check src --json
  tessera check src --target cuda:sm_90a          also what fails only when it is compiled
  tessera check src --fix --diff
  tessera check src --watch)");
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace tessera::tools
