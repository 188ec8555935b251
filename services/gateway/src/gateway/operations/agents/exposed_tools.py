"""The agent's own tools that a person exposed to MCP clients: which, as what, and running them under the
policy."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from agent_contracts.api.tool_names import ExposedToolNames
from agent_contracts.entities.chosen_tools import EXPOSED_NAME, MOST_EXPOSED, PROMPT, offered_as
from agent_contracts.entities.definitions import NamedDefinition, ToolDefinition, tool_spec
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.kinds.tool import TOOL
from agent_contracts.outside import source
from agent_contracts.policies import POLICY_NAME, Verdict
from agent_contracts.questions.function_calls import FunctionCall
from agent_domain.definitions import list_all
from agent_domain.policies.judgement import DEFAULT, in_force, judge
from agent_domain.policies.policy_request import Context, call_of
from agent_platform.entities.entity import Entity, EntityKey
from agent_platform.process.clock import Clock
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.tool_names import ToolNames
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import KnownAgents, Runners, Tell

RESERVED = frozenset(
    (
        "ask_agent",
        "list_sessions",
        "read_session",
        "read_event",
        "state_at",
        "fork_session",
        "preview_rewind",
    )
)
"""What `/mcp` offers by itself. A tool of such a name can't be exposed."""


OWN_ADDRESSES = "foldline:"
"""What addresses begin with that `/mcp` has by itself."""
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{0,30}://(?:[^{}\s]|\{[A-Za-z_][A-Za-z0-9_]{0,63}\}){1,400}")


class ExposedTool(msgspec.Struct, frozen=True):
    """A tool that is exposed: as a prompt, as a resource at an `address`, else as a tool."""

    made: NamedDefinition[ToolDefinition]
    is_prompt: bool = False
    address: str | None = None

    @property
    def name(self) -> str:
        """The tool's."""
        return self.made.name

    @property
    def is_tool(self) -> bool:
        """Whether it is offered as what it is."""
        return not self.is_prompt and self.address is None


class ExposedTools(ToolNames[ExposedToolNames]):
    """Chooses which are exposed as what, and runs them for clients."""

    name = EXPOSED_NAME
    most = MOST_EXPOSED
    too_many = f"At most {MOST_EXPOSED} tools can be exposed"

    def __init__(self, edits: Edits, agents: KnownAgents, runners: Runners, clock: Clock) -> None:
        super().__init__(edits, agents)
        self._runners = runners
        self._clock = clock

    async def known(self, agent_id: AgentId) -> set[str]:
        """See `ToolNames`."""
        return {entity.key.name for entity in await self._edits.entities.list(agent_id, TOOL.kind)} - RESERVED

    async def expose(
        self,
        agent_id: AgentId,
        names: Sequence[str],
        offered: Mapping[str, str],
        version: int | None,
        request: IdempotentRequest,
    ) -> ExposedToolNames:
        """As `write`, and what they are offered as. `Rejected` for what is neither `prompt` nor an address,
        for an address of two of them, and for one of a tool that isn't exposed."""
        _check_offered(offered, names)
        return await self._choose(
            agent_id, names, lambda wanted, _: _value(wanted, offered), version, request
        )

    async def offered(self, agent_id: AgentId) -> Sequence[ExposedTool]:
        """Those that are exposed now, there, and not disabled; by name."""
        exposed = await self.read(agent_id)
        own = await list_all(self._edits.entities, agent_id, TOOL) if exposed.names else ()
        return [
            _offer(one, exposed.offered_as.get(one.name))
            for one in own
            if one.name in exposed.names and one.value.enabled
        ]

    async def run(  # noqa: PLR0913 — whose call of what it is, and who hears of it, each named
        self,
        agent_id: AgentId,
        client: str,
        name: str,
        arguments: Mapping[str, Json],
        request: IdempotentRequest,
        tell: Tell | None = None,
    ) -> Json:
        """What it returns, run once and for real in the name of this client; like a function that a page
        calls, it has no session. `tell` hears how far it is.

        `Rejected`: `not_found` where it isn't exposed, `not_permitted` where the policy doesn't allow the
        call by itself (there is nobody to ask), `invalid_request`, `code_failed`.
        """
        made = next((one.made for one in await self.offered(agent_id) if one.name == name), None)
        if made is None:
            raise Rejected(f"No tool named {name[:64]!r} is exposed", kind="not_found")
        key = EntityKey(agent_id, EntityKind.POLICY, POLICY_NAME)
        found = await self._edits.entities.current(key)
        policy = in_force(found.value, found.version) if found else DEFAULT
        outside = Context(outside=(source("peer", client),))
        judged = judge(policy, call_of(tool_spec(made), arguments), outside)
        if judged.verdict is not Verdict.ALLOW:
            raise Rejected(
                f"The policy of the agent doesn't allow this call of {name} by itself ({judged.rule}), and "
                "nobody is asked here. A person can allow it in the policy, or ask the agent in a chat",
                kind="not_permitted",
            )
        subject = EntityKey(agent_id, TOOL.kind, name).subject
        call_id = CallId(request.derived_id("t", subject) or self._clock.new_id("t"))
        digest = request.recorded_digest
        called = FunctionCall(agent_id, call_id, name, dict(arguments), digest, kind=TOOL.kind, client=client)
        return (await self._runners.call(called, request, tell)).result

    def _chosen(self, found: Entity | None) -> ExposedToolNames:
        offered = offered_as(found.value) if found else {}
        return ExposedToolNames(names=self._names(found), offered_as=offered, **written(found))

    def _value(self, names: list[str], before: Entity | None) -> Json:
        return _value(names, offered_as(before.value) if before else {})


def _value(names: list[str], offered: Mapping[str, str]) -> dict[str, Json]:
    kept: dict[str, Json] = {name: offered[name] for name in names if name in offered}
    return {"names": [*names], "offered_as": kept} if kept else {"names": [*names]}


def _offer(made: NamedDefinition[ToolDefinition], as_: str | None) -> ExposedTool:
    if as_ == PROMPT:
        return ExposedTool(made, is_prompt=True)
    return ExposedTool(made, address=as_)


def _check_offered(offered: Mapping[str, str], names: Sequence[str]) -> None:
    addresses = [one for one in offered.values() if one != PROMPT]
    for name, one in offered.items():
        why = None
        if name not in names:
            why = f"{name[:64]!r} isn't exposed: it can't be offered as anything"
        elif one == PROMPT:
            continue
        elif not _ADDRESS.fullmatch(one) or one.startswith(OWN_ADDRESSES):
            why = (
                f"{name} can be offered as {PROMPT!r}, or as a resource at an address of its own, such as "
                "weather://{city}: not below foldline:, and with nothing but names of arguments in braces"
            )
        elif addresses.count(one) > 1:
            why = f"Two tools can't be resources at one address: {one}"
        if why is not None:
            raise Rejected(why, kind="invalid_request", path="/offered_as")
