#!/usr/bin/env python3
"""What ptxas gives the kernels of tests/e2e/golden: registers of a lane, bytes spilled, stack, and shared memory of the
static kind. (The manifests among the goldens have the dynamic kind.) No product is serialised (notes C75xx).

    resources.py FOLDER         TESSERA_UPDATE_GOLDENS=1 writes resources.txt anew

The sources are the goldens themselves, so that a change of the compiler, of a device header or of a size shows here which
kernels it makes larger. Another version of ptxas gives other numbers: the test is skipped there, and without nvcc.
"""
import concurrent.futures
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")
TABLE = os.path.join(HERE, "resources.txt")
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "include")
SKIPPED = 77
MACHINES = ("sm_80", "sm_90a")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def machine_of(source):
    """The newest one; the older one where `matmul.sm_90a.cu` stands beside `matmul.cu`, or that the name says: optimising each text
    for both is a minute more, and what makes it larger for one makes it larger for the other."""
    old, new = MACHINES
    return old if source.endswith(f".{old}.cu") or os.path.exists(source[: -len(".cu")] + f".{new}.cu") else new


def version(nvcc):
    """`ptxas V13.0.88`"""
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    return "ptxas " + re.search(r"V\d+(\.\d+)+", said).group(0)


def plain(names):
    """Names of kernels as the source has them, with template arguments."""
    said = subprocess.run(["c++filt", "-p", *names], capture_output=True, text=True, check=True).stdout
    return [re.sub(r"\((?:int|long|bool)\)", "", name) for name in said.splitlines()]


def rows_of(log):
    """(kernel, what it takes) of each entry function in a log of ptxas."""
    found = []
    for part in re.split(r"Compiling entry function '", log)[1:]:
        kernel = part[: part.index("'")]
        spills = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
        used = re.search(r"Used (\d+) registers(.*)", part)
        if not spills or not used:
            raise RuntimeError(f"I do not understand what ptxas says of {kernel}:\n{part[:1000]}")
        shared = re.search(r"(\d+) bytes smem", used.group(2))
        found.append((kernel, f"{used.group(1)} registers, {spills.group(2)} + {spills.group(3)} spilled, "
                              f"{spills.group(1)} stack, {shared.group(1) if shared else 0} shared"))
    names = plain([kernel for kernel, _ in found])
    return sorted(f"{name}: {takes}" for name, (_, takes) in zip(names, found))


def compiled(nvcc, folder, source, machine):
    name = os.path.basename(source)
    output = os.path.join(folder, f"{name}.{machine}.cubin")
    command = [nvcc, "-std=c++17", "-O3", "-cubin", "-arch=" + machine, "-Xptxas", "-v", "-I", INCLUDE, "-I", GOLDEN, source, "-o", output]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{result.stdout[:6000]}")
    if serialised := re.findall(r"^.*\bC75\d\d\b.*$", result.stdout, re.M):
        raise RuntimeError(f"{name}: ptxas serialises products\n" + "\n".join(serialised))
    rows = rows_of(result.stdout)
    if not rows:
        raise RuntimeError(f"{name} has no kernel for {machine}")
    return "\n".join([f"{name} for {machine}", *("  " + row for row in rows), ""])


def main(folder):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc) or not shutil.which("c++filt"):
        skip("nvcc and c++filt are not here")
    updating = os.environ.get("TESSERA_UPDATE_GOLDENS", "") not in ("", "0")
    golden = open(TABLE, encoding="utf-8").read() if os.path.exists(TABLE) else ""
    if not updating and golden and not golden.startswith(version(nvcc) + "\n"):
        skip(f"resources.txt is of {golden.splitlines()[0]}, this is {version(nvcc)}")
    os.makedirs(folder, exist_ok=True)
    jobs = [(source, machine_of(source)) for source in sorted(glob.glob(os.path.join(GOLDEN, "*.cu")))]
    with concurrent.futures.ThreadPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        parts = list(pool.map(lambda job: compiled(nvcc, folder, *job), jobs))
    text = "\n".join([version(nvcc), "", *parts])
    if updating and text != golden:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write(text)
        print(f"wrote {TABLE}")
    elif text != golden:
        print("".join(list(difflib.unified_diff(golden.splitlines(True), text.splitlines(True), "resources.txt", "ptxas", n=1))[:80]))
        print("TESSERA_UPDATE_GOLDENS=1 writes it anew")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
