#include "driver/Compiler.h"
#include "codegen/Emit.h"
#include "driver/Embedded.h"
#include "driver/Files.h"
#include "driver/Pipeline.h"
#include "driver/Requirements.h"
#include "frontend/AST.h"
#include "ir/common/Common.h"
#include "irgen/Irgen.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "checked/Checked.h"
#include "checked/Later.h"
#include "support/Check.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <map>

namespace tessera::driver {
namespace {
constexpr std::pair<Level, std::string_view> kLevels[] = {
    {Level::Ast, "ast"},   {Level::Checked, "checked"}, {Level::Graph, "graph"},  {Level::Schedule, "schedule"},
    {Level::Tile, "tile"}, {Level::Target, "target"},   {Level::Source, "source"}};
}  // namespace

std::optional<Level> levelByName(const std::string &name) {
  for (auto &[level, text] : kLevels)
    if (text == name) return level;
  return std::nullopt;
}
std::string_view nameOf(Level level) { return kLevels[static_cast<int>(level)].second; }

std::vector<OutputFile> besides(const std::string &output, const Product &product) {
  std::string stem = folderOf(output) + "/" + stemOf(output);
  return {{stem + ".h", product.header, "The C interface of"},
          {stem + ".hpp", product.cppHeader, "The C++ interface of"},
          {stem + ".json", product.manifest, "\"entries\": ["}};
}

struct Compiler::State {
  State(Session &session, CompileOptions options) : session(session), options(std::move(options)) {}
  using Names = std::vector<std::string>;
  Session &session;
  CompileOptions options;
  const checked::Program *program = nullptr;
  bool checked = false;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> graph;     // all functions that Graph IR can say, as irgen made them
  std::map<std::string, diag::Engine> unsaid;  // and why it cannot say the others
  mlir::OwningOpRef<mlir::ModuleOp> module;    // those that were asked for last, at the level `at`
  Names asked;
  Level at = Level::Checked;
  std::vector<std::pair<std::string, std::string>> leftOut;  // functions that fail, and why, where the others go on

  bool check() {
    if (!checked) program = session.check();
    checked = true;
    return program && !session.diagnostics.hasErrors();
  }

  bool has(const Names &functions) {
    for (const std::string &function : functions)
      if (!program->find(function)) session.diagnostics.report(diag::Id::noSuchFunction, {}, session.path(), function);
    return !session.diagnostics.hasErrors();
  }

  void generate() {
    context = makeContext();
    bool complete = true;
    auto engineOf = [&](const checked::Function &function) {
      diag::Engine &messages = unsaid[function.name];
      return checked::refuseLater(function, messages) ? &messages : nullptr;
    };
    graph = irgen::generate(*program, session.sources, *context, engineOf, complete);
    ir::setMachine(*graph, options.target.machine());
    if (options.mostParts > 1) (*graph)->setAttr(ir::kInParts, mlir::UnitAttr::get(context.get()));
  }

  /// Carries `part` from level `from` down. What fails is in `messages`.
  bool lower(mlir::ModuleOp part, Level from, Level to, diag::Engine &messages) {
    MessageForwarder forward(*context, session.sources, messages);
    for (Level level = from; level < to; level = below(level)) {
      bool good = lowerOneLevel(part, below(level));
      if (good && !messages.hasErrors()) continue;
      if (!messages.hasErrors())
        messages.report(diag::Id::internalError, {}, "lowering to the " + std::string(nameOf(below(level))) + " level failed without a message");
      return false;
    }
    return true;
  }
  static Level below(Level level) { return static_cast<Level>(static_cast<int>(level) + 1); }

  /// Brings the functions (all, if there are none) with what they call to a level, in `module`.
  bool lowerTo(Level level, const Names &functions) {
    if (!check()) return false;
    if (!graph) generate();
    Names roots = functions;
    if (roots.empty())
      for (const auto &function : program->functions) roots.push_back(function->name);
    if (at == Level::Checked || at > level || asked != roots) {
      std::set<std::string> missing;
      module = onlyFunctions(*graph, roots, &missing);
      at = missing.empty() ? Level::Graph : Level::Checked;
      asked = roots;
    }
    diag::Engine messages;
    bool good = at != Level::Checked && lower(*module, at, level, messages);
    at = good ? level : Level::Checked;
    if (good) return true;
    const Names others = reportEach(roots, level, messages, options.keepGoing && functions.empty());
    return !leftOut.empty() && !others.empty() && lowerTo(level, others);
  }

