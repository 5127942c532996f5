// Effects: state objects in functions that return nothing or the state, collectives that some devices miss,
// `@fast(nondet)`: the rules of docs/spec/effects.md.
#include "tests/sema/Checking.h"
#include <gtest/gtest.h>

using namespace tessera;
using test::Checking;

namespace {
const std::string cacheHead = "def f[B, H, S, D](k: Tensor[B, H, 1, D, bf16], cache: KVCache[B, H, S, D, bf16], n: Int)";

std::string codes(const std::string &text) { return Checking(text).codes(); }
std::string effects(const std::string &text, const std::string &function) {
  Checking c(text);
  EXPECT_EQ(c.messages(), "") << text;
  const checked::Function *f = c.program->find(function);
  return f ? f->effects.str() : "no such function";
}
}  // namespace

TEST(State, AFunctionThatMovesItOnNeedsNoResult) {
  EXPECT_EQ(effects(cacheHead + ":\n    cache = cache.append(k, k)\n", "f"), "state(cache)");
  EXPECT_EQ(effects(cacheHead + ":\n    for i in range(4):\n        cache = cache.append(k, k)\n", "f"), "state(cache)");
  EXPECT_EQ(effects(cacheHead + ":\n    for i in range(H):\n        cache = cache.append(k, k)\n    for i in range(B, 0, -2):\n        cache = cache.append(k, k)\n", "f"),
            "state(cache)");
  // One that does nothing has a message as before.
  EXPECT_EQ(codes(cacheHead + ":\n    m = n + 1\n"), "E0306 1:5");
}

TEST(State, TheNewStateMayBeReturned) {
  const std::string step = "def step[B, H, S, D](k: Tensor[B, H, 1, D, bf16], c: KVCache[B, H, S, D, bf16]) -> KVCache[B, H, S, D, bf16]:\n"
                           "    return c.append(k, k)\n";
  EXPECT_EQ(effects(step, "step"), "state(c)");
  EXPECT_EQ(effects(step + cacheHead + " -> Tensor[B, H, S, D, bf16]:\n    cache = step(k, cache)\n    return cache.k\n", "f"),
            "state(cache)");
  EXPECT_EQ(codes(step + cacheHead + " -> Tensor[B, H, S, D, bf16]:\n    newer = step(k, cache)\n    return cache.k\n"),
            "E0540 5:18");
  EXPECT_EQ(codes(step + cacheHead + " -> Tensor[B, H, S, D, bf16]:\n    a = step(k, cache)\n    b = step(k, cache)\n    return a.k\n"),
            "E0540 5:17");
  // Beside other results, and only as what it is.
  EXPECT_EQ(effects("def both[B, H, S, D](k: Tensor[B, H, 1, D, bf16], c: KVCache[B, H, S, D, bf16]) -> "
                    "(Tensor[B, H, 1, D, bf16], KVCache[B, H, S, D, bf16]):\n    return k, c.append(k, k)\n",
                    "both"),
            "state(c)");
  EXPECT_EQ(codes("def f[B, H, S, D](c: KVCache[B, H, S, D, bf16]) -> KVCache[B, H, S, D, f16]:\n    return c\n"), "E0305 2:12");
  EXPECT_EQ(codes("def f[B, H, S, D](k: Tensor[B, H, 1, D, bf16], c: KVCache[B, H, S, D, bf16]) -> KVCache[B, H, S, D, bf16]:\n"
                  "    return k\n"),
            "E0305 2:12");
}

TEST(State, OldStatesAreFoundInLoopsAndCalls) {
  EXPECT_EQ(codes(cacheHead + ":\n    i = 0\n    for t in range(4):\n        old = cache\n        cache = cache.append(k, k)\n"
                              "        i = i + old.length\n"),
            "E0540 6:21");
  // The caller counts the rows: data must not decide how many there are.
  EXPECT_EQ(codes(cacheHead + ":\n    i = 0\n    while i < n:\n        cache = cache.append(k, k)\n        i += 1\n"), "E0214 3:5");
  EXPECT_EQ(codes(cacheHead + ":\n    if n > 3:\n        cache = cache.append(k, k)\n    else:\n        cache = cache.reset()\n"), "E0214 2:8");
  EXPECT_EQ(codes(cacheHead + ":\n    for i in range(4):\n        cache = cache.append(k, k)\n        if n > i:\n            break\n"), "E0214 2:5");
  EXPECT_EQ(codes(cacheHead + ":\n    for i in range(4):\n        cache = cache.reset()\n        cache = cache.append(k, k)\n"), "E0214 2:5");
  EXPECT_EQ(codes(cacheHead + ":\n    for i in range(n):\n        newer = cache.append(k, k)\n"), "E0540 3:17");
  EXPECT_EQ(codes("def two[B, H, S, D](k: Tensor[B, H, 1, D, bf16], a: KVCache[B, H, S, D, bf16], b: KVCache[B, H, S, D, bf16]):\n"
                  "    a = a.append(k, k)\n    b = b.append(k, k)\n" +
                  cacheHead + ":\n    two(k, cache, cache)\n"),
            "E0540 3:11");
  EXPECT_EQ(codes(cacheHead + ":\n    pair = (cache, k)\n    cache = cache.append(k, k)\n    z = pair[0].length\n"), "E0540 4:17");
}

