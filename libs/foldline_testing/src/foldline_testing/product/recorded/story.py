"""A story: what the model answers, and what people do meanwhile."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from foldline_testing.product.recorded.player import Player


@dataclass(frozen=True)
class Story:
    """One recorded course of events.

    `rules` are the scripted model's (see `demo_model.script`), `play` does what people do, through the API.
    """

    name: str
    about: str
    rules: tuple[Mapping[str, Any], ...]
    play: Callable[[Player], None]

    @property
    def script(self) -> dict[str, Any]:
        """What the model answers; what no rule fits it repeats."""
        return {"rules": [*self.rules, {"reply": {"text": "You said: {{ last_user }}"}}]}


def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A tool call of the model."""
    return {"name": tool, "arguments": arguments}


def calls(*made: dict[str, Any], text: str = "") -> dict[str, Any]:
    """An answer that asks for these calls."""
    return {"text": text, "tool_calls": list(made)}


def when(words: str, *turns: dict[str, Any]) -> dict[str, Any]:
    """To a message with these words the model gives these answers, one after another."""
    return {"when": {"user_contains": words}, "turns": list(turns)}
