// A kernel run by the compiler for one group and given sizes, as far as indices, conditions and shared memory go:
// no element of a tensor is computed. What it finds is an execution that the program really has. Conditions that
// only data decide are taken one way or the other if there is one of them; a second one, or a loop whose length
// is not known, ends what can be said about the code before it.
#pragma once
#include "sema/races/GlobalMemory.h"
#include <functional>
#include <set>

namespace tessera::sema::races {

/// What all runs of a kernel have in common.
struct Observations {
  struct Wait {
    const Stmt *stmt = nullptr;
    size_t mostPending = 0;
  };
  struct Read {
    const Var *buffer = nullptr;
    Span span;
    bool everTouched = false;  // something had been stored to the buffer before, at least once
  };
  std::vector<Wait> waits;   // in the order in which they were first met
  std::vector<Read> reads;   // of buffers of shared memory
  bool complete = true;      // every run went through to its end
  int64_t fuel = 0;          // elements and statements that may still be looked at
};

/// A wait although nothing is committed and something is not.
struct EmptyWait {
  const Stmt *stmt = nullptr;
  Use copy;
};

class Simulation {
public:
  Simulation(const Function &kernel, Sizes sizes, size_t lanes, GroupPlace place, bool decision,
             Observations &observations);
  /// What this group does to the tensors of all groups is noted there, too. Call before run().
  void share(GlobalMemory &global, int64_t group);
  void run();
  const std::optional<Finding> &finding() const { return finding_; }
  const std::optional<EmptyWait> &emptyWait() const { return emptyWait_; }
  bool metUnknown() const { return !unknownKey_.empty(); }

private:
  bool stopped() const { return finding_ || emptyWait_ || outOfFuel_; }
  void spend(int64_t amount);
  void block(const Block &block);
  void statement(const Stmt &stmt);
  void ifStatement(const Stmt &stmt);
  void forLoop(const Stmt &stmt);
  void whileLoop(const Stmt &stmt);
  std::optional<std::vector<int64_t>> extentsOf(const Var &buffer) const;
  void allocate(const Var *buffer);
  bool followsIndex(const Stmt &store) const;
  void useGlobal(const Region &region, const LaneMask &lanes, const Use &use, bool sameValue);
  LaneMask lanesOf(const Stmt &stmt) const;
  void waitGroup(const Stmt &stmt);
  void asyncCopy(const Stmt &stmt);
  void store(const Stmt &stmt);
  void atomic(const Stmt &stmt);
  void reads(const Stmt &stmt);
  void readsOf(const Expr *expr, const Stmt &stmt);
  void load(const Expr &expr, const Stmt &stmt);
  void under(Around around, LaneMask mask, const Block &body);
  Use use(const Stmt &stmt, Span span, bool writes, bool isCopy) const { return {&stmt, span, writes, isCopy, now_, false}; }
  bool choosesLanes(const Expr &condition) const;
  const Expr *definitionOf(const Expr &expr) const;
  void unknownsOf(const Expr &expr, bool &ofAll, bool &ofLanes) const;
  std::optional<bool> decide(const Expr &condition);
  void skip(const Stmt &stmt);
  void forgetAssigned(const Block &block);
  std::optional<Region> region(const Access &access) const;
  void note(std::optional<Finding> found);
  bool anyLane(const LaneMask &mask) const;

  const Function &kernel_;
  Lanes lanes_;
  SharedMemory memory_;
  GlobalMemory *global_ = nullptr;
  std::set<const Var *> groupsOwn_;  // variables that may differ between groups
  std::unordered_map<const Var *, const Expr *> lets_;  // what variables are that nothing rebinds
  LaneMask mask_;
  bool decision_;
  Observations &seen_;
  std::vector<Around> around_;
  int64_t now_ = 0;  // statements executed
  const Stmt *lastWait_ = nullptr;
  int64_t groupsAtWait_ = 0;  // committed until then
  std::string unknownKey_;
  int64_t workSeen_ = 0;
  bool outOfFuel_ = false;
  std::optional<Finding> finding_;
  std::optional<EmptyWait> emptyWait_;
};

/// The variables that are computed from what `source` is true for; a loop's counter from where it starts, and with `bounds`
/// from where it ends and by which steps it gets there. Which way a condition goes is not followed.
std::set<const Var *> madeFrom(const Function &kernel, const std::function<bool(const Expr &)> &source, bool bounds = true);
/// Whether an expression is made from such a variable or holds such a source.
bool isMadeFrom(const Expr &expr, const std::set<const Var *> &made, const std::function<bool(const Expr &)> &source);

/// Sizes to try, small ones first: each satisfies the facts of the kernel as far as they can be evaluated.
std::vector<Sizes> sizesToTry(const Function &kernel);

}  // namespace tessera::sema::races
