// Values that are used up: each may be used once, on every way through the function. Drawing from a stream twice
// would give the same numbers twice.
#include "sema/Report.h"
#include "sema/effects/Effects.h"

namespace tessera::sema {

static std::string stateText(const Value &state) {
  return state.kind == ValueKind::State ? state.type.str() : state.instance->info->name;
}

bool isUsedUp(Context &cx, const Value &value, Span span) {
  auto it = value.handle ? cx.spent.find(value.handle) : cx.spent.end();
  if (it == cx.spent.end()) return false;
  const Spent &spent = it->second;
  if (value.isState()) {
    // A loop that does not keep what it moves on says so where it does: what is old behind it is a consequence.
    if (!fresh(cx, Id::oldState, span) || !fresh(cx, Id::oldState, spent.span)) return true;
    auto builder = report(cx, Id::oldState, span, stateText(value));
    builder.note(spent.span, spent.by + (spent.maybe ? " moves it on here, on some of the ways that lead here"
                                                     : " moves it on here"));
    auto next = cx.successors.find(value.handle);
    for (const auto &[name, binding] : cx.function.frame->names)
      if (next != cx.successors.end() && binding.value.handle == next->second)
        builder.help("the state behind it is `" + name + "`");
    return true;
  }
  // All uses behind the first are one mistake: the stream is noted under a number that no message has.
  bool repeats = spent.span == span;
  bool first =
      cx.reportedSpans.insert({-1 - static_cast<int>(Id::usedUp), span.file, static_cast<uint32_t>(value.handle)})
          .second;
  if (!fresh(cx, Id::usedUp, span) || !first) return true;
  auto builder = report(cx, Id::usedUp, span, "this stream");
  if (repeats) {
    builder.label("this is done more than once").help("split it into one part for each time: `rng.split(count)`");
    return true;
  }
  builder.label("used again here")
      .note(spent.span,
            spent.by + (spent.maybe ? " uses it up here, on some of the ways that lead here" : " uses it up here"))
      .help("split it first, `a, b = rng.split()` (`rng.split(3)` gives three), and use each part once");
  return true;
}

bool useUp(Context &cx, const Value &value, const std::string &by, Span span) {
  if (isUsedUp(cx, value, span)) return false;
  if (value.handle) cx.spent[value.handle] = {span, by, false};
  return true;
}

void mergeUsedUp(Context &cx, const std::map<std::string, Binding> &before,
                 const std::map<std::string, Binding> &thenNames, const SpentValues &thenSpent,
                 const std::map<std::string, Binding> &elseNames, Span condition) {
  SpentValues elseSpent = std::move(cx.spent);
  cx.spent = thenSpent;
  for (auto &[handle, spent] : cx.spent) spent.maybe |= !elseSpent.count(handle);
  for (const auto &[handle, spent] : elseSpent)
    if (!thenSpent.count(handle)) (cx.spent[handle] = spent).maybe = true;
  for (const auto &[name, binding] : before) {
    int old = binding.value.handle;
    if (!old) continue;
    int a = thenNames.at(name).value.handle, b = elseNames.at(name).value.handle;
    if (a == old && b == old) continue;
    statesDiffer(cx, name, binding.value, thenNames.at(name).value, elseNames.at(name).value, condition);
    int merged = cx.function.frame->names[name].value.handle = newHandle(cx);
    const std::pair<int, const SpentValues *> ends[] = {{a, &thenSpent}, {b, &elseSpent}};
    for (const auto &[end, spent] : ends)
      if (auto it = spent->find(end); it != spent->end()) {
        cx.spent[merged] = it->second;
        cx.spent[merged].maybe = !(thenSpent.count(a) && elseSpent.count(b));
      }
  }
}

void usedUpInLoop(Context &cx, const SpentValues &before, const std::map<std::string, Binding> &names) {
  for (const auto &[name, binding] : names) {
    auto it = cx.spent.find(binding.value.handle);
    if (!binding.value.handle || it == cx.spent.end() || before.count(binding.value.handle)) continue;
    auto now = cx.function.frame->names.find(name);
    bool renewed = now != cx.function.frame->names.end() && now->second.value.handle != binding.value.handle &&
                   !cx.spent.count(now->second.value.handle);
    if (renewed || !fresh(cx, Id::usedUp, it->second.span)) continue;
    if (binding.value.isState()) {
      auto builder = report(cx, Id::oldState, it->second.span, stateText(binding.value));
      builder.label("the next turn of the loop moves the same state on again")
          .note(binding.span, "it comes from outside of the loop");
      if (binding.value.kind == ValueKind::State) builder.help("keep it: `" + name + " = " + name + ".append(k, v)`");
      else builder.help("`" + name + "` is to have the new one: use one name for it");
      continue;
    }
    report(cx, Id::usedUp, it->second.span, "`" + name + "`")
        .label("the next turn of the loop uses it again")
        .note(binding.span, "it comes from outside of the loop")
        .help("renew it in each turn: `" + name + ", now = " + name + ".split()`, and use `now`");
  }
}

}  // namespace tessera::sema
