"""What a server says when it refuses or fails: its own words, out of any of the forms that servers have."""

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser

import msgspec

from agent_contracts.json_value import Json
from model_caller.providers.json_fields import decoded, mapping, mappings

_PLACES = (
    "error",
    "errors",
    "message",
    "msg",
    "title",
    "detail",
    "error_description",
    "error_message",
    "error_msg",
    "status_msg",
    "reason",
    "metadata",
    "raw",
    "x_groq",
)
"""Where words stand, in the order in which they are told. `metadata.raw` is what the server behind OpenRouter
said; OAuth has `error_description`, FastAPI a `detail` list with a `msg` and a `loc` each."""
_NAMES = ("code", "type", "status", "error")
_STATUS = ("code", "status", "status_code", "statusCode", "error_code", "http_code")
_DEEPEST = 8
_MOST = 5
_LONGEST_PAGE_TEXT = 300
_LONGEST_TEXT = 4_000
_WORDY = re.compile(r"\w", re.UNICODE)


class SaidError(msgspec.Struct, frozen=True):
    """An error of a server. `said` are its words, `names` its codes and types, in small letters; `status` is
    the one of HTTP that it names in the text. `fields` are those of all its objects."""

    said: str = ""
    names: tuple[str, ...] = ()
    status: int | None = None
    fields: Mapping[str, Json] = {}

    @property
    def named(self) -> tuple[str, ...]:
        """The codes and types, and the parameter that it says it is about."""
        parameter = self.fields.get("param")
        return (*self.names, parameter) if isinstance(parameter, str) else self.names


def error_in(body: Json | bytes) -> SaidError:
    """The error that a body, or a part of it, says; an empty one if it says none."""
    if isinstance(body, bytes):
        try:
            body = body.decode("utf-8-sig")
        except UnicodeDecodeError:
            return SaidError()
    told: list[str] = []
    for one in _words(body, 0):
        words = one.strip()
        if words and not any(words in other for other in told):
            told = [other for other in told if other not in words] + [words]
    objects = [*_objects(body, 0)]
    names = [str(value).lower() for one in objects for name in _NAMES if _is_name(value := one.get(name))]
    statuses = (_status(one.get(name)) for one in objects for name in _STATUS)
    fields = {name: value for one in objects for name, value in one.items()}
    return SaidError(": ".join(told[:_MOST]), tuple(names), next(filter(None, statuses), None), fields)


def is_error(chunk: Mapping[str, Json]) -> bool:
    """Whether an object that came in the place of an answer is an error, and nothing of an answer."""
    for choice in mappings(chunk.get("choices"))[:1]:
        # Beside a delta its reader sees to it: half an answer may have come before.
        return bool(choice.get("error")) and not {"delta", "message"} & choice.keys()
    if mapping(chunk.get("x_groq")).get("error"):
        return True
    if chunk.get("error") or chunk.get("errors") or "error" in (chunk.get("object"), chunk.get("type")):
        return True
    if _status(mapping(chunk.get("base_resp")).get("status_code")) or chunk.get("error_code"):
        return True
    if "detail" in mapping(chunk.get("message")):
        return True
    return any(_says(chunk.get(name)) for name in ("message", "msg", "detail", "error_description"))


def visible_text(page: str) -> str:
    """The title of a page of HTML; without one, the beginning of its text."""
    reader = _PageText()
    reader.feed(page)
    reader.close()
    text = " ".join("".join(reader.title).split()) or " ".join("".join(reader.text).split())
    return text[:_LONGEST_PAGE_TEXT]


def _says(value: Json) -> bool:
    return isinstance(value, str | list) and bool(value)


def _words(value: Json, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    match value:
        case str():
            inner = _json_in(value)
            if inner is not None:
                yield from _words(inner, depth + 1)
            elif value.lstrip().startswith("<"):
                yield visible_text(value)
            elif _WORDY.search(value):
                yield value[:_LONGEST_TEXT]
        case list():
            for one in value[:_MOST]:
                yield from _words(one, depth + 1)
        case {"loc": list(place), "msg": str(said)}:
            yield f"{'.'.join(map(str, place))}: {said}"
        case dict():
            for name in _PLACES:
                yield from _words(value.get(name), depth + 1)
            for choice in mappings(value.get("choices"))[:1]:
                yield from _words(choice.get("error"), depth + 1)
            yield from _words(value.get("base_resp"), depth + 1)
        case _:
            pass


def _objects(value: Json, depth: int) -> Iterator[Mapping[str, Json]]:
    """The objects of an error, the outer ones first."""
    if depth > _DEEPEST:
        return
    match value:
        case str():
            yield from _objects(_json_in(value), depth + 1)
        case list():
            for one in value[:_MOST]:
                yield from _objects(one, depth + 1)
        case dict():
            yield value
            for name in (*_PLACES, "base_resp"):
                yield from _objects(value.get(name), depth + 1)
            for choice in mappings(value.get("choices"))[:1]:
                yield from _objects(choice.get("error"), depth + 1)
        case _:
            pass


def _json_in(text: str) -> Json:
    """What a text holds that is JSON itself: what one server said, passed on by another."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = decoded(text)
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None


def _is_name(value: Json) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _status(value: Json) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:4])
    return value if isinstance(value, int) and 400 <= value < 600 else None


class _PageText(HTMLParser):
    """Collects the title and the text that is seen."""

    def __init__(self) -> None:
        super().__init__()
        self.title: list[str] = []
        self.text: list[str] = []
        self._within: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("title", "script", "style"):
            self._within = tag
        self.text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._within:
            self._within = None

    def handle_data(self, data: str) -> None:
        if self._within == "title":
            self.title.append(data)
        elif self._within is None:
            self.text.append(data)
