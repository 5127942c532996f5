// On the CPU the tiles of a group are variables of the thread that computes it: they have to fit on its stack.
#include "ir/common/MachineLimit.h"
#include "support/Check.h"
#include "transforms/target/KernelEmitter.h"
#include <algorithm>
#include <limits>
#include <tuple>

using namespace mlir;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {
namespace {

/// Threads have 8 MiB where nothing says otherwise, and callers use the stack, too.
constexpr int64_t kStackBytes = 6 << 20;

int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() / 4 : product;
}

std::string mib(int64_t bytes) {
  constexpr int64_t kMiB = 1 << 20;
  return std::to_string((bytes + kMiB - 1) / kMiB);
}

}  // namespace

/// Of an array whose extents may be sizes and capacities of the kernel: with the greatest capacities.
int64_t KernelEmitter::mostBytes(ArrayRef<Dim> extents, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (const Dim &extent : extents) {
    auto value = extent.evaluate([&](const std::string &variable) -> std::optional<int64_t> {
      if (auto constant = constants_.find(variable); constant != constants_.end()) return sizes_.at(constant->second);
      for (const auto &[dim, values] : info_.capacities)
        if (dim == variable) return *std::max_element(values.begin(), values.end());
      return std::nullopt;
    });
    TSR_CHECK(value, "a tile without a size: " + extent.str());
    bytes = saturatingProduct(bytes, std::max<int64_t>(*value, 1));
  }
  return bytes;
}

LogicalResult KernelEmitter::checkStack() {
  if (!isCpu()) return success();
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
  out_.walk([&](out::VariableOp variable) {
    Type type = cast<out::LValueType>(variable.getPlace().getType()).getValue();
    int64_t count = 1;
    for (auto array = dyn_cast<out::ArrayType>(type); array; array = dyn_cast<out::ArrayType>(type)) {
      int64_t extent = 1;
      for (auto text : array.getExtents().getAsRange<StringAttr>())
        if (!text.getValue().getAsInteger(10, extent)) count = saturatingProduct(count, extent);
      type = array.getElement();
    }
    auto named = dyn_cast<out::NamedType>(type);
    auto found = named ? fragmentBytes_.find(named.getText().str()) : fragmentBytes_.end();
    if (found != fragmentBytes_.end() && variable.getStorage().empty()) add(variable.getName(), saturatingProduct(count, found->second), variable.getLoc());
  });
  for (const Shared &buffer : shared_) add(buffer.name, mostBytes(buffer.extents, buffer.elementBytes), buffer.place);
  if (total <= kStackBytes) return success();
  llvm::sort(tiles, [](const Tile &a, const Tile &b) { return std::tie(b.bytes, a.name) < std::tie(a.bytes, b.name); });
  constexpr size_t kShown = 4;
  std::string list;
  for (size_t i = 0; i < std::min(kShown, tiles.size()); ++i) list += (i ? ", " : "") + tiles[i].name + " " + mib(tiles[i].bytes);
  InFlightDiagnostic message = ir::emitMachineLimit(kernel_);
  message << "the tiles of a group of this kernel need " << mib(total) << " MiB: " << list << (tiles.size() > kShown ? ", ..." : "")
          << "; on the CPU they lie on the stack of a thread, of which they may take " << mib(kStackBytes) << " MiB: make the tiles smaller";
  for (const Tile &tile : llvm::ArrayRef(tiles).take_front(1))
    if (tile.place != kernel_.getLoc()) message.attachNote(tile.place) << "`" << tile.name << "` takes " << mib(tile.bytes) << " MiB";
  return failure();
}

}  // namespace tessera::transforms::totarget
