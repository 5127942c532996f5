#include "codegen/EntryPrinter.h"
#include "codegen/FunctionPrinter.h"
#include "codegen/Printers.h"
#include "ir/common/Relations.h"
#include "support/Check.h"
#include <algorithm>

using namespace mlir;
namespace target = tessera::ir::target;

namespace tessera::codegen {

static constexpr size_t kManyLaunches = 100;  // that a compiler of C++ takes seconds to optimise, with the arguments of each

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

static llvm::SmallVector<Literal> literalsOf(llvm::ArrayRef<Attribute> wanted) {
  return llvm::map_to_vector(wanted.take_while([](Attribute part) { return loopWord(part).empty(); }), literalOf);
}

static llvm::SmallVector<Literal> contraries(llvm::ArrayRef<Literal> asked) {
  return llvm::map_to_vector(asked, [](Literal each) { return Literal{each.part, !each.holds}; });
}

/// The level from which on `wanted` is not what is open. What follows from an `else` was not asked in it, so that lines which do not ask for
/// that stand outside.
size_t EntryPrinter::sharedWith(llvm::ArrayRef<Attribute> wanted) const {
  size_t same = 0;
  while (same < open_.size() && same < wanted.size() && open_[same].part == wanted[same]) ++same;
  const auto known = literalsOf(wanted.drop_front(same));
  size_t shared = same;
  for (const Around &around : llvm::ArrayRef(open_).drop_front(same))
    if (loopWord(around.part).empty() && (around.isBlock || !follows(known, literalOf(around.part)))) shared = std::min(shared, around.choice);
  return shared;
}

/// The level of the choice that says that a condition holds where the next line stands; nothing if none does.
std::optional<size_t> EntryPrinter::choiceThatGives(Literal asked) const {
  for (const Around &around : open_)
    if (follows(contraries(llvm::ArrayRef(around.asked).drop_back(around.asked.empty() ? 0 : 1)), asked)) return around.choice;
  return std::nullopt;
}

/// The conditions of a chain of choices that begins at this level: of those before the one that is open, and its own.
llvm::SmallVector<Literal> EntryPrinter::chainAt(size_t level) const {
  for (const Around &around : llvm::ArrayRef(open_).drop_front(level))
    if (around.isBlock) return around.choice == level ? around.asked : llvm::SmallVector<Literal>();
  return {};
}

/// Closes what is open from a level on; an `else` comes behind the last of it where `otherwise`.
void EntryPrinter::closeTo(size_t level, bool otherwise) {
  auto isBlock = [](const Around &around) { return around.isBlock; };
  const size_t last = llvm::find_if(llvm::drop_begin(open_, level), isBlock) - open_.begin();
  while (open_.size() > level) {
    Around ended = open_.pop_back_val();
    if (!ended.isBlock) continue;
    if (!loopWord(ended.part).empty()) endTurn(cast<ArrayAttr>(ended.part));
    writer_.dedent();
    if (!otherwise || open_.size() > last) writer_.line("}");
  }
}

/// Closes the conditions and loops that end before the next line, and opens those that begin. Lines of which at most one is for given sizes
/// are a chain of `if`, `else if` and `else`.
void EntryPrinter::under(ArrayAttr when) {
  llvm::ArrayRef<Attribute> wanted = when ? when.getValue() : llvm::ArrayRef<Attribute>();
  const size_t level = sharedWith(wanted);
  if (level == open_.size() && level == wanted.size()) return;
  const auto known = literalsOf(wanted.drop_front(level)), chain = chainAt(level), denied = contraries(chain);
  const bool otherwise = !chain.empty() && llvm::all_of(denied, [&](Literal each) { return follows(known, each); });
  closeTo(level, otherwise);
  bool isOpen = !otherwise;  // the `else`
  for (size_t i = level; i < wanted.size(); ++i) {
    Around around{wanted[i], isBlock(wanted[i]), i, {}};
    const Literal asked = literalOf(wanted[i]);
    std::optional<size_t> given;
    if (otherwise && i - level < known.size() && follows(denied, asked)) given = level;
    else if (around.isBlock && loopWord(wanted[i]).empty()) given = choiceThatGives(asked);
    if (!loopWord(wanted[i]).empty()) {
      openLoop(cast<ArrayAttr>(wanted[i]));
    } else if (given) {
      around.choice = *given;
      around.isBlock = !isOpen && i + 1 - level == known.size();
      if (around.isBlock) writer_.line("} else {");
    } else {
      writer_.statement(Doc(isOpen ? "if (" : "} else if (") + Doc::nest(4, condition(wanted[i]).doc) + ") {");
      if (!isOpen) around.choice = level, around.asked = chain;
      around.asked.push_back(asked);
    }
    isOpen |= around.isBlock;
    if (around.isBlock) writer_.indent();
    open_.push_back(around);
  }
}

void EntryPrinter::chooseNames() {
  names_.take(facts_.symbol);
  for (const ParameterFacts &parameter : facts_.parameters) names_.take(parameter.symbol);
  for (target::LaunchOp launch : facts_.launches) {
    names_.take(launch.getKernel());
    if (auto started = startedOf(launch)) names_.take(started.getAs<StringAttr>("by").getValue());
  }
  for (target::ConstantOp constant : facts_.constants) {
    names_.take(constant.getName());
    dims_.positive(constant.getName().str());
  }
  for (const ParameterFacts &parameter : facts_.parameters)
    if (parameter.scalar()) dims_.rename(parameter.name, parameter.symbol);
  for (const std::string &dim : facts_.dims) {
    auto ofMesh = meshDim(dim);  // in a function that starts kernels
    dimNames_[dim] = names_.fresh(ofMesh ? ofMesh->word() : dim);
    dims_.rename(dim, dimNames_[dim]);
  }
  for (const MeshDim &asked : facts_.mesh) {
    if (dimNames_.count(asked.name())) continue;
    dimNames_[asked.name()] = names_.fresh(asked.word());
    dims_.rename(asked.name(), dimNames_[asked.name()]);
  }
  for (target::TableOp table : facts_.tables) names_.take(table.getSymbol());
  auto nameOf = [&](llvm::StringRef operand) {
    auto name = facts_.operandNames.find(operand.str());
    return names_.fresh(name == facts_.operandNames.end() ? operand : llvm::StringRef(name->second));
  };
  for (target::TableOp table : facts_.tables) temporaryNames_[table.getName().str()] = nameOf(table.getName());
  for (target::TemporaryOp temporary : facts_.temporaries)
    temporaryNames_[temporary.getName().str()] = nameOf(temporary.getName());
  std::set<std::string> counted;
  for (target::LaunchOp launch : facts_.launches)
    for (const std::string &name : countedAround(whenOf(launch)))
      if (!dimNames_.count(name) && counted.insert(name).second) dims_.rename(name, names_.fresh(name));  // a starter is given it
  stream_ = names_.fresh("stream");
  call_ = names_.fresh("call");
  // Each launch has a scope of its own, so these can be the same in all.
  groups_ = names_.fresh("groups");
  clusters_ = names_.fresh("clusters");
  cluster_ = names_.fresh("cluster");
  count_ = names_.fresh("count");  // of the groups and of their lanes, where a launch has variants
  block_ = names_.fresh("block");
  start_ = names_.fresh("start");
  together_ = names_.fresh("together");
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
  for (const MeshDim &asked : facts_.mesh) {
    const std::string axis = asked.axis.empty() ? "" : ", " + quoted(asked.axis);
    writer_.line("const int64_t " + dimNames_[asked.name()] + " = tsr::" + std::string(asked.function()) + "(" + call_ + axis + ");");
  }
  for (const ParameterFacts &parameter : facts_.parameters)
    check(parameter);
  for (const SolvedDim &solved : facts_.solved)
    writer_.statement(Doc(call_ + ".solve(" + dimNames_[solved.extent.variable] + ", " +
                          facts_.parameter(solved.parameter)->symbol + ", " + std::to_string(solved.axis) + ", " +
                          dims_(solved.extent.factor).doc + ", ") +
                      dims_(solved.extent.rest).doc + ");");
  // Extents that are expressions, now that every variable has its value.
  for (const ParameterFacts &parameter : facts_.parameters) {
    if (parameter.scalar()) continue;
    for (size_t axis = 0; axis < parameter.shape.size(); ++axis) {
      Dim extent = parseDim(parameter.shape[axis]);
      if (extent.isConstant() || extent.isVar()) continue;
      writer_.statement(Doc(call_ + ".extent(" + quoted(parameter.name) + ", " + parameter.symbol + ", " +
                            std::to_string(axis) + ",") +
                        Doc::nest(4, Doc::group(Doc::line()) + dims_(extent).doc + "," +
                                         Doc::group(Doc::line()) + quoted(spokenDim(extent).str()) + ");"));
    }
  }
}

void EntryPrinter::requirements() {
  for (target::RequireOp require : facts_.requirements) {
    Expr left = dims_(require.getLeft().str()), right = dims_(require.getRight().str());
    Doc holds = binaryExpr(require.getRelation(), left, right).doc;
    writer_.statement(Doc(call_ + ".require(") +
                      Doc::nest(4, commaSeparated({holds, quoted(require.getText()), left.doc, right.doc,
                                                   quoted(spokenDim(parseDim(require.getLeft().str())).str())}) +
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
  const auto own = llvm::count_if(facts_.temporaries, [](target::TemporaryOp temporary) { return !temporary.getWithin(); });
  if (language_.gpu && own > 1) {
    writer_.comment("All temporaries, at most, in one piece.");
    writer_.statement(Doc(call_ + ".reserve(") + Doc::nest(4, dims_(facts_.workspaceBytes()).doc) + ", " + std::to_string(own) + ");");
  }
  for (target::TemporaryOp temporary : facts_.temporaries) {
    Dim count(1);
    for (auto extent : temporary.getShape().getAsRange<StringAttr>())
      count = count * parseDim(extent.getValue().str());
    std::string type = spell_.type(temporary.getDtype()), name = temporaryNames_[temporary.getName().str()];
    if (temporary.getWithin()) {
      writer_.statement(Doc(type + " *" + name + " = " + call_ + ".within<" + type + ">(" + temporaryNames_[temporary.getWithin()->str()] + ", ") +
                        Doc::nest(4, dims_(parseDim(temporary.getOffset()->str())).doc) + ");");
      continue;
    }
    writer_.statement(Doc(type + " *" + name + " = " + call_ + ".temporary<" + type + ">(" +
                          quoted(temporary.getName()) + ", ") +
                      Doc::nest(4, (whenOf(temporary) ? conditionalExpr(conditions(whenOf(temporary)), {Doc("int64_t(") + dims_(count).doc + ")", Precedence::Primary},
                                                                        {"0", Precedence::Primary})
                                                      : dims_(count)).doc) +
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

/// `started`: those that only functions for launches write.
void EntryPrinter::constants(bool started) {
  std::vector<Doc> constants;
  for (target::ConstantOp constant : facts_.constants) {
    if (!started && constant->hasAttr("started")) continue;
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    constants.push_back(
        constant.getName().str() + " = " +
        (number ? std::to_string(number.getInt()) : cast<StringAttr>(constant.getValue()).getValue().str()));
  }
  if (!constants.empty())
    writer_.statement(Doc("constexpr int ") + Doc::nest(4, commaSeparated(constants)) + ";");
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
  const auto written = static_cast<size_t>(llvm::count_if(facts_.launches, [](target::LaunchOp op) { return !op->hasAttr("started"); }));
  const bool hasManyLaunches = language_.gpu && written >= kManyLaunches;
  writer_.statement(Doc((hasManyLaunches ? "extern \"C\" TSR_UNOPTIMISED TessStatus " : "extern \"C\" TessStatus ") + facts_.symbol + "(") +
                    parameterList(parameters) + ") {");
  writer_.indent();
  constants(false);
  writer_.line("tsr::Call " + call_ + "(" + quoted(nameInMessages(facts_)) + ", " + stream_ + ");");
  checks();
  requirements();
  // A device whose own results are empty has its part in what all do together.
  if (facts_.steps.size() > facts_.launches.size()) stopIfFailed();
  else stopIfDone();
  specials();
  for (target::TableOp table : facts_.tables)
    writer_.line("const " + spell_.type(table.getDtype()) + " *" + temporaryNames_[table.getName().str()] + " = " + call_ + ".table(" +
                 table.getSymbol().str() + ");");
  sizes();
  temporaries();
  writer_.blank();
  launches();
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

void printEntry(const EntryFacts &facts, const Language &language, Writer &writer) {
  EntryPrinter(facts, language, writer).print();
}

}  // namespace tessera::codegen
