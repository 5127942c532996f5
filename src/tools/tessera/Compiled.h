// The functions of a program, compiled for a machine: together, or each by itself where that fails.
#pragma once
#include "driver/Execute.h"
#include "driver/Session.h"
#include <memory>
#include <string>
#include <vector>

namespace tessera::tools {

class Compiled {
public:
  Compiled(driver::Session &session, const driver::TargetSpec &target) : session_(session), target_(target) {}
  /// Compiles these functions together. Where one of them is at fault, each is compiled when it is asked for. False, with a
  /// message, where nothing can run: there is no compiler, or no GPU.
  bool together(const std::vector<std::string> &functions);
  /// What holds a function, until the next is asked for. Null after an error, which is in the session's engine.
  driver::LoadedProgram *with(const std::string &function);

private:
  driver::Session &session_;
  const driver::TargetSpec &target_;
  std::unique_ptr<driver::LoadedProgram> all_, one_;
  std::string oneName_;
};

}  // namespace tessera::tools
