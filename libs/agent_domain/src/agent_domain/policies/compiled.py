"""Rules as they are asked: each asks only what it says, and only those that can fit are asked. Pure."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter, itemgetter

from agent_contracts.policies import Match, Rule, Verdict
from agent_domain.policies.asked import Asked
from agent_domain.policies.patterns import ends, fits, the_only

_PATTERNS = ("tool", "family", "method", "path", "server", "command", "scope", "sandbox", "scheme")
_KEYS = ("tool", "host", "server", "command", "path", "family")
_Test = Callable[[Asked, bool], bool]
_Numbered = tuple[int, Rule, tuple[_Test, ...]]


class Compiled:
    """Rules in their order. To make it costs some microseconds a rule: once for each version of a policy.

    They are looked up by how a text of theirs begins or ends, of each length once. So what a question costs
    grows with the rules that nearly fit it, not with all.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._any: list[_Numbered] = []
        self._exact: _Table = {}
        self._beginning: _Table = {}
        self._ending: _Table = {}
        for number, rule in enumerate(rules, 1):
            where = self._place(rule.match)
            where.append((number, rule, tuple(_tests(rule))))

    def fitting(self, asked: Asked, after_outside: bool) -> Iterator[tuple[int, Rule]]:
        """The rules that fit, each with its number, which counts from 1."""
        found = self._any
        for (part, _), of_text in self._exact.items():
            for text in _texts(asked, part):
                if rules := of_text.get(text):
                    found = found + rules
        for (part, length), of_text in self._beginning.items():
            for text in {text[:length] for text in _texts(asked, part)}:
                if rules := of_text.get(text):
                    found = found + rules
        for (part, length), of_text in self._ending.items():
            for text in {text[-length:] for text in _texts(asked, part)}:
                if rules := of_text.get(text):
                    found = found + rules
        if found is not self._any:
            found.sort(key=itemgetter(0))
        for number, rule, tests in found:
            if all(test(asked, after_outside) for test in tests):
                yield number, rule

    def _place(self, match: Match) -> list[_Numbered]:
        patterns = [(part, getattr(match, part)) for part in _KEYS if getattr(match, part) is not None]
        for part, pattern in patterns:
            text = the_only(pattern)
            if text is not None:
                return self._exact.setdefault((part, 0), {}).setdefault(text, [])
        for part, pattern in patterns:
            first, last = ends(pattern)
            if first or last:
                table, text = (self._beginning, first) if first else (self._ending, last)
                return table.setdefault((part, len(text)), {}).setdefault(text, [])
        return self._any


_Table = dict[tuple[str, int], dict[str, list[_Numbered]]]
"""By part and length, and then by the text of that length."""


def _texts(asked: Asked, part: str) -> tuple[str, ...]:
    if part == "host":
        return asked.hosts
    text = getattr(asked, part)
    return () if text is None else (text,)


def is_about(match: Match, asked: Asked, after_outside: bool, *, allows: bool) -> bool:
    """Whether something fits all that a match says. `allows`: it is allowed then, so a host is no more than
    it says."""
    if match.host is not None and not _host_fits(match, asked, allows=allows):
        return False
    for part in _PATTERNS:
        pattern = getattr(match, part)
        if pattern is None:
            continue
        value = getattr(asked, part)
        if value is None or not fits(pattern, value):
            return False
    if match.after_outside is not None and match.after_outside is not after_outside:
        return False
    if match.known_url is not None and match.known_url is not asked.known_url:
        return False
    if match.lasting is not None and match.lasting is not asked.lasting:
        return False
    return match.effect is None or match.effect is asked.effect


def _host_fits(match: Match, asked: Asked, *, allows: bool) -> bool:
    """See `Match`."""
    pattern, origin = match.host or "", asked.origin
    if not any(fits(pattern, text) for text in asked.hosts):
        return False
    if not allows or origin is None or fits(pattern, origin.place):
        return True
    return origin.is_usual and (origin.scheme == "https" or match.scheme is not None)


def _tests(rule: Rule) -> Iterator[_Test]:
    """What a rule's match asks, the cheapest first."""
    match, allows = rule.match, rule.verdict is Verdict.ALLOW
    after, known, effect, lasting = match.after_outside, match.known_url, match.effect, match.lasting
    if after is not None:
        yield lambda asked, after_outside: after_outside is after
    if known is not None:
        yield lambda asked, _: asked.known_url is known
    if lasting is not None:
        yield lambda asked, _: asked.lasting is lasting
    if effect is not None:
        yield lambda asked, _: asked.effect is effect
    if match.host is not None:
        yield lambda asked, _: _host_fits(match, asked, allows=allows)
    for part in _PATTERNS:
        pattern = getattr(match, part)
        if pattern is not None:
            yield _of_pattern(attrgetter(part), pattern)


def _of_pattern(part: Callable[[Asked], str | None], pattern: str) -> _Test:
    if pattern == "*":
        return lambda asked, _: part(asked) is not None
    text = the_only(pattern)
    if text is not None:
        return lambda asked, _: part(asked) == text

    def test(asked: Asked, _: bool) -> bool:
        value = part(asked)
        return value is not None and fits(pattern, value)

    return test
