// `try` in host code. A statement that may fail is tried by itself: what it binds stays as it was where it fails, a variable says so, and
// what follows in the block runs only if it did not. So `except` finds what each statement before it did, as in Python.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/LoopBody.h"
#include "sema/trace/Trace.h"
#include "support/Check.h"
#include "tessera/host/stop.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;
using ast::TryPart;

namespace {
constexpr const char *kTries = "%tries", *kCaught = "%caught";  // as names that no program has
constexpr const char *kBegins = "tries", *kEnds = "try_ends";    // functions of the host runtime

// ---------------------------------------------------------------- kinds of errors

struct NamedKind {
  std::string_view name;
  int64_t first, last;
};
/// Those that the host runtime makes, and those that stand for several. `raise` makes the last of them.
constexpr NamedKind kKinds[] = {
    {"Exception", 0, tsr::host::kOtherError},
    {"BaseException", 0, tsr::host::kOtherError},
    {"ValueError", tsr::host::kValueError, tsr::host::kValueError},
    {"JSONDecodeError", tsr::host::kValueError, tsr::host::kValueError},
    {"LookupError", tsr::host::kKeyError, tsr::host::kIndexError},
    {"KeyError", tsr::host::kKeyError, tsr::host::kKeyError},
    {"IndexError", tsr::host::kIndexError, tsr::host::kIndexError},
    {"ArithmeticError", tsr::host::kZeroDivisionError, tsr::host::kOverflowError},
    {"ZeroDivisionError", tsr::host::kZeroDivisionError, tsr::host::kZeroDivisionError},
    {"OverflowError", tsr::host::kOverflowError, tsr::host::kOverflowError},
    {"OSError", tsr::host::kFileNotFoundError, tsr::host::kOSError},
    {"IOError", tsr::host::kFileNotFoundError, tsr::host::kOSError},
    {"FileNotFoundError", tsr::host::kFileNotFoundError, tsr::host::kFileNotFoundError},
    {"RuntimeError", tsr::host::kNotImplementedError, tsr::host::kRuntimeError},
    {"NotImplementedError", tsr::host::kNotImplementedError, tsr::host::kNotImplementedError},
    {"AssertionError", tsr::host::kAssertionError, tsr::host::kAssertionError},
    {"MemoryError", tsr::host::kMemoryError, tsr::host::kMemoryError},
    {"TypeError", tsr::host::kTypeError, tsr::host::kTypeError},
    {"EOFError", tsr::host::kEOFError, tsr::host::kEOFError},
};

/// The kind that an expression names; nothing after a message.
const NamedKind *kindNamed(Context &cx, const ast::Expr &written) {
  auto *name = as<ast::NameExpr>(&written);
  auto *member = as<ast::AttributeExpr>(&written);
  const std::string_view text = name ? std::string_view(name->name) : member ? std::string_view(member->attribute.text) : std::string_view();
  for (const NamedKind &kind : kKinds)
    if (kind.name == text) return &kind;
  std::vector<std::string_view> names;
  std::string list;
  for (const NamedKind &kind : kKinds) names.push_back(kind.name), list += (list.empty() ? "`" : ", `") + std::string(kind.name) + "`";
  const std::string_view near = diag::didYouMean(text, names);
  unsupported(cx, "the error `" + std::string(cx.sources.text(written.span)) + "`", written.span,
              near.empty() ? "errors have kinds that the host runtime knows: " + list : "`" + std::string(near) + "`");
  return nullptr;
}

// ---------------------------------------------------------------- statements that may fail

bool isCallOf(const ExprPtr &expr, std::string_view function) {
  auto *call = expr ? expr->get<node::HostCall>() : nullptr;
  return call && call->function == function;
}

/// Functions of the host runtime that always have a result.
bool isSafe(std::string_view function) {
  constexpr std::string_view kWhole[] = {kBegins, kEnds, "caught_kind", "caught_text", "same_text", "count", "shape_text", "file_exists", "perf_counter",
                                         "rows_of", "iota", "set_text", "rank", "axis_index", "axis_size"};
  constexpr std::string_view kBegin[] = {"text_", "has_", "words_of_", "rows_text", "rows_json", "entries_text", "entries_json", "tensor_", "full_", "zeros", "store_next_"};
  return std::find(std::begin(kWhole), std::end(kWhole), function) != std::end(kWhole) ||
         std::any_of(std::begin(kBegin), std::end(kBegin), [&](std::string_view begin) { return function.starts_with(begin); });
}

bool mayFail(Expr &e) {
  if (auto *call = e.get<node::HostCall>()) return !isSafe(call->function);
  if (auto *computed = e.get<node::Elementwise>()) {
    const bool divides = (computed->op == ElementwiseOp::FloorDiv || computed->op == ElementwiseOp::Mod) && !isFloat(e.type.dtype);
    return divides && e.args[1]->kind != ExprKind::Constant;
  }
  return e.kind == ExprKind::Call || e.kind == ExprKind::LoadNpy || e.kind == ExprKind::HostItem;
}
bool mayFail(const ExprPtr &expr) {
  bool found = false;
  visitExprs(expr.get(), [&](Expr &e) { found |= mayFail(e); });
  return found;
}
bool mayFail(const Stmt &stmt) {
  if (stmt.kind == StmtKind::SaveNpy || stmt.kind == StmtKind::Assert) return true;
  return mayFail(stmt.value) || mayFail(stmt.extra) || mayFail(stmt.condition);
}

std::unique_ptr<Stmt> made(StmtKind kind, Span span) {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = kind;
  stmt->span = span;
  return stmt;
}
std::unique_ptr<Stmt> set(StmtKind kind, Var *var, ExprPtr value, Span span) {
  auto stmt = made(kind, span);
  stmt->var = var;
  stmt->value = std::move(value);
  return stmt;
}
ExprPtr notTrue(Var *var, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(makeRef(var, span));
  return makeElementwise(ElementwiseOp::Not, scalarType(DType::Bool), span, std::move(args));
}

/// The statements of one `try`.
class Tried {
public:
  Tried(Context &cx, Var *failed, int64_t number) : cx_(cx), failed_(failed), number_(number) {}

