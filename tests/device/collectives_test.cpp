// Collectives between processes, one for each device: on CPUs, on NVIDIA's GPUs by NCCL, and by what stands in for RCCL on the CPU.
// Prints "N passed, N failed" as the other tests of the headers; status 77 where there are fewer than two GPUs.
#include "harness.h"
#include "processes.h"
#include "tessera/collectives.h"
#include "tessera/host/mesh.h"
#include <cinttypes>
#include <numeric>

using harness::expect;

namespace {

#if defined(TSR_CUDA)
using harness::must;
void *device_memory(size_t bytes) {
  void *memory = nullptr;
  must(cudaMalloc(&memory, bytes));
  return memory;
}
void to_device(void *to, const void *from, size_t bytes) { must(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)); }
void to_host(void *to, const void *from, size_t bytes) { must(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost)); }
void free_memory(void *memory) { must(cudaFree(memory)); }
#else
void *device_memory(size_t bytes) { return std::malloc(bytes); }
void to_device(void *to, const void *from, size_t bytes) { std::memcpy(to, from, bytes); }
void to_host(void *to, const void *from, size_t bytes) { std::memcpy(to, from, bytes); }
void free_memory(void *memory) { std::free(memory); }
#endif

/// Elements on the device; what is not written is 0xee.
template <class T> struct Elements {
  explicit Elements(int64_t count) : count(count), data(static_cast<T *>(device_memory(bytes() + 1))) { put(std::vector<unsigned char>(bytes(), 0xee).data()); }
  explicit Elements(const std::vector<T> &values) : Elements(static_cast<int64_t>(values.size())) { put(values.data()); }
  ~Elements() { free_memory(data); }
  Elements(const Elements &) = delete;
  size_t bytes() const { return static_cast<size_t>(count) * sizeof(T); }
  void put(const void *values) { to_device(data, values, bytes()); }
  std::vector<T> get() const {
    std::vector<T> values(static_cast<size_t>(count));
    to_host(values.data(), data, bytes());
    return values;
  }
  int64_t count;
  T *data;
};
/// std::vector<bool> has no elements.
struct Truth {
  bool value;
};

