#!/usr/bin/env python3
"""Kernels that are bound by memory, as they are emitted for GPUs: run as HIP on the CPU and compared with float64.

    memory_bound.py TESSERAC FOLDER [FUNCTION...]

Extents are awkward: 0, 1, primes, numbers beside a vector, a warp and what a lane holds, rows of 1e5, tensors that do not
begin on 16 bytes. Results hold NaN before each run, and what lies beside them must stay as it is.
"""
import ctypes
import hashlib
import math
import os
import random
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIM = os.path.join(ROOT, "tests", "device", "hip_on_cpu")
PROGRAM = """
def gelu_add[R, C](x: Tensor[R, C, bf16], b: Tensor[C, bf16], r: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]:
    return gelu(x + b) + r

def scaled[N](x: Tensor[N, f32], y: Tensor[N, f32], a: f32) -> Tensor[N, f32]:
    return a * x + y

def by_row[R, C](x: Tensor[R, C, f32], s: Tensor[R, f32]) -> Tensor[R, C, f32]:
    return x * s[:, None] + 1.0

def copied[R, C](x: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]:
    return x

def counted[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    return x + cast(iota([R, C], axis=1), f32)

def shifted[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C - 1, f32] where C >= 1:
    return x[:, 1:] - x[:, :C - 1]

def turned[R, C](x: Tensor[R, C, bf16]) -> Tensor[C, R, bf16]:
    return x.T

def turned_twice[B, R, C](x: Tensor[B, B, R, C, f32]) -> Tensor[B, C, B, R, f32]:
    return x.permute(0, 3, 1, 2)

def laplace[N, M](x: Tensor[N, M, f32]) -> Tensor[N - 2, M - 2, f32] where N >= 2, M >= 2:
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4.0 * x[1:-1, 1:-1]

def padded[B, C, H, W](x: Tensor[B, C, H, W, f32]) -> Tensor[B, C, H + 2, W + 2, f32]:
    return pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))

def upsampled[B, C, H, W](x: Tensor[B, C, H, W, bf16]) -> Tensor[B, C, 2 * H, 2 * W, bf16]:
    return reshape(broadcast_to(x[:, :, :, None, :, None], (B, C, H, 2, W, 2)), (B, C, 2 * H, 2 * W))

def pooled[B, C, H, W](x: Tensor[B, C, 2 * H, 2 * W, bf16]) -> Tensor[B, C, H, W, bf16] where H >= 1, W >= 1:
    return max_pool(x, 2)

def by_channel[B, C, H, W](x: Tensor[B, C, H, W, f32], g: Tensor[C, f32], b: Tensor[C, f32]) -> Tensor[B, C, H, W, f32]:
    return x * g[None, :, None, None] + b[None, :, None, None]

def joined[R, C](x: Tensor[R, C, bf16], y: Tensor[R, C, bf16]) -> Tensor[R, 2 * C, bf16]:
    return concat([x, y], axis=-1)

def variance[N](x: Tensor[N, f32]) -> f32:
    m = mean(x)
    return mean((x - m) * (x - m))

def turned_sum[B, R, C](x: Tensor[B, R, C, f32], y: Tensor[B, C, R, f32]) -> Tensor[B, C, R, f32]:
    return transpose(x, [0, 2, 1]) * 2.0 + y

def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]:
    return softmax_safe(x, axis=-1)

def rmsnorm[R, C](x: Tensor[R, C, bf16 @accum(f32)], w: Tensor[C, bf16]) -> Tensor[R, C, bf16]:
    return rmsnorm_safe(x, w, eps=1e-6)

def layernorm[R, C](x: Tensor[R, C, f32], g: Tensor[C, f32], b: Tensor[C, f32]) -> Tensor[R, C, f32]:
    return layernorm_safe(x, g, b, eps=1e-5)

def row_sums[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, f32]:
    return sum(cast(x, f32), axis=-1)

def places[R, C](x: Tensor[R, C, bf16]) -> Tensor[R, f32]:
    return cast(argmax(x), f32)

def place[N](x: Tensor[N, f32]) -> f32:
    return cast(argmin(x), f32)

def in_order[R, C](x: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]:
    return sort(x, descending=True)

def order_of[R, C](x: Tensor[R, C, bf16]) -> Tensor[R, C, f32]:
    return cast(argsort(x), f32)

def total[N](x: Tensor[N, f32]) -> f32:
    return sum(x)

def columns[R, C](x: Tensor[R, C, f32]) -> Tensor[C, f32]:
    return sum(x, axis=0)

def column_means[B, R, C](x: Tensor[B, R, C, f32]) -> Tensor[B, C, f32]:
    return mean(x, axis=1)

def greatest[N](x: Tensor[N, f32]) -> f32:
    return max(x) * 2.0

@kernel
def row_softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]:
    r, _ = tile.origin()
    v = tile.cast(x[r, :], f32)
    e = tile.exp(v - tile.max(v, axis=-1, keepdim=True))
    return tile.cast(e / tile.sum(e, axis=-1, keepdim=True), bf16)

@kernel
def saxpy(x: Tensor["n", f32], y: Tensor["n", f32], alpha: f32) -> Tensor["n", f32]:
    i = tile.linear_id()
    if i < n:
        y[i] = alpha * x[i] + y[i]
    return y
"""


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class TessTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


