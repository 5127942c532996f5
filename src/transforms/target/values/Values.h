// Values of a kernel in the emitted text: their variables, places and names.
#pragma once
#include "transforms/target/Emission.h"
#include "transforms/target/Plan.h"

namespace tessera::transforms::totarget {

struct Values {
  explicit Values(mlir::Region &body) : plan(body) {}
  Plan plan;
  llvm::DenseMap<mlir::Value, ExprRef> bound;    // what stands for a value
  llvm::DenseMap<mlir::Value, ExprRef> perLane;  // arrays with an element for each lane
  llvm::DenseSet<mlir::Value> counters;          // values that loops of their own count
  std::map<int64_t, ExprRef> ofGroup;            // queries of the group that have a variable
};

// ---- Variables.cpp
/// A variable at this point. `form`: how it gets what it begins with, `copy` (= x) or `direct` ((x)).
ExprRef declare(Emission &em, llvm::StringRef name, mlir::Type type, llvm::StringRef form, Indices init, bool isConst,
                mlir::Location place);
/// The location of the value in the variable that knows the names of its sizes.
mlir::Location sizedPlace(const Storage &storage, mlir::Location place);
/// `init`: what it begins with, or null.
void declareStorage(Emission &em, Storage &storage, ExprRef init, mlir::Location place);
void assign(Emission &em, const ExprRef &target, const ExprRef &value, mlir::Location place);
/// A call for its effect.
void statement(Emission &em, const ExprRef &call, mlir::Location place);
/// To the variable of a value, which is declared if it is not there yet.
void store(Emission &em, Storage &storage, ExprRef expr, mlir::Location place);
/// A scalar has its value: in its variable, in one of its own, or in the expression that uses it.
void define(Emission &em, mlir::Value value, ExprRef expr);
/// What stands for a value that has been emitted.
ExprRef scalar(Emission &em, mlir::Value value);
/// The variable of a value.
ExprRef placeOf(Emission &em, mlir::Value value);
/// The variable that a function of the device headers fills.
ExprRef filled(Emission &em, mlir::Value result);
/// A fragment that a call makes: in its variable, or in one of its own.
void keep(Emission &em, mlir::Value result, const ExprRef &value);

// ---- ValueNames.cpp
/// A name for the variable of a value, which is taken from then on.
std::string nameFor(Emission &em, mlir::Value value);

}  // namespace tessera::transforms::totarget
