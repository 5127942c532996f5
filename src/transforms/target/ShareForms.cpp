// Kernels of an entry function that differ only in the sizes of their tiles are one template.
//
// A product whose sizes are known only when it runs has a kernel for many tiles, one for few, and so on, each started under conditions
// on the sizes. Where their texts are equal but for constants, one is written, with these constants as parameters of its template:
//
//   product_kernel: BM = 128, BN = 256, Stages = 4          template <int BN, int Stages> product_kernel
//   product_kernel_few: BM = 128, BN = 128, Stages = 6      launches: product_kernel<256, 4>, product_kernel<128, 6>
//
// The name is what theirs have in common, or that of the first. The comment over it has the schedules of all, and the reasons in which the others differ.
#include "ir/common/Common.h"
#include "ir/common/KernelNotes.h"
#include "ir/target/Target.h"
#include "ir/target/Words.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "support/Machine.h"
#include "transforms/target/Passes.h"

namespace tessera::transforms {
using namespace mlir;
namespace out = ir::target;

namespace {

/// Rows that the copy engine moves at a time differ as tiles do; each launch says its own.
Type withoutRows(Type type) {
  auto tiled = dyn_cast<out::TiledViewType>(type);
  return tiled ? out::TiledViewType::get(type.getContext(), tiled.getRank(), tiled.getElement(), 0, tiled.getRowAxis(), tiled.getReadOnly(), tiled.getStrided(),
                                         tiled.getWindows())
               : type;
}

/// The kernel without what forms differ in: sizes, rows of tiles, and what is said of it.
OwningOpRef<out::KernelOp> sizeless(out::KernelOp kernel) {
  OwningOpRef<out::KernelOp> copy(cast<out::KernelOp>(kernel->clone()));
  Builder builder(kernel->getContext());
  for (StringRef name : {StringRef("comment"), StringRef("schedule"), StringRef(ir::kSharedMemory), StringRef(ir::kForm), StringRef("sym_name")})
    copy.get()->removeAttr(name);
  for (auto constant : copy->getBody().front().getOps<out::ConstantOp>())
    if (isa<IntegerAttr>(constant.getValue())) constant.setValueAttr(builder.getI64IntegerAttr(0));
  for (BlockArgument argument : copy->getBody().getArguments()) argument.setType(withoutRows(argument.getType()));
  return copy;
}

bool areAlike(out::KernelOp a, out::KernelOp b) {
  return OperationEquivalence::isEquivalentTo(a, b, OperationEquivalence::ignoreValueEquivalence, nullptr, OperationEquivalence::IgnoreLocations) &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

std::vector<std::pair<std::string, int64_t>> sizesOf(out::KernelOp kernel) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  for (auto constant : kernel.getBody().front().getOps<out::ConstantOp>())
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue())) sizes.emplace_back(constant.getName().str(), number.getInt());
  return sizes;
}

class Forms {
public:
  Forms(ModuleOp module, SmallVector<out::KernelOp> forms) : module_(module), forms_(std::move(forms)), builder_(module->getContext()) {}

