#include "driver/Files.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera::driver {

ReadResult readFile(const std::string &path, uint64_t limit) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return {ReadProblem::Missing, "there is no such file", 0};
  if (!fs::exists(status)) return {ReadProblem::Unreadable, error.message(), 0};
  if (fs::is_directory(status)) return {ReadProblem::Directory, "it is a folder", 0};
  uint64_t size = fs::is_regular_file(status) ? fs::file_size(path, error) : 0;
  if (size > limit) return {ReadProblem::TooLarge, "it is too large", size};
  std::ifstream in(path, std::ios::binary);
  if (!in) return {ReadProblem::Unreadable, std::strerror(errno), size};
  // A device tells no size, and may never end.
  std::string text;
  text.reserve(size);
  for (char part[1 << 16]; in.read(part, sizeof part), in.gcount() > 0;) {
    text.append(part, static_cast<size_t>(in.gcount()));
    if (text.size() > limit) return {ReadProblem::TooLarge, "it is too large", text.size()};
  }
  if (in.bad()) return {ReadProblem::Unreadable, std::strerror(errno), size};
  return {ReadProblem::None, std::move(text), text.size()};
}

bool isDevice(const std::string &path) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  // What is open already stays a device of its own also where it has been redirected to a file; in /dev/shm there are files.
  const bool isOpen = path == "/dev/stdout" || path == "/dev/stderr" || path.rfind("/dev/fd/", 0) == 0 || path.rfind("/proc/", 0) == 0;
  return isOpen || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
}

namespace {
std::string temporaryName(const std::string &path) {
  static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz234567";
  unsigned char random[12] = {};
  if (getrandom(random, sizeof random, 0) != sizeof random) std::memset(random, 0, sizeof random);  // then O_EXCL alone protects
  std::string last = fileNameOf(path);
  std::string name = path.substr(0, path.size() - last.size()) + last.substr(0, 200) + kTemporaryMark;  // 255 are allowed
  for (unsigned char byte : random) name += kLetters[byte % 32];
  return name;
}

/// A new file beside `path`, with the permissions that new files have here; -1 and errno if it cannot be made.
int openTemporary(const std::string &path, std::string &name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = temporaryName(path);
    int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/// The file that stands for `path`: a symbolic link is followed, so that it stays a link.
std::string destinationOf(const std::string &path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

/// Empty on success, else what went wrong. Closes the file.
std::string writeAll(int file, const std::string &bytes) {
  for (size_t at = 0; at < bytes.size();) {
    ssize_t count = write(file, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      std::string problem = count < 0 ? std::strerror(errno) : "it cannot be written";
      close(file);
      return problem;
    }
    at += static_cast<size_t>(count);
  }
  return close(file) == 0 ? "" : std::strerror(errno);
}

/// Files that are written beside their places first. What is not brought there is removed.
class Staged {
public:
  ~Staged() {
    for (const Step &step : steps_) {
      if (!step.temporary.empty()) std::remove(step.temporary.c_str());
      if (!step.backup.empty()) std::remove(step.backup.c_str());
    }
  }
  std::string add(const std::string &destination, const std::string &bytes) {
    sweepBeside(destination, 3600);
    Step step{destination, {}, {}, false, false};
    int file = openTemporary(destination, step.temporary);
    if (file < 0) return std::strerror(errno);
    steps_.push_back(step);
    struct stat old {};
    if (stat(destination.c_str(), &old) == 0) (void)fchmod(file, old.st_mode & 07777);
    return writeAll(file, bytes);
  }
  /// Brings all to their places, the first one last: where a build asks for that one alone and this process is killed, it is
  /// older than what it is made of, and is made again. If one cannot be brought there, all are as they were.
  std::string commit() {
    for (Step &step : steps_) keepOld(step);
    for (size_t i = steps_.size(); i-- > 0;) {
      Step &step = steps_[i];
      if (std::rename(step.temporary.c_str(), step.destination.c_str()) != 0) {
        std::string problem = step.destination + ": " + std::strerror(errno);
        for (Step &done : steps_)
          if (done.placed) restore(done);
        return problem;
      }
      step.temporary.clear();
      step.placed = true;
    }
    return {};
  }

private:
  struct Step {
    std::string destination, temporary, backup;  // empty: there is none
    bool existed, placed;
  };
  /// A second name for the file that will be replaced.
  static void keepOld(Step &step) {
    struct stat old {};
    step.existed = lstat(step.destination.c_str(), &old) == 0;
    if (!step.existed) return;
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::string name = temporaryName(step.destination);
      if (link(step.destination.c_str(), name.c_str()) == 0) {
        step.backup = name;
        return;
      }
      if (errno != EEXIST) return;  // a file system without second names: nothing to go back to
    }
  }
  static void restore(Step &step) {
    if (!step.existed) std::remove(step.destination.c_str());
    else if (!step.backup.empty() && std::rename(step.backup.c_str(), step.destination.c_str()) == 0) step.backup.clear();
  }
  std::vector<Step> steps_;
};
}  // namespace

namespace {
/// The names in a folder that temporaries have; read once, as one run may write thousands of files there.
const std::vector<std::string> &temporariesIn(const std::string &folder) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<std::string>> known;
  std::lock_guard lock(mutex);
  auto [place, isNew] = known.try_emplace(folder);
  std::error_code error;
  if (isNew)
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (std::string name = it->path().filename().string(); name.find(kTemporaryMark) != std::string::npos) place->second.push_back(name);
  return place->second;
}
}  // namespace

