// Shapes of expressions by algebra alone, from the shapes of the names in them.
#pragma once
#include "frontend/AST.h"
#include "sema/advice/ShapeAlgebra.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::sema {

/// What is known of a value without its elements.
struct Outline {
  enum Kind { Unknown, Array, Number, Tuple, Record } kind = Unknown;
  Extents shape;                          // Array: a number of run time has none
  Dim number = Dim::undefined();          // Number
  std::vector<Outline> items;             // Tuple, and of a list
  std::map<std::string, Outline> fields;  // Record

  static Outline ofKind(Kind kind) {
    Outline made;
    made.kind = kind;
    return made;
  }
  static Outline array(Extents shape) { return {Array, std::move(shape), Dim::undefined(), {}, {}}; }
  static Outline of(Dim number) { return {Number, {}, std::move(number), {}, {}}; }
  static Outline of(ShapeAlgebra::Result shape) { return shape ? array(std::move(*shape)) : Outline{}; }
};
/// Whether the same is known of both.
bool areAlike(const Outline &a, const Outline &b);
using Outlines = std::map<std::string, Outline>;

/// A call that goes along an axis, or along all of them, and leaves one element of each.
bool isReduction(const std::string &name);

/// Reads expressions of one function. Nothing it does not know fails.
class ShapesOfValues {
public:
  /// `module`: whose functions and structs are called by name.
  ShapesOfValues(const ast::Module &module, ShapeAlgebra &algebra) : module_(module), algebra_(algebra) {}
  Outline of(const ast::Expr &e, const Outlines &names);
  /// What a declared type says, of dimensions that have values.
  Outline declared(const ast::Expr &type, const Outlines &names);
  Outline combined(const Outline &a, const Outline &b, ast::BinaryOp op);

private:
  Outline binary(const ast::BinaryExpr &e, const Outlines &names);
  Outline attribute(const ast::AttributeExpr &e, const Outlines &names);
  Outline subscript(const ast::SubscriptExpr &e, const Outlines &names);
  Dim extentOf(const ast::SliceExpr &slice, const Dim &whole, const Outlines &names);
  Outline call(const ast::CallExpr &e, const Outlines &names);
  Outline ofFunction(const ast::FuncDef &def, const ast::CallExpr &e, const Outlines &names);
  void bind(const ast::Expr &type, const Outline &given, Outlines &dims);
  struct Call {  // of the language or of its library
    const ast::CallExpr &expr;
    const std::vector<Outline> &given;  // by place
    const Outlines &names;
  };
  Outline ofName(const std::string &name, const Call &call);
  Outline ofSizes(const std::string &name, const Call &call);
  Outline ofSeveral(const std::string &name, const Call &call);
  Outline ofAxes(const std::string &name, const Call &call);
  Outline ofPair(const std::string &name, const Call &call);
  Outline reduction(const Call &call);
  std::optional<std::vector<int64_t>> axesOf(const Call &call, size_t at);
  std::optional<Extents> extentsOf(const std::vector<Outline> &given, size_t from);

  const Outlines &constants();

  const ast::Module &module_;
  std::optional<Outlines> constants_;  // once they are asked for
  ShapeAlgebra &algebra_;
  int depth_ = 0;
};

}  // namespace tessera::sema
