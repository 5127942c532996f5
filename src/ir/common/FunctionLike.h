// Functions of any level: their text, and the rules that their attributes obey.
#pragma once
#include "ir/common/Common.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <map>
#include <set>
#include <string>

namespace tessera::ir {

mlir::ParseResult parseFunction(mlir::OpAsmParser &parser, mlir::OperationState &state);
void printFunction(mlir::FunctionOpInterface op, mlir::OpAsmPrinter &printer);
/// Arguments print under the names of their parameters.
void setArgumentNames(mlir::Region &region, mlir::ArrayAttr params, mlir::OpAsmSetValueNameFn setName);
/// Results print under their name hints.
void setResultNames(mlir::Operation *op, mlir::OpAsmSetValueNameFn setName);

/// One #tsr.param for each argument, names distinct, outputs that name parameters which hold them.
/// `context`: the fields of tile.context() (kernels), each the dimension "T.<field>".
mlir::LogicalResult verifyFunction(mlir::FunctionOpInterface op, mlir::ArrayAttr dims, mlir::ArrayAttr params,
                                   mlir::ArrayAttr outputs, mlir::ArrayAttr requirements,
                                   mlir::ArrayAttr context = {});
/// The grid names a parameter with as many dimensions as the grid has extents, a group has at most 1024
/// lanes, every output is held by a view parameter, and nothing is returned.
mlir::LogicalResult verifyKernel(mlir::FunctionOpInterface op, mlir::ArrayAttr params,
                                 mlir::ArrayAttr outputs, GridAttr grid, int64_t group);
/// Entry functions and kernels take scalars and views.
mlir::LogicalResult verifyArguments(mlir::FunctionOpInterface op);
/// What a launch gives the kernel's dimensions, in those of the caller; empty where they have the same names.
std::map<std::string, Dim> dimsOfLaunch(mlir::ArrayAttr kernelDims, DimsAttr dims);
/// A whole array that a kernel takes, in the dimensions of its caller.
ViewType underDims(ViewType view, const std::map<std::string, Dim> &dims);
/// The operands have the types of the kernel's arguments, under the values that `dims` gives its dimensions
/// (null: those of the same name).
mlir::LogicalResult verifyLaunch(mlir::Operation *launch, mlir::FunctionOpInterface kernel,
                                 mlir::ArrayAttr kernelDims, mlir::TypeRange operands, DimsAttr dims);
/// Every dimension of the types in the body is an expression over the function's dimensions.
mlir::LogicalResult verifyDimensionsIn(mlir::FunctionOpInterface op, const std::set<std::string> &known);
/// The names that dimensions may use: `dims` and "T.<field>" for each field of `context`.
std::set<std::string> knownDimensions(mlir::ArrayAttr dims, mlir::ArrayAttr context);

}  // namespace tessera::ir
