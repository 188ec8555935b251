"""`foldline top`: what runs now."""

import time
from collections.abc import Iterable, Mapping
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from agent_contracts.api.operating import BusySession
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, one_line, print_json
from foldline.cli.watching.overview import LiveOverview, overview, seconds_since
from foldline.settings import up_settings
from foldline.supervisor.announcement import read_announcement

_BETWEEN_LOOKS_S = 1.0
_SHOWN = 12
_LABEL = 10


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
        _, before = overview(door, None, supervisor)
        time.sleep(_BETWEEN_LOOKS_S)
        seen, numbers = overview(door, before, supervisor)
        if once or (not as_json and not console.is_terminal):
            print_json(seen) if as_json else console.print(drawn(seen))
            return
        if as_json:
            while True:
                print_json(seen)
                time.sleep(interval)
                seen, numbers = overview(door, numbers, supervisor)
        with Live(drawn(seen), console=console, screen=True, auto_refresh=False) as live:
            while True:
                live.update(drawn(seen), refresh=True)
                time.sleep(interval)
                seen, numbers = overview(door, numbers, supervisor)


def drawn(seen: LiveOverview) -> RenderableType:
    """One look, for a terminal."""
    lines = [
        _line("Foldline", f"{seen.version or ''} at {seen.url}, {seen.at}"),
        _line("services", _services(seen)),
        _line("sessions", _listed(seen.sessions) or "none"),
        _line("waiting", _listed(seen.waiting_for_person) or "nothing waits for a person"),
        *(_line("model", f"{name}: {_model(seen, name)}") for name in seen.models),
        _line("tools", _listed(seen.tools) or "no call yet"),
        _line("queues", _queues(seen) or "empty"),
        _line("log", f"{_ms(seen.append_s)} for an append; lists {_seconds(seen.lists_behind_s)} behind"),
        _line("memory", ", ".join(f"{name} {_size(held)}" for name, held in _largest(seen.memory))),
        _line(
            "sandbox",
            f"{_size(seen.sandbox['bytes'])} of {_size(seen.sandbox['limit_bytes'])}, "
            f"{seen.sandbox['waiting']} wait",
        ),
        _line("disk", _disk(seen)),
        _line("backup", seen.last_backup_at or "none was made"),
    ]
    causes = [
        Text.from_markup(f"[bold red]![/] {escape(one.what)}  [dim]→ {escape(one.to_do)}[/]")
        for one in seen.causes
    ]
    return Group(*lines, Text(), *(causes or [Text("Nothing looks wrong.", "green")]), Text(), _table(seen))


def _line(label: str, text: str) -> Text:
    return Text.assemble((f"{label:<{_LABEL}}", "bold"), one_line(text))


def _services(seen: LiveOverview) -> str:
    dead = [name for name, processes in seen.services.items() if not processes]
    away = [name for name, answers in seen.stores.items() if not answers]
    missing = [*dead, *away]
    return f"no answer from {', '.join(missing)}" if missing else f"all {len(seen.services)} answer"


def _model(seen: LiveOverview, name: str) -> str:
    model = seen.models[name]
    failed = f", failed: {_listed(model.failed)}" if model.failed else ""
    return (
        f"first token {_seconds(model.first_token_s)}, whole call {_seconds(model.call_s)}, "
        f"{model.calls} calls{failed}"
    )


def _queues(seen: LiveOverview) -> str:
    return ", ".join(f"{name} {waits} wait, {busy} in hand" for name, (waits, busy) in seen.queues.items())


def _disk(seen: LiveOverview) -> str:
    return ", ".join(
        f"{name} {_size(disk['free'])} left ({100 * disk['free'] // max(1, disk['size'])} %)"
        for name, disk in seen.disk.items()
    )


def _table(seen: LiveOverview) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    minutes = seen.window_s // 60
    for heading in ("session", "agent", "status", f"calls in {minutes} min", "tokens", "waits for", "title"):
        table.add_column(heading, no_wrap=heading == "session", overflow="fold")
    for one in seen.busiest[:_SHOWN]:
        table.add_row(*map(Text, map(one_line, _cells(one, seen.at))))
    return table


def _cells(one: BusySession, now: str) -> Iterable[str]:
    call = one.open_call
    waits = f"{call.what} {call.name or ''} {seconds_since(call.requested_at, now):.0f} s" if call else ""
    calls = str(one.model_calls + one.tool_calls)
    return one.id, one.agent_id, one.status, calls, str(one.tokens), waits, (one.title or "")[:40]


def _largest(memory: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    return sorted(memory.items(), key=lambda pair: -pair[1])[:_SHOWN]


def _listed(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in numbers.items())


def _ms(seconds: float | None) -> str:
    return "unknown" if seconds is None else f"{seconds * 1000:.1f} ms"


def _seconds(seconds: float | None) -> str:
    return "unknown" if seconds is None else f"{seconds:.1f} s"


def _size(number: int) -> str:
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{number / 1e6:.0f} MB"
