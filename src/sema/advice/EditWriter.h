// What the finders of edits have in common: how edits are made.
#pragma once
#include "frontend/Walk.h"
#include "sema/advice/Candidates.h"
#include "sema/advice/Recipes.h"
#include "support/DType.h"
#include <algorithm>
#include <optional>
#include <set>

namespace tessera::sema {

/// Parts do not fit together: their extents, how many axes they have, or what a call takes.
inline bool isAboutParts(diag::Id id) {
  using diag::Id;
  switch (id) {
  case Id::contractionMismatch:
  case Id::broadcastFails:
  case Id::shapeMismatch:
  case Id::rankMismatch:
  case Id::wrongResult:
  case Id::badReshape:
  case Id::tileMismatch:
  case Id::redefinedType:
  case Id::wrongArgument: return true;
  default: return false;
  }
}

/// Every one of these statements, the last one first, and those in its blocks.
template <class Visit> void visitStatements(std::vector<const ast::Stmt *> open, const Visit &each) {
  while (!open.empty()) {
    const ast::Stmt *stmt = open.back();
    open.pop_back();
    each(*stmt);
    for (const ast::Stmt *inner : ast::childrenOf(*stmt).stmts) open.push_back(inner);
  }
}
/// Every statement of a function, also in its blocks.
template <class Visit> void visitStatements(const ast::FuncDef &def, const Visit &each) {
  std::vector<const ast::Stmt *> open;
  for (size_t i = def.body.size(); i-- > 0;) open.push_back(def.body[i].get());
  visitStatements(std::move(open), each);
}

class EditWriter {
public:
  EditWriter(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources)
      : diagnostic_(diagnostic), place_(place), sources_(sources) {}

protected:
  std::vector<CandidateGroup> taken() {
    std::erase_if(groups_, [](const CandidateGroup &group) { return group.edits.empty(); });
    return std::move(groups_);
  }
  CandidateGroup &group(bool onlyIfUnique) {
    groups_.push_back({{}, onlyIfUnique});
    return groups_.back();
  }
  std::string text(Span span) const { return std::string(sources_.text(span)); }
  std::string text(const ast::Expr &e) const { return text(e.span); }
  std::string indentOf(const ast::Stmt &stmt) const { return std::string(sources_.file(stmt.span.file).lineColumn(stmt.span.begin).column - 1, ' '); }
  /// Without the line break that may belong to it.
  Span trimmed(Span span) const {
    const std::string shown = text(span);
    const size_t last = shown.find_last_not_of(" \t\r\n");
    return {span.file, span.begin, span.begin + static_cast<uint32_t>(last == std::string::npos ? 0 : last + 1)};
  }
  /// Of the module; null if none is called so.
  const ast::FuncDef *functionNamed(const std::string &name) const {
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = ast::as<ast::FuncDef>(stmt); def && def->name.text == name) return def;
    return nullptr;
  }
  void replace(CandidateGroup &group, Span span, std::string by, std::string title = {}) {
    if (title.empty()) title = by.empty() ? "leave it out" : "write `" + by + "`";
    group.edits.push_back({span, std::move(by), std::move(title), diag::Applicability::Suggestion});
  }
  /// ... unless the group has that edit.
  void replaceOnce(CandidateGroup &group, Span span, const std::string &by, const std::string &title = {}) {
    const bool known = std::any_of(group.edits.begin(), group.edits.end(), [&](const diag::Fix &fix) { return fix.span == span && fix.replacement == by; });
    if (!known) replace(group, span, by, title);
  }
  void insert(CandidateGroup &group, uint32_t at, const std::string &what, std::string title = {}) {
    if (what.rfind(", ", 0) == 0) at = beforeComma(at);
    replace(group, {diagnostic_.span.file, at, at}, what, title.empty() ? "insert `" + what + "`" : std::move(title));
  }
  /// Where one more argument is added in front of `)`: before a comma that ends the list, `f(a, b, )`.
  uint32_t beforeComma(uint32_t at) const {
    const std::string_view all = sources_.file(diagnostic_.span.file).text;
    uint32_t comma = at;
    while (comma > 0 && (all[comma - 1] == ' ' || all[comma - 1] == '\n')) --comma;
    return comma > 0 && all[comma - 1] == ',' ? comma - 1 : at;
  }
  /// One edit out of several that lie apart: what stands between them stays.
  void replaceAll(CandidateGroup &group, std::vector<std::pair<Span, std::string>> parts, const std::string &title) {
    if (parts.empty()) return;
    std::sort(parts.begin(), parts.end(), [](const auto &a, const auto &b) { return a.first.begin < b.first.begin; });
    const Span whole = parts.front().first.to(parts.back().first);
    std::string out;
    uint32_t at = whole.begin;
    for (const auto &[span, by] : parts) {
      if (span.begin < at) return;  // one inside of another
      out += text({whole.file, at, span.begin}) + by;
      at = span.end;
    }
    replace(group, whole, out, title);
  }
  std::string asPrimary(const ast::Expr &e) const {
    bool primary = e.kind == ast::ExprKind::Name || e.kind == ast::ExprKind::Attribute ||
                   e.kind == ast::ExprKind::Call || e.kind == ast::ExprKind::Subscript;
    return primary ? text(e) : "(" + text(e) + ")";
  }
  /// What takes the place of an expression, in parentheses where what stands around it would take it apart.
  std::string inPlaceOf(const ast::Expr &e, const std::string &by) const {
    auto at = std::find(place_.around.begin(), place_.around.end(), &e);
    return inPlaceOf(e, by, at == place_.around.end() || at + 1 == place_.around.end() ? nullptr : *(at + 1));
  }
  static std::string inPlaceOf(const ast::Expr &e, const std::string &by, const ast::Expr *around) {
    bool apart = around && (around->kind == ast::ExprKind::Binary || around->kind == ast::ExprKind::Unary ||
                            around->kind == ast::ExprKind::Compare || around->kind == ast::ExprKind::Attribute);
    if (auto *subscript = ast::as<ast::SubscriptExpr>(around)) apart = subscript->object.get() == &e;
    return apart && !isOnePart(by) ? "(" + by + ")" : by;
  }
  /// Whether a text is a name or a call, or stands in parentheses: no operator lies open in it.
  static bool isOnePart(const std::string &shown) {
    int depth = 0;
    for (size_t i = 0; i < shown.size(); ++i) {
      if (shown[i] == '(' || shown[i] == '[') ++depth;
      if (shown[i] == ')' || shown[i] == ']') --depth;
      if (depth == 0 && (shown[i] == ' ' || ((shown[i] == '-' || shown[i] == '~') && i == 0) || shown[i] == '*')) return false;
    }
    return true;
  }
  /// The arguments of a call as they are written.
  std::vector<WrittenArgument> writtenArguments(const ast::CallExpr &call) const {
    std::vector<WrittenArgument> arguments;
    for (const ast::Argument &argument : call.arguments) {
      std::string shown = text(argument.value->span);
      if (shown == "float(\"inf\")" || shown == "float('inf')") shown = "INF";
      if (shown == "float(\"-inf\")" || shown == "float('-inf')") shown = "-INF";
      bool number = argument.value->kind == ast::ExprKind::Int || argument.value->kind == ast::ExprKind::Float;
      arguments.push_back(
          {argument.keyword ? argument.keyword->text : "", shown, asPrimary(*argument.value) == shown || number});
    }
    return arguments;
  }
  /// Whether a name counts the turns of a loop, `for step in range(n):`.
  bool countsFor(const std::string &name) const {
    bool found = false;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *loop = ast::as<ast::ForStmt>(&stmt);
      auto *turns = loop && text(*loop->target) == name ? ast::as<ast::CallExpr>(loop->iterable) : nullptr;
      found |= turns && nameOf(*turns) == "range";
    });
    return found;
  }
  /// Whether the parameter that the message names is declared as a float by a function of the module.
  bool wantsFloat(const ast::CallExpr &call) const {
    const size_t end = diagnostic_.message.rfind('`'), begin = end == std::string::npos || end == 0 ? end : diagnostic_.message.rfind('`', end - 1);
    if (begin == std::string::npos) return false;
    const std::string missing = diagnostic_.message.substr(begin + 1, end - begin - 1);
    for (const ast::StmtPtr &stmt : place_.module->body) {
      auto *def = ast::as<ast::FuncDef>(stmt);
      for (size_t i = 0; def && def->name.text == nameOf(call) && i < def->parameters.size(); ++i) {
        auto *type = ast::as<ast::NameExpr>(def->parameters[i].annotation);
        const auto dtype = type && def->parameters[i].name.text == missing ? dtypeByName(type->name) : std::nullopt;
        if (dtype && isFloat(*dtype)) return true;
      }
    }
    return false;
  }
  /// The expression that the message is about, or what the name there stands for.
  const ast::Expr *meant() const {
    const ast::Expr *e = place_.expr();
    if (auto *name = ast::as<ast::NameExpr>(e))
      if (const ast::Expr *value = place_.valueOf(name->name)) return value;
    return e;
  }
  template <class Visit> static void visit(const ast::Expr &e, const Visit &each) {
    each(e);
    for (const ast::Expr *child : ast::childrenOf(e).exprs) visit(*child, each);
  }
  /// Every expression of a function's body, in its blocks, too.
  template <class Visit> static void visitBody(const ast::FuncDef &def, const Visit &each) {
    std::vector<const ast::Stmt *> open;
    for (const ast::StmtPtr &stmt : def.body) open.push_back(stmt.get());
    while (!open.empty()) {
      ast::Children below = ast::childrenOf(*open.back());
      open.pop_back();
      open.insert(open.end(), below.stmts.begin(), below.stmts.end());
      for (const ast::Expr *e : below.exprs) visit(*e, each);
    }
  }
  /// The statements of the function that the message is in, from the outermost in.
  std::vector<const ast::Stmt *> statementsAround() const {
    std::vector<const ast::Stmt *> open, found;
    for (const ast::StmtPtr &stmt : place_.function->body) open.push_back(stmt.get());
    while (!open.empty()) {
      const ast::Stmt *stmt = open.back();
      open.pop_back();
      if (diagnostic_.span.begin < stmt->span.begin || stmt->span.end < diagnostic_.span.end) continue;
      found.push_back(stmt);
      for (const ast::Stmt *inner : ast::childrenOf(*stmt).stmts) open.push_back(inner);
    }
    return found;
  }
  /// The expression of the message and those that gave its names their values, the nearest first.
  std::vector<const ast::Expr *> inPlay() const {
    constexpr size_t kMost = 8;
    std::vector<const ast::Expr *> found;
    std::set<std::string> seen;
    if (place_.expr()) found.push_back(place_.expr());
    for (size_t i = 0; i < found.size(); ++i)
      visit(*found[i], [&](const ast::Expr &part) {
        auto *name = ast::as<ast::NameExpr>(&part);
        if (!name || found.size() == kMost || !seen.insert(name->name).second) return;
        const ast::Expr *value = place_.valueOf(name->name);
        if (!value) value = takenApart(name->name);
        if (value && std::find(found.begin(), found.end(), value) == found.end()) found.push_back(value);
      });
    return found;
  }
  /// What is taken apart into this name and others, `a, b = split(x, 2)`, in front of the place.
  const ast::Expr *takenApart(const std::string &name) const {
    if (!place_.function || !place_.statement) return nullptr;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      if (stmt->span.begin >= place_.statement->span.begin) return nullptr;
      auto *assign = ast::as<ast::AssignStmt>(stmt);
      if (!assign || assign->targets[0]->kind != ast::ExprKind::Tuple) continue;
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items)
        if (text(*item) == name) return assign->value.get();
    }
    return nullptr;
  }
  template <class Visit> void eachInPlay(const Visit &each) const {
    for (const ast::Expr *e : inPlay()) visit(*e, each);
  }
  /// The reductions in play that do not keep the dimension along which they go: where one does not broadcast, to keep it is
  /// likelier than an axis that comes back by `[:, None]`.
  std::vector<const ast::CallExpr *> reductionsThatDrop() const {
    static const std::set<std::string> reductions = {"sum",       "mean",   "max",     "min",     "prod", "var", "std",     "any",
                                                    "all",       "norm",   "nansum",  "nanmean", "ptp",  "average", "logsumexp", "count_nonzero"};
    std::vector<const ast::CallExpr *> found;
    eachInPlay([&](const ast::Expr &operand) {
      auto *call = ast::as<ast::CallExpr>(&operand);
      if (call && reductions.count(nameOf(*call)) && !keyword(*call, "keepdim")) found.push_back(call);
    });
    return found;
  }
  /// The number of an axis as it is written, `1` or `-1`.
  static std::optional<int64_t> axisNumber(const ast::Expr *e) {
    auto *minus = ast::as<ast::UnaryExpr>(e);
    const bool negative = minus && minus->op == ast::UnaryOp::Neg;
    auto *number = ast::as<ast::IntExpr>(negative ? minus->operand.get() : e);
    if (!number || number->value > 8) return std::nullopt;
    return negative ? -static_cast<int64_t>(number->value) : static_cast<int64_t>(number->value);
  }
  /// Each other number for an axis, counted from the same side; an axis that is none has no others.
  template <class Visit> static void eachOtherAxis(const ast::Expr *e, const Visit &each) {
    constexpr int64_t kMostAxes = 4;
    const std::optional<int64_t> axis = axisNumber(e);
    for (int64_t i = 0; axis && i < kMostAxes; ++i)
      if (const int64_t other = *axis < 0 ? -1 - i : i; other != *axis) each(std::to_string(other));
  }
  static bool isOfTile(const ast::CallExpr &call) {
    auto *method = ast::as<ast::AttributeExpr>(call.callee);
    auto *owner = method ? ast::as<ast::NameExpr>(method->object) : nullptr;
    return owner && (owner->name == "tile" || owner->name == "ts");
  }
  static const ast::Argument *keyword(const ast::CallExpr &call, std::string_view name) {
    for (const ast::Argument &arg : call.arguments)
      if (arg.keyword && arg.keyword->text == name) return &arg;
    return nullptr;
  }
  static std::string nameOf(const ast::CallExpr &call) {
    if (auto *method = ast::as<ast::AttributeExpr>(call.callee)) return method->attribute.text;
    auto *function = ast::as<ast::NameExpr>(call.callee);
    return function ? function->name : "";
  }

  /// The parameter that the expression names; null if it names none.
  const ast::Parameter *parameterOf(const ast::Expr *e) const {
    auto *name = ast::as<ast::NameExpr>(e);
    for (size_t i = 0; name && place_.function && i < place_.function->parameters.size(); ++i)
      if (place_.function->parameters[i].name.text == name->name) return &place_.function->parameters[i];
    return nullptr;
  }
  /// The fields of the struct that a parameter is of.
  std::vector<std::string> fieldsOfType(const ast::Expr *e) const { return fieldsOf(parameterOf(e)); }
  std::vector<std::string> fieldsOf(const ast::Parameter *p) const {
    std::vector<std::string> fields;
    auto *type = p ? ast::as<ast::SubscriptExpr>(p->annotation) : nullptr;
    const std::string name = type ? text(*type->object) : p && p->annotation ? text(*p->annotation) : "";
    for (const ast::StmtPtr &stmt : place_.module->body) {
      auto *def = ast::as<ast::StructDef>(stmt);
      for (size_t i = 0; def && def->name.text == name && i < def->body.size(); ++i)
        if (auto *field = ast::as<ast::AnnAssignStmt>(def->body[i])) fields.push_back(text(*field->target));
    }
    return fields;
  }
  /// Whether an item of `Tensor[A, B, bf16 @accum(f32)]` is its dtype: a name of the language, of a policy, or of the
  /// function's own, `T: dtype`.
  bool isDType(const ast::Expr &item) const {
    auto *name = ast::as<ast::NameExpr>(&item);
    if (!name) return text(item).find('@') != std::string::npos;
    if (dtypeByName(name->name)) return true;
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *policy = ast::as<ast::PolicyDef>(stmt); policy && policy->name.text == name->name) return true;
    for (size_t i = 0; place_.function && i < place_.function->typeParameters.size(); ++i)
      if (const ast::TypeParameter &own = place_.function->typeParameters[i]; own.name.text == name->name) return own.bound != nullptr;
    return false;
  }
  /// How many of the items of `Tensor[A, B, f32]` and `Tensor[A, B]` are extents.
  size_t extentCount(const ast::SubscriptExpr &type) const {
    return type.items.size() - (!type.items.empty() && isDType(*type.items.back().value) ? 1 : 0);
  }
  /// The dtype of such a type as it is written: f32 where it is not.
  std::string dtypeText(const ast::SubscriptExpr &type) const {
    return extentCount(type) == type.items.size() ? "f32" : text(type.items.back().span);
  }
  /// Where its extents stand; it has one at least.
  Span extentsSpan(const ast::SubscriptExpr &type) const {
    return type.items.front().span.to(type.items[extentCount(type) - 1].span);
  }
  /// An extent without the quotes that it may have in a type, as it is written in a body.
  std::string extentText(const ast::Argument &item) const {
    auto *quotedName = ast::as<ast::StringExpr>(item.value);
    return quotedName ? quotedName->value : text(item.span);
  }
  /// The extents of such a type, as they are written in a body.
  std::vector<std::string> extentTexts(const ast::SubscriptExpr &type) const {
    std::vector<std::string> found;
    for (size_t i = 0; i < extentCount(type); ++i) found.push_back(extentText(type.items[i]));
    return found;
  }
  static std::string listOf(const std::vector<std::string> &parts) {
    std::string all;
    for (const std::string &part : parts) all += (all.empty() ? "" : ", ") + part;
    return all;
  }
  /// Whether it chooses elements, and is no index: `x < 0`, `~mask`.
  bool isMask(const ast::Expr &e) const {
    auto *unary = ast::as<ast::UnaryExpr>(&e);
    auto *binary = ast::as<ast::BinaryExpr>(&e);
    const ast::SubscriptExpr *type = tensorTypeOf(&e);
    return e.kind == ast::ExprKind::Compare || (unary && isMask(*unary->operand)) ||
           (binary && isMask(*binary->left) && isMask(*binary->right)) || (type && dtypeText(*type) == "bool");
  }
  /// `Tensor[...]` with a shape, where an annotation is that; else null.
  const ast::SubscriptExpr *tensorType(const ast::Expr *annotation) const {
    auto *type = ast::as<ast::SubscriptExpr>(annotation);
    return type && text(*type->object) == "Tensor" && extentCount(*type) > 0 ? type : nullptr;
  }
  /// The types of several results, `(A, B)` or `tuple[A, B]`; none where one is declared.
  std::vector<const ast::Expr *> declaredItems() const {
    std::vector<const ast::Expr *> found;
    const ast::Expr *result = place_.function ? place_.function->result.get() : nullptr;
    if (result && result->kind == ast::ExprKind::Tuple)
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr *>(result)->items) found.push_back(item.get());
    auto *generic = ast::as<ast::SubscriptExpr>(result);
    if (generic && (text(*generic->object) == "tuple" || text(*generic->object) == "Tuple"))
      for (const ast::Argument &item : generic->items) found.push_back(item.value.get());
    return found;
  }
  const ast::SubscriptExpr *declaredTensor() const {
    return place_.function ? tensorType(place_.function->result.get()) : nullptr;
  }
  /// `Tensor[A, B, f32]` of such a parameter; null if it is no tensor with a shape.
  const ast::SubscriptExpr *tensorTypeOf(const ast::Expr *e) const {
    const ast::Parameter *p = parameterOf(e);
    return p ? tensorType(p->annotation.get()) : nullptr;
  }
  /// `zeros((A, B), bf16)` of the type `Tensor[A, B, bf16]`, with these sizes.
  std::string zerosOf(const ast::SubscriptExpr &type, const std::vector<std::string> &sizes) const {
    const std::string dtype = dtypeText(type);
    return "zeros((" + listOf(sizes) + (sizes.size() == 1 ? ",)" : ")") + (dtype == "f32" ? ")" : ", " + dtype + ")");
  }
  /// The dimensions that the function names.
  std::set<std::string> dimensions() const {
    std::set<std::string> dims;
    if (!place_.function) return dims;
    for (const ast::TypeParameter &t : place_.function->typeParameters) dims.insert(t.name.text);
    return dims;
  }

  /// The dtypes of the tensors that the function is given, and that it gives.
  std::set<std::string> declaredDTypes(bool withResult) const {
    std::set<std::string> dtypes;
    auto add = [&](const ast::ExprPtr &annotation) {
      auto *type = ast::as<ast::SubscriptExpr>(annotation);
      auto *last = type && !type->items.empty() ? ast::as<ast::NameExpr>(type->items.back().value) : nullptr;
      if (last && dtypeByName(last->name)) dtypes.insert(last->name);
    };
    if (withResult) add(place_.function->result);
    for (const ast::Parameter &p : place_.function->parameters) add(p.annotation);
    return dtypes;
  }

  /// The message is about an index that is an array of truth values, `x[x > 0.0]`.
  bool choosesByCondition() const { return diagnostic_.message.starts_with("an index expects") && diagnostic_.message.ends_with("of bool"); }

  /// The shapes that the message shows between brackets, each as its extents.
  std::vector<std::vector<std::string>> shapesSaid() const {
    std::vector<std::vector<std::string>> shapes;
    const std::string &said = diagnostic_.message;
    for (size_t open = said.find('['); open != std::string::npos; open = said.find('[', open + 1)) {
      const size_t close = said.find(']', open);
      if (close == std::string::npos) break;
      std::vector<std::string> extents;
      for (size_t at = open + 1; at < close;) {
        size_t end = std::min(said.find(", ", at), close);
        extents.push_back(said.substr(at, end - at));
        at = end + 2;
      }
      shapes.push_back(std::move(extents));
    }
    return shapes;
  }

  const diag::Diagnostic &diagnostic_;
  const Place &place_;
  const Sources &sources_;
  std::vector<CandidateGroup> groups_;
};

}  // namespace tessera::sema
