// What checks of earlier versions of a module found, or those of the same version in other threads. A function whose own text
// and the text of everything that it may rest on stayed as it was is not checked again, if nothing was said about any of it.
//
// What a function rests on is found without the checker: the statements at module level that bind a word which occurs in
// it, and what those rest on. That is more than it needs, never less: a body is traced where it is called, so that what
// stands in it matters as much as its header.
#pragma once
#include "sema/FactTable.h"
#include "support/Sources.h"
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace tessera::sema {

class CheckedBefore {
public:
  /// The same function may be checked as an entry point, as something that nothing calls, and once more for an editor.
  enum class Pass : uint8_t { Entry, Uncalled, Untraced };
  struct Rest {
    ast::StmtPtr stmt;
    bool unread = false;  // it holds a mistake of reading text, and binds nothing
    bool operator==(const Rest &) const = default;
  };
  struct Found {
    std::vector<Rest> rests;              // in the order of the text
    std::shared_ptr<FactPart> facts;      // null: nobody asked for them
    std::set<const void *> traced;        // bodies
    std::set<std::pair<const ast::FuncDef *, std::string>> settled;  // what was checked by itself
    bool read = true;                     // Uncalled: it is known whether it is right
    size_t steps = 0;                     // Uncalled
    bool outOfSteps = false;
    uint64_t check = 0;                   // that used it last
  };

  /// Several checks may share a module, each in a thread of its own: which entry points are this one's. What is nobody's entry
  /// point is the first one's.
  struct Share {
    uint32_t begin = 0, end = UINT32_MAX;  // where their names stand
    /// What the check found whose share this entry point is, once it is done; null where that is of no use.
    std::function<CheckedBefore *(uint32_t place)> others;
    bool has(uint32_t place) const { return begin <= place && place < end; }
    bool isFirst() const { return begin == 0; }
  };
  Share share;

  /// A module is to be checked, whose statements are evaluated.
  void begin(const ast::Module &module, const Sources &sources, const std::set<const ast::Stmt *> &unread);
  /// What an earlier check found and what still holds, or null.
  const Found *find(const ast::FuncDef &def, const std::string &name, Pass pass, bool facts);
  /// `found.rests` is filled in.
  void keep(const ast::FuncDef &def, const std::string &name, Pass pass, Found found);
  /// The statements that a function rests on, as places in the module.
  const std::vector<uint32_t> &restsOf(const ast::FuncDef &def);
  const ast::Module &module() const { return *module_; }
  /// Nothing of what was found holds any longer.
  void forget() { found_.clear(); }

private:
  struct Words {
    ast::StmtPtr stmt;
    std::vector<uint32_t> words;
  };
  using Key = std::tuple<const ast::FuncDef *, std::string, Pass>;
  uint32_t wordOf(std::string_view text);
  const std::vector<uint32_t> &wordsOf(const ast::StmtPtr &stmt, const Sources &sources);
  void bind(const ast::Stmt &stmt, uint32_t index);
  void bindTarget(const ast::Expr *target, uint32_t index);
  void attach(const ast::Stmt &stmt, uint32_t index);
  void bindName(const std::string &name, uint32_t index);
  uint32_t indexOf(const ast::FuncDef &def) const;
  std::vector<Rest> namesOf(const std::vector<uint32_t> &rests) const;

  std::unordered_map<std::string, uint32_t> words_;
  std::unordered_map<const ast::Stmt *, Words> wordsIn_;
  std::map<Key, Found> found_;
  uint64_t checks_ = 0;
  // Of the module that is being checked.
  const ast::Module *module_ = nullptr;
  std::set<const ast::Stmt *> unread_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> binders_;  // of a word
  std::vector<uint32_t> bindersOfAll_;                           // `from m import *`
  std::vector<std::vector<uint32_t>> edges_, rests_;             // by statement
  std::vector<bool> restsKnown_;
};

}  // namespace tessera::sema
