// Functions without types that no tensor function can be made of: an index that data decides, a list that grows, a text, a name that gets
// another dtype. Where host code calls them, it runs them itself, statement by statement.
#include "frontend/Walk.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <cctype>
#include <utility>

namespace tessera::sema {

using ast::as;

SaidBefore::SaidBefore(const Context &cx)
    : diagnostics(cx.diagnostics.all().size()), failures(cx.failures), reported(cx.reportedSpans), unknown(cx.unknownNames) {}

void SaidBefore::restore(Context &cx, std::vector<diag::Diagnostic> instead) const {
  cx.diagnostics.truncate(diagnostics);
  cx.reportedSpans = reported;
  cx.unknownNames = unknown;
  cx.failures = failures + instead.size();
  for (diag::Diagnostic &said : instead) {
    cx.reportedSpans.insert({static_cast<int>(said.id), said.span.file, said.span.begin});
    cx.diagnostics.append(std::move(said));
  }
}

namespace {
std::set<std::string> wordsIn(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (char c : std::string(text) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') word += c;
    else words.insert(std::exchange(word, {}));
  }
  return words;
}

/// The sizes of axes that a message names.
std::set<std::string> extentsIn(std::string_view message) {
  std::set<std::string> extents;
  for (const std::string &word : wordsIn(message)) {
    for (const char *end : {"_rows", "_columns", "_length"})
      if (word.ends_with(end)) extents.insert(word);
    if (word.find("_axis") != std::string::npos) extents.insert(word);
  }
  return extents;
}

/// Whether an index is outside for a number that run time knows: `for t in range(length)` around `blocks[t // 4]`.
bool namesAny(const diag::Diagnostic &said, const std::set<std::string> &numbers) {
  const std::set<std::string> words = wordsIn(said.message + " " + said.label);
  return std::any_of(numbers.begin(), numbers.end(), [&](const std::string &number) { return words.count(number) != 0; });
}

/// Whether run time finds that an index fits: sizes of several axes are compared, or a known number with the size of one.
bool comparesExtents(const std::string &message) {
  const std::string_view all = message, lies = " lies outside ";
  const size_t between = all.find(lies);
  return extentsIn(all).size() > 1 || (between != std::string_view::npos && extentsIn(all.substr(0, between)).empty() && !extentsIn(all.substr(between)).empty());
}

/// `x[start:start + chunk]` with a start that changes: run time cuts the slice where the axis ends, as Python does.
bool isCutSlice(const std::string &message) {
  const std::string_view index = std::string_view(message).substr(0, message.find(" lies outside "));
  const size_t dots = index.find("..");
  return dots != std::string_view::npos && std::any_of(index.begin() + 10, index.begin() + static_cast<std::ptrdiff_t>(dots), [](unsigned char c) { return std::isalpha(c); });
}

/// `x[t + 1] if t + 1 < n else 0.0`: host code computes the chosen side alone.
bool isChosen(const ast::Children &parts, Span at) {
  auto holds = [&](Span span) { return span.file == at.file && span.begin <= at.begin && at.end <= span.end; };
  for (const ast::Expr *e : parts.exprs)
    if (holds(e->span) && (e->kind == ast::ExprKind::Conditional || isChosen(ast::childrenOf(*e), at))) return true;
  return std::any_of(parts.stmts.begin(), parts.stmts.end(), [&](const ast::Stmt *s) { return holds(s->span) && isChosen(ast::childrenOf(*s), at); });
}

/// `nonzero(x)`: a name that only host code has.
bool isOfHost(Context &cx, const diag::Diagnostic &said) {
  const BuiltinRow *row = builtinByName(cx.sources.text(said.span), 'P');
  return row && row->places.find('H') != std::string_view::npos;
}

/// What a tensor function needs to know before it runs, and host code finds when it runs.
bool isNoneAtRunTime(Context &cx, const diag::Diagnostic &said, const std::vector<const Callable *> &functions, const std::set<std::string> &numbers = {}) {
  auto chooses = [&](const Callable *f) {
    return std::any_of(f->def->body.begin(), f->def->body.end(), [&](const ast::StmtPtr &s) { return isChosen(ast::childrenOf(*s), said.span); });
  };
  switch (said.id) {
  case Id::outOfBounds: return comparesExtents(said.message) || isCutSlice(said.message) || namesAny(said, numbers) || std::any_of(functions.begin(), functions.end(), chooses);
  case Id::shapeUndecided:
  case Id::redefinedType:
  case Id::notSupportedYet:
  case Id::notIterable:
  case Id::maybeUnassigned: return true;
  case Id::recursion:
  case Id::notConstant:
  case Id::sliceSize:
  case Id::cannotReturnInside:
  case Id::typeArguments:  // `-> CSR`: its dimensions are those of what is returned
  case Id::narrowing: return true;
  case Id::immutableTensor: return said.message.starts_with("a dict");
  case Id::undefinedName:
  case Id::hostOnly: return isOfHost(cx, said);
  case Id::argumentNotGiven: return cx.sources.text(said.span).starts_with("where(");  // `where(mask)` is `nonzero(mask)`
  case Id::wrongArgument: return said.message.starts_with("an index expects") || said.message.starts_with("`zip` expects");  // it ends with the shortest
  case Id::unknownAttribute: return cx.sources.text(said.span) == "append" || cx.sources.text(said.span) == "pop";
  default: return false;
  }
}

void functionsCalled(Context &cx, const ast::Expr &e, std::vector<const Callable *> &found) {
  if (auto *call = as<ast::CallExpr>(&e)) {
    auto callee = cx.function.operands.find(call->callee.get());
    const Callable *f = callee != cx.function.operands.end() && callee->second.kind == ValueKind::Function ? callee->second.callable : nullptr;
    if (f && f->def && !f->isKernel && !f->inHost && !cx.libraryFiles.count(f->nameSpan.file)) found.push_back(f);
  }
  ast::Children below = ast::childrenOf(e);
  for (const ast::Expr *part : below.exprs) functionsCalled(cx, *part, found);
}
}  // namespace

/// `i: int`: run time finds whether it is an index.
static std::set<std::string> integerParameters(const Context &cx, const Callable &callable) {
  std::set<std::string> names;
  for (const ast::Parameter &p : callable.def->parameters)
    if (p.annotation && cx.sources.text(p.annotation->span) == "int") names.insert(p.name.text);
  return names;
}

/// A function of a program that host code can run, too.
static bool isPlain(const Context &cx, const Callable &callable) {
  const bool plain = callable.def && !callable.isKernel && callable.name != "main" && !callable.structure && !callable.closure && !callable.isTest &&
                     callable.choices.empty() && !callable.isCheckpoint && !callable.isCustomVjp && !callable.isCustomJvp && !callable.isModel;
  return plain && callable.module == cx.main && cx.main->names.count("main") != 0;
}

bool isLeftToHost(const Context &cx) {
  if (inHost(cx) || cx.function.calls.empty()) return false;
  const Callable &callable = *cx.function.calls.front().callable;
  auto isOfTensors = [&](const ast::Parameter &p) {
    const std::string_view type = p.annotation ? cx.sources.text(p.annotation->span) : "";
    return type.starts_with("Tensor") || dtypeByName(type);
  };
  return isPlain(cx, callable) && std::none_of(callable.def->parameters.begin(), callable.def->parameters.end(), isOfTensors);
}

bool leaveToHost(Context &cx, const Callable &callable, const SaidBefore &before) {
  const bool fromHost = !cx.function.fn || inHost(cx);
  if (!fromHost || !isPlain(cx, callable)) return false;
  const auto &all = cx.diagnostics.all();
  std::vector<diag::Diagnostic> said(all.begin() + static_cast<std::ptrdiff_t>(std::min(before.diagnostics, all.size())), all.end());
  const std::set<std::string> integers = integerParameters(cx, callable);
  if (std::none_of(said.begin(), said.end(), [&](const auto &one) { return isNoneAtRunTime(cx, one, {&callable}, integers); })) return false;
  before.restore(cx);
  callable.inHost = true;
  cx.leftToHost[&callable] = std::move(said);
  return true;
}

void sayWhatWasLeft(Context &cx) {
  for (auto &[callable, said] : cx.leftToHost) {
    const Span body = callable->def->span;
    auto isInside = [&](const diag::Diagnostic &d) { return d.severity == diag::Severity::Error && d.span.file == body.file && body.begin <= d.span.begin && d.span.end <= body.end; };
    std::vector<diag::Diagnostic> all = cx.diagnostics.all();
    const bool ran = cx.ranByHost.count(callable) != 0 && std::none_of(all.begin(), all.end(), isInside);
    if (ran) continue;
    std::erase_if(all, isInside);
    all.insert(all.end(), said.begin(), said.end());
    cx.diagnostics.replace(std::move(all));
    ++cx.failures;
  }
}

std::optional<Value> runByHost(Context &cx, const std::vector<const ast::Expr *> &parts, const SaidBefore &before, const std::set<std::string> &numbers,
                               const std::function<std::optional<Value>()> &again) {
  if (cx.function.arrayWork) return std::nullopt;
  std::vector<const Callable *> functions;
  for (const ast::Expr *part : parts) functionsCalled(cx, *part, functions);
  const auto &all = cx.diagnostics.all();
  std::vector<diag::Diagnostic> said(all.begin() + static_cast<std::ptrdiff_t>(std::min(before.diagnostics, all.size())), all.end());
  if (functions.empty() || std::none_of(said.begin(), said.end(), [&](const auto &one) { return isNoneAtRunTime(cx, one, functions, numbers); })) return std::nullopt;
  before.restore(cx);
  for (const Callable *f : functions) f->inHost = true;
  std::optional<Value> made = again();
  if (made && !made->isPoison() && cx.failures == before.failures) return made;
  for (const Callable *f : functions) f->inHost = false;
  before.restore(cx, std::move(said));
  return std::nullopt;
}

}  // namespace tessera::sema
