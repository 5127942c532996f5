#include "sema/races/Order.h"
#include "checked/ExprBuild.h"
#include "sema/races/Simulation.h"
#include "support/SetAtPlaces.h"
#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tessera::sema::races {
namespace {

using Olds = std::set<const Var *>;
/// What lanes found where they updated memory.
void collectOlds(const Block &block, Olds &olds) {
  for (const auto &stmt : block) {
    if (stmt->kind == StmtKind::Atomic && stmt->var) olds.insert(stmt->var);
    collectOlds(stmt->body, olds);
    collectOlds(stmt->otherwise, olds);
  }
}
Olds oldsOf(const Block &block) {
  Olds olds;
  collectOlds(block, olds);
  return olds;
}

class Order {
public:
  explicit Order(const Function &kernel)
      : body_(kernel.body), olds_(oldsOf(kernel.body)),
        isData_([this](const Expr &e) { return e.kind == ExprKind::Load || olds_.count(varOf(e)); }), fromData_(madeFrom(kernel, isData_)) {
    for (const Param &param : kernel.params)
      if (param.var->type.kind == TypeKind::View && param.mode != ParamMode::In) written_.insert(param.var);
    const KernelInfo &info = kernel.kernel;
    oneGroup_ = info.grid == GridKind::Explicit && std::all_of(info.gridDims.begin(), info.gridDims.end(),
                                                               [](const Dim &d) { return d == Dim(1); });
  }
  Effects run() {
    updates(body_);
    block(body_);
    return std::move(effects_);
  }

