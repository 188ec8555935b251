"""Foreign servers of tools (MCP), as an agent has them."""

from typing import Annotated, Any

import msgspec

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import Current, Page, RequestBody, ResponseBody
from agent_contracts.entities.mcp_servers import LONGEST_TIMEOUT_S, MOST_TOOLS, TIMEOUT_S, Http, Stdio
from agent_contracts.timestamp import Timestamp


class McpLoginBegun(ResponseBody, frozen=True, kw_only=True):
    """Where a person logs in to an MCP server."""

    url: str
    """Address of the page to open. Empty: there is no page, Foldline is logged in."""
    issuer: str
    """The authorization server whose page it is."""


class McpLoginEnded(ResponseBody, frozen=True, kw_only=True):
    """The login was forgotten, and its issuer was asked to revoke its tokens."""

    name: str
    """Name of the MCP server."""


class PromptArgument(ResponseBody, frozen=True, kw_only=True):
    """An argument of a prompt. It is given as text."""

    name: str
    """Its name, as the server has it."""
    description: str = ""
    """What to fill in, in the server's words."""
    required: bool = False
    """Whether it must be given."""


class McpPrompt(ResponseBody, frozen=True, kw_only=True):
    """A prompt of an MCP server, in the server's words. Characters that can't be seen are spelled out, as in
    `\\u200b`."""

    server: str
    """Name of the server, as the agent has it."""
    name: str
    """The prompt's name at the server."""
    title: str
    """What people call it; empty: the server doesn't say."""
    description: str
    """What it is for; empty: the server doesn't say."""
    arguments: list[PromptArgument]
    """What can be filled in."""


class SilentServer(ResponseBody, frozen=True, kw_only=True):
    """A server that could not be asked."""

    server: str
    """Name of the server, as the agent has it."""
    why: str
    """Why it could not be asked, in words."""


class FlawedList(ResponseBody, frozen=True, kw_only=True):
    """A server in whose list something is missing or can't be used."""

    server: str
    """Name of the server, as the agent has it."""
    what: str
    """What is wrong, in words."""


class McpPrompts(Page[McpPrompt], frozen=True, kw_only=True):
    """The prompts of the agent's MCP servers, by server, in its order."""

    silent: list[SilentServer]
    """Servers that could not be asked now."""
    flaws: list[FlawedList]
    """What can't be used in the lists of the others."""


class McpStateView(ResponseBody, frozen=True, kw_only=True):
    """The state of the connection with an MCP server."""

    state: str
    """`connected`; `changed`: what it offers waits for a person's approval; `error`; `needs_login`; `closed`:
    it is opened when needed."""
    changed_at: Timestamp
    """Since when the connection is in this state."""
    error: str = ""
    """Why the server can't be used; empty: it can."""
    stderr: str = ""
    """The end of what the program printed to standard error."""
    protocol: str = ""
    """The version of MCP that is spoken; empty: not connected yet."""
    tools: int = 0
    """Number of tools that it lists."""
    resources: bool = False
    """Whether it has resources."""
    prompts: bool = False
    """Whether it has prompts."""
    confined: tuple[str, ...] = ()
    """Names of the mechanisms that confine the program, such as `landlock`."""
    lacks: tuple[str, ...] = ()
    """Mechanisms that this system can't provide."""
    needs: str = ""
    """What a person would have to allow first: `unconfined` or `private`; empty: nothing."""
    login: str = ""
    """The authorization server at which a person logged in; empty: nobody did."""
    flaws: tuple[str, ...] = ()
    """What can't be used in the server's list, each with the reason."""


class McpAppPage(ResponseBody, frozen=True, kw_only=True):
    """The page of an app."""

    sha256: str
    size: int
    listed_at: Timestamp
    """When the page was read."""


class McpDefinition(ResponseBody, frozen=True, kw_only=True):
    """What an MCP server says of a tool. Characters that can't be seen, or look like others, are spelled
    out, as in `\\u200b`."""

    title: str
    """What people call the tool; empty: the server doesn't say."""
    description: str
    """What models read about it."""
    parameters: str
    """JSON Schema of its arguments, as text."""
    hints: dict[str, bool]
    """What the server claims about its effects, such as `readOnlyHint`. Nothing here relies on them."""
    app: str = ""
    """Address (`ui://…`) of the page that shows its results; empty: it has none."""
    page: McpAppPage | None = None
    """The page at that address when the tools were listed; null: none."""
    for_apps_only: bool = False
    """The tool is never offered to models."""
    for_models_only: bool = False
    """Apps can't call the tool."""


