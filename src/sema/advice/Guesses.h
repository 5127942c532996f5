// Edits by general operators of the tree, whatever the message says: what was nearly written is one turn, one axis, one name,
// one number or one declared extent away. They are made from the place of the message and backwards from it, through what gave
// its values, to what is declared. None is tried yet; Measure.h says which of those that mend a mistake was meant.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/advice/Place.h"
#include "support/Sources.h"
#include <vector>

namespace tessera::sema {

/// What an edit does. Operators.def has a row for each, with how likely it is.
enum class Operator {
#define TSR_OPERATOR(name, ...) name,
#include "sema/advice/Operators.def"
#undef TSR_OPERATOR
};

/// How far from the message an edit lies.
enum class Reach { Part, Statement, Value, Head, Elsewhere };

struct Guess {
  diag::Fix fix;
  Operator op = Operator::Found;
  Reach reach = Reach::Part;
};

/// All of them, each edit once. The nearest first.
std::vector<Guess> guessesFor(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources);

}  // namespace tessera::sema
