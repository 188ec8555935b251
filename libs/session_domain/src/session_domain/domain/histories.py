"""Histories of one session, compared. Pure."""

import operator
from collections.abc import Sequence

from session_domain.domain.messages import SessionMessage


def beginning_in_common(known: Sequence[SessionMessage], now: Sequence[SessionMessage]) -> int:
    """How many messages at the beginning are the same. Mostly they are the very same objects."""
    if len(known) <= len(now) and all(map(operator.is_, known, now)):
        return len(known)
    for index, (one, other) in enumerate(zip(known, now, strict=False)):
        if one is not other and one != other:
            return index
    return min(len(known), len(now))
