// Elements of arrays in host code by their places: `x[i, j]` as a number, and `x[i, 2:5] = value`. The name stands for a new value behind
// it, as in tensor functions; run time writes it where it lies (include/tessera/host/store.h).
#include "checked/ExprBuild.h"
#include "checked/Policy.h"
#include "frontend/Walk.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/effects/Effects.h"
#include "sema/host/ArrayWork.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "support/HostParts.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

/// `x[i][j]` is the place `x[i, j]`: the name, or the field `s.x`, and what stands in brackets. Null for anything else.
const ast::Expr *tensorAndItems(const ast::SubscriptExpr &syntax, std::vector<const ast::Expr *> &items) {
  const ast::Expr *tensor = syntax.object.get();
  if (auto *inner = as<ast::SubscriptExpr>(syntax.object)) {
    tensor = tensorAndItems(*inner, items);
    if (std::any_of(items.begin(), items.end(), [](auto *item) { return item->kind == ast::ExprKind::Slice; })) return nullptr;
  }
  for (const ast::Argument &item : syntax.items) items.push_back(item.value.get());
  return tensor && (tensor->kind == ast::ExprKind::Name || tensor->kind == ast::ExprKind::Attribute) ? tensor : nullptr;
}

/// The tensor that such an expression stands for now; nothing if it is none of host code.
std::optional<Value> tensorAt(Context &cx, const ast::Expr &place) {
  if (auto *name = as<ast::NameExpr>(&place)) {
    auto bound = cx.function.frame->names.find(name->name);
    const bool is = bound != cx.function.frame->names.end() && bound->second.value.kind == ValueKind::HostTensor && bound->second.isBound();
    return is ? std::optional(lookupName(cx, name->name, name->span, false)) : std::nullopt;
  }
  if (isPartOfState(cx, place)) return std::nullopt;
  auto *front = static_cast<const ast::AttributeExpr &>(place).object.get();
  while (auto *outer = as<ast::AttributeExpr>(front)) front = outer->object.get();
  auto *name = as<ast::NameExpr>(front);
  auto bound = name ? cx.function.frame->names.find(name->name) : cx.function.frame->names.end();
  if (bound == cx.function.frame->names.end() || bound->second.value.kind != ValueKind::Struct || !bound->second.isBound()) return std::nullopt;
  Value field = checkExpr(cx, place);
  return field.kind == ValueKind::HostTensor || field.isPoison() ? std::optional(std::move(field)) : std::nullopt;
}

/// The three numbers of an axis. False after a message.
bool addAlong(Context &cx, const ast::Expr &item, std::vector<ExprPtr> &along) {
  auto *slice = as<ast::SliceExpr>(&item);
  auto number = [&](const ast::Expr *written, int64_t otherwise) {
    if (!written) return along.push_back(makeIndex(otherwise, item.span)), true;
    Value v = checkExpr(cx, *written);
    if (v.kind == ValueKind::HostTensor && v.madeOf && v.rank > 0) {
      unsupported(cx, "an assignment to the places that a tensor names", written->span,
                  isInt(*v.madeOf) ? "a tensor is the only index: `x[rows] = value`; a loop writes one after the other" : "`x[:, j] = where(mask, value, x[:, j])` chooses along the other axes");
      return false;
    }
    v = convertInt(cx, v, written->span);
    if (v.isPoison()) return false;
    along.push_back(indexExpr(cx, v, written->span));
    return true;
  };
  if (slice) {
    if (!number(slice->start.get(), 0) || !number(slice->stop.get(), kPartToEnd) || !number(slice->step.get(), 1)) return false;
    auto *step = along.back()->get<node::Constant>();
    auto *by = step ? std::get_if<int64_t>(&step->value) : nullptr;
    if (!by || *by >= 1) return true;
    unsupported(cx, "a step below 1 in the place of an assignment", slice->step->span);
    return false;
  }
  if (!number(&item, 0)) return false;
  along.push_back(makeIndex(0, item.span));  // one element has no end
  along.push_back(makeIndex(kPointStep, item.span));
  return true;
}

