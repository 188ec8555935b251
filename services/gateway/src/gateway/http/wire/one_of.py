"""One thing of a list that is always whole."""

from collections.abc import Callable
from typing import TypeVar

from agent_contracts.api.wire import Page
from agent_contracts.errors import Rejected

T = TypeVar("T")


def one_of(page: Page[T], is_meant: Callable[[T], bool], what: str) -> T:
    """The one that is meant, as its list shows it; `Rejected(kind="not_found")` where it isn't there."""
    found = next(filter(is_meant, page.items), None)
    if found is None:
        raise Rejected(f"There is no {what}", kind="not_found")
    return found
