#include "sema/numerics/Verify.h"
#include "sema/numerics/SizeChoice.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::sema::numerics {

namespace {
constexpr int kMostTrials = 600;
constexpr double kManyElements = 1048576;  // tried where nothing bounds a size

std::string number(double v) {
  char text[40];
  constexpr double kWritten = 1e10;  // whole numbers below stand in full: sizes, and the ends of integers
  if (std::floor(v) == v && std::abs(v) < kWritten) return std::to_string(static_cast<int64_t>(v));
  std::snprintf(text, sizeof text, "%.6g", v);
  return text;
}

bool isInput(const Param &param) {
  return !param.isResult && param.mode != ParamMode::Out && param.var->type.kind != TypeKind::Index &&
         param.var->type.kind != TypeKind::String;
}

enum class Mix : uint8_t { Alternating, OneHigh, OneLow };
constexpr size_t kMixes = 3;

/// What a parameter may be tried with: one value everywhere, or (behind these) both ends in every row.
struct Candidates {
  const Param *param;
  std::vector<double> values;
  bool both = false;
  size_t size() const { return values.size() + (both ? kMixes : 0); }
};

std::vector<Candidates> candidatesOf(const Function &function, const Inputs &inputs) {
  std::vector<Candidates> all;
  for (const Param &param : function.params) {
    auto it = inputs.ranges.find(param.var->name);
    if (it == inputs.ranges.end()) continue;
    const Range &r = it->second;
    Candidates c{&param, {r.high}, false};
    if (r.low != r.high) c.values.push_back(r.low);
    if (r.low < 0 && r.high > 0) c.values.push_back(0);
    TypeKind kind = param.var->type.kind;
    c.both = (kind == TypeKind::Tensor || kind == TypeKind::View) && !param.var->type.shape.empty() &&
             r.low != r.high;
    all.push_back(std::move(c));
  }
  return all;
}

/// The value that memory's content stands for.
double meant(const Param &param, double raw) { return std::ldexp(raw, -param.var->type.numerics.lossScale); }

class WitnessSearch {
public:
  WitnessSearch(const Function &function, const Inputs &inputs)
      : function_(function), inputs_(inputs), candidates_(candidatesOf(function, inputs)), sizes_(function) {}

