// `p.w = value`: structs are values, so the name stands for another struct from there on. Where others would see the change in Python (the
// caller, another name for the same struct), it is an error.
#include "sema/types/Fields.h"
#include "frontend/Walk.h"
#include "sema/Arguments.h"
#include "sema/Report.h"
#include "sema/effects/Effects.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
/// The name at the front of `p.up.w`; null if there is none.
const ast::NameExpr *frontOf(const ast::Expr &place) {
  if (auto *outer = as<ast::AttributeExpr>(&place)) return frontOf(*outer->object);
  return as<ast::NameExpr>(&place);
}

/// Whether the value of an expression holds what the name stands for, and not just some of its parts: `(s, loss)`.
bool holdsWhole(const ast::Expr &e, const std::string &name) {
  if (e.kind == ast::ExprKind::Attribute || e.kind == ast::ExprKind::Subscript) return false;
  if (auto *own = as<ast::NameExpr>(&e)) return own->name == name;
  const ast::Children parts = ast::childrenOf(e);
  return std::any_of(parts.exprs.begin(), parts.exprs.end(), [&](const ast::Expr *part) { return holdsWhole(*part, name); });
}

bool isReturned(const ast::Block &block, const std::string &name) {
  return std::any_of(block.begin(), block.end(), [&](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    if (auto *result = as<ast::ReturnStmt>(stmt.get())) return result->value && holdsWhole(*result->value, name);
    const auto blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *inner) { return isReturned(*inner, name); });
  });
}

/// A parameter that the function does not give back: its caller would not see the change.
bool isKeptFromCaller(const Context &cx, const std::string &name) {
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  const bool isParameter = def && std::any_of(def->parameters.begin(), def->parameters.end(), [&](const ast::Parameter &p) { return p.name.text == name; });
  return isParameter && !isReturned(def->body, name);
}

/// Whether the value of an expression may be a struct that has a place already: `old`, `net.layers[i]`, and no call.
bool hasPlace(const ast::Expr &e) {
  using K = ast::ExprKind;
  if (e.kind == K::Name || e.kind == K::Attribute || e.kind == K::Subscript) return true;
  if (e.kind != K::Conditional && e.kind != K::Tuple && e.kind != K::List) return false;
  const ast::Children parts = ast::childrenOf(e);
  return std::any_of(parts.exprs.begin(), parts.exprs.end(), [](const ast::Expr *part) { return hasPlace(*part); });
}

/// Whether `target = value` gives the name something that has a place. Without a value: a turn of a loop does.
bool sharesPlace(const ast::Expr &target, const ast::Expr *value, const std::string &name) {
  if (auto *own = as<ast::NameExpr>(&target)) return own->name == name && (!value || hasPlace(*value));
  if (target.kind != ast::ExprKind::Tuple && target.kind != ast::ExprKind::List) return false;
  const auto &names = static_cast<const ast::SequenceExpr &>(target).items;
  const bool several = value && (value->kind == ast::ExprKind::Tuple || value->kind == ast::ExprKind::List);
  const auto *values = several ? &static_cast<const ast::SequenceExpr &>(*value).items : nullptr;
  for (size_t i = 0; i < names.size(); ++i)
    if (sharesPlace(*names[i], values && values->size() == names.size() ? (*values)[i].get() : value, name)) return true;
  return false;
}

/// Whether a statement of the block gives the name a struct that has another place.
bool isPartElsewhere(const ast::Block &block, const std::string &name) {
  return std::any_of(block.begin(), block.end(), [&](const ast::StmtPtr &stmt) {
    if (stmt->kind == ast::StmtKind::FuncDef) return false;
    if (auto *plain = as<ast::AssignStmt>(stmt.get()))
      return std::any_of(plain->targets.begin(), plain->targets.end(), [&](const ast::ExprPtr &t) { return sharesPlace(*t, plain->value.get(), name); });
    if (auto *typed = as<ast::AnnAssignStmt>(stmt.get())) return typed->value && sharesPlace(*typed->target, typed->value.get(), name);
    if (auto *loop = as<ast::ForStmt>(stmt.get()); loop && sharesPlace(*loop->target, nullptr, name)) return true;
    const auto blocks = ast::blocksOf(*stmt);
    return std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *inner) { return isPartElsewhere(*inner, name); });
  });
}

/// Whether both are one struct to Python: made by one call, with the same parts since then.
bool isSame(const Value &a, const Value &b) {
  if (a.kind != ValueKind::Struct || b.kind != ValueKind::Struct || a.instance != b.instance || a.items.size() != b.items.size()) return false;
  for (size_t i = 0; i < a.items.size(); ++i) {
    const Value &one = a.items[i], &other = b.items[i];
    const bool same = one.expr && other.expr ? one.expr == other.expr || (varOf(*one.expr) && varOf(*one.expr) == varOf(*other.expr))
                                             : !one.expr && !other.expr && (one.kind != ValueKind::Struct || isSame(one, other));
    if (!same) return false;
  }
  return true;
}

bool holds(const Value &value, const Value &one) {
  return isSame(value, one) || std::any_of(value.items.begin(), value.items.end(), [&](const Value &item) { return holds(item, one); });
}

