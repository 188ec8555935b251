"""JSON Schema 2020-12 from untrusted hands: what agents write, and what models answer by it."""

import copy
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Any

import jsonschema
import msgspec
import regex  # type: ignore[import-untyped]
from cachetools import LRUCache
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import Draft202012Validator, extend
from referencing import Registry

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json

_PATTERN_S = 0.25
"""What one pattern may take of a value, in seconds: a hostile one would take for ever."""
_WHOLE_S = 1.0
"""What the whole of a value may take, in seconds: other calls wait meanwhile."""
_TOO_LONG = "the schema (or a pattern in it) takes too long on this value"
_LONGEST = 500


class JsonSchema:
    """A valid schema that refers to nothing outside itself."""

    def __init__(self, validator: Any) -> None:
        self._validator = validator

    @classmethod
    def of(cls, schema: dict[str, Json], path: str) -> "JsonSchema":
        """Raises `Rejected(kind="invalid_arguments")` if it is none; `path` is where it came from."""
        try:
            key = msgspec.json.encode(schema)
        except (RecursionError, ValueError, TypeError):
            return cls._checked(schema, path)
        found = _known.get(key)
        if found is None:
            found = _known[key] = cls._checked(copy.deepcopy(schema), path)
        return found

    @classmethod
    def _checked(cls, schema: dict[str, Json], path: str) -> "JsonSchema":
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            words = f"not a JSON Schema (2020-12): {_words(error)}"
            at = pointer(path, error.absolute_path)
            raise Rejected(words, kind=ErrorKind.INVALID_ARGUMENTS, path=at) from error
        except RecursionError as error:
            words = "not a JSON Schema: nested too deep"
            raise Rejected(words, kind=ErrorKind.INVALID_ARGUMENTS, path=path) from error
        return cls(_Validator(schema, registry=Registry()))

    def problem(self, value: Json) -> str | None:
        """What is wrong with the value, by its JSON path; None if it fits."""
        try:
            with _limited():
                error = jsonschema.exceptions.best_match(self._validator.iter_errors(value))
        except TimeoutError:
            return _TOO_LONG
        except RecursionError:
            return "it is nested too deep"
        except Exception as broken:  # a reference that leads nowhere, a pattern that is none
            return f"the schema can't be used: {type(broken).__name__}: {str(broken)[:_LONGEST]}"
        return f"{error.json_path}: {_words(error)}" if error is not None else None

    def problems(self, value: Json, most: int) -> list[tuple[str, str]]:
        """The first `most` things that are wrong, each with its JSON Pointer; none if the value fits."""
        try:
            with _limited():
                errors = islice(self._validator.iter_errors(value), most)
                return [(pointer("", error.absolute_path), _words(error)) for error in errors]
        except TimeoutError:
            return [("", _TOO_LONG)]
        except RecursionError:
            return [("", "it is nested too deep")]
        except Exception as broken:  # a pattern that is none
            return [("", f"the schema can't be used: {type(broken).__name__}: {str(broken)[:_LONGEST]}")]


_known: LRUCache[bytes, JsonSchema] = LRUCache(256)
"""Those that were checked lately: that takes longer than to check a value by one."""


def pointer(path: str, steps: Iterable[str | int]) -> str:
    """The JSON Pointer (RFC 6901) to what lies these steps below `path`."""
    return path + "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def _words(error: ValidationError | SchemaError) -> str:
    return error.message if len(error.message) <= _LONGEST else error.message[:_LONGEST] + "…"


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not regex.search(pattern, value, timeout=_PATTERN_S):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    for pattern, below in patterns.items():
        for name, item in value.items():
            if regex.search(pattern, name, timeout=_PATTERN_S):
                yield from validator.descend(item, below, path=name, schema_path=pattern)


def _unique_items(_: Any, wanted: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(value, list) and len({_hashable(item) for item in value}) < len(value):
        yield ValidationError("the items are not unique")


def _hashable(value: Json) -> object:
    """The same for what JSON Schema calls equal: 1 and 1.0 are, 1 and true are not."""
    match value:
        case list():
            return "array", tuple(map(_hashable, value))
        case dict():
            return "object", frozenset((name, _hashable(item)) for name, item in value.items())
        case _:
            return isinstance(value, bool), value


def _in_time(keyword: Any) -> Any:
    """The keyword, unless the time for the whole value is over: a small schema can refer to itself so that it
    takes for ever."""

    def checked(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        if time.monotonic() > _deadline.get():
            raise TimeoutError
        yield from keyword(validator, wanted, value, schema) or ()

    return checked


@contextmanager
def _limited() -> Iterator[None]:
    token = _deadline.set(time.monotonic() + _WHOLE_S)
    try:
        yield
    finally:
        _deadline.reset(token)


_deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))
_OURS = {"pattern": _pattern, "patternProperties": _pattern_properties, "uniqueItems": _unique_items}
_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {name: _in_time(keyword) for name, keyword in (dict(Draft202012Validator.VALIDATORS) | _OURS).items()},
)
