"""Names that the C library has, too: programs that use them are right, in C, C++ and CUDA, and when they are run."""
import json
import os
import re
import shutil
import subprocess
import unittest

from support import ToolTest, read, read_npy, run, write_npy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


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
        self.assertEqual(sorted(line.split()[-1] for line in shown if line), ["step_call", "tessLastErrorText"])


if __name__ == "__main__":
    unittest.main()
