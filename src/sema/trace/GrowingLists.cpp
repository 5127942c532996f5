// Lists of host code that a loop appends numbers to, tuples of them, or arrays. How many they get is known when the program runs: they are
// tensors of one axis, or a row for each tuple or array. Run time writes an item behind the others, and takes one away (include/tessera/host/store.h).
#include "checked/ExprBuild.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/ChangedLists.h"
#include "sema/trace/Held.h"
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

/// `items.pop()`, `items.pop(0)`: the name of the list.
const ast::NameExpr *poppedName(const ast::CallExpr &call) {
  auto *method = as<ast::AttributeExpr>(call.callee);
  return method && method->attribute.text == "pop" && call.arguments.size() <= 1 ? as<ast::NameExpr>(method->object) : nullptr;
}
/// `rows[i].append(x)`, `rows.sort()`: the name of the list.
const ast::NameExpr *changedName(const ast::Stmt &stmt) {
  auto *alone = as<ast::ExprStmt>(&stmt);
  auto *call = alone ? as<ast::CallExpr>(alone->value) : nullptr;
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  if (method && (method->attribute.text == "sort" || changesList(method->attribute.text))) return as<ast::NameExpr>(method->object);
  auto *item = method && method->attribute.text == "append" && call->arguments.size() == 1 ? as<ast::SubscriptExpr>(method->object) : nullptr;
  return item ? as<ast::NameExpr>(item->object) : nullptr;
}
/// `items = [x for x in items if f(x)]`: another list, of as many items as run time finds. A list that is written out has as many as before.
const ast::NameExpr *renewedName(const ast::Stmt &stmt) {
  using K = ast::ExprKind;
  auto *assign = as<ast::AssignStmt>(&stmt);
  auto *name = assign && assign->targets.size() == 1 ? as<ast::NameExpr>(assign->targets[0]) : nullptr;
  if (!name) return nullptr;
  const ast::Expr &value = *assign->value;
  auto *list = value.kind == K::List ? static_cast<const ast::SequenceExpr *>(&value) : nullptr;
  const bool other = list ? list->items.empty() : value.kind == K::Call || value.kind == K::ListComp || value.kind == K::Binary || value.kind == K::Subscript;
  return other ? name : nullptr;
}
void collectPopped(const ast::Expr &e, std::set<std::string> &names) {
  auto *call = as<ast::CallExpr>(&e);
  if (auto *name = call ? poppedName(*call) : nullptr) names.insert(name->name);
  for (const ast::Expr *part : ast::childrenOf(e).exprs) collectPopped(*part, names);
}

/// `rows[i][j] = x` and the like: the name in front.
void collectStored(const ast::Expr &target, std::set<std::string> &names) {
  if (target.kind == ast::ExprKind::Tuple || target.kind == ast::ExprKind::List)
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(target).items) collectStored(*item, names);
  auto *place = as<ast::SubscriptExpr>(&target);
  while (place && place->object->kind == ast::ExprKind::Subscript) place = as<ast::SubscriptExpr>(place->object);
  if (auto *name = place ? as<ast::NameExpr>(place->object) : nullptr) names.insert(name->name);
}
void collectStored(const ast::Stmt &stmt, std::set<std::string> &names) {
  if (auto *assign = as<ast::AssignStmt>(&stmt))
    for (const ast::ExprPtr &target : assign->targets) collectStored(*target, names);
  if (auto *gone = as<ast::DelStmt>(&stmt))
    for (const ast::ExprPtr &target : gone->targets) collectStored(*target, names);
  auto *more = as<ast::AugAssignStmt>(&stmt);
  if (!more) return;
  collectStored(*more->target, names);
  if (auto *name = as<ast::NameExpr>(more->target)) names.insert(name->name);
}

