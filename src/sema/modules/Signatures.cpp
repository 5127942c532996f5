// What stands above and in the head of a function, before anything is known about its types.
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/host/Host.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/types/Types.h"
#include "support/Lanes.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

bool isOneOf(const ast::Argument &arg, const std::set<std::string_view> &names) {
  return arg.keyword && names.count(arg.keyword->text);
}
bool isKernelOption(const ast::Argument &arg) { return isOneOf(arg, {"grid", "group", "lanes"}); }
bool isOfSchedule(const ast::Argument &arg) {
  return (arg.keyword && !fieldHere(arg.keyword->text).empty()) ||
         isOneOf(arg, {"block", "m", "n", "k", "warps", "stages", "vector", "swizzle", "cluster", "split_k", "order"});
}

/// `@kernel(block=(64, 64), num_warps=4)`, `@kernel(schedule=tuned)`, and `@kernel(grid=..., block=64)` of CUDA:
/// what was meant by an option that kernels do not have. An empty title: that is not known.
diag::Fix optionMeant(const ast::CallExpr &call, const ast::Argument &arg, const Sources &sources) {
  auto text = [&](Span span) { return std::string(sources.text(span)); };
  auto edit = [](Span span, const std::string &by) {
    return diag::Fix{span, by, "write `" + by + "`", diag::Applicability::Suggestion};
  };
  const auto &all = call.arguments;
  std::string base = text(call.callee->span);
  if (all.size() == 1 && isOneOf(arg, {"schedule"}))
    return edit(call.span, base + ".schedule(" + text(arg.value->span) + ")");
  if (std::all_of(all.begin(), all.end(), isOfSchedule)) {
    std::string fields;
    for (const ast::Argument &field : all) {
      std::string name(fieldHere(field.keyword->text));
      if (name.empty()) name = field.keyword->text;
      fields += (fields.empty() ? "" : ", ") + name + "=" + text(field.value->span);
    }
    return edit(call.span, base + ".schedule(Schedule(" + fields + "))");
  }
  bool grid = std::any_of(all.begin(), all.end(), [](const ast::Argument &other) { return isOneOf(other, {"grid"}); });
  auto *number = as<ast::IntExpr>(arg.value);
  if (grid && number && isOneOf(arg, {"block", "block_size", "threads", "num_threads"}))
    return edit(arg.keyword->span, "group");
  if (grid && number && isOneOf(arg, {"warps", "num_warps"}) && number->value <= uint64_t{kWarpLanes})
    return edit(arg.span, "group=" + std::to_string(static_cast<int64_t>(number->value) * kWarpLanes));
  return {};
}

/// Whether a kernel has no such option. Those of a schedule are one mistake together.
bool isFirstUnknown(const ast::CallExpr &call, const ast::Argument &arg) {
  for (const ast::Argument &other : call.arguments) {
    if (&other == &arg) break;
    if (isOfSchedule(other) && isOfSchedule(arg)) return false;
  }
  return !isKernelOption(arg);
}
}  // namespace

/// `@jit(dtypes=[f32, bf16])`: floats, each once.
static void dtypesOfJit(Context &cx, const ast::FuncDef &def, const ast::Argument &argument) {
  const std::vector<const ast::Expr *> dtypes = jitDTypes(def);
  auto wrong = [&](Span span, const std::string &saw) {
    if (fresh(cx, Id::badDecorator, span))
      report(cx, Id::badDecorator, span, "jit", "takes dtypes of floats, and this is " + saw)
          .help("`@jit(dtypes=[f32, bf16])` compiles the function for both: tensors without a dtype have it");
  };
  if (dtypes.empty()) return wrong(argument.span, "no list of them");
  std::set<std::string_view> seen;
  for (const ast::Expr *dtype : dtypes) {
    const std::string_view text = cx.sources.text(dtype->span);
    const auto known = dtypeByName(text);
    if (!known || !isFloat(*known)) wrong(dtype->span, "`" + std::string(text) + "`");
    else if (!seen.insert(text).second) wrong(dtype->span, "`" + std::string(text) + "` for the second time");
  }
}

