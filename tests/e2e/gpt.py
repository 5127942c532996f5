#!/usr/bin/env python3
"""examples/gpt/gpt.tsr in a small size: it learns a text of few words, writes them, and does the same twice.

    gpt.py TESSERA
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SMALL = {"T": 16, "D": 32, "H": 2, "B": 8, "K": 64}
WORDS = "the cat sees the dog and the dog sees the cat. "


def main(tool):
    with open(os.path.join(ROOT, "examples/gpt/gpt.tsr"), encoding="utf-8") as file:
        program = file.read()
    for name, value in SMALL.items():
        program, count = re.subn(rf"^{name} = \d+", f"{name} = {value}", program, flags=re.M)
        assert count == 1, name
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("gpt.tsr", program), ("words.txt", WORDS * 40)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)

        def run(*arguments, fails=False, threads=1):
            words = [tool, "run", "gpt.tsr"]
            for argument in arguments:
                words += ["--arg", argument]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=500, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
            assert (done.returncode != 0) == fails, done.stdout + done.stderr
            return done.stderr if fails else done.stdout

        said = run("text=words.txt", "steps=100", "rate=0.01", "heat=0.1")
        print(said)
        losses = [float(loss) for loss in re.findall(r"loss (\d+[.]\d+)", said)]
        assert abs(losses[0] - 5.545) < 0.2, f"before it learns, 256 letters are equally likely: {losses}"
        assert losses[-1] < 0.6, f"it does not learn: {losses}"
        written = said.splitlines()[-1]
        known = sum(word in WORDS.split() for word in written.split()) / len(written.split())
        assert len(written) == SMALL["K"] and known > 0.6, f"it writes '{written}'"
        again = run("text=words.txt", "steps=100", "rate=0.01", "heat=0.1", threads=2)
        assert re.findall("loss .*? ", again) == re.findall("loss .*? ", said) and again.splitlines()[-1] == written, again
        message = run("text=none.txt", fails=True)
        assert "none.txt" in message, message
        message = run("stepps=1", fails=True)
        assert "there is no argument --stepps" in message and "--steps an integer (800)" in message, message
    print("the losses fall, the words are learnt")
    return 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
