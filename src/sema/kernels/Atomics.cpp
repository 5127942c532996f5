// Updates of memory in one step: `tile.atomic_add(x[i], value)` and its kin.
#include "checked/ExprBuild.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/effects/Effects.h"
#include "sema/kernels/Kernels.h"
#include "sema/trace/Trace.h"
#include "support/Atomics.h"
#include <algorithm>

namespace tessera::sema {

namespace {

bool reportDType(Context &cx, ElementwiseOp op, const Var &base, const std::string &called, Span span) {
  const DType dtype = base.type.dtype;
  if (hasAtomicForm(op, dtype)) return true;
  if (fresh(cx, Id::wrongArgument, span))
    report(cx, Id::wrongArgument, span, quoted("tile." + called),
           hasAtomicForm(op, DType::F32) ? "a tensor of i32, i64, u32, f32, f64, f16 or bf16" : "a tensor of i32, i64 or u32",
           "a tensor of " + std::string(name(dtype)))
        .help("no machine updates a part of a word in one step: keep it in a wider dtype, and convert it in another kernel");
  return false;
}

}  // namespace

Value kernelAtomic(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &given, Span span) {
  const std::string called(row.name);
  const ElementwiseOp op = *elementwiseByMnemonic(row.op);
  const ast::SubscriptExpr *syntax = nullptr;
  for (const Given &one : given)
    if (one.span == args.spans[0]) syntax = ast::as<ast::SubscriptExpr>(one.syntax);
  Value object = syntax ? checkExpr(cx, *syntax->object) : args.values[0];
  if (object.isPoison() || args.values[1].isPoison()) return Value::poison();
  if (!syntax || (object.kind != ValueKind::View && object.kind != ValueKind::Shared)) {
    if (fresh(cx, Id::wrongArgument, args.spans[0]))
      report(cx, Id::wrongArgument, args.spans[0], quoted("tile." + called), "an element or a slice of a tensor, `x[i]`", describe(cx, object));
    return Value::poison();
  }
  const Var &base = *object.var;
  NamedPlaces target;
  if (!reportDType(cx, op, base, called, syntax->object->span) || !placesNamed(cx, object, *syntax, target)) return Value::poison();
  ExprPtr e = castToPlace(cx, args.values[1], base.type, args.spans[1], "`" + base.name + "`", true);
  if (!e) return Value::poison();
  std::vector<ExprPtr> indices;
  if (e->type.kind == TypeKind::Tensor || !target.shape.empty()) {
    Value value = arrayValue(cx, std::move(e), base.type, args.values[1].isArray() ? args.values[1].limits : std::vector<std::optional<Limit>>(), args.spans[1]);
    value.type.numerics = {};
    value = broadcastValue(cx, std::move(value), target.shape, args.spans[1]);
    if (value.isPoison() || !indexTiles(cx, target, value, span, indices)) return Value::poison();
    e = takeExpr(value);
  }
  cx.function.stored.insert(object.var);
  cx.function.loaded.insert(object.var);
  const bool isTile = !target.shape.empty();
  const bool once = !isTile && cx.function.varyingDepth == 0 && !isVarying(target.access) && !isVarying(*e);
  Stmt &stmt = emit(cx, StmtKind::Atomic, span);
  stmt.combine = op;
  stmt.access = std::move(target.access);
  stmt.value = std::move(e);
  stmt.values = std::move(indices);
  stmt.oncePerGroup = once;
  if (isTile || once) return Value::of(ValueKind::None);
  Type type = scalarType(base.type.dtype, base.type.numerics);
  stmt.var = newVar(cx, "old", type, span);
  stmt.var->varying = true;
  ExprPtr old = makeExpr(ExprKind::VarRef, type, span);
  old->as<node::VarRef>().var = stmt.var;
  return arrayValue(cx, std::move(old), type, {}, span);
}

static bool allowsAnyOrder(Context &cx, const ast::FuncDef &def) {
  return std::any_of(def.decorators.begin(), def.decorators.end(), [&](const ast::Decorator &decorator) {
    auto *call = ast::as<ast::CallExpr>(decorator.expression);
    if (!call || decoratorName(cx, *decorator.expression) != "fast") return false;
    return std::any_of(call->arguments.begin(), call->arguments.end(), [](const ast::Argument &arg) {
      auto *name = ast::as<ast::NameExpr>(arg.value);
      return name && name->name == "nondet";
    });
  });
}

void checkAtomics(Context &cx, const ast::FuncDef &def) {
  const bool anyOrder = allowsAnyOrder(cx, def);
  const bool byLanes = cx.function.fn->kernel.grid == GridKind::Lanes;
  std::function<void(const Block &)> look = [&](const Block &block) {
    for (const auto &stmt : block) {
      look(stmt->body);
      look(stmt->otherwise);
      if (stmt->kind != StmtKind::Atomic) continue;
      const Var &base = *stmt->access.base;
      if (stmt->combine == ElementwiseOp::Add && isFloat(base.type.dtype) && !anyOrder && fresh(cx, Id::unorderedSum, stmt->span)) {
        auto builder = report(cx, Id::unorderedSum, stmt->span, base.name);
        builder.label("sums of floats depend on their order, which may be another one in each run");
        const Span top = def.decorators.empty() ? def.span : def.decorators.front().span;
        builder.fix({top.file, top.begin, top.begin}, "@fast(nondet)\n", "allow other bits each time");
      }
      if (byLanes && stmt->oncePerGroup && fresh(cx, Id::unguardedLanes, stmt->span))
        report(cx, Id::unguardedLanes, stmt->span)
            .label("each group does this once, and nothing says how many groups there are")
            .help("move it under the guard, where each lane does it");
    }
  };
  look(cx.function.fn->body);
}

}  // namespace tessera::sema
