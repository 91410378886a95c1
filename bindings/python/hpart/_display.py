"""Tables of notebooks, numbers for people, and optional packages."""
from __future__ import annotations

import html
import importlib
import math
from collections.abc import Iterable, Sequence
from typing import Any

_MOST_ROWS = 60
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"))


def need(module: str, call: str) -> Any:
    """An optional package; an error with the remedy if it is missing."""
    package = module.partition(".")[0]
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{call} needs {package}, which cannot be imported: pip install {package}", name=package) from error
    return importlib.import_module(module)


def scale(value: float, unit: str = "") -> tuple[float, str]:
    """The factor and the prefix of a unit that bring a positive value to 1..1000. Nobody counts in kiloseconds."""
    if value <= 0 or not math.isfinite(value) or (unit == "s" and value >= 1):
        return 1.0, ""
    step, prefix = next(((step, prefix) for step, prefix in _PREFIXES if value >= step), _PREFIXES[-1])
    return 1 / step, prefix


def amount(value: float, unit: str) -> str:
    """"38.04 ms": four digits."""
    if not math.isfinite(value):
        return "unknown"
    factor, prefix = scale(abs(value), unit)
    scaled = value * factor
    return f"{scaled:.0f} {prefix}{unit}" if abs(scaled) >= 1e4 else f"{scaled:.4g} {prefix}{unit}"


def _decimals(value: float, digits: int) -> int:
    """The decimals that show so many digits of a value."""
    return min(max(digits - 1 - math.floor(math.log10(value)), 0), 9) if value > 0 and math.isfinite(value) else 0


def interval(low: float, high: float, unit: str) -> str:
    """"19.3 to 21.3 us", "at most 21.3 us", or "unknown": three digits, or one of half the width."""
    if not math.isfinite(high) or math.isnan(low):
        return "unknown" if not low > 0 else f"at least {amount(low, unit)}"
    if low <= 0:
        return f"at most {amount(high, unit)}"
    factor, prefix = scale(high, unit)
    decimals = max(_decimals(high * factor, 3), _decimals((high - low) * factor / 2, 1))
    return f"{low * factor:.{decimals}f} to {high * factor:.{decimals}f} {prefix}{unit}"


def ratio_interval(low: float, high: float) -> str:
    """"1.02 to 1.35", or "unknown" between 0 and infinity."""
    if not (low >= 0.005 and math.isfinite(high)):
        return "unknown"
    decimals = min(max(_decimals((high - low) / 2, 2), 2), 3)
    return f"{low:.{decimals}f} to {high:.{decimals}f}"


def title_of(processor: str) -> str:
    """The name of a processor; "processor 0" of one that has a number alone."""
    return f"processor {processor}" if processor.isdigit() else processor


def part(processor: str, size: int) -> str:
    """"CPU 600", "processor 0 = 600"."""
    return f"{title_of(processor)} {'= ' * processor.isdigit()}{size}"


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table for notebooks; a long one is cut."""
    lines = list(rows)

    def row(tag: str, cells: Iterable[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row("td", line) for line in lines[:_MOST_ROWS])
    if len(lines) > _MOST_ROWS:
        body += row("td", [f"... {len(lines) - _MOST_ROWS} more"])
    # A caption would be as narrow as the table.
    title = f"<p>{html.escape(caption)}</p>" if caption else ""
    return f"{title}<table><thead>{row('th', head)}</thead><tbody>{body}</tbody></table>"
