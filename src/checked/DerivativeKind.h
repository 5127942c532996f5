// What the checker and autodiff::expand say to each other about derivatives, in the checked program's own terms.
#pragma once
#include "checked/Checked.h"

namespace tessera::checked {

/// `queryAxis` of a Derivative.
enum class DerivativeKind : uint8_t {
  Gradient,          // for each parameter of `axes` a value of its type
  ValueAndGradient,  // ... behind the value of `callee`
  Pullback,          // ... where further args are the derivatives by the results
  Pushforward,       // for each result a value of its type; further args are the derivatives of the parameters
};

/// `text` of a Cast to its own dtype whose operand a derivative takes as constant: `stop_gradient(x)`.
inline constexpr const char *kStop = "stop";

/// The option of a function with `@custom_vjp` that names the function that is its rule.
inline constexpr const char *kRule = "vjp";

}  // namespace tessera::checked
