"""All commands of this process: they are started, watched and ended here."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext

import structlog

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import CallId, SessionId
from agent_tools.commands import LONGEST_BACKGROUND_S, Command
from egress.dialing import CheckedDialing
from workspace_host import limits
from workspace_host.commands.processes import seen
from workspace_host.commands.running import RunningCommand
from workspace_host.commands.starting import started
from workspace_host.folders.folder import Folder
from workspace_host.folders.opened_paths import Opens
from workspace_host.isolation.isolation import Isolation
from workspace_host.network.door import NetworkDoor
from workspace_host.network.network import CommandNetwork

log = structlog.get_logger()

_LOOK_S = 0.2
_MEASURE_S = 1.0


class CommandHost:
    """The commands that run, and those in the background that ended lately."""

    def __init__(self, isolation: Isolation, dialing: CheckedDialing, new_id: Callable[[], str]) -> None:
        """`dialing` is how what commands send leaves."""
        self.isolation = isolation
        self._dialing = dialing
        self._new_id = new_id
        self._running: dict[str, RunningCommand] = {}
        self._background: OrderedDict[str, RunningCommand] = OrderedDict()

    async def start(
        self, command: Command, folder: Folder, session: SessionId, call: CallId, online: CommandNetwork
    ) -> RunningCommand:
        """Start it in a folder, for a call of a session. `Rejected(kind="too_large")` where as many run as
        may."""
        if len(self._running) >= limits.COMMANDS:
            raise Rejected(
                f"{limits.COMMANDS} commands run already: try again when one has ended",
                kind=ErrorKind.TOO_LARGE,
            )
        if command.background:
            self._check_background(folder)
        opens = await asyncio.to_thread(Opens, str(folder.view.files))
        with NetworkDoor() if online.leaving is not None else nullcontext() as door:
            try:
                process = await started(command, self.isolation, folder.view, door)
            except BaseException:
                opens.close()
                raise
            folder.watched.add(opens)
            running = RunningCommand(
                self._new_id(),
                command,
                session,
                call,
                folder,
                process,
                opens,
                online,
                supervised=self._supervises,
            )
            self._running[running.command_id] = running
            if command.background:
                self._background[running.command_id] = running
            try:
                if door is not None:
                    await running.serve(await door.taken(), self._dialing)
                if command.input is not None:
                    await running.write(command.input)
            except BaseException:
                await running.end("stopped")
                raise
        if command.input is not None or not command.background:
            running.close_input()
        return running

    @property
    def _supervises(self) -> bool:
        """Whether a process of ours is above each command."""
        return self.isolation.kind != "namespaces"

    def _check_background(self, folder: Folder) -> None:
        here = [one for one in self._background.values() if one.folder is folder and one.ending == "running"]
        if len(here) >= limits.BACKGROUND:
            ids = ", ".join(one.command_id for one in here)
            raise Rejected(
                f"{limits.BACKGROUND} commands run in the background already ({ids}): stop one first",
                kind=ErrorKind.TOO_LARGE,
            )
        over = [one.command_id for one in self._background.values() if one.ending != "running"]
        for command_id in over[: max(0, len(over) - limits.ENDED_KEPT + 1)]:
            self._background.pop(command_id).close()

    def find(self, command_id: str, folder: Folder) -> RunningCommand:
        """A command in the background of this folder. `Rejected(kind="not_found")` for any other."""
        found = self._background.get(command_id)
        if found is None or found.folder is not folder:
            raise Rejected(
                f"there is no command {command_id!r} in the background: it may have ended long ago, or the "
                "workspace host was started again since, which ends all commands",
                kind=ErrorKind.NOT_FOUND,
                path="/command_id",
            )
        return found

    async def end_of(self, session: SessionId, call: CallId | None = None) -> None:
        """End what a session started, or one of its calls as its own: nobody waits for it any more."""
        mine = [
            one
            for one in self._running.values()
            if one.session == session and (call is None or (one.command.own and one.call == call))
        ]
        await asyncio.gather(*(one.end("stopped") for one in mine))

    async def end_in(self, folder: Folder) -> None:
        """End what runs in a folder."""
        here = [one for one in self._running.values() if one.folder is folder]
        await asyncio.gather(*(one.end("stopped") for one in here))

    async def run(self) -> None:
        """Look after them until cancelled; then end them all."""
        loop = asyncio.get_running_loop()
        measured = loop.time()
        try:
            while True:
                await asyncio.sleep(_LOOK_S)
                for command_id in [key for key, one in self._running.items() if one.ending != "running"]:
                    del self._running[command_id]
                if not self._running:
                    continue
                processes = await asyncio.to_thread(seen)
                for running in list(self._running.values()):
                    running.watch(processes)
                    await asyncio.to_thread(running.opens.look)
                    if running.seconds > LONGEST_BACKGROUND_S:
                        await running.end("timed_out")
                if loop.time() - measured >= _MEASURE_S:
                    folders = {id(one.folder): one for one in self._running.values()}
                    await asyncio.gather(*(one.measure() for one in folders.values()))
                    measured = loop.time()
        finally:
            await asyncio.gather(*(one.end("stopped") for one in self._running.values()))
            for running in {*self._running.values(), *self._background.values()}:
                running.close()
