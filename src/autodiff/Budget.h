// Which values a derivative keeps of a call that it computes again, within a number of bytes (`@checkpoint(budget=...)`).
#pragma once
#include "autodiff/Builder.h"

namespace tessera::autodiff {

/// Statements that compute the body of a function once more, and the way back behind them.
struct Recomputed {
  const checked::Block &block;
  size_t first, back, end;                // of the body, of the way back, behind it
  std::vector<Term> values;               // of the body, which could be kept instead
  std::vector<const checked::Var *> needed;  // what the way back gives
};

/// The places among the values of those to keep: again and again the one that saves most work for each of its bytes, while there is
/// room. `sizes`: what dimensions are taken for.
std::vector<size_t> chosenToKeep(const Recomputed &again, int64_t bytes, const std::map<std::string, Dim> &sizes);

/// The bytes of a value; nothing if that depends on more than these sizes.
std::optional<int64_t> bytesOf(const checked::Type &type, const std::map<std::string, Dim> &sizes);

/// What the dimensions of here are taken for where those of a function (`dims`, in these) have the sizes that it is given.
std::map<std::string, Dim> sizesHere(const std::map<std::string, Dim> &dims, const checked::RunSizes &given);

}  // namespace tessera::autodiff
