// Kernels that are equal but for the layer whose weights they read, or the stream whose numbers they draw, are one: the number is a
// parameter. Sizes never are: kernels are vectorised and unrolled by them.
#include "ir/common/Common.h"
#include "ir/tile/Tile.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "transforms/target/KernelsAlike.h"
#include "transforms/target/Passes.h"
#include <map>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr size_t kMostNumbers = 2;  // that become parameters of one kernel

/// Whether it chooses what lies behind an axis that is not the last, and no mask asks for it.
bool choosesPart(OpOperand &use) {
  auto isPoint = [&](auto access) {
    for (size_t axis = 0; axis + 1 < access.getOffsets().size(); ++axis)
      if (&access.getOffsetsMutable()[static_cast<unsigned>(axis)] == &use) return access.getPoints()[axis] && access.getInBounds()[axis];
    return false;
  };
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case<tile::CopyOp, tile::LoadFragmentOp, tile::StoreFragmentOp>([&](auto access) { return isPoint(access); })
      .Default(false);
}

bool choosesStream(OpOperand &use) {
  auto op = dyn_cast<tile::ElementwiseOp>(use.getOwner());
  return op && op.getMnemonic() == "random_key" && use.getOperandNumber() == 1;
}

/// The constants of a kernel that could be parameters, in order.
SmallVector<tile::ConstantOp> numbersOf(tile::KernelOp kernel) {
  SmallVector<tile::ConstantOp> numbers;
  kernel.getBody().walk([&](tile::ConstantOp constant) {
    auto value = dyn_cast<IntegerAttr>(constant.getValue());
    if (!value || value.getType().isInteger(1) || value.getInt() < 0 || constant->use_empty()) return;
    auto chooses = value.getType().isIndex() ? choosesPart : choosesStream;
    if (llvm::all_of(constant->getUses(), chooses)) numbers.push_back(constant);
  });
  return numbers;
}

int64_t valueOf(tile::ConstantOp constant) { return cast<IntegerAttr>(constant.getValue()).getInt(); }
void setValue(tile::ConstantOp constant, int64_t value) { constant.setValueAttr(IntegerAttr::get(constant.getType(), value)); }

struct Numbered {
  tile::KernelOp kernel;
  SmallVector<tile::ConstantOp> constants;
  SmallVector<int64_t> values;
};

struct ShareIndices : PassWrapper<ShareIndices, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareIndices)
  StringRef getArgument() const override { return "tile-share-indices"; }
  StringRef getDescription() const override { return "one kernel for those that differ in the part that they read or the stream that they draw"; }

  void runOnOperation() override {
    std::vector<Numbered> kernels;
    const DenseSet<Attribute> functions = signaturesOfFunctions(getOperation());
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      if (!functions.contains(kernel.getSignatureAttr())) continue;  // the user's own
      Numbered one{kernel, numbersOf(kernel), {}};
      for (tile::ConstantOp constant : one.constants) one.values.push_back(valueOf(constant));
      if (!one.constants.empty()) kernels.push_back(std::move(one));
    }
    // Compared with zeros in those places.
    for (Numbered &one : kernels)
      for (tile::ConstantOp constant : one.constants) setValue(constant, 0);
    std::map<std::tuple<const void *, const void *, size_t>, SmallVector<SmallVector<Numbered *>>> groups;
    for (Numbered &one : kernels) {
      auto &alike = groups[{one.kernel.getFunctionType().getAsOpaquePointer(), one.kernel.getSignatureAttr().getAsOpaquePointer(), one.constants.size()}];
      auto same = llvm::find_if(alike, [&](auto &group) { return areEqual(group.front()->kernel, one.kernel); });
      if (same == alike.end()) alike.push_back({&one});
      else same->push_back(&one);
    }
    for (Numbered &one : kernels)
      for (auto [constant, value] : llvm::zip(one.constants, one.values)) setValue(constant, value);
    for (auto &[key, alike] : groups)
      for (auto &group : alike)
        if (group.size() > 1) share(group);
    if (replaced_.empty()) return;
    std::map<std::string, std::string> replaced;
    for (const auto &[name, by] : replaced_)
      if (name != by.first) replaced[name] = by.first;
    noteShared(getOperation(), replaced);
    getOperation().walk([&](tile::LaunchOp launch) { relaunch(launch); });
  }

