// What is bound to nothing that is known: names of statements that were refused, names in other places than here.
#pragma once
#include "sema/Value.h"
#include <optional>
#include <string>

namespace tessera::sema {

struct Context;

/// After a message about a statement: the names that it would bind hold something unknown, and if it returns, so does
/// the function.
void bindUnknown(Frame &frame, const ast::Stmt &stmt, int block);

/// `self.w` for a name that is a field or method of the struct whose method is checked; empty if it is none.
std::string memberOfSelf(const Frame *frame, const std::string &name);

/// The type parameter of this name, of a function around or of the struct of a method; null if there is none.
const ast::TypeParameter *typeParameterNamed(const Frame *frame, const std::string &name);

/// Whether a name stands in the expression.
bool mentions(const ast::Expr &expr, const std::string &name);
/// Whether the type of a parameter names it.
bool inParameters(const ast::FuncDef &def, const std::string &name);

/// The parameters of the function that programs have under this name, alone or in `tile`: "x, axis".
std::optional<std::string> signatureHere(const Context &cx, std::string_view name, bool ofTiles);

/// Whether this is a parameter, `m: A | None`, that may be None.
bool isOptional(const Frame *frame, std::string_view name);

/// Whether there is an integer in the value, for `convertInt`, or a message about it was given.
bool mayBeInteger(const Value &value);

}  // namespace tessera::sema
