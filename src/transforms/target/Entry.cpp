// Entry functions: what a caller hands over is checked and handed on to kernels.
#include "ir/common/WorkNotes.h"
#include "transforms/target/Entry.h"
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/common/Relations.h"
#include "ir/target/Target.h"
#include "transforms/target/Expr.h"
#include "transforms/target/Names.h"
#include "transforms/tile/Extents.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {
namespace {

/// Tile IR names memory by SSA values; an entry function by names.
struct EntryNames {
  NameTable table;
  llvm::DenseMap<Value, std::string> names;
  std::map<int64_t, std::string> buffers;  // memory that loops speak of, by its number
};

StringRef modeText(ir::ParamAttr param, Type type) {
  if (!isa<ir::ViewType>(type)) return "scalar";
  if (param.getIsResult()) return "result";
  switch (param.getMode()) {
  case ir::ParamMode::In: return "in";
  case ir::ParamMode::Out: return "out";
  case ir::ParamMode::InOut: return "inout";
  }
  return "in";
}

ArrayAttr shapeTexts(OpBuilder &builder, Type type) {
  SmallVector<Attribute> dims;
  for (ir::DimAttr dim : ir::shapeOf(type)) dims.push_back(builder.getStringAttr(dim.getText()));
  return builder.getArrayAttr(dims);
}

/// A condition of `tsr.when`: a requirement, ["and", condition, condition], ["not", condition]; or the words of a loop in texts, in
/// which numbers are those of buffers.
Attribute whenText(OpBuilder &builder, Attribute when, const EntryNames &names) {
  if (auto buffer = dyn_cast<IntegerAttr>(when)) return builder.getStringAttr(names.buffers.at(buffer.getInt()));
  if (auto dim = dyn_cast<ir::DimAttr>(when)) return builder.getStringAttr(dim.getText());
  if (auto asked = dyn_cast<ir::RequirementAttr>(when))
    return ir::RequirementAttr::get(builder.getContext(), asked.getLeft(), asked.getRelation(), asked.getRight(), "");
  SmallVector<Attribute> parts;
  for (Attribute part : cast<ArrayAttr>(when))
    parts.push_back(isa<StringAttr>(part) ? part : whenText(builder, part, names));
  return builder.getArrayAttr(parts);
}

bool isLoop(Attribute part) {
  auto words = dyn_cast<ArrayAttr>(part);
  auto word = words ? dyn_cast<StringAttr>(words[0]) : StringAttr();
  return word && (word.getValue() == "for" || word.getValue() == "while");
}

/// ["read", number, memory, name]: how many turns the loop behind it has.
bool isRead(Attribute part) {
  auto words = dyn_cast<ArrayAttr>(part);
  auto word = words ? dyn_cast<StringAttr>(words[0]) : StringAttr();
  return word && word.getValue() == "read";
}

/// The conditions and loops under which the entry function does what `op` says. Memory is there before the first loop.
void copyConditions(OpBuilder &builder, Operation *op, Operation *made, const EntryNames &names) {
  auto conditions = op->getAttrOfType<ArrayAttr>("tsr.when");
  if (!conditions) return;
  SmallVector<Attribute> texts;
  for (Attribute condition : conditions) {
    if (isa<tile::TempOp>(op) && (isLoop(condition) || isRead(condition))) break;
    texts.push_back(whenText(builder, condition, names));
  }
  if (!texts.empty()) made->setAttr("when", builder.getArrayAttr(texts));
}

/// A counter of a loop around a temporary that its size depends on: the memory is there before the loop. "" if there is none.
std::string counterOf(tile::TempOp temp) {
  std::set<std::string> vars;
  for (ir::DimAttr dim : ir::shapeOf(temp.getType())) dim.getDim().collectVars(vars);
  auto conditions = temp->getAttrOfType<ArrayAttr>("tsr.when");
  for (Attribute part : conditions ? conditions.getValue() : ArrayRef<Attribute>()) {
    if (!isLoop(part)) continue;
    auto words = cast<ArrayAttr>(part);
    if (cast<StringAttr>(words[0]).getValue() == "for" && vars.count(cast<StringAttr>(words[2]).getValue().str()))
      return cast<StringAttr>(words[2]).getValue().str();
    for (Attribute integer : cast<ArrayAttr>(words[words.size() - 2]))
      if (auto name = cast<StringAttr>(cast<ArrayAttr>(integer)[0]).getValue().str(); vars.count(name)) return name;
  }
  return "";
}

/// What an entry function's launch passes for the kernel's dimensions, and where they are used.
std::map<std::string, Dim> dimsOfLaunch(tile::LaunchOp launch, const KernelInfo &kernel) {
  std::map<std::string, Dim> values;
  if (!launch.getDims()) return values;
  for (auto [name, dim] : llvm::zip(kernel.variables, launch.getDims()->getDims()))
    values.emplace(name, dim.getDim());
  return values;
}

/// Its symbol is also that of what was made of it.
tile::KernelOp kernelOf(tile::LaunchOp launch) {
  tile::KernelOp kernel;
  for (auto candidate : launch->getParentOfType<ModuleOp>().getOps<tile::KernelOp>())
    if (candidate.getSymName() == launch.getKernel()) kernel = candidate;
  return kernel;
}

/// The shapes under which a launch passes tensors, where they are not those of their memory (else a unit).
ArrayAttr shapesOfLaunch(tile::LaunchOp launch, tile::KernelOp kernel, const std::map<std::string, Dim> &dims, OpBuilder &builder) {
  SmallVector<Attribute> shapes;
  bool differ = false;
  for (auto [argument, declared] : llvm::zip(launch.getArgs(), kernel.getArgumentTypes())) {
    SmallVector<Attribute> extents;
    for (ir::DimAttr extent : ir::shapeOf(declared))
      extents.push_back(builder.getStringAttr(extent.getDim().substitute(dims).str()));
    Attribute shape = builder.getArrayAttr(extents);
    bool same = !isa<ir::ViewType>(declared) || shape == shapeTexts(builder, argument.getType());
    differ |= !same;
    shapes.push_back(same ? Attribute(builder.getUnitAttr()) : shape);
  }
  return differ ? builder.getArrayAttr(shapes) : ArrayAttr();
}

/// For each tensor the part that the kernel takes of it: the first element, then the strides; a unit for those that it takes whole.
ArrayAttr placesOfLaunch(tile::KernelOp kernel, const std::map<std::string, Dim> &dims, OpBuilder &builder) {
  SmallVector<Attribute> list;
  bool some = false;
  for (Type declared : kernel.getArgumentTypes()) {
    auto view = dyn_cast<ir::ViewType>(declared);
    ir::PlacesAttr places = view ? view.getPlaces() : ir::PlacesAttr();
    some |= static_cast<bool>(places);
    SmallVector<Attribute> texts;
    auto add = [&](ir::DimAttr dim) { texts.push_back(builder.getStringAttr(dim.getDim().substitute(dims).str())); };
    if (places) {
      add(places.getOffset());
      for (ir::DimAttr stride : places.getStrides()) add(stride);
    }
    list.push_back(places ? Attribute(builder.getArrayAttr(texts)) : builder.getUnitAttr());
  }
  return some ? builder.getArrayAttr(list) : ArrayAttr();
}

/// For each tensor that a kernel reads through a window, its numbers: the extents of the tensor, how many windows there are, and along
/// each axis how many places, the distances of windows and of places, and the zeros before.
ArrayAttr windowsOfLaunch(tile::KernelOp kernel, const std::map<std::string, Dim> &dims, OpBuilder &builder) {
  SmallVector<Attribute> list;
  bool some = false;
  for (Type declared : kernel.getArgumentTypes()) {
    auto view = dyn_cast<ir::ViewType>(declared);
    ir::WindowsAttr windows = view && view.getPlaces() ? view.getPlaces().getWindows() : ir::WindowsAttr();
    some |= static_cast<bool>(windows);
    SmallVector<Attribute> texts;
    auto addDims = [&](ArrayRef<ir::DimAttr> extents) {
      SmallVector<Attribute> list;
      for (ir::DimAttr extent : extents) list.push_back(builder.getStringAttr(extent.getDim().substitute(dims).str()));
      texts.push_back(builder.getArrayAttr(list));
    };
    auto addNumbers = [&](ArrayRef<int64_t> numbers) {
      SmallVector<Attribute> list;
      for (int64_t number : numbers) list.push_back(builder.getStringAttr(std::to_string(number)));
      texts.push_back(builder.getArrayAttr(list));
    };
    if (windows) {
      addDims(windows.getSize());
      addDims(windows.getCount());
      for (ArrayRef<int64_t> numbers : {windows.getPlaces(), windows.getStride(), windows.getDilation(), windows.getBefore()}) addNumbers(numbers);
    }
    list.push_back(windows ? Attribute(builder.getArrayAttr(texts)) : builder.getUnitAttr());
  }
  return some ? builder.getArrayAttr(list) : ArrayAttr();
}

/// The offset and the strides that do not follow from those behind them: where rows lie one after the other, the last.
SmallVector<Attribute> askedOfWindows(ArrayAttr places, ArrayAttr windows) {
  auto dimOf = [](Attribute text) { return *Dim::parse(cast<StringAttr>(text).getValue().str()); };
  auto size = cast<ArrayAttr>(windows[0]);
  SmallVector<Attribute> asked;
  for (size_t i = 0; i < places.size(); ++i)
    if (i == 0 || i + 1 == places.size() || !(dimOf(places[i]) == dimOf(size[i]) * dimOf(places[i + 1]))) asked.push_back(places[i]);
  return asked;
}

/// What must hold for the rows of the tensors that a kernel copies to begin at multiples of 16 bytes. The entry's own
/// temporaries and tables do.
void askAlignment(tile::LaunchOp launch, const KernelInfo &info, EntryNames &names, const std::map<std::string, Dim> &dims,
                  out::LaunchOp made) {
  constexpr int64_t kBytes = 16;
  Builder builder(launch.getContext());
  llvm::SmallSetVector<Attribute, 4> tensors, rows;
  for (unsigned i : info.aligned) {
    Value tensor = launch.getArgs()[i];
    if (isa<BlockArgument>(tensor)) tensors.insert(builder.getStringAttr(names.names.at(tensor)));
    int64_t elements = kBytes / storedBytes(ir::elementTypeOf(tensor.getType()));
    // In the kernel's shape of the tensor: a row of the tile is a row there.
    auto shapes = made->getAttrOfType<ArrayAttr>("shapes");
    auto shape = shapes ? dyn_cast<ArrayAttr>(shapes[i]) : ArrayAttr();
    Dim last = shape ? *Dim::parse(cast<StringAttr>(shape.getValue().back()).str())
                     : ir::shapeOf(tensor.getType()).back().getDim().substitute(dims);
    auto ask = [&](const Dim &dim) {
      Dim rest = Dim::mod(dim, Dim(elements));
      if (!(rest == Dim(0))) rows.insert(builder.getStringAttr(rest.str()));
    };
    auto places = made->getAttrOfType<ArrayAttr>("places");
    auto windows = made->getAttrOfType<ArrayAttr>("windows");
    bool isWindows = windows && isa<ArrayAttr>(windows[i]);
    auto part = places ? dyn_cast<ArrayAttr>(places[i]) : ArrayAttr();
    SmallVector<Attribute> asked;
    if (part) asked = isWindows ? askedOfWindows(part, cast<ArrayAttr>(windows[i])) : llvm::to_vector(part.getValue().drop_back());
    for (Attribute place : asked) ask(*Dim::parse(cast<StringAttr>(place).getValue().str()));
    if (!part) ask(last);
  }
  made.setAlignedAttr(builder.getArrayAttr(tensors.getArrayRef()));
  made.setAlignedRowsAttr(builder.getArrayAttr(rows.getArrayRef()));
}

/// Whether all that one variant asks is asked by another, too: an entry that tries it first never comes to the other.
bool asksNoMore(DictionaryAttr one, DictionaryAttr other) {
  return llvm::all_of(ArrayRef<StringRef>{"when", "aligned"}, [&](StringRef name) {
    auto asked = one.getAs<ArrayAttr>(name), known = other.getAs<ArrayAttr>(name);
    return !asked || (known && llvm::all_of(asked, [&](Attribute part) { return llvm::is_contained(known, part); }));
  });
}

/// What the launch chooses from: template arguments, the grid, the block, and the conditions.
ArrayAttr variantsOf(tile::LaunchOp launch, const KernelInfo &info, EntryNames &names,
                     const std::map<std::string, Dim> &dims, OpBuilder &builder) {
  SmallVector<Attribute> list;
  for (const KernelInfo::Variant &variant : info.variants) {
    std::map<std::string, Dim> values = dims;
    for (const auto &[name, value] : info.constants) values.emplace(name, Dim(value));
    for (const auto &[name, value] : variant.sizes) values[name] = value;
    NamedAttrList entries;
    entries.set("arguments", builder.getStringAttr(variant.arguments));
    entries.set("grid", builder.getStringAttr(Dim::parse(info.grid)->substitute(values).str()));
    entries.set("threads", builder.getI64IntegerAttr(variant.threads));
    entries.set("rows", builder.getI64IntegerAttr(variant.rows));
    if (variant.cluster > 1) entries.set("cluster", builder.getI64IntegerAttr(variant.cluster));
    SmallVector<Attribute> when, aligned;
    for (ir::RequirementAttr asked : variant.when) {
      auto side = [&](ir::DimAttr dim) { return ir::DimAttr::get(builder.getContext(), dim.getDim().substitute(values)); };
      when.push_back(ir::RequirementAttr::get(builder.getContext(), side(asked.getLeft()), asked.getRelation(), side(asked.getRight()), ""));
    }
    for (int64_t param : variant.aligned)
      if (isa<BlockArgument>(launch.getArgs()[param]))  // temporaries are
        aligned.push_back(builder.getStringAttr(names.names.at(launch.getArgs()[param])));
    if (variant.sharedBytes) entries.set("shared", builder.getStringAttr(variant.sharedBytes->substitute(values).str()));
    if (variant.inTurn) entries.set("in_turn", builder.getUnitAttr());
    if (!when.empty()) entries.set("when", builder.getArrayAttr(when));
    if (!aligned.empty()) entries.set("aligned", builder.getArrayAttr(aligned));
    auto differsInConditions = [&](DictionaryAttr earlier) {
      auto same = [&](StringRef name) { return earlier.get(name) == entries.get(name); };
      return llvm::all_of(ArrayRef<StringRef>{"arguments", "grid", "threads", "rows", "cluster", "shared", "in_turn"}, same);
    };
    if (when.empty() && aligned.empty())  // no need to ask
      while (!list.empty() && differsInConditions(cast<DictionaryAttr>(list.back()))) list.pop_back();
    DictionaryAttr made = entries.getDictionary(builder.getContext());
    if (llvm::none_of(list, [&](Attribute earlier) { return asksNoMore(cast<DictionaryAttr>(earlier), made); })) list.push_back(made);
  }
  return builder.getArrayAttr(list);
}

LogicalResult emitLaunch(tile::LaunchOp launch, const KernelInfo &info, EntryNames &names,
                         std::map<std::string, int64_t> &constants, OpBuilder &builder) {
  std::map<std::string, Dim> dims = dimsOfLaunch(launch, info);
  MLIRContext *context = builder.getContext();
  auto substituted = [&](StringRef text) { return Dim::parse(text.str())->substitute(dims); };
  SmallVector<Attribute> arguments;
  for (Value argument : launch.getArgs()) {
    auto name = names.names.find(argument);
    if (name == names.names.end())
      return launch.emitError() << "a launch passes parameters and temporaries only";
    StringRef kind = isa<ir::ViewType>(argument.getType()) ? "tensor" : "scalar";
    arguments.push_back(out::ArgumentAttr::get(context, kind, name->second));
  }
  for (unsigned step : info.steps) {
    std::string name = names.names[launch.getArgs()[step]];
    bool asked = llvm::any_of(builder.getBlock()->getOps<out::RequireOp>(),
                              [&](out::RequireOp other) { return other.getText() == name + " >= 1"; });
    if (!asked) builder.create<out::RequireOp>(launch.getLoc(), name, ">=", "1", name + " >= 1");
  }
  for (const std::string &dim : info.dims)
    arguments.push_back(out::ArgumentAttr::get(context, "dim", substituted(dim).str()));
  // The grid and the group are written in the kernel's constants, but for those in which its variants differ; two kernels with other values of one name
  // get numbers.
  std::map<std::string, Dim> numbers;
  StringAttr groupName;
  std::set<std::string> used = {info.groupName};
  if (!info.grid.empty()) Dim::parse(info.grid)->collectVars(used);
  for (const auto &[name, value] : info.constants) {
    if (!used.count(name)) continue;
    if (!info.variants.empty() && name != info.groupName) {  // which write numbers
      numbers.emplace(name, Dim(value));
      continue;
    }
    auto [known, isNew] = constants.emplace(name, value);
    if (isNew) builder.create<out::ConstantOp>(launch.getLoc(), name, builder.getI64IntegerAttr(value));
    if (known->second != value) numbers.emplace(name, Dim(value));
    else if (name == info.groupName) groupName = builder.getStringAttr(name);
  }
  StringAttr grid;
  if (!info.variants.empty())  // each variant has its own
    for (const auto &[name, value] : info.variants.back().sizes) numbers.insert_or_assign(name, value);
  if (!info.grid.empty()) grid = builder.getStringAttr(substituted(info.grid).substitute(numbers).str());
  ArrayAttr capacities;
  SmallVector<Attribute> list;
  for (const auto &[dim, values] : info.capacities)
    list.push_back(
        out::CapacityAttr::get(context, substituted(dim).str(), builder.getDenseI64ArrayAttr(values)));
  if (!list.empty()) capacities = builder.getArrayAttr(list);
  DenseI64ArrayAttr shared;
  if (!info.sharedBytes.empty()) shared = builder.getDenseI64ArrayAttr(info.sharedBytes);
  auto made = builder.create<out::LaunchOp>(launch.getLoc(), SymbolRefAttr::get(context, info.name), grid,
                                builder.getI64IntegerAttr(info.group), builder.getArrayAttr(arguments),
                                capacities, shared, groupName, ArrayAttr(), ArrayAttr(), ArrayAttr(), /*persistent=*/IntegerAttr(), /*early=*/UnitAttr(), /*clusters=*/StringAttr());
  tile::KernelOp kernel = kernelOf(launch);
  if (ArrayAttr shapes = shapesOfLaunch(launch, kernel, dims, builder)) made->setAttr("shapes", shapes);
  if (ArrayAttr places = placesOfLaunch(kernel, dims, builder)) made->setAttr("places", places);
  if (ArrayAttr windows = windowsOfLaunch(kernel, dims, builder)) made->setAttr("windows", windows);
  if (info.persistent) made.setPersistent(info.persistent);
  if (info.clusters) made.setClusters(info.clusters->empty() ? "" : substituted(*info.clusters).substitute(numbers).str());
  if (!info.aligned.empty()) askAlignment(launch, info, names, dims, made);
  copyConditions(builder, launch, made, names);
  if (Attribute work = launch->getAttr(ir::kWork)) made->setAttr(ir::kWork, work);
  if (!info.variants.empty()) made->setAttr("variants", variantsOf(launch, info, names, dims, builder));
  return success();
}

void emitExchange(tile::ExchangeOp exchange, EntryNames &names, OpBuilder &builder) {
  Value kept = exchange.getKind() == "reduce_scatter" ? exchange.getTarget() : exchange.getSource();
  Dim count(1);
  for (ir::DimAttr extent : ir::shapeOf(kept.getType())) count = count * extent.getDim();
  auto made = builder.create<out::ExchangeOp>(exchange.getLoc(), exchange.getKind(), exchange.getOver(), names.names.at(exchange.getSource()),
                                              names.names.at(exchange.getTarget()), count.str(), ArrayAttr());
  copyConditions(builder, exchange, made, names);
}

}  // namespace

