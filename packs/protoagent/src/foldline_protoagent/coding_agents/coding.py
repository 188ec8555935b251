"""A task for a coding agent that runs in the workspace: to its end, over the questions that people answer."""

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from agent_contracts.entities.delegates import Delegate
from agent_contracts.errors import ErrorKind, Failure, Rejected
from agent_contracts.json_value import Json
from agent_contracts.policies import answer_in
from agent_contracts.session_events.results import Resume
from agent_contracts.tool_spec import RunsOn
from agent_platform.process.clock import Clock
from agent_tools.commands import LONGEST_BACKGROUND_S, LONGEST_S, Command, CommandRun
from agent_tools.context import CallContext
from agent_tools.ports.outside import CallPolicy, Commands
from agent_tools.text import TextResult
from agent_tools.tool import Pause
from foldline_protoagent.coding_agents.line import LONGEST_ANSWER, AgentLine, failed

if TYPE_CHECKING:
    from foldline_protoagent.coding_agents.acp.client import PermissionWait, TaskResult
    from foldline_protoagent.coding_agents.acp.permissions import AcpPermissions

WORKSPACE = RunsOn.WORKSPACE
TIMEOUT_S = LONGEST_S + 60
"""Of the tools: an agent may work for `LONGEST_S` at a stretch, and files are read and written besides."""
MOST_ASKED = 30
"""Times that a person is asked in one call."""
_SPARE_S = 60.0
"""Between the last moment of an answer and the end of what waits for it."""
_MOST_TOLD = 20
_LONGEST_WROTE = 2_000
_MOST_NAMES = 1_000
_GONE = (
    "was ended while it waited for the answer: the workspace host stopped, or too much time went by. "
    "What it had changed is kept, and nothing was done since. Ask it again, and say what is done already"
)


class _SuspendedRun(msgspec.Struct, frozen=True):
    """A run that stands still: the process, what was told of it until now, and the talk with it."""

    command_id: str
    caged: bool
    wrote: str = ""
    refused: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    times: int = 0
    talk: Json = None


