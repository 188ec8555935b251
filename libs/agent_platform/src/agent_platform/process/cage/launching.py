"""How a program is put into a cage: the side of the process that starts it. A bare interpreter enters the
cage, and then becomes the program, or stays as its keeper."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

import agent_platform
from agent_platform.process.cage.cage import REPORT


class CageReport(msgspec.Struct, frozen=True):
    """What holds `process` here, what doesn't, each with why (`name: why`), and which of that it had to have.
    Such a program wasn't started."""

    got: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    process: int = 0


def becoming(module: str) -> str:
    """The code by which a bare interpreter runs the `main` of a module, from the sources that it is given."""
    return f"import sys; sys.path[:0] = sys.argv.pop(1).split(':'); from {module} import main; main()"


def bare(code: str, package: ModuleType, wanted: Mapping[str, Any]) -> list[str]:
    """The arguments for our interpreter, before those of the program: it runs `code` of this package, and
    nothing that is installed. `wanted` is what the cage is told."""
    files = (str(agent_platform.__file__), str(package.__file__))
    sources = ":".join(str(Path(file).parents[1]) for file in files)
    return ["-I", "-S", "-c", code, sources, json.dumps(wanted)]


def report_in(folder: Path) -> CageReport:
    """What the cage told there. It has, once its program answers or has ended. Raises OSError where it told
    nothing, and msgspec's DecodeError."""
    return msgspec.json.decode((folder / REPORT).read_bytes(), type=CageReport)
