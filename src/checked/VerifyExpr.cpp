// Expressions: the number and the types of their operands, and the fields that their kinds have.
#include "checked/Verifier.h"
#include <algorithm>

namespace tessera::checked {
namespace {

size_t rank(const Expr &expr) { return expr.type.isArray() ? expr.type.shape.size() : 0; }

bool isNumber(const Type &type) {
  return type.kind == TypeKind::Index || type.kind == TypeKind::Scalar || type.kind == TypeKind::Tensor ||
         type.kind == TypeKind::Stream || type.kind == TypeKind::State;
}

/// Extents of one spelling or another: only numbers can be seen to differ.
bool mayEqual(const Dim &a, const Dim &b) { return !a.isConstant() || !b.isConstant() || a == b; }

bool mayEqual(const std::vector<Dim> &a, const std::vector<Dim> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Dim &x, const Dim &y) { return mayEqual(x, y); });
}

/// `count` different axes of an array of this rank.
void different(const std::vector<int> &axes, size_t count, size_t rank, const char *what) {
  std::set<int> seen(axes.begin(), axes.end());
  require(axes.size() == count && seen.size() == count, what);
  for (int axis : axes) require(axis >= 0 && static_cast<size_t>(axis) < rank, what);
}
/// A number that counts from 0 to `count`.
void within(int number, size_t count, const char *what) {
  require(number >= 0 && static_cast<size_t>(number) < count, what);
}

struct Arity {
  size_t least, most;
};
constexpr size_t kAny = 1 << 30;

Arity arityOf(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Constant:
  case ExprKind::String:
  case ExprKind::DimValue:
  case ExprKind::VarRef:
  case ExprKind::Iota:
  case ExprKind::Load:
  case ExprKind::Query: return {0, 0};
  case ExprKind::Cast:
  case ExprKind::Broadcast:
  case ExprKind::Reshape:
  case ExprKind::Transpose:
  case ExprKind::Reduce:
  case ExprKind::Full:
  case ExprKind::Window:
  case ExprKind::Argsort:
  case ExprKind::Scan:
  case ExprKind::Exchange:
  case ExprKind::Slice:
  case ExprKind::TupleItem:
  case ExprKind::HostShape:
  case ExprKind::HostRank:
  case ExprKind::LoadNpy: return {1, 1};
  case ExprKind::Dot:
  case ExprKind::Gather:
  case ExprKind::After:
  case ExprKind::ScatterAdd: return {2, 2};
  case ExprKind::HostItem: return {1, 2};
  case ExprKind::Warp: {
    const WarpOp what = expr.as<node::Warp>().what;
    const size_t operands = what == WarpOp::Shuffle || what == WarpOp::ShuffleXor ? 2 : 1;
    return {operands, operands};
  }
  case ExprKind::Table:
  case ExprKind::Concat: return {1, kAny};
  case ExprKind::Elementwise: {
    size_t arity = static_cast<size_t>(info(expr.as<node::Elementwise>().op).arity);
    return {arity, arity};
  }
  case ExprKind::Call:
  case ExprKind::Derivative:
  case ExprKind::Vmap:
  case ExprKind::HostCall:
  case ExprKind::Format:
  case ExprKind::Opaque: return {0, kAny};
  }
  throw Broken{"an expression has a kind"};
}

}  // namespace

void FunctionVerifier::expr(const ExprPtr &pointer, const char *missing) {
  require(pointer != nullptr, missing);
  const Expr &e = *pointer;
  Arity arity = arityOf(e);
  require(e.args.size() >= arity.least && e.args.size() <= arity.most, "an expression has the operands of its kind");
  for (const ExprPtr &arg : e.args) {
    expr(arg, "an operand is there");
    require(arg->kind != ExprKind::Warp, "an exchange between lanes stands alone in a binding");
  }
  require(e.node().index() == static_cast<size_t>(e.kind), "an expression has what its kind has");
  rule(e);
  if (auto *load = e.get<node::Load>()) access(load->access, nullptr);
  if (auto *slice = e.get<node::Slice>()) access(slice->access, &e.args[0]->type);
}

