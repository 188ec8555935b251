"""One command, from its start to the end of all that it started."""

import asyncio
import signal
import socket
import time
from asyncio.subprocess import Process
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress

import structlog

from agent_contracts.commands import Ending
from agent_contracts.ids import CallId, SessionId
from agent_tools.commands import Command
from egress.dialing import CheckedDialing
from egress.proxy.filtering_proxy import FilteringProxy, filtering_proxy
from workspace_host import limits
from workspace_host.commands.output import Output
from workspace_host.commands.processes import ProcessInfo, below, kill_all, memory_of
from workspace_host.folders.folder import Folder
from workspace_host.folders.opened_paths import Opens
from workspace_host.folders.removing import entries_of, size_of
from workspace_host.network.network import CommandNetwork

log = structlog.get_logger()

_CHUNK = 64 * 1024
_END_S = 5.0
_KILLED_FIRST = "800"
_MOST_PROGRAMS = 50
_STARTING = frozenset({"setpriv", "prlimit", "bwrap"})


class RunningCommand:
    """A command that was started. `ending` is "running" until all of it has ended, and how it ended then."""

    def __init__(  # noqa: PLR0913 — what was started, where and for whom, each named
        self,
        command_id: str,
        command: Command,
        session: SessionId,
        call: CallId,
        folder: Folder,
        process: Process,
        opens: Opens,
        online: CommandNetwork,
        *,
        supervised: bool,
    ) -> None:
        """`opens` watches its folder since before it began. `supervised`: the process is ours, and ends what
        is below it when it is told to end."""
        self.command_id = command_id
        self.command = command
        self.session = session
        self.call = call
        self.folder = folder
        self.opens = opens
        self.online = online
        self.ending: Ending = "running"
        self.exit_code: int | None = None
        self.stdout, self.stderr = Output(), Output()
        self.programs: dict[str, None] = {}
        """Names of the programs that were seen to run, in order."""
        self.written: set[str] = set()
        """What was written to its standard input, by the call and which of its writes it was."""
        self.turns = asyncio.Lock()
        """Of calls that ask about it: each gets what came since the one before."""
        self._process = process
        self._began = time.monotonic()
        self._over = asyncio.Event()
        self._news = asyncio.Event()
        self._why: Ending | None = None
        self._seconds: float | None = None
        self._to_end = asyncio.Event()
        self._supervised = supervised
        self._measured = 0
        self.proxy: FilteringProxy | None = None
        """The way out, where it has one."""
        self._served = AsyncExitStack()
        _give_up_first(process.pid)
        folder.commands += 1
        self._life = asyncio.create_task(self._live())

    @property
    def seconds(self) -> float:
        """For which it ran, or has run until now."""
        return self._seconds if self._seconds is not None else time.monotonic() - self._began

    @property
    def ran(self) -> tuple[str, ...]:
        """The programs that were seen to run, without those by which it is started."""
        return tuple(name for name in self.programs if name not in _STARTING)

    async def serve(self, door: socket.socket | None, dialing: CheckedDialing) -> None:
        """Let what comes by this door of its network out, by its terms, as long as it runs."""
        if door is None or self.online.leaving is None:
            return
        opened = AsyncExitStack()
        proxy = filtering_proxy(dialing, self.online.leaving.terms, door)
        self.proxy = await opened.enter_async_context(proxy)
        if self._over.is_set():
            await opened.aclose()
        else:
            self._served = opened

    async def wait(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await self._over.wait()
        except TimeoutError:
            return False
        return True

    async def wait_for_news(self, seconds: float) -> None:
        """Until it has written more than when this was last asked, or has ended; so long at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0)):
                await self._news.wait()
        if not self._over.is_set():
            self._news.clear()

    async def write(self, text: str) -> bool:
        """Write to its standard input; whether that is still open."""
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing():
            return False
        try:
            stdin.write(text.encode(errors="replace"))
            async with asyncio.timeout(_END_S):
                await stdin.drain()
        except (OSError, TimeoutError):
            return False
        return True

    def close_input(self) -> None:
        """Nothing more comes."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def end(self, why: Ending) -> None:
        """End all of it, at once; returns when it is over."""
        if self._over.is_set():
            return
        self._told_to(why)
        await self._over.wait()

    def _told_to(self, why: Ending) -> None:
        self._why = self._why or why
        self._to_end.set()

    async def _end_when_told(self) -> None:
        await self._to_end.wait()
        if self._supervised:  # ours ends all that it has below it, and then itself
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
            return
        await asyncio.to_thread(kill_all, self._process.pid)

    async def _live(self) -> None:
        process = self._process
        assert process.stdout is not None
        assert process.stderr is not None
        reading = [
            asyncio.create_task(self._read(process.stdout, self.stdout)),
            asyncio.create_task(self._read(process.stderr, self.stderr)),
        ]
        ending = asyncio.create_task(self._end_when_told())
        try:
            code = await process.wait()
            # Nobody else holds the pipes now: what is in them is all.
            _, late = await asyncio.wait(reading, timeout=_END_S)
            for one in late:
                one.cancel()
            self.exit_code = code if code >= 0 else 128 - code
            self.ending = self._why or "exited"
            if self._why is not None:
                self.exit_code = None
        except BaseException:
            self.ending = "lost"
            raise
        finally:
            ending.cancel()
            self._seconds = time.monotonic() - self._began
            self.folder.commands -= 1
            self.opens.look()
            self.folder.watched.discard(self.opens)
            self.opens.close()
            self.close_input()
            await self._served.aclose()
            self._over.set()
            self._news.set()

    async def _read(self, stream: asyncio.StreamReader, output: Output) -> None:
        while data := await stream.read(_CHUNK):
            room = limits.OUTPUT - self.stdout.size - self.stderr.size
            output.add(data[: max(room, 0)])
            self._news.set()
            if len(data) > room:  # read on, to its end: asyncio knows of no end that nobody reads
                self._told_to("output")

    def watch(self, processes: Mapping[int, ProcessInfo]) -> None:
        """Look what it takes of the machine, and end it if that is too much."""
        members = below(self._process.pid, processes)
        for member in members:
            is_ours = self._supervised and member == self._process.pid
            if len(self.programs) < _MOST_PROGRAMS and not is_ours:
                self.programs[processes[member].name] = None
        if memory_of(members, processes, limits.MEMORY) > limits.MEMORY:
            self._too_much("memory")

    async def measure(self) -> None:
        """Look what its folder takes of the disk, and end it if that is too much."""
        view = self.folder.view
        places = [view.files, view.scratch, view.shared]
        self._measured += 1
        size = await asyncio.to_thread(size_of, places)
        if size is None or size > limits.DISK:
            self._too_much("disk")
        elif self._measured % 5 == 0:
            entries = await asyncio.to_thread(entries_of, places)
            if entries is None or entries > limits.ENTRIES:
                self._too_much("disk")

    def _too_much(self, of: Ending) -> None:
        if not self._over.is_set():
            log.warning("command.ended", command_id=self.command_id, why=of)
            self._told_to(of)

    def close(self) -> None:
        """Forget what it wrote."""
        self.stdout.close()
        self.stderr.close()


def _give_up_first(process: int) -> None:
    """When memory is short, the kernel ends it before anything of ours."""
    with suppress(OSError), open(f"/proc/{process}/oom_score_adj", "w") as file:
        file.write(_KILLED_FIRST)
