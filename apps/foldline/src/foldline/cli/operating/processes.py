"""`foldline processes`: the processes on this machine, to stop one by its number."""

from typing import Annotated

import typer

from agent_contracts.errors import Rejected
from foldline.cli.listing import listed
from foldline.cli.output import JsonOption, failures_shown
from foldline.cli.watching.local_processes import LocalProcess, local_processes
from foldline.settings import up_settings
from foldline.supervisor.announcement import read_announcement


def processes(
    name: Annotated[
        str | None, typer.Argument(help="Only of this service or program, such as engine or nats-server.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the processes of the Foldline on this data directory, also those that hang.

    In a pipe each line is a process id, its name and its memory.
    """
    with failures_shown():
        settings = up_settings()
        said = read_announcement(settings.data_dir)
        found = local_processes(said.pid) if said is not None else []
        if not found:
            raise Rejected(f"No Foldline runs on {settings.data_dir} on this machine", kind="not_found")
        wanted = [one for one in found if name in (None, one.name)]
        if not wanted:
            names = ", ".join(dict.fromkeys(one.name for one in found))
            raise Rejected(f"There is no process of {name} here. There are: {names}", kind="not_found")
        listed(wanted, ("pid", "process", "#memory"), _row, none="", as_json=as_json)


def _row(one: LocalProcess) -> tuple[str, str, str]:
    return str(one.pid), one.name, f"{one.memory_bytes / 1e6:.0f} MB"
