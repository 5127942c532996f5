// The verifier of the checked program: every node has what its kind needs. The checker and the expansion of derivatives
// run it on what they made, so that the phases after them can rely on it.
#pragma once
#include <string>

namespace tessera::checked {
struct Function;
struct Program;

/// The first thing that is wrong, with the function and the node it is about; empty if nothing is.
std::string verify(const Program &program);
std::string verify(const Function &function);

}  // namespace tessera::checked
