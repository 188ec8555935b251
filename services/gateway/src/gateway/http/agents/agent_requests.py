"""What the API takes about agents, their texts, state, databases and functions."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from agent_contracts.entities.mcp_servers import LONGEST_TIMEOUT_S, MOST_TOOLS, TIMEOUT_S
from agent_contracts.policies import MOST_RULES
from agent_domain.text_edits import Operation, TextEdit, check_size
from gateway.http.wire.request import Current, Id, Number, Request
from gateway.operations.agents.agents import MAX_NAME


def _whole_text(value: str) -> str:
    check_size(value)
    return value


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=r"\S")]
WholeText = Annotated[
    str, AfterValidator(_whole_text), Field(description="at most 1 MiB of UTF-8; may be empty")
]


class CreateAgent(Request):
    """A new agent. Without an `id` it gets one; without a `prompt`, the built-in one; unless `starters` is
    false, tools, a page and a skill that are its own from then on."""

    name: Name
    id: Id | None = None
    prompt: WholeText | None = None
    starters: bool = True


class RenameAgent(Request):
    """Another name."""

    name: Name


class WriteText(Request):
    """The whole text from now on."""

    text: WholeText
    version: Current = None


class EditText(Request):
    """One edit, as the agent's own tools make them. Texts are literal."""

    operation: Annotated[Operation, Field(strict=False)]
    content: str | None = None
    find: str | None = None
    replace: str | None = None
    replace_all: bool = False
    version: Current = None

    @property
    def edit(self) -> TextEdit:
        """What is to be done."""
        return TextEdit(self.operation, self.content, self.find, self.replace, self.replace_all)


class WriteState(Request):
    """The value from now on: any JSON, at most 1 MiB."""

    value: Any
    version: Current = None


class ChooseTools(Request):
    """The names of all tools that are chosen from now on."""

    names: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=1000)]
    version: Current = None


class ExposeTools(ChooseTools):
    """Which tools are exposed from now on, and what those are offered as that aren't tools to programs:
    `prompt`, or the address of a resource, whose variables are arguments, such as `weather://{city}`. Without
    `offered_as` that stays as it is."""

    offered_as: Annotated[dict[str, Annotated[str, Field(max_length=500)]] | None, Field(max_length=1000)] = (
        None
    )


class WriteDelegates(Request):
    """All delegates from now on: `{"name", "type": "a2a" | "openai", "url", "description"?, "secret"?,
    "model"?, "system_prompt"?}`, or `{"name", "type": "acp", "command", "description"?}`."""

    delegates: Annotated[list[dict[str, Any]], Field(max_length=1000)]
    version: Current = None


class EnablePacks(Request):
    """All packs that are enabled from now on, in their order. `settings` are by pack all that is set of it;
    a pack that isn't named there keeps its settings."""

    packs: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=1000)]
    settings: Annotated[
        dict[Annotated[str, Field(max_length=200)], dict[str, Any]], Field(max_length=100)
    ] = Field(default_factory=dict)
    version: Current = None


class WritePolicy(Request):
    """The preset, and the person's own rules, which come before it: `{"verdict": "allow" | "ask" | "deny",
    "match": {"tool"?, "family"?, "effect"?, "host"?, "method"?, "path"?, "server"?, "command"?,
    "scope"?, "after_outside"?, "known_url"?, "lasting"?, "sandbox"?, "scheme"?}, "note"?}`."""

    preset: Literal["cautious", "balanced", "free"]
    rules: Annotated[list[dict[str, Any]], Field(max_length=MOST_RULES)]
    version: Current = None


class WriteMcpServer(Request):
    """`transport` is `{"kind": "stdio", "command", "args"?, "env"?, "cwd"?}` or `{"kind": "http", "url",
    "headers"?, "client_id"?, "client_secret"?, "grant"?}`. In a value of `env` or `headers`, and as
    `client_secret`, `{{secret:NAME}}` stands for a secret. By the `grant` `client_credentials` a program logs
    in by these alone, without a page. A call may take `timeout_s` seconds. With `sampling` the server may
    have a model asked in the middle of a call, which the session pays for."""

    transport: dict[str, Any]
    enabled: bool = True
    timeout_s: Annotated[float, Field(ge=1, le=LONGEST_TIMEOUT_S, strict=False)] = TIMEOUT_S
    sampling: bool = False
    version: Current = None


class AcceptMcpTools(Request):
    """`version` is that of the list that was looked at. `accept` are the tools to offer as they are there
    (null: all that can be used), `refuse` those to offer no more. `read_only` says by name whether a tool
    changes nothing: then it runs without being asked for."""

    version: Annotated[int, Field(ge=1)]
    accept: Annotated[list[str], Field(max_length=MOST_TOOLS)] | None = None
    refuse: Annotated[list[str], Field(max_length=MOST_TOOLS, default_factory=list)]
    read_only: Annotated[dict[str, bool], Field(max_length=MOST_TOOLS, default_factory=dict)]


class AllowMcpServer(Request):
    """What a person allows of one server; null leaves it as it is. `unconfined`: its program runs although
    this system can't keep it from Foldline's files. `private`: its address may be one of this network.
    `sampling`: see `WriteMcpServer`."""

    unconfined: bool | None = None
    private: bool | None = None
    sampling: bool | None = None


class ImportMcpServers(Request):
    """`mcpServers` as other programs keep it, by name: `{"command", "args"?, "env"?, "cwd"?}` or `{"url",
    "headers"?, "type"?}`, `disabled`, and `sampling` (see `WriteMcpServer`). All are kept, or none."""

    mcpServers: Annotated[dict[str, dict[str, Any]], Field(min_length=1, max_length=100)]
    replace: Annotated[bool, Field(description="take the place of servers of the same names")] = False


class QueryDatabase(Request):
    """One SQLite statement that reads, values for its `?`, and the event as of which it is run (else now).

    Of its rows, `rows` after the first `skip`; of each value, the first `cell` characters (bytes of a blob).
    """

    sql: str
    params: Annotated[list[Any], Field(default_factory=list)]
    at: Number | None = None
    skip: Annotated[int, Field(ge=0, le=10**9)] = 0
    rows: Annotated[int | None, Field(ge=1, le=1000)] = None
    cell: Annotated[int | None, Field(ge=1, le=1024 * 1024)] = None


class CallFunction(Request):
    """What to call it with: an object that fits its schema."""

    arguments: dict[str, Any] = Field(default_factory=dict)


class InvokeFunction(CallFunction):
    """`allow`: what the person before the page said yes to, as `asked.covers` of the problem
    `approval_needed` says it: for this call, or `always`, which writes the policy."""

    allow: dict[str, Any] | None = None
    always: bool = False
