"""No tool of the browser tells what a person typed as a secret."""

from typing import Any, cast

import pytest
from playwright.async_api import BrowserContext
from pydantic import BaseModel

from agent_contracts.errors import Rejected
from agent_tools.context import EgressNotes
from browser_pool.contexts.context_egress import ContextEgress
from browser_pool.contexts.typed_secrets import TypedSecrets

SECRET = "correct-horse-77"


class Shown(BaseModel):
    text: str
    parts: list[str]


@pytest.fixture
def typed() -> TypedSecrets:
    made = TypedSecrets()
    made.note(SECRET)
    return made


@pytest.mark.parametrize(
    "value",
    [
        f"it is {SECRET}",
        {"key": SECRET},
        {SECRET: "value"},
        [[SECRET]],
        (SECRET, 1),
        {"deep": [{"a": (f"x{SECRET}y",)}]},
        Shown(text=SECRET, parts=["a", SECRET]),
    ],
)
def test_no_result_tells_it(typed: TypedSecrets, value: Any) -> None:
    assert SECRET in str(value)
    assert SECRET not in str(typed.without(value))


def test_no_error_tells_it_in_its_words_or_its_details(typed: TypedSecrets) -> None:
    told = typed.without(Rejected(f"no {SECRET}", details={"typed": {"was": [SECRET]}}))
    assert SECRET not in str(told)
    assert SECRET not in str(told.details)


class NoRefusals:
    """Chromium refused nothing by itself."""

    def of(self, url: str) -> None:
        """Nothing is known of it."""


class Context:
    """A browser context that tells nothing by itself."""

    def on(self, event: str, listener: Any) -> None:
        """Nobody is told."""


def test_no_request_that_is_listed_tells_it(typed: TypedSecrets) -> None:
    leaving = ContextEgress(cast(BrowserContext, Context()), cast(Any, NoRefusals()), typed, lambda: False)
    leaving.kept_back("GET", f"https://a.test/search/{SECRET}/x", Rejected("not allowed", kind="refused"))
    outgoing = EgressNotes()
    leaving.tell(outgoing)
    assert outgoing.sent is not None
    assert [(one.host, one.verdict) for one in outgoing.sent.requests] == [("a.test", "refused")]
    assert SECRET not in str(outgoing.sent)
