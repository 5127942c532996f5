// Random programs with random blanks, line breaks and comments: whatever the layout was, the promises hold.
#include "FormatTesting.h"
#include <random>

namespace tessera::frontend {
namespace {

class Generator {
public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string program() {
    for (int i = pick(1, 8); i > 0; --i) statement(0, 0);
    return out_;
  }

private:
  std::mt19937 random_;
  std::string out_;
  int depth_ = 0;  // open brackets: line breaks and comments are allowed inside
  int functions_ = 0;  // around this place

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  template <class T> T oneOf(std::initializer_list<T> list) { return *(list.begin() + pick(0, static_cast<int>(list.size()) - 1)); }

  /// What may stand between two words.
  void gap(bool needed = true) {
    if (depth_ > 0 && chance(8)) {
      if (chance(40)) out_ += std::string(pick(0, 4), ' ') + "#c" + std::to_string(pick(0, 99));
      out_ += "\n" + std::string(pick(0, 12), ' ');
      if (chance(20)) out_ += "# own " + std::to_string(pick(0, 99)) + "\n" + std::string(pick(0, 5), ' ');
      return;
    }
    out_ += std::string(pick(needed ? 1 : 0, chance(80) ? 1 : 3), ' ');
  }
  void word(const std::string &text) { out_ += text; }
  void open(const char *bracket) {
    out_ += bracket;
    ++depth_;
    gap(false);
  }
  void close(const char *bracket) {
    gap(false);
    out_ += bracket;
    --depth_;
  }
  std::string name() {
    std::string base = oneOf<std::string>({"x", "y", "acc", "tile_size", "a_rather_long_name_of_a_value", "K", "where_to"});
    return chance(30) ? base + std::to_string(pick(0, 9)) : base;
  }

  template <class Each> void items(int least, int most, Each each, bool trailing) {
    int count = pick(least, most);
    for (int i = 0; i < count; ++i) {
      each();
      if (i + 1 < count || (trailing && chance(20))) {
        gap(false);
        word(",");
        gap(false);
      }
    }
  }

  void atom(int fuel) {
    switch (fuel <= 0 ? pick(0, 3) : pick(0, 11)) {
    case 0:
    case 1: word(name()); break;
    case 2: word(oneOf<std::string>({"1", "0x_ff", "1e-5", "2.5", "1_000"})); break;
    case 3: word(oneOf<std::string>({"'text'", "\"it's\"", "f\"{x:.3f}\"", "r'\\d'", "None", "True"})); break;
    case 4: open("("); expression(fuel - 1); close(")"); break;
    case 5: open("("); expression(fuel - 1); word(","); items(0, 3, [&] { gap(false); expression(fuel - 1); }, false); close(")"); break;
    case 6: open("["); items(0, 6, [&] { expression(fuel - 1); }, true); close("]"); break;
    case 7: open("{"); items(1, 4, [&] { expression(fuel - 1); word(":"); gap(false); expression(fuel - 1); }, true); close("}"); break;
    case 8: call(fuel); break;
    case 9: word(name()); open("["); items(1, 3, [&] { subscript(fuel - 1); }, false); close("]"); break;
    case 10: word(name()); word("."); word(name()); break;
    case 11: comprehension(fuel); break;
    }
  }
  void call(int fuel) {
    word(name());
    for (int i = pick(1, 2); i > 0; --i) {
      if (chance(30)) word("."), word(name());
      open("(");
      int serial = 0;
      bool named = false;
      items(0, 5, [&] {
        named |= chance(25);
        if (named) word("k" + std::to_string(serial++)), gap(false), word("="), gap(false);
        else if (chance(5)) word("*");
        expression(fuel - 1);
      }, true);
      close(")");
    }
  }
  void subscript(int fuel) {
    if (chance(60)) { expression(fuel); return; }
    if (chance(70)) sum(fuel);
    word(":");
    gap(false);
    if (chance(70)) sum(fuel);
  }
  void comprehension(int fuel) {
    open("[");
    expression(fuel - 1);
    gap();
    word("for");
    gap();
    word(name());
    gap();
    word("in");
    gap();
    sum(fuel - 1);
    if (chance(40)) gap(), word("if"), gap(), sum(fuel - 1);
    close("]");
  }
  void sum(int fuel) {
    if (chance(15)) word(oneOf<std::string>({"-", "~", "+"})), gap(false);
    atom(fuel);
    for (int i = chance(40) ? pick(1, 4) : 0; i > 0; --i) {
      gap(false);
      word(oneOf<std::string>({"+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^"}));
      gap(false);
      if (chance(10)) word("-");
      atom(fuel - 1);
    }
  }
  void expression(int fuel) {
    if (chance(4)) {
      word("lambda");
      gap();
      word(name());
      word(":");
      gap(false);
      expression(fuel - 1);
      return;
    }
    if (chance(8)) word("not"), gap();
    sum(fuel);
    for (int i = chance(20) ? pick(1, 3) : 0; i > 0; --i) {
      gap();
      word(oneOf<std::string>({"and", "or", "==", "<", ">=", "!=", "in", "not in", "is not"}));
      gap();
      sum(fuel - 1);
    }
    if (chance(6)) gap(), word("if"), gap(), sum(fuel - 1), gap(), word("else"), gap(), sum(fuel - 1);
  }

