"""Your own kernel on data larger than the device's memory."""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _hpart
from ._device import Device
from ._errors import InvalidArgumentError, check
from ._operands import Array
from ._option_types import PipelineOptions
from ._options import KernelCallback, Options, takes
from ._values import Handle, Report, function, instance, take_report, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Block(NamedTuple):
    """Rows of bytes at equal distances: a NumPy array whose rows, or columns, are contiguous."""

    array: Array
    transposed: bool
    rows: int
    row_bytes: int
    pitch_bytes: int

    @classmethod
    def of(cls, block: Any) -> _Block:
        if not isinstance(block, np.ndarray):
            raise TypeError(f"block is {type(block).__name__}; it must be a NumPy array")
        if block.ndim not in (1, 2) or block.size == 0 or block.dtype.hasobject:
            raise InvalidArgumentError(
                f"block has the shape {block.shape} and the type {block.dtype}; it must be of one or two dimensions, of numbers, "
                "and not empty"
            )
        for transposed in (False, True):
            rows = np.atleast_2d(block.T if transposed else block)
            length = rows.shape[1] * rows.itemsize
            pitch = rows.strides[0] if rows.shape[0] > 1 else length
            if (rows.shape[1] == 1 or rows.strides[1] == rows.itemsize) and pitch >= length:
                return cls(block, transposed, rows.shape[0], length, pitch)
        raise InvalidArgumentError(f"block has the strides {block.strides}; its rows, or its columns, must be contiguous")

    @property
    def address(self) -> int:
        return int(self.array.__array_interface__["data"][0])

    def on_host(self, address: int) -> Array:
        """The block's copy on the host device, in the block's own shape."""
        memory = (ctypes.c_char * (self.rows * self.row_bytes)).from_address(address)
        shape = self.array.shape[::-1] if self.transposed else self.array.shape
        view = np.frombuffer(memoryview(memory), self.array.dtype).reshape(shape)
        return view.T if self.transposed else view


class Step:
    """The step of a kernel, valid during its call."""

    def __init__(self, _handle: Any, _blocks: list[_Block]):
        self._handle = _handle
        self._blocks = _blocks

    @property
    def index(self) -> int:
        """The step's number, from 0."""
        return int(_hpart.hpart_step_index(self._handle))

    @property
    def queue(self) -> int:
        """The cl_command_queue or CUstream as an integer, for pyopencl's from_int_ptr; 0 on the host."""
        return int(_hpart.hpart_step_queue(self._handle))

    @property
    def memory(self) -> list[int]:
        """Memory of each block, in the order of adding: a cl_mem or CUdeviceptr; on the host an address."""
        return [int(_hpart.hpart_step_memory(self._handle, k)) for k in range(len(self._blocks))]

    @property
    def arrays(self) -> list[Array]:
        """The blocks on the host device as arrays, valid during the kernel's call."""
        if self.queue:
            raise InvalidArgumentError("the blocks are on a device; arrays are those of the host device, memory has the card's")
        return [block.on_host(address) for block, address in zip(self._blocks, self.memory)]


class _StepCallback(KernelCallback):
    def __init__(self, function: Callable[[Step], object], steps: list[list[_Block]]):
        super().__init__(function)
        self.steps = steps

    def call(self, *arguments: Any) -> Any:
        handle = arguments[0]
        return super().call(Step(handle, self.steps[_hpart.hpart_step_index(handle)]))


class Pipeline(Handle):
    """A list of steps for your own kernel, each with the blocks of host arrays that it reads, writes or updates.

    device: an open Device. The result is as if the steps ran one after another on the arrays. `report` is that of the last run.

    >>> a, b = np.ones((256, 8)), np.zeros((256, 8))
    >>> def double(step):
    ...     source, target = step.arrays  # on the host device only
    ...     target[:] = 2 * source
    >>> with hpart.Device("host") as device:
    ...     pipeline = hpart.Pipeline(device)
    ...     source, target = pipeline.add_array(8192), pipeline.add_array(8192)
    ...     for k in range(0, 256, 128):
    ...         pipeline.read(source, a[k : k + 128])
    ...         pipeline.write(target, b[k : k + 128])
    ...         pipeline.end_step()
    ...     report = pipeline.run(double)
    >>> float(b.sum())
    4096.0
    """

    def __init__(self, device: Device) -> None:
        self._device = instance(device, Device, "device")
        with device._busy() as handle:
            status, pipeline = _hpart.hpart_pipeline_create(handle)
            check(status)
        self._own(pipeline, _hpart.hpart_pipeline_destroy)
        self._opened = device._open()  # the handle below the pipeline stays as long as it
        self._steps: list[list[_Block]] = []
        self._open_step: list[_Block] = []
        self.report: Report = {}

    def add_array(self, block_bytes: int, slots: int = 0) -> int:
        """Adds an array with blocks of at most block_bytes, in `slots` buffers on the device; returns its number.

        0 slots: as many as the fullest step needs, and more if the device has memory.
        """
        number = np.zeros(1, np.int64)
        check(_hpart.hpart_pipeline_add_array(self._handle, whole(block_bytes, "block_bytes"), whole(slots, "slots"), number))
        return int(number[0])

    def _use(self, function: Callable[..., int], array: int, block: Any) -> None:
        rows = _Block.of(block)
        number = whole(array, "array")
        check(function(self._handle, number, rows.address, rows.rows, rows.row_bytes, rows.pitch_bytes))
        self._open_step.append(rows)

    def read(self, array: int, block: Array) -> None:
        """Adds the step's next block, of the array with that number. The kernel only reads it."""
        self._use(_hpart.hpart_pipeline_read, array, block)

    def write(self, array: int, block: Array) -> None:
        """Adds the step's next block, of the array with that number. The kernel writes all of it and does not read it."""
        self._written(block)
        self._use(_hpart.hpart_pipeline_write, array, block)

    def update(self, array: int, block: Array) -> None:
        """Adds the step's next block, of the array with that number. The kernel reads and writes it."""
        self._written(block)
        self._use(_hpart.hpart_pipeline_update, array, block)

    @staticmethod
    def _written(block: Any) -> None:
        if isinstance(block, np.ndarray) and not block.flags.writeable:
            raise InvalidArgumentError("block is read-only; it must be writeable")

    def end_step(self) -> None:
        """Ends the step of the blocks added since the last one. Blocks may overlap only if all are read."""
        check(_hpart.hpart_pipeline_end_step(self._handle))
        self._steps.append(self._open_step)
        self._open_step = []

    @takes(PipelineOptions)
    def run(self, kernel: Callable[[Step], object], **options: Unpack[PipelineOptions]) -> Report:
        """Runs the steps and returns the report.

        kernel(step) adds commands to step.queue, or on the host computes on step.arrays. An exception stops the
        pipeline; results are ignored.
        """
        callback = _StepCallback(function(kernel, "kernel"), self._steps)
        with Options(options) as settings, self._device._busy():
            status, report = _hpart.hpart_pipeline_run(self._handle, callback, settings.handle)
            if report is not None:
                self.report = take_report(report)
            settings.check(status, callback)
        return self.report
