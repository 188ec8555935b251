"""What a policy says of a call or a request. Pure; both gates ask it, so one policy has one meaning."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import msgspec
from cachetools import LRUCache

from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.policies import OutsideSource, Policy, PolicyJudgement, Rule, Verdict
from agent_contracts.sessions.open_questions import ASK_USER
from agent_domain.policies.compiled_rules import CompiledRules, is_about
from agent_domain.policies.policy_request import Context, PolicyRequest, covering, every_command
from agent_domain.policies.presets import RULES_OF

ALWAYS_ASKED = "It runs as the user who runs Foldline, with all that this user may do"
ALLOWED_BY_PERSON = "A person allowed it in this session"
REMEMBERED = 256
"""So many policies are kept ready."""
_NO_CONTEXT = Context()
_BALANCED = Policy()


@dataclass(frozen=True)
class InForce:
    """A policy and its version; 0 as long as nobody has written one. Whoever judges often keeps it: its rules
    are made ready with the first question."""

    policy: Policy = _BALANCED
    version: int = 0

    @cached_property
    def rules(self) -> CompiledRules:
        """Those of a person."""
        return CompiledRules(self.policy.rules)


DEFAULT = InForce()


def judge(in_force: InForce, asked: PolicyRequest, context: Context = _NO_CONTEXT) -> PolicyJudgement:
    """The verdict, and the rule that led to it.

    A *deny* of a person's rules always counts. Otherwise what a person allowed in the session, then the first
    rule that fits, the preset's last. Nobody has to allow that a person is asked something. What always asks
    is allowed by no rule, and never for longer than once.
    """
    version = in_force.version
    after_outside = bool(context.outside)
    fitting = None
    for number, rule in _fitting(in_force.rules, asked, after_outside):
        if rule.verdict is Verdict.DENY:
            return PolicyJudgement(Verdict.DENY, _named(number, rule.note), version)
        fitting = fitting or PolicyJudgement(rule.verdict, _named(number, rule.note), version)
    if ASK_USER in (asked.tool, asked.as_core.tool):
        return PolicyJudgement(Verdict.ALLOW, "Asking a person needs nobody's yes", version)
    called = (asked,) if asked.hands_over else (asked, asked.as_core)
    grants = (one for one in context.grants if not one.exact or one.exact == asked.exact)
    granted = any(is_about(one.match, as_, after_outside, allows=True) for one in grants for as_ in called)
    if granted and not asked.always_asks:
        return PolicyJudgement(Verdict.ALLOW, ALLOWED_BY_PERSON, version)
    if fitting is None:
        _, rule = next(_fitting(_PRESETS[in_force.policy.preset], asked, after_outside))
        fitting = PolicyJudgement(rule.verdict, rule.note, version)
    if fitting.verdict is not Verdict.ASK and not asked.always_asks:
        return fitting
    read = tuple(OutsideSource(one.kind, one.name, one.at or "") for one in context.outside)
    if asked.always_asks:
        return PolicyJudgement(Verdict.ASK, ALWAYS_ASKED, version, outside=read)
    return msgspec.structs.replace(
        fitting, covers=covering(asked), commands=every_command(asked), outside=read
    )


_PRESETS = {preset: CompiledRules(rules) for preset, rules in RULES_OF.items()}


def _fitting(rules: CompiledRules, asked: PolicyRequest, after_outside: bool) -> Iterator[tuple[int, Rule]]:
    """The rules that fit, in their order; for an alias those for the core tool as well."""
    if asked.alias_of is None:
        return rules.fitting(asked, after_outside)
    found = {
        number: rule for one in (asked, asked.as_core) for number, rule in rules.fitting(one, after_outside)
    }
    return iter(sorted(found.items(), key=itemgetter(0)))


def _named(number: int, note: str) -> str:
    return f"Rule {number}: {note}" if note else f"Rule {number} of the policy"


def in_force(value: Json, version: int) -> InForce:
    """The policy of an entity's value and version."""
    return InForce(policy_in(value), version)


class CompiledPolicies:
    """Policies that were judged by lately, by the events that wrote them: each is made ready once."""

    def __init__(self) -> None:
        self._known: LRUCache[tuple[str, int], InForce] = LRUCache(REMEMBERED)

    def of(self, agent_id: AgentId, written: int, value: Json, version: int) -> InForce:
        """The agent's policy that event `written` made."""
        found = self._known.get((agent_id, written))
        if found is None:
            found = self._known[agent_id, written] = in_force(value, version)
        return found


def policy_in(value: Json) -> Policy:
    """The policy in an entity's value. One that can't be read asks for everything that isn't inside."""
    try:
        return msgspec.convert(value, Policy)
    except msgspec.ValidationError:
        return Policy("cautious")
