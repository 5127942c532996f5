// What a variable of the compiler's own is called: after the values that it is made of.
#include "ir/common/Common.h"
#include "ir/common/Conversions.h"
#include "ir/common/Names.h"
#include "transforms/target/sizes/Grid.h"
#include "transforms/target/values/Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
namespace tile = tessera::ir::tile;

namespace tessera::transforms::totarget {

static bool isConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<tile::BroadcastOp>()) return isConstant(broadcast.getValue());
  if (auto fill = value.getDefiningOp<tile::FillOp>()) return isConstant(fill.getValue());
  if (auto cast = value.getDefiningOp<tile::CastOp>()) return isConstant(cast.getValue());
  return isa_and_nonnull<tile::ConstantOp, tile::DimOp>(value.getDefiningOp());
}

static StringRef joined(StringRef mnemonic) {
  return llvm::StringSwitch<StringRef>(mnemonic)
      .Case("add", "plus")
      .Case("sub", "minus")
      .Case("mul", "times")
      .Case("div", "over")
      .Default("");
}

static StringRef noun(StringRef mnemonic) {
  return llvm::StringSwitch<StringRef>(mnemonic)
      .Case("add", "sum")
      .Case("sub", "difference")
      .Case("mul", "product")
      .Cases("div", "floordiv", "quotient")
      .Case("mod", "remainder")
      .Default(mnemonic);
}

/// The name of the value that this one is mainly made of, or "".
static std::string describe(Emission &em, Value value) {
  StringRef hint = ir::nameHint(value);
  if (!hint.empty() && hint != "_") return hint.str();
  if (Storage *storage = em.values->plan.storage(value); storage && !storage->hint.empty()) return storage->hint;
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<tile::CastOp>(op)) return describe(em, cast.getValue());
  if (auto broadcast = dyn_cast_or_null<tile::BroadcastOp>(op)) return describe(em, broadcast.getValue());
  if (auto load = dyn_cast_or_null<tile::LoadElementOp>(op)) return ir::nameHint(load.getBase()).str();
  if (auto reduce = dyn_cast_or_null<tile::GroupReduceOp>(op)) return describe(em, reduce.getValue());
  if (auto extreme = dyn_cast_or_null<tile::ExtremeOp>(op)) {
    StringRef hint = ir::nameHint(extreme.getExtremes());
    return hint.consume_front("lane_") ? hint.str() : "";
  }
  auto elementwiseOp = dyn_cast_or_null<tile::ElementwiseOp>(op);
  if (!elementwiseOp) return "";
  auto args = elementwiseOp.getArgs();
  if (args.size() == 1) return describe(em, args[0]);
  if (args.size() == 3) return describe(em, args[1]);
  if (isConstant(args[1])) return describe(em, args[0]);
  return isConstant(args[0]) ? describe(em, args[1]) : "";
}

static std::string typeWord(Type type) {
  auto dtype = ir::dtypeOf(ir::elementTypeOf(type));
  return dtype ? std::string(name(*dtype)) : "index";
}

/// Two short names joined: x_plus_b; or "".
static std::string joinedName(Emission &em, tile::ElementwiseOp op) {
  auto args = op.getArgs();
  if (args.size() != 2 || joined(op.getMnemonic()).empty()) return "";
  std::string left = describe(em, args[0]), right = describe(em, args[1]);
  if (left.empty() || right.empty() || left.size() + right.size() > 12) return "";
  return left + "_" + joined(op.getMnemonic()).str() + "_" + right;
}

static std::string elementwiseName(Emission &em, tile::ElementwiseOp op) {
  StringRef mnemonic = op.getMnemonic();
  auto args = op.getArgs();
  Value result = op.getResult();
  bool fragment = isa<tile::FragmentType>(result.getType());
  if (ir::elementTypeOf(result.getType()).isInteger(1))
    return fragment ? mnemonic == "lt" ? "inside" : "mask" : "holds";
  std::string about = describe(em, result);
  if (mnemonic == "select") {
    if (about.empty()) return "chosen";
    return about + "_" + (args[1].getDefiningOp<tile::CastOp>() ? typeWord(result.getType()) : "masked");
  }
  if (args.size() == 1) return about.empty() ? (mnemonic + "_value").str() : about + "_" + mnemonic.str();
  if (isa<IndexType>(result.getType()) && !about.empty()) {
    if (mnemonic == "add") return about + "_next";
    if (mnemonic == "sub" && isConstant(args[0])) return "other_" + about;
  }
  if (std::string both = joinedName(em, op); !both.empty()) return both;
  if (isa<IndexType>(result.getType()) && about.empty()) return "index";
  return about.empty() ? noun(mnemonic).str() : about + "_" + noun(mnemonic).str();
}