  /// Lets each statement of a block that may fail be tried, up to where the `try` ends. Whether there is one.
  bool protect(Block &block) {
    for (size_t i = 0; i < block.size(); ++i) {
      if (isCallOf(block[i]->value, kEnds) && block[i]->count == number_) {
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
        return false;
      }
      while (stored(block, i)) {}  // what it asks for is a statement of its own in front of it
      if (!protect(block, i)) continue;
      Block rest(std::make_move_iterator(block.begin() + static_cast<std::ptrdiff_t>(i) + 1), std::make_move_iterator(block.end()));
      block.resize(i + 1);
      protect(rest);
      if (rest.empty()) return true;
      auto follows = made(StmtKind::If, rest.front()->span);
      follows->condition = notTrue(failed_, follows->span);
      follows->body = std::move(rest);
      block.push_back(std::move(follows));
      return true;
    }
    return false;
  }

private:
  /// Conditions and ends of loops that may fail become variables in front of the statement.
  bool stored(Block &block, size_t i) {
    Stmt &stmt = *block[i];
    const bool isLoop = stmt.kind == StmtKind::For;
    if (stmt.kind != StmtKind::If && !isLoop) return false;
    for (ExprPtr *part : {&stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) {
      if (!mayFail(*part)) continue;
      Var *var = newVar(cx_, isLoop ? "end" : "holds", (*part)->type, (*part)->span);
      auto let = set(StmtKind::Let, var, std::move(*part), stmt.span);
      *part = makeRef(var, stmt.span);
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), std::move(let));
      return true;
    }
    return false;
  }

  bool protect(Block &block, size_t &i) {
    Stmt &stmt = *block[i];
    switch (stmt.kind) {
    case StmtKind::If: {
      if (isCallOf(stmt.condition, kBegins)) return false;  // of a `try` inside
      const bool then = protect(stmt.body), otherwise = protect(stmt.otherwise);
      return then || otherwise;
    }
    case StmtKind::While: askInside(stmt); [[fallthrough]];
    case StmtKind::For: {
      if (!protect(stmt.body)) return false;
      auto leaves = made(StmtKind::If, stmt.span);
      leaves->condition = makeRef(failed_, stmt.span);
      leaves->body.push_back(made(StmtKind::Break, stmt.span));
      stmt.body.push_back(std::move(leaves));
      return true;
    }
    case StmtKind::Return: return false;
    default: return mayFail(stmt) && tried(block, i);
    }
  }

