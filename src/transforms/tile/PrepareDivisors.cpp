// Divisions that each lane does by extents of tensors, to know where its element lies.
//
//   b = i / (C * H * W), c = i / (H * W) % C, h = i / W % H, w = i % W        x[b, c, h, w]
//   b = i / W / H / C,   c = i / W / H % C,   h = i / W % H, w = i % W        quotients are shared
//                                             h = i / W % H, w = i % W        x[i / W / H, h, w]: c is where b left off
//
// A GPU has no instruction that divides. The launch knows the extents: it passes numbers by which a quotient is a product
// (include/tessera/device/divisor.h).
#include "ir/tile/Divisors.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "ir/common/Names.h"
#include "llvm/ADT/StringSwitch.h"
#include "transforms/tile/EraseUnused.h"
#include "transforms/tile/KernelFacts.h"
#include "transforms/tile/Passes.h"
#include <map>
#include <set>
#include <vector>

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

using Factors = SmallVector<Dim, 4>;  // of a divisor, the outermost extent first

/// Extents and numbers that are multiplied; nothing where something else is.
bool collectFactors(Value value, Factors &factors) {
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<tile::DimOp>(op)) {
    std::optional<Dim> parsed = Dim::parse(dim.getDim().str());
    if (parsed) factors.push_back(*parsed);
    return parsed.has_value();
  }
  if (auto constant = dyn_cast_or_null<tile::ConstantOp>(op)) {
    auto number = dyn_cast<IntegerAttr>(constant.getValue());
    if (number) factors.push_back(Dim(number.getInt()));
    return number != nullptr;
  }
  auto product = dyn_cast_or_null<tile::ElementwiseOp>(op);
  return product && product.getMnemonic() == "mul" && collectFactors(product.getArgs()[0], factors) &&
         collectFactors(product.getArgs()[1], factors);
}

Dim productOf(ArrayRef<Dim> factors) {
  Dim product(1);
  for (const Dim &factor : factors) product = product * factor;
  return product;
}

tile::ElementwiseOp divisionOf(Value value, StringRef mnemonic) {
  auto op = value.getDefiningOp<tile::ElementwiseOp>();
  return op && op.getMnemonic() == mnemonic && isa<IndexType>(op.getType()) ? op : tile::ElementwiseOp();
}

/// Of an index.
bool isDivision(Operation *op) {
  auto known = dyn_cast<tile::ElementwiseOp>(op);
  return known && (divisionOf(known, "floordiv") || divisionOf(known, "mod"));
}

/// Computed alike of the same values.
bool isSame(Value a, Value b) {
  if (a == b) return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || !isPure(first) || first->getNumRegions() != 0) return false;
  return OperationEquivalence::isEquivalentTo(
      first, second, [](Value x, Value y) { return success(isSame(x, y)); }, nullptr,
      OperationEquivalence::IgnoreLocations);
}

struct Division {
  tile::ElementwiseOp op;
  Factors factors;  // empty where something else divides
  Value numerator() { return op.getArgs()[0]; }
};

class Preparer {
public:
  explicit Preparer(tile::KernelOp kernel) : kernel_(kernel), builder_(kernel->getContext()), facts_(kernel) {}

  void run() {
    findDivisions();
    for (Division &division : divisions_) shareQuotients(division);
    for (BlockArgument argument : kernel_.getBody().getArguments()) joinAxes(argument);
    eraseUnused(kernel_);
    findDivisions();
    for (Division &division : divisions_) prepare(division);
    giveSizes();
    kernel_.getBody().walk([&](scf::ForOp loop) { hoist(loop); });
    eraseUnused(kernel_);
  }

private:
  void findDivisions() {
    divisions_.clear();
    kernel_.getBody().walk([&](tile::ElementwiseOp op) {
      if (!isDivision(op)) return;
      Division &made = divisions_.emplace_back(Division{op, {}});
      if (!collectFactors(op.getArgs()[1], made.factors)) made.factors.clear();
    });
  }

  // ---- quotients of quotients

