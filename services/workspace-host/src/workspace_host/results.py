"""What the tools of the workspace tell the model."""

from typing import Self

from agent_contracts.commands import Ending
from agent_tools.commands import CommandRun
from agent_tools.tool import Result


class FileChanged(Result):
    """A file of the workspace that isn't as it was; `change` is created, changed or deleted."""

    path: str
    change: str
    size: int
    file_id: str | None


class CommandResult(Result):
    """A command as it is now. `ending` is `running` as long as it runs. With `stdout_file` or `stderr_file`,
    the text has only the beginning and the end of what that file holds."""

    command_id: str
    ending: Ending
    exit_code: int | None
    stdout: str
    stderr: str
    stdout_file: str | None = None
    stderr_file: str | None = None
    seconds: float
    programs: tuple[str, ...] = ()
    changed: tuple[FileChanged, ...] = ()
    not_kept: tuple[str, ...] = ()
    isolation: str = "full"
    network: str = "none"

    @classmethod
    def of(cls, run: CommandRun) -> Self:
        """The run, for the model."""
        return cls(
            command_id=run.command_id,
            ending=run.ending,
            exit_code=run.exit_code,
            stdout=run.stdout,
            stderr=run.stderr,
            stdout_file=run.stdout_file,
            stderr_file=run.stderr_file,
            seconds=run.seconds,
            programs=run.programs,
            changed=tuple(
                FileChanged(path=one.path, change=one.change, size=one.size, file_id=one.file_id)
                for one in run.changed
            ),
            not_kept=run.not_kept,
            network=run.network,
            isolation="full" if run.weaker is None else f"weaker: {run.weaker}",
        )
