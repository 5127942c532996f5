#include "sema/races/Lanes.h"
#include "checked/ExprBuild.h"
#include "support/Integers.h"
#include "support/Lanes.h"
#include <algorithm>

namespace tessera::sema::races {
namespace {

std::optional<int64_t> dividedBy(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  return floorDivide(a, b);
}

/// One lane's value; nothing where the operation has none, or overflows.
std::optional<int64_t> apply(ElementwiseOp op, bool truth, const int64_t *v) {
  using O = ElementwiseOp;
  int64_t out = 0;
  switch (op) {
  case O::Add: return __builtin_add_overflow(v[0], v[1], &out) ? std::nullopt : std::optional(out);
  case O::Sub: return __builtin_sub_overflow(v[0], v[1], &out) ? std::nullopt : std::optional(out);
  case O::Mul: return __builtin_mul_overflow(v[0], v[1], &out) ? std::nullopt : std::optional(out);
  case O::FloorDiv: return dividedBy(v[0], v[1]);
  case O::Mod: {
    auto quotient = dividedBy(v[0], v[1]);
    return quotient ? std::optional(v[0] - *quotient * v[1]) : std::nullopt;
  }
  case O::Min: return std::min(v[0], v[1]);
  case O::Max: return std::max(v[0], v[1]);
  case O::Neg: return v[0] == INT64_MIN ? std::nullopt : std::optional(-v[0]);
  case O::Abs: return v[0] == INT64_MIN ? std::nullopt : std::optional(v[0] < 0 ? -v[0] : v[0]);
  case O::Eq: return v[0] == v[1];
  case O::Ne: return v[0] != v[1];
  case O::Lt: return v[0] < v[1];
  case O::Le: return v[0] <= v[1];
  case O::Gt: return v[0] > v[1];
  case O::Ge: return v[0] >= v[1];
  case O::And: return v[0] & v[1];
  case O::Or: return v[0] | v[1];
  case O::Xor: return v[0] ^ v[1];
  case O::Not: return truth ? !v[0] : ~v[0];
  case O::Shl:
    if (v[1] < 0 || v[1] > 62 || v[0] < 0 || v[0] > (INT64_MAX >> v[1])) return std::nullopt;
    return v[0] << v[1];
  case O::Shr: return v[1] < 0 || v[1] > 63 ? std::nullopt : std::optional(v[0] >> v[1]);
  case O::Select: return v[0] ? v[1] : v[2];
  default: return std::nullopt;
  }
}

bool isInteger(const Type &type) {
  return type.kind == TypeKind::Index ||
         (type.kind == TypeKind::Scalar && (isInt(type.dtype) || type.dtype == DType::Bool));
}

}  // namespace

Lanes::Lanes(size_t count, Sizes sizes, GroupPlace place)
    : count_(count), sizes_(std::move(sizes)), place_(std::move(place)) {}

std::optional<int64_t> Lanes::size(const Dim &dim) const {
  return dim.evaluate([&](const std::string &name) -> std::optional<int64_t> {
    auto it = sizes_.find(name);
    return it == sizes_.end() ? std::nullopt : std::optional(it->second);
  });
}

Number Lanes::query(Query query, int axis) const {
  Number each{true, {}};
  auto a = static_cast<size_t>(axis);
  auto along = [](const std::vector<int64_t> &values, size_t i, int64_t without) {
    return i < values.size() ? values[i] : without;
  };
  int64_t first = query == Query::LinearId ? along(place_.at, 0, 0) * static_cast<int64_t>(count_) : 0;
  switch (query) {
  case Query::Origin: return Number::of(along(place_.at, a, 0) * along(place_.tile, a, 1));
  case Query::GroupId: return Number::of(along(place_.at, a, 0));
  case Query::GroupSize: return Number::of(static_cast<int64_t>(count_));
  case Query::GroupCount: return a < place_.grid.size() ? Number::of(place_.grid[a]) : Number::unknown();
  case Query::LocalId:
  case Query::LinearId:
  case Query::LaneId:
    for (size_t lane = 0; lane < count_; ++lane) {
      auto number = static_cast<int64_t>(lane);
      each.lanes.push_back(query == Query::LaneId ? number % kWarpLanes : first + number);
    }
    return each;
  }
  return Number::unknown();
}

Number Lanes::elementwise(const Expr &expr) const {
  std::vector<Number> args;
  bool known = true, uniform = true;
  for (const ExprPtr &arg : expr.args) {
    args.push_back(evaluate(*arg));
    known &= args.back().known;
    uniform &= args.back().uniform();
  }
  bool truth = expr.type.kind == TypeKind::Scalar && expr.type.dtype == DType::Bool;
  if (!known && truth)  // one side may decide alone
    for (const Number &arg : args) {
      bool decides = arg.uniform() && ((expr.as<node::Elementwise>().op == ElementwiseOp::And && arg.at(0) == 0) ||
                                       (expr.as<node::Elementwise>().op == ElementwiseOp::Or && arg.at(0) != 0));
      if (decides) return arg;
    }
  if (!known || args.size() > 3) return Number::unknown();
  Number out{true, {}};
  for (size_t lane = 0; lane < (uniform ? 1 : count_); ++lane) {
    int64_t values[3] = {};
    for (size_t i = 0; i < args.size(); ++i) values[i] = args[i].at(lane);
    auto value = apply(expr.as<node::Elementwise>().op, truth, values);
    if (!value) return Number::unknown();
    out.lanes.push_back(*value);
  }
  return out;
}

Number Lanes::evaluate(const Expr &expr) const {
  if (!isInteger(expr.type)) return Number::unknown();
  switch (expr.kind) {
  case ExprKind::Constant:
    if (auto *i = std::get_if<int64_t>(&expr.as<node::Constant>().value)) return Number::of(*i);
    if (auto *b = std::get_if<bool>(&expr.as<node::Constant>().value)) return Number::of(*b);
    return Number::unknown();
  case ExprKind::DimValue: {
    auto value = size(expr.as<node::DimValue>().dim);
    return value ? Number::of(*value) : Number::unknown();
  }
  case ExprKind::VarRef: {
    auto it = values_.find(expr.as<node::VarRef>().var);
    return it == values_.end() ? Number::unknown() : it->second;
  }
  case ExprKind::Query: return query(expr.as<node::Query>().what, expr.as<node::Query>().axis);
  case ExprKind::Elementwise:
    for (const ExprPtr &arg : expr.args)
      if (!isInteger(arg->type)) return Number::unknown();
    return elementwise(expr);
  case ExprKind::Cast: {
    if (expr.as<node::Cast>().ofBits) return Number::unknown();
    Number value = evaluate(*expr.args[0]);
    if (expr.type.kind == TypeKind::Scalar && expr.type.dtype == DType::Bool)
      for (int64_t &v : value.lanes) v = v != 0;
    return value;
  }
  default: return Number::unknown();
  }
}

void Lanes::declare(const Var *var, Number value) {
  if (value.known) values_[var] = std::move(value);
  else values_.erase(var);
}

void Lanes::bind(const Var *var, Number value, const LaneMask &mask) {
  if (std::find(mask.begin(), mask.end(), 0) == mask.end()) return declare(var, std::move(value));
  auto old = values_.find(var);
  if (old == values_.end() || !value.known) {  // what the other lanes have is not known
    if (old != values_.end()) values_.erase(old);
    return;
  }
  Number mixed{true, {}};
  for (size_t lane = 0; lane < count_; ++lane)
    mixed.lanes.push_back(mask[lane] ? value.at(lane) : old->second.at(lane));
  old->second = std::move(mixed);
}

bool differsBetweenLanes(const Expr &expr) {
  bool differs = false;
  visitExprs(const_cast<Expr *>(&expr), [&](Expr &e) {
    if (const Var *var = varOf(e)) differs |= var->varying;
    differs |= e.kind == ExprKind::Warp;
    if (auto *query = e.get<node::Query>())
      differs |= query->what == Query::LocalId || query->what == Query::LaneId || query->what == Query::LinearId;
  });
  return differs;
}

}  // namespace tessera::sema::races
