"""Where material from outside came from, as people look at it."""

from collections.abc import Sequence

import msgspec

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.outside import Source


def sources(of: Sequence[Source]) -> list[ProvenanceSource]:
    """These, for people."""
    return [msgspec.convert(one, ProvenanceSource, from_attributes=True) for one in of]


def stored_sources(stored: object) -> list[ProvenanceSource]:
    """Those that a column holds."""
    return sources(msgspec.convert(stored or [], tuple[Source, ...]))
