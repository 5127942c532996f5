// Every pass that tessera-opt can run.
#pragma once

namespace tessera::tools {
void registerPasses();
}
