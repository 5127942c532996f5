// Reading sources and writing results. A result is written beside its place and renamed, so that there is
// never half a file; several results appear together or not at all.
#pragma once
#include "support/Result.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::driver {

inline constexpr uint64_t kMaxSourceBytes = 64ull << 20;

enum class ReadProblem { None, Missing, Directory, TooLarge, Unreadable };
struct ReadResult {
  ReadProblem problem = ReadProblem::None;
  std::string text;    // the bytes, or why not
  uint64_t bytes = 0;  // size of the file, where known
};
ReadResult readFile(const std::string &path, uint64_t limit = ~0ull);

struct OutputFile {
  std::string path, bytes;
};
/// Writes all files, each through a temporary file beside it; a device (/dev/stdout, a pipe) directly. An existing file
/// keeps its permissions, a symbolic link stays one. Empty on success, else what went wrong.
std::string writeFiles(const std::vector<OutputFile> &files);
/// Whether the path names no file of its own but something that takes bytes, such as /dev/stdout or a pipe.
bool isDevice(const std::string &path);
/// What to do where `path` could not be written, for the help of a message.
std::string writingAdvice(const std::string &path);

/// The folder of a path ("." if it has none), its last component, and that without its suffix.
std::string folderOf(const std::string &path);
std::string fileNameOf(const std::string &path);
std::string stemOf(const std::string &path);
/// ".cu" of "model.cu"; empty if there is none.
std::string suffixOf(const std::string &path);
/// Creates a folder and those above it. Empty on success, else what went wrong.
std::string makeFolders(const std::string &path);
/// Per-user cache folder of Tessera ($TESSERA_CACHE, else $XDG_CACHE_HOME/tessera, else ~/.cache/tessera).
std::string cacheFolder();
/// 128 bits of a text as 32 hexadecimal digits (FNV-1a, two lanes): names of cache entries.
std::string contentHash(std::string_view text);

}  // namespace tessera::driver
