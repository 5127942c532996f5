#include "sema/advice/Advice.h"
#include "diag/Edits.h"
#include "frontend/Walk.h"
#include "sema/advice/Candidates.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/Measure.h"
#include "sema/advice/Origins.h"
#include "sema/advice/Remedies.h"
#include "sema/advice/Rivals.h"
#include "sema/advice/SmallEdits.h"
#include "sema/advice/Trials.h"
#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

namespace tessera::sema {
namespace {

/// Of a message about shapes, the others about its statement: what they are about has no shape, so what an edit makes
/// of it is hidden.
std::set<Messages::key_type> othersAbout(const ast::Stmt *statement, const diag::Diagnostic &target,
                                         const std::vector<diag::Diagnostic> &all) {
  std::set<Messages::key_type> others;
  bool ofShapes = diag::row(target.id).code.substr(0, 3) == "E04";
  for (const diag::Diagnostic &d : all) {
    bool inside = ofShapes && statement && d.span.file == target.span.file && statement->span.begin <= d.span.begin &&
                  d.span.end <= statement->span.end;
    if (inside && (d.id != target.id || d.message != target.message)) others.insert({d.id, d.message});
  }
  return others;
}

/// Of a group whose edits are tried in order the first that mends it; of another all that do, up to as many as are
/// offered beside one another.
std::vector<const diag::Fix *> thatMend(const CandidateGroup &group, const diag::Diagnostic &target, const Part &part,
                                        const std::set<Messages::key_type> &others, Trials &trials) {
  std::vector<const diag::Fix *> found;
  for (const diag::Fix &fix : group.edits) {
    if (!trials.mends(fix, target, part, others) || (group.ofSignature && !trials.mendsAll(fix, target))) continue;
    found.push_back(&fix);
    if (!group.onlyIfUnique || found.size() == kMostOffered) break;
  }
  return found;
}

/// Whether an edit that is a guess, or comes last, mends it as well and means something else: then the first one is no more
/// than likely, and its author decides.
bool hasRival(const diag::Diagnostic &d, const std::vector<CandidateGroup> &groups, size_t from, const Part &part,
              const std::set<Messages::key_type> &others, Trials &trials) {
  constexpr size_t kMostTried = 12;
  size_t tried = 0;
  for (size_t i = from; i < groups.size(); ++i) {
    if (!groups[i].assumes || groups[i].last) continue;
    for (const diag::Fix &fix : groups[i].edits) {
      if (isAmong(fix, d.fixes) || mayMeanTheSame(fix, d.fixes.front())) continue;
      if (++tried > kMostTried) return false;
      if (trials.mends(fix, d, part, others) && (!groups[i].ofSignature || trials.mendsAll(fix, d))) return true;
    }
  }
  return false;
}

/// Edits of later groups that mend it as well are offered beside the first. Where one of them lies elsewhere, nothing says
/// which was meant, and the author chooses.
void addRivals(diag::Diagnostic &d, const std::vector<CandidateGroup> &groups, size_t from, const Part &part,
               const std::set<Messages::key_type> &others, Trials &trials) {
  constexpr size_t kMostRivals = 2;
  std::vector<diag::Fix> rivals;
  bool elsewhere = false;
  for (size_t i = from; i < groups.size() && rivals.size() < kMostRivals; ++i) {
    if (groups[i].assumes || groups[i].rivals || groups[i].last) continue;
    for (const diag::Fix &fix : groups[i].edits) {
      auto isBeside = [&](const diag::Fix &known) { return touch(known.span, fix.span); };
      if (isAmong(fix, d.fixes) || std::any_of(rivals.begin(), rivals.end(), isBeside)) continue;
      if (!trials.mends(fix, d, part, others) || (groups[i].ofSignature && !trials.mendsAll(fix, d))) continue;
      elsewhere |= !mayMeanTheSame(fix, d.fixes.front());
      rivals.push_back(fix);
      break;
    }
  }
  onlyAssumed(rivals);
  d.fixes.insert(d.fixes.begin() + 1, rivals.begin(), rivals.end());
  if (elsewhere || hasRival(d, groups, from, part, others, trials)) onlyAssumed(d.fixes);
}

/// Puts the first edit that mends it in front of a fact for `where`, which mends every claim about shapes. Where several
/// of one kind do, an edit of a later kind is no more than an assumption; without one, each of them is.
void offer(diag::Diagnostic &d, const Place &place, const std::vector<CandidateGroup> &groups, const Part &part,
           const std::set<Messages::key_type> &others, const Sources &sources, Trials &trials) {
  std::vector<diag::Fix> several, idle;  // idle: something would be read no more, or twice
  bool searching = true;
  for (const CandidateGroup &group : groups) {
    bool offered = !d.fixes.empty() && !assumes(d.fixes.front());
    if (group.rivals && (offered || !searching)) {
      const std::vector<const diag::Fix *> found = thatMend(group, d, part, others, trials);
      if (found.empty()) continue;
      if (!group.assumes || d.fixes.size() <= kMostOffered) d.fixes.insert(d.fixes.begin() + 1, *found.front());
      onlyAssumed(d.fixes);
      continue;
    }
    if (!searching || (group.last && offered)) continue;
    std::vector<const diag::Fix *> found = thatMend(group, d, part, others, trials);
    std::erase_if(found, [&](const diag::Fix *fix) {
      if (d.id == diag::Id::notIterable && exchangesNames(*fix, place, sources)) return true;  // another loop altogether
      const bool leaves = leavesIdle(*fix, d, place, sources);
      if (leaves && idle.size() < kMostOffered) idle.push_back(*fix);
      return leaves;
    });
    if (found.empty()) continue;
    if (group.onlyIfUnique && found.size() > 1) {
      const bool isFirst = several.empty();
      for (size_t i = 0; isFirst && i < found.size(); ++i) several.push_back(*found[i]);
      continue;
    }
    d.fixes.insert(d.fixes.begin(), *found.front());
    if (group.assumes || !several.empty() || exchangesNames(d.fixes.front(), place, sources)) onlyAssumed(d.fixes);  // and nothing that was known before is more certain
    searching = false;
    for (const diag::Fix &other : several)
      if (!isAmong(other, d.fixes)) d.fixes.insert(d.fixes.begin() + 1, other), onlyAssumed(d.fixes);
    if (!assumes(d.fixes.front())) addRivals(d, groups, &group - groups.data() + 1, part, others, trials);
  }
  if (several.empty() && searching) several = std::move(idle);
  if (!searching || several.empty() || (!d.fixes.empty() && !assumes(d.fixes.front()))) return;
  onlyAssumed(several);
  d.fixes.insert(d.fixes.begin(), several.begin(), several.end());
}

/// What may mend it, the smallest edits first.
std::vector<CandidateGroup> editsFor(const diag::Diagnostic &d, const Place &place, const Sources &sources) {
  std::vector<CandidateGroup> groups, last;
  for (auto *find : {editsOfStatements, editsOfIdioms, editsOfHabits, editsOfMethods, editsOfEquations, editsOfDimensions, editsOfTiles, editsOfRoles, editsOfOperands, editsOfForms, editsOfCounterparts, editsOfAgreement, editsOfLoops, editsOfJoining, editsOfResults, editsOfSaid, editsOfLikeness, editsOfEvidence, editsOfScope, editsOfAxes, editsOfUse, editsOfStreams, editsOfTuples, smallEditsOfWords, smallEditsOfValues, editsOfTransforms, foreignCalls,
                     editsOfArguments, editsOfLacks, editsOfStructs, editsOfParameters, editsOfFitting, editsOfCalls, editsOfExtents, editsOfNumbers, smallEditsOfKernels,
                     editsOfCoverage, smallEditsOfBounds, smallEditsOfShapes, editsOfMembers, editsOfSizes, candidatesFor,
                     editsOfShapes, editsOfExchange, editsOfNeighbours, editsOfRanks, editsOfCallees, editsOfSearch}) {
    for (CandidateGroup &group : find(d, place, sources)) (group.last ? last : groups).push_back(std::move(group));
  }
  for (CandidateGroup &group : editsOfSignatures(d, place, sources)) last.push_back(std::move(group));
  std::move(last.begin(), last.end(), std::back_inserter(groups));
  if (familyOf(d.id)) return groups;  // there the one measure has what any tree may be changed in
  for (CandidateGroup &group : editsOfTheTree(d, place, sources)) groups.push_back(std::move(group));
  return groups;
}

/// "did you mean `stop`?", where that does not mend it.
void forgetNear(diag::Diagnostic &d, const std::string &name) {
  std::erase_if(d.notes, [&](const diag::Note &note) { return note.text == "did you mean `" + name + "`?"; });
}

}  // namespace

/// `s[m:m + T.n]` for `s[n:n + T.n]`: the block starts elsewhere, and is as long as the one before, which may be wrong, too.
static bool leavesSize(const diag::Fix &fix, const Sources &sources) {
  const Span behind{fix.span.file, fix.span.end, fix.span.end + 3};
  return fix.replacement.find(':') != std::string::npos && fix.span.end + 3 <= sources.file(fix.span.file).text.size() &&
         sources.text(behind) == " + ";
}

/// Adds the edits that mend it, and leaves out those that do not.
static void adviseOn(diag::Diagnostic &d, const Place &place, const std::vector<diag::Diagnostic> &all,
                     const Sources &sources, Trials &trials) {
  if (d.settled) return;
  std::vector<CandidateGroup> groups;
  if (!trials.isSpent()) groups = editsFor(d, place, sources);
  addRenamed(d, place, sources, trials);
  bool certain = diag::fixOf(d, false) != nullptr;
  if (d.fixes.empty() && groups.empty()) return;
  if (certain && d.fixes.size() == 1) return;
  const Part &part = trials.partFor(d, place);
  std::vector<diag::Fix> offered;  // by the checker, for one word
  std::erase_if(d.fixes, [&](diag::Fix &fix) {
    if (fix.applicability == diag::Applicability::Certain) return false;
    if (!assumes(fix)) {
      if (!trials.helps(fix, d, part)) return true;
      if (d.id == diag::Id::unknownKeyword || d.id == diag::Id::undefinedName || d.id == diag::Id::unknownAttribute)
        offered.push_back(fix);
      const bool ofName = d.id == diag::Id::undefinedName || d.id == diag::Id::unknownKeyword || d.id == diag::Id::unknownAttribute;
      bool guess = ofName && !trials.mends(fix, d, part, true);  // another name was meant
      if (guess) fix.applicability = diag::Applicability::Assumption;
      return false;
    }
    if (trials.mends(fix, d, part, true)) return false;  // of what is wrong in two places it would mend one
    auto more = trials.completed(fix, d, part);
    if (more) fix = std::move(*more);
    return !more;
  });
  if (!certain) {
    offer(d, place, groups, part, othersAbout(place.statement, d, all), sources, trials);
    trials.allowMore();
    addRivalDeclarations(d, place, sources, trials);
    addRenamed(d, place, sources, trials);
    offerByMeasure(d, place, part, othersAbout(place.statement, d, all), sources, trials);
  }
  std::vector<diag::Fix> fixes;
  const bool better = !d.fixes.empty() && !isAmong(d.fixes.front(), offered);
  const Span first = d.fixes.empty() ? Span{} : d.fixes.front().span;
  for (diag::Fix &fix : d.fixes) {
    const bool part = first.begin <= fix.span.begin && fix.span.end <= first.end;  // the first one mends all of it
    if (better && part && isAmong(fix, offered)) forgetNear(d, fix.replacement);
    else if (std::none_of(fixes.begin(), fixes.end(), [&](const diag::Fix &known) { return makeTheSame(known, fix, sources); }))
      fixes.push_back(std::move(fix));
  }
  d.fixes = std::move(fixes);
  for (diag::Fix &fix : d.fixes)
    if (d.id == diag::Id::outOfBounds && leavesSize(fix, sources)) fix.applicability = diag::Applicability::Assumption;
}

/// An edit that leaves less to be said about the whole program comes first: what is declared wrongly is noticed where it is
/// used, too, and an edit of one use leaves the others.
static void preferWhole(diag::Diagnostic &d, Trials &trials) {
  auto narrows = [](const diag::Fix &fix) { return fix.replacement.rfind(" where ", 0) == 0; };
  auto end = std::find_if(d.fixes.begin(), d.fixes.end(), narrows);
  if (end - d.fixes.begin() < 2) return;
  std::vector<std::pair<size_t, size_t>> ranked;  // what is left, and which it is
  for (auto it = d.fixes.begin(); it != end; ++it) {
    auto left = trials.leftWith(*it);
    if (!left) return;
    ranked.emplace_back(*left, ranked.size());
  }
  std::sort(ranked.begin(), ranked.end());
  const std::vector<diag::Fix> before = d.fixes;
  for (size_t i = 0; i < ranked.size(); ++i) {
    d.fixes[i] = before[ranked[i].second];
    if (ranked[i].first > ranked.front().first) d.fixes[i].applicability = diag::Applicability::Assumption;
  }
}

/// What the same edit mends is one mistake: the first message says it. Messages behind the first `from` ones.
static void dropSameEdits(std::vector<diag::Diagnostic> &all, size_t from) {
  for (size_t i = from; i < all.size(); ++i) {
    const std::vector<diag::Fix> known = all[i].fixes;
    if (known.empty() || known.front().replacement.empty()) continue;  // to leave something out mends a lot
    auto isSame = [&](const diag::Diagnostic &other) {
      if (other.id != all[i].id || other.fixes.empty() || !isAmong(other.fixes.front(), {known.front()})) return false;
      return !assumes(other.fixes.front()) || other.message == all[i].message;
    };
    all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), isSame), all.end());
  }
}

