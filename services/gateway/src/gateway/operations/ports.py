"""What operations need of the outside, by role."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from agent_contracts.entities.notifications import TestOutcome
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.questions.code_calls import CodeCall, StopCodeCall
from agent_contracts.questions.function_calls import FunctionCall, Progress
from agent_contracts.questions.mcp_logins import LoginQuestion, LoginStep
from agent_contracts.questions.mcp_states import McpState
from agent_contracts.questions.model_tests import ModelTrial, ModelTried
from agent_contracts.questions.queries import (
    DeliverWake,
    DeliverWakeAgain,
    ForkCommand,
    HandleAgainCommand,
    ImportCommand,
    ModelCallQuery,
    ReplayQuery,
    SessionStateQuery,
    UnstickCommand,
)
from agent_contracts.questions.takeover import (
    Answer,
    TakeoverAct,
    TakeoverFinish,
    TakeoverLook,
    TakeoverRelease,
)
from agent_contracts.questions.user_questions import (
    CheckDefinition,
    FetchedPicture,
    FetchPicture,
    ReadDatabase,
    TryDelegate,
)
from agent_contracts.session_events.results import Usage
from gateway.operations.idempotency import IdempotentRequest

Query = (
    SessionStateQuery
    | ModelCallQuery
    | ReplayQuery
    | ForkCommand
    | ImportCommand
    | HandleAgainCommand
    | UnstickCommand
    | DeliverWake
    | DeliverWakeAgain
)


class KnownAgents(Protocol):
    """Who knows which agents there are."""

    async def require(self, agent_id: AgentId) -> None:
        """`Rejected(kind="not_found")` if there is no such agent, or it was deleted."""
        ...


class Questions(Protocol):
    """Who answers questions about sessions: a session engine."""

    async def ask(self, name: str, query: Query) -> Json:
        """The answer's value. A failure of the answer's kind, or `Transient` if nobody answers."""
        ...


class FunctionOutput(msgspec.Struct, frozen=True):
    """What a function returned, and what it asked of models."""

    result: Json
    usage: Usage | None


Tell = Callable[[Progress], Awaitable[None]]


class Runners(Protocol):
    """Any tool runner. Where none is available each of these is `Transient`, and says so."""

    async def call(
        self, called: FunctionCall, request: IdempotentRequest, tell: Tell | None = None
    ) -> FunctionOutput:
        """What the function returned. A failure that says why it didn't; `code_failed` if its own code did.

        A call under the key of an earlier `request` gets that one's answer. `tell` hears how far it is.
        """
        ...

    async def try_out(self, called: FunctionCall, request: IdempotentRequest) -> ToolAnswer:
        """How a test run ended, its result whole; a failure only where nothing ran."""
        ...

    async def check(self, asked: CheckDefinition) -> Json:
        """The definition as it is to be stored. `Rejected` says what is wrong with it, and where."""
        ...

    async def read(self, asked: ReadDatabase) -> Json:
        """What the agent's tool returns. `Rejected` for a statement that is wrong, writes, or takes long."""
        ...

    async def picture(self, asked: FetchPicture) -> FetchedPicture:
        """The picture, as a blob. `Rejected` where there is none, or nobody may reach it."""
        ...

    async def try_delegate(self, asked: TryDelegate) -> str:
        """What the delegate answers to a short question. `Rejected` says why it gives no answer."""
        ...


class SecretValueStore(Protocol):
    """Where the values of secrets are kept, which no event may hold."""

    async def put(self, agent_id: AgentId, name: str, value: str) -> int:
        """Store a value in place of the one before; its revision."""
        ...

    async def get(self, agent_id: AgentId, name: str) -> str:
        """The value. `Rejected` if there is none (any more)."""
        ...

    def sealed(self, agent_id: AgentId, name: str, value: str) -> bytes:
        """A value that isn't stored, for another service that has the same key."""
        ...

    async def delete(self, agent_id: AgentId, name: str) -> None:
        """Forget a value, if there is one."""
        ...

    async def names(self, agent_id: AgentId, begin: str) -> Sequence[str]:
        """What has a value: that name, and those that begin with it and a dot."""
        ...


class ModelTesting(Protocol):
    """Who asks models."""

    async def test(self, asked: ModelTrial) -> ModelTried:
        """Make one short call. `Transient` if nobody answers."""
        ...


class BrowserHolders(Protocol):
    """Whichever browser pool holds a session's pages while a person has them."""

    async def ask(
        self, session_id: SessionId, call_id: CallId, what: TakeoverLook | TakeoverAct | TakeoverFinish
    ) -> Answer:
        """What they see, or how it went; `TakeoverLost` where nobody holds them. `Transient` if whoever
        does is silent."""
        ...

    async def tell(self, session_id: SessionId, call_id: CallId, what: TakeoverRelease) -> None:
        """Say that the call is over. Best effort."""
        ...


class McpHosts(Protocol):
    """The hosts of foreign servers of tools."""

    async def states(self, agent_id: AgentId) -> Mapping[str, McpState]:
        """How the connections with an agent's servers are, by name, of those of which anybody tells."""
        ...

    async def test(self, agent_id: AgentId, server: str) -> McpState:
        """Have it connected anew; how it is then. `Transient` if no host answers."""
        ...

    async def call(self, asked: CodeCall) -> ToolAnswer:
        """Have a tool of a host run for a person; how that ended. `Transient` if no host answers."""
        ...

    async def stop(self, told: StopCodeCall) -> None:
        """Tell all hosts that nobody waits for what the app of this call has in hand. Best effort."""
        ...

    async def log_in(self, question: LoginQuestion) -> LoginStep:
        """Have a login begun, finished or ended; how far it is. `Transient` if no host answers."""
        ...


class Notifier(Protocol):
    """Who tells people what happens while they are away."""

    async def test(self, name: str) -> TestOutcome:
        """Have a test message sent by this channel; how it went. `Transient` if nobody answers."""
        ...

    async def looking(self, session_id: SessionId, visible: bool) -> None:
        """Say that a person has this session before their eyes, or has no longer. Best effort."""
        ...