/// `...` stands for as many whole axes as are left.
bool allAlong(Context &cx, const Value &target, std::vector<const ast::Expr *> items, Span span, std::vector<ExprPtr> &along) {
  const size_t rank = target.madeOf ? static_cast<size_t>(target.rank) : 0;
  auto isOpen = [](const ast::Expr *item) { return item->kind == ast::ExprKind::Ellipsis; };
  auto open = std::find_if(items.begin(), items.end(), isOpen);
  const size_t written = items.size() - (open != items.end());
  if (rank > 0 && written > rank) {
    report(cx, Id::indexShape, span, "[" + std::to_string(written) + " indices]", "a tensor with " + diag::counted(rank, "dimension"));
    return false;
  }
  if (open != items.end() && rank == 0) {
    unsupported(cx, "`...` in the place of an assignment to a tensor whose type only run time knows", (*open)->span);
    return false;
  }
  for (const ast::Expr *item : items) {
    if (!isOpen(item)) {
      if (!addAlong(cx, *item, along)) return false;
      continue;
    }
    for (size_t axis = written; axis < rank; ++axis)
      for (int64_t number : {int64_t{0}, kPartToEnd, int64_t{1}}) along.push_back(makeIndex(number, item->span));
  }
  return true;
}

/// What is stored, in the form that the host runtime takes it, and the name of the function that does. Null after a message.
ExprPtr storedValue(Context &cx, Value value, const Value &target, Span span, std::string &function) {
  const DType dtype = target.madeOf.value_or(DType::F64);
  auto narrowed = [&](DType from) {
    if (!target.madeOf || dtype == from || dtype == DType::Bool || (isFloat(dtype) && (!isFloat(from) || join(dtype, from) == dtype)) ||
        (isInt(dtype) && isInt(from) && join(dtype, from) == dtype))
      return false;
    const std::string to(name(dtype)), written(cx.sources.text(span));
    report(cx, Id::narrowing, span, std::string(name(from)), to).suggest(span, "cast(" + written + ", " + to + ")", "say that it may be rounded");
    return true;
  };
  if (value.kind == ValueKind::HostTensor && (!value.madeOf || value.rank > 0)) {
    if (value.madeOf && narrowed(*value.madeOf)) return nullptr;
    function = "store_part";
    return clone(*value.expr);
  }
  if (value.kind == ValueKind::HostTensor) value = hostScalar(cx, value, span);
  if (value.isPoison()) return nullptr;
  if (isFloat(dtype)) {
    function = "store_real";
    return inCarryType(cx, std::move(value), DType::F64, span);
  }
  function = "store_whole";
  if (value.kind == ValueKind::Bool) value = Value::integer(Dim(value.truth ? 1 : 0));
  if (value.isScalar() && value.type.dtype == DType::Bool) value = castTo(cx, std::move(value), DType::I64, {}, span);
  Value whole = convertInt(cx, value, span);
  return whole.isPoison() ? nullptr : indexExpr(cx, whole, span);
}

void storeToPlace(Context &cx, const ast::Expr &place, const ast::SubscriptExpr &syntax, const std::vector<const ast::Expr *> &items,
                  const Value &target, Value value, Span span, Span valueSpan) {
  Value made = withStored(cx, target, items, syntax.span, std::move(value), span, valueSpan);
  if (!made.isPoison()) assignTo(cx, place, std::move(made), span);
}

