// Groups that take rows in turn, and keep sums of columns until all are through.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "ir/tile/HeldRows.h"
#include "transforms/target/flow/Scope.h"
#include "transforms/target/rows/Rows.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/sizes/Sizes.h"
#include "transforms/target/types/Types.h"
#include "transforms/target/values/Values.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace tile = tessera::ir::tile;
namespace out = tessera::ir::target;

namespace tessera::transforms::totarget {

SmallVector<Value> columnSums(Emission &em) {
  llvm::SetVector<Value> found;
  em.kernel.getBody().walk([&](tile::AddColumnOp op) { found.insert(op.getBase()); });
  return found.takeVector();
}

/// A row of a matrix by the number of the group: the next one can be asked for.
static bool isRowOfGroup(tile::HoldRowOp row) {
  auto query = row.getIndices().size() == 1 ? row.getIndices()[0].getDefiningOp<tile::QueryOp>() : tile::QueryOp();
  return query && query.getQuery() == "origin" && query.getAxis() == 0;
}

/// A word of the launch, as an index.
static ExprRef launchWord(Emission &em, const char *text) {
  return castTo(em.indexType(), name(text, IntegerType::get(em.context, 32, IntegerType::Unsigned)));
}

/// `for (group = first; group < rows; group += gridDim.x)`
static LogicalResult overRows(Emission &em, const ExprRef &first, const ExprRef &rows, llvm::function_ref<LogicalResult()> body) {
  Location place = ir::unnamed(em.kernel.getLoc());
  Value from = write(em.builder, place, first), to = write(em.builder, place, rows),
        by = write(em.builder, place, launchWord(em, "gridDim.x"));
  Scope scope(em);
  auto loop = em.builder.create<out::ForOp>(place, em.names.fresh("group"), from, to, by, IntegerAttr(), false, false);
  Block *inside = scope.enter(loop.getBody());
  em.grid->group = valueOf(inside->addArgument(em.indexType(), place));
  return body();
}

LogicalResult emitTurns(Emission &em, ArrayRef<Value> sums, llvm::function_ref<LogicalResult()> body) {
  Location place = ir::unnamed(em.kernel.getLoc());
  ExprRef first = launchWord(em, "blockIdx.x"), step = launchWord(em, "gridDim.x");
  Dim rows(1);
  for (const Dim &count : em.grid->counts) rows = rows * count;
  em.info.grid = inConstants(em, ir::shapeOf(sums.front().getType())[0].getDim()).str();
  em.info.group = em.out.getGroup();
  const std::string sizes = ", " + em.sizes->constants.at("T.vector") + ", " + em.sizes->constants.at("T.held") + ", " +
                            em.sizes->constants.at("T.Threads") + ">";
  for (Value memory : sums) {
    std::string type = "tsr::ColumnSums<" + dtypeText(em, ir::elementTypeOf(memory.getType())) + sizes;
    std::string parameter = em.kernel.param(cast<BlockArgument>(memory).getArgNumber()).getName().str();
    em.rows->ownSums[memory] = declare(em, em.names.fresh("own_" + parameter), out::NamedType::get(em.context, type),
                                       "copy", {}, false, place);
  }
  em.kernel.getBody().walk([&](tile::HoldRowOp row) {
    if (!em.kernel->hasAttr(tile::kRowsAhead) || !isRowOfGroup(row)) return;
    std::string type = "tsr::RowsAhead<" + dtypeText(em, ir::elementTypeOf(row.getBase().getType())) + sizes;
    Indices arguments = {em.values->bound.lookup(row.getBase()), first, dim(em, rows),
                         dim(em, ir::shapeOf(row.getBase().getType())[1].getDim())};
    em.rows->ahead[row] = declare(em, em.names.fresh(ir::nameHint(row.getResult()).str() + "s"),
                                  out::NamedType::get(em.context, type), "direct", arguments, false, row.getLoc());
  });
  LogicalResult emitted = overRows(em, first, dim(em, rows), [&] {
    em.rows->nextGroup = binary("+", em.grid->group, step);
    return body();
  });
  if (failed(emitted)) return failure();
  for (Value memory : sums) {
    ExprRef columns = dim(em, ir::shapeOf(memory.getType())[1].getDim());
    statement(em,
              method(em.rows->ownSums[memory], "store",
                     {binary("+", em.values->bound.lookup(memory), binary("*", first, columns)), columns}, em.none()),
              place);
  }
  return success();
}

LogicalResult emitNextRows(Emission &em, ExprRef first, ExprRef rows, llvm::function_ref<LogicalResult()> body) {
  return overRows(em, first, rows, [&] {
    if (failed(body())) return failure();
    Location place = ir::unnamed(em.kernel.getLoc());
    Type word = IntegerType::get(em.context, 32);
    ExprRef hasOne = compare("!=", name(em.sizes->constants.at("T.held"), word), name("tsr::kAhead", word));
    auto leave = em.builder.create<out::IfOp>(place, write(em.builder, place, hasOne));
    OpBuilder::InsertionGuard guard(em.builder);
    em.builder.createBlock(&leave.getThenBody());
    em.builder.create<out::BreakOp>(place);
    return success();
  });
}

}  // namespace tessera::transforms::totarget
