// Every operation and every function of the library, as an expression over tensors in f64: what the sweeps go over.
#pragma once
#include "Derivatives.h"
#include "support/Ops.h"
#include <set>

namespace tessera::test {

struct Case {
  std::string name;
  std::string expression;               // over x, and w and i where they are given
  std::string result = "N, M";          // its shape
  double low = -2, high = 2;            // of x; where the expression is smooth
  std::string x = "N, M", w = "N, M";   // shapes; w only if the expression has it
  std::string indices = {};             // the shape of i: whole numbers, of which there are 0, 1 and 2
  bool second = true;
};

inline const std::map<char, int64_t> kSizes = {{'N', 3}, {'M', 5}, {'K', 4}, {'B', 2}, {'V', 7}};

inline std::vector<int64_t> shapeOf(const std::string &text) {
  std::vector<int64_t> shape;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    part.erase(0, part.find_first_not_of(' '));
    shape.push_back(kSizes.count(part[0]) ? kSizes.at(part[0]) : std::stoll(part));
  }
  return shape;
}

inline std::string tensor(const std::string &shape) { return shape.empty() ? "f64" : "Tensor[" + shape + ", f64]"; }

class Sweep : public testing::TestWithParam<Case> {
protected:
  std::mt19937 random{20261122};
  double uniform(double low, double high) { return low + (high - low) * (random() + 0.5) / 4294967296.0; }
  reference::Value values(const std::string &shape, double low, double high) {
    auto value = reference::Value::poison(DType::F64, shapeOf(shape));
    for (double &v : value.floats) v = uniform(low, high);
    return value;
  }
};

