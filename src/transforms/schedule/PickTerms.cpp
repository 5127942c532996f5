// Sums that have one term: the one that a place names.
//
//   sum over axis k of select(places == iota k, x, 0)      x at the places, 0 where a place lies outside of the axis
//
// So cross entropy and its like find the number of a label: written as a sum it has a derivative that is computed element by element,
// and compares each element of a row with the label. It is done where x lies in memory, maybe in fewer bits: what is computed for the
// elements of a row anyway is not stored for one of them.
#include "ir/common/Names.h"
#include "ir/graph/Graph.h"
#include "mlir/Pass/Pass.h"
#include "transforms/schedule/MovedProducts.h"
#include "transforms/schedule/Passes.h"
#include "transforms/schedule/Shapes.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

bool isZero(Value value) {
  auto full = value.getDefiningOp<graph::FullOp>();
  auto constant = full ? full.getOperand().getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
  if (!constant) return false;
  if (auto number = dyn_cast<FloatAttr>(constant.getValue())) return number.getValue().isZero();
  auto number = dyn_cast<IntegerAttr>(constant.getValue());
  return number && number.getValue().isZero();
}

/// x under the casts with which it is read, if it lies in memory, in as few bits as it is rounded to; otherwise null.
Value inMemory(Value x) {
  auto isRead = [](graph::CastOp cast) { return cast && bitsOf(cast.getOperand().getType()) < bitsOf(cast.getType()); };
  for (auto cast = x.getDefiningOp<graph::CastOp>(); isRead(cast); cast = x.getDefiningOp<graph::CastOp>()) x = cast.getOperand();
  return isa<TensorType>(x.getType()) && (isa<BlockArgument>(x) || productUnder<graph::CastOp>(x)) ? x : Value();
}

/// The places of `one == other`, where one of the two counts along the axis and the other is the same all along it.
graph::BroadcastOp placesOf(Value condition, int64_t axis) {
  auto equal = condition.getDefiningOp<graph::ElementwiseOp>();
  if (!equal || equal.getMnemonic() != "eq" || !elementTypeOf(equal.getOperand(0).getType()).isSignlessInteger()) return {};
  for (int side : {0, 1}) {
    auto count = equal.getOperand(side).getDefiningOp<graph::IotaOp>();
    auto places = equal.getOperand(1 - side).getDefiningOp<graph::BroadcastOp>();
    if (!count || !places || static_cast<int64_t>(count.getAxis()) != axis || llvm::is_contained(places.getAxes(), axis)) continue;
    ArrayRef<DimAttr> shape = shapeOf(places.getType());
    if (llvm::all_of(llvm::zip(places.getAxes(), shapeOf(places.getOperand().getType())),
                     [&](auto axisAndExtent) { return shape[std::get<0>(axisAndExtent)] == std::get<1>(axisAndExtent); }))
      return places;
  }
  return {};
}

struct Term {
  Value from;                 // in memory
  graph::BroadcastOp places;  // along all axes but the sum's
  Value chosen;               // what is added up, from which `from` is cast
};

std::optional<Term> termOf(graph::ReduceOp sum) {
  if (sum.getMnemonic() != "sum" || sum.getAxes().size() != 1 || !isa<TensorType>(sum.getType())) return std::nullopt;
  auto select = sum.getOperand().getDefiningOp<graph::ElementwiseOp>();
  if (!select || select.getMnemonic() != "select" || !isZero(select.getOperand(2))) return std::nullopt;
  if (elementTypeOf(sum.getType()) != elementTypeOf(select.getType())) return std::nullopt;
  Term term{inMemory(select.getOperand(1)), placesOf(select.getOperand(0), sum.getAxes()[0]), select.getOperand(1)};
  return term.from && term.places ? std::optional(term) : std::nullopt;
}

Type withShape(ArrayRef<DimAttr> shape, Type element) { return TensorType::get(element.getContext(), shape, element); }

/// The element at the place, with the casts that were between it and the sum.
Value picked(OpBuilder &builder, graph::ReduceOp sum, Term term) {
  const int64_t axis = sum.getAxes()[0];
  Location loc = unnamed(sum.getLoc());
  DimAttr one = DimAttr::get(builder.getContext(), Dim(1));
  SmallVector<int64_t> axes(term.places.getAxes());
  SmallVector<DimAttr> placesShape(shapeOf(term.places.getOperand().getType())), shape(shapeOf(term.from.getType()));
  auto before = llvm::lower_bound(axes, axis);
  placesShape.insert(placesShape.begin() + (before - axes.begin()), one);
  axes.insert(before, axis);
  shape[axis] = one;
  Value places = term.places.getOperand();
  places = builder.create<graph::ReshapeOp>(loc, withShape(placesShape, elementTypeOf(places.getType())), places);
  if (Type index = builder.getI64Type(); elementTypeOf(places.getType()) != index)
    places = builder.create<graph::CastOp>(loc, withShape(placesShape, index), places, StringAttr(), UnitAttr());
  Value value = builder.create<graph::GatherOp>(sum.getLoc(), withShape(shape, elementTypeOf(term.from.getType())), axis, term.from, places, axes);
  SmallVector<graph::CastOp> casts;
  for (Value x = term.chosen; x != term.from; x = casts.back().getOperand()) casts.push_back(x.getDefiningOp<graph::CastOp>());
  for (graph::CastOp cast : llvm::reverse(casts)) {
    auto made = ::llvm::cast<graph::CastOp>(builder.clone(*cast.getOperation()));
    made.getOperandMutable().assign(value);
    made->setLoc(sum.getLoc());
    made.getResult().setType(::llvm::cast<TensorType>(withShape(shape, elementTypeOf(cast.getType()))));
    value = made.getResult();
  }
  return builder.create<graph::ReshapeOp>(sum.getLoc(), sum.getType(), value);
}

struct PickTerms : PassWrapper<PickTerms, OperationPass<graph::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PickTerms)
  StringRef getArgument() const override { return "graph-pick-terms"; }
  StringRef getDescription() const override { return "elements at a place for sums that have no other term"; }
  void runOnOperation() override {
    SmallVector<std::pair<graph::ReduceOp, Term>> sums;
    getOperation().walk([&](graph::ReduceOp sum) {
      if (auto term = termOf(sum)) sums.emplace_back(sum, *term);
    });
    for (auto &[sum, term] : sums) {
      OpBuilder builder(sum);
      sum.getResult().replaceAllUsesWith(picked(builder, sum, term));
      sum.erase();
    }
  }
};

}  // namespace

std::unique_ptr<Pass> createPickTermsPass() { return std::make_unique<PickTerms>(); }

}  // namespace tessera::transforms
