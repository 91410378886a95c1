"""Self-adaptable applications."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._errors import InvalidArgumentError, check
from ._option_types import AdaptiveOptions
from ._options import Options, takes
from ._platform import Platform
from ._values import Handle, Report, Sizes, entries, reals_of, take_report, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Adaptive(Handle):
    """The next distribution of an iterative application, from the times of its iterations.

    processors: their number. size: the sum of each distribution, >= 0. The option previous is the first distribution.

    >>> adaptive = hpart.Adaptive(processors=2, size=90)
    >>> for iteration in range(20):
    ...     x = adaptive.distribution
    ...     adaptive.update(x / [1.0, 2.0])  # seconds of each processor
    >>> adaptive.converged, adaptive.distribution.tolist()
    (True, [30, 60])
    """

    @takes(AdaptiveOptions)
    def __init__(self, processors: int, size: int, **options: Unpack[AdaptiveOptions]) -> None:
        with Options(options) as settings:
            status, handle = _hpart.hpart_adaptive_create(
                whole(processors, "processors"), whole(size, "size"), settings.handle
            )
            settings.check(status)
        self._own(handle, _hpart.hpart_adaptive_destroy)
        self._processors = int(processors)

    def __len__(self) -> int:
        return self._processors

    def __repr__(self) -> str:
        report = self.report
        return (
            f"<hpart.Adaptive of {self._processors} processors, {report['state']} after {report['iterations']} iterations: "
            f"{self.distribution.tolist()}>"
        )

    @property
    def distribution(self) -> Sizes:
        """Sizes of the next iteration, one for each processor."""
        x = np.zeros(self._processors, np.int64)
        check(_hpart.hpart_adaptive_distribution(self._handle, x))
        return x

    def update(self, seconds: npt.ArrayLike, x: npt.ArrayLike | None = None) -> None:
        """Reports an iteration: seconds of each processor, infinity if it has stopped; x, its sizes, if not `distribution`."""
        times = reals_of(seconds, "seconds")
        if len(times) != self._processors:
            raise InvalidArgumentError(
                f"seconds has {len(times)} elements; it must have one a processor: {self._processors}"
            )
        sizes = None if x is None else entries(x, self._processors)
        check(_hpart.hpart_adaptive_update(self._handle, sizes, times))

    def set_limits(self, processor: int, smallest: int, largest: int) -> None:
        """Sets a processor's limits, smallest <= size <= largest. A stopped processor starts again."""
        check(
            _hpart.hpart_adaptive_set_limits(
                self._handle, whole(processor, "processor"), whole(smallest, "smallest"), whole(largest, "largest")
            )
        )

    def set_size(self, size: int) -> None:
        """Changes the size between two iterations. Keeps the functions; the next distribution has the new size."""
        check(_hpart.hpart_adaptive_set_size(self._handle, whole(size, "size")))

    def start_from(self, platform: Platform) -> None:
        """Starts from the platform's time functions, before the first update: measured ones, or `functions` of an earlier run."""
        if not isinstance(platform, Platform):
            raise TypeError(f"platform is {platform!r}; it must be an hpart.Platform")
        check(_hpart.hpart_adaptive_start_from(self._handle, platform._handle))

    @property
    def converged(self) -> bool:
        """True if no distribution is known to be better by more than the tolerance."""
        return bool(_hpart.hpart_adaptive_converged(self._handle) == 1)

    @property
    def functions(self) -> Platform:
        """The known time functions."""
        status, handle = _hpart.hpart_adaptive_functions(self._handle)
        check(status)
        return Platform._of(handle)

    @property
    def report(self) -> Report:
        """iterations, state, converged, imbalance, excess, noise, changes, moves, moved."""
        status, report = _hpart.hpart_adaptive_report(self._handle)
        check(status)
        return take_report(report)
