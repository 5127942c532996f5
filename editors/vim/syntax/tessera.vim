" Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there.
if exists("b:current_syntax") | finish | endif
syn keyword tesseraKeyword assert break continue del elif else except finally for global if nonlocal
syn keyword tesseraKeyword pass raise return try while with def class lambda
syn match tesseraKeyword '\<where\>(\@!'
syn match tesseraKeyword '\<effects\>\ze\s*\['
syn match tesseraKeyword '\<\%(async\|await\)\>\ze\s\+[A-Za-z_(]'
syn match tesseraKeyword '^\s*\zs\%(struct\|policy\|state\)\ze\s\+\h'
syn keyword tesseraImport import from as
syn keyword tesseraOperator and or not in is
syn keyword tesseraConstant True False None
syn keyword tesseraType bf16 bfloat16 bool complex64 f16 f32 f4e2m1 f64 f6e2m3 f6e3m2 f8e4m3 f8e5m2
syn keyword tesseraType float16 float32 float64 fp16 fp32 fp4_e2m1 fp64 fp6_e2m3 fp6_e3m2 fp8_e4m3 fp8_e5m2 i16
syn keyword tesseraType i32 i4 i64 i8 int16 int32 int4 int64 int8 tf32 u16 u32
syn keyword tesseraType u8 uint16 uint32 uint8 Tensor Const Int Tile Callable
syn match tesseraBuiltin '\<\%(KVCache\|NumericalPolicy\|Policy\|Rng\|Schedule\|abs\|acos\|acosh\|adagrad\|adamw\)\ze\s*('
syn match tesseraBuiltin '\<\%(adaptive_avg_pool\|all\|all_finite\|all_gather\|all_reduce\|allclose\|alloc_register\|alloc_shared\|any\|append\)\ze\s*('
syn match tesseraBuiltin '\<\%(arange\|argmax\|argmin\|argsort\|asin\|asinh\|associative_scan\|astype\|atan\|atan2\)\ze\s*('
syn match tesseraBuiltin '\<\%(atanh\|atomic_add\|atomic_and\|atomic_max\|atomic_min\|atomic_or\|atomic_xor\|average\|avg_pool\|axis_index\)\ze\s*('
syn match tesseraBuiltin '\<\%(axis_size\|ballot\|barrier\|batch_norm\|batch_norm_inference\|bce_with_logits\|bernoulli\|bincount\|bitcast\|bmm\)\ze\s*('
syn match tesseraBuiltin '\<\%(broadcast\|broadcast_to\|cast\|categorical\|cdist\|cdiv\|ceil\|celu\|checkpoint\|chr\)\ze\s*('
syn match tesseraBuiltin '\<\%(chunk\|clamp\|clip\|clip_by_global_norm\|concat\|context\|conv1d\|conv2d\|conv3d\|conv_layer\)\ze\s*('
syn match tesseraBuiltin '\<\%(conv_transpose1d\|conv_transpose2d\|corrcoef\|cos\|cosh\|cosine_rate\|cosine_similarity\|count_nonzero\|count_parameters\|cov\)\ze\s*('
syn match tesseraBuiltin '\<\%(cp_async\|cp_commit_group\|cp_wait_group\|cross\|cross_entropy\|cummax\|cummin\|cumprod\|cumsum\|decode\)\ze\s*('
syn match tesseraBuiltin '\<\%(deg2rad\|dequantize_mxfp4\|dequantize_mxfp8\|dequantize_nvfp4\|diag\|diagonal\|dict\|diff\|dot\|draw_bernoulli\)\ze\s*('
syn match tesseraBuiltin '\<\%(draw_normal_bf16\|draw_normal_f16\|draw_normal_f32\|draw_normal_f64\|draw_uniform_bf16\|draw_uniform_f16\|draw_uniform_f32\|draw_uniform_f64\|dropout\|dump\)\ze\s*('
syn match tesseraBuiltin '\<\%(dumps\|einsum\|elu\|ema\|embedding\|encode\|enumerate\|erf\|erfc\|exit\)\ze\s*('
syn match tesseraBuiltin '\<\%(exit_program\|exp\|exp2\|expand\|expm1\|eye\|fft\|file_close\|file_exists\|file_line\)\ze\s*('
syn match tesseraBuiltin '\<\%(file_open\|file_text\|file_write\|flash_attention\|flatnonzero\|flatten\|flip\|float\|floor\|fma\)\ze\s*('
syn match tesseraBuiltin '\<\%(fmod\|focal\|fold_in\|full\|full_like\|gather\|geglu\|gelu\|gelu_tanh\|get\)\ze\s*('
syn match tesseraBuiltin '\<\%(global_norm\|glu\|grad\|group_count\|group_id\|group_norm\|group_size\|gru\|gru_cell\|hardsigmoid\)\ze\s*('
syn match tesseraBuiltin '\<\%(hardswish\|hessian\|hinge\|histogram\|huber\|hvp\|hypot\|ifft\|index_add\|input\)\ze\s*('
syn match tesseraBuiltin '\<\%(instance_norm\|int\|integers\|interp\|inverse_sqrt_rate\|iota\|irfft\|is_training\|isclose\|isfinite\)\ze\s*('
syn match tesseraBuiltin '\<\%(isinf\|isinstance\|isnan\|items\|jacobian\|json_count\|json_item\|json_items\|json_member\|json_shown\)\ze\s*('
syn match tesseraBuiltin '\<\%(json_text\|json_whole\|jvp\|keys\|kl_div\|kron\|lane_id\|layer_norm\|layernorm_safe\|leaky_relu\)\ze\s*('
syn match tesseraBuiltin '\<\%(len\|lerp\|linear\|linear_id\|linear_rate\|linspace\|lion\|load\|load_npy\|load_npz\)\ze\s*('
syn match tesseraBuiltin '\<\%(load_safetensors\|load_vector\|loads\|local_id\|log\|log10\|log1p\|log2\|log_softmax\|log_softmax_safe\)\ze\s*('
syn match tesseraBuiltin '\<\%(logaddexp\|logsigmoid\|logspace\|logsumexp\|lstm\|lstm_cell\|mae\|map\|mask_causal\|matmul\)\ze\s*('
syn match tesseraBuiltin '\<\%(max\|max_pool\|maximum\|mean\|median\|meshgrid\|min\|minimum\|mish\|mixed\)\ze\s*('
syn match tesseraBuiltin '\<\%(mma\|moe\|momentum\|moveaxis\|mse\|muon\|nan_to_num\|nanmean\|nansum\|next_loss_scale\)\ze\s*('
syn match tesseraBuiltin '\<\%(nll\|nonzero\|norm\|normal\|normalize\|nvfp4_scale\|one_hot\|ones\|ones_like\|open\)\ze\s*('
syn match tesseraBuiltin '\<\%(ord\|origin\|orthogonalized\|outer\|pad\|paged_attention\|parameter\|parameters\|partial\|perf_counter\)\ze\s*('
syn match tesseraBuiltin '\<\%(permutation\|permute\|pixel_shuffle\|polyval\|popcount\|pow\|prefetch\|prelu\|print\|prod\)\ze\s*('
syn match tesseraBuiltin '\<\%(ptp\|quantile\|quantize_mxfp4\|quantize_mxfp8\|quantize_nvfp4\|quantized_rows\|rad2deg\|randint\|range\|rank\)\ze\s*('
syn match tesseraBuiltin '\<\%(read_bytes\|reciprocal\|reduce_scatter\|reduce_warp\|relu\|relu6\|remainder\|repeat\|replace\|reset\)\ze\s*('
syn match tesseraBuiltin '\<\%(reshape\|reversed\|rfft\|rms_norm\|rmsnorm_safe\|rmsprop\|roll\|rope\|round\|row_max\)\ze\s*('
syn match tesseraBuiltin '\<\%(row_min\|row_sum\|rsqrt\|sample_top_k\|sample_top_p\|save_npy\|save_npz\|save_safetensors\|scan\|scatter\)\ze\s*('
syn match tesseraBuiltin '\<\%(scatter_add\|searchsorted\|segment_sum\|selective_scan\|selu\|set\|sgd\|shuffle\|shuffle_xor\|sigmoid\)\ze\s*('
syn match tesseraBuiltin '\<\%(sign\|silu\|sin\|sinc\|sinh\|smooth_l1\|softmax\|softmax_accumulate\|softmax_online\|softmax_safe\)\ze\s*('
syn match tesseraBuiltin '\<\%(softplus\|softsign\|sort\|sorted\|split\|sqrt\|square\|squeeze\|stack\|static_range\)\ze\s*('
syn match tesseraBuiltin '\<\%(std\|step_rate\|stop_gradient\|store\|store_vector\|str\|sum\|swapaxes\|swiglu\|take\)\ze\s*('
syn match tesseraBuiltin '\<\%(take_along_axis\|take_along_dim\|tan\|tanh\|tensor\|tile_repeat\|top_k_gates\|topk\|trace\|transpose\)\ze\s*('
syn match tesseraBuiltin '\<\%(trapezoid\|tree_leaves\|tree_map\|tree_where\|tril\|triplet\|triu\|trunc\|uniform\|unscaled\)\ze\s*('
syn match tesseraBuiltin '\<\%(unsqueeze\|upsample_bilinear\|upsample_nearest\|value_and_grad\|values\|var\|vjp\|vmap\|vote\|where\)\ze\s*('
syn match tesseraBuiltin '\<\%(write_bytes\|zeros\|zeros_like\|zip\)\ze\s*('
syn match tesseraDecorator '^\s*\zs@\s*[A-Za-z_][A-Za-z_0-9.]*'
syn match tesseraPolicy '@\s*[a-z_]\w*\ze\s*\([\]),@(=]\|$\)' contains=NONE
syn match tesseraFunction '\%(\<def\s\+\)\@<=\w\+'
syn match tesseraNumber '\<\d[0-9_]*\%(\.\d[0-9_]*\)\?\%([eE][+-]\?\d\+\)\?\>'
syn match tesseraNumber '\<0[xX][_0-9a-fA-F]\+\>'
syn match tesseraNumber '\<0[bB][_01]\+\>'
syn region tesseraString start=+\c\<[rfu]\{0,2}"+ start=+"+ skip=+\\.+ end=+"+ oneline
syn region tesseraString start=+'+ skip=+\\.+ end=+'+ oneline
syn region tesseraString start=+"""+ end=+"""+ keepend
syn region tesseraString start=+'''+ end=+'''+ keepend
syn match tesseraComment '#.*$' contains=@Spell
hi def link tesseraKeyword Keyword
hi def link tesseraImport Include
hi def link tesseraOperator Operator
hi def link tesseraConstant Boolean
hi def link tesseraType Type
hi def link tesseraBuiltin Function
hi def link tesseraDecorator PreProc
hi def link tesseraPolicy PreProc
hi def link tesseraFunction Function
hi def link tesseraNumber Number
hi def link tesseraString String
hi def link tesseraComment Comment
let b:current_syntax = "tessera"
