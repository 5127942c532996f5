// Elements that a lane takes besides its own, as far apart as the outermost axis has them, where no vector divides the rows.
//
//   i -> plane, h, w                                  first = min(plane * Each, planes - Each)     (a lane for Each planes)
//   y[plane, h, w] = f(x[plane, h - 1, w])     ->     for (u < Each) y[first + u, h, w] = f(x[first + u, h - 1, w])
//
// A memory needs so many bytes under way, and a lane that loads one element waits for it alone. All but the outermost index is the same for
// the elements of a lane: it is found once, with what is read at it and what is asked about it. Lanes side by side still have elements side by
// side. The last lanes take some elements of the lanes before them again, and store the same there: nothing asks whether an element is there.
#include "ir/tile/Divisors.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "ir/common/Names.h"
#include "llvm/ADT/SetVector.h"
#include "transforms/schedule/Contract.h"
#include "transforms/tile/EraseUnused.h"
#include "transforms/tile/Extents.h"
#include "transforms/tile/KernelFacts.h"
#include "transforms/tile/Passes.h"
#include "transforms/tile/Polynomials.h"
#include "transforms/tile/Reasons.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

namespace {

constexpr int64_t kBytes = 16;         // of an array that a lane has under way, as with vectors
constexpr int64_t kMostElements = 8;   // of a lane
constexpr int64_t kMostLoads = 32;     // of a lane: each takes a register
constexpr int64_t kVectorsInTurn = 2;  // of a lane that waits for a place before it loads there
constexpr int64_t kLeastGroups = 2;    // of such rows: of 2 * Each + 1 the last lanes take most again
constexpr int64_t kLeastInner = 32;    // elements that lie side by side: of fewer a warp's stores are parts of sectors

/// The number in dimensions and numbers alone, none of them a size of the schedule.
std::optional<Dim> extentOf(Value value) {
  if (auto constant = value.getDefiningOp<tile::ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) return Dim(integer.getInt());
  if (auto dim = value.getDefiningOp<tile::DimOp>())
    return dim.getDim().contains("T.") ? std::nullopt : Dim::parse(dim.getDim().str());
  auto product = value.getDefiningOp<tile::ElementwiseOp>();
  if (!product || product.getMnemonic() != "mul") return std::nullopt;
  std::optional<Dim> a = extentOf(product.getArgs()[0]), b = extentOf(product.getArgs()[1]);
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

/// How many elements a vector has.
bool isVectorSize(Value value) {
  auto dim = value.getDefiningOp<tile::DimOp>();
  return dim && dim.getDim() == "T.vector";
}

bool isVector(Value base) { return isa<tile::LaneVectorType>(base.getType()); }

/// Elements of memory that one run of the operation loads; nothing where that is not known, or it is not of those that may be repeated.
class LoadsOf {
public:
  std::optional<int64_t> count(Block &block) {
    int64_t sum = 0;
    for (Operation &op : block) {
      std::optional<int64_t> here = count(&op);
      if (!here) return std::nullopt;
      sum += *here;
    }
    return sum;
  }

private:
  std::optional<int64_t> count(Operation *op) {
    if (auto load = dyn_cast<tile::LoadElementOp>(op)) return isVector(load.getBase()) ? 0 : 1;
    if (isa<tile::LoadVectorOp>(op)) return 1;
    if (isa<tile::ConstantOp, tile::DimOp, tile::ElementwiseOp, tile::CastOp, tile::NewVectorOp, tile::StoreElementOp, tile::StoreVectorOp, scf::YieldOp>(op)) return 0;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      std::optional<int64_t> holds = count(*branch.thenBlock()), other = branch.elseBlock() ? count(*branch.elseBlock()) : 0;
      return holds && other ? std::optional(*holds + *other) : std::nullopt;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop) return std::nullopt;
    auto begin = extentOf(loop.getLowerBound()), end = extentOf(loop.getUpperBound()), step = extentOf(loop.getStep());
    std::optional<int64_t> each = count(*loop.getBody());
    if (!each || isVectorSize(loop.getUpperBound())) return each;  // elements of a vector, or of the one that there is
    if (!begin || !end || !step || !begin->isConstant() || !end->isConstant() || !step->isConstant() || step->constant() < 1) return std::nullopt;
    return *each * std::max<int64_t>(0, (end->constant() - begin->constant() + step->constant() - 1) / step->constant());
  }
};

class TakeSeveral {
public:
  explicit TakeSeveral(tile::KernelOp kernel) : kernel_(kernel), builder_(kernel->getContext()), facts_(kernel) {}

