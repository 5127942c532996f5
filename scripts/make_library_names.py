#!/usr/bin/env python3
"""Writes src/ir/target/LibraryNames.def: the names with C linkage and of types that the C library, the mathematical library
and the headers of CUDA and HIP have. An exported function of a program that has one of them gets another C name. And
src/ir/target/MacroNames.def: the macros of these headers outside of the families that Words.cpp keeps as a whole.

The tables are checked in, so that a program is the same text on every computer. Run this script where the libraries or
headers are newer; names are added and none is dropped. It needs nm, and nvcc and clang++-19 for what they declare.
"""

import argparse
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/ir/target/LibraryNames.def"
MACROS = ROOT / "src/ir/target/MacroNames.def"
WORDS = ROOT / "src/ir/target/Words.cpp"
# What a program may include beside the header of the emitted text.
SYSTEM = """
assert complex ctype errno fcntl fenv float inttypes limits locale math omp poll pthread sched semaphore setjmp signal stdalign stdarg
stdbool stddef stdint stdio stdlib stdnoreturn string strings sys/mman sys/socket sys/stat sys/time sys/types sys/wait time unistd wchar
wctype
"""
HEADERS = '#include "tessera/entry.h"\n#include "tessera/host.h"\n#include "tessera/device/reduce.h"\n'
LIBRARIES = ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libresolv.so.2"]
# ISO C23 and POSIX.1-2024 functions that older libraries do not have yet.
STANDARD = """
acospi asinpi atan2pi atanpi compoundn cospi exp10m1 exp2m1 log10p1 log2p1 logp1 pown powr rootn rsqrt sinpi tanpi
iseqsig memalignment memset_explicit free_sized free_aligned_sized once_flag call_once stdc_leading_zeros stdc_trailing_zeros
stdc_count_ones stdc_count_zeros stdc_has_single_bit stdc_bit_width stdc_bit_floor stdc_bit_ceil timegm timespec_getres
strlcpy strlcat wcslcpy wcslcat asprintf vasprintf dladdr getentropy ppoll qsort_r reallocarray secure_getenv
posix_getdents posix_close dcgettext dcngettext dgettext dngettext gettext ngettext textdomain bindtextdomain
ffs ffsl ffsll memmem mkostemp accept4 dup3 pipe2 getlocalename_l tcgetwinsize tcsetwinsize sig2str str2sig kill
"""
NAME = re.compile(r"[A-Za-z]\w*")  # those with an underscore before them are the implementation's, and no program has them


def exported():
    """What the system's libraries define."""
    for library in LIBRARIES:
        found = [p for p in (pathlib.Path("/lib/x86_64-linux-gnu"), pathlib.Path("/lib64"), pathlib.Path("/usr/lib64")) if (p / library).exists()]
        if not found:
            continue
        text = subprocess.run(["nm", "-D", "--defined-only", str(found[0] / library)], capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            name = line.split()[-1].split("@")[0]
            if NAME.fullmatch(name) and not name.startswith("GLIBC"):
                yield name


def without_bodies(text):
    """The text outside of braces; those of `extern "C"` are no scope."""
    out, depth, open_c = [], 0, []
    for piece in re.split(r'(extern\s+"C(?:\+\+)?"\s*\{|\{|\})', text):
        if piece.startswith("extern") and depth == 0:
            open_c.append(depth)
        elif piece.endswith("{"):
            depth += 1
        elif piece == "}":
            if depth == 0 and open_c:
                open_c.pop()
            elif depth:
                depth -= 1
                out.append(";" if depth == 0 else "")
        elif depth == 0:
            out.append(piece)
    return "".join(out)


def declared(command, source):
    """The functions that a preprocessed file declares outside of namespaces."""
    if not shutil.which(command[0]):
        return
    text = subprocess.run(command, input=source, capture_output=True, text=True, cwd=ROOT, check=True).stdout
    text = re.sub(r'^#.*$|"(?:\\.|[^"\\\n])*"(?<!"C")', "", text, flags=re.M)
    for _ in range(4):  # attributes have brackets in brackets
        text = re.sub(r"\b(__attribute__|__declspec|decltype|alignas|__asm__|noexcept)\s*\(([^()]|\([^()]*\))*\)", " ", text)
    for statement in without_bodies(text).split(";"):
        before, bracket, _ = statement.partition("(")
        words = re.findall(r"\w+", before)
        if "typedef" in words:
            type_name = re.search(r"(\w+)\s*$", statement)
            if type_name and not type_name[1].endswith("_t"):  # those are POSIX's
                yield type_name[1]
        elif bracket and len(words) > 1 and NAME.fullmatch(words[-1]) and "operator" not in words:
            yield words[-1]


def macros(command, source):
    """The macros of these headers."""
    if shutil.which(command[0]):
        text = subprocess.run(command, input=source, capture_output=True, text=True, cwd=ROOT, check=True).stdout
        yield from re.findall(r"^#define ([A-Za-z]\w*)", text, re.M)


def words_of(constant):
    """What a list of Words.cpp has: keywords, or beginnings of macros' names that are kept as a whole."""
    text = re.search(constant + r" =(.*?);", WORDS.read_text(), re.S)[1]
    return tuple(word for part in re.findall(r'"([^"]*)"', text) for word in part.split())


def names_of(table):
    return set(re.findall(r"\w+", re.sub(r"//.*", "", table.read_text()))) if table.exists() else set()


def write(table, comment, names):
    lines, line = [], '"'
    for name in sorted(names):
        if len(line) + len(name) > 116:
            lines.append(line + '"')
            line = '"'
        line += name + " "
    lines.append(line + '"')
    table.write_text(comment + "\n// Written by scripts/make_library_names.py; not edited by hand.\n" + "\n".join(lines) + "\n")
    print(f"{table.name}: {len(names)} names, {len(lines)} lines")


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    nvcc = ["nvcc", "-E", "-std=c++17", "-Iinclude", "-x", "cu"]
    hip = ["clang++-19", "-E", "-std=c++17", "-Iinclude", "-x", "hip", "--offload-arch=gfx90a", "-nogpulib"]
    names = set(STANDARD.split()) | set(exported()) | names_of(TABLE)
    names |= set(declared([*nvcc, "-"], HEADERS)) | set(declared([*hip, "--cuda-device-only", "-"], HEADERS))
    system = "".join(f"#include <{name}.h>\n" for name in SYSTEM.split())
    defined = names_of(MACROS) | set(macros(["g++", "-std=gnu++17", "-fopenmp", "-Iinclude", "-dM", "-E", "-x", "c++", "-"], system + HEADERS))
    defined |= set(macros(["gcc", "-std=gnu11", "-fopenmp", "-dM", "-E", "-"], system))
    defined |= set(macros([*nvcc, "-Xcompiler", "-dM", "-"], HEADERS)) | set(macros([*hip, "--cuda-device-only", "-dM", "-"], HEADERS))
    write(MACROS, "// Macros of the headers of C, POSIX, OpenMP, CUDA and HIP that are in none of their families, with blanks between them.",
          [n for n in defined - set(words_of("keywords")) if not n.startswith(words_of("macroFamilies"))])
    # Prefixes that Words.cpp reserves as a whole need no rows.
    write(TABLE, "// Names with C linkage of the C and mathematical libraries, and functions and types of the headers of CUDA and HIP, with\n"
          "// blanks between them.",
          [n for n in names if NAME.fullmatch(n) and not n.startswith(("tess", "Tess", "TSR_", "cublas", "cuda", "hip", "omp_"))])


if __name__ == "__main__":
    main()
