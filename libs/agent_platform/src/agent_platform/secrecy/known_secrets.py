"""The secrets that this process knows, so that none of them gets into a text that is stored or shown.

Whoever reads or writes a secret says so here: settings as they are made, and all that is sealed or unsealed
(`agent_domain.secrets.sealing`). There is one register for the process, `KNOWN`, since everything that a
process stores and logs goes through it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from agent_contracts.entities.secrets import SHORTEST_SECRET
from agent_contracts.json_value import Json
from agent_platform.secrecy.spellings import spellings_of

MASK = "••••••"
"""What stands where a secret was taken out."""

_MOST = 2_000
"""Values that are known at a time, the last ones learned. Each costs some twelve searches in every text."""
_SHORTEST_IN_FAILURES = 4
_SHORTEST_INNER = 16
"""Characters of a part of a value (a line, a text in JSON) that is looked for on its own."""
_TELLING = 16
"""Characters at a value's beginning by which one that was cut short is known."""
_PLAIN_WORD = re.compile(r"[a-z]{1,11}")
_DUMMIES = frozenset(
    {
        "not-needed",
        "not_needed",
        "no-key",
        "no_key",
        "lm-studio",
        "none",
        "dummy",
        "empty",
        "sk-no-key-required",
    }
)
"""What people set as the key of a server that wants none. They stand in ordinary texts, and open nothing."""


class KnownSecrets:
    """Values to keep out of texts."""

    def __init__(self) -> None:
        """Nothing is known."""
        self._spelled: dict[str, tuple[str, ...]] = {}
        self._texts: tuple[str, ...] | None = ()
        self._bodies: tuple[bytes, ...] = ()
        self._in_failures: tuple[str, ...] = ()

    def learn(self, *values: str) -> None:
        """From now on these, and the secret parts of them, are taken out.

        Parts are: the lines of a text, the texts in JSON, the password of an address or of `user:password`,
        the keys of a list that commas separate.
        A dummy, a short word of small letters, and a value of fewer than four characters are not secrets:
        they can't be told from ordinary text.
        """
        new = {one for value in values for one in _parts(value) if _is_secret(one)} - self._spelled.keys()
        if not new:
            return
        spelled = {**self._spelled, **{value: _spelled(value) for value in sorted(new)}}
        while len(spelled) > _MOST:
            del spelled[next(iter(spelled))]
        self._spelled, self._texts = spelled, None

    @contextmanager
    def no_longer(self) -> Iterator[None]:
        """What is learned inside is forgotten at the end: for tests, of which many share a process."""
        before = self._spelled
        try:
            yield
        finally:
            self._spelled, self._texts = before, None

    def holds(self, body: bytes) -> bool:
        """Whether UTF-8 text, such as JSON, has any of them, in any spelling. For a quick look first."""
        self._settle()
        for spelling in self._bodies:  # noqa: SIM110 — a generator costs more than most of the searches
            if spelling in body:
                return True
        return False

    def text(self, text: str) -> str:
        """The text without them, for any text."""
        for spelling in self._settle():
            if spelling in text:
                text = text.replace(spelling, MASK)
        return text

    def failure(self, text: str) -> str:
        """As `text`, for one that says what went wrong: also without short values, and without the
        beginnings of those that a library cut short."""
        text = self.text(text)
        for spelling in self._in_failures:
            if spelling in text:
                text = text.replace(spelling, MASK)
        return text

    def json(self, value: Json) -> Json:
        """The JSON value without them in its strings and names. Recurses as deep as the value."""
        match value:
            case str():
                return self.text(value)
            case list() | tuple():
                return [self.json(item) for item in value]
            case dict():
                return {self.text(name): self.json(item) for name, item in value.items()}
            case _:
                return value

    def _settle(self) -> tuple[str, ...]:
        if self._texts is None:
            long = {one: spelled for one, spelled in self._spelled.items() if len(one) >= SHORTEST_SECRET}
            found = {spelling for spelled in long.values() for spelling in spelled}
            short = {one for one in self._spelled if one not in long}
            begun = {one[:_TELLING] for one in long if len(one) > _TELLING}
            self._in_failures = tuple(sorted(short | begun, key=len, reverse=True))
            self._bodies = tuple(spelling.encode("utf-8", "surrogatepass") for spelling in found)
            self._texts = tuple(sorted(found, key=len, reverse=True))
        return self._texts


KNOWN = KnownSecrets()
"""The one of this process."""


def _is_secret(value: str) -> bool:
    if len(value) < _SHORTEST_IN_FAILURES or value.casefold() in _DUMMIES:
        return False
    if value.isdecimal():
        return len(value) >= SHORTEST_SECRET
    return _PLAIN_WORD.fullmatch(value) is None


def _spelled(value: str) -> tuple[str, ...]:
    """Its spellings, and each as it stands in JSON: texts are looked through as they are encoded."""
    spelled = spellings_of(value)
    in_json = {json.dumps(one, ensure_ascii=False)[1:-1] for one in spelled}
    return tuple(one for one in spelled | in_json if len(one) >= min(len(value), SHORTEST_SECRET))


def _parts(value: str) -> Iterator[str]:
    value = value.strip()
    if not value:
        return
    yield value
    lines = [line.strip() for line in value.splitlines()]
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= _SHORTEST_INNER and not line.startswith("-----"))
    if value[0] in "{[":
        yield from _texts_in(value)
    elif "://" in value:
        yield from passwords_in(value)
    elif len(lines) == 1 and value.count(":") == 1:
        yield value.partition(":")[2]
    elif "," in value:
        yield from (one for one in map(str.strip, value.split(",")) if len(one) >= SHORTEST_SECRET)


def _texts_in(value: str) -> Iterable[str]:
    try:
        decoded = json.loads(value)
    except (ValueError, RecursionError):
        return
    todo: list[Json] = [decoded]
    while todo:
        match todo.pop():
            case dict() as members:
                todo += members.values()
            case list() as items:
                todo += items
            case str() as text if len(text) >= _SHORTEST_INNER and _looks_random(text):
                yield text
            case _:
                pass


def _looks_random(text: str) -> bool:
    """Not a scope, an address, or the name of a grant: these stand beside tokens."""
    return any(sign.isdigit() for sign in text) and not any(sign in text for sign in (" ", "://"))


def passwords_in(addresses: str) -> Iterator[str]:
    """The passwords of addresses, separated by commas, as they stand there and decoded."""
    for address in addresses.split(","):
        try:
            password = urlsplit(address.strip()).password
        except ValueError:
            continue
        if password:
            yield password
            yield unquote(password)
