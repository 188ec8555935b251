"""A browser that a person takes over, and the logins that it keeps."""

from typing import Annotated, Literal

import msgspec

from agent_contracts.api.wire import RequestBody, ResponseBody
from agent_contracts.ids import SessionId
from agent_contracts.questions.takeover import MOST_INPUTS, Ending, OpenDialog, PersonsInput, ShownPage
from agent_contracts.timestamp import Timestamp


class KeptLogin(ResponseBody, frozen=True, kw_only=True):
    """A website's login that is kept for the agent, without its cookies' values."""

    site: str
    """The site's host name."""
    kept_at: Timestamp
    """When the login was kept."""
    session_id: SessionId
    """Id of the session in which a person logged in."""
    cookies: int
    """Number of cookies that are kept."""


class ForgottenLogin(ResponseBody, frozen=True, kw_only=True):
    """What forgetting a login did."""

    forgotten: bool
    """Whether there was a login to forget."""


class BrowserView(ResponseBody, frozen=True, kw_only=True):
    """What the browser that a person took over shows."""

    version: int
    """Grows with each change of anything here. Send it back as `after` to wait for the next change."""
    image: str | None
    """The page as a JPEG in base64. Null: nothing is newer than `after`."""
    width: int
    """Width of the page in CSS pixels."""
    height: int
    """Height of the page in CSS pixels."""
    page: str
    """Id of the page that is shown."""
    pages: list[ShownPage]
    """All open pages."""
    url: str
    """Address of the page that is shown."""
    title: str
    """Title of the page that is shown."""
    editable: bool
    """Whether the focused element takes text."""
    secret: bool
    """Whether the focused element is a password field or similar."""
    dialog: OpenDialog | None
    """The dialog that waits for an answer; null: none does."""
    notes: list[str]
    """Messages for the person, such as that something was blocked."""
    viewers: int
    """Number of people who watch."""
    ended: Literal["context_lost"] | None = None
    """`context_lost`: the pages are gone, and the call is over. Null: they are there."""
    reason: str | None = None
    """Why the pages are gone; null: they are there."""


class BrowserActed(ResponseBody, frozen=True, kw_only=True):
    """The focus after the inputs."""

    editable: bool
    """Whether the focused element takes text."""
    secret: bool
    """Whether the focused element is a password field or similar."""
    problem: str | None
    """Why some inputs were not carried out; null: all were."""


class BrowserEnded(ResponseBody, frozen=True, kw_only=True):
    """How the takeover ended."""

    ended: Ending
    """`done`, `declined`, or `context_lost` (the pages were gone)."""
    kept: list[str]
    """Sites whose logins were kept for the agent."""
    reason: str | None = None
    """Why the pages were lost; null: they weren't."""


class PostBrowserInputs(RequestBody, frozen=True, kw_only=True):
    """What the person did."""

    inputs: Annotated[list[PersonsInput], msgspec.Meta(min_length=1, max_length=MOST_INPUTS)]
    """Clicks, keys, text and scrolling, in the order in which they happened."""


class EndHandOver(RequestBody, frozen=True, kw_only=True):
    """The end of a takeover."""

    done: bool
    """True: the person did what the agent asked for. False: they won't."""
    keep_login: bool = False
    """Keep the logins of the visited sites for the agent."""
