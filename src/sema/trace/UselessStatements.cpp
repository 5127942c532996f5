// Statements that do nothing, or cannot do what they say where they stand. Some are seen in the tree alone, some by
// what their value is.
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

/// "return", "break", ...: what leaves the block; null if the statement does not.
const char *jumpOf(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::StmtKind::Return: return "return";
  case ast::StmtKind::Raise: return "raise";
  case ast::StmtKind::Break: return "break";
  case ast::StmtKind::Continue: return "continue";
  default: return nullptr;
  }
}

/// The number that these words are.
std::optional<int64_t> literalOf(const ast::Expr &expr) {
  if (auto *number = as<ast::IntExpr>(&expr))
    return number->value <= INT64_MAX ? std::optional(static_cast<int64_t>(number->value)) : std::nullopt;
  auto *unary = as<ast::UnaryExpr>(&expr);
  auto inner = unary && unary->op == ast::UnaryOp::Neg ? literalOf(*unary->operand) : std::nullopt;
  return inner ? std::optional(-*inner) : std::nullopt;
}

/// What a call changes: storage that it was given, or anything that its effects name. A kernel that a tensor function calls
/// changes nothing: what it writes is a new value, and that other runs may give other bits does nothing either.
bool acts(const Context &cx, const Expr &call) {
  const Function *callee = call.as<node::Call>().callee;
  if (!callee) return true;
  const std::vector<Param> &params = callee->params;
  if (!inHost(cx) && callee->kind == FunctionKind::Kernel)
    return !callee->effects.without(EffectKind::Nondet).without(EffectKind::Schedule).empty();
  return !callee->effects.empty() || std::any_of(params.begin(), params.end(), [](const Param &p) {
    return p.mode != ParamMode::In && !p.isResult;
  });
}
bool acts(const Context &cx, Stmt &stmt) {
  if (stmt.kind != StmtKind::Let || !stmt.value) return true;
  bool found = false;
  visitExprs(stmt.value.get(), [&](Expr &e) { found |= e.kind == ExprKind::Call && acts(cx, e); });
  return found;
}

}  // namespace

static void emptyRange(Context &cx, const ast::ForStmt &loop);
static std::string renewed(Context &cx, const ast::Expr &expr, const Value &value);

void strayStatements(Context &cx, const ast::Block &block) {
  const ast::Stmt *jump = nullptr;
  for (const ast::StmtPtr &stmt : block) {
    if (jump) {
      warn(cx, Id::neverReached, stmt->span)
          .note(jump->span, std::string("this `") + jumpOf(*jump) + "` always leaves before it");
      return;
    }
    if (auto *loop = as<ast::ForStmt>(stmt)) emptyRange(cx, *loop);
    if (jumpOf(*stmt)) jump = stmt.get();
    for (const ast::Block *inner : ast::blocksOf(*stmt)) strayStatements(cx, *inner);
  }
}

/// `for i in range(10, 0)`, where all is written out and the loop has no turn.
static void emptyRange(Context &cx, const ast::ForStmt &loop) {
  auto *call = as<ast::CallExpr>(loop.iterable);
  if (!call || call->arguments.empty() || call->arguments.size() > 3) return;
  std::string name = decoratorName(cx, *call->callee);
  if (name != "range" && name != "tile.range" && name != "static_range") return;
  std::vector<int64_t> given;
  for (const ast::Argument &arg : call->arguments) {
    auto number = arg.keyword ? std::nullopt : literalOf(*arg.value);
    if (!number) return;
    given.push_back(*number);
  }
  int64_t start = given.size() > 1 ? given[0] : 0, stop = given.size() > 1 ? given[1] : given[0];
  int64_t step = given.size() > 2 ? given[2] : 1;
  if (step == 0 || (step > 0 ? start < stop : start > stop)) return;
  auto builder = warn(cx, Id::neverRuns, loop.iterable->span);
  builder.label("from " + std::to_string(start) + (step > 0 ? " up" : " down") + " to " + std::to_string(stop));
  if (given.size() != 2 || start == stop) return;
  Span end = call->arguments.back().span;
  builder.suggest({end.file, end.end, end.end}, ", -1", "count down");
}

