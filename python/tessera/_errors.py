"""Exceptions: one for each status of tessera/abi.h, and those of the compiler."""


class Error(Exception):
    """A call that failed. `status` is the number in tessera/abi.h; the text says what was wrong."""

    status = 0


class ArgumentError(Error, TypeError):
    status = 1


class DTypeError(Error, TypeError):
    status = 2


class ShapeError(Error, ValueError):
    status = 3


class LayoutError(Error, ValueError):
    status = 4


class DeviceError(Error, ValueError):
    status = 5


class RequirementError(Error, ValueError):
    status = 6


class AliasError(Error, ValueError):
    status = 7


class OutOfMemoryError(Error, MemoryError):
    status = 8


class LaunchError(Error, RuntimeError):
    status = 9


class CapacityError(Error, ValueError):
    status = 10


class CompileError(Error):
    """A program with mistakes; the text is what the compiler says."""


class CompilerNotFoundError(Error, FileNotFoundError):
    """There is no `tessera` command; the text says how to get one."""


_OF_STATUS = {
    error.status: error
    for error in (
        ArgumentError,
        DTypeError,
        ShapeError,
        LayoutError,
        DeviceError,
        RequirementError,
        AliasError,
        OutOfMemoryError,
        LaunchError,
        CapacityError,
    )
}


def of_status(status, text):
    error = _OF_STATUS.get(status, Error)(text)
    error.status = status
    return error
