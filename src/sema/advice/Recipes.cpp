#include "sema/advice/Recipes.h"
#include "sema/Builtins.h"
#include "sema/advice/Foreign.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace tessera::sema {
namespace {

/// `$1` is the first argument, put into parentheses where it needs them.
struct Recipe {
  std::string_view name;
  size_t arguments;
  std::string_view text;
};
constexpr Recipe kRecipes[] = {
    {"square", 1, "$1**2"},
    {"angle", 2, "atan2($2, $1)"},
    {"reciprocal", 1, "1.0 / $1"},
    {"negative", 1, "-$1"},
    {"add", 2, "$1 + $2"},
    {"bitwise_and", 2, "$1 & $2"},
    {"bitwise_or", 2, "$1 | $2"},
    {"bitwise_xor", 2, "$1 ^ $2"},
    {"bitwise_not", 1, "~$1"},
    {"invert", 1, "~$1"},
    {"logical_xor", 2, "$1 != $2"},
    {"left_shift", 2, "$1 << $2"},
    {"right_shift", 2, "$1 >> $2"},
    {"bitwise_left_shift", 2, "$1 << $2"},
    {"bitwise_right_shift", 2, "$1 >> $2"},
    {"shift_left", 2, "$1 << $2"},
    {"shift_right_arithmetic", 2, "$1 >> $2"},
    {"shift_right_logical", 2, "$1 >> $2"},
    {"positive", 1, "$1"},
    {"jit", 1, "$1"},
    {"compile", 1, "$1"},
    {"device_put", 1, "$1"},
    {"block_until_ready", 1, "$1"},
    {"ascontiguousarray", 1, "$1"},
    {"rem", 2, "$1 % $2"},
    {"mod", 2, "$1 % $2"},
    {"rev", 2, "flip($1, $2)"},
    {"cbrt", 1, "sign($1) * pow(abs($1), 1.0 / 3.0)"},
    {"cbrtf", 1, "sign($1) * pow(abs($1), 1.0 / 3.0)"},
    {"copysign", 2, "where($2 < 0.0, -abs($1), abs($1))"},
    {"copysignf", 2, "where($2 < 0.0, -abs($1), abs($1))"},
    {"signbit", 1, "$1 < 0.0"},
    {"isneginf", 1, "$1 == -INF"},
    {"isposinf", 1, "$1 == INF"},
    {"heaviside", 2, "where($1 == 0.0, $2, where($1 > 0.0, 1.0, 0.0))"},
    {"frac", 1, "$1 - trunc($1)"},
    {"ldexp", 2, "$1 * exp2($2)"},
    {"logaddexp2", 2, "log2(exp2($1) + exp2($2))"},
    {"float_power", 2, "pow($1, $2)"},
    {"integer_pow", 2, "$1 ** $2"},
    {"xlogy", 2, "where($1 == 0.0, 0.0, $1 * log($2))"},
    {"dist", 2, "norm($1 - $2)"},
    {"vdot", 2, "sum($1 * $2)"},
    {"vecdot", 2, "sum($1 * $2, axis=-1)"},
    {"mv", 2, "$1 @ $2"},
    {"ger", 2, "$1[:, None] * $2"},
    {"addmv", 3, "$1 + $2 @ $3"},
    {"addbmm", 3, "$1 + sum($2 @ $3, axis=0)"},
    {"addr", 3, "$1 + $2[:, None] * $3"},
    {"addcdiv", 3, "$1 + $2 / $3"},
    {"matrix_transpose", 1, "transpose($1, -2, -1)"},
    {"t", 1, "$1.T"},
    {"tri", 1, "tril(ones(($1, $1)))"},
    {"msort", 1, "sort($1, axis=0)"},
    {"ndim", 1, "$1.ndim"},
    {"ndimension", 1, "$1.ndim"},
    {"shape", 1, "$1.shape"},
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
    {"layer_norm", 3, "layernorm_safe($1, $2, $3)"},
    {"layer_norm", 4, "layernorm_safe($1, $2, $3, eps=$4)"},
    {"normal", 2, "$1.normal($2)"},
    {"uniform", 2, "$1.uniform($2)"},
    {"bernoulli", 3, "$1.bernoulli($2, $3)"},
    {"split", 1, "$1.split()"},
    {"atomicAdd", 3, "tile.atomic_add($1[$2], $3)"},
    {"atomicAdd", 2, "tile.atomic_add($1, $2)"},
    {"masked_fill", 3, "where($2, $3, $1)"},
    {"index_select", 3, "take($1, $3, axis=$2)"},
    {"clamp_min", 2, "maximum($1, $2)"},
    {"clamp_max", 2, "minimum($1, $2)"},
    {"bucketize", 2, "searchsorted($2, $1)"},
    {"digitize", 2, "searchsorted($2, $1, right=True)"},
    {"histc", 4, "histogram($1, $3, $4, $2)"},
    {"inner", 2, "sum($1 * $2)"},
    {"next_multiple", 2, "cdiv($1, $2) * $2"},
    {"floor_divide", 2, "floor($1 / $2)"},
    {"embedding_lookup", 2, "embedding($2, $1)"},
    {"batch_norm", 5, "batch_norm_inference($1, $4, $5, $2, $3)"},
    {"sub", 2, "$1 - $2"},
    {"div", 2, "$1 / $2"},
    {"neg", 1, "-$1"},
    {"eq", 2, "$1 == $2"},
    {"ne", 2, "$1 != $2"},
    {"gt", 2, "$1 > $2"},
    {"lt", 2, "$1 < $2"},
    {"ge", 2, "$1 >= $2"},
    {"le", 2, "$1 <= $2"},
    {"tile", 2, "tile_repeat($1, $2, -1)"},
    {"repeat", 2, "repeat($1, $2, 0)"},
    {"repeat_interleave", 2, "repeat($1, $2, 0)"},
    {"__float_as_int", 1, "bitcast($1, i32)"},
    {"__float_as_uint", 1, "bitcast($1, u32)"},
    {"__int_as_float", 1, "bitcast($1, f32)"},
    {"__uint_as_float", 1, "bitcast($1, f32)"},
    {"float_as_int", 1, "bitcast($1, i32)"},
    {"int_as_float", 1, "bitcast($1, f32)"},
    {"type_as", 2, "$1.astype($2.dtype)"},
    {"view_as", 2, "$1.reshape(*$2.shape)"},
    {"reshape_as", 2, "$1.reshape(*$2.shape)"},
    {"expand_as", 2, "broadcast_to($1, $2.shape)"},
    {"addcmul", 3, "$1 + $2 * $3"},
    {"baddbmm", 3, "$1 + $2 @ $3"},
};

std::string filled(std::string_view text, const std::vector<WrittenArgument> &arguments) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    size_t index = static_cast<size_t>(text[++i] - '1');
    const std::string_view before = text.substr(0, i - 1);  // an argument of its own needs no parentheses
    bool alone = (before.ends_with('(') || before.ends_with(", ")) && i + 1 < text.size() &&
                 (text[i + 1] == ')' || text[i + 1] == ',') && text.find('[') == std::string_view::npos;
    const WrittenArgument &argument = arguments[index];
    out += argument.primary || alone ? argument.text : "(" + argument.text + ")";
  }
  return out;
}

