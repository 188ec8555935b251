"""Material from outside: where text came from that neither the user nor the agent wrote."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from agent_contracts.ids import SessionId

SourceKind = Literal["web", "file", "mcp", "wake", "peer", "page", "clipboard"]
"""What a source is: the net, a file that was uploaded or downloaded, a foreign server of tools, another
service, another agent, a page that the agent made, what a person pasted."""

MOST_SOURCES = 32
"""So many are told apart; of more, the first and the last half are, and the others only by kind."""
LONGEST_NAME = 120
"""Characters of a source's name."""


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where material came from. Without a name, these are several sources of that kind."""

    kind: SourceKind
    """What it is: the `web`, a `file`, an MCP server (`mcp`), a service (`wake`), another agent (`peer`), a
    `page` of the agent, or the `clipboard`."""
    name: str = ""
    """Its name, such as a host, a file's path or a service. Empty: several of that kind."""
    at: str | None = None
    """Address of the event that asked for it first. Null: the event that this stands in."""
    session: SessionId | None = None
    """Id of the session in whose events it is; null: none."""
    count: int = 1
    """How often it was read."""
    last: str | None = None
    """Address of the event that read it last; null: the first is the only one."""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others."""
        return self.kind, self.name

    @property
    def label(self) -> str:
        """As a model is told it: nothing in it can be read as a sentence, or end what it stands in."""
        return f"{self.kind} {''.join(_safe(char) for char in self.name[:_LABEL])}".strip()


Sources = tuple[Source, ...]
"""Each once, the first to come first; at most `MOST_SOURCES` and one of each kind."""

_LABEL = 60
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/:@*")


def source(kind: SourceKind, name: str = "") -> Source:
    """A source by this name, as far as a name may say: in one line, without what can't be seen."""
    seen = (" " if char.isspace() else char for char in name[: 8 * LONGEST_NAME])
    kept = "".join(char for char in seen if unicodedata.category(char)[0] != "C")
    return Source(kind, " ".join(kept.split())[:LONGEST_NAME])


def host_of(url: str) -> str | None:
    """The host that a URL names, as the net knows it (lower case, punycode); None if it names none."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    if not host:
        return None
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return host.encode("ascii", "backslashreplace").decode()


def web(url: str) -> Source:
    """The host of a URL, as a source."""
    return source("web", host_of(url) or "")


def joined(known: Sources, more: Iterable[Source]) -> Sources:
    """All of them, each once. The same from the same event counts once."""
    added = list(more)
    if not added:
        return known
    found = {one.key: one for one in known}
    for one in added:
        before = found.get(one.key)
        found[one.key] = one if before is None else _both(before, one)
    return tuple(found.values()) if len(found) <= MOST_SOURCES else _bounded(found.values())


def unknown(known: Sources, more: Sequence[Source]) -> Sources:
    """Those of `more` that add something to what is known."""
    if not more:
        return ()
    keys = {one.key for one in known}
    return tuple(one for one in more if one.key not in keys and (one.kind, "") not in keys)


def news(told: Sources, now: Sources) -> Sources | None:
    """Those of `now` that were not told, or otherwise: with them (`with_news`) what was told comes to `now`.
    None where it doesn't, or most would have to be told anew."""
    before = set(told)
    more = tuple(one for one in now if one not in before)
    return more if 2 * len(more) <= len(now) and with_news(told, more) == now else None


def with_news(told: Sources, more: Sources) -> Sources:
    """What was told, with what is new or otherwise since; of more than are told apart those are left out that
    `joined` leaves out, which says so by kind."""
    if not more:
        return told
    found = tuple({one.key: one for one in (*told, *more)}.values())
    named = [one for one in found if one.name]
    if len(named) <= MOST_SOURCES:
        return found
    half = MOST_SOURCES // 2
    return (*named[:half], *(one for one in found if not one.name), *named[-half:])


def placed(sources: Sequence[Source], at: str, session: SessionId | None) -> Sources:
    """The same, with the place of those that have none yet."""
    return tuple(
        one if one.at is not None else msgspec.structs.replace(one, at=at, session=session) for one in sources
    )


def told(sources: Sequence[Source], most: int = 3) -> str:
    """The sources in a few words, for a model."""
    words = ", ".join(one.label for one in sources[:most])
    return words if len(sources) <= most else f"{words} and {len(sources) - most} more"


def _both(before: Source, now: Source) -> Source:
    return before if now.at in (before.at, before.last) else _counted(before, now)


def _counted(before: Source, now: Source) -> Source:
    return msgspec.structs.replace(
        before, count=before.count + now.count, last=now.last or now.at or before.last
    )


def _bounded(sources: Iterable[Source]) -> Sources:
    named = [one for one in sources if one.name]
    several = {one.kind: one for one in sources if not one.name}
    half = MOST_SOURCES // 2
    for one in named[half:-half]:
        before = several.get(one.kind)
        more = msgspec.structs.replace(one, name="")
        several[one.kind] = more if before is None else _counted(before, more)
    return (*named[:half], *several.values(), *named[-half:]) if len(named) > MOST_SOURCES else tuple(sources)


def _safe(char: str) -> str:
    return char if char in _PLAIN else "_"