inline bool usesWord(const std::string &text, char word) {
  for (size_t i = 0; i < text.size(); ++i) {
    auto letter = [&](size_t at) { return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'); };
    if (text[i] == word && !letter(i + 1) && (i == 0 || !letter(i - 1))) return true;
  }
  return false;
}

inline std::string dimsOf(const std::string &text) {
  std::set<char> dims;
  for (char c : text)
    if (kSizes.count(c)) dims.insert(c);
  std::string list;
  for (char c : dims) list += (list.empty() ? "" : ", ") + std::string(1, c);
  return list.empty() ? "" : "[" + list + "]";
}

inline const Case kOperations[] = {
    {"add", "x + w"}, {"sub", "w - x"}, {"mul", "x * w"}, {"square", "x * x"}, {"div", "x / w", "N, M", 0.5, 2},
    {"floordiv", "x + (w // 0.7)", "N, M", 0.01, 0.6}, {"mod", "x % w", "N, M", 1.1, 1.9},
    {"pow", "pow(x, w)", "N, M", 0.5, 2}, {"pow_number", "x ** 2.5", "N, M", 0.5, 2}, {"cube", "x ** 3"},
    {"min", "minimum(x, w)"}, {"max", "maximum(x, w)"}, {"max_number", "maximum(x, 0.3)"}, {"min_number", "minimum(0.3, x)"},
    {"neg", "-x"}, {"abs", "abs(x)"}, {"exp", "exp(x)"}, {"exp2", "exp2(x)"}, {"log", "log(x)", "N, M", 0.5, 2},
    {"log2", "log2(x)", "N, M", 0.5, 2}, {"sqrt", "sqrt(x)", "N, M", 0.5, 2}, {"rsqrt", "rsqrt(x)", "N, M", 0.5, 2},
    {"tanh", "tanh(x)"}, {"sigmoid", "sigmoid(x)"}, {"erf", "erf(x)"}, {"erfc", "erfc(x)"}, {"sin", "sin(x)"}, {"cos", "cos(x)"},
    {"floor", "x * floor(x)", "N, M", 0.1, 0.9}, {"ceil", "x * ceil(x)", "N, M", 0.1, 0.9}, {"round", "x + round(x)", "N, M", 0.6, 0.9},
    {"expm1", "expm1(x)"}, {"log1p", "log1p(x)", "N, M", -0.5, 2},
    {"tan", "tan(x)", "N, M", -1, 1}, {"asin", "asin(x)", "N, M", -0.9, 0.9}, {"acos", "acos(x)", "N, M", -0.9, 0.9},
    {"atan", "atan(x)"}, {"atan2", "atan2(x, w)", "N, M", 0.3, 2}, {"sinh", "sinh(x)"}, {"cosh", "cosh(x)"},
    {"asinh", "asinh(x)"}, {"acosh", "acosh(x)", "N, M", 1.2, 3}, {"atanh", "atanh(x)", "N, M", -0.9, 0.9},
    {"log10", "log10(x)", "N, M", 0.5, 2}, {"trunc", "x * trunc(x)", "N, M", 0.1, 0.9},
    {"eq", "where(x == w, x, 2 * x)"}, {"ne", "where(x != w, x * x, w)"}, {"lt", "where(x < w, x * w, sin(x))"},
    {"le", "where(x <= w, x, w)"}, {"gt", "where(x > w, exp(x), w)"}, {"ge", "where(x >= w, x, w)"},
    {"and", "where((x > 0) & (w > 0), x * w, x)"}, {"or", "where((x > 0) | (w > 0), x * w, x)"},
    {"xor", "where((x > 0) ^ (w > 0), x * w, x)"}, {"not", "where(~(x > 0), x * w, x)"}, {"isnan", "where(isnan(x), w, x * w)"},
    {"select", "where(x > 0, sqrt(abs(x)), w)"},
};
inline const Case kArrays[] = {
    {"sum", "sum(x)", ""}, {"sum_rows", "sum(x, axis=0)", "M"}, {"sum_kept", "sum(x, axis=1, keepdim=True)", "N, 1"},
    {"mean", "mean(x * x, axis=1)", "N"}, {"max_rows", "max(x, axis=1)", "N"}, {"min_all", "min(x)", ""},
    {"prod", "prod(x, axis=1)", "N", 0.5, 2}, {"prod_all", "prod(x)", "", 0.5, 1.5},
    {"broadcast_row", "x * w", "N, M", -2, 2, "N, M", "M"}, {"broadcast_column", "x * w", "N, M", -2, 2, "N, M", "N, 1"},
    {"broadcast_number", "x * w", "N, M", -2, 2, "N, M", ""},
    {"transpose", "x.T * w", "M, N", -2, 2, "N, M", "M, N"}, {"permute", "permute(x, 2, 0, 1) * w", "K, N, M", -2, 2, "N, M, K", "K, N, M"},
    {"reshape", "reshape(x, M, N) * w", "M, N", -2, 2, "N, M", "M, N"}, {"flatten", "x.flatten()", "12", -2, 2, "3, 4"},
    {"product", "x @ w", "N, K", -2, 2, "N, M", "M, K"}, {"product_turned", "x.T @ w", "M, K", -2, 2, "N, M", "N, K"},
    {"square_product", "x @ x.T", "N, N"},
    {"batched", "x @ w", "B, N, K", -2, 2, "B, N, M", "B, M, K"}, {"batch_of_one", "x @ w", "B, N, K", -2, 2, "B, N, M", "M, K"},
    {"matrix_vector", "x @ w", "N", -2, 2, "N, M", "M"}, {"outer", "einsum(\"i,j->ij\", x, w)", "N, M", -2, 2, "N", "M"},
    {"einsum", "einsum(\"bij,bjk->ik\", x, w)", "N, K", -2, 2, "B, N, M", "B, M, K"},
    {"slice", "x[0:2, 1:4] * x[1:3, 0:3]", "2, 3", -2, 2, "3, 5"}, {"point", "x[1] * x[0, 2]", "5", -2, 2, "3, 5"},
    {"strided", "x[:, 0:5:2] * 2", "N, 3", -2, 2, "N, 5"}, {"reversed", "x[:, ::-1] * w", "N, M"},
    {"concat", "concat(x, w, axis=1)", "3, 7", -2, 2, "3, 5", "3, 2"}, {"stack", "stack(x, w * x, axis=0)", "2, N, M"},
    {"split", "split(x * w, 2, axis=0)[1] * x[0:2]", "2, M", -2, 2, "4, M", "4, M"},
    {"split_all", "split(x * w, 3, axis=1)[0] * split(x * w, 3, axis=1)[2] + split(x, 3, axis=1)[1]", "N, 2", -2, 2, "N, 6", "N, 6"},
    {"take", "take(x, i, axis=0)", "K, M", -2, 2, "V, M", "", "K"},
    {"take_of_vector", "take(x, i)", "K", -2, 2, "V", "", "K"},
    {"gather", "gather(x, i, axis=1)", "N, M", -2, 2, "N, M", "", "N, M"},
    {"sort", "sort(x) * w"}, {"sort_falling", "sort(x * w, axis=0, descending=True) * w"}, {"topk", "topk(x, 2)[0] * 3.0", "N, 2", -2, 2, "N, 6"},
    {"conv1d", "conv1d(x, w, stride=2, padding=1)", "B, 3, 3", -2, 2, "B, 2, 6", "3, 2, 3"},
    {"conv2d", "conv2d(x, w, padding=1)", "B, 2, 4, 4", -1, 1, "B, 2, 4, 4", "2, 2, 3, 3", "", false},
    {"max_pool", "max_pool(x, 2)", "B, 2, 3", -2, 2, "B, 2, 6"}, {"avg_pool", "x.avg_pool(3, stride=1, padding=1) * w", "B, 2, 6", -2, 2, "B, 2, 6", "B, 2, 6"},
};
inline const Case kLayers[] = {
    {"batch_norm", "batch_norm(x, w, w, w, w)[0]", "N, M, 2", -2, 2, "N, M, 2", "M"},
    {"batch_norm_inference", "batch_norm_inference(x, w, w, w, w)", "N, M, 2", 0.2, 2, "N, M, 2", "M"},
    {"group_norm", "group_norm(x, 2, w, w)", "B, 4, N", -2, 2, "B, 4, N", "4"}, {"instance_norm", "instance_norm(x)", "B, N, K", -2, 2, "B, N, K"},
    {"conv3d", "conv3d(x, w, padding=(1, 0, 0))", "1, 2, 4, 2, 1", -1, 1, "1, 2, 3, 3, 2", "2, 2, 2, 2, 2", "", false},
    {"conv_transpose2d", "conv_transpose2d(x, w, stride=2, padding=1)", "2, 3, 5, 2", -1, 1, "2, 2, 3, 2", "2, 3, 3, 2", "", false},
    {"conv_transpose1d", "conv_transpose1d(x, w, stride=2, output_padding=1)", "B, 3, 8", -1, 1, "B, 2, 3", "2, 3, 3"},
    {"adaptive_avg_pool", "adaptive_avg_pool(x, (2, 3)) * w", "B, 2, 3", -2, 2, "B, 3, 5", "2, 3"},
    {"lstm", "lstm(x, w[0:2, 0:1], w[2:4, 1:2], w[2:6], w[6:7], w[7])[0]", "3, 2, 1", -2, 2, "3, 2, 4", "8, 4"},
    {"gru", "gru(x, w[0:2, 0:1], w[1:5], w[5:6], w[6], w[7])[0]", "3, 2, 1", -2, 2, "3, 2, 4", "8, 3"},
    {"selective_scan", "selective_scan(x, w * w, -abs(w[0].T), x[:, :, :3], w[:, :, 2:], x[:, 0, :].unsqueeze(2) * w[0, 0, :3])[0]", "2, 3, 5", 0.1, 1, "2, 3, 5", "2, 3, 5"},
    {"scan_of_turns", "scan(lambda h, r: (tanh(h * w[0] + r), h * r), w[1], x)[1]", "5, 3", -2, 2, "5, 3", "2, 3"},
    {"associative_scan", "associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (x, w))[1]", "5, 3", -2, 2, "5, 3", "5, 3"},
    {"fft", "fft(x, w)[0]", "N, 6", -2, 2, "N, 6", "N, 6"}, {"ifft", "ifft(x, w, axis=0)[1]", "6, N", -2, 2, "6, N", "6, N"},
    {"rfft", "rfft(x * w)[1]", "N, 4", -2, 2, "N, 6", "N, 6"}, {"irfft", "irfft(x, w, 5) * irfft(w, x, 5)", "N, 5", -2, 2, "N, 3", "N, 3"},
    {"orthogonalized", "orthogonalized(x)", "N, M", -2, 2, "N, M", "", "", false}, {"muon", "muon(x, w, x * w, 0.1)[0]", "N, M", -2, 2, "N, M", "N, M", "", false},
};
inline const Case kLibrary[] = {
    {"relu", "relu(x)"}, {"gelu", "gelu(x)"}, {"gelu_tanh", "gelu_tanh(x)"}, {"silu", "silu(x)"}, {"softplus", "softplus(x)"},
    {"row_max", "row_max(x)", "N"}, {"row_min", "row_min(x)", "N"}, {"row_sum", "row_sum(x)", "N"},
    {"var", "var(x)", ""}, {"var_rows", "var(x, axis=1)", "N"}, {"std", "std(x, axis=0)", "M"}, {"mse", "mse(x, w)", ""},
    {"top_k_gates", "top_k_gates(x, 2)[0]", "N, 2", -2, 2, "N, 6"}, {"table", "x * tensor([1.0, -2.0, 0.5, 3.0, 7.0])", "N, 5", -2, 2, "N, 5"},
    {"softmax_safe", "softmax_safe(x)"}, {"softmax_of_columns", "softmax_safe(x, axis=0)"}, {"log_softmax_safe", "log_softmax_safe(x)"},
    {"rmsnorm_safe", "rmsnorm_safe(x)"}, {"rmsnorm_weighted", "rmsnorm_safe(x, w)", "N, M", 0.2, 2, "N, M", "M"},
    {"layernorm_safe", "layernorm_safe(x)"}, {"layernorm_weighted", "layernorm_safe(x, w, w)", "N, M", 0.2, 2, "N, M", "M"},
    {"logsumexp", "logsumexp(x)", "N"}, {"logsumexp_of_columns", "logsumexp(x, axis=0, keepdim=True)", "1, M"},
    {"cross_entropy", "cross_entropy(x, i)", "", -2, 2, "N, M", "", "N"}, {"embedding", "embedding(i, x)", "K, M", -2, 2, "V, M", "", "K"},
    {"linear", "linear(x, w)", "N, K", -2, 2, "N, M", "M, K"}, {"clip", "clip(x, -1, 1)"}, {"clip_below", "clip(x, high=0.5)"},
    {"sign", "sign(x) * x"},
    {"tril", "tril(x)"}, {"triu", "triu(x)"}, {"zeros_like", "zeros_like(x) + ones_like(x) * x"}, {"one_hot", "one_hot(i, M) * x", "N, M", -2, 2, "N, M", "", "N"},
    {"sgd", "sgd(x, w, 0.1)", "N, M", -2, 2, "N, M", "N, M"}, {"momentum", "momentum(x, w, x * w, 0.1)[0]", "N, M", -2, 2, "N, M", "N, M"},
    {"adamw", "adamw(x, w, x * w, w * w, 3, 0.1)[0]", "N, M", 0.2, 2, "N, M", "N, M"}, {"lion", "lion(x, w, x, 0.1)[1]", "N, M", -2, 2, "N, M", "N, M"},
    {"global_norm", "global_norm((x, [x, w]))", "", -2, 2, "N, M", "N, M"}, {"clip_by_global_norm", "clip_by_global_norm((x, w), 0.5)[0][0]", "N, M", -2, 2, "N, M", "N, M"},
    {"norm", "norm(x)", ""}, {"norm_of_rows", "norm(x, axis=1)", "N"}, {"norm_1", "norm(x, 1, axis=0)", "M"}, {"norm_inf", "norm(x, INF)", ""},
    {"normalize", "normalize(x)"}, {"cosine_similarity", "cosine_similarity(x, w)", "N", -2, 2, "N, M", "N, M"},
    {"cdist", "cdist(x, w)", "N, K", -2, 2, "N, M", "K, M"}, {"cov", "cov(x)", "N, N"}, {"var_of_sample", "var(x, axis=1, ddof=1)", "N"},
    {"hypot", "hypot(x, w)", "N, M", -2, 2, "N, M", "N, M"}, {"square_of", "square(x)"}, {"reciprocal", "reciprocal(x)", "N, M", 0.5, 2},
    {"fmod", "fmod(x, 3.0)"}, {"remainder", "remainder(x, 5.0)", "N, M", 0.1, 2}, {"fma", "fma(x, w, x)", "N, M", -2, 2, "N, M", "N, M"},
    {"lerp", "lerp(x, w, 0.3)", "N, M", -2, 2, "N, M", "N, M"},
    {"nan_to_num", "nan_to_num(x)"}, {"leaky_relu", "leaky_relu(x)"}, {"prelu", "prelu(x, w)", "N, M", -2, 2, "N, M", "M"}, {"relu6", "relu6(4 * x)"},
    {"elu", "elu(x)"}, {"selu", "selu(x)"}, {"celu", "celu(x, 2.0)"}, {"mish", "mish(x)"}, {"hardsigmoid", "hardsigmoid(2 * x)"},
    {"hardswish", "hardswish(2 * x)"}, {"softsign", "softsign(x)"}, {"logsigmoid", "logsigmoid(x)"}, {"gelu_by_name", "gelu(x, approximate=\"tanh\")"},
    {"glu", "glu(x)", "N, 2", -2, 2, "N, 4"}, {"geglu", "geglu(x, 0)", "2, M", -2, 2, "4, M"}, {"swiglu", "swiglu(x)", "N, 2", -2, 2, "N, 4"},
    {"mae", "mae(x, w)", "", -2, 2, "N, M", "N, M"}, {"huber", "huber(x, w)", "", -2, 2, "N, M", "N, M"}, {"smooth_l1", "smooth_l1(x, w, 0.5)", "", -2, 2, "N, M", "N, M"},
    {"bce_with_logits", "bce_with_logits(x, w)", "", 0.1, 0.9, "N, M", "N, M"}, {"kl_div", "kl_div(x, w)", "", 0.1, 0.9, "N, M", "N, M"},
    {"nll", "nll(x, i)", "", -2, 2, "N, M", "", "N"}, {"flip", "flip(x) * w"}, {"flip_rows", "flip(x, 0)"}, {"flip_inside", "flip(x, 1)", "B, 3, M", -2, 2, "B, 3, M"}, {"roll", "roll(x, 2)"},
    {"pad", "pad(x, ((1, 2), (0, 1)))", "6, 6", -2, 2, "3, 5"}, {"pad_all", "pad(x, 1)", "5, 7", -2, 2, "3, 5"}, {"pad_vector", "pad(x, (1, 2))", "8", -2, 2, "5"},
    {"pad_reflect", "pad(x, ((1, 1), (0, 1)), \"reflect\")", "5, 6", -2, 2, "3, 5"},
    {"pad_replicate", "pad(x, ((1, 1), (0, 1)), \"replicate\")", "5, 6", -2, 2, "3, 5"}, {"swapaxes", "swapaxes(x, 0, -1)", "M, N"}, {"moveaxis", "moveaxis(x, 0, -1)", "M, K, N", -2, 2, "N, M, K"},
    {"diagonal", "diagonal(x)", "N", -2, 2, "N, N"}, {"diag", "diag(x)", "N, N", -2, 2, "N"}, {"trace", "trace(x)", "", -2, 2, "N, N"},
    {"outer_of", "outer(x, w)", "N, M", -2, 2, "N", "M"}, {"kron", "kron(x, w)", "6, 4", -2, 2, "2, 2", "3, 2"}, {"bmm", "bmm(x, w)", "B, N, K", -2, 2, "B, N, M", "B, M, K"},
    {"cross", "cross(x, w)", "N, 3", -2, 2, "N, 3", "N, 3"}, {"diff", "diff(x, 2, axis=0)", "2, M", -2, 2, "4, M"}, {"trapezoid", "trapezoid(x, w)", "N", -2, 2, "N, M", "M"},
    {"interp", "interp(x, tensor([-1.5, 0.0, 0.5, 1.0, 1.75]), w)", "N, K", -2, 2, "N, K", "5"}, {"corrcoef", "corrcoef(x)", "N, N"},
    {"triplet", "triplet(x, w, x * w)", "", -2, 2, "N, M", "N, M"}, {"focal", "focal(x, sigmoid(w))", "", -2, 2, "N, M", "N, M"}, {"hinge", "hinge(x, w)", "", -2, 2, "N, M", "N, M"},
    {"ema", "ema((x, w), (w, x * w), 0.7)[1]", "N, M", -2, 2, "N, M", "N, M"}, {"tree_where", "tree_where(sum(x) > 0, (x, w), (w * x, x))[1]", "N, M", -2, 2, "N, M", "N, M"},
    {"unscaled", "unscaled((x * x, x), 8.0)[0][0]", "N, M"},
    {"logaddexp", "logaddexp(x, w)", "N, M", -2, 2, "N, M", "N, M"}, {"sinc", "sinc(x)"}, {"deg2rad", "deg2rad(x * x)"}, {"rad2deg", "rad2deg(x * x)"},
    {"polyval", "polyval(w, x)", "N, M", -2, 2, "N, M", "3"}, {"average", "average(x, w, axis=1)", "N", 0.2, 2, "N, M", "M"}, {"nansum", "nansum(x * x, axis=0)", "M"},
    {"nanmean", "nanmean(x * x, axis=0)", "M"}, {"cummax", "cummax(x) * w", "N, 7", -2, 2, "N, 7", "N, 7"}, {"cummin", "cummin(x, axis=0)", "4, M", -2, 2, "4, M"},
    {"all_reduce", "all_reduce(x * w, \"dp\")", "N, M", -2, 2, "N, M", "N, M"},
    {"all_gather", "all_gather(x * x, \"tp\", dim=1)[:, 0:5]", "N, 5", -2, 2, "N, 5"},
    {"reduce_scatter", "sum(reduce_scatter(x * w, \"tp\"), axis=0)", "M", -2, 2, "4, M", "4, M"},
    {"cumsum", "cumsum(x * w, axis=0)", "6, M", -2, 2, "6, M", "6, M"}, {"cumprod", "cumprod(x)", "N, 5", 0.5, 1.5, "N, 5"},
    {"quantile", "quantile(x, 0.3)", "N"}, {"rope", "rope(x, 3)", "N, 4", -2, 2, "N, 4"}, {"upsample_nearest", "upsample_nearest(x, 2) * w", "6, 10", -2, 2, "3, 5", "6, 10"},
    {"upsample_bilinear", "upsample_bilinear(x, 2) * w", "6, 10", -2, 2, "3, 5", "6, 10"}, {"flip_both", "flip(x, axis=(0, 1)) * w", "3, 5", -2, 2, "3, 5", "3, 5"},
    {"pixel_shuffle", "pixel_shuffle(x, 2)", "B, 1, 6, 10", -2, 2, "B, 4, 3, 5"}, {"smoothed_cross_entropy", "cross_entropy(x, i, smoothing=0.2)", "", -2, 2, "N, M", "", "N"},
    {"rmsprop", "rmsprop(x, w, w * w, 0.1)[0]", "N, M", 0.2, 2, "N, M", "N, M"}, {"adagrad", "adagrad(x, w, w * w, 0.1)[0]", "N, M", 0.2, 2, "N, M", "N, M"},
    {"ptp", "ptp(x, axis=1)", "N"}, {"tril_above", "tril(x, 1)"}, {"meshgrid", "meshgrid(x, w, indexing=\"ij\")[0]", "N, M", -2, 2, "N", "M"}, {"attention", "flash_attention(x, w, w)", "N, M"},
    {"attention_causal", "flash_attention(x, x * w, w, causal=True)", "N, M"},
};

inline void PrintTo(const Case &c, std::ostream *out) { *out << c.expression; }
inline std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }

}  // namespace tessera::test
