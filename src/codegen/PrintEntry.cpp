#include "codegen/DimText.h"
#include "codegen/FunctionPrinter.h"
#include "codegen/Printers.h"
#include "codegen/Types.h"
#include "codegen/source/Names.h"
#include "ir/common/Relations.h"
#include "support/Check.h"
#include <algorithm>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {
namespace {

constexpr size_t kManyLaunches = 100;  // that a compiler of C++ takes seconds to optimise, with the arguments of each

class EntryPrinter {
public:
  EntryPrinter(const EntryFacts &facts, const Language &language, Writer &writer)
      : facts_(facts), language_(language), spell_(language.target), writer_(writer) {}
  void print();

private:
  void chooseNames();
  void checks();
  void check(const ParameterFacts &parameter);
  void requirements();
  void specials();
  void temporaries();
  void tables();
  Expr condition(Attribute when, bool holds = true);
  Expr conditions(ArrayAttr when);
  void under(ArrayAttr when);
  void openLoop(ArrayAttr words);
  void endTurn(ArrayAttr words);
  /// The conditions before the first loop: what the entry function can ask before it launches anything.
  static ArrayAttr outside(ArrayAttr when);
  void launch(target::LaunchOp launch);
  void launchVariants(target::LaunchOp launch, LaunchText text);
  void launchWithCapacities(target::LaunchOp launch, LaunchText text, target::KernelOp kernel);
  Doc argument(target::ArgumentAttr argument, Type kernelType, ArrayAttr shape, ArrayAttr places, ArrayAttr windows);
  std::string dim(const std::string &text) { return plain(dims_(text)); }
  std::string plain(const Expr &expr) { return expr.doc.lines(0, 1 << 20).front(); }
  target::KernelOp kernelOf(target::LaunchOp launch);
  bool isUsed(const std::string &scalar);
  /// Whether C passes the number in a wider type than the one that is declared.
  bool isNarrow(const ParameterFacts &parameter) const {
    return parameter.scalar() && spell_.abiScalar(parameter.dtype) != spell_.type(parameter.dtype);
  }
  static bool hasCapacities(target::LaunchOp launch) {
    return launch.getCapacitiesAttr() && !launch.getCapacitiesAttr().empty();
  }
  std::string alignmentTest(target::LaunchOp launch);
  static ArrayAttr whenOf(Operation *op) { return op->getAttrOfType<ArrayAttr>("when"); }
  void stopIfDone() { writer_.line("if (" + call_ + ".done()) return " + call_ + ".status();"); }
  void stopIfFailed() { writer_.line("if (" + call_ + ".failed()) return " + call_ + ".status();"); }

