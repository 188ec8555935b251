"""What the packs that people enabled for an agent add to what its models are offered and told."""

from collections.abc import Mapping, Sequence

import msgspec
from cachetools import LRUCache

from agent_contracts.entities.agent_texts import text_of
from agent_contracts.entities.definitions import OWN_FAMILY
from agent_contracts.entities.enabled_packs import text_of_pack
from agent_contracts.log.session_key import SessionKey
from agent_contracts.packs import PromptText
from agent_contracts.tool_spec import Catalogue, ToolSpec
from agent_domain.packs.naming import named
from agent_platform.entities.entity import Entity, EntityKey
from session_domain.domain.shown.profile import PackPrompt, PackText

REMEMBERED = 256
"""Of so many choices of packs it is known what follows: the specs must stay the same objects."""


class Enabled(msgspec.Struct, frozen=True):
    """What every agent has together with some packs: `tools` under their names, and what is told of them."""

    tools: tuple[ToolSpec, ...]
    families: Mapping[str, str]
    prompts: tuple[PackPrompt, ...] = ()
    texts: tuple[PromptText, ...] = ()

    def texts_of(self, session: SessionKey) -> Sequence[EntityKey]:
        """Where the texts of these packs are, in their order."""
        found = (text_of_pack(one, session.session_id) for one in self.texts)
        return [EntityKey(session.agent_id, text.kind, text.name) for text in found]

    def shown(self, entities: Sequence[Entity | None]) -> tuple[PackText, ...]:
        """The texts as they are, of these entities."""
        said = ((text_of(one.value) or "") if one is not None else "" for one in entities)
        found = zip(self.texts, said, strict=True)
        return tuple(PackText(one.name, one.heading, text) for one, text in found if text.strip())


class _MadeOf(msgspec.Struct, frozen=True):
    built_in: tuple[ToolSpec, ...]
    families: Mapping[str, str]
    packs: tuple[Catalogue, ...]
    enabled: Enabled


class EnabledPacks:
    """Knows what follows from a choice of packs, as long as what it follows from is the same."""

    def __init__(self) -> None:
        self._known: LRUCache[tuple[object, ...], _MadeOf] = LRUCache(REMEMBERED)

    def of(
        self,
        built_in: tuple[ToolSpec, ...],
        families: Mapping[str, str],
        packs: Mapping[str, Catalogue],
        names: Sequence[str],
    ) -> Enabled:
        """What these packs make of the built-in tools. One that isn't there, or is broken, adds nothing."""
        chosen = tuple(packs[name] for name in names if name in packs)
        key = (id(built_in), tuple(sorted(families.items())), tuple(map(id, chosen)))
        found = self._known.get(key)
        if found is None:
            found = _MadeOf(built_in, families, chosen, _made(built_in, families, chosen))
            self._known[key] = found
        return found.enabled


def _made(
    built_in: tuple[ToolSpec, ...], families: Mapping[str, str], packs: tuple[Catalogue, ...]
) -> Enabled:
    purposes: dict[str, str] = {OWN_FAMILY: "made by you", **families}
    for pack in packs:
        purposes = {**pack.families, **purposes}
    about = [(pack.pack, pack.about) for pack in packs if pack.about is not None]
    return Enabled(
        named(built_in, packs) if packs else built_in,
        purposes,
        tuple(PackPrompt(name, one.title, one.prompt) for name, one in about if one.prompt),
        tuple(text for _, one in about for text in one.texts),
    )