  std::vector<const Stmt *> lost() {
    lostIn(body_);
    return std::move(lost_);
  }

private:
  /// Data say all of the place.
  bool onlyByData(const Access &access) const {
    return !access.parts.empty() && std::all_of(access.parts.begin(), access.parts.end(), [&](const IndexPart &part) {
      return part.isPoint && part.offset && isMadeFrom(*part.offset, fromData_, isData_);
    });
  }
  static bool comparesEqual(Expr &condition) {
    bool found = false;
    visitExprs(&condition, [&](const Expr &e) {
      found |= e.kind == ExprKind::Elementwise && e.as<node::Elementwise>().op == ElementwiseOp::Eq;
    });
    return found;
  }
  /// The element with something added to it or taken from it, the greater or the less of both, or some of its bits: what one step of
  /// memory can do. For other changes there is no other way to write them; data may name each element once.
  static bool isAtomic(const Expr &value, const Var *base) {
    if (value.kind == ExprKind::Cast && !value.as<node::Cast>().ofBits) return isAtomic(*value.args[0], base);
    if (value.kind != ExprKind::Elementwise) return false;
    static const std::set<ElementwiseOp> steps = {ElementwiseOp::Add, ElementwiseOp::Sub, ElementwiseOp::Max, ElementwiseOp::Min,
                                                  ElementwiseOp::And, ElementwiseOp::Or,  ElementwiseOp::Xor};
    auto isOld = [&](const Expr *e) {
      while (e->kind == ExprKind::Cast) e = e->args[0].get();
      return e->kind == ExprKind::Load && e->as<node::Load>().access.base == base;
    };
    return steps.count(value.as<node::Elementwise>().op) && std::any_of(value.args.begin(), value.args.end(), [&](const auto &e) { return isOld(e.get()); });
  }
  void lostIn(const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->kind == StmtKind::If && comparesEqual(*stmt->condition)) continue;  // of one lane
      lostIn(stmt->body);
      lostIn(stmt->otherwise);
      if (stmt->kind != StmtKind::Store || (oneGroup_ && stmt->oncePerGroup) || !stmt->value) continue;
      const bool isShared = stmt->access.base->type.kind == TypeKind::Shared;  // of the lanes of one group
      if ((!isShared && !written_.count(stmt->access.base)) || !onlyByData(stmt->access)) continue;
      if (isAtomic(*stmt->value, stmt->access.base)) lost_.push_back(stmt.get());
    }
  }

  void add(Span span, std::string text) { effects_.add({EffectKind::Nondet, "", false, false, {{span, std::move(text)}}}); }
  /// Notes which tensors are updated in one step where data decide, and in which ways.
  void updates(const Block &block) {
    for (const auto &stmt : block) {
      updates(stmt->body);
      updates(stmt->otherwise);
      if (stmt->kind != StmtKind::Atomic) continue;
      bool named = byData(stmt->access);
      for (const ExprPtr &index : stmt->values) named |= isMadeFrom(*index, fromData_, isData_);
      if (!named) continue;
      if (stmt->combine == kSetAtPlaces) namedByData(stmt->access, stmt->span, "written");
      auto [known, isNew] = updated_.insert({stmt->access.base, stmt->combine});
      if (!isNew && known->second != stmt->combine)
        add(stmt->span, "`" + stmt->access.base->name + "` is updated in several ways, and which comes first decides what is left");
    }
  }
  /// A plain use of what is updated elsewhere, where data decide.
  void besideUpdates(const Access &access, Span span, const char *verb) {
    if (access.base && updated_.count(access.base))
      add(span, "`" + access.base->name + "` is " + verb + " here, and lanes or groups update it where data decide: before or after is not defined");
  }
  bool byData(const Access &access) const {
    return std::any_of(access.parts.begin(), access.parts.end(), [&](const IndexPart &part) {
      return part.offset && isMadeFrom(*part.offset, fromData_, isData_);
    });
  }
  static bool isTile(const Access &access) {
    return std::any_of(access.parts.begin(), access.parts.end(), [](const IndexPart &p) { return !p.isPoint; });
  }
  void note(const Access &access, Span span, const char *verb) {
    if (!access.base || !written_.count(access.base) || !byData(access)) return;
    namedByData(access, span, verb);
  }
  void namedByData(const Access &access, Span span, const char *verb) {
    add(span, "data decide which element of `" + access.base->name + "` is " + verb + " here: two lanes or groups may mean the same one");
  }
  void block(const Block &block) {
    for (const auto &stmt : block) {
      // One group does the tiles, and what one lane does, in the order of the program.
      bool ordered = oneGroup_ && (stmt->oncePerGroup || isTile(stmt->access));
      if (stmt->kind == StmtKind::Store && !ordered) note(stmt->access, stmt->span, "written");
      if (stmt->kind == StmtKind::Store) besideUpdates(stmt->access, stmt->span, "written");
      for (const ExprPtr *e : {&stmt->value, &stmt->condition, &stmt->start, &stmt->stop, &stmt->step})
        visitExprs(e->get(), [&](Expr &inner) {
          if (inner.kind == ExprKind::Load) besideUpdates(inner.as<node::Load>().access, inner.span, "read");
          if (olds_.count(varOf(inner))) add(inner.span, "what was there before an update depends on the order of lanes and groups");
          if (inner.kind == ExprKind::Load && !(oneGroup_ && (stmt->oncePerGroup || isTile(inner.as<node::Load>().access))))
            note(inner.as<node::Load>().access, inner.span, "read");
        });
      this->block(stmt->body);
      this->block(stmt->otherwise);
    }
  }

  const Block &body_;
  const Olds olds_;
  const std::function<bool(const Expr &)> isData_;
  std::set<const Var *> fromData_, written_;
  std::map<const Var *, ElementwiseOp> updated_;
  bool oneGroup_ = false;
  std::vector<const Stmt *> lost_;
  Effects effects_;
};

/// Whether something else runs in the block than copies, and what waits for them: they change no value.
bool computes(const Block &block) {
  return std::any_of(block.begin(), block.end(), [](const auto &stmt) {
    switch (stmt->kind) {
    case StmtKind::AsyncCopy:
    case StmtKind::CommitGroup:
    case StmtKind::WaitGroup:
    case StmtKind::Barrier: return false;
    case StmtKind::If: return computes(stmt->body) || computes(stmt->otherwise);
    default: return true;
    }
  });
}

