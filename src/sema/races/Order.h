// What a kernel's results owe to the order in which its lanes and groups happen to run, and to the sizes of its tiles.
#pragma once
#include "sema/Checked.h"

namespace tessera::sema::races {

/// `nondet` where data decide which element is written, or which element of a tensor that is written is read: two lanes or
/// groups may mean the same one, and nothing orders them (K20).
Effects effectsOfOrder(const Function &kernel);

/// Where lanes read an element that data name and write it back changed, `counts[x[i]] += 1`: two of them may mean the same
/// one, and one change is lost. Nothing under a condition that one lane meets.
std::vector<const Stmt *> lostUpdates(const Function &kernel);

/// `schedule` where a condition or a value is made of a tile's size that the schedule leaves open (K21). A position is none:
/// the number of a tile times its size, or where a loop in steps of it has got to.
Effects effectsOfSizes(const Function &kernel);

}  // namespace tessera::sema::races
