// Expressions of the Target IR as trees, before they are written down. A tree may be shared; write() makes a
// fresh chain of ops each time, so every op keeps its one use.
#pragma once
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include <memory>
#include <string>
#include <vector>

namespace tessera::transforms::totarget {

struct Expr;
using ExprRef = std::shared_ptr<const Expr>;

struct Expr {
  enum class Kind {
    Literal,
    Name,
    Value,
    Read,
    Binary,
    Unary,
    Conditional,
    Cast,
    Call,
    Method,
    Member,
    Subscript,
    Element
  };
  Kind kind;
  mlir::Type type;            // of a place: an lvalue type
  std::string text;           // name, operator, callee
  mlir::Attribute attribute;  // literal; template arguments
  mlir::Value value;          // Value: a declared place or a parameter
  std::vector<ExprRef> operands;
};

ExprRef literal(mlir::Attribute value, mlir::Type type);
ExprRef number(mlir::Type type, int64_t value);  // index, integers and floats
ExprRef name(std::string text, mlir::Type type);
ExprRef valueOf(mlir::Value value);
ExprRef read(ExprRef place);
/// Folds what is plain: 0 + x, x * 1, and integers among themselves.
ExprRef binary(std::string op, ExprRef left, ExprRef right);
ExprRef compare(std::string op, ExprRef left, ExprRef right);
ExprRef unary(std::string op, ExprRef operand);
ExprRef conditional(ExprRef condition, ExprRef yes, ExprRef no);
ExprRef castTo(mlir::Type type, ExprRef operand);
ExprRef call(std::string callee, std::vector<ExprRef> arguments, mlir::Type type,
             std::vector<mlir::Attribute> templates = {});
ExprRef method(ExprRef object, std::string name, std::vector<ExprRef> arguments, mlir::Type type);
ExprRef member(ExprRef object, std::string name, mlir::Type type);
/// A place: `type` is the type held there.
ExprRef subscript(ExprRef base, std::vector<ExprRef> indices, mlir::Type type);
ExprRef element(ExprRef base, std::vector<ExprRef> indices, mlir::Type type);

/// Where any integer type will do: `threadIdx.x` without its conversion.
ExprRef bare(const ExprRef &expr);
/// The integer, if the tree is one.
std::optional<int64_t> asInteger(const ExprRef &expr);
/// Whether the tree mentions this value.
bool mentions(const ExprRef &expr, mlir::Value value);
bool same(const ExprRef &a, const ExprRef &b);
/// A literal, name, parameter or variable: free to write twice.
bool isTrivial(const ExprRef &expr);

mlir::Value write(mlir::OpBuilder &builder, mlir::Location location, const ExprRef &expr);
/// target = value; x = x op y is x op= y.
void assign(mlir::OpBuilder &builder, const ExprRef &target, const ExprRef &value, mlir::Location location);

}  // namespace tessera::transforms::totarget
