"""`foldline top`: what runs now."""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from agent_contracts.api.operating import ModelPace
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, one_line, print_json
from foldline.cli.watching.overview import LiveOverview, overview, seconds_since
from foldline.disk_room import DiskRoom, size_text
from foldline.settings import up_settings
from foldline.supervisor.announcement import read_announcement

_SHOWN = 12
_WIDE = 120
"""Columns from which on a session's agent and title are shown too."""


def top(
    once: Annotated[bool, typer.Option(help="Look once and end.")] = False,
    interval: Annotated[float, typer.Option(min=0.5, max=3600, help="Seconds between two looks.")] = 2.0,
    as_json: JsonOption = False,
) -> None:
    """Show sessions, model and tool calls, queues and memory, live, and the likely cause of trouble.

    With --json every look is one line; Ctrl-C ends it.
    """
    with failures_shown(), gateway() as door:
        said = read_announcement(up_settings().data_dir)
        supervisor = said.pid if said is not None and said.url == door.url else None
        seen = overview(door, supervisor)
        if once or (not as_json and not console.is_terminal):
            print_json(seen) if as_json else console.print(drawn(seen, console.width))
            return
        if as_json:
            while True:
                print_json(seen)
                time.sleep(interval)
                seen = overview(door, supervisor)
        with Live(drawn(seen, console.width), console=console, screen=True, auto_refresh=False) as live:
            while True:
                live.update(drawn(seen, console.width), refresh=True)
                time.sleep(interval)
                seen = overview(door, supervisor)


def drawn(seen: LiveOverview, width: int) -> RenderableType:
    """One look, for a terminal of so many columns."""
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(style="bold", no_wrap=True)
    lines.add_column(overflow="fold")
    for label, text in _lines(seen):
        lines.add_row(label, Text(one_line(text)))
    causes = [
        Text.from_markup(f"[bold red]![/] {escape(one.what)}\n  [dim]→ {escape(one.to_do)}[/]")
        for one in seen.causes
    ]
    well = [Text("Nothing looks wrong.", "green")]
    window = Text(f"Calls and tokens are those of {seen.window_s // 60} minutes.", "dim")
    return Group(lines, Text(), *(causes or well), Text(), _table(seen, width), window)


def _lines(seen: LiveOverview) -> Iterator[tuple[str, str]]:
    yield "Foldline", f"{seen.version or ''} at {seen.url}, {seen.at}"
    yield "services", _services(seen)
    yield "sessions", _listed(seen.sessions) or "none"
    yield "waiting", _listed(seen.waiting_for_person) or "nothing waits for a person"
    for name, model in seen.models.items():
        yield "model", f"{name}: {_model(model)} in {seen.window_s // 60} min"
    yield "tools", _listed(seen.tools) or "no call yet"
    yield "queues", _queues(seen) or "empty"
    yield "log", f"{_ms(seen.appends.mean_s)} for an append; lists {_seconds(seen.lists_behind_s)} behind"
    yield "memory", ", ".join(f"{name} {size_text(held)}" for name, held in _largest(seen.memory))
    yield (
        "sandbox",
        f"{size_text(seen.sandbox['bytes'])} of {size_text(seen.sandbox['limit_bytes'])}, "
        f"{seen.sandbox['waiting']} wait",
    )
    yield "disk", _disk(seen)
    yield "backup", seen.last_backup_at or "none was made"


def _services(seen: LiveOverview) -> str:
    dead = [name for name, processes in seen.services.items() if not processes]
    away = [name for name, answers in seen.stores.items() if not answers]
    missing = [*dead, *away]
    return f"no answer from {', '.join(missing)}" if missing else f"all {len(seen.services)} answer"


def _model(model: ModelPace) -> str:
    failed = f", failed: {_listed(model.failed)}" if model.failed else ""
    first, whole = (None if ms is None else ms / 1000 for ms in (model.first_token_ms, model.call_ms))
    return f"first token {_seconds(first)}, whole call {_seconds(whole)}, {model.calls} calls{failed}"


def _queues(seen: LiveOverview) -> str:
    return ", ".join(f"{name} {waits} wait, {busy} in hand" for name, (waits, busy) in seen.queues.items())


def _disk(seen: LiveOverview) -> str:
    return ", ".join(f"{name} {DiskRoom(disk['free'], disk['size'])}" for name, disk in seen.disk.items())


def _table(seen: LiveOverview, width: int) -> Table:
    """A line for each session: what is too long is cut, but its id."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    wide = width >= _WIDE
    headings = ["session", "status", "calls", "tokens", "waits for", *(["agent", "title"] if wide else [])]
    for heading in headings:
        longest = max((len(one.id) for one in seen.busiest), default=0) if heading == "session" else None
        table.add_column(heading, no_wrap=True, min_width=longest)
    for one in seen.busiest[:_SHOWN]:
        call = one.open_call
        waits = f"{seconds_since(call.requested_at, seen.at):.0f} s {call.name or call.what}" if call else ""
        cells = [one.id, one.status, str(one.model_calls + one.tool_calls), str(one.tokens), waits]
        cells += [one.agent_id, (one.title or "")[:40]] if wide else []
        table.add_row(*map(Text, map(one_line, cells)))
    return table


def _largest(memory: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    return sorted(memory.items(), key=lambda pair: -pair[1])[:_SHOWN]


def _listed(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in numbers.items())


def _ms(seconds: float | None) -> str:
    return "unknown" if seconds is None else f"{seconds * 1000:.1f} ms"


def _seconds(seconds: float | None) -> str:
    return "unknown" if seconds is None else f"{seconds:.1f} s"
