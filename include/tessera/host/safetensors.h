// .safetensors files for host code. Elements are read straight into the tensor's memory, so that a file that becomes shorter
// meanwhile is an error like any other; a file that is written appears under its name when it is complete.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/npy.h"
#include "tessera/host/tensor_file.h"

namespace tsr {
namespace host {
namespace detail {

/// A file that is open for reading, and its header.
class TensorFile {
public:
  explicit TensorFile(const std::string &path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (!file_) host::stop("cannot open `" + path + "`: " + std::strerror(errno), errno == ENOENT ? kFileNotFoundError : kOSError);
    if (std::fseek(file_, 0, SEEK_END) != 0) stop("it cannot be read from any place");
    const long size = std::ftell(file_);
    if (size < 0) stop("it cannot be read from any place");
    std::string first(8, '\0');
    if (size >= 8) read(0, &first[0], 8);
    uint64_t length = 0;
    ok(tensor_file::header_length(first, static_cast<uint64_t>(size), length));
    std::string text(static_cast<size_t>(length), '\0');
    read(8, &text[0], text.size());
    ok(tensor_file::read_header(text, static_cast<uint64_t>(size), header_));
  }
  TensorFile(const TensorFile &) = delete;
  TensorFile &operator=(const TensorFile &) = delete;
  ~TensorFile() { std::fclose(file_); }

  const std::string &path() const { return path_; }
  const tensor_file::Header &header() const { return header_; }
  void ok(const std::string &problem) const {
    if (!problem.empty()) stop(problem);
  }
  [[noreturn]] void stop(const std::string &problem) const { host::stop("`" + path_ + "`: " + problem, kValueError); }
  void read(uint64_t at, void *to, size_t bytes) const {
    if (std::fseek(file_, static_cast<long>(at), SEEK_SET) != 0 || std::fread(to, 1, bytes, file_) != bytes) stop("it ends before its elements do");
  }

private:
  std::string path_;
  std::FILE *file_;
  tensor_file::Header header_;
};

/// The file that was opened last stays open: its tensors are loaded one after another.
TSR_APART TensorFile &tensor_file_at(const std::string &path, bool anew) {
  static std::unique_ptr<TensorFile> file;
  if (!file || anew || file->path() != path) file.reset(new TensorFile(path));
  return *file;
}

TSR_APART void collect_tensors(std::vector<std::pair<std::string, Tensor>> &) {}
template <class... Rest> void collect_tensors(std::vector<std::pair<std::string, Tensor>> &out, const std::string &name, const Tensor &tensor, const Rest &...rest) {
  out.emplace_back(name, tensor);
  collect_tensors(out, rest...);
}

TSR_APART void save_all(const std::string &path, const std::vector<std::pair<std::string, Tensor>> &tensors) {
  std::vector<tensor_file::Entry> entries;
  uint64_t end = 0;
  for (const auto &[name, tensor] : tensors) {
    char buffer[32];
    const char *dtype = tsr::detail::dtype_text(tensor.dtype(), buffer);
    tensor_file::Entry entry{name, tensor_file::dtype_of_language(dtype), tensor.shape(), end, end + tensor.byte_count()};
    if (!entry.dtype) stop("`" + path + "`: `" + name + "` is of " + dtype + ", which .safetensors files do not have");
    end = entry.end;
    tensor_file::add_rows(std::move(entry), entries);
  }
  const std::string head = tensor_file::header_text(entries);
  OutputFile file(path);
  file.write(head.data(), head.size());
  for (const auto &[name, tensor] : tensors) file.write(tensor.bytes(), tensor.byte_count());
  file.finish();
}

}  // namespace detail

/// Ends the program unless the file has tensors of these names and no others.
template <class... Names> void expect_tensors(const std::string &path, const Names &...names) {
  const detail::TensorFile &file = detail::tensor_file_at(path, true);
  file.ok(tensor_file::other_names(file.header(), {std::string(names)...}));
}

/// The tensor of this name, of the dtype that the language calls so; "": of any.
TSR_APART Tensor load_tensor(const std::string &path, const std::string &name, const std::string &dtype) {
  const detail::TensorFile &file = detail::tensor_file_at(path, dtype.empty());
  tensor_file::Rows rows;
  file.ok(tensor_file::rows_named(file.header(), name, rows));
  if (rows.entries.empty()) {
    std::vector<std::string> names;
    for (const tensor_file::Entry &other : file.header().tensors) names.push_back(other.name);
    file.stop("it has no tensor `" + name + "`" + (names.empty() ? ", and no other" : "; it has " + tensor_file::listed(names)));
  }
  file.ok(tensor_file::other_dtype(*rows.entries[0], dtype));
  Tensor tensor(detail::dtype_named(rows.entries[0]->dtype->language), tensor_file::shape_of(rows));
  size_t at = 0;
  for (const tensor_file::Entry *entry : rows.entries) {
    const size_t bytes = static_cast<size_t>(entry->end - entry->begin);
    if (bytes) file.read(file.header().data + entry->begin, tensor.bytes_to_write() + at, bytes);
    at += bytes;
  }
  file.ok(tensor_file::no_truth(*rows.entries[0], {reinterpret_cast<const char *>(tensor.bytes()), tensor.byte_count()}));
  return tensor;
}

/// Pairs of a name and a tensor.
template <class... Pairs> void save_tensors(const std::string &path, const Pairs &...pairs) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  detail::collect_tensors(tensors, pairs...);
  detail::save_all(path, tensors);
}

}  // namespace host
}  // namespace tsr
