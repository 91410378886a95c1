"""Options by keyword, progress, and exceptions of callbacks."""
from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from . import _hpart
from ._errors import InvalidArgumentError, check, failure
from ._values import function, named_sizes, real, shown, text, whole

Progress = Callable[[float, str], object]
_F = TypeVar("_F", bound=Callable[..., Any])
_KNOWN_KEYS: set[str] = set()  # options of the calls


def takes(options: type) -> Callable[[_F], _F]:
    """Shows the options of a call in its signature and its help, for completion in interpreters."""

    def shown(call: _F) -> _F:
        signature = inspect.signature(call)
        parameters = [known for known in signature.parameters.values() if known.kind is not known.VAR_KEYWORD]
        _KNOWN_KEYS.update(options.__annotations__)
        for key, kind in options.__annotations__.items():
            annotation = getattr(kind, "__forward_arg__", kind)
            parameters.append(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation))
        call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        call.__doc__ = f"{inspect.cleandoc(call.__doc__ or '')}\n\nOptions:\n\n{inspect.cleandoc(options.__doc__ or '')}\n"
        return call

    return shown


class Callback:
    """A callback of the library. Keeps an exception in `error` for the library's caller."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function
        self.error: BaseException | None = None
        self.left_out: BaseException | None = None  # of a size of the last call, which succeeded

    def call(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def raise_error(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error


class KernelCallback(Callback):
    """A kernel: fails only if it raises."""

    def call(self, *arguments: Any) -> Any:
        self.function(*arguments)
        return 0


class ApplicationCallback(Callback):
    """An application: gets the list of sizes, returns the seconds of each processor, or one number for the whole run."""

    def call(self, *arguments: Any) -> Any:
        sizes: list[int] = arguments[0]
        seconds = self.function(sizes)
        if np.ma.is_masked(seconds):
            raise InvalidArgumentError("the application's times have masked elements; it must return a time for each processor")
        if np.ndim(seconds) == 0:
            times = [real(seconds, "the application's time")]
        else:
            times = [real(time, "an element of the application's times") for time in seconds]
        if len(times) == 1:
            first = next((i for i, size in enumerate(sizes) if size > 0), 0)
            return [times[0] if i == first else None for i in range(len(sizes))]
        if len(times) != len(sizes):
            raise ValueError(f"the application's times are {len(times)}; it must return {len(sizes)}, or one number")
        return times


class ComplexityCallback(Callback):
    """A complexity: gets a size, returns its operations."""

    def call(self, *arguments: Any) -> Any:
        return real(self.function(*arguments), f"the complexity of size {arguments[0]}")


def _only_interrupts(fraction: float, what: str) -> bool:
    return False


class Options:
    """The library's options of one call. Progress is always watched, so that an interrupt of the keyboard stops the call."""

    def __init__(self, values: Mapping[str, Any], processors: Sequence[str] = ()):
        rest = dict(values)
        progress: Progress | None = rest.pop("progress", None)
        previous = rest.pop("previous", None)
        self._callback = Callback(_only_interrupts if progress is None else function(progress, "progress"))
        status, self.handle = _hpart.hpart_options_create()
        check(status)
        try:
            check(_hpart.hpart_options_set_progress(self.handle, self._callback))
            if previous is not None:
                x = named_sizes(previous, processors, "previous")
                check(_hpart.hpart_options_set_previous(self.handle, len(x), x))
            for key, value in rest.items():
                self._set(key, value)
        except BaseException:
            self.destroy()
            raise

    def _set(self, key: str, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if isinstance(value, str):
            check(_hpart.hpart_options_set_string(self.handle, key, text(value, key)))
        elif isinstance(value, (float, np.floating)):
            status = _hpart.hpart_options_set_double(self.handle, key, float(value))
            if status != _hpart.HPART_SUCCESS and float(value).is_integer() and abs(float(value)) < 2**63:  # of bytes, say: 1e9
                status = _hpart.hpart_options_set_int(self.handle, key, int(value))
            check(status)
        elif isinstance(value, (bool, np.bool_)):  # options that are on or off
            check(_hpart.hpart_options_set_int(self.handle, key, int(value)))
        elif isinstance(value, (int, np.integer)):
            check(_hpart.hpart_options_set_int(self.handle, key, whole(value, key)))
        else:
            if key not in _KNOWN_KEYS:
                check(_hpart.hpart_options_set_string(self.handle, key, ""))  # names those that there are
            if hasattr(value, "__index__"):
                check(_hpart.hpart_options_set_int(self.handle, key, whole(value, key)))
                return
            raise TypeError(f"{key} is {shown(value)}; it must be a number or a string")

    def __enter__(self) -> Options:
        return self

    def __exit__(self, *error: object) -> None:
        self.destroy()

    def destroy(self) -> None:
        _hpart.hpart_options_destroy(self.handle)
        self.handle = None

    def check(self, status: int, *callbacks: Callback) -> None:
        """Raises the exception of a callback, else that of the status."""
        if status == _hpart.HPART_SUCCESS:
            for callback in callbacks:
                callback.left_out, callback.error = callback.error, None
            return
        error = failure(status)
        for callback in (self._callback, *callbacks):
            callback.raise_error()
        raise error
