// Expressions of the checked program. What every kind has stands in Expr: its type, its place, its arguments. What one
// kind alone has stands in the struct of that kind in `node`, and is read as `expr.as<node::Gather>().axis`.
#pragma once
#include "checked/Type.h"
#include "support/Check.h"
#include "support/Ops.h"
#include "support/Span.h"
#include <memory>
#include <variant>

namespace tessera::checked {

struct Function;
struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// A local name, parameter or buffer. Assigned once unless `reassigned`.
struct Var {
  uint32_t id;        // unique in its function
  std::string name;   // the user's name (not unique)
  Type type;
  Span span;
  bool reassigned = false;  // some Assign rebinds it
  bool varying = false;     // kernels: may differ between lanes of a group (depends on a lane query);
                            // elsewhere: between devices (depends on the place in the mesh)
  std::string swizzle;      // Shared: "" or "xor"
};

enum class ExprKind : uint8_t {
  Constant, String, DimValue, VarRef,
  Elementwise, Cast, Broadcast, Reshape, Transpose, Reduce, Dot, Full, Table, Iota, Load, Concat, Window, Gather,
  ScatterAdd, Argsort, Scan, Exchange, Slice,
  Query, Warp, Call, TupleItem, Derivative, Vmap, After,
  HostShape, HostRank, HostItem, LoadNpy, HostCall, Format,
  Opaque,
};

enum class Query : uint8_t {
  Origin,     // offset of this group's tile along an output dimension
  GroupId, GroupSize, LocalId, LaneId, LinearId,  // LinearId: GroupId(0) * GroupSize + LocalId
  GroupCount,
};

/// What the lanes of a warp, kWarpLanes of them, learn of each other.
enum class WarpOp : uint8_t {
  Shuffle,     // the value of the lane with the number args[1], modulo the lanes of a warp
  ShuffleXor,  // the value of the lane whose number differs in the bits of args[1], modulo the lanes of a warp
  Ballot,      // bit i of a u32: whether lane i has true
  Reduce,      // the combination of all values: lanes 16 apart first, then 8, 4, 2, 1
};

/// One index of an access: a point (drops the dimension) or `size` elements from `offset`, `step` apart.
struct IndexPart {
  bool isPoint = false;
  ExprPtr offset;      // Index; null: 0
  Dim size;            // ranges: how many elements the tile has along this dimension
  int64_t step = 1;
  bool inBounds = false;  // proved: no mask needed
};
/// Which elements of a View or Shared: outside the tensor reads give `other` (zero if null), stores do nothing.
struct Access {
  Var *base = nullptr;
  std::vector<IndexPart> parts;  // one for each dimension of base
  ExprPtr other;                 // scalar of base's dtype, or null
  int vector = 0;                // > 0: one of so many neighbours, aligned, that a lane reads or writes together
};

/// What all devices along an axis of the mesh do together with an array.
enum class ExchangeKind : uint8_t {
  AllReduce,      // the sum over the devices, on each of them
  AllGather,      // the arrays of all devices behind one another along the first axis
  ReduceScatter,  // the sum over the devices, of which each keeps its part along the first axis
};
std::string_view name(ExchangeKind kind);  // as a program calls it

/// What a derivative is asked for.
enum class DerivativeKind : uint8_t {
  Gradient,          // for each of `parameters` a value of its type
  ValueAndGradient,  // ... behind the value of `callee`
  Pullback,          // ... where further args are the derivatives by the results
  Pushforward,       // for each result a value of its type; further args are the derivatives of the parameters
};

/// A struct for each ExprKind, in its order: what the kind means, and what it has beside arguments.
namespace node {

/// A literal of a Scalar or Index type. An Index has its names, too: `M` where `M` is known to be 4.
struct Constant {
  std::variant<std::monostate, double, int64_t, bool> value;
  Dim dim;
};
/// Host code.
struct String {
  std::string text;
};
/// Index: the value of a dimension.
struct DimValue {
  Dim dim;
};
/// Never a View or Shared: those occur in accesses only.
struct VarRef {
  Var *var = nullptr;
};
/// args are scalars or arrays of exactly this shape; one dtype (Select: bool first).
struct Elementwise {
  ElementwiseOp op{};
  bool ofLimit = false;  // Select: keeps what lies outside of a tensor out of a reduction or product
  bool inPlace = false;  // Select: what it does not choose anew stays where it is stored
};
/// args[0] as this type's dtype, rounding by this type's numerics (Index <-> ints too). What is rounded by chance is a
/// value of the dtype already.
struct Cast {
  bool stopsGradient = false;  // `stop_gradient(x)`: to its own dtype; a derivative takes the operand as constant
  bool ofBits = false;         // `bitcast(x, dtype)`: the same bits as a dtype of as many
};
/// args[0] (array) to this shape. An argument axis has extent 1 or the result's. Result axes not named are new.
struct Broadcast {
  std::vector<int> axes;  // axes[i]: which result axis axis i of the argument becomes
};
/// args[0] in row-major order.
struct Reshape {};
/// Result axis i is argument axis axes[i].
struct Transpose {
  std::vector<int> axes;
};
/// `op` over `axes` of args[0] (removed from the shape); carried in this type's dtype.
struct Reduce {
  ReduceOp op{};
  std::vector<int> axes;
};
/// args[0] [..., M, K] times args[1] [..., K, N], products added up in this type's dtype.
struct Dot {};
/// args[0] (scalar) everywhere in this shape.
struct Full {};
/// args, constants of this dtype, as an array of this shape, in row-major order.
struct Table {};
/// The index along an axis, dtype i32 or i64, this shape.
struct Iota {
  int axis = 0;
};
/// A scalar if every part is a Point, else an array (Points dropped).
struct Load {
  Access access;
};
/// args along an axis.
struct Concat {
  int axis = 0;
};
/// args[0] with axes [size, count] in the place of `axis`: element (k, i) is what stands there at
/// i * stride + k * dilation, proved in bounds.
struct Window {
  int axis = 0, stride = 1, dilation = 1;
};
/// args[0] at the places args[1] (i64) of `axis`. What lies outside of the axis is 0.
struct Gather {
  int axis = 0;
  std::vector<int> along;  // along[i]: which result axis axis i of args[1] is
};
/// Zeros with args[0] added at the places args[1] (i64) of `axis`, in their order. What lies outside of the axis is
/// dropped. Carried in this type's dtype, which is that of args[0].
struct ScatterAdd {
  int axis = 0;
  std::vector<int> along;  // along[i]: which axis of args[0] axis i of args[1] is
};
/// For each row along the last axis of args[0] the places (i64) of its elements in rising order, in falling order if
/// `descending`: a NaN last, what is equal as it came.
struct Argsort {
  bool descending = false;
};
/// args[0] with each element combined with those before it along `axis`, in their order: Sum, Prod, Min or Max. Carried in this
/// type's dtype.
struct Scan {
  ReduceOp op{};
  int axis = 0;
};
/// args[0], an array, among the devices along the axis `over` of the mesh. Sums are carried in this type's dtype, those of 16
/// bits in f32, and rounded once.
struct Exchange {
  ExchangeKind what{};
  std::string over;
};
/// args[0] (array value, not a view) by parts of its axes (no masks: proved in bounds). `access` has no base.
struct Slice {
  Access access;
};
/// A place in the grid along an axis: Index.
struct Query {
  checked::Query what{};
  int axis = 0;
};
/// args[0], a scalar, among the lanes of a warp. It stands alone as the value of a Let that all lanes of the group reach.
struct Warp {
  WarpOp what{};
  ReduceOp op{};  // Reduce
};
/// `callee`(args): a kernel or tensor function called from host code, or a kernel called from a tensor function. One
/// result: that type; several: a Tuple, taken apart by TupleItem.
struct Call {
  const Function *callee = nullptr;
};
/// An item of args[0].
struct TupleItem {
  int item = 0;
};
/// The derivatives of `callee`, at args, by its parameters; several: a Tuple. autodiff::expand writes them out; a function
/// with one that it could not has it in `Function::later`.
struct Derivative {
  const Function *callee = nullptr;
  DerivativeKind what{};
  std::vector<int> parameters;
};
/// `callee` for each index of the first axis of those args that are `mapped`, whose parameters are without that axis; each
/// result has it in front of its own. All mapped args have it alike. autodiff::expand writes it out.
struct Vmap {
  const Function *callee = nullptr;
  std::vector<bool> mapped;  // one for each arg
};
/// args[0], known only when args[1] is: what is computed from it is computed again, and not taken from where it was computed
/// before (`@checkpoint`).
struct After {};
/// Host: an extent of the HostTensor args[0] (Index).
struct HostShape {
  int axis = 0;  // from the end if negative
};
/// Host: how many extents the HostTensor args[0] has (Index).
struct HostRank {};
/// Host: row args[1] of the HostTensor args[0], or the value of a 0-d one if no args[1].
struct HostItem {};
/// Host: args[0] path -> HostTensor.
struct LoadNpy {};
/// Host: the function of this name in support/HostFunctions.def, of args.
struct HostCall {
  std::string function;
};
/// Host: an f-string or str(): a text around each of args, and how each is written.
struct Format {
  std::vector<std::string> texts, formats;  // texts.size() == args.size() + 1
};
/// What only the checker knows, by its name: an operation of a state. A function with one has an entry in
/// `Function::later`.
struct Opaque {
  std::string name;
};

using Any = std::variant<Constant, String, DimValue, VarRef, Elementwise, Cast, Broadcast, Reshape, Transpose, Reduce, Dot,
                         Full, Table, Iota, Load, Concat, Window, Gather, ScatterAdd, Argsort, Scan, Exchange, Slice, Query, Warp, Call,
                         TupleItem, Derivative, Vmap, After, HostShape, HostRank, HostItem, LoadNpy, HostCall, Format, Opaque>;
static_assert(std::variant_size_v<Any> == static_cast<size_t>(ExprKind::Opaque) + 1, "a struct for each kind");

}  // namespace node

struct Expr {
  Expr(ExprKind kind, Type type, Span span);

