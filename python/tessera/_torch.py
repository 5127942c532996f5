"""Functions of a program as operators of PyTorch: torch.ops.<namespace>.<function>.

An operator can be compiled, exported and differentiated: where the program has a derivative of a function (`f_vjp = vjp(f, wrt=("x", "w"))`, or
`slope = grad(f, wrt="x")` of a number), gradients flow through it; where it has none, a tensor that requires one is refused.
"""

import ast
import inspect

from ._errors import ArgumentError


class _Derivative:
    """An entry that is the derivative of another one, as its signature says."""

    def __init__(self, function, wrt, by_result):
        self.function, self.wrt, self.by_result = function, wrt, by_result


def derivatives_of(functions):
    """Name of a function -> its derivative. `functions`: those of a module, by name."""
    found = {}
    for function in functions.values():
        try:
            statement = ast.parse(function.signature).body[0]
            call = statement.value
            kind, of = call.func.id, functions.get(call.args[0].id)
            if not isinstance(statement, ast.Assign) or kind not in ("vjp", "grad") or of is None or len(call.args) != 1:
                continue
            wrt = next((ast.literal_eval(word.value) for word in call.keywords if word.arg == "wrt"), of.parameters[0].name)
        except (SyntaxError, AttributeError, IndexError, ValueError):
            continue  # an ordinary function
        wrt = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        names = {p.name for p in of.parameters if p.tensor and p.mode == "in"}
        cotangents = len(of.results) if kind == "vjp" else 0
        fits = set(wrt) <= names and len(function.results) == len(wrt) and len(function.parameters) == len(of.parameters) + cotangents
        if fits and (kind == "vjp" or len(of.results) == 1):
            found.setdefault(of.name, _Derivative(function, wrt, kind == "vjp"))
    return found


def schema_of(function):
    """"softmax(Tensor x, float eps=1e-05) -> Tensor": what PyTorch is told of a function."""
    parts, aliases = [], iter("abcdefghijklmnopqrstuvwxyz")
    parameters = function.parameters
    for i, p in enumerate(parameters):
        if p.tensor:
            kind = f"Tensor({next(aliases)}!)" if p.written else "Tensor"
        else:
            kind = "bool" if p.dtype == "bool" else "int" if p.dtype[0] in "iu" else "float"
        rest = parameters[i:]
        default = "" if any(q.default is inspect.Parameter.empty for q in rest) else f"={p.default!r}"
        parts.append(f"{kind} {p.name.replace('.', '_')}{default}")
    made = len(function.made)
    returned = "Tensor" if made == 1 else "(" + ", ".join(["Tensor"] * made) + ")"
    return f"{function.name}({', '.join(parts)}) -> {returned}"


