#include "ide/Names.h"
#include "frontend/Walk.h"
#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

namespace tessera::ide {

using ast::as;

bool isKernel(const ast::FuncDef &def) {
  return std::any_of(def.decorators.begin(), def.decorators.end(), [](const ast::Decorator &d) {
    const ast::Expr *e = d.expression.get();
    if (auto *call = as<ast::CallExpr>(e)) e = call->callee.get();
    while (auto *member = as<ast::AttributeExpr>(e)) e = member->object.get();
    auto *name = as<ast::NameExpr>(e);
    return name && name->name == "kernel";
  });
}

namespace {
bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); }
bool inName(char c) { return startsName(c) || std::isdigit(static_cast<unsigned char>(c)); }

bool isConstantName(const std::string &name) {
  return std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); });
}
}  // namespace

/// Scopes as the language has them: what a function binds anywhere in it is its own.
class NameResolver {
public:
  NameResolver(Names &names, const Sources &sources, const sema::FactTable &facts)
      : names_(names), sources_(sources), facts_(facts) {}

  void module(const ast::Module &module, std::optional<uint32_t> around) {
    Scope scope;
    uint32_t end = static_cast<uint32_t>(sources_.file(module.file).text.size());
    scope.region = region({module.file, 0, end + 1}, nullptr);
    declareBlock(scope, module.body);
    declareMembers(module.body);
    if (around) near(scope, module.body, *around);
    else block(scope, module.body);
    settle();
    auto order = [](const Occurrence &o) { return std::tuple(o.place.begin, o.place.end, o.use, o.symbol); };
    std::sort(names_.occurrences_.begin(), names_.occurrences_.end(), [&](const Occurrence &a, const Occurrence &b) { return order(a) < order(b); });
    auto same = [](const Occurrence &a, const Occurrence &b) { return a.place == b.place; };
    names_.occurrences_.erase(std::unique(names_.occurrences_.begin(), names_.occurrences_.end(), same), names_.occurrences_.end());
  }

private:
  struct Scope {
    Scope *parent = nullptr;
    const ast::FuncDef *function = nullptr;
    const ast::StructDef *structure = nullptr;
    size_t region = 0;
    std::map<std::string, uint32_t> names;
  };

  size_t region(Span whole, const ast::FuncDef *function) {
    names_.regions_.push_back({whole, function, {}});
    return names_.regions_.size() - 1;
  }
  void occurs(Span place, uint32_t symbol, UseKind use) {
    if (place.valid() && place.end > place.begin) names_.occurrences_.push_back({place, symbol, use});
  }
  /// Binds a name in a scope. A second binding is one more place of the same symbol.
  uint32_t declare(Scope &scope, const std::string &name, Span place, SymbolKind kind) {
    auto it = scope.names.find(name);
    if (it != scope.names.end()) {
      bool again = kind == SymbolKind::Function || kind == SymbolKind::Kernel;
      occurs(place, it->second, again ? UseKind::Definition : UseKind::Write);
      return it->second;
    }
    uint32_t index = static_cast<uint32_t>(names_.symbols_.size());
    Symbol symbol;
    symbol.name = name;
    symbol.kind = kind;
    symbol.definition = place;
    symbol.owner = scope.function;
    names_.symbols_.push_back(std::move(symbol));
    scope.names[name] = index;
    names_.regions_[scope.region].symbols.push_back(index);
    occurs(place, index, UseKind::Definition);
    return index;
  }
  const uint32_t *find(const Scope &scope, const std::string &name) const {
    for (const Scope *s = &scope; s; s = s->parent)
      if (auto it = s->names.find(name); it != s->names.end()) return &it->second;
    return nullptr;
  }
  void use(const Scope &scope, const std::string &name, Span place) {
    if (const uint32_t *symbol = find(scope, name)) occurs(place, *symbol, UseKind::Read);
  }

