// Arguments of calls: as they are given, and by the parameters that they are for.
#pragma once
#include "sema/Value.h"

namespace tessera::sema {

/// One argument as it was given.
struct Given {
  std::string keyword;  // empty: positional
  Value value;
  Span span, keywordSpan;
  const ast::Expr *syntax = nullptr;
};
using GivenList = std::vector<Given>;

/// Arguments of a call, by the names of the callee's parameters.
struct Bound {
  std::vector<Value> values;  // Absent where not given
  std::vector<Value> rest;    // of `*rest`
  std::vector<Span> spans, restSpans;
  bool ok = true;
};

/// "it takes `x`, `axis`"
std::string argumentNames(const std::vector<std::string_view> &names);
/// The i-th of so many values, where `syntax` writes them one by one; else null.
const ast::Expr *itemOf(const ast::Expr *syntax, size_t i, size_t count);

}  // namespace tessera::sema
