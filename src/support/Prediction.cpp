#include "support/Prediction.h"
#include "support/Check.h"
#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr Reached kReached[] = {
#define TSR_REACHED(...) Reached{__VA_ARGS__},
#include "support/Reached.def"
};

constexpr double kNano = 1e9;
constexpr double kNotHidden = 0.2;  // of the instructions between products (a softmax), what they do not hide
constexpr double kFewWarps = 0.5;   // of the instructions that many warps reach, what the few of a group with sums reach
constexpr std::string_view kOfProducts = "launch + max(memory, products) + min(memory, products) // 5 + arithmetic", kOfOthers = "launch + max(memory, arithmetic)";

double plainRate(const Machine &machine, DType dtype) {
  return static_cast<double>(dtype == DType::F64 ? machine.doublesPerSecond : machine.flopsPerSecond) / kNano;
}

/// Of bytes and operations in a nanosecond, so that formulas can be read.
double whole(double rate) { return rate < 100 ? rate : std::round(rate); }

}  // namespace

const Reached &reachedOn(const Machine &machine) {
  const Reached *family = nullptr;
  for (const Reached &each : kReached) {
    if (each.machine == machine.name) return each;
    if (each.machine == familyName(machine.family)) family = &each;
  }
  TSR_CHECK(family, "a family of machines of which nothing is reached");
  return *family;
}

Prediction predict(const Work &work, const Machine &machine, bool matrixInstructions) {
  const Reached &reached = reachedOn(machine);
  auto percent = [](int64_t share) { return static_cast<double>(share) / 100; };
  const auto processors = static_cast<double>(machine.processors);
  Prediction made;
  made.launch = static_cast<double>(reached.launchNanoseconds);
  made.memory = (work.readBytes + work.writtenBytes) / whole(static_cast<double>(machine.bytesPerSecond) / kNano * percent(reached.copy));
  double instructions = static_cast<double>(machine.flopsPerSecond) / 2 / kNano * percent(reached.instructions);
  if (!work.groupProducts.empty()) instructions *= kFewWarps;
  made.arithmetic = work.instructions / whole(instructions);
  if (work.groupProducts.empty()) return made;
  Amount group = static_cast<double>(reached.roundNanoseconds);
  for (const auto &[dtype, operations] : work.groupProducts) {
    const double rate = static_cast<double>(machine.productsPerSecond(dtype)) / kNano;
    const double reachable = matrixInstructions && rate > 0 ? rate * percent(reached.products) : plainRate(machine, dtype) * percent(reached.instructions);
    group += operations / whole(reachable / processors);
  }
  made.rounds = Amount::ceil(work.groups / processors);
  made.products = made.rounds * group + work.besideProducts / whole(instructions / kNotHidden);
  return made;
}

static bool multiplies(const Prediction &prediction) { return !prediction.products.isNumber() || prediction.products.number() > 0; }

Amount Prediction::nanoseconds() const {
  if (!multiplies(*this)) return launch + Amount::max(memory, arithmetic);
  return launch + Amount::max(memory, products) + Amount::min(memory, products) / 5 + arithmetic;
}

std::string Prediction::formula() const { return std::string(multiplies(*this) ? kOfProducts : kOfOthers); }

std::string Prediction::limitedBy(const Work &work, const Machine &machine, const std::map<std::string, int64_t> &sizes) const {
  auto at = [&](const Amount &amount) { return amount.at(sizes).value_or(0); };
  const double most = std::max({at(memory), at(products), at(arithmetic), at(launch)});
  if (most == at(launch)) return "launch";
  if (most == at(memory)) return "memory";
  if (most == at(arithmetic)) return "arithmetic";
  constexpr double kIdle = 0.8;  // of the rounds, what groups would fill
  return at(work.groups) / static_cast<double>(machine.processors) < kIdle * at(rounds) ? "waves" : "products";
}

}  // namespace tessera