std::string nameFor(Emission &em, Value value) {
  StringRef hint = ir::nameHint(value);
  Operation *op = value.getDefiningOp();
  auto element = dyn_cast_or_null<tile::LoadElementOp>(op);
  bool ofTensor = element && hint == ir::nameHint(element.getBase());  // an element of x that is called x, too
  auto elementwiseOp = dyn_cast_or_null<tile::ElementwiseOp>(op);
  if (!hint.empty() && hint != "_" && !ofTensor) {
    // A value x of a function that was traced, beside a parameter x.
    if (elementwiseOp && em.names.has(hint) && hint.size() == 1)
      if (std::string both = joinedName(em, elementwiseOp); !both.empty()) return em.names.fresh(both);
    return em.names.declare(hint);
  }
  auto suffixed = [&](Value of, StringRef suffix, StringRef otherwise) {
    std::string base = describe(em, of);
    return em.names.fresh(base.empty() ? otherwise.str() : base + "_" + suffix.str());
  };
  if (auto reduce = dyn_cast_or_null<tile::GroupReduceOp>(op)) {
    if (reduce.getValue().getDefiningOp<tile::ExtremeOp>())
      if (std::string known = describe(em, reduce.getValue()); !known.empty()) return em.names.fresh(known);
    Storage *storage = em.values->plan.storage(reduce.getValue());
    if (storage && storage->reduction) return em.names.fresh(storage->hint);
    return suffixed(reduce.getValue(), reduce.getReduction(), ("group_" + reduce.getReduction()).str());
  }
  if (auto reduce = dyn_cast_or_null<tile::ReduceOp>(op)) {
    auto from = cast<tile::FragmentType>(reduce.getValue().getType());
    StringRef kind = from.getRank() == 1 ? "vector_" : reduce.getAxis() == 0 ? "column_" : "row_";
    return suffixed(reduce.getValue(), reduce.getReduction(), (kind + reduce.getReduction()).str());
  }
  if (auto cast = dyn_cast_or_null<tile::CastOp>(op))
    return suffixed(cast.getValue(), typeWord(cast.getType()), "as_" + typeWord(cast.getType()));
  if (element) {
    StringRef at = element.getIndices().empty() ? "" : ir::nameHint(element.getIndices().back());
    auto constant = element.getIndices().empty() ? tile::ConstantOp()
                                                 : element.getIndices().back().getDefiningOp<tile::ConstantOp>();
    if (at.empty() && constant)
      return suffixed(element.getBase(), std::to_string(cast<IntegerAttr>(constant.getValue()).getInt()), "loaded");
    return suffixed(element.getBase(), at.empty() ? "i" : at, "loaded");
  }
  if (auto load = dyn_cast_or_null<tile::LoadFragmentOp>(op)) return suffixed(load.getBase(), "part", "part");
  if (auto load = dyn_cast_or_null<tile::ReadSharedOp>(op)) return suffixed(load.getBase(), "part", "part");
  if (auto query = dyn_cast_or_null<tile::QueryOp>(op)) {
    ir::GridAttr grid = em.kernel.getGrid();
    if (query.getQuery() == "linear_id") return em.names.fresh("i");
    if (query.getQuery() != "origin" || grid.getKind() != ir::GridKind::Output) return em.names.fresh(query.getQuery());
    // After the dimension that it runs along: m0 along M.
    std::string extent = ir::shapeOf(em.kernel.getArgumentTypes()[grid.getParam()])[query.getAxis()].getText().str();
    bool plain = extent.size() == 1 && llvm::isAlpha(extent[0]);
    return em.names.fresh(plain ? StringRef(extent).lower() + "0" : "origin");
  }
  return em.names.fresh(elementwiseOp ? elementwiseName(em, elementwiseOp) : "value");
}

}  // namespace tessera::transforms::totarget
