"""Each field of a schedule acts on what is emitted, or the comment over the kernel says why it cannot, for every kind of kernel and target."""
import unittest

from support import ToolTest, run

TARGETS = ("cpu", "cuda:sm_80", "cuda:sm_90a", "hip:gfx942")
FIELDS = {  # values that no kernel below has by itself, and what the comment calls the field
    "block=(32, 32)": "m", "k=16": "k", "warps=2": "warps", "stages=2": "stages", "vector=2": "vector", 'swizzle="none"': "swizzle",
    "cluster=(2, 1)": "cluster_m", "split_k=3": "split_k"}
KERNELS = {
    "product": "def f[M, N, K](a: Tensor[M, K, bf16 @accum(f32)], b: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, bf16]:\n    T = tile.context()\n    m, n = tile.origin()\n"
               "    acc = tile.zeros((T.m, T.n), f32)\n    for k in tile.range(0, K, T.k):\n        acc += tile.dot(a[m:m + T.m, k:k + T.k], b[k:k + T.k, n:n + T.n])\n    return tile.cast(acc, bf16)\n",
    "rows": "def f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    r, _ = tile.origin()\n    row = x[r, :]\n    return row - tile.max(row, axis=-1, keepdim=True)\n",
    "map": "def f[M, N](x: Tensor[M, N, f32]) -> Tensor[M, N, f32]:\n    T = tile.context()\n    m, n = tile.origin()\n    return x[m:m + T.m, n:n + T.n] * 2.0\n",
    "lanes": "def f[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:\n    i = tile.linear_id()\n    if i < N:\n        y[i] = x[i] * 2.0\n    return y\n",
}


class Schedules(ToolTest):
    def emitted(self, schedule, body, target):
        """The code without comments, and the comment over the kernel; what is refused has a message instead of code."""
        result = run("tesserac", self.write("p.tsr", f"@kernel{schedule}\n{body}"), "--target", target, "-o", "-")
        if result.returncode != 0:
            return None, result.stderr
        lines = result.stdout.split("\n")
        return ([line.split("  // ")[0] for line in lines if not line.startswith(("//", "TESS_SET"))],
                [line[2:].strip() for line in lines if line.startswith("//   ")])

    def test_every_field_acts_or_says_why(self):
        for kind, body in KERNELS.items():
            for target in TARGETS:
                plain, _ = self.emitted("", body, target)
                for field, name in FIELDS.items():
                    with self.subTest(kind, target=target, field=field):
                        code, said = self.emitted(f".schedule(Schedule({field}))", body, target)
                        if code is None:
                            self.assertIn("error[E0", said)
                            self.assertIn(name, said)
                            continue
                        reasons = [line for line in said if line.startswith((f"no {name} ", f"no {name}:"))]
                        self.assertNotEqual((code != plain), bool(reasons), said)


if __name__ == "__main__":
    unittest.main()
