// Structs: their definitions, their values, and changing a field by making a new value.
#include "frontend/Walk.h"
#include "sema/Arguments.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/calls/Models.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/policies/Policies.h"
#include "sema/trace/Trace.h"
#include "sema/types/Fields.h"
#include "sema/types/Types.h"
#include "support/LinearDim.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

using ast::as;

// ---------------------------------------------------------------- definitions

static void structMethod(Context &cx, StructInfo &info, const ast::FuncDef &method);

Value structValue(Context &cx, ModuleScope &scope, const ast::StructDef &def) {
  cx.structs.push_back({});
  StructInfo &info = cx.structs.back();
  info.name = def.name.text;
  info.nameSpan = def.name.span;
  info.def = &def;
  info.module = &scope;
  for (const ast::Decorator &decorator : def.decorators) {
    if (as<ast::NameExpr>(decorator.expression) && decoratorName(cx, *decorator.expression) == "state") {
      info.isState = true;
      continue;
    }
    std::string shown(cx.sources.text(decorator.expression->span));
    if (!fresh(cx, Id::badDecorator, decorator.span)) continue;
    std::string_view text = cx.sources.file(decorator.span.file).text;
    uint32_t end = decorator.span.end;
    while (end < text.size() && (text[end] == '\n' || text[end] == ' ')) ++end;
    report(cx, Id::badDecorator, decorator.span, shown, "has no meaning for a struct")
        .help("a struct holds values; what is compiled, and how, is said at functions. `@state` says that an update "
              "uses the old value up")
        .suggest({decorator.span.file, decorator.span.begin, end}, "", "leave it out");
  }
  std::map<std::string, Span> seen;
  auto isNew = [&](const ast::Identifier &name) {
    auto [it, added] = seen.emplace(name.text, name.span);
    if (!added) report(cx, Id::definedTwice, name.span, name.text).note(it->second, "the first definition is here");
    return added;
  };
  for (const ast::StmtPtr &stmt : def.body) {
    if (auto *field = as<ast::AnnAssignStmt>(stmt); field && as<ast::NameExpr>(field->target)) {
      auto *name = as<ast::NameExpr>(field->target);
      if (!field->value && !info.fields.empty() && info.fields.back().defaultValue)
        report(cx, Id::badField, name->span, "the field `" + name->name + "` has no default, but one before it has")
            .note(info.fields.back().span, "fields are given in order: those without a default come first");
      if (isNew({name->name, name->span}))
        info.fields.push_back({name->name, field->annotation.get(), field->value.get(), name->span});
    } else if (auto *method = as<ast::FuncDef>(stmt)) {
      if (isNew(method->name)) structMethod(cx, info, *method);
    } else if (auto *plain = as<ast::AssignStmt>(stmt); plain && as<ast::NameExpr>(plain->targets[0])) {
      auto *name = as<ast::NameExpr>(plain->targets[0]);
      auto builder = report(cx, Id::badField, stmt->span, "`" + name->name + "` has no type");
      auto *index = as<ast::SubscriptExpr>(plain->value);
      if (index && plain->targets.size() == 1 && typeNamed(cx, *index->object).kind == ValueKind::TypeName) {
        Span between{name->span.file, name->span.end, plain->value->span.begin};
        builder.fix(between, ": ", "a type stands behind a colon");
        if (isNew({name->name, name->span})) info.fields.push_back({name->name, index, nullptr, name->span});
      } else {
        builder.help("a field is written `" + name->name + ": f32 = ...`");
      }
    } else if (auto *text = as<ast::ExprStmt>(stmt);
               stmt->kind != ast::StmtKind::Pass && stmt->kind != ast::StmtKind::Error &&
               !(text &&
                 (text->value->kind == ast::ExprKind::String || text->value->kind == ast::ExprKind::Ellipsis))) {
      report(cx, Id::badField, stmt->span, "a struct holds fields, `name: type`, and methods");
      if (auto *name = text ? as<ast::NameExpr>(text->value) : nullptr) info.lost = name->name;
    }
  }
  return structTypeOf(info);
}