void FunctionVerifier::rule(const Expr &e) const {
  switch (e.kind) {
  case ExprKind::Constant: {
    bool isIndex = e.type.kind == TypeKind::Index;
    const auto &value = e.as<node::Constant>().value;
    if (std::holds_alternative<bool>(value)) return require(e.type.dtype == DType::Bool, "a truth value is a bool");
    if (std::holds_alternative<int64_t>(value))
      return require(isIndex || isInt(e.type.dtype), "a whole number is an integer");
    return require(std::holds_alternative<double>(value) && !isIndex && !isInt(e.type.dtype) &&
                       e.type.dtype != DType::Bool,
                   "a constant has a value of its dtype");
  }
  case ExprKind::String:
  case ExprKind::LoadNpy:
  case ExprKind::HostCall:
  case ExprKind::HostShape:
  case ExprKind::HostRank:
  case ExprKind::HostItem:
  case ExprKind::Format: return host(e);
  case ExprKind::DimValue: return require(e.type.kind == TypeKind::Index, "a dimension is an index");
  case ExprKind::VarRef: {
    const Var *var = e.as<node::VarRef>().var;
    defined(var);
    return require(var->type.kind != TypeKind::View && var->type.kind != TypeKind::Shared,
                   "memory is named by accesses alone");
  }
  case ExprKind::Elementwise:
  case ExprKind::Cast:
  case ExprKind::Full:
  case ExprKind::Reduce:
  case ExprKind::Dot:
  case ExprKind::Table:
  case ExprKind::Iota: return array(e);
  case ExprKind::Broadcast:
  case ExprKind::Reshape:
  case ExprKind::Transpose:
  case ExprKind::Concat:
  case ExprKind::Window:
  case ExprKind::Gather:
  case ExprKind::ScatterAdd:
  case ExprKind::Argsort:
  case ExprKind::Scan:
  case ExprKind::Exchange:
  case ExprKind::Slice: return shapeOp(e);
  case ExprKind::Load: return require(isKernel(), "memory is accessed in kernels");
  case ExprKind::Query:
    require(isKernel(), "a place in the grid is asked for in kernels");
    return require(e.type.kind == TypeKind::Index && e.as<node::Query>().axis >= 0, "a place in the grid is an index of an axis");
  case ExprKind::Warp: return warp(e);
  case ExprKind::Call:
  case ExprKind::TupleItem:
  case ExprKind::Derivative:
  case ExprKind::Vmap:
  case ExprKind::Opaque: return call(e);
  case ExprKind::After:
    require(isNumber(e.type) && isNumber(e.args[1]->type), "what is known after a value is a number or an array of them");
    return require(e.type.kind == e.args[0]->type.kind && e.type.dtype == e.args[0]->type.dtype && rank(e) == rank(*e.args[0]),
                   "what is known after a value is itself");
  }
}

void FunctionVerifier::array(const Expr &e) const {
  if (e.kind == ExprKind::Elementwise || e.kind == ExprKind::Cast)
    for (const ExprPtr &arg : e.args) {
      require(isNumber(arg->type), "an operand is a number or an array of them");
      require(!arg->type.isArray() || (e.type.isArray() && mayEqual(arg->type.shape, e.type.shape)),
              "an operand has the result's shape");
    }
  if (auto *cast = e.get<node::Cast>(); cast && cast->ofBits)
    require(info(e.type.dtype).bits == info(e.args[0]->type.dtype).bits, "bits are read as a dtype of as many");
  if (e.kind == ExprKind::Full) require(rank(*e.args[0]) == 0 && e.type.isArray(), "a scalar fills an array");
  if (auto *reduce = e.get<node::Reduce>()) {
    require(!reduce->axes.empty(), "a reduction has axes");
    different(reduce->axes, reduce->axes.size(), rank(*e.args[0]), "a reduction is over axes of its operand");
    require(rank(e) + reduce->axes.size() == rank(*e.args[0]), "a reduction takes its axes away");
  }
  if (e.kind == ExprKind::Dot)
    require(rank(e) >= 2 && rank(*e.args[0]) == rank(e) && rank(*e.args[1]) == rank(e), "a product is of matrices");
  if (e.kind == ExprKind::Table) {
    size_t count = 1;
    for (const Dim &extent : e.type.shape) {
      require(extent.isConstant() && extent.constant() > 0, "a table has extents that are numbers");
      count *= static_cast<size_t>(extent.constant());
    }
    require(e.type.isArray() && count == e.args.size(), "a table has a number for each element");
    for (const ExprPtr &arg : e.args)
      require(arg->kind == ExprKind::Constant && arg->type.dtype == e.type.dtype, "a table is of constants of its dtype");
  }
  if (auto *iota = e.get<node::Iota>()) within(iota->axis, rank(e), "an index runs along an axis");
}

