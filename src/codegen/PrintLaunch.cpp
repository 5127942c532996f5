// Launches in the text of entry functions, and the functions that those share.
#include "codegen/EntryPrinter.h"
#include "codegen/Printers.h"
#include "ir/common/KernelNotes.h"
#include "ir/common/Relations.h"
#include "support/Check.h"

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {

std::string kernelText(target::LaunchOp launch) {
  auto form = launch->getAttrOfType<DictionaryAttr>(ir::kForm);
  return launch.getKernel().str() + (form ? "<" + form.getAs<StringAttr>("arguments").str() + ">" : "");
}

/// The conditions of a launch from the `first` on; those before it.
static ArrayAttr conditionsFrom(ArrayAttr when, size_t first) {
  return when && when.size() > first ? ArrayAttr::get(when.getContext(), when.getValue().drop_front(first)) : ArrayAttr();
}
static ArrayAttr conditionsBefore(ArrayAttr when, size_t first) {
  return when && first > 0 ? ArrayAttr::get(when.getContext(), when.getValue().take_front(first)) : ArrayAttr();
}

void EntryPrinter::launches() {
  for (size_t i = 0; i < facts_.steps.size(); ++i) {
    if (isa<target::ExchangeOp>(facts_.steps[i])) {
      under(whenOf(facts_.steps[i]));
      i += exchanges(i) - 1;
      continue;
    }
    auto op = cast<target::LaunchOp>(facts_.steps[i]);
    if (auto started = startedOf(op)) {
      under(conditionsBefore(whenOf(op), static_cast<size_t>(started.getAs<IntegerAttr>("conditions").getInt())));
      start(op, started);
    } else if (!op->hasAttr("started")) {
      under(whenOf(op));
      launch(op);
    }
  }
  under({});
}

std::string EntryPrinter::pointerTo(llvm::StringRef tensor, bool readOnly) {
  const ParameterFacts *parameter = facts_.parameter(tensor);
  if (!parameter) return temporaryNames_[tensor.str()];
  return call_ + ".data<" + (readOnly ? "const " : "") + spell_.type(parameter->dtype) + ">(" + parameter->symbol + ")";
}

/// `tsr::all_reduce(call, "dp", slopes, slopes, D * F);`
void EntryPrinter::exchange(target::ExchangeOp op) {
  writer_.statement(Doc("tsr::" + op.getKind().str() + "(") +
                    Doc::nest(4, commaSeparated({call_, quoted(op.getOver()), pointerTo(op.getSource(), true), pointerTo(op.getTarget(), false), dims_(op.getCount().str()).doc})) + ");");
}

/// A sum of 16 bits, which more than two devices add up in several steps: it cannot be collected.
bool EntryPrinter::addsInSteps(target::ExchangeOp op) {
  Type dtype = facts_.dtypeOf(op.getSource());
  return op.getKind() != "all_gather" && (dtype.isBF16() || dtype.isF16());
}

/// Those from the `first` on that stand together; gives how many they are.
size_t EntryPrinter::exchanges(size_t first) {
  std::vector<target::ExchangeOp> all;
  std::set<llvm::StringRef> axes, written;
  for (size_t i = first; i < facts_.steps.size(); ++i) {
    auto next = dyn_cast<target::ExchangeOp>(facts_.steps[i]);
    // What one of them leaves, the next may read: that waits.
    if (!next || whenOf(next) != whenOf(facts_.steps[first]) || written.count(next.getSource())) break;
    if (!all.empty() && (addsInSteps(next) || addsInSteps(all.back()))) break;
    all.push_back(next);
    axes.insert(next.getOver());
    written.insert(next.getTarget());
  }
  if (all.size() > 1) {
    std::vector<Doc> names;
    for (llvm::StringRef axis : axes) names.push_back(quoted(axis));
    writer_.line("{");
    writer_.indent();
    writer_.statement(Doc("const tsr::Together " + together_ + "(" + call_ + ", {") + commaSeparated(names) + "});");
  }
  for (target::ExchangeOp one : all) exchange(one);
  if (all.size() > 1) {
    writer_.dedent();
    writer_.line("}");
  }
  stopIfFailed();
  return all.size();
}

/// The places of the numbers that a launch passes: of one launch alone, the function takes them.
static std::vector<size_t> numbersOf(target::LaunchOp launch, DictionaryAttr started) {
  std::vector<size_t> places;
  if (started.getAs<IntegerAttr>("launches").getInt() != 1) return places;
  for (auto [i, argument] : llvm::enumerate(launch.getArguments().getAsRange<target::ArgumentAttr>()))
    if (argument.getKind() == "dim" && parseDim(argument.getText().str()).isConstant()) places.push_back(i);
  return places;
}

void EntryPrinter::start(target::LaunchOp op, DictionaryAttr started) {
  std::vector<Doc> arguments = {call_};
  for (auto operand : started.getAs<ArrayAttr>("operands").getAsRange<StringAttr>()) {
    const ParameterFacts *parameter = facts_.parameter(operand.getValue());
    arguments.push_back(parameter ? parameter->symbol : temporaryNames_[operand.getValue().str()]);
  }
  for (auto dim : started.getAs<ArrayAttr>("dims").getAsRange<StringAttr>()) arguments.push_back(dims_(dim.getValue().str()).doc);
  for (size_t i : numbersOf(op, started)) arguments.push_back(cast<target::ArgumentAttr>(op.getArguments()[i]).getText().str());
  writer_.statement(Doc(started.getAs<StringAttr>("by").getValue().str() + "(") + Doc::nest(4, commaSeparated(arguments)) + ");");
}

/// What a kernel does with what a launch passes to it: only reads it.
static bool isOnlyRead(Type kernelType) {
  if (auto tiled = dyn_cast<target::TiledViewType>(kernelType)) return tiled.getReadOnly();
  if (auto pointer = dyn_cast<target::PointerType>(kernelType)) return pointer.getReadOnly();
  return cast<target::ViewType>(kernelType).getReadOnly();
}

void EntryPrinter::printStarter(DictionaryAttr started, StarterForm form) {
  starts_ = true;
  std::string name = started.getAs<StringAttr>("by").getValue().str();
  chooseNames();
  std::set<std::string> written;
  for (target::LaunchOp launch : facts_.launches)
    for (auto [i, argument] : llvm::enumerate(launch.getArguments().getAsRange<target::ArgumentAttr>()))
      if (argument.getKind() == "tensor" && !isOnlyRead(kernelOf(launch).getBody().getArgument(i).getType())) written.insert(argument.getText().str());
  // On the CPU only the tensors of callers ask it for anything.
  const bool asks = language_.gpu || llvm::any_of(facts_.parameters, [](const ParameterFacts &parameter) { return !parameter.scalar(); });
  std::vector<Doc> parameters = {asks ? "tsr::Call &" + call_ : "tsr::Call & /*" + call_ + "*/"};
  for (auto [operand, wanted] : llvm::zip(started.getAs<ArrayAttr>("operands").getAsRange<StringAttr>(),
                                          started.getAs<ArrayAttr>("names").getAsRange<StringAttr>())) {
    std::string text = operand.getValue().str();
    const std::string marks = written.count(text) ? "" : "const ";
    if (const ParameterFacts *parameter = facts_.parameter(text))
      parameters.push_back(parameter->scalar() ? spell_.abiScalar(parameter->dtype) + " " + parameter->symbol
                                               : marks + "TessTensor *" + parameter->symbol);
    else
      parameters.push_back(marks + spell_.type(facts_.dtypeOf(text)) + " *" +
                           temporaryNames_[text]);
  }
  for (const std::string &dim : facts_.dims) parameters.push_back("int64_t " + dimNames_[dim]);
  target::LaunchOp first = facts_.launches.front();
  for (size_t i : numbersOf(first, started)) {
    numbers_[i] = names_.fresh(cast<StringAttr>(kernelOf(first).getParamNames()[i]).getValue());
    parameters.push_back("int64_t " + numbers_[i]);
  }
  const Doc signature = Doc((form == StarterForm::Static ? "static void " : "void ") + name + "(") + Doc::nest(4, commaSeparated(parameters)) + ")";
  if (form == StarterForm::Declaration) return writer_.statement(signature + ";");
  writer_.blank();
  writer_.beginFunction();
  std::string kernels;
  for (target::LaunchOp launch : facts_.launches) kernels += (kernels.empty() ? "" : ", ") + kernelText(launch);
  writer_.comment("Starts " + kernels + (facts_.launches.size() > 1 ? ": that for these sizes." : "."));
  writer_.statement(signature + " {");
  writer_.indent();
  constants(true);
  sizes();
  const auto before = static_cast<size_t>(started.getAs<IntegerAttr>("conditions").getInt());
  for (target::LaunchOp op : facts_.launches) {
    under(conditionsFrom(whenOf(op), before));
    launch(op);
  }
  under({});
  writer_.dedent();
  writer_.line("}");
  writer_.endFunction();
}

/// The facts of an entry function, as the function for some launches of it has them: other names, and only what it needs.
static EntryFacts factsOfStarter(const EntryFacts &entry, size_t first, DictionaryAttr started) {
  EntryFacts facts = entry;
  facts.symbol = started.getAs<StringAttr>("by").getValue().str();
  facts.parameters.clear(), facts.temporaries.clear(), facts.tables.clear(), facts.dims.clear(), facts.constants.clear();
  Names names;
  for (auto [operand, name] : llvm::zip(started.getAs<ArrayAttr>("operands").getAsRange<StringAttr>(),
                                        started.getAs<ArrayAttr>("names").getAsRange<StringAttr>())) {
    std::string symbol = names.fresh(name.getValue());
    if (const ParameterFacts *parameter = entry.parameter(operand.getValue())) {
      facts.parameters.push_back(*parameter);
      facts.parameters.back().symbol = symbol;
    } else if (auto temporary = entry.temporary(operand.getValue())) {
      facts.temporaries.push_back(temporary);
    } else {
      facts.tables.push_back(entry.table(operand.getValue()));
    }
    facts.operandNames.emplace(operand.getValue().str(), symbol);
  }
  for (auto dim : started.getAs<ArrayAttr>("dims").getAsRange<StringAttr>()) facts.dims.push_back(dim.getValue().str());
  for (target::ConstantOp constant : entry.constants)
    if (llvm::is_contained(started.getAs<ArrayAttr>("constants"), constant.getNameAttr())) facts.constants.push_back(constant);
  const auto count = static_cast<size_t>(started.getAs<IntegerAttr>("launches").getInt());
  facts.steps.clear();
  facts.launches.assign(entry.launches.begin() + static_cast<std::ptrdiff_t>(first), entry.launches.begin() + static_cast<std::ptrdiff_t>(first + count));
  return facts;
}

std::string Starter::name() const { return EntryPrinter::startedOf(entry->launches[first]).getAs<StringAttr>("by").getValue().str(); }

std::vector<std::string> Starter::kernels() const {
  const auto count = static_cast<size_t>(EntryPrinter::startedOf(entry->launches[first]).getAs<IntegerAttr>("launches").getInt());
  std::vector<std::string> names;
  for (size_t i = first; i < first + count; ++i) names.push_back(target::LaunchOp(entry->launches[i]).getKernel().str());
  return names;
}

std::vector<Starter> startersOf(const EntryFacts &entry) {
  std::vector<Starter> starters;
  std::set<std::string> known;
  for (size_t i = 0; i < entry.launches.size(); ++i)
    if (EntryPrinter::startedOf(entry.launches[i]) && known.insert(Starter{&entry, i}.name()).second) starters.push_back({&entry, i});
  return starters;
}

std::vector<Starter> startersOf(const std::vector<EntryFacts> &entries) {
  std::vector<Starter> starters;
  std::set<std::string> known;
  for (const EntryFacts &entry : entries)
    for (const Starter &starter : startersOf(entry))
      if (known.insert(starter.name()).second) starters.push_back(starter);
  return starters;
}

void printStarter(const Starter &starter, StarterForm form, const Language &language, Writer &writer) {
  auto started = EntryPrinter::startedOf(starter.entry->launches[starter.first]);
  EntryFacts facts = factsOfStarter(*starter.entry, starter.first, started);
  EntryPrinter(facts, language, writer).printStarter(started, form);
}

target::KernelOp EntryPrinter::kernelOf(target::LaunchOp launch) {
  auto module = launch->getParentOfType<ModuleOp>();
  auto kernel = module.lookupSymbol<target::KernelOp>(launch.getKernel());
  TSR_CHECK(kernel, "a launch of a kernel that is not there: " + launch.getKernel().str());
  return kernel;
}

/// Whether a kernel writes it by the copy engine; what it reads that way, it does not write.
static bool isStoredInTiles(BlockArgument passed) {
  return llvm::any_of(passed.getUsers(), [](Operation *user) {
    auto call = dyn_cast<target::CallOp>(user);
    return call && call.getCallee() == "tsr::store_tile";
  });
}

/// `shape`: under which the kernel sees a tensor; null: that of its memory. `places`: where a part of it begins, and its strides.
/// `windows`: the lists of numbers of a window through which it is read.
/// `rows`: of the tiles in which a form of the kernel reads it; 0: as the kernel's type says.
Doc EntryPrinter::argument(target::ArgumentAttr argument, BlockArgument passed, ArrayAttr shape, ArrayAttr places, ArrayAttr windows, int64_t rows) {
  Type kernelType = passed.getType();
  const bool stored = isStoredInTiles(passed);
  std::string name = argument.getText().str();
  if (argument.getKind() == "dim") return dims_(name).doc;
  if (argument.getKind() == "scalar") {
    const ParameterFacts *parameter = facts_.parameter(name);
    TSR_CHECK(parameter, "a launch passes a scalar that is not there: " + name);
    std::string wanted = spell_.type(kernelType);
    return wanted == spell_.abiScalar(parameter->dtype)
               ? Doc(parameter->symbol)
               : Doc("tsr::to<" + wanted + ">(" + parameter->symbol + ")");
  }
  const ParameterFacts *parameter = facts_.parameter(name);
  std::string pointer, extents;
  auto addExtents = [&](auto &&shape) {
    for (const std::string &extent : shape) extents += (extents.empty() ? "" : ", ") + dim(extent);
  };
  bool readOnly = false;
  auto tiled = dyn_cast<target::TiledViewType>(kernelType);
  if (tiled) kernelType = target::ViewType::get(kernelType.getContext(), tiled.getRank(), tiled.getElement(), tiled.getReadOnly(), tiled.getStrided(), tiled.getWindows());
  if (auto type = dyn_cast<target::PointerType>(kernelType)) readOnly = type.getReadOnly();
  else readOnly = cast<target::ViewType>(kernelType).getReadOnly();
  if (parameter) {
    if (!shape) addExtents(parameter->shape);
  } else {
    target::TemporaryOp temporary = facts_.temporary(name);
    target::TableOp table = facts_.table(name);
    TSR_CHECK(temporary || table, "a launch passes a tensor that is not there: " + name);
    if (!shape) shape = temporary ? temporary.getShape() : table.getShape();
  }
  pointer = pointerTo(name, readOnly);
  if (shape) {
    std::vector<std::string> texts;
    for (auto extent : shape.getAsRange<StringAttr>()) texts.push_back(extent.getValue().str());
    addExtents(texts);
  }
  if (isa<target::PointerType>(kernelType)) return pointer;
  std::string strides;
  for (auto [i, place] : llvm::enumerate(places ? places.getValue() : ArrayRef<Attribute>())) {
    std::string text = dim(cast<StringAttr>(place).getValue().str());
    if (i > 0) strides += (strides.empty() ? ", {" : ", ") + text;
    else if (text != "0") pointer += " + " + text;
  }
  if (places) strides += "}";
  std::vector<std::string> numbers;
  for (auto list : windows ? windows.getAsRange<ArrayAttr>() : ArrayAttr::get(argument.getContext(), {}).getAsRange<ArrayAttr>()) {
    std::string text;
    for (auto number : list.getAsRange<StringAttr>()) text += (text.empty() ? "" : ", ") + dim(number.getValue().str());
    numbers.push_back("{" + text + "}");
  }
  std::string view = spell_.type(kernelType) + "{" + pointer + ", {" + extents + "}" + (windows ? ", " + numbers[0] : "") + strides;
  for (size_t i = 1; i < numbers.size(); ++i) view += ", " + numbers[i];
  view += "}";
  if (!tiled) return Doc(view);
  std::vector<Doc> arguments{call_, view, std::to_string(rows ? rows : static_cast<int64_t>(tiled.getRows()))};
  if (tiled.getRowAxis() != tiled.getRank() - 2) arguments.push_back(std::to_string(tiled.getRowAxis()));
  return Doc(stored ? "tsr::tiled_result(" : "tsr::tiled(") + commaSeparated(arguments) + ")";
}

void EntryPrinter::launch(target::LaunchOp launch) {
  target::KernelOp kernel = kernelOf(launch);
  LaunchText text;
  Block &body = kernel.getBody().front();
  TSR_CHECK(body.getNumArguments() == launch.getArguments().size(),
            "a launch of " + kernel.getSymName().str() + " with another number of arguments");
  auto listed = [&](StringRef name, size_t i) {
    auto list = launch->getAttrOfType<ArrayAttr>(name);
    return list && i < list.size() ? dyn_cast<ArrayAttr>(list[i]) : ArrayAttr();
  };
  auto form = launch->getAttrOfType<DictionaryAttr>(ir::kForm);
  auto rowsOf = [&](size_t i) { return form ? form.getAs<DenseI64ArrayAttr>("rows").asArrayRef()[i] : 0; };
  std::vector<std::string> readTiles;
  std::vector<std::pair<std::string, Doc>> tiles;  // made before the launch, which is left out where one cannot be made
  for (auto [i, attr] : llvm::enumerate(launch.getArguments().getAsRange<target::ArgumentAttr>())) {
    if (auto number = numbers_.find(i); number != numbers_.end()) {
      text.arguments.push_back(number->second);
      continue;
    }
    Doc passed = argument(attr, body.getArgument(i), listed("shapes", i), listed("places", i), listed("windows", i), rowsOf(i));
    if (isa<target::TiledViewType>(body.getArgument(i).getType())) {
      std::string &name = tileNames_[cast<StringAttr>(kernel.getParamNames()[i]).getValue().str()];
      if (name.empty()) name = names_.fresh(cast<StringAttr>(kernel.getParamNames()[i]).getValue().str() + "_tiles");
      tiles.emplace_back(name, passed);
      if (!isStoredInTiles(body.getArgument(i))) readTiles.push_back(name);
      passed = name;
    }
    text.arguments.push_back(passed);
  }
  if (std::optional<int64_t> each = launch.getPersistent())
    text.groups = "tsr::resident_groups(" + groups_ + (*each > 1 ? ", " + std::to_string(*each) : "") + ")";
  text.clusters = launch.getClusters().has_value();
  text.kernel = kernelText(launch);
  text.hasArguments = form != nullptr;
  text.early = launch.getEarly();
  text.group = launch.getGroupName() ? launch.getGroupName()->str() : std::to_string(launch.getGroup());
  if (launch->hasAttr("variants")) return launchVariants(launch, std::move(text));
  bool gpu = language_.gpu, scope = gpu || hasCapacities(launch);
  if (!gpu && scope) {
    writer_.line("{");
    writer_.indent();
  }
  if (gpu) {
    TSR_CHECK(launch.getGrid(), "a launch without a grid");
    if (text.groups.empty()) text.groups = groups_;
    writer_.statement(Doc("if (const unsigned " + groups_ + " = " + call_ + ".groups(") +
                      Doc::nest(4, dims_(launch.getGrid()->str()).doc) + ")) {");
    writer_.indent();
  }
  for (const auto &[name, made] : tiles) writer_.statement(Doc("const auto " + name + " = ") + Doc::nest(4, made) + ";");
  if (text.clusters) {
    std::vector<Doc> arguments = {groups_};
    if (!launch.getClusters()->empty()) {
      arguments.push_back(dims_(launch.getClusters()->str()).doc);
      for (const std::string &name : readTiles) arguments.push_back(name);
    }
    writer_.statement(Doc("const tsr::Clusters " + clusters_ + " = tsr::resident_clusters(") + Doc::nest(4, commaSeparated(arguments)) + ");");
    text.groups = clusters_;
  }
  if (hasCapacities(launch) || launch.getAligned()) {
    launchWithCapacities(launch, text, kernel);
  } else {
    if (gpu && launch.getSharedBytes()) {
      text.sharedBytes = std::to_string(launch.getSharedBytes()->front());
      writer_.line(call_ + ".allow_shared(" + kernelText(launch) + ", " + text.sharedBytes + ");");
      stopIfFailed();
    }
    writer_.statement(Doc::nest(4, language_.launch(text, call_)));
  }
  if (scope) {
    writer_.dedent();
    writer_.line("}");
  }
}

/// `call.aligned(16, A, B) && K % 8 == 0`; "" where nothing has to be asked.
std::string EntryPrinter::alignmentTest(target::LaunchOp launch) {
  std::string test;
  for (auto tensor : launch.getAligned()->getAsRange<StringAttr>())
    test += ", " + facts_.parameter(tensor.getValue().str())->symbol;
  if (!test.empty()) test = call_ + ".aligned(16" + test + ")";
  for (auto rest : launch.getAlignedRows()->getAsRange<StringAttr>())
    test += (test.empty() ? "" : " && ") + plain(binaryExpr("==", dims_(rest.getValue().str()), {"0", Precedence::Primary}));
  return test;
}

/// The first variant whose conditions hold; the last has none.
void EntryPrinter::launchVariants(target::LaunchOp launch, LaunchText text) {
  auto variants = launch->getAttrOfType<ArrayAttr>("variants");
  std::string kernel = launch.getKernel().str();
  auto number = [](DictionaryAttr variant, llvm::StringRef name) { return variant.getAs<IntegerAttr>(name).getInt(); };
  bool packs = llvm::any_of(variants.getAsRange<DictionaryAttr>(), [&](DictionaryAttr v) { return number(v, "rows") != 1; });
  bool sizes = packs || llvm::any_of(variants.getAsRange<DictionaryAttr>(), [&](DictionaryAttr v) {
    return number(v, "threads") != static_cast<int64_t>(kernelOf(launch).getGroup());
  });
  bool shares = llvm::any_of(variants.getAsRange<DictionaryAttr>(), [](DictionaryAttr v) { return v.contains("shared"); });
  const bool inClusters = llvm::any_of(variants.getAsRange<DictionaryAttr>(), [](DictionaryAttr v) { return v.contains("cluster"); });
  text.kernel = kernelName_;
  text.groups = inClusters ? "tsr::Clusters{" + groups_ + ", " + cluster_ + "}" : groups_;
  text.clusters = inClusters;
  if (sizes) text.group = block_;
  if (shares) text.sharedBytes = sharedBytes_;
  const bool scope = !starts_ || facts_.launches.size() > 1;  // a function has one already
  if (scope) {
    writer_.line("{");
    writer_.indent();
  }
  std::vector<Doc> parameters = {"auto *" + kernelName_, "int64_t " + count_};
  if (sizes) parameters.push_back((packs ? "dim3 " : "int ") + block_);
  if (shares) parameters.push_back("int64_t " + sharedBytes_);
  if (inClusters) parameters.push_back("unsigned " + cluster_ + " = 1");
  writer_.statement(Doc("const auto " + start_ + " = [&](") + Doc::align(commaSeparated(parameters)) + ") {");
  writer_.indent();
  if (shares) writer_.line(call_ + ".allow_shared(" + kernelName_ + ", " + sharedBytes_ + ");");
  writer_.line("if (const unsigned " + groups_ + " = " + call_ + ".groups(" + count_ + "))");
  writer_.indent();
  writer_.statement(Doc::nest(4, language_.launch(text, call_)));
  writer_.dedent();
  writer_.dedent();
  writer_.line("};");
  for (auto [i, variant] : llvm::enumerate(variants.getAsRange<DictionaryAttr>())) {
    std::vector<Expr> conditions;
    if (auto aligned = variant.getAs<ArrayAttr>("aligned")) {
      std::string names;
      for (auto name : aligned.getAsRange<StringAttr>()) names += ", " + facts_.parameter(name.getValue().str())->symbol;
      conditions.push_back({Doc(call_ + ".aligned(16" + names + ")"), Precedence::Primary});
    }
    if (auto when = variant.getAs<ArrayAttr>("when"))
      for (Attribute asked : when) conditions.push_back(condition(asked));
    std::optional<Expr> all;
    for (const Expr &one : conditions) all = all ? binaryExpr("&&", *all, one) : one;
    std::string block;
    int64_t threads = number(variant, "threads"), rows = number(variant, "rows");
    if (packs) block = rows == 1 ? ", " + std::to_string(threads) : ", dim3(" + std::to_string(threads) + ", " + std::to_string(rows) + ")";
    else if (sizes) block = ", " + std::to_string(threads);
    auto shared = variant.getAs<StringAttr>("shared");
    Doc bytes = shared ? Doc(", ") + dims_(shared.getValue().str()).doc : Doc(shares ? ", 0" : "");
    Doc grid = dims_(variant.getAs<StringAttr>("grid").getValue().str()).doc;
    if (variant.contains("in_turn")) grid = Doc(call_ + ".at_once(") + grid + Doc(")");
    Doc call = Doc(start_ + "(" + kernel + "<" + variant.getAs<StringAttr>("arguments").getValue().str() + ">, ") +
               grid + Doc(block) + bytes + Doc(variant.contains("cluster") ? ", " + std::to_string(number(variant, "cluster")) + ");" : ");");
    bool isLast = i + 1 == variants.size();
    if (all && !isLast) writer_.statement(Doc(i ? "else if (" : "if (") + Doc::nest(4, all->doc) + ")");
    else if (i) writer_.line("else");
    if (i || all) writer_.indent();
    writer_.statement(call);
    if (i || all) writer_.dedent();
    if (!all) break;  // those that follow are never taken
  }
  if (!scope) return;
  writer_.dedent();
  writer_.line("}");
}

/// One branch for each combination of capacities, the least that hold the dimensions.
void EntryPrinter::launchWithCapacities(target::LaunchOp launch, LaunchText text, target::KernelOp kernel) {
  const std::string &start = start_, &chosen = kernelName_, &bytes = sharedBytes_;
  bool shared = language_.gpu && launch.getSharedBytes();
  text.kernel = chosen;
  text.sharedBytes = shared ? bytes : "0";
  std::string test = launch.getAligned() ? alignmentTest(launch) : "", aligned = rowsAligned_;
  if (!test.empty()) writer_.statement(Doc("const bool " + aligned + " = ") + Doc::nest(4, test) + ";");
  writer_.line("const auto " + start + " = [&](auto *" + chosen + (shared ? ", int " + bytes : "") + ") {");
  writer_.indent();
  if (shared) {
    writer_.line(call_ + ".allow_shared(" + chosen + ", " + bytes + ");");
    writer_.line("if (" + call_ + ".failed()) return;");
  }
  writer_.statement(Doc::nest(4, language_.launch(text, call_)));
  writer_.dedent();
  writer_.line("};");
  std::vector<target::CapacityAttr> capacities;
  if (hasCapacities(launch))
    for (auto capacity : launch.getCapacitiesAttr().getAsRange<target::CapacityAttr>()) capacities.push_back(capacity);
  std::vector<size_t> at(capacities.size(), 0);
  for (size_t index = 0;; ++index) {
    std::string condition, arguments;
    for (size_t i = 0; i < capacities.size(); ++i) {
      int64_t value = capacities[i].getValues()[static_cast<int64_t>(at[i])];
      arguments += (i ? ", " : "") + std::to_string(value);
      if (at[i] + 1 == static_cast<size_t>(capacities[i].getValues().size()))
        continue;  // checked before: it fits
      Expr test =
          binaryExpr("<=", dims_(capacities[i].getDim().str()), {std::to_string(value), Precedence::Primary});
      condition += (condition.empty() ? "" : " && ") + plain(test);
    }
    auto instance = [&](const std::string &last) {
      return kernel.getSymName().str() + "<" + arguments + (arguments.empty() || last.empty() ? "" : ", ") + last + ">";
    };
    std::string which = !launch.getAligned() ? instance("")
                        : test.empty()       ? instance("16")
                                             : aligned + " ? " + instance("16") + " : " + instance("1");
    std::string call = start + "(" + which;
    if (shared) call += ", " + std::to_string((*launch.getSharedBytes())[index]);
    std::string lead = index ? "else " : "";
    writer_.line(lead + (condition.empty() ? "" : "if (" + condition + ") ") + call + ");");
    size_t axis = capacities.size();
    while (axis > 0 && ++at[axis - 1] == static_cast<size_t>(capacities[axis - 1].getValues().size()))
      at[--axis] = 0;
    if (axis == 0) break;
  }
  if (shared && !starts_) stopIfFailed();
}

}  // namespace tessera::codegen
