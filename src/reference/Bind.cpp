#include "reference/Bind.h"
#include "reference/Elementwise.h"
#include "support/FloatFormats.h"
#include "support/MeshDims.h"
#include <set>

namespace tessera::reference {
namespace {

using checked::TypeKind;

std::string quoted(const std::string &text) { return "'" + text + "'"; }
std::string shapeOf(const std::vector<Dim> &dims) {
  std::string text;
  for (const Dim &dim : dims) text += (text.empty() ? "" : ", ") + dim.str();
  return "[" + text + "]";
}

/// One-byte codes from a file, now that their dtype is known.
Ref decodeRaw(const Ref &raw, DType dtype) {
  Ref out = makeDatum(dtype, raw->shape);
  for (size_t i = 0; i < raw->ints.size(); ++i) {
    auto code = static_cast<unsigned char>(raw->ints[i]);
    if (out->isFloat()) out->floats[i] = loadFloat(dtype, &code);
    else out->ints[i] = loadInt(dtype, &code);
  }
  return out;
}

Ref adaptArray(const std::string &which, const checked::Type &type, const Ref &argument, std::string &error) {
  if (argument->kind != Datum::Kind::Number) {
    error = which + " is no array, and the parameter is a tensor of " + std::string(name(type.dtype));
    return nullptr;
  }
  if (argument->shape.size() != type.shape.size()) {
    error = which + " has the shape " + shapeText(argument->shape) + " of rank " +
            std::to_string(argument->shape.size()) + ", and the parameter has the shape " +
            shapeOf(type.shape) + " of rank " + std::to_string(type.shape.size());
    return nullptr;
  }
  if (argument->dtype == type.dtype && !argument->rawBytes) return argument;
  if (argument->rawBytes && storageBytes(type.dtype) == 1) return decodeRaw(argument, type.dtype);
  error = which + " holds " + std::string(name(argument->dtype)) + ", and the parameter holds " +
          std::string(name(type.dtype)) + ": convert the array first, nothing is converted silently";
  return nullptr;
}

Ref adaptScalar(const std::string &which, const checked::Type &type, const Ref &argument, std::string &error) {
  DType dtype = type.kind == TypeKind::Index ? DType::I64 : type.dtype;
  if (!argument->isScalar()) {
    error = which + " is no single number, and the parameter is " +
            (type.kind == TypeKind::Index ? "a whole number" : "a scalar of " + std::string(name(dtype)));
    return nullptr;
  }
  bool widens = isFloat(dtype) && isInt(argument->dtype);
  bool sameKind =
      isFloat(dtype) == argument->isFloat() && (dtype == DType::Bool) == (argument->dtype == DType::Bool);
  if (!widens && !sameKind) {
    error = which + " is " + std::string(name(argument->dtype)) + ", and the parameter is " +
            std::string(name(dtype));
    return nullptr;
  }
  return cast(argument, dtype, type.numerics, error);
}

/// What a linear dimension expression with exactly one unknown variable says about it.
struct Unknown {
  std::string name;
  int64_t coefficient = 0, rest = 0;
};
std::optional<Unknown> oneUnknown(const Dim &dim, const DimValues &known) {
  Unknown unknown;
  for (const Dim::Term &term : dim.terms()) {
    int64_t product = term.coefficient;
    std::string name;
    for (const auto &[atom, power] : term.atoms) {
      bool isUnknown = atom.kind == AtomKind::Var && !known.count(atom.name) && !meshDim(atom.name);
      if (isUnknown && power == 1 && name.empty()) {
        name = atom.name;
        continue;
      }
      auto value = atom.kind == AtomKind::Var ? evaluateDim(Dim::var(atom.name), known)
                                              : Dim::parse(atom.str())->evaluate([&](const std::string &n) {
                                                  return evaluateDim(Dim::var(n), known);
                                                });
      if (!value) return std::nullopt;
      for (int i = 0; i < power; ++i) product *= *value;
    }
    if (name.empty()) unknown.rest += product;
    else if (!unknown.name.empty() && unknown.name != name) return std::nullopt;
    else unknown.name = name, unknown.coefficient += product;
  }
  if (unknown.name.empty() || unknown.coefficient == 0) return std::nullopt;
  return unknown;
}

bool holds(checked::Relation relation, int64_t a, int64_t b) {
  switch (relation) {
  case checked::Relation::Eq: return a == b;
  case checked::Relation::Ne: return a != b;
  case checked::Relation::Lt: return a < b;
  case checked::Relation::Le: return a <= b;
  case checked::Relation::Gt: return a > b;
  case checked::Relation::Ge: return a >= b;
  }
  TSR_UNREACHABLE("relation");
}

/// "N = 5, M = 7"
std::string where(const std::set<std::string> &names, const DimValues &values) {
  std::string text;
  for (const std::string &name : names)
    if (auto it = values.find(name); it != values.end())
      text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(it->second);
  return text;
}

class Binder {
public:
  Binder(const checked::Function &function, const std::vector<Ref> &arguments, DimValues &values)
      : function_(function), arguments_(arguments), values_(values) {}

