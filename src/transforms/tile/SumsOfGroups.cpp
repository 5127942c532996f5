// Kernels that add up what groups have added up (SumBesideRows.cpp).
#include "ir/common/Names.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/tile/LoopOverParts.h"
#include "transforms/tile/SumBesideRows.h"
#include "transforms/tile/VectorForm.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

Value addParameter(tile::KernelOp kernel, Type type, StringRef wanted, ParamMode mode) {
  Builder builder(kernel->getContext());
  SmallVector<Attribute> params(kernel.getParams().begin(), kernel.getParams().end());
  std::string name = wanted.str();
  for (int number = 2; llvm::any_of(params, [&](Attribute param) { return cast<ParamAttr>(param).getName() == name; }); ++number)
    name = (wanted + Twine(number)).str();
  params.push_back(ParamAttr::get(builder.getContext(), name, mode, mode == ParamMode::Out, false, Attribute()));
  Value made = kernel.getBody().addArgument(type, named(name, kernel.getLoc()));
  kernel->setAttr("params", builder.getArrayAttr(params));
  kernel->setAttr("function_type", TypeAttr::get(builder.getFunctionType(kernel.getBody().getArgumentTypes(), {})));
  return made;
}

void takeParts(OpBuilder &builder, SumKernel &sums, ArrayRef<ViewType> parts) {
  SmallVector<Value> memory;
  for (auto [type, result] : llvm::zip(parts, sums.loop.getResults())) memory.push_back(addParameter(sums.kernel, type, sums.nameOf(result) + "_parts", ParamMode::In));
  builder.setInsertionPoint(sums.loop);
  const Dim groups = parts.front().getShape()[0].getDim();
  bool areFew = groups.isConstant() && groups.constant() <= kFewParts;
  Location place = sums.loop.getLoc();
  Value count = groups.isConstant() ? builder.create<tile::ConstantOp>(place, builder.getIndexType(), builder.getIndexAttr(groups.constant())).getResult()
                                    : builder.create<tile::DimOp>(place, builder.getIndexType(), groups.str()).getResult();
  loopOverParts(builder, sums.loop, memory, sums.column, count)->setAttr(areFew ? kSplit : kAddsParts, builder.getUnitAttr());
}

SumKernel include(OpBuilder &builder, SumKernel &sums, SumKernel &other) {
  tile::KernelOp kernel = sums.kernel;
  IRMapping mapping;
  SmallVector<Attribute> outputs(kernel.getOutputs().begin(), kernel.getOutputs().end());
  auto before = static_cast<int64_t>(kernel.getBody().getNumArguments());
  for (auto [i, argument] : llvm::enumerate(other.kernel.getBody().getArguments())) {
    ParamAttr param = other.kernel.param(static_cast<int64_t>(i));
    mapping.map(argument, addParameter(kernel, argument.getType(), param.getName(), param.getMode()));
  }
  for (auto output : other.kernel.getOutputs().getAsRange<ResultAttr>())
    outputs.push_back(ResultAttr::get(builder.getContext(), kernel.param(before + output.getParam()).getName(), output.getType(), before + output.getParam()));
  kernel->setAttr("outputs", builder.getArrayAttr(outputs));
  mapping.map(other.column, sums.column);
  scf::IfOp guard = *kernel.getBody().front().getOps<scf::IfOp>().begin(), from = cast<scf::IfOp>(other.loop->getParentOp());
  builder.setInsertionPoint(guard);
  for (Operation &op : *from->getBlock())
    if (isa<tile::ConstantOp, tile::DimOp>(op)) builder.clone(op, mapping);
  auto stores = guard.thenBlock()->getOps<tile::StoreElementOp>();
  Operation *firstStore = stores.empty() ? guard.thenYield().getOperation() : (*stores.begin()).getOperation();
  for (Operation &op : from.thenBlock()->without_terminator()) {  // loops before what is stored, so that they can be joined
    builder.setInsertionPoint(isa<tile::StoreElementOp>(op) ? guard.thenYield().getOperation() : firstStore);
    builder.clone(op, mapping);
  }
  return {kernel, mapping.lookup(other.loop.getResult(0)).getDefiningOp<scf::ForOp>(), sums.column, other.rows, other.columns, {}, {}};
}

}  // namespace tessera::transforms
