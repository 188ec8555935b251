"""What a function asks for: the types of its parameters, read once, where it is declared."""

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import msgspec

Asked = tuple[tuple[str, type], ...]
"""The name of each parameter, and the port that it wants: a class or a Protocol."""


class Signature(msgspec.Struct, frozen=True):
    """A function's parameters in order (of a method, without `self`), and what it returns by annotation."""

    parameters: tuple[tuple[str, Any], ...]
    returns: Any


def signature_of(function: Callable[..., Any]) -> Signature:
    """Raises TypeError for a parameter that has no annotation, has a default, or can't be given by name."""
    try:
        hints = get_type_hints(function)
    except NameError as error:
        raise TypeError(f"an annotation of {function.__qualname__} names nothing: {error}") from error
    parameters = []
    for parameter in inspect.signature(function).parameters.values():
        where = f"parameter {parameter.name!r} of {function.__qualname__}"
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD or parameter.default is not parameter.empty:
            raise TypeError(f"{where} must be a plain one, without a default")
        if parameter.name not in hints:
            raise TypeError(f"{where} has no annotation: it must say by type what is wanted")
        parameters.append((parameter.name, hints[parameter.name]))
    return Signature(tuple(parameters), hints.get("return"))


def ports_of(function: Callable[..., Any], parameters: tuple[tuple[str, Any], ...]) -> Asked:
    """These parameters as ports. Raises TypeError for one whose type can't be a port's."""
    for name, wanted in parameters:
        if not isinstance(wanted, type) or wanted.__module__ == "builtins":
            raise TypeError(f"parameter {name!r} of {function.__qualname__}: {wanted!r} can't be a port")
    return parameters
