// tessera explain --why-not
#pragma once
#include <string>

namespace tessera::tools {

struct WhyNotOptions {
  std::string instruction;           // "wgmma" or "mma"; empty: the command was not asked for
  std::string place;                 // "model.tsr", or "model.tsr:12" for the function around line 12
  std::string target = "cuda:sm_90a";
};

/// Prints for each kernel of the program why its products are not done by the instruction; returns the exit code.
int whyNot(const WhyNotOptions &options);

}  // namespace tessera::tools
