// What the C functions of emitted code are made of: checks of arguments, temporaries, launches. Nothing here throws or
// aborts: the first failure is kept as a status and a sentence, and what comes after it does nothing.
//
//   extern "C" TessStatus softmax(const TessTensor *x, TessTensor *result, TessStream stream) {
//     tsr::Call call("softmax", stream);
//     tsr::Dim R("R"), C("C");
//     const auto x_view = call.input<const tsr::bf16>("x", x, {R, C});  ...
#pragma once
#include "tessera/device/math.h"
#include "tessera/device/view.h"
#include "tessera/error.h"
#include "tessera/machine.h"
#include "tessera/sizes.h"
#include <cstdarg>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <new>
#include <tuple>  // entries assign what a loop carries with std::tie
#include <utility>
// g++'s OpenMP does not know of forks.
#if defined(TSR_CPU) && defined(_OPENMP) && !defined(__clang__) && (defined(__unix__) || defined(__APPLE__))
#define TSR_MINDS_FORKS 1
#include <omp.h>
#include <pthread.h>
extern "C" __attribute__((weak)) void __kmpc_fork_call(void *, int, void (*)(int *, int *, ...), ...);
#endif

/// Before a function that only starts kernels, and starts very many: g++ takes 40 s to optimise one of 700 launches, and what the
/// launches themselves cost stays the same.
#if defined(__clang__)
#define TSR_UNOPTIMISED __attribute__((optnone))
#elif defined(__GNUC__)
#define TSR_UNOPTIMISED __attribute__((optimize("O0")))
#else
#define TSR_UNOPTIMISED
#endif

namespace tsr {
inline namespace TSR_TARGET {
namespace detail {

template <class T> struct DTypeOf;
#define TSR_DTYPE_OF(type, code, bits, name)                       \
  template <> struct DTypeOf<type> {                               \
    static TessDType dtype() { return {code, bits, 1}; }           \
    static const char *text() { return name; }                     \
  };
TSR_DTYPE_OF(double, TESS_FLOAT, 64, "f64")
TSR_DTYPE_OF(float, TESS_FLOAT, 32, "f32")
TSR_DTYPE_OF(tf32, TESS_TF32, 32, "tf32")
TSR_DTYPE_OF(bf16, TESS_BFLOAT, 16, "bf16")
TSR_DTYPE_OF(f16, TESS_FLOAT, 16, "f16")
TSR_DTYPE_OF(f8e4m3, TESS_FLOAT8_E4M3FN, 8, "f8e4m3")
TSR_DTYPE_OF(f8e5m2, TESS_FLOAT8_E5M2, 8, "f8e5m2")
TSR_DTYPE_OF(f6e2m3, TESS_FLOAT6_E2M3FN, 6, "f6e2m3")
TSR_DTYPE_OF(f6e3m2, TESS_FLOAT6_E3M2FN, 6, "f6e3m2")
TSR_DTYPE_OF(f4e2m1, TESS_FLOAT4_E2M1FN, 4, "f4e2m1")
TSR_DTYPE_OF(int64_t, TESS_INT, 64, "i64")
TSR_DTYPE_OF(int32_t, TESS_INT, 32, "i32")
TSR_DTYPE_OF(int16_t, TESS_INT, 16, "i16")
TSR_DTYPE_OF(int8_t, TESS_INT, 8, "i8")
TSR_DTYPE_OF(i4, TESS_INT, 4, "i4")
TSR_DTYPE_OF(uint32_t, TESS_UINT, 32, "u32")
TSR_DTYPE_OF(uint16_t, TESS_UINT, 16, "u16")
TSR_DTYPE_OF(uint8_t, TESS_UINT, 8, "u8")
TSR_DTYPE_OF(bool, TESS_BOOL, 8, "bool")
TSR_DTYPE_OF(complex64, TESS_COMPLEX, 64, "complex64")
#undef TSR_DTYPE_OF

/// The numbers of a type that C has none of: they come in a wider one.
template <class T> struct Narrow;
#define TSR_NARROW(type, low, high)              \
  template <> struct Narrow<type> {              \
    static constexpr double least = low;         \
    static constexpr double most = high;         \
  };
TSR_NARROW(tf32, -3.4011621342146535e38, 3.4011621342146535e38)
TSR_NARROW(bf16, -3.3895313892515355e38, 3.3895313892515355e38)
TSR_NARROW(f16, -65504.0, 65504.0)
TSR_NARROW(f8e4m3, -448.0, 448.0)
TSR_NARROW(f8e5m2, -57344.0, 57344.0)
TSR_NARROW(f6e2m3, -7.5, 7.5)
TSR_NARROW(f6e3m2, -28.0, 28.0)
TSR_NARROW(f4e2m1, -6.0, 6.0)
TSR_NARROW(i4, -8.0, 7.0)
#undef TSR_NARROW

inline const char *dtype_text(TessDType dtype, char (&buffer)[32]) {
  const char *family = "code ";
  switch (dtype.code) {
  case TESS_INT: family = "i"; break;
  case TESS_UINT: family = "u"; break;
  case TESS_FLOAT: family = "f"; break;
  case TESS_BFLOAT: family = "bf"; break;
  case TESS_COMPLEX: family = "complex"; break;
  case TESS_BOOL: return "bool";
  case TESS_FLOAT8_E4M3FN: return "f8e4m3";
  case TESS_FLOAT8_E5M2: return "f8e5m2";
  case TESS_FLOAT6_E2M3FN: return "f6e2m3";
  case TESS_FLOAT6_E3M2FN: return "f6e3m2";
  case TESS_FLOAT4_E2M1FN: return "f4e2m1";
  case TESS_TF32: return "tf32";
  default: snprintf(buffer, sizeof buffer, "of DLPack code %d", dtype.code); return buffer;
  }
  snprintf(buffer, sizeof buffer, "%s%d", family, dtype.bits);
  return buffer;
}

}  // namespace detail

#if defined(TSR_MINDS_FORKS)
/// The workers of a thread that forks are not in the child: its next parallel region would wait for them for ever. One that has
/// called such code has one thread there. (LLVM's OpenMP, which may be loaded in the place of g++'s, makes new workers.)
inline void mind_forks() {
  static thread_local bool hasWorkers = false;
  if (hasWorkers) return;
  hasWorkers = true;
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    if (hasWorkers && !__kmpc_fork_call) omp_set_num_threads(1);
  });
  (void)registered;
}
#else
inline void mind_forks() {}
#endif

