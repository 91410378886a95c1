"""Platforms as tables of pandas, with the columns of platform files."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._display import need
from ._errors import InvalidArgumentError
from ._functions import Intervals
from ._values import Reals, reals_of, sizes_of

if TYPE_CHECKING:
    from ._platform import Platform


def frame_of(platform: Platform) -> Any:
    """The table of Platform.to_dataframe."""
    pandas = need("pandas", "to_dataframe")
    columns: dict[str, list[Any]] = {key: [] for key in ("processor", "size", "time", "energy", *Intervals._fields)}
    for name in platform:
        points, intervals = platform.function(name), platform.intervals(name)
        columns["processor"] += [name] * len(points.sizes)
        for key, values in zip(("size", "time", "energy"), points):
            columns[key] += values.tolist()
        for key, values in zip(Intervals._fields, intervals):
            columns[key] += values.tolist()
    for key in Intervals._fields:
        if all(value == 0 or value != value for value in columns[key]):
            del columns[key]
    return pandas.DataFrame(columns)


def _column(frame: Any, key: str) -> Reals:
    """A column of reals; NaN for masked elements."""
    values = frame[key]
    return reals_of(values.astype(float).filled(np.nan) if np.ma.is_masked(values) else values, key)


def fill(kind: type[Platform], frame: Any) -> Platform:
    """The platform of Platform.from_dataframe."""
    known = {"processor", "size", "time", "energy", *Intervals._fields}
    columns = set(frame.keys())
    if not columns <= known or not {"processor", "size"} < columns or not columns & {"time", "energy"}:
        raise InvalidArgumentError(
            f"frame has the columns {', '.join(map(str, frame.keys()))}; it must have processor, size, and time or energy or both"
        )
    names = np.asarray(frame["processor"], object)
    sizes = sizes_of(frame["size"], "size")
    counts = sizes_of(frame["repetitions"], "repetitions") if "repetitions" in columns else None
    platform = kind(list(dict.fromkeys(names)))
    for key, setter, set_interval in (
        ("time", platform.set_time, platform.set_time_interval),
        ("energy", platform.set_energy, platform.set_energy_interval),
    ):
        if key not in columns:
            continue
        values = _column(frame, key)
        nothing = np.full(len(sizes), np.nan)
        low, high = (_column(frame, end) if end in columns else nothing for end in (f"{key}_low", f"{key}_high"))
        for name in platform:
            rows = (names == name) & ~np.isnan(values)
            setter(name, sizes[rows], values[rows])
            rows &= ~np.isnan(low) & ~np.isnan(high)
            if rows.any():
                set_interval(name, sizes[rows], low[rows], high[rows], None if counts is None else counts[rows])
    return platform