void FunctionVerifier::shapeOp(const Expr &e) const {
  const Expr &from = *e.args[0];
  switch (e.kind) {
  case ExprKind::Broadcast: {
    const std::vector<int> &axes = e.as<node::Broadcast>().axes;
    different(axes, rank(from), rank(e), "a broadcast has an axis for each of its operand's");
    for (size_t i = 0; i < axes.size(); ++i)
      require(from.type.shape[i] == Dim(1) || mayEqual(from.type.shape[i], e.type.shape[axes[i]]),
              "an axis has extent 1 or the result's");
    return;
  }
  case ExprKind::Reshape: return require(e.type.isArray(), "a reshape makes an array");
  case ExprKind::Transpose: {
    const std::vector<int> &axes = e.as<node::Transpose>().axes;
    different(axes, rank(from), rank(from), "a transpose permutes the axes");
    for (size_t i = 0; i < axes.size(); ++i)
      require(mayEqual(e.type.shape.at(i), from.type.shape[axes[i]]), "an axis keeps its extent");
    return;
  }
  case ExprKind::Concat:
    within(e.as<node::Concat>().axis, rank(e), "parts are joined along an axis");
    for (const ExprPtr &arg : e.args) require(rank(*arg) == rank(e), "parts have the result's axes");
    return;
  case ExprKind::Window: {
    const auto &window = e.as<node::Window>();
    within(window.axis, rank(from), "a window is along an axis");
    require(window.stride > 0 && window.dilation > 0, "a window has a step and a dilation");
    return require(rank(e) == rank(from) + 1, "a window makes two axes of one");
  }
  case ExprKind::Gather: {
    const auto &gather = e.as<node::Gather>();
    different(gather.along, rank(*e.args[1]), rank(e), "a gather has an axis for each of its places'");
    return within(gather.axis, rank(from), "a gather is along an axis");
  }
  case ExprKind::ScatterAdd: {
    const auto &scatter = e.as<node::ScatterAdd>();
    different(scatter.along, rank(*e.args[1]), rank(from), "a scatter has an axis for each of its places'");
    require(rank(e) == rank(from) && e.type.dtype == from.type.dtype, "a scatter keeps its axes and dtype");
    return within(scatter.axis, rank(from), "a scatter is along an axis");
  }
  case ExprKind::Argsort:
    require(rank(from) > 0 && rank(e) == rank(from), "an order has the axes of what is sorted, one at least");
    for (size_t i = 0; i < rank(e); ++i)
      require(mayEqual(e.type.shape[i], from.type.shape[i]), "an order has the shape of what is sorted");
    require(info(from.type.dtype).cls != DTypeClass::Complex, "complex numbers have no order");
    return require(e.type.dtype == DType::I64, "an order counts places in i64");
  case ExprKind::Scan: {
    const auto &scan = e.as<node::Scan>();
    within(scan.axis, rank(from), "a scan is along an axis");
    require(rank(e) == rank(from) && e.type.dtype == from.type.dtype, "a scan keeps axes and dtype");
    for (size_t i = 0; i < rank(e); ++i)
      require(mayEqual(e.type.shape[i], from.type.shape[i]), "a scan has the shape of what it combines");
    return require(scan.op != ReduceOp::Any && scan.op != ReduceOp::All, "a scan is of sums, products or extremes");
  }
  case ExprKind::Exchange: {
    const auto &exchange = e.as<node::Exchange>();
    require(function_.kind == FunctionKind::Tensor, "devices exchange whole tensors");
    require(!exchange.over.empty(), "devices exchange along an axis of the mesh");
    require(rank(e) == rank(from) && (exchange.what == ExchangeKind::AllReduce || rank(e) > 0), "an exchange keeps the axes");
    for (size_t i = exchange.what == ExchangeKind::AllReduce ? 0 : 1; i < rank(e); ++i)
      require(mayEqual(e.type.shape[i], from.type.shape[i]), "an exchange is along the first axis");
    return require(e.type.dtype == from.type.dtype, "what devices exchange keeps its dtype");
  }
  case ExprKind::Slice: {
    auto isRange = [](const IndexPart &part) { return !part.isPoint; };
    const Access &access = e.as<node::Slice>().access;
    require(!access.base && !access.other, "a slice is of its operand");
    size_t ranges = std::count_if(access.parts.begin(), access.parts.end(), isRange);
    require(access.parts.size() == rank(from), "a slice has an index for each axis");
    return require(rank(e) == ranges, "a slice keeps the axes that are ranges");
  }
  case ExprKind::Constant:
  case ExprKind::String:
  case ExprKind::DimValue:
  case ExprKind::VarRef:
  case ExprKind::Elementwise:
  case ExprKind::Cast:
  case ExprKind::Reduce:
  case ExprKind::Dot:
  case ExprKind::Full:
  case ExprKind::Table:
  case ExprKind::Iota:
  case ExprKind::Load:
  case ExprKind::Query:
  case ExprKind::Warp:
  case ExprKind::Call:
  case ExprKind::TupleItem:
  case ExprKind::Derivative:
  case ExprKind::Vmap:
  case ExprKind::After:
  case ExprKind::HostShape:
  case ExprKind::HostRank:
  case ExprKind::HostItem:
  case ExprKind::LoadNpy:
  case ExprKind::HostCall:
  case ExprKind::Format:
  case ExprKind::Opaque: throw Broken{"an expression is looked at by the rule of its kind"};
  }
}

