// Types as they are written, structs, and values against declared types.
#pragma once
#include "sema/Arguments.h"
#include "sema/Context.h"
#include "support/LinearDim.h"

namespace tessera::sema {

/// Dimensions that stand alone in a type: the ones that a value of it gives.
void collectDims(const DeclaredType &type, std::set<std::string> &names);

// ---- TypeExpr.cpp
/// An extent as it is written, not known to be negative. `bind`: a name that is new becomes a dimension.
std::optional<Dim> dimOf(Context &cx, const ast::Expr &expr, bool bind);
/// `Tensor[M, K, f32]` with its policies. False after a message.
bool readTensorType(Context &cx, const ast::SubscriptExpr &expr, Type &type, std::vector<const ast::Expr *> *dims);
/// Whether a tensor type says its dtype. One that does not is of f32 in an entry point, or of what `@jit(dtypes=[...])`
/// lists, and takes any float where a function is traced.
bool namesDType(Context &cx, const ast::SubscriptExpr &tensor);
/// The dtypes of `@jit(dtypes=[f32, bf16])` above a function, as they are written.
std::vector<const ast::Expr *> jitDTypes(const ast::FuncDef &def);
/// Where the choice among them stands in `Choices`: no parameter is called so.
constexpr std::string_view kDTypeChoice = "@dtypes";
/// ... and that the entry point is the one of which derivatives are taken, where `is_training()` is true.
constexpr std::string_view kTrainingChoice = "@training";
/// The type of a parameter of an entry point. Nothing after a message.
std::optional<Type> parameterType(Context &cx, const ast::Expr &annotation);
/// A type as a value: TypeName.
Value typeOf(Context &cx, const ast::Expr &expr);

// ---- DeclaredTypes.cpp
/// What a name in a type means, without a message if it means nothing.
Value typeNamed(Context &cx, const ast::Expr &expr);
/// A struct with the types of its fields.
std::optional<DeclaredType> structType(Context &cx, std::shared_ptr<const StructInstance> instance, Span span,
                                       const std::string &path);
/// The type of the parameter or result at `path` of the entry point that is being checked.
std::optional<DeclaredType> declaredType(Context &cx, const ast::Expr &annotation, const std::string &path);
/// The value of a parameter of an entry point; each part of it becomes one parameter.
Value entryValue(Context &cx, const DeclaredType &type, const std::string &path, const ast::Parameter &parameter);
/// A parameter that is no struct and no tuple.
Value plainParameter(Context &cx, Type type, const std::string &name, const ast::Parameter &parameter);

// ---- MatchTypes.cpp
/// The variable that a declared dimension is and that has no value yet; empty if it is anything else.
std::string freeDimension(const Context &cx, const ast::Expr &declared);
/// First pass over arguments: variables that stand alone get the extents they meet first, so that expressions over
/// them can stand in any parameter.
/// Which dimensions of a declared type get a value: those that stand alone, or those that an extent such as `2 * N` or `N + M` gives.
enum class Gives { Alone, Solved };
void bindGenerics(Context &cx, const Value &value, const ast::Expr &annotation, const DimOrigin &origin, Gives gives = Gives::Alone);
/// A declared type has dimensions such as `2 * N`.
bool hasFormulas(const ast::Expr &annotation);
/// A declared dimension that gives a variable its value: `N + M`, where M has one. Nothing if it does not.
std::optional<LinearDim> solvableDimension(const Context &cx, const ast::Expr &declared, const IsGivenDim &isGiven);

/// Declared extents against those of a value. False after a message.
bool unifyDims(Context &cx, const std::vector<const ast::Expr *> &declared, const Value &value, const std::string &name,
               Span span);
/// Reports that a value is not what its parameter or field wants. Always false.
bool wrongValue(Context &cx, const Value &value, const ast::Expr &annotation, const std::string &name, Span span,
                const std::string &wanted);
/// A value against the type that a parameter or field declares; `out` is the value as it is then. False after a
/// message.
bool matchParameter(Context &cx, const Value &value, const ast::Expr &annotation, const std::string &name, Span span,
                    Value &out);
/// isinstance(x, type), or a tuple of types: known when the program is compiled.
Value isInstance(Context &cx, const GivenList &args, Span span);

// ---- Structs.cpp
/// The fields and methods that a definition lists. Types of fields are read where the struct is used.
Value structValue(Context &cx, ModuleScope &scope, const ast::StructDef &def);
/// Reads the types of all fields once, with the type parameters standing for themselves.
void checkStruct(Context &cx, const StructInfo &info);
/// Whether it is `T: dtype`.
bool isDTypeParameter(const Context &cx, const ast::TypeParameter &parameter);
/// A type parameter is a dimension, or a dtype where it says so. False, with a message, if it says something else:
/// `T: float`.
bool typeParameterBound(Context &cx, const ast::TypeParameter &parameter);
/// True, with a message at its first field that leads back to it, if a struct holds itself.
bool structRecursion(Context &cx, const StructInfo &info);
/// Where the types of the fields are read: the struct's module, with its type parameters.
std::shared_ptr<Frame> structFrame(Context &cx, const StructInstance &instance);
/// `Block[D, 512]`, as a user would write it.
std::string instanceText(const Context &cx, const StructInstance &instance);
/// Block[D, 512]: what the type parameters stand for.
std::shared_ptr<const StructInstance> instantiate(Context &cx, const StructInfo &info, const ast::SubscriptExpr &expr);
/// `Block(w=..., b=...)`.
Value constructStruct(Context &cx, const Value &type, GivenList args, Span span);
/// replace(p, w=...): a new struct in which these fields have these values.
Value replaceFields(Context &cx, GivenList args, Span span);
/// A field or a method of a struct's value.
/// `Linear.init`, and a call of it, whose keywords may be dimensions of the struct: `Linear.init(rng, I=4, O=8)`.
Value makerOf(const Value &type, const Callable *callable);
Value callMaker(Context &cx, const Value &maker, GivenList args, Span span);
Value memberOfStruct(Context &cx, const Value &object, const std::string &name, Span span);
/// `p.w = value`, `p.w += value`: fields do not change; a new struct takes the name. Of a state it does so by itself.
void assignField(Context &cx, const ast::AttributeExpr &target, Value value, Span assignment);

// ---- Stacks.cpp
/// The type `[Block[D]; L]`: its arrays have an axis of L in front. Nothing after a message.
std::optional<DeclaredType> stackType(Context &cx, const ast::StackExpr &annotation, const std::string &path);
/// What one struct of a stack is like: only its types mean something.
Value elementOfStack(const Value &stack);
/// How many structs a stack has.
Value lengthOfStack(Context &cx, const Value &stack, Span span);
/// One struct of a stack, at an index from 0 on.
Value rowOfStack(Context &cx, const Value &stack, const Value &index, Span span);
/// `layers[i]`, and `layers[a:b]`, which is a stack.
Value stackSubscript(Context &cx, const Value &stack, const ast::SubscriptExpr &expr);
/// A value whose arrays have one more axis in front, with structs that say so: structs as a stack.
Value restacked(const Value &value, const Dim &count);
/// Structs of one type, at least one, as a stack of them. Poison after a message.
Value stackOfStructs(Context &cx, std::vector<Value> all, Span span);
/// A value against a stack's type: a stack, or a list of structs, whose arrays are then stacked. False after a message.
bool matchStack(Context &cx, const Value &value, const ast::StackExpr &annotation, const std::string &name, Span span,
                Value &out);
/// A stack of this type from the arrays and stacks of all its fields, by their names.
Value constructStack(Context &cx, const Value &type, const GivenList &fields, Span span);

// ---- Trees.cpp
/// tree_map(f, tree, ...): the tree of what f returns for the leaves of all trees at each place. Where f returns a
/// tuple, a tuple of trees.
Value treeMap(Context &cx, const GivenList &args, Span span);
/// tree_leaves(tree): the leaves in the order of fields and items, as a list.
Value treeLeaves(Context &cx, const GivenList &args, Span span);

}  // namespace tessera::sema
