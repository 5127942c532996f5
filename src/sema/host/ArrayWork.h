// Arithmetic on arrays in host code. The largest expression over arrays becomes a tensor function, which is checked, compiled and called as
// any other. What it is made of, its operands, host code evaluates before.
#pragma once
#include "sema/Context.h"
#include <functional>
#include <set>
#include <string>

namespace tessera::sema {

/// What is known of a part of an expression in host code before it is computed.
struct SeenPart {
  bool touches = false;  // reads a tensor
  bool array = false;    // is a tensor with dimensions
  bool barred = false;   // no tensor function takes it: a stream, a cache, a text of run time
  bool tried = false;    // with whole structs: what no tensor function does is done part by part

  void add(const SeenPart &part) { touches |= part.touches, array |= part.array, barred |= part.barred, tried |= part.tried; }
};

/// An operand as host code has it, and as an argument.
struct ArrayOperand {
  const ast::Expr *syntax = nullptr;
  bool asNumber = false;  // an integer in arithmetic, and not one that decides a shape
  bool amongIntegers = false;  // ... beside integers: `k + argmax(x)`
  bool asSize = false;  // where a part begins or ends: `x[at[i]:at[i + 1]]`
};

// ---- ArrayOperands.cpp
/// The operands of an expression, in the order in which they are evaluated. They are evaluated into `cx.function.operands`. Nothing if no
/// function of tensors computes the expression.
std::optional<SeenPart> lookInside(Context &cx, const ast::Expr &expr, std::vector<ArrayOperand> &operands);
/// The same of arithmetic on these.
std::optional<SeenPart> lookInside(Context &cx, const std::vector<const ast::Expr *> &parts, std::vector<ArrayOperand> &operands);

// ---- RunByHost.cpp
/// What has been said so far.
struct SaidBefore {
  explicit SaidBefore(const Context &cx);
  /// Forgets what was said since, and says these instead.
  void restore(Context &cx, std::vector<diag::Diagnostic> instead = {}) const;

  size_t diagnostics, failures;
  std::set<std::tuple<int, FileId, uint32_t>> reported;
  std::set<std::pair<const Callable *, std::string>> unknown;
};
/// Whether the function at hand takes no tensors by its types, and host code of `main` can run it: loops that are left by `return` it runs itself.
bool isLeftToHost(const Context &cx);
/// Whether what was said since tells that no tensor function can be made of a function with types, but host code may run it: `main` calls it,
/// or will. Then it is said only where host code cannot either.
bool leaveToHost(Context &cx, const Callable &callable, const SaidBefore &before);
/// At the end of the check: what is wrong with functions that were left to host code, which runs them not.
void sayWhatWasLeft(Context &cx);
/// No tensor function could be made of arithmetic that calls functions without types, as what was said since tells. True if host code may run
/// them instead, from now on: `again` then checks the arithmetic. What was said stays if that has mistakes, too. `numbers`: what the integers
/// of run time are called that it was given.
std::optional<Value> runByHost(Context &cx, const std::vector<const ast::Expr *> &parts, const SaidBefore &before, const std::set<std::string> &numbers,
                               const std::function<std::optional<Value>()> &again);

// ---- ArrayWork.cpp
/// The value of an expression over arrays in host code; nothing if it is none.
std::optional<Value> arrayWork(Context &cx, const ast::Expr &expr);
/// The new value of `x` in `x += y`. Its operands are not forgotten: what computes it otherwise uses them.
std::optional<Value> arrayWork(Context &cx, const ast::AugAssignStmt &stmt);
/// `x[mask] = value`: the new x. Nothing if the index is no mask.
std::optional<Value> maskedStore(Context &cx, const ast::SubscriptExpr &place, const Value &target, const Value &value, Span span);
/// A tensor of host code in another dtype.
Value castTensor(Context &cx, Value tensor, DType to, Span span);
/// A tensor of host code where a wider dtype of its kind is asked for, which holds all of its values. Anything else stays as it is.
Value widenedTensor(Context &cx, Value tensor, DType to, Span span);
/// Whether an operand is a list that a loop makes longer.
bool isHeldList(const Context &cx, const ast::Expr &expr);
/// Takes away the operands from this one on: another time they may be others.
void forgetOperands(Context &cx, size_t from);
/// What an operand that was evaluated before stands for here; nothing if it was not.
std::optional<Value> operandHere(Context &cx, const ast::Expr &expr);

}  // namespace tessera::sema
