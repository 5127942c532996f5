// Several functions of one name: which one a call means, and why none fits.
// Trials: checking that leaves no trace.
#include "sema/Arguments.h"
#include "sema/Report.h"
#include "sema/calls/Calls.h"
#include "sema/trace/Trace.h"
#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

namespace tessera::sema {

Trial attempt(Context &cx, const std::function<bool()> &check) {
  size_t diagnostics = cx.diagnostics.all().size(), failures = cx.failures,
         statements = cx.function.block ? cx.function.block->size() : 0,
         vars = cx.function.fn ? cx.function.fn->vars.size() : 0,
         requirements = cx.function.fn ? cx.function.fn->requirements.size() : 0;
  auto reported = cx.reportedSpans;
  auto unknown = cx.unknownNames;
  auto facts = cx.function.facts;
  std::shared_ptr<Frame> frame = cx.function.frame;
  auto names = frame ? frame->names : Names{};
  auto dims = frame ? frame->dims : std::map<std::string, Dim>{};
  int conversions = cx.conversions;
  bool saidExhausted = cx.saidExhausted;
  cx.conversions = 0;
  cx.reportedSpans.clear();  // a trial says everything
  Trial trial;
  trial.ok = check() && cx.failures == failures;
  trial.conversions = cx.conversions;
  for (size_t i = diagnostics; i < cx.diagnostics.all().size(); ++i) trial.said.push_back(cx.diagnostics.all()[i]);
  cx.conversions = conversions;
  cx.saidExhausted = saidExhausted;
  cx.diagnostics.truncate(diagnostics);
  cx.reportedSpans = std::move(reported);
  cx.unknownNames = std::move(unknown);
  cx.failures = failures;
  cx.function.facts = std::move(facts);
  cx.function.frame = frame;
  if (frame) frame->names = std::move(names), frame->dims = std::move(dims);
  if (cx.function.block) cx.function.block->resize(statements);
  if (!cx.function.fn) return trial;
  cx.function.fn->requirements.resize(requirements);
  while (cx.function.fn->vars.size() > vars) {
    Var *var = cx.function.fn->vars.back().get();
    cx.function.symVars.erase(symName(var));
    cx.function.varValues.erase(var);
    cx.function.rebindable.erase(var);
    cx.function.keptExtents.erase(var);
    cx.function.temps.erase(var);
    cx.function.fn->vars.pop_back();
  }
  return trial;
}

namespace {
/// How far a candidate is from a call: the number of arguments before their types.
struct Candidate {
  const Callable *callable = nullptr;
  int distance = 0, conversions = 0;
  size_t order = 0;  // of the definitions
  std::string why;
};

/// The names, numbers, quoted texts and signs that a type is written with; no blanks and comments.
std::vector<std::string> wordsOf(std::string_view text) {
  auto inWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 128;
  };
  std::vector<std::string> words;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = at + 1;
    char first = text[at];
    if (first == '#') {
      end = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(first)) || first == '\\') continue;
    if (first == '"' || first == '\'') end = std::min(text.find(first, end), text.size() - 1) + 1;
    else if (inWord(first))
      while (end < text.size() && inWord(text[end])) ++end;
    words.emplace_back(text.substr(at, end - at));
  }
  return words;
}
}  // namespace

/// The types of the parameters as one text, with dimension variables by the order in which they occur: of definitions
/// with the same text every call takes the first.
static std::string signatureKey(Context &cx, const ast::FuncDef &def) {
  std::map<std::string, std::string> variables;  // what stands for them
  for (const ast::TypeParameter &t : def.typeParameters)
    variables[t.name.text] = t.bound ? ":" + std::string(cx.sources.text(t.bound->span)) : "";
  size_t count = 0;
  auto variable = [&](const std::string &name) {
    std::string &text = variables[name];
    if (text.empty() || text[0] == ':') text = "$" + std::to_string(count++) + text;
    return text;
  };
  auto typeText = [&](Span span) {
    std::string text;
    bool ofModule = false;  // `ts` of `ts.Tensor` was left out, and the `.` is, too
    for (const std::string &word : wordsOf(cx.sources.text(span))) {
      bool quoted = word[0] == '"' || word[0] == '\'',
           isName = std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_';
      if (std::exchange(ofModule, false)) continue;
      if (quoted) text += variable(word.substr(1, word.size() - 2));
      else if (variables.count(word)) text += variable(word);
      else if (auto dtype = isName ? dtypeByName(word) : std::nullopt) text += name(*dtype);
      else if (isName && lookupName(cx, word, span, true).kind == ValueKind::Module) ofModule = true;
      else text += word;
      text += ' ';
    }
    return text;
  };
  std::string key;
  for (const ast::Parameter &p : def.parameters) {
    if (p.kind == ast::ParameterKind::KeywordOnly) key += p.name.text;
    key += std::to_string(static_cast<int>(p.kind)) + ": " + (p.annotation ? typeText(p.annotation->span) : "?") +
           (p.defaultValue ? "=," : ",");
  }
  return key;
}

