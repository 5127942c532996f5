// Completion and signature help.
#include "frontend/Walk.h"
#include "ide/Fit.h"
#include "sema/Builtins.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace tessera::ide {

using ast::as;
using sema::ValueKind;
using Item = Completion::Kind;

namespace {

Item itemOf(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Function:
  case SymbolKind::Kernel: return Item::Function;
  case SymbolKind::Method: return Item::Method;
  case SymbolKind::Struct: return Item::Struct;
  case SymbolKind::Field: return Item::Field;
  case SymbolKind::Dimension: return Item::Dimension;
  case SymbolKind::DTypeParameter: return Item::DType;
  case SymbolKind::Constant: return Item::Constant;
  case SymbolKind::Import: return Item::Module;
  case SymbolKind::Policy: return Item::Policy;
  default: return Item::Variable;
  }
}

class Completer {
public:
  Completer(const View &view, const Context &context, uint32_t offset, bool lazy)
      : view_(view), context_(context), offset_(offset), lazy_(lazy) {}

  std::vector<Completion> take() {
    switch (context_.kind) {
    case Context::Kind::None: break;
    case Context::Kind::Member: members(); break;
    case Context::Kind::Import: imports(); break;
    case Context::Kind::Decorator:
      for (const sema::BuiltinRow &row : sema::builtinRows())
        if (row.kind == sema::BuiltinKind::Decorator || row.kind == sema::BuiltinKind::Checkpoint)
          add({std::string(row.name), "decorator", "", "", Item::Function, "0"});
      add({"verify.numerics", "decorator", "", "", Item::Function, "0"});
      break;
    case Context::Kind::Policy: policies(); break;
    case Context::Kind::Name:
      keywordArguments();
      names();
      break;
    }
    return std::move(items_);
  }

private:
  void add(Completion item) {
    if (isWanted(item.label) && seen_.insert(item.label).second) items_.push_back(std::move(item));
  }
  bool isWanted(std::string_view label) const {
    std::string_view typed = context_.word;
    for (char c : label)
      if (!typed.empty() &&
          std::tolower(static_cast<unsigned char>(c)) == std::tolower(static_cast<unsigned char>(typed.front())))
        typed.remove_prefix(1);
    return typed.empty();
  }
  /// `text`: gives its CallableText, which takes longer than all the rest.
  template <class Text> void addCallable(std::string_view name, Item kind, const std::string &sort, const Text &text) {
    if (!isWanted(name) || seen_.count(name)) return;
    Completion item{std::string(name), "", "", "", kind, sort};
    if (!lazy_) {
      CallableText known = text();
      item.detail = std::move(known.label), item.doc = std::move(known.doc);
    }
    add(std::move(item));
  }
  /// What fits comes before what may, what does not behind all others of its kind.
  static std::string sorted(const std::string &sort, Fit fit) {
    return fit == Fit::Fits ? sort + "!" : fit == Fit::Not ? sort + "~" : sort;
  }
  void addFunctions(const ast::Module &module, Item kind, const std::string &sort) {
    for (const ast::StmtPtr &stmt : module.body) {
      if (auto *def = as<ast::FuncDef>(stmt); def && def->name.text[0] != '_')
        addCallable(def->name.text, kind, sorted(sort, kind == Item::Method ? fitOfMethod(*def) : Fit::Unknown),
                    [&] { return callableOf(*def, view_.sources, kind == Item::Method); });
      if (auto *def = as<ast::StructDef>(stmt); def && kind == Item::Function)
        addCallable(def->name.text, Item::Struct, sort, [&] { return callableOf(*def, view_.sources); });
      auto *assign = as<ast::AssignStmt>(stmt);
      auto *name = assign && kind == Item::Function ? as<ast::NameExpr>(assign->targets[0]) : nullptr;
      if (name && name->name[0] != '_') add({name->name, "", "", "", Item::Constant, sort});
    }
  }
  void addPrelude(Item kind, const std::string &sort) {
    for (const ast::Module *part : view_.prelude) addFunctions(*part, kind, sort);
  }
  void addBuiltins(char place, Item kind, const std::string &sort) {
    const ast::FuncDef *def = view_.names.functionAt(scopeOffset());
    bool kernel = def && isKernel(*def);
    bool host = def && def->name.text == "main";
    for (const sema::BuiltinRow &row : sema::builtinRows()) {
      bool here = row.places.find(place) != std::string_view::npos && row.kind != sema::BuiltinKind::Unsupported;
      if (row.places.find('H') != std::string_view::npos && kernel) here = false;
      if (row.kind == sema::BuiltinKind::Decorator || (row.places.find('K') != std::string_view::npos && host))
        here = false;
      if (!here) continue;
      const Fit fit = place == 'M' && object_ ? fitOf(row, *object_) : Fit::Unknown;
      addCallable(row.name, kind, sorted(sort, fit), [&] { return callableOf(row, kind == Item::Method); });
    }
  }
  /// A function of the library as a method of the object.
  Fit fitOfMethod(const ast::FuncDef &def) const {
    Solved solved;
    if (!object_ || def.parameters.empty()) return Fit::Unknown;
    return fitOf(def.parameters[0].annotation.get(), *object_, solved);
  }
  void properties(std::initializer_list<std::pair<const char *, const char *>> list) {
    for (const auto &[name, detail] : list) add({name, detail, "", "", Item::Property, "0"});
  }