void sweepBeside(const std::string &path, int64_t seconds) {
  constexpr size_t kLetters = 12;
  const std::string folder = folderOf(path), beginning = fileNameOf(path).substr(0, 200) + kTemporaryMark;
  for (const std::string &name : temporariesIn(folder)) {
    if (name.size() != beginning.size() + kLetters || name.compare(0, beginning.size(), beginning) != 0) continue;
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567", beginning.size()) != std::string::npos) continue;
    const std::string left = folder + "/" + name;
    struct stat status {};
    // The time of the name: that of a second name of an old file is of when it was made.
    if (lstat(left.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_ctime < time(nullptr) - seconds)
      unlink(left.c_str());
  }
}

std::string writeFiles(const std::vector<OutputFile> &files) {
  Staged staged;
  for (const OutputFile &file : files) {
    std::error_code error;
    if (fs::is_directory(file.path, error)) return file.path + ": it is a folder";
    if (isDevice(file.path)) continue;
    if (std::string problem = staged.add(destinationOf(file.path), file.bytes); !problem.empty()) return file.path + ": " + problem;
  }
  for (const OutputFile &file : files) {
    if (!isDevice(file.path)) continue;
    // Not opened anew: what follows on the standard output would begin where this began.
    const bool isStdout = file.path == "/dev/stdout" || file.path == "/dev/fd/1" || file.path == "/proc/self/fd/1";
    int device = isStdout ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open(file.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    std::string problem = device < 0 ? std::strerror(errno) : writeAll(device, file.bytes);
    if (!problem.empty()) return file.path + ": " + problem;
  }
  return staged.commit();
}

std::string foreignAmong(const std::vector<OutputFile> &files) {
  constexpr size_t kNear = 4096;
  for (const OutputFile &file : files) {
    std::error_code error;
    if (file.mark.empty() || isDevice(file.path) || !fs::is_regular_file(file.path, error)) continue;
    std::ifstream in(file.path, std::ios::binary);
    std::string beginning(kNear, '\0');
    in.read(beginning.data(), kNear);
    beginning.resize(static_cast<size_t>(in.gcount()));
    if (!beginning.empty() && beginning.find(file.mark) == std::string::npos) return file.path;
  }
  return {};
}

bool isSameFile(const std::string &a, const std::string &b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  fs::path first = fs::weakly_canonical(a, error), second = fs::weakly_canonical(b, error);
  return !error && first == second;
}

std::string writingAdvice(const std::string &path) {
  std::error_code error;
  std::string folder = folderOf(path);
  if (!fs::exists(folder, error)) return "make the folder first: `mkdir -p " + folder + "`";
  return "nothing was written; choose a file in a folder that you may write to";
}

std::string folderOf(const std::string &path) {
  std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}
std::string fileNameOf(const std::string &path) { return fs::path(path).filename().string(); }
std::string stemOf(const std::string &path) { return fs::path(path).stem().string(); }
std::string suffixOf(const std::string &path) { return fs::path(path).extension().string(); }

std::string makeFolders(const std::string &path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? error.message() : std::string();
}

std::string temporaryBeside(const std::string &path) {
  std::string name;
  int file = openTemporary(path, name);
  if (file < 0) return {};
  close(file);
  return name;
}

}  // namespace tessera::driver