  const EntryFacts &facts_;
  const Language &language_;
  Spelling spell_;
  Writer &writer_;
  Names names_;
  DimText dims_;
  std::string mapped_;  // whether a launch's tensors are aligned, as far as maps of them are to be made
  std::string call_, stream_, groups_, count_, block_, start_, kernelName_, sharedBytes_, rowsAligned_;
  std::map<std::string, std::string> dimNames_, temporaryNames_;
  std::set<std::string> declared_;  // integers of loops
  llvm::SmallVector<Attribute> open_;  // the conditions around the line that is written
};

/// "for", "while", "leave" or "read" of the words of a loop; "" of a condition.
static std::string_view loopWord(Attribute part) {
  auto words = dyn_cast<ArrayAttr>(part);
  if (!words) return "";
  std::string_view word = cast<StringAttr>(words[0]).getValue();
  return word == "for" || word == "while" || word == "leave" || word == "read" ? word : "";
}

/// Words that are a block of the emitted text, and not a line.
static bool isBlock(Attribute part) { return loopWord(part) != "leave" && loopWord(part) != "read"; }

/// The integers that the loops of a launch count.
static std::vector<std::string> countedAround(ArrayAttr when) {
  std::vector<std::string> names;
  for (Attribute part : when ? when.getValue() : llvm::ArrayRef<Attribute>()) {
    auto words = dyn_cast<ArrayAttr>(part);
    if (loopWord(part) == "read") names.push_back(cast<StringAttr>(words[3]).getValue().str());
    if (loopWord(part).empty() || !isBlock(part)) continue;
    if (loopWord(part) == "for") names.push_back(cast<StringAttr>(words[2]).getValue().str());
    for (Attribute integer : cast<ArrayAttr>(words[words.size() - 2]))
      names.push_back(cast<StringAttr>(cast<ArrayAttr>(integer)[0]).getValue().str());
  }
  return names;
}

/// A condition of `when`: a requirement, ["and", condition, condition], ["not", condition]. Or its contrary.
Expr EntryPrinter::condition(Attribute when, bool holds) {
  if (auto asked = dyn_cast<ir::RequirementAttr>(when)) {
    ir::Relation relation = holds ? asked.getRelation() : ir::contraryOf(asked.getRelation());
    return binaryExpr(ir::relationText(relation), dims_(asked.getLeft().getText().str()), dims_(asked.getRight().getText().str()));
  }
  auto parts = cast<ArrayAttr>(when);
  std::string_view word = cast<StringAttr>(parts[0]).getValue();
  if (word == "not") return condition(parts[1], !holds);
  Expr both = binaryExpr(word == "and" ? "&&" : "||", condition(parts[1]), condition(parts[2]));
  return holds ? both : unaryExpr("!", both);
}

ArrayAttr EntryPrinter::outside(ArrayAttr when) {
  if (!when) return when;
  auto before = when.getValue().take_while([](Attribute part) { return loopWord(part).empty(); });
  return before.empty() ? ArrayAttr() : ArrayAttr::get(when.getContext(), before);
}

Expr EntryPrinter::conditions(ArrayAttr when) {
  Expr all = condition(when[0]);
  for (Attribute next : when.getValue().drop_front()) all = binaryExpr("&&", all, condition(next));
  return all;
}

/// ["for", number, counter, start, stop, step, integers, swaps], ["while", number, condition, integers, swaps], the condition
/// only where sizes decide it, ["leave", number, memory], and in front of a loop ["read", number, memory, name].
void EntryPrinter::openLoop(ArrayAttr words) {
  auto text = [&](size_t i) { return cast<StringAttr>(words[i]).getValue().str(); };
  if (loopWord(words) == "leave") return writer_.line("if (!" + call_ + ".fetch(" + temporaryNames_[text(2)] + ")) break;");
  if (loopWord(words) == "read") return writer_.line("const int64_t " + dim(text(3)) + " = " + call_ + ".fetch(" + temporaryNames_[text(2)] + ");");
  for (Attribute integer : cast<ArrayAttr>(words[words.size() - 2])) {
    auto parts = cast<ArrayAttr>(integer);
    std::string name = cast<StringAttr>(parts[0]).getValue().str();
    writer_.statement(Doc((declared_.insert(name).second ? "int64_t " : "") + dim(name) + " = ") +
                      dims_(cast<StringAttr>(parts[1]).getValue().str()).doc + ";");
  }
  if (loopWord(words) == "for") {
    std::string counter = dim(text(2)), step = text(5);
    writer_.statement(Doc("for (int64_t " + counter + " = ") + dims_(text(3)).doc + "; " +
                      binaryExpr("<", {counter, Precedence::Primary}, dims_(text(4))).doc + "; " +
                      (step == "1" ? "++" + counter : counter + " += " + step) + ") {");
  } else if (words.size() == 5) {
    writer_.statement(Doc("while (") + Doc::nest(4, condition(words[2]).doc) + ") {");
  } else {
    writer_.line("while (true) {");
  }
}

/// What a turn has made becomes what the next one starts from.
void EntryPrinter::endTurn(ArrayAttr words) {
  for (Attribute swap : cast<ArrayAttr>(words[words.size() - 1])) {
    auto names = cast<ArrayAttr>(swap).getAsRange<StringAttr>();
    writer_.line("std::swap(" + temporaryNames_[(*names.begin()).getValue().str()] + ", " +
                 temporaryNames_[(*std::next(names.begin())).getValue().str()] + ");");
  }
  auto integers = cast<ArrayAttr>(words[words.size() - 2]);
  auto part = [](Attribute integer, size_t i) { return cast<StringAttr>(cast<ArrayAttr>(integer)[i]).getValue().str(); };
  if (integers.size() == 1) writer_.statement(Doc(dim(part(integers[0], 0)) + " = ") + dims_(part(integers[0], 2)).doc + ";");
  if (integers.size() < 2) return;
  // All of them at once: each may read the others.
  std::vector<Doc> left, right;
  for (Attribute integer : integers) left.push_back(dim(part(integer, 0))), right.push_back("int64_t(" + dim(part(integer, 2)) + ")");
  writer_.statement(Doc("std::tie(") + commaSeparated(left) + ") = std::make_tuple(" + Doc::nest(4, commaSeparated(right)) + ");");
}

/// Closes the conditions and loops that end before the next line, and opens those that begin.
void EntryPrinter::under(ArrayAttr when) {
  llvm::ArrayRef<Attribute> wanted = when ? when.getValue() : llvm::ArrayRef<Attribute>();
  size_t same = 0;
  while (same < open_.size() && same < wanted.size() && open_[same] == wanted[same]) ++same;
  auto isOther = [&](size_t i) {
    auto parts = dyn_cast<ArrayAttr>(wanted[i]);
    return parts && parts[0] == StringAttr::get(parts.getContext(), "not") && parts[1] == open_[i];
  };
  bool otherwise = same < open_.size() && same < wanted.size() && isOther(same);
  while (open_.size() > same) {
    Attribute ended = open_.pop_back_val();
    if (!isBlock(ended)) continue;
    if (!loopWord(ended).empty()) endTurn(cast<ArrayAttr>(ended));
    writer_.dedent();
    writer_.line(otherwise && open_.size() == same ? "} else {" : "}");
  }
  for (size_t i = same; i < wanted.size(); ++i) {
    open_.push_back(wanted[i]);
    if (!loopWord(wanted[i]).empty()) openLoop(cast<ArrayAttr>(wanted[i]));
    else if (i > same || !otherwise) writer_.statement(Doc("if (") + Doc::nest(4, condition(wanted[i]).doc) + ") {");
    if (isBlock(wanted[i])) writer_.indent();
  }
}

void EntryPrinter::chooseNames() {
  names_.take(facts_.symbol);
  for (const ParameterFacts &parameter : facts_.parameters) names_.take(parameter.symbol);
  for (target::LaunchOp launch : facts_.launches) names_.take(launch.getKernel());
  for (target::ConstantOp constant : facts_.constants) {
    names_.take(constant.getName());
    dims_.positive(constant.getName().str());
  }
  for (const ParameterFacts &parameter : facts_.parameters)
    if (parameter.scalar()) dims_.rename(parameter.name, parameter.symbol);
  for (const std::string &dim : facts_.dims) {
    dimNames_[dim] = names_.fresh(dim);
    dims_.rename(dim, dimNames_[dim]);
  }
  for (target::TableOp table : facts_.tables) names_.take(table.getSymbol());
  for (target::TableOp table : facts_.tables) temporaryNames_[table.getName().str()] = names_.fresh(table.getName());
  for (target::TemporaryOp temporary : facts_.temporaries)
    temporaryNames_[temporary.getName().str()] = names_.fresh(temporary.getName());
  std::set<std::string> counted;
  for (target::LaunchOp launch : facts_.launches)
    for (const std::string &name : countedAround(whenOf(launch)))
      if (counted.insert(name).second) dims_.rename(name, names_.fresh(name));
  stream_ = names_.fresh("stream");
  call_ = names_.fresh("call");
  // Each launch has a scope of its own, so these can be the same in all.
  groups_ = names_.fresh("groups");
  count_ = names_.fresh("count");  // of the groups and of their lanes, where a launch has variants
  block_ = names_.fresh("block");
  start_ = names_.fresh("start");
  rowsAligned_ = names_.fresh("rows_aligned");
  kernelName_ = names_.fresh("kernel");
  sharedBytes_ = names_.own("shared_bytes");
}

void EntryPrinter::check(const ParameterFacts &parameter) {
  std::vector<Doc> shape;
  for (const std::string &extent : parameter.shape) {
    Dim dim = parseDim(extent);
    if (dim.isConstant()) shape.push_back(std::to_string(dim.constant()));
    else if (dim.isVar() && dimNames_.count(dim.varName())) shape.push_back(dimNames_[dim.varName()]);
    else shape.push_back("tsr::Extent::later()");
  }
  std::string method = parameter.written() ? "output" : "input";
  if (isNarrow(parameter))
    writer_.statement(Doc(call_ + ".fits<" + spell_.type(parameter.dtype) + ">(" + quoted(parameter.name) + ", " + parameter.symbol + ");"));
  if (parameter.scalar() && parameter.shape.empty()) return;
  if (parameter.scalar()) {
    writer_.statement(Doc(call_ + ".constant(" + quoted(parameter.name) + ", " + parameter.symbol + ", ") + shape[0] + ");");
    return;
  }
  writer_.statement(Doc(call_ + "." + method + "<" + spell_.type(parameter.dtype) + ">(" +
                        quoted(parameter.name) + ", " + parameter.symbol + ", {") +
                    Doc::nest(4, commaSeparated(shape)) + "});");
}

void EntryPrinter::checks() {
  if (!facts_.dims.empty()) {
    std::vector<Doc> items;
    for (const std::string &dim : facts_.dims) items.push_back(dimNames_[dim] + "(" + quoted(dim) + ")");
    writer_.statement(Doc("tsr::Dim ") + Doc::nest(4, commaSeparated(items)) + ";");
  }
  for (const ParameterFacts &parameter : facts_.parameters)
    check(parameter);
  for (const SolvedDim &solved : facts_.solved)
    writer_.statement(Doc(call_ + ".solve(" + dimNames_[solved.extent.variable] + ", " +
                          facts_.parameter(solved.parameter)->symbol + ", " + std::to_string(solved.axis) + ", " +
                          std::to_string(solved.extent.factor) + ", " + std::to_string(solved.extent.rest) + ");"));
  // Extents that are expressions, now that every variable has its value.
  for (const ParameterFacts &parameter : facts_.parameters) {
    if (parameter.scalar()) continue;
    for (size_t axis = 0; axis < parameter.shape.size(); ++axis) {
      Dim extent = parseDim(parameter.shape[axis]);
      if (extent.isConstant() || extent.isVar()) continue;
      writer_.statement(Doc(call_ + ".extent(" + quoted(parameter.name) + ", " + parameter.symbol + ", " +
                            std::to_string(axis) + ",") +
                        Doc::nest(4, Doc::group(Doc::line()) + dims_(extent).doc + "," +
                                         Doc::group(Doc::line()) + quoted(parameter.shape[axis]) + ");"));
    }
  }
}

void EntryPrinter::requirements() {
  for (target::RequireOp require : facts_.requirements) {
    Expr left = dims_(require.getLeft().str()), right = dims_(require.getRight().str());
    Doc holds = binaryExpr(require.getRelation(), left, right).doc;
    writer_.statement(Doc(call_ + ".require(") +
                      Doc::nest(4, commaSeparated({holds, quoted(require.getText()), left.doc, right.doc,
                                                   quoted(require.getLeft())}) +
                                       ");"));
  }
  std::set<std::pair<std::string, const void *>> seen;
  for (target::LaunchOp launch : facts_.launches) {
    if (!launch.getCapacitiesAttr()) continue;
    for (auto capacity : launch.getCapacitiesAttr().getAsRange<target::CapacityAttr>()) {
      int64_t most = capacity.getValues().asArrayRef().back();
      ArrayAttr when = outside(whenOf(launch));
      if (!seen.insert({capacity.getDim().str() + " <= " + std::to_string(most), when ? when.getAsOpaquePointer() : nullptr}).second) continue;
      Doc lead = when ? Doc("if (") + conditions(when).doc + ") " : Doc("");
      writer_.statement(lead + (call_ + ".capacity(" + quoted(capacity.getDim()) + ", ") +
                        dims_(capacity.getDim().str()).doc + ", " + std::to_string(most) + ");");
    }
  }
}

/// A call whose sizes have a function of their own is handed on to that, with the same arguments.
void EntryPrinter::specials() {
  if (facts_.specials.empty()) return;
  writer_.comment("Sizes that have kernels of their own.");
  for (const SpecialFacts &special : facts_.specials) {
    std::optional<Expr> all;
    for (const auto &[dim, size] : special.sizes) {
      Expr one = binaryExpr("==", dims_(dim), {std::to_string(size), Precedence::Primary});
      all = all ? binaryExpr("&&", *all, one) : one;
    }
    std::vector<Doc> arguments;
    for (const ParameterFacts &p : facts_.parameters) arguments.push_back(p.symbol);
    arguments.push_back(stream_);
    writer_.statement(Doc("if (") + all->doc + ") return " + special.symbol + "(" + Doc::nest(4, commaSeparated(arguments)) + ");");
  }
}

void EntryPrinter::temporaries() {
  for (target::TemporaryOp temporary : facts_.temporaries) {
    Dim count(1);
    for (auto extent : temporary.getShape().getAsRange<StringAttr>())
      count = count * parseDim(extent.getValue().str());
    std::string type = spell_.type(temporary.getDtype()), name = temporaryNames_[temporary.getName().str()];
    if (temporary.getWithin()) {
      writer_.statement(Doc(type + " *" + name + " = " + call_ + ".within<" + type + ">(" + temporaryNames_[temporary.getWithin()->str()] + ", ") +
                        dims_(parseDim(temporary.getOffset()->str())).doc + ");");
      continue;
    }
    writer_.statement(Doc(type + " *" + name + " = " + call_ + ".temporary<" + type + ">(" +
                          quoted(temporary.getName()) + ", ") +
                      (whenOf(temporary) ? conditionalExpr(conditions(whenOf(temporary)), {Doc("int64_t(") + dims_(count).doc + ")", Precedence::Primary},
                                                           {"0", Precedence::Primary})
                                         : dims_(count)).doc +
                      ");");
  }
  if (!facts_.temporaries.empty() || !facts_.tables.empty()) stopIfFailed();
}

/// The numbers that the program writes out, with a line for each row or more.
void EntryPrinter::tables() {
  for (target::TableOp table : facts_.tables) {
    const size_t count = table.getValues().size(), rank = table.getShape().size();
    const int64_t row = rank ? parseDim(cast<StringAttr>(table.getShape()[rank - 1]).getValue().str()).constant() : 1;
    writer_.line(std::string(language_.tableMarks) + " " + spell_.type(table.getDtype()) + " " + table.getSymbol().str() + "[" +
                 std::to_string(count) + "] = {");
    writer_.indent();
    std::string line;
    for (auto [i, value] : llvm::enumerate(table.getValues())) {
      std::string number = plain(spell_.literal(value, table.getDtype())) + (i + 1 < count ? "," : "");
      if (!line.empty() && line.size() + number.size() + 4 > Writer::kWidth) writer_.line(std::exchange(line, ""));
      line += (line.empty() ? "" : " ") + number;
      if ((static_cast<int64_t>(i) + 1) % row == 0 && rank > 1) writer_.line(std::exchange(line, ""));
    }
    if (!line.empty()) writer_.line(line);
    writer_.dedent();
    writer_.line("};");
  }
}

target::KernelOp EntryPrinter::kernelOf(target::LaunchOp launch) {
  auto module = facts_.entry->getParentOfType<ModuleOp>();
  auto kernel = module.lookupSymbol<target::KernelOp>(launch.getKernel());
  TSR_CHECK(kernel, "a launch of a kernel that is not there: " + launch.getKernel().str());
  return kernel;
}

/// `shape`: under which the kernel sees a tensor; null: that of its memory. `places`: where a part of it begins, and its strides.
/// `windows`: the lists of numbers of a window through which it is read.
Doc EntryPrinter::argument(target::ArgumentAttr argument, Type kernelType, ArrayAttr shape, ArrayAttr places, ArrayAttr windows) {
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
    pointer = call_ + ".data<" + (readOnly ? "const " : "") + spell_.type(parameter->dtype) + ">(" +
              parameter->symbol + ")";
    if (!shape) addExtents(parameter->shape);
  } else {
    target::TemporaryOp temporary = facts_.temporary(name);
    target::TableOp table = facts_.table(name);
    TSR_CHECK(temporary || table, "a launch passes a tensor that is not there: " + name);
    pointer = temporaryNames_[name];
    if (!shape) shape = temporary ? temporary.getShape() : table.getShape();
  }
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
  if (tiled) return Doc("tsr::tiled(" + call_ + ", " + view + ", " + std::to_string(tiled.getRows()) + ", " + mapped_ +
                        (tiled.getRowAxis() == tiled.getRank() - 2 ? "" : ", " + std::to_string(tiled.getRowAxis())) + ")");
  return Doc(view);
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
  if (launch.getAligned()) mapped_ = alignmentTest(launch).empty() ? "true" : rowsAligned_;
  for (auto [i, attr] : llvm::enumerate(launch.getArguments().getAsRange<target::ArgumentAttr>()))
    text.arguments.push_back(argument(attr, body.getArgument(i).getType(),
                                      listed("shapes", i), listed("places", i), listed("windows", i)));
  if (launch.getPersistent()) text.groups = "tsr::resident_groups(" + groups_ + ")";
  text.kernel = kernel.getSymName().str();
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
                      dims_(launch.getGrid()->str()).doc + ")) {");
    writer_.indent();
  }
  if (hasCapacities(launch) || launch.getAligned()) {
    launchWithCapacities(launch, text, kernel);
  } else {
    if (gpu && launch.getSharedBytes()) {
      text.sharedBytes = std::to_string(launch.getSharedBytes()->front());
      writer_.line(call_ + ".allow_shared(" + kernel.getSymName().str() + ", " + text.sharedBytes + ");");
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
  text.kernel = kernelName_;
  text.groups = groups_;
  if (sizes) text.group = block_;
  if (shares) text.sharedBytes = sharedBytes_;
  writer_.line("{");
  writer_.indent();
  writer_.line("const auto " + start_ + " = [&](auto *" + kernelName_ + ", int64_t " + count_ +
               (packs ? ", dim3 " + block_ : sizes ? ", int " + block_ : "") + (shares ? ", int64_t " + sharedBytes_ : "") + ") {");
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
               grid + Doc(block) + bytes + Doc(");");
    bool isLast = i + 1 == variants.size();
    if (all && !isLast) writer_.statement(Doc(i ? "else if (" : "if (") + Doc::nest(4, all->doc) + ")");
    else if (i) writer_.line("else");
    if (i || all) writer_.indent();
    writer_.statement(call);
    if (i || all) writer_.dedent();
    if (!all) break;  // those that follow are never taken
  }
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
  if (shared) stopIfFailed();
}

