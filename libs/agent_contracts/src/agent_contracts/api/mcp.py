"""Foreign servers of tools (MCP), as an agent has them."""

from typing import Annotated, Any

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, Page, RequestBody, ResponseBody
from agent_contracts.entities.mcp_servers import LONGEST_TIMEOUT_S, MOST_TOOLS, TIMEOUT_S, Http, Stdio
from agent_contracts.timestamp import Timestamp


class McpLoginBegun(ResponseBody, frozen=True, kw_only=True):
    """Where the person logs in: `url` is the whole address of the page, `issuer` whose page it is. Without
    a `url` there is no page: the program is logged in."""

    url: str
    issuer: str


class McpLoginEnded(ResponseBody, frozen=True, kw_only=True):
    """The login was forgotten, and its issuer asked to make its tokens worthless."""

    name: str


class PromptArgument(ResponseBody, frozen=True, kw_only=True):
    """What a prompt is given, as text."""

    name: str
    description: str = ""
    required: bool = False


class McpPrompt(ResponseBody, frozen=True, kw_only=True):
    """One prompt, in its server's words. All that can't be seen in them is spelled out, as in `\\u200b`."""

    server: str
    name: str
    title: str
    description: str
    arguments: list[PromptArgument]


class SilentServer(ResponseBody, frozen=True, kw_only=True):
    """A server that told nothing now, and why."""

    server: str
    why: str


class FlawedList(ResponseBody, frozen=True, kw_only=True):
    """A server in whose list something can't be used, or is missing, and what."""

    server: str
    what: str


class McpPrompts(Page[McpPrompt], frozen=True, kw_only=True):
    """By server, in its order. `silent` are servers that could not be asked, and `flaws` what of the others
    can't be used."""

    silent: list[SilentServer]
    flaws: list[FlawedList]


class McpStateView(ResponseBody, frozen=True, kw_only=True):
    """How the connection with it is: `connected`, `changed` (what it offers waits for a person), `error`,
    `needs_login`, or `closed` (it is opened when it is needed). `error` says why it can't be used, `stderr`
    is the end of what the program said. `confined` is what holds the program, `lacks` what of that this
    system can't do; `needs` is what a person would have to allow first, `login`
    the authorization server at which one logged in. `flaws` name what of its list can't be used, and why."""

    state: str
    changed_at: Timestamp
    error: str = ""
    stderr: str = ""
    protocol: str = ""
    tools: int = 0
    resources: bool = False
    prompts: bool = False
    confined: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    needs: str = ""
    login: str = ""
    flaws: tuple[str, ...] = ()


class McpAppPage(ResponseBody, frozen=True, kw_only=True):
    """The page of an app: the hash of its bytes, how many they are, and when the list with it was kept."""

    sha256: str
    size: int
    listed_at: Timestamp


class McpDefinition(ResponseBody, frozen=True, kw_only=True):
    """What a server says of a tool. All that can't be seen, or looks like something else, is spelled out, as
    in `\\u200b`. `app` is the address of the page that shows its results, and `page` what stood there. A tool
    `for_apps_only` is never offered to the agent, one `for_models_only` not to apps."""

    title: str
    description: str
    parameters: str
    hints: dict[str, bool]
    app: str = ""
    page: McpAppPage | None = None
    for_apps_only: bool = False
    for_models_only: bool = False


class McpToolOfServer(ResponseBody, frozen=True, kw_only=True):
    """One tool. `standing`: `offered`, or why it isn't: it is `new`, it has `changed`, its server seems to
    have `renamed` it or itself, or its definition is `flawed` (`flaw` says how). `before` is how it was
    accepted, where that is something else and is still known. The server's `hints` are its claims."""

    name: str
    offered_as: str
    standing: str
    read_only: bool
    now: McpDefinition
    before: McpDefinition | None = None
    flaw: str = ""


class McpToolsOfServer(Page[McpToolOfServer], frozen=True, kw_only=True):
    """By name, as the server listed them last; `version` is that of this list, null where it never listed
    any. `gone` were accepted and are there no more, `left_out` are too many, and `incomplete` says why the
    server may have more (empty: it hasn't). The server calls itself `calls_itself`, and was `known_as`."""

    version: int | None
    gone: list[str]
    left_out: int = 0
    incomplete: str = ""
    calls_itself: str = ""
    known_as: str = ""


class McpServerOfAgent(VersionRecord, frozen=True, kw_only=True):
    """One server. A call of a tool of it may take `timeout_s` seconds. `accepted` counts the tools that a
    person accepted; `unconfined`, `private` and `sampling` are what one allowed. `status` is how it is now;
    null: nobody is connected with it."""

    name: str
    transport: Stdio | Http
    enabled: bool
    timeout_s: float
    accepted: int = 0
    unconfined: bool = False
    private: bool = False
    sampling: bool = False
    status: McpStateView | None = None


class ImportedMcpServers(Page[McpServerOfAgent], frozen=True, kw_only=True):
    """The servers as they are kept now, and what of the import means nothing here, as `server.member`."""

    left_out: list[str]


class WriteMcpServer(RequestBody, frozen=True, kw_only=True):
    """In a value of `env` or `headers`, and as `client_secret`, `{{secret:NAME}}` stands for a secret. A call
    may take `timeout_s` seconds. With `sampling` the server may have a model asked in the middle of a call,
    which the session pays for."""

    transport: Stdio | Http
    enabled: bool = True
    timeout_s: Annotated[float, msgspec.Meta(ge=1, le=LONGEST_TIMEOUT_S)] = TIMEOUT_S
    sampling: bool = False
    version: Current = None


class AcceptMcpTools(RequestBody, frozen=True, kw_only=True):
    """`version` is that of the list that was looked at. `accept` are the tools to offer as they are there
    (null: all that can be used), `refuse` those to offer no more. `read_only` says by name whether a tool
    changes nothing: then it runs without being asked for."""

    version: Annotated[int, msgspec.Meta(ge=1)]
    accept: Annotated[list[str], msgspec.Meta(max_length=MOST_TOOLS)] | None = None
    refuse: Annotated[list[str], msgspec.Meta(max_length=MOST_TOOLS)] = msgspec.field(default_factory=list)
    read_only: Annotated[dict[str, bool], msgspec.Meta(max_length=MOST_TOOLS)] = msgspec.field(
        default_factory=dict
    )


class AllowMcpServer(RequestBody, frozen=True, kw_only=True):
    """What a person allows of one server; null leaves it as it is. `unconfined`: its program runs although
    this system can't keep it from Foldline's files. `private`: its address may be one of this network.
    `sampling`: see `WriteMcpServer`."""

    unconfined: bool | None = None
    private: bool | None = None
    sampling: bool | None = None


class ImportMcpServers(RequestBody, frozen=True, kw_only=True):
    """`mcpServers` as other programs keep it, by name: `{"command", "args"?, "env"?, "cwd"?}` or `{"url",
    "headers"?, "type"?}`, `disabled`, and `sampling` (see `WriteMcpServer`). All are kept, or none."""

    mcpServers: Annotated[dict[str, dict[str, Any]], msgspec.Meta(min_length=1, max_length=100)]
    replace: bool = False
    """Take the place of servers of the same names."""
