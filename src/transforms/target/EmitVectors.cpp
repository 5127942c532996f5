// Vectors of one lane, rows that are held, and what a kernel is compiled for.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "transforms/target/Elementwise.h"
#include "transforms/target/KernelEmitter.h"
#include "transforms/target/KernelScope.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

/// The sizes in which the variants of a kernel differ are parameters of its template.
void KernelEmitter::declareVariants() {
  ArrayAttr variants = kernel_.getVariantsAttr();
  if (!variants) return;
  auto first = cast<DictionaryAttr>(variants[0]);
  std::vector<StringRef> order;
  for (StringRef size : {"vector", "held", "threads", "rows"}) {
    if (!first.contains(size)) continue;
    order.push_back(size);
    std::string name = names_.fresh(size.substr(0, 1).upper() + size.drop_front().str());
    constants_[size == "threads" ? "T.Threads" : ("T." + size).str()] = name;
    sizes_[name] = first.getAs<IntegerAttr>(size).getInt();
    templates_.push_back(name);
  }
  for (auto variant : variants.getAsRange<DictionaryAttr>()) {
    auto number = [&](StringRef size, int64_t usual) {
      auto value = variant.getAs<IntegerAttr>(size);
      return value ? value.getInt() : usual;
    };
    KernelInfo::Variant made;
    for (auto [size, name] : llvm::zip(order, templates_)) {
      made.arguments += (made.arguments.empty() ? "" : ", ") + std::to_string(number(size, 0));
      made.sizes.emplace(name, Dim(number(size, 0)));
    }
    made.threads = number("threads", kernel_.getGroup());
    made.rows = number("rows", 1);
    if (auto when = variant.getAs<ArrayAttr>("when"))
      made.when.assign(when.getAsRange<ir::RequirementAttr>().begin(), when.getAsRange<ir::RequirementAttr>().end());
    if (auto shared = variant.getAs<ir::DimAttr>("shared")) made.sharedBytes = shared.getDim();
    if (auto aligned = variant.getAs<DenseI64ArrayAttr>("aligned")) made.aligned = aligned.asArrayRef().vec();
    info_.variants.push_back(std::move(made));
  }
}

Type KernelEmitter::vectorType(Type type) {
  std::string element = dtypeText(ir::elementTypeOf(type)), vector = constants_.at("T.vector");
  if (isa<tile::LaneVectorType>(type)) return out::NamedType::get(context_, "tsr::Vector<" + element + ", " + vector + ">");
  std::string held = constants_.count("T.held") ? constants_["T.held"] : "0";
  if (isa<tile::KeptRowType>(type)) return out::NamedType::get(context_, "tsr::KeptRow<" + element + ", " + vector + ", " + held + ">");
  return heldRowType(type, heldRows_);
}

/// `number`: of the rows that the kernel holds, from 0.
Type KernelEmitter::heldRowType(Type type, int64_t number) {
  std::string sizes = ", " + constants_.at("T.vector") + ", " + (constants_.count("T.held") ? constants_["T.held"] : "0") + ", " + constants_.at("T.Threads");
  std::string last = number == 0 ? "" : ", " + std::to_string(number);
  return out::NamedType::get(context_, "tsr::HeldRow<" + dtypeText(ir::elementTypeOf(type)) + sizes + last + ">");
}

/// An element's position in row-major order. Without the last index, where its row begins.
ExprRef KernelEmitter::positionOf(Value base, ValueRange indices, bool flat) {
  ArrayRef<ir::DimAttr> shape = ir::shapeOf(base.getType());
  ExprRef at = typed(0);
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (i > 0) at = binary("*", at, dim(shape[i].getDim()));
    at = binary("+", at, scalar(index));
  }
  if (!flat && indices.size() + 1 == shape.size() && !indices.empty()) at = binary("*", at, dim(shape.back().getDim()));
  return bare(at);
}

ExprRef KernelEmitter::pointerTo(Value base, ValueRange indices, bool flat) {
  ExprRef pointer = bound_.lookup(base), at = positionOf(base, indices, flat);
  return asInteger(at) == 0 ? pointer : binary("+", pointer, at);
}

/// The parameters to which the groups' sums of columns are written, in the order of the kernel.
SmallVector<Value> KernelEmitter::columnSums() {
  llvm::SetVector<Value> found;
  kernel_.getBody().walk([&](tile::AddColumnOp op) { found.insert(op.getBase()); });
  return found.takeVector();
}

/// A row of a matrix by the number of the group: the next one can be asked for.
static bool isRowOfGroup(tile::HoldRowOp row) {
  auto query = row.getIndices().size() == 1 ? row.getIndices()[0].getDefiningOp<tile::QueryOp>() : tile::QueryOp();
  return query && query.getQuery() == "origin" && query.getAxis() == 0;
}

