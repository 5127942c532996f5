#include "autodiff/BatchKernel.h"
#include "checked/ExprBuild.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Access;
using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::ExprPtr;
using checked::Function;
using checked::GridKind;
using checked::Query;
using checked::Stmt;
using checked::StmtKind;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

namespace {

constexpr int kMostAxes = 8;  // of a grid whose queries are named in sizes

bool isQuery(const Expr &e, Query what) {
  auto *query = e.get<node::Query>();
  return query && query->what == what;
}

/// Calls `visit` with each expression and statement of a body.
template <class Visit> void visitStmts(Block &block, const Visit &visit) {
  for (auto &stmt : block) {
    visit(*stmt);
    visitStmts(stmt->body, visit);
    visitStmts(stmt->otherwise, visit);
  }
}

/// Writes the kernel once more, with a grid that has the axis.
class BatchedKernel {
public:
  BatchedKernel(const Function &kernel, const std::string &axis) : kernel_(kernel), axis_(Dim::var(axis)), made_(std::make_unique<Function>()) {
    made_->kind = kernel.kind;
    made_->span = kernel.span;
    made_->signature = kernel.signature + ", for each index of `" + axis + "`";
    made_->dims = kernel.dims;
    made_->dims.insert(made_->dims.begin(), axis);
    made_->requirements = kernel.requirements;
    made_->effects = kernel.effects;
    made_->kernel = kernel.kernel;
    made_->deterministic = kernel.deterministic;
    made_->ofCall = true;
  }

  std::unique_ptr<Function> run(const std::vector<bool> &mapped) {
    grid();
    variables();
    parameters(mapped);
    copyBody();
    return std::move(made_);
  }

private:
  bool byLanes() const { return kernel_.kernel.grid == GridKind::Lanes; }

  /// The axis is the first of the grid, along which a group has one index; those of the kernel come behind it. Lanes in a row have it
  /// in front of their number.
  void grid() {
    checked::KernelInfo &info = made_->kernel;
    if (byLanes()) {
      info.laneExtent = axis_ * info.laneExtent;
      return;
    }
    if (info.grid == GridKind::Output) info.tileShape.insert(info.tileShape.begin(), Dim(1));
    else info.gridDims.insert(info.gridDims.begin(), axis_);
    for (Query query : {Query::Origin, Query::GroupId, Query::GroupCount})
      for (int a = 0; a < kMostAxes; ++a) renamed_[checked::queryName(query, a)] = Dim::var(checked::queryName(query, a + 1));
  }

  void variables() {
    for (const auto &var : kernel_.vars) {
      made_->vars.push_back(std::make_unique<Var>(*var));
      vars_[var.get()] = made_->vars.back().get();
    }
    number_ = added("index", checked::indexType());
    number_->varying = byLanes();
    if (byLanes()) {
      lane_ = added("lane", checked::indexType());
      own_ = added("own", checked::indexType());
      lane_->varying = own_->varying = true;
      renamed_[checked::queryName(Query::LinearId, 0)] = Dim::var("%" + std::to_string(own_->id));
    }
    for (auto &var : made_->vars) rename(var->type);
  }

  Var *added(const std::string &name, Type type) {
    auto var = std::make_unique<Var>();
    var->id = static_cast<uint32_t>(made_->vars.size());
    for (const auto &other : made_->vars) var->id = std::max(var->id, other->id + 1);
    var->name = name;
    var->type = std::move(type);
    var->span = kernel_.span;
    made_->vars.push_back(std::move(var));
    return made_->vars.back().get();
  }

  void parameters(const std::vector<bool> &mapped) {
    size_t argument = 0;
    for (const checked::Param &param : kernel_.params) {
      checked::Param copy;
      copy.var = vars_.at(param.var);
      copy.mode = param.mode;
      copy.keywordOnly = param.keywordOnly;
      copy.isResult = param.isResult;
      copy.scalesOf = param.scalesOf;
      if (param.isResult || mapped[argument++]) widen(copy);
      made_->params.push_back(std::move(copy));
    }
    for (const checked::FunctionResult &result : kernel_.results) {
      made_->results.push_back(result);
      rename(made_->results.back().type);
      Type &type = made_->results.back().type;
      type.shape.insert(type.shape.begin(), axis_);
    }
  }

  /// A parameter with the axis in front. A number for each index is read where the body begins.
  void widen(checked::Param &param) {
    Type type = param.var->type;
    bool isNumber = type.kind == TypeKind::Scalar;
    type.kind = TypeKind::View;
    type.shape.insert(type.shape.begin(), axis_);
    if (isNumber) {
      Var *number = param.var;
      param.var = added(number->name, type);
      numbers_.emplace_back(number, param.var);
    } else {
      param.var->type = type;
    }
    widened_.insert(param.var);
  }

