// Facts about dimensions, the claims that rules make of them, and what a message says of a claim that does not hold.
#pragma once
#include "sema/Context.h"
#include "shape/Facts.h"

namespace tessera::sema {

enum class FactOrigin : uint8_t { Where, Assert, Call };

// ---- Requirements.cpp
/// The parts of an `and` are facts of their own, each with its text.
void whereFact(Context &cx, const ast::Expr &expr, FactOrigin origin);
/// The facts of a `where`. `ofCall`: of a function that is called, which its arguments have to meet.
void whereFacts(Context &cx, const ast::FuncDef &def, bool ofCall);
/// A check at the entry. Under conditions on dimensions it is asked for only where they hold. False if there are no
/// sizes that pass all checks.
bool addGuard(Context &cx, const shape::Formula &given, const std::string &text, Span span);
/// Whether it reads a variable that may get another value.
bool mentionsRebound(const Context &cx, const shape::Formula &formula);
/// True if the claim is proved, or undecided and now a check at the entry for the reason `why`. False: the caller
/// reports what is wrong and adds the reasons with explainClaim().
bool claim(Context &cx, const shape::Formula &claim, const std::string &why, Span span);
/// What a function that is called asks of its arguments. `declared`: where it says so.
void requireOfCall(Context &cx, const shape::Formula &fact, const std::string &callee, const std::string &text,
                   Span declared, Span span);

// ---- Divisors.cpp
/// Whether it may divide here: what has no value must not be computed. What is neither proved nor refuted is checked
/// at the entry, for the sizes of which the choices around it compute it.
bool mayDivide(Context &cx, const Dim &divisor, Span span);
/// What divides in the types of the parameters and results.
bool typesMayDivide(Context &cx, const ast::FuncDef &def);

// ---- ShapeMessages.cpp
/// A dimension or a claim with the user's names.
std::string show(const Context &cx, const shape::Formula &formula);
/// "N = 2, M = 3": the sizes of these variables; with a counter among them, of the dimensions that let it get there,
/// too.
std::string sizesText(const Context &cx, const shape::Sizes &sizes, const std::set<std::string> &names);
/// The dimension's place in the type of a parameter: "`N` is dimension 0 of `x`".
bool noteDimension(const Context &cx, diag::Builder &builder, const std::string &name);
/// explainClaim() of a slice: which of its indices fall out for the smallest sizes.
void explainOutside(const Context &cx, diag::Builder &builder, const std::vector<Dim> &shape, size_t axis,
                    const Dim &start, const Dim &last, const Dim &step, const shape::Formula &inside);
/// What the sizes break: the smallest ones for which `claim` does not hold, or `exampleOf` in its place.
void explainClaim(const Context &cx, diag::Builder &builder, const shape::Formula &claim,
                  const shape::Formula *exampleOf = nullptr);

// ---- NumericsClaim.cpp
/// `@verify.numerics(bounded=...)`.
void numericsClaim(Context &cx, const ast::CallExpr *call, const ast::FuncDef &def, Span span);

// ---- ResourceClaims.cpp
/// `@require(workspace <= 4 * GiB, B=32)` above a function, whose dimensions are known.
void resourceClaim(Context &cx, const ast::CallExpr *call, const ast::FuncDef &def, Span span);

// ---- Facts that a message offers for `where`.
/// After the message: what would prove the claim is taken for granted in what follows, so that one missing fact is
/// said once.
void assumeMissing(shape::Facts &facts, const shape::Formula &claim);

}  // namespace tessera::sema
