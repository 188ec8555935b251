"""Where material from outside came from, as people look at it."""

from collections.abc import Sequence

import msgspec

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.outside import Source


def sources(of: Sequence[Source]) -> list[ProvenanceSource]:
    """These, for people."""
    return [
        ProvenanceSource(
            kind=one.kind,
            name=one.name,
            first_address=one.at,
            session_id=one.session,
            count=one.count,
            last_address=one.last,
        )
        for one in of
    ]


def stored_sources(stored: object) -> list[ProvenanceSource]:
    """Those that a column holds."""
    return sources(msgspec.convert(stored or [], tuple[Source, ...]))
