#!/usr/bin/env python3
"""What tesserac emits for whole programs, compared with tests/e2e/golden.

    golden.py TESSERAC          TESSERA_UPDATE_GOLDENS=1 writes the goldens anew

A program has one source a target (.cu .hip .cpp); its header and its manifest stand once (`softmax.h`) if they are
equal for all targets, else once a target (`softmax.cuda.json`). Of host code the C++ stands.
"""
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = sorted(glob.glob(os.path.join(ROOT, "tests/canon/0[1-8]_*.tsr")))
PROGRAMS += [os.path.join(ROOT, path) for path in ("tests/e2e/programs/21_vectors.tsr", "tests/e2e/programs/mlp.tsr", "tests/e2e/programs/attention.tsr", "tests/e2e/programs/batches.tsr", "examples/softmax.tsr")]
# Only C++ has a `main`; the kernels of a derivative are the same for all targets but for what the others show.
HOST_PROGRAMS = [os.path.join(ROOT, path) for path in ("tests/e2e/programs/host_loops.tsr", "tests/canon/11_mlp_grad.tsr")]
PAGE = os.path.join(ROOT, "docs", "manifest.md")  # shows the manifest of EXAMPLE for CUDA
EXAMPLE = "softmax.cuda.json"
# For a machine whose text differs: products of warpgroups, filled by a producer, and rows that groups share. `03_matmul.sm_90a.cu`
MACHINES = {"sm_90a": ("cuda:sm_90a", [os.path.join(ROOT, path) for path in ("tests/canon/03_matmul.tsr", "tests/canon/05_norms.tsr", "tests/canon/08_flash_attention.tsr",
                                                                         "tests/e2e/programs/attention.tsr")]),
            "sm_80": ("cuda:sm_80", [])}
# Functions of a program that are shown for that machine alone.
PARTS = {os.path.join(ROOT, "tests/e2e/programs/narrow_products.tsr"): ("sm_90a", ["tiles", "rescaled"]),
         os.path.join(ROOT, "tests/e2e/programs/attention_slopes.tsr"): ("sm_90a", ["slopes"]),
         os.path.join(ROOT, "tests/e2e/programs/served_products.tsr"): ("sm_90a", ["int4_tiles", "fast"]),
         os.path.join(ROOT, "tests/e2e/programs/mlp_halves.tsr"): ("sm_80", ["mlp"])}
TARGETS = {"cuda": ".cu", "hip": ".hip", "cpu": ".cpp"}


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def without_number(text):
    """The number of a compile's files changes with each character of them; in the goldens it is 0."""
    return re.sub(r'(TESS_SET\(|Set |"set": ")[0-9a-f]{16}', r"\g<1>" + "0" * 16, text, count=1)


def emit(tesserac, program, target, options=()):
    """(source, header, manifest), or the message of what went wrong."""
    name = stem(program)
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, name + TARGETS[target])
        result = subprocess.run([tesserac, program, *options, "-o", output], capture_output=True, text=True, timeout=300)
        if result.returncode != 0:
            said = result.stdout + result.stderr
            raise RuntimeError(f"{name} for {target}: tesserac ended with status {result.returncode}\n{said}")
        return [without_number(read(os.path.join(folder, name + suffix))) for suffix in (TARGETS[target], ".h", ".json")]


def stem(program):
    return os.path.splitext(os.path.basename(program))[0]


def goldens_of(tesserac, program):
    """File name -> text of everything that is emitted for a program."""
    name, files = stem(program), {}
    if program in HOST_PROGRAMS:
        return {name + ".cpp": emit(tesserac, program, "cpu")[0]}
    if program in PARTS:
        machine, functions = PARTS[program]
        options = ["--target", MACHINES[machine][0], *(word for function in functions for word in ("--function", function))]
        return {f"{name}.{machine}.cu": emit(tesserac, program, "cuda", options)[0]}
    emitted = {target: emit(tesserac, program, target) for target in TARGETS}
    for target, suffix in TARGETS.items():
        files[name + suffix] = emitted[target][0]
    for machine, (option, programs) in MACHINES.items():
        if program in programs:
            files[f"{name}.{machine}.cu"] = emit(tesserac, program, "cuda", ["--target", option])[0]
    for column, suffix in ((1, ".h"), (2, ".json")):
        texts = {target: emitted[target][column] for target in TARGETS}
        if len(set(texts.values())) == 1:
            files[name + suffix] = texts["cuda"]
        else:
            files.update({f"{name}.{target}{suffix}": text for target, text in texts.items()})
    return files


def difference(name, emitted):
    path = os.path.join(GOLDEN, name)
    if not os.path.exists(path):
        return f"{name}: there is no golden of it\n"
    golden = read(path)
    if golden == emitted:
        return ""
    lines = list(difflib.unified_diff(golden.splitlines(True), emitted.splitlines(True), "golden/" + name, "emitted", n=2))
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines[:60])


def page_with(manifest):
    """The page on manifests with this one as its example."""
    before, rest = read(PAGE).split("```json\n", 1)
    return before + "```json\n" + manifest + "```\n" + rest.split("```\n", 1)[1]


def update(files):
    """Only what has changed is written. Gives the names of changed files."""
    os.makedirs(GOLDEN, exist_ok=True)
    changed = []
    for name, text in files.items():
        path = os.path.join(GOLDEN, name)
        if os.path.exists(path) and read(path) == text:
            continue
        with open(path + ".new", "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(path + ".new", path)
        changed.append(name)
    return changed


def main(tesserac):
    updating = os.environ.get("TESSERA_UPDATE_GOLDENS", "") not in ("", "0")
    files, broken = {}, []
    for program in [*PROGRAMS, *HOST_PROGRAMS, *PARTS]:
        try:
            files.update(goldens_of(tesserac, program))
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as problem:
            broken.append(stem(program))
            print(f"FAILED {problem}")
    present = os.listdir(GOLDEN) if os.path.isdir(GOLDEN) else []
    # The goldens of a program that cannot be compiled stay: they are the last that was right.
    stale = sorted(name for name in present if name not in files and name.split(".")[0] not in broken)
    if updating:
        changed = update(files)
        if EXAMPLE in files and (page := page_with(files[EXAMPLE])) != read(PAGE):
            with open(PAGE, "w", encoding="utf-8", newline="") as file:
                file.write(page)
        for name in stale:
            os.remove(os.path.join(GOLDEN, name))
        print(f"{len(files)} files, {len(changed)} of them written, {len(stale)} removed: {' '.join(changed + stale)}")
        return 1 if broken else 0
    wrong = [text for text in (difference(name, text) for name, text in files.items()) if text]
    if EXAMPLE in files and page_with(files[EXAMPLE]) != read(PAGE):
        wrong.append(f"docs/manifest.md does not show the manifest that is emitted ({EXAMPLE})\n")
    wrong += [f"{name}: a golden of nothing that is emitted\n" for name in stale]
    for text in wrong:
        print(text)
    print(f"{len(files)} files of {len(PROGRAMS + HOST_PROGRAMS) + len(PARTS)} programs, {len(wrong)} differ")
    if wrong:
        print("if what is emitted is right: ./dev golden")
    return 1 if wrong or broken or not files else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
