// Hover: the type with its shape in symbols, what is known about the sizes, effects, documentation, the work of a product.
#include "frontend/Walk.h"
#include "ide/Describe.h"
#include "ide/Ide.h"
#include "sema/Builtins.h"
#include "checked/Policy.h"
#include <algorithm>
#include <functional>

namespace tessera::ide {

using ast::as;
using sema::ValueKind;

namespace {

std::string code(const std::string &text) { return "```tessera\n" + text + "\n```\n"; }

void paragraph(std::string &markdown, const std::string &text) {
  if (text.empty()) return;
  if (!markdown.empty()) markdown += "\n";
  markdown += text + "\n";
}

/// What a policy makes of arithmetic, in words.
std::string numericsText(const checked::Type &type) {
  if (!isFloat(type.dtype)) return "";
  DType carry = checked::carryType(type.dtype, type.numerics);
  if (carry == type.dtype) return "";
  return "Arithmetic in `" + std::string(name(carry)) + "`, rounded to `" + std::string(name(type.dtype)) +
         "` where it leaves" + (type.numerics.roundEachOp ? ", after each operation." : ".");
}

std::string effectsText(const View &view, const ast::FuncDef &def) {
  const checked::Effects *effects = view.facts.effectsOf(def);
  if (!effects) return "";
  if (effects->empty()) return "No effects.";
  std::string text;
  for (const checked::Effect &effect : effects->all())
    text += (text.empty() ? "Effects: `" : ", `") + effect.str() + "`";
  return text + ".";
}

std::string requirementsText(const View &view, const ast::FuncDef &def) {
  const sema::FunctionFacts *function = view.facts.functionOf(def);
  if (!function || function->requirements.empty()) return "";
  std::string text = "Checked when it is called:";
  constexpr size_t kMost = 6;
  for (size_t i = 0; i < std::min(kMost, function->requirements.size()); ++i) {
    const checked::Requirement &r = function->requirements[i];
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
    size_t sign = static_cast<size_t>(r.relation);
    if (sign >= std::size(signs)) continue;
    text += "\n- `" + r.left.str() + " " + signs[sign] + " " + r.right.str() + "`";
  }
  if (function->requirements.size() > kMost)
    text += "\n- and " + std::to_string(function->requirements.size() - kMost) + " more";
  return text;
}

std::string ofFunction(const View &view, const ast::FuncDef &def) {
  std::string text = code(signatureText(def, view.sources));
  std::string doc = docOf(def.body);
  paragraph(text, doc.empty() ? commentAbove(view.sources, def.name.span) : doc);
  const sema::FunctionFacts *function = view.facts.functionOf(def);
  if (function && !def.result && !function->results.empty()) {
    std::string results;
    for (const checked::Type &type : function->results) results += (results.empty() ? "`" : ", `") + type.str() + "`";
    paragraph(text, "Returns " + results + ".");
  }
  if (def.span.file == view.file()) {
    paragraph(text, effectsText(view, def));
    paragraph(text, requirementsText(view, def));
  } else {
    paragraph(text, "*" + view.sources.file(def.span.file).path + "*");
  }
  return text;
}

std::string ofBuiltin(const sema::BuiltinRow &row) {
  std::string text = code(signatureText(row));
  std::string where = row.places.find('K') != std::string_view::npos   ? "In kernels only."
                      : row.places.find('H') != std::string_view::npos ? "In host code only."
                                                                       : "";
  paragraph(text, where);
  if (row.kind == sema::BuiltinKind::Unsupported) paragraph(text, "Not supported yet.");
  return text;
}

std::string ofStruct(const View &view, const ast::StructDef &def) {
  CallableText text = callableOf(def, view.sources);
  std::string all = "struct " + def.name.text;
  if (!def.typeParameters.empty()) {
    all += "[";
    for (size_t i = 0; i < def.typeParameters.size(); ++i) all += (i ? ", " : "") + def.typeParameters[i].name.text;
    all += "]";
  }
  all += ":";
  for (const ParameterText &field : text.parameters) all += "\n    " + field.text;
  std::string markdown = code(all);
  paragraph(markdown, text.doc);
  return markdown;
}

const char *wordOf(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Parameter: return "parameter";
  case SymbolKind::Dimension: return "dimension";
  case SymbolKind::DTypeParameter: return "dtype parameter";
  case SymbolKind::Constant: return "constant";
  case SymbolKind::Field: return "field";
  case SymbolKind::Policy: return "policy";
  case SymbolKind::Import: return "import";
  default: return "variable";
  }
}

std::string viewText(const sema::Fact &fact) {
  if (fact.view == sema::FactView::Guessed) return "*Nothing calls this function; a likely argument was assumed.*";
  if (fact.view == sema::FactView::Called)
    return fact.several ? "*As the first of several calls has it.*" : "*As the call has it.*";
  return fact.several ? "*In the first turn of the loop; other turns have others.*" : "";
}

const ast::Expr *exprAt(const View &view, Span place) {
  const ast::Expr *found = nullptr;
  std::function<void(const ast::Expr &)> inExpr = [&](const ast::Expr &e) {
    if (e.span == place) found = &e;
    if (e.span.begin > place.begin || e.span.end < place.end) return;
    for (const ast::Expr *child : ast::childrenOf(e).exprs) inExpr(*child);
  };
  std::function<void(const ast::Stmt &)> inStmt = [&](const ast::Stmt &s) {
    if (s.span.begin > place.begin || s.span.end < place.end) return;
    ast::Children children = ast::childrenOf(s);
    for (const ast::Expr *e : children.exprs) inExpr(*e);
    for (const ast::Stmt *inner : children.stmts) inStmt(*inner);
  };
  for (const ast::StmtPtr &stmt : view.module.body) inStmt(*stmt);
  return found;
}

/// What follows the type of a value: facts about its sizes, its numerics, where the view comes from.
void details(const View &view, const sema::Fact &fact, std::string &markdown) {
  if (const ast::FuncDef *def = view.names.functionAt(fact.place.begin)) {
    std::string facts;
    for (const std::string &f : factsAbout(view, *def, fact.type.shape)) facts += (facts.empty() ? "" : ", ") + f;
    paragraph(markdown, facts);
  }
  bool number = fact.kind == ValueKind::Array || fact.kind == ValueKind::View || fact.kind == ValueKind::Shared;
  if (number) paragraph(markdown, numericsText(fact.type));
  paragraph(markdown, viewText(fact));
}

std::optional<Hover> ofSymbol(const View &view, const Occurrence &at) {
  const Symbol &symbol = view.names.symbols()[at.symbol];
  if (symbol.function) return Hover{at.place, ofFunction(view, *symbol.function)};
  if (symbol.kind == SymbolKind::Struct && symbol.structure) return Hover{at.place, ofStruct(view, *symbol.structure)};
  if (symbol.kind == SymbolKind::Dimension) {
    std::string text = code("(dimension) " + symbol.name);
    if (symbol.owner) {
      std::string facts;
      for (const std::string &f : factsAbout(view, *symbol.owner, {Dim::var(symbol.name)}))
        facts += (facts.empty() ? "" : ", ") + f;
      paragraph(text, facts);
      paragraph(text, "A size of `" + symbol.owner->name.text + "`, known when it is called.");
    }
    return Hover{at.place, text};
  }
  const sema::Fact *fact = view.facts.at(at.place);
  if (!fact) fact = view.facts.at(symbol.definition);
  if (symbol.kind == SymbolKind::Import) {
    if (fact && fact->function) return Hover{at.place, ofFunction(view, *fact->function)};
    if (fact && fact->builtin) return Hover{at.place, ofBuiltin(*fact->builtin)};
  }
  std::string type = fact ? typeText(*fact) : "";
  if (type.empty() && symbol.parameter && symbol.parameter->annotation)
    type = std::string(view.text(symbol.parameter->annotation->span));
  if (type.empty() && symbol.type) type = std::string(view.text(symbol.type->span));
  std::string text =
      code("(" + std::string(wordOf(symbol.kind)) + ") " + symbol.name + (type.empty() ? "" : ": " + type));
  if (fact) details(view, *fact, text);
  if (symbol.kind == SymbolKind::Constant || symbol.kind == SymbolKind::Policy)
    paragraph(text, commentAbove(view.sources, symbol.definition));
  return Hover{at.place, text};
}

}  // namespace