private:
  /// The places at which the kernels have other numbers, those with the same numbers together.
  static std::vector<SmallVector<size_t>> places(ArrayRef<Numbered *> group) {
    std::map<std::vector<int64_t>, SmallVector<size_t>> byValues;
    for (size_t place = 0; place < group.front()->values.size(); ++place) {
      std::vector<int64_t> values = {group.front()->constants[place].getType().isIndex() ? 1 : 0};
      for (Numbered *one : group) values.push_back(one->values[place]);
      if (std::any_of(values.begin() + 2, values.end(), [&](int64_t value) { return value != values[1]; })) byValues[values].push_back(place);
    }
    std::vector<SmallVector<size_t>> all;
    for (auto &[values, same] : byValues) all.push_back(same);
    llvm::sort(all, [](const auto &a, const auto &b) { return a.front() < b.front(); });
    return all;
  }

  static std::string freshName(tile::KernelOp kernel, StringRef wanted, ArrayRef<Attribute> dims) {
    std::string name = wanted.str();
    auto isTaken = [&] {
      bool isParam = llvm::any_of(kernel.getParams().getAsRange<ParamAttr>(), [&](ParamAttr param) { return param.getName() == name; });
      return isParam || llvm::any_of(dims, [&](Attribute dim) { return cast<StringAttr>(dim).getValue() == name; });
    };
    for (int number = 2; isTaken(); ++number) name = wanted.str() + "_" + std::to_string(number);
    return name;
  }

  void share(ArrayRef<Numbered *> group) {
    auto differing = places(group);
    if (differing.empty() || differing.size() > kMostNumbers) return;
    tile::KernelOp kept = group.front()->kernel;
    SmallVector<Attribute> dims(kept.getDims().begin(), kept.getDims().end());
    for (const auto &same : differing) {
      tile::ConstantOp first = group.front()->constants[same.front()];
      const std::string name = freshName(kept, first.getType().isIndex() ? "part" : "stream", dims);
      dims.push_back(StringAttr::get(&getContext(), name));
      for (size_t place : same) {
        tile::ConstantOp constant = group.front()->constants[place];
        OpBuilder builder(constant);
        Value number = builder.create<tile::DimOp>(constant.getLoc(), builder.getIndexType(), name);
        if (!constant.getType().isIndex())
          number = builder.create<tile::CastOp>(constant.getLoc(), constant.getType(), number, StringAttr(), UnitAttr());
        constant.getResult().replaceAllUsesWith(number);
        constant.erase();
      }
    }
    for (Numbered *one : group) {
      SmallVector<int64_t> numbers;
      for (const auto &same : differing) numbers.push_back(one->values[same.front()]);
      replaced_[one->kernel.getSymName().str()] = {kept.getSymName().str(), numbers};
    }
    for (Numbered *one : group.drop_front()) {
      shareNames(kept, one->kernel);
      one->kernel.erase();
    }
    kept.setDimsAttr(ArrayAttr::get(&getContext(), dims));
  }

  /// A launch gives the numbers behind the dimensions that the kernel had.
  void relaunch(tile::LaunchOp launch) {
    auto found = replaced_.find(launch.getKernel().str());
    if (found == replaced_.end()) return;
    const auto &[kept, numbers] = found->second;
    tile::KernelOp kernel = getOperation().lookupSymbol<tile::KernelOp>(kept);
    SmallVector<Dim> dims;
    if (launch.getDims())
      for (DimAttr dim : launch.getDims()->getDims()) dims.push_back(dim.getDim());
    else
      for (Attribute dim : kernel.getDims().getValue().drop_back(numbers.size())) dims.push_back(Dim::var(cast<StringAttr>(dim).getValue().str()));
    for (int64_t number : numbers) dims.push_back(Dim(number));
    launch.setDimsAttr(DimsAttr::get(&getContext(), dims));
    launch.setKernel(kept);
  }

  std::map<std::string, std::pair<std::string, SmallVector<int64_t>>> replaced_;
};

}  // namespace

std::unique_ptr<Pass> createShareIndicesPass() { return std::make_unique<ShareIndices>(); }

}  // namespace tessera::transforms
