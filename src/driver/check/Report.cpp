#include "driver/check/Report.h"
#include "checked/Held.h"
#include "driver/Embedded.h"
#include "driver/Requirements.h"
#include "driver/Session.h"
#include "shape/Bounds.h"
#include "support/Check.h"
#include <algorithm>
#include <atomic>
#include <ctime>
#include <new>
#include <nlohmann/json.hpp>

namespace tessera::driver {
namespace {

using Json = nlohmann::json;

void addMistakeOfTheCompiler(Report &report, const std::string &what) {
  report.internalError = true;
  report.diagnostics.report(diag::Id::internalError, Span{}, what).help("please report it with the program that shows it, `" + report.path + "`");
}

Json saved(Span span) { return span.valid() ? Json{span.file, span.begin, span.end} : Json(nullptr); }
Span restoredSpan(const Json &json) { return json.is_null() ? Span{} : Span{json.at(0), json.at(1), json.at(2)}; }

Json saved(const diag::Diagnostic &d) {
  Json notes = Json::array(), fixes = Json::array();
  for (const diag::Note &note : d.notes) notes.push_back({saved(note.span), note.text});
  for (const diag::Fix &fix : d.fixes)
    fixes.push_back({saved(fix.span), fix.replacement, fix.title, static_cast<int>(fix.applicability)});
  return {{"code", diag::row(d.id).code}, {"span", saved(d.span)}, {"message", d.message}, {"label", d.label},
          {"notes", std::move(notes)}, {"fixes", std::move(fixes)}};
}

bool restore(const Json &json, diag::Engine &diagnostics) {
  const diag::Row *row = diag::rowByCode(json.at("code").get<std::string>());
  if (!row) return false;
  diag::Diagnostic d{row->id, row->severity, restoredSpan(json.at("span")), json.at("message"), json.at("label"), {}, {}};
  for (const Json &note : json.at("notes")) d.notes.push_back({restoredSpan(note.at(0)), note.at(1)});
  for (const Json &fix : json.at("fixes"))
    d.fixes.push_back({restoredSpan(fix.at(0)), fix.at(1), fix.at(2), diag::Applicability{fix.at(3).get<uint8_t>()}});
  diagnostics.append(std::move(d));
  return true;
}

/// The text of a source by the path that its session gave it: a file, or "<tessera/nn.tsr>" of the standard library.
std::optional<std::string> textOf(const std::string &path, Texts &texts) {
  if (path.size() > 2 && path.front() == '<') {
    for (const EmbeddedFile &file : embeddedStdlib())
      if ("<" + std::string(file.path) + ">" == path) return std::string(file.text);
    return std::nullopt;
  }
  ReadResult read = texts.read(path);
  if (read.problem != ReadProblem::None) return std::nullopt;
  return std::move(read.text);
}

bool unchanged(const std::vector<Dependency> &dependencies, Texts &texts) {
  return std::all_of(dependencies.begin(), dependencies.end(),
                     [&](const Dependency &d) { return texts.hash(d.path) == d.hash; });
}

/// What no target compiles, as far as the checked program shows it.
void sayUncompilable(const checked::Program &program, diag::Engine &diagnostics) {
  for (const auto &function : program.functions)
    if (auto tile = checked::unboundedTile(*function)) diagnostics.report(diag::Id::loweringFailed, tile->span, shape::needsGreatest(tile->dimension));
}

/// Of the processor, in this thread.
double threadMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// Hears where the check of each function begins and ends.
class Stopwatch {
public:
  explicit Stopwatch(const Sources &sources) : sources_(sources) {}
  void operator()(const std::string &name, Span nameSpan, bool begins) {
    double now = threadMilliseconds();
    if (begins) {
      running_.push_back({name, nameSpan, now, 0});
      return;
    }
    Running done = std::move(running_.back());
    running_.pop_back();
    double all = now - done.begin;
    if (!running_.empty()) running_.back().others += all;
    const SourceFile &file = sources_.file(done.span.file);
    times_.push_back({done.name, file.path, file.lineColumn(done.span.begin).line, all - done.others});
  }
  std::vector<FunctionTime> take() { return std::move(times_); }

private:
  struct Running {
    std::string name;
    Span span;
    double begin, others;
  };
  const Sources &sources_;
  std::vector<Running> running_;
  std::vector<FunctionTime> times_;
};

}  // namespace

std::unique_ptr<Report> checkProgram(const std::string &path, Texts &texts, const CheckMore &more) {
  auto report = std::make_unique<Report>();
  report->path = path;
  auto owned = std::make_unique<Session>([&texts](const std::string &file) { return texts.read(file); });
  Session &session = *owned;
  Stopwatch stopwatch(session.sources);
  sema::CheckOptions options;
  options.onFunction = std::ref(stopwatch);
  try {
    const double begin = threadMilliseconds();
    const bool isRead = session.load(path) != nullptr;
    const double read = threadMilliseconds();
    report->reading = read - begin;
    const checked::Program *program = isRead ? session.check(options) : nullptr;
    if (program && !more && !session.diagnostics.hasErrors()) {
      keepToWork(*program, session.sources, session.diagnostics);
      sayUncompilable(*program, session.diagnostics);
    }
    report->checking = threadMilliseconds() - read;
    report->unreadable |= !isRead;
    if (more && session.module() && !session.diagnostics.hasErrors()) more(session);
  } catch (const InternalError &error) {
    addMistakeOfTheCompiler(*report, error.what());
  } catch (const std::bad_alloc &) {
    addMistakeOfTheCompiler(*report, "there is no memory left");
  } catch (const std::exception &error) {
    addMistakeOfTheCompiler(*report, error.what());
  }
  report->times = stopwatch.take();
  for (const std::string &file : session.filesRead()) report->dependencies.push_back({file, texts.hash(file)});
  for (const std::string &file : session.filesMissed()) report->dependencies.push_back({file, texts.hash(file)});
  for (const diag::Diagnostic &d : session.diagnostics.all()) report->diagnostics.append(d);
  report->sources = std::move(session.sources);
  // The last session stays: the end of the process takes its memory back faster than destructors would.
  static std::atomic<Session *> last = nullptr;
  delete last.exchange(owned.release());
  return report;
}

std::string savedReport(const Report &report) {
  Json sources = Json::array(), dependencies = Json::array(), diagnostics = Json::array();
  for (const Dependency &d : report.dependencies) dependencies.push_back({d.path, d.hash});
  for (const diag::Diagnostic &d : report.diagnostics.all()) diagnostics.push_back(saved(d));
  if (!diagnostics.empty())  // only messages need the texts again
    for (FileId id = 0; id < report.sources.size(); ++id) sources.push_back(report.sources.file(id).path);
  return Json{{"path", report.path}, {"dependencies", std::move(dependencies)}, {"sources", std::move(sources)},
              {"diagnostics", std::move(diagnostics)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::unique_ptr<Report> restoredReport(const std::string &text, Texts &texts) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return nullptr;
  auto report = std::make_unique<Report>();
  report->fromCache = true;
  try {
    report->path = json.at("path");
    for (const Json &d : json.at("dependencies")) report->dependencies.push_back({d.at(0), d.at(1)});
    if (report->dependencies.empty() || !unchanged(report->dependencies, texts)) return nullptr;
    for (const Json &source : json.at("sources")) {
      auto content = textOf(source, texts);
      if (!content) return nullptr;
      report->sources.add(source, std::move(*content));
    }
    for (const Json &d : json.at("diagnostics"))
      if (!restore(d, report->diagnostics)) return nullptr;
  } catch (const Json::exception &) {
    return nullptr;  // written by another version, or damaged: the check is done again
  }
  return report;
}

}  // namespace tessera::driver
