"""What reaches out of Foldline: requests, commands, other agents; and what may."""

from collections.abc import Sequence
from typing import Protocol

from agent_contracts.entities.delegates import Delegate
from agent_contracts.json_value import Json
from agent_contracts.policies import PolicyJudgement
from agent_contracts.tool_spec import ToolSpec
from agent_domain.policies.policy_request import PolicyRequest
from agent_platform.entities.entity import EntityKey
from agent_tools.commands import Command, CommandRun, Exchange
from egress.fetching import FetchRequest, FetchResponse


class AgentEgress(Protocol):
    """The one way out, with the secrets that the user gave the agent for it."""

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """One request and its answer, which holds no secret's value. `Rejected(kind="blocked")` for an
        address that nobody may reach, `Transient(kind="upstream")` where the other end is at fault."""
        ...


class Commands(Protocol):
    """Commands in the session's workspace: a folder with the session's files, which a sub-session shares with
    the session at the top. Offered to tools with `runs_on=RunsOn.WORKSPACE` alone.

    Before each of these the folder gets what changed in the files, after it the files get what changed in the
    folder. `Rejected` with `invalid_arguments`, `not_found` (no such command of this workspace), `refused`,
    or `too_large` (what the workspace may have at a time).
    """

    async def run(self, command: Command) -> CommandRun:
        """Run it to its end or its time-out; one in the background is left to go on after a moment."""
        ...

    async def look(self, command_id: str, wait_s: float = 0, text: str | None = None) -> CommandRun:
        """What a command in the background wrote since somebody last looked, at most `wait_s` seconds later;
        earlier if it ends. `text` is first written to its standard input, once for each call."""
        ...

    async def exchange(self, command_id: str, line: str | None = None, wait_s: float = 0) -> Exchange:
        """Speak with a command in the background, line by line: `line` is written, once for each time that a
        call does so. Then the whole lines that it wrote since somebody last looked, as soon as there is one,
        or it has ended; none after `wait_s` seconds. Files are not looked at. `Rejected`: `conflict` where it
        reads nothing any more, `too_large` where a line is longer than `LARGEST_SHOWN`."""
        ...

    async def stop(self, command_id: str) -> CommandRun:
        """End a command in the background, with all that it started; what it wrote until then. Harmless when
        repeated."""
        ...


class CallPolicy(Protocol):
    """What the agent's policy says, as of the call, of what is to be done in its name."""

    async def judged(self, asked: PolicyRequest) -> PolicyJudgement:
        """The verdict, with what people allowed in the session and what the call has read."""
        ...


class LastingChanges(Protocol):
    """What the agent's policy says of changes that last beyond the session and only a run can tell."""

    async def require(
        self, tool: ToolSpec, arguments: dict[str, Json], changes: EntityKey | None = None
    ) -> None:
        """Before the tool, called with these arguments, makes such a change: `Rejected` (`refused`, or
        `approval_needed`, which ends the call with that question) where it may not. `changes` is the entity:
        one that this session made of material from outside itself may go unasked."""
        ...


class AgentDelegates(Protocol):
    """Other agents and models that people let the agent hand work to."""

    async def list(self) -> Sequence[Delegate]:
        """All, in people's order."""
        ...
