#include "driver/Build.h"
#include "driver/CacheFolder.h"
#include "driver/Embedded.h"
#include "driver/Files.h"
#include "driver/Process.h"
#include "driver/Spills.h"
#include "tessera/tessera.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

namespace tessera::driver {
namespace {

/// A folder of this process alone, for products that cannot be kept; gone when the process ends.
class PrivateFolder {
public:
  PrivateFolder() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "tessera-XXXXXX").string();
    if (error || !mkdtemp(name.data())) problem_ = name + ": " + std::strerror(errno);
    else path_ = name;
  }
  ~PrivateFolder() { remove(); }
  void remove() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
    path_.clear();
  }
  Result<std::string> path() const { return path_.empty() ? Result<std::string>(Failure{problem_}) : Result<std::string>(path_); }

private:
  std::string path_, problem_;
};

struct Place {
  Result<std::string> folder;
  std::string whyNotKept;  // empty: it is the cache
};
PrivateFolder &privateFolder() {
  static PrivateFolder folder;
  return folder;
}
Place placeOfProducts() {
  auto cache = cacheFolder();
  if (!cache) return {privateFolder().path(), cache.error()};
  return {std::move(cache), {}};
}

std::string hashOfHeaders() {
  std::string all;
  for (const EmbeddedFile &file : embeddedHeaders()) all += contentHash({file.path, file.text});
  return contentHash({all, kExportsText});
}

/// Makes a file have a text: what lies in a cache may have been damaged.
std::string ensureText(const std::string &path, std::string_view text) {
  if (ReadResult there = readFile(path, text.size()); there.problem == ReadProblem::None && there.text == text) return {};
  if (std::string problem = makeFolders(folderOf(path)); !problem.empty()) return problem;
  return writeFiles({{path, std::string(text)}});
}

/// What `-march=native` stands for: cores of another kind, with the same home folder, need another library.
std::string processorIdentity() {
  std::ifstream in("/proc/cpuinfo");
  std::string identity;
  for (std::string line; std::getline(in, line) && !line.empty();)
    for (const char *field : {"vendor_id", "cpu family", "model\t", "stepping", "flags", "CPU ", "Features"})
      if (line.rfind(field, 0) == 0) identity += line + "\n";
  return identity;
}

/// What `-arch=native` stands for.
std::string deviceIdentity(const TargetSpec &target) {
  TessDeviceInfo info{};
  int32_t type = target.target == Target::Cuda ? TESS_CUDA : TESS_ROCM;
  return target.target != Target::Cpu && tessDeviceGetInfo(type, 0, &info) == TESS_OK ? info.arch : "";
}

/// Variables that change what compilers read and do.
std::string environmentOfCompilers() {
  std::string text;
  for (const char *name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
                           "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CUDA_PATH", "ROCM_PATH", "HIP_PATH",
                           "HIP_DEVICE_LIB_PATH", "HIP_CLANG_PATH", "HIPCC_COMPILE_FLAGS_APPEND", "NCCL_HOME", "RCCL_HOME"})
    if (const char *value = std::getenv(name)) text += std::string(name) + "=" + value + "\n";
  return text;
}

std::string keyOf(const std::vector<std::string> &sources, const std::string &shown, const TargetSpec &target, bool shared, const Libraries &flags) {
  CompileCommand command = shared ? sharedLibraryCommand(target, "", "", "") : programCommand(target, "", "", "");
  for (const std::vector<std::string> &added : {flags.translate, flags.link}) command.command.insert(command.command.end(), added.begin(), added.end());
  std::string words;
  for (const std::string &word : command.command) words += word + "\n";
  std::string texts;
  for (const std::string &source : sources) texts += contentHash({source});
  return contentHash({texts, shown, hashOfHeaders(), TESSERA_VERSION, target.name(), words, compilerIdentity(target), processorIdentity(),
                      deviceIdentity(target), environmentOfCompilers()});
}

void warn(Session &session, diag::Id id, std::string text) {
  session.diagnostics.append({id, diag::Severity::Warning, {}, std::move(text), {}, {}, {}});
}

