// Texts about what the checker knows, as a user would write them.
#pragma once
#include "ide/View.h"
#include <string>
#include <string_view>
#include <vector>

namespace tessera::ide {

/// "[B*S, 4*D]". Constants with names keep them.
std::string shapeText(const std::vector<Dim> &shape);
/// "Tensor[M, K, bf16 @accum(f32)]", "Int = 128", "(tensor, tensor)"; empty: nothing worth saying.
std::string typeText(const sema::Fact &fact);
/// "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]": the head of a definition on one line, without its decorators.
std::string signatureText(const ast::FuncDef &def, const Sources &sources);
std::string signatureText(const sema::BuiltinRow &row);
/// The text below a head, without its indentation; empty if there is none.
std::string docOf(const ast::Block &body);
/// The comment lines right above a place.
std::string commentAbove(const Sources &sources, Span place);

/// One parameter of something that can be called.
struct ParameterText {
  std::string name;                 // "axis"
  std::string text;                 // "axis: Int = -1"
  bool many = false;                // takes any number
  const ast::Expr *type = nullptr;  // as it is declared
};
struct CallableText {
  std::string name, label, doc;
  std::vector<ParameterText> parameters;
};
CallableText callableOf(const ast::FuncDef &def, const Sources &sources, bool method);
CallableText callableOf(const ast::StructDef &def, const Sources &sources);
CallableText callableOf(const sema::BuiltinRow &row, bool method);

/// The facts that a function states and that speak of one of these dimensions: "`D % H == 0` (line 3)".
std::vector<std::string> factsAbout(const View &view, const ast::FuncDef &def, const std::vector<Dim> &shape);
/// Whether it is a product of matrices.
bool isProduct(const View &view, const ast::Expr &expr);
/// The work of an operator or a call, without that of its operands, as formulas: "2*K*M*N FLOPs, 2*K*M + 2*K*N + 4*M*N bytes
/// if each operand is read once"; or empty.
std::string costText(const View &view, const ast::Expr &expr);

}  // namespace tessera::ide
