// Edits by general operators beside those that finders of certain mistakes offer, in the order of the one measure. The likeliest
// are tried first.
#include "sema/advice/Measure.h"
#include "sema/advice/Rivals.h"
#include <algorithm>
#include <tuple>

namespace tessera::sema {
namespace {

/// So many are measured, and so many of these tried.
constexpr size_t kMostMeasured = 240, kMostTried = 60;
/// What is so much less likely than the first that mends it is not tried.
constexpr double kHopeless = 5;
/// An edit that is so much likelier than the next one was meant, as far as anybody can tell.
constexpr double kFarAhead = 3;

/// Where no finder knows an edit, one that is less likely than this says nothing: of a message about shapes, of another one.
constexpr double kLeastOfShapes = 0, kLeast = 2;

/// What is offered already is measured whatever it is.
constexpr double kOffered = 1000;

struct Ranked {
  Guess guess;
  Offer offer = Offer::None;
  double likelihood = 0, order = 0;  // in which it is tried: also how likely it is that it mends anything
};

/// The likeliest first.
void sort(std::vector<Ranked> &all) {
  std::sort(all.begin(), all.end(), [](const Ranked &a, const Ranked &b) {
    const diag::Fix &x = a.guess.fix, &y = b.guess.fix;
    return std::tie(b.order, x.span.begin, x.span.end, x.replacement) < std::tie(a.order, y.span.begin, y.span.end, y.replacement);
  });
}

/// `where S == B`, or `, S <= B` behind other facts, which mends every claim about shapes.
bool narrows(const diag::Fix &fix) {
  if (!assumes(fix)) return false;
  if (fix.replacement.rfind(" where ", 0) == 0) return true;
  auto has = [&](const char *relation) { return fix.replacement.find(relation) != std::string::npos; };
  return fix.replacement.rfind(", ", 0) == 0 && (has(" == ") || has(" <= ") || has(" >= ") || has(" < ") || has(" > "));
}

/// All edits in question, the likeliest first.
std::vector<Ranked> ranked(const diag::Diagnostic &d, const Place &place, const Sources &sources) {
  std::vector<Ranked> all;
  for (Guess &guess : guessesFor(d, place, sources)) all.push_back({std::move(guess)});
  for (size_t i = 0; i < d.fixes.size(); ++i) {
    const diag::Fix &fix = d.fixes[i];
    if (narrows(fix)) continue;
    auto known = std::find_if(all.begin(), all.end(), [&](const Ranked &other) { return makeTheSame(other.guess.fix, fix, sources); });
    if (known == all.end()) known = all.insert(all.end(), Ranked{});
    if (known->offer != Offer::None) continue;
    known->guess.fix = fix;
    known->offer = i > 0 ? Offer::Behind : assumes(fix) ? Offer::Guess : Offer::Sure;
  }
  const Measure measure(d, place, sources);
  auto byPrior = [&](Ranked &one) { one.order = one.offer == Offer::None ? measure.priorOf(one.guess) + measure.chanceOf(one.guess) : kOffered; };
  std::for_each(all.begin(), all.end(), byPrior);
  sort(all);
  if (all.size() > kMostMeasured) all.erase(all.begin() + kMostMeasured, all.end());
  for (Ranked &one : all) {
    one.likelihood = measure.likelihoodOf(one.guess, one.offer);
    one.order = one.likelihood + (one.offer == Offer::None ? measure.chanceOf(one.guess) : 0);
  }
  sort(all);
  return all;
}

}  // namespace

void offerByMeasure(diag::Diagnostic &d, const Place &place, const Part &part, const std::set<Messages::key_type> &others,
                    const Sources &sources, Trials &trials) {
  if (!place.function || !place.statement || !familyOf(d.id)) return;
  const Family family = *familyOf(d.id);
  const bool known = !d.fixes.empty() && !narrows(d.fixes.front());
  const bool ofShapes = family == Family::Broadcast || family == Family::Rank || family == Family::Result || family == Family::Product;
  std::vector<diag::Fix> found, facts;
  std::copy_if(d.fixes.begin(), d.fixes.end(), std::back_inserter(facts), [](const diag::Fix &fix) { return narrows(fix); });
  trials.allowGuesses(kMostTried);
  if (trials.isSpent()) return;
  std::vector<Ranked> mending;
  const std::vector<Ranked> all = ranked(d, place, sources);
  double best = known ? -kOffered : (ofShapes ? kLeastOfShapes : kLeast) + kHopeless;  // of what is known to mend it
  for (const Ranked &one : all)
    if (one.offer != Offer::None) best = std::max(best, one.likelihood);
  size_t tried = 0;
  for (const Ranked &one : all) {
    const diag::Fix &fix = one.guess.fix;
    if (one.offer == Offer::None) {
      if (best - one.likelihood > kHopeless || tried++ >= kMostTried) continue;
      const bool declares = one.guess.reach == Reach::Head || one.guess.reach == Reach::Elsewhere;  // its callers must fit, too
      if (!trials.mends(fix, d, part, others) || (declares && !trials.mendsAll(fix, d))) continue;
    }
    if (known) best = std::max(best, one.likelihood);
    mending.push_back(one);
    const bool isFirst = one.offer == Offer::Sure || one.offer == Offer::Guess;  // what a finder knows of this mistake comes first
    mending.back().order = one.likelihood + (isFirst ? kOffered : 0);
  }
  if (mending.empty()) return;
  sort(mending);
  if (mending.size() > kMostOffered) mending.erase(mending.begin() + kMostOffered, mending.end());
  const Ranked &first = mending.front();
  for (const Ranked &one : mending) found.push_back(one.guess.fix);
  auto rivals = [&](const Ranked &one) { return first.likelihood - one.likelihood < kFarAhead && !mayMeanTheSame(one.guess.fix, first.guess.fix); };
  if (std::any_of(mending.begin() + 1, mending.end(), rivals)) onlyAssumed(found);
  found.insert(found.end(), facts.begin(), facts.end());
  d.fixes = std::move(found);
}

}  // namespace tessera::sema
