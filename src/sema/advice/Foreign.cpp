#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

namespace tessera::sema {

namespace {
constexpr std::string_view kNoGradient = "`stop_gradient(x)` is `x`, and constant for a derivative";
}  // namespace

std::string_view memberInstead(std::string_view name) {
  static constexpr std::string_view kCast = "a conversion is `cast(x, f32)`, for each dtype";
  static constexpr std::string_view kGradient =
      "a derivative is a function: `grad(loss, wrt=\"w\")(x, w)` is that of the function `loss` by its parameter `w`";
  static constexpr std::string_view kSame = "tensors are values, and where they lie is not said: leave it out";
  static constexpr std::string_view kStatic = "changing in place is not possible: build a new value, `x = x * 0.9`";
  static const std::map<std::string_view, std::string_view> names = {
      {"add_", kStatic},
      {"append", "what a loop makes is stored at its place, `out[i] = x`, in a tensor made by `zeros((N, D), f32)`"},
      {"at", "an element is stored, `y[i] = v`, in what a function makes itself; `where(arange(N) == i, v, x)` is a new value"},
      {"backward", kGradient},
      {"bool", kCast},
      {"chunk", "`split(x, n, axis=...)` makes equal parts"},
      {"clamp", "between two values: `clip(x, low, high)`"},
      {"clone", kSame},
      {"contiguous", kSame},
      {"copy", kSame},
      {"cpu", kSame},
      {"cuda", kSame},
      {"dim", "how many dimensions there are is `x.ndim`"},
      {"detach", kNoGradient},
      {"double", kCast},
      {"fill_", kStatic},
      {"float", kCast},
      {"grad", kGradient},
      {"half", kCast},
      {"int", kCast},
      {"item", "a tensor of one element is read by an index: `x[0]`"},
      {"long", kCast},
      {"masked_fill", "`where(mask, value, x)` chooses for each element"},
      {"mul_", kStatic},
      {"numpy", kSame},
      {"numel", "how many elements there are is the product of the extents: `x.shape[0] * x.shape[1]`"},
      {"nelement", "how many elements there are is the product of the extents: `x.shape[0] * x.shape[1]`"},
      {"nonzero", "the size of a result must not depend on its values: `sum(x != 0)` counts, `where(x != 0, a, b)` chooses"},
      {"type_as", "the dtype of another tensor is `x.astype(y.dtype)`"},
      {"where", "`where(mask, x, y)` chooses for each element"},
      {"mT", "the last two axes change places by `transpose(x, -2, -1)`"},
      {"mH", "the last two axes change places by `transpose(x, -2, -1)`"},
      {"data", kSame},
      {"device", kSame},
      {"is_cuda", kSame},
      {"is_contiguous", kSame},
      {"pin_memory", kSame},
      {"register_hook", kGradient},
      {"requires_grad", kGradient},
      {"requires_grad_", kGradient},
      {"retain_grad", kGradient},
      {"masked_select", "the size of a result must not depend on its values: `where(mask, x, 0.0)` keeps the others as 0"},
      {"unique", "the size of a result must not depend on its values: `bincount(x, n)` counts each, `sort(x)` puts equal ones together"},
      {"narrow", "a part is a slice: `x[a:b]`, and `x[:, a:b]` of the next axis"},
      {"select", "one position of an axis is an index: `x[i]`, `x[:, i]`"},
      {"mv", "a product is `x @ v`"},
      {"new_zeros", "a tensor is made by `zeros((n, m))`"},
      {"new_ones", "a tensor is made by `ones((n, m))`"},
      {"new_tensor", "a tensor of numbers is `tensor([1.0, 2.0])`"},
      {"nbytes", "how many elements there are is the product of the extents: `x.shape[0] * x.shape[1]`"},
      {"itemsize", "how many elements there are is the product of the extents: `x.shape[0] * x.shape[1]`"},
      {"values", "`max` and `min` give the values alone; where they lie is `argmax(x, axis=1)`"},
      {"indices", "where the largest lies is `argmax(x, axis=1)`"},
      {"t", "the matrix turned around is `x.T`"},
      {"unbind", "`split(x, n, axis=...)` makes equal parts"},
      {"zero_", kStatic},
  };
  auto it = names.find(name);
  const bool inPlace = it == names.end() && name.size() > 1 && name.back() == '_';
  if (inPlace) it = names.find(name.substr(0, name.size() - 1));
  return it == names.end() ? std::string_view() : it->second;
}

std::string_view keywordInstead(std::string_view keyword) {
  static constexpr std::string_view kPlace = "where tensors lie is not said: leave it out";
  static constexpr std::string_view kGradient = "a derivative is asked for by `grad(f, wrt=\"x\")`: leave it out";
  static constexpr std::string_view kValue = "values do not change, and each result is a new one: leave it out";
  static const std::map<std::string_view, std::string_view> keywords = {
      {"copy", kValue},          {"device", kPlace},           {"inplace", kValue},         {"layout", kPlace},
      {"memory_format", kPlace}, {"non_blocking", kPlace},     {"order", kPlace},           {"out", kValue},
      {"pin_memory", kPlace},    {"requires_grad", kGradient}, {"retain_graph", kGradient}, {"sharding", kPlace},
  };
  auto it = keywords.find(keyword);
  return it == keywords.end() ? std::string_view() : it->second;
}

std::string_view decoratorHere(std::string_view name) {
  static const std::map<std::string_view, std::string_view> names = {
      {"autotune", "kernel.autotune"},
      {"cuda.jit", "kernel"},
      {"jax.jit", "jit"},
      {"njit", "jit"},
      {"np.vectorize", "jit"},
      {"pytest.mark.test", "test"},
      {"unittest", "test"},
      {"numba.cuda.jit", "kernel"},
      {"numba.jit", "jit"},
      {"numba.njit", "jit"},
      {"numpy.vectorize", "jit"},
      {"schedule", "kernel.schedule"},
      {"torch.compile", "jit"},
      {"torch.jit.script", "jit"},
      {"triton.autotune", "kernel.autotune"},
      {"triton.jit", "kernel"},
  };
  auto it = names.find(name);
  return it == names.end() ? std::string_view() : it->second;
}

std::string_view fieldHere(std::string_view field) {
  static const std::map<std::string_view, std::string_view> names = {
      {"BLOCK_M", "m"},       {"BLOCK_N", "n"},         {"BLOCK_K", "k"},       {"BLOCK_SIZE_M", "m"},
      {"BLOCK_SIZE_N", "n"},  {"BLOCK_SIZE_K", "k"},    {"block_m", "m"},       {"block_n", "n"},
      {"block_k", "k"},       {"GROUP_M", "group_m"},   {"SPLIT_K", "split_k"}, {"GROUP_SIZE_M", "group_m"},
      {"num_warps", "warps"}, {"num_stages", "stages"},
  };
  auto it = names.find(field);
  return it == names.end() ? std::string_view() : it->second;
}

std::string_view optionHere(std::string_view option) {
  static const std::map<std::string_view, std::string_view> names = {
      {"block_size", "group"},  {"blocks", "grid"},   {"grid_size", "grid"},  {"num_blocks", "grid"},
      {"num_threads", "group"}, {"threads", "group"}, {"workgroup", "group"},
  };
  auto it = names.find(option);
  return it == names.end() ? std::string_view() : it->second;
}

std::string_view tileNameHere(std::string_view name) {
  static const std::map<std::string_view, std::string_view> names = {
      {"__syncthreads", "barrier"},
      {"block_id", "group_id"},
      {"debug_barrier", "barrier"},
      {"async_copy", "cp_async"},
      {"block_dim", "group_size"},
      {"block_idx", "group_id"},
      {"fence", "barrier"},
      {"get_global_id", "linear_id"},
      {"get_group_id", "group_id"},
      {"get_local_id", "local_id"},
      {"global_id", "linear_id"},
      {"grid_dim", "group_count"},
      {"num_threads", "group_size"},
      {"reduce_max", "max"},
      {"reduce_sum", "sum"},
      {"shared_alloc", "alloc_shared"},
      {"shared_zeros", "alloc_shared"},
      {"thread_idx", "local_id"},
      {"warp_reduce", "reduce_warp"},
      {"warp_sum", "reduce_warp"},
      {"warp_reduce_sum", "reduce_warp"},
      {"smem", "alloc_shared"},
      {"zeros_shared", "alloc_shared"},
      {"num_programs", "group_count"},
      {"program_id", "group_id"},
      {"shared", "alloc_shared"},
      {"shared_memory", "alloc_shared"},
      {"sync", "barrier"},
      {"sync_threads", "barrier"},
      {"syncthreads", "barrier"},
      {"thread_id", "local_id"},
      {"trans", "transpose"},
      {"ravel", "reshape"},
      {"view", "reshape"},
      {"cat", "concat"},
      {"expand_dims", "unsqueeze"},
      {"broadcast_to", "broadcast"},
      {"permute", "transpose"},
      {"wait", "barrier"},
  };
  auto it = names.find(name);
  return it == names.end() ? std::string_view() : it->second;
}

const Foreign *foreignName(std::string_view name) {
  static constexpr std::string_view kLanes = "`tile.linear_id()` counts the lanes of all groups, "
                                             "`tile.local_id()` those of one, `tile.group_id(0)` the groups";
  static constexpr std::string_view kTiles =
      "a tile is a slice at `m, n = tile.origin()` of the size of `T = tile.context()`: `x[m:m + T.m, n:n + T.n]`; "
      "what is done with tiles are functions of `tile`";
  static constexpr std::string_view kShuffle =
      "what another lane of the warp has is `tile.shuffle(x, lane)`, or `tile.shuffle_xor(x, mask)` where numbers differ in "
      "these bits; a sum over the warp is `tile.reduce_warp(x)`";
  static constexpr std::string_view kPrefix =
      "functions such as `exp` and types such as `Tensor[N, f32]` are there without a prefix";
  static const std::map<std::string_view, Foreign> names = {
      {"true", {"True", "truth values are `True` and `False`"}},
      {"false", {"False", "truth values are `True` and `False`"}},
      {"none", {"None", "nothing is called `None`"}},
      {"filter", {"", "a comprehension keeps some items: `[x for x in xs if c]`"}},
      {"type", {"", "`isinstance(x, f32)` asks what a value is; `x.dtype` is the dtype of a tensor"}},
      {"null", {"None", "nothing is called `None`"}},
      {"NULL", {"None", "nothing is called `None`"}},
      {"nullptr", {"None", "nothing is called `None`"}},
      {"nil", {"None", "nothing is called `None`"}},
      {"ts", {"", "import it: `import tessera as ts`"}},
      {"tessera", {"", "import it: `import tessera`"}},
      {"input", {"", "a program reads `.npy` files, `load_npy(path)`, and nothing from the keyboard"}},
      {"open",
       {"", "a program reads and writes files whole: `load_npy(path)`, `save_npy(path, x)`, `read_bytes(path)`, "
            "`write_bytes(path, encode(text))`"}},
      {"world_size", {"", "how many devices there are along an axis of the mesh is `axis_size(\"dp\")`"}},
      {"dist", {"", "collectives have no prefix, and name an axis of the mesh: `all_reduce(x, \"dp\")`"}},
      {"effects", {"", "effects are suspended for a block: `with effects.suspend(\"io\"):`"}},
      {"accum", {"", "a policy stands behind the dtype: `bf16 @accum(f32)`"}},
      {"no_grad", {"", kNoGradient}},
      {"super", {"", "a struct inherits nothing, and is made by naming its fields: leave it out"}},
      {"normal", {"", kRandomNumbers}},
      {"uniform", {"", kRandomNumbers}},
      {"randn", {"", kRandomNumbers}},
      {"array", {"tensor", "`tensor` makes one of numbers"}},
      {"threadIdx", {"", kLanes, true}},
      {"blockIdx", {"", kLanes, true}},
      {"blockDim", {"", kLanes, true}},
      {"gridDim", {"", kLanes, true}},
      {"thread_idx", {"", kLanes, true}},
      {"block_idx", {"", kLanes, true}},
      {"block_dim", {"", kLanes, true}},
      {"grid_dim", {"", kLanes, true}},
      {"__syncthreads", {"tile.barrier", "lanes of a group wait for each other at `tile.barrier()`"}},
      {"syncthreads", {"tile.barrier", "lanes of a group wait for each other at `tile.barrier()`"}},
      {"__shared__", {"", "memory of a group is `tile.alloc_shared(shape, dtype)`"}},
      {"atomicAdd", {"", "`tile.atomic_add(x[i], value)` updates memory in one step; a sum over lanes is `tile.sum`"}},
      {"shfl", {"", kShuffle}},
      {"shfl_down", {"", kShuffle}},
      {"shfl_down_sync", {"", kShuffle}},
      {"shfl_sync", {"", kShuffle}},
      {"shfl_up", {"", kShuffle}},
      {"shfl_xor", {"", kShuffle}},
      {"__shfl_down_sync", {"", kShuffle}},
      {"__shfl_sync", {"", kShuffle}},
      {"__shfl_xor_sync", {"", kShuffle}},
      {"__expf", {"exp", kPrefix}},
      {"__logf", {"log", kPrefix}},
      {"fabs", {"abs", kPrefix}},
      {"fabsf", {"abs", kPrefix}},
      {"fmaxf", {"maximum", kPrefix}},
      {"fminf", {"minimum", kPrefix}},
      {"fmax", {"maximum", kPrefix}},
      {"fmin", {"minimum", kPrefix}},
      {"logf", {"log", kPrefix}},
      {"powf", {"pow", kPrefix}},
      {"sqrtf", {"sqrt", kPrefix}},
      {"rsqrtf", {"rsqrt", kPrefix}},
      {"tanhf", {"tanh", kPrefix}},
      {"warpSize", {"32", "a warp has 32 lanes on every machine; `tile.lane_id()` counts those of one"}},
      {"Optional", {"", "what may be missing has the type `Tensor[N, f32] | None`"}},
      {"Union", {"", "what may be missing has the type `Tensor[N, f32] | None`"}},
      {"List", {"", "several values are a tuple, `(Tensor[N, f32], Tensor[N, f32])`, or a list, `list[...]`"}},
      {"jax", {"", kPrefix, true}},
      {"lax", {"", kPrefix, true}},
      {"scipy", {"", kPrefix, true}},
      {"tf", {"", kPrefix, true}},
      {"pl", {"", kTiles, true}},
      {"pltpu", {"", kTiles, true}},
      {"cuda", {"", kLanes, true}},
      {"cp", {"", kPrefix, true}},
      {"tl", {"", kTiles, true}},
      {"triton", {"", kTiles, true}},
      {"np", {"", kPrefix, true}},
      {"numpy", {"", kPrefix, true}},
      {"jnp", {"", kPrefix, true}},
      {"torch", {"", kPrefix, true}},
      {"math", {"", kPrefix, true}},
      {"F", {"", kPrefix, true}},
      {"nn", {"", kPrefix, true}},
  };
  auto it = names.find(name);
  return it == names.end() ? nullptr : &it->second;
}

const Foreign *foreignModule(std::string_view name) {
  static constexpr std::string_view kOption =
      "what changes from run to run is a parameter of `main`: `def main(steps: int = 100)` and `--arg steps=200`";
  static constexpr std::string_view kFiles =
      "a program reads and writes files whole: `load_npy(path)`, `save_npy(path, x)`, `read_bytes(path)`";
  static constexpr std::string_view kLines = "a line is written by `print(f\"loss {value:.3f}\")`";
  static constexpr std::string_view kTraining = "a step of training is a function: `value, dw = value_and_grad(loss, "
                                                "wrt=\"w\")(w, x)`, and `w - rate * dw`: leave it out";
  static constexpr std::string_view kLoops = "a loop is written `for i in range(n):`, or `for a, b in zip(xs, ys):`";
  static const std::map<std::string_view, Foreign> modules = {
      {"time", {"", "the seconds of a clock are `perf_counter()`"}},
      {"random", {"", kRandomNumbers}},
      {"os", {"", kFiles}},
      {"pathlib", {"", kFiles}},
      {"json", {"", kFiles}},
      {"pickle", {"", kFiles}},
      {"pd", {"", kFiles}},
      {"sys", {"", kOption}},
      {"argparse", {"", kOption}},
      {"logging", {"", kLines}},
      {"plt", {"", "nothing is drawn here: `save_npy(path, x)` writes a file that other programs draw"}},
      {"itertools", {"", kLoops}},
      {"functools", {"", "`partial(f, x)` is there without a prefix; a sum over items is a loop"}},
      {"optimizer", {"", kTraining}},
      {"optimiser", {"", kTraining}},
      {"optim", {"", kTraining}},
      {"scheduler", {"", "a rate is a number: `rate = cosine_rate(step, steps, 0.1)`"}},
      {"model", {"", "a model is a `struct` that a function takes: `def loss(model: Model, x: Tensor[B, D, f32])`"}},
      {"optax", {"", "a step of training is a function: `value_and_grad(loss, wrt=\"w\")(x, w)`, and `w - lr * dw`"}},
  };
  auto it = modules.find(name);
  return it == modules.end() ? nullptr : &it->second;
}

std::string_view sizeHere(std::string_view name) {
  static constexpr std::string_view kAxes[] = {"m", "n", "k"};
  static constexpr std::string_view kWords[] = {"B", "BLOCK", "BLOCK_", "BLOCK_SIZE_", "TILE_"};
  auto lower = [](std::string_view text) {
    std::string out(text);
    for (char &c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
  };
  static constexpr std::string_view kWhole[] = {"block", "block_size", "blocksize", "tile_size", "tilesize"};  // of one axis
  std::string shown = lower(name);
  if (std::find(std::begin(kWhole), std::end(kWhole), shown) != std::end(kWhole)) return kAxes[0];
  for (std::string_view word : kWords)
    for (std::string_view axis : kAxes)
      if (shown == lower(word) + std::string(axis)) return axis;
  return {};
}

const Foreign *foreignSize(std::string_view name) {
  static constexpr Foreign kSize = {
      "", "the sizes of tiles are those of the schedule: `T = tile.context()`, then `T.m`, `T.n` and `T.k`", true};
  return sizeHere(name).empty() ? nullptr : &kSize;
}

bool foreignPackage(std::string_view name) {
  static const std::set<std::string_view> packages = {
      "numpy",      "torch", "math",   "jax.numpy",       "cupy", "torch.nn", "torch.nn.functional",
      "tensorflow", "cmath", "triton", "triton.language", "jax",  "numba"};
  return packages.count(name) != 0;
}

}  // namespace tessera::sema
