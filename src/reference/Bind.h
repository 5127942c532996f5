// Arguments meet parameters: dtypes and ranks are checked, dimension variables are found, requirements are
// decided.
#pragma once
#include "reference/Datum.h"
#include "reference/Reference.h"

namespace tessera::reference {

using DimValues = std::map<std::string, int64_t>;

std::optional<int64_t> evaluateDim(const Dim &dim, const DimValues &values);

/// The argument as the parameter takes it (scalars rounded to their dtype). Null and a message if it does not
/// fit.
Ref adaptArgument(const checked::Function &function, const checked::Param &param, const Ref &argument,
                  std::string &error);

/// Finds every dimension variable from the shapes of the arguments (null: not given) and decides the
/// requirements.
std::optional<RunError> bindDimensions(const checked::Function &function, const std::vector<Ref> &arguments,
                                       DimValues &values);

}  // namespace tessera::reference
