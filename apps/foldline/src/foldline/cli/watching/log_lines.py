"""Lines of logs as others may see them: what happened, when, where and how long it took, and no text."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from agent_platform.secrecy.failure_text import failure_text

_KEPT = frozenset(
    {
        *(
            "timestamp",
            "level",
            "event",
            "service",
            "logger",
            "consumer",
            "server",
            "kind",
            "type",
            "verdict",
        ),
        *("session_id", "call_id", "agent_id", "trace_id", "member", "model", "status", "method", "verb"),
        *("stream", "purpose", "outcome", "projection", "pack", "version", "incomplete", "host", "work"),
    }
)
"""Fields whose text is a name or an id. Of all others with a text only the length is told."""
_WORD = re.compile(r"[\w.:/@-]{1,120}")
_FRAME = ("filename", "lineno", "name")


def without_texts(lines: Iterable[str]) -> Iterator[str]:
    """Each line of a log file, as JSON."""
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:  # cut off, or of a library that writes by itself
            yield json.dumps({"event": "(not JSON)", "characters": len(line)})
            continue
        if isinstance(event, dict):
            yield failure_text(json.dumps({name: _safe(name, value) for name, value in event.items()}))


def _safe(name: str, value: Any) -> Any:
    if name == "exception" and isinstance(value, list):
        return [_raised(one) for one in value if isinstance(one, dict)]
    if name == "path" and isinstance(value, str):
        return _route(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if name in _KEPT and isinstance(value, str) and _WORD.fullmatch(value):
        return value
    return f"({len(value if isinstance(value, str) else json.dumps(value))} characters)"


def _raised(one: dict[str, Any]) -> dict[str, Any]:
    """The class of an exception and where it was raised; its text may hold anything."""
    frames = [{part: frame.get(part) for part in _FRAME} for frame in one.get("frames", ())]
    return {"exc_type": one.get("exc_type"), "frames": frames}


def _route(path: str) -> str:
    """A path with what it is about, not with its names: `/api/v1/agents/…/state/…`."""
    parts = path.split("/")
    begin = 3 if parts[1:3] == ["api", "v1"] else 1
    return "/".join(part if at <= begin or (at - begin) % 2 == 0 else "…" for at, part in enumerate(parts))
