#include "sema/advice/Remedies.h"
#include "sema/Builtins.h"
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include "sema/advice/WordsOfShapes.h"
#include <algorithm>
#include <cctype>
#include <set>

namespace tessera::sema {
namespace {

using ast::as;
using diag::Id;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What was expected, what is there, and what makes the one of the other. The first row whose words the message has.
struct Remedy {
  std::string_view expected, seen, sentence;
};
constexpr Remedy kArguments[] = {
    {"an integer", "a tuple", "one of a tuple is taken by its place, `t[0]`, or all get names: `a, b = t`"},
    {"an integer", "a tensor",
     "an element is read by an index, `x[i]`; with a tensor of indices, rows are read by `take(x, i)`"},
    {"an integer", "",
     "a whole number is made by `cast(x, i64)`, in host code by `int(x)`; `//` divides and rounds down"},
    {"`True` or `False`", "", "truth values are `True` and `False`, without quotes; a number is compared: `n != 0`"},
    {"`bool`", "", "truth values are `True` and `False`, without quotes; a number is compared: `n != 0`"},
    {"an axis of the mesh", "", "it is named as the mesh declares it: `\"dp\"`, not counted"},
    {"a dtype", "", "dtypes are words without quotes: `f32`, `bf16`, `i32`, `bool`"},
    {"a condition", "", "a comparison makes truth values: `x > 0`, `x != 0`"},
    {"a stream", "", "a stream is a parameter, `rng: Rng`; host code makes it of a seed: `Rng(0)`"},
    {"a function", "", "a function is given by its name, without a call: `f`, or `lambda x: x * 2.0`"},
    {"a tensor of integers", "", "`cast(i, i32)` makes integers"},
    {"floats", "", "`cast(x, f32)` makes floats"},
    {"a scalar", "a tensor", "one element is `x[0]`; `sum(x)` and `mean(x)` make one number of all"},
    {"a number", "a tensor", "one element is `x[0]`; `sum(x)` and `mean(x)` make one number of all"},
    {"one number", "a tensor", "one element is `x[0]`; `sum(x)` and `mean(x)` make one number of all"},
    {"a number", "a string", "a number stands without quotes; `float(text)` reads one"},
    {"a string", "", "a text stands in quotes; `str(x)` and f-strings, `f\"{x}\"`, make one"},
    {"[batch, channels", "a tensor",
     "one image, or one sequence, gets axes of extent 1 in front: `x[None, None]` of `[H, W]`, `x[None]` of `[C, H, W]`"},
    {"a tensor", "a tuple", "one of a tuple is taken by its place, `t[0]`, or all get names: `a, b = t`"},
    {"a tensor", "a list", "`tensor([1.0, 2.0])` makes a tensor of numbers, `stack` one of tensors"},
    {"a tensor", "a function", "a function is called: `f(x)`"},
    {"a tensor", "a struct", "a tensor of a struct is named: `layer.w`"},
    {"a tensor", "", "`full((n,), value, f32)` makes a tensor of one number, `tensor([1.0, 2.0])` of several"},
    {"a slice", "", "a slice of a tensor has a start and a size: `x[n:n + T.m]`"},
    {"a shape", "", "a shape is a tuple of sizes: `(n, m)`, `(n,)`"},
    {"KVCache", "",
     "keys and values are `[batch, heads, positions, features]`, with those of the cache: `k.transpose(1, 2)` moves "
     "heads in front of positions"},
    {"", "None", "what may be None is asked first: `if x is not None:`"},
    {"", "a function", "a function is called: `f(x)`"},
    {"", "a tuple", "one of a tuple is taken by its place, `t[0]`, or all get names: `a, b = t`"},
};

std::string_view ofArgument(const std::string &message) {
  size_t expects = message.find(" expects "),
         is = message.find(", but this is ", expects == std::string::npos ? 0 : expects);
  if (expects == std::string::npos || is == std::string::npos) return {};
  std::string_view expected = std::string_view(message).substr(expects, is - expects),
                   seen = std::string_view(message).substr(is);
  for (const Remedy &remedy : kArguments)
    if (has(expected, remedy.expected) && has(seen, remedy.seen)) return remedy.sentence;
  return {};
}

std::string_view ofOperand(const std::string &message) {
  if (has(message, "a state object")) return "a state object says how far it is filled: `cache.length`";
  if (has(message, "a function")) return "a function is called: `f(x)`";
  if (has(message, "a tuple")) return "a tuple is taken apart, `a, b = f(x)`, or one of it is taken: `f(x)[0]`";
  if (has(message, "a string")) return "values are put into text by an f-string, `f\"x = {x}\"`, or by `str(x)`";
  if (has(message, "a list")) return "`tensor([1.0, 2.0])` makes a tensor of numbers, `stack` one of tensors";
  if (has(message, "`&`") || has(message, "`|`") || has(message, "`^`"))
    return "it combines truth values and integers: compare first, `(x > 0) & (y > 0)`";
  if (has(message, "None")) return "what may be None is asked first: `if x is not None:`";
  if (has(message, "bool")) return "`cast(x, f32)` makes 0 and 1 of truth values; `&`, `|` and `~` combine them";
  if (has(message, "`%`") || has(message, "`//`") || has(message, "<<") || has(message, ">>"))
    return "it needs integers: `cast(x, i64)`";
  return {};
}

/// `sum(net * net)` of a struct: its tensors by their names, and all of them at once.
std::string ofStructOperand(const std::string &message, const Place &place, const Sources &sources) {
  constexpr size_t kMostFields = 3;
  std::vector<const ast::Expr *> operands = operandsAt(place);
  for (const ast::StmtPtr &stmt : place.module->body) {
    auto *def = as<ast::StructDef>(stmt);
    if (!def || (!has(message, "`" + def->name.text + "[") && !has(message, "`" + def->name.text + "`"))) continue;
    std::string own = operands.empty() ? "x" : std::string(sources.text(operands[0]->span)), fields;
    if (own.find_first_of(" ([") != std::string::npos) own = "x";
    size_t count = 0;
    for (const ast::StmtPtr &part : def->body)
      if (auto *field = as<ast::AnnAssignStmt>(part); field && count++ < kMostFields)
        fields += (fields.empty() ? "`" : ", `") + own + "." + std::string(sources.text(field->target->span)) + "`";
    if (fields.empty()) return "";
    return "a struct has no arithmetic, its fields have: " + fields + "; `tree_map(lambda w: w * w, " + own +
           ")` does the same to each of them, and `tree_map` of two structs goes over both";
  }
  return "";
}

/// What stands for itself, whatever the message says.
std::string_view ofKind(Id id) {
  switch (id) {
  case Id::unpackCount:
    return "as many names as values: `a, b = f(x)`; `_` stands for one that is not needed, `*rest` for all that are "
           "left";
  case Id::notIterable:
    return "a loop goes over numbers, `for i in range(n):`, or over a tuple or list; rows are read by their number, "
           "`x[i]`";
  case Id::badAxis: return "axes are counted from 0, or from the end: -1 is the last";
  case Id::contractionMismatch:
    return "the last axis of the first and the last but one of the second are multiplied: `x @ w` of `[B, K]` and `[K, "
           "N]`";
  case Id::splitSizes:
    return "`split(x, n, axis=a)` makes n equal parts of axis a; sizes are listed: `split(x, (4, 8), axis=a)`";
  case Id::channelMismatch:
    return "an image is `[batch, channels, height, width]`, its weights are `[channels out, channels in, height, "
           "width]`";
  case Id::redefinedType:
    return "a name keeps its shape and dtype in a loop and behind a condition: it starts with those that it gets later";
  case Id::narrowing: return "a conversion that may lose digits is written: `cast(x, f16)`";
  case Id::dtypeMismatch: return "nothing changes its dtype by itself: `cast(x, f32)` converts one of them";
  case Id::notCallable: return "parentheses call a function; an element is read by `x[i]`";
  case Id::argumentTwice: return "an argument is given once: by its place, or by its name";
  case Id::definedTwice: return "give one of them another name: `y` in the place of a second `x`";
  case Id::unknownDecorator: return "options of a kernel stand in its parentheses: `@kernel(grid=(1,), group=128)`";
  case Id::recursion: return "a loop goes over the same work: `for i in range(n):`";
  case Id::notAType: return "a type is a dtype, `f32`, a tensor, `Tensor[N, M, f32]`, a struct, or a tuple of them, `(f32, i32)`";
  case Id::badConstant: return "it has to be known, and allowed, when the program is compiled: another number is needed";
  case Id::missingField: return "a struct is made of all of its fields, by their names: `Layer(w=w, b=b)`";
  case Id::typeArguments: return "a struct gets as many dimensions as it declares: `struct Layer[I, O]` is used as `Layer[8, 4]`";
  case Id::alwaysRaises: return "`raise` under a condition is compiled if the condition is known to be false: `if N > 4: raise ...`";
  case Id::policyMeaningless: return "leave the policy out, or say it of a dtype that it is for";
  case Id::badClaim: return "a range is written from its lower to its upper end";
  case Id::factRefuted: return "what is given has to make it true: another shape or dtype, or another size";
  case Id::shapeUndecided: return "say it of the dimensions: `where N % 4 == 0` behind the head, or `assert` in the body";
  case Id::contradictoryFacts: return "leave one of the facts out";
  case Id::sizeTooLarge: return "a bound on the dimensions keeps it small: `where N <= 65536`";
  case Id::hostOnly: return "move it to `def main()`, or to a function that `main` calls and that leaves the computing to others";
  case Id::sharedUnwritten: return "store into it first, and let `tile.barrier()` stand between the store and the read";
  case Id::noOverload: return "the functions of this name are told apart by the kinds of their arguments";
  case Id::dependsOnTile: return "take the whole axis, `x[r, :]`, or carry what is added up through a loop over its tiles";
  case Id::windowTooLarge: return "`padding=` makes room for the window, or a smaller window fits";
  case Id::callFactFails: return "the caller has to know it: say it behind its own head, `where ...`";
  case Id::einsumExtent: return "one letter stands for one extent: give the axes letters of their own";
  case Id::indexShape: return "indices have a place for each element of the result: `take(x, i, axis)` reads along an axis";
  case Id::immutableTensor: return "values do not change: build a new one, or store into an output or a tensor made by `zeros`";
  case Id::usedUp: return "split it first, `a, b = rng.split()`, and use each part once";
  case Id::oldState: return "go on with the state that was returned: `cache = cache.append(k, v)`";
  case Id::stateDropped: return "give the new state a name: `cache = cache.append(k, v)`";
  case Id::unwrittenOutput: return "every element is stored by some group: the grid covers the output, and a guard leaves out what lies outside";
  case Id::writtenTwice: return "groups store at places of their own: an offset by `tile.group_id(0)`, or `tile.origin()`";
  case Id::unguardedLanes: return "a guard says how many lanes are needed: `if i < N:`";
  case Id::maybeUnassigned: return "give it a value in front of the condition or the loop";
  case Id::maybeNone: return "ask first: `if x is not None:`";
  case Id::unusedValue: return "give it a name, `y = f(x)`, or leave it out";
  case Id::untypedParameter: return "a type stands behind the name: `x: Tensor[N, f32]`, `n: i32`";
  case Id::unknownWrt: return "`wrt` is the name of a parameter, in quotes";
  case Id::wrtNotFloat: return "derivatives are by floats: leave it out of `wrt`";
  case Id::badFormat: return "`f\"{x:.3f}\"` writes three digits, `f\"{n:5d}\"` a number in five places";
  default: return {};
  }
}

std::string listed(const std::vector<std::string> &names) {
  std::string all;
  for (size_t i = 0; i < names.size(); ++i)
    all += (i == 0 ? "`" : i + 1 == names.size() ? "` and `" : "`, `") + names[i];
  return all + "`";
}

/// Whether one of the words of a name, `inverse_sqrt`, is in the other.
bool shareWord(std::string_view a, std::string_view b) {
  constexpr size_t kShortest = 3;
  for (auto [from, in] : {std::pair(a, b), std::pair(b, a)})
    for (size_t at = 0; at < from.size();) {
      size_t end = std::min(from.find('_', at), from.size());
      if (end - at >= kShortest && has(in, from.substr(at, end - at))) return true;
      at = end + 1;
    }
  return false;
}

constexpr size_t kMostNames = 8;

/// Functions whose names share a word with the one that is not known.
std::vector<std::string> functionsLike(const std::string &name, char where, const Place &place) {
  std::vector<std::string> found;
  auto add = [&](std::string_view one) {
    if (found.size() < kMostNames && one != name && shareWord(name, one)) found.emplace_back(one);
  };
  for (size_t i = 0; where == 'P' && place.module && i < place.module->body.size(); ++i)
    if (auto *def = as<ast::FuncDef>(place.module->body[i]); def && def != place.function) add(def->name.text);
  for (const BuiltinRow &row : builtinRows())
    if (has(row.places, std::string_view(&where, 1))) add(row.name);
  return found;
}

/// What the function has for a name that it has not: what nothing reads yet comes first.
std::string namesHere(const std::string &name, const Place &place) {
  auto *call = place.around.size() > 1 ? as<ast::CallExpr>(place.around[1]) : nullptr;
  if (call && call->callee.get() == place.expr()) {
    std::vector<std::string> like = functionsLike(name, 'P', place);
    if (like.empty() && place.module)
      for (const ast::StmtPtr &stmt : place.module->body)
        if (auto *def = as<ast::FuncDef>(stmt); def && def != place.function && like.size() < kMostNames)
          like.push_back(def->name.text);
    return like.empty() ? "" : "functions that are there: " + listed(like);
  }
  if (!place.names || !place.expr()) return "";
  std::vector<std::string> unread, read;
  for (const auto &[other, use] : *place.names) {
    bool before = use.parameter != nullptr;
    for (const ast::NameExpr *binding : use.bindings) before |= binding->span.end <= place.expr()->span.begin;
    if (before && other != name && other != "_") (use.reads.empty() ? unread : read).push_back(other);
  }
  unread.insert(unread.end(), read.begin(), read.end());
  if (unread.size() > kMostNames) unread.resize(kMostNames);
  return unread.empty() ? "" : "the function has " + listed(unread) + " here";
}

/// `tile.inverse_sqrt`, `x.avg()`
std::string membersLike(const Place &place) {
  auto *member = place.innermost<ast::AttributeExpr>();
  if (!member) return "";
  if (std::string_view instead = wordsInstead(member->attribute.text); !instead.empty()) return std::string(instead);
  auto *owner = as<ast::NameExpr>(member->object);
  bool tile = owner && (owner->name == "tile" || owner->name == "ts");
  std::vector<std::string> like = functionsLike(member->attribute.text, tile ? 'T' : 'M', place);
  if (!like.empty()) return (tile ? "`tile` has " : "tensors have ") + listed(like);
  return tile ? "`tile` has slices and products of tiles, `tile.dot(a, b)`, reductions, `tile.sum(t, axis=1)`, and functions of each element, `tile.exp(t)`"
              : "a tensor has the functions of its elements and axes, `x.exp()`, `x.sum(axis=1)`, `x.reshape(n, m)`, and `x.shape`, `x.ndim`, `x.dtype`, `x.T`";
}

/// "it takes `path`, `value`"
std::string parametersOf(const Place &place) {
  auto *call = place.innermost<ast::CallExpr>();
  if (!call) return "";
  auto *method = as<ast::AttributeExpr>(call->callee);
  auto *function = as<ast::NameExpr>(call->callee);
  const std::string name = method ? method->attribute.text : function ? function->name : "";
  for (const ast::StmtPtr &stmt : place.module->body)
    if (auto *def = as<ast::FuncDef>(stmt); def && function && def->name.text == name) {
      std::vector<std::string> names;
      for (const ast::Parameter &p : def->parameters) names.push_back(p.name.text);
      return names.empty() ? "it takes nothing" : "it takes " + listed(names);
    }
  for (char where : method ? std::string_view("TMRS") : std::string_view("P"))
    if (const BuiltinRow *row = builtinByName(name, where)) return "it takes `" + std::string(row->signature) + "`";
  return "";
}

/// `norm(w)` in `main`: what a function of the library does there is for functions of tensors.
std::string computedByHost(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  bool inLibrary = std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(),
                               [](const diag::Note &note) { return has(note.text, "of the standard library"); });
  auto *call = as<ast::CallExpr>(place.expr());
  if (!inLibrary || !call || !place.function || place.function->name.text != "main" || place.function->result) return "";
  const std::string callee(sources.text(call->callee->span));
  return "host code leaves the computing to others: put `" + callee + "` into a function of tensors, `def of[N](x: Tensor[N, f32]) -> f32:`, and call that";
}

/// "write `sgd(w, g, rate=...)`": the call as it stands, with the argument that it lacks.
std::string withArgument(const diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  constexpr std::string_view kNeeds = "needs its argument `";
  constexpr size_t kLongest = 80;
  std::string said = diagnostic.message;
  for (const diag::Note &note : diagnostic.notes) said += "\n" + note.text;
  const size_t at = said.find(kNeeds), end = at == std::string::npos ? at : said.find('`', at + kNeeds.size());
  auto *call = place.innermost<ast::CallExpr>();
  if (!call || end == std::string::npos || call->span.end - call->span.begin > kLongest) return "";
  std::string shown(sources.text(call->span));
  if (shown.back() != ')') return "";
  shown.pop_back();
  const std::string name = said.substr(at + kNeeds.size(), end - at - kNeeds.size());
  return "it has no value by itself: write `" + shown + (call->arguments.empty() ? "" : ", ") + name + "=...)`";
}

/// "write `cast(x, i32)`, ..." of what would become another dtype.
std::string castOfNarrowed(const diag::Diagnostic &diagnostic, const Sources &sources) {
  constexpr std::string_view kBecome = " would become ";
  const size_t at = diagnostic.message.find(kBecome), end = diagnostic.message.find(',', at == std::string::npos ? 0 : at);
  const std::string_view shown = sources.text(diagnostic.span);
  if (at == std::string::npos || end == std::string::npos || shown.size() > 40) return "";
  const std::string to = diagnostic.message.substr(at + kBecome.size(), end - at - kBecome.size());
  return "if it may lose digits, write `cast(" + std::string(shown) + ", " + to + ")`; else declare " + diagnostic.message.substr(0, at) + " where it goes";
}

/// "`p` expects `Linear[8, 8]`, but this is a `Linear[32, 8]`": another one is given, or `p` is declared otherwise.
std::string otherwiseDeclared(const std::string &message) {
  constexpr std::string_view kExpects = "` expects `", kSeen = "`, but this is a `";
  const size_t expects = message.find(kExpects), seen = message.find(kSeen, expects == std::string::npos ? 0 : expects);
  if (message.empty() || message[0] != '`' || expects == std::string::npos || seen == std::string::npos) return "";
  const size_t begin = expects + kExpects.size(), type = seen + kSeen.size();
  return "either give a `" + message.substr(begin, seen - begin) + "` here, or declare `" + message.substr(1, expects - 1) + ": " + message.substr(type);
}

/// A sentence about `x` in the words of the program: `cast(steps, i64)` for `cast(x, i64)`.
std::string inOwnNames(std::string sentence, const Place &place, const Sources &sources) {
  constexpr size_t kLongest = 24;
  if (!place.expr()) return sentence;
  const ast::ExprKind kind = place.expr()->kind;
  const std::string own(sources.text(place.expr()->span));
  const bool primary = kind == ast::ExprKind::Name || kind == ast::ExprKind::Attribute || kind == ast::ExprKind::Call || kind == ast::ExprKind::Subscript;
  if (!primary || own.size() > kLongest || own.find('\n') != std::string::npos) return sentence;
  auto inWord = [&](size_t i) { return i < sentence.size() && (std::isalnum(static_cast<unsigned char>(sentence[i])) || sentence[i] == '_' || sentence[i] == '"'); };
  bool quoted = false;
  for (size_t i = 0; i < sentence.size(); ++i) {
    if (sentence[i] == '`') quoted = !quoted;
    const bool called = i + 1 < sentence.size() && sentence[i + 1] == ':';  // `lambda x: ...`, `x: Tensor[N, f32]`
    if (!quoted || sentence[i] != 'x' || called || (i > 0 && inWord(i - 1)) || inWord(i + 1)) continue;
    sentence.replace(i, 1, own), i += own.size() - 1;
  }
  return sentence;
}

/// What breaks a rule, or the rule: neither says what to write.
bool isRuleAlone(std::string_view note) {
  for (std::string_view begin : {"the smallest sizes that break it", "counted from the last, extents", "the last dimension of the left side",
                                 "it happens with", "it holds for no sizes", "nothing narrows silently", "a name keeps one type", "the functions of this name",
                                 "what is given has to make it true"})
    if (note.substr(0, begin.size()) == begin) return true;
  return false;
}
/// Whether an edit is more than a fact that narrows the program.
bool offersEdit(const diag::Diagnostic &diagnostic) {
  return std::any_of(diagnostic.fixes.begin(), diagnostic.fixes.end(), [](const diag::Fix &fix) {
    return fix.replacement.rfind(" where ", 0) != 0 && fix.title.rfind("if it is meant", 0) != 0;
  });
}

}  // namespace