/// "[a, b]" without its brackets, where a function here takes one argument each.
bool takesEach(std::string_view name) { return name == "concat" || name == "stack"; }

bool takes(const BuiltinRow &row, std::string_view name) {
  for (size_t at = row.signature.find(name); at != std::string_view::npos; at = row.signature.find(name, at + 1)) {
    const size_t end = at + name.size();
    bool whole = (at == 0 || row.signature[at - 1] == ' ') &&
                 (end == row.signature.size() || row.signature[end] == ',' || row.signature[end] == '=');
    if (whole) return true;
  }
  return false;
}

/// What the function here may call an argument, the likeliest first: of a function of the library, whose arguments are not
/// known here, each of our names and its own. Empty if it has none of these.
std::vector<std::string_view> namesOfArgument(std::string_view function, std::string_view keyword) {
  const BuiltinRow *row = builtinByName(function, 'P');
  std::vector<std::string_view> names = argumentsHere(keyword);
  names.insert(row ? names.begin() : names.end(), keyword);
  if (row) std::erase_if(names, [&](std::string_view name) { return !takes(*row, name); });
  if (row && names.size() > 1) names.resize(1);
  return names;
}

}  // namespace

std::string formulaInWords(std::string_view name) {
  const std::vector<WrittenArgument> letters = {{"", "a"}, {"", "b"}, {"", "c"}, {"", "d"}, {"", "e"}};
  for (const Recipe &recipe : kRecipes) {
    if (recipe.name != name) continue;
    std::string given;
    for (size_t i = 0; i < recipe.arguments; ++i) given += (i == 0 ? "" : ", ") + letters[i].text;
    return "`" + std::string(name) + "(" + given + ")` is written `" + filled(recipe.text, letters) + "`";
  }
  return "";
}

