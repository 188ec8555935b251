"""What an agent brings to a model call."""

from collections.abc import Mapping

import msgspec

from agent_contracts.entities.definitions import OWN_FAMILY
from agent_contracts.outside import Sources
from agent_contracts.tool_spec import ToolSpec


class ProfileEntry(msgspec.Struct, frozen=True):
    """Something that the model is told of by name, and reads or uses when it needs it. `outside` is where
    material came from that was there when it was written."""

    name: str
    description: str = ""
    tags: tuple[str, ...] = ()
    outside: Sources = ()


class OwnTool(msgspec.Struct, frozen=True):
    """Which edition of an own tool there is: its version, and the log sequence that wrote it. `outside`: as
    of `ProfileEntry`."""

    name: str
    version: int
    written_at: int
    outside: Sources = ()


class PackPrompt(msgspec.Struct, frozen=True):
    """What a pack tells the model of itself."""

    pack: str
    title: str
    text: str


class PackSetting(msgspec.Struct, frozen=True):
    """A setting of a pack, by their names."""

    pack: str
    setting: str


class PackText(msgspec.Struct, frozen=True):
    """A text that a pack's tools write, as it is now."""

    name: str
    heading: str
    text: str


class Profile(msgspec.Struct, frozen=True):
    """What the agent brings to a model call, as of the call's request; `notepad` is the session's own.

    `tools` are the built-in and the agent's own, `disabled` the names of those of its own that aren't
    offered, `own` which editions the others are. `quarantined` are not offered as long as they are as they
    are; the reason is told in place of their description. `servers` are the foreign ones, whose tools come
    after the agent's own. `pinned` tools are sent with each request, and all are with `sends_all`; with
    `for_small_model` few are, whatever else is said (`small_models`). `families` says of a family what its
    tools are for. `outside` is where material came from that was there when a text (by its part's name) was
    written. `packs` and `texts` are of the enabled packs, in their order; `renamed` are own tools that are
    offered under another name: that, and their own. `stand_ins` are tools that take over calls of others, by
    what these name: `delegates` says of each its type. `lacking` names the tools that aren't offered since
    they need what the agent hasn't, `switched_off` those that a pack's setting switches off.
    `takes_no_tools`: its model can't call any."""

    prompt: str
    notes: str
    tools: tuple[ToolSpec, ...]
    timezone: str
    notepad: str = ""
    disabled: tuple[str, ...] = ()
    functions: tuple[ProfileEntry, ...] = ()
    libraries: tuple[ProfileEntry, ...] = ()
    components: tuple[ProfileEntry, ...] = ()
    secrets: tuple[ProfileEntry, ...] = ()
    skills: tuple[ProfileEntry, ...] = ()
    own: tuple[OwnTool, ...] = ()
    quarantined: tuple[ProfileEntry, ...] = ()
    servers: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    families: Mapping[str, str] = {}
    sends_all: bool = False
    for_small_model: bool = False
    outside: Mapping[str, Sources] = {}
    packs: tuple[PackPrompt, ...] = ()
    texts: tuple[PackText, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    stand_ins: tuple[ToolSpec, ...] = ()
    delegates: Mapping[str, str] = {}
    lacking: Mapping[str, tuple[str, ...]] = {}
    switched_off: Mapping[str, PackSetting] = {}
    takes_no_tools: bool = False

    def without_tools(self) -> "Profile":
        """The same for a model that can't call any: nothing is said of what only tools can use."""
        nothing = Profile(self.prompt, self.notes, (), self.timezone, self.notepad, takes_no_tools=True)
        return msgspec.structs.replace(nothing, texts=self.texts, outside=self.outside)

    def without(self, refused: tuple[ProfileEntry, ...]) -> "Profile":
        """The same with these own tools in quarantine."""
        if not refused:
            return self
        names = {one.name for one in refused}
        return msgspec.structs.replace(
            self,
            tools=tuple(tool for tool in self.tools if tool.name not in names or tool.family != OWN_FAMILY),
            own=tuple(one for one in self.own if one.name not in names),
            quarantined=(*self.quarantined, *refused),
        )
