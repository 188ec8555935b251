"""Descriptions of the fields of structs, for the documents that are generated from them.

A field's description is the string right below it in the source. A field without one has that of its type
(`msgspec.Meta`), or that of its name in `FIELD_WORDS`.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable
from typing import Any, get_origin

import msgspec

from agent_contracts.field_words import FIELD_WORDS


def with_parts(structs: Iterable[type[msgspec.Struct]]) -> Iterable[type[msgspec.Struct]]:
    """The structs, and all that they are made of."""
    waiting: list[Any] = [msgspec.inspect.type_info(one) for one in structs]
    seen: set[type] = set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, msgspec.inspect.StructType):
            if one.cls in seen:
                continue
            seen.add(one.cls)
            yield one.cls
            waiting += [field.type for field in one.fields]
        elif isinstance(one, msgspec.inspect.UnionType):
            waiting += one.types
        else:
            inner = ("item_type", "item_types", "value_type", "type")
            for part in (getattr(one, name, None) for name in inner):
                waiting += part if isinstance(part, tuple) else [] if part is None else [part]


def describe_components(components: dict[str, Any], structs: Iterable[type[msgspec.Struct]]) -> None:
    """Describe the fields of the structs and of their parts, in their schemas by class name."""
    for struct in with_parts(structs):
        describe_fields(components[struct.__name__], struct)


def describe_fields(schema: dict[str, Any], struct: type[msgspec.Struct]) -> None:
    """Add a `description` to each property of the struct's JSON Schema that has one."""
    own = own_descriptions(struct)
    config = (get_origin(struct) or struct).__struct_config__
    if config.tag_field is not None:
        own[config.tag_field] = f"Always `{config.tag}`: says which kind this is."
    for name, member in schema.get("properties", {}).items():
        said = own.get(name) or _of_type(member) or FIELD_WORDS.get(name)
        if said:
            schema["properties"][name] = {**member, "description": said}


def own_descriptions(struct: type[msgspec.Struct]) -> dict[str, str]:
    """The strings right below the fields of the struct and its bases, by the fields' names."""
    told: dict[str, str] = {}
    mro = (get_origin(struct) or struct).__mro__
    for cls in reversed(mro[: mro.index(msgspec.Struct)]):
        [node] = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        assert isinstance(node, ast.ClassDef)
        for field, text in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                told[field.target.id] = inspect.cleandoc(str(text.value.value)).replace("\n", " ")
    return told


def _of_type(member: dict[str, Any]) -> str | None:
    """The description that the member's type has, also where the member may be null as well."""
    if (said := member.get("description")) is not None:
        return str(said)
    some = [one for one in member.get("anyOf", ()) if one.get("type") != "null"]
    return some[0].get("description") if len(some) == 1 else None