std::string_view constantHere(std::string_view name) {
  static const std::map<std::string_view, std::string_view> names = {
      {"newaxis", "None"},       {"inf", "INF"}, {"Inf", "INF"}, {"infty", "INF"}, {"pi", "3.141592653589793"},
      {"e", "2.718281828459045"}};
  auto it = names.find(name);
  return it == names.end() ? std::string_view() : it->second;
}

/// How `np.vstack([a, b])` joins matrices, and how vectors; nothing of what joins nothing.
struct Join {
  std::string_view ofMatrices, ofVectors;
};
static std::optional<Join> joinOf(std::string_view name) {
  static const std::map<std::string_view, Join> joins = {{"vstack", {"concat 0", "stack 0"}},
                                                         {"row_stack", {"concat 0", "stack 0"}},
                                                         {"hstack", {"concat 1", "concat 0"}},
                                                         {"column_stack", {"concat 1", "stack 1"}},
                                                         {"dstack", {"concat 2", "stack 2"}}};
  auto it = joins.find(name);
  return it == joins.end() ? std::nullopt : std::optional(it->second);
}

namespace {

/// Of a number that is written out; nothing of anything else.
std::optional<double> numberOf(const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 ? std::optional(value) : std::nullopt;
}

std::string inParentheses(const WrittenArgument &argument) {
  return argument.primary || numberOf(argument.text) ? argument.text : "(" + argument.text + ")";
}

/// How many numbers there are from start to stop in such steps; empty if that is not known.
std::string countOf(const WrittenArgument &start, const WrittenArgument &stop, const WrittenArgument &step) {
  auto first = numberOf(start.text), last = numberOf(stop.text), by = numberOf(step.text);
  constexpr double kRounding = 1e-9;  // 1.0 / 0.1 is not quite 10
  if (first && last && by) {
    const double count = *by == 0.0 ? 0.0 : std::ceil((*last - *first) / *by - kRounding);
    return count < 1 || count > 1e9 ? "" : std::to_string(static_cast<int64_t>(count));
  }
  if (by && *by == -1.0 && last && *last == -1.0) {  // `arange(N - 1, -1, -1)`
    constexpr std::string_view kLess = " - 1";
    return start.text.ends_with(kLess) ? start.text.substr(0, start.text.size() - kLess.size()) : start.text + " + 1";
  }
  if (by && *by == -1.0) return start.text + " - " + inParentheses(stop);
  if (by && (*by < 0.0 || step.text.find_first_of(".e") != std::string::npos)) return "";
  const std::string room = first && *first == 0.0 ? stop.text : stop.text + " - " + inParentheses(start);
  return by && *by == 1.0 ? room : "cdiv(" + room + ", " + step.text + ")";
}

}  // namespace

