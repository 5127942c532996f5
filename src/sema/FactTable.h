// What an editor shows of a program: what stands at each place of its text. The checker writes it down while it checks,
// if it is asked to; without a table it does nothing for it.
//
// A body is traced once for each call, with other shapes each time. Of several views of a place the one with the
// function's own names wins (as an entry point, or with its parameters as they are declared), then the first call.
#pragma once
#include "checked/Checked.h"
#include "checked/Effects.h"
#include "sema/Value.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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
  Span place;  // an expression, or a name where it is bound
  ValueKind kind = ValueKind::Poison;
  Type type;         // of arrays, views, shared buffers, caches, dtypes. Sizes of run time have the user's names
  std::string text;  // a known number, text or truth value; the name of a struct with its arguments, of a module,
                     // a type, a builtin; the parts of a tuple
  Span definition;   // of a function, a struct or a named policy
  const ast::FuncDef *function = nullptr;
  const ast::StructDef *structure = nullptr;  // of a struct and of one of its values
  const ast::Module *module = nullptr;
  const BuiltinRow *builtin = nullptr;
  std::optional<Dim> work;  // of a call of a function: operations on floats, without those of its arguments
  bool several = false;     // other calls, or turns of a loop that is written out, have something else
  FactView view = FactView::Own;
};

/// What a function looks like from outside, where its text does not say it.
struct FunctionFacts {
  std::vector<Type> results;
  std::vector<Requirement> requirements;  // places in them are those of the text that was checked
};

/// A statement at module level, and where it stood when something was found out about it.
struct StatementPlace {
  uint32_t from = 0;  // behind the statement before
  uint32_t at = 0;    // where the statement itself begins
  ast::StmtPtr stmt;
};
using StatementPlaces = std::vector<StatementPlace>;  // in the order of the text

/// What the check of one function found out, about its own text and about that of functions that it calls. Texts change
/// around what stays: places are counted from the statement at module level that they are in.
class FactPart {
public:
  FactPart(FileId file, std::shared_ptr<const StatementPlaces> places) : file_(file), places_(std::move(places)) {}
  void add(Fact fact);
  /// The facts about a statement at module level, at the places where it stands now, are handed to `each`.
  template <class Each> void of(const ast::Stmt *stmt, const Each &each) const {
    group();
    auto found = groups_.find(stmt);
    if (found == groups_.end()) return;
    for (uint32_t index : found->second) each(moved(facts_[index]));
  }
  std::vector<std::pair<const ast::FuncDef *, Effects>> effects;
  std::vector<std::pair<const ast::FuncDef *, FunctionFacts>> functions;

private:
  void group() const;
  Fact moved(Fact fact) const;
  FileId file_;
  std::shared_ptr<const StatementPlaces> places_;
  std::vector<Fact> facts_;
  mutable std::unordered_map<uint64_t, uint32_t> byPlace_;                       // while facts are added
  mutable std::unordered_map<const ast::Stmt *, std::vector<uint32_t>> groups_;  // then
  mutable bool grouped_ = false;
};

class FactTable {
public:
  /// Of the places, only those of this module are kept.
  void begin(const ast::Module &module);
  bool wants(Span place) const { return !paused_ && place.valid() && place.file == file_; }
  /// Until it is ended, nothing is wanted.
  void pause(bool begins) { paused_ = begins; }
  /// What follows belongs to a part of its own, which is returned.
  std::shared_ptr<FactPart> beginPart();
  /// What an earlier check found out and what still holds.
  void take(std::shared_ptr<FactPart> part) { parts_.push_back(std::move(part)); }
  void add(Fact fact);
  /// The fact about exactly this place, or null.
  const Fact *at(Span place) const;
  const std::vector<Fact> &all() const;
  /// The facts about the statement at module level around an offset.
  const std::vector<Fact> &around(uint32_t offset) const;

  /// What a function does beside computing its results, as far as that was found out.
  void addEffects(const ast::FuncDef &def, const Effects &effects);
  const Effects *effectsOf(const ast::FuncDef &def) const;
  /// An entry point without mistakes.
  void addFunction(const ast::FuncDef &def, FunctionFacts facts);
  const FunctionFacts *functionOf(const ast::FuncDef &def) const;

private:
  struct Statement {  // the facts about one, put together when somebody asks
    bool known = false;
    std::vector<Fact> facts;
    std::unordered_map<uint64_t, uint32_t> byPlace;
  };
  const Statement *statement(uint32_t offset) const;
  const Statement &statement(size_t index) const;
  void index() const;

  FileId file_ = kNoFile;
  bool paused_ = false;
  std::shared_ptr<const StatementPlaces> places_;
  std::vector<std::shared_ptr<FactPart>> parts_;
  mutable std::vector<Statement> statements_;
  mutable std::vector<Fact> all_;
  mutable bool indexed_ = false, allKnown_ = false;
  mutable std::map<const ast::FuncDef *, const Effects *> effects_;
  mutable std::map<const ast::FuncDef *, const FunctionFacts *> functions_;
};

}  // namespace tessera::sema
