#include "sema/advice/Advice.h"
#include "diag/Edits.h"
#include "frontend/Walk.h"
#include "sema/advice/Candidates.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/Origins.h"
#include "sema/advice/Remedies.h"
#include "sema/advice/SmallEdits.h"
#include "sema/advice/Trials.h"
#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

namespace tessera::sema {
namespace {

/// So many edits beside one another are as much as anybody reads.
constexpr size_t kMostOffered = 3;

/// Of a message about shapes, the others about its statement: what they are about has no shape, so what an edit makes
/// of it is hidden.
std::set<Messages::key_type> othersAbout(const ast::Stmt *statement, const diag::Diagnostic &target,
                                         const std::vector<diag::Diagnostic> &all) {
  std::set<Messages::key_type> others;
  bool ofShapes = diag::row(target.id).code.substr(0, 3) == "E04";
  for (const diag::Diagnostic &d : all) {
    bool inside = ofShapes && statement && d.span.file == target.span.file && statement->span.begin <= d.span.begin &&
                  d.span.end <= statement->span.end;
    if (inside && (d.id != target.id || d.message != target.message)) others.insert({d.id, d.message});
  }
  return others;
}

/// Of a group whose edits are tried in order the first that mends it; of another all that do, up to as many as are
/// offered beside one another.
std::vector<const diag::Fix *> thatMend(const CandidateGroup &group, const diag::Diagnostic &target, const Part &part,
                                        const std::set<Messages::key_type> &others, Trials &trials) {
  std::vector<const diag::Fix *> found;
  for (const diag::Fix &fix : group.edits) {
    if (!trials.mends(fix, target, part, others) || (group.ofSignature && !trials.mendsAll(fix, target))) continue;
    found.push_back(&fix);
    if (!group.onlyIfUnique || found.size() == kMostOffered) break;
  }
  return found;
}

void onlyAssumed(std::vector<diag::Fix> &fixes) {
  for (diag::Fix &fix : fixes) fix.applicability = diag::Applicability::Assumption;
}

bool isAmong(const diag::Fix &fix, const std::vector<diag::Fix> &fixes) {
  return std::any_of(fixes.begin(), fixes.end(), [&](const diag::Fix &known) {
    return known.span == fix.span && known.replacement == fix.replacement;
  });
}

/// Whether two edits make the same text.
bool makeTheSame(const diag::Fix &a, const diag::Fix &b, const Sources &sources) {
  if (a.span.file != b.span.file) return false;
  const Span whole = a.span.to(b.span).to(a.span);
  auto made = [&](const diag::Fix &fix) {
    return std::string(sources.text({whole.file, whole.begin, fix.span.begin})) + fix.replacement +
           std::string(sources.text({whole.file, fix.span.end, whole.end}));
  };
  return made(a) == made(b);
}

bool inWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool mentionsName(const std::string &text, const std::string &name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !inWord(text[at - 1])) && (end == text.size() || !inWord(text[end]))) return true;
  }
  return false;
}

bool touch(Span a, Span b) { return a.file == b.file && a.begin <= b.end && b.begin <= a.end; }

/// Whether two edits may mean the same: both add something at one place, `[:, None]` or `.unsqueeze(1)`. One that changes what
/// is written means something else: `axis=0` for `axis=1, keepdim=True`.
bool mayMeanTheSame(const diag::Fix &a, const diag::Fix &b) {
  return touch(a.span, b.span) && a.span.begin == a.span.end && b.span.begin == b.span.end;
}