  void run() {
    if (!findLanes()) return;
    findPlaces();
    if (!findInner() || !findRepeated() || !chooseEach()) return;
    rewrite();
    eraseUnused(kernel_);
    setVariants();
  }

private:
  struct Place {
    Value value;                                  // the lane's number, divided
    Dim by;                                       // by so much
    Dim apart;                                    // what it differs by from one element of the lane to the next
    SmallVector<tile::ElementwiseOp> asMod;       // what is the same for all elements of the lane
  };

  // ---- what there is

  /// `if (i < count) { ... }`, i the number of the lane, or of its vector's first element.
  bool findLanes() {
    if (kernel_.getGrid().getKind() != GridKind::Lanes) return false;
    SmallVector<tile::QueryOp> queries;
    bool good = true;
    for (Operation &op : kernel_.getBody().front()) {
      if (auto branch = dyn_cast<scf::IfOp>(op)) {
        if (guard_ || branch.getNumResults() || !branch.getElseRegion().empty()) return false;
        guard_ = branch;
      } else if (!isa<tile::KernelEndOp>(op) && !isPure(&op)) {
        return false;
      }
    }
    kernel_.getBody().walk([&](tile::QueryOp op) {
      good &= op.getQuery() == "linear_id" && op->getBlock() == &kernel_.getBody().front();
      queries.push_back(op);
    });
    auto test = guard_ ? guard_.getCondition().getDefiningOp<tile::ElementwiseOp>() : tile::ElementwiseOp();
    if (!good || queries.empty() || !test || test.getMnemonic() != "lt") return false;
    for (tile::QueryOp other : ArrayRef(queries).drop_front()) other.getResult().replaceAllUsesWith(queries.front().getResult());
    counter_ = test.getArgs()[0];
    std::optional<Dim> count = extentOf(test.getArgs()[1]);
    if (!count) return false;
    count_ = *count;
    if (counter_ == queries.front().getResult()) return true;
    auto product = counter_.getDefiningOp<tile::ElementwiseOp>();
    takesVectors_ = true;
    return product && product.getMnemonic() == "mul" && product.getArgs()[0] == queries.front().getResult() && isVectorSize(product.getArgs()[1]) &&
           queries.front().getResult().hasOneUse();
  }

  Place *placeOf(Value value) {
    auto found = llvm::find_if(places_, [&](const Place &place) { return place.value == value; });
    return found == places_.end() ? nullptr : &*found;
  }

  /// Quotients of the number of the lane, each once, and what remains of them.
  void findPlaces() {
    places_.push_back({counter_, Dim(1), Dim(), {}});
    SmallVector<tile::ElementwiseOp> ops;
    kernel_.getBody().walk<WalkOrder::PreOrder>([&](tile::ElementwiseOp op) { ops.push_back(op); });
    for (tile::ElementwiseOp op : ops) {
      const bool divides = op.getMnemonic() == "floordiv";
      if ((!divides && op.getMnemonic() != "mod") || !isa<IndexType>(op.getType())) continue;
      Place *of = placeOf(op.getArgs()[0]);
      std::optional<Dim> by = of ? extentOf(op.getArgs()[1]) : std::nullopt;
      if (!by) continue;
      if (divides) places_.push_back({op.getResult(), of->by * *by, Dim(), {}});
      else of->asMod.push_back(op);
    }
  }

  /// By how much the lane's number is divided for the outermost index: a multiple of all others.
  bool findInner() {
    SmallVector<Dim> candidates;
    for (Place &place : places_) {
      candidates.push_back(place.by);
      for (tile::ElementwiseOp op : place.asMod) candidates.push_back(place.by * *extentOf(op.getArgs()[1]));
    }
    for (const Dim &inner : candidates) {
      if (inner == Dim(1) || !llvm::all_of(candidates, [&](const Dim &other) { return exactQuotient(inner, other).has_value(); })) continue;
      std::optional<Dim> outer = exactQuotient(count_, inner);
      if (!outer) return false;
      inner_ = inner;
      outer_ = *outer;
      for (Place &place : places_) place.apart = *exactQuotient(inner, place.by);
      return !outer_.isConstant() || outer_.constant() > 1;
    }
    return false;
  }

