#!/usr/bin/env python3
"""Emitted C++ on this machine's CPU, beside OpenBLAS and a copy of memory.

    python3 bench/cpu/run.py build/release                     all rows
    python3 bench/cpu/run.py build/release products            only products, or only `streams`
    python3 bench/cpu/run.py build/release --threads 1 --seconds 3

Products are compared with OpenBLAS (libopenblas-dev, made to use this machine's vectors), streams with a copy of
as many bytes. With one thread the time is the processor's, which other programs change little. A rate is that of the median of many short runs in turns; the ratio is ours by the other's.
"""
import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FLAGS = ["-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-fopenmp", "-Wno-unused-parameter"]
if platform.machine() == "x86_64":
    FLAGS.append("-mprefer-vector-width=512")


def flags_of_x86():
    """OpenBLAS 0.3.21 does not know every machine by its name, and then takes its oldest kernels."""
    try:
        words = open("/proc/cpuinfo").read().split()
    except OSError:
        return {}
    if "avx512f" in words:
        return {"OPENBLAS_CORETYPE": "SkylakeX"}
    return {"OPENBLAS_CORETYPE": "Haswell"} if "avx2" in words else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="the folder of a build, with bin/tesserac")
    parser.add_argument("what", nargs="?", default="all", choices=["all", "products", "streams"])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row")
    parser.add_argument("--compiler", default="g++")
    options = parser.parse_args()
    if not shutil.which(options.compiler):
        sys.exit(f"{options.compiler} is not here")
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "work.cpp"), os.path.join(folder, "bench")
        subprocess.run([os.path.join(options.build, "bin", "tesserac"), os.path.join(HERE, "work.tsr"), "-o", source],
                       check=True)
        include = ["-I" + os.path.join(ROOT, "include"), "-I" + folder]
        subprocess.run([options.compiler, *FLAGS, *include, source, os.path.join(HERE, "main.cpp"), "-ldl", "-o",
                        program], check=True)
        threads = str(options.threads)
        environment = {**os.environ, **flags_of_x86(), "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        print(f"{threads} threads, {options.compiler} {' '.join(FLAGS[1:])}")
        print(f"{'':18} {'size':>16} {'unit':>8} {'ours':>8} {'library':>8} {'copy':>8} {'ratio':>6}")
        process = subprocess.Popen([program, options.what, str(options.seconds), threads], stdout=subprocess.PIPE, text=True,
                                   env=environment)
        for line in process.stdout:
            if line.startswith("#"):
                print(line.rstrip())
                continue
            name, size, unit, *rates = line.split()
            ours, library, copy = map(float, rates)
            other = library or copy
            cells = " ".join(f"{rate:8.1f}" if rate else " " * 8 for rate in (ours, library, copy))
            print(f"{name:18} {size:>16} {unit:>8} {cells} {ours / other if other else float('nan'):6.2f}", flush=True)
        return process.wait()


if __name__ == "__main__":
    sys.exit(main())
