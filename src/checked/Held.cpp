// What schedules ask of a kernel's values (transforms/schedule/Sizes.cpp), asked of the checked program.
#include "checked/Held.h"
#include "checked/ExprBuild.h"
#include "shape/Bounds.h"
#include <algorithm>
#include <set>

namespace tessera::checked {
namespace {

size_t longAxes(const Type &type) {
  if (type.kind != TypeKind::Tensor) return 0;
  return static_cast<size_t>(std::count_if(type.shape.begin(), type.shape.end(), [](const Dim &extent) { return !(extent == Dim(1)); }));
}

class Finder {
public:
  explicit Finder(const Function &kernel) : kernel_(kernel) {}

  std::optional<HeldTile> run() {
    auto &body = const_cast<Block &>(kernel_.body);  // which is only looked at
    visitExprs(body, [&](Expr &e) {
      if (const Var *var = varOf(e)) read_.insert(var);
      holds_ |= longAxes(e.type) >= 2 || e.kind == ExprKind::Dot;
      holds_ |= (e.kind == ExprKind::Scan || e.kind == ExprKind::Argsort) && longAxes(e.type) > 0;
      holds_ |= e.kind == ExprKind::Gather && longAxes(e.args[0]->type) > 0 && e.args[0]->kind != ExprKind::Load;
    });
    carried(kernel_.body, false);
    look(kernel_.body);
    return std::move(found_);
  }

private:
  /// What a loop or a branch carries is held.
  void carried(const Block &block, bool inside) {
    for (const auto &stmt : block) {
      holds_ |= inside && stmt->kind == StmtKind::Assign && longAxes(stmt->var->type) > 0;
      carried(stmt->body, true);
      carried(stmt->otherwise, true);
    }
  }
  void look(const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->kind == StmtKind::AllocShared) ask(stmt->var->type, stmt->span);
      const bool unread = stmt->kind == StmtKind::Let && !read_.count(stmt->var);
      for (const ExprPtr *e : {&stmt->value, &stmt->condition, &stmt->start, &stmt->stop, &stmt->step})
        if (holds_ && !unread && kernel_.kernel.grid != GridKind::Lanes)
          visitExprs(e->get(), [&](Expr &part) {
            if (const Expr *from = chosenFrom(part)) chosen_.insert({from, part.args[0].get()});  // before its operands
            if (longAxes(part.type) > 0 && !chosen_.count(&part)) ask(part.type, part.span.valid() ? part.span : stmt->span);
          });
      look(stmt->body);
      look(stmt->otherwise);
    }
  }
  /// The load of a tensor of which indices choose elements: they alone are read.
  static const Expr *chosenFrom(const Expr &e) {
    if (e.kind != ExprKind::Gather) return nullptr;
    const Expr *from = e.args[0].get();
    if (from->kind == ExprKind::Reshape) from = from->args[0].get();  // several axes, counted together
    if (from->kind != ExprKind::Load) return nullptr;
    const Access &access = from->as<node::Load>().access;
    return access.base->type.kind == TypeKind::View && !access.other ? from : nullptr;
  }
  void ask(const Type &type, Span span) {
    std::set<std::string> names;
    for (const Dim &extent : type.shape) extent.collectVars(names);
    for (const std::string &name : names) {
      if (found_ || name[0] == '%' || name.find('.') != std::string::npos) continue;
      const bool bounded = std::any_of(kernel_.requirements.begin(), kernel_.requirements.end(),
                                       [&](const Requirement &fact) { return shape::greatestBy(fact.claim(), name).has_value(); });
      if (!bounded) found_ = HeldTile{name, span};
    }
  }

  const Function &kernel_;
  bool holds_ = false;
  std::set<const Var *> read_;
  std::set<const Expr *> chosen_;
  std::optional<HeldTile> found_;
};

}  // namespace

std::optional<HeldTile> unboundedTile(const Function &kernel) {
  return kernel.kind == FunctionKind::Kernel ? Finder(kernel).run() : std::nullopt;
}

}  // namespace tessera::checked