/// Whether a name is mentioned in statements.
static bool mentionsIn(const ast::Block &block, const std::string &name) {
  return std::any_of(block.begin(), block.end(), [&](const ast::StmtPtr &stmt) {
    const auto exprs = ast::childrenOf(*stmt).exprs;
    const auto blocks = ast::blocksOf(*stmt);
    return std::any_of(exprs.begin(), exprs.end(), [&](const ast::Expr *e) { return mentions(*e, name); }) ||
           std::any_of(blocks.begin(), blocks.end(), [&](const ast::Block *inner) { return mentionsIn(*inner, name); });
  });
}

static void structMethod(Context &cx, StructInfo &info, const ast::FuncDef &method) {
  const ast::Parameter *first = method.parameters.empty() ? nullptr : &method.parameters[0];
  bool other = first && first->annotation && first->name.text != "self" && !mentions(*first->annotation, info.name);
  for (const ast::Decorator &decorator : method.decorators)
    if (decoratorName(cx, *decorator.expression) ==
        "staticmethod") {  // there are none, so what it would be is not known
      info.methods[method.name.text] = nullptr;
      return decoratorNames(cx, method);
    }
  if ((!first || first->name.text != "self") && (method.name.text == "init" || ((!first || other) && method.result && mentions(*method.result, info.name))) && !mentionsIn(method.body, "self")) {
    refuseInnerTest(cx, method);
    Value made = functionValue(cx, *info.module, method);
    for (Callable &c : cx.callables)
      if (&c == made.callable) c.structure = c.makes = &info, c.isTest = false;
    info.methods[method.name.text] = made.callable;
    return;
  }
  if (!first || first->kind != ast::ParameterKind::Plain || other) {
    auto builder = report(cx, Id::badField, method.name.span,
                          "the method `" + method.name.text + "` has no parameter for its struct");
    builder.help("its first parameter is the struct itself: `def " + method.name.text + "(self)`");
    uint32_t behind = method.name.span.end;
    for (const ast::TypeParameter &t : method.typeParameters) behind = (t.bound ? t.bound->span : t.name.span).end;
    size_t open = cx.sources.file(method.span.file).text.find('(', behind);
    uint32_t at = first ? first->span.begin : static_cast<uint32_t>(open) + 1;
    if (first || open != std::string_view::npos)
      builder.fix({method.span.file, at, at}, first ? "self, " : "self", "write it");
    info.methods[method.name.text] = nullptr;  // there is one, but nothing is known of it
    return;
  }
  if (method.name.text == "__init__") {
    unsupported(cx, "`__init__` of a struct", method.name.span,
                "a struct is made by naming its fields, `" + info.name + "(w=w, b=b)`; a function that returns one may compute them");
    info.methods[method.name.text] = nullptr;
    return;
  }
  refuseInnerTest(cx, method);
  Value made = functionValue(cx, *info.module, method);
  for (Callable &c : cx.callables)
    if (&c == made.callable) c.structure = &info, c.isTest = false;
  info.methods[method.name.text] = made.callable;
}

/// Dimensions in the fields of a struct without type parameters that are no names of its module, nor nearly such.
static std::vector<const ast::NameExpr *> undeclaredDimensions(const StructInfo &info, const Sources &sources) {
  std::vector<const ast::NameExpr *> found;
  if (!info.def->typeParameters.empty()) return found;
  std::vector<std::string_view> known;
  for (const auto &[name, value] : info.module->names) known.push_back(name);
  std::set<std::string> seen;
  for (const StructField &field : info.fields)
    for (const ast::Expr *alternative : alternativesOf(*field.type)) {
      auto *tensor = as<ast::SubscriptExpr>(alternative);
      if (!tensor || sources.text(tensor->object->span) != "Tensor") continue;
      for (size_t i = 0; i + 1 < tensor->items.size(); ++i) {  // the last one is the dtype
        auto *name = as<ast::NameExpr>(tensor->items[i].value);
        if (!name || info.module->names.count(name->name) || !diag::didYouMean(name->name, known).empty()) continue;
        if (seen.insert(name->name).second) found.push_back(name);
      }
    }
  return found;
}

