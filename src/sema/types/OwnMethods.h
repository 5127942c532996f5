// Methods of structs that operations of the language call: `__float__`, `__int__`, `__str__`, `__getitem__`, `__len__`.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

/// What the method of a struct gives that an operation asks for; nothing if it is no struct with such a method.
std::optional<Value> byMethod(Context &cx, const Value &value, const char *method, Span span);
/// A struct with `__float__` as that number; any other value is itself.
Value numberByMethod(Context &cx, Value value, Span span);

}  // namespace tessera::sema
