;;; tessera-words.el --- Words of Tessera  -*- lexical-binding: t; -*-

;; Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there.

;;; Code:

(defconst tessera-keywords
  '("assert" "break" "continue" "del" "elif" "else" "except" "finally" "for" "global" "if" "nonlocal" "pass" "raise" "return" "try" "while" "with" "def" "class" "lambda" "import" "from" "as" "and" "or" "not" "in" "is")
  "Keywords.")

(defconst tessera-constants
  '("True" "False" "None")
  "Constants.")

(defconst tessera-types
  '("bf16" "bfloat16" "bool" "complex64" "f16" "f32" "f4e2m1" "f64" "f6e2m3" "f6e3m2" "f8e4m3" "f8e5m2" "float16" "float32" "float64" "fp16" "fp32" "fp4_e2m1" "fp64" "fp6_e2m3" "fp6_e3m2" "fp8_e4m3" "fp8_e5m2" "i16" "i32" "i4" "i64" "i8" "int16" "int32" "int4" "int64" "int8" "tf32" "u16" "u32" "u8" "uint16" "uint32" "uint8" "Tensor" "Const" "Int" "Tile" "Callable")
  "Dtypes and types.")

(defconst tessera-functions
  '("KVCache" "NumericalPolicy" "Policy" "Rng" "Schedule" "abs" "adamw" "all" "all_gather" "all_reduce" "alloc_shared" "any" "append" "arange" "argmax" "argmin" "astype" "avg_pool" "axis_index" "axis_size" "barrier" "bernoulli" "broadcast" "broadcast_to" "cast" "categorical" "cdiv" "ceil" "clip" "clip_by_global_norm" "concat" "context" "conv1d" "conv2d" "cos" "cosine_rate" "cp_async" "cp_commit_group" "cp_wait_group" "cross_entropy" "cumprod" "cumsum" "decode" "dict" "dot" "dropout" "einsum" "embedding" "enumerate" "erf" "erfc" "exp" "exp2" "expand" "expm1" "flash_attention" "flatten" "float" "floor" "full" "gather" "gelu" "gelu_tanh" "global_norm" "grad" "group_count" "group_id" "group_size" "int" "iota" "isinstance" "isnan" "jvp" "lane_id" "layernorm_safe" "len" "linear" "linear_id" "lion" "load" "load_npy" "load_safetensors" "local_id" "log" "log1p" "log2" "log_softmax_safe" "logsumexp" "mask_causal" "matmul" "max" "max_pool" "maximum" "mean" "min" "minimum" "mma" "momentum" "mse" "norm" "normal" "one_hot" "ones" "ones_like" "origin" "partial" "perf_counter" "permute" "pow" "prefetch" "print" "prod" "range" "rank" "read_bytes" "reduce_scatter" "relu" "repeat" "replace" "reset" "reshape" "rmsnorm_safe" "round" "row_max" "row_min" "row_sum" "rsqrt" "save_npy" "save_safetensors" "scatter" "sgd" "sigmoid" "sign" "silu" "sin" "softmax_safe" "softplus" "split" "sqrt" "squeeze" "stack" "static_range" "std" "stop_gradient" "store" "str" "sum" "take" "tanh" "tile_repeat" "transpose" "tree_leaves" "tree_map" "tril" "triu" "uniform" "unsqueeze" "value_and_grad" "var" "vjp" "where" "zeros" "zeros_like")
  "Built-in and library functions.")

(provide 'tessera-words)

;;; tessera-words.el ends here
