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
    functions = [platform.function(k) for k in range(len(platform))]
    intervals = [platform.intervals(k) for k in range(len(platform))]
    names = np.array(platform.processors, object)
    columns: dict[str, Any] = {"processor": names.repeat([len(points.sizes) for points in functions])}
    for key, field in (("size", "sizes"), ("time", "seconds"), ("energy", "joules")):
        columns[key] = np.concatenate([getattr(points, field) for points in functions])
    for key in Intervals._fields:
        values = np.concatenate([getattr(ends, key) for ends in intervals])
        if np.any(values if key == "repetitions" else ~np.isnan(values)):
            columns[key] = values
    return pandas.DataFrame(columns)


def _column(frame: Any, key: str) -> Reals:
    """A column of reals; NaN for masked elements and for pandas.NA."""
    values = frame[key]
    kind = getattr(values, "dtype", None)
    if not isinstance(kind, np.dtype) and getattr(kind, "kind", "O") in "iuf":  # pandas's own types have a missing value
        values = values.to_numpy(float, na_value=np.nan)
    return reals_of(values.astype(float).filled(np.nan) if np.ma.is_masked(values) else values, key)


def fill(kind: type[Platform], frame: Any) -> Platform:
    """The platform of Platform.from_dataframe."""
    known = {"processor", "size", "time", "energy", *Intervals._fields}
    columns = set(frame.keys())
    if not columns <= known or not {"processor", "size"} < columns or not columns & {"time", "energy"}:
        raise InvalidArgumentError(
            f"frame has the columns {', '.join(map(str, frame.keys()))}; it must have processor, size, and time or energy or both"
        )
    lengths = {len(frame[key]) for key in columns}
    if len(lengths) > 1:
        raise InvalidArgumentError(f"frame has columns of {', '.join(map(str, sorted(lengths)))} rows; all must have as many")
    if np.ma.is_masked(frame["processor"]):
        raise InvalidArgumentError("processor has masked elements; fill them or leave them out")
    sizes = sizes_of(frame["size"], "size")
    counts = sizes_of(frame["repetitions"], "repetitions") if "repetitions" in columns else None
    numbers: dict[Any, int] = {}
    of_rows = np.array([numbers.setdefault(name, len(numbers)) for name in np.asarray(frame["processor"], object).tolist()], np.int64)
    platform = kind(list(numbers))
    order = of_rows.argsort(kind="stable")
    rows_of = np.split(order, np.bincount(of_rows, minlength=len(numbers)).cumsum()[:-1])
    for key, setter, set_interval in (
        ("time", platform.set_time, platform.set_time_interval),
        ("energy", platform.set_energy, platform.set_energy_interval),
    ):
        if key not in columns:
            continue
        values = _column(frame, key)
        nothing = np.full(len(sizes), np.nan)
        low, high = (_column(frame, end) if end in columns else nothing for end in (f"{key}_low", f"{key}_high"))
        for k, all_rows in enumerate(rows_of):
            rows = all_rows[~np.isnan(values[all_rows])]
            setter(k, sizes[rows], values[rows])
            rows = rows[~np.isnan(low[rows]) & ~np.isnan(high[rows])]
            if rows.size:
                set_interval(k, sizes[rows], low[rows], high[rows], None if counts is None else counts[rows])
    return platform
