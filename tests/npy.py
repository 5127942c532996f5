"""Writes .npy files without NumPy; for the tests of the programs, and for programs that tests run."""
import struct

DESCRIPTIONS = {"f": "<f4", "e": "<f2", "d": "<f8", "i": "<i4", "q": "<i8", "b": "|i1"}  # by the codes of `struct`


def write_npy(path, values, shape, code="f"):
    header = repr({"descr": DESCRIPTIONS[code], "fortran_order": False, "shape": tuple(shape)})
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        out.write(struct.pack(f"<{len(values)}{code}", *values))
