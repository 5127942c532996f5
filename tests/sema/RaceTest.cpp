// Random kernels in the explicit style: the checker finds a race exactly where sets of readers and writers of each
// element, kept by hand, find one.
#include "tests/sema/Checking.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace tessera;

namespace {
constexpr int kLanes = 8, kElements = 16;

/// (scale * lane + shift + turn * r) % kElements
struct Index {
  int scale = 1, shift = 0, turn = 0;
  int at(int lane, int r) const { return (scale * lane + shift + turn * r) % kElements; }
  std::string text(bool inLoop) const {
    std::string all = std::to_string(scale) + " * i + " + std::to_string(shift);
    if (inLoop) all += " + " + std::to_string(turn) + " * r";
    return "(" + all + ") % " + std::to_string(kElements);
  }
};
struct Statement {
  enum class Kind { Store, Update, Load, Barrier, Below, Loop } kind = Kind::Barrier;
  Index index;
  int bound = 0;  // Below: lanes; Loop: turns
  std::vector<Statement> body;
};
using Body = std::vector<Statement>;

class Generator {
public:
  Generator(uint32_t seed, bool updates) : random_(seed), updates_(updates) {}
  Body body(int depth, bool divergent, int count) {
    Body all;
    for (int n = 0; n < count; ++n) all.push_back(statement(depth, divergent));
    return all;
  }

private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }
  Statement statement(int depth, bool divergent) {
    Statement s;
    int kind = pick(10);
    s.index = {1 + pick(2) * pick(3), pick(3) * 8 % kElements + pick(2), pick(3)};
    if (kind < 3) s.kind = updates_ && pick(2) ? Statement::Kind::Update : Statement::Kind::Store;
    else if (kind < 5 || (divergent && kind < 8)) s.kind = Statement::Kind::Load;
    else if (kind < 8 || depth == 0) s.kind = divergent ? Statement::Kind::Load : Statement::Kind::Barrier;
    else if (kind == 8 && !divergent) {
      s.kind = Statement::Kind::Loop;
      s.bound = 1 + pick(3);
      s.body = body(0, false, 2 + pick(3));
    } else {
      s.kind = Statement::Kind::Below;
      s.bound = 1 + pick(kLanes);
      s.body = body(0, true, 1 + pick(2));
    }
    return s;
  }
  std::mt19937 random_;
  bool updates_;  // in one step, too
};

std::string textOf(const Body &body, int indent, bool inLoop) {
  std::string all, blanks(static_cast<size_t>(indent), ' ');
  for (const Statement &s : body) {
    switch (s.kind) {
    case Statement::Kind::Store: all += blanks + "s[" + s.index.text(inLoop) + "] = x[i]\n"; break;
    case Statement::Kind::Update: all += blanks + "tile.atomic_max(s[" + s.index.text(inLoop) + "], x[i])\n"; break;
    case Statement::Kind::Load: all += blanks + "acc += s[" + s.index.text(inLoop) + "]\n"; break;
    case Statement::Kind::Barrier: all += blanks + "tile.barrier()\n"; break;
    case Statement::Kind::Below:
      all += blanks + "if i < " + std::to_string(s.bound) + ":\n" + textOf(s.body, indent + 4, inLoop);
      break;
    case Statement::Kind::Loop:
      all += blanks + "for r in tile.range(0, " + std::to_string(s.bound) + "):\n" + textOf(s.body, indent + 4, true);
      break;
    }
  }
  return all;
}

/// Who read and wrote each element since the last barrier.
struct Model {
  std::set<int> readers[kElements], writers[kElements], updaters[kElements];
  bool race = false;
  void update(int lane, int element) {
    for (const std::set<int> *others : {&readers[element], &writers[element]})
      for (int other : *others) race |= other != lane;
    updaters[element].insert(lane);
  }
  void use(int lane, int element, bool writes) {
    for (int w : writers[element]) race |= w != lane;
    for (int u : updaters[element]) race |= u != lane;
    if (writes)
      for (int r : readers[element]) race |= r != lane;
    (writes ? writers : readers)[element].insert(lane);
  }
  void run(const Body &body, int lanes, int r) {
    for (const Statement &s : body) {
      switch (s.kind) {
      case Statement::Kind::Store:
      case Statement::Kind::Load:
        for (int lane = 0; lane < lanes; ++lane) use(lane, s.index.at(lane, r), s.kind == Statement::Kind::Store);
        break;
      case Statement::Kind::Update:
        for (int lane = 0; lane < lanes; ++lane) update(lane, s.index.at(lane, r));
        break;
      case Statement::Kind::Barrier:
        for (int e = 0; e < kElements; ++e) readers[e].clear(), writers[e].clear(), updaters[e].clear();
        break;
      case Statement::Kind::Below: run(s.body, std::min(lanes, s.bound), r); break;
      case Statement::Kind::Loop:
        for (int turn = 0; turn < s.bound; ++turn) run(s.body, lanes, turn);
        break;
      }
    }
  }
};
}  // namespace

static void racesAreFound(bool updates) {
  int races = 0, clean = 0;
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    Body body = Generator(seed, updates).body(1, false, 2 + static_cast<int>(seed % 5));
    std::string text = "@kernel(grid=(1,), group=8)\n"
                       "def f(x: Tensor[8, f32], y: Tensor[8, f32]):\n"
                       "    s = tile.alloc_shared((16,), f32)\n"
                       "    i = tile.local_id()\n"
                       "    s[i] = 0.0\n"
                       "    s[i + 8] = 0.0\n"
                       "    tile.barrier()\n"
                       "    acc = x[i]\n" +
                       textOf(body, 4, false) + "    y[i] = acc\n";
    Model model;
    model.run(body, kLanes, 0);
    test::Checking checking(text);
    std::string expected = model.race ? "E0520" : "";
    EXPECT_EQ(checking.messages().substr(0, 5), expected) << text << checking.messages();
    (model.race ? races : clean) += 1;
  }
  EXPECT_GT(races, 100);
  EXPECT_GT(clean, 100);
}

TEST(Races, AreFoundWhereThereAreSome) { racesAreFound(false); }
TEST(Races, UpdatesInOneStepMeetOtherUsesOnly) { racesAreFound(true); }