  static bool endsWith(ArrayRef<Dim> factors, ArrayRef<Dim> inner) { return factors.size() > inner.size() && factors.take_back(inner.size()) == inner; }

  /// How many factors the longest part of the divisor has, from its innermost one on, by which the same number is divided elsewhere.
  size_t sharedFactors(Value numerator, ArrayRef<Dim> factors) {
    size_t longest = 0;
    for (Division &other : divisions_)
      if (other.numerator() == numerator && endsWith(factors, other.factors)) longest = std::max<size_t>(longest, other.factors.size());
    return longest;
  }
  bool isShared(Value numerator, ArrayRef<Dim> factors) {
    return llvm::any_of(divisions_, [&](Division &other) { return other.numerator() == numerator && endsWith(other.factors, factors); });
  }

  Value divisor(ArrayRef<Dim> factors, Location loc) {
    Dim product = productOf(factors);
    if (product.isConstant())
      return builder_.create<tile::ConstantOp>(loc, builder_.getIndexType(), builder_.getIndexAttr(product.constant()));
    return builder_.create<tile::DimOp>(loc, builder_.getIndexType(), product.str());
  }

  Value divided(Value numerator, ArrayRef<Dim> factors, Location loc) {
    return builder_.create<tile::ElementwiseOp>(loc, builder_.getIndexType(), "floordiv", ValueRange{numerator, divisor(factors, unnamed(loc))});
  }

  /// Before the first division of the number, where all of them see it.
  void insertBeforeDivisions(Value numerator) {
    Operation *first = nullptr;
    for (Division &other : divisions_) {
      if (other.numerator() != numerator) continue;
      if (!first) first = other.op;
      while (!first->getBlock()->findAncestorOpInBlock(*other.op)) first = first->getParentOp();
    }
    builder_.setInsertionPoint(first);
  }

  /// numerator / factors, from a quotient that is needed anyway where there is one. Each is computed once.
  Value quotient(Value numerator, ArrayRef<Dim> factors, Location loc) {
    Value &known = quotients_[{numerator.getAsOpaquePointer(), productOf(factors).str()}];
    if (known) return known;
    const size_t shared = sharedFactors(numerator, factors);
    if (!shared) {
      insertBeforeDivisions(numerator);
      return known = divided(numerator, factors, nameHint(loc).empty() && factors.size() == 1 && !factors[0].isConstant() ? named("row", unnamed(loc)) : loc);
    }
    Value of = quotient(numerator, factors.take_back(shared), unnamed(loc));
    builder_.setInsertionPointAfter(of.getDefiningOp());
    const bool isPlane = nameHint(loc).empty() && nameHint(of) == "row" && factors.size() == shared + 1;
    Value made = divided(of, factors.drop_back(shared), isPlane ? named("plane", unnamed(loc)) : loc);
    return quotients_[{numerator.getAsOpaquePointer(), productOf(factors).str()}] = made;
  }

  void shareQuotients(Division &division) {
    Value numerator = division.numerator();
    const Factors &factors = division.factors;
    if (division.op.getMnemonic() != "floordiv" || factors.empty() || !facts_.isNonNegative(numerator)) return;
    if (sharedFactors(numerator, factors) || isShared(numerator, factors))
      division.op.getResult().replaceAllUsesWith(quotient(numerator, factors, division.op.getLoc()));  // it stays, for others to find, until the end
  }

  // ---- axes that the indices take apart and the tensor puts together

  /// x in x / extent and x % extent.
  Value whole(Value outer, Value inner, const Dim &extent) {
    tile::ElementwiseOp high = divisionOf(outer, "floordiv"), low = divisionOf(inner, "mod");
    if (!high || !low) return {};
    Factors by, below;
    if (!collectFactors(high.getArgs()[1], by) || !collectFactors(low.getArgs()[1], below)) return {};
    bool fits = productOf(by) == extent && productOf(below) == extent && isSame(high.getArgs()[0], low.getArgs()[0]);
    return fits ? high.getArgs()[0] : Value();
  }

