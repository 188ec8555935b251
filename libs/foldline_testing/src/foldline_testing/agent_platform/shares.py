"""Chooses the long tests of a run: all of them, or one share.

A test is long if it drives the whole product, or has one of the marks that `long_marks` in the root's
`pyproject.toml` names. All take an hour on two cores. So `make test` and CI take every short test, the files
that `always` names there, and one share of the others, another one with each commit.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec
import pytest

_WHOLE_PRODUCT = Path("tests/e2e")


class Share(msgspec.Struct, frozen=True):
    """One of `of` shares, counted from 1. Files that stand beside each other fall into different ones."""

    number: int
    of: int

    def has(self, path: Path) -> bool:
        """Whether the long tests of this file are in it."""
        return _siblings(path.parent).get(path.name, 0) % self.of == self.number - 1


def share_of(text: str) -> Share | None:
    """What `2/6` says; None for `all`. `pytest.UsageError` for anything else."""
    if text == "all":
        return None
    found = re.fullmatch(r"(\d{1,3})/(\d{1,3})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise pytest.UsageError(f"--share takes all or NUMBER/SHARES such as 2/6, and was given {text!r}")
    return Share(int(found[1]), int(found[2]))


def slow_files(root: Path) -> frozenset[Path]:
    """What `--fast` leaves out: tests of the whole product, and the files that `tests/slow.txt` names."""
    named = (root / "tests" / "slow.txt").read_text().splitlines()
    return frozenset({root / _WHOLE_PRODUCT, *(root / one for one in named)})


class Chosen(msgspec.Struct, frozen=True):
    """The tests of one run. `always` are files, from the root, whose tests are in each share; `marks` are
    those of long tests."""

    share: Share
    root: Path
    always: frozenset[str]
    marks: frozenset[str]

    def leaves_out(self, path: Path) -> bool:
        """Whether the share has no test of this file. Then pytest doesn't have to read it."""
        return path.name.startswith("test_") and self._drives_the_product(path) and not self._takes(path)

    def split(self, items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
        """The tests that are in it, and the others."""
        taken: list[pytest.Item] = []
        left: list[pytest.Item] = []
        for item in items:
            (taken if self._is_short(item) or self._takes(item.path) else left).append(item)
        return taken, left

    def _is_short(self, item: pytest.Item) -> bool:
        return not (
            self._drives_the_product(item.path)
            or any(mark.name in self.marks for mark in item.iter_markers())
        )

    def _drives_the_product(self, path: Path) -> bool:
        return path.is_relative_to(self.root / _WHOLE_PRODUCT)

    def _takes(self, path: Path) -> bool:
        return path.relative_to(self.root).as_posix() in self.always or self.share.has(path)


@cache
def _siblings(folder: Path) -> dict[str, int]:
    return {path.name: place for place, path in enumerate(sorted(folder.glob("test_*.py")))}
