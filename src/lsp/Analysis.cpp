#include "lsp/Analysis.h"
#include "support/Check.h"
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

/// A mistake of the compiler is reported, and nothing that it may have spoilt is used again.
void check(driver::Session &session, sema::CheckOptions options) {
  try {
    session.check(options);
    return;
  } catch (const InternalError &error) {
    session.diagnostics.report(diag::Id::internalError, Span{}, error.what());
  } catch (const std::bad_alloc &) {
    session.diagnostics.report(diag::Id::internalError, Span{}, "there is no memory left");
  } catch (const std::exception &error) {
    session.diagnostics.report(diag::Id::internalError, Span{}, error.what());
  }
  options.before->forget();
}

}  // namespace

std::unique_ptr<Analysis> Analysis::of(const std::string &path, const std::string &text, const Reader &reader, bool advice,
                                       std::shared_ptr<driver::Past> past, bool remember) {
  auto made = std::make_unique<Analysis>();
  made->text_ = text;
  made->advised_ = advice;
  made->said_ = made->facts_ = loaded(path, text, reader, past);
  driver::Session &session = *made->said_;
  if (!session.module()) return nullptr;
  constexpr int kMostRounds = 4;  // a line taken out may be the head of others
  std::string mended = text;
  for (int round = 0; round < kMostRounds && made->facts_->diagnostics.hasErrors(); ++round) {
    std::string next = ide::withoutBrokenLines(mended, made->facts_->module()->file, made->facts_->diagnostics.all());
    if (next.empty()) break;
    mended = std::move(next);
    made->facts_ = loaded(path, mended, reader, past);
  }
  bool apart = made->facts_ != made->said_;
  sema::CheckOptions options;
  options.before = &past->checked;
  options.remember = remember;
  options.advice = advice;
  options.facts = apart ? nullptr : &made->table_;
  check(session, options);
  options.advice = false;
  options.facts = &made->table_;
  if (apart) check(*made->facts_, options);
  return made;
}

Analysis::Seen::Seen(const driver::Session &known, const sema::FactTable &facts, std::optional<uint32_t> around)
    : names(ide::Names::of(*known.module(), known.sources, facts, around)),
      view{known.sources, *known.module(), facts, names, partsOf(known, "tessera.nn")} {}

std::unique_ptr<Analysis::Seen> Analysis::seen(std::optional<uint32_t> around) const {
  const driver::Session &known = *facts_;
  return std::make_unique<Seen>(known, table_, around);
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

std::vector<std::string> Analysis::dependencies() const {
  std::vector<std::string> files = said_->filesRead();
  files.insert(files.end(), said_->filesMissed().begin(), said_->filesMissed().end());
  return files;
}

}  // namespace tessera::lsp