template <class T> T made(int64_t number) {
  if constexpr (std::is_same<T, tsr::complex64>::value) return {static_cast<float>(number), static_cast<float>(-2 * number)};
  else if constexpr (std::is_same<T, Truth>::value) return {number % 2 != 0};
  else return tsr::to<T>(number);
}
/// What device `rank` has at place i in turn `turn`: small whole numbers, whose sums are exact in all types.
int64_t number_at(int64_t rank, int64_t i, int turn) {
  const uint64_t mixed = (static_cast<uint64_t>(rank) * 1000003 + static_cast<uint64_t>(i) * 7919 + static_cast<uint64_t>(turn) * 104729) * 0x9e3779b97f4a7c15ull;
  return static_cast<int64_t>(mixed >> 60);  // 0 to 15
}
template <class T> std::vector<T> numbers(int64_t rank, int64_t count, int turn) {
  std::vector<T> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = made<T>(number_at(rank, i, turn));
  return values;
}
template <class T> bool same(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

const tsr::Mesh &mesh() { return tsr::Mesh::get(); }
/// The devices along an axis, in order; this one alone where there is no mesh.
std::vector<int64_t> devices_along(const char *name) {
  const tsr::Mesh::Axis *axis = mesh().axis(name);
  std::vector<int64_t> ranks;
  for (int64_t k = 0; k < (axis ? axis->size : 1); ++k) ranks.push_back(axis ? mesh().rank() + (k - axis->index) * axis->stride : mesh().rank());
  return ranks;
}
int64_t place_along(const char *name) { return mesh().axis(name) ? mesh().axis(name)->index : 0; }
void expect_ok(tsr::Call &call, const char *what, int64_t at) {
  const bool good = call.finish() == TESS_OK;
  if (!good) std::printf("%s\n", tessLastErrorText());
  expect(good, what, at);
}

int turns = 0;
template <class T> void gathers(const char *axis, int64_t count) {
  const int turn = ++turns;
  const std::vector<int64_t> ranks = devices_along(axis);
  const Elements<T> source(numbers<T>(mesh().rank(), count, turn)), result(count * static_cast<int64_t>(ranks.size()));
  {
    tsr::Call call("gathers", nullptr);
    tsr::all_gather(call, axis, source.data, result.data, count);
    expect_ok(call, "all_gather", count);
  }
  std::vector<T> expected;
  for (int64_t rank : ranks)
    for (const T &value : numbers<T>(rank, count, turn)) expected.push_back(value);
  expect(same(result.get(), expected), "elements of all_gather", count);
}
template <class T> std::vector<T> sums(const char *axis, int64_t begin, int64_t count, int turn) {
  std::vector<T> values;
  for (int64_t i = begin; i < begin + count; ++i) {
    int64_t sum = 0;
    for (int64_t rank : devices_along(axis)) sum += number_at(rank, i, turn);
    values.push_back(made<T>(sum));
  }
  return values;
}
template <class T> void adds(const char *axis, int64_t count) {
  const int turn = ++turns;
  const Elements<T> source(numbers<T>(mesh().rank(), count, turn)), result(count), both(numbers<T>(mesh().rank(), count, turn));
  const int64_t along = static_cast<int64_t>(devices_along(axis).size());
  const Elements<T> parts(numbers<T>(mesh().rank(), count * along, turn)), part(count);
  {
    tsr::Call call("adds", nullptr);
    tsr::all_reduce(call, axis, source.data, result.data, count);
    tsr::all_reduce(call, axis, both.data, both.data, count);
    tsr::reduce_scatter(call, axis, parts.data, part.data, count);
    expect_ok(call, "all_reduce and reduce_scatter", count);
  }
  const std::vector<T> expected = sums<T>(axis, 0, count, turn);
  expect(same(result.get(), expected), "sums of all_reduce", count);
  expect(same(both.get(), expected), "sums of all_reduce in place", count);
  expect(same(source.get(), numbers<T>(mesh().rank(), count, turn)), "all_reduce leaves its source", count);
  expect(same(part.get(), sums<T>(axis, place_along(axis) * count, count, turn)), "sums of reduce_scatter", count);
}

#if !defined(TSR_CPU)
/// As more than two devices add up 16 bits, whatever their number: in f32 and in their order, rounded once.
template <class T> void adds_in_parts(const char *name, int64_t count) {
  const tsr::Mesh::Axis *axis = mesh().axis(name);
  if (!axis || axis->size == 1) return;
  const auto given = [&](int64_t rank, int64_t i, int turn) { return tsr::to<T>(0.37f * static_cast<float>(number_at(rank, i, turn)) + 0.011f * static_cast<float>(rank)); };
  const int turn = ++turns;
  const int64_t all = count * axis->size;
  std::vector<T> mine, expected, kept;
  for (int64_t i = 0; i < all; ++i) {
    mine.push_back(given(mesh().rank(), i, turn));
    float sum = 0;
    for (int64_t rank : devices_along(name)) sum += static_cast<float>(given(rank, i, turn));
    expected.push_back(tsr::to<T>(sum));
  }
  kept.assign(expected.begin() + axis->index * count, expected.begin() + (axis->index + 1) * count);
  const Elements<T> source(mine), both(mine), result(all), part(count);
  {
    tsr::Call call("adds in parts", nullptr);
    tsr::detail::HalfSums sums(call, tsr::detail::Communicators::of_process().along(call, mesh(), *axis), *axis);
    sums.all_reduce(source.data, result.data, all);
    sums.all_reduce(both.data, both.data, all);
    sums.reduce_scatter(source.data, part.data, count);
    expect_ok(call, "sums in parts", count);
  }
  expect(same(result.get(), expected), "sums in parts", count);
  expect(same(both.get(), expected), "sums in parts, in place", count);
  expect(same(part.get(), kept), "sums in parts, shared out", count);
}
#endif

/// Sums of floats that are not exact: the same bits on all devices and in each run, near to what f64 gives.
template <class T> void rounds(const char *axis, int64_t count) {
  const auto value = [](int64_t rank, int64_t i) { return std::sin(0.7 * static_cast<double>(i) + 3.1 * static_cast<double>(rank)) * 10; };
  std::vector<T> mine(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) mine[static_cast<size_t>(i)] = tsr::to<T>(value(mesh().rank(), i));
  const Elements<T> source(mine), first(count), again(count);
  const std::vector<int64_t> ranks = devices_along(axis);
  const Elements<T> all(count * static_cast<int64_t>(ranks.size()));
  {
    tsr::Call call("rounds", nullptr);
    tsr::all_reduce(call, axis, source.data, first.data, count);
    tsr::all_reduce(call, axis, source.data, again.data, count);
    tsr::all_gather(call, axis, first.data, all.data, count);
    expect_ok(call, "all_reduce of floats", count);
  }
  const std::vector<T> sums = first.get(), everywhere = all.get();
  expect(same(sums, again.get()), "all_reduce gives the same bits again", count);
  for (size_t k = 0; k < ranks.size(); ++k) {
    const auto begin = everywhere.begin() + static_cast<std::ptrdiff_t>(k) * count;
    expect(same(std::vector<T>(begin, begin + count), sums), "all_reduce gives the same bits on all devices", count);
  }
  double largest = 0;
  bool ordered = true;
  for (int64_t i = 0; i < count; ++i) {
    double exact = 0;
    T inOrder{};
    for (size_t k = 0; k < ranks.size(); ++k) {
      const T one = tsr::to<T>(value(ranks[k], i));
      exact += static_cast<double>(one);
      inOrder = k == 0 ? one : inOrder + one;
    }
    largest = std::max(largest, std::fabs(static_cast<double>(sums[static_cast<size_t>(i)]) - exact));
    ordered = ordered && inOrder == sums[static_cast<size_t>(i)];
  }
  expect(largest <= 10 * static_cast<double>(ranks.size()) * static_cast<double>(std::numeric_limits<T>::epsilon()) * 10, "all_reduce is near to the sum in f64", count);
#if defined(TSR_CPU)
  expect(ordered, "all_reduce adds up in the order of the devices", count);
#endif
}

/// Sums that wrap and sums of short floats, which are rounded once.
void sums_at_the_end_of_the_range(const char *axis) {
  const int64_t devices = static_cast<int64_t>(devices_along(axis).size());
  const Elements<int32_t> most(std::vector<int32_t>{std::numeric_limits<int32_t>::max()}), sum(1);
  tsr::Call call("wraps", nullptr);
  tsr::all_reduce(call, axis, most.data, sum.data, 1);
  expect_ok(call, "all_reduce that wraps", 0);
  expect(sum.get()[0] == static_cast<int32_t>(static_cast<uint32_t>(devices) * 0x7fffffffu), "integers wrap", sum.get()[0]);
#if defined(TSR_CPU)
  // 256 + 1 + 1 is 258 in bf16, and 256 where each sum is rounded.
  const Elements<tsr::bf16> term(std::vector<tsr::bf16>{tsr::to<tsr::bf16>(place_along(axis) == 0 ? 256.0f : 1.0f)}), total(1);
  tsr::Call call2("rounds once", nullptr);
  tsr::all_reduce(call2, axis, term.data, total.data, 1);
  expect_ok(call2, "all_reduce of bf16", 0);
  expect(static_cast<float>(total.get()[0]) == static_cast<float>(tsr::to<tsr::bf16>(255.0f + static_cast<float>(devices))), "sums of bf16 are rounded once", devices);
#endif
}

void knows_its_place() {
  tsr::Call call("place", nullptr);
  expect(tsr::rank(call) == mesh().rank() && tsr::host::rank() == mesh().rank() && std::to_string(mesh().rank()) == std::getenv("RANK"), "rank");
  int64_t stride = 1;
  for (size_t a = mesh().axes().size(); a-- > 0; stride *= mesh().axes()[a].size) {
    const tsr::Mesh::Axis &axis = mesh().axes()[a];
    expect(tsr::axis_size(call, axis.name.c_str()) == axis.size && tsr::host::axis_size(axis.name) == axis.size, "axis_size", axis.size);
    const int64_t index = mesh().rank() / stride % axis.size;
    expect(tsr::axis_index(call, axis.name.c_str()) == index && tsr::host::axis_index(axis.name) == index, "axis_index", index);
  }
  expect_ok(call, "places", 0);
  expect(tsr::Mesh::set({{"dp", 1, 0, nullptr}}) == TESS_ERROR_MESH, "a mesh that is in use stays");
}
/// Asked for an axis of another name, every call fails and writes nothing; without a mesh it is an axis of one device.
void refuses_axes_that_it_lacks() {
  const std::string first = mesh().axes()[0].name;
  const Elements<float> source(std::vector<float>{1, 2}), result(2);
  const std::vector<float> before = result.get();
  const auto refused = [&](const char *axis, const std::string &said, const auto &ask) {
    tsr::Call call("lacks", nullptr);
    ask(call, axis);
    const bool failed = call.finish() == TESS_ERROR_MESH;
    expect(failed && std::strstr(tessLastErrorText(), said.c_str()), tessLastErrorText(), 0);
    expect(same(result.get(), before), "elements after a call that was refused", 0);
  };
  const std::string longer = first + "2", whole = "the program goes along the axis `" + longer + "`, and the mesh `" + mesh().text() +
                             "` has none of this name: `" + first + "` is like it, and `" + mesh().text() + "," + longer + "=1` has it";
  refused(longer.c_str(), whole, [&](tsr::Call &call, const char *axis) { tsr::all_reduce(call, axis, source.data, result.data, 2); });
  refused("none", "none of this name: `" + mesh().text() + ",none=1` has it", [&](tsr::Call &call, const char *axis) { tsr::all_gather(call, axis, source.data, result.data, 2); });
  refused("none", "has none of this name", [&](tsr::Call &call, const char *axis) { tsr::reduce_scatter(call, axis, source.data, result.data, 0); });
  refused("none", "has none of this name", [&](tsr::Call &call, const char *axis) { expect(tsr::axis_size(call, axis) == 1, "the size after a failure", 0); });
  refused("none", "has none of this name", [&](tsr::Call &call, const char *axis) { expect(tsr::axis_index(call, axis) == 0, "the index after a failure", 0); });
}
void does_nothing_after_a_failure() {
  const Elements<float> source(std::vector<float>{1, 2}), result(2);
  const std::vector<float> before = result.get();
  tsr::Call call("failed", nullptr);
  call.fail(TESS_ERROR_SHAPE, "as told");
  for (const tsr::Mesh::Axis &axis : mesh().axes()) tsr::all_reduce(call, axis.name.c_str(), source.data, result.data, 2);
  expect(call.finish() == TESS_ERROR_SHAPE && same(result.get(), before) && std::strcmp(tessLastErrorText(), "failed: as told") == 0, "a failed call does nothing");
}
#if defined(TSR_CUDA)
void is_captured(bool before) {
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  const char *axis = nullptr;  // of several devices
  for (const tsr::Mesh::Axis &one : mesh().axes())
    if (one.size > 1) axis = one.name.c_str();
  if (!axis) return;
  const Elements<float> source(numbers<float>(mesh().rank(), 1009, 3)), result(1009);
  cudaGraph_t graph = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  tsr::Call call("captured", stream);
  tsr::all_reduce(call, axis, source.data, result.data, 1009);
  const TessStatus status = call.finish();
  must(cudaStreamEndCapture(stream, &graph));
  if (before) {
    expect(status == TESS_ERROR_MESH && std::strstr(tessLastErrorText(), "once before the capture"), "the first collective in a capture is refused");
    return;
  }
  expect(status == TESS_OK, "a collective is captured");
  cudaGraphExec_t program;
  must(cudaGraphInstantiate(&program, graph, 0));
  for (int i = 0; i < 3; ++i) must(cudaGraphLaunch(program, stream));
  must(cudaStreamSynchronize(stream));
  expect(same(result.get(), sums<float>(axis, 0, 1009, 3)), "a graph with a collective");
}
#endif

/// Everything, in one process of the mesh.
int in_mesh() {
#if defined(TSR_CUDA)
  must(cudaSetDevice(std::atoi(std::getenv("LOCAL_RANK"))));
  if (mesh().size() > 1) is_captured(true);
#endif
  knows_its_place();
  refuses_axes_that_it_lacks();
  std::vector<const char *> axes;
  for (const tsr::Mesh::Axis &axis : mesh().axes()) axes.push_back(axis.name.c_str());
  for (const char *axis : axes) {
    for (const int64_t count : {0, 1, 2, 127, 1009, 100001}) {
      adds<float>(axis, count);
      adds<double>(axis, count);
      adds<int32_t>(axis, count);
      gathers<float>(axis, count);
      gathers<tsr::f8e4m3>(axis, count);
      rounds<float>(axis, count);
      rounds<double>(axis, count);
    }
#if !defined(TSR_CPU)
    for (const int64_t count : {1, 5, 127, 30011}) {
      adds_in_parts<tsr::bf16>(axis, count);
      adds_in_parts<tsr::f16>(axis, count);
    }
#endif
    for (const int64_t count : {1, 127, 3001}) {
      adds<tsr::bf16>(axis, count);
      adds<tsr::f16>(axis, count);
      adds<int64_t>(axis, count);
      adds<int8_t>(axis, count);
      adds<uint32_t>(axis, count);
      adds<uint8_t>(axis, count);
      adds<tsr::complex64>(axis, count);
      gathers<double>(axis, count);
      gathers<tsr::bf16>(axis, count);
      gathers<tsr::f8e5m2>(axis, count);
      gathers<int16_t>(axis, count);
      gathers<Truth>(axis, count);
      gathers<tsr::complex64>(axis, count);
    }
    sums_at_the_end_of_the_range(axis);
  }
  // One axis after the other, many times: what one has not yet read another must not write.
  for (int i = 0; i < 200; ++i) {
    const int64_t count = number_at(0, i, 11) * 37 + 1;
    const char *axis = axes[static_cast<size_t>(number_at(0, i, 12)) % axes.size()];
    number_at(0, i, 13) % 2 ? adds<float>(axis, count) : gathers<int32_t>(axis, count);
  }
  adds<float>(axes.back(), 1000003);
  does_nothing_after_a_failure();
#if defined(TSR_CUDA)
  if (mesh().size() > 1) is_captured(false);
#endif
  std::printf("%d passed, %d failed\n", harness::passed, harness::failed);
  return harness::failed ? 1 : 0;
}

#if defined(TSR_CUDA)
/// The id of a communicator as digits, made by the process that starts the others.
std::string made_id() {
  ncclUniqueId id;
  if (ncclGetUniqueId(&id) != ncclSuccess) return "";
  std::string digits;
  char two[3];
  for (const char c : id.internal) digits += (std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(c)), two);
  return digits;
}
void *communicator_of_program(int index) {
  ncclUniqueId id;
  const std::string digits = std::getenv("TEST_ID");
  for (size_t i = 0; i < sizeof id.internal; ++i) id.internal[i] = static_cast<char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  ncclComm_t own = nullptr;
  expect(ncclCommInitRank(&own, 2, id, index) == ncclSuccess, "a communicator of the program");
  return own;
}
#else
std::string made_id() { return ""; }
void *communicator_of_program(int) { return nullptr; }
#endif

