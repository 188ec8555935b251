"""Where material from outside came from, as people look at it."""

from collections.abc import Sequence

import msgspec

from agent_contracts.outside import Source, SourceKind
from gateway.queries.view import View


class OutsideSource(View):
    """A source of material from outside: `name` is a host, a file's path, a service's, a tool's, a page's;
    empty where these are several of that kind. It came `count` times: first by event `at` of `session` (null:
    not of this log, or of no session), lastly by event `last`."""

    kind: SourceKind
    name: str
    at: str | None
    session: str | None
    count: int
    last: str | None


def sources(of: Sequence[Source]) -> list[OutsideSource]:
    """These, for people."""
    return [OutsideSource.model_validate(msgspec.structs.asdict(one)) for one in of]


def stored_sources(stored: object) -> list[OutsideSource]:
    """Those that a column holds."""
    return sources(msgspec.convert(stored or [], tuple[Source, ...]))