  template <class F> static bool withIndices(Operation *op, Value base, F f) {
    auto each = [&](auto access) { return access && access.getBase() == base && f(access); };
    return each(dyn_cast<tile::LoadElementOp>(op)) || each(dyn_cast<tile::StoreElementOp>(op)) || each(dyn_cast<tile::LoadVectorOp>(op)) ||
           each(dyn_cast<tile::StoreVectorOp>(op));
  }
  template <class Op> static constexpr bool isElement = std::is_same_v<Op, tile::LoadElementOp> || std::is_same_v<Op, tile::StoreElementOp>;

  bool takeTogether(BlockArgument argument, size_t axis, const Dim &extent) {
    return llvm::all_of(argument.getUsers(), [&](Operation *user) {
      return withIndices(user, argument, [&](auto access) {
        if constexpr (!isElement<decltype(access)>) {
          if (access.getFlat()) return true;
        } else if (!access.isInBounds(axis) || !access.isInBounds(axis + 1)) {
          return false;
        }
        return bool(whole(access.getIndices()[axis], access.getIndices()[axis + 1], extent));
      });
    });
  }

  void join(BlockArgument argument, size_t axis, const Dim &extent) {
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
      withIndices(user, argument, [&](auto access) {
        if constexpr (!isElement<decltype(access)>)
          if (access.getFlat()) return true;
        SmallVector<Value> indices(access.getIndices());
        indices[axis] = whole(indices[axis], indices[axis + 1], extent);
        indices.erase(indices.begin() + axis + 1);
        access.getIndicesMutable().assign(indices);
        if constexpr (isElement<decltype(access)>) {
          SmallVector<bool> inside(*access.getInBounds());
          inside.erase(inside.begin() + axis + 1);
          access.setInBounds(ArrayRef<bool>(inside));
        }
        return true;
      });
    SmallVector<DimAttr> shape(shapeOf(argument.getType()));
    shape[axis] = DimAttr::get(builder_.getContext(), shape[axis].getDim() * extent);
    shape.erase(shape.begin() + axis + 1);
    argument.setType(ViewType::get(builder_.getContext(), shape, elementTypeOf(argument.getType())));
    SmallVector<Type> types(kernel_.getBody().getArgumentTypes());
    kernel_.setFunctionType(builder_.getFunctionType(types, {}));
    SmallVector<Attribute> outputs(kernel_.getOutputs().getValue());
    for (Attribute &output : outputs) {
      auto result = cast<ResultAttr>(output);
      if (result.getParam() != static_cast<int64_t>(argument.getArgNumber())) continue;
      auto type = TensorType::get(builder_.getContext(), shape, elementTypeOf(argument.getType()));
      output = ResultAttr::get(builder_.getContext(), result.getName(), type, result.getParam());
    }
    kernel_.setOutputsAttr(builder_.getArrayAttr(outputs));
  }

  void joinAxes(BlockArgument argument) {
    auto view = dyn_cast<ViewType>(argument.getType());
    bool isGrid = kernel_.getGrid().getParam() == static_cast<int64_t>(argument.getArgNumber());
    if (!view || view.getPlaces() || isGrid || argument.use_empty()) return;
    for (size_t axis = 0; axis + 1 < shapeOf(argument.getType()).size();) {
      const Dim extent = shapeOf(argument.getType())[axis + 1].getDim();
      if (takeTogether(argument, axis, extent)) join(argument, axis, extent);
      else ++axis;
    }
  }

  // ---- divisors

  /// Whether lanes or turns of a loop have different ones: what a group divides once is not worth a parameter.
  bool varies(Value value) {
    auto [known, isNew] = varies_.try_emplace(value, true);
    if (!isNew) return known->second;
    Operation *op = value.getDefiningOp();
    bool result = true;
    if (auto query = dyn_cast_or_null<tile::QueryOp>(op)) result = query.isVarying();
    else if (isa_and_nonnull<tile::DimOp, tile::ConstantOp>(op)) result = false;
    else if (isa_and_nonnull<tile::ElementwiseOp, tile::CastOp>(op))
      result = llvm::any_of(op->getOperands(), [&](Value operand) { return varies(operand); });
    return varies_[value] = result;
  }