/// The mesh is the program's own, and no environment says anything of it: the two processes stand the other way round.
int in_mesh_of_program() {
  const int index = 1 - std::atoi(std::getenv("LOCAL_RANK"));
#if defined(TSR_CUDA)
  must(cudaSetDevice(1 - index));
#endif
  const TessMeshAxis axes[] = {{"dp", 2, index, communicator_of_program(index)}, {"tp", 1, 0, nullptr}};
  expect(tessMeshSet(axes, 2) == TESS_OK, "a mesh of the program");
  const Elements<float> source(std::vector<float>{static_cast<float>(index + 1)}), result(1), both(2);
  tsr::Call call("own", nullptr);
  tsr::all_reduce(call, "dp", source.data, result.data, 1);
  tsr::all_gather(call, "dp", source.data, both.data, 1);
  expect_ok(call, "a collective in a mesh of the program", index);
  expect(result.get()[0] == 3, "its sum", static_cast<int64_t>(result.get()[0]));
  expect(both.get()[0] == 1 && both.get()[1] == 2, "its order");
  expect(mesh().rank() == index && mesh().axis("dp")->index == index, "its place", index);
  std::printf("%d passed, %d failed\n", harness::passed, harness::failed);
  return harness::failed ? 1 : 0;
}

int devices_here() {
#if defined(TSR_CUDA)
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
#else
  return 8;
#endif
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1) return std::strcmp(argv[1], "own") == 0 ? in_mesh_of_program() : in_mesh();
  if (devices_here() < 2) {
    std::printf("%d GPUs are here, and collectives are tested with 2: SKIPPED\n", devices_here());
    return 77;
  }
  struct Row {
    const char *mesh, *mode;
    int devices;
  };
  const Row rows[] = {{"dp=1", "all", 1}, {"dp=1,tp=1", "all", 1}, {"dp=2", "all", 2}, {"dp=1,tp=2", "all", 2}, {"-", "own", 2}, {"dp=3", "all", 3},
                      {"dp=2,tp=2", "all", 4}, {"pp=2,dp=3", "all", 6}, {"a=2,b=2,c=2", "all", 8}};
  int passed = 0, failed = 0;
  for (const Row &row : rows) {
    if (row.devices > devices_here()) {
      std::printf("%s: %d GPUs are here: skipped\n", row.mesh, devices_here());
      continue;
    }
    int rank = 0;
    for (const processes::End &end : processes::run(row.mode, row.mesh, row.devices, {{"TEST_ID", made_id()}})) {
      int good = 0, bad = 0;
      const size_t last = end.said.rfind('\n', end.said.size() - std::min<size_t>(2, end.said.size()));
      const bool counted = std::sscanf(end.said.c_str() + (last == std::string::npos ? 0 : last + 1), "%d passed, %d failed", &good, &bad) == 2;
      if (!counted || bad != 0 || good < 4 || end.status != 0) {
        std::printf("FAILED: device %d of %s, status %d: %s\n", rank, row.mesh, end.status, end.said.c_str());
        bad = std::max(bad, 1);
      }
      passed += good, failed += bad, ++rank;
    }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
