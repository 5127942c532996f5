#!/usr/bin/env python3
"""What tesserac emits, through the compilers it is meant for: no error and no warning.

    compile.py TESSERAC FOLDER WAY PROGRAM.tsr...     compiles in FOLDER

WAY is a compiler, cuda | hip | g++ | clang++, and behind it, after a `:`, nothing, `quick` (every warning, but little
optimizing: up to PTX for one of NVIDIA's GPUs, and on to its instructions where inline assembly is new; or up to LLVM's IR
for one of AMD's whose waves have 64 lanes, with the text read once more for one whose waves have 32), `light` (as quick, and
NVIDIA's compiler also for the host, for a GPU of the other generation), `standalone` (as light, and the source has to compile
without our headers), `lines` (as light, with #line directives), or `sm_90a`: for that machine alone, whose products must not
spill and must not be serialised (ptxas says so in notes C75xx). `joined` is `quick` over a dozen programs at a time: reading
the headers takes longer than a small program. What a text includes itself is then not seen; so is `light` but for that of
one program. With nothing behind it, HIP is optimised for one GPU and compiled for the others, and CUDA is compiled for the
host and up to PTX: the goldens are these texts, and resources.py has ptxas optimise them. `optimised` is for all GPUs.
Where the compiler is missing the test says so and ends with status 77, which CTest counts as skipped.
"""
import functools
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, "include")
SKIPPED = 77
SUFFIX = {"cuda": ".cu", "hip": ".hip", "g++": ".cpp", "clang++": ".cpp"}
BITCODE = ["/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"]
AMD_GPUS = {"gfx942": 9402, "gfx90a": 9010, "gfx1100": 11000}  # with the number that their device library holds


class Missing(Exception):
    pass


def tool(*names):
    for name in names:
        if path := shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin:/opt/rocm/bin"):
            return path
    raise Missing(f"{' or '.join(names)} is not here")


