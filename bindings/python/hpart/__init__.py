"""hpart: optimal distribution of a workload over the heterogeneous processors of a node or cluster.

    import hpart
    platform = hpart.Platform.read("functions.csv")
    best = platform.partition_time(31)
    print(best.x, best.time)

Sizes are integers in the user's own unit of work, times seconds, energies joules, powers watts. A processor is named by its name
or by its number from 0 on. Failures are exceptions: hpart.Error and its subclasses.
"""
from ._interpreter import require_parts

require_parts(__name__)
del require_parts

from ._errors import (
    CallbackError,
    CancelledError,
    DeviceError,
    Error,
    FormatError,
    InfeasibleError,
    InternalError,
    InvalidArgumentError,
    IoError,
    LimitError,
    NumericalError,
    OutOfMemoryError,
    PermissionDeniedError,
    UnsupportedError,
)
from ._adaptive import Adaptive
from ._device import Device
from ._functions import Evaluation, Function, Intervals, Limits, Link, Node
from ._information import __version__, blas_library, devices, groupings, info
from ._matrix import MatrixPartition, Rectangle, matrix_partition, shares
from ._measured import Additivity, Baseline, Comparison, Execution, Measurement, OptimalFront, Optimum, ScheduleRun
from ._meter import BasePower, EnergyWindow, Meter, MeterKind, meters
from ._pipeline import Pipeline, Step
from ._platform import Platform
from ._results import Distribution, Front, FrontPoint, Schedule, Task
from ._solvers import Lu, Qr
from ._team import Team
from ._tune import tune

__all__ = [  # fmt: skip
    "Adaptive", "Additivity", "BasePower", "Baseline", "CallbackError", "CancelledError", "Comparison",
    "Device", "DeviceError", "Distribution", "EnergyWindow", "Error", "Evaluation", "Execution",
    "FormatError", "Front", "FrontPoint", "Function", "InfeasibleError", "InternalError", "Intervals",
    "InvalidArgumentError", "IoError", "LimitError", "Limits", "Link", "Lu", "MatrixPartition", "Measurement", "Meter",
    "MeterKind", "Node", "NumericalError", "OptimalFront", "Optimum", "OutOfMemoryError", "PermissionDeniedError",
    "Pipeline", "Platform", "Qr", "Rectangle", "Schedule", "ScheduleRun", "Step", "Task", "Team", "UnsupportedError",
    "__version__", "blas_library", "devices", "groupings", "info", "matrix_partition", "meters", "shares", "tune",
]
