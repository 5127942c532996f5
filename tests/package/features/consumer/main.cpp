#include "alone/scale.hpp"
#include <vector>

int main() {
  std::vector<float> x = {1, 2, 3}, y(3);
  alone::scale(x, 2.0f, y);
  return y[2] == 6 ? 0 : 1;
}
