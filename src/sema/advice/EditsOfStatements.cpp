// Edits of whole statements: a condition over a tensor, a way without a result, what was taken away, a class.
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class StatementEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (diagnostic_.id == Id::notSupportedYet) structOfClass(), withoutGuard(), withoutMaker(), withoutBlock();
    if (!place_.function || !place_.statement) return taken();
    switch (diagnostic_.id) {
    case Id::divergentCollective: onAllDevices(); break;
    case Id::notIterable: rowsByIndex(); break;
    case Id::notACondition: chosenResult(), chosenValue(), anyOfAll(); break;
    case Id::missingReturn: otherResult(), severalResults(); break;
    case Id::unreadFunction: typeOfStream(); break;
    case Id::undefinedName: notTakenAway(); break;
    default: break;
    }
    return taken();
  }

private:
  static const ast::ReturnStmt *onlyReturn(const ast::Block &block) {
    auto *stmt = block.size() == 1 ? as<ast::ReturnStmt>(block[0]) : nullptr;
    return stmt && stmt->value ? stmt : nullptr;
  }
  std::string chosen(const ast::IfStmt &choice, const std::string &then, const std::string &otherwise) const {
    return "where(" + text(*choice.condition) + ", " + then + ", " + otherwise + ")";
  }
  bool isCondition(const ast::IfStmt *choice) const {
    return choice && !place_.inKernel && choice->condition->span == diagnostic_.span;
  }

  /// `if x > 1.0: return x * 0.5`, and `return x` behind it or in an `else:`.
  void chosenResult() {
    auto *choice = as<ast::IfStmt>(place_.statement);
    if (!isCondition(choice) || !onlyReturn(choice->then)) return;
    const ast::ReturnStmt *other = choice->otherwise.empty() ? nullptr : onlyReturn(choice->otherwise);
    const ast::Block &body = place_.function->body;
    for (size_t i = 0; i + 1 < body.size() && choice->otherwise.empty(); ++i)
      if (body[i].get() == choice) other = as<ast::ReturnStmt>(body[i + 1]);
    if (!other || !other->value) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;  // or whether it holds of all elements is asked
    replace(edits, trimmed(choice->span.to(other->span)),
            "return " + chosen(*choice, text(*onlyReturn(choice->then)->value), text(*other->value)),
            "choose for each element");
  }

  /// `if x > 1.0: y = x * 0.5`, with `y = x` in an `else:` or before it.
  void chosenValue() {
    auto *choice = as<ast::IfStmt>(place_.statement);
    if (!isCondition(choice) || choice->then.size() != 1 || choice->otherwise.size() > 1) return;
    auto assigned = [](const ast::StmtPtr &stmt) {
      auto *assign = as<ast::AssignStmt>(stmt);
      return assign && assign->targets.size() == 1 && assign->targets[0]->kind == ast::ExprKind::Name ? assign
                                                                                                      : nullptr;
    };
    const ast::AssignStmt *then = assigned(choice->then[0]),
                          *other = choice->otherwise.empty() ? nullptr : assigned(choice->otherwise[0]);
    if (!then || (!choice->otherwise.empty() && (!other || text(*other->targets[0]) != text(*then->targets[0]))))
      return;
    const std::string name = text(*then->targets[0]);
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, trimmed(choice->span),
            name + " = " + chosen(*choice, text(*then->value), other ? text(*other->value) : name),
            "choose for each element");
  }

  /// `while y > 1.0:` over a tensor: whether one or all of the elements are meant is for the author to say.
  void anyOfAll() {
    auto *loop = as<ast::WhileStmt>(place_.statement);
    if (!loop || place_.inKernel || loop->condition->span != diagnostic_.span) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    replace(edits, diagnostic_.span, "any(" + text(diagnostic_.span) + ")", "go on while it holds of one of them");
  }

  /// `if x > y: return x`, where nothing reads `y` otherwise: it is the result on the other way.
  void otherResult() {
    auto *choice = as<ast::IfStmt>(place_.statement);
    if (!choice || !choice->otherwise.empty() || choice->then.empty() || !place_.names) return;
    auto *given = as<ast::ReturnStmt>(choice->then.back());
    if (!given || !given->value) return;
    std::set<std::string> compared, names;
    auto add = [](std::set<std::string> &into) {
      return [&into](const ast::Expr &part) {
        if (auto *name = as<ast::NameExpr>(&part)) into.insert(name->name);
      };
    };
    visit(*given->value, add(names));
    visit(*choice->condition, add(compared));
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (const auto &[name, use] : *place_.names) {
      bool here = use.reads.empty() || (use.reads.size() == 1 && compared.count(name));
      if (here && use.isBound() && !names.count(name) && name[0] != '_')
        insert(edits, trimmed(choice->span).end, "\n" + indentOf(*choice) + "return " + name, "return `" + name + "`");
    }
  }

  /// `with torch.no_grad():`: what stands in it, without it.
  void withoutBlock() {
    auto *with = as<ast::WithStmt>(place_.statement);
    if (!with || with->body.empty()) return;
    for (const ast::WithItem &item : with->items)
      if (item.target) return;
    const size_t outer = indentOf(*with).size(), inner = indentOf(*with->body.front()).size();
    if (inner <= outer) return;
    const std::string more = "\n" + std::string(inner, ' '), less = "\n" + std::string(outer, ' ');
    std::string body = text(trimmed(with->body.front()->span.to(with->body.back()->span)));
    for (size_t at = body.find(more); at != std::string::npos; at = body.find(more, at + less.size()))
      body.replace(at, more.size(), less);
    const std::string header = text({with->span.file, with->span.begin, with->body.front()->span.begin});
    CandidateGroup &edits = group(false);
    edits.assumes = header.find("no_grad") == std::string::npos && header.find("inference_mode") == std::string::npos;
    replace(edits, trimmed(with->span), body, "write what stands in it without it");
  }

  /// `v = v + dt * a` and `x = x + dt * v` of a function that declares two results and returns none.
  void severalResults() {
    const ast::FuncDef &def = *place_.function;
    if (!def.result || def.result->kind != ast::ExprKind::Tuple || def.body.empty() || !place_.names) return;
    std::string names;
    size_t count = 0;
    for (const ast::Parameter &p : def.parameters) {
      auto it = place_.names->find(p.name.text);
      if (it == place_.names->end() || it->second.bindings.empty()) continue;
      names += (names.empty() ? "" : ", ") + p.name.text, ++count;
    }
    if (count != static_cast<const ast::SequenceExpr &>(*def.result).items.size()) return;
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    insert(edits, trimmed(def.body.back()->span).end, "\n" + indentOf(*def.body.back()) + "return " + names,
           "return what was made");
  }

  /// `def noise(x: Tensor[N, f32], rng)`
  void typeOfStream() {
    for (const ast::Parameter &p : place_.function->parameters)
      if (!p.annotation && p.name.text == "rng")
        insert(group(false), p.name.span.end, ": Rng", "a stream has the type `Rng`");
  }

  /// `for i, row in enumerate(x):` and `for row in x:` over a tensor.
  void rowsByIndex() {
    auto *loop = as<ast::ForStmt>(place_.statement);
    if (!loop || loop->body.empty()) return;
    const ast::Expr *over = loop->iterable.get(), *row = loop->target.get();
    std::string index = "i";
    auto *call = as<ast::CallExpr>(over);
    if (call && nameOf(*call) == "enumerate" && call->arguments.size() == 1 && row->kind == ast::ExprKind::Tuple &&
        static_cast<const ast::SequenceExpr *>(row)->items.size() == 2) {
      auto &names = static_cast<const ast::SequenceExpr *>(row)->items;
      over = call->arguments[0].value.get(), index = text(*names[0]), row = names[1].get();
    } else if (place_.names && place_.names->count("i")) {
      return;
    }
    if (over->kind != ast::ExprKind::Name || row->kind != ast::ExprKind::Name) return;
    const ast::Stmt &first = *loop->body.front();
    replaceAll(group(false),
               {{loop->target->span.to(loop->iterable->span), index + " in range(" + text(*over) + ".shape[0])"},
                {{first.span.file, first.span.begin, first.span.begin},
                 text(*row) + " = " + text(*over) + "[" + index + "]\n" + indentOf(first)}},
               "count the rows, and take each by its index");
  }

  /// `del n`, and `n` is read behind it.
  void notTakenAway() {
    auto *name = as<ast::NameExpr>(place_.expr());
    if (!name) return;
    for (const ast::StmtPtr &stmt : place_.function->body) {
      auto *gone = as<ast::DelStmt>(stmt);
      if (!gone || gone->targets.size() != 1 || text(*gone->targets[0]) != name->name) continue;
      CandidateGroup &edits = group(false);
      edits.assumes = true;  // or the use is one too many
      replace(edits, lines(gone->span), "", "leave it out: it is read behind it");
    }
  }

  /// From the statement to the line behind it.
  Span lines(Span span) const {
    const SourceFile &file = sources_.file(span.file);
    const uint32_t end = trimmed(span).end;
    const bool lineBreak = end < file.text.size() && file.text[end] == '\n';
    return {span.file, file.lineStart(file.lineColumn(span.begin).line), end + (lineBreak ? 1 : 0)};
  }

  /// `if rank() == 0:` around nothing but the collective.
  void onAllDevices() {
    if (!place_.function) return;
    for (const ast::Stmt *stmt : statementsAround()) {
      auto *guard = as<ast::IfStmt>(stmt);
      if (guard && guard->then.size() == 1 && guard->otherwise.empty() && guard->then[0].get() == place_.statement)
        replace(group(false), guard->span.to(place_.statement->span), text(place_.statement->span),
                "do it on all devices");
    }
  }

  /// `if __name__ == "__main__": main()`
  void withoutGuard() {
    auto *guard = as<ast::IfStmt>(place_.outermost);
    auto *compare = guard ? as<ast::CompareExpr>(guard->condition) : nullptr;
    if (!compare || text(*compare->operands[0]) != "__name__") return;
    const ast::Block &body = place_.module->body;
    const bool hasMain = std::any_of(body.begin(), body.end(), [](const ast::StmtPtr &stmt) {
      auto *def = as<ast::FuncDef>(stmt);
      return def && def->name.text == "main";
    });
    auto *only = guard->then.size() == 1 ? as<ast::ExprStmt>(guard->then[0]) : nullptr;
    auto *call = only ? as<ast::CallExpr>(only->value) : nullptr;
    if (!hasMain)
      replace(group(false), {guard->span.file, guard->span.begin, guard->condition->span.end}, "def main()",
              "what runs is called `main`");
    else if (call && nameOf(*call) == "main")
      replace(group(false), lines(guard->span), "", "leave it out: `main` is what runs");
  }

  /// `def __init__(self, ...)` of a struct.
  void withoutMaker() {
    auto *owner = as<ast::StructDef>(place_.outermost);
    if (!owner || !place_.function || place_.function->name.text != "__init__") return;
    replace(group(false), lines(place_.function->span), "", "leave it out: it is made by naming its fields");
  }

  /// `class Norm(nn.Module):` with typed fields, and methods that make no fields.
  void structOfClass() {
    auto *def = as<ast::ClassDef>(place_.statement);
    if (!def || !def->decorators.empty() || def->body.empty() || !diagnostic_.fixes.empty()) return;
    std::vector<std::string> dims;  // in the order in which they occur
    auto addDim = [&](const std::string &dim) {
      if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
    };
    for (const ast::TypeParameter &t : def->typeParameters) addDim(t.name.text);
    for (const ast::StmtPtr &stmt : def->body) {
      auto *field = as<ast::AnnAssignStmt>(stmt);
      auto *type = field ? as<ast::SubscriptExpr>(field->annotation) : nullptr;
      auto *method = as<ast::FuncDef>(stmt);
      if (method && method->name.text != "__init__") continue;
      if (!field) return;
      for (size_t i = 0; type && i < extentCount(*type); ++i)
        visit(*type->items[i].value, [&](const ast::Expr &part) {
          auto *name = as<ast::NameExpr>(&part);
          if (name && std::isupper(static_cast<unsigned char>(name->name[0]))) addDim(name->name);
        });
    }
    std::string sizes;
    for (const std::string &dim : dims) sizes += (sizes.empty() ? "[" : ", ") + dim;
    const std::string &all = sources_.file(def->span.file).text;
    size_t colon = all.find(':', def->bases.empty() ? def->name.span.end : def->bases.back().span.end);
    if (colon == std::string::npos || colon > def->body.front()->span.begin) return;
    if (def->bases.empty() && def->typeParameters.size() == dims.size()) {  // the head is right but for its first word
      constexpr uint32_t kClass = 5;
      return replace(group(false), {def->span.file, def->span.begin, def->span.begin + kClass}, "struct", "write it as a `struct`");
    }
    replace(group(false), {def->span.file, def->span.begin, static_cast<uint32_t>(colon)},
            "struct " + def->name.text + (sizes.empty() ? "" : sizes + "]"), "write it as a `struct`");
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfStatements(const diag::Diagnostic &diagnostic, const Place &place,
                                              const Sources &sources) {
  return StatementEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
