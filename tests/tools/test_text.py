"""The text grows with the program, and not with the product of its steps: no step is computed anew for all that follow."""
import resource
import unittest

from support import ToolTest, run

HEAD = "def f[N, M](y0: Tensor[N, M, f32]) -> Tensor[N, M, f32] where N >= 4, M >= 4:\n"
JOINED = "def f[N](y0: Tensor[N, f32]) -> Tensor[N * {count}, f32]:\n"
STEPS = {  # `#` is the value before, `$` the next one
    "columns": "    $ = # - max(#, axis=0, keepdim=True) + #.T.T\n",
    "rows": "    $ = (# - mean(#, axis=1, keepdim=True)) * rsqrt(mean(# * #, axis=1, keepdim=True) + 1.0)\n",
    "both": "    $ = # / sum(#, axis=1, keepdim=True) - # / sum(#, axis=0, keepdim=True)\n",
    "stencil": "    $ = exp(-#) + concat([#[1:, :], #[:1, :]], axis=0) * concat([#[:, 1:], #[:, :1]], axis=1)\n",
    "products": "    $ = # @ (#.T @ #) * 0.1 + #\n",
}


class Text(ToolTest):
    def bytes_of(self, text, target):
        program = self.write("p.tsr", text)
        program = self.write("p.tsr", text)
        result = run("tesserac", program, "--target", target, "-o", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        return len(result.stdout)

    def steps(self, form, count):
        return "".join(form.replace("#", f"y{i}").replace("$", f"y{i + 1}") for i in range(count)) + f"    return y{count}\n"

    def test_text_grows_with_the_program(self):
        for name, form in STEPS.items():
            for target in ("cpu", "cuda:sm_90a"):
                with self.subTest(name, target=target):
                    few, many = (self.bytes_of(HEAD + self.steps(form, count), target) for count in (10, 40))
                    self.assertLess(many, 5 * few)

    def test_text_of_what_is_put_together(self):
        form = "    $ = concat([# * 0.5, # + 1.0], axis=0)\n"
        for target in ("cpu", "cuda:sm_90a"):
            with self.subTest(target):
                few, many = (self.bytes_of(JOINED.format(count=2**count) + self.steps(form, count), target) for count in (4, 12))
                self.assertLess(many, 5 * few)

    def test_time_grows_with_the_program(self):
        """Choices within choices: each place of the result is one of many parts, of which a vector takes several."""
        def seconds(count):
            parts = ", ".join(f"x * {i}.0 + y" for i in range(count))
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.bytes_of(f"def f[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[{count} * N, f32]:\n    return concat([{parts}])\n", "cuda:sm_90a")
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

        self.assertLess(seconds(400), 10 * seconds(100) + 1)


if __name__ == "__main__":
    unittest.main()
