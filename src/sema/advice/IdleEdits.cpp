// Edits that fit and were hardly meant: something would be read no more, or would be there twice.
#include "frontend/Walk.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/Rivals.h"
#include <algorithm>
#include <cctype>

namespace tessera::sema {

void onlyAssumed(std::vector<diag::Fix> &fixes) {
  for (diag::Fix &fix : fixes) fix.applicability = diag::Applicability::Assumption;
}

bool isAmong(const diag::Fix &fix, const std::vector<diag::Fix> &fixes) {
  return std::any_of(fixes.begin(), fixes.end(), [&](const diag::Fix &known) {
    return known.span == fix.span && known.replacement == fix.replacement;
  });
}

bool makeTheSame(const diag::Fix &a, const diag::Fix &b, const Sources &sources) {
  if (a.span.file != b.span.file) return false;
  const Span whole = a.span.to(b.span).to(a.span);
  auto made = [&](const diag::Fix &fix) {
    return std::string(sources.text({whole.file, whole.begin, fix.span.begin})) + fix.replacement +
           std::string(sources.text({whole.file, fix.span.end, whole.end}));
  };
  return made(a) == made(b);
}

bool mayMeanTheSame(const diag::Fix &a, const diag::Fix &b) {
  return touch(a.span, b.span) && a.span.begin == a.span.end && b.span.begin == b.span.end;
}

namespace {

bool partOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool mentionsName(const std::string &text, const std::string &name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !partOfWord(text[at - 1])) && (end == text.size() || !partOfWord(text[end]))) return true;
  }
  return false;
}

/// Whether the function reads a name no more with this edit: it was given its value for something.
bool leavesUnread(const diag::Fix &fix, const Place &place) {
  if (!place.names || fix.replacement.empty()) return false;
  auto inside = [&](const ast::NameExpr *read) { return fix.span.begin <= read->span.begin && read->span.end <= fix.span.end; };
  return std::any_of(place.names->begin(), place.names->end(), [&](const auto &entry) {
    const auto &[name, use] = entry;
    return !use.bindings.empty() && !use.reads.empty() && std::all_of(use.reads.begin(), use.reads.end(), inside) &&
           !mentionsName(fix.replacement, name);
  });
}

/// The innermost statement of the function around an edit.
const ast::Stmt *statementOf(const diag::Fix &fix, const Place &place) {
  const ast::Stmt *found = nullptr;
  std::vector<const ast::Stmt *> open;
  for (size_t i = 0; place.function && i < place.function->body.size(); ++i) open.push_back(place.function->body[i].get());
  while (!open.empty()) {
    const ast::Stmt *stmt = open.back();
    open.pop_back();
    if (fix.span.file != stmt->span.file || fix.span.begin < stmt->span.begin || stmt->span.end < fix.span.end) continue;
    found = stmt;
    for (const ast::Stmt *inner : ast::childrenOf(*stmt).stmts) open.push_back(inner);
  }
  return found;
}

/// A part as it is compared with others: `x[0:-1]` is `x[:-1]`.
std::string asCompared(std::string shown) {
  for (size_t at = shown.find("0:"); at != std::string::npos; at = shown.find("0:", at + 1))
    if (at > 0 && (shown[at - 1] == '[' || shown[at - 1] == ' ')) shown.erase(at, 1);
  return shown;
}

/// Whether an edit makes of an element or slice what stands in its statement already: `x[:-2] + x[1:-1] + x[1:-1]`.
bool repeatsPart(const diag::Fix &fix, const Place &place, const Sources &sources) {
  const ast::Stmt *statement = statementOf(fix, place);
  if (!statement) return false;
  std::vector<const ast::Expr *> open = ast::childrenOf(*statement).exprs, parts;
  while (!open.empty()) {
    const ast::Expr *e = open.back();
    open.pop_back();
    if (e->kind == ast::ExprKind::Subscript) parts.push_back(e);
    const std::vector<const ast::Expr *> below = ast::childrenOf(*e).exprs;
    open.insert(open.end(), below.begin(), below.end());
  }
  auto holds = [&](const ast::Expr *e) {
    return e->span.file == fix.span.file && e->span.begin < fix.span.begin && fix.span.end < e->span.end;
  };
  return std::any_of(parts.begin(), parts.end(), [&](const ast::Expr *edited) {
    if (!holds(edited)) return false;
    std::string made(sources.text(edited->span));
    made.replace(fix.span.begin - edited->span.begin, fix.span.end - fix.span.begin, fix.replacement);
    made = asCompared(std::move(made));
    return std::any_of(parts.begin(), parts.end(), [&](const ast::Expr *other) { return !holds(other) && asCompared(std::string(sources.text(other->span))) == made; });
  });
}

