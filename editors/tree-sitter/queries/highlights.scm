; Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there.
(identifier) @variable
(comment) @comment
(string) @string
[(integer_number) (float_number) (imaginary_number)] @number
[(true) (false)] @boolean
(none) @constant.builtin
["assert" "async" "await" "class" "del" "effects" "elif" "else" "except" "finally" "for" "global" "if" "nonlocal" "policy" "raise" "return" "state" "struct" "try" "where" "while" "with"] @keyword
["import" "from" "as"] @keyword.import
["and" "or" "not" "in" "is"] @keyword.operator
["def" "lambda"] @keyword.function
[(pass_statement) (break_statement) (continue_statement)] @keyword
["+" "-" "*" "/" "//" "%" "**" "@" "<<" ">>" "&" "^" "|" "~" "==" "!=" "<" "<=" ">" ">=" "=" ":=" "->" ".." "..="
 "+=" "-=" "*=" "/=" "//=" "%=" "@=" "**=" "<<=" ">>=" "&=" "|=" "^="] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" ";" "."] @punctuation.delimiter

(attribute (identifier) @property)
(plain_parameter (identifier) @variable.parameter)
(star_parameter (identifier) @variable.parameter)
(options_parameter (identifier) @variable.parameter)
(keyword_argument (identifier) @variable.parameter)
(keyword_subscript (identifier) @variable.parameter)
(type_parameter (identifier) @type.parameter)
(primary . (name (identifier) @function.call) . (call))
(primary (attribute (identifier) @function.method) . (call))
((name (identifier) @type.builtin) (#match? @type.builtin "^(bf16|bfloat16|bool|complex64|f16|f32|f4e2m1|f64|f6e2m3|f6e3m2|f8e4m3|f8e5m2|float16|float32|float64|fp16|fp32|fp4_e2m1|fp64|fp6_e2m3|fp6_e3m2|fp8_e4m3|fp8_e5m2|i16|i32|i4|i64|i8|int16|int32|int4|int64|int8|tf32|u16|u32|u8|uint16|uint32|uint8|Tensor|Const|Int|Tile|Callable)$"))
((primary . (name (identifier) @function.builtin) . (call)) (#match? @function.builtin "^(KVCache|NumericalPolicy|Policy|Rng|Schedule|abs|acos|acosh|adagrad|adamw|adaptive_avg_pool|all|all_finite|all_gather|all_reduce|allclose|alloc_register|alloc_shared|any|append|arange|argmax|argmin|argsort|asin|asinh|associative_scan|astype|atan|atan2|atanh|atomic_add|atomic_and|atomic_max|atomic_min|atomic_or|atomic_xor|average|avg_pool|axis_index|axis_size|ballot|barrier|batch_norm|batch_norm_inference|bce_with_logits|bernoulli|bincount|bitcast|bmm|broadcast|broadcast_to|cast|categorical|cdist|cdiv|ceil|celu|checkpoint|chr|chunk|clamp|clip|clip_by_global_norm|concat|context|conv1d|conv2d|conv3d|conv_layer|conv_transpose1d|conv_transpose2d|corrcoef|cos|cosh|cosine_rate|cosine_similarity|count_nonzero|count_parameters|cov|cp_async|cp_commit_group|cp_wait_group|cross|cross_entropy|cummax|cummin|cumprod|cumsum|decode|deg2rad|dequantize_mxfp4|dequantize_mxfp8|dequantize_nvfp4|diag|diagonal|dict|diff|dot|draw_bernoulli|draw_normal_bf16|draw_normal_f16|draw_normal_f32|draw_normal_f64|draw_uniform_bf16|draw_uniform_f16|draw_uniform_f32|draw_uniform_f64|dropout|dump|dumps|einsum|elu|ema|embedding|encode|enumerate|erf|erfc|exit|exit_program|exp|exp2|expand|expm1|eye|fft|file_close|file_exists|file_line|file_open|file_text|file_write|flash_attention|flatnonzero|flatten|flip|float|floor|fma|fmod|focal|fold_in|full|full_like|gather|geglu|gelu|gelu_tanh|get|global_norm|glu|grad|group_count|group_id|group_norm|group_size|gru|gru_cell|hardsigmoid|hardswish|hessian|hinge|histogram|huber|hvp|hypot|ifft|index_add|input|instance_norm|int|integers|interp|inverse_sqrt_rate|iota|irfft|is_training|isclose|isfinite|isinf|isinstance|isnan|items|jacobian|json_count|json_item|json_items|json_member|json_shown|json_text|json_whole|jvp|keys|kl_div|kron|lane_id|layer_norm|layernorm_safe|leaky_relu|len|lerp|linear|linear_id|linear_rate|linspace|lion|load|load_npy|load_npz|load_safetensors|load_vector|loads|local_id|log|log10|log1p|log2|log_softmax|log_softmax_safe|logaddexp|logsigmoid|logspace|logsumexp|lstm|lstm_cell|mae|map|mask_causal|matmul|max|max_pool|maximum|mean|median|meshgrid|min|minimum|mish|mixed|mma|moe|momentum|moveaxis|mse|muon|nan_to_num|nanmean|nansum|next_loss_scale|nll|nonzero|norm|normal|normalize|nvfp4_scale|one_hot|ones|ones_like|open|ord|origin|orthogonalized|outer|pad|paged_attention|parameter|parameters|partial|perf_counter|permutation|permute|pixel_shuffle|polyval|popcount|pow|prefetch|prelu|print|prod|ptp|quantile|quantize_mxfp4|quantize_mxfp8|quantize_nvfp4|quantized_rows|rad2deg|randint|range|rank|read_bytes|reciprocal|reduce_scatter|reduce_warp|relu|relu6|remainder|repeat|replace|reset|reshape|reversed|rfft|rms_norm|rmsnorm_safe|rmsprop|roll|rope|round|row_max|row_min|row_sum|rsqrt|sample_top_k|sample_top_p|save_npy|save_npz|save_safetensors|scan|scatter|scatter_add|searchsorted|segment_sum|selective_scan|selu|set|sgd|shuffle|shuffle_xor|sigmoid|sign|silu|sin|sinc|sinh|smooth_l1|softmax|softmax_accumulate|softmax_online|softmax_safe|softplus|softsign|sort|sorted|split|sqrt|square|squeeze|stack|static_range|std|step_rate|stop_gradient|store|store_vector|str|sum|swapaxes|swiglu|take|take_along_axis|take_along_dim|tan|tanh|tensor|tile_repeat|top_k_gates|topk|trace|transpose|trapezoid|tree_leaves|tree_map|tree_where|tril|triplet|triu|trunc|uniform|unscaled|unsqueeze|upsample_bilinear|upsample_nearest|value_and_grad|values|var|vjp|vmap|vote|where|write_bytes|zeros|zeros_like|zip)$"))
(function_definition (identifier) @function)
(class_definition (identifier) @type)
(struct_definition (identifier) @type)
(policy_definition (identifier) @type)
(decorator "@" @attribute (primary . (name (identifier) @attribute)))
(policy_subscript "@" @attribute (primary . (name (identifier) @attribute)))
