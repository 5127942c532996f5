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
syn match tesseraBuiltin '\<\%(KVCache\|NumericalPolicy\|Policy\|Rng\|Schedule\|abs\|adamw\|all\|all_gather\|all_reduce\)\ze\s*('
syn match tesseraBuiltin '\<\%(alloc_shared\|any\|append\|arange\|argmax\|argmin\|astype\|avg_pool\|axis_index\|axis_size\)\ze\s*('
syn match tesseraBuiltin '\<\%(barrier\|bernoulli\|broadcast\|broadcast_to\|cast\|categorical\|cdiv\|ceil\|clip\|clip_by_global_norm\)\ze\s*('
syn match tesseraBuiltin '\<\%(concat\|context\|conv1d\|conv2d\|cos\|cosine_rate\|cp_async\|cp_commit_group\|cp_wait_group\|cross_entropy\)\ze\s*('
syn match tesseraBuiltin '\<\%(cumprod\|cumsum\|decode\|dict\|dot\|dropout\|einsum\|embedding\|enumerate\|erf\)\ze\s*('
syn match tesseraBuiltin '\<\%(erfc\|exp\|exp2\|expand\|expm1\|flash_attention\|flatten\|float\|floor\|full\)\ze\s*('
syn match tesseraBuiltin '\<\%(gather\|gelu\|gelu_tanh\|global_norm\|grad\|group_count\|group_id\|group_size\|int\|iota\)\ze\s*('
syn match tesseraBuiltin '\<\%(isinstance\|isnan\|jvp\|lane_id\|layernorm_safe\|len\|linear\|linear_id\|lion\|load\)\ze\s*('
syn match tesseraBuiltin '\<\%(load_npy\|load_safetensors\|local_id\|log\|log1p\|log2\|log_softmax_safe\|logsumexp\|mask_causal\|matmul\)\ze\s*('
syn match tesseraBuiltin '\<\%(max\|max_pool\|maximum\|mean\|min\|minimum\|mma\|momentum\|mse\|norm\)\ze\s*('
syn match tesseraBuiltin '\<\%(normal\|one_hot\|ones\|ones_like\|origin\|partial\|perf_counter\|permute\|pow\|prefetch\)\ze\s*('
syn match tesseraBuiltin '\<\%(print\|prod\|range\|rank\|read_bytes\|reduce_scatter\|relu\|repeat\|replace\|reset\)\ze\s*('
syn match tesseraBuiltin '\<\%(reshape\|rmsnorm_safe\|round\|row_max\|row_min\|row_sum\|rsqrt\|save_npy\|save_safetensors\|scatter\)\ze\s*('
syn match tesseraBuiltin '\<\%(sgd\|sigmoid\|sign\|silu\|sin\|softmax_safe\|softplus\|split\|sqrt\|squeeze\)\ze\s*('
syn match tesseraBuiltin '\<\%(stack\|static_range\|std\|stop_gradient\|store\|str\|sum\|take\|tanh\|tile_repeat\)\ze\s*('
syn match tesseraBuiltin '\<\%(transpose\|tree_leaves\|tree_map\|tril\|triu\|uniform\|unsqueeze\|value_and_grad\|var\|vjp\)\ze\s*('
syn match tesseraBuiltin '\<\%(where\|zeros\|zeros_like\)\ze\s*('
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