  void join() {
    findDifferences();
    out::KernelOp kept = forms_.front();
    if (differences_.empty()) return joinEqual(kept);
    SmallVector<Attribute> arguments;
    for (out::KernelOp form : forms_) arguments.push_back(noteOf(form));
    describe(kept);
    SmallVector<Attribute> names;
    for (const std::string &name : differences_) names.push_back(builder_.getStringAttr(name));
    kept.setCapacitiesAttr(builder_.getArrayAttr(names));
    for (auto constant : llvm::make_early_inc_range(kept.getBody().front().getOps<out::ConstantOp>()))
      if (llvm::is_contained(differences_, constant.getName())) constant.erase();
    const std::string name = sharedName();
    module_.walk([&](out::LaunchOp launch) {
      auto form = llvm::find_if(forms_, [&](out::KernelOp each) { return each.getSymName() == launch.getKernel(); });
      if (form == forms_.end()) return;
      launch->setAttr(ir::kForm, arguments[static_cast<size_t>(form - forms_.begin())]);
      launched_.push_back(launch);
    });
    for (out::KernelOp form : ArrayRef(forms_).drop_front()) form.erase();
    if (out::functionName(name) == name && !module_.lookupSymbol(name)) kept.setSymName(name);
    for (out::LaunchOp launch : launched_) launch.setKernelAttr(FlatSymbolRefAttr::get(kept.getSymNameAttr()));
  }

private:
  /// What passes have made equal since kernels were shared is one kernel.
  void joinEqual(out::KernelOp kept) {
    module_.walk([&](out::LaunchOp launch) {
      bool isOne = llvm::any_of(forms_, [&](out::KernelOp form) { return form.getSymName() == launch.getKernel(); });
      if (isOne) launch.setKernelAttr(FlatSymbolRefAttr::get(kept.getSymNameAttr()));
    });
    for (out::KernelOp form : ArrayRef(forms_).drop_front()) form.erase();
  }

  void findDifferences() {
    auto first = sizesOf(forms_.front());
    for (auto [i, size] : llvm::enumerate(first))
      if (llvm::any_of(forms_, [&, at = i, value = size.second](out::KernelOp form) { return sizesOf(form)[at].second != value; })) differences_.push_back(size.first);
  }

  /// The words with which the names of all begin.
  std::string sharedName() {
    SmallVector<StringRef> shared;
    for (auto [i, form] : llvm::enumerate(forms_)) {
      SmallVector<StringRef> words;
      form.getSymName().split(words, '_');
      if (i == 0) shared = words;
      size_t same = 0;
      while (same < shared.size() && same < words.size() && shared[same] == words[same]) ++same;
      shared.truncate(same);
    }
    return llvm::join(shared, "_");
  }

  /// What a launch of the form says: the arguments of the template, and what the kernel no more says of it.
  Attribute noteOf(out::KernelOp form) {
    std::string arguments;
    for (const auto &[name, value] : sizesOf(form))
      if (llvm::is_contained(differences_, name)) arguments += (arguments.empty() ? "" : ", ") + std::to_string(value);
    SmallVector<int64_t> rows;
    for (BlockArgument argument : form.getBody().getArguments()) {
      auto tiled = dyn_cast<out::TiledViewType>(argument.getType());
      rows.push_back(tiled ? static_cast<int64_t>(tiled.getRows()) : 0);
    }
    NamedAttrList note;
    note.set("arguments", builder_.getStringAttr(arguments));
    note.set("rows", builder_.getDenseI64ArrayAttr(rows));
    for (StringRef name : {StringRef("schedule"), StringRef(ir::kSharedMemory)})
      if (Attribute said = form->getAttr(name)) note.set(name, said);
    return note.getDictionary(builder_.getContext());
  }

  static SmallVector<StringRef> reasonsOf(out::KernelOp form) {
    SmallVector<StringRef> parts;  // of each reason, which are joined so
    if (auto note = form->getAttrOfType<DictionaryAttr>(ir::kForm))
      for (auto reason : note.getAs<ArrayAttr>("reasons").getAsRange<StringAttr>()) reason.getValue().split(parts, "; ");
    return parts;
  }

  void describe(out::KernelOp kept) {
    auto scheduleOf = [](out::KernelOp form) { return form->getAttrOfType<DictionaryAttr>(ir::kForm).getAs<StringAttr>("sizes").getValue(); };
    SmallVector<StringRef> known = reasonsOf(kept);
    SmallVector<Attribute> lines;
    for (auto line : kept.getComment().getAsRange<StringAttr>()) {
      lines.push_back(line);
      if (!line.getValue().ends_with(scheduleOf(kept))) continue;
      for (out::KernelOp form : ArrayRef(forms_).drop_front()) {
        std::string text = "  or  " + scheduleOf(form).str(), why;
        for (StringRef reason : reasonsOf(form))
          if (!llvm::is_contained(known, reason)) why += (why.empty() ? ": " : "; ") + reason.str();
        lines.push_back(builder_.getStringAttr(text + why));
      }
    }
    kept.setCommentAttr(builder_.getArrayAttr(lines));
    SmallVector<int64_t> bytes;
    for (out::KernelOp form : forms_)
      if (auto declared = form->getAttrOfType<DenseI64ArrayAttr>(ir::kSharedMemory)) llvm::append_range(bytes, declared.asArrayRef());
    if (!bytes.empty()) kept->setAttr(ir::kSharedMemory, builder_.getDenseI64ArrayAttr(bytes));
  }

