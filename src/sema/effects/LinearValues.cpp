// Values that are used up: each may be used once, on every way through the function. Drawing from a stream twice
// would give the same numbers twice.
#include "sema/Checker.h"

namespace tessera::sema {

static std::string stateText(const Value &state) {
  return state.kind == ValueKind::State ? state.type.str() : state.instance->info->name;
}

/// True, with a message, if the value was used up before.
bool Checker::isSpent(const Value &value, Span span) {
  auto it = value.handle ? spent_.find(value.handle) : spent_.end();
  if (it == spent_.end()) return false;
  const Spent &spent = it->second;
  if (value.isState()) {
    if (!fresh(Id::oldState, span)) return true;
    auto builder = report(Id::oldState, span, stateText(value));
    builder.note(spent.span, spent.by + (spent.maybe ? " moves it on here, on some of the ways that lead here" : " moves it on here"));
    auto next = successors_.find(value.handle);
    for (const auto &[name, binding] : frame_->names)
      if (next != successors_.end() && binding.value.handle == next->second)
        builder.help("the state behind it is `" + name + "`");
    return true;
  }
  // All uses behind the first are one mistake: the stream is noted under a number that no message has.
  bool repeats = spent.span == span;
  bool first = reportedSpans_.insert({-1 - static_cast<int>(Id::usedUp), span.file, static_cast<uint32_t>(value.handle)}).second;
  if (!fresh(Id::usedUp, span) || !first) return true;
  auto builder = report(Id::usedUp, span, "this stream");
  if (repeats) {
    builder.label("this is done more than once").help("split it into one part for each time: `rng.split(count)`");
    return true;
  }
  builder.label("used again here")
      .note(spent.span, spent.by + (spent.maybe ? " uses it up here, on some of the ways that lead here" : " uses it up here"))
      .help("split it first, `a, b = rng.split()` (`rng.split(3)` gives three), and use each part once");
  return true;
}

/// Uses a value up. False, with a message, if it was used up before.
bool Checker::spend(const Value &value, const std::string &by, Span span) {
  if (isSpent(value, span)) return false;
  if (value.handle) spent_[value.handle] = {span, by, false};
  return true;
}

/// Behind a condition that was taken one way with `thenSpent` and the other way with spent_: what either way uses up is
/// used up, and a name that one way renews stands for something new.
void Checker::mergeSpent(const std::map<std::string, Binding> &before,
                         const std::map<std::string, Binding> &thenNames, const SpentValues &thenSpent,
                         const std::map<std::string, Binding> &elseNames, Span condition) {
  SpentValues elseSpent = std::move(spent_);
  spent_ = thenSpent;
  for (auto &[handle, spent] : spent_) spent.maybe |= !elseSpent.count(handle);
  for (const auto &[handle, spent] : elseSpent)
    if (!thenSpent.count(handle)) (spent_[handle] = spent).maybe = true;
  for (const auto &[name, binding] : before) {
    int old = binding.value.handle;
    if (!old) continue;
    int a = thenNames.at(name).value.handle, b = elseNames.at(name).value.handle;
    if (a == old && b == old) continue;
    statesDiffer(name, binding.value, thenNames.at(name).value, elseNames.at(name).value, condition);
    int merged = frame_->names[name].value.handle = newHandle();
    const std::pair<int, const SpentValues *> ends[] = {{a, &thenSpent}, {b, &elseSpent}};
    for (const auto &[end, spent] : ends)
      if (auto it = spent->find(end); it != spent->end()) {
        spent_[merged] = it->second;
        spent_[merged].maybe = !(thenSpent.count(a) && elseSpent.count(b));
      }
  }
}

/// A loop uses up in its second turn what it used up in its first. `names`: those from before the loop.
void Checker::spentInLoop(const SpentValues &before, const std::map<std::string, Binding> &names) {
  for (const auto &[name, binding] : names) {
    auto it = spent_.find(binding.value.handle);
    if (!binding.value.handle || it == spent_.end() || before.count(binding.value.handle)) continue;
    auto now = frame_->names.find(name);
    bool renewed = now != frame_->names.end() && now->second.value.handle != binding.value.handle &&
                   !spent_.count(now->second.value.handle);
    if (renewed || !fresh(Id::usedUp, it->second.span)) continue;
    if (binding.value.isState()) {
      auto builder = report(Id::oldState, it->second.span, stateText(binding.value));
      builder.label("the next turn of the loop moves the same state on again").note(binding.span, "it comes from outside of the loop");
      if (binding.value.kind == ValueKind::State) builder.help("keep it: `" + name + " = " + name + ".append(k, v)`");
      else builder.help("`" + name + "` is to have the new one: use one name for it");
      continue;
    }
    report(Id::usedUp, it->second.span, "`" + name + "`")
        .label("the next turn of the loop uses it again")
        .note(binding.span, "it comes from outside of the loop")
        .help("renew it in each turn: `" + name + ", now = " + name + ".split()`, and use `now`");
  }
}

}  // namespace tessera::sema
