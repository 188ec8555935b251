"""The story that is told under faults: turns of three tool calls, one of each effect class."""

from pathlib import Path
from typing import Any

from agent_platform.process.stop_points import STOP_DIR

TOOLS = ("set_state", "selftest_external", "get_state")
"""What the model calls, in this order, in every turn: a recorded, an external and a pure tool."""

ACK_WAIT_S = 2.0
"""After how long a dead worker's call goes to another one here."""

_NAME = "{{ match.1 }}"
_TURN = "{{ match.2 }}"


def script(chunk_delay_s: float = 0.005) -> dict[str, Any]:
    """The model's part. The state key carries the session's name, its value the turn's number."""
    calls = [
        {"name": "set_state", "arguments": {"key": f"chaos-{_NAME}", "value": _TURN}},
        {"name": "selftest_external", "arguments": {"note": f"{_NAME}-{_TURN}", "after_ms": 20}},
        {"name": "get_state", "arguments": {"key": f"chaos-{_NAME}"}},
    ]
    turns = [
        {"text": "Three calls.", "tool_calls": calls},
        {"text": answer_of(_NAME, _TURN)},
    ]
    when = {"user_matches": r"^session (\S+), turn (\d+)$"}
    return {"pace": {"size": 4, "delay": chunk_delay_s}, "rules": [{"when": when, "turns": turns}]}


def message_of(name: str, turn: int) -> str:
    """What is said in the given turn (from 1) of the session called `name`."""
    return f"session {name}, turn {turn}"


def answer_of(name: str, turn: int | str) -> str:
    """What the model answers when the three calls are over."""
    return f"Turn {turn} of {name} is done."


def state_key(name: str) -> str:
    """Under which key the session called `name` stores the number of its turn."""
    return f"chaos-{name}"


def environment(stop_dir: Path, acts: Path, ack_wait_s: float = ACK_WAIT_S) -> dict[str, str]:
    """The settings of a Foldline that is to be killed. `acts` is where the external tool acts."""
    stop_dir.mkdir(parents=True, exist_ok=True)
    return {
        STOP_DIR: str(stop_dir),
        "FOLDLINE_SELFTEST_TOOLS": "true",
        "FOLDLINE_TOKEN_LIMIT": str(10**9),  # long conversations: each request describes every tool
        "FOLDLINE_SELFTEST_FILE": str(acts),
        "FOLDLINE_ACK_WAIT": f"{ack_wait_s:g}",
    }
