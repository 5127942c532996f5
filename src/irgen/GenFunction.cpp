// A function: its attributes, its arguments, the end of its body.
#include "checked/Indices.h"
#include "ir/common/Names.h"
#include "irgen/FunctionGen.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "support/Check.h"
#include "support/MeshDims.h"
#include <set>

namespace tessera::irgen {
using namespace mlir;

FunctionGen::FunctionGen(const checked::Function &function, const Sources &sources, OpBuilder &builder,
                         diag::Engine &diagnostics)
    : function_(function), sources_(sources), builder_(builder), diagnostics_(diagnostics) {
  countReads(function.body, reads_);
}

Operation *FunctionGen::generate() {
  Operation *op = createFunction();
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&body_->front());
  for (size_t i = 0; i < function_.params.size(); ++i)
    values_[function_.params[i].var] = {body_->getArgument(i)};
  genBlock(function_.body);
  finish();
  addMeshDims(op);
  return op;
}

/// What a function asks the mesh of devices for has the place of a dimension, too.
void FunctionGen::addMeshDims(Operation *function) {
  if (function_.kind != checked::FunctionKind::Tensor) return;
  std::set<std::string> asked;
  AttrTypeWalker walker;
  walker.addWalk([&](ir::DimAttr dim) {
    for (const MeshDim &one : meshDimsOf(dim.getDim())) asked.insert(one.name());
  });
  function->walk([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes()) walker.walk(type);
  });
  if (asked.empty()) return;
  SmallVector<Attribute> dims(function->getAttrOfType<ArrayAttr>("dims").getValue());
  for (const std::string &name : asked) dims.push_back(builder_.getStringAttr(name));
  function->setAttr("dims", builder_.getArrayAttr(dims));
}

/// Every body ends in its terminator, also one whose last statement is not a return.
void FunctionGen::finish() {
  Block &block = body_->front();
  if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>()) return;
  Location location = place({function_.span.file, function_.span.end, function_.span.end});
  if (isKernel()) builder_.create<graph::KernelEndOp>(location);
  else builder_.create<graph::ReturnOp>(location, ValueRange());
}

// ---------------------------------------------------------------- attributes

static_assert(static_cast<int>(checked::ParamMode::InOut) == static_cast<int>(ir::ParamMode::InOut) &&
              static_cast<int>(checked::ParamMode::Out) == static_cast<int>(ir::ParamMode::Out));
static_assert(static_cast<int>(checked::Relation::Ne) == static_cast<int>(ir::Relation::Ne) &&
              static_cast<int>(checked::Relation::Lt) == static_cast<int>(ir::Relation::Lt) &&
              static_cast<int>(checked::Relation::Le) == static_cast<int>(ir::Relation::Le) &&
              static_cast<int>(checked::Relation::Gt) == static_cast<int>(ir::Relation::Gt) &&
              static_cast<int>(checked::Relation::Ge) == static_cast<int>(ir::Relation::Ge));
static_assert(static_cast<int>(checked::GridKind::Explicit) == static_cast<int>(ir::GridKind::Explicit) &&
              static_cast<int>(checked::GridKind::Lanes) == static_cast<int>(ir::GridKind::Lanes));

ArrayAttr FunctionGen::params() {
  SmallVector<Attribute> attrs;
  for (const checked::Param &param : function_.params) {
    Attribute fallback = param.defaultValue ? constantAttr(*param.defaultValue) : Attribute();
    attrs.push_back(ir::ParamAttr::get(builder_.getContext(), param.var->name,
                                       static_cast<ir::ParamMode>(param.mode), param.isResult,
                                       param.keywordOnly, fallback));
  }
  return builder_.getArrayAttr(attrs);
}

/// The dimensions that integers give: {heads = "H"} of a parameter `heads: Const[H]`.
DictionaryAttr FunctionGen::consts() {
  NamedAttrList dims;
  for (const checked::Param &param : function_.params)
    if (param.var->type.kind == checked::TypeKind::Index && !param.var->type.shape.empty())
      dims.append(param.var->name, builder_.getStringAttr(param.var->type.shape[0].str()));
  return dims.getDictionary(builder_.getContext());
}

/// The entry points for some sizes: {name = @f_B32, dims = ["B"], sizes = [32]}. Null if there are none.
ArrayAttr FunctionGen::specials() {
  SmallVector<Attribute> attrs;
  for (const checked::Special &special : function_.specials) {
    SmallVector<StringRef> dims;
    SmallVector<int64_t> sizes;
    for (const auto &[dim, size] : special.sizes) dims.push_back(dim), sizes.push_back(size);
    attrs.push_back(builder_.getDictionaryAttr({builder_.getNamedAttr("name", FlatSymbolRefAttr::get(builder_.getContext(), special.name)),
                                                builder_.getNamedAttr("dims", builder_.getStrArrayAttr(dims)),
                                                builder_.getNamedAttr("sizes", builder_.getDenseI64ArrayAttr(sizes))}));
  }
  return attrs.empty() ? ArrayAttr() : builder_.getArrayAttr(attrs);
}

