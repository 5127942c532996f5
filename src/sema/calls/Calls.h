// Calls: of functions that are traced, of entry points, of built-in functions and of derivatives.
#pragma once
#include "sema/Arguments.h"
#include "sema/Context.h"
#include "sema/effects/Effects.h"
#include <string_view>
#include <vector>

namespace tessera::sema {

/// What a check found that left no trace.
struct Trial {
  bool ok = false;
  int conversions = 0;  // values that became another dtype, and parameters without types
  std::vector<diag::Diagnostic> said;
};
/// One part of what a function returns: "result_1_scale", and where it is written.
struct ResultPart {
  Value value;
  std::string name;
  Span span;
};

/// Types and values of structs and tuples, and their parts in order.
void flatTypes(const DeclaredType &type, std::vector<Type> &types, std::vector<Span> &spans);
void argumentParts(const Value &value, Span span, std::vector<Value> &parts, std::vector<Span> &spans);
Value resultValue(const DeclaredType &tree, const std::vector<Value> &parts, size_t &next);
DeclaredType treeOf(const Value &value);

// ---- ApartCalls.cpp
/// A call that is traced as a function of its own.
struct ApartCall {
  std::string name;  // of the function
  Span nameSpan;
  std::vector<std::string> names;  // of its parameters, one for each value
  Span span;
  std::string doing;  // "a derivative of a function without types"
  bool isDerived = false;  // inside, `is_training()` is true
};
/// Visits the arrays that a value is made of, in the order in which they become parameters, with what they are called.
void visitArrays(Value &value, const std::string &name, const std::function<void(Value &, const std::string &)> &visit);
/// A function of the program that computes what `compute` makes of these values. The arrays in them, and what it takes from around
/// it, are its parameters; what they are here is added to the arguments of `call`. Null after a message.
const Function *traceApart(Context &cx, const ApartCall &what, std::vector<Value> values,
                           const std::function<Value(std::vector<Value>)> &compute, Expr &call, DeclaredType &results);
/// The value of a call of such a function, whose dimensions are those of here.
Value apartValue(Context &cx, const Function &callee, const DeclaredType &tree, ExprPtr e, Span span);

// ---- CheckCall.cpp
/// `f(args)`, whatever `f` is. `look`: sees the arguments before the call, and may change them.
Value checkCall(Context &cx, const ast::CallExpr &expr, const std::function<void(GivenList &)> &look = {});
/// Calls a value. `shown`: what messages call it.
Value callValue(Context &cx, const Value &callee, GivenList args, Span span, const std::string &shown);
/// Whether a value can be called: a function, a struct, a builtin, a partial or a derivative.
bool isCallable(const Value &value);
/// partial(f, x, k=v): f with these arguments given.
Value makePartial(Context &cx, GivenList args, Span span);
/// Arguments in the order of the parameters. False after a message.
bool bindParameters(Context &cx, const Callable &callable, GivenList &args, Span span, std::vector<Value> &values,
                    std::vector<Span> &spans);
/// True, with a message, for a call of a function from inside of itself.
bool isRecursive(Context &cx, const Callable &callable, Span span);
/// Calls a function of the program: traced where it is called, or as an entry point.
Value callFunction(Context &cx, const Callable &callable, GivenList args, Span span);
/// A frame for the body of a traced function, in which its generic names are open.
std::shared_ptr<Frame> calleeFrame(const Context &cx, const Callable &callable);
/// Values for all parameters, of the types that they declare; in the callee's frame. `failed` counts those that do
/// not fit.
bool matchArguments(Context &cx, const Callable &callable, std::vector<Value> &values, const std::vector<Span> &spans,
                    int *failed);
/// The parameters of a definition or a lambda.
const std::vector<ast::Parameter> &parametersOf(const Callable &callable);
/// Traces the body of a tensor function with these arguments.
Value inlineCall(Context &cx, const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans,
                 Span span);

// ---- EntryCalls.cpp
/// The arguments of a call in the order of the callee's parameters, into `e`. False after a message.
bool entryArguments(Context &cx, const Callable &callable, const Function &callee, const std::vector<Value> &values,
                    const std::vector<Span> &spans, Span span, Expr &e, std::map<std::string, Dim> &dims,
                    std::vector<MovedState> *moved = nullptr);
/// The values of a call with one result or several.
std::vector<Value> callResults(Context &cx, ExprPtr e, std::vector<Type> types, const std::string &name, Span span);
/// The entry point of a function that a call with these arguments means; `isDerived`: that a derivative is taken of. Null after
/// a message.
const Function *entryOf(Context &cx, const Callable &callable, const std::vector<Value> &values,
                        const std::vector<Span> &spans, Span span, const Callable **chosen, bool isDerived = false);
/// A call that stays one in the checked program: of a kernel, or from host code.
Value callEntry(Context &cx, const Callable &callable, std::vector<Value> values, std::vector<Span> spans, Span span);

// ---- Overloads.cpp
/// Runs a check, takes back all messages and statements of it, and returns how it went.
Trial attempt(Context &cx, const std::function<bool()> &check);
/// Adds a definition to those of its name. Each of them has to say `@overload`.
void defineOverload(Context &cx, ModuleScope &scope, const std::string &name, Value value, Span span);
/// Calls the one of several functions that the arguments fit best.
Value callOverloads(Context &cx, const Value &overloads, GivenList args, Span span);

// ---- BuiltinCalls.cpp
/// Calls a built-in function: binds its arguments and leaves the rest to the room that it belongs to.
Value callBuiltin(Context &cx, const BuiltinRow &row, GivenList args, Span span);
/// A shape that is given as a tuple or an integer. False after a message.
bool shapeArgument(Context &cx, const Value &value, Span span, std::vector<Dim> &shape);
/// The extents of something new: none may be negative. False after a message.
bool sizesArePossible(Context &cx, const std::vector<Dim> &shape, Span span);
/// The dtype that an argument names, with its policies. Nothing after a message.
std::optional<DType> dtypeArgument(Context &cx, const Value &value, Span span, Numerics *numerics = nullptr);
/// The i-th argument as a known truth value. Nothing after a message.
std::optional<bool> flagArgument(Context &cx, const Bound &args, size_t i);
/// The i-th argument as an array. Poison after a message.
Value arrayArgument(Context &cx, const Bound &args, size_t i, const std::string &shown);

// ---- Transforms.cpp
/// vmap(f, in_axes, out_axes) and checkpoint(f) as values that can be called.
/// `mixed(f, policy)`: the function or model, in which products round what they take as the policy says.
Value makeMixed(Context &cx, const GivenList &args, Span span);
Value makeTransform(Context &cx, const BuiltinRow &row, GivenList args, Span span);
/// Calls one of them.
Value callTransform(Context &cx, const Value &transform, GivenList args, Span span);
/// Calls a function with `@checkpoint` whose parameters have no types.
Value callCheckpoint(Context &cx, const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans, Span span);

// ---- Derivatives.cpp
/// grad(f, wrt=...) and its kin as a value that can be called.
Value makeDerivative(Context &cx, const BuiltinRow &row, GivenList args, Span span);
/// Calls a derivative: traces its function, or asks for the entry point that it is.
Value callDerivative(Context &cx, const Value &derivative, GivenList args, Span span);
/// `grad_loss = grad(loss, wrt=...)` of the main module: an entry point of that name.
void derivativeEntry(Context &cx, const std::string &name, const Value &derivative, Span span);

// ---- DerivativeRules.cpp
/// `@f.vjp` or `@f.jvp` above a function makes it the rule of `f`.
void attachRule(Context &cx, const ast::FuncDef &def, const Callable &rule);
/// A rule of `@custom_vjp` takes the arguments of its function, its results and the derivatives by them, and gives one for each
/// float argument. One of `@custom_jvp` takes the arguments, the results and the tangents of the float arguments, and gives one
/// for each float result.
void checkRule(Context &cx, const Callable &of);
/// Calls a function with a rule whose parameters have no types: both become functions of the types of this call.
Value callRuled(Context &cx, const Callable &of, std::vector<Value> values, const std::vector<Span> &spans, Span span);

// ---- Results.cpp
/// The parts of a result, and the tree that puts them together again. False after a message.
bool resultParts(Context &cx, const ResultPart &whole, const DeclaredType *declared, const ast::Expr *syntax,
                 std::vector<ResultPart> &parts, DeclaredType &tree);
/// What a function that is traced apart returns, whatever its parts are. False after a message.
bool returnParts(Context &cx, const Value &value, Span span, DeclaredType &tree);
/// `return value` of an entry point that is no kernel.
void returnResults(Context &cx, const Value &value, const ast::ReturnStmt &stmt);

// ---- What an argument was meant to be called.
/// The parameter that the author of `keyword=` most likely meant; empty if nothing says which. `missing` are those of the
/// parameters that must be given and are not.
std::string_view nearArgument(std::string_view keyword, const std::vector<std::string_view> &names,
                              const std::vector<std::string_view> &missing);

/// What NumPy calls a parameter that has another name here and means exactly the same: `keepdims`. Else the word itself.
inline std::string_view ownWord(std::string_view keyword) { return keyword == "keepdims" ? "keepdim" : keyword; }

}  // namespace tessera::sema
