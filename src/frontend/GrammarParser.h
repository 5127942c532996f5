// The generated parser behind a plain interface: tokens in, syntax tree out, or the place where it stopped.
// Prediction is SLL first; only where that fails is the text read again with full LL.
#pragma once
#include "diag/Diagnostic.h"
#include "frontend/AST.h"
#include "frontend/Token.h"
#include "support/Sources.h"
#include <memory>
#include <string>
#include <string_view>

namespace tessera::frontend {

/// Where the grammar could not go on.
struct Failure {
  size_t index = 0;                // of the token that did not fit; the last token is the end of the file
  std::vector<uint32_t> expected;  // kinds that could stand there; empty when that is not known
  bool expects(uint32_t kind) const;
};

class GrammarParser {
public:
  /// `begins`: with predictions that were made before (Prediction.h).
  GrammarParser(const Sources &sources, FileId file, diag::Engine &diagnostics, bool begins = true);
  ~GrammarParser();
  /// Appends the statements of `tokens` (which end with EOF) to `out`; false, with `failure` filled and nothing
  /// appended, when they do not fit the grammar.
  bool statements(const Tokens &tokens, ast::Block &out, Failure &failure);
  /// The expression of an interpolation; null, with `failure` filled, when it is none.
  ast::ExprPtr interpolation(const Tokens &tokens, Failure &failure);
  /// Its predictions as a table, Prediction::written().
  std::string predictions() const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tessera::frontend