/// The shapes of the arrays in a type.
static void collectExtents(const DeclaredType &type, std::vector<std::vector<Dim>> &shapes) {
  if (!type.plain.shape.empty()) shapes.push_back(type.plain.shape);
  for (const DeclaredType &item : type.items) collectExtents(item, shapes);
}

void checkStruct(Context &cx, const StructInfo &info) {
  if (structRecursion(cx, info)) return;
  std::string missing;
  const ast::Expr *first = nullptr;
  for (const ast::NameExpr *name : undeclaredDimensions(info, cx.sources)) {
    if (!lookupName(cx, name->name, name->span, true).isPoison()) continue;
    missing += (first ? ", " : "") + name->name;
    if (!first) first = name;
  }
  if (first && fresh(cx, Id::undefinedName, first->span)) {
    info.recursive = true;
    Span behind{info.nameSpan.file, info.nameSpan.end, info.nameSpan.end};
    report(cx, Id::undefinedName, first->span, as<ast::NameExpr>(first)->name)
        .help("a struct declares its dimensions behind its name")
        .suggest(behind, "[" + missing + "]", "declare them");
    return;
  }
  StructInstance open;
  open.info = &info;
  std::set<std::string> used;
  std::vector<std::vector<Dim>> extents;
  for (const ast::TypeParameter &t : info.def->typeParameters) typeParameterBound(cx, t);
  for (const ast::TypeParameter &t : info.def->typeParameters)
    if (isDTypeParameter(cx, t)) open.dtypes[t.name.text] = {};
    else open.dims[t.name.text] = Dim::var(t.name.text);
  std::shared_ptr<Frame> caller = cx.function.frame;
  cx.function.frame = structFrame(cx, open);
  size_t failed = cx.failures;
  for (const StructField &field : info.fields)
    for (const ast::Expr *alternative : alternativesOf(*field.type)) {
      if (alternative->kind == ast::ExprKind::None) continue;
      auto type = declaredType(cx, *alternative, field.name);
      if (type) collectDims(*type, used), collectExtents(*type, extents);
      used.insert(std::string(cx.sources.text(alternative->span)));  // `x: T`
      if (auto *tensor = as<ast::SubscriptExpr>(alternative))
        for (const ast::Argument &item : tensor->items) used.insert(std::string(cx.sources.text(item.value->span)));
    }
  cx.function.frame = caller;
  info.recursive |= exhausted(cx);
  if (cx.failures != failed) return;
  for (const SolvedExtent &solved : solvedExtents(extents, used)) used.insert(solved.extent.variable);
  for (const ast::TypeParameter &t : info.def->typeParameters)
    if (!used.count(t.name.text))
      report(cx, Id::unboundDimension, t.name.span, t.name.text)
          .help("some field of `" + info.name + "` must have it as a dimension or dtype of its own, or in an expression whose other variables are given");
}

void collectDims(const DeclaredType &type, std::set<std::string> &names) {
  for (const Dim &d : type.plain.shape)
    if (d.isVar()) names.insert(d.varName());
  for (const DeclaredType &item : type.items) collectDims(item, names);
}

bool isDTypeParameter(const Context &cx, const ast::TypeParameter &parameter) {
  return parameter.bound && cx.sources.text(parameter.bound->span) == "dtype";
}

bool typeParameterBound(Context &cx, const ast::TypeParameter &parameter) {
  if (!parameter.bound || isDTypeParameter(cx, parameter) || cx.sources.text(parameter.bound->span) == "Int")
    return true;
  if (!fresh(cx, Id::notAType, parameter.bound->span)) return false;
  std::string bound(cx.sources.text(parameter.bound->span));
  auto builder = report(cx, Id::notAType, parameter.bound->span, "`" + bound + "`");
  builder.help("a type parameter is a dimension, `" + parameter.name.text + "`, or a dtype, `" + parameter.name.text +
               ": dtype`");
  std::string near(diag::didYouMean(bound, {"dtype", "Int"}));
  if (bound == "int")
    builder.fix({parameter.name.span.file, parameter.name.span.end, parameter.bound->span.end}, "",
                "a dimension is an integer without saying so");
  else if (!near.empty()) builder.fix(parameter.bound->span, near, "write `" + near + "`");
  return false;
}

