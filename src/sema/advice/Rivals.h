// Which of several edits that mend a mistake was meant: what is declared may be wrong as well, and what leaves a name unread or
// says a thing twice was hardly meant.
#pragma once
#include "diag/Diagnostic.h"
#include "sema/advice/Place.h"
#include "sema/advice/Trials.h"
#include "support/Sources.h"

namespace tessera::sema {

/// So many edits beside one another are as much as anybody reads.
inline constexpr size_t kMostOffered = 3;

void onlyAssumed(std::vector<diag::Fix> &fixes);
bool isAmong(const diag::Fix &fix, const std::vector<diag::Fix> &fixes);

/// Whether two edits make the same text. (IdleEdits.cpp)
bool makeTheSame(const diag::Fix &a, const diag::Fix &b, const Sources &sources);
/// Whether two edits may mean the same: both add something at one place, `[:, None]` or `.unsqueeze(1)`. One that changes what
/// is written means something else: `axis=0` for `axis=1, keepdim=True`. (IdleEdits.cpp)
bool mayMeanTheSame(const diag::Fix &a, const diag::Fix &b);
/// Whether two places are one, or lie side by side.
inline bool touch(Span a, Span b) { return a.file == b.file && a.begin <= b.end && b.begin <= a.end; }

/// Whether something is read no more with an edit, or is there twice. (IdleEdits.cpp)
bool leavesIdle(const diag::Fix &fix, const diag::Diagnostic &d, const Place &place, const Sources &sources);
/// Whether it writes one value of the function for another one: that it fits does not tell that it was meant. (IdleEdits.cpp)
bool exchangesNames(const diag::Fix &fix, const Place &place, const Sources &sources);

/// What may be declared wrongly, beside the edits of the body or in front of them: the order of axes, what is returned, a
/// dimension for another. (RivalsOfDeclarations.cpp)
void addRivalDeclarations(diag::Diagnostic &d, const Place &place, const Sources &sources, Trials &trials);
/// `p.norm`, where the field is declared as `nrom` and nothing else reads it: the declaration may be what is misspelt.
void addRenamed(diag::Diagnostic &d, const Place &place, const Sources &sources, Trials &trials);

/// What general operators make, among what is offered, in the order of the one measure. An edit is more than an assumption only
/// if it was, and is far ahead of the next one. (EditsOfTheMeasure.cpp)
void offerByMeasure(diag::Diagnostic &d, const Place &place, const Part &part, const std::set<Messages::key_type> &others,
                    const Sources &sources, Trials &trials);

}  // namespace tessera::sema
