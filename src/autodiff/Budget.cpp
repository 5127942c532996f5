#include "autodiff/Budget.h"
#include "checked/ExprBuild.h"
#include "checked/FloatWork.h"
#include "support/LinearDim.h"
#include <algorithm>
#include <queue>

namespace tessera::autodiff {

using checked::Block;
using checked::Expr;
using checked::ExprKind;
using checked::Stmt;
using checked::StmtKind;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

namespace {

using Sizes = std::map<std::string, Dim>;

/// Operations of a product that cost as much as a byte that is read or written: between what a CPU and the units for products of a GPU do.
constexpr double kOperationsPerByte = 64;

bool isValue(const Type &type) { return type.kind == TypeKind::Tensor || type.kind == TypeKind::Scalar; }

std::optional<int64_t> numberOf(const Dim &dim, const Sizes &sizes) {
  Dim known = dim.substitute(sizes);
  return known.isConstant() ? std::optional(known.constant()) : std::nullopt;
}

/// What it costs to compute the statements of a body again, and which need which.
class Work {
public:
  Work(const Recomputed &again, const Sizes &sizes) : again_(again), sizes_(sizes) {
    for (size_t i = again.first; i < again.end; ++i) statements_.push_back(read(*again.block[i]));
    for (size_t i = 0; i < body(); ++i) {
      costs_.push_back(costOf(*again.block[again.first + i]));
      for (const Var *var : statements_[i].bound) definers_[var].push_back(i);
    }
    for (size_t i = 0; i < body(); ++i) needs_.push_back(definersOf(statements_[i].used, i));
    wanted_ = definersOf(usedOnTheWayBack(), body());
  }

  /// The statement that binds a value, if it does nothing else.
  std::optional<size_t> statementOf(const Term &value) const {
    const Var *var = value ? checked::varOf(*value) : nullptr;
    auto found = definers_.find(var);
    if (!var || found == definers_.end() || found->second.size() != 1) return std::nullopt;
    size_t at = found->second[0];
    return again_.block[again_.first + at]->kind == StmtKind::Let ? std::optional(at) : std::nullopt;
  }

  /// What has to be computed again where these are kept.
  double cost(const std::vector<char> &kept, std::vector<char> *reached = nullptr) const {
    std::vector<char> seen(body());
    std::vector<size_t> stack(wanted_.begin(), wanted_.end());
    double all = 0;
    while (!stack.empty()) {
      size_t at = stack.back();
      stack.pop_back();
      if (seen[at]) continue;
      seen[at] = 1;
      if (kept[at]) continue;
      all += costs_[at];
      stack.insert(stack.end(), needs_[at].begin(), needs_[at].end());
    }
    if (reached) *reached = std::move(seen);
    return all;
  }

  size_t body() const { return again_.back - again_.first; }

private:
  struct Uses {
    std::set<const Var *> bound, used;
  };

