"""Examples as people read them, and nearly the same from run to run: ids and times count from where the
story begins, large texts and long lists are shortened, and what only this run had is taken out."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import msgspec

from gateway.http.openapi_examples import ApiExample

_BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_STEP = timedelta(minutes=10)
"""A whole story takes less: all that happens in it has the time of its beginning."""
_WEEK = timedelta(weeks=1)
_FAR = timedelta(days=365)
"""What is so far away was said by the story, not by a clock."""
_LONGEST = 400
_MOST = 3
_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
_ID = re.compile(r"(?<![a-z0-9])([a-z]{1,3})_([0-9a-hjkmnp-tv-z]{10,32})\b")
_OF_THIS_RUN = (
    (re.compile(r"It is 20\d\d-\d\d-\d\d \d\d:\d\d"), "It is 2026-03-02 09:00"),
    (re.compile(r"\b(client_id|state|code_challenge)=[\w-]+"), r"\1=…"),
    (re.compile(r"\$2b\$\d\d\$[\w./]{53}"), "$2b$12$…"),
    (re.compile(r'process=\\"[\w.:-]+\\"'), r'process=\\"ada:4711\\"'),
    (re.compile(r"(ses\.[\w-]+)\.\d+\."), r"\1.17."),
)
_BY_NAME = {"process": 4711, "member": "5f2b8c1d9e07"}
_SECRET = ("token", "secret", "public_key")
_MS = 12


def readable(
    examples: Mapping[str, ApiExample], began: datetime, addresses: Mapping[str, str]
) -> dict[str, ApiExample]:
    """All of them. `addresses`: what to write for those of this run."""
    text = json.dumps(msgspec.to_builtins(examples), ensure_ascii=False)
    for address, shown in addresses.items():
        text = text.replace(address, shown).replace(quote(address, safe=""), quote(shown, safe=""))
    text = _TIME.sub(lambda found: _moved(found[0], began), text)
    for pattern, shown in _OF_THIS_RUN:
        text = pattern.sub(shown, text)
    text = _ID.sub(_numbered(), text)
    return msgspec.convert(_shortened(json.loads(text)), dict[str, ApiExample])


def _moved(time: str, began: datetime) -> str:
    at = datetime.fromisoformat(time)
    since = at - began
    if abs(since) > _FAR:
        return time
    if at.second == at.microsecond == 0:  # of a schedule: the same day and time, of another week
        moved = at - (began - _BEGIN) // _WEEK * _WEEK
    else:
        moved = _BEGIN + since // _STEP * _STEP
    return moved.strftime("%Y-%m-%dT%H:%M:%SZ")


def _numbered() -> Callable[[re.Match[str]], str]:
    """Ids by their first appearance among those of their prefix; each keeps its length."""
    known: dict[str, str] = {}
    used: Counter[str] = Counter()

    def number(found: re.Match[str]) -> str:
        prefix, rest = found.groups()
        if found[0] not in known:
            used[prefix] += 1
            known[found[0]] = f"{prefix}_{used[prefix]:0{len(rest)}d}"
        return known[found[0]]

    return number


def _shortened(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _shortened(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_shortened(one, name) for one in value[:_MOST]]
    if isinstance(value, str) and name in _SECRET and len(value) > 20:
        return "…"
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}…"
    if value and name.endswith("_ms"):
        return _MS
    return value if value is None else _BY_NAME.get(name, value)
