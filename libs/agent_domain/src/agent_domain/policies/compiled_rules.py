"""Whether a call or a request fits what a rule says: each part that it says is one test. Pure."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from agent_contracts.policies import ADDED_CONDITIONS, CONDITIONS, AddedMatch, Match, Rule, Verdict
from agent_domain.policies.patterns import fits, the_only
from agent_domain.policies.policy_request import PolicyRequest, WebOrigin

_REMEMBERED = 4_096


class _PolicyQuestion(NamedTuple):
    """What is asked, with what each test would work out again."""

    asked: PolicyRequest
    after_outside: bool
    hosts: tuple[str, ...]
    origin: WebOrigin | None


_Test = Callable[[_PolicyQuestion], bool]
_Testing = Callable[[Match, Any, bool], _Test]
"""The test that a match asks by one of its members: of the match, the member's value, and whether something
is allowed then."""


class CompiledRules:
    """Rules in their order, made ready for asking: some microseconds a rule, once for each version
    of a policy.

    A question asks each of them. There are at most `MOST_RULES`, and nearly all end with their first test.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = [
            (number, rule, _tests(rule.match, allows=rule.verdict is Verdict.ALLOW))
            for number, rule in enumerate(rules, 1)
        ]

    def fitting(self, asked: PolicyRequest, after_outside: bool) -> Iterator[tuple[int, Rule]]:
        """The rules that fit, each with its number, which counts from 1."""
        question = _question(asked, after_outside)
        for number, rule, tests in self._rules:
            if all(test(question) for test in tests):
                yield number, rule


def is_about(match: Match, asked: PolicyRequest, after_outside: bool, *, allows: bool) -> bool:
    """Whether something fits all that a match says. `allows`: it is allowed then, so a host is no more than
    it says."""
    question = _question(asked, after_outside)
    return all(test(question) for test in _tests(match, allows=allows))


def _question(asked: PolicyRequest, after_outside: bool) -> _PolicyQuestion:
    return _PolicyQuestion(asked, after_outside, asked.hosts, asked.origin)


@lru_cache(_REMEMBERED)
def _tests(match: Match, *, allows: bool) -> tuple[_Test, ...]:
    """What a match asks."""
    said = ((value_of(match), testing) for value_of, testing in _CONDITIONS)
    return tuple(testing(match, value, allows) for value, testing in said if value not in (None, ()))


def _same(name: str) -> _Testing:
    part = attrgetter(name)
    return lambda match, wanted, allows: lambda question: part(question.asked) == wanted


def _pattern(name: str) -> _Testing:
    part = attrgetter(name)
    return lambda match, pattern, allows: _of_pattern(part, pattern)


def _of_pattern(part: Callable[[PolicyRequest], str | None], pattern: str) -> _Test:
    if pattern == "*":
        return lambda question: part(question.asked) is not None
    text = the_only(pattern)
    if text is not None:
        return lambda question: part(question.asked) == text

    def test(question: _PolicyQuestion) -> bool:
        value = part(question.asked)
        return value is not None and fits(pattern, value)

    return test


def _of_outside(match: Match, wanted: bool, allows: bool) -> _Test:
    return lambda question: question.after_outside is wanted


def _of_host(match: Match, pattern: str, allows: bool) -> _Test:
    """See `Match`."""
    scheme = match.scheme

    def test(question: _PolicyQuestion) -> bool:
        if not any(fits(pattern, text) for text in question.hosts):
            return False
        origin = question.origin
        if not allows or origin is None or fits(pattern, origin.place):
            return True
        return origin.is_usual and (origin.scheme == "https" or scheme is not None)

    return test


def _of_added(match: Match, wanted: tuple[AddedMatch, ...], allows: bool) -> _Test:
    """A condition that can't be told here holds unless something is allowed then."""
    unknown = any(one.condition not in ADDED_CONDITIONS for one in wanted)

    def test(question: _PolicyQuestion) -> bool:
        said = dict(question.asked.added)
        for one in wanted:
            value = said.get(one.condition)
            if value is None and (one.condition in said or unknown):
                return not allows
            if value is None or not fits(one.value, value):
                return False
        return True

    return test


_OF_THEIR_OWN: dict[str, _Testing] = {
    "host": _of_host,
    "after_outside": _of_outside,
    "added": _of_added,
}
"""Conditions that aren't about the member of `PolicyRequest` of the same name alone."""


def _testing(name: str) -> _Testing:
    """How a member of `Match` is tested, by its declaration: a text is a pattern for the member of
    `PolicyRequest` of the same name, anything else is its value."""
    if name in _OF_THEIR_OWN:
        return _OF_THEIR_OWN[name]
    [condition] = [one for one in CONDITIONS if one.name == name]
    assert name in PolicyRequest.__struct_fields__, f"nothing tells whether the condition {name} holds"
    return _pattern(name) if condition.type == "text" else _same(name)


_CONDITIONS = [
    (attrgetter(name), _testing(name))
    for name in (*_OF_THEIR_OWN, *(one for one in Match.__struct_fields__ if one not in _OF_THEIR_OWN))
]