  static ExprPtr query(Query what, int axis, Span span) {
    ExprPtr e = checked::makeExpr(ExprKind::Query, checked::indexType(), span);
    e->as<node::Query>() = {what, axis};
    return e;
  }
  static ExprPtr binary(ElementwiseOp op, ExprPtr a, ExprPtr b, Span span, Type type = checked::indexType()) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(a));
    args.push_back(std::move(b));
    return checked::makeElementwise(op, std::move(type), span, std::move(args));
  }

  // ---- the body

  void rename(Dim &dim) const { dim = dim.substitute(renamed_); }
  void rename(Type &type) const {
    for (Dim &dim : type.shape) rename(dim);
    for (Type &item : type.items) rename(item);
  }

  void rename(Access &access) {
    if (access.base) access.base = vars_.at(access.base);
    for (checked::IndexPart &part : access.parts) rename(part.size);
    if (!widened_.count(access.base)) return;
    checked::IndexPart own;
    own.isPoint = own.inBounds = true;
    own.offset = checked::makeRef(number_, kernel_.span);
    access.parts.insert(access.parts.begin(), std::move(own));
  }

  void rename(Expr &e) {
    rename(e.type);
    if (Dim *dim = checked::writtenDim(e)) rename(*dim);
    if (auto *ref = e.get<node::VarRef>(); ref && vars_.count(ref->var)) ref->var = vars_.at(ref->var);
    auto *query = e.get<node::Query>();
    bool ofGrid = query && (query->what == Query::Origin || query->what == Query::GroupId || query->what == Query::GroupCount);
    if (ofGrid && !byLanes()) ++query->axis;
    if (Access *access = checked::accessOf(e); access && access->base) rename(*access);
  }

  /// The number of a lane among those of its index.
  void nameLanes(ExprPtr &e) const {
    if (!e) return;
    for (ExprPtr &arg : e->args) nameLanes(arg);
    if (Access *access = checked::accessOf(*e)) nameLanes(*access);
    if (!isQuery(*e, Query::LinearId)) return;
    if (byLanes()) {
      e = checked::makeRef(own_, e->span);
      return;
    }
    const Span at = e->span;
    e = binary(ElementwiseOp::Add, binary(ElementwiseOp::Mul, query(Query::GroupId, 1, at), query(Query::GroupSize, 0, at), at), query(Query::LocalId, 0, at), at);
  }
  void nameLanes(Access &access) const {
    for (checked::IndexPart &part : access.parts) nameLanes(part.offset);
    nameLanes(access.other);
  }

  /// Whether a condition holds for all lanes below the extent: that their number is less.
  bool isGuard(const Stmt &stmt) const {
    if (!byLanes() || stmt.kind != StmtKind::If || !stmt.otherwise.empty()) return false;
    auto *less = stmt.condition->get<node::Elementwise>();
    if (!less || less->op != ElementwiseOp::Lt) return false;
    const Dim *extent = checked::writtenDim(*stmt.condition->args[1]);
    const Var *var = checked::varOf(*stmt.condition->args[0]);
    bool isLane = isQuery(*stmt.condition->args[0], Query::LinearId) || (var && lanes_.count(var));
    return isLane && extent && *extent == kernel_.kernel.laneExtent;
  }

  Block copied(const Block &block) {
    Block out;
    for (const auto &stmt : block) {
      if (byLanes() && stmt->kind == StmtKind::Return) continue;  // at the end, where nothing is left to do
      if (stmt->kind == StmtKind::Let && isQuery(*stmt->value, Query::LinearId) && !stmt->var->reassigned) lanes_.insert(stmt->var);
      if (isGuard(*stmt)) {
        for (auto &inner : copied(stmt->body)) out.push_back(std::move(inner));
        continue;
      }
      out.push_back(copied(*stmt));
    }
    return out;
  }

  std::unique_ptr<Stmt> copied(const Stmt &stmt) {
    auto out = std::make_unique<Stmt>();
    out->kind = stmt.kind;
    out->span = stmt.span;
    out->var = stmt.var ? vars_.at(stmt.var) : nullptr;
    for (auto part : {&Stmt::value, &Stmt::extra, &Stmt::condition, &Stmt::start, &Stmt::stop, &Stmt::step})
      if (const ExprPtr &e = stmt.*part) out.get()->*part = copied(*e);
    for (auto part : {&Stmt::access, &Stmt::source}) {
      const Access &from = stmt.*part;
      if (!from.base) continue;
      Access &access = out.get()->*part;
      access = checked::clone(from);
      checked::visitExprs(access, [&](Expr &e) { rename(e); });
      nameLanes(access);
      rename(access);
    }
    out->oncePerGroup = stmt.oncePerGroup;
    out->combine = stmt.combine;
    out->count = stmt.count;
    for (const ExprPtr &value : stmt.values) out->values.push_back(value ? copied(*value) : nullptr);
    out->body = copied(stmt.body);
    out->otherwise = copied(stmt.otherwise);
    return out;
  }

  ExprPtr copied(const Expr &e) {
    ExprPtr out = checked::clone(e);
    checked::visitExprs(out.get(), [&](Expr &part) { rename(part); });
    nameLanes(out);
    return out;
  }

  void let(Block &block, Var *var, ExprPtr value) const {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = StmtKind::Let;
    stmt->span = kernel_.span;
    stmt->var = var;
    stmt->value = std::move(value);
    block.push_back(std::move(stmt));
  }

  void copyBody() {
    Block body;
    Block *inside = &body;
    if (byLanes()) inside = beginLanes(body);
    else let(body, number_, query(kernel_.kernel.grid == GridKind::Output ? Query::Origin : Query::GroupId, 0, kernel_.span));
    for (auto [number, view] : numbers_) {
      ExprPtr load = checked::makeExpr(ExprKind::Load, number->type, kernel_.span);
      Access &access = load->as<node::Load>().access;
      access.base = view;
      access.parts.emplace_back();
      access.parts[0].isPoint = access.parts[0].inBounds = true;
      access.parts[0].offset = checked::makeRef(number_, kernel_.span);
      let(*inside, number, std::move(load));
    }
    for (auto &stmt : copied(kernel_.body)) inside->push_back(std::move(stmt));
    made_->body = std::move(body);
  }

  /// lane = linear_id; if lane < axis * extent: index = lane // extent; own = lane % extent. Gives the block that goes on.
  Block *beginLanes(Block &body) const {
    auto ofLane = [&](ElementwiseOp op, const Dim &dim, Type type) {
      ExprPtr size = checked::makeExpr(ExprKind::DimValue, checked::indexType(), kernel_.span);
      size->as<node::DimValue>().dim = dim;
      return binary(op, checked::makeRef(lane_, kernel_.span), std::move(size), kernel_.span, std::move(type));
    };
    let(body, lane_, query(Query::LinearId, 0, kernel_.span));
    auto guard = std::make_unique<Stmt>();
    guard->kind = StmtKind::If;
    guard->span = kernel_.span;
    guard->condition = ofLane(ElementwiseOp::Lt, made_->kernel.laneExtent, checked::scalarType(DType::Bool));
    Block *inside = &guard->body;
    body.push_back(std::move(guard));
    let(*inside, number_, ofLane(ElementwiseOp::FloorDiv, kernel_.kernel.laneExtent, checked::indexType()));
    let(*inside, own_, ofLane(ElementwiseOp::Mod, kernel_.kernel.laneExtent, checked::indexType()));
    return inside;
  }

  const Function &kernel_;
  Dim axis_;
  std::unique_ptr<Function> made_;
  std::map<const Var *, Var *> vars_;
  std::map<std::string, Dim> renamed_;  // what sizes call places in the grid
  std::set<const Var *> widened_;       // parameters with the axis in front
  std::vector<std::pair<Var *, Var *>> numbers_;  // numbers of the kernel, and the parameters that have them for all indices
  std::set<const Var *> lanes_;         // variables of the kernel that are the number of the lane
  Var *number_ = nullptr;               // the index of the axis
  Var *lane_ = nullptr, *own_ = nullptr;  // Lanes: the number of the lane, and that among those of its index
};

}  // namespace

