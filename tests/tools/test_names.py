"""Names that the C library has, too: programs that use them are right, in C, C++ and CUDA, and when they are run."""
import json
import os
import random
import re
import shutil
import subprocess
import unittest

from support import ToolTest, read, read_npy, run, write_npy

SEED = int(os.environ.get("TESSERA_SEED", "1"))  # of the samples; the nightly run takes a new one, and all macros
SHARE = 1 if "TESSERA_SEED" in os.environ else 4  # one of so many names is tried
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def some_of(macros):
    """Each time the same, of all kinds: neighbours in the alphabet are mostly of one header."""
    return sorted(set(macros))[SEED % SHARE::SHARE]


class LibraryNames(ToolTest):
    # Of ISO C, POSIX, sockets, mathematics, old interfaces, data and macros.
    LIBRARY = ("step times open send accept read write close index free malloc memcpy exit abort signal select poll stat link pipe "
               "clock time sin gamma y0 environ optarg timezone daylight advance encrypt getopt basename isalpha div remove "
               "rsqrt norm3d strlcpy clnt_create xdr_bool dot_call dot").split()

    def library_program(self):
        return self.write("c.tsr", "".join(f"def {name}[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * {i}.0\n\n"
                                           for i, name in enumerate(self.LIBRARY, 2)))

    def test_functions_of_the_c_library(self):
        """They run as themselves, and no C name of theirs is the library's."""
        program = self.library_program()
        write_npy(self.path("x.npy"), [1.0, -2.5, 3.0], [3])
        for i, name in enumerate(self.LIBRARY, 2):
            if name not in ("step", "times", "open", "send", "free", "environ", "dot", "dot_call"):
                continue
            with self.subTest(name):
                result = run("tessera", "run", program, name, "--arg", "x=" + self.path("x.npy"), "--out", self.path("y.npy"))
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(list(read_npy(self.path("y.npy"))[1]), [i * 1.0, i * -2.5, i * 3.0])
        self.assertEqual(run("tesserac", program, "-o", self.path("c.cpp")).returncode, 0)
        symbols = [entry["symbol"] for entry in json.loads(read(self.path("c.json")))["entries"]]
        self.assertEqual(len(set(symbols)), len(self.LIBRARY))
        self.assertIn("dot", symbols)
        self.assertIn("dot_call_", symbols)
        defined = set()
        for library in ("libc.so.6", "libm.so.6"):
            for folder in ("/lib/x86_64-linux-gnu", "/lib64"):
                if shutil.which("nm") and os.path.exists(f"{folder}/{library}"):
                    text = subprocess.run(["nm", "-D", "--defined-only", f"{folder}/{library}"], capture_output=True, text=True).stdout
                    defined |= {line.split()[-1].split("@")[0] for line in text.splitlines()}
        self.assertEqual(sorted(defined & set(symbols)), [])
        self.assertEqual([s for s in symbols if not re.search(rf"\b{s}\(", read(self.path("c.h")))], [])

    def test_no_symbol_is_of_a_library(self):
        """All names of the libraries that emitted text is linked with: what they call by them stays theirs."""
        defined = set()
        for library in ("libc.so.6", "libm.so.6", "libgomp.so.1", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"):
            for folder in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64"):
                if os.path.exists(f"{folder}/{library}"):
                    text = subprocess.run(["nm", "-D", "--defined-only", f"{folder}/{library}"], capture_output=True, text=True).stdout
                    defined |= {line.split()[-1].split("@")[0] for line in text.splitlines() if line.split()[-2] != "A"}  # A: versions
        names = sorted(name for name in defined if re.fullmatch(r"[A-Za-z]\w*", name))
        names = [*names, "cuMemAlloc_v2", "cudaMalloc", "hipMalloc", "hsa_init", "nvrtcVersion", "cublasCreate_v2", "omp_get_wtime", "kmp_malloc"]
        self.assertGreater(len(names), 3000)
        symbols = {}
        for first in range(0, len(names), 400):  # a name that the language keeps stops its program alone
            part = [name for name in names[first:first + 400] if not re.fullmatch(EveryName.TAKEN, name)]
            program = self.write("p.tsr", "".join(f"def {name}(x: f32) -> f32:\n    return x\n\n" for name in part))
            wrong = {one["line"] for one in json.loads(run("tessera", "check", "--no-cache", "--json", program).stdout)["diagnostics"]}
            part = [name for i, name in enumerate(part) if not wrong & set(range(3 * i + 1, 3 * i + 4))]
            self.write("p.tsr", "".join(f"def {name}(x: f32) -> f32:\n    return x\n\n" for name in part))
            result = run("tesserac", program, "-o", self.path("p.cpp"))
            self.assertEqual(result.returncode, 0, result.stderr)
            symbols |= {entry["name"]: entry["symbol"] for entry in json.loads(read(self.path("p.json")))["entries"]}
        self.assertGreater(len(symbols), 2900)
        self.assertEqual([name for name, symbol in symbols.items() if symbol in defined], [])
        self.assertEqual([name for name in ("cuMemAlloc_v2", "cudaMalloc", "hsa_init", "kmp_malloc") if symbols[name] == name], [])

    def test_functions_of_the_c_library_compile(self):
        """In C++ and CUDA, and the header in C, together with the library's own headers."""
        program = self.library_program()
        for suffix in (".cpp", ".cu"):
            self.assertEqual(run("tesserac", program, "-o", self.path("c" + suffix)).returncode, 0)
        main = self.write("main.c", "#include <fcntl.h>\n#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n#include <strings.h>\n"
                                    "#include <sys/socket.h>\n#include <sys/times.h>\n#include <time.h>\n#include <unistd.h>\n"
                                    "#include \"c.h\"\nint main(void) { return open_(0, 0, 0) == 0 || open(\"/\", O_RDONLY) < 0; }\n")
        include = "-I" + os.path.join(ROOT, "include")
        compilers = [["g++", "-std=c++17", "-fsyntax-only", include, self.path("c.cpp")], ["gcc", "-std=gnu99", "-Wall", "-Werror", "-fsyntax-only", include, main]]
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if os.path.exists(nvcc):
            compilers.append([nvcc, "-std=c++17", "-arch=sm_80", "-cuda", include, self.path("c.cu"), "-o", self.path("c.ii")])
        for command in compilers:
            result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_loaded_library_shows_its_entry_functions_alone(self):
        cache = self.path("cache")
        result = run("tessera", "run", self.library_program(), "step", "--random", "N=3", TESSERA_CACHE=cache)
        self.assertEqual(result.returncode, 0, result.stderr)
        (library,) = [os.path.join(folder, file) for folder, _, files in os.walk(cache) for file in files if file.endswith(".so")]
        shown = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout.split("\n")
        self.assertRegex(" ".join(sorted(line.split()[-1] for line in shown if line)), r"^step_call tessLastErrorText tessSet_[0-9a-f]{16}$")


class EveryName(ToolTest):
    """Words of the C library, of libm, libgomp and libstdc++ and of all macros that emitted text sees, as the machine has them."""

    FORMS = {
        "function": "def {name}[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * {i}.0\n\n",
        "kernel": "@kernel(lanes=64)\ndef {name}[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    q = tile.linear_id()\n    if q < N:\n"
                  "        x[q] = x[q] + 1.0\n    return x\n\n",
        "parameter": "def fn{i}[N]({name}: Tensor[N, f32], b_{name}: f32) -> Tensor[N, f32]:\n    return {name} * 2.0 + b_{name}\n\n",
        "dimension": "def fn{i}[{name}](x: Tensor[{name}, f32]) -> Tensor[{name}, f32]:\n    return x * 2.0\n\n",
        "local": "@kernel(lanes=64)\ndef fn{i}[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    q = tile.linear_id()\n    if q < N:\n"
                 "        {name} = x[q]\n        {name} = {name} * {name} + 1.0\n        x[q] = {name} + {name} * 2.0\n    return x\n\n",
    }
    TAKEN = r"f\d+|bf\d+|tf32|[iu]\d+|bool|c64|fn\d+|[xqN]"  # dtypes, and the names of the forms

    SYSTEM = ("assert complex ctype errno fcntl fenv float inttypes limits locale math omp poll pthread sched semaphore setjmp signal stdalign "
              "stdarg stdbool stddef stdint stdio stdlib stdnoreturn string strings sys/mman sys/socket sys/stat sys/time sys/types sys/wait "
              "time unistd wchar wctype").split()

    def names(self):
        """Some of the names that libraries have, and all macros: of emitted text, and of what programs include beside its header."""
        found = set()
        for library in ("libc.so.6", "libm.so.6", "libgomp.so.1", "libstdc++.so.6"):
            for folder in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"):
                if os.path.exists(f"{folder}/{library}"):
                    text = subprocess.run(["nm", "-D", "--defined-only", f"{folder}/{library}"], capture_output=True, text=True).stdout
                    found |= {line.split()[-1].split("@")[0] for line in text.splitlines()}
        found = {name for name in found if re.fullmatch(r"[A-Za-z]\w*", name)}
        self.assertGreater(len(found), 500)
        chosen = random.Random(SEED).sample(sorted(found), min(len(found), 1500 // SHARE))
        system = "".join(f"#include <{name}.h>\n" for name in self.SYSTEM)
        headers = system + "".join(f'#include "tessera/{name}"\n' for name in ("entry.h", "device/fragment.h", "device/reduce.h", "host.h"))
        macros = set()
        for compiler, text in ((["g++", "-std=gnu++17"], self.write("h.cpp", headers)), (["gcc", "-std=gnu11"], self.write("h.c", system))):
            said = subprocess.run([*compiler, "-fopenmp", "-dM", "-E", "-I" + os.path.join(ROOT, "include"), text], capture_output=True, text=True, check=True)
            macros |= set(re.findall(r"#define ([A-Za-z]\w*)", said.stdout))
        self.assertGreater(len(macros), 1000)
        return [name for name in sorted(set(some_of(macros)) | set(chosen)) if not re.fullmatch(self.TAKEN, name)]

    def accepted(self, pieces):
        """The program of these functions without those whose names are words of the language."""
        head = "from tessera import kernel, tile\n\n"
        while True:
            program = self.write("p.tsr", head + "".join(pieces))
            found = json.loads(run("tessera", "check", "--no-cache", "--json", program).stdout)["diagnostics"]
            wrong = {one["line"] for one in found if one["severity"] == "error"}
            if not wrong:
                return program, len(pieces)
            kept, line = [], head.count("\n") + 1
            for piece in pieces:
                after = line + piece.count("\n")
                if not any(line <= one < after for one in wrong):
                    kept.append(piece)
                line = after
            self.assertLess(len(kept), len(pieces))
            pieces = kept

    def words_of(self, compiler, *macros):
        """The macros, and some of the other words, of what emitted text includes."""
        headers = self.write("h.cu", "".join(f'#include "tessera/{name}"\n' for name in ("entry.h", "device/fragment.h", "device/reduce.h")))
        command = [*compiler, "-E", "-I" + os.path.join(ROOT, "include"), headers]
        macros = re.findall(r"#define ([A-Za-z]\w*)", subprocess.run([*command, *macros], capture_output=True, text=True, check=True).stdout)
        text = re.sub(r"^#.*$", "", subprocess.run(command, capture_output=True, text=True, check=True).stdout, flags=re.M)
        words = set(re.findall(r"\b[A-Za-z]\w*\b", text)) - set(macros)
        self.assertGreater(min(len(macros), len(words)), 500)
        chosen = random.Random(SEED)
        names = some_of(macros) + chosen.sample(sorted(words), min(len(words), 400 // SHARE))
        return [name for name in names if not re.fullmatch(self.TAKEN, name)]

    def program_of(self, names):
        forms = list(self.FORMS.values())
        return self.accepted([forms[i % len(forms)].format(name=name, i=i) for i, name in enumerate(names)])

    def test_names_of_cuda(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not os.path.exists(nvcc):
            self.skipTest("no nvcc here")
        program, count = self.program_of(self.words_of([nvcc, "-std=c++17", "-arch=sm_90a"], "-Xcompiler", "-dM"))
        self.assertGreater(count, 700 // SHARE)
        self.assertEqual(run("tesserac", program, "-o", self.path("p.cu")).returncode, 0)
        self.compiles([nvcc, "-std=c++17", "-arch=sm_80", "-cuda", "-I" + os.path.join(ROOT, "include"), self.path("p.cu"), "-o", self.path("p.ii")])

    def test_names_of_hip(self):
        if not shutil.which("clang++-19") or not os.path.exists("/usr/include/hip/hip_runtime.h"):
            self.skipTest("no clang++-19 or no headers of HIP here")
        compiler = ["clang++-19", "-x", "hip", "--offload-arch=gfx90a", "--cuda-device-only", "-nogpulib", "-std=c++17"]
        program, count = self.program_of(self.words_of(compiler, "-dM"))
        self.assertGreater(count, 1200 // SHARE)
        self.assertEqual(run("tesserac", program, "-o", self.path("p.hip")).returncode, 0)
        self.compiles([*compiler, "-fsyntax-only", "-I" + os.path.join(ROOT, "include"), self.path("p.hip")])

    def compiles(self, command):
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr[:3000])

    def test_names_of_all_libraries(self):
        names = self.names()
        program, count = self.program_of(names)
        self.assertGreater(count, 2000 // SHARE)
        result = run("tesserac", program, "-o", self.path("p.cpp"))
        self.assertEqual(result.returncode, 0, result.stderr)
        main = self.write("main.c", "".join(f"#include <{name}.h>\n" for name in self.SYSTEM) + '#include "p.h"\nint main(void) { return 0; }\n')
        include = ["-I" + os.path.join(ROOT, "include"), "-fopenmp", "-fsyntax-only"]
        for command in (["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", *include, self.path("p.cpp")],
                        ["gcc", "-std=gnu11", "-Wall", "-Werror", *include, main], ["g++", "-std=gnu++17", "-Wall", "-Werror", "-x", "c++", *include, main]):
            self.compiles(command)


if __name__ == "__main__":
    unittest.main()
