// What speaks for an edit, read off its words, and the weights of it.
#include "sema/advice/Measure.h"
#include "sema/advice/EditWriter.h"
#include "sema/advice/Rivals.h"
#include <cctype>

namespace tessera::sema {

using ast::as;

namespace {

constexpr double kScale = 100;  // the tables are in hundredths
constexpr std::string_view kSmaller[] = {"half", "halve", "down", "smaller", "pool", "stride"};

bool inWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::vector<std::string> wordsOf(const std::string &shown) {
  std::vector<std::string> words;
  for (size_t at = 0; at < shown.size();) {
    size_t end = at + 1;
    if (inWord(shown[at]))
      while (end < shown.size() && inWord(shown[end])) ++end;
    if (shown[at] != ' ' && shown[at] != '\n') words.push_back(shown.substr(at, end - at));
    at = end;
  }
  return words;
}

/// How a text is written, with one letter for all names in lower case.
std::string formOf(const std::string &shown) {
  std::string form;
  for (const std::string &word : wordsOf(shown)) {
    const bool name = std::islower(static_cast<unsigned char>(word[0])) && word != "axis" && word != "keepdim" && word != "return";
    form += name ? "v" : word;
    form += ' ';
  }
  return form;
}

bool hasWord(const std::string &shown, const std::string &word) {
  const std::vector<std::string> words = wordsOf(shown);
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool holds(Span outer, Span inner) { return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end; }

}  // namespace

std::optional<Family> familyOf(diag::Id id) {
  using diag::Id;
  switch (id) {
  case Id::broadcastFails:
  case Id::shapeMismatch: return Family::Broadcast;
  case Id::rankMismatch: return Family::Rank;
  case Id::wrongResult: return Family::Result;
  case Id::contractionMismatch:
  case Id::channelMismatch: return Family::Product;
  case Id::badReshape:
  case Id::splitSizes: return Family::Reshape;
  case Id::wrongArgument:
  case Id::einsumExtent:
  case Id::indexShape:
  case Id::factRefuted: return Family::Argument;
  case Id::dtypeMismatch:
  case Id::unknownField:
  case Id::badOperand:
  case Id::notACondition: return Family::Kind;
  default: return std::nullopt;
  }
}

Measure::Measure(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources)
    : diagnostic_(diagnostic), place_(place), sources_(sources), function_(place.function->span) {
  visitStatements(*place.function, [&](const ast::Stmt &stmt) {
    if (ast::childrenOf(stmt).stmts.empty()) forms_.emplace_back(stmt.span, formOf(text(stmt.span)));
  });
}

double Measure::priorOf(const Guess &guess) const {
  constexpr size_t kFamilies = static_cast<size_t>(Family::kCount), kReaches = 5;
  static constexpr int ofOperator[][kFamilies] = {
#define TSR_OPERATOR(name, chance, ...) {__VA_ARGS__},
#include "sema/advice/Operators.def"
#undef TSR_OPERATOR
  };
  static constexpr int ofReach[kReaches][kFamilies] = {
#define TSR_REACH(name, ...) {__VA_ARGS__},
#include "sema/advice/Reaches.def"
#undef TSR_REACH
  };
  const std::optional<Family> family = familyOf(diagnostic_.id);
  if (!family) return 0;
  const size_t column = static_cast<size_t>(*family);
  int sum = ofOperator[static_cast<size_t>(guess.op)][column];
  if (guess.op != Operator::Found) sum += ofReach[static_cast<size_t>(guess.reach)][column];
  return sum / kScale;
}

double Measure::chanceOf(const Guess &guess) const {
  static constexpr int ofOperator[] = {
#define TSR_OPERATOR(name, chance, ...) chance,
#include "sema/advice/Operators.def"
#undef TSR_OPERATOR
  };
  return ofOperator[static_cast<size_t>(guess.op)] / kScale;
}

double Measure::likelihoodOf(const Guess &guess, Offer offer) const {
  static constexpr int ofSign[] = {
#define TSR_SIGN(name, weight) weight,
#include "sema/advice/Signs.def"
#undef TSR_SIGN
  };
  static constexpr int ofOffer[] = {0, 380, 170, -60};
  double sum = ofOffer[static_cast<size_t>(offer)];
  const Signs signs = signsOf(guess);
  for (size_t i = 0; i < Signs::kCount; ++i) sum += ofSign[i] * signs.of[i];
  return priorOf(guess) + sum / kScale;
}

Signs Measure::signsOf(const Guess &guess) const {
  Signs signs;
  const diag::Fix &fix = guess.fix;
  signs.of[Signs::idle] = leavesIdle(fix, diagnostic_, place_, sources_);
  const ast::Expr *result = place_.function->result.get();
  signs.of[Signs::saidSmaller] = result && holds(result->span, fix.span) && saysSmaller();
  signs.of[Signs::inside] = holds(diagnostic_.span, fix.span);
  signs.of[Signs::last] = fix.span.end == diagnostic_.span.end;
  const SourceFile &file = sources_.file(fix.span.file);
  signs.of[Signs::sameLine] = fix.span.file == diagnostic_.span.file && file.lineColumn(fix.span.begin).line == file.lineColumn(diagnostic_.span.begin).line;
  ofWords(guess, signs), ofNames(guess, signs), ofLikeness(guess, signs), ofArguments(guess, signs), ofDeclarations(guess, signs), ofReductions(guess, signs);
  return signs;
}

void Measure::ofWords(const Guess &guess, Signs &signs) const {
  std::vector<std::string> wrong = wordsOf(text(guess.fix.span)), right = wordsOf(guess.fix.replacement);
  while (!wrong.empty() && !right.empty() && wrong.back() == right.back()) wrong.pop_back(), right.pop_back();
  size_t same = 0;
  while (same < wrong.size() && same < right.size() && wrong[same] == right[same]) ++same;
  signs.of[Signs::words] = static_cast<double>(std::min<size_t>(wrong.size() + right.size() - 2 * same, 12));
  const std::string &by = guess.fix.replacement;
  const size_t minus = by.find("-1");  // of an axis; `[:-1]` is a part
  signs.of[Signs::negative] = minus != std::string::npos && (minus == 0 || by[minus - 1] != ':') && text(guess.fix.span).find('-') == std::string::npos;
  signs.of[Signs::itself] = labelsItself(guess.fix);
  const bool axis = guess.op == Operator::Axis || guess.op == Operator::AddAxis || guess.op == Operator::SumAxis || guess.op == Operator::MeanAxis || guess.op == Operator::BothAxes;
  signs.of[Signs::toZero] = axis && hasWord(by, "0");
  const std::set<std::string> beside = guess.op == Operator::Axis ? axesBeside(guess.fix) : std::set<std::string>();
  const bool isBeside = beside.size() == 1 && by == *beside.begin();
  signs.of[Signs::saidAxis] = axis && (isBeside || ((signs.of[Signs::toZero] != 0 || by.find("-2") != std::string::npos) && saysColumns()));
  signs.of[Signs::toOne] = axis && hasWord(by, "1") && by.find("-1") == std::string::npos;
}

/// `cross_entropy(scores, ids[:, :T - 1])` of scores that were made of `ids[:, :T - 1]`.
bool Measure::labelsItself(const diag::Fix &fix) const {
  static const std::set<std::string> losses = {"cross_entropy", "nll"};
  auto *call = place_.innermost<ast::CallExpr>();
  auto *callee = call ? as<ast::NameExpr>(call->callee) : nullptr;
  if (!callee || !losses.count(callee->name) || call->arguments.size() < 2 || !holds(call->arguments[1].span, fix.span)) return false;
  const Span labels = call->arguments[1].span;
  std::string made = text(labels);
  made.replace(fix.span.begin - labels.begin, fix.span.end - fix.span.begin, fix.replacement);
  const std::string before = text({function_.file, place_.function->body.front()->span.begin, labels.begin});
  return made.find('[') != std::string::npos && before.find(made) != std::string::npos;
}

/// The axes along which the other reductions of the function go, as they are written, where a parameter with two axes is reduced.
std::set<std::string> Measure::axesBeside(const diag::Fix &fix) const {
  static const std::set<std::string> names = {"sum", "mean", "max", "min", "var", "std"};
  std::set<std::string> axes;
  bool ofMatrix = false;
  auto isMatrix = [&](const ast::CallExpr &call) {
    return std::any_of(place_.function->parameters.begin(), place_.function->parameters.end(), [&](const ast::Parameter &p) {
      auto *type = as<ast::SubscriptExpr>(p.annotation);
      if (!type || call.arguments.empty() || text(call.arguments[0].span) != p.name.text) return false;
      return std::count_if(type->items.begin(), type->items.end(), [&](const ast::Argument &item) { return !dtypeByName(text(item.span)); }) == 2;
    });
  };
  visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
    std::vector<const ast::Expr *> parts = ast::childrenOf(stmt).exprs;
    while (!parts.empty()) {
      const ast::Expr *part = parts.back();
      parts.pop_back();
      auto *call = as<ast::CallExpr>(part);
      auto *callee = call ? as<ast::NameExpr>(call->callee) : nullptr;
      if (callee && names.count(callee->name) && holds(part->span, fix.span)) ofMatrix |= isMatrix(*call);
      if (callee && names.count(callee->name) && !holds(part->span, fix.span))
        for (const ast::Argument &argument : call->arguments)
          if (argument.keyword && argument.keyword->text == "axis") axes.insert(text(argument.value->span));
      for (const ast::Expr *child : ast::childrenOf(*part).exprs) parts.push_back(child);
    }
  });
  const bool several = axes.size() == 1 && axes.begin()->front() == '(';  // of images
  return ofMatrix || several ? axes : std::set<std::string>();
}

