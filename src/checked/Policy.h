// What a numerics policy says: which fields go with which dtype, which contradict each other, and what two
// operands with policies of their own have in common (docs/spec/numerics.md, P1 to P16).
#pragma once
#include "checked/Checked.h"
#include <initializer_list>
#include <string_view>

namespace tessera::checked {

inline constexpr PolicyField kPolicyFields[] = {
    PolicyField::Accumulate, PolicyField::Compute,   PolicyField::Round,     PolicyField::RoundAt,
    PolicyField::Saturate,   PolicyField::Denormals, PolicyField::LossScale, PolicyField::PerChannel,
    PolicyField::FastSums};

bool states(const Numerics &numerics, PolicyField field);
void state(Numerics &numerics, PolicyField field);
/// "@accum(f32)": a field as a user would write it.
std::string fieldText(const Numerics &numerics, PolicyField field);
/// All stated fields, each with a blank before it.
std::string policyText(const Numerics &numerics);

/// The first of `fields` that both state, differently.
std::optional<PolicyField> disagreement(const Numerics &a, const Numerics &b);
/// What either states; where both do, `first` wins.
Numerics combined(const Numerics &first, const Numerics &second);
/// Only the fields that say how a value is rounded: what a Cast needs.
Numerics roundingOf(const Numerics &numerics);
/// Without the fields of what stands in memory (loss scale, channels): the policy of a computed value.
Numerics withoutStorage(const Numerics &numerics);

/// The smallest dtype of the two (or just above, for small integers) that holds the values of both.
std::optional<DType> join(DType a, DType b);
bool holds(DType wide, DType narrow);
/// The dtype that arithmetic on `dtype` is done in under a policy (P3).
DType carryType(DType dtype, const Numerics &numerics);
/// The dtype that factors of a product are rounded to (P4).
DType factorType(DType dtype, const Numerics &numerics);

/// Why a policy cannot ride on a dtype.
struct PolicyRefusal {
  bool contradiction = false;  // of `first` and `second`; else `first` has no meaning for `second`
  std::string first, second, reason;
};
std::optional<PolicyRefusal> refusal(DType dtype, const Numerics &numerics);

/// What a weak literal cannot be in `dtype`: "its values end at 127"; empty if it fits.
std::string literalMisfit(DType dtype, double value);

}  // namespace tessera::checked
