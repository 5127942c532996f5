#!/usr/bin/env python3
"""The Python package with PyTorch on one GPU: values, streams, devices, what is refused; and what a call costs.

  TESSERA_HOME=build/release python3 bench/gpu/python_package.py [--target cuda:sm_90a]

Ends with status 1 where a check fails. The costs are medians over many calls of a function on few elements: time of the
host from one call to the next without waiting, beside PyTorch's own addition.
"""
import argparse
import os
import statistics
import sys
import time

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
import tessera  # noqa: E402

PROGRAM = '''\
@kernel
def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    r, _ = tile.origin()
    row = x[r, :]
    e = tile.exp(row - tile.max(row, axis=-1, keepdim=True))
    return e / tile.sum(e, axis=-1, keepdim=True)


def product[M, N, K](a: Tensor[M, K, bf16 @accum(f32)], b: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, bf16]:
    return a @ b


def more[N](x: Tensor[N, f32], by: f32 = 1.0) -> Tensor[N, f32]:
    return x + by
'''
failures = 0


def check(name, good, said=""):
    global failures
    failures += not good
    print(f"{'ok    ' if good else 'FAILED'} {name} {said}")


def refused(name, kind, text, call):
    try:
        call()
        check(name, False, "no error")
    except Exception as error:  # noqa: BLE001: any other kind is the failure that is reported
        check(name, isinstance(error, kind) and text in str(error), f"{type(error).__name__}: {error}")


def values(m):
    torch.manual_seed(0)
    for rows, columns in ((0, 4), (1, 1), (7, 1001), (128, 100003)):
        x = torch.randn(rows, columns, device="cuda")
        y = m.softmax(x)
        worst = (y.double() - torch.softmax(x.double(), -1)).abs().max().item() if rows else 0.0
        check(f"softmax [{rows}, {columns}]", y.shape == x.shape and y.device == x.device and worst < 1e-6, f"{worst:.1e}")
    for sizes in ((64, 64, 64), (129, 257, 65), (1024, 1024, 1024)):
        a = torch.randn(sizes[0], sizes[2], device="cuda", dtype=torch.bfloat16)
        b = torch.randn(sizes[2], sizes[1], device="cuda", dtype=torch.bfloat16)
        y, expected = m.product(a, b), a.double() @ b.double()
        worst = ((y.double() - expected).abs() / expected.abs().clamp(min=1)).max().item()
        check(f"product {sizes}", y.dtype is torch.bfloat16 and worst < 1e-2, f"{worst:.1e}")


def streams(m):
    """A call on another stream waits for what is queued there, and nothing of the default stream waits for it."""
    side = torch.cuda.Stream()
    x = torch.zeros(1 << 20, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)
        x.add_(1)
        y = m.more(x)
        still_running = not side.query()
    check("a call returns when its work is queued", still_running)
    side.synchronize()
    check("work is ordered on the current stream", bool((y == 2).all()))
    torch.cuda._sleep(200_000_000)
    out = torch.zeros_like(x)
    m.more(x, out=out, stream=side.cuda_stream)
    side.synchronize()
    check("stream= names the stream", bool(side.query()) and not torch.cuda.default_stream().query())
    torch.cuda.synchronize()
    check("stream= computes", bool((out == 2).all()))
    graph = torch.cuda.CUDAGraph()
    static, result = torch.ones(1000, device="cuda"), torch.empty(1000, device="cuda")
    m.more(static, out=result)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        m.more(static, 5.0, out=result)
    static.fill_(2)
    graph.replay()
    torch.cuda.synchronize()
    check("a call is captured in a CUDA graph", bool((result == 7).all()))


def refusals(m):
    x = torch.randn(8, 8, device="cuda")
    refused("a tensor of the host", tessera.DeviceError, "runs on a CUDA device", lambda: m.softmax(x.cpu()))
    refused("a transposed tensor", tessera.LayoutError, "copy it first", lambda: m.softmax(x[:, :4].t()))
    refused("another dtype", tessera.DTypeError, "f64, but f32", lambda: m.softmax(x.double()))
    refused("a tensor that requires a gradient", tessera.ArgumentError, "detach()", lambda: m.softmax(x.requires_grad_()))
    with torch.no_grad():
        check("under no_grad", m.softmax(x).shape == x.shape)


def dlpack(m):
    class Shown:
        """A tensor without PyTorch's methods."""

        def __init__(self, tensor):
            self.tensor, self.shape = tensor, tensor.shape

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

        def __dlpack__(self, **options):
            options.pop("max_version", None)
            return self.tensor.__dlpack__(**options)

    x, out = torch.randn(5, 77, device="cuda"), torch.empty(5, 77, device="cuda")
    m.softmax(Shown(x), out=Shown(out))
    torch.cuda.synchronize()
    check("arrays that have __dlpack__ only", torch.allclose(out, torch.softmax(x, -1), atol=1e-6))


def devices(m):
    if torch.cuda.device_count() < 2:
        return print("one GPU here: calls on a second device are SKIPPED")
    x = torch.randn(1000, device="cuda:1")
    check("the device of the arguments", m.more(x).device == x.device and bool((m.more(x) == x + 1).all()) and torch.cuda.current_device() == 0)
    refused("two devices in one call", tessera.DeviceError, "device", lambda: m.more(x, out=torch.empty(1000, device="cuda:0")))
    return None


def costs(m):
    x, out = torch.ones(256, device="cuda"), torch.empty(256, device="cuda")

    def of(call):
        times = []
        for _ in range(30):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(100):
                call()
            times.append((time.perf_counter() - start) / 100)
        return statistics.median(times) * 1e6

    for name, call in (("m.more(x, out=out)", lambda: m.more(x, out=out)), ("m.more(x)", lambda: m.more(x)), ("x + 1", lambda: x + 1)):
        print(f"{name:20} {of(call):7.1f} us a call")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", default="cuda")
    m = tessera.loads(PROGRAM, parser.parse_args().target)
    print(m)
    for part in (values, streams, refusals, dlpack, devices, costs):
        part(m)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