/// `x[mask] = values`: a value for each place where the mask holds. False if it is another place, or the same value for all.
bool storeToChosen(Context &cx, const ast::Expr &place, const std::vector<const ast::Expr *> &items, const Value &target, const Value &value, Span span) {
  if (items.size() != 1 || items[0]->kind == ast::ExprKind::Slice || items[0]->kind == ast::ExprKind::Ellipsis) return false;
  if (value.kind != ValueKind::HostTensor || !value.madeOf || value.rank == 0 || !target.madeOf) return false;
  Value mask = checkExpr(cx, *items[0]);
  if (!isHostMask(mask) || value.rank != target.rank - mask.rank + 1) return false;
  std::vector<ExprPtr> args;
  for (const Value *part : {&target, &value, static_cast<const Value *>(&mask)}) args.push_back(clone(*part->expr));
  Value made = hostCall(cx, "store_chosen", std::move(args), span);
  made.rank = target.rank, made.madeOf = target.madeOf, made.madeAs = target.madeAs;
  assignTo(cx, place, std::move(made), span);
  return true;
}

/// `x[rows] = value`, where a tensor names the rows. False if it is another place.
bool storeToRows(Context &cx, const ast::Expr &place, const std::vector<const ast::Expr *> &items, const Value &target, const Value &value,
                 Span span, Span valueSpan) {
  if (items.size() != 1 || items[0]->kind == ast::ExprKind::Slice || items[0]->kind == ast::ExprKind::Ellipsis) return false;
  Value rows = checkExpr(cx, *items[0]);
  if (rows.kind != ValueKind::HostTensor || !rows.madeOf || !isInt(*rows.madeOf) || rows.rank != 1) return false;
  std::string function;
  ExprPtr stored = storedValue(cx, value, target, valueSpan, function);
  if (!stored) return true;
  std::vector<ExprPtr> args;
  args.push_back(clone(*target.expr));
  args.push_back(std::move(stored));
  args.push_back(clone(*rows.expr));
  Value made = hostCall(cx, "store_rows" + function.substr(function.find('_')), std::move(args), span);
  made.rank = target.rank, made.madeOf = target.madeOf, made.madeAs = target.madeAs;
  assignTo(cx, place, std::move(made), span);
  return true;
}

/// Whether a statement stores to part of a name, or gives a result.
bool storesTo(const ast::Block &block, const std::string &name) {
  auto isPart = [&](const ast::Expr *target) {
    auto *part = as<ast::SubscriptExpr>(target);
    while (part && part->object->kind == ast::ExprKind::Subscript) part = as<ast::SubscriptExpr>(part->object);
    auto *owner = part ? as<ast::NameExpr>(part->object) : nullptr;
    return owner && owner->name == name;
  };
  return std::any_of(block.begin(), block.end(), [&](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    if (auto *assign = as<ast::AssignStmt>(stmt.get()); assign && std::any_of(assign->targets.begin(), assign->targets.end(), [&](const auto &t) { return isPart(t.get()); })) return true;
    if (auto *assign = as<ast::AugAssignStmt>(stmt.get()); assign && isPart(assign->target.get())) return true;
    const auto blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *inner) { return storesTo(*inner, name); });
  });
}
bool givesResult(const ast::Block &block) {
  return std::any_of(block.begin(), block.end(), [](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    if (auto *result = as<ast::ReturnStmt>(stmt.get())) return result->value && result->value->kind != ast::ExprKind::None;
    const auto blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [](const ast::Block *inner) { return givesResult(*inner); });
  });
}
/// Whether a name of a function that is written out where it is called is one of its parameters.
bool isCallersOwn(const Context &cx, const std::string &name) {
  const Callable *function = cx.function.frame->function;
  if (!function || !function->def || function->name == "main" || !cx.function.frame->inlined) return false;
  const auto &parameters = function->def->parameters;
  return std::any_of(parameters.begin(), parameters.end(), [&](const ast::Parameter &p) { return p.name.text == name; });
}

}  // namespace

Value withStored(Context &cx, const Value &target, const std::vector<const ast::Expr *> &items, Span place, Value value, Span span, Span valueSpan) {
  std::vector<ExprPtr> args, along;
  std::string function;
  if (!allAlong(cx, target, items, place, along)) return Value::poison();
  args.push_back(clone(*target.expr));
  args.push_back(storedValue(cx, std::move(value), target, valueSpan.valid() ? valueSpan : span, function));
  if (!args.back()) return Value::poison();
  for (ExprPtr &number : along) args.push_back(std::move(number));
  Value made = hostCall(cx, function, std::move(args), span);
  made.rank = target.rank, made.madeOf = target.madeOf, made.madeAs = target.madeAs;
  if (target.text == kHeldList) made.text = target.text;
  return made;
}

