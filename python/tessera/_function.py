"""One function of a compiled program."""

import ast
import ctypes
import inspect

from . import _abi, _arrays
from ._dims import Extent
from ._errors import ArgumentError, ShapeError, of_status

_POINTER_TO_TENSOR = ctypes.POINTER(_abi.Tensor)
_INTEGER_BITS = {"i64": 64, "i32": 32, "i16": 16, "i8": 8, "i4": 4, "u32": 32, "u16": 16, "u8": 8}


def defaults_of(signature):
    """Name -> value of the parameters that have a literal as their default."""
    found, depth, part, parts = {}, 0, "", []
    start = signature.index("(")
    for c in signature[start + 1 :]:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            break
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    for part in parts + [part]:
        declared, equals, value = part.partition("=")
        if equals and ":" in declared:
            try:
                found[declared.partition(":")[0].strip()] = ast.literal_eval(value.strip())
            except (ValueError, SyntaxError):
                pass
    return found


class Parameter:
    def __init__(self, facts, defaults):
        self.name, self.dtype, self.mode = facts["name"], facts["dtype"], facts["mode"]
        self.tensor = facts["kind"] == "tensor"
        self.shape = [Extent(text) for text in facts.get("shape", [])]
        self.dim = Extent(facts["dim"]) if "dim" in facts else None
        self.written = self.mode in ("out", "inout", "result")
        self.default = defaults.get(self.name, inspect.Parameter.empty)

    def describe(self):
        return f"{self.dtype}[{', '.join(extent.text for extent in self.shape)}]" if self.tensor else self.dtype


