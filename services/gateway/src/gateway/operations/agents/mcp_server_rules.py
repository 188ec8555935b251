"""What can be a foreign server of tools: as people write it, and as other programs keep it."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

from agent_contracts.entities.mcp_servers import SERVER_NAME, Http, McpServer, Stdio
from agent_contracts.entities.secrets import PLACEHOLDER, SHORTEST_SECRET
from agent_contracts.errors import Rejected
from agent_contracts.flaw_places import located
from agent_contracts.json_value import Json
from agent_platform.settings.characters import (
    cleaned,
    cleaned_lines,
    flaw_in_header,
    flaw_in_lines,
    flaw_in_name,
    flaw_in_text,
)

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")
_OF_THE_TRANSPORT = frozenset(
    ("host", "connection", "content-length", "content-type", "accept", "transfer-encoding", "upgrade")
)
"""Headers that are not a person's to set; and so are those that begin with `mcp-`."""
_SECRET = re.compile(
    r"auth(?!or)|cookie|credential|passw|secret|token|(?:^|[_-]|api)key(?:$|[_-])", re.IGNORECASE
)
"""What such a variable or header holds must stand in no log, unless it is too short for a secret."""
_OF_STDIO, _OF_HTTP = frozenset(("command", "args", "env", "cwd")), frozenset(("url", "headers"))
_IS_HTTP = ("http", "streamable-http", "streamableHttp", "streamable_http")


def check_name(name: str) -> None:
    """`Rejected` for what no server can be called."""
    if not re.fullmatch(SERVER_NAME, name):
        raise refused(
            f"{name[:100]!r} can't be a server's name: it has 1 to 32 letters, digits, - and _, begins with "
            "a letter or digit, and has no two _ in a row"
        )


def cleaned_server(server: McpServer) -> McpServer:
    """The server as somebody meant it. `Rejected` says what is wrong, where, and repeats no value."""
    match server.transport:
        case Stdio() as stdio:
            cleaned_stdio = _cleaned_program(stdio)
            _check_program(cleaned_stdio)
            server = msgspec.structs.replace(server, transport=cleaned_stdio)
        case Http() as http:
            cleaned_http = _cleaned(http)
            _check_address(cleaned_http)
            server = msgspec.structs.replace(server, transport=cleaned_http)
    return server


def _cleaned_program(program: Stdio) -> Stdio:
    """Without what can't be meant, and comes by copying. Arguments stay: an invisible one is refused."""
    env = {cleaned(name): cleaned_lines(value) for name, value in program.env.items()}
    if len(env) < len(program.env):
        raise refused("A variable is there twice", "/transport/env")
    cwd = None if program.cwd is None else cleaned(program.cwd)
    return msgspec.structs.replace(program, command=cleaned(program.command), cwd=cwd, env=env)


def _cleaned(address: Http) -> Http:
    """Without what can't be meant, and comes by copying."""
    headers = {cleaned(name): cleaned(value) for name, value in address.headers.items()}
    if len(headers) < len(address.headers):
        raise refused("A header is there twice", "/transport/headers")
    return msgspec.structs.replace(
        address, url=cleaned(address.url), client_id=cleaned(address.client_id), headers=headers
    )


def imported(name: str, entry: Mapping[str, Json]) -> tuple[McpServer, list[str]]:
    """A server as an entry of another program's `mcpServers` says it, and which members of that were left
    out. `Rejected` for one that can't be used."""
    kind, url = entry.get("type"), entry.get("url", entry.get("serverUrl"))
    if kind not in (None, "stdio", *_IS_HTTP):
        raise refused(
            f"The server {name!r} is of the type {str(kind)[:50]!r}. Foldline speaks stdio and streamable "
            "HTTP: ask its maker for an address of that type"
        )
    if ("command" in entry) == (url is not None):
        raise refused(f"The server {name!r} needs a command, or a url, and not both")
    taken = _OF_STDIO if "command" in entry else _OF_HTTP
    transport: dict[str, Json] = {member: entry[member] for member in sorted(taken & entry.keys())}
    if url is not None:
        transport["url"] = url
    value: dict[str, Json] = {"transport": {"kind": "http" if url is not None else "stdio", **transport}}
    if "disabled" in entry:
        if not isinstance(entry["disabled"], bool):
            raise refused(f"`disabled` of the server {name!r} must be true or false")
        value["enabled"] = not entry["disabled"]
    if "sampling" in entry:
        value["sampling"] = entry["sampling"]
    try:
        server = cleaned_server(msgspec.convert(value, McpServer))
    except msgspec.ValidationError as error:
        message, path = located(error)
        raise refused(f"The server {name!r} can't be used. Not an MCP server: {message}", path) from error
    except Rejected as flaw:
        raise refused(f"The server {name!r} can't be used. {flaw.message}", flaw.path) from flaw
    left_out = sorted(entry.keys() - taken - {"type", "disabled", "sampling", "url", "serverUrl"})
    return server, [f"{name}.{member}"[:200] for member in left_out]


