// `tessera run --check-nan`: which operation made the first NaN.
#pragma once
#include "driver/Reference.h"

namespace tessera::tools {

/// The first result of a call that holds a NaN; null if none does.
const std::string *resultWithNaN(const driver::BoundArguments &bound);
/// Interprets a call whose results hold a NaN, and reports the operation that made it. `call`: what messages say of the call.
void reportNaN(driver::Session &session, const checked::Function &function, const driver::BoundArguments &arguments, const std::string &call);
/// Runs a program that was built with --check-nan as a process of its own, and reports the operation where it ends at a NaN.
/// The exit code.
int runToFirstNaN(driver::Session &session, const checked::Program &program, const std::string &path, const std::vector<std::string> &words);

}  // namespace tessera::tools
