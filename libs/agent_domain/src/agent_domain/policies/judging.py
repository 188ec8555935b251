"""What a policy says of a call or a request. Pure; both gates ask it, so one policy has one meaning."""

import msgspec

from agent_contracts.asking import ASK_USER
from agent_contracts.json_value import Json
from agent_contracts.policies import Judged, Match, Policy, Verdict
from agent_domain.policies.asked import Asked, Context, covering
from agent_domain.policies.patterns import fits
from agent_domain.policies.presets import RULES_OF

ALLOWED_BY_PERSON = "A person allowed it in this session"
_OF_PATTERNS = ("tool", "family", "host", "method", "path", "command", "scope")
_NO_CONTEXT = Context()


class InForce(msgspec.Struct, frozen=True):
    """A policy and its version; 0 as long as nobody has written one."""

    policy: Policy = Policy()
    version: int = 0


DEFAULT = InForce()


def judge(in_force: InForce, asked: Asked, context: Context = _NO_CONTEXT) -> Judged:
    """The verdict, and the rule that led to it.

    A *deny* of a person's rules always counts. Otherwise what a person allowed in the session, then the first
    rule that fits, the preset's last. Nobody has to allow that a person is asked something.
    """
    rules = in_force.policy.rules
    version = in_force.version
    after_outside = bool(context.outside)
    fitting = None
    for number, rule in enumerate(rules, 1):
        if (fitting is None or rule.verdict is Verdict.DENY) and is_about(rule.match, asked, after_outside):
            if rule.verdict is Verdict.DENY:
                return Judged(Verdict.DENY, _named(number, rule.note), version)
            fitting = Judged(rule.verdict, _named(number, rule.note), version)
    if asked.tool == ASK_USER:
        return Judged(Verdict.ALLOW, "Asking a person needs nobody's yes", version)
    if any(is_about(grant.match, asked, after_outside) for grant in context.grants):
        return Judged(Verdict.ALLOW, ALLOWED_BY_PERSON, version)
    if fitting is None:
        rule = next(
            one
            for one in RULES_OF[in_force.policy.preset]
            if one.match == _EVERYTHING or is_about(one.match, asked, after_outside)
        )
        fitting = Judged(rule.verdict, rule.note, version)
    if fitting.verdict is Verdict.ASK:
        return msgspec.structs.replace(fitting, covers=covering(asked), outside=context.outside)
    return fitting


def is_about(match: Match, asked: Asked, after_outside: bool) -> bool:
    """Whether something fits all that a match says."""
    if match.after_outside is not None and match.after_outside is not after_outside:
        return False
    if match.known_url is not None and match.known_url is not asked.known_url:
        return False
    if match.effect is not None and match.effect is not asked.effect:
        return False
    for part in _OF_PATTERNS:
        pattern = getattr(match, part)
        if pattern is None:
            continue
        value = getattr(asked, part)
        if value is None or not fits(pattern, value):
            return False
    return True


_EVERYTHING = Match()


def _named(number: int, note: str) -> str:
    return f"Rule {number}: {note}" if note else f"Rule {number} of the policy"


def in_force(value: Json, version: int) -> InForce:
    """The policy of an entity's value and version."""
    return InForce(policy_in(value), version)


def policy_in(value: Json) -> Policy:
    """The policy in an entity's value. One that can't be read asks for everything that isn't inside."""
    try:
        return msgspec.convert(value, Policy)
    except msgspec.ValidationError:
        return Policy("cautious")