/// What checked/Indices.h finds: {parameter, begins, sizes, steps, extent, from_end, of}. Null if there are none.
ArrayAttr FunctionGen::indices() {
  SmallVector<Attribute> attrs;
  auto text = [&](const Dim &dim) { return builder_.getStringAttr(dim.str()); };
  for (const checked::IndexParameter &index : checked::indexParameters(function_)) {
    SmallVector<Attribute> begins, sizes;
    SmallVector<int64_t> steps;
    for (const checked::UsedAxis &axis : index.axes) begins.push_back(text(axis.begin)), sizes.push_back(text(axis.size)), steps.push_back(axis.step);
    attrs.push_back(dictionary({{"parameter", builder_.getStringAttr(function_.params[index.param].var->name)},
                                {"begins", builder_.getArrayAttr(begins)},
                                {"sizes", builder_.getArrayAttr(sizes)},
                                {"steps", builder_.getDenseI64ArrayAttr(steps)},
                                {"extent", text(index.extent)},
                                {"from_end", builder_.getBoolAttr(index.fromEnd)},
                                {"of", builder_.getStringAttr(index.of)}}));
  }
  return attrs.empty() ? ArrayAttr() : builder_.getArrayAttr(attrs);
}

ArrayAttr FunctionGen::outputs() {
  SmallVector<Attribute> attrs;
  for (const checked::FunctionResult &result : function_.results)
    attrs.push_back(
        ir::ResultAttr::get(builder_.getContext(), result.name, typeOf(result.type), result.param));
  return builder_.getArrayAttr(attrs);
}

ArrayAttr FunctionGen::requirements() {
  MLIRContext *context = builder_.getContext();
  SmallVector<Attribute> attrs;
  for (const checked::Requirement &fact : function_.requirements)
    attrs.push_back(ir::RequirementAttr::get(context, ir::DimAttr::get(context, fact.left),
                                             static_cast<ir::Relation>(fact.relation),
                                             ir::DimAttr::get(context, fact.right), fact.text));
  return builder_.getArrayAttr(attrs);
}

DictionaryAttr FunctionGen::dictionary(const std::vector<std::pair<std::string, Attribute>> &entries) {
  NamedAttrList list;
  for (const auto &[name, value] : entries) list.set(name, value);
  return list.getDictionary(builder_.getContext());
}

static DictionaryAttr numericsOf(OpBuilder &builder, const checked::Type &type) {
  const checked::Numerics &numerics = type.numerics;
  NamedAttrList list;
  auto word = [&](StringRef field, std::string_view text) {
    list.set(field, builder.getStringAttr(StringRef(text.data(), text.size())));
  };
  if (numerics.accumulate) word("accumulate", name(*numerics.accumulate));
  if (numerics.compute) word("compute", name(*numerics.compute));
  StringRef rounding = ir::stringifyRounding(static_cast<ir::Rounding>(numerics.rounding));
  word("rounding", {rounding.data(), rounding.size()});
  word("round_at", numerics.roundEachOp ? "each_op" : "store");
  word("denormals", numerics.denormals == checked::Denormals::Flush ? "flush" : "keep");
  list.set("saturate", builder.getBoolAttr(numerics.saturate));
  if (numerics.fastSums) list.set("fast_sums", builder.getBoolAttr(true));
  return list.getDictionary(builder.getContext());
}

/// What rides on the dtypes of parameters and results, by name: for the manifest.
DictionaryAttr FunctionGen::numerics() {
  std::vector<std::pair<std::string, Attribute>> entries;
  auto add = [&](const std::string &name, const checked::Type &type) {
    bool carries = type.kind == checked::TypeKind::Scalar || type.kind == checked::TypeKind::Tensor ||
                   type.kind == checked::TypeKind::View;
    if (carries && type.dtype != DType::Bool) entries.emplace_back(name, numericsOf(builder_, type));
  };
  for (const checked::FunctionResult &result : function_.results) add(result.name, result.type);
  for (const checked::Param &param : function_.params) add(param.var->name, param.var->type);
  return dictionary(entries);
}