  /// `while int(text) > 0:` asks in its body.
  void askInside(Stmt &loop) {
    if (!mayFail(loop.condition)) return;
    Var *holds = newVar(cx_, "holds", scalarType(DType::Bool), loop.span);
    auto let = set(StmtKind::Let, holds, std::move(loop.condition), loop.span);
    auto ends = made(StmtKind::If, loop.span);
    ends->condition = notTrue(holds, loop.span);
    ends->body.push_back(made(StmtKind::Break, loop.span));
    loop.condition = makeBool(true, loop.span);
    loop.body.insert(loop.body.begin(), std::move(ends));
    loop.body.insert(loop.body.begin(), std::move(let));
  }

  /// if tries(): the statement, else: failed = true. What it binds is declared before.
  bool tried(Block &block, size_t &i) {
    if (block[i]->var && block[i]->var->type.kind == TypeKind::Tuple) return false;  // several results of an entry point are bound at once
    auto stmt = std::move(block[i]);
    const Span span = stmt->span;
    auto attempt = made(StmtKind::If, span);
    attempt->condition = makeExpr(ExprKind::HostCall, scalarType(DType::Bool), span);
    attempt->condition->as<node::HostCall>().function = kBegins;
    attempt->otherwise.push_back(set(StmtKind::Assign, failed_, makeBool(true, span), span));
    std::unique_ptr<Stmt> let;
    if (stmt->kind == StmtKind::Let) {
      let = set(StmtKind::Let, stmt->var, anyValue(cx_, stmt->var->type, span), span);
      stmt->kind = StmtKind::Assign;
      stmt->var->reassigned = true;
    }
    attempt->body.push_back(std::move(stmt));
    block[i] = std::move(attempt);
    if (let) block.insert(block.begin() + static_cast<std::ptrdiff_t>(i++), std::move(let));
    return true;
  }

  Context &cx_;
  Var *failed_;
  const int64_t number_;
};

// ---------------------------------------------------------------- parts of the statement

std::unique_ptr<ast::TryStmt> partOf(const ast::TryStmt &stmt, TryPart part, size_t from = 0) {
  auto made = std::make_unique<ast::TryStmt>(ast::StmtKind::Try, stmt.span);
  made->of = stmt.of ? stmt.of : &stmt;
  made->part = part;
  made->from = from;
  return made;
}

/// `if` of a condition that the checker made, under a name of its own.
std::shared_ptr<ast::IfStmt> asking(Context &cx, const char *name, ExprPtr condition, Span span) {
  Value truth = Value::of(ValueKind::Array);
  truth.type = scalarType(DType::Bool);
  truth.expr = std::shared_ptr<Expr>(condition.release());
  Binding binding;
  binding.value = std::move(truth);
  binding.block = cx.blockId;
  binding.span = span;
  cx.function.frame->names[name] = std::move(binding);
  auto written = std::make_unique<ast::NameExpr>(ast::ExprKind::Name, span);
  written->name = name;
  auto asked = std::make_shared<ast::IfStmt>(ast::StmtKind::If, span);
  asked->condition = std::move(written);
  cx.written.push_back(asked);
  return asked;
}

ExprPtr askedOfRuntime(Context &cx, std::string_view function, std::vector<ExprPtr> args, Span span) {
  return clone(*hostCall(cx, function, std::move(args), span).expr);
}

/// Nothing of the names that only the checker has stays behind.
void forget(Context &cx, const char *name) { cx.function.frame->names.erase(name); }

/// Checks both sides, and then lets what may fail on the first be tried; the other follows if something did.
void tryWith(Context &cx, const ast::TryStmt &stmt, const std::vector<std::pair<TryPart, size_t>> &body, const std::vector<std::pair<TryPart, size_t>> &otherwise) {
  const int number = ++cx.nextBlockId;
  auto asked = asking(cx, kTries, askedOfRuntime(cx, kBegins, {}, stmt.span), stmt.span);
  for (auto [part, from] : body) asked->then.push_back(partOf(stmt, part, part == TryPart::End ? static_cast<size_t>(number) : from));
  for (auto [part, from] : otherwise) asked->otherwise.push_back(partOf(stmt, part, from));
  Block &block = *cx.function.block;
  const size_t before = block.size();
  ifStmt(cx, *asked);
  forget(cx, kTries);
  size_t at = block.size();
  while (at > before && !(block[at - 1]->kind == StmtKind::If && isCallOf(block[at - 1]->condition, kBegins))) --at;
  if (at-- == before) return;  // after a message
  std::unique_ptr<Stmt> out = std::move(block[at]);
  Var *failed = newVar(cx, "failed", scalarType(DType::Bool), stmt.span);
  failed->reassigned = true;
  cx.function.rebindable.insert(failed);
  Block made;
  if (Tried(cx, failed, number).protect(out->body)) {
    made.push_back(set(StmtKind::Let, failed, makeBool(false, stmt.span), stmt.span));
    std::move(out->body.begin(), out->body.end(), std::back_inserter(made));
    auto caught = std::make_unique<Stmt>();
    caught->kind = StmtKind::If;
    caught->span = stmt.span;
    caught->condition = makeRef(failed, stmt.span);
    caught->body = std::move(out->otherwise);
    made.push_back(std::move(caught));
  } else {
    made = std::move(out->body);
  }
  block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
  block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
}

