"""`Commands` that run nothing: each does what the test says of it, by its text."""

from collections.abc import Callable, Mapping

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.commands import Command, CommandRun, Exchange

Answer = CommandRun | Callable[[Command], CommandRun]


class ScriptedCommands:
    """`Commands`. `asked` is what was run, `written` what came to the standard input of each in the
    background, `stopped` those that were stopped."""

    def __init__(self, answers: Mapping[str, Answer] | None = None) -> None:
        """What each text gives: a run, or a function of the command. Others exit with 0 and say nothing."""
        self.answers = dict(answers or {})
        self.asked: list[Command] = []
        self.written: dict[str, list[str]] = {}
        self.stopped: list[str] = []

    async def run(self, command: Command) -> CommandRun:
        """See `Commands`. The ids of commands are `cmd-1`, `cmd-2` …"""
        self.asked.append(command)
        command_id = f"cmd-{len(self.asked)}"
        if command.background:
            self.written[command_id] = []
            return CommandRun(command_id=command_id, ending="running")
        return msgspec.structs.replace(self._answer(command), command_id=command_id)

    async def look(self, command_id: str, wait_s: float = 0, text: str | None = None) -> CommandRun:
        """See `Commands`. It has ended, as the test said."""
        command = self._known(command_id)
        if text is not None:
            self.written[command_id].append(text)
        return msgspec.structs.replace(self._answer(command), command_id=command_id)

    async def exchange(self, command_id: str, line: str | None = None, wait_s: float = 0) -> Exchange:
        """See `Commands`. It has ended, as the test said, with all that it wrote."""
        run = await self.look(command_id, wait_s, line)
        return Exchange(tuple(run.stdout.splitlines()), run.ending)

    async def stop(self, command_id: str) -> CommandRun:
        """See `Commands`."""
        self._known(command_id)
        self.stopped.append(command_id)
        return CommandRun(command_id=command_id, ending="stopped")

    def _known(self, command_id: str) -> Command:
        if command_id not in self.written:
            raise Rejected(f"there is no command {command_id}", kind=ErrorKind.NOT_FOUND, path="/command_id")
        return self.asked[int(command_id.removeprefix("cmd-")) - 1]

    def _answer(self, command: Command) -> CommandRun:
        answer = self.answers.get(command.text, CommandRun(command_id="", ending="exited", exit_code=0))
        return answer(command) if callable(answer) else answer
