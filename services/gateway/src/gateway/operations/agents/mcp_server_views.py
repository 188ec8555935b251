"""Foreign servers of tools as people are shown them."""

import msgspec

from agent_contracts.entities.mcp_servers import Http, McpServer, Stdio
from agent_contracts.questions.mcp_states import McpState
from agent_domain.mcp.offering import escaped
from agent_platform.entities.entity import Entity
from gateway.operations.agents.written import Written, written
from gateway.queries.view import View


class StdioView(View):
    """A program on this machine. No value of `env` is a secret's: `{{secret:NAME}}` stands for it."""

    kind: str = "stdio"
    command: str
    args: list[str]
    env: dict[str, str]
    cwd: str | None


class HttpView(View):
    """A server at an address. No header holds a secret: `{{secret:NAME}}` stands for it, and so in
    `client_secret`, which goes with the `client_id` that a person registered for logins. By the `grant`
    `client_credentials` a program logs in by these alone."""

    kind: str = "http"
    url: str
    headers: dict[str, str]
    client_id: str = ""
    client_secret: str = ""
    grant: str = "authorization_code"


class McpStateView(View):
    """How the connection with it is: `connected`, `changed` (what it offers waits for a person), `error`,
    `needs_login`, or `closed` (it is opened when it is needed). `error` says why it can't be used, `stderr`
    is the end of what the program said. `confined` is what holds the program, `lacks` what of that this
    system can't do; `needs` is what a person would have to allow first, `login`
    the authorization server at which one logged in. `flaws` name what of its list can't be used, and why."""

    state: str
    since: str
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


class McpServerOfAgent(Written):
    """One server. A call of a tool of it may take `timeout_s` seconds. `accepted` counts the tools that a
    person accepted; `unconfined`, `private` and `sampling` are what one allowed. `status` is how it is now;
    null: nobody is connected with it."""

    name: str
    transport: StdioView | HttpView
    enabled: bool
    timeout_s: float
    accepted: int = 0
    unconfined: bool = False
    private: bool = False
    sampling: bool = False
    status: McpStateView | None = None


class McpServersOfAgent(View):
    """By name."""

    servers: list[McpServerOfAgent]


class ImportedMcpServers(View):
    """The servers as they are kept now, and what of the import means nothing here, as `server.member`."""

    servers: list[McpServerOfAgent]
    left_out: list[str]


def state_view(state: McpState) -> McpStateView:
    """How it is, for people; what a server said stands there with all that can't be seen spelled out."""
    return McpStateView(
        state=state.state,
        since=state.since,
        error=escaped(state.error),
        stderr=escaped(state.stderr),
        protocol=state.protocol,
        tools=state.tools,
        resources=state.resources,
        prompts=state.prompts,
        confined=state.confined,
        lacks=state.lacks,
        needs=state.needs,
        login=escaped(state.login),
        flaws=tuple(escaped(one) for one in state.flaws),
    )


def shown(entity: Entity, state: McpState | None = None) -> McpServerOfAgent:
    """One as it is kept, and how it is."""
    server = msgspec.convert(entity.value, McpServer)
    return McpServerOfAgent(
        name=entity.key.name,
        transport=_transport(server.transport),
        enabled=server.enabled,
        timeout_s=server.timeout_s,
        accepted=len(server.accepted),
        unconfined=server.unconfined,
        private=server.private,
        sampling=server.sampling,
        status=None if state is None else state_view(state),
        **written(entity),
    )


def _transport(transport: Stdio | Http) -> StdioView | HttpView:
    match transport:
        case Stdio(command=command, args=args, env=env, cwd=cwd):
            return StdioView(command=command, args=[*args], env=env, cwd=cwd)
        case Http(url=url, headers=headers, client_id=client_id, client_secret=secret, grant=grant):
            return HttpView(url=url, headers=headers, client_id=client_id, client_secret=secret, grant=grant)
