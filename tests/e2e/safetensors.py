#!/usr/bin/env python3
"""Files of named tensors: written here and read by programs, written by programs and read here, and refused where they are wrong.

    safetensors.py TESSERA
"""
import json
import io
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

from programs import read_npy

ARCHIVE = """
def doubled[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return x * 2.0

def main(name: str = "x"):
    print(doubled(load_npz("all.npz", name)))
    print(load_npz("all.npz", "counts"))
"""
PROGRAM = """
struct Layer[D]:
    w: Tensor[D, D, f32]
    flags: Tensor[D, bool]


struct Model[D, N]:
    embed: Tensor[N, D, bf16]
    layers: (Layer[D], Layer[D])
    counts: Tensor[N, i64]
    halves: Tensor[2, f16]
    wide: Tensor[f64]
    bytes: Tensor[3, u8]


def total[D, N](model: Model[D, N], x: Tensor[D, f32]) -> Tensor[D, f32]:
    y = model.layers[1].w @ (model.layers[0].w @ x)
    return y + sum(cast(model.counts, f32)) + cast(model.embed[0], f32) + where(model.layers[1].flags, 1.0, 0.0)


def one[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return x * 2.0


def vector[D, N](model: Model[D, N]) -> Tensor[D, f32]:
    return ones((D,))


def main(path: str = "model.safetensors", out: str = "out.safetensors"):
    model = load_safetensors(path, Model)
    print(model.layers[0].w.shape[0], model.counts[1], model.wide)
    print(f"{total(model, vector(model))[0]:.4f}")
    save_safetensors(out, model)
    again = load_safetensors(out, Model)
    print(f"{total(again, vector(again))[0]:.4f}")
    print(load_safetensors(out, "layers.1.flags"))
"""
D, N = 3, 2


def write(path, tensors, header=None, cut=None):
    """Tensors by name: (dtype, shape, bytes)."""
    entries, data = {"__metadata__": {"made by": "a test"}}, b""
    for name, (dtype, shape, values) in tensors.items():
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = (json.dumps(entries) if header is None else header(entries)).encode()
    with open(path, "wb") as file:
        file.write((struct.pack("<Q", len(text)) + text + data)[:cut])


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    body = data[8 + size :]
    entries = json.loads(data[8 : 8 + size])
    return {name: (e["dtype"], e["shape"], body[slice(*e["data_offsets"])]) for name, e in entries.items()}


def model(rng):
    def floats(*shape):
        count = 1
        for extent in shape:
            count *= extent
        return struct.pack(f"<{count}f", *[rng.uniform(-1, 1) for _ in range(count)])

    tensors = {"embed": ("BF16", [N, D], bytes(rng.choice([0x80, 0x3F]) for _ in range(2 * N * D)))}
    for i in range(2):
        tensors[f"layers.{i}.w"] = ("F32", [D, D], floats(D, D))
        tensors[f"layers.{i}.flags"] = ("BOOL", [D], bytes(rng.randrange(2) for _ in range(D)))
    tensors["counts"] = ("I64", [N], struct.pack(f"<{N}q", 5, -7))
    tensors["halves"] = ("F16", [2], struct.pack("<2e", 0.5, -2.0))
    tensors["wide"] = ("F64", [], struct.pack("<d", 0.1))
    tensors["bytes"] = ("U8", [3], b"\x00\x7f\xff")
    names = list(tensors)
    rng.shuffle(names)  # in any order
    return {name: tensors[name] for name in names}


def expected(tensors):
    """The first element of total(): in f64."""
    def array(name, code):
        _, shape, data = tensors[name]
        return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)

    one, two = array("layers.0.w", "f"), array("layers.1.w", "f")
    inner = [sum(one[r * D : r * D + D]) for r in range(D)]
    embed = struct.unpack("<f", b"\0\0" + tensors["embed"][2][:2])[0]
    return sum(w * h for w, h in zip(two[:D], inner)) + sum(array("counts", "q")) + embed + tensors["layers.1.flags"][2][0]


