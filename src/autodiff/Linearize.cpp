// What the tangent of each operation is made of.
#include "autodiff/Formula.h"
#include "autodiff/CallStep.h"
#include "checked/ExprBuild.h"
#include "support/Partials.h"
#include <algorithm>

namespace tessera::autodiff {

using checked::Expr;
using checked::ExprKind;
using checked::Type;
using checked::TypeKind;
using checked::Var;
namespace node = checked::node;

namespace {

/// An operation that has none, reached on the way back or forward.
class RefusedStep : public Step {
public:
  RefusedStep(const Trace &trace, Var *out, Refusal refusal) : trace_(trace), out_(out), refusal_(std::move(refusal)) {}
  void pushForward(Tangents &tangents, Builder &) const override { trace_.refuse(out_, refusal_); }
  void pullBack(Cotangents &cotangents) const override {
    if (cotangents.take(out_).value) trace_.refuse(out_, refusal_);
  }
  bool isAsked(std::set<const Var *> &asked) const override { return asked.count(out_) != 0; }

private:
  const Trace &trace_;
  Var *out_;
  Refusal refusal_;
};

/// The formulas of a row of Partials.def, one for each operand.
std::vector<std::string_view> formulasOf(std::string_view partials) {
  std::vector<std::string_view> formulas;
  while (true) {
    size_t end = partials.find("; ");
    formulas.push_back(partials.substr(0, end));
    if (end == std::string_view::npos) return formulas;
    partials.remove_prefix(end + 2);
  }
}

}  // namespace

void Trace::step(Var *out, std::vector<Edge> edges) {
  if (edges.empty()) return;
  activate(out, edges[0].from);
  steps_.push_back(std::make_unique<LinearStep>(out, std::move(edges), builder_.here));
}

void Trace::refused(Var *out, const Var *because, Refusal refusal) {
  activate(out, because);
  refusals_[out] = refusal;
  steps_.push_back(std::make_unique<RefusedStep>(*this, out, std::move(refusal)));
}

/// A value that is not computed: only its tangent is.
Var *Trace::unwritten(const Type &type) {
  unwritten_.push_back(std::make_unique<Var>());
  unwritten_.back()->type = type;
  unwritten_.back()->id = kUnwritten;
  return unwritten_.back().get();
}

Term Trace::wide(const Term &value) {
  return isFloating(value->type) ? builder_.cast(value, tangentDType(value->type.dtype)) : value;
}

Edge Trace::moved(const std::shared_ptr<const Expr> &op, size_t operand) const {
  Edge edge;
  edge.kind = Edge::Kind::Moved;
  edge.from = checked::varOf(*op->args[operand]);
  edge.op = op;
  edge.operand = operand;
  return edge;
}

void Trace::linearize(Var *out, const Expr &op) {
  builder_.here = op.span.valid() ? op.span : builder_.here;
  const Var *because = nullptr;
  for (const checked::ExprPtr &arg : op.args) {
    const Var *var = checked::varOf(*arg);
    if (active_.count(var)) because = var;
    else if (!because && whole_.count(var)) because = var;
  }
  if (!because) return;
  if (!isFloating(op.type)) {  // a truth value or an integer: where it is used as a number, it has no derivative
    whole_.emplace(out, because);
    return;
  }
  std::shared_ptr<const Expr> shared(checked::clone(op));
  std::vector<Edge> edges;
  switch (op.kind) {
  case ExprKind::Elementwise: return linearizeElementwise(out, op);
  case ExprKind::Reduce: return linearizeReduction(out, op);
  case ExprKind::Cast:
    if (op.as<node::Cast>().ofBits) return refused(out, because, {op.span, "the bits of a number"});
    if (isActive(Term(checked::clone(*op.args[0])))) break;
    if (op.args[0]->type.dtype == DType::Bool) return;  // a mask as a number: constant wherever it has a derivative
    return refused(out, because, {op.span, "an integer that was made of floats"});
  case ExprKind::Scan:  // in tensor functions sums alone
    if (op.as<node::Scan>().op == ReduceOp::Sum) break;
    return refused(out, because, {op.span, "a scan that is no sum"});
  case ExprKind::Broadcast:
  case ExprKind::Reshape:
  case ExprKind::Transpose:
  case ExprKind::Full:
  case ExprKind::Slice:
  case ExprKind::Concat:
  case ExprKind::Window:
  case ExprKind::Gather:
  case ExprKind::ScatterAdd:
  case ExprKind::Exchange:
  case ExprKind::Dot:
  case ExprKind::TupleItem: break;
  case ExprKind::After: {  // itself, whatever it waits for
    Edge same;
    same.from = checked::varOf(*op.args[0]);
    return active_.count(same.from) ? step(out, {same}) : void();
  }
  default: return refused(out, because, {op.span, "this operation"});
  }
  if (op.kind == ExprKind::TupleItem) return refused(out, because, refusals_.at(checked::varOf(*op.args[0])));
  for (size_t i = 0; i < op.args.size(); ++i) {
    const Expr &arg = *op.args[i];
    if (!active_.count(checked::varOf(arg))) continue;
    edges.push_back(moved(shared, i));
    if (op.kind != ExprKind::Dot) continue;
    const Expr *made = builder_.definition(Term(checked::clone(arg)));
    int rank = static_cast<int>(arg.type.shape.size());
    if (i != 1 || rank < 3 || !made || made->kind != ExprKind::Broadcast || made->args[0]->kind != ExprKind::VarRef) continue;
    if (made->as<node::Broadcast>().axes != std::vector<int>{rank - 2, rank - 1} || made->args[0]->type.shape != std::vector<Dim>(arg.type.shape.end() - 2, arg.type.shape.end()))
      continue;
    edges.back().from = checked::varOf(*made->args[0]);
    edges.back().repeated = true;
  }
  step(out, std::move(edges));
}

// ---------------------------------------------------------------- elements

void Trace::linearizeElementwise(Var *out, const Expr &op) {
  const ElementwiseOp operation = op.as<node::Elementwise>().op;
  if (operation == ElementwiseOp::Select) {
    if (op.as<node::Elementwise>().inPlace && linearizeUpdate(out, op)) return;
    std::vector<Edge> edges;
    for (size_t i : {size_t(1), size_t(2)}) {
      Term arg(checked::clone(*op.args[i]));
      if (!isActive(arg)) continue;
      Edge edge;
      edge.kind = Edge::Kind::Chosen;
      edge.from = checked::varOf(*arg);
      edge.condition = Term(checked::clone(*op.args[0]));
      edge.when = i == 1;
      edges.push_back(std::move(edge));
    }
    return step(out, std::move(edges));
  }
  if (partialsOf(operation) == "rule") return linearizeExtremum(out, op);
  if (partialsOf(operation) == "zero") return;
  if (partialsOf(operation) == "none") {
    const Var *because = nullptr;
    for (const checked::ExprPtr &arg : op.args)
      if (arg->kind == ExprKind::VarRef && active_.count(checked::varOf(*arg))) because = checked::varOf(*arg);
    if (because) refused(out, because, {op.span, "`" + std::string(info(operation).mnemonic) + "`"});
    return;
  }
  step(out, partials(op, builder_.ref(out)));
}

/// What the rows of Partials.def say, at these operands.
std::vector<Edge> Trace::partials(const Expr &op, const Term &result) {
  Operands operands{{}, wide(result)};
  for (const checked::ExprPtr &arg : op.args) operands.args.push_back(wide(Term(checked::clone(*arg))));
  std::vector<std::string_view> formulas = formulasOf(partialsOf(op.as<node::Elementwise>().op));
  bool square = op.as<node::Elementwise>().op == ElementwiseOp::Mul && sameVariable(operands.args[0], operands.args[1]);
  std::vector<Edge> edges;
  for (size_t i = 0; i < op.args.size() && !(square && i == 1); ++i) {
    Term arg(checked::clone(*op.args[i]));
    if (!isActive(arg)) continue;
    Edge edge;
    edge.from = checked::varOf(*arg);
    if (formulas[i] == "-1") edge.kind = Edge::Kind::Negated;
    else if (Term divisor = divisorOf(formulas[i], operands)) edge.kind = Edge::Kind::Over, edge.factor = divisor;
    else if (formulas[i] != "1") {
      edge.kind = Edge::Kind::Times;
      edge.factor = square ? builder_.apply(ElementwiseOp::Mul, {builder_.number(2, operands.result->type), operands.args[0]})
                           : evaluate(formulas[i], operands, builder_);
    }
    edges.push_back(std::move(edge));
  }
  return edges;
}

/// The larger (or smaller) of two: equal ones share, but a number that the program writes takes all of it, so that
/// `maximum(x, 0)` is constant at 0.
void Trace::linearizeExtremum(Var *out, const Expr &op) {
  bool isMax = op.as<node::Elementwise>().op == ElementwiseOp::Max;
  auto wins = [&](const Term &a, const Term &b) { return builder_.apply(isMax ? ElementwiseOp::Gt : ElementwiseOp::Lt, {a, b}); };
  std::vector<Edge> edges;
  for (size_t i : {size_t(0), size_t(1)}) {
    Term arg(checked::clone(*op.args[i])), other(checked::clone(*op.args[1 - i]));
    if (!isActive(arg)) continue;
    Edge edge;
    edge.kind = Edge::Kind::Chosen;
    edge.from = checked::varOf(*arg);
    if (constantOf(*other)) {
      edge.condition = wins(builder_.ref(out), other);  // by the result: the operand need not be kept
    } else {
      edge.condition = wins(other, arg);
      edge.when = false;
      Type type = tangentType(op.type);
      Term equal = builder_.apply(ElementwiseOp::Eq, {arg, other});
      edge.factor = builder_.select(equal, builder_.number(0.5, type), builder_.number(1, type));
    }
    edges.push_back(std::move(edge));
  }
  step(out, std::move(edges));
}

// ---------------------------------------------------------------- reductions

void Trace::linearizeReduction(Var *out, const Expr &op) {
  const auto &reduce = op.as<node::Reduce>();
  Term x(checked::clone(*op.args[0]));
  if (!isActive(x)) return;
  std::shared_ptr<Expr> sum(checked::clone(op));
  sum->as<node::Reduce>().op = ReduceOp::Sum;
  if (reduce.op == ReduceOp::Sum) return step(out, {moved(sum, 0)});
  // The sum of x times a weight, which is what only tangents go through.
  std::vector<int> kept;
  for (size_t axis = 0; axis < x->type.shape.size(); ++axis)
    if (std::find(reduce.axes.begin(), reduce.axes.end(), static_cast<int>(axis)) == reduce.axes.end()) kept.push_back(static_cast<int>(axis));
  auto repeated = [&](const Term &value) { return builder_.broadcast(value, x->type.shape, kept); };
  Type type = tangentType(x->type);
  Term one = builder_.number(1, type), zero = builder_.number(0, type), y = builder_.ref(out);
  Var *weighted = unwritten(type), *total = unwritten(tangentType(op.type));
  Edge edge;
  edge.from = checked::varOf(*x);
  if (reduce.op == ReduceOp::Prod) {
    Term wideX = wide(x), none = builder_.number(0, wideX->type);
    Term isZero = builder_.apply(ElementwiseOp::Eq, {wideX, none});
    Term zeros = repeated(builder_.reduce(ReduceOp::Sum, builder_.select(isZero, one, zero), reduce.axes));
    Term others = repeated(builder_.reduce(ReduceOp::Prod, builder_.select(isZero, one, wideX), reduce.axes));
    Term only = builder_.apply(ElementwiseOp::And, {isZero, builder_.apply(ElementwiseOp::Eq, {zeros, one})});
    Term nowhere = builder_.apply(ElementwiseOp::Eq, {zeros, zero});
    Term quotient = builder_.apply(ElementwiseOp::Div, {repeated(wide(y)), builder_.select(isZero, one, wideX)});
    edge.kind = Edge::Kind::Times;
    edge.factor = builder_.select(nowhere, quotient, builder_.select(only, others, zero));
  } else {
    edge.kind = Edge::Kind::Chosen;
    edge.condition = builder_.apply(ElementwiseOp::Eq, {x, repeated(y)});
  }
  activate(out, checked::varOf(*x));
  steps_.push_back(std::make_unique<LinearStep>(weighted, std::vector<Edge>{edge}, builder_.here));
  sum->args[0] = checked::makeRef(weighted, op.span);
  sum->type = total->type;
  Edge added = moved(sum, 0), share;
  share.from = total;
  if (reduce.op != ReduceOp::Prod) {  // equal ones share
    share.kind = Edge::Kind::Over;
    share.factor = builder_.reduce(ReduceOp::Sum, builder_.select(edge.condition, one, zero), reduce.axes);
  }
  steps_.push_back(std::make_unique<LinearStep>(total, std::vector<Edge>{added}, builder_.here));
  steps_.push_back(std::make_unique<LinearStep>(out, std::vector<Edge>{share}, builder_.here));
}

}  // namespace tessera::autodiff