bool structRecursion(Context &cx, const StructInfo &info) {
  if (info.recursive) return true;
  std::vector<const StructInfo *> open;
  std::function<bool(const StructInfo &)> reaches = [&](const StructInfo &at) {
    if (std::find(open.begin(), open.end(), &at) != open.end()) return false;
    open.push_back(&at);
    for (const StructField &field : at.fields) {
      bool found = false;
      std::function<void(const ast::Expr &)> names = [&](const ast::Expr &e) {
        if (auto *index = as<ast::SubscriptExpr>(&e)) {
          names(*index->object);
          for (const ast::Argument &item : index->items) names(*item.value);
        } else if (auto *stack = as<ast::StackExpr>(&e)) {
          names(*stack->item);
        } else if (auto *binary = as<ast::BinaryExpr>(&e)) {
          names(*binary->left), names(*binary->right);
        } else if (auto *name = as<ast::NameExpr>(&e)) {
          auto it = at.module->names.find(name->name);
          if (it == at.module->names.end() || it->second.kind != ValueKind::StructType) return;
          const StructInfo &inner = *it->second.instance->info;
          found |= &inner == &info || reaches(inner);
        }
      };
      names(*field.type);
      if (found && &at == &info && !info.recursive) {
        for (const StructInfo *on : open) on->recursive = true;
        report(cx, Id::recursiveStruct, field.span, info.name)
            .label("this field holds another `" + info.name + "`")
            .help("the fields of a struct are known when the program is compiled: use a tensor with one more "
                  "dimension, or a tuple of structs");
      }
      if (found) return true;
    }
    return false;
  };
  return reaches(info);
}

std::shared_ptr<Frame> structFrame(Context &cx, const StructInstance &instance) {
  auto frame = std::make_shared<Frame>();
  frame->module = instance.info->module;
  frame->inlined = true;
  frame->conditionDepth = cx.function.conditionDepth;
  frame->dims = instance.dims;
  for (const ast::TypeParameter &t : instance.info->def->typeParameters)
    (isDTypeParameter(cx, t) ? frame->dtypeGenerics : frame->generics).insert(t.name.text);
  for (const auto &[name, type] : instance.dtypes) {
    Binding binding;
    binding.value = Value::dtype(type.dtype, type.numerics);
    frame->names[name] = std::move(binding);
  }
  return frame;
}

std::string instanceText(const Context &cx, const StructInstance &instance) {
  std::string text;
  for (const ast::TypeParameter &t : instance.info->def->typeParameters) {
    std::string argument = "?";
    if (auto it = instance.dims.find(t.name.text); it != instance.dims.end()) argument = show(cx, it->second);
    if (auto it = instance.dtypes.find(t.name.text); it != instance.dtypes.end())
      argument = std::string(name(it->second.dtype));
    text += (text.empty() ? "" : ", ") + argument;
  }
  text = instance.info->name + (text.empty() ? "" : "[" + text + "]");
  for (auto count = instance.stack.rbegin(); count != instance.stack.rend(); ++count)
    text = "[" + text + "; " + show(cx, *count) + "]";
  return text;
}