void defineOverload(Context &cx, ModuleScope &scope, const std::string &name, Value value, Span span) {
  Value &old = scope.names[name];
  bool several = old.kind == ValueKind::Overloads;
  const Callable &first = several ? *old.items[0].callable : *old.callable;
  if (!first.isOverload || !value.callable->isOverload) {
    report(cx, Id::definedTwice, span, name)
        .note(scope.spans[name], "the first definition is here")
        .help("functions of one name with different parameters say so: `@overload` above each of them");
    return;
  }
  for (const Value &have : several ? old.items : std::vector<Value>{old}) {
    if (signatureKey(cx, *have.callable->def) != signatureKey(cx, *value.callable->def)) continue;
    report(cx, Id::definedTwice, span, name)
        .label("a call never means this one: its parameters have the types of an earlier one")
        .note(have.callable->nameSpan, "the earlier one is here")
        .help("a call takes the first definition that fits; names of parameters and `where` make no difference");
    return;
  }
  if (!several) {
    Value list = Value::of(ValueKind::Overloads);
    list.text = name;
    list.items = {old};
    old = std::move(list);
  }
  old.items.push_back(std::move(value));
}

/// Whether a call fits a function: arguments to parameters, and their types. The body is not looked at.
static Trial fitsCall(Context &cx, const Callable &callable, const GivenList &args, Span span, int &distance) {
  return attempt(cx, [&] {
    std::vector<Value> values;
    std::vector<Span> spans;
    GivenList copy = args;
    distance = 1000;
    if (!bindParameters(cx, callable, copy, span, values, spans)) return false;
    distance = 0;
    std::shared_ptr<Frame> caller = cx.function.frame;
    cx.function.frame = calleeFrame(cx, callable);
    bool ok = matchArguments(cx, callable, values, spans, &distance);
    cx.function.frame = caller;
    return ok;
  });
}

Value callOverloads(Context &cx, const Value &overloads, GivenList args, Span span) {
  for (const Given &arg : args)
    if (arg.value.isPoison()) return arg.value;
  std::vector<Candidate> candidates;
  const Candidate *best = nullptr;
  candidates.reserve(overloads.items.size());
  for (const Value &item : overloads.items) {
    Candidate candidate;
    candidate.callable = item.callable;
    Trial trial = fitsCall(cx, *item.callable, args, span, candidate.distance);
    candidate.conversions = trial.conversions;
    if (!trial.said.empty()) {
      candidate.why = trial.said[0].message;
      if (!trial.said[0].label.empty()) candidate.why += ": " + trial.said[0].label;
    }
    candidates.push_back(candidate);
    if (trial.ok && (!best || trial.conversions < best->conversions)) best = &candidates.back();
  }
  if (best) return callFunction(cx, *best->callable, std::move(args), span);
  if (!fresh(cx, Id::noOverload, span)) return Value::poison();
  for (size_t i = 0; i < candidates.size(); ++i) candidates[i].order = i;
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return std::tie(a.distance, a.order) < std::tie(b.distance, b.order);
  });
  auto builder = report(cx, Id::noOverload, span, overloads.text, candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i)
    builder.note(candidates[i].callable->nameSpan,
                 (i == 0 ? "the closest: " : "") + (candidates[i].why.empty() ? "it does not fit" : candidates[i].why));
  return Value::poison();
}

}  // namespace tessera::sema
