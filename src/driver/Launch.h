// A program on a mesh of devices: one process for each, with the environment that include/tessera/mesh.h reads.
#pragma once
#include "driver/Session.h"
#include "driver/Targets.h"
#include "tessera/mesh.h"
#include <optional>
#include <string>
#include <vector>

namespace tessera::driver {

using MeshAxes = std::vector<tsr::Mesh::Axis>;

/// Reads what stands behind `--mesh`; nothing after an error.
std::optional<MeshAxes> readMesh(Session &session, const std::string &text);
int64_t devicesOf(const MeshAxes &axes);
/// Whether the machine has so many devices of the target; after an error false.
bool hasDevices(Session &session, const std::string &mesh, const MeshAxes &axes, const TargetSpec &target);

/// Starts the command once for each device, and waits. The first device's input and output are ours; what the others write has
/// `[1] ` before each line. If one fails, the others are ended, and it is reported. The first status that is not 0.
int launchDevices(Session &session, const MeshAxes &axes, const std::vector<std::string> &command, bool fillsRank);

/// The words of this process, for another one that does the same on one device.
std::vector<std::string> ownCommand();
/// Whether launchDevices of a process like this one has started it.
bool isLaunched();
/// The number of the GPU that this process takes: LOCAL_RANK in a mesh, else 0.
int32_t localDevice();
/// The text with the number of this device in the place of each `{rank}`; as it is where there is no mesh.
std::string withRank(const std::string &text);

}  // namespace tessera::driver
