// Edits of what a call names and does not fit: the type that a parameter declares, one dimension that stands for two, a
// lambda with a parameter too few. Nothing says whether the call or the declaration was meant, so the author applies them.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class CalleeEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.module) return {};
    switch (diagnostic_.id) {
    case Id::wrongArgument:
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::narrowing: eachDeclared([&](const ast::FuncDef &def, const ast::Parameter &p) { declaredAsGiven(p), dimensionOfItsOwn(def, p); }); break;
    case Id::tooManyArguments: parameterOfLambda(); break;
    case Id::unknownKeyword: withoutKeyword(); break;
    default: break;
    }
    for (CandidateGroup &group : groups_) {
      group.ofSignature = group.assumes = true;
      group.last = diagnostic_.id != Id::tooManyArguments;  // to leave an argument out is no better
    }
    return taken();
  }

private:
  /// The functions of the module, of its structs and of its functions.
  std::vector<const ast::FuncDef *> functions() const {
    std::vector<const ast::FuncDef *> found;
    std::vector<const ast::Stmt *> open;
    for (const ast::StmtPtr &stmt : place_.module->body) open.push_back(stmt.get());
    while (!open.empty()) {
      const ast::Stmt *stmt = open.back();
      open.pop_back();
      if (auto *def = as<ast::FuncDef>(stmt)) found.push_back(def);
      if (stmt->kind == ast::StmtKind::FuncDef || stmt->kind == ast::StmtKind::StructDef)
        for (const ast::Stmt *inner : ast::childrenOf(*stmt).stmts) open.push_back(inner);
    }
    return found;
  }
  /// The parameters that notes of the message point at.
  template <class Visit> void eachDeclared(const Visit &visitParameter) const {
    for (const diag::Note &note : diagnostic_.notes) {
      if (!note.span.valid() || note.span.file != place_.module->file) continue;
      for (const ast::FuncDef *def : functions())
        for (const ast::Parameter &p : def->parameters) {
          const Span whole = p.annotation ? p.name.span.to(p.annotation->span) : p.name.span;
          if (p.annotation && whole.begin <= note.span.begin && note.span.end <= whole.end && def != place_.function) visitParameter(*def, p);
        }
    }
  }

  /// `c: f32`, where the caller has a tensor `[D]` of f32.
  void declaredAsGiven(const ast::Parameter &p) {
    const std::string &said = diagnostic_.message;
    constexpr std::string_view kScalar = ", but this is a scalar `";  // of a tensor `[D]`
    if (const size_t one = said.find(kScalar); one != std::string::npos && p.annotation->kind == ast::ExprKind::Subscript)
      replace(group(false), p.annotation->span, said.substr(one + kScalar.size(), said.find('`', one + kScalar.size()) - one - kScalar.size()), "declare one number");
    const size_t is = said.find(", but this is a tensor `["), close = said.find("]` of ", is);
    if (is == std::string::npos || close == std::string::npos) return;
    const size_t open = is + 25;
    std::string dtype = said.substr(close + 6);
    dtype = dtype.substr(0, dtype.find_first_of(" ,`"));
    replace(group(false), p.annotation->span, "Tensor[" + said.substr(open, close - open) + (dtype == "f32" ? "" : ", " + dtype) + "]",
            "declare it as it is given");
  }

  /// `def project[B, D](x: Tensor[B, D], w: Tensor[D, D]) -> Tensor[B, D]`, which is given `[I, H]`: a name for each extent.
  void dimensionOfItsOwn(const ast::FuncDef &def, const ast::Parameter &p) {
    auto *type = tensorType(p.annotation.get());
    const auto shapes = shapesSaid();
    if (!type || def.typeParameters.empty() || shapes.size() < 2 || shapes[0].size() != shapes[1].size() || shapes[0].size() != extentCount(*type)) return;
    size_t axis = 0;
    while (axis < shapes[0].size() && shapes[0][axis] == shapes[1][axis]) ++axis;
    auto *dim = axis < shapes[0].size() ? as<ast::NameExpr>(type->items[axis].value) : nullptr;
    if (!dim) return;
    const std::string fresh = freshName(def);
    const Span last = def.typeParameters.back().name.span;
    const std::pair<Span, std::string> added{{last.file, last.end, last.end}, ", " + fresh};
    auto *result = tensorType(def.result.get());
    CandidateGroup &edits = group(true);
    for (size_t i = result ? extentCount(*result) : 0; i-- > 0;)
      if (text(result->items[i].span) == dim->name)
        replaceAll(edits, {added, {dim->span, fresh}, {result->items[i].span, fresh}}, "give each extent a name of its own");
    replaceAll(edits, {added, {dim->span, fresh}}, "give each extent a name of its own");
  }
  /// The letter behind the last dimension that no name of the function is.
  static std::string freshName(const ast::FuncDef &def) {
    std::set<std::string> taken;
    for (const ast::TypeParameter &t : def.typeParameters) taken.insert(t.name.text);
    std::string name = def.typeParameters.back().name.text.substr(0, 1);
    for (int i = 0; i < 26 && taken.count(name); ++i) name[0] = name[0] >= 'A' && name[0] < 'Z' ? static_cast<char>(name[0] + 1) : 'A';
    return name;
  }

  /// `dot(a, b, allow_tf32=True)`: a switch that is not there. What says more, `reduction="sum"`, is not left out.
  void withoutKeyword() {
    auto *call = place_.innermost<ast::CallExpr>();
    CandidateGroup &edits = group(false);
    for (size_t i = 1; call && i < call->arguments.size(); ++i)
      if (const ast::Argument &arg = call->arguments[i]; arg.keyword && arg.span.begin == diagnostic_.span.begin && arg.value->kind == ast::ExprKind::Bool)
        replace(edits, {arg.span.file, call->arguments[i - 1].span.end, arg.span.end}, "", "leave it out");
  }

  /// `tree_map(lambda p: p - rate * g, net, g)`, and `f(x, w)` of `f = lambda v: v * w`: what is given besides gets a name.
  /// `, v` of `lambda w, d: w - 0.1 * v`: names that nothing gives a value.
  std::string unboundIn(const ast::LambdaExpr &lambda) const {
    std::string missing;
    std::set<std::string> seen;
    visit(*lambda.body, [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      if (!name || !seen.insert(name->name).second || dtypeByName(name->name)) return;
      auto isOwn = [&](const ast::Parameter &p) { return p.name.text == name->name; };
      const bool own = std::any_of(lambda.parameters.begin(), lambda.parameters.end(), isOwn);
      auto use = place_.names ? place_.names->find(name->name) : decltype(place_.names->end()){};
      const bool bound = place_.names && use != place_.names->end() && use->second.isBound();
      const bool ofModule = std::any_of(place_.module->body.begin(), place_.module->body.end(), [&](const ast::StmtPtr &stmt) {
        auto *def = as<ast::FuncDef>(stmt);
        auto *assign = as<ast::AssignStmt>(stmt);
        return (def && def->name.text == name->name) || (assign && text(*assign->targets[0]) == name->name);
      });
      if (!own && !bound && !ofModule && name->name.size() <= 2 && std::islower(static_cast<unsigned char>(name->name[0]))) missing += ", " + name->name;
    });
    return missing;
  }
  void parameterOfLambda() {
    std::set<std::string> seen;
    for (const ast::Expr *e : place_.around) {
      auto *call = as<ast::CallExpr>(e);
      if (!call || call->arguments.empty()) continue;
      auto *named = as<ast::NameExpr>(call->callee);
      auto *bound = named ? as<ast::LambdaExpr>(place_.valueOf(named->name)) : nullptr;
      auto *given = as<ast::LambdaExpr>(call->arguments.front().value);
      const ast::LambdaExpr *lambda = bound ? bound : given;
      if (!lambda || lambda->parameters.empty()) continue;
      const ast::Parameter &last = lambda->parameters.back();
      if (const std::string missing = unboundIn(*lambda); !missing.empty()) insert(group(false), last.name.span.end, missing, "take what it reads, too");
      CandidateGroup &edits = group(true);
      for (size_t i = lambda->parameters.size() + (bound ? 0 : 1); i < call->arguments.size(); ++i)
        if (auto *extra = as<ast::NameExpr>(call->arguments[i].value); extra && seen.insert(extra->name).second)
          insert(edits, last.name.span.end, ", " + extra->name, "take `" + extra->name + "`, too");
    }
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfCallees(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return CalleeEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
