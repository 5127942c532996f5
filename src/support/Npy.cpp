#include "support/Npy.h"
#include <algorithm>
#include <cctype>
#include <limits>

namespace tessera {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// What the dictionary in the header says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  bool sawDescr = false, sawOrder = false, sawShape = false;
};

/// Reads the header: one Python dictionary literal with the three keys of the format, in any order.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text_(text) {}
  Result<Header> read() {
    if (!take('{')) return fail("it does not start with '{'");
    while (!take('}')) {
      auto key = quoted();
      if (!key || !take(':')) return fail("a quoted key and ':' are missing");
      if (std::string wrong = field(*key); !wrong.empty()) return fail(wrong);
      if (!take(',') && peek() != '}') return fail("',' or '}' is missing after the key '" + *key + "'");
    }
    skip();
    if (at_ != text_.size()) return fail("there is text after the dictionary");
    if (!header_.sawDescr) return fail("it has no key 'descr'");
    if (!header_.sawOrder) return fail("it has no key 'fortran_order'");
    if (!header_.sawShape) return fail("it has no key 'shape'");
    return std::move(header_);
  }

private:
  std::string_view text_;
  size_t at_ = 0;
  Header header_;

  Failure fail(const std::string &what) const { return {"the header of the .npy file is damaged: " + what}; }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool takeWord(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  std::optional<std::string> quoted() {
    char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }
  std::string field(const std::string &key) {  // the empty text: fine
    if (key == "descr") {
      if (peek() == '[') return "it holds records with named fields, and I read arrays of one dtype";
      auto descr = quoted();
      if (!descr) return "'descr' is not a quoted type";
      header_.descr = *descr;
      header_.sawDescr = true;
    } else if (key == "fortran_order") {
      header_.fortranOrder = takeWord("True");
      if (!header_.fortranOrder && !takeWord("False")) return "'fortran_order' is neither True nor False";
      header_.sawOrder = true;
    } else if (key == "shape") {
      header_.shape.clear();
      header_.sawShape = true;
      return shape();
    } else {
      return "it has the unknown key '" + key + "'";
    }
    return "";
  }
  std::string shape() {
    if (!take('(')) return "'shape' is not a tuple";
    while (!take(')')) {
      skip();
      size_t begin = at_;
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
      std::string digits(text_.substr(begin, at_ - begin));
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
      if (digits.empty()) return "'shape' holds something that is not a number";
      if (digits.size() > 18) return "'shape' holds the number " + digits + ", which is too large";
      header_.shape.push_back(std::stoll(digits));
      if (!take(',') && peek() != ')') return "'shape' is not closed";
    }
    if (header_.shape.size() > 64) return "'shape' has more than 64 dimensions";
    return "";
  }
};

bool isRaw(DType dtype) {
  switch (dtype) {
  case DType::BF16:
  case DType::F8E4M3:
  case DType::F8E5M2:
  case DType::F6E2M3:
  case DType::F6E3M2:
  case DType::F4E2M1:
  case DType::I4: return true;
  default: return false;
  }
}

Result<DType> dtypeOf(const std::string &descr, std::optional<DType> expected) {
  std::string kind = descr.substr(std::min<size_t>(1, descr.size()));
  if (descr.size() >= 2 && descr[1] == 'V') {
    if (expected && isRaw(*expected) && kind == "V" + std::to_string(storageBytes(*expected)))
      return *expected;
    if (expected)
      return Failure{"the array holds raw bytes ('" + descr + "'), and I expected " +
                     std::string(name(*expected))};
    return Failure{"the array holds raw bytes ('" + descr + "'): say which dtype they are"};
  }
  std::optional<DType> found;
  for (DType dtype : {DType::F64, DType::F32, DType::F16, DType::I64, DType::I32, DType::I16, DType::I8,
                      DType::U32, DType::U16, DType::U8, DType::Bool, DType::Complex64})
    if (npyTypeString(dtype).substr(1) == kind) found = dtype;
  if (!found) return Failure{"the array has the NumPy type '" + descr + "', which has no counterpart here"};
  if (expected == DType::TF32 && found == DType::F32) return DType::TF32;
  if (expected && *expected != *found)
    return Failure{"the array holds " + std::string(name(*found)) + ", and I expected " +
                   std::string(name(*expected))};
  return *found;
}

/// Elements times their size; nothing if that does not fit.
std::optional<size_t> totalBytes(const std::vector<int64_t> &shape, size_t elementBytes) {
  size_t total = elementBytes;
  bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (empty) return 0;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(total, static_cast<size_t>(extent), &total)) return std::nullopt;
  if (total > static_cast<size_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
  return total;
}

