"""Packs: tools that people enable for an agent, and what comes with them."""

import re
from collections.abc import Mapping

import msgspec

from agent_contracts.json_value import Json

PACK_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class PromptText(msgspec.Struct, frozen=True):
    """A text that a pack's tools write, and that its agents are shown under a heading while it is enabled.

    It is `notes` of this name, and says `initial` while nobody wrote it; of one that is `per_session`, each
    session has its own (see `enabled_packs`). One that `is_plan` is the session's plan. One with
    `works_on_files` is written by no tool: it says what the session's workspace holds, and how many tools of
    these families there are.
    """

    name: str
    heading: str
    per_session: bool = False
    is_plan: bool = False
    initial: str = ""
    works_on_files: tuple[str, ...] = ()


class BroughtThing(msgspec.Struct, frozen=True):
    """What an agent has of its own as soon as a pack is enabled: a page, a skill, a schedule.

    It is written as the value of its entity, of this `kind`, unless there is one of its name.
    """

    kind: str
    name: str
    value: Json


class PackSwitch(msgspec.Struct, frozen=True):
    """A setting of a pack by which people switch off some of its tools.

    `tools` says for each value (of a list: each item; of a switch: `true` or `false`) which tools that
    switches off, by names or patterns such as `notes_*`. Where `tools` is empty, the values are such names
    and patterns themselves.
    """

    setting: str
    tools: Mapping[str, tuple[str, ...]] = {}


class PackSettings(msgspec.Struct, frozen=True):
    """What people may set of a pack, for each agent. `schema` is the JSON Schema of the object with all
    values, `fields` is how a form asks for them (as the fields of `request_user_input`)."""

    schema: dict[str, Json]
    fields: tuple[dict[str, Json], ...]
    switches: tuple[PackSwitch, ...] = ()


class PackAbout(msgspec.Struct, frozen=True):
    """What a pack is: `title` and `purpose` for people, `prompt` for the models of agents that have it.

    With a `problem` it can't be used, and has no tools: that says why.
    """

    title: str
    purpose: str
    prompt: str = ""
    texts: tuple[PromptText, ...] = ()
    brings: tuple[BroughtThing, ...] = ()
    problem: str = ""
    settings: PackSettings | None = None
