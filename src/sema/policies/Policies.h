// Numerics policies as they are written, and values in memory that are scaled or rounded as a policy says.
#pragma once
#include "sema/Arguments.h"
#include "sema/Context.h"

namespace tessera::sema {

/// The names of the policies that a module declares or imports.
std::vector<std::string_view> bundleNames(const ModuleScope &module);

// ---- PolicyExpr.cpp
/// Whether an expression names a dtype, with policies or without.
bool isDTypeExpr(Context &cx, const ast::Expr &expr);
/// Adds a policy, as it is written, to a type. False after a message.
bool policyOf(Context &cx, const ast::Expr &expr, Type &type);
/// True if the policies of the type go with its dtype and with each other.
bool soundPolicies(Context &cx, const Type &type, Span span);
/// A dtype with its policies, before it is known whether they go together.
bool dtypeParts(Context &cx, const ast::Expr &expr, Type &type);
/// The last item of a tensor type: its dtype. False after a message.
bool dtypeItem(Context &cx, const ast::Expr &expr, Type &type);
/// `Policy(storage=bf16, ...)`.
Value policyCall(Context &cx, const GivenList &args, Span span);

// ---- RoundingPlaces.cpp
/// A value of the place's own dtype that was rounded before: a cast right here is rounded as the place says, anything
/// else would leave what the place says without an effect. False after a message.
bool roundAsPlaceSays(Context &cx, Value &value, const Numerics &how, Span span, const std::string &what);

// ---- ScaledStorage.cpp
/// 2^exponent times a value, exactly unless that leaves its range.
ExprPtr timesPower(ExprPtr value, int exponent);
/// What was read from memory, as the value it means.
Value unscaled(Value value, Span);
/// Reports that integers with scales are used where their scales are not known.
Value scalesUnknown(Context &cx, Span span);
/// What a load brings, as the value it means.
Value loadedValue(Context &cx, Value raw, Span span);
/// A parameter whose memory holds something else than the value: its binding becomes the value. Integers with scales
/// bring a second parameter, `w_scale`.
Value storedParameter(Context &cx, Var *var, Value value, Span span);
/// The parameter with scales whose value this is, untouched, if its channels lie along `axis`.
const Var *quantizedSource(const Context &cx, const Value &value, const Type &wanted);
/// The parameter of this dtype from which a value is computed, or null. Looks at so many expressions, counted from
/// `looked`, and at each name once, however often it is used.
const Var *sourceParameter(const Context &cx, const Expr &root, DType dtype, int looked);
/// The words of the dtype in the declaration of a parameter of the entry point.
Span declaredDType(Context &cx, const Var &var);

}  // namespace tessera::sema