bool isLostStore(Context &cx, const std::string &name, Span at) { return isCallersOwn(cx, name) && storesForNobody(cx, *cx.function.frame->function, at); }

bool storesForNobody(Context &cx, const Callable &callable, Span at) {
  if (givesResult(callable.def->body)) return false;
  for (const ast::Parameter &p : callable.def->parameters) {
    const std::string &name = p.name.text;
    if (!storesTo(callable.def->body, name)) continue;
    if (fresh(cx, Id::immutableTensor, at))
      report(cx, Id::immutableTensor, at, "what `" + callable.name + "` was called with")
          .label("`" + callable.name + "` stores into `" + name + "` and returns nothing")
          .note(p.name.span, "`" + name + "` is a value: the caller's stays as it is")
          .help("return it, `return " + name + "`, and take it where it is called: `" + name + " = " + callable.name + "(" + name + ", ...)`");
    return true;
  }
  return false;
}

bool hostStore(Context &cx, const ast::SubscriptExpr &syntax, Value value, Span span, Span valueSpan) {
  std::vector<const ast::Expr *> items;
  const ast::Expr *place = inHost(cx) && cx.function.frame ? tensorAndItems(syntax, items) : nullptr;
  if (!place) return false;
  std::optional<Value> found = tensorAt(cx, *place);
  if (!found) return false;
  if (value.isPoison() || found->isPoison()) return true;
  if (auto *name = as<ast::NameExpr>(place); name && isLostStore(cx, name->name, syntax.span)) return true;
  const Value target = std::move(*found);
  const size_t before = cx.function.operandsInTurn.size();
  if (storeToChosen(cx, *place, items, target, value, span)) return forgetOperands(cx, before), true;
  if (auto chosen = maskedStore(cx, syntax, target, value, span)) assignTo(cx, *place, std::move(*chosen), span);
  else if (!storeToRows(cx, *place, items, target, value, span, valueSpan.valid() ? valueSpan : span))
    storeToPlace(cx, *place, syntax, items, target, std::move(value), span, valueSpan.valid() ? valueSpan : span);
  forgetOperands(cx, before);
  return true;
}

std::optional<Value> hostElement(Context &cx, const Value &tensor, const ast::SubscriptExpr &expr) {
  const size_t rank = tensor.madeOf ? static_cast<size_t>(tensor.rank) : 0;
  if (rank < 2 || expr.items.size() != rank) return std::nullopt;
  std::vector<ExprPtr> args;
  args.push_back(clone(*tensor.expr));
  for (const ast::Argument &item : expr.items) {
    Value index = convertInt(cx, checkExpr(cx, *item.value), item.span);
    if (index.isPoison()) return index;
    args.push_back(indexExpr(cx, index, item.span));
  }
  Value element = hostCall(cx, "element", std::move(args), expr.span);
  element.rank = 0, element.madeOf = knownDType(cx, tensor), element.text = kElement;
  return element;
}

bool isHostMask(const Value &value) { return value.kind == ValueKind::HostTensor && value.madeOf == DType::Bool && value.rank > 0; }

Value chosenByMask(Context &cx, const Value &tensor, const Value &mask, Span span) {
  if (!tensor.madeOf)
    return unsupported(cx, "a mask of a tensor whose type only run time knows", span, "its type, where it gets its name: `x: Tensor[N, D, f32] = load_npy(path)`");
  if (mask.rank > tensor.rank) {
    report(cx, Id::indexShape, span, "a mask of " + diag::counted(static_cast<size_t>(mask.rank), "dimension"), "a tensor with " + diag::counted(static_cast<size_t>(tensor.rank), "dimension"));
    return Value::poison();
  }
  std::vector<ExprPtr> args;
  args.push_back(clone(*tensor.expr));
  args.push_back(clone(*mask.expr));
  Value made = hostCall(cx, "chosen", std::move(args), span);
  made.rank = tensor.rank - mask.rank + 1, made.madeOf = tensor.madeOf;
  return made;
}

