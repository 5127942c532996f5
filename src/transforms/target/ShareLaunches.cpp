// Launches that are equal but for what they pass are calls of one function: the layers of a model choose among the same variants and
// make the same maps of their tensors. In a module that is compiled in parts (ir::kInParts) all launches are calls of such functions,
// which stand in one part with the kernels that they start.
#include "ir/common/Common.h"
#include "ir/common/WorkNotes.h"
#include "ir/target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "support/Dim.h"
#include "transforms/target/Lives.h"
#include "transforms/target/Passes.h"
#include <set>
#include <vector>

namespace tessera::transforms {
using namespace mlir;
namespace out = ir::target;

namespace {

ArrayRef<Attribute> whenOf(out::LaunchOp launch) {
  auto when = launch->getAttrOfType<ArrayAttr>("when");
  return when ? when.getValue() : ArrayRef<Attribute>();
}

/// Launches of one entry function that stand together, with what they pass.
struct Group {
  SmallVector<out::LaunchOp> launches;
  size_t conditions = 0;  // that stand around the call, and not in the function
  llvm::SmallSetVector<StringAttr, 8> operands;
  SmallVector<Attribute> names;  // of the operands in the function
  SmallVector<Attribute> dims, constants;
  ArrayAttr key;
};

class Grouping {
public:
  explicit Grouping(out::EntryOp entry) : entry_(entry), module_(entry->getParentOfType<ModuleOp>()), context_(entry->getContext()) {
    for (auto parameter : entry.getParameters().getAsRange<out::ParameterAttr>()) parameters_[parameter.getName()] = parameter;
    for (auto temporary : entry.getBody().getOps<out::TemporaryOp>()) memory_[temporary.getName().str()] = {temporary.getDtype(), temporary.getShape()};
    for (auto table : entry.getBody().getOps<out::TableOp>()) memory_[table.getName().str()] = {table.getDtype(), table.getShape()};
    for (auto constant : entry.getBody().getOps<out::ConstantOp>()) constants_[constant.getName()] = constant;
  }

  std::vector<Group> groups() {
    std::vector<Group> all;
    bool apart = false;  // what devices do together comes between
    for (Operation &op : entry_.getBody().front()) {
      apart |= isa<out::ExchangeOp>(op);
      auto launch = dyn_cast<out::LaunchOp>(op);
      if (!launch) continue;
      if (all.empty() || std::exchange(apart, false) || !joins(all.back(), launch)) all.push_back({{}, whenOf(launch).size(), {}, {}, {}, {}, {}});
      all.back().launches.push_back(launch);
    }
    for (Group &group : all) describe(group);
    return all;
  }

