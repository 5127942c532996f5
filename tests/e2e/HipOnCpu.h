// Emitted HIP compiled as plain C++ with tests/device/hip_on_cpu and loaded: its kernels run here, lane by lane.
#pragma once
#include "driver/Execute.h"
#include <memory>
#include <string>

/// Waves are as wide as those of `target`. Null, with the reason, where the HIP is not emitted, compiled or loaded.
/// `shim` is the folder tests/device/hip_on_cpu; `optimised`: worth it where lanes change for minutes.
std::unique_ptr<tessera::driver::LoadedProgram> loadHipOnCpu(tessera::driver::Session &session,
                                                             const tessera::driver::TargetSpec &target,
                                                             const std::string &shim, bool optimised, std::string &problem);