  void endLine() {
    if (chance(15)) out_ += std::string(pick(0, 9), ' ') + "#t" + std::to_string(pick(0, 99)) + "  ";
    out_ += "\n";
    for (int i = chance(20) ? pick(1, 4) : 0; i > 0; --i) out_ += chance(50) ? "\n" : "   \n";
  }
  void simple() {
    switch (pick(0, 5)) {
    case 0:
      if (functions_ == 0) return word("pass");
      word("return");
      gap();
      expression(2);
      break;
    case 1: word(name()); gap(false); word(oneOf<std::string>({"+=", "-=", "//=", "@="})); gap(false); expression(2); break;
    case 2: call(2); break;
    case 3: word("pass"); break;
    case 4: word("assert"); gap(); expression(2); word(","); gap(false); word("\"why\""); break;
    default: word(name()); gap(false); word("="); gap(false); expression(2);
    }
  }
  void statement(int level, int column) {
    if (chance(12)) out_ += std::string(chance(70) ? column : pick(0, column), ' ') + "#own line " + std::to_string(pick(0, 99)) + "\n";
    out_ += std::string(column, ' ');
    if (level < 4 && chance(30)) {
      compound(level, column);
      return;
    }
    simple();
    while (chance(6)) word(oneOf<std::string>({";", " ; "})), simple();
    endLine();
  }
  void block(int level, int column) {
    word(":");
    if (chance(12)) {
      gap(false);
      simple();
      endLine();
      return;
    }
    endLine();
    int inner = column + pick(1, 5);
    for (int i = pick(1, 4); i > 0; --i) statement(level + 1, inner);
  }
  void compound(int level, int column) {
    switch (pick(0, 4)) {
    case 0: word("if"); gap(); expression(2); block(level, column); tail("elif", 30, level, column); tail("else", 30, level, column); break;
    case 1: word("while"); gap(); expression(2); block(level, column); break;
    case 2: word("for"); gap(); word(name()); gap(); word("in"); gap(); expression(2); block(level, column); break;
    case 3: word("with"); gap(); call(2); block(level, column); break;
    default: function(level, column);
    }
  }
  void tail(const char *keyword, int percent, int level, int column) {
    if (!chance(percent)) return;
    out_ += std::string(column, ' ') + keyword;
    if (std::string(keyword) == "elif") gap(), expression(2);
    block(level, column);
  }
  void function(int level, int column) {
    if (chance(30)) out_ += "@" + name() + "\n" + std::string(column, ' ');
    word("def");
    gap();
    word(name());
    if (chance(30)) word("[B, D]");
    open("(");
    int serial = 0;
    items(0, 5, [&] {
      word("p" + std::to_string(serial++));
      word(":");
      gap(false);
      type();
      gap(false);
      word("=");
      gap(false);
      expression(1);
    }, true);
    close(")");
    if (chance(60)) gap(false), word("->"), gap(false), type();
    if (chance(20)) gap(), word("where"), gap(), word("D"), gap(false), word("%"), gap(false), word("8 == 0, B<4");
    ++functions_;
    block(level, column);
    --functions_;
  }
  void type() {
    word("Tensor");
    open("[");
    items(1, 3, [&] { word(oneOf<std::string>({"B", "D // 2", "\"S\"", "64"})); }, false);
    word(",");
    gap(false);
    word(oneOf<std::string>({"f32", "bf16 @accum(f32)", "bf16@accum(f32)@stochastic_round", "fp32"}));
    close("]");
  }
};

TEST(FormatRandom, PromisesHoldForAnyLayout) {
  size_t lines = 0;
  for (unsigned seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::string out = formatChecked(Generator(seed).program());
    for (char c : out) lines += c == '\n';
  }
  EXPECT_GT(lines, 5000u);
}

}  // namespace
}  // namespace tessera::frontend
