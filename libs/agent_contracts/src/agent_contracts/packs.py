"""Packs: tools that people enable for an agent, and what comes with them."""

import re

import msgspec

from agent_contracts.json_value import Json

PACK_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class PromptText(msgspec.Struct, frozen=True):
    """A text that a pack's tools write, and that its agents are shown under a heading while it is enabled.

    It is `notes` of this name; of one that is `per_session`, each session has its own (see `enabled_packs`).
    One that `is_plan` is the session's plan.
    """

    name: str
    heading: str
    per_session: bool = False
    is_plan: bool = False


class BroughtThing(msgspec.Struct, frozen=True):
    """What an agent has of its own as soon as a pack is enabled: a page, a skill, a schedule.

    It is written as the value of its entity, of this `kind`, unless there is one of its name.
    """

    kind: str
    name: str
    value: Json


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
