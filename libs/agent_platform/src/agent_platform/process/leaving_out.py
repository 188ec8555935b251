"""Importing a library without what it would import only because something else installed it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without(*unused: str) -> Iterator[None]:
    """Inside the block, these can't be imported, unless they exist already."""
    hidden = [name for name in unused if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment] # Python's own way to say that there is none
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
