#include "sema/advice/Recipes.h"
#include "sema/advice/Foreign.h"
#include <algorithm>
#include <map>
#include <set>

namespace tessera::sema {
namespace {

/// `$1` is the first argument, put into parentheses where it needs them.
struct Recipe {
  std::string_view name;
  size_t arguments;
  std::string_view text;
};
constexpr Recipe kRecipes[] = {
    {"clip", 3, "minimum(maximum($1, $2), $3)"},
    {"clamp", 3, "minimum(maximum($1, $2), $3)"},
    {"square", 1, "$1**2"},
    {"reciprocal", 1, "1.0 / $1"},
    {"negative", 1, "-$1"},
    {"add", 2, "$1 + $2"},
    {"subtract", 2, "$1 - $2"},
    {"multiply", 2, "$1 * $2"},
    {"mul", 2, "$1 * $2"},
    {"divide", 2, "$1 / $2"},
    {"logical_and", 2, "$1 & $2"},
    {"logical_or", 2, "$1 | $2"},
    {"logical_not", 1, "~$1"},
    {"greater", 2, "$1 > $2"},
    {"less", 2, "$1 < $2"},
    {"zeros_like", 1, "zeros($1.shape, $1.dtype)"},
    {"ones_like", 1, "ones($1.shape, $1.dtype)"},
    {"full_like", 2, "full($1.shape, $2, $1.dtype)"},
    {"outer", 2, "$1[:, None] * $2"},
    {"linear", 2, "$1 @ $2.T"},
    {"linear", 3, "$1 @ $2.T + $3"},
    {"addmm", 3, "$1 + $2 @ $3"},
    {"mse_loss", 2, "mse($1, $2)"},
    {"cross_entropy", 2, "-mean(gather(log_softmax_safe($1), $2.unsqueeze(1), 1))"},
    {"fliplr", 1, "flip($1, 1)"},
    {"flipud", 1, "flip($1, 0)"},
    {"layer_norm", 2, "layernorm_safe($1)"},
    {"normal", 2, "$1.normal($2)"},
    {"uniform", 2, "$1.uniform($2)"},
    {"bernoulli", 3, "$1.bernoulli($2, $3)"},
    {"split", 1, "$1.split()"},
    {"atomicAdd", 3, "tile.atomic_add($1[$2], $3)"},
    {"atomicAdd", 2, "tile.atomic_add($1, $2)"},
    {"masked_fill", 3, "where($2, $3, $1)"},
};

std::string filled(std::string_view text, const std::vector<WrittenArgument> &arguments) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    size_t index = static_cast<size_t>(text[++i] - '1');
    bool alone = i > 1 && text[i - 2] == '(' && i + 1 < text.size() && text[i + 1] == ')';
    const WrittenArgument &argument = arguments[index];
    out += argument.primary || alone ? argument.text : "(" + argument.text + ")";
  }
  return out;
}

/// "[a, b]" without its brackets, where a function here takes one argument each.
bool takesEach(std::string_view name) { return name == "concat" || name == "stack"; }

}  // namespace

std::string_view constantHere(std::string_view name) {
  static const std::map<std::string_view, std::string_view> names = {
      {"newaxis", "None"}, {"inf", "INF"}, {"Inf", "INF"}, {"infty", "INF"}, {"pi", "3.141592653589793"}, {"e", "2.718281828459045"}};
  auto it = names.find(name);
  return it == names.end() ? std::string_view() : it->second;
}

/// `np.vstack([a, b])` joins along axis 0; -1 of what joins nothing.
static int axisOfJoin(std::string_view name) {
  static const std::map<std::string_view, int> joins = {{"vstack", 0}, {"row_stack", 0}, {"hstack", 1}, {"column_stack", 1}, {"dstack", 2}};
  auto it = joins.find(name);
  return it == joins.end() ? -1 : it->second;
}

std::string callHere(std::string_view name, std::vector<WrittenArgument> arguments, const std::string &prefix) {
  if (int axis = axisOfJoin(name); axis >= 0 && arguments.size() == 1) {
    name = "concat";
    arguments.push_back({"axis", std::to_string(axis), true});
  }
  bool plain = std::all_of(arguments.begin(), arguments.end(), [](const WrittenArgument &a) { return a.keyword.empty(); });
  for (const Recipe &recipe : kRecipes)
    if (plain && recipe.name == name && recipe.arguments == arguments.size()) return filled(recipe.text, arguments);
  std::string_view named = nameHere(name), ours = named.empty() ? name : named;
  std::string shown;
  for (WrittenArgument &argument : arguments) {
    bool list = argument.text.size() > 2 && argument.text.front() == '[' && argument.text.back() == ']';
    if (&argument == &arguments.front() && list && takesEach(ours)) argument.text = argument.text.substr(1, argument.text.size() - 2);
    std::string_view keyword = nameHere(argument.keyword);
    if (!argument.keyword.empty()) argument.text = std::string(keyword.empty() ? argument.keyword : keyword) + "=" + argument.text;
    shown += (shown.empty() ? "" : ", ") + argument.text;
  }
  return prefix + std::string(ours) + "(" + shown + ")";
}

