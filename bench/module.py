"""A generated module of the size that a large model has: kernels, tensor functions and layers that call them, all over
symbolic sizes, with facts behind `where`. The same arguments give the same text."""

KINDS = {
    "softmax": '''
@kernel
def {name}[R, C](x: Tensor[R, C, bf16 @accum(f32)], bias: Tensor[C, bf16], gate: Tensor[R, f32]) -> Tensor[R, C, bf16]:
    """A biased and gated softmax of each row, at temperature {a}.

    x:    scores, one row for each query
    bias: added to every row
    gate: one factor for each row
    """
    r, _ = tile.origin()
    row = x[r, :]
    shift = bias[:]
    # The largest element is taken away first, so that nothing overflows.
    v = tile.cast(row, f32) * {a}.0 + tile.cast(shift, f32)
    largest = tile.max(v, axis=-1, keepdim=True)
    e = tile.exp(v - largest)
    total = tile.sum(e, axis=-1, keepdim=True)
    weights = e / total
    factor = tile.sigmoid(gate[r] * {a}.5)
    return tile.cast(weights * factor, bf16)
''',
    "matmul": '''
@kernel.schedule(tuned_{b})
def {name}[M, N, K](
    A: Tensor[M, K, bf16 @accum(f32)],
    B: Tensor[K, N, bf16 @accum(f32)],
    scale: Tensor[N, f32],
) -> Tensor[M, N, bf16] where K % {w} == 0, N % 8 == 0:
    """The product of two matrices with a scale for each column and an activation; variant {i}."""
    T = tile.context()
    m, n = tile.origin()
    acc = tile.zeros((T.m, T.n), f32)
    for k in tile.range(0, K, T.k):
        left = A[m:m + T.m, k:k + T.k]
        right = B[k:k + T.k, n:n + T.n]
        acc += tile.dot(left, right)
    # An activation while the sums are still in registers.
    scaled = acc * scale[n:n + T.n] * {a}.5
    out = tile.maximum(scaled, 0.0)
    limited = tile.minimum(out, {limit}.0)
    return tile.cast(limited, bf16)
''',
    "row_norm": '''
@kernel
def {name}[R, C](x: Tensor[R, C, f32], g: Tensor[C, f32], b: Tensor[C, f32]) -> Tensor[R, C, f32] where C <= {limit}:
    """Mean and variance of each row in one read, then a scale and a shift.

    Rows are independent of one another; level {i}.
    """
    r, _ = tile.origin()
    row = x[r, :]
    count = tile.cast(C, f32)
    mean = tile.sum(row, axis=-1, keepdim=True) / count
    # Columns behind the last one read as zero: they add nothing to the sum of squares.
    squares = tile.sum(row * row, axis=-1, keepdim=True) / count
    variance = squares - mean * mean
    inverse = tile.rsqrt(variance + 1e-{e})
    n = (row - mean) * inverse
    gain = g[:]
    shift = b[:]
    return n * gain + shift
''',
    "norm_block": '''
def {name}[B, S, D](x: Tensor[B, S, D, f32], g: Tensor[D, f32], b: Tensor[D, f32]) -> Tensor[B, S, D, f32] where D % {w} == 0, S <= {limit}:
    """A norm, an activation and a residual connection; level {i}."""
    mean = x.mean(axis=-1, keepdim=True)
    centred = x - mean
    variance = (centred * centred).mean(axis=-1, keepdim=True)
    n = centred / sqrt(variance + 1e-{e})
    scaled = n * g + b
    # Both halves see the same input.
    left = gelu(scaled) * {a}.0
    right = silu(scaled) / {a}.5
    mixed = left + right
    if {a} % 2 == 0:
        mixed = mixed * 0.5
    else:
        mixed = maximum(mixed, -{a}.0)
    # What all steps have in common is taken away.
    common = mixed.mean(axis=1, keepdim=True)
    rest = mixed - common
    return rest + x
''',
    "heads": '''
def {name}[B, S, D, H](x: Tensor[B, S, D, f32], mask: Tensor[B, S, f32], heads: Const[H]) -> Tensor[B, H, S, D // H, f32] where D % H == 0, H <= 64:
    """The heads of attention beside the batch, each scaled by {a}.

    The mask comes first: a step that does not count has no weight in any head.

    x:     one row for each step
    mask:  1 for steps that count, 0 for the others
    heads: how many parts the width has
    """
    seen = x * mask.unsqueeze(-1)
    parts = seen.reshape(B, S, H, D // H)
    ordered = parts.transpose(1, 2)
    largest = max(ordered, axis=-1, keepdim=True)
    e = exp((ordered - largest) * {a}.0)
    weights = e / sum(e, axis=-1, keepdim=True)
    # Heads keep their scale whatever their width is.
    scale = rsqrt(mean(weights * weights, axis=-1, keepdim=True) + 1e-{e})
    return weights * scale
''',
    "window": '''
def {name}[B, S, D](x: Tensor[B, S, D, f32], w: Tensor[{w} * D, f32]) -> Tensor[B, S // {w}, {w} * D, f32] where S % {w} == 0, S <= {limit}, B in 1..=4096:
    """Neighbouring steps side by side: windows of {w}."""
    assert S % {w} == 0
    windows = x.reshape(B, S // {w}, {w}, D)
    means = windows.mean(axis=2, keepdim=True)
    centred = windows - means
    spread = max(abs(centred), axis=2, keepdim=True)
    even = centred / (spread + 1e-{e})
    # One row for each window.
    flat = even.reshape(B, S // {w}, {w} * D)
    weighted = flat * w
    first = weighted * {a}.0
    second = tanh(weighted / {a}.5)
    both = where(first > second, first, second)
    if {a} % 3 == 0:
        both = both + flat
    return both
''',
    "join": '''
def {name}[N, M, D](a: Tensor[N, D, f32], b: Tensor[M, D, f32], w: Tensor[D, f32]) -> Tensor[N + M + {a}, D, f32]:
    """Two batches and {a} rows of zeros, one below the other.

    a: the first rows
    b: the rows below

    The first batch is weighted, the second is cut off below zero before.
    """
    top = a * w
    middle = relu(b) * w
    padding = zeros(({a}, D), f32)
    both = concat(top, middle, axis=0)
    all_rows = concat(both, padding, axis=0)
    # No column has a mean of its own.
    shifted = all_rows - all_rows.mean(axis=0, keepdim=True)
    largest = max(abs(shifted), axis=-1, keepdim=True)
    even = shifted / (largest + 1e-{e})
    sharp = even * even * {a}.0
    signed = where(even < 0.0, -sharp, sharp)
    return signed
''',
    "mlp": '''
def {name}[B, S, D, F](x: Tensor[B, S, D, f32], w_in: Tensor[D, F, f32], w_out: Tensor[F, D, f32], g: Tensor[D, f32]) -> Tensor[B, S, D, f32] where F == {w} * D:
    """A feed-forward layer behind a norm, and its residual connection.

    x:     the stream
    w_in:  from the width of the stream to {w} times that
    w_out: and back
    """
    n = rmsnorm_safe(x, g, eps=1e-{e})
    hidden = n @ w_in
    active = {activation}(hidden)
    y = active @ w_out
    # The gate depends on the size of what was added.
    scale = rsqrt((y * y).mean(axis=-1, keepdim=True) + 1e-{e})
    even = y * scale
    gate = sigmoid(even * {a}.0)
    # What the gate lets through is added to the stream.
    added = even * gate
    return x + added
''',
    "layer": '''
def {name}[B, S, D, H](x: Tensor[B, S, D, f32], g: Tensor[D, f32], b: Tensor[D, f32], mask: Tensor[B, S, f32], heads: Const[H]) -> Tensor[B, S, D, f32] where D % H == 0, D % 128 == 0, D <= 2048, S % 64 == 0, S <= 256, H <= 64:
    """Layer {i}: the blocks above, one behind the other."""
    n = {norm_block}(x, g, b)
    split_up = {heads}(n, mask, heads)
    # Heads go back into the width.
    merged = split_up.transpose(1, 2).reshape(B, S, D)
    flat = {row_norm}(merged.reshape(B * S, D), g, b)
    y = flat.reshape(B, S, D)
    gate = sigmoid(y * {a}.0 + n)
    mixed = gate * y + (1.0 - gate) * n
    limited = minimum(maximum(mixed, -{a}.0), {a}.0)
    # Steps that do not count stay as they are.
    stays = 1.0 - mask.unsqueeze(-1)
    chosen = limited * mask.unsqueeze(-1) + x * stays
    return x + chosen
''',
}

