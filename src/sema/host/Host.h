// Host code: tensors whose type is known when they are read, strings, files, printing.
#pragma once
#include "frontend/AST.h"
#include "sema/Arguments.h"
#include "sema/Context.h"

namespace tessera::sema {

/// The dimensions of a type as they are written: `Tensor[N, 2 * D, f32]`.
using DimExprs = std::vector<const ast::Expr *>;
/// How many dimensions a tensor of host code is known to have; 0: any number. A variable may get another tensor.
size_t knownRank(const Value &tensor, const std::set<Var *> &rebindable);
/// The tensor with the extents that all have in common which a loop or a condition gives its variable.
Value withKeptExtents(const Context &cx, Value tensor);
/// The dtype of its elements, likewise.
std::optional<DType> knownDType(const Context &cx, const Value &tensor);
/// Notes what a variable of host code gets that a loop or a condition rebinds.
void meetDTypes(Context &cx, Var *var, const Value &before, const Value &value);

// ---- Host.cpp
/// A function that prints or touches files is host code: it is no entry point of its own.
bool usesHost(const Context &cx, const ast::Block &block);
/// ... or calls a function of its module that does; one of whole tensors was meant to be none.
bool isHostCode(const Context &cx, const Callable &callable);
inline constexpr const char *kElement = "element";  // the text of a tensor that holds one
inline constexpr const char *kHeldList = "list";  // ... and of one that holds a list of numbers
/// Whether it is one element that was read from a tensor: `s = b[0]`.
bool isHostElement(const Value &value);
/// Row `index` of a host tensor, or the value of a tensor without dimensions.
Value hostItem(Context &cx, const Value &tensor, const Value *index, Span span);
/// One extent of a host tensor; without an axis, how many it has.
Value hostExtent(Context &cx, const Value &tensor, std::optional<int> axis, Span span);
/// True, with a message, if the value is a parameter of a function that was meant to be one of tensors, were it not for what it prints.
bool meantForTensors(Context &cx, const Value &value, Span span);
/// A host tensor in arithmetic is the number that it holds.
Value hostScalar(Context &cx, const Value &value, Span span);
/// What a function of the host runtime gives that counts, as an i64 of the expression's own.
Value wholeOfHost(Context &cx, std::string_view name, std::vector<ExprPtr> args, Span span);
/// A number as the host runtime takes one of any kind: an index, an f64 or a truth value. Null after a message.
ExprPtr numberOfHost(Context &cx, const Value &value, Span span);
/// A host tensor as the argument of a call. Null, after a message, for anything else.
ExprPtr hostArgument(Context &cx, const Value &value, Span span);
/// An f-string of these parts: a known text, or a Format.
Value formatText(Context &cx, const std::vector<Value> &parts, std::vector<std::string> texts,
                 std::vector<std::string> formats, Span span);
/// A text as an expression, also one that the compiler knows.
ExprPtr formatExpr(Context &cx, const std::vector<Value> &parts, std::vector<std::string> texts, Span span);
/// An f-string; each field with its format.
Value checkFString(Context &cx, const ast::FStringExpr &expr);
/// A warning about `"loss {loss:.3f}"` without its `f`, where `loss` is a name of the function.
void fieldInText(Context &cx, const ast::StringExpr &text);
/// What a function of the host runtime returns.
Value hostCall(Context &cx, std::string_view name, std::vector<ExprPtr> args, Span span);
/// A parameter of `main`: what stands on the command line, `--steps 1000`, or its default.
Value mainParameter(Context &cx, const ast::Parameter &parameter);
/// A built-in function of host code; Absent if `row` is none.
Value callHostBuiltin(Context &cx, const BuiltinRow &row, Bound &args, const GivenList &, Span span);

// ---- HostTypes.cpp
/// Names of dimensions that `Tensor[N, f32]` mentions first become extents of the host tensor. Where only run time
/// knows how many it has, it is asserted before.
void bindHostTensor(Context &cx, const Value &tensor, const DimExprs &dims, const ast::Expr &declared,
                    const std::string &name);
/// `x: Tensor[N, D, f32] = load_npy(path)`: names that nothing has yet are what the extents are.
void nameExtents(Context &cx, const Value &tensor, const ast::SubscriptExpr &declared);
/// False, with a message, if a host tensor is known to have another number of dimensions than its type declares.
bool hostRankFits(Context &cx, const Value &tensor, const DimExprs &dims, const ast::Expr &declared, Span span);
/// Gives values to the variables that extents such as `2 * N` or `N + M` of a tensor give.
void solveHostDimensions(Context &cx, const Value &tensor, const DimExprs &dims);
/// Asserts that a host tensor has the extents that its type declares. False, with a message, if they have no value.
bool hostDimensions(Context &cx, const Value &tensor, const DimExprs &dims, const std::string &name);
/// A `where` of a host function over dimensions that only run time knows. False if the compiler knows them.
bool hostFact(Context &cx, const ast::Expr &fact);

// ---- MadeTensors.cpp
/// `zeros`, `ones` and `full` of a value that has the dtype already; `iota` and `arange`.
Value hostFull(Context &cx, const Value &shape, Span at, const Value &value, const Type &type, Span span);
/// Numbers, in row-major order, under this shape.
Value hostTable(Context &cx, std::vector<Value> numbers, const std::vector<Span> &spans, const std::vector<Dim> &shape, DType dtype, Span span);
/// `rng.uniform`, `rng.normal` and `rng.bernoulli`, whose shape is the argument `at`.
Value hostDraw(Context &cx, const std::string &how, const Bound &args, size_t at, DType dtype, Span span);
/// `[0] * n` of a number, as a list that run time holds. Nothing for other items.
std::optional<Value> listOfOneNumber(Context &cx, const Value &number, const Value &count, Span span);
Value hostIota(Context &cx, const Value &shape, Span at, int axis, DType dtype, Span span);

// ---- PlacesOfArrays.cpp
/// `x[i, 2:5] = value` of a tensor that host code has under a name. False if it has none.
/// A tensor of host code with another value at a place. Poison after a message.
Value withStored(Context &cx, const Value &target, const std::vector<const ast::Expr *> &items, Span place, Value value, Span span, Span valueSpan);
/// Whether a store to part of a name changes nothing that the caller sees: a message was given.
bool isLostStore(Context &cx, const std::string &name, Span at);
bool hostStore(Context &cx, const ast::SubscriptExpr &syntax, Value value, Span span, Span valueSpan);
/// A message if a function without a result stores into a parameter: the caller's tensor would stay as it is. `at`: the call, or the store.
bool storesForNobody(Context &cx, const Callable &callable, Span at);
/// An element by an index for each axis; nothing if the axes are not known.
std::optional<Value> hostElement(Context &cx, const Value &tensor, const ast::SubscriptExpr &expr);
/// `x[mask]` in host code: as many elements as the mask has that hold.
Value chosenByMask(Context &cx, const Value &tensor, const Value &mask, Span span);
/// `nonzero(x)`: for each axis the indices of the elements that are not 0. `flat`: their numbers in row-major order.
Value placesNotZero(Context &cx, const Value &tensor, bool flat, Span span);
/// Whether it is a tensor of truth values, with dimensions.
bool isHostMask(const Value &value);
/// `cx[i]` of known numbers in host code, where run time knows which one: a tensor holds them.
std::optional<Value> numberAtRunTime(Context &cx, const Value &object, const Value &index, Span span);
/// A function of the host runtime of one text, also one that the compiler knows.
Value hostTextCall(Context &cx, std::string_view name, const Value &text, Span span);
/// `int(text)` and `float(text)`: the number that a text shows.
Value numberOfText(Context &cx, const Value &text, bool whole, Span span);
/// `text.split()`, `text.split(",")` and `text.strip()` of a text that the compiler knows.
/// Names of methods that texts have.
std::vector<std::string> methodsOfTexts();
/// Whether a text can be had so many times.
bool countsTexts(const Value &times);
/// `text * n`, and whether a part is in a text.
Value repeatedText(Context &cx, const Value &text, const Value &times, Span span);
Value textHolds(Context &cx, const Value &text, const Value &part, Span span);
Value textMethod(Context &cx, const Value &text, const std::string &name, const GivenList &args, Span span);
/// The character at an index that run time knows.
Value characterAt(Context &cx, const Value &text, const Value &index, Span span);
/// `text[i]`: of a text and an index that are known, or in host code by run time.
std::optional<Value> characterOf(Context &cx, const Value &text, const ast::SubscriptExpr &expr);

/// `json.dumps(value)`. (JsonText.cpp)
Value jsonText(Context &cx, const Value &value, Span span);
/// What a loop over a struct with `__iter__` goes over; any other value is itself.
Value iteratedStruct(Context &cx, Value value, Span span);
/// Values in lines: `print(a, b, sep=", ", end="", file=f)`. (JsonText.cpp)
Value printed(Context &cx, Bound &args, Span span);

// ---- Formats.cpp
/// The parts of a text, with lists, tuples, dicts, structs and shapes taken apart, as Python shows them.
std::vector<Value> opened(Context &cx, const std::vector<Value> &parts, std::vector<std::string> &texts,
                          std::vector<std::string> &formats, Span span);
/// False, with a message, if a field's format does not fit to what it shows.
bool formatFits(Context &cx, const Value &value, const ast::FStringPart &part);

// ---- NamedTensors.cpp
/// `load_safetensors(path, Model)`: a struct; `load_safetensors(path, "name")`: one tensor.
Value loadTensors(Context &cx, ExprPtr path, const Value &what, Span at, Span span);
/// `save_npz(path, x=x, y=y)`.
Value saveNpz(Context &cx, const BuiltinRow &row, const GivenList &args, Span span);
/// `save_safetensors(path, model)`.
Value saveTensors(Context &cx, ExprPtr path, const Value &what, Span at, Span span);

// ---- What only host code does: printing, and files.
/// The first call in a function's body that makes it host code, or null. (Host.cpp)
const ast::CallExpr *firstHostCall(const ast::Block &block);

/// Whether a parameter is declared to be a tensor that may have several elements.
bool isWholeTensor(const ast::Parameter &parameter);

// ---- Functions of host code that call themselves.
/// Whether a function of a module calls itself, also by way of others.
bool callsItself(const Callable &callable);
/// A call of such a function in host code: it stays a call.
Value callOwnFunction(Context &cx, const Callable &callable, std::vector<Value> values, const std::vector<Span> &spans, Span span);
/// Whether statements of a block, from this one on, call such functions: they have to run only where they are meant to.
bool callsOwnFunctions(const Block &block, size_t from);
/// Whether statements from here on ask the host runtime for something, which ends the program where there is none.
bool readsItems(const Block &block, size_t from);
/// Two numbers or truth values in one type, for a choice between them. False after a message.
bool asNumbersAlike(Context &cx, Value &a, Value &b, Span span);
/// What a `return` of host code gives: a tensor that is one integer is that number. Of functions that call themselves it says what their calls
/// give, also those in its own body, and an integer is a fraction where others are.
Value asReturned(Context &cx, Value value, Span span);

}  // namespace tessera::sema
