// Operations on numbers, tensors and tiles: each checks its operands and builds the expression that computes it.
#pragma once
#include "sema/Arguments.h"
#include "sema/Context.h"

namespace tessera::sema {

/// Where a part of a value begins along an axis: of the axis in reversed order, if the step runs back.
struct SliceStart {
  Dim first;
  bool backwards = false;
};

// ---- Arithmetic.cpp
/// Whether a cast to this dtype loses values that the type has.
bool narrows(const Type &from, DType to);
/// The dtype that arithmetic on this type is done in.
DType carryTypeOf(const Type &type);
/// False, with a message, if a value is no number and no array of them.
bool requireNumber(Context &cx, const Value &value, Span span, const std::string &shown);
/// Views are read whole, host tensors as the scalar they hold; everything else stays.
Value toArray(Context &cx, const Value &value, DType weak, Span span);
/// Whether nothing here says dtypes: in host code, and in functions without types that its expressions call. Integers beside
/// fractions become floats there, as the numbers of host code do.
bool saysNoDTypes(const Context &cx);
/// The dtype that literals and arrays take together; weak values count only for fractions (F1, F3).
bool promote(Context &cx, const std::vector<Value> &args, Type &type, Span span, const std::string &shown);
/// The value as an expression of the dtype that it is computed in.
ExprPtr inCarryType(Context &cx, Value value, DType dtype, Span span);
/// The value rounded to `dtype` as `numerics` say; already rounded values stay.
ExprPtr asDType(Context &cx, Value value, DType dtype, const Numerics &numerics, Span span);
/// Rounding to chance needs a stream, which only a `cast` can name (P9).
bool needsStream(Context &cx, const Numerics &numerics, DType from, DType to, Span span);
/// `cast(x, dtype)`: rounded as `numerics` say.
Value castTo(Context &cx, Value value, DType dtype, const Numerics &numerics, Span span);
/// The value as an expression of the dtype of a place: cast, or a message if that would narrow it.
ExprPtr castToPlace(Context &cx, Value value, const Type &type, Span span, const std::string &what,
                    bool fixable = true);
/// An expression as a value of the language's type, with the limits of its axes.
Value arrayValue(Context &cx, ExprPtr expr, Type type, std::vector<std::optional<Limit>> limits, Span span);
/// The dtype that sums of this value are added up in. Nothing after a message.
std::optional<DType> accumulator(Context &cx, const Value &value, Span span, const std::string &what);
/// An elementwise operation on integers: over dimensions where that is possible, else what run time computes.
Value intElementwise(Context &cx, ElementwiseOp op, const std::vector<Value> &args, Span span,
                     const std::string &shown);
/// An elementwise operation: shapes are broadcast, dtypes promoted. `shown`: what messages call it.
Value elementwise(Context &cx, ElementwiseOp op, std::vector<Value> args, Span span, const std::string &shown);

// ---- MatrixProduct.cpp
/// The product of matrices, added to `acc` if that is given.
Value dot(Context &cx, Value a, Value b, const Value &acc, Span span);
/// `a * b`, broadcast, added up over the axes: rounded, and in the dtypes, as a product of matrices.
Value sumOfProducts(Context &cx, Value a, Value b, const std::vector<int> &axes, Span span);

// ---- Broadcast.cpp
/// claim() of `a == b`.
bool sameDim(Context &cx, const Dim &a, const Dim &b, Span span, const std::string &why);
/// The shape that all of them have after broadcasting, without the last axes that stand `apart`. Extents that the
/// facts prove to be 1 become the number 1 where they are spread.
bool broadcastShapes(Context &cx, std::vector<Value> &args, std::vector<Dim> &shape, Span span, size_t apart = 0);
/// The expression with this shape; it has fewer axes, or axes of extent 1.
ExprPtr broadcastTo(ExprPtr expr, const std::vector<Dim> &shape);
Value broadcastValue(Context &cx, Value value, const std::vector<Dim> &shape, Span span);
/// The axis that an argument names, counted from the first. Nothing after a message.
std::optional<int> axisOf(Context &cx, const Value &value, size_t rank, Span span, const std::string &shown);
std::optional<int> axisOf(Context &cx, const Value &value, const Value &of, Span span);
/// The axes that an argument names. False after a message.
bool axesOf(Context &cx, const Value &axis, const Value &of, Span span, std::vector<int> &axes);

// ---- Reshape.cpp
Value transpose(Context &cx, Value value, std::vector<int> axes, Span span);
Value reshape(Context &cx, Value value, std::vector<Dim> shape, int inferred, Span span);
Value insertAxis(Context &cx, Value value, int axis, Span span);
Value removeAxis(Context &cx, Value value, int axis, Span span);

// ---- ConcatAndSplit.cpp
Value concat(Context &cx, std::vector<Value> values, int axis, Span span);
/// `size` elements of one axis from `start`, `step` apart; the caller has proved that they lie inside.
Value sliceAxis(Context &cx, Value value, size_t axis, const Dim &start, const Dim &size, int64_t step, Span span);
Value split(Context &cx, Value value, int parts, int axis, Span span);
/// Parts of these sizes along an axis; they need to add up to its extent.
Value splitInto(Context &cx, Value value, const std::vector<Dim> &sizes, int axis, Span span);
Value stack(Context &cx, std::vector<Value> values, int axis, Span span);
/// `count` neighbouring axes become one.
Value mergeAxes(Context &cx, Value value, size_t first, size_t count, Span span);
/// Each element `times` times in a row, or the whole axis `times` times.
Value repeat(Context &cx, Value value, const Dim &times, int axis, bool whole, Span span);
/// `amount` elements more on both ends of an axis, or behind it alone.
Value padAxis(Context &cx, Value value, size_t axis, int64_t amount, double fill, Span span, bool both = true);

// ---- Reductions.cpp
/// What is added up: the value in the dtype in which sums of it are carried, and the type of the sum but for its shape.
struct Summand {
  Value value;
  Type type;
  DType carried;
};
/// Nothing after a message: a narrow float needs a policy that says in what it is added up.
std::optional<Summand> summandOf(Context &cx, const Value &value, const std::string &what, Span span);
/// What a reduction begins with: of a minimum the greatest value there is.
double identityOf(ReduceOp op, DType dtype);
/// The value with `fill` where an axis is outside of its limit.
Value maskAxis(Context &cx, Value value, size_t axis, double fill, Span span);
/// A reduction over one axis, several, or all. `axisSpan`: of the argument that gives the axis; of the call, if there
/// is none.
Value reduce(Context &cx, ReduceOp op, Value value, const Value &axis, Span axisSpan, bool keepdim, Span span,
             const std::string &what);
Value mean(Context &cx, Value value, const Value &axis, Span axisSpan, bool keepdim, Span span);

// ---- Einsum.cpp
Value arrayEinsum(Context &cx, const BuiltinRow &row, Bound &args, Span span);

// ---- Gather.cpp
/// The indices as 64-bit integers that count from the start of an axis.
/// `scatter_add(x, 1, ids, v)`: whether the axis stands in front, as in PyTorch; then that is reported.
bool axisStandsFirst(Context &cx, const Bound &args, std::string_view shown);
Value indicesFromStart(Context &cx, Value indices, const Dim &extent, Span span);
/// x at these places of an axis; along[i]: the axis of the result that axis i of the places is.
Value gathered(Context &cx, Value x, Value places, int axis, const std::vector<int> &along, Span span);
/// x along an axis at places that count from its start, a tensor of any rank: its axes replace the axis.
Value taken(Context &cx, Value x, Value places, int axis, Span span);
/// take(x, indices, axis): the axis is replaced by the axes of the indices.
Value arrayTake(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// gather(x, indices, axis): as many axes as x, of which only `axis` may be longer; scatter the other way round.
Value arrayGather(Context &cx, const BuiltinRow &row, Bound &args, Span span);

// ---- ScatterAdd.cpp
/// scatter_add, index_add and segment_sum: sums of what has the same index along an axis, in the order of the indices.
Value arrayScatterAdd(Context &cx, const BuiltinRow &row, Bound &args, Span span);

// ---- Sort.cpp
/// argsort(x, axis, descending): where the elements along the axis lie once they are sorted.
Value arrayArgsort(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// `values, places = sort(x)`: both, of a call whose result gets two names.
Value sortedWithPlaces(Context &cx, const ast::CallExpr &call);

// ---- Scans.cpp
/// scan(x, op, axis): each element combined with those before it, in a tile as one operation, in a tensor function in passes.
Value arrayScan(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// A function of the library, called.
Value libraryCall(Context &cx, std::string_view module, const char *function, GivenList given, Span span);

// ---- Table.cpp
/// tensor(values, dtype): numbers that a program writes out as nested lists. `syntax`: of the list, where it is written there.
Value arrayTable(Context &cx, const BuiltinRow &row, Bound &args, const ast::Expr *syntax, Span span);
/// A list, or lists in it, as an array of this dtype. What is no list of numbers stays as it is; poison after a message.
Value tensorLike(Context &cx, const Value &list, DType dtype, Span span);

// ---- Convolution.cpp
Value arrayPool(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayConv(Context &cx, const BuiltinRow &row, Bound &args, Span span);

// ---- Indices.cpp
/// What an index that is made of data is called, where nothing else names it.
inline constexpr const char *kMadeIndex = "index";
/// A value as an integer for an index or an extent. Poison after a message.
Value convertInt(Context &cx, const Value &value, Span span);
/// What an integer that is made of data is at most, or at least, as far as `min`, `max` and `%` in it say so: min(n, N) is at most N.
std::optional<Dim> limitOf(const Context &cx, const Expr &e, bool most);

// ---- ChosenAlong.cpp
/// `x[:, indices]`: which axis of the result a tensor of integers chooses from, and the places. That axis is read as a whole first, and
/// so are those behind it which `places` counts along with it.
struct Chosen {
  int axis = -1;
  Value places = Value::poison();
  size_t merged = 1;
  bool rows = false;  // `x[arange(N), places]`: of each row along the axis the element that is named along the next one
};
/// What was found in the places of an access (accessOf), which becomes one of the whole axis. Nothing after a message: several tensors
/// name elements together, as in NumPy, along neighbouring axes.
std::optional<Chosen> chosenAlong(Context &cx, const Value &base, Access &access, std::vector<Dim> &shape, std::vector<std::optional<Limit>> &limits,
                                  const std::vector<int> &newAxes, std::vector<SliceStart> *starts, std::vector<Value> &places,
                                  const ast::SubscriptExpr &expr);

// ---- Subscript.cpp
/// A tensor of truth values in a subscript: it chooses along as many axes of the part as it has, of which the access has all.
struct Masked {
  Value mask = Value::of(ValueKind::Absent);
  size_t axis = 0;  // of the part, the first of them
  bool given() const { return mask.given(); }
};
/// The access, the shape and limits of the tile it means, and which result axes are new (`None`). `masked`: where a mask may stand.
bool accessOf(Context &cx, const Value &base, const ast::SubscriptExpr &expr, Access &access, std::vector<Dim> &shape,
              std::vector<std::optional<Limit>> &limits, std::vector<int> &newAxes,
              std::vector<SliceStart> *starts = nullptr, std::vector<Value> *places = nullptr, Masked *masked = nullptr);
/// Whether a slice is cut where a loop ends whose bounds are data: what lies behind is not outside of the tensor.
bool endsAtData(const std::vector<std::optional<Limit>> &limits);
/// What to do about it where a tile is written.
inline constexpr const char *kByOne = "go on by 1, and write one element or row a turn";
/// A load of these parts, with new axes where the subscript has `None`.
Value loadAccess(Context &cx, Access access, std::vector<Dim> shape, std::vector<std::optional<Limit>> limits,
                 const std::vector<int> &newAxes, Span span);
/// A value has no elements outside: all indices of the part must be proved to lie inside, or become a check at the
/// entry. Where run time gives the index there is no such check.
bool requireInside(Context &cx, const Value &base, size_t axis, IndexPart &part, const SliceStart &at, Span span);
/// Elements of an array value, by one index or slice for each axis. `updated`: of the place of `y[mask] += v`, all that a mask chooses from.
Value sliceArray(Context &cx, const Value &base, const ast::SubscriptExpr &expr, bool updated = false);
/// The axis from its end to its start.
Value reversed(Context &cx, Value value, size_t axis, Span span);
/// What an array value has at this index of its first axis.
Value rowOfArray(Context &cx, const Value &base, const Value &index, Span span);
/// `object[...]`: of tensors in memory, of array values, of sequences.
Value checkSubscript(Context &cx, const ast::SubscriptExpr &expr, bool updated = false);

// ---- BuiltinNumbers.cpp
/// Handlers of built-in functions (BuiltinCalls.cpp): arguments by the parameters of `row`, in its order.
Value arrayElementwise(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayWhere(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayReduce(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayMinMax(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayMean(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayCast(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayDot(Context &cx, const BuiltinRow &, Bound &args, Span span);

// ---- BuiltinShapes.cpp
Value arrayTranspose(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// A dimension that changes places with another one in a reshape was to be moved there first. (ReorderedAxes.cpp)
void warnOfReorderedAxes(Context &cx, const std::vector<Dim> &from, const std::vector<Dim> &to, Span span);
Value arrayReshape(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayBroadcastTo(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayUnsqueeze(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arraySqueeze(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayConcat(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayStack(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arraySplit(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayFlatten(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// `expand(x, ...)`: -1 leaves an extent as it is.
Value arrayExpand(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayRepeat(Context &cx, const BuiltinRow &row, Bound &args, Span span);

// ---- BuiltinValues.cpp
Value arrayFull(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayIota(Context &cx, const BuiltinRow &row, Bound &args, Span span);
Value arrayCdiv(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayLen(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayEnumerate(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayReversed(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayZip(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayDictParts(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayToInt(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayToFloat(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayToBool(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayRange(Context &cx, const BuiltinRow &, Bound &args, Span span);
Value arrayStaticRange(Context &cx, const BuiltinRow &, Bound &args, Span span);

// ---- Lists of numbers where a tensor is asked for: as an argument, or as an index.
/// Whether it is a list (or a tuple) of numbers, or of such lists. `whole`: of integers alone.
bool isListOfNumbers(const Value &list, bool whole);
/// `[3, 11]` for a parameter `Tensor[N, i64]`: the tensor of these numbers. Anything else stays as it is.
Value tensorOfList(Context &cx, Value value, const ast::Expr *annotation, Span span);

}  // namespace tessera::sema
