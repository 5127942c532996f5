// Compiling at run time with NVRTC and hiprtc, which share every signature.
#include "runtime/GpuApi.h"
#include <dlfcn.h>

namespace tessera::runtime {

DynamicLibrary::DynamicLibrary(const std::vector<const char *> &names) {
  for (const char *name : names)
    if ((handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL))) return;
}
void *DynamicLibrary::find(const char *symbol) const { return handle_ ? dlsym(handle_, symbol) : nullptr; }

namespace {
struct Rtc {
  using Program = void *;
  int (*create)(Program *, const char *, const char *, int, const char *const *, const char *const *) = nullptr;
  int (*addName)(Program, const char *) = nullptr;
  int (*compile)(Program, int, const char *const *) = nullptr;
  int (*logSize)(Program, size_t *) = nullptr;
  int (*log)(Program, char *) = nullptr;
  int (*imageSize)(Program, size_t *) = nullptr;
  int (*image)(Program, char *) = nullptr;
  int (*lowered)(Program, const char *, const char **) = nullptr;
  int (*destroy)(Program *) = nullptr;
};

bool bind(DynamicLibrary &library, const RtcDialect &dialect, Rtc &rtc) {
  std::string prefix = dialect.prefix;
  library.need(rtc.create, (prefix + "CreateProgram").c_str());
  library.need(rtc.addName, (prefix + "AddNameExpression").c_str());
  library.need(rtc.compile, (prefix + "CompileProgram").c_str());
  library.need(rtc.logSize, (prefix + "GetProgramLogSize").c_str());
  library.need(rtc.log, (prefix + "GetProgramLog").c_str());
  library.need(rtc.imageSize, (prefix + "Get" + dialect.imageName + "Size").c_str());
  library.need(rtc.image, (prefix + "Get" + dialect.imageName).c_str());
  library.need(rtc.lowered, (prefix + "GetLoweredName").c_str());
  library.need(rtc.destroy, (prefix + "DestroyProgram").c_str());
  return library.complete;
}

bool run(const Rtc &rtc, Rtc::Program program, const std::vector<const char *> &flags, const std::vector<std::string> &names,
         std::string &image, std::vector<std::string> &lowered, std::string &log) {
  for (const std::string &name : names)
    if (rtc.addName(program, name.c_str()) != 0) return log = "`" + name + "` is no name of a kernel", false;
  bool compiled = rtc.compile(program, static_cast<int>(flags.size()), flags.data()) == 0;
  size_t bytes = 0;
  if (rtc.logSize(program, &bytes) == 0 && bytes > 1) {
    log.resize(bytes);
    rtc.log(program, log.data());
  }
  if (!compiled) return false;
  if (rtc.imageSize(program, &bytes) != 0 || bytes == 0) return log += "no code came out", false;
  image.resize(bytes);
  if (rtc.image(program, image.data()) != 0) return log += "the code could not be read", false;
  for (const std::string &name : names) {
    const char *text = nullptr;
    if (rtc.lowered(program, name.c_str(), &text) != 0 || !text) return log += "no kernel `" + name + "` came out", false;
    lowered.push_back(text);
  }
  return true;
}
}  // namespace

bool compileWithRtc(const RtcDialect &dialect, const std::string &source, const std::string &arch,
                    const std::vector<std::string> &options, const std::vector<std::string> &names, std::string &image,
                    std::vector<std::string> &lowered, std::string &log) {
  DynamicLibrary library(dialect.libraries);
  Rtc rtc;
  if (!library || !bind(library, dialect, rtc)) {
    log = std::string(dialect.prefix) + " is not on this machine";
    return false;
  }
  std::vector<std::string> all = options;
  all.push_back(dialect.archOption + arch);
  std::vector<const char *> flags;
  for (const std::string &option : all) flags.push_back(option.c_str());
  Rtc::Program program = nullptr;
  if (rtc.create(&program, source.c_str(), "module", 0, nullptr, nullptr) != 0) {
    log = "the program could not be created";
    return false;
  }
  bool good = run(rtc, program, flags, names, image, lowered, log);
  rtc.destroy(&program);
  return good;
}

}  // namespace tessera::runtime
