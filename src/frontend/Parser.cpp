#include "frontend/Parser.h"
#include "frontend/GrammarParser.h"
#include "frontend/Layout.h"
#include "frontend/Placement.h"
#include "frontend/ReadBefore.h"
#include "frontend/Repair.h"
#include "frontend/TextCheck.h"
#include <algorithm>
#include <future>

namespace tessera::frontend {

using diag::Id;

namespace {

/// After this many statements that cannot be read, the rest of the file is not looked at: it is most likely no program.
constexpr size_t kMaxBadUnits = 30;
/// Of a file with more tokens another thread reads the second half.
constexpr size_t kManyTokens = 10'000;
/// So many tokens may be read again because of mistakes. A large function with many takes long otherwise.
constexpr size_t kMaxWork = 2'000'000;

class ModuleParser {
public:
  ModuleParser(const Sources &sources, FileId file, diag::Engine &diagnostics, ast::Module &module, ReadBefore *before)
      : sources_(sources), source_(sources.file(file)), file_(file), all_(diagnostics), module_(module), grammar_(sources, file, built_), before_(before) {}

  void run() {
    read();
    if (diagnostics_.all().empty()) checkPlacement(module_, diagnostics_);  // else what stands where is not known
    // Layout speaks before the grammar does; a reader wants the messages in the order of the text.
    std::vector<std::pair<uint32_t, size_t>> order;  // by place, then as they were said
    for (const diag::Diagnostic &diagnostic : diagnostics_.all()) order.emplace_back(diagnostic.span.begin, order.size());
    std::sort(order.begin(), order.end());
    for (auto [place, index] : order) all_.append(diagnostics_.all()[index]);
  }

private:
  void read() {
    const LaidOut own = before_ ? LaidOut() : layout(source_, file_, diagnostics_);
    const LaidOut &out = before_ ? before_->layout(source_, file_, diagnostics_) : own;
    module_.comments = out.comments;
    if (diagnostics_.all().size() > kMaxLayoutMessages) {
      diagnostics_.truncate(kMaxLayoutMessages);
      return stop(diagnostics_.all().back().span.end);
    }
    size_t half = out.units.size();
    if (!before_ && out.tokens.size() > kManyTokens)
      half = static_cast<size_t>(std::lower_bound(out.units.begin(), out.units.end(), out.tokens.size() / 2) - out.units.begin());
    std::future<std::vector<ast::Block>> second;
    if (half < out.units.size()) second = std::async(std::launch::async | std::launch::deferred, [&, half] { return readFrom(out, half); });
    std::vector<ast::Block> trees;  // from `half` on
    for (size_t i = 0; i < out.units.size(); ++i) {
      if (i == half) trees = second.get();
      if (i >= half && !trees[i - half].empty()) {
        module_.body.insert(module_.body.end(), trees[i - half].begin(), trees[i - half].end());
        continue;
      }
      if (before_ && before_->take(i, out.tokens[out.units[i]].begin, module_.body)) continue;
      Tokens unit = unitOf(out, i);
      uint32_t last = unit.back().end;
      statement(i, std::move(unit), out.reported);
      if (work_ > kMaxWork || (badUnits_ >= kMaxBadUnits && i + 1 < out.units.size())) return stop(last);
    }
  }

  static Tokens unitOf(const LaidOut &out, size_t index) {
    size_t begin = out.units[index], end = index + 1 < out.units.size() ? out.units[index + 1] : out.tokens.size();
    Tokens unit(out.tokens.begin() + static_cast<ptrdiff_t>(begin), out.tokens.begin() + static_cast<ptrdiff_t>(end));
    uint32_t last = unit.back().end;
    unit.push_back({kEndOfFile, last, last});
    return unit;
  }
  /// The trees of the statements from this one on; none for those about which something is to be said.
  std::vector<ast::Block> readFrom(const LaidOut &out, size_t first) const {
    diag::Engine said;
    GrammarParser grammar(sources_, file_, said);
    std::vector<ast::Block> trees(out.units.size() - first);
    Failure failure;
    for (size_t i = first; i < out.units.size(); ++i) {
      ast::Block &tree = trees[i - first];
      if (!grammar.statements(unitOf(out, i), tree, failure) || !said.all().empty()) tree.clear();
      said.truncate(0);
    }
    return trees;
  }

  /// What stands behind `at` is not looked at.
  void stop(uint32_t at) {
    diagnostics_.report(Id::tooManyMistakes, {file_, at, at}, diagnostics_.all().size()).help("is this a program in Tessera?");
    uint32_t end = static_cast<uint32_t>(source_.text.size());
    module_.body.push_back(std::make_unique<ast::ErrorStmt>(ast::StmtKind::Error, Span{file_, at, end}));
  }

  /// Reads one top-level statement; as long as it does not fit the grammar, mends what did not fit and reads again.
  void statement(size_t index, Tokens unit, const std::vector<uint32_t> &reported) {
    Failure failure;
    if (before_ && before_->take(index, source_.text, unit, module_.body)) return;
    size_t first = module_.body.size();
    bool read = grammar_.statements(unit, module_.body, failure);
    if (read && built_.all().empty()) {
      if (before_) before_->keep(index, source_.text, unit, module_.body, first);
      return;
    }
    Repair repair(source_, file_, diagnostics_, std::move(unit), reported);
    ++badUnits_;
    while (!read) {
      work_ += repair.tokens().size();
      if (work_ > kMaxWork) repair.giveUp();
      repair.mend(failure);
      read = grammar_.statements(repair.tokens(), module_.body, failure);
    }
    takeBuilt(repair.reported());
  }

  /// Takes over what was said while the tree was built, except about lines that have a message already.
  void takeBuilt(const std::vector<Span> &reported) {
    for (const diag::Diagnostic &diagnostic : built_.all()) {
      bool quiet = std::any_of(reported.begin(), reported.end(), [&](Span line) {
        return diagnostic.span.begin >= line.begin && diagnostic.span.begin <= line.end;
      });
      if (!quiet) diagnostics_.append(diagnostic);
    }
    built_.truncate(0);
  }

  const Sources &sources_;
  const SourceFile &source_;
  FileId file_;
  diag::Engine &all_;
  diag::Engine diagnostics_, built_;  // of layout and repairs; of the tree's building
  ast::Module &module_;
  GrammarParser grammar_;
  ReadBefore *before_;  // may be null
  size_t badUnits_ = 0, work_ = 0;
};

}  // namespace

std::unique_ptr<ast::Module> parse(const Sources &sources, FileId file, diag::Engine &diagnostics, ReadBefore *before) {
  auto module = std::make_unique<ast::Module>();
  module->file = file;
  const SourceFile &source = sources.file(file);
  if (checkText(source, file, diagnostics)) {
    ModuleParser(sources, file, diagnostics, *module, before).run();
  } else {
    uint32_t end = static_cast<uint32_t>(source.text.size());
    module->body.push_back(std::make_unique<ast::ErrorStmt>(ast::StmtKind::Error, Span{file, 0, end}));
  }
  return module;
}

}  // namespace tessera::frontend