  /// A decision if some inputs show a problem.
  std::optional<Decision> run() {
    for (int sizes = 0; sizes < 3; ++sizes)
      if (auto found = withSizes(sizes)) return found;
    return std::nullopt;
  }

private:
  /// About 8 each, the least, or the most.
  std::optional<Sizes> chosen(int choice) {
    SizeChoice::Wishes wishes;
    for (const auto &[name, range] : sizes_.all().names()) {
      double most = range.high < kMostElements ? range.high : std::max(range.low, kManyElements);
      wishes[name] = choice == 0 ? std::max(range.low, std::min(most, 8.0)) : choice == 1 ? range.low : most;
    }
    return sizes_.near(wishes);
  }
  std::optional<Decision> withSizes(int choice) {
    auto sizes = chosen(choice);
    if (!sizes) return std::nullopt;
    std::vector<size_t> at(candidates_.size(), 0);
    for (;;) {
      if (++trials_ > kMostTrials * (choice + 1)) return std::nullopt;
      if (auto found = trial(*sizes, at)) return smallest(*sizes, at, std::move(*found));
      size_t i = 0;
      while (i < at.size() && ++at[i] == candidates_[i].size()) at[i++] = 0;
      if (i == at.size()) return std::nullopt;
    }
  }
  /// The same problem at sizes as small as it can be shown at, one after the other.
  Decision smallest(Sizes sizes, const std::vector<size_t> &at, Decision found) {
    for (const auto &[name, range] : sizes_.all().names()) {
      auto sizeNow = [&, &name = name] { return sizes.names().at(name).low; };
      auto shows = [&, &name = name](double value) {
        auto less = sizes_.smaller(name, value, sizes);
        auto still = less ? trial(*less, at) : std::nullopt;
        if (!still || still->finding.op != found.finding.op) return false;
        sizes = *less, found = std::move(*still);
        return true;
      };
      double least = range.low;
      if (sizeNow() == least || shows(least)) continue;
      while (std::floor(sizeNow() / 2) > least && shows(std::floor(sizeNow() / 2))) {}
      for (least = std::max(least, std::floor(sizeNow() / 2)); least + 1 < sizeNow();) {
        double middle = std::floor((least + sizeNow()) / 2);
        if (!shows(middle)) least = middle;
      }
    }
    return found;
  }
  /// The share of the high end in rows of the array; nothing if its rows cannot hold the mixture.
  static std::optional<double> shareOf(const Candidates &of, size_t mix, const Sizes &sizes) {
    Range row = sizes.of(of.param->var->type.shape.back(), [](const std::string &) { return Range::unknown(); });
    if (!row.isPoint() || row.low < 2) return std::nullopt;
    switch (static_cast<Mix>(mix)) {
    case Mix::Alternating: return std::fmod(row.low, 2) == 0 ? std::optional(0.5) : std::nullopt;
    case Mix::OneHigh: return 1 / row.low;
    case Mix::OneLow: return 1 - 1 / row.low;
    }
    return std::nullopt;
  }
  std::optional<Decision> trial(const Sizes &sizes, const std::vector<size_t> &at) {
    Inputs inputs = inputs_;
    inputs.points = true;
    for (size_t i = 0; i < at.size(); ++i) {
      const Candidates &c = candidates_[i];
      const std::string &name = c.param->var->name;
      if (at[i] < c.values.size()) {
        inputs.ranges[name] = Range::point(c.values[at[i]]);
        continue;
      }
      auto share = shareOf(c, at[i] - c.values.size(), sizes);
      if (!share) return std::nullopt;
      inputs.mixed[name] = *share;
    }
    Analysis analysis(function_, sizes, inputs);
    analysis.run();
    for (const Finding &finding : analysis.findings()) {
      if (!finding.definite) continue;  // an earlier one may be a problem for none of these inputs
      return Decision{Verdict::Refuted, finding, witness(sizes, at, inputs), "", std::nullopt};
    }
    return std::nullopt;
  }
  Witness witness(const Sizes &sizes, const std::vector<size_t> &at, const Inputs &inputs) const {
    Witness witness;
    auto add = [&](const std::string &part) { witness.text += (witness.text.empty() ? "" : ", ") + part; };
    for (size_t i = 0; i < at.size(); ++i) {
      const Candidates &c = candidates_[i];
      const Param &param = *c.param;
      const Range &r = inputs_.ranges.at(param.var->name);
      bool array = param.var->type.kind == TypeKind::Tensor || param.var->type.kind == TypeKind::View;
      std::string shown = "`" + param.var->name + "`";
      Fill &fill = witness.parameters[param.var->name];
      if (at[i] < c.values.size()) {
        fill = {c.values[at[i]], c.values[at[i]], 1};
        add(shown + " = " + number(meant(param, fill.high)) + (array ? " everywhere" : ""));
        continue;
      }
      fill = {r.low, r.high, inputs.mixed.at(param.var->name)};
      std::string low = number(meant(param, r.low)), high = number(meant(param, r.high));
      switch (static_cast<Mix>(at[i] - c.values.size())) {
      case Mix::Alternating: add(shown + " with " + low + " and " + high + " in each row"); break;
      case Mix::OneHigh: add(shown + " with " + high + " once in each row, else " + low); break;
      case Mix::OneLow: add(shown + " with " + low + " once in each row, else " + high); break;
      }
    }
    for (const auto &[name, range] : sizes.names()) {
      if (name.find('.') != std::string::npos) continue;
      add(name + " = " + number(range.low));
      witness.sizes[name] = range.low;
    }
    return witness;
  }