std::shared_ptr<const StructInstance> instantiate(Context &cx, const StructInfo &info, const ast::SubscriptExpr &expr) {
  const auto &parameters = info.def->typeParameters;
  if (expr.items.size() != parameters.size()) {
    std::string names;
    for (const ast::TypeParameter &t : parameters) names += (names.empty() ? "" : ", ") + t.name.text;
    for (const ast::NameExpr *name : undeclaredDimensions(info, cx.sources))
      if (builtinMember(cx, "", name->name).isPoison()) {  // that is said of the struct
        ++cx.failures;
        return nullptr;
      }
    if (fresh(cx, Id::typeArguments, expr.span)) {
      auto builder = report(cx, Id::typeArguments, expr.span, info.name, parameters.size(), expr.items.size());
      builder.note(info.nameSpan,
                   parameters.empty() ? "it has no type parameters" : "it is declared with [" + names + "]");
      if (expr.items.empty())
        builder.suggest({expr.span.file, expr.span.end - 1, expr.span.end - 1}, names, "give it `" + names + "`");
    }
    return nullptr;
  }
  auto made = std::make_shared<StructInstance>();
  made->info = &info;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Argument &item = expr.items[i];
    if (isDTypeParameter(cx, parameters[i])) {
      Type type;
      if (!dtypeItem(cx, *item.value, type)) return nullptr;
      made->dtypes[parameters[i].name.text] = type;
      continue;
    }
    auto dim = dimOf(cx, *item.value, cx.bindDims);
    if (!dim) return nullptr;
    made->dims[parameters[i].name.text] = *dim;
  }
  return made;
}

// ---------------------------------------------------------------- values

void unknownField(Context &cx, const StructInfo &info, const std::string &name, Span span, bool methodsToo,
                  const std::vector<std::string_view> &missing) {
  if (name == info.lost) {
    ++cx.failures;
    return;
  }
  if (!fresh(cx, Id::unknownField, span)) return;
  std::vector<std::string_view> names;
  for (const StructField &field : info.fields) names.push_back(field.name);
  if (methodsToo)
    for (const auto &[method, callable] : info.methods) names.push_back(method);
  auto builder = report(cx, Id::unknownField, span, info.name, name);
  builder.note(info.nameSpan, "`" + info.name + "` is declared here");
  if (auto near = nearArgument(name, names, missing); !near.empty()) {
    builder.help("did you mean `" + std::string(near) + "`?");
    if (cx.sources.text(span) == name && diag::didYouMean(name, names).empty())
      builder.suggest(span, std::string(near), "write `" + std::string(near) + "`");
    else if (cx.sources.text(span) == name) builder.fix(span, std::string(near), "write `" + std::string(near) + "`");
  } else if (std::string words = methodsToo ? wordsOfMethod(name) : ""; !words.empty()) {
    builder.help(words);
  } else {
    std::string all;
    for (std::string_view one : names) all += (all.empty() ? "it has `" : ", `") + std::string(one) + "`";
    if (!all.empty()) builder.help(all);
  }
}

/// The arguments of `Block(...)` by field; false after a message.
static bool bindFields(Context &cx, const StructInfo &info, GivenList &args, Span span, std::vector<Value> &values,
                       std::vector<Span> &spans) {
  values.assign(info.fields.size(), Value::of(ValueKind::Absent));
  spans.assign(info.fields.size(), span);
  bool ok = true;
  size_t next = 0;
  for (Given &arg : args) {
    ok &= !arg.value.isPoison();
    size_t at = next;
    if (!arg.keyword.empty()) {
      at = std::find_if(info.fields.begin(), info.fields.end(),
                        [&](const StructField &f) { return f.name == arg.keyword; }) -
           info.fields.begin();
      if (at == info.fields.size()) {
        std::vector<std::string_view> missing;
        for (size_t i = 0; i < info.fields.size(); ++i)
          if (!values[i].given() && std::none_of(args.begin(), args.end(), [&](const Given &a) { return a.keyword == info.fields[i].name; }))
            missing.push_back(info.fields[i].name);
        unknownField(cx, info, arg.keyword, arg.keywordSpan, false, missing);
        ok = false;
        continue;
      }
    } else if (next++ == info.fields.size()) {
      report(cx, Id::tooManyArguments, arg.span, info.name,
             std::to_string(info.fields.size()) + (info.fields.size() == 1 ? " field" : " fields"),
             std::to_string(args.size()))
          .note(info.nameSpan, "declared here");
      return false;
    }
    if (values[at].given()) {
      report(cx, Id::argumentTwice, arg.span, info.name, info.fields[at].name);
      ok = false;
      continue;
    }
    values[at] = std::move(arg.value);
    spans[at] = arg.span;
  }
  if (!ok) return false;
  std::string missing;
  const StructField *first = nullptr;
  for (size_t i = 0; i < info.fields.size(); ++i)
    if (!values[i].given() && !info.fields[i].defaultValue) {
      missing += (first ? ", `" : "`") + info.fields[i].name + "`";
      if (!first) first = &info.fields[i];
    }
  if (!first) return true;
  report(cx, Id::missingField, span, info.name, missing).note(first->span, "declared here, without a default");
  return false;
}