class SizesInValues {
public:
  explicit SizesInValues(const Function &kernel)
      : kernel_(kernel), isSize_([this](const Expr &e) { return isSize(e); }), made_(madeFrom(kernel, isSize_, false)) {}
  Effects run() {
    block(kernel_.body);
    return std::move(effects_);
  }

private:
  bool isOpen(const std::string &name) const {
    return name.rfind("T.", 0) == 0 && !kernel_.kernel.schedule.sizes.count(name.substr(2));
  }
  /// A dimension with the size of a tile in it, but for the number of a tile times its size.
  bool isSize(const Expr &expr) const {
    if (expr.kind != ExprKind::DimValue) return false;
    for (const Dim::Term &term : expr.as<node::DimValue>().dim.terms()) {
      std::set<std::string> names;
      for (const auto &[atom, power] : term.atoms) {
        if (atom.kind == AtomKind::Var) names.insert(atom.name);
        for (const auto &part : {atom.left, atom.right})
          if (part) part->collectVars(names);
      }
      bool open = std::any_of(names.begin(), names.end(), [&](const std::string &n) { return isOpen(n); });
      bool counts = std::any_of(names.begin(), names.end(), [](const std::string &n) { return n[0] == '%'; });
      if (open && !counts) return true;
    }
    return false;
  }
  static bool counts(const Expr &expr) { return expr.kind == ExprKind::VarRef || expr.kind == ExprKind::Query; }
  bool made(const Expr &expr) const {
    bool product = expr.kind == ExprKind::Elementwise && expr.as<node::Elementwise>().op == ElementwiseOp::Mul;
    if (product && (counts(*expr.args[0]) || counts(*expr.args[1]))) return false;
    if (isSize(expr) || (made_.count(varOf(expr)))) return true;
    return std::any_of(expr.args.begin(), expr.args.end(), [&](const ExprPtr &arg) { return made(*arg); });
  }
  void note(Span span, const char *what) {
    std::string text = std::string(what) + " is made of a tile's size, which the compiler chooses";
    effects_.add({EffectKind::Schedule, "", false, false, {{span, std::move(text)}}});
  }
  void values(const Expr &expr) {
    if (expr.kind == ExprKind::Cast && expr.type.kind != TypeKind::Index &&
        expr.args[0]->type.kind == TypeKind::Index && made(*expr.args[0]))
      note(expr.span, "this value");
    for (size_t i = 0; i < expr.args.size(); ++i) {
      bool condition = expr.kind == ExprKind::Elementwise && expr.as<node::Elementwise>().op == ElementwiseOp::Select && i == 0;
      if (condition && expr.as<node::Elementwise>().ofLimit) continue;
      if (condition && made(*expr.args[0])) note(expr.span, "this choice");
      values(*expr.args[i]);
    }
  }
  void block(const Block &block) {
    for (const auto &stmt : block) {
      bool decides = stmt->kind == StmtKind::If || stmt->kind == StmtKind::While;
      if (decides && (computes(stmt->body) || computes(stmt->otherwise)) && made(*stmt->condition))
        note(stmt->condition->span.valid() ? stmt->condition->span : stmt->span, "this condition");
      if (stmt->value) values(*stmt->value);
      this->block(stmt->body);
      this->block(stmt->otherwise);
    }
  }

  const Function &kernel_;
  std::function<bool(const Expr &)> isSize_;
  std::set<const Var *> made_;
  Effects effects_;
};

}  // namespace

std::vector<const Stmt *> lostUpdates(const Function &kernel) {
  const bool oneLane = kernel.kernel.groupSize == 1 && kernel.kernel.grid == GridKind::Explicit;
  return oneLane || !kernel.kernel.usesLanes ? std::vector<const Stmt *>() : Order(kernel).lost();
}
Effects effectsOfOrder(const Function &kernel) { return Order(kernel).run(); }
Effects effectsOfSizes(const Function &kernel) { return SizesInValues(kernel).run(); }

}  // namespace tessera::sema::races