void FunctionVerifier::host(const Expr &e) const {
  switch (e.kind) {
  case ExprKind::String: return require(e.type.kind == TypeKind::String, "a text is a string");
  case ExprKind::Format: {
    const auto &[texts, formats] = e.as<node::Format>();
    return require(texts.size() == e.args.size() + 1 && formats.size() == e.args.size(),
                   "a format has a text around each value");
  }
  case ExprKind::HostCall: return require(!e.as<node::HostCall>().function.empty(), "a host function has a name");
  case ExprKind::LoadNpy: return require(e.args[0]->type.kind == TypeKind::String, "a path is a string");
  case ExprKind::HostShape:
  case ExprKind::HostRank:
  case ExprKind::HostItem:
    return require(e.args[0]->type.kind == TypeKind::HostTensor, "a tensor of host code is asked");
  case ExprKind::Constant:
  case ExprKind::DimValue:
  case ExprKind::VarRef:
  case ExprKind::Elementwise:
  case ExprKind::Cast:
  case ExprKind::Broadcast:
  case ExprKind::Reshape:
  case ExprKind::Transpose:
  case ExprKind::Reduce:
  case ExprKind::Dot:
  case ExprKind::Full:
  case ExprKind::Table:
  case ExprKind::Iota:
  case ExprKind::Load:
  case ExprKind::Concat:
  case ExprKind::Window:
  case ExprKind::Gather:
  case ExprKind::ScatterAdd:
  case ExprKind::Argsort:
  case ExprKind::Scan:
  case ExprKind::Exchange:
  case ExprKind::Slice:
  case ExprKind::Query:
  case ExprKind::Warp:
  case ExprKind::Call:
  case ExprKind::TupleItem:
  case ExprKind::Derivative:
  case ExprKind::Vmap:
  case ExprKind::After:
  case ExprKind::Opaque: throw Broken{"an expression is looked at by the rule of its kind"};
  }
}

