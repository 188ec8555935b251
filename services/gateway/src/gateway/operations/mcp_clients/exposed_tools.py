"""The agent's own tools that a person exposed to MCP clients: which, and running them under the policy."""

from collections.abc import Mapping, Sequence

from agent_contracts.entities.chosen_tools import EXPOSED_NAME, MOST_EXPOSED
from agent_contracts.entities.definitions import TOOL, Defined, ToolDefinition, tool_spec
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.outside import source
from agent_contracts.policies import POLICY_NAME, Verdict
from agent_contracts.questions.function_calls import FunctionCall
from agent_domain.definitions import list_all
from agent_domain.policies.asked import Context, call_of
from agent_domain.policies.judging import DEFAULT, in_force, judge
from agent_platform.entities.entity import EntityKey
from agent_platform.process.clock import Clock
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.tool_names import ToolNames
from gateway.operations.asked import Asked
from gateway.operations.ports import KnownAgents, Runners

RESERVED = frozenset(
    (
        "ask_agent",
        "list_sessions",
        "read_session",
        "read_event",
        "state_at",
        "fork_session",
        "preview_rollback",
    )
)
"""What `/mcp` offers by itself. A tool of such a name can't be exposed."""


class ExposedTools(ToolNames):
    """Chooses which are exposed, and runs them for clients."""

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

    async def offered(self, agent_id: AgentId) -> Sequence[Defined[ToolDefinition]]:
        """Those that are exposed now, there, and not disabled; by name."""
        names = (await self.read(agent_id)).names
        own = await list_all(self._edits.entities, agent_id, TOOL) if names else ()
        return [one for one in own if one.name in names and one.value.enabled]

    async def run(
        self, agent_id: AgentId, client: str, name: str, arguments: Mapping[str, Json], request: Asked
    ) -> Json:
        """What it returns, run once and for real in the name of this client; like a function that a page
        calls, it has no session.

        `Rejected`: `not_found` where it isn't exposed, `not_permitted` where the policy doesn't allow the
        call by itself (there is nobody to ask), `invalid_request`, `code_failed`.
        """
        made = next((one for one in await self.offered(agent_id) if one.name == name), None)
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
        return (await self._runners.call(called, request)).result