/// A dimension variable: without a value until the first tensor whose shape has it.
struct Dim : Size {
  explicit Dim(const char *name) : Size(-1), name(name) {}
  const char *name;
  const char *argument = "";  // where the value comes from
  int axis = 0;  // -1: from the argument's value
};

/// One extent of a declared shape: a variable, a number, or an expression that Call::extent checks later.
struct Extent {
  Extent(Dim &dim) : dim(&dim) {}
  Extent(int value) : number(value) {}
  Extent(int64_t value) : number(value) {}
  static Extent later() { return Extent(int64_t(-1)); }
  Dim *dim = nullptr;
  int64_t number = -1;
};

#if defined(TSR_CUDA)
/// Groups of a launch as they stand in clusters.
struct Clusters {
  unsigned groups, size;
};
#endif

/// One call of an entry function.
class Call {
public:
  Call(const char *function, TessStream stream) : function_(function), stream_(stream) {
    error_text().text[0] = '\0';
    mind_forks();
  }
  ~Call() {
    end_launch();
    release(memory_);
    if (range_ != first_) delete[] range_;
    if (previousDevice_ >= 0) (void)detail::device_set(previousDevice_);
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  bool failed() const { return status_ != TESS_OK; }
  /// Whether nothing is left to do: the call failed, or no tensor that it writes has an element.
  bool done() const { return failed() || (writes_ && !writesElements_); }
  TessStatus status() const { return status_; }

  /// Checks a tensor that is only read, and binds the variables of its shape.
  template <class T> void input(const char *name, const TessTensor *tensor, std::initializer_list<Extent> shape) {
    check<T>(name, tensor, shape, false);
  }
  /// Checks a tensor that is written (and perhaps read).
  template <class T> void output(const char *name, const TessTensor *tensor, std::initializer_list<Extent> shape) {
    check<T>(name, tensor, shape, true);
  }
  /// An integer argument that gives a dimension.
  void constant(const char *name, int64_t value, const Extent &declared) { bind(name, value, -1, declared); }
  /// Checks a number that is declared with a type that C has not. What is not finite stays so.
  template <class T> void fits(const char *name, double value) {
    using Range = detail::Narrow<T>;
    if (failed() || !(value < Range::least || value > Range::most) || value - value != 0) return;
    fail(TESS_ERROR_ARGUMENT, "argument `%s`: %.9g does not fit in %s", name, value, detail::DTypeOf<T>::text());
  }
  /// Binds a variable that only an extent `factor * dim + rest` gives; extent() checks that it is such a one. A factor may be a
  /// size, and 0.
  void solve(Dim &dim, const TessTensor *tensor, int axis, int64_t factor, int64_t rest) {
    if (failed()) return;
    const int64_t multiple = saturating_subtract(tensor->shape[axis], rest);
    dim.value = multiple < 0 || factor == 0 ? 0 : multiple / factor;
  }
  /// Checks an extent that is an expression over variables: `text` is how the program writes it.
  void extent(const char *name, const TessTensor *tensor, int axis, int64_t expected, const char *text) {
    if (failed() || tensor->shape[axis] == expected) return;
    fail(TESS_ERROR_SHAPE, "argument `%s`: dimension %d is %lld, but `%s` is %lld", name, axis,
         static_cast<long long>(tensor->shape[axis]), text, static_cast<long long>(expected));
  }
  /// Checks a fact about dimensions: `left relation right`, with both values for the message.
  void require(bool holds, const char *text, int64_t left, int64_t right, const char *leftText) {
    if (failed() || holds) return;
    fail(TESS_ERROR_REQUIREMENT, "`%s` is required, but `%s` is %lld (compared with %lld)", text, leftText,
         static_cast<long long>(left), static_cast<long long>(right));
  }
  void capacity(const char *text, int64_t value, int64_t most) {
    if (failed() || value <= most) return;
    fail(TESS_ERROR_CAPACITY, "`%s` is %lld, but this function was compiled for at most %lld", text,
         static_cast<long long>(value), static_cast<long long>(most));
  }

  /// The elements of a checked tensor.
  template <class T> T *data(const TessTensor *tensor) const {
    return reinterpret_cast<T *>(static_cast<unsigned char *>(tensor->data) + tensor->byte_offset);
  }
  /// Whether the elements of all these tensors begin on a multiple of so many bytes.
  template <class... Tensors> bool aligned(size_t bytes, const Tensors *...tensors) const {
    return (... && (reinterpret_cast<uintptr_t>(data<unsigned char>(tensors)) % bytes == 0));
  }
  /// Where an array of constants lies in the device's memory; null after a failure.
  template <class T, size_t Count> const T *table(const T (&numbers)[Count]) {
    if (failed()) return nullptr;
    const void *at = nullptr;
    if (detail::DeviceError e = detail::device_table(&at, numbers); e == detail::kDeviceOk) return static_cast<const T *>(at);
    else fail(TESS_ERROR_LAUNCH, "no table of %lld numbers on the device: %s", static_cast<long long>(Count), detail::device_error_text(e));
    (void)detail::device_last_error();  // the failure is told by the status
    return nullptr;
  }
#if !defined(TSR_CPU)
  /// One piece of device memory for the `count` temporaries of a call, of so many bytes in all, so that a graph of the call has one
  /// allocation. What does not fit, and all where TSR_SEPARATE_TEMPORARIES is defined, as a memory checker wants it, is asked for by itself.
  void reserve(int64_t bytes, int count) {
#if !defined(TSR_SEPARATE_TEMPORARIES)
    if (failed() || bytes > INT64_MAX / 2) return;
    const size_t size = static_cast<size_t>(bytes) + static_cast<size_t>(count) * kPlace;
    piece_ = static_cast<char *>(take(size, memory_));  // where it is not there, smaller pieces may be, and the first that is not is told
    left_ = piece_ ? size : 0;
#else
    (void)bytes, (void)count;
#endif
  }
#endif
  /// Device memory until the end of the call; null after a failure.
  template <class T> T *temporary(const char *name, int64_t count) {
    return static_cast<T *>(allocate(name, saturating_multiply(count > 0 ? count : 1, static_cast<int64_t>(sizeof(T))), memory_));
  }
  /// Likewise until the next launch, which may be given the same.
  template <class T> T *until_next_launch(const char *name, int64_t count) {
    few_groups_ = false;  // what is written to it comes before the launch, and is not waited for by kernels that start early
    return static_cast<T *>(allocate(name, saturating_multiply(count > 0 ? count : 1, static_cast<int64_t>(sizeof(T))), launchMemory_));
  }

  /// What begins `offset` bytes behind the begin of a temporary that is not needed at the same time.
  template <class T> T *within(void *memory, int64_t offset) {
    return failed() ? nullptr : reinterpret_cast<T *>(static_cast<char *>(memory) + offset);
  }

  /// The number of groups of a launch as the machine takes it: at most 2^31 - 1.
  unsigned groups(int64_t count) {
    end_launch();
    if (failed() || count <= 0) return 0;
    few_groups_ = count <= 1024 && !otherWork_;
    otherWork_ = false;
    if (count > 0x7fffffff) fail(TESS_ERROR_LAUNCH, "%lld groups are more than a launch can have", static_cast<long long>(count));
    return static_cast<unsigned>(count);
  }
  /// Before work on the stream that is no launch of ours, such as a collective: the next kernel does not start early, as it would
  /// not wait for that.
  void begin_other_work() {
    end_launch();
    otherWork_ = true;
  }
  /// From device memory to device memory, in the order of the launches.
  void copy(void *to, const void *from, size_t bytes) {
    begin_other_work();
    if (failed()) return;
    if (detail::DeviceError e = detail::device_copy(to, from, bytes, stream_); e != detail::kDeviceOk) fail(TESS_ERROR_LAUNCH, "%s", detail::device_error_text(e));
  }
#if defined(TSR_CUDA)
  /// `work(stream)` comes behind the next launch, and before the one after it.
  template <class Work> void after_launch(Work work) {
    struct Made : Due {
      explicit Made(Work work) : work(work) {}
      void run(cudaStream_t stream) override { work(stream); }
      Work work;
    };
    Due *due = new (std::nothrow) Made(work);
    if (!due) return fail(TESS_ERROR_MEMORY, "no memory for what follows a launch");
    due->next = due_;
    due_ = due;
  }
  /// Groups of a kernel that takes its rows in turn, one group a processor: no more than there are rows.
  int64_t at_once(int64_t rows) {
    const int processors = failed() ? 0 : detail::processors();
    return processors == 0 || rows < processors ? rows : processors;
  }
#endif
#if !defined(TSR_CPU)
  /// Lets a kernel use so many bytes of dynamic shared memory.
  template <class Kernel> void allow_shared(Kernel *kernel, int64_t bytes) {
    if (failed() || bytes <= 48 * 1024) return;
#if defined(TSR_HIP)
    if (bytes > 64 * 1024)
      return fail(TESS_ERROR_LAUNCH, "a group needs %lld bytes of shared memory; an AMD GPU has 65536 bytes of LDS for a group",
                  static_cast<long long>(bytes));
#endif
    const detail::DeviceError error = detail::device_allow_shared(kernel, static_cast<int>(bytes));
    if (error == detail::kDeviceOk) return;
    (void)detail::device_last_error();
    fail(TESS_ERROR_LAUNCH, "this device does not give a group %lld bytes of shared memory", static_cast<long long>(bytes));
  }
#endif
#if defined(TSR_CUDA)
  /// Starts a kernel that calls `after_previous_kernel` while the one before it in the stream ends, if `groups()` was asked for a
  /// few: kernels that run for long gain nothing, and those of a long prompt lost 5 % (measured on one H200).
  template <class... Parameters, class... Arguments>
  void start_early(void (*kernel)(Parameters...), unsigned groups, dim3 lanes, int64_t shared_bytes, Arguments &&...arguments) {
    start_as(kernel, groups, 1, few_groups_, lanes, shared_bytes, std::forward<Arguments>(arguments)...);
  }
  /// Likewise groups in clusters (`tsr::Clusters`).
  template <class... Parameters, class Clusters, class... Arguments, class = decltype(Clusters::size)>
  void start_early(void (*kernel)(Parameters...), Clusters clusters, dim3 lanes, int64_t shared_bytes, Arguments &&...arguments) {
    start_as(kernel, clusters.groups, clusters.size, few_groups_, lanes, shared_bytes, std::forward<Arguments>(arguments)...);
  }
  /// And behind the kernel before it.
  template <class... Parameters, class Clusters, class... Arguments>
  void start(void (*kernel)(Parameters...), Clusters clusters, dim3 lanes, int64_t shared_bytes, Arguments &&...arguments) {
    start_as(kernel, clusters.groups, clusters.size, false, lanes, shared_bytes, std::forward<Arguments>(arguments)...);
  }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(stream_); }
#elif defined(TSR_HIP)
  hipStream_t stream() const { return static_cast<hipStream_t>(stream_); }
#endif
  /// What a kernel before this wrote to `place`. A default value after a failure.
  template <class T> T fetch(const T *place) {
    T value{};
    end_launch();
    if (failed()) return value;
    if (detail::DeviceError e = detail::device_fetch(&value, place, sizeof(T), stream_); e != detail::kDeviceOk) {
      fail(TESS_ERROR_DEVICE, "%s", detail::device_error_text(e));
      return T{};
    }
    return value;
  }
  /// The status of the call after its launches.
  TessStatus finish() {
    end_launch();
    if (!failed()) {
      if (detail::DeviceError e = detail::device_last_error(); e != detail::kDeviceOk)
        fail(TESS_ERROR_LAUNCH, "%s", detail::device_error_text(e));
    }
    return status_;
  }

#if defined(__GNUC__)
  __attribute__((format(printf, 3, 4)))
#endif
  void fail(TessStatus status, const char *format, ...) {
    if (failed()) return;
    status_ = status;
    char *text = error_text().text;
    int used = snprintf(text, sizeof(ErrorText), "%s: ", function_);
    if (used < 0 || used >= static_cast<int>(sizeof(ErrorText))) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof(ErrorText) - static_cast<size_t>(used), format, arguments);
    va_end(arguments);
  }

