// Functions, classes, structs, policies, states, imports.
#include "frontend/Build.h"
#include "frontend/Walk.h"
#include <algorithm>
#include <cctype>

namespace tessera::frontend {

using namespace ast;
using diag::Id;
using G = grammar::TesseraParser;
using Any = antlrcpp::Any;

namespace {
bool isName(const std::string &text) {
  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 128; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) && std::all_of(text.begin(), text.end(), fits);
}

/// Dimensions that the type of a field names in quotes, in the order of the text.
void quotedDimensions(const Expr &type, std::vector<const StringExpr *> &found) {
  if (auto *name = as<StringExpr>(&type); name && isName(name->value)) found.push_back(name);
  for (const Expr *part : childrenOf(type).exprs) quotedDimensions(*part, found);
}

/// `w: Tensor["I", "O"]` declares both, as a parameter of a function does.
void declareQuotedDimensions(StructDef &made) {
  std::vector<const StringExpr *> quoted;
  for (const StmtPtr &stmt : made.body)
    if (auto *field = as<AnnAssignStmt>(stmt); field && field->annotation && field->annotation->kind != ExprKind::String)
      quotedDimensions(*field->annotation, quoted);
  for (const StringExpr *name : quoted) {
    auto isKnown = [&](const TypeParameter &p) { return p.name.text == name->value; };
    if (std::none_of(made.typeParameters.begin(), made.typeParameters.end(), isKnown))
      made.typeParameters.push_back({{name->value, name->span}, nullptr});
  }
}
}  // namespace

Any AstBuilder::visitDefinition(G::DefinitionContext *context) {
  push(definition(context, {}));
  return {};
}

Any AstBuilder::visitDecorated(G::DecoratedContext *context) {
  std::vector<Decorator> decorators;
  for (auto *line : context->decoratorLine())
    for (auto *decorator : line->decorator())
      decorators.push_back({primary(decorator->primary()), span(decorator)});
  if (!context->definition()) return visitErrorStatement(context->errorStatement());
  StmtPtr made = definition(context->definition(), std::move(decorators));
  made->span = span(context);
  push(std::move(made));
  return {};
}

StmtPtr AstBuilder::definition(G::DefinitionContext *context, std::vector<Decorator> decorators) {
  if (auto *made = context->functionDefinition()) {
    StmtPtr node = function(made);
    static_cast<FuncDef *>(node.get())->decorators = std::move(decorators);
    return node;
  }
  if (auto *made = context->classDefinition()) {
    auto node = make<ClassDef>(span(made));
    node->decorators = std::move(decorators);
    node->name = identifier(made->NAME());
    node->typeParameters = typeParameters(made->typeParameters());
    node->bases = arguments(made->argument());
    block(made->block(), node->body);
    return node;
  }
  auto *made = context->structDefinition();
  auto node = make<StructDef>(span(made));
  node->decorators = std::move(decorators);
  node->name = identifier(made->NAME());
  node->typeParameters = typeParameters(made->typeParameters());
  block(made->block(), node->body);
  declareQuotedDimensions(*node);
  return node;
}

StmtPtr AstBuilder::function(G::FunctionDefinitionContext *context) {
  auto node = make<FuncDef>(span(context));
  node->isAsync = context->ASYNC() != nullptr;
  node->name = identifier(context->NAME());
  node->typeParameters = typeParameters(context->typeParameters());
  node->parameters = parameters(context->parameter());
  if (context->expression()) node->result = expression(context->expression());
  for (auto *clause : context->whereClause())
    for (auto *fact : clause->expression()) node->where.push_back(expression(fact));
  for (auto *clause : context->effectsClause()) {
    if (!node->effects) node->effects.emplace();
    for (auto *effect : clause->expression()) node->effects->push_back(expression(effect));
  }
  block(context->block(), node->body);
  return node;
}

std::vector<TypeParameter> AstBuilder::typeParameters(G::TypeParametersContext *context) {
  std::vector<TypeParameter> out;
  if (!context) return out;
  for (auto *parameter : context->typeParameter())
    out.push_back({identifier(parameter->NAME()), parameter->expression() ? expression(parameter->expression()) : nullptr});
  return out;
}

Parameter AstBuilder::parameter(G::ParameterContext *context, bool &keywordOnly) {
  Parameter made;
  made.span = span(context);
  if (auto *plain = alternative<G::PlainParameterContext>(context)) {
    made.kind = keywordOnly ? ParameterKind::KeywordOnly : ParameterKind::Plain;
    made.name = identifier(plain->NAME());
    size_t next = 0;
    if (plain->COLON()) made.annotation = expression(plain->expression(next++));
    if (plain->ASSIGN()) made.defaultValue = expression(plain->expression(next));
  } else if (auto *star = alternative<G::StarParameterContext>(context)) {
    keywordOnly = true;
    made.kind = ParameterKind::VarPositional;
    if (star->NAME()) made.name = identifier(star->NAME());
    if (star->expression()) made.annotation = expression(star->expression());
  } else {
    auto *options = static_cast<G::OptionsParameterContext *>(context);
    made.kind = ParameterKind::VarKeyword;
    made.name = identifier(options->NAME());
    if (options->expression()) made.annotation = expression(options->expression());
  }
  return made;
}

