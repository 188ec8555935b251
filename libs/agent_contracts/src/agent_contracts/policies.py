"""What an agent may do, asks for, and may not: an entity that only people write. And what was allowed."""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from agent_contracts.added_conditions import AddedCondition, check_condition
from agent_contracts.extensions import loaded
from agent_contracts.form_inputs import declared, inputs_of
from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect

POLICY_NAME = "policy"
"""An agent has one policy: the entity `policy` of this name."""
APPROVAL = "approval"
"""The `kind` of what a call shows that waits for a person's yes."""
MOST_RULES = 200
LONGEST_PATTERN = 500
LONGEST_SHOWN = 500
"""Characters of a path, a query or a URI that are put before a person; how long a longer one is, is said."""
LARGEST_ASKED = 64 * 1024
"""Bytes of the arguments with which code asks another tool for what needs a person's yes."""
LONGEST_REASON = 2_000
"""Characters of why a person refused."""


class Verdict(StrEnum):
    """What becomes of a call, or of a request."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


Preset = Literal["cautious", "balanced", "free"]
_Pattern = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_PATTERN)]


class AddedMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a rule says by a condition that another distribution adds."""

    condition: str
    """Name of the condition."""
    value: _Pattern
    """The pattern for what a call says of itself."""


class Match(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which calls a rule is about: those that fit all that it says. In a pattern `*` is any text.

    Each member is a condition: the page and the API show it as it is `declared` here. It holds if the member
    of `Asked` of the same name fits it (`agent_domain/policies/`).
    """

    tool: Annotated[_Pattern, declared("Tool", "Its name.", hint="fetch_url")] | None = None
    """Name of the tool, such as `fetch_url`."""
    family: Annotated[_Pattern, declared("Family of tools", hint="web")] | None = None
    """The group of tools, such as `web`."""
    effect: (
        Annotated[
            Effect,
            declared(
                "Effect",
                options={
                    Effect.PURE: "only reads what the agent has",
                    Effect.RECORDED: "changes what the agent has",
                    Effect.EXTERNAL: "acts on the outside world",
                    Effect.EXTERNAL_IDEMPOTENT: "acts on the outside world, safe to repeat",
                },
            ),
        ]
        | None
    ) = None
    """What the tool may do."""
    host: (
        Annotated[
            _Pattern,
            declared(
                "Host",
                "With or without a port, such as 127.0.0.1:*. If you allow a host without a port, only https "
                "on its usual port is allowed.",
                hint="*.example.com",
                letters="small",
            ),
        ]
        | None
    ) = None
    """The host that a call asks, or that its code fetches from, such as `*.example.com`. If you ask or deny,
    a host without a port is the whole host; if you allow, it is https on its usual port."""
    method: Annotated[_Pattern, declared("Method", hint="POST", letters="capital")] | None = None
    """The HTTP method of a request, such as `POST`."""
    path: Annotated[_Pattern, declared("Path", hint="/v1/*")] | None = None
    """The path of a request or of a file, such as `/v1/*`."""
    server: Annotated[_Pattern, declared("Foreign server", hint="github")] | None = None
    """The MCP server that the tool is of, such as `github`."""
    command: Annotated[_Pattern, declared("Command", hint="git *")] | None = None
    """The command line, such as `git *`."""
    scope: Annotated[_Pattern, declared("Scope", hint="agent")] | None = None
    """Whose file it is: `session` or `agent`."""
    after_outside: (
        Annotated[
            bool,
            declared(
                "After text from outside",
                "The model's context holds text from the web, files or other agents.",
            ),
        ]
        | None
    ) = None
    known_url: (
        Annotated[
            bool,
            declared(
                "The URL appeared in the chat before",
                "The full URL is in one of your messages, in a search result or in a page that was read.",
            ),
        ]
        | None
    ) = None
    """Whether the URL appeared in the conversation before. For an MCP server: whether its whole URI did, or
    the server listed it; or a listed prompt without arguments."""
    lasting: (
        Annotated[
            bool,
            declared(
                "Lasts beyond the chat",
                "It changes what later chats are told, do or have. A deletion does.",
            ),
        ]
        | None
    ) = None
    sandbox: (
        Annotated[
            _Pattern,
            declared(
                "Sandbox",
                "How its commands are isolated: namespaces, landlock or host.",
                hint="namespaces",
            ),
        ]
        | None
    ) = None
    scheme: (
        Annotated[
            _Pattern,
            declared("Scheme", "If you allow a host, http allows it on its usual port too.", hint="https"),
        ]
        | None
    ) = None
    added: tuple[AddedMatch, ...] = ()
    """What it says by conditions that other distributions add (`added_conditions.py`)."""


ADDED_CONDITIONS: Mapping[str, AddedCondition] = loaded("condition", AddedCondition, check_condition)
"""Those of other distributions, by name. A rule that names one which isn't there is never followed where it
allows, and always where it doesn't."""
CONDITIONS = [*inputs_of(Match), *(one.form_input(name) for name, one in ADDED_CONDITIONS.items())]
"""What a rule can say, as people fill it in."""


class Rule(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One rule of a policy."""

    verdict: Verdict
    """What becomes of a call that fits: `allow`, `ask` a person first, or `deny`."""
    match: Match
    """The calls that the rule is about: those that fit all that it says."""
    note: Annotated[str, msgspec.Meta(max_length=LONGEST_PATTERN)] = ""
    """What the rule is for, for people."""


class Policy(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The value of the entity: a person's own rules, before those of the preset."""

    preset: Preset = "balanced"
    rules: Annotated[tuple[Rule, ...], msgspec.Meta(max_length=MOST_RULES)] = ()


class OutsideSource(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where outside material in a context came from."""

    kind: Literal["web", "file", "mcp", "wake", "peer", "page", "clipboard"]
    """What it is: the `web`, a `file`, an MCP server (`mcp`), a service (`wake`), another agent (`peer`), a
    `page` of the agent, or the `clipboard`."""
    name: str
    """Its name, such as a host, a file's path or a service."""
    address: str
    """Address of the event that brought it."""


class PolicyJudgement(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an agent's policy says of a call."""

    verdict: Verdict
    """What becomes of the call."""
    rule: str
    """The rule that decided, in words."""
    version: int = 0
    """Version of the policy; 0: nobody wrote one."""
    covers: Match | None = None
    """What approving for longer than once allows; null: only `once` is possible."""
    outside: tuple[OutsideSource, ...] = ()
    """Sources of outside material that the model had read by then."""
    commands: Match | None = None
    """The commands of the session that can be approved together with this one; null: none."""


_PARTS = ("host", "method", "path", "query", "server", "uri")
WHERE_SHOWN = (*_PARTS, "scheme", "port", *(f"{part}_length" for part in _PARTS))
"""What a call shows of where it wants to send something, when it was stopped by that."""


def shown_of(tool: str, judged: PolicyJudgement) -> dict[str, Json]:
    """What a call of the tool shows while it waits for a yes to what was judged so."""
    show: dict[str, Json] = {"kind": APPROVAL, "tool": tool, "rule": judged.rule, "version": judged.version}
    if judged.covers is not None:
        show["covers"] = msgspec.to_builtins(judged.covers)
    if judged.commands is not None:
        show["commands"] = msgspec.to_builtins(judged.commands)
    if judged.outside:
        show["outside"] = [msgspec.to_builtins(source) for source in judged.outside]
    return show


class Grant(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person allowed."""

    match: Match
    """The calls that are allowed."""
    once: bool = False
    """Allowed once. False: for the rest of the session."""
    call: str = ""
    """Hash of the call that may run again, where the run was stopped; empty: any that fits."""
    exact: str = ""
    """Hash of what its code may ask another tool for; empty: that isn't what was allowed."""


def lasting(grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
    """Those for longer than once."""
    return tuple(grant for grant in grants if not grant.once)


Decision = Literal["once", "session", "commands", "always", "refuse"]
"""`session`: what it covers, in this session; `commands`: every command of this session in the same sandbox.
What commands send is judged by itself, as it leaves."""


class ApprovalAnswer(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a person answers. `arguments`: to run it with these instead; `reason`: the model reads it."""

    decision: Decision
    arguments: dict[str, Json] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=LONGEST_REASON)] | None = None
    covers: Match | None = None
    """Written by whoever records the answer: what it allows, where the arguments were edited."""


def answer_in(response: Json) -> ApprovalAnswer:
    """The answer that was recorded. What can't be read is a no: nothing runs unapproved."""
    try:
        return msgspec.convert(response, ApprovalAnswer)
    except msgspec.ValidationError:
        return ApprovalAnswer("refuse")


def approved_hash(tool: str, arguments: Mapping[str, Json], code_at: int | None) -> str:
    """What an approval is bound to: the tool, exactly these arguments, and when its code is that of."""
    whole = msgspec.json.encode([tool, arguments, code_at], order="deterministic")
    return hashlib.sha256(whole).hexdigest()
