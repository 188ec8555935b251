"""Inputs of a form, made from the members of a struct. The page, the CLI and the checks use them."""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from agent_contracts.json_value import Json

InputType = Literal["text", "secret", "integer", "checkbox", "select"]
InputFormat = Literal["uri", "email", "hostname", "token"]
"""What a text must be. `token`: a text that is sent in an HTTP header."""
Letters = Literal["small", "capital"]


class MemberFlaw(ValueError):
    """What is wrong with a `field` of a body, where its type alone can't say so."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class InputOption(msgspec.Struct, frozen=True, kw_only=True):
    """A value to choose, and what people call it."""

    value: str
    """The value that is sent."""
    label: str
    """What people call it."""
    help: str
    """What it means; empty: the label says it."""


class FormInput(msgspec.Struct, frozen=True, kw_only=True):
    """One input of a form."""

    name: str
    """The member of the struct."""
    label: str
    """What people call it."""
    help: str
    """What to type, or what it is for."""
    hint: str
    """An example of a value."""
    type: InputType
    """How it is drawn. `secret`: it is written, and never read again."""
    format: InputFormat | None
    """What a text must be; null: any."""
    letters: Letters | None
    """It is written in small or capital letters."""
    options: list[InputOption] | None
    """What a `select` offers."""
    required: bool
    """Whether it must be filled in."""
    default: Json
    """The value if nothing is filled in; null: none."""
    pattern: str
    """What a text must match, as a regular expression; `help` says it in words."""


def declared(  # noqa: PLR0913 — each is one thing that people read of it
    label: str,
    help: str = "",
    *,
    hint: str = "",
    secret: bool = False,
    format: InputFormat | None = None,
    letters: Letters | None = None,
    options: Mapping[str, str] | None = None,
    pattern: str = "",
) -> msgspec.Meta:
    """What people read of a struct's member, as its annotation. `options`: what they call each value of a
    `Literal` or an enum. What the pattern says is checked after blanks were taken off, not by msgspec."""
    shown = {"hint": hint, "secret": secret, "format": format, "letters": letters, "pattern": pattern}
    documented: dict[str, Any] = {"writeOnly": True} if secret else {}
    documented |= {"format": format} if format else {}
    return msgspec.Meta(
        title=label,
        description=help or None,
        extra_json_schema=documented or None,
        extra={**shown, "options": dict(options or {})},
    )


def inputs_of(shape: type[msgspec.Struct]) -> list[FormInput]:
    """An input for each member that is `declared`, in their order."""
    return [
        _input(member, meta)
        for member in msgspec.structs.fields(shape)
        for meta in metas_of(member.type)
        if meta.extra is not None
    ]


def metas_of(annotation: Any) -> list[msgspec.Meta]:
    """All that is said of a member in its annotation."""
    if get_origin(annotation) is Annotated:
        inner, *found = get_args(annotation)
        return [*(one for one in found if isinstance(one, msgspec.Meta)), *metas_of(inner)]
    if get_origin(annotation) in (Union, UnionType):
        return [meta for one in get_args(annotation) for meta in metas_of(one)]
    return []


def _input(member: msgspec.structs.FieldInfo, meta: msgspec.Meta) -> FormInput:
    extra: dict[str, Any] = meta.extra or {}
    options = extra["options"]
    default = None if member.required else msgspec.to_builtins(member.default)
    return FormInput(
        name=member.encode_name,
        label=meta.title or member.name,
        help=meta.description or "",
        hint=extra["hint"],
        type="select" if options else "secret" if extra["secret"] else _drawn(member.type),
        format=extra["format"],
        letters=extra["letters"],
        options=[InputOption(value=one, label=label, help="") for one, label in options.items()] or None,
        required=member.required,
        default=None if extra["secret"] else default,
        pattern=extra["pattern"],
    )


def _drawn(annotation: Any) -> InputType:
    plain = plain_type(annotation)
    return "checkbox" if plain is bool else "integer" if plain is int else "text"


def plain_type(annotation: Any) -> Any:
    """The type of a member without what is said of it, and without None."""
    [plain] = {one for one in _plain(annotation) if one is not NoneType}
    return plain


def _plain(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [plain for one in get_args(annotation) for plain in _plain(one)]
    return [annotation]