/// Another name of the function for the struct, or for something that holds it: `old = s` in front of `s.m = m`.
std::string otherNameFor(const Context &cx, const Value &object, const std::string &name) {
  for (const auto &[other, binding] : cx.function.frame->names)
    if (other != name && binding.isBound() && holds(binding.value, object)) return other;
  return {};
}

/// `p.w *= 2` as `p = replace(p, w=p.w * (2))`.
void offerReplace(Context &cx, diag::Builder &builder, const ast::AttributeExpr &target, Span assignment) {
  std::string name(cx.sources.text(target.object->span)), field(cx.sources.text(target.span));
  std::string rest(cx.sources.text(assignment).substr(field.size()));  // " = value"
  const size_t equals = rest.find('=');
  if (!as<ast::NameExpr>(target.object) || equals == std::string::npos || assignment.begin != target.span.begin) return;
  std::string op = rest.substr(0, equals), written = rest.substr(equals + 1);
  op.erase(std::remove(op.begin(), op.end(), ' '), op.end());
  if (op.find_first_not_of("+-*/%@&|^<>") != std::string::npos) return;  // an element of the field
  written.erase(0, written.find_first_not_of(' '));
  if (!op.empty()) written = field + " " + op + " (" + written + ")";
  builder.fix(assignment, name + " = replace(" + name + ", " + target.attribute.text + "=" + written + ")", "make a new struct");
}

/// `return s.m` of a function that declares what `s` is: where it returns the struct itself, its fields may change.
bool offerWholeStruct(diag::Builder &builder, const Context &cx, const ast::FuncDef &def, const std::string &name) {
  auto *last = def.body.empty() ? nullptr : as<ast::ReturnStmt>(def.body.back());
  auto *field = last ? as<ast::AttributeExpr>(last->value) : nullptr;
  auto *object = field ? as<ast::NameExpr>(field->object) : nullptr;
  if (!object || object->name != name || !def.result) return false;
  for (const ast::Parameter &p : def.parameters)
    if (p.name.text == name && p.annotation && cx.sources.text(p.annotation->span) == cx.sources.text(def.result->span)) {
      builder.suggest(field->span, name, "return the struct itself");
      return true;
    }
  return false;
}

/// True, after a message, if somebody else has the struct who would keep the old one.
bool isSeenElsewhere(Context &cx, const ast::AttributeExpr &target, const Value &object, Span assignment) {
  const ast::NameExpr *front = frontOf(*target.object);
  const bool isOwn = front && cx.function.frame->names.count(front->name) && cx.function.frame->names.at(front->name).isBound();
  const bool fromCaller = isOwn && isKeptFromCaller(cx, front->name);
  const std::string other = isOwn && !fromCaller ? otherNameFor(cx, object, front->name) : std::string();
  const ast::FuncDef *def = cx.function.frame->function ? cx.function.frame->function->def : nullptr;
  const bool hasOtherPlace = !other.empty() || (isOwn && def && isPartElsewhere(def->body, front->name));
  if (isOwn && !fromCaller && !hasOtherPlace && !object.isStack()) return false;
  if (!fresh(cx, Id::fieldAssigned, target.span)) return true;
  auto builder = report(cx, Id::fieldAssigned, target.span, target.attribute.text);
  if (fromCaller)
    builder.help("a struct is a value, and the caller keeps the one that it gave: return `" + front->name + "`, or write `@state` above `struct " +
                 object.instance->info->name + "`, whose objects change in place");
  else if (hasOtherPlace)
    builder.help("a struct is a value, and " + (other.empty() ? "the place that `" + front->name + "` was taken from" : "`" + other + "`") +
                 " would keep the old one: `replace` makes a new struct with another value in a field");
  else builder.help("`replace` makes a new struct with another value in a field");
  if (!fromCaller || !def || !offerWholeStruct(builder, cx, *def, front->name)) offerReplace(cx, builder, target, assignment);
  return true;
}
}  // namespace

void assignField(Context &cx, const ast::AttributeExpr &target, Value value, Span assignment) {
  if (isPartOfState(cx, target)) {
    std::vector<StackRow> rows;
    Value whole = placeOf(cx, target, rows);
    if (whole.isPoison()) return;
    if (!rows.empty()) value = withRow(cx, whole, rows, value, true, assignment);
    return assignPart(cx, target, std::move(value), assignment);
  }
  Value object = checkExpr(cx, *target.object);
  if (object.isPoison() || reportNone(cx, object, target.object->span)) return;
  if (object.kind != ValueKind::Struct) {
    unsupported(cx, "an assignment to this", target.span);
    return;
  }
  const StructInfo &info = *object.instance->info;
  if (std::none_of(info.fields.begin(), info.fields.end(), [&](const StructField &f) { return f.name == target.attribute.text; }))
    return unknownField(cx, info, target.attribute.text, target.attribute.span, false);
  if (isSeenElsewhere(cx, target, object, assignment)) return;
  const Span at = target.object->span;
  Value made = replaceFields(cx, {{"", std::move(object), at, at, target.object.get()}, {target.attribute.text, std::move(value), assignment, target.attribute.span, nullptr}}, assignment);
  assignTo(cx, *target.object, std::move(made), assignment);
}

}  // namespace tessera::sema
