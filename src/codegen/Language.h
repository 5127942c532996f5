// The tables in which CUDA, HIP and C++ differ. The printers ask them and nothing else.
#pragma once
#include "codegen/source/Writer.h"
#include "support/DType.h"

namespace tessera::codegen {

/// What a launch needs, as text.
struct LaunchText {
  Doc kernel;                 // with template arguments or a variable that holds it
  bool hasArguments = false;  // of a template
  std::string groups, group;  // numbers of groups and of lanes
  std::string sharedBytes = "0";
  std::vector<Doc> arguments;
  bool early = false;  // while the kernel before it ends
  bool clusters = false;  // `groups` says how they stand in clusters
};

struct Language {
  Target target;
  const char *name;  // "CUDA", for comments
  const char *suffix;
  bool gpu;
  const char *kernelMarks;   // before `void`
  const char *tableMarks;    // before the type of an array of constants that kernels read
  const char *launchBounds;  // "" if there are none, else the mark that takes the number of lanes
  bool boundsTakeGroups;     // and how many groups a processor has room for at least
  const char *sharedMark;    // of static shared memory
  int64_t sharedAlignment;   // bytes, of such memory; 0: that of its type
  const char *restrictMark;
  const char *unrollAll;  // `#pragma` for a loop that is unrolled wholly
  const char *unrollBy;   // with the number behind it
  /// The declaration of dynamic shared memory under that name.
  std::string (*dynamicShared)(const std::string &name, int64_t alignment);
  /// The statement that starts a kernel.
  Doc (*launch)(const LaunchText &launch, const std::string &call);
};

/// What the targets share that have CUDA's words; target, name, suffix, dynamicShared and launch are left to
/// them.
Language gpuLanguage();
const Language &cudaLanguage();
const Language &hipLanguage();
const Language &cpuLanguage();
const Language &languageOf(Target target);

}  // namespace tessera::codegen
