// Edits by general operators beside those that finders of certain mistakes offer, in the order of the one measure. The likeliest
// are tried first.
#include "sema/advice/Measure.h"
#include "sema/advice/Rivals.h"
#include "sema/advice/ShapesOfBody.h"
#include <algorithm>
#include <tuple>

namespace tessera::sema {
namespace {

/// Of so many are shapes looked at (of fewer where a finder knows an edit), so many are measured, and so many of these tried.
constexpr size_t kMostLookedAt = 480, kFewerLookedAt = 120, kMostMeasured = 240, kMostTried = 60;
/// Where algebra alone says that all shapes fit with an edit, it needs no luck.
constexpr double kFits = 2;
/// What is so much less likely than the first that mends it is not tried.
constexpr double kHopeless = 5;
/// An edit that is so much likelier than the next one was meant, as far as anybody can tell.
constexpr double kFarAhead = 3;

/// Where no finder knows an edit, one that is less likely than this says nothing: of a message about
/// shapes, or where all of them fit then, and of another one.
constexpr double kLeastOfShapes = 0, kLeast = 2;

/// ... and where it would say nothing at all otherwise, and all shapes fit.
constexpr double kLeastThatFits = -3;

/// What is offered already is measured whatever it is.
constexpr double kOffered = 1000;

struct Ranked {
  Guess guess;
  Offer offer = Offer::None;
  double likelihood = 0, order = 0;  // in which it is tried: also how likely it is that it mends anything
  Fit fit = Fit::Unknown;
  bool said = false;    // by the name or the text of the function
  bool hardly = false;  // meant: labels are then what the scores are made of, or one of two types that are alike is changed
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

/// How much earlier or later than it is likely an edit is tried: what fits needs no luck.
double chanceOf(const Ranked &one, const Measure &measure) {
  if (one.offer != Offer::None) return 0;
  return one.fit == Fit::Fits ? kFits : measure.chanceOf(one.guess);
}

/// Where algebra sees the mistake: what it says of the likeliest edits. With some that fit, those that certainly do not are no longer
/// in question; without any, the function has another mistake besides.
void lookAtShapes(std::vector<Ranked> &all, const Measure &measure, const Place &place, const Sources &sources) {
  const ShapesOfBody shapes(place, sources);
  if (shapes.asItStands() != Fit::Fails) return;
  const bool known = std::any_of(all.begin(), all.end(), [](const Ranked &one) { return one.offer == Offer::Sure || one.offer == Offer::Guess; });
  bool someFit = false;
  for (size_t i = 0; i < std::min(all.size(), known ? kFewerLookedAt : kMostLookedAt); ++i) {
    Ranked &one = all[i];
    one.fit = shapes.with(one.guess.fix);
    if (one.offer != Offer::None) continue;
    one.order = measure.priorOf(one.guess) + chanceOf(one, measure);
    someFit |= one.fit == Fit::Fits;
  }
  if (someFit) std::erase_if(all, [](const Ranked &one) { return one.offer == Offer::None && one.fit == Fit::Fails; });
  sort(all);
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
  lookAtShapes(all, measure, place, sources);
  if (all.size() > kMostMeasured) all.erase(all.begin() + kMostMeasured, all.end());
  for (Ranked &one : all) {
    one.likelihood = measure.likelihoodOf(one.guess, one.offer);
    const Signs signs = measure.signsOf(one.guess);
    one.said = signs.of[Signs::saidAxis] != 0 || signs.of[Signs::saidSmaller] != 0;
    one.hardly = signs.of[Signs::itself] != 0 || signs.of[Signs::unlikeOther] != 0;
    one.order = one.likelihood + chanceOf(one, measure);
  }
  sort(all);
  return all;
}

/// What a finder knows of this mistake comes first, and last what leaves it further on where another edit leaves none: then it is true.
bool orderMending(std::vector<Ranked> &mending, const diag::Diagnostic &d, const Place &place, const Sources &sources) {
  const bool whole = std::any_of(mending.begin(), mending.end(), [](const Ranked &one) { return one.fit == Fit::Fits; });
  bool someLast = false;
  const bool isSaid = std::any_of(mending.begin(), mending.end(), [](const Ranked &one) { return one.said && one.fit != Fit::Fails; });
  for (Ranked &one : mending) {
    const diag::Fix &fix = one.guess.fix;
    const bool isLast = whole && one.fit == Fit::Fails;
    const bool merelyFits = one.hardly || (one.offer == Offer::Guess && (exchangesNames(fix, place, sources) || leavesIdle(fix, d, place, sources)));
    const bool isFirst = !isLast && (isSaid ? one.said : !merelyFits && (one.offer == Offer::Sure || one.offer == Offer::Guess));
    one.order = one.likelihood + (isFirst ? kOffered : 0) - (isLast ? kOffered : 0);
    someLast |= isLast;
  }
  sort(mending);
  return someLast || isSaid;
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
  double best = known ? -kOffered : kLeastOfShapes + kHopeless;  // of what is known to mend it
  auto saysNothing = [&](const Ranked &one) { return !known && !ofShapes && one.fit != Fit::Fits && one.likelihood < kLeast; };
  const bool someFit = std::any_of(all.begin(), all.end(), [](const Ranked &one) { return one.fit == Fit::Fits; });
  auto leavesMore = [&](const Ranked &one) { return someFit && one.fit == Fit::Fails; };  // the same mistake further on
  for (const Ranked &one : all)
    if (one.offer != Offer::None && !leavesMore(one)) best = std::max(best, one.likelihood);
  size_t tried = 0;
  auto isMending = [&](const Ranked &one) {
    const bool declares = one.guess.reach == Reach::Head || one.guess.reach == Reach::Elsewhere;  // its callers must fit, too
    return trials.mends(one.guess.fix, d, part, others) && (!declares || trials.mendsAll(one.guess.fix, d));
  };
  for (const Ranked &one : all) {
    if (one.offer == Offer::None) {
      const bool isComputed = one.guess.op == Operator::DeclareComputed && facts.empty();  // what the message says itself is one trial
      if (!isComputed && (saysNothing(one) || best - one.likelihood > kHopeless || tried++ >= kMostTried)) continue;
      if (!isMending(one)) continue;
    }
    if (known && !leavesMore(one)) best = std::max(best, one.likelihood);
    mending.push_back(one);
  }
  const bool lastHope = mending.empty() && facts.empty() && someFit;  // of what fits by algebra alone, what little speaks for
  for (const Ranked &one : all)
    if (lastHope && one.fit == Fit::Fits && one.likelihood > kLeastThatFits && mending.size() < kMostOffered && isMending(one)) mending.push_back(one);
  if (mending.empty()) return;
  const bool doubtful = orderMending(mending, d, place, sources) || lastHope;
  if (mending.size() > kMostOffered) mending.erase(mending.begin() + kMostOffered, mending.end());
  const Ranked &first = mending.front();
  for (const Ranked &one : mending) found.push_back(one.guess.fix);
  auto rivals = [&](const Ranked &one) { return first.likelihood - one.likelihood < kFarAhead && !mayMeanTheSame(one.guess.fix, first.guess.fix); };
  if (doubtful || std::any_of(mending.begin() + 1, mending.end(), rivals)) onlyAssumed(found);
  found.insert(found.end(), facts.begin(), facts.end());
  d.fixes = std::move(found);
}

}  // namespace tessera::sema
