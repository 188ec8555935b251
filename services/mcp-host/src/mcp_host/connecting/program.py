"""A server that is a program: started in its cage, its messages bounded, the end of its stderr kept."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import structlog

import mcp_host
from agent_contracts.entities.mcp_servers import Stdio
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_platform.process.cage.cage import REPORT
from agent_platform.process.cage.launching import CageReport, bare, becoming, report_in
from mcp_host import limits
from mcp_host.cage.confined import NOT_CONFINED

log = structlog.get_logger()

BECOME = becoming("mcp_host.cage.confined")
MUST = ("no new privileges", "no sight of Foldline's files")
"""Without these a program runs only if a person said that it may."""


_LOOK_S = 1.0


class McpServerProgram(msgspec.Struct, frozen=True):
    """What to start: the program, its environment without placeholders, its own folder below `hidden`, which
    it doesn't see; `unconfined` if a person allowed that."""

    program: Stdio
    env: Mapping[str, str]
    folder: Path
    hidden: Path
    unconfined: bool = False


class McpServerProcess:
    """A running one."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._said = bytearray()
        self.flooded = False

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """Where it hears."""
        assert self._process.stdin is not None
        return self._process.stdin

    async def line(self) -> bytes | None:
        """What it says next; None at its end, or where a message has more than `MESSAGE_BYTES`."""
        assert self._process.stdout is not None
        try:
            return await self._process.stdout.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return None
        except (asyncio.LimitOverrunError, ValueError):
            self.flooded = True
            return None

    def stderr(self) -> str:
        """The end of what it said there."""
        return bytes(self._said).decode(errors="replace")

    def cage(self) -> CageReport:
        """What the cage told. It has, once the program answers, or has ended."""
        try:
            return report_in(self._folder)
        except (OSError, msgspec.DecodeError) as error:
            log.warning("cage.unread", error=str(error))
            return CageReport()

    def why_ended(self) -> str:
        """In words, for a person."""
        if self.flooded:
            return f"it sent a message of more than {limits.MESSAGE_BYTES // limits.MIB} MiB, and was ended"
        code = self._process.returncode
        if code == NOT_CONFINED and self.cage().missing:
            return f"this system can't confine it ({'; '.join(self.cage().missing)})"
        return "it ended" if code in (None, 0) else f"it ended with the code {code}"

    @property
    def process_id(self) -> int:
        """Its keeper's."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process.returncode is not None

    async def ended(self) -> None:
        """Returns when it runs no more, or has said too much at once."""
        while not self.flooded and not self.has_ended:
            await self.wait(_LOOK_S)

    async def wait(self, seconds: float) -> None:
        """For its end, so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._process.wait()
        except TimeoutError:
            return

    async def hear_stderr(self) -> None:
        """Keep the end of what it says there, until it says no more."""
        assert self._process.stderr is not None
        while piece := await self._process.stderr.read(4096):
            self._said += piece
            del self._said[: -limits.STDERR_BYTES]

    async def end(self) -> None:
        """Its keeper ends it, and all that it started."""
        if self._process.returncode is None:
            try:
                self._process.terminate()
            except ProcessLookupError:
                return
        try:
            async with asyncio.timeout(limits.ENDS_S * 3):
                await self._process.wait()
        except TimeoutError:
            log.error("server.kept_on", process=self._process.pid)
            self._process.kill()


@asynccontextmanager
async def running(wanted: McpServerProgram) -> AsyncIterator[McpServerProcess]:
    """The program, from its start to its end. `Rejected` where it can't be started at all."""
    told = _prepared(wanted)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *bare(BECOME, mcp_host, told),
        *(wanted.program.command, *wanted.program.args),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**environment(wanted.folder), **wanted.env},
        limit=limits.MESSAGE_BYTES,
        start_new_session=True,
    )
    program = McpServerProcess(process, wanted.folder)
    hearing = asyncio.create_task(program.hear_stderr())
    try:
        yield program
    finally:
        await asyncio.shield(program.end())
        hearing.cancel()
        await asyncio.wait({hearing})


def _prepared(wanted: McpServerProgram) -> dict[str, Json]:
    """What the cage is told, and the program's own folder made."""
    (wanted.folder / "tmp").mkdir(parents=True, exist_ok=True, mode=0o700)
    (wanted.folder / REPORT).unlink(missing_ok=True)
    hidden = wanted.hidden.resolve()
    cwd = wanted.program.cwd
    if cwd is not None and _holds(Path(cwd), hidden):
        raise Rejected(
            f"it may not run in {cwd}: Foldline's own files are there. Name another folder",
            kind=ErrorKind.BLOCKED,
        )
    return {
        "folder": str(wanted.folder.resolve()),
        "hidden": str(hidden),
        "cwd": cwd or str(wanted.folder),
        "writable": _named(wanted.program, hidden),
        "must": [] if wanted.unconfined else list(MUST),
        "processes": limits.PROCESSES,
        "memory": limits.MEMORY_BYTES,
        "file_size": limits.FILE_SIZE_BYTES,
        "open_files": limits.OPEN_FILES,
        "ends_s": limits.ENDS_S,
    }


def environment(folder: Path) -> dict[str, str]:
    """What every program gets besides what a person named: nothing of the service's own but where programs
    are found."""
    home = str(folder)
    return {
        "HOME": home,
        "TMPDIR": str(folder / "tmp"),
        "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
        "LANG": "C.UTF-8",
    }


def _named(program: Stdio, hidden: Path) -> list[Json]:
    """Where it may write besides its own folder: what a person named, as the folder to run in or an
    argument, and that has nothing to do with Foldline's files."""
    named = [Path(one) for one in (program.cwd, *program.args) if one and one.startswith("/")]
    return [str(one.resolve()) for one in named if one.exists() and not _holds(one, hidden)]


def _holds(path: Path, hidden: Path) -> bool:
    """Whether the folder is one of Foldline's own, or one that holds them."""
    resolved = path.resolve()
    return resolved == hidden or resolved in hidden.parents or hidden in resolved.parents