  std::optional<RunError> run() {
    collect();
    for (bool progress = true; progress;) {
      progress = false;
      for (const Claim &claim : claims_) {
        auto unknown = oneUnknown(*claim.dim, values_);
        if (!unknown) continue;
        int64_t product = claim.extent - unknown->rest;
        if (product % unknown->coefficient != 0 || product / unknown->coefficient < 0)
          return RunError{claim.param->var->span, say(claim) + ", and no size " + unknown->name + " makes " +
                                                      claim.dim->str() + " that"};
        values_[unknown->name] = product / unknown->coefficient;
        progress = true;
      }
    }
    if (auto error = checkShapes()) return error;
    if (auto error = checkUnknown()) return error;
    return checkRequirements();
  }

private:
  static constexpr size_t kTheNumber = SIZE_MAX;  // in place of an axis
  struct Claim {
    const checked::Param *param;
    size_t axis;
    const Dim *dim;
    int64_t extent;
  };
  const checked::Function &function_;
  const std::vector<Ref> &arguments_;
  DimValues &values_;
  std::vector<Claim> claims_;

  void collect() {
    for (size_t i = 0; i < function_.params.size(); ++i) {
      const checked::Param &param = function_.params[i];
      const checked::Type &type = param.var->type;
      if (!arguments_[i]) continue;
      if (type.kind == TypeKind::View || type.kind == TypeKind::Tensor)
        for (size_t d = 0; d < type.shape.size(); ++d)
          claims_.push_back({&param, d, &type.shape[d], arguments_[i]->shape[d]});
      else if (type.kind == TypeKind::Index && !type.shape.empty())  // Const[H]: a number that is a size, too
        claims_.push_back({&param, kTheNumber, &type.shape[0], arguments_[i]->ints[0]});
    }
  }
  std::string place(const Claim &claim) const {
    std::string dimension = "dimension " + std::to_string(claim.axis) + " of ";
    return (claim.axis == kTheNumber ? "" : dimension) + quoted(claim.param->var->name);
  }
  std::string say(const Claim &claim) const { return place(claim) + " is " + std::to_string(claim.extent); }
  std::optional<RunError> checkShapes() {
    for (const Claim &claim : claims_) {
      auto expected = evaluateDim(*claim.dim, values_);
      if (!expected || *expected == claim.extent) continue;
      std::string from;
      if (claim.dim->isVar())
        for (const Claim &other : claims_)
          if (other.dim->isVar() && *other.dim == *claim.dim && other.extent == *expected) {
            from = " (from " + place(other) + ")";
            break;
          }
      std::set<std::string> names;
      if (!claim.dim->isVar()) claim.dim->collectVars(names);
      std::string given = where(names, values_);
      return RunError{claim.param->var->span,
                      say(claim) + ", and I expected " + claim.dim->str() +
                          (claim.dim->isConstant() ? "" : " = " + std::to_string(*expected)) + from +
                          (given.empty() ? "" : " (" + given + ")")};
    }
    return std::nullopt;
  }
  std::optional<RunError> checkUnknown() {
    for (const std::string &dim : function_.dims)
      if (!values_.count(dim))
        return RunError{function_.span, "the arguments of " + quoted(function_.name) +
                                            " do not say how large " + dim + " is"};
    return std::nullopt;
  }
  std::optional<RunError> checkRequirements() {
    for (const checked::Requirement &need : function_.requirements) {
      auto left = evaluateDim(need.left, values_), right = evaluateDim(need.right, values_);
      if (left && right && holds(need.relation, *left, *right)) continue;
      std::set<std::string> names;
      need.left.collectVars(names);
      need.right.collectVars(names);
      Span span = need.span.valid() ? need.span : function_.span;
      return RunError{span, quoted(function_.name) + " requires " + need.text + ", which does not hold for " +
                                where(names, values_)};
    }
    return std::nullopt;
  }
};

}  // namespace

std::optional<int64_t> evaluateDim(const Dim &dim, const DimValues &values) {
  return dim.evaluate([&](const std::string &name) -> std::optional<int64_t> {
    auto it = values.find(name);
    return it == values.end() ? meshNumberAlone(name) : std::optional<int64_t>(it->second);
  });
}

Ref adaptArgument(const checked::Function &function, const checked::Param &param, const Ref &argument,
                  std::string &error) {
  std::string which = "the argument " + quoted(param.var->name) + " of " + quoted(function.name);
  const checked::Type &type = param.var->type;
  switch (type.kind) {
  case TypeKind::View:
  case TypeKind::Tensor: return adaptArray(which, type, argument, error);
  case TypeKind::Scalar:
  case TypeKind::Stream:
  case TypeKind::Index: return adaptScalar(which, type, argument, error);
  case TypeKind::HostTensor:
    if (argument->kind == Datum::Kind::Number) return argument;
    error = which + " is no array";
    return nullptr;
  case TypeKind::String:
    if (argument->kind == Datum::Kind::String) return argument;
    error = which + " is no string";
    return nullptr;
  default: return argument;
  }
}

std::optional<RunError> bindDimensions(const checked::Function &function, const std::vector<Ref> &arguments,
                                       DimValues &values) {
  return Binder(function, arguments, values).run();
}

}  // namespace tessera::reference
