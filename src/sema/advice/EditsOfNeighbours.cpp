// Edits that lie one step from what is written, whatever it is about: another built-in that takes the argument, the value
// that was to be returned, the sizes that a type lacks, axes exchanged inside of a chain, operands exchanged, numbers moved.
#include "sema/Builtins.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/SmallEdits.h"
#include <cctype>
#include <utility>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

class NeighbourEdits : public EditWriter {
public:
  using EditWriter::EditWriter;

  std::vector<CandidateGroup> groups() {
    if (!place_.module) return {};
    switch (diagnostic_.id) {
    case Id::unknownKeyword: otherBuiltin(); break;
    case Id::missingReturn: returnedName(); break;
    case Id::typeArguments: sizesOfStruct(); break;
    case Id::badOperand: fieldOfIndex(); break;
    case Id::outOfBounds: largerBuffer(); break;
    case Id::wrongArgument: wholeParameter(), chosenByCondition(); break;
    case Id::contractionMismatch: exchangedAtoms(), insideChains(), movedNumbers(); break;
    case Id::broadcastFails:
    case Id::shapeMismatch:
    case Id::rankMismatch:
    case Id::wrongResult:
    case Id::badReshape: insideChains(), exchangedAtoms(), movedNumbers(); break;
    default: break;
    }
    return taken();
  }

private:
  static constexpr size_t kMost = 16;

  /// `maximum(x, axis=1)`: the built-in of nearly this name that takes the argument.
  void otherBuiltin() {
    auto *call = place_.innermost<ast::CallExpr>();
    const std::string name = call ? nameOf(*call) : "", keyword = text(diagnostic_.span);
    constexpr size_t kShared = 3;
    if (name.size() < kShared) return;
    auto *method = as<ast::AttributeExpr>(call->callee);
    const char place = !method ? 'P' : isOfTile(*call) ? 'T' : 'M';
    const Span callee = method ? method->attribute.span : call->callee->span;
    CandidateGroup &edits = group(true);
    for (const BuiltinRow &row : builtinRows()) {
      const bool here = row.places.find(place) != std::string_view::npos, near = row.name.substr(0, kShared) == name.substr(0, kShared);
      if (here && near && row.name != name && takes(row.signature, keyword)) replace(edits, callee, std::string(row.name));
    }
  }
  static bool takes(std::string_view signature, std::string_view name) {
    for (size_t at = 0; at < signature.size();) {
      const size_t end = std::min(signature.find(", ", at), signature.size());
      std::string_view parameter = signature.substr(at, end - at);
      if (parameter.ends_with('=')) parameter.remove_suffix(1);
      if (parameter == name) return true;
      at = end + 2;
    }
    return false;
  }

  /// `return y` at the end: the value that nothing reads, else the one that was bound last.
  void returnedName() {
    const ast::FuncDef *def = place_.function;
    if (!def || def->body.empty() || diagnostic_.span != def->name.span || !place_.names) return;
    const ast::Stmt &last = *def->body.back();
    if (last.kind == ast::StmtKind::Return) return;
    std::vector<std::pair<uint32_t, std::string>> names;  // by where they are bound last
    for (const auto &[name, use] : *place_.names)
      if (!use.bindings.empty() && name[0] != '_') names.push_back({use.bindings.back()->span.begin, name});
    std::sort(names.rbegin(), names.rend());
    const std::string body = text(last.span);
    const uint32_t end = last.span.begin + static_cast<uint32_t>(body.find_last_not_of(" \t\r\n") + 1);
    const uint32_t column = sources_.file(def->span.file).lineColumn(def->body.front()->span.begin).column;
    CandidateGroup &edits = group(false);
    for (const auto &[at, name] : names)
      if (edits.edits.size() < kMost) insert(edits, end, "\n" + std::string(column - 1, ' ') + "return " + name, "return `" + name + "`");
    edits.assumes = names.size() > 1;
  }