void decoratorNames(Context &cx, const ast::FuncDef &def) {
  static const std::vector<std::string_view> names = {
      "kernel",     "kernel.schedule", "kernel.autotune", "jit",      "function",        "autodiff", "deterministic", "custom_vjp",
      "custom_jvp", "checkpoint",      "require",         "specialize",      "overload", "verify.numerics", "fast",     "test",          "benchmark",
      "model"};
  static const std::set<std::string_view> plain = {"jit", "function", "autodiff", "custom_vjp", "custom_jvp", "overload", "model"};
  std::map<std::string, const ast::Decorator *> seen;
  for (const ast::Decorator &decorator : def.decorators) {
    std::string which = decoratorName(cx, *decorator.expression);
    auto *call = as<ast::CallExpr>(decorator.expression);
    if (which == "jit" && call && call->arguments.size() == 1 && call->arguments[0].keyword &&
        call->arguments[0].keyword->text == "dtypes") {
      dtypesOfJit(cx, def, call->arguments[0]);
    } else if (plain.count(which)) {
      if (call && !call->arguments.empty() && fresh(cx, Id::tooManyArguments, call->arguments[0].span))
        report(cx, Id::tooManyArguments, call->arguments[0].span, "@" + which, "no arguments",
               std::to_string(call->arguments.size()))
            .suggest({call->span.file, call->callee->span.end, call->span.end}, "", "leave them out");
    } else if (std::find(names.begin(), names.end(), which) == names.end()) {
      if (which.ends_with(".vjp") || which.ends_with(".jvp")) continue;  // attachRule() looks at those
      // Of a module that was not found, nothing is known: the import has its message.
      const ModuleScope *module = cx.function.frame ? cx.function.frame->module : cx.scope;
      auto imported = module ? module->names.find(which.substr(0, which.find('.'))) : decltype(module->names.end()){};
      if (module && imported != module->names.end() && imported->second.isPoison()) continue;
      if (!fresh(cx, Id::unknownDecorator, decorator.span)) continue;
      auto *member = as<ast::AttributeExpr>(decorator.expression);
      if (member && (member->attribute.text.find("vjp") != std::string::npos || member->attribute.text == "backward")) {
        report(cx, Id::unknownDecorator, decorator.span, which)
            .help("the rule of a function with `@custom_vjp` stands under `@" +
                  std::string(cx.sources.text(member->object->span)) + ".vjp`")
            .suggest(member->attribute.span, "vjp", "write `vjp`");
        continue;
      }
      std::string_view ours = decoratorHere(which), near = ours.empty() ? diag::didYouMean(which, names) : ours;
      auto builder = report(cx, Id::unknownDecorator, decorator.span, which);
      if (!near.empty())
        builder.help("did you mean `@" + std::string(near) + "`?")
            .fix(call ? call->callee->span : decorator.expression->span, std::string(near),
                 "write `@" + std::string(near) + "`");
      continue;
    }
    std::string wrong = which == "checkpoint" && call ? wrongCheckpoint(*call) : "";
    if (!wrong.empty() && fresh(cx, Id::notSupportedYet, call->span)) unsupported(cx, "this policy of `@checkpoint`", call->span, wrong);
    for (size_t i = 0; which == "kernel" && call && i < call->arguments.size(); ++i) {
      const ast::Argument &arg = call->arguments[i];
      Span place = arg.keyword ? arg.keyword->span : arg.span;
      if (!isFirstUnknown(*call, arg) || !fresh(cx, Id::badKernelOption, place)) continue;
      auto builder = report(cx, Id::badKernelOption, place,
                            arg.keyword ? "`kernel` has no option `" + arg.keyword->text + "`"
                                        : std::string("the options of `kernel` are given by name"));
      diag::Fix meant = arg.keyword ? optionMeant(*call, arg, cx.sources) : diag::Fix{};
      auto near = arg.keyword ? diag::didYouMean(arg.keyword->text, {"grid", "group", "lanes"}) : std::string_view();
      const bool twice = meant.replacement.rfind("group", 0) == 0 &&
                         std::any_of(call->arguments.begin(), call->arguments.end(), [](const ast::Argument &other) {
                           return other.keyword && other.keyword->text == "group";
                         });
      if (twice) builder.assume(meant.span, meant.replacement, meant.title);  // which of the two is right
      else if (!meant.title.empty()) builder.suggest(meant.span, meant.replacement, meant.title);
      else if (!near.empty()) builder.help("did you mean `" + std::string(near) + "`?");
      bool group = meant.replacement.rfind("group", 0) == 0;
      if (group) builder.help("how many lanes a group has is its `group`");
      else if (isOfSchedule(arg) || isOneOf(arg, {"schedule"}))
        builder.help("sizes of tiles belong to a schedule: `@kernel.schedule(Schedule(block=(64, 64), warps=4))`");
      else if (near.empty()) builder.help("it takes `grid`, `group` and `lanes`");
    }
    bool ofSizes = which == "test" || which == "benchmark";
    if (ofSizes) runDecorator(cx, def, decorator, which);
    if (which == "specialize") specializeDecorator(cx, def, decorator);
    if ((ofSizes || which == "require" || which == "specialize") && call) continue;  // once for each of its sizes
    auto [first, isNew] = seen.emplace(which, &decorator);
    if (!isNew && fresh(cx, Id::badDecorator, decorator.span))
      report(cx, Id::badDecorator, decorator.span, which, "stands twice above `" + def.name.text + "`")
          .note(first->second->span, "here, too");
  }
  bool isKernel = seen.count("kernel") || seen.count("kernel.schedule") || seen.count("kernel.autotune");
  for (const char *other : {"custom_vjp", "custom_jvp"})  // each says what a derivative does with a call
    if (auto both = seen.find("checkpoint"); both != seen.end() && seen.count(other) && fresh(cx, Id::badDecorator, both->second->span))
      report(cx, Id::badDecorator, both->second->span, "checkpoint", "stands above `" + def.name.text + "`, whose derivative is written by hand")
          .note(seen.at(other)->span, "here").help("a rule says itself what it computes again: leave `@checkpoint` out");
  if (auto it = seen.find("checkpoint"); it != seen.end() && isKernel && fresh(cx, Id::badDecorator, it->second->span))
    report(cx, Id::badDecorator, it->second->span, "checkpoint", "stands above the kernel `" + def.name.text + "`, which has no derivative")
        .help("write it above a function that calls the kernel");
  for (const char *which : {"jit", "function"}) {
    auto it = seen.find(which);
    if (it == seen.end()) continue;
    Span span = it->second->span;
    bool prints = !isKernel && usesHost(cx, def.body);
    if ((!isKernel && !prints) || !fresh(cx, Id::badDecorator, span)) continue;
    if (const ast::CallExpr *call = prints && std::any_of(def.parameters.begin(), def.parameters.end(), isWholeTensor)
                                        ? firstHostCall(def.body)
                                        : nullptr) {
      if (fresh(cx, Id::hostOnly, call->span))
        report(cx, Id::hostOnly, call->span, std::string(cx.sources.text(call->callee->span)))
            .note(span, "this makes `" + def.name.text + "` a function of whole tensors")
            .help("call it in `def main()`, or leave `@" + std::string(which) + "` out if this is host code");
      continue;
    }
    auto builder = report(cx, Id::badDecorator, span, which, "is for functions of whole tensors");
    builder.label("`" + def.name.text + (isKernel ? "` is a kernel" : "` prints, or touches files: it is host code"));
    uint32_t next = def.span.end;  // where what stands behind it begins
    for (const ast::Decorator &other : def.decorators)
      if (other.span.begin > span.begin) next = std::min(next, other.span.begin);
    if (next == def.span.end) {
      size_t at = cx.sources.file(span.file).text.find("def", span.end);
      if (at == std::string::npos) continue;
      next = static_cast<uint32_t>(at);
    }
    builder.suggest({span.file, span.begin, next}, "", "leave it out");
  }
}