def refused(message: str, path: str | None = None) -> Rejected:
    """What was asked for can't be."""
    return Rejected(message, kind="invalid_request", path=path)


def _check_program(program: Stdio) -> None:
    if not program.command:
        raise refused("The command is empty", "/transport/command")
    for what, text in (("command", program.command), ("cwd", program.cwd or "")):
        _require(flaw_in_text(text), f"The {what}", f"/transport/{what}")
        _check_plain(text, f"/transport/{what}")
    for number, text in enumerate(program.args):
        _require(flaw_in_lines(text), f"Argument {number + 1}", f"/transport/args/{number}")
        _check_plain(text, f"/transport/args/{number}")
    if program.cwd is not None and not program.cwd.startswith("/"):
        raise refused("The folder to run in is written from the root: /srv/notes", "/transport/cwd")
    for name, value in program.env.items():
        path = f"/transport/env/{name[:128]}"
        if not _VARIABLE.fullmatch(name):
            raise refused(f"{name[:128]!r} can't be the name of a variable", path)
        _require(flaw_in_lines(value), f"The variable {name}", path)
        _check_value("variable", name, value, path)


def _check_address(address: Http) -> None:
    path = "/transport/url"
    _require(flaw_in_name(address.url), "The address", path)
    _check_plain(address.url, path)
    try:
        parts = urlsplit(address.url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise refused(f"The address can't be read: {error}", path) from error
    if parts.scheme not in ("http", "https") or not host or " " in address.url:
        raise refused("The address of a server begins with https:// or http:// and names a host", path)
    if parts.username is not None or parts.password is not None:
        raise refused("An address holds no password: put it into a header, as {{secret:NAME}}", path)
    if parts.fragment:
        raise refused("An address of a server has no part after #", path)
    _require(flaw_in_header(address.client_id), "The client_id", "/transport/client_id")
    _check_plain(address.client_id, "/transport/client_id")
    if address.client_secret and not (address.client_id and PLACEHOLDER.fullmatch(address.client_secret)):
        raise refused(
            "A client's secret is written as {{secret:NAME}}, beside its client_id",
            "/transport/client_secret",
        )
    if address.grant == "client_credentials" and not address.client_secret:
        raise refused("A program logs in by a client_id and a client_secret", "/transport/grant")
    seen = set[str]()
    for name, value in address.headers.items():
        path = f"/transport/headers/{name[:128]}"
        if not _HEADER.fullmatch(name):
            raise refused(f"{name[:128]!r} can't be the name of a header", path)
        if name.lower() in _OF_THE_TRANSPORT or name.lower().startswith("mcp-"):
            raise refused(f"The header {name} is set by Foldline itself", path)
        if name.lower() in seen:
            raise refused(f"The header {name} is there twice", path)
        seen.add(name.lower())
        _require(flaw_in_header(value), f"The header {name}", path)
        _check_value("header", name, value, path)


def _check_value(noun: str, name: str, value: str, path: str) -> None:
    rest = PLACEHOLDER.sub("", value)
    if "{{secret:" in rest:
        raise refused(f"A secret in {name} is written so: {{{{secret:NAME}}}}, in capitals", path)
    if len(value) >= SHORTEST_SECRET and _SECRET.search(name) and not PLACEHOLDER.search(value):
        raise refused(
            f"The {noun} {name} looks like a secret, and what is written here is kept in the log for ever. "
            f"Keep it as a secret (foldline secrets set NAME) and write {{{{secret:NAME}}}} here",
            path,
        )


def _check_plain(text: str, path: str) -> None:
    if "{{secret:" in text:
        raise refused("A secret may stand in a variable or a header alone, where no list shows it", path)


def _require(flaw: str | None, what: str, path: str) -> None:
    if flaw is not None:
        raise refused(f"{what} can't be this: {flaw}", path)
