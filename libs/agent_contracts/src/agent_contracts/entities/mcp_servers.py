"""Foreign servers of tools (MCP) that an agent may use: entities that only people write."""

from typing import Annotated, Literal

import msgspec

SERVER_NAME = r"^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,31}$"
"""What a server may be called: its tools are called `<server>__<tool>`, so no name holds two underlines."""
MOST_SERVERS = 20
"""Of one agent."""
TIMEOUT_S = 30.0
LONGEST_TIMEOUT_S = 600.0
MOST_ARGUMENTS = 100
MOST_VARIABLES = 50
"""Of one server's environment, or headers."""
MOST_TOOLS = 512
"""Of one server."""
LONGEST_NAME = 200
"""Characters of what a server or a tool calls itself."""
LONGEST_TEXT = 4_000
"""Characters of a command, an argument, an address, or the value of a variable or header."""

_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_TEXT)]
_Value = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
_Named = Annotated[dict[str, _Value], msgspec.Meta(max_length=MOST_VARIABLES)]


class _Transport(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="kind"
):
    """How a server is spoken with."""


class Stdio(_Transport, frozen=True, tag="stdio"):
    """A program that speaks MCP on its standard input and output."""

    command: _Text
    """The program to run."""
    args: Annotated[tuple[_Value, ...], msgspec.Meta(max_length=MOST_ARGUMENTS)] = ()
    """The program's arguments, in order."""
    env: _Named = {}
    """Its whole environment. `{{secret:NAME}}` in a value stands for a secret."""
    cwd: _Text | None = None
    """The folder to run it in. Null: a folder of its own."""


class Http(_Transport, frozen=True, tag="http"):
    """A server at an address (streamable HTTP)."""

    url: _Text
    """The server's address."""
    headers: _Named = {}
    """Headers of each request. `{{secret:NAME}}` in a value stands for a secret."""
    client_id: _Value = ""
    """The OAuth client id that a person registered, where the authorization server doesn't register clients
    automatically. Empty: none."""
    client_secret: _Value = ""
    """The secret of that client id: `{{secret:NAME}}`. Empty: none."""
    grant: Literal["authorization_code", "client_credentials"] = "authorization_code"
    """`authorization_code`: a person logs in on a page. `client_credentials`: the client secret is enough,
    and the server knows only a program."""


class AcceptedTool(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A tool as a person accepted it."""

    hash: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
    """SHA-256 of its definition when it was accepted."""
    version: Annotated[int, msgspec.Meta(ge=1)]
    """Version of the server's `mcp_tools` in which the definition stood."""
    read_only: bool = False
    """The person says that it changes nothing."""


class McpServer(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The value of the entity. A call may take `timeout_s` seconds.

    Of its tools only the `accepted` are offered, as they were accepted, as long as the server calls itself
    what it did then (`known_as`). A person allows that a program runs `unconfined` where this system can't
    confine it, that an address is a `private` one, and by `sampling` that the server has models asked in the
    middle of a call, which the session pays for.
    """

    transport: Stdio | Http
    enabled: bool = True
    timeout_s: Annotated[float, msgspec.Meta(ge=1, le=LONGEST_TIMEOUT_S)] = TIMEOUT_S
    accepted: Annotated[dict[str, AcceptedTool], msgspec.Meta(max_length=MOST_TOOLS)] = {}
    known_as: Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)] = ""
    unconfined: bool = False
    private: bool = False
    sampling: bool = False
