"""Tokens where nobody tells them."""

import msgspec

from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import Assembly
from session_domain.model_requests.request import ModelRequest

BYTES_PER_TOKEN = 4
"""Roughly, in most languages and models, of the text's UTF-8."""


def counted(request: ModelRequest, said: Assembly) -> Usage:
    """A rough count of what was asked and answered: it is marked as such wherever it is shown."""
    calls = "".join(call.name + call.arguments for call in said.calls())
    asked = len(msgspec.json.encode(request.as_sent()))
    answered = len((said.text + calls).encode())
    return Usage(-(-asked // BYTES_PER_TOKEN), -(-answered // BYTES_PER_TOKEN), counted=True)
