"""python -m hpart: the hpart command of this installation."""
from __future__ import annotations

import os
import pathlib
import sys

COMMAND = pathlib.Path(__file__).with_name("command")


def main() -> int:
    """Becomes the command, with this program's arguments."""
    if not COMMAND.exists():
        if COMMAND.is_symlink():
            print("hpart: the command is not installed; install the package hpart", file=sys.stderr)
        else:
            print("hpart: this installation has no command: it was built without CLI11 or nlohmann-json", file=sys.stderr)
        return 1
    sys.stdout.flush()
    os.execv(COMMAND, ["hpart", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
