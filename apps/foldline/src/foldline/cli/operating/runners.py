"""`foldline runners`: who works."""

from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from agent_contracts.api.operating import Worker, WorkOverview
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def runners(as_json: JsonOption = False) -> None:
    """List the running processes, what each works on, and how much work waits.

    Crashed processes stay listed for a day.
    """
    with failures_shown(), gateway() as door:
        found = door.read("/runners", WorkOverview)
        if as_json:
            print_json(found)
            return
        for name in (name for name, processes in found.services.items() if not processes):
            console.print(f"[bold red]✗[/] [bold]{name}[/] doesn't answer: foldline top", highlight=False)
        for queue in found.queues:
            console.print(
                f"[bold]{queue.consumer}[/]: {queue.waiting} wait, {queue.in_hand} in hand, "
                f"{queue.redelivered} not for the first time",
                highlight=False,
            )
            for one in found.workers:
                if one.consumer == queue.consumer:
                    _print(one)


def _print(one: Worker) -> None:
    mark = "[green]✓[/]" if one.alive else "[bold red]✗[/]"
    lines = [
        f"{mark} {escape(one.member)} {len(one.in_hand)} of {one.capacity} in hand",
        f"[dim]{escape(one.host)} process {one.process}, since {one.started_at}, last heard {one.seen_at}[/]",
        *(
            f"{work.session_id or ''} {work.call_id or work.sequence} [dim]since {work.started_at}[/]"
            for work in one.in_hand
        ),
    ]
    for number, line in enumerate(lines):
        shown = Padding(Text.from_markup(line, overflow="fold"), (0, 0, 0, 4 if number else 2))
        console.print(shown, highlight=False)
