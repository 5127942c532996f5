// Strategy "sort": one group finds the order of one row; of a long one all groups together (RadixSort.cpp). What is sorted lies in memory, and so
// does the order. The first places of few long rows are found in parts, a group each; one group then finds the first of those.
#include "support/Machine.h"
#include "transforms/schedule/TensorFunction.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {
// A group finds the first places of a row that is no longer, and of many longer ones.
constexpr int64_t kLongestOfGroup = 16384, kPartOfLongRow = 4096, kManyRows = 512;
constexpr int64_t kLongestInParts = int64_t(1) << 32;
}  // namespace

LogicalResult FunctionScheduler::sortKernel(graph::ArgsortOp op, Value target) {
  Value keys = op.getOperand();
  if (!leaves_.count(keys) && failed(makeRoot(keys))) return failure();
  if (leaves_.lookup(keys) == target) return op.emitError("the order of a tensor cannot be written over the tensor");
  std::optional<Attribute> inParts = findsInParts(op);
  if (!inParts) return longSort(op, target, [&] { return sortByGroups(op, target); });
  if (*inParts) when_.push_back(*inParts);
  LogicalResult made = firstInParts(op, target);
  if (!*inParts || failed(made)) return made;
  when_.back() = negated(*inParts);
  made = sortByGroups(op, target);
  when_.pop_back();
  return made;
}

/// Under which sizes: rows so long, and so few, that most groups of the machine would wait for a group a row. Null: always; nothing: never.
std::optional<Attribute> FunctionScheduler::findsInParts(graph::ArgsortOp op) {
  ArrayRef<DimAttr> shape = op.getType().getShape();
  const Machine *machine = machineOf(function_);
  if (!machine || machine->family == Target::Cpu || shape == op.getOperand().getType().getShape()) return std::nullopt;
  MLIRContext *context = op.getContext();
  const Dim extent = op.getOperand().getType().getShape().back().getDim();
  Dim rows(1);
  for (DimAttr dim : shape.drop_back()) rows = rows * dim.getDim();
  SmallVector<Attribute> all;
  auto needs = [&](const Dim &a, const Dim &b) {  // a < b
    if (a.isConstant() && b.isConstant()) return a.constant() < b.constant();
    all.push_back(RequirementAttr::get(context, DimAttr::get(context, a), Relation::Lt, DimAttr::get(context, b), ""));
    return true;
  };
  if (!needs(Dim(kLongestOfGroup), extent) || !needs(extent, Dim(kLongestInParts)) || !needs(rows, Dim(kManyRows))) return std::nullopt;
  if (extent.isVar())
    if (auto most = greatestOf(extent.varName(), function_.getRequirements()); most && *most <= kLongestOfGroup) return std::nullopt;
  if (all.size() <= 1) return all.empty() ? Attribute() : all.front();
  all.insert(all.begin(), builder_.getStringAttr("and"));
  return Attribute(builder_.getArrayAttr(all));
}

LogicalResult FunctionScheduler::firstInParts(graph::ArgsortOp op, Value target) {
  MLIRContext *context = builder_.getContext();
  Location line = unnamed(op.getLoc());
  Value keys = op.getOperand();
  const int64_t first = op.getType().getShape().back().getDim().constant();
  SmallVector<DimAttr> leading(op.getType().getShape().drop_back());
  const Dim parts = Dim::ceilDiv(cast<TensorType>(keys.getType()).getShape().back().getDim(), Dim(kPartOfLongRow));
  SmallVector<DimAttr> ofParts(leading), held(leading);
  ofParts.push_back(DimAttr::get(context, parts));
  held.push_back(DimAttr::get(context, parts * Dim(first)));
  Dim lanes = parts * Dim(kLaneGroup);
  for (DimAttr dim : leading) lanes = lanes * dim.getDim();
  Value firsts = launchOp<schedule::TempOp>(named("firsts", line), ViewType::get(context, held, builder_.getI64Type()));
  auto kernelOf = [&](const Dim &lanes, Value to, const char *reason, ArrayRef<Value> beside) {
    return beginKernel(op.getResult(), GridAttr::get(context, GridKind::Lanes, DimAttr::get(context, lanes), -1), to, {reason}, true, {},
                       schedule::KernelOp::getOperationName(), keys, {}, {beside, /*asHeld=*/true});
  };
  auto body = [&](Kernel &kernel, ArrayRef<DimAttr> shape, bool isPart) {
    OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
    Privatiser privatiser(builder, kernel.leaves);
    Value group = builder.create<graph::QueryOp>(named("group", line), builder.getIndexType(), "group_id", 0);
    SmallVector<Value> row;
    for (const Index &index : privatiser.delinearize(group, shape, line, /*naming=*/true)) row.push_back(index.at ? index.at : privatiser.constantIndex(0, line));
    Value part = isPart ? row.pop_back_val() : Value();
    if (part) part.setLoc(named("part", line));
    builder.create<schedule::ArgsortRowOp>(op.getLoc(), kernel.leaves.lookup(keys), kernel.target, row, part, isPart ? Value() : kernel.beside.front(),
                                           op.getDescending(), isPart ? first : 0, isPart ? kPartOfLongRow : 0);
    builder.create<schedule::KernelEndOp>(line);
  };
  Kernel ofPart = kernelOf(lanes, firsts, "one group finds the first places of a part of a row", {});
  body(ofPart, ofParts, true);
  Dim rows(kLaneGroup);
  for (DimAttr dim : leading) rows = rows * dim.getDim();
  Kernel ofRow = kernelOf(rows, target, "one group finds the first of the places that the parts of a row have", {firsts});
  body(ofRow, leading, false);
  return success();
}

LogicalResult FunctionScheduler::sortByGroups(graph::ArgsortOp op, Value target) {
  Location loc = op.getLoc();
  MLIRContext *context = builder_.getContext();
  Value keys = op.getOperand();
  ArrayRef<DimAttr> shape = op.getType().getShape();
  bool isWhole = shape == op.getOperand().getType().getShape();
  SmallVector<DimAttr> tile(shape);
  std::fill(tile.begin(), tile.end() - 1, DimAttr::get(context, Dim(1)));
  Kernel kernel = beginKernel(op.getResult(), GridAttr::get(context, GridKind::Output, tile, 0), target,
                              {isWhole ? "one group sorts a row" : "one group finds the first places of a row"}, false, {}, schedule::KernelOp::getOperationName(), keys);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.op->getRegion(0).front());
  Privatiser privatiser(builder, kernel.leaves);
  SmallVector<Value> row;
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
    row.push_back(isUnit(shape[axis])
                      ? privatiser.constantIndex(0, loc)
                      : builder.create<graph::QueryOp>(named(shape.size() == 2 ? "row" : "", loc), builder.getIndexType(), "origin", axis).getResult());
  builder.create<schedule::ArgsortRowOp>(loc, kernel.leaves.lookup(keys), kernel.target, row, Value(), Value(), op.getDescending(), 0, 0);
  builder.create<schedule::KernelEndOp>(loc);
  return success();
}

}  // namespace tessera::transforms
