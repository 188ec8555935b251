"""Shows in few lines how two values of one thing differ: each changed part by its name."""

import difflib
import json
from typing import Any

_WIDTH = 60
"""Characters of a part that are shown in one line."""
_AROUND = 15
"""Characters that are shown before the place where two texts begin to differ."""
_MOST_PARTS = 8
_MOST_LINES = 12
_MISSING = object()


def value_diff(now: Any, then: Any) -> list[str]:
    """One line `now → then` where both are short, else a few of what differs: `-` goes away, `+` comes."""
    if now == then:
        return ["no difference"]
    whole = f"{_json(now)} → {_json(then)}"
    if len(_json(now)) <= _WIDTH and len(_json(then)) <= _WIDTH:
        return [whole]
    parts = list(_parts(now, then, ""))
    lines = [line for path, one, other in parts[:_MOST_PARTS] for line in _part(path, one, other)]
    more = len(parts) - _MOST_PARTS
    return [*lines, f"and {more} more parts"] if more > 0 else lines


def _parts(now: Any, then: Any, path: str) -> list[tuple[str, Any, Any]]:
    """The innermost members that differ, each with its path."""
    if isinstance(now, dict) and isinstance(then, dict):
        names = [*now, *(name for name in then if name not in now)]
        pairs = [(name, now.get(name, _MISSING), then.get(name, _MISSING)) for name in names]
    elif isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        pairs = [(str(at), one, other) for at, (one, other) in enumerate(zip(now, then, strict=True))]
    else:
        return [(path, now, then)]
    found = []
    for name, one, other in pairs:
        if one != other:
            found += _parts(one, other, f"{path}.{name}" if path else name)
    return found


def _part(path: str, now: Any, then: Any) -> list[str]:
    begin = f"{path}: " if path else ""
    if isinstance(now, str) and isinstance(then, str) and ("\n" in now or "\n" in then):
        return [f"{path or 'text'}:", *(f"  {line}" for line in _lines(now, then))]
    one, other = _around(_json(now), _json(then))
    return [f"{begin}{one} → {other}"]


def _lines(now: str, then: str) -> list[str]:
    """The lines that differ, without those around them; of long ones, where they differ."""
    before, after = now.splitlines(), then.splitlines()
    shown = []
    for _, first, last, begin, end in difflib.SequenceMatcher(None, before, after).get_opcodes():
        removed, added = before[first:last], after[begin:end]
        if removed == added:
            continue
        pairs = [_around(*pair) for pair in zip(removed, added, strict=False)]
        both = len(pairs)
        shown += [f"- {line}" for line in [*(one for one, _ in pairs), *map(_cut, removed[both:])]]
        shown += [f"+ {line}" for line in [*(other for _, other in pairs), *map(_cut, added[both:])]]
    more = len(shown) - _MOST_LINES
    if more > 0:
        return [*shown[:_MOST_LINES], f"and {more} more lines"]
    return shown or ["(only the ends of lines differ)"]


def _around(now: str, then: str) -> tuple[str, str]:
    """Both from a little before where they begin to differ."""
    same = next((at for at, (a, b) in enumerate(zip(now, then, strict=False)) if a != b), None)
    start = min(len(now), len(then)) if same is None else same
    begin = max(0, start - _AROUND) if max(len(now), len(then)) > _WIDTH else 0
    dots = "…" if begin else ""
    return f"{dots}{_cut(now[begin:])}", f"{dots}{_cut(then[begin:])}"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


def _json(value: Any) -> str:
    return "nothing" if value is _MISSING else json.dumps(value, ensure_ascii=False)
