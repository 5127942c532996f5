// One graph function, or the two forms of one, as an entry function and its kernels.
#include "llvm/ADT/MapVector.h"
#include "transforms/schedule/Forms.h"
#include "transforms/schedule/Kernels.h"
#include "transforms/schedule/Loops.h"
#include "transforms/schedule/Sweep.h"
#include "transforms/schedule/TensorFunction.h"
#include "transforms/schedule/Updates.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

static Type viewOf(Type type) {
  return isa<TensorType>(type) ? ViewType::get(type.getContext(), shapeOf(type), elementTypeOf(type)) : type;
}

/// An entry function that launches nothing yet. `requirements`: of all who call it.
static schedule::FuncOp makeEntry(OpBuilder &builder, graph::FuncOp function, Attribute requirements) {
  MLIRContext *context = builder.getContext();
  OperationState state(function.getLoc(), schedule::FuncOp::getOperationName());
  for (StringRef name : {"sym_name", "dims", "signature", "doc", "deterministic", "tsr.numerics", "tsr.consts", "tsr.effects", "tsr.specials", "tsr.indices"})
    if (Attribute attribute = function->getAttr(name)) state.addAttribute(name, attribute);
  if (requirements) state.addAttribute("requirements", requirements);
  SmallVector<Attribute> params(function.getParams().begin(), function.getParams().end()), outputs;
  SmallVector<Type> types;
  Block &block = state.addRegion()->emplaceBlock();
  for (BlockArgument argument : function.entry().getArguments().take_front(params.size())) {
    types.push_back(viewOf(argument.getType()));
    block.addArgument(types.back(), argument.getLoc());
  }
  for (size_t i = 0; i < function.entry().getTerminator()->getNumOperands(); ++i) {
    if (function.output(i).getParam() >= 0) {  // what the function leaves in a parameter
      outputs.push_back(function.output(i));
      continue;
    }
    Type returned = function.output(i).getType();
    types.push_back(viewOf(returned));
    block.addArgument(types.back(), named(function.output(i).getName(), function.getLoc()));
    outputs.push_back(ResultAttr::get(context, function.output(i).getName(), cast<TensorType>(returned), params.size()));
    params.push_back(ParamAttr::get(context, function.output(i).getName(), ParamMode::Out, true, false, Attribute()));
  }
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(types, {})));
  state.addAttribute("params", builder.getArrayAttr(params));
  state.addAttribute("outputs", builder.getArrayAttr(outputs));
  return cast<schedule::FuncOp>(builder.create(state));
}

/// Numbers that the program writes out lie in memory that is only read, like parameters: they become further arguments of
/// the function's body. Their values, in that order.
static SmallVector<ArrayAttr> hoistTables(graph::FuncOp function) {
  SmallVector<ArrayAttr> values;
  llvm::MapVector<std::pair<Attribute, Type>, Value> known;  // written twice, they lie there once
  function.walk([&](graph::TableOp table) {
    Value &argument = known[{table.getValuesAttr(), table.getType()}];
    if (!argument) {
      argument = function.entry().addArgument(table.getType(), table.getLoc());
      values.push_back(table.getValuesAttr());
    }
    table.replaceAllUsesWith(argument);
    table.erase();
  });
  return values;
}

/// Behind the search for equal values, kernels are launched in the order of the program: what a value waits for has a kernel
/// before. Single numbers are not kept, but computed where they are read.
static void forgetOthers(graph::FuncOp function) {
  function.walk([](graph::AfterOp after) {
    after.getOthersMutable().clear();
    if (isa<TensorType>(after.getType())) return;
    after.replaceAllUsesWith(after.getOperand());
    after.erase();
  });
}

/// What has to be so before values are planned. The tables of its body, or nothing after a diagnostic.
static FailureOr<SmallVector<ArrayAttr>> prepare(graph::FuncOp function) {
  forgetOthers(function);
  SmallVector<ArrayAttr> tables = hoistTables(function);
  sumBehindLoops(function);
  if (failed(straighten(function))) return failure();
  readOwnPlaces(function);
  narrowCarries(function);
  dropWhatChangesNothing(function);
  foldBatches(function);  // first: a batch of single rows is a matrix
  expandVectorDots(function);
  expandVectorScatters(function);
  sortPlaces(function);  // of those that are left
  reduceApart(function);
  findFirstOnly(function);
  separatePlaces(function);  // when nothing joins reshapes any more
  splitReshapes(function);
  planSweeps(function);
  if (failed(planUpdates(function))) return failure();  // last: what was changed above is no update that can be seen
  return tables;
}

LogicalResult scheduleFunction(OpBuilder &builder, graph::FuncOp function, KernelNames &names) {
  SmallVector<graph::FuncOp> forms{function};
  if (graph::FuncOp other = otherFormOf(function)) forms.push_back(other);
  schedule::FuncOp entry = makeEntry(builder, function, forms.back()->getAttr("requirements"));
  for (graph::FuncOp form : forms) {
    FailureOr<SmallVector<ArrayAttr>> tables = prepare(form);
    if (failed(tables) || failed(FunctionScheduler(builder, form, names, std::move(*tables)).launchIn(entry))) return failure();
  }
  OpBuilder::atBlockEnd(&entry.getBody().front()).create<schedule::ReturnOp>(function.entry().getTerminator()->getLoc(), ValueRange());
  return success();
}

}  // namespace tessera::transforms
