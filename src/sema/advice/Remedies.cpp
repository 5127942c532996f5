#include "sema/advice/Remedies.h"
#include "sema/Builtins.h"
#include <algorithm>
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
    {"a dtype", "", "dtypes are words without quotes: `f32`, `bf16`, `i32`, `bool`"},
    {"a condition", "", "a comparison makes truth values: `x > 0`, `x != 0`"},
    {"a stream", "", "a stream is a parameter, `rng: Rng`; host code makes it of a seed: `Rng(0)`"},
    {"a function", "", "a function is given by its name, without a call: `f`, or `lambda x: x * 2.0`"},
    {"a tensor of integers", "", "`cast(i, i32)` makes integers"},
    {"floats", "", "`cast(x, f32)` makes floats"},
    {"a scalar", "a tensor", "one element is `x[0]`; `sum(x)` and `mean(x)` make one number of all"},
    {"a number", "a tensor", "one element is `x[0]`; `sum(x)` and `mean(x)` make one number of all"},
    {"one number", "a tensor", "one element is `x[0]`; `sum(x)` and `mean(x)` make one number of all"},
    {"a number", "a text", "a number stands without quotes; `float(text)` reads one"},
    {"a text", "", "a text stands in quotes; `str(x)` and f-strings, `f\"{x}\"`, make one"},
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
  if (has(message, "a text")) return "values are put into text by an f-string, `f\"x = {x}\"`, or by `str(x)`";
  if (has(message, "None")) return "what may be None is asked first: `if x is not None:`";
  if (has(message, "bool")) return "`cast(x, f32)` makes 0 and 1 of truth values; `&`, `|` and `~` combine them";
  if (has(message, "`%`") || has(message, "`//`") || has(message, "<<") || has(message, ">>"))
    return "it needs integers: `cast(x, i64)`";
  return {};
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
  auto *owner = as<ast::NameExpr>(member->object);
  bool tile = owner && (owner->name == "tile" || owner->name == "ts");
  std::vector<std::string> like = functionsLike(member->attribute.text, tile ? 'T' : 'M', place);
  return like.empty() ? "" : (tile ? "`tile` has " : "tensors have ") + listed(like);
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

}  // namespace

void noteRemedy(diag::Diagnostic &diagnostic, const Place &place, const Sources &sources) {
  bool says = std::any_of(diagnostic.notes.begin(), diagnostic.notes.end(),
                          [](const diag::Note &note) { return !note.span.valid(); });
  if (!diagnostic.fixes.empty() || says || !place.outermost) return;
  std::string sentence;
  switch (diagnostic.id) {
  case Id::wrongArgument: sentence = ofArgument(diagnostic.message); break;
  case Id::badOperand: sentence = ofOperand(diagnostic.message); break;
  case Id::undefinedName: sentence = namesHere(std::string(sources.text(diagnostic.span)), place); break;
  case Id::unknownAttribute: sentence = membersLike(place); break;
  case Id::argumentNotGiven:
  case Id::unknownKeyword: sentence = parametersOf(place); break;
  default: sentence = ofKind(diagnostic.id); break;
  }
  if (!sentence.empty()) diagnostic.notes.push_back({{}, std::move(sentence)});
}

}  // namespace tessera::sema