  bool isSame(Operation *user, Value value) {
    auto op = dyn_cast<tile::ElementwiseOp>(user);
    Place *place = op ? placeOf(op.getResult()) : nullptr;
    return (place && op.getArgs()[0] == value) || llvm::is_contained(placeOf(value)->asMod, op) || remainders_.contains(user);
  }
  /// The operation of the guard's block in which it stands.
  Operation *inBody(Operation *op) { return guard_.thenBlock()->findAncestorOpInBlock(*op); }

  /// What differs between the elements of a lane; all that is stored must.
  bool findRepeated() {
    for (Place &place : places_)
      for (Operation *user : place.value.getUsers())
        if (Operation *op = inBody(user); op && !isSame(user, place.value)) repeated_.insert(op);
    for (size_t known = 0; known < repeated_.size(); ++known) {
      Operation *op = repeated_[known];
      for (Operation *user : op->getUsers()) repeated_.insert(inBody(user));
      op->walk([&](Operation *inner) {  // vectors are filled anew
        for (Value operand : inner->getOperands())
          if (auto made = operand.getDefiningOp<tile::NewVectorOp>(); made && made->getBlock() == guard_.thenBlock()) repeated_.insert(made);
      });
    }
    llvm::DenseSet<Value> stored;
    bool good = true;
    auto stores = [&](Operation *op, Value base) {
      if (isVector(base)) return;
      stored.insert(base);
      good &= op->getBlock() == guard_.thenBlock() && repeated_.contains(op);
    };
    kernel_.getBody().walk([&](tile::StoreElementOp op) { stores(op, op.getBase()); });
    kernel_.getBody().walk([&](tile::StoreVectorOp op) { stores(op, op.getBase()); });
    // The last lanes compute again what others may have stored.
    kernel_.getBody().walk([&](tile::LoadElementOp op) { good &= !stored.contains(op.getBase()); });
    kernel_.getBody().walk([&](tile::LoadVectorOp op) { good &= !stored.contains(op.getBase()); });
    return good && !stored.empty();
  }

  bool chooseEach() {
    std::optional<int64_t> loads = LoadsOf().count(*guard_.thenBlock());
    if (!loads) return false;
    int64_t bytes = 1;  // of the widest element that is stored
    auto widest = [&](Value base) {
      if (!isVector(base)) bytes = std::max(bytes, storedBytes(elementTypeOf(base.getType())));
    };
    kernel_.getBody().walk([&](tile::StoreElementOp op) { widest(op.getBase()); });
    kernel_.getBody().walk([&](tile::StoreVectorOp op) { widest(op.getBase()); });
    most_ = std::min(kMostElements, kBytes / bytes);
    while (most_ > 1 && most_ * *loads > kMostLoads) most_ /= 2;
    if (inner_.isConstant() && inner_.constant() < kLeastInner) return false;
    while (most_ > 1 && outer_.isConstant() && outer_.constant() < kLeastGroups * most_) most_ /= 2;
    waits_ = waitsForPlaces();  // while all stands where it is found
    withWork_ = vectorsWithWork();
    return most_ > 1;
  }

  /// Whether a lane loads at a place that it has loaded: then its loads are not under way together, and one vector a lane is too little.
  bool waitsForPlaces() {
    bool waits = false;
    auto look = [&](Value base, ValueRange indices) {
      llvm::SetVector<Operation *> makers;
      for (Value index : indices)
        if (Operation *op = index.getDefiningOp()) makers.insert(op);
      for (size_t known = 0; !isVector(base) && known < makers.size(); ++known) {
        Operation *op = makers[known];
        waits |= isa<tile::LoadElementOp, tile::LoadVectorOp>(op);
        for (Value operand : op->getOperands())
          if (Operation *maker = operand.getDefiningOp()) makers.insert(maker);
      }
    };
    kernel_.getBody().walk([&](tile::LoadElementOp op) { look(op.getBase(), op.getIndices()); });
    kernel_.getBody().walk([&](tile::LoadVectorOp op) { look(op.getBase(), op.getIndices()); });
    return waits;
  }

  /// How much dear work is for a place along the rows alone, such as one over the deviation of a column: vectors of several rows share it.
  int64_t worksForPlaces() {
    llvm::DenseMap<Value, bool> known;
    int64_t count = 0;
    guard_.thenBlock()->walk([&](tile::ElementwiseOp op) {
      bool isDear = isa<FloatType>(op.getType()) && op.getMnemonic() != "fma" && !isCheap(op.getMnemonic());
      count += isDear && !isOfRow(op.getResult(), known);
    });
    return count;
  }