  const Function &function_;
  const Inputs &inputs_;
  std::vector<Candidates> candidates_;
  SizeChoice sizes_;
  int trials_ = 0;
};

bool holdsFor(const Function &function, const Sizes &sizes, const Inputs &inputs) {
  Analysis analysis(function, sizes, inputs);
  analysis.run();
  return analysis.findings().empty();
}

/// The largest power of two to which the named sizes must be bounded, if that is enough.
std::string missingFact(const Function &function, const Inputs &inputs) {
  Sizes all(function);
  std::vector<std::vector<std::string>> choices;
  std::vector<std::string> open;
  for (const std::string &dim : function.dims)
    if (!all.isBounded(dim)) open.push_back(dim);
  for (const std::string &dim : open) choices.push_back({dim});
  if (open.size() > 1) choices.push_back(open);
  for (const auto &names : choices) {
    auto enough = [&](int exponent) {
      Sizes sizes(function);
      for (const std::string &name : names) sizes.restrict(name, 1, std::ldexp(1.0, exponent));
      return holdsFor(function, sizes, inputs);
    };
    int least = 3, most = 48;
    for (const std::string &name : names)
      while (std::ldexp(1.0, least) < all.names().at(name).low) ++least;
    if (least >= most || !enough(least)) continue;
    while (least + 1 < most) (enough((least + most) / 2) ? least : most) = (least + most) / 2;
    shape::Facts facts = factsOf(function);
    for (const std::string &name : names) facts.add(shape::Formula(Dim::var(name), Relation::Le, Dim(int64_t(1) << least)));
    if (facts.contradictory()) continue;
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ", ") + name + " <= " + std::to_string(int64_t(1) << least);
    return text;
  }
  return "";
}

/// The largest share (a power of two) of the promised ranges for which the claim is proved.
std::optional<double> provedShare(const Function &function, const Inputs &inputs) {
  Sizes sizes(function);
  for (int exponent = 1; exponent <= 20; ++exponent) {
    Inputs narrower = inputs;
    double share = std::ldexp(1.0, -exponent);
    for (const Param &param : function.params)
      if (auto it = narrower.ranges.find(param.var->name);
          it != narrower.ranges.end() && isFloat(param.var->type.dtype))
        it->second = Range::of(it->second.low * share, it->second.high * share);
    if (holdsFor(function, sizes, narrower)) return share;
  }
  return std::nullopt;
}

std::string what(const Finding &f, bool refuted) {
  std::string dtype(name(f.dtype));
  switch (f.problem) {
  case Problem::Overflow: return refuted ? "this overflows " + dtype : "this does not overflow " + dtype;
  case Problem::DivisionByZero: return refuted ? "this divides by zero" : "the divisor here is never zero";
  case Problem::LogOfNegative:
    return refuted ? "this is the logarithm of a negative number"
                   : "the argument of this logarithm is positive";
  case Problem::LogOfZero:
    return refuted ? "this is the logarithm of zero" : "the argument of this logarithm is never zero";
  case Problem::RootOfNegative:
    return refuted ? "this is the root of a negative number" : "the argument of this root is never negative";
  case Problem::InfinityMeetsItself:
    return refuted ? "infinities make a NaN here" : "no infinity meets its opposite, or zero, here";
  case Problem::PowerOfNegative:
    return refuted ? "this is a power of a negative number" : "the base of this power is never negative";
  }
  return "";
}

std::string where(const Finding &f) {
  std::string op = f.op->kind == ExprKind::Cast     ? "what is rounded"
                   : f.op->kind == ExprKind::Reduce ? "the sum"
                   : f.op->kind == ExprKind::Dot    ? "the product"
                                                    : "";
  if (f.problem == Problem::Overflow) {
    if (op.empty())
      op = f.op->kind == ExprKind::Elementwise ? "`" + std::string(info(f.op->as<node::Elementwise>().op).mnemonic) + "`" : "it";
    bool up = f.range.high > largest(f.dtype);
    double end = up ? largest(f.dtype) : smallest(f.dtype), reached = up ? f.range.high : f.range.low;
    std::string limit = ", " + std::string(name(f.dtype)) + " ends at " + number(end);
    return std::isinf(reached) ? op + " has no bound that I know" + limit
                               : op + (f.definite ? " is " : " may reach ") + number(reached) + limit;
  }
  return std::string("it ") + (f.definite ? "is " : "lies in ") +
         (f.range.isPoint() ? number(f.range.low) : f.range.str());
}
/// What makes an undecided claim decidable, where neither sizes nor smaller ranges do.
std::string whatDecides(const Finding &f) {
  std::string wide = info(f.dtype).bits < 32 ? ", a cast to f32" : "";
  switch (f.problem) {
  case Problem::Overflow:
    return "a bound decides it: `minimum(maximum(x, low), high)` around an operand" + wide +
           ", or `@saturate` where it is rounded";
  case Problem::DivisionByZero:
  case Problem::LogOfZero: return "a bound decides it: `maximum(x, 1e-6)`, or `+ 1e-6` on what is not negative";
  case Problem::LogOfNegative:
  case Problem::RootOfNegative:
  case Problem::PowerOfNegative: return "a bound decides it: `maximum(x, 0)`";
  case Problem::InfinityMeetsItself:
    return "a finite number in the place of the infinity decides it: `-1e30` for `-INF` in a mask";
  }
  return "";
}
}  // namespace