/// Groups take rows in turn, and keep sums of columns until all are through.
LogicalResult KernelEmitter::emitTurns(ArrayRef<Value> sums, llvm::function_ref<LogicalResult()> body) {
  Location place = ir::unnamed(kernel_.getLoc());
  auto word = [&](const char *text) { return castTo(indexType(), name(text, IntegerType::get(context_, 32, IntegerType::Unsigned))); };
  ExprRef first = word("blockIdx.x"), step = word("gridDim.x");
  Dim rows(1);
  for (const Dim &count : groupCounts_) rows = rows * count;
  info_.grid = inConstants(ir::shapeOf(sums.front().getType())[0].getDim()).str();
  info_.group = out_.getGroup();
  const std::string sizes = ", " + constants_.at("T.vector") + ", " + constants_.at("T.held") + ", " + constants_.at("T.Threads") + ">";
  for (Value memory : sums) {
    std::string type = "tsr::ColumnSums<" + dtypeText(ir::elementTypeOf(memory.getType())) + sizes;
    std::string parameter = kernel_.param(cast<BlockArgument>(memory).getArgNumber()).getName().str();
    ownSums_[memory] = declare(names_.fresh("own_" + parameter), out::NamedType::get(context_, type), "copy", {}, false, place);
  }
  kernel_.getBody().walk([&](tile::HoldRowOp row) {
    if (!isRowOfGroup(row)) return;
    std::string type = "tsr::RowsAhead<" + dtypeText(ir::elementTypeOf(row.getBase().getType())) + sizes;
    Indices arguments = {bound_.lookup(row.getBase()), first, dim(rows), dim(ir::shapeOf(row.getBase().getType())[1].getDim())};
    rowsAhead_[row] = declare(names_.fresh(ir::nameHint(row.getResult()).str() + "s"), out::NamedType::get(context_, type), "direct", arguments, false, row.getLoc());
  });
  {
    Value from = write(builder_, place, first), to = write(builder_, place, dim(rows)), by = write(builder_, place, step);
    Scope scope(*this);
    auto loop = builder_.create<out::ForOp>(place, names_.fresh("group"), from, to, by, IntegerAttr(), false, false);
    Block *inside = scope.enter(loop.getBody());
    group_ = valueOf(inside->addArgument(indexType(), place));
    nextGroup_ = binary("+", group_, step);
    if (failed(body())) return failure();
  }
  for (Value memory : sums) {
    ExprRef columns = dim(ir::shapeOf(memory.getType())[1].getDim());
    statement(method(ownSums_[memory], "store", {binary("+", bound_.lookup(memory), binary("*", first, columns)), columns}, none()), place);
  }
  return success();
}

LogicalResult KernelEmitter::emitVector(Operation &op) {
  if (isCpu()) return emitKeptRow(op);
  Location place = op.getLoc();
  std::string vector = constants_.at("T.vector");
  if (isa<tile::NewVectorOp, tile::NewRowOp>(op)) {
    Value made = op.getResult(0);
    bound_[made] = declare(nameFor(made), vectorType(made.getType()), "copy", {}, false, place);
  } else if (auto keep = dyn_cast<tile::KeepOp>(op)) {
    statement(method(bound_.lookup(keep.getRow()), "keep", {scalar(keep.getTurn()), scalar(keep.getIndex()), scalar(keep.getValue())}, none()), place);
  } else if (auto recall = dyn_cast<tile::RecallOp>(op)) {
    define(recall.getResult(), read(element(bound_.lookup(recall.getRow()), {scalar(recall.getTurn()), scalar(recall.getIndex())}, recall.getType())));
  } else if (auto load = dyn_cast<tile::LoadVectorOp>(op)) {
    ExprRef value = call("tsr::load_vector", {pointerTo(load.getBase(), load.getIndices(), load.getFlat())},
                         vectorType(load.getType()), {StringAttr::get(context_, vector)});
    bound_[load.getResult()] =
        declare(nameFor(load.getResult()), vectorType(load.getType()), "copy", {value}, true, place);
  } else if (auto store = dyn_cast<tile::StoreVectorOp>(op)) {
    ExprRef at = positionOf(store.getBase(), store.getIndices(), store.getFlat());
    statement(call("tsr::store_vector", {bound_.lookup(store.getBase()), at, bound_.lookup(store.getValue())}, none()), place);
  } else if (auto sum = dyn_cast<tile::AddColumnOp>(op)) {
    statement(method(ownSums_.lookup(sum.getBase()), "add", {scalar(sum.getIndices()[0]), scalar(sum.getIndices()[1]), scalar(sum.getValue())}, none()), place);
  } else if (auto row = dyn_cast<tile::HoldRowOp>(op); row && rowsAhead_.count(row)) {
    Type type = heldRowType(row.getType(), 0);
    bound_[row.getResult()] = declare(nameFor(row.getResult()), type, "copy", {method(rowsAhead_[row], "take", {nextGroup_}, type)}, true, place);
  } else if (auto row = dyn_cast<tile::HoldRowOp>(op)) {
    Indices arguments = {pointerTo(row.getBase(), row.getIndices(), false), scalar(row.getExtent())};
    bound_[row.getResult()] =
        declare(nameFor(row.getResult()), vectorType(row.getType()), "direct", arguments, true, place);
    ++heldRows_;
  } else if (auto part = dyn_cast<tile::RowVectorOp>(op)) {
    ExprRef held = bound_.lookup(part.getRow());
    ExprRef value = read(element(held, {scalar(part.getTurn())}, vectorType(part.getType())));
    bound_[part.getResult()] =
        declare(nameFor(part.getResult()), vectorType(part.getType()), "copy", {value}, true, place);
  } else {
    auto turns = cast<tile::RowTurnsOp>(op);
    std::string held = constants_.count("T.held") ? constants_["T.held"] : "0";
    std::vector<Attribute> templates;
    for (const std::string &text : {vector, held, constants_.at("T.Threads")})
      templates.push_back(StringAttr::get(context_, text));
    define(turns.getResult(), call("tsr::row_turns", {scalar(turns.getExtent())}, indexType(), templates));
  }
  return success();
}

}  // namespace tessera::transforms::totarget
