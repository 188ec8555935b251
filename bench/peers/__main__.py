"""Foldline among its peers: one workload, in rounds, in rotation.

    python -m bench.peers [--rounds N] [--resume-rounds N] [--peers foldline,floor,langgraph,restate]

Installs the peers the first time, prints both tables, and writes `bench/results/peers.json`.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from bench.peers.environment import scratch
from bench.peers.measure import Round, measure
from bench.peers.runtimes import NAMES
from bench.sampling import median

RESULTS = Path(__file__).parents[1] / "results" / "peers.json"
_AT_WORK = ("step_p50", "steps_per_s", "cpu_per_step", "bytes_per_step")
_AFTERWARDS = ("resume", "fork")
_WORDS = {
    "step_p50": "step p50, ms",
    "steps_per_s": "50 sessions, steps/s",
    "cpu_per_step": "CPU a step, ms",
    "bytes_per_step": "bytes a step",
    "resume": "resume at step 500, ms",
    "fork": "fork of 500 steps, ms",
}


def main() -> int:
    """Run, and print."""
    given = _options()
    console, where = Console(width=120), scratch()
    rounds: dict[str, list[Round]] = {name: [] for name in given.peers}
    with tempfile.TemporaryDirectory(prefix="foldline-peers-") as folder:
        for number in range(given.rounds):
            turn = given.peers[number % len(given.peers) :] + given.peers[: number % len(given.peers)]
            for name in turn:
                console.print(f"[dim]round {number + 1}: {name} ...[/]")
                data, long = Path(folder) / f"{number}-{name}", number < given.resume_rounds
                rounds[name].append(measure(name, where, data, long=long))
    console.print(_table("At work", rounds, _AT_WORK), "", _table("Afterwards", rounds, _AFTERWARDS))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(msgspec.to_builtins(rounds), indent=1) + "\n")
    return 0


def _table(title: str, rounds: dict[str, list[Round]], fields: tuple[str, ...]) -> Table:
    """Medians of the rounds; a dash where a driver can't."""
    table = Table(title=title, box=None, pad_edge=False, title_justify="left")
    table.add_column("peer")
    for field in fields:
        table.add_column(_WORDS[field], justify="right")
    for name, found in rounds.items():
        table.add_row(name, *(_shown([getattr(one, field) for one in found]) for field in fields))
    return table


def _shown(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    value = median(known)
    form: Callable[[float], str] = (lambda v: f"{v:,.0f}") if value >= 100 else (lambda v: f"{v:.1f}")
    return form(value)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description="Foldline among its peers.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--resume-rounds", type=int, default=1, help="rounds with a session of 500 steps")
    parser.add_argument("--peers", default=",".join(NAMES), help="some of: %(default)s")
    given = parser.parse_args()
    given.peers = [name for name in given.peers.split(",") if name]
    if unknown := set(given.peers) - set(NAMES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return given


if __name__ == "__main__":
    sys.exit(main())
