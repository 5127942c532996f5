// Edits for functions of functions: how derivatives are asked for, and what is mapped over a batch.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class TransformEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    switch (diagnostic_.id) {
    case Id::wrongArgument: parameterInQuotes(), derivativeOfFunction(), calledAtOnce(), mappedAxes(); break;
    case Id::wrongResult: derivativeNotCalled(), withoutValue(), mappedAxes(); break;
    case Id::shapeMismatch:
    case Id::rankMismatch: mappedAxes(); break;
    case Id::unpackCount: byAllArguments(); break;
    case Id::unknownWrt: severalParameters(), parameterGiven(); break;
    case Id::wrtNotFloat: parameterGiven(); break;
    case Id::tooManyArguments: derivativeCalled(); break;
    case Id::unknownAttribute: derivativeOfValue(); break;
    case Id::broadcastFails: otherParameter(), mappedAxes(); break;
    case Id::gradNotScalar: firstOfSeveral(); break;
    default: break;
    }
    return taken();
  }

private:
  static bool isDerivative(const ast::CallExpr &call) {
    static const std::set<std::string> names = {"grad", "value_and_grad", "vjp", "jvp"};
    return names.count(nameOf(call)) != 0;
  }

  /// `return value_and_grad(loss)(p, x)`, where the derivative alone is declared.
  void withoutValue() {
    auto *call = as<ast::CallExpr>(place_.expr());
    auto *made = call ? as<ast::CallExpr>(call->callee) : nullptr;
    if (made && nameOf(*made) == "value_and_grad" && as<ast::NameExpr>(made->callee)) replace(group(false), made->callee->span, "grad", "take the derivative alone");
  }

  /// `grad(loss)` of a loss that returns something besides: the derivative of the first.
  void firstOfSeveral() {
    if (diagnostic_.message.find(" results") == std::string::npos) return;
    const ast::CallExpr *call = nullptr;
    for (const ast::Expr *e : place_.around)
      if (auto *found = as<ast::CallExpr>(e); found && !call && isDerivative(*found)) call = found;
    auto *name = call && !call->arguments.empty() ? as<ast::NameExpr>(call->arguments[0].value) : nullptr;
    for (size_t i = 0; name && i < place_.module->body.size(); ++i) {
      auto *def = as<ast::FuncDef>(place_.module->body[i]);
      if (!def || def->name.text != name->name || def->parameters.empty()) continue;
      std::vector<std::string> names;
      for (const ast::Parameter &p : def->parameters) names.push_back(p.name.text);
      CandidateGroup &edits = group(false);
      edits.assumes = edits.last = true;
      replace(edits, name->span, "lambda " + listOf(names) + ": " + name->name + "(" + listOf(names) + ")[0]", "derive the first of its results");
    }
  }

  /// `grad(loss, wrt=w)`
  void parameterInQuotes() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !isDerivative(*call)) return;
    for (const ast::Argument &arg : call->arguments) {
      if (!arg.keyword || arg.keyword->text != "wrt") continue;
      auto *several =
          arg.value->kind == ast::ExprKind::Tuple ? static_cast<const ast::SequenceExpr *>(arg.value.get()) : nullptr;
      std::string shown;
      if (several)
        for (const ast::ExprPtr &item : several->items) shown += (shown.empty() ? "(\"" : ", \"") + text(*item) + "\"";
      if (several) replace(group(false), arg.value->span, shown + (several->items.size() == 1 ? ",)" : ")"));
      else if (arg.value->kind == ast::ExprKind::Name)
        replace(group(false), arg.value->span, "\"" + text(*arg.value) + "\"");
    }
  }

  /// `wrt="w, b"`
  void severalParameters() {
    auto *string = as<ast::StringExpr>(place_.expr());
    if (!string || string->value.find(',') == std::string::npos) return;
    std::string shown = "(\"";
    for (char c : string->value) shown += c == ',' ? "\", \"" : c == ' ' ? "" : std::string(1, c);
    replace(group(false), string->span, shown + "\")", "a name in quotes each");
  }

  /// `grad(energy(x))`
  void derivativeOfFunction() {
    auto *inner = as<ast::CallExpr>(place_.expr());
    auto *outer = inner && place_.around.size() > 1 ? as<ast::CallExpr>(place_.around[1]) : nullptr;
    if (outer && isDerivative(*outer) && outer->arguments[0].value.get() == inner)
      replace(group(false), {inner->span.file, inner->callee->span.end, outer->span.end},
              text({inner->span.file, inner->span.end, outer->span.end}) +
                  text({inner->span.file, inner->callee->span.end, inner->span.end}),
              "the derivative is a function: call it");
  }

  /// `grad(loss, wrt="v")(x, w)`: most likely a parameter is called like what it is given.
  void parameterGiven() {
    const ast::CallExpr *made = nullptr, *call = nullptr;
    for (const ast::Expr *e : place_.around) {
      auto *one = as<ast::CallExpr>(e);
      if (one && !made && isDerivative(*one)) made = one;
      else if (one && made && one->callee.get() == made) call = one;
      else if (one && !made && as<ast::CallExpr>(one->callee)) call = one, made = as<ast::CallExpr>(one->callee);
    }
    if (!made || !call || !isDerivative(*made)) return;
    if (auto *asked = as<ast::StringExpr>(place_.expr()))  // it is given, in the place of a parameter of another name
      for (const ast::Argument &given : call->arguments)
        if (text(given.span) == asked->value && diagnostic_.id == Id::unknownWrt) return;
    CandidateGroup &edits = group(true);
    for (const ast::Argument &arg : made->arguments)
      if (arg.keyword && arg.keyword->text == "wrt" && arg.value->kind == ast::ExprKind::String)
        for (const ast::Argument &given : call->arguments)
          if (given.value->kind == ast::ExprKind::Name && "\"" + text(*given.value) + "\"" != text(*arg.value))
            replace(edits, arg.value->span, "\"" + text(*given.value) + "\"");
  }

  /// `grad(loss, w, x)`
  void derivativeCalled() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || !isDerivative(*call) || call->arguments.size() < 2) return;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword || arg.stars) return;
    const Span comma{call->span.file, call->arguments[0].span.end, call->arguments[1].span.begin};
    CandidateGroup &edits = group(false);
    if (call->arguments[1].value->kind == ast::ExprKind::Name)
      replace(edits, comma, ", wrt=\"" + text(call->arguments[1].span) + "\")(",
              "the derivative is a function: call it");
    replace(edits, comma, ")(", "the derivative is a function: call it");
  }

  /// `w - 0.1 * grad(loss, wrt="y")(x, y, w)`: the derivative by another parameter has the right shape.
  void otherParameter() {
    CandidateGroup &edits = group(true);
    auto each = [&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto *made = call ? as<ast::CallExpr>(call->callee) : nullptr;
      if (!made || !isDerivative(*made)) return;
      for (const ast::Argument &arg : made->arguments)
        if (arg.keyword && arg.keyword->text == "wrt" && arg.value->kind == ast::ExprKind::String)
          for (const ast::Argument &given : call->arguments)
            if (given.value->kind == ast::ExprKind::Name && "\"" + text(*given.value) + "\"" != text(*arg.value))
              replace(edits, arg.value->span, "\"" + text(*given.value) + "\"");
    };
    if (!place_.expr() || !place_.function) return;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      each(part);
      if (auto *name = as<ast::NameExpr>(&part))
        if (const ast::Expr *value = place_.valueOf(name->name)) visit(*value, each);
    });
  }

  /// `return grad(loss, wrt="w")`, where the function has what the loss takes.
  void derivativeNotCalled() {
    auto *made = as<ast::CallExpr>(meant());
    auto *loss = made && isDerivative(*made) && !made->arguments.empty() ? as<ast::NameExpr>(made->arguments[0].value) : nullptr;
    if (!loss || !place_.names) return;
    for (const ast::StmtPtr &stmt : place_.module->body) {
      auto *def = as<ast::FuncDef>(stmt);
      if (!def || def->name.text != loss->name) continue;
      std::string given;
      for (const ast::Parameter &p : def->parameters) given += (given.empty() ? "" : ", ") + p.name.text;
      insert(group(false), made->span.end, "(" + given + ")", "the derivative is a function: call it");
    }
  }

  /// `l = loss(w, x)`, `l.backward()`, and `w.grad` further on: `dw = grad(loss, wrt="w")(w, x)`.
  void derivativeOfValue() {
    auto *backward = place_.innermost<ast::CallExpr>();
    auto *method = backward ? as<ast::AttributeExpr>(backward->callee) : nullptr;
    auto *value = method && method->attribute.text == "backward" ? as<ast::NameExpr>(method->object) : nullptr;
    auto *made = value && place_.function ? as<ast::CallExpr>(place_.valueOf(value->name)) : nullptr;
    const ast::FuncDef *loss = made ? functionOf(nameOf(*made)) : nullptr;
    if (!loss || !place_.names || !place_.statement) return;
    std::vector<std::pair<Span, std::string>> parts;
    std::set<std::string> read;
    visitBody(*place_.function, [&](const ast::Expr &part) {
      auto *member = as<ast::AttributeExpr>(&part);
      auto *of = member && member->attribute.text == "grad" ? as<ast::NameExpr>(member->object) : nullptr;
      if (!of) return;
      read.insert(of->name);
      parts.push_back({member->span, "d" + of->name});
    });
    std::string wrt, names;
    size_t count = 0;
    for (size_t i = 0; i < std::min(made->arguments.size(), loss->parameters.size()); ++i) {
      if (!read.count(text(made->arguments[i].span))) continue;
      wrt += (count ? ", \"" : "\"") + loss->parameters[i].name.text + "\"";
      names += (count++ ? ", d" : "d") + text(made->arguments[i].span);
    }
    if (count == 0 || count != read.size()) return;
    if (count > 1) wrt = "(" + wrt + ")";
    const bool alone = place_.names->at(value->name).reads.size() == 1;  // in `l.backward()`
    const uint32_t column = sources_.file(place_.statement->span.file).lineColumn(place_.statement->span.begin).column;
    parts.push_back({{place_.statement->span.file, place_.statement->span.begin - column, place_.statement->span.end}, ""});
    parts.push_back({made->callee->span, (alone ? "grad(" : "value_and_grad(") + text(*made->callee) + ", wrt=" + wrt + ")"});
    parts.push_back({place_.names->at(value->name).bindings.back()->span,
                     alone ? names : value->name + ", " + (count > 1 ? "(" + names + ")" : names)});
    replaceAll(group(false), parts, "ask for the derivative of the function");
  }
  const ast::FuncDef *functionOf(const std::string &name) const {
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = as<ast::FuncDef>(stmt); def && def->name.text == name) return def;
    return nullptr;
  }

  /// `dx, dy = grad(energy, wrt="x")(x, y)`
  void byAllArguments() {
    auto *assign = as<ast::AssignStmt>(place_.statement);
    auto *call = assign ? as<ast::CallExpr>(assign->value) : nullptr;
    auto *made = call ? as<ast::CallExpr>(call->callee) : nullptr;
    if (!made || !isDerivative(*made) || assign->targets[0]->kind != ast::ExprKind::Tuple) return;
    const size_t count = static_cast<const ast::SequenceExpr &>(*assign->targets[0]).items.size();
    const ast::Argument *wrt = keyword(*made, "wrt");
    if (!wrt) return byFirstParameters(*made, count);
    if (wrt->value->kind != ast::ExprKind::String || call->arguments.size() < count) return;
    CandidateGroup &edits = group(true);
    for (size_t from = 0; from + count <= call->arguments.size(); ++from) {
      std::string names;
      for (size_t i = 0; i < count; ++i) names += (i ? "\", \"" : "(\"") + text(call->arguments[from + i].span);
      if (names.find(text(*wrt->value).substr(1, text(*wrt->value).size() - 2)) != std::string::npos)
        replace(edits, wrt->value->span, names + "\")", "name the parameters");
    }
  }

  /// `d1, d2 = grad(loss)(w1, w2, x)`: the derivatives by as many parameters of the loss.
  void byFirstParameters(const ast::CallExpr &made, size_t count) {
    auto *loss = made.arguments.size() == 1 && nameOf(made) == "grad" ? as<ast::NameExpr>(made.arguments[0].value) : nullptr;
    for (const ast::StmtPtr &stmt : place_.module->body) {
      auto *def = as<ast::FuncDef>(stmt);
      if (!loss || !def || def->name.text != loss->name || def->parameters.size() <= count) continue;
      std::string names;
      for (size_t i = 0; i < count; ++i) names += (i ? ", \"" : "\"") + def->parameters[i].name.text + "\"";
      insert(group(true), made.span.end - 1, ", wrt=(" + names + ")", "differentiate by " + std::to_string(count) + " parameters");
    }
  }

  /// The call of `vmap(f)(x, w)`, and the `vmap(f)` that it calls.
  std::pair<const ast::CallExpr *, const ast::CallExpr *> mapping() const {
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      auto *made = call ? as<ast::CallExpr>(call->callee) : nullptr;
      if (made && nameOf(*made) == "vmap") return {call, made};
    }
    return {nullptr, nullptr};
  }

  /// `vmap(energy, x)`
  void calledAtOnce() {
    auto *call = place_.innermost<ast::CallExpr>();
    if (!call || nameOf(*call) != "vmap" || call->arguments.size() < 2) return;
    for (const ast::Argument &arg : call->arguments)
      if (arg.keyword || arg.stars) return;
    replace(group(false), {call->span.file, call->arguments[0].span.end, call->arguments[1].span.begin}, ")(",
            "what is mapped is a function: call it");
  }

  /// `vmap(energy)(w, x)`, where the weights are the same for all.
  void mappedAxes() {
    constexpr size_t kMostArguments = 4;
    auto [call, made] = mapping();
    if (!call || keyword(*made, "in_axes") || made->arguments.size() != 1) return;
    const size_t count = call->arguments.size();
    if (count < 2 || count > kMostArguments) return;
    CandidateGroup &edits = group(true);
    for (size_t mask = 1; mask + 1 < (size_t{1} << count); ++mask) {
      std::string axes;
      for (size_t i = 0; i < count; ++i) axes += std::string(i ? ", " : "") + ((mask >> i) & 1 ? "0" : "None");
      insert(edits, made->arguments.back().span.end, ", in_axes=(" + axes + ")", "say which arguments are mapped");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfTransforms(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources) {
  return TransformEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
