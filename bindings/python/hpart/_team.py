"""Teams: processors that run here.

A Python callable holds the interpreter's lock while it runs, so two of them cannot run simultaneously: unless they are said to
release it, a team measures, profiles and executes such kernels in turn, and the report's key simultaneous is 0.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._errors import InvalidArgumentError, LimitError, check, failure
from ._measured import Additivity, Comparison, Execution, Measurement, OptimalFront, Optimum, ScheduleRun
from ._meter import Meter
from ._option_types import (
    AddBuiltinOptions,
    AddProgramOptions,
    AdditivityOptions,
    CompareOptions,
    ExecuteOptions,
    LinksOptions,
    MeasureOptions,
    OptimizeOptions,
    ProfileOptions,
    RunScheduleOptions,
    SelfScheduleOptions,
    SetApplicationOptions,
)
from ._options import ApplicationCallback, Callback, KernelCallback, Options, takes
from ._platform import _ENERGIES, _OBJECTIVES, Platform
from ._results import Schedule, find, take_front
from ._values import Handle, Parts, Reals, Report, Sizes, choice, fetch_text, flag, function, host_array, instance, named_entries, names_of, sizes_of, take_report, text, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

_PER_PROCESSOR = ("interval_low", "interval_high", "median", "minimum")


class Team(Handle):
    """Processors that run kernels on this machine. Use it in a with statement, or close it.

    >>> import time
    >>> with hpart.Team() as team:
    ...     team.add("slow", lambda size: time.sleep(size / 1e3), releases_gil=True)
    ...     team.add("fast", lambda size: time.sleep(size / 4e3), releases_gil=True)
    ...     platform = team.profile([5, 10, 20], max_repetitions=5, precision=0.2)
    >>> platform.partition_time(25).as_dict()
    {'slow': 5, 'fast': 20}
    """

    def __init__(self) -> None:
        status, handle = _hpart.hpart_team_create()
        check(status)
        self._own(handle, _hpart.hpart_team_destroy)
        self._names: list[str] = []
        self._callbacks: list[Callback | None] = []
        self._holds_lock: list[bool] = []
        self._meters: dict[int, Meter] = {}  # by processor, -1: the whole node
        self._running = 0

    def close(self) -> None:
        """Destroys the team and releases its kernels. Raises InvalidArgumentError while it runs."""
        if self._running:
            raise InvalidArgumentError("the team is running; it can be closed when the call is over")
        self._let_go()
        self._callbacks = []
        self._meters = {}

    @contextlib.contextmanager
    def _busy(self) -> Iterator[None]:
        """While a call of the library uses the handle."""
        for meter in self._meters.values():
            if not meter.is_open:
                raise InvalidArgumentError("a meter of the team is closed; set_meter(None, ...) takes it away")
        self._running += 1
        for meter in self._meters.values():
            meter._teams_measuring += 1
        try:
            yield
        finally:
            self._running -= 1
            for meter in self._meters.values():
                meter._teams_measuring -= 1

    @property
    def kernel(self) -> str:
        """The kernel that profile writes to the platform file; "" if unknown."""
        return fetch_text(_hpart.hpart_team_get_kernel, self._handle)

    def set_kernel(self, kernel: str) -> None:
        """Names the kernel of the processors, with a version: "heat 1.3".

        profile writes it to the platform file and continues only files of the same name.
        """
        check(_hpart.hpart_team_set_kernel(self._handle, text(kernel, "kernel")))

    def set_meter(self, meter: Meter | None, processor: int | str | None = None) -> None:
        """Attaches a meter to a processor, or without one to the whole node; None detaches it.

        A team has a meter of the node or meters of processors. While the node has one, or each processor its own, measure gives joules too
        and profile energy functions.
        """
        if self._running:
            raise InvalidArgumentError("the team is running; its meters can be set when the call is over")
        if meter is not None and not instance(meter, Meter, "meter").is_open:
            raise InvalidArgumentError("meter is closed; it must be open")
        place = -1 if processor is None else find(processor, tuple(self._names))
        check(_hpart.hpart_team_set_meter(self._handle, place, None if meter is None else meter._handle))
        if meter is None:
            self._meters.pop(place, None)
        else:
            self._meters[place] = meter

    def _joules(self) -> Reals | None:
        """An array for the energy of a repetition; None without a meter."""
        if -1 in self._meters:
            return np.zeros(1)
        return np.zeros(len(self)) if self._names and len(self._meters) == len(self) else None

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<hpart.Team of {', '.join(self._names) or 'no processors'}>"

    @property
    def processors(self) -> list[str]:
        """The processors' names."""
        return list(self._names)

    def add(
        self, name: str, kernel: Callable[[int], object], cores: str | None = None, releases_gil: bool = False
    ) -> None:
        """Adds a processor of that name, which runs kernel(size) on a thread bound to the cores, "0-3,8"; None: unbound.

        releases_gil: the kernel spends its time in code that releases the interpreter's lock, as NumPy's larger operations do. It then
        runs at the same time as others.
        """
        callback = KernelCallback(function(kernel, "kernel"))
        bound = None if cores is None else text(cores, "cores")
        holds_lock = not flag(releases_gil, "releases_gil")
        check(_hpart.hpart_team_add(self._handle, text(name, "name"), callback, bound))
        self._append(name, callback, holds_lock)

    def _append(self, name: str, callback: Callback | None = None, holds_lock: bool = False) -> None:
        self._names.append(name)
        self._callbacks.append(callback)
        self._holds_lock.append(holds_lock)

    @takes(AddBuiltinOptions)
    def add_builtin(self, kernel: str, processor: str, name: str | None = None, **options: Unpack[AddBuiltinOptions]) -> None:
        """Adds a processor that runs a built-in kernel: "dgemm", "dgemv", "fft2d", "zfft", "sgemm", "sgemv" or "cfft".

        processor: "cpu:0-3", "opencl:0:0" or "cuda:0". name: default: the text of processor.
        """
        named = None if name is None else text(name, "name")
        with Options(options) as settings:
            status = _hpart.hpart_team_add_builtin(
                self._handle, named, text(kernel, "kernel"), text(processor, "processor"), settings.handle
            )
            settings.check(status)
        # As the library names it: a platform file has commas between its fields.
        self._append(processor.replace(",", "+") if name is None else name)

    @takes(AddProgramOptions)
    def add_program(self, name: str, command: str, **options: Unpack[AddProgramOptions]) -> None:
        """Adds a processor of that name, which runs a command.

        command: "./app {size}", or "lib:PATH:FUNCTION@CORES", a function of a shared library.
        """
        with Options(options) as settings:
            status = _hpart.hpart_team_add_program(
                self._handle, text(name, "name"), text(command, "command"), settings.handle
            )
            settings.check(status)
        self._append(name)

    @takes(SetApplicationOptions)
    def set_application(
        self, names: Sequence[str], application: str | Callable[[list[int]], object], **options: Unpack[SetApplicationOptions]
    ) -> None:
        """Adds the processors with these names of one application, which runs all of them at once; the team must be empty.

        application: a command, "mpirun -n 3 ./solver {x}", with options; or a function of the list of sizes, 0 for an idle processor, that
        returns the seconds of each processor, or one number for all.
        """
        names = names_of(names, "names")
        for name in names:
            if "," in name:
                raise InvalidArgumentError(f"names has {name!r}; a processor's name must not have a comma")
        joined = ",".join(names)
        callback = None
        with Options(options) as settings:
            if isinstance(application, str):
                status = _hpart.hpart_team_set_application(self._handle, joined, application, settings.handle)
            else:
                if options:
                    raise InvalidArgumentError(f"option {next(iter(options))!r} belongs to commands; application is a function")
                callback = ApplicationCallback(function(application, "application"))
                status = _hpart.hpart_team_set_application_function(self._handle, joined, callback)
            settings.check(status)
        self._names = names
        self._callbacks = [callback]
        self._holds_lock = [False] * len(self._names)

    def _turns(self, x: Sizes) -> list[Sizes]:
        """The distribution, or parts of it to run one after another, when several of its kernels hold the lock."""
        lonely = [i for i in range(len(x)) if x[i] != 0 and self._holds_lock[i]]
        if len(lonely) < 2:
            return [x]
        together = x.copy()
        together[lonely] = 0
        turns = [together] if together.any() else []
        for i in lonely:
            turn = np.zeros_like(x)
            turn[i] = x[i]
            turns.append(turn)
        return turns

    def _run(self, options: Mapping[str, Any], call: Callable[[Any], Any]) -> list[Any]:
        """Calls the library with a handle of the options; returns the handles that the call made."""
        with Options(options) as settings:
            with self._busy():
                status, *made = call(settings.handle)
            self._check(settings, status)
        return list(made)

    def _check(self, settings: Options, status: int) -> None:
        meters: list[Callback | None] = [meter._callback for meter in self._meters.values()]
        settings.check(status, *(callback for callback in self._callbacks + meters if callback is not None))

    @takes(MeasureOptions)
    def measure(self, x: Parts, **options: Unpack[MeasureOptions]) -> Measurement:
        """Runs the distribution x repeatedly until each processor's mean time is known, and with meters its energy."""
        parts = named_entries(x, self._names)
        turns = self._turns(parts)
        seconds = np.zeros(len(parts))
        joules = self._joules()
        reports = []
        for turn in turns:
            mean = np.zeros(len(parts))
            energy = self._joules()
            (report,) = self._run(options, lambda handle: _hpart.hpart_team_measure(self._handle, turn, handle, mean, energy))
            seconds += mean
            if joules is not None and energy is not None:
                joules += energy
            reports.append(take_report(report))
        of_node = float(joules[0]) if joules is not None and -1 in self._meters else joules
        return Measurement(tuple(self._names), parts, seconds, _merged(turns, reports), of_node)

    @takes(ExecuteOptions)
    def execute(self, x: Parts, **options: Unpack[ExecuteOptions]) -> Execution:
        """Runs the distribution x once."""
        parts = named_entries(x, self._names)
        turns = self._turns(parts)
        seconds = np.zeros(len(parts))
        reports = []
        for turn in turns:
            once = np.zeros(len(parts))
            (report,) = self._run(options, lambda handle: _hpart.hpart_team_execute(self._handle, turn, handle, once))
            seconds += once
            reports.append(take_report(report))
        return Execution(tuple(self._names), parts, seconds, _merged(turns, reports))

    def _can_run_at_once(self) -> None:
        if sum(self._holds_lock) > 1:
            raise InvalidArgumentError(
                "several kernels hold the interpreter's lock and cannot run at once; they must be added with releases_gil"
            )

    @takes(RunScheduleOptions)
    def run_schedule(self, schedule: Schedule, **options: Unpack[RunScheduleOptions]) -> ScheduleRun:
        """Runs a schedule, one queue of packages per processor, until its mean makespan is known."""
        self._can_run_at_once()
        owner = instance(schedule, Schedule, "schedule")._owner
        makespan = np.zeros(1)
        (report,) = self._run(
            options, lambda handle: _hpart.hpart_team_run_schedule(self._handle, owner._handle, handle, makespan)
        )
        return ScheduleRun(float(makespan[0]), take_report(report))

    @takes(SelfScheduleOptions)
    def self_schedule(
        self, method: str, size: int, platform: Platform | None = None, **options: Unpack[SelfScheduleOptions]
    ) -> ScheduleRun:
        """Runs size by self-scheduling, until the mean makespan is known.

        method: "fixed", "guided", "factoring" or "sigmoid". Packages have sizes of the platform, if given.
        """
        self._can_run_at_once()
        functions = None if platform is None else instance(platform, Platform, "platform")._handle
        makespan = np.zeros(1)
        name, n = text(method, "method"), whole(size, "size")
        (report,) = self._run(
            options, lambda handle: _hpart.hpart_team_self_schedule(self._handle, name, n, functions, handle, makespan)
        )
        return ScheduleRun(float(makespan[0]), take_report(report))

    @takes(LinksOptions)
    def measure_links(self, platform: Platform, **options: Unpack[LinksOptions]) -> None:
        """Measures the links between the processors through this machine's memory, and sets them in the platform of the same processors."""
        target = instance(platform, Platform, "platform")._handle
        with Options(options) as settings:
            with self._busy():
                status = _hpart.hpart_team_measure_links(self._handle, settings.handle, target)
            self._check(settings, status)

    def _rows(self, distributions: npt.ArrayLike | Sequence[Parts], in_turn: bool = False) -> list[Sizes]:
        """Distributions for one call of the library, one per row."""
        given = distributions if isinstance(distributions, (list, tuple)) else host_array(distributions, "distributions")
        rows = [named_entries(row, self._names) for row in given]
        if not in_turn and any(len(self._turns(row)) > 1 for row in rows):
            self._can_run_at_once()
        return rows

    @takes(CompareOptions)
    def compare(self, distributions: npt.ArrayLike | Sequence[Parts], **options: Unpack[CompareOptions]) -> Comparison:
        """Runs the distributions in turns until each differs from the first, or is equally fast within the option precision.

        distributions: a list of arrays, Distributions or dictionaries, or an array with one per row.
        """
        rows = self._rows(distributions, in_turn=str(options.get("simultaneous", 1)) == "0")
        seconds = np.zeros(len(rows))
        x = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        (report,) = self._run(options, lambda handle: _hpart.hpart_team_compare(self._handle, len(rows), x, handle, seconds))
        about = take_report(report)
        ratios, low, high = (np.asarray(about[key], float) for key in ("ratios", "ratio_low", "ratio_high"))
        return Comparison(int(str(about["best"])), seconds, ratios, low, high, np.asarray(about["distinguishable"]) != 0, about)

    @takes(OptimizeOptions)
    def optimize(
        self, size: int, candidates: npt.ArrayLike, objective: str = "time", **options: Unpack[OptimizeOptions]
    ) -> Optimum:
        """Finds the distribution of size with the least time, from few measurements, with a certificate.

        candidates: the sizes that a processor may get. objective: "time"; "sum_time", of processors that run one after another; of a
        team with meters also "energy" (dynamic) or "total_energy". Kernels in Python must have been added with releases_gil, but for
        sum_time. Raises InfeasibleError if no candidates sum to size, LimitError.
        """
        goal, n = choice(objective, _OBJECTIVES, "objective"), whole(size, "size")
        in_turn = goal == _hpart.HPART_OBJECTIVE_SUM_TIME
        points = sizes_of(candidates, "candidates") if in_turn else self._candidates(candidates)
        x = np.zeros(len(self._names), np.int64)
        value = np.zeros(1)
        measured, report = self._run(
            options, lambda handle: _hpart.hpart_team_optimize(self._handle, goal, n, len(points), points, handle, x, value)
        )
        about = take_report(report)
        errors = [callback.left_out for callback in self._callbacks if callback is not None and callback.left_out is not None]
        if errors and about["failed"]:  # the library knows no more than that it failed
            about["failed"] = f"{about['failed']} ({type(errors[0]).__name__}: {errors[0]})"
        return Optimum(x, objective, float(value[0]), about["certified"] == 1, Platform._of(measured), about)

    @takes(OptimizeOptions)
    def optimize_front(
        self, size: int, candidates: npt.ArrayLike, energy: str = "dynamic", **options: Unpack[OptimizeOptions]
    ) -> OptimalFront:
        """Finds the Pareto front of time and energy of size, from few measurements, with a certificate.

        candidates: the sizes that a processor may get. energy: "dynamic" or "total". The team needs meters. Errors as for optimize.
        """
        points, n = self._candidates(candidates), whole(size, "size")
        kind = choice(energy, _ENERGIES, "energy")
        front, measured, report = self._run(
            options, lambda handle: _hpart.hpart_team_optimize_front(self._handle, n, kind, len(points), points, handle)
        )
        about = take_report(report)
        return OptimalFront(take_front(front, tuple(self._names)), about["certified"] == 1, Platform._of(measured), about)

    def _candidates(self, candidates: npt.ArrayLike) -> Sizes:
        self._can_run_at_once()
        return sizes_of(candidates, "candidates")

    @takes(ProfileOptions)
    def profile(self, sizes: npt.ArrayLike, **options: Unpack[ProfileOptions]) -> Platform:
        """Measures all processors at these sizes, until each mean time is known; with meters also their energies.

        The platform's report has `simultaneous`. Raises LimitError if max_total_seconds ends first; its `platform` has the measured points.
        """
        points = sizes_of(sizes, "sizes")
        if sum(self._holds_lock) > 1:
            if options.get("simultaneous") == 1:
                self._can_run_at_once()
            options["simultaneous"] = 0
        with Options(options) as settings:
            with self._busy():
                status, handle = _hpart.hpart_team_profile(self._handle, len(points), points, settings.handle)
            limit = failure(status) if status == _hpart.HPART_ERR_LIMIT else None
            if limit is None:
                self._check(settings, status)
        platform = Platform._of(handle)
        platform.report = {"simultaneous": int(str(options.get("simultaneous", 1)) != "0")}
        if isinstance(limit, LimitError):
            limit.platform = platform
            raise limit
        return platform

    @takes(AdditivityOptions)
    def additivity(
        self, distributions: npt.ArrayLike | Sequence[Parts], alone: Platform | None = None, **options: Unpack[AdditivityOptions]
    ) -> Additivity:
        """Tests if the energies of processors alone add up to that of all together.

        distributions: as for compare. alone: the platform whose energy functions are added up; None: each processor is measured alone. The
        team needs a meter of the whole node.
        """
        platform = None if alone is None else instance(alone, Platform, "alone")._handle
        rows = self._rows(distributions)
        x = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        least, mean, largest = np.zeros(1), np.zeros(1), np.zeros(1)
        (report,) = self._run(
            options,
            lambda handle: _hpart.hpart_energy_additivity(self._handle, platform, len(rows), x, handle, least, mean, largest),
        )
        return Additivity(float(least[0]), float(mean[0]), float(largest[0]), take_report(report))


def _merged(turns: list[Sizes], reports: list[Report]) -> Report:
    """The reports of all turns as one: joined arrays per processor, and the turns."""
    if len(reports) == 1:
        return {**reports[0], "simultaneous": 1}
    whole: Report = {"simultaneous": 0, "turns": list(reports)}
    for key in _PER_PROCESSOR:
        if all(key in report for report in reports):
            joined = np.zeros(len(turns[0]))
            for turn, report in zip(turns, reports):
                joined += np.where(turn != 0, np.asarray(report[key]), 0.0)
            whole[key] = joined.tolist()
    return whole
