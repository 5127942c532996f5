// The C++ interface: views, exceptions, statuses; libraries side by side in one program.
#include "a-b.hpp"
#include "a_b.hpp"
#include "chosen/scale.hpp"
#include "named/scale.hpp"
#include "one/model.hpp"
#include "plain/scale.hpp"
#include "two/model.hpp"
#include <cstdio>
#include <cstring>
#include <vector>

// What the constructors ask of a std::mdspan, which the compiler here may lack.
struct Rows {
  float *elements;
  size_t rowStride;
  static constexpr size_t rank() { return 2; }
  float *data_handle() const { return elements; }
  size_t extent(size_t axis) const { return axis == 0 ? 2 : 3; }
  size_t stride(size_t axis) const { return axis == 0 ? rowStride : 1; }
};

static int failures = 0;
#define EXPECT(condition) ((condition) ? void() : (++failures, void(std::printf("%d: %s\n", __LINE__, #condition))))

template <class Call> static std::string messageOf(TessStatus expected, Call call) {
  try {
    call();
  } catch (const tessera::Error &error) {
    EXPECT(error.status() == expected);
    return error.what();
  }
  return "no error";
}

int main() {
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> y(3, -1.0f);
  tessera::scale::scale(x, 2.0f, y);
  EXPECT(y[2] == 6);
  mine::kernels::scale(x, 3.0f, y);
  EXPECT(y[2] == 9);
  chosen::scale({x.data(), {2}}, 5.0f, {y.data() + 1, {2}});
  EXPECT(y[0] == 3 && y[1] == 5 && y[2] == 10);
  tessera::model::one_more(x, y);
  EXPECT(y[0] == 2);
  tessera::model::two_more(x, y);
  EXPECT(y[0] == 3);
  tessera::a_b::line(x, y);
  EXPECT(y[0] == -1);
  tessera::a_b::dash(x, y);
  EXPECT(y[0] == 0);
  // A dtype that C++ lacks, from memory of any type that is declared to be one.
  const tessera::bf16 halves[2] = {{0x3f00}, {0x4040}};
  float wide[2] = {-1, -1};
  tessera::scale::widen({halves, {2}}, {wide, {2}});
  EXPECT(wide[0] == 0.5f && wide[1] == 3.0f);
  tessera::Tensor deduced(y.data(), {3});
  static_assert(std::is_same_v<decltype(deduced), tessera::Tensor<float, 1>>);
  tessera::scale::scale(x, 4.0f, deduced);
  EXPECT(y[2] == 12 && deduced.size() == 3);
#if defined(__cpp_lib_span)
  tessera::scale::scale(std::span<const float>(x), 7.0f, std::span<float>(y));
  EXPECT(y[0] == 7 && deduced.span().size() == 3);
#endif
  // Views with strides: contiguous ones are taken, others refused.
  float six[6] = {1, 2, 3, 4, 5, 6}, doubled[6] = {};
  tessera::scale::twice(Rows{six, 3}, Rows{doubled, 3});
  EXPECT(doubled[5] == 12);
  EXPECT(messageOf(TESS_ERROR_LAYOUT, [&] { tessera::scale::twice(Rows{six, 4}, Rows{doubled, 3}); }).find("stride") != std::string::npos);
  // What is wrong is said, and nothing is written.
  y = {-1, -1, -1};
  EXPECT(messageOf(TESS_ERROR_SHAPE, [&] { tessera::scale::scale(x, 2.0f, {y.data(), {2}}); }).find("`N` is 3") != std::string::npos);
  EXPECT(messageOf(TESS_ERROR_SHAPE, [&] { tessera::scale::scale({x, {4}}, 2.0f, y); }) ==
         "a tensor of shape [4] has 4 elements, but 3 were given");
  EXPECT(messageOf(TESS_ERROR_DEVICE, [&] { mine::kernels::scale({x.data(), {3}, tessera::cuda()}, 2.0f, y); }).find("runs on the CPU") !=
         std::string::npos);
  EXPECT(mine::kernels::scale(std::nothrow, {x.data(), {3}}, 2.0f, {y.data(), {2}}) == TESS_ERROR_SHAPE);
  EXPECT(std::strstr(tessLastErrorText(), "`N` is 3"));
  EXPECT(y[0] == -1);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