std::vector<bool> mappedInKernel(const Function &kernel, std::vector<bool> mapped) {
  size_t argument = 0;
  for (const checked::Param &param : kernel.params) {
    if (param.isResult) continue;
    if (param.mode != checked::ParamMode::In) mapped[argument] = true;
    ++argument;
  }
  return mapped;
}

std::string whyNotBatched(const Function &kernel) {
  if (kernel.kernel.grid != GridKind::Lanes) return {};
  std::string why;
  Block &body = const_cast<Function &>(kernel).body;
  checked::visitExprs(body, [&](Expr &e) {
    auto *query = e.get<node::Query>();
    if (e.kind == ExprKind::Warp) why = "lanes that exchange values";
    else if (query && query->what != Query::LinearId) why = "lanes that ask for their group";
  });
  visitStmts(body, [&](Stmt &stmt) {
    if (stmt.kind == StmtKind::AllocShared || stmt.kind == StmtKind::Barrier) why = "lanes that share memory";
  });
  return why;
}

std::unique_ptr<Function> batchedKernel(const Function &kernel, const std::vector<bool> &mapped, const std::string &axis, const std::string &name) {
  auto made = BatchedKernel(kernel, axis).run(mapped);
  made->name = name;
  return made;
}

}  // namespace tessera::autodiff
