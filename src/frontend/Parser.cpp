#include "frontend/Parser.h"
#include "frontend/GrammarParser.h"
#include "frontend/Layout.h"
#include "frontend/Repair.h"
#include "frontend/TextCheck.h"

namespace tessera::frontend {

using diag::Id;

namespace {

/// After this many statements that cannot be read, the rest of the file is not looked at: it is most likely no program.
constexpr size_t kMaxBadUnits = 30;

class ModuleParser {
public:
  ModuleParser(const Sources &sources, FileId file, diag::Engine &diagnostics, ast::Module &module)
      : source_(sources.file(file)), file_(file), diagnostics_(diagnostics), module_(module),
        grammar_(sources, file, diagnostics) {}

  void run() {
    LaidOut out = layout(source_, file_, diagnostics_);
    module_.comments = std::move(out.comments);
    for (size_t i = 0; i < out.units.size(); ++i) {
      size_t begin = out.units[i], end = i + 1 < out.units.size() ? out.units[i + 1] : out.tokens.size();
      Tokens unit(out.tokens.begin() + static_cast<ptrdiff_t>(begin), out.tokens.begin() + static_cast<ptrdiff_t>(end));
      uint32_t last = unit.back().end;
      unit.push_back({kEndOfFile, last, last});
      statement(std::move(unit), out.reported);
      if (badUnits_ < kMaxBadUnits || i + 1 == out.units.size()) continue;
      diagnostics_.report(Id::tooManyMistakes, {file_, last, last}, badUnits_).help("is this a program in Tessera?");
      uint32_t rest = static_cast<uint32_t>(source_.text.size());
      module_.body.push_back(std::make_unique<ast::ErrorStmt>(ast::StmtKind::Error, Span{file_, last, rest}));
      return;
    }
  }

private:
  /// Reads one top-level statement; as long as it does not fit the grammar, mends what did not fit and reads again.
  void statement(Tokens unit, const std::vector<uint32_t> &reported) {
    Failure failure;
    if (grammar_.statements(unit, module_.body, failure)) return;
    ++badUnits_;
    Repair repair(source_, file_, diagnostics_, std::move(unit), reported);
    do {
      repair.mend(failure);
    } while (!grammar_.statements(repair.tokens(), module_.body, failure));
  }

  const SourceFile &source_;
  FileId file_;
  diag::Engine &diagnostics_;
  ast::Module &module_;
  GrammarParser grammar_;
  size_t badUnits_ = 0;
};

}  // namespace

std::unique_ptr<ast::Module> parse(const Sources &sources, FileId file, diag::Engine &diagnostics) {
  auto module = std::make_unique<ast::Module>();
  module->file = file;
  const SourceFile &source = sources.file(file);
  if (checkText(source, file, diagnostics)) {
    ModuleParser(sources, file, diagnostics, *module).run();
  } else {
    uint32_t end = static_cast<uint32_t>(source.text.size());
    module->body.push_back(std::make_unique<ast::ErrorStmt>(ast::StmtKind::Error, Span{file, 0, end}));
  }
  return module;
}

}  // namespace tessera::frontend