Value constructStruct(Context &cx, const Value &type, GivenList args, Span span) {
  const StructInfo &info = *type.instance->info;
  if (info.recursive) return Value::poison();
  if (!type.instance->stack.empty()) return constructStack(cx, type, args, span);
  std::vector<Value> values;
  std::vector<Span> spans;
  if (!bindFields(cx, info, args, span, values, spans)) return Value::poison();
  std::shared_ptr<Frame> caller = cx.function.frame;
  cx.function.frame = structFrame(cx, *type.instance);
  for (auto &[name, dim] : cx.function.frame->dims)
    cx.function.frame->dimOrigins[name] = {span, "these type arguments"};
  bool ok = true;
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].given()) values[i] = checkExpr(cx, *info.fields[i].defaultValue);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = tensorOfList(cx, std::move(values[i]), &*info.fields[i].type, spans[i]);
  for (size_t i = 0; i < values.size(); ++i)
    bindGenerics(cx, values[i], *info.fields[i].type, {spans[i], "the field `" + info.fields[i].name + "`"});
  const Frame &frame = *cx.function.frame;
  for (size_t before = frame.dims.size() + frame.names.size() + 1; before != frame.dims.size() + frame.names.size();) {
    before = frame.dims.size() + frame.names.size();
    for (size_t i = 0; i < values.size(); ++i)
      if (hasFormulas(*info.fields[i].type))
        bindGenerics(cx, values[i], *info.fields[i].type, {spans[i], "the field `" + info.fields[i].name + "`"}, Gives::Solved);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    Value out;
    ok &= matchParameter(cx, values[i], *info.fields[i].type, info.fields[i].name, spans[i], out);
    values[i] = std::move(out);
  }
  Value made = Value::of(ValueKind::Struct);
  auto instance = std::make_shared<StructInstance>();
  instance->info = &info;
  for (const ast::TypeParameter &t : info.def->typeParameters) {
    const std::string &name = t.name.text;
    if (auto it = cx.function.frame->dims.find(name); it != cx.function.frame->dims.end())
      instance->dims[name] = it->second;
    else if (auto dtype = cx.function.frame->names.find(name); dtype != cx.function.frame->names.end() && isDTypeParameter(cx, t))
      instance->dtypes[name] = dtype->second.value.type;
    else if (ok && !inHost(cx)) {
      report(cx, Id::unboundDimension, span, name)
          .note(t.name.span, "declared here")
          .help("no field that is given says it: write `" + info.name + "[...](...)`");
      ok = false;
    }
  }
  cx.function.frame = caller;
  if (!ok) return Value::poison();
  made.instance = std::move(instance);
  if (info.isState) made.handle = newHandle(cx);
  if (info.isState && cx.function.block)
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = asStored(cx, std::move(values[i]), info.fields[i].name, spans[i]);
  for (size_t i = 0; i < values.size(); ++i)
    made.items.push_back(values[i].expr && cx.function.block
                             ? reusable(cx, std::move(values[i]), info.fields[i].name, spans[i])
                             : std::move(values[i]));
  return made;
}