static std::optional<Hover> hoverOf(const View &view, uint32_t offset) {
  if (const Occurrence *at = view.names.at(offset)) return ofSymbol(view, *at);
  const sema::Fact *fact = factAt(view, offset);
  if (!fact) return std::nullopt;
  const ast::Expr *expr = exprAt(view, fact->place);
  if (auto *member = as<ast::AttributeExpr>(expr)) {  // the member's name alone
    if (offset < member->attribute.span.begin) return std::nullopt;
    if (fact->builtin) return Hover{member->attribute.span, ofBuiltin(*fact->builtin)};
    if (fact->function) return Hover{member->attribute.span, ofFunction(view, *fact->function)};
  }
  if (fact->builtin && expr && expr->kind == ast::ExprKind::Name) return Hover{fact->place, ofBuiltin(*fact->builtin)};
  if (fact->function && fact->kind == ValueKind::Function) return Hover{fact->place, ofFunction(view, *fact->function)};
  std::string type = typeText(*fact);
  bool literal = expr && (expr->kind == ast::ExprKind::Int || expr->kind == ast::ExprKind::Float ||
                          expr->kind == ast::ExprKind::String || expr->kind == ast::ExprKind::Bool ||
                          expr->kind == ast::ExprKind::None);
  if (type.empty() || literal) return std::nullopt;
  std::string text = code(type);
  if (expr) paragraph(text, costText(view, *expr));
  details(view, *fact, text);
  return Hover{fact->place, text};
}

/// The call whose callee ends where a name does, or null.
static const ast::Expr *callOf(const View &view, Span name) {
  for (Span span : enclosing(view, name.begin)) {
    auto *call = as<ast::CallExpr>(exprAt(view, span));
    if (call && call->callee->span.end == name.end) return call;
  }
  return nullptr;
}

std::optional<Hover> hoverAt(const View &view, uint32_t offset) {
  std::optional<Hover> hover = hoverOf(view, offset);
  if (const ast::Expr *call = hover ? callOf(view, hover->place) : nullptr)
    if (std::string cost = costText(view, *call); !cost.empty()) paragraph(hover->markdown, "This call: " + cost);
  return hover;
}

std::optional<Span> productAt(const View &view, uint32_t offset) {
  for (Span span : enclosing(view, offset))
    if (const ast::Expr *expr = exprAt(view, span); expr && isProduct(view, *expr)) return span;
  return std::nullopt;
}

}  // namespace tessera::ide
