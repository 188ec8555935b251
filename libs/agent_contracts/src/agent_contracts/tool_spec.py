"""What a tool declares about itself, as published in the runners' catalogue."""

from enum import StrEnum

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.open_names import OpenNames
from agent_contracts.outside import SourceKind
from agent_contracts.packs import PackAbout


class Effect(StrEnum):
    """What may happen when a runner dies in the middle of a call."""

    PURE = "pure"
    """Reads only: run again."""
    RECORDED = "recorded"
    """Writes only events keyed by the call: run again, they happen once."""
    EXTERNAL = "external"
    """Acts on the outside world: never run twice; an interrupted call ends as `outcome_unknown`."""
    EXTERNAL_IDEMPOTENT = "external_idempotent"
    """Acts on a target that takes an idempotency key: run again with the same key."""


class RunsOn(OpenNames):
    """Which workers pull a tool call's request. Others may be installed beside these."""

    TOOLS = "tools"
    BROWSER = "browser"
    WORKSPACE = "workspace"
    MCP = "mcp"
    ENGINE = "engine"


class AvailableTo(StrEnum):
    """Which sessions are offered a tool."""

    ALL = "all"
    SUB_SESSIONS = "sub_sessions"
    TOP_LEVEL = "top_level"


class LastingEffect(StrEnum):
    """Whether a tool changes what each later session is told, does or has, beyond what is only kept: policies
    judge that as `lasting`."""

    NO = "no"
    CALL = "call"
    """Each call of it does: it is judged before it runs."""
    RUN = "run"
    """Some calls do, which only the run can tell: it is judged there, before anything changes."""


class CoreTool(msgspec.Struct, frozen=True):
    """A core tool, by its name and family."""

    name: str
    family: str


class FixedHost(msgspec.Struct, frozen=True):
    """The one host that a tool asks, by https at its own port, and by which method. What reads there may be
    asked for whatever the model has read: nobody but that host learns of it."""

    host: str
    method: str


class StandsIn(msgspec.Struct, frozen=True):
    """Which calls a tool takes over, since they are done elsewhere: those of the tool `tool` of its pack, in
    which the argument `argument` is true, or names a delegate of the type `delegate`."""

    tool: str
    argument: str
    delegate: str | None = None


class ToolSpec(msgspec.Struct, frozen=True):
    """One tool as the model caller offers it and as calls are resolved against it.

    `name` is what models call it by; `pack` is the pack that it came with, if agents have to enable that.
    `parameters` is a JSON Schema of `type: object`; `timeout_s` is in seconds of running time. Models get
    the definition of an `always_sent` one with each request; others they find when they need them. All of
    its results hold material from outside, of the kind `source`, if it has one. `as_declared` is its name
    where models call it by another, since that one is taken; `alias_of` is the core tool that does its work.
    `for_workers`: sub-sessions that are given only what they need for their work are offered it, too. It is
    offered only to agents that have what it `needs`: `secret:NAME`, `delegate` or `delegate:TYPE`. Whatever
    a policy allows, a person is asked for each call of one that `always_asks`. One that `stands_in` is never
    offered: models call the other, and what policies say of that holds for it, too. `lasting`: see
    `LastingEffect`. `sandbox`: how its commands are isolated, if it runs any. `fixed_host`: the one host
    that it asks.
    """

    name: str
    description: str
    parameters: dict[str, Json]
    family: str
    effect: Effect
    runs_on: RunsOn
    pauses: bool = False
    available_to: AvailableTo = AvailableTo.ALL
    timeout_s: float = 30.0
    always_sent: bool = False
    source: SourceKind | None = None
    pack: str = ""
    as_declared: str = ""
    alias_of: CoreTool | None = None
    for_workers: bool = False
    needs: tuple[str, ...] = ()
    always_asks: bool = False
    stands_in: StandsIn | None = None
    lasting: LastingEffect = LastingEffect.NO
    sandbox: str = ""
    fixed_host: FixedHost | None = None

    @property
    def tool(self) -> str:
        """Its id, by which it is run and policies know it, whatever models call it by: `<pack>.<name>`, or
        the name alone of one that every agent has."""
        name = self.as_declared or self.name
        return f"{self.pack}.{name}" if self.pack else name

    def called(self, name: str) -> "ToolSpec":
        """The same under another name."""
        return msgspec.structs.replace(self, name=name, as_declared=self.as_declared or self.name)


class Catalogue(msgspec.Struct, frozen=True):
    """The tools of one pack, as its runners publish them in KV `catalog` under the pack's name.

    `families` says of each family of tools in a few words what it is for. One that is `about` something is
    offered to agents only where people enabled it; the others every agent has.
    """

    pack: str
    version: str
    tools: list[ToolSpec]
    families: dict[str, str] = {}
    about: PackAbout | None = None


CORE_PACK = "core"
"""The pack of the built-in tools."""
FIND_TOOLS = "find_tools"
"""Answered by the model caller itself: the definitions of tools that weren't sent."""
CALL_TOOL = "call_tool"
"""Never run: the model caller records the call of the tool that it names."""
RESERVED = frozenset({FIND_TOOLS, CALL_TOOL})
"""No tool may be called so."""
