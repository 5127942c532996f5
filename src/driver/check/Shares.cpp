#include "driver/check/Shares.h"
#include "driver/Requirements.h"
#include "driver/check/Stopwatch.h"
#include "checked/Held.h"
#include "checked/Products.h"
#include "shape/Bounds.h"
#include <algorithm>
#include <future>

namespace tessera::driver {
namespace {

constexpr size_t kLeastShare = 32 << 10;  // bytes of text; a check of less takes no longer than a thread needs to get ready
constexpr size_t kMostShares = 8;

/// A tile that is the whole result has its warning already where it can be of any size: one message has the words of both.
std::vector<std::string> takeWarningOfOneGroup(Span tile, diag::Engine &diagnostics) {
  std::vector<diag::Diagnostic> all = diagnostics.all();
  std::vector<std::string> said;
  auto isIt = [&](const diag::Diagnostic &d) { return d.id == diag::Id::oneGroup && d.span == tile; };
  for (const diag::Diagnostic &d : all)
    for (size_t i = 0; isIt(d) && i < d.notes.size(); ++i) said.push_back(d.notes[i].text);
  if (said.empty()) return said;
  std::erase_if(all, isIt);
  diagnostics.replace(std::move(all));
  return said;
}

/// What no target compiles, as far as the checked program shows it.
void sayUncompilable(const checked::Program &program, diag::Engine &diagnostics) {
  for (const auto &function : program.functions)
    if (auto tile = checked::unboundedTile(*function)) {
      const std::vector<std::string> said = takeWarningOfOneGroup(tile->span, diagnostics);
      auto builder = diagnostics.report(diag::Id::loweringFailed, tile->span, shape::needsGreatest(tile->dimension));
      for (const std::string &help : said) builder.help(help);
    }
}

/// Products whose tiles no instruction of any machine takes: they are right, and slow.
void sayOddProducts(const checked::Program &program, diag::Engine &diagnostics) {
  for (const auto &function : program.functions)
    if (auto product = checked::productWithoutInstruction(*function))
      diagnostics
          .report(diag::Id::noInstruction, product->span,
                  std::to_string(product->rows) + " x " + std::to_string(product->columns) + " with " + std::to_string(product->terms) + " summed")
          .label("its elements are multiplied one by one")
          .help("instructions of " + std::string(name(product->dtype)) + " take multiples of 16 rows, 16 columns and " + (info(product->dtype).bits <= 8 ? "32" : "16") +
                " summed");
}

}  // namespace

void checkWhatIsRight(const checked::Program &program, const Sources &sources, diag::Engine &diagnostics) {
  keepToWork(program, sources, diagnostics);
  sayUncompilable(program, diagnostics);
  sayOddProducts(program, diagnostics);
}

/// The check in one of the other threads.
struct Shares::Other {
  std::unique_ptr<Session> session;
  sema::CheckedBefore found;
  Stopwatch stopwatch;
  double checking = 0;  // milliseconds
  std::future<void> done;

  explicit Other(std::unique_ptr<Session> own) : session(std::move(own)), stopwatch(session->sources) {}

  /// What it says itself is of no use: the first check says it again.
  void run() {
    double begin = threadMilliseconds();
    sema::CheckOptions options;
    options.before = &found;
    options.advice = false;
    options.onFunction = std::ref(stopwatch);
    try {
      const checked::Program *program = session->check(options);
      size_t said = session->diagnostics.all().size();
      if (program && !session->diagnostics.hasErrors()) checkWhatIsRight(*program, session->sources, session->diagnostics);
      if (session->diagnostics.all().size() != said) found.forget();
    } catch (const std::exception &) {
      found.forget();
    }
    checking = threadMilliseconds() - begin;
  }
};

Shares::Shares(const Session &session, size_t threads) {
  const ast::Module *module = session.module();
  if (!module) return;
  const size_t bytes = session.sources.file(module->file).text.size();
  const size_t count = std::min({threads, kMostShares, bytes / kLeastShare});
  // The first share is a tenth larger: it has nothing to prepare, and its check is not asked for what it found.
  auto beginOf = [&](size_t share) { return static_cast<uint32_t>(share ? bytes * (10 * share + 1) / (10 * count + 1) : 0); };
  for (size_t share = 1; share < count; ++share) {
    Other &other = *others_.emplace_back(std::make_unique<Other>(session.beside()));
    other.found.share.begin = beginOf(share);
    if (share + 1 < count) other.found.share.end = beginOf(share + 1);
    other.done = std::async(std::launch::async | std::launch::deferred, [&other] { other.run(); });
  }
  if (others_.empty()) return;
  first_.share.end = beginOf(1);
  first_.share.others = [this](uint32_t place) {
    auto after = std::upper_bound(others_.begin(), others_.end(), place, [](uint32_t at, const auto &other) { return at < other->found.share.begin; });
    Other &other = **std::prev(after);
    if (other.done.valid()) other.done.get();
    return &other.found;
  };
}

Shares::~Shares() = default;

void Shares::addTo(Report &report, Texts &texts) {
  auto isKnown = [](const auto &all, auto same) { return std::any_of(all.begin(), all.end(), same); };
  report.threads = 1 + others_.size();
  for (const auto &other : others_) {
    if (other->done.valid()) other->done.get();
    report.checking += other->checking;
    addDependencies(report, *other->session, texts);
    for (FunctionTime &time : other->stopwatch.take())  // what it calls may have been checked before
      if (!isKnown(report.times, [&](const FunctionTime &t) { return t.line == time.line && t.name == time.name && t.path == time.path; }))
        report.times.push_back(std::move(time));
  }
}

}  // namespace tessera::driver