/// Whether an edit puts a part behind an item whose neighbour in the same list is that part already: `[x[:, 1:], x[:, 1:]]`.
bool repeatsNeighbour(const diag::Fix &fix, const Place &place, const Sources &sources) {
  const ast::Stmt *statement = statementOf(fix, place);
  if (!statement || fix.span.begin != fix.span.end || !fix.replacement.starts_with("[")) return false;
  std::vector<const ast::Expr *> open = ast::childrenOf(*statement).exprs;
  while (!open.empty()) {
    const ast::Expr *e = open.back();
    open.pop_back();
    const std::vector<const ast::Expr *> items = ast::childrenOf(*e).exprs;
    open.insert(open.end(), items.begin(), items.end());
    if (e->kind != ast::ExprKind::List && e->kind != ast::ExprKind::Tuple && e->kind != ast::ExprKind::Call) continue;
    for (const ast::Expr *item : items) {
      if (item->span.end != fix.span.begin) continue;
      const std::string made = asCompared(std::string(sources.text(item->span)) + fix.replacement);
      if (std::any_of(items.begin(), items.end(), [&](const ast::Expr *other) { return other != item && asCompared(std::string(sources.text(other->span))) == made; })) return true;
    }
  }
  return false;
}

/// Whether an edit makes of a value what another statement of the function has already: `right = u[1:-1, :-2]` behind
/// `left = u[1:-1, :-2]`.
bool repeatsValue(const diag::Fix &fix, const Place &place, const Sources &sources) {
  if (!place.function) return false;
  std::vector<std::string> values;
  std::string made;
  visitStatements(*place.function, [&](const ast::Stmt &stmt) {
    auto *assign = ast::as<ast::AssignStmt>(&stmt);
    if (!assign || assign->value->kind == ast::ExprKind::Name) return;
    const Span value = assign->value->span;
    values.emplace_back(sources.text(value));
    if (fix.span.file != value.file || fix.span.begin < value.begin || value.end < fix.span.end) return;
    made = values.back();
    values.pop_back();
    made.replace(fix.span.begin - value.begin, fix.span.end - fix.span.begin, fix.replacement);
  });
  return std::find(values.begin(), values.end(), made) != values.end();
}

/// Whether a name was made of another one by new axes, `m = k[:, None]`: it is what the other one has to be beside more axes.
bool widens(const std::string &name, const std::string &other, const Place &place, const Sources &sources) {
  auto *item = ast::as<ast::SubscriptExpr>(place.valueOf(name));
  return item && sources.text(item->object->span) == other && sources.text(item->span).find("None") != std::string_view::npos;
}

/// Whether an edit of shapes writes a value for another one that its statement reads already: `w / w` for `w / s`.
bool repeatsName(const diag::Fix &fix, const diag::Diagnostic &d, const Place &place, const Sources &sources) {
  using diag::Id;
  if (d.id != Id::broadcastFails && d.id != Id::contractionMismatch && d.id != Id::shapeMismatch) return false;
  const ast::Stmt *statement = statementOf(fix, place);
  const bool ofMember = fix.span.end < sources.file(fix.span.file).text.size() && sources.text({fix.span.file, fix.span.end, fix.span.end + 1}) == ".";
  if (!statement || place.inKernel || ofMember || !exchangesNames(fix, place, sources)) return false;
  if (widens(fix.replacement, std::string(sources.text(fix.span)), place, sources)) return false;
  const std::string before(sources.text({fix.span.file, statement->span.begin, fix.span.begin})),
      behind(sources.text({fix.span.file, fix.span.end, statement->span.end}));
  return mentionsName(before, fix.replacement) || mentionsName(behind, fix.replacement);
}

}  // namespace

bool leavesIdle(const diag::Fix &fix, const diag::Diagnostic &d, const Place &place, const Sources &sources) {
  return leavesUnread(fix, place) || repeatsPart(fix, place, sources) || repeatsNeighbour(fix, place, sources) || repeatsValue(fix, place, sources) || repeatsName(fix, d, place, sources);
}

bool exchangesNames(const diag::Fix &fix, const Place &place, const Sources &sources) {
  auto isBound = [&](const std::string &name) {
    auto use = place.names ? place.names->find(name) : decltype(place.names->end()){};
    return place.names && use != place.names->end() && use->second.isBound();
  };
  const bool ofMember = fix.span.begin > 0 && sources.text({fix.span.file, fix.span.begin - 1, fix.span.begin}) == ".";  // `T.m`
  return !ofMember && isBound(std::string(sources.text(fix.span))) && isBound(fix.replacement);
}

}  // namespace tessera::sema