enum class Changes { Appended, InPlace, All };
/// The lists that statements append to, change in other ways, or give anew.
void collectChanged(const ast::Block &block, std::set<std::string> &names, Changes which) {
  const bool inPlace = which != Changes::Appended;
  for (const ast::StmtPtr &stmt : block) {
    if (stmt->kind == ast::StmtKind::FuncDef) continue;
    if (auto *name = appendedName(*stmt)) names.insert(name->name);
    if (auto *name = inPlace ? changedName(*stmt) : nullptr) names.insert(name->name);
    if (auto *name = which == Changes::All ? renewedName(*stmt) : nullptr) names.insert(name->name);
    if (inPlace) {
      collectStored(*stmt, names);
      for (const ast::Expr *part : ast::childrenOf(*stmt).exprs) collectPopped(*part, names);
    }
    for (const ast::Block *inner : ast::blocksOf(*stmt)) collectChanged(*inner, names, which);
  }
}

/// What a list of such numbers holds: f64, i64 or truth values, as host code computes with them. Nothing if this is no number.
std::optional<DType> dtypeInList(const Value &v) {
  if (v.kind == ValueKind::Bool || (v.isScalar() && v.type.dtype == DType::Bool)) return DType::Bool;
  if (v.kind == ValueKind::Int || (v.isScalar() && isInt(v.type.dtype))) return DType::I64;
  return v.kind == ValueKind::Float || (v.isScalar() && isFloat(v.type.dtype)) ? std::optional(DType::F64) : std::nullopt;
}
DType together(DType a, DType b) { return a == b ? a : isFloat(a) || isFloat(b) ? DType::F64 : DType::I64; }

/// How wide a row of items is: 0 for numbers, else how many numbers of one kind each tuple has. Nothing if an item is neither: an integer
/// beside a number with a fraction stays one.
std::optional<size_t> widthOf(const Value &item) {
  if (dtypeInList(item)) return 0;
  if (!item.isSequence() || item.items.empty()) return std::nullopt;
  for (const Value &part : item.items)
    if (!dtypeInList(part) || (item.kind == ValueKind::Tuple && dtypeInList(part) != dtypeInList(item.items[0]))) return std::nullopt;
  return item.items.size();
}
/// The numbers of an item, those of tensors as host code computes with them.
std::vector<Value> numbersOf(Context &cx, const Value &item, Span span) {
  std::vector<Value> numbers = item.isSequence() ? item.items : std::vector<Value>{item};
  for (Value &number : numbers)
    if (number.kind == ValueKind::HostTensor && number.madeOf && number.rank == 0) number = hostScalar(cx, number, span);
  return numbers;
}
Value asNumbers(Context &cx, Value item, Span span) {
  std::vector<Value> numbers = numbersOf(cx, item, span);
  if (!item.isSequence()) return std::move(numbers[0]);
  item.items = std::move(numbers);
  return item;
}
std::optional<DType> dtypeTogether(const Value &item, std::optional<DType> dtype) {
  for (const Value &number : item.isSequence() ? item.items : std::vector<Value>{item})
    if (auto own = dtypeInList(number)) dtype = dtype ? together(*dtype, *own) : *own;
  return dtype;
}

/// The tensor of items of a width; 0: of numbers.
ExprPtr tableOf(Context &cx, const std::vector<Value> &items, DType dtype, size_t width, Span span) {
  if (width > 0 && items.empty()) {
    const Value none = hostFull(cx, Value::tuple({Value::integer(Dim(0)), Value::integer(Dim(static_cast<int64_t>(width)))}), span, Value::integer(Dim(0)), scalarType(dtype), span);
    return none.isPoison() ? nullptr : clone(*none.expr);
  }
  std::vector<Value> numbers;
  for (const Value &item : items)
    if (item.isSequence()) numbers.insert(numbers.end(), item.items.begin(), item.items.end());
    else numbers.push_back(item);
  std::vector<Dim> shape = {Dim(static_cast<int64_t>(items.size()))};
  if (width > 0) shape.push_back(Dim(static_cast<int64_t>(width)));
  const std::vector<Span> spans(numbers.size(), span);
  Value table = hostTable(cx, numbers, spans, shape, dtype, span);
  return table.isPoison() ? nullptr : takeExpr(table);
}
size_t widthOfHeld(const Context &cx, const Var *var) {
  auto width = cx.function.heldWidths.find(var);
  return width == cx.function.heldWidths.end() ? 0 : width->second;
}
void setWidth(Value &list, size_t width) {
  list.rank = width > 0 ? 2 : 1;
  list.madeAs.clear();
  if (width > 0) list.madeAs = {Dim::var(kAnyExtent), Dim(static_cast<int64_t>(width))};
}

