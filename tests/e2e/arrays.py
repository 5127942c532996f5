"""Tensors as the language has them, in plain Python: what random programs over them must compute, and when they are refused.

Extents that depend on the sizes of a program are of the type `Size`: only what is 1 for all sizes broadcasts, and only
an index that is known counts from the end.
"""
import builtins
import itertools
import math
import operator


class Refused(Exception):
    """The language refuses this for these sizes."""


class Undefined(Exception):
    """Nothing is promised: the largest of no numbers."""


def require(holds):
    if not holds:
        raise Refused


class Size(int):
    """A number made of dimensions: its value, its text, and the values that it has for other sizes."""

    def __new__(cls, value, text, others):
        self = super().__new__(cls, value)
        self.text, self.others = text, others
        return self

    def known(self):
        return all(other == int(self) for other in self.others)

    def made(self, symbol, compute, a, b):
        count = len(self.others)
        others = tuple(compute(x, y) for x, y in zip(values_elsewhere(a, count), values_elsewhere(b, count)))
        return Size(compute(int(a), int(b)), f"({text(a)} {symbol} {text(b)})", others)

    def __add__(self, other): return self.made("+", operator.add, self, other)
    def __radd__(self, other): return self.made("+", operator.add, other, self)
    def __sub__(self, other): return self.made("-", operator.sub, self, other)
    def __rsub__(self, other): return self.made("-", operator.sub, other, self)
    def __mul__(self, other): return self.made("*", operator.mul, self, other)
    def __rmul__(self, other): return self.made("*", operator.mul, other, self)
    def __floordiv__(self, other): return self.made("//", divided, self, other)
    def __rfloordiv__(self, other): return self.made("//", divided, other, self)
    def __mod__(self, other): return self.made("%", lambda a, b: a - divided(a, b) * b, self, other)


def divided(a, b):
    require(b != 0)
    return a // b


def text(size):
    return size.text if isinstance(size, Size) else str(size)


def values_elsewhere(size, count):
    return size.others if isinstance(size, Size) else (size,) * count


def known(size):
    return not isinstance(size, Size) or size.known()


class Array:
    def __init__(self, shape, data):
        self.shape, self.data = tuple(shape), data

    @staticmethod
    def of(shape, value):
        """value: of an index, given as a tuple."""
        shape = tuple(shape)
        require(all(n >= 0 for n in shape))
        return Array(shape, [value(at) for at in itertools.product(*map(builtins.range, shape))])

    def at(self, index):
        flat = 0
        for i, n in zip(index, self.shape):
            flat = flat * int(n) + i
        return self.data[flat]

    def __add__(self, other): return elementwise(lambda a, b: a + b, self, other)
    def __sub__(self, other): return elementwise(lambda a, b: a - b, self, other)
    def __mul__(self, other): return elementwise(lambda a, b: a * b, self, other)
    def __gt__(self, other): return elementwise(lambda a, b: a > b, self, other)
    def __matmul__(self, other): return matmul(self, other)
    def __getitem__(self, index): return sliced(self, index if isinstance(index, tuple) else (index,))


def axis_of(x, axis, more=0):
    count = len(x.shape) + more
    require(-count <= axis < count)
    return axis % count


def one_extent(a, b):
    if a == b:
        return b if known(b) else a
    if known(a) and a == 1:
        return b
    require(known(b) and b == 1)
    return a


def broadcast_shape(*shapes):
    longest = builtins.max(map(len, shapes))
    result = [1] * longest
    for shape in shapes:
        for k, n in enumerate(shape, longest - len(shape)):
            result[k] = one_extent(result[k], n)
    return result


def broadcast_to(x, shape):
    require(len(shape) >= len(x.shape))
    extents = shape[len(shape) - len(x.shape):]
    require(all(have == want or (known(have) and have == 1) for have, want in zip(x.shape, extents)))
    skip = len(shape) - len(x.shape)
    return Array.of(shape, lambda at: x.at(tuple(0 if n == 1 else i for i, n in zip(at[skip:], x.shape))))


