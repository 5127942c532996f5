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

std::shared_ptr<driver::Session> loaded(const std::string &path, const std::string &text, const Analysis::Reader &reader) {
  auto session = std::make_shared<driver::Session>([path, text, reader](const std::string &file) {
    return file == path ? driver::ReadResult{driver::ReadProblem::None, text, text.size()} : reader(file);
  });
  session->load(path);
  return session;
}

/// Null after a mistake of the compiler, which is reported.
const checked::Program *check(driver::Session &session, sema::FactTable *table, bool advice) {
  sema::CheckOptions options;
  options.advice = advice;
  options.facts = table;
  try {
    return session.check(options);
  } catch (const InternalError &error) {
    session.diagnostics.report(diag::Id::internalError, Span{}, error.what());
  } catch (const std::bad_alloc &) {
    session.diagnostics.report(diag::Id::internalError, Span{}, "there is no memory left");
  } catch (const std::exception &error) {
    session.diagnostics.report(diag::Id::internalError, Span{}, error.what());
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Analysis> Analysis::of(const std::string &path, const std::string &text, const Reader &reader, bool advice) {
  auto made = std::make_unique<Analysis>();
  made->text_ = text;
  made->advised_ = advice;
  made->said_ = made->facts_ = loaded(path, text, reader);
  driver::Session &session = *made->said_;
  if (!session.module()) return nullptr;
  constexpr int kMostRounds = 4;  // a line taken out may be the head of others
  std::string mended = text;
  for (int round = 0; round < kMostRounds && made->facts_->diagnostics.hasErrors(); ++round) {
    std::string next = ide::withoutBrokenLines(mended, made->facts_->module()->file, made->facts_->diagnostics.all());
    if (next.empty()) break;
    mended = std::move(next);
    made->facts_ = loaded(path, mended, reader);
  }
  bool apart = made->facts_ != made->said_;
  const checked::Program *program = check(session, apart ? nullptr : &made->table_, advice);
  if (apart) program = check(*made->facts_, &made->table_, false);
  driver::Session &known = *made->facts_;
  made->names_ = ide::Names::of(*known.module(), known.sources, made->table_);
  made->view_.emplace(ide::View{known.sources, *known.module(), made->table_, program, made->names_, partsOf(known, "tessera.nn")});
  return made;
}

std::vector<std::string> Analysis::dependencies() const {
  std::vector<std::string> files = said_->filesRead();
  files.insert(files.end(), said_->filesMissed().begin(), said_->filesMissed().end());
  return files;
}

}  // namespace tessera::lsp
