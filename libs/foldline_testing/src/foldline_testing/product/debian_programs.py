"""Servers of Debian that tests start: those of this machine, or those that `make` unpacked."""

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[5]


def program(name: str) -> str | None:
    """Where it is; None if this machine hasn't got it."""
    return shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:{ROOT}/.make/debian/bin")
