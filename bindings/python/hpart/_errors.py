"""Statuses of the library as exceptions."""
from __future__ import annotations

from typing import TYPE_CHECKING

from . import _hpart

if TYPE_CHECKING:
    from ._platform import Platform
    from ._results import Distribution


class Error(Exception):
    """A failure of the library. `status` is its number in hpart.h.

    option: the option that the message begins with, or the parameter of hpart.h; "" if it begins otherwise.
    """

    status: int = _hpart.HPART_ERR_INTERNAL
    option: str = ""


class InvalidArgumentError(Error, ValueError):
    """An argument is wrong; the message names it."""

    status = _hpart.HPART_ERR_INVALID_ARGUMENT


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""

    status = _hpart.HPART_ERR_OUT_OF_MEMORY


class InfeasibleError(Error):
    """No distribution of this size exists."""

    status = _hpart.HPART_ERR_INFEASIBLE


class UnsupportedError(Error):
    """This build, machine or method cannot do it."""

    status = _hpart.HPART_ERR_UNSUPPORTED


class IoError(Error, OSError):
    """A file could not be opened, read or written."""

    status = _hpart.HPART_ERR_IO


class FormatError(Error, ValueError):
    """A file's content is wrong; the message has file, line, column and text."""

    status = _hpart.HPART_ERR_FORMAT


class DeviceError(Error):
    """A device or its driver failed."""

    status = _hpart.HPART_ERR_DEVICE


class PermissionDeniedError(Error):
    """The system refused; the message has the remedy."""

    status = _hpart.HPART_ERR_PERMISSION


class CallbackError(Error):
    """A callback failed. Its own exceptions reach the caller unchanged."""

    status = _hpart.HPART_ERR_CALLBACK


class CancelledError(Error):
    """The progress callback asked to stop."""

    status = _hpart.HPART_ERR_CANCELLED


class LimitError(Error):
    """The time or memory limit was reached.

    distribution: the best one that partition found until then, or None. platform: the points that Team.profile measured until then.
    """

    status = _hpart.HPART_ERR_LIMIT
    distribution: Distribution | None = None
    platform: Platform | None = None


class NumericalError(Error):
    """The matrix is singular, or a check of the result failed."""

    status = _hpart.HPART_ERR_NUMERICAL


class InternalError(Error):
    """A defect of hpart: please report it."""


_BY_STATUS = {kind.status: kind for kind in Error.__subclasses__()}


def failure(status: int) -> Error:
    """The exception for a call of this thread that has just failed."""
    kind = _BY_STATUS.get(status, InternalError)
    option = _hpart.hpart_last_error_option()
    message = _hpart.hpart_last_error() or _hpart.hpart_strerror(status)
    words = f"option '{option}'"
    error = kind(option + message[len(words) :] if option and message.startswith(words) else message)  # options are arguments in Python
    error.option = option
    return error


def check(status: int) -> None:
    if status != _hpart.HPART_SUCCESS:
        raise failure(status)
