"""Have a Foldline's browser started before many sessions want it at once.

To start Chromium counts towards the 30 seconds of the call that needs it first, which a machine that runs
other tests may use up.
"""

from typing import Any

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn

_TEXT = "[begin the browser]"


def browser_rule(url: str) -> dict[str, Any]:
    """The scripted model's rule that `begin_browser` needs: to visit that page."""
    call = {"name": "browser_navigate", "arguments": {"url": url}}
    return {"when": {"user_contains": _TEXT}, "turns": [{"tool_calls": [call]}, {"text": "There."}]}


def begin_browser(door: Gateway) -> None:
    """Visit a page in a session of its own, whether or not it is seen in time."""
    turn = ChatTurn(door, None)
    turn.say(_TEXT)
    for _ in turn.pieces():
        pass
