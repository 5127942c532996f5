// The format of .safetensors files: what is right is read as it was written, what is wrong is one message, and bytes from
// anywhere do no harm. Built with the sanitizers where there are any.
#include "tessera/host/tensor_file.h"
#include <cstdio>
#include <ctime>
#include <random>

using namespace tsr::host::tensor_file;

static int failures = 0;
static void expect(bool good, const std::string &what) {
  if (good) return;
  ++failures;
  if (failures < 20) std::printf("FAILED %s\n", what.c_str());
}

/// The message about a whole file, empty if it is right.
static std::string problemOf(std::string_view file, Header &header) {
  uint64_t length = 0;
  std::string problem = header_length(file, file.size(), length);
  return problem.empty() ? read_header(file.substr(8, length), file.size(), header) : problem;
}

static std::string fileOf(const std::string &text, size_t data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(static_cast<uint64_t>(text.size()) >> 8 * i & 0xff);
  return file + text + std::string(data, '\x01');
}

/// What a reader may rely on.
static bool holdsTogether(const Header &header, size_t fileBytes) {
  uint64_t total = 0;
  for (const Entry &entry : header.tensors) {
    uint64_t bytes = 0;
    if (!entry.dtype || !byte_count(entry.shape, entry.dtype->bytes, bytes)) return false;
    if (entry.begin > entry.end || entry.end - entry.begin != bytes || header.data + entry.end > fileBytes) return false;
    total += bytes;
  }
  return header.data + total == fileBytes;
}

static std::string twoTensors() {
  const DTypeName *f32 = dtype_of_language("f32"), *flag = dtype_of_language("bool");
  const std::vector<Entry> entries = {{"a", f32, {2, 3}, 0, 24}, {"layers.0.\"w\"\\", flag, {}, 24, 25}, {"none", f32, {0, 7}, 25, 25}};
  return header_text(entries) + std::string(25, '\0');
}

static void whatWasWrittenIsRead() {
  Header header;
  const std::string file = twoTensors();
  expect(problemOf(file, header).empty(), "a file of our own: " + problemOf(file, header));
  expect(header.data % 8 == 0, "elements begin at a multiple of 8 bytes");
  const Entry *a = header.find("a"), *flag = header.find("layers.0.\"w\"\\");
  expect(a && a->shape == std::vector<int64_t>({2, 3}) && a->end == 24, "a");
  expect(flag && flag->shape.empty() && flag->begin == 24, "a name with quotes");
  expect(header.find("none") && !header.find("b"), "names");
}