/// Whether an edit changes what a function declares.
static bool ofHead(const diag::Fix &fix, const Place &place) {
  const ast::FuncDef *def = place.function;
  return def && !def->body.empty() && def->span.begin <= fix.span.begin && fix.span.end <= def->body.front()->span.begin;
}

/// What is not said any more with the first edit of a message was a consequence of its mistake.
static void dropMended(std::vector<diag::Diagnostic> &all, size_t from, Places &places, Trials &trials) {
  constexpr size_t kMostMessages = 32;  // of more of them, few are consequences of the first ones
  for (size_t i = from; i + 1 < all.size() && i < from + kMostMessages; ++i) {
    const std::vector<diag::Fix> &fixes = all[i].fixes;
    if (fixes.empty() || fixes.front().replacement.empty()) continue;  // to leave something out mends a lot
    const Place place = places.at(all[i].span);
    const auto gone = ofHead(fixes.front(), place) ? trials.mendedInAll(fixes.front(), all[i]) : trials.mendedToo(fixes.front(), all[i], trials.partFor(all[i], place));
    auto isGone = [&](const diag::Diagnostic &other) { return gone.count({other.id, other.message}) != 0; };
    if (!gone.empty()) all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), isGone), all.end());
  }
}

/// A reshape that mixes axes, or operands that were hardly meant, say nothing more where their statement has a mistake: the
/// sizes may be what is wrong.
static void dropBesideErrors(std::vector<diag::Diagnostic> &all, size_t from, Places &places) {
  std::set<const ast::Stmt *> broken;
  for (size_t i = from; i < all.size(); ++i)
    if (all[i].severity == diag::Severity::Error) broken.insert(places.at(all[i].span).statement);
  // What an `assert` of the library asks of shapes is said only where they fit otherwise.
  auto isBehindShapes = [&](const diag::Diagnostic &d) {
    const bool ofShapes = d.id == diag::Id::factRefuted && d.message.find(".ndim") != std::string::npos;
    return ofShapes && std::any_of(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), [&](const diag::Diagnostic &other) {
      return other.span == d.span && (other.id == diag::Id::broadcastFails || other.id == diag::Id::rankMismatch);
    });
  };
  all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), isBehindShapes), all.end());
  auto doubts = [](diag::Id id) { return id == diag::Id::reordersAxes || id == diag::Id::makesPairs || id == diag::Id::sameOperands; };
  auto isBeside = [&](const diag::Diagnostic &d) { return doubts(d.id) && broken.count(places.at(d.span).statement); };
  all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), isBeside), all.end());
}

void advise(const ast::Module &module, const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics,
            size_t from, const CheckOptions &options) {
  std::vector<diag::Diagnostic> all = diagnostics.all();
  Places places(module);
  dropBesideErrors(all, from, places);
  Trials trials(module, sources, load, options, messagesOf(all, from, sources));
  for (size_t i = from; i < all.size(); ++i) {
    if (all[i].span.file != module.file) continue;
    const Place place = places.at(all[i].span);
    noteOrigins(all[i], place, sources);
    adviseOn(all[i], place, all, sources, trials);
    if (!diag::fixOf(all[i], false)) preferWhole(all[i], trials);
    noteRemedy(all[i], place, sources);
  }
  dropSameEdits(all, from);
  dropMended(all, from, places, trials);
  diagnostics.replace(std::move(all));
}

}  // namespace tessera::sema