/// Whether a scalar is passed on or stands in a dimension.
bool EntryPrinter::isUsed(const std::string &scalar) {
  std::set<std::string> vars;
  auto collect = [&](llvm::StringRef text) { parseDim(text.str()).collectVars(vars); };
  for (const ParameterFacts &p : facts_.parameters)
    for (const std::string &extent : p.shape) collect(extent);
  for (target::RequireOp require : facts_.requirements)
    collect(require.getLeft()), collect(require.getRight());
  for (target::TemporaryOp temporary : facts_.temporaries) {
    for (auto extent : temporary.getShape().getAsRange<StringAttr>()) collect(extent.getValue());
    if (temporary.getOffset()) collect(*temporary.getOffset());
  }
  for (target::LaunchOp launch : facts_.launches) {
    if (launch.getGrid()) collect(*launch.getGrid());
    for (auto argument : launch.getArguments().getAsRange<target::ArgumentAttr>()) {
      if (argument.getKind() == "dim") collect(argument.getText());
      if (argument.getKind() == "scalar") vars.insert(argument.getText().str());
    }
    for (Attribute when : whenOf(launch) ? whenOf(launch).getValue() : llvm::ArrayRef<Attribute>()) {
      when.walk([&](ArrayAttr parts) {
        if (parts.size() == 8 && parts[0] == StringAttr::get(parts.getContext(), "for"))
          for (size_t i : {3, 4, 5}) collect(cast<StringAttr>(parts[i]).getValue());
      });
      when.walk([&](ir::RequirementAttr asked) { collect(asked.getLeft().getText()), collect(asked.getRight().getText()); });
    }
    if (hasCapacities(launch))
      for (auto capacity : launch.getCapacitiesAttr().getAsRange<target::CapacityAttr>())
        collect(capacity.getDim());
  }
  return vars.count(scalar) != 0;
}