TEST(Collectives, ThatSomeDevicesMissAreRefused) {
  const std::string head = "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n";
  EXPECT_EQ(codes(head + "    return all_reduce(x, \"tp\") if rank() == 0 else x\n"), "E0535 2:12");
  EXPECT_EQ(codes(head + "    return x if axis_index(\"tp\") > 1 else all_reduce(x, \"tp\")\n"), "E0535 2:43");
  EXPECT_EQ(codes("def g[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return all_reduce(x, \"tp\")\n" + head +
                  "    y = x\n    if rank() == 0:\n        y = g(x)\n    return y\n"),
            "E0535 2:12");
  EXPECT_EQ(codes(head + "    y = x\n    for i in range(rank()):\n        y = all_reduce(y, \"tp\")\n    return y\n"),
            "E0535 4:13");
  EXPECT_EQ(codes(head + "    y = x\n    m = rank() * 2\n    i = 0\n    while i < m:\n        y = all_reduce(y, \"tp\")\n"
                         "        i += 1\n    return y\n"),
            "E0535 6:13");
  EXPECT_EQ(codes(head + "    y = all_reduce(x, \"tp\")\n    return y if rank() == 0 else x\n"), "");
}

TEST(Collectives, AskForSizesThatRunTimeKnows) {
  const std::string head = "def part[N](x: Tensor[N, f32]):\n    return reduce_scatter(x, \"tp\")\n\n";
  EXPECT_EQ(codes(head + "def whole[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return all_gather(part(x), \"tp\")\n"), "");
  EXPECT_EQ(codes(head + "def loss[N](x: Tensor[N, f32]) -> f32:\n    return sum(part(x * x))\n\nslope = grad(loss)\n"), "");
  EXPECT_EQ(codes(head + "def less[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return part(x)\n"), "E0305 5:12");
  EXPECT_EQ(codes("def mine[N](x: Tensor[N, 4, f32]) -> Tensor[N, f32]:\n    return x[:, axis_index(\"tp\")]\n"), "E0408 2:12");
  EXPECT_EQ(codes("def named[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return all_reduce(x, \"2\")\n"), "E0311 2:26");
}

TEST(Collectives, OfHostCodeBehindABreakOrInACall) {
  const std::string g = "def g[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return all_reduce(x, \"tp\")\n";
  const std::string head = g + "def main():\n    x = load_npy(\"x.npy\")\n";
  EXPECT_EQ(codes(head + "    if rank() == 0:\n        y = g(x)\n"), "E0535 6:13");
  EXPECT_EQ(codes(head + "    for i in range(4):\n        y = g(x)\n        if rank() == 0:\n            break\n"), "E0535 6:13");
  EXPECT_EQ(codes(head + "    for i in range(4):\n        if rank() == i:\n            continue\n        y = g(x)\n"), "E0535 8:13");
  EXPECT_EQ(codes(head + "    for i in range(4):\n        y = g(x)\n        if i == 2:\n            break\n"), "");
  EXPECT_EQ(codes(head + "    for i in range(4):\n        if rank() == i:\n            continue\n        print(i)\n    y = g(x)\n"), "");
}

TEST(Fast, NondetIsAnEffectThatDeterministicForbids) {
  const std::string f = "@fast(nondet)\ndef f[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n";
  EXPECT_EQ(effects(f, "f"), "nondet");
  EXPECT_EQ(effects(f + "def g[N](x: Tensor[N, f32]) -> f32:\n    return f(x)\n", "g"), "nondet");
  EXPECT_EQ(codes(f + "@deterministic\ndef g[N](x: Tensor[N, f32]) -> f32:\n    return f(x)\n"), "E0533 1:1");
  EXPECT_EQ(codes("@deterministic\n" + f), "E0533 2:1");
  EXPECT_EQ(codes(f + "def g[N](x: Tensor[N, f32]) -> f32 effects[io]:\n    return f(x)\n"), "E0530 4:36");
  EXPECT_EQ(codes("@fast(nodet)\ndef f[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n"), "E0206 1:7");
  EXPECT_EQ(codes("@fast(approx)\ndef f[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n"), "E0214 1:7");
  EXPECT_EQ(codes("@fast\ndef f[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n"), "E0208 1:1");
}