  /// The constants of the entry function that a launch writes.
  void mention(out::LaunchOp launch, std::set<std::string> &vars) {
    out::KernelOp kernel = kernelOf(launch);
    if (auto variants = launch->getAttrOfType<ArrayAttr>("variants")) {
      mentionVariants(variants, kernel, launch, vars);
    } else {
      if (launch.getGrid()) collect(*launch.getGrid(), vars);
      if (launch.getGroupName()) vars.insert(launch.getGroupName()->str());
    }
    if (launch.getCapacitiesAttr())
      for (auto capacity : launch.getCapacitiesAttr().getAsRange<out::CapacityAttr>()) collect(capacity.getDim(), vars);
    if (launch.getAlignedRows()) collectAll(*launch.getAlignedRows(), vars);
    for (auto [i, argument] : llvm::enumerate(launch.getArguments().getAsRange<out::ArgumentAttr>())) {
      if (argument.getKind() == "dim") collect(argument.getText(), vars);
      if (argument.getKind() != "tensor" || isa<out::PointerType>(kernel.getBody().getArgument(i).getType())) continue;
      for (StringRef name : {"shapes", "places", "windows"})
        if (Attribute listed = partOf(launch, name, i)) collectAll(listed, vars);
      if (!partOf(launch, "shapes", i)) collectAll(shapeOf(argument.getText()), vars);
    }
  }

private:
  static void collect(StringRef text, std::set<std::string> &vars) {
    if (auto dim = Dim::parse(text.str())) dim->collectVars(vars);
  }
  static void collectAll(Attribute list, std::set<std::string> &vars) {
    list.walk([&](StringAttr text) { collect(text.getValue(), vars); });
  }
  static void mentionConditions(ArrayRef<Attribute> conditions, std::set<std::string> &vars) {
    for (Attribute condition : conditions)
      condition.walk([&](ir::RequirementAttr asked) { collect(asked.getLeft().getText(), vars), collect(asked.getRight().getText(), vars); });
  }
  static void mentionVariants(ArrayAttr variants, out::KernelOp kernel, out::LaunchOp launch, std::set<std::string> &vars) {
    bool sameSizes = true;
    for (auto variant : variants.getAsRange<DictionaryAttr>())
      sameSizes &= variant.getAs<IntegerAttr>("rows").getInt() == 1 && variant.getAs<IntegerAttr>("threads").getInt() == static_cast<int64_t>(kernel.getGroup());
    if (sameSizes && launch.getGroupName()) vars.insert(launch.getGroupName()->str());
    for (auto variant : variants.getAsRange<DictionaryAttr>()) {
      collect(variant.getAs<StringAttr>("grid").getValue(), vars);
      if (auto shared = variant.getAs<StringAttr>("shared")) collect(shared.getValue(), vars);
      auto when = variant.getAs<ArrayAttr>("when");
      if (when) mentionConditions(when.getValue(), vars);
      if (!when && !variant.contains("aligned")) return;  // those that follow are never taken
    }
  }

  static Attribute partOf(out::LaunchOp launch, StringRef list, size_t i) {
    auto parts = launch->getAttrOfType<ArrayAttr>(list);
    return parts && i < parts.size() && isa<ArrayAttr>(parts[i]) ? parts[i] : Attribute();
  }
  ArrayAttr shapeOf(StringRef tensor) {
    auto parameter = parameters_.find(tensor);
    return parameter == parameters_.end() ? memory_.at(tensor.str()).second : parameter->second.getShape();
  }
  out::KernelOp kernelOf(out::LaunchOp launch) { return module_.lookupSymbol<out::KernelOp>(launch.getKernel()); }

  static SmallVector<StringAttr> passed(out::LaunchOp launch) {
    SmallVector<StringAttr> names;
    for (auto argument : launch.getArguments().getAsRange<out::ArgumentAttr>())
      if (argument.getKind() != "dim") names.push_back(StringAttr::get(launch.getContext(), argument.getText()));
    return names;
  }

  /// Whether it is what is started under other conditions with the same tensors.
  bool joins(Group &group, out::LaunchOp launch) {
    ArrayRef<Attribute> when = whenOf(launch), before = whenOf(group.launches.back());
    if (passed(group.launches.front()) != passed(launch)) return false;
    size_t same = 0;
    while (same < when.size() && same < before.size() && when[same] == before[same]) ++same;
    same = std::min(same, group.conditions);
    auto remains = [&](ArrayRef<Attribute> conditions) {
      return conditions.size() > same && llvm::none_of(conditions.drop_front(same), isOfLoop);
    };
    if (!remains(when) || !llvm::all_of(group.launches, [&](out::LaunchOp other) { return remains(whenOf(other)); })) return false;
    group.conditions = same;
    return true;
  }

  void describe(Group &group) {
    std::set<std::string> vars;
    for (out::LaunchOp launch : group.launches) {
      out::KernelOp kernel = kernelOf(launch);
      for (auto [i, argument] : llvm::enumerate(launch.getArguments().getAsRange<out::ArgumentAttr>()))
        if (argument.getKind() != "dim" && group.operands.insert(StringAttr::get(context_, argument.getText())))
          group.names.push_back(kernel.getParamNames()[i]);
      mention(launch, vars);
      mentionConditions(whenOf(launch).drop_front(group.conditions), vars);
    }
    SmallVector<Attribute> parts;
    for (const std::string &name : vars) {
      auto constant = constants_.find(name);
      (constant == constants_.end() ? group.dims : group.constants).push_back(StringAttr::get(context_, name));
      if (constant != constants_.end()) parts.push_back(constant->second.getValue());
    }
    parts.append(group.dims.begin(), group.dims.end());
    for (StringAttr operand : group.operands) parts.push_back(kindOf(operand.getValue()));
    for (out::LaunchOp launch : group.launches) parts.push_back(nameless(launch, group));
    group.key = ArrayAttr::get(context_, parts);
  }

