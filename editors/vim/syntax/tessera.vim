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
syn match tesseraBuiltin '\<\%(axis_size\|barrier\|batch_norm\|batch_norm_inference\|bce_with_logits\|bernoulli\|bincount\|bmm\|broadcast\|broadcast_to\)\ze\s*('
syn match tesseraBuiltin '\<\%(cast\|categorical\|cdist\|cdiv\|ceil\|celu\|checkpoint\|clip\|clip_by_global_norm\|concat\)\ze\s*('
syn match tesseraBuiltin '\<\%(context\|conv1d\|conv2d\|conv3d\|conv_layer\|conv_transpose1d\|conv_transpose2d\|corrcoef\|cos\|cosh\)\ze\s*('
syn match tesseraBuiltin '\<\%(cosine_rate\|cosine_similarity\|count_nonzero\|count_parameters\|cov\|cp_async\|cp_commit_group\|cp_wait_group\|cross\|cross_entropy\)\ze\s*('
syn match tesseraBuiltin '\<\%(cummax\|cummin\|cumprod\|cumsum\|decode\|deg2rad\|dequantize_mxfp4\|dequantize_mxfp8\|dequantize_nvfp4\|diag\)\ze\s*('
syn match tesseraBuiltin '\<\%(diagonal\|dict\|diff\|dot\|draw_bernoulli\|draw_normal_bf16\|draw_normal_f16\|draw_normal_f32\|draw_normal_f64\|draw_uniform_bf16\)\ze\s*('
syn match tesseraBuiltin '\<\%(draw_uniform_f16\|draw_uniform_f32\|draw_uniform_f64\|dropout\|einsum\|elu\|ema\|embedding\|encode\|enumerate\)\ze\s*('
syn match tesseraBuiltin '\<\%(erf\|erfc\|exp\|exp2\|expand\|expm1\|eye\|fft\|flash_attention\|flatten\)\ze\s*('
syn match tesseraBuiltin '\<\%(flip\|float\|floor\|fma\|fmod\|focal\|full\|full_like\|gather\|geglu\)\ze\s*('
syn match tesseraBuiltin '\<\%(gelu\|gelu_tanh\|global_norm\|glu\|grad\|group_count\|group_id\|group_norm\|group_size\|gru\)\ze\s*('
syn match tesseraBuiltin '\<\%(gru_cell\|hardsigmoid\|hardswish\|hessian\|hinge\|histogram\|huber\|hvp\|hypot\|ifft\)\ze\s*('
syn match tesseraBuiltin '\<\%(index_add\|instance_norm\|int\|integers\|interp\|inverse_sqrt_rate\|iota\|irfft\|is_training\|isclose\)\ze\s*('
syn match tesseraBuiltin '\<\%(isfinite\|isinf\|isinstance\|isnan\|items\|jacobian\|jvp\|keys\|kl_div\|kron\)\ze\s*('
syn match tesseraBuiltin '\<\%(lane_id\|layer_norm\|layernorm_safe\|leaky_relu\|len\|lerp\|linear\|linear_id\|linear_rate\|linspace\)\ze\s*('
syn match tesseraBuiltin '\<\%(lion\|load\|load_npy\|load_npz\|load_safetensors\|load_vector\|local_id\|log\|log10\|log1p\)\ze\s*('
syn match tesseraBuiltin '\<\%(log2\|log_softmax\|log_softmax_safe\|logaddexp\|logsigmoid\|logspace\|logsumexp\|lstm\|lstm_cell\|mae\)\ze\s*('
syn match tesseraBuiltin '\<\%(mask_causal\|matmul\|max\|max_pool\|maximum\|mean\|median\|meshgrid\|min\|minimum\)\ze\s*('
syn match tesseraBuiltin '\<\%(mish\|mma\|moe\|momentum\|moveaxis\|mse\|muon\|nan_to_num\|nanmean\|nansum\)\ze\s*('
syn match tesseraBuiltin '\<\%(next_loss_scale\|nll\|norm\|normal\|normalize\|nvfp4_scale\|one_hot\|ones\|ones_like\|origin\)\ze\s*('
syn match tesseraBuiltin '\<\%(orthogonalized\|outer\|pad\|paged_attention\|parameter\|partial\|perf_counter\|permutation\|permute\|pixel_shuffle\)\ze\s*('
syn match tesseraBuiltin '\<\%(polyval\|pow\|prefetch\|prelu\|print\|prod\|ptp\|quantile\|quantize_mxfp4\|quantize_mxfp8\)\ze\s*('
syn match tesseraBuiltin '\<\%(quantize_nvfp4\|quantized_rows\|rad2deg\|range\|rank\|read_bytes\|reciprocal\|reduce_scatter\|reduce_warp\|relu\)\ze\s*('
syn match tesseraBuiltin '\<\%(relu6\|remainder\|repeat\|replace\|reset\|reshape\|reversed\|rfft\|rmsnorm_safe\|rmsprop\)\ze\s*('
syn match tesseraBuiltin '\<\%(roll\|rope\|round\|row_max\|row_min\|row_sum\|rsqrt\|sample_top_k\|sample_top_p\|save_npy\)\ze\s*('
syn match tesseraBuiltin '\<\%(save_npz\|save_safetensors\|scan\|scatter\|scatter_add\|searchsorted\|segment_sum\|selective_scan\|selu\|sgd\)\ze\s*('
syn match tesseraBuiltin '\<\%(shuffle\|shuffle_xor\|sigmoid\|sign\|silu\|sin\|sinc\|sinh\|smooth_l1\|softmax\)\ze\s*('
syn match tesseraBuiltin '\<\%(softmax_accumulate\|softmax_online\|softmax_safe\|softplus\|softsign\|sort\|split\|sqrt\|square\|squeeze\)\ze\s*('
syn match tesseraBuiltin '\<\%(stack\|static_range\|std\|step_rate\|stop_gradient\|store\|store_vector\|str\|sum\|swapaxes\)\ze\s*('
syn match tesseraBuiltin '\<\%(swiglu\|take\|tan\|tanh\|tensor\|tile_repeat\|top_k_gates\|topk\|trace\|transpose\)\ze\s*('
syn match tesseraBuiltin '\<\%(trapezoid\|tree_leaves\|tree_map\|tree_where\|tril\|triplet\|triu\|trunc\|uniform\|unscaled\)\ze\s*('
syn match tesseraBuiltin '\<\%(unsqueeze\|upsample_nearest\|value_and_grad\|values\|var\|vjp\|vmap\|vote\|where\|write_bytes\)\ze\s*('
syn match tesseraBuiltin '\<\%(zeros\|zeros_like\|zip\)\ze\s*('
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