/// Reports it; the empty path of buildProduct.
std::string cacheProblem(Session &session, const std::string &path, const std::string &problem) {
  session.diagnostics.report(diag::Id::cannotWriteFile, {}, path, problem)
      .help("compiled programs are kept there; set TESSERA_CACHE to a folder that you may write to");
  return {};
}

/// What the linker reads for a library that other programs link to: its functions by name, beside their uniform forms.
std::string exportsOf(const Product &product) {
  std::string names;
  const auto manifest = nlohmann::json::parse(product.manifest);
  for (const auto &entry : manifest["entries"])
    names += entry["symbol"].get<std::string>() + "; " + entry["call"].get<std::string>() + "; ";
  return "{ global: " + names + "tessSet_*; tessMesh*; tessLastErrorText; local: *; };\n";
}

/// What compilers say: `log` is empty on success, else the output of those that failed; `said` is that of the others, and `missing` a
/// compiler that is not here.
struct CompilerWords {
  std::string log, said, missing;
};

void call(CompileCommand command, const std::vector<std::string> &flags, CompilerWords &words) {
  if (!command.missing.empty()) return words.missing = command.missing, void();
  command.command.insert(command.command.end(), flags.begin(), flags.end());
  ProcessResult result = runProcess(command.command);
  if (result.exitCode == 0) words.said += result.output;
  else words.log += result.output.empty() ? "it ended with status " + std::to_string(result.exitCode) : result.output;
}

/// What host code calls of files, texts and formats (tessera/host/apart.h): the same for all programs, compiled once and kept.
struct HostObject {
  std::string path;       // of the entry; empty: the program has no host code, or nothing can be kept
  std::string temporary;  // where it is to be made first; empty: it is there
  std::string source;
};
constexpr const char *kHostSource = "#include \"tessera/host.h\"\n#include \"tessera/host/files.h\"\n#include \"tessera/host/json_values.h\"\n";

/// The command that makes it. What is called seldom need not be as quick as it can be.
CompileCommand hostObjectCommand(const TargetSpec &target, const HostObject &object, const std::string &headers, bool shared) {
  CompileCommand command = objectCommand(target, object.source, object.temporary, headers, shared);
  command.command.insert(command.command.end(), {"-O1", "-DTSR_HOST_DEFINED"});
  return command;
}

/// GPU compilers take programs whole.
bool takesHostObject(const TargetSpec &target, const std::vector<std::string> &texts) {
  return target.target == Target::Cpu && std::any_of(texts.begin(), texts.end(), [](const std::string &text) {
           return text.find("#include \"tessera/host.h\"") != std::string::npos;
         });
}

/// Finds it in `folder`, or where it is to be made. Fails with a problem.
Result<HostObject> hostObject(const TargetSpec &target, const std::string &folder, bool shared) {
  HostObject object;
  const std::string key = keyOf({kHostSource}, "host", target, shared, {});
  object.path = folder + "/" + key + ".o";
  object.source = folder + "/" + key + target.suffix();
  if (readEntry(object.path).state == EntryState::Good) return object;
  object.temporary = temporaryBeside(object.path);
  if (object.temporary.empty()) return Failure{object.path + ": " + std::strerror(errno)};
  if (std::string problem = writeFiles({{object.source, kHostSource}}); !problem.empty()) return Failure{object.source + ": " + problem};
  return object;
}