  // ---- what a block binds
  void declareTarget(Scope &scope, const ast::Expr *target) {
    if (auto *name = as<ast::NameExpr>(target)) {
      if (name->name == "_") return;
      bool outer = scope.function == nullptr;
      declare(scope, name->name, name->span, outer || isConstantName(name->name) ? SymbolKind::Constant : SymbolKind::Variable);
    } else if (target && (target->kind == ast::ExprKind::Tuple || target->kind == ast::ExprKind::List)) {
      for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*target).items) declareTarget(scope, item.get());
    } else if (auto *star = as<ast::StarredExpr>(target)) {
      declareTarget(scope, star->value.get());
    }
  }
  void declareNamed(Scope &scope, const ast::Expr &expr) {  // `:=`
    if (auto *named = as<ast::NamedExpr>(&expr)) declare(scope, named->name.text, named->name.span, SymbolKind::Variable);
    for (const ast::Expr *child : ast::childrenOf(expr).exprs) declareNamed(scope, *child);
  }
  void declareImport(Scope &scope, const ast::ImportItem &item) {
    if (item.path.empty()) return;
    const ast::Identifier &name = item.alias ? *item.alias : item.path[0];
    declare(scope, name.text, name.span, SymbolKind::Import);
  }
  void declareBlock(Scope &scope, const ast::Block &body) {
    for (const ast::StmtPtr &stmt : body) declareStmt(scope, *stmt);
  }
  void declareStmt(Scope &scope, const ast::Stmt &stmt) {
    if (auto *def = as<ast::FuncDef>(&stmt)) {
      uint32_t index = declare(scope, def->name.text, def->name.span, isKernel(*def) ? SymbolKind::Kernel : SymbolKind::Function);
      if (!names_.symbols_[index].function) names_.symbols_[index].function = def;
      return;
    }
    if (auto *def = as<ast::StructDef>(&stmt)) {
      names_.symbols_[declare(scope, def->name.text, def->name.span, SymbolKind::Struct)].structure = def;
      return;
    }
    if (auto *def = as<ast::ClassDef>(&stmt)) {
      declare(scope, def->name.text, def->name.span, SymbolKind::Struct);
      return;
    }
    if (auto *def = as<ast::PolicyDef>(&stmt)) declare(scope, def->name.text, def->name.span, SymbolKind::Policy);
    if (auto *def = as<ast::StateDef>(&stmt)) declare(scope, def->name.text, def->name.span, SymbolKind::Variable);
    if (auto *s = as<ast::AssignStmt>(&stmt))
      for (const ast::ExprPtr &target : s->targets) declareTarget(scope, target.get());
    if (auto *s = as<ast::AnnAssignStmt>(&stmt)) declareTarget(scope, s->target.get());
    if (auto *s = as<ast::AugAssignStmt>(&stmt)) declareTarget(scope, s->target.get());
    if (auto *s = as<ast::SampleStmt>(&stmt)) declareTarget(scope, s->target.get());
    if (auto *s = as<ast::ForStmt>(&stmt)) declareTarget(scope, s->target.get());
    if (auto *s = as<ast::WithStmt>(&stmt))
      for (const ast::WithItem &item : s->items) declareTarget(scope, item.target.get());
    if (auto *s = as<ast::ImportStmt>(&stmt))
      for (const ast::ImportItem &item : s->items) declareImport(scope, item);
    if (auto *s = as<ast::FromImportStmt>(&stmt))
      for (const ast::ImportItem &item : s->items) declareImport(scope, item);
    if (auto *s = as<ast::TryStmt>(&stmt))
      for (const ast::ExceptClause &handler : s->handlers)
        if (handler.name) declare(scope, handler.name->text, handler.name->span, SymbolKind::Variable);
    for (const ast::Expr *expr : ast::childrenOf(stmt).exprs) declareNamed(scope, *expr);
    for (const ast::Block *inner : ast::blocksOf(stmt)) declareBlock(scope, *inner);
  }
  /// Fields and methods, which other functions use before the struct is met.
  void declareMembers(const ast::Block &body) {
    for (const ast::StmtPtr &stmt : body) {
      auto *def = as<ast::StructDef>(stmt);
      if (!def) continue;
      for (const ast::StmtPtr &part : def->body) {
        Symbol symbol;
        symbol.structure = def;
        if (auto *field = as<ast::AnnAssignStmt>(part)) {
          auto *name = as<ast::NameExpr>(field->target);
          if (!name) continue;
          symbol.name = name->name, symbol.definition = name->span, symbol.kind = SymbolKind::Field;
          symbol.type = field->annotation.get();
        } else if (auto *method = as<ast::FuncDef>(part)) {
          symbol.name = method->name.text, symbol.definition = method->name.span, symbol.kind = SymbolKind::Method;
          symbol.function = method;
        } else {
          continue;
        }
        uint32_t index = static_cast<uint32_t>(names_.symbols_.size());
        names_.members_.try_emplace({def, symbol.name}, index);
        occurs(symbol.definition, index, UseKind::Definition);
        names_.symbols_.push_back(std::move(symbol));
      }
    }
  }

  // ---- types
  /// Names in a text that stands for a dimension, `"2 * N"`. `bind`: those that are not known are new dimensions.
  void dimensionText(Scope &scope, const ast::StringExpr &text, bool bind) {
    std::string_view written = sources_.text(text.span);
    for (size_t i = 0; i < written.size();) {
      if (!startsName(written[i]) || (i > 0 && inName(written[i - 1]))) {
        ++i;
        continue;
      }
      size_t end = i;
      while (end < written.size() && inName(written[end])) ++end;
      std::string name(written.substr(i, end - i));
      Span place{text.span.file, text.span.begin + static_cast<uint32_t>(i), text.span.begin + static_cast<uint32_t>(end)};
      i = end;
      if (name == "min" || name == "max") continue;
      if (find(scope, name)) use(scope, name, place);
      else if (bind) declare(scope, name, place, SymbolKind::Dimension);
    }
  }
  void type(Scope &scope, const ast::Expr *expr, bool bind) {
    if (!expr) return;
    if (auto *text = as<ast::StringExpr>(expr)) return dimensionText(scope, *text, bind);
    if (auto *name = as<ast::NameExpr>(expr)) return use(scope, name->name, name->span);
    if (auto *member = as<ast::AttributeExpr>(expr)) return attribute(scope, *member);
    for (const ast::Expr *child : ast::childrenOf(*expr).exprs) type(scope, child, bind);
  }
  void typeParameters(Scope &scope, const std::vector<ast::TypeParameter> &parameters, const ast::StructDef *structure) {
    for (const ast::TypeParameter &t : parameters) {
      uint32_t index = declare(scope, t.name.text, t.name.span, t.bound ? SymbolKind::DTypeParameter : SymbolKind::Dimension);
      names_.symbols_[index].structure = structure;
    }
  }

  // ---- uses
  void attribute(Scope &scope, const ast::AttributeExpr &expr) {
    this->expr(scope, *expr.object);
    const sema::Fact *fact = facts_.at(expr.object->span);
    if (!fact || !fact->structure) return;
    auto it = names_.members_.find({fact->structure, expr.attribute.text});
    if (it != names_.members_.end()) occurs(expr.attribute.span, it->second, UseKind::Read);
  }
  void keywords(Scope &scope, const ast::CallExpr &call) {
    auto *callee = as<ast::NameExpr>(call.callee);
    const uint32_t *symbol = callee ? find(scope, callee->name) : nullptr;
    const ast::FuncDef *function = symbol ? names_.symbols_[*symbol].function : nullptr;
    const ast::StructDef *structure = symbol ? names_.symbols_[*symbol].structure : nullptr;
    if (auto *member = as<ast::AttributeExpr>(call.callee)) {
      const sema::Fact *fact = facts_.at(member->object->span);
      auto it = fact && fact->structure ? names_.members_.find({fact->structure, member->attribute.text}) : names_.members_.end();
      if (it != names_.members_.end()) function = names_.symbols_[it->second].function;
    }
    for (const ast::Argument &argument : call.arguments) {
      if (!argument.keyword) continue;
      if (function) pending_.push_back({function, argument.keyword->text, argument.keyword->span});
      auto field = structure && !function ? names_.members_.find({structure, argument.keyword->text}) : names_.members_.end();
      if (field != names_.members_.end()) occurs(argument.keyword->span, field->second, UseKind::Read);
    }
  }
  void expr(Scope &scope, const ast::Expr &e) {
    switch (e.kind) {
    case ast::ExprKind::Name: return use(scope, static_cast<const ast::NameExpr &>(e).name, e.span);
    case ast::ExprKind::Attribute: return attribute(scope, static_cast<const ast::AttributeExpr &>(e));
    case ast::ExprKind::Lambda: return lambda(scope, static_cast<const ast::LambdaExpr &>(e));
    case ast::ExprKind::ListComp:
    case ast::ExprKind::SetComp:
    case ast::ExprKind::GeneratorComp:
    case ast::ExprKind::DictComp: return comprehension(scope, static_cast<const ast::ComprehensionExpr &>(e));
    case ast::ExprKind::Subscript: {
      auto &index = static_cast<const ast::SubscriptExpr &>(e);
      auto *name = as<ast::NameExpr>(index.object);
      if (name && (name->name == "Tensor" || name->name == "Const")) return type(scope, &e, false);
      break;
    }
    case ast::ExprKind::Call: keywords(scope, static_cast<const ast::CallExpr &>(e)); break;
    default: break;
    }
    for (const ast::Expr *child : ast::childrenOf(e).exprs) expr(scope, *child);
  }
  void lambda(Scope &scope, const ast::LambdaExpr &e) {
    Scope inner = within(scope, e.span);
    for (const ast::Parameter &p : e.parameters) {
      if (p.defaultValue) expr(scope, *p.defaultValue);
      declare(inner, p.name.text, p.name.span, SymbolKind::Parameter);
    }
    if (e.body) expr(inner, *e.body);
  }
  void comprehension(Scope &scope, const ast::ComprehensionExpr &e) {
    Scope inner = within(scope, e.span);
    for (const ast::ComprehensionFor &clause : e.clauses) {
      if (clause.iterable) expr(inner, *clause.iterable);
      declareTarget(inner, clause.target.get());
      for (const ast::ExprPtr &condition : clause.conditions) expr(inner, *condition);
    }
    if (e.key) expr(inner, *e.key);
    if (e.element) expr(inner, *e.element);
  }
  Scope within(Scope &scope, Span whole) {
    Scope inner;
    inner.parent = &scope;
    inner.function = scope.function;
    inner.region = region(whole, scope.function);
    return inner;
  }

  // ---- statements
  void block(Scope &scope, const ast::Block &body) {
    for (const ast::StmtPtr &s : body) stmt(scope, *s);
  }
  /// The statement at module level around an offset, its neighbours, and the functions whose parameters they name.
  void near(Scope &scope, const ast::Block &body, uint32_t offset) {
    auto after = std::upper_bound(body.begin(), body.end(), offset, [](uint32_t at, const ast::StmtPtr &s) { return at < s->span.begin; });
    std::set<const ast::Stmt *> read;
    auto take = [&](ast::Block::const_iterator it) {
      if (read.insert(it->get()).second) stmt(scope, **it);
    };
    if (after != body.begin()) take(std::prev(after));
    if (after != body.end()) take(after);
    std::vector<Pending> wanted = pending_;
    for (const Pending &keyword : wanted) {
      auto behind = std::upper_bound(body.begin(), body.end(), keyword.function->name.span.begin,
                                     [](uint32_t at, const ast::StmtPtr &s) { return at < s->span.begin; });
      if (behind != body.begin()) take(std::prev(behind));
    }
  }
  void stmt(Scope &scope, const ast::Stmt &s) {
    if (auto *def = as<ast::FuncDef>(&s)) return function(scope, *def);
    if (auto *def = as<ast::StructDef>(&s)) return structure(scope, *def);
    if (auto *assign = as<ast::AnnAssignStmt>(&s)) {
      if (assign->target && assign->target->kind != ast::ExprKind::Name) expr(scope, *assign->target);
      type(scope, assign->annotation.get(), false);
      if (assign->value) expr(scope, *assign->value);
      return;
    }
    ast::Children children = ast::childrenOf(s);
    for (const ast::Expr *e : children.exprs) expr(scope, *e);
    for (const ast::Stmt *inner : children.stmts) stmt(scope, *inner);
  }
  void function(Scope &scope, const ast::FuncDef &def) {
    for (const ast::Decorator &d : def.decorators)
      if (d.expression) expr(scope, *d.expression);
    Scope inner;
    inner.parent = &scope;
    inner.function = &def;
    inner.region = region(def.span, &def);
    typeParameters(inner, def.typeParameters, nullptr);
    for (const ast::Parameter &p : def.parameters) {
      uint32_t index = declare(inner, p.name.text, p.name.span, SymbolKind::Parameter);
      names_.symbols_[index].parameter = &p;
      parameters_.try_emplace({&def, p.name.text}, index);
    }
    for (const ast::Parameter &p : def.parameters) {
      type(inner, p.annotation.get(), true);
      if (p.defaultValue) expr(scope, *p.defaultValue);
    }
    type(inner, def.result.get(), true);
    declareBlock(inner, def.body);
    for (const ast::ExprPtr &fact : def.where) type(inner, fact.get(), false);
    if (def.effects)
      for (const ast::ExprPtr &effect : *def.effects) expr(inner, *effect);
    block(inner, def.body);
    if (scope.parent == nullptr) settle();
  }
  void structure(Scope &scope, const ast::StructDef &def) {
    Scope inner = within(scope, def.span);
    inner.structure = &def;
    typeParameters(inner, def.typeParameters, &def);
    for (const ast::StmtPtr &part : def.body) {
      if (auto *field = as<ast::AnnAssignStmt>(part)) {
        type(inner, field->annotation.get(), false);
        if (field->value) expr(scope, *field->value);
      } else if (auto *method = as<ast::FuncDef>(part)) {
        function(inner, *method);
      }
    }
    settle();
  }
  /// Keywords of calls, some of functions that come later in the text.
  void settle() {
    std::erase_if(pending_, [&](const Pending &keyword) {
      auto it = parameters_.find({keyword.function, keyword.name});
      if (it == parameters_.end()) return false;
      occurs(keyword.place, it->second, UseKind::Read);
      return true;
    });
  }

  struct Pending {
    const ast::FuncDef *function;
    std::string name;
    Span place;
  };
  Names &names_;
  const Sources &sources_;
  const sema::FactTable &facts_;
  std::vector<Pending> pending_;
  std::map<std::pair<const ast::FuncDef *, std::string>, uint32_t> parameters_;
};

