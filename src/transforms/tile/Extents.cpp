#include "transforms/tile/Extents.h"
#include "ir/common/Conversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "support/DType.h"

namespace tessera::transforms {
using namespace mlir;
using namespace tessera::ir;

std::vector<int64_t> Extents::values(DimAttr extent) {
  std::set<std::string> names;
  extent.getDim().collectVars(names);
  std::vector<std::map<std::string, int64_t>> choices = {{}};
  for (const std::string &name : names) {
    std::vector<int64_t> numbers;
    StringRef field = name;
    if (field.consume_front("T.")) {
      if (auto size = kernel_.getSizes().getAs<IntegerAttr>(field)) numbers.push_back(size.getInt());
    } else if (auto capacities = kernel_.getCapacity().getAs<DenseI64ArrayAttr>(name)) {
      numbers = capacities.asArrayRef().vec();
    }
    std::vector<std::map<std::string, int64_t>> next;
    for (const auto &choice : choices)
      for (int64_t number : numbers) {
        next.push_back(choice);
        next.back()[name] = number;
      }
    choices = std::move(next);
  }
  std::vector<int64_t> result;
  for (const auto &choice : choices) {
    std::optional<int64_t> value = extent.getDim().evaluate([&](const std::string &name) -> std::optional<int64_t> {
      auto found = choice.find(name);
      return found == choice.end() ? std::nullopt : std::optional(found->second);
    });
    if (!value) return {};
    result.push_back(*value);
  }
  return result;
}

bool Extents::isMultiple(DimAttr extent, int64_t of) {
  std::vector<int64_t> all = values(extent);
  return !all.empty() && llvm::all_of(all, [&](int64_t value) { return value % of == 0; });
}

std::optional<int64_t> Extents::greatestCount(ArrayRef<DimAttr> shape) {
  int64_t count = 1;
  for (DimAttr extent : shape) {
    std::vector<int64_t> numbers = values(extent);
    if (numbers.empty()) return std::nullopt;
    count *= *std::max_element(numbers.begin(), numbers.end());
  }
  return count;
}

bool Extents::isMultiple(Value value, int64_t of) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() && isMultiple(loop.getLowerBound(), of) && isMultiple(loop.getStep(), of);
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<tile::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    return integer && integer.getInt() % of == 0;
  }
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    std::vector<int64_t> numbers = values(DimAttr::get(op->getContext(), *Dim::parse(dim.getDim().str())));
    return !numbers.empty() && llvm::all_of(numbers, [&](int64_t number) { return number % of == 0; });
  }
  if (auto query = dyn_cast<tile::QueryOp>(op)) {
    ir::GridAttr grid = kernel_.getGrid();
    return query.getQuery() == "origin" && grid.getKind() == GridKind::Output &&
           query.getAxis() < grid.getDims().size() && isOriginMultiple(grid, query.getAxis(), of);
  }
  auto made = dyn_cast<tile::ElementwiseOp>(op);
  if (!made) return false;
  auto multiple = [&](Value operand) { return isMultiple(operand, of); };
  if (made.getMnemonic() == "mul") return llvm::any_of(made.getArgs(), multiple);
  return llvm::is_contained({"add", "sub"}, made.getMnemonic()) && llvm::all_of(made.getArgs(), multiple);
}

/// A tile that is a whole axis begins at 0.
bool Extents::isOriginMultiple(ir::GridAttr grid, int64_t axis, int64_t of) {
  DimAttr extent = grid.getDims()[axis];
  if (shapeOf(kernel_.getArgumentTypes()[grid.getParam()])[axis] == extent) return true;
  std::vector<int64_t> numbers = values(extent);
  return !numbers.empty() && llvm::all_of(numbers, [&](int64_t number) { return number % of == 0; });
}

int64_t storedBytes(Type element) {
  std::optional<DType> dtype = dtypeOf(element);
  return dtype ? storageBytes(*dtype) : 8;
}

}  // namespace tessera::transforms
