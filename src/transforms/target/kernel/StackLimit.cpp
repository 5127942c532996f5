// On the CPU the tiles of a group are variables of the thread that computes it: they have to fit on its stack.
#include "ir/common/MachineLimit.h"
#include "support/Check.h"
#include "transforms/target/kernel/Kernel.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/tiles/SharedMemory.h"
#include "transforms/target/types/Types.h"
#include <algorithm>
#include <limits>
#include <tuple>

using namespace mlir;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// Threads have 8 MiB where nothing says otherwise, and callers use the stack, too.
constexpr int64_t kStackBytes = 6 << 20;

static int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() / 4 : product;
}

static std::string mib(int64_t bytes) {
  constexpr int64_t kMiB = 1 << 20;
  return std::to_string((bytes + kMiB - 1) / kMiB);
}

int64_t mostBytes(Emission &em, ArrayRef<Dim> extents, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (const Dim &extent : extents) {
    auto value = extent.evaluate([&](const std::string &variable) -> std::optional<int64_t> {
      if (auto constant = em.sizes->constants.find(variable); constant != em.sizes->constants.end())
        return em.sizes->values.at(constant->second);
      for (const auto &[dim, values] : em.info.capacities)
        if (dim == variable) return *std::max_element(values.begin(), values.end());
      return std::nullopt;
    });
    TSR_CHECK(value, "a tile without a size: " + extent.str());
    bytes = saturatingProduct(bytes, std::max<int64_t>(*value, 1));
  }
  return bytes;
}

LogicalResult checkStack(Emission &em) {
  if (!em.isCpu()) return success();
  struct Tile {
    std::string name;
    int64_t bytes;
    Location place;
  };
  SmallVector<Tile> tiles;
  int64_t total = 0;
  auto add = [&](StringRef name, int64_t bytes, Location place) {
    total = std::min(total, std::numeric_limits<int64_t>::max() / 2) + bytes;
    tiles.push_back({name.str(), bytes, place});
  };
  em.out.walk([&](out::VariableOp variable) {
    Type type = cast<out::LValueType>(variable.getPlace().getType()).getValue();
    int64_t count = 1;
    for (auto array = dyn_cast<out::ArrayType>(type); array; array = dyn_cast<out::ArrayType>(type)) {
      int64_t extent = 1;
      for (auto text : array.getExtents().getAsRange<StringAttr>())
        if (!text.getValue().getAsInteger(10, extent)) count = saturatingProduct(count, extent);
      type = array.getElement();
    }
    auto named = dyn_cast<out::NamedType>(type);
    auto found = named ? em.layouts->bytes.find(named.getText().str()) : em.layouts->bytes.end();
    if (found != em.layouts->bytes.end() && variable.getStorage().empty())
      add(variable.getName(), saturatingProduct(count, found->second), variable.getLoc());
  });
  for (const SharedBuffer &buffer : em.shared->buffers)
    add(buffer.name, mostBytes(em, buffer.extents, buffer.elementBytes), buffer.place);
  if (total <= kStackBytes) return success();
  llvm::sort(tiles, [](const Tile &a, const Tile &b) { return std::tie(b.bytes, a.name) < std::tie(a.bytes, b.name); });
  constexpr size_t kShown = 4;
  std::string list;
  for (size_t i = 0; i < std::min(kShown, tiles.size()); ++i)
    list += (i ? ", " : "") + tiles[i].name + " " + mib(tiles[i].bytes);
  InFlightDiagnostic message = ir::emitMachineLimit(em.kernel);
  message << "the tiles of a group of this kernel need " << mib(total) << " MiB: " << list
          << (tiles.size() > kShown ? ", ..." : "")
          << "; on the CPU they lie on the stack of a thread, of which they may take " << mib(kStackBytes)
          << " MiB: make the tiles smaller";
  for (const Tile &tile : llvm::ArrayRef(tiles).take_front(1))
    if (tile.place != em.kernel.getLoc())
      message.attachNote(tile.place) << "`" << tile.name << "` takes " << mib(tile.bytes) << " MiB";
  return failure();
}

}  // namespace tessera::transforms::totarget
