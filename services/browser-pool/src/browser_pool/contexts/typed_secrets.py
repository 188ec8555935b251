"""What a person typed in secret while a context was theirs: kept out of all that its tools tell."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from agent_contracts.errors import Failure
from egress.redaction import Redaction

SHORTEST = 6
"""Characters: what is shorter stands in too many other words."""
MOST = 50
_NAME = "TYPED_BY_THE_PERSON"


class TypedSecrets:
    """Knows the values of password fields and the like, as long as the context lives."""

    def __init__(self) -> None:
        self._values: list[str] = []
        self._redaction = Redaction({})

    @property
    def values(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self._values)

    def note(self, value: str, instead_of: str | None = None) -> None:
        """One more, in place of what it was before another key was pressed."""
        if instead_of is not None and instead_of in self._values:
            self._values.remove(instead_of)
        if value and value not in self._values:
            self._values = [*self._values, value][-MOST:]
        known = {f"{_NAME}_{n}": one for n, one in enumerate(self._values) if len(one) >= SHORTEST}
        self._redaction = Redaction(known)

    def without(self, value: Any) -> Any:
        """A text, a JSON value or a tool's result without them."""
        if not self._values:
            return value
        match value:
            case str():
                return self._redaction.text(value)
            case Mapping():
                return {self.without(key): self.without(one) for key, one in value.items()}
            case list():
                return [self.without(one) for one in value]
            case tuple():
                return tuple(self.without(one) for one in value)
            case BaseModel():
                fields = type(value).model_fields
                return value.model_copy(update={name: self.without(getattr(value, name)) for name in fields})
            case Failure():
                value.message = self.without(value.message)
                value.details = self.without(value.details)
                return value
            case _:
                return value
