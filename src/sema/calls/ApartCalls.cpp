// What a call computes as a function of the program of its own: derivatives, maps over an axis and checkpoints are of functions,
// and these are known only where they are called.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/calls/Calls.h"
#include "sema/claims/Claims.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "support/LinearDim.h"
#include <algorithm>
#include <set>

namespace tessera::sema {

/// The tree of a value whose parts become parameters.
DeclaredType treeOf(const Value &value) {
  DeclaredType tree;
  if (value.kind == ValueKind::Struct) tree.kind = DeclaredType::Kind::Struct, tree.instance = value.instance;
  else if (value.isSequence()) tree.kind = DeclaredType::Kind::Tuple;
  else if (value.kind != ValueKind::Array) tree.kind = DeclaredType::Kind::None;  // known when it is compiled
  for (const Value &item : value.items) tree.items.push_back(treeOf(item));
  return tree;
}

void visitArrays(Value &value, const std::string &name, const std::function<void(Value &, const std::string &)> &visit) {
  for (size_t i = 0; i < value.items.size(); ++i) visitArrays(value.items[i], name + "_" + std::to_string(i), visit);
  if (value.kind == ValueKind::Array) visit(value, name);
}

/// Variables of the function around it become further parameters.
static void captureVariables(Context &cx, Function &made, std::vector<ExprPtr> &arguments) {
  std::set<const Var *> own;
  for (const auto &var : made.vars) own.insert(var.get());
  std::map<Var *, Var *> captured;
  visitExprs(made.body, [&](Expr &e) {
    auto *ref = e.get<node::VarRef>();
    if (!ref || own.count(ref->var)) return;
    Var *&inner = captured[ref->var];
    if (!inner) {
      arguments.push_back(makeRef(ref->var, e.span));
      Param param;
      param.var = inner = newVar(cx, ref->var->name, ref->var->type, ref->var->span);
      made.params.push_back(std::move(param));
    }
    ref->var = inner;
  });
}

/// Dimensions of the function around it that its parameters' shapes do not give become further parameters: `heads: Const[H]`.
static void captureDims(Context &cx, Function &made, std::vector<ExprPtr> &arguments, Span span) {
  std::set<std::string> given, used;
  auto use = [&](const Dim &dim) { dim.collectVars(used); };
  std::vector<std::vector<Dim>> shapes;
  for (const Param &p : made.params) {
    shapes.push_back(p.var->type.shape);
    for (const Dim &d : p.var->type.shape) {
      use(d);
      if (d.isVar()) given.insert(d.varName());
    }
  }
  for (const SolvedExtent &solved : solvedExtents(shapes)) given.insert(solved.extent.variable);
  for (const auto &var : made.vars)
    for (const Dim &d : var->type.shape) use(d);
  visitExprs(made.body, [&](Expr &e) {
    for (const Dim &d : e.type.shape) use(d);
    if (const Dim *dim = writtenDim(e)) use(*dim);
    if (const Access *access = accessOf(e))
      for (const IndexPart &part : access->parts) use(part.size);
  });
  for (const Requirement &r : made.requirements) use(r.left), use(r.right);
  for (const std::string &name : used) {
    if (given.count(name) || name[0] == '%') continue;
    Type type = indexType();
    type.shape = {Dim::var(name)};
    Param param;
    param.var = newVar(cx, name, type, span);
    made.params.push_back(std::move(param));
    ExprPtr value = makeExpr(ExprKind::DimValue, indexType(), span);
    value->as<node::DimValue>().dim = Dim::var(name);
    arguments.push_back(std::move(value));
  }
  made.dims.assign(used.begin(), used.end());
}

/// Loop counters and other integers that a function computes: inside of another their names would mean others.
static std::set<std::string> runTimeIntegers(const Function &function) {
  std::set<std::string> names;
  for (const auto &var : function.vars)
    if (var->type.kind == TypeKind::Index && var->type.shape.empty()) names.insert(var->name);
  return names;
}
static bool usesOneOf(const Function &made, const std::set<std::string> &integers) {
  auto isOne = [&](const std::string &name) { return integers.count(name) != 0; };
  return std::any_of(made.dims.begin(), made.dims.end(), isOne) || std::any_of(made.params.begin(), made.params.end(), [&](const Param &p) {
           return p.var->type.kind == TypeKind::Index && isOne(p.var->name);
         });
}

const Function *traceApart(Context &cx, const ApartCall &what, std::vector<Value> values,
                           const std::function<Value(std::vector<Value>)> &compute, Expr &call, DeclaredType &results) {
  const std::set<std::string> counters = runTimeIntegers(*cx.function.fn);
  auto function = std::make_unique<Function>();
  Function *made = function.get();
  made->name = what.name;
  made->span = what.nameSpan;
  made->signature = "def " + what.name;
  made->ofCall = true;
  std::vector<ExprPtr> arguments;
  auto facts = cx.function.facts;
  auto path = cx.function.path;
  auto calls = cx.function.calls;
  FunctionState outer = enterFunction(cx, *made, *cx.function.frame->function);
  cx.function.facts = std::move(facts);
  cx.function.path = std::move(path);
  cx.function.calls = std::move(calls);
  cx.function.frame = outer.frame;
  cx.function.isTraining = outer.isTraining || what.isDerived;
  cx.function.inArrayWork = outer.inArrayWork;
  for (size_t i = 0; i < values.size(); ++i)
    visitArrays(values[i], what.names[i], [&](Value &v, const std::string &name) {
      arguments.push_back(clone(*v.expr));
      Type type = v.type;
      type.dtype = v.expr->type.dtype;
      Param param;
      param.var = newVar(cx, name, type, what.nameSpan);
      v = valueOfVar(param.var, v, what.nameSpan);
      cx.function.varValues[param.var] = v;
      made->params.push_back(std::move(param));
    });
  size_t failed = cx.failures;
  Value result = compute(std::move(values));
  if (cx.failures == failed && !result.isPoison()) returnParts(cx, result, what.span, results);
  captureVariables(cx, *made, arguments);
  captureDims(cx, *made, arguments, what.span);
  leaveFunction(cx, std::move(outer));
  if (cx.failures != failed || result.isPoison()) return nullptr;
  if (usesOneOf(*made, counters)) {
    unsupported(cx, what.doing + " with integers that only run time knows", what.span);
    return nullptr;
  }
  for (ExprPtr &argument : arguments) call.args.push_back(std::move(argument));
  for (const Requirement &r : made->requirements)
    requireOfCall(cx, shape::asFormula({r.left, r.relation, r.right}), what.name, r.text, r.span, what.span);
  cx.callables.emplace_back();  // each trace has a name of its own
  Callable &named = cx.callables.back();
  named.name = what.name;
  named.module = const_cast<ModuleScope *>(cx.main);
  named.nameSpan = what.nameSpan;
  named.checked = made;
  named.resultTree = results;
  made->name = uniqueName(cx, named);
  cx.program->functions.push_back(std::move(function));
  return made;
}

Value apartValue(Context &cx, const Function &callee, const DeclaredType &tree, ExprPtr e, Span span) {
  std::vector<Type> types;
  for (const FunctionResult &r : callee.results) types.push_back(r.type);
  std::vector<Value> results = callResults(cx, std::move(e), std::move(types), callee.name, span);
  size_t next = 0;
  return resultValue(tree, results, next);
}

}  // namespace tessera::sema
