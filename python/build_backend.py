"""Builds the wheel of the Python package: the files of python/tessera, which need no compilation.

A build backend after PEP 517 and PEP 660, without setuptools, so that `pip install --no-build-isolation .` works where
there is no network.
"""

import base64
import hashlib
import os
import re
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "tessera"


def version():
    return re.search(r"project\(Tessera VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def _metadata():
    return (
        f"Metadata-Version: 2.1\nName: tessera\nVersion: {version()}\n"
        "Summary: Tessera programs as Python modules, on NumPy arrays, PyTorch tensors and others with DLPack\n"
        "License: Apache-2.0 WITH LLVM-exception\nRequires-Python: >=3.9\n"
    )


def _write_wheel(folder, files):
    name = f"tessera-{version()}"
    info = f"{name}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": _metadata().encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tessera\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
            archive.writestr(zipfile.ZipInfo(path), data)
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD"), record + f"{info}/RECORD,,\n")
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {
        f"tessera/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes()
        for path in sorted(PACKAGE.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    # Where the compiler is looked for when it is neither in TESSERA_HOME nor on the path.
    files["tessera/_checkout.txt"] = f"{ROOT}\n".encode()
    return _write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {"_tessera.pth": f"{PACKAGE.parent}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the package is built from a checkout: pip install .")