  void prepare(Division &division) {
    tile::ElementwiseOp op = division.op;
    Value numerator = division.numerator(), by = op.getArgs()[1];
    if (division.factors.empty() || !varies(numerator)) return;
    const Dim product = productOf(division.factors);
    if (product.isConstant() || hasScheduleSizes(product)) return;
    if (!facts_.isNonNegative(numerator) || !facts_.isNonNegative(by) || !facts_.mayDivide(by)) return;
    builder_.setInsertionPoint(op);
    auto dim = builder_.create<tile::DimOp>(unnamed(op.getLoc()), builder_.getIndexType(), product.str());
    dim->setAttr(tile::kDivides, builder_.getUnitAttr());
    op.setOperand(1, dim);
  }
  static bool hasScheduleSizes(const Dim &dim) {
    std::set<std::string> names;
    dim.collectVars(names);
    return llvm::any_of(names, [](const std::string &name) { return StringRef(name).starts_with("T."); });
  }

  /// Quotients that every turn would find alike are computed before the loop. (The compilers do not, as what divides has a branch.)
  static void hoist(scf::ForOp loop) {
    for (bool again = true; again;) {
      again = false;
      for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
        const bool moves = isDivision(&op) || (isa<tile::DimOp, tile::ConstantOp>(op) && llvm::any_of(op.getUsers(), isDivision));
        if (!moves || !llvm::all_of(op.getOperands(), [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); })) continue;
        op.moveBefore(loop);
        again = true;
      }
    }
  }

  /// Sizes that are long to say come as parameters: `if (i < count)`.
  void giveSizes() {
    kernel_.getBody().walk([&](tile::DimOp dim) {
      std::optional<Dim> size = Dim::parse(dim.getDim().str());
      if (!size || hasScheduleSizes(*size) || tile::isDivisor(dim) || (size->terms().size() < 3 && !choosesAmongSizes(*size))) return;
      std::set<StringRef> uses;
      for (Operation *user : dim->getUsers()) {
        auto elementwise = dyn_cast<tile::ElementwiseOp>(user);
        uses.insert(elementwise ? elementwise.getMnemonic() : isa<scf::ForOp>(user) ? "for" : "");
      }
      if (uses.size() != 1) return;
      StringRef name = llvm::StringSwitch<StringRef>(*uses.begin()).Case("lt", "count").Case("for", "turns").Cases("mul", "add", "length").Default("");
      if (!name.empty()) dim->setAttr(tile::kGiven, builder_.getStringAttr(name));
    });
  }
  /// Whether a minimum or maximum is part of it.
  static bool choosesAmongSizes(const Dim &dim) {
    return llvm::any_of(dim.terms(), [](const Dim::Term &term) {
      return llvm::any_of(term.atoms, [](const auto &factor) {
        const Atom &atom = factor.first;
        if (atom.kind == AtomKind::Min || atom.kind == AtomKind::Max) return true;
        return atom.kind != AtomKind::Var && (choosesAmongSizes(*atom.left) || choosesAmongSizes(*atom.right));
      });
    });
  }

  tile::KernelOp kernel_;
  OpBuilder builder_;
  KernelFacts facts_;
  std::vector<Division> divisions_;
  std::map<std::pair<const void *, std::string>, Value> quotients_;  // of a number by a product of extents
  DenseMap<Value, bool> varies_;
};

struct PrepareDivisors : PassWrapper<PrepareDivisors, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrepareDivisors)
  StringRef getArgument() const override { return "tile-prepare-divisors"; }
  StringRef getDescription() const override { return "extents by which lanes divide come as divisors that multiply"; }
  void runOnOperation() override { Preparer(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createPrepareDivisorsPass() { return std::make_unique<PrepareDivisors>(); }

}  // namespace tessera::transforms
