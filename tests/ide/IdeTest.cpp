// What an editor asks, on texts: the context of the cursor, texts without what does not read, edits, names.
#include "frontend/Parser.h"
#include "ide/Describe.h"
#include "ide/Ide.h"
#include <gtest/gtest.h>
#include <random>

namespace tessera::ide {
namespace {

Context contextOf(std::string text) {
  size_t cursor = text.find('|');
  text.erase(cursor, 1);
  return contextAt(text, 0, static_cast<uint32_t>(cursor));
}
std::string objectOf(std::string text) {
  Context context = contextOf(text);
  text.erase(text.find('|'), 1);
  return context.kind == Context::Kind::Member ? text.substr(context.object.begin, context.object.end - context.object.begin) : "";
}
std::string calleeOf(std::string text) {
  Context context = contextOf(text);
  text.erase(text.find('|'), 1);
  return text.substr(context.callee.begin, context.callee.end - context.callee.begin);
}

TEST(Context, TheObjectBeforeADot) {
  EXPECT_EQ(objectOf("def f(x):\n    y = x.|"), "x");
  EXPECT_EQ(objectOf("def f(x):\n    y = x.re|"), "x");
  EXPECT_EQ(objectOf("y = g(a, b)[0].|"), "g(a, b)[0]");
  EXPECT_EQ(objectOf("y = (a @ b).T.|sum()"), "(a @ b).T");
  EXPECT_EQ(objectOf("y = f(1, p.q.|"), "p.q");
  EXPECT_EQ(objectOf("y = 1 + [a, b].|"), "[a, b]");
  EXPECT_EQ(objectOf("y = (1 + ).|"), "1 +");
  EXPECT_EQ(objectOf("y = ).|"), "");
  EXPECT_EQ(objectOf("y = .|"), "");
}

TEST(Context, TheCallAround) {
  EXPECT_EQ(calleeOf("y = f(|"), "f");
  EXPECT_EQ(calleeOf("y = a.b(1, g(2), |"), "a.b");
  EXPECT_EQ(calleeOf("y = a.b(1, g(2|"), "g");
  EXPECT_EQ(calleeOf("y = (1, |"), "");
  EXPECT_EQ(calleeOf("def f(|"), "");
  EXPECT_EQ(calleeOf("y = f(1)|"), "");
  Context context = contextOf("y = f(1, axis=2, keep=|");
  EXPECT_EQ(context.argument, 2u);
  EXPECT_EQ(context.keyword, "keep");
  EXPECT_EQ(context.keywords, (std::vector<std::string>{"axis", "keep"}));
  EXPECT_EQ(contextOf("y = f(g(a=1, b=2), |").argument, 1u);
  EXPECT_TRUE(contextOf("y = f(g(a=1, b=2), |").keywords.empty());
}

TEST(Context, TheArgumentsAndTheOperandBefore) {
  Context context = contextOf("y = f(a + 1, axis=b[0], |");
  ASSERT_EQ(context.given.size(), 2u);
  EXPECT_EQ(context.given[0].keyword, "");
  EXPECT_EQ(context.given[0].value.text, "a + 1");
  EXPECT_EQ(context.given[1].keyword, "axis");
  EXPECT_EQ(context.given[1].value.text, "b[0]");
  EXPECT_EQ(contextOf("y = a.b(1) @ w|").operand.text, "a.b(1)");
  EXPECT_EQ(contextOf("y = a.b(1) @ w|").op, ast::BinaryOp::MatMul);
  EXPECT_FALSE(contextOf("y = f(-|").op);
  EXPECT_FALSE(contextOf("@|").op);
}

TEST(Context, TextsCommentsAndNewNames) {
  using Kind = Context::Kind;
  EXPECT_EQ(contextOf("x = \"a|\"").kind, Kind::None);
  EXPECT_EQ(contextOf("x = \"a|").kind, Kind::None);
  EXPECT_EQ(contextOf("x = \"a\"|").kind, Kind::Name);
  EXPECT_EQ(contextOf("x = 1  # a|").kind, Kind::None);
  EXPECT_EQ(contextOf("x = 12|").kind, Kind::None);
  EXPECT_EQ(contextOf("def f|").kind, Kind::None);
  EXPECT_EQ(contextOf("@|").kind, Kind::Decorator);
  EXPECT_EQ(contextOf("@ker|").kind, Kind::Decorator);
  EXPECT_EQ(contextOf("def f(x: Tensor[N, bf16 @|").kind, Kind::Policy);
  EXPECT_EQ(contextOf("y = a @|").kind, Kind::Name);
  EXPECT_EQ(contextOf("from tessera.nn import |").kind, Kind::Import);
  EXPECT_EQ(contextOf("from tessera.nn import |").module, "tessera.nn");
}

TEST(Mending, AReducedTextIsAsLongAndReads) {
  std::string text = "def f(x):\n    if foo(x.\n        y = 1\n    return x\n";
  uint32_t at = static_cast<uint32_t>(text.find("x.\n"));
  std::string reduced = reducedTo(text, {0, at, at + 1});
  EXPECT_EQ(reduced.size(), text.size());
  EXPECT_EQ(reduced.substr(at, 1), "x");
  Sources sources;
  diag::Engine said;
  frontend::parse(sources, sources.add("a.tsr", reduced), said);
  EXPECT_FALSE(said.hasErrors()) << reduced;
}

TEST(Mending, BrokenLinesAreTakenOut) {
  for (const char *text : {"def f(x):\n    y = (x +\n    z = x\n    return z\n", "def f(x):\n    for i in range(:\n        x = x + i\n    return x\n",
                           "x = \n", "def f(x):\n    y = x $ 2\n    return x\n"}) {
    std::string mended = text;
    bool reads = false;
    for (int round = 0; round < 4 && !reads; ++round) {
      Sources sources;
      diag::Engine said;
      frontend::parse(sources, sources.add("a.tsr", mended), said);
      reads = !said.hasErrors();
      if (reads) break;
      std::string next = withoutBrokenLines(mended, 0, said.all());
      ASSERT_EQ(next.size(), mended.size()) << mended;
      mended = next;
    }
    EXPECT_TRUE(reads) << mended;
  }
}

TEST(Edits, LeadFromOneTextToTheOther) {
  std::mt19937 random(11);
  const char *lines[] = {"a\n", "b\n", "    c\n", "\n", "dd\n", "e"};
  auto make = [&] {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n) text += lines[random() % std::size(lines)];
    return text;
  };
  for (int round = 0; round < 500; ++round) {
    std::string from = make(), to = make(), text = from;
    std::vector<TextEdit> edits = lineEdits(from, to);
    for (auto it = edits.rbegin(); it != edits.rend(); ++it) text.replace(it->begin, it->end - it->begin, it->text);
    EXPECT_EQ(text, to);
  }
}

struct Read {
  Sources sources;
  diag::Engine said;
  std::unique_ptr<ast::Module> module;
  sema::FactTable none;
  Names names;
  explicit Read(const std::string &text) {
    module = frontend::parse(sources, sources.add("a.tsr", text), said);
    names = Names::of(*module, sources, none);
  }
  /// The places of the name that stands where `mark` begins, as the line numbers.
  std::string lines(const std::string &mark) {
    const std::string &text = sources.file(0).text;
    const Occurrence *at = names.at(static_cast<uint32_t>(text.find(mark)));
    std::string all;
    if (at)
      for (const Occurrence &o : names.of(at->symbol)) all += (all.empty() ? "" : " ") + std::to_string(sources.file(0).lineColumn(o.place.begin).line);
    return all;
  }
};

TEST(Names, ScopesAreThoseOfTheLanguage) {
  Read read("x = 1\n"                                               // 1
            "def f[N](x: Tensor[N, f32], y: Tensor[\"M\", f32]) -> Tensor[M, f32] where N == M:\n"  // 2
            "    z = [x for x in range(3)]\n"                        // 3
            "    g = lambda z: z + N\n"                              // 4
            "    for i in range(M):\n"                               // 5
            "        z = z + i\n"                                    // 6
            "    return z\n"                                         // 7
            "def g():\n"                                             // 8
            "    return x\n");                                       // 9
  EXPECT_EQ(read.lines("x = 1"), "1 9");
  EXPECT_EQ(read.lines("x: Tensor"), "2");
  EXPECT_EQ(read.lines("x for x"), "3 3");
  EXPECT_EQ(read.lines("z = ["), "3 6 6 7");
  EXPECT_EQ(read.lines("z: z"), "4 4");
  EXPECT_EQ(read.lines("N]("), "2 2 2 4");
  EXPECT_EQ(read.lines("M\""), "2 2 2 5");
  EXPECT_EQ(read.lines("i in range(M)"), "5 6");
}

TEST(Names, KeywordsOfCallsAreParameters) {
  Read read("def f(x):\n    return g(x, by=x)\n\ndef g(x, by):\n    return x * by\n");
  EXPECT_EQ(read.lines("by):"), "2 4 5");
}

TEST(Names, BrokenTextsHaveNamesToo) {
  Read read("def f(x, y):\n    z = x + \n    return z + (\n");
  EXPECT_EQ(read.lines("x, y"), "1 2");
  EXPECT_FALSE(read.names.visibleAt(30).empty());
}

}  // namespace
}  // namespace tessera::ide
