#include "checked/Effects.h"
#include <algorithm>
#include <tuple>

namespace tessera::checked {

const std::vector<std::string_view> &effectNames() {
  static const std::vector<std::string_view> names = {"random", "io", "state", "collective", "nondet", "schedule"};
  return names;
}

std::string_view nameOf(EffectKind kind) { return effectNames()[static_cast<size_t>(kind)]; }

std::optional<EffectKind> effectByName(std::string_view name) {
  auto it = std::find(effectNames().begin(), effectNames().end(), name);
  if (it == effectNames().end()) return std::nullopt;
  return static_cast<EffectKind>(it - effectNames().begin());
}

std::string Effect::str() const {
  std::string text(nameOf(kind));
  if (kind == EffectKind::State) text += "(" + of + ")";
  if (kind == EffectKind::Collective) text += "(\"" + of + "\")";
  return text;
}

void Effects::add(Effect effect) {
  auto before = [](const Effect &a, const Effect &b) { return std::tie(a.kind, a.of) < std::tie(b.kind, b.of); };
  auto at = std::lower_bound(all_.begin(), all_.end(), effect, before);
  if (at == all_.end() || before(effect, *at)) all_.insert(at, std::move(effect));
  else if ((effect.withoutStream && !at->withoutStream) || (effect.files && !at->files)) *at = std::move(effect);
}

const Effect *Effects::find(EffectKind kind, std::string_view of) const {
  for (const Effect &effect : all_)
    if (effect.kind == kind && effect.of == of) return &effect;
  return nullptr;
}

Effects Effects::without(EffectKind kind) const {
  Effects rest;
  for (const Effect &effect : all_)
    if (effect.kind != kind) rest.all_.push_back(effect);
  return rest;
}

std::string Effects::str() const {
  std::string text;
  for (const Effect &effect : all_) text += (text.empty() ? "" : " ") + effect.str();
  return text;
}

}  // namespace tessera::checked
