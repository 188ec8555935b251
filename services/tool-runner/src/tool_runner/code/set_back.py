"""A tool that fails since its session changed it gets its last good version back."""

from contextlib import aclosing

from agent_contracts.entities.definitions import NamedDefinition, ToolDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.kinds.tool import TOOL
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import ToolCallRequested
from agent_contracts.session_events.results import ToolCallCompleted, ToolCallFailed
from agent_domain.definitions import defined
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import Entity, EntityKey
from agent_platform.log.events import events
from agent_platform.log.port import Log
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentDefinitions

FAILURES = 3
"""So many in a row, and no success, of what was changed."""
MOST_VERSIONS = 20
"""So far back a good version is looked for."""
MOST_EVENTS = 5_000
"""Of the session since the change. Who has seen more without it does not set it back any more."""
_FAULTS = frozenset((ErrorKind.REJECTED, ErrorKind.TOO_LARGE, ErrorKind.TIMEOUT))
"""Kinds of failures of code that are the code's: none of a network, a policy or a person."""


class SetBack:
    """Counts in the log, and writes in the call's name: the history shows it, and a rewind takes it back."""

    def __init__(
        self, log: Log, entities: Entities, definitions: AgentDefinitions, call: CallContext
    ) -> None:
        self._log = log
        self._entities = entities
        self._definitions = definitions
        self._call = call

    async def told(self, made: NamedDefinition[ToolDefinition], failure: Rejected) -> Rejected:
        """The failure of the tool's code as the model is told it: with what was done about it."""
        session = self._call.session
        if session is None or failure.kind not in _FAULTS or failure.details is None:
            return failure
        now = await self._entities.current(self._key(made.name))
        if now is None or now.version != made.version or now.session_id != session:
            return failure
        tries = await self._tries(now, session, self._call.sequence)
        if tries is None or any(tries) or len(tries) + 1 < FAILURES:
            return failure
        good = await self._last_good(made, now, session)
        version = None if good is None else await self._written(made, good)
        if good is None or version is None:
            return failure
        return _told(failure, made, good, version)

    async def _written(
        self, made: NamedDefinition[ToolDefinition], good: NamedDefinition[ToolDefinition]
    ) -> int | None:
        """The version that the good one is now; None where the tool was changed meanwhile."""

        def back(found: ToolDefinition) -> ToolDefinition:
            if found != made.value:
                raise _ChangedMeanwhile("it was changed meanwhile")
            return good.value

        try:
            return await self._definitions.update(TOOL, made.name, back)
        except _ChangedMeanwhile:
            return None

    async def _last_good(
        self, made: NamedDefinition[ToolDefinition], now: Entity, session: SessionId
    ) -> NamedDefinition[ToolDefinition] | None:
        """The newest earlier version that can be called and of which nobody knows that it fails as well."""
        failing = [made.value]
        newer = now
        for _ in range(MOST_VERSIONS):
            older = await self._entities.as_of(now.key, newer.sequence - 1)
            if older is None:
                return None
            found = defined(older, TOOL)
            tries = await self._tries(older, session, newer.sequence)
            if tries is not None and len(tries) >= FAILURES and not any(tries):
                failing.append(found.value)
            elif found.value.enabled and all(_differ(found.value, one) for one in failing):
                return found
            newer = older
        return None

    async def _tries(self, version: Entity, session: SessionId, until: int) -> list[bool] | None:
        """Whether each call of the session gave a result that ran this version, which was the tool's until
        that event; None if there is too much to be looked through. Calls that have not ended, and those
        that failed for other reasons than their code, don't count."""
        subject = SessionKey(self._call.agent_id, session).everything
        calls: set[CallId] = set()
        ended: list[bool] = []
        looked = 0
        read = self._log.read(subject, after=version.sequence, up_to=self._call.sequence)
        async with aclosing(events(read)) as found:
            async for one in found:
                looked += 1
                if looked > MOST_EVENTS:
                    return None
                match one.event:
                    case ToolCallRequested(call_id=call_id, tool=version.key.name) if one.sequence <= until:
                        calls.add(call_id)
                    case ToolCallCompleted(call_id=call_id) if call_id in calls:
                        ended.append(True)
                    case ToolCallFailed(call_id=call_id, error=error) if call_id in calls:
                        if error.kind in _FAULTS and error.details is not None:
                            ended.append(False)
        return ended

    def _key(self, name: str) -> EntityKey:
        return EntityKey(self._call.agent_id, TOOL.kind, name)


class _ChangedMeanwhile(Rejected):
    """Somebody was faster: what is there now hasn't failed."""


def _differ(one: ToolDefinition, other: ToolDefinition) -> bool:
    return (one.code, one.parameter_schema) != (other.code, other.parameter_schema)


def _told(
    failure: Rejected,
    made: NamedDefinition[ToolDefinition],
    good: NamedDefinition[ToolDefinition],
    version: int,
) -> Rejected:
    message = (
        f"{failure.message}\nThat was the third failure in a row since version {made.version} of "
        f"{made.name}, so the tool was set back to version {good.version}, which is version {version} now. "
        f"Version {made.version} is kept: mend it, try it, and update the tool again."
    )
    set_back: Json = {"tool": made.name, "from": made.version, "to": good.version, "version": version}
    details = {**(failure.details or {}), "set_back": set_back}
    return Rejected(message, kind=failure.kind, path=failure.path, details=details)
