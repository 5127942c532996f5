#!/usr/bin/env python3
"""Programs whose devices exchange data, on the meshes that their comments name: `# devices: dp=1; dp=2,tp=2`. They look themselves at what comes out.

    devices.py TESSERAC TESSERA PROGRAM.tsr [--hip-on-cpu | --target cuda]

Each runs on CPUs by `tessera run --mesh`. With --hip-on-cpu it is compiled as HIP, its kernels and what stands in for RCCL run on this CPU, and
`tessera launch` starts it: so its text for GPUs runs without one. With --target cuda the meshes that the machine has GPUs for.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def done(command, folder, what):
    """NVLink's multicast stays off."""
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, env={**os.environ, "NCCL_NVLS_ENABLE": "0"})
    if result.returncode != 0:
        sys.exit(f"{what}: status {result.returncode}\n{' '.join(command)}\n{result.stdout[-4000:]}{result.stderr[-4000:]}")
    return result.stdout


def size_of(mesh):
    product = 1
    for size in re.findall(r"=(\d+)", mesh):
        product *= int(size)
    return product


def main():
    tesserac, tessera, program, *options = sys.argv[1:]
    tesserac, tessera, program = map(os.path.abspath, (tesserac, tessera, program))
    with open(program, encoding="utf-8") as file:
        named = re.search(r"^# devices: (.+)$", file.read(), re.M)
    assert named, "the program names no meshes: # devices: dp=1; dp=2"
    meshes = [mesh.strip() for mesh in named.group(1).split(";")]
    target = options[1] if options[:1] == ["--target"] else "cpu"
    if target != "cpu":
        gpus = len(subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True).stdout.splitlines())
        meshes = [mesh for mesh in meshes if size_of(mesh) <= gpus]
        assert meshes, "no mesh has as few devices as there are GPUs"
    with tempfile.TemporaryDirectory() as folder:
        if options[:1] == ["--hip-on-cpu"]:
            done([tesserac, program, "--target", "hip:gfx942", "-o", "program.hip"], folder, "tesserac")
            here = [f"-I{ROOT}/tests/device/hip_on_cpu", f"-I{ROOT}/tests/device/rccl_on_cpu", f"-I{ROOT}/include"]
            done([os.environ.get("CXX", "g++"), "-x", "c++", "-std=c++17", "-O1", "-D__HIP_PLATFORM_AMD__", "-DTSR_WAVE=64", *here, "program.hip", "-o", "program", "-lpthread"],
                 folder, "the compiler")
        for mesh in meshes:
            start = [tessera, "launch", "--mesh", mesh, "./program"] if options[:1] == ["--hip-on-cpu"] else [tessera, "run", program, "--mesh", mesh, "--target", target]
            done(start, folder, mesh)
    print(f"ok: {'; '.join(meshes)}")


if __name__ == "__main__":
    main()
