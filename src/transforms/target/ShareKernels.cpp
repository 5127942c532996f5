// Kernels that are equal but for names are one: the layers of a model have one text, which is compiled once.
#include "ir/tile/Tile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "transforms/target/KernelsAlike.h"
#include "transforms/target/Passes.h"
#include <map>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

/// The attributes of a kernel without the names of it, of its parameters and of its results, and without the signature over it.
static DictionaryAttr namelessAttributes(tile::KernelOp kernel) {
  MLIRContext *context = kernel->getContext();
  NamedAttrList list;
  for (NamedAttribute attribute : kernel->getAttrs()) {
    StringRef name = attribute.getName();
    if (name == kernel.getSymNameAttrName() || name == kernel.getSignatureAttrName()) continue;
    SmallVector<Attribute> items;
    if (name == kernel.getParamsAttrName())
      for (auto param : kernel.getParams().getAsRange<ParamAttr>())
        items.push_back(ParamAttr::get(context, "", param.getMode(), param.getIsResult(), param.getKeywordOnly(), param.getDefaultValue()));
    else if (name == kernel.getOutputsAttrName())
      for (auto result : kernel.getOutputs().getAsRange<ResultAttr>())
        items.push_back(ResultAttr::get(context, "", result.getType(), result.getParam()));
    else {
      list.append(attribute);
      continue;
    }
    list.append(attribute.getName(), ArrayAttr::get(context, items));
  }
  return list.getDictionary(context);
}

bool areEqual(tile::KernelOp a, tile::KernelOp b) {
  return namelessAttributes(a) == namelessAttributes(b) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// What two names share: `blocks_0_norm` and `blocks_1_norm` are `blocks_norm`. The first if they have other words.
static std::string sharedName(StringRef a, StringRef b) {
  SmallVector<StringRef> ours, theirs;
  a.split(ours, '_');
  b.split(theirs, '_');
  if (a == b || ours.size() != theirs.size()) return a.str();
  std::string name;
  for (auto [mine, other] : llvm::zip(ours, theirs))
    if (mine == other) name += (name.empty() ? "" : "_") + mine.str();
  bool isName = !name.empty() && !llvm::isDigit(name[0]);
  return isName ? name : a.str();
}

void shareNames(tile::KernelOp kept, tile::KernelOp other) {
  SmallVector<Attribute> params;
  llvm::StringSet<> names;
  for (size_t i = 0; i < kept.getParams().size(); ++i) {
    ParamAttr param = kept.param(i);
    std::string name = sharedName(param.getName(), other.param(i).getName());
    if (!names.insert(name).second) return;
    params.push_back(ParamAttr::get(kept->getContext(), name, param.getMode(), param.getIsResult(), param.getKeywordOnly(),
                                    param.getDefaultValue()));
  }
  kept.setParamsAttr(ArrayAttr::get(kept->getContext(), params));
}

void noteShared(ModuleOp module, const std::map<std::string, std::string> &replaced) {
  NamedAttrList shared;
  if (auto before = module->getAttrOfType<DictionaryAttr>(tile::kShared))
    for (NamedAttribute entry : before) {
      if (module.lookupSymbol(entry.getName().getValue())) continue;  // a pass has given its name to another
      auto by = cast<FlatSymbolRefAttr>(entry.getValue());
      auto next = replaced.find(by.getValue().str());
      shared.set(entry.getName(), next == replaced.end() ? by : FlatSymbolRefAttr::get(module.getContext(), next->second));
    }
  for (const auto &[name, by] : replaced) shared.set(name, FlatSymbolRefAttr::get(module.getContext(), by));
  module->setAttr(tile::kShared, shared.getDictionary(module.getContext()));
}

DenseSet<Attribute> signaturesOfFunctions(ModuleOp module) {
  DenseSet<Attribute> written, made;
  for (auto function : module.getOps<tile::FuncOp>()) {
    bool isKernel = llvm::any_of(module.getOps<tile::KernelOp>(), [&](tile::KernelOp kernel) { return kernel.getSymName() == function.getSymName(); });
    (isKernel ? written : made).insert(function.getSignatureAttr());
  }
  for (Attribute signature : written) made.erase(signature);
  return made;
}

namespace {

struct ShareKernels : PassWrapper<ShareKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareKernels)
  StringRef getArgument() const override { return "tile-share-kernels"; }
  StringRef getDescription() const override { return "one kernel for those that are equal but for names"; }

  void runOnOperation() override {
    // Those that differ in this are not compared: the type, what the user wrote as a kernel, and how much is done.
    const DenseSet<Attribute> functions = signaturesOfFunctions(getOperation());
    std::map<std::tuple<const void *, const void *, size_t>, SmallVector<tile::KernelOp>> groups;
    std::map<std::string, std::string> replaced;
    for (tile::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      size_t count = 0;
      kernel.getBody().walk([&](Operation *) { ++count; });
      const void *written = functions.contains(kernel.getSignatureAttr()) ? nullptr : kernel.getSignatureAttr().getAsOpaquePointer();
      auto &group = groups[{kernel.getFunctionType().getAsOpaquePointer(), written, count}];
      auto same = llvm::find_if(group, [&](tile::KernelOp kept) { return areEqual(kept, kernel); });
      if (same == group.end()) {
        group.push_back(kernel);
        continue;
      }
      shareNames(*same, kernel);
      replaced[kernel.getSymName().str()] = same->getSymName().str();
      kernel.erase();
    }
    if (replaced.empty()) return;
    noteShared(getOperation(), replaced);
    getOperation().walk([&](tile::LaunchOp launch) {
      if (auto kept = replaced.find(launch.getKernel().str()); kept != replaced.end()) launch.setKernel(kept->second);
    });
  }
};

}  // namespace

std::unique_ptr<Pass> createShareKernelsPass() { return std::make_unique<ShareKernels>(); }

}  // namespace tessera::transforms