  /// Whether the value differs between the rows of a lane.
  bool isOfRow(Value value, llvm::DenseMap<Value, bool> &known) {
    if (auto found = known.find(value); found != known.end()) return found->second;
    Operation *op = value.getDefiningOp();
    bool is = true;
    if (!op) {
      auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
      is = !loop || value != loop.getInductionVar();
    } else if (llvm::any_of(places_, [&](const Place &place) { return llvm::is_contained(place.asMod, op); })) {
      is = false;
    } else if (!placeOf(value) && isa<tile::ElementwiseOp, tile::CastOp, tile::ConstantOp, tile::DimOp, tile::LoadElementOp, tile::LoadVectorOp>(op)) {
      is = llvm::any_of(op->getOperands(), [&](Value operand) { return !isa<ViewType>(operand.getType()) && isOfRow(operand, known); });
    }
    return known[value] = is;
  }

  /// Vectors of a lane with dear work for its places: so many that little of it is left for each, as far as their loads have registers.
  int64_t vectorsWithWork() {
    constexpr int64_t kDear = 2, kVectors = 4, kMostVectors = 16;
    if (worksForPlaces() < kDear) return 1;
    int64_t loads = llvm::count_if(repeated_, [](Operation *op) { return isa<tile::LoadVectorOp>(op); }), each = kVectors;
    while (each > 1 && each * loads > kMostVectors) each /= 2;
    return each;
  }

  // ---- small builders

  Value dim(const Dim &dim, Location loc) {
    if (dim.isConstant()) return builder_.create<tile::ConstantOp>(loc, builder_.getIndexType(), builder_.getIndexAttr(dim.constant()));
    return builder_.create<tile::DimOp>(loc, builder_.getIndexType(), dim.str());
  }
  Value arithmetic(StringRef mnemonic, Value a, Value b, Location loc) {
    Type type = mnemonic == "lt" || mnemonic == "eq" ? Type(builder_.getI1Type()) : Type(builder_.getIndexType());
    return builder_.create<tile::ElementwiseOp>(loc, type, mnemonic, ValueRange{a, b});
  }
  Value times(Value value, const Dim &factor, Location loc) { return factor == Dim(1) ? value : arithmetic("mul", value, dim(factor, unnamed(loc)), loc); }

  /// What divides, where it is asked for.
  Value again(Value divisor) {
    Operation *op = divisor.getDefiningOp();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) operands.push_back(again(operand));
    Operation *made = builder_.clone(*op);
    made->setOperands(operands);
    return made->getResult(0);
  }

  // ---- the new form

  /// Quotients before the condition, as the outermost one decides it; equal ones are one.
  void hoistPlaces() {
    builder_.setInsertionPoint(guard_);
    SmallVector<std::pair<std::pair<Value, Dim>, Value>> known;
    for (Place &place : places_) {
      auto op = place.value.getDefiningOp<tile::ElementwiseOp>();
      if (!op || op.getMnemonic() != "floordiv") continue;
      std::pair<Value, Dim> key(op.getArgs()[0], *extentOf(op.getArgs()[1]));
      auto found = llvm::find_if(known, [&](auto &entry) { return entry.first.first == key.first && entry.first.second == key.second; });
      if (found != known.end()) {
        place.value.replaceAllUsesWith(found->second);
        continue;
      }
      if (inBody(op)) {
        Value divisor = again(op.getArgs()[1]);
        op->moveBefore(guard_);
        op.setOperand(1, divisor);
      }
      known.push_back({key, op.getResult()});
    }
    llvm::erase_if(places_, [&](const Place &place) { return place.value != counter_ && place.value.use_empty(); });
  }

  /// The outermost index of the lane, in steps of Each.
  Value outermost() {
    for (Place &place : places_)
      if (place.apart == Dim(1)) return place.value;
    for (Place &place : places_)
      for (tile::ElementwiseOp op : place.asMod)
        if (place.by * *extentOf(op.getArgs()[1]) == inner_) {
          Value divisor = again(op.getArgs()[1]);
          return arithmetic("floordiv", place.value, divisor, ir::named("row", unnamed(op.getLoc())));
        }
    return arithmetic("floordiv", counter_, dim(inner_, unnamed(counter_.getLoc())), ir::named("row", unnamed(counter_.getLoc())));
  }

