#include "driver/Compiler.h"
#include "codegen/Emit.h"
#include "driver/Embedded.h"
#include "driver/Files.h"
#include "driver/Pipeline.h"
#include "frontend/AST.h"
#include "ir/common/Common.h"
#include "irgen/Irgen.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "sema/Checked.h"
#include "llvm/Support/raw_ostream.h"

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

struct Compiler::State {
  State(Session &session, CompileOptions options) : session(session), options(std::move(options)) {}
  Session &session;
  CompileOptions options;
  const sema::Program *program = nullptr;
  bool checked = false;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Level at = Level::Checked;

  bool check() {
    if (!checked) program = session.check();
    checked = true;
    return program && !session.diagnostics.hasErrors();
  }

  bool generate() {
    if (!sema::refuseLater(*program, session.diagnostics)) return false;
    if (!context) context = makeContext();
    module = irgen::generate(*program, session.sources, *context, session.diagnostics);
    at = Level::Graph;
    if (module) ir::setMachine(*module, options.target.machine());
    return module && !session.diagnostics.hasErrors();
  }

  /// Brings `module` to a level; goes back to the checked program if it is already below.
  bool lowerTo(Level level) {
    if (!check()) return false;
    if ((at == Level::Checked || at > level) && !generate()) return false;
    MessageForwarder forward(*context, session.sources, session.diagnostics);
    for (; at < level; at = static_cast<Level>(static_cast<int>(at) + 1)) {
      Level next = static_cast<Level>(static_cast<int>(at) + 1);
      bool good = lowerOneLevel(*module, next);
      if (!good && !session.diagnostics.hasErrors())
        session.diagnostics.report(diag::Id::internalError, {}, "lowering to the " + std::string(nameOf(next)) + " level failed without a message");
      if (!good || session.diagnostics.hasErrors()) {
        at = Level::Checked;
        return false;
      }
    }
    return true;
  }

  codegen::Emitted emitModule(mlir::ModuleOp emitted) {
    codegen::EmitOptions emit;
    emit.name = stemOf(options.sourceName);
    emit.program = fileNameOf(session.path());
    emit.lineDirectives = options.lineDirectives;
    emit.standalone = options.standalone;
    emit.nameSpace = options.nameSpace;
    emit.dispatch = options.dispatch;
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

std::optional<std::string> Compiler::textAt(Level level, const std::string &function) {
  State &s = *state_;
  if (level == Level::Ast) return s.session.module() && !s.session.diagnostics.hasErrors() ? std::optional(ast::dump(*s.session.module())) : std::nullopt;
  if (!s.check()) return std::nullopt;
  const sema::Function *chosen = function.empty() ? nullptr : s.program->find(function);
  if (!function.empty() && !chosen) {
    s.session.diagnostics.report(diag::Id::noSuchFunction, {}, s.session.path(), function);
    return std::nullopt;
  }
  if (level == Level::Checked) return chosen ? sema::dump(*chosen) : sema::dump(*s.program);
  if (!s.lowerTo(level == Level::Source ? Level::Target : level)) return std::nullopt;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  mlir::ModuleOp shown = *s.module;
  if (chosen) {
    copy = onlyFunction(shown, function);
    shown = *copy;
  }
  if (level == Level::Source) return s.emitModule(shown).source;
  std::string text;
  llvm::raw_string_ostream out(text);
  shown.print(out, mlir::OpPrintingFlags());
  out << "\n";
  return text;
}

std::optional<Product> Compiler::emit() {
  State &s = *state_;
  if (!s.lowerTo(Level::Target)) return std::nullopt;
  codegen::Emitted emitted = s.emitModule(*s.module);
  return Product{std::move(emitted.source), std::move(emitted.header), std::move(emitted.cppHeader), std::move(emitted.manifest), std::move(emitted.lineMap)};
}

}  // namespace tessera::driver
