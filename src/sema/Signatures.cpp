// What stands above and in the head of a function, before anything is known about its types.
#include "sema/Checker.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

/// Which decorators stand above a function: of all functions, also those that are only traced.
void Checker::decoratorNames(const ast::FuncDef &def) {
  static const std::vector<std::string_view> names = {
      "kernel",   "kernel.schedule", "kernel.autotune", "jit",     "function",
      "autodiff", "deterministic",   "custom_vjp",      "require", "overload", "verify.numerics", "fast"};
  static const std::set<std::string_view> plain = {"jit", "function", "autodiff", "custom_vjp", "overload"};
  std::map<std::string, const ast::Decorator *> seen;
  for (const ast::Decorator &decorator : def.decorators) {
    std::string which = decoratorName(*decorator.expression);
    auto *call = as<ast::CallExpr>(decorator.expression);
    if (plain.count(which)) {
      if (call && !call->arguments.empty() && fresh(Id::tooManyArguments, call->arguments[0].span))
        report(Id::tooManyArguments, call->arguments[0].span, "@" + which, "no arguments",
               std::to_string(call->arguments.size()))
            .suggest({call->span.file, call->callee->span.end, call->span.end}, "", "leave them out");
    } else if (std::find(names.begin(), names.end(), which) == names.end()) {
      if (which.size() > 4 && which.substr(which.size() - 4) == ".vjp") continue;  // attachRule() looks at those
      if (!fresh(Id::unknownDecorator, decorator.span)) continue;
      auto near = diag::didYouMean(which, names);
      auto builder = report(Id::unknownDecorator, decorator.span, which);
      if (!near.empty())
        builder.help("did you mean `@" + std::string(near) + "`?")
            .fix(call ? call->callee->span : decorator.expression->span, std::string(near),
                 "write `@" + std::string(near) + "`");
      continue;
    }
    auto [first, isNew] = seen.emplace(which, &decorator);
    if (!isNew && fresh(Id::badDecorator, decorator.span))
      report(Id::badDecorator, decorator.span, which, "stands twice above `" + def.name.text + "`")
          .note(first->second->span, "here, too");
  }
  bool isKernel = seen.count("kernel") || seen.count("kernel.schedule") || seen.count("kernel.autotune");
  for (const char *which : {"jit", "function"}) {
    auto it = seen.find(which);
    if (it == seen.end()) continue;
    Span span = it->second->span;
    bool prints = !isKernel && usesHost(def.body);
    if ((!isKernel && !prints) || !fresh(Id::badDecorator, span)) continue;
    auto builder = report(Id::badDecorator, span, which, "is for functions of whole tensors");
    builder.label("`" + def.name.text + (isKernel ? "` is a kernel" : "` prints, or touches files: it is host code"));
    uint32_t next = def.span.end;  // where what stands behind it begins
    for (const ast::Decorator &other : def.decorators)
      if (other.span.begin > span.begin) next = std::min(next, other.span.begin);
    if (next == def.span.end) {
      size_t at = sources_.file(span.file).text.find("def", span.end);
      if (at == std::string::npos) continue;
      next = static_cast<uint32_t>(at);
    }
    builder.suggest({span.file, span.begin, next}, "", "leave it out");
  }
}

/// A name stands for one parameter or dimension of a function.
void Checker::parameterNames(const ast::FuncDef &def) {
  std::map<std::string, Span> seen;
  auto note = [&](const ast::Identifier &name) {
    auto [first, isNew] = seen.emplace(name.text, name.span);
    if (!isNew && fresh(Id::definedTwice, name.span))
      report(Id::definedTwice, name.span, name.text).note(first->second, "the first definition is here");
  };
  for (const ast::TypeParameter &t : def.typeParameters) note(t.name);
  for (const ast::Parameter &p : def.parameters)
    if (p.name.text != "_") note(p.name);
}

/// `@autodiff` promises a derivative: some result must be one that has any.
void Checker::differentiable(Span span) {
  if (!declared_ || declared_->empty() || declaredSpans_.empty()) return;
  bool any = std::any_of(declared_->begin(), declared_->end(),
                         [](const Type &type) { return isFloat(type.dtype) || type.dtype == DType::Complex64; });
  if (!any && fresh(Id::badDecorator, span))
    report(Id::badDecorator, span, "autodiff",
           "has no meaning for a result `" + std::string(sources_.text(declaredSpans_.front())) + "`")
        .note(declaredSpans_.front(), "declared here")
        .help("only floats have a derivative");
}

}  // namespace tessera::sema
