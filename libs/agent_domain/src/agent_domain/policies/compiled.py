"""Whether a call or a request fits what a rule says: each part that it says is one test. Pure."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from agent_contracts.policies import Match, Rule, Verdict
from agent_domain.policies.asked import PolicyRequest, WebOrigin
from agent_domain.policies.patterns import fits, the_only

_SAME = ("known_url", "lasting", "effect")
"""Parts of a match that say which value the same part of what is asked must have."""
_PATTERNS = ("tool", "family", "method", "path", "server", "command", "scope", "sandbox", "scheme")
"""Parts that are patterns for the same part of what is asked."""
_REMEMBERED = 4_096


class _PolicyQuestion(NamedTuple):
    """What is asked, with what each test would work out again."""

    asked: PolicyRequest
    after_outside: bool
    hosts: tuple[str, ...]
    origin: WebOrigin | None


_Test = Callable[[_PolicyQuestion], bool]


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
    """What a match asks. A new part of `Match` and `PolicyRequest` is a name in `_SAME` or `_PATTERNS`."""
    tests: list[_Test] = []
    if match.host is not None:
        tests.append(_of_host(match.host, match.scheme, allows=allows))
    if match.after_outside is not None:
        tests.append(lambda question: question.after_outside is match.after_outside)
    for parts, testing in ((_PATTERNS, _of_pattern), (_SAME, _of_value)):
        said = [(part, getattr(match, part)) for part in parts]
        tests += [testing(attrgetter(part), value) for part, value in said if value is not None]
    return tuple(tests)


def _of_value(part: Callable[[PolicyRequest], object], wanted: object) -> _Test:
    return lambda question: part(question.asked) == wanted


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


def _of_host(pattern: str, scheme: str | None, *, allows: bool) -> _Test:
    """See `Match`."""

    def test(question: _PolicyQuestion) -> bool:
        if not any(fits(pattern, text) for text in question.hosts):
            return False
        origin = question.origin
        if not allows or origin is None or fits(pattern, origin.place):
            return True
        return origin.is_usual and (origin.scheme == "https" or scheme is not None)

    return test