static void mistakesAreNamed() {
  const struct {
    const char *text;
    size_t data;
    const char *message;
  } cases[] = {
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} )", 8, ""},
      {R"({"a":{"shape":[2],"data_offsets":[0,8],"dtype":"F32"},"__metadata__":{"k":"v\u00e9\ud83d\ude00"}})", 8, ""},
      {"{}", 0, ""},
      {R"( {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8, "does not begin with"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} x)", 8, "goes on behind"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})", 16, "twice"},
      {R"({"a":{"dtype":"F32","dtype":"F64","shape":[2],"data_offsets":[0,8]}})", 8, "twice"},
      {R"({"a":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}})", 8, "the dtype F33"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}})", 9, "need 8 bytes"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8, "need 8 bytes"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7, "ends before its elements"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9, "belong to none"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12, "holes"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12, "overlaps"},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8, "needs a number"},
      {R"({"a":{"dtype":"F32","shape":[9223372036854775807,9223372036854775807],"data_offsets":[0,8]}})", 8, "than a machine can have"},
      {R"({"a":{"dtype":"F32","shape":[18446744073709551617],"data_offsets":[0,8]}})", 8, "63 bits"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", 8, "two data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", 8, "does not say"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8, "neither dtype"},
      {R"({"a":[]})", 0, "needs a `{`"},
      {R"({"__metadata__":{"k":1}})", 0, "needs a `\"`"},
      {R"({"\ud800":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", 4, "half of a character"},
      {"{\"\xff\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, "UTF-8"},
      {R"({"a\u001b[2J":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", 4, "`a?[2J`, with a control character"},
      {R"({"a":{"dtype":"F\u001b","shape":[],"data_offsets":[0,4]}})", 4, "the dtype F?,"},
      {"{\"a\nb\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, "control character"},
  };
  for (const auto &one : cases) {
    Header header;
    const std::string file = fileOf(one.text, one.data), problem = problemOf(file, header);
    const bool asExpected = *one.message ? problem.find(one.message) != std::string::npos : problem.empty() && holdsTogether(header, file.size());
    expect(asExpected, std::string(one.text) + ": " + problem);
  }
  Header header;
  expect(problemOf("", header).find("no .safetensors file") != std::string::npos, "an empty file");
  expect(problemOf(std::string(8, '\xff'), header).find("announce") != std::string::npos, "a header longer than any");
  expect(problemOf(fileOf("{}", 0).substr(0, 9), header).find("before its header") != std::string::npos, "a header that is cut off");
}

static void namesAreCompared() {
  Header header;
  const std::string file = twoTensors();
  expect(problemOf(file, header).empty(), "the file");
  expect(other_names(header, {"a", "none", "layers.0.\"w\"\\"}).empty(), "the same names");
  const std::string text = other_names(header, {"a", "b", "c"});
  expect(text == "it lacks `b`, `c`, and it has `layers.0.\"w\"\\`, `none`, which nothing asks for", text);
  expect(other_dtype(*header.find("a"), "f32").empty() && !other_dtype(*header.find("a"), "bf16").empty(), "dtypes");
  expect(no_truth(*header.find("layers.0.\"w\"\\"), std::string_view("\2", 1)).find("holds 2") != std::string::npos, "a truth value of 2");
}

/// Headers of a hundred thousand names are read at once.
static void manyNames() {
  std::string text = R"({"__metadata__":{)";
  for (int i = 0; i < 200000; ++i) text += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":\"\"";
  text += "}";
  for (int i = 0; i < 200000; ++i) text += ",\"t" + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  Header header;
  const std::clock_t before = std::clock();
  expect(problemOf(fileOf(text + "}", 0), header).empty() && header.tensors.size() == 200000, "many names");
  expect(std::clock() - before < 20 * CLOCKS_PER_SEC, "many names take no time");
}

/// Every cut of a file, every byte of it as every other byte, and many changes at once.
static void bytesFromAnywhereDoNoHarm() {
  const std::string file = twoTensors();
  size_t accepted = 0, refused = 0;
  auto tried = [&](const std::string &bytes) {
    Header header;
    const std::string problem = problemOf(bytes, header);
    if (problem.empty()) ++accepted, expect(holdsTogether(header, bytes.size()), "an accepted file");
    else ++refused;
  };
  for (size_t cut = 0; cut < file.size(); ++cut) {
    Header header;
    expect(!problemOf(file.substr(0, cut), header).empty(), "a file cut off at " + std::to_string(cut));
  }
  for (size_t at = 0; at < file.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      std::string changed = file;
      changed[at] = static_cast<char>(value);
      tried(changed);
    }
  std::mt19937 random(20240612);
  const std::string_view words[] = {"{", "}", "[", "]", ":", ",", "\"", "\\u", "0", "9223372036854775807", "F32", "shape", "data_offsets", " ", "-", "\xc3"};
  for (int round = 0; round < 60000; ++round) {
    std::string changed = file;
    for (unsigned n = random() % 4 + 1; n > 0; --n) {
      const size_t at = 8 + random() % (changed.size() - 8);
      const std::string word(words[random() % std::size(words)]);
      if (random() % 2) changed.insert(at, word);
      else changed.replace(at, std::min<size_t>(random() % 6, changed.size() - at), word);
      if (changed.size() < 10) break;
    }
    const uint64_t header = changed.size() > 33 && random() % 4 ? changed.size() - 8 - 25 : random() % (changed.size() + 4);
    for (int i = 0; i < 8; ++i) changed[static_cast<size_t>(i)] = static_cast<char>(header >> 8 * i & 0xff);
    tried(changed);
  }
  expect(accepted > 100 && refused > 10000, "both kinds: " + std::to_string(accepted) + " accepted, " + std::to_string(refused) + " refused");
}

int main() {
  whatWasWrittenIsRead();
  mistakesAreNamed();
  namesAreCompared();
  manyNames();
  bytesFromAnywhereDoNoHarm();
  std::printf(failures ? "%d failures\n" : "all good\n", failures);
  return failures != 0;
}