  /// What the function has to know of an operand: whether a caller gives it, and its type.
  Attribute kindOf(StringRef operand) {
    auto parameter = parameters_.find(operand);
    if (parameter == parameters_.end()) return TypeAttr::get(memory_.at(operand.str()).first);
    bool isScalar = parameter->second.getMode() == "scalar";
    return ArrayAttr::get(context_, {StringAttr::get(context_, isScalar ? "scalar" : "tensor"), TypeAttr::get(parameter->second.getDtype())});
  }

  /// Its attributes with the places of operands in the place of their names.
  Attribute nameless(out::LaunchOp launch, Group &group) {
    auto place = [&](StringRef name) {
      auto at = llvm::find(group.operands, StringAttr::get(context_, name));
      return StringAttr::get(context_, std::to_string(at - group.operands.begin()));
    };
    auto renamed = [&](ArrayAttr names) {
      SmallVector<Attribute> list;
      for (auto name : names.getAsRange<StringAttr>()) list.push_back(place(name.getValue()));
      return ArrayAttr::get(context_, list);
    };
    NamedAttrList list;
    for (NamedAttribute attribute : launch->getAttrs())
      if (attribute.getName() != ir::kWork && attribute.getName() != "when") list.append(attribute);
    SmallVector<Attribute> arguments, shapes;
    for (auto [i, argument] : llvm::enumerate(launch.getArguments().getAsRange<out::ArgumentAttr>())) {
      const bool isDim = argument.getKind() == "dim";
      arguments.push_back(isDim ? numberless(group, argument) : out::ArgumentAttr::get(context_, argument.getKind(), place(argument.getText()).getValue()));
      // The shape of what is passed with it. Where the launch gives another one, that is among its attributes.
      bool hasShape = argument.getKind() == "tensor" && !isa<out::PointerType>(kernelOf(launch).getBody().getArgument(i).getType());
      if (hasShape && !partOf(launch, "shapes", i)) shapes.push_back(shapeOf(argument.getText()));
    }
    list.set(launch.getArgumentsAttrName(), ArrayAttr::get(context_, arguments));
    if (launch.getAligned()) list.set(launch.getAlignedAttrName(), renamed(*launch.getAligned()));
    if (auto variants = launch->getAttrOfType<ArrayAttr>("variants")) {
      SmallVector<Attribute> all;
      for (auto variant : variants.getAsRange<DictionaryAttr>()) {
        NamedAttrList parts(variant);
        if (auto aligned = variant.getAs<ArrayAttr>("aligned")) parts.set("aligned", renamed(aligned));
        all.push_back(parts.getDictionary(context_));
      }
      list.set("variants", ArrayAttr::get(context_, all));
    }
    return ArrayAttr::get(context_, {list.getDictionary(context_), ArrayAttr::get(context_, shapes),
                                     ArrayAttr::get(context_, whenOf(launch).drop_front(group.conditions))});
  }

  /// A number is passed to the function, if that starts one kernel.
  out::ArgumentAttr numberless(Group &group, out::ArgumentAttr dim) {
    const bool isNumber = group.launches.size() == 1 && Dim::parse(dim.getText().str())->isConstant();
    return isNumber ? out::ArgumentAttr::get(context_, dim.getKind(), "0") : dim;
  }