/// What is raised ends the way that it stands on.
void ends(Context &cx) {
  cx.function.frame->returned = true;
  if (cx.function.conditionDepth == cx.function.frame->conditionDepth && cx.function.frame->inlined) cx.function.frame->results = {Value::of(ValueKind::None)};
}
void raiseAgain(Context &cx, Span span) {
  hostCall(cx, "raise_again", {}, span);
  ends(cx);
}

/// Whether what was caught is of one of the kinds that a clause names; null after a message, or where it takes all.
ExprPtr isOfKinds(Context &cx, const ast::ExceptClause &clause) {
  std::vector<const ast::Expr *> written;
  if (clause.type->kind == ast::ExprKind::Tuple)
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*clause.type).items) written.push_back(item.get());
  else written.push_back(clause.type.get());
  ExprPtr all;
  for (const ast::Expr *one : written) {
    const NamedKind *kind = kindNamed(cx, *one);
    if (!kind || kind->first == 0) return nullptr;
    std::vector<ExprPtr> range;
    range.push_back(makeIndex(kind->first, one->span));
    range.push_back(makeIndex(kind->last, one->span));
    ExprPtr is = askedOfRuntime(cx, "caught_kind", std::move(range), one->span);
    std::vector<ExprPtr> both;
    if (all) both.push_back(std::move(all)), both.push_back(std::move(is));
    all = both.empty() ? std::move(is) : makeElementwise(ElementwiseOp::Or, scalarType(DType::Bool), one->span, std::move(both));
  }
  return all;
}

void handlers(Context &cx, const ast::TryStmt &whole, size_t from, Span span) {
  if (from == whole.handlers.size()) return raiseAgain(cx, span);
  const ast::ExceptClause &clause = whole.handlers[from];
  ExprPtr condition = clause.type ? isOfKinds(cx, clause) : nullptr;
  const bool takesAll = !condition;
  if (takesAll) condition = makeBool(true, clause.span);
  auto asked = asking(cx, kCaught, std::move(condition), clause.span);
  asked->then.push_back(partOf(whole, TryPart::Name, from));
  asked->then.push_back(partOf(whole, TryPart::Handler, from));
  if (!takesAll) asked->otherwise.push_back(partOf(whole, TryPart::Handlers, from + 1));
  if (takesAll) checkBlock(cx, asked->then);
  else ifStmt(cx, *asked);
  forget(cx, kCaught);
}

bool leavesBelow(const ast::Block &block, bool inLoop) {
  return std::any_of(block.begin(), block.end(), [&](const ast::StmtPtr &stmt) {
    using K = ast::StmtKind;
    if (stmt->kind == K::Return || (!inLoop && (stmt->kind == K::Break || stmt->kind == K::Continue))) return true;
    if (stmt->kind == K::FuncDef) return false;
    const bool loop = inLoop || stmt->kind == K::For || stmt->kind == K::While;
    const std::vector<const ast::Block *> blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *inner) { return leavesBelow(*inner, loop); });
  });
}

/// `finally` is done behind the rest, or before what was not caught goes on.
void tryFinally(Context &cx, const ast::TryStmt &stmt) {
  bool leaves = leavesBelow(stmt.body, false) || leavesBelow(stmt.otherwise, false) || leavesBelow(stmt.finally, false);
  for (const ast::ExceptClause &clause : stmt.handlers) leaves |= leavesBelow(clause.body, false);
  if (leaves) {
    unsupported(cx, "`finally` around a `return`, `break` or `continue`", stmt.span, "keep the result under a name, and return it behind the `finally`");
    return bindUnknown(*cx.function.frame, stmt, cx.blockId);
  }
  tryWith(cx, stmt, {{TryPart::WithoutFinally, 0}, {TryPart::End, 0}}, {{TryPart::Finally, 0}, {TryPart::Again, 0}});
  checkBlock(cx, stmt.finally);
}
}  // namespace