/// Edits of later groups that mend it as well are offered beside the first. Where one of them lies elsewhere, nothing says
/// which was meant, and the author chooses.
void addRivals(diag::Diagnostic &d, const std::vector<CandidateGroup> &groups, size_t from, const Part &part,
               const std::set<Messages::key_type> &others, Trials &trials) {
  constexpr size_t kMostRivals = 2;
  std::vector<diag::Fix> rivals;
  bool elsewhere = false;
  for (size_t i = from; i < groups.size() && rivals.size() < kMostRivals; ++i) {
    if (groups[i].assumes || groups[i].rivals || groups[i].last) continue;
    for (const diag::Fix &fix : groups[i].edits) {
      auto isBeside = [&](const diag::Fix &known) { return touch(known.span, fix.span); };
      if (isAmong(fix, d.fixes) || std::any_of(rivals.begin(), rivals.end(), isBeside)) continue;
      if (!trials.mends(fix, d, part, others) || (groups[i].ofSignature && !trials.mendsAll(fix, d))) continue;
      elsewhere |= !mayMeanTheSame(fix, d.fixes.front());
      rivals.push_back(fix);
      break;
    }
  }
  onlyAssumed(rivals);
  d.fixes.insert(d.fixes.begin() + 1, rivals.begin(), rivals.end());
  if (elsewhere) onlyAssumed(d.fixes);
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
  if (found != d.fixes.end() && turnsAxes(d.fixes.front(), sources) && beginsAlike(*found, *place.function, sources)) std::rotate(d.fixes.begin(), found, found + 1);
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
      (same > 1 ? twice : once).push_back({type->items[i].span, own == left ? right : left, "declare the extent that is needed", diag::Applicability::Assumption});
    }
  };
  of(place.function->result.get());
  for (const ast::Parameter &p : place.function->parameters) of(p.annotation.get());
  const bool alone = fact == d.fixes.begin();
  size_t at = static_cast<size_t>(fact - d.fixes.begin()), added = 0;
  for (const std::vector<diag::Fix> &edits : {twice, once})
    for (const diag::Fix &edit : edits) {
      const bool wanted = (alone || &edits == &twice) && added < kMostOffered && at < kMostOffered;
      if (!wanted || isAmong(edit, d.fixes) || !trials.mendsAll(edit, d)) continue;
      d.fixes.insert(d.fixes.begin() + static_cast<std::ptrdiff_t>(at++), edit), ++added;
    }
  if (added > 0) onlyAssumed(d.fixes);
}

/// `p.norm`, where the field is declared as `nrom` and nothing else reads it: the declaration may be what is misspelt.
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

/// Whether it writes one value of the function for another one: that it fits does not tell that it was meant.
bool exchangesNames(const diag::Fix &fix, const Place &place, const Sources &sources) {
  auto isBound = [&](const std::string &name) {
    auto use = place.names ? place.names->find(name) : decltype(place.names->end()){};
    return place.names && use != place.names->end() && use->second.isBound();
  };
  const bool ofMember = fix.span.begin > 0 && sources.text({fix.span.file, fix.span.begin - 1, fix.span.begin}) == ".";  // `T.m`
  return !ofMember && isBound(std::string(sources.text(fix.span))) && isBound(fix.replacement);
}

/// Puts the first edit that mends it in front of a fact for `where`, which mends every claim about shapes. Where several
/// of one kind do, an edit of a later kind is no more than an assumption; without one, each of them is.
void offer(diag::Diagnostic &d, const Place &place, const std::vector<CandidateGroup> &groups, const Part &part,
           const std::set<Messages::key_type> &others, const Sources &sources, Trials &trials) {
  std::vector<diag::Fix> several, idle;  // idle: something would be read no more, or twice
  bool searching = true;
  for (const CandidateGroup &group : groups) {
    bool offered = !d.fixes.empty() && !assumes(d.fixes.front());
    if (group.rivals && (offered || !searching)) {
      const std::vector<const diag::Fix *> found = thatMend(group, d, part, others, trials);
      if (found.empty()) continue;
      if (!group.assumes || d.fixes.size() <= kMostOffered) d.fixes.insert(d.fixes.begin() + 1, *found.front());
      onlyAssumed(d.fixes);
      continue;
    }
    if (!searching || (group.last && offered)) continue;
    std::vector<const diag::Fix *> found = thatMend(group, d, part, others, trials);
    std::erase_if(found, [&](const diag::Fix *fix) {
      const bool leaves = leavesUnread(*fix, place) || repeatsPart(*fix, place, sources) || repeatsValue(*fix, place, sources);
      if (leaves && idle.size() < kMostOffered) idle.push_back(*fix);
      return leaves;
    });
    if (found.empty()) continue;
    if (group.onlyIfUnique && found.size() > 1) {
      for (size_t i = 0; several.empty() && i < found.size(); ++i) several.push_back(*found[i]);
      continue;
    }
    d.fixes.insert(d.fixes.begin(), *found.front());
    if (group.assumes || !several.empty() || exchangesNames(d.fixes.front(), place, sources)) onlyAssumed(d.fixes);  // and nothing that was known before is more certain
    searching = false;
    for (const diag::Fix &other : several)
      if (!isAmong(other, d.fixes)) d.fixes.insert(d.fixes.begin() + 1, other), onlyAssumed(d.fixes);
    if (!assumes(d.fixes.front())) addRivals(d, groups, &group - groups.data() + 1, part, others, trials);
  }
  if (several.empty() && searching) several = std::move(idle);
  if (!searching || several.empty() || (!d.fixes.empty() && !assumes(d.fixes.front()))) return;
  onlyAssumed(several);
  d.fixes.insert(d.fixes.begin(), several.begin(), several.end());
}

