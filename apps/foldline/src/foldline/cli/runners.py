"""`foldline runners`: who works."""

from rich.markup import escape

from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, console, failures_shown, print_json


def runners(as_json: JsonOption = False) -> None:
    """Say which processes work on the log: alive or not, what each has in hand, and how much waits.

    One that was stopped in order is not listed; one that died is, for a day.
    """
    with failures_shown(), gateway() as door:
        found = door.get("/runners")
        if as_json:
            print_json(found)
            return
        for queue in found["queues"]:
            console.print(
                f"[bold]{queue['consumer']}[/]: {queue['waiting']} wait, {queue['in_hand']} in hand, "
                f"{queue['redelivered']} not for the first time",
                highlight=False,
            )
            for one in found["workers"]:
                if one["consumer"] != queue["consumer"]:
                    continue
                mark = "[green]✓[/]" if one["alive"] else "[bold red]✗[/]"
                console.print(
                    f"  {mark} {one['member']}  [dim]{escape(one['host'])} process {one['process']}, since "
                    f"{one['started_at']}, last heard {one['seen_at']}[/]  "
                    f"{len(one['in_hand'])} of {one['capacity']}",
                    highlight=False,
                    soft_wrap=True,
                )
                for work in one["in_hand"]:
                    named = work["call_id"] or work["sequence"]
                    console.print(
                        f"      {work['session_id']} {named} [dim]since {work['since']}[/]", highlight=False
                    )