class Test:
    def __init__(self, tessera, folder):
        self.tessera, self.folder, self.bad = tessera, folder, 0
        self.program = os.path.join(folder, "model.tsr")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)

    def check(self, good, what):
        if not good:
            self.bad += 1
            print("FAILED", what)

    def run(self, *arguments):
        return subprocess.run([self.tessera, "run", self.program, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def main(self, target):
        return self.run("--target", target)

    def round_trip(self, rng):
        tensors = model(rng)
        write(os.path.join(self.folder, "model.safetensors"), tensors)
        for target in ("cpu", "reference"):
            out = os.path.join(self.folder, "out.safetensors")
            if os.path.exists(out):
                os.remove(out)
            result = self.main(target)
            lines = result.stdout.splitlines()
            self.check(result.returncode == 0 and len(lines) == 4, f"{target}: {result.stdout}{result.stderr}")
            if result.returncode != 0:
                continue
            self.check(lines[0] == f"{D} -7 0.1", lines[0])
            self.check(abs(float(lines[1]) - expected(tensors)) < 1e-3 and lines[1] == lines[2], f"{lines[1:3]} and {expected(tensors)}")
            self.check(lines[3] == str([bool(b) for b in tensors["layers.1.flags"][2]]), lines[3])
            self.check(read(out) == tensors, f"{target}: what was written is not what was read")

    def refused(self, words, tensors, **how):
        """One message with these words, no traceback, and nothing written."""
        write(os.path.join(self.folder, "model.safetensors"), tensors, **how)
        out = os.path.join(self.folder, "out.safetensors")
        if os.path.exists(out):
            os.remove(out)
        for target in ("cpu", "reference"):
            result = self.main(target)
            said = result.stdout + result.stderr
            self.check(result.returncode == 1 and words in said, f"{target}: {words!r} in {said}")
            self.check(not os.path.exists(out), f"{target}: something was written after {words!r}")

    def mistakes(self, rng):
        good = model(rng)
        other = dict(good)
        self.refused("it lacks `wide`", {k: v for k, v in good.items() if k != "wide"})
        self.refused("it has `more`, which nothing asks for", {**good, "more": ("F32", [1], b"\0\0\0\0")})
        other["halves"] = ("F32", [2], bytes(8))
        self.refused("`halves` is of f32, and f16 is needed", other)
        other = {**good, "layers.1.flags": ("BOOL", [D], b"\x01\x02\x00")}
        self.refused("holds 2 where a truth value is 0 or 1", other)
        self.refused("ends before its elements do", good, cut=-1)
        self.refused("ends before its header does", good, cut=100)
        self.refused("fewer than the length of a header", good, cut=5)
        self.refused("does not begin with `{`", good, header=lambda entries: " " + json.dumps(entries))
        other = {**good, "counts": ("I64", [N + 1], struct.pack("<3q", 1, 2, 3))}
        write(os.path.join(self.folder, "model.safetensors"), other)
        result = self.main("cpu")
        self.check(result.returncode != 0 and "counts" in result.stderr, f"another extent: {result.stderr}")

    def archives(self):
        """Arrays of .npz files: stored, with large-file fields as NumPy writes them, and refused where they are not."""
        program = os.path.join(self.folder, "archive.tsr")
        path = os.path.join(self.folder, "all.npz")
        with open(program, "w", encoding="utf-8") as file:
            file.write(ARCHIVE)

        def npy(descr, shape, data):
            head = repr({"descr": descr, "fortran_order": False, "shape": shape})
            head += " " * (63 - (10 + len(head)) % 64) + "\n"
            return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data

        def save(method=zipfile.ZIP_STORED, comment=b""):
            with zipfile.ZipFile(path, "w", method, allowZip64=True) as archive:
                archive.comment = comment
                for name, data in (("x", npy("<f4", (3,), struct.pack("<3f", 1, -2.5, 4))), ("counts", npy("<i8", (2, 1), struct.pack("<2q", 7, -1)))):
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        member.write(data)

        def said(*arguments):
            results = [subprocess.run([self.tessera, "run", program, "--target", target, *arguments], cwd=self.folder, capture_output=True, text=True,
                                      timeout=300) for target in ("cpu", "reference")]
            self.check(results[0].returncode == results[1].returncode, f"{arguments}: the reference ends otherwise")
            return results[0].returncode, results[0].stdout + results[0].stderr, results[1].stdout + results[1].stderr

        for comment in (b"", b"of 65 PK\5\6 bytes"):
            save(comment=comment)
            code, compiled, reference = said()
            self.check(code == 0 and compiled == reference == "[2.0, -5.0, 8.0]\n[[7],\n [-1]]\n", compiled + reference)
        for words, change in (("it has no array `y`; it has `x`, `counts`", None), ("is compressed", zipfile.ZIP_DEFLATED)):
            save(method=change or zipfile.ZIP_STORED)
            code, compiled, reference = said(*(["--arg", "name=y"] if change is None else []))
            self.check(code == 1 and words in compiled and words in reference, f"{words}: {compiled}{reference}")
        save()
        with open(path, "rb") as file:
            good = file.read()
        at = good.index(struct.pack("<3f", 1, -2.5, 4))
        for words, data in (("its check sum is another one", good[:at] + b"\x01" + good[at + 1 :]), ("it is no .npz file", good[:-30]), ("it is no .npz file", b"PK"),
                            ("is not where it is said to be", b"XX" + good[2:])):
            with open(path, "wb") as file:
                file.write(data)
            code, compiled, reference = said()
            self.check(code == 1 and words in compiled and words in reference, f"{words}: {compiled}{reference}")

    def arguments(self, rng):
        tensors = model(rng)
        weights = os.path.join(self.folder, "weights.safetensors")
        write(weights, {**tensors})
        x = os.path.join(self.folder, "x.safetensors")
        write(x, {"x": ("F32", [D], struct.pack("<3f", 1, 1, 1)), "y": ("F32", [2], struct.pack("<2f", 3, 4))})
        for target in ("cpu", "reference"):
            out = os.path.join(self.folder, f"{target}.npy")
            result = self.run("total", "--arg", "model=weights.safetensors", "--arg", "x=x.safetensors", "--target", target, "--out", out)
            self.check(result.returncode == 0, f"a struct as an argument: {result.stdout}{result.stderr}")
            if result.returncode == 0:
                self.check(abs(read_npy(out)[1][0] - expected(tensors)) < 1e-3, "the value of a struct from a file")
            result = self.run("one", "--arg", "x=x.safetensors:y", "--target", target, "--out", out, "--force")
            self.check(result.returncode == 0 and read_npy(out)[1] == (6.0, 8.0), f"a tensor by its name: {result.stdout}{result.stderr}")
        del tensors["embed"]
        write(weights, tensors)
        result = self.run("total", "--arg", "model=weights.safetensors", "--arg", "x=x.safetensors")
        self.check(result.returncode != 0 and "it lacks `embed`" in result.stderr, f"a missing field: {result.stderr}")
        result = self.run("one", "--arg", "x=x.safetensors:z")
        self.check(result.returncode != 0 and "it has `x`, `y`" in result.stderr, f"a name that is not there: {result.stderr}")


def main(tessera):
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        test = Test(os.path.abspath(tessera), folder)
        test.round_trip(rng)
        test.mistakes(rng)
        test.arguments(rng)
        test.archives()
        print("all good" if not test.bad else f"{test.bad} failures")
        return test.bad != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
