// The parts of an emission are made in one place.
#include "transforms/target/Emission.h"
#include "transforms/target/cpu/Lanes.h"
#include "transforms/target/cpu/Operands.h"
#include "transforms/target/cpu/Streams.h"
#include "transforms/target/roles/Roles.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"

namespace tessera::transforms::totarget {

Emission::Emission(ir::tile::KernelOp kernel, std::string name, const Machine &machine, mlir::OpBuilder &module)
    : kernel(kernel), machine(machine), facts(kernel), info(std::move(name)), context(kernel->getContext()),
      builder(module), sizes(std::make_unique<Sizes>()), grid(std::make_unique<Grid>()),
      layouts(std::make_unique<Layouts>()), values(std::make_unique<Values>(kernel.getBody())),
      shared(std::make_unique<SharedMemory>()), roles(std::make_unique<Roles>()), rows(std::make_unique<Rows>()),
      neighbours(std::make_unique<Neighbours>()), lanes(std::make_unique<LaneRuns>()),
      streams(std::make_unique<Streams>()), operands(std::make_unique<PackedOperands>()) {}

Emission::~Emission() = default;

}  // namespace tessera::transforms::totarget
