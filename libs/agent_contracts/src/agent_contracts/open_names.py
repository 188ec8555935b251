"""Names of which more may be installed than these."""

import re
from enum import StrEnum

_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
_MOST = 100
"""Names beside those that are declared, in one process: each is remembered."""


class OpenNames(StrEnum):
    """An enum that takes other names of the same form, too. Equal names are one object, as members are."""

    @classmethod
    def _missing_(cls, value: object) -> "OpenNames | None":
        known = cls._value2member_map_
        if not isinstance(value, str) or not _NAME.fullmatch(value) or len(known) >= len(cls) + _MOST:
            return None
        made = str.__new__(cls, value)
        made._name_, made._value_ = value.upper(), value
        known[value] = made
        return made
