"""`foldline mcp`: the foreign servers of tools that an agent may use."""

import json
from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import quote

import typer

from agent_contracts.api.mcp import McpServerOfAgent, McpToolsOfServer, WriteMcpServer
from agent_contracts.api.wire import Page
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.mcp_servers import TIMEOUT_S, Stdio
from agent_contracts.errors import Rejected
from foldline.cli.agents.mcp_login import log_in
from foldline.cli.agents.mcp_tools import McpAcceptance, show_state, show_tools
from foldline.cli.agents.thing_client import ThingClient, ThingCommand
from foldline.cli.client import gateway
from foldline.cli.output import JsonOption, done, failures_shown, print_json
from foldline.cli.streams import written_text

_SERVER = ThingCommand("server", "mcp-servers", "mcp", "removed", "deleted")
_HOW = " Add one: foldline mcp add NAME --command PROGRAM, or --url ADDRESS"


class McpAction(StrEnum):
    """The action to take."""

    LIST = "list"
    ADD = "add"
    ENABLE = "enable"
    DISABLE = "disable"
    REVERT = "revert"
    REMOVE = "remove"
    IMPORT = "import"
    SERVE = "serve"
    TEST = "test"
    TOOLS = "tools"
    ACCEPT = "accept"
    ALLOW = "allow"
    LOGIN = "login"
    LOGOUT = "logout"


def mcp(
    action: Annotated[McpAction, typer.Argument(help="The action to take.")] = McpAction.LIST,
    name: Annotated[
        str | None, typer.Argument(help="The server's name. import: a file with mcpServers (- is stdin).")
    ] = None,
    command: Annotated[
        str | None, typer.Option(help="The program to start; it speaks MCP over stdin and stdout.")
    ] = None,
    arg: Annotated[list[str] | None, typer.Option(help="An argument of the program. Repeatable.")] = None,
    env: Annotated[
        list[str] | None, typer.Option(help="Set NAME=VALUE in its environment. Repeatable.")
    ] = None,
    cwd: Annotated[str | None, typer.Option(help="The program's working folder.")] = None,
    url: Annotated[str | None, typer.Option(help="The address of a server (streamable HTTP).")] = None,
    header: Annotated[
        list[str] | None, typer.Option(help="Send NAME: VALUE with each request. Repeatable.")
    ] = None,
    client_id: Annotated[
        str, typer.Option(help="The OAuth client id that you registered at the server.")
    ] = "",
    client_secret: Annotated[str, typer.Option(help="The client's secret, as {{secret:NAME}}.")] = "",
    grant: Annotated[
        str, typer.Option(help="client_credentials: log in with these two, without a login page.")
    ] = "",
    timeout: Annotated[float, typer.Option(help="Longest time for a tool call, in seconds.")] = TIMEOUT_S,
    version: Annotated[int | None, typer.Option(help="revert: the version to restore.")] = None,
    replace: Annotated[bool, typer.Option(help="add, import: replace a server of the same name.")] = False,
    tool: Annotated[list[str] | None, typer.Option(help="accept: only this tool. Repeatable.")] = None,
    read_only: Annotated[
        list[str] | None, typer.Option(help="accept: mark this tool as read-only. Repeatable.")
    ] = None,
    yes: Annotated[bool, typer.Option(help="accept: skip the confirmation.")] = False,
    unconfined: Annotated[
        bool, typer.Option(help="allow: run the server even where it can't be sandboxed.")
    ] = False,
    private: Annotated[bool, typer.Option(help="allow: permit an address in your private network.")] = False,
    sampling: Annotated[
        bool | None,
        typer.Option(help="add, allow: let the server ask models at the session's expense."),
    ] = None,
    agent: Annotated[str, typer.Option(help="The agent.")] = DEFAULT_AGENT,
    as_json: JsonOption = False,
) -> None:
    """Manage an agent's MCP servers: add, test, disable or remove them, log in, and accept their tools.

    Agents can't do this. In --env and --header, write {{secret:NAME}} for a secret. `serve` does the reverse:
    it lets a program use an agent over stdin and stdout, with a program token in FOLDLINE_MCP_TOKEN.
    """
    if action is McpAction.SERVE:
        # A heavy dependency that the other actions don't need.
        from foldline.cli.agents.mcp_stdio import serve_stdio

        with failures_shown():
            serve_stdio()
        return
    with failures_shown(), gateway() as door:
        kept = ThingClient(door, agent, _SERVER)
        if action is McpAction.LIST:
            found = kept.read(Page[McpServerOfAgent]).items
            kept.list(found, ("server", "what", "state", "tools", "version"), _row, as_json, _HOW)
            return
        if action is McpAction.IMPORT:
            told = door.post(f"{kept.path}:import", {**_entries(name), "replace": replace})
            if as_json:
                print_json(told)
                return
            done(told, f"Kept: {', '.join(one['name'] for one in told['items'])}", as_json=False)
            for member in told["left_out"]:
                typer.echo(f"Left out, since it means nothing here: {member}")
            return
        name = kept.named(name, action)
        path = f"{kept.path}/{quote(name, safe='')}"
        match action:
            case McpAction.REMOVE:
                kept.remove(name, as_json)
            case McpAction.TEST:
                show_state(name, door.post(f"{path}:test", {}), as_json)
            case McpAction.TOOLS:
                show_tools(door.read(f"{path}/tools", McpToolsOfServer), as_json)
            case McpAction.ACCEPT:
                accepting = McpAcceptance(door, path, name)
                _told(accepting.accepted(tool, read_only or [], asking=not yes), as_json)
            case McpAction.ALLOW:
                if not (unconfined or private or sampling is not None):
                    why = "Say --unconfined, --private, --sampling or --no-sampling"
                    raise Rejected(why, kind="invalid_request")
                allowed = {"unconfined": unconfined or None, "private": private or None, "sampling": sampling}
                _told(door.post(f"{path}:allow", allowed), as_json)
            case McpAction.LOGIN:
                log_in(door, path, name, as_json)
            case McpAction.LOGOUT:
                done(door.post(f"{path}:log-out"), f"{name}: logged out", as_json)
            case McpAction.REVERT:
                if version is None:
                    raise Rejected("Say by --version which one to go back to", kind="invalid_request")
                _told(door.post(f"{path}:revert", {"version": version}), as_json)
            case McpAction.ENABLE | McpAction.DISABLE:
                now = door.read(path, McpServerOfAgent)
                switched = WriteMcpServer(
                    transport=now.transport,
                    enabled=action is McpAction.ENABLE,
                    timeout_s=now.timeout_s,
                    sampling=now.sampling,
                    version=now.version,
                )
                _told(door.put(path, switched), as_json)
            case _:
                transport = _transport(command, arg, env, cwd, url, header)
                client = {"client_id": client_id, "client_secret": client_secret, "grant": grant}
                transport |= {name: value for name, value in client.items() if value}
                body = {"transport": transport, "timeout_s": timeout, "sampling": bool(sampling)}
                _told(door.put(path, body if replace else {**body, "version": 0}), as_json)


