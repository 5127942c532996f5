// A GPU backend over a GpuApi table; the library is opened when the backend is first asked something.
#pragma once
#include "runtime/GpuApi.h"
#include "runtime/Internal.h"

namespace tessera::runtime {
std::unique_ptr<Backend> makeGpuBackend(const GpuApi *(*api)(), const char *title, const char *library);
}
