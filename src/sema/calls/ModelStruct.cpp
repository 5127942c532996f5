// The struct of a model is a module that the compiler writes: structs for the model and its layers, a function for the
// first values, and one for calls from host code.
#include "sema/calls/ModelStruct.h"
#include "sema/Report.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "sema/types/Types.h"
#include <algorithm>
#include <utility>

namespace tessera::sema {

namespace {
/// Writes the module.
class ModelText {
public:
  ModelText(Context &cx, const StructInfo &info, const ModelNode &root) : cx_(cx), info_(info) {
    for (const ModelNode &child : root.children) names_.insert(child.names.begin(), child.names.end());
    structure(root, info.name, names_);
    text_ += init(root) + call();
  }
  const std::string &text() const { return text_; }
  /// The models that it names.
  const std::map<std::string, const StructInfo *> &models() const { return models_; }

private:
  /// `[D, F]`, or nothing.
  static std::string inBrackets(const std::set<std::string> &names) {
    std::string text;
    for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "" : "[" + text + "]";
  }

  void structure(const ModelNode &layer, const std::string &name, const std::set<std::string> &names) {
    for (const ModelNode &child : layer.children)
      if (!child.children.empty()) structure(child, name + "_" + child.name, child.names);
    text_ += "struct " + name + inBrackets(names) + ":\n";
    for (const ModelNode &child : layer.children) text_ += "    " + child.name + ": " + typeOf(child, name) + "\n";
    text_ += "\n";
  }

  std::string typeOf(const ModelNode &node, const std::string &structure) {
    std::string one = typeOfOne(node, structure);
    return node.count == 0 ? one : "[" + one + "; " + std::to_string(node.count) + "]";
  }

  std::string typeOfOne(const ModelNode &node, const std::string &structure) {
    if (node.model) {
      std::string sizes;
      for (const ast::TypeParameter &t : node.model->def->typeParameters)
        sizes += (sizes.empty() ? "" : ", ") + show(cx_, node.dims.at(t.name.text));
      return modelName(*node.model) + (sizes.empty() ? "" : "[" + sizes + "]");
    }
    return node.children.empty() ? node.type : structure + "_" + node.name + inBrackets(node.names);
  }

  std::string modelName(const StructInfo &model) {
    std::string name = model.name;
    for (int n = 2;; name = model.name + "_" + std::to_string(n++))
      if (models_.emplace(name, &model).first->second == &model && name != info_.name) return name;
  }

  std::string value(const ModelNode &node, const std::string &structure) {
    if (node.count == 0) return valueOfOne(node, structure);
    const int streams = std::exchange(streams_, 0);
    const std::string outer = std::exchange(list_, "own");
    std::string one = valueOfOne(node, structure);
    const int own = std::exchange(streams_, streams);
    list_ = outer;
    const std::string count = std::to_string(node.count);
    if (own == 0) return "[" + one + " for _ in range(" + count + ")]";
    std::string all = list_ + "[" + std::to_string(streams_++) + "]";
    std::string none, turns = split(all, static_cast<int>(node.count), "parts_" + std::to_string(streams_), lines_);
    return "[" + one + " for own in [" + split("each", own, "", none) + " for each in " + turns + "]]";
  }

  std::string valueOfOne(const ModelNode &node, const std::string &structure) {
    std::string stream = list_ + "[" + std::to_string(streams_) + "]";
    if (node.model) {
      std::string sizes;
      for (const auto &[name, size] : node.dims) sizes += ", " + name + "=" + show(cx_, size);
      return ++streams_, modelName(*node.model) + ".init(" + stream + sizes + ")";
    }
    if (node.children.empty()) {
      std::string text = node.init;
      if (size_t at = text.find('$'); at != std::string::npos) ++streams_, text.replace(at, 1, stream);
      return text;
    }
    std::string fields;
    for (const ModelNode &child : node.children)
      fields += (fields.empty() ? "" : ", ") + child.name + "=" + value(child, structure + "_" + child.name);
    return structure + "(" + fields + ")";
  }

  /// So many streams of one, 64 at a time, so that lists stay short: of more, parts of it are split, which `lines` name.
  static std::string split(const std::string &stream, int count, const std::string &name, std::string &lines) {
    constexpr int kMost = 64;
    auto text = [](const std::string &of, int n) { return n == 1 ? "[" + of + "]" : of + ".split(" + std::to_string(n) + ")"; };
    if (count <= kMost) return text(stream, count);
    const int parts = (count + kMost - 1) / kMost;
    lines += "    " + name + " = " + text(stream, parts) + "\n";
    std::string all;
    for (int i = 0; i < parts; ++i)
      all += (i ? " + " : "") + text(name + "[" + std::to_string(i) + "]", std::min(kMost, count - i * kMost));
    return all;
  }

