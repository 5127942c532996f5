// .npy files for host code. NumPy has no dtype for bf16 and the smaller formats: their bytes are stored raw ('<V2', '|V1'),
// as the ml_dtypes package does; load_npy<tsr::bf16>(path) says which dtype raw bytes are.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/npz.h"
#include "tessera/host/output.h"

namespace tsr {
namespace host {
namespace detail {

TSR_APART std::string read_file(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) stop("cannot open `" + path + "`: " + std::strerror(errno), errno == ENOENT ? kFileNotFoundError : kOSError);
  std::string bytes;
  char buffer[65536];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, n);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) stop("cannot read `" + path + "`", kOSError);
  return bytes;
}

TSR_APART std::string npy_type(TessDType dtype) {
  const int bytes = (dtype.bits + 7) / 8;
  const std::string order = bytes == 1 ? "|" : "<";
  switch (dtype.code) {
  case TESS_INT: return dtype.bits < 8 ? "|V1" : order + "i" + std::to_string(bytes);
  case TESS_UINT: return order + "u" + std::to_string(bytes);
  case TESS_FLOAT: return order + "f" + std::to_string(bytes);
  case TESS_TF32: return "<f4";
  case TESS_COMPLEX: return "<c8";
  case TESS_BOOL: return "|b1";
  default: return order + "V" + std::to_string(bytes);
  }
}

/// What stands behind `'key':` in the header, up to the end of its value.
TSR_APART std::string npy_field(const std::string &header, const std::string &key, const std::string &path) {
  size_t at = header.find("'" + key + "'");
  if (at == std::string::npos) stop("the header of `" + path + "` has no key '" + key + "'", kValueError);
  at = header.find(':', at) + 1;
  while (at < header.size() && header[at] == ' ') ++at;
  const char last = header[at] == '(' ? ')' : header[at] == '\'' ? '\'' : ',';
  size_t end = header.find(last, at + 1);
  if (end == std::string::npos) stop("the header of `" + path + "` is damaged", kValueError);
  return header.substr(at, end - at + (last == ',' ? 0 : 1));
}

TSR_APART TessDType npy_dtype(const std::string &type, const TessDType *expected, const std::string &path) {
  if (expected && npy_type(*expected) == type) return *expected;
  const TessDType known[] = {{TESS_FLOAT, 64, 1}, {TESS_FLOAT, 32, 1}, {TESS_FLOAT, 16, 1}, {TESS_INT, 64, 1}, {TESS_INT, 32, 1},
                             {TESS_INT, 16, 1},   {TESS_INT, 8, 1},    {TESS_UINT, 32, 1},  {TESS_UINT, 16, 1}, {TESS_UINT, 8, 1},
                             {TESS_BOOL, 8, 1},   {TESS_COMPLEX, 64, 1}};
  for (const TessDType &dtype : known)
    if (npy_type(dtype) == type && !expected) return dtype;
  if (expected) {
    char buffer[32];
    stop("`" + path + "` holds elements of the NumPy type '" + type + "', but " + tsr::detail::dtype_text(*expected, buffer) + " is needed", kValueError);
  }
  stop("`" + path + "` holds elements of the NumPy type '" + type + "': which dtype are they?", kValueError);
}