void FunctionVerifier::warp(const Expr &e) const {
  const auto &warp = e.as<node::Warp>();
  const Type &from = e.args[0]->type;
  require(isKernel(), "lanes of a warp are those of a kernel");
  require(e.type.kind == TypeKind::Scalar && from.kind == TypeKind::Scalar, "a lane gives one number, and gets one");
  if (warp.what == WarpOp::Ballot) return require(from.dtype == DType::Bool && e.type.dtype == DType::U32, "a ballot makes bits of truth values");
  require(e.type.dtype == from.dtype, "what lanes give each other keeps its dtype");
  if (warp.what != WarpOp::Reduce) return require(e.args[1]->type.kind == TypeKind::Index, "a lane has a number");
  const bool truth = warp.op == ReduceOp::Any || warp.op == ReduceOp::All;
  require(truth == (from.dtype == DType::Bool), "truth values are combined by any and all, numbers by the others");
}

void FunctionVerifier::call(const Expr &e) const {
  if (e.kind == ExprKind::TupleItem) {
    const Var *var = varOf(*e.args[0]);
    const Type &tuple = var ? var->type : e.args[0]->type;
    require(tuple.kind == TypeKind::Tuple, "an item is of a tuple");
    return within(e.as<node::TupleItem>().item, tuple.items.size(), "a tuple has the item");
  }
  if (e.kind == ExprKind::Opaque) {
    require(!e.as<node::Opaque>().name.empty(), "what only the checker knows has a name");
    return require(!function_.later.empty(), "what only the checker knows is refused later");
  }
  const Function *callee = calleeOf(e);
  require(callee != nullptr, "a call has a callee");
  if (e.kind == ExprKind::Call) {
    auto isGiven = [](const Param &param) { return !param.isResult; };
    size_t given = std::count_if(callee->params.begin(), callee->params.end(), isGiven);
    for (size_t i = 0; function_.kind == FunctionKind::Tensor && callee->kind == FunctionKind::Kernel && i < callee->params.size(); ++i) {
      auto holds = [&](const FunctionResult &result) { return result.param == static_cast<int>(i); };
      bool isKept = callee->params[i].mode == ParamMode::In || std::any_of(callee->results.begin(), callee->results.end(), holds);
      require(isKept, "what a kernel writes for a tensor function is a result");
    }
    return require(e.args.size() == given, "a call has an argument for each parameter");
  }
  if (auto *vmap = e.get<node::Vmap>()) {
    const std::vector<bool> &mapped = vmap->mapped;
    require(mapped.size() == e.args.size() && e.args.size() == callee->params.size(), "a map has an argument for each parameter");
    require(std::count(mapped.begin(), mapped.end(), true) > 0, "a map is over an argument");
    for (size_t i = 0; i < mapped.size(); ++i)
      require(!mapped[i] || rank(*e.args[i]) == callee->params[i].var->type.shape.size() + 1, "a mapped argument has one axis more");
    return;
  }
  for (int param : e.as<node::Derivative>().parameters) within(param, callee->params.size(), "a derivative is by parameters");
}

/// `sliced`: the type of the array value, where it is not memory that is accessed.
void FunctionVerifier::access(const Access &access, const Type *sliced) {
  if (!sliced) {
    defined(access.base);
    bool isMemory = access.base->type.kind == TypeKind::View || access.base->type.kind == TypeKind::Shared;
    require(isMemory, "an access is of a view or of a shared buffer");
    require(access.parts.size() == access.base->type.shape.size(), "an access has an index for each axis");
  }
  for (const IndexPart &part : access.parts) {
    require(part.step > 0, "an access goes forwards");
    if (part.isPoint || part.offset) index(part.offset, "a point has an index");
  }
  if (access.other) expr(access.other, "");
}

void FunctionVerifier::index(const ExprPtr &value, const char *missing) {
  expr(value, missing);
  require(value->type.kind == TypeKind::Index, "an offset or a bound is an index");
}

}  // namespace tessera::checked