  out::EntryOp entry_;
  ModuleOp module_;
  MLIRContext *context_;
  llvm::StringMap<out::ParameterAttr> parameters_;
  std::map<std::string, std::pair<Type, ArrayAttr>> memory_;
  std::map<StringRef, out::ConstantOp> constants_;
};

/// From how many kernels on a text may be long enough for several compilers.
constexpr unsigned kKernelsOfParts = 24;

/// About how many lines of text a launch is.
size_t linesOf(out::LaunchOp launch) {
  const size_t arguments = launch.getArguments().size();
  if (auto variants = launch->getAttrOfType<ArrayAttr>("variants")) return 5 + arguments / 3 + 2 * variants.size();
  if (launch.getAligned() || launch.getCapacities()) return 8 + arguments;
  return launch.getGrid() ? 3 + arguments / 3 : 1;  // without a grid it is a call as the function's would be
}

struct ShareLaunches : PassWrapper<ShareLaunches, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareLaunches)
  StringRef getArgument() const override { return "target-share-launches"; }
  StringRef getDescription() const override { return "one function for launches that are equal but for what they pass"; }

  void runOnOperation() override {
    std::vector<Group> groups;
    for (auto entry : getOperation().getOps<out::EntryOp>()) llvm::append_range(groups, Grouping(entry).groups());
    llvm::MapVector<Attribute, SmallVector<Group *>> equal;
    for (Group &group : groups) equal[group.key].push_back(&group);
    const bool inParts = getOperation()->hasAttr(ir::kInParts) && llvm::hasNItemsOrMore(getOperation().getOps<out::KernelOp>(), kKernelsOfParts);
    std::set<std::string> taken;
    for (Operation &op : getOperation().getBody()->getOperations())
      if (auto symbol = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName())) taken.insert(symbol.str());
    for (auto &[key, same] : equal)
      if (inParts || pays(same)) share(same, taken);
    for (auto entry : getOperation().getOps<out::EntryOp>()) markConstants(entry);
  }

private:
  /// Whether the function and its calls are shorter than the launches.
  static bool pays(ArrayRef<Group *> same) {
    const Group &one = *same.front();
    size_t lines = 0;
    for (out::LaunchOp launch : one.launches) lines += linesOf(launch) + (whenOf(launch).size() > one.conditions ? 1 : 0);
    const size_t call = 1 + one.operands.size() / 5, function = 4 + one.operands.size() / 4 + lines;
    return same.size() > 1 && same.size() * lines > function + same.size() * call;
  }

  static void share(ArrayRef<Group *> same, std::set<std::string> &taken) {
    StringRef kernel = same.front()->launches.front().getKernel();
    for (out::LaunchOp launch : same.front()->launches)
      if (launch.getKernel().size() < kernel.size()) kernel = launch.getKernel();
    std::string name = ("start_" + kernel).str();
    for (int number = 2; !taken.insert(name).second; ++number) name = ("start_" + kernel + "_" + std::to_string(number)).str();
    for (Group *group : same) {
      Builder builder(group->key.getContext());
      SmallVector<Attribute> operands(group->operands.begin(), group->operands.end());
      NamedAttrList started;
      started.set("by", builder.getStringAttr(name));
      started.set("operands", builder.getArrayAttr(operands));
      started.set("names", builder.getArrayAttr(same.front()->names));
      started.set("dims", builder.getArrayAttr(group->dims));
      started.set("constants", builder.getArrayAttr(group->constants));
      started.set("launches", builder.getI64IntegerAttr(static_cast<int64_t>(group->launches.size())));
      started.set("conditions", builder.getI64IntegerAttr(static_cast<int64_t>(group->conditions)));
      group->launches.front()->setAttr("started", started.getDictionary(builder.getContext()));
      for (out::LaunchOp launch : ArrayRef(group->launches).drop_front()) launch->setAttr("started", builder.getUnitAttr());
    }
  }

  /// Constants that only those functions write are not written in the entry function.
  static void markConstants(out::EntryOp entry) {
    Grouping grouping(entry);
    std::set<std::string> here, there;
    for (auto launch : entry.getBody().getOps<out::LaunchOp>()) grouping.mention(launch, launch->hasAttr("started") ? there : here);
    for (auto constant : entry.getBody().getOps<out::ConstantOp>())
      if (there.count(constant.getName().str()) && !here.count(constant.getName().str())) constant->setAttr("started", UnitAttr::get(entry.getContext()));
  }
};

}  // namespace

std::unique_ptr<Pass> createShareLaunchesPass() { return std::make_unique<ShareLaunches>(); }

}  // namespace tessera::transforms