/// `path` is what messages call the bytes.
TSR_APART Tensor npy_tensor(std::string_view bytes, const std::string &path, const TessDType *expected) {
  if (bytes.compare(0, 6, "\x93NUMPY") != 0 || bytes.size() < 12) stop("`" + path + "` is no .npy file", kValueError);
  const size_t lengthBytes = bytes[6] == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = lengthBytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[8 + i]);
  const std::string header(bytes.substr(8 + lengthBytes, length));
  std::string type = npy_field(header, "descr", path);
  type = type.substr(1, type.size() - 2);
  if (npy_field(header, "fortran_order", path).find("True") != std::string::npos)
    stop("`" + path + "` is stored column by column (fortran_order): save numpy.ascontiguousarray(x)", kValueError);
  std::vector<int64_t> shape;
  const std::string extents = npy_field(header, "shape", path);
  for (size_t i = 1; i < extents.size();) {
    char *end = nullptr;
    const long long extent = std::strtoll(extents.c_str() + i, &end, 10);
    if (end != extents.c_str() + i) shape.push_back(extent);
    i = extents.find(',', i) == std::string::npos ? extents.size() : extents.find(',', i) + 1;
  }
  const TessDType dtype = npy_dtype(type, expected, path);
  const size_t start = 8 + lengthBytes + length;
  if (bytes.size() < start || bytes.size() - start < Tensor::bytes_of(shape, (dtype.bits + 7u) / 8u)) stop("`" + path + "` ends before its elements do", kValueError);
  Tensor tensor(dtype, shape);
  if (dtype.code == TESS_BOOL)
    for (size_t i = 0; i < tensor.byte_count(); ++i)
      if (static_cast<unsigned char>(bytes[start + i]) > 1)
        stop("`" + path + "` holds " + std::to_string(static_cast<unsigned char>(bytes[start + i])) + " where a truth value is 0 or 1", kValueError);
  if (tensor.byte_count()) std::memcpy(tensor.bytes_to_write(), bytes.data() + start, tensor.byte_count());
  return tensor;
}

TSR_APART Tensor load_npy(const std::string &path, const TessDType *expected) { return detail::npy_tensor(read_file(path), path, expected); }

}  // namespace detail

TSR_APART Tensor load_npy(const std::string &path) { return detail::load_npy(path, nullptr); }
/// With the dtype that the elements must have.
template <class T> Tensor load_npy(const std::string &path) {
  const TessDType dtype = tsr::detail::DTypeOf<T>::dtype();
  return detail::load_npy(path, &dtype);
}

/// The array of this name of an .npz file.
TSR_APART Tensor load_npz(const std::string &path, const std::string &name) {
  const std::string file = detail::read_file(path);
  std::string_view bytes;
  const std::string problem = npz::array_named(file, name, bytes);
  if (!problem.empty()) stop("`" + path + "`: " + problem, kValueError);
  return detail::npy_tensor(bytes, path + "`, `" + name, nullptr);
}

namespace detail {
/// What stands before the elements.
TSR_APART std::string npy_head(const Tensor &tensor) {
  std::string shape;
  for (int64_t extent : tensor.shape()) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  if (tensor.shape().size() == 1) shape += ",";
  std::string header = "{'descr': '" + npy_type(tensor.dtype()) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(header.size() & 0xff);
  head += static_cast<char>(header.size() >> 8);
  return head + header;
}
TSR_APART void collect_arrays(std::vector<std::pair<std::string, std::string>> &) {}
template <class... Rest>
void collect_arrays(std::vector<std::pair<std::string, std::string>> &arrays, const std::string &name, const Tensor &tensor, const Rest &...rest) {
  const char *elements = reinterpret_cast<const char *>(tensor.bytes());
  arrays.emplace_back(name, npy_head(tensor) + std::string(elements, elements + tensor.byte_count()));
  collect_arrays(arrays, rest...);
}
}  // namespace detail

/// Pairs of a name and a tensor, which become the arrays of an .npz file.
template <class... Pairs> void save_npz(const std::string &path, const Pairs &...pairs) {
  std::vector<std::pair<std::string, std::string>> arrays;
  detail::collect_arrays(arrays, pairs...);
  std::string bytes;
  const std::string problem = npz::archive(arrays, bytes);
  if (!problem.empty()) stop("`" + path + "`: " + problem, kValueError);
  detail::OutputFile file(path);
  file.write(bytes.data(), bytes.size());
  file.finish();
}

TSR_APART void save_npy(const std::string &path, const Tensor &tensor) {
  const std::string head = detail::npy_head(tensor);
  detail::OutputFile file(path);
  file.write(head.data(), head.size());
  file.write(tensor.bytes(), tensor.byte_count());
  file.finish();
}

}  // namespace host
}  // namespace tsr