Inputs inputsOf(const Function &function) {
  Inputs inputs;
  const NumericsClaim &claim = *function.claim;
  for (const Param &param : function.params) {
    if (!isInput(param)) continue;
    const Type &type = param.var->type;
    auto own = claim.bounds.find(param.var->name);
    bool given = own != claim.bounds.end();
    if (!given && !isFloat(type.dtype)) {  // every number of the type
      if (info(type.dtype).cls != DTypeClass::Complex)
        inputs.ranges[param.var->name] = Range::of(smallest(type.dtype), largest(type.dtype));
      continue;
    }
    if (!given && !claim.all) continue;
    ValueBounds bounds = given ? own->second : *claim.all;
    double scale = std::ldexp(1.0, type.numerics.lossScale);
    Range r = Range::of(bounds.low * scale, bounds.high * scale);
    inputs.ranges[param.var->name] = intersect(r, smallest(type.dtype), largest(type.dtype));
  }
  return inputs;
}

Decision decide(const Function &function) {
  Inputs inputs = inputsOf(function);
  Sizes sizes(function);
  Analysis analysis(function, sizes, inputs);
  analysis.run();
  if (analysis.findings().empty()) return {};
  Decision decision;
  if (auto refuted = WitnessSearch(function, inputs).run()) {
    decision = *refuted;
  } else {
    decision = {Verdict::Undecided, analysis.findings().front(), {}, "", std::nullopt};
  }
  decision.fact = missingFact(function, inputs);
  if (decision.fact.empty()) decision.share = provedShare(function, inputs);
  return decision;
}

void verify(const Function &function, diag::Engine &diagnostics) {
  Decision decision = decide(function);
  if (decision.verdict == Verdict::Proved) return;
  const NumericsClaim &claim = *function.claim;
  const Finding &finding = decision.finding;
  bool refuted = decision.verdict == Verdict::Refuted;
  bool here = finding.op->span.valid() && finding.op->span.file == claim.span.file;
  auto builder = diagnostics.report(refuted ? diag::Id::numericsRefuted : diag::Id::numericsUndecided,
                                    here ? finding.op->span : claim.span, what(finding, refuted));
  builder.label(where(finding));
  if (here) builder.note(claim.span, "the range is promised here");
  else builder.note(finding.op->span, "it happens here");
  if (refuted) builder.help("for example " + decision.witness.text);
  if (std::string said = what(finding, refuted); said.find("zero") != std::string::npos)
    builder.help("a small number keeps it away from 0, `x / (y + 1e-6)`, `rsqrt(y + 1e-6)`, `log(maximum(y, 1e-30))`: how small is for you to say");
  if (!decision.fact.empty())
    builder.help("it holds under the fact `where " + decision.fact + "`")
        .suggest(claim.signatureEnd, (claim.hasFacts ? ", " : " where ") + decision.fact,
                 "say so in the signature");
  else if (decision.share && claim.all && claim.bounds.empty())
    builder.help("it holds for inputs in [" + number(claim.all->low * *decision.share) + ", " +
                 number(claim.all->high * *decision.share) + "]");
  else if (decision.share) builder.help("it holds for ranges " + number(*decision.share) + " times as wide");
  else if (!refuted) builder.help(whatDecides(finding));
}

}  // namespace tessera::sema::numerics