def _transport(
    command: str | None,
    args: list[str] | None,
    env: list[str] | None,
    cwd: str | None,
    url: str | None,
    headers: list[str] | None,
) -> dict[str, Any]:
    if (command is None) == (url is None):
        raise Rejected("Say by --command which program it is, or by --url where", kind="invalid_request")
    if command is not None and headers:
        raise Rejected("A program has no headers: use --env", kind="invalid_request")
    if url is not None and (args or env or cwd):
        raise Rejected("A server at an address takes --header alone", kind="invalid_request")
    if url is not None:
        return {"kind": "http", "url": url, "headers": _pairs(headers, ":", "--header 'NAME: VALUE'")}
    program: dict[str, Any] = {"kind": "stdio", "command": command, "args": args or []}
    program["env"] = _pairs(env, "=", "--env NAME=VALUE")
    return program if cwd is None else {**program, "cwd": cwd}


def _pairs(given: list[str] | None, between: str, usage: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for one in given or []:
        name, found, value = one.partition(between)
        if not found:
            raise Rejected(f"Write it so: {usage}", kind="invalid_request")
        pairs[name.strip()] = value.strip() if between == ":" else value
    return pairs


def _entries(file: str | None) -> dict[str, Any]:
    if file is None:
        raise Rejected("Name the file: foldline mcp import FILE", kind="invalid_request")
    try:
        value = json.loads(written_text(file))
    except ValueError as error:
        raise Rejected(f"{file} can't be read as JSON: {error}", kind="invalid_request") from error
    servers = value.get("mcpServers", value) if isinstance(value, dict) else None
    if not isinstance(servers, dict):
        raise Rejected(f'{file} holds no object "mcpServers"', kind="invalid_request")
    return {"mcpServers": servers}


def _row(one: McpServerOfAgent) -> tuple[str, ...]:
    transport = one.transport
    program = (transport.command, *transport.args) if isinstance(transport, Stdio) else (transport.url,)
    return one.name, " ".join(program), _state_of(one), str(one.accepted), str(one.version)


def _state_of(one: McpServerOfAgent) -> str:
    if not one.enabled:
        return "disabled"
    if one.status is None or one.status.state == "closed":
        return "not connected"
    if one.status.state == "error":
        return f"error: {one.status.error}"
    if one.status.state == "changed":
        return "changed: look at `foldline mcp tools`"
    return one.status.state.replace("_", " ")


def _told(written: dict[str, Any], as_json: bool) -> None:
    state = "enabled" if written["enabled"] else "disabled"
    done(written, f"{written['name']} is kept, {state}: version {written['version']}", as_json)
