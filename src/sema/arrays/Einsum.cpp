// einsum("bhqd,bhkd->bhqk", q, k): a letter for each axis. It is written out at check time as sums, transposes,
// reshapes and products of the checked program, operand by operand from the left.
#include "sema/Arguments.h"
#include "sema/Builtins.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/claims/Claims.h"
#include <algorithm>

namespace tessera::sema {

namespace {
struct EinsumOperand {
  Value value;
  std::string letters;  // of its axes, in order
};

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool has(const std::string &letters, char c) { return letters.find(c) != std::string::npos; }
bool isDistinct(const std::string &letters) {
  return std::set<char>(letters.begin(), letters.end()).size() == letters.size();
}
/// The equation with letters of their own for the axes that `...` stands for in operands of these ranks, counted
/// from the last. As it is where `...` is misplaced.
std::string withoutEllipsis(const std::string &equation, const std::vector<size_t> &ranks) {
  std::string text, spare, used;
  for (char c : equation)
    if (c != ' ') text += c;
  size_t arrow = text.find("->");
  std::vector<std::string> parts(1);
  for (char c : text.substr(0, arrow))
    if (c == ',') parts.emplace_back();
    else parts.back() += c, used += c;
  if (!has(used, '.') || parts.size() != ranks.size()) return equation;
  for (char c = 'A'; c <= 'z'; ++c)
    if (isLetter(c) && !has(used, c)) spare += c;
  size_t most = 0;
  std::vector<size_t> axes(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    bool open = parts[i].find("...") != std::string::npos;
    if (open && ranks[i] + 3 >= parts[i].size()) axes[i] = ranks[i] + 3 - parts[i].size();
    most = std::max(most, axes[i]);
  }
  if (most > spare.size()) return equation;
  std::string all = spare.substr(0, most), left, right = arrow == std::string::npos ? all : text.substr(arrow + 2);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (size_t at = parts[i].find("..."); at != std::string::npos) parts[i].replace(at, 3, all.substr(most - axes[i]));
    left += (i ? "," : "") + parts[i];
  }
  if (arrow == std::string::npos) {  // behind them the letters that occur once, sorted
    std::sort(used.begin(), used.end());
    for (char c : used)
      if (isLetter(c) && std::count(used.begin(), used.end(), c) == 1) right += c;
  } else if (size_t at = right.find("..."); at != std::string::npos) {
    right.replace(at, 3, all);
  } else if (most > 0) {
    return equation;
  }
  return left + "->" + right;
}
}  // namespace

/// The letters of each operand and of the result. Without `->` the result has those that occur once, sorted.
static bool einsumLetters(Context &cx, const std::string &equation, size_t operands, Span span,
                          std::vector<std::string> &inputs, std::string &output) {
  auto refuse = [&](const std::string &why) {
    if (fresh(cx, Id::badEquation, span))
      report(cx, Id::badEquation, span, why)
          .help("it is written like `\"bij,bjk->bik\"`: the letters of each operand, and of the result");
    return false;
  };
  std::string text;
  for (char c : equation)
    if (c != ' ') text += c;
  size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  inputs.assign(1, "");
  for (char c : left)
    if (c == ',') inputs.emplace_back();
    else if (isLetter(c)) inputs.back() += c;
    else
      return refuse(c == '.' ? "`...` stands once in an operand, and in the result"
                             : "`" + std::string(1, c) + "` is no letter");
  std::map<char, int> count;
  for (const std::string &letters : inputs)
    for (char c : letters) ++count[c];
  if (arrow == std::string::npos) {
    for (auto [c, n] : count)
      if (n == 1) output += c;
  } else {
    output = text.substr(arrow + 2);
  }
  for (char c : output)
    if (!isLetter(c)) return refuse("`" + std::string(1, c) + "` is no letter");
    else if (!count.count(c)) return refuse("`" + std::string(1, c) + "` of the result is in no operand");
  if (!isDistinct(output)) return refuse("a letter occurs twice in the result");
  for (const std::string &letters : inputs)
    if (!isDistinct(letters))
      return refuse("a letter occurs twice in `" + letters + "`; a diagonal is not understood yet");
  if (inputs.size() != operands)
    return refuse("it has " + std::to_string(inputs.size()) + " operands, but I saw " + std::to_string(operands));
  return true;
}

