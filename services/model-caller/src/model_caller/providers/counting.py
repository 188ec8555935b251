"""Tokens where nobody tells them."""

from agent_contracts.session_events.results import Usage
from model_caller.answers.answer import Assembly
from session_domain.domain.rules.tokens import tokens_in
from session_domain.model_requests.request import ModelRequest


def counted(request: ModelRequest, said: Assembly) -> Usage:
    """A rough count of what was asked and answered: it is marked as such wherever it is shown.

    What the provider told so far is taken from it.
    """
    rough = Usage(request.tokens, tokens_in(unreported(said)), counted=True)
    return with_reported(said, rough)


def unreported(said: Assembly) -> str:
    """What was answered since the provider told its figures last; all of it where it didn't."""
    calls = "".join(call.name + call.arguments for call in said.calls())
    thinking = said.thinking.text if said.thinking is not None else ""
    return (thinking + said.text + calls)[-said.unreported :] if said.unreported else ""


def with_reported(said: Assembly, rest: Usage) -> Usage:
    """The provider's figures, as far as they came, with what was counted where they didn't."""
    reported = said.reported
    if reported is None:
        return rest
    return Usage(
        reported.input or rest.input,
        reported.output + rest.output,
        reported.cached_input,
        reported.cache_written,
        counted=bool(said.unreported) or not reported.input,
    )
