#include "support/Machine.h"
#include "support/Check.h"
#include "support/Nearest.h"
#include <algorithm>
#include <cctype>

namespace tessera {

/// The rows of Machines.def, each with what it has from the row that it continues.
class MachineTable {
public:
  MachineTable() {
    using enum DType;
    constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiga = 1'000'000'000, kTera = 1000 * kGiga;
    constexpr int64_t kUnlimited = Machine::kUnlimited;
#define TSR_MACHINE(name, base) begin(name, base);
#define TSR_FACT(field, value) rows_.back().field = value;
#define TSR_MATRIX(name, m, n, k, a, b, acc) rows_.back().matrix_.push_back({name, m, n, k, a, b, acc});
#define TSR_RATE(dtype, perSecond) rows_.back().rates_.emplace_back(dtype, perSecond);
#include "support/Machines.def"
    std::erase_if(rows_, [](const Machine &row) { return row.product.empty(); });
  }
  std::span<const Machine> rows() const { return rows_; }

private:
  void begin(std::string_view name, std::string_view base) {
    Machine row;
    for (const Machine &earlier : rows_)
      if (earlier.name == base) row = earlier;
    TSR_CHECK(base.empty() || !row.name.empty(), "a machine continues one that is not above it: " + std::string(name));
    row.name = name;
    row.compilerName = name;
    rows_.push_back(row);
  }
  std::vector<Machine> rows_;
};

namespace {

struct Called {
  std::string_view word, target;
};
const Called kCalled[] = {
#define TSR_CALLED(word, target) {word, target},
#include "support/Machines.def"
};

/// Small letters and digits alone: "A100-SXM" and "a100 sxm" are one word.
std::string plain(std::string_view text) {
  std::string out;
  for (char c : text)
    if (std::isalnum(static_cast<unsigned char>(c))) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string digits(std::string_view text) {
  std::string out;
  for (char c : text)
    if (std::isdigit(static_cast<unsigned char>(c))) out += c;
  return out;
}

bool startsWith(std::string_view text, std::string_view beginning) { return text.substr(0, beginning.size()) == beginning; }

/// What is left of `word` behind the name of its family, if it begins with one: "cuda80" -> "80".
std::string_view withoutFamily(std::string_view word, std::string_view &family) {
  for (Target each : {Target::Cuda, Target::Hip, Target::Cpu}) {
    std::string_view name = familyName(each);
    if (!startsWith(word, name) || word.size() == name.size()) continue;
    family = name;
    return word.substr(name.size());
  }
  return word;
}

/// The product that the word begins with; of several the longest ("l40s": l40, not l4).
std::string_view byProduct(std::string_view word) {
  const Called *best = nullptr;
  for (const Called &each : kCalled)
    if (startsWith(word, each.word) && (!best || each.word.size() > best->word.size())) best = &each;
  return best ? best->target : std::string_view();
}

}  // namespace

int64_t Machine::productsPerSecond(DType operand) const {
  for (auto rate = rates_.rbegin(); rate != rates_.rend(); ++rate)
    if (rate->first == operand) return rate->second;
  return 0;
}

std::string Machine::target() const {
  std::string_view familyText = familyName(family);
  if (name == familyText) return std::string(name);
  std::string_view own = name;
  if (startsWith(own, std::string(familyText) + "-")) own.remove_prefix(familyText.size() + 1);
  return std::string(familyText) + ":" + std::string(own);
}

std::span<const Machine> machines() {
  static const MachineTable table;
  return table.rows();
}

const Machine *machineByName(std::string_view name) {
  for (const Machine &machine : machines())
    if (machine.name == name) return &machine;
  return nullptr;
}

std::vector<std::string_view> machineNames() {
  std::vector<std::string_view> names;
  for (const Machine &machine : machines()) names.push_back(machine.name);
  return names;
}

std::string_view familyName(Target family) {
  switch (family) {
  case Target::Cuda: return "cuda";
  case Target::Hip: return "hip";
  case Target::Cpu: break;
  }
  return "cpu";
}

const Machine &defaultMachine(Target family) {
  std::string_view name = family == Target::Cuda ? "sm_80" : family == Target::Hip ? "gfx90a" : "cpu";
  const Machine *machine = machineByName(name);
  TSR_CHECK(machine, "a family without its machine: " + std::string(name));
  return *machine;
}

std::string nearestTarget(std::string_view text) {
  std::string word = plain(text);
  std::string_view family;
  std::string own(withoutFamily(word, family));
  std::vector<std::string> spelled;  // all that can be meant, as plain words and as targets, by turns
  for (const Machine &machine : machines()) {
    std::string target = machine.target();
    if (plain(machine.name) == own || plain(target) == word || plain(target.substr(target.find(':') + 1)) == own) return target;
    spelled.insert(spelled.end(), {plain(machine.name), target});
  }
  if (std::string_view product = byProduct(own); !product.empty()) return std::string(product);
  // "cuda_80", "sm80", "compute_80", "8.0": the number alone tells which one.
  std::string number = digits(own), before(own.substr(0, std::min(own.size(), own.find_first_of("0123456789"))));
  if (number.size() > 1 && (before.empty() || before == "sm" || before == "cc" || before == "compute"))
    if (const Machine *machine = machineByName("sm_" + number)) return machine->target();
  if (family.empty()) family = before == "sm" ? "cuda" : before == "gfx" ? "hip" : "";
  if (!family.empty()) word = std::string(family) + own;
  for (const Machine &machine : machines())
    if (!family.empty() && family == familyName(machine.family)) spelled.insert(spelled.end(), {std::string(family) + plain(machine.name), machine.target()});
  for (Target each : {Target::Cuda, Target::Hip, Target::Cpu})
    spelled.insert(spelled.end(), {std::string(familyName(each)), std::string(familyName(each))});
  for (const Called &each : kCalled) spelled.insert(spelled.end(), {std::string(each.word), std::string(each.target)});
  std::vector<std::string_view> words;
  for (size_t i = 0; i < spelled.size(); i += 2) words.push_back(spelled[i]);
  std::string_view near = nearestName(word, words);
  if (near.empty() && own != word) near = nearestName(own, words);
  for (size_t i = 0; i < spelled.size() && !near.empty(); i += 2)
    if (spelled[i] == near) return spelled[i + 1];
  return {};
}

bool isEmulated(DType dtype, Target family) {
  if (dtype == DType::Complex64) return false;  // a pair of floats, everywhere
  bool vendors = family == Target::Cuda && (dtype == DType::BF16 || dtype == DType::F16);
  return !vendors && startsWith(spelling(dtype, family), "tsr::");
}

}  // namespace tessera