static std::vector<Dim> gridDims(const checked::KernelInfo &kernel) {
  switch (kernel.grid) {
  case checked::GridKind::Output: return kernel.tileShape;
  case checked::GridKind::Explicit: return kernel.gridDims;
  case checked::GridKind::Lanes: return {kernel.laneExtent};
  }
  TSR_UNREACHABLE("a grid of no kind");
}

static ir::GridAttr gridOf(MLIRContext *context, const checked::KernelInfo &kernel) {
  int64_t param = kernel.grid == checked::GridKind::Output ? kernel.outputParam : -1;
  return ir::GridAttr::get(context, static_cast<ir::GridKind>(kernel.grid),
                           ir::dimAttrs(context, gridDims(kernel)), param);
}

void FunctionGen::addKernelAttributes(OperationState &state) {
  const checked::KernelInfo &kernel = function_.kernel;
  std::vector<std::pair<std::string, Attribute>> sizes, options, space;
  for (const auto &[name, size] : kernel.schedule.sizes)
    sizes.emplace_back(name, builder_.getI64IntegerAttr(size));
  for (const auto &[name, text] : kernel.schedule.options)
    options.emplace_back(name, builder_.getStringAttr(text));
  for (const auto &[name, choices] : kernel.schedule.space)
    space.emplace_back(name, builder_.getDenseI64ArrayAttr(choices));
  SmallVector<StringRef> context(kernel.contextSizes.begin(), kernel.contextSizes.end());
  state.addAttribute("grid", gridOf(builder_.getContext(), kernel));
  state.addAttribute("group", builder_.getI64IntegerAttr(kernel.groupSize));
  state.addAttribute("context", builder_.getStrArrayAttr(context));
  state.addAttribute("sizes", dictionary(sizes));
  state.addAttribute("options", dictionary(options));
  state.addAttribute("space", dictionary(space));
  if (kernel.usesLanes) state.addAttribute("uses_lanes", builder_.getUnitAttr());
}

static StringRef operationName(checked::FunctionKind kind) {
  switch (kind) {
  case checked::FunctionKind::Kernel: return graph::KernelOp::getOperationName();
  case checked::FunctionKind::Tensor: return graph::FuncOp::getOperationName();
  case checked::FunctionKind::Host: return graph::HostFuncOp::getOperationName();
  }
  TSR_UNREACHABLE("a function of no kind");
}

Operation *FunctionGen::createFunction() {
  SmallVector<Type> inputs, results;
  SmallVector<Location> places;
  for (const checked::Param &param : function_.params) {
    inputs.push_back(typeOf(param.var->type, param.var->swizzle));
    places.push_back(place(param.var->span, param.var->name));
  }
  if (!isKernel())
    for (const checked::FunctionResult &result : function_.results) results.push_back(typeOf(result.type));

  Location location = place(function_.span, function_.name);
  if (isKernel()) location = ir::withSizes(gridDims(function_.kernel), location);
  OperationState state(location, operationName(function_.kind));
  state.addAttribute("sym_name", builder_.getStringAttr(function_.name));
  state.addAttribute("function_type", TypeAttr::get(builder_.getFunctionType(inputs, results)));
  SmallVector<StringRef> dims(function_.dims.begin(), function_.dims.end());
  state.addAttribute("dims", builder_.getStrArrayAttr(dims));
  state.addAttribute("params", params());
  state.addAttribute("outputs", outputs());
  state.addAttribute("requirements", requirements());
  state.addAttribute("signature", builder_.getStringAttr(function_.signature));
  state.addAttribute("doc", builder_.getStringAttr(function_.docstring));
  if (isKernel() && function_.ofCall) state.addAttribute("tsr.no_entry", builder_.getUnitAttr());
  if (function_.deterministic) state.addAttribute("deterministic", builder_.getUnitAttr());
  SmallVector<Attribute> effects;
  for (const checked::Effect &effect : function_.effects.all()) effects.push_back(builder_.getStringAttr(effect.str()));
  if (!effects.empty()) state.addAttribute("tsr.effects", builder_.getArrayAttr(effects));
  if (ArrayAttr specials = this->specials()) state.addAttribute("tsr.specials", specials);
  if (ArrayAttr indices = this->indices()) state.addAttribute("tsr.indices", indices);
  if (isKernel()) addKernelAttributes(state);
  if (!isHost()) state.addAttribute("tsr.numerics", numerics());
  if (DictionaryAttr consts = this->consts(); !consts.empty()) state.addAttribute("tsr.consts", consts);
  body_ = state.addRegion();
  body_->emplaceBlock().addArguments(inputs, places);
  Operation *op = builder_.create(state);
  body_ = &op->getRegion(0);
  return op;
}

}  // namespace tessera::irgen
