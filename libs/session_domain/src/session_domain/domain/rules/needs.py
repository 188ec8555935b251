"""How many tokens a session needs at least to ask a model once: by what its model calls took so far."""

from agent_contracts.session_events.results import Usage
from session_domain.domain.rules.tokens import tokens_in
from session_domain.domain.state import SessionState

ANSWER = 1_000
"""Tokens that an answer is given room for: enough for a tool call or a few paragraphs."""


def least_for_child(state: SessionState, *, forked: bool, task: str) -> int:
    """The least token limit of a sub-session that is to be asked once.

    A fork is shown all that its parent is; another one at least what every model call is: the prompt and the
    tools, of which the smallest call so far gives an idea.
    """
    shown = state.context_tokens if forked else state.least_input
    return shown + tokens_in(task) + ANSWER


def least_token_limit(state: SessionState) -> int:
    """The least token limit with which the session itself can be asked once more."""
    return (state.totals + Usage(state.context_tokens or state.least_input, ANSWER)).tokens