/// What may mend it, the smallest edits first.
std::vector<CandidateGroup> editsFor(const diag::Diagnostic &d, const Place &place, const Sources &sources) {
  std::vector<CandidateGroup> groups, last;
  for (auto *find : {editsOfStatements, editsOfMethods, editsOfEquations, editsOfDimensions, editsOfTiles, editsOfSaid, editsOfLikeness, editsOfEvidence, editsOfScope, editsOfAxes, editsOfUse, editsOfStreams, editsOfTuples, smallEditsOfWords, smallEditsOfValues, editsOfTransforms, foreignCalls,
                     editsOfArguments, editsOfLacks, editsOfStructs, editsOfParameters, editsOfFitting, editsOfCalls, editsOfExtents, editsOfNumbers, smallEditsOfKernels,
                     editsOfCoverage, smallEditsOfBounds, smallEditsOfShapes, editsOfMembers, editsOfSizes, candidatesFor,
                     editsOfShapes, editsOfExchange, editsOfNeighbours, editsOfRanks, editsOfCallees, editsOfSearch}) {
    for (CandidateGroup &group : find(d, place, sources)) (group.last ? last : groups).push_back(std::move(group));
  }
  for (CandidateGroup &group : editsOfSignatures(d, place, sources)) last.push_back(std::move(group));
  std::move(last.begin(), last.end(), std::back_inserter(groups));
  for (CandidateGroup &group : editsOfTheTree(d, place, sources)) groups.push_back(std::move(group));
  return groups;
}

/// "did you mean `stop`?", where that does not mend it.
void forgetNear(diag::Diagnostic &d, const std::string &name) {
  std::erase_if(d.notes, [&](const diag::Note &note) { return note.text == "did you mean `" + name + "`?"; });
}

}  // namespace

/// `s[m:m + T.n]` for `s[n:n + T.n]`: the block starts elsewhere, and is as long as the one before, which may be wrong, too.
static bool leavesSize(const diag::Fix &fix, const Sources &sources) {
  const Span behind{fix.span.file, fix.span.end, fix.span.end + 3};
  return fix.replacement.find(':') != std::string::npos && fix.span.end + 3 <= sources.file(fix.span.file).text.size() &&
         sources.text(behind) == " + ";
}

/// Adds the edits that mend it, and leaves out those that do not.
static void adviseOn(diag::Diagnostic &d, const Place &place, const std::vector<diag::Diagnostic> &all,
                     const Sources &sources, Trials &trials) {
  if (d.id == diag::Id::outOfBounds && d.label.find(", and this goes on ") != std::string::npos) return;  // it has said what to compare
  std::vector<CandidateGroup> groups;
  if (!trials.isSpent()) groups = editsFor(d, place, sources);
  addRenamed(d, place, sources, trials);
  bool certain = diag::fixOf(d, false) != nullptr;
  if (d.fixes.empty() && groups.empty()) return;
  if (certain && d.fixes.size() == 1) return;
  const Part &part = trials.partFor(d, place);
  std::vector<diag::Fix> offered;  // by the checker, for one word
  std::erase_if(d.fixes, [&](diag::Fix &fix) {
    if (fix.applicability == diag::Applicability::Certain) return false;
    if (!assumes(fix)) {
      if (!trials.helps(fix, d, part)) return true;
      if (d.id == diag::Id::unknownKeyword || d.id == diag::Id::undefinedName || d.id == diag::Id::unknownAttribute)
        offered.push_back(fix);
      const bool ofName = d.id == diag::Id::undefinedName || d.id == diag::Id::unknownKeyword || d.id == diag::Id::unknownAttribute;
      bool guess = ofName && !trials.mends(fix, d, part, true);  // another name was meant
      if (guess) fix.applicability = diag::Applicability::Assumption;
      return false;
    }
    if (trials.mends(fix, d, part, true)) return false;  // of what is wrong in two places it would mend one
    auto more = trials.completed(fix, d, part);
    if (more) fix = std::move(*more);
    return !more;
  });
  if (!certain) {
    offer(d, place, groups, part, othersAbout(place.statement, d, all), sources, trials);
    trials.allowMore();
    addReturned(d, place, sources, trials);
    addDeclared(d, place, sources, trials);
    addRenamedDimension(d, place, sources, trials);
    addRenamed(d, place, sources, trials);
  }
  std::vector<diag::Fix> fixes;
  const bool better = !d.fixes.empty() && !isAmong(d.fixes.front(), offered);
  const Span first = d.fixes.empty() ? Span{} : d.fixes.front().span;
  for (diag::Fix &fix : d.fixes) {
    const bool part = first.begin <= fix.span.begin && fix.span.end <= first.end;  // the first one mends all of it
    if (better && part && isAmong(fix, offered)) forgetNear(d, fix.replacement);
    else if (std::none_of(fixes.begin(), fixes.end(), [&](const diag::Fix &known) { return makeTheSame(known, fix, sources); }))
      fixes.push_back(std::move(fix));
  }
  d.fixes = std::move(fixes);
  for (diag::Fix &fix : d.fixes)
    if (d.id == diag::Id::outOfBounds && leavesSize(fix, sources)) fix.applicability = diag::Applicability::Assumption;
}