  static void read(const Stmt &stmt, Uses &uses) {
    if (stmt.var) uses.bound.insert(stmt.var);
    auto visit = [&](Expr &e) {
      if (const Var *var = checked::varOf(e)) uses.used.insert(var);
    };
    for (const checked::ExprPtr *e : {&stmt.value, &stmt.extra, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) checked::visitExprs(e->get(), visit);
    for (const checked::ExprPtr &e : stmt.values) checked::visitExprs(e.get(), visit);
    for (const Block *inner : {&stmt.body, &stmt.otherwise})
      for (const auto &s : *inner) read(*s, uses);
  }
  static Uses read(const Stmt &stmt) {
    Uses uses;
    read(stmt, uses);
    return uses;
  }

  std::vector<size_t> definersOf(const std::set<const Var *> &used, size_t before) const {
    std::vector<size_t> all;
    for (const Var *var : used)
      if (auto found = definers_.find(var); found != definers_.end())
        for (size_t at : found->second)
          if (at < before) all.push_back(at);
    return all;
  }

  /// What the statements of the way back read, of those that its results need.
  std::set<const Var *> usedOnTheWayBack() const {
    std::set<const Var *> asked(again_.needed.begin(), again_.needed.end());
    for (size_t i = statements_.size(); i-- > body();) {
      const Uses &uses = statements_[i];
      bool binds = again_.block[again_.first + i]->var || !again_.block[again_.first + i]->body.empty() || !again_.block[again_.first + i]->otherwise.empty();
      bool isAsked = !binds || std::any_of(uses.bound.begin(), uses.bound.end(), [&](const Var *var) { return asked.count(var) != 0; });
      if (isAsked) asked.insert(uses.used.begin(), uses.used.end());
    }
    return asked;
  }

  // ---- costs

  double bytes(const Type &type) const {
    auto known = isValue(type) ? bytesOf(type, sizes_) : std::optional<int64_t>(0);
    return known ? static_cast<double>(*known) : 0;
  }

  /// Work in bytes: what is written, what reductions and sums at places read besides, and the operations of products and of kernels.
  double costOf(const Expr &expr) const {
    double all = 0;
    checked::visitExprs(const_cast<Expr *>(&expr), [&](Expr &e) {
      switch (e.kind) {
      case ExprKind::Constant:
      case ExprKind::DimValue:
      case ExprKind::VarRef:
      case ExprKind::Reshape:
      case ExprKind::TupleItem:
      case ExprKind::After: return;
      case ExprKind::Reduce:
      case ExprKind::Scan:
      case ExprKind::ScatterAdd:
      case ExprKind::Argsort:
      case ExprKind::Exchange:
      case ExprKind::Dot:
      case ExprKind::Call:
        for (const checked::ExprPtr &arg : e.args) all += bytes(arg->type);
        break;
      default: break;
      }
      all += bytes(e.type);
      if (e.kind == ExprKind::Dot || e.kind == ExprKind::Call) all += operations(e) / kOperationsPerByte;
    });
    return all;
  }
  double operations(const Expr &e) const {
    auto work = e.kind == ExprKind::Dot ? std::optional(Dim(2) * e.args[0]->type.shape.back() * elements(e.type)) : checked::floatWork(e);
    auto known = work ? numberOf(*work, sizes_) : std::nullopt;
    return known ? static_cast<double>(*known) : 0;
  }
  static Dim elements(const Type &type) {
    Dim count(1);
    for (const Dim &extent : type.shape) count = count * extent;
    return count;
  }

  /// A loop as often as it turns, if that is known.
  double costOf(const Stmt &stmt) const {
    double all = 0;
    for (const checked::ExprPtr *e : {&stmt.value, &stmt.condition})
      if (*e) all += costOf(**e);
    double inner = 0;
    for (const Block *block : {&stmt.body, &stmt.otherwise})
      for (const auto &s : *block) inner += costOf(*s);
    auto bound = [&](const checked::ExprPtr &e) {
      auto dim = e ? dimOf(*e) : std::optional(Dim(0));
      return dim ? numberOf(*dim, sizes_) : std::nullopt;
    };
    auto start = bound(stmt.start), stop = bound(stmt.stop);
    bool isKnown = stmt.kind == StmtKind::For && start && stop;
    return all + inner * (isKnown ? static_cast<double>(std::max<int64_t>(*stop - *start, 0)) : 1);
  }

  const Recomputed &again_;
  const Sizes &sizes_;
  std::vector<Uses> statements_;                      // of the body, then of the way back
  std::map<const Var *, std::vector<size_t>> definers_;  // statements of the body
  std::vector<std::vector<size_t>> needs_;
  std::vector<double> costs_;
  std::vector<size_t> wanted_;                        // that the way back reads
};

}  // namespace

std::optional<int64_t> bytesOf(const Type &type, const Sizes &sizes) {
  int64_t count = 1;
  for (const Dim &extent : type.shape) {
    auto known = numberOf(extent, sizes);
    if (!known) return std::nullopt;
    count *= std::max<int64_t>(*known, 0);
  }
  return count * storageBytes(type.dtype);
}

Sizes sizesHere(const std::map<std::string, Dim> &dims, const checked::RunSizes &given) {
  Sizes sizes;
  auto take = [&](bool products) {
    for (const auto &[name, size] : given) {
      auto found = dims.find(name);
      if (found == dims.end()) continue;
      Dim left = found->second.substitute(sizes);
      std::set<std::string> names;
      left.collectVars(names);
      if (names.empty() || (!products && names.size() > 1)) continue;
      for (auto next = std::next(names.begin()); next != names.end(); ++next) sizes[*next] = Dim(1);  // of a product, one factor is all of it
      left = left.substitute(sizes);
      auto linear = linearDim(left);
      if (left.isVar()) sizes[left.varName()] = Dim(size);
      else if (linear && linear->factor.isConstant()) sizes[linear->variable] = linear->solved(Dim(size));
    }
  };
  take(false);
  take(true);
  return sizes;
}

std::vector<size_t> chosenToKeep(const Recomputed &again, int64_t bytes, const Sizes &sizes) {
  Work work(again, sizes);
  std::vector<char> kept(work.body()), reached;
  double left = work.cost(kept, &reached);
  struct Candidate {
    double worth;  // what it saves, for each byte
    size_t place, statement;
    int64_t bytes;
    bool operator<(const Candidate &other) const { return worth != other.worth ? worth < other.worth : place > other.place; }
  };
  auto saved = [&](size_t statement) {
    kept[statement] = 1;
    double now = work.cost(kept);
    kept[statement] = 0;
    return left - now;
  };
  std::priority_queue<Candidate> queue;
  std::set<size_t> taken;
  for (size_t i = 0; i < again.values.size(); ++i) {
    auto at = work.statementOf(again.values[i]);
    auto size = at && isValue(again.values[i]->type) ? bytesOf(again.values[i]->type, sizes) : std::nullopt;
    if (!size || *size <= 0 || *size > bytes || !reached[*at] || !taken.insert(*at).second) continue;
    queue.push({saved(*at) / static_cast<double>(*size), i, *at, *size});
  }
  std::vector<size_t> chosen;
  while (!queue.empty()) {
    Candidate best = queue.top();
    queue.pop();
    if (best.bytes > bytes) continue;
    double worth = saved(best.statement) / static_cast<double>(best.bytes);
    if (worth <= 0) continue;
    if (!queue.empty() && worth < queue.top().worth) {  // what was taken since saves some of it
      best.worth = worth;
      queue.push(best);
      continue;
    }
    kept[best.statement] = 1;
    left = work.cost(kept);
    bytes -= best.bytes;
    chosen.push_back(best.place);
  }
  return chosen;
}

}  // namespace tessera::autodiff
