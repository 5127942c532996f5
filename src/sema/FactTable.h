// What an editor shows of a program: what stands at each place of its text. The checker writes it down while it checks,
// if it is asked to; without a table it does nothing for it.
//
// A body is traced once for each call, with other shapes each time. Of several views of a place the one with the
// function's own names wins (as an entry point, or with its parameters as they are declared), then the first call.
#pragma once
#include "checked/Effects.h"
#include "sema/Value.h"
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::sema {

/// Where the view of a fact comes from; a larger one takes the place of a smaller.
enum class FactView : uint8_t {
  Guessed,  // nothing calls the function, and its parameters are open: likely ones were tried
  Called,   // the function as one call has it
  Own,      // the function with its own dimensions
};

struct Fact {
  Span place;       // an expression, or a name where it is bound
  ValueKind kind = ValueKind::Poison;
  Type type;        // of arrays, views, shared buffers, caches, dtypes. Sizes of run time have the user's names
  std::string text; // a known number, text or truth value; the name of a struct with its arguments, of a module,
                    // a type, a builtin; the parts of a tuple
  Span definition;  // of a function, a struct or a named policy
  const ast::FuncDef *function = nullptr;
  const ast::StructDef *structure = nullptr;  // of a struct and of one of its values
  const ast::Module *module = nullptr;
  const BuiltinRow *builtin = nullptr;
  bool several = false;  // other calls, or turns of a loop that is written out, have something else
  FactView view = FactView::Own;
};

class FactTable {
public:
  /// Of the places, only those of this file are kept.
  void begin(FileId file, size_t bytes) {
    file_ = file;
    facts_.reserve(bytes / 6), byPlace_.reserve(bytes / 6);  // about as many as words
  }
  bool wants(Span place) const { return place.valid() && place.file == file_; }
  void add(Fact fact);
  /// The fact about exactly this place, or null.
  const Fact *at(Span place) const;
  const std::vector<Fact> &all() const { return facts_; }

  /// What a function does beside computing its results, as far as that was found out.
  void addEffects(const ast::FuncDef &def, const Effects &effects) { effects_.try_emplace(&def, effects); }
  const Effects *effectsOf(const ast::FuncDef &def) const;

private:
  static uint64_t key(Span place) { return static_cast<uint64_t>(place.begin) << 32 | place.end; }
  FileId file_ = kNoFile;
  std::vector<Fact> facts_;
  std::unordered_map<uint64_t, uint32_t> byPlace_;
  std::map<const ast::FuncDef *, Effects> effects_;
};

}  // namespace tessera::sema
