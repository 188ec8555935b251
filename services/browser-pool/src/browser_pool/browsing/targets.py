"""Which element of a page is meant: by a CSS selector, or by a ref of the last snapshot."""

import re
from typing import Annotated, Self

from playwright.async_api import Error, Locator, Page
from pydantic import Field, model_validator

from agent_contracts.errors import ErrorKind, Rejected
from agent_tools.tool import Arguments

_REF = re.compile(r"(f\d{1,6})?e\d{1,9}")
_WHY = (
    "is not a valid selector",
    "Unexpected token",
    "Unknown engine",
    "Malformed selector",
    "selector engine",
)
_WAIT_MS = 2_000

Selector = Annotated[
    str | None, Field(min_length=1, max_length=2_000, description="CSS selector; the first match counts.")
]
Ref = Annotated[
    str | None, Field(min_length=1, max_length=20, description="Of browser_snapshot, such as e5 or f1e2.")
]


class MaybeOfElement(Arguments):
    """An element, or none."""

    selector: Selector = None
    ref: Ref = None

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.selector is not None and self.ref is not None:
            raise ValueError("give selector or ref, one of them")
        return self

    @property
    def names_one(self) -> bool:
        """Whether an element is named."""
        return self.selector is not None or self.ref is not None

    @property
    def where(self) -> str:
        """Which argument names it, as a JSON Pointer."""
        return "/ref" if self.ref is not None else "/selector"


class OfElement(MaybeOfElement):
    """An element: exactly one argument names it."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if not self.names_one:
            raise ValueError("give selector or ref, one of them")
        return self


async def located(page: Page, args: MaybeOfElement, default: str = "body", *, wait: bool = True) -> Locator:
    """The element that is meant, or the page's `default` one. With `wait`, it may take two seconds to come.

    `Rejected`: kind `not_found`, or `invalid_arguments` for what is no selector or ref.
    """
    if args.ref is not None and not _REF.fullmatch(args.ref):
        raise Rejected(
            f"{args.ref!r} is not a ref: those of browser_snapshot look like e5 or f1e2",
            kind=ErrorKind.INVALID_ARGUMENTS,
            path="/ref",
        )
    found = page.locator(f"aria-ref={args.ref}" if args.ref is not None else args.selector or default)
    try:
        count = await found.count()
        if not count and wait and args.ref is None:
            await found.first.wait_for(state="attached", timeout=_WAIT_MS)
            count = 1
    except Error as error:
        if "Timeout" in type(error).__name__:
            raise _not_found(args, default) from error
        if any(why in str(error) for why in _WHY):
            raise Rejected(
                f"{args.selector!r} is not a CSS selector", kind=ErrorKind.INVALID_ARGUMENTS, path="/selector"
            ) from error
        raise
    if not count:
        raise _not_found(args, default)
    return found.first


def _not_found(args: MaybeOfElement, default: str) -> Rejected:
    if args.ref is not None:
        why = f"no element has the ref {args.ref} any more: take a new browser_snapshot"
    else:
        why = f"no element of the page matches {args.selector or default!r}"
    return Rejected(why, kind=ErrorKind.NOT_FOUND, path=args.where, details={"reason": "not_found"})
