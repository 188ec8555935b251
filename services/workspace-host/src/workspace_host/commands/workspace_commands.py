"""`Commands` as one call has them: in its session's folder, and in its name."""

import asyncio
import time

import structlog

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.log.record.session_subjects import SessionKey
from agent_domain.files.file import FileContent
from agent_domain.files.workspaces import Workspaces
from agent_tools.commands import LARGEST_SHOWN, ChangedFile, Command, CommandRun, Exchange
from agent_tools.context import CallContext
from agent_tools.ports.files import AgentFiles
from workspace_host import limits
from workspace_host.begun_calls import BegunCalls
from workspace_host.commands.command_notes import told_of
from workspace_host.commands.host import CommandHost
from workspace_host.commands.output import Output, shown
from workspace_host.commands.running import RunningCommand
from workspace_host.commands.starting import checked
from workspace_host.folders.folder import CaptureResult, Folder
from workspace_host.folders.folders import Folders
from workspace_host.network.network import Network

log = structlog.get_logger()

_SETTLES_S = 1.0
"""For which one in the background is waited for: what fails at once says so."""
_UNASKED = (
    "in host mode a person says yes to each command, and nobody was asked for this one: call run_command or "
    "run_python"
)
_PLAIN = "text/plain"


class WorkspaceCommands:
    """See `Commands`."""

    def __init__(  # noqa: PLR0913 — what commands are made of
        self,
        host: CommandHost,
        folders: Folders,
        workspaces: Workspaces,
        files: AgentFiles,
        network: Network,
        begun: BegunCalls,
        call: CallContext,
    ) -> None:
        self._host = host
        self._network = network
        self._begun = begun
        self._folders = folders
        self._workspaces = workspaces
        self._files = files
        self._call = call
        self._writes = 0

    async def run(self, command: Command) -> CommandRun:
        """See `Commands`."""
        in_host_mode = self._host.isolation.kind == "host"
        if in_host_mode and not self._call.approved:
            raise Rejected(_UNASKED, kind=ErrorKind.REFUSED)
        command = checked(command, anywhere=in_host_mode)
        folder, online = await self._folder(), await self._network.of(self._call)
        async with folder.lock:
            before = await folder.capture(self._files)
            before.not_kept += await self._lay_out(folder)
            call = self._call
            if command.own:
                await self._begun.note(call)
            running = await self._host.start(command, folder, call.session_id, call.call_id, online)
        if command.background:
            try:
                await running.wait(_SETTLES_S)
                return await self._told(running, folder, before)
            except BaseException:  # nobody knows its id, so nobody could stop it
                await running.end("stopped")
                raise
        try:
            if not await running.wait(command.timeout_s):
                await running.end("timed_out")
            return await self._told(running, folder, before)
        finally:
            await running.end("stopped")  # where the call was stopped: nobody would stop it later
            if not self._call.work.tells(running.command_id):
                self._call.work.note(told_of(running, ()))  # what it changed could not be captured
            running.close()

    async def look(self, command_id: str, wait_s: float = 0, text: str | None = None) -> CommandRun:
        """See `Commands`."""
        running, folder = await self._written_to(command_id, text)
        await running.wait(min(wait_s, limits.LONGEST_LOOK_S))
        return await self._told(running, folder, CaptureResult())

    async def exchange(self, command_id: str, line: str | None = None, wait_s: float = 0) -> Exchange:
        """See `Commands`."""
        running, _ = await self._written_to(command_id, None if line is None else f"{line}\n")
        until = time.monotonic() + min(wait_s, limits.LONGEST_LOOK_S)
        while True:
            over = running.ending != "running"
            async with running.turns:
                data = await asyncio.to_thread(running.stdout.take_lines)
            left = until - time.monotonic()
            if data or over or left <= 0:
                text = data.decode(errors="replace").removesuffix("\n")
                return Exchange(tuple(text.split("\n")) if text else (), running.ending)
            if running.stdout.untaken > LARGEST_SHOWN:
                said = f"it writes a line of more than {LARGEST_SHOWN:,} bytes"
                raise Rejected(said, kind=ErrorKind.TOO_LARGE)
            await running.wait_for_news(left)

    async def stop(self, command_id: str) -> CommandRun:
        """See `Commands`."""
        folder = await self._folder()
        running = self._host.find(command_id, folder)
        await running.end("stopped")
        if running.command.own:
            await self._begun.forget(self._call)
        return await self._told(running, folder, CaptureResult())

    async def _written_to(self, command_id: str, text: str | None) -> tuple[RunningCommand, Folder]:
        """A command in the background, to which a text is written if this is the first time."""
        folder = await self._folder()
        if text is not None and self._host.isolation.kind == "host" and not self._call.approved:
            raise Rejected(_UNASKED, kind=ErrorKind.REFUSED)
        running = self._host.find(command_id, folder)
        if text is not None:
            self._writes += 1
            resumed = self._call.resumed
            request = self._call.call_id if resumed is None else f"{self._call.call_id}~{resumed.round}"
            this_one = f"{request}/{self._writes}"
            if this_one not in running.written:
                running.written.add(this_one)
                if not await running.write(text):
                    said = f"{command_id} reads nothing any more"
                    raise Rejected(said, kind=ErrorKind.CONFLICT, path="/input")
        return running, folder

    async def _folder(self) -> Folder:
        session = SessionKey(self._call.agent_id, self._call.session_id)
        return await self._folders.of(await self._workspaces.of(session))

    async def _lay_out(self, folder: Folder) -> list[str]:
        listed = await self._files.list()
        for file in listed:  # the command may read any of them
            self._call.outside.bring(*file.outside)
        return await folder.lay_out(self._files, listed)

    async def _told(self, running: RunningCommand, folder: Folder, before: CaptureResult) -> CommandRun:
        async with folder.lock:
            after = await folder.capture(self._files)
            changed = _joined(before, after)
            self._call.work.note(told_of(running, changed))
        leaving, wanted = running.online.leaving, None
        if leaving is not None:  # what is a call's own is a part of its work, which isn't lost for this
            wanted = leaving.tell(self._call, asks=not running.command.own)
        async with running.turns:
            stdout, stdout_file = await self._written(running, "stdout", running.stdout, after)
            stderr, stderr_file = await self._written(running, "stderr", running.stderr, after)
        return CommandRun(
            command_id=running.command_id,
            ending=running.ending,
            exit_code=running.exit_code,
            stdout=stdout,
            stderr=stderr,
            stdout_file=stdout_file,
            stderr_file=stderr_file,
            seconds=round(running.seconds, 3),
            programs=running.ran,
            changed=changed,
            not_kept=(*before.not_kept, *after.not_kept),
            weaker=self._host.isolation.weaker,
            network=running.online.words,
            wanted=wanted,
        )

    async def _written(
        self, running: RunningCommand, name: str, output: Output, kept: CaptureResult
    ) -> tuple[str, str | None]:
        """What it wrote since somebody last looked, and the file with all of that, where it is too much."""
        data = await asyncio.to_thread(output.take)
        if len(data) <= LARGEST_SHOWN:
            return shown(data), None
        path = f"results/{running.command_id}-{output.size}-{name}.txt"
        try:
            file = await self._files.create(path, FileContent(data, media_type=_PLAIN))
        except Rejected as refused:
            kept.not_kept.append(f"all of {name}: {refused.message}")
            return shown(data), None
        return shown(data), file.file_id


def _joined(before: CaptureResult, after: CaptureResult) -> tuple[ChangedFile, ...]:
    """What both did; of a file that both changed, what came of it."""
    changed = {one.path: one for one in before.changed}
    return tuple((changed | {one.path: one for one in after.changed}).values())