/// One compiler call, or one for each source side by side, and one that links what comes of them.
CompilerWords compileSources(const TargetSpec &target, const std::vector<std::string> &sources, const std::string &output, const std::string &headers,
                             bool shared, const std::string &exports, const Libraries &flags, const HostObject &host) {
  CompilerWords all;
  if (sources.size() == 1 && host.temporary.empty()) {
    std::vector<std::string> both = flags.translate;
    both.insert(both.end(), flags.link.begin(), flags.link.end());
    call(shared ? sharedLibraryCommand(target, sources[0], output, headers, exports) : programCommand(target, sources[0], output, headers), both, all);
    return all;
  }
  std::vector<std::string> objects;
  for (size_t i = 0; i < sources.size(); ++i) objects.push_back(output + "." + std::to_string(i + 1) + ".o");
  std::vector<CompilerWords> each(sources.size() + 1);
  std::vector<std::thread> compilers;
  for (size_t i = 0; i < sources.size(); ++i)
    compilers.emplace_back([&, i] { call(objectCommand(target, sources[i], objects[i], headers, shared), flags.translate, each[i]); });
  if (!host.temporary.empty()) compilers.emplace_back([&] { call(hostObjectCommand(target, host, headers, shared), {}, each.back()); });
  for (std::thread &compiler : compilers) compiler.join();
  for (const CompilerWords &one : each) {
    all.log += one.log, all.said += one.said;
    if (all.missing.empty()) all.missing = one.missing;
  }
  if (all.log.empty() && all.missing.empty()) call(linkCommand(target, objects, output, headers, shared, exports), flags.link, all);
  for (const std::string &object : objects) std::remove(object.c_str());
  return all;
}

Result<std::string> unpackInto(const std::string &cache) {
  std::string folder = cache + "/include-" + hashOfHeaders();
  for (const EmbeddedFile &file : embeddedHeaders())
    if (std::string problem = ensureText(folder + "/" + std::string(file.path), file.text); !problem.empty()) return Failure{problem};
  if (std::string problem = ensureText(folder + "/" + kExportsFile, kExportsText); !problem.empty()) return Failure{problem};
  std::error_code error;
  std::filesystem::last_write_time(folder, std::filesystem::file_time_type::clock::now(), error);  // used now
  return folder;
}

}  // namespace

