"""What commands and programs give."""

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.commands import CommandRun
from agent_tools.tool import Result


class Ran(Result):
    """What it wrote, and how it ended. `exit_code` is null as long as it runs, and where a signal ended it.
    Of much output, files have all of it (`stdout_file`, `stderr_file`: ids). `changed` are the workspace's
    files that changed."""

    command_id: str
    status: str
    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    stdout_file: str | None = None
    stderr_file: str | None = None
    changed: list[str]
    not_kept: list[str]
    weaker: str | None = None


def ran(run: CommandRun) -> Ran:
    """A command as a result. `Rejected(kind="timeout")` with what it wrote, for one that took too long."""
    if run.ending == "timed_out":
        written = f"{run.stdout}\n{run.stderr}".strip()
        raise Rejected(
            f"it was ended after {run.seconds:g} seconds. It had written: {written[-4_000:] or 'nothing'}",
            kind=ErrorKind.TIMEOUT,
        )
    return Ran(
        command_id=run.command_id,
        status=run.ending,
        exit_code=run.exit_code,
        stdout=run.stdout,
        stderr=run.stderr,
        seconds=run.seconds,
        stdout_file=run.stdout_file,
        stderr_file=run.stderr_file,
        changed=[f"{one.path} ({one.change})" for one in run.changed],
        not_kept=list(run.not_kept),
        weaker=run.weaker,
    )
