// Edits where one name stands for several results: it is taken apart where it is bound, and the rest is called what the call
// says about it.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class TupleEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.names || !place_.expr()) return {};
    switch (diagnostic_.id) {
    case Id::badOperand: eachBinding([&](const ast::AssignStmt &assign) { takenApart(assign); }); break;
    case Id::redefinedType:
      if (auto *assign = as<ast::AssignStmt>(place_.statement)) takenApart(*assign), otherOrder(*assign);
      break;
    case Id::wrongArgument:
      if (diagnostic_.message.find("expects a stream") != std::string::npos) streamRenewed();
      break;
    case Id::unpackCount:
      if (auto *assign = as<ast::AssignStmt>(place_.statement)) moreResults(*assign);
      break;
    case Id::wrongResult:
    case Id::badFormat:
      if (diagnostic_.id == Id::badFormat && diagnostic_.message.find("this is a tensor") != std::string::npos) {
        oneNumber();
        break;
      }
      if (const ast::AssignStmt *assign = bindingOfResult()) takenApart(*assign);
      break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMostRest = 3;

  /// The only statements that bind a name of the expression.
  template <class Visit> void eachBinding(const Visit &each) const {
    if (place_.inKernel) return;
    visit(*place_.expr(), [&](const ast::Expr &part) {
      auto *name = as<ast::NameExpr>(&part);
      auto it = name ? place_.names->find(name->name) : place_.names->end();
      if (it == place_.names->end() || it->second.bindings.size() != 1 || it->second.takenApart) return;
      if (const ast::AssignStmt *assign = statementOf(place_.valueOf(name->name))) each(*assign);
    });
  }
  const ast::AssignStmt *statementOf(const ast::Expr *value) const {
    for (const ast::StmtPtr &stmt : place_.function->body)
      if (auto *assign = as<ast::AssignStmt>(stmt); value && assign && assign->value.get() == value) return assign;
    return nullptr;
  }
  /// The statement that gave the returned name its value.
  const ast::AssignStmt *bindingOfResult() const {
    auto *name = as<ast::NameExpr>(place_.expr());
    if (auto *shown = as<ast::FStringExpr>(place_.expr()))  // `f"{low:.2f}"`
      for (const ast::FStringPart &part : shown->parts)
        if (as<ast::NameExpr>(part.value) && !part.format.empty()) name = as<ast::NameExpr>(part.value);
    return name && place_.function ? statementOf(place_.valueOf(name->name)) : nullptr;
  }

  /// `p, m = adamw(p, g, m, v, ...)`: the state that is given and not taken yet.
  void moreResults(const ast::AssignStmt &assign) {
    auto *call = as<ast::CallExpr>(assign.value);
    if (!call || assign.targets[0]->kind != ast::ExprKind::Tuple || place_.inKernel) return;
    auto &items = static_cast<const ast::SequenceExpr &>(*assign.targets[0]).items;
    std::set<std::string> taken;
    for (const ast::ExprPtr &item : items) taken.insert(text(*item));
    bool gives = false;
    for (const ast::Argument &arg : call->arguments) gives |= taken.count(text(arg.span)) != 0;
    if (gives && !items.empty()) stateBehind(items.back()->span.end, taken, *call);
  }

  /// `f"loss {value:.4f}"` of a tensor: what is called after a mean is shown as one.
  void oneNumber() {
    auto *shown = as<ast::FStringExpr>(place_.expr());
    const std::string said = shown ? text(*shown) : "";
    const auto names = {"loss", "mean", "error", "accuracy"};
    if (std::none_of(names.begin(), names.end(), [&](const char *name) { return said.find(name) != std::string::npos; })) return;
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const ast::FStringPart &part : shown->parts)
      if (as<ast::NameExpr>(part.value) && !part.format.empty()) replace(edits, part.value->span, "mean(" + text(*part.value) + ")", "show the mean of its elements: `mean(" + text(*part.value) + ")`");
  }

  /// `now = rng.split()`, which gives two streams: the first goes on.
  void streamRenewed() {
    auto *name = as<ast::NameExpr>(place_.expr());
    CandidateGroup &edits = group(true);
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      auto *call = assign && assign->targets.size() == 1 ? as<ast::CallExpr>(assign->value) : nullptr;
      auto *method = call && call->arguments.empty() && nameOf(*call) == "split" ? as<ast::AttributeExpr>(call->callee) : nullptr;
      auto *target = method ? as<ast::NameExpr>(assign->targets[0]) : nullptr;
      const bool isRead = target && (!name || name->name == target->name || text(*place_.expr()).find(target->name) != std::string::npos);
      if (isRead && method->object->kind == ast::ExprKind::Name) insert(edits, target->span.begin, text(*method->object) + ", ", "go on with the first of them");
    });
  }

  void takenApart(const ast::AssignStmt &assign) {
    auto *target = assign.targets.size() == 1 ? as<ast::NameExpr>(assign.targets[0]) : nullptr;
    auto *call = as<ast::CallExpr>(assign.value);
    if (!target || !call) return;
    auto *made = as<ast::CallExpr>(call->callee);
    if (made && nameOf(*made) == "value_and_grad") replace(group(true), target->span, "_, " + target->name, "take the tuple apart");
    else if (made && nameOf(*made) == "grad") otherDerivatives(*target, *made);
    readElsewhere(*target);
    givenState(*target, *call);
    CandidateGroup &rest = group(false);
    rest.assumes = true;  // what is left out may be what the next turn needs
    std::string names;
    for (size_t more = 0; more < kMostRest; ++more)
      insert(rest, target->span.end, names += ", _", "leave the rest to `_`");
  }

  /// `size, g = clip_by_global_norm(g, 1.0)`, where `g` is what comes first.
  void otherOrder(const ast::AssignStmt &assign) {
    if (assign.targets.size() != 1 || assign.targets[0]->kind != ast::ExprKind::Tuple) return;
    auto &items = static_cast<const ast::SequenceExpr &>(*assign.targets[0]).items;
    CandidateGroup &edits = group(true);
    for (size_t i = 0; i < items.size(); ++i)
      for (size_t j = i + 1; j < items.size(); ++j)
        replaceAll(edits, {{items[i]->span, text(*items[j])}, {items[j]->span, text(*items[i])}}, "take the results in this order");
  }

  /// `dw = grad(loss, wrt=("w", "b"))(...)`: the others are called likewise.
  void otherDerivatives(const ast::NameExpr &target, const ast::CallExpr &made) {
    const ast::Argument *wrt = keyword(made, "wrt");
    if (!wrt || wrt->value->kind != ast::ExprKind::Tuple) return;
    std::vector<std::string> parameters;
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(*wrt->value).items)
      if (auto *string = as<ast::StringExpr>(item)) parameters.push_back(string->value);
    if (parameters.empty() || !target.name.ends_with(parameters[0])) return;
    const std::string prefix = target.name.substr(0, target.name.size() - parameters[0].size());
    std::string rest;
    for (size_t i = 1; i < parameters.size(); ++i) rest += ", " + (prefix.empty() ? "d" : prefix) + parameters[i];
    insert(group(true), target.span.end, rest, "take the tuple apart");
  }
  /// `dw = step(x)`, and `db` is read further on, which nothing binds.
  void readElsewhere(const ast::NameExpr &target) {
    CandidateGroup &edits = group(true);
    std::set<std::string> called;  // a function is read, too
    visitBody(*place_.function, [&](const ast::Expr &part) {
      if (auto *call = as<ast::CallExpr>(&part)) called.insert(nameOf(*call));
    });
    for (const auto &[other, use] : *place_.names)
      if (!use.isBound() && !use.reads.empty() && !called.count(other) && other[0] == target.name[0] && other != target.name)
        insert(edits, target.span.end, ", " + other, "take the tuple apart");
  }
  /// `w = momentum(w, g, m, 0.1)`: the state that is given comes back, too. The last ones are the likeliest.
  void givenState(const ast::NameExpr &target, const ast::CallExpr &call) {
    bool gives = false;
    for (const ast::Argument &arg : call.arguments) gives |= text(arg.span) == target.name;
    if (gives || diagnostic_.id == Id::badOperand) stateBehind(target.span.end, {target.name}, call);
  }
  void stateBehind(uint32_t end, const std::set<std::string> &taken, const ast::CallExpr &call) {
    std::vector<std::string> given;
    for (const ast::Argument &arg : call.arguments) {
      auto *name = as<ast::NameExpr>(arg.value);
      if (!name || arg.keyword || taken.count(name->name) || !isState(name->name)) continue;
      if (std::find(given.begin(), given.end(), name->name) == given.end()) given.push_back(name->name);
    }
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    for (size_t count = 1; count <= std::min(given.size(), kMostRest); ++count)
      for (size_t from = given.size() - count + 1; from-- > 0;) {
        std::string rest;
        for (size_t i = 0; i < count; ++i) rest += ", " + given[from + i];
        insert(edits, end, rest, "take the tuple apart: what is given comes back, too");
      }
  }
  /// Something that a step may give anew: no number, nothing that the function computes in each turn, and something that is read
  /// then, further on or in the next turn.
  bool isState(const std::string &name) const {
    auto it = place_.names->find(name);
    if (it == place_.names->end() || !it->second.isBound()) return false;
    const ast::Parameter *p = it->second.parameter;
    if (p && p->annotation && p->annotation->kind == ast::ExprKind::Name && dtypeByName(text(*p->annotation))) return false;
    bool read = false;
    for (const ast::NameExpr *reading : it->second.reads)
      read |= place_.statement && reading->span.begin >= place_.statement->span.end;
    for (const ast::Stmt *stmt : statementsAround()) {
      auto *loop = as<ast::ForStmt>(stmt);
      read |= loop != nullptr;
      for (const ast::NameExpr *binding : it->second.bindings)
        if (loop && loop->span.begin <= binding->span.begin && binding->span.end <= loop->span.end) return false;
    }
    return read;
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfTuples(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return TupleEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