  const ast::StructDef *structOf(const std::string &name) const {
    for (const ast::StmtPtr &stmt : place_.module->body)
      if (auto *def = as<ast::StructDef>(stmt); def && def->name.text == name) return def;
    return nullptr;
  }
  /// `m: Mlp[D]` for `m: Mlp[D, F]`, where the function has these dimensions.
  void sizesOfStruct() {
    const ast::SubscriptExpr *type = place_.innermost<ast::SubscriptExpr>();
    for (size_t i = 0; !type && place_.function && i < place_.function->parameters.size(); ++i) {
      const ast::Parameter &p = place_.function->parameters[i];
      if (p.annotation)
        visit(*p.annotation, [&](const ast::Expr &part) {
          if (auto *list = as<ast::SubscriptExpr>(&part); list && part.span.begin <= diagnostic_.span.begin && diagnostic_.span.end <= part.span.end) type = list;
        });
    }
    const ast::StructDef *def = type ? structOf(text(*type->object)) : nullptr;
    if (!def || type->items.empty()) return;
    const std::set<std::string> dims = dimensions();
    std::vector<std::string> sizes;
    for (const ast::TypeParameter &t : def->typeParameters) sizes.push_back(t.name.text);
    std::vector<std::string> given;
    for (const ast::Argument &item : type->items) given.push_back(text(item.span));
    const Span all = type->items.front().span.to(type->items.back().span);
    CandidateGroup &edits = group(true);
    const bool known = std::all_of(sizes.begin(), sizes.end(), [&](const std::string &size) { return dims.count(size) != 0; });
    if (known) return replace(edits, all, listOf(sizes), "give it all its sizes");
    if (given.size() > sizes.size()) {  // one too many
      for (size_t i = 0; i < given.size() && given.size() == sizes.size() + 1; ++i) {
        std::vector<std::string> fewer = given;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        replace(edits, all, listOf(fewer), "leave `" + given[i] + "` out");
      }
      return;
    }
    for (const std::string &dim : dims)
      if (given.size() + 1 == sizes.size() && std::find(given.begin(), given.end(), dim) == given.end()) replace(edits, all, listOf(given) + ", " + dim, "give it all its sizes");
  }

  /// `net[0]` of a struct: its first field.
  void fieldOfIndex() {
    auto *subscript = place_.innermost<ast::SubscriptExpr>();
    const ast::Parameter *p = subscript ? parameterOf(subscript->object.get()) : nullptr;
    if (!p || !p->annotation || subscript->items.size() != 1) return;
    auto *type = as<ast::SubscriptExpr>(p->annotation);
    const ast::StructDef *def = structOf(type ? text(*type->object) : text(*p->annotation));
    if (!def) return;
    std::vector<std::string> fields;
    for (const ast::StmtPtr &stmt : def->body)
      if (auto *field = as<ast::AnnAssignStmt>(stmt)) fields.push_back(text(*field->target));
    const Span index{subscript->span.file, subscript->object->span.end, subscript->span.end};
    auto *number = as<ast::IntExpr>(subscript->items[0].value);
    if (number && number->value < fields.size()) return replace(group(false), index, "." + fields[number->value], "take the field");
    CandidateGroup &edits = group(true);
    for (const std::string &field : fields) replace(edits, index, "." + field, "take the field");
  }

