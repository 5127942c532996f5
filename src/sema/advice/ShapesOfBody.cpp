#include "sema/advice/ShapesOfBody.h"
#include "frontend/Parser.h"
#include "frontend/Walk.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/ShapesOfValues.h"
#include <algorithm>
#include <set>

namespace tessera::sema {

using ast::as;

namespace {

/// Whether a condition is about dimensions: behind it some that have other names may be equal.
bool asksForExtents(const ast::Expr &condition, const std::set<std::string> &dims) {
  auto *name = as<ast::NameExpr>(&condition);
  auto *member = as<ast::AttributeExpr>(&condition);
  if ((name && dims.count(name->name)) || (member && member->attribute.text == "shape")) return true;
  const std::vector<const ast::Expr *> parts = ast::childrenOf(condition).exprs;
  return std::any_of(parts.begin(), parts.end(), [&](const ast::Expr *part) { return asksForExtents(*part, dims); });
}
/// `E % 2 == 0`: what divides is equal to nothing.
bool saysWhatDivides(const ast::CompareExpr &fact) {
  auto *rest = fact.operands.size() == 2 ? as<ast::BinaryExpr>(fact.operands[0]) : nullptr;
  auto *zero = rest ? as<ast::IntExpr>(fact.operands[1]) : nullptr;
  return zero && zero->value == 0 && rest->op == ast::BinaryOp::Mod;
}
/// Whether facts or conditions of a function may say that two extents are equal.
bool equates(const ast::FuncDef &def) {
  const bool facts = std::any_of(def.where.begin(), def.where.end(), [](const ast::ExprPtr &fact) {
    auto *compare = as<ast::CompareExpr>(fact);
    return !compare || (!saysWhatDivides(*compare) && std::any_of(compare->ops.begin(), compare->ops.end(), [](ast::CompareOp op) { return op == ast::CompareOp::Eq; }));
  });
  std::set<std::string> dims;
  for (const ast::TypeParameter &t : def.typeParameters) dims.insert(t.name.text);
  bool found = facts;
  visitStatements(def, [&](const ast::Stmt &stmt) {
    auto *choice = as<ast::IfStmt>(&stmt);
    auto *claim = as<ast::AssertStmt>(&stmt);
    found |= (choice && asksForExtents(*choice->condition, dims)) || (claim && asksForExtents(*claim->condition, dims));
  });
  return found;
}

class BodyReader {
public:
  /// `instead`: a statement that `by` takes the place of.
  BodyReader(const ast::FuncDef &def, const ast::Module &module, const ast::Stmt *instead = nullptr, const ast::Stmt *by = nullptr)
      : def_(def), algebra_(equates(def)), values_(module, algebra_), instead_(instead), by_(by) {}

  Fit fit() {
    Outlines names;
    for (const ast::TypeParameter &t : def_.typeParameters)
      if (!t.bound) names[t.name.text] = Outline::of(Dim::var(t.name.text));
    if (def_.result) result_ = values_.declared(*def_.result, names);
    Outlines values = names;
    for (const ast::Parameter &p : def_.parameters) values[p.name.text] = p.annotation ? values_.declared(*p.annotation, names) : Outline{};
    block(def_.body, values);
    if (algebra_.failed()) return Fit::Fails;
    return known_ && returns_ ? Fit::Fits : Fit::Unknown;
  }

private:
  void block(const ast::Block &body, Outlines &names) {
    for (const ast::StmtPtr &stmt : body) statement(stmt.get() == instead_ ? *by_ : *stmt, names);
  }

  void statement(const ast::Stmt &stmt, Outlines &names) {
    if (algebra_.failed()) return;
    if (auto *assign = as<ast::AssignStmt>(&stmt)) {
      const Outline value = values_.of(*assign->value, names);
      for (const ast::ExprPtr &target : assign->targets) give(*target, value, names);
    } else if (auto *declared = as<ast::AnnAssignStmt>(&stmt)) {
      if (declared->value) give(*declared->target, values_.of(*declared->value, names), names);
    } else if (auto *changed = as<ast::AugAssignStmt>(&stmt)) {
      const Outline before = values_.of(*changed->target, names), more = values_.of(*changed->value, names);
      const Outline after = values_.combined(before, more, changed->op);
      if (before.kind == Outline::Array && after.kind == Outline::Array) algebra_.expectSame(before.shape, after.shape);
      known_ &= after.kind != Outline::Unknown;
    } else if (auto *back = as<ast::ReturnStmt>(&stmt)) {
      returns_ = true;
      if (back->value) compare(values_.of(*back->value, names), result_);
    } else {
      inBlocks(stmt, names);
    }
  }

