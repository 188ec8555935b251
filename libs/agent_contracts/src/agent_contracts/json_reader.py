"""Reading JSON that someone else wrote: text that can be stored, numbers that mean the same everywhere."""

import json
import math
from typing import NoReturn

import msgspec

from agent_contracts.errors import Rejected
from agent_contracts.json_value import Json

_LARGEST_WHOLE = 2**63 - 1
_MOST_DIGITS = 19
_QUOTED = 30
_LONGEST_PLACE = 200


class JsonLimits(msgspec.Struct, frozen=True):
    """How much is read.

    `size` counts bytes, of a `str` characters; `depth` levels of arrays and objects within each other, since
    parsers behind us recurse. `any_text` lets through U+0000 and lone surrogates, for whoever replaces them;
    `control_characters` lets them stand in strings as they are, as some models write them.
    """

    size: int
    depth: int
    any_text: bool = False
    control_characters: bool = False


FROM_MODELS = JsonLimits(size=1_000_000, depth=64)
"""What a model writes: nothing of its answer is longer."""


def read_json(data: bytes | str, limits: JsonLimits, what: str = "the text") -> Json:
    """The value. Of two members of an object with the same name the last one counts.

    Raises `Rejected` with a message that begins with `what`: its kind is `too_large`, `bad_text` for what is
    not UTF-8 or can't be stored (U+0000, a lone surrogate), `invalid_request` for everything else: NaN and
    infinities, numbers that a double or 64 bits can't hold, too many levels, and what isn't JSON at all.
    """
    if len(data) > limits.size:
        unit = "bytes" if isinstance(data, bytes) else "characters"
        raise Rejected(f"{what} has more than {limits.size:,} {unit}", kind="too_large")
    numbers = _Numbers(what)
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value: Json = json.loads(
            text,
            parse_constant=numbers.constant,
            parse_int=numbers.whole,
            parse_float=numbers.real,
            strict=not limits.control_characters,
        )
    except UnicodeDecodeError as error:
        raise Rejected(f"{what} is not UTF-8 (byte {error.start})", kind="bad_text") from error
    except RecursionError as error:
        raise _too_deep(what, limits) from error
    except json.JSONDecodeError as error:
        raise _invalid(f"{what} is not JSON: {error.msg} at character {error.pos}") from error
    _check(value, limits, what)
    return value


class _Numbers:
    """Reads numbers, and refuses those that somebody behind us would change."""

    def __init__(self, what: str) -> None:
        self._what = what

    def whole(self, text: str) -> int:
        if len(text.lstrip("-")) > _MOST_DIGITS or abs(int(text)) > _LARGEST_WHOLE:
            raise _invalid(
                f"{self._what} has the whole number {text[:_QUOTED]}, which needs more than 64 bits"
            )
        return int(text)

    def real(self, text: str) -> float:
        value = float(text)
        if not math.isfinite(value):
            raise _invalid(f"{self._what} has the number {text[:_QUOTED]}, which is too large for a double")
        return value

    def constant(self, name: str) -> NoReturn:
        raise _invalid(f"{self._what} is not JSON: it has {name}")


def _check(value: Json, limits: JsonLimits, what: str) -> None:
    waiting: list[tuple[Json, str, int]] = [(value, "", 0)]
    while waiting:
        item, place, depth = waiting.pop()
        if isinstance(item, str):
            _check_text(item, limits, f"{what}, at {place}," if place else what)
        elif isinstance(item, dict | list):
            depth += 1
            if depth > limits.depth:
                raise _too_deep(what, limits)
            members = item.items() if isinstance(item, dict) else enumerate(item)
            for name, member in members:
                if isinstance(name, str):
                    _check_text(name, limits, f"{what}, in a name{' at ' + place if place else ''},")
                if isinstance(member, str | dict | list):
                    waiting.append((member, f"{place}/{name}"[:_LONGEST_PLACE], depth))


def _check_text(text: str, limits: JsonLimits, where: str) -> None:
    if limits.any_text:
        return
    if "\x00" in text:
        raise Rejected(f"{where} contains U+0000, which can't be stored; remove it", kind="bad_text")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            message = f"{where} contains a lone surrogate at character {error.start}; remove it"
            raise Rejected(message, kind="bad_text") from error


def _too_deep(what: str, limits: JsonLimits) -> Rejected:
    return _invalid(f"{what} is nested more than {limits.depth} levels deep")


def _invalid(message: str) -> Rejected:
    return Rejected(message, kind="invalid_request")