/// A letter has one extent.
static bool einsumExtents(Context &cx, std::vector<EinsumOperand> &operands, Span span) {
  std::map<char, Dim> extents;
  for (const EinsumOperand &operand : operands)
    for (size_t a = 0; a < operand.letters.size(); ++a) {
      char letter = operand.letters[a];
      const Dim &extent = operand.value.type.shape[a];
      auto [it, inserted] = extents.try_emplace(letter, extent);
      if (inserted) continue;
      shape::Formula same(it->second, Relation::Eq, extent);
      std::string name(1, letter);
      if (claim(cx, same, "`" + name + "` of this `einsum` needs " + show(cx, same), span)) continue;
      if (!fresh(cx, Id::einsumExtent, span)) return false;
      auto builder = report(cx, Id::einsumExtent, span, name, show(cx, it->second), show(cx, extent));
      explainClaim(cx, builder, same);
      return false;
    }
  return true;
}

/// Sums over the axes whose letters are not kept.
static EinsumOperand einsumSum(Context &cx, EinsumOperand operand, const std::string &kept, Span span) {
  Value axes = Value::of(ValueKind::Tuple);
  std::string letters;
  for (size_t a = 0; a < operand.letters.size(); ++a)
    if (has(kept, operand.letters[a])) letters += operand.letters[a];
    else axes.items.push_back(Value::integer(Dim(static_cast<int64_t>(a))));
  if (axes.items.empty()) return operand;
  return {reduce(cx, ReduceOp::Sum, std::move(operand.value), axes, span, false, span, "einsum"), letters};
}

/// The same with its axes in the order of these letters.
static EinsumOperand einsumOrder(Context &cx, EinsumOperand operand, const std::string &letters, Span span) {
  if (operand.letters == letters || operand.value.isPoison()) return operand;
  std::vector<int> axes;
  for (char c : letters) axes.push_back(static_cast<int>(operand.letters.find(c)));
  return {transpose(cx, std::move(operand.value), std::move(axes), span), letters};
}

