"""What a policy judges: a tool's call, or a request that leaves, by what rules can speak of. Pure."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import msgspec

from agent_contracts.extensions import put_aside
from agent_contracts.json_value import Json
from agent_contracts.outside import Sources
from agent_contracts.policies import ADDED_CONDITIONS, LONGEST_PATTERN, LONGEST_SHOWN, Grant, Match
from agent_contracts.tool_spec import CoreTool, Effect, LastingEffect, RunsOn, ToolSpec
from agent_domain.policies.patterns import literal

_RUN = ("command", "code", "input", "task", "query")
WORKSPACE = "workspace"
"""The family of the core tools that run commands."""
READING = frozenset(("GET", "HEAD"))
"""Methods of requests that only read. What a URL itself carries out is another matter: see ADR 0086."""


_PORTS = {"http": 80, "https": 443}


class WebOrigin(msgspec.Struct, frozen=True):
    """Where a request goes: `scheme` is http or https (a WebSocket is what it begins as)."""

    scheme: str
    host: str
    port: int

    @property
    def is_usual(self) -> bool:
        """Whether the port is the scheme's own."""
        return _PORTS.get(self.scheme) == self.port

    @property
    def place(self) -> str:
        """Host and port, as rules name them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class PolicyRequest(msgspec.Struct, frozen=True):
    """A call, or a request of its code; None where a part has no meaning for it. What `Match` has too, rules
    can speak of; of the `query` none does, but people are shown it.

    `alias_of`: the core tool whose work it does. What a policy says of that holds for it, too. `always_asks`:
    see `ToolSpec`. `exact`: see `Grant`.
    `hands_over`: another agent does it, so what a person allowed of the core tool isn't for it.
    """

    tool: str
    family: str
    effect: Effect
    host: str | None = None
    method: str | None = None
    path: str | None = None
    server: str | None = None
    command: str | None = None
    scope: str | None = None
    query: str = ""
    known_url: bool = False
    alias_of: CoreTool | None = None
    always_asks: bool = False
    exact: str = ""
    lasting: bool = False
    sandbox: str | None = None
    hands_over: bool = False
    scheme: str | None = None
    port: int | None = None
    added: tuple[tuple[str, str | None], ...] = ()
    """What it says by conditions of other distributions, by their names; None: one that failed."""

    @property
    def origin(self) -> WebOrigin | None:
        """Where it goes, as far as that is known whole."""
        if not self.host or self.scheme is None or self.port is None:
            return None
        return WebOrigin(self.scheme, self.host, self.port)

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a rule can call its host: alone, and with the port."""
        if self.host is None:
            return ()
        return (self.host,) if self.origin is None else (self.host, self.origin.place)

    @property
    def as_core(self) -> "PolicyRequest":
        """The same as the core tool's."""
        if self.alias_of is None:
            return self
        return msgspec.structs.replace(self, tool=self.alias_of.name, family=self.alias_of.family)


class Context(msgspec.Struct, frozen=True):
    """Where it is asked: what people allowed in the session, and which outside material the context holds."""

    grants: tuple[Grant, ...] = ()
    outside: Sources = ()


def call_of(tool: ToolSpec, arguments: Mapping[str, Json]) -> PolicyRequest:
    """A call of a tool. Of one that takes a `url`, the `method` is GET unless the arguments say another."""
    named = named_in(tool.tool, arguments)
    command = _run_by(arguments) if tool.runs_on is RunsOn.WORKSPACE else named.command
    named = msgspec.structs.replace(named, command=command, always_asks=tool.always_asks)
    named = msgspec.structs.replace(
        named,
        lasting=tool.lasting is LastingEffect.CALL,
        sandbox=tool.sandbox or None,
        hands_over=tool.source == "peer",
    )
    if tool.fixed_host is not None:
        https = WebOrigin("https", tool.fixed_host.host, 443)
        named = _at(named, https, tool.fixed_host.method, known_url=tool.fixed_host.method in READING)
    return msgspec.structs.replace(
        named,
        family=tool.family,
        effect=tool.effect,
        alias_of=tool.alias_of,
        added=tuple(_said(tool, arguments)),
    )


def named_in(tool: str, arguments: Mapping[str, Json]) -> PolicyRequest:
    """What a call names, of a tool of which no more is known."""
    server, command, scope = (_text(arguments, name) for name in ("server", "command", "scope"))
    asked = PolicyRequest(tool, "", Effect.EXTERNAL, server=server, command=command, scope=scope)
    url = _text(arguments, "url")
    if url is None:
        return asked
    origin, path = _target(url)
    method = (_text(arguments, "method") or "GET").strip().upper()
    if isinstance(origin, str):
        return msgspec.structs.replace(asked, host=origin, method=method, path=path)
    return msgspec.structs.replace(_at(asked, origin, method), path=path)