  /// What a block may have given a name is known behind it only if it is the same without it.
  void inBlocks(const ast::Stmt &stmt, Outlines &names) {
    auto *loop = as<ast::ForStmt>(&stmt);
    if (!loop && stmt.kind != ast::StmtKind::If) {
      known_ &= stmt.kind == ast::StmtKind::Assert || stmt.kind == ast::StmtKind::Pass;
      return;
    }
    Outlines behind = names;
    for (const ast::Block *body : ast::blocksOf(stmt)) {
      Outlines inside = names;
      if (loop) give(*loop->target, Outline::of(Dim::undefined()), inside);
      block(*body, inside);
      for (auto &[name, value] : inside) {
        auto before = names.find(name);
        behind[name] = before != names.end() && areAlike(before->second, value) ? value : Outline{};
      }
    }
    names = std::move(behind);
  }

  void give(const ast::Expr &target, const Outline &value, Outlines &names) {
    known_ &= value.kind != Outline::Unknown;
    if (auto *name = as<ast::NameExpr>(&target)) {
      names[name->name] = value;
    } else if (target.kind == ast::ExprKind::Tuple) {
      auto &items = static_cast<const ast::SequenceExpr &>(target).items;
      const bool apart = value.kind == Outline::Tuple && value.items.size() == items.size();
      for (size_t i = 0; i < items.size(); ++i) give(*items[i], apart ? value.items[i] : Outline{}, names);
    }
  }

  void compare(const Outline &value, const Outline &wanted) {
    if (value.kind == Outline::Array && wanted.kind == Outline::Array) {
      algebra_.expectSame(value.shape, wanted.shape);
    } else if (value.kind == Outline::Tuple && wanted.kind == Outline::Tuple && value.items.size() == wanted.items.size()) {
      for (size_t i = 0; i < value.items.size(); ++i) compare(value.items[i], wanted.items[i]);
    } else {
      known_ = false;
    }
  }

  const ast::FuncDef &def_;
  ShapeAlgebra algebra_;
  ShapesOfValues values_;
  const ast::Stmt *instead_, *by_;
  Outline result_;
  bool known_ = true, returns_ = false;
};

}  // namespace

namespace {
/// The one function of a text; null if it is none.
std::shared_ptr<const ast::FuncDef> functionOf(const std::string &text) {
  Sources sources;
  const FileId file = sources.add("", text);
  diag::Engine said;
  const std::shared_ptr<ast::Module> module = frontend::parse(sources, file, said);
  if (said.hasErrors() || module->body.size() != 1) return nullptr;
  return {module, as<ast::FuncDef>(module->body[0])};
}
}  // namespace

ShapesOfBody::ShapesOfBody(const Place &place, const Sources &sources) : place_(place), sources_(sources) {
  if (!place.function || place.inKernel) return;
  visitStatements(*place.function, [&](const ast::Stmt &stmt) {
    if (ast::childrenOf(stmt).stmts.empty()) simple_.push_back(&stmt);
  });
}

std::string ShapesOfBody::edited(Span whole, const diag::Fix &fix) const {
  std::string text(sources_.text(whole));
  text.replace(fix.span.begin - whole.begin, fix.span.end - fix.span.begin, fix.replacement);
  return text;
}

Fit ShapesOfBody::asItStands() const { return simple_.empty() ? Fit::Unknown : BodyReader(*place_.function, *place_.module).fit(); }

Fit ShapesOfBody::with(const diag::Fix &fix) const {
  auto holds = [&](Span outer) { return outer.file == fix.span.file && outer.begin <= fix.span.begin && fix.span.end <= outer.end; };
  if (simple_.empty() || !holds(place_.function->span)) return Fit::Unknown;
  const auto own = std::find_if(simple_.begin(), simple_.end(), [&](const ast::Stmt *stmt) { return holds(stmt->span); });
  if (own == simple_.end()) {
    const auto def = functionOf(edited(place_.function->span, fix));
    return def ? BodyReader(*def, *place_.module).fit() : Fit::Unknown;
  }
  const auto around = functionOf("def f():\n    " + edited((*own)->span, fix) + "\n");  // a `return` stands in a function
  if (!around || around->body.size() != 1) return Fit::Unknown;
  return BodyReader(*place_.function, *place_.module, *own, around->body[0].get()).fit();
}

}  // namespace tessera::sema
