// Modules, and the functions of a program: which are entry points, and what the others are checked with.
#pragma once
#include "sema/Context.h"
#include "sema/calls/Calls.h"

namespace tessera::sema {

/// How a function that nothing calls may be called.
struct Assumption {
  FunctionKind kind = FunctionKind::Tensor;  // of the function that calls it
  DType dtype = DType::F32;                  // of `[T: dtype]`
  size_t likely = 0;                         // which of the likely values parameters without types have
  bool entry = false;                        // it is an entry point but for its name, or a kernel
  bool open = false, generic = false;        // it has parameters without types; type parameters that are dtypes
};

// ---- Modules.cpp
/// The module of an import, evaluated. Null after a message.
ModuleScope *loadModule(Context &cx, FileId importer, int level, const std::string &path, Span span);
/// The statements of a module, which the compiler runs.
void evaluateModule(Context &cx, ModuleScope &scope);
/// A definition as a value. `closure`: the frame of the function that it is in.
Value functionValue(Context &cx, ModuleScope &scope, const ast::FuncDef &def, std::shared_ptr<Frame> closure = nullptr);
void importStatement(Context &cx, ModuleScope &scope, const ast::ImportStmt &stmt);
void fromImport(Context &cx, ModuleScope &scope, const ast::FromImportStmt &stmt);

// ---- LateConstants.cpp
/// What cannot be done yet, where a function is called outside of functions: as `unsupported` says it.
inline constexpr const char *kCallAtModuleLevel = "calling a function at module level";
/// Whether `TABLE = linspace(0, 1, 5)` of module level is made by the functions that read it: what was said about it since is forgotten.
bool isMadeLate(Context &cx, const Value &value, size_t diagnostics, size_t failures);
/// Its value in the function that is being checked.
Value lateConstant(Context &cx, ModuleScope &scope, const std::string &name, Span span);
/// Makes those where a function begins that it mentions; of `main` those that anything mentions.
void makeLateConstants(Context &cx, const ast::FuncDef &def);

// ---- Program.cpp
/// Checks the entry points of a module and, after them, what nothing calls.
std::unique_ptr<Program> checkProgram(Context &cx, const ast::Module &module);
/// Warns of the numbers that a function is given and never reads. (UnreadParameters.cpp)
void warnOfUnreadNumbers(Context &cx, const Callable &callable);
/// The entry points that one function makes, one for each alternative of its parameters.
void checkVariants(Context &cx, const Callable &callable);
/// Whether a function is an entry point.
bool isEntry(const Context &cx, const Callable &callable);
/// Whether a function is an entry point but for its name: one that begins with `_` is for its module alone.
bool mayBeEntry(const Context &cx, const Callable &callable);
/// The main module's own functions keep their names; what they call from elsewhere, or under a schedule of its own,
/// gets another one where two would be the same.
std::string uniqueName(Context &cx, const Callable &callable);
/// The entry point of a function, checked now if it was not. Null if it has mistakes.
const Function *ensureChecked(Context &cx, const Callable &callable);

// ---- EntryPoint.cpp
/// The end of the parameters, the result and the facts of a function: where one more fact can be added.
uint32_t headerEnd(const Context &cx, const ast::FuncDef &def);
/// What a result is called: `result`, or `result_0` of several; a parameter of that name keeps it.
std::string resultName(const Context &cx, std::string name);
/// Begins another function; returns the state of the one that was being checked.
FunctionState enterFunction(Context &cx, Function &function, const Callable &callable);
/// Goes on with the function that was being checked before.
void leaveFunction(Context &cx, FunctionState outer);
/// A function with its own dimensions, as an entry point. Null after a message.
std::unique_ptr<Function> checkEntry(Context &cx, const Callable &callable);

// ---- Uncalled.cpp
/// Whether some parameter's type says nothing about the values that it takes; a default says it.
bool isOpen(const Context &cx, const Callable &callable);
/// All ways in which a function may be called.
std::vector<Assumption> assumptionsOf(const Context &cx, const Callable &callable);
/// traceAssuming() that leaves no trace, but for what it got to if nothing is wrong.
Trial tryAssuming(Context &cx, const Callable &callable, const Assumption &assumed, bool &known);
/// Checks functions that no entry point gets to, as something might call them.
void checkUncalled(Context &cx, const ModuleScope &main);

// ---- Specials.cpp
/// Where the sizes that `@specialize(B=32)` gives stand in `Choices`: behind this, by the name of the dimension.
constexpr std::string_view kSizeChoice = "@size ";
/// The size that the entry point which is being checked has for a dimension.
std::optional<int64_t> specialSize(const Context &cx, const std::string &dim);
/// "  # B = 32, T = 1024" behind the signature of an entry point that is made for these sizes.
std::string sizesText(const Callable &callable);
/// Whether an entry point is made for some sizes.
bool isSpecial(const Callable &callable);
/// What is wrong with a `@specialize` before the dimensions of its function are known.
void specializeDecorator(Context &cx, const ast::FuncDef &def, const ast::Decorator &decorator);
/// `f.specialize(B=32)`, which checkSpecials() looks at: a statement of the module that has `f`.
Value specialize(Context &cx, const Callable &callable, const GivenList &args, Span span);
/// The entry points for the sizes that `specialize` gives one that was added to the program just now. They stand before it.
void checkSpecials(Context &cx, const Callable &general);

// ---- Variants.cpp
/// The alternatives of a function's parameters, one set for each entry point.
std::vector<Choices> variantsOf(Context &cx, const Callable &callable);
/// The entry point in which parameters have these alternatives: `f_without_mask`, `f_with_x_as_f32`. The first ones
/// that are no None give `f` itself.
const Callable &variant(Context &cx, const Callable &callable, const Choices &choices);
/// A function as it is declared: `def f[N](x: Tensor[N, f32]) -> f32`.
std::string signatureText(const Context &cx, const ast::FuncDef &def);
/// The entry point `f_training` of one that asks `is_training()`, if a derivative is taken of it here (`isDerived`) or of
/// what calls it; else the entry point itself.
const Callable &forTraining(Context &cx, const Callable &callable, bool isDerived);
/// `is_training()`: known when the program is compiled.
Value isTraining(Context &cx, const BuiltinRow &row, Bound &args, Span span);
/// The alternatives that arguments of a call mean, in the callee's frame. False after a message.
bool chooseVariant(Context &cx, const Value &value, const ast::Expr &annotation, const std::string &path, Span span,
                   Choices &choices);
/// None where a parameter or field is not given: using it is a mistake with a fix.
bool reportNone(Context &cx, const Value &value, Span span);
/// Whether the entry point being checked is for other alternatives than the first.
bool isOtherVariant(Context &cx);
/// A `raise`, or an `assert` of something untrue, that is always reached. An entry point made for other alternatives
/// than the first refuses those: there is none.
bool refuseVariant(Context &cx, Span span);
/// `raise`: an entry point that always gets there does not exist.
void raiseStmt(Context &cx, const ast::RaiseStmt &stmt);

// ---- Signatures.cpp
/// Which decorators stand above a function: of all functions, also those that are only traced.
void decoratorNames(Context &cx, const ast::FuncDef &def);
/// A name stands for one parameter or dimension of a function.
void parameterNames(Context &cx, const ast::FuncDef &def);
/// `@autodiff` promises a derivative: some result must be one that has any.
void differentiable(Context &cx, Span span);

// ---- Checkpoints.cpp
/// The names in `@checkpoint(keep=("h", "k"))`.
std::vector<std::string> keptNames(const ast::Expr &decorator);
/// What `@checkpoint(...)` takes, if it is given something else; else empty.
std::string wrongCheckpoint(const ast::CallExpr &call);
/// What a derivative keeps of a call of the function beside its arguments. False after a message.
bool takeKept(Context &cx, const Callable &callable, Function &function);

// ---- Tests.cpp
/// What is wrong with a `@test` or a `@benchmark`, before its dimensions are known.
void runDecorator(Context &cx, const ast::FuncDef &def, const ast::Decorator &decorator, const std::string &which);
/// Why a decorator above a function cannot give sizes to an entry point of it; empty if it can.
std::string whyNoSizes(const ast::FuncDef &def);
/// Whether a function is a test: it says so, and can be one.
bool isTest(Context &cx, const ast::FuncDef &def);
/// Methods and functions in functions are no tests.
void refuseInnerTest(Context &cx, const ast::FuncDef &def);
/// The sizes that `@test` and `@benchmark` above an entry point give to its dimensions: each must have one.
void takeSizes(Context &cx, const ast::FuncDef &def);
/// Whether an `assert` here is one of a test, not of the library function that it calls.
bool isClaim(const Context &cx);
/// An `assert` of a test: what is compared becomes a result of the test's function.
void assertInTest(Context &cx, const ast::AssertStmt &stmt);
/// Returns what the assertions of a test have kept.
void finishTest(Context &cx, const ast::FuncDef &def);

// ---- What `checkpoint(f, keep=("h",), budget=64 * MiB, B=32)` says beside its function, as `@checkpoint(...)` does above one.
/// The arguments with names, a Dict. Poison after a message.
Value checkpointOptions(Context &cx, const GivenList &args);
/// Takes them over for a call, whose function is traced. False after a message.
bool takeOptions(Context &cx, const Value &options, Function &function, const ApartCall &call);

}  // namespace tessera::sema
