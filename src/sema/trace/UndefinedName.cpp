// What is said of a name that nobody gave a value: what it was meant to be, here or in another language.
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/advice/Foreign.h"
#include "sema/effects/Effects.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include "support/DType.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

std::optional<std::string> signatureHere(const Context &cx, std::string_view name, bool ofTiles) {
  if (const BuiltinRow *row = builtinByName(name, ofTiles ? 'T' : 'P')) return std::string(row->signature);
  if (ofTiles || !cx.prelude) return std::nullopt;
  auto it = cx.prelude->names.find(std::string(name));
  if (it == cx.prelude->names.end()) return std::nullopt;
  const Value &value = it->second.kind == ValueKind::Overloads && !it->second.items.empty() ? it->second.items[0] : it->second;
  const ast::FuncDef *def = value.kind == ValueKind::Function && value.callable ? value.callable->def : nullptr;
  if (!def) return std::nullopt;
  std::string all;
  for (const ast::Parameter &p : def->parameters) all += (all.empty() ? "" : ", ") + p.name.text;
  return all;
}

namespace {
constexpr size_t kMostSearched = 200;  // unknown names for which a near one of the program is sought: each looks at all

/// The edit that reaches a name of a module from which this one imports something else: one more item of the import,
/// or, where the module itself is imported, its name in front. Empty text: there is none.
Span importOf(const ModuleScope &scope, const std::string &name, Span use, std::string &text, const ModuleLoader &load,
              const std::map<const ast::Module *, std::unique_ptr<ModuleScope>> &modules) {
  for (const ast::StmtPtr &stmt : scope.ast->body) {
    auto *from = as<ast::FromImportStmt>(stmt);
    if (!from || from->star || from->items.empty()) continue;
    for (const ast::ImportItem &item : from->items) {
      const std::string &bound = (item.alias ? *item.alias : item.path[0]).text;
      auto it = scope.names.find(bound);
      bool isModule = it != scope.names.end() && it->second.kind == ValueKind::Module;
      const ModuleScope *inner = isModule ? it->second.module : nullptr;
      if (!inner || !inner->names.count(name)) continue;
      text = bound + "." + name;
      return use;
    }
    std::string path;
    for (const ast::Identifier &part : from->module) path += (path.empty() ? "" : ".") + part.text;
    const ast::Module *tree = path.empty() || !load ? nullptr : load(scope.ast->file, from->level, path);
    auto module = tree ? modules.find(tree) : modules.end();
    if (module == modules.end() || !module->second || !module->second->names.count(name)) continue;
    text = ", " + name;
    uint32_t end = from->items.back().span.end;
    return {stmt->span.file, end, end};
  }
  return use;
}

/// A sentence for a name of another library or language: of what stands behind the dots, `np.linalg.norm`, or of the name of
/// a call, `__popc(x)`. A plain name may be anything.
std::string wordsOfOther(const Context &cx, const std::string &name, std::string_view text, size_t end) {
  auto inWord = [&](size_t i) { return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'); };
  std::string_view member;
  for (size_t at = end; at + 1 < text.size() && text[at] == '.' && inWord(at + 1);) {
    size_t stop = at + 1;
    while (inWord(stop)) ++stop;
    member = text.substr(at + 1, stop - at - 1);
    at = stop;
  }
  const bool kernel = inKernel(cx), called = end < text.size() && text[end] == '(';
  if (!member.empty())
    return wordsOfPackage(member, kernel, [&](std::string_view one, bool ofTiles) { return signatureHere(cx, one, ofTiles); });
  if (!called && name.substr(0, 2) != "__") return "";
  std::string words(wordsInstead(name));
  return words.empty() ? formulaInWords(name) : words;
}
}  // namespace

void reportUndefined(Context &cx, const std::string &name, Span span) {
  for (Frame *f = cx.function.frame.get(); f; f = f->parent.get())
    if (f->generics.count(name) || f->dtypeGenerics.count(name)) {
      const ast::TypeParameter *parameter = typeParameterNamed(f, name);
      Span at = parameter ? parameter->name.span : span;
      if (fresh(cx, Id::unboundDimension, at)) report(cx, Id::unboundDimension, at, name).note(span, "it is used here");
      return;
    }
  if (!fresh(cx, Id::undefinedName, span) || !firstUnknown(cx, name)) return;
  if (std::string member = memberOfSelf(cx.function.frame.get(), name); !member.empty()) {
    report(cx, Id::undefinedName, span, name)
        .help("fields and methods belong to a value")
        .fix(span, member, "write `" + member + "`");
    return;
  }
  std::vector<std::string_view> views;
  size_t own = 0;  // of these are names of the author
  bool search = cx.unknownNames.size() <= kMostSearched;
  for (Frame *frame = search ? cx.function.frame.get() : nullptr; frame; frame = frame->parent.get()) {
    for (const auto &[n, b] : frame->names) views.push_back(n);
    for (const auto &[n, d] : frame->dims) views.push_back(n);
  }
  ModuleScope *module = cx.function.frame ? cx.function.frame->module : cx.scope;
  for (ModuleScope *scope : {module, cx.prelude}) {
    if (search && scope)
      for (const auto &[n, v] : scope->names) views.push_back(n);
    if (scope == module) own = views.size();
  }
  std::string_view text = span.valid() ? cx.sources.file(span.file).text : std::string_view();
  bool hasMember = span.end < text.size() && text[span.end] == '.';  // `dist.all_reduce`: functions have no members
  bool isCalled = span.end < text.size() && text[span.end] == '(';  // `double(x)` is a function of the author rather
  for (const BuiltinRow &row : builtinRows())
    if (!hasMember && row.places.find('P') != std::string_view::npos) views.push_back(row.name);
  for (std::string_view d : dtypeNames()) views.push_back(d);
  for (const char *type : {"Tensor", "Const", "Int", "Callable", "tile", "INF", "NAN", "KiB", "MiB", "GiB"}) views.push_back(type);
  const std::string inWords = nameInWords(name, views);
  const std::string instead = wordsOfOther(cx, name, text, span.end);
  const Foreign *foreign = foreignName(name);
  if (!foreign && hasMember) foreign = foreignModule(name);
  bool inBody = cx.function.frame && cx.function.frame->function &&
                cx.function.frame->function->nameSpan.file == span.file &&
                cx.function.frame->function->nameSpan.end <= span.begin;
  if (!foreign && inKernel(cx) && inBody) foreign = foreignSize(name);
  if (foreign && foreign->oncePerFunction && cx.function.fn &&
      !cx.reportedSpans
           .insert({static_cast<int>(Id::undefinedName), cx.function.fn->span.file, cx.function.fn->span.begin})
           .second) {
    ++cx.failures;
    return;
  }
  std::string imported;
  Span place = search && module && module->ast ? importOf(*module, name, span, imported, cx.load, cx.modules) : Span{};
  auto builder = report(cx, Id::undefinedName, span, name);
  if (!imported.empty()) {
    builder.suggest(place, imported, place == span ? "write `" + imported + "`" : "import it, too");
  } else if (foreign) {
    std::string here(foreign->here);
    builder.help(here.empty() && !instead.empty() ? instead : std::string(foreign->why));
    if (!here.empty()) builder.fix(span, here, "write `" + here + "`");
  } else if (std::string_view ofTile = tileNameHere(name); !ofTile.empty() && isCalled && inKernel(cx))
    builder.help("it is `tile." + std::string(ofTile) + "` here")
        .suggest(span, "tile." + std::string(ofTile), "write `tile." + std::string(ofTile) + "`");
  else if (builtinByName(name, 'T') && !inHost(cx))
    builder.help("it belongs to `tile`").fix(span, "tile." + name, "write `tile." + name + "`");
  else if (std::string_view dtype = dtypeHere(name); !dtype.empty() && !isCalled)
    builder.help("it is called `" + std::string(dtype) + "` here").suggest(span, std::string(dtype), "write `" + std::string(dtype) + "`");
  else if (auto near = std::find(views.begin(), views.end(), nameHere(name)) != views.end()
                           ? nameHere(name)
                       : !inWords.empty() ? std::string_view(inWords)
                       : instead.empty()  ? diag::didYouMean(name, views)
                                          : diag::didYouMean(name, {views.begin(), views.begin() + static_cast<ptrdiff_t>(own)});
           !near.empty())
    builder.help("did you mean `" + std::string(near) + "`?")
        .suggest(span, std::string(near), "write `" + std::string(near) + "`");
  else if (!instead.empty())
    builder.help(instead);
  else if (const std::string longer = nameOfMoreWords(name, views); !longer.empty())
    builder.help("there is `" + longer + "`");
}

}  // namespace tessera::sema
