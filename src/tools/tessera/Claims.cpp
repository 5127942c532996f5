// What a test asserted, against what it left in its results.
#include "driver/Reference.h"
#include "reference/Value.h"
#include "support/FloatFormats.h"
#include "tools/tessera/ArrayText.h"
#include "tools/tessera/TestRun.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::tools {
namespace {

using driver::BoundArguments;

/// An element with as many digits as tell it from its neighbours.
std::string exactText(const NpyArray &array, size_t i) {
  double value = driver::elementOf(array, i);
  if (array.dtype == DType::Bool) return value != 0 ? "True" : "False";
  if (!isFloat(array.dtype))
    return std::to_string(loadInt(array.dtype, array.data.data() + i * static_cast<size_t>(storageBytes(array.dtype))));
  int most = info(array.dtype).bits >= 64 ? 17 : 9;
  char text[40];
  for (int digits = 1; digits <= most; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    double again = std::strtod(text, nullptr);
    bool same = info(array.dtype).bits >= 64 ? again == value : static_cast<float>(again) == static_cast<float>(value);
    if (same) break;
  }
  return text;
}

/// "[2, 0]" of element `i` of this shape.
std::string placeText(const std::vector<int64_t> &shape, size_t i) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0;) {
    auto extent = static_cast<size_t>(shape[axis]);
    text = std::to_string(i % extent) + (text.empty() ? "" : ", ") + text;
    i /= extent;
  }
  return "[" + text + "]";
}

/// The element of an array that is broadcast to `shape` which lies at element `i` of that shape.
size_t broadcastIndex(const NpyArray &array, const std::vector<int64_t> &shape, size_t i) {
  size_t index = 0, stride = 1;
  for (size_t back = 0; back < shape.size(); ++back) {
    auto extent = static_cast<size_t>(shape[shape.size() - 1 - back]), at = i % extent;
    i /= extent;
    if (back >= array.shape.size()) continue;
    auto own = static_cast<size_t>(array.shape[array.shape.size() - 1 - back]);
    index += (own == 1 ? 0 : at) * stride;
    stride *= own;
  }
  return index;
}

std::string pairText(const NpyArray *left, const NpyArray *right, const std::vector<int64_t> &shape, size_t i) {
  std::string text;
  for (const NpyArray *side : {left, right})
    if (side) text += (text.empty() ? "" : " and ") + exactText(*side, broadcastIndex(*side, shape, i));
  return text.empty() ? "" : ": " + text;
}

/// Whether a text of the program is a number, which needs no value behind it.
bool isNumber(const std::string &text) {
  char *end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

/// Of a condition with axes: how many elements do not hold, and the first of them.
std::string firstBroken(const NpyArray &held, const NpyArray *left, const NpyArray *right) {
  size_t count = reference::elementCount(held.shape), broken = 0, first = count;
  for (size_t i = 0; i < count; ++i)
    if (held.data[i] == 0) {
      ++broken;
      first = std::min(first, i);
    }
  return std::to_string(broken) + " of " + diag::counted(count, "element") + (broken == 1 ? " does" : " do") +
         " not hold; the first is " + placeText(held.shape, first) + pairText(left, right, held.shape, first);
}

/// Of a condition about two arrays as a whole, such as `allclose`: where they are farthest apart.
std::string farthest(const NpyArray &left, const NpyArray &right) {
  bool same = left.shape == right.shape, single = right.shape.empty();
  size_t count = reference::elementCount(left.shape), at = 0;
  if ((!same && !single) || count == 0 || left.shape.empty()) return "";
  double most = -1;
  for (size_t i = 0; i < count; ++i) {
    double apart =
        std::fabs(driver::elementOf(left, i) - driver::elementOf(right, broadcastIndex(right, left.shape, i)));
    if (std::isnan(apart)) apart = HUGE_VAL;
    if (apart > most) most = apart, at = i;
  }
  return "they are farthest apart at " + placeText(left.shape, at) + pairText(&left, &right, left.shape, at);
}

}  // namespace

std::vector<TestFailure> brokenClaims(const driver::Session &session, const checked::Function &function,
                                      const BoundArguments &bound) {
  std::vector<TestFailure> failures;
  auto array = [&](int result) {
    return result < 0 ? nullptr : &bound.arrays[bound.results[static_cast<size_t>(result)]];
  };
  for (const checked::TestClaim &claim : function.claims) {
    const NpyArray &held = *array(claim.held);
    if (std::all_of(held.data.begin(), held.data.end(), [](char element) { return element != 0; })) continue;
    const NpyArray *left = array(claim.left), *right = array(claim.right);
    TestFailure failure;
    failure.line = lineOf(session, claim.span);
    failure.what = "assert " + std::string(session.sources.text(claim.condition)) +
                   (claim.message.empty() ? "" : ": " + claim.message);
    if (!claim.comparison.empty()) {
      failure.leftText = claim.leftText, failure.rightText = claim.rightText;
      if (left && !isNumber(failure.leftText)) failure.left = arrayText(*left);
      if (right && !isNumber(failure.rightText)) failure.right = arrayText(*right);
    }
    if (!held.shape.empty()) failure.where = firstBroken(held, left, right);
    else if (left && right) failure.where = farthest(*left, *right);
    failures.push_back(std::move(failure));
  }
  return failures;
}

}  // namespace tessera::tools
