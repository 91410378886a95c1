"""Tables of notebooks, and optional packages."""
from __future__ import annotations

import html
import importlib
from collections.abc import Iterable, Sequence
from typing import Any

_MOST_ROWS = 60


def need(module: str, call: str) -> Any:
    """An optional package; an error with the remedy if it is missing."""
    package = module.partition(".")[0]
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{call} needs {package}, which cannot be imported: pip install {package}", name=package) from error
    return importlib.import_module(module)


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table for notebooks; a long one is cut."""
    lines = list(rows)

    def row(tag: str, cells: Iterable[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row("td", line) for line in lines[:_MOST_ROWS])
    if len(lines) > _MOST_ROWS:
        body += row("td", [f"... {len(lines) - _MOST_ROWS} more"])
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead>{row('th', head)}</thead><tbody>{body}</tbody></table>"
