"""Functions as operators of PyTorch. On a machine with a GPU: TESSERA_TORCH_TARGET=cuda python3 test_torch.py"""
import os
import unittest

from support import PROGRAM
import tessera
from tessera._torch import derivatives_of, schema_of

try:
    import torch
except ImportError:
    torch = None

TARGET = os.environ.get("TESSERA_TORCH_TARGET", "cpu")
MORE = '''

def scaled[R, C, D](x: Tensor[R, C, f32], w: Tensor[C, D, f32]) -> Tensor[R, D, f32]:
    return gelu(x @ w)


scaled_vjp = vjp(scaled, wrt=("x", "w"))


def two[N](x: Tensor[N, f32], y: Tensor[N, f32], by: f32) -> (Tensor[N, f32], Tensor[N, f32]):
    return x * y, sin(x) * by


two_vjp = vjp(two, wrt="x")


def energy[N](x: Tensor[N, f32]) -> f32:
    return sum(x * x * x)


slope = grad(energy, wrt="x")
'''


class Known(unittest.TestCase):
    """What PyTorch is told; this needs none."""

    @classmethod
    def setUpClass(cls):
        cls.m = tessera.loads(PROGRAM + MORE, name="known")

    def test_schemas(self):
        said = {name: schema_of(function) for name, function in self.m.functions.items()}
        self.assertEqual(said["rms"], "rms(Tensor x, float eps=1e-05) -> Tensor")
        self.assertEqual(said["parts"], "parts(Tensor x, Tensor y) -> (Tensor, Tensor)")
        self.assertEqual(said["saxpy"], "saxpy(Tensor x, Tensor(a!) y, float alpha) -> ()")
        self.assertEqual(said["shifted"], "shifted(Tensor x, int by, bool up=True) -> Tensor")

    def test_derivatives_are_known_by_their_definition(self):
        found = derivatives_of(self.m.functions)
        self.assertEqual({name: (d.function.name, d.wrt, d.by_result) for name, d in found.items()},
                         {"scaled": ("scaled_vjp", ("x", "w"), True), "two": ("two_vjp", ("x",), True), "energy": ("slope", ("x",), False)})

    def test_without_pytorch_it_says_so(self):
        if torch is not None:
            self.skipTest("SKIPPED: PyTorch is here")
        with self.assertRaises(ImportError):
            tessera.register_torch(self.m)


@unittest.skipUnless(torch, "SKIPPED: PyTorch is not here")
class Operators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.m = tessera.loads(PROGRAM + MORE, target=TARGET, name="operators")
        cls.ops = tessera.register_torch(cls.m)

    def setUp(self):
        self.device = TARGET.partition(":")[0]
        self.random = torch.Generator().manual_seed(7)

    def floats(self, *shape, grad=False):
        return torch.randn(*shape, generator=self.random).to(self.device).requires_grad_(grad)

    def near(self, a, b, tolerance=1e-4):
        self.assertTrue(torch.allclose(a.double().cpu(), b.double().cpu(), rtol=tolerance, atol=tolerance), f"{a} is not {b}")

    def test_they_are_called_by_name(self):
        x = self.floats(7, 33)
        self.near(torch.ops.operators.rms(x), x / (x * x).mean(-1, keepdim=True).add(1e-5).sqrt())
        self.near(self.ops.rms(x, eps=1.0), x / (x * x).mean(-1, keepdim=True).add(1.0).sqrt())
        first, second = self.ops.parts(x[0].contiguous(), x[1].contiguous())
        self.near(first, x[0] + 1)
        self.near(second, x[1] * 2)
        with self.assertRaises(AttributeError):
            self.ops.nothing

    def test_what_is_written_is_changed_in_place(self):
        x, y = self.floats(1000), self.floats(1000)
        wanted = 2 * x + y
        self.assertIsNone(self.ops.saxpy(x, y, 2.0))
        self.near(y, wanted)

    def test_gradients_flow(self):
        for rows, inner, columns in ((1, 1, 1), (5, 17, 33), (65, 64, 7)):
            x, w, c = self.floats(rows, inner, grad=True), self.floats(inner, columns, grad=True), self.floats(rows, columns)
            (self.ops.scaled(x, w) * c).sum().backward()
            p, q = x.detach().double().requires_grad_(True), w.detach().double().requires_grad_(True)
            (torch.nn.functional.gelu(p @ q) * c.double()).sum().backward()
            self.near(x.grad, p.grad, 2e-3)
            self.near(w.grad, q.grad, 2e-3)

    def test_of_several_results_some_may_be_unused(self):
        x, y = self.floats(65, grad=True), self.floats(65)
        self.ops.two(x, y, 3.0)[1].sum().backward()
        self.near(x.grad, 3.0 * torch.cos(x.detach()))

    def test_the_derivative_of_a_number(self):
        x = self.floats(129, grad=True)
        (self.ops.energy(x) * 2.0).backward()
        self.near(x.grad, 6.0 * x.detach() ** 2, 1e-3)

    def test_a_gradient_that_is_not_there_is_refused(self):
        with self.assertRaisesRegex(tessera.ArgumentError, "no derivative of it; write `rms_vjp = vjp"):
            self.ops.rms(self.floats(2, 3, grad=True))
        with self.assertRaisesRegex(tessera.ArgumentError, "`y` requires a gradient, and `two_vjp` has none by it"):
            self.ops.two(self.floats(3), self.floats(3, grad=True), 1.0)
        with torch.no_grad():
            self.assertEqual(self.ops.rms(self.floats(2, 3, grad=True)).shape, (2, 3))

    def test_shapes_are_known_without_values(self):
        out = torch.ops.operators.scaled(torch.empty(3, 4, device="meta"), torch.empty(4, 5, device="meta"))
        self.assertEqual((out.shape, out.device.type), ((3, 5), "meta"))
        self.assertEqual(self.ops.half(torch.empty(8, device="meta")).shape, (4,))

    @unittest.skipUnless(torch and hasattr(torch, "compile"), "SKIPPED: this PyTorch has no compiler")
    def test_they_are_compiled_with_what_is_around_them(self):
        def model(x, w):
            return (self.ops.scaled(x * 2.0, w) + 1.0).sum()

        x, w = self.floats(5, 17, grad=True), self.floats(17, 3, grad=True)
        model(x, w).backward()
        wanted, x.grad = x.grad, None
        torch.compile(model, fullgraph=True, backend="aot_eager")(x, w).backward()
        self.near(x.grad, wanted)


if __name__ == "__main__":
    unittest.main()
