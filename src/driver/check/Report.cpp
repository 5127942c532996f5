#include "driver/check/Report.h"
#include "driver/Embedded.h"
#include "driver/Session.h"
#include "driver/check/Shares.h"
#include "driver/check/Stopwatch.h"
#include "support/Check.h"
#include <algorithm>
#include <atomic>
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

/// A smaller program is read before a thread has begun.
constexpr size_t kBytesForThreads = 16 << 10;

/// What the check of a program was made with.
struct Kept {
  Session session;
  std::unique_ptr<Shares> shares;  // of a large one
  explicit Kept(Session own) : session(std::move(own)) {}
};

}  // namespace

void addDependencies(Report &report, const Session &session, Texts &texts) {
  for (const auto *files : {&session.filesRead(), &session.filesMissed()})
    for (const std::string &file : *files) {
      bool known = std::any_of(report.dependencies.begin(), report.dependencies.end(), [&](const Dependency &d) { return d.path == file; });
      if (!known) report.dependencies.push_back({file, texts.hash(file)});
    }
}

std::unique_ptr<Report> checkProgram(const std::string &path, Texts &texts, const CheckMore &more, size_t threads) {
  auto report = std::make_unique<Report>();
  report->path = path;
  auto kept = std::make_unique<Kept>(Session([&texts](const std::string &file) { return texts.read(file); }));
  Session &session = kept->session;
  Stopwatch stopwatch(session.sources);
  sema::CheckOptions options;
  options.onFunction = std::ref(stopwatch);
  try {
    const double begin = threadMilliseconds(), beginClock = clockMilliseconds();
    const auto prelude = texts.prelude(threads > 1 && texts.read(path).text.size() > kBytesForThreads);
    const bool isRead = session.load(path) != nullptr;
    const double read = threadMilliseconds(), readClock = clockMilliseconds();
    report->reading = read - begin, report->readingClock = readClock - beginClock;
    if (isRead) session.take(prelude.get());
    if (!more) kept->shares = std::make_unique<Shares>(session, threads);  // else the whole program is needed
    if (kept->shares) options.before = kept->shares->before();
    options.remember = false;
    const checked::Program *program = isRead ? session.check(options) : nullptr;
    if (program && !more && !session.diagnostics.hasErrors()) checkWhatIsRight(*program, session.sources, session.diagnostics);
    report->checking = threadMilliseconds() - read, report->checkingClock = clockMilliseconds() - readClock;
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
  addDependencies(*report, session, texts);
  if (kept->shares) kept->shares->addTo(*report, texts);
  for (const diag::Diagnostic &d : session.diagnostics.all()) report->diagnostics.append(d);
  report->sources = std::move(session.sources);
  // The last one stays: the end of the process takes its memory back faster than destructors would.
  static std::atomic<Kept *> last = nullptr;
  delete last.exchange(kept.release());
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
