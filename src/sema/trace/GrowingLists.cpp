// Lists of host code that a loop appends numbers to. How many they get is known when the program runs: they are tensors of one axis,
// and run time writes an item behind the others (include/tessera/host/store.h).
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/GrowingLists.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
constexpr const char *kList = kHeldList;

const ast::NameExpr *appendedName(const ast::Stmt &stmt) {
  auto *alone = as<ast::ExprStmt>(&stmt);
  auto *call = alone ? as<ast::CallExpr>(alone->value) : nullptr;
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  return method && method->attribute.text == "append" && call->arguments.size() == 1 ? as<ast::NameExpr>(method->object) : nullptr;
}

void collectAppended(const ast::Block &block, std::set<std::string> &names) {
  for (const ast::StmtPtr &stmt : block) {
    if (stmt->kind == ast::StmtKind::FuncDef) continue;
    if (auto *name = appendedName(*stmt)) names.insert(name->name);
    for (const ast::Block *inner : ast::blocksOf(*stmt)) collectAppended(*inner, names);
  }
}

/// What a list of such numbers holds: f64, i64 or truth values, as host code computes with them. Nothing if this is no number.
std::optional<DType> dtypeInList(const Value &v) {
  if (v.kind == ValueKind::Bool || (v.isScalar() && v.type.dtype == DType::Bool)) return DType::Bool;
  if (v.kind == ValueKind::Int || (v.isScalar() && isInt(v.type.dtype))) return DType::I64;
  return v.kind == ValueKind::Float || (v.isScalar() && isFloat(v.type.dtype)) ? std::optional(DType::F64) : std::nullopt;
}
DType together(DType a, DType b) { return a == b ? a : isFloat(a) || isFloat(b) ? DType::F64 : DType::I64; }

ExprPtr tableOf(Context &cx, const std::vector<Value> &items, DType dtype, Span span) {
  const std::vector<Span> spans(items.size(), span);
  Value table = hostTable(cx, items, spans, {Dim(static_cast<int64_t>(items.size()))}, dtype, span);
  return table.isPoison() ? nullptr : takeExpr(table);
}
}  // namespace

bool appendsToNames(const ast::Block &block) {
  std::set<std::string> names;
  collectAppended(block, names);
  return !names.empty();
}

void holdGrowingLists(Context &cx, const ast::Block &body) {
  if (!inHost(cx)) return;
  std::set<std::string> names;
  collectAppended(body, names);
  for (const std::string &name : names) {
    auto bound = cx.function.frame->names.find(name);
    if (bound == cx.function.frame->names.end() || !bound->second.isBound() || bound->second.value.kind != ValueKind::List) continue;
    Binding &binding = bound->second;
    if (binding.block != cx.blockId && cx.function.conditionDepth > cx.function.frame->conditionDepth) continue;
    Value list = readBinding(cx, name, binding, binding.span);
    std::optional<DType> dtype;
    bool numbers = true;
    for (Value &item : list.items) {
      if (item.kind == ValueKind::HostTensor && item.madeOf && item.rank == 0) item = hostScalar(cx, item, binding.span);
      const std::optional<DType> own = dtypeInList(item);
      numbers &= own.has_value();
      if (own) dtype = dtype ? together(*dtype, *own) : *own;
    }
    ExprPtr table = numbers ? tableOf(cx, list.items, dtype.value_or(DType::F64), binding.span) : nullptr;
    if (!table) continue;
    Value held = Value::of(ValueKind::HostTensor);
    held.type = table->type;
    held.rank = 1, held.madeOf = dtype, held.text = kList, held.items = std::move(list.items);
    held.expr = std::shared_ptr<Expr>(table.release());
    Var *var = nullptr;
    binding.value = bindTemp(cx, held, name, binding.span, &var);
    binding.var = var;
    binding.block = cx.blockId;
    binding.parts = false;
    cx.function.rebindable.insert(var);
  }
}

bool foundItemsOfLists(Context &cx, Names &before) {
  bool found = false;
  for (auto &[name, binding] : before) {
    if (!binding.var || binding.value.kind != ValueKind::HostTensor || binding.value.text != kList) continue;
    const std::optional<DType> now = cx.function.varValues[binding.var].madeOf;
    if (now == binding.value.madeOf) continue;
    binding.value.madeOf = now;
    found = true;
    auto isLet = [&, var = binding.var](const auto &stmt) { return stmt->kind == StmtKind::Let && stmt->var == var; };
    auto let = std::find_if(cx.function.block->begin(), cx.function.block->end(), isLet);
    if (let == cx.function.block->end()) continue;
    if (ExprPtr table = tableOf(cx, binding.value.items, *now, binding.span)) (*let)->value = std::move(table);
  }
  return found;
}

bool appendToHeldList(Context &cx, const ast::ExprStmt &stmt) {
  const ast::NameExpr *name = inHost(cx) ? appendedName(stmt) : nullptr;
  if (!name) return false;
  auto bound = cx.function.frame->names.find(name->name);
  if (bound == cx.function.frame->names.end() || bound->second.value.kind != ValueKind::HostTensor || bound->second.value.text != kList) return false;
  const ast::Expr &written = *as<ast::CallExpr>(stmt.value)->arguments[0].value;
  Value item = checkExpr(cx, written), list = readBinding(cx, name->name, bound->second, name->span);
  if (item.kind == ValueKind::HostTensor && item.madeOf && item.rank == 0) item = hostScalar(cx, item, written.span);
  const std::optional<DType> own = dtypeInList(item);
  if (item.isPoison() || list.isPoison()) return true;
  if (!own) {
    unsupported(cx, "a list of arrays that grows while the program runs", stmt.span,
                "a tensor holds them: `" + name->name + " = zeros((n, ...))` before the loop, and `" + name->name + "[i] = " + std::string(cx.sources.text(written.span)) + "` in it");
    bound->second.value = Value::poison();
    bound->second.var = nullptr;
    return true;
  }
  const DType dtype = list.madeOf ? together(*list.madeOf, *own) : *own;
  cx.function.varValues[bound->second.var].madeOf = dtype;
  std::vector<ExprPtr> args;
  args.push_back(clone(*list.expr));
  if (isFloat(dtype)) args.push_back(inCarryType(cx, std::move(item), DType::F64, written.span));
  else {
    if (item.kind == ValueKind::Bool) item = Value::integer(Dim(item.truth));
    if (item.isScalar() && item.type.dtype == DType::Bool) item = castTo(cx, std::move(item), DType::I64, {}, written.span);
    Value whole = convertInt(cx, item, written.span);
    if (whole.isPoison()) return true;
    args.push_back(indexExpr(cx, whole, written.span));
  }
  Value made = hostCall(cx, isFloat(dtype) ? "store_next_real" : "store_next_whole", std::move(args), stmt.span);
  made.rank = 1, made.madeOf = dtype, made.text = kList, made.items = list.items;
  assignName(cx, name->name, std::move(made), name->span);
  return true;
}

}  // namespace tessera::sema