def elementwise(f, *operands):
    shape = broadcast_shape(*(x.shape for x in operands if isinstance(x, Array)))
    parts = [broadcast_to(x, shape).data if isinstance(x, Array) else itertools.repeat(x) for x in operands]
    return Array(shape, [f(*numbers) for numbers in zip(*parts)] if parts else [])


def maximum(a, b): return elementwise(builtins.max, a, b)
def minimum(a, b): return elementwise(builtins.min, a, b)
def where(condition, a, b): return elementwise(lambda c, p, q: p if c else q, condition, a, b)


def reduced(f, x, axis, keepdim):
    axes = builtins.range(len(x.shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [axis_of(x, k) for k in axes]
    require(len(set(axes)) == len(axes))
    groups = {}
    kept = [1 if k in axes else n for k, n in enumerate(x.shape)]
    for at in itertools.product(*map(builtins.range, x.shape)):
        groups.setdefault(tuple(0 if k in axes else i for k, i in enumerate(at)), []).append(x.at(at))
    result = Array.of(kept, lambda at: f(groups.get(at, [])))
    return result if keepdim else Array([n for k, n in enumerate(kept) if k not in axes], result.data)


def largest(f):
    def of(numbers):
        if not numbers:
            raise Undefined
        return f(numbers)
    return of


def sum(x, axis=None, keepdim=False): return reduced(math.fsum, x, axis, keepdim)
def max(x, axis=None, keepdim=False): return reduced(largest(builtins.max), x, axis, keepdim)
def min(x, axis=None, keepdim=False): return reduced(largest(builtins.min), x, axis, keepdim)


def permute(x, *axes):
    axes = [axis_of(x, k) for k in axes]
    require(sorted(axes) == list(builtins.range(len(x.shape))))
    back = [axes.index(k) for k in builtins.range(len(axes))]
    return Array.of([x.shape[k] for k in axes], lambda at: x.at(tuple(at[back[k]] for k in builtins.range(len(axes)))))


def transpose(x, *axes):
    order = list(builtins.range(len(x.shape)))
    if not axes:
        return permute(x, *reversed(order))
    if len(axes) != 2:
        return permute(x, *axes)
    a, b = axis_of(x, axes[0]), axis_of(x, axes[1])
    require(a != b)
    order[a], order[b] = b, a
    return permute(x, *order)


def elements(shape):
    count = 1
    for n in shape:
        count = count * n
    return count


def reshape(x, *shape):
    shape = list(shape)
    left = [k for k, n in enumerate(shape) if n == -1 and not isinstance(n, Size)]  # not `A - 1`, for A = 0
    if left:
        k = left[0]
        rest = elements(shape[:k] + shape[k + 1:])
        require(len(left) == 1 and rest >= 1 and len(x.data) % rest == 0)
        shape[k] = elements(x.shape) // rest
    require(all(n >= 0 for n in shape) and elements(shape) == len(x.data))
    return Array(shape, x.data)


def unsqueeze(x, axis):
    k = axis_of(x, axis, 1)
    return Array(x.shape[:k] + (1,) + x.shape[k:], x.data)


def squeeze(x, axis):
    k = axis_of(x, axis)
    require(known(x.shape[k]) and x.shape[k] == 1)
    return Array(x.shape[:k] + x.shape[k + 1:], x.data)


def flatten(x, start=0, end=-1):
    a, b = axis_of(x, start), axis_of(x, end)
    require(a <= b)
    return Array((*x.shape[:a], elements(x.shape[a:b + 1]), *x.shape[b + 1:]), x.data)


def place(index, extent, default):
    """Where an index of a slice points to."""
    if index is None:
        return default
    return index + extent if known(index) and index < 0 else index


def span(index, extent):
    """First element, step and number of elements of a slice."""
    step = 1 if index.step is None else index.step
    if step > 0:
        start, stop = place(index.start, extent, 0), place(index.stop, extent, extent)
        count = stop - start if step == 1 else (stop - start + (step - 1)) // step
        require(count >= 0 and start >= 0 and start + (count - 1) * step < extent)
        return start, step, count
    start, stop = place(index.start, extent, extent - 1), -1 if index.stop is None else place(index.stop, extent, 0)
    count = start - stop if step == -1 else (start - stop + (-step - 1)) // -step
    require(count >= 0 and start < extent and start + (count - 1) * step >= 0)
    return start, step, count


def sliced(x, index):
    require(builtins.sum(i is not None for i in index) <= len(x.shape))
    shape, places, k = [], [], 0
    for i in index + (slice(None),) * (len(x.shape) - builtins.sum(i is not None for i in index)):
        if i is None:
            shape.append(1)
            continue
        extent, k = x.shape[k], k + 1
        if isinstance(i, slice):
            start, step, count = span(i, extent)
            places.append((len(shape), int(start), int(step)))
            shape.append(count)
        else:
            i = place(i, extent, 0)
            require(0 <= i < extent)
            places.append((None, int(i), 0))
    return Array.of(shape, lambda at: x.at(tuple(start + (step * at[j] if j is not None else 0) for j, start, step in places)))


def concat(*parts, axis=0):
    k = axis_of(parts[0], axis)
    rest = parts[0].shape
    require(all(len(p.shape) == len(rest) for p in parts))
    require(all(p.shape[:k] == rest[:k] and p.shape[k + 1:] == rest[k + 1:] for p in parts))
    extent = parts[0].shape[k]
    for p in parts[1:]:
        extent = extent + p.shape[k]

    def value(at):
        i = at[k]
        for p in parts:
            if i < p.shape[k]:
                return p.at(at[:k] + (i,) + at[k + 1:])
            i -= int(p.shape[k])
    return Array.of((*rest[:k], extent, *rest[k + 1:]), value)


def stack(*parts, axis=0):
    return concat(*(unsqueeze(p, axis) for p in parts), axis=axis)


def split(x, parts, axis=0):
    k = axis_of(x, axis)
    if not isinstance(parts, list):
        require(x.shape[k] % parts == 0)
        parts = [x.shape[k] // parts] * parts
    require(all(n >= 0 for n in parts) and builtins.sum(map(int, parts)) == x.shape[k])
    begin, result = 0, []
    for n in parts:
        result.append(sliced(x, (slice(None),) * k + (slice(begin, begin + n),)))
        begin = begin + n
    for part, n in zip(result, parts):
        part.shape = (*part.shape[:k], n, *part.shape[k + 1:])
    return result


def repeat(x, times, axis):
    k = axis_of(x, axis)
    return Array.of((*x.shape[:k], x.shape[k] * times, *x.shape[k + 1:]), lambda at: x.at((*at[:k], at[k] // int(times), *at[k + 1:])))


def tile_repeat(x, times, axis):
    k = axis_of(x, axis)
    return Array.of((*x.shape[:k], x.shape[k] * times, *x.shape[k + 1:]), lambda at: x.at((*at[:k], at[k] % int(x.shape[k]), *at[k + 1:])))


def matmul(a, b):
    require(len(a.shape) >= 2 and len(b.shape) >= 2 and a.shape[-1] == b.shape[-2])
    batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    a, b = broadcast_to(a, (*batch, *a.shape[-2:])), broadcast_to(b, (*batch, *b.shape[-2:]))
    terms = builtins.range(a.shape[-1])
    return Array.of((*batch, a.shape[-2], b.shape[-1]),
                    lambda at: builtins.sum(a.at((*at[:-1], k)) * b.at((*at[:-2], k, at[-1])) for k in terms))


def take(x, indices, axis=0):
    k, n = axis_of(x, axis), len(indices.shape)

    def value(at):
        i = indices.at(at[k:k + n])
        i += x.shape[k] if i < 0 else 0
        return x.at((*at[:k], int(i), *at[k + n:])) if 0 <= i < x.shape[k] else 0.0
    return Array.of((*x.shape[:k], *indices.shape, *x.shape[k + 1:]), value)


def max_pool(x, window, stride=None, padding=0):
    """Over the last axis."""
    stride, extent = stride or window, x.shape[-1]
    require(extent + 2 * padding >= window)
    count = (extent + (2 * padding - (window - 1) - 1)) // stride + 1

    def value(at):
        first = at[-1] * stride - padding
        return builtins.max([x.at((*at[:-1], i)) for i in builtins.range(first, first + window) if 0 <= i < extent], default=-math.inf)
    return Array.of((*x.shape[:-1], count), value)


def conv1d(x, w, stride=1, padding=0, dilation=1):
    require(len(x.shape) == 3 and len(w.shape) == 3 and x.shape[1] == w.shape[1])
    extent, size = x.shape[2], w.shape[2]
    require(known(size) and size >= 1 and extent + 2 * padding >= dilation * (size - 1) + 1)
    count = (extent + 2 * padding - dilation * (size - 1) - 1) // stride + 1

    def value(at):
        total = 0.0
        for c, j in itertools.product(builtins.range(x.shape[1]), builtins.range(size)):
            i = at[2] * stride - padding + j * dilation
            total += x.at((at[0], c, i)) * w.at((at[1], c, j)) if 0 <= i < extent else 0.0
        return total
    return Array.of((x.shape[0], w.shape[0], count), value)


def gather(x, indices, axis):
    k = axis_of(x, axis)
    require(len(indices.shape) == len(x.shape))
    require(all(j == k or int(n) <= int(m) for j, (n, m) in enumerate(zip(indices.shape, x.shape))))

    def value(at):
        i = indices.at(at)
        i += x.shape[k] if i < 0 else 0
        return x.at((*at[:k], int(i), *at[k + 1:])) if 0 <= i < x.shape[k] else 0.0
    return Array.of(indices.shape, value)


def einsum(equation, *operands):
    given, result = equation.split("->")
    letters = {}
    for names, x in zip(given.split(","), operands):
        require(len(names) == len(x.shape))
        for name, n in zip(names, x.shape):
            require(int(letters.setdefault(name, n)) == int(n))
    rest = [name for name in letters if name not in result]

    def value(at):
        total, places = 0.0, dict(zip(result, at))
        for more in itertools.product(*(builtins.range(letters[name]) for name in rest)):
            places.update(zip(rest, more))
            product = 1.0
            for names, x in zip(given.split(","), operands):
                product *= x.at(tuple(places[name] for name in names))
            total += product
        return total
    return Array.of([letters[name] for name in result], value)


def range(stop):
    """What a counter is, no proof knows."""
    for i in builtins.range(builtins.max(stop, 0)):
        yield Size(i, "i", tuple(i + 97 * 3**k for k in builtins.range(8)))


# What the programs define themselves: PRELUDE in random_tensors.py.
def halves(a):
    require(len(a.shape) == 2 and a.shape[1] % 2 == 0)
    return a[:, :a.shape[1] // 2]


def paired(a, b):
    require(len(a.shape) == len(b.shape) == 1 and a.shape[0] <= b.shape[0])
    return Array.of((*a.shape, *b.shape), lambda at: a.at(at[:1]) * b.at(at[1:]))


def even(a):
    require(len(a.shape) == 1 and a.shape[0] % 2 == 0)
    return a[:a.shape[0] // 2]


def cast(x, dtype):
    return x


i32 = None
for method in (repeat, tile_repeat, flatten, broadcast_to, max_pool, take, gather):
    setattr(Array, method.__name__, method)