/// The name of the function, and its text, in lower case.
std::string Measure::saidByFunction() const {
  std::string said = place_.function->name.text;
  if (auto *first = place_.function->body.empty() ? nullptr : as<ast::ExprStmt>(place_.function->body[0]); first && first->value->kind == ast::ExprKind::String) said += " " + text(first->span);
  std::transform(said.begin(), said.end(), said.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return said;
}

/// Whether the name or the text of the function is about columns, and not about rows.
bool Measure::saysColumns() const {
  const std::string said = saidByFunction();
  return said.find("column") != std::string::npos && said.find("row") == std::string::npos;
}

/// Whether a stride is written, and the function is about what becomes smaller.
bool Measure::saysSmaller() const {
  if (text(diagnostic_.span).find("stride=") == std::string::npos) return false;
  const std::string said = saidByFunction();
  return std::any_of(std::begin(kSmaller), std::end(kSmaller), [&](std::string_view word) { return said.find(word) != std::string::npos; });
}

void Measure::ofNames(const Guess &guess, Signs &signs) const {
  const std::string wrong = text(guess.fix.span), &right = guess.fix.replacement;
  if (place_.names)
    for (const std::string &word : wordsOf(right)) {
      auto use = place_.names->find(word);
      if (use != place_.names->end() && use->second.isBound() && use->second.reads.empty()) signs.of[Signs::reads] = 1;
    }
  const diag::Fix &fix = guess.fix;
  for (const auto &[span, form] : forms_) {
    if (!holds(span, fix.span)) continue;
    const std::string before = text({span.file, span.begin, fix.span.begin}), behind = text({span.file, fix.span.end, span.end});
    const size_t value = before.find(" = ");  // the target is no reading
    const bool isName = !right.empty() && wordsOf(right).size() == 1 && std::islower(static_cast<unsigned char>(right[0]));
    signs.of[Signs::doubles] = isName && wrong != right && (hasWord(value == std::string::npos ? before : before.substr(value), right) || hasWord(behind, right));
  }
  const std::string_view all = sources_.file(fix.span.file).text;
  auto beside = [&](bool front) {
    std::string item;
    size_t i = front ? fix.span.begin : fix.span.end;
    if (front) {
      if (i < 2 || all.substr(i - 2, 2) != ", ") return item;
      for (i -= 2; i > 0 && (inWord(all[i - 1]) || all[i - 1] == '.'); --i) item.insert(item.begin(), all[i - 1]);
    } else {
      if (all.substr(i, 2) != ", ") return item;
      for (i += 2; i < all.size() && (inWord(all[i]) || all[i] == '.'); ++i) item += all[i];
    }
    return item;
  };
  signs.of[Signs::likeNeighbour] = !right.empty() && (beside(true) == right || beside(false) == right);
  signs.of[Signs::nested] = place_.expr() && holds(place_.expr()->span, fix.span) && [&] {
    for (const ast::Expr *child : ast::childrenOf(*place_.expr()).exprs)
      if (child->span.begin < fix.span.begin && fix.span.end < child->span.end) return true;
    return false;
  }();
  size_t begin = fix.span.begin;
  while (begin > 0 && inWord(all[begin - 1])) --begin;
  auto use = place_.names ? place_.names->find(std::string(all.substr(begin, fix.span.begin - begin))) : decltype(place_.names->end()){};
  signs.of[Signs::parameter] = place_.names && begin < fix.span.begin && use != place_.names->end() && use->second.parameter;
  const bool names = (guess.op == Operator::Name || guess.op == Operator::UnreadName || guess.op == Operator::Field) && !wrong.empty() && !right.empty();
  signs.of[Signs::nearName] = names && (wrong[0] == right[0] || wrong.back() == right.back());
  signs.of[Signs::farName] = names && wrong[0] != right[0] && wrong.back() != right.back();
}

/// Which axis is reduced with the edit, where that of a parameter is.
void Measure::ofReductions(const Guess &guess, Signs &signs) const {
  static const std::set<std::string> names = {"sum", "mean", "max", "min", "prod", "var", "std", "norm", "argmax", "argmin", "logsumexp"};
  const diag::Fix &fix = guess.fix;
  const ast::CallExpr *call = nullptr;
  std::vector<const ast::Stmt *> open;
  visitStatements(*place_.function, [&](const ast::Stmt &stmt) {
    if (!holds(stmt.span, fix.span)) return;
    for (const ast::Expr *e : ast::childrenOf(stmt).exprs) {
      std::vector<const ast::Expr *> parts = {e};
      while (!parts.empty()) {
        const ast::Expr *part = parts.back();
        parts.pop_back();
        auto *found = as<ast::CallExpr>(part);
        auto *callee = found ? as<ast::NameExpr>(found->callee) : nullptr;
        if (callee && names.count(callee->name) && !found->arguments.empty() && holds(part->span, fix.span) && !holds(found->arguments[0].span, fix.span)) call = found;
        for (const ast::Expr *child : ast::childrenOf(*part).exprs) parts.push_back(child);
      }
    }
  });
  if (!call) return;
  std::string made = text(call->span);
  made.replace(fix.span.begin - call->span.begin, fix.span.end - fix.span.begin, fix.replacement);
  const size_t at = made.find("axis=");
  const std::string argument = text(call->arguments[0].span);
  if (at == std::string::npos) return;
  const bool negative = made[at + 5] == '-';
  const char digit = made[at + (negative ? 6 : 5)];
  auto extentsOf = [&](const ast::Expr *annotation) {
    std::vector<std::string> found;
    auto *type = as<ast::SubscriptExpr>(annotation);
    for (size_t i = 0; type && i < type->items.size(); ++i)
      if (const std::string item = text(type->items[i].span); !dtypeByName(item)) found.push_back(item);
    return found;
  };
  for (const ast::Parameter &p : place_.function->parameters) {
    if (argument.find(p.name.text) == std::string::npos || wordsOf(argument)[0] != p.name.text) continue;
    const std::vector<std::string> own = extentsOf(p.annotation.get()), result = extentsOf(place_.function->result.get());
    const size_t axis = negative ? own.size() - static_cast<size_t>(digit - '0') : static_cast<size_t>(digit - '0');
    if (!std::isdigit(static_cast<unsigned char>(digit)) || axis >= own.size() || argument.find('[') != std::string::npos || argument.find('(') != std::string::npos) return;
    const bool present = std::find(result.begin(), result.end(), own[axis]) != result.end();
    signs.of[present ? Signs::gonePresent : Signs::goneAbsent] = 1;
    return;
  }
}

/// Whether what an edit makes, with the word in front of what it inserts or the two words behind a name, stands elsewhere.
bool Measure::placeStands(const diag::Fix &fix) const {
  constexpr size_t kNear = 24;
  if (!holds(function_, fix.span) || fix.replacement.empty()) return false;
  const std::string before = text({function_.file, function_.begin, fix.span.begin}), behind = text({function_.file, fix.span.end, function_.end});
  std::string made = fix.replacement;
  if (fix.span.begin == fix.span.end) {
    size_t at = before.size();
    while (at > 0 && inWord(before[at - 1])) --at;
    if (at == before.size()) return false;
    made = before.substr(at) + made;
  } else {
    if (wordsOf(made).size() != 1 || !std::islower(static_cast<unsigned char>(made[0]))) return false;
    const std::vector<std::string> next = wordsOf(behind.substr(0, kNear));
    if (next.size() < 2 || next[0] == "," || next[0] == ")" || !inWord(next[1][0])) return false;
    const size_t end = behind.find(next[1], behind.find(next[0]) + next[0].size()) + next[1].size();
    made += behind.substr(0, end);
  }
  auto stands = [&](const std::string &in) {
    for (size_t at = in.find(made); at != std::string::npos; at = in.find(made, at + 1))
      if ((at == 0 || !inWord(in[at - 1])) && (at + made.size() >= in.size() || !inWord(in[at + made.size()]) || !inWord(made.back()))) return true;
    return false;
  };
  return made.size() > 3 && (stands(before) || stands(behind));
}

void Measure::ofLikeness(const Guess &guess, Signs &signs) const {
  const diag::Fix &fix = guess.fix;
  auto standsElsewhere = [&](const std::string &shown) {
    constexpr size_t kTelling = 3;
    if (shown.size() < kTelling || wordsOf(shown).size() < 2 || !holds(function_, fix.span)) return false;
    const std::string before = text({function_.file, function_.begin, fix.span.begin}), behind = text({function_.file, fix.span.end, function_.end});
    return before.find(shown) != std::string::npos || behind.find(shown) != std::string::npos;
  };
  signs.of[Signs::standsThere] = placeStands(fix) && signs.of[Signs::idle] == 0;  // what the statement says twice was hardly meant
  signs.of[Signs::echoes] = standsElsewhere(fix.replacement);
  signs.of[Signs::echoesWrong] = standsElsewhere(text(fix.span));
  for (const auto &[span, form] : forms_) {
    if (!holds(span, fix.span)) continue;
    std::string made = text(span);
    made.replace(fix.span.begin - span.begin, fix.span.end - fix.span.begin, fix.replacement);
    made = formOf(made);
    auto isAlike = [&, own = span](const std::string &shown) {
      return std::any_of(forms_.begin(), forms_.end(), [&](const auto &other) { return other.first.begin != own.begin && other.second == shown; });
    };
    const bool before = isAlike(form), after = isAlike(made);
    signs.of[Signs::alike] = after && !before;
    signs.of[Signs::unlike] = before && !after;
  }
}

/// Whether arguments have the names of the parameters that they are given for.
void Measure::ofArguments(const Guess &guess, Signs &signs) const {
  const diag::Fix &fix = guess.fix;
  auto *call = place_.innermost<ast::CallExpr>();
  auto *callee = call ? as<ast::NameExpr>(call->callee) : nullptr;
  if (!callee || !holds(call->span, fix.span)) return;
  const ast::FuncDef *def = nullptr;
  for (const ast::StmtPtr &stmt : place_.module->body)
    if (auto *found = as<ast::FuncDef>(stmt); found && found->name.text == callee->name) def = found;
  if (!def || call->arguments.empty()) return;
  auto named = [&](const std::string &list) {
    int count = 0, depth = 0;
    size_t i = 0;
    std::string argument;
    auto finish = [&] {
      if (i < def->parameters.size() && argument == def->parameters[i].name.text) ++count;
      ++i, argument.clear();
    };
    for (char c : list) {
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (c == ',' && depth == 0) finish();
      else if (c != ' ' && c != '\n') argument += c;
    }
    finish();
    return count;
  };
  const Span list = call->arguments.front().span.to(call->arguments.back().span);
  if (!holds(list, fix.span)) return;
  std::string made = text(list);
  const int before = named(made);
  made.replace(fix.span.begin - list.begin, fix.span.end - fix.span.begin, fix.replacement);
  const int after = named(made);
  signs.of[Signs::argument] = after > before;
  signs.of[Signs::noArgument] = after < before;
}

/// Whether the type of a field is, or was, that of another one of its struct.
void Measure::ofFields(const diag::Fix &fix, Signs &signs) const {
  for (const ast::StmtPtr &stmt : place_.module->body) {
    auto *def = as<ast::StructDef>(stmt);
    if (!def || !holds(def->span, fix.span)) continue;
    std::string before, after;
    std::set<std::string> others;
    for (const ast::StmtPtr &part : def->body) {
      auto *field = as<ast::AnnAssignStmt>(part);
      if (!field || !field->annotation) continue;
      const std::string own = text(field->annotation->span);
      if (!holds(field->annotation->span, fix.span)) others.insert(own);
      else before = after = own, after.replace(fix.span.begin - field->annotation->span.begin, fix.span.end - fix.span.begin, fix.replacement);
    }
    signs.of[Signs::unlikeOther] = others.count(before) && !others.count(after);
    signs.of[Signs::likeOther] = !others.count(before) && others.count(after);
  }
}

/// Whether an edit of one of several results makes its type that of another one.
bool Measure::itemsAlike(const ast::Expr &result, const diag::Fix &fix) const {
  std::vector<const ast::Expr *> types, open = {&result};
  const ast::Expr *own = nullptr;
  while (!open.empty()) {
    const ast::Expr *part = open.back();
    open.pop_back();
    auto *type = as<ast::SubscriptExpr>(part);
    if (type && text(type->object->span) == "Tensor") {
      types.push_back(part);
      if (holds(part->span, fix.span)) own = part;
      continue;
    }
    for (const ast::Expr *child : ast::childrenOf(*part).exprs) open.push_back(child);
  }
  if (!own) return false;
  std::string made = text(own->span);
  made.replace(fix.span.begin - own->span.begin, fix.span.end - fix.span.begin, fix.replacement);
  return std::any_of(types.begin(), types.end(), [&](const ast::Expr *type) { return type != own && text(type->span) == made; });
}

void Measure::ofDeclarations(const Guess &guess, Signs &signs) const {
  const diag::Fix &fix = guess.fix;
  const ast::FuncDef &def = *place_.function;
  auto extentsOf = [&](const ast::Expr *annotation, bool edited) {
    std::vector<std::string> found;
    if (!annotation || annotation->kind != ast::ExprKind::Subscript) return found;
    std::string shown = text(annotation->span);
    if (edited && holds(annotation->span, fix.span)) shown.replace(fix.span.begin - annotation->span.begin, fix.span.end - fix.span.begin, fix.replacement);
    for (const std::string &word : wordsOf(shown.substr(std::min(shown.find('['), shown.size()))))
      if (std::isupper(static_cast<unsigned char>(word[0]))) found.push_back(word);
    return found;
  };
  std::vector<const ast::Expr *> types;
  for (const ast::Parameter &p : def.parameters) types.push_back(p.annotation.get());
  types.push_back(def.result.get());
  const ast::Expr *own = nullptr;
  for (const ast::Expr *type : types)
    if (type && holds(type->span, fix.span)) own = type;
  if (!own) return ofFields(fix, signs);
  signs.of[Signs::ofResult] = own == def.result.get();
  auto made = [&](const ast::Expr *type) {
    std::string shown = text(type->span);
    if (holds(type->span, fix.span)) shown.replace(fix.span.begin - type->span.begin, fix.span.end - fix.span.begin, fix.replacement);
    return shown;
  };
  signs.of[Signs::likeOther] = guess.op == Operator::DeclareType && own != def.result.get() && std::any_of(types.begin(), types.end() - 1, [&](const ast::Expr *type) { return type && type != own && made(type) == made(own); });
  if (own != def.result.get()) {
    auto isOther = [&](const ast::Expr *type, bool edited) { return type && type != own && text(type->span) == (edited ? made(own) : text(own->span)); };
    auto hasOther = [&](bool edited) { return std::any_of(types.begin(), types.end() - 1, [&](const ast::Expr *type) { return isOther(type, edited); }); };
    signs.of[Signs::unlikeOther] = own->kind == ast::ExprKind::Subscript && hasOther(false) && !hasOther(true);
  } else {
    signs.of[Signs::likeResult] = itemsAlike(*own, fix);
  }
  auto repeats = [](std::vector<std::string> extents) {
    std::sort(extents.begin(), extents.end());
    return std::adjacent_find(extents.begin(), extents.end()) != extents.end();
  };
  const std::vector<std::string> before = extentsOf(own, false), after = extentsOf(own, true);
  signs.of[Signs::twice] = repeats(after) && !repeats(before);
  signs.of[Signs::once] = repeats(before) && !repeats(after);
  for (const std::string &extent : before) {
    const bool named = std::any_of(types.begin(), types.end(), [&](const ast::Expr *type) {
      const std::vector<std::string> extents = extentsOf(type, true);
      return std::find(extents.begin(), extents.end(), extent) != extents.end();
    });
    if (!named) signs.of[Signs::lost] = 1;
  }
  if (types.size() < 2) return;
  auto beginsAlike = [&](bool edited) {
    const std::vector<std::string> result = extentsOf(def.result.get(), edited), first = extentsOf(own == def.result.get() ? types[0] : own, edited);
    return !result.empty() && !first.empty() && result[0] == first[0];
  };
  signs.of[Signs::firstAlike] = beginsAlike(true) && !beginsAlike(false);
  signs.of[Signs::firstUnlike] = !beginsAlike(true) && beginsAlike(false);
}

}  // namespace tessera::sema
