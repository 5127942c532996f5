// Sizes of a kernel by the names that stand in the emitted text, and dimensions written with them.
#pragma once
#include "transforms/target/Emission.h"

namespace tessera::transforms::totarget {

struct Sizes {
  std::map<std::string, std::string> constants;   // "T.m" -> "BM", "BM.128" -> "BM"
  std::map<std::string, int64_t> values;          // "BM" -> 128
  std::map<std::string, std::string> capacities;  // "D" -> "MaxD"
  std::map<std::string, ExprRef> dims;            // that are parameters
  std::map<std::string, ExprRef> given, divisors;  // that are parameters, by their text
  std::vector<std::string> templates;             // constants that are parameters of the template
  std::string alignment;  // the template parameter: bytes that the rows of copied tensors are aligned to; "": not asked
};

// ---- DeclareSizes.cpp
/// m, n, k, then the others by name.
llvm::SmallVector<mlir::NamedAttribute> sortedSizes(Emission &em);
/// A constant at the top of the function. `variable`: that a dimension calls it by.
void declareConstant(Emission &em, const std::string &variable, const std::string &name, int64_t value);
/// The program's own names of sizes, in the order of the text. One that has two values here, or that
/// something else is called too, stays a number.
void declareNamedSizes(Emission &em);
void declareScheduleSizes(Emission &em);
void declareCapacities(Emission &em);
/// The sizes in which the variants of a kernel differ are parameters of its template.
void declareVariants(Emission &em);
/// Each row of the tile begins at a multiple of 16 bytes if each row of the tensor does.
bool beginsAligned(Emission &em, ir::tile::CopyOp copy);
/// Asynchronous copies of rows that begin at multiples of 16 bytes have no branches, and a loop without branches is
/// scheduled as a whole. The entry function asks once.
void declareAlignment(Emission &em);

// ---- Dims.cpp
/// A runtime dimension is a parameter of the emitted function; a size of the schedule is one of its
/// constants.
ExprRef dimVar(Emission &em, const std::string &variable);
/// A dimension that only divides: a parameter, which the launch prepares for it.
ExprRef divisor(Emission &em, const Dim &dimension);
/// A dimension of several terms, which the launch computes: a parameter.
ExprRef given(Emission &em, const Dim &dimension, llvm::StringRef name);
/// A dimension in what the emitted function knows of it.
ExprRef dim(Emission &em, const Dim &dimension);
/// A shape in the names that the program has for its sizes, as far as the location of its value knows them.
std::vector<Dim> written(Emission &em, llvm::ArrayRef<ir::DimAttr> shape, mlir::Location location);
/// A program integer that is known, or known at entry: in the names that the program has for it.
ExprRef size(Emission &em, const Dim &dimension, mlir::Location location);
/// The dimension with sizes and capacities by the names that the emitted function gives them.
Dim inConstants(Emission &em, const Dim &dimension);
/// The extent in the text of a type: sizes and capacities by name.
std::string typeExtent(Emission &em, const Dim &dimension);

}  // namespace tessera::transforms::totarget
