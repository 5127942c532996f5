"""What the tests of the Python package share."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

PROGRAM = '''\
def rms[R, C](x: Tensor[R, C, f32], eps: f32 = 1e-5) -> Tensor[R, C, f32]:
    """x over the root of its mean square."""
    return x * rsqrt(mean(x * x, axis=-1, keepdim=True) + eps)


def parts[N, M](x: Tensor[N, f32], y: Tensor[M, f32]) -> (Tensor[N, f32], Tensor[M, f32]):
    return x + 1.0, y * 2.0


def half[N](x: Tensor[2 * N, f32]) -> Tensor[N, f32]:
    return x[0:N]


def widen[N](x: Tensor[N, bf16]) -> Tensor[N, f32]:
    return x.astype(f32)


def shifted[N](x: Tensor[N, i32], by: i32, up: bool = True) -> Tensor[N, i32]:
    return where(up, x + by, x - by)


@kernel
def saxpy[n](x: Tensor[n, f32], y: Tensor[n, f32], alpha: f32) -> Tensor[n, f32]:
    """y = alpha * x + y"""
    i = tile.linear_id()
    if i < n:
        y[i] = alpha * x[i] + y[i]
    return y


def product[M, N, K](a: Tensor[M, K, f32], b: Tensor[K, N, f32]) -> Tensor[M, N, f32]:
    return a @ b
'''
