// What a lane reads and writes at a time, and tiles that are to lie in registers: the forms of slices and tiles that promise it.
#include "checked/ExprBuild.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/kernels/Coverage.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Trace.h"
#include "support/Lanes.h"
#include "support/Machine.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::sema {

namespace {

/// The widest access that a lane of some machine has.
int64_t vectorBits() {
  int64_t most = 0;
  for (const Machine &machine : machines())
    if (machine.family != Target::Cpu) most = std::max(most, machine.vectorBits);
  return most;
}

/// The access that is read, if the value is a slice of memory; null otherwise.
const Access *accessOfSlice(const Value &value) {
  if (!value.isArray() || !value.expr) return nullptr;
  const Expr *load = value.expr.get();
  while (load->kind == ExprKind::Broadcast) load = load->args[0].get();
  auto *found = load->get<node::Load>();
  return found && !found->access.parts.empty() ? &found->access : nullptr;
}

/// Neighbours of the last axis, a power of two of them, that fit into one access.
bool hasLengthOfVector(Context &cx, const Access &access, const std::string &called, Span span) {
  const IndexPart &last = access.parts.back();
  const DType dtype = access.base->type.dtype;
  const int64_t most = vectorBits() / info(dtype).bits;
  const bool apart =
      std::all_of(access.parts.begin(), access.parts.end() - 1, [](const IndexPart &part) { return part.isPoint; });
  const int64_t count = !last.isPoint && last.size.isConstant() ? last.size.constant() : 0;
  const bool power = count >= 2 && (count & (count - 1)) == 0;
  if (apart && last.step == 1 && power && count <= most && info(dtype).bits % 8 == 0) return true;
  if (fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted("tile." + called),
           most < 2 || info(dtype).bits % 8 != 0
               ? "a dtype of which several fit into " + std::to_string(vectorBits()) + " bits"
               : "2, 4, 8, ... up to " + std::to_string(most) + " neighbours of a row of " + std::string(name(dtype)),
           !last.isPoint && last.size.isConstant() && apart && last.step == 1
               ? std::to_string(count) + " of " + std::string(name(dtype))
               : "something else")
        .help("a number of elements that is written out: `x[4 * i:4 * i + 4]`");
  return false;
}

/// The first of the elements, and so each row, is a multiple of their number.
bool isAligned(Context &cx, const Access &access, const std::string &called, Span span) {
  const IndexPart &last = access.parts.back();
  const Dim count = last.size;
  RunNames names;
  collect(cx.function.fn->body, names);
  auto first = last.offset ? dimOf(*last.offset, names) : std::optional<Dim>(Dim(0));
  if (!first ||
      !cx.function.facts.proves({Dim::mod(*first, count), shape::Relation::Eq, Dim(0)})) {
    if (fresh(cx, Id::badConstant, span))
      report(cx, Id::badConstant, span,
             "I cannot tell that this begins at a multiple of " + show(cx, count) + " elements")
          .label("`tile." + called + "` is for vectors that are aligned")
          .help("count in vectors: `x[" + show(cx, count) + " * i:" + show(cx, count) + " * i + " + show(cx, count) +
                "]`; other parts are slices, without `tile." + called + "`");
    return false;
  }
  const Dim extent = access.base->type.shape.back();
  shape::Formula whole(Dim::mod(extent, count), shape::Relation::Eq, Dim(0));
  if (claim(cx, whole, "the rows of `" + access.base->name + "` are whole vectors", span)) return true;
  if (fresh(cx, Id::badConstant, span)) {
    auto builder =
        report(cx, Id::badConstant, span,
               "a row of `" + access.base->name + "` is not made of whole vectors of " + show(cx, count) + " elements");
    explainClaim(cx, builder, whole);
  }
  return false;
}

bool isVector(Context &cx, const Value &value, const std::string &called, Span span) {
  if (value.isPoison()) return false;
  const Access *access = accessOfSlice(value);
  if (!access) {
    if (fresh(cx, Id::wrongArgument, span))
      report(cx, Id::wrongArgument, span, quoted("tile." + called), "a slice of a tensor, `x[4 * i:4 * i + 4]`",
             describe(cx, value));
    return false;
  }
  return hasLengthOfVector(cx, *access, called, span) && isAligned(cx, *access, called, span);
}

/// What a group can keep in registers on no machine is none.
bool fitsRegisters(Context &cx, const std::vector<Dim> &shape, DType dtype, Span span) {
  constexpr int64_t longest = 4096;  // of an axis of which facts know a bound only
  double bytes = info(dtype).bits / 8.0;
  for (const Dim &extent : shape) {
    if (extent.isConstant()) bytes *= static_cast<double>(extent.constant());
    std::set<std::string> variables;
    extent.collectVars(variables);
    const bool ofSchedule = std::all_of(variables.begin(), variables.end(), shape::isPositiveName);
    if (ofSchedule || cx.function.facts.proves({extent, shape::Relation::Le, Dim(longest)}))
      continue;
    if (fresh(cx, Id::notConstant, span))
      report(cx, Id::notConstant, span, "an extent in registers (`" + show(cx, extent) + "`)")
          .help("say how long it is at most: `where " + show(cx, extent) + " <= 256`");
    return false;
  }
  const int64_t group = cx.function.fn->kernel.groupSize, lanes = group > 0 ? group : kMostGroupLanes;
  int64_t registers = 0;
  for (const Machine &machine : machines())
    if (machine.family != Target::Cpu)
      registers = std::max(registers, std::min(machine.laneRegisters * lanes, machine.processorRegisters));
  if (bytes <= static_cast<double>(registers) * 4) return true;
  if (fresh(cx, Id::badKernelOption, span)) {
    char kib[32];
    std::snprintf(kib, sizeof kib, bytes < 1e15 ? "%.0f" : "%.3g", std::floor(bytes / 1024));
    report(cx, Id::badKernelOption, span,
           std::string("no machine keeps ") + kib + " KiB in the registers of " + std::to_string(lanes) +
               " lanes; the most is " + std::to_string(registers / 256));
  }
  return false;
}

}  // namespace

