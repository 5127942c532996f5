// Dimensions as expressions, and as the text of extents.
#include "ir/common/Common.h"
#include "ir/common/Names.h"
#include "shape/Facts.h"
#include "support/Check.h"
#include "transforms/target/sizes/Sizes.h"

using namespace mlir;
using tessera::shape::plainlyNonNegative;

namespace tessera::transforms::totarget {

ExprRef dimVar(Emission &em, const std::string &variable) {
  if (auto constant = em.sizes->constants.find(variable); constant != em.sizes->constants.end())
    return name(constant->second, em.indexType());
  ExprRef &value = em.sizes->dims[variable];
  if (!value) {
    Value argument = em.top->addArgument(em.indexType(), em.kernel.getLoc());
    em.parameters.push_back(em.names.asParameter(em.names.declare(variable)));
    em.info.dims.push_back(variable);
    value = valueOf(argument);
  }
  return value;
}

/// "by_W" for W, "by_W_plus_2" for W + 2.
static std::string divisorName(const std::string &text) {
  std::string name = "by";
  for (size_t at = 0; at < text.size(); ++at) {
    if (llvm::isAlnum(text[at])) {
      if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_')) name += '_';
      name += text[at];
    } else if (text[at] == '_') {
      name += '_';
    } else if (text[at] != ' ') {
      const bool halves = text.compare(at, 2, "//") == 0;
      name += text[at] == '+' ? "_plus" : text[at] == '-' ? "_minus" : text[at] == '*' ? "_times" : text[at] == '/' ? "_over" : "";
      at += halves;
    }
  }
  constexpr size_t kLongest = 32;
  return name.size() > kLongest ? "by_extent" : name;
}

static ExprRef computedByLaunch(Emission &em, const std::string &text, ExprRef &value, Type type, const std::string &name) {
  if (!value) {
    value = valueOf(em.top->addArgument(type, em.kernel.getLoc()));
    em.parameters.push_back(em.names.freshOutside(name));
    em.info.dims.push_back(text);
  }
  return value;
}
ExprRef divisor(Emission &em, const Dim &dimension) {
  const std::string text = dimension.str();
  return computedByLaunch(em, text, em.sizes->divisors[text], ir::target::DivisorType::get(em.context), divisorName(text));
}
ExprRef given(Emission &em, const Dim &dimension, StringRef name) {
  const std::string text = dimension.str();
  return computedByLaunch(em, text, em.sizes->given[text], em.indexType(), name.str());
}

static ExprRef dimAtom(Emission &em, const Atom &atom) {
  if (atom.kind == AtomKind::Var) return dimVar(em, atom.name);
  const Dim &left = *atom.left, &right = *atom.right;
  bool divides = atom.kind == AtomKind::FloorDiv || atom.kind == AtomKind::Mod;
  bool plain = divides && em.facts.isNonNegative(left) && em.facts.isNonNegative(right);  // C rounds alike
  if (atom.kind == AtomKind::FloorDiv) {
    Dim counted = left - right + Dim(1);  // (x + right - 1) // right
    if (counted.terms().size() < left.terms().size() ||
        (right.isConstant() && right.constant() > 1 && plainlyNonNegative(counted) && counted.terms().size() == 1 &&
         !counted.isConstant()))
      return call("tsr::ceil_div", {dim(em, counted), dim(em, right)}, em.indexType());
    if (plain) return binary("/", dim(em, left), dim(em, right));
    return call("tsr::floordiv", {dim(em, left), dim(em, right)}, em.indexType());
  }
  if (atom.kind == AtomKind::Mod) {
    if (plain) return binary("%", dim(em, left), dim(em, right));
    return call("tsr::mod", {dim(em, left), dim(em, right)}, em.indexType());
  }
  return call(atom.kind == AtomKind::Min ? "tsr::min" : "tsr::max", {dim(em, left), dim(em, right)}, em.indexType(),
              {TypeAttr::get(em.indexType())});
}

static ExprRef dimTerm(Emission &em, const Dim::Term &term) {
  int64_t coefficient = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  ExprRef product = em.typed(coefficient);
  for (const auto &[atom, power] : term.atoms)
    for (int i = 0; i < power; ++i) product = binary("*", product, dimAtom(em, atom));
  return product;
}

ExprRef dim(Emission &em, const Dim &dimension) {
  // Added before taken away, and numbers last: n - m + 1.
  std::vector<Dim::Term> ordered;
  for (bool positive : {true, false})
    for (bool number : {false, true})
      for (const Dim::Term &term : dimension.terms())
        if ((term.coefficient > 0) == positive && term.atoms.empty() == number) ordered.push_back(term);
  ExprRef sum;
  for (const Dim::Term &term : ordered) {
    ExprRef part = dimTerm(em, term);
    if (!sum) sum = term.coefficient < 0 ? binary("-", em.typed(0), part) : part;
    else sum = binary(term.coefficient < 0 ? "-" : "+", sum, part);
  }
  return sum ? sum : em.typed(0);
}

static Dim shown(Emission &em, const Dim &dimension) {
  if (!dimension.hasNames()) return dimension;
  std::set<std::string> variables;
  dimension.written().collectVars(variables);
  std::map<std::string, Dim> numbers;
  for (const std::string &variable : variables)
    if (auto constant = namedConstant(variable); constant && !em.sizes->constants.count(variable))
      numbers.emplace(variable, Dim(constant->second));
  return dimension.written().substitute(numbers);
}

std::vector<Dim> written(Emission &em, ArrayRef<ir::DimAttr> shape, Location location) {
  std::vector<Dim> extents;
  for (ir::DimAttr extent : shape) extents.push_back(extent.getDim());
  SmallVector<Dim> sizes = ir::sizesOf(location);
  if (sizes.size() != extents.size())  // axes of one element are gone from a tile's type
    llvm::erase_if(sizes, [](const Dim &size) { return size == Dim(1); });
  if (!llvm::equal(sizes, extents)) return extents;
  for (auto [extent, size] : llvm::zip(extents, sizes)) extent = shown(em, size);
  return extents;
}

ExprRef size(Emission &em, const Dim &dimension, Location location) {
  SmallVector<Dim> sizes = ir::sizesOf(location);
  return dim(em, sizes.size() == 1 && sizes[0] == dimension ? shown(em, sizes[0]) : dimension);
}

Dim inConstants(Emission &em, const Dim &dimension) {
  std::map<std::string, Dim> values;
  for (const auto &[variable, constant] : em.sizes->constants) {
    auto size = em.sizes->values.find(constant);
    bool clashes = llvm::is_contained(em.kernel.getDims().getAsValueRange<StringAttr>(), constant);
    if (clashes && size != em.sizes->values.end()) values.emplace(variable, Dim(size->second));
    else values.emplace(variable, Dim::var(constant));
  }
  return dimension.substitute(values);
}

/// Whether the text of the dimension is an expression of C, too.
static bool isArithmetic(const Dim &dimension) {
  for (const Dim::Term &term : dimension.terms())
    for (const auto &[atom, power] : term.atoms) {
      if (atom.kind == AtomKind::Var) continue;
      if (atom.kind != AtomKind::FloorDiv && atom.kind != AtomKind::Mod) return false;
      if (!isArithmetic(*atom.left) || !isArithmetic(*atom.right)) return false;
    }
  return true;
}

std::string typeExtent(Emission &em, const Dim &dimension) {
  if (!isArithmetic(dimension)) {
    Dim numbers = inNumbers(dimension);
    TSR_CHECK(isArithmetic(numbers), "the extent of a type that C cannot say: " + dimension.str());
    return typeExtent(em, numbers);
  }
  std::map<std::string, Dim> values;
  for (const auto &[variable, constant] : em.sizes->constants) values.emplace(variable, Dim::var(constant));
  for (const auto &[variable, constant] : em.sizes->capacities) values.emplace(variable, Dim::var(constant));
  std::string text = dimension.substitute(values).str();
  for (size_t at; (at = text.find("//")) != std::string::npos;) text.replace(at, 2, "/");
  for (size_t at = 0; (at = text.find('*', at)) != std::string::npos; at += 3) text.replace(at, 1, " * ");
  return text;
}

}  // namespace tessera::transforms::totarget