/// An array as an item: all of a list have one shape.
bool isArrayItem(const Value &item) {
  return item.kind == ValueKind::HostTensor && item.madeOf && item.rank > 0 && item.stackAxes == 0 && !isHeldRows(item) && !(item.rank == 1 && item.text == kList);
}
bool holdsArrays(const Context &cx, const Var *var, const Value &list) { return list.rank > 1 && widthOfHeld(cx, var) == 0; }
void setArrays(Value &list, const Value &item) {
  list.madeOf = item.madeOf;
  list.rank = item.rank + 1;
  list.madeAs = item.madeAs;
  if (!list.madeAs.empty()) list.madeAs.insert(list.madeAs.begin(), Dim::var(kAnyExtent));
}
/// A list of arrays that has none yet: run time finds their shape with the first.
ExprPtr noArrays(Context &cx, DType dtype, int rank, Span span) {
  const std::vector<Value> extents(static_cast<size_t>(rank), Value::integer(Dim(0)));
  const Value none = hostFull(cx, Value::tuple(extents), span, Value::integer(Dim(0)), scalarType(dtype), span);
  return none.isPoison() ? nullptr : clone(*none.expr);
}
Value withArray(Context &cx, const Expr &list, const Value &item, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(clone(list));
  args.push_back(clone(*item.expr));
  Value made = hostCall(cx, "store_next_row", std::move(args), span);
  made.text = kList;
  setArrays(made, item);
  return made;
}

Binding *heldList(Context &cx, const std::string &name) {
  auto bound = cx.function.frame->names.find(name);
  const bool held = bound != cx.function.frame->names.end() && bound->second.value.kind == ValueKind::HostTensor && (bound->second.value.text == kList || isHeldRows(bound->second.value));
  return held ? &bound->second : nullptr;
}

/// The numbers of an item for a list of this dtype, as arguments of the host runtime. False after a message.
bool listArguments(Context &cx, std::vector<Value> numbers, DType dtype, Span span, std::vector<ExprPtr> &args) {
  for (Value &number : numbers) {
    if (isFloat(dtype)) {
      args.push_back(inCarryType(cx, std::move(number), DType::F64, span));
      continue;
    }
    if (number.kind == ValueKind::Bool) number = Value::integer(Dim(number.truth));
    if (number.isScalar() && number.type.dtype == DType::Bool) number = castTo(cx, std::move(number), DType::I64, {}, span);
    Value whole = convertInt(cx, number, span);
    if (whole.isPoison()) return false;
    args.push_back(indexExpr(cx, whole, span));
  }
  return true;
}
}  // namespace

bool appendsToNames(const ast::Block &block) {
  std::set<std::string> names;
  collectChanged(block, names, Changes::Appended);
  return !names.empty();
}

void collectChangedLists(const ast::Block &body, std::set<std::string> &names) { collectChanged(body, names, Changes::All); }

/// Arrays as run time holds a list of them: put behind one another, in a variable. Nothing after a message.
static std::optional<Value> heldArrays(Context &cx, const std::string &name, const std::vector<Value> &items, Span span, Var *&var) {
  ExprPtr none = noArrays(cx, *items[0].madeOf, items[0].rank + 1, span);
  if (!none) return std::nullopt;
  Value held = Value::of(ValueKind::HostTensor);
  held.type = none->type, held.text = kList;
  setArrays(held, items[0]);
  held.expr = std::shared_ptr<Expr>(none.release());
  held = bindTemp(cx, held, name, span, &var);
  var->reassigned = true;
  for (const Value &item : items) {
    Stmt &append = emit(cx, StmtKind::Assign, span);
    append.var = var;
    append.value = clone(*withArray(cx, *held.expr, item, span).expr);
  }
  return held;
}

