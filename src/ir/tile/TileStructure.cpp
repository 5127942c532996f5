// Kernels, entry functions and launches: syntax and rules.
#include "ir/tile/Tile.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include <set>

using namespace mlir;
using namespace tessera::ir;
using namespace tessera::ir::tile;

namespace {

ParseResult parseFunction(OpAsmParser &parser, OperationState &result, StringRef typeAttr, StringRef argAttrs,
                          StringRef resAttrs) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  MLIRContext *context = parser.getContext();
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  StringAttr::get(context, typeAttr), buildType,
                                                  StringAttr::get(context, argAttrs),
                                                  StringAttr::get(context, resAttrs));
}

template <class FunctionLike> ParseResult parseAs(OpAsmParser &parser, OperationState &result) {
  return parseFunction(parser, result, "function_type", "arg_attrs", "res_attrs");
}

template <class FunctionLike> void printAs(FunctionLike op, OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, op, /*isVariadic=*/false, "function_type",
                                           op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

void buildFunction(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attributes) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute("function_type", TypeAttr::get(type));
  state.attributes.append(attributes.begin(), attributes.end());
  state.addRegion();
}

/// Every variable of an extent must be a size of the schedule or a dimension with capacities.
LogicalResult checkExtents(KernelOp kernel, Operation *op, ArrayRef<DimAttr> extents) {
  auto sizes = kernel->getAttrOfType<DictionaryAttr>("sizes");
  auto capacity = kernel->getAttrOfType<DictionaryAttr>("capacity");
  for (DimAttr extent : extents) {
    std::set<std::string> names;
    extent.getDim().collectVars(names);
    for (const std::string &name : names)
      if (!(sizes && sizes.contains(name)) && !(capacity && capacity.contains(name)))
        return op->emitOpError() << "the extent " << extent.getText() << " of a fragment or shared buffer depends on "
                                 << name << ", which is neither in 'sizes' nor in 'capacity' of the kernel";
  }
  return success();
}

}  // namespace

#define TESSERA_TILE_FUNCTION(Op)                                                                          \
  ParseResult Op::parse(OpAsmParser &parser, OperationState &result) { return parseAs<Op>(parser, result); } \
  void Op::print(OpAsmPrinter &printer) { printAs(*this, printer); }                                        \
  void Op::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,              \
                 ArrayRef<NamedAttribute> attributes) {                                                     \
    buildFunction(builder, state, name, type, attributes);                                                  \
  }
TESSERA_TILE_FUNCTION(KernelOp)
TESSERA_TILE_FUNCTION(FuncOp)
TESSERA_TILE_FUNCTION(HostFuncOp)
#undef TESSERA_TILE_FUNCTION

int64_t KernelOp::getGroup() {
  auto group = (*this)->getAttrOfType<IntegerAttr>("group");
  return group ? group.getInt() : 0;
}

tessera::ir::GridAttr KernelOp::getGrid() { return (*this)->getAttrOfType<tessera::ir::GridAttr>("grid"); }

LogicalResult KernelOp::verifyRegions() {
  if (!getGrid()) return emitOpError() << "needs the attribute 'grid'";
  if (getGroup() < 1 || getGroup() > 1024)
    return emitOpError() << "needs the attribute 'group' of 1 to 1024 lanes";
  auto checkType = [&](Operation *op, Type type) -> LogicalResult {
    if (auto fragment = dyn_cast<FragmentType>(type)) {
      if (fragment.getGrid().getLanes() != getGroup())
        return op->emitOpError() << "a fragment over " << fragment.getGrid().getLanes()
                                 << " lanes in a group of " << getGroup();
      return checkExtents(*this, op, fragment.getShape());
    }
    if (auto shared = dyn_cast<SharedType>(type)) return checkExtents(*this, op, shared.getShape());
    return success();
  };
  WalkResult walk = getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(checkType(op, type))) return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) return emitOpError() << "there is no kernel " << getKernelAttr();
  ArrayRef<Type> expected = kernel.getArgumentTypes();
  if (expected.size() != getArgs().size())
    return emitOpError() << getKernelAttr() << " takes " << expected.size() << " arguments, not " << getArgs().size();
  for (auto [want, arg] : llvm::zip(expected, getArgs())) {
    bool same = elementTypeOf(want) == elementTypeOf(arg.getType()) &&
                shapeOf(want).size() == shapeOf(arg.getType()).size() && isa<ViewType>(want) == isa<ViewType>(arg.getType());
    if (!same) return emitOpError() << "passes " << arg.getType() << " where " << getKernelAttr() << " takes " << want;
  }
  return success();
}
