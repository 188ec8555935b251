"""Request bodies and answers as msgspec structs: read, written, and what is wrong with a body."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from msgspec import inspect

from agent_contracts.form_inputs import MemberFlaw
from agent_contracts.json_value import Json
from agent_contracts.nearest import nearest

_JSON = "application/json"
_SAID = re.compile(r"(?P<message>.*?)(?: - at (?:key in )?`\$(?P<place>.*)`)?", re.DOTALL)
_BOUND = re.compile(r"Expected `(?P<type>\w+)`(?P<length> of length)? (?P<sign>[<>]=) (?P<bound>-?[0-9]+)")
_TYPE = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>[^`]+)`")
_PATTERN = re.compile(r"Expected `str` matching regex '(?P<pattern>.*)'", re.DOTALL)
_TYPES = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_MISSING = "Object missing required field `"
_UNKNOWN = "Object contains unknown field `"
_MOST_NAMED = 20
_LONGEST_NAME = 100


class StructBody:
    """Reads the body of one type. `optional`: it may be left out, and is None then."""

    def __init__(self, kind: Any, *, optional: bool) -> None:
        self._kind = kind
        self._optional = optional
        self._decoder = msgspec.json.Decoder(kind)

    async def read(self, request: Request) -> Any:
        """The body. `RequestValidationError` with all that is wrong with it, the first first."""
        data = await request.body()
        if not data:
            if self._optional:
                return None
            raise _invalid([((), "A JSON body is needed")])
        if not _is_json(request.headers.get("content-type", "")):
            raise _invalid([((), f"The body must be JSON, sent with the header Content-Type: {_JSON}")])
        try:
            return self._decoder.decode(data)
        except msgspec.ValidationError as error:
            raise _invalid(list(_flaws(msgspec.json.decode(data), self._kind, error))) from None
        except msgspec.DecodeError as error:
            raise _invalid([((), f"The body is not JSON: {error}")]) from None


_Found = tuple[tuple[str | int, ...], str]
"""Where in the body, and what is wrong there."""


def _invalid(found: list[_Found]) -> RequestValidationError:
    return RequestValidationError([{"loc": ("body", *where), "msg": message} for where, message in found])


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == _JSON or (kind.startswith("application/") and kind.endswith("+json"))


def _flaws(body: Json, kind: Any, error: msgspec.ValidationError) -> Iterator[_Found]:
    """One flaw for each member of the body that has any; the decoder itself stops at the first."""
    shape = inspect.type_info(kind)
    structs = [one for one in _parts(shape) if isinstance(one, inspect.StructType)]
    if not isinstance(body, dict) or len(structs) != 1:
        yield _flaw(body, kind, error)
        return
    count = 0
    for field in structs[0].fields:
        if field.encode_name in body:
            try:
                msgspec.convert(body[field.encode_name], _annotation(structs[0].cls, field.name))
            except msgspec.ValidationError as inner:
                where, message = _flaw(
                    body[field.encode_name], _annotation(structs[0].cls, field.name), inner
                )
                yield (field.encode_name, *where), message
                count += 1
        elif field.required:
            yield (field.encode_name,), "This member is missing"
            count += 1
    if structs[0].forbid_unknown_fields:
        known = {field.encode_name for field in structs[0].fields}
        for name in [name for name in body if name not in known][:_MOST_NAMED]:
            yield (name[:_LONGEST_NAME],), _no_member(name, known)
            count += 1
    if not count:
        yield _flaw(body, kind, error)


def _no_member(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    return f"There is no such member; did you mean {near}?" if near else "There is no such member"


def _annotation(cls: type, name: str) -> Any:
    return next(one.type for one in msgspec.structs.fields(cls) if one.name == name)


def _flaw(value: Json, kind: Any, error: msgspec.ValidationError) -> _Found:
    """Where, by names and numbers, and what: in words that repeat nothing of the body."""
    said = _SAID.fullmatch(str(error))
    assert said is not None
    message, place = said["message"], said["place"] or ""
    where = _where(value, kind, place)
    cause = error.__cause__
    if isinstance(cause, MemberFlaw):
        where = (*where, cause.field)
    for begin in (_MISSING, _UNKNOWN):
        if message.startswith(begin):
            name = message.removeprefix(begin).removesuffix("`")
            shapes = _at(inspect.type_info(kind), where)
            known = {
                field.encode_name
                for one in shapes
                if isinstance(one, inspect.StructType)
                for field in one.fields
            }
            say = "This member is missing" if begin == _MISSING else _no_member(name, known)
            return (*where, name[:_LONGEST_NAME]), say
    if message.startswith("Invalid enum value"):
        return where, _choice(_at(inspect.type_info(kind), where))
    if message.startswith("Invalid value "):
        return where, "This is not one of the kinds that are known here"
    return where, _in_words(message)


def _in_words(message: str) -> str:
    """What msgspec says of a type or a bound, for people."""
    if (found := _BOUND.fullmatch(message)) is not None:
        least = "at least" if found["sign"] == ">=" else "at most"
        bound = int(found["bound"])
        if not found["length"]:
            return f"This must be {least} {bound:,}"
        of = {"str": "character", "bytes": "byte", "object": "member"}.get(found["type"], "item")
        return f"This must have {least} {bound:,} {of}{'' if bound == 1 else 's'}"
    if (found := _TYPE.fullmatch(message)) is not None:
        wanted = " or ".join(_TYPES.get(one, one) for one in found["wanted"].split(" | "))
        return f"This must be {wanted}, not {_TYPES.get(found['got'], found['got'])}"
    if (found := _PATTERN.fullmatch(message)) is not None:
        return f"This must match the pattern {found['pattern']}"
    return message


def _where(value: Json, kind: Any, place: str) -> tuple[str | int, ...]:
    """The steps of msgspec's path. It doesn't name the key of a mapping's value, but says `[...]`."""
    steps: tuple[str | int, ...] = ()
    said = ""
    for step in place.replace("[", ".[").split(".[...]"):
        steps += tuple(int(one[1:-1]) if one.startswith("[") else one for one in step.split(".") if one)
        said += step.replace(".[", "[")
        if said == place:
            break
        said += "[...]"
        steps += _failing_key(value, kind, steps, said)
    return steps