namespace {
const std::string kernelHead = "@kernel(grid=(4,), group=128)\n";
}

TEST(Groups, NoOrderBetweenThemIsMeant) {
  // Reads what another group writes: the rows are turned around.
  EXPECT_EQ(codes(kernelHead + "def f(x: Tensor[512, f32], y: Tensor[512, f32]):\n    i = tile.linear_id()\n    y[i] = x[i]\n"
                               "    x[i] = y[511 - i]\n"),
            "E0520 4:5");
  EXPECT_EQ(codes("@kernel(grid=(1,), group=512)\ndef f(x: Tensor[512, f32], y: Tensor[512, f32]):\n    i = tile.linear_id()\n"
                  "    y[i] = x[i]\n    x[i] = y[511 - i]\n"),
            "E0520 5:12");
  // Each element has one lane.
  EXPECT_EQ(codes(kernelHead + "def f(x: Tensor[512, f32], y: Tensor[512, f32]):\n    i = tile.linear_id()\n    y[i] = x[i]\n"
                               "    x[i] = y[i] * 2.0\n"),
            "");
  // Tiles of one tensor, changed in place: each group has its own.
  const std::string inPlace = "@kernel\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    T = tile.context()\n    i, = tile.origin()\n";
  EXPECT_EQ(codes(inPlace + "    x[i:i + T.m] = x[i:i + T.m] * 2.0\n    return x\n"), "");
  EXPECT_EQ(codes(inPlace + "    x[i:i + T.m] = x[i + 1:i + 1 + T.m] * 2.0\n    return x\n"), "E0520 5:5");
  // Two lanes of a grid of lanes write different values to one element.
  EXPECT_EQ(codes("@kernel\ndef f[N](x: Tensor[N, f32], y: Tensor[N, f32]):\n    i = tile.linear_id()\n    if i < N:\n"
                  "        y[i // 2] = x[i]\n"),
            "E0520 5:9");
}

TEST(Groups, WhatDataDecideIsNondeterministic) {
  const std::string head = "@kernel\ndef f[N, M](x: Tensor[N, i32], h: Tensor[M, i32]):\n    i = tile.linear_id()\n    if i < N:\n";
  EXPECT_EQ(codes(head + "        h[x[i]] += 1\n"), "E0520 5:9");  // one of two changes is lost
  EXPECT_EQ(codes(head + "        if x[i] == 0:\n            h[x[i]] += 1\n"), "");
  EXPECT_EQ(effects(head + "        h[x[i]] *= 2\n", "f"), "nondet");  // no one step does that: each element may be named once
  EXPECT_EQ(effects(head + "        h[x[i]] = 1\n", "f"), "nondet");
  EXPECT_EQ(effects(head + "        k = x[i] + 1\n        h[k] = x[i]\n", "f"), "nondet");
  EXPECT_EQ(codes("@deterministic\n" + head + "        h[x[i]] = 1\n"), "E0533 6:9");
  // What is only read may be chosen by data.
  EXPECT_EQ(effects("@kernel\ndef f[N, M](x: Tensor[N, i32], t: Tensor[M, f32], y: Tensor[N, f32]):\n    i = tile.linear_id()\n"
                    "    if i < N:\n        y[i] = t[x[i]]\n",
                    "f"),
            "");
}

TEST(Sizes, OfTilesMakeNoValues) {
  const std::string head = "@kernel\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    T = tile.context()\n    m, = tile.origin()\n"
                           "    v = x[m:m + T.m]\n";
  EXPECT_EQ(effects(head + "    return v\n", "f"), "");
  EXPECT_EQ(effects(head + "    if N > m + T.m:\n        v = v * 2.0\n    return v\n", "f"), "schedule");
  EXPECT_EQ(effects(head + "    return v * T.m\n", "f"), "schedule");
  EXPECT_EQ(effects("@deterministic\n" + head + "    return v\n", "f"), "");
  EXPECT_EQ(codes("@deterministic\n" + head + "    return v * T.m\n"), "E0533 7:12");
  // A schedule that says the size leaves nothing open.
  EXPECT_EQ(effects("@kernel.schedule(Schedule(m=64))\n" + head.substr(head.find("def")) + "    return v * T.m\n", "f"), "");
  // Positions.
  EXPECT_EQ(effects("@kernel\ndef f[N, K](x: Tensor[N, K, f32]) -> Tensor[N, f32]:\n    T = tile.context()\n    m, = tile.origin()\n"
                    "    acc = tile.zeros((T.m,), f32)\n    for k in tile.range(0, K, T.k):\n"
                    "        p = k + tile.iota((T.m, T.k), axis=1)\n"
                    "        acc += tile.sum(tile.where(p < K // 2, x[m:m + T.m, k:k + T.k], 0.0), axis=1)\n    return acc\n",
                    "f"),
            "");
}