void parameterNames(Context &cx, const ast::FuncDef &def) {
  std::vector<const ast::Identifier *> seen;  // few
  auto note = [&](const ast::Identifier &name) {
    auto first = std::find_if(seen.begin(), seen.end(), [&](const ast::Identifier *other) { return other->text == name.text; });
    if (first == seen.end()) seen.push_back(&name);
    else if (fresh(cx, Id::definedTwice, name.span))
      report(cx, Id::definedTwice, name.span, name.text).note((*first)->span, "the first definition is here");
  };
  for (const ast::TypeParameter &t : def.typeParameters) note(t.name);
  for (const ast::Parameter &p : def.parameters)
    if (p.name.text != "_") note(p.name);
}

void differentiable(Context &cx, Span span) {
  if (!cx.function.declared || cx.function.declared->empty() || cx.function.declaredSpans.empty()) return;
  bool any = std::any_of(cx.function.declared->begin(), cx.function.declared->end(),
                         [](const Type &type) { return isFloat(type.dtype) || type.dtype == DType::Complex64; });
  if (!any && fresh(cx, Id::badDecorator, span))
    report(cx, Id::badDecorator, span, "autodiff",
           "has no meaning for a result `" + std::string(cx.sources.text(cx.function.declaredSpans.front())) + "`")
        .note(cx.function.declaredSpans.front(), "declared here")
        .help("only floats have a derivative");
}

}  // namespace tessera::sema