/// A list of arrays of known length.
static void holdArrays(Context &cx, const std::string &name, Binding &binding, const std::vector<Value> &items) {
  Var *var = nullptr;
  auto held = heldArrays(cx, name, items, binding.span, var);
  if (!held) return;
  binding.value = std::move(*held);
  binding.var = var, binding.block = cx.blockId, binding.parts = false;
  cx.function.rebindable.insert(var);
  cx.function.heldWidths[var] = 0;
}

std::optional<Value> rowsOfHost(Context &cx, const std::vector<Value> &arrays, Span span) {
  if (arrays.empty() || !std::all_of(arrays.begin(), arrays.end(), isArrayItem)) return std::nullopt;
  Var *var = nullptr;
  auto rows = heldArrays(cx, "rows", arrays, span, var);
  if (rows) rows->text.clear();  // nothing appends to it
  return rows;
}

static void hold(Context &cx, const std::string &name, Binding &binding, Value held, size_t width) {
  Var *var = nullptr;
  binding.value = bindTemp(cx, held, name, binding.span, &var);
  binding.var = var;
  binding.block = cx.blockId;
  binding.parts = false;
  cx.function.rebindable.insert(var);
  cx.function.heldWidths[var] = width;
}

/// A list of run time that something behind its loop gave anew, such as `xs.append(1)`, for another loop.
static void holdAgain(Context &cx, const std::string &name, Binding &binding) {
  Value list = readBinding(cx, name, binding, binding.span);
  if (list.isPoison() || isHeldRows(list) || list.rank > 2) return;
  const bool isNumbers = list.rank <= 1;
  if (!isNumbers && (list.madeAs.size() != 2 || !list.madeAs[1].isConstant())) return;
  const size_t width = isNumbers ? 0 : static_cast<size_t>(list.madeAs[1].constant());
  hold(cx, name, binding, std::move(list), width);
}

void holdList(Context &cx, const std::string &name) {
  auto bound = cx.function.frame->names.find(name);
  if (bound == cx.function.frame->names.end() || !bound->second.isBound()) return;
  Binding &binding = bound->second;
  if (binding.block != cx.blockId && cx.function.conditionDepth > cx.function.frame->conditionDepth) return;
  if (heldList(cx, name) && !(binding.var && cx.function.rebindable.count(binding.var))) return holdAgain(cx, name, binding);
  if (binding.value.kind != ValueKind::List) return;
  Value list = readBinding(cx, name, binding, binding.span);
  auto isLikeFirst = [&](const Value &item) { return isArrayItem(item) && item.madeOf == list.items[0].madeOf && item.rank == list.items[0].rank; };
  if (!list.items.empty() && std::all_of(list.items.begin(), list.items.end(), isLikeFirst)) return holdArrays(cx, name, binding, list.items);
  std::optional<DType> dtype;
  std::optional<size_t> width;
  bool numbers = true;
  for (Value &item : list.items) {
    item = asNumbers(cx, std::move(item), binding.span);
    const std::optional<size_t> own = widthOf(item);
    numbers &= own && own == width.value_or(*own);
    if (own) width = own, dtype = dtypeTogether(item, dtype);
  }
  if (!numbers) {
    if (auto rows = asHeldRows(cx, list, binding.span)) {
      rows->items = std::move(list.items);
      hold(cx, name, binding, std::move(*rows), 0);
    }
    return;
  }
  ExprPtr table = tableOf(cx, list.items, dtype.value_or(DType::F64), width.value_or(0), binding.span);
  if (!table) return;
  Value held = Value::of(ValueKind::HostTensor);
  held.type = table->type;
  held.madeOf = dtype, held.text = kList, held.items = std::move(list.items);
  setWidth(held, width.value_or(0));
  held.expr = std::shared_ptr<Expr>(table.release());
  hold(cx, name, binding, std::move(held), width.value_or(0));
}