Names Names::of(const ast::Module &module, const Sources &sources, const sema::FactTable &facts, std::optional<uint32_t> around) {
  Names names;
  NameResolver(names, sources, facts).module(module, around);
  return names;
}

const Occurrence *Names::at(uint32_t offset) const {
  auto after = std::upper_bound(occurrences_.begin(), occurrences_.end(), offset,
                                [](uint32_t at, const Occurrence &o) { return at < o.place.begin; });
  const Occurrence *touching = nullptr;
  for (auto it = after; it != occurrences_.begin();) {
    --it;
    if (offset < it->place.end) return &*it;
    if (offset == it->place.end) touching = &*it;
    if (after - it > 4) break;  // places do not hold each other
  }
  return touching;
}

std::vector<Occurrence> Names::of(uint32_t symbol) const {
  std::vector<Occurrence> found;
  for (const Occurrence &o : occurrences_)
    if (o.symbol == symbol) found.push_back(o);
  return found;
}

std::vector<uint32_t> Names::visibleAt(uint32_t offset) const {
  std::vector<uint32_t> found;
  std::map<std::string_view, bool> seen;
  for (auto it = regions_.rbegin(); it != regions_.rend(); ++it) {
    if (offset < it->whole.begin || offset > it->whole.end) continue;
    for (uint32_t symbol : it->symbols)
      if (seen.emplace(symbols_[symbol].name, true).second) found.push_back(symbol);
  }
  return found;
}

const ast::FuncDef *Names::functionAt(uint32_t offset) const {
  const ast::FuncDef *found = nullptr;
  for (const Region &region : regions_)
    if (region.function && region.whole.begin <= offset && offset <= region.whole.end) found = region.function;
  return found;
}

const Symbol *Names::member(const ast::StructDef *structure, const std::string &name) const {
  auto it = members_.find({structure, name});
  return it == members_.end() ? nullptr : &symbols_[it->second];
}

}  // namespace tessera::ide
