"""Families: functions of two parameters, a platform for each value of the second."""
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _hpart
from ._errors import check
from ._option_types import SliceOptions
from ._options import Options, takes
from ._platform import Platform
from ._values import Handle, instance, text, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Family(Handle):
    """Functions t(x; n) of two parameters: a platform, called slice, for each measured n.

    Family() has no slices; Family.read(path) reads a file.

    >>> platform = hpart.Platform(["CPU"])
    >>> platform.set_time("CPU", [1, 2], [1.0, 2.0])
    >>> family = hpart.Family()
    >>> family.add(512, platform)
    >>> family.slice(512) == platform
    True
    """

    def __init__(self) -> None:
        status, handle = _hpart.hpart_family_create()
        check(status)
        self._own(handle, _hpart.hpart_family_destroy)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Family:
        """Reads the CSV file path. Raises IoError or FormatError."""
        status, handle = _hpart.hpart_family_read(text(os.fspath(path), "path"))
        check(status)
        family = cls.__new__(cls)
        family._own(handle, _hpart.hpart_family_destroy)
        return family

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the CSV file path atomically. Raises IoError."""
        check(_hpart.hpart_family_write(self._handle, text(os.fspath(path), "path")))

    def __len__(self) -> int:
        return int(_hpart.hpart_family_count(self._handle))

    def __iter__(self) -> Iterator[int]:
        return iter(self.parameters)

    def __repr__(self) -> str:
        return f"<hpart.Family of {len(self)} slices>"

    @property
    def parameters(self) -> list[int]:
        """The parameters of the slices, in increasing order."""
        parameters, needed = np.zeros(len(self), np.int64), np.zeros(1, np.int64)
        check(_hpart.hpart_family_get_parameters(self._handle, parameters, len(parameters), needed))
        return [int(parameter) for parameter in parameters]

    def add(self, parameter: int, platform: Platform) -> None:
        """Adds a copy of the platform as the slice of the parameter."""
        check(_hpart.hpart_family_add(self._handle, whole(parameter, "parameter"), instance(platform, Platform, "platform")._handle))

    @takes(SliceOptions)
    def slice(self, parameter: int, **options: Unpack[SliceOptions]) -> Platform:
        """Returns the slice of the parameter. With interpolate="linear" it may lie between two slices."""
        with Options(options) as settings:
            status, handle = _hpart.hpart_family_slice(self._handle, whole(parameter, "parameter"), settings.handle)
            settings.check(status)
        return Platform._of(handle)
