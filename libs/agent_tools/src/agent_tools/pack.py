"""How a pack declares itself: what it is, and what comes with it besides the tools in its folders.

A pack's package may have a module `pack` with one `PackDeclaration`, called `PACK`. Pages, skills and other
definitions lie as files beside it, in `brings/<kind>/<name>.<suffix>`, in the form of the starters.
"""

from typing import Literal

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.packs import PackSwitch, PromptText
from agent_contracts.tool_spec import StandsIn
from agent_tools.tool import Arguments


class Alias(msgspec.Struct, frozen=True):
    """A tool that is a core tool under another name, with other arguments and another result: data.

    `sends` is the arguments of the core tool `of`, and `gives` the result, in the shapes of `mapping`; the
    first is filled from the alias's `arguments` by name, the second from these and the core tool's result. If
    the core tool answers that something of this name is there already, `or_else` is done instead. Whatever
    else a call needs to be known by (its effect, its time-out) is the core tool's.
    """

    name: str
    family: str
    description: str
    arguments: type[Arguments]
    of: str
    sends: dict[str, Json]
    gives: Json
    or_else: "SubstituteTool | None" = None
    always_sent: bool = False
    for_workers: bool = False


class SubstituteTool(msgspec.Struct, frozen=True):
    """Another core tool, and its arguments."""

    of: str
    sends: dict[str, Json]


class EngineTool(msgspec.Struct, frozen=True):
    """A tool of the pack that the engine answers from the session itself, by its id."""

    name: str
    family: str
    description: str
    arguments: type[Arguments]
    pauses: bool = False
    always_sent: bool = False
    stands_in: StandsIn | None = None


class PackSchedule(msgspec.Struct, frozen=True):
    """A scheduled task that an agent gets with the pack, at the times of `cron` in its own zone. People see,
    change and stop it like any other. `name` is also what its id is made of."""

    name: str
    cron: str
    task: str
    overlap: Literal["skip", "queue", "parallel"] = "skip"


class PackDeclaration(msgspec.Struct, frozen=True):
    """A pack. `title` and `purpose` are for people; `prompt` is told to the models of agents that have it.

    A sentence of the prompt that names a tool is left out while that tool is switched off. `settings` are
    what people may set of the pack for an agent: each has a default, and is of a kind that a form can ask
    for. `switches` are those of them that switch off tools.
    """

    title: str
    purpose: str
    prompt: str = ""
    texts: tuple[PromptText, ...] = ()
    aliases: tuple[Alias, ...] = ()
    engine_tools: tuple[EngineTool, ...] = ()
    schedules: tuple[PackSchedule, ...] = ()
    settings: type[Arguments] | None = None
    switches: tuple[PackSwitch, ...] = ()
