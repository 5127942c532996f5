// The table of machines: complete, and near to what people write.
#include "support/Machine.h"
#include <gtest/gtest.h>
#include <set>

namespace tessera {
namespace {

TEST(Machines, EveryMachineHasEveryFact) {
  for (const Machine &m : machines()) {
    SCOPED_TRACE(m.name);
    EXPECT_FALSE(m.product.empty());
    EXPECT_FALSE(m.compilerName.empty());
    for (int64_t fact : {m.warpLanes, m.groupLanes, m.sharedBytes, m.staticSharedBytes, m.laneRegisters, m.processorRegisters,
                         m.processorSharedBytes, m.processorWarps, m.processorGroups, m.processors, m.cacheBytes,
                         m.bytesPerSecond, m.flopsPerSecond, m.doublesPerSecond, m.vectorBits})
      EXPECT_GT(fact, 0);
    EXPECT_LE(m.staticSharedBytes, m.sharedBytes);
    EXPECT_LE(m.sharedBytes, m.processorSharedBytes);
    EXPECT_EQ(m.groupLanes % m.warpLanes, 0);
  }
}

TEST(Machines, NamesAndTargetsAreDistinct) {
  std::set<std::string> names, targets;
  for (const Machine &m : machines()) {
    EXPECT_TRUE(names.insert(std::string(m.name)).second) << m.name;
    EXPECT_TRUE(targets.insert(m.target()).second) << m.target();
    EXPECT_EQ(machineByName(m.name), &m);
    EXPECT_EQ(nearestTarget(m.target()), m.target());
    EXPECT_EQ(nearestTarget(m.name), m.target());
  }
  for (const char *continued : {"nvidia", "amd", "cdna", "processor", "", "sm_90 "}) EXPECT_FALSE(machineByName(continued)) << continued;
}

TEST(Machines, EveryMatrixInstructionHasARateAboveThatOfOtherArithmetic) {
  for (const Machine &m : machines()) {
    SCOPED_TRACE(m.name);
    EXPECT_LE(m.doublesPerSecond, m.flopsPerSecond);
    for (const MatrixInstruction &i : m.matrixInstructions())
      EXPECT_GE(m.productsPerSecond(i.a), i.a == DType::F64 ? m.doublesPerSecond : m.flopsPerSecond) << i.name;
  }
  EXPECT_EQ(machineByName("sm_75")->productsPerSecond(DType::BF16), 0);
  EXPECT_EQ(machineByName("sm_90a")->productsPerSecond(DType::BF16), machineByName("sm_90")->productsPerSecond(DType::BF16));
  EXPECT_GT(machineByName("sm_100")->productsPerSecond(DType::BF16), machineByName("sm_90")->productsPerSecond(DType::BF16));
}

TEST(Machines, AMachineContinuesAnother) {
  const Machine &ampere = *machineByName("sm_80"), &ada = *machineByName("sm_89"), &hopper = *machineByName("sm_90a");
  EXPECT_EQ(ampere.sharedBytes, 163 * 1024);
  EXPECT_EQ(ada.sharedBytes, 99 * 1024);
  EXPECT_EQ(hopper.sharedBytes, 227 * 1024);
  EXPECT_EQ(hopper.compilerName, "sm_90a");
  EXPECT_TRUE(ampere.asyncCopy && !ampere.bulkCopy && hopper.bulkCopy);
  EXPECT_FALSE(machineByName("sm_75")->asyncCopy);
  EXPECT_EQ(machineByName("gfx1100")->warpLanes, 32);
  EXPECT_EQ(machineByName("gfx942")->warpLanes, 64);
  EXPECT_EQ(machineByName("cpu")->sharedBytes, Machine::kUnlimited);
}

bool multiplies(const char *machine, DType a, DType b, int m, int n, int k) {
  for (const MatrixInstruction &i : machineByName(machine)->matrixInstructions())
    if (i.a == a && i.b == b && i.m == m && i.n == n && i.k == k) return true;
  return false;
}

TEST(Machines, MatrixInstructionsComeWithTheMachineThatBringsThem) {
  using enum DType;
  EXPECT_TRUE(multiplies("sm_80", BF16, BF16, 16, 8, 16));
  EXPECT_FALSE(multiplies("sm_75", BF16, BF16, 16, 8, 16));
  EXPECT_TRUE(multiplies("sm_90a", F16, F16, 16, 8, 16));
  EXPECT_TRUE(multiplies("sm_90a", F8E4M3, F8E4M3, 64, 256, 32));
  EXPECT_FALSE(multiplies("sm_90", BF16, BF16, 64, 256, 16));
  EXPECT_TRUE(multiplies("sm_80", TF32, TF32, 16, 8, 8));
  EXPECT_TRUE(multiplies("sm_80", I8, I8, 16, 8, 32));
  EXPECT_TRUE(multiplies("sm_89", F8E4M3, F8E5M2, 16, 8, 32));
  EXPECT_FALSE(multiplies("sm_86", F8E4M3, F8E4M3, 16, 8, 32));
  EXPECT_TRUE(multiplies("gfx90a", I8, I8, 16, 16, 16));
  EXPECT_FALSE(multiplies("gfx942", I8, I8, 16, 16, 16));
  EXPECT_TRUE(multiplies("gfx942", I8, I8, 16, 16, 32));
  EXPECT_TRUE(multiplies("gfx1100", BF16, BF16, 16, 16, 16));
  EXPECT_TRUE(machineByName("cpu")->matrixInstructions().empty());
  for (const Machine &m : machines())
    for (const MatrixInstruction &i : m.matrixInstructions()) {
      SCOPED_TRACE(std::string(m.name) + " " + std::string(i.name));
      EXPECT_TRUE(i.m > 0 && i.n > 0 && i.k > 0);
      EXPECT_EQ(isFloat(i.a), isFloat(i.acc));
      EXPECT_GE(storageBytes(i.acc), storageBytes(i.a));
      // Its operands are dealt out evenly to the lanes (AMX holds them in tiles of the core; RDNA keeps them twice).
      EXPECT_EQ(i.m * i.n % m.warpLanes, 0);
    }
}

TEST(Machines, WhatPeopleWriteIsNearAMachine) {
  const std::pair<const char *, const char *> cases[] = {
      {"h100", "cuda:sm_90a"},    {"H100-SXM5", "cuda:sm_90a"},   {"cuda:h200", "cuda:sm_90a"}, {"a100", "cuda:sm_80"},
      {"cuda_80", "cuda:sm_80"},  {"sm_90", "cuda:sm_90"},        {"sm90a", "cuda:sm_90a"},     {"compute_89", "cuda:sm_89"},
      {"mi300x", "hip:gfx942"},   {"gfx90", "hip:gfx90a"},        {"cuda:gfx942", "hip:gfx942"}, {"hip:sm_90", "cuda:sm_90"},
      {"rtx 4090", "cuda:sm_89"}, {"cuda:sm_91", "cuda:sm_90"},   {"cpu:avx512", "cpu:x86-64-v4"}, {"avx2", "cpu:x86-64-v3"},
      {"gpu", "cuda"},            {"rocm", "hip"},                {"CUDA", "cuda"},            {"x86", "cpu"},
      {"l40s", "cuda:sm_89"},     {"l4", "cuda:sm_89"},           {"cuda:", "cuda"},            {"x86-64-v4", "cpu:x86-64-v4"}};
  for (auto [text, target] : cases) EXPECT_EQ(nearestTarget(text), target) << text;
  for (const char *text : {"", "vax", "metal", "?"}) EXPECT_EQ(nearestTarget(text), "") << text;
}

TEST(Machines, DefaultsAreOfTheirFamily) {
  for (Target family : {Target::Cuda, Target::Hip, Target::Cpu}) EXPECT_EQ(defaultMachine(family).family, family);
}

}  // namespace
}  // namespace tessera
