"""An agent's policy: what it may do, asks for, and may not. Only people write it."""

from collections.abc import Callable

import msgspec

from agent_contracts.api.policies import PolicyOfAgent
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.form_inputs import Letters
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.policies import CONDITIONS, MOST_RULES, POLICY_NAME, Match, Policy, Rule, Verdict
from agent_domain.policies.judgement import DEFAULT, InForce, in_force, policy_in
from agent_domain.policies.presets import RULES_OF
from agent_platform.entities.entity import Change, Entity, EntityKey, Write
from gateway.operations.agents.edits import expecting
from gateway.operations.agents.things import Things
from gateway.operations.agents.version_records import written
from gateway.operations.idempotency import IdempotentRequest

_LETTERS: dict[Letters, Callable[[str], str]] = {"small": str.lower, "capital": str.upper}


class AgentPolicies(Things[AgentId, PolicyOfAgent]):
    """Reads and writes them."""

    async def write(
        self, agent_id: AgentId, policy: Policy, version: int | None, request: IdempotentRequest
    ) -> PolicyOfAgent:
        """This one from now on. The same again makes no version.

        `Rejected` with `conflict` if it isn't at `version` (None: any) any more.
        """
        key = await self._key(agent_id)
        policy = tidied(policy)

        def decide(before: Entity | None) -> Change:
            expecting(version, before)
            return _changed(before, policy)

        writer = self._edits.writer(request, key.subject, "write")
        return _shown((await self._edits.change(key, writer, request, decide)).after)

    async def allow(
        self, agent_id: AgentId, match: Match, note: str, request: IdempotentRequest
    ) -> PolicyOfAgent:
        """Always allow this from now on, before all rules but those that deny."""
        key = await self._key(agent_id)

        def decide(before: Entity | None) -> Change:
            policy = _policy(before)
            if any(rule.verdict is Verdict.ALLOW and rule.match == match for rule in policy.rules):
                return None
            if len(policy.rules) >= MOST_RULES:
                raise Rejected(
                    f"The policy has {MOST_RULES} rules, the most that it may have: remove one first",
                    kind="too_large",
                )
            rules = (Rule(Verdict.ALLOW, match, note), *policy.rules)
            return _changed(before, msgspec.structs.replace(policy, rules=rules))

        writer = self._edits.writer(request, key.subject, "allow")
        return _shown((await self._edits.change(key, writer, request, decide)).after)

    async def in_force(self, agent_id: AgentId) -> InForce:
        """What it may do now."""
        found = await self._edits.entities.current(await self._key(agent_id))
        return in_force(found.value, found.version) if found else DEFAULT

    async def _key(self, place: AgentId) -> EntityKey:
        await self._agents.require(place)
        return EntityKey(place, EntityKind.POLICY, POLICY_NAME)

    async def _shown(self, found: Entity | None, place: AgentId, at: int | None = None) -> PolicyOfAgent:
        return _shown(found)


def tidied(policy: Policy) -> Policy:
    """The policy with each condition in the letters that are declared: a host in small ones, say."""
    rules = (msgspec.structs.replace(rule, match=_tidied(rule.match)) for rule in policy.rules)
    return msgspec.structs.replace(policy, rules=tuple(rules))


def _tidied(match: Match) -> Match:
    changed = {
        one.name: _LETTERS[one.letters](text.strip() or text)
        for one in CONDITIONS
        if one.letters and (text := getattr(match, one.name)) is not None
    }
    return msgspec.structs.replace(match, **changed)


def _changed(before: Entity | None, policy: Policy) -> Change:
    if _policy(before) == policy and before is not None:
        return None
    value: Json = msgspec.to_builtins(policy)
    return Write(value)


def _policy(found: Entity | None) -> Policy:
    return policy_in(found.value) if found else Policy()


def _shown(found: Entity | None) -> PolicyOfAgent:
    policy = _policy(found)
    return PolicyOfAgent(
        preset=policy.preset,
        rules=list(policy.rules),
        preset_rules=list(RULES_OF[policy.preset]),
        conditions=CONDITIONS,
        **written(found),
    )