void holdGrowingLists(Context &cx, const ast::Block &body, bool renewed) {
  if (!inHost(cx) || !cx.function.frame) return;
  std::set<std::string> names;
  collectChanged(body, names, renewed ? Changes::All : Changes::InPlace);
  for (const std::string &name : names) holdList(cx, name);
}

bool bindEmptyList(Context &cx, const std::string &name, Span span) {
  ExprPtr table = tableOf(cx, {}, DType::F64, 0, span);
  if (!table) return false;
  Value held = Value::of(ValueKind::HostTensor);
  held.type = table->type, held.text = kList;
  setWidth(held, 0);
  held.expr = std::shared_ptr<Expr>(table.release());
  Binding binding;
  binding.span = span;
  hold(cx, name, binding, std::move(held), 0);
  cx.function.frame->names[name] = std::move(binding);
  return true;
}

bool foundItemsOfLists(Context &cx, Names &before) {
  bool found = false;
  for (auto &[name, binding] : before) {
    if (!binding.var || binding.value.kind != ValueKind::HostTensor) continue;
    if (isHeldDict(binding.value)) {
      const std::string &sorts = cx.function.varValues[binding.var].text;
      found |= binding.value.text != sorts;
      binding.value.text = sorts;
      continue;
    }
    if (binding.value.text != kList && !isHeldRows(binding.value)) continue;
    const Value &now = cx.function.varValues[binding.var];
    if (now.madeOf == binding.value.madeOf && now.rank == binding.value.rank && now.text == binding.value.text) continue;
    const bool rows = isHeldRows(now), arrays = !rows && holdsArrays(cx, binding.var, now), others = binding.value.text != now.text;
    binding.value.madeOf = now.madeOf;
    binding.value.text = now.text;
    if (arrays || rows) binding.value.rank = now.rank, binding.value.madeAs = now.madeAs;
    else setWidth(binding.value, widthOfHeld(cx, binding.var));
    found = true;
    auto isLet = [&, var = binding.var](const auto &stmt) { return stmt->kind == StmtKind::Let && stmt->var == var; };
    auto let = std::find_if(cx.function.block->begin(), cx.function.block->end(), isLet);
    if (let == cx.function.block->end() || !cx.function.heldWidths.count(binding.var) || (rows && !others)) continue;
    ExprPtr table = rows   ? rowsOfItems(cx, binding.value.items, binding.span)
                    : arrays ? noArrays(cx, *now.madeOf, now.rank, binding.span)
                           : tableOf(cx, binding.value.items, *now.madeOf, widthOfHeld(cx, binding.var), binding.span);
    if (table) (*let)->value = std::move(table);
  }
  return found;
}

/// What a list holds is of one kind.
static void refuseItem(Context &cx, const std::string &name, Binding &bound, const std::string &what, const ast::Expr &written, Span span) {
  unsupported(cx, what, span,
              "a tensor holds them: `" + name + " = zeros((n, ...))` before the loop, and `" + name + "[i] = " + std::string(cx.sources.text(written.span)) + "` in it");
  bound.value = Value::poison();
  bound.var = nullptr;
}

static void appendArray(Context &cx, const std::string &name, Binding &bound, const Value &list, Value item, const ast::Expr &written, Span span) {
  item = withKeptExtents(cx, std::move(item));
  const bool fits = !list.madeOf || (holdsArrays(cx, bound.var, list) && list.madeOf == item.madeOf && list.rank == item.rank + 1);
  if (!fits) return refuseItem(cx, name, bound, "a list of arrays of several dtypes or numbers of dimensions, or of arrays and numbers,", written, span);
  Value made = withArray(cx, *list.expr, item, span);
  made.items = list.items;
  Value &held = cx.function.varValues[bound.var];
  held.madeOf = made.madeOf, held.rank = made.rank, held.madeAs = made.madeAs;
  assignName(cx, name, std::move(made), span);
}

