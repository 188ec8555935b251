"""`make bench`: measure, print the table, write `bench/results/latest.json`.

python -m bench [--only fold,tool-call] [--quick] [--processes] [--against CHECKOUT]
"""

import argparse
import asyncio
import json
import os
import platform
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from agent_platform.observing.logs import configure_logging
from agent_platform.process.collecting import collect_rarely
from agent_platform.process.interpreter import interpreter
from bench import (
    announced,
    browser,
    cold_open,
    files,
    first_event,
    fold,
    growth,
    mcp,
    memory_growth,
    model_call,
    own_made,
    policies,
    projector,
    reminders,
    rewind,
    runners,
    sandbox,
    search,
    startup,
    storage,
    tool_call,
    turns,
    ui,
    whole_product,
)
from bench.ack import Acks
from bench.stage import stage
from bench.table import Figure, show

RESULTS = Path(__file__).parent / "results" / "latest.json"
ON_STAGE = ("ack", first_event.GROUP, tool_call.GROUP, turns.GROUP, storage.GROUP, growth.GROUP)
GROUPS = (
    *ON_STAGE,
    model_call.GROUP,
    fold.GROUP,
    policies.GROUP,
    cold_open.GROUP,
    own_made.GROUP,
    rewind.GROUP,
    projector.GROUP,
    search.GROUP,
    whole_product.GROUP,
    reminders.GROUP,
    files.GROUP,
    startup.GROUP,
    memory_growth.GROUP,
    runners.GROUP,
    sandbox.GROUP,
    mcp.GROUP,
    browser.GROUP,
    ui.GROUP,
    announced.GROUP,
)

console = Console(width=150 if not sys.stdout.isatty() else None)


class Options(msgspec.Struct, frozen=True):
    """What to measure: `only` names groups; `quick` takes fewer samples; `against` is another checkout."""

    only: frozenset[str]
    quick: bool
    processes: bool
    against: Path | None = None

    def few(self, quick: int, usual: int) -> int:
        """How many samples."""
        return quick if self.quick else usual


async def measure(options: Options, folder: Path, figures: list[Figure]) -> None:
    """Everything that is asked for, one after another, into `figures`."""

    async def take(group: str, work: Callable[[], Coroutine[Any, Any, list[Figure]]]) -> None:
        if group not in options.only:
            return
        began = time.perf_counter()
        console.print(f"[dim]{group} ...[/]", end="")
        try:
            figures.extend(await work())
        finally:
            console.print(f"[dim] {time.perf_counter() - began:.1f} s[/]")

    async def startups() -> list[Figure]:
        one = await startup.measure(folder / "up", processes=False)
        return one + await startup.measure(folder / "up-processes", processes=True)

    async def memories() -> list[Figure]:
        one = await memory_growth.measure(folder / "memory", processes=False)
        return one + await memory_growth.measure(folder / "memory-processes", processes=True)

    if options.only & set(ON_STAGE):
        async with stage(folder / "stage", processes=options.processes) as running:
            acks = Acks(running.log)
            await acks.open()
            await acks.take(100)
            await take(
                first_event.GROUP,
                lambda: first_event.measure(running, acks, messages=options.few(10, 30)),
            )
            await take(tool_call.GROUP, lambda: tool_call.measure(running, acks, sessions=options.few(3, 8)))
            await take(turns.GROUP, lambda: turns.measure(running, turns=options.few(3, 8)))
            await take(storage.GROUP, lambda: storage.measure(running, turns=options.few(3, 10)))
            await take(growth.GROUP, lambda: growth.measure(running, turns=options.few(20, 150)))
            await acks.take(100)
            figures[:0] = acks.figures()
    await take(fold.GROUP, lambda: asyncio.to_thread(_fold, options))
    await take(policies.GROUP, lambda: asyncio.to_thread(_policies, options))
    await take(
        cold_open.GROUP,
        lambda: cold_open.measure(folder / "cold", events=10_000, rounds=options.few(5, 15)),
    )
    await take(
        own_made.GROUP,
        lambda: own_made.measure(folder / "own-made", definitions=200, rounds=options.few(5, 15)),
    )
    await take(
        rewind.GROUP,
        lambda: rewind.measure(folder / "rewind", events=10_000, things=1_000, rounds=options.few(1, 3)),
    )
    await take(
        projector.GROUP, lambda: projector.measure(folder / "projector", events=options.few(10_000, 30_000))
    )
    await take(
        search.GROUP,
        lambda: search.measure(folder / "search", messages=options.few(50_000, 1_000_000)),
    )
    await take(
        model_call.GROUP, lambda: model_call.measure(folder / "model-call", calls=options.few(30, 200))
    )
    await take(
        whole_product.GROUP,
        lambda: whole_product.measure(
            folder / "whole-product",
            rounds=options.few(1, 3),
            turns=options.few(1, 2),
            against=options.against,
        ),
    )
    await take(
        reminders.GROUP,
        lambda: reminders.measure(folder / "reminders", count=options.few(200, 1_000), within_s=10),
    )
    await take(
        files.GROUP,
        lambda: files.measure(
            folder / "files", archived=options.few(500, 2_000), rounds=options.few(20, 200)
        ),
    )
    await take(startup.GROUP, startups)
    await take(memory_growth.GROUP, memories)
    await take(runners.GROUP, lambda: runners.measure(folder / "runners", calls=options.few(12, 40)))
    await take(sandbox.GROUP, lambda: sandbox.measure(folder / "sandbox", calls=options.few(300, 2_000)))
    await take(mcp.GROUP, lambda: mcp.measure(folder / "mcp", calls=options.few(100, 500)))
    await take(browser.GROUP, lambda: browser.measure(rounds=options.few(10, 30)))
    await take(
        ui.GROUP,
        lambda: ui.measure(
            folder / "ui",
            events=options.few(5_000, 30_000),
            stops=options.few(50, 1_000),
            sections=options.few(3, 8),
            rounds=options.few(3, 7),
        ),
    )
    await take(
        announced.GROUP, lambda: announced.measure(folder / "announced", requests=options.few(100, 300))
    )


