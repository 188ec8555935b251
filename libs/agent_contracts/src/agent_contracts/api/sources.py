"""Where material from outside came from."""

from agent_contracts.api.wire import ResponseBody
from agent_contracts.outside import SourceKind


class ProvenanceSource(ResponseBody, frozen=True, kw_only=True):
    """A source of material from outside: `name` is a host, a file's path, a service's, a tool's, a page's;
    empty where these are several of that kind. It came `count` times: first by event `at` of `session` (null:
    not of this log, or of no session), lastly by event `last`."""

    kind: SourceKind
    name: str
    at: str | None
    session: str | None
    count: int
    last: str | None
