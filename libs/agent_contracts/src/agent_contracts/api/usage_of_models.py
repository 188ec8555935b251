"""Tokens and what they cost."""

from agent_contracts.api.wire import View


class Usage(View, frozen=True, kw_only=True):
    """Tokens, as the provider reported them, and what is known of their cost in millionths of a US dollar.

    `cached_input` is the part of `input` that the provider had from before, at a lower price."""

    input: int
    output: int
    cached_input: int = 0
    cost_micros: int | None = None
