#!/usr/bin/env python3
"""The examples of the library reference (stdlib/builtins.toml): compiled for the CPU, run, and compared with what they say.

    library_examples.py TESSERA

All that compile are one program, called through the Python package, which needs NumPy. Examples that say `checked` have
to pass `tessera check`; reserved names have to be refused.
"""
import os
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
try:
    import numpy as np
except ImportError:
    print("SKIPPED: NumPy is not here (python3-numpy)")
    sys.exit(77)


def array(value, kind=None):
    """Numbers of the file; "counted 4 4" is 0, 1, 2, ... in that shape, "identity 4", "zeros 4", "counted down 4"."""
    if isinstance(value, str):
        words = value.split()
        shape = [int(w) for w in words if w.isdigit()]
        if words[0] == "identity":
            made = np.eye(shape[0])
        elif words[0] == "zeros":
            made = np.zeros(shape)
        else:
            made = np.arange(int(np.prod(shape))).reshape(shape)
            made = made[::-1].copy() if words[1] == "down" else made
        return made.astype(kind or np.float32)
    made = np.array(value)
    return made.astype(kind if kind else np.int32 if made.dtype == np.int64 else np.float32 if made.dtype == np.float64 else made.dtype)


def type_of(value):
    made = array(value)
    dtype = {"float32": "f32", "int32": "i32", "bool": "bool"}[made.dtype.name]
    return f"Tensor[{', '.join(map(str, made.shape))}, {dtype}]" if made.shape else dtype


def function_text(name, entry):
    """The example as a function `example_<name>`; whatever else its text defines gets the name behind it, too."""
    if "code" in entry:
        text = entry["code"].strip("\n")
        for defined in re.findall(r"^(?:def|class) (\w+)", text, re.M):
            text = re.sub(rf"\b{defined}\b", f"{defined}_{name}", text)
        return text + "\n"
    types = entry.get("types", {})
    parameters = ", ".join(f"{p}: {types.get(p) or type_of(v)}" for p, v in entry["args"].items())
    result = entry.get("result") or type_of(entry["gives"])
    return f"def example_{name}({parameters}) -> {result}:\n    return {entry['example']}\n"


class Examples:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.failures = tool, folder, 0

    def fail(self, name, said):
        self.failures += 1
        print(f"FAILED {name}: {said}")

    def run(self, *words):
        return subprocess.run([self.tool, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def compiled(self, entries):
        import tessera

        texts = {name: function_text(name, entry) for name, entry in entries.items()}
        path = self.write("examples.tsr", "\n\n".join(texts.values()))
        try:
            module = tessera.load(os.path.join(self.folder, path))
        except tessera.CompileError as error:  # which of them it is
            self.fail("examples", str(error))
            for name, text in texts.items():
                if (done := self.run("check", self.write("one.tsr", text))).returncode or (done := self.run("build", "one.tsr")).returncode:
                    self.fail(name, done.stderr)
            return
        for name, entry in entries.items():
            kinds = {p: {"i32": np.int32, "i64": np.int64}.get(t.rpartition(" ")[2].rstrip("]"), np.float32) for p, t in entry.get("types", {}).items()}
            args = {p: array(v, kinds.get(p)) for p, v in entry["args"].items()}
            got, expected = module[f"example_{name}"](**args), array(entry["gives"])
            if got.shape != expected.shape or not np.allclose(got, expected, rtol=3e-6, atol=1e-6, equal_nan=True):
                self.fail(name, f"it is {got.tolist()}, not {expected.tolist()}")

    def program(self, name, entry):
        done = self.run("run", self.write(f"{name}.tsr", entry["program"].strip("\n") + "\n"))
        if done.returncode != 0 or done.stdout != entry["prints"]:
            self.fail(name, f"it prints {done.stdout!r}, not {entry['prints']!r}\n{done.stderr}")

    def checked(self, name, entry):
        text = entry["program"] if "program" in entry else function_text(name, entry)
        done = self.run("check", self.write(f"{name}.tsr", text.strip("\n") + "\n"))
        if done.returncode != 0:
            self.fail(name, done.stdout + done.stderr)

    def reserved(self, name, place):
        text = f"@kernel\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    i = tile.origin()[0]\n    return {place}{name}(x[i:i + 1])\n"
        done = self.run("check", self.write(f"{name}.tsr", text))
        if done.returncode != 1 or "yet" not in done.stdout + done.stderr:
            self.fail(name, f"it is not refused as what is not there yet: {done.stdout}{done.stderr}")


def main(tool):
    os.environ["TESSERA_HOME"] = os.path.dirname(os.path.dirname(tool))
    with open(os.path.join(ROOT, "stdlib/builtins.toml"), "rb") as file:
        entries = tomllib.load(file)
    entries.pop("groups")
    with open(os.path.join(ROOT, "src/sema/Builtins.def"), encoding="utf-8") as file:
        reserved = re.findall(r'TSR_BUILTIN\("(\w+)", "(\w+)", "[^"]*", Unsupported', file.read())
    with tempfile.TemporaryDirectory() as folder:
        examples = Examples(tool, folder)
        whole = {n: e for n, e in entries.items() if "gives" in e}
        examples.compiled(whole)
        for name, entry in entries.items():
            if entry.get("status") == "checked":
                examples.checked(name, entry)
            elif "program" in entry:
                examples.program(name, entry)
        for name, places in reserved:
            examples.reserved(name, "tile." if "T" in places else "")
        print(f"{len(entries)} entries, {len(whole)} compiled, {len(reserved)} reserved, {examples.failures} failed")
        return 1 if examples.failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