/// `library`: takes what was emitted, for a library that shows all its functions. `name`: its stem, if not the program's.
/// `set`: takes the number of the emitted files.
static std::string build(Session &session, const TargetSpec &target, const std::vector<std::string> &functions, bool shared,
                         Product *library, const std::string &name, std::string *set = nullptr, codegen::HostChecks checks = {}) {
  CompileOptions options;
  options.checks = checks;
  options.target = target;
  options.sourceName = (name.empty() ? stemOf(session.path()) : name) + target.suffix();
  options.mostParts = std::max(1U, std::thread::hardware_concurrency());
  options.hostCode = !library;
  Compiler compiler(session, options);
  auto product = compiler.emit(functions);
  if (!product) return {};
  if (library) *library = *product;
  if (set) *set = product->set;
  const std::string shown = library ? exportsOf(*product) : kExportsText;
  Place place = placeOfProducts();
  if (!place.folder) return cacheProblem(session, "a temporary folder", place.folder.error());
  std::vector<std::string> texts = product->parts;
  texts.insert(texts.begin(), product->source);
  Libraries flags;
  for (const std::string &text : texts)
    if (text.find("#include \"tessera/collectives.h\"") != std::string::npos) flags = collectiveLibraries(target.target);
  const std::vector<std::string> ofSpills = flagsForSpills(target.target, compiler.program(), functions);
  flags.translate.insert(flags.translate.end(), ofSpills.begin(), ofSpills.end());
  const bool hostApart = place.whyNotKept.empty() && takesHostObject(target, texts);
  if (hostApart) flags.translate.push_back("-DTSR_HOST_DECLARED");
  const std::string folder = *place.folder + "/compiled", key = keyOf(texts, shown, target, shared, flags);
  const std::string output = folder + "/" + key + (shared ? ".so" : "");
  std::vector<std::string> sources = {folder + "/" + key + target.suffix()};
  for (size_t i = 1; i < texts.size(); ++i) sources.push_back(folder + "/" + key + "-" + std::to_string(i + 1) + target.suffix());
  EntryState state = readEntry(output).state;
  if (state == EntryState::Good) return output;
  if (std::string problem = makeFolders(folder); !problem.empty()) return cacheProblem(session, folder, problem);
  auto headers = unpackInto(*place.folder);
  if (!headers) return cacheProblem(session, *place.folder, headers.error());
  for (size_t i = 0; i < texts.size(); ++i)
    if (std::string problem = writeFiles({{sources[i], texts[i]}}); !problem.empty()) return cacheProblem(session, sources[i], problem);
  std::string temporary = temporaryBeside(output);
  if (temporary.empty()) return cacheProblem(session, output, std::strerror(errno));
  const std::string exports = library ? folder + "/" + key + ".map" : "";
  if (library)
    if (std::string problem = writeFiles({{exports, shown}}); !problem.empty()) return cacheProblem(session, exports, problem);
  HostObject host;
  if (hostApart) {
    auto found = hostObject(target, folder, shared);
    if (!found) return cacheProblem(session, folder, found.error());
    host = *found;
    flags.link.push_back(host.temporary.empty() ? host.path : host.temporary);
  }
  const auto [log, said, missing] = compileSources(target, sources, temporary, *headers, shared, exports, flags, host);
  if (!host.temporary.empty() && (!missing.empty() || !log.empty())) std::remove(host.temporary.c_str());
  else if (!host.temporary.empty())
    if (std::string problem = keepEntry(host.temporary, host.path); !problem.empty()) return cacheProblem(session, host.path, problem);
  const bool spills = !ofSpills.empty() && missing.empty() && log.empty() &&
                      !keepToRegisters(compiler.program(), product->manifest, spillsIn(target.target, said), session.sources, session.diagnostics);
  if (!missing.empty() || !log.empty() || spills) std::remove(temporary.c_str());
  if (spills) return {};  // after a message
  if (!missing.empty()) {
    session.diagnostics.report(diag::Id::toolchainMissing, {}, target.name(), missing)
        .help(target.target == Target::Cpu ? "install g++, or set TESSERA_CXX" : "install it, or use --target cpu or --target reference");
    return {};
  }
  if (!log.empty()) {
    session.diagnostics.report(diag::Id::toolchainFailed, {}, target.name()).help("the source is " + sources[0]).help(log);
    return {};
  }
  if (std::string problem = keepEntry(temporary, output); !problem.empty()) return cacheProblem(session, output, problem);
  if (state == EntryState::Damaged) warn(session, diag::Id::cannotReadFile, "`" + output + "` was damaged; I compiled it again");
  if (!place.whyNotKept.empty())
    warn(session, diag::Id::cannotWriteFile, "I keep no compiled programs: " + place.whyNotKept + "; let TESSERA_CACHE name a folder that only you may write to");
  else boundCache(*place.folder);
  return output;
}

std::string buildProduct(Session &session, const TargetSpec &target, const std::vector<std::string> &functions, bool shared, std::string *set) {
  return build(session, target, functions, shared, nullptr, {}, set);
}

std::optional<BuiltLibrary> buildLibrary(Session &session, const TargetSpec &target, const std::string &name) {
  BuiltLibrary built;
  built.path = build(session, target, {}, true, &built.product, name);
  if (built.path.empty()) return std::nullopt;
  std::string manifest = built.path.substr(0, built.path.size() - 3) + ".json";
  if (std::string problem = writeFiles({{manifest, built.product.manifest}}); !problem.empty()) {
    cacheProblem(session, manifest, problem);
    return std::nullopt;
  }
  return built;
}

std::string buildProgram(Session &session, const TargetSpec &target, codegen::HostChecks checks) {
  return build(session, target, {"main"}, false, nullptr, {}, nullptr, checks);
}

void becomeProgram(const std::string &program, const std::vector<std::string> &words) {
  int file = open(program.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  if (!cacheFolder()) privateFolder().remove();  // the open file stays
  std::vector<const char *> arguments = {program.c_str()};
  for (const std::string &word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  fexecve(file, const_cast<char *const *>(arguments.data()), environ);
  close(file);
}

Result<std::string> unpackedHeaders() {
  Place place = placeOfProducts();
  return place.folder ? unpackInto(*place.folder) : std::move(place.folder);
}

}  // namespace tessera::driver