void noteRemedy(diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  bool says = std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(), [](const diag::Note &note) {
    return !note.span.valid() && !isRuleAlone(note.text);
  });
  if (offersEdit(diagnostic) || says || !place.outermost) return;
  std::string sentence = computedByHost(diagnostic, place, sources);
  if (sentence.empty()) sentence = wordsOfShapes(diagnostic, place, sources);
  if (!sentence.empty()) {
    diagnostic.notes.push_back({{}, std::move(sentence)});
    return;
  }
  switch (diagnostic.id) {
  case Id::wrongArgument:
    sentence = inOwnNames(std::string(ofArgument(diagnostic.message)), place, sources);
    if (sentence.empty()) sentence = otherwiseDeclared(diagnostic.message);
    break;
  case Id::narrowing: sentence = castOfNarrowed(diagnostic, sources); break;
  case Id::noOverload: sentence = withArgument(diagnostic, place, sources); break;
  case Id::badOperand:
    sentence = ofOperand(diagnostic.message);
    if (sentence.empty()) sentence = ofStructOperand(diagnostic.message, place, sources);
    break;
  case Id::undefinedName: sentence = namesHere(std::string(sources.text(diagnostic.span)), place); break;
  case Id::unknownAttribute:
    sentence = diagnostic.message.starts_with("a tuple")
                   ? "one of a tuple is taken by its place, `t[0]`, or all get names: `a, b = t`"
                   : membersLike(place);
    break;
  case Id::argumentNotGiven:
    sentence = withArgument(diagnostic, place, sources);
    if (const std::string all = parametersOf(place); !all.empty()) sentence += (sentence.empty() ? "" : "; ") + all;
    break;
  case Id::tooManyArguments:
  case Id::unknownKeyword: sentence = parametersOf(place); break;
  default: break;
  }
  if (sentence.empty()) sentence = ofKind(diagnostic.id);
  if (!sentence.empty()) diagnostic.notes.push_back({{}, std::move(sentence)});
}

}  // namespace tessera::sema