void noteRows(Context &cx, Var *var, const Value &rows) {
  Value &held = cx.function.varValues[var];
  held.text = rows.text, held.rank = rows.rank, held.madeOf = rows.madeOf, held.madeAs = rows.madeAs;
  cx.function.heldWidths.try_emplace(var, 0);
}

std::optional<Value> asRows(Context &cx, const Value &list, const Value &item, Span span) {
  const bool tuple = item.kind == ValueKind::Tuple && list.madeAs.size() == 2 && list.madeAs[1].isConstant();
  if (list.text != kList || list.rank <= 1 || (!tuple && item.kind != ValueKind::List)) return asHeldRows(cx, list, span);
  std::vector<ExprPtr> args;
  args.push_back(clone(*list.expr));
  args.push_back(makeBool(tuple, span));
  const char letter = *list.madeOf == DType::Bool ? 'b' : isFloat(*list.madeOf) ? 'r' : 'w';
  return rowsWithSchema(hostCall(cx, "rows_of_table", std::move(args), span), tuple ? "(" + std::string(static_cast<size_t>(list.madeAs.at(1).constant()), letter) + ")" : std::string("[") + letter + "]");
}

/// An item that makes the list one of rows, or another one of them.
static void appendRow(Context &cx, const std::string &name, Binding &bound, const Value &list, const Value &item, const ast::Expr &written, Span span) {
  auto rows = holdsArrays(cx, bound.var, list) && !isHeldRows(list) && list.madeOf ? std::nullopt : asRows(cx, list, item, span);
  const std::string mine = schemaOf(cx, item), schema = rows && !mine.empty() ? schemaTogether(schemaOfRows(*rows), mine) : std::string();
  if (schema.empty()) {
    const bool other = mine.empty() || !rows;
    return refuseItem(cx, name, bound, other ? "a list of such items that grows while the program runs" : "a list whose items are of several kinds", written, span);
  }
  ExprPtr words = wordsOf(cx, item, span);
  if (!words) return;
  std::vector<ExprPtr> args;
  args.push_back(takeExpr(*rows));
  args.push_back(std::move(words));
  Value made = rowsWithSchema(hostCall(cx, "store_next_words", std::move(args), span), schema);
  made.items = list.items;
  noteRows(cx, bound.var, made);
  assignName(cx, name, std::move(made), span);
}

void appendToHeld(Context &cx, const std::string &name, Value item, const ast::Expr &written) {
  Binding &bound = cx.function.frame->names.at(name);
  const Span span = written.span;
  Value list = readBinding(cx, name, bound, span);
  if (item.isPoison() || list.isPoison()) return;
  if (isHeldRows(list)) return appendRow(cx, name, bound, list, item, written, span);
  if (isArrayItem(item)) return appendArray(cx, name, bound, list, std::move(item), written, span);
  item = asNumbers(cx, std::move(item), span);
  const std::optional<size_t> width = widthOf(item);
  const bool isFirst = !list.madeOf;  // of an empty list: now it is known what it holds
  if (!width || (!isFirst && (*width != widthOfHeld(cx, bound.var) || holdsArrays(cx, bound.var, list)))) return appendRow(cx, name, bound, list, item, written, span);
  const DType dtype = *dtypeTogether(item, list.madeOf);
  Value &held = cx.function.varValues[bound.var];
  held.madeOf = dtype;
  setWidth(held, *width);
  cx.function.heldWidths[bound.var] = *width;
  std::vector<ExprPtr> args;
  args.push_back(clone(*list.expr));
  if (!listArguments(cx, numbersOf(cx, item, span), dtype, span, args)) return;
  Value made = hostCall(cx, isFloat(dtype) ? "store_next_real" : "store_next_whole", std::move(args), span);
  made.madeOf = dtype, made.text = kList, made.items = list.items;
  setWidth(made, *width);
  assignName(cx, name, std::move(made), span);
}

