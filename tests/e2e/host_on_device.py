#!/usr/bin/env python3
"""Programs of host code as HIP, whose kernels run on this CPU (tests/device/hip_on_cpu), print what they print on the CPU.

    host_on_device.py TESSERAC TESSERA ROOT PROGRAM.tsr...

Tensors are on the device there, so that this is how stores and reads of host code get to them without a GPU.
"""
import os
import subprocess
import sys
import tempfile


def printed(command, folder):
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return run.stdout


def main():
    tesserac, tessera, root, *programs = sys.argv[1:]
    for program in map(os.path.abspath, programs):
        with tempfile.TemporaryDirectory() as folder:
            expected = printed([tessera, "run", program], folder)
            printed([tesserac, program, "--target", "hip:gfx942", "-o", "program.hip"], folder)
            options = ["-std=c++17", "-O1", "-D__HIP_PLATFORM_AMD__", "-DTSR_WAVE=64", f"-I{root}/tests/device/hip_on_cpu", f"-I{root}/include"]
            printed([os.environ.get("CXX", "g++"), "-x", "c++", *options, "program.hip", "-o", "program", "-lpthread"], folder)
            got = printed(["./program"], folder)
            if got != expected:
                sys.exit(f"{program}\n{got}is not\n{expected}")
    print(f"ok: {len(programs)} programs")


if __name__ == "__main__":
    main()