/// What a message of run time says first. The author never wrote the name of an expression of host code: its text and line are told.
static std::string nameInMessages(const EntryFacts &facts) {
  if (facts.signature.empty() || facts.signature.rfind("def ", 0) == 0 || facts.signature.find(facts.name) != std::string::npos) return facts.name;
  target::EntryOp entry = facts.entry;
  const auto place = placeOf(entry);
  const std::string line = facts.signature.substr(0, facts.signature.find('\n'));
  return (place ? place->file + ":" + std::to_string(place->line) + ": " : "") + "`" + line + "`";
}

void EntryPrinter::print() {
  chooseNames();
  writer_.blank();
  writer_.beginFunction();
  tables();
  writer_.comment(facts_.signature);
  if (!facts_.doc.empty()) writer_.comment("  " + facts_.doc.substr(0, facts_.doc.find('\n')));
  std::vector<Doc> parameters;
  for (const ParameterFacts &p : facts_.parameters) {
    std::string name = p.scalar() && p.shape.empty() && !isNarrow(p) && facts_.specials.empty() && !isUsed(p.name) ? "/*" + p.symbol + "*/" : p.symbol;
    if (p.scalar()) parameters.push_back(spell_.abiScalar(p.dtype) + " " + name);
    else parameters.push_back((p.written() ? "TessTensor *" : "const TessTensor *") + name);
  }
  parameters.push_back("TessStream " + stream_);
  const bool hasManyLaunches = language_.gpu && facts_.launches.size() >= kManyLaunches;
  writer_.statement(Doc((hasManyLaunches ? "extern \"C\" TSR_UNOPTIMISED TessStatus " : "extern \"C\" TessStatus ") + facts_.symbol + "(") +
                    Doc::align(commaSeparated(parameters)) + ") {");
  writer_.indent();
  std::vector<Doc> constants;
  for (target::ConstantOp constant : facts_.constants) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    constants.push_back(
        constant.getName().str() + " = " +
        (number ? std::to_string(number.getInt()) : cast<StringAttr>(constant.getValue()).getValue().str()));
  }
  if (!constants.empty())
    writer_.statement(Doc("constexpr int ") + Doc::nest(4, commaSeparated(constants)) + ";");
  writer_.line("tsr::Call " + call_ + "(" + quoted(nameInMessages(facts_)) + ", " + stream_ + ");");
  checks();
  requirements();
  stopIfDone();
  specials();
  for (target::TableOp table : facts_.tables)
    writer_.line("const " + spell_.type(table.getDtype()) + " *" + temporaryNames_[table.getName().str()] + " = " + call_ + ".table(" +
                 table.getSymbol().str() + ");");
  temporaries();
  writer_.blank();
  for (target::LaunchOp op : facts_.launches) {
    under(whenOf(op));
    launch(op);
  }
  under({});
  writer_.line("return " + call_ + ".finish();");
  writer_.dedent();
  writer_.line("}");
  writer_.endFunction();
  // The trampoline's own names give way to the function's.
  Names names;
  names.take(facts_.symbol);
  std::string args = names.fresh("args"), count = names.fresh("count"), stream = names.fresh("stream");
  writer_.statement(
      Doc("extern \"C\" TessStatus " + facts_.call + "(") +
      Doc::align(commaSeparated({"const TessValue *" + args, "int32_t " + count, "TessStream " + stream})) +
      ") {");
  writer_.line("  return tsr::call_with(" + facts_.symbol + ", " + quoted(facts_.name) + ", " + args + ", " +
               count + ", " + stream + ");");
  writer_.line("}");
}

}  // namespace

void printEntry(const EntryFacts &facts, const Language &language, Writer &writer) {
  EntryPrinter(facts, language, writer).print();
}

}  // namespace tessera::codegen