  void members() {
    const sema::Fact *fact = object_ = view_.facts.at(context_.object);
    if (!fact) return;
    switch (fact->kind) {
    case ValueKind::Array:
    case ValueKind::View: {
      std::string shape = shapeText(fact->type.shape);
      add({"shape", shape, "", "", Item::Property, "0"});
      add({"dtype", std::string(name(fact->type.dtype)), "", "", Item::Property, "0"});
      add({"ndim", std::to_string(fact->type.shape.size()), "", "", Item::Property, "0"});
      std::vector<Dim> reversed(fact->type.shape.rbegin(), fact->type.shape.rend());
      add({"T", shapeText(reversed), "The dimensions in reversed order.", "", Item::Property, "0"});
      properties({{"size", "number of elements"}});
      addBuiltins('M', Item::Method, "1");
      addPrelude(Item::Method, "2");
      break;
    }
    case ValueKind::Shared: properties({{"shape", ""}, {"dtype", ""}, {"ndim", ""}, {"size", ""}}); break;
    case ValueKind::HostTensor: properties({{"shape", "known when it runs"}, {"ndim", ""}}); break;
    case ValueKind::Context:
      properties({{"m", "rows of a tile"},
                  {"n", "columns of a tile"},
                  {"k", "depth of a tile"},
                  {"warps", ""},
                  {"stages", ""},
                  {"vector", ""},
                  {"split_k", ""}});
      break;
    case ValueKind::State:
      properties({{"k", ""}, {"v", ""}, {"length", ""}}), addBuiltins('S', Item::Method, "1");
      break;
    case ValueKind::Rng: addBuiltins('R', Item::Method, "0"); break;
    case ValueKind::Schedule:
      for (const char *name : {"with_block", "with_k", "with_warps", "with_stages", "with_vector", "with_swizzle",
                               "with_cluster", "with_split_k", "with_order"})
        add({name, "", "", "", Item::Method, "0"});
      break;
    case ValueKind::DType: properties({{"max", ""}, {"min", ""}}); break;
    case ValueKind::Function: properties({{"with_schedule", "of a kernel"}}); break;
    case ValueKind::Struct: structMembers(*fact); break;
    case ValueKind::Module: moduleMembers(*fact); break;
    default: break;
    }
  }
  void structMembers(const sema::Fact &fact) {
    if (!fact.structure) return;
    for (const ParameterText &field : callableOf(*fact.structure, view_.sources).parameters)
      add({field.name, field.text, "", "", Item::Field, "0"});
    for (const ast::StmtPtr &part : fact.structure->body)
      if (auto *method = as<ast::FuncDef>(part)) {
        CallableText text = callableOf(*method, view_.sources, true);  // describe() does not know whose it is
        add({text.name, text.label, text.doc, "", Item::Method, "1"});
      }
  }
  void moduleMembers(const sema::Fact &fact) {
    if (fact.module) return addFunctions(*fact.module, Item::Function, "0");
    bool tile = fact.text == "tile";
    addBuiltins(tile ? 'T' : 'P', Item::Function, "0");
    addPrelude(Item::Function, "1");
    if (tile) return;
    for (const char *module : {"tile", "nn"}) add({module, "module", "", "", Item::Module, "2"});
  }
  void imports() {
    if (context_.module == "tessera" || context_.module == "tessera.tile") {
      addBuiltins(context_.module == "tessera" ? 'P' : 'T', Item::Function, "1");
      if (context_.module == "tessera")
        for (const char *module : {"tile", "nn"}) add({module, "module", "", "", Item::Module, "0"});
    }
    bool library = context_.module.starts_with("tessera");
    if (library) addPrelude(Item::Function, "2");
  }
  void policies() {
    for (const auto &[name, insert] :
         std::initializer_list<std::pair<const char *, const char *>>{{"accum", "accum(f32)"},
                                                                      {"compute", "compute(f32)"},
                                                                      {"saturate", "saturate"},
                                                                      {"round", "round(\"nearest_even\")"},
                                                                      {"stochastic_round", "stochastic_round"},
                                                                      {"round_at", "round_at(each_op)"},
                                                                      {"loss_scale", "loss_scale(1024)"},
                                                                      {"per_channel", "per_channel(0)"},
                                                                      {"denormals", "denormals(flush)"},
                                                                      {"fast_sums", "fast_sums"}})
      add({name, "numerics policy", "", insert, Item::Policy, "0"});
    for (const Symbol &symbol : view_.names.symbols())
      if (symbol.kind == SymbolKind::Policy) add({symbol.name, "policy of this file", "", "", Item::Policy, "0"});
  }

