"""What happens in a context beside what a call asked for, until a call tells of it."""

from typing import Literal

import msgspec

DialogKind = Literal["alert", "confirm", "prompt", "beforeunload"]
DialogAnswer = Literal["accept", "dismiss"]


class SeenDialog(msgspec.Struct, frozen=True):
    """A dialog that a page opened, and how it was answered."""

    kind: str
    message: str
    answered: DialogAnswer


class NewPage(msgspec.Struct, frozen=True):
    """A page that a page opened."""

    page: str
    url: str


class AnswerDialogs(msgspec.Struct, frozen=True):
    """How dialogs are answered while a call runs; `text` is what a prompt is given."""

    answer: DialogAnswer = "dismiss"
    text: str = ""


class ContextHappenings(msgspec.Struct):
    """Gathered since a call last told of it. `notes` are sentences."""

    dialogs: list[SeenDialog] = []
    pages: list[NewPage] = []
    notes: list[str] = []
    dialog_count: int = 0
    refused_windows: int = 0
