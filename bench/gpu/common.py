"""What the GPU benchmarks share: programs compiled with tesserac and nvcc, called through ctypes, timed with CUDA events.

Needs a GPU, PyTorch, nvcc and a `tesserac`; nothing of the compiler's build.
"""
import concurrent.futures
import ctypes
import json
import os
import shutil
import statistics
import subprocess

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLUSH_BYTES = 256 << 20  # more than any L2 cache


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    """TessTensor of include/tessera/abi.h."""
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


CODES = {torch.bfloat16: (4, 16), torch.float16: (2, 16), torch.float32: (2, 32), torch.float64: (2, 64),
         torch.int32: (0, 32), torch.int64: (0, 64), torch.bool: (6, 8), torch.int8: (0, 8), torch.uint8: (1, 8),
         torch.float8_e4m3fn: (10, 8), torch.float8_e5m2: (12, 8)}
TF32 = (128, 32)


class As:
    """A tensor under another dtype of the C interface: `As(tensor, TF32)`."""

    def __init__(self, tensor, code):
        self.tensor, self.code = tensor, code


def view(tensor):
    """The tensor as the C interface takes it; keeps its shape alive."""
    if isinstance(tensor, As):
        tensor, (code, bits) = tensor.tensor, tensor.code
    else:
        code, bits = CODES[tensor.dtype]
    shape = (ctypes.c_int64 * max(tensor.dim(), 1))(*tensor.shape)
    made = Tensor(tensor.data_ptr(), Device(2, tensor.device.index or 0), tensor.dim(), DType(code, bits, 1),
                  ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)), None, 0)
    made.keep = (shape, tensor)
    return made


class Program:
    """A compiled program: its functions take tensors, results last."""

    def __init__(self, library, manifest=None):
        self.library, self.manifest = ctypes.CDLL(library), manifest
        self.library.tessLastErrorText.restype = ctypes.c_char_p

    def prepare(self, name, *tensors):
        """A call without the cost of making its arguments."""
        function = getattr(self.library, name)
        views = [view(tensor) for tensor in tensors]
        pointers = [ctypes.byref(v) for v in views]

        def call():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            if function(*pointers, stream):
                raise RuntimeError(f"{name}: {self.library.tessLastErrorText().decode()}")
        call.keep = views
        return call

    def predicted_seconds(self, name, tensors, copy):
        """What the manifest predicts for a call with the tensors, on a card whose copies move so many bytes a second; NaN for what depends on data."""
        entry = next(entry for entry in self.manifest["entries"] if entry["name"] == name)
        sizes = {"min": min, "max": max, "__builtins__": {}}
        for parameter, tensor in zip(entry["parameters"], tensors):
            tensor = tensor.tensor if isinstance(tensor, As) else tensor
            sizes.update({dim: size for dim, size in zip(parameter.get("shape", []), tensor.shape) if dim.isidentifier()})
        total = 0
        for launch in entry["launches"]:
            if not all(eval(condition, sizes) for condition in launch.get("when", [])):
                continue
            if "predicted" not in launch:
                return float("nan")
            parts = {part: eval(formula, sizes) for part, formula in launch["predicted"]["nanoseconds"].items() if part != "expected"}
            parts["memory"] = sum(eval(launch["predicted"][part], sizes) for part in ("read_bytes", "written_bytes")) / copy * 1e9
            total += eval(launch["predicted"]["nanoseconds"]["expected"], {**sizes, **parts})
        return total / 1e9


def tool(name, *places):
    found = shutil.which(name) or next((p for p in places if os.path.exists(p)), None)
    if not found:
        raise SystemExit(f"{name} is not here")
    return found


def build(tesserac, folder, name, text, arch, *options):
    """One program as a shared library, compiled by tesserac with the options; a message instead where a compiler refuses."""
    source, emitted = os.path.join(folder, name + ".tsr"), os.path.join(folder, name + ".cu")
    library = os.path.join(folder, f"lib{name}.so")
    with open(source, "w") as file:
        file.write(text)
    nvcc = tool("nvcc", "/usr/local/cuda/bin/nvcc")
    commands = [[tesserac, source, "--target", "cuda:" + arch, "-o", emitted, *options],
                [nvcc, "-std=c++17", "-O1", "-fmad=false", f"-gencode=arch=compute_{arch[3:]},code={arch}", "-shared", "-Xcompiler", "-fPIC", "-cudart", "static",
                 "--split-compile=0",  # kernels of one file side by side
                 "-I" + os.path.join(ROOT, "include"), "-I" + ROOT, emitted, "-o", library]]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{os.path.basename(command[0])}: {(done.stderr or done.stdout).strip()[:400]}"
    with open(os.path.join(folder, name + ".json")) as file:
        return Program(library, json.load(file))


def build_all(tesserac, folder, programs, arch="sm_90a", jobs=None):
    """{name: text, or a tuple of it and options} as {name: Program, or a message}, compiled side by side."""
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        parts = {name: (text,) if isinstance(text, str) else text for name, text in programs.items()}
        made = {name: pool.submit(build, tesserac, folder, name, text, arch, *options) for name, (text, *options) in parts.items()}
        return {name: future.result() for name, future in made.items()}


def recorded(*calls):
    """The launches of the calls, one after the other, as one graph: what it returns starts it."""
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()  # what the calls read is there
    with torch.cuda.stream(stream):
        for call in calls:  # modules are loaded and memory is asked for
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for call in calls:
            call()
    return graph.replay


class Timer:
    """Medians of CUDA-event times, with the L2 cache emptied before each call."""

    def __init__(self, repeats=25):
        self.repeats = repeats
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")

    def seconds(self, call):
        for _ in range(3):
            call()
        begin = [torch.cuda.Event(enable_timing=True) for _ in range(self.repeats)]
        end = [torch.cuda.Event(enable_timing=True) for _ in range(self.repeats)]
        for first, last in zip(begin, end):
            self.flush.zero_()
            first.record()
            call()
            last.record()
        torch.cuda.synchronize()
        return statistics.median(a.elapsed_time(b) for a, b in zip(begin, end)) / 1e3

    def copy_bandwidth(self, size=2 << 30):
        """Bytes per second, read and written, of a copy from device to device."""
        return 2 * size / self.copy_seconds(size)

    def copy_seconds(self, size):
        """Of a copy of so many bytes from device to device."""
        source = torch.empty(size, dtype=torch.int8, device="cuda")
        target = torch.empty_like(source)
        return self.seconds(lambda: target.copy_(source))


def kernels(step, title, rows=24):
    """Prints where the time of a step goes: milliseconds and launches by kernel. A kernel that starts before the one before it has ended,
    and waits, counts from that end on."""
    from torch.profiler import ProfilerActivity, profile
    steps = 3
    step()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
    spent, ended = {}, 0
    launched = [event for event in seen.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    for event in sorted(launched, key=lambda event: event.time_range.start):
        time_us, count = spent.get(event.name, (0, 0))
        spent[event.name] = time_us + max(0, event.time_range.end - max(event.time_range.start, ended)), count + 1
        ended = max(ended, event.time_range.end)
    print(f"  {title}: {sum(t for t, _ in spent.values()) / steps / 1e3:.2f} ms in kernels of a step, of which")
    for name, (time_us, count) in sorted(spent.items(), key=lambda item: -item[1][0])[:rows]:
        print(f"    {time_us / steps / 1e3:7.3f} ms {count / steps:5.0f} x  {name[:100]}", flush=True)
