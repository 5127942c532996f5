// What a program does before its `main` where it is one of a mesh of devices: on GPUs it takes the one whose number in this machine
// is LOCAL_RANK, and what it prints goes out line by line, as others print beside it.
#pragma once
#include "tessera/host/tensor.h"
#include "tessera/mesh.h"
#include <cstdio>
#include <cstdlib>

namespace tsr {
namespace host {
namespace detail {

struct Start {
  Start() {
    if (!std::getenv("TESSERA_MESH")) return;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
#if !defined(TSR_CPU)
    const char *text = std::getenv("LOCAL_RANK");
    int64_t number = 0;
    if (!text) return;
    if (!Mesh::read_number(text, number) || number > 65535) stop(std::string("LOCAL_RANK is `") + text + "`, and I expected the number of a GPU");
    const tsr::detail::DeviceError error = tsr::detail::device_set(static_cast<int>(number));
    if (error != tsr::detail::kDeviceOk) stop("GPU " + std::to_string(number) + " (LOCAL_RANK): " + tsr::detail::device_error_text(error));
#endif
  }
};
inline const Start start;

}  // namespace detail
}  // namespace host
}  // namespace tsr