class CodingRun:
    """What one call has done by coding agents."""

    def __init__(self, call: CallContext, commands: Commands, policy: CallPolicy, clock: Clock) -> None:
        self._call = call
        self._commands = commands
        self._policy = policy
        self._clock = clock

    async def done_by(self, delegate: Delegate, task: str) -> TextResult | Pause:
        """What the agent says of the task once it is done, which files changed, and what it was refused.
        Where a person has to allow what it wants to do: a pause, over which it waits for the answer.

        It runs in the workspace, as any command, and is ended with the call. `Permanent(kind="upstream")` for
        one that ends early, is silent for too long or answers something else than ACP says.
        """
        resumed = self._call.resumed
        if resumed is not None:
            held = msgspec.convert(resumed.state, _SuspendedRun)
            run = CommandRun(command_id=held.command_id, ending="running", stderr=held.wrote)
            return await self._worked(delegate, task, held, run)
        text = f"pwd -P; exec {delegate.command}"
        run = await self._commands.run(Command(language="shell", text=text, background=True, own=True))
        return await self._worked(delegate, task, _SuspendedRun(run.command_id, run.weaker is None), run)

    async def _worked(
        self, delegate: Delegate, task: str, held: _SuspendedRun, run: CommandRun
    ) -> TextResult | Pause:
        # Heavy, and few sessions hand anything to a coding agent.
        from foldline_protoagent.coding_agents.acp.client import SuspendedTalk, TaskResult, do_task, go_on
        from foldline_protoagent.coding_agents.acp.messages import AcpFailure, AcpViolation
        from foldline_protoagent.coding_agents.acp.permissions import AcpPermissions

        leave = AcpPermissions(self._call, self._policy, caged=held.caged, refused=held.refused)
        line = AgentLine(delegate, run, self._commands)
        resumed = self._call.resumed
        try:
            async with asyncio.timeout(LONGEST_S):
                if resumed is None:
                    came = await do_task(line, await line.receive(), task, leave.may)
                else:
                    allowed = answer_in(resumed.answer).decision != "refuse"
                    came = await go_on(line, msgspec.convert(held.talk, SuspendedTalk), allowed, leave.may)
            if not isinstance(came, TaskResult):
                return await self._waits(came, held, leave)
        except BaseException as error:
            over = await asyncio.shield(self._stopped(held))
            if (
                over is not None
                and over.wanted is not None
                and isinstance(error, Failure | AcpViolation | AcpFailure)
            ):
                self._call.wanted.needs(over.wanted)
            match error:
                case AcpViolation():
                    raise failed(delegate, f"doesn't keep to ACP: {error}") from error
                case AcpFailure():
                    raise failed(delegate, f"says: {error}") from error
                case TimeoutError():
                    late = f"was not done after {LONGEST_S:g} seconds, and was ended"
                    raise failed(delegate, late) from error
                case Rejected(kind=ErrorKind.NOT_FOUND, path="/command_id"):
                    raise failed(delegate, _GONE) from error
            raise
        over = await asyncio.shield(self._commands.stop(held.command_id))
        refused = list(dict.fromkeys([*leave.refused, *_kept_back(over)]))
        return TextResult(text=_told(came, refused, (*held.changed, *_names(over))))

    async def _waits(self, came: "PermissionWait", held: _SuspendedRun, leave: "AcpPermissions") -> Pause:
        """The pause. What was changed so far is the session's from now on."""
        if held.times >= MOST_ASKED:
            raise Rejected(f"it asked a person {MOST_ASKED} times, and asks again: it was ended")
        if not self._call.may_pause:
            self._call.wanted.needs(leave.show)
            raise Rejected(f"{came.wish.title} needs a person's yes", kind=ErrorKind.APPROVAL_NEEDED)
        now = await self._commands.look(held.command_id)
        state = _SuspendedRun(
            held.command_id,
            held.caged,
            f"{held.wrote} {now.stderr}"[-_LONGEST_WROTE:],
            tuple([*leave.refused, *_kept_back(now)][:_MOST_TOLD]),
            (*held.changed, *_names(now))[:_MOST_NAMES],
            held.times + 1,
            msgspec.to_builtins(came.held),
        )
        left = LONGEST_BACKGROUND_S - now.seconds - _SPARE_S
        show = {**leave.show, "round": state.times}
        until = self._clock.now() + timedelta(seconds=left)
        return Pause(show, until, Resume(state.times, msgspec.to_builtins(state)))

    async def _stopped(self, held: _SuspendedRun) -> CommandRun | None:
        """As it was ended; None where it was gone."""
        try:
            return await self._commands.stop(held.command_id)
        except Rejected as refused:
            if refused.kind != ErrorKind.NOT_FOUND:
                raise
            return None

    async def give_up(self) -> None:
        """End what waited, where it can't go on."""
        if self._call.resumed is not None:
            await self._stopped(msgspec.convert(self._call.resumed.state, _SuspendedRun))


def _told(did: "TaskResult", refused: list[str], changed: tuple[str, ...]) -> str:
    said = did.text.strip()
    if len(said) > LONGEST_ANSWER:
        said = f"{said[:LONGEST_ANSWER]}\n…[truncated]"
    if did.stop_reason != "end_turn":
        said = f"{said}\n\n[It stopped before the end: {did.stop_reason}]".strip()
    told = [said or "(It is done, and says nothing.)", *refused[:_MOST_TOLD]]
    if changed:
        names = list(dict.fromkeys(changed))
        more = f" and {len(names) - _MOST_TOLD} more" if len(names) > _MOST_TOLD else ""
        told.append(f"[Files: {', '.join(names[:_MOST_TOLD])}{more}]")
    return "\n".join(told)


def _kept_back(run: CommandRun) -> list[str]:
    if run.wanted is None:
        return []
    what = f"{run.wanted.get('method')} to {run.wanted.get('host')}"
    return [f"[Kept back: {what}. A person may allow that host in the policy]"]


def _names(run: CommandRun) -> tuple[str, ...]:
    return tuple(f"{one.path} ({one.change})" for one in run.changed)