HEAD = """# A generated module.
from tessera import kernel, tile, Schedule

tuned_0 = Schedule(block=(128, 128), k=64, warps=8, stages=3)
tuned_1 = tuned_0.with_block(64, 64).with_warps(4)
tuned_2 = Schedule(block=(64, 128), k=32, warps=4, stages=2)

"""


ACTIVATIONS = ("gelu", "silu", "relu", "gelu_tanh")


def function(kind: str, name: str, i: int, called: dict) -> str:
    """The i-th function: numbers and names differ from one to the next. `called`: the latest function of each kind."""
    return KINDS[kind].format(name=name, i=i, a=1 + i % 7, b=i % 3, e=5 + i % 3, w=(2, 4, 8)[i % 3], limit=(4096, 8192)[i % 2],
                              activation=ACTIVATIONS[i % 4], **called)


def generated(functions: int = 500) -> str:
    """A module with so many functions, about 20 lines each."""
    kinds, latest, parts = list(KINDS), {}, []
    for i in range(functions):
        kind = kinds[i % len(kinds)]
        name = f"{kind}_{i}"
        parts.append(function(kind, name, i, latest))
        latest[kind] = name
    return HEAD + "\n".join(parts)


def each_kind() -> list[tuple[str, str]]:
    """For each kind of function a module with one of them; a layer has the functions that it calls beside it."""
    alone = []
    for kind, text in KINDS.items():
        called = {other: f"{other}_1" for other in KINDS if "{" + other + "}" in text}
        parts = [function(other, name, 1, {}) for other, name in called.items()]
        alone.append((kind, HEAD + "\n".join(parts + [function(kind, f"{kind}_2", 2, called)])))
    return alone
