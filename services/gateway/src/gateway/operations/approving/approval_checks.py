"""A person's yes or no to a call: what it must look like, and what *always* makes of it."""

from typing import Any

import msgspec
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from agent_contracts.entities.definitions import tool_spec
from agent_contracts.errors import Rejected
from agent_contracts.flaw_places import located
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.kinds.tool import TOOL
from agent_contracts.policies import ApprovalAnswer, Match
from agent_contracts.session_events.results import ToolCallPending
from agent_domain.definitions import defined
from agent_domain.policies.policy_request import covering, named_in
from agent_domain.sessions.directory import KnownSession
from agent_platform.entities.entity import EntityKey
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.policies import AgentPolicies
from gateway.operations.approving.releases import ApprovalReleases
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.operating.ports import OfferedTools
from gateway.operations.sessions.steering import PreparedAnswer

LARGEST_ARGUMENTS = 256 * 1024
"""Bytes that a person may make of a call's arguments."""
_FORM = '{"decision": "once", "session", "commands", "always" or "refuse", "arguments"?: {…}, "reason"?: "…"}'


class ApprovalChecks:
    """Checks answers to calls that wait for a yes, and writes the policy for *always*."""

    def __init__(
        self, policies: AgentPolicies, edits: Edits, built_in: OfferedTools, releases: ApprovalReleases
    ) -> None:
        self._policies = policies
        self._releases = releases
        self._edits = edits
        self._built_in = built_in

    async def prepared(
        self, session: KnownSession, pending: ToolCallPending, response: Json, request: IdempotentRequest
    ) -> PreparedAnswer:
        """The response to a call that waits for a yes, as it is to be recorded.

        `Rejected(kind="invalid_request")` for one that doesn't fit; the call goes on waiting. *Always* has
        written the policy then, and released the agent's other calls that wait for the same: the person said
        so, whoever answers first. A repeat releases what is left, as long as the call waits.
        """
        answer, covers = fitting(pending.show, response)
        agent_id = session.key.agent_id
        if answer.arguments is not None:
            await self._check(agent_id, str(pending.show["tool"]), answer.arguments)
        released = 0
        if answer.decision == "always":
            assert covers is not None
            note = f"Allowed always, in chat {session.session_id}"
            await self._policies.allow(agent_id, covers, note, request)
            itself = session.session_id, pending.call_id
            released = await self._releases.release(agent_id, covers, f"By a rule: {note.lower()}", itself)
        recorded = msgspec.structs.replace(answer, covers=covers if answer.arguments is not None else None)
        return PreparedAnswer(msgspec.to_builtins(recorded), released)

    async def _check(self, agent_id: AgentId, tool: str, arguments: dict[str, Json]) -> None:
        """`Rejected` for arguments that the tool doesn't take."""
        if len(msgspec.json.encode(arguments)) > LARGEST_ARGUMENTS:
            raise _refused("/arguments", f"The arguments have more than {LARGEST_ARGUMENTS:,} bytes")
        schema = await self._schema(agent_id, tool)
        if schema is None:
            return  # it is checked where it runs
        try:
            Draft202012Validator(schema).validate(arguments)
        except ValidationError as error:
            steps = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in error.path)
            raise _refused(
                f"/arguments{steps}", f"The tool doesn't take this: {error.message[:500]}"
            ) from error

    async def _schema(self, agent_id: AgentId, tool: str) -> dict[str, Any] | None:
        for catalogue in await self._built_in.catalogues():
            for spec in catalogue.tools:
                if spec.tool == tool:
                    return spec.parameters
        own = await self._edits.entities.current(EntityKey(agent_id, TOOL.kind, tool))
        return None if own is None else tool_spec(defined(own, TOOL)).parameters


def fitting(show: dict[str, Json], response: Json) -> tuple[ApprovalAnswer, Match | None]:
    """The answer, and what it covers. `Rejected` if it doesn't answer what was asked."""
    try:
        answer = msgspec.convert(response, ApprovalAnswer)
    except msgspec.ValidationError as error:
        message, path = located(error)
        raise _refused(path or "", f"The response to this call must be {_FORM}: {message}") from error
    if answer.covers is not None:
        raise _refused("/covers", "What a yes covers follows from the call")
    edited = answer.arguments
    if edited is not None and (answer.decision == "refuse" or "run" in show):
        raise _refused("/arguments", "The arguments can be edited only of a call that is allowed to run")
    if edited is not None:
        covers = covering(named_in(str(show["tool"]), edited))
    else:
        covers = msgspec.convert(show["covers"], Match) if "covers" in show else None
    if covers is None and answer.decision in ("session", "always"):
        raise _refused(
            "/decision", "This call can be allowed only once: what a longer yes is for can't be said"
        )
    if answer.decision == "commands" and "commands" not in show:
        raise _refused("/decision", "This call runs no command in the sandbox: allow it once instead")
    return answer, covers


def _refused(path: str, why: str) -> Rejected:
    return Rejected(why, kind="invalid_request", path=path)