bool appendToHeldList(Context &cx, const ast::ExprStmt &stmt) {
  const ast::NameExpr *name = inHost(cx) ? appendedName(stmt) : nullptr;
  if (!name || !heldList(cx, name->name)) return false;
  const ast::Expr &written = *as<ast::CallExpr>(stmt.value)->arguments[0].value;
  appendToHeld(cx, name->name, checkExpr(cx, written), written);
  return true;
}

bool appendToItem(Context &cx, const ast::ExprStmt &stmt) {
  auto *call = as<ast::CallExpr>(stmt.value);
  auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
  auto *place = method && method->attribute.text == "append" && call->arguments.size() == 1 ? as<ast::SubscriptExpr>(method->object) : nullptr;
  auto *name = place && place->items.size() == 1 ? as<ast::NameExpr>(place->object) : nullptr;
  if (!name || !inHost(cx) || !cx.function.frame) return false;
  auto bound = cx.function.frame->names.find(name->name);
  if (bound == cx.function.frame->names.end() || !bound->second.isBound()) return false;
  Value list = readBinding(cx, name->name, bound->second, name->span);
  const bool known = list.kind == ValueKind::List;
  if (!known && !isHeldRows(list)) return false;
  Value index = convertInt(cx, checkExpr(cx, *place->items[0].value), place->span), item = checkExpr(cx, *call->arguments[0].value);
  if (index.isPoison() || item.isPoison()) return true;
  Value one = Value::of(ValueKind::List);
  one.items.push_back(std::move(item));
  if (known) {
    const int64_t at = index.isKnownInt() ? index.sym.constant() + (index.sym.constant() < 0 ? static_cast<int64_t>(list.items.size()) : 0) : -1;
    if (at < 0 || at >= static_cast<int64_t>(list.items.size()) || list.items[static_cast<size_t>(at)].kind != ValueKind::List) return false;
    list.items[static_cast<size_t>(at)].items.push_back(std::move(one.items[0]));
    assignName(cx, name->name, std::move(list), name->span);
    return true;
  }
  index = reusable(cx, std::move(index), "index", place->span);
  auto longer = joinedLists(cx, itemOfRows(cx, list, index, place->span), one, stmt.span);
  const std::string schema = longer ? schemaTogether(schemaOfRows(list), schemaOf(cx, *longer)) : std::string();
  ExprPtr words = schema.empty() ? nullptr : wordsOf(cx, *longer, stmt.span);
  if (!words) return refuseItem(cx, name->name, bound->second, "an item of another kind in a list of lists", *call->arguments[0].value, stmt.span), true;
  std::vector<ExprPtr> args;
  args.push_back(clone(*list.expr));
  args.push_back(indexExpr(cx, index, place->span));
  args.push_back(std::move(words));
  Value made = rowsWithSchema(hostCall(cx, "store_words", std::move(args), stmt.span), schema);
  made.items = list.items;
  noteRows(cx, bound->second.var, made);
  assignName(cx, name->name, std::move(made), name->span);
  return true;
}