  /// Each function by itself, so that one that fails hides no other; then which of them would do. `together`: what was
  /// said of all at once. `goesOn`: the others are compiled, and what is said are warnings. Gives the others.
  Names reportEach(const Names &roots, Level level, const diag::Engine &together, bool goesOn) {
    Names bad, good;
    std::vector<std::string> reasons;
    std::vector<diag::Diagnostic> said;
    auto take = [&](const diag::Engine &messages) {
      for (const diag::Diagnostic &d : messages.all())
        if (std::none_of(said.begin(), said.end(), [&](const diag::Diagnostic &o) {
              return o.id == d.id && o.span.file == d.span.file && o.span.begin == d.span.begin && o.message == d.message;
            }))
          said.push_back(d);
    };
    for (const std::string &root : roots) {
      std::set<std::string> missing;
      diag::Engine messages;
      mlir::OwningOpRef<mlir::ModuleOp> part = onlyFunctions(*graph, {root}, &missing);
      bool lowered = missing.empty() && lower(*part, Level::Graph, level, messages);
      (lowered ? good : bad).push_back(root);
      for (const std::string &name : missing) take(unsaid[name]);
      take(messages);
      if (!lowered) reasons.push_back(firstError(messages, missing));
    }
    if (bad.empty()) take(together);  // only together: a mistake of ours
    goesOn &= !bad.empty() && !good.empty();
    if (!bad.empty() && !good.empty()) said.back().notes.push_back({{}, summary(bad, good, goesOn)});
    for (diag::Diagnostic &d : said) {
      if (goesOn && d.severity == diag::Severity::Error) d.severity = diag::Severity::Warning;
      session.diagnostics.append(std::move(d));
    }
    for (size_t i = 0; goesOn && i < bad.size(); ++i) leftOut.emplace_back(bad[i], reasons[i]);
    return good;
  }
  /// The first error that was said of a function, or of those that it calls.
  std::string firstError(const diag::Engine &messages, const std::set<std::string> &missing) {
    for (const std::string &name : missing)
      for (const diag::Diagnostic &d : unsaid[name].all())
        if (d.severity == diag::Severity::Error) return d.message;
    for (const diag::Diagnostic &d : messages.all())
      if (d.severity == diag::Severity::Error) return d.message;
    return "";
  }

  static std::string summary(const Names &bad, const Names &good, bool goesOn) {
    auto listed = [](const Names &names, const std::string &before, const std::string &between, const std::string &after) {
      std::string list;
      for (const std::string &name : names) list += (list.empty() ? "" : between) + before + name + after;
      return list;
    };
    const std::string first = std::to_string(bad.size()) + " of " + diag::counted(bad.size() + good.size(), "function") + " cannot be compiled: " + listed(bad, "`", ", ", "`");
    if (goesOn) return first + "; left out, and the others are written";
    return first + "; the others can: `--keep-going`, or `" + listed(good, "--function ", " ", "") + "`";
  }

  codegen::Emitted emitModule(mlir::ModuleOp emitted) {
    codegen::EmitOptions emit;
    emit.name = stemOf(options.sourceName);
    emit.program = fileNameOf(session.path());
    emit.lineDirectives = options.lineDirectives;
    emit.standalone = options.standalone;
    emit.mostParts = options.mostParts;
    emit.checks = options.checks;
    emit.hostCode = options.hostCode;
    emit.nameSpace = options.nameSpace;
    emit.dispatch = options.dispatch;
    emit.leftOut = leftOut;
    emit.tools = {{"tesserac", TESSERA_VERSION}};
    emit.headerText = [](const std::string &path) {
      for (const EmbeddedFile &file : embeddedHeaders())
        if (file.path == path) return std::string(file.text);
      return std::string();
    };
    return codegen::emit(emitted, emit);
  }
};

Compiler::Compiler(Session &session, CompileOptions options) : state_(std::make_unique<State>(session, std::move(options))) {}
Compiler::~Compiler() = default;

std::optional<std::string> Compiler::textAt(Level level, const std::vector<std::string> &functions) {
  State &s = *state_;
  if (level == Level::Ast) return s.session.module() && !s.session.diagnostics.hasErrors() ? std::optional(ast::dump(*s.session.module())) : std::nullopt;
  if (!s.check() || !s.has(functions)) return std::nullopt;
  if (level == Level::Checked) {
    std::string text = functions.empty() ? checked::dump(*s.program) : "";
    for (const std::string &function : functions) text += checked::dump(*s.program->find(function));
    return text;
  }
  if (!s.lowerTo(level == Level::Source ? Level::Target : level, functions)) return std::nullopt;
  mlir::ModuleOp shown = *s.module;
  if (level == Level::Source) return s.emitModule(shown).source;
  std::string text;
  llvm::raw_string_ostream out(text);
  shown.print(out, mlir::OpPrintingFlags());
  out << "\n";
  return text;
}

const checked::Program &Compiler::program() const {
  TSR_CHECK(state_->program, "nothing was checked");
  return *state_->program;
}

std::optional<Product> Compiler::emit(const std::vector<std::string> &functions) {
  State &s = *state_;
  if (!s.check() || !s.has(functions)) return std::nullopt;
  if (!s.lowerTo(Level::Target, functions)) return std::nullopt;
  if (!keepToRequirements(*s.program, *s.module, s.session.sources, s.session.diagnostics)) return std::nullopt;
  codegen::Emitted emitted = s.emitModule(*s.module);
  return Product{std::move(emitted.source), std::move(emitted.header), std::move(emitted.cppHeader), std::move(emitted.manifest), std::move(emitted.lineMap),
                 std::move(emitted.set), std::move(emitted.parts)};
}

std::optional<std::vector<KernelWork>> Compiler::workOf(const std::string &function, const Sizes &sizes) {
  State &s = *state_;
  if (!s.check() || !s.has({function}) || !s.lowerTo(Level::Schedule, {function})) return std::nullopt;
  std::vector<KernelWork> rows = countWork(*s.module, function, sizes).value_or(std::vector<KernelWork>());
  if (!s.lowerTo(Level::Tile, {function})) return std::nullopt;
  addInstructions(*s.module, rows);
  return rows;
}

}  // namespace tessera::driver
