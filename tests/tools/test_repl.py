"""`tessera repl`: what is typed is computed, shown with its shape, and kept."""
import os
import subprocess
import time
import unittest

from support import BIN, ToolTest, read_npy

SOFTMAX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "softmax.tsr")

DEFINITIONS = '''def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    """Two lines."""

    return x * 2.0
n = 3
v = f(ones((n,), f32))
v
def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return x * 5.0
f(v)
def energy[N](x: Tensor[N, f32]) -> f32:
    return sum(x * x)
slope = grad(energy, wrt="x")
slope(v)
n = 2
ones((n,), f32)
for i in range(3):
    v = v + 1.0
v
v[0] = 7.0
v
x, y = v * 2.0, sum(v)
y
x = 1.5
x = ones((2, 1), f32)
:list
'''


class Repl(ToolTest):
    def typed(self, text, *arguments):
        return subprocess.run([os.path.join(BIN, "tessera"), "repl", *arguments], input=text, capture_output=True, text=True, timeout=120, cwd=self.folder)

    def test_arrays_have_shapes_and_rows(self):
        done = self.typed("a = iota((2, 3), axis=1, dtype=f32) + 1.0\na\na @ a.T\na > 2.0\nsum(a)\niota((100, 2), axis=0, dtype=i32)\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, """a: Tensor[2, 3, f32]
Tensor[2, 3, f32]
[[1., 2., 3.],
 [1., 2., 3.]]
Tensor[2, 2, f32]
[[14., 14.],
 [14., 14.]]
Tensor[2, 3, bool]
[[False, False,  True],
 [False, False,  True]]
f32
12.
Tensor[100, 2, i32]
[[ 0,  0],
 [ 1,  1],
 [ 2,  2],
 ...,
 [97, 97],
 [98, 98],
 [99, 99]]
""")

    def test_definitions_are_kept_and_changed(self):
        done = self.typed(DEFINITIONS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        vectors = [line for line in done.stdout.splitlines() if line.startswith("[")]
        self.assertEqual(vectors, ["[2., 2., 2.]", "[10., 10., 10.]", "[4., 4., 4.]", "[1., 1.]", "[5., 5., 5.]", "[7., 5., 5.]"])
        self.assertIn("f32\n17.\n", done.stdout)
        self.assertTrue(done.stdout.endswith("n = 2\nv: Tensor[3, f32]\nx: Tensor[2, 1, f32]\ny: f32\n"), done.stdout)

    def test_a_mistake_is_said_and_changes_nothing(self):
        done = self.typed("a = ones((2, 3), f32)\na = a @ a\n1 +\nhiden\na[5, 5]\na\n")
        self.assertEqual(done.returncode, 1)
        for code in ("E0405", "E0200", "E0408", "E0138"):
            self.assertIn(f"error[{code}]", done.stderr)
        self.assertTrue(done.stdout.endswith("[[1., 1., 1.],\n [1., 1., 1.]]\n"), done.stdout)

    def test_a_program_and_files(self):
        done = self.typed("x = iota((1, 4), axis=1, dtype=f32)\ny = softmax(x * 0.0)\n:write y y.npy\n:read z y.npy\nz + 1.0\n:write nothing n.npy\n", SOFTMAX)
        self.assertEqual(read_npy(self.path("y.npy")), ([1, 4], [0.25] * 4))
        self.assertIn("[[1.25, 1.25, 1.25, 1.25]]", done.stdout)
        self.assertEqual(done.stderr, "there is no variable `nothing`\n")
        self.assertEqual(self.typed("", self.path("missing.tsr")).returncode, 2)

    def test_kernels_are_called(self):
        done = self.typed("@kernel\ndef twice[n](x: Tensor[n, f32]) -> Tensor[n, f32]:\n    i = tile.linear_id()\n    if i < n:\n        x[i] = 2.0 * x[i]\n    return x\nx = ones((3,), f32)\nx = twice(x)\nx\n")
        self.assertEqual(done.stderr, "")
        self.assertIn("[2., 2., 2.]", done.stdout)

    def test_the_prompt_ends_what_runs_and_lives_on(self):
        import pty

        leader, follower = pty.openpty()
        child = subprocess.Popen([os.path.join(BIN, "tessera"), "repl"], stdin=follower, stdout=follower, stderr=follower, start_new_session=True, close_fds=True,
                                 preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
        os.close(follower)
        seen = b""

        def until(text, seconds=30):
            nonlocal seen
            end = time.time() + seconds
            while text not in seen and time.time() < end:
                seen += os.read(leader, 4096)
            self.assertIn(text, seen)
            seen = seen[seen.index(text) + len(text):]

        until(b">>> ")
        os.write(leader, b"a = ones((3000, 3000), f32)\n")
        until(b"Tensor[3000, 3000, f32]")
        os.write(leader, b"b = a @ a @ a @ a @ a @ a @ a @ a\n")
        time.sleep(0.7)
        os.write(leader, b"\x03")
        until(b"it was ended")
        os.write(leader, b"a[:2, 0]\n")
        until(b"[1., 1.]")
        os.write(leader, b":quit\n")
        self.assertEqual(child.wait(20), 0)
        os.close(leader)


if __name__ == "__main__":
    unittest.main()
