"""A figure beside its target, and how figures are shown."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from rich.console import Console
from rich.table import Table


class Target(msgspec.Struct, frozen=True):
    """What a figure should be at most (`<=`) or at least (`>=`), in the figure's unit."""

    sense: Literal["<=", ">="]
    value: float

    def is_met(self, value: float) -> bool:
        """Whether a value is good enough."""
        return value <= self.value if self.sense == "<=" else value >= self.value


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One measured value. `group` is the name under which `--only` asks for it; `note` says what it is of."""

    group: str
    name: str
    value: float
    unit: str
    target: Target | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """`ok`, `miss`, or nothing where there is no target."""
        if self.target is None:
            return ""
        return "ok" if self.target.is_met(self.value) else "miss"


def at_most(value: float) -> Target:
    """No more than this."""
    return Target("<=", value)


def at_least(value: float) -> Target:
    """No less than this."""
    return Target(">=", value)


def show(figures: Sequence[Figure], console: Console) -> None:
    """Print the table."""
    table = Table(box=None, pad_edge=False)
    for heading in ("figure", "value", "", "target", "", "note"):
        table.add_column(heading, justify="right" if heading in ("value", "target") else "left")
    group = ""
    for figure in figures:
        if group not in ("", figure.group):
            table.add_row()
        group = figure.group
        target = f"{figure.target.sense} {_number(figure.target.value)}" if figure.target else ""
        style = {"ok": "green", "miss": "bold red"}.get(figure.verdict, "")
        verdict = f"[{style}]{figure.verdict}[/]" if style else ""
        table.add_row(figure.name, _number(figure.value), figure.unit, target, verdict, figure.note)
    console.print(table)


def _number(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
