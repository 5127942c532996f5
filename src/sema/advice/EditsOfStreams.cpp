// Edits for streams of random numbers that are used more than once: they are split.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class StreamEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (diagnostic_.id == Id::usedUp && place_.names && place_.expr() && place_.function) renewed();
    if (diagnostic_.id == Id::unknownAttribute && place_.function) seeded();
    if (diagnostic_.id == Id::notDeterministic && place_.function && place_.names) streamThatNothingReads();
    const bool isForeign = diagnostic_.id == Id::argumentNotGiven || diagnostic_.id == Id::undefinedName || diagnostic_.id == Id::badOperand;
    if (isForeign && place_.function) splitByFunction();
    return taken();
  }

private:
  /// `split(key)` and `random.split(key, 3)`, as JAX has it: the method of a stream.
  void splitByFunction() {
    const ast::CallExpr *call = as<ast::CallExpr>(place_.expr());
    for (const ast::Expr *e : place_.around)
      if (call || (call = as<ast::CallExpr>(e))) break;
    if (!call || nameOf(*call) != "split" || call->arguments.empty() || call->arguments.size() > 2) return;
    const std::string stream = text(call->arguments[0].span), count = call->arguments.size() == 2 ? text(call->arguments[1].value->span) : "";
    for (const ast::Parameter &p : place_.function->parameters)
      if (p.annotation && text(*p.annotation) == "Rng" && stream == p.name.text) replace(group(false), call->span, stream + ".split(" + (count == "2" ? "" : count) + ")");
  }
  /// Where a function reads a stream, and in which statement of its own block.
  struct Use {
    const ast::Stmt *statement = nullptr;
    Span name;
  };

  static bool binds(const ast::Stmt &stmt, const std::string &name) {
    auto *assign = as<ast::AssignStmt>(&stmt);
    bool found = false;
    if (assign)
      visit(*assign->targets[0], [&](const ast::Expr &part) {
        auto *target = as<ast::NameExpr>(&part);
        found |= target && target->name == name;
      });
    return found;
  }
  /// Those from its last binding in front of the message to its next one; none if a loop or a branch has one of them.
  std::vector<Use> usesOf(const std::string &stream) const {
    std::vector<Use> uses;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      if (binds(*stmt, stream)) {
        if (stmt->span.begin > diagnostic_.span.begin) break;
        uses.clear();
        continue;
      }
      const ast::Children below = ast::childrenOf(*stmt);
      const size_t before = uses.size();
      auto each = [&](const ast::Expr &part) {
        auto *name = as<ast::NameExpr>(&part);
        if (name && name->name == stream) uses.push_back({stmt.get(), name->span});
      };
      for (const ast::Expr *e : below.exprs) visit(*e, each);
      const size_t own = uses.size();
      visitStatements({below.stmts.begin(), below.stmts.end()}, [&](const ast::Stmt &inner) {
        for (const ast::Expr *e : ast::childrenOf(inner).exprs) visit(*e, each);
      });
      if (uses.size() > own) return {};
      std::sort(uses.begin() + static_cast<std::ptrdiff_t>(before), uses.end(), [](const Use &a, const Use &b) { return a.name.begin < b.name.begin; });
    }
    return uses;
  }
  /// Three uses or more: `rngs = rng.split(3)` in front of the first, and a part for each.
  void oneForEach(const std::string &stream, const std::vector<Use> &uses) {
    const std::string parts = stream + "s";
    if (place_.names->count(parts)) return;
    const Span first = uses.front().statement->span;
    const std::string indent(sources_.file(first.file).lineColumn(first.begin).column - 1, ' ');
    std::vector<std::pair<Span, std::string>> changes;
    changes.push_back({{first.file, first.begin, first.begin}, parts + " = " + stream + ".split(" + std::to_string(uses.size()) + ")\n" + indent});
    for (size_t i = 0; i < uses.size(); ++i) changes.push_back({uses[i].name, parts + "[" + std::to_string(i) + "]"});
    replaceAll(group(false), std::move(changes), "split it into " + std::to_string(uses.size()) + ", and use each part once");
  }
  /// `dropout(x, 0.1, rng)`: the argument that the message names.
  const ast::NameExpr *givenStream(const ast::CallExpr &call) const {
    const size_t begin = diagnostic_.message.find('`'), end = diagnostic_.message.find('`', begin + 1);
    const std::string named = end == std::string::npos ? "" : diagnostic_.message.substr(begin + 1, end - begin - 1);
    for (const ast::Argument &argument : call.arguments)
      if (auto *name = as<ast::NameExpr>(argument.value); name && name->name == named) return name;
    if (nameOf(call) != "dropout" || call.arguments.size() < 2) return nullptr;
    return as<ast::NameExpr>(call.arguments.back().value);  // `dropout(x, 0.1, rng)`, whose stream stands last
  }
  /// `dropout(x, 0.1)` of a function that takes a stream and does not use it.
  void streamThatNothingReads() {
    auto *call = as<ast::CallExpr>(place_.expr());
    if (!call || call->arguments.empty()) return;
    CandidateGroup &edits = group(true);
    for (const ast::Parameter &p : place_.function->parameters) {
      auto use = place_.names->find(p.name.text);
      const bool unread = use != place_.names->end() && use->second.reads.empty();
      if (p.annotation && text(*p.annotation) == "Rng" && unread) insert(edits, call->span.end - 1, ", " + p.name.text, "draw from `" + p.name.text + "`");
    }
  }
  /// `rng = 42` and `rng.split()`: a number is the seed of a stream.
  void seeded() {
    auto *member = place_.innermost<ast::AttributeExpr>();
    auto *object = member ? as<ast::NameExpr>(member->object) : nullptr;
    if (!object || diagnostic_.message.rfind("an integer", 0) != 0) return;
    static const std::set<std::string> draws = {"split", "normal", "uniform", "bernoulli"};
    if (!draws.count(member->attribute.text)) return;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      if (assign && assign->targets.size() == 1 && text(*assign->targets[0]) == object->name && as<ast::IntExpr>(assign->value))
        replaceOnce(group(true), assign->value->span, "Rng(" + text(*assign->value) + ")", "make a stream of this seed");
    });
  }
  /// A stream that is used twice, or in each turn of a loop: it is split in front of its first use.
  void renewed() {
    auto *stream = as<ast::NameExpr>(place_.expr());
    auto *draw = as<ast::CallExpr>(place_.expr());  // `rng.normal((N,))`
    auto *method = draw ? as<ast::AttributeExpr>(draw->callee) : nullptr;
    if (method) stream = as<ast::NameExpr>(method->object);
    else if (draw) stream = givenStream(*draw);
    if (!stream || !place_.statement) return;
    const std::vector<Use> uses = usesOf(stream->name);
    if (uses.size() > 2) return oneForEach(stream->name, uses);
    if (place_.names->count("now")) return;
    Span whole = place_.statement->span;
    for (const diag::Note &note : diagnostic_.notes)
      for (const ast::StmtPtr &stmt : place_.function->body)
        if (note.span.valid() && stmt->span.begin <= note.span.begin && note.span.end <= stmt->span.end &&
            !binds(*stmt, stream->name))
          whole.begin = std::min(whole.begin, stmt->span.begin);
    const std::string indent(sources_.file(whole.file).lineColumn(whole.begin).column - 1, ' ');
    replace(group(false), {whole.file, whole.begin, stream->span.end},
            stream->name + ", now = " + stream->name + ".split()\n" + indent +
                text({whole.file, whole.begin, stream->span.begin}) + "now",
            "split it, and use each part once");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfStreams(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return StreamEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
