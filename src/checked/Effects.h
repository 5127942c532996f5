// What a function does beside computing its results.
#pragma once
#include "support/Span.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::checked {

enum class EffectKind : uint8_t {
  Random,      // draws random numbers
  Io,          // prints, reads or writes files
  State,       // moves the state object `of` on
  Collective,  // exchanges data with the other devices along the axis `of` of the mesh
  Nondet,      // may give other bits when it runs again
  Schedule,    // may give other values with other sizes of tiles
};

/// Why a function has an effect: a call on the way to it, or the operation that has it.
struct EffectStep {
  Span span;
  std::string text;  // "`f` is called here"
};
struct Effect {
  EffectKind kind = EffectKind::Io;
  std::string of;              // State: the parameter; Collective: the axis
  bool withoutStream = false;  // Random: not from a stream that was passed in
  bool files = false;          // Io: more than printing
  std::vector<EffectStep> path;  // outermost first; the last is the operation itself
  /// As it is written in `effects[...]`: io, state(cache), collective("tp").
  std::string str() const;
};

class Effects {
public:
  /// Keeps the first of its kind, but what promises and suspensions forbid replaces what they allow.
  void add(Effect effect);
  const Effect *find(EffectKind kind, std::string_view of = {}) const;
  Effects without(EffectKind kind) const;
  bool empty() const { return all_.empty(); }
  const std::vector<Effect> &all() const { return all_; }  // sorted by kind, then by `of`
  /// "random io state(cache)"
  std::string str() const;

private:
  std::vector<Effect> all_;
};

std::string_view nameOf(EffectKind kind);
std::optional<EffectKind> effectByName(std::string_view name);
/// All names, for suggestions.
const std::vector<std::string_view> &effectNames();

}  // namespace tessera::checked