Value asHeldLike(Context &cx, const Binding &held, Value value, Span span) {
  const Value old = held.var && cx.function.varValues.count(held.var) ? cx.function.varValues[held.var] : held.value;
  const bool oldRows = isHeldRows(old), isRows = isHeldRows(value);
  if (value.kind == ValueKind::HostTensor && !oldRows && !isRows) {  // lists of numbers
    if (old.text == kList && value.text == kList && value.madeOf && held.var && value.rank == 1 && old.rank <= 1) cx.function.varValues[held.var].madeOf = old.madeOf ? together(*old.madeOf, *value.madeOf) : *value.madeOf;
    return value;
  }
  if (value.kind == ValueKind::List && !oldRows) {
    std::optional<DType> dtype = old.madeOf;
    const size_t width = widthOfHeld(cx, held.var);
    bool fits = !holdsArrays(cx, held.var, old) || value.items.empty();
    std::vector<Value> items = value.items;
    for (Value &item : items) {
      item = asNumbers(cx, std::move(item), span);
      fits = fits && widthOf(item) == (old.madeOf ? std::optional(width) : std::optional<size_t>(0));
      if (fits) dtype = dtypeTogether(item, dtype);
    }
    if (fits) {
      const bool arrays = holdsArrays(cx, held.var, old);
      ExprPtr table = arrays ? noArrays(cx, *old.madeOf, old.rank, span) : tableOf(cx, items, dtype.value_or(DType::F64), width, span);
      if (!table) return Value::poison();
      Value made = old;
      made.madeOf = dtype, made.type = table->type;
      if (!arrays) setWidth(made, width);
      made.expr = std::shared_ptr<Expr>(table.release());
      if (held.var && !arrays) cx.function.varValues[held.var].madeOf = dtype;
      return made;
    }
  }
  auto rows = asHeldRows(cx, value, span);
  const std::string before = oldRows ? schemaOfRows(old) : old.rank <= 1 ? (old.madeOf ? std::string(1, *old.madeOf == DType::Bool ? 'b' : isFloat(*old.madeOf) ? 'r' : 'w') : "?") : std::string();
  const std::string schema = rows ? schemaTogether(before, schemaOfRows(*rows)) : std::string();
  if (schema.empty()) return value;  // a message says that it is another kind of thing
  Value made = rowsWithSchema(std::move(*rows), schema);
  made.items = old.items;
  if (held.var) noteRows(cx, held.var, made);
  return made;
}

std::optional<Value> popFromHeldList(Context &cx, const ast::CallExpr &expr) {
  const ast::NameExpr *name = inHost(cx) && cx.function.frame ? poppedName(expr) : nullptr;
  Binding *bound = name ? heldList(cx, name->name) : nullptr;
  if (!bound) return std::nullopt;
  Value list = readBinding(cx, name->name, *bound, name->span);
  Value index = expr.arguments.empty() ? Value::integer(Dim(-1)) : convertInt(cx, checkExpr(cx, *expr.arguments[0].value), expr.arguments[0].span);
  if (list.isPoison() || index.isPoison()) return Value::poison();
  if (!index.isKnownInt()) index = reusable(cx, std::move(index), "index", expr.span);
  std::vector<Value> numbers;
  const bool rows = isHeldRows(list), arrays = !rows && holdsArrays(cx, bound->var, list);
  if (rows) {
    Value item = itemOfRows(cx, list, index, expr.span);
    numbers = item.kind == ValueKind::Tuple ? item.items : std::vector<Value>{std::move(item)};
  }
  if (arrays) numbers.push_back(reusable(cx, hostItem(cx, list, &index, expr.span), "item", expr.span));
  for (size_t i = 0, width = widthOfHeld(cx, bound->var); !rows && !arrays && i < std::max<size_t>(width, 1); ++i) {
    std::vector<ExprPtr> place;
    place.push_back(clone(*list.expr));
    place.push_back(indexExpr(cx, index, expr.span));
    if (width > 0) place.push_back(makeIndex(static_cast<int64_t>(i), expr.span));
    const bool whole = !isFloat(list.madeOf.value_or(DType::F64));
    Value number = whole ? wholeOfHost(cx, "element_whole", std::move(place), expr.span) : hostCall(cx, "element_real", std::move(place), expr.span);
    if (list.madeOf == DType::I64) number = convertInt(cx, number, expr.span);
    numbers.push_back(reusable(cx, std::move(number), "item", expr.span));
  }
  std::vector<ExprPtr> args;
  args.push_back(clone(*list.expr));
  args.push_back(indexExpr(cx, index, expr.span));
  Value fewer = hostCall(cx, "store_without", std::move(args), expr.span);
  fewer.rank = list.rank, fewer.madeOf = list.madeOf, fewer.madeAs = list.madeAs, fewer.text = list.text, fewer.items = list.items;
  assignName(cx, name->name, std::move(fewer), name->span);
  return numbers.size() == 1 ? std::move(numbers[0]) : Value::tuple(std::move(numbers));
}

}  // namespace tessera::sema
