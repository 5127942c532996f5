#include "tools/tessera/Compiled.h"

namespace tessera::tools {

bool Compiled::together(const std::vector<std::string> &functions) {
  if (target_.reference || functions.empty()) return true;
  const size_t said = session_.diagnostics.all().size();
  all_ = driver::loadCompiled(session_, target_, functions);
  if (all_) return true;
  const auto &messages = session_.diagnostics.all();
  const bool ofProgram = messages.size() > said && messages[said].span.valid();
  if (ofProgram) session_.diagnostics.truncate(said);  // each function says why when it is asked for
  return ofProgram;
}

driver::LoadedProgram *Compiled::with(const std::string &function) {
  if (all_) return all_.get();
  if (!one_ || oneName_ != function) {
    one_.reset();
    one_ = driver::loadCompiled(session_, target_, {function});
    oneName_ = function;
  }
  return one_.get();
}

}  // namespace tessera::tools
