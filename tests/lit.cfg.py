# Tests of the intermediate representations: every .mlir file below that has RUN lines.
# Run by CTest as `lit`; by hand: lit.py -D bin=<build>/src/tools -D llvm=/usr/lib/llvm-19/bin tests/ir
import os
import pathlib

import lit.formats

config.name = "tessera-ir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
# The others are read by unit tests.
config.excludes = [p.name for p in pathlib.Path(__file__).parent.rglob("*.mlir") if "RUN:" not in p.read_text()]
config.test_exec_root = lit_config.params.get("out", os.path.join(config.test_source_root, "..", "build", "lit"))

llvm = lit_config.params.get("llvm", "/usr/lib/llvm-19/bin")
tools = lit_config.params["bin"]
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(tools, "tessera-opt"), llvm, config.environment.get("PATH", "")]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
