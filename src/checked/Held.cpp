// What schedules ask of a kernel's values (transforms/schedule/Sizes.cpp, RowsInPieces.cpp), asked of the checked program.
#include "checked/Held.h"
#include "checked/ExprBuild.h"
#include "shape/Bounds.h"
#include <algorithm>
#include <map>
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
      addRowsOf(e.type);
    });
    visitExprs(body, [&](Expr &e) {
      const size_t axes = isOneRow() ? axesBesideRows(e.type) : longAxes(e.type);
      holds_ |= axes >= 2 || e.kind == ExprKind::Dot;
      holds_ |= (e.kind == ExprKind::Scan || e.kind == ExprKind::Argsort) && longAxes(e.type) > 0;
      holds_ |= e.kind == ExprKind::Gather && longAxes(e.args[0]->type) > 0 && (isOneRow() || e.args[0]->kind != ExprKind::Load);
    });
    carried(kernel_.body, false);
    look(kernel_.body);
    return std::move(found_);
  }

private:
  // ---- a row a group: sizes that the schedule leaves open are 1 beside an extent without a bound

  static bool isSize(const Dim &extent) { return extent.isVar() && extent.varName().rfind("T.", 0) == 0; }
  void addRowsOf(const Type &type) {
    if (type.kind != TypeKind::Tensor || unbounded(type).empty()) return;
    for (const Dim &extent : type.shape)
      if (isSize(extent)) rows_.insert(extent.varName());
  }
  bool isOneRow() const {
    const Schedule &schedule = kernel_.kernel.schedule;
    return !rows_.empty() && std::none_of(rows_.begin(), rows_.end(), [&](const std::string &name) {
      return schedule.sizes.count(name.substr(2)) || schedule.space.count(name.substr(2));
    });
  }
  size_t axesBesideRows(const Type &type) const {
    if (type.kind != TypeKind::Tensor) return 0;
    return static_cast<size_t>(std::count_if(type.shape.begin(), type.shape.end(), [&](const Dim &extent) {
      return !(extent == Dim(1)) && !(isSize(extent) && rows_.count(extent.varName()));
    }));
  }

  /// What a loop or a branch carries is held.
  void carried(const Block &block, bool inside) {
    for (const auto &stmt : block) {
      holds_ |= inside && stmt->kind == StmtKind::Assign && longAxes(stmt->var->type) > 0;
      carried(stmt->body, true);
      carried(stmt->otherwise, true);
    }
  }

  // ---- what is held

  void look(const Block &block) {
    for (const auto &stmt : block) {
      if (stmt->kind == StmtKind::AllocShared) ask(stmt->var->type, stmt->span, true);
      const bool unread = stmt->kind == StmtKind::Let && !read_.count(stmt->var);
      if (holds_ && kernel_.kernel.grid != GridKind::Lanes) {
        for (const ExprPtr *e : {&stmt->value, &stmt->condition, &stmt->start, &stmt->stop, &stmt->step})
          if (!unread)
            visitExprs(e->get(), [&](Expr &part) {
              if (const Expr *from = chosenFrom(part)) chosen_.insert({from, part.args[0].get()});  // before its operands
              if (!chosen_.count(&part)) askPart(part, part.span.valid() ? part.span : stmt->span);
            });
        if (stmt->value && longAxes(stmt->value->type) > 0) ask(stmt->value->type, stmt->span, !isStoredWhole(*stmt));
        askCarried(*stmt);
        askStale(*stmt);
      }
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

  // ---- what cannot be taken in pieces

  void askPart(const Expr &part, Span span) {
    if (longAxes(part.type) > 0) ask(part.type, span, !hasPieces(part));
    if (part.kind == ExprKind::Reduce || part.kind == ExprKind::Dot || part.kind == ExprKind::VarRef) return;  // where an axis may end
    const std::set<std::string> left = unbounded(part.type);
    for (const ExprPtr &operand : part.args)
      for (const std::string &name : chosen_.count(operand.get()) ? std::set<std::string>() : unbounded(operand->type))
        if (!left.count(name)) ask(operand->type, span, true);
  }
  bool hasPieces(const Expr &part) const {
    switch (part.kind) {
    case ExprKind::VarRef:
    case ExprKind::Elementwise:
    case ExprKind::Cast:
    case ExprKind::Broadcast:
    case ExprKind::Transpose:
    case ExprKind::Reduce:
    case ExprKind::Dot:
    case ExprKind::Full:
    case ExprKind::Iota:
    case ExprKind::After: return true;
    case ExprKind::Load: return part.as<node::Load>().access.base->type.kind == TypeKind::View;
    case ExprKind::Gather: return chosen_.count(part.args[0].get()) || unbounded(part.args[0]->type).empty();
    case ExprKind::Reshape: return longShape(part.type) == longShape(part.args[0]->type);
    case ExprKind::Scan: return namesIn(part.type.shape[static_cast<size_t>(part.as<node::Scan>().axis)]).empty();
    case ExprKind::Argsort: return namesIn(part.type.shape.back()).empty();
    case ExprKind::Constant:
    case ExprKind::String:
    case ExprKind::DimValue:
    case ExprKind::Table:
    case ExprKind::Concat:
    case ExprKind::Window:
    case ExprKind::ScatterAdd:
    case ExprKind::Exchange:
    case ExprKind::Slice:
    case ExprKind::Query:
    case ExprKind::Warp:
    case ExprKind::Call:
    case ExprKind::TupleItem:
    case ExprKind::Derivative:
    case ExprKind::Vmap:
    case ExprKind::HostShape:
    case ExprKind::HostRank:
    case ExprKind::HostItem:
    case ExprKind::LoadNpy:
    case ExprKind::HostCall:
    case ExprKind::Format:
    case ExprKind::Opaque: return false;
    }
    return false;
  }
  static std::vector<Dim> longShape(const Type &type) {
    std::vector<Dim> shape = type.shape;
    std::erase(shape, Dim(1));
    return shape;
  }
  /// A piece at the end of an axis must not write behind it, but where the tensor ends.
  bool isStoredWhole(const Stmt &stmt) const {
    if (stmt.kind == StmtKind::Atomic) return false;
    if (stmt.kind != StmtKind::Store) return true;
    const std::vector<Dim> &extents = stmt.access.base->type.shape;
    for (size_t i = 0; i < stmt.access.parts.size(); ++i) {
      const IndexPart &part = stmt.access.parts[i];
      if (part.isPoint || namesIn(part.size).empty()) continue;
      if (!isZero(part.offset.get()) || part.step != 1 || !(part.size == extents[i])) return false;
    }
    return true;
  }
  static bool isZero(const Expr *offset) {
    if (!offset) return true;
    if (offset->kind != ExprKind::Constant) return false;
    const auto &constant = offset->as<node::Constant>();
    const auto *number = std::get_if<int64_t>(&constant.value);
    return number ? *number == 0 : constant.dim == Dim(0);
  }

  /// A piece is read where it is used: nothing may have been written there since the program has read it.
  void askStale(const Stmt &stmt) {
    if (!stmt.value) return;
    std::set<const Var *> bases;
    visitExprs(stmt.value.get(), [&](Expr &part) {
      const Var *var = varOf(part);
      if (var && stale_.count(var)) ask(var->type, stmt.span, true);
      if (auto found = from_.find(var); var && found != from_.end()) bases.insert(found->second.begin(), found->second.end());
      if (part.kind == ExprKind::Load && !unbounded(part.type).empty()) bases.insert(part.as<node::Load>().access.base);
    });
    if (stmt.var && !unbounded(stmt.var->type).empty()) from_[stmt.var] = bases;
    if (stmt.kind != StmtKind::Store && stmt.kind != StmtKind::Atomic) return;
    for (const auto &[var, read] : from_)
      if (read.count(stmt.access.base)) stale_.insert(var);
  }
  /// A loop runs again for each piece of what it carries: nothing in it may depend on the rest, and nothing but values come out of it.
  void askCarried(const Stmt &stmt) {
    std::set<const Var *> carried;
    bool isPlain = stmt.kind != StmtKind::While;
    for (size_t before = carried.size() + 1; before != carried.size();) {  // what is made of them later in the loop, too
      before = carried.size();
      for (const Block *block : {&stmt.body, &stmt.otherwise}) findCarried(*block, carried, isPlain);
    }
    for (const Var *var : carried) ask(var->type, stmt.span, !isPlain);
    if (carried.empty()) return;
    askEnds(stmt.body, carried);
    askEnds(stmt.otherwise, carried);
  }
  void askEnds(const Block &block, const std::set<const Var *> &carried) {
    for (const auto &stmt : block) {
      visitExprs(stmt->value.get(), [&](Expr &e) {
        if (e.kind != ExprKind::Reduce && e.kind != ExprKind::Dot) return;
        for (const ExprPtr &operand : e.args)
          for (const std::string &name : unbounded(operand->type))
            if (!unbounded(e.type).count(name) && reads(*operand, carried)) ask(operand->type, stmt->span, true);
      });
      askEnds(stmt->body, carried);
      askEnds(stmt->otherwise, carried);
    }
  }
  static bool reads(Expr &e, const std::set<const Var *> &variables) {
    bool found = false;
    visitExprs(&e, [&](Expr &part) { found |= varOf(part) && variables.count(varOf(part)); });
    return found;
  }
  /// Variables with an extent without a bound that the block sets anew, and what is made of them.
  void findCarried(const Block &block, std::set<const Var *> &carried, bool &isPlain) {
    for (const auto &stmt : block) {
      const bool isValue = stmt->kind == StmtKind::Let || stmt->kind == StmtKind::Assign;
      isPlain &= isValue || stmt->kind == StmtKind::For || stmt->kind == StmtKind::If;
      const bool isMade = stmt->kind == StmtKind::Let && reads(*stmt->value, carried);
      if ((isMade || stmt->kind == StmtKind::Assign) && !unbounded(stmt->var->type).empty()) carried.insert(stmt->var);
      findCarried(stmt->body, carried, isPlain);
      findCarried(stmt->otherwise, carried, isPlain);
    }
  }

  // ---- extents

  /// The dimensions of an extent that have no greatest value.
  std::set<std::string> namesIn(const Dim &extent) const {
    std::set<std::string> names;
    extent.collectVars(names);
    std::erase_if(names, [&](const std::string &name) {
      return name[0] == '%' || name.find('.') != std::string::npos ||
             std::any_of(kernel_.requirements.begin(), kernel_.requirements.end(),
                         [&](const Requirement &fact) { return shape::greatestBy(fact.claim(), name).has_value(); });
    });
    return names;
  }
  std::set<std::string> unbounded(const Type &type) const {
    std::set<std::string> all;
    for (const Dim &extent : type.shape) all.merge(namesIn(extent));
    return all;
  }
  void ask(const Type &type, Span span, bool isHeldWhole) {
    for (const Dim &extent : type.shape) {
      const std::set<std::string> names = namesIn(extent);
      const bool isSquare = std::count(type.shape.begin(), type.shape.end(), extent) > 1;
      if (!found_ && !names.empty() && (isHeldWhole || isSquare)) found_ = HeldTile{*names.begin(), span};
    }
  }

  const Function &kernel_;
  bool holds_ = false;
  std::set<std::string> rows_;
  std::set<const Var *> read_;
  std::set<const Expr *> chosen_;
  std::map<const Var *, std::set<const Var *>> from_;  // the tensors that what has an extent without a bound is read from
  std::set<const Var *> stale_;
  std::optional<HeldTile> found_;
};

}  // namespace

std::optional<HeldTile> unboundedTile(const Function &kernel) {
  return kernel.kind == FunctionKind::Kernel ? Finder(kernel).run() : std::nullopt;
}

}  // namespace tessera::checked
