// The machines that text is made for: what they give and lack, as far as the compiler decides by it (Machines.def).
#pragma once
#include "support/DType.h"
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// acc[m, n] += a[m, k] * b[k, n] by one warp of the machine (by one core of a CPU), all three in its registers. Those of
/// 64 rows are done by four warps, and read a and b from shared memory.
struct MatrixInstruction {
  std::string_view name;  // in the vendor's manual
  int m, n, k;
  DType a, b, acc;
  bool ofWarpgroup() const { return m == 64; }
};

/// One machine, or all machines of one architecture. Bytes and registers are those that a program can use.
struct Machine {
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  std::string_view name;          // "sm_90a", "gfx942", "cpu-x86-64-v3", "cpu"
  std::string_view product;       // whose processors, caches and bandwidth these are
  std::string_view compilerName;  // what compilers call it: "sm_90a", "x86-64-v3"
  Target family = Target::Cpu;
  int64_t warpLanes = 0;             // lanes that run together (a warp of the language is kWarpLanes, support/Lanes.h)
  int64_t groupLanes = 0;            // most lanes of a group
  int64_t sharedBytes = 0;           // most shared memory of a group
  int64_t staticSharedBytes = 0;     // of it, what is there without asking
  int64_t laneRegisters = 0;         // most 32-bit registers of a lane
  int64_t processorRegisters = 0;    // 32-bit registers of a processor, for all groups on it
  int64_t processorSharedBytes = 0;  // shared memory of a processor, for all groups on it
  int64_t processorWarps = 0;        // most warps on a processor
  int64_t processorGroups = 0;       // most groups on a processor
  int64_t processors = 0;
  int64_t cacheBytes = 0;      // second level: of the whole GPU, of a core of a CPU
  int64_t bytesPerSecond = 0;  // to and from global memory
  int64_t flopsPerSecond = 0;    // of f32, outside of matrix instructions, an addition and a multiplication as two
  int64_t doublesPerSecond = 0;  // of f64, likewise
  int64_t vectorBits = 0;      // widest access of a lane
  bool asyncCopy = false;      // copies from global to shared memory that pass registers by (cp.async)
  bool warpgroupProducts = false;  // matrix instructions of four warps that read their operands from shared memory (wgmma)
  bool bulkCopy = false;       // whole tiles copied by a unit of their own (TMA)
  bool earlyStart = false;     // a kernel can be started while the one before it ends (programmatic dependent launch)

  std::span<const MatrixInstruction> matrixInstructions() const { return matrix_; }
  /// Operations a second of matrix instructions with operands of the dtype, dense; 0: there are none.
  int64_t productsPerSecond(DType operand) const;
  /// What `--target` takes: "cuda:sm_90a", "cpu:x86-64-v3", "cpu".
  std::string target() const;

private:
  std::vector<MatrixInstruction> matrix_;
  std::vector<std::pair<DType, int64_t>> rates_;  // the last one of a dtype holds
  friend class MachineTable;
};

/// All machines, in the order of the table.
std::span<const Machine> machines();
/// A machine by its name; null if the table has none.
const Machine *machineByName(std::string_view name);
std::vector<std::string_view> machineNames();
/// "cuda", "hip", "cpu"
std::string_view familyName(Target family);
/// The machine of a target that names none: what text can take for granted where it is to run on many. CUDA: sm_80, HIP:
/// gfx90a, CPU: what all have.
const Machine &defaultMachine(Target family);
/// The target (as `--target` takes it) that was probably meant by a text that names none: "h100" -> "cuda:sm_90a",
/// "cuda_80" -> "cuda:sm_80", "sm_90" -> "cuda:sm_90". Empty if nothing is near.
std::string nearestTarget(std::string_view text);

/// Whether values of the dtype are kept in its exact format but computed on in a wider type by functions of
/// include/tessera/device/dtype.h, because emitted code has no arithmetic of the machine for it.
bool isEmulated(DType dtype, Target family);

}  // namespace tessera
