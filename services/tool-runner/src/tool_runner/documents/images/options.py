"""What the jobs on pictures are asked with. Points are pixels from the top left of the picture as shown."""

from typing import Literal

import msgspec

Form = Literal["png", "jpeg", "webp", "gif", "bmp", "tiff"]
"""What can be written."""
ENDINGS: dict[str, Form] = {
    "png": "png",
    "jpg": "jpeg",
    "jpeg": "jpeg",
    "webp": "webp",
    "gif": "gif",
    "bmp": "bmp",
    "tif": "tiff",
    "tiff": "tiff",
}
"""By the ending of a path."""


class SaveOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How it is written: in which form (None: as it was), how finely, and what is put behind what can be seen
    through where the form has no such thing (RRGGBB)."""

    form: Form | None = None
    quality: int = 85
    background: str = "FFFFFF"


class Resize(SaveOptions, frozen=True, kw_only=True):
    """The new size; of one that isn't given, what keeps the proportions. With both, `fit` says how."""

    width: int | None = None
    height: int | None = None
    fit: Literal["inside", "cover", "stretch"] = "inside"


class Crop(SaveOptions, frozen=True, kw_only=True):
    """What is left."""

    x: int
    y: int
    width: int
    height: int


class Convert(SaveOptions, frozen=True, kw_only=True):
    """Only how it is written."""


class Composite(SaveOptions, frozen=True, kw_only=True):
    """Where the second picture goes on the first, how large, and how much of it is seen."""

    x: int = 0
    y: int = 0
    width: int | None = None
    height: int | None = None
    opacity: float = 1.0
