// The linear maps that a derivative is made of. A tangent is a sum of linear maps of other tangents: pushed forward they
// are the program of `jvp`, pulled back, from the last to the first, that of `grad`. Only these know both directions.
#pragma once
#include "autodiff/Builder.h"
#include "diag/Diagnostic.h"
#include <functional>
#include <set>

namespace tessera::autodiff {

/// The derivative of the result by a value. Where `mask` is false it is 0, whatever `value` is there: a branch that is
/// not taken contributes exactly nothing, also where its own derivative is infinite.
struct Cotangent {
  Term value;  // null: 0
  Term mask;   // null: true everywhere
};

/// A linear map of one tangent.
struct Edge {
  enum class Kind : uint8_t {
    Same,
    Negated,
    Times,   // element by element, times `factor`
    Over,    // ... divided by it
    Chosen,  // ... where `condition` is `when`, and times `factor` if there is one; 0 elsewhere
    Moved,   // the linear operation `op` of its operand
  };
  Kind kind = Kind::Same;
  checked::Var *from = nullptr;
  Term factor, condition;
  bool when = true;
  std::shared_ptr<const checked::Expr> op;
  size_t operand = 0;
  bool repeated = false;  // a product: `from` is a matrix that the operand repeats for all of a batch
};

/// What is known of derivatives by and of values while the steps are gone through.
class Cotangents {
public:
  explicit Cotangents(Builder &builder) : builder_(builder) {}
  /// Those of one turn of a loop, whose variables start with the number `first`: what is older gets the sum of all turns.
  Cotangents(Cotangents &around, size_t first) : builder_(around.builder_), around_(&around), first_(first) {}
  void add(const checked::Var *var, Cotangent part);
  /// The part of a slice at places that run time knows, added where it belongs instead of as an array with zeros around. False if
  /// the edge is something else.
  bool addInPlace(const Edge &edge, const Cotangent &cotangent);
  /// Adds what is left for older values to their sums.
  void addUp();
  /// The sums of all turns that begin with this loop, in the order in which they were found.
  const std::vector<std::pair<const checked::Var *, checked::Var *>> &sums() const { return sums_; }
  /// All that was added for a value, as one; `value` is null if there is nothing.
  Cotangent take(const checked::Var *var);
  bool has(const checked::Var *var) const { return parts_.count(var) != 0 || slices_.count(var) != 0; }
  /// The cotangent as a plain value of this type.
  Term plain(const Cotangent &cotangent);
  Term takePlain(const checked::Var *var) { return plain(take(var)); }
  Builder &builder() { return builder_; }

private:
  Cotangent sum(std::vector<Cotangent> parts);
  bool isOlder(const checked::Var *var) const { return around_ && var->id < first_; }
  checked::Var *sumOf(const checked::Var *var);
  Term added(const Term &whole, const Places &places, const Term &part);
  Builder &builder_;
  Cotangents *around_ = nullptr;
  size_t first_ = 0;
  std::vector<std::pair<const checked::Var *, checked::Var *>> sums_;
  std::map<const checked::Var *, std::vector<Cotangent>> parts_;
  std::map<const checked::Var *, std::vector<std::pair<Places, Term>>> slices_;  // at places that run time knows
};

/// Tangents by their values; a value without one has the tangent 0.
using Tangents = std::map<const checked::Var *, Term>;

/// Something that the primal computes, with its tangents.
class Step {
public:
  virtual ~Step() = default;
  virtual void pushForward(Tangents &tangents, Builder &builder) const = 0;
  virtual void pullBack(Cotangents &cotangents) const = 0;
  /// Whether some of its values are among those that are asked for; then it asks for what it is made of.
  virtual bool isAsked(std::set<const checked::Var *> &asked) const = 0;
};

/// The tangent of `out` is the sum of the edges. `place`: of the operation in the program, whose derivative is there, too.
class LinearStep : public Step {
public:
  LinearStep(checked::Var *out, std::vector<Edge> edges, Span place) : out_(out), edges_(std::move(edges)), place_(place) {}
  void pushForward(Tangents &tangents, Builder &builder) const override;
  void pullBack(Cotangents &cotangents) const override;
  bool isAsked(std::set<const checked::Var *> &asked) const override;

private:
  checked::Var *out_;
  std::vector<Edge> edges_;
  Span place_;
};

/// One edge in each direction.
Term pushedForward(const Edge &edge, const Term &tangent, Builder &builder);
Cotangent pulledBack(const Edge &edge, const Cotangent &cotangent, Builder &builder);

/// The transpose of a linear operation: what its result's cotangent is for the operand (Transpose.cpp).
Cotangent transposed(const Edge &edge, const Cotangent &cotangent, Builder &builder);

/// `value` where `mask` holds, else 0.
Term masked(const Cotangent &cotangent, Builder &builder);
/// In the spelling of this type's shape; a scalar is the sum of what it was repeated to.
Cotangent fitted(Cotangent cotangent, const checked::Type &type, Builder &builder);

}  // namespace tessera::autodiff