/// The product of two operands, summed over the letters that both have and that are not kept.
static EinsumOperand einsumPair(Context &cx, EinsumOperand a, EinsumOperand b, const std::string &kept, Span span) {
  std::string batch, summed, onlyA, onlyB;
  for (char c : a.letters)
    if (!has(b.letters, c)) onlyA += c;
    else (has(kept, c) ? batch : summed) += c;
  for (char c : b.letters)
    if (!has(a.letters, c)) onlyB += c;
  auto extentsOf = [](const EinsumOperand &o, const std::string &letters) {
    std::vector<Dim> list;
    for (char c : letters) list.push_back(o.value.type.shape[o.letters.find(c)]);
    return list;
  };
  std::vector<Dim> batchDims = extentsOf(a, batch), aDims = extentsOf(a, onlyA), bDims = extentsOf(b, onlyB);
  std::string letters = batch + onlyA + onlyB;
  if (summed.empty()) {  // [batch, onlyA, 1...] * [batch, 1..., onlyB]
    a = einsumOrder(cx, std::move(a), batch + onlyA, span);
    b = einsumOrder(cx, std::move(b), batch + onlyB, span);
    int at = static_cast<int>(batch.size());
    for (size_t i = 0; i < onlyB.size() && a.value.isArray(); ++i)
      a.value = insertAxis(cx, std::move(a.value), at + static_cast<int>(onlyA.size() + i), span);
    for (size_t i = 0; i < onlyA.size() && b.value.isArray(); ++i)
      b.value = insertAxis(cx, std::move(b.value), at, span);
    return {elementwise(cx, ElementwiseOp::Mul, {a.value, b.value}, span, "einsum"), letters};
  }
  a = einsumOrder(cx, std::move(a), batch + onlyA + summed, span);
  b = einsumOrder(cx, std::move(b), batch + summed + onlyB, span);
  if (a.value.isPoison() || b.value.isPoison()) return {Value::poison(), letters};
  auto folded = [&](Value value, std::vector<Dim> shape, size_t first, size_t second) {
    std::vector<Dim> out(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(batch.size()));
    for (auto [from, to] : {std::pair(batch.size(), first), std::pair(first, second)}) {
      Dim product(1);
      for (size_t i = from; i < to; ++i) product = product * shape[i];
      out.push_back(product);
    }
    return out == shape ? value : reshape(cx, std::move(value), std::move(out), -1, span);
  };
  size_t head = batch.size();
  std::vector<Dim> shapeA = a.value.type.shape, shapeB = b.value.type.shape;
  Value left = folded(std::move(a.value), shapeA, head + onlyA.size(), shapeA.size());
  Value right = folded(std::move(b.value), shapeB, head + summed.size(), shapeB.size());
  if (left.isPoison() || right.isPoison()) return {Value::poison(), letters};
  Value out = dot(cx, std::move(left), std::move(right), Value::of(ValueKind::Absent), span);
  std::vector<Dim> shape = batchDims;
  shape.insert(shape.end(), aDims.begin(), aDims.end());
  shape.insert(shape.end(), bDims.begin(), bDims.end());
  if (out.isPoison() || out.type.shape == shape) return {std::move(out), letters};
  if (!shape.empty()) return {reshape(cx, std::move(out), std::move(shape), -1, span), letters};
  for (int axis : {1, 0}) out = removeAxis(cx, std::move(out), axis, span);
  return {std::move(out), letters};
}

Value arrayEinsum(Context &cx, const BuiltinRow &row, Bound &args, Span span) {
  const Value &equation = args.values[0];
  if (equation.kind != ValueKind::String || equation.expr) {
    if (fresh(cx, Id::wrongArgument, args.spans[0]))
      report(cx, Id::wrongArgument, args.spans[0], quoted(std::string(row.name)), "an equation as text",
             describe(cx, equation));
    return Value::poison();
  }
  std::vector<std::string> inputs;
  std::string output;
  std::vector<size_t> ranks;
  for (const Value &v : args.rest) ranks.push_back((v.kind == ValueKind::View ? v.var->type : v.type).shape.size());
  if (!einsumLetters(cx, withoutEllipsis(equation.text, ranks), args.rest.size(), args.spans[0], inputs, output))
    return Value::poison();
  std::vector<EinsumOperand> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value v = toArray(cx, args.rest[i], DType::F32, args.restSpans[i]);
    if (!requireNumber(cx, v, args.restSpans[i], "einsum")) return Value::poison();
    if (v.type.shape.size() != inputs[i].size()) {
      report(cx, Id::rankMismatch, args.restSpans[i], diag::counted(inputs[i].size(), "dimension"),
             diag::counted(v.type.shape.size(), "dimension"))
          .note(args.spans[0], "`" + inputs[i] + "` has a letter for each axis");
      return Value::poison();
    }
    operands.push_back({std::move(v), inputs[i]});
  }
  if (!einsumExtents(cx, operands, span)) return Value::poison();
  EinsumOperand result;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string later = output, others = output;
    for (size_t j = 0; j < operands.size(); ++j) {
      if (j > i) later += operands[j].letters;
      if (j != i) others += operands[j].letters;
    }
    EinsumOperand next = einsumSum(cx, std::move(operands[i]), others, span);
    if (next.value.isPoison()) return Value::poison();
    operands[i].letters = next.letters;
    result = i == 0 ? std::move(next) : einsumPair(cx, std::move(result), std::move(next), later, span);
    if (result.value.isPoison()) return Value::poison();
  }
  result = einsumSum(cx, std::move(result), output, span);
  return result.value.isPoison() ? result.value : einsumOrder(cx, std::move(result), output, span).value;
}

}  // namespace tessera::sema
