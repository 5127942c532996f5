"""The C interface (tessera/abi.h) and DLPack's structs for ctypes."""

import ctypes

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13
DEVICES = {CPU: "the CPU", CUDA: "a CUDA device", ROCM: "a ROCm device"}

# Names of dtypes in NumPy, PyTorch and the Array API -> (DLPack code, bits).
DTYPES = {
    "float64": (2, 64),
    "float32": (2, 32),
    "float16": (2, 16),
    "bfloat16": (4, 16),
    "float8_e4m3fn": (10, 8),
    "float8_e5m2": (12, 8),
    "int64": (0, 64),
    "int32": (0, 32),
    "int16": (0, 16),
    "int8": (0, 8),
    "uint32": (1, 32),
    "uint16": (1, 16),
    "uint8": (1, 8),
    "bool": (6, 8),
    "complex64": (5, 64),
}
# Dtypes of the language -> names of others. Those without one have to be given as arrays with __dlpack__.
NAMES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "u32": "uint32",
    "u16": "uint16",
    "u8": "uint8",
    "bool": "bool",
    "complex64": "complex64",
    "tf32": "float32",
}


class DType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class Tensor(ctypes.Structure):  # also a DLTensor
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class ManagedTensorVersioned(ctypes.Structure):  # DLPack 1.0; before it, the DLTensor came first
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class _Union(ctypes.Union):
    _fields_ = [("tensor", ctypes.POINTER(Tensor)), ("integer", ctypes.c_int64), ("real", ctypes.c_double)]


class Value(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("as_", _Union)]


TENSOR, INTEGER, REAL = 0, 1, 2

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_READ_ONLY = 1


def tensor_of_capsule(capsule):
    """(the DLTensor in a capsule of __dlpack__, whether it may only be read). Lives as long as the capsule."""
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = ManagedTensorVersioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if managed.major != 1:
            raise BufferError(f"a DLPack tensor of version {managed.major}.{managed.minor}; 1 is known")
        return managed.tensor, bool(managed.flags & _READ_ONLY)
    return Tensor.from_address(_pointer(capsule, b"dltensor")), False