def _fold(options: Options) -> list[Figure]:
    return fold.measure(events=10_000, rounds=options.few(1, 5))


def _policies(options: Options) -> list[Figure]:
    return policies.measure(steps=options.few(100, 500), rounds=5)


def write(figures: list[Figure], options: Options) -> None:
    """The results as JSON, with what they were measured on."""
    RESULTS.parent.mkdir(exist_ok=True)
    said = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "python": interpreter(),
            "system": platform.platform(),
        },
        "options": {"quick": options.quick, "processes": options.processes},
        "figures": [msgspec.to_builtins(figure) | {"verdict": figure.verdict} for figure in figures],
    }
    RESULTS.write_text(json.dumps(said, indent=1) + "\n")


def main() -> int:
    """0 if everything could be measured, met or not: targets are looked at, not enforced, on any machine."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is stopped
    configure_logging("warning", "console", "bench")
    collect_rarely()  # as each process of the product does
    figures: list[Figure] = []
    try:
        with tempfile.TemporaryDirectory(prefix="foldline-bench-") as folder:
            asyncio.run(measure(options, Path(folder), figures))
    finally:  # cut short, it shows what it has
        show(figures, console)
        write(figures, options)
    missed = sum(figure.verdict == "miss" for figure in figures)
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {interpreter()}"
    console.print(f"\n{len(figures)} figures, {missed} miss their target; {load}; {RESULTS}")
    return 0


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Foldline on this machine.")
    parser.add_argument("--only", default="", help=f"some of: {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    parser.add_argument("--processes", action="store_true", help="each service in a process of its own")
    parser.add_argument(
        "--against",
        type=Path,
        help="another checkout, ready to run: `whole-product` takes both in rotation",
    )
    given = parser.parse_args()
    only = frozenset(name for name in given.only.split(",") if name) or frozenset(GROUPS)
    if unknown := only - set(GROUPS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(GROUPS)}")
    return Options(only, given.quick, given.processes, given.against and given.against.resolve())


if __name__ == "__main__":
    sys.exit(main())