Value placesNotZero(Context &cx, const Value &tensor, bool flat, Span span) {
  if (tensor.isPoison()) return tensor;
  if (tensor.kind != ValueKind::HostTensor || !tensor.madeOf || tensor.rank == 0) {
    report(cx, Id::wrongArgument, span, quoted(flat ? "flatnonzero" : "nonzero"), "a tensor with dimensions", describe(cx, tensor));
    return Value::poison();
  }
  const Value held = reusable(cx, tensor, "mask", span);
  std::vector<Value> axes;
  for (int axis = flat ? -1 : 0; axis < (flat ? 0 : tensor.rank); ++axis) {
    std::vector<ExprPtr> args;
    args.push_back(clone(*held.expr));
    args.push_back(makeIndex(axis, span));
    axes.push_back(hostCall(cx, "places", std::move(args), span));
    axes.back().rank = 1, axes.back().madeOf = DType::I64;
  }
  return flat ? axes[0] : Value::tuple(std::move(axes));
}

/// `rows[i]` of known lists of numbers, which are equally long: a row of a tensor.
static std::optional<Value> rowAtRunTime(Context &cx, const Value &object, const Value &index, Span span) {
  const size_t width = object.items[0].items.size();
  std::vector<Value> numbers;
  bool real = false;
  for (const Value &row : object.items) {
    if (!row.isSequence() || row.items.size() != width || width == 0) return std::nullopt;
    for (const Value &item : row.items) {
      if (item.kind != ValueKind::Float && !item.isKnownInt()) return std::nullopt;
      real |= item.kind == ValueKind::Float;
      numbers.push_back(item);
    }
  }
  const std::vector<Span> spans(numbers.size(), span);
  const std::vector<Dim> shape = {Dim(static_cast<int64_t>(object.items.size())), Dim(static_cast<int64_t>(width))};
  Value table = hostTable(cx, std::move(numbers), spans, shape, real ? DType::F32 : DType::I32, span);
  if (table.isPoison()) return table;
  return hostItem(cx, table, &index, span);
}

std::optional<Value> numberAtRunTime(Context &cx, const Value &object, const Value &index, Span span) {
  if (!inHost(cx) || index.kind != ValueKind::Int || index.isKnownInt() || object.items.empty()) return std::nullopt;
  if (object.items[0].isSequence()) return rowAtRunTime(cx, object, index, span);
  if (object.items[0].kind == ValueKind::String) {
    auto texts = asHeldRows(cx, object, span);
    return texts ? std::optional(hostItem(cx, reusable(cx, std::move(*texts), "texts", span), &index, span)) : std::nullopt;
  }
  bool real = false;
  std::vector<Value> items = object.items;
  for (Value &item : items) {
    if (item.kind == ValueKind::HostTensor && item.madeOf && item.rank == 0) item = hostScalar(cx, item, span);
    const bool fraction = item.kind == ValueKind::Float || (item.isScalar() && isFloat(item.type.dtype));
    if (!fraction && item.kind != ValueKind::Int && !(item.isScalar() && item.type.dtype != DType::Bool)) return std::nullopt;
    real |= fraction;
  }
  const std::vector<Span> spans(items.size(), span);
  Value table = hostTable(cx, std::move(items), spans, {Dim(static_cast<int64_t>(object.items.size()))}, real ? DType::F64 : DType::I64, span);
  if (table.isPoison()) return table;
  Value number = hostScalar(cx, hostItem(cx, table, &index, span), span);
  return real || number.isPoison() ? number : convertInt(cx, number, span);
}

}  // namespace tessera::sema