private:
#if defined(TSR_CUDA)
  template <class... Parameters, class... Arguments>
  void start_as(void (*kernel)(Parameters...), unsigned groups, unsigned cluster, bool early, dim3 lanes, int64_t shared_bytes, Arguments &&...arguments) {
    cudaLaunchAttribute how[2] = {};
    unsigned count = 0;
    if (early) {
      how[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      how[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (cluster > 1) {
      how[count].id = cudaLaunchAttributeClusterDimension;
      how[count].val.clusterDim.x = cluster;
      how[count].val.clusterDim.y = how[count].val.clusterDim.z = 1;
      ++count;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = groups;
    config.blockDim = lanes;
    config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
    config.stream = stream();
    config.attrs = how;
    config.numAttrs = count;
    (void)cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);  // status() asks for the error
  }
#endif
  struct Memory {
    void *data = nullptr;
    Memory *next = nullptr;
  };
#if defined(TSR_CUDA)
  struct Due {
    virtual ~Due() = default;
    virtual void run(cudaStream_t stream) = 0;
    Due *next = nullptr;
  };
#endif
  /// What was put off until a launch had been started, and its memory.
  void end_launch() {
#if defined(TSR_CUDA)
    while (due_) {
      Due *next = due_->next;
      if (!failed()) due_->run(stream());
      delete due_;
      due_ = next;
    }
#endif
    release(launchMemory_);
  }

  void *allocate(const char *name, int64_t bytes, Memory *&list) {
    if (failed()) return nullptr;
    if (bytes == kMostSize || static_cast<uint64_t>(bytes) > SIZE_MAX / 2) {
      fail(TESS_ERROR_MEMORY, "the temporary `%s` has more bytes than a machine can have", name);
      return nullptr;
    }
#if !defined(TSR_CPU)
    const size_t places = (static_cast<size_t>(bytes) + kPlace - 1) / kPlace * kPlace;
    if (&list == &memory_ && places <= left_) {
      left_ -= places;
      return std::exchange(piece_, piece_ + places);
    }
#endif
    void *data = take(static_cast<size_t>(bytes), list);
    if (!data) fail(TESS_ERROR_MEMORY, "no memory for the temporary `%s` of %lld bytes", name, static_cast<long long>(bytes));
    return data;
  }
  /// Memory that the list keeps; null where there is none.
  void *take(size_t bytes, Memory *&list) {
    Memory *memory = new (std::nothrow) Memory;
    if (!memory) return nullptr;
    void *data = nullptr;
    if (detail::DeviceError e = detail::device_allocate(&data, bytes, detail::device_pool(), stream_); e == detail::kDeviceOk) {
      *memory = {data, list};
      list = memory;
      return data;
    }
    delete memory;
    (void)detail::device_last_error();  // the failure is told by the status
    return nullptr;
  }
  void release(Memory *&list) {
    while (list) {
      Memory *next = list->next;
      (void)detail::device_free(list->data, stream_);
      delete list;
      list = next;
    }
  }

  struct Range {
    const char *name;
    uintptr_t begin, end;
    bool written;
  };
  template <class T> void check(const char *name, const TessTensor *tensor, std::initializer_list<Extent> shape, bool written) {
    check_tensor(name, tensor, detail::DTypeOf<T>::dtype(), detail::DTypeOf<T>::text(), sizeof(T), shape, written);
  }

  void check_tensor(const char *name, const TessTensor *tensor, TessDType dtype, const char *dtypeText, size_t elementBytes,
                    std::initializer_list<Extent> shape, bool written) {
    if (failed()) return;
    if (!tensor) return fail(TESS_ERROR_ARGUMENT, "argument `%s` is null", name);
    if (tensor->dtype.code != dtype.code || tensor->dtype.bits != dtype.bits || tensor->dtype.lanes > 1) {
      char buffer[32];
      return fail(TESS_ERROR_DTYPE, "argument `%s`: its dtype is %s, but %s is declared", name,
                  detail::dtype_text(tensor->dtype, buffer), dtypeText);
    }
    const int rank = static_cast<int>(shape.size());
    if (tensor->ndim != rank)
      return fail(TESS_ERROR_SHAPE, "argument `%s`: it has %d dimensions, but %d are declared", name, tensor->ndim, rank);
    if (rank > 0 && !tensor->shape) return fail(TESS_ERROR_ARGUMENT, "argument `%s`: its shape is null", name);
    check_device(name, tensor);
    int axis = 0;
    for (const Extent &extent : shape) bind(name, tensor->shape[axis], axis, extent), ++axis;
    check_layout(name, tensor, elementBytes, written);
  }

  void bind(const char *name, int64_t seen, int axis, const Extent &declared) {
    if (failed()) return;
    char place[32] = "it";
    if (axis >= 0) std::snprintf(place, sizeof place, "dimension %d", axis);
    if (seen < 0) return fail(TESS_ERROR_SHAPE, "argument `%s`: %s is %lld, and a size is at least 0", name, place, static_cast<long long>(seen));
    if (Dim *dim = declared.dim) {
      if (dim->value < 0) {
        dim->value = seen;
        dim->argument = name;
        dim->axis = axis;
      } else if (dim->value != seen) {
        char from[32] = "";
        if (dim->axis >= 0) std::snprintf(from, sizeof from, "dimension %d of ", dim->axis);
        fail(TESS_ERROR_SHAPE, "argument `%s`: %s is %lld, but `%s` is %lld (from %sargument `%s`)", name, place,
             static_cast<long long>(seen), dim->name, static_cast<long long>(dim->value), from, dim->argument);
      }
    } else if (declared.number >= 0 && declared.number != seen) {
      fail(TESS_ERROR_SHAPE, "argument `%s`: %s is %lld, but %lld is declared", name, place,
           static_cast<long long>(seen), static_cast<long long>(declared.number));
    }
  }

  void check_device(const char *name, const TessTensor *tensor) {
    if (failed()) return;
    bool known = false;
    for (int type : detail::kDeviceTypes) known = known || tensor->device.type == type;
    if (!known)
      return fail(TESS_ERROR_DEVICE, "argument `%s`: its memory is of device type %d, but this function runs on %s", name,
                  tensor->device.type, detail::kDeviceText);
#if !defined(TSR_CPU)
    if (tensor->device.type != detail::kDeviceTypes[0]) return;  // memory that every device of the machine reads
    if (device_ >= 0 && tensor->device.id != device_)
      return fail(TESS_ERROR_DEVICE, "argument `%s` is on device %d, but the arguments before it are on device %d", name,
                  tensor->device.id, device_);
    if (device_ >= 0) return;
    device_ = tensor->device.id;
    int current = 0;
    detail::DeviceError error = detail::device_get(&current);
    if (error == detail::kDeviceOk && current != device_) {
      error = detail::device_set(device_);
      previousDevice_ = current;
    }
    if (error != detail::kDeviceOk) fail(TESS_ERROR_DEVICE, "device %d: %s", device_, detail::device_error_text(error));
#endif
  }

  void check_layout(const char *name, const TessTensor *tensor, size_t elementBytes, bool written) {
    if (failed()) return;
    // Axes of 0 are left out: sizes that are computed from the others have to fit as well.
    int64_t bytes = static_cast<int64_t>(elementBytes);
    bool empty = false;
    for (int axis = 0; axis < tensor->ndim; ++axis)
      if (tensor->shape[axis] == 0) empty = true;
      else bytes = saturating_multiply(bytes, tensor->shape[axis]);
    if (bytes == kMostSize) return fail(TESS_ERROR_SHAPE, "argument `%s`: a tensor of these extents has more than 2^63 bytes", name);
    writes_ = writes_ || written;
    if (empty) return;  // nothing will be touched
    writesElements_ = writesElements_ || written;
    int64_t expected = 1;
    for (int axis = tensor->ndim - 1; axis >= 0 && tensor->strides; --axis) {
      if (tensor->shape[axis] != 1 && tensor->strides[axis] != expected)
        return fail(TESS_ERROR_LAYOUT,
                    "argument `%s`: the stride of dimension %d is %lld, but a contiguous row-major tensor has %lld; copy it first",
                    name, axis, static_cast<long long>(tensor->strides[axis]), static_cast<long long>(expected));
      expected *= tensor->shape[axis];
    }
    if (!tensor->data) return fail(TESS_ERROR_ARGUMENT, "argument `%s`: its data pointer is null", name);
    const uintptr_t data = reinterpret_cast<uintptr_t>(tensor->data);
    if (tensor->byte_offset > UINTPTR_MAX - data || static_cast<uint64_t>(bytes) > UINTPTR_MAX - data - tensor->byte_offset)
      return fail(TESS_ERROR_LAYOUT, "argument `%s`: its elements, %llu bytes from its data pointer on, end outside of the address space", name,
                  static_cast<unsigned long long>(tensor->byte_offset));
    const uintptr_t begin = data + static_cast<uintptr_t>(tensor->byte_offset);
    if (begin % elementBytes != 0)
      return fail(TESS_ERROR_LAYOUT, "argument `%s`: its first element is not aligned to %zu bytes", name, elementBytes);
    const Range range{name, begin, begin + static_cast<uintptr_t>(bytes), written};
    for (int i = 0; i < ranges_; ++i) {
      const Range &other = range_[i];
      if ((written || other.written) && range.begin < other.end && other.begin < range.end)
        return fail(TESS_ERROR_ALIAS, "arguments `%s` and `%s` share memory, and one of them is written", other.name, name);
    }
    if (ranges_ == room_ && !enlarge()) return fail(TESS_ERROR_MEMORY, "the host has no memory left");
    range_[ranges_++] = range;
  }
  bool enlarge() {
    Range *more = new (std::nothrow) Range[static_cast<size_t>(room_) * 2];
    if (!more) return false;
    for (int i = 0; i < ranges_; ++i) more[i] = range_[i];
    if (range_ != first_) delete[] range_;
    range_ = more;
    room_ *= 2;
    return true;
  }

  const char *function_;
  TessStream stream_;
  bool few_groups_ = false;  // in the launch at hand
  bool otherWork_ = false;   // since the last launch
  TessStatus status_ = TESS_OK;
  Memory *memory_ = nullptr, *launchMemory_ = nullptr;  // until the call ends; until the next launch
#if !defined(TSR_CPU)
  static constexpr size_t kPlace = 256;  // bytes, of which temporaries begin at multiples
  char *piece_ = nullptr;                // what is left of what was reserved
  size_t left_ = 0;
#endif
#if defined(TSR_CUDA)
  Due *due_ = nullptr;
#endif
  int previousDevice_ = -1;
#if !defined(TSR_CPU)
  int device_ = -1;
#endif
  bool writes_ = false, writesElements_ = false;
  static constexpr int kTensors = 16;  // more are kept on the heap
  int ranges_ = 0, room_ = kTensors;
  Range first_[kTensors];
  Range *range_ = first_;
};

namespace detail {

/// Null, or what is wrong with the argument.
template <class P> const char *misfit(const TessValue &value) {
  const char *kind = "is of another kind than declared";
  if constexpr (std::is_pointer<P>::value) {
    return value.kind == TESS_VALUE_TENSOR ? nullptr : kind;
  } else if constexpr (std::is_floating_point<P>::value) {
    if (value.kind == TESS_VALUE_INTEGER) return nullptr;
    if (value.kind != TESS_VALUE_REAL) return kind;
    const double size = value.as.real < 0 ? -value.as.real : value.as.real;
    const bool fits = !(size > static_cast<double>(std::numeric_limits<P>::max())) || size > std::numeric_limits<double>::max();
    return fits ? nullptr : "is a number that does not fit in the declared type";
  } else {
    if (value.kind != TESS_VALUE_INTEGER) return kind;
    return fits_in<P>(value.as.integer) ? nullptr : "is a number that does not fit in the declared type";
  }
}
template <class P> P unpacked(const TessValue &value) {
  if constexpr (std::is_pointer<P>::value) return value.as.tensor;
  else if constexpr (std::is_floating_point<P>::value)
    return static_cast<P>(value.kind == TESS_VALUE_REAL ? value.as.real : static_cast<double>(value.as.integer));
  else return static_cast<P>(value.as.integer);
}
// A model's step has hundreds of parameters: they are written as lists, whose length no compiler limits, and neither as
// tuples nor as folds. The stream is the last of them.
template <class P> const char *misfit_at(const TessValue *args, size_t i) {
  if constexpr (std::is_same<P, TessStream>::value) return nullptr;
  else return misfit<P>(args[i]);
}
template <class P> P unpacked_at(const TessValue *args, size_t i, TessStream stream) {
  if constexpr (std::is_same<P, TessStream>::value) return stream;
  else return unpacked<P>(args[i]);
}
template <class... P, size_t... I>
TessStatus call_unpacked(TessStatus (*function)(P...), const char *name, const TessValue *args, TessStream stream,
                         std::index_sequence<I...>) {
  const char *const why[] = {misfit_at<P>(args, I)...};
  for (size_t i = 0; i < sizeof...(P); ++i) {
    if (!why[i]) continue;
    Call call(name, stream);
    call.fail(TESS_ERROR_ARGUMENT, "argument %d %s (its kind is %d)", static_cast<int>(i), why[i], args[i].kind);
    return call.status();
  }
  return function(unpacked_at<P>(args, I, stream)...);
}

}  // namespace detail

/// Calls an entry function with arguments from an array: what its `..._call` does. The stream is its last parameter.
template <class... P>
TessStatus call_with(TessStatus (*function)(P...), const char *name, const TessValue *args, int32_t count, TessStream stream) {
  constexpr int declared = static_cast<int>(sizeof...(P)) - 1;
  if (count != declared || (count > 0 && !args)) {
    Call call(name, stream);
    call.fail(TESS_ERROR_ARGUMENT, "%d arguments were given, but %d are declared", count, declared);
    return call.status();
  }
  return detail::call_unpacked(function, name, args, stream, std::index_sequence_for<P...>());
}

}  // inline namespace TSR_TARGET
}  // namespace tsr
