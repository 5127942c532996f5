// Fields of structs: what is asked of both their uses and their changes.
#pragma once
#include "sema/Context.h"

namespace tessera::sema {

// ---- Structs.cpp
/// Reports that a struct has no such field, nor method where `methodsToo`. `missing`: fields that this was to give.
void unknownField(Context &cx, const StructInfo &info, const std::string &name, Span span, bool methodsToo,
                  const std::vector<std::string_view> &missing = {});

}  // namespace tessera::sema