Value replaceFields(Context &cx, GivenList args, Span span) {
  if (args.empty() || !args[0].keyword.empty()) {
    report(cx, Id::argumentNotGiven, span, "replace", "a struct").help("`replace(p, field=value)`");
    return Value::poison();
  }
  Value object = std::move(args[0].value);
  if (object.isPoison() || reportNone(cx, object, args[0].span)) return Value::poison();
  if (object.kind != ValueKind::Struct) {
    report(cx, Id::wrongArgument, args[0].span, quoted("replace"), "a struct", describe(cx, object));
    return Value::poison();
  }
  const StructInfo &info = *object.instance->info;
  GivenList all;
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].keyword.empty()) {
      report(cx, Id::tooManyArguments, args[i].span, "replace", "one struct, and fields by name",
             std::to_string(args.size()));
      return Value::poison();
    }
    all.push_back(std::move(args[i]));
  }
  if (object.isState() && !useUp(cx, object, "an update", span)) return Value::poison();
  size_t given = all.size();
  for (size_t i = 0; i < info.fields.size(); ++i) {
    const std::string &name = info.fields[i].name;
    if (std::none_of(all.begin(), all.begin() + given, [&](const Given &g) { return g.keyword == name; }))
      all.push_back({name, object.items[i], args[0].span, args[0].span, nullptr});
  }
  Value type = Value::of(ValueKind::StructType);
  auto open = std::make_shared<StructInstance>();
  open->info = &info;
  open->stack = object.instance->stack;
  type.instance = std::move(open);
  Value made = constructStruct(cx, type, std::move(all), span);
  if (made.isState()) {
    made.text = object.text;
    cx.successors[object.handle] = made.handle;
  }
  return made;
}

/// `Linear.init`, `Linear[4, 8].init`: the function, and what the dimensions of the struct are known to be.
Value makerOf(const Value &type, const Callable *callable) {
  Value v = Value::of(ValueKind::Function);
  v.callable = callable;
  v.instance = type.kind == ValueKind::StructType ? type.instance : nullptr;
  return v;
}

Value callMaker(Context &cx, const Value &maker, GivenList args, Span span) {
  const StructInfo &info = *maker.callable->makes;
  auto given = std::make_shared<StructInstance>();
  if (maker.instance) *given = *maker.instance;
  given->info = &info;
  const auto &own = maker.callable->def->parameters;
  for (const ast::TypeParameter &t : info.def->typeParameters) {
    const std::string &name = t.name.text;
    auto isIt = [&](const Given &arg) { return arg.keyword == name; };
    if (std::any_of(own.begin(), own.end(), [&](const ast::Parameter &p) { return p.name.text == name; })) continue;
    auto arg = std::find_if(args.begin(), args.end(), isIt);
    if (arg == args.end()) continue;
    if (arg->value.isPoison()) return Value::poison();
    if (isDTypeParameter(cx, t)) {
      auto dtype = dtypeArgument(cx, arg->value, arg->span);
      if (!dtype) return Value::poison();
      given->dtypes[name] = scalarType(*dtype);
    } else {
      Value size = convertInt(cx, arg->value, arg->span);
      if (size.isPoison()) return size;
      given->dims[name] = size.sym;
    }
    args.erase(arg);
  }
  auto outer = std::exchange(cx.maker, std::move(given));
  Value made = callFunction(cx, *maker.callable, std::move(args), span);
  cx.maker = std::move(outer);
  return made;
}

Value memberOfStruct(Context &cx, const Value &object, const std::string &name, Span span) {
  const StructInfo &info = *object.instance->info;
  if (object.isState() && isUsedUp(cx, object, span)) return Value::poison();
  for (size_t i = 0; i < info.fields.size(); ++i)
    if (info.fields[i].name == name) return object.items[i];
  if (auto it = info.methods.find(name); it != info.methods.end() && !it->second) {
    ++cx.failures;  // a message was given where it is defined
    return Value::poison();
  } else if (it != info.methods.end() && it->second->makes) {
    return makerOf(object, it->second);
  } else if (it != info.methods.end() && object.isStack()) {
    if (!fresh(cx, Id::badOperand, span)) return Value::poison();
    report(cx, Id::badOperand, span, "." + name, describe(cx, object))
        .help("each of its structs has that method: `for one in stack:`, or `stack[i]." + name + "(...)`");
    return Value::poison();
  } else if (it != info.methods.end()) return methodOf(object, name, nullptr, it->second);
  unknownField(cx, info, name, span, true);
  return Value::poison();
}

}  // namespace tessera::sema
