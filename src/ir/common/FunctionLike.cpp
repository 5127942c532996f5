#include "ir/common/FunctionLike.h"
#include "ir/common/Multiples.h"
#include "ir/common/Names.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "support/LinearDim.h"
#include <map>

namespace tessera::ir {
using namespace mlir;

ParseResult parseFunction(OpAsmParser &parser, OperationState &state) {
  auto type = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                 function_interface_impl::VariadicFlag,
                 std::string &) { return builder.getFunctionType(inputs, results); };
  auto name = [&](StringRef text) { return StringAttr::get(parser.getContext(), text); };
  return function_interface_impl::parseFunctionOp(parser, state, /*allowVariadic=*/false,
                                                  name("function_type"), type, name("arg_attrs"),
                                                  name("res_attrs"));
}

/// Attributes at their default are not printed.
static bool isDefault(Attribute value) {
  if (auto array = dyn_cast<ArrayAttr>(value)) return array.empty();
  if (auto dictionary = dyn_cast<DictionaryAttr>(value)) return dictionary.empty();
  if (auto text = dyn_cast<StringAttr>(value)) return text.empty();
  if (auto number = dyn_cast<IntegerAttr>(value)) return number.getValue().isZero();
  return false;
}

void printFunction(FunctionOpInterface op, OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(op.getName());
  function_interface_impl::printFunctionSignature(printer, op, op.getArgumentTypes(), /*isVariadic=*/false,
                                                  op.getResultTypes());
  static constexpr StringLiteral required[] = {"dims", "params", "outputs", "grid"};
  SmallVector<StringRef> elided = {"sym_name", "function_type", "arg_attrs", "res_attrs"};
  for (NamedAttribute attribute : op->getAttrs())
    if (isDefault(attribute.getValue()) && !llvm::is_contained(required, attribute.getName().getValue()))
      elided.push_back(attribute.getName());
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(op.getFunctionBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
}

void setArgumentNames(Region &region, ArrayAttr params, OpAsmSetValueNameFn setName) {
  if (region.empty()) return;
  for (BlockArgument argument : region.front().getArguments()) {
    if (argument.getArgNumber() >= params.size()) return;
    if (auto param = dyn_cast<ParamAttr>(params[argument.getArgNumber()])) setName(argument, param.getName());
  }
}

void setResultNames(Operation *op, OpAsmSetValueNameFn setName) {
  for (Value result : op->getResults())
    if (StringRef name = nameHint(result); !name.empty()) setName(result, name);
}

std::set<std::string> knownDimensions(ArrayAttr dims, ArrayAttr context) {
  std::set<std::string> known;
  for (auto name : dims.getAsRange<StringAttr>()) known.insert(name.str());
  if (context)
    for (auto field : context.getAsRange<StringAttr>()) known.insert("T." + field.str());
  return known;
}

static LogicalResult verifyNames(Operation *op, ArrayAttr names, StringRef what) {
  std::set<std::string> seen;
  for (auto name : names.getAsRange<StringAttr>())
    if (name.empty() || !seen.insert(name.str()).second)
      return op->emitOpError() << what << " " << name << " is empty or stands there twice";
  return success();
}

static LogicalResult verifyVars(Operation *op, DimAttr dim, const std::set<std::string> &known) {
  std::set<std::string> vars;
  dim.getDim().collectVars(vars);
  for (const std::string &var : vars)
    if (!known.count(var))
      return op->emitOpError() << "uses the dimension '" << dim.getText() << "', but '" << var
                               << "' is not a dimension of its function";
  return success();
}

static LogicalResult verifyVars(Operation *op, Type type, const std::set<std::string> &known) {
  LogicalResult result = success();
  type.walk([&](DimAttr dim) {
    result = verifyVars(op, dim, known);
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result;
}

LogicalResult verifyDimensionsIn(FunctionOpInterface op, const std::set<std::string> &known) {
  for (Type type : op.getArgumentTypes())
    if (failed(verifyVars(op, type, known))) return failure();
  LogicalResult result = success();
  op.getFunctionBody().walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      if (failed(result = verifyVars(inner, type, known))) return WalkResult::interrupt();
    for (NamedAttribute attribute : inner->getAttrs())
      if (auto dims = dyn_cast<DimsAttr>(attribute.getValue())) {
        for (DimAttr dim : dims.getDims())
          if (failed(result = verifyVars(inner, dim, known))) return WalkResult::interrupt();
      } else if (auto dim = dyn_cast<DimAttr>(attribute.getValue())) {
        if (failed(result = verifyVars(inner, dim, known))) return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return result;
}

static LogicalResult verifyOutput(FunctionOpInterface op, ResultAttr output, ArrayAttr params) {
  if (output.getParam() < 0) return success();
  if (output.getParam() >= static_cast<int64_t>(params.size()))
    return op->emitOpError() << "output '" << output.getName() << "' is held by parameter "
                             << output.getParam() << ", but there are " << params.size();
  auto param = cast<ParamAttr>(params[output.getParam()]);
  if (param.getMode() == ParamMode::In)
    return op->emitOpError() << "output '" << output.getName() << "' is held by '" << param.getName()
                             << "', which is only read";
  return success();
}

LogicalResult verifyFunction(FunctionOpInterface op, ArrayAttr dims, ArrayAttr params, ArrayAttr outputs,
                             ArrayAttr requirements, ArrayAttr context) {
  if (params.size() != op.getNumArguments())
    return op->emitOpError() << "has " << op.getNumArguments() << " arguments and " << params.size()
                             << " params";
  if (failed(verifyNames(op, dims, "dimension"))) return failure();
  std::set<std::string> names;
  for (auto param : params.getAsRange<ParamAttr>())
    if (param.getName().empty() || !names.insert(param.getName().str()).second)
      return op->emitOpError() << "parameter '" << param.getName() << "' is empty or stands there twice";
  for (auto output : outputs.getAsRange<ResultAttr>())
    if (failed(verifyOutput(op, output, params))) return failure();
  auto known = knownDimensions(dims, context);
  for (auto requirement : requirements.getAsRange<RequirementAttr>())
    if (failed(verifyVars(op, requirement.getLeft(), known)) ||
        failed(verifyVars(op, requirement.getRight(), known)))
      return failure();
  return verifyDimensionsIn(op, known);
}

static LogicalResult verifyGrid(FunctionOpInterface op, GridAttr grid) {
  if (grid.getKind() != GridKind::Output) return success();
  if (grid.getParam() >= static_cast<int64_t>(op.getNumArguments()))
    return op->emitOpError() << "the grid counts tiles of parameter " << grid.getParam() << ", but there are "
                             << op.getNumArguments();
  auto view = dyn_cast<ViewType>(op.getArgument(grid.getParam()).getType());
  if (!view) return op->emitOpError("the grid counts tiles of a parameter that is not a view");
  if (view.getRank() != grid.getDims().size())
    return op->emitOpError() << "the grid's tile " << text(grid.getDims())
                             << " has not as many dimensions as " << text(view.getShape());
  return success();
}

LogicalResult verifyKernel(FunctionOpInterface op, ArrayAttr params, ArrayAttr outputs, GridAttr grid,
                           int64_t group) {
  if (op.getNumResults() != 0) return op->emitOpError("returns values: a kernel stores its results");
  if (group < 0 || group > 1024)
    return op->emitOpError() << "a group of " << group << " lanes is not in 0..1024";
  for (auto output : outputs.getAsRange<ResultAttr>()) {
    if (output.getParam() < 0)
      return op->emitOpError() << "output '" << output.getName() << "' has no parameter";
    Type type = op.getArgument(output.getParam()).getType();
    if (!isa<ViewType>(type) || shapeOf(type) != shapeOf(output.getType()) ||
        elementTypeOf(type) != elementTypeOf(output.getType()))
      return op->emitOpError() << "output '" << output.getName() << "' of type " << output.getType()
                               << " is held by a parameter of type " << type;
  }
  return verifyGrid(op, grid);
}

LogicalResult verifyArguments(FunctionOpInterface op) {
  for (Type type : op.getArgumentTypes())
    if (!isScalar(type) && !isa<ViewType>(type))
      return op->emitOpError() << "takes " << type << ", but it takes scalars and views";
  return success();
}

/// An extent `32 * K` whose variable was solved from the caller's, `D // 32`: the checker has proved that 32 divides D.
static bool isSolvedFrom(const Dim &callee, const Dim &caller, const std::map<std::string, Dim> &values) {
  return std::any_of(values.begin(), values.end(), [&](const auto &value) {
    std::optional<LinearDim> linear = linearDim(callee, [&](const std::string &name) { return name != value.first && values.count(name) != 0; });
    return linear && linear->variable == value.first && value.second == linear->solved(caller, values);
  });
}

/// The kernel's shape in the caller's dimensions.
static bool isShapeUnder(ArrayRef<DimAttr> callee, ArrayRef<DimAttr> caller,
                         const std::map<std::string, Dim> &values) {
  if (callee.size() != caller.size()) return false;
  for (auto [inner, outer] : llvm::zip(callee, caller))
    if (!(inner.getDim().substitute(values) == outer.getDim()) && !isSolvedFrom(inner.getDim(), outer.getDim(), values)) return false;
  return true;
}

/// As many elements, whatever the shapes are: views are contiguous.
static bool isCountUnder(ArrayRef<DimAttr> callee, ArrayRef<DimAttr> caller, const std::map<std::string, Dim> &values, ArrayAttr facts) {
  Dim inner(1), outer(1);
  for (DimAttr extent : callee) inner = inner * extent.getDim().substitute(values);
  for (DimAttr extent : caller) outer = outer * extent.getDim();
  return inner == outer || inMultiples(inner, facts) == inMultiples(outer, facts);
}

std::map<std::string, Dim> dimsOfLaunch(ArrayAttr kernelDims, DimsAttr dims) {
  std::map<std::string, Dim> values;
  if (!dims) return values;
  for (auto [name, dim] : llvm::zip(kernelDims.getAsRange<StringAttr>(), dims.getDims())) values.emplace(name.str(), dim.getDim());
  return values;
}

ViewType underDims(ViewType view, const std::map<std::string, Dim> &dims) {
  SmallVector<DimAttr> shape;
  for (DimAttr extent : view.getShape()) shape.push_back(DimAttr::get(view.getContext(), extent.getDim().substitute(dims)));
  return ViewType::get(view.getContext(), shape, view.getElementType());
}

LogicalResult verifyLaunch(Operation *launch, FunctionOpInterface kernel, ArrayAttr kernelDims,
                           TypeRange operands, DimsAttr dims) {
  StringRef name = kernel.getName();
  if (kernel.getNumArguments() != operands.size())
    return launch->emitOpError() << "passes " << operands.size() << " values, @" << name << " takes "
                                 << kernel.getNumArguments();
  if (dims && dims.getDims().size() != kernelDims.size())
    return launch->emitOpError() << "gives " << dims.getDims().size() << " dimensions, @" << name << " has "
                                 << kernelDims.size();
  const std::map<std::string, Dim> values = dimsOfLaunch(kernelDims, dims);
  for (auto [operand, declared] : llvm::zip(operands, kernel.getArgumentTypes())) {
    bool matches = operand == declared;
    if (isa<ViewType>(operand) && isa<ViewType>(declared) &&
        elementTypeOf(operand) == elementTypeOf(declared))
      matches = cast<ViewType>(declared).getPlaces() || isShapeUnder(shapeOf(declared), shapeOf(operand), values) ||
                isCountUnder(shapeOf(declared), shapeOf(operand), values, launch->getParentOp()->getAttrOfType<ArrayAttr>("requirements"));
    if (!matches)
      return launch->emitOpError() << "passes " << operand << " where @" << name << " takes " << declared;
  }
  return success();
}

}  // namespace tessera::ir
