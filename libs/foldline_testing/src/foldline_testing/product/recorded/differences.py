"""How a new recording differs from the old one, in words. What differs each time is not told of:

times and ids made of them, where in the log events stand and which of two side by side came first, how long
things took, which process did them.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from agent_contracts.log.address import Address, at_place, parse_address
from agent_contracts.log.record.session_subjects import parse_session_subject
from agent_contracts.sessions.session_file import FileEvent
from foldline_testing.product.recorded.recording import Recording

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")
_TIMED_ID = re.compile(r"\b(e|st)_[0-9a-hjkmnp-tv-z]{26}\b")
"""Events, and the sessions of scheduled tasks: made of when they were due."""
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_SHORTEST = 200
"""Characters of a value that are shown."""
_MEASURED = frozenset(
    {"duration_ms", "latency_ms", "first_token_ms", "ran_ms", "provider_request_id", "runner"}
)
_SEQUENCES = frozenset(
    {
        "sequence", "last_sequence", "rest_sequence", "requested", "at", "to", "joins", "input", "first",
        "last", "ended_sequence", "failed_sequence", "began", "fork_at", "causation", "prev",
        "forked_from_sequence", "refused",
    }
)  # fmt: skip
"""Members whose whole numbers are records of the log."""
_PLACES = frozenset(
    {
        "place", "message_place", "requested_place", "result_place", "forked_place", "segments", "inherited",
        "rewinds",
    }
)  # fmt: skip
"""Members whose whole numbers are places of events: see `Address.place`."""
_ADDRESSES = frozenset({"address", "request_address", "result_address", "end", "before", "hidden_by"})
"""Members whose texts are addresses."""
_ABSENT: Any = object()
"""In place of a member that one side lacks: null is a value."""
_HASHES = frozenset({"context", "digest", "traceparent", "exported_at", "fingerprints", "sha256", "server"})
_COUNTS = frozenset({"usage", "tokens", "input_tokens", "context_tokens", "least_token_limit"})
"""Members that count tokens: a prompt in other words is of another length."""
_REQUEST = re.compile(r"\brequest \d+$")


def differences(old: Recording, new: Recording) -> list[str]:
    """One sentence for each part that differs, the first place in it named; none if nothing does."""
    then, now = _Plain(old).parts, _Plain(new).parts
    found = []
    for part in {**then, **now}:
        if part not in then or part not in now:
            found.append(f"{part} is {'new' if part in now else 'gone'}")
            continue
        first = next(_different(then[part], now[part], ""), None)
        if first is not None:
            found.append(f"{part} differs{first}")
    return found


def same_course(old: Recording, new: Recording) -> bool:
    """Whether the same happened in both, whatever comes of it by today's code: the same events, and the same
    messages to models. The prompt and the tools may be in other words; then tokens are not compared."""
    same_words = prompts(old) == prompts(new)
    return _Plain(old, counts=same_words).course() == _Plain(new, counts=same_words).course()


def prompts(recording: Recording) -> list[dict[str, Any]]:
    """What each request told the model besides messages, without times: `system` and `tools`, by name."""
    return [
        {"system": request["system"], "tools": request["tools"]}
        for _, request in _Plain(recording).requests()
    ]


class _Plain:
    """The parts of a recording by their names, without what differs each time; or without numbers of tokens
    as well."""

    def __init__(self, recording: Recording, *, counts: bool = True) -> None:
        self._places = _places(recording)
        self._left_out = _MEASURED | _HASHES | (frozenset() if counts else _COUNTS)
        self.parts: dict[str, Any] = {}
        for label, expected in recording.expected["sessions"].items():
            seen = recording.seen[label]
            whose = "" if label == "session" else f"{label}: "
            file = recording.sessions[label]
            self._put(
                f"{whose}events",
                {self._places[_address(event)]: json.loads(event.data) for event in file.events},
            )
            self._put(f"{whose}state", expected["states"][-1])
            self._put(f"{whose}decisions", expected["decisions"])
            self._put(f"{whose}view", seen["pages"][-1])
            self._put(f"{whose}timeline", seen["timeline"])
            blobs = {blob.sha256: blob.data for blob in file.blobs}
            for number, request in enumerate(expected["requests"], 1):
                self._put(f"{whose}request {number}", _request(request, blobs))
        for table, rows in recording.expected["rows"].items():
            if table != "events":
                self._put(f"rows of {table}", rows)

    def course(self) -> dict[str, Any]:
        """What happened: the events, and the messages of each request. All else follows from them."""
        happened = {part: value for part, value in self.parts.items() if part.endswith("events")}
        return happened | {part: request["messages"] for part, request in self.requests()}

    def requests(self) -> Iterator[tuple[str, Any]]:
        """Each request: its part of the prompt, its tools and messages."""
        return ((part, value) for part, value in self.parts.items() if _REQUEST.search(part))

    def _put(self, part: str, value: Any) -> None:
        self.parts[part] = self._plain(value)

    def _plain(self, value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {
                key: one if key == "usage" else self._plain(one, key)  # the `input` there is no event
                for key, one in value.items()
                if key not in self._left_out
            }
        if isinstance(value, list | tuple):
            return [self._plain(one, name) for one in value]
        if isinstance(value, str):
            return self._named(parse_address(value)) if name in _ADDRESSES else timeless(value)
        if isinstance(value, int) and not isinstance(value, bool):
            if name in _SEQUENCES:
                return self._named(Address(value))
            if name in _PLACES:
                return self._named(at_place(value))
        return value

    def _named(self, address: Address) -> str:
        return self._places.get(address, "no event of these")


def _places(recording: Recording) -> dict[Address, str]:
    """Names for the places of events in the log: the session, the rest of the subject, the how many-th."""
    labels = {file.head.session_id: label for label, file in recording.sessions.items()}
    count: Counter[str] = Counter()
    names = {}
    for event in recording.events():
        about = parse_session_subject(event.subject)
        name = f"{labels.get(about.key.session_id, about.key.session_id)} {about.rest}"
        count[name] += 1
        names[_address(event)] = names[Address(event.sequence)] = f"{name} {count[name]}"
    return names


def _address(event: FileEvent) -> Address:
    return Address(event.sequence, event.part if event.parts > 1 else None)


def timeless(text: str) -> str:
    """A text without times, event ids and ports."""
    return _PORT.sub("(address)", _TIMED_ID.sub("(event)", _TIME.sub("(time)", text)))


def _request(request: dict[str, Any], blobs: dict[str, bytes]) -> dict[str, Any]:
    manifest = json.loads(blobs[request["context"]])
    definitions = [json.loads(blobs[one])["function"] for one in manifest["tools"]]
    return {
        "system": {part["name"]: blobs[part["sha256"]].decode() for part in manifest["system"]},
        "tools": {one["name"]: one for one in definitions},
        "messages": request["messages"],
    }


def _different(old: Any, new: Any, where: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from _different(old.get(key, _ABSENT), new.get(key, _ABSENT), f"{where}/{key}")
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            one, other = (side[index] if index < len(side) else _ABSENT for side in (old, new))
            yield from _different(one, other, f"{where}/{index}")
    elif old != new:
        yield f" at {where}: {_short(old)} → {_short(new)}"


def _short(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORTEST else f"{text[:_SHORTEST]}…"
