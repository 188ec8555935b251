"""What the jobs on PDFs give, typed."""

from typing import TypeVar

import msgspec

from agent_contracts.json_value import Json

T = TypeVar("T")


def of_type(value: Json, type_: type[T]) -> T:
    """What a job said. `msgspec.ValidationError` is a bug of ours."""
    return msgspec.convert(value, type_)