std::string_view wordsInstead(std::string_view name) {
  static constexpr std::string_view kBatch =
      "`vmap(f)` maps `f` over an axis that its arguments have; operators broadcast over a batch by themselves";
  static constexpr std::string_view kLoop = "a loop is written `for i in range(n):`, and changes names that it finds";
  static constexpr std::string_view kLayer =
      "a layer is a function of its weights, `x @ w + b`; a `struct` holds the weights of a model";
  static constexpr std::string_view kStep =
      "a step of training is a function: `value_and_grad(loss, wrt=\"w\")(x, w)`, and `w - lr * dw`";
  static constexpr std::string_view kGradient = "`stop_gradient(x)` is `x`, and constant for a derivative; else nothing is needed";
  static constexpr std::string_view kAtomic =
      "`tile.atomic_add(x[i], value)` updates memory in one step; a sum over lanes is `tile.sum`";
  static constexpr std::string_view kLoad = "a tile is a slice, `v = x[n:n + T.m]`; what lies outside of the tensor reads as 0";
  static constexpr std::string_view kStore = "a tile is stored by a slice: `y[n:n + T.m] = v`; what lies outside is not written";
  static constexpr std::string_view kGather = "`take(x, i)` takes rows, and `gather(x, i, axis)` an element of each row";
  static constexpr std::string_view kAxis = "`x.reshape(...)`, `x.transpose(a, b)` and `einsum` put axes in order";
  static const std::map<std::string_view, std::string_view> words = {
      {"vmap", kBatch},
      {"pmap", kBatch},
      {"fori_loop", kLoop},
      {"scan", kLoop},
      {"while_loop", kLoop},
      {"cond", "a choice is written `a if c else b`, or `if c:`"},
      {"select", "`where(condition, a, b)` chooses for each element"},
      {"normal", kRandomNumbers},
      {"uniform", kRandomNumbers},
      {"PRNGKey", kRandomNumbers},
      {"manual_seed", kRandomNumbers},
      {"rand", kRandomNumbers},
      {"randn", kRandomNumbers},
      {"randint", kRandomNumbers},
      {"seed", kRandomNumbers},
      {"Linear", kLayer},
      {"Conv2d", kLayer},
      {"LayerNorm", kLayer},
      {"Embedding", kLayer},
      {"Parameter", kLayer},
      {"Sequential", kLayer},
      {"Module", kLayer},
      {"Adam", kStep},
      {"AdamW", kStep},
      {"SGD", kStep},
      {"no_grad", kGradient},
      {"inference_mode", kGradient},
      {"atomic_add", kAtomic},
      {"atomicAdd", kAtomic},
      {"load", kLoad},
      {"store", kStore},
      {"cdiv", "it has no prefix: `cdiv(n, b)`"},
      {"array", "a tensor is made by `zeros`, `full`, `arange`, or is a parameter: `x: Tensor[N, f32]`"},
      {"tensor", "a tensor is made by `zeros`, `full`, `arange`, or is a parameter: `x: Tensor[N, f32]`"},
      {"Tensor", "a type says its sizes and its dtype: `Tensor[\"N\", f32]`"},
      {"ndarray", "a type says its sizes and its dtype: `Tensor[\"N\", f32]`"},
      {"index_select", kGather},
      {"rearrange", kAxis},
      {"interpolate", "`upsample_nearest(x, 2)` repeats each element along both axes of an image"},
      {"Upsample", "`upsample_nearest(x, 2)` repeats each element along both axes of an image"},
      {"BatchNorm2d", "`batch_norm(x, scale, shift)` and its like are functions of their weights"},
      {"MultiheadAttention", "`flash_attention(q, k, v, causal=True)` takes `[B, H, S, D]`"},
      {"MaxPool2d", "`max_pool(x, window=2)` is a function"},
      {"AvgPool2d", "`avg_pool(x, window=2)` is a function"},
      {"Dropout", "`dropout(x, 0.1, rng=rng)` is a function"},
      {"LSTM", "`lstm(x, h, c, w, u, b)` is a function of its state and weights"},
      {"GRU", "`gru(x, h, w, u, b, b_h)` is a function of its state and weights"},
      {"ReLU", "`relu(x)` is a function"},
      {"GELU", "`gelu(x)` is a function"},
      {"Softmax", "`softmax_safe(x, axis=-1)` is a function"},
      {"Flatten", "`x.flatten(1)` keeps the first axis"},
      {"as_tensor", "a list of numbers is made a tensor by `tensor([1.0, 2.0])`"},
      {"from_numpy", "arrays come from files, `load_npy(path)`, or are arguments"},
      {"multinomial", "`categorical(logits, rng)` draws classes"},
      {"choice", "`categorical(logits, rng)` draws classes, and `permutation(n, rng)` an order"},
      {"shuffle", "`permutation(n, rng)` draws an order, and `take(x, order)` puts rows into it"},
      {"randn_like", kRandomNumbers},
      {"rand_like", kRandomNumbers},
      {"default_rng", "a stream is made of a seed in host code: `rng = Rng(0)`"},
      {"DataLoader", "host code reads files: `load_npy(path)`"},
  };
  auto it = words.find(name);
  return it == words.end() ? std::string_view() : it->second;
}

}  // namespace tessera::sema