def _failing_key(value: Json, kind: Any, steps: tuple[str | int, ...], said: str) -> tuple[str, ...]:
    """The name in the mapping there whose value has this flaw, found by halves."""
    mapping: Any = value
    for step in steps:
        mapping = mapping[step]
    names = list(mapping)
    while len(names) > 1:
        half = names[: len(names) // 2]
        try:
            msgspec.convert(_replaced(value, steps, {name: mapping[name] for name in half}), kind)
        except msgspec.ValidationError as error:
            names = half if f"`${said}" in str(error) else names[len(half) :]
        else:
            names = names[len(half) :]
    return tuple(names)


def _replaced(value: Any, steps: tuple[str | int, ...], by: Json) -> Any:
    if not steps:
        return by
    made = value.copy()
    made[steps[0]] = _replaced(value[steps[0]], steps[1:], by)
    return made


def _at(shape: inspect.Type, where: tuple[str | int, ...]) -> list[inspect.Type]:
    """What may stand at this place."""
    kinds = list(_parts(shape))
    for step in where:
        inner: list[inspect.Type] = []
        for kind in kinds:
            match kind:
                case inspect.StructType(fields=fields):
                    inner += [field.type for field in fields if field.encode_name == step]
                case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                    inner.append(item)
                case inspect.DictType(value_type=item):
                    inner.append(item)
        kinds = [part for one in inner for part in _parts(one)]
    return kinds


def _parts(shape: inspect.Type) -> Iterator[inspect.Type]:
    match shape:
        case inspect.UnionType(types=types):
            for one in types:
                yield from _parts(one)
        case inspect.Metadata(type=inner):
            yield from _parts(inner)
        case _:
            yield shape


def _choice(kinds: list[inspect.Type]) -> str:
    """The values that are allowed."""
    allowed: list[object] = []
    for kind in kinds:
        if isinstance(kind, inspect.LiteralType):
            allowed += kind.values
        elif isinstance(kind, inspect.EnumType):
            allowed += [one.value for one in kind.cls]
    return f"This must be one of {', '.join(f'`{one}`' for one in allowed)}"