void tryStmt(Context &cx, const ast::TryStmt &stmt) {
  const ast::TryStmt &whole = stmt.of ? *stmt.of : stmt;
  switch (stmt.part) {
  case TryPart::Whole:
    if (!inHost(cx)) {
      unsupported(cx, "`try` in a function of tensors", stmt.span, "host code, `def main()` and what it calls, catches errors; a function of tensors gives its caller a status");
      return bindUnknown(*cx.function.frame, stmt, cx.blockId);
    }
    if (!stmt.finally.empty()) return tryFinally(cx, stmt);
    [[fallthrough]];
  case TryPart::WithoutFinally:
    if (whole.handlers.empty()) return checkBlock(cx, whole.body);
    return tryWith(cx, stmt, {{TryPart::Body, 0}, {TryPart::End, 0}, {TryPart::Otherwise, 0}}, {{TryPart::Handlers, 0}});
  case TryPart::Body: return checkBlock(cx, whole.body);
  case TryPart::End: {
    Stmt &marker = emit(cx, StmtKind::Evaluate, stmt.span);
    marker.value = makeExpr(ExprKind::HostCall, scalarType(DType::Bool), stmt.span);
    marker.value->as<node::HostCall>().function = kEnds;
    marker.count = static_cast<int64_t>(stmt.from);
    return;
  }
  case TryPart::Otherwise: return checkBlock(cx, whole.otherwise);
  case TryPart::Handlers: return handlers(cx, whole, stmt.from, stmt.span);
  case TryPart::Name:
    if (const auto &name = whole.handlers[stmt.from].name)
      assignName(cx, name->text, asVariable(cx, hostCall(cx, "caught_text", {}, name->span), name->text, name->span), name->span);
    return;
  case TryPart::Handler: return checkBlock(cx, whole.handlers[stmt.from].body);
  case TryPart::Finally: return checkBlock(cx, whole.finally);
  case TryPart::Again: return raiseAgain(cx, stmt.span);
  }
}

void raiseInHost(Context &cx, const ast::RaiseStmt &stmt) {
  auto *call = stmt.value ? as<ast::CallExpr>(stmt.value) : nullptr;
  auto *name = stmt.value ? as<ast::NameExpr>(stmt.value) : nullptr;
  const bool isCaught = name && cx.function.frame->names.count(name->name) != 0;  // `raise error`, of `except ... as error`
  if (!stmt.value || isCaught) return raiseAgain(cx, stmt.span);
  const ast::Expr &written = call ? *call->callee : *stmt.value;
  Value what = Value::string("");
  if (call && call->arguments.size() > 1) {
    unsupported(cx, "an error of several values", stmt.span, "one text: `raise ValueError(f\"...\")`");
    return;
  }
  if (call && !call->arguments.empty()) what = checkExpr(cx, *call->arguments[0].value);
  if (what.isPoison()) return ends(cx);
  if (cx.sources.text(written.span) == "SystemExit") {
    const Value code = call && !call->arguments.empty() ? convertInt(cx, what, stmt.span) : Value::integer(Dim(0));
    if (code.isPoison()) return ends(cx);
    std::vector<ExprPtr> args;
    args.push_back(indexExpr(cx, code, stmt.span));
    hostCall(cx, "exit_program", std::move(args), stmt.span);
    return ends(cx);
  }
  const NamedKind *kind = kindNamed(cx, written);
  if (!kind) return ends(cx);
  if (what.kind != ValueKind::String) what = formatText(cx, {what}, {"", ""}, {""}, stmt.span);
  if (what.isPoison()) return ends(cx);
  std::vector<ExprPtr> args;
  args.push_back(textExpr(std::string(kind->name), stmt.span));
  args.push_back(makeIndex(kind->last, stmt.span));
  args.push_back(what.expr ? clone(*what.expr) : textExpr(what.text, stmt.span));
  hostCall(cx, "raise_error", std::move(args), stmt.span);
  ends(cx);
}

}  // namespace tessera::sema
