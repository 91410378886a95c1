"""The certified optimum of Python functions in one call."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ._errors import InvalidArgumentError
from ._measured import Optimum
from ._meter import Meter
from ._option_types import OptimizeOptions
from ._options import takes
from ._team import Team
from ._values import Sizes, function, names_of, text, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MOST_SIZES = 128
_Kernel = Callable[[int], object]


@takes(OptimizeOptions)
def tune(
    callables: Mapping[str, _Kernel] | Sequence[_Kernel] | Callable[[list[int]], object],
    size: int,
    *,
    processors: Sequence[str] | None = None,
    candidates: npt.ArrayLike | None = None,
    objective: str = "time",
    meter: Meter | None = None,
    **options: Unpack[OptimizeOptions],
) -> Optimum:
    """Finds the distribution of size over Python functions with the least time, from few measurements, with a certificate.

    callables: functions f(size), one a processor, as a list or by name. Each runs on a thread of its own, all at once: functions that
    hold the interpreter's lock wait for each other. hpart measures their runs, and refuses one that returns a float. Or one function of the
    list of sizes, 0 for an idle processor, that runs all processors and returns the seconds of each, or one number for all.
    processors: the names; needed for one function of all sizes. Default of a list: the functions' names, or numbers from 0.
    candidates: the sizes that a processor may get. Default: at most 128 multiples of a step, and size without them.
    objective: "time"; "sum_time", of processors that run one after another; with a meter of the node "energy" or "total_energy".
    An exception ends the call and passes through; a function of all sizes may fail for some sizes, which are then left out.

    >>> import time
    >>> found = hpart.tune({"slow": lambda n: time.sleep(n / 1e4), "fast": lambda n: time.sleep(n / 2e4)}, 30, max_total_seconds=5)
    >>> sum(found.distribution), found.bounds[0] <= found.bounds[1]
    (30, True)
    """
    n = whole(size, "size")
    if n < 1:
        raise InvalidArgumentError(f"size is {n}; it must be >= 1")
    sizes = _candidates(n) if candidates is None else candidates
    with Team() as team:
        if callable(callables):
            if not processors:
                raise InvalidArgumentError(f"processors is {processors}; a function of all sizes needs the processors' names")
            team.set_application(names_of(processors, "processors"), callables)
        else:
            for name, kernel in _named(callables, processors).items():
                team.add(name, _without_time(name, kernel), releases_gil=True)
        if meter is not None:
            team.set_meter(meter)
        return team.optimize(n, sizes, objective, **options)


def _without_time(name: str, kernel: _Kernel) -> _Kernel:
    """The kernel, which must return no time: hpart would not use it."""

    def run(size: int) -> None:
        result = kernel(size)
        if isinstance(result, float):
            raise InvalidArgumentError(
                f"function {name!r} returned {result}; hpart measures the time of its run, so that it must return no number; "
                "a function of all sizes, with processors, returns the seconds"
            )

    return run


def _named(callables: Mapping[str, _Kernel] | Sequence[_Kernel], processors: Sequence[str] | None) -> dict[str, _Kernel]:
    if isinstance(callables, str) or not isinstance(callables, (Mapping, Sequence)):
        raise TypeError(f"callables is {callables!r}; it must be a function, or a list or dictionary of functions")
    if not callables:
        raise InvalidArgumentError("callables is empty; it must have a function for each processor")
    kernels = list(callables.values() if isinstance(callables, Mapping) else callables)
    for k, kernel in enumerate(kernels):
        function(kernel, f"callables[{k}]")
    if isinstance(callables, Mapping):
        if processors is not None:
            raise InvalidArgumentError("processors is given, but callables has names")
        names = [text(name, "a name of callables") for name in callables]
    elif processors is not None:
        names = names_of(processors, "processors")
    else:
        names = [getattr(kernel, "__name__", "<>") for kernel in kernels]
        if len({name for name in names if name.isidentifier()}) < len(names):
            names = [str(k) for k in range(len(names))]
    if len(set(names)) != len(kernels):
        raise InvalidArgumentError(f"processors is {names}; it must have {len(kernels)} different names, one for each function")
    return dict(zip(names, kernels))


def _candidates(size: int) -> Sizes:
    """Multiples of a step, and size without them, so that they sum to size."""
    multiples = range(0, size + 1, -(-size // _MOST_SIZES))
    return np.array(sorted({*multiples, *(size - multiple for multiple in multiples)} - {0}), np.int64)