  const ExprKind kind;
  Type type;
  Span span;
  std::vector<ExprPtr> args;
  std::string nameHint;  // what the user called this value where it has no Var of its own; may be empty

  /// What the kind has. It is a mistake of ours to ask for that of another kind.
  template <class Node> Node &as() {
    Node *found = std::get_if<Node>(&node_);
    TSR_CHECK(found, "an expression is taken for one of another kind");
    return *found;
  }
  template <class Node> const Node &as() const { return const_cast<Expr *>(this)->as<Node>(); }
  /// ... or null.
  template <class Node> Node *get() { return std::get_if<Node>(&node_); }
  template <class Node> const Node *get() const { return std::get_if<Node>(&node_); }
  const node::Any &node() const { return node_; }

private:
  friend ExprPtr clone(const Expr &expr);
  node::Any node_;
};

/// The variable that a reference names; null for anything else.
inline Var *varOf(const Expr &expr) {
  auto *ref = expr.get<node::VarRef>();
  return ref ? ref->var : nullptr;
}
/// The value of a literal; null for anything else.
inline const auto *literalOf(const Expr &expr) {
  auto *constant = expr.get<node::Constant>();
  return constant ? &constant->value : nullptr;
}
/// The function that is called, derived or mapped; null for anything else.
inline const Function *calleeOf(const Expr &expr) {
  if (auto *call = expr.get<node::Call>()) return call->callee;
  if (auto *vmap = expr.get<node::Vmap>()) return vmap->callee;
  auto *derivative = expr.get<node::Derivative>();
  return derivative ? derivative->callee : nullptr;
}
/// The names of an Index: what it is in dimensions; null for what has none.
inline Dim *writtenDim(Expr &expr) {
  if (auto *value = expr.get<node::DimValue>()) return &value->dim;
  auto *constant = expr.get<node::Constant>();
  return constant ? &constant->dim : nullptr;
}
inline const Dim *writtenDim(const Expr &expr) { return writtenDim(const_cast<Expr &>(expr)); }
/// Which parts of memory or of a value are read; null for what is no Load or Slice.
inline Access *accessOf(Expr &expr) {
  if (auto *load = expr.get<node::Load>()) return &load->access;
  auto *slice = expr.get<node::Slice>();
  return slice ? &slice->access : nullptr;
}
inline const Access *accessOf(const Expr &expr) { return accessOf(const_cast<Expr &>(expr)); }

}  // namespace tessera::checked