std::string toRowMajor(std::string_view data, const std::vector<int64_t> &shape, size_t elementBytes) {
  std::string out(data.size(), '\0');
  size_t rank = shape.size(), count = data.size() / elementBytes;
  std::vector<size_t> index(rank, 0), strides(rank, 1);  // strides of the source: first index runs fastest
  for (size_t d = 1; d < rank; ++d) strides[d] = strides[d - 1] * static_cast<size_t>(shape[d - 1]);
  size_t from = 0;
  for (size_t to = 0; to < count; ++to) {
    data.copy(out.data() + to * elementBytes, elementBytes, from * elementBytes);
    for (size_t d = rank; d-- > 0;) {
      from += strides[d];
      if (++index[d] < static_cast<size_t>(shape[d])) break;
      from -= strides[d] * static_cast<size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return out;
}

void swapBytes(std::string &data, size_t wordBytes) {
  for (size_t at = 0; at + wordBytes <= data.size(); at += wordBytes)
    std::reverse(data.begin() + static_cast<long>(at), data.begin() + static_cast<long>(at + wordBytes));
}

}  // namespace

std::string npyTypeString(DType dtype) {
  if (isRaw(dtype)) return (storageBytes(dtype) == 1 ? "|V" : "<V") + std::to_string(storageBytes(dtype));
  char kind = 'f';
  switch (info(dtype).cls) {
  case DTypeClass::Float: kind = 'f'; break;
  case DTypeClass::SignedInt: kind = 'i'; break;
  case DTypeClass::UnsignedInt: kind = 'u'; break;
  case DTypeClass::Bool: kind = 'b'; break;
  case DTypeClass::Complex: kind = 'c'; break;
  }
  return std::string(storageBytes(dtype) == 1 ? "|" : "<") + kind + std::to_string(storageBytes(dtype));
}

Result<NpyArray> parseNpy(std::string_view bytes, std::optional<DType> expected) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    return Failure{"this is no .npy file: it does not start with \\x93NUMPY"};
  if (bytes.size() < 10) return Failure{"the .npy file ends inside its first 10 bytes"};
  auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(bytes[at])); };
  size_t version = byte(6), lengthBytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3)
    return Failure{"the .npy file has version " + std::to_string(version) +
                   ", and I read versions 1, 2 and 3"};
  if (bytes.size() < 8 + lengthBytes) return Failure{"the .npy file ends inside its header"};
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i) length |= byte(8 + i) << (8 * i);
  size_t begin = 8 + lengthBytes;
  if (length > bytes.size() - begin) return Failure{"the .npy file ends inside its header"};
  auto header = HeaderReader(bytes.substr(begin, length)).read();
  if (!header) return Failure{header.error()};
  if (header->descr.size() < 3 || std::string_view("<>|=").find(header->descr[0]) == std::string_view::npos)
    return Failure{"the array has the NumPy type '" + header->descr + "', which has no counterpart here"};
  auto dtype = dtypeOf(header->descr, expected);
  if (!dtype) return Failure{dtype.error()};

  size_t elementBytes = static_cast<size_t>(storageBytes(*dtype));
  auto total = totalBytes(header->shape, elementBytes);
  if (!total) return Failure{"the shape in the .npy header has more elements than memory can hold"};
  std::string_view data = bytes.substr(begin + length);
  if (data.size() < *total)
    return Failure{"the .npy file is cut off: its header promises " + std::to_string(*total) +
                   " bytes of data and " + std::to_string(data.size()) + " are there"};
  data = data.substr(0, *total);
  NpyArray array{*dtype, header->shape, {}};
  array.data = header->fortranOrder && header->shape.size() > 1
                   ? toRowMajor(data, header->shape, elementBytes)
                   : std::string(data);
  if (*dtype == DType::Bool)
    for (char truth : array.data)
      if (truth != 0 && truth != 1)
        return Failure{"the .npy file holds " + std::to_string(static_cast<unsigned char>(truth)) + " where a truth value is 0 or 1"};
  if (header->descr[0] == '>') swapBytes(array.data, *dtype == DType::Complex64 ? 4 : elementBytes);
  return array;
}

std::string writeNpy(const NpyArray &array) {
  std::string shape;
  for (int64_t extent : array.shape) shape += std::to_string(extent) + ", ";
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);  // (2, 3)
  else if (array.shape.size() == 1) shape.pop_back();          // (5,)
  std::string header =
      "{'descr': '" + npyTypeString(array.dtype) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header + array.data;
}

}  // namespace tessera
