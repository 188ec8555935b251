"""The name that was probably meant by one that doesn't exist."""

import difflib
from collections.abc import Iterable

_NEAR = 0.75
"""How alike two names are, of 1, when one is probably a slip of the other."""
_LONGEST = 100
"""Characters of a name that are compared: it may come from anywhere."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled almost like this one, with its letters in another order, or
    with one more or fewer at its end. None: no name is."""
    name = name[:_LONGEST]
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=_NEAR)
    swapped = [one for one in known if sorted(one) == sorted(name)]
    ends = [one for one in known if name and one and (one[:-1] == name or name[:-1] == one)]
    return next(iter([*close, *swapped, *ends]), None)