std::vector<Parameter> AstBuilder::parameters(const std::vector<G::ParameterContext *> &contexts) {
  std::vector<Parameter> out;
  bool keywordOnly = false;
  Span lastStar;  // a bare `*` with nothing behind it yet
  for (auto *context : contexts) {
    bool before = keywordOnly;
    Parameter made = parameter(context, keywordOnly);
    if (made.kind == ParameterKind::VarPositional && before)
      diagnostics_.report(Id::parameterOrder, made.span, "a second `*`").label("only one `*` may stand among the parameters");
    if (made.kind == ParameterKind::VarPositional) lastStar = {};
    if (made.name.text.empty()) {
      lastStar = made.span;
      continue;
    }
    if (made.kind == ParameterKind::KeywordOnly) lastStar = {};
    out.push_back(std::move(made));
  }
  if (lastStar.valid())
    diagnostics_.report(Id::parameterOrder, lastStar, "a `*` with no parameter behind it")
        .label("parameters that are given by keyword stand behind it");
  checkParameterOrder(out);
  return out;
}

void AstBuilder::checkParameterOrder(const std::vector<Parameter> &parameters) {
  const Parameter *withDefault = nullptr;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &parameter = parameters[i];
    if (i && parameters[i - 1].kind == ParameterKind::VarKeyword) {
      diagnostics_.report(Id::parameterOrder, parameter.span, "a parameter behind `**" + parameters[i - 1].name.text + "`")
          .label("nothing may follow the `**` parameter");
      return;
    }
    if (parameter.kind != ParameterKind::Plain) continue;
    if (parameter.defaultValue) {
      withDefault = &parameter;
    } else if (withDefault) {
      diagnostics_.report(Id::parameterOrder, parameter.span, "a parameter without a default behind one that has a default")
          .label("no default here")
          .note(withDefault->span, "this one has a default");
      return;
    }
  }
}

// ---------------------------------------------------------------- policies, states, imports

Any AstBuilder::visitPolicyDefinition(G::PolicyDefinitionContext *context) {
  auto node = make<PolicyDef>(span(context));
  node->name = identifier(context->NAME());
  node->value = expression(context->expression());
  push(std::move(node));
  return {};
}

Any AstBuilder::visitStateDefinition(G::StateDefinitionContext *context) {
  auto node = make<StateDef>(span(context));
  node->name = identifier(context->NAME());
  if (context->expression()) node->annotation = expression(context->expression());
  if (context->expressions()) node->value = expressions(context->expressions());
  push(std::move(node));
  return {};
}

std::vector<Identifier> AstBuilder::path(G::PathContext *context) {
  std::vector<Identifier> out;
  if (!context) return out;
  for (auto *name : context->NAME()) out.push_back(identifier(name));
  return out;
}

ImportItem AstBuilder::importedName(G::ImportedNameContext *context) {
  ImportItem item;
  item.span = span(context);
  item.path.push_back(identifier(context->NAME(0)));
  if (context->AS()) item.alias = identifier(context->NAME(1));
  return item;
}

Any AstBuilder::visitImportStatement(G::ImportStatementContext *context) {
  auto node = make<ImportStmt>(span(context));
  for (auto *item : context->importItem()) {
    ImportItem made;
    made.span = span(item);
    made.path = path(item->path());
    if (item->NAME()) made.alias = identifier(item->NAME());
    node->items.push_back(std::move(made));
  }
  push(std::move(node));
  return {};
}

Any AstBuilder::visitFromImportStatement(G::FromImportStatementContext *context) {
  auto node = make<FromImportStmt>(span(context));
  for (antlr4::Token *dots : context->dots) node->level += static_cast<int>(text(span(dots)).size());
  node->module = path(context->path());
  auto *names = context->importedNames();
  if (auto *group = alternative<G::ImportGroupContext>(names)) {
    for (auto *name : group->importedName()) node->items.push_back(importedName(name));
  } else if (auto *list = alternative<G::ImportListContext>(names)) {
    for (auto *name : list->importedName()) node->items.push_back(importedName(name));
  } else {
    node->star = true;
  }
  if (node->level == 0 && node->module.empty())
    diagnostics_.report(Id::expectedToken, span(context->FROM()->getSymbol()), "the name of a module", "behind `from`", "`import`")
        .help("write `from .blocks import attention` for a file beside this one");
  push(std::move(node));
  return {};
}

}  // namespace tessera::frontend
