#!/usr/bin/env python3
"""examples/gpt2/gpt2.tsr in a small size, with two blocks: from ln(V) its loss falls to that of tokens which are known, the
same in each run; so it does on two devices with together.tsr; and its step, compiled for CUDA, has one kernel for what all blocks do.

    gpt2.py TESSERA TESSERAC
"""
import math
import os
import re
import subprocess
import sys
import tempfile

from llama import write_npy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SMALL = {"V": 61, "T": 16, "D": 32, "H": 4, "BATCH": 4}
TOKENS = [i * 7 % SMALL["V"] for i in range(3000)]  # each token says which one comes next


def example(name="gpt2.tsr"):
    with open(os.path.join(ROOT, "examples/gpt2", name), encoding="utf-8") as file:
        return file.read()


def small(program):
    for name, value in SMALL.items():
        program, count = re.subn(rf"^{name} = \d+", f"{name} = {value}", program, flags=re.M)
        assert count == 1, name
    program, types = re.subn(r"tuple\[Block(, Block)+\]", "tuple[Block, Block]", program)
    program, values = re.subn(r"blocks=\((init_block\(r\[\d+\]\)[,\s]*)+\)", "blocks=(init_block(r[0]), init_block(r[1]))", program)
    assert (types, values) == (1, 1), (types, values)
    return program


def check_training(tool, folder):
    with open(os.path.join(folder, "small.tsr"), "w", encoding="utf-8") as file:
        file.write(small(example()))
    write_npy(os.path.join(folder, "tokens.npy"), (len(TOKENS),), TOKENS, "i")

    def losses(threads):
        command = [tool, "run", "small.tsr", "--arg", "steps=30", "--arg", "rate=0.006"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        assert done.returncode == 0, done.stdout + done.stderr
        print(done.stdout)
        return [float(loss) for loss in re.findall(r"loss (\d+[.]\d+)", done.stdout)]

    first = losses(1)
    assert abs(first[0] - math.log(SMALL["V"])) < 0.1, f"before it learns, all tokens are equally likely: {first}"
    assert first[-1] < 2, f"it does not learn: {first}"
    assert losses(2) == first


def check_devices(tool, folder):
    """Each of two devices has batches of its own. The first says the mean of the losses."""
    for name, text in (("gpt2.tsr", small(example())), ("together.tsr", example("together.tsr"))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    command = [tool, "run", "together.tsr", "--mesh", "dp=2", "--arg", "steps=30", "--arg", "rate=0.006"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    losses = [float(loss) for loss in re.findall(r"^step.*loss (\d+[.]\d+)", done.stdout, flags=re.M)]
    assert len(losses) == 4 and losses[0] > 4 and losses[-1] < 2, f"it does not learn on two devices: {losses}"


def check_kernels(compiler, folder):
    """Twelve blocks have the kernels of one: two of the same strategy and text are a mistake of the pass that shares them."""
    emitted = os.path.join(folder, "gpt2.cu")
    subprocess.run([compiler, os.path.join(ROOT, "examples/gpt2/gpt2.tsr"), "--function", "train_step", "--target", "cuda:sm_90a", "-o", emitted], check=True)
    with open(emitted, encoding="utf-8") as file:
        text = file.read()
    kernels = len(re.findall(r"^static __global__", text, flags=re.M))
    assert kernels < 160, f"{kernels} kernels: the blocks do not share theirs"
    assert "does not lie along the last two axes" not in text, "heads of attention are read without bulk copies"


def main(tool, compiler):
    with tempfile.TemporaryDirectory() as folder:
        check_kernels(compiler, folder)
        check_training(tool, folder)
        check_devices(tool, folder)
    print("the losses fall, the blocks share their kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