  ModuleOp module_;
  SmallVector<out::KernelOp> forms_;
  Builder builder_;
  std::vector<std::string> differences_;
  SmallVector<out::LaunchOp> launched_;
};

struct ShareForms : PassWrapper<ShareForms, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareForms)
  StringRef getArgument() const override { return "target-share-forms"; }
  StringRef getDescription() const override { return "one template for kernels that differ in the sizes of their tiles"; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Machine *machine = ir::machineOf(module);
    if (!machine || machine->family == Target::Cpu) return;  // whose launches are calls
    llvm::DenseSet<Operation *> joined;
    SmallVector<Forms> all;
    for (auto entry : module.getOps<out::EntryOp>())
      for (SmallVector<out::KernelOp> &candidates : startedAlike(entry)) {
        llvm::erase_if(candidates, [&](out::KernelOp kernel) { return joined.contains(kernel); });
        for (SmallVector<out::KernelOp> &forms : alike(candidates)) {
          for (out::KernelOp form : forms) joined.insert(form);
          all.emplace_back(module, forms);
        }
      }
    for (Forms &forms : all) forms.join();
  }

private:
  /// Kernels that the entry function starts for the same value with as many arguments, in the order of the text. The arguments are the same but
  /// for temporaries and what counts their parts: each form has its own.
  SmallVector<SmallVector<out::KernelOp>> startedAlike(out::EntryOp entry) {
    llvm::MapVector<std::pair<Attribute, size_t>, SmallVector<out::KernelOp>> byValue;
    for (auto launch : entry.getBody().getOps<out::LaunchOp>()) {
      auto kernel = getOperation().lookupSymbol<out::KernelOp>(launch.getKernel());
      auto &kernels = byValue[{LocationAttr(launch.getLoc()), launch.getArguments().size()}];
      if (kernel && kernel.getCapacities().empty() && kernel->hasAttr(ir::kForm) && !llvm::is_contained(kernels, kernel)) kernels.push_back(kernel);
    }
    SmallVector<SmallVector<out::KernelOp>> lists;
    for (auto &[value, kernels] : byValue) {
      llvm::sort(kernels, [](out::KernelOp a, out::KernelOp b) { return a->isBeforeInBlock(b); });
      lists.push_back(kernels);
    }
    return lists;
  }

  /// Of those, lists of two or more that are one template.
  static SmallVector<SmallVector<out::KernelOp>> alike(ArrayRef<out::KernelOp> candidates) {
    SmallVector<SmallVector<out::KernelOp>> lists;
    SmallVector<OwningOpRef<out::KernelOp>> firsts;
    if (candidates.size() < 2) return lists;
    for (out::KernelOp kernel : candidates) {
      OwningOpRef<out::KernelOp> own = sizeless(kernel);
      auto same = llvm::find_if(firsts, [&](OwningOpRef<out::KernelOp> &first) { return areAlike(*first, *own); });
      if (same != firsts.end()) {
        lists[static_cast<size_t>(same - firsts.begin())].push_back(kernel);
        continue;
      }
      firsts.push_back(std::move(own));
      lists.push_back({kernel});
    }
    llvm::erase_if(lists, [](ArrayRef<out::KernelOp> forms) { return forms.size() < 2; });
    return lists;
  }
};

}  // namespace

std::unique_ptr<Pass> createShareFormsPass() { return std::make_unique<ShareForms>(); }

}  // namespace tessera::transforms