std::string countedHere(const std::vector<WrittenArgument> &arguments) {
  WrittenArgument bounds[3] = {{"", "0"}, {"", ""}, {"", "1"}};
  std::vector<WrittenArgument> given;
  std::string dtype;
  for (const WrittenArgument &argument : arguments) {
    if (argument.keyword == "start") bounds[0] = argument;
    else if (argument.keyword == "stop" || argument.keyword == "end") bounds[1] = argument;
    else if (argument.keyword == "step") bounds[2] = argument;
    else if (argument.keyword == "dtype") dtype = ", dtype=" + argument.text;
    else if (argument.keyword.empty()) given.push_back(argument);
    else return "";
  }
  if (given.size() > 3) return "";
  if (given.size() == 1) bounds[bounds[1].text.empty() ? 1 : 0] = given[0];
  else std::copy(given.begin(), given.end(), bounds);
  if (bounds[1].text.empty()) return "";
  const auto &[start, stop, step] = bounds;
  const std::string count = countOf(start, stop, step);
  if (count.empty()) return "";
  auto fraction = [](const WrittenArgument &bound) {
    return numberOf(bound.text) && bound.text.find_first_of(".e") != std::string::npos;
  };
  if (dtype.empty() && (fraction(start) || fraction(stop) || fraction(step))) dtype = ", dtype=f32";
  const auto first = numberOf(start.text), by = numberOf(step.text);
  const std::string all = "arange(" + count + dtype + ")";
  if (by && *by == -1.0) return start.text + " - " + all;
  return all + (by && *by == 1.0 ? "" : " * " + inParentheses(step)) +
         (first && *first == 0.0 ? "" : " + " + inParentheses(start));
}

/// `(1,)` and `[1]`
static bool isOneInParentheses(const std::string &shown) {
  const bool list = shown.front() == '[' && shown.back() == ']', tuple = shown.front() == '(' && shown.ends_with(",)");
  return (list || tuple) && shown.find(',') >= shown.size() - 2;
}

/// The call under our name, where each keyword has one of the names that it may have here: the choice with this number.
/// Empty if there are not so many.
static std::string chosenCall(std::string_view ours, const std::vector<WrittenArgument> &arguments, size_t choice) {
  std::string shown;
  bool byPlace = true;  // `clip(x, a_min=0.0, a_max=1.0)`: a name that nothing here has is left out
  for (const WrittenArgument &argument : arguments) {
    std::string text = argument.text;
    bool list = text.size() > 2 && text.front() == '[' && text.back() == ']';
    if (&argument == &arguments.front() && list && takesEach(ours)) text = text.substr(1, text.size() - 2);
    if (!argument.keyword.empty()) {
      const std::vector<std::string_view> names = namesOfArgument(ours, argument.keyword);
      std::string_view whole = argumentWithValue(argument.keyword, text);
      const bool known = builtinByName(ours, 'P') && !names.empty() && names.front() == argument.keyword;
      if (whole.empty() && !known && saysNothing(ours, argument.keyword, text)) continue;
      if (!known && !keywordInstead(argument.keyword).empty()) continue;  // `relu(x, inplace=True)`
      byPlace &= names.empty() && whole.empty();
      const size_t count = std::max<size_t>(names.size(), 1);
      const std::string_view name = names.empty() ? std::string_view(argument.keyword) : names[choice % count];
      if (name == "axis" && isOneInParentheses(text)) text = text.substr(1, text.find_last_not_of(",)] "));
      if (!whole.empty()) text = whole;
      else if (!byPlace) text = std::string(name) + "=" + text;
      if (whole.empty()) choice /= count;
    }
    shown += (shown.empty() ? "" : ", ") + text;
  }
  return choice > 0 ? "" : std::string(ours) + "(" + shown + ")";
}

/// `torch.zeros(N, 3)`: the shape in one tuple.
static std::string madeOf(std::string_view ours, const std::vector<WrittenArgument> &arguments) {
  std::string sizes, rest;
  for (const WrittenArgument &argument : arguments) {
    if (argument.keyword.empty()) sizes += (sizes.empty() ? "" : ", ") + argument.text;
    else if (argument.keyword == "dtype") rest += ", dtype=" + argument.text;
    else if (keywordInstead(argument.keyword).empty()) return "";
  }
  return std::string(ours) + "((" + sizes + ")" + rest + ")";
}

