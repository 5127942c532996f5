#include "sema/advice/Recipes.h"
#include "sema/Builtins.h"
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
    {"subtract.outer", 2, "$1[:, None] - $2"},
    {"add.outer", 2, "$1[:, None] + $2"},
    {"multiply.outer", 2, "$1[:, None] * $2"},
    {"true_divide", 2, "$1 / $2"},
    {"equal", 2, "$1 == $2"},
    {"not_equal", 2, "$1 != $2"},
    {"greater_equal", 2, "$1 >= $2"},
    {"less_equal", 2, "$1 <= $2"},
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

/// What the function here calls an argument; empty if it has none of that name, or of what others call so.
std::string argumentOf(std::string_view function, std::string_view keyword) {
  const BuiltinRow *row = builtinByName(function, 'P');
  std::string_view ours = nameHere(keyword);
  if (keyword.empty()) return "";
  if (!row) {
    std::string_view argument = argumentHere(keyword);
    return std::string(!argument.empty() ? argument : !ours.empty() ? ours : keyword);
  }
  auto takes = [&](std::string_view name) {
    for (size_t at = row->signature.find(name); at != std::string_view::npos; at = row->signature.find(name, at + 1)) {
      const size_t end = at + name.size();
      bool whole = (at == 0 || row->signature[at - 1] == ' ') &&
                   (end == row->signature.size() || row->signature[end] == ',' || row->signature[end] == '=');
      if (whole) return true;
    }
    return false;
  };
  for (std::string_view name : {keyword, argumentHere(keyword), ours})
    if (!name.empty() && takes(name)) return std::string(name);
  return "";
}

}  // namespace

std::string_view constantHere(std::string_view name) {
  static const std::map<std::string_view, std::string_view> names = {
      {"newaxis", "None"},       {"inf", "INF"}, {"Inf", "INF"}, {"infty", "INF"}, {"pi", "3.141592653589793"},
      {"e", "2.718281828459045"}};
  auto it = names.find(name);
  return it == names.end() ? std::string_view() : it->second;
}

/// `np.vstack([a, b])` joins along axis 0; -1 of what joins nothing.
static int axisOfJoin(std::string_view name) {
  static const std::map<std::string_view, int> joins = {
      {"vstack", 0}, {"row_stack", 0}, {"hstack", 1}, {"column_stack", 1}, {"dstack", 2}};
  auto it = joins.find(name);
  return it == joins.end() ? -1 : it->second;
}

std::string callHere(std::string_view name, std::vector<WrittenArgument> arguments, const std::string &prefix) {
  if (int axis = axisOfJoin(name); axis >= 0 && arguments.size() == 1) {
    name = "concat";
    arguments.push_back({"axis", std::to_string(axis), true});
  }
  bool plain =
      std::all_of(arguments.begin(), arguments.end(), [](const WrittenArgument &a) { return a.keyword.empty(); });
  for (const Recipe &recipe : kRecipes)
    if (plain && recipe.name == name && recipe.arguments == arguments.size()) return filled(recipe.text, arguments);
  std::string_view named = nameHere(name), ours = named.empty() ? name : named;
  std::string shown;
  bool byPlace = true;  // `clip(x, a_min=0.0, a_max=1.0)`: a name that nothing here has is left out
  for (WrittenArgument &argument : arguments) {
    bool list = argument.text.size() > 2 && argument.text.front() == '[' && argument.text.back() == ']';
    if (&argument == &arguments.front() && list && takesEach(ours))
      argument.text = argument.text.substr(1, argument.text.size() - 2);
    const std::string keyword = argumentOf(ours, argument.keyword);
    byPlace &= argument.keyword.empty() || keyword.empty();
    if (!argument.keyword.empty() && !byPlace)
      argument.text = (keyword.empty() ? argument.keyword : keyword) + "=" + argument.text;
    shown += (shown.empty() ? "" : ", ") + argument.text;
  }
  return prefix + std::string(ours) + "(" + shown + ")";
}

}  // namespace tessera::sema