  /// `tile.alloc_shared((128,), f32)`, of which element 128 is used: one element more.
  void largerBuffer() {
    auto *item = place_.innermost<ast::SubscriptExpr>();
    auto *store = as<ast::AssignStmt>(place_.statement);
    if (!item && store) item = as<ast::SubscriptExpr>(store->targets[0]);
    auto *name = item ? as<ast::NameExpr>(item->object) : nullptr;
    auto *made = name ? as<ast::CallExpr>(place_.valueOf(name->name)) : nullptr;
    constexpr std::string_view kIndex = "the index ";
    const std::string &said = diagnostic_.message;
    const std::string_view kHas = said.find("which has ") != std::string::npos ? "which has " : "a dimension of ";
    const size_t has = said.find(kHas);
    if (!made || made->arguments.empty() || said.rfind(kIndex, 0) != 0 || has == std::string::npos) return;
    const std::string index = said.substr(kIndex.size(), said.find(' ', kIndex.size()) - kIndex.size());
    const std::string size = said.substr(has + kHas.size(), said.find(' ', has + kHas.size()) - has - kHas.size());
    if (index.empty() || index.size() > 8 || index.find_first_not_of("0123456789") != std::string::npos) return;
    const bool reads = !store || store->targets[0].get() != item;
    if (reads && item->items.size() == 1 && !isStored(*item, index)) guardOfRead(*item, size);
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    visit(*made->arguments[0].value, [&](const ast::Expr &part) {
      if (auto *number = as<ast::IntExpr>(&part); number && number->text == size)
        replace(edits, number->span, std::to_string(std::stoul(index) + 1), "make it as large as the index needs");
    });
  }