/// The elements of the vector one by one: places of its row from `first` on.
static std::vector<Access> elementsOf(Context &cx, const Access &vector, Span span) {
  const int64_t count = vector.parts.back().size.constant();
  std::vector<Access> elements;
  Value first = Value::integer(Dim(0));
  if (vector.parts.back().offset) first = indexValue(cx, clone(*vector.parts.back().offset), "first", span);
  for (int64_t i = 0; i < count; ++i) {
    Access element = clone(vector);
    element.vector = static_cast<int>(count);
    IndexPart &place = element.parts.back();
    place.isPoint = true;
    place.size = Dim(1);
    place.offset = indexExpr(cx, first, span);
    if (i > 0) {
      std::vector<ExprPtr> sum;
      sum.push_back(std::move(place.offset));
      sum.push_back(makeIndex(i, span));
      place.offset = makeElementwise(ElementwiseOp::Add, indexType(), span, std::move(sum));
    }
    elements.push_back(std::move(element));
  }
  return elements;
}

Value kernelLoadVector(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &, Span span) {
  Value value = toArray(cx, args.values[0], DType::F32, args.spans[0]);
  if (!isVector(cx, value, std::string(row.name), args.spans[0])) return Value::poison();
  const Type type = scalarType(value.type.dtype, value.type.numerics);
  const DType carried = accessOfSlice(value)->base->type.dtype;
  std::vector<Value> items;
  for (Access &access : elementsOf(cx, *accessOfSlice(value), span)) {
    ExprPtr e = makeExpr(ExprKind::Load, scalarType(carried, accessOfSlice(value)->base->type.numerics), span);
    e->as<node::Load>().access = std::move(access);
    items.push_back(reusable(cx, arrayValue(cx, std::move(e), type, {}, span), "", span));
  }
  return Value::tuple(std::move(items));
}

Value kernelStoreVector(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span) {
  auto *target = given.empty() ? nullptr : ast::as<ast::SubscriptExpr>(given[0].syntax);
  Value place = toArray(cx, args.values[0], DType::F32, args.spans[0]),
        object = target ? checkExpr(cx, *target->object) : place;
  if (args.values[1].isPoison() || object.isPoison() || !isVector(cx, place, std::string(row.name), args.spans[0]))
    return Value::poison();
  if (object.kind != ValueKind::View && object.kind != ValueKind::Shared) {
    if (fresh(cx, Id::immutableTensor, args.spans[0]))
      report(cx, Id::immutableTensor, args.spans[0], describe(cx, object));
    return Value::poison();
  }
  const Access &vector = *accessOfSlice(place);
  const auto count = static_cast<size_t>(vector.parts.back().size.constant());
  std::vector<Value> items =
      args.values[1].isSequence()
          ? args.values[1].items
          : std::vector<Value>(args.values[1].isArray() && !args.values[1].isScalar() ? 0 : count, args.values[1]);
  if (items.size() != count) {
    if (fresh(cx, Id::wrongArgument, args.spans[1]))
      report(cx, Id::wrongArgument, args.spans[1], quoted("tile.store_vector"),
             std::to_string(count) + " numbers, or one for all",
             args.values[1].isSequence() ? std::to_string(items.size()) + " numbers" : describe(cx, args.values[1]));
    return Value::poison();
  }
  std::vector<ExprPtr> values;
  for (Value &item : items) {
    ExprPtr e = castToPlace(cx, item, vector.base->type, args.spans[1], "`" + vector.base->name + "`", false);
    if (!e || e->type.kind == TypeKind::Tensor) {
      if (e && fresh(cx, Id::wrongArgument, args.spans[1]))
        report(cx, Id::wrongArgument, args.spans[1], quoted("tile.store_vector"), "numbers of a lane",
               describe(cx, item));
      return Value::poison();
    }
    values.push_back(std::move(e));
  }
  cx.function.stored.insert(vector.base);
  std::vector<Access> elements = elementsOf(cx, vector, span);
  for (size_t i = 0; i < count; ++i) {
    const bool once = cx.function.varyingDepth == 0 && !isVarying(elements[i]) && !isVarying(*values[i]);
    Stmt &store = emit(cx, StmtKind::Store, span);
    store.access = std::move(elements[i]);
    store.value = std::move(values[i]);
    store.oncePerGroup = once;
  }
  return Value::of(ValueKind::None);
}

Value kernelAllocRegister(Context &cx, const BuiltinRow &, Bound &args, const GivenList &, Span span) {
  std::vector<Dim> shape;
  if (!shapeArgument(cx, args.values[0], args.spans[0], shape) || !sizesArePossible(cx, shape, args.spans[0]))
    return Value::poison();
  auto dtype = dtypeArgument(cx, args.values[1], args.spans[1]);
  if (!dtype || !fitsRegisters(cx, shape, *dtype, args.spans[0])) return Value::poison();
  return arrayFull(cx, *builtinByName("zeros", 'T'), args, span);
}

}  // namespace tessera::sema