  std::string init(const ModelNode &root) {
    std::string made = value(root, info_.name);
    std::string head, all = streams_ > 0 ? split("rng", streams_, "parts", head) : "";
    if (streams_ > 0) head += "    streams = " + all + "\n";
    std::string sizes;
    for (const std::string &name : names_) sizes += ", " + name + ": Const[\"" + name + "\"]";
    return "def " + info_.name + "_init(rng: Rng" + sizes + ") -> " + info_.name + inBrackets(names_) + ":\n" + head + lines_ + "    return " + made + "\n\n";
  }

  /// The head of the model, with the parameters in front.
  std::string call() {
    const ast::FuncDef &def = *info_.model->def;
    std::string head = signatureText(cx_, def), self = "model", args;
    size_t at = 4 + def.name.text.size();
    for (int depth = 0; head[at] != '(' || depth > 0; ++at) depth += head[at] == '[' ? 1 : head[at] == ']' ? -1 : 0;
    for (const ast::Parameter &p : def.parameters)
      if (p.name.text == self) self += "_";
    for (const ast::Parameter &p : def.parameters)
      args += (args.empty() ? "" : ", ") +
              (p.kind == ast::ParameterKind::KeywordOnly ? p.name.text + "=" + p.name.text : p.name.text);
    head.insert(at + 1, self + ": " + info_.name + inBrackets(names_) + (def.parameters.empty() ? "" : ", "));
    head.insert(4 + def.name.text.size(), "_call");
    return head + ":\n    return " + self + "(" + args + ")\n";
  }

