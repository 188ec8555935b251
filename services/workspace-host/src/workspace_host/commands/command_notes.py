"""What a command did, as its call tells it in the log."""

from collections.abc import Sequence

from agent_contracts.commands import (
    LONGEST_COMMAND,
    LONGEST_PATH,
    MOST_FILES,
    CallCommand,
    TouchedFile,
)
from agent_platform.log.storable_text import storable_text
from agent_tools.commands import ChangedFile
from workspace_host.commands.running import RunningCommand


def told_of(running: RunningCommand, changed: Sequence[ChangedFile]) -> CallCommand:
    """The command as it is now, with the files that `changed`, and those that were opened since it was last
    told of. Of many, those that changed come first."""
    opened = running.opens.take()
    files = [TouchedFile(_path(one.path), one.change, one.size) for one in changed]
    known = {one.path for one in changed}
    files += [TouchedFile(_path(path), "opened") for path in sorted(opened.paths - known)]
    return CallCommand(
        command_id=running.command_id,
        language=running.command.language,
        command=storable_text(running.command.text[:LONGEST_COMMAND]),
        ending=running.ending,
        exit_code=running.exit_code,
        duration_ms=round(running.seconds * 1000),
        programs=tuple(storable_text(name) for name in running.ran),
        files=tuple(files[:MOST_FILES]),
        more_files=max(0, len(files) - MOST_FILES),
        saw_all=opened.whole,
    )


def _path(path: str) -> str:
    return storable_text(path)[:LONGEST_PATH]
