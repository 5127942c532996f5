#include "sema/types/OwnMethods.h"
#include "sema/calls/Calls.h"
#include "sema/types/Types.h"

namespace tessera::sema {

std::optional<Value> byMethod(Context &cx, const Value &value, const char *method, Span span) {
  if (value.kind != ValueKind::Struct || value.isStack() || !value.instance->info->methods.count(method)) return std::nullopt;
  return callValue(cx, memberOfStruct(cx, value, method, span), {}, span, method);
}

Value numberByMethod(Context &cx, Value value, Span span) {
  auto number = byMethod(cx, value, "__float__", span);
  return number ? std::move(*number) : std::move(value);
}

}  // namespace tessera::sema
