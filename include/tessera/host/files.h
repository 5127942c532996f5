// Files of text that host code opens, reads line by line, and writes to as it goes: what `with open(path) as file:` is made of.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/tensor.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace tsr {
namespace host {
namespace detail {

struct OpenFile {
  std::FILE *file;
  std::string path;
  bool writes;
};
/// By their numbers; the first three are open when a program begins.
TSR_APART std::vector<OpenFile> &open_files() {
  static std::vector<OpenFile> files = {{stdin, "the standard input", false}, {stdout, "the standard output", true}, {stderr, "the standard error", true}};
  return files;
}
TSR_APART OpenFile &open_file(int64_t number, bool writes) {
  std::vector<OpenFile> &files = open_files();
  if (number < 0 || static_cast<size_t>(number) >= files.size()) stop("there is no open file " + std::to_string(number));
  OpenFile &file = files[static_cast<size_t>(number)];
  if (!file.file) stop("`" + file.path + "` is closed");
  if (file.writes != writes)
    stop("`" + file.path + "` is open for " + (file.writes ? "writing" : "reading") + ": `open(path" + (writes ? ", \"w\"" : "") + ")` opens a file for " +
         (writes ? "writing" : "reading"));
  return file;
}

}  // namespace detail

/// Opens a file: "r" reads, "w" writes a new one, "a" goes on behind what is there. A line that is written is in the file at once: a log can be
/// read while the program runs, and stays if it is ended.
TSR_APART int64_t file_open(const std::string &path, const std::string &mode) {
  const std::string way = mode.substr(0, mode.find('t'));
  if (way != "r" && way != "w" && way != "a") stop("cannot open `" + path + "` as \"" + mode + "\": \"r\" reads, \"w\" writes, \"a\" appends");
  std::FILE *file = std::fopen(path.c_str(), way.c_str());
  const bool isMissing = !file && errno == ENOENT;
  std::string why = file ? "" : std::strerror(errno);
#if defined(__unix__) || defined(__APPLE__)
  struct stat found {};
  if (file && fstat(fileno(file), &found) == 0 && S_ISDIR(found.st_mode)) why = "it is a folder";
#endif
  if (!why.empty()) stop(std::string("cannot ") + (way == "r" ? "read" : "write") + " `" + path + "`: " + why, isMissing ? kFileNotFoundError : kOSError);
  if (way != "r") std::setvbuf(file, nullptr, _IOLBF, 1 << 16);
  std::vector<detail::OpenFile> &files = detail::open_files();
  files.push_back({file, path, way != "r"});
  return static_cast<int64_t>(files.size()) - 1;
}
/// The next line with its end; the empty text behind the last.
TSR_APART std::string file_line(int64_t number) {
  detail::OpenFile &file = detail::open_file(number, false);
  std::string line;
  for (int c; (c = std::getc(file.file)) != EOF;) {
    line += static_cast<char>(c);
    if (c == '\n') break;
  }
  if (std::ferror(file.file)) stop("cannot read `" + file.path + "`: " + std::strerror(errno), kOSError);
  return line;
}
/// What was not read yet.
TSR_APART std::string file_text(int64_t number) {
  detail::OpenFile &file = detail::open_file(number, false);
  std::string text;
  char part[1 << 14];
  for (size_t count; (count = std::fread(part, 1, sizeof part, file.file)) > 0;) text.append(part, count);
  if (std::ferror(file.file)) stop("cannot read `" + file.path + "`: " + std::strerror(errno), kOSError);
  return text;
}
TSR_APART void file_write(int64_t number, const std::string &text) {
  detail::OpenFile &file = detail::open_file(number, true);
  if (std::fwrite(text.data(), 1, text.size(), file.file) != text.size()) stop("cannot write `" + file.path + "`: " + std::strerror(errno), kOSError);
}
TSR_APART void file_close(int64_t number) {
  if (number <= 2) return;
  std::vector<detail::OpenFile> &files = detail::open_files();
  if (static_cast<size_t>(number) >= files.size()) stop("there is no open file " + std::to_string(number));
  detail::OpenFile &file = files[static_cast<size_t>(number)];
  if (!file.file) return;
  const bool good = std::fclose(file.file) == 0;
  file.file = nullptr;
  if (!good && file.writes) stop("cannot write `" + file.path + "`: " + std::strerror(errno), kOSError);
}
TSR_APART bool file_exists(const std::string &path) {
#if defined(__unix__) || defined(__APPLE__)
  return access(path.c_str(), F_OK) == 0;
#else
  std::FILE *file = std::fopen(path.c_str(), "r");
  return file && std::fclose(file) == 0;
#endif
}

}  // namespace host
}  // namespace tsr