class TorchOperators:
    """The operators of a module. They are there as long as this; `ops.softmax` is `torch.ops.<namespace>.softmax`."""

    def __init__(self, module, namespace):
        import torch

        self.torch, self.module, self.namespace = torch, module, namespace
        try:
            self._library = torch.library.Library(namespace, "FRAGMENT")
        except ValueError:  # PyTorch 1 knows whole namespaces only
            self._library = torch.library.Library(namespace, "DEF")
        self._derivatives = derivatives_of(module.functions)
        self.names = sorted(module.functions)
        key = "CPU" if module.target == "cpu" else "CUDA"  # PyTorch calls ROCm's devices so, too
        for function in module.functions.values():
            self._library.define(schema_of(function))
            self._library.impl(function.name, self._kernel(function), key)
            self._library.impl(function.name, self._shapes(function), "Meta")
            self._library.impl(function.name, self._autograd(function), "Autograd")

    def __getattr__(self, name):
        if name in self.__dict__.get("names", ()):
            return getattr(getattr(self.torch.ops, self.namespace), name)
        raise AttributeError(f"there is no operator `{name}`; there are {', '.join(self.__dict__.get('names', ()))}")

    def __repr__(self):
        return f"<tessera operators torch.ops.{self.namespace}: {', '.join(self.names)}>"

    def _kernel(self, function):
        names, torch = [p.name for p in function.parameters], self.torch

        def kernel(*args, **named):
            values = {**dict(zip(names, args)), **named}
            with torch.no_grad():
                returned = function(**values)
            made = dict(zip(function.results, returned if isinstance(returned, tuple) else (returned,)))
            out = tuple(made[p.name] for p in function.made)
            return out[0] if len(out) == 1 else out or None

        return kernel

    def _shapes(self, function):
        """Results without values, for compilers and exporters."""
        names, torch = [p.name for p in function.parameters], self.torch

        def shapes(*args, **named):
            given = {**{p.name: p.default for p in function.parameters}, **dict(zip(names, args)), **named}
            like = next(given[p.name] for p in function.parameters if p.tensor)
            out = tuple(like.new_empty(shape, dtype=getattr(torch, dtype)) for shape, dtype in function.torch_results(given))
            return out[0] if len(out) == 1 else out or None

        return shapes

    def _autograd(self, function):
        torch, derivative = self.torch, self._derivatives.get(function.name)
        names = [p.name for p in function.parameters]
        operator = lambda: getattr(getattr(torch.ops, self.namespace), function.name)  # noqa: E731

        def below(*args):
            guard = torch._C._AutoDispatchBelowAutograd()  # holds as long as it lives
            try:
                return operator()(*args)
            finally:
                del guard

        if derivative is None:

            def refuse(*args, **named):
                values = [*args, *named.values()]
                if torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values):
                    raise ArgumentError(f"{function.name}: an argument requires a gradient, and the program has no derivative of it; "
                                        f"write `{function.name}_vjp = vjp({function.name}, wrt=...)` there, or call it under torch.no_grad()")
                return below(*self._in_order(function, args, named))

            return refuse

        class Call(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *args):
                ctx.rest = [None if isinstance(a, torch.Tensor) else a for a in args]
                ctx.save_for_backward(*[a for a in args if isinstance(a, torch.Tensor)])
                returned = below(*args)
                ctx.made = [(r.shape, r.dtype, r.device) for r in (returned if isinstance(returned, tuple) else (returned,))]
                return returned

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, *cotangents):
                saved = iter(ctx.saved_tensors)
                args = [next(saved) if rest is None else rest for rest in ctx.rest]
                filled = [torch.zeros(shape, dtype=dtype, device=device) if g is None else g.to(dtype).contiguous() for g, (shape, dtype, device) in zip(cotangents, ctx.made)]
                backward = getattr(getattr(torch.ops, self.namespace), derivative.function.name)
                found = backward(*args, *(filled if derivative.by_result else []))
                found = found if isinstance(found, tuple) else (found,)
                by_name = dict(zip(derivative.wrt, found if derivative.by_result else [f * filled[0] for f in found]))
                return tuple(by_name.get(name) for name in names)

        def call(*args, **named):
            values = self._in_order(function, args, named)
            lacking = [n for n, v in zip(names, values) if isinstance(v, torch.Tensor) and v.requires_grad and n not in derivative.wrt]
            if lacking and torch.is_grad_enabled():
                raise ArgumentError(f"{function.name}: `{lacking[0]}` requires a gradient, and `{derivative.function.name}` has none by it; it has {', '.join(derivative.wrt)}")
            return Call.apply(*values)

        return call

    @staticmethod
    def _in_order(function, args, named):
        values = list(args)
        for p in function.parameters[len(args):]:
            values.append(named.get(p.name.replace(".", "_"), p.default))
        return values


def register_torch(module, namespace=None):
    """Makes the functions of a module operators of PyTorch, `torch.ops.<namespace>.<function>`; the namespace is the program's
    name if none is given. Returns them; they are there as long as what is returned is."""
    namespace = namespace or module.__name__
    if not namespace.isidentifier():
        raise ArgumentError(f"`{namespace}` cannot be a namespace of operators; give `namespace=`")
    return TorchOperators(module, namespace)