/// An edit that leaves less to be said about the whole program comes first: what is declared wrongly is noticed where it is
/// used, too, and an edit of one use leaves the others.
static void preferWhole(diag::Diagnostic &d, Trials &trials) {
  auto narrows = [](const diag::Fix &fix) { return fix.replacement.rfind(" where ", 0) == 0; };
  auto end = std::find_if(d.fixes.begin(), d.fixes.end(), narrows);
  if (end - d.fixes.begin() < 2) return;
  std::vector<std::pair<size_t, size_t>> ranked;  // what is left, and which it is
  for (auto it = d.fixes.begin(); it != end; ++it) {
    auto left = trials.leftWith(*it);
    if (!left) return;
    ranked.emplace_back(*left, ranked.size());
  }
  std::sort(ranked.begin(), ranked.end());
  const std::vector<diag::Fix> before = d.fixes;
  for (size_t i = 0; i < ranked.size(); ++i) {
    d.fixes[i] = before[ranked[i].second];
    if (ranked[i].first > ranked.front().first) d.fixes[i].applicability = diag::Applicability::Assumption;
  }
}

/// What the same edit mends is one mistake: the first message says it. Messages behind the first `from` ones.
static void dropSameEdits(std::vector<diag::Diagnostic> &all, size_t from) {
  for (size_t i = from; i < all.size(); ++i) {
    const std::vector<diag::Fix> known = all[i].fixes;
    if (known.empty() || known.front().replacement.empty()) continue;  // to leave something out mends a lot
    auto isSame = [&](const diag::Diagnostic &other) {
      return other.id == all[i].id && !other.fixes.empty() && !assumes(other.fixes.front()) &&
             isAmong(other.fixes.front(), {known.front()});
    };
    all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), isSame), all.end());
  }
}

/// What is not said any more with the first edit of a message was a consequence of its mistake.
static void dropMended(std::vector<diag::Diagnostic> &all, size_t from, Places &places, Trials &trials) {
  constexpr size_t kMostMessages = 32;  // of more of them, few are consequences of the first ones
  for (size_t i = from; i + 1 < all.size() && i < from + kMostMessages; ++i) {
    const std::vector<diag::Fix> &fixes = all[i].fixes;
    if (fixes.empty() || fixes.front().replacement.empty()) continue;  // to leave something out mends a lot
    const Part &part = trials.partFor(all[i], places.at(all[i].span));
    const auto gone = trials.mendedToo(fixes.front(), all[i], part);
    auto isGone = [&](const diag::Diagnostic &other) { return gone.count({other.id, other.message}) != 0; };
    if (!gone.empty()) all.erase(std::remove_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), isGone), all.end());
  }
}

void advise(const ast::Module &module, const Sources &sources, const ModuleLoader &load, diag::Engine &diagnostics,
            size_t from, const CheckOptions &options) {
  std::vector<diag::Diagnostic> all = diagnostics.all();
  Trials trials(module, sources, load, options, messagesOf(all, from, sources));
  Places places(module);
  for (size_t i = from; i < all.size(); ++i) {
    if (all[i].span.file != module.file) continue;
    const Place place = places.at(all[i].span);
    noteOrigins(all[i], place, sources);
    adviseOn(all[i], place, all, sources, trials);
    if (!diag::fixOf(all[i], false)) preferWhole(all[i], trials);
    noteRemedy(all[i], place, sources);
  }
  dropSameEdits(all, from);
  dropMended(all, from, places, trials);
  diagnostics.replace(std::move(all));
}

}  // namespace tessera::sema
