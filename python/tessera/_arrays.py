"""Arrays of NumPy, PyTorch and others as tensors of the C interface, without copies."""

import ctypes
import sys

from . import _abi
from ._errors import ArgumentError, DTypeError, LayoutError

_shape_types = {}


def _extents(values):
    kind = _shape_types.get(len(values))
    if kind is None:
        kind = _shape_types[len(values)] = ctypes.c_int64 * len(values)
    return kind(*values)


def _tensor(data, device, dtype, shape, strides):
    extents = _extents(shape)
    tensor = _abi.Tensor()
    tensor.data = data
    tensor.device.type, tensor.device.id = device
    tensor.ndim = len(shape)
    tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = dtype[0], dtype[1], 1
    tensor.shape = extents
    if strides is not None:
        tensor.strides = _extents(strides)
    return tensor  # keeps what was assigned to its pointers


class NumPy:
    """numpy.ndarray"""

    @staticmethod
    def view(array, name, written, stream):
        dtype = _abi.DTYPES.get(array.dtype.name)
        if dtype is None or not array.dtype.isnative:
            raise DTypeError(f"argument `{name}`: its dtype is {array.dtype.str}, for which Tessera has none")
        if written and not array.flags.writeable:
            raise LayoutError(f"argument `{name}` is written, but the array is read-only")
        strides = None
        if not array.flags.c_contiguous:
            size = array.dtype.itemsize
            if any(stride % size for stride in array.strides):
                raise LayoutError(f"argument `{name}`: its strides {array.strides} are no multiples of its elements' size; copy it first")
            strides = [stride // size for stride in array.strides]
        return _tensor(array.__array_interface__["data"][0], (_abi.CPU, 0), dtype, array.shape, strides), array

    @staticmethod
    def empty(like, shape, dtype, name):
        import numpy

        wanted = _abi.NAMES.get(dtype)
        if dtype == "tf32":
            wanted = None
        if wanted not in ("bfloat16", "float8_e4m3fn", "float8_e5m2", None):
            return numpy.empty(shape, wanted)
        if wanted is not None:
            try:
                import ml_dtypes
            except ImportError:
                raise ArgumentError(
                    f"`{name}` is {dtype}, which NumPy lacks: install ml_dtypes, or give `out=` as an array that has it (PyTorch's, any with __dlpack__)"
                ) from None
            return numpy.empty(shape, getattr(ml_dtypes, wanted))
        raise ArgumentError(f"`{name}` is {dtype}, which NumPy lacks: give `out=` as an array that has it")

    @staticmethod
    def stream(array):
        return None


class PyTorch:
    """torch.Tensor"""

    _dtypes = {}

    @classmethod
    def view(cls, array, name, written, stream):
        torch = sys.modules["torch"]
        dtype = cls._dtypes.get(array.dtype)
        if dtype is None:
            text = str(array.dtype).removeprefix("torch.")
            dtype = _abi.DTYPES.get(text)
            if dtype is None:
                raise DTypeError(f"argument `{name}`: its dtype is {text}, for which Tessera has none")
            cls._dtypes[array.dtype] = dtype
        if array.layout is not torch.strided or array.is_conj() or array.is_neg():
            raise LayoutError(f"argument `{name}` is no plain dense tensor; call .to_dense(), .resolve_conj() or .resolve_neg()")
        if array.requires_grad and torch.is_grad_enabled():
            raise ArgumentError(
                f"argument `{name}` requires a gradient, and none flows through this call; pass {name}.detach(), or call it under torch.no_grad()"
            )
        place = array.device.type
        if place == "cpu":
            device = (_abi.CPU, 0)
        elif place == "cuda":
            device = (_abi.ROCM if torch.version.hip else _abi.CUDA, array.device.index)
        else:
            raise ArgumentError(f"argument `{name}` is on `{array.device}`; Tessera has code for cpu and cuda")
        strides = None if array.is_contiguous() else array.stride()
        return _tensor(array.data_ptr(), device, dtype, array.shape, strides), array

    @staticmethod
    def empty(like, shape, dtype, name):
        torch = sys.modules["torch"]
        wanted = getattr(torch, _abi.NAMES.get(dtype) or "", None)
        if wanted is None or dtype == "tf32":
            raise ArgumentError(f"`{name}` is {dtype}, which this PyTorch lacks: give `out=`")
        return torch.empty(shape, dtype=wanted, device=like.device)

    @staticmethod
    def stream(array):
        if array.device.type != "cuda":
            return None
        return sys.modules["torch"].cuda.current_stream(array.device).cuda_stream


class DLPack:
    """Anything else with __dlpack__."""

    @staticmethod
    def view(array, name, written, stream):
        device = array.__dlpack_device__()[0]
        options = {}
        if device in (_abi.CUDA, _abi.CUDA_MANAGED):
            options["stream"] = stream or 1  # 1: the default stream
        elif device == _abi.ROCM:
            options["stream"] = stream or 0
        try:
            capsule = array.__dlpack__(max_version=(1, 0), **options)
        except TypeError:  # made before DLPack 1.0
            capsule = array.__dlpack__(**options)
        tensor, read_only = _abi.tensor_of_capsule(capsule)
        if written and (read_only or type(array).__module__.split(".")[0] in ("jax", "jaxlib")):
            raise LayoutError(f"argument `{name}` is written, but the array is read-only")
        return tensor, (array, capsule)

    @staticmethod
    def empty(like, shape, dtype, name):
        wanted = _abi.NAMES.get(dtype)
        if hasattr(like, "__array_namespace__") and wanted:
            space = like.__array_namespace__()
            if hasattr(space, wanted):
                return space.empty(shape, dtype=getattr(space, wanted), device=like.device)
        if like.__dlpack_device__()[0] == _abi.CPU and has_numpy():
            return NumPy.empty(None, shape, dtype, name)
        raise ArgumentError(f"I cannot make a `{type(like).__name__}` for `{name}`: give `out=`")

    @staticmethod
    def stream(array):
        if type(array).__module__.split(".")[0] == "cupy":
            return sys.modules["cupy"].cuda.get_current_stream().ptr
        return None


_adapters = {}


def adapter_of(value):
    """How to look at an array of that kind; None for what is no array."""
    kind = type(value)
    found = _adapters.get(kind)
    if found is None:
        names = {f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__}
        if "numpy.ndarray" in names:
            found = NumPy
        elif "torch.Tensor" in names or "torch._tensor.Tensor" in names:
            found = PyTorch
        elif hasattr(kind, "__dlpack__") and hasattr(kind, "__dlpack_device__"):
            found = DLPack
        else:
            return None
        _adapters[kind] = found
    return found


def has_numpy():
    try:
        import numpy  # noqa: F401
    except ImportError:
        return False
    return True