  /// A remainder beside the quotient needs no other division. What is divided again stays what it is: never below 0.
  void takeRemainders(Value group) {
    for (Place &place : places_)
      for (tile::ElementwiseOp op : place.asMod) {
        const Dim extent = *extentOf(op.getArgs()[1]);
        Value quotient;
        auto isQuotient = [&](Value value) {
          auto made = value.getDefiningOp<tile::ElementwiseOp>();
          return made && made.getMnemonic() == "floordiv" && made.getArgs()[0] == place.value && extentOf(made.getArgs()[1]) == std::optional(extent);
        };
        if (isQuotient(group)) quotient = group;
        for (Place &other : places_)
          if (!quotient && isQuotient(other.value)) quotient = other.value;
        const bool isDivided = llvm::any_of(op->getUsers(), [](Operation *user) {
          auto known = dyn_cast<tile::ElementwiseOp>(user);
          return isa<tile::CastOp>(user) || (known && (known.getMnemonic() == "floordiv" || known.getMnemonic() == "mod"));
        });
        if (!quotient || isDivided) continue;
        builder_.setInsertionPoint(op);
        Value whole = times(quotient, extent, unnamed(op.getLoc()));
        Value rest = arithmetic("sub", place.value, whole, op.getLoc());
        remainders_.insert(rest.getDefiningOp());
        if (whole != quotient) remainders_.insert(whole.getDefiningOp());
        op.getResult().replaceAllUsesWith(rest);
      }
  }

  /// `row_first` for the first of the lane's elements, `row_u` for another.
  Location named(Value value, StringRef suffix) {
    StringRef hint = nameHint(value);
    return ir::named(((hint.empty() ? "row" : hint) + suffix).str(), unnamed(value.getLoc()));
  }

  void rewrite() {
    Location loc = unnamed(guard_.getLoc());
    hoistPlaces();
    builder_.setInsertionPoint(guard_);
    Value group = outermost();
    takeRemainders(group);
    builder_.setInsertionPoint(guard_);
    Value each = dim(Dim::var("T.each"), loc), extent = dim(outer_, loc);
    guard_.getConditionMutable().assign(arithmetic("lt", arithmetic("mul", group, each, loc), extent, loc));
    Block *body = guard_.thenBlock();
    builder_.setInsertionPointToStart(body);
    Value first = arithmetic("min", arithmetic("mul", group, each, loc), arithmetic("sub", extent, each, loc), takesVectors_ ? loc : named(group, "_first"));
    if (takesVectors_) {  // lanes of one vector have no more registers than before
      Value isOne = arithmetic("eq", each, dim(Dim(1), loc), loc);
      first = builder_.create<tile::ElementwiseOp>(named(group, "_first"), builder_.getIndexType(), "select", ValueRange{isOne, group, first});
    }
    std::vector<std::pair<Value, Value>> begins;  // of the values that differ
    Value ahead;
    for (Place &place : places_) {
      if (!llvm::any_of(place.value.getUsers(), [&](Operation *user) { return inBody(user) && repeated_.contains(inBody(user)) && !isSame(user, place.value); })) continue;
      if (place.value == group) {
        begins.push_back({group, first});
        continue;
      }
      if (!ahead) ahead = arithmetic("sub", first, group, loc);
      begins.push_back({place.value, arithmetic("add", place.value, times(ahead, place.apart, loc), named(place.value, "_first"))});
    }
    builder_.setInsertionPoint(body->getTerminator());
    Value none = dim(Dim(0), loc), one = dim(Dim(1), loc);
    auto loop = builder_.create<scf::ForOp>(loc, none, each, one);
    loop->setAttr(tile::kUnrolled, builder_.getUnitAttr());
    loop.getInductionVar().setLoc(ir::named("u", loc));
    SmallVector<Operation *> moved;
    for (Operation &op : *body)
      if (repeated_.contains(&op)) moved.push_back(&op);
    for (Operation *op : moved) op->moveBefore(loop.getBody()->getTerminator());
    builder_.setInsertionPointToStart(loop.getBody());
    for (auto &[value, from] : begins) {
      Place &place = *placeOf(value);
      Value here = arithmetic("add", from, times(loop.getInductionVar(), place.apart, loc), named(value, "_u"));
      for (OpOperand &use : llvm::make_early_inc_range(value.getUses()))
        if (loop->isProperAncestor(use.getOwner()) && use.getOwner() != here.getDefiningOp() && !isSame(use.getOwner(), value)) use.set(here);
    }
    Dim lanes = Dim::ceilDiv(outer_, Dim::var("T.each")) * inner_;
    auto count = DimAttr::get(builder_.getContext(), takesVectors_ ? Dim::ceilDiv(lanes, Dim::var("T.vector")) : lanes);
    kernel_.setGridAttr(GridAttr::get(builder_.getContext(), GridKind::Lanes, count, -1));
  }

