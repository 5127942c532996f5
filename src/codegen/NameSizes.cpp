// Minima and maxima of sizes that an entry function asks for several times are computed once, under a name:
//
//   const int64_t part_count = tsr::min<int64_t>(4096, tsr::min<int64_t>(tsr::ceil_div(B, 16), ...));
#include "codegen/EntryPrinter.h"
#include "codegen/source/Writer.h"
#include "ir/common/Common.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {

namespace {

constexpr size_t kShort = 24;  // characters that are as well said again

/// The minima and maxima in dimensions, and how often each is said, what has a name already apart.
class Counts {
public:
  void add(const Dim &dim) {
    for (const Dim::Term &term : dim.terms())
      for (const auto &[atom, power] : term.atoms) add(atom, power);
  }
  void add(const Atom &atom, int times = 1) {
    if (atom.kind == AtomKind::Var) return;
    const bool isOneOrMore = atom.kind == AtomKind::Max && (*atom.left == Dim(1) || *atom.right == Dim(1));  // of what has a name
    if ((atom.kind == AtomKind::Min || atom.kind == AtomKind::Max) && !isOneOrMore) {
      const std::string text = atom.str();
      if (named_.count(text)) return;
      counts_[text] += times;
      if (atoms_.emplace(text, atom).second) seen_.push_back(text);
    }
    inside(atom);
  }
  /// The longest that is said twice or more; null if there is none.
  const Atom *longest() const {
    const Atom *found = nullptr;
    size_t most = kShort;
    for (const auto &[text, count] : counts_)
      if (count > 1 && text.size() > most) found = &atoms_.at(text), most = text.size();
    return found;
  }
  void name(const Atom &atom) { named_.insert(atom.str()); }
  /// To count again: what is said in those that have a name is said once.
  void restart() {
    counts_.clear();
    for (const std::string &text : named_) inside(atoms_.at(text));
  }
  /// The texts of those that got names, as they come in the program, but for one that is part of others: it comes before them.
  std::vector<std::string> chosen() const {
    std::vector<std::string> ordered;
    const std::function<void(const std::string &)> add = [&](const std::string &text) {
      if (!named_.count(text) || llvm::is_contained(ordered, text)) return;
      for (const std::string &part : named_)
        if (part != text && text.find(part) != std::string::npos) add(part);
      ordered.push_back(text);
    };
    for (const std::string &text : seen_) add(text);
    return ordered;
  }

private:
  void inside(const Atom &atom) { add(*atom.left), add(*atom.right); }
  std::map<std::string, int> counts_;
  std::map<std::string, Atom> atoms_;
  std::set<std::string> named_;
  std::vector<std::string> seen_;
};

/// Every dimension in an attribute; other texts in it are names.
template <class F> void forEachDim(Attribute attribute, F f) {
  if (!attribute) return;
  attribute.walk([&](Attribute part) {
    if (auto text = dyn_cast<StringAttr>(part))
      if (std::optional<Dim> dim = Dim::parse(text.getValue().str())) f(*dim);
    if (auto argument = dyn_cast<target::ArgumentAttr>(part))
      if (argument.getKind() == "dim") f(parseDim(argument.getText().str()));
    if (auto asked = dyn_cast<ir::RequirementAttr>(part)) f(asked.getLeft().getDim()), f(asked.getRight().getDim());
  });
}

/// Those that the text of a launch says. `countsGroups`: also of how many groups it is.
template <class F> void forEachDim(target::LaunchOp launch, target::KernelOp kernel, bool countsGroups, F f) {
  for (StringRef name : {"arguments", "variants", "capacities"}) forEachDim(launch->getAttr(name), f);
  if (countsGroups && !launch->hasAttr("variants")) forEachDim(launch.getGridAttr(), f);
  auto shapes = launch->getAttrOfType<ArrayAttr>("shapes");
  for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments()))
    if (shapes && isa<target::ViewType, target::TiledViewType>(argument.getType())) forEachDim(shapes[i], f);
}

}  // namespace

/// What the parameter is called that a kernel has for the size: "parts", whose number it is.
static std::string nameFor(const std::string &text, const EntryFacts &facts, llvm::function_ref<target::KernelOp(target::LaunchOp)> kernelOf) {
  for (target::LaunchOp launch : facts.launches)
    for (auto [argument, parameter] :
         llvm::zip(launch.getArguments().getAsRange<target::ArgumentAttr>(), kernelOf(launch).getParamNames().getAsRange<StringAttr>()))
      if (argument.getKind() == "dim" && parseDim(argument.getText().str()).str() == text)
        return llvm::StringSwitch<std::string>(parameter.getValue())
            .Cases("Parts", "parts", "turns", "part_count")
            .Case("length", "part_length")
            .Case("count", "element_count")
            .Default(parameter.getValue().str());
  return "size";
}

void EntryPrinter::sizes() {
  Counts counts;
  const auto isOfEntry = [&](const Dim &dim) {  // no counter of a loop
    std::set<std::string> names;
    dim.collectVars(names);
    return llvm::all_of(names, [&](const std::string &name) { return dimNames_.count(name) || facts_.parameter(name); });
  };
  const auto add = [&](const Dim &dim) {
    if (isOfEntry(dim)) counts.add(dim);
  };
  for (bool again = true; again;) {
    counts.restart();
    for (target::TemporaryOp temporary : facts_.temporaries) {
      if (starts_) break;  // they are its parameters
      Dim count(1);
      for (auto extent : temporary.getShape().getAsRange<StringAttr>()) count = count * parseDim(extent.getValue().str());
      add(count);
      if (whenOf(temporary)) whenOf(temporary).walk([&](ir::RequirementAttr asked) { add(asked.getLeft().getDim()), add(asked.getRight().getDim()); });
    }
    for (Operation *step : facts_.steps)
      if (auto exchange = dyn_cast<target::ExchangeOp>(step)) add(parseDim(exchange.getCount().str()));
    for (target::LaunchOp launch : facts_.launches) {
      DictionaryAttr started = startedOf(launch);
      if (!starts_ && !started && launch->hasAttr("started")) continue;  // by the function that starts another
      forEachDim(whenOf(launch), add);
      if (!starts_ && started) forEachDim(started.get("dims"), add);
      else forEachDim(launch, kernelOf(launch), /*countsGroups=*/language_.gpu, add);
    }
    const Atom *longest = counts.longest();
    again = longest != nullptr;
    if (longest) counts.name(*longest);
  }
  for (const std::string &text : counts.chosen()) {
    const std::string name = names_.fresh(nameFor(text, facts_, [&](target::LaunchOp launch) { return kernelOf(launch); }));
    writer_.statement(Doc("const int64_t " + name + " = ") + Doc::nest(4, dims_(text).doc) + ";");
    dims_.computed(text, name);
  }
}

}  // namespace tessera::codegen
