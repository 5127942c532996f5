// Whether a function is linear in some of its parameters: what `@custom_jvp` asks of a rule, whose transpose is the way back.
#include "autodiff/Linearity.h"
#include "autodiff/Trace.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::StmtKind;
using checked::Var;
namespace node = checked::node;

namespace {

/// Goes over a body in which each value is one operation of values that have names.
class Linearity {
public:
  explicit Linearity(std::set<const Var *> linear) : linear_(std::move(linear)) {}

  void block(const checked::Block &block) {
    for (const auto &stmt : block) {
      if (found_) return;
      if (stmt->kind == StmtKind::If) {
        if (depends(*stmt->condition)) return found(stmt->span, "a branch that asks for a tangent");
        this->block(stmt->body);
        this->block(stmt->otherwise);
      } else if (stmt->kind == StmtKind::Let || stmt->kind == StmtKind::Assign) {
        if (!depends(*stmt->value)) {  // one side of a branch may have a tangent, and the other none
          if (!isZero(*stmt->value)) constant_.insert(stmt->var);
        } else if (!isLinear(*stmt->value)) {
          return found(stmt->value->span, wordOf(*stmt->value));
        } else {
          linear_.insert(stmt->var);
        }
        if (linear_.count(stmt->var) && constant_.count(stmt->var)) return found(stmt->span, "a branch that gives it or a number");
      }
    }
  }
  /// What the function returns: linear, or 0.
  void result(const Expr &value, Span span) {
    if (!found_ && !linear_.count(checked::varOf(value)) && !isZero(value)) found(span, "a result that no tangent is part of");
  }
  const std::optional<Nonlinear> &nonlinear() const { return found_; }

private:
  void found(Span span, std::string what) { found_ = Nonlinear{span, std::move(what)}; }

  static bool isZero(const Expr &value) { return constantOf(value) == std::optional<double>(0); }
  bool depends(const Expr &value) const {
    bool any = false;
    checked::visitExprs(const_cast<Expr *>(&value), [&](Expr &e) { any |= linear_.count(checked::varOf(e)) != 0; });
    return any;
  }
  bool isLinearOrZero(const Expr &value) const { return isZero(value) || (depends(value) && isLinear(value)); }

  static std::string wordOf(const Expr &e) {
    if (auto *elementwise = e.get<node::Elementwise>()) return "`" + std::string(info(elementwise->op).mnemonic) + "`";
    if (auto *reduce = e.get<node::Reduce>()) return "`" + std::string(mnemonic(reduce->op)) + "`";
    if (e.kind == ExprKind::Dot) return "a product of two";
    if (e.kind == ExprKind::Call) return "the call of `" + checked::calleeOf(e)->name + "`";
    return "this operation";
  }

  bool isLinear(const Expr &e) const {
    auto only = [&](size_t i) {
      for (size_t k = 0; k < e.args.size(); ++k)
        if (k != i && depends(*e.args[k])) return false;
      return isLinear(*e.args[i]);
    };
    auto all = [&](size_t first) {
      return std::all_of(e.args.begin() + static_cast<std::ptrdiff_t>(first), e.args.end(), [&](const auto &arg) { return isLinearOrZero(*arg); });
    };
    switch (e.kind) {
    case ExprKind::VarRef: return linear_.count(checked::varOf(e)) != 0;
    case ExprKind::Cast: return !e.as<checked::node::Cast>().ofBits && isFloat(e.type.dtype) && e.type.kind != checked::TypeKind::Index && only(0);
    case ExprKind::Broadcast:
    case ExprKind::Reshape:
    case ExprKind::Transpose:
    case ExprKind::Full:
    case ExprKind::Slice:
    case ExprKind::Window:
    case ExprKind::Gather:
    case ExprKind::ScatterAdd:
    case ExprKind::Exchange:
    case ExprKind::After: return only(0);
    case ExprKind::Reduce: return e.as<node::Reduce>().op == ReduceOp::Sum && only(0);
    case ExprKind::Scan: return e.as<node::Scan>().op == ReduceOp::Sum && only(0);
    case ExprKind::Concat: return all(0);
    case ExprKind::Dot: return only(depends(*e.args[0]) ? 0 : 1);
    case ExprKind::Elementwise: break;
    default: return false;
    }
    switch (e.as<node::Elementwise>().op) {
    case ElementwiseOp::Add:
    case ElementwiseOp::Sub: return all(0);
    case ElementwiseOp::Neg:
    case ElementwiseOp::Div: return only(0);
    case ElementwiseOp::Mul: return only(depends(*e.args[0]) ? 0 : 1);
    case ElementwiseOp::Select: return !depends(*e.args[0]) && all(1);
    default: return false;
    }
  }

  std::set<const Var *> linear_, constant_;
  std::optional<Nonlinear> found_;
};

}  // namespace

std::optional<Nonlinear> nonlinearIn(const checked::Function &function, const std::vector<bool> &tangents, Reporter &reporter, Rules rules) {
  checked::Function scratch;
  Builder builder(scratch, scratch.body);
  builder.here = function.span;
  Trace trace(builder, reporter, rules);
  std::vector<Term> arguments;
  std::set<const Var *> linear;
  for (size_t i = 0; i < function.params.size(); ++i) {
    Var *var = builder.fresh(function.params[i].var->name, function.params[i].var->type);
    if (tangents.at(i)) linear.insert(var);
    arguments.push_back(builder.ref(var));
  }
  trace.bindDims(function, arguments);
  for (size_t i = 0; i < arguments.size(); ++i) trace.bindParameter(*function.params[i].var, arguments[i], false);
  std::vector<Term> values = trace.body(function);
  if (reporter.failed) return std::nullopt;
  Linearity check(std::move(linear));
  check.block(scratch.body);
  for (const Term &value : values) check.result(*value, value->span.valid() ? value->span : function.span);
  return check.nonlinear();
}

}  // namespace tessera::autodiff