  void keywordArguments() {
    if (!context_.callee.valid()) return;
    std::optional<CallableText> callee = calleeOf(view_, context_);
    if (!callee) return;
    for (size_t i = 0; i < callee->parameters.size(); ++i) {
      const ParameterText &p = callee->parameters[i];
      bool given = std::find(context_.keywords.begin(), context_.keywords.end(), p.name) != context_.keywords.end();
      if (given || p.many || p.name.empty() || i < context_.argument) continue;
      add({p.name + "=", p.text, "", "", Item::Property, "0"});
    }
  }

  /// A blank line at the end of a body belongs to it as far as it is indented.
  uint32_t scopeOffset() const {
    if (view_.names.functionAt(offset_)) return offset_;
    const std::string &text = view_.text();
    size_t begin = offset_ == 0 ? 0 : text.rfind('\n', offset_ - 1) + 1;
    if (begin >= text.size() || (text[begin] != ' ' && text[begin] != '\t')) return offset_;
    size_t before = begin == 0 ? std::string::npos : text.find_last_not_of(" \t\r\n", begin - 1);
    return before == std::string::npos ? offset_ : static_cast<uint32_t>(before);
  }

  /// Whether a value fits where the cursor stands: beside the operand before, or as the argument that is being typed.
  Fit fitHere(const sema::Fact &value) {
    if (context_.op) return left_ ? fitOf(*context_.op, *left_, value) : Fit::Unknown;
    if (!expected_) return Fit::Unknown;
    Solved solved = solved_;
    return fitOf(expected_, value, solved);
  }
  /// What the place of the cursor asks for.
  void expect() {
    if (context_.op) {
      left_ = valueBefore(view_, context_.operand);
      return;
    }
    std::optional<CallableText> callee = context_.callee.valid() ? calleeOf(view_, context_) : std::nullopt;
    std::optional<size_t> parameter = callee ? parameterAt(context_, *callee) : std::nullopt;
    if (!parameter) return;
    expected_ = callee->parameters[*parameter].type;
    if (expected_) solved_ = solvedBy(view_, context_, *callee);
  }