void unusedValue(Context &cx, const ast::ExprStmt &stmt, const Value &value, size_t emitted) {
  if (value.isPoison() || value.kind == ValueKind::Absent || value.kind == ValueKind::None) return;
  if (value.kind == ValueKind::Ellipsis || (value.expr && value.expr->kind == ExprKind::Call && acts(cx, *value.expr)))
    return;
  for (size_t i = emitted; i < cx.function.block->size(); ++i)
    if (acts(cx, *(*cx.function.block)[i])) return;
  const Callable *function = cx.function.frame->function;
  const ast::FuncDef *def = function ? function->def : nullptr;
  bool isLast = def && !def->body.empty() && def->body.back().get() == &stmt;
  bool wantsResult = def && (def->result ? def->result->kind != ast::ExprKind::None
                                         : !cx.function.frame->inlined && cx.function.fn->kind == FunctionKind::Tensor);
  if (isLast && wantsResult) return;                // a `return` was forgotten, which is said of the function
  std::erase_if(cx.spent, [&](const auto &entry) {  // nothing else is wrong with what comes from it later
    Span place = entry.second.span;
    return place.file == stmt.span.file && place.begin >= stmt.span.begin && place.end <= stmt.span.end;
  });
  if (!fresh(cx, Id::unusedValue, stmt.span)) return;
  auto builder = report(cx, Id::unusedValue, stmt.span);
  builder.label(describe(cx, value));
  const ast::Expr &e = *stmt.value;
  if (auto *compare = as<ast::CompareExpr>(&e); compare && compare->ops.size() == 1) {
    Span between{e.span.file, compare->operands[0]->span.end, compare->operands[1]->span.begin};
    if (compare->ops[0] == ast::CompareOp::Eq && as<ast::NameExpr>(compare->operands[0]))
      builder.suggest(between, " = ", "`==` compares; `=` gives the name a value");
    return;
  }
  bool uncalled = isCallable(value) && e.kind != ast::ExprKind::Call;
  builder.help(uncalled ? "it is not called; parentheses are missing"
                        : "nothing changes in place: give it a name, or return it");
  if (uncalled) builder.suggest({e.span.file, e.span.end, e.span.end}, "()", "insert `()`");
  auto *call = as<ast::CallExpr>(&e);
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  if (auto *stream = method ? as<ast::NameExpr>(method->object) : nullptr;
      stream && value.isSequence() && value.items.size() == 2 && value.items[0].kind == ValueKind::Rng)
    builder.suggest({e.span.file, e.span.begin, e.span.begin},
                    stream->name + ", now = ", "go on with one part, and draw from the other");
  std::string name = renewed(cx, e, value);
  if (!name.empty())
    builder.suggest({e.span.file, e.span.begin, e.span.begin}, name + " = ", "keep it in `" + name + "`");
}

/// The name whose value this expression makes anew, `x` of `x.transpose(0, 1)` and of `relu(x)`, if it may
/// stand for the new value, too.
static std::string renewed(Context &cx, const ast::Expr &expr, const Value &value) {
  auto *call = as<ast::CallExpr>(&expr);
  if (!call || value.kind != ValueKind::Array) return "";
  auto *method = as<ast::AttributeExpr>(call->callee);
  auto *name = method ? as<ast::NameExpr>(method->object) : nullptr;
  bool ofModule = !name || lookupName(cx, name->name, name->span, true).kind == ValueKind::Module;
  // `dot(a, b, acc)` makes `acc` anew, others what they are given first.
  auto *plain = as<ast::NameExpr>(call->callee);
  std::string function = method ? method->attribute.text : plain ? plain->name : "";
  if (ofModule && call->arguments.size() == 3 && (function == "dot" || function == "mma"))
    name = as<ast::NameExpr>(call->arguments[2].value);
  else if (ofModule) name = call->arguments.empty() ? nullptr : as<ast::NameExpr>(call->arguments[0].value);
  auto it = name ? cx.function.frame->names.find(name->name) : cx.function.frame->names.end();
  if (it == cx.function.frame->names.end() || it->second.value.kind != ValueKind::Array) return "";
  const Type &old = it->second.value.type;
  bool same = old.dtype == value.type.dtype && old.shape == value.type.shape;
  return same ? name->name : "";
}

bool dimensionAssigned(Context &cx, const std::string &name, Span span) {
  if (!cx.function.frame->dims.count(name) || cx.function.frame->names.count(name)) return false;
  if (fresh(cx, Id::dimensionAssigned, span))
    report(cx, Id::dimensionAssigned, span, name)
        .label("it is the size of what the function was given")
        .help("use another name for the new number");
  return true;
}

}  // namespace tessera::sema