def bf16_bits(value):
    if value != value:
        return 0x7fc0
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return min((bits + 0x7fff + (bits >> 16 & 1)) >> 16, 0xffff)


def bf16_value(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


class Array:
    """Elements between two guards, `shift` elements behind a multiple of 64 bytes."""
    GUARD = 32

    def __init__(self, shape, dtype, values=None, shift=0):
        self.shape, self.dtype, self.count = shape, dtype, math.prod(shape)
        self.kind = ctypes.c_uint16 if dtype == "bf16" else ctypes.c_float
        width = ctypes.sizeof(self.kind)
        self.memory = (ctypes.c_uint8 * ((self.count + 2 * self.GUARD + shift) * width + 64))()
        start = -ctypes.addressof(self.memory) % 64 + (self.GUARD + shift) * width
        self.all = (self.kind * (self.count + 2 * self.GUARD)).from_buffer(self.memory, start - self.GUARD * width)
        guard = bf16_bits(-77.0) if dtype == "bf16" else -77.0
        for i in range(len(self.all)):
            self.all[i] = guard
        self.guard = self.all[0]
        for i in range(self.count):
            value = math.nan if values is None else values[i]
            self.all[self.GUARD + i] = bf16_bits(value) if dtype == "bf16" else value
        self.extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        code = DType(4, 16, 1) if dtype == "bf16" else DType(2, 32, 1)
        self.tensor = TessTensor(ctypes.addressof(self.memory) + start, Device(10, 0), len(shape), code,
                                 ctypes.cast(self.extents, ctypes.POINTER(ctypes.c_int64)), None, 0)

    def values(self):
        part = self.all[self.GUARD:self.GUARD + self.count]
        return [bf16_value(v) for v in part] if self.dtype == "bf16" else list(part)

    def intact(self):
        return all(v == self.guard for v in [*self.all[:self.GUARD], *self.all[self.GUARD + self.count:]])


def gelu(v):
    return 0.5 * v * (1 + math.erf(v / math.sqrt(2)))


def rows_of(values, r, c):
    return [values[i * c:(i + 1) * c] for i in range(r)]


def variance_of(values):
    mean = math.fsum(values) / len(values) if values else math.nan
    return math.fsum((v - mean)**2 for v in values) / len(values) if values else math.nan


def softmax_row(row):
    if not row:
        return []
    most = max(row)
    e = [math.exp(v - most) for v in row]
    total = sum(e)
    return [v / total for v in e]


def norm_row(row, w):
    scale = 1 / math.sqrt(sum(v * v for v in row) / len(row) + 1e-6) if row else 0
    return [v * scale * f for v, f in zip(row, w)]


def layer_row(row, g, b):
    if not row:
        return []
    mean = sum(row) / len(row)
    scale = 1 / math.sqrt(sum((v - mean)**2 for v in row) / len(row) + 1e-5)
    return [(v - mean) * scale * f + s for v, f, s in zip(row, g, b)]


def flat(rows):
    return [v for row in rows for v in row]


MATRICES = [(0, 5), (3, 0), (1, 1), (3, 7), (5, 8), (13, 64), (64, 65), (127, 3), (2, 129), (3, 520)]
# Fewer and more planes than a lane takes, no multiple of those, and planes that are shorter than what lies side by side.
IMAGES = [(0, 2, 5, 7), (2, 0, 3, 3), (1, 1, 1, 1), (1, 3, 5, 7), (2, 5, 7, 31), (3, 3, 5, 33), (1, 8, 4, 8), (3, 7, 3, 33), (17, 3, 2, 7), (7, 2, 2, 3)]
ROWS = [(0, 5), (3, 0), (1, 1), (3, 7), (9, 8), (2, 127), (3, 128), (2, 129), (2, 256), (3, 257), (2, 513), (8, 1), (8, 7), (24, 313), (8, 314), (16, 1023), (8, 4097), (3, 1000), (2, 1032), (1, 4097),
        (1, 4104), (1, 8193), (1, 16000), (1, 32768), (1, 33000), (1, 100003)]
VECTORS = [(0,), (1,), (3,), (8,), (127,), (128,), (129,), (1003,), (4096,)]


def image_case(name, b, c, h, w):
    planes, image = b * c, lambda x: rows_of(x, b * c, h * w)
    if name == "padded":
        edge = [0.0] * (w + 2)
        return [((b, c, h, w), "f32")], ((b, c, h + 2, w + 2), "f32"), [], lambda x: flat(
            [*edge, *flat([0.0, *row, 0.0] for row in rows_of(plane, h, w)), *edge] for plane in image(x))
    if name == "upsampled":
        return [((b, c, h, w), "bf16")], ((b, c, 2 * h, 2 * w), "bf16"), [], lambda x: [
            plane[i // 2 * w + j // 2] for plane in image(x) for i in range(2 * h) for j in range(2 * w)]
    if name == "pooled":
        return [((b, c, 2 * h, 2 * w), "bf16")], ((b, c, h, w), "bf16"), [], lambda x: [
            max(plane[(2 * i + k) * 2 * w + 2 * j + m] for k in range(2) for m in range(2)) for plane in rows_of(x, planes, 4 * h * w) for i in range(h) for j in range(w)]
    return [((b, c, h, w), "f32"), ((c,), "f32"), ((c,), "f32")], ((b, c, h, w), "f32"), [], lambda x, g, s: flat(
        [v * g[k % c] + s[k % c] for v in plane] for k, plane in enumerate(image(x)))


def case(name, shapes):
    """Shapes and dtypes of the inputs and the result, scalars, and what the result is of the inputs' values."""
    if name in ("gelu_add",):
        r, c = shapes
        return [((r, c), "bf16"), ((c,), "bf16"), ((r, c), "bf16")], ((r, c), "bf16"), [], lambda x, b, s: [
            gelu(v + b[i % c]) + s[i] for i, v in enumerate(x)]
    if name in ("scaled", "saxpy"):
        return [(shapes, "f32"), (shapes, "f32")], (shapes, "f32"), [0.75], lambda x, y: [0.75 * a + b for a, b in zip(x, y)]
    if name == "by_row":
        r, c = shapes
        return [((r, c), "f32"), ((r,), "f32")], ((r, c), "f32"), [], lambda x, s: [v * s[i // c] + 1 for i, v in enumerate(x)]
    if name == "copied":
        return [(shapes, "bf16")], (shapes, "bf16"), [], lambda x: x
    if name == "counted":
        r, c = shapes
        return [((r, c), "f32")], ((r, c), "f32"), [], lambda x: [v + i % c for i, v in enumerate(x)]
    if name == "shifted":
        r, c = shapes
        return [((r, c), "f32")], ((r, c - 1), "f32"), [], lambda x: flat(
            [[b - a for a, b in zip(row, row[1:])] for row in rows_of(x, r, c)])
    if name == "laplace":
        n, m = shapes
        return [((n, m), "f32")], ((n - 2, m - 2), "f32"), [], lambda x: [
            x[(i - 1) * m + j] + x[(i + 1) * m + j] + x[i * m + j - 1] + x[i * m + j + 1] - 4 * x[i * m + j] for i in range(1, n - 1) for j in range(1, m - 1)]
    if name in ("padded", "upsampled", "pooled", "by_channel"):
        return image_case(name, *shapes)
    if name == "joined":
        r, c = shapes
        return [((r, c), "bf16"), ((r, c), "bf16")], ((r, 2 * c), "bf16"), [], lambda x, y: flat(
            [*a, *b] for a, b in zip(rows_of(x, r, c), rows_of(y, r, c)))
    if name == "turned":
        r, c = shapes
        return [((r, c), "bf16")], ((c, r), "bf16"), [], lambda x: [x[i * c + j] for j in range(c) for i in range(r)]
    if name == "turned_sum":
        b, r, c = 2, *shapes
        return [((b, r, c), "f32"), ((b, c, r), "f32")], ((b, c, r), "f32"), [], lambda x, y: [
            2 * x[(k * r + i) * c + j] + y[(k * c + j) * r + i] for k in range(b) for j in range(c) for i in range(r)]
    if name == "turned_twice":
        b, r, c = 2, *shapes
        return [((b, b, r, c), "f32")], ((b, c, b, r), "f32"), [], lambda x: [
            x[((k * b + m) * r + i) * c + j] for k in range(b) for j in range(c) for m in range(b) for i in range(r)]
    if name == "variance":
        return [(shapes, "f32")], ((), "f32"), [], lambda x: [variance_of(x)]
    if name in ("softmax", "row_softmax"):
        r, c = shapes
        return [((r, c), "bf16")], ((r, c), "bf16"), [], lambda x: flat(map(softmax_row, rows_of(x, r, c)))
    if name == "rmsnorm":
        r, c = shapes
        return [((r, c), "bf16"), ((c,), "bf16")], ((r, c), "bf16"), [], lambda x, w: flat(norm_row(row, w) for row in rows_of(x, r, c))
    if name == "layernorm":
        r, c = shapes
        return [((r, c), "f32"), ((c,), "f32"), ((c,), "f32")], ((r, c), "f32"), [], lambda x, g, b: flat(
            layer_row(row, g, b) for row in rows_of(x, r, c))
    if name == "row_sums":
        r, c = shapes
        return [((r, c), "bf16")], ((r,), "f32"), [], lambda x: [math.fsum(row) for row in rows_of(x, r, c)]
    if name == "places":
        r, c = shapes
        return [((r, c), "bf16")], ((r,), "f32"), [], lambda x: [row.index(max(row)) if row else 0 for row in rows_of(x, r, c)]
    if name == "in_order":
        r, c = shapes
        return [((r, c), "bf16")], ((r, c), "bf16"), [], lambda x: flat(sorted(row, reverse=True) for row in rows_of(x, r, c))
    if name == "order_of":
        r, c = shapes
        return [((r, c), "bf16")], ((r, c), "f32"), [], lambda x: flat(
            sorted(range(c), key=lambda i, row=row: row[i]) for row in rows_of(x, r, c))
    if name == "place":
        return [(shapes, "f32")], ((), "f32"), [], lambda x: [x.index(min(x)) if x else 0]
    if name == "total":
        return [(shapes, "f32")], ((), "f32"), [], lambda x: [math.fsum(x)]
    if name == "greatest":
        return [(shapes, "f32")], ((), "f32"), [], lambda x: [max(x, default=-math.inf) * 2]
    if name == "columns":
        r, c = shapes
        return [((r, c), "f32")], ((c,), "f32"), [], lambda x: [math.fsum(x[j::c]) for j in range(c)]
    b, r, c = 2, *shapes
    assert name == "column_means"
    return [((b, r, c), "f32")], ((b, c), "f32"), [], lambda x: [
        math.fsum(x[k * r * c + j:(k + 1) * r * c:c]) / r if r else math.nan for k in range(b) for j in range(c)]


FUNCTIONS = {
    **{name: MATRICES for name in ("gelu_add", "by_row", "copied", "counted", "shifted", "turned", "turned_twice", "turned_sum")},
    "laplace": [(2, 5), (3, 2), (3, 3), (9, 37), (10, 34), (11, 36), (18, 67), (127, 5)],
    "joined": MATRICES + [(15, 17), (16, 16), (17, 33)],
    **{name: IMAGES for name in ("padded", "upsampled", "pooled", "by_channel")},
    **{name: ROWS for name in ("softmax", "row_softmax", "rmsnorm", "layernorm", "row_sums", "places")},
    **{name: [*ROWS, (1, 2047), (2, 2048), (1, 2049), (1, 4095)] for name in ("in_order", "order_of")},
    **{name: VECTORS for name in ("scaled", "saxpy", "total", "greatest", "variance")},
    "total": VECTORS + [(70001,)],
    "place": VECTORS + [(70001,)],
    "columns": MATRICES + [(1031, 12), (700, 3)],
    "column_means": MATRICES + [(77, 12)],
}


def build(tesserac, folder, wave):
    os.makedirs(folder, exist_ok=True)
    source, emitted = os.path.join(folder, "memory_bound.tsr"), os.path.join(folder, "memory_bound.hip")
    with open(source, "w") as file:
        file.write(PROGRAM)
    subprocess.run([tesserac, source, "-o", emitted], check=True)
    library = os.path.join(folder, f"memory_bound_{wave}.so")
    command = ["g++", "-x", "c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fno-gnu-unique", "-shared", "-fPIC",
               "-D__HIP_PLATFORM_AMD__", f"-DTSR_WAVE={wave}", "-I" + SHIM, "-I" + os.path.join(ROOT, "include"), emitted, "-o", library]
    subprocess.run(command, check=True)
    made = ctypes.CDLL(library)
    made.tessLastErrorText.restype = ctypes.c_char_p
    return made


def check(library, name, shapes, shift, rng):
    inputs, (shape, dtype), scalars, right = case(name, shapes)
    arrays = [Array(s, t, [rng.uniform(-2, 2) for _ in range(math.prod(s))], shift) for s, t in inputs]
    values = [a.values() for a in arrays]
    result = arrays[1] if name == "saxpy" else Array(shape, dtype, shift=shift)
    tensors = arrays if name == "saxpy" else [*arrays, result]
    arguments = [ctypes.byref(a.tensor) for a in (tensors if name == "saxpy" else arrays)] + [ctypes.c_float(s) for s in scalars]
    if name != "saxpy":
        arguments.append(ctypes.byref(result.tensor))
    bits = []
    for _ in range(2 if name != "saxpy" else 1):
        if getattr(library, name)(*arguments, None):
            return f"{library.tessLastErrorText().decode()}"
        bits.append(bytes(result.memory))
    if bits[0] != bits[-1]:
        return "other bits on a second run"
    if not all(a.intact() for a in tensors):
        return "wrote beside a tensor"
    size = max(len(values[0]), 1)
    for i, (got, want) in enumerate(zip(result.values(), right(*values))):
        near = abs(want) * (2**-7 if dtype == "bf16" else 1e-5) + (1e-6 * math.sqrt(size) if name in ("total", "columns", "row_sums") else 1e-5)
        if not (abs(got - want) <= near or got == want or (got != got and want != want)):
            return f"element {i} is {got}, not {want}"
    return None


def main(tesserac, folder, chosen):
    rng = random.Random(hashlib.sha256(b"memory bound").digest())
    libraries = {wave: build(tesserac, folder, wave) for wave in (32, 64)}
    failed = ran = 0
    for name, shapes in FUNCTIONS.items():
        if chosen and name not in chosen:
            continue
        for shape in shapes:
            for wave, shift in ((32, 0), (32, 1), (64, 0)):
                if (shift or wave == 64) and math.prod(shape) > 5000 or name == "shifted" and shape[-1] == 0:
                    continue
                ran += 1
                if wrong := check(libraries[wave], name, shape, shift, rng):
                    failed += 1
                    print(f"FAILED {name} {shape}, waves of {wave}, {shift} elements beside an aligned address: {wrong}", flush=True)
    print(f"{ran - failed} of {ran} cases are right")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]))