  void names() {
    expect();
    uint32_t at = scopeOffset();
    for (uint32_t index : view_.names.visibleAt(at)) {
      const Symbol &symbol = view_.names.symbols()[index];
      if (!isWanted(symbol.name)) continue;
      bool later = symbol.owner && symbol.kind == SymbolKind::Variable && symbol.definition.begin >= context_.wordBegin;
      if (later) continue;
      const sema::Fact *fact = symbol.function ? nullptr : valueBefore(view_, index, offset_);
      if (!fact && !symbol.function) fact = view_.facts.at(symbol.definition);
      const bool described = symbol.function && (!lazy_ || symbol.owner);
      std::string detail = described ? signatureText(*symbol.function, view_.sources) : fact ? typeText(*fact) : "";
      if (detail.empty() && symbol.parameter && symbol.parameter->annotation)
        detail = std::string(view_.text(symbol.parameter->annotation->span));
      std::string doc = described ? docOf(symbol.function->body) : "";
      Item kind = itemOf(symbol.kind);
      if (symbol.kind == SymbolKind::Import && fact && fact->kind == ValueKind::Function) kind = Item::Function;
      const Fit fit = fact && !symbol.function ? fitHere(*fact) : Fit::Unknown;
      add({symbol.name, detail, doc, "", kind, fit == Fit::Fits ? "!" : sorted(symbol.owner ? "1" : "2", fit)});
    }
    add({"tile", "module", "", "", Item::Module, "3"});
    addBuiltins('P', Item::Function, "4");
    addPrelude(Item::Function, "4");
    for (std::string_view dtype : dtypeNames()) add({std::string(dtype), "dtype", "", "", Item::DType, "5"});
    for (const char *type : {"Tensor", "Const", "Int"}) add({type, "type", "", "", Item::Struct, "3"});
    for (const char *word : {"def",   "struct",   "policy", "import", "from", "return", "if",    "elif",    "else",
                             "for",   "while",    "in",     "not",    "and",  "or",     "where", "effects", "pass",
                             "break", "continue", "assert", "lambda", "with", "True",   "False", "None"})
      add({word, "", "", "", Item::Keyword, "6"});
  }

public:
  static std::optional<CallableText> calleeOf(const View &view, const Context &context) {
    std::string name(view.text(context.callee));
    const sema::Fact *fact = view.facts.at(context.callee);
    if (!fact) {
      for (const Symbol &symbol : view.names.symbols())  // of this file, where it could not be checked
        if (symbol.name == name && !symbol.owner) {
          if (symbol.function) return callableOf(*symbol.function, view.sources, false);
          if (symbol.kind == SymbolKind::Struct && symbol.structure) return callableOf(*symbol.structure, view.sources);
        }
      if (const sema::BuiltinRow *row = sema::builtinByName(name, 'P')) return callableOf(*row, false);
      return std::nullopt;
    }
    bool method = fact->kind == ValueKind::Method;
    if (fact->builtin) return callableOf(*fact->builtin, method);
    if (fact->function) return callableOf(*fact->function, view.sources, method);
    if (fact->kind == ValueKind::StructType && fact->structure) return callableOf(*fact->structure, view.sources);
    return std::nullopt;
  }

private:
  const View &view_;
  const Context &context_;
  uint32_t offset_;
  bool lazy_;
  const sema::Fact *left_ = nullptr;     // of the operator before the cursor
  const ast::Expr *expected_ = nullptr;  // the type of the argument at the cursor
  Solved solved_;
  const sema::Fact *object_ = nullptr;  // whose members are sought
  std::vector<Completion> items_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace

std::vector<Completion> completionsOf(const View &view, const Context &context, uint32_t offset, bool lazy) {
  return Completer(view, context, offset, lazy).take();
}

void describe(const View &view, Completion &item) {
  const bool method = item.kind == Item::Method;
  auto take = [&](const CallableText &text) { item.detail = text.label, item.doc = text.doc; };
  auto inModule = [&](const ast::Module &module) {
    for (const ast::StmtPtr &stmt : module.body) {
      if (auto *def = as<ast::FuncDef>(stmt); def && def->name.text == item.label)
        return take(callableOf(*def, view.sources, method)), true;
      if (auto *def = as<ast::StructDef>(stmt); def && def->name.text == item.label)
        return take(callableOf(*def, view.sources)), true;
    }
    return false;
  };
  if (!method && inModule(view.module)) return;
  for (char place : std::string_view(method ? "MSR" : "PT"))
    if (const sema::BuiltinRow *row = sema::builtinByName(item.label, place)) return take(callableOf(*row, method));
  for (const ast::Module *part : view.prelude)
    if (inModule(*part)) return;
}

std::optional<SignatureHelp> signatureHelp(const View &view, const Context &context) {
  if (!context.callee.valid()) return std::nullopt;
  std::optional<CallableText> callee = Completer::calleeOf(view, context);
  if (!callee) return std::nullopt;
  SignatureHelp help;
  help.label = callee->label;
  help.doc = callee->doc;
  size_t from = std::min(help.label.find('('), help.label.size());
  for (const ParameterText &p : callee->parameters) {
    size_t at = help.label.find(p.text, from);
    if (at == std::string::npos) at = from;
    size_t end = at == from && help.label.compare(at, p.text.size(), p.text) != 0 ? at : at + p.text.size();
    help.parameters.push_back({at, end});
    from = end;
  }
  const Solved solved = solvedBy(view, context, *callee);
  for (const ParameterText &p : callee->parameters) help.here.push_back(typeHere(view, p.type, solved));
  help.active = context.argument;
  for (size_t i = 0; i < callee->parameters.size(); ++i) {
    if (!context.keyword.empty() && callee->parameters[i].name == context.keyword) help.active = i;
    if (context.keyword.empty() && callee->parameters[i].many && context.argument >= i) help.active = i;
  }
  return help;
}

}  // namespace tessera::ide