  // ---- variants

  /// With so many elements, if there are, and where enough lie side by side; with one otherwise.
  void setVariants() {
    MLIRContext *context = builder_.getContext();
    SmallVector<Attribute> variants;
    auto add = [&](DictionaryAttr known, int64_t each) {
      NamedAttrList entries(known);
      entries.set("each", builder_.getI64IntegerAttr(each));
      SmallVector<Attribute> when;
      if (auto asked = known.getAs<ArrayAttr>("when")) llvm::append_range(when, asked);
      auto ask = [&](int64_t least, const Dim &of) {
        if (facts_.proves(shape::Formula(of, shape::Relation::Ge, Dim(least)))) return;
        when.push_back(RequirementAttr::get(context, DimAttr::get(context, Dim(least)), Relation::Le, DimAttr::get(context, of), ""));
      };
      if (each > 1) ask(kLeastGroups * each, outer_), ask(kLeastInner, inner_);
      if (auto vector = known.getAs<IntegerAttr>("vector"); each > 1 && vector && vector.getInt() > 1) {
        const Dim rest = Dim::mod(inner_, Dim(vector.getInt()));  // each of the lane's vectors begins on a multiple
        Attribute isWhole = RequirementAttr::get(context, DimAttr::get(context, rest), Relation::Eq, DimAttr::get(context, Dim(0)), "");
        if (!facts_.proves(shape::Formula(rest, shape::Relation::Eq, Dim(0))) && !llvm::is_contained(when, isWhole)) when.push_back(isWhole);
      }
      if (!when.empty()) entries.set("when", builder_.getArrayAttr(when));
      variants.push_back(entries.getDictionary(context));
    };
    SmallVector<Attribute> known = {builder_.getDictionaryAttr({})};
    if (kernel_.getVariantsAttr()) known = llvm::to_vector(kernel_.getVariantsAttr().getValue());
    const int64_t vectors = std::max(waits_ ? kVectorsInTurn : 1, withWork_);
    for (Attribute attribute : known) {
      auto variant = cast<DictionaryAttr>(attribute);
      auto vector = variant.getAs<IntegerAttr>("vector");
      const bool inTurn = vector && vector.getInt() > 1 && vectors > 1;
      const int64_t each = std::max(most_ / (vector ? vector.getInt() : 1), inTurn ? vectors : 1);
      if (each > 1) add(variant, each);
      if (each <= 1 || inTurn || attribute == known.back()) add(variant, 1);
    }
    kernel_.setVariantsAttr(builder_.getArrayAttr(variants));
    SmallVector<Attribute> reasons;
    for (StringAttr reason : kernel_.getReasons().getAsRange<StringAttr>())
      if (reason.getValue() != "one lane an element") reasons.push_back(reason);
    kernel_.setReasonsAttr(builder_.getArrayAttr(reasons));
    addReason(kernel_, "a lane takes Each elements, one of each of so many rows or planes: their places are found once, and their loads are under way together");
  }

  tile::KernelOp kernel_;
  OpBuilder builder_;
  KernelFacts facts_;
  scf::IfOp guard_;
  Value counter_;
  bool takesVectors_ = false;
  Dim count_, inner_, outer_;  // elements; those with one outermost index; such indices
  std::vector<Place> places_;
  llvm::SetVector<Operation *> repeated_;
  llvm::DenseSet<Operation *> remainders_;     // what computes those
  int64_t most_ = 1;
  bool waits_ = false;
  int64_t withWork_ = 1;
};

struct TakeSeveralPass : PassWrapper<TakeSeveralPass, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TakeSeveralPass)
  StringRef getArgument() const override { return "tile-take-several"; }
  StringRef getDescription() const override { return "lanes take elements of several rows where no vector divides these"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<tile::TileDialect, scf::SCFDialect>(); }
  void runOnOperation() override { TakeSeveral(getOperation()).run(); }
};

}  // namespace

std::unique_ptr<Pass> createTakeSeveralPass() { return std::make_unique<TakeSeveralPass>(); }

}  // namespace tessera::transforms