def change_of(tool: ToolSpec, *, lasting: bool) -> PolicyRequest:
    """What a run of the tool is about to change."""
    return PolicyRequest(tool.tool, tool.family, tool.effect, alias_of=tool.alias_of, lasting=lasting)


def request_of(tool: str, family: str, method: str, to: WebOrigin, path: str) -> PolicyRequest:
    """A request that leaves in the name of a call of this tool. Without a `path` nobody sees it: no rule that
    names one fits."""
    seen, _, query = path.partition("?")
    asked = _at(PolicyRequest(tool, family, Effect.EXTERNAL, query=query), to, method.upper())
    return msgspec.structs.replace(asked, path=seen or "/") if path else asked


def where_to(asked: PolicyRequest, uri: str | None = None) -> dict[str, Json]:
    """Where a request is to go, for whoever decides on it: scheme, host, port, method, path and query, or the
    foreign server and what it is asked for. What is too long is cut, and its length said."""
    is_of_server = asked.server is not None and uri is not None
    texts = {"server": asked.server, "uri": uri} if is_of_server else {"path": asked.path}
    where: dict[str, Json] = {"host": asked.host, "method": asked.method}
    if asked.origin is not None:
        where |= {"scheme": asked.scheme, "port": asked.port}
    for name, text in {**texts, "query": asked.query or None}.items():
        if text is not None:
            where[name] = text[:LONGEST_SHOWN]
            if len(text) > LONGEST_SHOWN:
                where[f"{name}_length"] = len(text)
    return where


def covering(asked: PolicyRequest) -> Match | None:
    """What a yes for longer than once allows: the tool, and of what it names the host with its port, scheme
    and method, the foreign server, or the command.

    Not the path, nor the whole of the arguments: they differ each time. So a yes is never for other hosts.
    None where only *once* makes sense.
    """
    tool = literal(asked.tool)
    for part, named in (("host", asked.host), ("server", asked.server), ("command", asked.command)):
        if named is None:
            continue
        if not 0 < len(literal(named)) <= LONGEST_PATTERN:
            return None
        if part == "host":
            named = asked.hosts[-1] if asked.origin is not None and not asked.origin.is_usual else named
            return Match(tool=tool, host=literal(named), method=asked.method, scheme=asked.scheme)
        return msgspec.structs.replace(Match(tool=tool), **{part: literal(named)})
    return Match(tool=tool)


def every_command(asked: PolicyRequest) -> Match | None:
    """What a yes to all commands of a session allows: any command, by the tools that run some, in the same
    sandbox. None where nothing is to be run, or another agent runs it."""
    if asked.command is None or asked.hands_over or asked.as_core.family != WORKSPACE:
        return None
    sandbox = None if asked.sandbox is None else literal(asked.sandbox)
    return Match(family=WORKSPACE, command="*", sandbox=sandbox)


def _said(tool: ToolSpec, arguments: Mapping[str, Json]) -> Iterator[tuple[str, str | None]]:
    for name, condition in ADDED_CONDITIONS.items():
        try:
            value = condition.says(tool, arguments)
        except Exception as error:  # it is somebody else's code
            put_aside("condition", name, error)
            yield name, None
            continue
        if value is not None:
            yield name, str(value)


def _run_by(arguments: Mapping[str, Json]) -> str | None:
    """What runs in the workspace: a command line, a program, what is written to one that runs already, or the
    task of a coding agent."""
    texts = (_text(arguments, name) for name in _RUN)
    return next((text for text in texts if text is not None), None)


def _at(asked: PolicyRequest, to: WebOrigin, method: str, *, known_url: bool = False) -> PolicyRequest:
    host = to.host.lower()
    return msgspec.structs.replace(
        asked, host=host, method=method, scheme=to.scheme, port=to.port, known_url=known_url
    )


def _target(url: str) -> tuple[WebOrigin | str, str]:
    """Origin and path of a URL as a browser reads it; the host alone, which may be empty, of one that is none
    of the web. The way out reads it strictly, and judges again what it really is."""
    cleaned = url.strip().translate({9: None, 10: None, 13: None}).replace("\\", "/")
    try:
        parts = urlsplit(cleaned)
        host, scheme = (parts.hostname or "").rstrip(".").lower(), parts.scheme.lower()
        port = parts.port or _PORTS.get(scheme)
    except ValueError:
        return "", "/"
    if not host or port is None or scheme not in _PORTS:
        return host, parts.path or "/"
    return WebOrigin(scheme, host, port), parts.path or "/"


def _text(arguments: Mapping[str, Json], name: str) -> str | None:
    value = arguments.get(name)
    return value if isinstance(value, str) else None
