#!/usr/bin/env python3
"""Formats of blocks with scales, MXFP8, MXFP4 and NVFP4, compiled for the CPU, against NumPy, bit by bit.

    block_scales.py TESSERA
"""
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
try:
    import numpy as np
except ImportError:
    print("SKIPPED: NumPy is not here (python3-numpy)")
    sys.exit(77)

PROGRAM = """
def mxfp8[R, D](x: Tensor[R, D, f32]) where D % 32 == 0:
    elements, scales = quantize_mxfp8(x)
    return cast(elements, f32), scales, dequantize_mxfp8(elements, scales)

def mxfp4[R, D](x: Tensor[R, D, f32]) where D % 32 == 0:
    packed, scales = quantize_mxfp4(x)
    return packed, scales, dequantize_mxfp4(packed, scales)

def nvfp4[R, D](x: Tensor[R, D, f32], scale: f32) where D % 16 == 0:
    packed, scales = quantize_nvfp4(x, scale)
    return packed, cast(scales, f32), dequantize_nvfp4(packed, scales, scale)

def of_all[R, D](x: Tensor[R, D, f32]) where R >= 1, D >= 1:
    return nvfp4_scale(x)

def decoded[R, K](packed: Tensor[R, 16 * K, u8], scales: Tensor[R, K, u8]):
    return dequantize_mxfp4(packed, scales)

def three_axes[A, B](x: Tensor[A, B, 64, bf16]):
    packed, scales = quantize_mxfp4(x)
    return packed, scales

def product[M, N, K](x: Tensor[M, 32 * K, f32], w: Tensor[N, 16 * K, u8], scales: Tensor[N, K, u8]):
    return x @ dequantize_mxfp4(w, scales).T
"""
E2M1 = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])


