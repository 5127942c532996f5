#include "Cases.h"
#include <sstream>
#include <string_view>

namespace {

using Dims = std::map<std::string, int64_t>;

/// The same scalars for all sizes.
std::vector<Case> each(std::vector<Dims> sizes, std::map<std::string, std::string> scalars = {}) {
  std::vector<Case> cases;
  for (Dims &dims : sizes) cases.push_back({dims, scalars});
  return cases;
}
std::vector<Case> operator+(std::vector<Case> a, std::vector<Case> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Dims> vectors(const char *name) {
  std::vector<Dims> sizes;
  for (int64_t n : {0, 1, 2, 127, 128, 129, 255, 256, 257, 1009, 100003}) sizes.push_back({{name, n}});
  return sizes;
}
/// Parts of a warp, of a group of two and of three warps.
std::vector<Dims> lanes() {
  std::vector<Dims> sizes;
  for (int64_t n : {1, 31, 64, 65, 97, 200}) sizes.push_back({{"N", n}});
  return sizes;
}
std::vector<Dims> matrices() {
  return {{{"R", 0}, {"C", 5}}, {{"R", 5}, {"C", 0}}, {{"R", 1}, {"C", 1}}, {{"R", 3}, {"C", 7}}, {{"R", 17}, {"C", 129}},
          {{"R", 2}, {"C", 127}}, {{"R", 64}, {"C", 256}}, {{"R", 1031}, {"C", 3}}, {{"R", 2}, {"C", 100003}}};
}
std::vector<Dims> rows() {
  return {{{"B", 0}, {"S", 3}, {"D", 5}}, {{"B", 1}, {"S", 1}, {"D", 1}}, {{"B", 2}, {"S", 3}, {"D", 127}}, {{"B", 3}, {"S", 1}, {"D", 256}},
          {{"B", 1}, {"S", 5}, {"D", 257}}, {{"B", 2}, {"S", 7}, {"D", 1009}}, {{"B", 1}, {"S", 2}, {"D", 100003}}};
}
std::vector<Dims> products() {
  auto mnk = [](int64_t m, int64_t n, int64_t k) { return Dims{{"M", m}, {"N", n}, {"K", k}}; };
  return {mnk(0, 4, 4), mnk(4, 0, 3), mnk(3, 4, 0), mnk(1, 1, 1), mnk(31, 37, 101), mnk(127, 255, 63), mnk(128, 256, 64), mnk(129, 257, 65), mnk(64, 64, 200), mnk(257, 131, 33)};
}
std::vector<Dims> rectangles() {
  auto mk = [](int64_t m, int64_t k) { return Dims{{"M", m}, {"K", k}}; };
  return {mk(0, 3), mk(3, 0), mk(1, 1), mk(31, 37), mk(64, 32), mk(65, 33), mk(127, 200), mk(5, 1009), mk(257, 64)};
}
std::vector<Dims> heads() {
  auto bhsd = [](int64_t b, int64_t h, int64_t s, int64_t d) { return Dims{{"B", b}, {"H", h}, {"S", s}, {"D", d}}; };
  return {bhsd(1, 1, 1, 16), bhsd(1, 2, 100, 64), bhsd(2, 1, 129, 32), bhsd(1, 1, 65, 48), bhsd(1, 1, 257, 128), bhsd(1, 1, 70, 256), bhsd(1, 1, 0, 64), bhsd(0, 2, 5, 64)};
}

/// Rows of `n` states, `d` of them at each place.
std::vector<Case> states(std::vector<int64_t> ds, std::vector<int64_t> ns) {
  std::vector<Dims> sizes;
  for (int64_t d : ds)
    for (int64_t n : ns) sizes.push_back({{"B", 2}, {"L", 5}, {"D", d}, {"N", n}});
  return each(sizes);
}

std::vector<Dims> layers() {
  auto bdf = [](int64_t b, int64_t d, int64_t f) { return Dims{{"B", b}, {"D", d}, {"F", f}}; };
  return {bdf(1, 1, 1), bdf(31, 17, 65), bdf(128, 64, 128), bdf(3, 129, 5)};
}

}  // namespace

const std::vector<Subject> &subjects() {
  constexpr double kBf16 = 1.0 / 128, kF32 = 2e-5;
  static const std::vector<Subject> all = {
      {"01_saxpy", "saxpy", 1e-6, 1e-6, each(vectors("n"), {{"alpha", "2.5"}}) + each({{{"n", 1009}}}, {{"alpha", "-0.125"}})},
      {"02_elementwise", "bias_gelu_residual", kBf16, 1e-3, each(matrices())},
      {"02_elementwise", "swiglu", kBf16, 1e-3, each(matrices())},
      {"03_matmul", "matmul", kBf16, 2e-3, each(products())},
      {"03_matmul", "small_matmul", kBf16, 2e-3, each(products())},
      {"04_softmax", "softmax", kBf16, 1e-7, each(matrices())},
      {"04_softmax", "attention_weights", kF32, 1e-9,
       each({{{"B", 1}, {"H", 1}, {"S", 1}}, {{"B", 2}, {"H", 3}, {"S", 17}}, {{"B", 1}, {"H", 2}, {"S", 129}}, {{"B", 1}, {"H", 1}, {"S", 0}}, {{"B", 1}, {"H", 1}, {"S", 1021}}})},
      {"05_norms", "layer_norm", 1e-4, 1e-4, each(rows())},
      {"05_norms", "rms_norm", kBf16, 1e-3, each(rows())},
      {"06_cooperative_reduction", "total", 1e-4, 2e-3, each(vectors("N"))},
      {"07_double_buffered_gemm", "double_buffered_gemm", 1e-4, 1e-4, each(products())},
      {"08_flash_attention", "flash_attention", kBf16, 4e-3, each(heads()) + each(heads(), {{"causal", "false"}})},
      {"21_shapes", "stacked", 1e-6, 1e-6, each(matrices())},
      {"21_shapes", "repeated", 1e-6, 1e-6, each(matrices())},
      {"21_shapes", "scores", 1e-4, 1e-4, each({{{"B", 2}, {"H", 3}, {"Q", 5}, {"K", 7}, {"D", 9}}, {{"B", 1}, {"H", 1}, {"Q", 1}, {"K", 33}, {"D", 64}}})},
      {"21_shapes", "convolved", 1e-4, 1e-4, each({{{"B", 2}, {"C", 2}, {"H", 7}, {"W", 5}}, {{"B", 1}, {"C", 1}, {"H", 3}, {"W", 2}}, {{"B", 1}, {"C", 3}, {"H", 32}, {"W", 17}}})},
      {"21_shapes", "smoothed", 1e-5, 1e-5, each({{{"B", 2}, {"C", 3}, {"L", 1}}, {{"B", 1}, {"C", 2}, {"L", 100}}})},
      {"21_shapes", "halved", 1e-6, 1e-6, each({{{"B", 2}, {"C", 3}, {"H", 2}, {"W", 3}}, {{"B", 1}, {"C", 2}, {"H", 9}, {"W", 64}}})},
      {"22_structs", "mlp", 1e-4, 1e-4, each(layers())},
      {"22_structs", "mlp_without_p_down_b_and_p_up_b", 1e-4, 1e-4, each(layers())},
      {"22_structs", "decay", 1e-6, 1e-6, each({{{"I", 1}, {"O", 1}}, {{"I", 129}, {"O", 7}}, {{"I", 0}, {"O", 3}}})},
      {"22_structs", "swap", 1e-6, 1e-6, each({{{"N", 5}, {"M", 130}}, {{"N", 1}, {"M", 0}}})},
      {"22_structs", "swap_with_by_as_Tensor_N_f32", 1e-6, 1e-6, each({{{"N", 5}, {"M", 130}}, {{"N", 257}, {"M", 1}}})},
      {"22_structs", "energies", 1e-4, 1e-4, each({{{"N", 17}, {"M", 129}}, {{"N", 1}, {"M", 1}}})},
      {"20_host", "row_sums", 1e-4, 1e-3, each(matrices())},
      {"layers", "normed", kF32, kF32, each({{{"B", 3}, {"C", 5}, {"L", 33}}, {{"B", 1}, {"C", 1}, {"L", 1}}})},
      {"layers", "grouped", kF32, kF32, each({{{"B", 2}, {"C", 12}, {"L", 17}}})},
      {"layers", "volume", kF32, kF32, each({{{"B", 2}, {"C", 3}, {"H", 9}}, {{"B", 1}, {"C", 1}, {"H", 2}}})},
      {"layers", "upwards", kF32, kF32, each({{{"B", 2}, {"C", 3}, {"H", 5}, {"W", 6}}, {{"B", 1}, {"C", 1}, {"H", 1}, {"W", 1}}})},
      {"layers", "pooled", kF32, kF32, each({{{"B", 2}, {"H", 9}}, {{"B", 1}, {"H", 1}}})},
      {"layers", "memory", kF32, kF32, each({{{"T", 5}, {"B", 2}, {"H", 9}}, {{"T", 0}, {"B", 1}, {"H", 1}}})},
      {"layers", "memory_slopes", 1e-4, 1e-4, each({{{"B", 3}, {"H", 8}}})},
      {"layers", "gates", kF32, kF32, each({{{"T", 4}, {"B", 2}, {"H", 5}}})},
      {"layers", "space", kF32, kF32, each({{{"L", 7}, {"D", 5}}})},
      {"layers", "waves", kF32, kF32, each({{{"B", 3}}, {{"B", 1}}})},
      {"layers", "waves_of_any", kF32, kF32, each({{{"N", 31}, {"B", 4}}, {{"N", 1}, {"B", 1}}})},
      {"layers", "slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 8}}})},
      {"layers", "orthogonal", 1e-3, 1e-3, each({{{"N", 33}, {"M", 7}}})},
      {"windows", "square_windows", kF32, kF32, each({{{"B", 3}}, {{"B", 1}}})},
      {"windows", "neighbours_normed", 1e-4, 1e-4, each({{{"B", 2}, {"H", 6}, {"W", 5}, {"C", 33}}})},
      {"windows", "turned_squares", kF32, kF32, each({{{"N", 5}}})},
      {"channel_windows", "wide_windows", 1e-4, 1e-4, each({{{"B", 2}, {"H", 6}, {"W", 9}, {"C", 40}}, {{"B", 1}, {"H", 1}, {"W", 1}, {"C", 33}}})},
      {"channel_windows", "wide_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 6}, {"W", 9}, {"C", 40}}, {{"B", 1}, {"H", 3}, {"W", 5}, {"C", 11}}})},
      {"channel_windows", "rounded_windows", kBf16, 2e-3, each({{{"B", 2}, {"H", 5}, {"W", 7}, {"C", 40}}, {{"B", 1}, {"H", 2}, {"W", 1}, {"C", 9}}})},
      {"channel_windows", "rounded_slopes", kBf16, 2e-3, each({{{"B", 2}, {"H", 5}, {"W", 7}, {"C", 40}}})},
      {"channel_windows", "two_apart", 1e-4, 1e-4, each({{{"B", 2}, {"H", 7}, {"W", 8}, {"C", 16}}})},
      {"channel_windows", "two_apart_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 7}, {"W", 8}, {"C", 16}}, {{"B", 1}, {"H", 1}, {"W", 1}, {"C", 9}}})},
      {"channel_windows", "three_apart", 1e-4, 1e-4, each({{{"B", 2}, {"H", 10}, {"W", 13}, {"C", 12}}})},
      {"channel_windows", "three_apart_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 10}, {"W", 13}, {"C", 12}}, {{"B", 1}, {"H", 9}, {"W", 7}, {"C", 9}}})},
      {"channel_windows", "highest_near_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 5}, {"W", 7}, {"C", 8}}})},
      {"channel_windows", "spread_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 11}, {"W", 12}, {"C", 8}}})},
      {"channel_windows", "channels_first_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"C", 11}, {"H", 6}, {"W", 5}}})},
      {"channel_windows", "along_time_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"L", 37}, {"C", 20}}})},
      {"channel_windows", "with_bias", 1e-4, 1e-4, each({{{"B", 2}, {"H", 5}, {"W", 7}, {"C", 10}}})},
      {"channel_windows", "highest", 0, 0, each({{{"B", 2}, {"H", 9}, {"W", 6}, {"C", 13}}, {{"B", 1}, {"H", 1}, {"W", 1}, {"C", 8}}})},
      {"channel_windows", "highest_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 9}, {"W", 6}, {"C", 8}}})},
      {"channel_windows", "averaged_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 5}, {"W", 6}, {"C", 9}}})},
      {"channel_windows", "blurred", 1e-4, 1e-4, each({{{"B", 2}, {"H", 9}, {"W", 12}, {"C", 16}}})},
      {"channel_windows", "repeated", 1e-4, 1e-4, each({{{"B", 2}, {"H", 3}, {"W", 5}, {"C", 9}}})},
      {"channel_windows", "repeated_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"H", 3}, {"W", 5}, {"C", 9}}})},
      {"channel_windows", "long_blur", 1e-4, 1e-4, each({{{"B", 1}, {"H", 3}, {"W", 40}, {"C", 8}}})},
      {"random_streams", "planes", 0, 0, each({{{"A", 2}, {"B", 7}, {"C", 129}}, {{"A", 1}, {"B", 1}, {"C", 1}}})},
      {"random_streams", "normals", 0, 0, each(vectors("N"))},
      {"random_streams", "wide", 0, 0, each({{{"N", 257}}})},
      {"random_streams", "dropped", 0, 0, each(matrices())},
      {"random_streams", "projected", 1e-5, 1e-5, each({{{"B", 33}, {"D", 64}, {"F", 65}}})},
      {"random_streams", "normalised", 1e-5, 1e-5, each({{{"R", 9}, {"D", 300}}})},
      {"random_streams", "by_chance", 0, 0, each({{{"N", 2049}}})},
      {"random_streams", "walk", 0, 0, each({{{"N", 100}}})},
      {"column_sums", "groups_of_channels", 1e-4, 1e-4, each({{{"B", 2}, {"P", 300}, {"C", 96}}})},
      {"column_sums", "groups_of_five", 1e-4, 1e-4, each({{{"B", 2}, {"P", 70}}})},
      {"derivatives_of_loops", "weight_slopes", 1e-4, 1e-4, each({{{"T", 0}, {"B", 5}, {"D", 16}}, {{"T", 6}, {"B", 5}, {"D", 16}}})},
      {"derivatives_of_loops", "rounded_weight_slopes", 3e-2, 3e-2, each({{{"T", 6}, {"B", 5}, {"D", 16}}})},
      {"stores_at_places", "pairs", kF32, kF32, each({{{"N", 5}, {"M", 7}, {"K", 0}}, {{"N", 5}, {"M", 7}, {"K", 40}}, {{"N", 33}, {"M", 65}, {"K", 300}}})},
      {"stores_at_places", "rows", kF32, kF32, each({{{"N", 6}, {"M", 3}, {"K", 4}}, {{"N", 33}, {"M", 70}, {"K", 50}}})},
      {"stores_at_places", "columns", kF32, kF32, each({{{"N", 9}, {"M", 17}, {"K", 5}}, {{"N", 2}, {"M", 129}, {"K", 200}}})},
      {"stores_at_places", "labels", kF32, kF32, each({{{"N", 7}, {"M", 33}}, {{"N", 65}, {"M", 130}}})},
      {"stores_at_places", "masked", kF32, kF32, each({{{"N", 9}, {"M", 33}}})},
      {"stores_at_places", "parts", kF32, kF32, each({{{"N", 9}, {"M", 4}}}, {{"K", "2"}}) + each({{{"N", 9}, {"M", 4}}}, {{"K", "-1"}}) + each({{{"N", 9}, {"M", 40}}}, {{"K", "8"}})},
      {"stores_at_places", "slopes_of_pairs", 1e-4, 1e-4, each({{{"N", 5}, {"M", 7}, {"K", 9}}})},
      {"stores_at_places", "slopes_of_labels", 1e-4, 1e-4, each({{{"N", 5}, {"M", 7}}})},
      {"stores_at_places", "slopes_of_masks", 1e-4, 1e-4, each({{{"N", 5}, {"M", 33}}})},
      {"stores_at_places", "slopes_of_parts", 1e-4, 1e-4, each({{{"N", 9}, {"M", 4}}}, {{"K", "3"}})},
      {"stores_at_places", "in_a_loop", kF32, kF32, each({{{"N", 6}, {"M", 5}, {"T", 4}}})},
      {"loops_over_rows", "numbered", 1e-4, 1e-4, each({{{"N", 0}, {"M", 7}}, {{"N", 5}, {"M", 33}}})},
      {"loops_over_rows", "beside", 1e-4, 1e-4, each({{{"N", 0}, {"M", 7}}, {{"N", 5}, {"M", 33}}})},
      {"loops_over_rows", "backwards", 1e-4, 1e-4, each({{{"N", 9}}})},
      {"loops_over_rows", "changed_below", kF32, kF32, each({{{"N", 4}, {"M", 3}}})},
      {"loops_over_rows", "mapped", 1e-4, 1e-4, each({{{"N", 5}, {"M", 33}}})},
      {"loops_over_rows", "listed", 1e-4, 1e-4, each({{{"N", 0}, {"M", 7}}, {{"N", 5}, {"M", 33}}})},
      {"loops_over_rows", "slopes", 1e-4, 1e-4, each({{{"N", 5}, {"M", 7}}})},
      {"loops_over_rows", "slopes_of_lists", 1e-4, 1e-4, each({{{"N", 5}, {"M", 7}}})},
      {"left_by_return", "until", 1e-4, 1e-4, each({{{"N", 0}}, {{"N", 9}}}, {{"limit", "1.5"}}) + each({{{"N", 9}}}, {{"limit", "1000.0"}})},
      {"left_by_return", "first", 0, 0, each({{{"N", 0}}, {{"N", 9}}}, {{"v", "0.4"}})},
      {"left_by_return", "nested", kF32, kF32, each({{{"N", 3}, {"M", 4}}}, {{"v", "0.8"}})},
      {"left_by_return", "both", 1e-4, 1e-4, each({{{"N", 0}, {"M", 5}}, {{"N", 9}, {"M", 5}}}, {{"v", "4.0"}})},
      {"left_by_return", "over_rows", 1e-4, 1e-4, each({{{"N", 6}, {"M", 5}}}, {{"v", "3.0"}})},
      {"left_by_return", "endless", kF32, kF32, each({{}}, {{"x", "100.0"}})},
      {"left_by_return", "slopes", 1e-4, 1e-4, each({{{"N", 9}}})},
      {"left_by_return", "slopes_of_rows", 1e-4, 1e-4, each({{{"N", 6}, {"M", 5}}})},
      {"slopes_of_parts", "before", kF32, kF32, each({{{"T", 1}, {"D", 3}}, {{"T", 19}, {"D", 33}}})},
      {"slopes_of_parts", "cut", kF32, kF32, each({{{"T", 0}, {"D", 3}}, {{"T", 9}, {"D", 70}}})},
      {"slopes_of_parts", "windows", kF32, kF32, each({{{"T", 3}, {"D", 2}}, {{"T", 9}, {"D", 33}}})},
      {"slopes_of_parts", "overlapping", kF32, kF32, each({{{"T", 2}, {"D", 2}}, {{"T", 9}, {"D", 33}}})},
      {"slopes_of_parts", "left", kF32, kF32, each({{{"T", 0}, {"D", 3}}, {{"T", 9}, {"D", 33}}})},
      {"slopes_of_parts", "gone_on", kF32, kF32, each({{{"T", 0}, {"D", 3}}, {{"T", 9}, {"D", 33}}})},
      {"slopes_of_parts", "settled", 1e-4, 1e-4, each({{{"N", 33}}})},
      {"slopes_of_parts", "products", 1e-4, 1e-4, each({{{"N", 1}, {"D", 3}}, {{"N", 19}, {"D", 9}}})},
      {"slopes_of_parts", "extrema", 1e-4, 1e-4, each({{{"N", 1}, {"D", 3}}, {{"N", 19}, {"D", 9}}})},
      {"slopes_of_parts", "pairs", 1e-4, 1e-4, each({{{"N", 1}, {"D", 3}}, {{"N", 19}, {"D", 9}}})},
      {"recurrences", "smoothed", kF32, kF32, each({{{"T", 0}, {"B", 5}}, {{"T", 9}, {"B", 300}}})},
      {"recurrences", "advantages", kF32, kF32, each({{{"T", 9}, {"B", 257}}})},
      {"recurrences", "paths", kF32, kF32, each({{{"N", 1000}}}, {{"steps", "0"}}) + each({{{"N", 1000}}}, {{"steps", "7"}})},
      {"recurrences", "escapes", kF32, kF32, each({{{"H", 5}, {"W", 64}}})},
      {"recurrences", "strided", kF32, kF32, each({{{"T", 0}, {"B", 3}}, {{"T", 9}, {"B", 3}}})},
      {"recurrences", "states", kF32, kF32, states({1, 8, 33}, {1, 16, 17, 64, 65})},
      {"recurrences", "fixed_states", kF32, kF32, states({1, 9, 40}, {1})},
      {"recurrences", "peaks", kF32, kF32, states({3, 16}, {3, 64, 70})},
      {"recurrences", "delta_rule", kF32, kF32, each({{{"B", 2}, {"T", 6}}})},
      {"recurrences", "cooled", kF32, kF32, each({{{"N", 40}}})},
      {"recurrences", "sums_in_place", kF32, kF32, each({{{"T", 4}, {"B", 5}}})},
      {"recurrences", "with_means", kF32, kF32, each({{{"B", 9}, {"D", 17}, {"T", 5}}, {{"B", 3}, {"D", 100}, {"T", 5}}})},
      {"recurrences", "mirrored", kF32, kF32, each({{{"N", 9}, {"T", 3}}})},
      {"recurrences", "both", kF32, kF32, each({{{"T", 6}, {"B", 130}}})},
      {"recurrences", "rolled", kF32, kF32, each({{{"T", 5}, {"B", 64}}})},
      {"recurrences", "within", kF32, kF32, each({{{"N", 9}, {"M", 4}, {"T", 5}}})},
      {"recurrences", "counted_up", kF32, kF32, each({{{"N", 70}, {"T", 9}}})},
      {"recurrences", "written_twice", kF32, kF32, each({{{"T", 4}, {"B", 70}}})},
      {"recurrences", "where_sizes_say", kF32, kF32, each({{{"T", 3}, {"B", 4}}, {{"T", 8}, {"B", 4}}})},
      {"recurrences", "slopes", 1e-4, 1e-4, each({{{"T", 4}, {"B", 17}}})},
      {"recurrence_slopes", "scan_slopes", 1e-4, 1e-4, states({0, 1, 9, 17}, {0, 1, 16, 17, 65}) + each({{{"B", 0}, {"L", 3}, {"D", 5}, {"N", 3}}, {{"B", 2}, {"L", 0}, {"D", 5}, {"N", 3}}})},
      {"recurrence_slopes", "half_scan_slopes", 2e-2, 2e-2, states({1, 11}, {3, 16})},
      {"recurrence_slopes", "decay_slopes", 1e-4, 1e-4, each({{{"T", 0}, {"B", 5}, {"D", 3}}, {{"T", 7}, {"B", 5}, {"D", 33}}})},
      {"recurrence_slopes", "one_rate_slopes", 1e-4, 1e-4, each({{{"T", 1}, {"B", 1}}, {{"T", 9}, {"B", 130}}})},
      {"recurrence_slopes", "cell_slopes", 1e-4, 1e-4, each({{{"T", 6}, {"B", 3}, {"D", 40}}})},
      {"recurrence_slopes", "attention_slopes", 1e-4, 1e-4, each({{{"B", 2}, {"T", 5}, {"K", 8}, {"V", 17}}, {{"B", 1}, {"T", 1}, {"K", 1}, {"V", 1}}})},
      {"recurrence_slopes", "filter_slopes", 1e-4, 1e-4, each({{{"C", 3}, {"T", 40}}, {{"C", 1}, {"T", 1}}})},
      {"recurrence_slopes", "totals", 1e-4, 1e-4, each({{{"T", 0}, {"B", 3}, {"D", 9}}, {{"T", 5}, {"B", 3}, {"D", 70}}})},
      {"recurrence_slopes", "counts", kF32, kF32, each({{{"T", 0}, {"N", 33}}, {{"T", 5}, {"N", 33}}})},
      {"recurrence_slopes", "twice", 1e-4, 1e-4, each({{{"T", 5}, {"B", 3}, {"D", 9}}})},
      {"run_time_loops", "jacobi", 1e-6, 1e-6, each({{{"H", 17}, {"W", 40}}}, {{"turns", "0"}}) + each({{{"H", 17}, {"W", 40}}}, {{"turns", "7"}})},
      {"run_time_loops", "rnn", 1e-5, 1e-5, each({{{"T", 0}, {"B", 1}, {"D", 4}}, {{"T", 7}, {"B", 3}, {"D", 17}}})},
      {"run_time_loops", "until_small", 1e-6, 1e-6, each({{{"N", 300}}})},
      {"run_time_loops", "halves", 1e-6, 1e-6, each({{{"N", 64}}})},
      {"run_time_loops", "left_in_between", 1e-6, 1e-6, each({{{"N", 9}}}, {{"turns", "40"}})},
      {"places_in_order", "rising", 0, 0, each({{{"R", 2}, {"N", 8193}}})},
      {"places_in_order", "falling", 0, 0, each({{{"N", 8200}}})},
      {"places_in_order", "wide", 0, 0, each({{{"N", 8193}}})},
      {"places_in_order", "words", 0, 0, each({{{"N", 8195}}})},
      {"places_in_order", "truths", 0, 0, each({{{"N", 9001}}})},
      {"places_in_order", "of_three", 0, 0, each({{{"A", 1}, {"B", 2}, {"N", 8193}}})},
      {"places_in_order", "fixed", 0, 0, each({{{"R", 1}}})},
      {"places_in_order", "one_value", 0, 0, each({{{"N", 8193}}})},
      {"places_in_order", "rows", 1e-5, 1e-4, each({{{"N", 8500}, {"V", 70000}, {"D", 2}}})},
      {"places_in_order", "of_many", 1e-5, 1e-4, each({{{"N", 8200}, {"V", 50}, {"D", 3}}})},
      {"places_in_order", "at_one_place", 1e-5, 1e-4, each({{{"N", 9100}, {"V", 3}, {"D", 2}}})},
      {"places_in_order", "numbers", 1e-5, 1e-4, each({{{"N", 9001}, {"V", 600}}})},
      {"places_in_order", "outside", 0, 0, each({{{"N", 8193}, {"V", 5}, {"D", 3}}})},
      {"places_in_order", "in_turns", 1e-5, 1e-4, each({{{"T", 2}, {"N", 8193}, {"V", 9}, {"D", 2}}})},
      {"scatters", "rows", 1e-5, 1e-5, each({{{"N", 0}, {"V", 5}, {"D", 3}}, {{"N", 2503}, {"V", 1009}, {"D", 5}}, {{"N", 1025}, {"V", 1}, {"D", 33}}, {{"N", 300}, {"V", 513}, {"D", 3}}, {{"N", 7}, {"V", 70}, {"D", 40}}})},
      {"scatters", "columns", 1e-5, 1e-5, each({{{"M", 5}, {"N", 30}, {"V", 300}}})},
      {"scatters", "elements", 1e-5, 1e-5, each({{{"B", 4}, {"N", 33}, {"V", 9}}})},
      {"scatters", "numbers", 1e-4, 1e-4, each({{{"N", 0}, {"V", 3}}, {{"N", 5000}, {"V", 600}}})},
      {"scatters", "counted", 0, 0, each({{{"N", 200}, {"V", 11}}})},
      {"scatters", "bins", 0, 0, each({{{"N", 0}}, {{"N", 1}}, {{"N", 257}}, {{"N", 5003}}})},
      {"scatters", "bins_of_one", 0, 0, each({{{"N", 1999}}})},
      {"scatters", "integers_of_rows", 0, 0, each({{{"B", 3}, {"N", 65}, {"V", 9}}})},
      {"scatters", "integers_of_columns", 0, 0, each({{{"N", 131}, {"D", 3}}})},
      {"scatters", "of_derivative", 1e-5, 1e-5, each({{{"N", 40}, {"V", 300}, {"D", 6}}})},
      {"transforms", "kept", 1e-4, 1e-4, each({{{"B", 3}, {"D", 5}, {"F", 17}}, {{"B", 65}, {"D", 64}, {"F", 128}}})},
      {"mapped_kernels", "softmaxes", 1e-5, 1e-6, each({{{"B", 3}, {"N", 17}, {"M", 129}}})},
      {"mapped_kernels", "shared_product", 1e-4, 1e-4, each({{{"B", 3}, {"N", 65}, {"K", 33}, {"M", 7}}})},
      {"mapped_kernels", "lines", 1e-5, 1e-6, each({{{"B", 3}, {"N", 257}}})},
      {"mapped_kernels", "turns", 0, 0, each({{{"B", 5}, {"N", 129}}})},
      {"mapped_kernels", "bins", 0, 0, each({{{"B", 3}, {"N", 200}}})},
      {"mapped_kernels", "slope", 1e-4, 1e-4, each({{{"B", 3}, {"N", 17}, {"M", 64}}})},
      {"lists_of_sizes", "rows", 1e-5, 1e-5, each({{{"N", 5}, {"D", 33}, {"F", 3}}, {{"N", 0}, {"D", 1}, {"F", 3}}})},
      {"lists_of_sizes", "windows", 0, 0, each({{{"N", 2}}, {{"N", 17}}})},
      {"lists_of_sizes", "between", 0, 0, each({{{"N", 1}}, {{"N", 9}}, {{"N", 10}}})},
      {"lists_of_sizes", "pairs", 1e-5, 1e-5, each({{{"N", 7}, {"M", 5}}})},
      {"lists_of_sizes", "outer", 0, 0, each({{{"N", 5}, {"M", 7}}})},
      {"lists_of_sizes", "joined", 1e-5, 1e-5, each({{{"N", 5}, {"D", 9}}})},
      {"lists_of_sizes", "reduced", 1e-5, 1e-5, each({{{"N", 5}, {"D", 9}}})},
      {"lists_of_sizes", "numbers", 0, 0, each({{{"N", 9}}})},
      {"lists_of_sizes", "slope", 1e-4, 1e-4, each({{{"N", 5}, {"D", 9}}})},
      {"lists_of_sizes", "mapped", 1e-5, 1e-5, each({{{"B", 3}, {"N", 5}, {"D", 4}}})},
      {"lists_of_sizes", "trained", 1e-4, 1e-4, each({{{"L", 3}, {"B", 5}, {"D", 8}}})},
      {"data_ranges", "until", 1e-5, 1e-5, each({{{"R", 5}, {"Z", 7}}})},
      {"data_ranges", "until_by_threes", 1e-5, 1e-5, each({{{"R", 5}, {"Z", 64}}})},
      {"models", "deep", 1e-4, 1e-4, each({{{"B", 3}, {"D", 9}}})},
      {"models", "deep_slope", 1e-4, 1e-4, each({{{"B", 3}, {"D", 4}}})},
      {"models", "numbered", 1e-4, 1e-4, each({{{"B", 3}}})},
      {"transforms", "within", 1e-4, 1e-4, each({{{"B", 33}, {"D", 64}, {"F", 17}}})},
      {"transforms", "kept_row", 1e-4, 1e-4, each({{{"B", 3}, {"N", 131}}})},
      {"transforms", "mapped", 1e-5, 1e-5, each({{{"B", 0}, {"N", 3}}, {{"B", 3}, {"N", 129}}})},
      {"transforms", "columns", 1e-5, 1e-5, each({{{"B", 5}, {"N", 64}}})},
      {"transforms", "each", 1e-4, 1e-4, each({{{"B", 5}, {"N", 13}, {"M", 32}}})},
      {"transforms", "many_heads", 1e-4, 1e-4, each({{{"B", 3}, {"S", 17}, {"D", 16}}})},
      {"transforms", "steps", 1e-4, 1e-4, each({{{"B", 3}, {"N", 65}}}, {{"n", "3"}})},
      {"transforms", "sides", 1e-5, 1e-5, each({{{"B", 130}}})},
      {"transforms", "ruled", 1e-5, 1e-5, each({{{"N", 129}}})},
      {"tables", "smoothed", 1e-6, 1e-6, each({{{"N", 3}}, {{"N", 129}}, {{"N", 1030}}})},
      {"tables", "of_rows", 1e-6, 1e-6, each({{{"R", 1}}, {{"R", 333}}})},
      {"tables", "product", 1e-5, 1e-5, each({{{"M", 17}}, {{"M", 130}}})},
      {"tables", "whole", 0, 0, each({{{"N", 7}}})},
      {"tables", "in_turns", 0, 0, each({{{"N", 4}}})},
      {"tables", "changed", 0, 0, each({{{"N", 4}}})},
      {"served_products", "int4_few", kBf16, 1e-2, each({{{"M", 3}, {"N", 33}, {"G", 1}}, {{"M", 16}, {"N", 64}, {"G", 2}}})},
      {"served_products", "int4_many", kBf16, 1e-2, each({{{"M", 17}, {"N", 33}, {"G", 1}}})},
      {"served_products", "int8_groups", kBf16, 1e-2, each({{{"M", 17}, {"N", 33}, {"G", 2}}})},
      {"served_products", "fast", 1e-2, 1e-2, each({{{"M", 17}, {"N", 33}, {"K", 129}}, {{"M", 65}, {"N", 64}, {"K", 256}}})},
      {"served_products", "by_experts", kBf16, 1e-2, each({{{"E", 3}, {"B", 4}, {"N", 33}, {"K", 40}}})},
      {"split_products", "product", 1e-5, 1e-5, each({{{"M", 0}, {"N", 3}, {"K", 5}}, {{"M", 65}, {"N", 64}, {"K", 0}}, {{"M", 1}, {"N", 1}, {"K", 31}}, {{"M", 65}, {"N", 130}, {"K", 1009}}})},
      {"split_products", "added", 1e-2, 1e-2, each({{{"M", 63}, {"N", 65}, {"K", 97}}})},
      {"split_products", "batched", 1e-5, 1e-5, each({{{"P", 3}, {"M", 64}, {"N", 70}, {"K", 300}}})},
      {"split_products", "gram", 1e-5, 1e-4, each({{{"N", 0}, {"D", 3}}, {{"N", 1537}, {"D", 65}}})},
      {"split_products", "centred", 1e-5, 1e-5, each({{{"N", 1100}, {"D", 33}}})},
      {"split_products", "few_rows", 1e-2, 1e-2, each({{{"K", 8192}, {"N", 70}}})},
      {"split_products", "small", 1e-5, 1e-4, each({{{"B", 3}, {"M", 1}, {"K", 5}}, {{"B", 3}, {"M", 16}, {"K", 31}}, {{"B", 2}, {"M", 33}, {"K", 33}}})},
      {"split_products", "long", 1e-5, 1e-4, each({{}})},
      {"split_products", "small_two", 1e-5, 1e-5, each({{{"B", 2}, {"M", 17}}})},
      {"split_products", "twice", 1e-4, 1e-4, each({{{"M", 40}, {"K", 500}}})},
      {"lane_products", "plain", 1e-5, 1e-4, each({{{"M", 0}, {"N", 1}, {"K", 1}}, {{"M", 1}, {"N", 127}, {"K", 0}}, {{"M", 130}, {"N", 132}, {"K", 37}}, {{"M", 129}, {"N", 64}, {"K", 32}}})},
      {"lane_products", "turned", 1e-5, 1e-4, each({{{"M", 1}, {"N", 5}, {"K", 33}}, {{"M", 129}, {"N", 128}, {"K", 64}}})},
      {"lane_products", "both_turned", 1e-5, 1e-4, each({{{"M", 33}, {"N", 36}, {"K", 40}}, {{"M", 130}, {"N", 129}, {"K", 35}}})},
      {"lane_products", "doubles", 1e-5, 1e-4, each({{{"M", 1}, {"N", 63}, {"K", 17}}, {{"M", 66}, {"N", 64}, {"K", 17}}})},
      {"lane_products", "integers", 0, 0, each({{{"M", 13}, {"N", 33}, {"K", 50}}, {{"M", 70}, {"N", 68}, {"K", 50}}})},
      {"lane_products", "small", 1e-5, 1e-4, each({{{"B", 3}, {"M", 1}}, {{"B", 3}, {"M", 7}}, {{"B", 3}, {"M", 16}}, {{"B", 3}, {"M", 33}}, {{"B", 3}, {"M", 47}}, {{"B", 3}, {"M", 49}}, {{"B", 3}, {"M", 65}}})},
      {"lane_products", "chained", 1e-5, 1e-4, each({{{"M", 40}, {"N", 33}, {"K", 50}}, {{"M", 130}, {"N", 132}, {"K", 50}}})},
      {"lane_products", "attended", 1e-5, 1e-4, each({{{"B", 2}, {"S", 5}, {"D", 20}}, {{"B", 2}, {"S", 67}, {"D", 20}}})},
      {"pairs", "distances", 1e-5, 1e-4, each({{{"M", 0}, {"N", 3}, {"K", 5}}, {{"M", 129}, {"N", 127}, {"K", 0}}, {{"M", 1}, {"N", 1}, {"K", 31}}, {{"M", 129}, {"N", 130}, {"K", 65}}})},
      {"pairs", "among", 1e-5, 1e-4, each({{{"N", 1}, {"K", 1}}, {{"N", 140}, {"K", 33}}})},
      {"pairs", "gauss", 1e-5, 1e-5, each({{{"M", 130}, {"N", 40}, {"K", 33}}})},
      {"pairs", "shortest", 0, 0, each({{{"M", 1}, {"N", 129}, {"K", 1}}, {{"M", 130}, {"N", 129}, {"K", 33}}})},
      {"pairs", "farthest", 0, 0, each({{{"B", 2}, {"M", 65}, {"N", 33}, {"K", 20}}})},
      {"pairs", "manhattan", 1e-5, 1e-4, each({{{"B", 3}, {"M", 33}, {"N", 65}, {"K", 40}}, {{"B", 2}, {"M", 5}, {"N", 16}, {"K", 7}}})},
      {"pairs", "differ", 0, 0, each({{{"M", 33}, {"N", 65}, {"K", 50}}})},
      {"pairs", "weighted", 1e-5, 1e-4, each({{{"M", 70}, {"N", 33}, {"K", 100}}})},
      {"pairs", "multiplied", 1e-5, 1e-4, each({{{"M", 33}, {"N", 65}, {"K", 100}}})},
      {"pairs", "by_tiles", 1e-5, 1e-4, each({{{"M", 70}, {"N", 65}, {"K", 40}}, {{"M", 1}, {"N", 1}, {"K", 1}}})},
      {"pairs", "both", 1e-5, 1e-4, each({{{"M", 70}, {"N", 65}, {"K", 33}}})},
      {"sorted", "rising", 0, 0, each({{{"R", 0}, {"N", 3}}, {{"R", 2}, {"N", 0}}, {{"R", 3}, {"N", 1}}, {{"R", 2}, {"N", 31}}, {{"R", 1}, {"N", 1009}},
                                       {{"R", 2}, {"N", 2047}}, {{"R", 1}, {"N", 2048}}, {{"R", 1}, {"N", 2049}}, {{"R", 1}, {"N", 10007}}})},
      {"sorted", "falling", 0, 0, each({{{"R", 3}, {"N", 65}}, {{"R", 1}, {"N", 4097}}})},
      {"sorted", "columns", 0, 0, each({{{"R", 7}, {"C", 5}}, {{"R", 129}, {"C", 3}}})},
      {"sorted", "of_halves", 0, 0, each({{{"R", 2}, {"N", 255}}, {{"R", 1}, {"N", 3001}}})},
      {"sorted", "of_bytes", 0, 0, each({{{"N", 1009}}, {{"N", 5003}}})},
      {"sorted", "of_a_part", 0, 0, each({{{"R", 9}, {"N", 37}}})},
      {"sorted", "largest", 0, 0, each({{{"R", 3}, {"N", 100}}, {{"R", 2}, {"N", 8}}, {{"R", 1}, {"N", 10007}}})},
      {"sorted", "of_one_order", 0, 0, each({{{"R", 2}, {"N", 257}}})},
      {"sorted", "many", 0, 0, each({{{"R", 2}, {"N", 1009}}})},
      {"sorted", "smallest_of_columns", 0, 0, each({{{"R", 33}, {"C", 7}}})},
      {"sorted", "routed", 1e-5, 1e-5, each({{{"T", 33}}})},
      {"mixed_rows", "joined_parts", 1e-5, 1e-5, each({{{"M", 1}}, {{"M", 33}}})},
      {"mixed_rows", "joined_sums", 1e-5, 1e-4, each({{{"M", 300}}})},
      {"mixed_rows", "joined_products", 1e-4, 1e-4, each({{{"M", 130}, {"K", 33}}})},
      {"rows_in_turn", "norm_of_768", 1e-4, 1e-4, each({{{"R", 0}}, {{"R", 1}}, {{"R", 37}}})},
      {"rows_in_turn", "norm_of_65", 1e-4, 1e-4, each({{{"R", 6}}, {{"R", 515}}})},
      {"rows_in_turn", "norm_of_1000", 1e-4, 1e-4, each({{{"R", 9}}})},
      {"rows_in_turn", "with_residual", 1e-4, 1e-4, each({{{"R", 4}}, {{"R", 130}}})},
      {"rows_in_turn", "weighted", 1e-4, 1e-4, each({{{"R", 7}}, {{"R", 129}}})},
      {"rows_in_turn", "narrow", 1e-2, 1e-2, each({{{"R", 70}}})},
      {"rows_in_turn", "of_bytes", 0, 0, each({{{"R", 9}}})},
      {"rows_in_turn", "many", 1e-4, 1e-4, each({{{"R", 33}}})},
      {"updates", "states", 1e-5, 1e-5, each({{{"T", 0}, {"D", 3}}, {{"T", 7}, {"D", 17}}})},
      {"updates", "lstm", 1e-5, 1e-5, each({{{"T", 5}, {"B", 3}, {"X", 5}, {"H", 17}}})},
      {"updates", "selective_scan", 1e-5, 1e-5, each({{{"B", 2}, {"L", 9}, {"D", 5}, {"N", 3}}})},
      {"updates", "solved", 1e-5, 1e-5, each({{{"N", 70}}})},
      {"updates", "table", 0, 0, each({{{"N", 17}, {"M", 3}}})},
      {"updates", "other_reads", 1e-5, 1e-5, each({{{"N", 6}, {"M", 33}}})},
      {"data_ranges", "rows_of_lanes", 1e-5, 1e-5, each({{{"R", 33}, {"Z", 64}, {"N", 17}}})},
      {"data_ranges", "rows_of_groups", 1e-5, 1e-5, each({{{"R", 33}, {"Z", 7}, {"N", 17}}})},
      {"data_ranges", "rows_of_warps", 1e-5, 1e-5, each({{{"R", 5}, {"Z", 64}, {"N", 17}}})},
      {"data_ranges", "segments", 1e-5, 1e-5, each({{{"R", 31}, {"Z", 65}, {"D", 33}}, {{"R", 1}, {"Z", 1}, {"D", 1}}})},
      {"data_ranges", "largest", 1e-5, 1e-5, each({{{"R", 31}, {"Z", 65}, {"D", 33}}})},
      {"data_ranges", "attended", 1e-4, 1e-5, each({{{"R", 5}, {"Z", 65}}})},
      {"data_ranges", "product", 1e-5, 1e-5, each({{{"R", 5}, {"Z", 7}, {"N", 17}}})},
      {"data_ranges", "sums", 1e-5, 1e-5, each({{{"R", 5}, {"Z", 7}, {"D", 33}}})},
      {"data_ranges", "kept", 1e-4, 1e-5, each({{{"R", 5}, {"Z", 7}, {"D", 3}}})},
      {"updates", "corners", 1e-5, 1e-5, each({{{"N", 8}, {"M", 5}}})},
      {"states", "remember", 1e-5, 1e-5, each({{{"S", 9}, {"D", 3}, {"P", 8}}})},
      {"states", "attend", 1e-5, 1e-5, each({{{"S", 9}, {"H", 2}, {"D", 4}, {"T", 2}, {"P", 3}}})},
      {"states", "layers", 1e-5, 1e-5, each({{{"L", 2}, {"S", 7}, {"D", 5}, {"T", 2}, {"P", 4}}})},
      {"states", "whole", 1e-5, 1e-5, each({{{"S", 70}, {"D", 5}}})},
      {"states", "crossed", 1e-5, 1e-5, each({{{"S", 33}}})},
      {"states", "adam", 1e-5, 1e-5, each({{{"N", 1009}}})},
      {"states", "half", 1e-2, 1e-2, each({{{"S", 6}, {"D", 3}, {"P", 2}}})},
      {"explicit_sharing", "aligned_blocks", 0, 0, each({{{"N", 1}}, {{"N", 129}}, {{"N", 1009}}})},
      {"explicit_sharing", "many_aligned_bytes", 0, 0, each({{{"N", 1}}, {{"N", 257}}, {{"N", 1009}}})},
      {"chosen_rows", "embed_matmul", kBf16, 2e-3, each({{{"V", 7}, {"N", 33}, {"D", 96}, {"M", 70}}, {{"V", 100}, {"N", 130}, {"D", 31}, {"M", 64}}})},
      {"chosen_rows", "gathered_rows", 1e-6, 1e-6, each({{{"R", 9}, {"N", 100}, {"C", 65}}})},
      {"chosen_rows", "scattered_rows", 1e-6, 1e-6, each({{{"N", 100}, {"C", 65}}, {{"N", 1}, {"C", 40}}})},
      {"chosen_rows", "convolution", 1e-4, 1e-4, each({{{"N", 2}, {"H", 5}, {"W", 7}, {"C", 40}, {"F", 33}}})},
      {"chosen_rows", "points", 1e-6, 1e-6, each({{{"H", 5}, {"W", 9}, {"P", 130}}})},
      {"experts_and_pages", "experts", kBf16, 2e-3, each({{{"T", 40}, {"K", 33}, {"N", 70}, {"E", 3}, {"P", 100}}})},
      {"experts_and_pages", "paged_attention", kBf16, 2e-3, each({{{"B", 2}, {"H", 3}, {"NB", 5}, {"S", 100}}})},
      {"experts_and_pages", "nibbles", kBf16, 2e-3, each({{{"M", 70}, {"K", 80}, {"N", 70}}, {{"M", 64}, {"K", 32}, {"N", 64}}})},
      {"experts_and_pages", "nibbles_by_row", kBf16, 2e-3, each({{{"M", 64}, {"K", 33}, {"N", 70}}})},
      {"experts_and_pages", "pairs", 1e-6, 1e-6, each({{{"N", 200}}})},
      {"experts_and_pages", "halves", 1e-6, 1e-6, each({{{"C", 40}}})},
      {"draws_in_kernels", "dropped", 1e-6, 1e-6, each({{{"N", 1000}}}, {{"p", "0.25"}, {"rng", "3"}})},
      {"draws_in_kernels", "lanes", 1e-5, 1e-5, each({{{"N", 300}}}, {{"rng", "7"}})},
      {"draws_in_kernels", "noise", 1.0 / 128, 1e-5, each({{{"R", 5}, {"C", 64}}}, {{"rng", "11"}})},
      {"chosen_buffers", "lines", 0, 0, each({{{"N", 0}}, {{"N", 1}}, {{"N", 7}}})},
      {"chosen_buffers", "halves", 0, 0, each({{{"N", 1}}, {{"N", 5}}})},
      {"chosen_buffers", "tiles", 0, 0, each({{{"N", 1}}, {{"N", 6}}})},
      {"chosen_buffers", "boxes", 0, 0, each({{{"N", 0}}, {{"N", 5}}})},
      {"kernels_as_written", "transpose", 0, 0, each({{{"M", 33}, {"N", 65}}})},
      {"kernels_as_written", "heat", 1e-5, 1e-5, each({{{"M", 17}, {"N", 33}}}, {{"alpha", "0.1"}})},
      {"kernels_as_written", "histogram", 0, 0, each({{{"N", 5003}}})},
      {"kernels_as_written", "block_scan", 0, 0, each({{{"N", 257}}})},
      {"kernels_as_written", "add_rms_norm", 8e-3, 8e-3, each({{{"R", 3}, {"C", 1000}}}, {{"eps", "1e-5"}})},
      {"kernels_as_written", "cross_entropy", 1e-5, 1e-5, each({{{"R", 5}, {"V", 300}}}, {{"ignore", "2"}})},
      {"kernels_as_written", "evens", 0, 0, each({{{"N", 257}}})},
      {"warps", "rotated", 0, 0, each(lanes())},
      {"warps", "reversed", 0, 0, each(lanes())},
      {"warps", "of_one_lane", 0, 0, each(lanes(), {{"at", "5"}})},
      {"warps", "of_the_wrapped_lane", 0, 0, each(lanes(), {{"at", "-3"}})},
      {"warps", "exchanged", 0, 0, each(lanes())},
      {"warps", "of_other_kinds", 0, 0, each(lanes())},
      {"warps", "votes", 0, 0, each(lanes())},
      {"warps", "voted_bits", 0, 0, each(lanes())},
      {"warps", "sums", 0, 0, each(lanes())},
      {"warps", "products_and_ends", 0, 0, each(lanes())},
      {"warps", "whole_numbers", 0, 0, each(lanes())},
      {"warps", "narrow_sums", 1e-2, 1e-2, each(lanes())},
      {"warps", "running_sums", 0, 0, each(lanes())},
      {"warps", "maximum_of_a_group", 0, 0, each(lanes())},
      {"warps", "in_lanes", 0, 0, each(lanes())},
      {"warps", "in_turns", 0, 0, each(lanes(), {{"turns", "3"}})},
      {"warps", "beside_a_tile", 1e-5, 1e-5, each({{{"R", 3}, {"C", 96}}})},
      {"warps", "through_shared_memory", 0, 0, each(lanes())},
      {"batches", "scores", 1e-5, 1e-5, each({{{"B", 1}, {"T", 5}}, {{"B", 32}, {"T", 5}}, {{"B", 32}, {"T", 16}}, {{"B", 33}, {"T", 16}}})},
      {"sorted_tiles", "rising", 0, 0, each({{{"R", 2}, {"C", 0}}, {{"R", 1}, {"C", 1}}, {{"R", 2}, {"C", 33}}, {{"R", 1}, {"C", 1000}}})},
      {"sorted_tiles", "falling", 0, 0, each({{{"R", 2}, {"C", 2}}, {{"R", 1}, {"C", 511}}})},
      {"sorted_tiles", "of_halves", 0, 0, each({{{"R", 3}, {"C", 101}}})},
      {"sorted_tiles", "of_whole_numbers", 0, 0, each({{{"N", 1}}, {{"N", 209}}})},
      {"sorted_tiles", "of_bytes", 0, 0, each({{{"R", 2}, {"C", 63}}})},
      {"sorted_tiles", "of_truths", 0, 0, each({{{"R", 2}, {"C", 33}}})},
      {"sorted_tiles", "of_doubles", 0, 0, each({{{"N", 251}}})},
      {"sorted_tiles", "largest", 0, 0, each({{{"R", 3}, {"C", 8}}, {{"R", 2}, {"C", 61}}})},
      {"sorted_tiles", "least_of_tiles", 0, 0, each({{{"R", 33}, {"C", 16}}})},
      {"sorted_tiles", "rows_of_tiles", 0, 0, each({{{"R", 1}, {"C", 1}}, {{"R", 33}, {"C", 49}}})},
      {"sorted_tiles", "columns_of_tiles", 0, 0, each({{{"R", 1}, {"C", 15}}, {{"R", 33}, {"C", 17}}})},
      {"sorted_tiles", "few_lanes", 0, 0, each({{{"R", 3}, {"C", 50}}})},
      {"sorted_tiles", "middle_of_rows", 1e-6, 1e-6, each({{{"R", 3}, {"C", 2}}, {{"R", 3}, {"C", 63}}})},
      {"sorted_tiles", "chosen", 0, 0, each({{{"R", 3}, {"C", 65}, {"K", 5}}, {{"R", 2}, {"C", 128}, {"K", 64}}})},
      {"sorted_tiles", "one_of_each", 0, 0, each({{{"R", 33}, {"C", 47}}})},
      {"sorted_tiles", "parts", 1e-6, 1e-6, each({{{"R", 17}, {"C", 6}}, {{"R", 3}, {"C", 64}}})},
      {"sorted_tiles", "columns_taken", 0, 0, each({{{"R", 33}, {"C", 48}, {"K", 7}}})},
      {"sorted_tiles", "from_memory", 0, 0, each({{{"R", 2}, {"C", 300}, {"K", 65}}})},
      {"sorted_tiles", "likeliest", 1e-5, 1e-5, each({{{"R", 5}, {"C", 100}}})},
      {"scans", "rows_summed", 1e-5, 1e-5, each({{{"R", 2}, {"C", 0}}, {{"R", 1}, {"C", 1}}, {{"R", 3}, {"C", 33}}, {{"R", 2}, {"C", 255}}, {{"R", 1}, {"C", 256}}})},
      {"scans", "rows_of_products", 1e-5, 1e-5, each({{{"R", 3}, {"C", 127}}})},
      {"scans", "extremes", 0, 0, each({{{"R", 3}, {"C", 1}}, {{"R", 2}, {"C", 128}}})},
      {"scans", "across", 1e-5, 1e-5, each({{{"R", 1}, {"C", 15}}, {{"R", 80}, {"C", 100}}})},
      {"scans", "down", 1e-5, 1e-5, each({{{"R", 1}, {"C", 15}}, {{"R", 80}, {"C", 100}}})},
      {"scans", "down_and_across", 1e-4, 1e-4, each({{{"R", 31}, {"C", 65}}})},
      {"scans", "of_whole_numbers", 0, 0, each({{{"N", 501}}})},
      {"scans", "of_truths", 0, 0, each({{{"N", 150}}})},
      {"scans", "of_narrow", 2e-2, 2e-2, each({{{"R", 3}, {"C", 90}}})},
      {"scans", "of_doubles", 1e-14, 1e-14, each({{{"N", 100}}, {{"N", 256}}})},
      {"scans", "few_lanes", 1e-5, 1e-5, each({{{"R", 3}, {"C", 50}}})},
      {"scans", "long_rows", 1e-4, 1e-4, each({{{"R", 2}, {"C", 1000}}})},
      {"scans", "of_what_is_computed", 1e-4, 1e-4, each({{{"R", 2}, {"C", 200}}})},
      {"scans", "between_products", 1e-3, 1e-3, each({{{"R", 40}, {"C", 64}}})},
      {"scans", "running_share", 1e-5, 1e-5, each({{{"R", 3}, {"C", 200}}})},
      {"losses_of_rows", "levels", 1e-5, 1e-5, each({{{"R", 3}, {"C", 8}}, {{"R", 2}, {"C", 257}}, {{"R", 1}, {"C", 4104}}})},
      {"losses_of_rows", "losses", 1e-4, 1e-4, each({{{"R", 17}, {"C", 8}}, {{"R", 3}, {"C", 257}}})},
      {"losses_of_rows", "slopes", 2e-2, 2e-2, each({{{"R", 5}, {"C", 16}}, {{"R", 3}, {"C", 257}}})},
      {"losses_of_rows", "turned", 1e-4, 1e-4, each({{{"R", 9}, {"C", 8}}})},
      {"losses_of_rows", "both_ways", 1e-4, 1e-4, each({{{"R", 70}}})},
      {"losses_of_rows", "counts", 0, 0, each({{{"R", 9}, {"C", 257}}})},
      {"losses_of_rows", "products", 1e-4, 1e-4, each({{{"R", 37}, {"C", 64}}, {{"R", 8}, {"C", 185}}, {{"R", 16}, {"C", 187}}, {{"R", 1}, {"C", 193}}})},
      {"losses_of_rows", "products_of_64", 1e-5, 1e-5, each({{{"R", 33}, {"C", 64}}})},
      {"scans", "in_turns", 1e-4, 1e-4, each({{{"R", 2}, {"C", 77}}}, {{"turns", "3"}})},
      {"decoder", "turned", 2e-2, 2e-2, each({{{"B", 3}, {"T", 2}}})},
      {"decoder", "step", 2e-2, 2e-2, each({{{"B", 1}, {"T", 1}, {"S", 700}}, {{"B", 2}, {"T", 3}, {"S", 130}}})},
      {"decoder", "beside", 1e-6, 1e-6, each({{{"N", 7}}})},
      {"lane_vectors", "scaled", 0, 0, each({{{"N", 0}}, {{"N", 4}}, {{"N", 1000}}})},
      {"lane_vectors", "added_in_pairs", 0, 0, each({{{"N", 2}}, {{"N", 130}}})},
      {"lane_vectors", "of_rows", 1e-6, 1e-6, each({{{"R", 5}, {"C", 8}}, {{"R", 2}, {"C", 64}}})},
      {"lane_vectors", "of_halves", 0, 0, each({{{"N", 264}}})},
      {"lane_vectors", "one_for_all", 0, 0, each({{{"N", 160}}})},
      {"lane_vectors", "reversed_fours", 0, 0, each({{{"N", 260}}})},
      {"lane_vectors", "summed", 0, 0, each({{{"N", 264}}})},
      {"lane_vectors", "of_bytes", 0, 0, each({{{"N", 48}}})},
      {"lane_vectors", "in_registers", 1e-4, 1e-4, each({{{"R", 40}, {"C", 100}}})},
      {"online_softmax", "attention", kBf16, 4e-3, each({{{"B", 2}, {"S", 100}, {"D", 16}}, {{"B", 1}, {"S", 65}, {"D", 64}}})},
      {"online_softmax", "causal_attention", 2e-3, 2e-3, each({{{"B", 2}, {"S", 100}, {"D", 32}}})},
      {"online_softmax", "weighted", 1e-4, 1e-4, each({{{"R", 40}, {"C", 130}, {"N", 16}}})},
      {"online_softmax", "log_of_sums", 1e-5, 1e-5, each({{{"R", 33}, {"C", 100}}})},
      {"online_softmax", "rows_without_scores", 1e-4, 1e-4, each({{{"R", 33}, {"C", 40}, {"N", 16}}})},
      {"21_vectors", "matrix_times_vector", 1e-5, 1e-4, each(rectangles())},
      {"21_vectors", "vector_times_matrix", 1e-5, 1e-4, each(rectangles())},
      {"21_vectors", "outer", 1e-6, 1e-6, each(rectangles())},
      {"21_vectors", "energy", 1e-4, 1e-4, each({{{"K", 0}}, {{"K", 1}}, {{"K", 31}}, {{"K", 96}}, {{"K", 1009}}})},
      {"21_vectors", "greatest", 0, 0, each({{{"R", 1}, {"C", 1}}, {{"R", 3}, {"C", 7}}, {{"R", 64}, {"C", 32}}, {{"R", 63}, {"C", 31}}})},
  };
  return all;
}

/// `FUNCTION N=0,1 C=5 argument:2.5 tolerance:1e-3`: every combination of the sizes.
static Subject subjectOfRun(const std::string &file, const std::string &line) {
  std::istringstream words(line);
  Subject subject{file, "", 2e-5, 2e-5, {Case{}}};
  words >> subject.function;
  for (std::string word; words >> word;) {
    const size_t sizes = word.find('='), given = word.find(':');
    if (sizes == std::string::npos) {
      const std::string name = word.substr(0, given), value = word.substr(given + 1);
      if (name == "tolerance") subject.relative = subject.absolute = std::stod(value);
      else for (Case &one : subject.cases) one.scalars[name] = value;
      continue;
    }
    std::vector<Case> all;
    std::istringstream values(word.substr(sizes + 1));
    for (std::string value; std::getline(values, value, ',');)
      for (Case one : subject.cases) {
        one.dims[word.substr(0, sizes)] = std::stoll(value);
        all.push_back(one);
      }
    subject.cases = all;
  }
  return subject;
}

std::vector<Subject> subjectsOf(const std::string &file, const std::string &text) {
  std::vector<Subject> found;
  for (const Subject &subject : subjects())
    if (subject.file == file) found.push_back(subject);
  std::istringstream lines(text);
  const bool isOfTable = !found.empty();
  constexpr std::string_view kRun = "# run: ";
  for (std::string line; !isOfTable && std::getline(lines, line);)
    if (line.starts_with(kRun)) found.push_back(subjectOfRun(file, line.substr(kRun.size())));
  return found;
}