  /// Whether the function stores to the element with this number, or where this one is written: else a larger buffer would hold nothing there.
  bool isStored(const ast::SubscriptExpr &element, const std::string &number) const {
    bool found = false;
    visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
      auto *assign = as<ast::AssignStmt>(&stmt);
      auto *target = assign ? as<ast::SubscriptExpr>(assign->targets[0]) : nullptr;
      if (!target || text(*target->object) != text(*element.object) || target->items.empty()) return;
      const std::string at = text(target->items[0].span);
      found |= at == number || at == text(element.items[0].span);
    });
    return found;
  }
  CandidateGroup &assumed() {
    CandidateGroup &edits = group(false);
    edits.assumes = true;
    return edits;
  }
  /// `if i < n:` around `s[t] + s[t + 1]`: where there is no such element, nothing is done.
  void guardOfRead(const ast::SubscriptExpr &element, const std::string &size) {
    auto *next = as<ast::BinaryExpr>(element.items[0].value);  // `t + stride` goes by a loop, which may be what is wrong
    if (!next || next->op != ast::BinaryOp::Add || next->right->kind != ast::ExprKind::Int) return;
    const ast::IfStmt *guard = nullptr;
    for (const ast::Stmt *stmt : statementsAround())
      if (auto *own = as<ast::IfStmt>(stmt)) guard = own;
    if (guard && guard->otherwise.empty() && text(*guard->condition).find(" or ") == std::string::npos)
      insert(assumed(), guard->condition->span.end, " and " + text(element.items[0].span) + " < " + size, "guard the work");
  }

  /// `x[x > 0.0]`: what is not chosen is 0.
  void chosenByCondition() {
    auto *element = place_.innermost<ast::SubscriptExpr>();
    if (!choosesByCondition() || !element || element->items.size() != 1) return;
    replace(group(false), element->span, "where(" + text(element->items[0].span) + ", " + text(*element->object) + ", 0)", "keep the others as 0");
  }
  /// `ids: Tensor[B, S, f32]` that is an index: whole numbers.
  void wholeParameter() {
    if (!place_.function || diagnostic_.message.find("expects an integer") == std::string::npos || choosesByCondition()) return;
    CandidateGroup &edits = group(false);
    edits.assumes = edits.ofSignature = true;
    for (const ast::Parameter &p : place_.function->parameters) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (!type || type->items.empty() || text(diagnostic_.span) != p.name.text) continue;
      const bool bare = extentCount(*type) == type->items.size();
      for (const char *dtype : {"i32", "i64"}) {
        if (bare) insert(edits, type->items.back().span.end, std::string(", ") + dtype, "declare whole numbers");
        else replace(edits, type->items.back().span, dtype, "declare whole numbers");
      }
    }
  }

  /// `o.transpose(1, 2).flatten(2)` for `o.flatten(2)`: two axes exchanged in front of a method of a chain, or behind a value.
  void insideChains() {
    if (place_.inKernel || !place_.expr()) return;
    CandidateGroup &edits = group(true);
    auto after = [&](const ast::Expr &e) {
      for (const char *axes : {".transpose(1, 2)", ".transpose(-2, -1)"}) {
        const bool known = std::any_of(edits.edits.begin(), edits.edits.end(), [&](const diag::Fix &fix) { return fix.span.begin == e.span.end && fix.replacement == axes; });
        if (!known && edits.edits.size() < kMost) insert(edits, e.span.end, axes, "exchange two axes");
      }
    };
    eachInPlay([&](const ast::Expr &part) {
      auto *call = as<ast::CallExpr>(&part);
      auto *method = call ? as<ast::AttributeExpr>(call->callee) : nullptr;
      if (!method || method->attribute.text == "transpose" || method->attribute.text == "permute") return;
      if (asPrimary(*method->object) == text(*method->object)) after(*method->object);
      if (method->attribute.text == "reshape" || method->attribute.text == "view") after(part);
    });
  }

  /// `p @ a @ p.T` for `p.T @ a @ p`: two operands of an expression exchanged, `m * v` of which one stands in each sum.
  void exchangedAtoms() {
    const ast::Expr *top = nullptr;  // the whole of the operators around the place
    for (const ast::Expr *e : place_.around) {
      if (e->kind != ast::ExprKind::Binary && e->kind != ast::ExprKind::Unary) break;
      top = e;
    }
    if (!top) return;
    std::vector<const ast::Expr *> atoms;
    operandsOf(*top, atoms);
    CandidateGroup &edits = group(true);
    edits.assumes = true;
    for (size_t i = 0; i < atoms.size(); ++i)
      for (size_t j = i + 1; j < atoms.size(); ++j) {
        const Span a = atoms[i]->span, b = atoms[j]->span;
        const bool number = atoms[i]->kind == ast::ExprKind::Float || atoms[j]->kind == ast::ExprKind::Float || atoms[i]->kind == ast::ExprKind::Int || atoms[j]->kind == ast::ExprKind::Int;
        if (!number && text(a) != text(b) && edits.edits.size() < kMost)
          replace(edits, a.to(b), text(b) + text({a.file, a.end, b.begin}) + text(a), "exchange them");
      }
  }
  static void operandsOf(const ast::Expr &e, std::vector<const ast::Expr *> &atoms) {
    if (auto *binary = as<ast::BinaryExpr>(&e)) return operandsOf(*binary->left, atoms), operandsOf(*binary->right, atoms);
    if (auto *unary = as<ast::UnaryExpr>(&e)) return operandsOf(*unary->operand, atoms);
    atoms.push_back(&e);
  }

  /// `wrt=(1, 2)` for `(0, 1)`: all numbers of a list one less, or one more.
  void movedNumbers() {
    CandidateGroup &edits = group(true);
    eachInPlay([&](const ast::Expr &part) {
      if (part.kind != ast::ExprKind::Tuple) return;
      const auto &items = static_cast<const ast::SequenceExpr &>(part).items;
      std::string less, more;
      for (const ast::ExprPtr &item : items) {
        auto *number = as<ast::IntExpr>(item);
        if (!number || number->value > 8 || items.size() < 2) return;
        less += (less.empty() ? "" : ", ") + std::to_string(static_cast<int64_t>(number->value) - 1);
        more += (more.empty() ? "" : ", ") + std::to_string(number->value + 1);
      }
      if (items.size() < 2) return;
      const Span all = items.front()->span.to(items.back()->span);
      if (less[0] != '-' && less.find_first_not_of("1, ") != std::string::npos) replace(edits, all, less, "count from 0");  // a window of 1 does nothing
      replace(edits, all, more, "take the next ones");
    });
  }
};

}  // namespace

std::vector<CandidateGroup> editsOfNeighbours(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  return NeighbourEdits(diagnostic, place, sources).groups();
}

}  // namespace tessera::sema