std::string kernelName(ModuleOp module, StringRef kernel) {
  auto entry = module.lookupSymbol<tile::FuncOp>(kernel);
  return identifier(entry ? (kernel + "_kernel").str() : kernel.str());
}

LogicalResult emitEntry(tile::FuncOp function, const std::map<std::string, KernelInfo> &kernels,
                        OpBuilder &builder) {
  EntryNames names;
  SmallVector<Attribute> parameters, returns;
  auto consts = function->getAttrOfType<DictionaryAttr>("tsr.consts");
  for (auto [i, argument] : llvm::enumerate(function.getBody().getArguments())) {
    ir::ParamAttr param = function.param(i);
    // The user's name: the entry's messages and the manifest speak of it; the emitted text may spell it
    // otherwise.
    std::string name = param.getName().str();
    names.table.declare(name);
    names.names[argument] = name;
    if (isa<ComplexType>(argument.getType()))
      return function.emitError() << "a complex number as the parameter `" << name << "`: numbers that callers pass are real; give it as a tensor, `Tensor[1, complex64]`";
    // An integer that gives a dimension has it in the place of a shape.
    auto dim = consts ? consts.getAs<StringAttr>(name) : StringAttr();
    parameters.push_back(out::ParameterAttr::get(
        builder.getContext(), name, ir::elementTypeOf(argument.getType()),
        dim ? builder.getArrayAttr(dim) : shapeTexts(builder, argument.getType()),
        modeText(param, argument.getType())));
  }
  for (size_t i = 0; i < function.getOutputs().size(); ++i) {
    int64_t param = function.output(i).getParam();
    if (param >= 0)
      returns.push_back(builder.getStringAttr(names.names[function.getBody().getArgument(param)]));
  }
  OpBuilder::InsertionGuard guard(builder);
  auto entry = builder.create<out::EntryOp>(function.getLoc(), function.getSymName(), function.getSignature(),
                                            function.getDoc(), builder.getArrayAttr(parameters),
                                            builder.getArrayAttr(returns));
  if (Attribute numerics = function->getAttr("tsr.numerics")) entry->setAttr("tsr.numerics", numerics);
  auto effects = function->getAttrOfType<ArrayAttr>("tsr.effects");
  if (effects) entry->setAttr("tsr.effects", effects);
  for (llvm::StringRef name : {"tsr.specials", "tsr.indices"})
    if (Attribute attribute = function->getAttr(name)) entry->setAttr(name, attribute);
  auto isNondet = [](Attribute effect) { return cast<StringAttr>(effect).getValue() == "nondet"; };
  if (effects && llvm::any_of(effects, isNondet))
    entry->setAttr("determinism", builder.getStringAttr("nondeterministic"));
  if (function.getDeterministic()) entry->setAttr("determinism", builder.getStringAttr("deterministic"));
  builder.createBlock(&entry.getBody());
  for (auto requirement : function.getRequirements().getAsRange<ir::RequirementAttr>())
    builder.create<out::RequireOp>(function.getLoc(), requirement.getLeft().getText(),
                                   ir::relationText(requirement.getRelation()), requirement.getRight().getText(),
                                   requirement.getText());
  std::map<std::string, int64_t> constants;
  for (Operation &op : function.getBody().front()) {
    if (auto temp = dyn_cast<tile::TempOp>(op)) {
      StringRef hint = ir::nameHint(temp.getResult());
      if (std::string counter = counterOf(temp); !counter.empty())
        return temp.emitError() << "a value whose size `" << counter << "`, which a loop counts, decides, and that has to lie in memory; "
                                   "compute it over the whole axis, and leave out the rest with `where`";
      std::string name = hint.empty() ? names.table.fresh("temporary") : names.table.declare(hint);
      names.names[temp.getResult()] = name;
      if (auto buffer = op.getAttrOfType<IntegerAttr>("tsr.buffer")) names.buffers[buffer.getInt()] = name;
      auto made = builder.create<out::TemporaryOp>(op.getLoc(), name, ir::elementTypeOf(temp.getType()),
                                                   shapeTexts(builder, temp.getType()), ArrayAttr(), StringAttr(), StringAttr());
      copyConditions(builder, &op, made, names);
    } else if (auto within = dyn_cast<tile::TempWithinOp>(op)) {
      StringRef hint = ir::nameHint(within.getResult());
      std::string name = hint.empty() ? names.table.fresh("temporary") : names.table.declare(hint);
      names.names[within.getResult()] = name;
      builder.create<out::TemporaryOp>(op.getLoc(), name, ir::elementTypeOf(within.getType()), shapeTexts(builder, within.getType()), ArrayAttr(),
                                       builder.getStringAttr(names.names.at(within.getMemory())), builder.getStringAttr(within.getOffset().getText()));
    } else if (auto table = dyn_cast<tile::TableOp>(op)) {
      StringRef hint = ir::nameHint(table.getResult());
      std::string name = hint.empty() ? names.table.fresh("table") : names.table.declare(hint);
      names.names[table.getResult()] = name;
      builder.create<out::TableOp>(op.getLoc(), name, identifier(table.getSymbol().str()), table.getValues(), ir::elementTypeOf(table.getType()),
                                   shapeTexts(builder, table.getType()));
    } else if (auto launch = dyn_cast<tile::LaunchOp>(op)) {
      if (failed(emitLaunch(launch, kernels.at(launch.getKernel().str()), names, constants, builder)))
        return failure();
    } else if (auto exchange = dyn_cast<tile::ExchangeOp>(op)) {
      emitExchange(exchange, names, builder);
    }
  }
  return success();
}

}  // namespace tessera::transforms::totarget
