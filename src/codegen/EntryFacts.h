// What an entry function is, read once from its operation: for the source, the header and the manifest.
#pragma once
#include "ir/target/Target.h"
#include "support/Dim.h"
#include "support/LinearDim.h"
#include "support/MeshDims.h"
#include <map>
#include <string>
#include <vector>

namespace tessera::codegen {

struct ParameterFacts {
  std::string name;    // as the program has it: in messages and the manifest
  std::string symbol;  // as the emitted text has it
  std::string mode;    // in, out, inout, result, scalar
  mlir::Type dtype;
  std::vector<std::string> shape;
  bool scalar() const { return mode == "scalar"; }
  bool written() const { return mode == "out" || mode == "inout" || mode == "result"; }
  /// "bf16[R, C]"
  std::string text() const;
};

/// A dimension that only an expression gives, such as the `2 * N` of an extent.
struct SolvedDim {
  std::string parameter;
  size_t axis = 0;
  LinearDim extent;
};

/// An entry function for some sizes, to which the general one hands on the calls that have them.
struct SpecialFacts {
  std::string name, symbol;  // as in EntryFacts
  std::vector<std::pair<std::string, int64_t>> sizes;
};

/// Indices among the arguments (checked/Indices.h): the part of a parameter that holds them, and how many there are to choose from.
struct IndexFacts {
  struct Axis {
    Dim begin, size;
    int64_t step = 1;
  };
  std::string parameter;
  std::vector<Axis> axes;
  Dim extent;
  bool fromEnd = false;
  std::string of;
  std::vector<Dim> dims() const;
};

struct EntryFacts {
  explicit EntryFacts(ir::target::EntryOp entry);
  ir::target::EntryOp entry;
  std::string name;    // as the program has it
  std::string symbol;  // of the C function
  std::string call;    // of its uniform form
  std::string cppName;  // of the C++ function, in its namespace
  std::string signature, doc;
  std::vector<ParameterFacts> parameters;
  std::vector<std::string> returns;
  std::vector<ir::target::RequireOp> requirements;
  std::vector<ir::target::ConstantOp> constants;
  std::vector<ir::target::TemporaryOp> temporaries;
  std::vector<ir::target::TableOp> tables;
  std::vector<ir::target::LaunchOp> launches;
  std::vector<mlir::Operation *> steps;  // these, and what devices do together between them
  std::vector<MeshDim> mesh;             // what it asks the mesh of devices for, in the order of their names
  /// Dimension variables in the order in which parameters bind them.
  std::vector<std::string> dims;
  std::vector<SolvedDim> solved;  // the last of them
  std::vector<SpecialFacts> specials;  // in the order in which they are tried
  std::vector<IndexFacts> indices;
  std::map<std::string, std::string> operandNames;  // in a function for launches: how it calls its temporaries and tables
  const ParameterFacts *parameter(llvm::StringRef name) const;
  ir::target::TemporaryOp temporary(llvm::StringRef name) const;
  ir::target::TableOp table(llvm::StringRef name) const;
  /// Of the elements of a parameter, a temporary or a table.
  mlir::Type dtypeOf(llvm::StringRef tensor) const;
  /// Bytes of the temporaries with memory of their own that one call can take, as an expression over the dimensions: of the two sides of a
  /// condition, the larger one. `never`: what is known not to hold. Bytes of one.
  Dim workspaceBytes(llvm::function_ref<bool(mlir::Attribute condition)> never = {}) const;
  static Dim bytesOf(ir::target::TemporaryOp temporary);
  /// The first and the last launch that a temporary holds something for, by their places; in a loop, all launches of it.
  std::pair<size_t, size_t> lifeOf(ir::target::TemporaryOp temporary) const;
};

/// "kernels_cpu_" for the namespace "kernels::cpu": what the names of its C functions begin with.
std::string prefixOf(const std::string &nameSpace);
/// In the order of the program. `nameSpace`: of EmitOptions.
std::vector<EntryFacts> entriesOf(mlir::ModuleOp module, const std::string &nameSpace = {});

}  // namespace tessera::codegen