class Function:
    """Call it with arrays and numbers, by position or by name; it returns what the program returns.

    `out=` takes an array (or a tuple of them) for the results; without it they are made like the first array argument.
    `stream=` is the number of a CUDA or HIP stream; without it, it is PyTorch's or CuPy's current one, else the default
    stream. On a GPU the call returns when the work is queued.
    """

    def __init__(self, library, facts):
        self.__name__ = self.__qualname__ = self.name = facts["name"]
        self.signature, self.manifest = facts["signature"], facts
        self.__doc__ = facts["signature"] + ("\n\n" + facts["doc"] if "doc" in facts else "")
        defaults = defaults_of(facts["signature"])
        parameters = [Parameter(p, defaults) for p in facts["parameters"]]
        self.parameters = [p for p in parameters if p.mode != "result"]
        self.results = facts["results"]
        self._all = parameters
        self.made = [p for p in parameters if p.mode == "result"]
        self._names = {p.name for p in self.parameters}
        self._library = library  # stays loaded
        self._call = getattr(library, facts["call"])
        self._call.restype = ctypes.c_int32
        self._call.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
        self._error_text = library.tessLastErrorText
        self._error_text.restype, self._error_text.argtypes = ctypes.c_char_p, []
        self._values = _abi.Value * len(parameters)
        kinds = inspect.Parameter
        listed = [kinds(p.name, kinds.POSITIONAL_OR_KEYWORD, default=p.default) for p in self._in_python_order()]
        listed += [kinds(name, kinds.KEYWORD_ONLY, default=None) for name in ("out", "stream")]
        try:
            self.__signature__ = inspect.Signature(listed)
        except ValueError:  # a parameter called `out`, or one without a default after one with
            pass

    def __repr__(self):
        return f"<tessera function: {self.signature}>"

    def _in_python_order(self):
        return self.parameters

    def __call__(self, *args, out=None, stream=None, **named):
        given = self._given(args, named)
        like = adapter = None
        dims = {}
        for parameter in self.parameters:
            value = given[parameter.name]
            if not parameter.tensor:
                if parameter.dim and isinstance(value, int):
                    parameter.dim.bind(value, dims)
                continue
            kind = _arrays.adapter_of(value)
            if kind is None:
                raise self._error(ArgumentError, f"argument `{parameter.name}` is a {type(value).__name__}; {parameter.describe()} is an array "
                                                 "of NumPy, PyTorch or another with __dlpack__")
            if adapter is None:
                like, adapter = value, kind
        results = self._result_arrays(out, like, adapter, given, dims)
        if stream is None:
            first = like if adapter else (results[0] if results else None)
            stream = _arrays.adapter_of(first).stream(first) if first is not None else None

        values, kept = self._values(), []
        made = iter(results)
        for slot, parameter in zip(values, self._all):
            value = next(made) if parameter.mode == "result" else given[parameter.name]
            if parameter.tensor:
                try:
                    tensor, owner = _arrays.adapter_of(value).view(value, parameter.name, parameter.written, stream)
                except (ArgumentError, ShapeError) as error:
                    raise self._error(type(error), str(error)) from None
                kept.append((tensor, owner))
                slot.kind = _abi.TENSOR
                slot.as_.tensor = ctypes.pointer(tensor)
            else:
                self._scalar(slot, parameter, value)
        status = self._call(ctypes.addressof(values), len(values), stream)
        if status != 0:
            raise of_status(status, self._error_text().decode("utf-8", "replace"))
        made = dict(zip((p.name for p in self.made), results))
        returned = tuple(made[name] if name in made else given[name] for name in self.results)
        return returned[0] if len(returned) == 1 else returned or None

    def _error(self, kind, text):
        return kind(f"{self.name}: {text}")

    def _given(self, args, named):
        if len(args) > len(self.parameters):
            raise self._error(ArgumentError, f"{len(args)} arguments were given, but {len(self.parameters)} are declared: {self.signature}")
        given = {p.name: value for p, value in zip(self.parameters, args)}
        for name, value in named.items():
            if name in given:
                raise self._error(ArgumentError, f"`{name}` was given twice")
            if name not in self._names:
                raise self._error(ArgumentError, f"there is no parameter `{name}`: {self.signature}")
            given[name] = value
        for parameter in self.parameters:
            if parameter.name not in given:
                if parameter.default is inspect.Parameter.empty:
                    raise self._error(ArgumentError, f"`{parameter.name}` is missing: {self.signature}")
                given[parameter.name] = parameter.default
        return given

    def _result_arrays(self, out, like, adapter, given, dims):
        count = len(self.made)
        if out is not None:
            arrays = list(out) if isinstance(out, (tuple, list)) else [out]
            if len(arrays) != count:
                raise self._error(ArgumentError, f"`out` holds {len(arrays)} arrays, but {count} are returned")
            for array in arrays:
                if _arrays.adapter_of(array) is None:
                    raise self._error(ArgumentError, f"`out` is a {type(array).__name__}, not an array")
            return arrays
        if not count:
            return []
        shapes = self._result_shapes(given, dims)
        if adapter is None:
            if not _arrays.has_numpy():
                raise self._error(ArgumentError, "it has no array as an argument: give `out=`")
            adapter = _arrays.NumPy
        results = []
        for parameter, shape in zip(self.made, shapes):
            try:
                results.append(adapter.empty(like, shape, parameter.dtype, parameter.name))
            except ArgumentError as error:
                raise self._error(ArgumentError, str(error)) from None
        return results

    def torch_results(self, given):
        """The shapes of the results that a call makes, and the names of PyTorch's dtypes."""
        dims = {}
        for parameter in self.parameters:
            if not parameter.tensor and parameter.dim:
                parameter.dim.bind(int(given[parameter.name]), dims)
        return [(shape, _abi.NAMES[parameter.dtype]) for parameter, shape in zip(self.made, self._result_shapes(given, dims))]

    def _result_shapes(self, given, dims):
        for solving in [False] + [True] * max(1, len(self.parameters)):  # `2*N` and `N + M` bind N where no parameter does alone
            for parameter in self.parameters:
                if not parameter.tensor:
                    continue
                shape = tuple(given[parameter.name].shape)
                if len(shape) != len(parameter.shape):
                    raise self._error(ShapeError, f"argument `{parameter.name}`: it has {len(shape)} dimensions, but {len(parameter.shape)} are declared")
                for extent, size in zip(parameter.shape, shape):
                    if extent.variable or solving:
                        extent.bind(int(size), dims)
        shapes = []
        for parameter in self.made:
            shape = []
            for extent in parameter.shape:
                unknown = [name for name in extent.names if name not in dims]
                if unknown:
                    raise self._error(ArgumentError, f"the arguments do not say what `{unknown[0]}` of the result is: give `out=`")
                shape.append(extent.value(dims))
                if shape[-1] < 0:
                    raise self._error(ShapeError, f"the result's `{extent.text}` is {shape[-1]}")
            shapes.append(tuple(shape))
        return shapes

    def _scalar(self, slot, parameter, value):
        dtype = parameter.dtype
        try:
            if dtype in _INTEGER_BITS or dtype == "bool":
                number = value.__index__() if not isinstance(value, bool) else int(value)
                if dtype == "bool" and number not in (0, 1):
                    raise ValueError
                if dtype in _INTEGER_BITS:
                    bits = _INTEGER_BITS[dtype]
                    low, high = (0, 2**bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
                    if not low <= number <= high:
                        raise self._error(ArgumentError, f"argument `{parameter.name}`: {number} does not fit {dtype}")
                slot.kind, slot.as_.integer = _abi.INTEGER, number
            else:
                slot.kind, slot.as_.real = _abi.REAL, float(value)
        except ArgumentError:
            raise
        except (TypeError, ValueError, AttributeError):
            raise self._error(ArgumentError, f"argument `{parameter.name}` is {value!r}, which is no {dtype}") from None
