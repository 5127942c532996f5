// What the places of a gather say, where they are made of counted numbers: who takes elements knows then who took them.
#pragma once
#include "autodiff/Builder.h"

namespace tessera::autodiff {

/// The number k of places `max(iota - k, 0)`, in i64, as shifts that leave the first element where it is have them; null if they are
/// others. What counts from the end below 0 is no part of them.
Term shiftOf(const Term &places, const Builder &builder);

/// Places (k, j) of the windows that see element j at their place k, as the derivative of windows asks for them (Transpose.cpp):
/// (j - k * dilation) / step, and none where that has a remainder.
struct WindowPlaces {
  int64_t step, dilation;
};
std::optional<WindowPlaces> windowPlacesOf(const Term &places, const Builder &builder);

/// Whether they are extent - 1 - iota, as `flip` has them.
bool areBackwards(const Term &places, const Dim &extent, const Builder &builder);

}  // namespace tessera::autodiff
