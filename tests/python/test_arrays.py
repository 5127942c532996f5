"""Arrays of other libraries: DLPack before and after 1.0, the Array API, and what looks like PyTorch."""
import ctypes
import sys
import types
import unittest

import numpy as np

from support import PROGRAM
import tessera
from tessera import _abi


def setUpModule():
    global m
    m = tessera.loads(PROGRAM)


class Foreign:
    """An array that shows itself through __dlpack__ only, of any dtype and on any device."""

    def __init__(self, array, dtype=None, device=(1, 0), version=None, read_only=False):
        self.array, self.shape, self._device = array, array.shape, device
        self._dtype = dtype or (2, 8 * array.itemsize)
        self.version, self.read_only, self.stream = version, read_only, "not asked"

    def __dlpack_device__(self):
        return self._device

    def _fill(self, tensor):
        self.extents = (ctypes.c_int64 * self.array.ndim)(*self.array.shape)
        tensor.data = self.array.ctypes.data
        tensor.device.type, tensor.device.id = self._device
        tensor.ndim, tensor.shape = self.array.ndim, self.extents
        tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = *self._dtype, 1

    def __dlpack__(self, *, stream=None, **options):
        self.stream = stream
        if self.version is None and options:
            raise TypeError("max_version is unknown here")
        name = b"dltensor"
        if self.version is None:
            self.managed = _abi.Tensor()
            self._fill(self.managed)
        else:
            name = b"dltensor_versioned"
            self.managed = _abi.ManagedTensorVersioned(major=self.version, flags=1 if self.read_only else 0)
            self._fill(self.managed.tensor)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), name, None)


class DLPack(unittest.TestCase):
    def test_both_versions(self):
        x = np.arange(6, dtype=np.float32)
        for version in (None, 1):
            out = Foreign(np.full(3, np.nan, np.float32), version=version)
            self.assertIs(m.half(Foreign(x, version=version), out=out), out)
            np.testing.assert_array_equal(out.array, x[:3])
        with self.assertRaises(BufferError):
            m.half(Foreign(x, version=2))

    def test_results_on_the_cpu_are_numpys(self):
        y = m.half(Foreign(np.arange(6, dtype=np.float32)))
        self.assertIsInstance(y, np.ndarray)
        np.testing.assert_array_equal(y, [0, 1, 2])

    def test_read_only(self):
        x, y = np.ones(4, np.float32), np.ones(4, np.float32)
        with self.assertRaisesRegex(tessera.LayoutError, "read-only"):
            m.saxpy(x, Foreign(y, version=1, read_only=True), 1.0)
        np.testing.assert_array_equal(y, 1)

    def test_dtypes_that_numpy_lacks(self):
        halves = np.array([0x3F80, 0x4000, 0xBF00], np.uint16)
        np.testing.assert_array_equal(m.widen(Foreign(halves, dtype=(4, 16))), [1, 2, -0.5])
        with self.assertRaisesRegex(tessera.DTypeError, "f16, but bf16 is declared"):
            m.widen(Foreign(halves, dtype=(2, 16)))

    def test_other_devices_are_refused_and_streams_are_passed_on(self):
        x = Foreign(np.zeros(4, np.float32), device=(2, 0))
        with self.assertRaisesRegex(tessera.ArgumentError, "give `out=`"):
            m.half(x)
        out = Foreign(np.zeros(2, np.float32), device=(2, 0))
        for stream, asked in ((None, 1), (12345, 12345)):
            with self.assertRaisesRegex(tessera.DeviceError, "runs on the CPU"):
                m.half(x, out=out, stream=stream)
            self.assertEqual(x.stream, asked)


class FakeTorch:
    """As much of PyTorch's interface as the package looks at; bench/gpu/python_package.py runs the real one."""

    def __init__(self):
        torch = self.torch = types.ModuleType("torch")

        class Tensor:
            layout, requires_grad = "strided", False
            device = types.SimpleNamespace(type="cpu", index=None)

            def __init__(self, array):
                self.array, self.shape, self.dtype = array, array.shape, "torch." + array.dtype.name

            is_conj = is_neg = lambda self: False
            is_contiguous = lambda self: bool(self.array.flags.c_contiguous)  # noqa: E731
            stride = lambda self: tuple(s // self.array.itemsize for s in self.array.strides)  # noqa: E731
            data_ptr = lambda self: self.array.ctypes.data  # noqa: E731

        Tensor.__module__, Tensor.__qualname__ = "torch", "Tensor"
        torch.Tensor, torch.strided, torch.float32 = Tensor, "strided", "torch.float32"
        torch.is_grad_enabled = lambda: True
        torch.empty = lambda shape, dtype, device: Tensor(np.full(shape, np.nan, dtype.removeprefix("torch.")))
        torch.version = types.SimpleNamespace(hip=None)


class LikeTorch(unittest.TestCase):
    def setUp(self):
        self.torch = sys.modules["torch"] = FakeTorch().torch
        self.addCleanup(sys.modules.pop, "torch")

    def test_results_are_tensors(self):
        y = m.half(self.torch.Tensor(np.arange(6, dtype=np.float32)))
        self.assertIsInstance(y, self.torch.Tensor)
        np.testing.assert_array_equal(y.array, [0, 1, 2])

    def test_gradients_and_layouts_are_refused(self):
        x = self.torch.Tensor(np.zeros(4, np.float32))
        x.requires_grad = True
        with self.assertRaisesRegex(tessera.ArgumentError, r"x.detach\(\)"):
            m.half(x)
        with self.assertRaisesRegex(tessera.LayoutError, "stride of dimension 0 is 2"):
            m.half(self.torch.Tensor(np.zeros(8, np.float32)[::2]))


if __name__ == "__main__":
    unittest.main()
