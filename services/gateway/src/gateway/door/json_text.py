"""Which JSON may come in: text that can be stored everywhere, numbers that mean the same everywhere."""

import json
import math
from typing import NoReturn

from agent_contracts.json_value import Json
from gateway.http.problems import Kind, ProblemError

MAX_DEPTH = 100
"""Levels of arrays and objects within each other; parsers behind us recurse."""

_MAX_INTEGER = 2**63 - 1


def check_text(text: str, where: str) -> None:
    """Refuse what Postgres (U+0000) or UTF-8 (a lone surrogate) can't hold; `where` names the place."""
    if "\x00" in text:
        raise ProblemError(Kind.BAD_TEXT, f"{where} contains U+0000, which can't be stored; remove it")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ProblemError(
                Kind.BAD_TEXT, f"{where} contains a lone surrogate at character {error.start}; remove it"
            ) from error


def parse_json(data: bytes) -> Json:
    """The JSON value of a request's body; a ProblemError that says where it is at fault."""
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ProblemError(Kind.BAD_TEXT, f"the body is not UTF-8 (byte {error.start})") from error
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise ProblemError(Kind.INVALID_REQUEST, f"the body is not JSON: {error}") from error
    _check(value)
    return value


def _check(value: Json) -> None:
    waiting: list[tuple[Json, str, int]] = [(value, "", 0)]
    while waiting:
        item, where, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise _too_deep()
        match item:
            case str():
                check_text(item, where or "the body")
            case dict():
                for key, member in item.items():
                    check_text(key, f"a name in {where or 'the body'}")
                    waiting.append((member, f"{where}/{key}"[:200], depth + 1))
            case list():
                waiting.extend((member, f"{where}/{n}"[:200], depth + 1) for n, member in enumerate(item))
            case bool():
                pass
            case int() if abs(item) > _MAX_INTEGER:
                raise ProblemError(Kind.INVALID_REQUEST, f"{where}: a whole number beyond 64 bits")
            case float() if not math.isfinite(item):
                raise ProblemError(Kind.INVALID_REQUEST, f"{where}: a number too large for a double")
            case _:
                pass


def _too_deep() -> ProblemError:
    return ProblemError(Kind.INVALID_REQUEST, f"the body is nested more than {MAX_DEPTH} levels deep")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
