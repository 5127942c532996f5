// What a function or a struct declares, as a rival of the edits of a body: both may mend a mistake, and the declaration comes
// first where the function speaks for it.
#include "sema/advice/Rivals.h"
#include "sema/advice/SmallEdits.h"
#include <algorithm>
#include <cctype>

namespace tessera::sema {
namespace {

constexpr std::string_view kDeclareExtent = "declare the extent that is needed";

/// Whether an edit turns axes around that were not turned before.
bool turnsAxes(const diag::Fix &fix, const Sources &sources) {
  const std::string_view before = sources.text(fix.span);
  auto turns = [](std::string_view text) {
    return text.find(".T") != std::string_view::npos || text.find("transpose(") != std::string_view::npos || text.find(".permute(") != std::string_view::npos;
  };
  return turns(fix.replacement) && !turns(before);
}
/// ... or puts what is there into another order.
bool reorders(const diag::Fix &fix, const Sources &sources) {
  auto sorted = [](std::string_view text) {
    std::string all(text);
    std::sort(all.begin(), all.end());
    return all;
  };
  return turnsAxes(fix, sources) || (!fix.replacement.empty() && sorted(sources.text(fix.span)) == sorted(fix.replacement));
}

/// The declared types with two of their extents exchanged; the result first.
std::vector<diag::Fix> exchangedDeclarations(const ast::FuncDef &def, const Sources &sources) {
  std::vector<diag::Fix> edits;
  auto of = [&](const ast::Expr *annotation) {
    auto *type = ast::as<ast::SubscriptExpr>(annotation);
    if (!type || sources.text(type->object->span) != "Tensor") return;
    for (size_t i = 0; i + 1 < type->items.size(); ++i) {
      const Span a = type->items[i].span, b = type->items[i + 1].span;
      const std::string left(sources.text(a)), right(sources.text(b));
      const bool extents = std::isupper(static_cast<unsigned char>(left[0])) && std::isupper(static_cast<unsigned char>(right[0]));
      if (extents && left != right) edits.push_back({a.to(b), right + ", " + left, "declare the axes in this order", diag::Applicability::Assumption});
    }
  };
  of(def.result.get());
  for (const ast::Parameter &p : def.parameters) of(p.annotation.get());
  return edits;
}

/// Whether the declared types begin with the same axis as others of the function with this edit of one of them, and did not
/// before: `x: Tensor[D, B]` of a function that returns `Tensor[B, E]`.
bool beginsAlike(const diag::Fix &fix, const ast::FuncDef &def, const Sources &sources) {
  auto firstOf = [&](const ast::Expr *annotation) {
    auto *type = ast::as<ast::SubscriptExpr>(annotation);
    return type && !type->items.empty() ? std::string(sources.text(type->items[0].span)) : std::string();
  };
  auto holds = [&](const ast::Expr *annotation) { return annotation && annotation->span.begin <= fix.span.begin && fix.span.end <= annotation->span.end; };
  auto begins = [&](const ast::Expr *annotation) {
    auto *type = ast::as<ast::SubscriptExpr>(annotation);
    return type && !type->items.empty() && type->items[0].span.begin == fix.span.begin;
  };
  const std::string made = fix.replacement.substr(0, fix.replacement.find(','));
  if (made.empty() || !std::isalpha(static_cast<unsigned char>(made[0]))) return false;
  if (holds(def.result.get())) {
    const std::string first = def.parameters.empty() ? "" : firstOf(def.parameters[0].annotation.get());
    return begins(def.result.get()) && first == made && firstOf(def.result.get()) != first;
  }
  const std::string result = firstOf(def.result.get());
  for (const ast::Parameter &p : def.parameters)
    if (holds(p.annotation.get())) return begins(p.annotation.get()) && made == result && firstOf(p.annotation.get()) != result;
  return false;
}

/// Where an edit turns axes around, they may be declared in the wrong order as well: then that is offered beside it, and in
/// front of it where the result and the parameters begin with the same axis only then.
void addDeclared(diag::Diagnostic &d, const Place &place, const Sources &sources, Trials &trials) {
  constexpr size_t kMostTried = 12;
  if (!place.function || d.fixes.empty() || !reorders(d.fixes.front(), sources)) return;
  const uint32_t body = place.function->body.front()->span.begin;
  if (d.fixes.front().span.begin < body) return;
  auto declares = [&](const diag::Fix &fix) { return fix.span.begin < body && fix.span.begin >= place.function->span.begin && fix.replacement.rfind(" where", 0) != 0 && fix.replacement[0] != ','; };
  auto found = std::find_if(d.fixes.begin(), d.fixes.end(), declares);
  if (found == d.fixes.end()) {
    const std::vector<diag::Fix> edits = exchangedDeclarations(*place.function, sources);
    for (size_t i = 0; i < edits.size() && i < kMostTried && found == d.fixes.end(); ++i)
      if (trials.mendsAll(edits[i], d)) found = d.fixes.insert(d.fixes.begin() + 1, edits[i]);
    if (found != d.fixes.end() || trials.isSpent()) onlyAssumed(d.fixes);
  }
  const bool exchanges = found != d.fixes.end() && found->replacement.find(',') != std::string::npos;
  if (exchanges && turnsAxes(d.fixes.front(), sources) && beginsAlike(*found, *place.function, sources)) std::rotate(d.fixes.begin(), found, found + 1);
}

/// What is returned may be declared instead: also where the search for edits of the body came to its end before.
void addReturned(diag::Diagnostic &d, const Place &place, const Sources &sources, Trials &trials) {
  if (d.id != diag::Id::wrongResult || d.fixes.size() > kMostOffered || !place.function || place.function->body.empty()) return;
  for (const CandidateGroup &group : editsOfSignatures(d, place, sources))
    for (const diag::Fix &fix : group.edits) {
      if (isAmong(fix, d.fixes)) return;
      if (!trials.mendsAll(fix, d)) continue;
      const bool behind = !d.fixes.empty() && d.fixes.front().span.begin >= place.function->body.front()->span.begin;
      d.fixes.insert(d.fixes.begin() + (behind ? 1 : 0), fix);
      return onlyAssumed(d.fixes);
    }
}

/// `where S == B`: that one of them was declared for the other at one place is offered in front of it.
void addRenamedDimension(diag::Diagnostic &d, const Place &place, const Sources &sources, Trials &trials) {
  constexpr std::string_view kEqual = " == ";
  auto fact = std::find_if(d.fixes.begin(), d.fixes.end(), [&](const diag::Fix &fix) { return assumes(fix) && (fix.replacement.rfind(" where ", 0) == 0 || fix.replacement.rfind(", ", 0) == 0); });
  if (!place.function || fact == d.fixes.end()) return;
  std::string said = fact->replacement.substr(fact->replacement.find(' ') + 1);
  if (said.rfind("where ", 0) == 0) said.erase(0, 6);
  const size_t equal = said.find(kEqual);
  if (equal == std::string::npos || said.find(',') != std::string::npos) return;
  const std::string left = said.substr(0, equal), right = said.substr(equal + kEqual.size());
  std::vector<diag::Fix> twice, once;  // of a type that names a dimension twice, one was hardly meant
  auto of = [&](const ast::Expr *annotation) {
    auto *type = ast::as<ast::SubscriptExpr>(annotation);
    for (size_t i = 0; type && i < type->items.size(); ++i) {
      const std::string own(sources.text(type->items[i].span));
      if (own != left && own != right) continue;
      const auto same = std::count_if(type->items.begin(), type->items.end(), [&](const ast::Argument &item) { return sources.text(item.span) == own; });
      (same > 1 ? twice : once).push_back({type->items[i].span, own == left ? right : left, std::string(kDeclareExtent), diag::Applicability::Assumption});
    }
  };
  of(place.function->result.get());
  for (const ast::Parameter &p : place.function->parameters) of(p.annotation.get());
  const bool alone = std::all_of(d.fixes.begin(), fact, [](const diag::Fix &fix) { return fix.title == kDeclareExtent; });  // or one of several declarations
  size_t at = static_cast<size_t>(fact - d.fixes.begin()), added = 0;
  for (const std::vector<diag::Fix> &edits : {twice, once})
    for (const diag::Fix &edit : edits) {
      const bool wanted = (alone || &edits == &twice) && added < kMostOffered && at < kMostOffered;
      if (!wanted || isAmong(edit, d.fixes) || !trials.mendsAll(edit, d)) continue;
      d.fixes.insert(d.fixes.begin() + static_cast<std::ptrdiff_t>(at++), edit), ++added;
    }
  if (added > 0) onlyAssumed(d.fixes);
}

}  // namespace

void addRivalDeclarations(diag::Diagnostic &d, const Place &place, const Sources &sources, Trials &trials) {
  addReturned(d, place, sources, trials);
  addDeclared(d, place, sources, trials);
  addRenamedDimension(d, place, sources, trials);
}

void addRenamed(diag::Diagnostic &d, const Place &place, const Sources &sources, Trials &trials) {
  if (d.id != diag::Id::unknownField || d.fixes.empty() || assumes(d.fixes.front()) || !place.module) return;
  const diag::Fix used = d.fixes.front();
  const std::string wanted(sources.text(used.span));
  for (const ast::StmtPtr &stmt : place.module->body) {
    auto *def = ast::as<ast::StructDef>(stmt);
    for (size_t i = 0; def && i < def->body.size(); ++i) {
      auto *field = ast::as<ast::AnnAssignStmt>(def->body[i]);
      if (!field || sources.text(field->target->span) != used.replacement) continue;
      const diag::Fix declared{field->target->span, wanted, "declare it as `" + wanted + "`", diag::Applicability::Assumption};
      if (trials.leftWith(declared).value_or(1) != 0) continue;
      const bool oftener = trials.leftWith(used).value_or(0) != 0;  // several places read it by this name
      d.fixes.insert(d.fixes.begin() + (oftener ? 0 : 1), declared);
      return onlyAssumed(d.fixes);
    }
  }
}

}  // namespace tessera::sema