/// `torch.ones_like(x, dtype=torch.float32)`
static std::string likeOther(std::string_view ours, const std::vector<WrittenArgument> &arguments) {
  const WrittenArgument *dtype = nullptr;
  std::vector<WrittenArgument> given;
  for (const WrittenArgument &argument : arguments) {
    if (argument.keyword == "dtype") dtype = &argument;
    else if (argument.keyword.empty() || argument.keyword == "fill_value") given.push_back(argument);
    else if (keywordInstead(argument.keyword).empty()) return "";
  }
  constexpr std::string_view kLike = "_like";
  if (!dtype || !ours.ends_with(kLike) || given.empty()) return "";
  const std::string value = given.size() > 1 ? ", " + given[1].text : "";
  return std::string(ours.substr(0, ours.size() - kLike.size())) + "(" + filled("$1", given) + ".shape" + value + ", " +
         dtype->text + ")";
}

/// `layer_norm(x, (D,), w, b)`: over which axes it goes is not said here.
static void dropNormalisedShape(std::string_view name, std::vector<WrittenArgument> &arguments) {
  if ((name != "layer_norm" && name != "rms_norm") || arguments.size() < 2 || !arguments[1].keyword.empty()) return;
  const std::string &shown = arguments[1].text;
  if (shown.front() == '(' || shown.front() == '[' || shown.find(".shape") != std::string::npos)
    arguments.erase(arguments.begin() + 1);
}

std::vector<std::string> callsHere(std::string_view name, std::vector<WrittenArgument> arguments) {
  dropNormalisedShape(name, arguments);
  if (name == "linear" && arguments.size() == 3 && arguments[2].keyword == "bias") arguments[2].keyword.clear();
  if (auto join = joinOf(name); join && arguments.size() == 1) {
    std::vector<std::string> calls;
    for (std::string_view how : {join->ofMatrices, join->ofVectors}) {
      std::vector<WrittenArgument> joined = arguments;
      joined.push_back({"axis", std::string(how.substr(how.size() - 1)), true});
      calls.push_back(chosenCall(how.substr(0, how.find(' ')), joined, 0));
    }
    return calls;
  }
  bool plain =
      std::all_of(arguments.begin(), arguments.end(), [](const WrittenArgument &a) { return a.keyword.empty(); });
  for (const Recipe &recipe : kRecipes)
    if (plain && recipe.name == name && recipe.arguments == arguments.size()) return {filled(recipe.text, arguments)};
  const bool ofTwo = plain && arguments.size() == 2 && !numberOf(arguments[1].text);  // `torch.max(x, y)`
  if (ofTwo && (name == "max" || name == "min")) return {filled(std::string(name) + "imum($1, $2)", arguments)};
  if ((name == "percentile" || name == "nanpercentile") && arguments.size() >= 2 && arguments[1].keyword.empty()) {
    const auto percent = numberOf(arguments[1].text);  // one up to 1 was hardly meant as percent
    std::ostringstream share;
    if (percent) share << *percent / 100.0;
    if (!percent) arguments[1].text = inParentheses(arguments[1]) + " / 100.0";
    else if (*percent > 1.0) arguments[1].text = share.str();
    return {chosenCall("quantile", arguments, 0)};
  }
  if (name == "arange" && arguments.size() > 1)
    if (std::string counted = countedHere(arguments); !counted.empty()) {
      std::vector<std::string> both = {counted};  // NumPy's integers become floats beside floats
      if (size_t close = counted.find(')'); counted.find("dtype=") == std::string::npos && counted.find('(') == counted.rfind('('))
        both.push_back(counted.substr(0, close) + ", f32" + counted.substr(close));
      return both;
    }
  std::string_view named = nameHere(name), ours = named.empty() ? name : named;
  std::vector<std::string> calls;
  const size_t places = static_cast<size_t>(
      std::count_if(arguments.begin(), arguments.end(), [](const WrittenArgument &a) { return a.keyword.empty(); }));
  if ((ours == "zeros" || ours == "ones") && places > 1)
    if (std::string made = madeOf(ours, arguments); !made.empty()) calls.push_back(std::move(made));
  if (std::string like = likeOther(ours, arguments); !like.empty()) calls.push_back(std::move(like));
  constexpr size_t kMostChoices = 8;
  for (size_t choice = 0; choice < kMostChoices; ++choice) {
    std::string call = chosenCall(ours, arguments, choice);
    if (call.empty()) break;
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace tessera::sema
