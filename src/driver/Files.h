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
  std::string_view mark = {};  // words that such a file of ours has near its beginning; empty: any file may be replaced
};
/// The first of the files that would replace one which is not ours: it does not have the mark. Empty: none.
std::string foreignAmong(const std::vector<OutputFile> &files);
/// Whether two paths lead to one file, also by links, or would if it were there.
bool isSameFile(const std::string &a, const std::string &b);
/// Writes all files, each through a temporary file beside it, or none: if one cannot be written, the others are as they
/// were. The first one comes to its place last. A device (/dev/stdout, a pipe) is written directly. An existing file keeps
/// its permissions, a symbolic link stays one. Empty on success, else what went wrong.
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
/// A new empty file beside `path`, with a name that nobody can foresee: made, not found (O_EXCL). Empty if that is not
/// possible; errno says why.
std::string temporaryBeside(const std::string &path);
/// Removes such files that processes which were killed have left beside `path`, more than so many seconds ago.
void sweepBeside(const std::string &path, int64_t seconds);
/// What the names of such files have behind the path.
inline constexpr const char *kTemporaryMark = ".tmp-";

}  // namespace tessera::driver
