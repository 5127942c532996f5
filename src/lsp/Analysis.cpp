#include "lsp/Analysis.h"
#include "support/Check.h"
#include <chrono>
#include <new>

namespace tessera::lsp {

/// A module of the library, and those all of whose names it hands on.
static std::vector<const ast::Module *> partsOf(const driver::Session &session, const std::string &dotted) {
  std::vector<const ast::Module *> parts;
  const ast::Module *module = session.library(dotted);
  if (!module) return parts;
  parts.push_back(module);
  for (const ast::StmtPtr &stmt : module->body)
    if (auto *from = ast::as<ast::FromImportStmt>(stmt); from && from->star) {
      std::string other;
      for (const ast::Identifier &part : from->module) other += (other.empty() ? "" : ".") + part.text;
      for (const ast::Module *part : partsOf(session, other)) parts.push_back(part);
    }
  return parts;
}

namespace {

std::shared_ptr<driver::Session> loaded(const std::string &path, const std::string &text, const Analysis::Reader &reader, const std::shared_ptr<driver::Past> &past) {
  auto read = [path, text, reader](const std::string &file) {
    return file == path ? driver::ReadResult{driver::ReadProblem::None, text, text.size()} : reader(file);
  };
  auto session = std::make_shared<driver::Session>(read, past);
  session->load(path);
  return session;
}

/// Does something that a mistake of the compiler may end: it is reported, and nothing that it may have spoilt is used again.
template <class Work> void guarded(driver::Session &session, driver::Past &past, const Work &work) {
  try {
    work();
    return;
  } catch (const InternalError &error) {
    session.diagnostics.report(diag::Id::internalError, Span{}, error.what());
  } catch (const std::bad_alloc &) {
    session.diagnostics.report(diag::Id::internalError, Span{}, "there is no memory left");
  } catch (const std::exception &error) {
    session.diagnostics.report(diag::Id::internalError, Span{}, error.what());
  }
  past.checked.forget();
  past.library = sema::emptyLibrary();
}
void check(driver::Session &session, driver::Past &past, const sema::CheckOptions &options) {
  guarded(session, past, [&] { session.check(options); });
}

/// Adds the time until its end.
class Stopwatch {
public:
  explicit Stopwatch(double &milliseconds) : milliseconds_(milliseconds) {}
  ~Stopwatch() { milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double &milliseconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

std::unique_ptr<Analysis> Analysis::of(const std::string &path, const std::string &text, const Reader &reader,
                                       std::shared_ptr<driver::Past> past, bool remember) {
  auto made = std::make_unique<Analysis>();
  Stopwatch watch(made->spent_);
  made->path_ = path, made->text_ = text, made->reader_ = reader;
  made->said_ = loaded(path, text, reader, past);
  if (!made->said_->module()) return nullptr;
  made->reads_ = !made->said_->diagnostics.hasErrors();
  made->options_.before = &past->checked;
    made->options_.remember = remember;
  made->options_.advice = false;
  made->past_ = std::move(past);
  return made;
}

bool Analysis::seekEdits(const std::function<bool()> &hurried) {
  diagnostics();
  if (advised() || !reads_) {
    options_.advice = true;
    return true;
  }
  Stopwatch watch(spent_);
  sema::CheckOptions options = options_;
  options.advice = true;
  bool stopped = false;
  if (hurried) options.hurried = [&] { return stopped || (stopped = hurried()); };
  const std::vector<diag::Diagnostic> said = said_->diagnostics.all();
  guarded(*said_, *past_, [&] { said_->advise(options); });
  if (stopped) said_->diagnostics.replace(said);
  else options_.advice = true;
  return !stopped;
}

/// The text that facts are looked for in.
void Analysis::mend() const {
  if (facts_) return;
  Stopwatch watch(spent_);
  facts_ = said_;
  constexpr int kMostRounds = 4;  // a line taken out may be the head of others
  std::string mended = text_;
  for (int round = 0; round < kMostRounds && facts_->diagnostics.hasErrors(); ++round) {
    std::string next = ide::withoutBrokenLines(mended, facts_->module()->file, facts_->diagnostics.all());
    if (next.empty()) break;
    mended = std::move(next);
    facts_ = loaded(path_, mended, reader_, past_);
  }
}

const sema::FactTable &Analysis::facts() const {
  if (factsChecked_) return table_;
  mend();
  Stopwatch watch(spent_);
  factsChecked_ = true;
  sema::CheckOptions options = options_;
  options.library = past_->library.get();
  options.facts = &table_;
  options.advice = false;
  if (facts_ == said_) saidChecked_ = true;
  check(*facts_, *past_, options);
  return table_;
}

const diag::Engine &Analysis::diagnostics() const {
  if (saidChecked_) return said_->diagnostics;
  mend();
  if (facts_ == said_) {
    facts();
  } else {
    Stopwatch watch(spent_);
    saidChecked_ = true;
    sema::CheckOptions options = options_;
    options.library = past_->library.get();
    check(*said_, *past_, options);
  }
  return said_->diagnostics;
}

Analysis::Seen::Seen(const driver::Session &known, const sema::FactTable &facts, std::optional<uint32_t> around)
    : names(ide::Names::of(*known.module(), known.sources, facts, around)),
      view{known.sources, *known.module(), facts, names, partsOf(known, "tessera.nn")} {}

std::unique_ptr<Analysis::Seen> Analysis::seen(std::optional<uint32_t> around) const {
  const sema::FactTable &table = facts();
  return std::make_unique<Seen>(*facts_, table, around);
}

const ide::View &Analysis::view() const {
  if (!whole_) whole_ = seen(std::nullopt);
  return whole_->view;
}

const ide::View &Analysis::viewAt(uint32_t offset) const {
  if (whole_) return whole_->view;
  if (!near_ || nearTo_ != offset) near_ = seen(offset);
  nearTo_ = offset;
  return near_->view;
}

std::optional<std::vector<std::string>> Analysis::dependencies() const {
  if (!saidChecked_ && !factsChecked_) return std::nullopt;
  const driver::Session &checked = saidChecked_ ? *said_ : *facts_;
  std::vector<std::string> files = checked.filesRead();
  files.insert(files.end(), checked.filesMissed().begin(), checked.filesMissed().end());
  return files;
}

}  // namespace tessera::lsp
