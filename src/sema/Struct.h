// Structs of the language, and types as they are declared: structs and tuples over the types of the checked program.
// The checked program knows neither: a struct is its fields, a tuple its items, in order.
#pragma once
#include "frontend/AST.h"
#include "sema/Checked.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tessera::sema {

struct Callable;
struct ModuleScope;

struct StructField {
  std::string name;
  const ast::Expr *type = nullptr;
  const ast::Expr *defaultValue = nullptr;  // null: it has to be given
  Span span;
};
/// What `struct Block[D, F]:` declares.
struct StructInfo {
  std::string name;
  Span nameSpan;
  const ast::StructDef *def = nullptr;
  ModuleScope *module = nullptr;
  std::vector<StructField> fields;
  std::map<std::string, const Callable *> methods;
  std::string lost;               // a field whose type could not be read: nothing more is said of it
  const Callable *model = nullptr;  // of a function with @model, whose parameters are the fields
  const Callable *modelInit = nullptr, *modelCall = nullptr;  // what `.init` is; the entry point of a call from host code
  std::map<uint32_t, bool> layerLoops;  // of a model, by their places: loops whose layers are stacks; whether run time turns them
  enum class Fields : uint8_t { Written, Open, BeingFound, Found } state = Fields::Written;  // of a model
  bool isState = false;           // @state: its values are linear, and an entry point changes its parameters in place
  mutable bool recursive = false;  // or too large: a message was given
};
/// One use of it, with what its type parameters stand for: Block[D, 512].
struct StructInstance {
  const StructInfo *info = nullptr;
  std::map<std::string, Dim> dims;
  std::map<std::string, Type> dtypes;  // of parameters `T: dtype`: dtype and numerics
  std::vector<Dim> stack;  // `[Block[D]; L]`: every array in it has these axes in front; one struct: none
};

struct DeclaredType {
  enum class Kind : uint8_t { Plain, Struct, Tuple, None };
  Kind kind = Kind::Plain;
  Type plain;
  std::shared_ptr<const StructInstance> instance;  // Struct
  std::vector<DeclaredType> items;                 // Struct: of its fields; Tuple
  bool mayBeNone = false;                          // the one of `A | None` that is not None
  Span span;                                       // where it is written
};

/// `A | B | None` as a list; anything else is a list of itself.
std::vector<const ast::Expr *> alternativesOf(const ast::Expr &annotation);
/// The item types of `(A, B)`, `tuple[A, B]`, `tuple[A, ...]` and `list[A]` (`count` times A). False: no tuple.
bool tupleItems(const ast::Expr &annotation, size_t count, std::vector<const ast::Expr *> &items);
/// `T` of `T @policy @policy`.
const ast::Expr &withoutPolicies(const ast::Expr &annotation);
/// The policy of a cache that rolls on.
bool isRollingWindow(const ast::Expr &policy);
/// A tuple or list type that does not say how many items there are.
bool isOpenTuple(const ast::Expr &annotation);

/// Which alternative of its type each parameter with several has in one entry point, by the parameter's name or the
/// path to the field (`p_bias`).
using Choices = std::map<std::string, size_t>;

}  // namespace tessera::sema
