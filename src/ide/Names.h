// Whose name stands where: definitions and uses in one file, found in the tree alone, so that a program with mistakes has
// them, too. Members of structs are looked up with the checker's facts.
#pragma once
#include "frontend/AST.h"
#include "sema/FactTable.h"
#include "support/Sources.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::ide {

enum class SymbolKind : uint8_t {
  Function, Kernel, Method, Struct, Field, Parameter, Dimension, DTypeParameter, Variable, Constant, Import, Policy,
};

struct Symbol {
  std::string name;
  SymbolKind kind = SymbolKind::Variable;
  Span definition;                            // the name where it is bound first
  const ast::FuncDef *owner = nullptr;        // the function whose name it is; null: of the module or a struct
  const ast::FuncDef *function = nullptr;     // Function, Kernel, Method
  const ast::StructDef *structure = nullptr;  // Struct, and the struct of a field, a method or its dimension
  const ast::Parameter *parameter = nullptr;  // Parameter
  const ast::Expr *type = nullptr;            // Field: as it is declared
};

enum class UseKind : uint8_t { Definition, Write, Read };
struct Occurrence {
  Span place;
  uint32_t symbol;
  UseKind use;
};

/// Whether a function is declared a kernel.
bool isKernel(const ast::FuncDef &def);

class Names {
public:
  /// `around`: names in functions are those of the function around this offset, and of those whose parameters it names.
  static Names of(const ast::Module &module, const Sources &sources, const sema::FactTable &facts, std::optional<uint32_t> around = std::nullopt);

  const std::vector<Symbol> &symbols() const { return symbols_; }
  /// In the order of the text.
  const std::vector<Occurrence> &occurrences() const { return occurrences_; }
  /// The occurrence that holds this offset or ends at it, or null.
  const Occurrence *at(uint32_t offset) const;
  std::vector<Occurrence> of(uint32_t symbol) const;
  /// The names that a statement at this offset may use, inner ones first.
  std::vector<uint32_t> visibleAt(uint32_t offset) const;
  /// The innermost function around the offset, or null.
  const ast::FuncDef *functionAt(uint32_t offset) const;
  const Symbol *member(const ast::StructDef *structure, const std::string &name) const;

private:
  friend class NameResolver;
  struct Region {
    Span whole;
    const ast::FuncDef *function;  // null: of a struct
    std::vector<uint32_t> symbols;
  };
  std::vector<Symbol> symbols_;
  std::vector<Occurrence> occurrences_;
  std::vector<Region> regions_;  // the module first, outer ones before those in them
  std::map<std::pair<const ast::StructDef *, std::string>, uint32_t> members_;
};

}  // namespace tessera::ide
