// C++ for host_loops.tsr, compiled by tesserac. Edit the program, not this file.
// Functions: table (declared in host_loops.h).
#include "tessera/device/math.h"
#include "tessera/entry.h"
#include "tessera/host.h"
TESS_SET(0000000000000000)  // the headers and the manifest of this compile have the same number

// def table() -> Tensor[7, f32]
//   one lane an element
static void table_kernel(float *__restrict__ result) {
  #pragma omp parallel for simd
  for (int64_t i = 0; i < 7; ++i) {  // host_loops.tsr:14
    const float i0 = float(int32_t(i));  // :13
    result[i] = i0 * i0 * 0.25f;  // :14
  }
}

// def table() -> Tensor[7, f32]
extern "C" TessStatus table(TessTensor *result, TessStream stream) {
  tsr::Call call("table", stream);
  call.output<float>("result", result, {7});
  if (call.done()) return call.status();

  table_kernel(call.data<float>(result));
  return call.finish();
}
extern "C" TessStatus table_call(const TessValue *args, int32_t count, TessStream stream) {
  return tsr::call_with(table, "table", args, count, stream);
}

// table for the host code: allocates what it returns.
static tsr::host::Tensor table_on_host() {
  tsr::host::Tensor result = tsr::host::Tensor::make<float>({7});
  tsr::host::stop_unless_ok(table(result.written(), nullptr));
  return result;
}

int main() {
  tsr::host::Tensor x = table_on_host();  // host_loops.tsr:44
  const int64_t N = tsr::host::shape(x, 0);  // :17
  int64_t found = -1;  // :19
  int64_t i = 0;
  bool running = true;
  while (running && i < N) {
    if (tsr::host::item<double>(tsr::host::row(x, i)) > 0.5) {  // :20
      found = i;
      running = false;
    }
    i += 1;  // :19
  }
  tsr::host::print(  // :23
      tsr::host::join("first above ", tsr::host::format(0.5, ""), ": ",
      tsr::host::format(found, "")));
  const int64_t low = found;  // :24
  const int64_t N0 = tsr::host::shape(x, 0);  // :17
  int64_t found_2 = -1;  // :19
  int64_t i0 = 0;
  bool running_2 = true;
  while (running_2 && i0 < N0) {
    if (tsr::host::item<double>(tsr::host::row(x, i0)) > 100.0) {  // :20
      found_2 = i0;
      running_2 = false;
    }
    i0 += 1;  // :19
  }
  tsr::host::print(  // :23
      tsr::host::join("first above ", tsr::host::format(100.0, ""), ": ",
      tsr::host::format(found_2, "")));
  const int64_t high = found_2;  // :24
  const int64_t length = tsr::host::shape(x, 0);  // :48
  int64_t a = 0;
  int64_t b = 1;
  int64_t k = 0;
  bool running_3 = true;
  while (running_3 && k < length) {
    bool live = true;  // :49
    if (int64_t(tsr::mod<int64_t>(k, 3)) == low) {
      live = false;
    }
    if (live) {  // :51
      if (b > 50) {
        running_3 = false;
        live = false;
      }
      if (live) {  // :53
        const int64_t value = a + b;
        tsr::host::print(  // :54
            tsr::host::join(tsr::host::format(k, ""), " ", tsr::host::format(b, ""), " ",
            tsr::host::format(value, "")));
        a = b;  // :53
        b = value;
      }
    }
    k += 1;  // :48
  }
  bool running_4 = true;  // :55
  while (running_4) {
    b -= 7;  // :56
    if (b < high) {  // :57
      running_4 = false;
    }
  }
  int64_t n = 27;  // :59
  int64_t turns = 0;  // :30
  bool broke = false;
  bool running_5 = true;
  while (running_5 && n != 1) {
    if (tsr::mod<int64_t>(n, 2) == 0) {  // :31
      n = tsr::floordiv<int64_t>(n, 2);  // :32
    } else {
      n = 3 * n + 1;  // :34
    }
    turns += 1;  // :35
    if (turns > 500) {  // :36
      broke = true;
      running_5 = false;
    }
  }
  if (!broke) {  // :30
    tsr::host::print(  // :39
        tsr::host::join(tsr::host::format(27, ""), " comes to 1 in ", tsr::host::format(turns, ""),
        " turns"));
  }
  tsr::host::print(  // :59
      tsr::host::join(tsr::host::format(a, ""), " ", tsr::host::format(b, ""), " ",
      tsr::host::format(turns, "")));
  return 0;
}
