"""What every tool of a browser tells beside what it was asked for."""

from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from agent_tools.tool import Result


class ShownDialog(Result):
    """A dialog that the page opened meanwhile, and how it was answered: accept or dismiss."""

    kind: str
    message: str
    answered: str


class OpenedPage(Result):
    """A page that a page opened. browser_pages switches to it."""

    page: str
    url: str


class StoredDownload(Result):
    """A download: a file of the session, or why there is none (yet)."""

    name: str
    url: str
    file_id: str | None = None
    path: str | None = None
    version: int | None = None
    size: int | None = None
    problem: str | None = None


_BESIDE = ("context_lost", "dialogs", "new_pages", "downloads", "notes")


class BrowserResult(Result):
    """`context_lost` says why the pages, cookies and logins of earlier calls are gone. What is empty of this
    is left out."""

    context_lost: str | None = None
    dialogs: list[ShownDialog] = Field(default_factory=list)
    new_pages: list[OpenedPage] = Field(default_factory=list)
    downloads: list[StoredDownload] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)

    @model_serializer(mode="wrap")
    def _without_what_is_empty(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in whole(self).items() if value or key not in _BESIDE}


class AtPage(BrowserResult):
    """Where the current page is now."""

    url: str
    title: str