class McpToolOfServer(ResponseBody, frozen=True, kw_only=True):
    """A tool of an MCP server."""

    name: str
    """The server's name for it."""
    offered_as: str
    """The name by which models call it."""
    standing: str
    """`offered`, or why it isn't: `new`, `changed`, `renamed` (the server seems to have renamed it or
    itself), or `flawed`."""
    read_only: bool
    """Whether a person said that it changes nothing."""
    now: McpDefinition
    """How the server describes it now."""
    before: McpDefinition | None = None
    """How it was when a person accepted it; null: the same, or no longer known."""
    flaw: str = ""
    """Why it can't be used; empty: it can."""


class McpToolsOfServer(Page[McpToolOfServer], frozen=True, kw_only=True):
    """The tools of an MCP server by name, as the server listed them last."""

    version: int | None
    """Version of the list, to accept it by. Null: the server never listed any tools."""
    gone: list[str]
    """Names of accepted tools that the server no longer has."""
    left_out: int = 0
    """Number of tools beyond the limit."""
    incomplete: str = ""
    """Why the server may have more tools than it listed; empty: it hasn't."""
    calls_itself: str = ""
    """The name by which the server introduces itself now."""
    known_as: str = ""
    """The name by which it introduced itself when its tools were accepted; empty: none were."""


class McpServerOfAgent(VersionRecord, frozen=True, kw_only=True):
    """An MCP server that an agent uses."""

    name: str
    """The agent's name for it."""
    transport: Stdio | Http
    """How to reach it: a program to run, or an address."""
    enabled: bool
    """Whether the agent uses it."""
    timeout_s: float
    """Seconds that one call of its tools may take."""
    accepted: int = 0
    """Number of its tools that a person accepted."""
    unconfined: bool = False
    """A person allowed its program to run where this system can't confine it."""
    private: bool = False
    """A person allowed its address to be on this network."""
    sampling: bool = False
    """A person allowed it to ask models in the middle of a call, which the session pays for."""
    status: McpStateView | None = None
    """The state of the connection; null: nobody is connected with it."""


class ImportedMcpServers(Page[McpServerOfAgent], frozen=True, kw_only=True):
    """The servers as they are stored now."""

    left_out: list[str]
    """Members of the import that mean nothing here, as `server.member`."""


class WriteMcpServer(RequestBody, frozen=True, kw_only=True):
    """A whole MCP server from now on. `{{secret:NAME}}` stands for a secret in values of `env` and `headers`
    and as `client_secret`."""

    transport: Stdio | Http
    """How to reach it: a program to run, or an address."""
    enabled: bool = True
    """Whether the agent uses it."""
    timeout_s: Annotated[float, msgspec.Meta(ge=1, le=LONGEST_TIMEOUT_S)] = TIMEOUT_S
    """Seconds that one call of its tools may take."""
    sampling: bool = False
    """Allow it to ask models in the middle of a call, which the session pays for."""
    version: Current = None


class AcceptMcpTools(RequestBody, frozen=True, kw_only=True):
    """Which tools of an MCP server the agent is offered from now on."""

    version: Annotated[int, msgspec.Meta(ge=1)]
    """Version of the list that you looked at."""
    accept: Annotated[list[str], msgspec.Meta(max_length=MOST_TOOLS)] | None = None
    """Names of the tools to offer as they are there. Null: all that can be used."""
    refuse: Annotated[list[str], msgspec.Meta(max_length=MOST_TOOLS)] = msgspec.field(default_factory=list)
    """Names of the tools to offer no longer."""
    read_only: Annotated[dict[str, bool], msgspec.Meta(max_length=MOST_TOOLS)] = msgspec.field(
        default_factory=dict
    )
    """By tool name: true if the tool changes nothing, so that it runs without approval."""


class AllowMcpServer(RequestBody, frozen=True, kw_only=True):
    """What a person allows an MCP server. Null leaves it as it is."""

    unconfined: bool | None = None
    """Run its program although this system can't keep it from Foldline's files."""
    private: bool | None = None
    """Allow an address on this network."""
    sampling: bool | None = None
    """Let it ask models in the middle of a call, which the session pays for."""


class ImportMcpServers(RequestBody, frozen=True, kw_only=True):
    """Servers from the configuration of another program. All are imported, or none."""

    mcpServers: Annotated[dict[str, dict[str, Any]], msgspec.Meta(min_length=1, max_length=100)]
    """By name: `{"command", "args"?, "env"?, "cwd"?}` or `{"url", "headers"?, "type"?}`, with `disabled` and
    `sampling`, as other programs store it."""
    replace: bool = False
    """Replace servers of the same names."""