def blocks(x, size):
    return x.astype(np.float64).reshape(x.shape[:-1] + (x.shape[-1] // size, size))


def to_e4m3(x):
    """To nearest, ties to even, and 448 where that is more."""
    _, exponent = np.frexp(np.where(x == 0, 1.0, x))
    step = 2.0 ** (np.maximum(exponent - 1, -6) - 3)
    return np.clip(np.rint(x / step) * step, -448, 448)


def to_e2m1(x):
    """The codes: the nearest number, of two the one whose code is even."""
    distance = abs(abs(x).clip(max=8.0)[..., None] - E2M1)
    tie = distance == distance.min(axis=-1, keepdims=True)
    code = np.where(tie & (np.arange(8) % 2 == 0), 2, tie).argmax(axis=-1)
    return code + 8 * (x < 0)


def packed(codes):
    return (codes[..., 0::2] + 16 * codes[..., 1::2]).astype(np.uint8)


def mx_exponents(x, largest_exponent):
    largest = abs(x).max(axis=-1)
    _, exponent = np.frexp(np.where((largest > 0) & np.isfinite(largest), largest, 2.0**-200))
    return np.clip(exponent - 1 - largest_exponent, -127, 127), np.isfinite(largest)


def expect_mxfp8(x):
    parts = blocks(x, 32)
    exponent, finite = mx_exponents(parts, 8)
    scale = np.where(finite, 2.0**exponent, np.nan)[..., None]
    elements = to_e4m3(np.where(finite[..., None], parts, 0) / 2.0 ** exponent[..., None])
    return elements.reshape(x.shape), np.where(finite, exponent + 127, 255), (elements * scale).reshape(x.shape), finite


def expect_mxfp4(x):
    parts = blocks(x, 32)
    exponent, finite = mx_exponents(parts, 2)
    scale = np.where(finite, 2.0**exponent, np.nan)[..., None]
    codes = to_e2m1(np.where(finite[..., None], parts, 0) / 2.0 ** exponent[..., None])
    values = E2M1[codes % 8] * np.where(codes >= 8, -1, 1)
    return packed(codes.reshape(x.shape)), np.where(finite, exponent + 127, 255), (values * scale).reshape(x.shape), finite


def expect_nvfp4(x, scale):
    """Rounded to f32 where the library does: the first quotient decides which f8 a scale is, the second which code."""
    parts = blocks(x, 16).astype(np.float32)
    largest = abs(parts).max(axis=-1)
    scales = to_e4m3((largest / np.float32(6) / np.float32(scale)).astype(np.float64))
    step = (scales.astype(np.float32) * np.float32(scale))[..., None]
    codes = to_e2m1((parts / np.where(step > 0, step, np.float32(np.inf))).astype(np.float64))
    values = E2M1[codes % 8] * np.where(codes >= 8, -1, 1)
    return packed(codes.reshape(x.shape)), scales, (values.astype(np.float32) * step).reshape(x.shape)


def inputs(random):
    """Shapes of several blocks and of none, magnitudes of all exponents, ties, zeros, infinities and NaN."""
    for rows, columns in ((0, 32), (1, 0), (1, 32), (3, 64), (17, 224), (1, 1056)):
        yield random.standard_normal((rows, columns)).astype(np.float32)
        powers = random.integers(-149, 128, (rows, columns // 32)).repeat(32, axis=1)
        yield (random.standard_normal((rows, columns)) * 2.0**powers).clip(-3e38, 3e38).astype(np.float32)
        yield (random.integers(-48, 49, (rows, columns)) / 8).astype(np.float32)  # many lie halfway
    special = random.standard_normal((6, 64)).astype(np.float32)
    special[0], special[1, 5], special[2, 40], special[3, 0] = 0.0, np.nan, np.inf, -np.inf
    special[4, :32], special[5, 7] = -0.0, 3.4e38
    yield special


class Checks:
    right = wrong = 0

    def same(self, got, expected, what, where=True):
        """Equal, NaN to NaN; `where`: of these elements."""
        got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
        good = got.shape == expected.shape and np.all(~np.broadcast_to(where, got.shape) | (got == expected) | (np.isnan(got) & np.isnan(expected)))
        self.right += bool(good)
        if not good:
            self.wrong += 1
            print("FAILED", what, got.shape, expected.shape)


def main(tool):
    import tessera

    os.environ["TESSERA_HOME"] = os.path.dirname(os.path.dirname(tool))
    random, checks = np.random.default_rng(51), Checks()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "blocks.tsr")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        module = tessera.load(path)
        for x in inputs(random):
            what = f"of {x.shape}"
            elements, scales, values = module["mxfp8"](x=x)
            e, s, v, finite = expect_mxfp8(x)
            checks.same(elements, e, f"elements of MXFP8 {what}", finite.repeat(32, axis=-1))
            checks.same(scales, s, f"scales of MXFP8 {what}")
            checks.same(values, v, f"values of MXFP8 {what}")
            bytes_, scales, values = module["mxfp4"](x=x)
            e, s, v, finite = expect_mxfp4(x)
            checks.same(bytes_, e, f"bytes of MXFP4 {what}", finite.repeat(16, axis=-1))
            checks.same(scales, s, f"scales of MXFP4 {what}")
            checks.same(values, v, f"values of MXFP4 {what}")
            near = x.clip(-1e30, 1e30)
            largest = abs(near).max() if near.size and not np.isnan(near).any() else 1.0
            for scale in (1.0, np.float32(largest) / np.float32(2688) if largest > 1e-30 else 1.0):
                got = module["nvfp4"](x=near, scale=float(scale))
                good = ~np.isnan(near).reshape(-1, near.shape[-1] // 16, 16).any(axis=-1) if near.size else np.ones(near.shape[:1] + (near.shape[-1] // 16,), bool)
                with np.errstate(invalid="ignore"):
                    expected = expect_nvfp4(near, scale)
                for part, name, wide in ((0, "bytes", 8), (1, "scales", 1), (2, "values", 16)):
                    checks.same(got[part], expected[part], f"{name} of NVFP4 {what}, {scale}", good.repeat(wide, axis=-1))
                checks.same(np.isnan(got[1]), ~good, f"blocks of NVFP4 that are NaN {what}")
            if near.size and not np.isnan(near).any():
                found = module["of_all"](x=near)
                checks.same(found, np.float32(largest) / np.float32(2688) if largest > 0 else 1.0, f"the scale of all {what}")
        every = np.arange(256, dtype=np.uint8)
        codes = np.tile(every, 256).reshape(256, 256)  # each byte with each scale
        scales = np.arange(4096, dtype=np.int64).reshape(256, 16).astype(np.uint8)
        halves = np.stack([codes % 16, codes // 16], axis=-1).reshape(256, 512)
        powers = np.where(scales == 255, np.nan, 2.0 ** (scales.astype(np.float64) - 127)).repeat(32, axis=1)
        with np.errstate(over="ignore"):
            expected = (E2M1[halves % 8] * np.where(halves >= 8, -1, 1) * powers).astype(np.float32)
        checks.same(module["decoded"](packed=codes, scales=scales), expected, "all bytes and scales")
        for m, n, k in ((1, 1, 1), (0, 3, 2), (5, 7, 0), (33, 65, 3)):
            w, x = random.standard_normal((n, 32 * k)).astype(np.float32), random.standard_normal((m, 32 * k)).astype(np.float32)
            held, scales, values, _ = expect_mxfp4(w)
            got = module["product"](x=x, w=held, scales=scales.astype(np.uint8))
            checks.same(np.allclose(got, x.astype(np.float64) @ values.T, rtol=1e-5, atol=1e-5) and got.shape == (m, n), True, f"a product {(m, n, k)}")
    print(f"{checks.right} comparisons are right, {checks.wrong} are not")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