def run(command, what):
    """What the compiler said counts, even where it succeeds."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    said = result.stdout.strip()
    if result.returncode == 0 and not said:
        return True
    print(f"FAILED {what}: status {result.returncode}\n  {' '.join(command)}\n{said[:6000]}")
    return False


def device_libraries(folder):
    """A folder with ROCm's device libraries for all of AMD_GPUS. A GPU's own file is one constant: an installation
    that is older than the GPU lacks it, and it can be written."""
    installed = next((place for place in BITCODE if os.path.exists(os.path.join(place, "ockl.bc"))), None)
    if not installed:
        raise Missing("ROCm's device libraries are not here (rocm-device-libs)")
    ours = os.path.join(folder, "bitcode")
    os.makedirs(ours, exist_ok=True)
    for name in os.listdir(installed):
        if not os.path.lexists(os.path.join(ours, name)):
            os.symlink(os.path.join(installed, name), os.path.join(ours, name))
    for gpu, number in AMD_GPUS.items():
        library = os.path.join(ours, f"oclc_isa_version_{gpu[3:]}.bc")
        if os.path.exists(library):
            continue
        old = os.path.join(installed, "oclc_isa_version_90a.bc")
        command = [tool("llvm-dis-19", "llvm-dis"), old, "-o", "-"]
        like = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        layout = next(line for line in like.splitlines() if line.startswith("target datalayout"))
        text = (f'{layout}\ntarget triple = "amdgcn-amd-amdhsa"\n'
                "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) "
                f"constant i32 {number}, align 4\n")
        subprocess.run([tool("llvm-as-19", "llvm-as"), "-", "-o", library], input=text, text=True, check=True)
    return ours


def slow_kernels(said):
    """The kernels of a log of ptxas -v with a reason to be slow. The instance for tensors whose rows are not aligned, whose
    last template argument is 1, copies element by element and may spill."""
    found, kernel = [], "?"
    for line in said.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = match.group(1)
        elif re.search(r"\bC75\d\d\b", line) or (not re.search(r"Li1EE", kernel) and re.search(r"\b[1-9]\d* bytes spill", line)):
            found.append(f"{kernel}: {line.strip()}")
    return found


def compiles_fast_text(command, what):
    """Compiles with the log of ptxas, and reads it."""
    result = subprocess.run(command + ["-Xptxas", "-v"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    slow = slow_kernels(result.stdout) if result.returncode == 0 else [result.stdout[:6000]]
    if slow:
        print(f"FAILED {what}: status {result.returncode}\n  {' '.join(command)}\n" + "\n".join(slow))
    return not slow


SHARED_BYTES = 48 << 10  # that a function may declare
INLINE_ASSEMBLY = re.compile(r"// begin inline asm\n(.*?)// end inline asm", re.S)
FUNCTION = re.compile(r"^(?=(?:\.\w+ )*\.(?:entry|func)\b)", re.M)
NAME = re.compile(r"(?:\.\w+ )*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")


def too_much_shared(ptx):
    """The functions of a PTX text that declare more shared memory than there is."""
    declared = {}
    for block in FUNCTION.split(ptx)[1:]:
        name = NAME.match(block).group(1)
        declared[name] = sum(int(size) for size in re.findall(r"^\s*\.shared .*\[(\d+)\];", block, re.M))
    return [f"{name} declares {size} bytes of shared memory" for name, size in declared.items() if size > SHARED_BYTES]


def new_assembly(ptx, seen):
    """The kernels of a PTX text that have, or reach by calls, inline assembly that is not among what was seen, apart from the
    numbers of registers; and all functions. Empty if there is no such kernel."""
    first, *blocks = FUNCTION.split(ptx)
    assembly, calls = {}, {}
    for block in blocks:
        name = NAME.match(block).group(1)
        assembly.setdefault(name, set()).update(re.sub(r"%([a-z]+)\d+", r"%\1", statement) for statement in INLINE_ASSEMBLY.findall(block))
        calls.setdefault(name, set()).update(re.findall(r"\bcall(?:\.uni)?\s+(?:\([^)]*\),\s*)?([A-Za-z_$][\w$]*)", block))
    kept, new = [first], False
    for block in blocks:
        if not re.match(r"(?:\.\w+ )*\.entry\b", block):
            kept.append(block)
            continue
        reached, ways = set(), [NAME.match(block).group(1)]
        while ways:
            if (name := ways.pop()) in assembly and name not in reached:
                reached.add(name)
                ways += calls[name]
        unseen = set().union(*(assembly[name] for name in reached)) - seen
        seen |= unseen
        new = new or bool(unseen)
        kept.append(block if unseen else block.partition("\n}\n")[2])  # variables may stand behind a kernel
    return "".join(kept) if new else ""


def compiles_to_ptx(command, what, seen):
    """Compiles to PTX. What ptxas refuses beside too much shared memory is inline assembly, which stands in our headers only:
    it reads the kernels with assembly that none before had. `seen`: all that it has read."""
    ptx = command[-1]
    if not run(command, what):
        return False
    with open(ptx, encoding="utf-8") as file:
        text = file.read()
    if large := too_much_shared(text):
        print(f"FAILED {what}: " + "\n".join(large))
        return False
    if not (part := new_assembly(text, seen)):
        return True
    with open(ptx + ".new", "w", encoding="utf-8") as file:
        file.write(part)
    fast = [word for word in command if word.startswith("--Ofast-compile")]
    return run([tool("ptxas"), *fast, "-arch=sm_80", ptx + ".new", "-o", ptx + ".cubin"], what + ", from PTX")


def knows_fast_compile(nvcc):
    return "--Ofast-compile" in subprocess.run([nvcc, "--help"], capture_output=True, text=True, check=True).stdout


@functools.lru_cache(maxsize=None)
def with_runtime(folder, flags, reads):
    """The flags of one pass over a HIP text, which find the header of AMD's runtime as it is once it is read: small texts
    take longer to read that than all else. Only that header, so that a text still has to include what it uses of ours."""
    header, ready = os.path.join(folder, f"runtime-{reads}.h"), os.path.join(folder, f"runtime-{reads}.pch")
    with open(header, "w", encoding="utf-8") as file:
        file.write("#include <hip/hip_runtime.h>\n")
    subprocess.run([*flags, "-emit-llvm", "-Xclang", "-emit-pch", "-c", header, "-o", ready], check=True)
    return [*flags, "-Xclang", "-include-pch", "-Xclang", ready]


@functools.lru_cache(maxsize=None)
def with_standard_library(folder, flags):
    """Likewise the flags of clang++ for a text of the CPU, and the headers of the standard library that ours include."""
    header, ready = os.path.join(folder, "standard.h"), os.path.join(folder, "standard.pch")
    ours = [path for path in glob.glob(INCLUDE + "/tessera/**/*.h", recursive=True) if not re.search("/(cuda|hip)/", path)]
    included = {name for path in ours for name in re.findall(r"^#include <([a-z]+)>", open(path, encoding="utf-8").read(), re.M)}
    with open(header, "w", encoding="utf-8") as file:
        file.writelines(f"#include <{name}>\n" for name in sorted(included - {"version"}))
    subprocess.run([flag for flag in flags if flag != "-fsyntax-only"] + ["-x", "c++-header", header, "-o", ready], check=True)
    return [*flags, "-include-pch", ready]


def commands_for(compiler, folder, how):
    """What compiles a file, and what else reads it."""
    quick = how in ("quick", "joined", "light", "standalone", "lines")
    warn = ["-std=c++17", "-Wall", "-Wextra", "-Werror"]
    if compiler == "cuda":
        flags = [tool("nvcc"), "-std=c++17", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror"]
        if how == "sm_90a":
            return [flags + ["-O3", "-fmad=false", "-gencode", "arch=compute_90a,code=sm_90a"]]  # -arch=sm_90a compiles for sm_90, too
        if how == "optimised":
            return [flags + [f for at in ("80", "90a") for f in ("-gencode", f"arch=compute_{at},code=sm_{at}")]]
        flags += ["--Ofast-compile=max"] if knows_fast_compile(flags[0]) else []
        if how in ("quick", "joined"):
            return [flags + ["-ptx", "-arch=compute_80"]]
        machine = "compute_90a" if quick else "compute_80"
        return [flags + ["-gencode", f"arch={machine},code={machine}"]]
    if compiler == "hip":
        if not any(os.path.exists(place + "/include/hip/hip_runtime.h") for place in ("/usr", "/opt/rocm")):
            raise Missing("HIP's headers are not here (libamdhip64-dev)")
        rocm = "/opt/rocm" if os.path.exists("/opt/rocm/include/hip") else "/usr"
        flags = [tool("clang++-19"), "-x", "hip", *warn, "--rocm-path=" + rocm, "--rocm-device-lib-path=" + device_libraries(folder)]
        if quick:
            one_pass = lambda gpu, side: with_runtime(folder, (*flags, "-O0", "--offload-arch=" + gpu, f"--offload-{side}-only"), f"{gpu}-{side}")
            no_passes = ["-emit-llvm", "-Xclang", "-disable-llvm-passes"]  # what those of -O0 refuse is no mistake of a text
            only_read = ["-fsyntax-only", "-Wno-unused-command-line-argument"]  # of one pass, clang says that it needs no -c
            return [one_pass("gfx90a", "device") + no_passes, one_pass("gfx1100", "device") + only_read]
        if how == "optimised":
            return [[*flags, "-O2", *("--offload-arch=" + gpu for gpu in AMD_GPUS)]]
        first, *others = AMD_GPUS
        others = [[*flags, "-O0", "--offload-device-only", "--offload-arch=" + gpu] for gpu in others]
        return [[*flags, "-O2", "--offload-arch=" + first], *others]
    if compiler == "g++":
        return [[tool("g++"), "-O2", "-fopenmp", *warn]]
    flags = (tool("clang++-19", "clang++"), "-fsyntax-only" if how in ("quick", "joined") else "-O2", "-fopenmp", *warn)
    return [with_standard_library(folder, flags) if how in ("quick", "joined") else flags]


def joined(sources, source):
    """Writes a text of several, each in a namespace of its own, behind what all of them include."""
    texts = {path: open(path, encoding="utf-8").read() for path in sources}
    includes = sorted({line for text in texts.values() for line in re.findall(r"^#include .*", text, re.M)})
    parts = [f'namespace in_{os.path.basename(path).split(".")[0]} {{\n#include "{os.path.basename(path)}"\n}}' for path in sources]
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(includes + parts) + "\n")


JOINED = 12  # programs of one text


def emitted(tesserac, folder, way, programs):
    """(the names of its programs, the source) of each text to compile."""
    compiler, _, how = way.partition(":")
    options = {"standalone": ["--standalone"], "lines": ["--line-directives"], "sm_90a": ["--target", "cuda:sm_90a"]}.get(how, [])
    sources, together = [], how == "joined" or (how == "light" and len(programs) > 1)
    for program in programs:
        name = os.path.splitext(os.path.basename(program))[0]
        source = os.path.join(folder, name + SUFFIX[compiler])
        own_names = ["--namespace", "in_" + name] if together else []
        if run([tesserac, program, "-o", source, *options, *own_names], "tesserac " + name):
            sources.append((name, source))
    if not together:
        yield from (([name], source) for name, source in sources)
        return
    for first in range(0, len(sources), JOINED):
        part = sources[first:first + JOINED]
        source = os.path.join(folder, f"joined-{first // JOINED}{SUFFIX[compiler]}")
        joined([path for _, path in part], source)
        yield [name for name, _ in part], source


def includes_for(compiler, how):
    """Where our headers are, and those of NCCL and RCCL where compilers do not look by themselves."""
    if how == "standalone":
        return []
    homes = [os.environ[name] + "/include" for name in ("NCCL_HOME", "RCCL_HOME") if os.environ.get(name)]
    if compiler == "hip" and not any(os.path.exists(place + "/rccl/rccl.h") for place in ("/usr/include", "/opt/rocm/include", *homes)):
        homes.append(os.path.join(ROOT, "tests/device/rccl_on_cpu"))  # stands in for it
    return ["-I" + INCLUDE, *(word for home in homes for word in ("-isystem", home))]


def needs_nccl(compiler, source):
    """Whether a text has collectives, and this machine no NCCL."""
    if compiler != "cuda" or '#include "tessera/collectives.h"' not in open(source, encoding="utf-8").read():
        return False
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(tool("nvcc"))))
    return not any(os.path.exists(place + "/include/nccl.h") for place in ("/usr", toolkit, os.environ.get("NCCL_HOME", "/usr")))


def main(tesserac, folder, way, programs):
    compiler, _, how = way.partition(":")
    os.makedirs(folder, exist_ok=True)
    good, seen = 0, set()
    include = includes_for(compiler, how)
    to_ptx = way in ("cuda:quick", "cuda:joined")
    compiles = compiles_fast_text if how == "sm_90a" else functools.partial(compiles_to_ptx, seen=seen) if to_ptx else run
    for names, source in emitted(tesserac, folder, way, programs):
        try:
            commands = commands_for(compiler, folder, how)
            if needs_nccl(compiler, source):
                raise Missing("NCCL's header is not here (libnccl-dev)")
        except Missing as missing:
            print(f"SKIPPED: {missing}: the emitted {SUFFIX[compiler]} files are not compiled")
            return SKIPPED
        files = [*include, source, "-o", source + ".ptx"] if to_ptx else [*include, "-c", source, "-o", source + ".o"]
        what = f"{', '.join(names)} with {compiler}"
        good += len(names) * all(compiles([*command, *files], what) for command in commands)
    print(f"{good} of {len(programs)} programs compiled with {way}")
    return 0 if good == len(programs) else 1


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3], sys.argv[4:]))
