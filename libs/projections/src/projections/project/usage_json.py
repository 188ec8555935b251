"""What was used, as it lies in columns of several tables."""

import msgspec

from agent_contracts.session_events.results import Usage
from agent_contracts.sessions.session_view import TokensUsed
from projections.table import JsonText

_encoder = msgspec.json.Encoder()


def usage_text(usage: Usage) -> JsonText:
    """All fields, those at their default too, and what counts as tokens."""
    return JsonText(_encoder.encode(TokensUsed.of(usage)).decode())


def usage_in(text: JsonText) -> Usage:
    """What such a column holds."""
    return msgspec.json.decode(text, type=Usage)