  Context &cx_;
  const StructInfo &info_;
  std::string text_;
  std::set<std::string> names_;  // dimensions of the struct
  std::string list_ = "streams";  // the streams of the value that is written, of which it takes so many
  int streams_ = 0;
  std::string lines_;  // in front of what `init` returns
  std::map<std::string, const StructInfo *> models_;
};

bool hasParameters(const ModelNode &node) { return !node.children.empty(); }

/// Traces the model alone, to see what parameters it makes. Null after a message.
std::shared_ptr<ModelTrace> collected(Context &cx, const StructInfo &info) {
  auto trace = std::make_shared<ModelTrace>();
  trace->info = &info;
  trace->collects = true;
  info.model->active = true;
  size_t outerSteps = std::exchange(cx.steps, 0);
  bool outerSaid = std::exchange(cx.saidExhausted, false);
  cx.modelToEnter = trace;
  std::unique_ptr<Function> function = checkEntry(cx, *info.model);
  cx.steps = outerSteps, cx.saidExhausted = outerSaid;
  info.model->active = false;
  return function ? trace : nullptr;
}

StructInfo &mutableInfo(Context &cx, const StructInfo &info) {
  return *std::find_if(cx.structs.begin(), cx.structs.end(), [&](const StructInfo &s) { return &s == &info; });
}

const Callable *functionOf(const ModuleScope &scope, const std::string &name) {
  auto it = scope.names.find(name);
  return it != scope.names.end() && it->second.kind == ValueKind::Function ? it->second.callable : nullptr;
}

/// Reads the module that was written, and takes the struct over. False after a message.
bool takeStruct(Context &cx, StructInfo &info, const ModelTrace &trace) {
  ModelText written(cx, info, trace.root);
  std::string text = "# The parameters of the model `" + info.name + "` of " + cx.sources.file(info.nameSpan.file).path + "\n" + written.text();
  const ast::Module *module = cx.load ? cx.load(info.nameSpan.file, kWrittenModule, text) : nullptr;
  auto &slot = cx.modules[module];
  if (module) {
    slot = std::make_unique<ModuleScope>();
    slot->path = info.module->path;
    slot->ast = module;
    slot->names = info.module->names;  // types in the head of the model
    slot->spans = info.module->spans;
    for (const char *builtin : {"zeros", "ones", "Tensor", "Rng"}) slot->names.erase(builtin);
    for (const auto &[name, model] : written.models()) slot->names[name] = structTypeOf(*model);
    for (const std::string &own : {info.name + "_init", info.name + "_call"}) slot->names.erase(own);
    cx.libraryFiles.insert(module->file);
    evaluateModule(cx, *slot);
  }
  auto found = slot ? slot->names.find(info.name) : decltype(slot->names.end()){};
  const bool read = slot && found != slot->names.end() && found->second.kind == ValueKind::StructType &&
                    functionOf(*slot, info.name + "_init") && functionOf(*slot, info.name + "_call");
  if (!read) {
    report(cx, Id::modelParameters, info.nameSpan, "the parameters of the model `" + info.name + "` could not be read");
    return false;
  }
  const StructInfo &made = *found->second.instance->info;
  info.fields = made.fields;
  info.layerLoops = trace.loops;
  info.def = made.def;
  info.module = slot.get();
  info.modelInit = functionOf(*slot, info.name + "_init");
  info.modelCall = functionOf(*slot, info.name + "_call");
  slot->names[info.name] = structTypeOf(info);
  return true;
}

void find(Context &cx, StructInfo &info) {
  info.state = StructInfo::Fields::BeingFound;
  size_t failures = cx.failures;
  std::shared_ptr<ModelTrace> trace;
  if (!mayBeEntry(cx, *info.model))
    badModel(cx, *info.model, "has parameters without types, or is host code",
             "its parameters need types with sizes, as in `x: Tensor[B, 784]`");
  else
    trace = collected(cx, info);
  bool ok = trace && cx.failures == failures;
  if (ok && !hasParameters(trace->root)) {
    badModel(cx, *info.model, "makes no parameters", "layers make them: `linear(x, 10)`; without any, leave `@model` out");
    ok = false;
  }
  ok = ok && takeStruct(cx, info, *trace);
  info.recursive = !ok;
  if (!ok) ++cx.failures;
  info.state = StructInfo::Fields::Found;
}
}  // namespace

Value structTypeOf(const StructInfo &info) {
  Value v = Value::of(ValueKind::StructType);
  v.text = info.name;
  auto instance = std::make_shared<StructInstance>();
  instance->info = &info;
  v.instance = std::move(instance);
  return v;
}

void badModel(Context &cx, const Callable &callable, const std::string &why, const std::string &help) {
  if (fresh(cx, Id::badDecorator, callable.nameSpan))
    report(cx, Id::badDecorator, callable.nameSpan, "model", "stands above `" + callable.name + "`, which " + why).help(help);
  else ++cx.failures;
}

Value modelType(Context &cx, ModuleScope &scope, const Callable &callable) {
  bool other = callable.isKernel || callable.isOverload || callable.isCustomVjp || callable.isCustomJvp || callable.isCheckpoint ||
               callable.isTest || callable.name == "main";
  if (other) {
    badModel(cx, callable, "is something else already",
             "a model is a function of tensors with a name of its own, and no kernel, rule, test or overload");
    return Value::poison();
  }
  static const ast::StructDef none(ast::StmtKind::StructDef, Span{});
  cx.structs.push_back({});
  StructInfo &info = cx.structs.back();
  info.name = callable.name;
  info.nameSpan = callable.nameSpan;
  info.def = &none;
  info.module = &scope;
  info.model = &callable;
  info.state = StructInfo::Fields::Open;
  return structTypeOf(info);
}

void leaveUnlessNamed(Context &cx, const ModuleScope &scope, const StructInfo &info) {
  auto named = scope.names.find(info.name);
  if (named != scope.names.end() && named->second.kind == ValueKind::StructType && named->second.instance->info == &info) return;
  StructInfo &left = mutableInfo(cx, info);
  left.state = StructInfo::Fields::Found;
  left.recursive = true;
}

bool findModel(Context &cx, const StructInfo &info, Span span) {
  if (info.state == StructInfo::Fields::BeingFound) {
    if (fresh(cx, Id::recursion, span))
      report(cx, Id::recursion, span, info.name).help("the compiler writes calls out; use a loop, `for i in range(n):`");
    return false;
  }
  if (info.state == StructInfo::Fields::Open) find(cx, mutableInfo(cx, info));
  if (info.recursive) ++cx.failures;
  return !info.recursive;
}

void findModels(Context &cx, ModuleScope &scope) {
  std::vector<StructInfo *> all;
  for (StructInfo &info : cx.structs)
    if (info.module == &scope && info.state == StructInfo::Fields::Open) all.push_back(&info);
  for (StructInfo *info : all)
    if (info->state == StructInfo::Fields::Open) find(cx, *info);
}

}  // namespace tessera::sema
