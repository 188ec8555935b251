"""What the packs that people enabled for an agent add to what its models are offered and told."""

from collections.abc import Mapping, Sequence

import msgspec
from cachetools import LRUCache

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.definitions import OWN_FAMILY
from agent_contracts.entities.enabled_packs import SettingsByPack, packs_in, settings_in, text_of_pack
from agent_contracts.json_value import Json
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.packs import PromptText
from agent_contracts.tool_spec import Catalogue, ToolSpec
from agent_domain.files.file import File
from agent_domain.packs.naming import named
from agent_domain.packs.switched_off import prompt_without, switched_off
from agent_platform.entities.entity import Entity, EntityKey
from model_caller.offering.workspace_shown import status
from session_domain.domain.shown.profile import PackPrompt, PackSetting, PackText

REMEMBERED = 256
"""Of so many choices of packs it is known what follows: the specs must stay the same objects."""


class EnabledTools(msgspec.Struct, frozen=True):
    """What every agent has together with some packs: `tools` under their names, and what is told of them.

    `usable` are the tools without those that are `switched_off`, whose names stay taken: otherwise another
    tool would answer to a name that a person switched off.
    """

    tools: tuple[ToolSpec, ...]
    usable: tuple[ToolSpec, ...]
    families: Mapping[str, str]
    prompts: tuple[PackPrompt, ...] = ()
    texts: tuple[PromptText, ...] = ()
    switched_off: Mapping[str, PackSetting] = {}

    workspaces: tuple[tuple[PromptText, int], ...] = ()
    """Texts that say what the workspace holds, and how many tools work on it."""

    def texts_of(self, session: SessionKey) -> Sequence[EntityKey]:
        """Where the texts of these packs are, in their order."""
        found = (text_of_pack(one, session.session_id) for one in self.texts)
        return [EntityKey(session.agent_id, text.kind, text.name) for text in found]

    def shown(self, entities: Sequence[Entity | None], files: Sequence[File]) -> tuple[PackText, ...]:
        """The texts as they are, of these entities, and what is said of the workspace: what changes with each
        file comes last."""
        said = (
            one.initial if entity is None else text_of(entity.value) or ""
            for one, entity in zip(self.texts, entities, strict=True)
        )
        written = zip(self.texts, said, strict=True)
        workspaces = ((one, status(files, count)) for one, count in self.workspaces)
        every = (*written, *workspaces)
        return tuple(PackText(one.name, one.heading, text) for one, text in every if text.strip())


class _PackInputs(msgspec.Struct, frozen=True):
    built_in: tuple[ToolSpec, ...]
    families: Mapping[str, str]
    packs: tuple[Catalogue, ...]
    enabled: EnabledTools


class EnabledPacks:
    """Knows what follows from a choice of packs, as long as what it follows from is the same."""

    def __init__(self) -> None:
        self._known: LRUCache[tuple[object, ...], _PackInputs] = LRUCache(REMEMBERED)

    def of(
        self,
        built_in: tuple[ToolSpec, ...],
        families: Mapping[str, str],
        packs: Mapping[str, Catalogue],
        written: Json,
    ) -> EnabledTools:
        """What the packs that are `written` in the agent's entity make of the built-in tools. One that isn't
        there, or is broken, adds nothing."""
        chosen = tuple(packs[name] for name in packs_in(written) if name in packs)
        every = settings_in(written)
        settings = {one.pack: every[one.pack] for one in chosen if one.pack in every}
        said = msgspec.json.encode(settings, order="deterministic")
        key = (id(built_in), tuple(sorted(families.items())), tuple(map(id, chosen)), said)
        found = self._known.get(key)
        if found is None:
            found = _PackInputs(built_in, families, chosen, _made(built_in, families, chosen, settings))
            self._known[key] = found
        return found.enabled


def _made(
    built_in: tuple[ToolSpec, ...],
    families: Mapping[str, str],
    packs: tuple[Catalogue, ...],
    settings: SettingsByPack,
) -> EnabledTools:
    purposes: dict[str, str] = {OWN_FAMILY: "made by you", **families}
    off: dict[str, PackSetting] = {}
    for pack in packs:
        purposes = {**pack.families, **purposes}
        by_setting = switched_off(pack, settings.get(pack.pack, {}))
        off |= {tool: PackSetting(pack.pack, setting) for tool, setting in by_setting.items()}
    tools = named(built_in, packs) if packs else built_in
    usable = tuple(tool for tool in tools if tool.tool not in off) if off else tools
    told = [(pack, pack.about, prompt_without(pack, off)) for pack in packs if pack.about is not None]
    return EnabledTools(
        tools,
        usable,
        purposes,
        tuple(PackPrompt(pack.pack, about.title, prompt) for pack, about, prompt in told if prompt),
        tuple(text for _, about, _ in told for text in about.texts if not text.works_on_files),
        {tool.name: off[tool.tool] for tool in tools if tool.tool in off},
        tuple(
            (text, sum(tool.pack == pack.pack and tool.family in text.works_on_files for tool in usable))
            for pack, about, _ in told
            for text in about.texts
            if text.works_on_files
        ),
    )
