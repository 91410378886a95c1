"""Energy meters."""
from __future__ import annotations

import concurrent.futures
import contextlib
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._errors import InvalidArgumentError, check
from ._option_types import MeterOptions
from ._options import Callback, Options, takes
from ._values import Handle, Report, choice, fetch_text, function, real, reals_of, shown, take_report, text

if TYPE_CHECKING:
    from typing_extensions import Unpack


class BasePower(NamedTuple):
    """The power of the idle machine, in watts, and its standard_error."""

    watts: float
    standard_error: float


class MeterKind(NamedTuple):
    """A kind of meter: the form of its spec, "nvml:N"; works, True if it works here; the reason if not, else its instances."""

    form: str
    works: bool
    reason: str


@dataclass
class EnergyWindow:
    """The joules and seconds of a `with` block, known after it."""

    joules: float = float("nan")
    seconds: float = float("nan")

    @property
    def watts(self) -> float:
        """Mean power of the window; NaN before its end."""
        return self.joules / self.seconds if self.seconds > 0 else float("nan")


_QUANTITIES = {"joules": _hpart.HPART_JOULES, "watts": _hpart.HPART_WATTS}


class _ReadCallback(Callback):
    """Your own meter, until `given_up` is true."""

    given_up = False

    def call(self, *arguments: Any) -> Any:
        if self.given_up:
            raise KeyboardInterrupt
        found = super().call(*arguments)
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise TypeError(f"the meter's result is {shown(found)}; it must be a pair of its value and the time")
        return real(found[0], "the meter's value"), real(found[1], "the meter's time")


class Meter(Handle):
    """An energy meter.

    spec: "rapl", "perf", "nvml:0", "hwmon:hwmon2/power1_input", "wattsup:/dev/ttyUSB0", "command:PROGRAM", "replay:FILE" or
    "estimate:12". Raises DeviceError, PermissionDeniedError or UnsupportedError if the meter does not work here. hpart calls the option
    progress while it waits for the meter.

    >>> with hpart.Meter("estimate:12") as meter:  # 12 watts for each busy core
    ...     with meter.window() as energy:
    ...         total = sum(range(10**6))
    ...     report = meter.report
    >>> energy.joules > 0, report["method"]
    (True, 'estimated')
    """

    _callback: _ReadCallback | None = None
    _teams_measuring = 0
    _settings: Options | None = None

    @takes(MeterOptions)
    def __init__(self, spec: str, **options: Unpack[MeterOptions]) -> None:
        settings = Options(options)
        try:
            status, handle = _hpart.hpart_meter_open(text(spec, "spec"), settings.handle)
            settings.check(status)
        except BaseException:
            settings.destroy()
            raise
        self._own(handle, _hpart.hpart_meter_close)
        self._settings = settings  # whose progress, and interrupts, end a base power
        self._let_settings_go = weakref.finalize(self, settings.destroy)

    @classmethod
    def of(
        cls,
        read: Callable[[], tuple[float, float]],
        quantity: Literal["joules", "watts"],
        interval: float,
        wrap: float = 0,
        name: str = "own",
    ) -> Meter:
        """Returns your own meter: read() returns its value and the time of its own clock, in seconds.

        quantity: "joules" of a counter, or "watts". interval: seconds between new values. wrap: the joules at which a counter starts again
        at 0; 0: never. name: that in reports. A thread of the library reads watts once per interval.
        """
        kind = choice(quantity, _QUANTITIES, "quantity")
        meter = cls.__new__(cls)
        meter._callback = callback = _ReadCallback(function(read, "read"))
        status, handle = _hpart.hpart_meter_create(
            text(name, "name"), callback, kind, real(interval, "interval"), real(wrap, "wrap"), callback
        )
        check(status)
        meter._own(handle, _hpart.hpart_meter_close)
        return meter

    def close(self) -> None:
        """Closes the meter and its window. Raises InvalidArgumentError while a team measures with it."""
        if self._teams_measuring:
            raise InvalidArgumentError("a team measures with the meter; it can be closed when the call is over")
        self._let_go()
        if self._settings is not None:
            self._let_settings_go()

    def _check(self, status: int) -> None:
        """Raises the exception of read(), else that of the status."""
        if status == _hpart.HPART_ERR_CALLBACK and self._callback is not None:
            self._callback.raise_error()
        check(status)

    def start(self) -> None:
        """Opens a window."""
        self._check(_hpart.hpart_meter_start(self._handle))

    def stop(self) -> EnergyWindow:
        """Closes the window; returns its energy and seconds."""
        joules, seconds = np.zeros(1), np.zeros(1)
        self._check(_hpart.hpart_meter_stop(self._handle, joules, seconds))
        return EnergyWindow(float(joules[0]), float(seconds[0]))

    def window(self) -> contextlib.AbstractContextManager[EnergyWindow]:
        """Opens a window around a `with` block. The result is known at the end of the block."""
        return _Window(self)

    def base_power(self, seconds: float) -> BasePower:
        """Measures the mean power of the idle machine for `seconds`, at least report["minimum_window"]; the meter keeps it."""
        length = real(seconds, "seconds")
        if self._callback is None:
            return self._measure_base_power(length)
        # On a thread, so that this one hears of an interrupt: a meter of one's own has no progress to ask.
        pool = concurrent.futures.ThreadPoolExecutor(1)
        try:
            return pool.submit(self._measure_base_power, length).result()
        except BaseException:
            self._callback.given_up = True
            raise
        finally:
            pool.shutdown()
            self._callback.given_up = False

    def _measure_base_power(self, seconds: float) -> BasePower:
        watts, error = np.zeros(1), np.zeros(1)
        status = _hpart.hpart_meter_base_power(self._handle, seconds, watts, error)
        if status == _hpart.HPART_ERR_CANCELLED and self._settings is not None:
            self._settings.check(status)
        self._check(status)
        return BasePower(float(watts[0]), float(error[0]))

    @property
    def is_open(self) -> bool:
        """True until close."""
        return self._owned is not None

    @property
    def report(self) -> Report:
        """meter, method, interval, minimum_window, channels; the last window; with a base power, the dynamic energy."""
        status, report = _hpart.hpart_meter_report(self._handle)
        check(status)
        return take_report(report)


class _Window:
    """A `with` block of a meter. No generator: read() may raise StopIteration."""

    def __init__(self, meter: Meter):
        self._meter = meter
        self._measured = EnergyWindow()

    def __enter__(self) -> EnergyWindow:
        self._meter.start()
        return self._measured

    def __exit__(self, error: type[BaseException] | None, *rest: object) -> None:
        if error is not None:
            with contextlib.suppress(Exception):  # the block's failure is the one to tell
                self._meter.stop()
            return
        measured = self._meter.stop()
        self._measured.joules, self._measured.seconds = measured.joules, measured.seconds


def meters() -> list[MeterKind]:
    """Returns the kinds of meters, whether they work on this machine, and the remedy if they do not."""
    kinds = []
    works = np.zeros(1, np.int32)
    for k in range(_hpart.hpart_meter_count()):
        line = fetch_text(lambda buffer, capacity, needed, k=k: _hpart.hpart_meter_describe(k, buffer, capacity, needed, works))
        form, _, reason = line.partition(" ")
        kinds.append(MeterKind(form, works[0] == _hpart.HPART_SUCCESS, reason))
    return kinds
