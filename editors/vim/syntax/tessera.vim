" Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there.
if exists("b:current_syntax") | finish | endif
syn keyword tesseraKeyword assert async await break continue del effects elif else except finally for
syn keyword tesseraKeyword global if nonlocal pass raise return try where while with def class
syn keyword tesseraKeyword struct policy state lambda
syn keyword tesseraImport import from as
syn keyword tesseraOperator and or not in is
syn keyword tesseraConstant True False None
syn keyword tesseraType bf16 bfloat16 bool complex64 f16 f32 f4e2m1 f64 f6e2m3 f6e3m2 f8e4m3 f8e5m2
syn keyword tesseraType float16 float32 float64 fp16 fp32 fp4_e2m1 fp64 fp6_e2m3 fp6_e3m2 fp8_e4m3 fp8_e5m2 i16
syn keyword tesseraType i32 i4 i64 i8 int16 int32 int4 int64 int8 tf32 u16 u32
syn keyword tesseraType u8 uint16 uint32 uint8 Tensor Const Int Tile Callable
syn match tesseraBuiltin '\<\%(KVCache\|NumericalPolicy\|Policy\|Rng\|Schedule\|abs\|all\|all_gather\|all_reduce\|alloc_shared\)\ze\s*('
syn match tesseraBuiltin '\<\%(any\|append\|arange\|argmax\|argmin\|astype\|avg_pool\|axis_index\|axis_size\|barrier\)\ze\s*('
syn match tesseraBuiltin '\<\%(bernoulli\|broadcast\|broadcast_to\|cast\|cdiv\|ceil\|concat\|context\|conv1d\|conv2d\)\ze\s*('
syn match tesseraBuiltin '\<\%(cos\|cp_async\|cp_commit_group\|cp_wait_group\|cumprod\|cumsum\|dict\|dot\|dropout\|einsum\)\ze\s*('
syn match tesseraBuiltin '\<\%(enumerate\|erf\|erfc\|exp\|exp2\|expand\|expm1\|flash_attention\|flatten\|float\)\ze\s*('
syn match tesseraBuiltin '\<\%(floor\|full\|gather\|gelu\|gelu_tanh\|grad\|group_count\|group_id\|group_size\|int\)\ze\s*('
syn match tesseraBuiltin '\<\%(iota\|isinstance\|isnan\|jvp\|lane_id\|layernorm_safe\|len\|linear_id\|load\|load_npy\)\ze\s*('
syn match tesseraBuiltin '\<\%(local_id\|log\|log1p\|log2\|log_softmax_safe\|mask_causal\|matmul\|max\|max_pool\|maximum\)\ze\s*('
syn match tesseraBuiltin '\<\%(mean\|min\|minimum\|mma\|mse\|norm\|normal\|ones\|origin\|partial\)\ze\s*('
syn match tesseraBuiltin '\<\%(permute\|pow\|prefetch\|print\|prod\|range\|rank\|reduce_scatter\|relu\|repeat\)\ze\s*('
syn match tesseraBuiltin '\<\%(replace\|reset\|reshape\|rmsnorm_safe\|round\|row_max\|row_min\|row_sum\|rsqrt\|save_npy\)\ze\s*('
syn match tesseraBuiltin '\<\%(scatter\|sigmoid\|silu\|sin\|softmax_safe\|softplus\|split\|sqrt\|squeeze\|stack\)\ze\s*('
syn match tesseraBuiltin '\<\%(static_range\|std\|stop_gradient\|store\|str\|sum\|take\|tanh\|tile_repeat\|transpose\)\ze\s*('
syn match tesseraBuiltin '\<\%(uniform\|unsqueeze\|value_and_grad\|var\|vjp\|where\|zeros\)\ze\s*('
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
