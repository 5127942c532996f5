// Host programs: files, loops over data and printing, with the calls of kernels and tensor functions between.
#include "Compiled.h"

using namespace tessera;
using namespace tessera::test;
using reference::Options;
using reference::Value;

namespace {

/// Files in memory and everything printed.
struct World {
  std::map<std::string, std::string> files;
  std::string printed;
  Options options() {
    Options o;
    o.readFile = [this](const std::string &path) -> Result<std::string> {
      auto it = files.find(path);
      if (it == files.end()) return Failure{"no such file"};
      return it->second;
    };
    o.writeFile = [this](const std::string &path, const std::string &bytes) {
      files[path] = bytes;
      return std::string();
    };
    o.print = [this](const std::string &line) { printed += line + "\n"; };
    return o;
  }
  void put(const std::string &path, const Value &value) { files[path] = writeNpy(toNpy(value)); }
  Value get(const std::string &path) {
    auto array = parseNpy(files[path]);
    EXPECT_TRUE(array) << path << ": " << array.error();
    return array ? *reference::fromNpy(*array) : Value{};
  }
};

const char *const kProgram = R"(
def doubled[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return x * 2

@kernel
def negate(x: Tensor["n", f32], y: Tensor["n", f32]) -> Tensor["n", f32]:
    i = tile.linear_id()
    if i < n:
        y[i] = 0.0 - x[i]
    return y

def main():
    data = load_npy("data.npy")
    for step, batch in enumerate(data):
        y = doubled(batch)
        print(f"{step}: {y[0]:.2f} of {len(batch)}")
    z = negate(data[0], data[1])
    save_npy("z.npy", z)
)";

}  // namespace

TEST(HostProgram, LoadsLoopsPrintsAndSaves) {
  Compiled program("host.tsr", kProgram);
  World world;
  world.put("data.npy", Value::ofFloats(DType::F32, {2, 3}, {1, 2, 3, 4.25, 5, 6}));
  auto outcome = program.run("main", {}, world.options());
  ASSERT_TRUE(outcome) << outcome.error->message;
  EXPECT_EQ(world.printed, "0: 2.00 of 3\n1: 8.50 of 3\n");
  EXPECT_EQ(world.get("z.npy").floats, (std::vector<double>{-1, -2, -3}));
}

TEST(HostProgram, WhatDoesNotFitIsSaidWhenItRuns) {
  Compiled program("host.tsr", kProgram);
  World world;
  auto missing = program.run("main", {}, world.options());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error->message, "cannot read 'data.npy': no such file");
  EXPECT_TRUE(missing.error->span.valid());
  world.put("data.npy", Value::ofFloats(DType::F64, {1, 2}, {1, 2}));
  auto wrong = program.run("main", {}, world.options());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error->message,
            "the argument 'x' of 'doubled' holds f64, and the parameter holds f32: convert the "
            "array first, nothing is converted silently");
  world.put("data.npy", Value::ofFloats(DType::F32, {1, 2}, {1, 2}));
  auto shortOne = program.run("main", {}, world.options());
  ASSERT_FALSE(shortOne);
  EXPECT_EQ(shortOne.error->message, "I asked for row 1 of an array of shape [1, 2]");
}
